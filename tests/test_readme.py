"""The README says what is true: its example runs, its commands exist, its floors are the contract."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


SHOWN = (
    ("1/4 + 3*log(L)/(8*L)", ": checked"),
    ("0.51207850423390", "M_2*q*sigma_w^2*t^4/2", "log(L)/L", "-1.33008351", "chi_star^l*C", "1/(2*l)"),
    ("1/12 + log(L)/(8*L)", "L/3 + 2/3", "9*pi^2*C/log(l)^3", "0.256546851951678", "sqrt(2)/3", "1/402", "5/2 + O("),
    ("(2000, 2000) ",),
    ("[[0.", "1.", "13/3 + 20*log(L)/(3*L)"),
    ("'kernel__depth': ", "NNGP(FeedForward", "WhiteKernel(noise_level="),
    ("parabolic sqrt(3)/sqrt(n)", "3.0896227197295430595", "n + 3*log(n)/5", "flip", "xi + C*(-sin(xi))^n", "checked"),
    ("for all L >= 2 and all c^1 in [-1, 9/10]", "<= 3.82638/L", "circle bound", "True", "for all n >= 2 and x_0 = 1"),
)


@pytest.mark.parametrize("number", range(len(SHOWN)))
def test_the_python_examples_run(number, capsys):
    code = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[number]
    assert len([line for line in code.splitlines() if line.strip()]) <= 20
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert all(text in printed for text in SHOWN[number])


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
