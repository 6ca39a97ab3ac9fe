"""Composed networks in NumPy: the rules of the primitives on the gap 1 - c, for many pairs of inputs at once."""
