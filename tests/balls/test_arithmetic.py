"""Numbers that leave balls: decimal and binary ends are rounded outward, by exact fractions."""

import random
from fractions import Fraction

import pytest
from flint import arb

from asympt.balls.arithmetic import decimal_above, decimal_below, ends, exact_ends, fraction, working


def balls(count: int):
    """Random balls of all sizes and signs, also exact ones."""
    rng = random.Random(5)
    for _ in range(count):
        middle = arb(rng.randint(-(10**12), 10**12)) * arb(2) ** rng.randint(-300, 200)
        yield arb(middle, abs(middle) * arb(2) ** -rng.randint(3, 200)) if rng.random() < 0.8 else middle
    yield from map(arb, (0, 1, -1, 7))


@pytest.mark.parametrize("digits", [1, 6, 12, 40])
def test_ends_are_rounded_outward(digits):
    for ball in balls(300):
        with working(400):
            low, high = exact_ends(ball)
        below, above = Fraction(decimal_below(ball, digits)), Fraction(decimal_above(ball, digits))
        assert below <= low <= high <= above
        assert max(low - below, above - high) <= max(abs(low), abs(high)) * Fraction(10) ** (1 - digits)
        binary = [fraction_of(value) for value in ends(ball, digits)]
        assert binary[0] <= low <= high <= binary[1]


def fraction_of(value) -> Fraction:
    sign, mantissa, exponent, _ = value._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


@pytest.mark.parametrize(("value", "below", "above"), [
    (arb(2) / 3, "0.66", "0.67"), (arb(-2) / 3, "-0.67", "-0.66"), (arb(5), "5", "5"), (arb(0), "0", "0"),
])  # fmt: skip
def test_two_digits(value, below, above):
    assert (str(decimal_below(value, 2)), str(decimal_above(value, 2))) == (below, above)


def test_the_midpoint_is_exact():
    assert fraction(arb("0.1")) != Fraction(1, 10) and abs(fraction(arb("0.1")) - Fraction(1, 10)) < Fraction(1, 2**53)
