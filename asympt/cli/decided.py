"""Claims of the catalogue that were decided before, by the same code with the same settings.

Problem.  Deciding every claim takes minutes, and nothing changes from one call to the next.

Rule.  A record is kept as a file in a folder whose name holds the version and a digest of all that a verdict depends
on: the files of the package, and the versions of Python and of the libraries.  Another digest is another folder, so a
record of other code is never read.  A claim that met an error is not kept.  The folder stands in `~/.cache/asympt`;
`ASYMPT_CACHE` names another place, and none when it is empty.

Known limits.  Claims of files (`my_paper.toml`) are decided each time.  Folders of other versions stay where they are.
"""

import json
import os
import platform
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import asympt
from asympt.version import installed

LIBRARIES = ("sympy", "mpmath", "numpy", "scipy", "python-flint")
FILES = (".py", ".toml", ".csv", ".jsonl")


class Decided:
    """The records for some settings; `fresh`: none is read, all are written."""

    def __init__(self, digits: int, depth: int, fresh: bool = False):
        self.folder, self.settings, self.fresh = _folder(), f"{digits}-{depth}", fresh

    def get(self, name: str) -> dict | None:
        """The record of a claim, if it was decided before."""
        if self.folder is None or self.fresh:
            return None
        with suppress(OSError, UnicodeDecodeError, json.JSONDecodeError):
            return json.loads(self._path(name).read_text(encoding="utf-8"))
        return None

    def put(self, record: dict) -> None:
        """Keep a record; a folder that cannot be written keeps none."""
        if self.folder is None or "error" in record:
            return
        with suppress(OSError):
            path = self._path(record["id"])
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(f".{os.getpid()}")  # whole or not there, whoever else writes it
            part.write_text(json.dumps(record), encoding="utf-8")
            part.replace(path)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}-{self.settings}.json"


def _folder() -> Path | None:
    """Where records of this code are kept."""
    named = os.environ.get("ASYMPT_CACHE")
    if named == "":
        return None
    general = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "asympt"
    return (Path(named) if named else general) / f"claims-{asympt.__version__}-{digest()}"


def digest() -> str:
    """Of the package's files, of Python and of the libraries: sixteen hexadecimal digits."""
    root, found = Path(asympt.__file__).parent, sha256()
    for path in sorted(path for path in root.rglob("*") if path.suffix in FILES):
        found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    for library in LIBRARIES:
        found.update(f"{library} {installed(library)}".encode())
    found.update(platform.python_version().encode())
    return found.hexdigest()[:16]
