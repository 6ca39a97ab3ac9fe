"""The original recursions in mpmath, at any precision."""

from asympt.precise.layer import StepAbout, VarianceDerivatives, VarianceStep

__all__ = [
    "StepAbout",
    "VarianceDerivatives",
    "VarianceStep",
]
