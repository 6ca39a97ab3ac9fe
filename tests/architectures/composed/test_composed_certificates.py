"""Theorems about compositions, held against iterations of maps that are written down here.

f is the ReLU's map (sqrt(1 - c^2) + (pi - acos c) c)/pi; the maps of the compositions follow from it by hand: a branch
that adds as much variance as the skip connection has gives (c + g(c))/2, a bias 1 on top of a variance 1/2 (f + 2)/3.
"""

import pytest
from mpmath import mp
from sympy import Rational, sqrt

import asympt as asy
from asympt import blocks as b
from asympt.errors import UnsupportedError
from tests.architectures.plain import relu_gap

START = Rational(1, 10)
RELU = (b.activation("relu"), b.dense(sigma_w=sqrt(2)))


def network(*block) -> asy.Network:
    return asy.Network(b.serial(*block), first=b.dense(sigma_w=1), variance=1)


def f(c):
    return 1 - relu_gap(1 - c)[0]


CASES = {
    "post-norm": (network(b.residual(*RELU), b.layer_norm()), lambda c: (c + f(c)) / 2),
    "two layers": (network(b.residual(*RELU, *RELU), b.rms_norm()), lambda c: (c + f(f(c))) / 2),
    "a norm and a bias": (
        network(b.layer_norm(), b.activation("relu"), b.dense(sigma_w=1, sigma_b=1)), lambda c: (f(c) + 2) / 3
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_bound_holds_along_the_correlations(name):
    net, step = CASES[name]
    law = net.correlation_law(terms=2)
    certificate = law.certificate(correlation=START)
    low, high = certificate.connection_constant
    with mp.workdps(60):
        c = mp.mpf(1) / 10
        for depth in range(1, 60):
            if depth >= certificate.valid_from:
                at = {law.depth_variable: depth}
                printed, size = law.expansion.without_remainder().to_sympy().subs(at), certificate.monomial.subs(at)
                ends = [mp.mpf(printed.subs(law.constant_symbols["C"], end).evalf(40)) for end in (low, high)]
                bound = mp.mpf(str(certificate.constant)) * abs(mp.mpf(size.evalf(40)))
                assert abs(1 - c - (ends[0] + ends[1]) / 2) <= bound + abs(ends[0] - ends[1])
            c = step(c)


def test_block_without_closed_form_is_refused_in_a_sentence():
    branch = b.activation("tanh"), b.dense(sigma_w=1, sigma_b=1)
    law = network(b.residual(*branch), b.rms_norm()).correlation_law(terms=1)
    with pytest.raises(UnsupportedError, match=r"has no closed form, so .* certificate"):
        law.certificate(correlation=START)
