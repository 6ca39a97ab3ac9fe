"""Order on the scales, against limits that SymPy-free numbers show."""

from itertools import pairwise

import mpmath
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from sympy import Rational, Symbol

from asympt.expansions import Monomial, Scale

L = Symbol("l", positive=True)
T = Symbol("t", positive=True)
monomials = st.builds(
    Monomial,
    st.fractions(-4, 4, max_denominator=3).map(lambda q: Rational(q.numerator, q.denominator)),
    st.integers(0, 4),
)


def size(monomial: Monomial, scale: Scale, at) -> mpmath.mpf:
    power = mpmath.mpf(int(monomial.order.p)) / int(monomial.order.q)
    return at ** (scale.sign * power) * abs(mp.log(at)) ** monomial.logs


@given(monomials, monomials)
def test_the_order_is_the_order_of_sizes_at_both_limits(one, two):
    # at t = 10^(-10^4) and l = 10^(10^4) powers beat logs: 1/6 in the exponent is 10^1666 against 10^(4*5)
    for scale, at in ((Scale.at_zero(T), "1e-10000"), (Scale.at_infinity(L), "1e10000")):
        sizes = size(one, scale, mpmath.mpf(at)), size(two, scale, mpmath.mpf(at))
        assert (one < two) == (sizes[0] < sizes[1] and one != two)
        assert (one > two) == (sizes[0] > sizes[1] and one != two)


@given(monomials, monomials, monomials)
def test_the_order_is_total_and_respects_multiplication(one, two, three):
    assert [one < two, one == two, one > two].count(True) == 1
    assert all(type(answer) is bool for answer in (one < two, one <= two, one > two, one >= two))
    assert (one < two) == (one * three < two * three)


def test_the_chain_in_the_module_header():
    chain = [Monomial(2), Monomial(3, 2), Monomial(3, 1), Monomial(3)]
    assert all(larger > smaller for larger, smaller in pairwise(chain))
