"""Of which networks and laws a claim speaks, and on which networks it is decided when none is given.

Class S is taken as computed (`Activation.in_class_s`): phi(0) = 0, phi in C^1, phi'' piecewise smooth.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

from sympy import Rational

from asympt.architectures.feedforward import FeedForward
from asympt.architectures.registry import is_a

BIAS = Rational(1, 5)


@dataclass(frozen=True)
class Scope:
    """`holds`, whether a network is meant; `laws`, the laws that the claim is listed with; `names`, examples."""

    holds: Callable[[FeedForward], bool]
    laws: tuple[str, ...] = ()
    names: tuple[str, ...] = ("relu",)

    def examples(self) -> tuple[FeedForward, ...]:
        """Networks on the Edge of Chaos on which the claim is decided when it is not bound to one."""
        return tuple(map(on_edge, self.names))

    def of(self, *laws: str) -> "Scope":
        """The same scope for a claim that is listed with these laws."""
        return Scope(self.holds, laws, self.names)


@lru_cache(maxsize=64)
def on_edge(name: str) -> FeedForward:
    """An example on the Edge of Chaos: sigma_b = 1/5, or 0 for a ReLU-like activation, which has no other."""
    return FeedForward(name) if name == "relu" else FeedForward.on_edge_of_chaos(name, sigma_b=BIAS)


def is_relu_like(net, architecture: str = "feedforward") -> bool:
    """ReLU-like layers without bias in this architecture, where the maps are the same at every variance."""
    return is_a(net, architecture) and net.statement.is_scale_free and not net.statement.layer.activation.is_linear


def is_relu(net, architecture: str = "feedforward") -> bool:
    """ReLU itself, up to scale and reflection."""
    return is_relu_like(net, architecture) and net.statement.layer.kink_weight == Rational(1, 2)


def is_class_s(net: FeedForward) -> bool:
    """Fully connected, class S on the Edge of Chaos, q > 0."""
    if not is_a(net, "feedforward"):
        return False
    phi, layer = net.activation, net.layer
    if phi.is_relu_like or phi.is_linear or not phi.in_class_s:
        return False
    return net.phase == "edge of chaos" and layer.fixed_variance != 0


def is_kinked(net: FeedForward) -> bool:
    """Class S on the Edge of Chaos, phi'' jumps."""
    return is_class_s(net) and net.activation.singular_order == 2


RECURSIONS = Scope(lambda net: True)  # about recursions or about the networks that the claim itself names
RELU = Scope(is_relu)
RELU_LIKE = Scope(is_relu_like)
CLASS_S = Scope(is_class_s, names=("tanh", "silu", "gelu", "elu"))
SMOOTH = Scope(lambda net: is_class_s(net) and net.activation.is_smooth, names=("tanh", "silu", "gelu"))
KINKED = Scope(is_kinked, names=("elu",))
RELU_RESNET, RELU_SCALED_RESNET, RELU_CONVNET = (
    Scope(partial(is_relu, architecture=name)) for name in ("resnet", "scaled-resnet", "convnet")
)
THEOREM_1 = Scope(lambda net: is_relu_like(net) or is_class_s(net), names=("relu", "tanh"))
