"""How an activation behaves far from 0, which decides what a residual network of it does.

With phi(x) = a x + b + o(1) on either side, as its variance grows,

    a+ != a-                       'growing'    q_l ~ (1+alpha)^l, phi acts like the ReLU-like function of its slopes
    a+ = a- = 0, b+ or b- != 0     'bounded'    q_l ~ l, phi acts like the step function of its limits
    a+ = a- != 0                   'line'       the correlation stops moving
    anything else                  'other'

a and b are SymPy's limits, held against phi in numbers.  `is_fast`: phi - a x - b falls faster than any power, seen at
distances up to `FURTHEST`.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from mpmath import mp, mpf
from sympy import Expr, Integer, Symbol, Tuple, limit, log, oo, simplify, sqrt

from asympt.architectures.composed.compiling import normal_form
from asympt.architectures.law_parts import read_start, read_variance
from asympt.architectures.relu_like import OneKink
from asympt.architectures.scaled import FallingBranch
from asympt.blocks import primitives
from asympt.blocks.nodes import LAYER as BLOCK_LAYER
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Scale
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.layer import First, Statement
from asympt.numbers import symbol_names, to_mpf
from asympt.precise.dense import MOST_LAYERS, MovingStep, followed
from asympt.precise.far import Rest, Split
from asympt.recursions.agreement import Route
from asympt.recursions.law import Law
from asympt.recursions.protocol import MOVES, Coordinate, FollowedLayers, Step

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


@lru_cache(maxsize=64)
def limit_form(statement: Statement):
    """The normal form of the ReLU-like network without bias that the layers approach, as a composition."""
    right, left = tails(statement.layer.activation).slopes
    phi, scale = primitives.activation("relu_like", right=right, left=left), BLOCK_LAYER ** (-statement.decay / 2)
    weight, ratio = statement.layer.weight_variance, statement.learning_ratio
    drawn = primitives.dense(sqrt(weight), weight_rate=None if ratio == 1 else weight * ratio)
    found = normal_form(primitives.residual(phi, drawn, scale=scale), None)
    return OneKink.of(found.total) if found.total is not None else FallingBranch.of(found)


def require_fast(statement: Statement) -> None:
    """`UnsupportedError` where phi approaches its lines like a power."""
    if not tails(statement.layer.activation).is_fast:
        raise UnsupportedError(
            f"activation {statement.layer.activation.name!r} approaches its straight lines only like a power of x, so "
            "numbers at a depth would need more of its behaviour at infinity; the law's formula holds"
        )


@lru_cache(maxsize=64)
def step_of(statement: Statement) -> MovingStep:
    """One layer of the network itself."""
    return MovingStep(statement, Split(rest_of(statement.layer.activation)))


def rest_of(phi: Activation) -> Rest:
    """What phi has beside its lines."""
    found = tails(phi)
    return Rest(phi.piecewise, found.slopes, found.offsets)


def read_pair(correlation=None, gap=None, variance=None) -> Expr:
    """(1 - c^1, q^1), exact; both inputs have the variance q^1."""
    start = read_start(correlation, gap)
    if start == 0:
        raise InputError("correlation = 1 means one input twice, which has no law here; give c^1 < 1")
    return Tuple(start, read_variance(variance))


# ---- laws whose numbers are those of the layers, and the clock by which variances grow -----------------
#
# y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)), 0 <= kappa <= 1: where the branch comes to add the same v to the
# variance, q_l ~ v sum l^(-kappa), which is l^(1 - kappa)/(1 - kappa) or, for kappa = 1, log l.  What a law of q
# says of l holds of this clock.


ORBIT = 5  # digits of the orbit beyond its route


class ByLayers(FollowedLayers):
    """No numbers but those of the layers: a start is (gap, variance), and C and D have no formula.

    A subclass says whose layers these are, `network`, and whether the NTK goes along, `with_ntk`.
    """

    most_layers = MOST_LAYERS
    evidence, unproved = "growing", MOVES
    network: Statement
    with_ntk: bool = True
    formulas = None  # of the network's own recursion: the limit's are another one's, of which a proof would say nothing

    def routes(self, digits: int, depth: int | None = None) -> list[Route]:
        """Two precisions."""
        return Coordinate.routes(self, digits, depth)

    def to_layer(self, start: tuple, depth: int, route: Route, crossing: None) -> tuple:
        """(gap, kernel), or (gap,), at a layer."""
        state = followed(step_of(self.network), *start, route.digits + ORBIT, depth)
        return (state.gap, state.kernel)[: 1 + self.with_ntk]


@dataclass(frozen=True)
class OfAnother(ByLayers):
    """The coordinate of another law, `of`, whose numbers are those of the layers of `network`."""

    network: Statement
    of: Law = field(compare=False)

    @property
    def with_ntk(self) -> bool:
        return self.of.name == "ntk"

    @property
    def says_limit_and_power(self) -> bool:
        return self.of.coordinate.says_limit_and_power

    @property
    def dynamics(self):
        return self.of.dynamics

    @property
    def abel(self):
        return self.of.abel

    @property
    def time(self):
        return self.of.time

    def steps(self, law) -> tuple[Step, ...]:
        return self.of.coordinate.steps(law)


@dataclass(frozen=True)
class VarianceByLayers(ByLayers):
    """q of the layers, or its logarithm."""

    network: Statement
    is_logarithm: bool = False

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        q = followed(step_of(self.network), None, start, route.digits + ORBIT, depth).variance
        with mp.workdps(route.digits + ORBIT):
            return (mp.log(q) if self.is_logarithm else q,)


def clock_of(statement: Statement, depth: Symbol) -> Expr:
    """What grows like the sum of the branches' l^(-kappa): l^(1 - kappa), or log l."""
    kappa = statement.decay
    return log(depth) if kappa == 1 else depth ** (1 - kappa)


def clock_scale(statement: Statement, depth: Symbol) -> tuple[Scale, Expr]:
    """The scale of a law and the power of its variable that grows like the clock."""
    kappa = statement.decay
    return (Scale.at_infinity(log(depth)), Integer(1)) if kappa == 1 else (Scale.at_infinity(depth), 1 - kappa)
