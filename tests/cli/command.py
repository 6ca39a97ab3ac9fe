"""Commands as the tests of the command line give them."""

import json

from typer.testing import CliRunner

from asympt.cli.app import app


def run(*arguments):
    """What a command did."""
    return CliRunner().invoke(app, [str(a) for a in arguments])


def printed(*arguments) -> str:
    """stdout of a command that succeeds."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def record(*arguments) -> dict:
    """What a command printed as JSON."""
    return json.loads(printed(*arguments, "--format", "json"))
