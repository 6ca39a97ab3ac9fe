"""Theorem 1, part 1, of Hayou, Doucet and Rousseau (2020): ReLU on the Edge of Chaos, and the lemmas of its proof."""

from asympt.claims.hdr.relu.claims import CLAIMS

__all__ = ["CLAIMS"]
