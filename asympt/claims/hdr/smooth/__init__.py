"""Theorem 1, part 2, of Hayou, Doucet and Rousseau (2020): class S on the Edge of Chaos."""

from asympt.claims.hdr.smooth.claims import CLAIMS

__all__ = ["CLAIMS"]
