"""Verdicts on the slides about Xiao, Pennington and Schoenholz: training and prediction at great depth."""

import numpy as np
import pytest
from sympy import cancel, eye, ones

from asympt import claims
from asympt.architectures import FeedForward
from asympt.claims.xps import training_ordered
from asympt.claims.xps.claims import TRAINING

EXPECTED = {
    "XPS.finf": ("proved", None),
    "XPS.dyn": ("proved", None),
    "XPS.kappa": ("checked", None),
    "XPS.chaos.pred": ("checked", None),
    "XPS.ord.spec": ("checked", None),
    "XPS.ord.form": ("refuted", "checked"),
    "XPS.ord.sm": ("proved", None),
    "XPS.ord.pred": ("checked", None),
    "XPS.fig": ("checked", None),
}
FAST = ("XPS.finf", "XPS.dyn", "XPS.ord.sm")
BY_ID = {claim.id: claims.find(claim.id) for claim in TRAINING}


def test_every_record_is_expected_here():
    assert set(BY_ID) == set(EXPECTED)


@pytest.mark.parametrize("name", [n if n in FAST else pytest.param(n, marks=pytest.mark.slow) for n in EXPECTED])
def test_verdict(name):
    result = BY_ID[name].check()
    corrected = result.corrected.verdict if result.corrected else None
    assert (result.verdict, corrected) == EXPECTED[name], result.report()


def test_a_kink_without_the_toolkit():
    """ReLU with sigma_w = sigma_b = 1 in plain float64: Theta(x, x') - p* falls by 2^(-1/2) a layer, not by 1/2."""
    q, c, kernel, values = 2.0, 0.1, 0.1, []
    for _ in range(40):
        theta = np.arccos(c)
        slope = (1 - theta / np.pi) / 2
        c = (1 + q / 2 * (np.sin(theta) + (np.pi - theta) * np.cos(theta)) / np.pi) / q
        kernel = slope * kernel + c
        values.append(2 - kernel)
    assert values[-1] / values[-2] == pytest.approx(2**-0.5, rel=1e-4)
    net = FeedForward("relu", sigma_w=1, sigma_b=1)
    gap, off, _ = training_ordered.kernel_path(net, 0.9, [41])
    assert off[0] == pytest.approx(kernel, rel=1e-10)
    assert gap[0] == pytest.approx(1 - c, rel=1e-3)


def test_the_sign_of_sherman_and_morrison():
    """The other sign, which the margin note of the slide leaves open, is no inverse."""
    name, matrix = training_ordered._matrices()[0]
    assert name == "symmetric 2 x 2"
    weights = matrix.inv() * ones(2, 1)
    share = 1 / (training_ordered.SHARE / training_ordered.LEVEL + (ones(1, 2) * weights)[0])
    other = (matrix.inv() + share * weights * weights.T) / training_ordered.SHARE
    rest = (training_ordered.LEVEL * ones(2, 2) + training_ordered.SHARE * matrix) * other - eye(2)
    assert any(cancel(entry) != 0 for entry in rest)


@pytest.mark.slow
def test_a_wrong_constant_is_refuted(monkeypatch):
    genuine = training_ordered._second_derivative
    monkeypatch.setattr(training_ordered, "_second_derivative", lambda net: 1.1 * genuine(net))
    assert training_ordered.finite_depth().corrected.verdict == "refuted"
