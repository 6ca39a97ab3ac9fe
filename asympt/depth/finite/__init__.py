"""Random networks of finite width: forward and backward passes, empirical NNGP kernels and NTKs."""

from asympt.depth.finite.composition import Composition
from asympt.depth.finite.kernels import EmpiricalKernels, Estimate, empirical_kernels
from asympt.spelling import publish

__all__ = ["Composition", "EmpiricalKernels", "Estimate", "empirical_kernels"]

publish(globals())
