"""The tree of a formula as a list of instructions, each node once, its operands before it.

A function that Arb has no series for is rewritten by those that it has (tan by sin and cos, asinh by log), or refused
by name; a power with a broken exponent is exp of a logarithm; asin next to 1 or -1, where it branches, is asin of a
root.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import sympy
from flint import acb, arb
from sympy import Expr, Symbol, pi

from asympt.balls.arithmetic import Refused

_A = sympy.Dummy("a")
CONSTANTS = {
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
            return self._alias(_asin_at_end(node.args[0], at_end), constant)
        if node.func is Vanishing:
            return Instruction("vanishing", node, (self.place(node.args[0]),), constant)
        if node.func in _REWRITTEN:
            return self._alias(_REWRITTEN[node.func].xreplace({_A: node.args[0]}), constant)
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


def _asin_at_end(argument: Expr, end: Expr) -> Expr:
    """asin next to 1 or -1, where it branches: s (pi/2 - 2 asin(sqrt((1 - s u)/2))) for u in [-1, 1], s = +-1."""
    return end * (pi / 2 - 2 * sympy.asin(sympy.sqrt((1 - end * argument) / 2)))


def _exp(argument: Expr) -> Expr:
    return sympy.exp(argument, evaluate=False)
