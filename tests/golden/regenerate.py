"""Makes the golden table anew: ``python -m tests.golden.regenerate [NAME ...]``, from the project's root.

Do it only for a change that is meant, and look at the difference of `table.json` line by line before it is kept.
"""

import json
import sys
from pathlib import Path

from joblib import Parallel, delayed

from tests.golden.rows import ROWS
from tests.golden.timed import timed

TABLE = Path(__file__).parent / "table.json"


def read() -> dict[str, dict]:
    """The table as it is."""
    return json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}


def main(names: list[str]) -> None:
    """Rows that are named, or all."""
    table = read()
    jobs = (delayed(timed)(name) for name in names or ROWS)
    for name, found in Parallel(n_jobs=2, return_as="generator_unordered")(jobs):
        if found is not None:
            table[name] = found
        ordered = {name: table[name] for name in ROWS if name in table}
        TABLE.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
