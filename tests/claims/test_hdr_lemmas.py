"""HDR Appendix Lemmas 5 and 6: the cases that decide them, by exact fractions and by plain iteration in mpmath."""

from fractions import Fraction

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol

from asympt import claims
from asympt.claims.hdr.relu import lemma5, lemma6
from asympt.recursions.linear_recurrence.solution import LAYER, layered_solution

POSITIVE = Symbol("alpha", positive=True)


def plain(alpha, kappa, q, layers):
    """a_l for lambda_l = 1 - alpha/l + kappa log(l)/l^2, b_l = q, a_1 = 1, with 40 digits: no code of the toolkit."""
    with mp.workdps(40):
        a = mpmath.mpf(1)
        for layer in range(2, layers + 1):
            a = (1 - mpmath.mpf(alpha) / layer + kappa * mp.log(layer) / layer**2) * a + q
        return a


def test_lemma_6_is_refuted_by_an_admissible_sequence():
    """alpha = q = beta = 1, kappa = -1: lambda_l and b_l are not negative, and a_l/l - 1/2 is not positive."""
    assert all(1 - 1 / layer - float(mpmath.log(layer)) / layer**2 >= 0 for layer in range(1, 1000))
    figures = [(plain(1, -1, 1, layers) / layers - 0.5) * layers / mp.log(layers) for layers in (500, 2000)]
    assert figures[1] < figures[0] < -0.2  # on the way to -1/2
    assert claims.find("HDR.AL6").check().verdict == "refuted"


def test_lemma_6_without_a_log_by_exact_fractions():
    """kappa = 0: a_l = (l + 1)/2 exactly, so l (a_l/l - 1/2) = 1/2 has no log."""
    a = Fraction(1)
    for layer in range(2, 60):
        a = (1 - Fraction(1, layer)) * a + 1
        assert a == Fraction(layer + 1, 2)


@pytest.mark.parametrize(("alpha", "kappa", "q"), [(1, -1, 1), (2, 3, 2)])
def test_the_coefficient_of_the_log_in_lemma_6(alpha, kappa, q):
    """a_l - q l/(1+alpha) grows by kappa q/(alpha(1+alpha)) log 4 from layer 4000 to 16000, up to log(l)^3/l."""
    ends = [plain(alpha, kappa, q, layers) - mpmath.mpf(q) * layers / (1 + alpha) for layers in (4000, 16000)]
    exact = lemma6.law().particular.coefficient(0, 1)
    values = {lemma5.ALPHA: alpha, lemma6.KAPPA: kappa, lemma5.SOURCE: q}
    assert float((ends[1] - ends[0]) / mp.log(4)) == pytest.approx(float(exact.subs(values)), abs=0.06)


def test_one_percent_in_the_coefficient_of_the_log_is_seen():
    """The residual check of the record: passes the law, fails it with the log term 1% off or dropped."""
    law = lemma6.law().particular
    log_term = law.coefficient(0, 1) * law.scale.to_sympy(law.terms[1][0])
    values = {lemma5.ALPHA: 1, lemma6.KAPPA: -1, lemma5.SOURCE: 1}
    assert lemma6.growth_of_residual(law.to_sympy(), values) < 1e-9
    assert lemma6.growth_of_residual(law.to_sympy() + log_term / 100, values) > 1e-3
    assert lemma6.growth_of_residual(law.to_sympy() - log_term, values) > 1e-1


def test_for_which_alpha_the_lemmas_hold():
    """alpha > 0, whole or not; at 0 one log more, between -1 and 0 the free part is larger than the next term."""
    assert lemma5.law().generic == lemma6.law().generic == ()
    at_zero = layered_solution(1 + 3 / LAYER**2, 5, terms=2)
    assert at_zero.resonances == (0,)
    assert at_zero.particular.coefficient(0, 1) == 15  # q c log l instead of a constant: T[log l] = 1/l + ...
    half = layered_solution(1 + Rational(1, 2) / LAYER + 3 / LAYER**2, 5, terms=2)
    assert half.exponent == Rational(1, 2) > 0


def test_the_gap_of_the_ntk_is_an_instance_of_lemma_6():
    """ReLU: lambda = 1 - 3/l + (9/2) log(l)/l^2 + ..., q = 1: kappa q/(alpha(1+alpha)) = 3/8, as in the NTK's law."""
    values = {lemma5.ALPHA: 3, lemma6.KAPPA: Rational(9, 2), lemma5.SOURCE: 1}
    assert lemma6.law().particular.coefficient(0, 1).subs(values) == Rational(3, 8)
