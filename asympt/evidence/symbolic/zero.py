"""Is a constant zero, and what is left of an identity that should hold.

A clearly non-zero value at one point decides against.  Otherwise algebra decides for ('proved'): the numerator is a
polynomial in `Kernels`, divided by what is known of them (r^q = b of a root, the polynomial of another algebraic
number, sin^2 + cos^2 = 1).  Where it does not see the reason, 80 vanishing digits count as such ('checked').
"""

from collections.abc import Callable
from dataclasses import dataclass

import sympy
from mpmath import mp
from sympy import QQ, Add, Dummy, Expr, Float, Integer, Rational, Symbol, cos, expand, expand_log, reduced, sin
from sympy.core.numbers import NumberSymbol
from sympy.polys.orderings import lex
from sympy.polys.polyerrors import BasePolynomialError
from sympy.polys.ring_series import rs_log, rs_mul, rs_pow, rs_subs, rs_trunc
from sympy.polys.rings import PolyRing, sring
from sympy.polys.rootoftools import ComplexRootOf

from asympt.errors import AsymptError, UnsupportedError
from asympt.evidence.check import Check
from asympt.evidence.law_terms import opaque_in
from asympt.numbers import to_mpf
from asympt.symbols import Reserved

VALUE, DIGITS = 40, 100  # digits evaluated to reject, and to accept
SMALL, TINY = Rational(1, 10**25), Rational(1, 10**80)
SHIFTS = (Integer(0), Rational(1, 10007), Rational(3, 20011))  # of the values given to symbols
LONGEST = 3000  # operations beyond which algebra is not waited for


def zero_by(coefficient: Expr) -> str | None:
    """'proved' or 'checked', by which means the coefficient is known to vanish; None when it does not.

    >>> from sympy import sqrt
    >>> zero_by(sqrt(2) ** 2 - 2), zero_by(sqrt(2) - 1)
    ('proved', None)
    """
    coefficient = expand(coefficient, log=False)
    if coefficient == 0:
        return "proved"
    symbols = coefficient.free_symbols
    if abs(coefficient.subs(sample(symbols)).evalf(VALUE)) > SMALL:
        return None
    if not coefficient.has(Float) and coefficient.count_ops() < LONGEST and _vanishes(coefficient):
        return "proved"
    vanishes = all(abs(coefficient.subs(sample(symbols, shift)).evalf(DIGITS)) < TINY for shift in SHIFTS)
    return "checked" if vanishes else None


def _vanishes(coefficient: Expr) -> bool:
    """Whether algebra shows that it is 0; False means only that this algebra does not."""
    top = expand_log(coefficient, factor=True).together().as_numer_denom()[0]
    kernels = Kernels()
    try:
        plain = kernels.plain(expand(top, log=False)).expand()
        relations = kernels.relations()
        named = [*kernels.known.values(), *sorted(plain.atoms(Generator), key=str)]
        return plain == 0 or bool(relations and reduced(plain, relations, *named)[1] == 0)
    except BasePolynomialError:  # a constant in a place where SymPy's polynomials have none
        return False


def is_zero(coefficient: Expr) -> bool:
    """Whether the coefficient vanishes, by either means."""
    return zero_by(coefficient) is not None


def sample(symbols, shift: Rational = SHIFTS[0]) -> dict:
    """A positive value for every symbol, without simple relations between them."""
    return {symbol: shift + Rational(31 + 7 * k, 17) for k, symbol in enumerate(sorted(symbols, key=str))}


class Generator(Symbol):
    """A symbol in the place of a constant that is known by its digits only; coefficients are fractions in it."""


class Kernels:
    """What is not a rational function of the constants, with a symbol for each: C, 1/C, roots, logarithms, pi."""

    def __init__(self):
        self.known: dict[Expr, Dummy] = {}

    def plain(self, e: Expr) -> Expr:
        """The expression as a polynomial in the symbols with rational functions of the constants as coefficients."""
        if e.is_Rational or isinstance(e, Generator) or _is_fraction(e):
            return e
        if e.is_Add or e.is_Mul:
            return e.func(*(self.plain(part) for part in e.args))
        if e.is_Pow and e.exp.is_Integer and e.exp > 0:
            return self.plain(e.base) ** e.exp
        if e.is_Pow and e.exp.is_Rational:
            return self._symbol(e.base ** Rational(1 if e.exp > 0 else -1, e.exp.q)) ** abs(e.exp.p)
        return self._symbol(e)

    def relations(self) -> list[Expr]:
        """What is known of the kernels, those inside of others last; each is 0."""
        found, seen = [], 0
        while seen < len(self.known):
            kernel, dummy = list(self.known.items())[seen]
            seen += 1
            if isinstance(kernel, ComplexRootOf):
                found.append(kernel.poly.as_expr(dummy))
            elif kernel.is_Pow and kernel.exp.is_Rational:
                power, base = dummy**kernel.exp.q, self.plain(kernel.base)
                found.append(power - base if kernel.exp > 0 else power * base - 1)
            elif isinstance(kernel, sin) and cos(*kernel.args) in self.known:
                found.append(dummy**2 + self.known[cos(*kernel.args)] ** 2 - 1)
        return found

    def _symbol(self, kernel: Expr) -> Expr:
        return self.known.setdefault(kernel, Dummy(str(kernel)))


def _is_fraction(e: Expr) -> bool:
    letters = e.free_symbols
    if not letters or not all(isinstance(letter, Generator) for letter in letters):
        return False
    other = e.atoms(NumberSymbol, ComplexRootOf, sympy.Function)
    return e.is_rational_function(*letters) and not other and all(x.exp.is_Integer for x in e.atoms(sympy.Pow))


class Contradiction(AsymptError):
    """The printed law contradicts itself, before any identity is checked; carries the term that shows it."""

    def __init__(self, term: Expr, reason: str):
        super().__init__(reason)
        self.term = term


@dataclass(frozen=True)
class Left:
    """What is left of an identity: terms that should have vanished, largest first.

    `exact`: no zero rests on digits.
    """

    survivors: tuple[Expr, ...]
    exact: bool = True

    @classmethod
    def of(cls, terms: list[tuple[Expr, Expr]], exact: bool = True) -> "Left":
        """From [(monomial, coefficient)], largest first; `exact`: the coefficients themselves are."""
        verdicts = [(zero_by(c), c * monomial) for monomial, c in terms]
        alive = tuple(term for verdict, term in verdicts if verdict is None)
        return cls(alive, exact and all(verdict != "checked" for verdict, _ in verdicts))

    def __add__(self, other: "Left") -> "Left":
        return Left(self.survivors + other.survivors, self.exact and other.exact)

    def check(self, name: str, detail: str) -> Check:
        figure = str(self.survivors[0]) if self.survivors else str(Integer(0))
        if self.exact:
            return Check(name, figure, 0, not self.survivors, "proved", detail)
        detail = f"{detail.replace('exact zero', 'zero')}; some to {DIGITS - 20} digits, algebra does not show it"
        return Check(name, figure, 0, not self.survivors, "checked", detail)


class Bare(AsymptError):
    """The law has no term beyond its limit, so that only the size of its remainder can be checked."""


def left_check(name: str, detail: str, find: Callable[[], Left]) -> Check:
    """The check that `find()` leaves nothing.

    A law that contradicts itself beforehand fails it; where SymPy finds no series, or cannot calculate with the
    constants, it is undone.
    """
    try:
        return find().check(name, detail)
    except Contradiction as found:
        return Check(name, str(found.term), 0, False, "proved", str(found))
    except Bare:  # no check of this kind is undone: another one takes its place
        raise
    except (AsymptError, BasePolynomialError) as error:
        return Check(name, str(error), 0, None, "proved", detail)


# ---- one ring for the symbolic checks: power series in a small u, coefficients in w and constants 
#
# QQ[u, w, constants], every constant a generator of its own; relations between them are used when coefficients are read
# back.  Those known by digits only are taken to 120, and what vanishes vanishes to 80; or they are `Generator`s.


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
            self.exact, domain, expanded = False, sympy.RealField(BITS), [_in_digits(e) for e in expressions]
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
        if not rs_trunc(element, self.u, 1).is_ground:
            raise UnsupportedError("the printed terms have a factor with 1/log, which no series in powers holds")
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
        return sympy.Poly(expand(cut.as_expr(), log=False), *self.generators).terms()

    def _read_fractions(self, cut) -> list[tuple]:
        size, found = len(self.generators), {}
        for powers, c in cut.terms():
            rest = [k**n for k, n in zip(self.kernels.values(), powers[size:], strict=True) if n]
            found.setdefault(powers[:size], []).append(sympy.Mul(c.as_expr(), *rest))
        return [(powers, Add(*terms)) for powers, terms in found.items()]

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
