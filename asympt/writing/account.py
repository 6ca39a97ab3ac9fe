r"""What a document about any law is made of: the law, its steps, what it is about, and how its constants are written.

Rule.  Everything comes from `law.steps`.  Constants known by their digits get letters, the multiplier of an exponential
law is written chi, and where A has a logarithm the constants of integration are B = C - (beta/m) log(alpha) and
E = D + (omega/m) log(alpha), in which the logarithms of constants cancel.  A law of a family (ReLU-like networks) whose
own numbers are long or parameters is told as that of the family, in the letters alpha and delta.

Tiny case.  A law of 1 - c^l in powers of chi^l: chi is a letter with its value beside it, C stays C.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer, S, Symbol, expand, expand_log, latex, log, pi, simplify, sqrt

from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.opaque import RealConstant
from asympt.recursions import Law
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.recursions.protocol import Step
from asympt.writing.edge_material import B, E
from asympt.writing.formulas import Piece, break_lines, tex
from asympt.writing.recursion_formulas import CHI, Notation, ReadsAbel

LINES, MOST = 5, 8  # of a formula, of its terms


@dataclass(frozen=True)
class Subject:
    """What a law is about: the title, the LaTeX of the setting, what is at rest at the fixed point, works cited."""

    title: str
    setting: str
    variable: str
    cited: tuple[str, ...] = ()


@dataclass(frozen=True)
class Letters(Notation):
    """Letters for constants known by digits, chi for the multiplier, B and E for C and D."""

    second: Expr = S.Zero

    def __call__(self, expression: Expr) -> Expr:
        """The expression as it is written."""
        written = with_letters(expression)
        for old, new in self.replacements:
            written = written.subs(old, new)
        if not written.has(C, D) or (self.shift == 0 and self.second == 0):
            return written
        moved = expand(written.subs({C: B + self.shift, D: E - self.second}), log=False)
        return expand(expand_log(moved, force=True), log=False)

    def scale(self, scale: Scale) -> Scale:
        """The scale as it is written; one of two exponentials stays as it is."""
        return super().scale(scale) if getattr(scale, "second", None) is None else scale


def with_letters(expression: Expr) -> Expr:
    """The expression with a symbol for every constant known by its digits."""
    return expression.xreplace({c: letter(c) for c in expression.atoms(RealConstant)})


def letter(constant: RealConstant) -> Symbol:
    """f_{2} for f2; positive where the constant is, so that logarithms expand."""
    shown = re.sub(r"^([A-Za-z]+)(\d+)$", r"\1_{\2}", latex(constant))
    shown = re.sub(r"_(\w)$", r"_{\1}", shown)
    return Symbol(shown, positive=True) if constant.is_positive else Symbol(shown, real=True)


@dataclass(frozen=True)
class Account(ReadsAbel):
    """One law, told: `start` by the names of the law's reader, None when there are to be no numbers."""

    law: Law
    subject: Subject
    start: dict | None = None
    digits: int = 30

    @cached_property
    def told(self) -> Law:
        """The law whose formulas are printed: that of its family where its own numbers are long."""
        return as_told(self.law)

    def find(self, kind: str, form: str | None = None) -> Step | None:
        """The first step of this kind (and form)."""
        found = (s for s in self.told.steps if s.kind == kind and form in (None, s.form))
        return next(found, None)

    @property
    def depth(self) -> Symbol:
        """l or n."""
        return self.law.depth_variable

    @property
    def at_depth(self) -> str:
        """The same in LaTeX."""
        return tex(self.depth)

    # ---- the coordinate ---------------------------------------------------------------------------------

    @cached_property
    def coordinate(self) -> Step | None:
        """The coordinate, None for a law that needs none."""
        return self.find("coordinate")

    @property
    def form(self) -> str:
        """'abel', 'koenigs', 'time' or '' without a coordinate."""
        return self.coordinate.form if self.coordinate else ""

    @property
    def root(self) -> int:
        """r of y = t^r."""
        step = self.find("uniformiser")
        return int(step["root"]) if step else 1

    @property
    def abel(self) -> Expansion:
        """A."""
        return self.coordinate["abel"]

    @property
    def growth_letter(self) -> str:
        """Of the coefficients of e(t); g where the map's own ones are called e."""
        return "g" if any(c.name.startswith("e") for c in self.constants) else "e"

    @cached_property
    def omega(self) -> Expr:
        """The weight of H log t in P; 0 where there is none."""
        step = self.find("linear", "particular")
        if self.form != "abel" or step is None or "homogeneous" not in step:
            return Integer(0)
        monomial, first = step["homogeneous"].leading
        return step["particular"].coefficients.get(Monomial(monomial.order, 1), Integer(0)) / first

    # ---- formulas -----------------------------------------------------------------------------------------

    @cached_property
    def notation(self) -> Letters:
        """How this law's constants are written."""
        if self.form == "abel":
            logarithm = log(with_letters(self.alpha))
            first = with_letters(self.beta) / self.m * logarithm
            return Letters((), first, CHI, with_letters(self.omega) / self.m * logarithm)
        base = getattr(self.law.expansion.scale, "base", None)
        return Letters((), S.Zero, CHI if base is None else self._base(base))

    def _base(self, base: Expr) -> Expr:
        """chi^l for 2^(-l), but the letter of a constant or a parameter where it is one."""
        written = with_letters(base)
        return CHI if written.is_number else written

    @property
    def base_value(self) -> str:
        r"""\chi = 1/2 where chi stands for a number."""
        base = getattr(self.law.expansion.scale, "base", None)
        if base is None or self.notation.base != CHI or getattr(self.law.expansion.scale, "second", None) is not None:
            return ""
        return rf"\chi={self.notation.constant(base)}"

    def pieces(self, expansion: Expansion, lines: int = LINES, count: int = MOST) -> list[Piece]:
        """As many terms (at most `count`, at least one) as fit on so many lines."""
        for terms in range(min(count, len(expansion.terms)), 1, -1):
            pieces = self.notation.pieces(expansion, terms)
            if len(break_lines(pieces, taken=6)) <= lines:
                return pieces
        return self.notation.pieces(expansion, 1)

    def all_pieces(self, expansion: Expansion) -> list[Piece]:
        """Every term, however long."""
        return self.notation.pieces(expansion)

    @cached_property
    def constants(self) -> list[RealConstant]:
        """The constants with letters in the law and in its coordinate."""
        found = set()
        for expansion in (self.told.expansion, *self.told.branches.values()):
            for _, c in expansion.terms:
                found |= c.atoms(RealConstant)
        base = getattr(self.law.expansion.scale, "base", None)
        found |= base.atoms(RealConstant) if isinstance(base, Expr) else set()
        found |= self.alpha.atoms(RealConstant) | self.beta.atoms(RealConstant) if self.form == "abel" else set()
        return sorted(found, key=lambda c: (re.sub(r"\d", "", c.name), int(re.sub(r"\D", "", c.name) or 0)))

    def has(self, constant: Symbol) -> bool:
        """Whether C or D is in the law."""
        own = self.told.constant_symbols[constant.name]
        return any(c.has(own) for branch in self.told.branches.values() for _, c in branch.terms)


# ---- laws of a family ---------------------------------------------------------------------------------------

_SMALL = 100  # of p q, where alpha/(pi sqrt(2)) = p/q


def as_told(law: Law) -> Law:
    """The law, or that of its family, unless alpha is a short number or the family's law does not become this one."""
    family = law.universal()
    if family is None or _is_short(law.abel.expansion.leading[1]):
        return law
    return family if _is_member(law.expansion, family.in_symbols_of(law), family.stands_for) else law


def _is_short(alpha: Expr) -> bool:
    """Whether alpha/(pi sqrt(2)) is a fraction of small numbers."""
    multiple = simplify(alpha / (pi * sqrt(2)))
    return bool(multiple.is_Rational and multiple.p * multiple.q < _SMALL)


def _is_member(own: Expansion, family: Expansion, values: Mapping[Symbol, Expr]) -> bool:
    """Whether the family's coefficients become the law's own."""
    known = family.coefficients
    return set(known) == set(own.coefficients) and all(
        _equal(known[monomial].subs(values), c) for monomial, c in own.terms
    )


def _equal(one: Expr, two: Expr) -> bool:
    """As written, or after SymPy's simplification."""
    return expand(one - two, log=False) == 0 or simplify(one - two) == 0
