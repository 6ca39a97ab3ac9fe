"""The triangular systems with symbols for all coefficients, solved by the coefficients that the solvers find."""

import pytest
from sympy import Rational, Symbol, cos, exp, sin, sqrt

from asympt.expansions import Monomial
from asympt.recursions import Recursion
from asympt.recursions.steps import BETA, KoenigsSystem, alpha_symbol, growth_symbol

X = Symbol("x", real=True)
P, Q = (Symbol(name, positive=True) for name in "ab")
HALF = Rational(1, 2)
PARABOLIC = {
    "sine": (sin(X), {}),
    "logistic": (X * (1 - X), {}),
    "at infinity": (X + 1 / X, {}),
    "root": (X - X ** Rational(3, 2) / 2, {}),
    "root at infinity": (X + sqrt(X), {}),
    "below": (exp(X) - 1, {"side": "below", "fixed_point": 0}),
    "two over": (X - X**3 + X**4, {"fixed_point": 0}),
    "flip": (-sin(X), {}),
    "quadratic flip": (X**2 - Rational(3, 4), {"fixed_point": -HALF}),
    "family": (X - P * X**2 + Q * X**3, {"fixed_point": 0}),
}
HYPERBOLIC = {"cosine": cos(X), "half": sin(X) / 2, "family": P * X * (1 - X), "golden": 1 / (1 + X)}


def law_of(expression, **where):
    """A law of few terms."""
    return Recursion(expression, X, **{"fixed_point": 0} | where if expression.has(P) else where).law(3)


@pytest.mark.parametrize("name", PARABOLIC)
def test_the_coefficients_of_abels_function_solve_its_system(name):
    expression, where = PARABOLIC[name]
    law = law_of(expression, **where)
    steps = {step.form: step for step in law.steps}
    growth, known, system = steps["growth"]["growth"], law.abel, steps["abel"]["system"]
    m, g = system.multiplicity, system.stride
    values = {growth_symbol(k): growth.coefficients.get(Monomial(k), 0) for k in range(2 * m + 2 * g)}
    values |= {alpha_symbol(k): known[k] for k in range(-m, g + 1) if k} | {BETA: known.residue}
    assert all(row.expression.subs(values).simplify() == 0 for row in system.rows)
    assert system.residue is None or (system.residue.subs(values) - known.residue).simplify() == 0


@pytest.mark.parametrize("name", HYPERBOLIC)
def test_the_coefficients_of_koenigs_function_solve_its_system(name):
    law = law_of(HYPERBOLIC[name])
    ratio = law.dynamics.ratio(5)
    values = {Symbol("chi"): ratio[0], **{Symbol(f"g_{k}"): ratio[k - 1] for k in (2, 3, 4)}}
    values |= {Symbol(f"s_{k}"): law.koenigs[k] for k in (2, 3, 4)}
    for row in KoenigsSystem().rows:
        remaining = row.expression.subs(values)
        assert remaining.simplify() == 0 if remaining.free_symbols else abs(remaining.evalf(50)) < 1e-40
