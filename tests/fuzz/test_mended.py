"""What the fuzzers found, one test for each kind of fault, where no other folder has a place for it."""

import numpy as np
import pytest
from sympy import Symbol, cos, sin

import asympt as asy
from asympt import claims, plots, training
from asympt.depth import finite
from asympt.depth.parsing import MOST_WORKERS, workers_of
from asympt.errors import AsymptError, InputError
from asympt.width.sampling import sampled

X = Symbol("x", real=True)
ARRAY = np.eye(3)
RELU = asy.FeedForward("relu")
SINE = asy.Recursion(sin(X), X)


def remainder_at(depths):
    """The remainder of the law of sin at some depths."""
    return SINE.law(1).estimate_remainder(start=1, depths=depths)


@pytest.mark.parametrize("call, names", [
    (lambda: asy.Activation(cos(X), X, name=ARRAY), "name"),
    (lambda: asy.Recursion(cos(X), X, side=ARRAY), "side"),
    (lambda: asy.MLP("relu", schedule=ARRAY), "schedule"),
    (lambda: claims.find(ARRAY), "id"),
    (lambda: claims.for_law(3), "law = 3"),
    (lambda: finite.empirical_kernels("relu", ARRAY, 2), "network = 'relu'"),
    (lambda: asy.referee("relu"), "net = 'relu'"),
    (lambda: asy.referee(RELU, X**2), "X"),
    (lambda: remainder_at("1000"), "depths"),
    (lambda: remainder_at(1000), "depths"),
    (lambda: remainder_at([0.5]), "depth"),
    (lambda: asy.layered_solution(1, 1, variable=3), "variable"),
    (lambda: training.equal_prediction("above", 1, 4), "diagonal"),
    (lambda: training.equal_prediction([1.0, 2.0], [1.0, 2.0, 3.0], 4), "shapes"),
    (lambda: training.equal_prediction(2, -2, 2), "singular"),
    (lambda: training.equal_spectrum(2, float("nan"), 4), "off"),
    (lambda: training.random_features(ARRAY, ARRAY, 4), "activation"),
    (lambda: training.condition_law(RELU, 4, kernel=ARRAY), "kernel"),
    (lambda: plots.save(None, 3), "path"),
    (lambda: asy.writing.write_recursion(SINE, "law", "a.tex"), "law"),
    (lambda: asy.writing.write_recursion(SINE, SINE.law(1), X), "path"),
    (lambda: asy.depth.pairs(RELU, 0.5, 10**31), "too deep"),
    (lambda: asy.depth.gram(RELU, ARRAY, depth=10**31), "too deep"),
    (lambda: training.condition_numbers(RELU, [1e15], gap=0.5, inputs=3), "too deep"),
    (lambda: finite.empirical_kernels(asy.FeedForward("relu").finite(), ARRAY, 10**6), "too deep"),
    (lambda: finite.empirical_kernels(asy.FeedForward("relu").finite(), ARRAY, 2, width=10**50), "too wide"),
    (lambda: RELU.fluctuation(of="gap", depth=10**9, correlation="1/10"), "too deep to go layer by layer"),
    (lambda: asy.Network("residual(relu, dense(1))").pair(10**9, correlation="1/10"), "give at most 100000"),
    (lambda: sampled(RELU.finite(), RELU.inputs("gap", correlation="1/10"), 2, 10**30, 20), "too wide"),
    (lambda: RELU.correlation_map.expansion(order=10**30), "from 2 to 400"),
])  # fmt: skip
def test_odd_arguments_are_refused_in_a_sentence(call, names):
    with pytest.raises(AsymptError, match=names):
        call()


def test_exact_and_array_arguments_of_equal_kernels():
    assert training.equal_spectrum(2, 1, 4) == (5, 1)
    found = training.equal_prediction([2.0, 4.0], [1.0, 1.0], 4)
    assert np.allclose(found, [1 / 5, 1 / 7])  # o/(d + 3 o)


def test_a_message_is_one_line_of_bearable_length():
    with pytest.raises(InputError) as caught:
        SINE.law(1).evaluate(depth=5, start=np.eye(50))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 1300


def test_no_more_processes_than_the_machine_bears():
    assert workers_of(10**6) == MOST_WORKERS and workers_of(1) == 1
