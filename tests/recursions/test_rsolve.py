"""`rsolve_asymptotic`: natural inputs against plain iteration in mpmath, and refusals by their reason."""


import pytest
from mpmath import mp, mpf
from sympy import Eq, Function, Rational, S, Symbol, cos, exp, gamma, lambdify, log, sin, sqrt

from asympt import InputError, UnsupportedError, rsolve_asymptotic, verify
from asympt.recursions.linear_recurrence import LayeredSolution
from asympt.recursions.non_autonomous import DrivenRecursion

a, n, c = Function("a"), Symbol("n"), Symbol("c", positive=True)
A, HALF, X = a(n), Rational(1, 2), Symbol("x", positive=True)
INPUTS = [
    (A - A**2, 0, HALF), (sin(A), 0, 1), (sin(A), 3, -1), (cos(A), 2, 1), (log(1 + A), 0, 2), (exp(-A), 0, 1),
    (A + 1 / A, 0, 1), (A + sqrt(A), 1, 1), (A**2 + 1, 0, 0), (A**2 - A + 1, 0, 2), (A**2 - 2, 1, 3),
    (A / 2 + 1 / A, 0, 1), (sqrt(1 + A), 0, 1), (1 + 1 / A, 0, 1), (A / 2 + 1, 0, 0), (2 * A + 1, 0, 1),
    (3 * A * (1 - A), 0, HALF), (-sin(A), 0, 1), (A + A**2, 0, -HALF), (sin(A) ** 2, 0, 1), (A - A**2, 0, 2),
    (A + 1 / n, 1, 1), ((1 - 1 / (n + 1)) * A + 1, 0, 0), (A * sqrt(n / (n + 1)), 1, 1), (2 * A + n, 0, 1),
    ((n + 1) / n * A + log(n), 1, 1), ((n + HALF) / (n + 1) * A, 0, 1), (A - A**2 / (n + 1), 0, HALF),
    (n * A + 1, 1, 1), (A * gamma(n) / gamma(n + HALF), 1, 1), (A + log(1 + A), 0, 1), (A + cos(A), 0, 1),
    (A - A**2 / sqrt(n + 1), 0, HALF), (A - sin(A) / (3 * n + 3), 0, HALF), (A - A**2 / (n + 2), 4, HALF),
    (n * A**2, 1, 2), (sqrt(A) * (n + 1), 0, 1), (-A * log(A), 0, Rational(1, 10)), (A + 1 / A - A**-3, 0, 2),
    (A / (1 + n * A), 1, HALF), (A / (n + A), 1, 2), (2 * A + log(A), 0, 1), (A - A**2 + n**-2, 1, HALF),
    (sqrt(A + n), 0, 1), (A + n / A, 1, 2), (1 + n / A, 1, 1), (A * (1 - 1 / (n * log(n))), 2, 1),
]  # fmt: skip


def law_of(image, layer, value, terms=4):
    return rsolve_asymptotic(Eq(a(n + 1), image), A, {a(layer): value}, terms)


def orbit(image, layer, value, last):
    """{m: a(m)} by plain iteration."""
    step, found = lambdify((A, n), image, "mpmath"), {layer: mpf(S(value).p) / S(value).q}
    for m in range(layer, last):
        found[m + 1] = step(found[m], mpf(m))
    return found


def functions_of(law, *formulas):
    return [lambdify(law.multiplier.scale.variable, formula, "mpmath") for formula in formulas]


@pytest.mark.parametrize(("image", "layer", "value"), INPUTS)
def test_natural_inputs(image, layer, value, agrees):
    law = law_of(image, layer, value, 2)
    seen = lambdify(Symbol("a_n"), (isinstance(law, LayeredSolution) and law.of) or Symbol("a_n"), "mpmath")
    with mp.workdps(60):
        found = orbit(image, layer, value, layer + 12)
        assert all(agrees(law.evaluate(layer + k, digits=15), seen(found[layer + k]), 15) for k in (1, 2, 12))


def test_steps_that_are_exponentials_and_powers_with_a_symbol(agrees):
    law = law_of(A + exp(-A), 0, 0, 3)
    assert law.plain == "exp(a_n)" and str(law) == "exp(a_n) = n + log(n)/2 + C + O(log(n)/n)"
    for computed in (lambda: law + 1, lambda: 2 * law, lambda: -law):
        with pytest.raises(InputError, match=r"not a number or a formula; compute with law.to_sympy\(\)"):
            computed()
    assert agrees(law.evaluate(100, digits=14), mp.exp(orbit(A + exp(-A), 0, 0, 100)[100]), 13)
    known, q = rsolve_asymptotic(Eq(a(n + 1), A + A**-2), A, terms=1), Symbol("q", positive=True)
    law = rsolve_asymptotic(Eq(a(n + 1), A + A**-q), A, terms=2)
    assert law.plain == "a_n^(q + 1)" and known.coefficient((-Rational(1, 3), 0)) ** 3 == 3  # Finch, arXiv 2411.16062
    assert (law.coefficient("n") - q - 1).expand() == 0 and law.coefficient("log(n)") == q / 2
    assert law_of(A + 1 - exp(A), 0, HALF).plain == "a_n"  # 0 is fixed


@pytest.mark.parametrize(("image", "value"), [((n + 1) * A, lambda m: mp.factorial(m)),
                                               (A / (n + 1), lambda m: 1 / mp.factorial(m))])  # fmt: skip
def test_multipliers_that_leave_every_number(image, value, agrees):
    """The law of a/n was 0."""
    law = law_of(image, 0, 1, 2)
    assert "gamma(n + 1)" in str(law) and agrees(law.evaluate(30, digits=15), value(30), 15)


LOGARITHMS = [(A * log(A), 3), (3 * A * log(A), 3), (A + A / log(A), 3), (A + A / log(A), S(1) / 10), (sqrt(A) ** 3, 2)]


@pytest.mark.parametrize(("image", "value"), LOGARITHMS)
def test_laws_of_the_logarithm(image, value, agrees):
    law = law_of(image, 0, value, 1)
    assert agrees(law.evaluate(9, digits=14), mp.log(orbit(image, 0, value, 9)[9]), 13)
    if value < 1 and image == A + A / log(A):  # z^2/2 - z/2 - (7/12) log z = n + C, z = -log x, in another program
        constant = law.connection_constant(start=log(value), digits=30)
        with mp.workdps(30):
            assert agrees(constant, mpf("1.21809326766672465439358425276"), 28)


@pytest.mark.parametrize(("equation", "start", "error", "words"), [
    (Eq(a(n + 1), A**3 * log(1 / A)), {a(0): HALF / 2}, UnsupportedError, r"grows like 3\^n with further"),
    (Eq(a(n + 1), A + a(n - 1)), None, UnsupportedError, r"not of first order.*sympy.rsolve solves linear ones"),
    (Eq(a(n + 1), A * a(n - 1)), None, UnsupportedError, "asympt.System may have the law"),
    (Eq(a(n + 1), cos(A) + 1 / n), None, UnsupportedError, r"neither free of n nor affine.*no series starts"),
    (Eq(a(n + 1), A**2 - n), {a(1): 3}, UnsupportedError, r"faster than n\^20"),
    (Eq(a(n + 1), A - A**2 * sin(n) / n), {a(1): HALF}, UnsupportedError, "neither free of n nor affine"),
    (Eq(a(n + 1), A - A**2 / (n * log(n) ** 2)), {a(2): HALF}, UnsupportedError, "as it has to be"),
    (Eq(a(n + 1), (1 - c / n) * A + 1 / log(n)), None, UnsupportedError, "starts with a rational power of l"),
    (Eq(a(n + 1), 1 / A), {a(0): 2}, UnsupportedError, "neither converges nor grows"),
    (Eq(a(n + 1), A / (1 + n * A)), {a(1): 0}, UnsupportedError, r"a\(1\) = 0 has no real 1/a"),
    (Eq(a(n + 1), A**2), {a(0): 1}, InputError, "the sequence is constant"),
    (Eq(a(n + 1), 4 * A * (1 - A)), {a(0): Rational(1, 3)}, UnsupportedError, "repelling"),
    (Eq(a(n + 1), -sin(A)), {a(1): 1}, UnsupportedError, "counted from 0, not from 1"),
    (Eq(a(n + 1), c * sin(A)), {a(0): 1}, UnsupportedError, "with the symbols c; leave it out"),
    (Eq(a(n + 1) ** 2, 1 + A), None, UnsupportedError, "has 2 solutions"),
    (Eq(a(n + 1), sqrt(A - 2)), {a(0): 1}, InputError, "not real at x = 1.0"),
    (Eq(a(2 * n), A), None, InputError, "write it in a"), (Eq(a(n + 1), sin(A)), {0: 1}, InputError, "is not a start"),
    (Eq(a(n + 1), sin(A)), {a(0): c}, InputError, "a real number at a whole layer"),
    (3, None, InputError, "is not a recursion"), ("a(n + 1) = c = 2", None, InputError, "more than two sides"),
])  # fmt: skip
def test_refusals(equation, start, error, words):
    with pytest.raises(error, match=words):
        rsolve_asymptotic(equation, A, start)


@pytest.mark.parametrize(("image", "first", "text", "constant"), [
    (A + 1 / (n * log(n)), 2, "log(log(n)) - 1/(2*n*log(n))", "0.794678645452899402203897962065149514064999"),
    (A + 1 / (n * log(n) ** 2), 2, "-1/log(n) - 1/(2*n*log(n)^2)", "2.10974280123689197447925719761655132638553"),
    (A + 1 / log(n), 2, "li(n) - 1/(2*log(n))", "-0.243238342890980755415059135465462307178304"),
    (A + sqrt(n) / log(n), 2, "Ei(3*log(n)/2) - sqrt(n)/(2*log(n))", None),
    (A + log(log(n)), 3, "n*log(log(n)) - log(log(n))/2 - li(n)", None),
    (A * n / (n + 1) + log(log(n)), 3, "(n/2 + 1/2)*log(log(n))", None),
    (sqrt(n / (n + 1)) * A + 1 / log(n), 2, "Ei(-3*log(n)/2)/(16*sqrt(n)) - ", None),
    (A * n / (n + 1) + 1 / log(n), 2, "Ei(2*log(n))/n + li(n)/n - 1/(2*log(n))", None),
    (A / 2 + 1 / log(n), 2, "2/log(n) + 4/(n*log(n)^2)", None),
])  # fmt: skip
def test_forcings_with_negative_powers_of_logarithms(image, first, text, constant):
    """(a_n - P)/H by plain iteration settles, at the constants of scales.md, D; without H what is left is O(rest)."""
    law = law_of(image, first, 0, 5)
    assert str(law).startswith(text) and r"{\frac" not in law.particular.latex()
    size = law.particular.scale.to_sympy(law.particular.remainder.monomial)
    whole, free, rest = functions_of(law, law.integrals + law.particular.to_sympy(), law.h.prefactor(), size)
    with mp.workdps(30):
        found = orbit(image, first, 0, 4000)
        (left, h, size), (later, h2, size2) = ([found[m] - whole(mpf(m)), free(mpf(m)), rest(mpf(m))]
                                               for m in (1000, 4000))  # fmt: skip
        assert abs(later - left * h2 / h) < 100 * (size * h2 / h + size2)
        assert constant is None or abs(later - mpf(constant)) < 100 * size2


@pytest.mark.parametrize(("image", "value", "text"), [
    (A - A**2 + n**-2, HALF, "((1 + sqrt(5))/2)/n + (-(sqrt(5) + 3)/4)/n^2"), (A + n / A, 2, "n + D/n*(1 + 1/n"),
    (sqrt(A + n), 1, "sqrt(n) + 1/2 - 3/(8*sqrt(n))"), (1 + n / A, 1, "sqrt(n) + 1/2 - 1/(8*sqrt(n))"),
    (A - A**3 + 1 / n, 1, "1/n^(1/3) + 1/(9*n^(2/3))"), (A + 1 / (n + A), 1, "log(n) + log(n)/n + 1/(2*n)"),
    (A + 1 / (sqrt(n) * A), 1, "2*n^(1/4) - 3/(8*n^(3/4))"), (-sqrt(n + A**2), 1, "-sqrt(2)*n/2 + sqrt(2)/4"),
])  # fmt: skip
def test_what_the_layer_carries_along(image, value, text):
    """What plain iteration leaves of P + D H at 20000 and at 5000, D of the latter, in units of the remainder."""
    law = law_of(image, 1, value)
    rest, h = law.particular.remainder, law.h
    size = law.particular.scale.to_sympy(rest.monomial).subs(law.multiplier.scale.variable, 20000) if rest else 0
    assert str(law).startswith(text)
    p, free = functions_of(law, law.particular.to_sympy(), h.prefactor() * h.relative.to_sympy() if h else S.Zero)
    with mp.workdps(30):
        found = orbit(image, 1, value, 20000)
        (left, h1), (later, h2) = ((found[m] - p(mpf(m)), free(mpf(m))) for m in (5000, 20000))
        assert abs(later - (left * h2 / h1 if h1 else 0)) < 100 * abs(size) + abs(later) / 1000


def test_logarithms_beside_a_multiple():
    """a_n - 2^n D - P, with D so that it vanishes at n = 100, is as small as n/2^n at n = 40."""
    law = law_of(2 * A + log(A), 0, 1)
    with mp.workdps(60):
        found = orbit(2 * A + log(A), 0, 1, 100)
        letters, d = (law.multiplier.scale.variable, law.constant_symbol), mpf(2)
        p = lambdify(letters, law.particular.to_sympy(), "mpmath")
        for _ in range(9):
            d = (found[100] - p(mpf(100), d)) / mpf(2) ** 100
        assert abs(found[40] - mpf(2) ** 40 * d - p(mpf(40), d)) < mpf(40) / 2**40


@pytest.mark.parametrize(("image", "value"), [(A / (1 + n * A), -Rational(1, 3)),
                                              (A / (1 + n * A / 7), -Rational(7, 6))])  # fmt: skip
def test_one_over_a_past_zero_is_refused(image, value):
    law = law_of(image, 1, value)
    assert law.evaluate(2)
    with pytest.raises(InputError, match="1/a_n is 0 in layer"):
        law.evaluate(9)


def test_equations_as_texts():
    assert str(rsolve_asymptotic("a(n) - c*a(n)^2/n - a(n + 1)", "a(n)", None, 1)) == "1/(c*log(n)) + O(1/log(n)^2)"
    law = rsolve_asymptotic("a(n + 1) = a(n) - a(n)^2/(2*n)", "a(n)", {"a(1)": "1/2"})
    assert abs(law.evaluate(3) - mpf(87) / 256) < 1e-14  # 1/2, 3/8, 87/256


@pytest.mark.parametrize(("image", "value", "expected"), [(A - 1, 1, -39), (A + 2, -10, 70)])
def test_orbits_to_infinity_that_pass_through_zero(image, value, expected):
    law = law_of(image, 0, value)
    assert law.evaluate(40) == expected
    with pytest.raises(InputError, match="before the layer"):
        law.evaluate(1)


def test_theorem_and_checks_are_about_its_own_start():
    law = law_of(sin(A), 3, 1, 2)
    theorem, found = law.certificate(), verify(law, digits=10, depth=1000)
    assert " and a_3 = 1: |a_n - " in str(theorem) and "a_{3} = 1" in theorem.latex()
    assert found.verdict == "proved" and str(found.theorem) == str(theorem)
    assert verify(law_of(A**2 - A + 1, 1, 2), digits=10).verdict == "checked"
    driven = DrivenRecursion(X**2, X, 1 / n, n, first=4).law(terms=1)
    assert "for all n >= 5 and x_4 = 1/2:" in str(driven.certificate(start=HALF))


def test_the_start_of_the_law():
    law = law_of(sin(A), 3, 1)
    assert law.plain == "a_n" and law.evaluate(3) == 1
    assert law.evaluate(4, start=2) == law.evaluate(4, x0=2) != mp.sin(1)
    with pytest.raises(InputError, match="before the layer 3"):
        law.evaluate(2)
    law = rsolve_asymptotic("u(C + 1) = sin(u(C))", "u(C)", "u(0) = 1", terms=3)
    assert law.plain == "u_C" and str(law).startswith("sqrt(3)/sqrt(C)") and "C_0" in str(law)
    assert law.evaluate(99) == law_of(sin(A), 0, 1, 3).evaluate(99)
    turning = rsolve_asymptotic("u(t + 1) = -sin(u(t))", "u(t)", "u(0) = 1", terms=1)
    assert str(turning).endswith("-sqrt(3)/sqrt(t) + O(log(t)/t^(3/2)) for odd t, from u_0 = 1")
    assert turning.latex(split=True).endswith("$\\text{from } u_0 = 1$.")
