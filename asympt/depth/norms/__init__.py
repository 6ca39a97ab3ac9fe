"""Layers in which inputs have variances of their own: tiles of pairs, all norms at once."""

from asympt.depth.norms.together import Tiles, move_pairs

__all__ = ["Tiles", "move_pairs"]
