"""Inverting the Abel function: against mpmath's Lambert W, truncation, and the arithmetic of expansions."""

import mpmath
import pytest
from mpmath import mp
from sympy import Piecewise, Rational, Symbol, cos, expand, log, pi, sin, sqrt, symbols

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.expansion import expanded
from asympt.numbers import to_mpf
from asympt.recursions import AbelFunction, Recursion
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.coordinates.abel_inversion import CONNECTION as C
from asympt.recursions.coordinates.abel_inversion import FRUITLESS, depth_law, power_of

LAYER = Symbol("l", positive=True)
X = Symbol("x")
A, B = symbols("a b", positive=True)
Y = Symbol("Y", positive=True)


def lambert(residue) -> AbelFunction:
    """A = 1/t + residue * log t, whose inverse is t = -1/(residue W(-exp(-Y/residue)/residue))."""
    terms = {(-1, 0): 1, (0, 1): residue}
    return AbelFunction(Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(9))))


@pytest.mark.parametrize(("residue", "branch"), [(Rational(-1, 2), 0), (Rational(3, 2), -1)])
@pytest.mark.parametrize("power", [1, 2])
def test_against_the_lambert_function(residue, branch, power, rescaled):
    # 1/t + r log t = Y: with u = 1/(r t), u - log u = Y/r + log r for r > 0, so -u = W_branch(-exp(-Y/r)/r)
    law = depth_law(lambert(residue), LAYER, 7, power_of(power))
    constant, r = mpmath.mpf(2) / 3, to_mpf(residue)

    def truth(depth: int):
        exact = (-1 / (r * mp.lambertw(-mp.exp(-(depth + constant) / r) / r, branch).real)) ** power
        assert abs(exact ** (mpmath.mpf(-1) / power) + r * mp.log(exact) / power - depth - constant) < 1e-50
        return exact

    assert all(0.01 < abs(figure) < 20 for figure in rescaled(law, truth, (40, 160, 640), {C: constant}, 50))


def test_more_terms_than_the_abel_function_supports_are_refused():
    short = AbelFunction(lambert(1).expansion.up_to(Monomial(2)))
    with pytest.raises(UnsupportedError, match="30 terms need more of the Abel function than its 2 orders"):
        depth_law(short, LAYER, 30, power_of(1))


def slow_uniformiser(abel: AbelFunction, depth: Symbol, order: int) -> Expansion:
    """t_l by reverting A as an expansion and putting Y = l + C."""
    reverted = abel.expansion.up_to(Monomial(order)).revert(Scale.at_infinity(Y))
    return reverted.compose(Expansion.variable(Scale.at_infinity(depth)) + C)


def slow_law(abel: AbelFunction, depth: Symbol, terms: int, observe) -> Expansion:
    """Order by order, until there is one term more than requested."""
    for order in range(1, int(abel.expansion.remainder.monomial.order) + 1):
        law = observe(slow_uniformiser(abel, depth, order), order)
        if len(law.terms) > terms or order == abel.multiplicity * (terms + FRUITLESS):
            return law.truncate(terms)
    raise AssertionError("too few orders")


MAPS = {
    "sine": sin(X),
    "logistic": X - X**2,
    "half powers": X - X ** Rational(3, 2) / 2,
    "m = 2, not odd": X - 2 * X**3 + X**4,
    "no logarithms": X / (1 + X),
    "parameters": X - A * X**2 + B * X**3,
    "parameters, m = 2": X - A * X**3 + B * X**4,
    "pi": X - pi * X**2 + X**3,
    "algebraic": X - sqrt(2) * X**2 + X**3,
    "opaque": X - sin(1) * X**2 + cos(1) * X**3,
}


@pytest.mark.parametrize("name", MAPS)
def test_the_law_is_that_of_the_arithmetic_of_expansions(name):
    law = Recursion(MAPS[name], X).law(terms=6)
    depth = law.expansion.scale.depth
    assert law.expansion == law.renamed(slow_law(law.abel, depth, 6, power_of(law.dynamics.root)))


@pytest.mark.parametrize(
    "constant",
    [
        A * (1 + B), (A + B) ** 2, (A + B) * (A - B), sqrt(2) * (1 + sqrt(2)), log(A * B) + A, (1 + log(A)) * log(A),
        A / (1 + B), (A + B) / (1 + B), 1 / ((1 + A) * (1 + B)), 1 / (1 + B) ** 2, sqrt(A + B) * (1 + A), 2 * (A + 1),
        sin(A * (1 + B)), log(A * (1 + B)), 1 / (2 * (A + 1)), A / (B * (1 + A)), 1 / (1 + 1 / (1 + A)),
        A * (B + sin(1)),
        Piecewise((A, B > 1), (B, True)) * (1 + A), C / A - (C + 1) / B, 0 * A, A,
    ],
)  # fmt: skip
def test_multiplied_out_as_by_sympy(constant):
    assert expanded(constant) == expand(constant, log=False)
