"""Closed forms: against two-dimensional quadrature, at c = -1, 0, 1, against the literature, refusals."""

import random
from itertools import pairwise

import mpmath
import pytest
from mpmath import mp
from mpmath.calculus.quadrature import GaussLegendre
from sympy import (
    Abs,
    Expr,
    Heaviside,
    Max,
    Min,
    Piecewise,
    Rational,
    Symbol,
    acos,
    asin,
    cos,
    cosh,
    erf,
    exp,
    hermite_prob,
    pi,
    sign,
    simplify,
    sin,
    sinh,
    sqrt,
    tanh,
)

from asympt.errors import InputError
from asympt.gaussian.closed.kernels import Q1, Q2, C, ClosedForm, closed_form, tidy
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.numbers import to_mpf

x = Symbol("x", real=True)
q = Symbol("q", positive=True)
elu = Piecewise((x, x > 0), (exp(x) - 1, True))
selu = Rational(10507, 10000) * Piecewise((x, x > 0), (Rational(16733, 10000) * (exp(x) - 1), True))
gelu = x * (1 + erf(x / sqrt(2))) / 2

FAMILIES: dict[str, Expr] = {
    "gelu": gelu, "elu": elu, "hard tanh": Max(-1, Min(1, x)), "relu": Max(x, 0),
    "leaky relu": Max(x, 0) + Min(x, 0) / 10, "abs": Abs(x), "step": Heaviside(x), "sign": sign(x),
    "relu cubed": Max(x, 0) ** 3, "shifted kink": Max(x - Rational(1, 2), 0), "relu6": Min(Max(x, 0), 6), "selu": selu,
    "jumps": Piecewise((x**2, x < -1), (x * exp(x), x < 1), (2, True)), "laplace": exp(-Abs(x)), "erf": erf(x),
    "shifted erf": erf(x / 2 + Rational(1, 3)), "sin": sin(x), "cos": cos(2 * x + 1), "exp": exp(x / 3),
    "gaussian": exp(-(x**2) / 2), "tilted gaussian": x * exp(x - x**2), "cubic": x**3 - 2 * x + 1,
    "hermite": hermite_prob(5, x), "erf and kink": erf(x) + x / 2 + Max(x - 1, 0),
    "kinked gaussian": exp(-(x**2)) * Max(x, 0), "sine and kink": sin(x) + Max(x - 1, 0),
}  # fmt: skip
QUICK_TO_THIRTY = ("gelu", "elu", "hard tanh")


def activation_of(name: str) -> PiecewiseSmooth:
    return PiecewiseSmooth.of(FAMILIES[name], x)


def form_of(name: str) -> ClosedForm:
    return closed_form(activation_of(name))


def random_point(label: str):
    """Seeded q1, q2, c."""
    draw = random.Random(label)
    return mpmath.mpf(draw.uniform(0.2, 2)), mpmath.mpf(draw.uniform(0.2, 2)), mpmath.mpf(draw.uniform(-0.8, 0.8))


# ---- the quadrature, written out for these tests -----------------------------------------------------


def panels(cuts, reach, count):
    """Gauss-Legendre nodes and weights (3 2^(count - 1) a panel) on [-reach, reach], cut at `cuts`."""
    edges = sorted({mpmath.mpf(-reach), mpmath.mpf(reach), *(cut for cut in cuts if abs(cut) < reach)})
    rule = GaussLegendre(mp).calc_nodes(count, mp.prec)
    for low, high in pairwise(edges):
        steps = max(1, int(mp.ceil((high - low) / (4 if count > 4 else 2.5))))
        for a, b in pairwise(mp.linspace(low, high, steps + 1)):
            for node, weight in rule:
                yield (a + b) / 2 + (b - a) / 2 * node, (b - a) / 2 * weight


def line(phi, scale):
    """E[phi(scale Z)]."""
    nodes = panels([to_mpf(b) / scale for b in phi.breaks], 14, 5)
    return sum(weight * mp.npdf(z) * phi.numeric(scale * z) for z, weight in nodes)


def plane(phi, q1, q2, c, digits):
    """E[phi(x) phi(y)] on a grid cut at the breakpoints."""
    size, grid = 1 - c * c, (12, 4) if digits <= 20 else (15, 5)  # reach and fineness
    grids = []
    for scale in (mp.sqrt(q1), mp.sqrt(q2)):
        nodes = list(panels([to_mpf(b) / scale for b in phi.breaks], *grid))
        grids.append([(u, w * phi.numeric(scale * u)) for u, w in nodes])
    value = mpmath.mpf(0)
    for u, f in grids[0]:
        near = [(v, a) for v, a in grids[1] if u * u + (v - c * u) ** 2 / size < grid[0] ** 2]
        density = [mp.exp(-(u * u - 2 * c * u * v + v * v) / (2 * size)) for v, _ in near]
        value += f * mp.fdot(density, [a for _, a in near])
    return value / (2 * mp.pi * mp.sqrt(size))


def agrees(value, reference, digits, size=1):
    return abs(value - reference) <= mpmath.mpf(10) ** (1 - digits) * max(abs(reference), size)


@pytest.mark.parametrize("name", FAMILIES)
def test_against_quadrature(name):
    """The slope is held against this value by Price's theorem below."""
    form, phi, point = form_of(name), activation_of(name), random_point(name)
    digits = 30 if name in QUICK_TO_THIRTY else 14
    with mp.workdps(digits):
        value = form.evaluate(*point)
    with mp.workdps(digits + 8):
        assert agrees(value, plane(phi, *point, digits), digits)


@pytest.mark.parametrize("name", FAMILIES)
def test_ends_and_middle(name):
    """c = 0: E[phi] E[phi]; c = +-1: one-dimensional integrals."""
    form, phi = form_of(name), activation_of(name)
    q1, q2, _ = random_point(name)
    with mp.workdps(25):
        values = [form.evaluate(q1, q2, c) for c in (0, 1, -1)]
    with mp.workdps(33):
        s1, s2 = mp.sqrt(q1), mp.sqrt(q2)
        means = line(phi, s1) * line(phi, s2)
        points = [to_mpf(b) for b in phi.breaks]
        ends = []
        for side in (1, -1):
            nodes = panels([b / s for b in points for s in (s1, side * s2)], 14, 5)
            ends.append(sum(w * mp.npdf(u) * phi.numeric(s1 * u) * phi.numeric(side * s2 * u) for u, w in nodes))
        for value, reference in zip(values, [means, *ends], strict=True):
            assert agrees(value, reference, 25)


@pytest.mark.parametrize("name", FAMILIES)
def test_formulas_agree_with_digits(name):
    _compare_formulas(form_of(name), {Q1: Rational(7, 10), Q2: Rational(13, 10), C: Rational(-3, 5)})


def _compare_formulas(form: ClosedForm, point: dict):
    with mp.workdps(30):
        numbers = [to_mpf(point[symbol]) for symbol in (Q1, Q2, C)]
        for formula, value in ((form.value, form.evaluate), (form.slope, form.evaluate_slope)):
            printed = mpmath.mpf(str(formula.subs(point).evalf(32).as_real_imag()[0]))
            assert agrees(value(*numbers), printed, 28)


def test_relu_is_cho_and_sauls_kernel():
    theta = acos(C)
    printed = sqrt(Q1 * Q2) / (2 * pi) * (sqrt(1 - C**2) + (pi - theta) * C)  # Cho and Saul 2009, (3) and (6), halved
    assert simplify((form_of("relu").value - printed).rewrite(asin)) == 0
    assert simplify((form_of("relu").slope - (pi - theta) / (2 * pi)).rewrite(asin)) == 0


def test_erf_is_williams_kernel():
    printed = (
        2 / pi * asin(2 * C * sqrt(Q1 * Q2) / sqrt((1 + 2 * Q1) * (1 + 2 * Q2)))
    )  # Williams 1997, sigmoidal hidden units
    assert simplify(form_of("erf").value - printed) == 0


def _at_one_variance(form: ClosedForm, q) -> Expr:
    return tidy(form.value.subs({Q1: q, Q2: q}))


def test_sine_cosine_exponential_and_gaussian():
    # moment generating functions of normal vectors; the last is a normal integral over a changed covariance
    assert _at_one_variance(form_of("sin"), q) == exp(-q) * sinh(C * q)
    assert _at_one_variance(closed_form(PiecewiseSmooth.of(cos(x), x)), q) == exp(-q) * cosh(C * q)
    assert _at_one_variance(closed_form(PiecewiseSmooth.of(exp(x), x)), q) == exp(q + C * q)
    assert simplify(_at_one_variance(form_of("gaussian"), q) ** -2 - ((1 + q) ** 2 - (C * q) ** 2)) == 0


def test_hermite_polynomials_are_orthogonal():
    value = closed_form(PiecewiseSmooth.of(hermite_prob(6, x), x)).value
    assert value.subs({Q1: 1, Q2: 1}).expand() == 720 * C**6  # Mehler: E[He_n(U) He_n(V)] = n! c^n


def test_derivative_kernel_of_a_jump_is_infinite_at_the_ends():
    assert form_of("step").evaluate_slope(1, 1, 1) == mpmath.inf
    assert form_of("step").evaluate_slope(1, 1, 0) == pytest.approx(1 / (2 * mpmath.pi))


def test_symbolic_slope_of_a_leaky_relu():
    a = Symbol("a", real=True)
    form = closed_form(PiecewiseSmooth(x, (Rational(0),), (a * x, x)))
    assert simplify(_at_one_variance(form, 1).subs(C, 1) - (1 + a**2) / 2) == 0
    with pytest.raises(InputError, match="give numbers"):
        form.evaluate(1, 1, 0)


@pytest.mark.parametrize("expression", [tanh(x), x / (1 + Abs(x)), 1 / (1 + exp(-x)), erf(x) ** 2, erf(Max(x, 0))])
def test_no_closed_form(expression):
    assert closed_form(PiecewiseSmooth.of(expression, x)) is None


def test_bad_numbers():
    form = form_of("relu")
    for arguments, message in (((0, 1, 0), "variance"), ((1, -1, 0), "variance"), ((1, 1, 2), "correlation")):
        with pytest.raises(InputError, match=message):
            form.evaluate(*arguments)


def test_divergent_moments():
    form = closed_form(PiecewiseSmooth.of(exp(x**2 / 4), x))
    with mp.workdps(20):  # E exp((x^2 + y^2)/4) at c = 0, q = 1 is 1/(1 - 1/2) = 2
        assert agrees(form.evaluate(1, 1, 0), 2, 18)
    with pytest.raises(InputError, match="diverges"):
        form.evaluate(3, 3, 0)
