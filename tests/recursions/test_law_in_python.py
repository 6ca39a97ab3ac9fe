"""What a law does in Python besides its formula: the inverse, NumPy, figures, copies."""

import pickle

import mpmath
import numpy as np
import pytest
from mpmath import mp
from sympy import Rational, Symbol, latex, log

import asympt as asy
from asympt.recursions.law import PUBLIC, Law

A = Symbol("a", positive=True)
X = Symbol("x")
LAWS = {
    "parabolic": (lambda: asy.Recursion("sin(x)").law(), {"start": 1}),
    "linear": (lambda: asy.Recursion("x/(1 + x)").linear_law(1, "x", terms=3), {"start": 1}),
    "hyperbolic": (lambda: asy.Recursion("x/2 + x^2/10").law(), {"start": 1}),
    "flip": (lambda: asy.Recursion("3*x*(1 - x)", fixed_point="2/3").law(), {"start": "1/2"}),
    "driven": (lambda: asy.DrivenRecursion("x^2", "x", "1/(l + 1)", "l").law(), {"start": "1/2"}),
    "NTK": (lambda: asy.FeedForward("relu").ntk_law(), {"correlation": "1/10"}),
    "convolution": (lambda: asy.ConvNet("relu", positions=3, reach=1).ntk_law(), {"correlation": "1/10"}),
    "composed": (lambda: asy.Network("residual(layer_norm(), activation(relu), dense(1))", first="dense(1)",
                                     variance=1).ntk_law(), {"correlation": "1/10"}),
}  # fmt: skip


def test_copies_by_pickle_are_equal_and_other_laws_are_not():
    laws = {name: derive() for name, (derive, _) in LAWS.items()}
    for name, law in laws.items():
        copy = pickle.loads(pickle.dumps(law))
        assert copy == law and hash(copy) == hash(law)
        assert [other for other in laws if laws[other] == copy] == [name]


def test_laws_with_one_formula_are_not_equal_when_their_constants_are_not():
    one, two = (asy.Recursion(f"x - x^2 + {share}*x^4").law(terms=1) for share in ("0", "1/7"))
    assert one.expansion == two.expansion and one != two


@pytest.mark.parametrize("name", ["parabolic", "linear", "hyperbolic", "flip", "NTK"])
def test_numpy_has_the_formula_with_its_constants(name):
    derive, start = LAWS[name]
    law, depths = derive(), np.array([10**5, 10**5 + 1] if name != "hyperbolic" else [30, 31])
    found, exact = law.to_numpy()(depths, **start), law.evaluate(depth=depths, digits=None, **start)
    assert found.dtype == np.float64 and np.allclose(found, exact, rtol=1e-9 if name != "flip" else 1e-4)


def test_numpy_refuses_what_is_no_depth_and_symbols():
    with pytest.raises(asy.InputError, match="depth = 0 is not a depth everywhere"):
        LAWS["parabolic"][0]().to_numpy()(0, start=1)
    with pytest.raises(asy.InputError, match="symbols a has no values"):
        asy.Recursion(X - A * X**2).law(terms=1).to_numpy()(3, start=1)


INVERSE = {
    "exactly there": (lambda: asy.Recursion("x/(1 + x)").law(), "1/10", {"start": 1}),  # x_9 = 1/10
    "far": (lambda: asy.FeedForward("relu").correlation_law(), "1e-30", {"correlation": "1/10"}),
    "next to it": (lambda: asy.FeedForward("relu").correlation_law(), "0.9", {"correlation": "1/10"}),
    "falls fast": (lambda: asy.Recursion("x/2 + x^2/10").law(), "1e-20", {"start": 1}),
    "grows": (lambda: asy.Recursion("x + 1/x").law(), 1000, {"start": 1}),
    "to a limit": (lambda: asy.FeedForward("relu").ntk_law(), "0.24", {"correlation": "1/10"}),
}


@pytest.mark.parametrize("derive, value, start", INVERSE.values(), ids=INVERSE)
def test_the_depth_for_a_value_is_the_first_that_has_it(derive, value, start):
    law = derive()
    depth = law.depth_for(value, **start)
    with mpmath.workdps(60):
        at = [law.evaluate(depth=n, digits=50, **start) - mpmath.mpf(Rational(value).p) / Rational(value).q
              for n in {max(1, depth - 1), depth}]  # fmt: skip
        assert abs(at[-1]) < mpmath.mpf(10) ** -45 or depth == 1 or at[0] * at[-1] < 0
    assert depth == 9 or value != "1/10"


@pytest.mark.parametrize(("depth", "below"), [(1, 30), (1000, 25), (1000, 45)])
def test_a_value_just_below_an_iterate_takes_one_more_layer(depth, below):
    with mp.workdps(60):
        x = mp.mpf(1)
        for _ in range(depth):
            x = mp.sin(x)
        value = mp.nstr(x - mp.mpf(10) ** -below, 55)
    assert asy.Recursion("sin(x)").law().depth_for(value, start=1) == depth + 1


def test_the_depth_for_a_gap():
    law = asy.FeedForward("relu").correlation_law()
    assert law.depth_for(gap="1/1000", correlation="1/10") == law.depth_for("1/1000", gap="9/10") == 200


CHAOTIC = asy.FeedForward("erf", sigma_w=2, sigma_b="1/2")  # c^l -> 0.396935943606826
NEVER = {
    "below the limit": (lambda law: law.depth_for(0, start=1), "never reaches 0"),
    "beyond the start": (lambda law: law.depth_for(2, start=1), r"goes from 0.5 to 0 and never reaches 2"),
    "beyond digits": (lambda _: CHAOTIC.correlation_law().depth_for(gap="1/5", correlation=0), "to 0.603064 and never"),
    "no value": (lambda law: law.depth_for(start=1), "no value was given; give the value to reach"),
    "a misspelt gap": (lambda law: law.depth_for(gpa=1), r"no value was given.* \(did you mean gap\?\)"),
    "no map": (lambda law: asy.Recursion(None), "the map = None is not a formula; give one of SymPy's or a text"),
    "a misspelt start": (lambda law: law.depth_for(1, strat=1), r"'strat' \(did you mean start\?\); the start"),
}


@pytest.mark.parametrize("asked, said", NEVER.values(), ids=NEVER)
def test_a_value_that_is_never_reached_is_refused(asked, said):
    with pytest.raises(asy.InputError, match=said):
        asked(asy.Recursion("x/(1 + x)").law())


def test_a_quantity_that_changes_sides_reaches_nothing_for_good():
    with pytest.raises(asy.UnsupportedError, match="changes sides"):
        LAWS["flip"][0]().depth_for("0.7", start="1/2")


def test_a_quantity_that_overshoots_its_limit_has_reached_what_lies_beyond():
    """ReLU, c^1 = 1/10, by plain iteration: the average kernel is 0.1 in layer 1, 0.323709 in layer 10, then falls."""
    law = asy.FeedForward("relu").ntk_law(terms=1)
    for value in ("0.26", "0.3237"):
        with pytest.raises(asy.UnsupportedError, match=r"reaches .* and turns back"):
            law.depth_for(value, correlation="1/10")
    with pytest.raises(asy.InputError, match="never reaches"):
        law.depth_for("0.32371", correlation="1/10")


def test_symbols_get_values_by_name():
    law = asy.Recursion(X - A * X**2).law(terms=2)
    n = law.depth_variable
    assert law.subs(a=2) == law.subs({A: 2}) == 1 / (2 * n) - log(n) / (2 * n**2)
    assert law.subs(a=1, n=10) == Rational(1, 10) - log(10) / 100
    with pytest.raises(asy.InputError, match=r"symbol = 'aa' is unknown \(did you mean a\?\)"):
        law.subs(aa=1)
    with pytest.raises(asy.InputError, match="a = -1 is not positive"):
        law.subs(a=-1)


@pytest.mark.parametrize("net", ["FeedForward", "ResNet"])
def test_slopes_that_make_the_map_linear_leave_the_law(net):
    """f(c) = c keeps every correlation: neither does 1 - c fall, nor K^L/(q L) tend to 1/4."""
    given = {} if net == "FeedForward" else {"sigma_w": 1}
    laws = getattr(asy, net)("leaky_relu", slope=Symbol("a"), **given)
    for law in (laws.correlation_law(terms=1), laws.ntk_law(terms=1)):
        assert law.subs(a=2).is_finite is not False
        with pytest.raises(asy.InputError, match="does not hold for these values"):
            law.subs(a=1)


def test_how_a_law_is_printed():
    law = LAWS["NTK"][0]()
    assert latex(law) == law.latex() and law.latex().replace("<", "&lt;") in law._repr_html_()


@pytest.mark.parametrize("name", ["parabolic", "hyperbolic", "NTK"])
def test_the_figure_shows_values_and_formula(name):
    derive, start = LAWS[name]
    law = derive()
    figure = law.plot(depth=200, **start)
    points, line = figure.axes[0].lines
    limit = float(law.limit)
    last = abs(law.evaluate(depth=200, **start) - mpmath.mpf(law.limit.p) / law.limit.q)
    assert points.get_ydata()[-1] == pytest.approx(float(last)) and line.get_xdata()[-1] == 200 and limit >= 0
    assert line.get_ydata()[-1] == pytest.approx(float(last), rel=0.1)


@pytest.mark.parametrize("name", LAWS)
def test_a_law_shows_some_two_dozen_names_and_explains_each(name):
    law = LAWS[name][0]()
    shown = {part for part in dir(law) if not part.startswith("_")}
    assert shown == set(PUBLIC) and len(shown) <= 24
    assert all(hasattr(law, part) and f"`{part}`" in Law.__doc__ for part in shown)
