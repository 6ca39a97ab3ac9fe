"""A document in every phase, of every architecture and kind: printed from the law's steps, in LaTeX throughout.

What must stand in it is taken from the law, not from the writer: its quantity, the leading coefficient as SymPy prints
it to ten digits, the value of its constant from a plain evaluation.
"""

import re
from dataclasses import replace

import pytest
from mpmath import mpf, nstr, workdps
from sympy import Rational, Symbol, sin, sqrt

import asympt as asy
from asympt.architectures.registry import find, record_of, records
from asympt.evidence import Check, Verification
from asympt.numbers import to_mpf
from asympt.writing import document, recursion_document
from asympt.writing.account import Account, Subject
from asympt.writing.document import account_of, require_document
from asympt.writing.evidence import values
from asympt.writing.networks import network_name
from asympt.writing.statement import statement
from asympt.writing.subjects import composition_setting, network_subject
from asympt.writing.texts import TEXTS, derivation
from asympt.writing.texts.quantities import constant_section
from tests.golden.rows import ROWS
from tests.writing.latex_log import assert_sound

UNTYPESET = re.compile(r"\*\*|sqrt\(|(?<!\\)\blog\(|(?<!\\)\bpi\b|(?<![\\A-Za-z])[A-Za-z]{2,}_\w|lambda\(")
LABELS = re.compile(r"\\(?:label|ref|cite|section)(?:\[[^]]*\])?\{[^{}]*\}")
X, LAYER = Symbol("x", positive=True), Symbol("l", positive=True)
FIFTH, HALF = Rational(1, 5), Rational(1, 2)
TOLD = ("sine", "parameter", "half a step", "flip", "x + 1/x at infinity", "along a hyperbolic map", "step l^(-1/2)",
        "step 1/(l+1)", "relu: ntk", "relu: diagonal", "resnet relu: correlation",
        "resnet, symbols: ntk")  # fmt: skip
CHECKED = Verification("the law", (Check("nothing", 0, 0, True),))
START = {"correlation": Rational(1, 10)}
SUBJECT = Subject("title", "setting", "Let $y$ be the distance.")

NETWORKS = {
    "feedforward, ordered": (lambda: asy.FeedForward("relu", sigma_w=1, sigma_b=1), "ntk"),
    "feedforward, ordered, correlation": (lambda: asy.FeedForward("relu", sigma_w=1, sigma_b=1), "correlation"),
    "feedforward, ordered, one input": (lambda: asy.FeedForward("relu", sigma_w=1, sigma_b=1), "diagonal"),
    "feedforward, ordered, variance": (lambda: asy.FeedForward("relu", sigma_w=1, sigma_b=1), "variance"),
    "feedforward, one input": (lambda: asy.FeedForward("relu"), "diagonal"),
    "convnet": (lambda: asy.ConvNet("relu", positions=4, reach=1), "ntk"),
    "conv-resnet": (lambda: asy.ConvResNet("relu", positions=3, reach=1, sigma_w=1), "correlation"),
    "block-resnet": (lambda: asy.BlockResNet("relu", alpha=HALF), "correlation"),
    "resnet, one input": (lambda: asy.ResNet("relu", sigma_w=1), "diagonal"),
    "resnet, a bounded phi": (lambda: asy.ResNet("erf", sigma_w=1, sigma_b=FIFTH), "correlation"),
    "resnet, biases": (lambda: asy.ResNet("relu", sigma_w=1, sigma_b=1), "ntk"),
    "scaled-resnet, kappa = 1/2": (lambda: asy.ScaledResNet("relu", sigma_w=1, kappa=HALF), "ntk"),
    "scaled-resnet, one input": (lambda: asy.ScaledResNet("relu", sigma_w=sqrt(2)), "diagonal"),
    "scaled-resnet, variance": (lambda: asy.ScaledResNet("relu", sigma_w=sqrt(2)), "variance"),
    "mlp, angle": (lambda: asy.MLP("relu"), "angle"),
    "mlp, robustness": (lambda: asy.MLP("relu"), "robustness"),
    "mlp, a component": (lambda: asy.MLP("tanh"), "kernel-00"),
    "chaotic": (lambda: asy.FeedForward("erf", sigma_w=2, sigma_b=FIFTH), "ntk"),
    "chaotic, one input": (lambda: asy.FeedForward("erf", sigma_w=2, sigma_b=FIFTH), "diagonal"),
    "ordered": (lambda: asy.FeedForward("erf", sigma_w=HALF, sigma_b=FIFTH), "correlation"),
    "variance": (lambda: asy.FeedForward("erf", sigma_w=HALF, sigma_b=FIFTH), "variance"),
}


def untypeset(tex: str) -> list[str]:
    """Python that was left in the text."""
    return UNTYPESET.findall(LABELS.sub("", tex))


def account(name: str) -> Account:
    """A network's law as a document tells it."""
    make, law = NETWORKS[name]
    net = make()
    found = record_of(net).laws[law].of(net, 3)
    return Account(found, network_subject(net, found))


def assert_tells(a: Account) -> None:
    told = statement(a, CHECKED) + derivation(a)
    assert a.law.quantity in told and r"\label{eq:law}" in told and not untypeset(told), untypeset(told)
    assert {step.form for step in a.law.steps} <= set(TEXTS) | {"K00", "K2", "Theta00", "Theta2"}
    sections = re.findall(r"\\section\{([^}]*)\}", told)
    assert len(sections) == len(set(sections)) and told.count("{") == told.count("}")


@pytest.mark.parametrize("name", TOLD)
def test_laws_of_every_kind_can_be_told(name):
    assert_tells(Account(ROWS[name].law(), SUBJECT))


@pytest.mark.parametrize("name", NETWORKS)
def test_a_law_of_a_network(name):
    assert_tells(account(name))


BIASED = {
    "feedforward": {}, "resnet": {}, "scaled-resnet": {"kappa": "1/2"}, "convnet": {"positions": 4, "reach": 1},
    "conv-resnet": {"positions": 4, "reach": 1},
}  # fmt: skip


@pytest.mark.parametrize("name", BIASED)
def test_the_layers_that_are_printed_have_the_skips_and_biases_of_the_network(name):
    net = find(name).load()("relu", sigma_w=1, sigma_b=1, **BIASED[name])
    layers = composition_setting(net.composition, "")
    assert ("+b$" in layers or "+b " in layers, "y^{l}=z_{0}+" in layers) == (True, "resnet" in name)
    assert ("residual" in network_name(net), "convolutional" in network_name(net)) == ("resnet" in name, "conv" in name)


def test_every_architecture_has_its_layer():
    needed = {"convnet": {"positions": 4, "reach": 1}, "conv-resnet": {"positions": 4, "reach": 1}}
    nets = {record.name: record.load()("relu", **needed.get(record.name, {})) for record in records()}
    told = {name: composition_setting(net.composition, "") for name, net in nets.items()}
    assert [name for name, text in told.items() if "W*z" in text] == ["convnet", "conv-resnet"]
    assert len(set(told.values())) == len(told)


def test_the_phase_is_in_the_title_and_the_stability_in_the_setting():
    subject = account("feedforward, ordered").subject
    assert subject.title == "The depth law of the neural tangent kernel of a ReLU network in the ordered phase"
    assert "stable" in subject.setting and r"\sigma_b=1" in subject.setting


def test_the_ordered_phase_of_relu():
    """chi = 1/2 and the limit 1/(1 - chi) = 2 by hand; C from the law's own evaluation."""
    net = asy.FeedForward("relu", sigma_w=1, sigma_b=1)
    tex = document(net, "ntk", digits=12).tex
    assert r"\chi = \frac{1}{2}" in tex.replace("chi=", "chi = ") and r"\frac{K^{L}(x,x')}{q} &= 2 -" in tex
    digits = nstr(net.ntk_law().connection_constant(digits=14, correlation=Rational(1, 10)), 14)
    assert digits[:12] in tex.replace(r"\,", "") and not untypeset(tex.split(r"\begin{table}")[0])


def test_exact_laws_say_so():
    tex = document(asy.FeedForward("relu"), "diagonal").tex
    assert r"\frac{K^{L}(x,x)}{q} &= L" in tex and "holds exactly at every depth" in tex


def test_symbols_are_the_users():
    """Theta_00 of tanh is lambda_b L/2 to leading order (PDLT 10.79)."""
    rates = {"weight_rate": Symbol("lambda_W", positive=True), "bias_rate": Symbol("lambda_b", positive=True)}
    tex = document(asy.MLP("tanh", **rates), "ntk-00", terms=1).tex
    assert r"\frac{L \lambda_{b}}{2}" in tex and "give a number for each" in tex
    assert "beth" not in tex and "daleth" not in tex


def test_linear_and_non_autonomous_recursions():
    along = asy.Recursion(sin(X), X)
    made = recursion_document(along, along.linear_law(multiplier=1, forcing=X**2, terms=2), start=1)
    assert "3 \\log n" in made.tex and "a_{n+1}=" in made.tex
    driven = asy.DrivenRecursion(X**2, X, 1 / (LAYER + 1), LAYER)
    assert r"\log l" in recursion_document(driven, driven.law(2), start=HALF).tex


@pytest.mark.parametrize("name", ["convnet", "scaled-resnet, kappa = 1/2"])
def test_documents_can_be_typeset(name, tmp_path):
    make, law = NETWORKS[name]
    made = document(make(), law)
    assert_sound(made, tmp_path / "law.pdf", 3)


@pytest.mark.parametrize(("name", "routes"), [("convnet", 0), ("resnet, biases", 0), ("feedforward, ordered", 2)])
def test_two_routes_to_the_constant_where_one_orbit_is_followed(name, routes):
    start = {"correlation": (Rational(1, 10), 0, 0, 0), "position": 0} if name == "convnet" else START
    told = constant_section(replace(account(name), start=start, digits=10))
    assert told.count(r"\section{The constant") == 1 and len(re.findall(r"(?m)^\d+ & \d+ & \d+ &", told)) == routes


def test_laws_that_a_network_does_not_have():
    with pytest.raises(asy.InputError, match="law = 'angle' is not a law of this network; known are ntk"):
        require_document(asy.FeedForward("relu"), "angle")
    with pytest.raises(asy.InputError, match="net = None is no network"):
        require_document(None)


def test_moments_are_told_in_the_ordered_phase():
    """f_2 = sigma_w^2 q M_2 by the printed digits of both, which come from the map and from a quadrature."""
    net = asy.FeedForward("erf", sigma_w=HALF, sigma_b=FIFTH)
    told = derivation(account_of(net, "correlation", 3))
    digits = {name: mpf(re.search(rf"\${re.escape(name)}\$ & \$([^$]*)\$", told)[1].replace(r"\,", "").replace(
        r"\cdot10^{", "e").replace("}", "")) for name in ("M_{2}", "f_{2}")}  # fmt: skip
    with workdps(25):
        q = to_mpf(net.statement.layer.fixed_variance)
        assert abs(digits["f_{2}"] - q / 4 * digits["M_{2}"]) < mpf(10) ** -14


def test_values_close_to_the_limit_have_only_digits_that_are_certain():
    """At layer 80 K/q is 3e-61 from its limit: against the layer recursion k' = f'(c) k + f(c), with 120 digits."""
    net = asy.FeedForward("relu", sigma_w=Rational(1, 4), sigma_b=1)
    a = account_of(net, "ntk", 3, 12)
    rows = re.findall(r"(?m)^\$(\d+)\$ & \$([^$]*)\$ &", values(a))
    with workdps(120):
        state, limit, found = (1 - mpf(1) / 10, mpf(1) / 10), to_mpf(a.law.limit), {}
        for layer in range(1, 81):
            found[layer] = state[1] - limit
            state = a.law.dynamics.step(state)
        for layer, shown in rows:
            printed = mpf(re.sub(r"\\cdot10\^\{(-?\d+)\}", r"e\1", shown))
            assert abs(printed / found[int(layer)] - 1) < mpf(10) ** -12
    assert [layer for layer, _ in rows] == ["5", "10", "20", "40", "80"]


@pytest.mark.parametrize(("net", "law", "shown"), [
    # q' = 2 q + 1 from q^1 = C; chi = 2 is the network's own letter, and no letter for 1/2
    (lambda: asy.FeedForward("relu", sigma_w=2, sigma_b=1), "variance", r"q^{l} &= 2^{l} C - 1"),
    (lambda: asy.Network("serial(relu, dense(2, 1))"), "variance", r"q^{l} &= 2^{l} C - 1"),
    # k' = chi k + 1 from 1: (chi^L - 1)/(chi - 1), chi = 1.36... the slope at c = 1
    (lambda: asy.FeedForward("tanh", sigma_w=2), "diagonal", r"-\frac{\chi^{L}}{1 - \chi} + \frac{1}{1 - \chi}"),
], ids=["relu", "block", "tanh"])  # fmt: skip
def test_what_grows_is_written_in_the_network_s_own_letters(net, law, shown):
    tex = document(net(), law=law, terms=2).tex
    assert shown in tex and r"\chi=\frac{1}" not in tex
