"""One class of laws: what differs between kinds is the coordinate, and every coordinate answers the same questions."""

import inspect
from inspect import signature

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol, sin

import asympt as asy
from asympt.architectures.perceptron.components import ComponentFlow
from asympt.architectures.residual.growing import Growing
from asympt.architectures.scaled.flow import KernelFlow
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.recursions.law import Law
from asympt.recursions.protocol import Coordinate

X, LAYER = Symbol("x", positive=True), Symbol("l", positive=True)
HALF, TENTH = Rational(1, 2), Rational(1, 10)
FORMULA = Expansion.build(Scale.at_infinity(LAYER), {(1, 0): 1}, Formal(Monomial(2)))

LAWS = {
    "parabolic": (lambda: asy.Recursion(sin(X), X).law(2), {"start": 1}),
    "hyperbolic": (lambda: asy.Recursion(X / 2 - X**2 / 5, X).law(2), {"start": HALF}),
    "driven": (lambda: asy.DrivenRecursion(X**2, X, 1 / (LAYER + 1), LAYER).law(2), {"start": HALF}),
    "scaled": (lambda: asy.ScaledResNet("relu").ntk_law(2), {"correlation": TENTH}),
    "exact": (lambda: asy.FeedForward("relu", sigma_w=1).variance_law(), {"variance": 2}),
    "rates": (lambda: asy.MLP("sin").kernel_law("00", 2), {"variance": HALF}),
}


@pytest.mark.parametrize("kind", LAWS)
def test_both_routes_give_the_value_that_is_certified(kind, agrees):
    # shallow enough for the original recursion, which both routes then follow at two precisions
    make, start = LAWS[kind]
    law = make()
    coordinate, given = law.coordinate, law.reader(**start)
    assert type(law) is Law
    assert law.kind == coordinate.kind == kind
    one, two = coordinate.routes(20, 12)
    assert two.digits > one.digits
    states = [coordinate.to_layer(given, 12, route, None) for route in (one, two)]
    for first, second in zip(*states, strict=True):
        assert agrees(first, second, 18)


def test_the_distance_of_a_recursion_whose_steps_depend_on_the_layer(agrees):
    # x_l itself, by plain iteration of x - x^2/(l + 1) from 1/2
    law = LAWS["driven"][0]()
    with mp.workdps(40):
        x = mpmath.mpf(1) / 2
        for layer in range(1, 51):
            x -= x**2 / (layer + 1)
        assert agrees(law.deviation(50, start=HALF, digits=30), x, 30)


def test_a_law_with_another_recursion():
    law = LAWS["parabolic"][0]()
    there = asy.Recursion(X - X**3, X).dynamics
    planted = law.changed(dynamics=there)
    assert planted.dynamics is there and planted.abel is law.abel and law.dynamics is not there


def test_a_formula_alone_cannot_be_evaluated():
    law = Law("x_{l}", FORMULA, lambda start: start)
    assert (law.kind, law.abel, law.parameters) == ("unknown", None, set())
    with pytest.raises(asy.UnsupportedError, match="a formula alone"):
        law.evaluate(10, start=1)


def below(kind: type) -> set[type]:
    return {kind}.union(*(below(part) for part in kind.__subclasses__()))


def test_every_coordinate_answers_with_the_signature_of_the_protocol():
    questions = {name: call for name, call in vars(Coordinate).items() if inspect.isfunction(call) and name[0] != "_"}
    asked, kinds = 0, below(Coordinate)
    assert {KernelFlow, ComponentFlow, Growing} <= kinds
    for kind in kinds:
        for name in questions.keys() & vars(kind).keys():
            assert list(signature(getattr(kind, name)).parameters) == list(signature(questions[name]).parameters), kind
            asked += 1
    assert asked > 30
