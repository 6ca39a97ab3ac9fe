"""The original orbit of a driven recursion in mpmath, and how fast it moves at layers that are not whole numbers.

The slope of the smooth curve x(v), v = l + beta, on which all points lie follows from the next few steps: with u = log
x and Delta u(v) = u(v+1) - u(v), du/dv = log(1 + Delta) u = Delta u - Delta^2 u/2 + ..., whose terms fall like k!/v^k,
so v must be large enough for the digits (`TooEarly`).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, log

import mpmath
from mpmath import mp
from sympy import Expr

from asympt.errors import InputError
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.flow_time.drift import Drift
from asympt.recursions.coordinates.flow_time.step_sizes import Steps

MOST_DIFFERENCES = 160
MORE = 3  # of them when the last ones are not small enough


class TooEarly(Exception):
    """The differences do not become small enough at this layer, or the drift is not shown to be smooth there."""

    reason = "the orbit is too fast"

    def __init__(self, reason: str = reason):
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, eq=False)
class DrivenDynamics:
    """x_l = x_(l-1) - delta_l h(x_(l-1)) for l = first + 1, first + 2, ..."""

    drift: Drift
    steps: Steps
    first: int = 0

    def __post_init__(self):
        if (self.first + 1 + self.steps.shift).is_nonpositive:
            raise InputError(
                f"the step size {self.steps.weight}/(l + ({self.steps.shift})) is not positive at layer "
                f"{self.first + 1}; start at a later layer"
            )

    @property
    def parameters(self) -> set:
        """The symbols in h and in the step size."""
        return self.drift.parameters | self.steps.parameters

    def shifted(self, layer: int):
        """v = l + beta."""
        return layer + to_mpf(self.steps.shift)

    def iterate(self, start: Expr, layer: int):
        """x_layer, layer by layer from x_first."""
        x = to_mpf(start)
        for index in range(self.first + 1, layer + 1):
            following = x - self.steps.at_layer(index) * self.drift(x)
            if not following > 0:
                raise InputError(
                    f"the step from layer {index - 1} to {index} leads from x = {mpmath.nstr(x, 8)} to "
                    f"{mpmath.nstr(following, 8)}, past the fixed point 0; start closer to 0 or take smaller steps"
                )
            x = following
        return x

    def derivative(self, x, v, tolerance):
        """du/dv at the point (x, v) of the curve, u = log x, to the relative `tolerance`."""
        count, moves = terms_needed(v, tolerance), []
        while count <= MOST_DIFFERENCES:
            while len(moves) < count:
                move, x = self.logarithm(x, v + len(moves) + 1)
                moves.append(move)
            total, *last = (mp.fdot(weights, moves) for weights in weights_of(count, mp.prec))
            if max(map(abs, last)) <= tolerance * abs(total):
                return total
            count += MORE
        raise TooEarly

    def logarithm(self, x, v) -> tuple:
        """(log(x'/x), x') of the step to v."""
        move = self.steps.size(v) * self.drift(x) / x
        return mp.log1p(-move), x * (1 - move)

    def defect(self, x, v, tolerance):
        """1 - delta(v) dv/dy, y being the flow time: by how much of a step the curve differs from the flow's."""
        return 1 + self.steps.size(v) * self.drift(x) / (x * self.derivative(x, v, tolerance))


def terms_needed(v, tolerance) -> int:
    """How many terms of log(1 + Delta) to begin with: until k!/v^k falls below the tolerance."""
    goal, step, size, count = float(mp.log(tolerance)), float(mp.log(v)), 0.0, 1
    while size > goal and count <= MOST_DIFFERENCES:
        size += log(count) - step
        count += 1
    return count + 1  # two of them are compared


@lru_cache(maxsize=512)
def weights_of(count: int, precision: int) -> list[list]:
    """For g_0, ..., g_(count-1): the weights of their sum over (-1)^m Delta^m g_0/(m+1), and of its last two terms."""
    terms = [[Fraction((-1) ** j * comb(m, j), m + 1) for j in range(count)] for m in range(count)]
    sums = [sum(column) for column in zip(*terms, strict=True)]
    return [[mpmath.mpf(w.numerator) / w.denominator for w in row] for row in (sums, terms[-1], terms[-2])]
