"""Closed forms of E[phi(x) phi(y)] and of its derivative kernel, for every phi that has one here.

`read` writes phi as a sum of terms P(x) exp(b x - d x^2) 1{gate}.  In a product of two the exponentials change the
normal law, every gate joins as one more normal variable, and M_ab = E[x^a y^b 1{all g_i > t_i}] is integrated by parts,

    M_{a+1,b} = m_x M_ab + K_xx a M_{a-1,b} + K_xy b M_{a,b-1} + sum_i K_{x,i} p_i(t_i) M_ab[g_i = t_i],

down to M_00: 1, a tail of the normal distribution, or Phi_2 (docs/bounds.md).  Exactly in SymPy (`value`, `slope`), in
Arb's numbers (`evaluate`, `evaluate_slope`), by one recursion, so that C = +-1 is an ordinary point.  The slope is the
derivative of the value in C over sqrt(Q1 Q2) (Price's theorem).  The bits that the sum over pairs loses against its
summands are added; a sum still below the rounding errors is 0.

Published: polynomials (Isserlis 1918), steps (Sheppard 1899), erf and Gaussian (Williams 1997), one-sided powers (Cho
and Saul 2009), GELU and ELU (Tsuchida et al. 2021); Phi_2 by Owen (1956), the integration by parts by Stein.
"""
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import sympy
from flint import acb, arb, ctx
from mpmath import mp
from sympy import Add, Expr, I, Integer, Mul, Rational, Symbol, asin, cosh, erf, exp, expand, factor, oo, re, sinh, sqrt

from asympt.balls.arithmetic import midpoint, of_mpf, working
from asympt.errors import InputError, PrecisionError
from asympt.gaussian.closed.arccosine import C
from asympt.gaussian.closed.bivariate import BivariateNormal, ball_normal, normal_cdf, normal_density, upper_tail
from asympt.gaussian.closed.moments import NoRule
from asympt.gaussian.closed.moments import read as read_piece
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.numbers import symbol_names, to_mpf
from asympt.symbols import Reserved

# ---- an activation as a sum of gated terms P(x) exp(b x - d x^2) 1{gate} -------------------------------------------
#
# Expand every piece into k x^a exp(b x - d x^2) [erf(e x + g)], sines and hyperbolic sines being exponentials.  A gate
# is an event {e x + W > threshold}, W normal and independent of x: at a breakpoint x_j {x > x_j} or {-x > -x_j}, no
# noise; erf(e x + g) = 2 1{sqrt(2) (e x + g) + W > 0} - 1 with Var W = 1.  Terms with one exponential are anchored at
# the end of the line where it is small, or they would cancel.  At most one gate a term, else `read` returns None.


@dataclass(frozen=True)
class Gate:
    """The event {slope x + W > threshold}, Var W = noise; `pinned`: the event's density {slope x + W = threshold}."""

    slope: Expr
    noise: Expr
    threshold: Expr
    pinned: bool = False


@dataclass(frozen=True)
class Term:
    """P(x) exp(rate x - curvature x^2) 1{gate}; `polynomial` lists P's coefficients from x^0 up."""

    polynomial: tuple[Expr, ...]
    rate: Expr
    curvature: Expr
    gate: Gate | None


def read(phi: PiecewiseSmooth) -> tuple[Term, ...] | None:
    """The terms of phi, or None when it is not a sum of them.

    >>> from sympy import Max, exp
    >>> x = Symbol("x", real=True)
    >>> [(t.polynomial, t.gate.threshold) for t in read(PiecewiseSmooth.of(Max(x - 1, 0), x))]
    [((-1, 1), 1)]
    >>> read(PiecewiseSmooth.of(1 / (1 + exp(-x)), x)) is None
    True
    """
    try:
        pieces = [_collected(piece, phi.symbol) for piece in phi.pieces]
        keys = dict.fromkeys(key for piece in pieces for key in piece)
        return tuple(term for key in keys for term in _of_rate(key, [_dense(piece.get(key)) for piece in pieces], phi))
    except NoRule:
        return None


def pins(phi: PiecewiseSmooth) -> tuple[Term, ...]:
    """The delta parts of phi': the jumps of phi at its breakpoints."""
    zero, one = Integer(0), Integer(1)
    return tuple(
        Term((jump,), zero, zero, Gate(one, zero, point, pinned=True))
        for point, jump in zip(phi.breaks, phi.jumps(0), strict=True)
        if jump != 0
    )


def _collected(piece: Expr, x: Symbol) -> dict[tuple, dict[int, Expr]]:
    """{(rate, curvature, argument of erf or None): {power: coefficient}} of one piece."""
    found: dict = defaultdict(lambda: defaultdict(lambda: Integer(0)))
    for (power, rate, minus_curvature, errors), coefficient in read_piece(piece, x).items():
        if len(errors) > 1:
            raise NoRule
        for slope, shift in errors:
            found[rate, -minus_curvature, (shift, slope)][power] += 2 * coefficient
            coefficient = -coefficient
        found[rate, -minus_curvature, None][power] += coefficient
    return found


def _dense(powers: dict[int, Expr] | None) -> tuple[Expr, ...]:
    return tuple(expand(powers.get(n, Integer(0))) for n in range(max(powers) + 1)) if powers else ()


def _of_rate(key: tuple, polynomials: list[tuple], phi: PiecewiseSmooth):
    """The terms of one exponential, given its polynomial on every piece."""
    rate, curvature, argument = key
    if argument is not None or rate.is_real is False:
        if any(_difference(polynomials[0], other) for other in polynomials):
            raise NoRule
        gate = None if argument is None else Gate(sqrt(2) * argument[1], Integer(1), -sqrt(2) * argument[0])
        candidates = [(polynomials[0], gate)]
    else:
        candidates = list(_steps(polynomials, phi.breaks, rightwards=not rate.is_positive))
    return [Term(p, rate, curvature, gate) for p, gate in candidates if any(c != 0 for c in p)]


def _steps(polynomials: list[tuple], breaks: tuple, rightwards: bool):
    """The polynomial of the anchoring end, then a gated change at every breakpoint."""
    zero, one = Integer(0), Integer(1)
    yield polynomials[0 if rightwards else -1], None
    for point, left, right in zip(breaks, polynomials[:-1], polynomials[1:], strict=True):
        if rightwards:
            yield _difference(right, left), Gate(one, zero, point)
        else:
            yield _difference(left, right), Gate(-one, zero, -point)


def _difference(a: tuple, b: tuple) -> tuple[Expr, ...]:
    """Coefficients of a - b; empty when they are equal."""
    size = max(len(a), len(b))
    pad = [(*p, *[Integer(0)] * (size - len(p))) for p in (a, b)]
    changes = tuple(expand(u - v) for u, v in zip(*pad, strict=True))
    return changes if any(c != 0 for c in changes) else ()


# ---- the two arithmetics the Gaussian machine runs in: Arb's numbers and SymPy expressions -----------------------


Q1, Q2 = Reserved("q_1", positive=True), Reserved("q_2", positive=True)
NOISE_BITS = 24  # a difference smaller than 2^(NOISE_BITS - precision) of its terms is zero


class Digits:
    """Arb's numbers, real or complex, at its current precision; their midpoints count, not their radii."""

    infinity, one = arb.pos_inf(), arb(1)
    exp, sqrt = staticmethod(lambda x: x.exp()), staticmethod(lambda x: x.sqrt())
    tail, density = staticmethod(upper_tail), staticmethod(lambda z: (-(z * z) / 2).exp() / (2 * arb.pi()).sqrt())

    @staticmethod
    def plain(x):
        return x

    abbreviated = plain

    @staticmethod
    def spread(mean, variance):
        """How large a normal variable is."""
        return abs(mean) + variance.sqrt()

    @staticmethod
    def vanishes(x, scale) -> bool:
        """Whether x, a difference of numbers of size `scale`, is rounding noise."""
        return x.abs_lower() <= scale.abs_upper() * arb((1, NOISE_BITS - ctx.prec))

    @staticmethod
    def step(excess, scale):
        """1{excess < 0}, 1/2 at 0 (the limit of a tail when its variance goes to 0)."""
        if Digits.vanishes(excess, scale):
            return arb(1) / 2
        return arb(int(excess.mid() < 0))

    @staticmethod
    def orthant(z, u, r):
        """P(U > z, V > u) at correlation r, which rounding may carry beyond 1; real z and u only."""
        if isinstance(z, acb) or isinstance(u, acb):
            raise PrecisionError("two gates under complex exponentials have no digits here; evaluate it by quadrature")
        if Digits.vanishes(1 - abs(r), arb(1)):
            r = r.mid().sgn()
        return ball_normal(*(value.mid() for value in (-z, -u, r)))

    @staticmethod
    def number(value: Expr) -> arb | acb:
        """An exact SymPy number, real or complex."""
        if value.has(I):
            return acb(*(of_mpf(to_mpf(part)) for part in value.as_real_imag()))
        return of_mpf(to_mpf(value))


class Exact:
    """SymPy expressions in Q1, Q2 > 0 and C; `names` holds the symbols that stand for long denominators."""

    def __init__(self):
        self.names: dict[Symbol, Expr] = {}

    infinity, one = oo, Integer(1)
    exp, sqrt = exp, staticmethod(sqrt)
    tail, density = staticmethod(lambda z: normal_cdf(-z)), staticmethod(normal_density)

    @staticmethod
    def plain(x: Expr) -> Expr:
        """Factored, with 1 - C^2 kept together."""
        return joined(factor(x))

    @staticmethod
    def spread(mean: Expr, variance: Expr) -> Expr:
        """Formulas have no rounding errors to judge."""
        return Integer(1)

    def abbreviated(self, x: Expr) -> Expr:
        """A positive symbol for a long positive denominator, so that nothing expands it; `tidy` substitutes it."""
        x = factor(x)
        for name, known in self.names.items():
            if known == x:
                return name
        name = sympy.Dummy("D", positive=True)
        self.names[name] = x
        return name

    @staticmethod
    def vanishes(x: Expr, scale: Expr) -> bool:
        """Whether x is identically zero (a symbol C stands for a correlation between -1 and 1)."""
        return x == 0

    @staticmethod
    def orthant(z: Expr, u: Expr, r: Expr) -> Expr:
        """P(U > z, V > u)."""
        return BivariateNormal(-z, -u, r)

    @staticmethod
    def number(value: Expr) -> Expr:
        return value


# ---- e[x^a y^b 1{gates}] for jointly normal variables, by integration by parts -----------------------------------

X, Y = 0, 1


@dataclass(frozen=True)
class Normals:
    """Means and covariances of x, y and the gates' variables, with the gates' thresholds (index 2, 3, ...)."""

    mean: list
    covariance: list
    thresholds: tuple

    def conditioned(self, gate: int, arithmetic: Any) -> "Normals":
        """Given that variable `gate` sits at its threshold; that variable is left out."""
        kept = [i for i in range(len(self.mean)) if i != gate]
        column = [row[gate] for row in self.covariance]
        excess = self.thresholds[gate - 2] - self.mean[gate]
        gain = [value / column[gate] for value in column]
        mean = [self._residual(self.mean[i], -gain[i] * excess, arithmetic) for i in kept]
        covariance = [[None] * len(kept) for _ in kept]
        for row, i in enumerate(kept):
            for other, j in enumerate(kept[: row + 1]):
                rest = self._residual(self.covariance[i][j], gain[i] * column[j], arithmetic)
                covariance[row][other] = covariance[other][row] = rest
        return Normals(mean, covariance, self.thresholds[: gate - 2] + self.thresholds[gate - 1 :])

    @staticmethod
    def _residual(value, explained, arithmetic):
        """value - explained, rounding noise cleared: at c = +-1 both are equal, and a step looks at the difference."""
        rest = arithmetic.plain(value - explained)
        return 0 * rest if arithmetic.vanishes(rest, value) else rest

    def standardised(self, gate: int, arithmetic: Any):
        """(threshold - mean)/deviation of a gate, and the deviation."""
        deviation = arithmetic.sqrt(self.covariance[gate][gate])
        return arithmetic.plain((self.thresholds[gate - 2] - self.mean[gate]) / deviation), deviation

    def density(self, gate: int, arithmetic: Any):
        """The density of a gate's variable at its threshold."""
        if self.covariance[gate][gate] == 0:
            away = self.thresholds[gate - 2] - self.mean[gate]
            return arithmetic.infinity if arithmetic.vanishes(away, self.mean[gate]) else 0 * away
        z, deviation = self.standardised(gate, arithmetic)
        return arithmetic.density(z) / deviation


def moments(normals: Normals, top: tuple[int, int], arithmetic: Any) -> list[list]:
    """The table M[a][b], a <= top[0], b <= top[1]."""
    table = [[None] * (top[1] + 1) for _ in range(top[0] + 1)]
    table[0][0] = probability(normals, arithmetic)
    edges = _edges(normals, top, arithmetic) if any(top) else []
    for a in range(top[0] + 1):
        for b in range(top[1] + 1):
            if a:
                table[a][b] = _raised(normals, table, edges, X, a - 1, b)
            elif b:
                table[a][b] = _raised(normals, table, edges, Y, a, b - 1)
    return table


def _edges(normals: Normals, top: tuple[int, int], arithmetic: Any) -> list[tuple]:
    """For every gate: its index, its density at the threshold, the moments given that it sits there."""
    found = []
    for gate in range(2, len(normals.mean)):
        if normals.covariance[gate][gate] == 0:
            continue  # its covariance with x and y is zero too
        inside = moments(normals.conditioned(gate, arithmetic), top, arithmetic)
        found.append((gate, normals.density(gate, arithmetic), inside))
    return found


def _raised(normals: Normals, table, edges, variable: int, a: int, b: int):
    """E[v x^a y^b 1{gates}] for v = x or y, from lower moments."""
    row = normals.covariance[variable]
    total = normals.mean[variable] * table[a][b]
    if a:
        total += row[X] * a * table[a - 1][b]
    if b:
        total += row[Y] * b * table[a][b - 1]
    for gate, density, inside in edges:
        total += row[gate] * density * inside[a][b]
    return total


def probability(normals: Normals, arithmetic: Any):
    """The probability that every gate is open."""
    gates = range(2, len(normals.mean))
    if len(gates) == 0:
        return arithmetic.one
    if len(gates) == 1:
        return _tail(normals, arithmetic)
    (z, dz), (u, du) = (normals.standardised(gate, arithmetic) for gate in gates)
    return arithmetic.orthant(z, u, arithmetic.plain(normals.covariance[2][3] / (dz * du)))


def _tail(normals: Normals, arithmetic: Any):
    if normals.covariance[2][2] == 0:
        return arithmetic.step(normals.thresholds[0] - normals.mean[2], normals.mean[2])
    return arithmetic.tail(normals.standardised(2, arithmetic)[0])


def pair(first: Term, second: Term, variances: Sequence, correlation, arithmetic: Any) -> list[tuple]:
    """The summands of E[first(x) second(y)], one per pair of powers, each with its size without its gates."""
    factor, normals = _tilted(first, second, variances, correlation, arithmetic)
    for gate in [i for i, t in enumerate([t for t in (first, second) if t.gate is not None], 2) if t.gate.pinned][::-1]:
        factor = factor * normals.density(gate, arithmetic)
        if factor == 0 or factor == arithmetic.infinity:
            return [(factor * first.polynomial[0] * second.polynomial[0],) * 2]
        normals = normals.conditioned(gate, arithmetic)
    table = moments(normals, (len(first.polynomial) - 1, len(second.polynomial) - 1), arithmetic)
    wide, high = (arithmetic.spread(normals.mean[i], normals.covariance[i][i]) for i in (0, 1))
    return [
        (factor * k * j * table[a][b], factor * k * j * wide**a * high**b)
        for a, k in enumerate(first.polynomial)
        for b, j in enumerate(second.polynomial)
        if k != 0 and j != 0
    ]


def _tilted(first: Term, second: Term, variances, correlation, arithmetic):
    """The factor and the normal law that the exponentials leave, gates included."""
    kernel, factor = _curved(first.curvature, second.curvature, variances, correlation, arithmetic)
    b = (first.rate, second.rate)
    mean = [kernel[0][0] * b[0] + kernel[0][1] * b[1], kernel[0][1] * b[0] + kernel[1][1] * b[1]]
    if b[0] != 0 or b[1] != 0:
        factor = factor * arithmetic.exp(arithmetic.plain((b[0] * mean[0] + b[1] * mean[1]) / 2))
    return factor, _with_gates(first, second, mean, kernel)


def _curved(d1, d2, variances, correlation, arithmetic):
    """Covariance and factor after exp(-d1 x^2 - d2 y^2)."""
    q1, q2 = variances
    cross = correlation * arithmetic.sqrt(q1) * arithmetic.sqrt(q2)
    if d1 == 0 and d2 == 0:
        return [[q1, cross], [cross, q2]], arithmetic.one
    rest = q1 * q2 * (1 - correlation) * (1 + correlation)
    a1, a2 = 1 + 2 * d1 * q1, 1 + 2 * d2 * q2
    determinant = arithmetic.plain(1 + 2 * d1 * q1 + 2 * d2 * q2 + 4 * d1 * d2 * rest)
    if any((value > 0) == False for value in (a1, a2, determinant)):  # noqa: E712
        raise InputError(
            f"the expectation diverges: exp(-d x^2) with d = {d1} and {d2} outgrows normal variances {q1} and {q2}; "
            "give smaller variances"
        )
    if d1 != 0 and d2 != 0:
        determinant = arithmetic.abbreviated(determinant)
    entries = [[q1 + 2 * d2 * rest, cross], [cross, q2 + 2 * d1 * rest]]
    return [[arithmetic.plain(e / determinant) for e in row] for row in entries], 1 / arithmetic.sqrt(determinant)


def _with_gates(first: Term, second: Term, mean: list, kernel: list) -> Normals:
    """x, y and the gates' variables e x + W."""
    gated = [(term.gate, axis) for axis, term in enumerate((first, second)) if term.gate is not None]
    loads = [(1, X, 0), (1, Y, 0), *((gate.slope, axis, gate.noise) for gate, axis in gated)]
    covariance = [[e * f * kernel[i][j] for f, j, _ in loads] for e, i, _ in loads]
    for index, (_, _, noise) in enumerate(loads):
        covariance[index][index] += noise
    return Normals([e * mean[axis] for e, axis, _ in loads], covariance, tuple(gate.threshold for gate, _ in gated))


__all__ = ["Q1", "Q2", "C", "ClosedForm", "closed_form"]


@dataclass(frozen=True)
class ClosedForm:
    """E[phi(x) phi(y)] of one activation: formulas in Q1, Q2, C, and their digits."""

    terms: tuple[Term, ...]
    slope_terms: tuple[Term, ...]

    @cached_property
    def value(self) -> Expr:
        """E[phi(sqrt(Q1) U) phi(sqrt(Q2) V)] for standard normal U, V of correlation C."""
        return _formula(self.terms)

    @cached_property
    def slope(self) -> Expr:
        """E[phi'(sqrt(Q1) U) phi'(sqrt(Q2) V)], the deltas of phi' included: d value/dC / sqrt(Q1 Q2)."""
        return _formula(self.slope_terms)

    def evaluate(self, q1, q2, c):
        """E[phi(sqrt(q1) U) phi(sqrt(q2) V)] at mpmath's current precision, c from -1 to 1, the ends included.

        Raises `InputError` for q <= 0, |c| > 1, symbols in phi, or variances for which the expectation diverges.
        """
        return _digits(self.terms, q1, q2, c)

    def evaluate_slope(self, q1, q2, c):
        """The derivative kernel at mpmath's current precision; infinite at c = +-1 where two jumps meet."""
        return _digits(self.slope_terms, q1, q2, c)


@lru_cache(maxsize=256)
def closed_form(phi: PiecewiseSmooth) -> ClosedForm | None:
    """The closed form of E[phi(x) phi(y)], or None when phi is not a sum of such terms.

    >>> from sympy import Symbol, erf, tanh
    >>> x = Symbol("x", real=True)
    >>> form = closed_form(PiecewiseSmooth.of(erf(x), x))
    >>> form.value
    2*asin(2*c*sqrt(q_1)*sqrt(q_2)/(sqrt(2*q_1 + 1)*sqrt(2*q_2 + 1)))/pi
    >>> closed_form(PiecewiseSmooth.of(tanh(x), x)) is None
    True
    """
    terms, regular = read(phi), read(phi.derivative())
    if terms is None or regular is None:
        return None
    return ClosedForm(terms, regular + pins(phi))


def _formula(terms: tuple[Term, ...]) -> Expr:
    exact = Exact()
    summands = [value for a in terms for b in terms for value, _ in pair(a, b, (Q1, Q2), C, exact)]
    return tidy(Add(*summands), exact.names)


def _digits(terms: tuple[Term, ...], q1, q2, c):
    _check_numbers(terms)
    q1, q2, c = (to_mpf(value) if isinstance(value, Expr) else mp.convert(value) for value in (q1, q2, c))
    for name, q in (("q1", q1), ("q2", q2)):
        if not 0 < q < mp.inf:
            raise InputError(f"{name} = {mp.nstr(q, 10)} is not a variance; give a positive number")
    if not abs(c) <= 1:
        raise InputError(f"c = {mp.nstr(c, 10)} is not a correlation; give a number from -1 to 1")
    return total(terms, q1, q2, c)


@lru_cache(maxsize=256)
def _check_numbers(terms: tuple[Term, ...]) -> None:
    """Parameters must be numbers before digits are asked for."""
    gates = [x for t in terms if t.gate for x in (t.gate.slope, t.gate.noise, t.gate.threshold)]
    values = [x for t in terms for x in (*t.polynomial, t.rate, t.curvature)] + gates
    unknown = set().union(*(value.free_symbols for value in values)) if values else set()
    if unknown:
        raise InputError(f"the activation depends on {symbol_names(unknown)}; give numbers for them to get digits")


# ---- digits ------------------------------------------------------------------------------------------

GUARD = NOISE_BITS + 16
MOST_BITS = 4000


def total(terms: tuple[Term, ...], q1, q2, c):
    """The sum over all pairs at mpmath's current precision; mpmath numbers in, |c| <= 1."""
    room = max(0, -mp.mag(1 - abs(c))) if abs(c) < 1 else 0
    base, lost, zeros = mp.prec + GUARD + room, 0, 0
    for most in (0, base, 3 * base):
        extra = min(lost, most)
        with mp.workprec(base + extra):
            value, size = _summed(terms, q1, q2, c)
        if not mp.isfinite(value):
            return value
        zeros += not value
        lost = mp.mag(size) - mp.mag(value) if value else base
        if zeros == 2 or not size:
            break
        if lost <= extra + GUARD - NOISE_BITS:
            return +value
    return _resolved(terms, (q1, q2), c, base, mp.mag(size) if size else 0)


def _resolved(terms, variances, c, base: int, room: int):
    """The sum to an absolute error of 2^-base, where rounding left nothing of summands of 2^room."""
    if room <= base:
        return mp.zero
    if room > MOST_BITS:
        raise PrecisionError(
            f"at the variances {mp.nstr(variances[0], 6)} and {mp.nstr(variances[1], 6)} the closed form is a "
            f"difference of terms of 10^{int(room * 0.30103)}; evaluate it by quadrature"
        )
    with mp.workprec(2 * base + room):
        value, _ = _summed(terms, *variances, c)
    return +value if mp.mag(value) > -base else mp.zero


def _summed(terms, q1, q2, c):
    """The sum, and the sum of the summands' sizes, in Arb's numbers at mpmath's current precision."""
    with working(mp.prec):
        numbers = tuple(_numeric(term, mp.prec) for term in terms)
        variances, correlation, alike = (of_mpf(q1), of_mpf(q2)), of_mpf(c), q1 == q2
        summands = []
        for i, first in enumerate(numbers):
            for j, second in enumerate(numbers):
                if not alike or i == j:
                    summands += pair(first, second, variances, correlation, Digits)
                elif i < j:
                    summands += 2 * pair(first, second, variances, correlation, Digits)
        value, size = sum((v for v, _ in summands), arb(0)), sum((abs(s) for _, s in summands), arb(0))
        return midpoint(value.real), midpoint(size)


@lru_cache(maxsize=4096)
def _numeric(term: Term, precision: int) -> Term:
    """The term in Arb's numbers (at the current precision, which is the key)."""
    number, gate = Digits.number, term.gate
    if gate is not None:
        gate = Gate(number(gate.slope), number(gate.noise), number(gate.threshold), gate.pinned)
    polynomial = tuple(number(k) for k in term.polynomial)
    return Term(polynomial, number(term.rate), number(term.curvature), gate)


# ---- a sum of products as papers print it: collected by transcendental factors and roots, factored 


_FUNCTIONS = (BivariateNormal, erf, asin)
_LOW, _HIGH, _ROOT = C - 1, C + 1, 1 - C**2


def tidy(expression: Expr, names: dict[Symbol, Expr] | None = None) -> Expr:
    """The sum collected; `names` are symbols that stand for long denominators, put back at the end.

    The result is real.  An erf of a complex argument (a sine together with a kink) stays beside its conjugate: its
    imaginary parts cancel, in digits up to rounding.
    """
    names = names or {}
    groups: dict = {}
    for summand in Add.make_args(expand(expression, power_exp=False)):
        key, coefficient = _split(summand, names)
        groups[key] = groups.get(key, Integer(0)) + coefficient
    groups = {key: factor(value) for key, value in _merged(groups, names).items()}
    result = Add(*(joined(value * key) for key, value in _hyperbolic(groups).items())).xreplace(names)
    hidden = any(node.has(I) for node in result.atoms(erf))
    return re(result) if result.has(I) and not hidden else result


def joined(product: Expr) -> Expr:
    """(C - 1)(C + 1) as -(1 - C^2), also under a power or a root; (1 - C)/sqrt(1 - C^2) as a quotient of roots."""
    product = product.replace(
        lambda f: f.is_Pow and f.exp.is_Rational and not f.exp.is_Integer and f.base.free_symbols == {C},
        lambda power: expand(power.base) ** power.exp,
    )
    powers = product.as_powers_dict()
    low, high = powers.get(_LOW, 0), powers.get(_HIGH, 0)
    shared = min(low, high) if low > 0 and high > 0 else max(low, high) if low < 0 and high < 0 else 0
    if shared:
        product = product / (_LOW * _HIGH) ** shared * (-1) ** shared * _ROOT**shared
    elif powers.get(_ROOT) == -Rational(1, 2) and 1 in (low, high):
        ratio = -sqrt(1 - C) / sqrt(1 + C) if low == 1 else sqrt(1 + C) / sqrt(1 - C)
        product = product / (_LOW if low == 1 else _HIGH) * sqrt(_ROOT) * ratio
    return product


def _split(summand: Expr, names: dict) -> tuple[Expr, Expr]:
    """One product as (transcendental factors, roots and named denominators) times the rest."""
    exponent, special, rest = Integer(0), [], []
    factors = (factor(f) if f.is_Pow and f.exp.is_Integer and f.exp < 0 else f for f in Mul.make_args(summand))
    for f in Mul.make_args(Mul(*factors)):  # the denominators, which `expand` multiplies out, as products again
        base, power = f.as_base_exp()
        if isinstance(f, exp):
            exponent += f.exp
        elif isinstance(base, _FUNCTIONS):
            special.append(base.func(*map(_argument, base.args)) ** power)
        elif base in names:
            special.append(f)
        elif not power.is_Integer and not base.is_Atom:
            special.append(expand(base) ** power)
        else:
            rest.append(f)
    sign, key = Mul(*special, exp(_argument(exponent))).as_coeff_Mul()
    return key, sign * Mul(*rest)


def _argument(argument: Expr) -> Expr:
    """Factored if it is a quotient, expanded if it is a polynomial."""
    if argument.is_number:
        return argument
    product = joined(factor(argument))
    return expand(argument) if product.as_numer_denom()[1].is_number else product


def _merged(groups: dict, names: dict) -> dict:
    """Powers of a named denominator that differ by a whole number brought to the lowest of them."""
    for name, long in names.items():
        lowest: dict = {}
        for key in groups:
            power = key.as_powers_dict().get(name, Integer(0))
            others = key / name**power, power % 1
            lowest[others] = min(power, lowest.get(others, power))
        merged: dict = {}
        for key, value in groups.items():
            power = key.as_powers_dict().get(name, Integer(0))
            others = key / name**power
            floor = lowest[others, power % 1]
            base = others * name**floor
            merged[base] = merged.get(base, Integer(0)) + value * long ** (power - floor)
        groups = merged
    return groups


def _hyperbolic(groups: dict) -> dict:
    """Pairs k exp(A + B) +- k exp(A - B), B odd in c, as 2 k exp(A) cosh(B) or 2 k exp(A) sinh(B)."""
    found, left = {}, dict(groups)
    for key in groups:
        mirror = key.subs(C, -C)
        if not isinstance(key, exp) or mirror == key or not key.exp.coeff(C) or not {key, mirror} <= set(left):
            continue
        if left[key] not in (left[mirror], -left[mirror]):
            continue
        rising, falling = sorted((key, mirror), key=lambda e: e.exp.coeff(C).could_extract_minus_sign())
        odd = expand((rising.exp - falling.exp) / 2)
        up, down = left.pop(rising), left.pop(falling)
        found[exp(expand(rising.exp - odd)) * (cosh(odd) if up == down else sinh(odd))] = 2 * up
    return {**left, **found}
