"""The laws in the ordered phase, chi = f'(1) < 1: the correlation tends to 1 exponentially.

Problem.  HDR Proposition 1 (after Schoenholz et al.): c^l -> 1 and K^L -> a constant, both like chi^l.  With which
prefactors and which corrections?

Rule.  1 - c^l is a hyperbolic recursion at gamma = 0 with multiplier chi, in half powers of gamma when phi' or
phi'' jumps:

    1 - c^l = C chi^l + ...

The NTK in units of q, k' = f'(c) k + f(c), has f'(1) = chi as well: resonance, hence a term L chi^L,

    K^L/q = 1/(1 - chi) + (r C L + ...) chi^L + ...

Tiny case.  f = 1 - chi + chi c (phi linear with a bias): 1 - c^l = (1 - c^1) chi^(l-1).

Known limits.  phi continuous; the variance at its fixed point q > 0 in every layer.
"""

from dataclasses import replace
from functools import lru_cache

from asympt.architectures.map_series import EdgeSeries, root_of
from asympt.architectures.relu_like import DEPTH, LAYER
from asympt.architectures.starts import read_start
from asympt.meanfield.layer import Layer
from asympt.precise import MapKernelStep, MapStep
from asympt.recursions.hyperbolic_law import HyperbolicLaw, hyperbolic_law, hyperbolic_linear_law
from asympt.recursions.protocol import Dynamics, LinearPart

KNOWN = 4


def correlation_law(layer: Layer, terms: int) -> HyperbolicLaw:
    """The law of 1 - c^l in the ordered phase."""
    law = hyperbolic_law(_dynamics(layer, False, _known(layer, terms)), None, terms, read_start, LAYER)
    return replace(law, quantity="1-c^{l}", name="correlation", layer=layer)


def ntk_law(layer: Layer, terms: int) -> HyperbolicLaw:
    """The law of K^L(x, x')/q in the ordered phase."""
    dynamics = _dynamics(layer, True, _known(layer, terms))
    law = hyperbolic_linear_law(dynamics, terms, read_start, DEPTH, r"\frac{K^{L}(x,x')}{q}", "ntk")
    return replace(law, layer=layer)


def _known(layer: Layer, terms: int) -> int:
    """Powers of the uniformiser that are named: as many as the solver asks for first."""
    return terms + KNOWN + root_of(layer)


@lru_cache(maxsize=256)
def _dynamics(layer: Layer, with_ntk: bool, known: int) -> Dynamics:
    """gamma -> 1 - f(1 - gamma), with the NTK's linear recursion along it."""
    series = EdgeSeries(layer, known)
    linear = LinearPart(series.slope, series.value, start=lambda gap: 1 - gap) if with_ntk else None
    step = (MapKernelStep if with_ntk else MapStep)(series.map)
    return Dynamics(series.ratio, step, root=series.root, first=1, linear=linear)
