"""Every law carries its steps, and what a step found satisfies the equation it stands for, put in anew.

The identities use neither the solvers nor the evidence: expansions are composed with the image of the map, and what is
left must lie in the remainder.
"""

import pytest
from sympy import Rational, Symbol, limit, log, oo, simplify

from asympt.expansions import Expansion, Monomial
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.protocol import KINDS, Step
from tests.golden.rows import ROWS

T = Expansion.variable(AT_FIXED_POINT)
OTHERS = {  # in constants known by their digits, composed, and zeros that only `simplify` sees: minutes
    "erf, chaotic: ntk", "erf, ordered: ntk", "leaky, a symbol: correlation", "leaky, a symbol: ntk",
    "resnet, symbols: correlation", "resnet, symbols: ntk",
}  # fmt: skip


def steps_of(name: str) -> dict[str, Step]:
    """The steps by their forms."""
    return {step.form: step for step in ROWS[name].law().steps}


def vanishes(expansion: Expansion) -> bool:
    """Whether nothing is left but the remainder."""
    return all(abs(c.evalf(40)) < Rational(1, 10**25) if c.is_number else simplify(c) == 0 for _, c in expansion.terms)


def image(found: dict) -> Expansion:
    """t' of the step that is known to the coordinate: mu t (1 + e)."""
    step = found["growth"]
    chi = found["ratio"]["multiplier"] if "koenigs" in found else 1
    return T * (step["growth"] + 1) * chi ** (1 / step["root"])


def check(name: str) -> None:
    found = steps_of(name)
    if "growth" in found and "ratio" in found and "abel" in found and found["abel"]["advance"] == 1:
        step = found["growth"]
        assert vanishes((step["growth"] + 1).power(step["root"]) - found["ratio"]["ratio"])
    if "image" in found.get("ratio", ()):
        check_image(found["ratio"], found["growth"]["root"])
    if "balance" in found.get("t", ()) and "t odd" not in found["t"]:
        check_balance(found)
    if "formula" in found.get("growth", ()):
        check_closed(found["growth"], found["ratio"]["multiplier"] if "koenigs" in found else 1)
    if "t odd" in found.get("t", ()):
        check_other_side(found, ROWS[name].law())
    if "drift" in found and "slope" in found["drift"]:
        check_slope(found["drift"])
    if "abel" in found:
        abel, moved = found["abel"]["abel"], image(found)
        abel = abel.up_to(Monomial(5 - abel.leading[0].order))
        assert vanishes(abel.compose(moved) - abel - found["abel"]["advance"])
        law = found["t"]["t"]
        position = abel.compose(law)
        constant = ROWS[name].law().constant_symbols["C"]
        clock = Expansion.variable(law.scale) + constant
        assert vanishes((position - clock).up_to(Monomial(Rational(1, 4))))
    if "koenigs" in found:
        koenigs, moved = found["koenigs"]["koenigs"].truncate(4), image(found)
        assert vanishes(koenigs.compose(moved) - koenigs * found["koenigs"]["multiplier"])
        inverse, root = found["inverse"]["inverse"], found["growth"]["root"]
        z = Expansion.variable(inverse.scale)
        assert vanishes(koenigs.power(Rational(1, root)).compose(inverse) - z)
    if "particular" in found and "multiplier" in found["particular"] and "growth" in found:
        check_linear(found)


def check_image(step: Step, root) -> None:
    """x' = t^r (x'/x), and dx'/dx by SymPy's derivative in t."""
    t, image = AT_FIXED_POINT.variable, step["image"].to_sympy()
    assert simplify(image - t**root * step["ratio"].to_sympy()) == 0
    assert simplify(image.diff(t) / (root * t ** (root - 1)) - step["slope"].to_sympy()) == 0


def check_balance(found: dict) -> None:
    """A at t = (alpha/s)^(1/m) is s - (beta/m) log s + (beta/m) log(alpha) - the rest of the balance."""
    s, abel, balance = Symbol("s", positive=True), found["abel"]["abel"], found["t"]["balance"]
    alpha, m = abel.leading[1], -abel.leading[0].order
    known = abel.truncate(4).to_sympy().subs(abel.scale.variable, (alpha / s) ** Rational(1, m))
    rest = known - s - abel.coefficients.get(Monomial(0, 1), 0) * log(alpha) / m
    rest += balance.to_sympy().subs(balance.scale.variable, s)
    for value in (Rational(3), Rational(70, 11)):
        left = rest.subs(s, value).subs(dict.fromkeys(rest.free_symbols - {s}, Rational(1, 3)))
        assert abs(left.evalf(30)) < Rational(1, 10**20)


def check_closed(step: Step, chi) -> None:
    """t' as a closed form against t (1 + e), at a small t and in many digits; parameters are 1/3."""
    known, t = step["growth"].truncate(3), Rational(1, 10**9)
    rest = step["formula"] - chi * AT_FIXED_POINT.variable * (1 + known.to_sympy())
    rest = rest.subs(AT_FIXED_POINT.variable, t)
    rest = rest.subs(dict.fromkeys(rest.free_symbols, Rational(1, 3)))
    assert known.remainder is None or abs(rest.evalf(90)) < 1000 * t ** (1 + known.remainder.monomial.order)


def check_slope(step: Step) -> None:
    """h' against SymPy's derivative of h by y = t^r."""
    t, drift, slope = AT_FIXED_POINT.variable, step["drift"], step["slope"]
    assert simplify(drift.to_sympy().diff(t) / (step["root"] * t ** (step["root"] - 1)) - slope.to_sympy()) == 0
    assert slope.remainder.monomial.order == drift.remainder.monomial.order - step["root"]


def check_other_side(found: dict, law) -> None:
    """A(t) = n + C on the other side, log|t| for log t; s = alpha t^(-m) there."""
    abel, t = found["abel"]["abel"], found["t"]["t odd"] * -1
    turned = Expansion(abel.scale, tuple((k, c * (-1) ** abs(int(k.order))) for k, c in abel.terms), abel.remainder)
    turned = turned.up_to(Monomial(5 - abel.leading[0].order))
    rest = turned.compose(t) - Expansion.variable(t.scale) - law.constant_symbols["C"]
    assert vanishes(rest.up_to(Monomial(Rational(1, 4))))
    assert vanishes(t.power(abel.leading[0].order) * abel.leading[1] - found["t"]["s odd"])


def check_linear(found: dict) -> None:
    """P(t') - lambda P - b and H(t') - lambda H: the series that the law carries, put into the recursion."""
    step, moved = found["particular"], image(found)
    cut = Monomial(3)
    particular = step["particular"].up_to(cut)
    assert vanishes(particular.compose(moved) - step["multiplier"] * particular - step["forcing"])
    homogeneous = step["homogeneous"]
    homogeneous = homogeneous.up_to(Monomial(homogeneous.leading[0].order + 3))
    base = step.objects.get("base", 1)
    assert vanishes(homogeneous.compose(moved) * base - step["multiplier"] * homogeneous)


@pytest.mark.parametrize("name", ROWS)
def test_every_row_has_its_steps(name):
    law = ROWS[name].law()
    assert law.steps[-1].kind == "quantity" and all(step.kind in KINDS for step in law.steps)
    assert not hasattr(law, "expansion") or law.steps[-1]["law"] == law.expansion


@pytest.mark.parametrize("name", [name for name in ROWS if name not in OTHERS])
def test_what_the_steps_found_solves_its_equation(name):
    check(name)


@pytest.mark.parametrize("name", ["relu: diagonal", "resnet relu: diagonal"])
def test_affine_recursions(name):
    law = ROWS[name].law()
    step, layer = law.steps[0], law.depth_variable
    now = law.expansion.to_sympy()
    assert simplify(now.subs(layer, layer + 1) - step["multiplier"] * now - step["affine"]) == 0


@pytest.mark.parametrize("name", ["scaled resnet: diagonal", "scaled resnet: variance"])
def test_affine_recursions_whose_coefficients_depend_on_the_layer(name):
    law = ROWS[name].law()
    step, layer = law.steps[0], law.depth_variable
    formula = law.coordinate.formula.xreplace(law.symbols)
    before = formula.subs(layer, layer - 1)
    left = formula - step["multiplier"] * before - step["affine"]
    assert all(abs(left.subs(layer, k).subs(law.constant_symbols["C"], 2).evalf(30)) < 1e-25 for k in (2, 5, 40))


@pytest.mark.parametrize("name", ["step l^(-1/2)", "h = x^(3/2)", "step 1/(l+1)", "scaled resnet: ntk"])
def test_flow_times(name):
    """h dT/dx = -1; the clock's growth in a layer is the step size; x in T is T's inverse."""
    found = steps_of(name)
    step, time = found["drift"], found["time"]["time"]
    layer, *_ = sorted(step["step"].free_symbols, key=str)
    t, root = AT_FIXED_POINT.variable, step["root"]
    slope = time.without_remainder().to_sympy().diff(t) / (root * t ** (root - 1))
    known = slope * step["drift"].without_remainder().to_sympy() + 1
    assert limit(known, t, 0) == 0 and limit(known / t ** Rational(1, 2), t, 0) in (0, oo, -oo)
    clock = found["time"]["clock"].to_sympy()
    assert limit((clock - clock.subs(layer, layer - 1)) / step["step"], layer, oo) == 1
    back = time.compose(found["reversed"]["reversed"].power(1 / root))
    assert vanishes(back - Expansion.variable(back.scale))
