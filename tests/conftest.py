"""What every test can count on: known values from data, a clean mpmath, and measured orders of convergence."""

import gc
import os
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

import mpmath
import pytest
from hypothesis import HealthCheck, settings
from mpmath import mp

from asympt.errors import AsymptError
from tests.shared import FOLDER

KNOWN_VALUES = Path(__file__).parent / "known_values"
WORKING_DPS = 15
NEVER = 1e5  # seconds
gc.set_threshold(50_000, 20, 100)  # hundreds of megabytes live as long as a worker: they are seldom looked through
os.environ["ASYMPT_CACHE"] = ""  # claims are decided in tests, also in the processes that tests start

# the same examples on every machine and no limit on time: a slow or loaded machine must not fail a true statement
settings.register_profile(
    "asympt", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("asympt")


def pytest_configure(config) -> None:
    """A folder for what the workers share, made by the process that starts them."""
    if not hasattr(config, "workerinput"):
        folder = tempfile.TemporaryDirectory(prefix="asympt-tests-")
        os.environ[FOLDER] = folder.name
        config.add_cleanup(folder.cleanup)


def pytest_collection_modifyitems(items) -> None:
    """The golden table comes first."""
    items.sort(key=lambda item: not item.nodeid.startswith("tests/golden/"))


def load_known_values() -> dict[str, dict]:
    """Every record of tests/known_values/*.toml, by its name ``file.table``."""
    records = {}
    for path in sorted(KNOWN_VALUES.glob("*.toml")):
        for key, record in tomllib.loads(path.read_text(encoding="utf-8")).items():
            records[f"{path.stem}.{key}"] = record
    return records


@pytest.fixture(scope="session")
def known_values() -> dict[str, dict]:
    """All records: value (a string), digits, source."""
    return load_known_values()


@pytest.fixture
def known(known_values) -> Callable:
    """known(name): the value as an mpmath number that holds all its digits."""

    def read(name: str):
        record = known_values[name]
        with mp.workdps(record["digits"] + 15):
            return mpmath.mpf(record["value"])

    return read


@pytest.fixture
def agrees() -> Callable:
    """agrees(value, reference, digits): equal to half a unit of the last of `digits` significant digits."""

    def compare(value, reference, digits: int) -> bool:
        with mp.workdps(digits + 30):
            return abs(value - reference) <= abs(reference) * mpmath.mpf(10) ** -digits / 2

    return compare


@pytest.fixture
def refused() -> Callable:
    """refused(action, message, kind): it ends in one sentence of the library's own that holds the message."""

    def check(action: Callable, message: str, kind: type = AsymptError) -> None:
        with pytest.raises(kind) as caught:
            action()
        assert message in str(caught.value) and "\n" not in str(caught.value)

    return check


@pytest.fixture
def order_of() -> Callable:
    """order_of(error, points): the exponent p in |error(t)| ~ t^p, by regression of log|error| on log t."""

    def regress(error: Callable, points: Sequence) -> float:
        pairs = [(float(mp.log(t)), float(mp.log(abs(error(t))))) for t in points]
        mean_x = sum(x for x, _ in pairs) / len(pairs)
        mean_y = sum(y for _, y in pairs) / len(pairs)
        across = sum((x - mean_x) * (y - mean_y) for x, y in pairs)
        return across / sum((x - mean_x) ** 2 for x, _ in pairs)

    return regress


@pytest.fixture(autouse=True)
def silent_progress(monkeypatch):
    """What a command prints does not depend on the load of the machine: lines that say that work goes on never come."""
    monkeypatch.setattr("asympt.showing.PATIENCE", NEVER)


@pytest.fixture(autouse=True)
def clean_precision():
    """mpmath starts every test at 15 digits; code that changes the global precision and leaves it so fails the test."""
    mp.dps = WORKING_DPS
    yield
    left = mp.dps
    mp.dps = WORKING_DPS
    assert left == WORKING_DPS, f"the global precision was left at {left} digits"
