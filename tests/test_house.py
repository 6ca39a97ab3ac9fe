"""The house itself: one name for one class, and no folder larger than what a person takes in at once."""

import re
from collections import Counter
from pathlib import Path

import asympt

PACKAGE = Path(asympt.__file__).parent
MOST = 21  # modules in a folder, without its __init__


def test_no_two_classes_share_a_name():
    found = Counter(
        name for path in PACKAGE.rglob("*.py")
        for name in re.findall(r"^class _?(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    )  # fmt: skip
    assert len(found) > 500 and [name for name, times in found.items() if times > 1] == []


def test_folders_are_small():
    sizes = Counter(path.parent for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")
    assert {str(folder): size for folder, size in sizes.items() if size > MOST} == {}


def _classes_of(*bases: str) -> set[str]:
    """The names of all classes of the package below some, by their texts."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    below, found = re.findall(r"^class (\w+)\(([^)]*)\)", text, re.MULTILINE), set(bases)
    while more := {name for name, parents in below if found & set(re.split(r"\W+", parents))} - found:
        found |= more
    return found


def test_laws_coordinates_and_nodes_are_asked_not_sorted():
    """They say what they are: outside of `blocks` nobody asks for a kind of them."""
    sorted_by = "|".join(_classes_of("Coordinate", "PrintedLaw", "Node") - {"Node"})
    kinds = re.compile(rf"isinstance\([^\n]*\b(?:{sorted_by})\b")
    found = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in PACKAGE.rglob("*.py") if path.parent.name != "blocks"
        for line in path.read_text(encoding="utf-8").splitlines() if kinds.search(line)
    ]  # fmt: skip
    assert len(sorted_by.split("|")) > 30 and found == []
