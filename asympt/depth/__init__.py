"""NumPy at depth: the layer recursion in float64 for many pairs of inputs at once, any number of layers."""

import importlib
from typing import TYPE_CHECKING, Any

from asympt.depth.gram import diagonal, gram, pairs
from asympt.spelling import publish

if TYPE_CHECKING:
    from asympt.depth import convolution as convolution
    from asympt.depth import finite as finite
    from asympt.depth import squaring as squaring

_PACKAGES = ("convolution", "finite", "squaring")
__all__ = ["convolution", "diagonal", "finite", "gram", "pairs", "squaring"]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f"asympt.depth.{name}")
    raise AttributeError(f"module 'asympt.depth' has no attribute {name!r}")


publish(globals())
