"""The README's commands exist, and the map in CONTRIBUTING.md is the contract of imports."""

import tomllib
from pathlib import Path

import pytest

from tests.cli.command import run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAP = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_readme_fits_a_screen():
    assert len(README.splitlines()) <= 80


def test_the_first_command_prints_what_the_readme_shows(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = README.split("```\n")[3].strip()
    assert shown.startswith("feedforward network, relu (slopes 1, 0)")
    assert run("verify", "relu", "--law", "ntk").output.startswith(shown)


def test_every_folder_of_the_package_is_on_the_map():
    folders = {path.parent.name for path in (ROOT / "asympt").glob("*/__init__.py")}
    assert {name for name in folders if f"`asympt/{name}/`" in MAP} == folders


def test_the_map_lists_the_floors_in_the_order_of_the_contract():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    names = [name.strip().removeprefix("asympt.") for layer in layers for name in layer.split("|")]
    places = [MAP.find(f"`asympt/{name}/`") for name in names if f"`asympt/{name}/`" in MAP]
    assert places == sorted(places)


@pytest.mark.parametrize("command", ["derive", "verify", "eoc", "plot", "recursion"])
def test_commands_shown_exist(command):
    from asympt.cli.app import app

    assert command in {info.name or info.callback.__name__ for info in app.registered_commands}
    assert f"asympt {command} " in README
