"""Hayou, Doucet and Rousseau (2020) on residual networks whose branches are scaled down with depth."""

from asympt.claims.hdr.scaled.claims import CLAIMS

__all__ = ["CLAIMS"]
