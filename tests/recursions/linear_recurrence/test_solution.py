"""Layered recursions: coefficients by hand, resonances, the homogeneous solution, conditions and refusals."""

import pytest
from mpmath import mp
from sympy import Rational, S, Symbol, atan, exp, expand, gamma, lambdify, log, pi, simplify, sin, sqrt, symbols

from asympt import InputError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.recursions.linear_recurrence import LAYER as l
from asympt.recursions.linear_recurrence import layered_solution

alpha, c, q, kappa = symbols("alpha c q kappa")


def test_free_parameters_by_hand():
    """T[l] = 1 + alpha - (alpha + c)/l + ..., T[1] = alpha/l - ...: a_l = q/(1+alpha) (l + (alpha+c)/alpha) + ..."""
    solution = layered_solution(1 - alpha / l + c / l**2, q, 2)
    assert simplify(solution.particular.coefficient(0) - q * (alpha + c) / (alpha * (alpha + 1))) == 0
    assert solution.h.prefactor() == l**-alpha
    # log prod (1 - alpha/k + c/k^2) = -alpha (log l + 1/(2l)) + (alpha^2/2 - c)/l + constant + ...
    assert expand(solution.h.relative.coefficient(1) - (alpha**2 - alpha - 2 * c) / 2) == 0


@pytest.mark.parametrize(("multiplier", "forcing", "text"), [
    (1, 1, "l + D"), (1 - 1 / l, 1, "l/2 + 1/2 + D/l"), (1 - alpha / l, 0, None), (2, 1, "-1 + 2^l*D"),
    (-1 + 1 / l, 1, "1/2 + 1/(4*l) + (-1)^l*D/l"), (0, 5, "5"), (l / (l - 1), 1 / (l - 1), "-1 + D*l"),
])  # fmt: skip
def test_finite_solutions_are_exact(multiplier, forcing, text):
    """Each is checked by substitution: e.g. (1 - 1/l)(l - 1 + 1)/2 + 1 = (l + 1)/2."""
    solution = layered_solution(multiplier, forcing, 3)
    assert solution.particular.remainder is None
    assert text is None or str(solution) == text
    particular = solution.particular.to_sympy()
    assert simplify(particular - multiplier * particular.subs(l, l - 1) - forcing) == 0


def test_square_root_multiplier_by_hand():
    """lambda = 1 - c/sqrt(l): T[l^s] = c l^(s-1/2) + s l^(s-1) + ...; log H = -2c sqrt(l) - c^2/2 log l + ..."""
    solution = layered_solution(1 - c / sqrt(l), q, 2)
    assert solution.particular.coefficient(Rational(-1, 2)) == q / c
    assert solution.particular.coefficient(0) == -q / (2 * c**2)
    assert simplify(solution.h.prefactor() / (exp(-2 * c * sqrt(l)) * l ** (-(c**2) / 2))) == 1


def test_constants_are_exact():
    solution = layered_solution(1 - pi / l + sqrt(2) / l**2, log(3), 2).particular
    assert simplify(solution.coefficient(0) - log(3) * (pi + sqrt(2)) / (pi * (1 + pi))) == 0
    algebraic = layered_solution(1 - sqrt(2) / l + sqrt(3) / l**2, 1, 2).particular
    assert simplify(algebraic.coefficient(0) - (sqrt(2) + sqrt(3)) / (sqrt(2) * (1 + sqrt(2)))) == 0


def test_resonance_by_hand():
    """alpha = 1, b = 1/l^2: T[log(l)/l] = 1/l^2 + ..., so a_l = log(l)/l + ... and not a multiple of 1/l."""
    solution = layered_solution(1 - 1 / l, 1 / l**2, 2)
    assert solution.particular.coefficient(1, 1) == 1
    assert solution.particular.coefficient(1) == 0  # the normalisation of D


def test_fractional_and_disguised_resonances():
    half = layered_solution(1 - 1 / (2 * l), l ** Rational(-3, 2), 1)
    assert half.particular.leading == (Monomial(Rational(1, 2), 1), 1)
    disguised = layered_solution(1 - (1 + sqrt(2)) * (sqrt(2) - 1) / l, 1 / l**2, 1)
    assert disguised.particular.leading == (Monomial(1, 1), 1)


def test_an_undecidable_zero_is_refused():
    """sqrt(3 + 2 sqrt(2)) - sqrt(2) = 1 is proved, and log(2 + sqrt(3)) + log(2 - sqrt(3)) = 0 is; Machin's formula
    pi = 16 atan(1/5) - 4 atan(1/239) is only seen in numbers."""
    one = sqrt(3 + 2 * sqrt(2)) - sqrt(2)
    assert layered_solution(1 - one / l, 1 / l**2, 1).particular.leading == (Monomial(1, 1), 1)
    x = Symbol("x")
    with pytest.raises(UnsupportedError, match="zero cannot be decided"):
        layered_solution(1 - x / l, (16 * atan(Rational(1, 5)) - 4 * atan(Rational(1, 239)) - pi) / l + x / l**2, 2)
    proved = layered_solution(1 - x / l, (log(2 + sqrt(3)) + log(2 - sqrt(3))) / l + pi * x / l**2, 1)
    assert simplify(proved.particular.terms[0][1] - pi * x / (x - 1)) == 0


def test_a_coefficient_that_is_zero_in_disguise_starts_nothing():
    zero = log(2 + sqrt(3)) + log(2 - sqrt(3))
    assert str(layered_solution(1 - zero / sqrt(l) - 2 / l, 1, 2)) == str(layered_solution(1 - 2 / l, 1, 2))


def test_conditions_are_what_was_divided_by():
    assert layered_solution(1 - alpha / l + c / l**2, q, 2).generic == (alpha + 1, alpha, alpha - 1)
    positive = Symbol("a", positive=True)
    assert layered_solution(1 - positive / l + c / l**2, q, 2).generic == (positive - 1,)


def test_text_and_latex():
    text = str(layered_solution(1 - alpha / l + c / l**2, q, 2))
    assert "D/l^alpha*(1 + " in text and text.endswith(", if alpha + 1 != 0 and alpha != 0 and alpha - 1 != 0")
    latex = layered_solution(1 - alpha / l + c / l**2, q, 2).latex()
    assert r"D l^{- \alpha}" in latex and r"\alpha \ne 0" in latex
    assert latex.count("{") == latex.count("}")


def test_no_homogeneous_solution():
    assert layered_solution(1 / l, 1, 2).h is None


def expansion(coefficients, remainder=None):
    return Expansion.build(Scale.at_infinity(l), coefficients, remainder)


def test_remainders_limit_the_terms():
    """b = q + O(1/l) leaves O(1) in a_l; lambda = 1 - alpha/l + O(1/l^2) times a_l ~ l leaves O(1) as well."""
    multiplier = expansion({(0, 0): 1, (1, 0): -alpha}, Formal(Monomial(2)))
    solution = layered_solution(multiplier, expansion({(0, 0): q}, Formal(Monomial(1))), 5)
    assert [m for m, _ in solution.particular.terms] == [Monomial(-1)]
    assert solution.particular.remainder == Formal(Monomial(0))
    assert str(solution.h.relative) == "1 + O(1/l)"


def test_a_remainder_at_the_resonance_gains_a_log():
    """lambda = 1: the sum of O(1/l) is O(log l)."""
    assert layered_solution(1, expansion({(0, 0): 1}, Formal(Monomial(1))), 3).particular.remainder == Formal(
        Monomial(0, 1)
    )


@pytest.mark.parametrize(("multiplier", "forcing", "error", "words"), [
    (1 - alpha * log(l) / l, 1, UnsupportedError, "starts with"),
    (log(l), 1, UnsupportedError, "starts with"), (1, gamma(l), UnsupportedError, "not a quotient of equally many"),
    (1 - 1 / (l * log(l)), 1, UnsupportedError, "not of the form"),
    (1 - l**alpha, 1, UnsupportedError, "not of the form"), (1, exp(l), UnsupportedError, "not of the form"),
    (1 - 1 / Symbol("l"), 1, InputError, "two different symbols are called l"),
    (1 - sqrt(-2) / l, 1, InputError, "real"), (float("nan"), 1, InputError, "finite"),
    ("1 - 1/k", 1, InputError, "'k' is unknown"),
    (expansion({(0, 0): 1}, Formal(Monomial(1))), 1, UnsupportedError, "smaller remainder"),
    (Expansion.variable(Scale.at_zero(Symbol("t"))), 1, InputError, "at infinity"),
])  # fmt: skip
def test_refusals_are_one_sentence(multiplier, forcing, error, words):
    with pytest.raises(error, match=words) as caught:
        layered_solution(multiplier, forcing)
    assert "\n" not in str(caught.value)


def test_floats_are_the_decimals_that_print_them():
    assert layered_solution(1 - 0.5 / l, 0.1, 1).particular.coefficient(-1) == Rational(1, 15)


@pytest.mark.parametrize(("multiplier", "forcing"), [
    (1, 1 / (l - 1)), (1 + 1 / (2 * l), log(l - 1)), (sqrt(l / (l + 1)), 1 / l),
    (1, gamma(l) / gamma(l + Rational(1, 2))), (1 - 1 / sqrt(l + 1), exp(-1 / l)), (2, sin(1 / l)),
    (l ** (1 / l**2), 0),
])  # fmt: skip
def test_coefficients_are_expanded_and_their_remainders_carried(multiplier, forcing):
    """P and H leave as much as they say they do; evaluate uses the formulas themselves."""
    solution = layered_solution(multiplier, forcing, terms=3)
    factor, source = (lambdify(l, part, "mpmath") for part in (S(multiplier), S(forcing)))
    with mp.workdps(40):
        for part, push in ((solution.particular, source), (solution.h.relative, lambda layer: 0)):
            if not part.terms or part.remainder is None:
                continue
            prefactor = S(1) if part is solution.particular else solution.h.prefactor()
            formula = lambdify(l, prefactor * part.to_sympy(), "mpmath")
            size = lambdify(l, prefactor * part.scale.to_sympy(part.remainder.monomial), "mpmath")
            depths = map(mp.mpf, (10**4, 10**8))
            left = [abs(formula(n) - factor(n) * formula(n - 1) - push(n)) / size(n) for n in depths]
            assert left[1] <= 2 * left[0] + 10**-12
        a = mp.mpf(1)
        for layer in range(11, 31):
            a = factor(mp.mpf(layer)) * a + source(mp.mpf(layer))
        assert abs(solution.evaluate(30, 10, 1, digits=20) / a - 1) < mp.mpf(10) ** -19
