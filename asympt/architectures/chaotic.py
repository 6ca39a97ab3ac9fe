"""The laws in the chaotic phase, f'(1) > 1: the correlation tends to c* < 1 exponentially.

Problem.  HDR Proposition 1: c^l -> c*, and the NTK of two inputs tends to a constant.  With which prefactors?

Rule.  y = (1 - c) - (1 - c*) is a hyperbolic recursion with multiplier chi* = f'(c*), and the NTK in units of
q a linear one along it with lambda = f'(c):

    1 - c^l = 1 - c* + C chi*^l + ...,      K^L/q = c*/(1 - chi*) + (r C L + ...) chi*^L + ...

Tiny case.  f(c) = (c + c^3)/2, c* = 0: 1 - c^l = 1 + C/2^l + ...

Known limits.  Orbits that converge to c*: all but the one that stays at c = 1 (and at c = -1 for odd f).  The NTK of
one input grows like f'(1)^L (`diagonal`).
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from asympt.architectures.inner_series import InnerSeries
from asympt.architectures.relu_like import DEPTH, LAYER
from asympt.architectures.starts import start_about
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf
from asympt.precise import StepAbout
from asympt.recursions.hyperbolic_law import HyperbolicLaw, hyperbolic_law, hyperbolic_linear_law
from asympt.recursions.place import Place
from asympt.recursions.protocol import Dynamics, LinearPart


@dataclass(frozen=True)
class GapPlace(Place):
    """The gap 1 - c* as the fixed point, read as 1 - c^l."""

    quantity = "1-c^{l}"
    plain = "1-c^l"


def correlation_law(layer: Layer, terms: int) -> HyperbolicLaw:
    """The law of 1 - c^l in the chaotic phase."""
    series, dynamics = _recursion(layer, False)
    place = GapPlace(series.fixed_gap)
    law = hyperbolic_law(dynamics, place, terms, start_about(series.fixed_gap), LAYER)
    return replace(law, name="correlation", layer=layer)


def ntk_law(layer: Layer, terms: int) -> HyperbolicLaw:
    """The law of K^L(x, x')/q for two different inputs in the chaotic phase."""
    series, dynamics = _recursion(layer, True)
    law = hyperbolic_linear_law(
        dynamics, terms, start_about(series.fixed_gap), DEPTH, r"\frac{K^{L}(x,x')}{q}", "ntk",
        place=GapPlace(series.fixed_gap),
    )
    return replace(law, layer=layer)


@lru_cache(maxsize=256)
def _recursion(layer: Layer, with_ntk: bool) -> tuple[InnerSeries, Dynamics]:
    """y -> y' about c*, with the NTK's linear recursion along it."""
    series = InnerSeries(layer)
    linear = None
    if with_ntk:
        linear = LinearPart(series.slope, series.value, start=lambda y: 1 - to_mpf(series.fixed_gap) - y)
    return series, Dynamics(series.ratio, StepAbout(series.map, series.fixed_gap), first=1, linear=linear)
