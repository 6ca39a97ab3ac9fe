"""The connection constants that a figure puts into a law.

Problem.  `law.connection_constant` certifies its digits, which takes up to a minute for tanh or ELU on the Edge of
Chaos; a line in a picture needs six of them.

Rule.  On the Edge of Chaos, for an activation that is not ReLU-like, C is read off the layer recursion in float64 at
two depths, with the part of the Abel function that the law was derived from:

    C = A(t_l) - l,      t = (1 - c)^(1/root).

The two readings must agree to `AGREED`; if they do not, and everywhere else, the law's own constants are taken.  D is
looked up only when a term of the law contains it.

Tiny case.  tanh, sigma_b = 1/5, c^1 = 1/10: C = 6.746350, and certified 6.74635026942091.
"""

import numpy as np
from sympy import Expr, Float

from asympt.architectures.registry import COMPOSED, record_of
from asympt.depth import pairs
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.recursions.law import Law

READ_AT = (5_000, 10_000)
AGREED = 1e-5
DIGITS, FEWER = 30, 12


def constants_of(net, law: Law, start: Expr) -> dict:
    """{C: its value} and, where the law contains it, {D: its value} for one start c^1.

    Raises `PrecisionError` for a start that has none (c^1 = 1).
    """
    digits = DIGITS if is_scale_free(net) else FEWER
    read = _read_off(net, law, start) if law.abel is not None and not is_scale_free(net) else None
    value = law.connection_constant(digits, correlation=start) if read is None else read
    values = {C: Float(value, digits)}
    if any(coefficient.has(D) for _, coefficient in law.expansion.terms):
        values[D] = Float(law.second_constant(digits, correlation=start), digits)
    return values


def is_scale_free(net) -> bool:
    """Whether every layer does the same at every variance, by the statement of the network where it has one."""
    return net.statement is not None and net.statement.is_scale_free


def pairs_at(net, gaps, depth: int):
    """(1 - c, K/q) where the depth of a law stands: one of a period of blocks counts whole turns."""
    turn = len(net.blocks) if record_of(net) is COMPOSED else 1
    return pairs(net, gaps, 1 + turn * (depth - 1))


def _read_off(net, law: Law, start: Expr) -> float | None:
    """C from float64, None where two readings disagree."""
    gap = float(1 - start)
    readings = [_position(law, float(pairs_at(net, gap, layer)[0])) - layer for layer in READ_AT] if gap > 0 else []
    agree = readings and abs(readings[1] - readings[0]) <= AGREED * max(1, abs(readings[0]))
    return readings[0] if agree else None


def _position(law: Law, gap: float) -> float:
    """A at a gap, by the terms that grow and the first `multiplicity` + 1 that do not."""
    t = gap ** (1 / law.abel.root)
    kept = [(m, c) for m, c in law.abel.expansion.terms if m.order <= law.abel.multiplicity]
    return sum(float(c) * t ** float(m.order) * np.log(t) ** m.logs for m, c in kept)
