"""Laws in the depth of networks that know it.

The numbers are those of the flow time inverted and of networks of many depths, computed in another program and agreed
upon by both; everything else is compared with networks iterated by the rules of the primitives.
"""

from dataclasses import replace

import pytest
from mpmath import mp, mpf
from sympy import Rational, Symbol, pi

import asympt as asy
from asympt.errors import AsymptError, InputError, UnsupportedError
from asympt.evidence.depthwise import two_depths
from asympt.numbers import to_mpf

RESIDUAL = "residual(relu, dense(sqrt(2)), scale=DEPTH^(-{}))"
SHAPED = "serial(leaky_relu(slope=1-1/sqrt(DEPTH)), dense(1))"
ROOT = RESIDUAL.format("1/2")
TWO, DROPPED = (f"residual(relu, {part}, dense(2), scale={{}})" for part in ("dense(1), leaky_relu", "dropout(1/2)"))
TABLE = {  # block, of, c^1: coefficients of L^0, L^(-1/d), ...
    (ROOT, "correlation", 0): (
        "0.7461408987024887895435459", "0.3573722717254382757088959", "-0.1550727993945784828151673",
        "0.0805563674590662326682004"),
    (ROOT, "ntk", 0): ("0.3197769329692134073020886", "-0.6302146005039721239692138", "0.5846787073792712989952671"),
    (ROOT, "ntk", "1/10"): ("0.4241153975392252870682819", "-0.6380070078472702278510883"),
    (SHAPED, "ntk", 0): ("0.067995322326931830763", "0.057888299071262"),
}  # fmt: skip
L = Symbol("L", positive=True)


@pytest.mark.parametrize("case", TABLE)
def test_known_coefficients(case):
    block, of, start = case
    law = asy.Network(block).depth_law(of, correlation=start, terms=len(TABLE[case]))
    for (_, coefficient), known in zip(law.expansion.terms, TABLE[case], strict=True):
        digits = len(known.partition(".")[2].lstrip("0"))
        assert abs(coefficient.evalf(30) / Rational(known) - 1) < 10 ** (1 - digits)


def test_shaped_leaky_relu():
    """The known numbers are those of c_L after L steps; here c^1 comes first, so there is one step less."""
    law = asy.Network(SHAPED).depth_law(correlation=0, terms=3)
    rest, first, second = (to_mpf(c) for _, c in law.expansion.terms)
    assert mp.almosteq(rest, 1 - mpf("0.1413476770500482731383"), 1e-15)
    assert mp.almosteq(first, -mpf("0.1254105783956370824971"), 1e-15)
    drift = (mp.sqrt(1 - (1 - rest) ** 2) - (1 - rest) * mp.acos(1 - rest)) / mp.pi  # of c, g - c for ReLU
    assert mp.almosteq(second, -mpf("0.06338608070846804376581") + drift / 2, 1e-14)
    assert mp.almosteq(to_mpf(law.expansion.terms[1][1].exact), first)


def test_where_nothing_moves_all_is_in_formulas():
    law = asy.Network(RESIDUAL.format("3/4")).depth_law(correlation=0, terms=3)
    assert law.to_sympy() == 1 - 1 / (pi * L ** Rational(1, 2)) + 1 / (4 * pi * L)
    assert law.coefficient("1/sqrt(L)") == -1 / pi


def test_where_c_comes_near_one():
    """1 - T_0 is -6.0118218526406768281; without the term in log(L), or with another T_0, the check fails."""
    law = asy.Network(RESIDUAL.format("1/4")).depth_law(correlation=0, terms=3)
    second = law.coefficient("L^(-3/2)", digits=22) / (9 * pi**2).evalf(30)
    assert abs(second + Rational("6.0118218526406768281")) < 1e-18
    assert law.coefficient("log(L)/L^2") == -27 * pi**2 / 4
    assert law.limit == 0 and asy.verify(law).verdict == "checked"
    *first, (monomial, coefficient) = law.expansion.terms  # of log(L)/L^2, beside O(1/L^2): the opposite grew no more
    assert monomial.logs and two_depths(law).passed
    wrong = replace(law.expansion, terms=(*first, (monomial, -coefficient)))
    assert not two_depths(replace(law, expansion=wrong)).passed
    with pytest.raises(UnsupportedError, match="with 5 terms; ask for no more"):
        asy.Network(RESIDUAL.format("1/4")).depth_law(correlation=0, terms=6)
    assert len(asy.Network(RESIDUAL.format("1/4")).depth_law(correlation=0, terms=5).expansion.terms) == 5


@pytest.mark.parametrize("case", [
    (TWO.format("1/DEPTH"), "ntk"), (DROPPED.format("1/sqrt(2*DEPTH)"), "ntk"),
    (f"serial({TWO.format('DEPTH^(-1/3)')}, layer_norm)", "correlation"),
])  # fmt: skip
def test_other_networks_are_checked(case):
    law = asy.Network(case[0]).depth_law(case[1], correlation="1/3", terms=2)
    assert asy.verify(law).verdict == "checked"
    found = asy.Network(case[0]).pair(7, correlation="1/3", digits=20)
    assert mp.almosteq(law.evaluate(depth=7, digits=18), found[0 if case[1] == "correlation" else 1], 1e-15)


@pytest.mark.parametrize("gamma", ["1/2", "1/4"])
def test_a_wrong_coefficient_is_seen(gamma):
    law = asy.Network(RESIDUAL.format(gamma)).depth_law(correlation=0, terms=2)
    wrong = law.expansion.map_coefficients(lambda c: c if c == law.expansion.terms[0][1] else 2 * c)
    checks = asy.verify(replace(law, expansion=wrong)).checks
    assert checks[0].passed is False


def test_evaluate_and_the_start():
    law = asy.Network(ROOT).depth_law(correlation="1/10", terms=1)
    assert mp.almosteq(law.evaluate(depth=1), law.evaluate(depth=1, correlation="1/10"))
    with pytest.raises(InputError, match=r"derived for c.1 = 1/10"):
        law.evaluate(depth=5, correlation=0)
    with pytest.raises(UnsupportedError, match="at most 20000"):
        law.evaluate(depth=10**6)
    shifted = asy.Network("residual(relu, dense(1), scale=1/sqrt(DEPTH-5))").depth_law(correlation=0, terms=1)
    for depth in (3, 5):
        with pytest.raises(AsymptError, match="not a real number"):
            shifted.evaluate(depth)


@pytest.mark.parametrize(
    ("block", "given", "words"),
    [
        ("residual(relu, dense(1))", {}, "do not depend on the depth"),
        ("residual(layer_norm, relu, dense(1), scale=1/sqrt(DEPTH))", {}, "change from layer to layer"),
        (RESIDUAL.format("0.1"), {"of": "ntk"}, "K.L has no law here"),
        (RESIDUAL.format("-1/2"), {}, "do not tend to 0"),
        (ROOT, {"correlation": 1}, "-1 < correlation < 1"),
        (ROOT, {"correlation": -1}, "-1 < correlation < 1"),
        (ROOT, {"terms": 0}, "terms = 0"),
        (ROOT, {"of": "variance"}, "give 'correlation' or 'ntk'"),
        (RESIDUAL.format("1/4"), {"terms": 12}, "ask for no more"),
        (DROPPED.format("DEPTH^(-1/4)"), {}, "faster than any power"),
        ("serial(tanh, dense(1+1/DEPTH))", {}, "the variance moves the maps"),
        ("serial(relu, dense(sqrt(2+1/DEPTH), 1/DEPTH))", {}, "the variance moves the maps"),
        ("serial(leaky_relu(slope=1/DEPTH), dense(1))", {}, "do not tend to 0"),
    ],
)
def test_refusals(block, given, words):
    with pytest.raises(AsymptError, match=words):
        asy.Network(block).depth_law(**{"correlation": 0, **given})
