"""From tex to PDF: TeX's own log says whether the document is sound."""

import importlib.util
import shutil
from functools import cache
from pathlib import Path

import pytest

from asympt.architectures.feedforward import FeedForward
from asympt.errors import AsymptError, UnsupportedError
from asympt.writing import write
from asympt.writing.paper import Document, compile_pdf, first_error
from tests.writing.latex_log import assert_sound, overfull_boxes, undefined_references

needs_tex = pytest.mark.skipif(shutil.which("latexmk") is None, reason="latexmk is not installed")


@needs_tex
def test_relu_compiles(tmp_path, relu):
    assert_sound(relu, tmp_path / "x.pdf", 10)


def test_a_tex_file_has_its_figure_beside_it(tmp_path):
    calls = []
    path = write(FeedForward("relu"), "correlation", 3, tmp_path / "law.tex", progress=lambda *seen: calls.append(seen))
    assert path == tmp_path / "law.tex"
    assert r"{law-figure.pdf}" in path.read_text(encoding="utf-8")
    assert (tmp_path / "law-figure.pdf").read_bytes().startswith(b"%PDF")
    assert [done for _, done, _ in calls] == sorted(done for _, done, _ in calls)
    assert all(done <= total for _, done, total in calls)


@needs_tex
def test_a_pdf_stands_alone(tmp_path):
    assert write(FeedForward("relu"), "correlation", 3, tmp_path / "law.pdf").read_bytes().startswith(b"%PDF")
    assert [p.name for p in tmp_path.iterdir()] == ["law.pdf"]


def test_without_tex_one_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnsupportedError, match=r"texlive-latex-recommended and latexmk .* write a \.tex file"):
        write(FeedForward("relu"), path=tmp_path / "x.pdf")
    assert not (tmp_path / "x.pdf").exists()


@needs_tex
def test_a_failure_shows_the_line_of_the_log(tmp_path):
    broken = "\\documentclass{article}\\begin{document}\n\\nonsense\n\\end{document}\n"
    with pytest.raises(AsymptError, match="Undefined control sequence"):
        compile_pdf(broken, {}, tmp_path / "x.pdf")
    assert first_error("all is well") == "the log names no error"


def test_the_log_is_read():
    log = "Overfull \\hbox (12.5pt too wide) in paragraph\nLaTeX Warning: Reference `eq:x' on page 1 undefined on input"
    assert overfull_boxes(log) == [12.5]
    assert len(undefined_references(log)) == 1


FOLDER = Path(__file__).parents[2] / "derivations"


@pytest.fixture(scope="module")
def regenerate(request):
    """The module behind ``python derivations/regenerate.py``, its documents made once, when they are asked for."""
    spec = importlib.util.spec_from_file_location("regenerate", FOLDER / "regenerate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    plain = cache(module.make)
    module.make = lambda name: request.getfixturevalue("relu") if name == "hdr-theorem-1-relu-ntk" else plain(name)
    return module


QUICK = ("hdr-theorem-1-relu-ntk", "iterated-sine")
OTHERS = (
    "hdr-theorem-1-tanh-ntk", "hdr-theorem-1-elu-ntk", "hdr-theorem-2-relu-ntk", "hdr-proposition-3-relu-ntk",
    "hdr-theorem-1-relu-ntk-proof", "hdr-theorem-1-tanh-ntk-proof", "hdr-theorem-1-elu-ntk-proof",
    "iterated-sine-proof",
)  # fmt: skip


def test_the_derivations_in_the_repository_are_fresh(regenerate, capsys):
    assert regenerate.main(["--check", *QUICK]) == 0, capsys.readouterr().out


def test_every_derivation_is_checked(regenerate):
    assert {*QUICK, *OTHERS} == set(regenerate.DERIVATIONS)


def test_a_stale_derivation_is_named(regenerate, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(regenerate, "make", lambda name: Document("new", None, "figure.pdf"))
    (tmp_path / "hdr-theorem-1-relu-ntk.tex").write_text("old", encoding="utf-8")
    assert regenerate.main(["--check", *QUICK], folder=tmp_path) == 1
    said = capsys.readouterr().out
    assert "stale: hdr-theorem-1-relu-ntk.tex" in said and "stale: iterated-sine.tex" in said


def test_every_derivation_is_listed(regenerate):
    listed = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"({name}.pdf)" in listed for name in regenerate.DERIVATIONS)
