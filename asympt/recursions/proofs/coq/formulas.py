"""Formulas of proof objects for Coq: as text, as an `ex` of `Finite.v`, and as a rational function for derivatives.

In a rational function each node that is none itself stands as a symbol, an *atom*, whose name is its text in Coq:
t exp(-t) is x*E with E = "(exp (- x))" and E' = -E.  So every derivative is a rational function of the same atoms, and
Coq's `field` needs no identity between functions to see that it is the derivative.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from operator import add, mul, sub, truediv

from sympy import Expr, Integer, Rational, Symbol, cancel, factor, fraction, together

from asympt.errors import UnsupportedError

X = Symbol("x")
BINARY = {"add": ("+", "Add", add), "sub": ("-", "Sub", sub), "mul": ("*", "Mul", mul), "div": ("/", "Div", truediv)}
COQ = {"sin": "sin", "cos": "cos", "exp": "exp", "log": "ln", "atan": "atan", "sqrt": "sqrt"}
AT = {"sin": (0, 0), "cos": (0, 1), "exp": (0, 1), "log": (1, 0), "atan": (0, 0), "sqrt": (1, 1)}  # argument, value
PI = Symbol("PI")
BY_OTHERS = {
    "asin": lambda u: ["atan", ["div", u, ["sqrt", ["sub", ["q", "1"], ["pow", u, 2]]]]],
    "sinh": lambda u: ["div", ["sub", ["exp", u], ["exp", ["neg", u]]], ["q", "2"]],
    "cosh": lambda u: ["div", ["add", ["exp", u], ["exp", ["neg", u]]], ["q", "2"]],
    "tanh": lambda u: ["sub", ["q", "1"], ["div", ["q", "2"], ["add", ["exp", ["mul", ["q", "2"], u]], ["q", "1"]]]],
}


@dataclass(frozen=True)
class CoqText:
    """One node: its text in Coq, its `ex`, and the rational function of x and the atoms."""

    coq: str
    ex: str
    value: Expr


@dataclass(frozen=True)
class Atom:
    """A node that is no rational function: sin(u), ..; `slope`: its derivative over that of u."""

    symbol: Symbol
    function: str
    argument: Expr
    slope: Expr


class Formula:
    """A formula of a proof object (`asympt.kernel.formulas`).

    Raises `UnsupportedError` for a node about which the Coq files prove nothing.

    >>> f = Formula(["log", ["add", ["q", "1"], "t"]])
    >>> f.coq, f.ex, f.derivatives(1)[1], f.at_zero(f.value)
    ('ln (1 + x)', '(Ln (Add (Cst 1) X))', 1/(x + 1), 0)
    """

    def __init__(self, tree):
        self.atoms: dict[Symbol, Atom] = {}
        root = self._read(tree)
        self.coq, self.ex, self.value = root.coq.removeprefix("(").removesuffix(")"), root.ex, root.value
        self._derivatives = [root.value]

    def _read(self, node) -> CoqText:
        if node == "t":
            return CoqText("x", "X", X)
        name, *rest = node
        if name == "q":
            return CoqText(rational(rest[0]), constant(rest[0]), Rational(rest[0]))
        if name == "pi":
            return CoqText("PI", "Pi", PI)
        if name in BINARY:
            (sign, word, of), (a, b) = BINARY[name], map(self._read, rest)
            return CoqText(f"({a.coq} {sign} {b.coq})", f"({word} {a.ex} {b.ex})", of(a.value, b.value))
        if name in COQ:
            return self._atom(name, self._read(rest[0]))
        if name == "pow":
            of = self._read(rest[0])
            return CoqText(f"({of.coq} ^ {rest[1]})", f"(Pow {of.ex} {rest[1]})", of.value ** rest[1])
        if name == "neg":
            of = self._read(rest[0])
            return CoqText(f"(- {of.coq})", f"(Neg {of.ex})", -of.value)
        if name in BY_OTHERS:
            return self._read(BY_OTHERS[name](rest[0]))
        covered = ", ".join([*COQ, *BY_OTHERS])
        raise UnsupportedError(f"no Coq proof of a map with {name}; only of +, -, *, / and {covered}")

    def _atom(self, name: str, of: CoqText) -> CoqText:
        symbol = {each: Symbol(f"({COQ[each]} {of.coq})") for each in (name, "sin", "cos")}
        u, own = of.value, symbol[name]
        slope = {"exp": own, "log": 1 / u, "atan": 1 / (1 + u**2), "sqrt": 1 / (2 * own), "sin": symbol["cos"]}
        for each in ("sin", "cos") if name in ("sin", "cos") else (name,):
            self.atoms[symbol[each]] = Atom(symbol[each], each, u, slope.get(each, -symbol["sin"]))
        return CoqText(own.name, f"({COQ[name].capitalize()} {of.ex})", own)

    def derivatives(self, order: int) -> list[Expr]:
        """The map and its derivatives to this order, each as one fraction; they are kept."""
        while len(self._derivatives) <= order:
            self._derivatives.append(factor(together(self._slope(self._derivatives[-1]))))
        return self._derivatives[: order + 1]

    def _slope(self, value: Expr) -> Expr:
        inner = [a for a in self.atoms.values() if value.has(a.symbol)]
        return value.diff(X) + sum(value.diff(a.symbol) * a.slope * self._slope(a.argument) for a in inner)

    def at_zero(self, value: Expr) -> Expr:
        """The value at x = 0, in Q(pi); refused where it is not by the values of the functions there."""
        found = value.subs(X, 0)
        for atom in reversed(self.atoms.values()):
            if found.has(atom.symbol):
                found = found.subs(atom.symbol, self.atom_at_zero(atom)).subs(X, 0)
        found = cancel(found)
        if found.free_symbols - {PI}:
            raise UnsupportedError(f"no Coq proof of a map whose Taylor coefficients at 0 are not in Q(pi): {found}")
        return found

    def atom_at_zero(self, atom: Atom) -> Integer:
        name, (at, value) = atom.function, AT[atom.function]
        if (argument := self.at_zero(atom.argument)) != at:
            raise UnsupportedError(f"no Coq proof of a map with {name}({argument}) at 0; only with {name}({at})")
        return Integer(value)


def at_0(text: str) -> str:
    """The text with 0 for x."""
    return re.sub(r"\bx\b", "0", text)


def rational(value) -> str:
    """A rational number for Coq.

    >>> rational("-3/10"), rational("2")
    ('(-3/10)', '2')
    """
    number = Fraction(str(value))
    plain = number.denominator == 1 and number >= 0
    return str(number) if plain else f"({number})"


def constant(value) -> str:
    """A rational number as an `ex` whose value is `rational(value)` by computation.

    >>> constant("-3/10"), constant("2")
    ('(Div (Cst (-3)) (Cst 10))', '(Cst 2)')
    """
    number = Fraction(str(value))
    top = f"(Cst {number.numerator})" if number >= 0 else f"(Cst ({number.numerator}))"
    return top if number.denominator == 1 else f"(Div {top} (Cst {number.denominator}))"


def text(value: Expr) -> str:
    """A rational function for Coq, as one fraction."""
    top, bottom = (str(part).replace("**", "^") for part in fraction(together(value)))
    return top if bottom == "1" else f"({top}) / ({bottom})"
