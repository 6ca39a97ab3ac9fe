"""Documents derive nothing: no source of the writer solves, differentiates, expands or composes; it prints.

The import contract keeps the modules that derive out of its reach; this looks for calls of the functions of SymPy and
of the methods of `Expansion` that derive.  `expand` and `simplify` order what is printed and decide nothing.
"""

import ast
from pathlib import Path

import pytest

from asympt import writing

DERIVING = {
    "solve", "nsolve", "dsolve", "solveset", "series", "aseries", "diff", "Derivative", "integrate", "Integral",
    "limit", "summation", "compose", "revert", "power", "findroot", "quad", "exact_square_moment", "square_moment",
    "price_expansion", "nsimplify", "up_to_order",
}  # fmt: skip
SOURCES = sorted(Path(writing.__file__).parent.rglob("*.py"))


def calls(source: str) -> set[str]:
    """The names of everything that is called."""
    found = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return {f.attr if isinstance(f, ast.Attribute) else f.id for f in found if isinstance(f, ast.Attribute | ast.Name)}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_source_derives(path):
    assert not calls(path.read_text(encoding="utf-8")) & DERIVING


def test_a_derivation_would_be_seen():
    assert calls("1 - a.find('map')['slope'].compose(law.expansion.power(2))") & DERIVING == {"compose", "power"}
