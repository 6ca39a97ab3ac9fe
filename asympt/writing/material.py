"""Everything a document needs, computed once: the laws, the map, and the form in which their constants are written.

Rule.  The laws come from the network, whatever it returns.  Two decisions make them readable, both reversible:

* Shifted constants.  C enters the law only through B = C - beta log(alpha), D through E = D + omega log(alpha),
  beta the iterative residue, omega the resonance; B and E are substituted and the logarithms cancel.
* alpha as a symbol.  When alpha = alpha_(-1) is not a small multiple of pi sqrt(2), coefficients are written in
  alpha, from the derivation with symbolic alpha, and only if it reproduces the law's own coefficients exactly;
  where it does not, the law is written as it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer, Rational, Symbol, expand, factor, log, pi, simplify, sqrt

from asympt.architectures.relu_like import (
    ALPHA,
    abel_for,
    leading_abel,
    ntk_solution_for,
    universal_expansion,
)
from asympt.expansions import Expansion, Monomial
from asympt.meanfield.correlation import CorrelationMap
from asympt.precise import LayerStep
from asympt.recursions import AbelFunction, Law, LinearSolution
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.writing.formulas import SHIFTED_FIRST, SHIFTED_SECOND
from asympt.writing.law_material import LawMaterial

B = Symbol(SHIFTED_FIRST, real=True)
E = Symbol(SHIFTED_SECOND, real=True)
LOG_ALPHA = Symbol("Lambda", real=True)
START = Rational(1, 10)


@dataclass(frozen=True)
class Material(LawMaterial):
    """What a document about one law of one network is made of; `terms` and `digits` as the user asked."""

    # ---- the network ----------------------------------------------------------------------------

    @property
    def symbolic(self) -> bool:
        """Whether the slopes contain symbols, so that there are no numbers to print."""
        return bool(self.alpha.free_symbols)

    @cached_property
    def alpha(self) -> Expr:
        """alpha_(-1), the value, from the law's own Abel function."""
        leading = self.law.abel.expansion.leading[1]
        return factor(leading) if leading.free_symbols else leading

    # ---- what an architecture says differently ------------------------------------------------------

    average = "K^L(x,x')/(qL)"  # LaTeX of what the law of the kernel describes
    map_name = "f"  # LaTeX of the map of one layer

    @property
    def _own_alpha(self) -> Expr:
        """alpha as the network writes it."""
        return leading_abel(self.net.layer.fold)

    @property
    def step(self) -> Callable:
        """The layer recursion in mpmath: (gap, K/q) of a layer to those of the next."""
        return LayerStep(self.net.statement.normal_form)

    def solution_in_alpha(self) -> LinearSolution:
        """P and H for a symbolic alpha."""
        return ntk_solution_for(ALPHA)

    def law_in_alpha(self, ntk: bool, terms: int) -> Expansion:
        """A law for a symbolic alpha."""
        return universal_expansion(ntk, terms)

    @property
    def rho(self) -> Expr:
        """The asymmetry rho of the activation."""
        return self.net.activation.asymmetry

    # ---- how the constants are written ------------------------------------------------------------

    @cached_property
    def in_alpha(self) -> bool:
        """Whether coefficients are written in alpha: unless alpha/(pi sqrt 2) is a fraction of small numbers."""
        multiple = simplify(self.alpha / (pi * sqrt(2)))
        return not (multiple.is_Rational and multiple.p * multiple.q < 100)

    @property
    def shown_alpha(self) -> Expr:
        """alpha as it appears in formulas: its value, or the symbol."""
        return ALPHA if self.in_alpha else self.alpha

    def _as_written(self, own: Expansion, universal: Expansion) -> Expansion:
        """`own`, or `universal` (in alpha) when that is wanted and says the same."""
        if not self.in_alpha:
            return own
        known = dict(universal.up_to(own.remainder.monomial).terms)
        same = set(known) == set(own.coefficients) and all(
            _equal(known[m].subs(ALPHA, self._own_alpha), c) for m, c in own.terms
        )
        return Expansion.build(own.scale, known, own.remainder) if same else own

    @cached_property
    def map(self) -> CorrelationMap:
        """f, its asymmetry written as the formulas want it."""
        return CorrelationMap.with_asymmetry(3 / (sqrt(2) * ALPHA)) if self.in_alpha else self.net.correlation_map

    @cached_property
    def abel(self) -> AbelFunction:
        """A(t)."""
        own = self.law.abel
        return AbelFunction(self._as_written(own.expansion.up_to(Monomial(9)), abel_for(ALPHA).expansion), own.root)

    @cached_property
    def linear(self) -> LinearSolution:
        """P(t) and H(t)."""
        own, universal = self.law.linear, self.solution_in_alpha()
        return LinearSolution(
            self._as_written(own.particular.up_to(Monomial(7)), universal.particular),
            self._as_written(own.homogeneous.up_to(Monomial(9)), universal.homogeneous),
            own.root,
        )

    @property
    def beta(self) -> Expr:
        """The iterative residue."""
        return self.law.abel.residue

    @property
    def resonant_power(self) -> int:
        """The power of t at which H starts and the resonance sits."""
        return int(self.linear.homogeneous.leading[0].order)

    @property
    def omega(self) -> Expr:
        """The weight of H log t in P."""
        power, first = self.resonant_power, self.linear.homogeneous.leading[1]
        return self.linear.particular.coefficient(power, 1) / first

    def law_as_written(self, law: Law) -> Expansion:
        """The expansion of a law in B and E instead of C and D."""
        universal = self.law_in_alpha(law.average, len(law.expansion.terms) + 1)
        return self.shifted(self._as_written(law.expansion, universal))

    def shifted(self, expansion: Expansion) -> Expansion:
        """C and D replaced by B + beta log(alpha) and E - omega log(alpha); a log that survives is named Lambda."""
        alpha = self.shown_alpha
        omega = self.omega if self.is_ntk else Integer(0)
        moved = expansion.subs({C: B + self.beta * log(alpha), D: E - omega * log(alpha)})
        settled = {m: c.expand() if c.has(log(alpha)) else c for m, c in moved.terms}  # most logarithms cancel
        return Expansion.build(moved.scale, settled, moved.remainder).subs({log(alpha): LOG_ALPHA})


def _equal(one: Expr, two: Expr) -> bool:
    """Equality of two coefficients: as written, or after SymPy's simplification."""
    return expand(one - two, log=False) == 0 or simplify(one - two) == 0
