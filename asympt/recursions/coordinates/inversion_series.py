"""The inverse of an Abel function as a power series, and any function of t along it, over any ring.

Problem.  Solve alpha t^(-m) + sum_(k>-m) alpha_k t^k + rho log t = l + C for t at large l.

Rule.  Put s = (alpha/l)^(1/m) and w = (t/s)^(-m).  With b_j = alpha_(j-m)/alpha, r = rho/alpha and

    X = (C - rho log s)/alpha,

in which every logarithm of l has its place, the equation divided by alpha l is a recurrence:

    w = 1 + s^m (X + (r/m) log w) - sum_(j>=1) b_j s^j w^(1 - j/m)            (`inverse`)
    t^o log(t)^i = s^o w^(-o/m) (log s - (log w)/m)^i                         (`composed`)

The coefficient of s^n on the right contains w_0, ..., w_(n-1) only; w_n is a polynomial in X of degree n/m at most.

Tiny case.  A = 1/t + log t (m = alpha = r = 1): w = 1 + s X + s^2 X + ..., X = C - log s = C + log l, s = 1/l.

The recurrences want elements with fast +, * and tests for zero: polynomials (`InversionRing`).  X, log s and whatever
the constants contain generate one ring (`Field`).  Where that takes fractions, use that the recurrences commute with
s -> d s:

    d^j b_j,  d^m r,  d^m X,  d^o f_o    in place of    b_j,  r,  X,  f_o t^o    multiply s^q in the result by d^q;

choose d such that all these are polynomials, up to a common denominator of the f in front, and divide at the end:
t - t^2/a has A = a/t + log t + ..., and r = 1/a asks for d = a.  A constant that no exact field holds becomes a
generator of its own; that such constants cancel is seen only when SymPy expands them.

Price.  n^3/6 products for n coefficients and every b_j different from zero, n^2 for a power of t.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil

from sympy import EX, Dummy, Expr, Rational
from sympy.polys.fields import FracElement
from sympy.polys.rings import PolyElement

from asympt.expansions.expansion import expanded
from asympt.expansions.fields.field import Field
from asympt.expansions.series import dot, logarithm, power, product
from asympt.parsing import as_sympy


def inverse(lower: Sequence, residue, shift, m: int, count: int, exact=Fraction) -> list:
    """w_0, ..., w_(count-1) from b_0 = 1, b_1, ... (missing ones are 0), r and X; `exact(p, q)`: p/q in the ring.

    >>> from sympy import Symbol, expand
    >>> [expand(c) for c in inverse([1], 1, Symbol("X"), m=1, count=4, exact=Rational)]
    [1, X, X, -X**2/2 + X]
    """
    one, zero, share = lower[0], lower[0] * 0, exact(1, m)
    w, log = [one], [zero]
    powers = {j: (b, 1 - j * share, [one]) for j, b in enumerate(lower[:count]) if j and b}
    for n in range(1, count):
        value = zero + shift if n == m else zero
        if n > m and residue:
            value = value + residue * log[n - m] * share
        for j, (b, _, known) in powers.items():
            if j <= n and known[n - j]:
                value = value - b * known[n - j]
        w.append(value)
        log.append(_next_of_logarithm(w, log))
        for j, (_, exponent, known) in powers.items():
            if n + j < count:
                known.append(_next_of_power(w, exponent, known))
    return w


def _next_of_power(a: Sequence, exponent, b: Sequence):
    """The coefficient of a^exponent that follows b_0, ..., b_(k-1) (a_0 = 1): Miller's rule, see `series`."""
    k = len(b)
    weighted = [a[i] * ((exponent + 1) * i - k) for i in range(1, k + 1)]
    return dot(weighted, b[::-1], a[0] * 0) / k


def _next_of_logarithm(a: Sequence, b: Sequence):
    """The coefficient of log a that follows b_0, ..., b_(k-1) (a_0 = 1)."""
    k = len(b)
    weighted = [b[i] * i for i in range(1, k)]
    return a[k] - dot(weighted, a[1:k][::-1], a[0] * 0) / k


def composed(terms: Mapping, w: Sequence, m: int, log_unit, exact=Fraction) -> dict:
    """{q: the coefficient of s^q} of the sum of f t^o log(t)^i, `terms` being {(o, i): f}; `log_unit` is log s.

    As many coefficients as w has, from the smallest o on; q - o is a whole number for one of the o.

    >>> composed({(-1, 0): Fraction(2)}, [Fraction(1), Fraction(5)], m=1, log_unit=0)
    {-1: Fraction(2, 1), 0: Fraction(10, 1)}
    """
    first, share, found = min(order for order, _ in terms), exact(1, m), {}
    log = [log_unit + 0 * w[0], *(c * -share for c in logarithm(w, len(w))[1:])]
    for (order, logs), factor in terms.items():
        reach = ceil(len(w) - (order - first))
        exponent = Rational(-order) / m
        series = power(w, exact(int(exponent.p), int(exponent.q)), reach)
        for _ in range(logs):
            series = product(series, log, reach)
        for k, value in enumerate(series):
            found[order + k] = found.get(order + k, 0 * w[0]) + factor * value
    return dict(sorted(found.items()))


# ---- the ring ----------------------------------------------------------------------------------------


X, LOG_UNIT = Dummy("X"), Dummy("log_unit")


class InversionRing:
    """Polynomials in `x`, `log_unit` and whatever the given constants need.

    `moving`, `observed`: given as pairs (k, constant), where d^k times the constant is to be a polynomial (k > 0; for
    `observed`, k = 0 or more, with a common denominator in front); kept as these polynomials.

    >>> from sympy import Symbol
    >>> a = Symbol("a")
    >>> ring = InversionRing(moving=[(1, 1 / a), (2, 1 / a**3)], observed=[(0, 1 / a)])
    >>> ring.moving, ring.observed, ring.leave(ring.moving[1] * ring.observed[0], ring.one, 2, {})
    ([a, a], [1], a**(-4))
    """

    def __init__(self, moving: Iterable[tuple[int, Expr]], observed: Iterable[tuple[int, Expr]]):
        moving, observed = ([(k, as_sympy(c)) for k, c in pairs] for pairs in (moving, observed))
        self._named, field = _field_of([c for _, c in moving + observed])
        self.x, self.log_unit = (_parts(generator)[0] for generator in field.enter([X, LOG_UNIT]))
        moving, observed = (
            [(k, *_parts(*field.enter([c.xreplace(self._named)]))) for k, c in pairs] for pairs in (moving, observed)
        )
        self.one = self.x.ring.one
        self._front = _multiple(self.one, [below for k, _, below in observed if not k])
        self._scale = _scale(self.one, moving, self._front, observed)
        self.moving = [above * (self._scale**k).exquo(below) for k, above, below in moving]
        self.observed = [above * (self._front * self._scale**k).exquo(below) for k, above, below in observed]

    def leave(self, above: PolyElement, below: PolyElement, power: int, values: Mapping[Expr, Expr]) -> Expr:
        """above/below/d^power, without the denominator in front, expanded, with `values` put in for generators."""
        above, below = above * self._scale ** max(0, -power), self._front * below * self._scale ** max(0, power)
        if len(below) > 1:
            above, below = above.cancel(below)
        known = {dummy: constant for constant, dummy in self._named.items()} | values
        symbols = [known.get(symbol, symbol) for symbol in self.one.ring.symbols]
        return expanded(above.quo_ground(below.LC).as_expr(*symbols) / below.monic().as_expr(*symbols))


def _field_of(constants: list[Expr]) -> tuple[dict[Expr, Dummy], Field]:
    """The field of the constants, X and LOG_UNIT; names for the constants where there is none but for names."""
    field = Field.of([X, LOG_UNIT, *constants])
    if field.domain is not EX:
        return {}, field
    named = {c: Dummy("constant") for c in constants if not c.is_Rational}
    return named, Field.of([X, LOG_UNIT, *named.values()])


def _parts(element) -> tuple[PolyElement, PolyElement]:
    """Numerator and denominator."""
    if isinstance(element, FracElement):
        return element.numer, element.denom
    return element, element.ring.one


def _multiple(multiple: PolyElement, parts: Iterable[PolyElement]) -> PolyElement:
    """The smallest common multiple."""
    for part in parts:
        multiple = multiple * part.exquo(part.gcd(multiple))
    return multiple


def _scale(one: PolyElement, moving: Iterable, front: PolyElement, observed: Iterable) -> PolyElement:
    """d: some polynomial of which high enough powers are multiples of all the denominators."""
    scale = one
    for head, pairs in ((one, moving), (front, observed)):
        for k, _, below in pairs:
            while (multiple := head * scale**k) % below:
                scale = scale * below.exquo(below.gcd(multiple))
    return scale
