"""Hayou, Doucet and Rousseau (2020) on residual networks."""

from asympt.claims.hdr.residual.claims import CLAIMS

__all__ = ["CLAIMS"]
