"""Hyperbolic laws in numbers: against plain iteration of the map, against closed forms, and what is refused."""

import mpmath
import pytest
from mpmath import mp
from sympy import (
    Integer,
    Rational,
    Symbol,
    cos,
    factorial,
    simplify,
    sin,
    sympify,
)

from asympt.compiling import valued
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions.opaque import RealConstant
from asympt.numbers import to_mpf
from asympt.recursions.autonomous import hyperbolic_law
from asympt.recursions.coordinates.abel_inversion import C
from asympt.recursions.fixed_point import FixedPoint
from asympt.recursions.law import Law
from asympt.recursions.protocol import Dynamics
from asympt.recursions.recursion import Recursion

HALF = Rational(1, 2)
X, A = Symbol("x", real=True), Symbol("a", positive=True)
DOTTIE = RealConstant(
    "xi", lambda: mpmath.findroot(lambda x: mpmath.cos(x) - x, 0.74), key="fixed point of cos, for tests"
)


def polynomial(*known):
    """y' = y (c_0 + c_1 y + ...), exactly."""
    return fractional(1, *known)


def fractional(root, *known):
    """y' = y (c_0 + c_1 t + ...), y = t^root."""
    coefficients = [sympify(c) for c in known]

    def step(state):
        y = state[0]
        t = y if root == 1 else mpmath.root(y, root)
        return (y * mpmath.polyval([to_mpf(c) for c in reversed(coefficients)], t),)

    return Dynamics(lambda count: (coefficients + [Integer(0)] * count)[:count], step, root=root)


def cosine():
    """cos(x) seen from its fixed point: the step loses digits, as any map does that is given in x."""

    def ratio(count):
        derivatives = [cos(DOTTIE), -sin(DOTTIE), -cos(DOTTIE), sin(DOTTIE)]
        return [derivatives[k % 4] / factorial(k) for k in range(1, count + 1)]

    return Dynamics(ratio, lambda state: (mpmath.cos(to_mpf(DOTTIE) + state[0]) - to_mpf(DOTTIE),))


def moebius():
    """x/(2 - x)."""
    step = valued(lambda state: (state[0] / (2 - state[0]),))
    return Dynamics(lambda count: [HALF ** (k + 1) for k in range(count)], step)


LOGISTIC, COSINE, MOEBIUS = polynomial(HALF, -HALF), cosine(), moebius()
TWO_SIDED = polynomial(HALF, -Rational(3, 2))  # 3/2 x (1 - x) from its fixed point 1/3
HALF_POWERS = fractional(2, HALF, Rational(1, 10))


def law_of(dynamics, terms=3, fixed=None, **options) -> Law:
    reader = (lambda start: sympify(start)) if fixed is None else (lambda start: fixed.inner(sympify(start)))
    return hyperbolic_law(dynamics, fixed, terms, reader, **options)


def iterated(dynamics, start, steps, digits=60):
    """The map step by step."""
    with mp.workdps(digits):
        state = (to_mpf(sympify(start)),)
        for _ in range(steps):
            state = dynamics.step(state)
        return state[0]


@pytest.mark.parametrize("digits", [10, 30, 200])
def test_depths_beyond_iteration_in_closed_form(digits, agrees):
    # x/(2 - x): z = x/(1 - x) halves, so x_n = z/(1 + z), z = 9/2^n from 9/10
    depth = 10**100
    value = law_of(MOEBIUS).evaluate(depth=depth, start=Rational(9, 10), digits=digits)
    with mp.workdps(digits + 120):
        z = 9 * mpmath.mpf(2) ** -depth
        assert agrees(value, z / (1 + z), digits)
    constant = law_of(MOEBIUS).connection_constant(start=Rational(9, 10), digits=digits)
    assert agrees(constant, mpmath.mpf(9), digits)


def test_half_powers_are_real_on_one_side_only():
    law = law_of(HALF_POWERS)
    with pytest.raises(InputError, match="other side of the fixed point at step 0"):
        law.evaluate(depth=100, start=-HALF)
    with pytest.raises(InputError, match="other side of the fixed point at step 1"):
        law_of(fractional(2, HALF, -1)).evaluate(depth=100, start=2)


def test_a_start_close_to_the_fixed_point(agrees):
    """A map given in x loses as many digits as the distance is small; they are carried along."""
    start = DOTTIE + Rational(1, 10**300)
    law = law_of(COSINE, fixed=FixedPoint(DOTTIE))
    value = law.deviation(depth=100, start=start, digits=30)
    with mp.workdps(400):
        assert agrees(value, to_mpf(sin(DOTTIE)) ** 100 * mpmath.mpf(10) ** -300, 30)


@pytest.mark.parametrize(
    ("dynamics", "start", "complaint"),
    [
        (TWO_SIDED, Rational(1, 3), "lands on the fixed point"),
        (TWO_SIDED, Rational(2, 3), "settles elsewhere"),  # x = 1 is mapped to the other fixed point, 0
        (TWO_SIDED, 2, "goes away from the fixed point"),
        (LOGISTIC, 1, "lands on the fixed point at step 1"),
        (LOGISTIC, 3, "goes away"),
        (polynomial(HALF, HALF), 1, "settles elsewhere"),  # the repelling fixed point 1
        (MOEBIUS, 2, "has no value"),
        (Dynamics(lambda n: [HALF] + [0] * n, lambda s: (mpmath.sqrt(1 - 4 * s[0]) / 2,)), 1, "leaves the real"),
    ],
)
@pytest.mark.parametrize("depth", [3, 10**6])
def test_starts_outside_the_basin(dynamics, start, complaint, depth):
    with pytest.raises(InputError, match=complaint):
        law_of(dynamics).evaluate(depth=depth, start=start)


def test_landing_by_way_of_rounding_errors():
    """3/2 x (1 - x) evaluated in x from 2/3: the distance after one step is nothing but a rounding error."""
    third = Rational(1, 3)

    def step(state):
        x = to_mpf(third) + state[0]
        return (x * (1 - x) * 3 / 2 - to_mpf(third),)

    dynamics = Dynamics(TWO_SIDED.ratio, step)
    with pytest.raises(InputError, match="lands on the fixed point"):
        law_of(dynamics, fixed=FixedPoint(third)).evaluate(depth=1000, start=Rational(2, 3))
    almost = Rational(2, 3) + Rational(1, 10**70)
    near = law_of(dynamics, fixed=FixedPoint(third)).deviation(depth=1, start=almost, digits=20)
    assert abs(near * mpmath.mpf(10) ** 70 - 0.5) < 1e-14


def test_a_multiplier_too_close_to_one(agrees):
    slow = polynomial(1 - Rational(1, 10**7), -1)
    with pytest.raises(PrecisionError, match="the multiplier is so close to 1"):
        law_of(slow).evaluate(depth=10**9, start=HALF)
    assert agrees(law_of(slow).evaluate(depth=90, start=HALF, digits=30), iterated(slow, HALF, 90), 30)


@pytest.mark.parametrize("power", [7, 30])
@pytest.mark.parametrize("start", [HALF, Rational(1, 10**40)])
def test_constants_with_a_multiplier_too_close_to_one_are_refused_at_once(power, start):
    """For what it is: such an orbit has not settled elsewhere."""
    with pytest.raises(PrecisionError, match="the multiplier is so close to 1"):
        law_of(polynomial(1 - Rational(1, 10**power), -1))._constants(start, 10)


@pytest.mark.parametrize(
    ("known", "complaint"), [((0, 1), "multiplier is 0"), ((1, -1), "not below 1"), ((2, 1), "not below 1")]
)
def test_what_has_no_hyperbolic_law(known, complaint):
    with pytest.raises(UnsupportedError, match=complaint):
        law_of(polynomial(*known))


def test_sine_and_cosine_of_an_opaque_fixed_point_are_not_taken_for_independent():
    """cos(xi) = xi, so the cubic coefficient, found by hand, has one generator only."""
    cubic = Recursion(cos(X), X).law(terms=4).expansion.terms[3][1]
    [s] = cubic.atoms(sin)
    assert simplify(cubic + C**3 * (s**2 - 3 * s + 3) / (6 * (s - 1) * (s + 1) * s**2)) == 0
    assert not cubic.subs(s, 2).has(s.args[0])
