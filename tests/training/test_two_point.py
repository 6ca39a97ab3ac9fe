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


@pytest.mark.parametrize(("equal_norms", "order"), [(True, 4), (False, 3)])
def test_robustness_against_an_explicit_kernel(equal_norms, order):
    with mp.workdps(40):
        rests = []
        for step in (mpmath.mpf("0.01"), mpmath.mpf("0.001")):
            plus, minus, middle = (at(e, step, equal_norms) for e in (1, -1, 0))
            same, cross, other = kernel(plus, plus), kernel(plus, minus), kernel(minus, minus)
            centre = kernel(middle, middle)
            zero, one, two = (same + other + 2 * cross) / 4, (same - other) / 2, (same + other - 2 * cross) / 4
            formula = -one / centre - 2 * two / centre + (one / centre) ** 2
            rests.append(abs(cross / same - 1 - formula))
            assert abs(zero - centre) < step**2
        assert mpmath.log10(rests[0] / rests[1]) == pytest.approx(order, abs=0.05)


def other(x, y):
    return mpmath.exp(-sum((a - b) ** 2 for a, b in zip(x, y, strict=True))) + kernel(x, y) / 3


def weights(points):
    gram = mpmath.matrix([[kernel(a, b) for b in points[:2]] for a in points[:2]])
    row = mpmath.matrix([kernel(points[2], a) for a in points[:2]])
    return mpmath.lu_solve(gram, row)


def exact_and_formula(step, equal_norms):
    points = [at(e, step, equal_norms) for e in (1, -1, 2 * PLACE - 1, 0)]
    w = weights(points)
    z, y = ([f(1 + slope * e * step) for e in (1, -1, 2 * PLACE - 1)] for f, slope in (
        (mpmath.cos, mpmath.mpf("0.7")), (mpmath.sin, mpmath.mpf("0.6"))
    ))  # fmt: skip
    exact = z[2] - sum(w[a] * (z[a] - y[a]) for a in (0, 1))
    same, cross, less = (kernel(points[a], points[b]) for a, b in ((0, 0), (0, 1), (1, 1)))
    zero, middle = (same + less + 2 * cross) / 4, kernel(points[3], points[3])
    rows = [kernel(points[3], points[a]) for a in (0, 1)]
    twist = -(rows[0] - (same + cross) / 2) + (rows[1] - (cross + less) / 2)
    tilt, spread, curvature = (same - less) / 2, zero - cross, zero - middle
    total, difference = z[0] - y[0] + z[1] - y[1], z[0] - y[0] - z[1] + y[1]
    above = curvature * (2 * spread * total - tilt * difference) + twist * (2 * middle * difference - tilt * total)
    line = z[2] + PLACE * (y[0] - z[0]) + (1 - PLACE) * (y[1] - z[1])
    return exact, line + 2 * PLACE * (1 - PLACE) * above / (4 * middle * spread - tilt**2)


@pytest.mark.parametrize("equal_norms", [True, False])
def test_the_closed_form_has_a_remainder_of_third_order(equal_norms):
    with mp.workdps(50):
        rests = []
        for step in (mpmath.mpf("0.01"), mpmath.mpf("0.001")):
            exact, formula = exact_and_formula(step, equal_norms)
            rests.append(abs(exact - formula))
        assert mpmath.log10(rests[0] / rests[1]) > 2.9


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
