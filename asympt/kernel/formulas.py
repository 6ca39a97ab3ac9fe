"""Formulas of a proof object, and their values at scalars and at power series: one walk over the tree for all.

A formula is "t", ["q", "1/2"], ["pi"], ["C"], ["e", 4] (of a layer, see `activation`), ["add", a, b] (sub, mul, div),
["pow", a, 3], or a function of one argument, ["sin", a].  Every node's real domain is checked wherever it is evaluated;
what is undecided is refused.
"""

from flint import arb, fmpq

from asympt.kernel.numbers import (
    BadFile,
    Names,
    ScalarRing,
    limited,
    need,
    nonzero,
    power,
    product,
    rational,
    value,
    whole,
)

LEAVES = {"q": 1, "pi": 0, "C": 0, "e": 1}  # constants, and how much stands beside their name
BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
FUNCTIONS = {"exp", "sin", "cos", "atan", "asin", "tanh", "erf", "sqrt", "log", "neg"}
_SQUARE, _ONE = ["pow", "t", 2], ["q", "1"]
RATES = {  # derivatives by which a series of the function is integrated
    "log": ["div", _ONE, "t"], "atan": ["div", _ONE, ["add", _ONE, _SQUARE]],
    "asin": ["div", _ONE, ["sqrt", ["sub", _ONE, _SQUARE]]],
    "erf": ["mul", ["div", ["q", "2"], ["sqrt", ["pi"]]], ["exp", ["neg", _SQUARE]]],
}  # fmt: skip
MOST_NODES, DEEPEST, LARGEST_POWER = 200, 60, 50
WORK = 2 * 10**8  # nodes times layers times bits


def checked(node, depth: int = 0) -> int:
    """How many nodes a formula has; `BadFile` where it is none."""
    if isinstance(node, str) and node == "t":
        return 1
    if not (isinstance(node, list) and node and isinstance(node[0], str) and depth < DEEPEST):
        raise BadFile(f"{str(node)[:40]!r} is not a formula, or one nested deeper than {DEEPEST}")
    name, *rest = node
    inside = 0 if name in LEAVES else 2 if name in BINARY else 1
    if name not in {*LEAVES, "pow", *BINARY, *FUNCTIONS} or len(rest) != inside + LEAVES.get(name, name == "pow"):
        raise BadFile(f"{name[:20]!r} with {len(rest)} arguments is no node of a formula")
    if name == "q":
        rational(rest[0])
    if name in ("pow", "e"):
        whole(rest[-1], 0, LARGEST_POWER, "a power")
    count = 1 + sum(checked(part, depth + 1) for part in rest[:inside])
    if count > MOST_NODES:
        raise BadFile(f"a formula has more than {MOST_NODES} nodes")
    return count


def require_work(formulas, layers: int, bits: int) -> None:
    """Checks formulas, and that one proof can follow them through so many layers."""
    need(sum(map(checked, formulas)) * layers * bits <= WORK, "too much work for one proof")


def evaluate(node, t, names: Names | None):
    """The value at t, a scalar or a `PowerSeries`; constants are exact where there is a table for them, else balls."""
    if node == "t":
        need(t is not None, "a constant contains t")
        return t
    name, *rest = node
    if name == "q":
        return rational(rest[0]) if names else arb(rational(rest[0]))
    if name == "pi":
        return names.get("pi", fmpq(0), arb.pi()) if names else arb.pi()
    if name in LEAVES:
        need(names is not None and tuple(node) in names.known, f"{show(node)} stands where it is not known")
        return names.known[tuple(node)]
    x = evaluate(rest[0], t, names)
    if name == "pow":
        return power(x, rest[1])
    if name == "neg":
        return x * fmpq(-1)
    if name not in BINARY:
        return x.apply(name, names) if isinstance(x, PowerSeries) else value(name, x, names)
    y = evaluate(rest[1], t, names)
    if name == "div":
        nonzero(y[0] if isinstance(y, PowerSeries) else y)
        return x / y
    return x + y if name == "add" else x - y if name == "sub" else product(x, y)


def as_formula(node):
    """A constant of a file, which may be a rational as a string; `BadFile` where it is none."""
    node = ["q", node] if isinstance(node, str) else node
    checked(node)
    return node


def constant(node, names: Names):
    """The value of a constant."""
    return evaluate(as_formula(node), None, names)


class PowerSeries(ScalarRing):
    """s_0 + s_1 t + .. + O(t^count), whose coefficients are scalars."""

    def __init__(self, coefficients):
        self.c = list(map(limited, coefficients))

    def __len__(self):
        return len(self.c)

    def __getitem__(self, k):
        return self.c[k]

    def _like(self, other):
        return other if isinstance(other, PowerSeries) else PowerSeries([other] + [fmpq(0)] * (len(self) - 1))

    def __add__(self, other):
        return PowerSeries(a + b for a, b in zip(self.c, self._like(other).c, strict=True))

    def __mul__(self, other):
        o = self._like(other)
        return PowerSeries(convolved(self.c, o.c, k) for k in range(len(self)))

    def __truediv__(self, other):
        o, found = self._like(other), []
        for k in range(len(self)):
            found.append((self[k] - convolved(found, o.c[1:], k - 1)) / o[0])
        return PowerSeries(found)

    def __rtruediv__(self, other):
        return self._like(other) / self

    def apply(self, name: str, names: Names | None) -> "PowerSeries":
        """y = a function of the series s: sqrt by y y = s, the others by y' = s' F, where F' is known as y grows."""
        y, slope = [value(name, self[0], names)], [k * a for k, a in enumerate(self.c)][1:]
        if name == "sqrt":
            for k in range(1, len(self)):
                y.append((self[k] - convolved(y[1:], y[1:], k - 2)) / (2 * y[0]))
            return PowerSeries(y)
        if name in RATES and slope:
            rate = evaluate(RATES[name], PowerSeries(self.c[:-1]), names).c
        elif name in ("sin", "cos"):
            rate = [value("cos", self[0], names) if name == "sin" else -value("sin", self[0], names)]
        else:
            rate = [1 - y[0] * y[0]] if name == "tanh" else y
        for k in range(1, len(self)):
            y.append(convolved(slope, rate, k - 1) / k)
            if name in ("sin", "cos", "tanh"):
                rate.append(-convolved(y, y, k) if name == "tanh" else -convolved(slope, y, k - 1) / k)
        return PowerSeries(y)


def convolved(a: list, b: list, k: int):
    """The sum of a_i b_(k-i); exactly 0 where there is none."""
    total = fmpq(0)
    for i in range(max(0, k - len(b) + 1), min(k, len(a) - 1) + 1):
        total = total + product(a[i], b[k - i])
    return total


def show(node) -> str:
    """The formula in plain notation."""
    if isinstance(node, str):
        return node
    name, *rest = node
    if name in LEAVES:
        return rest[0] if name == "q" else "_".join(map(str, node))
    if name == "pow":
        return f"{_in_brackets(rest[0], {*BINARY, name})}^{rest[1]}"
    if name == "neg":
        return f"-{_in_brackets(rest[0])}"
    if name not in BINARY:
        return f"{name}({show(rest[0])})"
    space = " " if name in ("add", "sub") else ""
    return f"{_in_brackets(rest[0])}{space}{BINARY[name]}{space}{_in_brackets(rest[1])}"


def _in_brackets(node, binary=BINARY) -> str:
    shown = show(node)
    return f"({shown})" if shown[0] == "-" or node[0] in binary or (node[0] == "q" and "/" in shown) else shown
