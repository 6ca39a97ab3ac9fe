"""How an activation behaves far from 0, where the variance of a network goes that grows.

With phi(x) = a x + b + o(1) on either side, as its variance grows,

    a+ != a-                       'growing'    q_l ~ (1+alpha)^l, phi acts like the ReLU-like function of its slopes
    a+ = a- = 0, b+ or b- != 0     'bounded'    q_l ~ l, phi acts like the step function of its limits
    a+ = a- != 0                   'line'       the correlation stops moving
    anything else                  'other'

a and b are SymPy's limits, held against phi in numbers.  `is_fast`: phi - a x - b falls faster than any power, seen at
distances up to `FURTHEST`.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from mpmath import mp, mpf
from sympy import Expr, Integer, limit, oo, simplify

from asympt.errors import UnsupportedError
from asympt.gaussian.kernel import kernel_of
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.layer import First, Statement
from asympt.numbers import symbol_names, to_mpf

FURTHEST = 4000
SMALL = 30  # decimal powers
DIGITS = 60


@dataclass(frozen=True)
class Tails:
    """phi = slope x + offset + o(1): (right, left) pairs, None where there is no limit; the rest as above."""

    slopes: tuple[Expr, Expr] | None
    offsets: tuple[Expr, Expr] | None
    kind: str
    is_fast: bool


@lru_cache(maxsize=64)
def tails(phi: Activation) -> Tails:
    """The tails of phi; `UnsupportedError` with symbols in it.

    >>> from asympt.meanfield.activations import activation
    >>> tails(activation("elu"))
    Tails(slopes=(1, 0), offsets=(0, -1), kind='growing', is_fast=True)
    >>> tails(activation("arctan")).kind, tails(activation("monomial")).kind
    ('bounded', 'other')
    """
    symbols = phi.expression.free_symbols - {phi.symbol}
    if symbols:
        raise UnsupportedError(
            f"activation {phi.name!r} contains the symbols {symbol_names(symbols)}; give numbers, because its "
            "behaviour far from 0 decides"
        )
    function = phi.piecewise
    found = [_side(piece, phi.symbol, end) for piece, end in ((function.pieces[-1], oo), (function.pieces[0], -oo))]
    if None in found or not all(_confirmed(phi, *pair, sign) for pair, sign in zip(found, (1, -1), strict=True)):
        return Tails(None, None, "other", False)
    slopes, offsets = (tuple(values) for values in zip(*found, strict=True))
    fast = all(_falls(phi, *pair, sign) for pair, sign in zip(found, (1, -1), strict=True))
    return Tails(slopes, offsets, _kind(slopes, offsets), fast)


def _side(piece: Expr, x, end) -> tuple[Expr, Expr] | None:
    """(a, b) at one end, None where SymPy finds no finite limits."""
    slope = limit(piece / x, x, end)
    if not slope.is_finite or not slope.is_number:
        return None
    offset = limit(piece - slope * x, x, end)
    return (slope, offset) if offset.is_finite and offset.is_number else None


def _rest(phi: Activation, slope: Expr, offset: Expr, x):
    return abs(phi.numeric(x) - to_mpf(slope) * x - to_mpf(offset))


def _confirmed(phi: Activation, slope: Expr, offset: Expr, sign: int) -> bool:
    """Whether phi - a x - b falls by half over every four-fold distance up to 10^12."""
    with mp.workdps(DIGITS):
        noise = mpf(10) ** (20 - DIGITS)
        rests = [_rest(phi, slope, offset, sign * mpf(10) ** 4 * mpf(4) ** k) for k in range(14)]
        return all(b <= a / 2 + noise for a, b in pairwise(rests))


def _falls(phi: Activation, slope: Expr, offset: Expr, sign: int) -> bool:
    """Whether phi - a x - b is gone at `FURTHEST`; a power of x would be there still."""
    with mp.workdps(DIGITS):
        return bool(_rest(phi, slope, offset, sign * mpf(FURTHEST)) < mpf(10) ** -SMALL)


def is_inverse(phi: Activation) -> bool:
    """Whether phi approaches its lines at least as fast as 1/x, seen from 10^4 to 10^12.

    >>> from asympt.meanfield.activations import activation
    >>> is_inverse(activation("arctan"))
    True
    """
    found = tails(phi)
    sides = list(zip(found.slopes, found.offsets, (1, -1), strict=True))
    with mp.workdps(DIGITS):
        sizes = [[x * _rest(phi, a, b, sign * x) for a, b, sign in sides] for x in (mpf(10) ** 4, mpf(10) ** 12)]
        return all(late <= 2 * early for early, late in zip(*sizes, strict=True))


@lru_cache(maxsize=64)
def has_formula_far_out(phi: Activation) -> bool:
    """Whether E[phi phi] has a closed form at large variances; else a layer is a quadrature in the plane there.

    >>> from asympt.meanfield.activations import activation
    >>> has_formula_far_out(activation("gelu")), has_formula_far_out(activation("elu"))
    (True, False)
    """
    kernel, q = kernel_of(phi.piecewise), mpf(10) ** 8
    return phi.is_relu_like or kernel.by_formula(lambda: kernel.closed.evaluate(q, q, mpf(1) / 2)) is not None


def _kind(slopes: tuple[Expr, Expr], offsets: tuple[Expr, Expr]) -> str:
    if simplify(slopes[0] - slopes[1]) != 0:
        return "growing"
    if slopes[0] != 0:
        return "line"
    return "other" if offsets == (Integer(0), Integer(0)) else "bounded"


def added_variance(statement: Statement) -> Expr:
    """v, what a layer adds to the variance in the limit."""
    up, down = tails(statement.layer.activation).offsets
    return statement.layer.bias_variance + statement.layer.weight_variance * (up**2 + down**2) / 2


@lru_cache(maxsize=64)
def limit_statement(statement: Statement) -> Statement:
    """The ReLU-like network without bias that the layers approach.

    >>> from asympt.architectures import ResNet
    >>> s = limit_statement(ResNet("elu", sigma_b=1).statement)
    >>> s.layer.activation.slopes, s.branch_share
    ((1, 0), 1/3)
    """
    right, left = tails(statement.layer.activation).slopes
    phi = activation("relu_like", right=right, left=left)
    first = statement.first
    layer = replace(statement.layer, activation=phi, bias_variance=first.bias * 0)
    return replace(
        statement, layer=layer, bias_rate=first.bias * 0,
        first=First(first.weight, first.bias * 0, first.weight_rate, first.bias * 0),
    )
