"""A value, slope or sign in balls is that of the function as it is written, on the reals, or there is none.

References: plain iteration of principal values in mpmath (`tests.fuzz.edges.followed`), 50 digits; T_3(x) = 4x^3 - 3x.
"""

import mpmath
import pytest
from flint import arb
from sympy import Abs, Integer, LambertW, Rational, acos, acosh, asin, atanh, cos, exp, log, loggamma, re, sqrt

import asympt as asy
from asympt.balls.arithmetic import Refused, working
from asympt.balls.expression import Outside, program_of
from asympt.balls.orbit import BallInterval, image
from asympt.recursions.protocol import T
from tests.fuzz.edges import followed
from tests.fuzz.maps import X

R = Rational
EDGES = [  # a function, a place where it is real, its edge, and a place beyond
    (sqrt(1 - X), R(1, 2), Integer(1), R(3, 2)),
    ((1 - X) ** R(1, 3), R(1, 2), Integer(1), Integer(2)),  # SymPy's principal value, complex beyond 1
    ((1 - X) ** R(-3, 4), R(1, 2), Integer(1), Integer(2)),
    ((1 - X) ** sqrt(2), R(1, 2), Integer(1), Integer(2)),
    (log(1 - X), R(1, 2), Integer(1), R(3, 2)),
    (asin(X), R(1, 2), Integer(1), R(3, 2)),
    (acos(X), R(1, 2), Integer(1), R(-3, 2)),
    (atanh(X), R(1, 2), Integer(1), Integer(2)),
    (LambertW(-X), R(1, 4), exp(-1), Integer(1)),
    (loggamma(1 - X), R(1, 2), Integer(1), R(5, 2)),
    (sqrt(1 - X) * sqrt(2 - X), R(1, 2), Integer(1), R(3, 2)),
]


@pytest.mark.parametrize(("function", "inside", "edge", "beyond"), EDGES, ids=str)
def test_values_are_real_ones_and_a_ball_that_leaves_the_domain_is_refused(function, inside, edge, beyond):
    program = program_of(function, X)
    with working(128):
        assert program.value(arb(inside.p) / inside.q).overlaps(arb(str(function.subs(X, inside).evalf(30)), "1e-25"))
        with pytest.raises(Outside) as refused:
            program.value(arb(beyond.p) / beyond.q)
        assert refused.value.certain
        straddling = arb(str(edge.evalf(40)), "0.01")
        with pytest.raises(Outside) as refused:
            program.value(straddling)
        assert not refused.value.certain


@pytest.mark.parametrize(("function", "inside", "edge", "beyond"), EDGES, ids=str)
def test_the_image_of_an_interval_with_an_edge_in_it_is_refused(function, inside, edge, beyond):
    low, high = sorted((inside, beyond))
    with working(128), pytest.raises(Refused):
        image(program_of(function, X), BallInterval(*(arb(end.p) / end.q for end in (low, high))), {})


def test_a_hole_between_two_real_ends_is_seen():
    """sqrt(x^2 - 1) is real at -2 and at 2 and not between."""
    with working(128), pytest.raises(Outside):
        image(program_of(sqrt(X**2 - 1), X), BallInterval(arb(-2), arb(2)), {})


def test_the_odd_root_that_a_user_may_mean_is_told():
    with working(128), pytest.raises(Outside, match=r"the odd root of a negative x is -\(-x\)"):
        program_of((1 - X) ** R(1, 3), X).value(arb(2))


ORBITS = [  # maps and starts whose orbit is not real, in its first layer or later
    (X / 2 + 5000 * X**40 * (1 - X) ** R(3, 2), R(9, 10)),
    (X * (1 - X) ** R(1, 3) / 2, Integer(2)),
    (X / 2 + X**2 * log(2 - X) / 8, Integer(3)),
    (X / 3 - X**2 * asin(X / 2) / 9, Integer(5)),
    (X / 4 + X**20 * sqrt(3 - X), R(5, 2)),
    (X - X**2 / 4 + X**3 * sqrt(1 - X) / 50, R(3, 2)),
    (X / 2 + X**2 * acosh(2 - X) / 9, Integer(2)),
]


@pytest.mark.parametrize(("expression", "start"), ORBITS, ids=str)
def test_no_theorem_no_enclosure_and_no_number_of_an_orbit_that_leaves_the_reals(expression, start):
    assert followed(expression, start, 3) is None
    law = asy.Recursion(expression, X, 0).law(terms=1)
    for ask in (
        lambda: law.certificate(start=start), lambda: law.enclose(depth=3, start=start),
        lambda: law.evaluate(depth=3, start=start), lambda: law.connection_constant(start=start),
        lambda: law.certificate(start=(start, start + R(1, 100))),
    ):  # fmt: skip
        with pytest.raises(asy.AsymptError):
            ask()
    found = asy.verify(law, start=start)
    assert found.theorem is None
    assert found.verdict == "unknown"


def test_the_refusal_names_the_layer_and_the_function():
    law = asy.Recursion(ORBITS[0][0], X, 0).law(terms=1)
    with pytest.raises(Refused, match=r"layer 1, at t = 2\.787\d*: \(1 - t\)\^\(3/2\) has no real value where"):
        law.certificate(start=ORBITS[0][1])


def test_two_branches_that_meet_outside_come_out_right_or_are_refused():
    """x (x^2 T_3 ...): T_3 = cos(3 acos x) is real for every x, though acos is not beyond 1."""
    summed = asy.Recursion(X / 2, X).linear_law(R(3, 4), X * cos(3 * acos(X)), 0)
    found = summed.evaluated(depth=1, start=3)
    assert (found.value, found.trust) == (297, "two routes")  # 3 T_3(3) = 3 (108 - 9)
    assert isinstance(found.value, mpmath.mpf)
    with pytest.raises(Refused):
        asy.Recursion(cos(3 * acos(X)) / 4, X).law(terms=1).enclose(depth=1, start=R(6, 5))


def test_a_product_of_roots_beyond_both_is_no_theorem_for_an_interval():
    """Real at every point beyond 6, as a product of two complex roots: from 7, C = lim 4^n x_n = 33.5620276162525."""
    law = asy.Recursion(X / 4 + X**2 * (5 - X) ** R(3, 2) * (6 - X) ** R(3, 2) / 400, X).law(terms=1)
    with pytest.raises(Refused):
        law.certificate(start=(7, 8))
    assert mpmath.nstr(law.connection_constant(start=7), 12) == "33.5620276163"


@pytest.mark.parametrize("part", [0, 1, 2])
def test_constants_of_a_linear_law_are_real_or_refused(part):
    """log(1 - x) is complex at x_0 = 3 and real from x_1 = 3/4 on; as lambda, b, and first value."""
    linear = [R(1, 3), X, Integer(1)]
    linear[part] = R(1, 3) + log(1 - X)
    law = asy.Recursion(X / 4, X).linear_law(*linear, terms=1)
    for ask in (law.second_constant, law.connection_constant, lambda start: law.evaluate(depth=4, start=start)):
        try:
            found = ask(start=3)
        except asy.AsymptError as refused:
            assert "real" in str(refused) or "constant" in str(refused)
        else:
            assert isinstance(found, mpmath.mpf)
            assert ask == law.connection_constant  # that of the map, which knows nothing of lambda and b


def test_what_has_no_rule_on_the_reals_is_refused():
    for function in (Abs(X - 1), re(sqrt(1 - X))):
        law = asy.Recursion(X / 2 + X**2 * function / 9, X).law(terms=1)
        with pytest.raises(asy.AsymptError):
            law.certificate(start=R(1, 2))


def test_a_correlation_is_known_to_stay_in_its_domain():
    """All starts of [-1, 9/10], where asin and sqrt of the ReLU map end: B = 1390.9 at depth 10^6 is the truth."""
    law = asy.FeedForward.on_edge_of_chaos("relu").correlation_law(terms=2)
    assert 1390 < law.certificate(correlation=("-1", "9/10")).constant < 1443


def test_a_series_of_one_side_is_not_used_on_the_other():
    """sqrt(x^2 + x^3) is x sqrt(1 + x) above 0 and -x sqrt(1 + x) below; the bump at 1 throws orbits there below 0."""
    law = asy.Recursion(X / 2 + sqrt(X**2 + X**3) / 4 - R(6, 5) * X**2 * exp(-400 * (X - 1) ** 2), X, 0).law(terms=1)
    assert followed(law.dynamics.formula.xreplace({T: X}), Integer(1), 1)[1] < 0
    with pytest.raises(asy.AsymptError):
        law.certificate(start=(R(7, 10), R(11, 10)))
    assert law.certificate(start=(R(1, 20), R(1, 19))).recheck()
