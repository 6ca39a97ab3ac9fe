"""Starts, as c^1 or as the gap 1 - c^1, where near c = 1 all digits are: 1 - 1e-30 loses what gap=1e-30 keeps."""

from collections.abc import Callable

from sympy import Expr

from asympt.errors import InputError
from asympt.meanfield.correlation import check_correlation
from asympt.numbers import exact


def read_start(correlation=None, gap=None) -> Expr:
    """The exact gap 1 - c^1 from exactly one of `correlation` and `gap`."""
    if (correlation is None) == (gap is None):
        raise InputError("give either correlation = c^1 or gap = 1 - c^1, for example correlation=Rational(1, 10)")
    value = exact(correlation, "correlation") if gap is None else 1 - exact(gap, "gap")
    if not value.is_number:
        raise InputError(f"correlation = {value} is not a number; give a number in [-1, 1]")
    check_correlation(value)
    return 1 - value


def start_about(fixed_gap: Expr) -> Callable[..., Expr]:
    """A reader of the distance (1 - c^1) - (1 - c*) from the fixed point of the chaotic phase."""

    def read(correlation=None, gap=None) -> Expr:
        start = read_start(correlation, gap)
        if start == 0:
            raise InputError(
                "correlation = 1 stays at 1 in the chaotic phase, where 1 repels; give c^1 < 1, or take "
                "ntk_diagonal_law for the NTK of one input"
            )
        return start - fixed_gap

    return read


def read_variance(variance=None) -> Expr:
    """The exact variance q^1 of the first layer."""
    if variance is None:
        raise InputError("no starting variance was given; pass variance=q^1, for example variance=1")
    value = exact(variance, "variance")
    if not value.is_number:
        raise InputError(f"variance = {value} is not a number; give a positive number")
    if not value > 0:
        raise InputError(f"variance = {value} is not positive; give the variance q^1 of the first layer")
    return value
