"""Reading arrays: what is a number, and what only looks like one."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy.sparse
from sympy import Rational, Symbol, sqrt

import asympt as asy
from asympt.arrays import finite_array, real, real_array, whole
from asympt.errors import InputError

MASKED = np.ma.masked_array([1.0, 2.0], mask=[False, True])


@pytest.mark.parametrize(
    "values",
    [
        [1, 2.5], (1, 2.5), np.array([1, 2.5], np.float16), np.array([1, 2.5], np.longdouble), ["1", "2.5"],
        [Fraction(1), Decimal("2.5")], [Rational(1), mpmath.mpf("2.5")], np.array([1, 2.5], object),
        np.array([2.5, 0, 1])[::-2], np.ma.masked_array([1, 2.5]),
    ],
)  # fmt: skip
def test_numbers_of_every_kind(values):
    found = real_array(values, "x")
    assert found.dtype == np.float64 and found.tolist() == [1.0, 2.5]


def test_the_result_is_a_new_array():
    mine = np.array([1.0, 2.0])
    mine.setflags(write=False)
    found = real_array(mine, "x")
    found[0] = 7
    assert mine[0] == 1


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ([1.0, None], "None"), (None, "None"), ([True, 0.5], "True"), ([[1.0, 2.0], [3.0, np.False_]], "False"),
        (np.array([True]), "truth values"), (np.array([True, 1.0], object), "True"), (MASKED, "1 masked"),
        ([MASKED, MASKED], "2 masked"), ([1j], "complex"), (np.array([1, 2j], object), "2j"), (["a", 1], "'a'"),
        ("abc", "not an array"), ([[1, 2], [3]], "different lengths"),
        (np.array(["2026-01-01"], "M8[D]"), "datetime64"),
        (np.array([1], "m8[s]"), "timedelta64"), (scipy.sparse.eye(2), "sparse"), ({1, 2}, "not an array"),
        ([Symbol("a"), sqrt(2)], "a, which"), ([10**400], "beyond the float64 range"),
        (np.zeros(2, "f8,f8"), "not numbers"),
        (np.array([[1], [1, 2]], object), "not a number"), ([np.nan], "nan"), ([-np.inf], "-inf"),
    ],
)  # fmt: skip
def test_what_only_looks_like_numbers(values, named):
    with pytest.raises(InputError, match=named):
        finite_array(values, "x")


@pytest.mark.parametrize("value", [True, False, np.True_, 1.0, "1", None, 0, [1]])
def test_whole_numbers(value):
    with pytest.raises(InputError, match=r"width = .* give a width"):
        whole(value, "width", "a width")
    assert whole(np.int8(3), "width", "a width") == 3


def test_one_number():
    assert real(np.float32(0.5), "x") == 0.5
    with pytest.raises(InputError, match="one number"):
        real([0.5], "x")


NET = asy.FeedForward("relu")


@pytest.mark.parametrize("truth", [True, np.True_])
@pytest.mark.parametrize(
    "call",
    [
        lambda t: asy.FeedForward("tanh", sigma_w=t), lambda t: asy.FeedForward("tanh", sigma_w=1, sigma_b=t),
        lambda t: asy.edge_of_chaos("tanh", sigma_b=t), lambda t: asy.edge_of_chaos("tanh", digits=t),
        lambda t: NET.correlation_law(terms=t), lambda t: NET.correlation_map(t),
        lambda t: NET.correlation_map.expansion(order=t), lambda t: NET.correlation_map(0.5, digits=t),
        lambda t: asy.verify(NET.correlation_law(2), depth=t), lambda t: asy.verify(NET.correlation_law(2), digits=t),
        lambda t: NET.correlation_law(2).evaluate(depth=t, correlation=0.5),
        lambda t: NET.correlation_law(2).evaluate(depth=9, correlation=t),
        lambda t: NET.correlation_law(2).connection_constant(digits=t, correlation=0.5),
        lambda t: asy.activation("leaky_relu", slope=t), lambda t: asy.ScaledResNet("relu", kappa=t),
        lambda t: asy.depth.pairs(NET, t, 3), lambda t: asy.depth.pairs(NET, 0.5, 3, variance=t),
        lambda t: asy.depth.gram(NET, [[1.0, t]], depth=3),
    ],
)  # fmt: skip
def test_a_truth_value_is_nowhere_a_number(call, truth):
    with pytest.raises(InputError):
        call(truth)
