"""What every test can count on: known values from data, a clean mpmath, and measured orders of convergence."""

import os
import resource
import tempfile
import tomllib
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import mpmath
import pytest
from hypothesis import HealthCheck, settings
from mpmath import mp

from tests.shared import FOLDER

KNOWN_VALUES = Path(__file__).parent / "known_values"
WORKING_DPS = 15
NEVER = 1e5  # seconds
SLOW = Path(__file__).parent / "slow.txt"  # one id a line, sorted
os.environ["ASYMPT_CACHE"] = ""  # claims are decided in tests, also in the processes that tests start
ALWAYS = "tests/fuzz/", "tests/test_outside_text.py"  # in every run, whatever they take

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


def pytest_addoption(parser) -> None:
    parser.addoption("--part", metavar="K/N", help="run the K-th of N parts of the selected tests, K = 0, ..., N - 1")
    parser.addoption(
        "--slow-above", metavar="SECONDS", type=float, help="add the tests that take more CPU time to tests/slow.txt"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items) -> None:
    """The golden table comes first; marks the tests that were measured to be slow; keeps one part for the rotation."""
    items.sort(key=lambda item: not item.nodeid.startswith("tests/golden/"))
    measured = set(SLOW.read_text(encoding="utf-8").splitlines())
    for item in items:
        if item.nodeid in measured:
            item.add_marker(pytest.mark.slow)
    if config.getoption("--part") is None:
        return
    part, parts = map(int, config.getoption("--part").split("/"))
    if not 0 <= part < parts:
        raise pytest.UsageError(f"--part {part}/{parts}: K is one of 0, ..., N - 1")
    left = [item for item in items if zlib.crc32(item.nodeid.encode()) % parts != part]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if zlib.crc32(item.nodeid.encode()) % parts == part]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """Notes a test that took too long for a plain `pytest`."""
    limit, before = item.config.getoption("--slow-above"), _cpu_time()
    yield
    if limit is not None and _cpu_time() - before > limit and not item.nodeid.startswith(ALWAYS):
        listed = {*SLOW.read_text(encoding="utf-8").splitlines(), item.nodeid}
        SLOW.write_text("".join(f"{name}\n" for name in sorted(listed)), encoding="utf-8")


def _cpu_time() -> float:
    """Seconds of this process and of those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


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
    monkeypatch.setattr("asympt.cli.boundary.PATIENCE", NEVER)
    monkeypatch.setattr("asympt.cli.boundary.INTERVAL", NEVER)


@pytest.fixture(autouse=True)
def clean_precision():
    """mpmath starts every test at 15 digits; code that changes the global precision and leaves it so fails the test."""
    mp.dps = WORKING_DPS
    yield
    left = mp.dps
    mp.dps = WORKING_DPS
    assert left == WORKING_DPS, f"the global precision was left at {left} digits"
