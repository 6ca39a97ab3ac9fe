"""The laws of recursions that are the same in every layer, and of linear recursions along them.

How many coefficients a law needs is found by asking for more until its terms are there.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from itertools import count

from mpmath import mp
from sympy import QQ, Eq, Expr, Integer, Mod, Piecewise, Rational, Symbol, latex, simplify, sstr, true

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.expansion import fronted
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.scale import Remainder, largest
from asympt.numbers import to_mpf
from asympt.recursions import evaluation, steps
from asympt.recursions.agreement import GUARD
from asympt.recursions.coordinates.abel import AbelFunction, Character, LinearSolution, abel_and_linear, multiplicity
from asympt.recursions.coordinates.abel_inversion import SECOND, TooFewOrders, depth_law, linear_value
from asympt.recursions.coordinates.abel_numeric import Abel, GrowingAbel, order_of
from asympt.recursions.coordinates.koenigs import ExactFlow, KoenigsFunction, condition_of, depth_expansion, is_negative
from asympt.recursions.coordinates.koenigs_linear import (
    Boettcher,
    Koenigs,
    boettcher_expansion,
    hyperbolic_solution,
    linear_expansion,
    multiplier,
)
from asympt.recursions.coordinates.logarithmic import Logarithmic, LogarithmicMap, integral, slopes
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.law import STEPS, Law
from asympt.recursions.local import OrbitValue, both_sides, negated
from asympt.recursions.orbits import OtherSideError
from asympt.recursions.protocol import Dynamics, Step, T, limit_of, moving_monomial

ORDERS = 20  # of A, in units of its leading power: what a check of the law to 30 digits can use

# ---- as many coefficients as the law needs --------------------------------------------------------------


def derived(dynamics: Dynamics, sizes: Iterable[int], law_of: Callable) -> tuple:
    """(A, P and H, law_of(A, P and H)) from the first of these numbers of coefficients that gives all the terms."""
    for size in sizes:
        found = abel_and_linear(dynamics, size)
        try:
            return *found, law_of(*found)
        except TooFewOrders:
            continue


def fewest(dynamics: Dynamics) -> Iterable[int]:
    """One order of A more every time: where a coefficient takes long."""
    m = order_of(dynamics)
    return count(3 * m + 1, m)


def generous(dynamics: Dynamics, terms: int) -> Iterable[int]:
    """As many orders as a check can use; with parameters, which make them dear, as many as the law has terms."""
    m, orders = order_of(dynamics), terms + 2 if dynamics.parameters else max(ORDERS, terms + 2)
    while True:
        yield (orders + 2) * m + 1
        orders = orders + 2 + orders // 2


# ---- parabolic ------------------------------------------------------------------------------------------


def parabolic_law(
    dynamics: Dynamics, fixed: FixedPoint, terms: int, reader: Callable, depth: Symbol,
    observable: Observable | None = None,
) -> Law:
    """The law of x_n, or of what `observable` sees of it, with `terms` terms.

    Raises `UnsupportedError` when the fixed point repels from this side.
    """
    require_attracting(dynamics, fixed)
    observable = observable or fixed
    abel, expansion = inverted(dynamics, observable, terms, depth)
    coordinate = Abel(dynamics, abel)
    return Law(
        observable.quantity, expansion, reader, "recursion", coordinate=coordinate, fixed=fixed, observable=observable
    )


def inverted(
    dynamics: Dynamics, observable: FixedPoint | Observable, terms: int, depth: Symbol,
    adjust: Callable = lambda abel: abel,
) -> tuple[AbelFunction, Expansion]:
    """A, to as many orders as the law needs (more when they are cheap), and the quantity with C = A(y_0).

    `adjust` changes A before it is inverted (see `flip`).
    """

    def observe(t: Expansion, order: int) -> Expansion:
        return observable.expansion(t.power(dynamics.root))

    def law_of(abel: AbelFunction, linear: None) -> Expansion:
        return depth_law(adjust(abel), depth, terms, observe)

    abel, _, law = derived(dynamics, generous(dynamics, terms), law_of)
    return adjust(abel), law


def parabolic_linear_law(dynamics: Dynamics, fixed: FixedPoint, terms: int, reader: Callable, depth: Symbol) -> Law:
    """The law of a_n along a parabolic map that attracts."""
    m, linear = order_of(dynamics), dynamics.linear
    character = Character.of(dynamics.growth(2 * m + 2), linear.multiplier(m + 1))
    dynamics = replace(dynamics, linear=replace(linear, character=character))

    def law_of(abel: AbelFunction, solution: LinearSolution) -> Expansion:
        if solution.logarithm is not None:
            logarithm = depth_law(abel, depth, terms + m + 2, linear_value(solution.logarithm, None, m))
            return (fronted(logarithm) * SECOND).truncate(terms)
        return depth_law(abel, depth, terms, linear_value(solution.particular, solution.homogeneous, m))

    abel, solution, expansion = derived(dynamics, generous(dynamics, terms), law_of)
    kind = GrowingAbel if character.grows else Abel
    return Law("a_{n}", expansion, reader, "linear", coordinate=kind(dynamics, abel), fixed=fixed, linear=solution)


def is_attracting(dynamics: Dynamics) -> bool | None:
    """Whether the parabolic fixed point attracts from this side; None when the parameters do not tell."""
    growth = dynamics.growth(order_of(dynamics) + 1)
    first = growth[multiplicity(growth)]
    if first.is_negative is None and first.is_number:
        return bool(first.evalf(30) < 0)  # SymPy knows no sign of Ci(1)
    return first.is_negative


def require_attracting(dynamics: Dynamics, fixed: FixedPoint) -> None:
    """An error, with the reason, unless the fixed point attracts from this side."""
    if not require_decided(dynamics, fixed):
        other = "" if fixed.at_infinity else f"; try side='{'below' if fixed.sign > 0 else 'above'}'"
        raise UnsupportedError(f"{fixed.describe()} repels orbits, so there is no law there{other}")


def require_decided(dynamics: Dynamics, fixed: FixedPoint) -> bool:
    """Whether the fixed point attracts from this side; an error when the parameters do not tell."""
    attracting = is_attracting(dynamics)
    if attracting is None:
        m = order_of(dynamics)
        raise UnsupportedError(
            f"whether {fixed.describe()} attracts depends on the sign of {dynamics.growth(m + 1)[m]}; declare the "
            "parameters positive, as in Symbol('a', positive=True)"
        )
    return attracting


# ---- hyperbolic -----------------------------------------------------------------------------------------


def hyperbolic_law(
    dynamics: Dynamics, fixed: FixedPoint | None, terms: int, reader: Callable, variable: Symbol = STEPS,
    observable: FixedPoint | Observable | None = None,
) -> Law:
    """The law of x_n, or of what `observable` sees of it, with `terms` terms (fewer when there are no more).

    Raises `UnsupportedError` when the fixed point does not attract exponentially.

    >>> from sympy import Rational
    >>> half = Rational(1, 2)
    >>> ratio = lambda count: [half, -half, *[0] * count][:count]
    >>> dynamics = Dynamics(ratio, lambda state: (state[0] * (1 - state[0]) / 2,))
    >>> law = hyperbolic_law(dynamics, None, terms=3, reader=lambda start: start)
    >>> print(law)
    C/2^n + 2*C^2/4^n + 16*C^3/(3*8^n) + O(1/16^n)
    """
    condition_of(multiplier(dynamics), dynamics.root)
    observable = observable or fixed
    exact, expansion = depth_expansion(dynamics, observable, terms, variable)
    coordinate = Koenigs(dynamics, KoenigsFunction.from_flow(exact))
    quantity = observable.quantity if observable else "y_{n}"
    return Law(quantity, expansion, reader, "recursion", coordinate=coordinate, fixed=fixed, observable=observable)


def hyperbolic_linear_law(
    dynamics: Dynamics, terms: int, reader: Callable, variable: Symbol = STEPS, quantity: str = "a_{n}",
    name: str = "linear", fixed: FixedPoint | None = None,
) -> Law:
    """The law of a_n, a' = lambda(y) a + b(y) along y' = chi y (1 + ...), with `terms` terms.

    >>> from sympy import Rational
    >>> from asympt.recursions.protocol import LinearPart
    >>> half, fill = Rational(1, 2), lambda *known: lambda count: [*known, *[0] * count][:count]
    >>> linear = LinearPart(fill(half, -1), fill(1), start=lambda y: 1)
    >>> along = Dynamics(fill(half, -half), None, linear=linear)  # lambda = G'
    >>> print(hyperbolic_linear_law(along, terms=2, reader=None))
    2 - 4*C*n/2^n + O(1/2^n)
    """
    condition_of(multiplier(dynamics), dynamics.root)
    solved, expansion = linear_expansion(dynamics, terms, variable)
    exact: ExactFlow = solved.exact
    return Law(
        quantity, expansion, reader, name, coordinate=Koenigs(dynamics, KoenigsFunction.from_flow(exact)), fixed=fixed,
        linear=hyperbolic_solution(solved),
    )  # fmt: skip


# ---- with a leading logarithm --------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class LogarithmicLaw(Law):
    """The law A(x_n) = n + C of a map with a leading logarithm; `evaluate` gives x_n.

    `implicit`: the first terms of A at x_n;  `left`: the size of what follows them;  `expansion` is what that says of
    x_n itself, whose next terms would have log log n.

    >>> from asympt.recursions.recursion import Recursion
    >>> law = Recursion("x + x^2*log(x)").law(terms=3)
    >>> print(law)
    1/(n*log(n)) + O(1/(n*log(n)^(3/2))), where -log(1/x_n) + log(log(1/x_n))/2 + li(1/x_n) = n + C + O(1/n)
    """

    implicit: Expr
    left: Expansion

    @classmethod
    def of(
        cls, dynamics: Dynamics, fixed: FixedPoint, terms: int, reader: Callable, depth: Symbol, observable=None
    ) -> "LogarithmicLaw":
        """The terms of A that do not tend to 0, and then as many as there are to be."""
        if observable is not None:
            raise UnsupportedError("the law of a map with a leading logarithm is that of x_n itself; no observable")
        map_ = LogarithmicMap.of(dynamics.formula.subs(T, Y))
        found = [(k, j, QQ.to_sympy(c) * map_.unit ** (k - 1)) for k, row in enumerate(slopes(map_, terms + 2))
                 for (j,), c in sorted(row.terms(), reverse=True)]  # fmt: skip
        count = max(terms, sum(k < 2 for k, _, _ in found))
        u = map_.unit * fixed.inner(Symbol(fixed.plain_at("n"), positive=True)) ** -map_.power
        implicit = sum((c * integral(k, j, u) for k, j, c in found[:count]), Integer(0)).expand(log=False)
        (_, first, factor), (k, j, _) = found[0], found[count]  # u is about n/factor log(n)^(-first)
        scale, share = Scale.at_infinity(depth), (1 if fixed.at_infinity else -1) / map_.power
        left = Expansion.build(scale, {}, Formal(Monomial(k - 1, j + first * (k - 1))))
        size = Monomial(-share, -first * share)
        rest = Formal(size * Monomial(0, -Rational(1, 2)))  # smaller by log log(n)/log(n)
        limit = 0 if fixed.at_infinity else fixed.point
        expansion = Expansion.build(scale, {size: fixed.sign * (map_.unit * factor) ** -share}, rest) + limit
        return cls(
            fixed.quantity, expansion, reader, "recursion", coordinate=Logarithmic(dynamics, map_), fixed=fixed,
            observable=fixed, implicit=implicit, left=left,
        )  # fmt: skip

    def _rows(self) -> list[tuple[str, Expansion, str]]:
        scale, known = self.expansion.scale, {Monomial(-1): Integer(1), Monomial(0): self.constant_symbols["C"]}
        moved = Expansion.build(scale, known, self.left.remainder)
        return [*super()._rows(), (latex(self._named_as(self.quantity)), moved, "")]

    def _named_as(self, name: str) -> Expr:
        """The first terms of A, of what the law calls its quantity."""
        return self.implicit.xreplace(dict.fromkeys(self.implicit.free_symbols, Symbol(name, positive=True)))

    @property
    def text_of_expansion(self) -> str:
        shown = sstr(self._named_as(self.plain)).replace("**", "^")
        return f"{self.expansion}, where {shown} = {self._rows()[1][1]}"

    def latex(self, split: bool = False) -> str:
        """The law of x_n and A(x_n) = n + C in LaTeX."""
        if split:
            return super().latex(split=True)
        return r",\quad ".join(f"{left} = {right.latex()}" for left, right, _ in self._rows())


# ---- superattracting ------------------------------------------------------------------------------


def superattracting_law(
    dynamics: Dynamics, fixed: FixedPoint, terms: int, reader: Callable, depth: Symbol,
    observable: Observable | None = None, *, power: int,
) -> Law:
    """The law of x_n, or of what `observable` sees of it, where y' = c y^power (1 + ...), in powers of C^(power^n)."""
    observable = observable or fixed
    flow, expansion = boettcher_expansion(dynamics, power, observable, terms, depth)
    coordinate = Boettcher(dynamics, power, fixed.at_infinity, is_negative(flow.exact.chi), flow)
    return Law(
        observable.quantity, expansion, reader, "recursion", coordinate=coordinate, fixed=fixed, observable=observable
    )


# ---- multiplier -1 -------------------------------------------------------------------------------


PARITIES = ("even", "odd")
SIDE_DIGITS = 5  # to which an orbit is followed to see on which side its even steps come in
LOOKED_AT = 16  # orders of the second iterate that decide whether it moves


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class FlipLaw(Law):
    """The law at a multiplier of -1: two branches with one constant C, `expansion` for even n and `odd` for odd n.

    G(G(x)) has multiplier 1 and an Abel function A2.  Put A = 2 A2.  Then A(x_n) = n + C for all n, C = A(x_0): G
    commutes with its second iterate, so A(G) - A is a constant, the same formal series on both sides, and twice it is
    2.  Inverting A on the side of x_0 gives x_n for even n, on the other side (t -> -t) for odd n.

    They hold for orbits whose even steps come in on the side of `fixed`; for the others the two change places, and
    `for_start` chooses between them.  `limit` is the limit of both branches (an error when they have different ones),
    `rate` and `remainder` the larger ones, `to_sympy` a Piecewise over the parity of n; where an even function of an
    odd map has the same expansion on both, they are printed as one.

    The coordinate is that of the second iterate, and `abel` is A with A(x_n) = n + C on both sides;
    single: the map in the distance y;
    start: the x_0 for which the sides were decided, None when they are a condition.

    >>> from asympt.recursions.recursion import Recursion
    >>> law = Recursion("3*x*(1 - x)", fixed_point="2/3").law(terms=2)
    >>> print(law.branches[0], law.branches[1], sep="\\n")
    2/3 + sqrt(2)/(6*sqrt(n)) + O(1/n)
    2/3 - sqrt(2)/(6*sqrt(n)) + O(1/n)
    >>> law.sides, law.for_start("1/2").sides
    ('if x_n > 2/3 for all large even n (if x_n < 2/3 there, even and odd change places)', 'from x_0 = 1/2')
    >>> print(law.for_start("1/2").branches[0])
    2/3 - sqrt(2)/(6*sqrt(n)) + O(1/n)
    """

    odd: Expansion
    single: Dynamics
    start: Expr | None = None
    fixed: FixedPoint
    observable: FixedPoint | Observable

    kind = "flip"
    is_one_orbit = False

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
            return f"from {self._start_name()[0]} = {self.start}"
        return "".join(self._sides(self.fixed.plain_at(self.depth_variable), str))

    def _sides(self, x_n: str, written: Callable) -> list[str]:
        """The same where no start decides, words and formulas by turns."""
        point = written(Integer(0) if self.fixed.at_infinity else self.fixed.point)
        sign, other = (">", "<") if self.fixed.sign > 0 else ("<", ">")
        return ["if ", f"{x_n} {sign} {point}", " for all large even ", written(self.depth_variable), " (if ",
                f"{x_n} {other} {point}", " there, even and odd change places)"]  # fmt: skip

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
        n, branches = latex(self.depth_variable), zip(PARITIES, self.branches.values(), strict=True)
        return [(self.quantity, branch, rf"\quad\text{{for {parity} }} {n}") for parity, branch in branches]

    def latex(self, split: bool = False) -> str:
        """quantity = both branches, in LaTeX; `split`: in lines that fit on a page, with the sides below."""
        if split:
            which = "" if self.start is None else "for the orbit "
            below = "" if self.coincide else f"\nThis holds {which}${self.latex_sides()}$."
            return super().latex(split=True) + below
        if self.coincide:
            return f"{self.quantity} = {self.expansion.latex()}"
        n, branches = latex(self.depth_variable), zip(PARITIES, self.branches.values(), strict=True)
        rows = r" \\ ".join(rf"{branch.latex()} & \text{{for {parity} }} {n}" for parity, branch in branches)
        return rf"{self.quantity} = \begin{{cases}} {rows} \end{{cases}} \quad {self.latex_sides()}"

    def latex_sides(self) -> str:
        """`sides` as LaTeX for a formula."""
        if self.start is not None:
            return rf"\text{{from }} {self._start_name()[0]} = {latex(self.start)}"
        parts = self._sides(self.fixed.quantity_at(latex(self.depth_variable)), latex)
        return " ".join(part if k % 2 else rf"\text{{{part}}}" for k, part in enumerate(parts))

    @property
    def text_of_expansion(self) -> str:
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
    """Whether two steps of the map are another map than the identity, to the orders examined."""
    return any(c != 0 for c in double.ratio(LOOKED_AT)[1:])


def require_drawn_in(double: Dynamics, fixed: FixedPoint) -> None:
    """An error, with the reason, unless the second iterate attracts: it does so from both sides or from none."""
    where = f"x = {fixed.point}"
    if not moves(double):
        raise UnsupportedError(
            f"two steps of the map are the identity near {where} (to every order examined): orbits have period 2 "
            "there, nothing moves with depth, and there is no law"
        )
    if not require_decided(double, fixed):
        raise UnsupportedError(
            f"{where} has multiplier -1 and repels orbits: two steps of the map lead away from it, on both sides, so "
            "there is no law there"
        )


def doubled(abel: AbelFunction) -> AbelFunction:
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
