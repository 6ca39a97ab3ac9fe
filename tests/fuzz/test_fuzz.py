"""Random expressions, command lines and arguments: no traceback, no hang, no code run, and no wrong value.

A failure names its case; `python -m tests.fuzz FUZZER FAMILY SEED` runs it alone.
"""

import pytest

from tests.fuzz.families import FAMILIES
from tests.fuzz.harness import SHORT, Family, sweep

FEW = 3


def name_of(family: Family) -> str:
    """As a test is called."""
    return f"{family.fuzzer}-{family.name}"


def require_clean(family: Family, seeds: range, budget: float, few: int) -> None:
    """No case fails, and enough of those that end in time yield values."""
    report = sweep(family, list(seeds), budget=budget)
    assert not report.failures, "\n" + "\n".join(report.failures)
    shown, in_time = dict(report.outcomes), sum(report.outcomes.values()) - report.outcomes["late"]
    assert in_time >= few or not family.floor, f"too few cases end in time: {shown}, slowest {report.slowest}"
    if in_time >= FEW:  # a share of one or two cases says nothing
        assert report.share >= family.floor, f"only {report.share:.0%} of the cases yield values: {shown}"


@pytest.mark.parametrize("family", FAMILIES, ids=name_of)
def test_default_seeds(family):
    require_clean(family, range(family.default), SHORT, 1 if family.default >= FEW else 0)


def test_there_are_500_cases_and_a_third_should_yield_values():
    assert sum(f.default for f in FAMILIES) >= 500
    assert sum(f.default * f.floor for f in FAMILIES) >= sum(f.default for f in FAMILIES) / 3
