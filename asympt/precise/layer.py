"""Steps in the distance from a fixed point, in mpmath, by the original recursion: y = gamma - (1 - c*), or y = q - q*.

The distance is a difference, so it is computed with as many more digits as it is small, in whole blocks, because a
kernel prepares itself anew for every precision.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import factorial

import mpmath
from flint import arb
from mpmath import mp
from sympy import Expr

from asympt.balls.arithmetic import of_mpf
from asympt.errors import InputError
from asympt.gaussian.closed.moments import has_formulas, moments_at
from asympt.gaussian.moments import parts
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.quadrature.trapezoid import integrals
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf

SPARE, BLOCK = 20, 128  # bits


@dataclass(frozen=True)
class StepAbout:
    """(y,) -> (y',) or (y, k) -> (y', k') with gamma = `centre` + y, the centre being a gap that the layer keeps.

    `layer`: the step in gamma.
    """

    layer: Callable
    centre: Expr

    def __call__(self, state: tuple) -> tuple:
        if not state[0]:
            raise InputError("the orbit lands on the fixed point c*, so it has no law; start elsewhere")
        return apart(self.layer, self.centre, state, "orbit lands on the fixed point c*")


def apart(layer: Callable, centre: Expr, state: tuple, what: str) -> tuple:
    """`layer` of a state whose first entry is the distance from `centre`, which must not vanish (`what` does then)."""
    y = state[0]
    extra = BLOCK * -(-(max(0, -mp.mag(y)) + SPARE) // BLOCK)
    with mp.workprec(BLOCK * -(-mp.prec // BLOCK) + extra):
        place = to_mpf(centre)
        image, *rest = layer((place + y, *state[1:]))
        following = image - place
    if abs(following) <= abs(y) * mpmath.ldexp(1, -mp.prec):
        raise InputError(f"the {what} in one step, so it has no law; start elsewhere")
    return tuple(+value for value in (following, *rest))


# V(q) = sigma_b^2 + sigma_w^2 E[phi(sqrt(q) Z)^2].  Differentiating the Gaussian density instead of phi,
#
#     V^(n)(q)/n! = sigma_w^2 E[phi(sqrt(q) Z)^2 He_2n(Z)]/((2q)^n n!),
#
# so jumps of phi' or phi need no care, and one walk over the nodes gives all n.


STEP, MORE = 10, 12  # digits


def image(layer: Layer, q):
    """V(q) at mpmath's precision."""
    phi = layer.activation.piecewise
    if has_formulas(phi, 1):
        square = moments_at(phi, 1, q, mp.dps)[0]
    else:  # by values of phi alone, which is what thousands of layers in a row can afford
        square = integrals([lambda: _intervals(phi, q, 0, mp.dps)], 1, mp.dps)[0][0]
    return to_mpf(layer.bias_variance) + to_mpf(layer.weight_variance) * square


@dataclass(frozen=True)
class VarianceStep:
    """(y,) -> (y',), q = `centre` + y and q' = V(q); the centre is a fixed point of V, possibly 0."""

    layer: Layer
    centre: Expr

    def __call__(self, state: tuple) -> tuple:
        if not state[0]:
            return state
        if self.centre == 0:
            return (image(self.layer, state[0]),)
        return apart(self._image, self.centre, state, "variance lands on its fixed point")

    def _image(self, state: tuple) -> tuple:
        if state[0] <= 0:
            raise InputError("the variance is not positive; give the variance q^1 > 0 of the first layer")
        return (image(self.layer, state[0]),)


class VarianceDerivatives:
    """V^(n)(q)/n! at mpmath's precision; `reach` says up to which n will be asked for."""

    def __init__(self, layer: Layer, q: Expr):
        self.layer, self.q, self.reach = layer, q, 1

    def __call__(self, n: int):
        """V^(n)(q)/n!, n >= 1."""
        digits = STEP * -(-(mp.dps + MORE) // STEP)
        return +_taylor(self.layer, self.q, max(self.reach, n), digits)[n]


@lru_cache(maxsize=64)
def _taylor(layer: Layer, q: Expr, last: int, digits: int) -> list:
    found, _ = integrals([lambda: _intervals(layer.activation.piecewise, to_mpf(q), last, digits)], last + 1, digits)
    with mp.workdps(digits):
        weight, unit = to_mpf(layer.weight_variance), 2 * to_mpf(q)
        return [weight * value / (unit**n * factorial(n)) for n, value in enumerate(found)]


def _intervals(phi: PiecewiseSmooth, q, last: int, digits: int) -> list[tuple]:
    pieces, scale = phi.ball_functions, of_mpf(mp.sqrt(q))
    found = parts(phi, q, digits)
    return [(*ends, lambda z, f=pieces[i]: _weighted(f(scale * z), z, last), width) for *ends, i, width in found]


def _weighted(value: arb, z: arb, last: int) -> list[arb]:
    previous, current = arb(0), value * value
    found = [current]
    for k in range(2 * last):
        previous, current = current, z * current - k * previous
        if k % 2:
            found.append(current)
    return found
