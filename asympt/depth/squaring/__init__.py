"""L equal layers as one table: the map of a layer composed with itself by repeated squaring."""

from asympt.depth.squaring.layer import Homogeneous, OneLayer, Tabulated
from asympt.depth.squaring.whole import DEEPEST, Start, many_layers

__all__ = ["DEEPEST", "Homogeneous", "OneLayer", "Start", "Tabulated", "many_layers"]
