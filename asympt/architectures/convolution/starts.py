"""What a convolutional network's law starts from: layer 1 along one offset, the gaps at all positions.

Rule.  The pairs (alpha, alpha + d) of one offset d evolve on their own, so a start is a vector of M correlations
c^1_(alpha, alpha+d), or of M gaps 1 - c^1; one number stands for M equal ones.  `position` is the alpha that is asked
for.  Where phi has no scale, `variance` may give q^1_alpha, or the pair of q^1_alpha(x) and q^1_(alpha+d)(x').

Tiny case.  correlation=(1/10, 1/2, 0) on a circle of three positions.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sympy import Expr

from asympt.architectures.starts import read_start, read_variance
from asympt.errors import InputError


@dataclass(frozen=True)
class ConvStart:
    """Exact gaps of layer 1, the position asked for, and the variances of both inputs (None: equal and settled)."""

    gaps: tuple[Expr, ...]
    position: int = 0
    first: tuple[Expr, ...] | None = None
    second: tuple[Expr, ...] | None = None

    @property
    def is_at_rest(self) -> bool:
        """Whether the inputs are the same at all positions."""
        return all(gap == 0 for gap in self.gaps) and self.first == self.second


def reader_for(positions: int, has_variances: bool) -> Callable[..., ConvStart]:
    """The reader of `evaluate` for a circle of so many positions; `has_variances`: phi has no scale."""

    def read(correlation=None, gap=None, position=0, variance=None) -> ConvStart:
        if (correlation is None) == (gap is None):
            raise InputError(
                f"give either correlation, {positions} numbers c^1 along one offset, or gap, {positions} numbers 1 - "
                f"c^1"
            )
        if gap is None:
            gaps = tuple(read_start(correlation=c) for c in vector(correlation, positions, "correlation"))
        else:
            gaps = tuple(read_start(gap=g) for g in vector(gap, positions, "gap"))
        return ConvStart(gaps, _position(position, positions), *_variances(variance, positions, has_variances))

    return read


def vector(values, positions: int, name: str) -> tuple:
    """`positions` entries; one number stands for all of them."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        return (values,) * positions
    entries = tuple(values)
    if len(entries) != positions:
        raise InputError(f"{name} has {len(entries)} entries and the network {positions} positions; give one for each")
    return entries


def _position(value, positions: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < positions:
        raise InputError(f"position = {value!r} is none of 0, ..., {positions - 1}; give one of them")
    return value


def _variances(given, positions: int, has_variances: bool) -> tuple:
    if given is None:
        return None, None
    if not has_variances:
        raise InputError(
            "variance is given, but this law holds at the fixed point of the variance; leave it out, or iterate with "
            "asympt.depth.convolution.conv_pairs"
        )
    is_pair = isinstance(given, tuple) and len(given) == 2
    both = given if is_pair else (given, given)
    return tuple(tuple(read_variance(q) for q in vector(values, positions, "variance")) for values in both)
