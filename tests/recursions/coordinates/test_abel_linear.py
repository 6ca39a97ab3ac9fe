"""The linear recursion along the flow: a hand ansatz in SymPy, substitution in mpmath, and the resonance."""

from fractions import Fraction
from functools import lru_cache

import pytest
from mpmath import mp
from sympy import Integer, Rational, Symbol, asin, log, pi, series, simplify, solve, sqrt, symbols, sympify

from asympt import FeedForward, Recursion
from asympt.architectures.scaled.flow import ntk_solution as scaled_solution
from asympt.expansions.series import power, product
from asympt.recursions import LinearSolution
from asympt.recursions.coordinates.abel import solve_abel
from asympt.recursions.coordinates.abel_linear import abel_and_linear, homogeneous_series, solve_linear

T = Symbol("t", positive=True)
RHO = Symbol("rho", positive=True)
RELU_LIKE = [(1, 0), (1, "1/10"), (1, -1), (2, "-3/7"), ("1/2", "9/10")]


def asymmetry(right, left):
    a, b = Rational(right), Rational(left)
    return (a - b) ** 2 / (pi * (a**2 + b**2))


@lru_cache(maxsize=1)
def ansatz() -> dict:
    """p_(-1), ..., p_2 and the coefficient s of t^3 log t for a general rho, by undetermined coefficients.

    Map and slope come from arccos(1 - t^2) = 2 asin(t/sqrt 2) by SymPy's own series.
    """
    theta = series(2 * asin(T / sqrt(2)), T, 0, 9).removeO()
    slope = 1 - RHO * theta
    image = 1 - 2 * (T * slope).expand().integrate((T, 0, T))  # f = 1 - int_0^t f' 2s ds
    growing = series(sqrt(((1 - image) / T**2).expand()), T, 0, 6).removeO()  # t'/t
    unknowns = symbols("p_m1 p_0 p_1 p_2")
    resonant = Symbol("s")
    total = -image
    for k, p in zip(range(-1, 3), unknowns, strict=True):
        total += p * T**k * (series(growing**k, T, 0, 6).removeO() - slope)
    # t^3 log t -> t'^3 (log t + log(t'/t)): the log t part cancels at this order, t^3 log(t'/t) stays
    total += resonant * T**3 * series(growing**3 * log(growing), T, 0, 3).removeO()
    equations = [total.expand().coeff(T, k) for k in range(5)]
    return solve(equations, [*unknowns, resonant], dict=True)[0] | {"unknowns": (*unknowns, resonant)}


@pytest.mark.parametrize(("right", "left"), RELU_LIKE)
def test_the_solution_agrees_with_the_direct_ansatz(right, left):
    by_hand = ansatz()
    solution = FeedForward("relu_like", right=right, left=left).ntk_law(terms=1).linear.particular
    values = [by_hand[name].subs(RHO, asymmetry(right, left)) for name in by_hand["unknowns"]]
    for monomial, value in zip([(-1, 0), (0, 0), (1, 0), (2, 0), (3, 1)], values, strict=True):
        assert simplify(solution.coefficient(*monomial) - value) == 0
    assert solution.coefficient(3) == 0  # the normalisation of D


def test_first_coefficients_for_symbolic_slopes():
    # the two leading orders of P(G) - lambda P = b by hand: p_(-1) = alpha_(-1)/4, p_0 = -1/8 for all slopes
    right, left = symbols("a b", real=True)
    law = FeedForward("relu_like", right=right, left=left).ntk_law(terms=1)
    assert simplify(law.linear.particular.coefficient(-1) - law.abel[-1] / 4) == 0
    assert law.linear.particular.coefficient(0) == Rational(-1, 8)


def test_the_tiny_case_of_the_module():
    # t' = t - t^2, lambda = 1 - 2t, b = 1: checked by hand, a_l = l/3 + ...; H = 1/A' = -t^2 + t^3 - ...
    solution = LinearSolution.solve([0, -1, *[0] * 8], [1, -2, *[0] * 8], [1, *[0] * 9], root=1)
    assert [solution.particular.coefficient(k) for k in (-1, 0, 1)] == [
        Rational(1, 3),
        Rational(-1, 6),
        Rational(-1, 3),
    ]
    assert [solution.homogeneous.coefficient(k) for k in (2, 3)] == [-1, -1]


EVEN_GROWTH = [Fraction(c) for c in (0, 0, -1, 0, Fraction(1, 3), 0, 2, 0, 0, 0, 1, 0, 0)]


def derivative_of(growth, root):
    """lambda = dx'/dx for x = t^root, t' = t(1+e): (1+e)^(root-1) (1 + e + t e')."""
    factor = [Fraction(1), *growth[1:]]
    slope = [(k + 1) * c for k, c in enumerate(factor)]
    return product(power(factor, root - 1, len(factor)), slope, len(factor))


def test_an_odd_forcing_of_an_even_flow():
    growth, slope = EVEN_GROWTH, derivative_of(EVEN_GROWTH, 1)
    forcing = [Fraction(c) for c in (0, 1, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0)]
    m, last = 2, len(growth) - 5
    homogeneous = homogeneous_series(*solve_abel(growth, m, last), m, 1, last)
    solution, resonance = solve_linear(growth, slope, forcing, homogeneous, m, last)
    assert solution[-1] == Fraction(1, 4)  # b_1 = 1 over -e_2 - lambda_2 = 1 + 3
    assert resonance


def test_parameters_in_the_leading_coefficient():
    a, b = symbols("a b")
    growth = [0, -a, b, *[0] * 6]
    series = (growth, [1, -2 * a, 3 * b, *[0] * 6], [1, a - b, 1, *[0] * 6])
    values = {a: Rational(2, 3), b: Rational(5, 7)}
    numbers = ([sympify(c).subs(values) for c in s] for s in series)
    assert LinearSolution.solve(*series, root=1).subs(values) == LinearSolution.solve(*numbers, root=1)


def flow(rho):
    """t -> (t', f'(c), f(c)) from the closed form in the angle; needs spare digits near t = 0."""

    def step(t):
        theta = 2 * mp.asin(t / mp.sqrt(2))
        image = mp.cos(theta) + rho * (mp.sin(theta) - theta * mp.cos(theta))
        return mp.sqrt(1 - image), 1 - rho * theta, image

    return step


X = Symbol("x", positive=True)
ROOT, CUBE = sqrt(X), X ** Rational(1, 3)
RESONANT = {  # m, the step, lambda and b; P meets its resonance at t^h, h = 2, 3 or 4
    "x - x^2": (1, X - X**2, 1 - 3 * X, X + X**3),
    "nothing but the resonance": (1, X - X**2, 1 - 4 * X, X**5),
    "powers p^(k/2)": (1, X / (1 + ROOT), 1 - ROOT, X),
    "powers p^(k/2), a larger h": (1, X / (1 + ROOT), 1 - 3 * ROOT / 2, X * ROOT),
    "powers p^(k/3)": (1, X - X * CUBE, 1 - CUBE, CUBE**2),
    "m = 2": (2, X - X**3 + X**4, 1 - 4 * X**2, X**5),
}


def particular_of(name):
    """The smallest size, and P from so many coefficients."""
    m, step, multiplier, forcing = RESONANT[name]
    dynamics = Recursion(step, X).linear_law(multiplier, forcing, 0, terms=1).dynamics
    return 3 * m + 1, lambda size: abel_and_linear(dynamics, size)[1].particular


def require_honest(solution, sizes, longest):
    """Cut before, at and behind the power of the resonance: no log hides behind a remainder without one."""
    long = solution(longest)
    assert any(monomial.logs for monomial, _ in long.terms), "the recursion was to meet its resonance"
    for size in sizes:
        short = solution(size)
        rest = short.remainder.monomial
        assert {m: c for m, c in long.terms if m > rest} == dict(short.terms), f"{short} and not {long}"


@pytest.mark.parametrize("name", RESONANT)
def test_a_short_particular_solution_is_the_long_one_up_to_the_remainder_it_states(name):
    smallest, solution = particular_of(name)
    require_honest(solution, range(smallest, smallest + 6), smallest + 9)


def test_the_same_of_a_scaled_network():
    require_honest(lambda order: scaled_solution(Integer(1), order).particular, range(1, 7), 10)
