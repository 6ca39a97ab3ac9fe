"""Lines of HDR's proofs as printed beside what is true: a missing (3/8) s^2 gamma^(1/2), and Appendix Lemma 6."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from sympy import Expr, Integer, Rational, Symbol, simplify

from asympt.expansions import Expansion, Formal, Monomial
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.law import Law

S, KAPPA = Symbol("s"), Symbol("kappa")


def printed_step() -> Expansion:
    """gamma_(l+1)^(-1/2) as printed, in t = gamma_l^(1/2): 1/t + s/2 + (kappa/2) t^2 + O(t^4)."""
    terms = {(-1, 0): 1, (0, 0): S / 2, (2, 0): KAPPA / 2}
    return Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(4)))


@lru_cache(maxsize=4)
def true_step(order: int = 3) -> Expansion:
    """(gamma - s gamma^(3/2) - kappa gamma^(5/2) + O(gamma^(7/2)))^(-1/2), expanded up to t^(order - 1)."""
    terms = {(2, 0): 1, (3, 0): -S, (5, 0): -KAPPA}
    return Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(order + 3))).power(Rational(-1, 2))


def missing_term() -> tuple[Monomial, Expr]:
    """The first term of the true step that the printed one lacks."""
    return (true_step() - printed_step()).leading


@dataclass(frozen=True)
class Fault:
    """The missing term in one network: s, kappa of its map, and alpha, beta of its Abel function."""

    s: Expr
    kappa: Expr
    alpha: Expr
    beta: Expr

    @cached_property
    def summed(self) -> Expr:
        """The weight of log l that the missing terms add up to, as gamma_l^(1/2) ~ alpha/l."""
        return missing_term()[1].subs(S, self.s) * self.alpha

    @cached_property
    def share(self) -> Expr:
        """The same in units of s/2, in which it should be beta."""
        return simplify(self.summed / (self.s / 2))

    @property
    def is_residue(self) -> bool:
        return simplify(self.share - self.beta) == 0


def slope_along(law: Law, correlation: Law) -> Expansion:
    """f'(c^l) along the orbit, in the layer l, from the steps of the law of the kernel or of the correlation."""
    linear = next((step for step in law.steps if "along" in step), None)
    if linear is not None:
        return linear["along"].renamed({law.depth_variable: correlation.depth_variable})
    flow = next(step for step in correlation.steps if step.form == "drift")
    return 1 - flow["slope"].compose(correlation.expansion.power(1 / flow["root"]))


@dataclass(frozen=True)
class Lemma:
    """Appendix Lemma 6 for 1 - decay/l + weight log(l)/l^2 + ...: K/(qL) = ... + implied log(L)/L."""

    decay: Expr
    weight: Expr

    @classmethod
    def of(cls, along: Expansion) -> "Lemma":
        return cls(-along.coefficient(1), along.coefficients.get(Monomial(2, 1), Integer(0)))

    @property
    def implied(self) -> Expr:
        """The coefficient of log(L)/L that a_l = lambda_l a_(l-1) + 1 has."""
        return self.weight / (self.decay * (1 + self.decay))

    def agrees(self, law: Law) -> bool:
        return simplify(law.expansion.coefficients.get(Monomial(1, 1), Integer(0)) - self.implied) == 0
