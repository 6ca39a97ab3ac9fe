"""A block in the place of an activation on the command line."""

import json

from typer.testing import CliRunner

from asympt.cli.app import app

BLOCK = "serial(relu, dense(sqrt(2)), relu, dense(sqrt(2)))"


def run(*arguments: str):
    return CliRunner().invoke(app, list(arguments))


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
