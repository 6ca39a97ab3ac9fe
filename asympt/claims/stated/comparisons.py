"""What is compared: inequalities, limits, sizes, printed numbers, and measurements.

An inequality of one letter on an interval is bisected until a ball of the difference is positive on each of at most
`PIECES` pieces, else tried where it is least; in several letters their assumptions tell the sign of the difference,
written in other forms.  A refutation is a point: there it is computed once more, by a ball or algebra.  A limit is
taken by SymPy and compared with numbers at two places near the point; a size, Theta(s), is a limit of the ratio that
is neither 0 nor infinite; a printed number holds where the true one rounds to all its decimals.

>>> from sympy import exp, log
>>> x, a, b = (Symbol(name, positive=True) for name in "xab")
>>> Inequality(exp(x), ">", 1 + x, x, Rational(1, 10), Rational(2)).verify().verdict
'proved'
>>> Inequality(2 * a * b, "<=", a**2 + b**2).verify().verdict
'proved'
>>> Limit(log(x) / x, x, oo, Integer(0)).verify().verdict, Size(x**2 + x, x, x**2).verify().verdict
('proved', 'proved')
>>> Agreement(log(2), "0.69").verify().verdict, Agreement(log(2), "0.70").verify().corrected.subject
('checked', 'log(2) = 0.69...')
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import pairwise
from typing import ClassVar

import mpmath
import sympy
from flint import arb
from mpmath import mp
from sympy import AccumBounds, Expr, Float, GoldenRatio, Integer, Poly, Pow, Rational, S, Symbol, latex, oo, simplify
from sympy import limit as sympy_limit

from asympt.balls.arithmetic import working
from asympt.balls.expression import Outside, Program, number, program_of
from asympt.claims.stated import statement
from asympt.claims.stated.letters import StatedValue, compared, enclosed_apart
from asympt.claims.stated.statement import ALGEBRA, DIGITS, NUMBERS, POINTS, SIGNS, StatedFormula, in_balls, opaque
from asympt.deadline import limited
from asympt.errors import AsymptError, NoValueError, OverrunError
from asympt.evidence.check import MEASURED, Check, agreement, inequality, undecided
from asympt.numbers import exact, to_mpf
from asympt.parsing import restricts
from asympt.recursions.fixed_point import numeric

PIECES, SHORTEST, UNSEEN = 4096, Rational(1, 10**20), 1e-10  # of an interval; by how much one may be below 0 unseen
DIPS = 8  # of a difference that are followed down
ALONE = 1e-6  # the distance from a limit at 10^18 (10^-18) up to which numbers without algebra are believed


@dataclass(frozen=True)
class Inequality(StatedFormula):
    """left `sign` right for a symbol in [low, high]; without a symbol for all values of its letters.

    `name`: the left side in LaTeX, where it is computed; `ranges` as for an equality; `where`: letters that stand for
    expressions in the others, put in one after the other.
    """

    left: Expr
    sign: str
    right: Expr
    symbol: Symbol | None = None
    low: Expr = S.Zero
    high: Expr = S.Zero
    name: str = ""
    ranges: dict[str, tuple[Expr, Expr]] = field(default_factory=dict)
    where: dict[Symbol, Expr] = field(default_factory=dict)

    @property
    def latex(self) -> str:
        told = [f"{latex(letter)}={latex(value)}" for letter, value in self.where.items()]
        if self.symbol is not None:
            told.append(rf"{latex(self.low)}\le {latex(self.symbol)}\le {latex(self.high)}")
        main = f"{self.name or latex(self.left)}{SIGNS[self.sign][1]} {latex(self.right)}"
        return main + (r"\quad(" + r",\ ".join(told) + ")" if told else "")

    @property
    def plain(self) -> str:
        between = "" if self.symbol is None else f" for {self.symbol} from {self.low} to {self.high}"
        return f"{self.name or self.left} {self.sign} {self.right}{between}"

    @property
    def gap(self) -> Expr:
        """What must be positive, or not negative."""
        gap = self.right - self.left if self.sign.startswith("<") else self.left - self.right
        for letter, value in self.where.items():
            gap = gap.subs(letter, value)
        return gap

    @property
    def bound(self) -> str:
        return ">= 0" if "=" in self.sign else "> 0"

    def checks(self) -> tuple[Check, ...]:
        rows = self._at(self._places())
        if not rows[0].passed:
            return rows
        told, special = (self._by_signs(), self._special()) if self.symbol is None else self._in_pieces()
        if told is not None and told.passed:
            return (told, replace(rows[0], strength="proved"))
        against = self._at(special, statement.CLOSE) if special else rows
        if not against[0].passed:
            return against
        return rows if told is None else (*rows, told)

    def _at(self, places: list[dict[Symbol, Expr]], least_seen=0) -> tuple[Check, ...]:
        """The smallest difference at these places, `least_seen` or 0; a contradiction beside a ball of it."""
        strict, name = self.bound == "> 0", "smallest difference of the sides"
        try:
            with limited("the difference in numbers", statement.SIMPLIFYING):
                values = [statement.value_at(self.gap, place) for place in places]
            if None in values:
                raise NoValueError(f"not real at {statement.point_in_words(places[values.index(None)])}")
        except (NoValueError, OverrunError) as error:
            return (undecided(name, "no value, or none in time", self.bound, str(error)),)
        found = sorted((value, k) for k, value in enumerate(values))
        least, at = found[0][0], places[found[0][1]]
        passed = bool(least > least_seen if strict else least >= 0)
        name = f"{name} at {len(places)} points" if at else "difference of the sides"
        sample = Check(name, mpmath.nstr(least, 8), self.bound, passed, "checked", statement.point_in_words(at))
        if passed:
            return (sample,)
        gaps = (self.gap.subs(places[k]) for value, k in found[:DIPS] if value <= 0)
        against = in_balls("difference of the sides there", gaps, self.bound, lambda b: b <= 0 if strict else b < 0)
        return (replace(sample, route=NUMBERS), *against)

    def _places(self) -> list[dict[Symbol, Expr]]:
        if self.symbol is not None:
            count = 8 * POINTS
            return [{self.symbol: self.low + (self.high - self.low) * Rational(k, count)} for k in range(count + 1)]
        return statement.spread(self.gap.free_symbols, self.ranges)

    def _special(self) -> list[dict[Symbol, Expr]]:
        """Where the difference has no value, is 0, or may be least."""
        gap, point, ranges = self.gap, self._places()[0], self.ranges
        if self.symbol is not None:
            ranges = {self.symbol.name: (self.low, self.high)}
        return statement.special_points([point], (gap, 1 / gap, *(1 / gap.diff(x) for x in point)), ranges)

    def _by_signs(self) -> Check | None:
        """The sign of the difference by the assumptions of its letters; None where they do not tell it."""
        gap = self.gap
        forms = (write(gap) for write in (lambda gap: gap, sympy.expand, sympy.factor, simplify))
        if not any(form.is_positive if self.bound == "> 0" else form.is_nonnegative for form in forms):
            return None
        title = "sign of the difference of the sides, by the signs of its terms and factors"
        return Check(title, str(simplify(gap)), self.bound, True, "proved")

    def _in_pieces(self) -> tuple[Check | None, list[dict]]:
        """(the number of pieces on which the difference is positive, or why it is open; points where it may not be)."""
        done, left, open_, doubt = 0, [], deque([(self.low, self.high)]), None
        with suppress(AsymptError), working(statement.BITS[1]):
            program = program_of(self.gap, self.symbol, self._is_real())
            while open_ and done + len(open_) + len(left) <= PIECES:
                low, high = open_[0]
                middle = (low + high) / 2
                ball = _on_piece(program, *map(number, (low, middle, high)))
                if ball <= 0:
                    return None, [{self.symbol: opaque(middle)}]
                open_.popleft()
                if ball > 0:
                    done += 1
                elif high - low > SHORTEST:
                    open_ += [(low, middle), (middle, high)]
                else:
                    left.append((low, high))
                    if not (ball > -UNSEEN or {low, high} & {self.low, self.high}):
                        doubt = undecided(f"the difference next to {low.evalf(DIGITS)}", str(ball))
        left += open_
        if not left and not self.gap.has(Float):
            return Check("pieces of the interval on which ball arithmetic proves it", done, PIECES, True, "proved"), []
        return doubt, [*self._special(), *self._lowest(left if len(left) > 1 else None)]

    def _lowest(self, pieces: list[tuple[Expr, Expr]] | None) -> Iterator[dict]:
        """Where the difference is least, to the digits, by thirds near the worst of these pieces, or near samples."""
        pieces = sorted(pieces or pairwise(place[self.symbol] for place in self._places()))
        sizes = [1 / abs(term) for term in sympy.Add.make_args(self.gap) if term.is_number and term != 0]
        fine = max(map(to_mpf, [*sizes, *(Integer(part.q) for part in self.gap.atoms(Rational))]), default=1)
        digits = DIGITS + max(0, int(mp.log10(fine)))
        with mp.workdps(2 * digits), suppress(AsymptError):
            function = numeric(self.gap, self.symbol)  # complex between roots: `_at` will say so
            ends = [tuple(map(to_mpf, piece)) for piece in pieces]
            seen = [mp.inf, *(mp.re(function((low + high) / 2)) for low, high in ends), mp.inf]
            dips = sorted((seen[k + 1], ends[k]) for k in range(len(ends)) if seen[k + 1] <= min(seen[k], seen[k + 2]))
            for _, (low, high) in dips[:DIPS]:
                low, high = max(to_mpf(self.low), 2 * low - high), min(to_mpf(self.high), 2 * high - low)
                while (third := (high - low) / 3) > mpmath.mpf(10) ** -digits:
                    falls = mp.re(function(low + third)) > mp.re(function(high - third))
                    low, high = (low + third, high) if falls else (low, high - third)
                yield {self.symbol: opaque(exact((low + high) / 2))}

    def _is_real(self) -> bool:
        """Whether roots, asin and acos are of polynomials that keep them real up to the ends, by Sturm's theorem."""
        bases = [power.base for power in self.gap.atoms(Pow) if not power.exp.is_Integer]
        bases += [1 - function.args[0] ** 2 for function in self.gap.atoms(sympy.asin, sympy.acos)]
        return all(self._is_not_negative(base) for base in bases if base.has(self.symbol))

    def _is_not_negative(self, base: Expr) -> bool:
        if not base.is_polynomial(self.symbol):
            return False
        polynomial = Poly(base, self.symbol)
        if not all(number.is_Rational for number in (self.low, self.high, *polynomial.all_coeffs())):
            return False
        ends = sum(polynomial(end) == 0 for end in {self.low, self.high})
        inside = polynomial.count_roots(self.low, self.high) - ends
        return bool(inside == 0 and polynomial((self.low + self.high) / 2) > 0)


def _on_piece(program: Program, low: arb, middle: arb, high: arb) -> arb:
    """A function between two numbers: as it is, and by the mean value theorem."""
    piece = low.union(high)
    try:
        ball = program.value(piece)
    except Outside as error:
        if error.certain:
            raise
        return arb.nan()  # as it may have no value there
    by_slope = program.value(middle) + program.slope(piece) * (piece - middle) if ball.contains(0) else arb.nan()
    return ball.intersection(by_slope) if by_slope.is_finite() else ball


def _near(formula: Expr, variable: Symbol, to: Expr, powers: tuple[int, int]) -> list:
    """Values ever nearer to `to`, at places that are rounded, because exact powers of 10^18 have no end.

    They are irrational: at whole numbers what oscillates, such as sin(pi x), is always the same.
    """
    start, ten = (to, GoldenRatio / 10) if to.is_finite else (Integer(0), 10 * GoldenRatio)
    function = numeric(formula, variable)
    with mp.workdps(10 * DIGITS):  # differences of large terms cancel
        return [function(to_mpf(start + ten**k)) for k in powers]


@dataclass(frozen=True)
class Limit(StatedFormula):
    """expression -> value as the variable tends to `to`, from the right where it is finite; `name`: it in LaTeX."""

    printed_side: ClassVar[str] = "value"
    expression: Expr
    variable: Symbol
    to: Expr
    value: Expr
    name: str = ""

    @property
    def latex(self) -> str:
        arrow = rf"{latex(self.variable)}\to {latex(self.to)}" + ("^+" if self.to.is_finite else "")
        return rf"\lim_{{{arrow}}}{self.name or latex(self.expression)}={latex(self.value)}"

    @property
    def plain(self) -> str:
        side = "+" if self.to.is_finite else ""
        return f"{self.name or self.expression} -> {self.value} as {self.variable} -> {self.to}{side}"

    def checks(self) -> tuple[Check, ...]:
        found, name = self.by_algebra(), "distance of the expression from the stated limit near the point"
        if found is sympy.nan and self._waves():
            return (undecided(name, "an oscillation without end, of which places tell nothing"),)
        powers = (12, 96 if found is sympy.nan else 18)  # what numbers alone say may still change at 10^25
        try:
            with limited("the expression near the point", statement.SIMPLIFYING), mp.workdps(3 * DIGITS):
                for part in filter(restricts, sympy.preorder_traversal(self.expression)):
                    list(map(self._real, _near(part, self.variable, self.to, powers)))
                near, far = map(self._real, _near(self.expression, self.variable, self.to, powers))
        except OverrunError as error:
            return (undecided(name, "none in time", detail=str(error)),)
        with mp.workdps(3 * DIGITS):
            size = max(abs(to_mpf(self.value)), mpmath.mpf(1))
            before, off = (abs(value - to_mpf(self.value)) / size for value in (near, far))
            moved = abs(near - far) / size
            bound = min(before, 100 * moved) + mpmath.mpf(10) ** (12 - DIGITS)  # it comes closer, and fast enough
            bound = bound if found.is_finite and found.is_number else min(bound, ALONE)
        detail = f"{mpmath.nstr(near, 12)} and then {mpmath.nstr(far, 12)}; the two differ by {mpmath.nstr(moved, 2)}"
        numbers = replace(Check.measured(name, off, bound, detail), route=NUMBERS)  # which alone refutes nothing
        if found is sympy.nan:
            return (numbers,)
        if isinstance(found, AccumBounds):
            return (numbers, undecided("limit by algebra", f"the expression oscillates in {found}"))
        rest = simplify(found - self.value)
        exact = Check("limit by algebra minus the stated limit", str(rest), 0, rest == 0, "proved", route=ALGEBRA)
        return (exact, replace(numbers, strength="proved"))

    def _waves(self) -> list[Expr]:
        """The sines, cosines and tangents whose argument has no finite limit."""
        waves = self.expression.atoms(sympy.sin, sympy.cos, sympy.tan)
        return [wave for wave in waves if not replace(self, expression=wave.args[0]).by_algebra().is_finite]

    def _real(self, value):
        """A value without the rounding error that makes it complex."""
        if abs(mp.im(value)) > abs(value) * mpmath.mpf(10) ** -DIGITS:
            raise NoValueError(f"{self.expression} is not real next to {self.variable} = {self.to}; give a real one")
        return mp.re(value)

    def by_algebra(self) -> Expr:
        """By algebra; nan where it does not tell, or sees no poles: tan(x)/exp(x) tends to 0 for SymPy."""
        try:
            with limited("the limit of the expression", statement.SIMPLIFYING):
                steep = [p for p in sympy.preorder_traversal(self.expression) if restricts(p) or p.func == sympy.tan]
                if steep and (waves := self._waves()) and any(part.has(*waves) for part in steep):
                    return sympy.nan
                found = sympy_limit(self.expression.rewrite(sympy.Abs), self.variable, self.to, "+")  # no max, min
        except (OverrunError, NotImplementedError, sympy.PoleError, ValueError, TypeError):  # SymPy's
            return sympy.nan
        return found if (found.is_finite or found in (oo, -oo)) and not found.has(self.variable) else sympy.nan

    def corrected(self) -> "Limit | None":
        found = self.by_algebra()
        return replace(self, value=simplify(found)) if found.is_finite and found.is_number else None


@dataclass(frozen=True)
class Size(StatedFormula):
    """expression = Theta(size) as the variable tends to `to`: their ratio has a limit that is neither 0 nor infinite.

    `name`: the expression in LaTeX.
    """

    expression: Expr
    variable: Symbol
    size: Expr
    to: Expr = oo
    name: str = ""

    @property
    def latex(self) -> str:
        return rf"{self.name or latex(self.expression)}=\Theta\left({latex(self.size)}\right)"

    @property
    def plain(self) -> str:
        return f"{self.name or self.expression} = Theta({self.size}) as {self.variable} -> {self.to}"

    def checks(self) -> tuple[Check, ...]:
        with limited("the limit of a ratio", statement.SIMPLIFYING):
            found = sympy_limit(simplify(self.expression / self.size), self.variable, self.to, "+")
        same = found.is_finite is True and found.is_zero is False
        exact = Check("limit of the expression over the stated size", str(found), "finite, not 0", same, "proved")
        return (exact,) if same else (replace(exact, route=ALGEBRA), self._numbers())

    def _numbers(self) -> Check:
        """The ratio at two places, one much nearer to `to`: what algebra refutes moves here by more than a factor."""
        ratio = self.expression / self.size
        point = statement.point_of(ratio.free_symbols - {self.variable})
        near, far = map(abs, _near(ratio.subs(point), self.variable, self.to, (6, 18)))
        settles = bool(near and far and mpmath.mpf(1) / 2 <= far / near <= 2)
        shown = f"{mpmath.nstr(near, 8)}, then {mpmath.nstr(far, 8)}"
        name, bound = "the ratio, in numbers, at two points", "not 0, within a factor of 2"
        return Check(name, shown, bound, settles, route=NUMBERS)


@dataclass(frozen=True)
class Agreement(StatedFormula):
    """A number that is printed with so many decimals; it agrees when it rounds to them."""

    expression: Expr
    printed: str
    name: str = ""

    @property
    def latex(self) -> str:
        return rf"{self.name or latex(self.expression)}\approx {self.printed}"

    @property
    def plain(self) -> str:
        return f"{self.name or self.expression} = {self.printed}..."

    @property
    def decimals(self) -> int:
        return len(self.printed.partition(".")[2])

    def checks(self) -> tuple[Check, ...]:
        half = Rational(1, 2 * 10**self.decimals)
        stated = StatedValue(Rational(self.printed), half, self.printed)
        numbers = compared("the number, rounded to the printed decimals", self.expression, stated)
        if numbers.passed is not False:
            return (numbers,)
        return (numbers, *(enclosed_apart(self.expression, stated) or self._again(half)))

    def _again(self, half) -> tuple[Check, ...]:
        """The same at twice the digits: an integral or a root that balls do not know is then found by other nodes."""
        with mp.workdps(2 * DIGITS):
            off = abs(to_mpf(self.expression) - mpmath.mpf(self.printed))
            half = to_mpf(half)
        name = "the same at twice the digits, by other nodes"
        return (replace(Check.measured(name, off, half), route="other nodes"),)

    def corrected(self) -> "Agreement":
        with mp.workdps(DIGITS):
            units = int(mp.nint(to_mpf(self.expression) * mp.mpf(10) ** self.decimals))
        return replace(self, printed=f"{Decimal(f'{units}E-{self.decimals}'):f}")


@dataclass(frozen=True)
class Datum:
    """One measurement: what it is, the numbers of the letters, what came out for the left side, and by which route."""

    title: str
    letters: dict[Symbol, object]
    value: object
    route: str = MEASURED


@dataclass(frozen=True)
class Measured(StatedFormula):
    """`name` `sign` right in every row; `text`, the name without LaTeX; `true`, the right side put right.

    `together`: what several rows are called in one check, which shows the worst of them.
    """

    name: str
    right: Expr
    rows: Callable[[], Iterable[Datum]]
    sign: str = "="
    tolerance: float = 1e-9
    text: str = "the measured value"
    together: str = ""
    true: Expr | None = None

    @property
    def latex(self) -> str:
        return rf"{self.name}{SIGNS[self.sign][1] if self.sign != '=' else '='} {latex(self.right)}"

    @property
    def plain(self) -> str:
        return f"{self.text} {self.sign} {self.right}"

    def checks(self) -> tuple[Check, ...]:
        rows = tuple(self.rows())
        if self.together:
            worst = max(rows, key=self._off)
            rows = (replace(worst, title=f"{self.together}, worst of {len(rows)}: {worst.title}"),)
        return tuple(map(self._check, rows))

    def _told(self, row: Datum):
        with mp.workdps(DIGITS):
            return to_mpf(self.right.subs({letter: exact(value) for letter, value in row.letters.items()}))

    def _off(self, row: Datum) -> float:
        """How bad a row is: its relative deviation, or how near it comes to the bound."""
        told = self._told(row)
        if self.sign == "=":
            return float(abs(row.value / told - 1) if told else abs(row.value))
        return float((row.value - told) * (1 if self.sign.startswith("<") else -1) / abs(told or 1))

    def _check(self, row: Datum) -> Check:
        told = self._told(row)
        if self.sign == "=":
            found = agreement(row.title, row.value, told, self.tolerance)
        else:
            found = inequality(row.title, float(row.value), f"{self.sign} {float(told):.10g}")
        return replace(found, route=row.route)

    def beside(self, right: "Measured") -> tuple[Check, ...]:
        """The first row at which the two right sides differ, in balls: what is measured is the other one."""
        if not self.sign == right.sign == "=":
            return ()
        gaps = ((right.right - self.right).subs({s: exact(v) for s, v in row.letters.items()}) for row in self.rows())
        return in_balls("the corrected right side, which the measurement confirms, minus the printed one", gaps)
