"""A formula as one program for balls, for power series at 0 and for circles, with a proof that it is analytic.

A node is kept as t^v h(t), v an exact integer.  It is analytic near the closed disc (but for a pole at 0 where v < 0)
when its operands are and, on the circle alone,

    1/g, g^p, log g    Re (h/h(0)) > 0, h = g/t^v: Re h is harmonic, so it has no zero inside; p v must be an integer
    asin g             Re (1 - g^2) > 0;  atan g: Re (1 + g^2) > 0;  LambertW(g): Re (1 + e g) > 0
    gamma g, log gamma Re g > 0;          exp, sin, cos, erf, ...: entire;          Abs, Max, ...: refused

A zero of order j at the origin is known only where j leading coefficients are exact zeros; what algebra knows beyond is
for the caller to say, by `Vanishing`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from math import prod

import flint
import sympy
from flint import acb, arb, arb_series
from sympy import Expr, I, Symbol, pi

from asympt.balls.arithmetic import Refused, coefficients, exact_rational, whole_power
from asympt.parsing import as_sympy

# ---- a list of instructions, each node once, its operands before it, and the domains it is computed in ----
#
# A function that Arb has no series for is rewritten by those that it has (tan by sin and cos, asinh by log), or refused
# by name.  A domain (real balls, Taylor series, Laurent series at 0, arcs of a circle) has a value for the variable and
# the rules of sums, products, powers and functions.  On the reals a node has a value where SymPy's principal value is
# real, and elsewhere none, so what is proved is proved of the function as it was written: (-8)^(1/3) is refused there.


A = sympy.Dummy("a")  # the operand
CONSTANTS = {
    pi: arb.pi, sympy.E: lambda: arb(1).exp(), sympy.EulerGamma: arb.const_euler, sympy.Catalan: arb.const_catalan,
    sympy.GoldenRatio: lambda: (1 + arb(5).sqrt()) / 2,
}  # fmt: skip
_EXP = sympy.exp(A), sympy.exp(-A)
REWRITTEN = {
    sympy.tan: sympy.sin(A) / sympy.cos(A), sympy.cot: sympy.cos(A) / sympy.sin(A),
    sympy.sec: 1 / sympy.cos(A), sympy.csc: 1 / sympy.sin(A), sympy.acos: pi / 2 - sympy.asin(A),
    sympy.acot: sympy.atan(1 / A),
    sympy.sinh: (_EXP[0] - _EXP[1]) / 2, sympy.cosh: (_EXP[0] + _EXP[1]) / 2,
    sympy.tanh: sympy.sinh(A) / sympy.cosh(A), sympy.coth: sympy.cosh(A) / sympy.sinh(A),
    sympy.sech: 1 / sympy.cosh(A), sympy.csch: 1 / sympy.sinh(A),
    sympy.asinh: sympy.log(A + sympy.sqrt(1 + A**2)), sympy.atanh: (sympy.log(1 + A) - sympy.log(1 - A)) / 2,
    sympy.sinc: sympy.sin(A) / A,
}  # fmt: skip


class Vanishing(sympy.Function):
    """Vanishing(g, k) is g, of which algebra knows that it is t^k times a function without a pole at t = 0.

    >>> from asympt.balls.expression import Program
    >>> t = sympy.Symbol("t")
    >>> Program(sympy.sqrt(Vanishing(2 - 2 * sympy.cos(t), 2)), t).germ(6).coefficients(2)[1]
    1.00000000000000
    """

    nargs = 2

    @classmethod
    def eval(cls, g: Expr, _: Expr) -> Expr | None:
        """0 of 0."""
        return g if g == 0 else None

    def fdiff(self, argindex: int = 1) -> Expr:
        return sympy.S.One

    def _sympystr(self, printer) -> str:
        return f"({printer.doprint(self.args[0])})"

    def _latex(self, printer) -> str:
        return rf"\left({printer.doprint(self.args[0])}\right)"


@dataclass(frozen=True)
class Rule:
    """A function of one argument: its name in Arb, and of what the real part must be positive on the circle."""

    name: str
    positive: Callable | None = None


_ENTIRE = {
    sympy.exp: "exp", sympy.sin: "sin", sympy.cos: "cos", sympy.erf: "erf", sympy.erfc: "erfc", sympy.erfi: "erfi",
    sympy.Si: "si", sympy.Shi: "shi", sympy.airyai: "airy_ai", sympy.airybi: "airy_bi",
}  # fmt: skip
_RULES = {function: Rule(name) for function, name in _ENTIRE.items()} | {
    sympy.log: Rule("log", lambda g: g),
    sympy.asin: Rule("asin", lambda g: 1 - g * g),
    sympy.atan: Rule("atan", lambda g: 1 + g * g),
    sympy.gamma: Rule("gamma", lambda g: g),
    sympy.loggamma: Rule("lgamma", lambda g: g),
    sympy.polygamma: Rule("digamma", lambda g: g),  # of order 0, of a number
    sympy.li: Rule("li", lambda g: g - 1), sympy.Ei: Rule("ei", lambda g: g),
    sympy.LambertW: Rule("lambertw", lambda g: 1 + g * acb(1).exp()),
}


@dataclass(frozen=True)
class Instruction:
    """One node: `kind` 'symbol', 'number', 'sum', 'product', 'power' or 'function'; `parts`: places of its operands."""

    kind: str
    node: Expr
    parts: tuple[int, ...] = ()
    constant: bool = False

    @cached_property
    def exponent(self):
        return self.node.exp

    @cached_property
    def rule(self) -> Rule:
        return _RULES[self.node.func]


class Listing:
    """The instructions `found` for a formula in one variable."""

    def __init__(self, formula: Expr, symbol: Symbol):
        self.symbol = symbol
        self.found: list[Instruction] = []
        self._places: dict[Expr, int] = {}
        self.place(formula)

    def place(self, node: Expr) -> int:
        """Where a node stands, with all that it needs before it."""
        if node not in self._places:
            instruction = self._instruction(node)
            self._places[node] = len(self.found)
            self.found.append(instruction)
        return self._places[node]

    def _instruction(self, node: Expr) -> Instruction:
        constant = self.symbol not in node.free_symbols
        if node.is_Rational or node.is_Float or node in CONSTANTS:
            return Instruction("number", node, (), True)
        if node.is_Atom:  # a symbol, or a number that is known by a name only
            return Instruction("symbol", node, (), constant)
        if node.is_Add or node.is_Mul:
            parts = tuple(self.place(part) for part in node.args)
            return Instruction("sum" if node.is_Add else "product", node, parts, constant)
        if node.is_Pow:
            return self._power(node, constant)
        if node.func is sympy.asin and (at_end := node.args[0].subs(self.symbol, 0)) in (1, -1) and not constant:
            angle = sympy.asin(sympy.sqrt((1 - at_end * node.args[0]) / 2))  # asin branches at 1 and -1
            return self._alias(at_end * (pi / 2 - 2 * angle), constant)
        if node.func is Vanishing:
            return Instruction("vanishing", node, (self.place(node.args[0]),), constant)
        if node.func in REWRITTEN:
            return self._alias(REWRITTEN[node.func].xreplace({A: node.args[0]}), constant)
        if node.func is sympy.polygamma and node.args[0] == 0 and constant:
            return Instruction("function", node, (self.place(node.args[1]),), constant)
        if node.func not in _RULES or len(node.args) != 1:
            raise Refused(f"{node} has no rule in ball arithmetic: {node.func.__name__} cannot be certified")
        return Instruction("function", node, (self.place(node.args[0]),), constant)

    def _alias(self, node: Expr, constant: bool) -> Instruction:
        """The instruction of a node that is computed as another one."""
        return Instruction("sum", node, (self.place(node),), constant)

    def _power(self, node: Expr, constant: bool) -> Instruction:
        base, exponent = node.args
        if base is sympy.E:
            return Instruction("function", _exp(exponent), (self.place(exponent),), constant)
        if not exponent.is_Rational:
            return self._alias(_exp(exponent * sympy.log(base)), constant)
        return Instruction("power", node, (self.place(base),), constant)


def _exp(argument: Expr) -> Expr:
    return sympy.exp(argument, evaluate=False)


LONGEST = 80  # characters of a node in an error


class Domain:
    """What instructions compute with."""

    def node(self, instruction: Instruction, parts: Sequence, parameters: Mapping, place: int):
        """The value of one node from those of its operands."""
        kind = instruction.kind
        if kind == "symbol":
            return self.leaf(instruction, parameters)
        if kind == "number":
            return _number(instruction.node, flint.ctx.prec)
        if kind == "sum":
            return self.total(parts)
        if kind == "product":
            return self.product(parts)
        return getattr(self, kind)(instruction, parts[0])

    def total(self, parts: Sequence):
        return sum(parts[1:], parts[0])

    def product(self, parts: Sequence):
        return prod(parts[1:], start=parts[0])

    def vanishing(self, instruction: Instruction, value):
        """The value itself: only a power series is told more."""
        return value


class Outside(Refused):
    """A point, or a part of a ball, where a function as it is written has no real value.

    certain: every point of the ball is such a one, so smaller balls are of no help.
    """

    def __init__(self, message: str, certain: bool = False):
        super().__init__(message)
        self.certain = certain


class RealBalls(Domain):
    """Balls of real numbers; a ball that cannot be shown to lie where the function is real is refused (`Outside`).

    within: it is known that the points lie there (the correlations of a network in [-1, 1]), so the arguments of
    roots and of asin are cut.
    """

    def __init__(self, point: arb | None = None, within: bool = False):
        self.point, self.within = point, within

    def leaf(self, instruction: Instruction, parameters: Mapping) -> arb:
        if not instruction.constant:
            return self.point
        if instruction.node is I:
            raise Outside("its value is not real", certain=True)
        if instruction.node not in parameters:
            raise Refused(f"there is no enclosure of {instruction.node}")
        return parameters[instruction.node]

    def power(self, instruction: Instruction, base: arb) -> arb:
        exponent = instruction.exponent
        if exponent.is_Integer:
            return whole_power(base, int(exponent))
        if not (base >= 0 or base.is_nan()):
            base = self._cut(instruction, base, base.nonnegative_part() if base.upper() >= 0 else None)
        if exponent.q == 2:
            return base.sqrt() ** int(exponent.p)
        return base ** exact_rational(exponent)

    def function(self, instruction: Instruction, argument: arb) -> arb:
        name = instruction.rule.name
        if argument.is_nan():
            return argument
        if name == "asin" and not abs(argument) <= 1:
            argument = self._cut(instruction, argument, _unit_part(argument))
        if name in ("log", "lgamma") and not argument > 0:
            return self._cut(instruction, argument, arb.nan() if argument.upper() > 0 else None)
        if name == "asin":
            return _asin_end(argument.lower()).union(_asin_end(argument.upper()))
        found = getattr(argument, name)()
        if argument.is_finite() and found.is_nan():
            self._refuse(instruction, argument, certain=argument.is_exact())
        return found

    def _cut(self, instruction: Instruction, argument: arb, inside: arb | None) -> arb:
        """The part of an argument where the function is real, if it may be taken; None: there is no such part."""
        if inside is None or not (self.within or _is_known(instruction)):
            self._refuse(instruction, argument, certain=inside is None)
        return inside

    def _refuse(self, instruction: Instruction, argument: arb, certain: bool):
        where = f"where {named(instruction.node.args[0])} = {shown(argument)}"
        text = f"{named(instruction.node)} {'has no' if certain else 'may have no'} real value {where}"
        raise Outside(text + _hint(instruction), certain)


def shown(ball: arb) -> str:
    """A ball in an error's sentence: by its first digits where it has some, else by its ends."""
    if not ball.is_finite() or ball.rel_accuracy_bits() > 20:
        return ball.str(5, radius=False)
    return f"[{ball.lower().str(5, radius=False)}, {ball.upper().str(5, radius=False)}]"


def _is_known(instruction: Instruction) -> bool:
    """Whether a root's argument is a number of which algebra knows that it is not negative."""
    node = instruction.node
    return instruction.constant and node.is_Pow and bool(node.base.is_nonnegative)


def _hint(instruction: Instruction) -> str:
    if instruction.kind == "power" and instruction.exponent.q % 2:
        return " (a power x^(p/q) is the principal one; the odd root of a negative x is -(-x)^(1/q))"
    return ""


def _unit_part(argument: arb) -> arb | None:
    """What of a ball lies in [-1, 1]."""
    low, high = argument.lower().max(arb(-1)), argument.upper().min(arb(1))
    return low.union(high) if low <= high else None


class Jets(Domain):
    """Values and derivatives: power series of so many coefficients about a ball."""

    def __init__(self, point: arb, length: int = 2):
        self.point = arb_series([point, 1][:length], prec=length)

    def leaf(self, instruction: Instruction, parameters: Mapping) -> arb_series:
        return self.point

    def power(self, instruction: Instruction, base: arb_series) -> arb_series:
        exponent = instruction.exponent
        if exponent.is_Integer:
            return series_power(base, int(exponent))
        if not base[0] > 0:
            return _nowhere()
        return root_power(base, exponent)

    def function(self, instruction: Instruction, argument: arb_series) -> arb_series:
        name, value = instruction.rule.name, argument[0]
        if (name == "asin" and not abs(value) < 1) or (name in ("log", "gamma", "lgamma") and not value > 0):
            return _nowhere()
        return getattr(argument, name)()


def _asin_end(end: arb) -> arb:
    """asin of the nearest number in [-1, 1]."""
    if abs(end) < 1:
        return end.asin()
    return (arb.pi() / 2) * (1 if end > 0 else -1)


def _nowhere() -> arb_series:
    return arb_series([arb.nan(), arb.nan()], prec=2)


def series_power(base: arb_series, exponent: int) -> arb_series:
    if exponent >= 0:
        return base**exponent
    return base.inv() ** -exponent  # which is NaN where 1/base is an error, at a ball about 0


def root_power(base: arb_series, exponent) -> arb_series:
    if exponent.q == 2:
        return series_power(base.sqrt(), int(exponent.p))
    return (base.log() * exact_rational(exponent)).exp()


@dataclass(frozen=True, eq=False)
class LaurentBall:
    """t^order h(t): the order is exact (a lower bound where h(0) is a ball about 0 or exactly 0 to all orders)."""

    order: int
    series: arb_series

    @classmethod
    def normal(cls, order: int, series: arb_series) -> "LaurentBall":
        """With leading coefficients that are exactly 0 taken out."""
        known = series.coeffs()
        zeros = next((k for k, c in enumerate(known) if not c.is_zero()), 0)
        return cls(order + zeros, arb_series(known[zeros:], prec=series.prec - zeros)) if zeros else cls(order, series)

    def plain(self, node: Expr) -> arb_series:
        """The power series; an error for a pole."""
        if self.order < 0:
            raise Refused(f"{named(node)} is not bounded at the fixed point, so the formula has no power series")
        return shifted(self.series, self.order)

    @property
    def first(self) -> arb:
        """h(0)."""
        return self.series[0]


def shifted(series: arb_series, by: int) -> arb_series:
    return arb_series([arb(0)] * by + series.coeffs(), prec=series.prec + by) if by else series


class LaurentSeries(Domain):
    """Laurent series at 0."""

    def __init__(self, length: int):
        self.length = length

    def leaf(self, instruction: Instruction, parameters: Mapping) -> LaurentBall:
        return LaurentBall(1, arb_series([1], prec=self.length))

    def lifted(self, value) -> LaurentBall:
        """A constant as a series too."""
        return value if isinstance(value, LaurentBall) else LaurentBall.normal(0, arb_series([value], prec=self.length))

    def total(self, parts: Sequence) -> LaurentBall:
        parts = [self.lifted(part) for part in parts]
        order = min(part.order for part in parts)
        result = shifted(parts[0].series, parts[0].order - order)
        for part in parts[1:]:
            result = result + shifted(part.series, part.order - order)
        return LaurentBall.normal(order, result)

    def product(self, parts: Sequence) -> LaurentBall:
        parts = [self.lifted(part) for part in parts]
        series = parts[0].series
        for part in parts[1:]:
            series = series * part.series
        return LaurentBall(sum(part.order for part in parts), series)

    def power(self, instruction: Instruction, base: LaurentBall) -> LaurentBall:
        exponent, node = instruction.exponent, instruction.node
        if exponent.is_Integer and exponent >= 0:
            return LaurentBall(base.order * int(exponent), base.series ** int(exponent))
        if exponent.is_Integer:
            if base.first.contains(0):
                raise Refused(f"{named(node.base)} may vanish at the fixed point beyond what is known exactly")
            return LaurentBall(base.order * int(exponent), series_power(base.series, int(exponent)))
        order = exponent * base.order
        if not order.is_Integer:
            raise Refused(f"{named(node)} is a branch at the fixed point, a broken power of the uniformiser")
        if not base.first > 0:
            raise Refused(f"{named(node.base)} cannot be shown to be positive at the fixed point, under a root")
        return LaurentBall(int(order), root_power(base.series, exponent))

    def vanishing(self, instruction: Instruction, value: LaurentBall) -> LaurentBall:
        series, order = self.lifted(value).plain(instruction.node), int(instruction.node.args[1])
        known = series.coeffs()
        if not all(c.contains(0) for c in known[:order]):
            raise Refused(f"{named(instruction.node)} does not vanish at the fixed point to the order {order}")
        return LaurentBall.normal(order, arb_series(known[order:], prec=series.prec - order))

    def function(self, instruction: Instruction, argument: LaurentBall) -> LaurentBall:
        rule, series = instruction.rule, argument.plain(instruction.node.args[0])
        if rule.positive is not None and not rule.positive(acb(series[0])).real > 0:
            raise Refused(f"{named(instruction.node)} cannot be shown to be analytic at the fixed point")
        return LaurentBall.normal(0, getattr(series, rule.name)())


def named(node) -> str:
    """A node, or a map, in an error's sentence."""
    text = str(node)
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} ... {text[-LONGEST // 4 :]}"


@dataclass
class Rim(Domain):
    """Values on the arcs of a circle; `nodes`: the series of all nodes, with their orders at 0."""

    arcs: Sequence[acb]
    nodes: Sequence

    def node(self, instruction: Instruction, parts: Sequence, parameters: Mapping, place: int):
        self._operands = instruction.parts
        return super().node(instruction, parts, parameters, place)

    def leaf(self, instruction: Instruction, parameters: Mapping) -> list[acb]:
        return list(self.arcs)

    def _lifted(self, value) -> list:
        return value if isinstance(value, list) else [value] * len(self.arcs)

    def total(self, parts: Sequence) -> list[acb]:
        return [super(Rim, self).total(column) for column in zip(*map(self._lifted, parts), strict=True)]

    def product(self, parts: Sequence) -> list[acb]:
        return [super(Rim, self).product(column) for column in zip(*map(self._lifted, parts), strict=True)]

    def power(self, instruction: Instruction, base: list[acb]) -> list[acb]:
        exponent, node = instruction.exponent, instruction.node
        if exponent.is_Integer and exponent >= 0:
            return [value ** int(exponent) for value in base]
        found = self.nodes[self._operands[0]]
        order, sign = found.order, 1 if found.first > 0 else -1
        rest = [value / arc**order for value, arc in zip(base, self.arcs, strict=True)] if order else base
        if not all((value * sign).real > 0 for value in rest):
            raise Refused(f"{named(node.base)} may have a zero in the disc, so a root or an inverse is not analytic")
        if exponent.is_Integer:
            return [value ** int(exponent) for value in base]
        power, outer = exact_rational(exponent), int(exponent * order)
        return [arc**outer * (value.log() * power).exp() for value, arc in zip(rest, self.arcs, strict=True)]

    def function(self, instruction: Instruction, argument: list[acb]) -> list[acb]:
        rule = instruction.rule
        if rule.positive is not None and not all(rule.positive(value).real > 0 for value in argument):
            raise Refused(f"{named(instruction.node)} cannot be shown to be analytic in the disc")
        return [getattr(value, rule.name)() for value in argument]


# ---- programs ----------------------------------------------------------------------------------------


_NOTHING = sympy.Dummy("nothing")
_BALLS = RealBalls()


class Program:
    """A formula in one variable and in parameters that are given as balls.

    within: it is known that the variable stays where the formula is real (`RealBalls`).

    >>> t = Symbol("t")
    >>> program = Program(sympy.sin(t) / t, t)
    >>> program.value(arb(1)).overlaps(arb(1).sin())
    True
    """

    def __init__(self, formula: Expr, symbol: Symbol, within: bool = False):
        self.formula, self.symbol, self.within = as_sympy(formula), symbol, within
        self.instructions = Listing(self.formula, symbol).found
        self._known: dict[int, tuple[list, list]] = {}

    def __repr__(self) -> str:
        return f"Program({self.formula}, {self.symbol})"

    @property
    def parameters(self) -> set[Symbol]:
        return self.formula.free_symbols - {self.symbol}

    def run(self, domain: "Domain", parameters: Mapping[Symbol, arb]) -> list:
        """The values of all nodes, in the order of the instructions; constants are balls."""
        values = self._constants(parameters).copy()
        for place, instruction in self._moving:
            values[place] = domain.node(instruction, [values[k] for k in instruction.parts], parameters, place)
        return values

    @cached_property
    def _moving(self) -> list[tuple[int, Instruction]]:
        """The nodes with the variable, with their places."""
        return [(place, node) for place, node in enumerate(self.instructions) if not node.constant]

    def _constants(self, parameters: Mapping[Symbol, arb]) -> list:
        """The values of the nodes without the variable, None for the others; kept for the same balls."""
        bits, balls = flint.ctx.prec, [parameters.get(symbol) for symbol in self._symbols]
        known, values = self._known.get(bits, ((), None))
        if values is None or any(one is not two for one, two in zip(known, balls, strict=True)):
            values = []
            for place, instruction in enumerate(self.instructions):
                parts = [values[k] for k in instruction.parts]
                values.append(_BALLS.node(instruction, parts, parameters, place) if instruction.constant else None)
            self._known[bits] = balls, values
        return values

    @cached_property
    def _symbols(self) -> list[Symbol]:
        return [node.node for node in self.instructions if node.kind == "symbol" and node.constant]

    def value(self, point: arb, parameters: Mapping[Symbol, arb] | None = None) -> arb:
        """The function at a ball of real numbers; `Outside` where it cannot be shown to be real on all of the ball."""
        return self._last(RealBalls(point, self.within), parameters)

    def slope(self, point: arb, parameters: Mapping[Symbol, arb] | None = None) -> arb:
        """Its derivative there; not finite where it cannot be bounded, or the function cannot be shown to be real."""
        last = self._last(Jets(point), parameters)
        if isinstance(last, arb):
            return arb(0)
        value, slope = coefficients(last, 2) if last.prec >= 2 else (arb.nan(), arb.nan())
        return slope if value.is_finite() else arb.nan()

    def derivatives(self, point: arb, count: int, parameters: Mapping[Symbol, arb] | None = None) -> list[arb]:
        """The function and its derivatives below the order `count`; power series must be that long (`working`)."""
        factorials = accumulate(range(1, count), lambda a, b: a * b, initial=1)
        return [c * factor for c, factor in zip(self.taylor(point, count, parameters), factorials, strict=True)]

    def taylor(self, point: arb, count: int, parameters: Mapping[Symbol, arb] | None = None) -> list[arb]:
        """Its Taylor coefficients there, likewise."""
        if count == 1:
            return [self.value(point, parameters)]
        last = self._last(Jets(point, count), parameters)
        return [last] + [arb(0)] * (count - 1) if isinstance(last, arb) else coefficients(last, count)

    def _last(self, domain: "Domain", parameters: Mapping[Symbol, arb] | None):
        return self.run(domain, parameters or {})[-1]

    def germ(self, length: int, parameters: Mapping[Symbol, arb] | None = None) -> "Germ":
        """Its power series at 0."""
        return Germ(self, length, parameters or {})


@lru_cache(maxsize=4096)
def _number(node: Expr, bits: int) -> arb:
    """A ball about a number; of the precision that is set, `bits`."""
    if node in CONSTANTS:
        return CONSTANTS[node]()
    return exact_rational(sympy.Rational(node) if node.is_Float else node)


class Germ:
    """A program's power series at 0, node by node: what its values on a circle are checked against."""

    def __init__(self, program: Program, length: int, parameters: Mapping[Symbol, arb]):
        self.program, self.parameters, domain = program, parameters, LaurentSeries(length)
        self.nodes = program.run(domain, parameters)
        self.last = domain.lifted(self.nodes[-1])

    def coefficients(self, count: int) -> list[arb]:
        """The Taylor coefficients of the formula; an error where fewer are known."""
        return coefficients(self.last.plain(self.program.formula), count, f"the series of {self.program.formula}")

    @property
    def is_one_sided(self) -> bool:
        """Whether it is the function for t > 0 only: the root of t^2 h is t sqrt(h) there and -t sqrt(h) beyond 0."""
        powers = (i for i in self.program.instructions if i.kind == "power" and not i.exponent.is_Integer)
        return any(isinstance(base := self.nodes[i.parts[0]], LaurentBall) and base.order != 0 for i in powers)

    def on(self, arcs: Sequence[acb]) -> list[acb]:
        """Its values on arcs that cover a circle about 0 (or its upper half), proved analytic in the disc.

        Raises `Refused`, with the node's name, where that cannot be seen.
        """
        last = self.program.run(Rim(arcs, self.nodes), self.parameters)[-1]
        return last if isinstance(last, list) else [acb(last)] * len(arcs)


def half_circle(radius: arb, count: int) -> list[acb]:
    """`count` balls that cover the upper half of |t| = radius.

    A function that is real on the real line has conjugate values on the lower half.
    """
    arcs = []
    for k in range(count):
        angle = (arb(k) / count).union(arb(k + 1) / count)
        arcs.append(acb(angle.cos_pi(), angle.sin_pi()) * radius)
    return arcs


def number(expression: Expr, parameters: Mapping[Symbol, arb] | None = None) -> arb:
    """A ball for an expression without a variable."""
    return program_of(as_sympy(expression), _NOTHING).value(arb(0), parameters)


@lru_cache(maxsize=256)
def program_of(formula: Expr, symbol: Symbol, within: bool = False) -> Program:
    """The program of a formula, made once."""
    return Program(formula, symbol, within)
