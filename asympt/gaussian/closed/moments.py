"""Gaussian moments as formulas in q, each compared with its digits before anybody sees it.

Read every piece as a sum of x^k exp(a x + b x^2) erf(c x + d) ..., a dictionary {(k, a, b, ((c, d), ...)): coefficient}
closed under products and derivatives (sin and cos are exponentials, erfc = 1 - erf), complete the square, take the
polynomial away by Stein's identity, and what is left are differences of erf, or an asin or atan (docs/bounds.md); two
error functions with shifts, or one on an interval, and tanh, 1/(1 + x), log, ... have no rule (`NoRule`).  A formula
that differs from the quadrature of `moments` is an error of this program.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise

import sympy
from mpmath import mp
from sympy import Add, Dummy, Expr, I, Integer, Mul, Symbol, asin, atan, degree, erf, erfc, exp, expand, pi, sqrt

from asympt.compiling import as_function
from asympt.errors import UnsupportedError
from asympt.expansions.opaque import RealConstant
from asympt.gaussian.moments import moment, square_moment, square_moments, variance_of
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.numbers import to_mpf
from asympt.symbols import Reserved

# ---- sums of x^k exp(a x + b x^2) erf(c x + d) ...: a class closed under products and derivatives ----------------


Key = tuple  # k, a, b, errors
Terms = dict[Key, Expr]
ONE: Key = (0, Integer(0), Integer(0), ())


class NoRule(Exception):
    """The formula is not of this kind, or no rule integrates it; nothing a user sees."""


def read(formula: Expr, x: Symbol) -> Terms:
    """The terms of a formula; raises `NoRule`.

    >>> x = Symbol("x")
    >>> read(x * (sympy.exp(x) - 1), x)
    {(1, 0, 0, ()): -1, (1, 1, 0, ()): 1}
    """
    if x not in formula.free_symbols:
        return {ONE: formula}
    if formula == x:
        return {(1, *ONE[1:]): Integer(1)}
    if isinstance(formula, Add):
        return merged(item for part in formula.args for item in read(part, x).items())
    if isinstance(formula, Mul):
        result: Terms = {ONE: Integer(1)}
        for part in formula.args:
            result = product(result, read(part, x))
        return result
    return _read_function(formula, x)


def _read_function(formula: Expr, x: Symbol) -> Terms:
    base, exponent = formula.as_base_exp()
    if isinstance(formula, sympy.Pow) and exponent.is_Integer and exponent > 0:
        return product(read(base ** (exponent - 1), x), read(base, x))
    if exponent.has(x) and not base.has(x):
        return _exponential(exponent * sympy.log(base), x)
    if len(formula.args) != 1:
        raise NoRule
    return _read_named(formula.func, formula.args[0], x)


def _read_named(name: type, u: Expr, x: Symbol) -> Terms:
    if name in (sympy.erf, sympy.erfc):
        error = {(0, Integer(0), Integer(0), (_linear(u, x),)): Integer(1)}
        return error if name is sympy.erf else merged([(ONE, Integer(1)), *scaled(error, Integer(-1)).items()])
    unit = {sympy.sin: I, sympy.cos: I, sympy.sinh: Integer(1), sympy.cosh: Integer(1)}.get(name)
    if unit is None:
        raise NoRule
    odd = name in (sympy.sin, sympy.sinh)
    up, down = _exponential(unit * u, x), _exponential(-unit * u, x)
    half = 1 / (2 * unit) if odd else Integer(1) / 2
    return merged([*scaled(up, half).items(), *scaled(down, -half if odd else half).items()])


def _exponential(u: Expr, x: Symbol) -> Terms:
    a0, a1, a2 = _polynomial(u, x, 2)
    return {(0, a1, a2, ()): sympy.exp(a0)}


def _linear(u: Expr, x: Symbol) -> tuple[Expr, Expr]:
    d, c = _polynomial(u, x, 1)
    return c, d


def _polynomial(u: Expr, x: Symbol, degree: int) -> list[Expr]:
    """The coefficients of a polynomial of at most this degree, lowest first."""
    u = expand(u)
    if not u.is_polynomial(x) or sympy.degree(u, x) > degree:
        raise NoRule
    return [u.coeff(x, k) for k in range(degree + 1)]


def merged(items: Iterable[tuple[Key, Expr]]) -> Terms:
    """Terms of the same kind added; zeros dropped."""
    found: dict[Key, list] = {}
    for key, coefficient in items:
        found.setdefault(key, []).append(coefficient)
    sums = {key: expand(Add(*coefficients)) for key, coefficients in found.items()}
    return {key: coefficient for key, coefficient in sums.items() if coefficient != 0}


def scaled(terms: Terms, factor: Expr) -> Terms:
    return {key: factor * coefficient for key, coefficient in terms.items()}


def product(one: Terms, two: Terms) -> Terms:
    return merged(
        ((k1 + k2, a1 + a2, b1 + b2, tuple(sorted(e1 + e2, key=str))), f * g)
        for (k1, a1, b1, e1), f in one.items()
        for (k2, a2, b2, e2), g in two.items()
    )


def derivative(terms: Terms) -> Terms:
    return merged(item for key, f in terms.items() for item in _derivative_of(key, f))


def _derivative_of(key: Key, f: Expr) -> list[tuple[Key, Expr]]:
    k, a, b, errors = key
    found = [((k, a, b, errors), a * f), ((k + 1, a, b, errors), 2 * b * f)]
    if k:
        found.append(((k - 1, a, b, errors), k * f))
    for position in range(len(errors)):
        factor, exponents, rest = without_error(key, position)
        found.append(((k, *exponents, rest), factor * f))
    return found


def without_error(key: Key, position: int) -> tuple[Expr, tuple[Expr, Expr], tuple]:
    """One erf(c x + d) differentiated: the constant factor, the new (a, b), the other error functions."""
    _, a, b, errors = key
    c, d = errors[position]
    factor = 2 * c / sqrt(pi) * sympy.exp(-(d**2))
    return factor, (a - 2 * c * d, b - c**2), errors[:position] + errors[position + 1 :]


# ---- the integral rules for x^k exp(a x + b x^2) erf(...) against the normal density of variance q ---------------


class IntervalMeans:
    """Expectations for X ~ N(0, q) over one interval; `low`, `high` are None where it has no end.

    Variances s stand as symbols in polynomials and are put in at the end (`found`).
    """

    def __init__(self, q: Expr, low: Expr | None, high: Expr | None):
        self.q, self.low, self.high = q, low, high
        self.variances: dict[Expr, Dummy] = {}

    def found(self, terms: Terms) -> Expr:
        """E[terms; X in I]; raises `NoRule` where no rule applies."""
        groups: dict[tuple, dict[int, Expr]] = {}
        for (k, a, b, errors), f in terms.items():
            groups.setdefault((a, b, errors), {})[k] = f
        total = Add(*(self._mean((0, *group), p) for group, p in groups.items()))
        return total.xreplace({symbol: value for value, symbol in self.variances.items()})

    def _mean(self, key: Key, p: dict[int, Expr]) -> Expr:
        _, a, b, errors = key
        s = self._variance(b)
        mu = a * s
        start = _polynomial_mean(p, mu, s)
        r = _without_polynomial(p, mu, s) if errors or (self.low, self.high) != (None, None) else {}
        front = exp(expand(a * mu / 2)) / sqrt(1 - 2 * b * self.q)
        parts = [front * start * self._plain(errors, a, b)] if start != 0 else []
        parts += [s * self._at_ends(key, r)]
        for position in range(len(errors) if r else 0):
            factor, exponents, rest = without_error(key, position)
            parts.append(s * self._mean((0, *exponents, rest), {k: factor * f for k, f in r.items()}))
        return Add(*parts)

    def _variance(self, b: Expr) -> Dummy:
        value = self.q / (1 - 2 * b * self.q)
        if value.is_positive is False:
            raise NoRule
        return self.variances.setdefault(value, Dummy("s", positive=True))

    def _plain(self, errors: tuple, a: Expr, b: Expr) -> Expr:
        """E[H; I] for X ~ N(mu, s)."""
        s = self.q / (1 - 2 * b * self.q)
        mu, whole, half = a * s, self.low is None and self.high is None, {self.low, self.high} == {None, Integer(0)}
        if not errors:
            return self._probability(mu, s)
        if len(errors) == 1 and whole and not a.has(I):
            [(c, d)] = errors
            return erf((c * mu + d) / sqrt(1 + 2 * c**2 * s))
        if a != 0 or any(d != 0 for _, d in errors) or not (whole or half) or len(errors) > 2:
            raise NoRule
        return self._centred([c for c, _ in errors], s, whole)

    def _centred(self, slopes: list[Expr], s: Expr, whole: bool) -> Expr:
        if len(slopes) == 1:
            return (1 if self.high is None else -1) * atan(slopes[0] * sqrt(2 * s)) / pi
        root = sqrt(Mul(*(1 + 2 * c**2 * s for c in slopes)))
        return 2 * asin(2 * Mul(*slopes) * s / root) / pi / (1 if whole else 2)

    def _probability(self, mu: Expr, s: Expr) -> Expr:
        if self.low is None and self.high is None:
            return Integer(1)
        if mu.has(I):
            raise NoRule
        low, high = ((end - mu) / sqrt(2 * s) if end is not None else None for end in (self.low, self.high))
        if high is None:
            return erfc(low) / 2
        return erfc(-high) / 2 if low is None else (erf(high) - erf(low)) / 2

    def _at_ends(self, key: Key, r: dict[int, Expr]) -> Expr:
        """r H times the density at the lower end, minus the same at the upper one."""
        _, a, b, errors = key
        values = []
        for end, sign in ((self.low, 1), (self.high, -1)):
            if end is not None and r:
                density = exp(a * end + b * end**2 - end**2 / (2 * self.q)) / sqrt(2 * pi * self.q)
                factor = Mul(*(erf(c * end + d) for c, d in errors))
                values.append(sign * density * factor * Add(*(f * end**k for k, f in r.items())))
        return Add(*values)


def _polynomial_mean(p: dict[int, Expr], mu: Expr, s: Expr) -> Expr:
    """E[p] for X ~ N(mu, s), by E[X^(k+1)] = mu E[X^k] + k s E[X^(k-1)]."""
    powers = [Integer(1), mu]
    for k in range(1, max(p)):
        powers.append(expand(mu * powers[k] + k * s * powers[k - 1]))
    return expand(Add(*(f * powers[k] for k, f in p.items())))


def _without_polynomial(p: dict[int, Expr], mu: Expr, s: Expr) -> dict[int, Expr]:
    """r with p = E[p] + (x - mu) r - s r'."""
    rest, r = dict(p), {}
    for k in range(max(rest), 0, -1):
        top = expand(rest.pop(k, Integer(0)))
        if top == 0:
            continue
        r[k - 1] = top
        rest[k - 1] = rest.get(k - 1, Integer(0)) + top * mu
        if k > 1:
            rest[k - 2] = rest.get(k - 2, Integer(0)) + top * s * (k - 1)
    return r


CHECKED = 30
SAMPLE = sympy.Rational(1, 7)  # small, so that the means exist where they exist for any q worth asking


def exact_moment(g: PiecewiseSmooth, q: Expr) -> Expr | None:
    """E[g(sqrt(q) Z)] as a formula in q (a number or a positive symbol), or None when the rules do not reach."""
    try:
        formula = _over_pieces(g, tuple(read(piece, g.symbol) for piece in g.pieces), q)
    except NoRule:
        return None
    return _checked(formula, q, g, lambda g, sample: moment(g, sample, CHECKED))


@lru_cache(maxsize=1024)
def exact_square_moment(phi: PiecewiseSmooth, n: int, q: Expr) -> Expr | None:
    """M_n(q) = E[phi^(n)(sqrt(q) Z)^2], regular part, as a formula in q, or None when the rules do not reach."""
    try:
        formula = _over_pieces(phi, tuple(product(terms, terms) for terms in _derivatives(phi, n)), q)
    except NoRule:
        return None
    return _checked(formula, q, phi, lambda phi, sample: square_moment(phi, n, sample, CHECKED))


@lru_cache(maxsize=1024)
def _derivatives(phi: PiecewiseSmooth, n: int) -> tuple[Terms, ...]:
    """The n-th derivative of every piece."""
    if n == 0:
        return tuple(read(piece, phi.symbol) for piece in phi.pieces)
    return tuple(map(derivative, _derivatives(phi, n - 1)))


def _over_pieces(g: PiecewiseSmooth, pieces: tuple[Terms, ...], q: Expr) -> Expr:
    ends = pairwise((None, *g.breaks, None))
    total = Add(*(IntervalMeans(q, *end).found(terms) for end, terms in zip(ends, pieces, strict=True)))
    if total.has(I):
        total = expand(total)
        if total.has(I):
            raise NoRule
    return total


def _checked(formula: Expr, q: Expr, function: PiecewiseSmooth, by_quadrature) -> Expr:
    """The formula, if its digits at one point are those of the quadrature."""
    symbols = sorted(formula.free_symbols | q.free_symbols | _parameters(function), key=str)
    sample = {symbol: SAMPLE / (1 + k) for k, symbol in enumerate(symbols)}
    numbers = PiecewiseSmooth(
        function.symbol,
        tuple(point.subs(sample) for point in function.breaks),
        tuple(piece.subs(sample) for piece in function.pieces),
    )
    with mp.workdps(CHECKED + 10):
        value, truth = to_mpf(formula.subs(sample)), by_quadrature(numbers, q.subs(sample))
        if abs(value - truth) > abs(truth) * mp.mpf(10) ** (1 - CHECKED):
            raise ArithmeticError(f"the formula {formula} gives {value}, quadrature {truth}")
    return formula


def _parameters(function: PiecewiseSmooth) -> set[Symbol]:
    found = set().union(*(part.free_symbols for part in (*function.pieces, *function.breaks)))
    return found - {function.symbol}


Q = Reserved("q", positive=True)
GUARDS, FINER = (15, 45, 135, 405), 10


def moments_at(phi: PiecewiseSmooth, count: int, q, digits: int = 30) -> list:
    """[M_0(q), ..., M_(count-1)(q)] to `digits` digits; errors as `moments.square_moments`.

    >>> from sympy import Symbol, erf
    >>> x = Symbol("x", real=True)
    >>> mp.nstr(moments_at(PiecewiseSmooth.of(erf(x), x), 1, 1, 20)[0], 15)
    '0.46455905439754'
    """
    if not has_formulas(phi, count):
        return square_moments(phi, count, q, digits)
    values = [_agreed(_formula(phi, n), q, digits) for n in range(count)]
    return square_moments(phi, count, q, digits) if None in values else values


def has_formulas(phi: PiecewiseSmooth, count: int) -> bool:
    """Whether M_0, ..., M_(count-1) all have formulas."""
    return all(_formula(phi, n) is not None for n in range(count))


@lru_cache(maxsize=1024)
def _formula(phi: PiecewiseSmooth, n: int) -> Callable | None:
    formula = exact_square_moment(phi, n, Q)
    return None if formula is None else as_function(Q, formula, "mpmath")


def _agreed(function: Callable, q, digits: int):
    """The value on which two precisions agree, None when none do."""
    for guard in GUARDS:
        variance = variance_of(q, digits + guard + FINER)
        one, two = (_at(function, variance, digits + guard + more) for more in (0, FINER))
        with mp.workdps(digits + 5):
            if abs(one - two) <= abs(two) * mp.mpf(10) ** -(digits + 2):
                return +two
    return None


def _at(function: Callable, q, digits: int):
    with mp.workdps(digits):
        return mp.re(function(q))


class Moment(RealConstant):
    """E[phi^(n)^2] of a derivative that is not 0: positive, and no digits are computed to see that."""

    is_positive = True


def named_moment(phi: PiecewiseSmooth, n: int, q: Expr, exact: Expr | None = None) -> Expr:
    """M_n(q) = E[phi^(n)(sqrt(q) Z)^2] as a constant called M_n; `exact` is kept beside it as its formula.

    0 where the n-th derivative vanishes.  Raises `UnsupportedError` for a q that is not a number.
    """
    if all(piece.is_polynomial(phi.symbol) and degree(piece, phi.symbol) < n for piece in phi.pieces):
        return Integer(0)  # a constant known by digits could not say so
    if q.free_symbols:
        raise UnsupportedError(f"the moment M_{n} of {phi.pieces} has no formula in q = {q}; give q as a number")
    key = ("M", n, phi, q)
    return Moment(f"M_{n}", lambda: moments_at(phi, n + 1, q, mp.dps)[n], key, f"M_{{{n}}}", exact)
