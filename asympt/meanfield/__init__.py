"""Mean field: activations, variance and correlation maps, phases, one layer as data."""

from asympt.meanfield.activations import Activation, activation, catalogue
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import Layer
from asympt.meanfield.layer_map import LayerMap
from asympt.meanfield.phases import CriticalPoint, edge_of_chaos
from asympt.meanfield.relu_like_map import ReluLikeMap

__all__ = [
    "Activation", "CorrelationMap", "CriticalPoint", "Layer", "LayerMap", "ReluLikeMap", "activation", "catalogue",
    "edge_of_chaos",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
