"""Mean field: activations, variance and correlation maps, phases, one layer as data."""

from asympt.meanfield.activations import Activation, activation, catalogue
from asympt.meanfield.correlation import CorrelationMap, LayerMap, ReluLikeMap
from asympt.meanfield.layer import Layer
from asympt.meanfield.phases import CriticalPoint, edge_of_chaos

__all__ = [
    "Activation", "CorrelationMap", "CriticalPoint", "Layer", "LayerMap", "ReluLikeMap", "activation", "catalogue",
    "edge_of_chaos",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
