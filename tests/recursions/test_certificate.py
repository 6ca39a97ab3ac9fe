"""Laws as theorems, from the law's own methods: statements, enclosures, refusals.

Where a bound is held against an orbit, the orbit is iterated here in mpmath, by formulas of its own.
"""

import json
import random
import time
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol, cos, exp, pi, sin, sqrt, tanh

import asympt as asy
from asympt.errors import AsymptError, InputError, UnsupportedError
from asympt.expansions.scale import Bounded
from asympt.recursions import Recursion

X = Symbol("x", positive=True)
HALF = Rational(1, 2)


def test_statement_and_remainder():
    certificate = asy.FeedForward("relu").ntk_law(terms=2).certificate(correlation=("-1", "9/10"))
    scope, law = "for all L >= 2 and all c^1 in [-1, 9/10]", "|K^L(x,x')/(q L) - (1/4 + 3*log(L)/(8*L))|"
    assert certificate.statement.startswith(f"{scope}: {law} <= ")
    assert Decimal("3.79") < certificate.constant < Decimal("3.84")  # the limit is 3.7902
    assert isinstance(certificate.remainder, Bounded) and certificate.remainder.valid_from == 2
    low, high = certificate.connection_constant
    assert low < 5.2350 < high and low < 18.5059 < high + 1e-4
    assert certificate.recheck()
    assert {"radius", "circle bound", "rate", "orbit", "inversion", "tail"} <= {step.name for step in certificate.steps}


def test_json_is_json_and_rounded_outward():
    certificate = Recursion(sin(X), X).law(terms=2).certificate(start=1)
    record = json.loads(json.dumps(certificate.to_json()))
    low, high = map(Decimal, record["connection_constant"])
    known = Decimal("3.0896227197295430595378472764175097854")  # mpmath, by Law.connection_constant
    assert low < known < high and high - low < Decimal("1e-12")
    assert record["map"] == {"formula": "sin(t)", "activation": None, "variable": "t", "root": 1, "order": 2}
    assert record["terms"] == [
        {"coefficient": "sqrt(3)", "order": "1/2", "logs": 0},
        {"coefficient": "-3*sqrt(3)/10", "order": "3/2", "logs": 1},
    ]
    assert record["remainder"] == {"order": "3/2", "logs": 0} and record["quantity"]["of"] == "orbit"
    assert record["versions"]["python-flint"]


@pytest.mark.parametrize("seed", [5, 10, 11])
def test_numbers_of_random_certificates_are_rounded_outward(seed):
    """Against exact fractions of the balls; in text, LaTeX and JSON."""
    rng = random.Random(seed)
    for _ in range(5):
        a, b = (Rational(rng.randint(1, 9), rng.randint(5, 12)) for _ in range(2))
        law = rng.choice((
            lambda a=a, b=b: Recursion(X - a * X**2 + b * X**3, X).law(terms=2),
            lambda a=a, b=b: Recursion(a * X / (1 + a + b * X), X).law(terms=2),
            lambda a=a, b=b: Recursion(X / (1 + a * X), X).linear_law(1 - a * X, b * X**2, 1, terms=2),
            lambda a=a, b=b: Recursion(a * sin(X) / (1 + a), X).linear_law(1 / (1 + b * X), X, 0, terms=2),
        ))()  # fmt: skip
        certificate = law.certificate(start=Rational(rng.randint(10, 30), 100))
        _require_outward(certificate, certificate.to_json())


def _require_outward(certificate, record: dict) -> None:
    proof, theorem = certificate.proof, certificate.proof.theorem
    tail = {name: _ends(value)[1] for name, value in proof.bounds.items()}
    figures = {step["name"]: step["figures"] for step in record["steps"]}
    assert Fraction(record["constant"]) >= max(sum(tail.values()), _ends(proof.small)[1])
    assert all(Fraction(figures["tail"][name]) >= value for name, value in tail.items())
    assert Fraction(figures["first layers"]["largest"]) >= _ends(proof.small)[1]
    assert Fraction(figures["radius"]["R"]) <= _ends(theorem.radius)[0]
    enclosed = {"connection_constant": proof.connection, "second_constant": proof.second}
    for key, ball in ((key, ball) for key, ball in enclosed.items() if ball is not None):
        low, high = (Fraction(end) for end in record[key])
        assert low <= _ends(ball)[0] <= _ends(ball)[1] <= high
        below, above = (Fraction(*mpmath.libmp.to_rational(end._mpf_)) for end in getattr(certificate, key))
        assert below <= _ends(ball)[0] <= _ends(ball)[1] <= above
    if "rate" in figures:  # over (0, t] it is at most its value at 0
        assert Fraction(figures["rate"]["a'"]) <= _ends(theorem.series.rate[0])[1]
    bound = record["constant"]
    digits, _, power = bound.partition("E")
    set_in_latex = rf"{digits} \cdot 10^{{{int(power)}}}" if power else digits
    assert f"<= {bound}" in record["statement"] and set_in_latex in record["latex"].partition(r"\le ")[2]


def _ends(ball) -> tuple[Fraction, Fraction]:
    """Exactly, by mantissas and exponents."""
    middle, radius = (
        Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
        for mantissa, exponent in (part.man_exp() for part in (ball.mid(), ball.rad()))
    )
    return middle - radius, middle + radius


def test_json_of_numbers_known_by_a_name():
    """cos: its fixed point between two decimal numbers, and the equation of which it is the root."""
    record = Recursion(cos(X), X, None).law(terms=2).certificate(start=1).to_json()
    with mp.workdps(90):
        low, high = (mpmath.mpf(end) for end in record["parameters"]["xi"]["between"])
        assert mp.cos(low) > low and mp.cos(high) < high and high - low < mpmath.mpf(10) ** -60
    assert record["parameters"]["xi"]["zero"] == "-xi + cos(xi)"
    assert record["terms"] == [{"coefficient": "C", "power": 1, "logs": 0}]
    assert record["remainder"] == {"power": 2, "logs": 0}


def test_json_of_a_linear_recursion():
    record = asy.FeedForward("relu").ntk_law(terms=2).certificate(correlation="1/10").to_json()
    assert record["quantity"] == {"of": "linear recursion", "average": True}
    assert record["linear"]["power"] == 3 and record["linear"]["start"] == "1 - x"
    assert [term["coefficient"] for term in record["terms"]] == ["1/4", "3/8"]
    low, high = map(Decimal, record["second_constant"])
    assert low < high


NTK, DOWN = asy.FeedForward("relu").ntk_law(terms=2), Recursion(X - X**2, X).law(terms=2)
REFUSED = {
    "touches 1": (lambda: NTK.certificate(correlation=("0", "1")), InputError, r"^correlation in \[0, 1\] touches"),
    "is 1": (lambda: NTK.certificate(correlation=1), InputError, "^correlation = 1 touches the fixed point"),
    "the boundary of a hyperbolic basin": (
        lambda: Recursion(X / 2 + X**2, X).law(terms=2).certificate(start=HALF), AsymptError, "inside the basin",
    ),
    "wrong order": (lambda: NTK.certificate(correlation=("1/2", "1/4")), InputError, "wrong order"),
    "no start": (lambda: NTK.certificate(), InputError, "give one start"),
    "three ends": (lambda: NTK.certificate(correlation=(0, "1/4", "1/2")), InputError, "pair"),
    "a depth of 1": (lambda: NTK.certificate(1, correlation=0), InputError, "at least 2"),
    "symbols": (
        lambda: Recursion(X - Symbol("a", positive=True) * X**2, X).law(terms=1).certificate(start=1),
        UnsupportedError, "symbols",
    ),
    "outside the basin": (lambda: DOWN.certificate(start=3), AsymptError, "basin|orbit"),
    "a basin's boundary": (lambda: DOWN.certificate(start=(HALF, 1)), AsymptError, "orbit"),
    "an orbit that lands": (lambda: DOWN.enclose(9, start=1), AsymptError, "may land there"),
    "abs from -1": (
        lambda: asy.FeedForward("abs").correlation_law(terms=2).enclose(9, correlation=-1),
        AsymptError, "may land there",
    ),
    "a boundary that is a number with digits": (
        lambda: Recursion(sin(X), X).law(terms=2).certificate(start=(1, pi)),
        AsymptError, r"start in \[1, pi\].*boundary",
    ),
    "the other side": (
        lambda: Recursion(sin(X), X).law(terms=2).certificate(start=(-1, -HALF)), InputError, "other side",
    ),
    "both sides": (lambda: Recursion(tanh(X), X).law(terms=2).certificate(start=(-1, 1)), InputError, "both sides"),
    "the fixed point": (lambda: DOWN.certificate(start=(0, HALF)), InputError, "fixed point"),
    "a start with symbols": (lambda: DOWN.certificate(start=(X, 1)), InputError, "symbols"),
    "a depth before the first layer": (lambda: NTK.enclose(0, correlation=0), InputError, "less than 1"),
    "an interval to enclose": (lambda: NTK.enclose(9, correlation=(0, HALF)), InputError, "not a number"),
    "the fixed point to enclose": (lambda: NTK.enclose(9, correlation=1), UnsupportedError, "fixed point itself"),
    "digits": (lambda: NTK.enclose(9, correlation=0, digits=10**4), InputError, "digits"),
    "a scaled network": (
        lambda: asy.ScaledResNet("relu", kappa=HALF).correlation_law(terms=7).certificate(correlation=0),
        UnsupportedError, "theorems about falling steps are for steps",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_why(name):
    call, kind, said = REFUSED[name]
    with pytest.raises(kind, match=said):
        call()


def test_a_bump_that_the_series_does_not_see():
    """The series of x - x^2 to 100 digits, and another map: C is 5.92555 (12,000 plain steps), not 1.76799."""
    bump = X - X**2 * (1 + exp(-(10**8) * (X - Rational(1, 500)) ** 2) / 10)
    law = Recursion(bump, X).law(terms=2)
    low, high = law.certificate(start=HALF).connection_constant
    assert 5.92555 < low <= high < 5.92556


@pytest.mark.parametrize("given", [{"gap": "1e-8"}, {"gap": "1e-30"}, {"correlation": ("0.9999999", "0.99999999")},
                                   {"correlation": ("-1", "0.9999999")}])  # fmt: skip
@pytest.mark.parametrize("kind", ["correlation", "ntk"])
def test_starts_whose_law_begins_too_late_are_refused_early(kind, given):
    """A(t) = 3 pi/(sqrt(2) t) + ..., so at a gap of 1e-8 C is about 66,600."""
    net = asy.FeedForward("relu", sigma_w=sqrt(2), sigma_b=0)
    law = getattr(net, f"{kind}_law")(terms=2)
    begun = time.process_time()
    with pytest.raises(UnsupportedError, match=r"reaches about .* begins to hold near layer .* start neither so close"):
        law.certificate(**given)
    assert time.process_time() - begun < 5


def test_starts_at_the_edge_of_the_basin_are_refused_early():
    """sin(pi - e) = e: the second layer is as near to 0 as that."""
    with pytest.raises(UnsupportedError, match="begins to hold near layer"):
        Recursion(sin(X), X).law(terms=2).certificate(start="3.14159265")
