"""Zeros to any number of digits: how often the residual is asked, and what for."""

import pytest
from mpmath import mp

from asympt.errors import PrecisionError
from asympt.meanfield.roots import Zero


def counted():
    """sqrt(2) as a zero, and the digits of every value of the residual."""
    asked = []

    def residual(q, digits: int):
        asked.append(digits)
        with mp.workdps(digits):
            return q * q - 2

    return Zero(residual, 1.41421356237310), asked


def test_digits_of_the_square_root_of_two():
    zero, _ = counted()
    for digits in (20, 45, 60, 200):
        with mp.workdps(digits + 5):
            assert abs(zero.to_digits(digits) / mp.sqrt(2) - 1) < mp.mpf(10) ** -digits


def test_a_few_digits_more_take_one_step_with_the_slope_that_is_known():
    zero, asked = counted()
    zero.to_digits(45)
    asked.clear()
    zero.to_digits(60)
    assert len(asked) == 3  # one step, and the change of sign


def test_a_slope_that_is_wrong_is_found_out():
    zero, _ = counted()
    zero.to_digits(45)
    zero._slope *= 2
    with mp.workdps(70):
        assert abs(zero.to_digits(60) / mp.sqrt(2) - 1) < mp.mpf(10) ** -60


def test_two_zeros_in_one_are_refused():
    with pytest.raises(PrecisionError, match="could not be certified"):
        Zero(lambda q, digits: (q - 1) ** 2, 1.0000000000001).to_digits(30)
