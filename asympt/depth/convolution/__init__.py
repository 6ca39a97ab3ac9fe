"""Convolutional networks in float64: gaps and NTK of pairs of positions, and the kernels of inputs."""

from asympt.depth.convolution.gram import conv_gram, conv_pairs, from_offsets, to_offsets

__all__ = ["conv_gram", "conv_pairs", "from_offsets", "to_offsets"]


def __dir__() -> list[str]:
    return sorted(__all__)
