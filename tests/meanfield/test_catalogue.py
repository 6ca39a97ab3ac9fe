"""The catalogue: every formula against an independent implementation, its options, and their refusals."""

import math

import numpy as np
import pytest
from mpmath import mp
from numpy.polynomial import hermite_e
from scipy import special, stats
from sympy import Rational, Symbol, exp, sqrt, symbols

from asympt.errors import InputError
from asympt.meanfield.activations import activation
from asympt.meanfield.catalogue import SELU_ALPHA, SELU_LAMBDA, catalogue

POINTS = np.array([-1000.0, -30.0, -7.0, -1.5, -0.3, -1e-6, 1e-6, 0.4, 1.0, 2.5, 5.9, 6.1, 40.0, 1000.0])
MODERATE = POINTS[np.abs(POINTS) < 50]

# NumPy and SciPy formulas, written without SymPy
KNOWN = {
    "linear": lambda x: x, "relu": lambda x: np.maximum(x, 0), "leaky_relu": lambda x: np.where(x > 0, x, x / 100),
    "abs": np.abs, "relu_like": lambda x: np.maximum(x, 0), "step": lambda x: np.heaviside(x, 1), "erf": special.erf,
    "gelu": lambda x: x * special.ndtr(x), "tanh": np.tanh, "sigmoid": special.expit,
    "softplus": lambda x: np.logaddexp(0, x), "silu": lambda x: x * special.expit(x),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))), "mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "arctan": np.arctan, "softsign": lambda x: x / (1 + np.abs(x)), "sin": np.sin, "cos": np.cos, "exp": np.exp,
    "gaussian": lambda x: np.exp(-(x**2) / 2), "monomial": np.square, "hermite": lambda x: (x**2 - 1) / math.sqrt(2),
    "hard_tanh": lambda x: np.clip(x, -1, 1), "relu6": lambda x: np.clip(x, 0, 6),
}  # fmt: skip


def _selu(x):
    """Klambauer et al. 2017, eq. (2), with the constants of their eq. (14)."""
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    return scale * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


KNOWN["selu"] = _selu


def test_every_name_has_an_independent_formula():
    assert set(catalogue()) == set(KNOWN)


@pytest.mark.parametrize("name", catalogue())
def test_values(name):
    phi = activation(name)
    points = MODERATE if name == "exp" else POINTS
    assert phi.name == name
    assert phi.vectorised(points) == pytest.approx(KNOWN[name](points), rel=2e-14, abs=1e-300)
    with mp.workdps(30):
        numeric = [float(phi.numeric(mp.mpf(float(x)))) for x in MODERATE]
    assert numeric == pytest.approx(KNOWN[name](MODERATE), rel=2e-14, abs=1e-190)


def test_selu_has_mean_zero_and_variance_one():
    # the definition of its constants (Klambauer et al. 2017, section 2): moments (0, 1) are a fixed point
    with mp.workdps(40):
        phi, density = activation("selu").numeric, lambda x: mp.npdf(x)
        mean, second = (mp.quad(lambda x, p=p: phi(x) ** p * density(x), [-30, -8, 0, 8, 30]) for p in (1, 2))
        assert abs(mean) < 1e-25 and abs(second - 1) < 1e-25
    assert SELU_ALPHA.is_Rational and SELU_LAMBDA.is_Rational


@pytest.mark.parametrize("degree", [1, 2, 3, 7])
def test_hermite_polynomials_are_normalised(degree):
    nodes, weights = hermite_e.hermegauss(40)
    values = activation("hermite", degree=degree).vectorised(nodes)
    assert values**2 @ weights / math.sqrt(2 * math.pi) == pytest.approx(1, rel=1e-12)
    assert values == pytest.approx(
        hermite_e.hermeval(nodes, [0] * degree + [1 / math.sqrt(math.factorial(degree))]), abs=1e-8
    )


def test_options():
    x = Symbol("x", real=True)
    assert activation("silu", beta="1.702").expression == x / (1 + exp(-Rational("1.702") * x))
    assert activation("swish", beta=2).expression == activation("silu", beta=2).expression
    assert activation("elu", alpha=0.5).jumps(1) == {0: Rational(1, 2)}
    assert activation("elu", alpha=-1).jumps(1) == {0: 2}
    assert activation("leaky_relu", slope=-3).slopes == (1, -3)
    assert activation("monomial", degree=3).expression == x**3
    assert activation("gaussian", width=sqrt(2)).expression == exp(-(x**2) / 4)
    logistic = activation("silu", beta=40)  # close to ReLU
    assert logistic.vectorised(POINTS) == pytest.approx(np.maximum(POINTS, 0), abs=0.01)
    assert stats.norm.cdf(1.0) == pytest.approx(float(activation("gelu").vectorised(1.0)))


def test_options_can_be_symbols():
    a, b = symbols("a b", positive=True)
    assert activation("elu", alpha=a).jumps(2) == {0: -a}
    assert activation("silu", beta=b).in_class_s


REFUSALS = {
    "elu": ({"alpha": 0}, "alpha = 0 is not allowed for activation 'elu'; give a number other than 0"),
    "silu": ({"beta": -1}, "beta = -1 is not allowed for activation 'silu'; give a positive number"),
    "swish": ({"beta": 0}, "beta = 0 is not allowed for activation 'swish'; give a positive number"),
    "gaussian": ({"width": 0}, "width = 0 is not allowed for activation 'gaussian'; give a positive number"),
    "monomial": ({"degree": 0}, "give a whole number from 1 to 50"),
    "hermite": (
        {"degree": "3/2"},
        "degree = 3/2 is not allowed for activation 'hermite'; give a whole number from 1 to 50",
    ),
    "tanh": ({"slope": 1}, "activation 'tanh' has no option 'slope'; its options are: none"),
    "leaky_relu": ({"slope": float("inf")}, "slope = inf is not a finite number"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_bad_options_get_one_sentence(name, refused):
    options, message = REFUSALS[name]
    refused(lambda: activation(name, **options), message, InputError)
