"""Two routes: when they agree, what is returned, and how often it is tried."""

import mpmath
import pytest
from mpmath import mp

from asympt.errors import PrecisionError
from asympt.recursions.agreement import agree, agreed, two_routes


def test_the_second_of_two_results_that_agree_is_returned():
    with mp.workdps(30):
        third = mpmath.mpf(1) / 3
        assert agreed(lambda extra: [third * (1 + mpmath.mpf(10) ** -21), third], 20) == third


def test_what_does_not_agree_is_tried_again_with_more_digits():
    asked = []

    def pair(extra: int) -> list:
        asked.append(extra)
        return [mpmath.mpf(1), 1 + mpmath.mpf(10) ** -extra]

    assert agreed(pair, 8, extras=(0, 5, 10, 20)) == 1 + mpmath.mpf(10) ** -10
    assert asked == [0, 5, 10]


def test_what_never_agrees_is_refused_in_one_sentence_that_shows_both():
    with pytest.raises(PrecisionError) as caught:
        agreed(lambda extra: [(mpmath.mpf(1), None), (mpmath.mpf(2), None)], 5, "two readings", "ask for fewer digits")
    assert str(caught.value) == "two readings do not agree to 5 digits (1.0 and 2.0); ask for fewer digits"


@pytest.mark.parametrize(("one", "two", "same"), [
    ((1, 2), (1, 2), True), ((1, 2), (1, 3), False), ((1, None), (1, None), True), ((1, 2), (1, None), False)])
def test_tuples_agree_entry_by_entry(one, two, same):
    assert agree(one, two, 10) is same


def test_the_second_route_goes_further_in_everything():
    one, two = two_routes(last=20, digits=30)
    assert two.last > one.last and two.digits > one.digits and two.deeper > one.deeper and two.later > one.later
