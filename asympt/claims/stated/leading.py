"""'quantity = term + ...': a printed first term against that of a law, with letters that the network defines.

The law, for symbolic learning rates, is put back into its recursion; its first term is compared, constant and power.

>>> from sympy import Symbol, pi
>>> from asympt.claims.stated.laws import StatedNetwork
>>> depth = Symbol("l", positive=True)
>>> LeadingTerm(StatedNetwork("mlp", "relu"), "angle", 3 * pi / depth).verify().verdict
'checked'
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from sympy import Expr, Rational, Symbol, latex, log, powsimp, simplify

from asympt.claims.stated.equalities import Where, put, swapped, with_definitions
from asympt.claims.stated.laws import AboutLaw, StatedNetwork, law_of
from asympt.claims.stated.statement import changes
from asympt.evidence.check import Check, Verification
from asympt.evidence.verify import symbolic_checks


@dataclass(frozen=True)
class LeadingTerm(AboutLaw):
    """The law of this name begins with `term`; `where`, what its letters are for the network; `true`, put right."""

    network: StatedNetwork
    law: str
    term: Expr
    where: Where = ()
    true: Expr | None = None
    evidence: Verification | None = None

    @property
    def found(self):
        """The law, its first term."""
        return law_of(self.network, self.law, 1)

    @property
    def first(self) -> Expr:
        """The first term of the law, its letters positive."""
        law = self.found
        monomial, coefficient = law.expansion.leading
        depth = law.depth_variable
        return _positive(coefficient * depth**-monomial.order * log(depth) ** monomial.logs)

    @property
    def latex(self) -> str:
        network = rf"{self.found.quantity}={latex(self.term)}+\cdots\quad({self.network.latex})"
        return with_definitions(network, self.where, self.term)

    @property
    def plain(self) -> str:
        return f"{self.found.plain} = {self.term} + ... ({self.network.plain})"

    def checks(self) -> tuple[Check, ...]:
        printed, found = _positive(put(self.term, self.where)), self.first
        same = bool(_near(printed / found)) and simplify(powsimp(printed / found)) == 1
        shown = "with " + ", ".join(f"{letter} = {value}" for letter, value in self.where) if self.where else ""
        check = Check("first term of the law", str(found), str(printed), same, "checked", shown)
        return (check, *_put_back(self.network, self.law))

    def corrected(self) -> "LeadingTerm":
        """With the true term where it is given, which is decided like the printed one; otherwise that of the law."""
        return replace(self, term=self.first, where=()) if self.true is None else replace(self, term=self.true)

    def mutated(self) -> Iterator["LeadingTerm"]:
        for term in (*changes(self.term), *swapped(self.term)):
            yield replace(self, term=term, true=None)


@lru_cache(maxsize=64)
def _put_back(network: StatedNetwork, law: str) -> tuple[Check, ...]:
    """The law in its own recursion, in symbols."""
    return tuple(symbolic_checks(law_of(network, law, 1)))


def _near(ratio: Expr) -> bool:
    """Whether a ratio is 1 at one point, before algebra says so."""
    point = {letter: Rational(7 * k + 9, 8) for k, letter in enumerate(sorted(ratio.free_symbols, key=str))}
    return abs(ratio.subs(point).evalf(30) - 1) < Rational(1, 10**20)


def _positive(formula: Expr) -> Expr:
    """Letters of one name are one letter, and positive."""
    return formula.xreplace({letter: Symbol(letter.name, positive=True) for letter in formula.atoms(Symbol)})
