"""The notebooks run, show what running them gives, and define no mathematics."""

import ast
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LARGEST = 500_000  # bytes
assert NOTEBOOKS, "no notebooks were found, so nothing would be tested"

pytestmark = [
    pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:(jupyter|nbclient|nbformat|zmq|traitlets|tornado)"),
]


def load_execute():
    """The function of notebooks/execute.py."""
    spec = importlib.util.spec_from_file_location("execute", ROOT / "notebooks" / "execute.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.execute


def read(path):
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return notebook


def code_cells(notebook) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def texts(cell) -> str:
    """What a cell prints and displays, but for its figures."""
    parts = []
    for output in cell.outputs:
        if output.output_type == "stream":
            parts.append(output.text)
        else:
            parts += [output.data[kind] for kind in ("text/markdown", "text/latex") if kind in output.data]
    return "\n".join(parts)


def figures(notebook) -> list[bool]:
    """For each code cell, whether it shows a figure."""
    return [any("image/png" in output.get("data", {}) for output in cell.outputs) for cell in code_cells(notebook)]


def test_it_runs_and_shows_what_is_stored(path):
    fresh, stored = load_execute()(path), read(path)
    for cell in code_cells(fresh):
        assert not [output for output in cell.outputs if output.get("name") == "stderr"], cell.source
    for new, old in zip(code_cells(fresh), code_cells(stored), strict=True):
        assert texts(new) == texts(old), f"{path.name} is stale; run python notebooks/execute.py"
    assert figures(fresh) == figures(stored)


def test_it_is_stored_with_its_outputs_and_nothing_of_a_machine(path):
    stored = read(path)
    assert [cell.execution_count for cell in code_cells(stored)] == list(range(1, len(code_cells(stored)) + 1))
    assert any(texts(cell) for cell in code_cells(stored)) and any(figures(stored))
    assert stored.metadata.kernelspec.name == "python3"
    content = path.read_text(encoding="utf-8")
    assert len(content) < LARGEST
    assert str(ROOT) not in content and str(Path.home()) not in content and "site-packages" not in content


def test_it_defines_no_mathematics(path):
    # no class, and no function but those that draw; loops and calls of libraries are what remains
    for cell in code_cells(read(path)):
        for node in ast.walk(ast.parse(cell.source)):
            assert not isinstance(node, ast.ClassDef), cell.source
            assert not isinstance(node, ast.FunctionDef) or node.name.startswith("plot"), cell.source
