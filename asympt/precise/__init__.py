"""The original recursions in mpmath, at any precision."""

from asympt.precise.layer import StepAbout
from asympt.precise.variance import VarianceDerivatives, VarianceStep

__all__ = [
    "StepAbout",
    "VarianceDerivatives",
    "VarianceStep",
]
