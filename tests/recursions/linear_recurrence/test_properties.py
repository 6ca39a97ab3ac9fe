"""Random layered recursions: the residual in mpmath, constancy of D along the orbit, truncation, planted errors.

The checks evaluate the expansions and the recursion with mpmath alone, far out and with as many digits as that needs;
nothing of the elimination is used.
"""

from functools import lru_cache

import mpmath
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mpmath import mp
from sympy import Rational, lambdify, log

from asympt.recursions.linear_recurrence import LAYER as l
from asympt.recursions.linear_recurrence import layered_solution

NEAR, FAR = 10**40, 10**50
small = st.fractions(-4, 4, max_denominator=4).map(lambda x: Rational(x.numerator, x.denominator))
nonzero = small.filter(bool)


@st.composite
def recursions(draw):
    """lambda = 1 - alpha/l + smaller (sometimes -> another limit, or with l^(-1/2)), b with powers and logs."""
    grid = draw(st.sampled_from([1, 1, 2, 3]))
    orders = st.integers(grid + 1, 3 * grid).map(lambda k: Rational(k, grid))
    multiplier = draw(st.sampled_from([1, 1, 1, Rational(1, 3), -1])) - draw(small) / l
    for _ in range(draw(st.integers(0, 2))):
        multiplier += draw(small) * l ** -draw(orders) * log(l) ** draw(st.integers(0, 1))
    if draw(st.integers(0, 4)) == 0:
        multiplier -= draw(nonzero) / l ** Rational(1, 2)
    forcing = draw(nonzero) * l ** draw(st.integers(-2, 2)) * log(l) ** draw(st.integers(0, 1))
    return multiplier, forcing + draw(small) * l ** -draw(orders)


def whole_orders(expansion, order):
    """The terms above l^(-order), as a SymPy expression."""
    kept = (c * expansion.scale.to_sympy(m) for m, c in expansion.terms if m.order < order)
    return sum(kept, Rational(0))


def slope(terms, multiplier, forcing):
    """The exponent of l in terms(l) - lambda_l terms(l-1) - b_l between l = 10^40 and 10^50, None when it vanishes."""
    formula, step = lambdify(l, terms, "mpmath"), lambdify(l, [multiplier, forcing], "mpmath")
    with mp.workdps(700):
        sizes = []
        for layer in map(mpmath.mpf, (NEAR, FAR)):
            factor, source = step(layer)
            sizes.append(abs(formula(layer) - factor * formula(layer - 1) - source))
        if max(sizes) < mpmath.mpf(10) ** -500:
            return None
        return float(mp.log(sizes[1] / sizes[0]) / mp.log(mpmath.mpf(FAR) / NEAR))


def pivot_order(multiplier):
    """r in 1 - lambda = c l^(-r) + ..., at most 1, read off numbers at l = 10^400 (a log bends it by 1/400)."""
    with mp.workdps(900):
        defect = abs(1 - lambdify(l, multiplier, "mpmath")(mpmath.mpf(10) ** 400))
        exact = min(1.0, float(-mp.log10(defect) / 400)) if defect else 1.0
    return next(r for r in map(Rational, ("0", "1/3", "1/2", "2/3", "1")) if r >= exact - 0.02)


def last_order(expansion):
    """The order up to which the expansion is complete: that of its remainder."""
    return expansion.remainder.monomial.order


@lru_cache(maxsize=256)
def solved(multiplier, forcing, terms):
    return layered_solution(multiplier, forcing, terms)


@settings(max_examples=60)
@given(recursions(), st.integers(2, 6))
def test_the_residual_lies_beyond_the_remainder(recursion, terms):
    particular = solved(*recursion, terms).particular
    if particular.remainder is None:
        assert slope(particular.to_sympy(), *recursion) is None
        return
    order = last_order(particular)
    measured = slope(whole_orders(particular, order), *recursion)
    # logs bend the slope by (number of logs)/log(10^45), a hundredth each
    assert measured is None or measured <= -float(order + pivot_order(recursion[0])) + 0.08


@settings(max_examples=40)
@given(recursions(), st.integers(2, 4), st.data())
def test_one_percent_in_any_coefficient_is_seen(recursion, terms, data):
    """The check of the test above, with one coefficient 1% off, or its log dropped."""
    particular = solved(*recursion, terms).particular
    assume(particular.remainder is not None)
    order = last_order(particular)
    terms_above = [term for term in particular.terms if term[0].order < order]
    assume(terms_above)
    monomial, coefficient = data.draw(st.sampled_from(terms_above))
    share = data.draw(st.sampled_from([Rational(1, 100), Rational(-1)]))
    planted = whole_orders(particular, order) + share * coefficient * particular.scale.to_sympy(monomial)
    measured = slope(planted, *recursion)
    assert measured > -float(order + pivot_order(recursion[0])) + 0.09


@settings(max_examples=60)
@given(recursions(), st.integers(1, 4), st.integers(1, 4))
def test_truncation_is_consistent(recursion, terms, more):
    short, long = (solved(*recursion, n) for n in (terms, terms + more))
    assert long.particular.truncate(terms) == short.particular
    if short.h is not None:
        assert long.h.relative.truncate(terms) == short.h.relative


@settings(max_examples=40)
@given(recursions(), st.integers(2, 5))
def test_the_homogeneous_solution_leaves_a_small_residual(recursion, terms):
    """H_l / H_(l-1) = lambda_l up to the remainder of the relative part and one order more."""
    multiplier, _ = recursion
    h = solved(multiplier, Rational(0), terms).h
    order = None if h.relative.remainder is None else last_order(h.relative)
    kept = h.relative.to_sympy() if order is None else whole_orders(h.relative, order)
    factor = lambdify(l, multiplier, "mpmath")
    smooth, front = lambdify(l, kept, "mpmath"), lambdify(l, h.growth.to_sympy(), "mpmath")
    with mp.workdps(700):
        base = mpmath.mpf(h.base.p) / h.base.q
        sizes = []
        for layer in map(mpmath.mpf, (NEAR, FAR)):
            ratio = base * mp.exp(front(layer) - front(layer - 1)) * smooth(layer) / smooth(layer - 1)
            sizes.append(abs(ratio - factor(layer)))
        if order is None or max(sizes) == 0:
            assert max(sizes) < mpmath.mpf(10) ** -500
            return
        measured = float(mp.log(sizes[1] / sizes[0]) / mp.log(mpmath.mpf(FAR) / NEAR))
    assert measured <= -float(order) - 1 + 0.08


@settings(max_examples=15)
@given(small, small, nonzero)
def test_the_second_constant_is_constant_along_the_orbit(alpha, c, q):
    """(a_l - P(l))/H(l) from plain iteration at l = 600 and 1200, with 11 terms and whole powers."""
    assume(abs(alpha) <= 3)
    multiplier = 1 - alpha / l + c / l**2
    solution = layered_solution(multiplier, q, 11)
    free = solution.h.prefactor() * solution.h.relative.to_sympy()
    particular, h = (lambdify(l, e, "mpmath") for e in (solution.particular.to_sympy(), free))
    step, constants = lambdify(l, multiplier, "mpmath"), []
    with mp.workdps(50):
        a, number = mpmath.mpf(1), mpmath.mpf(q.p) / q.q
        for layer in map(mpmath.mpf, range(10, 1201)):
            a = step(layer) * a + number
            if layer in (600, 1200):
                constants.append((a - particular(layer)) / h(layer))
        assert abs(constants[1] - constants[0]) <= mpmath.mpf(10) ** -8 * (abs(constants[1]) + 1)
