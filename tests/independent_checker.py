"""Verifies a certificate of asympt (docs/certificates.md) without asympt:  python tests/independent_checker.py FILE

Prints `verified` (exit code 0), `refused: why` (1) or `not covered: why` (2).

Method.  Nothing of the proof in the file is believed: from the formula of the map follow the constants C and D, the
first layers and all later ones.  A function f with f(0) = .. = f^(p-1)(0) = 0 is at most M |t|^p on an interval about
0 where M bounds its p-th Taylor coefficient, which python-flint takes over the whole interval: with it the formal
solutions A, U (Abel's and Koenigs' equation), H and P (the linear recursion) are within M of exact ones.  Then the
quantity, the depth and the law are functions of t = t_l alone, l = A(t) - C (or mu^l = U(t)/c, or, where steps fall
with the layer, a log l = T(t) - C up to O(1/l), T the time of the flow x' = -h), and the claim is an inequality
between power series in t with polynomials in log t as coefficients, on an interval that ends at 0.

No text of the file is run: formulas are read by a whitelist (`read`), figures as decimals.  Trusted are python-flint,
SymPy (derivatives, formulas at a branch point, that a coefficient is a polynomial or a power of C), and for exactly 0
whatever vanishes in balls and must vanish by algebra: F(0), u(0) - 1 and the coefficients of t, .., t^(m-1) in
u = (F/t^root)^(1/root), those of lambda that h prescribes, and what the printed terms leave of the series above their
remainder (radius below 1e-20).  Numbers that stand in formulas by a name are
taken as they are given where they come without an equation; this is said. `statement` is searched for the bound, the
start and l_0, not read, and neither are `latex` and what the steps show. R, M, a', t_(l_1), the tail and the first
layers are no part of the argument; they are compared with what is found here (R, M at some places); r, R_X, R_Y, e,
E, J, Lambda_1, the bits and arcs are not.  A weaker claim (a larger M) is accepted.

Not covered: maps without a formula; linear recursions along a hyperbolic map over an interval of starts, and along
steps that fall with the layer.
"""

import ast
import json
import operator
import re
import sys
from functools import cache, reduce
from itertools import islice, pairwise
from math import comb

import flint
import sympy
from flint import acb, arb, arb_poly, arb_series, fmpq

BITS, TINY, DEEPER, HALVINGS, MORE, TERMS = 512, arb("1e-20"), 4, 14, 12, 16
LONGEST, LARGEST = 100_000, 10**6  # characters of a formula, bits of a power in it


FIGURES = ("radius", "R"), ("circle bound", "M"), ("rate", "a'")
BEND = (("circle bound", "M_2"),)


class Refuted(Exception):
    """A claim is wrong, or is not confirmed."""


class NotCovered(Exception):
    """There is no method here for such a certificate."""


def require(condition, claim: str) -> None:
    if not condition:
        raise Refuted(claim)


def vanishes(value: arb) -> bool:
    return value.contains(0) and value.rad() < TINY


# ---- formulas in Python's notation, of exact fractions, balls and power series of balls -----------------------------


def power(x, e):
    """x^e; a root of a ball that touches 0 (the start at a branch point) is that of its part >= 0."""
    if not isinstance(e, fmpq):
        return (apply("log", x) * e).exp()
    if e.q == 1:
        size = max(abs(int(x.p)), int(x.q)).bit_length() if isinstance(x, fmpq) else 1
        require_formula(abs(int(e.p)) * size <= LARGEST, "a power")
        return raised(x, int(e.p))
    return raised(apply("sqrt", x), int(e.p)) if e.q == 2 and e > 0 else 1 / power(x, -e) if e < 0 else power(x, arb(e))


def raised(x, k: int):
    """x^k by products: python-flint's own power has no value at a ball about 0."""
    if k < 0:
        return 1 / raised(x, -k)
    return raised(x * x, k // 2) * (x if k % 2 else 1) if k > 1 else x if k else 0 * x + 1


def apply(name: str, x):
    x = arb(x) if isinstance(x, fmpq) else x
    if name == "acos":
        return apply("asin", x) * -1 + arb.pi() / 2
    if name in ("sinh", "cosh", "tanh") and isinstance(x, arb_series):
        up, down = x.exp(), (-x).exp()
        return {"sinh": (up - down) / 2, "cosh": (up + down) / 2, "tanh": 1 - 2 / (up * up + 1)}[name]
    if isinstance(x, arb) and name == "sqrt" and x.contains(0):
        return x.nonnegative_part().sqrt()
    if isinstance(x, arb) and name == "asin" and not abs(x) < 1 and not abs(x) > 1:  # it touches an end of [-1, 1]
        ends = (x.lower().max(arb(-1)), x.upper().min(arb(1)))
        return between(*(end.asin() for end in ends))
    return abs(x) if name == "Abs" else getattr(x, name)()


FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "sinh", "cosh", "tanh", "asin", "acos", "atan", "erf", "Abs")
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
IN_BALLS = {name: lambda x, name=name: apply(name, x) for name in FUNCTIONS}
IN_SYMBOLS = {name: getattr(sympy, name) for name in FUNCTIONS}
CONSTANTS = {"pi", "E"}
TAKEN = {*FUNCTIONS, *CONSTANTS, *"CDlnLwx_", "step"}  # no parameter of a file may be called so


@cache
def syntax(text: str) -> ast.expr:
    """The syntax tree of a text of the file, which is looked at and never run."""
    try:
        require_formula(isinstance(text, str) and len(text) <= LONGEST, text)
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the parser's own, for a text from anywhere
        raise NotCovered(f"{str(text)[:80]!r} is not a formula") from None


def require_formula(condition, text) -> None:
    if not condition:
        raise NotCovered(f"{str(text)[:80]!r} is not a formula, or none of a size that is read")


def read(node: ast.expr, leaves: dict, functions: dict, number, power, combine):
    """A tree from its leaves up: whole numbers, known names, + - * / **, the functions; nothing else."""

    def part(node: ast.expr):
        match node:
            case ast.Constant(value=value) if type(value) is int:
                return number(value)
            case ast.Name(id=name) if name in leaves:
                return leaves[name]
            case ast.UnaryOp(op=ast.USub(), operand=x):
                return combine(operator.neg, part(x))
            case ast.BinOp(left=x, op=ast.Pow(), right=y):
                return combine(power, part(x), part(y))
            case ast.BinOp(left=x, op=op, right=y) if type(op) in OPERATORS:
                return combine(OPERATORS[type(op)], part(x), part(y))
            case ast.Call(func=ast.Name(id=name), args=[x], keywords=[]) if name in functions:
                return combine(functions[name], part(x))
        raise NotCovered(f"{ast.unparse(node)[:80]!r} is in no formula that is covered")

    return part(node)


def formula(text: str, names: dict, variable: str = "_"):
    """A function of the variable."""
    leaves = {name: lambda x, ball=ball: ball for name, ball in names.items()}
    leaves |= {"pi": lambda x: arb.pi(), "E": lambda x: arb(1).exp(), variable: lambda x: x}

    def exactly(whole: int):
        exact = fmpq(whole)
        return lambda x: exact

    def combine(rule, *parts):
        return lambda x: rule(*[part(x) for part in parts])

    run = read(syntax(text), leaves, IN_BALLS, exactly, power, combine)

    def value(x):
        found = run(x)
        return arb(found) if isinstance(found, fmpq) else found

    value.derivative = cache(lambda: formula(_derivative(text, variable, (variable, *names)), names, variable))
    return value


def symbolic(text: str, names: dict) -> sympy.Expr:
    """The formula in SymPy, which is handed no text of the file: it would run it."""
    leaves = {"pi": sympy.pi, "E": sympy.E, **names}
    return read(syntax(text), leaves, IN_SYMBOLS, sympy.Integer, _symbolic_power, lambda rule, *parts: rule(*parts))


def _symbolic_power(base: sympy.Expr, e: sympy.Expr) -> sympy.Expr:
    if base.is_number and e.is_number:
        bits = sum(int(abs(part.p)).bit_length() + int(part.q).bit_length() for part in base.atoms(sympy.Rational))
        require_formula(abs(e) * max(bits, 1) <= LARGEST, "a power")
    return base**e


@cache
def _derivative(text: str, variable: str, names: tuple) -> str:
    symbols = {name: sympy.Symbol(name) for name in names}
    return sympy.sstr(sympy.simplify(symbolic(text, symbols).diff(symbols[variable])))


@cache
def _at_branch(text: str, variable: str, names: tuple) -> str:
    """The same function of t > 0 without branch points at 0: of asin where it is +-pi/2, of sqrt(t^2 g)."""
    t = sympy.Symbol(variable, positive=True)
    tree = symbolic(text, {name: sympy.Symbol(name) for name in names} | {variable: t})

    def asin(g):
        end = g.subs(t, 0)
        return end * (sympy.pi / 2 - 2 * sympy.asin(sympy.sqrt((1 - end * g) / 2))) if end in (1, -1) else sympy.asin(g)

    tree = tree.replace(sympy.acos, lambda g: sympy.pi / 2 - sympy.asin(g))
    roots = (lambda x: x.is_Pow and x.exp == sympy.S.Half, lambda x: sympy.sqrt(sympy.factor(x.base)))
    return sympy.sstr(tree.replace(sympy.asin, asin).replace(*roots))


def decimal(text) -> arb:
    """A decimal number of the file as the ball about it."""
    if not re.fullmatch(r"[+-]?\d+(\.\d*)?([eE][+-]?\d{1,6})?", str(text)):
        raise NotCovered(f"{str(text)[:80]!r} is not a decimal number")
    return arb(str(text))


def between(one: arb, other: arb) -> arb:
    return one.union(other)


def hull(balls) -> arb:
    return reduce(between, balls)


def coefficients(function, base: arb, count: int) -> arb_series:
    """The Taylor coefficients at every point of the ball."""
    try:
        found = function(arb_series([base, 1], prec=count))
    except ValueError as reason:
        raise NotCovered(f"a formula that is singular at t = 0: {reason}") from None
    found = found if isinstance(found, arb_series) else arb_series([found], prec=count)
    if not all(found[k].is_finite() for k in range(count)):
        raise NotCovered("formulas with a branch point at t = 0") if base == 0 else Refuted("t is too large")
    return found


def shift(series: arb_series, by: int) -> arb_series:
    """f/t^by of an f that vanishes to that order: (f/t)^(k)/k! is a mean of f^(k+1)/(k+1)! between 0 and t."""
    return arb_series([series[k] for k in range(by, series.prec)], prec=series.prec - by)


def image(function, ends: tuple) -> tuple:
    """The ends of what a function takes between two balls (one ball, where they are the same object)."""
    whole = ends[0] if ends[0] is ends[1] else between(*ends)
    slope = function.derivative()(whole)

    def at(x: arb) -> arb:  # by the mean value form
        found = function(x.mid()) + slope * (x - x.mid())
        return found if found.is_finite() else function(x)

    if ends[0] is ends[1]:
        return (at(whole),) * 2
    if slope >= 0 or slope <= 0:
        return tuple(at(end) for end in (ends if slope >= 0 else ends[::-1]))
    if whole.rad() < arb(2) ** -90:
        return function(whole).lower(), function(whole).upper()
    found = image(function, (ends[0], whole.mid())) + image(function, (whole.mid(), ends[1]))
    return least(found).lower(), -least([-x for x in found]).lower()


def circle(radius: arb) -> list:
    """A few places where a figure of the file that the argument does not need must hold."""
    return [acb((arb(k) / 12).cos_pi(), (arb(k) / 12).sin_pi()) * radius for k in range(13)]


def least(values) -> arb:
    values = [value.lower() for value in values]
    require(all(value.is_finite() for value in values), "a number is finite")
    found = values[0]
    for value in values[1:]:
        found = found.min(value)
    return found


def between_ends(text: str) -> tuple:
    """The two ends in '[low, high]'."""
    return tuple(map(decimal, text.strip("[]").split(", ")))


def holds(text: str, ends: tuple, name: str, room: str | None = None) -> None:
    """What is between two ends lies in the interval of the text, which is no wider than that but for `room`."""
    low, high = between_ends(text)
    require(low <= ends[0].upper() and ends[1].lower() <= high, name)
    if room is not None:
        require(ends[0] - low <= abs(low) * arb(room) and high - ends[1] <= abs(high) * arb(room), name)


def largest(values) -> arb:
    return -least([-abs(value) for value in values])


def solve(base: arb, left: arb_series, rows: dict, known: dict | None = None) -> tuple[dict, arb_series]:
    """c_k that make left + sum c_k t^i row_k vanish (rows: k -> (i, row_k)), or only this sum for known c_k."""
    found, t = dict(known or {}), arb_series([base, 1], prec=left.prec)
    for k, (i, row) in rows.items():
        if known is None:
            found[k] = -left[i] / row[0]
        left = left + raised(t, i) * row * found[k]
    return found, left


def polynomial(terms: dict, t, by: int = 0):
    return sum((c * raised(t, k + by) for k, c in terms.items()), 0 * t)


# ---- what both kinds have in common ---------------------------------------------------------------------------------


class Checked:
    """The entries of a certificate, its orbits and its first layers."""

    deepest, speed, room = "l_1", 1, "1.00001"

    def __init__(self, record: dict):
        self.record, self.uncovered, self.names = record, set(), {}
        self.steps = {step["name"]: step["figures"] for step in record["steps"]}
        self.map, self.start, self.quantity, self.linear = (record[k] for k in ("map", "start", "quantity", "linear"))
        if record["format"] != "asympt certificate 1" or self.map["formula"] is None:
            raise NotCovered("maps without a formula")
        variable = self.map["variable"]
        require_formula(variable.isidentifier() and variable not in CONSTANTS.union(FUNCTIONS), variable)
        for name, given in record["parameters"].items():
            require_formula(name.isidentifier() and name not in TAKEN | {variable}, name)
            self.names[name] = between(*map(decimal, given["between"]))
            if given["zero"] is None:
                self.uncovered.add(f"the digits of {name}")
                continue
            ends = [formula(given["zero"], {**self.names, name: decimal(end)})(0) for end in given["between"]]
            require(ends[0] * ends[1] < 0, f"{name} does not lie between its digits")
        self.root, self.m, self.first = self.map["root"], self.map["order"], self.start["layer"]
        self.claimed, self.layer = decimal(record["constant"]), int(self.steps["first layers"][self.deepest])
        self.last = int(self.steps["circle bound"]["N"]) if "circle bound" in self.steps else TERMS
        self.offset = self.number(self.quantity.get("offset", "0"))
        self.sign, self.e = self.quantity.get("sign", 1), self.quantity.get("exponent")
        self.average = int(self.quantity.get("average", False))
        self.step = self.of(self.map["formula"])
        self.constants, self.deviation, self.vanished = [], arb(0), False

    def of(self, text: str, variable: str | None = None):
        if self.root > 1 and variable is None:
            text = _at_branch(text, self.map["variable"], tuple(self.names))
        return formula(text, self.names, variable or self.map["variable"])

    def number(self, text: str, **more) -> arb:
        return formula(text, self.names | more)(0)

    def check(self) -> None:
        self._same_text()
        self.series()
        low, high = (symbolic(x, {n: sympy.Symbol(n) for n in self.names}) for x in self.start["distances"])
        self._piece(low, high)
        self.figures(next(islice(self._orbit(low, high), self.layer - self.first, None))[0])
        claimed = decimal(self.steps["first layers"]["largest"])
        require(low != high or self.deviation <= claimed * arb(self.room), "the largest deviation of the first layers")
        self._same_constant("connection_constant", [c for c, _ in self.constants])
        self._same_constant("second_constant", [d for _, d in self.constants if d is not None])

    def _same_constant(self, key: str, own: list) -> None:
        """What is found lies between the ends; where it is less sharp than they are, it is near."""
        if self.record[key] is None or not own:
            return
        claimed, low, high = [decimal(end) for end in self.record[key]], least(own), -least([-x for x in own])
        if claimed[0] <= low and high <= claimed[1]:
            return
        self.uncovered.add(f"the last digits of the {key.replace('_', ' ')}")
        near = (high - low) * (arb(2) if high - low < TINY or self.start["from"] == self.start["to"] else arb("1e-3"))
        fits = claimed[0] <= low + near and high <= claimed[1] + near and low <= claimed[1] and claimed[0] <= high
        crude = key == "second_constant" and self.start["from"] != self.start["to"]  # D over an interval of starts
        overlaps = bool(low <= claimed[1] and claimed[0] <= high)
        require(fits or (crude and overlaps), f"{key}: {low.str(20)} to {high.str(20)}")

    def _same_text(self) -> None:
        """What is said twice is the same, and the starts are those of the distances."""
        record, claimed = self.record, self.steps["first layers"]
        require(int(claimed["l_0"]) == record["valid_from"] >= max(2, self.first), "l_0")
        require(f">= {record['valid_from']} " in record["statement"], "the statement has another l_0")
        require(f"<= {record['constant']}" in record["statement"], "the statement has another bound")
        tail = sum((decimal(x) for name, x in self.steps["tail"].items() if name[0] in "Bkr"), arb(0))
        found = tail.max(decimal(claimed["largest"])).max(decimal(self.steps.get("boxes", claimed)["largest"]))
        require(abs(found - self.claimed) <= self.claimed * arb("2e-5"), "the larger of tail and first layers")
        ends = [self.number(x) for x in self.start["distances"]]
        require(ends[0] <= ends[1] or ends[0].overlaps(ends[1]), "the distances are in order")
        given = [self.number(self.start[end]) for end in ("from", "to")]
        values = []
        for x in ends:
            moving = self.offset + self.sign * power(x, fmpq(self.e or self.root, self.root))
            base = self.names.get("c_star", arb(1))
            values.append([base - x, 1 - moving] if self.start["name"] == "correlation" else [moving])
        fits = [[any(vanishes(value - one) for value in both) for one in given] for both in values]
        require((fits[0][0] and fits[1][1]) or (fits[0][1] and fits[1][0]), "the distances are those of the starts")
        low, high = self.start["from"], self.start["to"]
        said = f" = {low} " if low == high else f" in [{low}, {high}] "
        require(said in record["statement"].partition(": |")[0] + " ", "the statement has another start")
        self._same_figures()

    def _same_figures(self) -> None:
        """The figures of the steps that stand elsewhere as well."""
        if "orbit" in self.steps:
            require(int(self.steps["orbit"][self.deepest]) == self.layer, "the steps have two l_1")
            require(int(self.steps["map"].get("m", self.m)) == self.m, "the steps have another m")
        shown = between_ends(self.steps["connection constant"]["C"])
        ends = [decimal(end) for end in self.record["connection_constant"]]
        room = abs(shown[0]).max(abs(shown[1])) * arb("1e-12") + TINY
        near = all(abs(one - other) <= room for one, other in zip(shown, ends, strict=True))
        require(near and not (shown[0] > ends[0] or ends[1] > shown[1]), "the steps have another C")

    def _piece(self, low, high, halvings: int = 0) -> None:
        """The claim for the starts between two distances, or for both halves of them."""
        orbit, states = self._orbit(low, high), []
        for attempt in range(DEEPER if low == high or self.m == 0 else 1):
            layer = self.deeper(attempt)
            while len(states) <= layer - self.first:
                states.append(next(orbit))
            try:
                self.constants.append(self.at(layer, states))
                return
            except (Refuted, ValueError) as refuted:  # python-flint divides by no ball that holds 0
                reason = refuted
                if "of layer" in str(reason):  # no later l_1 mends it
                    break
        if low == high or halvings == HALVINGS:
            raise Refuted(str(reason))
        for pair in ((low, (low + high) / 2), ((low + high) / 2, high)):
            self._piece(*pair, halvings + 1)

    def _orbit(self, low, high):
        """The ends of t and of a, layer by layer."""
        ends = [self.number(sympy.sstr(x)) for x in (low, high)]
        ends = ends[:1] * 2 if low == high else ends
        along, a, layer = self.linear, None, self.first
        if along is not None:
            a = image(self.of(along["start"], "x"), tuple(ends))
            multiplier, forcing = self.of(along["multiplier"]), self.of(along["forcing"])
        while True:
            t = tuple(x if self.root == 1 else x.root(self.root) for x in ends)
            t = t[:1] * 2 if ends[0] is ends[1] else t
            require(t[0].is_finite() and t[1].is_finite(), "the orbit has digits left")
            yield t, a
            if a is not None:
                scale, more = image(multiplier, t), image(forcing, t)
                products = [x * y for x in scale for y in a]
                a = least(products) + more[0], -least([-x for x in products]) + more[1]
                if t[0] is t[1]:
                    a = (products[0] + more[0],) * 2
            layer += 1
            ends = self.following(layer, t, ends)

    def following(self, layer: int, t: tuple, ends: tuple) -> tuple:
        """The ends of x in a layer, from those of t and of x in the one before."""
        return image(self.step, t)

    def first_layers(self, states: list, law, layer: int) -> None:
        """Every deviation from l_0 to l_1."""
        for depth in range(self.record["valid_from"], layer + 1):
            t, a = states[depth - self.first]
            printed, monomial = law(depth)
            said = self.number(self.record["monomial"], **dict.fromkeys("lnL", fmpq(depth)))
            require(abs(abs(said) - monomial) <= monomial * TINY, "the monomial is not that of the remainder")
            values = [self.offset + self.sign * power(x, fmpq(self.e)) for x in t] if a is None else a
            over = largest([(x / depth**self.average - printed) / monomial for x in values])
            require(over <= self.claimed, f"B is below {over.str(8)}, the deviation of layer {depth}")
            if depth <= self.layer:
                self.deviation = self.deviation.max(over)


# ---- parabolic maps -------------------------------------------------------------------------------------------------


class Parabolic(Checked):
    """A_N = sum alpha_k t^k + rho log t, H_N = t^h exp(sum beta_k t^k), P_N = sum p_k t^k + r H_N log t."""

    clock = staticmethod(lambda depth: depth)

    def deeper(self, attempt: int) -> int:
        return self.layer << attempt

    def series(self) -> None:
        m, self.p = self.m, self.last + self.m + 1
        log_u = self._log_u(arb(0), self.p + m + 1)
        self.rates = self._grown(log_u, -m)
        self.alpha, _ = solve(arb(0), *self._abel(log_u))
        if self.linear is not None:
            self.h, given = self.linear["power"], {"power": self.linear["power"], "N": self.last}
            require(0 <= self.h < self.last, f"{given} are not powers of a linear recursion here")
            found = coefficients(self.of(self.linear["multiplier"]), arb(0), m + 1)
            exact = [arb(1)] + [arb(0)] * (m - 1) + [log_u[m] * self.h]
            require(all(vanishes(found[k] - exact[k]) for k in range(m + 1)), f"h is not {self.h}")
            self.beta, _ = solve(arb(0), *self._homogeneous(arb(0), log_u))
            self.particular, _ = solve(arb(0), *self._particular(arb(0), log_u))

    def _log_u(self, base: arb, count: int) -> arb_series:
        image_ = coefficients(self.step, base, count + self.root)
        if base == 0:
            exact = [0] * self.root + [1] + [0] * (self.m - 1)
            fits = all(vanishes(image_[k] - c) for k, c in enumerate(exact))
            require(fits and self.m > 0, f"the map is not t^{self.root} (1 + O(t^{self.m}))")
            image_ = arb_series([*exact, *(image_[k] for k in range(len(exact), count + self.root))], prec=image_.prec)
        found = shift(image_, self.root)
        require(found[0] > 0, "u > 0")
        return found.log() / self.root

    def _grown(self, log_u: arb_series, k: int) -> arb_series:
        """(u^k - 1)/t^m, of k = 0 log(u)/t^m."""
        return shift((log_u * k).exp() - 1 if k else log_u, self.m)

    def _abel(self, log_u: arb_series) -> tuple:
        rows = {k: (k + self.m, self._grown(log_u, k)) for k in range(-self.m, self.last + 1)}
        return arb_series([-1], prec=self.p + 1), rows

    def _homogeneous(self, base: arb, log_u: arb_series) -> tuple:
        left = log_u * self.h - coefficients(self.of(self.linear["multiplier"]), base, self.p + 1).log()
        return left, {k: (k + self.m, self._grown(log_u, k)) for k in range(1, self.last + 1)}

    def _particular(self, base: arb, log_u: arb_series) -> tuple:
        """r is the number of k = h."""
        count, rows = log_u.prec, {}
        multiplier, forcing = (coefficients(self.of(self.linear[k]), base, count) for k in ("multiplier", "forcing"))
        for k in range(-self.m, self.last + 1):
            rows[k] = k + self.m, shift((log_u * k).exp() - multiplier, self.m)
        moved = log_u * self.h + polynomial(self.beta, arb_series([base, 1], prec=count) * log_u.exp())
        rows[self.h] = self.h + self.m, moved.exp() * shift(log_u, self.m)
        return -forcing, rows

    def bounds(self, top: arb) -> None:
        """What the formal solutions are wrong by on (0, top], over powers of t."""
        m, p, self.top = self.m, self.p, top
        box = between(arb(0), top)
        log_u = self._log_u(box, p + m + 1)
        rates = {k: self.rates[k] for k in range(MORE)} | {MORE: self._grown(log_u, -m)[MORE]}
        self.rate = polynomial(rates, box).lower()
        require(self.rate > 0, "t^-m grows by a definite rate")
        self.defect = abs(solve(box, *self._abel(log_u), self.alpha)[1][p]).upper()
        self.of_abel = self.defect * self._sum(p)  # |A - A_N| <= of_abel t^(p-m)
        if self.linear is not None:
            logs = abs(solve(box, *self._homogeneous(box, log_u), self.beta)[1][p]).upper()
            source = abs(solve(box, *self._particular(box, log_u), self.particular)[1][p]).upper()
            multiplier = coefficients(self.of(self.linear["multiplier"]), box, 1)[0]
            require(multiplier > 0 and top < arb(-1).exp(), "lambda > 0 and t < 1/e")
            log_error = logs * self._sum(p) * top ** (p - m)
            size = polynomial({k: abs(c) for k, c in self.beta.items()}, top)
            whole = (size + log_error).exp()  # of H_N/t^h, of H/t^h and of their inverses
            resonant = abs(self.particular[self.h]) * multiplier * whole * logs * (logs * top**p).exp() * top**self.h
            moved = (source * top + resonant) * whole / (log_u[0] * self.h).exp() * self._sum(p - 1 - self.h)
            self.of_log, self.of_weight, self.whole = logs * self._sum(p), moved, whole

    def _sum(self, q: int) -> arb:
        """sum t_j^q <= this times t^(q-m)."""
        require(q > self.m, "N is too small")
        return (self.top**self.m + 1 / (self.rate * (fmpq(q, self.m) - 1))).upper()

    def _constants(self, layer: int, t: tuple, a: tuple | None) -> tuple:
        """C, and D in units of H_N, from one layer."""
        self.bounds(t[1].upper())
        error = arb(0, (self.of_abel * self.top ** (self.p - self.m)).upper())
        ends = [polynomial({k: c for k, c in self.alpha.items() if k}, x) + self.alpha[0] * x.log() for x in t]
        c, d = between(*ends) - layer + error, None
        if a is not None:
            t, a = between(*t), between(*a)
            homogeneous = t**self.h * polynomial(self.beta, t).exp()
            known = {k: c for k, c in self.particular.items() if k != self.h}
            d = (a - polynomial(known, t)) / homogeneous - self.particular[self.h] * t.log()
            wrong = self.of_weight * self.top ** (self.p - 1 - self.h - self.m)
            d = d * arb(0, (self.of_log * self.top ** (self.p - self.m)).upper()).exp() + arb(0, wrong.upper())
        return c, d

    def at(self, layer: int, states: list) -> tuple:
        c, d = self._constants(layer, *states[layer - self.first])
        unit, thin = arb(1), states[0][0][0] is states[0][0][1]
        if d is not None:
            unit = self.number(self.linear["unit"])
            for early in () if thin else (layer >> k for k in range(1, 9) if layer >> k > self.first):
                try:
                    other = self._constants(early, *states[early - self.first])[1]
                except Refuted:
                    break
                d = other if other.rad() < d.rad() else d
            self._constants(layer, *states[layer - self.first])
            wrong = self.whole**2 * (abs(d) * self.of_log * self.top ** (self.h + 1) + self.of_weight)
            self.of_linear = wrong.upper()  # |a - P_N - D H_N| <= of_linear t^N
        d_printed = None if d is None else d / unit
        self._later_layers(c, d, unit)
        self.first_layers(states, self._law(c, d_printed), layer)
        return c, d_printed

    def figures(self, t: tuple) -> None:
        holds(self.steps["orbit"]["t_(l_1)"], t, "t in layer l_1")
        radius, bound, rate = (decimal(self.steps[step][name]) for step, name in FIGURES)

        def log_u(s):
            return (self.step(s) / s**self.root).log() / self.root

        at_zero, at_end = self.rates[0], ((log_u(t[1]) * -self.m).exp() - 1) / t[1] ** self.m
        require(rate < at_zero and rate < at_end.upper(), f"a' is at most {at_zero.str(8)}")
        for s in circle(radius / 2):
            w = log_u(s)
            found = sum((c * s**k * ((w * k).exp() - 1 if k else w) for k, c in self.alpha.items()), arb(-1))
            require(abs(found) <= bound * abs(s) ** self.p, f"the defect at t = {s.str(6)} is {found.str(6)}: R or M")

    def _law(self, c: arb, d: arb | None):
        """The printed law and its monomial as functions of l."""
        names = {"C": c} if d is None else {"C": c, "D": d}
        terms = [*self.record["terms"], {**self.record["remainder"], "coefficient": "1"}]
        terms = [(self.number(t["coefficient"], **names), self.number(t["order"]), t["logs"]) for t in terms]

        def at(depth: int) -> tuple:
            log_l = self.clock(arb(depth)).log()
            values = [c * (log_l * -order).exp() * log_l**logs for c, order, logs in terms]
            return sum(values[:-1], arb(0)), values[-1]

        return at

    # ---- beyond l_1 -------------------------------------------------------------------------------------

    def _sides(self, t: arb_series, z: arb_series, c: arb, d: arb | None, unit: arb) -> tuple:
        """t^shift (quantity - law) and t^shift monomial, z = t^m |log t|; errors are balls times powers."""
        m, h, alpha = self.m, getattr(self, "h", 0), {k: c for k, c in self.alpha.items() if k}
        depth = polynomial(alpha, t, m) - z * self.alpha[0] - t**m * (c / self.speed)
        depth = depth + t**self.p * arb(0, self.of_abel.upper())
        logs = z * m + t**m * depth.log()  # depth = l t^m, logs = t^m log l
        names = {"C": c} if d is None else {"C": c, "D": d / unit}

        def term(coefficient: arb, place: dict):
            at = fraction(place["order"]) - self.average
            exponent = at * m + self.shift - m * place["logs"]
            require(exponent.q == 1 and exponent >= 0, f"{place} is not a term of such a law")
            return t ** int(exponent.p) * (depth.log() * arb(-at)).exp() * logs ** place["logs"] * coefficient

        if d is None:
            moving = arb_series([self.sign], prec=t.prec)
        else:
            known = {k: c for k, c in self.particular.items() if k != h}
            wave = t**h * polynomial(self.beta, t).exp()
            moving = polynomial(known, t, m) + (t**m * d - z * self.particular[h]) * wave
            moving = moving + t ** (m + self.last) * arb(0, self.of_linear)
        for place in self.record["terms"]:
            value = self.number(place["coefficient"], **names)
            if d is None and (place["order"], place["logs"]) == ("0", 0):
                require(vanishes(value - self.offset), "the limit of the orbit")
            else:
                moving = moving - term(value, place)
        return moving, term(arb(1), self.record["remainder"])

    def _rows(self, *constants) -> tuple[list, list]:
        """The coefficients of 1, t, .., as polynomials in |log t|."""
        m, count = self.m, self.last + self.m
        t = arb_series([0, 1], prec=count)
        samples = [self._sides(t, t**m * k, *constants) for k in range(count // m + 1)]
        return tuple(
            [arb_poly.interpolate([arb(k) for k in range(j // m + 1)], [s[side][j] for s in samples[: j // m + 1]])
             for j in range(count)]
            for side in (0, 1)
        )  # fmt: skip

    def _later_layers(self, c: arb, d: arb | None, unit: arb) -> None:
        """|quantity - law| <= B monomial for all t <= t_(l_1)."""
        m, rest, count = self.m, self.record["remainder"], self.last + self.m
        self.shift = m if d is not None else -self.e
        weight, log_t = (fraction(rest["order"]) - self.average) * m + self.shift, -self.top.log()
        require(log_t > 1 and weight.q == 1 and 0 <= weight < count, "l_1 is too early")
        weight, logs, first = int(weight.p), rest["logs"], arb(-1) / m
        self._vanish(weight, logs, c, d, unit)
        eps = arb_series([between(arb(0), self.top * (log_t.log() / m).exp()), 1], prec=count + 1)
        last = self._sides(eps * between(arb(0), (log_t.log() * first).exp()), eps**m, c, d, unit)
        rows = self._rows(c, d, unit)
        for side in (1, -1):
            terms = []
            for j, (left, unit_) in enumerate(zip(*rows, strict=True)):
                pairs = enumerate(zip(padded(left, count), padded(unit_, count), strict=True))
                beyond = ((k, self.claimed * b - a * side) for k, (a, b) in pairs if (j, -k) >= (weight, -logs))
                terms += [(j - weight, k - logs, c) for k, c in beyond]
            terms.append((count - weight, fmpq(count, m) - logs, self.claimed * last[1][count] - last[0][count] * side))
            require(positive(terms, arb(0), (1 / log_t).upper()), "the bound does not hold beyond l_1")

    def _vanish(self, weight: int, logs: int, c: arb, d: arb | None, unit: arb) -> None:
        """Above the remainder the series has what is printed: for all C and D, where they are many."""
        points = [(c, d)]
        if self.vanished:
            return  # for all C and D, whatever the piece of the starts
        if c.rad() > TINY:
            degree, names = weight // self.m, sympy.symbols("C D")
            for term in self.record["terms"]:
                known = symbolic(term["coefficient"], {n: sympy.Symbol(n) for n in (*self.names, "C", "D")})
                require(known.is_polynomial(*names) and sympy.degree(known + names[0], names[0]) <= max(1, degree), "C")
                require(sympy.degree(known + names[1], names[1]) <= 1, "D")
            points = [(arb(k), None if d is None else arb(j)) for k in range(degree + 2) for j in (0, 1)]
        for point in points:
            for j, row in enumerate(self._rows(*point, unit)[0][: weight + 1]):
                for k, value in enumerate(row.coeffs()):
                    if (j, -k) < (weight, -logs):
                        require(vanishes(value), f"{value.str(10)} t^{j} |log t|^{k} is left beside what is printed")
        self.vanished = c.rad() > TINY


def fraction(text: str) -> fmpq:
    top, _, below = text.partition("/")
    return fmpq(int(top), int(below or 1))


def padded(row: arb_poly, count: int) -> list:
    return row.coeffs() + [arb(0)] * (count - len(row.coeffs()))


def positive(terms: list, low: arb, high: arb, depth: int = 0) -> bool:
    """Whether sum c t^j |log t|^q > 0 for all 1/|log t| in (low, high]."""
    v, found = between(low, high), arb(0)
    for j, q, c in terms:
        if j == 0:
            size = raised(v, -int(q))
        elif low > 0:
            size = (-j / v - v.log() * q).exp()
        else:  # it falls with t
            size = between(arb(0), (-j / high - high.log() * q).exp())
            found = found if j / high >= q else arb("nan")
        found += c * size
    if found > 0:
        return True
    middle = ((low + high) / 2).mid()
    return depth < 16 and positive(terms, low, middle, depth + 1) and positive(terms, middle, high, depth + 1)


# ---- steps that fall with the layer ---------------------------------------------------------------------------------


class Falling(Parabolic):
    """x_l = x_(l-1) - delta_l h(x_(l-1)), delta_l = a/(l + b): T, T' = -1/h, moves by delta_l but for delta_l^2.

    |T(x - delta h) - T(x) - delta| <= delta^2 eta/(2 (1 - delta eta)), eta = sup |h'|, so T(x_l)/a = log l + C/a
    up to a multiple of 1/l, and T/a, log l and C/a are what A, l and C are for a map.  So it is where |C| t^m <<
    1; from there to t_n the claim is an inequality in t and C on small intervals, by its derivatives.
    """

    deepest, room, clock = "n", "1.01", staticmethod(arb.log)

    def series(self) -> None:
        steps, x, h = self.map["steps"], self.map["variable"], self.map["formula"]
        if self.linear is not None:
            raise NotCovered("linear recursions along steps that fall with the layer")
        if steps.get("exponent", "1") != "1":
            raise NotCovered("steps that fall like another power of the layer than 1/l")
        self.m, self.p = self.m - self.root, self.last + 1 + self.m - self.root
        self.speed, self.later = self.number(steps["weight"]), self.number(steps["shift"])
        others = {int(layer): self.number(size) for layer, size in steps["others"].items()}
        require(max(others, default=0) < self.layer and self.speed > 0 and 2 * self.later >= -1, "the step sizes")
        self.size = lambda layer: others.get(layer, self.speed / (layer + self.later))
        t = sympy.Symbol(x, positive=True)
        known = {name: sympy.Symbol(name) for name in self.names} | {x: t}
        self.step = self.of(sympy.sstr(symbolic(h, known).subs(t, t**self.root)))
        self.alpha = {k: c for k, c in self._time(arb(0))[0].items() if k <= self.last}

    def _time(self, top: arb) -> tuple:
        """The coefficients of T/a up to t^(N+1), and u = h/t^k, on [0, top]."""
        k, parts = self.m + self.root, [between(top * fmpq(j, 16), top * fmpq(j + 1, 16)) for j in range(16)]
        parts = [coefficients(self.step, part, self.p + k + 1) for part in ([top] if top.is_zero() else parts)]
        require(not top.is_zero() or all(vanishes(parts[0][j]) for j in range(k)), f"h does not begin with t^{k}")
        u = shift(arb_series([hull(part[j] for part in parts) for j in range(self.p + k + 1)], self.p + k + 1), k)
        require(u[0] > 0, "h > 0")
        rate = 1 / u * (-self.root / self.speed)
        return {j - self.m: rate[j] / (j - self.m) if j != self.m else rate[j] for j in range(self.p + 1)}, u

    def _fall(self, t):
        """-(T/a)' = root/(a t^(m+1) u), by the formula of h at one place, by bounds of u on an interval."""
        n = self.m + 1
        if isinstance(t, arb_series) and t[0].rad() > TINY:  # t^-n term by term: a quotient of series would be wide
            ends = arb(t[0].lower()), arb(t[0].upper())
            powers = [hull(1 / x ** (n + k) for x in ends) * comb(n - 1 + k, k) * (-1) ** k for k in range(t.prec)]
            return arb_series(powers, t.prec) / self.u * self.root / self.speed
        if isinstance(t, arb) and t.rad() > TINY:
            middle = arb(t.mid())
            u = self.step(middle) / middle ** (n - 1 + self.root) + self.u[1] * (t - middle)
            return self.root / (self.speed * t**n * u)
        return raised(t, self.root - 1) * self.root / (self.step(t) * self.speed)

    def _integral(self, low: arb, high: arb) -> arb:
        """By the Taylor series about the middle."""
        middle, r, last = (low + high) / 2, (high - low) / 2, self.p - self.p % 2
        near, over = (coefficients(self._fall, x, last + 1) for x in (middle, between(low, high)))
        parts = [near[j] for j in range(0, last, 2)] + [over[last]]
        return sum(c * 2 * raised(r, 2 * j + 1) / (2 * j + 1) for j, c in enumerate(parts))

    def bounds(self, top: arb) -> None:
        """By how much T_N is wrong on (0, top]."""
        self.top, self.of_abel = top, abs(self._time(top)[0][self.p - self.m]).upper()

    def _at(self, t: arb) -> arb:
        """T/a by its series."""
        known = polynomial({k: c for k, c in self.alpha.items() if k}, t) + self.alpha[0] * t.log()
        return known + arb(0, (self.of_abel * t ** (self.p - self.m)).upper())

    def following(self, layer: int, t: tuple, ends: tuple) -> tuple:
        x = self.map["variable"]
        return image(formula(f"{x} - step*({self.map['formula']})", {**self.names, "step": self.size(layer)}, x), ends)

    def deeper(self, attempt: int) -> int:
        return self.layer

    def _times(self, t: arb):
        """(t_k, T/a there) from the end of the series' interval to t."""
        low, time = self.top, self._at(self.top)
        yield low, time
        while low < t:
            high = arb(low * arb("1.125")).mid().min(t)
            low, time = high, time - self._integral(low, high)
            yield low, time

    def at(self, layer: int, states: list) -> tuple:
        t, c = states[layer - self.first][0], arb(0)
        box, following, self.u = between(arb(0), t[1].upper()), self.size(layer + 1), self._time(t[1].upper())[1]
        eta = abs(box**self.m * (self.u[0] * (self.m + self.root) + box * self.u[1]) / self.root).upper()
        require(following * eta < 1, "a layer is a small step")
        steps = (self.speed * eta / (2 - 2 * following * eta)).upper()
        least = self.later * layer / (layer + 1 + self.later)  # psi(l + 1 + b) - log l, times l
        most = self.later + 1 - fmpq(layer, 2) / (layer + 1 + self.later)
        drift = hull((self.later, least, most)) + arb(0, steps)
        self.of_layers = drift * arb(0, (abs(drift) / layer).upper()).exp()  # T/a - C/a - log l, times exp(T/a - C/a)
        self.bounds((t[0] / 64).lower())
        times = [list(self._times(x.mid()))[-1][1] + self._fall(x) * (x.mid() - x) for x in t]
        c = (between(*times) - (layer + 1 + self.later).digamma() + arb(0, (steps / layer).upper())) * self.speed
        while not abs(c) * self.top**self.m < self.speed / 160:
            self.top = self.top / 2
        self.bounds(self.top)
        for (low, time), (high, _) in pairwise(self._times(t[1].upper())):
            self._between(low, high, time, c)
        clock, q = self._at(self.top) - c / self.speed, self.p - self.m
        require(self.root / (self.speed * self.u[0] * self.top**self.m) > q, "1/l falls faster than the rest of T")
        self.of_abel += (abs(self.of_layers) * (-clock).exp() / self.top**q).upper()
        self._later_layers(c, None, arb(1))
        self.first_layers(states, self._law(c, None), layer)
        return c, None

    def _between(self, low: arb, high: arb, time: arb, c: arb, depth: int = 0) -> None:
        """The claim for t in [low, high] and all C: by the mean value form."""
        t, middle = between(low, high), c.mid()
        fall = self._fall(t)
        over = time - fall * between(arb(0), high - low) - c / self.speed
        wrong = -self.of_layers * (-over).exp()
        point = self._margins(low, time - middle / self.speed + wrong, middle)
        by_t = self._margins(arb_series([t, 1], 2), arb_series([over + wrong, -fall], 2), c)
        by_c = self._margins(t, arb_series([over + wrong, -1 / self.speed], 2), arb_series([c, 1], 2))
        moved = (x[1] * between(arb(0), high - low) + y[1] * (c - middle) for x, y in zip(by_t, by_c, strict=True))
        if all(margin + more > 0 for margin, more in zip(point, moved, strict=True)):
            return
        require(depth < 12, f"the bound does not hold at t = {low.str(6)}")
        half = ((low + high) / 2).mid()
        self._between(low, half, time, c, depth + 1)
        self._between(half, high, time - self._integral(low, half), c, depth + 1)

    def _margins(self, t, clock, c) -> tuple:
        """B monomial -+ (quantity - law), where log l is `clock`."""
        def term(place: dict, value):
            return (clock.log() * -arb(fraction(place["order"]))).exp() * raised(clock.log(), place["logs"]) * value

        law = sum((term(x, self.number(x["coefficient"], C=c)) for x in self.record["terms"]), self.offset)
        off = raised(t, self.e) * self.sign - law
        most = term(self.record["remainder"], self.claimed)
        return most - off, most + off

    def figures(self, t: tuple) -> None:
        holds(self.steps["orbit"]["t_n"], t, "t in layer n", "1e-9")
        for name, value in (("a", self.speed), ("beta", self.later)):
            holds(self.steps["map"][name], (value, value), name, "1e-9")
        most = decimal(self.steps["first layers"]["largest"])
        require(self.start["from"] != self.start["to"] or most <= self.deviation * arb("1.01"), "the first layers")


# ---- hyperbolic maps ------------------------------------------------------------------------------------------------


class Hyperbolic(Checked):
    """U_N = t + s_2 t^2 + .., H = lambda(0)^l h, h_N = exp(sum beta_k t^k), P_N = sum p_k t^k + r l U^h h."""

    def deeper(self, attempt: int) -> int:
        return self.layer + (0, 8, 32, 128)[attempt]

    def series(self) -> None:
        u = self._u(arb(0))
        self.mu, self.h = u[0], None
        require(0 < abs(self.mu) < 1 and self.m == 0, "the multiplier")
        self.koenigs, _ = solve(arb(0), *self._koenigs(arb(0), u))
        for name, value in self.names.items():
            if vanishes(value - self.mu**self.root):
                self.uncovered.discard(f"the digits of {name}")
        if self.linear is not None:
            multiplier = coefficients(self.of(self.linear["multiplier"]), arb(0), u.prec)
            self.slope, self.h = multiplier[0], self.linear["power"]
            require(self.h is None or vanishes(self.slope - self.mu**self.h), "lambda(0) = mu^power")
            self.beta, _ = solve(arb(0), *self._homogeneous(u, multiplier))
            self.particular, _ = solve(arb(0), *self._particular(arb(0), u, multiplier, arb(0), arb(0)))
            require(all(c.is_finite() for c in self.particular.values()), "lambda(0) is not a power of mu")

    def _u(self, base: arb) -> arb_series:
        """t'/t."""
        found = coefficients(self.step, base, self.last + 3 + self.root)
        require(not base.is_zero() or all(vanishes(found[k]) for k in range(self.root)), "the fixed point")
        found = shift(found, self.root)
        return found if self.root == 1 else (found.log() / self.root).exp()

    def _koenigs(self, base: arb, u: arb_series) -> tuple:
        rows = {k: (k, raised(u, k) - self.mu) for k in range(2, self.last + 1)}
        return (u - self.mu) * arb_series([base, 1], prec=u.prec), rows

    def _homogeneous(self, u: arb_series, multiplier: arb_series) -> tuple:
        return -(multiplier / self.slope).log(), {k: (k, raised(u, k) - 1) for k in range(1, self.last + 1)}

    def _particular(self, base: arb, u: arb_series, multiplier: arb_series, of_koenigs: arb, of_log: arb) -> tuple:
        """r is the number of k = h."""
        rows = {k: (k, raised(u, k) - multiplier) for k in range(self.last + 1)}
        if self.h is not None:
            t = arb_series([base, 1], prec=u.prec)
            rows[self.h] = self.h, multiplier * self._h(t, of_log) * (self._ratio(t, of_koenigs) ** self.h)
        return -coefficients(self.of(self.linear["forcing"]), base, u.prec), rows

    def _h(self, t, error: arb):
        return (polynomial(self.beta, t) + raised(t, self.last + 1) * error).exp()

    def _ratio(self, t, error: arb):
        """U/t."""
        return polynomial(self.koenigs, t, -1) + 1 + raised(t, self.last) * error

    def bounds(self, t: tuple) -> None:
        """What U_N, h_N and P_N are wrong by where the orbit is from now on, over |t|^(N+1)."""
        n, whole = self.last + 1, between(arb(0), between(*t))
        self.box = box = between(whole, -whole) if self.mu < 0 else whole
        u = self._u(box)
        size, self.size = abs(u[0]).upper(), abs(box).upper()
        require(size < 1 and (self.mu < 0 or u[0] > 0), "t falls")

        def over(defect: arb_series, scale: arb) -> arb:
            """sum over the orbit of the defect over scale^j."""
            require(scale > size**n, "the defects add up")
            return abs(defect[n]).upper() / (scale - size**n)

        self.of_koenigs = arb(0, over(solve(box, *self._koenigs(box, u), self.koenigs)[1], abs(self.mu)).upper())
        if self.linear is not None:
            multiplier = coefficients(self.of(self.linear["multiplier"]), box, u.prec)
            require(multiplier[0] / self.slope > 0, "lambda has no zero")
            error = over(solve(box, *self._homogeneous(u, multiplier), self.beta)[1], arb(1))
            self.of_log = arb(0, error.upper())
            rows = self._particular(box, u, multiplier, self.of_koenigs, self.of_log)
            defect = solve(box, *rows, self.particular)[1]
            h = self._h(box, self.of_log)
            self.of_particular = arb(0, (over(defect, abs(self.slope)) * h.upper() / h.lower()).upper())

    def at(self, layer: int, states: list) -> tuple:
        (t, a), thin = states[layer - self.first], states[0][0][0] is states[0][0][1]
        if not thin and self.linear is not None:
            raise NotCovered("linear recursions along a hyperbolic map for an interval of starts")
        self.bounds(t)
        both = between(*t)
        rises = polynomial({k - 1: c * k for k, c in self.koenigs.items()}, both) + 1
        require(thin or rises > 0, "U_N rises")
        z = between(*(x * self._ratio(x, self.of_koenigs) for x in t))
        c, weight, second = z / self.mu**layer, None, None
        if a is not None:
            known, h = self._known(), self._h(both, self.of_log)
            moved = a[0] - polynomial(known, both) - raised(both, self.last + 1) * self.of_particular
            weight = moved / (h * self.slope**layer)
            second = weight
            if self.h is not None:
                weight = moved / (h * z**self.h) - self.particular[self.h] * layer
                second = weight - self.particular[self.h] * abs(c).log() / abs(self.mu).log()
        names = {"C": c**self.root} | ({} if second is None else {"D": second})
        self._later_layers(layer, c, weight, names)
        self.first_layers(states, lambda depth: self._law(depth, names), layer)
        return c**self.root, second

    def _known(self) -> dict:
        return {k: c for k, c in self.particular.items() if k != self.h}

    def figures(self, t: tuple) -> None:
        holds(self.steps["map"]["mu"], (self.mu, self.mu), "mu")
        ends, claimed = (
            [c * raised(self.mu, self.layer) ** self.root for c, _ in self.constants],
            self.steps["inversion"],
        )
        for own, name in ((largest(t), "t_(l_1)"), (power(largest(ends), fmpq(1, self.root)), "z_(l_1)")):
            fits = abs(own - decimal(claimed[name])) <= own * arb("1e-4") or len(self.constants) > 1
            require(fits or self.start["from"] != self.start["to"], name)
        radius, bound, bend = (decimal(self.steps[step][name]) for step, name in FIGURES[:2] + BEND)
        for s in circle(radius):
            u = power(self.step(s) / s**self.root, fmpq(1, self.root))
            require(abs(u - self.mu) <= bend * abs(s) * (1 + TINY), "R or M_2")
            defect = s * u * self._ratio(s * u, arb(0)) - self.mu * s * self._ratio(s, arb(0))
            require(abs(defect) <= bound * abs(s) ** (self.last + 1), "R or M")

    # ---- what is printed --------------------------------------------------------------------------------

    def _place(self, given: dict) -> tuple:
        """(whether lambda(0)^l is a factor, k of mu^(k l), logs)."""
        text = str(given["power"])
        return "w" in text, int(formula(text, {"w": fmpq(0)})(0).str(radius=False).split(".")[0]), given["logs"]

    def _unit(self, layer: int, place: tuple) -> arb:
        weighted, k, logs = place
        return self.mu ** (k * layer) * arb(layer) ** logs * (self.slope**layer if weighted else 1)

    def _law(self, layer: int, names: dict) -> tuple:
        terms = [(self.number(x["coefficient"], **names), self._place(x)) for x in self.record["terms"]]
        law = sum((c * self._unit(layer, place) for c, place in terms), self.offset)
        return law, abs(self._unit(layer, self._place(self.record["remainder"])))

    def _left(self, t: arb_series, c: arb, weight: arb | None, names: dict) -> dict:
        """quantity - law as {(whether times lambda(0)^l, logs): a function of t}."""
        ratio, end = self._ratio(t, self.of_koenigs), raised(t, self.last + 1)
        if weight is None:
            found = {(False, 0): raised(t, self.root) * self.sign}
        else:
            h, found = self._h(t, self.of_log), {(False, 0): polynomial(self._known(), t) + end * self.of_particular}
            if self.h is None:
                found[True, 0] = h * weight
            else:
                found[False, 0] = found[False, 0] + (t * ratio) ** self.h * h * weight
                found[False, 1] = (t * ratio) ** self.h * h * self.particular[self.h]
        for term in self.record["terms"]:
            weighted, k, logs = self._place(term)
            require((weighted, logs) in found, f"{term} is a term of such a law")
            if weight is None:  # coefficient/C^(k/root) is free of C
                symbol = sympy.Symbol("C", positive=True if self.root > 1 else None)
                known = {name: sympy.Symbol(name) for name in self.names} | {"C": symbol}
                coefficient = symbolic(term["coefficient"], known)
                free = sympy.simplify(coefficient / symbol ** sympy.Rational(k, self.root))
                require(symbol not in free.free_symbols, f"{term} goes like a power of C")
                value = self.number(sympy.sstr(free))
            else:
                value = self.number(term["coefficient"], **names) / c**k
            found[weighted, logs] = found[weighted, logs] - (t * ratio) ** k * value
        return found

    def _later_layers(self, layer: int, c: arb, weight: arb | None, names: dict) -> None:
        """|quantity - law| <= B monomial from the layer on."""
        t = [arb_series([base, 1], prec=self.last + 2) for base in (arb(0), self.box)]
        at_zero, over_box = (self._left(x, c, weight, names) for x in t)
        rest, n, found = self._place(self.record["remainder"]), self.last + 1, arb(0)
        log_mu = -abs(self.mu).log()
        log_s = arb(0) if weight is None or self.h is not None else abs(self.slope).log()

        def gain(key: tuple, k: int) -> arb:
            """-log of the ratio of two successive lambda(0)^l mu^(k l) over the remainder."""
            return log_mu * (k - rest[1]) + log_s * (rest[0] - key[0])

        for key, left in at_zero.items():
            first = rest[1] + (key[1] > rest[2])
            if key[0] != rest[0]:
                first = next(k for k in range(n) if gain(key, k) > 0)
            require(first < n, "N is too small")
            require(all(vanishes(left[k]) for k in range(first)), f"what is left of {key} beside what is printed")
            same = key[0] == rest[0] and first == rest[1]
            falls, more = arb(0) if same else gain(key, first), key[1] - rest[2]
            require(more <= 0 or falls * layer >= more, "l_1 is too early")
            both = zip((left, over_box[key]), t, strict=True)
            here, there = (f * raised(self._ratio(x, self.of_koenigs), -first) for f, x in both)
            sup = polynomial({k: here[k] if k < n else there[k] for k in range(first, n + 1)}, self.box, -first)
            found += abs(sup).upper() * raised(abs(c), first) * (-falls * layer).exp() * arb(layer) ** more
        require(found <= self.claimed, f"B is below {found.str(8)} beyond l_1")


KINDS = {"parabolic": Parabolic, "hyperbolic": Hyperbolic, "driven": Falling, "scaled": Falling}


def check(record: dict) -> list[str]:
    """Verifies a certificate and says what of it is not covered; `Refuted` or `NotCovered` where it cannot."""
    before = flint.ctx.prec, flint.ctx.cap
    flint.ctx.prec, flint.ctx.cap = BITS, 1000
    try:
        checked = KINDS[record["kind"]](record)
        checked.check()
        return sorted(checked.uncovered)
    finally:
        flint.ctx.prec, flint.ctx.cap = before


def main(path: str) -> int:
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    try:
        record = record.get("certificate", record)  # as `asympt prove --format json` writes it
        left_out = check(record)
        print("verified" + (", but for: " + "; ".join(left_out) if left_out else ""))
        return 0
    except NotCovered as reason:
        print(f"not covered: {reason}")
        return 2
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as reason:
        print(f"not covered: the file is no such certificate ({type(reason).__name__}: {reason})")
        return 2
    except Refuted as reason:
        print(f"refused: {reason}")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
