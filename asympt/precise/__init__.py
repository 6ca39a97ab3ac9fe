"""The original recursions in mpmath, at any precision."""

from asympt.precise.edge import EdgeNumbers
from asympt.precise.layer import MapKernelStep, MapStep, StepAbout
from asympt.precise.relu_like import GapStep, KernelStep
from asympt.precise.variance import VarianceDerivatives, VarianceStep

__all__ = [
    "EdgeNumbers",
    "GapStep",
    "KernelStep",
    "MapKernelStep",
    "MapStep",
    "StepAbout",
    "VarianceDerivatives",
    "VarianceStep",
]
