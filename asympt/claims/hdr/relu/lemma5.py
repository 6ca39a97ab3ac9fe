"""Decisions on HDR Appendix Lemma 5: a_l = lambda_l a_(l-1) + b_l with lambda_l = 1 - alpha/l + c/l^2, b_l = q.

The exact 1/l coefficient of a_l/l is q (alpha + c)/(alpha (1 + alpha)) (see `recursions.layered`), for every real
alpha > 0, whole or not: no pivot of the elimination vanishes and the free part D l^(-alpha) of a_l dies out.  (At
alpha = 0 a log appears, q c log(l)/l in a_l/l; for -1 < alpha < 0 the free part D l^(-1-alpha) is larger than 1/l.)
Theta means positive constants on both sides (HDR, before Appendix Lemma 5), so lambda_l has c > 0: the lemma holds for
q > 0 but not for q = 0, which it allows (a_l/l ~ l^(-1-alpha)).  Of another sign c is no matter of the lemma; the
coefficient would vanish for c = -alpha.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from sympy import Rational, Symbol, simplify

from asympt.claims.forms import at_most, identity, same
from asympt.evidence.check import Check, Verification
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.recursions.linear_recurrence.solution import LAYER, LayeredSolution, layered_solution

ALPHA, CURVATURE, SOURCE = Symbol("alpha", positive=True), Symbol("c", real=True), Symbol("q", positive=True)


def iterate(multiplier: Callable[[int], float], q: float, layers: int) -> float:
    """a_l at l = layers by plain iteration from a_1 = 1 (from the first layer on at which lambda_l >= 0)."""
    a = 1.0
    for layer in range(2, layers + 1):
        a = max(0.0, multiplier(layer)) * a + q
    return a


def _rescaled(alpha: float, c: float, q: float, layers: int) -> float:
    """l (a_l/l - q/(1 + alpha))."""
    return iterate(lambda l: 1 - alpha / l + c / l**2, q, layers) - layers * q / (1 + alpha)  # noqa: E741 - the layer


def lemma() -> Verification:
    """HDR.AL5: the exact coefficient, which is 0 for q = 0; for c > 0 and q > 0 it is positive."""
    return Verification("a_l/l = q/(1+alpha) + Theta(1/l)", (), _corrected())


def law() -> LayeredSolution:
    """The general solution, with remainders in place of what is left open in lambda_l and b_l."""
    scale = Scale.at_infinity(LAYER)
    multiplier = {(0, 0): 1, (1, 0): -ALPHA, (2, 0): CURVATURE}
    return layered_solution(
        Expansion.build(scale, multiplier, Formal(Monomial(Rational(5, 2)))),
        Expansion.build(scale, {(0, 0): SOURCE}, Formal(Monomial(Rational(3, 2)))),
    )


def _corrected() -> Verification:
    solution = law()
    exact = solution.particular.coefficient(0)
    expected = SOURCE * (ALPHA + CURVATURE) / (ALPHA * (1 + ALPHA))
    figure = max(
        abs(_rescaled(a, c, 1, 100_000) - float(exact.subs({ALPHA: a, CURVATURE: c, SOURCE: 1})))
        for a, c in ((1, -1), (1, -3), (2, 1.5), (3, -2), (2.5, 1))
    )
    checks = (
        identity("coefficient of $1/l$ minus $q(alpha+c)/(alpha(1+alpha))$", simplify(exact - expected)),
        no_exception(solution),
        at_most("iteration at $l = 10^5$ against it, five $(alpha, c)$", figure, 1e-3),
    )
    subject = "a_l/l = q/(1+alpha) + [q(alpha+c)/(alpha(1+alpha))]/l + o(1/l) for lambda_l = 1 - alpha/l + c/l^2 + ..."
    return Verification(subject, checks)


def no_exception(solution: LayeredSolution) -> Check:
    """No alpha > 0 is exceptional: nothing divided by can vanish, and the free part D l^(-alpha) dies out."""
    exceptions = ", ".join(map(str, solution.generic)) or "none"
    if not solution.generic and not solution.exponent.is_negative:
        exceptions = "those with a free part that does not fall"
    detail = f"the free part of a_l is of the order l^({solution.exponent})"
    return same("exceptional $alpha > 0$", exceptions, "none", detail)


def product() -> Verification:
    """HDR.AL5.prod: for a whole number alpha the factor k = 1 + alpha is zero, and so is the printed product."""
    ratios = [float(_product(a, a + 2, 4000)) * 4000.0 ** (1 + a) / _factorial(a + 1) for a in (1, 2, 3)]
    figure = max(abs(r - 1) for r in ratios)
    right = at_most("$l^(1+alpha) prod_(k=2+alpha)^l / (1+alpha)! - 1$ at $l = 4000$", figure, 5e-3)
    return Verification("prod_(k=1)^l (1 - (1+alpha)/k) ~ l^(-1-alpha)", (),
                        Verification("prod_(k=2+alpha)^l (1 - (1+alpha)/k) ~ (1+alpha)! l^(-1-alpha)", (right,)))


def _product(alpha: int, first: int, last: int) -> Fraction:
    result = Fraction(1)
    for k in range(first, last + 1):
        result *= 1 - Fraction(1 + alpha, k)
    return result


def _factorial(n: int) -> int:
    return int(np.prod(range(1, n + 1)))


def sum_of_products() -> Verification:
    """HDR.AL5.sum: S_l = (1 - (1+alpha)/l) S_(l-1) + 1/l^2 from k = alpha + 1 on; alpha l S_l -> 1."""
    figures = []
    for alpha in (1, 2, 3):
        total = 0.0
        for layer in range(alpha + 1, 200_001):
            total = max(0.0, 1 - (1 + alpha) / layer) * total + 1.0 / layer**2
        figures.append(abs(alpha * 200_000 * total - 1))
    check = at_most("$|alpha l S_l - 1|$ at $l = 200000$, $alpha = 1$, 2, 3", max(figures), 1e-3)
    return Verification("the sum is ~ 1/(alpha l)", (check,))
