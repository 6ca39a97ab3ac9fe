"""A statement is one object: its LaTeX, its plain text and its decision come from the same SymPy expressions.

Problem.  A formula that is quoted in one place and checked in another can be changed in one of them, and no verdict
notices.

Rule.  A form holds the printed formula as expressions and nothing else:

    Equality     left = right for all values of the symbols                       proved where SymPy simplifies, else
                 numbers at `POINTS` points of the ranges                          checked; a witness refutes
    Sequence     x_l = a formula in l: the solution of a recursion                 as for equalities
    Evolution    functions of time: the solution of differential equations        as for equalities
    Inequality   left < right, <=, >, >= for a symbol in an interval               proved in ball arithmetic (bisection)
                 (for several letters: `stated.comparison`)
    Limit        expression -> value as a variable goes to a point                 proved by SymPy where numbers agree
    Size         expression = Theta(size) as a variable goes to a point            proved by SymPy's limit of the ratio
    Agreement    a number, to all its printed digits                               proved by a ball

`corrected` is a statement of the same form with the printed constant replaced by the true one, where there is one, or
another statement that is given beside the printed one (`Mistaken`).
`mutated` are the same statements with a constant, a sign or an exponent of the printed side changed: each must be
refuted where the statement holds, which is the test that the check looks at the formula.

Tiny case.

>>> from sympy import Symbol, sin, cos
>>> x = Symbol("x", real=True)
>>> Equality(sin(2 * x), 2 * sin(x) * cos(x), (x,)).verify().verdict
'proved'
>>> Equality(sin(2 * x), sin(x) * cos(x), (x,)).verify().verdict
'refuted'

Known limits.  Numbers are taken to 40 digits; bisection ends after `PIECES` pieces, and then an inequality counts as
checked on the sample only.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from operator import ge, gt, le, lt

import mpmath
from mpmath import mp
from sympy import (
    Expr,
    Float,
    Integer,
    Matrix,
    MatrixBase,
    Number,
    Pow,
    Rational,
    Symbol,
    factor_terms,
    latex,
    log,
    nan,
    oo,
    simplify,
    zoo,
)
from sympy import limit as sympy_limit

from asympt.balls.arithmetic import Refused
from asympt.balls.expression import program_of
from asympt.deadline import limited
from asympt.errors import AsymptError
from asympt.evidence.check import Check, Verification
from asympt.numbers import to_mpf

POINTS, PIECES, DIGITS = 16, 4096, 40
SIMPLIFYING, SHOWING = 20.0, 2.0  # seconds
WIDTH = 90  # characters of a difference that is shown
SIGNS = {"<": (lt, "<"), "<=": (le, r"\le"), ">": (gt, ">"), ">=": (ge, r"\ge")}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
GOLDEN = Rational(61803398875, 10**11)


class StatedFormula(ABC):
    """A formula that can be shown and decided."""

    @property
    @abstractmethod
    def latex(self) -> str:
        """As a formula."""

    @property
    @abstractmethod
    def plain(self) -> str:
        """As text."""

    @abstractmethod
    def checks(self) -> tuple[Check, ...]:
        """What decides it."""

    def corrected(self) -> "StatedFormula | None":
        """The statement of this form that is true, where it can be told."""
        return None

    @abstractmethod
    def mutated(self) -> Iterator["StatedFormula"]:
        """Neighbours with one thing in the printed side changed."""

    def verify(self) -> Verification:
        """The decision; a refuted statement with the true one beside it."""
        found = Verification(self.plain, self.checks())
        right = self.corrected() if found.verdict == "refuted" else None
        return found if right is None else replace(found, corrected=Verification(right.plain, right.checks()))


def changes(formula: Expr) -> Iterator[Expr]:
    """The formula with its sign, a constant factor, one number in it, or one exponent changed.

    >>> from sympy import Symbol
    >>> [str(changed) for changed in changes(3 * Symbol("x") ** 2 / 8)]
    ['-3*x**2/8', '11*x**2/25', '3*x**3/8', '3*x**10/8']
    """
    seen = {formula}
    for changed in _changes(formula):
        if changed not in seen and not changed.has(oo, -oo):
            seen.add(changed)
            yield changed


def _changes(formula: Expr) -> Iterator[Expr]:
    if formula == 0:
        yield Rational(1, 7)
        return
    yield -formula
    yield formula * Rational(88, 75)
    powers = sorted((part for part in formula.atoms(Pow) if part.exp.is_Number), key=str)
    for power in powers[:2]:
        yield formula.xreplace({power: Pow(power.base, power.exp + 1)})
    for number in sorted((n for n in formula.atoms(Number) if n.is_Integer and abs(n) > 1), key=str)[:2]:
        yield formula.xreplace({number: number + 8})


# ---- identities -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Equality(StatedFormula):
    """left = right for all values of the symbols; `ranges`, where each is taken (text of a symbol: two numbers).

    Both sides are expressions, or matrices of one shape.  `true`: what stands on the right when it is put right, for a
    print that is known to be wrong; `name`: the left side in LaTeX, where it is computed and stands in no print; it is
    then what is true.
    """

    left: Expr | Matrix
    right: Expr | Matrix
    symbols: tuple[Symbol, ...] = ()
    ranges: dict[str, tuple[Expr, Expr]] = field(default_factory=dict)
    true: Expr | Matrix | None = None
    name: str = ""

    @property
    def latex(self) -> str:
        return f"{self.name or latex(self.left)}={latex(self.right)}"

    @property
    def plain(self) -> str:
        return f"{self.name or self.left} = {self.right}"

    def checks(self) -> tuple[Check, ...]:
        worst, where = self._worst()
        name = "largest |left - right| over |left| + |right|" + (f" at {POINTS} points" if where else "")
        digits = f"{DIGITS} digits; largest at {point_in_words(where)}" if where else f"{DIGITS} digits"
        numbers = Check.measured(name, worst, mpmath.mpf(10) ** (10 - DIGITS), digits)
        if not numbers.passed:
            return (*self._difference(), numbers)
        if not self._vanishes():
            return (numbers,)
        return (Check("left - right, simplified", 0, 0, True, "proved"), replace(numbers, strength="proved"))

    def _worst(self) -> tuple:
        worst, where = mpmath.mpf(0), {}
        with mp.workdps(DIGITS):
            for k in range(1, POINTS + 1):
                point = {s: place_of(s, k + 7 * i, self.ranges) for i, s in enumerate(self.symbols)}
                off = max(_apart(one.subs(point), two.subs(point)) for one, two in self._entries())
                if off >= worst:
                    worst, where = off, point
        return worst, where

    def _entries(self) -> list[tuple[Expr, Expr]]:
        """Both sides, entry by entry."""
        sides = [list(side) if isinstance(side, MatrixBase) else [side] for side in (self.left, self.right)]
        return list(zip(*sides, strict=True))

    def _vanishes(self) -> bool:
        try:
            with limited("simplifying the difference of the two sides", SIMPLIFYING):
                return all(simplify(one - two) == 0 for one, two in self._entries())
        except AsymptError:
            return False

    def _difference(self) -> tuple[Check, ...]:
        """By what exactly the sides differ, where that is soon found and short; of matrices, the first such entry."""
        one, two = next(((one, two) for one, two in self._entries() if one != two), (Integer(0), Integer(0)))
        try:
            with limited("simplifying the difference of the two sides", SHOWING):
                rest = factor_terms(simplify(one - two))
        except AsymptError:
            return ()
        if rest == 0 or rest.has(oo, zoo, nan) or len(str(rest)) > WIDTH:
            return ()
        return (Check("left - right, simplified", str(rest), 0, False, "proved"),)

    def corrected(self) -> "Equality | None":
        true = self.left if self.true is None and self.name else self.true
        return None if true is None else replace(self, right=true)

    def mutated(self) -> Iterator["Equality"]:
        if isinstance(self.right, MatrixBase):
            yield from self._entries_changed()
            return
        for side in changes(self.right):
            yield replace(self, right=side)

    def _entries_changed(self) -> Iterator["Equality"]:
        """Every change of the first entry that is not 0, and the first row and the last exchanged."""
        entries = list(self.right)
        place = next(k for k, entry in enumerate(entries) if entry != 0)
        for entry in changes(entries[place]):
            changed = [*entries[:place], entry, *entries[place + 1 :]]
            yield replace(self, right=type(self.right)(*self.right.shape, changed))
        rows = self.right.shape[0]
        if self.right.row(0) != self.right.row(rows - 1):
            yield replace(self, right=self.right.permute([[0, rows - 1]]))


def _apart(one: Expr, two: Expr):
    """The distance of two numbers over their sizes; infinite where one is not real."""
    one, two = (complex_of(side) for side in (one, two))
    if one.imag or two.imag or not (mpmath.isfinite(one) and mpmath.isfinite(two)):
        return mpmath.inf
    one, two = one.real, two.real
    return abs(one - two) / (abs(one) + abs(two)) if one != two else mpmath.mpf(0)


def point_in_words(where: dict[Symbol, Expr]) -> str:
    """The values of letters; a letter whose name is LaTeX in braces without them.

    >>> point_in_words({Symbol("{q^*}"): Integer(2)})
    'q^* = 2'
    """
    return ", ".join(f"{symbol.name.removeprefix('{').removesuffix('}')} = {value}" for symbol, value in where.items())


def complex_of(value: Expr):
    """An exact number, which may be complex, infinite or undefined, as a complex number of mpmath."""
    return mpmath.mpc(*(mpmath.mpmathify(part) for part in value.evalf(mp.dps).as_real_imag()))


def place_of(symbol: Symbol, index: int, ranges: dict[str, tuple[Expr, Expr]]) -> Expr:
    """A rational value of a symbol: inside its range, or what its assumptions allow."""
    share = (GOLDEN * index) % 1
    share = Rational(round(share * 997), 997)
    if symbol.name in ranges:
        low, high = ranges[symbol.name]
        return low + (high - low) * share if not symbol.is_integer else Integer(int(low) + index % int(high - low + 1))
    if symbol.is_integer:
        return Integer(index if symbol.is_positive else index - POINTS // 2)
    return 5 * share + Rational(1, 10) if symbol.is_positive else 6 * share - 3

# ---- solutions ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sequence(StatedFormula):
    """x_l = value for l = 1, 2, ...: the solution of x_(l+1) = step with x_1 = start; `name`, x_l in LaTeX.

    `step` is a formula in `before`, which is x_l, and in the layer.
    """

    name: str
    value: Expr
    layer: Symbol
    step: Expr
    before: Symbol
    start: Expr
    true: Expr | None = None

    @property
    def latex(self) -> str:
        return f"{self.name}={latex(self.value)}"

    @property
    def plain(self) -> str:
        return f"x_l = {self.value} solves x_(l+1) = {self.step}, x_1 = {self.start}"

    def parts(self) -> tuple[Equality, Equality]:
        """The first value, and one step, as identities."""
        letters = self.value.free_symbols | self.step.free_symbols | self.start.free_symbols
        symbols = sorted(letters - {self.layer, self.before}, key=str)
        first = Equality(self.value.subs(self.layer, 1), self.start, tuple(symbols))
        after, told = self.value.subs(self.layer, self.layer + 1), self.step.subs(self.before, self.value)
        return first, Equality(after, told, (*symbols, self.layer), {self.layer.name: (Integer(1), Integer(9))})

    def checks(self) -> tuple[Check, ...]:
        return tuple(check for part in self.parts() for check in part.checks())

    def corrected(self) -> "Sequence | None":
        return None if self.true is None else replace(self, value=self.true)

    def mutated(self) -> Iterator["Sequence"]:
        for value in changes(self.value):
            yield replace(self, value=value)


@dataclass(frozen=True)
class Evolution(StatedFormula):
    """Functions of time that solve d f_i/dt = slope_i with f_i(0) = start_i.

    `values`: formulas in `time` by the letters f_i, `true` where the printed ones are wrong; `slopes`: formulas in
    these letters; `names`, of f_i(t) in LaTeX; `ranges` as for equalities.
    """

    values: dict[Symbol, Expr]
    slopes: dict[Symbol, Expr]
    starts: dict[Symbol, Expr]
    time: Symbol
    names: dict[Symbol, str]
    true: dict[Symbol, Expr] | None = None
    ranges: dict[str, tuple[Expr, Expr]] = field(default_factory=dict)

    @property
    def latex(self) -> str:
        return r",\quad ".join(f"{self.names[letter]}={latex(value)}" for letter, value in self.values.items())

    @property
    def plain(self) -> str:
        told = ", ".join(f"{letter} = {value}" for letter, value in self.values.items())
        return f"{told} solves {', '.join(f'd{letter}/dt = {slope}' for letter, slope in self.slopes.items())}"

    def parts(self) -> Iterator[Equality]:
        """Every start and every equation as an identity."""
        for letter, value in self.values.items():
            slope = self.slopes[letter].subs(self.values)
            letters = value.free_symbols | slope.free_symbols | self.starts[letter].free_symbols
            symbols = sorted(letters | {self.time}, key=str)
            yield Equality(value.subs(self.time, 0), self.starts[letter], tuple(symbols), self.ranges)
            yield Equality(value.diff(self.time), slope, tuple(symbols), self.ranges)

    def checks(self) -> tuple[Check, ...]:
        return tuple(check for part in self.parts() for check in part.checks())

    def corrected(self) -> "Evolution | None":
        return None if self.true is None else replace(self, values=self.true)

    def mutated(self) -> Iterator["Evolution"]:
        for letter, value in self.values.items():
            for changed in changes(value):
                yield replace(self, values={**self.values, letter: changed})


# ---- inequalities ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Inequality(StatedFormula):
    """left `sign` right for a symbol in [low, high]; `name`: the left side in LaTeX, where it is computed."""

    left: Expr
    sign: str
    right: Expr
    symbol: Symbol
    low: Expr
    high: Expr
    name: str = ""

    @property
    def latex(self) -> str:
        inside = rf"{latex(self.low)}\le {latex(self.symbol)}\le {latex(self.high)}"
        return f"{self.name or latex(self.left)}{SIGNS[self.sign][1]} {latex(self.right)}\\quad({inside})"

    @property
    def plain(self) -> str:
        return f"{self.name or self.left} {self.sign} {self.right} for {self.symbol} from {self.low} to {self.high}"

    @property
    def gap(self) -> Expr:
        """What must be positive, or not negative."""
        return gap_of(self.left, self.sign, self.right)

    def checks(self) -> tuple[Check, ...]:
        least, where = self._least()
        passed = least > 0 if "=" not in self.sign else least >= -mpmath.mpf(10) ** (10 - DIGITS)
        name = f"smallest difference of the sides at {8 * POINTS + 1} points"
        bound = "> 0" if "=" not in self.sign else ">= 0"
        sample = Check(name, mpmath.nstr(least, 8), bound, bool(passed), "checked", f"at {self.symbol} = {where}")
        if not passed:
            return (sample,)
        pieces = self._proved()
        if pieces is None:
            return (sample,)
        title = "pieces of the interval on which balls prove it"
        return (Check(title, pieces, PIECES, True, "proved"), replace(sample, strength="proved"))

    def _least(self) -> tuple:
        count = 8 * POINTS
        places = [self.low + (self.high - self.low) * Rational(k, count) for k in range(count + 1)]
        with mp.workdps(DIGITS):
            values = {place: to_mpf(self.gap.subs(self.symbol, place)) for place in places}
        where = min(values, key=values.get)
        return values[where], where

    def _proved(self) -> int | None:
        """The number of pieces on which the difference is positive; None when the bisection does not end."""
        from flint import arb

        if self.gap.has(Float):
            return None
        try:
            program = program_of(self.gap, self.symbol)
            open_, done = [(self.low, self.high)], 0
            while open_:
                low, high = open_.pop()
                value = program.value(arb(_arb(low)).union(arb(_arb(high))))
                if value > 0:
                    done += 1
                    continue
                if done + len(open_) > PIECES or high - low < Rational(1, 10**6):
                    return None
                middle = (low + high) / 2
                open_ += [(low, middle), (middle, high)]
        except (Refused, AsymptError, ValueError):
            return None
        return done

    def mutated(self) -> Iterator["Inequality"]:
        yield replace(self, sign=OPPOSITE[self.sign])


def gap_of(left: Expr, sign: str, right: Expr) -> Expr:
    """What is positive, or not negative, where left `sign` right."""
    return right - left if sign.startswith("<") else left - right


def _arb(value: Expr):
    """A ball of a number."""
    from asympt.balls.expression import number

    return number(value)


# ---- limits ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Limit(StatedFormula):
    """expression -> value as the variable tends to `to`, from the right where it is finite; `name`: it in LaTeX."""

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
        return f"{self.name or self.expression} -> {self.value} as {self.variable} -> {self.to}"

    def checks(self) -> tuple[Check, ...]:
        with mp.workdps(3 * DIGITS):
            near, far = self._numbers()
            size = max(abs(to_mpf(self.value)), mpmath.mpf(1))
            off = abs(far - to_mpf(self.value)) / size
            moved = abs(near - far) / size
        detail = f"{mpmath.nstr(near, 12)} and then {mpmath.nstr(far, 12)}; the two differ by {mpmath.nstr(moved, 2)}"
        numbers = Check.measured("distance of the expression from the stated limit near the point", off,
                                 100 * moved + mpmath.mpf(10) ** (12 - DIGITS), detail)  # fmt: skip
        found = self._exactly()
        if found is None:
            return (numbers,)
        same = simplify(found - self.value) == 0
        rest = str(simplify(found - self.value))
        exact = Check("limit found by algebra minus the stated one", rest, 0, same, "proved")
        return (exact, replace(numbers, strength="proved"))

    def _numbers(self) -> tuple:
        """The expression at two places, the second much closer."""
        places = [10**12, 10**18] if not self.to.is_finite else [self.to + Rational(1, 10**k) for k in (12, 18)]
        return tuple(to_mpf(self.expression.subs(self.variable, place)) for place in places)

    def _exactly(self) -> Expr | None:
        try:
            with limited("the limit of the expression", SIMPLIFYING):
                found = sympy_limit(self.expression, self.variable, self.to, "+")
        except (AsymptError, NotImplementedError, ValueError):
            return None
        return found if found.is_finite and not found.has(self.variable) else None

    def corrected(self) -> "Limit | None":
        found = self._exactly()
        return None if found is None else replace(self, value=simplify(found))

    def mutated(self) -> Iterator["Limit"]:
        for value in changes(self.value):
            yield replace(self, value=value)


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
        with limited("the limit of a ratio", SIMPLIFYING):
            found = sympy_limit(simplify(self.expression / self.size), self.variable, self.to, "+")
        same = found.is_finite is True and found.is_zero is False
        return (Check("limit of the expression over the stated size", str(found), "finite, not 0", same, "proved"),)

    def mutated(self) -> Iterator["Size"]:
        for factor in (self.variable, 1 / self.variable, log(self.variable)):
            yield replace(self, size=self.size * factor)


@dataclass(frozen=True)
class Mistaken(StatedFormula):
    """A printed formula that is wrong, and what is true in its place, of whatever form."""

    printed: StatedFormula
    instead: StatedFormula

    @property
    def latex(self) -> str:
        return self.printed.latex

    @property
    def plain(self) -> str:
        return self.printed.plain

    def checks(self) -> tuple[Check, ...]:
        return self.printed.checks()

    def corrected(self) -> StatedFormula:
        return self.instead

    def mutated(self) -> Iterator[StatedFormula]:
        yield from self.instead.mutated()


# ---- printed numbers ------------------------------------------------------------------------------------


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
        """How many are printed."""
        return len(self.printed.partition(".")[2])

    def checks(self) -> tuple[Check, ...]:
        with mp.workdps(DIGITS):
            value = to_mpf(self.expression)
            off = abs(value - mpmath.mpf(self.printed))
            half = mpmath.mpf(10) ** -self.decimals / 2
        detail = f"the number is {mpmath.nstr(value, self.decimals + 12)}"
        return (Check.measured("distance from the printed number, half a unit of its last decimal", off, half, detail),)

    def corrected(self) -> "Agreement":
        with mp.workdps(DIGITS):
            units = int(mp.nint(to_mpf(self.expression) * mp.mpf(10) ** self.decimals))
        digits = str(abs(units)).zfill(self.decimals + 1)
        cut = len(digits) - self.decimals
        parts = [digits[:cut], digits[cut:]] if self.decimals else [digits]
        return replace(self, printed="-" * (units < 0) + ".".join(parts))

    def mutated(self) -> Iterator["Agreement"]:
        digit = self.printed[-1]
        yield replace(self, printed=self.printed[:-1] + str((int(digit) + 3) % 10))
        yield replace(self, printed=self.printed[1:] if self.printed.startswith("-") else f"-{self.printed}")
