"""Every public callable with one or two of its arguments exchanged for something odd.

Each target is a call that works, cheap, with its arguments by name.  `odd` exchanges some; then the call returns
something without nan, or refuses with one sentence of the package.  `same` writes a number in another way (a NumPy
scalar, a string, a `Fraction`, an mpmath number): the answer must not change.
"""

import decimal
import fractions
import os
import random
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import mpmath
import numpy as np
from mpmath import mpf
from sympy import Float, I, Integer, Rational, S, Symbol, cos, exp, log, nan, oo, sin, sqrt, tanh, zoo

import asympt as asy
from asympt import claims, plots, training, writing
from asympt.depth import finite
from asympt.errors import AsymptError
from tests.fuzz.command_lines import CODE

X, L = Symbol("x", real=True), Symbol("l", positive=True)
KERNEL = np.array([[2.0, 0.5, 0.1], [0.5, 2.0, 0.3], [0.1, 0.3, 2.0]])
TARGETS = np.array([1.0, -1.0, 0.5])
INPUTS = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0], [1.0, 1.0, 1.0]])
GAPS = np.array([0.1, 0.5, 1.5])


@dataclass(frozen=True)
class Target:
    """A call that works: `make` returns the callable, `arguments` what it is given by name."""

    name: str
    make: Callable[[], Callable]
    arguments: Mapping


def _net(kind: str = "relu"):
    return {
        "relu": lambda: asy.FeedForward("relu"),
        "tanh": lambda: asy.FeedForward("tanh", sigma_w=1),
        "resnet": lambda: asy.ResNet("relu", sigma_w=1),
    }[kind]()


@cache
def _law(kind: str):
    sine = asy.Recursion(sin(X), X)
    return {
        "sin": lambda: sine.law(2),
        "half": lambda: asy.Recursion(X / 2 + X**2, X, 0).law(2),
        "flip": lambda: asy.Recursion(-sin(X), X).law(1),
        "sum": lambda: asy.Recursion(X / (1 + X), X).linear_law(1, X, 0, 2),
        "ntk": lambda: _net().ntk_law(terms=2),
        "correlation": lambda: _net().correlation_law(terms=2),
    }[kind]()


TARGETS_OF = [
    Target("Recursion", lambda: asy.Recursion, {"expression": sin(X), "symbol": X, "fixed_point": 0, "side": "above"}),
    Target("Recursion.law", lambda: asy.Recursion(sin(X), X).law, {"terms": 1, "observable": X**2}),
    Target(
        "Recursion.linear_law",
        lambda: asy.Recursion(X / (1 + X), X).linear_law,
        {"multiplier": 1, "forcing": X, "initial": 0, "terms": 1},
    ),
    Target("law.evaluate", lambda: _law("sin").evaluate, {"depth": 50, "start": 1, "digits": 10}),
    Target("law.evaluate of x/2", lambda: _law("half").evaluate, {"depth": 50, "start": "1/9", "digits": 10}),
    Target("law.evaluate of a flip", lambda: _law("flip").evaluate, {"depth": 51, "start": "1/2", "digits": 10}),
    Target("law.evaluate of a sum", lambda: _law("sum").evaluate, {"depth": 50, "start": 1, "digits": 10}),
    Target("law.evaluate of ntk", lambda: _law("ntk").evaluate, {"depth": 50, "correlation": "1/2", "digits": 10}),
    Target("law.evaluate by gap", lambda: _law("correlation").evaluate, {"depth": 50, "gap": "1/2", "digits": 10}),
    Target("law.connection_constant", lambda: _law("sin").connection_constant, {"start": 1, "digits": 10}),
    Target("law.second_constant", lambda: _law("ntk").second_constant, {"correlation": "1/2", "digits": 10}),
    Target("law.estimate_remainder", lambda: _law("sin").estimate_remainder, {"start": 1, "depths": (1000, 10**4)}),
    Target(
        "DrivenRecursion",
        lambda: asy.DrivenRecursion,
        {"h": X**2, "symbol": X, "step": 1 / (L + 1), "layer": L, "first": 0},
    ),
    Target(
        "DrivenRecursion.evaluate",
        lambda: asy.DrivenRecursion(X**2, X, 1 / (L + 1), L).evaluate,
        {"depth": 50, "start": "1/2", "digits": 10},
    ),
    Target("DrivenRecursion.law", lambda: asy.DrivenRecursion(X**2, X, 1 / (L + 1), L).law, {"terms": 2}),
    Target(
        "layered_solution",
        lambda: asy.layered_solution,
        {"multiplier": 1 - 2 / L, "forcing": 1, "terms": 2, "variable": L},
    ),
    Target(
        "layered_solution.evaluate",
        lambda: asy.layered_solution(1 - 1 / L, 1).evaluate,
        {"depth": 50, "start_layer": 1, "start_value": 3, "digits": 10},
    ),
    Target("activation", lambda: asy.activation, {"name": "leaky_relu", "slope": Rational(1, 10)}),
    Target("Activation", lambda: asy.Activation, {"expression": X * tanh(X), "symbol": X, "name": "mine"}),
    Target("edge_exists", lambda: asy.edge_exists, {"phi": "relu"}),
    Target("edge_of_chaos", lambda: asy.edge_of_chaos, {"phi": "relu", "sigma_b": 0, "digits": 10}),
    Target("critical_points", lambda: asy.critical_points, {"phi": "relu", "sigma_b": 0, "digits": 10, "most": 1}),
    Target("FeedForward", lambda: asy.FeedForward, {"phi": "relu", "sigma_w": sqrt(2), "sigma_b": 0}),
    Target("ResNet", lambda: asy.ResNet, {"phi": "relu", "sigma_w": 1, "sigma_b": 0}),
    Target("ScaledResNet", lambda: asy.ScaledResNet, {"phi": "relu", "sigma_w": 1, "sigma_b": 0, "kappa": 1}),
    Target(
        "BlockResNet", lambda: asy.BlockResNet, {"phi": "relu", "alpha": Rational(1, 10), "sigma_w": 1, "sigma_v": 1}
    ),
    Target("ConvNet", lambda: asy.ConvNet, {"phi": "relu", "positions": 4, "reach": 1}),
    Target("ConvResNet", lambda: asy.ConvResNet, {"phi": "relu", "positions": 4, "reach": 1, "sigma_w": 1}),
    Target("MLP", lambda: asy.MLP, {"phi": "relu", "weight_rate": 1, "bias_rate": 1, "schedule": "constant"}),
    Target("FeedForward.on_edge_of_chaos", lambda: asy.FeedForward.on_edge_of_chaos, {"phi": "relu", "sigma_b": 0}),
    Target("correlation_map", lambda: _net().correlation_map, {"c": Rational(1, 2), "digits": 10}),
    Target("correlation_map.expansion", lambda: _net().correlation_map.expansion, {"order": 4}),
    Target("ntk_law", lambda: _net().ntk_law, {"terms": 1}),
    Target("depth.pairs", lambda: asy.depth.pairs, {"net": _net(), "gap": GAPS, "depth": 5}),
    Target(
        "depth.pairs with variance",
        lambda: asy.depth.pairs,
        {"net": _net("tanh"), "gap": 0.5, "depth": 2, "variance": 1.0},
    ),
    Target("depth.gram", lambda: asy.depth.gram, {"net": _net(), "X": INPUTS, "depth": 5}),
    Target(
        "depth.gram of a resnet", lambda: asy.depth.gram, {"net": _net("resnet"), "X": INPUTS, "depth": 3, "workers": 1}
    ),
    Target("training.spectrum", lambda: training.spectrum, {"kernel": KERNEL}),
    Target("training.condition_number", lambda: training.condition_number, {"kernel": KERNEL}),
    Target(
        "training.condition_numbers",
        lambda: training.condition_numbers,
        {"net": _net(), "depths": [1, 5], "gap": 0.5, "inputs": 4},
    ),
    Target(
        "training.condition_law",
        lambda: training.condition_law,
        {"net": _net(), "inputs": 4, "kernel": "ntk", "terms": 1},
    ),
    Target("training.dependence", lambda: training.dependence, {"kernel": KERNEL}),
    Target(
        "training.descent", lambda: training.descent, {"kernel": KERNEL, "targets": TARGETS, "steps": 5, "rate": 0.1}
    ),
    Target("training.fastest_rate", lambda: training.fastest_rate, {"kernel": KERNEL, "normalisation": "mean"}),
    Target("training.largest_rate", lambda: training.largest_rate, {"kernel": KERNEL}),
    Target(
        "training.flow",
        lambda: training.flow,
        {"kernel": KERNEL, "targets": TARGETS, "times": [0, 1.0], "start": np.zeros(3), "normalisation": "mean"},
    ),
    Target(
        "training.flow_at",
        lambda: training.flow_at,
        {"cross": KERNEL[:1], "kernel": KERNEL, "targets": TARGETS, "times": [0, 1.0]},
    ),
    Target("training.newton", lambda: training.newton, {"kernel": KERNEL, "targets": TARGETS}),
    Target(
        "training.mean_prediction",
        lambda: training.mean_prediction,
        {"cross": KERNEL[:1], "kernel": KERNEL, "targets": TARGETS},
    ),
    Target("training.interpolant_norm", lambda: training.interpolant_norm, {"kernel": KERNEL, "targets": TARGETS}),
    Target("training.equal_spectrum", lambda: training.equal_spectrum, {"diagonal": 2, "off": 1, "inputs": 4}),
    Target("training.equal_prediction", lambda: training.equal_prediction, {"diagonal": 2, "off": 1, "inputs": 4}),
    Target("training.equally_spaced", lambda: training.equally_spaced, {"points": 5, "size": 20}),
    Target("training.fit", lambda: training.fit, {"features": INPUTS, "targets": TARGETS, "penalty": 0.1}),
    Target(
        "training.dual_prediction",
        lambda: training.dual_prediction,
        {"test_features": INPUTS[:1], "features": INPUTS, "targets": TARGETS, "penalty": 0.1},
    ),
    Target("training.largest_alpha", lambda: training.largest_alpha, {"depth": 5, "slope": 1, "sigma_w": 1}),
    Target("training.smallest_depth", lambda: training.smallest_depth, {"alpha": Rational(1, 2), "slope": 1}),
    Target("training.mlp_bound", lambda: training.mlp_bound, {"depth": 5, "width": 10, "dimension": 3}),
    Target(
        "training.residual_bound",
        lambda: training.residual_bound,
        {"depth": 5, "alpha": 1, "width": 10, "dimension": 3},
    ),
    Target(
        "training.random_features",
        lambda: training.random_features,
        {"inputs": INPUTS, "phi": "relu", "width": 8, "seed": 0},
    ),
    Target("training.circle_norm", lambda: training.circle_norm, {"values": np.ones(10), "width": 0.5}),
    Target("training.training_kernel", lambda: training.training_kernel, {"kernel": KERNEL}),
    Target("training.invertible_kernel", lambda: training.invertible_kernel, {"kernel": KERNEL}),
    Target(
        "training.collapsed_prediction",
        lambda: training.collapsed_prediction,
        {"matrix": KERNEL, "cross": KERNEL[:1], "targets": TARGETS},
    ),
    Target(
        "training.rank_one_inverse",
        lambda: training.rank_one_inverse,
        {"constant": 1, "scale": 2, "matrix": [[2, 1], [1, 2]]},
    ),
    Target("training.prediction", lambda: training.prediction, {"nngp": KERNEL, "ntk": KERNEL, "targets": TARGETS[:2]}),
    Target(
        "training.StochasticFlow",
        lambda: training.StochasticFlow,
        {"kernel": KERNEL, "targets": TARGETS, "noise": np.eye(3), "rate": 0.1, "batch": 2},
    ),
    Target(
        "finite.empirical_kernels",
        lambda: finite.empirical_kernels,
        {"network": _net().finite(), "X": INPUTS, "depth": 2, "width": 8, "most_seeds": 4, "seed": 0},
    ),
    Target("random_network", lambda: asy.random_network, {"net": _net()}),
    Target("claims.find", lambda: claims.find, {"identifier": "TBG.ratio"}),
    Target("claims.for_law", lambda: claims.for_law, {"law": _law("ntk")}),
    Target("verify", lambda: asy.verify, {"law": _law("half"), "digits": 5, "depth": 10, "start": "1/9"}),
    Target(
        "referee", lambda: asy.referee, {"net": _net(), "X": INPUTS, "depth": 2, "widths": (8, 16), "most_seeds": 4}
    ),
    Target("plots.around_the_edge", lambda: plots.around_the_edge, {"phi": "relu", "sigma_b": Rational(1, 5)}),
    Target(
        "writing.write_recursion",
        lambda: writing.write_recursion,
        {"recursion": asy.Recursion(X / 2 + X**2, X, 0), "law": _law("half"), "path": "a.pdf", "start": 5, "digits": 5},
    ),
]

MASKED = np.ma.masked_array([0.1, 0.5, 1.5], mask=[False, True, False])
ODD = (
    None, True, False, 0, 1, -1, 2, 3, 0.5, -0.5, 1.5, 10**30, -(10**30), 2**63, 1e300, 1e-300, 5e-324, float("nan"),
    float("inf"), -float("inf"), 1j, 2.0, "", " ", "x", "1/2", "nan", "oo", "relu", "tanh", "nonsense", "above",
    "1e400", "1e999999999", b"1", (), [], {}, set(), [1, 2], (1, 2, 3), ["a"], [None], [[1, 2], [3]], object(), print,
    sin, int, Exception("x"), range(3), np.float64(0.5), np.float32(0.1), np.int64(3), np.bool_(True), np.array(1.0),
    np.array([]), np.array([0.1, np.nan, 1]), np.array([[1.0, np.inf], [2, 3]]), np.zeros((3, 3)), np.ones((3, 3)),
    -np.eye(3), np.eye(4), np.array(["a"]), np.array([1 + 1j]), np.array([None]), MASKED, np.ma.masked_all((3, 3)),
    np.full((3, 3), 1e-200), np.full((3, 3), 1e200), np.float64("nan"), INPUTS, KERNEL, GAPS, TARGETS,
    GAPS.astype(np.float32), np.array([1, 2, 3]), np.array([True, False, True]), Integer(2), Rational(1, 3),
    Float("0.1"), Float("0.1", 50), S.Half, oo, -oo, nan, zoo, I, sqrt(2), sqrt(-2), X, L, Symbol("a"), Symbol("x"),
    X**2, X - X**2, X**2 - 1, 1 / X, log(X), exp(-1 / X), cos(X), X + L, 1 / (L + 1), Symbol("n", positive=True) * X,
    mpf("0.5"), mpf("nan"), mpf("inf"), mpmath.mpc(1, 1), fractions.Fraction(1, 3), decimal.Decimal("0.1"),
    decimal.Decimal("NaN"), decimal.Decimal("1e999999"), Path("nowhere/at/all.pdf"), "nowhere/at/all.pdf", "a.docx",
    asy, asy.Recursion, *CODE[:4],
)  # fmt: skip


def odd(rng: random.Random) -> str:
    """One or two arguments exchanged."""
    target = rng.choice(TARGETS_OF)
    given = dict(target.arguments)
    changed = rng.sample(list(given), min(len(given), rng.choice((1, 1, 1, 2))))
    for name in changed:
        given[name] = rng.choice(ODD)
    words = f"{target.name}({', '.join(f'{k}={_shown(given[k])}' for k in changed)})"
    return called(target, given, words)


def called(target: Target, given: dict, words: str) -> str:
    """The call in an empty folder: an answer without nan, or a refusal by the package."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            answer = target.make()(**given)
            assert not _has_nan(answer), f"{words}: nan in the answer {str(answer)[:200]}"
            return "value"
        except AsymptError:
            raise
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError(f"{words}: {type(error).__name__}: {error}") from error
        finally:
            os.chdir(before)
            assert not Path(folder, "MARK").exists(), f"{words}: text was run as code"


def _shown(value) -> str:
    return " ".join(repr(value).split())[:60]


def _has_nan(answer) -> bool:
    """Whether numbers in the answer are nan; objects are left alone."""
    if isinstance(answer, Mapping):
        answer = list(answer.values())
    if isinstance(answer, list | tuple):
        return any(map(_has_nan, answer))
    if isinstance(answer, np.ndarray | np.generic | float):
        return bool(np.asarray(answer).dtype.kind in "fc" and np.isnan(answer).any())
    return isinstance(answer, mpf) and bool(mpmath.isnan(answer))


NUMERIC = [t for t in TARGETS_OF if t.name.startswith(("law.", "layered_solution.e", "DrivenRecursion.e"))]
WRITTEN = {
    "1/2": (
        Rational(1, 2),
        0.5,
        "0.5",
        fractions.Fraction(1, 2),
        decimal.Decimal("0.5"),
        mpf("0.5"),
        np.float64(0.5),
        Float(0.5),
    ),
    "1/9": (Rational(1, 9), " 1/9 ", fractions.Fraction(1, 9), "2/18", Integer(1) / 9),
    1: (Integer(1), "1", np.int64(1), np.float64(1.0), "1.0", mpf(1), 1.0, S.One, "2/2", fractions.Fraction(1)),
    3: (Integer(3), "3", np.int32(3), 3.0, "3.0", mpf(3)),
    50: (np.int64(50), Integer(50), np.uint8(50), "50", 50.0),
    51: (np.int64(51), Integer(51)),
    10: (np.int64(10), Integer(10)),
    Rational(1, 2): ("1/2", 0.5, fractions.Fraction(1, 2)),
}


def same(rng: random.Random) -> str:
    """A number written in another way gives the same answer."""
    target = rng.choice(NUMERIC)
    names = [
        name for name, value in target.arguments.items() if isinstance(value, int | str | Rational) and value in WRITTEN
    ]
    name = rng.choice(names)
    other = rng.choice(WRITTEN[target.arguments[name]])
    words = f"{target.name}({name}={_shown(other)})"
    try:
        answers = [target.make()(**{**target.arguments, name: value}) for value in (target.arguments[name], other)]
    except AsymptError as error:
        raise AssertionError(f"{words} is refused: {error}") from error
    except Exception as error:
        raise AssertionError(f"{words}: {type(error).__name__}: {error}") from error
    assert answers[0] == answers[1], f"{words}: {answers[1]} instead of {answers[0]}"
    return "value"


def strings(rng: random.Random) -> str:
    """Text that would run as Python, wherever text is read; every place refuses it."""
    text = rng.choice(CODE)
    recursion = asy.Recursion(sin(X), X)
    place, call = rng.choice(
        (
            ("Recursion", lambda: asy.Recursion(text, X)),
            ("fixed_point", lambda: asy.Recursion(sin(X), X, text)),
            ("observable", lambda: recursion.law(1, text)),
            ("linear_law", lambda: recursion.linear_law(text, X, 0, 1)),
            ("forcing", lambda: recursion.linear_law(1, text, 0, 1)),
            ("DrivenRecursion", lambda: asy.DrivenRecursion(text, X, 1 / L, L)),
            ("step", lambda: asy.DrivenRecursion(X**2, X, text, L)),
            ("layered_solution", lambda: asy.layered_solution(text, 1)),
            ("start", lambda: _law("sin").evaluate(depth=5, start=text)),
            ("depth", lambda: _law("sin").evaluate(depth=text, start=1)),
            ("activation", lambda: asy.activation(text)),
            ("Activation", lambda: asy.Activation(text)),
            ("slope", lambda: asy.activation("leaky_relu", slope=text)),
            ("sigma_w", lambda: asy.FeedForward("relu", sigma_w=text)),
            ("correlation", lambda: _law("ntk").evaluate(depth=5, correlation=text)),
            ("identifier", lambda: claims.find(text)),
        )
    )
    kind = called(Target(place, lambda: call, {}), {}, f"{place}: {text}")
    raise AssertionError(f"{place} takes {text!r}: {kind}")


FAMILIES = {"odd": (odd, 115, 0.04), "same": (same, 60, 1.0), "strings": (strings, 20, 0.0)}
