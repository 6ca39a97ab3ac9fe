"""Pre-norm blocks whose scale or skip depends on the layer: laws, numbers and where there are none.

The reference is the recursion of the block as it stands, ReLU's arc-cosine kernel and covariances written out.
"""

import math

import pytest
from mpmath import mp, mpf

import asympt as asy
from asympt.errors import UnsupportedError

PRE_NORM = "residual(layer_norm, relu, dense({w}), scale={scale}, skip={skip})"


def net(scale="1", skip="1", w="sqrt(2)"):
    return asy.Network(PRE_NORM.format(w=w, scale=scale, skip=skip))


def orbit(scale, skip, depth: int, weight=2) -> tuple:
    """(1 - c, K/q, q) at a layer, q_1 = 1 and K^1 = c^1 = 1/10, by y -> skip(l) y + scale(l) W relu(LN y)."""
    q, gap = mpf(1), mpf(9) / 10
    kernel = 1 - gap
    for layer in range(2, depth + 1):
        a, b, c = skip(layer) ** 2, scale(layer) ** 2, 1 - gap
        angle = mp.acos(c)
        value = mpf(weight) * (mp.sin(angle) + (mp.pi - angle) * c) / (2 * mp.pi)
        slope = mpf(weight) * (mp.pi - angle) / (2 * mp.pi)
        s, kernel = a * q * c + b * value, a * q * kernel + b * (value + slope * kernel)
        q = a * q + b * mpf(weight) / 2
        gap, kernel = 1 - s / q, kernel / q
    return gap, kernel, q


ONE = lambda layer: mpf(1)  # noqa: E731
CASES = {
    "1/sqrt(LAYER)": (("1/sqrt(LAYER)", "1"), (lambda n: 1 / mp.sqrt(n), ONE)),
    "LAYER^(-1/4)": (("LAYER**(-1/4)", "1"), (lambda n: n ** (mpf(-1) / 4), ONE)),
    "sqrt(LAYER)": (("sqrt(LAYER)", "1"), (mp.sqrt, ONE)),
    "shifted": (("1/sqrt(LAYER + 3)", "1"), (lambda n: 1 / mp.sqrt(n + 3), ONE)),
    "skip 1 - 1/l": (("1", "1 - 1/LAYER"), (ONE, lambda n: 1 - mpf(1) / n)),
    "both": (("1/sqrt(LAYER)", "sqrt(1 - 1/LAYER)"), (lambda n: 1 / mp.sqrt(n), lambda n: mp.sqrt(1 - mpf(1) / n))),
}


@pytest.mark.parametrize("name", CASES)
def test_numbers_at_layers(name):
    """Layer 400 is beyond what `evaluate` iterates itself for few digits."""
    given, factors = CASES[name]
    with mp.workdps(30):
        gap, kernel, _ = orbit(*factors, 400)
    network = net(*given)
    assert abs(network.correlation_law(1).evaluate(depth=400, gap="9/10", digits=15) / gap - 1) < 1e-14
    unit = network.ntk_diagonal_law().evaluate(depth=400, digits=15) if name == "both" else 1
    assert abs(network.ntk_law(1).evaluate(depth=400, gap="9/10", digits=15) * unit / kernel - 1) < 1e-14


@pytest.mark.parametrize(("name", "correlation", "ntk", "diagonal"), [
    ("1/sqrt(LAYER)", "9*pi^2/(2*log(log(l))^2) + O(1/log(log(l))^3)", "log(log(L))/4 + O(1)", "log(log(L)) + O(1)"),
    ("LAYER^(-1/4)", "18*pi^2/log(l)^2 + O(1/log(l)^3)", "log(L)/8 + O(1)", "log(L)/2 + O(1)"),
    ("sqrt(LAYER)", "9*pi^2/(8*log(l)^2) + O(1/log(l)^3)", "log(L)/2 + O(1)", "2*log(L) + O(1)"),
    ("skip 1 - 1/l", "pi^2/(2*log(l)^2) + O(1/log(l)^3)", "3*log(L)/4 + O(1)", "3*log(L) + O(1)"),
])  # fmt: skip
def test_the_kind_of_law(name, correlation, ntk, diagonal):
    network = net(*CASES[name][0])
    assert str(network.correlation_law(1)) == correlation
    assert str(network.ntk_law(1)) == ntk
    assert str(network.ntk_diagonal_law()) == diagonal


def test_a_variance_that_stays():
    """skip^2 + scale^2 = 1: w_l = 1/l, the very network x + F(LN x)."""
    assert str(net(*CASES["both"][0]).weight) == "1/l"
    assert str(net(*CASES["both"][0]).ntk_law(2)) == str(net().ntk_law(2))


def test_below_the_edge():
    """chi = 1/3 (sigma_w = sigma_b = 1: v = 3/2, chi = 1/3): powers of l, and of log l."""
    slow, slower = (asy.Network(f"residual(layer_norm, relu, dense(1, 1), scale={s})") for s in
                    ("LAYER**(-1/4)", "1/sqrt(LAYER)"))  # fmt: skip
    assert str(slow.correlation_law(2)) == "1/(l^(1/3)*exp(2*C/3)) + O(1/sqrt(l))"
    assert str(slower.correlation_law(1)) == "1/(exp(2*C/3)*log(l)^(2/3)) + O(1/log(l))"
    assert str(slower.ntk_law(1)) == "3/2 + O(1/log(L)^(1/3))"
    values = [float(slow.correlation_law(1).evaluate(depth=10**k, gap="9/10", digits=10)) for k in (20, 30)]
    assert math.log10(values[0] / values[1]) == pytest.approx(10 / 3, rel=1e-3)


@pytest.mark.parametrize("scale", ["1", "1/sqrt(LAYER)"])
def test_the_ntk_below_the_edge_is_verified(scale):
    """K/q -> o(1)/(1 - chi) = 3/2 was refuted by a check that took it for a correlation."""
    network = asy.Network(f"residual(layer_norm, relu, dense(1, 1), scale={scale})")
    assert asy.verify(network.ntk_law(1)).verdict == "checked"


@pytest.mark.parametrize("name", ["LAYER^(-1/4)"])
def test_verified(name):
    network = net(*CASES[name][0])
    for law in (network.correlation_law(2), network.ntk_law(2), network.ntk_diagonal_law()):
        assert asy.verify(law).verdict == "checked"


def test_without_a_law(refused):
    summable = net("1/LAYER")
    refused(summable.correlation_law, "finite sum", UnsupportedError)
    with mp.workdps(30):
        assert abs(summable.pair(20, gap="9/10", digits=15)[0] - orbit(lambda n: mpf(1) / n, ONE, 20)[0]) < 1e-14
    with pytest.raises(UnsupportedError, match="multiply the variance of layer l by"):
        net("1", "1 + 1/LAYER^2").correlation_law()
    refused(lambda: net("log(LAYER)").correlation_law(), "adds", UnsupportedError)


def test_numbers_without_a_normal_form():
    """tanh between layers of a variance that moves: q_1 = 1 where nothing settles, as for every network."""
    network = asy.Network("residual(tanh, dense(1), scale=1/sqrt(LAYER))")
    gap, _, q = network.pair(3, gap="9/10", digits=12)
    found = asy.depth.pairs(asy.ScaledResNet("tanh"), gap=[0.9], depth=3, variance=1.0)[0]
    assert float(gap) == pytest.approx(float(found[0]), rel=1e-11)
    assert q > 1
