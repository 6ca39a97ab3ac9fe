"""The README says what is true: its examples print what they say, its commands exist, its floors are the contract."""

import ast
import contextlib
import io
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_python_examples_print_what_their_comments_say(number):
    """A comment behind a print is what that prints, with dots for what is left out."""
    code, names, said = EXAMPLES[number], {}, 0
    lines = code.splitlines()
    assert len([line for line in lines if line.strip()]) <= 22
    for statement in ast.parse(code).body:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(ast.Module([statement], []), "README.md", "exec"), names)
        comment = lines[statement.end_lineno - 1][statement.end_col_offset :].strip().removeprefix("# ")
        if printed.getvalue():
            said += 1
            assert comment and agrees(comment, printed.getvalue()), (comment, printed.getvalue())
    assert said


def agrees(comment: str, printed: str) -> bool:
    """Whether the words come in this order, "..." standing for any others."""
    parts = (re.escape(part) for part in " ".join(comment.split()).split("..."))
    return re.fullmatch(".*?".join(parts), " ".join(printed.split())) is not None


def test_every_folder_of_the_package_is_on_the_map():
    folders = {path.parent.name for path in (ROOT / "asympt").glob("*/__init__.py")}
    assert {name for name in folders if f"`asympt/{name}/`" in README} == folders


def test_the_map_lists_the_floors_in_the_order_of_the_contract():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    names = [name.strip().removeprefix("asympt.") for layer in layers for name in layer.split("|")]
    places = [README.find(f"`asympt/{name}/`") for name in names if f"`asympt/{name}/`" in README]
    assert places == sorted(places)


@pytest.mark.parametrize("command", ["derive", "verify", "prove", "plot", "recursion"])
def test_commands_shown_exist(command):
    from asympt.cli.app import app

    assert command in {info.name or info.callback.__name__ for info in app.registered_commands}
    assert f"asympt {command} " in README
