"""Correlation maps of activations in pieces (kinks, curves that meet, poles): values, series and theorems.

Independent route: the correlation map of `asympt.meanfield` in mpmath (closed forms with the bivariate normal
distribution, quadrature in the plane) and its iteration.
"""

import pytest
from flint import arb
from mpmath import mp
from sympy import Rational

from asympt.balls.arithmetic import of_mpf, working
from asympt.balls.models import span_of
from asympt.meanfield.enclosed import kernel_map
from tests.balls.test_beside import network as beside
from tests.balls.test_kinks import network as kinked
from tests.balls.test_poles import network as rational

BITS, START = 128, Rational(1, 10)
MAPS = {  # the network, the interval of a series and its length, the layers that are iterated
    **{name: (kinked, "0.2", 28, 40 if "ordered" not in name else 12) for name in (
        "hard_tanh", "relu6", "hard_tanh, ordered", "uneven, ordered")},
    "softshrink, ordered": (kinked, "0.0625", 28, 12),
    **{name: (beside, "0.0625", 20, 11) for name in ("swish", "swish, edge", "quadratic", "exponential", "cap")},
    "edge": (rational, "0.125", 16, 11), "ordered": (rational, "0.125", 16, 11),
    "one-sided": (rational, "0.03", 16, 3), "chaotic": (rational, "0.03", 16, 11),
}  # fmt: skip
maps = pytest.mark.parametrize("name", MAPS)


def network(name: str):
    return MAPS[name][0](name)


@maps
def test_values_are_those_of_the_map_in_mpmath(name):
    f, map_ = network(name).correlation_map, kernel_map(network(name).layer)
    for t in ("0.01", "0.12", "0.8"):
        with mp.workdps(25), working(BITS):
            found = map_.program.value(arb(t))
            assert found.rad() < 1e-6 and found.overlaps(of_mpf(f.gap(mp.mpf(t) ** 2)) + arb(0, 1e-17))


@maps
def test_levels_and_hermite_sums_agree_within_their_remainders(name):
    """Two routes to f and f' that share only the balls of q and sigma_w."""
    _, reach, terms, _ = MAPS[name]
    map_ = kernel_map(network(name).layer)
    with working(BITS):
        t = arb(reach) * arb("0.95")
        for d in (0, 1):
            near, far = map_.level(d, BITS, terms, span_of(arb(reach))).at(t), map_.numbers(BITS).far(d, t**2)
            assert near.rad() < 1e-4 and far.rad() < 1e-2 and near.overlaps(far)


@maps
def test_bound_holds_along_the_layers(name):
    """C is somewhere in its interval."""
    law, f = network(name).correlation_law(terms=2), network(name).correlation_map
    certificate = law.certificate(correlation=START)
    formula, symbol = law.expansion.without_remainder().to_sympy(), law.constant_symbols["C"]
    with mp.workdps(25):
        gap = 1 - mp.mpf(START.p) / START.q
        for depth in range(1, MAPS[name][3] + 1):
            if depth >= certificate.valid_from:
                at = [formula.subs({symbol: c, law.depth_variable: depth}) for c in certificate.connection_constant]
                low, high = sorted(mp.mpf(value.evalf(20)) for value in at)
                size = mp.mpf(abs(certificate.monomial.subs(law.depth_variable, depth).evalf(20)))
                most = mp.mpf(str(certificate.constant)) * size * (1 + mp.mpf(10) ** -8)
                assert low - most <= gap <= high + most
                assert high - low < most or depth > 2
            gap = f.gap(gap)
