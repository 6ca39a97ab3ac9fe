"""The kernel of every kind of activation: each route against the others, to 30 digits and down to gaps of 1e-30."""

import mpmath
import pytest
from mpmath import mp
from sympy import Abs, Heaviside, Max, Min, Piecewise, Rational, Symbol, atan, cos, erf, exp, log, sin, sqrt, tanh

from asympt.errors import InputError, UnsupportedError
from asympt.gaussian.closed.arccosine import gap_map, gap_slope
from asympt.gaussian.kernel import Kernel, kernel_of, quadrature_gap
from asympt.gaussian.piecewise import PiecewiseSmooth
from tests.gaussian.activations_by_hand import gaussian_expectation

X = Symbol("x", real=True)
SMOOTH = {
    "tanh": tanh(X),
    "softplus": log(1 + exp(X)),
    "mish": X * tanh(log(1 + exp(X))),
    "arctan": atan(X),
    "sin": sin(X),
    "exp": exp(X),
    "gaussian": exp(-(X**2)),
    "silu, beta = 10": X / (1 + exp(-10 * X)),
}
KINKED = {
    "relu": Max(X, 0),
    "elu": Piecewise((exp(X) - 1, X < 0), (X, True)),
    "softsign": X / (1 + Abs(X)),
    "hard tanh": Max(-1, Min(1, X)),
    "step": Heaviside(X),
    "max(x - 1/2, 0)": Max(X - Rational(1, 2), 0),
}
EVERY = SMOOTH | KINKED
GAPS = ["1e-30", "1e-10", "0.3", "1", "1.9", "2"]
VARIANCES = ["0.1", "1", "10"]


def kernel(name: str) -> Kernel:
    """Without closed forms, which have tests of their own."""
    return Kernel(PiecewiseSmooth.of(EVERY[name], X), use_closed_form=False)


def close(found, truth, digits: int = 29) -> bool:
    return abs(found - truth) <= abs(truth) * mp.mpf(10) ** -digits


@pytest.mark.parametrize("gamma", GAPS)
def test_relu_against_the_arccosine_kernel(gamma):
    """Cho and Saul (2009), in the cancellation-free form of `arccosine`."""
    with mp.workdps(30):
        half, gamma, q = mp.mpf(1) / 2, mp.mpf(gamma), mp.mpf(3)
        assert close(kernel("relu").gap(q, gamma), q / 2 * gap_map(gamma, half, half))
        assert abs(kernel("relu").slope(q, gamma) - gap_slope(gamma, half, half) / 2) < 1e-30


@pytest.mark.parametrize("gamma", ["1e-25", "1e-50", "1e-80"])
def test_the_slope_of_a_kink_where_the_gap_is_below_the_precision(gamma):
    """Cho and Saul (2009) in the form of `arccosine`: the slope moves like sqrt(gamma), by 1e-25 at 1e-50."""
    with mp.workdps(30):
        half, gamma, q = mp.mpf(1) / 2, mp.mpf(gamma), mp.mpf(3)
        closed = Kernel(PiecewiseSmooth.of(EVERY["relu"], X))
        assert abs(closed.slope(q, gamma) - gap_slope(gamma, half, half) / 2) < 1e-30


@pytest.mark.parametrize("gamma", GAPS)
def test_step_against_sheppard(gamma):
    """P(U > 0, V > 0) = 1/2 - acos(c)/(2 pi) (Sheppard 1899): gap theta/(2 pi), slope 1/(2 pi q sin theta)."""
    with mp.workdps(30):
        gamma, q = mp.mpf(gamma), mp.mpf(2)
        theta = 2 * mp.asin(mp.sqrt(gamma / 2))
        assert close(kernel("step").gap(q, gamma), theta / (2 * mp.pi))
        if gamma < 2:
            assert close(kernel("step").slope(q, gamma), 1 / (2 * mp.pi * q * mp.sqrt(gamma * (2 - gamma))))


@pytest.mark.parametrize(("q", "gamma"), [*zip(2 * VARIANCES, GAPS, strict=True)])
def test_exp_sin_and_gaussian_in_closed_form(q, gamma):
    """E[e^(sU) e^(sV)] = e^(q(1+c)); the sine from characteristic functions; 1/sqrt((1+2q)^2 - 4q^2c^2)."""
    with mp.workdps(30):
        q, gamma = mp.mpf(q), mp.mpf(gamma)
        found = [kernel(name).gap(q, gamma) for name in ("exp", "sin", "gaussian")]
        with mp.workdps(80):
            c = 1 - gamma
            truth = [
                mp.exp(2 * q) - mp.exp(q * (1 + c)),
                mp.exp(-q) * (mp.sinh(q) - mp.sinh(q * c)),
                1 / mp.sqrt((1 + 2 * q) ** 2 - 4 * q**2) - 1 / mp.sqrt((1 + 2 * q) ** 2 - 4 * q**2 * c**2),
            ]
        assert all(close(a, b) for a, b in zip(found, truth, strict=True))


# every activation, every variance and every gap: all triples take half an hour
SQUARE = [(name, VARIANCES[i % len(VARIANCES)], GAPS[(2 * i + i // 3) % len(GAPS)]) for i, name in enumerate(EVERY)]
SQUARE += [(name, "0.1", gamma) for name in ("tanh", "arctan", "mish") for gamma in ("1e-30", "2")]


@pytest.mark.parametrize(("name", "q", "gamma"), SQUARE)
def test_every_activation_by_both_routes(name, q, gamma):
    """The series against the quadrature."""
    with mp.workdps(30):
        q, gamma, found = mp.mpf(q), mp.mpf(gamma), kernel(name)
        assert close(found.gap(q, gamma), quadrature_gap(found.phi, q, gamma))


@pytest.mark.parametrize("name", ["elu"])
def test_against_brute_force(name):
    """A third quadrature, over angle and radius."""
    with mp.workdps(20):
        found, c = kernel(name), mp.mpf("-0.4")
        truth = gaussian_expectation(lambda x: found.phi.numeric(x), c, digits=14)
        assert abs(found.value(1, 1, c) - truth) < 1e-14


def test_slope_of_a_shifted_jump_has_all_three_parts():
    """phi = x + 1{x > 1}: E[phi'phi'] = 1, then 2 p(1) and p_2(1, 1; c)."""
    found = Kernel(PiecewiseSmooth.of(X + Heaviside(X - 1), X), use_closed_form=False)
    with mp.workdps(25):
        for gamma in map(mp.mpf, ["1e-20", "0.5"]):
            c, spread = 1 - gamma, mp.sqrt(gamma * (2 - gamma))
            pair = mp.exp(-1 / (1 + c)) / (2 * mp.pi * spread)
            assert close(found.slope(1, gamma), 1 + 2 * mp.npdf(1) + pair, 24)
        assert found.slope(1, 0) == mp.inf


@pytest.mark.parametrize("n", [2, 5])
def test_high_derivatives_of_exp(n):
    """d^n/dc^n e^(q(1+c)) = q^n e^(q(1+c))."""
    with mp.workdps(30):
        for gamma in map(mp.mpf, ["0.1", "0.8"]):
            assert close(kernel("exp").derivative(1, gamma, n), mp.exp(2 - gamma))


def test_derivative_of_a_kink_near_one_is_refused():
    with pytest.raises(UnsupportedError, match="Hermite terms"):
        kernel("relu").derivative(1, mp.mpf("1e-6"), 3)


def test_unequal_variances():
    """E[e^(sU) e^(tV)] = exp((s^2 + t^2 + 2 s t c)/2); for tanh, symmetry and q1 = q2 as a limit."""
    with mp.workdps(30):
        c = mp.mpf("0.6")
        truth = mp.exp((2 + mp.mpf("0.5") + 2 * c) / 2)
        assert close(kernel("exp").value(2, mp.mpf("0.5"), c), truth)
        found = kernel("softsign")
        assert close(found.value(1, 2, c), found.value(2, 1, c), 28)


def test_bad_input():
    with pytest.raises(InputError, match="outside"):
        kernel("tanh").gap(1, 3)
    with pytest.raises(InputError, match="outside"):
        kernel("tanh").value(1, 1, mpmath.mpf(2))
    with pytest.raises(InputError, match="not a positive number"):
        kernel("tanh").slope(0, 1)
    with pytest.raises(InputError, match="diverges"):
        Kernel(PiecewiseSmooth.of(exp(X**2), X), use_closed_form=False).gap(1, 1)


GELU = PiecewiseSmooth.of(X * (1 + erf(X / sqrt(2))) / 2, X)


@pytest.mark.parametrize("phi", [GELU, PiecewiseSmooth.of(EVERY["elu"], X)], ids=["gelu", "elu"])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_derivatives_in_closed_form_against_the_hermite_series(phi, n):
    with mp.workdps(30):
        for gamma in map(mp.mpf, ("0.3", "1.2")):
            series = Kernel(phi, use_closed_form=False).derivative(mp.mpf("1.3"), gamma, n)
            assert close(Kernel(phi).derivative(mp.mpf("1.3"), gamma, n), series)


@pytest.mark.parametrize("gamma", ["1e-30", "1e-6", "1.5"])
def test_second_derivative_of_relu_next_to_one(gamma):
    """F' = (pi - arccos c)/(2 pi) q (Cho and Saul 2009), so F'' = q/(2 pi sqrt(1 - c^2)), also where no series goes."""
    with mp.workdps(30):
        gamma, q = mp.mpf(gamma), mp.mpf(3)
        truth = q / (2 * mp.pi * mp.sqrt(gamma * (2 - gamma)))
        assert close(kernel_of(PiecewiseSmooth.of(Max(X, 0), X)).derivative(q, gamma, 2), truth)


def test_gates_under_complex_exponentials_go_by_the_series():
    """erf(x) cos(x) has terms, but no digits where both gates meet: a TypeError once."""
    phi = PiecewiseSmooth.of(erf(X) * cos(X), X)
    with mp.workdps(20):
        found = kernel_of(phi).value(1, 1, mp.mpf("0.3"))
        assert close(found, Kernel(phi, use_closed_form=False).value(1, 1, mp.mpf("0.3")), 19)


def test_the_gap_at_few_digits_is_not_kept_for_more():
    phi, q, gamma = PiecewiseSmooth.of(EVERY["elu"], X), mp.mpf("1.7"), mp.mpf("1e-5")
    with mp.workdps(12):
        kernel_of(phi).gap(q, gamma)
    with mp.workdps(35):
        found = kernel_of(phi).gap(q, gamma)
        assert close(found, quadrature_gap(phi, q, gamma), 34)
