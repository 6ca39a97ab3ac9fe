"""Random networks of finite width built from primitives, each with its forward and its backward pass."""

from asympt.depth.finite.composed.network import Composition

__all__ = ["Composition"]
