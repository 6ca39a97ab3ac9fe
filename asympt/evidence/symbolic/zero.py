"""Is a constant zero, and what is left of an identity that should hold.

Problem.  The symbolic checks end in coefficients such as sqrt(2)^2 - 2, sin(1)^2 + cos(1)^2 - 1, or cos(xi) - xi for a
fixed point xi that is known by its digits only.  Every one of them must vanish.

Rule.  A clearly non-zero value at one point decides against.  Otherwise exact algebra decides for ('proved'): that of
fields (`decisions.vanishes`).
Where it does not see the reason, or the coefficient came in digits, 80 vanishing ones count as such ('checked').
A root of a polynomial that no radicals express needs no field: the coefficient is divided by its polynomial, which is
irreducible, and vanishes when nothing is left.

Known limits.  Symbols are given one value each to reject and three to accept: a polynomial that vanishes at the first
by accident costs time, not truth.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sympy import Dummy, Expr, Float, Integer, Poly, Rational, expand, together
from sympy.polys.polyerrors import BasePolynomialError
from sympy.polys.rootoftools import ComplexRootOf

from asympt.errors import AsymptError
from asympt.evidence.check import Check
from asympt.expansions.fields.decisions import vanishes

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
    """Whether algebra shows that it is 0: a polynomial in one root that is not expressed otherwise by division."""
    roots = coefficient.atoms(ComplexRootOf)
    if not roots:
        return vanishes(coefficient)
    if len(roots) > 1:
        return False
    root, name = roots.pop(), Dummy()
    try:
        numerator = Poly(together(coefficient.xreplace({root: name})).as_numer_denom()[0], name, field=True)
        return numerator.rem(Poly(root.poly.as_expr(name), name)).is_zero
    except BasePolynomialError:  # the root inside of a logarithm or a power with symbols
        return False


def is_zero(coefficient: Expr) -> bool:
    """Whether the coefficient vanishes, by either means."""
    return zero_by(coefficient) is not None


def sample(symbols, shift: Rational = SHIFTS[0]) -> dict:
    """A positive value for every symbol, without simple relations between them."""
    return {symbol: shift + Rational(31 + 7 * k, 17) for k, symbol in enumerate(sorted(symbols, key=str))}


class Contradiction(AsymptError):
    """The printed law cannot be what it says, before any identity is looked at; carries the term that shows it."""

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
        """The check that nothing is left."""
        figure = str(self.survivors[0]) if self.survivors else str(Integer(0))
        if self.exact:
            return Check(name, figure, 0, not self.survivors, "proved", detail)
        detail = f"{detail.replace('exact zero', 'zero')}; some to {DIGITS - 20} digits, algebra does not show it"
        return Check(name, figure, 0, not self.survivors, "checked", detail)


def left_check(name: str, detail: str, find: Callable[[], Left]) -> Check:
    """The check that `find()` leaves nothing.

    A law that contradicts itself beforehand fails it; where SymPy finds no series, or cannot calculate with the
    constants, it is undone.
    """
    try:
        return find().check(name, detail)
    except Contradiction as found:
        return Check(name, str(found.term), 0, False, "proved", str(found))
    except (AsymptError, BasePolynomialError) as error:
        return Check(name, str(error), 0, None, "proved", detail)
