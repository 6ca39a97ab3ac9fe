"""Is a constant zero, and what is left of an identity that should hold.

A clearly non-zero value at one point decides against.  Otherwise algebra decides for ('proved'): the numerator is a
polynomial in `Kernels`, divided by what is known of them (r^q = b of a root, the polynomial of another algebraic
number, sin^2 + cos^2 = 1).  Where it does not see the reason, 80 vanishing digits count as such ('checked').
"""

from collections.abc import Callable
from dataclasses import dataclass

from sympy import Dummy, Expr, Float, Function, Integer, Pow, Rational, Symbol, cos, expand, expand_log, reduced, sin
from sympy.core.numbers import NumberSymbol
from sympy.polys.polyerrors import BasePolynomialError
from sympy.polys.rootoftools import ComplexRootOf

from asympt.errors import AsymptError
from asympt.evidence.check import Check

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
    other = e.atoms(NumberSymbol, ComplexRootOf, Function)
    return e.is_rational_function(*letters) and not other and all(x.exp.is_Integer for x in e.atoms(Pow))


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
