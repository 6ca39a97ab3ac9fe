"""One row of the golden table, timed; in a module of its own, so that another process finds it by its name."""

import sys
import time

from tests.golden.record import record
from tests.golden.rows import ROWS


def timed(name: str) -> tuple[str, dict | None]:
    """The record of a row; says how long it took, or what went wrong."""
    before = time.process_time()
    try:
        found = record(ROWS[name])
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
        return name, None
    print(f"{name}: {time.process_time() - before:.1f} s of CPU", file=sys.stderr)
    return name, found
