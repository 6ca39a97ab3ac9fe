"""The reader of TeX's rules against TeX: what TeX refuses is refused, what the documents need passes."""

import shutil

import pytest

from asympt.errors import AsymptError
from asympt.writing.escape import fault
from asympt.writing.paper import compile_pdf

BROKEN = [
    r"\text{relu_like mlp}", "x^2^3", "x_1_2", "x^a'", r"\frac{1}", r"\left(x", r"x\right)", r"\left(x}", "{x", "x}",
    "a$b",
        r"\begin{matrix}a\end{cases}", "a & b", "a%b", "a#b", r"\nosuchcommand", "x^", "x_", "\\", r"\sqrt", "a\n\nb",
    r"\left x y\right)", r"\begin{nowhere}a\end{nowhere}", "σ", r"\text{a^b}", r"\text{\alpha}", r"\mathbb", "x^_2",
]  # fmt: skip
SOUND = [
    r"\alpha<\beta", r"x^{2^3}", r"f''(c^*)^2", r"f'^2", r"\frac12+\tfrac{1}{2}", r"\left\{x\ \middle|\ y\right\}",
    r"\begin{cases}1&x>0\\0&x\le0\end{cases}", r"\sqrt[3]{x}", r"\mathbb R^{N^2}", r"\bigl\|x\bigr\|_2", r"a\,b\;c\ d",
    r"\left[\begin{matrix}1 & 2\\3 & 4\end{matrix}\right]", r"\operatorname*{lim}_{x\to0}", r"\text{a $x_1$ b}",
    r"x_{i}^{'}",
]  # fmt: skip


@pytest.mark.parametrize("latex", BROKEN)
def test_what_stops_tex_is_a_fault(latex):
    assert fault(latex)


@pytest.mark.parametrize("latex", SOUND)
def test_what_tex_sets_is_none(latex):
    assert fault(latex) == ""


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="TeX is not installed")
def test_tex_agrees(tmp_path):
    def document(*formulas):
        body = "\n\n".join(f"${latex}$" for latex in formulas)
        return (
            f"\\documentclass{{article}}\\usepackage{{amsmath,amssymb}}\\begin{{document}}\n{body}\n\\end{{document}}"
        )

    compile_pdf(document(*SOUND), {}, tmp_path / "sound.pdf")
    for latex in BROKEN:
        with pytest.raises(AsymptError):
            compile_pdf(document(latex), {}, tmp_path / "broken.pdf")
