"""How expansions read, in text and in LaTeX."""

import pytest
from sympy import Rational, Symbol, pi, sqrt

from asympt.expansions import Expansion, Formal, Monomial, Scale

C, L, T = Symbol("C", real=True), Symbol("L", positive=True), Symbol("t", positive=True)
AT_ZERO, AT_INFINITY = Scale.at_zero(T), Scale.at_infinity(L)
HALF = Rational(1, 2)

PRINTED = [
    (AT_INFINITY, {}, None, "0", "0"),
    (AT_INFINITY, {(0, 0): 1}, None, "1", "1"),
    (AT_INFINITY, {}, Formal(Monomial(1)), "O(1/L)", r"O\!\left(\frac{1}{L}\right)"),
    (AT_INFINITY, {(2, 0): -1}, None, "-1/L^2", r"-\frac{1}{L^{2}}"),
    (AT_INFINITY, {(0, 0): 1, (1, 1): -1}, None, "1 - log(L)/L", r"1 - \frac{\log L}{L}"),
    (AT_INFINITY, {(2, 2): 3}, None, "3*log(L)^2/L^2", r"\frac{3 \log^{2} L}{L^{2}}"),
    (
        AT_INFINITY,
        {(0, 0): HALF / 2, (1, 1): Rational(3, 8), (1, 0): (2 * C - 1) / 8},
        Formal(Monomial(2, 1)),
        "1/4 + 3*log(L)/(8*L) + ((2*C - 1)/8)/L + O(log(L)/L^2)",
        r"\frac{1}{4} + \frac{3 \log L}{8 L} + \frac{2 C - 1}{8 L} + O\!\left(\frac{\log L}{L^{2}}\right)",
    ),
    (
        AT_ZERO,
        {(0, 0): 1, (2, 0): -1, (3, 0): 2 * sqrt(2) / (3 * pi)},
        Formal(Monomial(5)),
        "1 - t^2 + 2*sqrt(2)*t^3/(3*pi) + O(t^5)",
        r"1 - t^{2} + \frac{2 \sqrt{2}}{3 \pi} t^{3} + O\!\left(t^{5}\right)",
    ),
    (AT_ZERO, {(HALF, 0): 1, (1, 1): 2}, None, "sqrt(t) + 2*t*log(t)", r"\sqrt{t} + 2 t \log t"),
    (AT_ZERO, {(-1, 0): 3}, Formal(Monomial(0)), "3/t + O(1)", r"\frac{3}{t} + O\!\left(1\right)"),
]


@pytest.mark.parametrize(("scale", "terms", "remainder", "text", "latex"), PRINTED)
def test_reads_like_a_paper(scale, terms, remainder, text, latex):
    expansion = Expansion.build(scale, terms, remainder)
    assert str(expansion) == text
    assert expansion.latex() == latex
    assert expansion._repr_latex_() == rf"$\displaystyle {latex}$"


@pytest.mark.parametrize(("scale", "terms", "remainder", "text", "latex"), PRINTED)
def test_the_text_means_the_expansion(scale, terms, remainder, text, latex):
    # reading the text back with SymPy's parser gives the sum of the terms
    from sympy import sympify

    body = text.split(" + O(")[0] if " + O(" in text else ("0" if text.startswith("O(") else text)
    names = {"L": L, "t": T, "C": C, "pi": pi}
    value = Expansion.build(scale, terms).to_sympy()
    assert (sympify(body.replace("^", "**"), locals=names) - value).expand() == 0
