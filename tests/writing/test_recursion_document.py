"""Documents about plain recursions: what they say is what the law says, and TeX can set them."""

import re
import shutil

import mpmath
import pytest
from mpmath import mp
from sympy import Float, Rational, Symbol, cos, exp, sin, sqrt, symbols

from asympt.errors import InputError
from asympt.evidence import Verification
from asympt.expansions.typesetting import inline
from asympt.numbers import to_mpf
from asympt.recursions import Recursion
from asympt.recursions.coordinates.abel_inversion import C
from asympt.recursions.system import System
from asympt.writing import recursion_document, write_recursion
from asympt.writing.account import Account
from asympt.writing.evidence import in_steps
from asympt.writing.notation import B, digit_lines
from asympt.writing.statement import statement
from asympt.writing.subjects import map_subject
from tests.writing.latex_log import assert_sound
from tests.writing.reading_latex import value

X = Symbol("x", real=True)
P, Q = symbols("a b", positive=True)
HALF = Rational(1, 2)
needs_tex = pytest.mark.skipif(shutil.which("latexmk") is None, reason="latexmk is not installed")

# name: map, options, terms, function that is looked at, start
MAPS = {
    "sine": (sin(X), {}, 4, None, 1),
    "logistic": (X * (1 - X), {}, 5, None, HALF),
    "growing": (X + 1 / X, {}, 4, None, 1),
    "root": (X - X ** Rational(3, 2) / 2, {}, 5, None, 1),
    "square root": (X + sqrt(X), {}, 4, None, 1),
    "below": (exp(X) - 1, {"side": "below", "fixed_point": 0}, 4, None, -1),
    "lower terms": (X - X**3 + X**4, {"fixed_point": 0}, 6, None, HALF),
    "observed": (X - X**3, {"fixed_point": 0}, 4, cos(X), HALF),
    "flip": (-sin(X), {}, 4, None, 1),
    "quadratic flip": (X**2 - Rational(3, 4), {"fixed_point": -HALF}, 4, None, 0),
    "flip at infinity": (-X - 1 / X, {}, 3, None, -2),
    "inverse of a flip": (-sin(X), {}, 3, 1 / X, 1),
    "even function of a flip": (-sin(X), {}, 3, 1 / X**2, 1),
    "cosine": (cos(X), {}, 4, None, 1),
    "golden": (1 / (1 + X), {}, 4, None, 1),
    "half": (sin(X) / 2, {}, 3, 1 / X, 1),
    "half root": (X / 4 + X ** Rational(3, 2) / 8, {"fixed_point": 0}, 4, None, 1),
    "exact": (2 * X + 1, {}, 3, None, 1),
    "parabolic family": (X - P * X**2 + Q * X**3, {"fixed_point": 0}, 6, None, None),
    "hyperbolic family": (P * X * (1 - X), {"fixed_point": 0}, 4, None, None),
    "quotients": (X * (P + Q * X) / (1 + X), {"fixed_point": 0}, 4, None, None),
}


def plain(name: str) -> tuple:
    """Recursion, law and start of one of the maps."""
    expression, options, terms, function, start = MAPS[name]
    recursion = Recursion(expression, X, **options)
    return recursion, recursion.law(terms, function), start


def account(name: str) -> Account:
    """One of the maps as a document tells it."""
    recursion, law, start = plain(name)
    law = law if start is None else law.for_start(start)
    return Account(law, map_subject(recursion, law), None if start is None else {"start": Rational(start)})


@pytest.fixture(scope="module", autouse=True)
def short_orbits():
    """Orbits of a thousand steps, which is enough to see that they are drawn."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("asympt.plots.recursion.ITERATED", 1000)
        patch.setattr("asympt.plots.recursion.EVALUATED", 10**5)
        yield


@pytest.fixture(scope="module")
def documents():
    """Documents by name, made once, with the number after 1000 steps."""
    made = {}

    def get(name: str):
        if name not in made:
            made[name] = recursion_document(*plain(name), depth=1000)
        return made[name]

    return get


FAMILY = {P: Rational(1, 3), Q: Rational(2, 7)}


def _letters(a: Account, constant, n: int) -> dict:
    """Numbers for everything that a printed law may contain."""
    chi = a.find("map")["multiplier"].subs(FAMILY) if a.form == "koenigs" else 0
    letters = {"C": constant, "n": mpmath.mpf(n), r"\chi": to_mpf(chi) if chi else 0, r"\varepsilon_n": mpmath.mpf(1)}
    letters["B"] = constant - to_mpf(a.notation.shift.subs(FAMILY)) if a.form == "abel" else 0
    letters |= {rf"\{letter.name}": to_mpf(known) for known, letter in a.roots.items()}
    letters |= {letter.name: to_mpf(known) for known, letter in a.constants.items()}
    return letters | {symbol.name: to_mpf(number) for symbol, number in FAMILY.items()}


@pytest.mark.parametrize("name", MAPS)
def test_the_printed_law_has_the_value_of_the_law(name):
    a, n, constant = account(name), 7, mpmath.mpf("1.25")
    told = [(a.law.expansion, a.notation.pieces(a.law.expansion))]
    if a.form == "abel":
        inversion = a.find("inversion")
        told += [(inversion[part], a.sided(inversion, part, 99, 99)) for part in ("s", "t")]
    with mp.workdps(30):
        letters = _letters(a, constant, n)
        values = {**FAMILY, C: Float(constant, 30), a.depth: n}
        for expansion, pieces in told:
            printed = inline([p for p in pieces if not p.body.startswith("O")])
            exact = mpmath.mpf(expansion.to_sympy().subs(values).evalf(30)._mpf_)
            assert abs(value(printed, letters) - exact) < mpmath.mpf(10) ** -25 * (1 + abs(exact)), printed


def theorem(a: Account) -> str:
    """The theorem and its numbers, without verdicts."""
    told = statement(a, Verification("nothing", ()))
    return told[told.index(r"\begin{theorem}") :]


def _plain(tex: str) -> str:
    return tex.replace(r"\,", "")


@pytest.mark.parametrize(
    ("name", "digits"),
    [
        ("sine", "2.430455346528677244700700134263"),  # 3/x_n^2 - n - (3/5) log n; 21 digits from plain iteration
        ("logistic", "1.767993786136154050443634407"),  # Finch, arXiv 2409.03510: 1.76799378...
        ("flip", "2.430455346528677244700700134263"),  # the orbit of -sin is that of sin up to signs
    ],
)
def test_constants_in_the_normalisation_of_the_literature(name, digits):
    assert digits[:27] in _plain(theorem(account(name)))


def _shifted(name: str):
    """B as it is printed."""
    return mpmath.mpf(re.search(r"\nB &= (-?\d+\.\d+)", _plain(theorem(account(name))))[1])


def test_a_constant_of_oeis():
    # OEIS A233770: b(1) = 1, b(n)^2 = 2n + (1/2) log n + c, so x_n^2/2 = n + (1/4) log n + B with 2B = c + 2 + ...:
    # b(n) = x_(n-1), hence x_n^2 = 2(n+1) + (1/2) log(n+1) + c and B = 1 + c/2
    with mp.workdps(40):
        c = mpmath.mpf("-0.27685762486257653893643725")
        assert abs(_shifted("growing") - (1 + c / 2)) < 1e-25


def test_the_number_at_a_depth(documents):
    # 2x + 1 from 1 is 2^(n+1) - 1
    truth = str(2**1001 - 1)
    assert rf"x_{{1000}} &= {truth[0]}.{truth[1:28]}" in _plain(documents("exact").tex)


def test_b_is_c_shifted():
    a = account("sine")
    with mp.workdps(40):
        assert abs(_shifted("sine") - (a.known["C"] - mpmath.mpf(3) / 5 * mp.log(3))) < mpmath.mpf(10) ** -28
        assert a.notation(a.find("inversion")["s"].coefficient(0)) == B


def _theorem(name: str, start=None) -> str:
    recursion, law, _ = plain(name)
    law = law if start is None else law.for_start(start)
    return theorem(Account(law, map_subject(recursion, law)))


@pytest.mark.parametrize(("name", "start", "signs"), [
    ("flip", None, "> 0"), ("flip", 1, "> 0"), ("flip", -1, "< 0"), ("flip at infinity", -2, "< 0"),
    ("quadratic flip", 0, r"> -\tfrac{1}{2}"), ("quadratic flip", Rational(-3, 4), r"< -\tfrac{1}{2}"),
])  # fmt: skip
def test_the_theorem_prints_the_branches_of_even_and_of_odd_steps(name, start, signs):
    tex = _theorem(name, start)
    even, odd = tex[tex.index("for even~$n$") : tex.index("for odd~$n$")], tex[tex.index("for odd~$n$") :]
    first, second = (re.search(r"&= (.*?)O\\!", part, re.DOTALL)[1] for part in (even, odd))
    assert first.count(r"\sqrt") == second.count(r"\sqrt") and first != second
    assert rf"x_n {signs}" in tex and "for all large even~$n$" in tex and r"\label{eq:odd}" in odd
    leading = first.removeprefix(r"-\frac{1}{2} ")
    assert leading.startswith("-") == signs.startswith("<")


def test_one_formula_where_both_branches_are_the_same():
    tex = _theorem("even function of a flip")
    assert "for odd" not in tex and tex.count(r"\label{eq:law}") == 1


def test_parameters_give_formulas_without_numbers(documents):
    made = documents("hyperbolic family")
    assert made.figure is None and "includegraphics" not in made.tex
    assert "0 < a < 1" in made.tex and r"\frac{C^{2}}{1 - a} a^{2 n}" in made.tex
    assert "contains the parameter $a$" in made.tex


def test_without_a_start_there_are_no_numbers():
    recursion = Recursion(X * (1 - X), X)
    made = recursion_document(recursion, recursion.law(3))
    assert made.figure is None and "no start" in made.tex


def test_an_exact_law_says_so(documents):
    tex = documents("exact").tex
    assert r"\text{exactly}" in tex and "holds exactly at every depth" in tex and "left out \\" not in tex


def test_a_start_that_does_not_come_to_the_fixed_point_is_refused():
    recursion = Recursion(X * (1 - X), X)
    with pytest.raises(InputError):
        recursion_document(recursion, recursion.law(3), start=3)


def test_long_numbers_are_cut_into_lines():
    with mp.workdps(130):
        lines = digit_lines(mpmath.mpf(2) / 3, 120)
    assert len(lines) == 3 and re.sub(r"\D", "", "".join(lines)) == "0" + "6" * 119 + "7"


def test_checks_speak_of_steps():
    assert in_steps("A(t_l) - l from layer 10^4") == "A(t_n) - n from step 10^4"


def test_a_tex_file_has_its_figure_beside_it(tmp_path):
    recursion, calls = Recursion(X / (1 + X), X), []
    law, path = recursion.law(2), tmp_path / "law.tex"
    assert write_recursion(recursion, law, path, start=1, progress=lambda *seen: calls.append(seen)) == path
    assert r"{law-figure.pdf}" in path.read_text(encoding="utf-8")
    assert (tmp_path / "law-figure.pdf").read_bytes().startswith(b"%PDF")
    assert [done for _, done, _ in calls] == sorted(done for _, done, _ in calls)


@needs_tex
@pytest.mark.parametrize("name", [*MAPS][::3])
def test_every_document_compiles_without_overfull_boxes(documents, tmp_path, name):
    assert_sound(documents(name), tmp_path / "x.pdf")


@needs_tex
@pytest.mark.parametrize(("maps", "observable", "printed"), [
    (["x - x^2 + x*y", "y/2 + x^2", "z/3"], "1/x + y",
     ["g(u) &= u-u^{2}+2u^{3}+8u^{4}", r"h_2(u) &= O", r"\frac{1}{x_{1000}}", "centre manifold"]),
    (["9*x/10 - x^2/5 + y^2", "4*y/5 + x^2/9"], None, [r"\frac{9}{10}", "slow manifold", "away from it the faster"]),
    (["x - x^2 + x*u", "y/2 + x^2", "z/3 + x*y", "u/4 + x^2"], None, [r"w &= x \\", "g(w) &= w-w^{2}", "$y=w$"]),
])  # fmt: skip
def test_a_system_shows_its_manifold_and_the_recursion_along_it(tmp_path, maps, observable, printed):
    system = System(maps, ["x", "y", "z", "u"][: len(maps)])
    start = ("3/10", "1/5", "1/7", "1/9")[: len(maps)]
    made = recursion_document(system, system.law(3, observable), start, depth=1000, checks=False)
    assert [text for text in printed if text.replace(" ", "") not in made.tex.replace(" ", "")] == []
    assert_sound(made, tmp_path / "x.pdf", 10)
