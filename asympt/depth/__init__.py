"""NumPy at depth: the layer recursion in float64 for many pairs of inputs at once, any number of layers."""

from asympt.depth.gram import diagonal, gram
from asympt.depth.pairs import pairs

__all__ = ["diagonal", "gram", "pairs"]
