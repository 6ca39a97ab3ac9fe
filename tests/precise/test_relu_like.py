"""One layer in mpmath against HDR Lemma 2 written out for the plain correlation."""

import mpmath
import pytest
from mpmath import mp
from sympy import Rational

from asympt.meanfield.normal_form import NormalForm
from asympt.meanfield.relu_like_map import ReluLikeMap
from asympt.precise import LayerStep


def lemma_two(gap, kernel, kink_weight):
    """c' = f(c), k' = f'(c) k + f(c) from the closed forms, at the working precision."""
    c, rho = 1 - gap, 2 * kink_weight / mp.pi
    image = c + rho * (mp.sqrt(1 - c * c) - c * mp.acos(c))
    return 1 - image, (1 - rho * mp.acos(c)) * kernel + image


@pytest.mark.parametrize("kink_weight", [Rational(1, 2), Rational(81, 202), Rational(1), Rational(1, 10**6)])
@pytest.mark.parametrize("gap", ["1e-20", "0.01", "0.9", "1.5", "1.99"])
def test_a_step_is_lemma_two(kink_weight, gap):
    with mp.workdps(120):
        start, kernel = mpmath.mpf(gap), mpmath.mpf("-3.7")
        truth = lemma_two(start, kernel, mpmath.mpf(int(kink_weight.p)) / int(kink_weight.q))
        state = LayerStep(NormalForm(ReluLikeMap(kink_weight, 1 - kink_weight)))((start, kernel))
        alone = LayerStep(NormalForm(ReluLikeMap(kink_weight, 1 - kink_weight)))((start,))
        for value, reference in zip((*state, *alone), (*truth, truth[0]), strict=True):
            assert abs(value - reference) < mpmath.mpf(10) ** -85 * abs(reference)  # 30 digits cancel in c


def test_the_fixed_point_and_the_mirror_are_exact():
    half, one, zero = Rational(1, 2), Rational(1), Rational(0)
    assert LayerStep(NormalForm(ReluLikeMap(half, half)))((mpmath.mpf(0),)) == (0,)
    assert LayerStep(NormalForm(ReluLikeMap(half, half)))((mpmath.mpf(0), mpmath.mpf(5))) == (0, 6)
    assert LayerStep(NormalForm(ReluLikeMap(one, zero)))((mpmath.mpf(2), mpmath.mpf(-1))) == (0, 2)
