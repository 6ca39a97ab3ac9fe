"""The printed law between two orbits near by: right ones pass, and one per cent of any exponential term is seen."""

from dataclasses import replace
from functools import cache

import pytest

from asympt.architectures.composition import Network
from asympt.evidence.orbits.printed import short_check
from tests.evidence.planting import ONE_PERCENT, changed

TWO = "serial(relu, dense({0}), relu, dense({0}))"


@cache
def law_of(text: str):
    return Network(TWO.format(text)).correlation_law()


@pytest.mark.parametrize("text", ["1, 1", "sqrt(2)"])
def test_laws_as_they_are_derived(text):
    assert short_check(law_of(text)).passed


@pytest.mark.parametrize("at", range(4))
def test_a_wrong_coefficient(at):
    law = law_of("1, 1")
    assert short_check(replace(law, expansion=changed(law.expansion, at, ONE_PERCENT))).passed is False
