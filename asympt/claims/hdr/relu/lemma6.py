"""Decisions on HDR Appendix Lemma 6: lambda_l = 1 - alpha/l + kappa log(l)/l^2 + O(l^(-1-beta)), b_l = q + O(1/l).

By elimination (`recursions.layered`), with both remainders as formal ones (beta >= 1 makes O(l^(-1-beta)) at most
O(l^(-2))),

    a_l = q l/(1+alpha) + kappa q/(alpha (1+alpha)) log l + O(1),

for every real alpha > 0; the hypothesis alpha > beta - 1 is not needed.  So the two positive constants A, B exist for
kappa > 0 and q > 0 only: for kappa < 0 the difference is negative, for kappa = 0 or q = 0, both allowed, it has no
log.  (At alpha = 0 it is kappa q log(l)^2/(2 l); for -1 < alpha < 0 the free part l^(-1-alpha) is larger.)
The lemma is used in Theorem 1, part 2, where kappa may have either sign; Theta there means 'of exact order'.
"""

import math
from collections.abc import Callable
from functools import lru_cache

from mpmath import mp, mpf
from sympy import Expr, Rational, Symbol, log, simplify

from asympt.claims.forms import at_most, identity, inequality, same
from asympt.claims.hdr.relu.lemma5 import ALPHA, SOURCE, iterate, no_exception
from asympt.compiling import as_function
from asympt.evidence.check import Check, Verification
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.numbers import to_mpf
from asympt.parsing import as_sympy
from asympt.recursions.linear_recurrence.solution import LAYER, LayeredSolution, layered_solution

KAPPA = Symbol("kappa", real=True)
SAMPLES = ((1, -1, 1), (2, 2, 1), (2, -3, 2), (Rational(5, 2), 1, 1))  # alpha, kappa, q
SHALLOW, DEEP = 100_000, 1_000_000
NEAR, FAR = 10**14, 10**15
SPARE_DIGITS = 70  # the residual is 10^-30 of its largest part at l = 10^15


def _multiplier(alpha: float, kappa: float) -> Callable[[int], float]:
    return lambda l: 1 - alpha / l + kappa * math.log(l) / l**2  # noqa: E741 - the layer


@lru_cache(maxsize=64)
def _rescaled(alpha: float, kappa: float, q: float, layers: int) -> float:
    """(a_l/l - q/(1 + alpha)) l/log l: between A and B if the lemma holds."""
    a = iterate(_multiplier(alpha, kappa), q, layers)
    return (a - layers * q / (1 + alpha)) / math.log(layers)


def lemma() -> Verification:
    """HDR.AL6: the exact coefficient, negative for kappa < 0 and 0 for kappa = 0 or q = 0."""
    return Verification("A log(l)/l <= a_l/l - q/(1+alpha) <= B log(l)/l with A, B > 0", (), _corrected())


def law() -> LayeredSolution:
    """The general solution with the printed remainders at their largest, beta = 1."""
    scale = Scale.at_infinity(LAYER)
    multiplier = {(0, 0): 1, (1, 0): -ALPHA, (2, 1): KAPPA}
    return layered_solution(
        Expansion.build(scale, multiplier, Formal(Monomial(2))),
        Expansion.build(scale, {(0, 0): SOURCE}, Formal(Monomial(1))),
    )


def _corrected() -> Verification:
    solution = law()
    exact = solution.particular.coefficient(0, 1)
    expected = KAPPA * SOURCE / (ALPHA * (1 + ALPHA))
    rest = solution.particular.remainder.monomial
    checks = (
        identity("coefficient of $log(l)/l$ minus $kappa q/(alpha(1+alpha))$", simplify(exact - expected)),
        same("what is left out of $a_l$", f"O({solution.particular.scale.to_sympy(rest)})", "O(1)"),
        no_exception(solution),
        _residual_settles(solution.particular.to_sympy()),
        _iteration_settles(exact),
    )
    return Verification("a_l/l = q/(1+alpha) + [kappa q/(alpha(1+alpha))] log(l)/l + O(1/l)", checks)


def growth_of_residual(terms: Expr, values: dict):
    """l (a_l - lambda_l a_(l-1) - b_l) for the terms given, per unit of log l between l = 10^14 and 10^15."""
    formula = as_function(LAYER, terms.subs(values), "mpmath")
    with mp.workdps(SPARE_DIGITS):
        alpha, kappa, q = (to_mpf(as_sympy(values[s])) for s in (ALPHA, KAPPA, SOURCE))
        rescaled = []
        for layer in map(mpf, (NEAR, FAR)):
            multiplier = 1 - alpha / layer + kappa * mp.log(layer) / layer**2
            rescaled.append(layer * (formula(layer) - multiplier * formula(layer - 1) - q))
        return abs(rescaled[1] - rescaled[0]) / mp.log(mpf(FAR) / NEAR)


def _residual_settles(terms: Expr) -> Check:
    figure = max(growth_of_residual(terms, dict(zip((ALPHA, KAPPA, SOURCE), s, strict=True))) for s in SAMPLES)
    name = (
        f"$l$ times the residual of the two terms, growth per unit of $log l$ up to $l = 10^15$, {len(SAMPLES)} cases"
    )
    return at_most(name, figure, 1e-8, "mpmath; 0 when the residual is O(1/l) as stated")


def _iteration_settles(coefficient: Expr) -> Check:
    """a_l - q l/(1+alpha) - coefficient log l of the recursion itself must stop growing with log l."""
    figures = []
    for sample in SAMPLES:
        number = float(coefficient.subs(dict(zip((ALPHA, KAPPA, SOURCE), sample, strict=True))))
        alpha, kappa, q = map(float, sample)
        ends = [(_rescaled(alpha, kappa, q, layers) - number) * math.log(layers) for layers in (SHALLOW, DEEP)]
        figures.append(abs(ends[1] - ends[0]) / math.log(DEEP / SHALLOW))
    name = f"$a_l$ minus the two terms, growth per unit of $log l$ from $l = 10^5$ to $10^6$, {len(SAMPLES)} cases"
    return at_most(name, max(figures), 2e-3, "float64 iteration from a_1 = 1")


def sum_of_products() -> Verification:
    """HDR.AL6.sum: S_l = (1 - (1+alpha)/l) S_(l-1) + (kappa log l + M)/l^2, and C_1 = kappa/alpha by elimination."""
    shift = Symbol("M", real=True)
    solution = layered_solution(1 - (1 + ALPHA) / LAYER, (KAPPA * log(LAYER) + shift) / LAYER**2, 1)
    checks = (
        no_exception(solution),
        inequality(
            "growth of $l S_l$ per unit of $log l$ at $l = 10^5$ against $kappa/alpha$, relative, $alpha = 1$, 2, 3",
            max(_growth_of_sum(alpha) for alpha in (1, 2, 3)),
            "<= 5e-3",
            "float64, kappa_1 = 1, M = 1",
        ),
    )
    return Verification("the sum is ~ C_1 log(l)/l with C_1 > 0, for kappa_1 > 0", checks)


def _growth_of_sum(alpha: int) -> float:
    total, ends = 0.0, []
    for layer in range(alpha + 1, SHALLOW + 1):
        total = (1 - (1 + alpha) / layer) * total + (math.log(layer) - 1) / layer**2
        if layer in (SHALLOW // 10, SHALLOW):
            ends.append(layer * total)
    return float(f"{abs(alpha * (ends[1] - ends[0]) / math.log(10) - 1):.3g}")
