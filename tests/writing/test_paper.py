"""A document says when, by which version and by which command it was written, in its text and its properties."""

import re
import shutil
import subprocess
from datetime import date

import pytest
from sympy import Symbol, sin

import asympt as asy
from asympt.version import __version__
from asympt.writing import recursion_document, write_recursion
from asympt.writing.paper import plain_title, stamped, today

X = Symbol("x")


@pytest.fixture(scope="module")
def sine():
    found = asy.Recursion(sin(X), X)
    return found, found.law(terms=2)


def test_the_date_is_that_of_the_day_or_of_the_epoch_given(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert abs((today() - date.today()).days) <= 1
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert today() == date(1970, 1, 2)


def test_a_stamp_can_be_read_back_and_leaves_the_document_as_it_was(sine):
    plain = recursion_document(*sine).tex
    tex = stamped(plain, "asympt recursion 'x^2 & y_1 # {'", date(2031, 2, 3))
    assert r"\date{3 February 2031}" in tex and r"\date{}" in plain
    assert r"\textasciicircum{}2 \& y\_1 \# \{" in tex and plain.split("\\maketitle")[1][:500] in tex


def test_titles_are_plain_in_the_properties():
    assert plain_title(r"The law of $x\mapsto\sin x$, \emph{really}").isprintable()
    assert "\\" not in plain_title(r"A bound for \texorpdfstring{$\frac{K^{L}(x,x')}{q\,L}$}{the kernel}")


def test_the_pdf_has_its_properties_and_fonts_that_scale(sine, tmp_path):
    if not (shutil.which("pdfinfo") and shutil.which("pdffonts")):
        pytest.skip("pdfinfo and pdffonts are not installed")
    path = tmp_path / "sine.pdf"
    write_recursion(*sine, path=path, start=1, command="asympt recursion 'sin(x)' --start 1 -o sine.pdf")
    told = subprocess.run(["pdfinfo", path], capture_output=True, text=True, check=True).stdout
    told = dict(re.split(r":\s+", line, maxsplit=1) for line in told.splitlines() if re.search(r":\s+\S", line))
    assert "sin" in told["Title"] and told["Author"] == f"asympt {__version__}"
    assert told["Subject"] == "asympt recursion 'sin(x)' --start 1 -o sine.pdf"
    assert str(today().year) in told["CreationDate"] and str(today().year) in told["ModDate"]
    fonts = subprocess.run(["pdffonts", path], capture_output=True, text=True, check=True).stdout
    assert "TrueType" in fonts and "Type 3" not in fonts
