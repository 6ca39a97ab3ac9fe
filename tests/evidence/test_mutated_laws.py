"""A law with a part missing or replaced gets a verdict or an `InputError`, never a traceback."""

import random
from dataclasses import fields, replace
from functools import cache

import pytest
from sympy import Function, I, Integer, Rational, Symbol, cos, nan, oo, sin, zoo

import asympt as asy
from asympt.errors import InputError
from asympt.expansions import Expansion

x, layer = Symbol("x", positive=True), Symbol("l", positive=True)
LAWS = {
    "parabolic": lambda: asy.Recursion(sin(x), x).law(3),
    "hyperbolic": lambda: asy.Recursion(x / 2 + x**2, x).law(3),
    "flip": lambda: asy.Recursion(-sin(x) + x**2, x).law(2),
    "observable": lambda: asy.Recursion(sin(x), x).law(2, cos(x)),
    "linear": lambda: asy.Recursion(sin(x), x).linear_law(1, x, 0, terms=2),
    "second base": lambda: asy.Recursion(x / 2 + x**2, x).linear_law(Rational(1, 3) + x, 1, 1, terms=3),
    "driven": lambda: asy.DrivenRecursion(x**2, x, 1 / (layer + 1), layer).law(2),
    "critical": lambda: asy.FeedForward("relu").ntk_law(2),
    "ordered": lambda: asy.FeedForward("relu", sigma_w=1, sigma_b=1).ntk_law(3),
    "diagonal": lambda: asy.FeedForward("relu", sigma_w=1, sigma_b=1).ntk_diagonal_law(),
    "residual": lambda: asy.ResNet("relu", sigma_w=1).ntk_law(2),
    "scaled": lambda: asy.ScaledResNet("relu", sigma_w=1).correlation_law(3),
    "scaled ntk": lambda: asy.ScaledResNet("relu", sigma_w=1).ntk_law(2),
    "convolutional": lambda: asy.ConvNet("relu", positions=3, reach=1).correlation_law(2),
}
PASSED = {"proved", "checked"}
VERDICTS = {"proved", "checked", "unknown", "refuted"}


@cache
def law_of(name):
    return LAWS[name]()


def outcome(law, **options) -> str:
    """The verdict, or 'InputError'."""
    try:
        verdict = asy.verify(law, **{"digits": 6, "depth": 40, **options}).verdict
    except asy.InputError as error:
        assert str(error)
        return "InputError"
    assert verdict in VERDICTS
    return verdict


def without(expansion: Expansion, index: int) -> Expansion:
    return replace(expansion, terms=expansion.terms[:index] + expansion.terms[index + 1 :])


def mutated(law, dice: random.Random):
    """One part changed: a term dropped or multiplied, or a field given another law's value, or none."""
    kind, expansion = dice.choice(["drop", "scale", "remainder", "swap", "none"]), law.expansion
    index = dice.randrange(len(expansion.terms))
    if kind == "drop":
        return replace(law, expansion=without(expansion, index))
    if kind == "scale":
        monomial, coefficient = expansion.terms[index]
        terms = (*expansion.terms[:index], (monomial, coefficient * dice.choice([-1, 2, x])))
        return replace(law, expansion=replace(expansion, terms=(*terms, *expansion.terms[index + 1 :])))
    if kind == "remainder":
        return replace(law, expansion=replace(expansion, remainder=None))
    name = dice.choice([field.name for field in fields(law) if field.init])
    other = law_of(dice.choice(sorted(LAWS)))
    return replace(law, **{name: getattr(other, name, None) if kind == "swap" else None})


@pytest.mark.parametrize("nothing", [3, None, "sin(x)", object, x, LAWS["parabolic"]])
def test_what_is_no_law(nothing):
    with pytest.raises(asy.InputError, match="is not a law"):
        asy.verify(nothing)


def test_networks_and_recursions_are_no_laws():
    for nothing in (asy.FeedForward("relu"), asy.Recursion(sin(x), x), type(law_of("parabolic"))):
        with pytest.raises(asy.InputError, match="is not a law"):
            asy.verify(nothing)


@pytest.mark.parametrize("options", [{"progress": 3}, {"workers": 0}, {"workers": "many"}, {"digits": None},
                                     {"digits": "7"}, {"depth": None}, {"depth": "deep"}, {"workers": 1.5},
                                     {"digits": True}, {"digits": x}, {"depth": oo}, {"start": 1}])  # fmt: skip
def test_options_of_wrong_types(options):
    assert outcome(law_of("diagonal"), **options) == "InputError"


@pytest.mark.parametrize("start", ["zz", "x", x, I, oo, nan, True, [1], b"1", object(), 0, "1e99999999"])
@pytest.mark.parametrize("name", ["parabolic", "linear", "observable", "flip", "hyperbolic", "driven"])
def test_a_start_that_is_none(name, start):
    assert outcome(law_of(name), start=start) == "InputError"


@pytest.mark.parametrize("name", sorted(LAWS))
def test_an_expansion_of_no_numbers(name):
    expansion = law_of(name).expansion
    for wrong in (3.5, "a", None, oo, zoo, nan, Symbol("A", commutative=False)):
        terms = ((expansion.terms[0][0], wrong), *expansion.terms[1:])
        with pytest.raises(InputError, match=r"the coefficient .* is "):
            replace(law_of(name), expansion=replace(expansion, terms=terms))
    for parts in ({"terms": (1, 2)}, {"scale": None}, {"remainder": 3}, {"terms": ((None, Integer(1)),)}):
        with pytest.raises(InputError):
            replace(law_of(name), expansion=replace(expansion, **parts))


@pytest.mark.parametrize("name", sorted(set(LAWS) - {"parabolic"}))
def test_terms_in_the_wrong_order(name):
    """The first term would be read as the largest; the same power twice is not an order either."""
    law = law_of(name)
    for terms in (law.expansion.terms[::-1], law.expansion.terms + law.expansion.terms[-1:]):
        if len(terms) > 1:
            with pytest.raises(InputError, match="give the terms largest first"):
                replace(law, expansion=replace(law.expansion, terms=terms))


@pytest.mark.parametrize("name", ["parabolic", "hyperbolic", "linear", "driven"])
def test_the_depth_may_be_called_otherwise(name):
    """A law in another variable is the same law."""
    scale = replace(law_of(name).expansion.scale, variable=Symbol("zeta", positive=True))
    assert outcome(replace(law_of(name), expansion=replace(law_of(name).expansion, scale=scale))) in PASSED


@pytest.mark.parametrize("name", ["parabolic", "hyperbolic", "driven"])
def test_complex_and_foreign_coefficients(name):
    expansion = law_of(name).expansion
    for wrong in (I, 1 + I, x, Symbol("z"), Symbol("n"), Function("f")(x)):
        terms = ((expansion.terms[0][0], wrong), *expansion.terms[1:])
        planted = replace(law_of(name), expansion=replace(expansion, terms=terms))
        assert outcome(planted) in {"refuted", "unknown", "InputError"}


@pytest.mark.parametrize("name", ["parabolic", "hyperbolic", "diagonal", "scaled"])
def test_no_expansion_and_an_empty_one(name):
    law = law_of(name)
    assert outcome(replace(law, expansion=replace(law.expansion, terms=()))) == "InputError"
    with pytest.raises(InputError, match="not an expansion"):
        replace(law, expansion=None)


@pytest.mark.parametrize(("name", "other"), [("parabolic", "hyperbolic"), ("hyperbolic", "parabolic"),
                                             ("parabolic", "linear"), ("hyperbolic", "second base")])  # fmt: skip
def test_the_expansion_of_another_law(name, other):
    planted = replace(law_of(name), expansion=law_of(other).expansion)
    assert outcome(planted) in {"refuted", "unknown", "InputError"}


@pytest.mark.parametrize("name", sorted(LAWS))
def test_many_random_mutations(name):
    dice = random.Random(name)
    for _ in range(2):
        try:
            planted = mutated(law_of(name), dice)
        except InputError:  # no law can be made of such parts
            continue
        outcome(planted)
