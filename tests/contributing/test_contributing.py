"""The worked examples of CONTRIBUTING.md, and that the page quotes them as they are."""

import re
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp, mpf
from sympy import Rational, Symbol

import asympt as asy
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.catalogue import _ENTRIES
from asympt.writing.account import Subject
from asympt.writing.document import law_document

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.fixture
def examples(monkeypatch):
    """The examples can be imported, and what they add to the catalogue is gone after the test."""
    monkeypatch.syspath_prepend(HERE)
    before = dict(_ENTRIES)
    yield
    _ENTRIES.clear()
    _ENTRIES.update(before)


def test_the_page_quotes_its_examples():
    examples = [section for section in PAGE.split("\n## ") if "Example:" in section]
    assert len(examples) == 4
    for section in examples:
        (name,) = re.findall(r"Example:\s`(tests/contributing/\w+\.py)`", section)
        quoted = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
        text = (HERE.parents[1] / name).read_text(encoding="utf-8")
        assert quoted and all(block in text for block in quoted)


def test_every_path_of_the_page_exists():
    for name in re.findall(r"`((?:asympt|tests)/[\w./]+)`", PAGE):
        assert (HERE.parents[1] / name).exists(), name


def test_an_activation_is_one_entry(examples):
    import isru

    isru.add()
    phi = asy.activation("isru", a="1/4")
    assert phi.in_class_s and phi.is_smooth and not phi.breakpoints
    np.testing.assert_allclose(phi.vectorised(np.array([2.0])), np.sqrt(2), rtol=1e-15)  # 2/sqrt(1 + 4/4)
    with pytest.raises(InputError, match="a = -1 is not allowed for activation 'isru'; give a positive number"):
        asy.activation("isru", a=-1)
    with pytest.raises(InputError, match="has an activation 'isru' already"):
        isru.add()


def test_the_variance_map_of_the_new_activation(examples):
    import isru

    isru.add()
    nodes = np.arange(-12, 12, 0.05)  # the trapezoidal rule, whose error is e^(-2 pi/0.05) here
    weights = np.exp(-(nodes**2) / 2)
    expected = 1 + weights / weights.sum() @ (nodes**2 / (1 + nodes**2))
    found = asy.FeedForward("isru", sigma_w=1, sigma_b=1).statement.layer.variance_map(1)
    assert float(found) == pytest.approx(expected, rel=1e-12)


def test_a_kind_of_recursion_is_one_coordinate(examples):
    import two_steps

    law = two_steps.law(1, "1/3")
    with mp.workdps(50):
        x = mpf(1) / 2
        for layer in range(1, 1002):
            x = x / (1 + x) if layer % 2 else x / (1 + x / 3)
        assert abs(law.evaluate(depth=1001, start="1/2", digits=30) / x - 1) < mpf(10) ** -30
    assert law.connection_constant(start="1/2") == 2 and law.limit == 0 and str(law.rate) == "1/n"
    assert mp.almosteq(law.evaluate(depth=10**100, start="1/2"), mpf(3) / 2 / mpf(10) ** 100)
    with pytest.raises(UnsupportedError, match="the law contains the symbols a; give numbers"):
        two_steps.law(Symbol("a"), 1).evaluate(depth=10, start=1)


def test_the_new_kind_has_a_document_and_no_verdict(examples):
    import two_steps

    subject = Subject("Two step sizes", "\\section{Statement}\nTwo step sizes, $1$ and $1/3$.\n", "Let $y=x$.")
    made = law_document(two_steps.law(1, "1/3"), subject, {"start": Rational(1, 2)})
    assert r"x_n &= \frac{3}{2 n} + O" in made.tex and r"\emph{unknown}" in made.tex
    # S_(10^12) = (1 + 1/3) 10^12/2, so x = 1/(2 + S) = 1.5 10^-12 (1 - 3 10^-12 + ...)
    assert r"$10^{12}$ & $1.49999999999550\cdot10^{-12}$" in made.tex


def test_a_claim_is_one_record(examples):
    from arc_cosine import CLAIM

    assert CLAIM.check().verdict == "proved"
