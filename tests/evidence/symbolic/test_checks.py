"""What the checks are made of: the ring, zero tests, SymPy's series under guard, the measured order, the starts."""

import mpmath
import pytest
from mpmath import mp, mpf
from sympy import Integer, Rational, Symbol, asin, cos, expand, log, re, series, sign, sin, sqrt

import asympt as asy
from asympt.architectures.feedforward import FeedForward
from asympt.errors import UnsupportedError
from asympt.evidence.law_terms import number
from asympt.evidence.orbits.printed import printed_at
from asympt.evidence.order import is_short, shortfall
from asympt.evidence.symbolic import series as of_sympy
from asympt.evidence.symbolic.defect import PrintedProfile
from asympt.evidence.symbolic.ring import DepthRing, U, W
from asympt.evidence.symbolic.series import T, laurent, ratio, taylor
from asympt.evidence.symbolic.zero import Contradiction, Left, is_zero, left_check, zero_by
from asympt.evidence.verify import symbolic_checks

x = Symbol("x", positive=True)


Z = Symbol("z", real=True)


@pytest.mark.parametrize("formula", [
    Z / 2 + re(sqrt(1 - Z)) / 4 * Z**2, Z / 2 + Z**2 * abs(Z - 1) / 4, Z / 3 + re((Z - 2) ** Rational(1, 3)) * Z**2,
    Z / 2 + Z**2 * sign(Z - 1) / 5,
])  # fmt: skip
def test_a_sign_that_is_known_at_the_fixed_point_is_no_obstacle(formula):
    """In a second of processor time: what a sign decides is written out before SymPy looks for a series."""
    with asy.time_limit(budget=1):
        found = symbolic_checks(asy.Recursion(formula, Z).law(terms=2))
    assert {check.verdict for check in found} == {"proved"}


def test_next_layer_is_the_shift_by_one():
    """u = 1/l, w = log l at l + 1, expanded by SymPy itself."""
    ring = DepthRing([U**2 * W + U], 6)
    moved = ring.moved(ring.elements[0]).as_expr()
    truth = (U / (1 + U)) ** 2 * (W + log(1 + U)) + U / (1 + U)
    difference = series(truth, U, 0, 6).removeO() - moved
    assert expand(difference) == 0


def test_constants_known_by_digits_are_taken_to_digits():
    """xi = cos(xi): the ring over floating-point numbers sees the relation, and says that it did so in digits."""
    xi = asy.Recursion(cos(x), x).fixed_point
    ring = DepthRing([xi * U, cos(xi) * U], 3)
    left = ring.left(ring.elements[0] - ring.elements[1], 3, 0)
    assert left == Left((), exact=False)
    wrong = ring.left(ring.elements[0] - ring.elements[1] + ring.u * mpf(10) ** -20, 3, 0)
    assert len(wrong.survivors) == 1


def test_zero_by_digits_is_not_a_proof():
    xi = asy.Recursion(cos(x), x).fixed_point
    assert zero_by(xi - cos(xi)) == "checked"
    assert zero_by(xi - cos(xi) + Rational(1, 10**60)) is None


def test_a_polynomial_that_vanishes_where_it_is_looked_at_first_is_not_zero():
    c = Symbol("C")
    assert zero_by((17 * c - 31) * sqrt(2)) is None
    assert zero_by(((17 * c - 31) * sqrt(2)).evalf(100)) is None


@pytest.mark.parametrize("expression", [Symbol("C") / 10**9, sqrt(2) - Rational(14142135623730951, 10**16)])
def test_small_is_not_zero(expression):
    assert not is_zero(expression)


def test_what_is_left_decides_the_check():
    assert left_check("a", "", lambda: Left(())).verdict == "proved"
    assert left_check("a", "", lambda: Left((), exact=False)).verdict == "checked"
    assert left_check("a", "", lambda: Left((U,))).verdict == "refuted"
    assert left_check("a", "", lambda: Left((U,), exact=False)).verdict == "refuted"


def test_a_contradiction_refutes_and_a_failure_is_undone():
    def contradict():
        raise Contradiction(U, "reason")

    def fail():
        raise UnsupportedError("no series")

    def err():
        raise TypeError("a fault of the package")

    assert left_check("a", "", contradict).verdict == "refuted"
    assert left_check("a", "", fail).verdict == "unknown"
    with pytest.raises(TypeError):
        left_check("a", "", err)


def test_series_of_the_map_match_the_ladder():
    """SymPy's series of the closed form (this check's own source) against the Price expansion (the law's)."""
    f = FeedForward("relu").correlation_map
    mine = taylor(f.gap_in_uniformiser(T), 9)
    price_expansion = 1 - f.expansion(9)
    assert [expand(c - price_expansion.coefficient(k)) for k, c in enumerate(mine)] == [0] * 9


def test_a_wrong_series_is_not_accepted(monkeypatch):
    """A computer-algebra series is used only after a numeric residual."""
    monkeypatch.setattr(of_sympy, "series", lambda *args: series(asin(T) + T**3, T, 0, 6))
    with pytest.raises(UnsupportedError):
        of_sympy.taylor(asin(T), 6)


def test_a_map_that_does_not_fix_the_point_is_a_contradiction():
    assert ratio(sin(T), 3, 1) == ([1, 0, Rational(-1, 6)], True)
    with pytest.raises(Contradiction):
        ratio(sin(T) + Rational(1, 10**9), 3, 1)


def test_series_in_a_root_and_with_a_pole():
    assert laurent(1 / sin(T), 3) == (1, -1, [1, 0, Rational(1, 6), 0, Rational(7, 360)])
    assert laurent(sqrt(sin(T)), 1)[:2] == (2, 1)
    with pytest.raises(UnsupportedError):
        laurent(log(T), 2)


@pytest.mark.parametrize("order", [1, 3, 20])
def test_the_order_is_measured(order):
    """c t^20 (1 + t): no shortfall up to 20, nearly 1 for 21; a millionth of t^k is seen."""
    assert not is_short(shortfall(lambda t: 7 * t**20 * (1 + t), order, mpf(10) ** -6))
    assert is_short(shortfall(lambda t: 7 * t**20 * (1 + t), 21, mpf(10) ** -6))
    assert is_short(shortfall(lambda t: t**20 + t ** (order - 1) / 10**6, order, mpf(10) ** -8))


def test_what_vanishes_identically_has_every_order():
    assert shortfall(lambda t: mp.exp(mp.log(1 + t)) - 1 - t, 50, mpf(10) ** -6) == 0
    assert is_short(mpmath.nan)


def test_the_distance_is_read_off_the_printed_law():
    """x_n = sqrt(2n) (1 + log(n)/(8n) + ...) at infinity: y = 1/x falls like (2n)^(-1/2)."""
    law = asy.Recursion(x + 1 / x, x).law(3)
    profile = PrintedProfile.of(law.expansion, law.observable, law.abel.multiplicity)
    assert (profile.order, profile.power, profile.q) == (Rational(1, 2), -1, 2)
    assert is_zero(profile.lead - 1 / sqrt(2))
    with pytest.raises(Contradiction):
        PrintedProfile.of(-law.expansion, law.observable, law.abel.multiplicity)


def test_the_printed_sum_in_numbers():
    """Powers of l, exponentials, a second base; against SymPy's own substitution."""
    n = Symbol("n", positive=True)
    laws = [
        asy.Recursion(sin(x), x).law(4),
        asy.Recursion(-x / 2 + x**2, x).law(4),
        asy.Recursion(x / 2 + x**2, x).linear_law(Rational(1, 3) + x, 1, 1),
    ]
    values = {Symbol("C", real=True): Rational(1, 3), Symbol("D", real=True): Integer(2)}
    for law in laws:
        with mp.workdps(30):
            total, unit = printed_at(law.expansion, 7, {str(s): number(v) for s, v in values.items()})
            truth = law.to_sympy().subs(values).subs(n, 7).evalf(30)
            assert abs(total - number(truth)) < mpf(10) ** -25
            assert unit > 0
