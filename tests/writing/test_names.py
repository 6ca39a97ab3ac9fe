"""Names of checks in the sources: marks come in pairs, and what they enclose becomes LaTeX."""

import ast
import re
from pathlib import Path

import pytest

import asympt
from asympt.writing.escape import typeset

ROOT = Path(asympt.__file__).parent
SOURCES = sorted([*(ROOT / "evidence").rglob("*.py"), *(ROOT / "claims").rglob("*.py")])
LEFT = re.compile(r"\*\*|sqrt\(|\^\(|_\(|(?<!\\)\b(?:alpha|lambda|sigma|chi|infty|sqrt)\b")  # not set


def names(source: str) -> set[str]:
    """Marked texts, 7 for what is put in; texts that are added to or formatted are parts of names."""
    tree, found = ast.parse(source), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "7" for part in node.values)
            for part in node.values:
                part.inside = True
            found.add("".join(parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not hasattr(node, "inside"):
            found.add(node.value)
    return {text for text in found if text.count("$") > 1}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_marked_formulas_are_set(path):
    for text in names(path.read_text(encoding="utf-8")):
        assert text.count("$") % 2 == 0, text
        for formula in re.findall(r"\$([^$]*)\$", typeset(text)):
            assert formula.count("{") == formula.count("}") and not LEFT.search(formula), formula


def test_the_names_of_the_package_are_seen():
    assert sum(len(names(path.read_text(encoding="utf-8"))) for path in SOURCES) > 100
