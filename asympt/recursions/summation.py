"""`summation` and `product`: infinite sums with proved constants, by Euler and Maclaurin in ball arithmetic.

With a primitive G of g, lim_N sum_(k<=N) g(k) - G(N) - g(N)/2 - sum_(j<=M) B_2j/(2j)! g^(2j-1)(N) is

    sum_(k<m) g(k) + g(m)/2 - G(m) - sum_(j<=M) B_2j/(2j)! g^(2j-1)(m) + R.

If g is analytic and |g| <= K x^p in the discs |z - x| <= rho x, x >= m, then Cauchy's estimate of g^(2M) gives

    |R| <= 2 zeta(2M) (2M)! (2 pi rho)^(-2M) K m^(p + 1 - 2M)/(2M - 1 - p).

K and p are carried through the formula with a bound from below and one of the argument (`PowerBounds`), so that no
quotient, power or logarithm meets 0 or leaves its branch; those of G do not either, so that G' = g is enough.

Where g = sum_k c_k w^k is analytic in w = n^(-1/q), |w| <= r, no primitive is needed: the terms from m on make

    sum_(k<K) c_k zeta(k/q, m) + R,    |R| <= max |g| x^K/(1 - x) (1 + m/(K/q - 1)),  x = m^(-1/q)/r.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import sympy
from flint import arb
from mpmath import mp
from sympy import Ei, Expr, Function, Pow, Rational, Symbol, atan, bernoulli, exp, expand_log, integrate, log, oo

from asympt.balls.arithmetic import Refused, bits_for, ends, exact_rational, nearest, working
from asympt.balls.expression import Outside, Program, half_circle, number
from asympt.deadline import READING, check_time, limited
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.printing import plain
from asympt.numbers import check_digits, exact, formula_in
from asympt.recursions.agreement import EXTRA
from asympt.saving import Saved
from asympt.spelling import printing

TURN = sympy.exp_polar(sympy.I * sympy.pi)  # in SymPy's Ei(-x)
RHO = Rational(1, 2)  # radius of the discs
HYPERBOLIC = (sympy.acoth, sympy.acosh, sympy.asinh, sympy.atanh)
LONGEST = 200  # operations in a primitive
SPARE, MOST = 10, 6  # terms beyond the digits; how often m is doubled, or r halved
ARCS, SLOWEST, LATEST = 256, 1.5, 10_000  # of the circle |w| = r; 1/x at the least, and m for it at the most
ENTIRE = atan, exp, sympy.erf, sympy.sin, sympy.cos, sympy.Si


@dataclass(frozen=True)
class ProvedSum(Saved):
    """An infinite sum or product: it lies in [`low`, `high`], rounded outward; `value` is its middle.

    `primitive`: None where it converges.  Otherwise what diverges, G and those of g/2, g'/12, ... that do not tend to
    0: they enclose lim_N (sum up to N) - primitive(N), of a product lim_N (product up to N)/exp(primitive(N)).
    `limit`: 0 or oo, to which a product that diverges tends.
    """

    value: object
    low: object
    high: object
    primitive: Expr | None = None
    digits: int = 40
    limit: Expr | None = None

    def __str__(self) -> str:
        """`value` to its digits, and what else there is of a sum that diverges."""
        shown = mp.nstr(self.value, self.digits)
        if self.limit is not None:
            return f"{shown}, without the factor exp({plain(self.primitive)}); the product tends to {self.limit}"
        return shown if self.primitive is None else f"{shown}, without {plain(self.primitive)}"


def summation(expression, limits, digits: int = 40) -> ProvedSum:
    """The sum of `expression` over (n, a, oo), proved to `digits` digits, or what is left of it without its primitive.

    `expression` is analytic in n^(-1/q) at infinity, or made of n, powers with rational exponents, logarithms and
    exponentials with a primitive that SymPy knows.
    Raises `InputError` for bad input, `UnsupportedError` where a hypothesis of the theorem cannot be shown.

    >>> from mpmath import nstr
    >>> n = Symbol("n")
    >>> nstr(summation(1 / (n * log(n) ** 2), (n, 2, oo)).value, 30)
    '2.10974280123689197447925719762'
    >>> found = summation(1 / n, (n, 1, oo), digits=20)
    >>> nstr(found.value, 20), found.primitive
    ('0.57721566490153286061', log(n))
    """
    return _proved(*_read(expression, limits, digits))


def product(expression, limits, digits: int = 40) -> ProvedSum:
    """The product of `expression` over (n, a, oo), as `summation` sums its logarithm; it may diverge to 0 or +-oo.

    Factors may be negative, or 0, before they tend to 1.

    >>> from mpmath import nstr
    >>> n = Symbol("n")
    >>> nstr(product(1 + 1 / n**2, (n, 1, oo)).value, 30)  # sinh(pi)/pi
    '3.67607791037497772069569749203'
    >>> product(1 - 1 / n, (n, 2, oo), digits=20).limit
    0
    """
    factor, n, *where = _read(expression, limits, digits)
    if factor == 0:
        raise InputError(f"every factor of the product is 0; give a formula in {n} that tends to 1")
    try:
        return _proved(log(factor), n, *where, factor)
    except UnsupportedError as error:
        raise UnsupportedError(f"{error}{_divergence(factor, n)}") from None


def _divergence(factor: Expr, n: Symbol) -> str:
    """Where a product goes by the sum of u = factor - 1 -> 0: log(1 + u) is between u/2 and 2u, of one sign far out."""
    positive = Symbol(n.name, positive=True)
    step = factor.subs(n, positive) - 1
    with suppress(UnsupportedError):
        _, diverges, last = _primitive(step, positive)
        if diverges is not None and step.limit(positive, oo) == 0:
            told = f"tends to {exp(last)}, as the sum of {step} diverges like {plain(diverges)}"
            return f"; from where its factors are positive the product {told}"
    return ""


def _read(expression, limits, digits) -> tuple:
    if not isinstance(limits, tuple) or len(limits) != 3 or limits[2] not in (oo, "oo"):
        raise InputError(f"limits = {limits}: only infinite sums have a constant; give (n, a, oo), a a whole number")
    first = exact(limits[1], "the first n")
    if not first.is_Integer:
        raise InputError(f"limits = {limits}: the sum starts at a whole number; give (n, a, oo), such as (n, 2, oo)")
    term, n = formula_in(expression, limits[0], "the term")
    if term.free_symbols - {n}:
        raise InputError(f"the term {term} contains symbols other than {n}; give numbers for them")
    return term, n, int(first), check_digits(digits)


def _proved(term: Expr, n: Symbol, first: int, digits: int, factor: Expr | None = None) -> ProvedSum:
    """The sum, or the product of the factors whose logarithm it is, to digits that are all proved (of 0: decimals)."""
    positive, near = Symbol(n.name, positive=True), Program(term if factor is None else factor, n)
    with limited(f"summing {term}", READING):
        far = expand_log(term.subs(n, positive), force=True)
        found = _at_infinity(term.subs(n, positive), positive)
        if found is None or found[1] is not None:
            try:
                primitive, *rest = _primitive(far, positive)
                found = partial(_regularised, far, positive, primitive), *rest
            except UnsupportedError:
                if found is None:
                    raise
        regular, diverges, last = found
        for extra in EXTRA:
            with working(bits_for(digits + extra)):
                start, ball = regular(first, digits + extra)
                with working(bits_for(digits + extra, 128)):
                    single = [_finite(near, k) for k in range(first, start)]
                    ball = sum(single, ball) if factor is None else math.prod(single, start=ball.exp())
                tiny = arb(10) ** -digits
                if ball.rad() <= tiny * abs(ball):
                    break
        else:
            if factor is not None or not ball.rad() <= tiny:
                raise PrecisionError(f"what {near.formula} makes is not proved to {digits} digits; ask for fewer")
        low, high = ends(ball, digits + 2)
    value = mp.zero if ball.contains(0) else nearest(ball, digits + 2)
    limit = None if diverges is None or factor is None else sympy.S.Zero if value == 0 else exp(last) * mp.sign(value)
    shown, left = printing(value, digits), diverges and diverges.xreplace({positive: n})
    return ProvedSum(shown, low, high, left, digits, limit)


def _primitive(term: Expr, n: Symbol) -> tuple[Expr, Expr | None, Expr]:
    """(G, what diverges, its limit): G(oo) = 0 where the sum converges, and then None."""
    PowerBounds.of(term, n, arb(MOST))  # an error for what is never proved
    w = Symbol("w", positive=True)  # log n: SymPy is quicker with exponentials than with logarithms, and knows more
    alone = not term.subs(log(n), w).has(log) or term.has(log(log(n)))
    found = integrate((term * n).subs(n, exp(w)), w).subs(w, log(n)) if term.has(log) and alone else integrate(term, n)
    found = expand_log(found.subs(TURN, -1).rewrite(HYPERBOLIC, log), force=True).subs(Ei(log(n)), sympy.li(n)).expand()
    if found.has(sympy.Integral) or found.count_ops() > LONGEST or (found.diff(n) - term).simplify() != 0:
        raise UnsupportedError(f"SymPy finds no short primitive of {term}, and without one its sum cannot be proved")
    last = found.limit(n, oo)
    if last.is_finite:
        return found - last, None, last
    if last not in (oo, -oo):
        raise UnsupportedError(f"it is not known whether the sum of {term} converges: its primitive tends to {last}")
    diverges, part, j = found, term / 2, 0
    while part.limit(n, oo) != 0:
        diverges, j = diverges + part, j + 1
        part = bernoulli(2 * j) / sympy.factorial(2 * j) * term.diff(n, 2 * j - 1)
    return found, diverges, last


def _regularised(term: Expr, n: Symbol, primitive: Expr, first: int, digits: int) -> tuple[int, arb]:
    """(m, sum_(k>=m) g(k) - G(k) + G(k - 1) in the sense above) for g = `term`, m at least `first`."""
    order = digits + SPARE  # M, and m is as large
    start = max(first, 2) + order
    for _ in range(MOST):
        found = PowerBounds.of(term, n, arb(start))
        if found is not None and _is_analytic(primitive, n, arb(start)):
            break
        start *= 2
    else:
        raise UnsupportedError(f"{term} could not be shown to be analytic, with nonzero denominators, for large n")
    with working(bits_for(digits, 128), 2 * order + 2):
        jet = Program(term, n).taylor(arb(start), 2 * order)
        total = jet[0] / 2 - _finite(Program(primitive, n), start)
        for j in range(1, order + 1):
            total -= exact_rational(bernoulli(2 * j)) * jet[2 * j - 1] / (2 * j)
        return start, total + arb(0, found.remainder(order).abs_upper())


def _at_infinity(term: Expr, n: Symbol) -> tuple[Callable, Expr | None, Expr] | None:
    """What `_by_zetas` makes of it, what diverges, its limit; None where g is not seen to be analytic in n^(-1/q)."""
    try:
        root = puiseux(term, n, 1, inner=1 / Y)
        known = puiseux(term, n, max(1, root.root - root.valuation + 1), inner=1 / Y)
    except (UnsupportedError, InputError):
        return None
    if known.valuation < 0:
        return None
    root, head = known.root, ((sympy.S.Zero,) * known.valuation + known.coefficients)[: known.root + 1]
    series = Program(term.subs(n, n**-root).together(), n)
    disc = _disc(series)
    if disc is None or (SLOWEST / disc[0]) ** root > LATEST:
        return None
    regular = partial(_by_zetas, series, disc, root, head)
    if not any(head):
        return regular, None, sympy.S.Zero
    powers = (1 - Rational(k, root) for k in range(root + 1))
    parts = [c * (n**p / p if p else log(n)) for p, c in zip(powers, head, strict=False)]
    diverges = sum(parts, head[0] / 2)
    return regular, diverges, diverges.limit(n, oo)


def _disc(series: Program) -> tuple[float, arb] | None:
    """r and max |g| where g is proved to be analytic for |w| <= r."""
    with working(128, SPARE), suppress(Refused):
        germ = series.germ(SPARE)
        for k in range(1, MOST + 1):
            with suppress(Refused):
                sizes = [abs(value).upper() for value in germ.on(half_circle(arb(2) ** -k, ARCS))]
                return 2.0**-k, max(sizes, key=float)
    return None


def _by_zetas(series: Program, disc: tuple, root: int, head: tuple, first: int, digits: int) -> tuple[int, arb]:
    """The same for sum_k c_k w^k, w = n^(-1/root); `head`: c_0, ..., c_root, exactly."""
    radius, size = disc
    start = max(first, digits + SPARE, math.ceil((SLOWEST / radius) ** root))
    count = 2 * root + int((digits + SPARE) / math.log10(radius * start ** (1 / root)))
    with working(bits_for(digits, 128), count + SPARE):
        m, x = arb(start), arb(start) ** (arb(-1) / root) / radius
        total = arb(0, (size * x**count / (1 - x) * (1 + m / (arb(count) / root - 1))).abs_upper())
        known = [*map(number, head), *series.germ(count + SPARE).coefficients(count)[len(head) :]]
        for k, c in enumerate(known):
            if not c.is_zero():
                total += c * (-m.digamma() if k == root else (arb(k) / root).zeta(m))
        return start, total


def _finite(program: Program, k: int) -> arb:
    check_time()
    try:
        value = program.value(arb(k))
        if value.is_finite():
            is_zero = value.contains(0) and program.formula.subs(program.symbol, k) == 0
            return arb(0) if is_zero else value
    except Outside as error:
        if not error.certain:
            raise
    raise InputError(f"{program.formula} has no finite real value at {program.symbol} = {k}; start later")


def _is_analytic(f: Expr, n: Symbol, m: arb) -> bool:
    """Whether all that could make a primitive jump on [m, oo) is seen not to: powers, log, li(x) = Ei(log x)."""
    for part in f.rewrite(Ei).atoms(Pow, Function):
        if part.has(n) and not isinstance(part, ENTIRE):
            found = PowerBounds.of(part.args[0] if isinstance(part, Ei) else part, n, m)
            if found is None or (isinstance(part, Ei) and not found.low > 0):
                return False
    return True


@dataclass(frozen=True)
class PowerBounds:
    """low x^bottom <= |f(z)| <= high x^top and |arg f(z)| <= turn for |z - x| <= rho x, x >= m; low may be 0."""

    low: arb
    bottom: Rational
    high: arb
    top: Rational
    turn: arb
    m: arb

    @classmethod
    def of(cls, f: Expr, n, m: arb) -> "PowerBounds | None":
        """Of a formula; None where some hypothesis fails on these discs."""
        if not f.has(n):
            size = abs(number(f))
            return cls(size, Rational(0), size, Rational(0), arb(0) if f.is_positive else arb.pi(), m)
        if f == n:
            rho = exact_rational(RHO)
            return cls(1 - rho, Rational(1), 1 + rho, Rational(1), rho.asin(), m)
        base, exponent = f.as_base_exp()
        if exponent.has(n) and base.is_positive and not base.has(n):
            inner, negative = (cls.of(sign * exponent * log(base), n, m) for sign in (1, -1))
            return inner and cls._exp(inner, negative)
        if not (f.is_Add or f.is_Mul or (f.is_Pow and f.exp.is_Rational) or isinstance(f, log)):
            raise UnsupportedError(f"{f} is not built from logarithms, exponentials and powers with rational exponents")
        parts = [cls.of(part, n, m) for part in (f.args[:1] if f.is_Pow else f.args)]
        if None in parts:
            return None
        if f.is_Mul:
            return cls._product(parts, m)
        return parts[0]._power(f.exp) if f.is_Pow else cls._sum(parts, m) if f.is_Add else parts[0]._log()

    @classmethod
    def _product(cls, parts: list, m: arb) -> "PowerBounds":
        low = high = arb(1)
        for part in parts:
            low, high = low * part.low, high * part.high
        bottom, top = (sum((getattr(part, name) for part in parts), Rational(0)) for name in ("bottom", "top"))
        return cls(low, bottom, high, top, sum((part.turn for part in parts), arb(0)), m)

    @classmethod
    def _sum(cls, parts: list, m: arb) -> "PowerBounds":
        """The largest part, and the others against it."""
        first = max(parts, key=lambda part: (part.bottom, float(part.low.mid())))
        others, top = [part for part in parts if part is not first], max(part.top for part in parts)
        high = sum((part.high * m ** exact_rational(part.top - top) for part in parts), arb(0))
        moved = arb(0)
        for part in others:
            falls = part.top <= first.bottom
            moved += part.high * m ** exact_rational(part.top - first.bottom) if falls else first.low
        low = first.low - moved if first.low > moved else arb(0)
        turn = first.turn + ((moved / first.low).asin() if low > 0 else arb.pi() / 2)
        return cls(low, first.bottom, high, top, turn, m)

    def _power(self, exponent: Rational) -> "PowerBounds | None":
        whole, size = exponent.is_Integer, exact_rational(exponent)
        if not (whole and exponent > 0) and not self.low > 0:
            return None
        if not whole and not self.turn < arb.pi():
            return None
        ends_ = [(self.low, self.bottom), (self.high, self.top)][:: 1 if exponent > 0 else -1]
        (low, bottom), (high, top) = ((k if k.is_zero() else k**size, p * exponent) for k, p in ends_)
        return PowerBounds(low, bottom, high, top, self.turn * abs(size), self.m)

    def _log(self) -> "PowerBounds | None":
        """|log f| <= |log |f|| + |arg f|, and log x <= x log(m)/m from m = 3 on."""
        if not (self.low > 0 and self.turn < arb.pi() and self.m > 3):
            return None
        rate = exact_rational(max(abs(self.top), abs(self.bottom))) * self.m.log()
        high = abs(self.high.log()) + abs(self.low.log()) + self.turn
        least = self.low.log() + exact_rational(self.bottom) * self.m.log()
        low = least if self.bottom >= 0 and least > 0 else arb(0)
        top = Rational(0) if self.top == self.bottom == 0 else Rational(1)
        high = high + rate if top == 0 else high / self.m + rate / self.m
        return PowerBounds(low, Rational(0), high, top, arb.pi() / 2 if low > 0 else arb.pi(), self.m)

    @classmethod
    def _exp(cls, inner: "PowerBounds", negative: "PowerBounds") -> "PowerBounds | None":
        """Of what is bounded, or has a negative real part."""
        if inner.top <= 0:
            size = inner.high * inner.m ** exact_rational(inner.top)
            return cls((-size).exp(), Rational(0), size.exp(), Rational(0), size, inner.m)
        if not negative.turn < arb.pi() / 2:
            return None
        return cls(arb(0), Rational(0), arb(1), Rational(0), arb.pi(), inner.m)

    def remainder(self, order: int) -> arb:
        """The bound of |R|."""
        twice, rho = 2 * order, exact_rational(RHO)
        size = 2 * arb(twice).zeta() * arb(twice).gamma() * twice / (2 * arb.pi() * rho) ** twice
        falls = twice - 1 - exact_rational(self.top)
        if not falls > 0:
            raise UnsupportedError(f"the terms grow like n^{self.top}, too fast for so few digits; ask for more")
        return size * self.high * self.m ** (-falls) / falls
