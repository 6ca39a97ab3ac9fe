"""The laws of driven recursions: exact solutions, published coefficients, residuals at depth, and refusals."""


import pytest
from sympy import Integer, Rational, Symbol, acos, cos, exp, log, pi, series, sin, sqrt, symbols

from asympt.errors import AsymptError, InputError, UnsupportedError
from asympt.expansions import Monomial
from asympt.recursions.coordinates.abel_inversion import C
from asympt.recursions.coordinates.flow_time.step_sizes import Steps
from asympt.recursions.non_autonomous import DrivenRecursion

X, LAYER, ALPHA = symbols("x l alpha", positive=True)
HALF = Rational(1, 2)
THETA = acos(1 - X)
RELU = (sin(THETA) - THETA * cos(THETA)) / pi  # gamma - (1 - f(1 - gamma)) of the ReLU correlation map


def test_the_square_is_a_geometric_series():
    # T = 1/x, so x = 1/(alpha log l + C) up to powers of 1/l
    law = DrivenRecursion(X**2, X, ALPHA / (LAYER + ALPHA), LAYER).law(terms=6)
    assert [c for _, c in law.expansion.terms] == [(-C) ** k / ALPHA ** (k + 1) for k in range(6)]
    assert law.kind == "driven" and law.limit == 0 and law.rate == 1 / log(LAYER)
    assert law.depth_variable == LAYER and law.parameters == {ALPHA}


def test_the_squared_sine_is_an_arc_cotangent():
    # T = cot x exactly, so x = acot(Y) = atan(1/Y), Y = log l + C; Taylor's series of atan is the independent side
    z = Symbol("z", positive=True)
    w = z / (1 + C * z)
    known = series(w - w**3 / 3 + w**5 / 5, z, 0, 7)
    law = DrivenRecursion(sin(X) ** 2, X, 1 / LAYER, LAYER).law(terms=6)
    for k in range(1, 7):
        assert (law.expansion.coefficient(k) - known.coeff(z, k)).expand() == 0


def test_the_scaled_relu_network():
    # Hayou, Doucet and Rousseau, Appendix Lemma 8: 1 - c^l = kappa/log(l)^2 + ..., kappa = 18 pi^2/sigma_w^4, and
    # delta_l = alpha/(l + alpha), alpha = sigma_w^2/2
    law = DrivenRecursion(RELU, X, ALPHA / (LAYER + ALPHA), LAYER, first=1).law(terms=2)
    assert law.expansion.coefficient(2) == Rational(9, 2) * pi**2 / ALPHA**2
    assert law.expansion.remainder.monomial == Monomial(4)


def test_a_logarithm_in_the_flow_time_gives_log_log():
    # T = 1/x + log x - ..., so 1/x = log l + C + log log l + ...
    law = DrivenRecursion(X**2 + X**3, X, 1 / LAYER, LAYER).law(terms=3)
    assert law.expansion.coefficient(2, 1) == -1 and law.expansion.coefficient(2) == -C
    assert str(law) == "1/log(l) - log(log(l))/log(l)^2 - C/log(l)^2 + O(log(log(l))^2/log(l)^3)"


def test_a_linear_drift_is_a_quotient_of_gammas():
    # x_l = x_0 Gamma(l + 1/2)/(Gamma(1/2) Gamma(l + 1)); DLMF 5.11.13: l^(-1/2) (1 - 1/(8l) + 1/(128 l^2) + ...)
    law = DrivenRecursion(X, X, 1 / (2 * LAYER), LAYER).law(terms=4)
    assert [c * exp(C) for _, c in law.expansion.terms] == [1, -Rational(1, 8), Rational(1, 128), Rational(5, 1024)]
    assert law.rate == 1 / sqrt(LAYER)


def test_the_shift_enters_where_the_law_is_in_powers_of_the_depth():
    # delta = (1/2)/(l + 3/2): Gamma(l + 2)/Gamma(l + 5/2) = l^(-1/2) (1 - 13/(8 l) + ...), by the ratio's formula
    # z^(a-b) (1 + (a-b)(a+b-1)/(2z)) with a = 2, b = 5/2
    law = DrivenRecursion(X, X, 1 / (2 * LAYER + 3), LAYER).law(terms=1)
    more = DrivenRecursion(X, X, 1 / (2 * LAYER + 3), LAYER).law(terms=2)
    a, b = Integer(2), Rational(5, 2)
    assert (more.expansion.coefficient(Rational(3, 2)) * exp(C)).simplify() == (a - b) * (a + b - 1) / 2
    assert law.expansion == more.expansion.truncate(1)


@pytest.mark.parametrize("h, step", [
    (RELU, 1 / (LAYER + 1)), (X**2 + X**3, LAYER**-HALF), (sin(X), 1 / (3 * LAYER + 1)), (X**3, (LAYER + 2) ** -HALF),
])  # fmt: skip
def test_fewer_terms_are_the_same_terms(h, step):
    recursion = DrivenRecursion(h, X, step, LAYER)
    assert recursion.law(terms=5).expansion.truncate(3) == recursion.law(terms=3).expansion


def test_symbols_in_h_and_in_the_step():
    b = Symbol("b", positive=True)
    law = DrivenRecursion(b * X**2, X, ALPHA / sqrt(LAYER), LAYER).law(terms=2)
    assert law.expansion.leading[1] == 1 / (2 * ALPHA * b) and law.parameters == {ALPHA, b}
    with pytest.raises(UnsupportedError, match="alpha, b"):
        law.evaluate(depth=10, start=1)


@pytest.mark.parametrize("step, expected", [
    (ALPHA / (LAYER + ALPHA), (ALPHA, 1, ALPHA)),
    (ALPHA / (2 * LAYER) / (1 + ALPHA / (2 * LAYER)), (ALPHA / 2, 1, ALPHA / 2)),
    (3 / (2 * LAYER), (Rational(3, 2), 1, 0)), (2 * LAYER ** -Rational(2, 3), (2, Rational(2, 3), 0)),
    (sqrt(2 / LAYER), (sqrt(2), HALF, 0)), (3 / sqrt(4 * LAYER - 2), (Rational(3, 2), HALF, -HALF)),
])  # fmt: skip
def test_step_sizes_are_read(step, expected):
    steps = Steps.read(step, LAYER)
    assert (steps.weight, steps.exponent, steps.shift) == expected


REFUSALS = [
    (X**2, LAYER**-2, UnsupportedError, "finite sum"),
    (X**2, Integer(1), UnsupportedError, "use Recursion"),
    (X**2, sqrt(LAYER), UnsupportedError, "does not tend to 0"),
    (X**2, 1 / (LAYER * log(LAYER)), UnsupportedError, "as it has to be"),
    (X**2, -1 / LAYER, InputError, "not known to be positive"),
    (X**2, Symbol("a") / LAYER, InputError, "declared positive"),
    (X**2, LAYER**-ALPHA, UnsupportedError, "give a fraction"),
    (X**2, 1 / (LAYER - 1), InputError, "not positive at layer 1"),
    (X**2, 1 / (LAYER + X), InputError, "function of x alone"),
    (Integer(3), 1 / LAYER, InputError, "function of x alone"),
    (-(X**2), 1 / LAYER, InputError, "x would grow"),
    (Symbol("b") * X**2, 1 / LAYER, InputError, "declare its symbols positive"),
    (sqrt(X), 1 / LAYER, UnsupportedError, "finitely many layers"),
    (exp(-1 / X), 1 / LAYER, UnsupportedError, "no power series"),
    (X, 1 / sqrt(LAYER), UnsupportedError, "faster than every power"),
    (X, ALPHA / LAYER, UnsupportedError, "only when this power is a fraction"),
    (X, sqrt(2) / LAYER, UnsupportedError, "only when this power is a fraction"),
]


@pytest.mark.parametrize("h, step, kind, words", REFUSALS)
def test_refusals(h, step, kind, words):
    with pytest.raises(kind, match=words) as caught:
        DrivenRecursion(h, X, step, LAYER).law()
    assert isinstance(caught.value, AsymptError) and "\n" not in str(caught.value)


def test_the_layer_of_the_start_is_a_whole_number():
    with pytest.raises(InputError, match="first = -1"):
        DrivenRecursion(X**2, X, 1 / LAYER, LAYER, first=-1)
