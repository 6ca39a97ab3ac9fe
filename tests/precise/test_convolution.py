"""One convolutional layer in mpmath against covariances that are averaged as HDR print them."""

import pytest
from mpmath import mp, mpf
from sympy import Integer, Symbol

from asympt.errors import UnsupportedError
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import ConvStatement, Layer, Statement
from asympt.precise.dense import ConvState, ConvStep
from tests import statements

RELU = Layer(activation("relu"), Integer(3), Integer(0))
CORRELATIONS = ("0.1", "0.5", "-0.9", "0.999", "0")
FIRST, SECOND = (1, 2, 3, 4, 5), (2, 1, 7, 1, 3)


def by_covariances(skip, reach, layers):
    """(c, K/sqrt(q q')) after some layers: s -> skip s + 3 mean E[phi phi], ReLU's arccosine kernel written out."""
    size = len(FIRST)

    def mean(values):
        return [sum(values[(i + b) % size] for b in range(-reach, reach + 1)) / (2 * reach + 1) for i in range(size)]

    q, other = [mpf(v) for v in FIRST], [mpf(v) for v in SECOND]
    s = [mp.sqrt(a * b) * mpf(c) for a, b, c in zip(q, other, CORRELATIONS, strict=True)]
    kernel = list(s)
    for _ in range(layers):
        norm = [mp.sqrt(a * b) for a, b in zip(q, other, strict=True)]
        theta = [mp.acos(v / n) for v, n in zip(s, norm, strict=True)]
        both = [n * (mp.sin(t) + (mp.pi - t) * mp.cos(t)) / (2 * mp.pi) for n, t in zip(norm, theta, strict=True)]
        turned = [(mp.pi - t) / (2 * mp.pi) * k for t, k in zip(theta, kernel, strict=True)]
        learned = mean([a + b for a, b in zip(turned, both, strict=True)])
        kernel = [skip * k + 3 * v for k, v in zip(kernel, learned, strict=True)]
        s = [skip * v + 3 * m for v, m in zip(s, mean(both), strict=True)]
        q, other = ([skip * v + 3 * m / 2 for v, m in zip(w, mean(w), strict=True)] for w in (q, other))
    norm = [mp.sqrt(a * b) for a, b in zip(q, other, strict=True)]
    return [v / n for v, n in zip(s, norm, strict=True)], [k / n for k, n in zip(kernel, norm, strict=True)]


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("reach", [0, 1, 2])
def test_unequal_variances(skip, reach):
    dense = statements.residual(RELU) if skip else Statement.plain(RELU)
    step = ConvStep(ConvStatement(dense, 5, reach))
    with mp.workdps(40):
        correlations = tuple(mpf(c) for c in CORRELATIONS)
        both = (tuple(map(mpf, FIRST)), tuple(map(mpf, SECOND)))
        state = ConvState(1, tuple(1 - c for c in correlations), correlations, *both)
        for _ in range(4):
            state = step(state)
        c, kernel = by_covariances(int(skip), reach, 4)
        assert state.layer == 5
        assert max(abs(1 - a - b) for a, b in zip(c, state.gap, strict=True)) < mpf(10) ** -37
        assert max(abs(a - b) for a, b in zip(kernel, state.kernel, strict=True)) < mpf(10) ** -37


def test_tiny_gaps_keep_their_digits():
    """Gaps of 1e-60 at 20 digits: the mean of gamma - (2 sqrt 2/(3 pi)) gamma^(3/2)."""
    step = ConvStep(ConvStatement(Statement.plain(RELU), 3, 1))
    with mp.workdps(20):
        gaps = (mpf("1e-60"), mpf("2e-60"), mpf("4e-60"))
        found = step(ConvState(1, gaps, (mp.one, mp.one, mp.one))).gap[0]
        wanted = sum(g - 2 * mp.sqrt(2) / (3 * mp.pi) * g ** mpf(1.5) for g in gaps) / 3
        assert abs(found / wanted - 1) < mpf(10) ** -18


def test_what_is_refused():
    with pytest.raises(UnsupportedError, match="variance"):
        smooth = statements.residual(Layer(activation("tanh"), Integer(1), Integer(1)))
        ConvStep(ConvStatement(smooth, 3, 1))(ConvState(1, (1,) * 3, (0,) * 3))
    with pytest.raises(UnsupportedError, match="equal layers"):
        scaled = statements.scaled_residual(RELU, Symbol("k", positive=True))
        ConvStep(ConvStatement(scaled, 3, 1))(ConvState(1, (1,) * 3, (0,) * 3))
