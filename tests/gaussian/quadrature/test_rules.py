"""The nodes of Gauss and Legendre by Arb, against mpmath's own by Newton's method."""

from mpmath import mp
from mpmath.calculus.quadrature import GaussLegendre

from asympt.gaussian.quadrature.profile import legendre_rule


def test_nodes_and_weights():
    with mp.workdps(50):
        found, expected = sorted(legendre_rule(40)), sorted(GaussLegendre(mp).calc_nodes(5, mp.prec))
        assert len(found) == len(expected) == 48
        worst = max(abs(a - b) for one, two in zip(found, expected, strict=True) for a, b in zip(one, two, strict=True))
    assert worst < 1e-49
