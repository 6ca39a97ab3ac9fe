"""A statement is one object: its LaTeX, its plain text and its decision come from the same SymPy expressions.

`corrected` is what is true in its place: the printed constant replaced, or another statement given beside the printed
one (`Mistaken`).  No statement is refuted by one route: numbers need algebra, a ball that holds the number and leaves
the other out (`in_balls`), or a formula put right that the same numbers bear out and that differs from the printed one
(`beside`).

>>> from sympy import Symbol, cos, sin
>>> from asympt.claims.stated.equalities import Equality
>>> x = Symbol("x", real=True)
>>> printed, true = Equality(sin(2 * x), sin(x) * cos(x)), Equality(sin(2 * x), 2 * sin(x) * cos(x))
>>> found = Mistaken(printed, true).verify()
>>> found.verdict, found.corrected.verdict
('refuted', 'proved')
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations, islice, pairwise, product
from typing import ClassVar

import sympy
from flint import arb
from mpmath import mpf
from sympy import Abs, Expr, Integer, Max, Min, Rational, Symbol, cos, expand, oo, preorder_traversal, sign, tan

from asympt.balls.arithmetic import working
from asympt.balls.expression import number, shown
from asympt.deadline import attempted, limited
from asympt.errors import AsymptError
from asympt.evidence.check import EXACT, RELATIONS, Check, Verification
from asympt.expansions.opaque import RealConstant
from asympt.numbers import to_mpf
from asympt.parsing import restricts
from asympt.recursions.proofs.formal import constants_in, enclosures

POINTS, FEW, MOST, DIGITS = 16, 7, 256, 40  # points; those with integers near 0; corners
CLOSE = mpf(10) ** (10 - DIGITS)  # what numbers to these digits may be apart
NUMBERS, ALGEBRA, BALLS = "numbers", EXACT, "balls"  # routes
BITS = (64, 256, 1024)  # of balls, until they tell
SIMPLIFYING, SHOWN = 20.0, 20  # seconds; digits of a place
SIGNS = {sign: (RELATIONS[sign][0], tex) for sign, tex in (("<", "<"), ("<=", r"\le"), (">", ">"), (">=", r"\ge"))}
GOLDEN = Rational(61803398874989484820458683436563811772, 10**38)


class StatedFormula(ABC):
    """A formula that can be shown and decided.

    `printed_side`: the field that is changed and put right; `true`, where a form has it: what stands there in its
    place, or a whole statement, for a print that is known to be wrong.
    """

    printed_side: ClassVar[str] = "right"

    @property
    @abstractmethod
    def latex(self) -> str:
        """As a formula."""

    @property
    @abstractmethod
    def plain(self) -> str:
        """As text."""

    @abstractmethod
    def checks(self) -> tuple[Check, ...]:
        """What decides it."""

    def with_evidence(self, evidence: Verification | None) -> "StatedFormula":
        """The same where a verification of the law that it may be about was made already."""
        return self

    def corrected(self) -> "StatedFormula | None":
        """The statement of this form that is true, where it can be told."""
        true = getattr(self, "true", None)
        return true if true is None or isinstance(true, StatedFormula) else replace(self, **{self.printed_side: true})

    def verify(self) -> Verification:
        """The decision; a statement that fails with the true one beside it."""
        found = Verification(self.plain, self.checks())
        right = self.corrected() if any(check.passed is False for check in found.checks) else None
        if right is None:
            return found
        put = Verification(right.plain, right.checks())
        further = self.beside(right) if found.verdict != "refuted" and put.verdict in ("proved", "checked") else ()
        return replace(found, checks=(*found.checks, *further), corrected=put)

    def beside(self, right: "StatedFormula") -> tuple[Check, ...]:
        """The second witness where there is one route: by what the formula put right, which holds, is another one."""
        return ()


Stated = tuple[StatedFormula, ...]  # of one claim
Ledger = dict[str, Callable[[], Stated]]  # by the id of the claim


def in_balls(
    name: str, gaps: Iterable[Expr], bound: str = "0",
    against: Callable[[arb], bool] = lambda ball: not ball.contains(0), given: Callable[[int], Mapping] | None = None,
) -> tuple[Check, ...]:  # fmt: skip
    """The row of the first ball that holds an exact number and contradicts the statement; none where no ball does.

    `given`: balls for numbers that are known by a name, to so many bits.
    """
    for gap in gaps:
        with suppress(AsymptError):  # balls do not know a function in it
            known = enclosures(constants_in(gap), given)
            for bits in BITS:
                with working(bits):
                    ball = number(gap, known(bits) if known else None)
                    if against(ball):
                        return (Check(f"{name}, enclosed in a ball", shown(ball), bound, False, "proved", route=BALLS),)
    return ()


@dataclass(frozen=True)
class Mistaken(StatedFormula):
    """A printed formula that is wrong, and what is true in its place, of whatever form."""

    printed: StatedFormula
    instead: StatedFormula

    @property
    def latex(self) -> str:
        return self.printed.latex

    @property
    def plain(self) -> str:
        return self.printed.plain

    def checks(self) -> tuple[Check, ...]:
        return self.printed.checks()

    def with_evidence(self, evidence: Verification | None) -> "Mistaken":
        return Mistaken(self.printed.with_evidence(evidence), self.instead.with_evidence(evidence))

    def corrected(self) -> StatedFormula:
        return self.instead

    def beside(self, right: StatedFormula) -> tuple[Check, ...]:
        return self.printed.beside(right) if isinstance(right, type(self.printed)) else ()


def vanish(differences: Iterable[Expr]) -> bool:
    """Whether algebra, within `SIMPLIFYING` seconds, says that all of them are 0."""
    try:
        with limited("simplifying the difference of the two sides", SIMPLIFYING):
            return all(expand(rest) == 0 or (not _is_apart(rest) and sympy.simplify(rest) == 0) for rest in differences)
    except AsymptError:
        return False


def _is_apart(number: Expr) -> bool:
    """Whether three digits, where SymPy marks them as right, are not 0, which is seconds faster than algebra."""
    rough = number.evalf(3) if number.is_number else Integer(0)
    return bool(rough.is_Float and rough != 0 and rough._prec > 1)


def value_at(formula: Expr, place: Mapping[Symbol, Expr]) -> mpf | None:
    """Its real value there with the right sign, however small: 0 where SymPy marks none of very many digits as right.

    None where a part has no real value: |sqrt(x - 2)| at 0 is sqrt(2) by complex numbers only.
    """
    partial = (part for part in preorder_traversal(formula) if restricts(part) is not None)
    if any(part.xreplace(place).is_extended_real is False for part in partial):
        return None
    formula = formula.rewrite(Abs) if formula.has(Max, Min) else formula  # they cannot order numbers that are equal
    found = formula.xreplace(place).evalf(DIGITS, maxn=10 * DIGITS)
    if found == 0 or (found.is_Float and found._prec == 1):
        return mpf(0)
    return mpf(found._mpf_) if found.is_Float else None


def point_in_words(where: dict[Symbol, Expr]) -> str:
    """The values of letters; a letter whose name is LaTeX in braces without them.

    >>> point_in_words({Symbol("{q^*}"): Integer(2)})
    'q^* = 2'
    """
    return ", ".join(f"{symbol.name.removeprefix('{').removesuffix('}')} = {value}" for symbol, value in where.items())


def point_of(letters: Iterable[Symbol]) -> dict[Symbol, Rational]:
    """One value for each letter, none like another."""
    return {letter: Rational(7 * k + 9, 8) for k, letter in enumerate(sorted(letters, key=str))}


def opaque(value: Expr) -> RealConstant:
    """A fraction as a number with which SymPy does not compute: powers of it have no end."""
    return RealConstant(str(value.evalf(SHOWN)), lambda: to_mpf(value), ("place", value), exact=value)


def spread(letters: Iterable[Symbol], ranges: dict[str, tuple[Expr, Expr]]) -> list[dict[Symbol, Expr]]:
    """`POINTS` places of letters, the first off the grid of fractions, where sin(997 pi x) is 0."""
    ordered = list(enumerate(sorted(letters, key=str)))
    return [{s: _place(s, k + 7 * i, ranges, fine=k == 1) for i, s in ordered} for k in range(1, POINTS + 1)]


def _place(symbol: Symbol, index: int, ranges: dict[str, tuple[Expr, Expr]], fine: bool) -> Expr:
    """A value of a symbol, a short fraction unless it is fine: inside its range, or what its assumptions allow."""
    low, high = ranges.get(symbol.name, (Rational(1, 10), Rational(51, 10)) if symbol.is_positive else (-3, 3))
    if symbol.is_integer and symbol.name in ranges:
        return Integer(int(low) + index % int(high - low + 1))
    if symbol.is_integer:
        return Integer(index if symbol.is_positive else index % POINTS - POINTS // 2)
    share = (GOLDEN * index) % 1
    return opaque(low + (high - low) * share) if fine else low + (high - low) * Rational(round(share * 997), 997)


def special_points(points: list[dict], formulas: list[Expr], ranges: dict[str, tuple[Expr, Expr]]) -> list[dict]:
    """Each point, one letter at an end of its range or (next to) where a formula has no value, a kink or a jump.

    Then corners, all letters at such places.  Integers are small in several points: x^n has a value at 0 for n >= 0.
    """
    whole = {tuple(v for s, v in point.items() if s.is_integer): point for point in points}  # one point for each
    points = [whole[integers] for integers in sorted(whole, key=lambda found: sum(map(abs, found)))[:FEW]]
    found: dict[tuple, None] = {}  # in order
    for point in points:
        for s in point:
            alone = [*formulas, *(formula.subs({**point, s: s}) for formula in formulas)]
            found |= {(s, v): None for v in _special(s, alone, *ranges.get(s.name, (-oo, oo)))}
    beside = [[pair for pair in found if pair[0] == s] or [(s, v)] for s, v in points[0].items()]
    corners = islice(product(*beside), MOST) if len(beside) > 1 else ()
    return [*({**point, s: v} for s, v in found for point in points), *map(dict, corners)]


def _special(symbol: Symbol, formulas: list[Expr], low: Expr, high: Expr) -> set[Expr]:
    parts = {part for formula in formulas for part in preorder_traversal(formula)}
    parts |= {inner for part in parts if isinstance(part, tan) for inner in preorder_traversal(part.rewrite(cos))}
    turns = {part.args[0] if isinstance(part, Abs | sign) else restricts(part) for part in parts}
    turns |= {a - b for part in parts if isinstance(part, Max | Min) for a, b in combinations(part.args, 2)}
    low, high = (end + Integer(0) for end in (low, high))  # which may be Python's numbers
    zeros = {zero for turn in turns for zero in _zeros(turn, symbol)} | ({Integer(0)} if symbol.is_positive else set())
    between = pairwise(sorted((v for v in {low, high, *zeros} if v.is_finite), key=to_mpf))
    middles = (middle if middle.is_Rational else opaque(middle) for middle in (sum(pair) / 2 for pair in between))
    found = {low, high, *(zero + step for zero in zeros for step in (-1, 0, 1)), *middles}
    kinds = ["is_finite", *(kind for kind in ("is_integer", "is_positive") if getattr(symbol, kind))]
    allowed = (value for value in found if all(getattr(value, kind) for kind in kinds))  # SymPy cannot order them all
    return {value for value in allowed if all(to_mpf(gap) >= 0 for gap in (value - low, high - value) if gap != oo)}


def _zeros(formula: Expr | None, symbol: Symbol) -> list[Expr]:
    """Real zeros that are soon found."""
    if formula is None or formula.free_symbols != {symbol} or not symbol.is_real or formula.is_zero is not None:
        return []
    with (suppress(AsymptError, NotImplementedError, TypeError, ValueError),  # SymPy's: x^(1/997) becomes a polynomial
          limited("solving", 1.0), attempted("solving", 0.5)):  # inside a longer limit too; fmt: skip
        known = formula.as_poly(symbol)
        if known is not None and known.domain in (sympy.ZZ, sympy.QQ):
            return list(dict.fromkeys(known.real_roots()))
        return [zero for zero in sympy.solve(formula, symbol) if zero.is_real]
    return []
