"""A parameter may be called anything: the law is the one for a name that nothing else has, with that name put in.

The independent side of every comparison is the same law for `kappa_user`, and for the leading term arithmetic by hand.
"""

import pickle
import re
from pathlib import Path

import pytest
from sympy import Symbol, log, pi, simplify, sqrt, symbols
from typer.testing import CliRunner

import asympt
from asympt import FeedForward, Recursion, ResNet, ScaledResNet, activation, blocks
from asympt.architectures.mlp import MLP
from asympt.cli.app import app
from asympt.errors import InputError
from asympt.recursions.linear_recurrence import LAYER, layered_solution
from asympt.recursions.non_autonomous import DrivenRecursion
from asympt.symbols import DEPTHS, Reserved, named, shown

X = Symbol("x", positive=True)
NEUTRAL = Symbol("kappa_user", positive=True)
SAMPLE = ("y", "t", "n", "l", "L", "C", "D")
ASSUMED = ({"positive": True}, {"positive": True, "rational": True})


def every_name() -> list[str]:
    """Every name in a call of Symbol, symbols, Dummy or Reserved in the package."""
    calls = re.compile(r"(?:Symbol|symbols|Dummy|Reserved)\(\"([^\"{}\\:]+)\"")
    sources = Path(asympt.__file__).parent.rglob("*.py")
    found = {name for source in sources for call in calls.findall(source.read_text()) for name in call.split()}
    return sorted(found - {"__import__"})


LAWS = {
    "parabolic": lambda p: Recursion(X - p * X**2, X).law(terms=3),
    "exact": lambda p: Recursion(X / (1 + p * X), X).law(terms=3),
    "hyperbolic": lambda p: Recursion(p * X * (1 - X), X).law(terms=2),
    "flip": lambda p: Recursion(-X + p * X**3, X).law(terms=2),
    "at a moving point": lambda p: Recursion(X - (X - p) ** 2, X, fixed_point=p).law(terms=2),
    "observable": lambda p: Recursion(X - p * X**2, X).law(terms=3, observable=p / X),
    "linear": lambda p: Recursion(X - p * X**2, X).linear_law(1 - 2 * p * X, X, terms=2),
    "linear, hyperbolic": lambda p: Recursion(p * X / (1 + X), X).linear_law(p, p * X, terms=2),
    "driven": lambda p: DrivenRecursion(p * X**2, X, 1 / (LAYER + 1), LAYER).law(terms=2),
    "driven, step": lambda p: DrivenRecursion(X**2, X, p / (LAYER + 1), LAYER).law(terms=2),
    "leaky correlation": lambda p: FeedForward(activation("leaky_relu", slope=p)).correlation_law(terms=3),
    "leaky kernel": lambda p: FeedForward(activation("leaky_relu", slope=p)).ntk_law(terms=3),
    "residual": lambda p: ResNet("relu", sigma_w=p).ntk_law(terms=2),
    "variance": lambda p: ResNet("relu", sigma_w=p).variance_law(terms=2),
    "scaled": lambda p: ScaledResNet("relu", sigma_w=p).correlation_law(terms=2),
    "rates": lambda p: MLP("tanh", weight_rate=p, bias_rate=2).ntk_component_law("00", terms=2),
}
OF_NETWORKS = {"leaky correlation", "leaky kernel", "residual", "variance", "scaled", "rates"}
ITS_OWN = {"driven": "l", "driven, step": "l"}  # the layer of the recursion, which the user has named


def neutral_form(law, symbol: Symbol) -> list:
    """[(monomial, coefficient)] of every branch with the usual names, `symbol` being NEUTRAL."""
    names = {s: Reserved(name) for name, s in law.constant_symbols.items()}
    names |= {symbol: NEUTRAL, law.depth_variable: Reserved("depth")}
    return [(m, c.xreplace(names)) for branch in law.branches.values() for m, c in branch.terms]


def assert_same(kind: str, name: str, assumptions: dict) -> None:
    symbol = Symbol(name, **assumptions)
    law, known = LAWS[kind](symbol), LAWS[kind](NEUTRAL)
    ours, theirs = neutral_form(law, symbol), neutral_form(known, NEUTRAL)
    assert len(ours) == len(theirs)
    assert all(a[0] == b[0] and simplify(a[1] - b[1]) == 0 for a, b in zip(ours, theirs, strict=True))
    for branch in law.branches.values():
        names = [s.name for s in branch.to_sympy().free_symbols | {symbol, law.depth_variable}]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("name", SAMPLE)
@pytest.mark.parametrize("kind", ["parabolic", "hyperbolic"])
def test_a_parameter_may_have_the_name_of_a_symbol_of_the_law(kind, name):
    assert_same(kind, name, ASSUMED[0])


@pytest.mark.parametrize(("kind", "name"), [
    ("exact", "C"), ("flip", "n"), ("observable", "y"), ("linear", "D"), ("driven", "C"), ("driven, step", "t"),
    ("leaky correlation", "C"), ("leaky kernel", "D"), ("leaky correlation", "x"),
    ("residual", "delta"), ("scaled", "t"), ("rates", "C"),
])  # fmt: skip
def test_a_parameter_may_have_the_name_of_a_symbol_of_any_law(kind, name):
    assert_same(kind, name, ASSUMED[0])


@pytest.mark.parametrize("kind", [*LAWS][::3])
def test_a_parameter_may_have_any_name_of_the_package(kind):
    for name in every_name()[::2]:
        if ITS_OWN.get(kind) != name:
            if name in DEPTHS and kind in OF_NETWORKS:
                continue
            if name == X.name and "leaky" not in kind:  # the variable of the maps above
                continue
            for assumptions in ASSUMED[: 2 if name in SAMPLE else 1]:
                assert_same(kind, name, assumptions)


def test_names_are_found_in_the_package():
    assert set(SAMPLE) | {"v", "z", "alpha", "delta", "u", "w"} <= set(every_name())


def test_leading_terms_by_hand():
    y, n, c = Symbol("y", positive=True), Symbol("n", positive=True), Symbol("C", positive=True)
    # 1/x_n = y n + ... for x - y x^2
    assert Recursion(X - y * X**2, X).law(terms=1).to_sympy() == 1 / (y * n)
    law = Recursion(X - n * X**2, X).law(terms=2)
    depth = law.depth_variable
    assert law.to_sympy() == 1 / (n * depth) - log(depth) / (n * depth**2) and str(depth) == "n_0"
    assert law.latex().startswith(r"x_{n_{0}} = ") and law.plain == "x_n_0"
    # 1/x_n = c n + C exactly for x/(1 + c x), c called C
    exact = Recursion(X / (1 + c * X), X).law(terms=2)
    constant = exact.constant_symbols["C"]
    assert str(constant) == "C_0" and simplify(exact.to_sympy() - 1 / (c * n) + constant / (c * n**2)) == 0


def test_usual_names_stay():
    law = Recursion(X - NEUTRAL * X**2, X).law(terms=3)
    assert law.to_sympy().free_symbols == {Symbol("n", positive=True), Symbol("C", real=True), NEUTRAL}
    assert law.constant_symbols == {"C": Symbol("C", real=True), "D": Symbol("D", real=True)}


def test_the_abel_function_is_shown_in_another_letter():
    t = Symbol("t", positive=True)
    assert str(Recursion(X - t * X**2, X).law(terms=1).abel.expansion.truncate(2)) == "1/(t*t_0) + log(t_0) + O(t_0)"


def test_a_name_with_the_depth_as_its_index():
    assert str(Recursion(X - Symbol("x_n", positive=True) * X**2, X).law(terms=1)) == "1/(n_0*x_n) + O(log(n_0)/n_0^2)"


def test_layered_solutions_name_their_constant():
    d = Symbol("D", positive=True)
    solution = layered_solution(1 - 2 / LAYER, d, terms=1)  # a_l = D l/3 + ..., D the forcing
    assert str(solution.constant_symbol) == "D_0" and "D_0/l^2" in str(solution)
    assert solution.particular.leading[1] == d / 3


def test_verify_proves_the_symbolic_part_for_any_name():
    from asympt.evidence.symbolic.defect import inverse_check, substitution_check

    for name in ("C", "u", "w", "t"):
        law = Recursion(X - Symbol(name, positive=True) * X**2, X).law(terms=3)
        assert inverse_check(law).verdict == substitution_check(law).verdict == "proved"


@pytest.mark.parametrize("call", [
    lambda a, b: Recursion(X - a * X**2 + b * X**3, X),
    lambda a, b: Recursion(X - a * X**2, X).law(observable=b * X),
    lambda a, b: Recursion(X - a * X**2, X).linear_law(1, b * X),
    lambda a, b: DrivenRecursion(a * X**2, X, b / (LAYER + 1), LAYER),
    lambda a, b: Recursion(a - a**2, b),
    lambda a, b: layered_solution(1 - a / LAYER, b),
    lambda a, b: ResNet(activation("leaky_relu", slope=a), sigma_w=b),
    lambda a, b: MLP("tanh", weight_rate=a, bias_rate=b),
])  # fmt: skip
def test_two_symbols_of_one_name(call):
    with pytest.raises(InputError, match="two different symbols are called a"):
        call(Symbol("a", positive=True), Symbol("a"))


def test_reserved_symbols():
    own, user = Reserved("t", positive=True), Symbol("t", positive=True)
    assert own == Reserved("t", positive=True) != user and own - user != 0 and (own - own) == 0
    assert pickle.loads(pickle.dumps(own * user)) == own * user and own.is_positive
    assert own.public() == user and own.public({"t", "t_0"}).name == "t_1"
    assert str((own * user).xreplace(shown(own * user))) == "t*t_0"
    assert [s.name for s in named([Reserved("C"), Reserved("C_0")], symbols("C c")).values()] == ["C_0", "C_0_0"]


@pytest.mark.parametrize(("name", "variable"), [("c", "c_0"), ("kappa", "c"), ("t", "c"), ("x", "c")])
def test_the_correlation_map_of_a_slope_of_any_name(name, variable):
    slope, c = Symbol(name, real=True), Symbol(variable, real=True)
    form = FeedForward(activation("leaky_relu", slope=slope)).correlation_map.closed_form
    # E[phi(U)phi(V)] at c = 0 is E[phi]^2 = (1 - s)^2/(2 pi), and E[phi^2] = (1 + s^2)/2 (by hand)
    assert simplify(form.subs(c, 0) - (1 - slope) ** 2 / (pi * (1 + slope**2))) == 0 and form.subs(c, 1) == 1


@pytest.mark.parametrize(("letter", "shown_as"), [("C", "2*C_0 - 3*log"),
                                                  ("t", "A(t_0) ="), ("c", "f(c_0) = c_0 +"), ("lambda", "lambda")])
def test_a_letter_on_the_command_line(letter, shown_as):
    result = CliRunner().invoke(app, ["derive", "leaky_relu", "--slope", letter, "--law", "ntk", "--terms", "3"])
    assert result.exit_code == 0 and shown_as in " ".join(result.stdout.split())


@pytest.mark.parametrize("name", ["l", "L", "n"])
@pytest.mark.parametrize("make", [
    lambda p: FeedForward("leaky_relu", slope=1 - 1 / sqrt(p)), lambda p: ResNet("relu", sigma_w=p),
    lambda p: ScaledResNet("relu", sigma_w=p), lambda p: MLP("tanh", weight_rate=p, bias_rate=2),
    lambda p: asympt.ConvNet("relu", positions=4, reach=1, sigma_w=p),
    lambda p: asympt.Network(blocks.residual(blocks.layer_norm(), blocks.activation("relu"), blocks.dense(p))),
])  # fmt: skip
def test_a_parameter_of_a_network_is_not_called_like_a_depth(make, name):
    """leaky_relu with the slope 1 - 1/sqrt(L): 9 pi^2 (...)/(2 l^2) is 178 at l = L, where the truth is 0.859."""
    with pytest.raises(InputError, match=f"the parameter {name} has the name of the depth"):
        make(Symbol(name, positive=True))
    assert make(NEUTRAL)
