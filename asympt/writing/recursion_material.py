"""Everything a document about a plain recursion needs, computed once, and how its constants are written.

Rule.  The law is the user's; what the document adds comes from the same recursion: with alpha t^(-m) the leading term
of A, the law of s_n = alpha t_n^(-m), in which the constant is normalised by the law itself (s_n = n + (beta/m) log n
+ B + ...), and that of the uniformiser t_n.  C enters every one of them only through

    B = C - (beta/m) log(alpha),

because A(t) = n + C reads s - (beta/m) log s + ... = n + B; so B is written where it differs from C.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from mpmath import mp
from sympy import Expr, Float, Integer, Rational, Symbol, log
from sympy.polys.rootoftools import ComplexRootOf

from asympt.errors import AsymptError, InputError
from asympt.expansions import Expansion
from asympt.numbers import check_depth, check_digits, exact, to_mpf
from asympt.recursions import Law, Recursion
from asympt.recursions.coordinates.abel import multiplicity, stride
from asympt.recursions.coordinates.abel_inversion import C
from asympt.recursions.place import Observable, Place
from asympt.recursions.protocol import Dynamics
from asympt.writing.formulas import tex
from asympt.writing.recursion_formulas import CHI, B, Notation

GUARD = 15
_LETTERS = ("xi", "eta", "zeta")


@dataclass(frozen=True)
class RecursionMaterial:
    """One law of one recursion; `start` x_0 and `depth` as far as they are given, `digits` of all constants."""

    recursion: Recursion
    law: Law
    start: Expr | None = None
    depth: int | None = None
    digits: int = 30

    @classmethod
    def of(cls, recursion: Recursion, law: Law, start=None, depth=None, digits: int = 30) -> "RecursionMaterial":
        """From what a user types; a law with parameters has no numbers, so its start is set aside.

        Where orbits change sides, the law is the one for the start, seen from the side of its even steps.
        """
        if not isinstance(recursion, Recursion) or not isinstance(law, Law):
            raise InputError(f"recursion = {recursion!r}, law = {law!r}: give a Recursion and a law of it")
        start = None if start is None or law.parameters else exact(start, "start")
        depth = None if depth is None or start is None else check_depth(depth)
        if start is not None and law.kind == "flip":
            law = law.for_start(start)
            recursion = _from_side_of(recursion, law.place)
        return cls(recursion, law, start, depth, check_digits(digits))

    # ---- what kind of recursion it is -------------------------------------------------------------

    @property
    def hyperbolic(self) -> bool:
        """Whether the coordinate is a Koenigs function."""
        return self.law.koenigs is not None

    @property
    def symbolic(self) -> bool:
        """Whether the law contains parameters, so that there are no numbers."""
        return bool(self.law.parameters)

    @property
    def flip(self) -> bool:
        """Whether the multiplier is -1, so that the second iterate counts."""
        return self.law.kind == "flip"

    @property
    def place(self) -> Place:
        """The fixed point and the side."""
        return self.law.place

    @property
    def dynamics(self) -> Dynamics:
        """The map whose coordinate is sought: its second iterate for a flip."""
        return self.law.double if self.flip else self.law.dynamics

    @property
    def root(self) -> int:
        """r: t = y^(1/r)."""
        return self.law.dynamics.root

    @property
    def observed(self) -> bool:
        """Whether the law is that of a function of x_n."""
        return isinstance(self.law.view, Observable)

    @property
    def ascending(self) -> bool:
        """Whether the map is written in rising powers, as one does near 0."""
        return self.recursion.fixed_point == 0

    # ---- formulas ---------------------------------------------------------------------------------

    @property
    def x(self) -> Symbol:
        """The map's own symbol."""
        return self.recursion.symbol

    @property
    def distance(self) -> Expr:
        """y, the distance from the fixed point, as a function of x."""
        return self.place.inner(self.x)

    def power_of_distance(self, exponent: Rational) -> Expr:
        """y^exponent as a function of x."""
        if self.place.at_infinity:
            return (self.place.sign * self.x) ** -exponent
        return self.distance**exponent

    def uniformiser(self, x: Expr) -> Expr:
        """t = y^(1/r) as a function of x, for reading."""
        share = Rational(1, self.root)
        return (self.place.sign * x) ** -share if self.place.at_infinity else self.inner(x) ** share

    @cached_property
    def notation(self) -> Notation:
        """How the constants of this recursion are written."""
        named = tuple(zip(self.named, _letters(len(self.named)), strict=True))
        if not self.hyperbolic:
            return Notation(named, self.shift)
        chi = Notation(named)(self.multiplier)
        if chi.is_Symbol:
            return Notation(named, base=chi)
        factor, inner = chi.as_coeff_Mul()
        solved = ((inner, CHI / factor),) if inner.is_Function else ()
        return Notation((*named, *solved))

    @cached_property
    def named(self) -> tuple[Expr, ...]:
        """The constants that get a letter: roots of polynomials, and what is known by its digits only."""
        found = set()
        for known in (self.recursion.fixed_point, *(c for _, c in self.law.expansion.terms)):
            found |= known.atoms(ComplexRootOf) | {a for a in known.atoms() if hasattr(a, "evaluator")}
        return tuple(sorted(found, key=str))

    def write(self, expression: Expr) -> str:
        """An expression on one line."""
        written = self.notation(expression)
        return self.notation.constant(expression) if written.is_number else tex(written)

    @property
    def point(self) -> Expr:
        """The fixed point in formulas: the symbol x* for a number that is a sum."""
        written = self.notation(self.recursion.fixed_point)
        return Symbol("x^{*}", real=True) if written.is_Add else written

    def outer(self, y: Expr) -> Expr:
        """x at the distance y, for reading."""
        return self.place.outer(y) if self.place.at_infinity else self.point + self.place.sign * y

    def inner(self, x: Expr) -> Expr:
        """The distance of x, for reading."""
        return self.place.inner(x) if self.place.at_infinity else self.place.sign * (x - self.point)

    # ---- the coordinate ---------------------------------------------------------------------------

    @cached_property
    def multiplier(self) -> Expr:
        """chi."""
        return self.law.koenigs.multiplier if self.hyperbolic else self.recursion.multiplier

    @property
    def advance(self) -> int:
        """By how much A grows in a step of `dynamics`."""
        return 2 if self.flip else 1

    @cached_property
    def growth(self) -> list[Expr]:
        """e_0, e_1, ..., t' = t (1 + e(t)): enough for the first terms of A."""
        m = multiplicity(self.dynamics.growth(12))
        return self.dynamics.growth(2 * m + 4 * max(2, stride(self.dynamics.growth(12))) + 1)

    @property
    def m(self) -> int:
        """A starts with t^(-m)."""
        return self.law.abel.multiplicity

    @cached_property
    def alpha(self) -> Expr:
        """The leading coefficient of A."""
        return self.law.abel.expansion.leading[1]

    @property
    def beta(self) -> Expr:
        """The iterative residue."""
        return self.law.abel.residue

    @cached_property
    def shift(self) -> Expr:
        """C - B = (beta/m) log(alpha)."""
        return Integer(0) if self.hyperbolic else self.beta / self.m * log(self.alpha)

    @property
    def shifted(self) -> bool:
        """Whether B is not C."""
        return self.shift != 0

    # ---- further laws of the same recursion --------------------------------------------------------

    @cached_property
    def terms(self) -> int:
        """How many terms the law has."""
        return len(self.law.expansion.terms)

    @cached_property
    def in_s(self) -> Law | None:
        """The law of s_n = alpha t_n^(-m), with enough terms to reach its constant."""
        if self.hyperbolic:
            return None
        s = self.alpha * self.power_of_distance(Rational(-self.m, self.root))
        return self.recursion.law(max(4, self.terms, self.m + 2), s)

    @property
    def is_s(self) -> bool:
        """Whether the document's law is that of s_n."""
        return self.in_s is not None and self.in_s.quantity == self.law.quantity

    @cached_property
    def in_t(self) -> Law | None:
        """The law of t_n; None when it is the document's own, but for the limit and the side."""
        t = self.power_of_distance(Rational(1, self.root))
        if self.hyperbolic or ((t - self.place.sign * self.x).is_number and not self.observed):
            return None
        law = self.recursion.law(max(4, self.terms), t)
        return None if law.quantity == self.law.quantity else law

    @cached_property
    def longer(self) -> Law | None:
        """The law with one term more, to say how large the first omitted term is."""
        try:
            return self.recursion.law(min(20, self.terms + 1), self.law.view.expression if self.observed else None)
        except AsymptError:
            return None

    def written(self, expansion: Expansion) -> Expansion:
        """An expansion with its constants as the document writes them."""
        return self.notation.expansion(expansion)

    # ---- numbers ----------------------------------------------------------------------------------

    @cached_property
    def constant(self):
        """C for the start, with a few digits more than are shown."""
        return self.law.connection_constant(min(200, self.digits + 5), start=self.start)

    @cached_property
    def shifted_constant(self):
        """B for the start, read off the constant term of the law of s_n."""
        term = self.in_s.expansion.coefficient(0)
        with mp.workdps(self.digits + GUARD):
            value = term.subs(C, Float(self.constant, mp.dps)).evalf(mp.dps)
            return to_mpf(value - self.notation(term).subs(B, 0))


def _from_side_of(recursion: Recursion, place: Place) -> Recursion:
    """The recursion approached from the side of a place."""
    if place.at_infinity:
        return replace(recursion, fixed_point=place.point)
    return replace(recursion, side="above" if place.sign > 0 else "below")


def _letters(count: int) -> list[Symbol]:
    return [Symbol(name, real=True) for name in (*_LETTERS, *(f"xi_{k}" for k in range(1, count)))[:count]]
