"""Formulas of a proof object, and their values at scalars and at power series: one walk over the tree for all.

A formula is "t", ["q", "1/2"], ["pi"], ["C"], ["e", 4] (of a layer, see `activation`), ["add", a, b] (sub, mul, div),
["pow", a, 3], ["root", a, 3], or a function of one argument, ["sin", a].  Every node's real domain is checked wherever
it is evaluated; what is undecided is refused.
"""

from dataclasses import dataclass

from flint import arb, fmpq

from asympt.kernel import numbers
from asympt.kernel.numbers import BadFile, Names, ball, hull, need, or_nan, power, product, rational, value, whole
from asympt.kernel.series import PowerSeries

LEAVES = {"q": 1, "pi": 0, "C": 0, "e": 1}  # constants, and how much stands beside their name
POWERS = "pow", "root"
BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
FUNCTIONS = {"exp", "sin", "cos", "atan", "asin", "tanh", "erf", "sqrt", "log", "neg"}
MOST_NODES, DEEPEST, LARGEST_POWER = 200, 60, 50


def checked(node, depth: int = 0) -> int:
    """How many nodes a formula has; `BadFile` where it is none."""
    if isinstance(node, str) and node == "t":
        return 1
    if not (isinstance(node, list) and node and isinstance(node[0], str) and depth < DEEPEST):
        raise BadFile(f"{str(node)[:40]!r} is not a formula, or one nested deeper than {DEEPEST}")
    name, *rest = node
    inside = 0 if name in LEAVES else 2 if name in BINARY else 1
    more = LEAVES.get(name, name in POWERS)
    if name not in {*LEAVES, *POWERS, *BINARY, *FUNCTIONS} or len(rest) != inside + more:
        raise BadFile(f"{name[:20]!r} with {len(rest)} arguments is not a node of a formula")
    if name == "q":
        rational(rest[0])
    if name in ("e", *POWERS):
        whole(rest[-1], 2 * (name == "root"), LARGEST_POWER, "a power")
    count = 1 + sum(checked(part, depth + 1) for part in rest[:inside])
    if count > MOST_NODES:
        raise BadFile(f"a formula has more than {MOST_NODES} nodes")
    return count


@dataclass(frozen=True)
class StartSegment:
    """All t between two exact numbers, which may be ends of the domain of a root or asin."""

    low: object
    high: object

    @property
    def span(self) -> arb:
        return hull(self.low, self.high)

    def apply(self, f: str, n: int, node) -> arb:
        """An increasing function of a formula, which is monotone."""
        if self.low is not self.high:
            need(bool(series(node, self.span, 2, None).c[1] != 0), f"{f} of what is not monotone")
        ends = ((t, getattr(t, "names", None) or Names()) for t in (self.low, self.high))
        return hull(*(value(f, evaluate(node, t, names), names, n) for t, names in ends))


def evaluate(node, t, names: Names | None):
    """The value at t: a scalar, a series or a segment.  Constants are exact where there is a table, else balls."""
    if node == "t":
        need(t is not None, "a constant contains t")
        return t.span if isinstance(t, StartSegment) else t
    name, *rest = node
    if name == "q":
        return rational(rest[0]) if names else arb(rational(rest[0]))
    if name == "pi":
        return value("pi", fmpq(0), names)
    if name in LEAVES:
        need(names is not None and tuple(node) in names.known, f"{show(node)} stands where it is not known")
        return names.known[tuple(node)]
    x = evaluate(rest[0], t, names)
    if name == "pow":
        return power(x, rest[1]) if rest[1] else x * fmpq(0) + fmpq(1)
    if name == "neg":
        return x * fmpq(-1)
    if name not in BINARY:
        f, n = {"sqrt": "root"}.get(name, name), (*rest, 2)[1]
        if isinstance(t, StartSegment) and f in ("root", "asin") and not or_nan(value, f, x, names, n).is_finite():
            return t.apply(f, n, rest[0])
        return x.apply(f, names, n) if isinstance(x, PowerSeries) else value(f, x, names, n)
    y = evaluate(rest[1], t, names)
    if name == "div":
        return x / y if isinstance(y, PowerSeries) else x * numbers.inverse(y)
    return x + y if name == "add" else x - y if name == "sub" else product(x, y)


def as_formula(node):
    """A constant of a file, which may be a rational as a string; `BadFile` where it is none."""
    node = ["q", node] if isinstance(node, str) else node
    checked(node)
    return node


def constant(node, names: Names):
    """The value of a constant."""
    return evaluate(as_formula(node), None, names)


def show(node) -> str:
    """The formula in plain notation."""
    if isinstance(node, str):
        return node
    name, *rest = node
    if name in LEAVES:
        return rest[0] if name == "q" else "_".join(map(str, node))
    if name in POWERS:
        return f"{_in_brackets(rest[0], {*BINARY, *POWERS})}^{rest[1] if name == 'pow' else f'(1/{rest[1]})'}"
    if name == "neg":
        return f"-{_in_brackets(rest[0])}"
    if name not in BINARY:
        return f"{name}({show(rest[0])})"
    space = " " if name in ("add", "sub") else ""
    return f"{_in_brackets(rest[0])}{space}{BINARY[name]}{space}{_in_brackets(rest[1])}"


def _in_brackets(node, binary=BINARY) -> str:
    shown = show(node)
    return f"({shown})" if shown[0] == "-" or node[0] in binary or (node[0] == "q" and "/" in shown) else shown


class FormulaSource:
    """A function of t that is a formula: `model` near the fixed point, `at` and `slope` on orbits."""

    def __init__(self, node):
        self.node = node

    def model(self, exact: int, degree: int, r: fmpq, names: Names) -> PowerSeries:
        """On [0, r]: so many exact coefficients, then balls, Lagrange's remainder as the last."""
        known = series(self.node, fmpq(0), exact, names).c
        balls = series(self.node, arb(0), degree, None).c
        last = series(self.node, hull(0, r), degree + 1, None).c[degree]
        need(all(bool(ball(a).is_finite()) for a in [*known, *balls, last]), "a Taylor coefficient is not finite")
        return PowerSeries([*known, *balls[exact:], ball(last)], r)

    def at(self, t: arb | StartSegment) -> arb:
        """All values on it."""
        return ball(evaluate(self.node, t, None))

    def slope(self, t: arb) -> arb:
        """Of a ball, in which every node's domain is checked."""
        return ball(series(self.node, t, 2, None).c[1])

    def show(self, _starts: list, _first: int) -> str:
        return f"G(t) = {show(self.node)}"


def series(node, at, count: int, names: Names | None) -> PowerSeries:
    """The Taylor coefficients at a scalar."""
    one, zero = (fmpq(1), fmpq(0)) if names else (arb(1), fmpq(0))
    found = evaluate(node, PowerSeries([at, one, *[zero] * count][:count]), names)
    found = found if isinstance(found, PowerSeries) else PowerSeries([found] + [fmpq(0)] * (count - 1))
    need(len(found.c) == count, "the series came out shorter than asked")
    return found
