"""Mean field: activations, variance and correlation maps, phases, one layer as data."""

from asympt.meanfield.activations import Activation, activation, catalogue
from asympt.meanfield.correlation import CorrelationMap, LayerMap, ReluLikeMap
from asympt.meanfield.edge import CriticalPoint, edge_of_chaos
from asympt.meanfield.layer import Layer

__all__ = [
    "Activation", "CorrelationMap", "CriticalPoint", "Layer", "LayerMap", "ReluLikeMap", "activation", "catalogue",
    "edge_of_chaos",
]  # fmt: skip
__dir__ = __all__.copy
