"""Networks in every phase, by a short name, and their laws, each derived once."""

from functools import cache

from sympy import Rational

from asympt import FeedForward
from tests.shared import shared

FIFTH = Rational(1, 5)
NETWORKS = {
    "tanh": ("tanh", {"sigma_b": FIFTH}),
    "erf": ("erf", {"sigma_b": FIFTH}),
    "silu": ("silu", {"sigma_b": FIFTH}),
    "gelu": ("gelu", {"sigma_b": FIFTH}),
    "elu": ("elu", {"sigma_b": FIFTH}),
    "softsign": ("softsign", {"sigma_b": FIFTH}),
    "hard_tanh": ("hard_tanh", {"sigma_b": FIFTH}),
    "selu": ("selu", {"sigma_b": FIFTH}),
    "relu6": ("relu6", {"sigma_b": FIFTH}),
    "tanh, ordered": ("tanh", {"sigma_w": 1, "sigma_b": FIFTH}),
    "elu, ordered": ("elu", {"sigma_w": 1, "sigma_b": FIFTH}),
    "hard_tanh, ordered": ("hard_tanh", {"sigma_w": 1, "sigma_b": FIFTH}),
    "relu, ordered": ("relu", {"sigma_w": 1, "sigma_b": 1}),
    "tanh, chaotic": ("tanh", {"sigma_w": 2, "sigma_b": FIFTH}),
    "erf, chaotic": ("erf", {"sigma_w": 2, "sigma_b": FIFTH}),
    "hard_tanh, chaotic": ("hard_tanh", {"sigma_w": 2, "sigma_b": FIFTH}),
    "tanh, chaotic, no bias": ("tanh", {"sigma_w": 2, "sigma_b": 0}),
    "tanh, variance like 1/l": ("tanh", {"sigma_w": 1, "sigma_b": 0}),
    "tanh, variance to 0": ("tanh", {"sigma_w": Rational(1, 2), "sigma_b": 0}),
    "relu": ("relu", {}),
}


@cache
def law_of(name: str, kind: str):
    """The law `kind` (correlation, ntk, ntk_diagonal, variance) of a network."""
    activation, options = NETWORKS[name]
    return shared(f"{name}: {kind}, of networks", getattr(FeedForward(activation, **options), f"{kind}_law"))
