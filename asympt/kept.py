"""What was computed once, kept in files for other processes: digits of constants, claims decided, answers printed.

The files are in `~/.cache/asympt`, or where the environment variable ASYMPT_CACHE says; where that is empty, nothing is
kept.  They lie in a folder of this version, of this very code and of the libraries it runs on, so that a change of any
of them starts anew.  A file is written beside and renamed; a damaged one is computed again.  Delete them at any time.
"""

import json
import os
import platform
import tempfile
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from asympt.version import NEEDED, __version__, installed

FILES = (".py", ".toml", ".csv", ".json", ".jsonl")


def get(kind: str, key: str) -> Any:
    """What is kept under this very key, None where nothing is.

    >>> put("example", "one third", [1, 3])
    >>> get("example", "another")
    """
    path = _path(kind, key)
    if path is None:
        return None
    with suppress(OSError, UnicodeDecodeError, json.JSONDecodeError):
        checked, _, text = path.read_text(encoding="utf-8").partition("\n")
        found, value = json.loads(text) if checked == _sum(text) else (None, None)
        return value if found == key else None
    return None


def put(kind: str, key: str, value: Any) -> None:
    """Keep something that JSON can write; a folder that cannot be written keeps nothing."""
    path = _path(kind, key)
    if path is None:
        return
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps([key, value])
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as part:
            part.write(f"{_sum(text)}\n{text}")
        os.replace(part.name, path)  # whole or not there, whoever else writes it


def folder() -> Path | None:
    """Where this code keeps what it computes; None where it keeps nothing."""
    named = os.environ.get("ASYMPT_CACHE")
    if named == "":
        return None
    general = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "asympt"
    return (Path(named) if named else general) / f"{__version__}-{digest()}"


def _path(kind: str, key: str) -> Path | None:
    place = folder()
    return None if place is None else place / kind / f"{_sum(key)[:32]}.json"


def _sum(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@cache
def digest() -> str:
    """Of the package's files, of Python and of the libraries: sixteen hexadecimal digits."""
    root, found = Path(__file__).parent, sha256()
    for path in sorted(path for path in root.rglob("*") if path.suffix in FILES):
        found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    for library in NEEDED:
        found.update(f"{library} {installed(library)}".encode())
    found.update(platform.python_version().encode())
    return found.hexdigest()[:16]
