"""L equal layers as one table: the map of a layer composed with itself by repeated squaring."""

from asympt.depth.squaring.whole import (
    DEEPEST,
    HomogeneousLayer,
    MapStart,
    OneLayer,
    Repeated,
    Tabulated,
    WholeMap,
    many_layers,
)

__all__ = ["DEEPEST", "HomogeneousLayer", "MapStart", "OneLayer", "Repeated", "Tabulated", "WholeMap", "many_layers"]


def __dir__() -> list[str]:
    return sorted(__all__)
