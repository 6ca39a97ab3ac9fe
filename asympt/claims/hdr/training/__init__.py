"""Hayou, Doucet and Rousseau (2020) on training under the NTK, by gradient flow and by SGD."""

from asympt.claims.hdr.training.claims import CLAIMS

__all__ = ["CLAIMS"]
