"""What the package offers: `dir` lists public names alone, type checkers see them, notebooks use no others."""

import ast
import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import asympt as asy

ROOT = Path(__file__).parent.parent
PACKAGES = [
    "", "blocks", "claims", "depth", "depth.convolution", "depth.finite", "learn", "plots", "training", "writing",
]  # fmt: skip
USED = """
import numpy as np
from sympy import Rational, Symbol, sin

import asympt as asy

net = asy.FeedForward.on_edge_of_chaos("tanh", sigma_b=Rational(1, 5))
law: asy.Law = net.ntk_law(terms=2)
page: str = law.latex(split=True) + str(law.summary()) + str(law.coefficient("log(L)/L", digits=10))
verdict: str = asy.verify(law, digits=10, depth=1000).verdict
x = Symbol("x")
sine: asy.Law = asy.Recursion(sin(x), x).law(terms=3)
point: asy.CriticalPoint = asy.edge_of_chaos("gelu", sigma_b="1/10")
gap, kernel = asy.depth.pairs(net, gap=np.array([0.5]), depth=10)
known: list[str] = [claim.id for claim in asy.claims.all_claims()]
statement: str = asy.Recursion(sin(x), x).law(terms=2).certificate(start=1).statement
"""


@pytest.mark.parametrize("name", PACKAGES)
def test_dir_lists_public_names_and_no_modules(name):
    package = importlib.import_module(f"asympt.{name}".rstrip("."))
    assert dir(package) == sorted(package.__all__)
    modules = {n for n in package.__all__ if inspect.ismodule(getattr(package, n))}
    assert modules <= {"blocks", "claims", "convolution", "depth", "finite", "learn", "plots", "squaring", "training",
                       "writing"}  # fmt: skip


def test_type_checkers_see_what_there_is():
    tree = ast.parse((ROOT / "asympt/__init__.py").read_text(encoding="utf-8"))
    (block,) = [n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    seen = {alias.asname: f"{n.module}.{alias.name}" for n in block.body for alias in n.names}
    assert set(seen) == set(asy.__all__) - {"__version__"}
    for name, home in seen.items():
        module, _, part = home.rpartition(".")
        found = getattr(importlib.import_module(module), part, None) or importlib.import_module(home)
        assert found is getattr(asy, name)


@pytest.mark.slow
def test_a_user_s_code_passes_the_strict_checks_of_mypy(tmp_path):
    pytest.importorskip("mypy")
    assert (ROOT / "asympt/py.typed").is_file()
    (tmp_path / "used.py").write_text(USED, encoding="utf-8")
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nstrict = True\nfollow_imports = silent\n[mypy-sympy.*]\nignore_missing_imports = True\n"
    )
    command = [sys.executable, "-m", "mypy", "used.py"]
    done = subprocess.run(command, cwd=tmp_path, env={"MYPYPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_use_public_names_only(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    for module, names in re.findall(r"^from (asympt[\w.]*) import ([\w, ]+)$", code, re.MULTILINE):
        package = importlib.import_module(module)
        assert {name.strip().split(" ")[0] for name in names.split(",")} <= {*package.__all__, *asy.__all__}, module


SECTIONS = {
    "ntk_law": asy.FeedForward.ntk_law, "correlation_law": asy.FeedForward.correlation_law,
    "variance_law": asy.FeedForward.variance_law, "Recursion.law": asy.Recursion.law, "verify": asy.verify,
    "critical_points": asy.critical_points, "evaluate": asy.Law.evaluate, "pairs": asy.depth.pairs,
}  # fmt: skip


@pytest.mark.parametrize("name", SECTIONS)
def test_docstrings_have_their_sections(name):
    said = inspect.getdoc(SECTIONS[name])
    assert "Parameters\n----------" in said and "Raises\n------" in said and ">>> " in said
    for parameter in list(inspect.signature(SECTIONS[name]).parameters)[1:]:
        assert re.search(rf"^[\w, ]*\b{parameter}\b[\w, ]* : ", said, re.MULTILINE), parameter
