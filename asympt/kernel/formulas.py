"""Formulas of a proof object, and their values at scalars and at power series: one walk over the tree for all.

A formula is "t", ["q", "1/2"], ["pi"], ["add", a, b] (sub, mul, div), ["pow", a, 3], ["neg", a], or a function of one
argument, ["sin", a].  Every node's real domain is checked wherever it is evaluated: what is undecided is refused.
"""

from flint import arb, fmpq

from asympt.kernel.numbers import (
    BadFile,
    Names,
    ball,
    is_exact,
    is_zero,
    need,
    product,
    rational,
    require_nonzero,
)

BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
AT_ZERO = {"exp": 1, "sin": 0, "cos": 1, "atan": 0, "asin": 0, "tanh": 0, "erf": 0, "sinh": 0, "cosh": 1}
FUNCTIONS = {*AT_ZERO, "sqrt", "log", "neg"}
MOST_NODES, DEEPEST, LARGEST_POWER, LARGEST_FACTORED = 400, 60, 50, 10**12


def checked(node, depth: int = 0) -> int:
    """How many nodes a formula has; `BadFile` where it is none."""
    if node == "t":
        return 1
    if not (isinstance(node, list) and node and isinstance(node[0], str) and depth < DEEPEST):
        raise BadFile(f"{str(node)[:40]!r} is no formula, or nested deeper than {DEEPEST}")
    name, *rest = node
    arguments = {"q": 0, "pi": 0, "C": 0, "pow": 1}.get(name, 2 if name in BINARY else 1)
    more = {"q": 1, "pow": 1}.get(name, 0)
    if name not in {"q", "pi", "C", "pow", *BINARY, *FUNCTIONS} or len(rest) != arguments + more:
        raise BadFile(f"{name[:20]!r} with {len(rest)} arguments is no node of a formula")
    if name == "q":
        rational(rest[0])
    if name == "pow" and not (type(rest[1]) is int and 0 <= rest[1] <= LARGEST_POWER):
        raise BadFile(f"a power is a whole number from 0 to {LARGEST_POWER}")
    count = 1 + sum(checked(part, depth + 1) for part in rest[:arguments])
    if count > MOST_NODES:
        raise BadFile(f"a formula has more than {MOST_NODES} nodes")
    return count


def evaluate(node, t, names: Names | None):
    """The value at t, a scalar or a `PowerSeries`; constants are exact where there is a table for them."""
    if node == "t":
        need(t is not None, "a constant contains t")
        return t
    if isinstance(node, arb):
        return node
    name, *rest = node
    if name == "q":
        return rational(rest[0]) if names else arb(rational(rest[0]))
    if name == "pi":
        return names.get("pi", fmpq(0), arb.pi()) if names else arb.pi()
    if name == "C":
        need(names is not None and names.connection is not None, "C stands where it is not known")
        return names.connection
    x = evaluate(rest[0], t, names)
    if name == "pow":
        return x ** rest[1]
    if name not in BINARY:
        return x.apply(name, names) if isinstance(x, PowerSeries) else value(name, x, names)
    y = evaluate(rest[1], t, names)
    if name == "div":
        return quotient(x, y)
    return x + y if name == "add" else x - y if name == "sub" else product(x, y)


def constant(node, names: Names | None):
    """The value of a formula without t: a rational as a string, or a tree."""
    if isinstance(node, str):
        return rational(node)
    checked(node)
    return evaluate(node, None, names)


def quotient(x, y):
    require_nonzero(y[0] if isinstance(y, PowerSeries) else y)
    return x / y


def value(name: str, x, names: Names | None):
    """A function at a scalar inside its real domain."""
    at = ball(x)
    if name in ("sqrt", "log"):
        need(bool(at > 0), f"{name} outside its real domain (its argument must be > 0)")
    if name == "asin":
        need(bool(abs(at) < 1), "asin outside its real domain (|its argument| must be < 1)")
    if name == "neg":
        return -x
    found = getattr(at, name)()
    need(bool(found.is_finite()), f"{name} is not finite")
    if not is_exact(x):
        return found
    if is_zero(x) and name in AT_ZERO:
        return fmpq(AT_ZERO[name])
    if is_zero(x - 1) and name in ("log", "sqrt"):
        return fmpq(name == "sqrt")
    if name == "sqrt":
        return root(x, 2, names)
    need(names is not None, "no exact numbers here")
    if name == "log" and isinstance(x, fmpq):
        return sum((n * names.get("log", p, arb(p).log()) for p, n in factors(x)), fmpq(0))
    return names.get(name, x, found)


def root(x, n: int, names: Names | None):
    """The positive n-th root of a positive scalar; of a rational by its prime factors."""
    need(bool(ball(x) > 0), "a root of what is not shown to be > 0")
    if n == 1 or not is_exact(x):
        return x if n == 1 else x.root(n)
    need(names is not None, "no exact numbers here")
    found = fmpq(1)
    for p, power in factors(x) if isinstance(x, fmpq) else [(x, 1)]:
        whole, rest = divmod(power, n)
        found = found * p**whole * names.get("root", p, ball(p).root(n), n) ** rest if rest else found * p**whole
    return found


def factors(x: fmpq) -> list[tuple[fmpq, int]]:
    """(prime, power) of a positive rational, or (x, 1) where it is too large to be factored at once."""
    if max(x.p, x.q) > LARGEST_FACTORED:
        return [(x, 1)]
    return [(fmpq(p), s * n) for part, s in ((x.p, 1), (x.q, -1)) for p, n in part.factor()]


class PowerSeries:
    """s_0 + s_1 t + .. + O(t^count), whose coefficients are scalars."""

    def __init__(self, coefficients):
        self.c = list(coefficients)

    def __len__(self):
        return len(self.c)

    def __getitem__(self, k):
        return self.c[k]

    def _like(self, other):
        return other if isinstance(other, PowerSeries) else PowerSeries([other] + [fmpq(0)] * (len(self) - 1))

    def __add__(self, other):
        return PowerSeries(a + b for a, b in zip(self.c, self._like(other).c, strict=True))

    def __neg__(self):
        return PowerSeries(-a for a in self.c)

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        o = self._like(other)
        return PowerSeries(convolved(self.c, o.c, k) for k in range(len(self)))

    def __pow__(self, n: int):
        power = self._like(fmpq(1))
        for _ in range(n):
            power = power * self
        return power

    def __truediv__(self, other):
        o, found = self._like(other), []
        for k in range(len(self)):
            found.append((self[k] - convolved(found, o.c[1:], k - 1)) / o[0])
        return PowerSeries(found)

    def __rtruediv__(self, other):
        return self._like(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def slope(self) -> list:
        """k s_k of k = 1, 2, ..: the coefficients of t s'."""
        return [k * self[k] for k in range(1, len(self))]

    def integral(self, first) -> "PowerSeries":
        """first + the integral of the series times .. : y with (t y')_k = s_(k-1), one coefficient more."""
        return PowerSeries([first, *(a / k for k, a in enumerate(self.c, 1))])

    def apply(self, name: str, names: Names | None) -> "PowerSeries":
        """A function of the series, from the differential equation that the function solves."""
        if name == "neg":
            return -self
        y0 = value(name, self[0], names)
        if len(self) == 1:
            return PowerSeries([y0])
        inner = PowerSeries(self.slope())  # s', one coefficient fewer
        cut = PowerSeries(self.c[:-1])
        if name == "log":
            return (inner / cut).integral(y0)
        if name == "atan":
            return (inner / (cut * cut + fmpq(1))).integral(y0)
        if name == "asin":
            return (inner / (fmpq(1) - cut * cut).apply("sqrt", names)).integral(y0)
        if name == "erf":
            pi = names.get("pi", fmpq(0), arb.pi()) if names and is_exact(self[0]) else arb.pi()
            return (inner * (-(cut * cut)).apply("exp", names) * (fmpq(2) / value("sqrt", pi, names))).integral(y0)
        if name in ("sin", "cos", "sinh", "cosh"):
            return self._pair(name, names)
        return self._solved(name, y0)

    def _solved(self, name: str, y0) -> "PowerSeries":
        """exp: y' = s' y; sqrt: 2 s y' = s' y; tanh: y' = s' (1 - y^2)."""
        inner, y = self.slope(), [y0]
        for k in range(1, len(self)):
            if name == "sqrt":  # from y^2 = s
                rest = self[k] - convolved(y, y, k, start=1) if k > 1 else self[k]
                y.append(rest / (2 * y0))
            elif name == "exp":
                y.append(convolved(inner, y, k - 1) / k)
            else:
                beside = [-convolved(y, y, j) for j in range(k)]
                beside[0] = 1 + beside[0]
                y.append(convolved(inner, beside, k - 1) / k)
        return PowerSeries(y)

    def _pair(self, name: str, names: Names | None) -> "PowerSeries":
        """sin and cos, or sinh and cosh, together."""
        odd, even, sign = ("sin", "cos", -1) if name in ("sin", "cos") else ("sinh", "cosh", 1)
        inner, s, c = self.slope(), [value(odd, self[0], names)], [value(even, self[0], names)]
        for k in range(1, len(self)):
            ds, dc = convolved(inner, c, k - 1) / k, sign * convolved(inner, s, k - 1) / k
            s.append(ds)
            c.append(dc)
        return PowerSeries(s if name == odd else c)


def convolved(a: list, b: list, k: int, start: int = 0):
    """The sum of a_i b_(k-i), start <= i <= k - start; exactly 0 where there is none."""
    total = fmpq(0)
    for i in range(start, k - start + 1):
        if i < len(a) and k - i < len(b):
            total = total + product(a[i], b[k - i])
    return total


def show(node) -> str:
    """The formula in plain notation."""
    if isinstance(node, str):
        return node
    name, *rest = node
    if name in ("q", "pi", "C"):
        return rest[0] if name == "q" else name
    if name == "pow":
        return f"({show(rest[0])})^{rest[1]}"
    if name == "neg":
        return f"(-{show(rest[0])})"
    inside = [show(part) for part in rest]
    return f"({inside[0]} {BINARY[name]} {inside[1]})" if name in BINARY else f"{name}({inside[0]})"


def folded(node):
    """The formula with a ball for every part without t, at the precision of the moment."""
    if node == "t" or node[0] == "q":
        return node if node == "t" else arb(rational(node[1]))
    name, *rest = node
    if name == "C":
        raise BadFile("C stands in the map")
    if name == "pow":
        inside = folded(rest[0])
        return inside ** rest[1] if isinstance(inside, arb) else [name, inside, rest[1]]
    inside = [folded(part) for part in rest]
    constant_ = all(isinstance(part, arb) for part in inside)
    return evaluate([name, *inside], None, None) if constant_ else [name, *inside]
