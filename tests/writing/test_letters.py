r"""A parameter may be called like any letter of a document: no letter of the document means two things.

The independent side: the document for a parameter called mu, a letter that it does not use, in which every \mu is one
place where the user's symbol has to stand, and nothing else may.
"""

import re
from collections import Counter
from functools import cache

import pytest
from sympy import Symbol, latex

from asympt import FeedForward, Recursion, ResNet, activation
from asympt.errors import InputError
from asympt.writing import document, recursion_document
from asympt.writing.document import _pieces, settled, stand_ins, stood_in

X = Symbol("u", positive=True)  # documents write x


@cache
def written(kind: str, name: str) -> str:
    p = Symbol(name, positive=True)
    if kind == "leaky":
        return document(FeedForward(activation("leaky_relu", slope=p)), "correlation").tex
    if kind == "residual":
        return document(ResNet("relu", sigma_w=p), "correlation").tex
    recursion = Recursion({"parabolic": X - p * X**2, "hyperbolic": X / (2 + p * X), "observed": X - p * X**2}[kind], X)
    law = recursion.law(terms=3, observable=1 / (p * X) if kind == "observed" else None)
    return recursion_document(recursion, law).tex


def letters(tex: str) -> Counter:
    """How often every letter of a formula stands in it, with its index; one with a tilde is another letter."""
    bare = re.sub(r"\\tilde\{[^{}]*\}|needs numbers for \S+", "{}", tex)  # a reason names it in a sentence
    return Counter((letter, index.strip("{}")) for _, letter, index in _pieces(bare) if letter)


def assert_free(kind: str, name: str) -> None:
    users, _, index = latex(Symbol(name)).partition("_")
    places = letters(written(kind, "mu"))[(r"\mu", "")]
    assert places > 3 and letters(written(kind, name))[(users.strip("{}"), index.strip("{}"))] == places


@pytest.mark.parametrize(("kind", "name"), [
    ("parabolic", "C"), ("parabolic", "n"), ("parabolic", "t"), ("parabolic", "alpha"), ("hyperbolic", "C"),
    ("hyperbolic", "S"), ("observed", "n"), ("parabolic", "e_1"),
])  # fmt: skip
def test_a_parameter_has_its_letter_alone(kind, name):
    assert_free(kind, name)


@pytest.mark.parametrize(("kind", "name"), [*zip(
    ["parabolic", "hyperbolic", "observed", "leaky", "residual"] * 3,
    ["B", "D", "x_n", "N", "l", "q", "c", "x", "s", "m", "y", "beta", "alpha_1", "L", "G"], strict=True,
)])  # fmt: skip
def test_a_parameter_has_its_letter_alone_in_every_document(kind, name):
    if name in ("L", "l") and kind in ("leaky", "residual"):  # the depth of a network's law
        with pytest.raises(InputError, match=f"the parameter {name} has the name of the depth"):
            written(kind, name)
        return
    assert_free(kind, name)


def test_the_documents_letters_are_those_of_the_law():
    p = Symbol("C", positive=True)
    law = Recursion(X - p * X**2, X).law(terms=3)
    assert f"A(t_{{n}})=n+{latex(law.constant_symbols['C'])} ," in written("parabolic", "C")
    assert r"x_{n_{0}} &= \frac{1}{n n_{0}} - \frac{\log n_{0}}{n n_{0}^{2}}" in written("parabolic", "n")
    assert r"A(\tilde{t}_{n+1})=A(\tilde{t}_{n})+1" in written("parabolic", "t")


def test_sentences_and_labels_stay():
    tex = r"\begin{align}C &= \text{a C in text } x \label{C}\end{align} C, \cite{C} and $\mathbb C$"
    names = {Symbol("C"): Symbol("beth")}
    assert settled(tex, names) == tex.replace("}C &", r"}\tilde{C} &", 1)
    assert settled(r"$\beth C^{C}$: beth", names) == r"$C \tilde{C}^{\tilde{C}}$: C"


def test_several_parameters_keep_apart():
    p, q = Symbol("n", positive=True), Symbol("beth", positive=True)
    names = stand_ins({p, q})
    assert len({*names, *names.values()}) == 4 and all(s.is_positive for s in names.values())
    assert stood_in(p - q, names) == names[p] - names[q]


def test_a_greek_parameter_is_greek_in_sentences():
    assert r"contains the parameter $\mu$;" in written("parabolic", "mu")
