"""Kernels near a midpoint: series against explicit kernels in mpmath, PDLT's printed expansions by hand."""

import mpmath
import pytest
from mpmath import mp
from sympy import Symbol, symbols

from asympt.errors import InputError
from asympt.training.two_point import DELTA, KernelJet, one_point_covariance, quotient_series, robustness

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


def test_series_of_quotients():
    found = quotient_series(1 + DELTA, 1 - DELTA, 3)
    assert found.expand() == 1 + 2 * DELTA + 2 * DELTA**2 + 2 * DELTA**3
    assert quotient_series(DELTA**3, DELTA + DELTA**2, 3).expand() == DELTA**2 - DELTA**3
    with pytest.raises(InputError, match="pole"):
        quotient_series(1 + DELTA, DELTA, 3)
    with pytest.raises(InputError, match="denominator is 0"):
        quotient_series(DELTA, 0 * DELTA, 3)
