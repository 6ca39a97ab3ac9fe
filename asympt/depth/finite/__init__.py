"""Random networks of finite width: forward and backward passes, empirical NNGP kernels and NTKs."""

from asympt.depth.finite.composition import Composition
from asympt.depth.finite.kernels import EmpiricalKernels, Estimate, empirical_kernels
from asympt.depth.finite.layered import Block, Convolution, Dense, Residual, ResidualConvolution, ScaledResidual

__all__ = [
    "Block", "Composition", "Convolution", "Dense", "EmpiricalKernels", "Estimate", "Residual", "ResidualConvolution",
    "ScaledResidual", "empirical_kernels",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
