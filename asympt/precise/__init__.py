"""The original recursions in mpmath, at any precision."""

from asympt.precise.relu_like import GapStep, KernelStep

__all__ = ["GapStep", "KernelStep"]
