"""The data itself: every known value says how many digits it has and where it comes from."""

from decimal import Decimal

import pytest

from asympt.errors import AsymptError, InputError, PrecisionError, UnsupportedError


def test_every_record_has_value_digits_and_source(known_values):
    assert known_values
    for name, record in known_values.items():
        assert set(record) == {"value", "digits", "source"}, name
        assert len(record["source"]) > 20, f"{name} does not say where it comes from"


def test_the_digits_claimed_are_the_digits_written(known_values):
    for name, record in known_values.items():
        assert len(Decimal(record["value"]).as_tuple().digits) == record["digits"], name


@pytest.mark.parametrize("kind", [InputError, PrecisionError, UnsupportedError])
def test_every_error_is_a_value_error(kind):
    assert issubclass(kind, AsymptError)
    assert issubclass(kind, ValueError)
