"""A piecewise smooth function of one variable: formulas between breakpoints, exact jumps of every derivative there.

Zeros of conditions, denominators, roots and logarithms cut the line; between two cuts every condition is decided at one
rational point, and a cut at which one formula continues the other is dropped again.  Zeros must be ones SymPy solves
for exactly, and finitely many; others of a denominator are looked for in |x| <= 40 only.  A function of a x + b `bends`
at -b/a on the scale 1/|a|.  Derivatives at the end of a piece are coefficients of the exact series there
(`expansions.puiseux`): docs/bounds.md.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
import scipy  # its parts are loaded when first used: they take longer than a law
import sympy
from mpmath import mp
from sympy import Abs, Expr, Integer, Max, Min, Piecewise, Poly, Pow, Rational, Symbol, factorial, sign, simplify, sqrt
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.functions.elementary.hyperbolic import InverseHyperbolicFunction
from sympy.functions.elementary.trigonometric import InverseTrigonometricFunction
from sympy.polys.polyerrors import BasePolynomialError, PolynomialError

from asympt.compiling import as_function
from asympt.errors import InputError, UnsupportedError
from asympt.expansions.fields.decisions import is_zero
from asympt.expansions.fields.field import Field
from asympt.expansions.formulas.puiseux import Series, Y, puiseux
from asympt.gaussian.stable import in_arb, in_mpmath, in_numpy
from asympt.numbers import symbol_names, to_mpf


@lru_cache(maxsize=4096)
def derivatives(piece: Expr, symbol: Symbol, point: Expr, side: int, count: int) -> tuple[Expr, ...]:
    """phi, phi', ..., phi^(count-1) at `point` from the left (side -1) or the right (+1).

    Raises `UnsupportedError` when one of them is infinite there.
    """
    if piece.is_polynomial(symbol):
        return _of_polynomial(piece, symbol, point, count)
    try:
        series = puiseux(piece, symbol, count, inner=point + side * Y)
    except UnsupportedError:
        return _by_differentiation(piece, symbol, point, side, count)
    return _of_series(series, piece, symbol, point, side, count)


def plain(value: Expr) -> Expr:
    """A number, or a formula in parameters, in a form in which 0 is 0.

    >>> from sympy import sqrt
    >>> plain(sqrt(8) - 2 * sqrt(2)), plain((sqrt(2) + 1) * (sqrt(2) - 1))
    (0, 1)
    """
    if value.is_Rational or value.is_Symbol:
        return value
    field = Field.of([value], quick=True)
    element = field.enter([value])[0]
    return Integer(0) if is_zero(field, element) else field.leave(element)


def _of_polynomial(piece: Expr, symbol: Symbol, point: Expr, count: int) -> tuple[Expr, ...]:
    """By Horner's shift: exact, whatever the coefficients and the point are."""
    try:
        coefficients = Poly(piece, symbol).all_coeffs()
    except PolynomialError:
        coefficients = [piece]
    shifted = []
    while coefficients and len(shifted) < count:
        for i in range(1, len(coefficients)):
            coefficients[i] += point * coefficients[i - 1]
        shifted.append(coefficients.pop())
    found = [plain(factorial(n) * c) for n, c in enumerate(shifted)]
    return tuple(found + [Integer(0)] * (count - len(found)))


def _of_series(series: Series, piece, symbol, point, side, count: int) -> tuple[Expr, ...]:
    found = [Integer(0)] * count
    for place, coefficient in enumerate(series.coefficients):
        power = Integer(series.valuation + place) / series.root
        if coefficient == 0 or power > count - 1:
            continue
        if not power.is_Integer or power < 0:
            raise _infinite(piece, symbol, point, side)
        found[int(power)] = Integer(side) ** int(power) * factorial(power) * coefficient
    return tuple(found)


def _by_differentiation(piece: Expr, symbol: Symbol, point: Expr, side: int, count: int) -> tuple[Expr, ...]:
    """For functions whose series the exact arithmetic does not know."""
    value = piece.subs(symbol, point)
    if not value.is_finite:
        raise _infinite(piece, symbol, point, side)
    value = value if value.is_Rational else simplify(value)
    if count == 1:
        return (value,)
    return (value, *derivatives(piece.diff(symbol), symbol, point, side, count - 1))


def _infinite(piece: Expr, symbol: Symbol, point: Expr, side: int) -> UnsupportedError:
    where = "right" if side > 0 else "left"
    return UnsupportedError(
        f"{piece} has no power series at {symbol} = {point} from the {where}, as its value or a derivative is not "
        "finite there; use an activation whose derivatives are finite on both sides of every breakpoint"
    )


def same(left: Sequence[Expr], right: Sequence[Expr]) -> bool:
    return all(plain(a - b) == 0 for a, b in zip(left, right, strict=True))


EQUAL_TO = 14  # derivatives compared before a formula counts as continued
DIGITS, NEARBY = 60, [Rational(n, 1009) for n in (-41, -17, 23, 53)]  # and where its values are compared
FAR, GRID = 40, 32  # the range and the fineness of searches for zeros that cannot be solved for
_CONDITIONAL = (Piecewise, Abs, Max, Min, sign, sympy.Heaviside)
_REFUSED = (
    sympy.floor, sympy.ceiling, sympy.frac, sympy.Mod, sympy.DiracDelta, sympy.arg, sympy.atan2, sympy.Integral,
    sympy.Derivative, sympy.Sum, AppliedUndef,
)  # fmt: skip


@lru_cache(maxsize=512)
def read(expression: Expr, symbol: Symbol) -> tuple[Symbol, tuple[Expr, ...], tuple[Expr, ...]]:
    """(x, breaks, pieces), x being the symbol as a real one.

    Raises `InputError` for a Piecewise without a last branch and `UnsupportedError` when the breakpoints are not found.

    >>> x = Symbol("x", real=True)
    >>> read(Max(Abs(x) - 1, 0), x)
    (x, (-1, 1), (-x - 1, 0, x - 1))
    """
    x = Symbol(symbol.name, real=True)
    formula = _with_squares_rooted(expression.subs(symbol, x))
    for node in formula.atoms(*_REFUSED):
        if node.has(x):
            raise UnsupportedError(
                f"{node} is not a known function with finitely many breakpoints; give a piecewise smooth activation"
            )
    cuts = _cuts(formula, x)
    while True:
        pieces = [_resolved(formula, x, point) for point in _between(cuts)]
        more = _inner_cuts(pieces, x, cuts)
        if not more:
            return x, *_merged(x, cuts, pieces)
        cuts = _in_order([*cuts, *more])


def _with_squares_rooted(formula: Expr) -> Expr:
    """sqrt(x^2 - 2x + 1) as |x - 1|."""
    roots = [p for p in formula.atoms(Pow) if p.exp.is_Rational and not p.exp.is_Integer and p.base.is_polynomial()]
    return formula.xreplace({root: root.base.factor() ** root.exp for root in roots})


def _cuts(formula: Expr, x: Symbol) -> list[Expr]:
    """The zeros of everything at whose zeros the formula may fail to be smooth, in order."""
    points: set[Expr] = set()
    for argument in _arguments(formula, x):
        points |= _zeros(argument, x)
    for divisor in _divisors(formula, x):
        points |= _zeros_of_divisor(divisor, x)
    for point in points:
        if point.free_symbols:
            names = symbol_names(point.free_symbols)
            raise UnsupportedError(f"the breakpoint {point} is not a number; give numbers for {names}")
    return _in_order(points)


def _in_order(points: Iterable[Expr]) -> list[Expr]:
    return sorted(points, key=lambda point: point.evalf(40))


def _inner_cuts(pieces: list[Expr], x: Symbol, cuts: list[Expr]) -> list[Expr]:
    """Cuts that show only once the conditions are decided, as 1 in atan(1/(|x| - 1))."""
    limits = [None, *cuts, None]
    return [
        cut
        for piece, (low, high) in zip(pieces, pairwise(limits), strict=True)
        for cut in _cuts(piece, x)
        if (low is None or cut > low) and (high is None or cut < high)
    ]


def _arguments(formula: Expr, x: Symbol) -> set[Expr]:
    """Expressions in x whose sign decides a condition."""
    found: set[Expr] = set()
    for node in formula.atoms(*_CONDITIONAL):
        if isinstance(node, Piecewise):
            relations = set().union(*(condition.atoms(Relational) for _, condition in node.args))
            found |= {r.lhs - r.rhs for r in relations}
        elif isinstance(node, Max | Min):
            found |= {a - b for i, a in enumerate(node.args) for b in node.args[i + 1 :]}
        else:
            found.add(node.args[0])
    return {a for a in found if a.has(x)}


def _divisors(formula: Expr, x: Symbol) -> set[Expr]:
    """Expressions in x that may be zero and are divided by, have a root or logarithm, or end asin(u) at |u| = 1."""
    found = {p.base for p in formula.atoms(Pow) if not (p.exp.is_Integer and p.exp.is_nonnegative)}
    found |= {node.args[0] for node in formula.atoms(sympy.log)}
    inverses = formula.atoms(InverseTrigonometricFunction, InverseHyperbolicFunction)
    found |= {1 - node.args[0] ** 2 for node in inverses if not isinstance(node, sympy.atan | sympy.asinh)}
    found |= {sympy.cos(node.args[0]) for node in formula.atoms(sympy.tan, sympy.sec)}
    found |= {sympy.sin(node.args[0]) for node in formula.atoms(sympy.cot, sympy.csc)}
    return {base for base in found if base.has(x) and base.is_zero is not False and not base.has(*_CONDITIONAL)}


def _zeros(argument: Expr, x: Symbol) -> set[Expr]:
    """Real zeros of an argument; one with conditions inside is solved piece by piece."""
    if not argument.has(*_CONDITIONAL):
        return _solved(argument, x)
    cuts = _cuts(argument, x)
    edges, found = [None, *cuts, None], set(cuts)
    for point, low, high in zip(_between(cuts), edges, edges[1:], strict=False):
        inside = _solved(_resolved(argument, x, point), x)
        found |= {z for z in inside if (low is None or z > low) and (high is None or z < high)}
    return found


def _solved(argument: Expr, x: Symbol) -> set[Expr]:
    if not argument.has(x):
        return set()
    zeros = sympy.solveset(argument, x, domain=sympy.S.Reals)
    if not zeros.is_FiniteSet and zeros is not sympy.S.EmptySet:
        found = _rational_crossings(argument, x) if isinstance(zeros, sympy.ConditionSet) else None
        if found is not None:
            return found
        raise UnsupportedError(
            f"the breakpoints, zeros of {argument}, could not be found exactly; in Python, give a SymPy Piecewise "
            "with finitely many numbers as breakpoints"
        )
    return {simplify(z) for z in zeros}


def _rational_crossings(argument: Expr, x: Symbol) -> set[Expr] | None:
    """The sign changes in |x| <= 40, as 0 for x - tanh(x), when all are at fractions n/32; else None.

    Where the sign stays the same, no condition changes.
    """
    if argument.free_symbols != {x}:
        return None
    crossings, previous, function = set(), 0, as_function(x, argument, "mpmath")
    with mp.workdps(DIGITS):
        for n in range(-GRID * FAR, GRID * FAR + 1):
            value = function(mp.mpf(n) / GRID)
            if abs(value) < mp.mpf(10) ** (20 - DIGITS) and argument.subs(x, Rational(n, GRID)) == 0:
                crossings.add(Rational(n, GRID))
                previous = 0
            elif mp.im(value) != 0 or value * previous < 0:
                return None
            else:
                previous = value
    return crossings


def _zeros_of_divisor(divisor: Expr, x: Symbol) -> set[Expr]:
    """Exact for a polynomial over the rationals; solved for only when the values show that there is a zero."""
    try:
        return set(sympy.real_roots(divisor, x))
    except (BasePolynomialError, NotImplementedError):  # SymPy's: no polynomial, or none whose roots it knows
        return _solved(divisor, x) if _vanishes(divisor, x) else set()


def holes(piece: Expr, x: Symbol) -> list[Expr]:
    """The points at which a formula without conditions divides by zero."""
    divided = {p.base for p in piece.atoms(Pow) if p.exp.is_negative} & _divisors(piece, x)
    found = set().union(*(_zeros_of_divisor(divisor, x) for divisor in divided))
    return _in_order(found)


def _vanishes(divisor: Expr, x: Symbol) -> bool:
    """Whether a sign change, or a value close to 0 next to others that are not, shows up in |x| <= 40."""
    if divisor.free_symbols != {x}:
        return False
    with np.errstate(all="ignore"):
        grid = np.linspace(-FAR, FAR, 2 * GRID * FAR + 1)
        values = as_function(x, divisor, ["scipy", "numpy"])(grid + 0j) * np.ones_like(grid)
    real = np.real(values[np.abs(values.imag) <= 1e-12 * np.abs(values)])
    return bool((real[1:] * real[:-1] <= 0).any() or (np.abs(real) < 1e-6).any()) if real.size else False


def _between(cuts: Sequence[Expr]) -> list[Expr]:
    """One rational point in each interval that the cuts leave."""
    if not cuts:
        return [Rational(1, 7)]
    middles = [(a + b) / 2 for a, b in pairwise(cuts)]
    inner = [middle if middle.is_Rational else sympy.nsimplify(middle.evalf(30), rational=True) for middle in middles]
    return [Integer(int(cuts[0].evalf(20)) - 2), *inner, Integer(int(cuts[-1].evalf(20)) + 2)]


def _resolved(formula: Expr, x: Symbol, point: Expr) -> Expr:
    """The formula with every condition decided as it is at `point`."""
    if not formula.has(*_CONDITIONAL):
        return formula
    if isinstance(formula, Piecewise):
        return _resolved(_branch(formula, x, point), x, point)
    parts = [_resolved(part, x, point) for part in formula.args]
    if isinstance(formula, Max | Min):
        chosen = max if isinstance(formula, Max) else min
        return chosen(parts, key=lambda part: _number(part, x, point))
    if not isinstance(formula, Abs | sign | sympy.Heaviside):
        return _resolved(formula.func(*parts), x, point)  # sqrt((x - 1)^2) has become |x - 1|
    value = _number(parts[0], x, point)
    if isinstance(formula, Abs):
        return parts[0] if value >= 0 else -parts[0]
    below = -1 if isinstance(formula, sign) else 0
    return Integer(1 if value > 0 else below if value < 0 else formula.func(0))


def _branch(formula: Piecewise, x: Symbol, point: Expr) -> Expr:
    for value, condition in formula.args:
        if condition == True or condition.subs(x, point) == True:  # noqa: E712
            return value
    raise InputError(f"{formula} has no value at {x} = {point}; give the Piecewise a last branch (value, True)")


def _number(part: Expr, x: Symbol, point: Expr) -> Expr:
    value = part.subs(x, point).evalf(30)
    if names := symbol_names(value.free_symbols):
        raise UnsupportedError(
            f"the branch at {x} = {point} depends on {names} through {part}; give a number for each, or branches that "
            "meet at known points, such as max(x, 0) - a*max(-x, 0) for max(x, a*x) with a < 1"
        )
    if not value.is_Number:
        raise UnsupportedError(f"the condition on {part} cannot be decided at {x} = {point}; give a real number there")
    return value


def _merged(x: Symbol, cuts: list[Expr], pieces: list[Expr]) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    breaks, kept = [], [pieces[0]]
    for cut, piece in zip(cuts, pieces[1:], strict=True):
        if not _continue(kept[-1], piece, x, cut):
            breaks.append(cut)
            kept.append(piece)
    return tuple(breaks), tuple(kept)


def _continue(left: Expr, right: Expr, x: Symbol, cut: Expr) -> bool:
    """Whether the formula on the right continues the one on the left."""
    try:
        below, above = (derivatives(p, x, cut, s, EQUAL_TO) for p, s in ((left, -1), (right, 1)))
    except UnsupportedError:
        return False
    return same(below, above) and (left == right or _identical(left, right, x, cut))


def _identical(left: Expr, right: Expr, x: Symbol, cut: Expr) -> bool:
    """Whether two formulas are one function: their values near the cut agree to 50 digits."""
    difference = left - right
    free = sorted(difference.free_symbols - {x}, key=str)
    values = {symbol: Rational(7 * n + 4, 9) for n, symbol in enumerate(free)}
    for offset in NEARBY:
        value = difference.subs(values | {x: cut + offset}).evalf(DIGITS)
        if not value.is_number or abs(value) > Rational(1, 10**50):
            return False
    return True


STEEP = 4  # sqrt(q) times the slope inside a function of phi from which on its centre is an end of intervals
MOST_ZEROS = 64
SCANNED = np.outer((-1, 1), np.geomspace(1e-9, 1e3, 4000)).ravel()
SCANNED.sort()


@lru_cache(maxsize=512)
def bends(piece: Expr, x: Symbol) -> tuple[tuple[Expr, float], ...]:
    """(place, scale) where a function in the formula has its centre, or its argument turns.

    >>> from sympy import tanh
    >>> bends(tanh(100 * Symbol("x") - 50), Symbol("x")), bends(tanh(Symbol("x") ** 3), Symbol("x"))
    (((1/2, 100.0),), ((0, 1.0),))
    """
    found: dict[Expr, float] = {}
    for inner in {argument for function in piece.atoms(sympy.Function) for argument in function.args}:
        if not inner.has(x):
            continue
        inside = inner.is_polynomial(x) and Poly(inner, x)
        places = [(p, _rate(inside, p)) for p in _centres(inside)] if inside else _sign_changes(inner, x)
        for place, rate in places:
            found[place] = max(found.get(place, 0.0), rate)
    return tuple(found.items()) or ((Integer(0), 1.0),)


def _centres(inside: Poly) -> list[Expr]:
    """Where a polynomial is 0 or turns; to 40 digits where its degree is above 2."""
    if inside.degree() <= 2:
        rest, middle, lead = (inside.coeff_monomial(inside.gen**k) for k in range(3))
        if lead == 0:
            return [-rest / middle]
        turn = -middle / (2 * lead)
        apart = turn**2 - rest / lead
        return [turn, turn - sqrt(apart), turn + sqrt(apart)] if to_mpf(apart) > 0 else [turn]
    near = [Rational(str(c.evalf(60))) for c in (inside * inside.diff()).all_coeffs()]
    return [Rational(str(place.evalf(40))) for place in set(Poly(near, inside.gen).sqf_part().real_roots())]


def _sign_changes(inner: Expr, x: Symbol) -> list[tuple[Expr, float]]:
    """Where an argument that is not a polynomial is 0 and changes its sign, nearest to 0, and its slope there.

    >>> from sympy import tanh
    >>> [(float(place), round(slope)) for place, slope in _sign_changes(1000 * tanh(Symbol("x") - 1), Symbol("x"))]
    [(1.0, 1000)]
    """
    function, slope = (as_function(x, f, "scipy") for f in (inner, inner.diff(x)))

    def wide(at: float):  # infinite where Python's own numbers raise
        return function(np.float64(at))

    with np.errstate(all="ignore"):
        signs = np.sign(function(SCANNED) * np.ones_like(SCANNED))
        cuts = sorted(np.flatnonzero(signs[:-1] * signs[1:] < 0), key=lambda k: abs(SCANNED[k]))[:MOST_ZEROS]
        places = [scipy.optimize.brentq(wide, *SCANNED[k : k + 2], xtol=1e-300, disp=False) for k in cuts]
        zeros = [p for p, k in zip(places, cuts, strict=True) if abs(wide(p)) <= abs(wide(SCANNED[k]))]
        found = [(place, abs(float(slope(place)))) for place in zeros]
    return [(Rational(place), rate) for place, rate in found if np.isfinite(rate)]


def _rate(inside: Poly, place: Expr) -> float:
    """The largest k-th root of the size of a k-th Taylor coefficient, which is a slope where that is not small."""
    terms = (inside.diff((inside.gen, k))(place) / factorial(k) for k in range(1, inside.degree() + 1))
    return max(abs(float(term)) ** (1 / k) for k, term in enumerate(terms, 1))


@dataclass(frozen=True)
class PiecewiseSmooth:
    """`pieces[i]` between `breaks[i-1]` and `breaks[i]`; `breaks` are exact, real and increasing.

    >>> from sympy import Abs, Max
    >>> x = Symbol("x", real=True)
    >>> phi = PiecewiseSmooth.of(Max(x - 1, 0) + Abs(x), x)
    >>> phi.breaks, phi.pieces
    ((0, 1), (-x, x, 2*x - 1))
    >>> phi.jump(0, 1), phi.jump(1, 1), phi.derivative().pieces
    (2, 1, (-1, 1, 2))
    """

    symbol: Symbol
    breaks: tuple[Expr, ...]
    pieces: tuple[Expr, ...]

    @classmethod
    def of(cls, expression: Expr, symbol: Symbol) -> "PiecewiseSmooth":
        """From one expression; raises `InputError` or `UnsupportedError` when its breakpoints cannot be found."""
        return cls(*read(expression, symbol))

    def derivative(self, n: int = 1) -> "PiecewiseSmooth":
        """The n-th derivative between the breakpoints (without the deltas at them)."""
        return _derivative(self, n)

    @cached_property
    def radial(self) -> "PiecewiseSmooth":
        """x phi'(x), where phi has a derivative."""
        return PiecewiseSmooth(self.symbol, self.breaks, tuple(self.symbol * f for f in self.derivative().pieces))

    def square(self) -> "PiecewiseSmooth":
        return PiecewiseSmooth(self.symbol, self.breaks, tuple(piece**2 for piece in self.pieces))

    def scaled(self, factor: Expr) -> "PiecewiseSmooth":
        """x -> phi(factor x), factor > 0."""
        pieces = tuple(piece.subs(self.symbol, factor * self.symbol) for piece in self.pieces)
        return PiecewiseSmooth(self.symbol, tuple(point / factor for point in self.breaks), pieces)

    def side(self, index: int, side: int, order: int = 0) -> Expr:
        """The limit of the `order`-th derivative at breaks[index] from the left (side -1) or the right (+1)."""
        return self.taylor(index, side, order + 1)[order]

    def taylor(self, index: int, side: int, count: int) -> list[Expr]:
        """phi, phi', ..., phi^(count-1) at breaks[index], from one side (derivatives, not divided by factorials)."""
        piece = self.pieces[index + (side > 0)]
        return list(derivatives(piece, self.symbol, self.breaks[index], side, count))

    def at_zero(self, side: int, count: int) -> tuple[Expr, ...]:
        """The same at 0, which may be a breakpoint or not."""
        piece = self.pieces[sum(bool(point < 0) for point in self.breaks) + (side > 0 and 0 in self.breaks)]
        return derivatives(piece, self.symbol, Integer(0), side, count)

    def jump(self, index: int, order: int) -> Expr:
        """Right minus left limit of the `order`-th derivative at breaks[index]."""
        return plain(self.side(index, 1, order) - self.side(index, -1, order))

    def jumps(self, order: int) -> tuple[Expr, ...]:
        """The jumps of the `order`-th derivative at all breakpoints."""
        return tuple(self.jump(index, order) for index in range(len(self.breaks)))

    @cached_property
    def piece_functions(self) -> tuple[Callable, ...]:
        """Every piece as a function of an mpmath number that follows mpmath's precision."""
        return tuple(in_mpmath(piece, self.symbol, self._holes(i)) for i, piece in enumerate(self.pieces))

    @cached_property
    def ball_functions(self) -> tuple[Callable, ...]:
        """Every piece as a function of one of Arb's numbers: ten times as fast."""
        both = zip(self.pieces, self.piece_functions, strict=True)
        return tuple(in_arb(piece, self.symbol, exactly) for piece, exactly in both)

    @cached_property
    def numeric(self) -> Callable:
        """phi as a function of an mpmath number; at a breakpoint the right-hand value."""
        functions, breaks = self.piece_functions, self.breaks

        def value(x):
            return functions[sum(x >= to_mpf(point) for point in breaks)](x)

        return value

    @cached_property
    def vectorised(self) -> Callable:
        """phi as a function of a NumPy array (float64), right to 1e-14; at a breakpoint the right-hand value."""
        edges = np.array([float(point) for point in self.breaks])
        limits = [-np.inf, *edges, np.inf]
        functions = [
            in_numpy(piece, self.symbol, self._holes(i), limits[i], limits[i + 1])
            for i, piece in enumerate(self.pieces)
        ]

        def value(x):
            x = np.asarray(x, dtype=float)
            if len(functions) == 1:
                return functions[0](x)
            where, result = np.searchsorted(edges, x, side="right"), np.empty_like(x)
            for index, function in enumerate(functions):
                chosen = where == index
                if chosen.any():
                    result[chosen] = function(x[chosen])
            return result

        return value

    def _holes(self, index: int) -> dict[Expr, Expr]:
        """Points of a piece at which its formula reads 0/0, with the limits there."""
        left = self.breaks[index - 1] if index > 0 else None
        right = self.breaks[index] if index < len(self.breaks) else None
        found = {}
        for point in holes(self.pieces[index], self.symbol):
            if (left is None or point >= left) and (right is None or point <= right):
                side = -1 if point == right else 1
                found[point] = derivatives(self.pieces[index], self.symbol, point, side, 1)[0]
        return found

    def __hash__(self):
        return hash((self.symbol, self.breaks, self.pieces))


@lru_cache(maxsize=512)  # what is compiled of it is compiled once
def _derivative(phi: PiecewiseSmooth, n: int) -> PiecewiseSmooth:
    return PiecewiseSmooth(phi.symbol, phi.breaks, tuple(piece.diff(phi.symbol, n) for piece in phi.pieces))
