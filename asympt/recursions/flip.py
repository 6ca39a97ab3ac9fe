"""Multiplier -1: the orbit jumps from side to side, and its second iterate is parabolic.

G(G(x)) has multiplier 1 and an Abel function A2.  Put A = 2 A2.  Then A(x_n) = n + C for all n, C = A(x_0): G commutes
with its second iterate, so A(G) - A is a constant, the same formal series on both sides, and twice it is 2.  Inverting
A on the side of x_0 gives x_n for even n, on the other side (t -> -t) for odd n.  Which of them is that of the even n
is decided by the start alone.  G must have one Taylor series for both sides.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, wraps

from mpmath import mp
from sympy import Eq, Expr, Integer, Mod, Piecewise, Symbol, latex, simplify, true

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion
from asympt.expansions.formulas.puiseux import puiseux
from asympt.expansions.remainder import Remainder, largest
from asympt.numbers import to_mpf
from asympt.recursions import evaluation, steps
from asympt.recursions.autonomous import inverted, require_decided
from asympt.recursions.coordinates.abel import AbelFunction
from asympt.recursions.coordinates.abel_numeric import Abel
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.jumps import OrbitValue, negated
from asympt.recursions.law import Law
from asympt.recursions.local import both_sides
from asympt.recursions.orbits.following import OtherSideError
from asympt.recursions.protocol import Dynamics, Step, T, limit_of, moving_monomial
from asympt.recursions.truncated import GUARD

PARITIES = ("even", "odd")
SIDE_DIGITS = 5  # to which an orbit is followed to see on which side its even steps come in
LOOKED_AT = 16  # orders of the second iterate that decide whether it moves


@dataclass(frozen=True, kw_only=True, repr=False)
class FlipLaw(Law):
    """Two branches with one constant C: `expansion` for even n and `odd` for odd n.

    They hold for orbits whose even steps come in on the side of `fixed`; for the others the two change places, and
    `for_start` says which it is.  `limit` is the limit of both branches (an error when they have different ones),
    `rate` and `remainder` the larger ones, `to_sympy` a Piecewise over the parity of n; where an even function of an
    odd map has the same expansion on both, they are printed as one.

    The coordinate is that of the second iterate, and `abel` is A with A(x_n) = n + C on both sides;
    single: the map in the distance y;
    start: the x_0 for which the sides were decided, None when they are a condition.

    >>> from sympy import Symbol
    >>> from asympt.recursions.recursion import Recursion
    >>> x = Symbol("x")
    >>> law = Recursion(3 * x * (1 - x), x, fixed_point="2/3").law(terms=2)
    >>> print(law.branches[0], law.branches[1], sep="\\n")
    2/3 + sqrt(2)/(6*sqrt(n)) + O(1/n)
    2/3 - sqrt(2)/(6*sqrt(n)) + O(1/n)
    >>> law.sides, law.for_start("1/2").sides
    ('if x_n > 2/3 for all large even n (if x_n < 2/3 there, even and odd change places)', 'from x_0 = 1/2')
    >>> print(law.branches_for("1/2")[0])
    2/3 - sqrt(2)/(6*sqrt(n)) + O(1/n)
    """

    odd: Expansion
    single: Dynamics
    start: Expr | None = None
    fixed: FixedPoint
    observable: FixedPoint | Observable

    kind = "flip"

    # ---- two branches -----------------------------------------------------------------------------

    @property
    def branches(self) -> dict[int, Expansion]:
        """{0: the expansion for even n, 1: that for odd n}."""
        return {0: self.expansion, 1: self.odd}

    @property
    def coincide(self) -> bool:
        """Whether both branches read the same."""
        return self.expansion == self.odd

    @property
    def sides(self) -> str:
        """Which orbits have these branches, in words."""
        if self.start is not None:
            return f"from x_0 = {self.start}"
        (above, below), n = self._relations, self.depth_variable
        x_n = self.fixed.plain_at(n)
        return f"if {x_n} {above} for all large even {n} (if {x_n} {below} there, even and odd change places)"

    @property
    def _relations(self) -> tuple[str, str]:
        """'> x*' for this side of the fixed point, and the other one."""
        point = 0 if self.fixed.at_infinity else self.fixed.point
        signs = (">", "<") if self.fixed.sign > 0 else ("<", ">")
        return tuple(f"{sign} {point}" for sign in signs)

    @cached_property
    def turned(self) -> "FlipLaw":
        """The same law seen from the other side: for orbits whose even steps come in there."""
        there = self.fixed.other
        seen = there if self.observable.reads_x else replace(self.observable, fixed=there)
        return replace(
            self, expansion=self.odd, odd=self.expansion, reader=_negative(self.reader), fixed=there, observable=seen,
            coordinate=Abel(mirror(self.double), self.abel.rescale(Integer(-1))), single=mirror(self.single),
            start=None,
        )  # fmt: skip

    def for_start(self, start=None, **given) -> "FlipLaw":
        """The law with its sides decided for one start, given as in `evaluate`."""
        y = self._start(given if start is None else {"start": start, **given})
        here = self if self._side(y, SIDE_DIGITS, settled=True).sign > 0 else self.turned
        return replace(here, start=self.fixed.outer(y))

    # ---- reading ------------------------------------------------------------------------------------

    @property
    def limit(self) -> Expr:
        """The limit at infinite depth; raises `UnsupportedError` when even and odd depths have different ones."""
        even, odd = (limit_of(branch) for branch in self.branches.values())
        if simplify(even - odd) != 0 if even.is_finite and odd.is_finite else even != odd:
            raise UnsupportedError(f"{self.plain} goes to {even} and to {odd} by turns and has no limit")
        return even

    @property
    def rate(self) -> Expr:
        """The size of (quantity - limit), or of a quantity that grows, on the branch where it is larger."""
        return self.expansion.scale.to_sympy(max(moving_monomial(branch) for branch in self.branches.values()))

    @property
    def remainder(self) -> Remainder | None:
        """The larger of the remainders of the two branches."""
        return largest(*(branch.remainder for branch in self.branches.values()))

    def to_sympy(self) -> Expr:
        """The expansion as a SymPy expression, a Piecewise over the parity of n unless both branches coincide."""
        if self.coincide:
            return self.expansion.to_sympy()
        is_even = Eq(Mod(self.depth_variable, 2), 0)
        return Piecewise((self.expansion.to_sympy(), is_even), (self.odd.to_sympy(), true))

    def _rows(self) -> list[tuple[str, Expansion, str]]:
        """One equation for each branch, unless they coincide."""
        if self.coincide:
            return super()._rows()
        n = latex(self.depth_variable)
        return [
            (self.quantity, branch, rf"\quad\text{{for {parity} }} {n}")
            for parity, branch in zip(PARITIES, self.branches.values(), strict=True)
        ]

    def latex(self, split: bool = False) -> str:
        """quantity = both branches, in LaTeX; `split`: in lines that fit on a page, with the sides below."""
        if split:
            below = "" if self.coincide else f"\nThis holds ${self.latex_sides()}$."
            return super().latex(split=True) + below
        if self.coincide:
            return f"{self.quantity} = {self.expansion.latex()}"
        n = latex(self.depth_variable)
        rows = r" \\ ".join(
            rf"{branch.latex()} & \text{{for {parity} }} {n}"
            for parity, branch in zip(PARITIES, self.branches.values(), strict=True)
        )
        return rf"{self.quantity} = \begin{{cases}} {rows} \end{{cases}} \quad {self.latex_sides()}"

    def latex_sides(self) -> str:
        """`sides` as LaTeX for a formula."""
        if self.start is not None:
            return rf"\text{{from }} x_0 = {latex(self.start)}"
        point, n = latex(Integer(0) if self.fixed.at_infinity else self.fixed.point), latex(self.depth_variable)
        sign, other = (">", "<") if self.fixed.sign > 0 else ("<", ">")
        x_n = self.fixed.quantity_at(n)
        return (
            rf"\text{{if }} {x_n} {sign} {point} \text{{ for all large even }} {n} \text{{ (if }} {x_n} {other} "
            rf"{point} \text{{ there, even and odd change places)}}"
        )

    def __str__(self) -> str:
        if self.coincide:
            return str(self.expansion)
        n = self.depth_variable
        return f"{self.expansion} for even {n}, {self.odd} for odd {n}, {self.sides}"

    def _steps(self) -> tuple[Step, ...]:
        return steps.flip(self)

    # ---- numbers ------------------------------------------------------------------------------------

    @property
    def dynamics(self) -> Dynamics:
        """The original map."""
        return self.single

    @property
    def double(self) -> Dynamics:
        """Its second iterate."""
        return self.coordinate.dynamics

    @property
    def parameters(self) -> set:
        """The parameters of the map."""
        return self.single.parameters | self.fixed.point.free_symbols

    def _value(self, start: Expr, depth: int, digits: int):
        side = self._side(start, digits)

        def distance(more: int):
            value = self._distance(side, depth, more)
            return value if side.sign > 0 else mp.fneg(value, exact=True)

        return self.observable.value(distance, digits)

    def _moved(self, start: Expr, depth: int, digits: int):
        return self._distance(self._side(start, digits), depth, digits)

    def _side(self, start: Expr, digits: int, settled: bool = False) -> "Side":
        """The side on which the even steps of this orbit come in.

        An orbit too slow to be followed is taken to stay on its side, which only matters to one that is `settled`:
        there it is an error.
        """
        here = Side(self.double, self.single, start, 1)
        try:
            _require_basin(here, digits, settled)
            return here
        except OtherSideError:
            there = Side(self.turned.double, self.turned.single, -start, -1)
            _require_basin(there, digits, settled)
            return there

    def _distance(self, side: "Side", depth: int, digits: int):
        """y_n: an even number of steps by the second iterate, an odd one by one step more of the map itself."""
        even = depth - depth % 2
        if even == 0:
            with mp.workdps(digits + GUARD):
                value = to_mpf(side.start)
        else:
            value = evaluation.certified(side.coordinate, side.start, even // 2, digits + 4)
        if depth % 2 == 0:
            return value
        with mp.workdps(digits + GUARD):
            return side.single.step((OrbitValue(value, side.start, even),))[0]

    def _crossings(self, start: Expr, digits: int) -> list[tuple]:
        side = self._side(start, digits)
        routes = side.coordinate.routes(digits + side.coordinate.spare[1])
        return [(route, side.coordinate.crossing(side.start, route)) for route in routes]

    def _constants(self, start: Expr, digits: int, second: bool = False) -> tuple:
        side = self._side(start, digits)
        constant, _ = evaluation.constants(side.coordinate, side.start, digits + 1)
        with mp.workdps(digits + GUARD):
            return 2 * constant, None


@dataclass(frozen=True)
class Side:
    """The map and its second iterate seen from one side, and the start as seen from there."""

    double: Dynamics
    single: Dynamics
    start: Expr
    sign: int

    @property
    def coordinate(self) -> Abel:
        """In which the second iterate makes a step of length 1."""
        return Abel(self.double)


def _require_basin(side: Side, digits: int, settled: bool) -> None:
    """An error unless the orbit comes in on this side."""
    if settled:
        side.coordinate.crossing(side.start, side.coordinate.routes(digits)[0])
    else:
        side.coordinate.require_basin(side.start, digits)


def _negative(reader: Callable) -> Callable:
    """The reader of the distance -y, with the same arguments."""

    @wraps(reader)
    def read(*given, **named):
        return -reader(*given, **named)

    return read


def flip_law(
    dynamics: Dynamics, fixed: FixedPoint, terms: int, reader: Callable, depth: Symbol,
    observable: Observable | None = None,
) -> FlipLaw:
    """The law of x_n, or of what `observable` sees of it, with `terms` terms for even n, and the same for odd n."""
    if dynamics.root != 1:
        raise UnsupportedError(
            f"the map has fractional powers at {fixed.describe()} and multiplier -1: it is not real on the other side"
        )
    double = second_iterate(dynamics)
    require_drawn_in(double, fixed)
    here, there = fixed, fixed.other
    if observable is not None:
        here, there = observable, replace(observable, fixed=fixed.other)
    abel, even = inverted(double, here, terms, depth, doubled)
    _, odd = inverted(double, there, terms, depth, lambda a: doubled(a).rescale(Integer(-1)))
    return FlipLaw(
        here.quantity, even, reader, "recursion", odd=odd, coordinate=Abel(double, abel), fixed=fixed, observable=here,
        single=dynamics,
    )  # fmt: skip


def moves(double: Dynamics) -> bool:
    """Whether two steps of the map are another map than the identity, to the orders looked at."""
    return any(c != 0 for c in double.ratio(LOOKED_AT)[1:])


def require_drawn_in(double: Dynamics, fixed: FixedPoint) -> None:
    """An error, with the reason, unless the second iterate attracts: it does so from both sides or from none."""
    where = f"x = {fixed.point}"
    if not moves(double):
        raise UnsupportedError(
            f"two steps of the map are the identity near {where} (to every order looked at): orbits have period 2 "
            "there, nothing moves with depth, and there is no law"
        )
    if not require_decided(double, fixed):
        raise UnsupportedError(
            f"{where} has multiplier -1 and repels orbits: two steps of the map lead away from it, on both sides, so "
            "there is no law there"
        )


def doubled(abel: AbelFunction) -> AbelFunction:
    """A = 2 A2."""
    return AbelFunction(abel.expansion * 2, abel.root)


def second_iterate(dynamics: Dynamics) -> Dynamics:
    """The map applied twice; the first step leads to the other side."""
    here, there = dynamics.formula, dynamics.beyond
    if there is None:
        twice = both_sides(lambda t: here.subs(T, here.subs(T, t)))
    else:
        twice = {"formula": there.subs(T, -here), "beyond": here.subs(T, there)}
    return Dynamics(
        lambda count: list(puiseux(twice["formula"], T, count).coefficients),
        lambda state: dynamics.step(dynamics.step(state)),
        **twice,
    )


def mirror(dynamics: Dynamics) -> Dynamics:
    """The map seen from the other side: y -> -g(-y)."""
    here, there = dynamics.formula, dynamics.beyond
    seen = both_sides(lambda t: -here.subs(T, -t)) if there is None else {"formula": -there, "beyond": -here}
    return Dynamics(
        lambda count: [c * (-1) ** k for k, c in enumerate(dynamics.ratio(count))], Mirrored(dynamics.step), **seen
    )


@dataclass(frozen=True)
class Mirrored:
    """A step in the distance -y."""

    step: Callable

    @property
    def function(self) -> Callable:
        """The map of x itself, which knows no sides."""
        return self.step.function

    def __call__(self, state: tuple) -> tuple:
        return (negated(self.step((negated(state[0]),))[0]),)
