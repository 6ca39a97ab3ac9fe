"""What many tests ask for is derived once a run: saved in a folder of this run, which all its workers share."""

import hashlib
import os
import pickle
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

FOLDER = "ASYMPT_TEST_LAWS"  # the variable that names it; conftest makes the folder and takes it away


def shared(name: str, derive: Callable):
    """What `derive` gives; from its file where another worker has derived it."""
    if FOLDER not in os.environ:
        return derive()
    path = Path(os.environ[FOLDER]) / hashlib.sha256(name.encode()).hexdigest()
    if path.exists():
        return pickle.loads(path.read_bytes())
    found = derive()
    part = path.with_suffix(f".{os.getpid()}")
    part.write_bytes(pickle.dumps(found))
    part.replace(path)
    return found


def on_demand(name: str, derive: Callable) -> Callable:
    """A function without arguments that derives once a process, and once a run."""
    return cache(partial(shared, name, derive))
