"""The slope of the correlation map along the orbit beside the layer recursion."""

from mpmath import mp, mpf
from sympy import Rational

from asympt import claims
from asympt.architectures.feedforward import FeedForward
from asympt.claims.stated.hdr import laws
from asympt.numbers import to_mpf

START = {"correlation": Rational(1, 10)}


def test_the_slope_along_the_orbit_is_that_of_the_map():
    """f'(c^l) by the layer recursion at l = 10^4, with C from the law's own evaluation: up to O(1/l^3)."""
    net, depth = FeedForward("relu"), 10**4
    law, correlation = net.ntk_law(), net.correlation_law()
    along = laws.slope(laws.RELU)
    with mp.workdps(20):
        gap = correlation.evaluate(depth, **START)
        slope = 1 - mp.acos(1 - gap) / mp.pi
        constant = law.connection_constant(**START)
        values = {law.constant_symbols["C"]: constant, correlation.depth_variable: depth}
        assert abs(slope - to_mpf(along.to_sympy().subs(values).evalf(20))) < mpf(10) ** -9


def test_the_left_sides_of_quotes_are_decided_too():
    for name, part in {"HDR.T2.sigdot": r"\dot\Sigma^l(x,x)", "HDR.AL8.map": r"\gamma_l^{-1/2}"}.items():
        assert any(part in formula.latex for formula in claims.find(name).formulas())
