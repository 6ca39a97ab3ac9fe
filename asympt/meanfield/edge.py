"""The Edge of Chaos of any activation: every (sigma_b, sigma_w, q) with q = V(q) and chi = 1 (HDR Definition 2).

With M_n(q) = E[phi^(n)(sqrt(q) Z)^2], sigma_b^2 + sigma_w^2 M_0(q) = q and sigma_w^2 M_1(q) = 1; eliminate sigma_w:

    sigma_b^2 = s(q),   s(q) = q - M_0(q)/M_1(q),   sigma_w = 1/sqrt(M_1(q)).

Every zero of (s(q) - sigma_b^2)/q, or of sigma_w^2 M_1(q) - 1 with s(q) >= 0, is a point.  With sigma_b = 0 and
phi(0) = 0 the limit q -> 0 is one as well: sigma_w^2 (phi'(0+)^2 + phi'(0-)^2)/2 = 1, PDLT's class K* = 0.
phi = exp: M_0 = M_1, so s(q) = q - 1 and sigma_w = exp(-q), q = 1 + sigma_b^2.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import scipy  # its parts are loaded when first used: they take longer than a law
from mpmath import mp
from sympy import Expr, Integer, simplify, sqrt

from asympt.arrays import FLOAT_DIGITS, broadcast
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions.opaque import RealConstant
from asympt.gaussian.closed.moments import moments_at
from asympt.gaussian.moments import square_moments
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.layer import Layer
from asympt.meanfield.roots import HIGHEST, LOWEST, NOISE, Zero, grid, square_means, zeros
from asympt.meanfield.stability import Stability, neutral, stability_at
from asympt.meanfield.variance import (
    FixedVariance,
    VarianceMap,
    jumps,
    short,
    slope_at_zero,
    square_slope,
    vanishes_at_zero,
)
from asympt.numbers import check_digits, not_negative, positive, to_mpf
from asympt.showing import LETTERS, formula, html_table, one_line
from asympt.spelling import printing

# ---- whether there is an Edge of Chaos at all --------------------------------------------------------
#
# There is one at q exactly when s(q) = q - M_0(q)/M_1(q) >= 0.  So look at s(q)/q for q from 10^-40 to 10^40.  A
# positive value is proof, and is computed again in mpmath.  Where all are negative the two ends decide: there |s|
# follows a power of q over three decades, so it does not turn (no interval proof).  Where phi jumps M_1 is infinite.
#
# softplus: M_0 = q/2 + O(q^(-1/2)) and M_1 = 1/2 - (2 pi q)^(-1/2) + ... for q -> oo, s < 0.  sigmoid: M_0 -> 1/2 and
# M_1 = (2 pi q)^(-1/2)/6 + ..., so s = q - 3 sqrt(2 pi q) + ... > 0 for large q (against HDR Section 6.2).


TOLD = 1e-8  # |s|/q above it has at least three digits
STEADY = 0.05  # by how much the exponent of a power may change over the last decades
CHECKED, TINY = 30, 1e-300


@dataclass(frozen=True)
class EdgeExistence:
    """The answer.  `figure` is the largest s(q)/q found, `q` its place; `certified` is s/q at one q, from mpmath: above
    0 where an Edge exists, at `q` where float64 cannot tell it from 0, else None.  Where phi jumps `figure` is -oo, and
    nothing else is given.

    `bias_range` and `weight_range` are the smallest and largest values of s = sigma_b^2 and of sigma_w where s >= 0
    (None without an Edge of Chaos), 0 and oo where they keep falling or growing as far as q is looked at; `ends` the
    exponents of |s| at both ends; `changes` the q at which s changes sign.
    """

    exists: bool
    figure: float
    q: float | None
    certified: object
    changes: tuple[float, ...]
    bias_range: tuple[float, float] | None
    weight_range: tuple[float, float] | None
    ends: tuple[float, float] | None
    explanation: str


def edge_exists(phi: str | Expr | Activation) -> EdgeExistence:
    """Whether the Edge of Chaos of phi contains a point with q > 0; raises `InputError` when the moments diverge.

    >>> edge_exists("relu").exists
    True
    """
    phi = activation(phi)
    if phi.is_relu_like:
        why = f"activation {phi.name!r} is ReLU-like: with sigma_b = 0 and chi = 1 every q is on the Edge of Chaos"
        return EdgeExistence(True, 0.0, None, mp.zero, (), (0.0, 0.0), None, None, why)
    if jumps(phi.piecewise):
        why = f"activation {phi.name!r} jumps, so f'(1) is infinite and it has no Edge of Chaos; take a continuous one"
        return EdgeExistence(False, -np.inf, None, None, (), None, None, None, why)
    return _decide(phi.piecewise, phi.name)


def offset(phi: PiecewiseSmooth, q) -> np.ndarray:
    """s(q)/q = 1 - M_0/(q M_1) in float64; NaN where a moment is not known or M_1 = 0."""
    q = np.asarray(q, dtype=float)
    zeroth, first = square_means(phi, 0)(q), square_means(phi, 1)(q)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(first > 0, 1 - zeroth / (q * first), np.nan)


@lru_cache(maxsize=64)
def _decide(phi: PiecewiseSmooth, name: str) -> EdgeExistence:
    q = grid()
    s = offset(phi, q)
    known = np.isfinite(s)
    if not known.any():
        if all(piece == 0 for piece in phi.derivative().pieces):
            raise InputError(f"activation {name!r} is constant between its breakpoints; take one with a slope")
        raise InputError(f"the second moments of activation {name!r} diverge; take one that grows less than exp(x^2)")
    q, s = q[known], s[known]
    best = int(np.argmax(s))
    if s[best] > NOISE:
        return _positive(phi, name, q, s)
    figure, place, certified = _highest(phi, q, s)
    powers = tuple(_power(q[::step], (s * q)[::step], s[::step]) for step in (1, -1))
    told = None not in powers
    low, high = map(_said, powers)
    most = f"at most {figure:.4g} q" if figure else "beside q smaller than float64 sees"
    why = (
        f"activation {name!r} has no Edge of Chaos: sigma_b^2 = q - M_0(q)/M_1(q) is negative for every q > 0 ({most} "
        f"for q from {q[0]:.0e} to {q[-1]:.0e}, and its size goes like {low} for q -> 0 and "
        f"{high} for q -> oo)"
    )
    if not told:
        why = f"no Edge of Chaos of activation {name!r} was found, but the ends q -> 0 and q -> oo are not decided"
    return EdgeExistence(False, figure, place, certified, (), None, None, powers if told else None, why)


def _highest(phi: PiecewiseSmooth, q: np.ndarray, s: np.ndarray) -> tuple:
    """The largest s/q, its place, and the same in mpmath where float64 does not even know the sign."""
    best = int(np.argmax(s))
    if s[best] > -NOISE:
        with suppress(PrecisionError):
            certified, place = max((_certified(phi, float(place))[0], float(place)) for place in q[[0, best, -1]])
            return float(certified), place, certified
    return min(float(s[best]), 0.0), float(q[best]), None  # a positive one here is rounding, not a sign


def _certified(phi: PiecewiseSmooth, place: float) -> tuple:
    """s(q)/q and M_1 at one place, in mpmath."""
    with mp.workdps(CHECKED):
        zeroth, first = square_moments(phi, 2, mp.mpf(place), CHECKED)
        return 1 - zeroth / (mp.mpf(place) * first), first


def _positive(phi: PiecewiseSmooth, name: str, q: np.ndarray, s: np.ndarray) -> EdgeExistence:
    clear = q[s > min(1e-3, float(s.max()) / 2)]
    place = float(f"{clear[np.argmin(np.abs(np.log(clear)))]:.4g}")  # as near to 1 as there is: mpmath is fast there
    certified, slope = _certified(phi, place)
    changes = tuple(zeros(lambda places: offset(phi, places)))
    inside = np.sort(np.concatenate([q[s > NOISE], changes]))
    bias = _extremes(lambda places: np.maximum(offset(phi, places), 0) * places, inside, set(changes))
    weight = _extremes(lambda places: 1 / np.sqrt(square_means(phi, 1)(places)), inside, set(changes))
    where = f"changes sign at q = {', '.join(f'{c:.8g}' for c in changes)} and is" if changes else "is"
    why = (
        f"activation {name!r} has an Edge of Chaos: sigma_b^2 = q - M_0(q)/M_1(q) {where} positive at q = {place:.6g}, "
        f"with sigma_b = {np.sqrt(float(certified) * place):.6g} and sigma_w = {1 / np.sqrt(float(slope)):.6g}"
    )
    return EdgeExistence(
        bool(certified > 0), float(s.max()), float(q[np.argmax(s)]), certified, changes, bias, weight, None, why
    )


def _extremes(of: Callable, q: np.ndarray, closed: set[float]) -> tuple[float, float]:
    """The least and largest value of `of` over the q given; `closed`: those at which the domain ends.

    An extreme at the last q looked at is 0 or oo where the values still follow a power of q there.

    >>> low, high = _extremes(lambda q: 1 / (1 + (q - 3) ** 2), np.geomspace(0.1, 2e4, 30), set())
    >>> low, round(high, 9)
    (0.0, 1.0)
    """
    values = of(q)
    found = []
    for sign, unbounded in ((1, 0.0), (-1, np.inf)):
        k = int(np.argmin(sign * values))
        if k in (0, len(q) - 1) and q[k] not in closed:
            beside = int(np.argmin(np.abs(np.abs(np.log(q / q[k])) - np.log(10))))
            steady = abs(np.log(max(values[k], TINY) / max(values[beside], TINY))) < STEADY
            found.append(float(values[k]) if steady else unbounded)
        elif q[k] in closed:
            found.append(float(values[k]))
        else:
            ends = np.log(q[[k - 1, k + 1]])
            near = scipy.optimize.minimize_scalar(
                lambda log, sign=sign: sign * of(np.exp([log]))[0], bounds=ends, method="bounded"
            )
            found.append(float(sign * min(near.fun, sign * values[k])))
    return found[0], found[1]


def _power(q: np.ndarray, size: np.ndarray, relative: np.ndarray) -> float | None:
    """p with |s| ~ q^p at the end where the arrays begin; None when three decades do not agree on it."""
    told = np.abs(relative) > TOLD
    logs, values = np.log(q[told]), np.log(np.abs(size[told]))
    ends = [np.argmin(np.abs(np.abs(logs - logs[0]) - decades * np.log(10))) for decades in (0, 1.5, 3)]
    first, second = ((values[b] - values[a]) / (logs[b] - logs[a]) for a, b in pairwise(ends))
    return float(first) if abs(first - second) < STEADY else None


def _said(power: float | None) -> str:
    if power is None:
        return "no power"
    return "a constant" if abs(power) < STEADY else f"q^{power:.3g}"


# ---- its points ----------------------------------------------------------------------------------------


SPARE, SLOPE_DIGITS, SHOWN = 4, 15, 10


@dataclass(frozen=True)
class CriticalPoint:
    """A point of the Edge of Chaos: standard deviations and the variance fixed point, as mpmath numbers.

    `exact_sigma_b`, `exact_sigma_w` and `exact_q` are the same as SymPy numbers, exact or constants that know any
    number of their digits.  `q` and `exact_q` are None when every variance is a fixed point (ReLU-like activations
    without bias).  `variance` is the fixed point with its slope V'(q) and its stability in a word; `stability` tells what
    becomes of inputs with another q^1.

    >>> print(edge_of_chaos("gelu", sigma_b="1/5").stability)
    unstable: V'(q) = 1.0950406 > 1, so q^1 = q alone has these laws; a larger q^1 grows without bound, a smaller one tends to 0.15189376
    """  # noqa: E501

    sigma_b: object
    sigma_w: object
    q: object
    exact_sigma_b: Expr
    exact_sigma_w: Expr
    exact_q: Expr | None
    variance: FixedVariance | None
    activation: Activation = field(repr=False, compare=False)

    def __repr__(self) -> str:
        return one_line("CriticalPoint", ", ".join(f"{name} = {value}" for name, value in self._shown()))

    def _repr_html_(self) -> str:
        rows = [(formula(LETTERS[name]), value) for name, value in self._shown()]
        return html_table([*rows, ("variance", str(self.stability))], title=f"{self.activation.name}, Edge of Chaos")

    def _shown(self) -> list[tuple[str, str]]:
        found = [("sigma_b", self.sigma_b), ("sigma_w", self.sigma_w), ("q", self.q)]
        known = [(name, value) for name, value in found if value is not None]
        return [(name, str(v) if isinstance(v, Expr) else mp.nstr(v, SHOWN)) for name, v in known]

    @property
    def stability(self) -> Stability:
        """What becomes of an input whose variance is not q."""
        if self.exact_q is None:
            return neutral(Integer(1))
        return stability_at(VarianceMap(self.activation, self.exact_sigma_w**2, self.exact_sigma_b**2), self.exact_q)


class CriticalPoints(np.ndarray):
    """An array of points; its `sigma_w`, `q` and so on are arrays of what the points have by these names."""

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in (*CriticalPoint.__annotations__, "stability"):
            raise AttributeError(f"an array of points of the Edge of Chaos has no attribute {name!r}")
        return np.array([getattr(point, name) for point in self.flat]).reshape(self.shape)


def edge_of_chaos(phi: str | Expr | Activation, sigma_b=None, sigma_w=None, digits: int | None = 30) -> Any:
    """The `CriticalPoint` with the smallest q for a given sigma_b (default 0) or a given sigma_w.

    Parameters, errors: those of `critical_points`; digits=None: float64.  An array of sigma_b or sigma_w gives an array
    of points, whose `sigma_b`, `sigma_w` and `q` are arrays of numbers.

    Examples
    --------
    >>> print(edge_of_chaos("relu").sigma_w)
    1.41421356237309504880168872421
    >>> edge_of_chaos("exp(x)", sigma_b=[0.5, 1], digits=None).q
    array([1.25, 2.  ])
    """
    phi = activation(phi)

    def point(digits: int, **given) -> CriticalPoint:
        found = critical_points(phi, digits=digits, most=1, **given)[0]
        numbers = {name: getattr(found, name) for name in ("sigma_b", "sigma_w", "q") if in_floats}
        return replace(found, **{name: float(v) for name, v in numbers.items() if isinstance(v, mp.mpf)})

    in_floats = digits is None
    found = broadcast(point, FLOAT_DIGITS if in_floats else digits, sigma_b=sigma_b, sigma_w=sigma_w)
    return found.view(CriticalPoints) if isinstance(found, np.ndarray) else found


def critical_points(
    phi: str | Expr | Activation, sigma_b=None, sigma_w=None, digits: int = 30, most: int | None = None
) -> list[CriticalPoint]:
    """Every critical point for a given sigma_b or sigma_w, in order of q, to `digits` digits; at most `most` of them.

    Parameters
    ----------
    phi : an activation, as `asympt.activation` takes it.
    sigma_b, sigma_w : the standard deviation that is given, one of the two; neither: sigma_b = 0.
    digits : of the numbers; `exact_sigma_w` and the like know any number of theirs.
    most : how many points are wanted, those with the smallest q; left out: all.

    Raises
    ------
    InputError : a value outside its range.
    UnsupportedError : there is no such point, with the computed reason.

    Examples
    --------
    >>> print(*(p.q for p in critical_points("exp(x)", sigma_b="1/2")))
    1.25
    """
    phi, digits = activation(phi), check_digits(digits)
    if sigma_b is not None and sigma_w is not None:
        raise InputError("both sigma_b and sigma_w are given, and the Edge of Chaos leaves one of them; give one")
    bias = weight = None
    if sigma_w is None:
        bias = not_negative(0 if sigma_b is None else sigma_b, "sigma_b", "the standard deviation of the biases")
    else:
        weight = positive(sigma_w, "sigma_w", "the standard deviation of the weights")
    if phi.is_relu_like:
        return [_of_relu_like(phi, bias, weight, digits, sigma_b)]
    for name, value in (("sigma_b", bias), ("sigma_w", weight)):
        if value is not None and value.free_symbols:
            raise UnsupportedError(f"{name} = {value} contains symbols; give a number")
    if jumps(phi.piecewise):
        raise UnsupportedError(edge_exists(phi).explanation)
    points = _at_zero(phi, bias, weight, digits)
    found = _solutions(phi.piecewise, bias, weight)[: None if most is None else max(0, most - len(points))]
    points += [root.point(phi, digits) for root in found]
    if not points:
        raise UnsupportedError(_none(phi, bias, weight))
    return points[:most]


# ---- ReLU-like ------------------------------------------------------------------------------------


def _of_relu_like(phi: Activation, bias: Expr | None, weight: Expr | None, digits: int, given) -> CriticalPoint:
    """sigma_w = 1/sqrt(E phi'^2) and sigma_b = 0, where every variance is a fixed point."""
    sigma_w = sqrt(1 / phi.second_moment)
    if bias is not None and bias != 0:
        raise UnsupportedError(
            f"activation {phi.name!r} has no Edge of Chaos with sigma_b = {given} (chi = 1 makes its variance grow "
            "by sigma_b^2 a layer); take sigma_b = 0"
        )
    if weight is not None and simplify(weight - sigma_w) != 0:
        raise UnsupportedError(
            f"activation {phi.name!r} has no Edge of Chaos with sigma_w = {short(weight)}; its only point is sigma_w = "
            f"{sigma_w}, sigma_b = 0"
        )
    with mp.workdps(digits + 5):
        value = to_mpf(sigma_w) if sigma_w.is_number else sigma_w
    every = FixedVariance(None, mp.one, "marginal", False, None)
    return CriticalPoint(mp.zero, printing(value, digits), None, Integer(0), sigma_w, None, every, phi)


# ---- any other ------------------------------------------------------------------------------------


def _at_zero(phi: Activation, bias: Expr | None, weight: Expr | None, digits: int) -> list[CriticalPoint]:
    """The point q = 0, sigma_b = 0, if phi(0) = 0 and the slope at 0 is neither 0 nor infinite."""
    if not vanishes_at_zero(phi.piecewise) or (bias is not None and bias != 0):
        return []
    slope = slope_at_zero(phi.piecewise)
    if slope == 0 or not slope.is_finite:
        return []
    sigma_w = sqrt(1 / slope)
    if weight is not None and simplify(weight - sigma_w) != 0:
        return []
    variance = VarianceMap(phi, sigma_w**2, Integer(0)).at_zero()[0]
    with mp.workdps(digits + 5):
        shown = printing(to_mpf(sigma_w), digits)
        return [CriticalPoint(mp.zero, shown, mp.zero, Integer(0), sigma_w, Integer(0), variance, phi)]


@dataclass(frozen=True)
class _EdgeSolution:
    """One solution: the zero in q, its place among them, and the standard deviation given (the other is None)."""

    phi: PiecewiseSmooth
    zero: Zero
    index: int
    bias: Expr | None
    weight: Expr | None

    def point(self, phi: Activation, digits: int) -> CriticalPoint:
        """Everything to `digits` digits."""
        with mp.workdps(digits + SPARE):
            q, bias, weight = self._numbers(digits + SPARE)
            slope = weight**2 * square_slope(self.phi, q, SLOPE_DIGITS)
        constant = self._constant("q", "q", 0)
        exact_bias = self._constant("sigma_b", r"\sigma_b", 1) if self.bias is None else self.bias
        exact_weight = self._constant("sigma_w", r"\sigma_w", 2) if self.weight is None else self.weight
        variance = VarianceMap(phi, exact_weight**2, exact_bias**2).point(q, slope, constant)
        shown = printing((bias, weight, q), digits)
        return CriticalPoint(*shown, exact_bias, exact_weight, constant, variance, phi)

    def _numbers(self, digits: int) -> tuple:
        q = self.zero.to_digits(digits)
        bias = to_mpf(self.bias) if self.bias is not None else mp.sqrt(_offset(self.phi, q, digits))
        weight = to_mpf(self.weight) if self.weight is not None else 1 / mp.sqrt(moments_at(self.phi, 2, q, digits)[1])
        return q, bias, weight

    def _constant(self, name: str, latex: str, which: int) -> RealConstant:
        given, value = ("sigma_b", self.bias) if self.weight is None else ("sigma_w", self.weight)
        key = (name, "on the Edge of Chaos, solution", self.index, given, value, self.phi)
        return RealConstant(name, lambda: self._numbers(mp.dps)[which], key, latex, solved=True)


@lru_cache(maxsize=64)
def _solutions(phi: PiecewiseSmooth, bias: Expr | None, weight: Expr | None) -> tuple[_EdgeSolution, ...]:
    residual, guesses = _given_bias(phi, bias) if weight is None else _given_weight(phi, weight)
    return tuple(_EdgeSolution(phi, Zero(residual, q), index, bias, weight) for index, q in enumerate(guesses))


def _given_bias(phi: PiecewiseSmooth, bias: Expr) -> tuple[Callable, list[float]]:
    """(s(q) - sigma_b^2)/q and its zeros."""

    def residual(q, digits: int):
        return (_offset(phi, q, digits) - to_mpf(bias) ** 2) / q

    square = float(bias) ** 2
    return residual, zeros(lambda q: offset(phi, q) - square / q)


def _given_weight(phi: PiecewiseSmooth, weight: Expr) -> tuple[Callable, list[float]]:
    """sigma_w^2 M_1(q) - 1 and its zeros at which s(q) > 0."""

    def residual(q, digits: int):
        return to_mpf(weight) ** 2 * moments_at(phi, 2, q, digits)[1] - 1

    means, square = square_means(phi, 1), float(weight) ** 2
    return residual, [q for q in zeros(lambda q: square * means(q) - 1) if offset(phi, [q])[0] > 0]


def _offset(phi: PiecewiseSmooth, q, digits: int):
    """s(q) = q - M_0/M_1."""
    zeroth, first = moments_at(phi, 2, q, digits)
    return q - zeroth / first


def _none(phi: Activation, bias: Expr | None, weight: Expr | None) -> str:
    answer = edge_exists(phi)
    if not answer.exists:
        return answer.explanation
    low, high = answer.bias_range
    if weight is None and low < bias**2 < high:
        return (
            f"no Edge of Chaos of activation {phi.name!r} with sigma_b = {short(bias)} was found: its variance is "
            f"not between {LOWEST:.0e} and {HIGHEST:.0e}; give a sigma_b nearer to 1"
        )
    if weight is None:
        return (
            f"activation {phi.name!r} has no Edge of Chaos with sigma_b = {short(bias)}: on it sigma_b^2 = q - M_0/M_1 "
            f"lies strictly between {low:.6g} and {_end(high)} for the q searched; choose sigma_b^2 in that range"
        )
    low, high = answer.weight_range
    return (
        f"activation {phi.name!r} has no Edge of Chaos with sigma_w = {short(weight)}: on it sigma_w lies between "
        f"{low:.6g} and {_end(high)} for the q searched; choose sigma_w in that range"
    )


def _end(value: float) -> str:
    return "oo" if value == float("inf") else f"{value:.6g}"


# ---- phases ---------------------------------------------------------------------------------------------
#
#     chi < 1   ordered           c -> 1 like chi^l
#     chi = 1   edge of chaos     c -> 1 like a power of l
#     chi > 1   chaotic           c -> c* < 1 like f'(c*)^l
#
# chi = sigma_w^2 E[phi'(sqrt(q) Z)^2] = f'(1) at the stable fixed point q of the variance (oo where phi jumps).


DECIDED, MARGIN = 30, 6  # digits in which chi is compared with 1, and more that it is computed to


def phase_of(layer: Layer) -> str:
    """'ordered', 'edge of chaos' or 'chaotic'; an error when the variance has no stable fixed point.

    ReLU-like activations without a fixed point of the variance keep the phase of their correlation while chi is not 1.
    """
    if layer.activation.is_relu_like:
        return _phase_of_relu_like(layer)
    if layer.critical:
        return "edge of chaos"
    variance, given, digits = layer.variance_map, layer.variance, DECIDED + MARGIN
    with mp.workdps(digits):
        chi = variance.chi(variance.stable(digits).q if given is None else to_mpf(given), DECIDED)
    if abs(chi - 1) < mp.mpf(10) ** (MARGIN - DECIDED):
        return "edge of chaos"
    return "ordered" if chi < 1 else "chaotic"


def _phase_of_relu_like(layer: Layer) -> str:
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
    reflected = phi.expression.subs(phi.symbol, -phi.symbol)
    return vanishes_at_zero(phi.piecewise) and (phi.expression + reflected).equals(0)
