"""What training runs gave: one file for each experiment, a line of JSON for each run, written as it comes.

The first line says how it was made.  A run whose `key` is there already is not made again.

>>> mean_and_error([1.0, 3.0])
(2.0, 1.0)
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from asympt.errors import InputError

NAMES = ("table-1", "table-2", "accuracy", "circle", "drift")


@dataclass(frozen=True)
class Results:
    """`made`, the first line; `runs`, the others."""

    made: Mapping
    runs: tuple[Mapping, ...]

    def where(self, **wanted) -> tuple[Mapping, ...]:
        """The runs with these entries."""
        return tuple(run for run in self.runs if all(run[name] == value for name, value in wanted.items()))

    def values(self, entry: str, **wanted) -> list:
        """One entry of the runs with these others."""
        return [run[entry] for run in self.where(**wanted)]


def path_of(name: str) -> Path:
    """The file that comes with the package."""
    return Path(str(files("asympt.experiments").joinpath("results", f"{name}.jsonl")))


@lru_cache(maxsize=8)
def read(name: str) -> Results:
    """The results that come with the package; `InputError` for a name that is none of `NAMES`.

    >>> read("table-1").made["data"]
    'scikit-learn digits'
    """
    if name not in NAMES:
        raise InputError(f"name = {name!r} is not an experiment; there are {', '.join(NAMES)}")
    return read_file(path_of(name))


def read_file(path) -> Results:
    first, *others = (json.loads(line) for line in Path(path).read_text("utf-8").splitlines())
    return Results(first, tuple(others))


class Record:
    """A file that grows; it refuses to go on with other settings than it began with."""

    def __init__(self, path, made: Mapping):
        self.path = Path(path)
        if self.path.exists() and self.path.stat().st_size:
            known = read_file(self.path)
            if known.made["settings"] != json.loads(json.dumps(made["settings"])):
                raise InputError(f"{self.path} was made with other settings; move it away to begin anew")
            self.keys = {run["key"] for run in known.runs}
        else:
            self.keys = set()
            self._append(made)

    def __contains__(self, key: str) -> bool:
        return key in self.keys

    def add(self, runs: Iterable[Mapping]) -> None:
        for run in runs:
            self.keys.add(run["key"])
            self._append(run)

    def _append(self, line: Mapping) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def mean_and_error(values) -> tuple[float, float]:
    """The mean and its standard error."""
    array = np.asarray(values, dtype=float)
    return float(array.mean()), float(array.std(ddof=1) / np.sqrt(len(array)))


def shown(values, factor: float = 100, digits: int = 1) -> str:
    """Mean and standard error in words: accuracies in per cent.

    >>> shown([0.5, 0.7])
    '60.0 +- 10.0'
    """
    mean, error = mean_and_error(values)
    return f"{factor * mean:.{digits}f} +- {factor * error:.{digits}f}"
