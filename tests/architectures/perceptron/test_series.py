"""Log series along a flow against the toolkit's solvers without logs, and against the flow itself."""

from fractions import Fraction

import pytest
from mpmath import mp, mpf
from sympy import Rational

from asympt.architectures.perceptron.components import Flow, LogSeries, binomial_power, value_of
from asympt.recursions.coordinates.abel import AbelFunction
from asympt.recursions.coordinates.abel_linear import LinearSolution

SIZE = 12
GROWTH = [Fraction(0), Fraction(-1), Fraction(2), *[Fraction(0)] * (SIZE - 3)]  # u' = u - u^2 + 2 u^3


def rationals(series):
    return [Rational(c.numerator, c.denominator) for c in series]


def test_the_abel_function_is_the_solution_for_a_constant_forcing():
    one = [Fraction(1), *[Fraction(0)] * (SIZE - 1)]
    found = Flow(GROWTH, Fraction).solve(one, LogSeries.plain(one), Fraction(0))
    expected = AbelFunction.solve(rationals(GROWTH), root=1).expansion
    for monomial, coefficient in expected.terms:
        assert found.terms[int(monomial.order - found.start), monomial.logs] == coefficient


def test_a_resonance_is_that_of_the_linear_solver():
    slope = [Fraction(1), Fraction(-2), Fraction(6), *[Fraction(0)] * (SIZE - 3)]  # the derivative of the map
    forcing = [Fraction(1), Fraction(3), *[Fraction(0)] * (SIZE - 2)]
    found = Flow(GROWTH, Fraction).solve(slope, LogSeries.plain(forcing), Fraction(2))
    expected = LinearSolution.solve(rationals(GROWTH), rationals(slope), rationals(forcing), root=1).particular
    for monomial, coefficient in expected.terms:
        assert found.terms[int(monomial.order - found.start), monomial.logs] == coefficient


def test_a_forcing_with_logs_and_fractional_powers_in_numbers():
    """w(u') - lambda w = u^(1/3) log(u)^2 at u = 1e-4, to the order of the series."""
    with mp.workdps(60):
        number = lambda q: mpf(q.numerator) / q.denominator  # noqa: E731
        slope = [mpf(1), mpf(-1) / 3, *[mpf(0)] * (SIZE - 2)]
        flow = Flow([number(c) for c in GROWTH], number)
        forcing = LogSeries({(0, 2): mpf(1)}, Fraction(1, 3), SIZE)
        w, u = flow.solve(slope, forcing, Fraction(1, 3)), mpf(10) ** -4
        after = u - u**2 + 2 * u**3
        left = value_of(w, after) - (1 - u / 3) * value_of(w, u) - u ** (mpf(1) / 3) * mp.log(u) ** 2
        assert abs(left) < mpf(10) ** -36


def test_binomial_power():
    base = LogSeries({(0, 0): Fraction(1), (1, 1): Fraction(2)}, Fraction(0), 3)
    assert binomial_power(base, Fraction(1, 2), Fraction).terms == {(0, 0): 1, (1, 1): 1, (2, 2): -Fraction(1, 2)}


def test_starts_that_do_not_match():
    with pytest.raises(ValueError, match="whole number"):
        LogSeries.plain([Fraction(1)]) + LogSeries.plain([Fraction(1)], Fraction(1, 2))
