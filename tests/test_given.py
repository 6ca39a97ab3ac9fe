"""What users give: arrays where there are numbers, formulas as texts where there are functions."""

import inspect
import pickle
import re

import mpmath
import numpy as np
import pytest
from sympy import Max, Symbol, sqrt, tanh

import asympt as asy
from asympt import blocks, plots, training
from asympt.depth.finite.kernels import nonlinear

TEXT = "x*tanh(x)"
RELU = asy.FeedForward("relu")
MAP = asy.Recursion("x/(1 + x)")

# ---- arrays --------------------------------------------------------------------------------------

ELEMENTWISE = {
    "a law of depths": (lambda **a: MAP.law(terms=2).evaluate(start=1, **a), {"depth": [1, 10**20]}),
    "a law of depths and starts": (
        lambda **a: RELU.correlation_law(terms=2).evaluate(**a),
        {"depth": np.array([[3], [50]]), "correlation": ["1/10", 0.5]},
    ),
    "a constant": (lambda **a: MAP.law(terms=2).connection_constant(**a), {"start": [1, "1/2"]}),
    "a correlation map": (lambda **a: RELU.correlation_map(**a), {"c": np.linspace(-1, 1, 3)}),
    "its slope": (lambda **a: RELU.correlation_map.slope(**a), {"c": [0, 0.5]}),
    "a variance map": (lambda **a: asy.VarianceMap("tanh", 1, 1)(**a), {"q": [0.5, 1]}),
    "its chi": (lambda **a: asy.VarianceMap("tanh", 1, 1).chi(**a), {"q": [0.5, 1]}),
}


@pytest.mark.parametrize("function, arrays", ELEMENTWISE.values(), ids=ELEMENTWISE)
def test_an_array_gives_what_its_entries_give(function, arrays):
    broadcast = np.broadcast(*(np.asarray(values, dtype=object) for values in arrays.values()))
    one_by_one = [function(**dict(zip(arrays, entry, strict=True))) for entry in broadcast]
    found, floats = function(**arrays), function(digits=None, **arrays)
    assert found.shape == floats.shape == broadcast.shape and floats.dtype == np.float64
    assert list(found.flat) == one_by_one and all(isinstance(value, mpmath.mpf) for value in found.flat)
    assert floats.ravel().tolist() == [float(value) for value in one_by_one]


def test_the_edge_of_an_array_of_biases():
    points = asy.edge_of_chaos("tanh", sigma_b=np.array([0.1, 0.2]), digits=12)
    alone = [asy.edge_of_chaos("tanh", sigma_b=bias, digits=12).sigma_w for bias in (0.1, 0.2)]
    assert [point.sigma_w for point in points] == points.sigma_w.tolist() == alone
    assert asy.edge_of_chaos("tanh", sigma_b=[[0.1, 0.2]], digits=None).sigma_w.tolist() == [list(map(float, alone))]


def test_objects_that_are_called():
    law = asy.FeedForward("relu").correlation_law()
    assert law(10, "1/10") == law.evaluate(10, correlation="1/10") and asy.activation("relu")([-1, 2])[1] == 2
    with pytest.raises(asy.InputError, match="this MLP is not a function to be called"):
        asy.MLP("relu")(1, b=2)


def test_a_convolution_has_a_start_at_every_position():
    law = asy.ConvNet("relu", positions=3, reach=1).correlation_law(terms=1)
    start = ["1/10", "1/2", 0]
    found = law.evaluate(depth=[2, 5], correlation=start, position=[0, 1], digits=15)
    assert list(found) == [law.evaluate(depth, start, digits=15, position=at) for depth, at in ((2, 0), (5, 1))]


REFUSED = {
    "shapes": ({"depth": [1, 2], "start": [1, 2, 3]}, r"shapes depth \(2,\), start \(3,\) do not broadcast"),
    "NaN": ({"depth": 3, "start": [1.0, np.nan]}, "nan is not a finite number"),
    "a text": ({"depth": [1, "x"], "start": 1}, "depth = 'x' is not a number"),
    "masked": ({"depth": 3, "start": np.ma.array([1.0, 2.0], mask=[0, 1])}, "masked"),
    "rows": ({"depth": [[1], [1, 2]], "start": 1}, "is not a number"),
}


@pytest.mark.parametrize("given, said", REFUSED.values(), ids=REFUSED)
def test_arrays_of_something_else_are_refused(given, said):
    with pytest.raises(asy.InputError, match=said):
        MAP.law(terms=1).evaluate(**given)


# ---- formulas ------------------------------------------------------------------------------------

TAKING = {
    **{name: lambda phi, name=name: getattr(asy, name)(phi) for name in ("ResNet", "ScaledResNet", "BlockResNet")},
    "FeedForward": lambda phi: asy.FeedForward(phi, sigma_w=1, sigma_b=1),
    "on_edge_of_chaos": lambda phi: asy.FeedForward.on_edge_of_chaos(phi, sigma_b=1),
    "ConvNet": lambda phi: asy.ConvNet(phi, positions=3, reach=1, sigma_w=1, sigma_b=1),
    "ConvResNet": lambda phi: asy.ConvResNet(phi, positions=3, reach=1),
    "MLP": lambda phi: asy.MLP(phi, weight_variance=1, bias_variance=1),
    "Activation": asy.Activation,
    "activation": asy.activation,
    "edge_of_chaos": lambda phi: asy.edge_of_chaos(phi, sigma_b=1, digits=8),
    "critical_points": lambda phi: asy.critical_points(phi, sigma_b=1, digits=8),
    "edge_exists": asy.edge_exists,
    "VarianceMap": lambda phi: asy.VarianceMap(phi, 1, 1),
    "CorrelationMap.of": asy.CorrelationMap.of,
    "blocks.activation": blocks.activation,
    "phase_data": lambda phi: plots.phase_data(phi, cells=5),
    "around_the_edge": lambda phi: plots.around_the_edge(phi, sigma_b=1),
    "random_features": lambda phi: training.random_features(np.ones((2, 3)), phi, 4),
    "Dense": lambda phi: nonlinear(phi).value(np.array([-0.5, 1.0])),
}


@pytest.mark.parametrize("taken", TAKING.values(), ids=TAKING)
def test_an_activation_is_a_name_a_text_an_expression_or_itself(taken):
    phi = TEXT if taken is not asy.CorrelationMap.of else "max(x, x/2)"
    x = Symbol("x", real=True)
    expression = x * tanh(x) if phi is TEXT else Max(x, x / 2)
    forms = (phi, expression) if taken is asy.Activation else (phi, expression, asy.activation(phi))
    assert len({re.sub("Activation.*?'", "'", repr(taken(given))) for given in forms}) == 1
    with pytest.raises(asy.InputError, match=r"cannot read 'x\*\(': its brackets do not match"):
        taken("x*(")


@pytest.mark.parametrize("assumed", [{}, {"real": True}, {"positive": True}, {"integer": True}], ids=str)
def test_the_only_symbol_is_the_variable(assumed):
    u = Symbol("u", **assumed)
    assert asy.Activation(tanh(u) + 1).symbol == u == asy.Recursion(tanh(u)).symbol
    a = Symbol("a", positive=True)
    with pytest.raises(asy.InputError, match="has the symbols a, u; give the variable"):
        asy.Activation(tanh(a * u))
    assert asy.Activation(tanh(a * u), "u").symbol == u


def test_maps_are_texts_too():
    x, u, layer = Symbol("x"), Symbol("u"), Symbol("l", positive=True)
    assert str(asy.Recursion("sin(x)").law()) == str(asy.Recursion("sin(u)", "u").law())
    assert asy.Recursion("sin(x)", "x") == asy.Recursion(asy.parsing.read_formula("sin(x)", x), x)
    assert asy.Recursion(u / (1 + u)).symbol == u
    driven = asy.DrivenRecursion("x^2", "x", "1/(l + 1)", "l")
    assert driven.step == 1 / (layer + 1) and str(driven.law(terms=1)) == "1/log(l) + O(1/log(l)^2)"
    assert str(asy.layered_solution("1 - 2/l", "1/l", variable="l")) == str(
        asy.layered_solution(1 - 2 / layer, 1 / layer)
    )


def test_options_belong_to_a_name():
    with pytest.raises(asy.InputError, match="is already complete; options slope go with a name"):
        asy.FeedForward(TEXT, sigma_w=sqrt(2), slope=1)


# ---- anything else -------------------------------------------------------------------------------

NET, LAW = asy.FeedForward("relu"), MAP.law(terms=2)
EDGE_LAW = RELU.correlation_law(terms=2)
KERNEL = [[1, 0.5], [0.5, 1]]
CALLS = {
    "FeedForward": (asy.FeedForward, {"phi": "relu", "sigma_w": 1, "sigma_b": 1}),
    "ScaledResNet": (asy.ScaledResNet, {"phi": "relu", "sigma_w": 1, "kappa": 1}),
    "BlockResNet": (asy.BlockResNet, {"phi": "relu", "alpha": 1, "sigma_v": 1}),
    "ConvNet": (asy.ConvNet, {"phi": "relu", "positions": 3, "reach": 1}),
    "MLP": (asy.MLP, {"phi": "tanh", "weight_variance": 1, "weight_rate": 1, "schedule": "constant"}),
    "Network": (asy.Network, {"block": "serial(activation(relu), dense(1))", "first": "dense(1)", "variance": 1}),
    "Activation": (asy.Activation, {"expression": "tanh(x)", "symbol": "x", "name": "mine"}),
    "activation": (asy.activation, {"name": "elu", "alpha": 1}),
    "edge_of_chaos": (asy.edge_of_chaos, {"phi": "relu", "sigma_b": 0, "digits": 10}),
    "edge_exists": (asy.edge_exists, {"phi": "relu"}),
    "VarianceMap": (asy.VarianceMap, {"phi": "relu", "sigma_w2": 1, "sigma_b2": 1}),
    "variance map": (asy.VarianceMap("relu", 1, 1), {"q": 1, "digits": 5}),
    "CorrelationMap.of": (asy.CorrelationMap.of, {"source": "relu"}),
    "correlation map": (NET.correlation_map, {"c": 0, "digits": 5}),
    "expansion": (NET.correlation_map.expansion, {"order": 3}),
    "Recursion": (asy.Recursion, {"expression": "x/(1+x)", "symbol": "x", "fixed_point": 0, "side": "above"}),
    "DrivenRecursion": (asy.DrivenRecursion, {"h": "x^2", "symbol": "x", "step": "1/l", "layer": "l", "first": 1}),
    "law": (MAP.law, {"terms": 1, "observable": "x"}),
    "linear_law": (MAP.linear_law, {"multiplier": 1, "forcing": "x", "initial": 0, "terms": 1}),
    "layered_solution": (asy.layered_solution, {"multiplier": "1-2/l", "forcing": "1/l", "terms": 2}),
    "ntk_law": (NET.ntk_law, {"terms": 1}),
    "random_network": (asy.random_network, {"net": NET}),
    "referee": (asy.referee, {"net": 3}),
    "verify": (asy.verify, {"law": 3, "digits": 5, "depth": 10, "workers": 1}),
    "evaluate": (LAW.evaluate, {"depth": 3, "start": 1, "digits": 5}),
    "evaluate a pair": (EDGE_LAW.evaluate, {"depth": 3, "correlation": 0}),
    "connection_constant": (LAW.connection_constant, {"start": 1, "digits": 5}),
    "enclose": (LAW.enclose, {"depth": 3, "digits": 5, "start": 1}),
    "coefficient": (LAW.coefficient, {"monomial": "1/n", "digits": 5}),
    "depth_for": (LAW.depth_for, {"value": "1/9", "start": 1}),
    "subs": (LAW.subs, {"values": {"C": 1}}),
    "plot": (LAW.plot, {"width": 3, "start": 1}),
    "to_numpy": (LAW.to_numpy(), {"depth": 3, "start": 1}),
    "dense": (blocks.dense, {"sigma_w": 1, "sigma_b": 0}),
    "conv": (blocks.conv, {"reach": 1, "positions": 3, "padding": "zero"}),
    "scale": (blocks.scale, {"factor": 1}),
    "layer_norm": (blocks.layer_norm, {"affine": False}),
    "read_block": (blocks.read_block, {"text": "dense(1)"}),
    "pairs": (asy.depth.pairs, {"net": NET, "gap": [0.5], "depth": 3}),
    "gram": (asy.depth.gram, {"net": NET, "X": np.eye(2), "depth": 3}),
    "find": (asy.claims.find, {"identifier": "HDR.T1.gain"}),
    "read_paper": (asy.claims.read_paper, {"path": "no.toml"}),
    "phase_data": (plots.phase_data, {"phi": "relu", "sigma_b_max": 1, "sigma_w_range": (1, 2), "cells": 5}),
    "phase_figure": (plots.phase_figure, {"phi": 3, "width": 3}),
    "correlation_figure": (plots.correlation_figure, {"net": 3, "width": 3}),
    "compare_figure": (plots.compare_figure, {"nets": [3], "width": 3}),
    "width_figure": (plots.width_figure, {"net": 3, "neurons": 9, "depth": 2, "within": 0.1, "width": 3}),
    "recursion_data": (plots.recursion_data, {"recursion": 3, "law": LAW, "start": 1}),
    "condition_data": (plots.condition_data, {"nets": [3], "correlation": 0.5}),
    "save": (plots.save, {"figure": None, "path": "no_folder/x.png"}),
    "captioned": (plots.captioned, {"figure": None, "text": "a"}),
    "write": (asy.writing.write, {"net": 3, "law": "ntk", "path": "no_folder/x.tex"}),
    "condition_number": (training.condition_number, {"kernel": KERNEL}),
    "flow": (training.flow, {"kernel": KERNEL, "targets": [1, 0], "times": [1]}),
    "largest_alpha": (training.largest_alpha, {"depth": 3, "slope": 1}),
}
BAD = (None, "x", [], {}, float("nan"), float("inf"), -1, object)


@pytest.mark.parametrize("function, given", CALLS.values(), ids=CALLS)
def test_what_does_not_fit_gets_a_sentence(function, given):
    for name in given:
        for bad in BAD:
            try:
                function(**given | {name: bad})
            except asy.AsymptError as error:
                assert str(error) and "Traceback" not in str(error)


MISSPELT = {
    "an option of a network": (lambda: asy.FeedForward("relu", sigmaw=1), "did you mean sigma_w"),
    "beside options": (lambda: asy.ScaledResNet("elu", kapa=2), r"options are: alpha \(did you mean kappa"),
    "a constructor": (lambda: asy.Recursion("sin(x)", fixedpoint=0), "'fixedpoint' .did you mean fixed_point"),
    "a function": (lambda: asy.verify(LAW, depht=3), "verify has no argument 'depht' .did you mean depth"),
    "of a package": (lambda: asy.depth.pairs(NET, gaps=[0.1], depth=3), "did you mean gap"),
    "a figure": (lambda: plots.phase_figure("relu", sigma_bmax=1), "did you mean sigma_b_max"),
    "a method": (lambda: NET.ntk_law(term=2), "ntk_law has no argument 'term' .did you mean terms"),
    "a method of a result": (lambda: LAW.evaluate(dept=3), "evaluate has no argument 'dept' .did you mean depth"),
    "of a class": (lambda: asy.FeedForward.on_edge_of_chaos("tanh", sigmab=1), "did you mean sigma_b"),
    "a start": (lambda: EDGE_LAW.evaluate(3, corelation=0), "did you mean correlation"),
    "none where one is needed": (lambda: asy.depth.convolution.conv_gram(), "needs net, X, depth; its arguments are"),
    "too many": (lambda: asy.Network("relu", 2), "Network takes 1 positional argument, not 2; its arguments are block"),
    "one twice": (lambda: asy.FeedForward("relu", phi="relu"), "is given phi twice, by position and by name"),
    "a monomial": (lambda: LAW.coefficient("foo"), "'foo' is unknown.* such as '1/n' or 'log"),
}


@pytest.mark.parametrize("misspelt, said", MISSPELT.values(), ids=MISSPELT)
def test_misspelt_names_get_suggestions(misspelt, said):
    with pytest.raises(asy.InputError, match=said):
        misspelt()


def _methods() -> dict:
    """The public methods of all public classes that take arguments by name, and no others."""
    found = {}
    for package in (asy, asy.blocks, asy.claims, asy.depth, asy.learn, asy.training, asy.writing):
        for kind in filter(inspect.isclass, (getattr(package, name) for name in package.__all__)):
            for home in (home for home in kind.__mro__ if home.__module__.startswith("asympt")):
                for name, member in vars(home).items():
                    function = getattr(member, "__func__", member)
                    if inspect.isfunction(function) and (name in ("__init__", "__call__") or name[0] != "_"):
                        kinds = {p.kind for p in list(inspect.signature(function).parameters.values())[1:]}
                        if kinds and inspect.Parameter.VAR_KEYWORD not in kinds:
                            found[f"{kind.__name__}.{name}"] = function
    return found


@pytest.mark.parametrize("method", _methods().values(), ids=_methods())
def test_methods_name_their_arguments_for_a_misspelt_one(method):
    with pytest.raises(asy.InputError, match=r"has no argument 'misspelt'.*; its argument(s are| is) \w"):
        method(None, misspelt=1)


def test_public_functions_go_through_pickle():
    assert pickle.loads(pickle.dumps([asy.verify, asy.depth.pairs])) == [asy.verify, asy.depth.pairs]
