"""`notebooks/execute.py` says what is wrong with a name before it executes anything."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "notebooks" / "execute.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("execute", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["99_nothing.ipynb", "execute.py", "."])
def test_a_name_of_no_notebook_is_one_sentence(script, monkeypatch, capsys, name):
    executed = []
    monkeypatch.setattr(script, "execute", executed.append)
    notebook = str(next(SCRIPT.parent.glob("*.ipynb")))
    assert script.main([notebook, name]) == 2 and not executed
    told = capsys.readouterr().err
    assert told.startswith(f"{name} is not a notebook") and told.count("\n") == 1
