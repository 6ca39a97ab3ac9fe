"""The command line with every architecture: parameters, laws, starts, and what does not fit."""

import pytest

from tests.cli.command import record, run

# numbers: the layer recursions iterated one after the other by another program, c^1 = 1/10, layer 1 without residual
VALUES = [
    (("--network", "resnet", "--sigma-w", 1), "3.79017451042611687"),
    (("--network", "scaled-resnet", "--sigma-w", "sqrt(2)", "-p", "kappa=1"), "0.252774752560827221"),
]


@pytest.mark.parametrize(("network", "digits"), VALUES)
def test_values_at_depth_1000(network, digits):
    found = record(
        "derive", "relu", *network, "--law", "correlation", "-c", "1/10", "--depth", 1000, "--digits", 25, "--terms", 1
    )
    assert found["value"]["value"].startswith(digits)


def test_the_parameters_are_shown():
    found = record("derive", "relu", "--network", "block-resnet", "-p", "alpha=1/10", "-p", "sigma_v=2", "--terms", 1)
    assert found["network"]["parameters"] == {"alpha": "1/10", "sigma_v": "2"}
    # a = alpha^2 sigma_v^2 sigma_w^2 = 1/25, ReLU: delta = (a/2)/(1 + a/2) = 1/51, twice the NTK: limit 2 delta/4
    assert found["law"]["limit"] == "1/102"


def test_a_convolutional_network_starts_from_all_positions():
    network = ("--network", "convnet", "-p", "positions=3", "-p", "reach=1", "--law", "correlation", "--terms", 1)
    one = record("derive", "relu", *network, "-c", "1/10,1/2,0", "--position", 2, "--depth", 50)
    # M = 2k + 1: after layer 2 all positions are alike, so it is one number at every position
    other = record("derive", "relu", *network, "-c", "1/10,1/2,0", "--position", 0, "--depth", 50)
    assert one["value"]["value"] == other["value"]["value"]


def test_laws_of_an_mlp():
    found = record("derive", "relu", "--network", "mlp", "--law", "robustness", "--terms", 2)
    assert found["law"]["limit"] == "-3/4" and found["law"]["plain"] == "Theta_-+/Theta_++ - 1"  # PDLT 10.94
    found = record("derive", "tanh", "--network", "mlp", "-p", "bias_rate=3", "--law", "ntk-00", "--terms", 1)
    assert found["law"]["expansion"]["text"].startswith("3*L/2")  # PDLT 10.79: lambda_b L/2
    assert found["map"] is None


def test_figures_that_are_not_drawn_and_documents_that_are_written(tmp_path):
    conv = ("--network", "convnet", "-p", "positions=3", "-p", "reach=1")
    result = run("plot", "relu", *conv, "-o", tmp_path / "x.png")
    assert result.exit_code == 2 and "no figure is drawn of a law of ConvNet" in result.output
    result = run("derive", "relu", *conv, "-o", tmp_path / "x.tex")
    assert result.exit_code == 0 and "convolutional ReLU network" in (tmp_path / "x.tex").read_text()
