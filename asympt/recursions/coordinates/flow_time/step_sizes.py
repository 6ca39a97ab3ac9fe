"""Step sizes delta_l = a v^(-kappa), v = l + beta, 0 < kappa <= 1, and the clock that adds them up: a log v, or

    a v^(1 - kappa)/(1 - kappa)   for kappa < 1, up to terms that the recursions account for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb, log

import mpmath
from mpmath import mp
from sympy import Dummy, Expr, S, Symbol, cancel, simplify

from asympt.errors import InputError, UnsupportedError
from asympt.expansions.printing import plain
from asympt.numbers import exact_coefficients, to_mpf
from asympt.parsing import as_sympy
from asympt.recursions.coordinates.flow_time.drift import Drift


@dataclass(frozen=True)
class Steps:
    """delta_l = weight (l + shift)^(-exponent).

    >>> l = Symbol("l", positive=True)
    >>> Steps.read(1 / (2 * l) / (1 + 1 / (2 * l)), l)
    Steps(weight=1/2, exponent=1, shift=1/2)
    >>> Steps.read((9 / (l - 1)) ** S.Half, l)
    Steps(weight=3, exponent=1/2, shift=-1)
    """

    weight: Expr
    exponent: Expr
    shift: Expr = S.Zero

    @classmethod
    def read(cls, step: Expr, layer: Symbol) -> "Steps":
        """From an expression in `layer`; the sizes that are not treated are refused."""
        step = exact_coefficients(as_sympy(step))
        if step == 0 or not step.has(layer):
            raise UnsupportedError(
                f"the step size {step} does not depend on {layer}, so the recursion is not driven; use Recursion"
            )
        found = power_of_layer(step, layer)
        if found is None:
            raise UnsupportedError(f"the step size {plain(step)} is not a ({layer} + beta)^(-kappa), as it has to be")
        steps = cls(*found)
        steps._require_treated(step, layer)
        return steps

    def _require_treated(self, step: Expr, layer: Symbol) -> None:
        size = f"the step size {plain(step)}"
        if not self.exponent.is_Rational:
            raise UnsupportedError(f"{size} has the power {self.exponent} of 1/{layer}; give a fraction")
        if self.exponent > 1:
            raise UnsupportedError(
                f"{size} has a finite sum, so x does not reach 0; the power of 1/{layer} must not exceed 1"
            )
        if self.exponent <= 0:
            raise UnsupportedError(f"{size} does not tend to 0 with depth; no law of this form exists")
        if self.weight.is_positive is not True:
            raise InputError(f"{size} is not known to be positive; give numbers, or symbols declared positive")

    @property
    def parameters(self) -> set:
        """The symbols in the step size other than the layer."""
        return self.weight.free_symbols | self.shift.free_symbols

    @cached_property
    def harmonic(self) -> bool:
        """Whether delta_l = a/(l + beta): the steps add up like a logarithm."""
        return self.exponent == 1

    def powers(self, last) -> list[tuple[Expr, Expr]]:
        """delta as a sum of c v^(-p): pairs (p, c), the first one and all others with p <= last."""
        return [(self.exponent, self.weight)]

    def formula(self, layer: Symbol) -> Expr:
        """delta_l."""
        return self.weight * (layer + self.shift) ** -self.exponent

    def at_layer(self, layer: int):
        """delta_l."""
        return self.size(layer + to_mpf(self.shift))

    def size(self, v):
        """delta_l at v = l + shift, l real."""
        return to_mpf(self.weight) / (v if self.harmonic else v ** to_mpf(self.exponent))

    def clock(self, v):
        """The integral of the step size, without constant."""
        if self.harmonic:
            return to_mpf(self.weight) * mp.log(v)
        rest = to_mpf(1 - self.exponent)
        return to_mpf(self.weight) * v**rest / rest

    def at(self, time):
        """v at which the clock shows `time`."""
        if self.harmonic:
            return mp.exp(time / to_mpf(self.weight))
        rest = to_mpf(1 - self.exponent)
        return (time * rest / to_mpf(self.weight)) ** (1 / rest)


def power_of_layer(formula: Expr, layer: Symbol) -> tuple[Expr, Expr, Expr] | None:
    """(a, kappa, s) of a (l + s)^(-kappa); None for anything else.

    >>> l = Symbol("l")
    >>> power_of_layer(3 / (2 * l - 1), l), power_of_layer(S(5), l), power_of_layer(1 + 1 / l, l)
    ((3/2, 1, -1/2), (5, 0, 0), None)
    """
    slope = simplify(formula.diff(layer))
    if slope == 0:
        return formula, S.Zero, S.Zero
    line = cancel(layer / simplify(-layer * slope / formula))  # (l + s)/kappa
    if not line.is_polynomial(layer) or line.as_poly(layer).degree() != 1:
        return None
    (lead, rest), v = line.as_poly(layer).all_coeffs(), Dummy(positive=True)
    exponent, shift = simplify(1 / lead), simplify(rest / lead)
    return simplify(formula.subs(layer, v - shift) * v**exponent), exponent, shift


# ---- how fast an orbit moves at layers that are not whole numbers --------------------------------
#
# The smooth curve x(v), v = l + beta, on which all points lie: with u = log x and Delta u(v) = u(v+1) - u(v),
# du/dv = log(1 + Delta) u = Delta u - Delta^2 u/2 + ..., whose terms fall like k!/v^k: v is to be large (`TooEarly`).

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
                f"the step size {plain(self.steps.formula(Symbol('l')))} is not positive at layer {self.first + 1}; "
                "start at a later layer"
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
        def step(x, v) -> tuple:
            move, x = self.logarithm(x, v)
            return x, (move,)

        return slopes_along(step, x, v, tolerance)[0]

    def logarithm(self, x, v) -> tuple:
        """(log(x'/x), x') of the step to v."""
        move = self.steps.size(v) * self.drift(x) / x
        return mp.log1p(-move), x * (1 - move)

    def defect(self, x, v, tolerance):
        """1 - delta(v) dv/dy, y being the flow time: by how much of a step the curve differs from the flow's."""
        return 1 + self.steps.size(v) * self.drift(x) / (x * self.derivative(x, v, tolerance))


def slopes_along(step: Callable, state, v, tolerance, sizes: Callable = lambda totals: totals) -> list:
    """d/dv of several quantities at v, step(state, v) -> (state, what they move by in the step to v).

    Each to the relative `tolerance`, or to that of what `sizes` puts in its place.
    """
    count, moves = terms_needed(v, tolerance), []
    while count <= MOST_DIFFERENCES:
        while len(moves) < count:
            state, found = step(state, v + len(moves) + 1)
            moves.append(found)
        columns = list(zip(*moves, strict=True))
        totals, *last = ([mp.fdot(row, column) for column in columns] for row in weights_of(count, mp.prec))
        rests = zip(*last, sizes(totals), strict=True)
        if all(max(map(abs, rest)) <= tolerance * abs(size) for *rest, size in rests):
            return totals
        count += MORE
    raise TooEarly


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
