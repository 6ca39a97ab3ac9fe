"""Certificates of networks off the Edge of Chaos, where correlation and NTK approach their limits exponentially.

Expected: the layer's own iteration in mpmath (`correlation_map.gap`, `gap_slope`), and the connection constants
that two routes of mpmath agree on.
"""

from functools import cache

import mpmath
import pytest
from mpmath import mp
from sympy import Rational

import asympt as asy

START, DEPTH, DIGITS = Rational(1, 10), 14, 22
ORDERED, CHAOTIC = {"sigma_w": 1, "sigma_b": 1}, {"sigma_w": 3, "sigma_b": Rational(1, 5)}
NETWORKS = {
    "relu, ordered": ("relu", ORDERED), "erf, ordered": ("erf", ORDERED), "elu, ordered": ("elu", ORDERED),
    "gelu, ordered": ("gelu", {"sigma_w": 1, "sigma_b": Rational(1, 2)}), "erf, chaotic": ("erf", CHAOTIC),
    "erf, chaotic without bias": ("erf", {"sigma_w": 3, "sigma_b": 0}),
}  # fmt: skip


@cache
def network(name: str) -> asy.FeedForward:
    phi, options = NETWORKS[name]
    return asy.FeedForward(phi, **options)


@cache
def orbit(name: str) -> dict[int, tuple]:
    """{layer: (1 - c, K/q)} from c^1 = 1/10."""
    f, found = network(name).correlation_map, {}
    with mp.workdps(DIGITS):
        gap = mpmath.mpf(9) / 10
        kernel = 1 - gap
        for layer in range(2, DEPTH + 1):
            slope, gap = f.gap_slope(gap), f.gap(gap)
            kernel = slope * kernel + 1 - gap
            found[layer] = gap, kernel
    return found


def deviation(name: str, law, certificate) -> float:
    """The largest |quantity - law| over the monomial along the iteration, as far as its digits reach.

    C and D are the middles of their enclosures: wrong ones would show at the deeper layers.
    """
    ends = certificate.connection_constant, certificate.second_constant
    middles = [(low + high) / 2 for low, high in filter(None, ends)]
    constants = dict(zip((law.constant_symbols["C"], law.constant_symbols["D"]), middles, strict=False))
    printed, monomial, worst = law.to_sympy().subs(constants), abs(certificate.monomial), 0
    for layer, state in orbit(name).items():
        here, size = (mpmath.mpf(e.subs(law.depth_variable, layer).evalf(DIGITS)._mpf_) for e in (printed, monomial))
        quantity = state[law.linear is not None]
        if size > 1e-12:  # below, the iteration's digits are gone
            worst = max(worst, abs(quantity - here) / size)
    return float(worst)


def check(name: str, which: str, terms: int) -> None:
    law = getattr(network(name), which)(terms=terms)
    certificate = law.certificate(correlation=START)
    worst = deviation(name, law, certificate)
    assert 0 < worst <= float(certificate.constant) * (1 + 1e-6)
    assert float(certificate.constant) <= 2 * worst
    low, high = law.enclose(DEPTH, correlation=START, digits=12)
    quantity = orbit(name)[DEPTH][law.linear is not None]
    assert low - 1e-13 <= quantity <= high + 1e-13


@pytest.mark.parametrize("which", ["correlation_law", "ntk_law"])
@pytest.mark.parametrize("name", NETWORKS)
def test_bound_holds_along_the_layers(name, which):
    check(name, which, 2)


@pytest.mark.parametrize(("name", "starts"), [
    ("relu, ordered", (Rational(-1, 2), Rational(0), START)),
    ("erf, chaotic", (Rational(-1, 2), Rational(-1, 4), Rational(0))),  # below c* = 0.0253
])  # fmt: skip
def test_all_starts_of_an_interval(name, starts):
    law = network(name).ntk_law(terms=2)
    whole = law.certificate(correlation=(starts[0], starts[-1]))
    singles = [law.certificate(correlation=start).constant for start in starts]
    assert max(singles) <= whole.constant <= 2 * max(singles)


@pytest.mark.parametrize(("net", "start", "reason"), [
    (network("erf, chaotic without bias"), ("-1/2", "1/2"), r"both sides|touch"),  # c* = 0
    (asy.FeedForward("cos", sigma_w=1), -1, "land on the fixed point"),  # even: f(-1) = 1
])  # fmt: skip
def test_starts_on_both_sides_of_the_fixed_correlation_or_whose_image_it_is_are_refused(net, start, reason):
    for law in (net.correlation_law(terms=2), net.ntk_law(terms=2)):
        with pytest.raises(ValueError, match=reason):
            law.certificate(correlation=start)


@pytest.mark.parametrize(("net", "settled"), [
    (asy.FeedForward("erf", sigma_b="1/10"), True), (asy.FeedForward("relu", sigma_w=1, sigma_b="1/3"), True),
    (asy.FeedForward("relu"), False), (asy.ResNet("relu", sigma_w=1), False),
])  # fmt: skip
def test_a_theorem_about_inputs_of_the_settled_variance_says_so(net, settled):
    theorem = net.correlation_law(terms=2).certificate(correlation="1/10")
    assert ("at q^1 = q:" in theorem.statement) is settled and theorem.scope.endswith("at q^1 = q") is settled
    assert (r"\text{ at } q^{1} = q" in theorem.latex()) is settled
