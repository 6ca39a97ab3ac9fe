r"""Systems (x, y, ...)_(n+1) = (F, G, ...)(x_n, y_n, ...) with one neutral direction, the others contracting.

Problem.  The law of an orbit that comes to a fixed point where the Jacobian has the eigenvalue 1 once, and else |B| < 1
(heavy-ball descent at a degenerate minimum, two coupled recursions).

Rule.  In coordinates (s, w) along the eigenvectors, s' = s + ..., w' = B w + ...  Orbits run onto the centre manifold
w = h(s) like |B|^n, and along it s' = g(s), the scalar recursion that Abel's function solves.  h is the formal series
with h(g(s)) = W(s, h(s)), coefficient after coefficient:

    (1 - B) h_k = [s^k] { N(s, h(s)) - (h(g(s)) - h(s)) },      N = W - B w,  of lower coefficients alone.

The orbit itself is iterated by F, G, ...; only where s has come within the radius of the series it crosses over.

Tiny case.  x' = x - x^2 + xy, y' = y/2 + x^2 - xy: h = 2 x^2 + ..., g = x - x^2 + 2 x^3 + ...

Known limits.  Exact eigenvalues; one of them 1, the others of modulus below 1.  h is asymptotic.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from mpmath import mp
from sympy import Dummy, Expr, Integer, Matrix, Poly, Rational, Symbol, Tuple, cancel, eye, radsimp, simplify

from asympt.compiling import as_function
from asympt.deadline import READING, limited
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.fields.field import Field
from asympt.expansions.formulas.puiseux import Series, Y, puiseux
from asympt.expansions.series import dot, product
from asympt.numbers import as_expression, check_terms, exact, symbol_names, to_mpf
from asympt.recursions.agreement import GUARD, summed
from asympt.recursions.autonomous import inverted
from asympt.recursions.coordinates.abel_numeric import Abel, leading
from asympt.recursions.law import STEPS, Law
from asympt.recursions.protocol import Dynamics
from asympt.saving import Saved

SIDES = {"above": 1, "below": -1}
FIRST, HEAD = 32, 4  # the total degree of a first Taylor polynomial; terms of an observable to see where it starts
SPARE = 20  # bits beyond those that a small s costs
SHOWN = 8  # digits of an eigenvalue in a sentence


@dataclass(frozen=True)
class System(Saved):
    """Recursions for several quantities near a fixed point with one neutral direction.

    Parameters: `maps`, SymPy expressions or texts, one for each of `symbols`; `fixed_point`, the exact point that they
    keep (left out: 0); `side`, 'above' or 'below': from where the orbit comes along the neutral direction, in whose
    direction the first symbol that moves there grows.  Raises `InputError` for a point that is not fixed, and
    `UnsupportedError` where not exactly one eigenvalue of the Jacobian is 1 and all others have modulus below 1.

    >>> system = System(["x - x^2 + x*y", "y/2 + x^2 - x*y"], ["x", "y"])
    >>> print(system.law(terms=2))
    1/n + log(n)/n^2 + O(1/n^2)
    >>> print(mp.nstr(system.law().connection_constant(start=("3/10", "1/5"), digits=15), 15))
    1.72370509104685
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
        self._require_fixed()

    def _require_fixed(self) -> None:
        if len(self.fixed_point) != len(self.maps):
            raise InputError(f"fixed_point = {self.fixed_point}: a number is needed for {symbol_names(self.symbols)}")
        at = dict(zip(self.symbols, self.fixed_point, strict=True))
        for f, value in zip(self.maps, self.fixed_point, strict=True):
            if simplify(f.subs(at) - value) != 0:
                raise InputError(f"{self.fixed_point} is no fixed point: {f} is {f.subs(at)} there; give one that is")

    @cached_property
    def frame(self) -> tuple[Matrix, Matrix]:
        """(P, P^(-1)): the neutral eigenvector, on the side of the orbit, and a basis of the contracting directions."""
        at = dict(zip(self.symbols, self.fixed_point, strict=True))
        jacobian = Matrix(self.maps).jacobian(self.symbols).subs(at)
        with limited("the eigenvalues of the Jacobian", READING):
            _require_one_neutral(jacobian)
        neutral = (jacobian - eye(len(self.maps))).nullspace()[0]
        first = next(value for value in neutral if value != 0)
        directions = [neutral / first * SIDES[self.side], *(jacobian - eye(len(self.maps))).columnspace()]
        columns = Matrix.hstack(*directions).applyfunc(radsimp)
        return columns, columns.inv().applyfunc(lambda value: radsimp(cancel(value)))

    @cached_property
    def manifold(self) -> "CentreManifold":
        """The centre manifold as a formal series."""
        return CentreManifold(self)

    def law(self, terms: int = 4, observable=None) -> Law:
        """The law of the first symbol, or of an `observable` in the symbols, with `terms` terms.

        `evaluate(depth=..., start=(x_0, y_0, ...))`, constants and the rest as for a `Recursion`.  Raises
        `UnsupportedError` for a side from which the fixed point repels.
        """
        terms = check_terms(terms)
        seen = self.symbols[0] if observable is None else as_expression(observable, "the observable", *self.symbols)
        dynamics = Dynamics(self.manifold.ratio, self.step, begin=self._begin, closed=_without_theorem)
        self._require_attracting()
        read = SeenOnManifold(self, seen)
        with limited(f"deriving the law of {seen}"):
            abel, expansion = inverted(dynamics, read, terms, STEPS)
        coordinate = SystemAbel(dynamics, abel, seen=read)
        return Law(f"{seen}_{{n}}" if seen.is_Symbol else f"{seen}", expansion, self.read_start, "system",
                   coordinate=coordinate, text=f"{seen}_n" if seen.is_Symbol else str(seen))  # fmt: skip

    def _require_attracting(self) -> None:
        for count in (4, 8, 16, FIRST):
            moving = next((c for c in self.manifold.ratio(count)[1:] if c != 0), None)
            if moving is not None:
                break
        if moving is None:
            raise UnsupportedError("the neutral direction does not move, to all orders looked at: there is no law")
        if moving.is_positive:
            raise UnsupportedError(
                f"the fixed point repels from {self.side} along the neutral direction; try the other side"
            )

    # ---- numbers --------------------------------------------------------------------------------------

    def read_start(self, start=None) -> Tuple:
        """The exact (s, w, ...) of a starting point; one number: that far along the neutral direction."""
        if isinstance(start, int | Rational) and not isinstance(start, bool):
            start = tuple(x + step * start for x, step in zip(self.fixed_point, self.frame[0].col(0), strict=True))
        given = _several(start, "start") if start is not None else ()
        if len(given) != len(self.maps):
            raise InputError(
                f"start = {start!r} is not a point; give one number for each of {symbol_names(self.symbols)}"
            )
        apart = Matrix([exact(value, "start") for value in given]) - Matrix(self.fixed_point)
        found = Tuple(*(self.frame[1] * apart))
        if not found[0].is_positive:
            raise InputError(
                f"start = {start!r} has the coordinate {found[0].evalf(SHOWN)} along the neutral direction, and this "
                f"law is about orbits that come from {self.side}; start elsewhere, or take the other side"
            )
        return found

    def _begin(self, start) -> tuple:
        known = tuple(start) if isinstance(start, Tuple) else (start,)
        return tuple(to_mpf(value) for value in (*known, *[Integer(0)] * (len(self.maps) - len(known))))

    @cached_property
    def _numeric(self) -> Callable:
        return as_function(list(self.symbols), list(self.maps), "mpmath")

    @cached_property
    def _kept(self) -> dict[int, tuple]:
        return {}

    def _frame(self) -> tuple[list, list, list]:
        """The fixed point and the rows of P and P^(-1) at mpmath's current precision."""
        if mp.prec not in self._kept:
            rows = ([[to_mpf(value) for value in part.row(k)] for k in range(part.rows)] for part in self.frame)
            self._kept[mp.prec] = ([to_mpf(x) for x in self.fixed_point], *rows)
        return self._kept[mp.prec]

    def point(self, state: Sequence) -> list:
        """The point of a state (s, w, ...)."""
        centre, rows, _ = self._frame()
        return [x + mp.fdot(row, state) for x, row in zip(centre, rows, strict=True)]

    def step(self, state: tuple) -> tuple:
        """One step of the original maps, in the coordinates (s, w, ...); of s alone, along the centre manifold."""
        if len(state) == 1:
            state = (state[0], *self.manifold.heights_at(state[0]))
        with mp.workprec(mp.prec + max(0, -mp.mag(state[0])) + SPARE):
            images = self._numeric(*self.point(state))
            if not all(mp.isfinite(x) and mp.im(x) == 0 for x in images):
                raise InputError("the orbit leaves the reals; start closer to the fixed point")
            centre, _, rows = self._frame()
            apart = [mp.re(x) - at for x, at in zip(images, centre, strict=True)]
            moved = [mp.fdot(row, apart) for row in rows]
        return tuple(+value for value in moved)


def _without_theorem():
    raise UnsupportedError("there is no theorem yet about a system; numbers are those on which two routes agree")


def _several(given, name: str) -> tuple:
    found = given.split(",") if isinstance(given, str) else given
    found = tuple(found) if isinstance(found, Sequence | Tuple | Matrix) else ()
    if len(found) < 2:
        raise InputError(f"{name} = {given!r}: a system has two at least; give a list of them, or take a Recursion")
    return found


def _require_one_neutral(jacobian: Matrix) -> None:
    """`UnsupportedError` unless 1 is an eigenvalue once and all others are smaller."""
    found = [value for value, times in jacobian.eigenvals().items() for _ in range(times)]
    numbers = [complex(value.evalf(SHOWN + 7)) for value in found]
    neutral = [value for value in found if simplify(value - 1) == 0]
    outside = [number for value, number in zip(found, numbers, strict=True)
               if value not in neutral and abs(number) > 1 - 1e-12]  # fmt: skip
    shown = ", ".join(str(value) if len(str(value)) < 20 else str(value.evalf(SHOWN)) for value in found)
    if len(neutral) == 1 and not outside:
        return
    if outside and all(abs(number) <= 1 + 1e-12 for number in outside):
        why = "a multiplier on the unit circle other than 1 turns or alternates for ever"
    elif outside:
        why = "a direction with |B| > 1 drives orbits away"
    elif not neutral:
        why = "no direction is neutral, and laws of contracting systems are not derived"
    else:
        why = "two neutral directions have no law of one variable"
    raise UnsupportedError(f"the Jacobian has the eigenvalues {shown}: {why}; one must be 1, the others smaller")


class CentreManifold:
    """w = h(s) and s' = g(s) as formal power series, continued when more coefficients are asked for."""

    def __init__(self, system: System):
        self.system = system
        self.state = tuple(Dummy(f"s{k}") for k in range(len(system.maps)))
        columns, inverse = system.frame
        self.places = [x + row for x, row in zip(system.fixed_point, columns * Matrix(self.state), strict=True)]
        apart = Matrix(system.maps).xreplace(dict(zip(system.symbols, self.places, strict=True)))
        self.moved = list(inverse * (apart - Matrix(system.fixed_point)))
        self._start_over(FIRST)

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of g(s)/s."""
        while self.order is not None and self.order <= count:
            self._start_over(2 * count)
        while len(self.image) <= count:
            self._extend()
        return [self.field.leave(c) for c in self.image[1 : count + 1]]

    def along(self, expression: Expr, count: int) -> Expr:
        """A function of the state along the manifold, as one of Y = s, with so many orders of h in it."""
        self.ratio(count)
        heights = [sum(self.field.leave(c) * Y**k for k, c in enumerate(h[: count + 1])) for h in self.heights]
        return expression.xreplace(dict(zip(self.state, (Y, *heights), strict=True)))

    def heights_at(self, s) -> list:
        """h(s) in mpmath, as far as the digits in use can see."""
        nearness = max(0.1, -float(mp.log10(abs(s)))) if s else 1.0
        count = min(mp.dps + FIRST, int(mp.dps / nearness) + FIRST)
        self.ratio(count)
        return [summed(known[:count], s) for known in self._numbers(-(-count // FIRST) * FIRST, mp.prec)]

    def _numbers(self, count: int, precision: int) -> list[list]:
        """The coefficients of h at mpmath's current precision."""
        if (count, precision) not in self.known:
            self.ratio(count)
            self.known[count, precision] = [[to_mpf(self.field.leave(c)) for c in h[:count]] for h in self.heights]
        return self.known[count, precision]

    def _start_over(self, order: int) -> None:
        """The maps as polynomials, in whole or up to a total degree, and h and g from their first orders on."""
        whole = all(f.is_polynomial(*self.state) for f in self.moved)
        self.order = None if whole else order
        polynomials = [Poly(f if whole else taylor(f, self.state, order), *self.state) for f in self.moved]
        linear = Matrix([[p.coeff_monomial(x) for x in self.state[1:]] for p in polynomials[1:]])
        solver = (eye(len(self.state) - 1) - linear).inv().applyfunc(radsimp)
        self.field = Field.of([*(c for p in polynomials for c in p.coeffs()), *solver])
        self.terms = [[(powers, self.field.enter([c])[0]) for powers, c in p.terms()] for p in polynomials]
        self.solver = [self.field.enter(list(solver.row(k))) for k in range(solver.rows)]
        zero, one = self.field.enter([Integer(0), Integer(1)])
        self.heights, self.image = [[zero, zero] for _ in solver.col(0)], [zero, one]
        self.powers = [[one, zero], [zero, one]]  # of g
        self.known: dict[tuple[int, int], list] = {}

    def _extend(self) -> None:
        """One order more: g_k from h below k, then h_k."""
        order, zero = len(self.image), self.image[0]
        moved = self._images(order)
        self.image.append(moved[0])
        for j, power in enumerate(self.powers):
            power.append(zero if j == 0 else dot(self.powers[j - 1], self.image[::-1], zero))
        self.powers.append([*[zero] * order, self.image[1]])
        composed = [dot(h, [power[order] for power in self.powers[:order]], zero) for h in self.heights]
        known = [value - old for value, old in zip(moved[1:], composed, strict=True)]
        for height, row in zip(self.heights, self.solver, strict=True):
            height.append(dot(row, known, zero))

    def _images(self, order: int) -> list:
        """[s^order] of the maps along w = h(s), h known below that order."""
        zero, one = self.image[:2]
        longer = [[*h, zero] for h in self.heights]
        known: dict[tuple, list] = {(0,) * len(longer): [one, *[zero] * order]}

        def monomial(powers: tuple) -> list:
            if powers not in known:
                k = next(k for k, times in enumerate(powers) if times)
                rest = monomial((*powers[:k], powers[k] - 1, *powers[k + 1 :]))
                known[powers] = product(rest, longer[k], order + 1)
            return known[powers]

        def needed(powers: tuple) -> bool:
            return powers[0] + 2 * sum(powers[1:]) <= order

        def coefficient(powers: tuple, c):
            place, found = order - powers[0], monomial(powers[1:])
            return c * found[place] if place < len(found) else zero

        return [sum((coefficient(*term) for term in terms if needed(term[0])), zero) for terms in self.terms]


def taylor(expression: Expr, state: Sequence[Symbol], order: int) -> Expr:
    """The Taylor polynomial at 0 up to a total degree."""
    along = expression.xreplace({x: x * Y for x in state})
    return sum(coefficients(along, order + 1))


def coefficients(expression: Expr, count: int) -> list[Expr]:
    """The coefficients of 1, Y, ..., Y^(count - 1); `UnsupportedError` for a function that is not analytic there."""
    expression = expression.expand() if expression.is_polynomial(Y) else expression
    if expression == 0:
        return [Integer(0)] * count
    if expression.is_polynomial(Y):
        return [expression.coeff(Y, k) for k in range(count)]
    found = puiseux(expression, Y, count)
    if found.root != 1 or found.valuation < 0:
        raise UnsupportedError("a map is no power series at the fixed point, so there is no centre manifold")
    return ([Integer(0)] * found.valuation + list(found.coefficients))[:count]


@dataclass(frozen=True, eq=False)
class SeenOnManifold:
    """An observable along the centre manifold, as `recursions.autonomous` reads one: a Puiseux series in s."""

    system: System
    expression: Expr

    @cached_property
    def head(self) -> tuple[int, int]:
        """(v, r): the series is one in s^(1/r) and starts with s^(v/r)."""
        found = self._found(HEAD)
        return found.valuation, found.root

    def series(self, count: int) -> list[Expr]:
        """Its first coefficients."""
        found = self._found(count)
        return (list(found.coefficients) + [Integer(0)] * count)[:count]

    def _found(self, count: int) -> Series:
        manifold = self.system.manifold
        places = dict(zip(self.system.symbols, manifold.places, strict=True))
        along = manifold.along(self.expression.xreplace(places), count + HEAD)
        if along == 0:
            raise UnsupportedError(f"{self.expression} is 0 along the centre manifold, to all orders looked at")
        return puiseux(along, Y, count)

    def expansion(self, s: Expansion) -> Expansion:
        """It, from the expansion of s."""
        count = int(s.remainder.monomial.order) + 2
        valuation, root = self.head
        known = {Monomial(Rational(valuation + k, root)): c for k, c in enumerate(self.series(count))}
        rest = Formal(Monomial(Rational(valuation + count, root)))
        return Expansion.build(Scale.at_zero(Y), known, rest).compose(s)


@dataclass(frozen=True)
class SystemAbel(Abel):
    """Abel's coordinate on the centre manifold; a state before it has all coordinates."""

    seen: SeenOnManifold | None = field(default=None, compare=False, kw_only=True)

    starts_from_one = False
    evidence = "systems"

    @property
    def of_s(self) -> Abel:
        """The coordinate of the law of s itself."""
        return Abel(self.dynamics, self.abel)

    def read(self, state: tuple):
        """The observable: by its formula at a state of all coordinates, by its series on the manifold."""
        system = self.seen.system
        if len(state) > 1:
            function = as_function(list(system.symbols), self.seen.expression, "mpmath")
            with mp.workdps(mp.dps + GUARD):
                return function(*system.point(state))
        valuation, root = self.seen.head
        return summed(leading(self.seen.series, self.series_length(mp.dps)), mp.root(state[0], root), valuation)
