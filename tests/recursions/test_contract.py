"""The contract of every coordinate: values, functional equation, constants, printed law and theorem of one recursion.

Expected: x_n, and a_n of a linear recursion, by iterating the formulas in mpmath as they are written here.
"""

from dataclasses import dataclass, field
from functools import cached_property, partial

import pytest
from mpmath import mp, mpf
from sympy import E, Expr, Rational, S, Symbol, cos, exp, lambdify, log, oo, pi, sin, sqrt, tanh

from asympt import DrivenRecursion, Recursion
from asympt.numbers import to_mpf
from tests.recursions.falling_steps import L, deviations

X = Symbol("x")
HALF, QUARTER, THIRD = Rational(1, 2), Rational(1, 4), Rational(1, 3)
LAST, FAR = 1000, 10**9


@dataclass(frozen=True)
class Case:
    """x -> map_ from a start; what is looked at, or lambda, b and a_0 of a linear recursion along it.

    With a step, map_ is h in x_l = x_(l-1) - step(l) h(x_(l-1)).  `power`: k where a step raises C to the power k; such
    orbits are followed no further than 60 digits of the start reach.
    """

    map_: Expr
    start: Expr
    where: dict = field(default_factory=dict)
    seen: Expr = X
    linear: tuple = ()
    step: Expr | None = None
    power: int = 1

    @property
    def moved(self) -> Expr:
        return self.map_ if self.step is None else X - self.step * self.map_

    def law(self, terms: int = 2, **later):
        if self.step is not None:
            return DrivenRecursion(self.map_, X, self.step, L, **later).law(terms)
        recursion = Recursion(self.map_, X, **self.where)
        if not self.linear:
            return recursion.law(terms, None if self.seen is X else self.seen)
        return recursion.linear_law(*self.linear[:2], later.get("initial", self.linear[2]), terms=terms)

    def later(self) -> tuple:
        """The law from layer 1 on, and x_1."""
        at = {X: self.start, L: 1}
        if self.linear:
            factor, source, first = (S(part).subs(at) for part in self.linear)
            return self.law(initial=factor * first + source), self.moved.subs(at)
        return self.law(**({} if self.step is None else {"first": 1})), self.moved.subs(at)

    @cached_property
    def values(self) -> list:
        """The quantity in the layers 0 to LAST."""
        move, seen, *linear = (lambdify((X, L), S(e), "mpmath") for e in (self.moved, self.seen, *self.linear))
        with mp.workdps(60):
            x = mpf(S(self.start).p) / S(self.start).q
            a, found = (linear[2](x, 0) if linear else 0), []
            for layer in range(1, LAST + 2):
                found.append(a if linear else seen(x, layer))
                a = linear[0](x, layer) * a + linear[1](x, layer) if linear else 0
                x = move(x, mpf(layer))
        return found

    def constants(self, law, digits: int) -> dict:
        found = {"C": law.connection_constant(start=self.start, digits=digits)}
        if self.linear and law.linear.homogeneous is not None:
            found["D"] = law.second_constant(start=self.start, digits=digits)
        return found


BELOW, ZERO = {"side": "below"}, {"fixed_point": 0}
CASES = {
    "sine": Case(sin(X), S(1)), "logistic": Case(X - X**2, HALF), "log": Case(log(1 + X), S(2)),
    "tanh": Case(tanh(X), S(1)), "exp": Case(X * exp(-X), S(1), ZERO), "cubic": Case(X - X**4, HALF),
    "gauss": Case(X * exp(-(X**2)), HALF, ZERO),
    "fifth": Case(X * exp(-(X**5)), HALF, ZERO),
    "steep": Case(X * exp(-100 * X), HALF, ZERO), "polynomial": Case(X - X**2 / 3 + X**3 / 7, HALF),
    "from below": Case(sin(X), S(-1), BELOW), "repelling above": Case(X + X**2, -HALF, BELOW),
    "exp - 1": Case(exp(X) - 1, S(-1), BELOW), "not at zero": Case(X - (X - 1) ** 2, S(3) / 2, {"fixed_point": 1}),
    "below one": Case(X + (X - 1) ** 2, HALF, BELOW | {"fixed_point": 1}),
    "at sqrt(2)": Case(X - (X - sqrt(2)) ** 2, S(2), {"fixed_point": sqrt(2)}),
    "at e": Case(E * log(X), S(3), {"fixed_point": E}), "half powers": Case(X - X ** Rational(3, 2) / 2, HALF),
    "mixed powers": Case(X - X**2 / 2 - X ** Rational(5, 2) / 3, HALF),
    "cube roots": Case(X - X ** Rational(4, 3) / 3, HALF), "slower": Case(X - X ** Rational(7, 2), HALF),
    "x + 1/x": Case(X + 1 / X, S(1)), "x + sqrt(x)": Case(X + sqrt(X), S(1)),
    "x + 1/sqrt(x)": Case(X + 1 / sqrt(X), S(1)), "x + 1 + 1/x": Case(X + 1 + 1 / X, S(1), {"fixed_point": oo}),
    "minus infinity": Case(X + 1 / X, S(-1), {"fixed_point": -oo}),
    "infinity, said": Case(X + 1 / X**2, S(1), {"fixed_point": "oo"}),
    "flip": Case(-sin(X), S(1)), "flip, not odd": Case(-X + X**2, QUARTER),
    "flip from below": Case(-X + X**2, -QUARTER, BELOW), "flip at one": Case(1 - sin(X - 1), S(2), {"fixed_point": 1}),
    "flip at infinity": Case(-X - 1 / X, S(3)), "flip of exp": Case(exp(1 - X), S(2)),
    "observed": Case(sin(X), S(1), seen=1 / X), "an even observable": Case(sin(X), S(1), seen=1 - cos(X)),
    "observed in exp": Case(sin(X), S(1), seen=exp(X)), "flip observed": Case(-X + X**2, -Rational(1, 5), seen=1 / X),
    "cosine": Case(cos(X), S(1)), "hyperbolic": Case(X / 2 - X**2 / 3, S(1)), "moebius": Case(X / (2 - X), S(9) / 10),
    "alternating": Case(-X / 2 + X**2, Rational(1, 5)), "slow": Case(Rational(99, 100) * X - X**2, THIRD),
    "fast": Case(X / 10**8 + X**2, HALF, ZERO),
    "roots": Case(X / 4 + X ** Rational(3, 2) / 8, HALF, ZERO),
    "irrational": Case(X / sqrt(3) + X**2, -Rational(3, 20), ZERO),
    "a sum": Case(X / (1 + X), S(1), linear=(1, X, 0)), "sines": Case(sin(X), S(1), linear=(1, X, 0)),
    "squares": Case(sin(X), S(1), linear=(1, X**2, 0)), "derivative": Case(sin(X), S(1), linear=(cos(X), 0, 1)),
    "forced": Case(X - X**2, HALF, linear=(1 - 2 * X, 1, X)),
    "a rational power": Case(X - X**2, HALF, linear=(1 - X / 3, X**2, 2)),
    "no resonance": Case(X - X**2, HALF, linear=(1 - 3 * X, 1, 2)),
    "growing": Case(X - X**2, HALF, linear=(1 + X, X, 1)),
    "along half powers": Case(X - X ** Rational(3, 2), QUARTER, linear=(1 - sqrt(X), X, 0)),
    "a finer root": Case(X - X**2, HALF, linear=(1, sqrt(X) * X, 0)),
    "discounted": Case(sin(X), S(1), linear=(HALF, X, 0)),
    "alternating and discounted": Case(X - X**2, QUARTER, linear=(-HALF, exp(X), 0)),
    "forgetting slowly": Case(sin(X), S(1), linear=(1 - X, 1, 0)),
    "along infinity": Case(X + 1 / X, S(1), linear=(1, 1 / X, 0)),
    "along from below": Case(X + X**2, -HALF, BELOW, linear=(1 + 2 * X, 1, 0)),
    "hyperbolic, resonant": Case(X / 2 + X**2, QUARTER, linear=(HALF + 2 * X, 1, 0)),
    "hyperbolic, second base": Case(X / 2 + X**2, QUARTER, linear=(THIRD, 1 + X, 0)),
    "hyperbolic sum": Case(X / 2 + X**2, QUARTER, linear=(1, X, 0)),
    "hyperbolic, growing": Case(X / 2 + X**2, QUARTER, linear=(S(3) / 2, X, 1)),
    "hyperbolic, alternating": Case(-X / 2 + X**2 / 5, HALF, linear=(-HALF + X, 1 - X, 1)),
    "hyperbolic, forced": Case(X / 2 - X**2 / 4, HALF, linear=(QUARTER, X**2, 1)),
    "hyperbolic, changing signs": Case(X / 2 - X**2 / 2, Rational(1, 5), linear=(-1 - X, 1 + X, 3)),
    "hyperbolic, minus": Case(X / 2 - X**2 / 2, Rational(1, 5), linear=(-HALF - X, 1 + X, 3)),
    "hyperbolic, inverse": Case(X / 2 - X**2 / 2, Rational(1, 5), linear=(2 - X, 1 + X, 3)),
    "hyperbolic, small": Case(X / 2 - X**2 / 2, Rational(1, 5), linear=(Rational(1, 100) - X, 1 + X, 3)),
    "hyperbolic, even power": Case(-X / 2 + X**2, Rational(1, 5), linear=(QUARTER + X, X, 3)),
    "hyperbolic, roots": Case(X / 2 + X ** (S(3) / 2) / 6, HALF, ZERO, linear=(HALF + sqrt(X) / 4, 1 + sqrt(X), 3)),
    "hyperbolic, odd power": Case(X / 2 + X ** (S(3) / 2) / 6, HALF, ZERO, linear=(sqrt(2) / 2 + sqrt(X), sqrt(X), 3)),
    "hyperbolic, pi": Case(X / 2 + X ** (S(3) / 2) / 6, HALF, ZERO, linear=(pi / 5 + sqrt(X), sqrt(X), 3)),
    "quadratic": Case(X**2 + 1, S(1), power=2), "Sylvester": Case(X**2 - X + 1, S(2), {"fixed_point": oo}, power=2),
    "sine squared": Case(sin(X) ** 2, S(1), power=2),
    "Newton": Case(X / 2 + 1 / X, S(3), {"fixed_point": sqrt(2)}, power=2),
    "from the wrong side": Case(X**3 - 2 * X**2, QUARTER, {"fixed_point": 0}, power=2),
    "cubed": Case(3 * X**3 + X**4, -QUARTER, {"fixed_point": 0}, power=3),
    "cubed and turned": Case(X - X**3, S(3), {"fixed_point": oo}, power=3),
    "squared roots": Case(X**2 + X ** Rational(5, 2), QUARTER, {"fixed_point": 0}, power=2),
    "driven": Case(X**2, HALF, step=1 / (L + 1)), "driven roots": Case(X ** Rational(3, 2), HALF, step=1 / (2 * L)),
    "driven powers": Case(sin(X) ** 2, HALF, step=L**-THIRD), "shifted": Case(X**3, HALF, step=(L + 2) ** -HALF),
    "driven tanh": Case(X - tanh(X), HALF, step=1 / sqrt(L)), "driven linear": Case(sin(X), HALF, step=1 / (3 * L)),
}  # fmt: skip
PRINTED = [name for i, (name, case) in enumerate(CASES.items())
           if case.step is None and case.power == 1 and (i % 3 == 1 or name.startswith("hyperbolic, "))]  # fmt: skip
PROVED = ("sine", "log", "logistic", "half powers", "tanh", "exp", "cosine", "hyperbolic", "a sum", "no resonance",
          "hyperbolic sum", "hyperbolic, resonant", "hyperbolic, second base", "hyperbolic, growing",
          "hyperbolic, alternating", "hyperbolic, forced", "driven")  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_the_recursion(name, agrees):
    case, law = CASES[name], CASES[name].law(terms=1)
    for depth in (1, 2, 50, *([LAST] if case.power == 1 else [])):
        assert agrees(law.evaluate(depth=depth, start=case.start, digits=25), case.values[depth], 25)


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("driven powers", "driven tanh")])  # minutes
def test_a_step_later_there_is_a_layer_less_to_go_and_the_constants_have_moved_on(name, agrees):
    case, law, (later, start) = CASES[name], CASES[name].law(), CASES[name].later()
    less = case.step is None
    far = FAR if case.power == 1 else LAST
    one, two = law.evaluate(far, start=case.start, digits=12), later.evaluate(far - less, start=start, digits=14)
    assert agrees(one, two, 12)
    constant = law.connection_constant(start=case.start, digits=14)
    moved = {"parabolic": 1, "flip": 1}.get(law.kind, 0) + constant
    if case.power > 1:
        moved = constant**case.power * (-1 if law.coordinate.alternating else 1)
    if law.kind == "hyperbolic":
        moved = to_mpf(law.koenigs.multiplier) * constant
    assert agrees(later.connection_constant(start=start, digits=14), moved, 11)
    if case.linear and law.linear.homogeneous is not None:
        unit = 1 if law.linear.runs_alone else to_mpf(law.linear.multiplier)
        second = law.second_constant(start=case.start, digits=14) * unit
        assert agrees(later.second_constant(start=start, digits=14), second, 11)


@pytest.mark.parametrize("name", PRINTED)
def test_the_printed_law_leaves_its_remainder(name, rescaled):
    case, law = CASES[name], CASES[name].law(terms=3).for_start(CASES[name].start)
    known = {law.constant_symbols[letter]: value for letter, value in case.constants(law, 90).items()}
    depths = (20, 40) if law.kind == "hyperbolic" else (10**4, 10**8, 10**16)
    figures = rescaled(law.expansion, lambda n: law.evaluate(n, start=case.start, digits=90), depths, known, 90)
    assert abs(figures[-1]) <= 2 * max(abs(figures[0]), 10)


@pytest.mark.parametrize("name", PROVED)
def test_the_theorem_holds_and_is_not_wasteful(name):
    """|quantity - law| over the monomial is below B everywhere and not far below it somewhere."""
    case, law = CASES[name], CASES[name].law()
    found, constants = law.certificate(start=case.start), case.constants(law, 15 if case.step is not None else 50)
    with mp.workdps(60):
        for letter, (low, high) in {"C": found.connection_constant, "D": found.second_constant or (0, 0)}.items():
            assert low <= constants.get(letter, 0) <= high
        assert found.recheck()
        last = 40 if law.kind == "hyperbolic" else 400
        seen = max(deviations(found, dict(enumerate(case.values[1:last], start=1)), constants).values())
        assert seen <= mpf(str(found.constant)) < 3 * seen
        low, high = law.enclose(30, start=case.start, digits=25)
        assert low <= case.values[30] <= high < low + abs(low) * mpf(10) ** -24


@pytest.mark.parametrize("name", ["sine", "logistic", "x + 1/x", "cosine", "flip", "half powers", "exp - 1", "sines"])
@pytest.mark.parametrize("depth", [10**6, 10**100])
def test_fewer_digits_are_the_first_of_more(name, depth, agrees):
    law, start = CASES[name].law(), CASES[name].start
    for number in (partial(law.evaluate, depth), law.connection_constant):
        assert agrees(number(start=start, digits=30), number(start=start, digits=100), 30)
