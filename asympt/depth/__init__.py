"""NumPy at depth: the layer recursion iterated in float64 for many pairs of inputs at once."""

from asympt.depth.gram import gram
from asympt.depth.pairs import pairs

__all__ = ["gram", "pairs"]
