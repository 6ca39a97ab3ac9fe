"""One check: what passed is Python's True, False or None, whatever compared the numbers, so that it can be written."""

import json
from dataclasses import replace

import numpy as np
import pytest
from mpmath import mpf
from sympy import false, true

from asympt.claims import find
from asympt.cli.records import to_json
from asympt.evidence import Check, Verification


@pytest.mark.parametrize(
    ("passed", "verdict"),
    [(np.True_, "checked"), (np.False_, "refuted"), (true, "checked"), (false, "refuted"), (None, "unknown")],
)
def test_a_comparison_of_any_numbers(passed, verdict):
    check = Check("name", np.float32(1), mpf(2), passed)
    assert check.verdict == verdict and (passed is None or type(check.passed) is bool)
    both = check, replace(check, route="one"), replace(check, route="two")
    record = json.loads(to_json(Verification("subject", both).record()))
    assert record["verdict"] == verdict and record["checks"][0]["passed"] == (None if passed is None else bool(passed))


def test_what_has_no_truth_value_is_no_result():
    with pytest.raises(ValueError, match="truth value"):
        Check("name", 1, 2, np.array([True, False]))


@pytest.mark.parametrize("name", ["HDR.L1.iff", "TBG.inv.weights"])
def test_decisions_that_compare_arrays_can_be_written(name):
    found = find(name).check(digits=12, depth=10**4)
    assert json.loads(to_json(found.record()))["verdict"] == found.verdict
