"""What the parts of `recursions` agree on: a recursion as the solvers see it, and its coordinate N.

What differs between the kinds of recursions is the `Coordinate`, in which N(x_(l+1)) is known from N(x_l).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import mpmath
from sympy import EX, QQ, And, Expr, Integer, Mul, Ne, Rational, S, factor, fraction

from asympt.balls.arithmetic import Refused
from asympt.errors import PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Monomial
from asympt.expansions.fields.field import Field
from asympt.expansions.series import power
from asympt.recursions.agreement import EXTRA, REMEDY, Route
from asympt.symbols import Reserved

T = Reserved("t", positive=True)  # the uniformiser
APART = 10  # digits of the second of two precisions beyond those of the first
KINDS = ("map", "uniformiser", "coordinate", "inversion", "linear", "quantity")


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a derivation and what it found: `kind` is one of KINDS, `objects` what it found, by name (`steps`).

    Documents print them and checks put them into the recursion; they are derived once.

    >>> step = Step("coordinate", {"abel": None, "advance": 1})
    >>> step.form, step["advance"], "koenigs" in step
    ('abel', 1, False)
    """

    kind: str
    objects: Mapping[str, object]

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"kind = {self.kind!r} is not a kind of step; known are {', '.join(KINDS)}")

    @property
    def form(self) -> str:
        """The name of the first object, which tells the form of the step."""
        return next(iter(self.objects))

    def __getitem__(self, name: str):
        return self.objects[name]

    def __contains__(self, name: str) -> bool:
        return name in self.objects


@dataclass(frozen=True, eq=False)
class LinearPart:
    """a' = lambda(x) a + b(x): exact series of lambda and b in tau; the starting value as a function of x.

    `formulas`: (lambda, b) as closed forms in t, to check the series by; `beyond`: the same at -t, like
    that of `Dynamics`, None for one that is what its formula says; `character`: how lambda compares with the flow
    (`abel.Character`), None when lambda is the derivative of the map; `exact_start`: the starting value as a formula in
    x, for proofs.
    """

    multiplier: Callable[[int], Sequence[Expr]]
    forcing: Callable[[int], Sequence[Expr]]
    start: Callable
    formulas: tuple[Expr, Expr] | None = None
    beyond: tuple[Expr | None, Expr | None] = (None, None)
    character: object = None
    exact_start: Callable[[Expr], Expr] | None = None


def is_alone(state: tuple, digits: int) -> bool:
    """True: there is nothing but x."""
    return True


@dataclass(frozen=True, eq=False)
class Dynamics:
    """One recursion.

    ratio: count -> the first `count` coefficients of x'/x in tau (exact);
    step:  state -> next state in mpmath, a state being (x,) or, with a linear part, (x, a);
    root, scale: x = t^root and t = scale * tau;  first: the index of the starting value;
    interpolation_radius: t up to which the map may be composed with itself by interpolation (`orbits`), or None;
    formula: x' as a closed form in t (the symbol `T`), to check the series by; for t > 0;
    beyond:  x' at -t as a closed form in t > 0, where that is not `formula` at -t (|t + 1/500| was read as t + 1/500);
    costly:  whether a coefficient takes as long as thousands of steps (a Gaussian moment does), so that few are wanted;
    closed:  a function that gives (x', lambda, b) as closed forms in t, for proofs, where there is no `formula` but the
             map is known in closed form at numbers that are known by their digits (sigma_w and q, say), and a function
             of the precision in bits that gives balls for these, or None; or a map of `balls` itself;
    begin:   the first state of a start, where it has more coordinates than x (`system`);
    settled: whether x alone determines a state of these to so many digits.
    """

    ratio: Callable[[int], Sequence[Expr]]
    step: Callable
    root: int = 1
    scale: Expr = S.One
    first: int = 0
    linear: LinearPart | None = None
    formula: Expr | None = None
    beyond: Expr | None = None
    interpolation_radius: Expr | None = None
    costly: bool = False
    closed: Callable[[], tuple] | None = None
    begin: Callable | None = None
    settled: Callable = is_alone

    def uniformiser(self, x):
        """t = x^(1/root) of an mpmath number, with the sign of x where root is 1."""
        return x if self.root == 1 else mpmath.mp.root(x, self.root)

    def growth(self, count: int) -> list[Expr]:
        """The first `count` coefficients of e, t' = t (1 + e), exact."""
        ratio = self.ratio(count)
        field = Field.of(ratio)
        exponent = Rational(1, self.root) if field.domain is EX else QQ(1, self.root)
        return [Integer(0), *(field.leave(c) for c in power(field.enter(ratio), exponent, count)[1:])]

    @property
    def is_one_sided(self) -> bool:
        """Whether some formula holds for t > 0 only."""
        along = (None, None) if self.linear is None else self.linear.beyond
        return any(formula is not None for formula in (self.beyond, *along))

    @property
    def parameters(self) -> set:
        """The symbols in the map, and in what runs along it: numbers must be given for them to evaluate anything."""
        formulas = [] if self.formula is None else [self.formula]
        formulas += (self.linear.formulas or ()) if self.linear is not None else ()
        return set(self.scale.free_symbols).union(*(formula.free_symbols for formula in formulas)) - {T}


@dataclass(frozen=True)
class Known:
    """A connection constant that is known without following an orbit (see `Coordinate.crossing`)."""

    constant: object

    lost = 0

    def constants(self, second: bool) -> tuple:
        """(C, None)."""
        return self.constant, None


PROVED = "there are theorems about maps and about steps a/(l + b)"
MOVES = (
    "the recursion of this law moves with something that keeps changing (a variance, a learning rate), about which "
    f"there is no theorem yet; {PROVED}"
)


class Coordinate(Protocol):
    """The coordinate of one recursion: what a law is derived in, and what the evaluation asks (`evaluation`).

    kind: that of the law;  dynamics: the recursion;  abel, koenigs, time: the exact function that this coordinate is;
    spare: digits of the first route beyond those requested of a value, and of constants, which may lose some;
    extras: digits more in each attempt to make two routes agree;  remedy: what to do when they never do;
    constants_named: what an error calls the two readings of the constants;
    names: what the constants are called;
    cancels: whether C is a difference of two large numbers, so that a C of 0 is one of which no digit is seen;
    has_constants: whether numbers of C and D can be computed;  says_limit_and_power: whether laws in it say no more
    than where the field of one layer vanishes and its slope there;
    plain_depth: up to which depth the recursion itself is iterated where two crossings do not agree;
    unproved: why laws in it have no theorem, where they have none;  starts_from_one: whether a start is one number;
    undrawn: why there are no figures over the depth (plots, documents, a measured remainder), where there are none;
    seen: how a quantity is read off a state, where the law has no `observable` (`system`);
    evidence: the module of `asympt.evidence` that checks its laws, "" where its exact function does.
    """

    kind: str = "unknown"
    dynamics: object
    abel: object = None
    koenigs: object = None
    time: object = None
    spare: tuple[int, int] = (8, 10)
    extras: Sequence[int] = EXTRA
    remedy: str = REMEDY
    constants_named: str = "two readings of the connection constants"
    names: tuple[str, ...] = ("C", "D")
    cancels: bool = False
    has_constants: bool = True
    says_limit_and_power: bool = False
    plain_depth: int = 0
    evidence: str = ""
    starts_from_one: bool = True
    seen: object = None
    unproved: str = f"there is no theorem yet about a recursion of this law's form; {PROVED}"
    undrawn: str = ""

    @property
    def condition(self) -> Expr:
        """What the parameters must fulfil for the coordinate to exist: that its leading coefficient has no pole."""
        series = self.time if self.abel is None else self.abel.expansion
        poles = fraction(factor(series.leading[1]))[1] if series is not None else Integer(1)
        return And(*(Ne(part.as_base_exp()[0], 0) for part in Mul.make_args(poles))).simplify()

    def require_drawn(self, what: str) -> None:
        """An error where there is no plot, document, ... (`what`) of laws in it."""
        if self.undrawn:
            raise UnsupportedError(f"there is no {what} of this law: {self.undrawn}")

    def read(self, state: tuple):
        """The quantity in a state of `to_layer` or of a crossing: a, or x where there is no linear part."""
        return state[-1]

    def require_second(self, linear) -> None:
        """An error where there is no D; `linear`: the solution of a linear recursion along it."""
        if linear is None:
            raise UnsupportedError("only the law of a linear recursion (an NTK law) has a second connection constant")
        if linear.homogeneous is None:
            raise UnsupportedError(
                "this linear recursion forgets its start faster than any power of depth, so it has no second constant"
            )

    def parameters(self, linear) -> set:
        """The symbols for which numbers must be given; `linear`: the solution of a linear recursion along it."""
        return set(self.dynamics.parameters)

    def asked(self, terms: Sequence, remainder, names: tuple):
        """The printed law of a kind of its own for `recursions.proofs`; `Refused` where there is none."""
        raise Refused(self.unproved)

    def limit(self, expansion, name: str) -> Expr:
        """The limit of a law with this expansion; `name` is what an error calls its quantity."""
        return limit_of(expansion)

    def steps(self, law) -> tuple[Step, ...]:
        """The steps of a derivation before the quantity, where no exact function gives them."""
        return ()

    def flow(self, depth, law) -> Expansion | None:
        """The distance y_l that a linear law runs along, in the depth, as far as this expansion needs it."""

    def require_basin(self, start, digits: int) -> None:
        """An error, with the reason, when the orbit of `start` does not converge to the fixed point."""

    def routes(self, digits: int, depth: int | None = None) -> Sequence:
        """Two ways to so many digits, of the value at a depth or (None) of the constants: two precisions."""
        return [Route(0, digits), Route(0, digits + APART)]

    def crossing(self, start, route) -> Any:
        """Where the orbit of `start` crosses into the coordinate; None when it reaches the fixed point exactly.

        Every later layer costs the same: `layer`, the last one that is iterated to; `lost`, how many digits of the
        constants cancelled there; `state(depth)`, (x,) or (x, a) at a later layer; `constants(second)`, (C, D) as the
        law has them, None for one that does not exist, or that is costly and not requested.
        """

    def crossing_before(self, start, depth: int, route) -> Any:
        """The same, or None when `depth` had better be iterated to."""

    def to_layer(self, start, depth: int, route, crossing) -> tuple:
        """The state at a depth that is not beyond the crossing, by the original recursion."""


class Unknown(Coordinate):
    """No coordinate: that of a law which is a formula alone, or computes its numbers in another way."""

    def parameters(self, linear) -> set:
        return set()

    def routes(self, digits: int, depth: int | None = None) -> Sequence:
        """There are none: `UnsupportedError`."""
        raise UnsupportedError("this law is a formula alone, without a recursion that could be evaluated")


class FollowedLayers(Coordinate):
    """No coordinate either: numbers are those of the layers, at most `most_layers` of them; no constant has a formula.

    Of laws of leading order.
    """

    kind = "leading"
    has_constants = False
    most_layers: int

    def parameters(self, linear) -> set:
        return set()

    def crossing(self, start, route):
        """There is none: `UnsupportedError`."""
        raise UnsupportedError(
            "the constants of a law of leading order have no formula; fit them to evaluate(depth), depth <= "
            f"{self.most_layers}"
        )

    def crossing_before(self, start, depth: int, route) -> None:
        """None: every depth is iterated to; `PrecisionError` for more layers than are followed."""
        if depth > self.most_layers:
            raise PrecisionError(
                f"depth = {depth}: the numbers of this law come from the layers, followed one by one, "
                f"{self.most_layers} of them at most; ask for a smaller depth"
            )


_ONE = Monomial(0)


def limit_of(expansion: Expansion) -> Expr:
    """The limit of an expansion, infinite when its leading term grows."""
    if expansion.leading[0] > _ONE or expansion.scale.front != 1:
        return expansion.scale.infinity(expansion.leading)
    return expansion.coefficients.get(_ONE, Integer(0))


def moving_monomial(expansion: Expansion) -> Monomial:
    """The largest monomial that is not constant; the remainder's when there is none."""
    still = None if expansion.scale.front != 1 else _ONE
    return next((m for m, _ in expansion.terms if m != still), None) or expansion.remainder.monomial
