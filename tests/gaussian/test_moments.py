"""Gaussian moments: against quadratures apart from this code, closed forms of the literature, and themselves."""


import mpmath
import numpy as np
import pytest
from mpmath import mp
from sympy import (
    Abs,
    Integer,
    Max,
    Piecewise,
    Rational,
    Symbol,
    asin,
    cos,
    erf,
    erfc,
    exp,
    log,
    pi,
    simplify,
    sin,
    sqrt,
    tanh,
)

from asympt.errors import InputError, PrecisionError
from asympt.gaussian import moments
from asympt.gaussian.closed.moments import exact_moment, exact_square_moment
from asympt.gaussian.moments import jet, moment, square_moment, square_moments
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.numbers import to_mpf
from tests.gaussian.activations_by_hand import EXPRESSIONS, X, activation

Q = Symbol("q", positive=True)
EVERY = sorted(EXPRESSIONS)
HAVE_FORMULAS = sorted(set(EVERY) - {"tanh", "sigmoid", "softplus", "silu", "mish", "arctan", "softsign", "two_jumps"})


def of(expression) -> PiecewiseSmooth:
    return PiecewiseSmooth.of(expression, X)


@pytest.mark.parametrize("name, n, q, key", [
    ("tanh", 0, 1, "tanh_square"), ("tanh", 2, 1, "tanh_second"), ("mish", 2, 1, "mish_second"),
    ("softsign", 2, 1, "softsign_second"), ("elu", 0, Rational(1, 2), "elu_square_half"),
])  # fmt: skip
def test_many_digits(known, agrees, name, n, q, key):
    assert agrees(square_moment(activation(name), n, q, 42), known(f"ladder.{key}"), 39)


def test_the_powers_of_a_normal():
    for k in range(6):  # E[Z^2k] = (2k - 1)!!
        value = moment(of(X ** (2 * k)), Rational(1, 3), 40)
        with mp.workdps(50):
            assert abs(value - mp.fac2(2 * k - 1) / mpmath.mpf(3) ** k) < 1e-39 * value
    assert moment(of(X**5 - X), Rational(1, 3), 30) == 0


def test_what_nearly_cancels_keeps_its_digits(agrees):
    with mp.workdps(40):
        assert agrees(moment(of(tanh(X) + Rational(1, 10**20)), 1, 30), mpmath.mpf(10) ** -20, 30)


@pytest.mark.parametrize("expression, q, words", [
    (exp(X**2), Rational(1, 2), "diverges"), (exp(exp(X)), Integer(1), "diverges"), (log(X), Integer(1), "not real"),
])  # fmt: skip
def test_means_that_do_not_exist(expression, q, words):
    with pytest.raises(InputError, match=words):
        moment(of(expression), q, 20)


def test_growth_is_judged_with_the_variance(agrees):
    # E[exp(2 x^2)] = (1 - 4q)^(-1/2)
    assert agrees(square_moment(of(exp(X**2)), 0, Rational(6, 25), 30), mpmath.mpf(5), 30)
    with pytest.raises(InputError, match="diverges"):
        square_moment(of(exp(X**2)), 0, Rational(1, 4), 30)


def test_a_variance_must_be_a_positive_number():
    with pytest.raises(InputError, match="not positive"):
        square_moment(activation("tanh"), 0, 0, 20)
    with pytest.raises(InputError, match="not a number"):
        square_moment(activation("tanh"), 0, Q, 20)


def test_what_oscillates_without_end_is_refused():
    with pytest.raises(PrecisionError, match="certified"):
        moment(of(sin(exp(3 * X))), Integer(4), 30)


@pytest.mark.parametrize("variance", [400, 10**4, 10**5])
def test_waves_that_coarse_grids_take_for_others(variance, agrees):
    """E sin(sqrt(q) Z)^2 = (1 - exp(-2q))/2, and two waves of the grid's own length agree on anything."""
    assert agrees(square_moment(activation("sin"), 0, variance, 20), mpmath.mpf(1) / 2, 20)


def test_a_removable_singularity(agrees):
    with mp.workdps(40):  # E[sin(Z)/Z] = int_0^1 exp(-s^2/2) ds = sqrt(pi/2) erf(1/sqrt 2)
        assert agrees(moment(of(sin(X) / X), 1, 30), mp.sqrt(mp.pi / 2) * mp.erf(1 / mp.sqrt(2)), 30)


@pytest.mark.parametrize("name", sorted(set(EVERY) - {"step", "two_jumps"}))
def test_jets_are_derivatives(name):
    piece = activation(name).pieces[-1]
    with mp.workdps(30):
        point = mpmath.mpf(4) / 3
        found = jet(piece, X)(point, 7)
        for n in range(7):
            assert abs(found[n] * mp.factorial(n) - to_mpf(piece.diff(X, n).subs(X, Rational(4, 3)))) < 1e-24


def test_formulas_of_the_literature():
    # Williams 1997: E[erf^2] = (2/pi) asin(2q/(1 + 2q)); E[sin^2] = (1 - exp(-2q))/2; E[exp^2] = exp(2q)
    assert exact_square_moment(activation("erf"), 0, Q) == 2 * asin(2 * Q / (1 + 2 * Q)) / pi
    assert simplify(exact_square_moment(activation("sin"), 0, Q) - (1 - exp(-2 * Q)) / 2) == 0
    assert exact_square_moment(activation("exp"), 3, Q) == exp(2 * Q)
    assert exact_square_moment(activation("gaussian"), 0, Q) == 1 / sqrt(1 + 4 * Q)
    assert exact_square_moment(activation("relu"), 0, Q) == Q / 2
    elu_slope = (1 + exp(2 * Q) * erfc(sqrt(2 * Q))) / 2
    assert simplify(exact_square_moment(activation("elu"), 1, Q) - elu_slope) == 0


@pytest.mark.parametrize("name", HAVE_FORMULAS)
def test_formulas_are_found_and_have_the_digits(name):
    phi = activation(name)
    for n in (0, 1, 3):
        formula = exact_square_moment(phi, n, Q)
        value = square_moment(phi, n, Rational(5, 3), 30)
        with mp.workdps(40):
            assert abs(to_mpf(formula.subs(Q, Rational(5, 3))) - value) <= 1e-28 * (1 + value)


@pytest.mark.parametrize("name", sorted(set(EVERY) - set(HAVE_FORMULAS)))
def test_where_there_is_no_formula(name):
    assert exact_square_moment(activation(name), 1, Q) is None
    assert exact_moment(activation(name), Q) is None


def test_first_moments_as_formulas():
    assert exact_moment(of(cos(X)), Q) == exp(-Q / 2)
    assert exact_moment(of(Abs(X)), Q) == sqrt(2) * sqrt(Q) / sqrt(pi)
    assert exact_moment(of(erf(X)), Q) == 0
    assert simplify(exact_moment(of(X * erf(X)), Q) - 2 * Q / sqrt(pi * (1 + 2 * Q))) == 0  # Stein's identity
    shifted = exact_moment(of(erf(X + 1)), Q)
    assert simplify(shifted - erf(1 / sqrt(1 + 2 * Q))) == 0


def test_error_functions_on_a_half_line():
    formula = exact_moment(of(Max(X, 0) * erf(X) + Piecewise((erf(X) ** 2, X > 0), (0, True))), Rational(2, 3))
    value = moment(of(Max(X, 0) * erf(X) + Piecewise((erf(X) ** 2, X > 0), (0, True))), Rational(2, 3), 30)
    with mp.workdps(40):
        assert abs(to_mpf(formula) - value) < 1e-29


def test_formulas_keep_parameters():
    a = Symbol("a", positive=True)
    phi = PiecewiseSmooth.of(Piecewise((a * (exp(X) - 1), X < 0), (X, True)), X)
    expected = (1 + a**2 * exp(2 * Q) * erfc(sqrt(2 * Q))) / 2
    assert simplify(exact_square_moment(phi, 1, Q) - expected) == 0


def test_a_gaussian_that_grows_has_its_formula_where_it_exists():
    phi = of(exp(X**2 / 8))
    assert simplify(exact_square_moment(phi, 0, Rational(1, 2)) - 2 / sqrt(3)) == 0
    assert exact_square_moment(phi, 0, Integer(2)) is None


# E[sech^4(sqrt(q) Z)] = 2/sqrt(2 pi q) (2/3 + O(1/q)), int sech^4 = 4/3; of a shift b the density at -b/sqrt(q) -> 1
STEEP_FORMS = {"tanh(x)": (tanh(X), Rational(4, 3)), "tanh(x - 1)": (tanh(X - 1), Rational(4, 3)),
               "tanh(3 x)": (tanh(3 * X), Integer(4)), "erf(x)": (erf(X), 4 / pi * sqrt(pi / 2))}  # fmt: skip


@pytest.mark.parametrize("name", STEEP_FORMS)
@pytest.mark.parametrize("exponent", [12, 16, 20, 40])
@pytest.mark.parametrize("digits", [15, 45])
def test_derivatives_of_steep_functions_have_moments_at_any_variance(name, exponent, digits):
    """E[phi'(sqrt(q) Z)^2] sqrt(2 pi q) is the integral of phi'^2 over the line, by hand, up to a multiple of 1/q."""
    phi, whole = STEEP_FORMS[name]
    moments = square_moments(PiecewiseSmooth.of(phi, X), 2, Integer(10) ** exponent, digits)
    with mp.workdps(digits):
        scaled = moments[1] * mp.sqrt(2 * mp.pi * mp.mpf(10) ** exponent)
        bound = mp.mpf(10) ** (3 - digits) + mp.mpf(10) ** (2 - exponent)
        assert abs(scaled / to_mpf(whole) - 1) < bound
        assert 1 - moments[0] < mp.mpf(10) ** (1 - exponent // 2)


@pytest.mark.parametrize(("phi", "q"), [
    (tanh(1000 * (X**3 - 1)), 1), (tanh(10**4 * (X**2 - 1)), 1), (tanh(1000 * tanh(X - 1)), 1), (sin(X**3), 1),
])  # fmt: skip
def test_steps_where_an_argument_is_zero_are_seen(phi, q):
    """Against equal steps in NumPy, which are far shorter than phi's: rules that start elsewhere missed 5e-5."""
    z, step = np.linspace(-9, 9, 2 * 10**6 + 1, retstep=True)
    true = np.sum(np.exp(-z * z / 2) * PiecewiseSmooth.of(phi, X).vectorised(np.sqrt(q) * z) ** 2) * step
    found = float(square_moment(PiecewiseSmooth.of(phi, X), 0, q, 15))
    assert found == pytest.approx(true / np.sqrt(2 * np.pi), rel=1e-12)


@pytest.mark.parametrize("formula", [tanh(X), sin(X) / X, X * exp(-(X**2))])
def test_half_of_the_nodes_give_what_all_of_them_give(formula, monkeypatch):
    phi = of(formula)
    half = square_moments(phi, 4, Rational(1, 2), 30)
    monkeypatch.setattr(moments, "_is_mirrored", lambda *_: False)
    moments._square_moments.cache_clear()
    whole = square_moments(phi, 4, Rational(1, 2), 30)
    with mp.workdps(40):
        assert all(abs(one / two - 1) < mp.mpf(10) ** -30 for one, two in zip(half, whole, strict=True))
