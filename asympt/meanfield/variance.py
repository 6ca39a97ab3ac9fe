"""The variance map V(q) = sigma_b^2 + sigma_w^2 E[phi(sqrt(q) Z)^2] and its fixed points, for every activation.

V(q)/q - 1 is scanned for q in [10^-40, 10^40] (`roots`) and every zero is certified in mpmath; q = 0
is a fixed point when sigma_b = 0 and phi(0) = 0.  Its stability is that of

    V'(q) = sigma_w^2 E[phi(x)^2 (x^2/q - 1)]/(2q),   x = sqrt(q) Z      (Stein; no derivative of phi, jumps allowed)
    V'(0) = sigma_w^2 (phi'(0+)^2 + phi'(0-)^2)/2.

Without any fixed point V(q) > q everywhere, and the variance grows without bound.
"""

from dataclasses import dataclass
from functools import lru_cache

import mpmath
import numpy as np
from mpmath import mp
from sympy import Expr, Integer, Symbol, latex, oo, simplify

from asympt.arrays import broadcast
from asympt.errors import InputError, UnsupportedError
from asympt.expansions.opaque import RealConstant, in_digits
from asympt.gaussian.closed.moments import exact_square_moment, moments_at, named_moment
from asympt.gaussian.moments import moment
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.roots import NOISE, Zero, grid, square_means, zeros
from asympt.numbers import check_digits, exact, not_negative, positive, symbol_names, to_mpf
from asympt.showing import one_line

GUARD, SPARE = 10, 4
LONGEST = 12  # operations in a formula that is carried along; a longer one is kept beside a named constant


@dataclass(frozen=True)
class FixedVariance:
    """q = V(q): `q` and `slope` = V'(q) as mpmath numbers, `exact` q as a SymPy number.

    `stability` is 'stable' (|V'| < 1), 'unstable' (|V'| > 1) or 'marginal' (V' = 1); `attracts` says whether
    neighbouring variances tend to q, which for a marginal one is decided by the sign of V(q) - q beside it.
    `q` and `exact` are None where every variance is a fixed point.
    """

    q: object
    slope: object
    stability: str
    attracts: bool
    exact: Expr | None


@dataclass(frozen=True)
class VarianceMap:
    """The variance map V for sigma_w^2 > 0 and sigma_b^2 >= 0, exact numbers; raises `InputError` for others.

    Source: HDR Section 2 (after Poole et al. 2016, Schoenholz et al. 2017).

    >>> from asympt.meanfield.activations import activation
    >>> [(point.exact, point.stability) for point in VarianceMap(activation("relu"), 1, 3).fixed_points()]
    [(6, 'stable')]
    """

    phi: Activation
    sigma_w2: Expr
    sigma_b2: Expr

    def __post_init__(self):
        object.__setattr__(self, "phi", activation(self.phi))
        weight = positive(self.sigma_w2, "sigma_w^2", "the variance of the weights")
        bias = not_negative(self.sigma_b2, "sigma_b^2", "the variance of the biases")
        for value, name in ((weight, "sigma_w^2"), (bias, "sigma_b^2")):
            if value.free_symbols:
                raise UnsupportedError(f"{name} = {value} contains {symbol_names(value.free_symbols)}; give a number")
        object.__setattr__(self, "sigma_w2", weight)
        object.__setattr__(self, "sigma_b2", bias)

    def __repr__(self) -> str:
        given = f"sigma_w^2 = {in_digits(self.sigma_w2)}, sigma_b^2 = {in_digits(self.sigma_b2)}"
        return one_line("VarianceMap", f"{self.phi.name!r}, {given}")

    def _repr_latex_(self) -> str:
        inside = latex(self.phi.expression.subs(self.phi.symbol, Symbol(r"\sqrt{q} Z")))
        weight, bias = latex(self.sigma_w2), latex(self.sigma_b2)
        return rf"$\displaystyle V(q) = {bias} + {weight} \operatorname{{E}}\left[\left({inside}\right)^2\right]$"

    def __call__(self, q, digits: int = 30):
        """V(q) for q > 0; of arrays, and with digits=None, as `CorrelationMap` has it."""

        def image(digits: int, q):
            with mp.workdps(digits + GUARD):
                return self._image(_number(q), digits + GUARD)

        return broadcast(image, digits, q=q)

    def slope(self, q, digits: int = 30):
        """V'(q) for q >= 0; q = 0 must be a fixed point."""
        return broadcast(self._slope, digits, q=q)

    def _slope(self, q, digits: int):
        with mp.workdps(digits + GUARD):
            if _number(q) == 0:
                return to_mpf(self.sigma_w2 * slope_at_zero(self.phi.piecewise))
            return to_mpf(self.sigma_w2) * square_slope(self.phi.piecewise, _number(q), digits)

    def chi(self, q, digits: int = 30):
        """chi(q) = sigma_w^2 E[phi'(sqrt(q) Z)^2] for q >= 0, f'(1) at a fixed point; infinite when phi jumps."""
        return broadcast(self._chi, digits, q=q)

    def _chi(self, q, digits: int):
        phi = self.phi.piecewise
        if jumps(phi):
            return mp.inf
        with mp.workdps(digits + GUARD):
            if _number(q) == 0:
                return to_mpf(self.sigma_w2 * slope_at_zero(phi))
            return to_mpf(self.sigma_w2) * moments_at(phi, 2, _number(q), digits + GUARD)[1]

    def growth(self, q: np.ndarray) -> np.ndarray:
        """V(q)/q - 1 in float64 for an array of q; NaN where the second moment is not known."""
        return self.images(q) / q - 1

    def images(self, q: np.ndarray) -> np.ndarray:
        """V(q) in float64 for an array of q; NaN where the second moment is not known."""
        return float(self.sigma_b2) + float(self.sigma_w2) * square_means(self.phi.piecewise, 0)(q)

    def fixed_points(self, digits: int = 30) -> list[FixedVariance]:
        """All fixed points in increasing order, to `digits` digits; an empty list when there is none."""
        check_digits(digits)
        if self.phi.is_relu_like:
            return self._of_relu_like(digits)
        guesses = zeros(self.growth)
        return self.at_zero() + [self._settled(index, guess, digits) for index, guess in enumerate(guesses)]

    def stable(self, digits: int = 30) -> FixedVariance:
        """The smallest attracting fixed point; `UnsupportedError` says what the variance does when there is none."""
        points = self.fixed_points(digits)
        for point in points:
            if point.attracts:
                return point
        every = [point for point in points if point.q is None]
        if every:
            return every[0]
        raise UnsupportedError(self._without_limit(points))

    def _image(self, q, digits: int):
        return to_mpf(self.sigma_b2) + to_mpf(self.sigma_w2) * moments_at(self.phi.piecewise, 1, q, digits)[0]

    def _settled(self, index: int, guess: float, digits: int) -> FixedVariance:
        zero = Zero(lambda q, precision: self._image(q, precision) / q - 1, guess)
        q = zero.to_digits(digits + SPARE)
        key = ("fixed point of V", index, self.phi.piecewise, self.sigma_w2, self.sigma_b2)
        constant = RealConstant("q", lambda: zero.to_digits(mp.dps), key, "q", solved=True)
        return self.point(q, self.slope(q, digits), constant)

    def at_zero(self) -> list[FixedVariance]:
        """The fixed point q = 0, if V(0) = 0."""
        if self.sigma_b2 != 0 or not vanishes_at_zero(self.phi.piecewise):
            return []
        slope = simplify(self.sigma_w2 * slope_at_zero(self.phi.piecewise))
        return [self.point(mp.zero, mp.inf if not slope.is_finite else to_mpf(slope), Integer(0))]

    def point(self, q, slope, constant: Expr | None) -> FixedVariance:
        """The fixed point q with the slope V'(q) and the name `constant`."""
        margin = abs(slope) - 1
        if abs(margin) > mp.mpf(10) ** -12:
            stability = "stable" if margin < 0 else "unstable"
            return FixedVariance(q, slope, stability, margin < 0, constant)
        return FixedVariance(q, slope, "marginal", self._draws(q), constant)

    def _draws(self, q) -> bool:
        """Whether V(q) - q has the signs of an attracting point next to a marginal one."""
        near = grid()[grid() > float(q)]
        values = self.growth(near)
        told = values[np.isfinite(values) & (np.abs(values) > NOISE)]
        return bool(told.size and told[0] < 0)

    def _of_relu_like(self, digits: int) -> list[FixedVariance]:
        gain = simplify(self.sigma_w2 * self.phi.second_moment)
        if gain.free_symbols:
            raise UnsupportedError(f"the slope {gain} of the variance map contains symbols; give numbers")
        with mp.workdps(digits + GUARD):
            slope = to_mpf(gain)
            if self.sigma_b2 == 0:
                return [FixedVariance(None, slope, "marginal", False, None)] if gain == 1 else [
                    self.point(mp.zero, slope, Integer(0))
                ]
            if gain >= 1:
                return []
            q = simplify(self.sigma_b2 / (1 - gain))
            return [self.point(to_mpf(q), slope, q)]

    def _without_limit(self, points: list[FixedVariance]) -> str:
        q = grid()
        growth = self.growth(q)
        known = np.isfinite(growth)
        if not known.any():
            return f"activation {self.phi.name!r} has no finite second moment, so no variance; take one that grows less"
        last = f"V(q)/q = {growth[known][-1] + 1:.6g} at q = {q[known][-1]:.3g}"
        settings = f"sigma_w^2 = {short(self.sigma_w2)} and sigma_b^2 = {short(self.sigma_b2)}"
        if points:
            found = ", ".join(mp.nstr(point.q, 6) for point in points)
            return f"with {settings} the variance of {self.phi.name!r} has no stable fixed point, only q = {found}"
        return (
            f"with {settings} the variance of {self.phi.name!r} grows without bound: V(q) > q for every q ({last}); "
            "take a smaller sigma_w"
        )


def slope_moment(phi: Activation, q: Expr) -> Expr:
    """M_1(q) = E[phi'(sqrt(q) Z)^2]: oo where phi jumps, a formula if a short one is known, else a named constant."""
    piecewise = phi.piecewise
    if jumps(piecewise):
        return oo
    if q == 0:
        return slope_at_zero(piecewise)
    formula = exact_square_moment(piecewise, 1, q)
    if formula is not None and formula.count_ops() <= LONGEST:
        return formula
    return named_moment(piecewise, 1, q, formula)


def square_slope(phi: PiecewiseSmooth, q, digits: int):
    """d/dq E[phi(sqrt(q) Z)^2] = E[phi(x)^2 (x^2 - q)]/(2 q^2), to about `digits` digits."""
    with mp.workdps(digits + SPARE):
        return _square_slope(phi, +mpmath.mpf(q), digits)  # rounded: q is the same whoever knows more of its digits


@lru_cache(maxsize=64)
def _square_slope(phi: PiecewiseSmooth, q, digits: int):
    x = phi.symbol
    weighted = PiecewiseSmooth(x, phi.breaks, tuple(x**2 * piece**2 for piece in phi.pieces))
    extra = 0
    while True:
        with mp.workdps(digits + extra + GUARD):
            first, second = moment(weighted, q, digits + extra) / q, moments_at(phi, 1, q, digits + extra)[0]
            lost = int(-mp.log10(abs(first - second) / abs(second))) if first != second else digits
            if lost <= extra or extra >= digits:
                return (first - second) / (2 * q)
        extra = lost + GUARD


def vanishes_at_zero(phi: PiecewiseSmooth) -> bool:
    """Whether phi(0+) = phi(0-) = 0, so that V(0) = sigma_b^2."""
    return all(simplify(phi.at_zero(side, 1)[0]) == 0 for side in (-1, 1))


def slope_at_zero(phi: PiecewiseSmooth) -> Expr:
    """(phi'(0+)^2 + phi'(0-)^2)/2: the limit of E[phi(sqrt(q) Z)^2]/q (if phi(0) = 0) and of M_1(q) for q -> 0."""
    right, left = (phi.at_zero(side, 2)[1] for side in (1, -1))
    return simplify((right**2 + left**2) / 2)


@lru_cache(maxsize=256)
def jumps(phi: PiecewiseSmooth) -> bool:
    """Whether phi itself jumps somewhere."""
    return any(jump != 0 for jump in phi.jumps(0))


def short(value: Expr) -> str:
    """A number in a sentence: exact when short, else to 10 digits."""
    text = str(value)
    return text if len(text) <= 20 and not value.has(RealConstant) else str(value.evalf(10))


def _number(q):
    value = q if isinstance(q, mpmath.mpf) else to_mpf(exact(q, "q"))
    if not value >= 0:
        raise InputError(f"q = {mp.nstr(value, 8)} is negative; give q >= 0")
    return value
