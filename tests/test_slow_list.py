"""The list of slow tests names tests that exist: one that was renamed would silently come back into every run."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_listed_test_exists():
    listed = (ROOT / "tests" / "slow.txt").read_text(encoding="utf-8").splitlines()
    assert listed == sorted(set(listed))
    assert [name for name in listed if not _exists(*name.split("::", 1))] == []


def _exists(path: str, test: str) -> bool:
    """A test function, or the function, class or module of a doctest."""
    home, name = ROOT / path, re.split(r"[.:]+", test.partition("[")[0])[-1]
    if not home.is_file():
        return False
    of_module = test == path.removesuffix(".py").replace("/", ".")
    return of_module or re.search(rf"(def|class) {name}\b", home.read_text(encoding="utf-8")) is not None
