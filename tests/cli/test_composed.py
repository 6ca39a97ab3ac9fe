"""A block in the place of an activation on the command line."""

import json

from tests.cli.command import run

BLOCK = "serial(relu, dense(sqrt(2)), relu, dense(sqrt(2)))"


def test_a_block_is_derived_and_evaluated():
    found = run("derive", BLOCK, "--law", "correlation", "--terms", "1", "--correlation", "1/10", "--depth", "1000",
                "--digits", "12", "--format", "json")
    record = json.loads(found.stdout)
    assert record["law"]["text"] == "9*pi^2/(8*l^2) + O(log(l)/l^3)"
    assert record["network"]["activation"] == BLOCK and record["network"]["phase"] == "edge of chaos"
    assert "1.09489907118e-5" in found.stdout  # plain mpmath iteration of two ReLU layers a block


def test_what_a_block_says_itself_is_not_said_again():
    found = run("derive", BLOCK, "--sigma-w", "2")
    assert found.exit_code == 2


def test_the_primitives_are_listed_with_examples_that_can_be_read():
    from asympt.blocks import read_block
    from asympt.cli.app import EXAMPLES

    found = run("blocks", "--format", "json")
    names = {part["name"] for part in json.loads(found.stdout)["blocks"]}
    assert {"residual", "layer_norm", "gated", "dense_connection"} <= names
    assert all(repr(read_block(block)) == block for _, block, _ in EXAMPLES)
    assert "dense(sigma_w=1, sigma_b=0" in run("blocks").stdout


def test_a_primitive_with_a_letter_wrong_is_answered_with_the_one_that_is_near():
    wrong = {"residual": "residul(relu, dense(1))", "layer_norm": "residual(layer_nrm, relu, dense(1))"}
    for remedy, text in wrong.items():
        found = run("derive", text)
        assert found.exit_code == 2 and f"did you mean {remedy}?" in found.stderr
    assert run("derive", "serial(layernorm, relu, dense(1))", "--law", "variance").exit_code == 2  # it is read


def test_random_networks_of_blocks_without_a_law():
    options = ("--depth", "2", "--widths", "16,32", "--standard-error", "0.4", "--format", "json")
    found = run("simulate", "residual(tanh, dense(1))", *options)
    record = json.loads(found.stdout)
    assert record["verdict"] == "checked" and record["network"]["phase"] == "edge of chaos"
    assert found.exit_code == 0
