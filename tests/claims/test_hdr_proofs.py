"""Lines of HDR's proofs beside what they should say, by SymPy's own series and by the layer recursion."""

from mpmath import mp, mpf
from sympy import Rational, series, symbols

from asympt.architectures.feedforward import FeedForward
from asympt.claims.hdr_proofs import KAPPA, Lemma, S, missing_term, slope_along, true_step
from asympt.gaussian.price.expansion import UNIFORMISER
from asympt.numbers import to_mpf

START = {"correlation": Rational(1, 10)}


def test_the_missing_term_of_the_printed_proof():
    """(gamma - s gamma^(3/2) - kappa gamma^(5/2))^(-1/2) by SymPy's own series."""
    t, s, kappa = symbols("t s kappa", positive=True)
    other = series((1 - s * t - kappa * t**3) ** Rational(-1, 2), t, 0, 4).removeO()
    ours = true_step().to_sympy()
    difference = ours.subs({S: s, KAPPA: kappa, UNIFORMISER: t}) - other / t
    assert difference.expand() == 0
    monomial, coefficient = missing_term()
    assert (monomial.order, coefficient) == (1, Rational(3, 8) * S**2)


def test_the_lemma_implies_the_coefficient_of_the_law():
    net = FeedForward("leaky_relu", slope=Rational(1, 10))
    law = net.ntk_law()
    lemma = Lemma.of(slope_along(law, net.correlation_law()))
    assert (lemma.decay, lemma.weight, lemma.implied) == (3, Rational(9, 2), Rational(3, 8))
    assert lemma.agrees(law) and not Lemma(lemma.decay, lemma.weight + 1).agrees(law)


def test_the_slope_along_the_orbit_is_that_of_the_map():
    """f'(c^l) by the layer recursion at l = 10^4, with C from the law's own evaluation: up to O(1/l^3)."""
    net, depth = FeedForward("relu"), 10**4
    law, correlation = net.ntk_law(), net.correlation_law()
    along = slope_along(law, correlation)
    with mp.workdps(20):
        gap = correlation.evaluate(depth, **START)
        slope = 1 - mp.acos(1 - gap) / mp.pi
        constant = law.connection_constant(**START)
        values = {law.constant_symbols["C"]: constant, correlation.depth_variable: depth}
        assert abs(slope - to_mpf(along.to_sympy().subs(values).evalf(20))) < mpf(10) ** -9
