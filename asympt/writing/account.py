r"""What a document about any law is made of: the law, its steps, what it is about, and how its constants are written.

Rule.  Everything comes from `law.steps`.  Constants known by their digits get letters, the multiplier of an exponential
law is written chi, and where A has a logarithm the constants of integration are B = C - (beta/m) log(alpha) and
E = D + (omega/m) log(alpha), in which the logarithms of constants cancel.

Tiny case.  A law of 1 - c^l in powers of chi^l: chi is a letter with its value beside it, C stays C.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer, S, Symbol, expand, expand_log, latex, log

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

    def find(self, kind: str, form: str | None = None) -> Step | None:
        """The first step of this kind (and form)."""
        found = (s for s in self.law.steps if s.kind == kind and form in (None, s.form))
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
        for expansion in (self.law.expansion, *self.law.branches.values()):
            for _, c in expansion.terms:
                found |= c.atoms(RealConstant)
        base = getattr(self.law.expansion.scale, "base", None)
        found |= base.atoms(RealConstant) if isinstance(base, Expr) else set()
        found |= self.alpha.atoms(RealConstant) | self.beta.atoms(RealConstant) if self.form == "abel" else set()
        return sorted(found, key=lambda c: (re.sub(r"\d", "", c.name), int(re.sub(r"\D", "", c.name) or 0)))

    def has(self, constant: Symbol) -> bool:
        """Whether C or D is in the law."""
        own = self.law.constant_symbols[constant.name]
        return any(c.has(own) for branch in self.law.branches.values() for _, c in branch.terms)
