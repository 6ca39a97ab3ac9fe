"""Statements with numbers in them, and one layer of a ReLU-like phi in float64, free of cancellation.

Constants are evaluated to 40 digits and rounded once.
"""

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import accumulate
from math import comb, frexp
from typing import NamedTuple

import mpmath
import numpy as np
from sympy import Expr

from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.layer import ConvStatement, Layer, Statement
from asympt.numbers import exact, symbol_names, to_mpf
from asympt.symbols import Reserved

DIGITS = 40
VANISHED = 1e-290  # with a bias gaps fall geometrically: smaller ones are 0, before arithmetic slows down


@dataclass(frozen=True)
class LayerConstants:
    """kappa and 1 - kappa of a ReLU-like phi."""

    kink_weight: float
    linear_weight: float


def layer_of(layer: Layer) -> Layer:
    """The layer with numbers in it; `InputError` where there are none."""
    weight, bias = exact(layer.weight_variance, "sigma_w^2"), exact(layer.bias_variance, "sigma_b^2")
    phi = layer.activation
    for name, value, known in (("activation", phi.expression, {phi.symbol}), ("sigma_w^2", weight, set()),
                               ("sigma_b^2", bias, set())):  # fmt: skip
        if value.free_symbols - known:
            raise InputError(f"the layer's {name} = {value} holds a symbol; give numbers, which float64 needs")
    if not weight > 0 or not bias >= 0:
        raise InputError(
            f"sigma_w^2 = {weight}, sigma_b^2 = {bias} are not variances; give sigma_w^2 > 0, sigma_b^2 >= 0"
        )
    phi.require_ntk()
    return replace(layer, weight_variance=weight, bias_variance=bias)


def precise(value: Expr, digits: int = DIGITS) -> mpmath.mpf:
    """The exact SymPy number `value` as an mpf of the given digits."""
    with mpmath.workdps(digits):
        return to_mpf(value)


@lru_cache(maxsize=64)
def fixed_variance(layer: Layer) -> float | None:
    """The fixed point q of the layer's variance, found once; None when there is none."""
    try:
        return float(precise(layer.fixed_variance))
    except UnsupportedError:
        return None


DEPTH = Reserved("L", positive=True)  # rates may be scheduled for the depth of the network


def statement_of(net, depth: int | None = None) -> Statement:
    """The statement of a network (or a Layer, or a Statement), with numbers in it; `InputError` for anything else.

    `depth`: the number that replaces L in rates that depend on the depth of the network.

    >>> from asympt.meanfield.activations import activation
    >>> statement_of(Layer(activation("relu"), 2, 0)).is_plain
    True
    """
    is_statement = isinstance(net, Statement | ConvStatement)
    found = net if is_statement else getattr(net, "statement", getattr(net, "layer", net))
    if isinstance(found, ConvStatement):
        raise InputError(f"net = {net!r} is convolutional; take asympt.depth.convolution")
    if isinstance(found, Layer):
        return Statement.plain(layer_of(found))
    if not isinstance(found, Statement):
        raise InputError(f"net = {net!r} has no dense layer; give a network that has, such as FeedForward('relu')")
    if found.is_plain:
        return Statement.plain(layer_of(found.layer))
    if depth is not None:
        at = {name: getattr(found, name).subs(DEPTH, depth) for name in ("branch", "weight_rate", "bias_rate")}
        first = {name: value.subs(DEPTH, depth) for name, value in vars(found.first).items()}
        found = replace(found, **at, first=replace(found.first, **first))
    layer = layer_of(found.layer)
    if found.parameters:
        raise InputError(
            f"the network contains the symbols {symbol_names(found.parameters)}; give numbers, float64 iterates "
            "nothing else"
        )
    first = {name: exact(value, name) for name, value in vars(found.first).items()}
    if not first["weight"] > 0 or not first["bias"] >= 0:
        raise InputError(
            f"layer 1 has the variances {first['weight']} of weights and {first['bias']} of biases; give a positive "
            "variance of the weights, and 0 or more for the biases"
        )
    return replace(found, layer=layer, first=replace(found.first, **first))


# ---- one layer of a ReLU-like phi without bias for a vector of pairs, free of cancellation -------
#
# With w = (1 - c)/2, w_r = min(w, 1 - w), over = w - w_r, s = sqrt(w_r), theta_r = 2 asin(s), kappa the kink weight,
#
#     bend  = (kappa/pi) F(theta_r) = w_r s R(w_r),     slope = (2 kappa/pi) theta_r = s T(w_r),
#     w'    = w   - kappa over       - bend             (kappa <= 1/2, where w' >= w/2)
#           = w_r + (1 - kappa) over - bend             (kappa > 1/2, where bend <= (2/pi) w_r)
#     1-f'  = slope for w <= 1/2,   2 kappa - slope beyond,          k' = f' k + 1 - 2 w'.
#
# R, T: sum 8 b_n/(2n+3) w^n and sum 2 b_n w^n, b_n = binomial(2n, n)/(4^n (2n+1)), on [0, W] in Chebyshev's T*_k
# (w^n = W^n 2^(1-2n) sum'_k binomial(2n, n-k) T*_k(w/W)) with positive coefficients a_k, cut where sum_{k>d} a_k <
# 2^-53 of the value at 0.  Rounding errors are damped and add up as a random walk, sqrt(L) 2^-53, as long as steps are
# many last digits of w; `lowered` carries what a slower step loses.


BITS = 160
TOLERANCE = 53  # bits
FIRST, LAST = 1, 60  # levels: W = 2^-level; the polynomials of level 60 serve everything below


def level(w: float) -> int:
    """The largest level with w <= 2^-level, for 0 <= w <= 1/2.

    >>> level(0.5), level(0.3), level(1e-300)
    (1, 1, 60)
    """
    mantissa, exponent = frexp(w)
    fits = (mantissa == 0.5) - exponent
    return LAST if w == 0 else max(FIRST, min(LAST, fits))


@cache
def bend(at: int) -> tuple[float, ...]:
    """Coefficients of phi_F on [0, 2^-at], highest power first, at least two of them."""
    return _economised(lambda n: (8, 2 * n + 3), at)


@cache
def angle(at: int) -> tuple[float, ...]:
    """Coefficients of phi_theta on [0, 2^-at], highest power first, at least two of them."""
    return _economised(lambda n: (2, 1), at)


def _economised(weight, at: int) -> tuple[float, ...]:
    """sum weight(n) b_n w^n on [0, 2^-at], cut in Chebyshev polynomials and written in powers of w."""
    taylor = []
    for n in range(8 + 64 // at):  # what is dropped is below 2^-64
        over, under = weight(n)
        taylor.append((over * comb(2 * n, n) << BITS) // (under * (2 * n + 1) << 2 * n))
    chebyshev = _chebyshev_coefficients(taylor, at)
    powers = _in_powers(chebyshev[: _enough(chebyshev, taylor[0] >> TOLERANCE)])
    return tuple((p << at * n) / (1 << BITS) for n, p in reversed(list(enumerate(powers))))


def _chebyshev_coefficients(taylor: list[int], at: int) -> list[int]:
    """a_k = sum_n taylor_n 2^(1-2n-at n) binomial(2n, n-k), halved for k = 0."""
    known = list(enumerate(taylor))
    found = [sum(2 * c * comb(2 * n, n - k) >> (2 + at) * n for n, c in known[k:]) for k in range(len(known))]
    return [found[0] // 2, *found[1:]]


def _enough(coefficients: list[int], tolerance: int) -> int:
    """The fewest leading coefficients (two or more) that leave a tail of at most `tolerance`."""
    tails = accumulate(reversed(coefficients))
    return max(2, len(coefficients) - sum(tail <= tolerance for tail in tails))


def _in_powers(coefficients: list[int]) -> list[int]:
    """sum a_k T*_k(x) in powers of x, lowest first: x^n in T*_k has (-1)^(k-n) 4^n k/(k+n) binomial(k+n, 2n)."""
    first, *later = enumerate(coefficients)  # T*_0 = 1
    powers = [sum((-1) ** (k - n) * (4**n * k * comb(k + n, 2 * n) // (k + n)) * a for k, a in later[max(0, n - 1) :])
              for n in range(len(coefficients))]  # fmt: skip
    return [first[1] + powers[0], *powers[1:]]


LEVELS = 16, 4, FIRST
SLOW = 3e-8  # relative step per layer below which rounding errors no longer look random
LONG = 2**15  # layers from which the same is true of the deficit, whose increments hardly change any more


def polynomials(constants: LayerConstants, at: int) -> tuple[tuple, tuple]:
    """(R, T) on [0, 2^-at], highest power first, as 0-d arrays (NumPy reads those faster than floats)."""
    weight = constants.kink_weight / np.pi
    return (tuple(np.array(weight * c) for c in bend(at)), tuple(np.array(2 * weight * c) for c in angle(at)))


def horner(coefficients: tuple, w: np.ndarray, out: np.ndarray) -> None:
    """out = the polynomial at w."""
    highest, following, *rest = coefficients
    np.multiply(w, highest, out)
    np.add(out, following, out)
    for c in rest:
        np.multiply(out, w, out)
        np.add(out, c, out)


class LayerChange(NamedTuple):
    """(1 - f)/2, or 1 - f (`tables`), = base - drop and f' k = kernel - turn, so that the caller can compensate."""

    base: np.ndarray
    drop: np.ndarray
    kernel: np.ndarray
    turn: np.ndarray


def any_step(w: np.ndarray, k: np.ndarray, constants: LayerConstants, rest: np.ndarray | None = None) -> LayerChange:
    """One application of f and f' for any w in [0, 1]; base is w and kernel k, except where that would cancel.

    `rest` is 1 - w where more of it is known.
    """
    largest = w.max()
    if largest <= 0.5:
        bending, slope = _curves(w, polynomials(constants, level(largest)))
        return LayerChange(w, bending, k, slope * k)
    far = w > 0.5
    kinked = np.where(far, 1 - w if rest is None else rest, w)
    over = w - kinked
    bending, slope = _curves(kinked, polynomials(constants, FIRST))
    turn, flipped = np.where(far, -slope, slope) * k, far * (2 * constants.kink_weight * k)
    kernel, turn = (k, turn + flipped) if constants.kink_weight < 0.25 else (k - flipped, turn)
    if constants.kink_weight <= 0.5:
        return LayerChange(w, bending + constants.kink_weight * over, kernel, turn)
    return LayerChange(kinked + constants.linear_weight * over, bending, kernel, turn)


def bend_and_slope(w: np.ndarray, constants: LayerConstants) -> tuple[np.ndarray, np.ndarray]:
    """(bend, slope) for any w <= 1/2, by polynomials of a few levels, which are found once."""
    reached = level(w.max())
    return _curves(w, polynomials(constants, next(at for at in LEVELS if at <= reached)))


def _curves(w: np.ndarray, coefficients: tuple[tuple, tuple]) -> tuple[np.ndarray, np.ndarray]:
    bending, slope, root = np.empty_like(w), np.empty_like(w), np.sqrt(w)
    horner(coefficients[0], w, bending)
    horner(coefficients[1], w, slope)
    bending *= root
    bending *= w
    slope *= root
    return bending, slope


def lowered(base: np.ndarray, drop: np.ndarray, carry: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """base - drop - carry rounded, and the carry that rounding leaves (Kahan's compensated sum)."""
    wanted = drop + carry
    result = base - wanted
    return result, wanted - (base - result)


def lower_into(base, drop, carry, spare) -> tuple[np.ndarray, np.ndarray]:
    """`lowered` without new memory: (the result, a spare array); `drop`, `carry` and `base` are overwritten."""
    np.add(drop, carry, drop)
    np.subtract(base, drop, spare)
    np.subtract(base, spare, base)
    np.subtract(drop, base, carry)
    return spare, base
