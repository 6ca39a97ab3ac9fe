"""Hayou, Doucet and Rousseau (2020) on convolutional networks."""

from asympt.claims.hdr.convolution.claims import CLAIMS

__all__ = ["CLAIMS"]
