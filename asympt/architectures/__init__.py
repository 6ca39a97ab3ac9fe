"""Architectures: each states its layer, and from that follow the laws; `registry` lists them.

A class is loaded when first used: the registry itself is read by the command line before anything is computed.
"""

import importlib

from asympt.architectures.registry import homes

__all__ = [*homes()]


def __getattr__(name: str):
    if name not in __all__:
        raise AttributeError(f"module 'asympt.architectures' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(homes()[name]), name)
    return value


__dir__ = __all__.copy
