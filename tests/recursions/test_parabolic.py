"""The Abel function: printed series, the ReLU family, and A(G(t)) - A(t) - 1 in numbers at the predicted order."""

import time
from itertools import pairwise

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol, factorial, pi, simplify, sqrt, symbols, sympify

from asympt import FeedForward
from asympt.errors import UnsupportedError
from asympt.recursions import AbelFunction
from asympt.recursions.coordinates.abel import multiplicity, rescale

# t' = t (1 + e): e by hand from the textbook series, and the map itself for mpmath
SINE = [0, 0, Rational(-1, 6), 0, Rational(1, 120), 0, Rational(-1, 5040), 0, Rational(1, 362880)]
MAPS = {
    "logistic, m = 1": ([0, -1, *[0] * 13], lambda t: t * (1 - t)),
    "sine, m = 2": (
        [*SINE, 0, -Rational(1, factorial(11)), 0, Rational(1, factorial(13)), 0, -Rational(1, factorial(15))],
        mp.sin,
    ),
    "cubic, m = 2": ([0, 0, -2, 1, *[0] * 11], lambda t: t - 2 * t**3 + t**4),
    "quartic, m = 3": ([0, 0, 0, -1, Rational(1, 2), *[0] * 12], lambda t: t - t**4 + t**5 / 2),
    "moebius, m = 1": ([Rational((-1) ** k) if k else 0 for k in range(15)], lambda t: t / (1 + t)),
}


def number(expression) -> mpmath.mpf:
    return mpmath.mpf(expression.evalf(90)._mpf_) if expression else mpmath.mpf(0)


def evaluated(expansion, t):
    """The terms of an expansion in t, one by one, with SymPy's numbers."""
    logarithm = mp.log(t)
    return sum((number(c) * t ** int(m.order) * logarithm**m.logs for m, c in expansion.terms), mpmath.mpf(0))


def test_logistic_series_as_printed():
    # from a calculation independent of this code: 1/x + log x + x/2 + x^2/3 + 13 x^3/36 + 113 x^4/240 + ...
    abel = AbelFunction.solve(MAPS["logistic, m = 1"][0], root=1)
    assert [abel[k] for k in (-1, 1, 2, 3, 4)] == [
        1,
        Rational(1, 2),
        Rational(1, 3),
        Rational(13, 36),
        Rational(113, 240),
    ]
    assert abel.residue == 1 and abel.multiplicity == 1 and abel[0] == 0


def test_sine_series_as_printed():
    # from a calculation independent of this code: 3/x^2 + (6/5) log x + 79 x^2/1050 + 29 x^4/2625 + ...
    abel = AbelFunction.solve(MAPS["sine, m = 2"][0], root=1)
    assert [abel[k] for k in (-2, -1, 1, 2, 3, 4)] == [3, 0, 0, Rational(79, 1050), 0, Rational(29, 2625)]
    assert abel.residue == Rational(6, 5) and abel.multiplicity == 2


def test_a_moebius_map_has_a_finite_abel_function():
    # t/(1+t) is exactly 1/t -> 1/t + 1
    abel = AbelFunction.solve(MAPS["moebius, m = 1"][0], root=1)
    assert str(abel.expansion).startswith("1/t + O(")


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("cut", [2, 4, 6])
def test_the_residual_falls_at_the_predicted_order(name, cut, order_of):
    growth, step = MAPS[name]
    full = AbelFunction.solve(growth, root=1).expansion
    kept = full.truncate(cut)
    if name.startswith("moebius"):
        assert kept.coefficients == {kept.leading[0]: 1}  # 1/t is the whole Abel function: nothing is left over
        return
    # the first term left out, alpha_k t^k, leaves alpha_k k e_m t^(k+m)
    m = multiplicity(growth)
    expected = kept.remainder.monomial.order + m
    with mp.workdps(80):
        points = [mpmath.mpf(1) / 2**k for k in range(12, 17)]
        slope = order_of(lambda t: evaluated(kept, step(t)) - evaluated(kept, t) - 1, points)
    assert abs(slope - expected) < 0.01


def without_log(expansion):
    return type(expansion)(expansion.scale, tuple(t for t in expansion.terms if not t[0].logs), expansion.remainder)


@pytest.mark.parametrize("name", [name for name in MAPS if not name.startswith("moebius")])
def test_a_wrong_coefficient_or_a_missing_log_is_seen(name, order_of):
    growth, step = MAPS[name]
    full = AbelFunction.solve(growth, root=1).expansion
    m = multiplicity(growth)
    for wrong in (full + full.truncate(1).without_remainder() * Rational(1, 100), without_log(full)):
        with mp.workdps(80):
            points = [mpmath.mpf(1) / 2**k for k in range(12, 15)]
            slope = order_of(lambda t, w=wrong: evaluated(w, step(t)) - evaluated(w, t) - 1, points)
        assert abs(slope) < m + 0.1


@pytest.mark.parametrize("name", MAPS)
def test_fewer_coefficients_are_the_first_of_more(name):
    growth = MAPS[name][0]
    m = multiplicity(growth)
    longest = AbelFunction.solve(growth, root=1).expansion
    for size in range(2 * m + 2, len(growth)):
        shorter = AbelFunction.solve(growth[:size], root=1).expansion
        assert shorter == longest.up_to(shorter.remainder.monomial)


A, B = symbols("a b")


@pytest.mark.parametrize("growth", [[0, -A, B, *[0] * 7], [0, 0, -A, B, A * B, *[0] * 8], [0, 0, -A, 0, B, *[0] * 8]])
def test_parameters_in_the_leading_coefficient(growth):
    values = {A: Rational(2, 3), B: Rational(-3, 7)}
    numbers = [sympify(c).subs(values) for c in growth]
    assert AbelFunction.solve(growth, root=1).subs(values) == AbelFunction.solve(numbers, root=1)


def test_pi_in_the_leading_coefficient():
    # x -> x - pi x^2 is y -> y - y^2 for y = pi x: alpha_k gains pi^k
    plain = AbelFunction.solve([0, -1, *[0] * 8], root=1)
    scaled = AbelFunction.solve([0, -pi, *[0] * 8], root=1)
    assert [scaled[k] for k in range(-1, 6)] == [plain[k] * pi**k for k in range(-1, 6)]
    assert scaled.residue == plain.residue


@pytest.mark.parametrize("name", ["sine, m = 2", "cubic, m = 2", "moebius, m = 1"])
def test_thirty_orders_over_numbers_and_parameters_are_quick(name):
    started = time.process_time()
    growth = MAPS[name][0]
    AbelFunction.solve([*growth, *[0] * (31 - len(growth))], root=1)
    AbelFunction.solve([0, -A, B, *[0] * 12], root=1)
    assert time.process_time() - started < 5  # a tenth of a second on an idle machine


def test_relu_numbers():
    # from a calculation independent of this code: m = 1, alpha_(-1) = 3 pi/sqrt(2), rho = 3/2
    abel = FeedForward("relu").correlation_law(terms=1).abel
    assert abel.multiplicity == 1
    assert simplify(abel[-1] - 3 * pi / sqrt(2)) == 0
    assert abel.residue == Rational(3, 2)


def test_symbolic_slopes_have_residue_three_halves():
    right, left = Symbol("a", real=True), Symbol("b", real=True)
    abel = FeedForward("relu_like", right=right, left=left).correlation_law(terms=1).abel
    assert abel.residue == Rational(3, 2)
    # alpha_(-1) = 3/(sqrt(2) rho), rho = (a - b)^2/(pi (a^2 + b^2))
    assert simplify(abel[-1] - 3 * pi * (right**2 + left**2) / (sqrt(2) * (right - left) ** 2)) == 0


RELU_LIKE = [(1, 0), (1, "1/10"), (1, -1), (2, "-3/7"), (1, "9/10"), (0, 3), ("-1/2", 5)]


def plain_step(rho):
    """t -> t' from f = cos theta + rho (sin theta - theta cos theta), written out; needs spare digits near t = 0."""

    def step(t):
        theta = 2 * mp.asin(t / mp.sqrt(2))
        return mp.sqrt(t**2 - rho * (mp.sin(theta) - theta * mp.cos(theta)))

    return step


@pytest.mark.parametrize(("right", "left"), RELU_LIKE)
@pytest.mark.parametrize("cut", [3, 6])
def test_the_relu_residual_falls_at_the_predicted_order(right, left, cut, order_of):
    abel = FeedForward("relu_like", right=right, left=left).correlation_law(terms=1).abel
    assert abel.residue == Rational(3, 2)
    a, b = Rational(right), Rational(left)
    kept = abel.expansion.truncate(cut)
    with mp.workdps(100):
        step = plain_step(number((a - b) ** 2 / (pi * (a**2 + b**2))))
        points = [mpmath.mpf(1) / 2**k for k in range(14, 18)]
        slope = order_of(lambda t: evaluated(kept, step(t)) - evaluated(kept, t) - 1, points)
    assert abs(slope - (kept.remainder.monomial.order + 1)) < 0.01


def test_the_orbit_of_relu_is_a_straight_line_in_the_abel_coordinate():
    # A(t_l) - l settles: its change between layers l and 2l falls like t^17, the order of the expansion plus one
    abel = FeedForward("relu").correlation_law(terms=1).abel.expansion
    with mp.workdps(60):
        t, found = mp.sqrt(mpmath.mpf(9) / 10), []
        step = plain_step(1 / mp.pi)
        for layer in range(1, 801):
            if layer in (100, 200, 400, 800):
                found.append(evaluated(abel, t) - layer)
            t = step(t)
        changes = [abs(two - one) for one, two in pairwise(found)]
    assert changes[0] < mpmath.mpf(10) ** -19
    assert all(later < earlier / 2**14 for earlier, later in pairwise(changes))


def test_rescaling_is_substitution_up_to_a_constant():
    abel = AbelFunction.solve(MAPS["quartic, m = 3"][0], root=1)
    scaled = abel.rescale(Rational(3, 2))
    with mp.workdps(40):
        for tau in (mpmath.mpf(1) / 7, mpmath.mpf(1) / 50):
            shift = number(abel.residue) * mp.log(mpmath.mpf(3) / 2)
            error = evaluated(scaled.expansion, tau * 3 / 2) - evaluated(abel.expansion, tau) - shift
            assert abs(error) < mpmath.mpf(10) ** -36
    assert rescale(scaled.expansion, Rational(2, 3)) == abel.expansion


def test_the_identity_has_no_abel_function():
    with pytest.raises(UnsupportedError, match="the map is the identity to every order examined"):
        AbelFunction.solve([0, 0, 0, 0], root=1)
