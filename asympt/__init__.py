"""asympt: the depth laws of infinitely wide neural networks, derived, verified and written down.

Public names are loaded when first used, so that ``import asympt`` and the command line start fast.
"""

import importlib

from asympt.architectures.registry import homes
from asympt.version import __version__

_HOMES = {
    **homes(),
    "Activation": "asympt.meanfield.activations",
    "AsymptError": "asympt.errors",
    "CorrelationMap": "asympt.meanfield.correlation",
    "CriticalPoint": "asympt.meanfield.edge",
    "DrivenRecursion": "asympt.recursions.non_autonomous",
    "Expansion": "asympt.expansions",
    "InputError": "asympt.errors",
    "Law": "asympt.recursions.law",
    "PrecisionError": "asympt.errors",
    "Recursion": "asympt.recursions.recursion",
    "UnsupportedError": "asympt.errors",
    "VarianceMap": "asympt.meanfield.variance",
    "activation": "asympt.meanfield.activations",
    "catalogue": "asympt.meanfield.activations",
    "critical_points": "asympt.meanfield.edge",
    "edge_exists": "asympt.meanfield.existence",
    "edge_of_chaos": "asympt.meanfield.edge",
    "layered_solution": "asympt.recursions.linear_recurrence.solution",
    "random_network": "asympt.architectures.registry",
    "referee": "asympt.evidence.referee",
    "time_limit": "asympt.deadline",
    "verify": "asympt.evidence.verify",
}
_PACKAGES = ("claims", "depth", "learn", "plots", "training", "writing")

__all__ = ["__version__", *_HOMES, *_PACKAGES]


def __getattr__(name: str):
    if name in _PACKAGES:
        return importlib.import_module(f"asympt.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'asympt' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
