"""What a document about a scaled residual network needs: its laws, the flow behind them, numbers for one start.

Rule.  lambda = g log l + C is the flow time at layer l up to O(1/l); T(t) = lambda inverted in powers of 1/lambda is
the compact form of the law of the correlation, and its expansion in 1/log l the law itself.

Known limits.  kappa = 1, a ReLU-like activation with numbers for its slopes, no bias.
"""

from dataclasses import dataclass
from functools import cached_property

from mpmath import mp, mpf
from sympy import EulerGamma, Expr, Rational, Symbol, sqrt

from asympt.errors import UnsupportedError
from asympt.evidence.law_terms import terms_of, value
from asympt.expansions import Expansion, Monomial, Scale
from asympt.numbers import symbol_names, to_mpf
from asympt.precise.layer import ScaledStep
from asympt.writing.law_material import LawMaterial

START = Rational(1, 10)
FLOW, EULER = Symbol("lambda", positive=True), Symbol(r"\gamma_{E}", positive=True)
ITERATED = (10**2, 10**3, 10**4)
EVALUATED = (10**6, 10**12, 10**100, 10**1000)
GUARD = 15
SHOWN = 15  # digits of a value in the table


def with_euler(formula: Expr) -> Expr:
    """Euler's constant under a name of its own, because gamma is the gap here."""
    return formula.subs(EulerGamma, EULER)


@dataclass(frozen=True)
class ScaledMaterial(LawMaterial):
    """Material about one law of a `ScaledResNet`; `terms` and `digits` as the user asked."""

    def __post_init__(self):
        super().__post_init__()
        if self.net.kappa != 1:
            raise UnsupportedError(f"kappa = {self.net.kappa}: documents are written for kappa = 1 only; print the law")
        if self.net.statement.parameters:
            names = symbol_names(self.net.statement.parameters)
            raise UnsupportedError(f"the network contains the symbols {names}; give numbers for a document")

    @property
    def is_ntk(self) -> bool:
        """Whether the document is about the NTK; the correlation law is part of it then."""
        return self.name == "ntk"

    # ---- the flow -----------------------------------------------------------------------------------

    @property
    def gain(self) -> Expr:
        """g = sigma_w^2 (a+^2 + a-^2)/2: branch l adds g/l times the variance."""
        return self.net.statement.layer.chi

    @property
    def rho(self) -> Expr:
        """The asymmetry of the activation."""
        return self.net.activation.asymmetry

    @property
    def lead(self) -> Expr:
        """s of h = s t^3 + ...: 2 sqrt(2) rho/3."""
        return 2 * sqrt(2) * self.rho / 3

    @cached_property
    def drift(self) -> Expansion:
        """h in t: gamma - (1 - f)."""
        f = self.net.correlation_map.expansion(9)
        return f - 1 + Expansion.variable(f.scale).power(2)

    @cached_property
    def compact(self) -> Expansion:
        """1 - c^l in lambda = g log l + C."""
        scale = Scale.at_infinity(FLOW)
        return self.law.time.revert(scale).power(2).up_to(Monomial(7))

    @property
    def ratio(self) -> Expansion:
        """The law of the kernel with a letter for Euler's constant."""
        own = self.law.expansion
        return Expansion.build(own.scale, {k: with_euler(c) for k, c in own.terms}, own.remainder)

    # ---- numbers ------------------------------------------------------------------------------------

    @cached_property
    def constants(self) -> dict:
        """C and, for the kernel, D."""
        found = {"C": self.law.connection_constant(self.digits, correlation=START)}
        return {**found, "D": self.law.second_constant(self.digits, correlation=START)} if self.is_ntk else found

    @cached_property
    def orbit(self) -> dict[int, tuple]:
        """{layer: (gap, K(x,x')/q_l, K(x,x)/q_l)} at the layers that are iterated one after the other."""
        step, kept = ScaledStep(self.net.statement), {}
        with mp.workdps(self.digits + GUARD):
            pair, single = (1, 1 - to_mpf(START), to_mpf(START)), (1, mpf(0), mpf(1))
            while pair[0] < ITERATED[-1]:
                pair, single = step(pair), step(single)
                if pair[0] in ITERATED:
                    kept[pair[0]] = (pair[1], pair[2], single[2])
        return kept

    def observed(self, depth: int):
        """The quantity at a depth: iterated as far as that is done, evaluated beyond."""
        if depth not in ITERATED:
            return self.law.evaluate(depth, digits=min(self.digits, 20), correlation=START)
        gap, kernel, single = self.orbit[depth]
        with mp.workdps(self.digits + GUARD):
            return kernel / single if self.is_ntk else gap

    def sum_at(self, depth: int):
        """The printed terms of the law."""
        with mp.workdps(self.digits + GUARD):
            return value(terms_of(self.law.expansion, self.constants), mp.log(depth))

    def constancy(self, depth: int):
        """T(t_l) - g log l - C at an iterated layer, from the printed terms of T."""
        with mp.workdps(self.digits + GUARD):
            time = value(terms_of(self.law.time), mp.sqrt(self.orbit[depth][0]))
            return time - to_mpf(self.gain) * mp.log(depth) - self.constants["C"]
