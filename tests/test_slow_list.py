"""The list of slow tests names tests that exist: one that was renamed would silently come back into every run."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_listed_test_exists():
    listed = (ROOT / "tests" / "slow.txt").read_text(encoding="utf-8").splitlines()
    assert listed == sorted(set(listed))
    missing = []
    for name in listed:
        path, _, rest = name.partition("::")
        function = re.split(r"[\[:]", rest.rpartition("::")[2] if "::" in rest.split("[")[0] else rest)[0]
        home = ROOT / path
        if not home.is_file() or f"def {function}(" not in home.read_text(encoding="utf-8"):
            missing.append(name)
    assert missing == []
