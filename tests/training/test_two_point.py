"""Kernels near a midpoint: series against explicit kernels in mpmath, PDLT's printed expansions by hand.

Two training points: the closed form against the exact prediction, for a kernel that is not a network's.
"""

import mpmath
import pytest
from mpmath import mp
from sympy import Symbol, symbols

from asympt.errors import InputError
from asympt.training.two_point import (
    DELTA,
    KernelJet,
    S,
    curvature_ratio,
    function_jet,
    one_point_covariance,
    output_spread,
    polation,
    polation_variance,
    robustness,
    trained_output,
)

PLACE = mpmath.mpf("0.3")
T00, T0, T1, T2 = Symbol("T_00", positive=True), *symbols("T_0 T_1 T_2", real=True)


def kernel(x, y):
    """Smooth and not stationary: e^(x.y) (1 + |x|^2 + |y|^2)."""
    product = sum(a * b for a, b in zip(x, y, strict=True))
    return mpmath.exp(product / 3) * (1 + sum(a * a for a in x) / 2 + sum(b * b for b in y) / 2)


def at(e, step, equal_norms):
    """The point (1, e step/2); at unequal norms (1 + 3 e step/10, 4 e step/10)."""
    e = e * step / 2
    return (mpmath.mpf(1), e) if equal_norms else (1 + 3 * e / 5, 4 * e / 5)


def test_the_jet_at_the_corners_is_the_components():
    jet = KernelJet("T")
    same, cross, other = (jet.at(*e) for e in ((1, 1), (1, -1), (-1, -1)))
    zero, one, two = (same + other + 2 * cross) / 4, (same - other) / 2, (same + other - 2 * cross) / 4  # PDLT 10.58
    assert zero.expand().coeff(DELTA, 2) == T0 and two.expand().coeff(DELTA, 2) == T2
    assert one.expand().coeff(DELTA, 1) == T1 and zero.expand().coeff(DELTA, 1) == 0


def test_robustness_as_printed():
    """PDLT 10.62 and 10.65."""
    assert (robustness(KernelJet("T", True), 3) + 2 * DELTA**2 * T2 / T00).expand() == 0
    printed = -DELTA * T1 / T00 - 2 * DELTA**2 * T2 / T00 + (DELTA * T1 / T00) ** 2
    assert (robustness(KernelJet("T")) - printed).expand() == 0


def test_covariance_as_printed():
    """PDLT 10.63 and 10.66."""
    K00, K1, K2 = Symbol("K_00", positive=True), *symbols("K_1 K_2", real=True)
    assert one_point_covariance(KernelJet("K", True), KernelJet("T", True), 3) == 4 * DELTA**2 * K2
    printed = 4 * DELTA**2 * K2 - 2 * DELTA**2 * K1 * T1 / T00 + K00 * (DELTA * T1 / T00) ** 2
    assert (one_point_covariance(KernelJet("K"), KernelJet("T")) - printed).expand() == 0


def other(x, y):
    return mpmath.exp(-sum((a - b) ** 2 for a, b in zip(x, y, strict=True))) + kernel(x, y) / 3


def weights(points):
    gram = mpmath.matrix([[kernel(a, b) for b in points[:2]] for a in points[:2]])
    row = mpmath.matrix([kernel(points[2], a) for a in points[:2]])
    return mpmath.lu_solve(gram, row)


def test_the_ends_are_the_targets():
    jet = KernelJet("T")
    for s, e in ((1, 1), (0, -1)):
        rest = trained_output(jet).subs(S, s) - function_jet("y", e)
        assert all(rest.expand().coeff(DELTA, k).together().cancel() == 0 for k in range(3))
        assert (polation(jet).subs(S, s) - function_jet("y", e)).expand() == 0


def test_equal_norms_by_hand():
    total, difference = Symbol("S"), Symbol("D")
    jet = KernelJet("T", equal_norms=True)
    assert (curvature_ratio(jet, total, difference) - jet.curvature * total / (2 * jet.centre)).simplify() == 0


def test_networks_disagree_by_the_second_order():
    for equal_norms in (True, False):
        spread = output_spread(KernelJet("T", equal_norms))
        assert spread.coeff(DELTA, 0) == spread.coeff(DELTA, 1) == 0 != spread.coeff(DELTA, 2)


def test_the_variance_against_an_explicit_pair_of_kernels():
    """Equal norms; K has a kernel of its own.  Taylor coefficients by differentiation in mpmath."""
    variance = polation_variance(KernelJet("K", True), KernelJet("T", True))
    with mp.workdps(40):
        letters = {S: PLACE, DELTA: 1}
        step = mpmath.mpf("0.001")
        for name, k in (("T", kernel), ("K", other)):

            def along(a, b, k=k):
                return k(at(a, step, True), at(b, step, True))

            letters[Symbol(f"{name}_00", positive=True)] = along(0, 0)
            letters[Symbol(f"{name}_0", real=True)] = 2 * mpmath.diff(along, (0, 0), (2, 0)) / 2
            letters[Symbol(f"{name}_2", real=True)] = mpmath.diff(along, (0, 0), (1, 1))
            letters[Symbol(f"{name}_22", real=True)] = mpmath.diff(along, (0, 0), (2, 2)) / 4
        points = [at(e, step, True) for e in (1, -1, 2 * PLACE - 1)]
        w = weights(points)
        v = [-w[0], -w[1], mpmath.mpf(1)]
        exact = sum(v[i] * v[j] * other(points[i], points[j]) for i in range(3) for j in range(3))
        found = mpmath.mpf(variance.subs(letters))
        assert abs(found / exact - 1) < 1e-5


def test_letters_that_would_mean_two_things():
    for named in ({"initial": "T"}, {"target": "T"}, {"initial": "y"}):
        for formula in (trained_output, polation):
            with pytest.raises(InputError, match="three different letters"):
                formula(KernelJet("T"), **named)
    with pytest.raises(InputError, match="the positions contain delta"):
        KernelJet("T").at(DELTA, 1)
    with pytest.raises(InputError, match="the positions contain epsilon_1"):
        KernelJet("epsilon").at(Symbol("epsilon_1", real=True), 1)
    with pytest.raises(InputError, match="the positions contain y_1"):
        function_jet("y", Symbol("y_1"))
