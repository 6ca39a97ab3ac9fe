"""Random networks against the recursion, through every architecture's own random network."""

import json

import numpy as np
import pytest
from sympy import sqrt
from typer.testing import CliRunner

import asympt as asy
from asympt.cli.app import app
from asympt.errors import InputError, PrecisionError
from asympt.evidence import referee as module
from asympt.evidence.referee import inputs_for, recursion_kernels, referee

QUICK = {"widths": (64, 128), "standard_error": 0.03}
NETS = {
    "plain": asy.FeedForward("erf", sigma_w=2, sigma_b="1/2"),
    "scaled": asy.ScaledResNet("relu", sigma_w=sqrt(2), kappa="1/2"),
    "rates": asy.MLP("relu", weight_rate=3, bias_rate=2),
}


@pytest.mark.parametrize("name", NETS)
def test_every_dense_recursion_is_that_of_random_networks(name):
    found = referee(NETS[name], depth=3, **QUICK)
    assert found.verdict == "checked", found.report()
    assert len(found.checks) == 2


def test_convolutions():
    assert referee(asy.ConvResNet("relu", 4, 1, sigma_w=1), depth=3).verdict == "checked"


def test_a_wrong_recursion_is_refuted(monkeypatch):
    """HDR Proposition 3 as printed adds the whole covariance of the branch, without 1/l."""

    def printed(net, X, depth):
        kernel, variance = (part.copy() for part in recursion_kernels(net, X, 1)[::-1])
        for layer in range(2, depth + 1):
            branch = recursion_kernels(net, X, layer)[0] - variance
            kernel, variance = kernel * 1.0 + branch * layer, variance + branch
        return recursion_kernels(net, X, depth)[0], kernel

    monkeypatch.setattr(module, "recursion_kernels", printed)
    found = referee(NETS["scaled"], depth=3, **QUICK)
    assert [check.passed for check in found.checks] == [True, False]


def test_pixels_take_the_places_of_inputs():
    net = asy.ConvNet("relu", 3, 1)
    X = inputs_for(net, 1)
    sigma, _ = recursion_kernels(net, X, 1)
    patches = np.stack([X, np.roll(X, 1, axis=2), np.roll(X, -1, axis=2)])  # filter of three positions
    expected = 2 * np.einsum("pica,qjcb->ijab", patches, patches) * 0
    for part in patches:
        expected += 2 * np.einsum("ica,jcb->ijab", part, part) / (3 * 3)  # sigma_w^2/(channels (2k+1))
    for i in range(2):
        for j in range(2):
            assert sigma[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] == pytest.approx(expected[i, j], rel=1e-12)


def test_bad_input():
    with pytest.raises(InputError, match="depth"):
        referee(NETS["plain"], depth=0)
    with pytest.raises(PrecisionError, match="standard_error"):
        referee(NETS["plain"], most_seeds=20, standard_error=1e-4)
    with pytest.raises(InputError, match="is not a network of this package"):
        asy.random_network("relu")


def test_the_command():
    arguments = ["simulate", "relu", "--network", "resnet", "--depth", "2", "--widths", "64,128", "--standard-error"]
    result = CliRunner().invoke(app, [*arguments, "0.03", "--format", "json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["verdict"] == "checked"
    result = CliRunner().invoke(app, [*arguments, "-1"])
    assert result.exit_code == 2 and "standard_error = -1 is not positive" in result.output


def test_a_composition_is_that_of_random_networks():
    net = asy.Network("residual(layer_norm(affine=True), relu, dense(sqrt(2)))", first="dense(1, 1/2)")
    assert referee(net, depth=4, **QUICK).verdict == "checked"
