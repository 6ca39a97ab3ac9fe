"""A map at its fixed point as the solvers want it: coefficients of x'/x, of the NTK's lambda and of its forcing.

Problem.  The derivation needs few coefficients, exact or named; the evaluation at 30 digits needs dozens, as numbers.

Rule.  In the uniformiser u of the distance x = u^root from the fixed point, the branch is g = sum_k g_k u^k and
c = c* - x.  With the weight w of the branch (`meanfield.normal_form`) f = (1 - w) c + w g,

    x'/x = -sum_k f_(k+root) u^k,    f' = -df/dx = -sum_k (k/root) f_k u^(k-root),    w o = w (own - own_lost (1 - g)).

    at c = 1, gamma = 1 - c   a power series in gamma where phi is smooth: g_k = (-1)^k g^(k)(1)/k!, root 1; otherwise a
                              Puiseux series, root 2: g_k = e_k.  Both from the Price expansion (`gaussian.price`)
    at c* < 1                 g_k = (-1)^k g^(k)(c*)/k!; inside (-1, 1) g is analytic whatever phi is
    the variance at q = 0     V = sigma_w^2 sum_k (s_k^+ + s_k^-)/2 E|Z|^k q^(k/2), s_k^+- the coefficients of phi^2 on
                              either side of 0; breakpoints elsewhere contribute exp(-const/q), beyond all orders
    the variance at q* > 0    V_k = V^(k)(q*)/k!

A coefficient that vanishes is 0, one that is simple stays as it is; every other one is a constant with a name, which
computes its digits when they are needed.

Tiny case.  phi = erf: gamma'/gamma = 1 - g''(1)/2 gamma + ...;  tanh, sigma_w = 1: V = q - 2 q^2 + ...

Known limits.  phi must be continuous at c = 1: where it jumps, g' is infinite.  Whether a derivative at c* vanishes is
decided by `DIGITS` digits.  At q = 0 phi must be a power series on either side of 0.
"""

from functools import cached_property, lru_cache

import mpmath
from mpmath import mp
from sympy import Expr, Integer, Rational, factorial, gamma, pi, sqrt

from asympt.architectures.named_constants import Coefficient, PositiveCoefficient, key_of, named
from asympt.errors import UnsupportedError
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.opaque import RealConstant
from asympt.expansions.series import product
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.price.expansion import price_numbers
from asympt.meanfield.layer import Layer
from asympt.meanfield.normal_form import NormalForm
from asympt.numbers import to_mpf
from asympt.precise import VarianceDerivatives
from asympt.recursions.coordinates.abel_numeric import AHEAD

DIGITS = 40  # by which a number that vanishes is told
WORKING = 60  # digits at which all constants are computed first: whoever decides signs asks for as many
STEP = 10  # digits are rounded up to a multiple of this, so that slightly different requests share a list
SPARE = 3
CHECKED = 12  # derivatives for which that is looked at


class MapSeries:
    """The coefficients of one layer, from those of its branch."""

    root = 1
    fixed_gap: Expr = Integer(0)  # 1 - c*

    def __init__(self, form: NormalForm, layer: Layer):
        self.form, self.layer, self._found = form, layer, {}

    # ---- what the solvers ask for ---------------------------------------------------------------

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of x'/x in u."""
        return [-c for c in self._layer(count + self.root)[self.root :]]

    def slope(self, count: int) -> list[Expr]:
        """The first `count` coefficients of f' in u."""
        found = self._layer(count + self.root)
        return [-Rational(k, self.root) * found[k] for k in range(self.root, count + self.root)]

    def forcing(self, count: int) -> list[Expr]:
        """The first `count` coefficients of w o in u."""
        branch_share, lost = self.form.branch_share, self.form.own_lost
        found = [branch_share * lost * c for c in self.branch(count)]
        found[0] += branch_share * (self.form.own - lost)
        return found

    def _layer(self, count: int) -> list[Expr]:
        branch_share, found = self.form.branch_share, self.branch(count)
        if branch_share == 1:
            return found
        plain = {0: 1 - self.fixed_gap, self.root: Integer(-1)}  # c
        return [branch_share * g + (1 - branch_share) * plain.get(k, 0) for k, g in enumerate(found)]

    # ---- one coefficient of the branch ------------------------------------------------------------

    def branch(self, count: int) -> list[Expr]:
        """The first `count` coefficients of g in u."""
        self._prepare(count)
        for k in range(count):
            if k not in self._found:
                self._found[k] = self._fresh(k)
        return [self._found[k] for k in range(count)]

    def _prepare(self, count: int) -> None:
        """So many coefficients will be asked for."""

    def _fresh(self, k: int) -> Expr:
        raise NotImplementedError

    @cached_property
    def _key(self) -> tuple:
        return key_of(self.layer)


class EdgeNumbers:
    """e_k of one layer in f = sum e_k t^k, t = sqrt(1 - c), f = (sigma_b^2 + sigma_w^2 F)/q, to mpmath's precision.

    A list is computed once for an order and a number of digits; whoever asks for fewer digits is served from a list
    with more, if there is one.
    """

    def __init__(self, layer: Layer):
        self.layer, self.reach = layer, 0

    def __call__(self, power: int):
        """e_k for k = `power`; `reach` says up to which power will be asked for."""
        digits = STEP * -(-(mp.dps + SPARE) // STEP)
        return +_numbers(self.layer, max(self.reach, power), digits)[power]


@lru_cache(maxsize=64)
def _numbers(layer: Layer, order: int, digits: int) -> list:
    found = price_numbers(layer.activation.piecewise, layer.fixed_variance, order, digits)
    with mp.workdps(digits):
        unit = to_mpf(layer.weight_variance) / to_mpf(layer.fixed_variance)
        return [unit * value if k else mp.one for k, value in enumerate(found)]


class SeriesAtOne(MapSeries):
    """g at c = 1; `known` is how many powers of u are read off exactly."""

    def __init__(self, form: NormalForm, layer: Layer, known: int):
        super().__init__(form, layer)
        self.known, self.root, self.numbers = known, root_of(layer), EdgeNumbers(layer)

    @property
    def _stride(self) -> int:
        """The power of t = sqrt(gamma) in u."""
        return 2 // self.root

    def _prepare(self, count: int) -> None:
        needed = count - AHEAD if count > 2 * AHEAD else count  # the last ones are fetched ahead and seldom evaluated
        self.numbers.reach = max(self.numbers.reach, needed * self._stride)

    def _fresh(self, k: int) -> Expr:
        power = k * self._stride
        if power < 2:
            return Integer(1 - power)
        if power == 2:
            return -named_chi(self.layer)
        if k > self.known:
            return Coefficient(f"e_{power}", lambda: self.numbers(power), ("f in t", power, self._key))
        value = self._expansion.get(power, Integer(0))
        return value if value == 0 else self._with_name(k, power, value)

    def _with_name(self, k: int, power: int, value: Expr) -> Expr:
        if self.root == 2:
            key, kind = ("e", k, self._key), PositiveCoefficient if k == self._leading else Coefficient
            return named(f"e_{k}", f"e_{{{k}}}", key, value, lambda: self.numbers(power), kind)
        sign, size = (-1) ** k, factorial(k)
        key = ("derivative of f at 1", k, self._key)
        digits = lambda: sign * int(size) * self.numbers(power)  # noqa: E731
        constant = named(f"f{k}", derivative_latex(k), key, sign * size * value, digits, PositiveCoefficient)
        return sign * constant / size

    @property
    def _leading(self) -> int:
        """The first power beyond t^2: e_3 > 0 is a sum of squares of jumps of phi', e_4 > 0 the moment of phi''."""
        return 3 if self.layer.activation.singular_order == 1 else 4

    @cached_property
    def _expansion(self) -> dict:
        return {int(m.order): c for m, c in self.form.branch.expansion(self.known * self._stride + 1).terms}


def named_chi(layer: Layer) -> Expr:
    """chi = g'(1), 1 on the Edge of Chaos, under its name when it is no simple number."""
    return named("chi", r"\chi", ("derivative of f at 1", 1, key_of(layer)), layer.chi, kind=PositiveCoefficient)


def root_of(layer: Layer) -> int:
    """1 when g is a power series in gamma, 2 when it has odd powers of t."""
    order = layer.activation.singular_order
    if order == 0:
        raise UnsupportedError(
            f"activation {layer.activation.name!r} jumps, so f' is infinite at c = 1 and the correlation leaves 1 like "
            "the square root of the gap: no law at c = 1"
        )
    return 1 if order is None else 2


def derivative_latex(n: int, at: str = "1", of: str = "f") -> str:
    """f''(1), f'''(1), f^{(4)}(1), ..."""
    return f"{of}{chr(39) * n}({at})" if n <= 3 else f"{of}^{{({n})}}({at})"


class SeriesInside(MapSeries):
    """g at c* < 1, in the distance y = (1 - c) - (1 - c*)."""

    @cached_property
    def fixed_gap(self) -> Expr:
        """1 - c*: 1 when c* = 0, else 1 minus the constant c_*."""
        branch = self.form.branch
        with mp.workdps(DIGITS):
            if abs(branch.gap(mpmath.mpf(1)) - 1) < mpmath.mpf(10) ** (10 - DIGITS):
                return Integer(1)
        return 1 - RealConstant("c_star", lambda: 1 - branch.fixed_gap(), ("c*", self._key), "c_{*}")

    def _fresh(self, k: int) -> Expr:
        return (-1) ** k * self.derivative(k) / factorial(k) if k else 1 - self.fixed_gap

    def derivative(self, n: int) -> Expr:
        """g^(n)(c*)."""
        if n <= CHECKED and self._vanishes(n):
            return Integer(0)
        name, latex = ("chi_star", r"\chi_{*}") if n == 1 else (f"f{n}_star", derivative_latex(n, "c_{*}"))
        return Coefficient(name, lambda: self._number(n), ("derivative of f at c*", n, self._key), latex)

    def _number(self, n: int):
        return self.form.branch.derivative(1 - self.fixed_gap, n, mp.dps)

    def _vanishes(self, n: int) -> bool:
        with mp.workdps(WORKING):
            return abs(self._number(n)) < mpmath.mpf(10) ** -DIGITS


# ---- the variance -----------------------------------------------------------------------------------


class VarianceAtZero:
    """V at q = 0."""

    def __init__(self, layer: Layer):
        self.phi, self.weight = layer.activation.piecewise, layer.weight_variance
        self._known: list[Expr] = []

    @cached_property
    def root(self) -> int:
        """1 when V is a power series in q, 2 when it has half-integer powers."""
        return 2 if any(c != 0 for c in self._in_root(12)[1::2]) else 1

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of V(q)/q in q^(1/root)."""
        return self._in_root(2 * count + 1)[2:: 2 // self.root][:count]

    def _in_root(self, count: int) -> list[Expr]:
        """Coefficients of V in sqrt(q)."""
        if len(self._known) < count:
            right, left = (_squared(piece, count) for piece in self._sides)
            halves = [(a + b) / 2 for a, b in zip(right, left, strict=True)]
            self._known = [self.weight * half * absolute_moment(k) for k, half in enumerate(halves)]
        return self._known[:count]

    @property
    def _sides(self) -> tuple[Expr, Expr]:
        """phi(y) and phi(-y) as formulas for y > 0."""
        phi: PiecewiseSmooth = self.phi
        index = sum(bool(point < 0) for point in phi.breaks)
        at_zero, x = 0 in phi.breaks, phi.symbol
        return phi.pieces[index + at_zero].subs(x, Y), phi.pieces[index].subs(x, -Y)


def _squared(formula: Expr, count: int) -> list[Expr]:
    """The coefficients of the square of a formula in y."""
    if formula == 0:
        return [Integer(0)] * count
    series = puiseux(formula, Y, count)
    plain = [Integer(0)] * series.valuation + list(series.coefficients)
    return [c.expand() for c in product(plain[:count], plain[:count], count)]


def absolute_moment(k: int) -> Expr:
    """E|Z|^k = 2^(k/2) Gamma((k + 1)/2)/sqrt(pi).

    >>> absolute_moment(4), absolute_moment(1)
    (3, sqrt(2)/sqrt(pi))
    """
    return (2 ** Rational(k, 2) * gamma(Rational(k + 1, 2)) / sqrt(pi)).expand()


class VarianceAtFixedPoint:
    """V at q* > 0, in y = q - q*."""

    root = 1

    def __init__(self, layer: Layer, q: Expr):
        self.q, self.key, self.numbers = q, key_of(layer), VarianceDerivatives(layer, q)

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of y'/y in y."""
        self.numbers.reach = max(self.numbers.reach, count)
        return [self._derivative(n) / factorial(n) for n in range(1, count + 1)]

    def _derivative(self, n: int) -> Expr:
        digits = lambda: int(factorial(n)) * self.numbers(n)  # noqa: E731
        return Coefficient(f"V{n}", digits, ("derivative of V", n, self.q, self.key), derivative_latex(n, "q", "V"))
