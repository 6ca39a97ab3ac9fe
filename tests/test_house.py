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
