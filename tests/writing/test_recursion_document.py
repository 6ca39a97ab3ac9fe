"""Documents about plain recursions: they say what was computed, and TeX finds nothing to complain about."""

import shutil

import pytest
from sympy import Rational, Symbol, cos, sin, symbols

from asympt import Recursion
from asympt.errors import InputError
from asympt.writing import recursion_document, write_recursion
from asympt.writing.compile import compile_pdf, overfull_boxes, undefined_references

needs_tex = pytest.mark.skipif(shutil.which("latexmk") is None, reason="latexmk is not installed")
X = Symbol("x", real=True)
A, B = symbols("a b", positive=True)
HALF = Rational(1, 2)

MAPS = {
    "sine": (sin(X), {}, 1),
    "logistic": (X * (1 - X), {}, HALF),
    "infinity": (X + 1 / X, {}, 1),
    "half powers": (X - X ** Rational(3, 2) / 2, {}, HALF),
    "hyperbolic": (cos(X), {}, 1),
    "flip": (-sin(X), {}, 1),
    "parameters": (X - A * X**2 + B * X**3, {}, None),
    "parametric multiplier": (A * X * (1 - X), {}, None),
    "from below": (X + X**2, {"side": "below"}, -HALF),
}


def made(name: str):
    expression, options, start = MAPS[name]
    recursion = Recursion(expression, X, **options)
    return recursion_document(recursion, recursion.law(terms=4), start=start, digits=25)


def test_the_sine_with_its_constants():
    tex = made("sine").tex.replace(r"\,", "")
    assert "3.089622719729543059537" in tex  # C = A(x_0)
    assert "2.43045534652867724470" in tex  # as in 3/x_n^2 = n + (3/5) log n + B + o(1)
    assert r"\begin{theorem}" in tex and "checked" in tex and "refuted" in tex


def test_parameters_have_neither_numbers_nor_a_figure():
    document = made("parameters")
    assert document.figure is None and "unknown" in document.tex


@needs_tex
@pytest.mark.parametrize("name", ["sine", "infinity", "hyperbolic", "parameters"])
def test_it_compiles_without_overfull_boxes(name, tmp_path):
    sound(made(name), tmp_path)


@needs_tex
@pytest.mark.slow
@pytest.mark.parametrize("name", MAPS)
def test_every_kind_compiles_without_overfull_boxes(name, tmp_path):
    sound(made(name), tmp_path)


def sound(document, folder) -> None:
    log = compile_pdf(document.tex, document.attachments(), folder / "x.pdf")
    assert overfull_boxes(log) == [] and undefined_references(log) == []
    assert (folder / "x.pdf").read_bytes().startswith(b"%PDF")


def test_the_same_bytes_every_time():
    one, two = made("logistic"), made("logistic")
    assert one.tex == two.tex and one.attachments() == two.attachments()


@needs_tex
def test_written_to_a_file(tmp_path):
    recursion = Recursion(sin(X), X)
    path = write_recursion(recursion, recursion.law(), tmp_path / "sine.pdf", start=1, depth=100)
    assert path.read_bytes().startswith(b"%PDF")
    write_recursion(recursion, recursion.law(), tmp_path / "sine.tex", start=1)
    assert (tmp_path / "sine.tex").exists() and (tmp_path / "sine-figure.pdf").exists()


def test_bad_paths_and_starts_are_refused(tmp_path):
    recursion = Recursion(sin(X), X)
    with pytest.raises(InputError, match=r"\.docx"):
        write_recursion(recursion, recursion.law(), tmp_path / "x.docx", start=1)
    with pytest.raises(InputError, match="is the fixed point itself"):
        recursion_document(recursion, recursion.law(), start=0)
