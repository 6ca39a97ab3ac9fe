"""Documents about networks composed of primitives: every phase and kind, told from the law's steps.

The rules of the parts are those of Roberts, Yaida and Hanin and of finite-width networks, written out by hand here; the
forms (g, o, w, T) are read off by hand for each composition.
"""

import re
from dataclasses import replace

import pytest
from mpmath import mp
from sympy import Symbol

import asympt as asy
from asympt import blocks as b
from asympt.architectures.registry import COMPOSED, record_of, records
from asympt.errors import InputError
from asympt.writing import document
from asympt.writing.account import Account
from asympt.writing.document import require_document
from asympt.writing.statement import statement
from asympt.writing.subjects import composition_setting, network_subject
from tests.writing.latex_log import assert_sound
from tests.writing.test_law_document import CHECKED, assert_tells

PRE = "residual(layer_norm, relu, dense(sqrt(2)))"
POST = "serial(residual(relu, dense(sqrt(2))), layer_norm)"
TYPED = re.compile(r"\\texttt\{[^{}]*\}")  # the block as it was typed
CASES = {
    "log time": (PRE, "ntk"),
    "log time, correlation": (PRE, "correlation"),
    "log time, one input": (PRE, "diagonal"),
    "growing variance": (PRE, "variance"),
    "parabolic": (POST, "ntk"),
    "power of the layer": ("residual(layer_norm, relu, dense(1, 1))", "correlation"),
    "hyperbolic": ("serial(relu, dense(1, 1), layer_norm)", "ntk"),
    "gate": ("serial(layer_norm, gated(dense(1), serial(dense(1), relu)), dense(1, 1))", "correlation"),
    "side by side": ("dense_connection(1, relu, dense(sqrt(2)))", "correlation"),
    "gain": ("residual(layer_norm(affine=True), relu, dense(sqrt(2)))", "ntk"),
    "mean taken away": ("serial(relu, layer_norm, dense(1))", "correlation"),
}


def told(name: str) -> Account:
    text, law = CASES[name]
    net = asy.Network(text)
    found = record_of(net).laws[law].of(net, 2)
    subject = network_subject(net, found)
    return Account(found, replace(subject, setting=TYPED.sub("", subject.setting)))


@pytest.mark.parametrize("name", CASES)
def test_a_law_of_every_kind_is_told(name):
    assert_tells(told(name))


def test_a_network_of_blocks_is_in_no_list_of_architectures_and_has_a_record():
    assert record_of(asy.Network(PRE)) is COMPOSED and COMPOSED not in records()
    with pytest.raises(InputError, match="law = 'angle' is not a law of this network"):
        require_document(asy.Network(PRE), "angle")


def test_the_normal_form_stands_in_the_setting():
    shown = composition_setting(asy.Network(PRE))
    assert r"w_{l} &= \frac{1}{l}" in shown and "H_{L} - 1" in shown and "q_l=l$" in shown and "Edge of Chaos" in shown
    post = composition_setting(asy.Network(POST))
    assert r"w_{l} &= \frac{1}{2}" in post and "q_l=1$ in every layer" in post


def test_factors_and_variances_that_hold_the_depth_are_set_without_doubt():
    """q_l = (1 + 1/L)^(l - 1) by hand; 1/L s_2 could be read as 1/(L s_2)."""
    shown = composition_setting(asy.Network("residual(relu, dense(sqrt(2)), scale=1/sqrt(DEPTH))"))
    assert r"\tfrac{1}{\sqrt{L}}\,z_{2}" in shown and r"\tfrac{1}{L}\,s_{2}" in shown
    assert "prod" not in shown and r"^{l - 1}$" in shown


def test_a_formula_that_fills_half_a_page_is_left_to_the_derivation():
    assert "g(c) &=" not in composition_setting(asy.Network("serial(" + "relu, dense(sqrt(2)), " * 3 + "layer_norm)"))


def test_letters_of_a_law_along_a_flow_are_explained():
    shown = statement(told("log time"), CHECKED)
    assert re.search(r"e_\{9\} = -?\d\.\d+", shown) is None or "1-g(c)" in shown


def test_a_parameter_keeps_its_name():
    a = Symbol("t", positive=True)
    net = asy.Network(b.residual(b.layer_norm(), b.activation("relu"), b.dense(a)))
    tex = document(net, "variance").tex
    assert "t^{2}" in tex and "beth" not in tex


def test_a_law_in_the_depth_is_told_for_its_start(tmp_path):
    """h = 1/(L + 1), so a flow of length 1 takes x = 1 to k_0: int dx/F = 1, here by quadrature of ReLU's map."""
    net = asy.Network("residual(relu, dense(sqrt(2)), scale=1/sqrt(DEPTH))")
    made = document(net, "depth", terms=2, digits=15, correlation=0)
    assert_sound(made, tmp_path / "law.pdf", 3)
    assert r"Let $c^1=0$. Then" in made.tex and r"h=\frac{1}{1 + L}" in made.tex and "the flow" not in made.tex
    end = mp.mpf(re.search(r"\$k_\{0\}\$ & \$([0-9.\\,]+)\$", made.tex)[1].replace("\\,", ""))
    drift = lambda x: -(mp.sqrt(1 - (1 - x) ** 2) - (1 - x) * mp.acos(1 - x)) / mp.pi  # noqa: E731
    assert mp.almosteq(mp.quad(lambda x: 1 / drift(x), [1, end]), 1, 1e-13)
    with pytest.raises(InputError, match="correlation"):
        document(net, "depth")


def test_a_law_in_the_depth_without_a_flow_claims_none():
    net = asy.Network("serial(relu, dense(sqrt(2+2/DEPTH)))")
    told = document(net, "depth", terms=1, digits=10, correlation="1/10", checks=False).tex
    assert "not the steps of one flow" in told and "No argument for it is given here" in told


@pytest.mark.parametrize("name", ["hyperbolic", "side by side"])
def test_documents_can_be_typeset(name, tmp_path):
    text, law = CASES[name]
    made = document(asy.Network(text), law, terms=2, digits=15)
    assert_sound(made, tmp_path / "law.pdf", 3)
