r"""Systems (x, y, ...)_(n+1) = (F, G, ...)(x_n, y_n, ...) with one slowest direction, the others contracting faster.

One eigenvalue mu of the Jacobian at the fixed point is 1 (heavy-ball descent at a degenerate minimum), or largest, 0 <
|mu| < 1, and the others are |B| < |mu|.  In coordinates (s, w) along the eigenvectors, s' = mu s + ..., w' = B w + ...,
orbits run onto the slow (for mu = 1, the centre) manifold w = h(s) like |B|^n, and along it s' = g(s), the scalar
recursion that Abel's or Koenigs' function solves.  h is the formal series (asymptotic where mu = 1) with h(g(s)) =
W(s, h(s)), coefficient after coefficient, of lower ones alone on the right, g too; mu^k = B is a resonance:

    (mu^k - B) h_k = [s^k] { W(s, h(s)) - h(g(s)) };    x' = x - x^2 + xy, y' = y/2 + x^2 - xy has h = 2 x^2 + ...

The orbit itself is iterated by F, G, ...; it crosses over where s is within the radius of the series and w - h(s) below
the digits requested.  Where mu is not 1, w - h(s) bounds what a law can say: O(|B|^n).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import combinations_with_replacement
from math import ceil
from typing import ClassVar

from mpmath import mp
from sympy import Abs, Add, Dummy, Expr, Integer, Mul, Pow, Rational, Symbol, Tuple, exp, latex, log, radsimp, simplify
from sympy.functions import sign
from sympy.matrices import Matrix, eye
from sympy.polys import cancel

from asympt.compiling import as_function
from asympt.deadline import READING, limited
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.fields.field import Field
from asympt.expansions.formulas.puiseux import Series, Y, puiseux
from asympt.expansions.printing import not_called
from asympt.expansions.series import dot
from asympt.numbers import as_expression, check_terms, exact, symbol_names, to_mpf
from asympt.recursions import evaluation
from asympt.recursions.agreement import GUARD, summed
from asympt.recursions.autonomous import inverted
from asympt.recursions.coordinates.abel_numeric import Abel, leading
from asympt.recursions.coordinates.koenigs import KoenigsFunction, depth_expansion
from asympt.recursions.coordinates.koenigs_linear import Koenigs, resonance
from asympt.recursions.fixed_points import is_one_series
from asympt.recursions.law import STEPS, Law
from asympt.recursions.protocol import Dynamics, T
from asympt.recursions.unsettled import Unsettled
from asympt.saving import Saved

SIDES = {"above": 1, "below": -1}
FIRST, HEAD = 32, 4  # the total degree of a first Taylor polynomial; terms of an observable to see where it starts
SPARE = 20  # bits beyond those that a small s costs
SHOWN, APART = 8, 1e-12  # digits of an eigenvalue in a sentence; sizes that close count as equal
DERIVATIVES = 3  # of an observable, across the slow manifold


@dataclass(frozen=True)
class System(Saved):
    """Recursions for several quantities near a fixed point with one slowest direction, neutral or contracting.

    Parameters: `maps`, SymPy expressions or texts, one for each of `symbols`; `fixed_point`, the exact point that they
    keep (left out: 0); `side`, 'above' or 'below': from where the orbit comes along a neutral direction, in whose
    direction the first symbol that moves there grows.  Raises `InputError` for a point that is not fixed, and
    `UnsupportedError` where no eigenvalue mu of the Jacobian, 0 < mu <= 1 in modulus, is larger than all others, or
    mu is not 1 though |mu| = 1.

    >>> system = System(["x - x^2 + x*y", "y/2 + x^2 - x*y"], ["x", "y"])
    >>> print(system.law(terms=2))
    1/n + log(n)/n^2 + O(1/n^2)
    >>> print(system.law().connection_constant(start=("3/10", "1/5"), digits=15))
    1.72370509104685
    >>> print(System(["x/2 + x*y", "y/3 + x^2"], ["x", "y"]).law())
    C/2^n + O(1/6^n)
    """

    maps: tuple[Expr, ...]
    symbols: tuple[Symbol, ...]
    fixed_point: tuple[Expr, ...] | None = None
    side: str = "above"

    def __post_init__(self):
        symbols = tuple(Symbol(s) if isinstance(s, str) else s for s in _several(self.symbols, "symbols"))
        maps = tuple(as_expression(f, "the map", *symbols) for f in _several(self.maps, "maps"))
        if len(set(symbols)) != len(maps):
            raise InputError(f"{len(maps)} maps and the symbols {symbol_names(symbols)}; give one map for each symbol")
        point = (0,) * len(maps) if self.fixed_point is None else _several(self.fixed_point, "fixed_point")
        point = tuple(exact(value, "fixed_point") for value in point)
        if not isinstance(self.side, str) or self.side not in SIDES:
            raise InputError(f"side = {self.side!r} is unknown; the orbit comes from 'above' or from 'below'")
        for name, value in (("symbols", symbols), ("maps", maps), ("fixed_point", point)):
            object.__setattr__(self, name, value)
        others = set().union(*(f.free_symbols for f in maps)) - set(symbols)
        if others:
            raise InputError(f"the maps contain {symbol_names(others)}; give numbers for them")
        if len(point) != len(maps):
            raise InputError(f"fixed_point = {point}: a number is needed for {symbol_names(symbols)}")
        for f, value in zip(maps, point, strict=True):
            if simplify(f.subs(self._at) - value) != 0:
                raise InputError(f"{point} is not a fixed point: {f} is {f.subs(self._at)} there; give one that is")

    __call__ = not_called("system.law().evaluate(depth=n, start=(x_0, y_0)) is its first quantity after n steps")

    @property
    def _at(self) -> dict:
        return dict(zip(self.symbols, self.fixed_point, strict=True))

    @cached_property
    def jacobian(self) -> Matrix:
        """The derivative at the fixed point; `UnsupportedError` where a map is seen not to be smooth there."""
        for part in Tuple(*self.maps).atoms(Abs, sign, Pow, log):
            smooth = part.is_Pow and part.exp.is_Integer and part.exp > 0
            if not smooth and simplify(part.args[0].subs(self._at)) == 0:
                raise UnsupportedError(f"{part} is not smooth at the fixed point; systems have laws where all maps are")
        found = Matrix(self.maps).jacobian(self.symbols).subs(self._at)
        if not all(entry.is_finite for entry in found):
            raise UnsupportedError("the Jacobian at the fixed point is not finite; systems have laws where it is")
        return found

    @cached_property
    def multipliers(self) -> tuple[tuple[Expr, int], ...]:
        """The eigenvalues and how often they occur, the slowest first."""
        with limited("the eigenvalues of the Jacobian", READING):
            return _slowest_first(self.jacobian)

    @cached_property
    def frame(self) -> tuple[Matrix, Matrix]:
        """(P, P^(-1)): the slowest eigenvector, on the side of the orbit, and a basis of the faster directions."""
        shifted = self.jacobian - self.multipliers[0][0] * eye(len(self.maps))
        slow = shifted.nullspace(simplify=True)[0]
        first = next(value for value in slow if value != 0)
        columns = Matrix.hstack(slow / first * SIDES[self.side], *shifted.columnspace(simplify=True)).applyfunc(radsimp)
        return columns, columns.inv().applyfunc(lambda value: radsimp(cancel(value)))

    @cached_property
    def manifold(self) -> "SlowManifold":
        """The slow manifold as a formal series."""
        return SlowManifold(self)

    @property
    def is_neutral(self) -> bool:
        """Whether the slowest eigenvalue is 1."""
        return self.multipliers[0][0] == 1

    def law(self, terms: int = 4, observable=None) -> Law:
        """The law of the first symbol, or of an `observable` in the symbols, with `terms` terms.

        `evaluate(depth=..., start=(x_0, y_0, ...))`, constants and the rest as for a `Recursion`.  Where all directions
        contract, it has no terms smaller than those of the faster directions.  Raises `UnsupportedError` for a side
        from which the fixed point repels, a resonance, or an observable that a faster direction dominates.
        """
        terms = check_terms(terms)
        seen = self.symbols[0] if observable is None else as_expression(observable, "the observable", *self.symbols)
        read = SeenOnManifold(self, seen)
        dynamics = Dynamics(self.manifold.ratio, self.step, begin=self._begin, closed=read.closed, settled=read.settled)
        with limited(f"deriving the law of {seen}"):
            if self.is_neutral:
                self._require_attracting()
                abel, expansion = inverted(dynamics, read, terms, STEPS)
                coordinate = SystemAbel(dynamics, abel, seen=read)
            else:
                exact_flow, expansion = depth_expansion(dynamics, read, terms, STEPS)
                expansion = read.cut(expansion)
                coordinate = SystemKoenigs(dynamics, KoenigsFunction.from_flow(exact_flow), seen=read)
        text = str(seen.xreplace({x: Symbol(f"{x}_n") for x in self.symbols})).replace("**", "^")
        return Law(read.quantity_at("n"), expansion, self.read_start, "system", coordinate=coordinate, text=text)

    def _require_attracting(self) -> None:
        if self.manifold.ratio(self.manifold.order + 1)[-1].is_positive:
            raise UnsupportedError(
                f"the fixed point repels from {self.side} along the neutral direction; try the other side"
            )

    # ---- numbers --------------------------------------------------------------------------------------

    def read_start(self, start=None) -> "PointStart":
        """The exact (s, w, ...) of a starting point; one number: that far along the slowest direction."""
        if isinstance(start, int | Rational) and not isinstance(start, bool):
            start = tuple(x + step * start for x, step in zip(self.fixed_point, self.frame[0].col(0), strict=True))
        given = _several(start, "start") if start is not None else ()
        if len(given) != len(self.maps):
            raise InputError(
                f"start = {start!r} is not a point; give one number for each of {symbol_names(self.symbols)}"
            )
        apart = Matrix([exact(value, "start") for value in given]) - Matrix(self.fixed_point)
        found = Tuple(*(self.frame[1] * apart))
        if not self.is_neutral and simplify(found[0]) == 0:
            raise InputError(f"start = {start!r} has coordinate 0 along the slowest direction; start from its image")
        if self.is_neutral and not found[0].is_positive:
            raise InputError(
                f"start = {start!r} has the coordinate {found[0].evalf(SHOWN)} along the neutral direction, and this "
                f"law is about orbits that come from {self.side}; start elsewhere, or take the other side"
            )
        return PointStart(found)

    def _begin(self, start) -> tuple:
        known = start.state if isinstance(start, PointStart) else (start,)
        return tuple(map(to_mpf, (*known, *[Integer(0)] * (len(self.maps) - len(known)))))

    def step(self, state: tuple) -> tuple:
        """One step of the original maps, in the coordinates (s, w, ...); of s alone, along the slow manifold."""
        if len(state) == 1:
            state = (state[0], *self.manifold.heights_at(state[0]))
        with mp.workprec(mp.prec + (max(0, -mp.mag(state[0])) if state[0] else 0) + SPARE):
            moved = self.manifold.step(*state)
            if not all(mp.isfinite(x) and mp.im(x) == 0 for x in moved):
                raise InputError("the orbit leaves the reals; start closer to the fixed point")
        return tuple(+mp.re(value) for value in moved)


def _several(given, name: str) -> tuple:
    found = [part.strip() for part in given.split(",")] if isinstance(given, str) else given
    found = tuple(found) if isinstance(found, Sequence | Tuple | Matrix) else ()
    if len(found) < 2:
        raise InputError(f"{name} = {given!r}: a system has two or more, such as 'x - x^2, y/2' for x, y")
    return found


def _slowest_first(jacobian: Matrix) -> tuple[tuple[Expr, int], ...]:
    """The eigenvalues by size; `UnsupportedError` unless the first is 1, or below 1, and larger than all others."""
    found = [(value, times, complex(value.evalf(SHOWN + 7))) for value, times in jacobian.eigenvals().items()]
    found.sort(key=lambda known: -abs(known[2]))
    first, size = found[0][0], abs(found[0][2])
    shown = ", ".join(str(value) if len(str(value)) < 20 else str(value.evalf(SHOWN))
                      for value, times, _ in found for _ in range(times))  # fmt: skip
    neutral = sum(times for value, times, _ in found if simplify(value - 1) == 0)
    level = sum(times for _, times, other in found if abs(abs(other) - size) < APART)
    reasons = (
        (size > 1 + APART, "a direction with |B| > 1 drives orbits away"),
        (neutral > 1, "two neutral directions have no law of one variable"),
        (size > 1 - APART and (not neutral or level > 1),
         "a multiplier on the unit circle other than 1 turns or alternates for ever"),
        (first == 0, "orbits come in faster than any exponential"),
        (level > 1, f"{level} directions are equally slow and have no law of one variable"),
        (first.is_real is None, "the largest is not known to be real in closed form"),
    )  # fmt: skip
    why = next((reason for holds, reason in reasons if holds), "")
    if why:
        raise UnsupportedError(
            f"the Jacobian has the eigenvalues {shown}: {why}; one must be 1, or real and below 1, the others smaller"
        )
    return tuple((value, times) for value, times, _ in found)


class SlowManifold:
    """w = h(s) and s' = g(s) as formal power series, continued when more coefficients are asked for."""

    def __init__(self, system: System):
        self.system, self.multiplier = system, system.multipliers[0][0]
        self.state = tuple(Dummy(f"s{k}") for k in range(len(system.maps)))
        columns, inverse = system.frame
        self.places = [x + row for x, row in zip(system.fixed_point, columns * Matrix(self.state), strict=True)]
        apart = Matrix(system.maps).xreplace(dict(zip(system.symbols, self.places, strict=True)))
        self.moved = list(inverse * (apart - Matrix(system.fixed_point)))
        self.step = as_function(self.state, self.moved, cse=True)
        self.linear = (inverse * system.jacobian * columns)[1:, 1:].applyfunc(lambda value: radsimp(cancel(value)))
        self._start_over(FIRST)

    @cached_property
    def order(self) -> int:
        """m of s' = s - a s^(m + 1) + ... on a centre manifold."""
        for count in (4, 8, 16, FIRST):
            moving = next((k for k, c in enumerate(self.ratio(count)) if k and c != 0), None)
            if moving is not None:
                return moving
        raise UnsupportedError("nothing moves along the neutral direction, to all orders computed: there is no law")

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of g(s)/s."""
        if self.series.limit is not None and self.series.limit <= count:
            self._start_over(2 * count)
        while len(self.image) <= count:
            self._extend()
        return [self.field.leave(c) for c in self.image[1 : count + 1]]

    def exact(self, count: int) -> list[list[Expr]]:
        """The coefficients of each h below s^count."""
        self.ratio(count)
        return [[self.field.leave(c) for c in h[:count]] for h in self.heights]

    def shown(self, count: int, u: Symbol) -> list[Expansion]:
        """h and g to `count` orders in u, as they are printed."""
        scale, rest, image = Scale.at_zero(u), Formal(Monomial(count + 1)), [Integer(0), *self.ratio(count)]
        return [Expansion.build(scale, {Monomial(k): c for k, c in enumerate(series)}, rest)
                for series in (*self.exact(count + 1), image)]  # fmt: skip

    def along(self, expression: Expr, count: int, s: Expr = Y) -> Expr:
        """A function of the state along the manifold, as one of s, with so many orders of h in it."""
        heights = [sum(c * s**k for k, c in enumerate(h)) for h in self.exact(count + 1)]
        return expression.xreplace(dict(zip(self.state, (s, *heights), strict=True)))

    def heights_at(self, s, most: int | None = None) -> list:
        """h(s) in mpmath, as far as the digits in use can see, or by `most` terms."""
        nearness = max(0.1, -float(mp.log10(abs(s)))) if s else 1.0
        count = min(most or mp.dps + FIRST, int(mp.dps / nearness) + FIRST)
        return [summed(known[:count], s) for known in self._numbers(-(-count // FIRST) * FIRST, mp.prec)]

    @lru_cache(maxsize=64)  # noqa: B019
    def _numbers(self, count: int, precision: int) -> list[list]:
        """The coefficients of h at mpmath's current precision."""
        return [[to_mpf(c) for c in h] for h in self.exact(count)]

    def _start_over(self, limit: int) -> None:
        """h and g from their first orders on; functions in the maps are known by Taylor series up to this order."""
        self.series = ComposedSeries(self.moved, self.state, limit)
        pivots = () if self.multiplier != 1 else self._pivots(self.multiplier)
        self.field = Field.of([*self.series.constants, self.multiplier, *self.linear, *pivots],
                              divides=self.multiplier != 1)  # fmt: skip
        zero, one, mu = self.field.enter([Integer(0), Integer(1), self.multiplier])
        self.heights, self.image = [[zero, zero] for _ in self.state[1:]], [zero, mu]
        self.powers = [[one, zero], [zero, mu]]  # of g
        self.series.begin([[zero, one], *self.heights], self.field)

    def _extend(self) -> None:
        """One order more: g_k from h below k, then h_k."""
        order, zero = len(self.image), self.image[0]
        moved = self.series.extend(order)
        self.image.append(moved[0])
        for j, power in enumerate(self.powers):
            power.append(zero if j == 0 else dot(self.powers[j - 1], self.image[::-1], zero))
        self.powers.append([*[zero] * order, self.image[1] * self.powers[-1][order - 1]])
        composed = [dot(h[:order], [power[order] for power in self.powers[:order]], zero) for h in self.heights]
        known = [value - old for value, old in zip(moved[1:], composed, strict=True)]
        for height, value in zip(self.heights, self._solved(order, known), strict=True):
            height[order] = value
        self.series.extend(order)

    @lru_cache(maxsize=256)  # noqa: B019, one for all orders where mu is 1
    def _pivots(self, power: Expr) -> Matrix | None:
        """(mu^k - B)^(-1) for the power mu^k, None at a resonance."""
        pivots = power * eye(self.linear.rows) - self.linear
        return pivots.inv().applyfunc(lambda v: radsimp(cancel(v))) if simplify(pivots.det()) != 0 else None

    def _solved(self, order: int, known: list) -> list:
        """h_k; 0 at a resonance that nothing drives."""
        power, zero = radsimp(self.multiplier**order), self.image[0]
        pivots = self._pivots(power)
        if pivots is not None:
            return [dot(self.field.enter(list(pivots.row(k))), known, zero) for k in range(pivots.rows)]
        if all(value == 0 for value in known):
            return known
        raise UnsupportedError(
            f"a faster direction has the multiplier {power} = ({self.multiplier})^{order}: at this resonance there are "
            f"terms such as n ({self.multiplier})^({order} n), and such laws are not derived"
        )


class ComposedSeries:
    """Formulas in several power series of s, coefficient by coefficient, the series growing on the way.

    `places`: where each part of the formulas has its row of coefficients;  `program`: its rule (None: its coefficients
    are told) and the rows, which come before, that it needs.
    """

    def __init__(self, formulas: Sequence[Expr], leaves: Sequence[Symbol], limit: int):
        self.leaves, self.asked, self.limit = leaves, limit, None
        self.program, self.places = [], {}
        self.ends = [self._place(formula) for formula in (*leaves, *formulas)][len(leaves) :]

    @property
    def constants(self) -> list[Expr]:
        """What the field must hold."""
        return [part for part in self.places if not part.has_free(*self.leaves)]

    def begin(self, leaves: Sequence[list], field: Field) -> None:
        """The coefficients of 1 and s; `leaves` grow in place."""
        constants = self.constants
        told = dict(zip(self.leaves, leaves, strict=True))
        told |= {part: [value] for part, value in zip(constants, field.enter(constants), strict=True)}
        self.rows = [told.get(part, []) for part in self.places]
        for order in (0, 1):
            self.extend(order)

    def extend(self, order: int) -> list:
        """[s^order] of the formulas; a leaf has 0 there until it is told otherwise."""
        zero = self.rows[0][0]
        for row, (rule, needed) in zip(self.rows, self.program, strict=True):
            if rule is not None:
                row[order:] = [rule(order, zero, *(self.rows[place] for place in needed))]
            elif len(row) == order:
                row.append(zero)
        return [self.rows[place][order] for place in self.ends]

    def _place(self, formula: Expr) -> int:
        if formula not in self.places:
            rule, parts = self._rule(formula)
            needed = [self._place(part) for part in parts]
            self.places[formula] = len(self.program)
            self.program.append((rule, needed))
        return self.places[formula]

    def _rule(self, formula: Expr) -> tuple[Callable | None, Sequence[Expr]]:
        moving = [part for part in formula.args if part.has_free(*self.leaves)]
        if not moving:
            return None, ()
        if isinstance(formula, Add):
            return _sum, formula.args
        if isinstance(formula, Mul):
            return _product, formula.as_two_terms()
        if isinstance(formula, Pow) and formula.exp.is_Integer and formula.exp > 1:
            return _product, [formula.base**k for k in (formula.exp // 2, formula.exp - formula.exp // 2)]
        if isinstance(formula, Pow) and len(moving) > 1:
            return self._rule(exp(formula.exp * log(formula.base)))
        if len(moving) > 1:
            raise UnsupportedError(f"{formula} depends on two moving arguments, and no series of it is known")
        return _sum, self._taylor(formula, moving[0])

    def _taylor(self, formula: Expr, inner: Expr) -> list[Expr]:
        """The terms of the function of its one moving argument, at the fixed point."""
        self.limit, at = self.asked, inner.xreplace(dict.fromkeys(self.leaves, Integer(0)))
        here, there = (formula.func(*(at + y if part == inner else part for part in formula.args)) for y in (Y, -Y))
        if not is_one_series(here, there, HEAD, poles=False):
            raise UnsupportedError("a map has no power series at the fixed point, so there is no slow manifold")
        found = puiseux(here, Y, self.asked)
        return [c * (inner - at) ** k for k, c in enumerate(found.coefficients, found.valuation) if k < self.asked]


def _sum(order: int, zero, *parts: list):
    return sum((part[order] for part in parts), zero)


def _product(order: int, zero, one: list, two: list):
    return dot(one[: order + 1], two[order::-1], zero)


@dataclass(frozen=True, eq=False)
class SeenOnManifold:
    """An observable along the slow manifold, as `recursions.autonomous` reads one: a Puiseux series in s."""

    system: System
    expression: Expr
    reads_x: ClassVar[bool] = False

    def quantity_at(self, depth: str) -> str:
        """LaTeX of it after `depth` steps."""
        return latex(self.expression.xreplace({x: Symbol(f"{latex(x)}_{{{depth}}}") for x in self.system.symbols}))

    @cached_property
    def head(self) -> tuple[int, int]:
        """(v, r): the series is one in s^(1/r) and starts with s^(v/r)."""
        found = self._found(HEAD)
        return found.valuation, found.root

    def series(self, count: int) -> list[Expr]:
        """Its first coefficients."""
        found = self._found(count)
        return (list(found.coefficients) + [Integer(0)] * count)[:count]

    @cached_property
    def _of_state(self) -> Expr:
        return self.expression.xreplace(dict(zip(self.system.symbols, self.system.manifold.places, strict=True)))

    @cached_property
    def function(self) -> Callable:
        """It in mpmath, of a state of all coordinates."""
        return as_function(self.system.manifold.state, self._of_state)

    def _found(self, count: int) -> Series:
        along = self.system.manifold.along(self._of_state, count + HEAD)
        if along == 0:
            raise UnsupportedError(
                f"{self.expression} is 0 along the slow manifold, to all orders computed; take another observable"
            )
        return puiseux(along, Y, count)

    def expansion(self, s: Expansion) -> Expansion:
        """It, from the expansion of s."""
        count = HEAD if s.remainder is None else ceil(s.remainder.monomial.order) + 2
        valuation, root = self.head
        known = {Monomial(Rational(valuation + k, root)): c for k, c in enumerate(self.series(count))}
        rest = Formal(Monomial(Rational(valuation + count, root)))
        return Expansion.build(Scale.at_zero(Y), known, rest).compose(s)

    def closed(self) -> tuple:
        """s' along the manifold as a closed form, for a theorem; `UnsupportedError` where there is none yet."""
        manifold = self.system.manifold
        (s, *others), (image, *rest) = manifold.state, manifold.moved
        if not self.system.is_neutral or any(f.has_free(s) for f in rest):
            raise UnsupportedError(
                "theorems exist only for triangular systems with a neutral direction, in which the faster "
                "coordinates do not depend on the slow one"
            )
        if not all(sum(map(Abs, manifold.linear.row(k))) < 1 for k in range(len(rest))):
            raise UnsupportedError(
                "the theorem about a system needs each step to make the largest faster coordinate smaller; these "
                f"move by {manifold.linear.tolist()}"
            )
        if (self._of_state - s).expand() != 0:
            apart = Matrix(self.system.symbols) - Matrix(self.system.fixed_point)
            raise UnsupportedError(
                "the theorem of a system is about the coordinate along the neutral direction alone; take "
                f"observable={(self.system.frame[1] * apart)[0].expand()}"
            )
        return image.xreplace(dict.fromkeys(others, Integer(0)) | {s: T}), None, None, None

    # ---- away from the manifold -----------------------------------------------------------------------

    @cached_property
    def transients(self) -> list[tuple[int, Rational]]:
        """(k, d) where z = w - h(s) adds terms z^k s^d to it; k up to 3, whose terms are the largest."""
        manifold, found, (valuation, root) = self.system.manifold, [], self.head
        for k in range(1, DERIVATIVES + 1):
            for chosen in combinations_with_replacement(manifold.state[1:], k):
                along = manifold.along(self._of_state.diff(*chosen), HEAD)
                if along != 0:
                    found.append((k, puiseux(along, Y, 1).exponent))
        return [*found, (1, Rational(valuation, root))]  # S too is one of s alone but for s z and z^2

    @cached_property
    def _nearness(self) -> Expr:
        """e: z below s^e 10^-digits is not seen, in C and in what is read."""
        order = self.system.manifold.order if self.system.is_neutral else 1
        leading = Rational(*self.head)
        return max(Integer(order), *((leading - d) / k for k, d in self.transients))

    def settled(self, state: tuple, digits: int) -> bool:
        """Whether the state is on the manifold to so many digits."""
        if len(state) == 1:
            return True
        bound = abs(state[0]) ** to_mpf(self._nearness) * mp.mpf(10) ** -digits
        heights = self.system.manifold.heights_at(state[0], None if self.system.is_neutral else FIRST)
        return all(abs(w - h) <= bound for w, h in zip(state[1:], heights, strict=True))

    def cut(self, law: Expansion) -> Expansion:
        """The law no further than what the faster directions leave, O(|B|^n) times a power of mu^n."""
        (mu, _), (slowest, times) = self.system.multipliers[:2]
        if slowest == 0:
            return law
        known = resonance(Abs(slowest), Abs(mu), 1)
        scale = law.scale if known else replace(law.scale, second=Abs(slowest))
        weight = Integer(known[0]) if known else scale.weight
        whole = len((self.system.jacobian - slowest * eye(len(self.system.maps))).nullspace(simplify=True)) == times
        rest = max(Monomial(k * weight + d, 0 if whole else times - 1) for k, d in self.transients)
        if not is_one_series(*(self.system.manifold.along(self._of_state, HEAD, s) for s in (Y, -Y)), HEAD):
            raise UnsupportedError(
                f"{self.expression} is another function on the other side of the fixed point, where orbits may come "
                "in; take one that is analytic there"
            )
        if not law.terms[0][0] > rest:
            raise UnsupportedError(
                f"{self.expression} is dominated by a faster direction, with the multiplier {slowest}; laws are "
                "derived only where the slowest direction dominates"
            )
        if law.remainder is not None and law.remainder.monomial > rest:
            return law
        terms = tuple((m, c) for m, c in law.terms if m > rest)
        return Expansion(scale, terms, Formal(rest))


@dataclass(frozen=True)
class PointStart(Unsettled):
    """A start with all coordinates, `state` = (s, w, ...): the law's own coordinate waits until s alone is left."""

    state: Tuple

    why = "the start moves in more than one coordinate"

    @property
    def distance(self) -> Expr:
        """s."""
        return self.state[0]

    @property
    def rest(self) -> tuple[Expr, ...]:
        """w."""
        return tuple(self.state[1:])

    def entering(self, law, asked):
        """By the lemma of `balls.transient`, of a triangular system."""
        return _settling(law.coordinate.seen.system.manifold, asked, self)

    def value(self, law, depth: int, digits: int):
        """What the law reads at one depth."""
        return evaluation.certified(law.coordinate, self, depth, digits)

    def constants(self, law, digits: int, second: bool = False) -> tuple:
        """(C, None) of the orbit."""
        return evaluation.constants(law.coordinate, self, digits, second)


@lru_cache(maxsize=64)  # one law for a start: it keeps what is proved of it
def _settling(manifold: SlowManifold, asked, start: PointStart):
    from asympt.balls.transient import SystemOrbit, TriangularMap  # ball arithmetic: only for certificates

    layer = TriangularMap(manifold.state, tuple(manifold.moved), 2 * start.distance)
    return replace(asked, orbits=partial(SystemOrbit, layer=layer, variances=start.rest))


@dataclass(frozen=True)
class OnManifold:
    """What the coordinates of systems share: a state before the manifold has all coordinates, on it s alone."""

    seen: SeenOnManifold | None = field(default=None, compare=False, kw_only=True)

    starts_from_one = False
    evidence = "systems"

    @property
    def of_s(self) -> Abel | Koenigs:
        """The coordinate of the law of s itself."""
        return Abel(self.dynamics, self.abel) if self.koenigs is None else Koenigs(self.dynamics, self.koenigs)

    def read(self, state: tuple):
        """The observable: by its formula at a state of all coordinates, by its series on the manifold."""
        if len(state) > 1:
            with mp.workdps(mp.dps + GUARD):
                return self.seen.function(*state)
        valuation, root = self.seen.head
        t = state[0] if root == 1 else mp.root(state[0], root)
        return summed(leading(self.seen.series, self.series_length(mp.dps)), t, valuation)


@dataclass(frozen=True)
class SystemAbel(OnManifold, Abel):
    """Abel's coordinate on the centre manifold."""


@dataclass(frozen=True)
class SystemKoenigs(OnManifold, Koenigs):
    """Koenigs' coordinate on the slow manifold."""
