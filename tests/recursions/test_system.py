"""Systems with one neutral direction: published constants, plain iteration at 60 digits, what is refused."""

from dataclasses import replace

import pytest
from mpmath import mp, mpf
from sympy import Rational, exp, lambdify, log, sin, symbols

import asympt as asy

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
]


@pytest.mark.parametrize(("system", "start"), SYSTEMS)
def test_plain_iteration(system, start):
    found = asy.System(*system)
    first, second = found.law(terms=2), found.law(terms=1, observable=system[1][1] + system[1][0] ** 2)
    for depth in (1, 30, 1500):
        point = iterated(system, start, depth)
        with mp.workdps(30):
            assert abs(first.evaluate(depth, start=start, digits=20) / point[0] - 1) < mpf(10) ** -19
            assert abs(second.evaluate(depth, start=start, digits=20) / (point[1] + point[0] ** 2) - 1) < mpf(10) ** -18


@pytest.mark.parametrize(("system", "start"), [SYSTEMS[0], SYSTEMS[2]])
def test_laws_are_checked(system, start):
    law = asy.System(*system).law(terms=3)
    assert asy.verify(law, start=start, digits=12).verdict == "checked"
    dropped = replace(law, expansion=replace(law.expansion, terms=law.expansion.terms[:1] + law.expansion.terms[2:]))
    assert asy.verify(dropped, start=start, digits=12).verdict not in ("proved", "checked")


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
    ((x / 2, y / 3), "no direction is neutral"), ((x + x**2, y / 2), "repels from above"), ((x, y / 2), "not move"),
])  # fmt: skip
def test_no_law(maps, message):
    with pytest.raises(asy.UnsupportedError, match=message):
        asy.System(maps, (x, y)).law()


@pytest.mark.parametrize(("given", "message"), [
    (((x + 1, y / 2), (x, y)), "no fixed point"), (((x - z * x**2, y / 2), (x, y)), "contain z"),
    (((x - x**2,), (x,)), "two at least"), (((x - x**2, y / 2), (x, x)), "one map for each symbol"),
    (((x - x**2, y / 2), (x, y), (0, 0), "left"), "'above' or from 'below'"),
])  # fmt: skip
def test_bad_systems(given, message):
    with pytest.raises(asy.InputError, match=message):
        asy.System(*given)


@pytest.mark.parametrize("start", [("0", "1/5"), ("-1", "1/5"), ("1/3", "oo"), "1/3", None, ("300", "200"), (1, 2, 3)])
def test_bad_starts(start):
    with pytest.raises(asy.InputError):
        asy.System(*COUPLED).law(terms=1).evaluate(10**4, start=start)


def test_no_theorem_yet():
    law = asy.System(*COUPLED).law(terms=1)
    assert law.trust == "two routes"
    for proving, given in ((law.certificate, {}), (law.enclose, {"depth": 100})):
        with pytest.raises(asy.UnsupportedError, match="no theorem yet about a system"):
            proving(**given, start=("3/10", "1/5"))
