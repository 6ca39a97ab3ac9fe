"""Phases and the Edge of Chaos of ReLU-like activations.

The variance map is q -> sigma_b^2 + chi q, chi = sigma_w^2 (a+^2 + a-^2)/2, and f'(1) = chi as well.

    chi < 1   ordered: q* = sigma_b^2/(1 - chi)
    chi = 1   edge of chaos, if sigma_b = 0: every q is a fixed point; with sigma_b > 0 there is none
    chi > 1   chaotic: the variance grows without bound
"""

from dataclasses import dataclass

import mpmath
from sympy import Expr, sqrt

from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.layer import Layer
from asympt.numbers import check_digits, exact, to_mpf


@dataclass(frozen=True)
class CriticalPoint:
    """A point of the Edge of Chaos: standard deviations and the variance fixed point, as mpmath numbers.

    `q` is None when every variance is a fixed point (ReLU-like activations without bias);
    `exact_sigma_w` is sigma_w as a SymPy number.
    """

    sigma_b: object
    sigma_w: object
    q: object
    exact_sigma_w: Expr


def edge_of_chaos(phi: str | Activation, sigma_b=0, digits: int = 30) -> CriticalPoint:
    """The critical point for a given sigma_b: chi = 1 and a finite variance fixed point.

    >>> mpmath.nstr(edge_of_chaos("relu").sigma_w, 15)
    '1.4142135623731'
    """
    phi, bias = activation(phi), exact(sigma_b, "sigma_b")
    digits = check_digits(digits)
    if bias.is_number and not bias >= 0:
        raise InputError(f"sigma_b = {sigma_b} is negative; give the standard deviation of the biases")
    if bias != 0:
        raise UnsupportedError(
            f"activation {phi.name!r} has no Edge of Chaos with sigma_b = {sigma_b} (chi = 1 makes its variance grow "
            "by sigma_b^2 a layer); take sigma_b = 0"
        )
    sigma_w = sqrt(1 / phi.second_moment)
    with mpmath.mp.workdps(digits + 5):
        value = to_mpf(sigma_w) if sigma_w.is_number else sigma_w
    return CriticalPoint(mpmath.mpf(0), value, None, sigma_w)


def phase_of(layer: Layer) -> str:
    """The phase of a network with this layer; an error when chi = 1 and sigma_b > 0."""
    gain = layer.gain
    if layer.is_critical:
        if layer.bias_variance != 0:
            raise UnsupportedError(
                f"chi = 1 with sigma_b = {sqrt(layer.bias_variance)}: the variance grows without bound and no phase is "
                "defined; take sigma_b = 0 for the Edge of Chaos"
            )
        return "edge of chaos"
    if not gain.is_number:
        raise UnsupportedError(f"chi = {gain} contains symbols; give numbers to know the phase")
    return "ordered" if gain < 1 else "chaotic"
