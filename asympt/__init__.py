"""asympt: the depth laws of infinitely wide neural networks, derived, verified and written down.

Public names are loaded when first used, so that ``import asympt`` is fast and leaves Ctrl-C nothing to interrupt.
"""

__version__: str
TYPE_CHECKING = False  # as in `typing`, whose import takes as long as all of this
_NAMES = {
    "asympt.architectures.composition": "Network",
    "asympt.architectures.registry": "random_network",
    "asympt.deadline": "time_limit",
    "asympt.errors": "AsymptError InputError PrecisionError UnsupportedError",
    "asympt.evidence.referee": "referee",
    "asympt.evidence.verify": "verify",
    "asympt.expansions": "Expansion",
    "asympt.meanfield.activations": "Activation activation catalogue",
    "asympt.meanfield.correlation": "CorrelationMap",
    "asympt.meanfield.edge": "CriticalPoint critical_points edge_exists edge_of_chaos",
    "asympt.meanfield.shape": "shape",
    "asympt.meanfield.variance": "VarianceMap",
    "asympt.recursions.law": "Law",
    "asympt.recursions.linear_recurrence": "layered_solution",
    "asympt.recursions.non_autonomous": "DrivenRecursion",
    "asympt.recursions.recursion": "Recursion",
    "asympt.recursions.rsolve": "rsolve_asymptotic",
    "asympt.recursions.summation": "product summation",
    "asympt.recursions.system": "System",
    "asympt.version": "__version__ show_versions",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}
_PACKAGES = ("blocks", "claims", "depth", "kernel", "learn", "plots", "training", "width", "writing")

if TYPE_CHECKING:  # what type checkers and editors see; a test holds it against __all__
    from asympt import blocks as blocks
    from asympt import claims as claims
    from asympt import depth as depth
    from asympt import kernel as kernel
    from asympt import learn as learn
    from asympt import plots as plots
    from asympt import training as training
    from asympt import width as width
    from asympt import writing as writing
    from asympt.architectures.composition import Network as Network
    from asympt.architectures.convolution import ConvNet as ConvNet
    from asympt.architectures.convolution import ConvResNet as ConvResNet
    from asympt.architectures.feedforward import FeedForward as FeedForward
    from asympt.architectures.mlp import MLP as MLP
    from asympt.architectures.registry import random_network as random_network
    from asympt.architectures.resnet import BlockResNet as BlockResNet
    from asympt.architectures.resnet import ResNet as ResNet
    from asympt.architectures.resnet import ScaledResNet as ScaledResNet
    from asympt.deadline import time_limit as time_limit
    from asympt.errors import AsymptError as AsymptError
    from asympt.errors import InputError as InputError
    from asympt.errors import PrecisionError as PrecisionError
    from asympt.errors import UnsupportedError as UnsupportedError
    from asympt.evidence.referee import referee as referee
    from asympt.evidence.verify import verify as verify
    from asympt.expansions import Expansion as Expansion
    from asympt.meanfield.activations import Activation as Activation
    from asympt.meanfield.activations import activation as activation
    from asympt.meanfield.activations import catalogue as catalogue
    from asympt.meanfield.correlation import CorrelationMap as CorrelationMap
    from asympt.meanfield.edge import CriticalPoint as CriticalPoint
    from asympt.meanfield.edge import critical_points as critical_points
    from asympt.meanfield.edge import edge_exists as edge_exists
    from asympt.meanfield.edge import edge_of_chaos as edge_of_chaos
    from asympt.meanfield.shape import shape as shape
    from asympt.meanfield.variance import VarianceMap as VarianceMap
    from asympt.recursions.law import Law as Law
    from asympt.recursions.linear_recurrence import layered_solution as layered_solution
    from asympt.recursions.non_autonomous import DrivenRecursion as DrivenRecursion
    from asympt.recursions.recursion import Recursion as Recursion
    from asympt.recursions.rsolve import rsolve_asymptotic as rsolve_asymptotic
    from asympt.recursions.summation import product as product
    from asympt.recursions.summation import summation as summation
    from asympt.recursions.system import System as System
    from asympt.version import show_versions as show_versions


def __getattr__(name: str) -> object:
    import importlib

    if name in _PACKAGES:
        return importlib.import_module(f"asympt.{name}")
    from asympt.architectures.registry import homes
    from asympt.spelling import public

    known = _HOMES | homes()
    if name == "__all__":
        return sorted([*known, *_PACKAGES])
    if name not in known:
        raise AttributeError(f"module 'asympt' has no attribute {name!r}")
    value = globals()[name] = public(getattr(importlib.import_module(known[name]), name))
    return value


def __dir__() -> object:
    return __getattr__("__all__")
