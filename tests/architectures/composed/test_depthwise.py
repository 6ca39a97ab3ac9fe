"""Laws in the depth of networks that know it.

The numbers are those of the flow time inverted and of networks of many depths, computed in another program and agreed
upon by both; everything else is compared with networks iterated by the rules of the primitives.
"""

from dataclasses import replace

import matplotlib.pyplot as plt
import pytest
from mpmath import mp, mpf
from sympy import Rational, Symbol, cos, log, pi, sqrt

import asympt as asy
from asympt.architectures.composed.flow import solution_of
from asympt.errors import AsymptError, InputError, PrecisionError, UnsupportedError
from asympt.evidence.depthwise import two_depths, witness_check
from asympt.expansions.opaque import RealConstant
from asympt.numbers import to_mpf
from asympt.recursions.protocol import T

RESIDUAL = "residual(relu, dense(sqrt(2)), scale=DEPTH^(-{}))"
SKIPPED = "residual(erf, dense(1), skip=sqrt(1-1/DEPTH), scale=DEPTH^(-1/2))"
PRE = "residual(layer_norm, relu, dense(sqrt(2)), scale=DEPTH^(-{}))"
PRE_THREE = PRE.format("1/4").replace("(2)", "(6)")
SHAPED = "serial(leaky_relu(slope=1-1/sqrt(DEPTH)), dense(1))"
SHAPED_SLOWLY = SHAPED.replace("1/sqrt(DEPTH)", "DEPTH^(-1/4)")
ROOT, LONG = RESIDUAL.format("1/2"), RESIDUAL.format("1/4")
TWO, DROPPED = (f"residual(relu, {part}, dense(2), scale={{}})" for part in ("dense(1), leaky_relu", "dropout(1/2)"))
TABLE = {  # block, of, c^1: coefficients of L^0, L^(-1/d), ...
    (ROOT, "correlation", 0): (
        "0.7461408987024887895435459", "0.3573722717254382757088959", "-0.1550727993945784828151673",
        "0.0805563674590662326682004", "-0.04672716554167641142854", "0.02926040040300764391996"),
    (ROOT, "correlation", "1/10"): ("0.6819500964422865676653611", "0.3132861521584320673984452"),
    (ROOT, "ntk", 0): ("0.3197769329692134073020886", "-0.6302146005039721239692138", "0.5846787073792712989952671"),
    (ROOT, "ntk", "1/10"): ("0.4241153975392252870682819", "-0.6380070078472702278510883"),
    (SHAPED, "ntk", 0): ("0.067995322326931830763", "0.057888299071262"),
    (PRE.format("1/2"), "correlation", 0): ("0.81225170450224348354",),
    (PRE.format("1/2"), "ntk", "1/5"): ("0.43283810883", "-0.24511342748"),
    (PRE.format("3/4"), "correlation", "1/5"): ("0.8", "-0.224697564"),
    (PRE.format("3/4"), "ntk", "-1/5"): ("-0.2", "0.33751640723306", "-0.1851869737"),
    (PRE.format("1/2"), "correlation", "-9/10"): ("1.41", "0.312", "0.0964", "0.039395247733"),
    ("residual(erf, dense(1, 1/2), scale=1/DEPTH)", "correlation", "1/5"): ("0.8", "-0.19222436313"),
    (SKIPPED, "ntk", "1/5"): ("0.2895019641", "-0.0660708541"),
    ("serial(residual(erf, dense(2,1/2), scale=DEPTH^(-1/2)), layer_norm)", "correlation", "1/5"): ("0.65988636164",),
}  # fmt: skip
L = Symbol("L", positive=True)


@pytest.mark.parametrize("case", TABLE)
def test_known_coefficients(case):
    block, of, start = case
    law = asy.Network(block).depth_law(of, correlation=start, terms=len(TABLE[case]))
    for (_, coefficient), known in zip(law.expansion.terms, TABLE[case], strict=True):
        digits = len(known.partition(".")[2].lstrip("0"))
        assert abs(coefficient.evalf(digits) / Rational(known) - 1) < 10 ** (1 - digits)


def test_shaped_leaky_relu():
    """The known numbers are those of c_L after L steps; here c^1 comes first, so there is one step less."""
    law = asy.Network(SHAPED).depth_law(correlation=0, terms=4)
    rest, first, second, third = (to_mpf(c) for _, c in law.expansion.terms)
    assert mp.almosteq(rest, 1 - mpf("0.1413476770500482731383"), 1e-15)
    assert mp.almosteq(first, -mpf("0.1254105783956370824971"), 1e-15)
    drift = (mp.sqrt(1 - (1 - rest) ** 2) - (1 - rest) * mp.acos(1 - rest)) / mp.pi  # of c, g - c for ReLU
    assert mp.almosteq(second, -mpf("0.06338608070846804376581") + drift / 2, 1e-14)
    moved = drift / 2 + mp.acos(1 - rest) * first / (2 * mp.pi)  # h = (1/L + L^(-3/2))/2 + ...
    assert mp.almosteq(third, -mpf("0.01304610857818558154861") + moved, 1e-14)
    assert mp.almosteq(to_mpf(law.expansion.terms[1][1].exact), first)


def test_where_nothing_moves_all_is_in_formulas():
    law = asy.Network(RESIDUAL.format("3/4")).depth_law(correlation=0, terms=3)
    assert law.to_sympy() == 1 - 1 / (pi * L ** Rational(1, 2)) + 1 / (4 * pi * L)
    assert law.coefficient("1/sqrt(L)") == -1 / pi


def test_where_c_comes_near_one(refused):
    """1 - T_0 is -6.0118218526406768281; without the term in log(L), or with another T_0, the check fails."""
    law = asy.Network(LONG).depth_law(correlation=0, terms=3)
    second = law.coefficient("L^(-3/2)", digits=22) / (9 * pi**2).evalf(30)
    assert abs(second + Rational("6.0118218526406768281")) < 1e-18
    assert law.coefficient("log(L)/L^2") == -27 * pi**2 / 4
    assert law.limit == 0 and asy.verify(law).verdict == "checked"
    *first, (monomial, coefficient) = law.expansion.terms  # of log(L)/L^2, beside O(1/L^2): the opposite grew no more
    assert monomial.logs and two_depths(law).passed
    wrong = replace(law.expansion, terms=(*first, (monomial, -coefficient)))
    assert not two_depths(replace(law, expansion=wrong)).passed
    pre = asy.Network(PRE_THREE).depth_law(correlation=0, terms=2)  # 3 pi/t = log(L)/2 + log(3) + T_0
    assert abs(pre.coefficient("1/log(L)^3", digits=22) - (72 * pi**2 * (second - 1 - log(3))).evalf(30)) < 1e-15
    refused(lambda: asy.Network(LONG).depth_law(correlation=0, terms=6), "with 5 terms; ask for no", UnsupportedError)
    assert len(asy.Network(LONG).depth_law(correlation=0, terms=5).expansion.terms) == 5


@pytest.mark.parametrize(("block", "clear"), [(LONG, 4), (SHAPED_SLOWLY, 5)])
def test_the_ntk_where_c_comes_near_one(block, clear):
    """In units of the remainder, plain iteration of the layers less the law settles."""
    law = asy.Network(block).depth_law("ntk", correlation="1/10", terms=5)
    assert law.expansion.terms[0][1] == Rational(1, 4)  # of what an input with itself has
    assert asy.verify(asy.Network(block).depth_law("ntk", correlation="1/10", terms=clear)).verdict == "checked"
    left = []
    with mp.workdps(25):
        for depth in (2**8, 2**10, 2**12):
            rest = mpf(depth) ** -to_mpf(law.remainder.monomial.order)
            left.append((law.evaluate(depth, digits=20) - to_mpf(law.to_sympy().subs(L, depth))) / rest)
        assert abs(left[1] - left[0]) < 0.25 * abs(left[2]) and abs(left[2] - left[1]) < 0.12 * abs(left[2])


def test_what_the_ntk_has_from_its_start():
    """Q_0 by the angle, F = -(sin t - t cos t)/pi and o = cos t - F for ReLU, down to where the series of P is used."""
    law = asy.Network(RESIDUAL.format("2/5")).depth_law("ntk", correlation="1/10", terms=6)
    (found,) = (c for c in law.expansion.terms[5][1].atoms(RealConstant) if c.name == "Q_0")
    with mp.workdps(30):
        drift = lambda t: (mp.sin(t) - t * mp.cos(t)) / mp.pi  # noqa: E731
        near, begun = mpf(1) / 10, mp.acos(mpf(1) / 10)
        gained = mp.quad(lambda t: (mp.cos(t) + drift(t)) / drift(t) ** 2 * mp.sin(t), [near, 0.3, 0.7, begun])
        series = solution_of(law.coordinate.steps_of_depth.form, 14).particular.to_sympy().subs(T, sqrt(1 - cos(near)))
        assert abs(to_mpf(found) - gained + to_mpf(series) / drift(near)) < 1e-12


def end_of_flow(begun, end, pre):
    """(L, K^L/q_L): branches scaled by L^(-2/5), 1 - c falls by h f, f = (sin t - t cos t)/pi in the angle t.

    T_0 + h T_1 = (L - 1) h gives L, Q_0 + h Q_1 what is added to R (1 - h t/(2 pi))/f; log(L) of PRE_THREE, without h.
    """
    drift = lambda t: (mp.sin(t) - t * mp.cos(t)) / mp.pi  # noqa: E731
    own, bent = lambda t: mp.cos(t) + drift(t), lambda t, h: 1 - h * t / (2 * mp.pi)
    parts = mp.linspace(mp.log(end), mp.log(begun), int(mp.log(begun / end)) + 2)
    total = lambda g: mp.quad(lambda s: g(mp.exp(s)) * mp.sin(mp.exp(s)) * mp.exp(s), parts, maxdegree=5)  # noqa: E731
    time, second = total(lambda t: 1 / drift(t)), mp.log(drift(end) / drift(begun)) / 2
    step = lambda depth: 1 / (depth ** (mpf(4) / 5) + 1)  # noqa: E731
    root = lambda: mp.findroot(lambda d: ((d - 1) - second) * step(d) / time - 1, (time**5, 1.1 * time**5))  # noqa: E731
    depth = 2 * (time - mp.log(3)) if pre else root()
    h = 0 if pre else step(depth)
    added = total(lambda t: own(t) / drift(t) ** 2) + h / 2 * (own(begun) / drift(begun) - own(end) / drift(end))
    return depth, drift(end) / bent(end, h) * (mp.cos(begun) * bent(begun, h) / drift(begun) + added)


@pytest.mark.parametrize(("block", "terms"), [(RESIDUAL.format("2/5"), 9), (PRE_THREE, 3)])
def test_every_coefficient_of_the_ntk_at_huge_depths(block, terms):
    law, left = asy.Network(block).depth_law("ntk", correlation="1/10", terms=terms), []
    rest = law.remainder.monomial
    with mp.workdps(45):
        for end in (mpf("1e-2"), mpf("1e-4")):
            depth, kernel = end_of_flow(mp.acos(mpf(1) / 10), end, block == PRE_THREE)
            size = lambda m: depth ** -to_mpf(m.order) * mp.log(depth) ** m.logs  # noqa: B023, E731
            left.append((kernel - mp.fsum(to_mpf(c) * size(m) for m, c in law.expansion.terms)) / size(rest))
    assert mp.almosteq(left[0], left[1], 0.02)


@pytest.mark.parametrize("case", [
    (TWO.format("1/DEPTH"), "ntk"), (DROPPED.format("1/sqrt(2*DEPTH)"), "ntk"),
    (f"serial({TWO.format('DEPTH^(-1/3)')}, layer_norm)", "correlation"), (PRE_THREE, "ntk"),
])  # fmt: skip
def test_other_networks_are_checked(case):
    law = asy.Network(case[0]).depth_law(case[1], correlation="1/3", terms=2)
    assert asy.verify(law).verdict == "checked"
    found = asy.Network(case[0]).pair(7, correlation="1/3", digits=20)
    assert mp.almosteq(law.evaluate(depth=7, digits=18), found[0 if case[1] == "correlation" else 1], 1e-15)


@pytest.mark.parametrize(("block", "of", "check"), [
    (LONG, "correlation", two_depths), (LONG, "ntk", two_depths), (ROOT, "correlation", witness_check),
    (RESIDUAL.format("3/4"), "ntk", witness_check), (PRE_THREE, "correlation", witness_check),
])  # fmt: skip
def test_a_wrong_coefficient_is_seen(block, of, check):
    law = asy.Network(block).depth_law(of, correlation=0, terms=2)
    wrong = law.expansion.map_coefficients(lambda c: c if c == law.expansion.terms[0][1] else 2 * c)
    assert check(replace(law, expansion=wrong)).passed is False
    assert check is two_depths or check(law).passed
    if check is witness_check and block != PRE_THREE:  # there the layers say nothing about the printed law
        assert asy.verify(replace(law, expansion=wrong)).verdict == "refuted"


def test_a_last_term_that_is_a_logarithm_larger_than_the_rest():
    """k_1 log(L)/L^3 beside O(1/L^3): 1600 layers do not tell it from what follows, which refutes nothing."""
    law = asy.Network("serial(relu, dense(sqrt(2 + 2/DEPTH)))").depth_law(correlation=0, terms=2)
    assert not any(check.passed is False for check in asy.verify(law).checks)
    *first, (monomial, coefficient) = law.expansion.terms
    wrong = replace(law.expansion, terms=(*first, (monomial, -coefficient)))
    assert witness_check(replace(law, expansion=wrong)).passed is False


@pytest.mark.parametrize("start", ["99/100", 0])
def test_the_theorem_about_every_depth(start, refused):
    """Plain iteration stays within the bound and needs 0.95 of it at L = 1000; what is not so has no theorem."""
    law = asy.Network(ROOT).depth_law(correlation=start, terms=2)
    theorem, left = law.certificate(10), []
    (first, rest), (monomial, second) = law.expansion.terms
    for depth in (*range(10, 61), 1000):
        c = to_mpf(Rational(start))
        for _ in range(depth - 1):
            c += (mp.sqrt(1 - c**2) - c * mp.acos(c)) / mp.pi / (depth + 1)
        left.append(abs(1 - c - to_mpf(rest) - to_mpf(second) / depth) * depth**2)
    assert 0.95 < max(left) / mpf(str(theorem.constant)) <= 1 and theorem.trust == "library"
    for wrong in ((rest + Rational(1, 10**6), second), (rest, second + Rational(1, 10**6))):
        terms = tuple(zip((first, monomial), wrong, strict=True))
        with pytest.raises(UnsupportedError, match="and not the printed"):
            replace(law, expansion=replace(law.expansion, terms=terms)).certificate(10)
    refused(asy.Network(ROOT).depth_law("ntk", correlation=start).certificate, "this law has none", UnsupportedError)


UNFOLDED = {  # block: coefficients of 1/L^2 and log(L)/L^3; K_1 of the first was computed for one step more
    "serial(relu, dense(sqrt(2-2/DEPTH), 1/sqrt(DEPTH)))": ("26.383717710448591281", "-100.581093654639628"),
    "serial(relu, dense(sqrt(2), 1/sqrt(DEPTH)))": ("32.35740187602577162114",),
    "serial(relu, dense(sqrt(2-1/DEPTH)))": ("44.4132198049021137848", "-133.239659414706341354"),
}


@pytest.mark.parametrize("block", UNFOLDED)
def test_variances_that_unfold_the_edge_of_chaos(block):
    law = asy.Network(block).depth_law(correlation=0)
    with mp.workdps(25):
        first, second, third = (to_mpf(c) for _, c in law.expansion.terms)
        for found, known in zip((first, second), UNFOLDED[block], strict=False):
            assert mp.almosteq(found, mpf(known), 1e-17)
        if "2-2" in block:
            assert mp.almosteq(third, mpf("-251.016968536376") - 2 * second / 3, 1e-14)


def test_a_general_unfolding_and_a_wrong_coefficient_of_it():
    block = "serial(relu, dense(sqrt(2-2/DEPTH+1/DEPTH^2), 1/sqrt(DEPTH+4)))"
    law = asy.Network(block).depth_law(correlation="-1/2", terms=3)
    found = asy.Network(block).pair(7, correlation="-1/2", digits=20)
    assert mp.almosteq(law.evaluate(depth=7, digits=18), found[0], 1e-15)
    assert asy.Network(block).at_depth(7).pair(7, correlation="-1/2", digits=20) == found  # of q_1 = 1 at every depth
    *first, (monomial, last) = law.expansion.terms
    wrong = replace(law.expansion, terms=(*first, (monomial, 2 * last)))
    assert witness_check(law).passed and witness_check(replace(law, expansion=wrong)).passed is False


def test_branches_whose_variance_moves_the_map(refused):
    """c* is that of the flow of (q, s), integrated in another program; a wrong coefficient is refuted."""
    block = "residual(erf, dense(1), scale=DEPTH^(-1/2))"
    law = asy.Network(block).depth_law(correlation="1/2", terms=2)
    assert mp.almosteq(to_mpf(law.limit), 1 - mpf("0.48361704140373336"), 1e-15)
    wrong = law.expansion.map_coefficients(lambda c: c if c == law.limit else 2 * c)
    assert witness_check(law).passed and witness_check(replace(law, expansion=wrong)).passed is False
    kernel = asy.Network(block).depth_law("ntk", correlation="1/2", terms=1)
    assert mp.almosteq(kernel.evaluate(depth=9), asy.Network(block).pair(9, correlation="1/2")[1], 1e-13)
    assert mp.almosteq(to_mpf(kernel.limit), kernel.evaluate(depth=200), 1e-2)
    refused(lambda: asy.Network(period=[block, block]).depth_law(correlation="1/2"), "for one block", AsymptError)
    refused(lambda: asy.Network(block).depth_law(correlation=0), "is a fixed point of the map", InputError)


def test_evaluate_and_the_start(refused):
    law = asy.Network(ROOT).depth_law(correlation="1/10", terms=1)
    assert mp.almosteq(law.evaluate(depth=1), law.evaluate(depth=1, correlation="1/10"))
    refused(lambda: law.evaluate(depth=5, correlation=0), "derived for c^1 = 1/10", InputError)
    moving = asy.Network("residual(erf, dense(1), scale=DEPTH^(-1/2))").depth_law(correlation="1/10", terms=1)
    refused(lambda: moving.evaluate(depth=10**6), "20000 of them at most", PrecisionError)
    plt.close(asy.Network(ROOT).depth_law(correlation="1/3", terms=1).plot(depth=100))  # of its own start, not of 1/10
    shifted = asy.Network("residual(relu, dense(1), scale=1/sqrt(DEPTH-5))").depth_law(correlation=0, terms=1)
    for depth in (3, 5):
        with pytest.raises(AsymptError, match="not a real number"):
            shifted.evaluate(depth)


@pytest.mark.parametrize(("start", "power"), [("1/10", "1/2"), ("-9/10", "1/2"), ("1/2", "1/3")])
def test_deeper_than_the_layers_that_are_followed(start, power):
    """By the flow what float64 has layer by layer."""
    net, depth, gap = asy.Network(RESIDUAL.format(power)), 10**5, [float(1 - Rational(start))]
    for of, (found,) in zip(("correlation", "ntk"), asy.depth.pairs(net.at_depth(depth), gap, depth), strict=True):
        law = net.depth_law(of, correlation=start, terms=1)
        assert mp.almosteq(law.evaluate(depth=depth, digits=10), found, 1e-9)


@pytest.mark.parametrize(("block", "given", "words"), [
    ("residual(relu, dense(1))", {}, "do not depend on the depth"),
    (ROOT.replace("DEPTH", "(LAYER^2*DEPTH)"), {}, "change from layer to layer"),
    ("residual(layer_norm, erf, dense(1), scale=DEPTH^(-1/3))", {"correlation": "1/2"}, "like an exponential"),
    ("residual(erf, dense(1), scale=DEPTH^(-5/4))", {}, "the variance moves the map"),
    (LONG, {"of": "ntk", "terms": 6}, "with 5 terms; ask for no more"),
    (RESIDUAL.format("-1/2"), {}, "do not tend to 0"), (ROOT, {"correlation": 1}, "-1 < correlation < 1"),
    (ROOT, {"correlation": -1}, "-1 < correlation < 1"), (ROOT, {"terms": 0}, "terms = 0"),
    (ROOT, {"of": "variance"}, "give 'correlation' or 'ntk'"),
    (LONG, {"terms": 12}, "ask for no more"),
    (DROPPED.format("DEPTH^(-1/4)"), {}, "like an exponential"),
    ("serial(tanh, dense(1+1/DEPTH))", {}, "the variance moves the maps"),
    ("serial(relu, dense(sqrt(2+1/DEPTH), 1/DEPTH))", {"of": "ntk"}, "of the correlation alone"),
    ("serial(relu, dense(sqrt(2), DEPTH^(-1/4)))", {"terms": 1}, "not a power series in 1/L"),
    ("serial(relu, dense(sqrt(3), 1/DEPTH))", {"terms": 1}, "not a power series in 1/L"),
    ("serial(leaky_relu(slope=1/DEPTH), dense(1))", {}, "do not tend to 0"),
])  # fmt: skip
def test_refusals(block, given, words):
    with pytest.raises(AsymptError, match=words):
        asy.Network(block).depth_law(**{"correlation": 0, **given})
