"""Recursions x_(l+1) = G(x_l): the Abel function, linear recursions along the flow, laws."""

from asympt.recursions.coordinates.abel import AbelFunction, LinearSolution
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.recursions.law import Law
from asympt.recursions.recursion import Recursion

__all__ = ["AbelFunction", "C", "D", "Law", "LinearSolution", "Recursion"]
__dir__ = __all__.copy
