"""Primitives from which a network is composed: `from asympt import blocks as b`."""

from asympt.blocks.nodes import DEPTH, Node
from asympt.blocks.parsing import read_block
from asympt.blocks.primitives import (
    activation,
    attention,
    average_pool,
    conv,
    dense,
    dense_connection,
    dropout,
    flatten,
    gated,
    layer_norm,
    mix,
    residual,
    rms_norm,
    scale,
    serial,
)
from asympt.meanfield.layer import LAYER
from asympt.spelling import publish

__all__ = [
    "DEPTH", "LAYER", "Node", "activation", "attention", "average_pool", "conv", "dense", "dense_connection",
    "dropout", "flatten", "gated", "layer_norm", "mix", "read_block", "residual", "rms_norm", "scale", "serial",
]  # fmt: skip

publish(globals())
