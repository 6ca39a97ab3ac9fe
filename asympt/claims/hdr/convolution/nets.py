"""The networks, starts and orbits on which claims about HDR's convolutional networks are decided.

Known limits.  Circles of four positions, filters of three, one generic start; settled, equal variances.
"""

from functools import lru_cache

import numpy as np
from sympy import Expr, Integer, Rational

from asympt.architectures.convolution.law import ConvLaw
from asympt.architectures.convolution.network import ConvNet
from asympt.depth.convolution import conv_pairs
from asympt.evidence.convolution import generic_start
from asympt.expansions import Monomial

SHALLOW, DEEP = 1_000, 20_000
POSITIONS, REACH = 4, 1
BIAS = Rational(1, 5)


@lru_cache(maxsize=16)
def network(name: str, sigma_w=None, sigma_b=0) -> ConvNet:
    """A network on four positions with a filter of three."""
    return ConvNet(name, POSITIONS, REACH, sigma_w, sigma_b)


def on_the_edge(name: str) -> ConvNet:
    """On the Edge of Chaos, sigma_b = 1/5 or 0 for ReLU."""
    return network(name, None, 0 if name == "relu" else BIAS)


@lru_cache(maxsize=64)
def state(net: ConvNet, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """(1 - c^L, K^L/q) at the four positions from the generic vector, in float64."""
    return conv_pairs(net, np.array([1 - float(c) for c in generic_start(POSITIONS)]), depth)


def term(law: ConvLaw, order, logs: int = 0) -> Expr:
    """A coefficient of the law, 0 when it does not have the term."""
    return law.expansion.coefficients.get(Monomial(order, logs), Integer(0))
