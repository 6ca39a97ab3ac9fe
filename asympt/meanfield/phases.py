"""Phases of a network: where the variance settles, what becomes of the correlation there.

    chi < 1   ordered           c -> 1 like chi^l                      xi = -1/log chi
    chi = 1   edge of chaos     c -> 1 like a power of l               xi = oo
    chi > 1   chaotic           c -> c* < 1 like f'(c*)^l              xi = -1/log f'(c*)

chi = sigma_w^2 E[phi'(sqrt(q) Z)^2] = f'(1) at the stable fixed point q of the variance (oo where phi jumps); xi is the
correlation depth scale (Schoenholz et al. 2017).
"""

from mpmath import mp
from sympy import sqrt

from asympt.errors import UnsupportedError
from asympt.meanfield.activations import Activation
from asympt.meanfield.edge import CriticalPoint, critical_points, edge_of_chaos
from asympt.meanfield.existence import EdgeExistence, edge_exists
from asympt.meanfield.layer import Layer
from asympt.meanfield.variance import VarianceMap, vanishes_at_zero
from asympt.numbers import to_mpf

__all__ = [
    "CriticalPoint",
    "EdgeExistence",
    "critical_points",
    "edge_exists",
    "edge_of_chaos",
    "phase_of",
]
DECIDED = 30  # digits in which chi is compared with 1
MARGIN = 6


def phase_of(layer: Layer) -> str:
    """'ordered', 'edge of chaos' or 'chaotic'; an error when the variance has no stable fixed point.

    ReLU-like activations without a fixed point of the variance keep the phase of their correlation while chi is not 1.
    """
    if layer.activation.is_relu_like:
        return _of_relu_like(layer)
    if layer.critical:
        return "edge of chaos"
    return _name(_chi(layer, DECIDED))


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


def is_odd(phi: Activation) -> bool:
    """Whether phi(-x) = -phi(x), so that c* = 0 without bias."""
    return vanishes_at_zero(phi.piecewise) and (
        phi.expression + phi.expression.subs(phi.symbol, -phi.symbol)
    ).equals(0)
