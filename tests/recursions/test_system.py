"""Systems with one slowest direction: published constants, twenty by plain iteration, what is refused."""

from dataclasses import replace

import pytest
from mpmath import mp, mpf
from sympy import Rational, asin, exp, lambdify, log, pi, sin, sqrt, symbols

import asympt as asy
from asympt.numbers import to_mpf

x, y, z = symbols("x y z")
COUPLED = ([x - x**2 + x * y, y / 2 + x**2 - x * y], [x, y])
HEAVY_BALL = ([x + y / 2 - x**3 / 10, y / 2 - x**3 / 10], [x, y])  # on x^4/4, momentum 1/2, step 1/10


@pytest.mark.parametrize(("system", "start", "constant"), [
    (COUPLED, ("3/10", "1/5"), "1.723705091046853556564046468"), (HEAVY_BALL, (1, 0), "4.674541313494813076"),
])  # fmt: skip
def test_constants(system, start, constant):
    found = asy.System(*system).law(terms=2).connection_constant(start=start, digits=25)
    with mp.workdps(30):
        assert abs(found - mpf(constant)) < mpf(10) ** -18


def iterated(system, start, depth: int) -> list:
    """The point after so many steps, at 60 digits, by the maps as they stand."""
    step = lambdify(system[1], system[0], "mpmath")
    with mp.workdps(60):
        point = [mpf(Rational(value).p) / Rational(value).q for value in start]
        for _ in range(depth):
            point = step(*point)
        return list(point)


SYSTEMS = [
    (COUPLED, ("3/10", "1/5")), (COUPLED, ("1/5", "-1/3")), (HEAVY_BALL, ("1/2", "-1/10")),
    (([sin(x) * exp(-y), y / 3 + x**2], [x, y]), ("1/2", "1/10")),
    (([x - x**2 + y * z, y / 2 + x**2, z / 3 - x * y], [x, y, z]), ("1/4", "1/9", "-1/5")),
    (([x + y - x**2, y / 2 + x * y / 3], [x, y]), ("1/4", "1/9")),
    (([x - x**2 + y, -y / 2 + x**3], [x, y]), ("1/4", "1/9")),
    (([x - x**2 + x * y, (y - z) / 2, (y + z) / 2 + x**2], [x, y, z]), ("1/4", "1/9", "1/7")),  # (1 +- i)/2
    (([x - x**2 + y, 9 * y / 10 + x**3], [x, y]), ("1/20", "1/300")),
    (([x - x**3 + x * y, y / 4 - x**2 * y + x**4], [x, y]), ("1/3", "-1/7")),
    (([x * exp(-x) + y**2, log(1 + y) / 2 + x**2], [x, y]), ("1/4", "1/5")),
    (([x - x**2 + y * z, (y + z) / 3, x**3 - z / 3], [x, y, z]), ("1/5", "1/4", "-1/6")),
]
EXACT = (([2 * x / 3 + x * y, y / 4], [x, y]), ("1/4", "0"))  # x_n = (2/3)^n/4: what is left of it is rounding
HYPERBOLIC = [
    (([x / 2 + x * y, y / 3 + x**2], [x, y]), ("1/4", "1/5"), "C/2^n + O(1/6^n)"),
    (([-x / 2 + x * y, y / 5 + x**2], [x, y]), ("-1/4", "1/5"),
     "(-1/2)^n*C + 160*(-1/8)^n*C^3/3 + O((-1/2)^n/5^n)"),
    (([x / 2 + y + y**2, y / 3 - x**2 * y], [x, y]), ("1/4", "1/5"), "C/2^n + O(1/3^n)"),
    (([x / 2 + y * z, (y - z) / 5 + x**2, (y + z) / 5], [x, y, z]), ("1/4", "1/5", "1/7"),
     "C/2^n + O((sqrt(2)/5)^n/2^n)"),
    (([sqrt(2) * x / 2 + x * y / 3, y / 3 - x * y], [x, y]), ("1/4", "1/5"),
     "C*(sqrt(2)/2)^n + O((sqrt(2)/2)^n/3^n)"),
    (([9 * x / 10 - x**2 / 5 + y**2, 4 * y / 5 + x**2 / 9], [x, y]), ("1/4", "-1/5"),
     "(9/10)^n*C + 20*(81/100)^n*C^2/9 + O((729/1000)^n)"),
    (([x / 2 + x**2 + x * y, x**3], [x, y]), ("1/4", "1/5"), "C/2^n - 4*C^2/4^n + O(1/8^n)"),
    (([9 * x / 10 + x * y, y / 2 + x**2], [x, y]), ("1/5", "1/10"),  # x rests for a step, y does not
     "(9/10)^n*C - 100000*(729/1000)^n*C^3/5301 + O((59049/100000)^n)"),
    (([sin(x) / 2 + x * y, (exp(y) - 1) / 9 + x**2], [x, y]), ("1/4", "1/5"),
     "C/2^n - 854*C^3/(45*8^n) + O(1/18^n)"),
]


@pytest.mark.parametrize(("system", "start"), SYSTEMS)
def test_plain_iteration(system, start):
    found = asy.System(*system)
    first, second = found.law(terms=2), found.law(terms=1, observable=system[1][1] + system[1][0] ** 2)
    for depth in (1, 3000):
        point = iterated(system, start, depth)
        with mp.workdps(50):
            assert abs(first.evaluate(depth, start=start, digits=40) / point[0] - 1) < mpf(10) ** -39
            assert abs(second.evaluate(depth, start=start, digits=40) / (point[1] + point[0] ** 2) - 1) < mpf(10) ** -38


@pytest.mark.parametrize(("system", "start", "printed"), HYPERBOLIC)
def test_plain_iteration_of_contracting_systems(system, start, printed):
    law = asy.System(*system).law(terms=2)
    assert str(law) == printed
    for depth in (3, 40, 400):
        point = iterated(system, start, depth)
        with mp.workdps(50):
            assert abs(law.evaluate(depth, start=start, digits=40) / point[0] - 1) < mpf(10) ** -39
    image = law.connection_constant(start=iterated_exactly(system, start), digits=20)
    with mp.workdps(30):
        multiplier = to_mpf(law.koenigs.multiplier)
        assert abs(image / multiplier / law.connection_constant(start=start, digits=20) - 1) < mpf(10) ** -18


def iterated_exactly(system, start) -> tuple:
    """The image of a start, as a text."""
    with mp.workdps(60):
        return tuple(mp.nstr(value, 45) for value in iterated(system, start, 1))


@pytest.mark.parametrize(("system", "start"), [SYSTEMS[0], *(row[:2] for row in HYPERBOLIC[:2]), EXACT])
def test_laws_are_checked(system, start):
    law = asy.System(*system).law(terms=3)
    assert asy.verify(law, start=start, digits=12).verdict == "checked"


@pytest.mark.parametrize(("system", "planted", "observable"), [
    (COUPLED, [x - x**2, y / 2 + x**2 - x * y], x),  # a cross term dropped
    (COUPLED, [x - x**2 + x * y, y / 3 + x**2 - x * y], y),  # B wrong
    (HYPERBOLIC[1][0], [-x / 2 + x * y, y / 6 + x**2], x),
])
def test_laws_of_another_system_are_refuted(system, planted, observable):
    law, other = (asy.System(maps, [x, y]).law(2, observable) for maps in (system[0], planted))
    assert asy.verify(replace(law, expansion=other.expansion), start=("3/10", "1/5"), digits=10).verdict == "refuted"


@pytest.mark.parametrize(("maps", "observable", "message"), [
    ([x / 2, y / 3], y, "is 0 along"), ([x / 2, y / 3 + x**2], y, "dominated by a faster"),
    ([x / 2, y / 3], abs(x), "other side"),
])  # fmt: skip
def test_what_the_slowest_direction_does_not_lead(maps, observable, message):
    with pytest.raises(asy.UnsupportedError, match=message):
        asy.System(maps, [x, y]).law(observable=observable)


def test_fixed_points_and_observables():
    moved = asy.System(["x - (x - 1)^2 + (x - 1)*y", "y/2 + (x - 1)^2"], ["x", "y"], fixed_point=(1, 0))
    assert str(moved.law(terms=1)) == "1 + O(1/n)" or str(moved.law(terms=2)).startswith("1 + 1/n")
    below = asy.System([x + x**2 + x * y, y / 2 + x**2], [x, y], side="below").law(terms=1)
    assert str(below) == "-1/n + O(log(n)/n^2)"
    inverse = asy.System(*COUPLED).law(terms=3, observable=1 / x + log(1 + y))
    value = inverse.evaluate(1500, start=("3/10", "1/5"), digits=20)
    with mp.workdps(30):
        a, b = iterated(COUPLED, ("3/10", "1/5"), 1500)
        assert abs(value - (1 / a + mp.log(1 + b))) < mpf(10) ** -16


@pytest.mark.parametrize(("maps", "message"), [
    ((x - x**2, y - x * y), "two neutral"), ((x - x**2, 2 * y + x), r"\|B\| > 1"), ((x - x**2, -y + x**2), "circle"),
    ((x / 2, y / 4 + x**2), "resonance"), ((x / 2, x - y / 2), "equally slow"), ((y, 0 * x), "faster than any"),
    ((x + x**2, y / 2), "repels from above"), ((x, y / 2), "nothing moves"),
    ((x / 2 + y**2, y / 3 + abs(x)), "not smooth"), ((x - x**2, y / 2 + sqrt(x)), "not smooth"),
    ((x - x**2, y / 2 + asin(1 - x) - pi / 2), "not finite"),
])  # fmt: skip
def test_no_law(maps, message):
    with pytest.raises(asy.UnsupportedError, match=message):
        asy.System(maps, (x, y)).law()


@pytest.mark.parametrize(("given", "message"), [
    (((x + 1, y / 2), (x, y)), "not a fixed point"), (((x - z * x**2, y / 2), (x, y)), "contain z"),
    (((x - x**2,), (x,)), "two or more"), (((x - x**2, y / 2), (x, x)), "one map for each symbol"),
    (((x - x**2, y / 2), (x, y), (0, 0), "left"), "'above' or from 'below'"),
])  # fmt: skip
def test_bad_systems(given, message):
    assert asy.System("x - x^2, y/2", "x, y").symbols == asy.System(["x - x^2", "y/2"], ["x", "y"]).symbols
    with pytest.raises(asy.InputError, match=message):
        asy.System(*given)


STARTS = [("0", "1/5"), ("-1", "1/5"), ("1/3", "oo"), "1/3", None, ("300", "200"), (1, 0), (1, 2, 3)]


@pytest.mark.parametrize("start", STARTS)
def test_bad_starts(start):
    with pytest.raises(asy.InputError):
        asy.System(*COUPLED).law(terms=1).evaluate(10**4, start=start)


TRIANGULAR = [
    (([x - x**2 + x * y, y / 2 - y**2 / 5], [x, y]), ("3/10", "-1/5")),
    (([sin(x) * exp(-y), y / 3 + y**2], [x, y]), ("1/2", "1/10")),
    (([x - x**3 + y**2, y / 2, z / 3 + y / 9], [x, y, z]), ("1/2", "1/10", "1/7")),
]


@pytest.mark.parametrize(("system", "start"), TRIANGULAR)
def test_theorems_of_triangular_systems(system, start):
    law = asy.System(*system).law(terms=2)
    assert law.trust == "library"
    theorem = law.certificate(start=start)
    closest = 0
    for depth in (2, 5, 40, 1500):
        point = iterated(system, start, depth)
        low, high = law.enclose(depth, start=start, digits=25)
        with mp.workdps(40):
            assert low <= point[0] <= high < low * (1 + mpf(10) ** -24)
            size = to_mpf(theorem.monomial.subs(law.depth_variable, depth))
            found = abs(point[0] - to_mpf(law.to_sympy().subs(law.depth_variable, depth))) / size
            assert found <= mpf(str(theorem.constant))
            closest = max(closest, found / mpf(str(theorem.constant)))
    assert closest > 0.8  # the bound is that of this orbit, not of one of the scalar map
    with pytest.raises(asy.UnsupportedError, match="kernel does not cover"):
        theorem.to_proof()


@pytest.mark.parametrize(("system", "observable"), [
    (COUPLED, None), (HYPERBOLIC[0][0], None), (TRIANGULAR[0][0], 1 / x),
    (([x - x**2, y / 2 + z, z / 2], [x, y, z]), None),
])  # fmt: skip
def test_no_theorem_yet(system, observable):
    law = asy.System(*system).law(terms=1, observable=observable)
    assert law.trust == "two routes"
    for proving, given in ((law.certificate, {}), (law.enclose, {"depth": 100})):
        with pytest.raises(asy.UnsupportedError, match=r"for triangular|direction alone|largest faster coord"):
            proving(**given, start=("3/10", "1/5", "1/7")[: len(system[1])])
