"""One ring for the symbolic checks: power series in a small u with coefficients in w and constants.

SymPy's ring_series over QQ[u, w, constants], every constant a generator of its own; relations between constants are
used when coefficients are read back.  Constants that are known by digits only are taken to 120 digits, and what
vanishes vanishes to 80; `Generator`s in their place make coefficients fractions in QQ(constants).
"""

from mpmath import mp
from sympy import QQ, Add, Expr, Float, Mul, Poly, Rational, RealField, expand
from sympy.polys.orderings import lex
from sympy.polys.ring_series import rs_log, rs_mul, rs_pow, rs_subs, rs_trunc
from sympy.polys.rings import PolyRing, sring

from asympt.evidence.law_terms import opaque_in
from asympt.evidence.symbolic.zero import DIGITS, Generator, Kernels, Left, zero_by
from asympt.numbers import to_mpf
from asympt.symbols import Reserved

SPARE, BITS = 20, 420  # digits beyond those that are tested; bits of both together

U, W = Reserved("u", positive=True), Reserved("w", real=True)
V = Reserved("v", real=True)  # a second exponential, lambda^n besides mu^n, or (-1)^n


def spread(e: Expr) -> Expr:
    """The expression, expanded; left as it is over fractions, where the ring multiplies out by itself."""
    return e if e.has(Generator) else expand(e, log=False)


class Ring:
    """The polynomial ring of one check: u, w and whatever constants the expressions bring along."""

    def __init__(self, expressions: list[Expr], precision: int, generators: tuple = (U, W)):
        self.precision, self.generators = precision, generators
        self.kernels, self.exact = {}, True
        if any(e.has(Generator) for e in expressions):
            self._over_fractions(expressions)
            return
        if any(opaque_in(e) for e in expressions):
            self.exact, domain, expanded = False, RealField(BITS), [_in_digits(e) for e in expressions]
        else:
            domain, expanded = QQ, [expand(e, log=False) for e in expressions]
        self.ring, elements = sring([*generators, *expanded], domain=domain)
        self.own = elements[: len(generators)]
        self.u, self.w = self.own[:2]
        self.elements = list(elements[len(generators) :])

    def _over_fractions(self, expressions: list[Expr]) -> None:
        """Rational functions of the constants as coefficients; every other kernel is a generator."""
        kernels = Kernels()
        plain = [kernels.plain(e) for e in expressions]
        symbols = sorted(set().union(*(e.atoms(Generator) for e in plain)), key=str)
        self.kernels = {dummy: kernel for kernel, dummy in kernels.known.items() if kernel not in self.generators}
        own = [kernels.known.get(g, g) for g in self.generators]
        self.ring = PolyRing([*own, *self.kernels], QQ.frac_field(*symbols), lex)
        self.own = self.ring.gens[: len(own)]
        self.u, self.w = self.own[:2]
        self.elements = [self.ring.from_expr(e) for e in plain]

    def times(self, a, b):
        return rs_mul(a, b, self.u, self.precision)

    def root(self, element, exponent):
        """element^exponent for an element with constant term 1."""
        if exponent == 1:
            return element
        return rs_pow(element, exponent, self.u, self.precision)

    def log(self, element):
        """log of an element with constant term 1."""
        return rs_log(element, self.u, self.precision)

    def horner(self, coefficients: list, point):
        """sum_k coefficients[k] point^k."""
        total = self.ring.zero
        for coefficient in reversed(coefficients):
            total = self.times(total, point) + coefficient
        return total

    def coefficients(self, element) -> list[tuple]:
        """[(powers of the generators, coefficient)] with u below the precision, constants as SymPy has them."""
        cut = rs_trunc(element, self.u, self.precision)
        if self.ring.domain.is_FractionField:
            return self._read_fractions(cut)
        return Poly(expand(cut.as_expr(), log=False), *self.generators).terms()

    def _read_fractions(self, cut) -> list[tuple]:
        size, found = len(self.generators), {}
        for powers, c in cut.terms():
            rest = [k**n for k, n in zip(self.kernels.values(), powers[size:], strict=True) if n]
            found.setdefault(powers[:size], []).append(Mul(c.as_expr(), *rest))
        return [(powers, Add(*terms)) for powers, terms in found.items()]

    def terms(self, element) -> list[tuple[int, int, Expr]]:
        """(power of u, power of w, coefficient), after SymPy has simplified the coefficients; zeros dropped."""
        return [(*powers[:2], c) for powers, c in self.coefficients(element) if zero_by(c) is None]

    def left(self, element, allowed: int, logs: int, bias: int = 0) -> Left:
        """The terms of u^(-bias) element that are larger than u^allowed w^logs."""
        known = [(powers[0] - bias, powers[1], c) for powers, c in self.coefficients(element)]
        larger = [(i, j, c) for i, j, c in known if (i, -j) < (allowed, -logs)]
        larger.sort(key=lambda term: (term[0], -term[1]))
        return Left.of([(U**i * W**j, c) for i, j, c in larger], self.exact)


def _in_digits(expression: Expr) -> Expr:
    """The expression, expanded, with floating-point numbers for all constants."""
    with mp.workdps(DIGITS + SPARE):
        known = {c: Float(to_mpf(c), DIGITS + SPARE) for c in opaque_in(expression)}
        expanded, total = expand(expression.xreplace(known), log=False), []
        for term in Add.make_args(expanded):
            constant, rest = term.as_independent(*expanded.free_symbols, as_Add=False)
            total.append(Float(to_mpf(constant), DIGITS + SPARE) * rest)
    return Add(*total)


class DepthRing(Ring):
    """u = l^(-1/q), w = log l; `moved` takes u^bias times what goes from l to l + 1."""

    def __init__(self, expressions: list[Expr], precision: int, q: int = 1, bias=0):
        super().__init__(expressions, precision)
        self.q, self.bias = q, bias

    def moved(self, element):
        """u^bias times (u^(-bias) element) at l + 1."""
        grown = 1 + self.u**self.q
        new_u = self.times(self.u, self.root(grown, Rational(-1, self.q)))
        after = rs_subs(element, {self.u: new_u, self.w: self.w + self.log(grown)}, self.u, self.precision)
        return self.times(after, rs_pow(grown, Rational(self.bias, self.q), self.u, self.precision))


class GeometricRing(Ring):
    """u = mu^n, w = n, v = second^n; `factor` is mu^(-bias), where u^bias times what goes from n to n + 1 is moved."""

    def __init__(self, expressions: list[Expr], precision: int, mu: Expr, second: Expr, factor: Expr):
        super().__init__([mu, second, factor, *expressions], precision, (U, W, V))
        self.mu, self.second, self.factor, *self.elements = self.elements
        self.v = self.own[2]

    def moved(self, element):
        """u^bias times (u^(-bias) element) at n + 1."""
        moved = {self.u: self.mu * self.u, self.w: self.w + 1, self.v: self.second * self.v}
        return self.times(self.factor, rs_subs(element, moved, self.u, self.precision))
