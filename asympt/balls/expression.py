"""A formula as one program for balls, for power series at 0 and for circles, with a proof that it is analytic.

Problem.  A theorem about t' = F(t) needs numbers on the real line, Taylor coefficients at 0 and values on a circle
|t| = R, and it needs that all three belong to one function which is analytic in the disc.

Rule.  The tree of the formula becomes a list of instructions, run three times.  A node is kept as t^v h(t), v an
integer that is exact.  Going up from the leaves, a node is analytic near the closed disc (but for a pole at 0 where
v < 0) when its operands are and, on the circle alone,

    1/g, g^p, log g    Re (h/h(0)) > 0, h = g/t^v: Re h is harmonic, so it has no zero inside; p v must be an integer
    asin g             Re (1 - g^2) > 0;  atan g: Re (1 + g^2) > 0;  LambertW(g): Re (1 + e g) > 0
    gamma g, log gamma Re g > 0;          exp, sin, cos, erf, ...: entire
    Abs, Max, ...      refused

A zero of order j at the origin is known only where j leading coefficients are exact zeros (sin(0) is one in balls,
sqrt(2) - sqrt(2) is none): what algebra knows beyond is for the caller to say, by `Vanishing` inside a formula.

Tiny case.  sin(t)/t: v = 1 for sin t, so v = 0 for the quotient, and its series has an honest coefficient fewer.

Known limits.  Roots and logarithms are principal, so a node that turns by more than a right angle on the circle is
refused: take a smaller circle.  Functions without power series in Arb are refused by name.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from math import prod

import flint
import sympy
from flint import acb, arb, arb_series
from sympy import Expr, Symbol, pi

from asympt.balls.arithmetic import Refused, coefficients, exact_rational, whole_power
from asympt.parsing import as_sympy

LONGEST = 80  # characters of a node in an error
_A, _NOTHING = sympy.Dummy("a"), sympy.Dummy("nothing")
_CONSTANTS = {
    pi: arb.pi, sympy.E: lambda: arb(1).exp(), sympy.EulerGamma: arb.const_euler, sympy.Catalan: arb.const_catalan,
    sympy.GoldenRatio: lambda: (1 + arb(5).sqrt()) / 2,
}  # fmt: skip
_EXP = sympy.exp(_A), sympy.exp(-_A)
_REWRITTEN = {
    sympy.tan: sympy.sin(_A) / sympy.cos(_A), sympy.cot: sympy.cos(_A) / sympy.sin(_A),
    sympy.sec: 1 / sympy.cos(_A), sympy.csc: 1 / sympy.sin(_A), sympy.acos: pi / 2 - sympy.asin(_A),
    sympy.acot: sympy.atan(1 / _A),
    sympy.sinh: (_EXP[0] - _EXP[1]) / 2, sympy.cosh: (_EXP[0] + _EXP[1]) / 2,
    sympy.tanh: sympy.sinh(_A) / sympy.cosh(_A), sympy.coth: sympy.cosh(_A) / sympy.sinh(_A),
    sympy.sech: 1 / sympy.cosh(_A), sympy.csch: 1 / sympy.sinh(_A),
    sympy.asinh: sympy.log(_A + sympy.sqrt(1 + _A**2)), sympy.atanh: (sympy.log(1 + _A) - sympy.log(1 - _A)) / 2,
    sympy.sinc: sympy.sin(_A) / _A,
}  # fmt: skip


class Vanishing(sympy.Function):
    """Vanishing(g, k) is g, of which algebra knows that it is t^k times a function without a pole at t = 0.

    >>> t = Symbol("t")
    >>> Program(sympy.sqrt(Vanishing(2 - 2 * sympy.cos(t), 2)), t).germ(6).coefficients(2)[1]
    1.00000000000000
    """

    nargs = 2

    @classmethod
    def eval(cls, g: Expr, _: Expr) -> Expr | None:
        """0 of 0."""
        return g if g == 0 else None

    def fdiff(self, argindex: int = 1) -> Expr:
        """That of g."""
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
        """Of a power."""
        return self.node.exp

    @cached_property
    def rule(self) -> Rule:
        """Of a function."""
        return _RULES[self.node.func]


class Program:
    """A formula in one variable and in parameters that are given as balls.

    >>> t = Symbol("t")
    >>> program = Program(sympy.sin(t) / t, t)
    >>> program.value(arb(1)).overlaps(arb(1).sin())
    True
    """

    def __init__(self, formula: Expr, symbol: Symbol):
        self.formula, self.symbol = as_sympy(formula), symbol
        self.instructions: list[Instruction] = []
        self._places: dict[Expr, int] = {}
        self._place(self.formula)

    def __repr__(self) -> str:
        return f"Program({self.formula}, {self.symbol})"

    @property
    def parameters(self) -> set[Symbol]:
        """The symbols for which balls must be given."""
        return self.formula.free_symbols - {self.symbol}

    @cached_property
    def derivative(self) -> "Program":
        """The derivative, simplified: what cancels in it near a branch point must cancel before balls see it."""
        return program_of(sympy.simplify(self.formula.diff(self.symbol)), self.symbol)

    # ---- from the tree to the list -----------------------------------------------------------------

    def _place(self, node: Expr) -> int:
        if node not in self._places:
            instruction = self._instruction(node)
            self._places[node] = len(self.instructions)
            self.instructions.append(instruction)
        return self._places[node]

    def _instruction(self, node: Expr) -> Instruction:
        constant = self.symbol not in node.free_symbols
        if node.is_Rational or node.is_Float or node in _CONSTANTS:
            return Instruction("number", node, (), True)
        if node.is_Atom:  # a symbol, or a number that is known by a name only
            return Instruction("symbol", node, (), constant)
        if node.is_Add or node.is_Mul:
            parts = tuple(self._place(part) for part in node.args)
            return Instruction("sum" if node.is_Add else "product", node, parts, constant)
        if node.is_Pow:
            return self._power(node, constant)
        if node.func is sympy.asin and (at_end := node.args[0].subs(self.symbol, 0)) in (1, -1) and not constant:
            return self._alias(_asin_at_end(node.args[0], at_end), constant)
        if node.func is Vanishing:
            return Instruction("vanishing", node, (self._place(node.args[0]),), constant)
        if node.func in _REWRITTEN:
            return self._alias(_REWRITTEN[node.func].xreplace({_A: node.args[0]}), constant)
        if node.func is sympy.polygamma and node.args[0] == 0 and constant:
            return Instruction("function", node, (self._place(node.args[1]),), constant)
        if node.func not in _RULES or len(node.args) != 1:
            raise Refused(f"{node} has no rule in ball arithmetic: {node.func.__name__} cannot be certified")
        return Instruction("function", node, (self._place(node.args[0]),), constant)

    def _alias(self, node: Expr, constant: bool) -> Instruction:
        """The instruction of a node that is computed as another one."""
        return Instruction("sum", node, (self._place(node),), constant)

    def _power(self, node: Expr, constant: bool) -> Instruction:
        base, exponent = node.args
        if base is sympy.E:
            return Instruction("function", _exp(exponent), (self._place(exponent),), constant)
        if not exponent.is_Rational:
            return self._alias(_exp(exponent * sympy.log(base)), constant)
        return Instruction("power", node, (self._place(base),), constant)

    # ---- runs -----------------------------------------------------------------------------------------

    def run(self, domain: "Domain", parameters: Mapping[Symbol, arb]) -> list:
        """The values of all nodes, in the order of the instructions; constants are balls."""
        values: list = []
        for place, instruction in enumerate(self.instructions):
            if instruction.kind == "number":
                values.append(_number(instruction.node, flint.ctx.prec))
                continue
            run = _BALLS if instruction.constant else domain
            values.append(run.node(instruction, [values[k] for k in instruction.parts], parameters, place))
        return values

    def value(self, point: arb, parameters: Mapping[Symbol, arb] | None = None) -> arb:
        """The function at a ball of real numbers, all of which are taken to lie where it is defined."""
        return self._last(_Real(point), parameters)

    def slope(self, point: arb, parameters: Mapping[Symbol, arb] | None = None) -> arb:
        """Its derivative there; not finite where that cannot be bounded."""
        last = self._last(_Jet(point), parameters)
        if isinstance(last, arb):
            return arb(0)
        return coefficients(last, 2)[1] if last.prec >= 2 else arb.nan()

    def derivatives(self, point: arb, count: int, parameters: Mapping[Symbol, arb] | None = None) -> list[arb]:
        """The function and its derivatives below the order `count`; power series must be that long (`working`)."""
        factorials = accumulate(range(1, count), lambda a, b: a * b, initial=1)
        return [c * factor for c, factor in zip(self.taylor(point, count, parameters), factorials, strict=True)]

    def taylor(self, point: arb, count: int, parameters: Mapping[Symbol, arb] | None = None) -> list[arb]:
        """Its Taylor coefficients there, likewise."""
        if count == 1:
            return [self.value(point, parameters)]
        last = self._last(_Jet(point, count), parameters)
        return [last] + [arb(0)] * (count - 1) if isinstance(last, arb) else coefficients(last, count)

    def _last(self, domain: "Domain", parameters: Mapping[Symbol, arb] | None):
        return self.run(domain, parameters or {})[-1]

    def germ(self, length: int, parameters: Mapping[Symbol, arb] | None = None) -> "Germ":
        """Its power series at 0."""
        return Germ(self, length, parameters or {})


def _asin_at_end(argument: Expr, end: Expr) -> Expr:
    """asin next to 1 or -1, where it branches: s (pi/2 - 2 asin(sqrt((1 - s u)/2))) for u in [-1, 1], s = +-1."""
    return end * (pi / 2 - 2 * sympy.asin(sympy.sqrt((1 - end * argument) / 2)))


def _exp(argument: Expr) -> Expr:
    return sympy.exp(argument, evaluate=False)


# ---- domains --------------------------------------------------------------------------------------


class Domain:
    """What instructions compute with."""

    def node(self, instruction: Instruction, parts: Sequence, parameters: Mapping, place: int):
        """The value of one node from those of its operands."""
        kind = instruction.kind
        if kind == "symbol":
            return self.leaf(instruction, parameters)
        if kind == "sum":
            return self.total(parts)
        if kind == "product":
            return self.product(parts)
        return getattr(self, kind)(instruction, parts[0])

    def total(self, parts: Sequence):
        """The sum of the operands."""
        return sum(parts[1:], parts[0])

    def product(self, parts: Sequence):
        """The product of the operands."""
        return prod(parts[1:], start=parts[0])

    def vanishing(self, instruction: Instruction, value):
        """The value itself: only a power series is told more."""
        return value


class _Real(Domain):
    """Balls of real numbers.  Every point of a ball is taken to lie where the function is defined."""

    def __init__(self, point: arb | None = None):
        self.point = point

    def leaf(self, instruction: Instruction, parameters: Mapping) -> arb:
        if not instruction.constant:
            return self.point
        if instruction.node not in parameters:
            raise Refused(f"there is no enclosure of {instruction.node}")
        return parameters[instruction.node]

    def power(self, instruction: Instruction, base: arb) -> arb:
        exponent = instruction.exponent
        if exponent.is_Integer:
            return whole_power(base, int(exponent))
        base = base.nonnegative_part() if base.lower() <= 0 else base
        if exponent.q == 2:
            return base.sqrt() ** int(exponent.p)
        return base ** exact_rational(exponent)

    def function(self, instruction: Instruction, argument: arb) -> arb:
        name = instruction.rule.name
        if name == "asin" and not abs(argument) < 1:
            return _asin_end(argument.lower()).union(_asin_end(argument.upper()))
        if name == "log" and argument.lower() <= 0:
            return arb.nan()
        return getattr(argument, name)()


class _Jet(Domain):
    """Values and derivatives: power series of so many coefficients about a ball."""

    def __init__(self, point: arb, length: int = 2):
        self.point = arb_series([point, 1][:length], prec=length)

    def leaf(self, instruction: Instruction, parameters: Mapping) -> arb_series:
        return self.point

    def power(self, instruction: Instruction, base: arb_series) -> arb_series:
        exponent = instruction.exponent
        if exponent.is_Integer:
            return _whole_power(base, int(exponent))
        if not base[0] > 0:
            return _nowhere()
        return _root_power(base, exponent)

    def function(self, instruction: Instruction, argument: arb_series) -> arb_series:
        name, value = instruction.rule.name, argument[0]
        if (name == "asin" and not abs(value) < 1) or (name in ("log", "gamma", "lgamma") and not value > 0):
            return _nowhere()
        return getattr(argument, name)()


_BALLS = _Real()


def _asin_end(end: arb) -> arb:
    """asin of the nearest number in [-1, 1]."""
    if abs(end) < 1:
        return end.asin()
    return (arb.pi() / 2) * (1 if end > 0 else -1)


def _nowhere() -> arb_series:
    return arb_series([arb.nan(), arb.nan()], prec=2)


@lru_cache(maxsize=4096)
def _number(node: Expr, bits: int) -> arb:
    """A ball about a number; of the precision that is set, `bits`."""
    if node in _CONSTANTS:
        return _CONSTANTS[node]()
    return exact_rational(sympy.Rational(node) if node.is_Float else node)


def _whole_power(base: arb_series, exponent: int) -> arb_series:
    if exponent >= 0:
        return base**exponent
    return (1 / base) ** -exponent


def _root_power(base: arb_series, exponent) -> arb_series:
    if exponent.q == 2:
        return _whole_power(base.sqrt(), int(exponent.p))
    return (base.log() * exact_rational(exponent)).exp()


# ---- power series ---------------------------------------------------------------------------------


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
            raise Refused(f"{named(node)} is not bounded at the fixed point, so what is made of it is no power series")
        return shifted(self.series, self.order)

    @property
    def first(self) -> arb:
        """h(0)."""
        return self.series[0]


def named(node) -> str:
    """A node, or a map, in an error's sentence."""
    text = str(node)
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} ... {text[-LONGEST // 4 :]}"


def shifted(series: arb_series, by: int) -> arb_series:
    """t^by times a series, by >= 0."""
    return arb_series([arb(0)] * by + series.coeffs(), prec=series.prec + by) if by else series


class _LaurentSeries(Domain):
    """Laurent series at 0."""

    def __init__(self, length: int):
        self.length = length

    def leaf(self, instruction: Instruction, parameters: Mapping) -> LaurentBall:
        return LaurentBall(1, arb_series([1], prec=self.length))

    def _lifted(self, value) -> LaurentBall:
        return value if isinstance(value, LaurentBall) else LaurentBall.normal(0, arb_series([value], prec=self.length))

    def total(self, parts: Sequence) -> LaurentBall:
        parts = [self._lifted(part) for part in parts]
        order = min(part.order for part in parts)
        result = shifted(parts[0].series, parts[0].order - order)
        for part in parts[1:]:
            result = result + shifted(part.series, part.order - order)
        return LaurentBall.normal(order, result)

    def product(self, parts: Sequence) -> LaurentBall:
        parts = [self._lifted(part) for part in parts]
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
            return LaurentBall(base.order * int(exponent), _whole_power(base.series, int(exponent)))
        order = exponent * base.order
        if not order.is_Integer:
            raise Refused(f"{named(node)} is a branch at the fixed point, a broken power of the uniformiser")
        if not base.first > 0:
            raise Refused(f"{named(node.base)} is not seen to be positive at the fixed point, under a root")
        return LaurentBall(int(order), _root_power(base.series, exponent))

    def vanishing(self, instruction: Instruction, value: LaurentBall) -> LaurentBall:
        series, order = self._lifted(value).plain(instruction.node), int(instruction.node.args[1])
        known = series.coeffs()
        if not all(c.contains(0) for c in known[:order]):
            raise Refused(f"{named(instruction.node)} does not vanish at the fixed point to the order {order}")
        return LaurentBall.normal(order, arb_series(known[order:], prec=series.prec - order))

    def function(self, instruction: Instruction, argument: LaurentBall) -> LaurentBall:
        rule, series = instruction.rule, argument.plain(instruction.node.args[0])
        if rule.positive is not None and not rule.positive(acb(series[0])).real > 0:
            raise Refused(f"{named(instruction.node)} is not seen to be analytic at the fixed point")
        return LaurentBall.normal(0, getattr(series, rule.name)())


class Germ:
    """A program's power series at 0, node by node: what its values on a circle are checked against."""

    def __init__(self, program: Program, length: int, parameters: Mapping[Symbol, arb]):
        self.program, self.parameters, domain = program, parameters, _LaurentSeries(length)
        self.nodes = program.run(domain, parameters)
        self.last = domain._lifted(self.nodes[-1])

    def coefficients(self, count: int) -> list[arb]:
        """The Taylor coefficients of the formula; an error where fewer are known."""
        return coefficients(self.last.plain(self.program.formula), count, f"the series of {self.program.formula}")

    def on(self, arcs: Sequence[acb]) -> list[acb]:
        """Its values on arcs that cover a circle about 0 (or its upper half), proved analytic in the disc.

        Raises `Refused`, with the node's name, where that cannot be seen.
        """
        last = self.program.run(_Rim(arcs, self.nodes), self.parameters)[-1]
        return last if isinstance(last, list) else [acb(last)] * len(arcs)


# ---- circles --------------------------------------------------------------------------------------


@dataclass
class _Rim(Domain):
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
        return [super(_Rim, self).total(column) for column in zip(*map(self._lifted, parts), strict=True)]

    def product(self, parts: Sequence) -> list[acb]:
        return [super(_Rim, self).product(column) for column in zip(*map(self._lifted, parts), strict=True)]

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
            raise Refused(f"{named(instruction.node)} is not seen to be analytic in the disc")
        return [getattr(value, rule.name)() for value in argument]


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
def program_of(formula: Expr, symbol: Symbol) -> Program:
    """The program of a formula, made once."""
    return Program(formula, symbol)
