"""The original recursions in mpmath, at any precision."""

from asympt.precise.layer import LayerStep, StepAbout
from asympt.precise.variance import VarianceDerivatives, VarianceStep

__all__ = [
    "LayerStep",
    "StepAbout",
    "VarianceDerivatives",
    "VarianceStep",
]
