"""The laws of the golden table: every kind of recursion, every phase, every architecture.

A row is a name, a law (made when asked for) and the start from which its numbers are taken.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sympy import Abs, Rational, Symbol, cos, exp, log, sin, sqrt, tanh

import asympt as asy
from tests.shared import on_demand

X = Symbol("x", real=True)
A, B = Symbol("a", positive=True), Symbol("b", real=True)
LAYER = Symbol("l", positive=True)
TENTH, HALF, FIFTH = Rational(1, 10), Rational(1, 2), Rational(1, 5)


@dataclass(frozen=True)
class Row:
    """One law: `law()` derives it, `start` is what `evaluate` takes.

    `digits` are those of its numbers; it is verified if it has `checks`, with a theorem if it is `proved`.
    """

    name: str
    law: Callable
    start: dict = field(default_factory=dict)
    digits: int = 30
    proved: bool = False
    checks: bool = True


def map_(name: str, expression, start, terms: int = 4, observable=None, **where) -> Row:
    """A recursion x -> expression."""
    return Row(name, lambda: asy.Recursion(expression, X, **where).law(terms, observable), {"start": start})


def along(name: str, expression, start, **linear) -> Row:
    """A linear recursion along x -> expression."""
    return Row(name, lambda: asy.Recursion(expression, X).linear_law(**linear), {"start": start})


def driven(name: str, h, step, start) -> Row:
    """x_l = x_(l-1) - step(l) h(x_(l-1))."""
    return Row(name, lambda: asy.DrivenRecursion(h, X, step, LAYER).law(3), {"start": start})


def net(name: str, make: Callable, law: str, start: dict | None = None, *given, **options) -> Row:
    """A law of a network, from c^1 = 1/10 unless a start is given."""
    chosen = {"correlation": TENTH} if start is None else start
    return Row(name, lambda: getattr(make(), law)(*given, **options), chosen)


def pair(name: str, make: Callable, start: dict | None = None, terms: int = 4) -> list[Row]:
    """The correlation law and the NTK law of a network."""
    return [
        net(f"{name}: correlation", make, "correlation_law", start, terms=terms),
        net(f"{name}: ntk", make, "ntk_law", start, terms=terms),
    ]


MAPS = [
    map_("sine", sin(X), 1),
    map_("sine, 3/x^2", sin(X), 1, observable=3 / X**2),
    map_("logistic at 1", X - X**2, HALF),
    map_("from below", X + X**2, -HALF, side="below"),
    map_("two over", X - X**3 + X**4, TENTH),
    map_("three halves", X - sqrt(X) * X, Rational(1, 4)),
    map_("x + 1/x at infinity", X + 1 / X, 1),
    map_("x + sqrt(x) at infinity", X + sqrt(X), 1),
    map_("parameter", X - A * X**2 + X**3, HALF),
    map_("cosine", cos(X), 1),
    map_("half a step", X / 2 + X**2 / 8, HALF),
    map_("minus a third", -X / 3 + X**2, HALF),
    map_("square root of 1 + x", sqrt(1 + X), 3),
    map_("flip", -sin(X), 1),
    map_("flip of the logistic map", 3 * X * (1 - X), HALF, fixed_point=Rational(2, 3)),
    along("sum of squares along sine", sin(X), 1, multiplier=1, forcing=X**2, terms=3),
    along("sum along x/(1+x)", X / (1 + X), 1, multiplier=1, forcing=X, terms=3),
    along("along a hyperbolic map", X / 2 + X**2, Rational(1, 4), multiplier=HALF + X, forcing=1, terms=3),
    driven("step 1/(l+1)", X**2, 1 / (LAYER + 1), HALF),
    driven("step l^(-1/2)", X**2 + X**3, 1 / sqrt(LAYER), HALF),
    driven("h = x^(3/2)", X * sqrt(X), 1 / LAYER, HALF),
    Row("linear recurrence in the layer", lambda: asy.layered_solution(1 - 2 / LAYER, log(LAYER) / LAYER, terms=3),
        {"start_layer": 3, "start_value": 1}),
    map_("tanh", tanh(X), 2),
    map_("exp(-x) - 1 + ...", X * exp(-X), HALF),
]  # fmt: skip

FULLY_CONNECTED = [
    *pair("relu", lambda: asy.FeedForward("relu")),
    net("relu: diagonal", lambda: asy.FeedForward("relu"), "ntk_diagonal_law", start={}),
    *pair("leaky 1/5", lambda: asy.FeedForward("leaky_relu", slope=FIFTH)),
    *pair("leaky, a symbol", lambda: asy.FeedForward("leaky_relu", slope=B)),
    *pair("abs", lambda: asy.FeedForward(asy.Activation(Abs(X), X), sigma_w=1), start={"correlation": HALF}),
    *pair("erf on the edge", lambda: asy.FeedForward("erf", sigma_b=FIFTH), terms=2),
    *pair("tanh on the edge", lambda: asy.FeedForward("tanh", sigma_b=FIFTH), terms=2),
    *pair("elu on the edge", lambda: asy.FeedForward("elu", sigma_b=FIFTH), terms=2),
    *pair("gelu on the edge", lambda: asy.FeedForward("gelu", sigma_b=FIFTH), terms=2),
    *pair("relu, ordered", lambda: asy.FeedForward("relu", sigma_w=1, sigma_b=1)),
    *pair("erf, ordered", lambda: asy.FeedForward("erf", sigma_w=HALF, sigma_b=FIFTH), terms=2),
    *pair("erf, chaotic", lambda: asy.FeedForward("erf", sigma_w=2, sigma_b=FIFTH), terms=2),
    net("erf, chaotic: diagonal", lambda: asy.FeedForward("erf", sigma_w=2, sigma_b=FIFTH), "ntk_diagonal_law",
        start={}),
    net("tanh: variance like 1/l", lambda: asy.FeedForward("tanh", sigma_w=1), "variance_law",
        start={"variance": 1}, terms=2),
    net("erf: variance", lambda: asy.FeedForward("erf", sigma_w=HALF, sigma_b=FIFTH), "variance_law",
        start={"variance": 1}, terms=2),
]

OTHERS = [
    *pair("resnet relu", lambda: asy.ResNet("relu", sigma_w=1)),
    net("resnet relu: diagonal", lambda: asy.ResNet("relu", sigma_w=1), "ntk_diagonal_law", start={}),
    *pair("resnet, symbols", lambda: asy.ResNet("leaky_relu", sigma_w=A, slope=B), terms=2),
    *pair("block resnet", lambda: asy.BlockResNet("relu", alpha=TENTH), terms=2),
    *pair("scaled resnet", lambda: asy.ScaledResNet("relu", sigma_w=sqrt(2)), terms=2),
    *pair("scaled resnet, kappa = 1/2", lambda: asy.ScaledResNet("relu", sigma_w=1, kappa=HALF), terms=2),
    net("scaled resnet: diagonal", lambda: asy.ScaledResNet("relu", sigma_w=sqrt(2)), "ntk_diagonal_law", start={}),
    net("scaled resnet: variance", lambda: asy.ScaledResNet("relu", sigma_w=sqrt(2)), "variance_law",
        start={"variance": 1}),
    *pair("convnet", lambda: asy.ConvNet("relu", positions=3, reach=1),
          start={"correlation": (TENTH, HALF, 0), "position": 1}, terms=2),
    *pair("conv resnet", lambda: asy.ConvResNet("relu", positions=3, reach=1, sigma_w=1),
          start={"correlation": (TENTH, HALF, 0), "position": 1}, terms=2),
    net("mlp relu: angle", lambda: asy.MLP("relu"), "angle_law"),
    net("mlp relu: ntk", lambda: asy.MLP("relu", schedule="equivalence"), "ntk_law"),
    net("mlp relu: robustness", lambda: asy.MLP("relu"), "robustness_law"),
    net("mlp tanh: kernel 00", lambda: asy.MLP("tanh"), "kernel_law", {"variance": 1}, "00", terms=2),
    net("mlp tanh: ntk 00", lambda: asy.MLP("tanh", schedule="equivalence"), "ntk_component_law",
        {"variance": 1}, "00", terms=1),
    net("mlp tanh: ntk 2", lambda: asy.MLP("tanh", weight_rate=1, bias_rate=2), "ntk_component_law",
        {"variance": 1}, "2", terms=1),
]  # fmt: skip

# constants and maps of these are integrals: two terms and fewer digits take seconds
LEAN = {
    "elu on the edge: correlation", "elu on the edge: ntk", "erf on the edge: correlation", "erf on the edge: ntk",
    "gelu on the edge: correlation", "gelu on the edge: ntk", "tanh on the edge: correlation", "tanh on the edge: ntk",
    "erf, chaotic: correlation", "erf, chaotic: ntk", "erf, ordered: correlation", "erf, ordered: ntk",
    "erf: variance", "tanh: variance like 1/l", "mlp tanh: kernel 00", "mlp tanh: ntk 00", "mlp tanh: ntk 2",
    "step l^(-1/2)", "scaled resnet, kappa = 1/2: correlation", "scaled resnet, kappa = 1/2: ntk",
}  # fmt: skip
# one of every kind of theorem; certificates have tests of their own
PROVED = {"sine", "x + sqrt(x) at infinity", "half a step", "sum of squares along sine", "along a hyperbolic map",
          "step 1/(l+1)", "relu: correlation", "relu: ntk", "relu, ordered: ntk"}  # fmt: skip
# twelve constants to be followed along two orbits take minutes; tests/evidence/test_rates.py holds such laws to theirs
UNCHECKED = {"mlp tanh: kernel 00", "mlp tanh: ntk 00", "mlp tanh: ntk 2"}

ROWS = {
    row.name: replace(
        row, law=on_demand(row.name, row.law), digits=15 if row.name in LEAN else 30, proved=row.name in PROVED,
        checks=row.name not in UNCHECKED,
    )
    for row in (*MAPS, *FULLY_CONNECTED, *OTHERS)
}
