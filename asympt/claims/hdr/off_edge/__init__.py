"""Hayou, Doucet and Rousseau (2020) off the Edge of Chaos: the two phases, the curve itself and its printed points."""

from asympt.claims.hdr.off_edge.claims import CLAIMS

__all__ = ["CLAIMS"]
