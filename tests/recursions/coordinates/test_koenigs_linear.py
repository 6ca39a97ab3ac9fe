"""Linear recursions along a hyperbolic flow: substitution, closed forms, iteration, resonances."""

import mpmath
import pytest
from mpmath import mp
from sympy import Integer, Rational, Symbol, oo, pi, simplify, sqrt, sympify

from asympt.errors import InputError, UnsupportedError
from asympt.expansions.opaque import RealConstant
from asympt.numbers import to_mpf
from asympt.recursions.autonomous import hyperbolic_linear_law
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.recursions.coordinates.koenigs_linear import resonance
from asympt.recursions.protocol import Dynamics, LinearPart

HALF, A = Rational(1, 2), Symbol("a", positive=True)
START = Rational(1, 5)


def along(known, multiplier, forcing, root=1, first=0, start=3):
    """y' = y (c_0 + c_1 t + ...), a' = (l_0 + l_1 t + ...) a + b_0 + b_1 t + ..., a_first = start."""
    series = [[sympify(c) for c in part] for part in (known, multiplier, forcing)]

    def filled(part):
        return lambda count: (series[part] + [Integer(0)] * count)[:count]

    def step(state):
        y, a = state
        t = y if root == 1 else mpmath.root(y, root)
        grow, pull, push = (mpmath.polyval([to_mpf(c) for c in reversed(part)], t) for part in series)
        return y * grow, pull * a + push

    linear = LinearPart(filled(1), filled(2), lambda y: mpmath.mpf(start))
    return Dynamics(filled(0), step, root=root, first=first, linear=linear)


def law_of(dynamics, terms=4, **options):
    return hyperbolic_linear_law(dynamics, terms, lambda start: sympify(start), **options)


def iterated(dynamics, start, depth, digits=80):
    """(y, a) at index `depth`, step by step."""
    with mp.workdps(digits):
        y = to_mpf(sympify(start))
        state = (y, dynamics.linear.start(y))
        for _ in range(depth - dynamics.first):
            state = dynamics.step(state)
        return state


MAP = (HALF, -HALF)
CASES = {
    "slope of the map (the NTK)": along(MAP, (HALF, -1), (1, 1)),
    "slope of the map from index 1": along(MAP, (HALF, -1), (1, 1), first=1),
    "resonance at the third power": along(MAP, (Rational(1, 8), -1), (0, 0, 1)),
    "lambda 1": along(MAP, (1, -1), (1, 1)),
    "chaotic diagonal": along(MAP, (3, -1), (1, 1)),
    "inverse of the multiplier": along(MAP, (2, -1), (1, 1)),
    "lambda -1": along(MAP, (-1, -1), (1, 1)),
    "minus the multiplier": along(MAP, (-HALF, -1), (1, 1)),
    "negative multiplier": along((-HALF, -HALF), (Rational(1, 3), -1), (1, 1)),
    "negative multiplier, resonance": along((-HALF, -HALF), (-HALF, -1), (0, 1)),
    "even power of a negative multiplier": along((-HALF, 1), (Rational(1, 4), 1), (0, 1)),
    "small lambda": along(MAP, (Rational(1, 100), -1), (1, 1)),
    "half powers, slope": along((HALF, Rational(1, 6)), (HALF, Rational(1, 4)), (1, 1), root=2),
    "half powers, odd resonance": along((HALF, Rational(1, 6)), (sqrt(2) / 2, 1), (0, 1), root=2),
    "half powers, irrational lambda": along((HALF, Rational(1, 6)), (pi / 5, 1), (0, 1), root=2),
}
cases = pytest.mark.parametrize("dynamics", CASES.values(), ids=CASES.keys())


@cases
def test_the_formula_with_its_constants_is_the_solution(dynamics, rescaled):
    """(iteration - formula)/(remainder's monomial) stays bounded as n doubles: every term, every factor n."""
    law = law_of(dynamics, terms=5)
    known = {C: law.connection_constant(start=START, digits=90), D: law.second_constant(start=START, digits=90)}
    figures = rescaled(law.expansion, lambda n: iterated(dynamics, START, n, 100)[1], (14, 28), known, 90)
    assert 0 < abs(figures[1]) < 3 * abs(figures[0])


def test_the_ntk_in_the_ordered_phase_with_a_symbol():
    """a' = G'(y) a + b_0 for the logistic map: a_n -> b_0/(1 - chi), and a term n chi^n."""
    law = law_of(along((A, -A), (A, -2 * A), (1,)), terms=2)
    n = law.depth_variable
    # p_0 = 1/(1 - a); then -2a p_0 = r a at t^1 with lambda_0 = a gives r = -2/(1 - a)
    expected = 1 / (1 - A) - 2 / (1 - A) * C * n * A**n
    assert simplify(law.to_sympy() - expected) == 0 and law.limit.equals(1 / (1 - A))
    assert law.parameters == {A} and str(law.coordinate.condition) == "a < 1"
    assert str(law.flow.truncate(1)) == "C*a^n + O(a^(2*n))"


def test_alternating_and_growing_laws():
    alternating = law_of(CASES["lambda -1"])
    assert "(-1)^n*D" in str(alternating)
    with pytest.raises(UnsupportedError, match="changes sign for ever"):
        _ = alternating.limit
    with pytest.raises(UnsupportedError, match="changes sign for ever"):
        _ = law_of(along(MAP, (-3,), (1,))).limit
    assert law_of(CASES["lambda 1"]).limit == oo and law_of(CASES["small lambda"]).limit == Rational(100, 99)
    assert law_of(along(MAP, (HALF,), (0, 1))).limit == 0


def test_a_start_at_the_fixed_point(agrees):
    """On the diagonal y = 0: lambda and b are constant."""
    law = law_of(CASES["chaotic diagonal"])
    with mp.workdps(150):
        reference = mpmath.mpf(7) / 2 * mpmath.mpf(3) ** (10**80) - HALF
    assert agrees(law.evaluate(depth=10**80, start=0, digits=50), reference, 50)
    assert law_of(CASES["lambda 1"]).evaluate(depth=10**6, start=0) == 10**6 + 3
    assert law_of(CASES["slope of the map from index 1"]).evaluate(depth=1, start=0) == 3


def test_a_solution_without_memory(agrees):
    """a_0 on P itself, so D = 0: a_n is known all the same."""
    law = law_of(along(MAP, (Rational(1, 3),), (Rational(2, 3),), start=1))
    assert agrees(law.evaluate(depth=1000, start=START, digits=30), mpmath.mpf(1), 30)


@pytest.mark.parametrize(
    ("slope", "chi", "root", "expected"),
    [
        (HALF, HALF, 1, (1, 1)),
        (1, HALF, 1, (0, 1)),
        (-1, HALF, 1, (0, -1)),
        (4, HALF, 1, (-2, 1)),
        (Rational(-1, 8), -HALF, 1, (3, 1)),
        (Rational(1, 8), -HALF, 1, (3, -1)),
        (sqrt(2) / 4, HALF, 2, (3, 1)),
        (A**3, A, 1, (3, 1)),
        (A * sqrt(A), A, 2, (3, 1)),
        ((pi / 4) ** 2, pi / 4, 1, (2, 1)),
        (Rational(1, 3), HALF, 1, None),
        (A, HALF, 1, None),
        (sqrt(2) / 2, HALF, 1, None),
        (HALF + Rational(1, 10**30), HALF, 1, None),
        (HALF + Rational(1, 10**50), HALF, 1, None),
    ],
)
def test_resonances_are_found_exactly(slope, chi, root, expected):
    assert resonance(slope, chi, root) == expected


def test_what_is_refused():
    with pytest.raises(UnsupportedError, match="lambda is 0 at the fixed point"):
        law_of(along(MAP, (0, 1), (1,)))
    with pytest.raises(UnsupportedError, match="cannot be compared for symbols"):
        law_of(along(MAP, (A, 1), (1,)))
    hidden = RealConstant("eta", lambda: mpmath.mpf(1) / 2, key="one half in disguise")
    with pytest.raises(UnsupportedError, match="agrees with"):
        law_of(along(MAP, (hidden, 1), (1,)))
    with pytest.raises(UnsupportedError, match="only powers up to 100 are solved"):
        law_of(along(MAP, (HALF**1000, 1), (1,)))
    with pytest.raises(InputError, match="lands on the fixed point"):
        law_of(CASES["lambda 1"]).evaluate(depth=100, start=1)
