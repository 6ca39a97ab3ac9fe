"""The Abel coordinate and the linear recursion along it: a hand ansatz, resonances, routes that can disagree."""

from dataclasses import replace

import mpmath
import pytest
from sympy import Rational, Symbol, simplify, sqrt, symbols

from asympt import FeedForward, Recursion, ScaledResNet
from asympt.errors import PrecisionError
from asympt.recursions.coordinates.abel import abel_and_linear
from asympt.recursions.coordinates.abel_numeric import Abel
from asympt.recursions.orbits import matching_layer


def test_first_coefficients_for_symbolic_slopes():
    # the two leading orders of P(G) - lambda P = b by hand: p_(-1) = alpha_(-1)/4, p_0 = -1/8 for all slopes
    right, left = symbols("a b", real=True)
    law = FeedForward("relu_like", right=right, left=left).ntk_law(terms=1)
    assert simplify(law.linear.particular.coefficient(-1) - law.abel[-1] / 4) == 0
    assert law.linear.particular.coefficient(0) == Rational(-1, 8)


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
    solution = ScaledResNet("relu", sigma_w=sqrt(2)).ntk_law(terms=1).coordinate.solution
    require_honest(lambda order: solution(order).particular, range(1, 7), 10)


# ---- the Abel coordinate in numbers: two routes that can disagree --------------------------------


@pytest.fixture
def no_memory():
    """Matching layers are forgotten before and after."""
    matching_layer.cache_clear()
    yield
    matching_layer.cache_clear()


@pytest.mark.parametrize("which", ["a coefficient", "the residue", "the leading coefficient"])
def test_a_wrong_series_makes_the_routes_disagree(monkeypatch, no_memory, which):
    # the same error in both series, so that only the matching layer can tell
    law = FeedForward("relu").correlation_law()
    slip = 1 + mpmath.mpf(10) ** -15

    honest = Abel.numeric

    def wrong(*arguments):
        numeric, m = honest(*arguments), 1
        if which == "the residue":
            return replace(numeric, residue=numeric.residue * slip)
        index = 0 if which == "the leading coefficient" else m + 1
        return replace(numeric, abel=(*numeric.abel[:index], numeric.abel[index] * slip, *numeric.abel[index + 1 :]))

    right = law.connection_constant(correlation="1/10", digits=20)
    matching_layer.cache_clear()
    monkeypatch.setattr(Abel, "numeric", wrong)
    with pytest.raises(PrecisionError, match="do not agree to 20 digits"):
        law._constants(law._start({"correlation": "1/10"}), 20, False)
    found = law.evaluated_constants(20, correlation="1/10")  # the theorem has its constant from balls alone
    assert found.trust == "library" and found.value[0] == right
