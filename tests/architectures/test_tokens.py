"""Tokens: the numbers of the theory, laws, finite transformers, bad input."""

import re
from dataclasses import replace

import numpy as np
import pytest
from mpmath import mp, mpf
from sympy import Matrix, Rational, Symbol, eye, ones, pi, sqrt

from asympt import Network, UnsupportedError, verify
from asympt import blocks as b
from asympt.errors import InputError
from asympt.numbers import to_mpf
from asympt.precise.tokens import overlap

GATED = "gated(dense(1), serial(dense(sqrt(2)), relu)), dense"


def transformer(kind: str, tokens: int, attended, mixed=0, logits=0, mlp: str = "relu") -> Network:
    """Blocks of attention (variance `attended`) and an MLP (variance `mixed`), with RMS norms."""
    soft = f", scaling=1/sqrt(d), logit_variance={logits}" if logits else ""
    attention = f"attention({tokens}, sigma_w=sqrt({attended}){soft})"
    layers = {"relu": f"relu, dense(sqrt(2*{mixed}))", "reglu": f"{GATED}(sqrt({mixed}))"}[mlp]
    branches = [attention, layers] if mixed else [attention]
    forms = {"pure": "{}, rms_norm", "post": "residual({}), rms_norm", "pre": "residual(rms_norm, {})"}
    return Network(", ".join(forms[kind].format(branch) for branch in branches))


# The rows of tokens of `systems.md`, section 5 (made by other code); (blocks, c0, 1 - c).  "pure" is stated there as
# ...768458; the last digits come from a sum in extended precision without differences, 0.000122034047681708.
ROWS = [
    (("post", 8, "1/2"), 50, "1/10", "6.6423326246207e-9"),
    (("post", 8, "1/2", 1, 0, "reglu"), 1000, "1/10", "0.00068782786033667"),
    (("pre", 8, 1, 1), 1000, "1/10", "0.018800103219483"),
    (("pre", 8, 1), 1000, "1/10", "0.00090583151008037"),
    (("pure", 4, 1, 0, 4), 3, "1/10", "0.0001220340476817"),
    (("pre", 4, 1, 1, 4), 10, "1/10", "0.24802095529149"),
    (("post", 4, 1, 1, 4), 10, "1/10", "0.0017739382288526"),
    (("post", 8, "1/2", 1, 4, "reglu"), 12, "1/10", "0.71835867277909"),
    (("pre", 16, 1, 1, 9), 10, "0", "0.41897235579506"),
]


def agrees(found, stated: str, bound: float = 1e-12) -> bool:
    return abs(found / mpf(stated) - 1) < bound


@pytest.mark.parametrize(("given", "layers", "start", "stated"), ROWS)
def test_rows(given, layers, start, stated):
    """By the layers; where the law has every order, by it, and both agree in layer 11."""
    net = transformer(*given)
    if given[0] != "post" or 4 in given[4:]:
        assert agrees(net.similarity(layers + 1, correlation=start), stated)
        return
    law = net.similarity_law(terms=2)
    assert agrees(law.evaluate(layers + 1, correlation=start), stated)
    assert agrees(net.similarity(11, correlation=start, digits=20), law.evaluate(11, correlation=start))


def test_mixing_and_the_fixed_point():
    """systems.md, section 5: ReGLU behind a mean of eigenvalue 1/sqrt(2), and tokens that stay apart."""
    mixed = Network(f"mix(tokens=5, eigenvalue=1/sqrt(2)), {GATED}(1), rms_norm")
    law = mixed.similarity_law(terms=1)
    assert law.coefficient("1/l^2") == 36 * pi**2
    assert agrees(law.evaluate(10001, correlation="1/10"), "3.6898741758764e-6")
    apart = transformer("post", 8, "1/4", 1, 0, "reglu").similarity_law(terms=1)
    assert agrees(mpf(mp.mpf(apart.limit.evalf(20))), "0.89182885156434")


@pytest.mark.parametrize(("tau", "gap", "tokens", "stated"), [
    (1, 0, 4, "0.3919714435757"), (1, 0.5, 4, "0.3158180800693"), (2, 0.7, 16, "0.1085057895946"),
])  # fmt: skip
def test_overlaps(tau, gap, tokens, stated):
    """systems.md, section 5."""
    same, apart = overlap(tau, gap, tokens)
    assert agrees(same - apart, stated)


def test_overlaps_keep_their_digits_near_one():
    """D_1 - D_c = s^2 (T - 1)/T^2 gap^2 + ..., Dong et al.'s cubic."""
    for gap in (1e-4, 1e-8):
        assert abs(overlap(2 * gap**0.5, gap, 4)[1] / (Rational(3, 4) * gap**2) - 1) < 2 * gap + 1e-12


def test_overlaps_of_many_tokens():
    """T D_1 = e^(tau^2), T D_rho = e^(rho tau^2), up to O(1/T)."""
    same, apart = overlap(0.5, 0.3, 10**5)
    assert np.allclose([same * 10**5, (same - apart) * 10**5], np.exp([0.25, 0.175]), rtol=1e-4)


def test_causal_masks():
    """systems.md, sections 3 and 5: (i - j)^2 and the rate (1 + sigma_a^2/4)/(1 + sigma_a^2)."""
    net = Network("residual(attention(5, mask=causal)), rms_norm")
    law = net.similarity_law(pair=(1, 5))
    assert str(law) == "16*(5/8)^l*D + O((7/12)^l)"
    assert agrees(law.evaluate(61, correlation="1/10", digits=14), "1.057846564562e-11")
    gaps = [net.similarity(121, correlation="1/10", pair=(1, j)) for j in (2, 5)]
    assert abs(gaps[1] / gaps[0] / 16 - 1) < 1e-2
    before = Network("residual(rms_norm, attention(5, mask=causal))").similarity_law(pair=(1, 2))
    assert before.expansion.leading[0].order == Rational(3, 4)


@pytest.mark.parametrize(("given", "matrix", "carried", "normed", "tail"), [
    ("residual(attention(3, mask=causal)), rms_norm", [[6, 0, 0], [3, 3, 0], [2, 2, 2]], 1, True, "(7/12)^l"),
    ("mix([[1,0,0], [1/2,1/2,0], [1/6,1/2,1/3]]), rms_norm", [[6, 0, 0], [3, 3, 0], [1, 3, 2]], 0, True, "1/6^l"),
    ("mix([[1,0,0], [1,0,0], [0,1/2,1/2]]), rms_norm", [[6, 0, 0], [6, 0, 0], [0, 3, 3]], 0, True, "1/16^l"),
    ("mix([[1/2, 1/2], [1/3, 2/3]]), dense(1)", [[3, 3], [2, 4]], 0, False, "1/216^l"),
    ("residual(mix([[1/2, 1/2], [1/3, 2/3]]), dense(1))", [[3, 3], [2, 4]], 1, False, "(49/144)^l"),
])  # fmt: skip
def test_remainders_have_the_mixed_terms(given, matrix, carried, normed, tail):
    """Sigma <- carried Sigma + A Sigma A^T by plain iteration: what is left of D lambda^(2 l) has the printed size."""
    law, last = Network(given).similarity_law(), len(matrix) - 1
    assert str(law).endswith(f"+ O({tail})")
    rate, left = law.expansion.scale.base, Rational(*map(int, re.findall(r"\d+", tail.removesuffix("^l"))))
    a, sigma, scaled = Matrix(matrix) / 6, (ones(last + 1) + 9 * eye(last + 1)) / 10, []
    with mp.workdps(200):
        sigma, a = (mp.matrix(m.evalf(200)) for m in (sigma, a))
        for layer in range(1, 78):
            c = sigma[0, last] / mp.sqrt(sigma[0, 0] * sigma[last, last])
            scaled.append((1 - c) / to_mpf(rate) ** layer)
            sigma = carried * sigma + a * sigma * a.T
            if normed:
                sigma = mp.matrix([[sigma[i, j] / mp.sqrt(sigma[i, i] * sigma[j, j]) for j in range(last + 1)]
                                   for i in range(last + 1)])  # fmt: skip
        sizes = [abs(scaled[k - 1] / scaled[k + 39] - 1) * (to_mpf(rate) / to_mpf(left)) ** k for k in (24, 30, 36)]
    assert all(size < 2 * sizes[0] for size in sizes) and all(size > sizes[0] / 2 for size in sizes)


@pytest.mark.parametrize(("given", "phase", "leading"), [
    (("post", 8, "1/2"), "ordered", "(2/3)^l"),
    (("post", 8, "1/2", 1, 4, "reglu"), "edge of chaos", "243*pi^2/(4*l^2)"),
    (("pre", 8, 1, 1), "ordered", "D/sqrt(l)"), (("pre", 8, 1), "ordered", "D/l"),
    (("pre", 8, 1, 1, 0, "reglu"), "edge of chaos", "18*pi^2/log(l)^2"),
    (("pre", 8, "1/2", 1, 0, "reglu"), "chaotic", "1 - c_star"),
])  # fmt: skip
def test_kinds_of_laws(given, phase, leading):
    """systems.md, section 3."""
    net = transformer(*given)
    assert net.phase == phase
    assert str(net.similarity_law(terms=1)).startswith(leading)


def test_laws_are_verified():
    assert verify(transformer("post", 8, "1/2").similarity_law(terms=2), depth=100).verdict == "proved"
    assert verify(transformer("pre", 8, 1).similarity_law()).verdict == "checked"


def test_a_wrong_power_is_not_verified():
    law, other = (transformer("pre", 8, 1, mixed).similarity_law() for mixed in (0, "1/4"))
    assert verify(replace(law, expansion=other.expansion)).verdict != "checked"


def test_edges():
    """lambda^2 chi = 1, chi = 2 of a ReLU gate; chi = 1 + sigma_a^2 (1 + sigma_m^2)/sigma_m^2."""
    s, gate = Symbol("s", positive=True), b.read_block(f"serial({GATED}(1))")
    assert Network(b.serial(b.mix(tokens=5, eigenvalue=s), gate)).critical_values(s) == [sqrt(2) / 2]
    post = b.serial(b.residual(b.attention(8, sigma_w=s)), b.rms_norm(), b.residual(gate), b.rms_norm())
    assert Network(post).critical_values(s) == [sqrt(2) / 2]


@pytest.mark.parametrize("given", [("post", 4, 1, 1, 4), ("pre", 4, 1, 1), ("pre", 4, 1, 1, 4)])
def test_random_transformers(given):
    """Width 512, heads of 64, 24 networks, the state after two blocks: |z| < 4."""
    net, c = transformer(*given), 0.1
    rows = np.linalg.cholesky((1 - c) * np.eye(4) + c) * 2
    found = net.finite().covariances(rows, 3, width=512, networks=24, seed=1)[:, -1]
    roots = np.sqrt(np.einsum("nii->ni", found))
    gaps = 1 - ((found / roots[:, :, None] / roots[:, None]).sum(axis=(1, 2)) - 4) / 12
    z = (gaps.mean() - float(net.similarity(3, correlation="1/10"))) / (gaps.std(ddof=1) / np.sqrt(len(gaps)))
    assert abs(z) < 4


def test_pure_attention_has_no_law(refused):
    refused(lambda: transformer("pure", 4, 1, 0, 4).similarity_law(), "cubic of itself, 3/4", UnsupportedError)
    refused(lambda: transformer("pure", 4, 1).similarity_law(), "equal in one layer", UnsupportedError)


@pytest.mark.parametrize(("text", "match"), [
    ("mix([[1, 0], [1/2, 1/3]])", "row 2 of the matrix adds up to 5/6"),
    ("mix([[0.33, 0.33, 0.33], [0, 1, 0], [0, 0, 1]])", "row 1 of the matrix adds up to 99/100"),
    ("mix([[0.5, 0.5000000001], [0, 1]])", "adds up to 10000000001/10000000000"),
    ("mix([[2, -1], [0, 1]])", "not >= 0"), ("mix([[1, 0]])", "square"),
    ("mix(tokens=4, eigenvalue=1)", "from -1/3 to below 1"), ("attention(1)", "tokens = 1"),
    ("attention(8, scaling=1/sqrt(d), logit_variance=-1)", "logit_variance = -1"),
    ("attention(8, scaling=1/sqrt(d))", "needs logit_variance"),
])  # fmt: skip
def test_bad_blocks(text, match):
    with pytest.raises(InputError, match=match):
        b.read_block(text)


def test_floats_that_add_up_to_1():
    assert b.mix([[0.1] * 10] * 10) == b.mix(tokens=10)


def test_masks_of_many_tokens():
    with pytest.raises(UnsupportedError, match="at most 300"):
        Network("residual(attention(100000, mask=causal)), rms_norm").similarity_law()


def test_pre_norm_shares_of_smooth_activations():
    """The shares of branches in turn do not depend on q_1, whatever surds they have."""
    net = Network("residual(layer_norm, attention(6)), residual(layer_norm, dense(1), gelu, dense(1))")
    assert net.phase == "ordered" and not net._laws.form.parameters


def test_what_is_refused(refused):
    net = transformer("post", 8, "1/2")
    refused(net.ntk_law, "similarity_law", UnsupportedError)
    refused(lambda: net.similarity(3, correlation="-1/2"), "below -1/7", InputError)
    with pytest.raises(UnsupportedError, match="12 digits"):
        transformer("pre", 4, 1, 0, 1).similarity(3, correlation="1/10", digits=20)
    with pytest.raises(UnsupportedError, match="factors that depend on the layer"):
        Network("residual(rms_norm, attention(8), scale=1/sqrt(LAYER))").similarity_law()
    refused(lambda: Network("residual(attention(8)), residual(attention(4))"), "4 and 8 tokens", InputError)
