"""Phases of a network: where the variance settles, what becomes of the correlation there, and over which depth.

    chi < 1   ordered           c -> 1 like chi^l                      xi = -1/log chi
    chi = 1   edge of chaos     c -> 1 like a power of l               xi = oo
    chi > 1   chaotic           c -> c* < 1 like f'(c*)^l              xi = -1/log f'(c*)

chi = sigma_w^2 E[phi'(sqrt(q) Z)^2] = f'(1) at the stable fixed point q of the variance (oo where phi jumps); xi is the
correlation depth scale (Schoenholz et al. 2017).
"""

from dataclasses import dataclass

from mpmath import mp
from sympy import sqrt

from asympt.errors import UnsupportedError
from asympt.meanfield.activations import Activation
from asympt.meanfield.correlation import LayerMap
from asympt.meanfield.edge import CriticalPoint, critical_points, edge_of_chaos
from asympt.meanfield.existence import EdgeExistence, edge_exists
from asympt.meanfield.layer import Layer
from asympt.meanfield.variance import VarianceMap, vanishes_at_zero
from asympt.numbers import check_digits, to_mpf

__all__ = [
    "CriticalPoint",
    "EdgeExistence",
    "Phase",
    "critical_points",
    "edge_exists",
    "edge_of_chaos",
    "phase_of",
    "phase_point",
]
DECIDED = 30  # digits in which chi is compared with 1
MARGIN = 6


@dataclass(frozen=True)
class Phase:
    """A point (sigma_b, sigma_w): phase, q, chi, the correlation c* to which f draws, f'(c*) and the depth scale xi.

    mpmath numbers; xi is infinite on the Edge of Chaos and 0 where f'(c*) = 0.
    """

    name: str
    q: object
    chi: object
    correlation: object
    multiplier: object
    depth_scale: object


def phase_of(layer: Layer) -> str:
    """'ordered', 'edge of chaos' or 'chaotic'; an error when the variance has no stable fixed point.

    ReLU-like activations without a fixed point of the variance keep the phase of their correlation while chi is not 1.
    """
    if layer.activation.is_relu_like:
        return _of_relu_like(layer)
    if layer.critical:
        return "edge of chaos"
    return _name(_chi(layer, DECIDED))


def phase_point(layer: Layer, digits: int = 15) -> Phase:
    """The phase with its numbers.

    >>> from asympt.meanfield.activations import activation
    >>> from sympy import Rational
    >>> ordered = phase_point(Layer(activation("relu"), Rational(1), Rational(1, 4)))
    >>> ordered.name, mp.nstr(ordered.q, 8), mp.nstr(ordered.depth_scale, 8)
    ('ordered', '0.5', '1.442695')
    """
    check_digits(digits)
    name = phase_of(layer)
    with mp.workdps(digits + MARGIN):
        if layer.activation.is_relu_like:
            chi = to_mpf(layer.chi)
            q = None if layer.bias_variance == 0 else _settled(layer, digits)
        else:
            q, chi = _settled(layer, digits), mp.one if name == "edge of chaos" else _chi(layer, digits)
        if name != "chaotic":
            return Phase(name, q, chi, mp.one, chi, _scale(chi))
        gap, slope = _drawn_to(layer)
        return Phase(name, q, chi, 1 - gap, slope, _scale(slope))


def _scale(multiplier):
    if multiplier == 1:
        return mp.inf
    return -1 / mp.log(multiplier) if multiplier else mp.zero


def _settled(layer: Layer, digits: int):
    if layer.variance is not None:
        return to_mpf(layer.variance)
    return VarianceMap(layer.activation, layer.weight_variance, layer.bias_variance).stable(digits).q


def _chi(layer: Layer, digits: int):
    """chi at the stable variance, to about `digits` digits; infinite when phi jumps."""
    variance = VarianceMap(layer.activation, layer.weight_variance, layer.bias_variance)
    with mp.workdps(digits + MARGIN):
        return variance.chi(_settled(layer, digits + MARGIN), digits)


def _name(chi) -> str:
    if abs(chi - 1) < mp.mpf(10) ** (MARGIN - DECIDED):
        return "edge of chaos"
    return "ordered" if chi < 1 else "chaotic"


def _of_relu_like(layer: Layer) -> str:
    chi = layer.chi
    if layer.is_critical:
        if layer.bias_variance != 0:
            raise UnsupportedError(
                f"chi = 1 with sigma_b = {sqrt(layer.bias_variance)}: the variance grows without bound and no phase is "
                "defined; take sigma_b = 0 for the Edge of Chaos"
            )
        return "edge of chaos"
    if not chi.is_number:
        raise UnsupportedError(f"chi = {chi} contains symbols; give numbers to know the phase")
    return "ordered" if chi < 1 else "chaotic"


def _drawn_to(layer: Layer) -> tuple:
    """1 - c* and f'(c*) in the chaotic phase."""
    if layer.activation.is_relu_like:
        raise UnsupportedError(
            f"in the chaotic phase the variance of {layer.activation.name!r} grows without bound and its correlation "
            "still tends to 1: there is no c* < 1 and no depth scale"
        )
    gap = mp.one if layer.bias_variance == 0 and is_odd(layer.activation) else LayerMap(layer).fixed_gap()
    return gap, LayerMap(layer).gap_slope(gap)


def is_odd(phi: Activation) -> bool:
    """Whether phi(-x) = -phi(x), so that c* = 0 without bias."""
    return vanishes_at_zero(phi.piecewise) and (
        phi.expression + phi.expression.subs(phi.symbol, -phi.symbol)
    ).equals(0)
