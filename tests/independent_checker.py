"""Verifies a certificate of asympt (docs/certificates.md) without asympt:  python tests/independent_checker.py FILE

python-flint does the balls, SymPy simplifies derivatives.  Own series, circle and orbit.  Beyond l_1, with X = l^(-1/m)
and L = log l, everything is a power series in eps = X L^(1/m) with polynomials in lam = L^(-1/m) as coefficients and a
bounded rest (`Model`): two such series are put into Abel's (Koenigs') equation and seen to lie on both sides of the
orbit, and the claimed bounds are seen to be barriers of the linear recursion.

What it does not cover it names.  Verified are the entries, not the sentences.  Taken for exactly 0 are numbers that
are seen to vanish and vanish by algebra: u(0) - 1, the coefficients of t, .., t^(m-1) in u, and what the printed terms
leave of the series above their remainder.
"""

import ast
import json
import sys
from fractions import Fraction
from functools import reduce
from itertools import islice, product
from math import comb

import flint
import sympy
from flint import acb, arb, arb_poly, arb_series

BITS, FEWER, ARCS, MORE, DEEP, DEEPER, TINY = 640, 256, 400, 24, 60, 3, arb("1e-50")
FUNCTIONS = ("sqrt", "exp", "log", "sin", "cos", "sinh", "cosh", "tanh", "asin", "atan", "erf")


class Refuted(Exception):
    """A claim is wrong, or is not confirmed."""


class NotCovered(Exception):
    """The certificate claims something for which there is no method here."""


def require(condition, claim: str) -> None:
    if not condition:
        raise Refuted(claim)


def near(own: arb, claimed: str, name: str, within: str = "1e-3") -> None:
    fits = abs(own - arb(claimed)) <= arb(within) * abs(arb(claimed)) + TINY
    require(fits, f"{name} = {claimed}, and {own.str(8)} here")


# ---- formulas of balls, of power series, and of arcs of a circle (then each operation is seen to be analytic inside) -


def apply(name: str, x):
    if name in ("sinh", "cosh", "tanh"):
        up, down = x.exp(), (x * -1).exp()
        odd, even = (up - down) / 2, (up + down) / 2
        return {"sinh": odd, "cosh": even}[name] if name != "tanh" else odd * power(even, -1)
    if isinstance(x, acb):
        inside = {"sqrt": x, "log": x, "asin": 1 - x * x, "atan": 1 + x * x}.get(name, acb(1))
        require(inside.real > 0, f"{name} is not seen to be analytic in the disc")
    elif isinstance(x, arb) and name == "sqrt" and x.lower() < 0:
        return x.nonnegative_part().sqrt()
    elif isinstance(x, arb) and name == "asin" and not abs(x) < 1:
        ends = [e.asin() if abs(e) < 1 else arb.pi() / 2 * (1 if e > 0 else -1) for e in (x.lower(), x.upper())]
        return ends[0].union(ends[1])
    return getattr(x, name)()


def power(x, exponent):
    exponent = Fraction(exponent)
    if exponent.denominator == 2:
        return power(apply("sqrt", x), exponent.numerator)
    if exponent.denominator > 1:
        return (apply("log", x) * lift(exponent)).exp()
    if exponent < 0 and isinstance(x, acb):
        require(x.real > 0, "a denominator is not seen to have no zero in the disc")
    return x ** int(exponent) if exponent >= 0 else 1 / x ** int(-exponent)


def lift(value):
    return arb(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def evaluate(node, names: dict):
    """A formula in Python's notation, or its tree; whole numbers and their quotients stay exact."""
    if isinstance(node, str):
        return lift(evaluate(ast.parse(node, mode="eval").body, names))
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Fraction(node.value)
    if isinstance(node, ast.Name) and node.id in {"pi", "E", *names}:
        return names[node.id] if node.id in names else arb.pi() if node.id == "pi" else arb(1).exp()
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return evaluate(node.operand, names) * -1
    if isinstance(node, ast.Call) and ast.unparse(node.func) in FUNCTIONS:
        return apply(node.func.id, lift(evaluate(node.args[0], names)))
    if not isinstance(node, ast.BinOp):
        raise NotCovered(f"formulas with {ast.unparse(node)}")
    a, b = evaluate(node.left, names), evaluate(node.right, names)
    if isinstance(node.op, ast.Pow) and isinstance(b, Fraction):
        return a ** int(b) if isinstance(a, Fraction) and b.denominator == 1 else power(lift(a), b)
    if not (isinstance(a, Fraction) and isinstance(b, Fraction)):
        a, b = lift(a), lift(b)
    if isinstance(node.op, ast.Div):
        return a / b if isinstance(b, Fraction | arb) else a * power(b, -1)
    return a + b if isinstance(node.op, ast.Add) else a + b * -1 if isinstance(node.op, ast.Sub) else a * b


class Function:
    """A formula in one variable, and its derivative, which SymPy takes and simplifies."""

    def __init__(self, formula: str, variable: str, names: dict):
        symbols = {name: sympy.Symbol(name) for name in {variable, *names}}
        derivative = sympy.simplify(sympy.sympify(formula, symbols).diff(symbols[variable]))
        self.trees = [ast.parse(text, mode="eval").body for text in (formula, str(derivative))]
        self.variable, self.names = variable, names

    def __call__(self, x, order: int = 0):
        return lift(evaluate(self.trees[order], {**self.names, self.variable: x}))

    def at(self, x: arb) -> arb:
        """Its value by the mean value form, or plainly where the derivative is not finite."""
        value = self(x.mid()) + self(x, 1) * (x - x.mid())
        return value if value.is_finite() else self(x)

    def image(self, low: arb, high: arb) -> tuple:
        """The ends of what it takes between two balls."""
        if low is high:
            value = self.at(low)
            return value, value
        whole = low.union(high)
        slope = arb(self(whole, 1))
        if slope > 0 or slope < 0:
            return (self.at(low), self.at(high)) if slope > 0 else (self.at(high), self.at(low))
        if whole.rad() < arb(2) ** -100:
            return self(whole).lower(), self(whole).upper()
        parts = self.image(low, whole.mid()), self.image(whole.mid(), high)
        return parts[0][0].lower().min(parts[1][0].lower()), parts[0][1].upper().max(parts[1][1].upper())


# ---- Taylor models ---------------------------------------------------------------------------------------------------


class Model:
    """sum_(j<K) c_j(lam) eps^j + rest eps^K for 0 <= lam <= lam_1, 0 <= eps <= eps_1; box = (K, lam, eps)."""

    def __init__(self, box: tuple, rows: list, rest=0):
        self.box, self.rest = box, arb(rest)
        self.rows = [arb_poly(row) for row in rows] + [arb_poly([])] * (box[0] - len(rows))

    def term(self, value, weight: int, lam: int) -> "Model":
        """value eps^weight lam^lam."""
        size, inner, eps = self.box
        if weight >= size:
            return Model(self.box, [], value * inner**lam * eps ** (weight - size))
        return Model(self.box, [[]] * weight + [[0] * lam + [value]])

    def over(self, j: int = 0) -> arb:
        """What is left from eps^j on, over eps^j."""
        size, lam, eps = self.box
        return sum((row(lam) * eps**k for k, row in enumerate(self.rows[j:])), self.rest * eps ** (size - j))

    def __add__(self, other) -> "Model":
        other = other if isinstance(other, Model) else self.term(other, 0, 0)
        return Model(self.box, [a + b for a, b in zip(self.rows, other.rows, strict=True)], self.rest + other.rest)

    def __mul__(self, other) -> "Model":
        if not isinstance(other, Model):
            return Model(self.box, [row * other for row in self.rows], self.rest * other)
        (size, lam, eps), rows = self.box, [arb_poly([])] * self.box[0]
        rest = self.rest * other.over() + other.rest * Model(self.box, self.rows).over()
        for j, k in ((j, k) for j in range(size) for k in range(size) if len(self.rows[j]) and len(other.rows[k])):
            if j + k < size:
                rows[j + k] = rows[j + k] + self.rows[j] * other.rows[k]
            else:
                rest += self.rows[j](lam) * other.rows[k](lam) * eps ** (j + k - size)
        return Model(self.box, rows, rest)

    def series(self, coefficients: list, last: arb) -> "Model":
        """sum_(j<n) coefficients[j] z^j + last z^n of a z without constant term."""
        found = self.term(coefficients[-1], 0, 0)
        for c in coefficients[-2::-1]:
            found = found * self + c
        n, size = len(coefficients), self.box[0]
        return found + Model(self.box, [], last * self.over(1) ** n * self.box[2] ** (n - size))

    def exp(self) -> "Model":
        n, between = self.box[0], self.over().union(arb(0)).exp()
        return self.series([1 / arb(j + 1).gamma() for j in range(n)], between / arb(n + 1).gamma())

    def log1p(self) -> "Model":
        n, inner = self.box[0], 1 + self.over().union(arb(0))
        require(inner > 0, "l_1 is too early")
        return self.series([arb(0)] + [arb((-1) ** (j + 1)) / j for j in range(1, n)], (-1) ** (n + 1) / inner**n / n)


# ---- what both kinds have in common ----------------------------------------------------------------------------------


class Checked:
    """The entries of a certificate, its orbit and its first layers."""

    def __init__(self, record: dict):
        self.record, self.uncovered = record, []
        self.steps = {step["name"]: step["figures"] for step in record["steps"]}
        if record["format"] != "asympt certificate 1" or record["map"]["formula"] is None:
            raise NotCovered("maps without a formula")
        self.names = {}
        for name, given in record["parameters"].items():
            self.names[name] = arb(given["between"][0]).union(arb(given["between"][1]))
            self._named(name, given)
        self.t, self.root, self.m = (record["map"][key] for key in ("variable", "root", "order"))
        self.layer, self.first = int(self.steps["first layers"]["l_1"]), record["start"]["layer"]
        self.last, self.radius = int(self.steps["circle bound"]["N"]), arb(self.steps["radius"]["R"])
        self.claimed = arb(record["constant"])
        self.average = bool(record["quantity"].get("average"))
        self._same_figures()
        self._same_start()

    def _named(self, name: str, given: dict) -> None:
        if given["zero"] is None and self.record["kind"] == "hyperbolic" and name in self.record["monomial"]:
            return  # the multiplier: compared with its series
        if given["zero"] is None:
            self.uncovered.append(f"the digits of {name}")
            return
        ends = [evaluate(given["zero"], {**self.names, name: arb(end)}) for end in given["between"]]
        require(ends[0] * ends[1] < 0, f"{name} does not lie between its digits")

    def _same_figures(self) -> None:
        """Figures that say the same thing twice."""
        record, figures = self.record, self.steps["first layers"]
        require(int(figures["l_0"]) == record["valid_from"] >= max(2, self.first), "l_0")
        require(f">= {record['valid_from']} " in record["statement"] + " ", "the statement has another l_0")
        require(f"<= {record['constant']}" in record["statement"], "the statement has another bound")
        for end in ("from", "to"):
            require(record["start"][end] in record["statement"], "the statement has another start")
        tail = sum((arb(value) for value in self.steps["tail"].values()), arb(0))
        near(tail.max(arb(figures["largest"])), record["constant"], "the larger of tail and first layers", "2e-5")

    def _same_start(self) -> None:
        """The distances are those of the starts."""
        start, quantity, distances = self.record["start"], self.record["quantity"], []
        for x in map(self.number, start["distances"]):
            t = x.root(self.root) if self.root > 1 else x
            e = quantity.get("exponent", self.root)
            moving = power(t, e) * quantity.get("sign", 1) + self.number(quantity.get("offset", "0"))
            distances.append(1 - x if start["name"] == "correlation" else moving)
        for end in map(self.number, (start["from"], start["to"])):
            require(any(abs(end - x) < TINY for x in distances), "the distances are not those of the starts")

    def of(self, formula: str, variable: str | None = None) -> Function:
        return Function(formula, variable or self.t, self.names)

    def number(self, formula: str) -> arb:
        return evaluate(formula, self.names)

    def coefficients(self, formula: str, count: int) -> list:
        found = self.of(formula)(arb_series([0, 1], prec=count))
        found = found if isinstance(found, arb_series) else arb_series([found], prec=count)
        if not found[0].is_finite():
            raise NotCovered("formulas with a branch point at t = 0")
        return [found[k] for k in range(count)]

    def circle(self, *formulas: str, count: int = ARCS) -> list:
        """(t, values) on arcs of the upper half of |t| = R."""
        arcs = [(arb(k) / count).union(arb(k + 1) / count) for k in range(count)]
        circle, functions = [acb(a.cos_pi(), a.sin_pi()) * self.radius for a in arcs], [self.of(f) for f in formulas]
        return [(t, *(acb(f(t)) for f in functions)) for t in circle]

    def orbit(self):
        """(layer, ends of t, ends of a) from the start on."""
        ends = [self.number(x) for x in self.record["start"]["distances"]]
        ends = ends[:1] * 2 if self.record["start"]["distances"][0] == self.record["start"]["distances"][1] else ends
        linear, a, layer = self.record["linear"], None, self.first
        if linear is not None:
            a = self.of(linear["start"], "x").image(ends[0], ends[-1])
            along = [self.of(linear[key]) for key in ("multiplier", "forcing")]
        f, t = self.of(self.record["map"]["formula"]), self._rooted(*ends)
        while True:
            yield layer, t, a
            if a is not None:
                lam, b = (function.image(*t) for function in along)
                values = [x * y + z for x, y, z in product(lam, a, b)]
                one, ends = lam[0] * a[0] + b[0], ([v.lower() for v in values], [v.upper() for v in values])
                a = (one, one) if t[0] is t[1] else (reduce(arb.min, ends[0]), reduce(arb.max, ends[1]))
            t = self._rooted(*f.image(*t))
            layer += 1

    def _rooted(self, low: arb, high: arb) -> tuple:
        if self.root > 1:
            require(low > 0, "the orbit stays positive")
        ends = (x if self.root == 1 else x.root(self.root) for x in ((low,) if low is high else (low, high)))
        return tuple(ends) if low is not high else tuple(ends) * 2

    def largest(self, states: list, law) -> arb:
        """The largest deviation from the law over its monomial; law(l) = (the printed terms, the monomial)."""
        found = arb(0)
        for layer, t, a in states:
            if layer >= self.record["valid_from"]:
                printed, monomial = law(layer)
                for deviation in self.deviations(layer, t, a, printed):
                    found = found.max(abs(deviation / monomial).upper())
        require(found <= self.claimed, f"B = {self.claimed.str(8)} is below the deviation {found.str(8)} of a layer")
        return found

    def deviations(self, layer: int, t: tuple, a: tuple | None, printed: arb) -> list:
        quantity = self.record["quantity"]
        if a is not None:
            return [x / layer - printed if self.average else x - printed for x in a]
        offset, e = self.number(quantity["offset"]), quantity["exponent"]
        return [offset + quantity["sign"] * power(x, e) - printed for x in t]

    def constants(self, own: arb, key: str, name: str) -> None:
        """A constant here and in the certificate: the same ends up to a millionth, and no contradiction."""
        claimed = arb(self.record[key][0]).union(arb(self.record[key][1]))
        require(own.overlaps(claimed), f"{name} is {own.str(30)} and not {self.record[key]}")
        for mine, theirs in ((own.lower(), claimed.lower()), (own.upper(), claimed.upper())):
            require(abs(mine - theirs) < abs(own).upper() * arb("1e-5"), f"an end of {name} is {mine.str(12)}")
        self.names[name] = own


# ---- parabolic maps --------------------------------------------------------------------------------------------------


class Parabolic(Checked):
    """A_N(t) = sum alpha_k t^k + rho log t along the orbit, and with it t_l as a `Model` for all l >= l_1."""

    def check(self) -> None:
        self.series()
        self.circle_bound(int(self.steps["radius"]["arcs"]))
        near(self.defect_over(self.radius / 2), self.steps["circle bound"]["M"], "M", "1e-2")
        self.circle_bound(ARCS)
        orbit = self.orbit()
        states = list(islice(orbit, self.layer - self.first + 1))
        t = states[-1][1]
        self.top = t[1].upper()
        near(self.rate(self.top), self.steps["rate"]["a'"], "a'")
        claimed = self.steps["orbit"]["t_(l_1)"].strip("[]").split(", ")
        require(arb(claimed[0]) <= t[0].lower() and t[1].upper() <= arb(claimed[1]), "t in layer l_1")
        ends = [self.abel(x) + arb(0, self.error(self.top)) - self.layer for x in t]
        self.constants(ends[0].union(ends[1]), "connection_constant", "C")
        printed = " ".join(term["coefficient"] for term in self.record["terms"])
        if "D" in printed or ("C" in printed and t[0] is not t[1]):
            raise NotCovered("laws in which D stands, or C for an interval of starts")
        near(self.largest(states, self.law), self.steps["first layers"]["largest"], "the largest deviation", "1e-4")
        for attempt in range(DEEPER + 1):
            try:
                return self.deep_layers()
            except Refuted:
                if attempt == DEEPER:
                    raise
            flint.ctx.prec = BITS
            states = list(islice(orbit, self.layer))
            self.layer, self.top = 2 * self.layer, states[-1][1][1].upper()
            self.largest(states, self.law)

    def series(self) -> None:
        m, last = self.m, self.last
        self.p = last + m + 1
        n = self.p + m + MORE
        flint.ctx.cap = n + self.root
        found = self.coefficients(self.record["map"]["formula"], n + self.root)
        for k in range(self.root + m):
            exact = int(k == self.root)
            fits = abs(found[k] - exact) < TINY
            require(fits, f"the coefficient of {self.t}^{k} in the map is {found[k].str(8)}, not {exact}")
            found[k] = arb(exact)
        log_u = arb_series(found[self.root :], prec=n).log() / self.root
        self.rows = {k: (log_u * k).exp() - 1 if k else log_u for k in range(-m, last + 1)}
        require(self.rows[0][m] < 0, "the map falls")
        defect, self.alpha = [arb(-1)] + [arb(0)] * (n - m - 1), {}
        for k, row in self.rows.items():
            self.alpha[k] = -defect[k + m] / row[m]
            for j in range(max(0, k + m), len(defect)):
                if j - k < n:
                    defect[j] += self.alpha[k] * row[j - k]
        self.rho, self.known = self.alpha.pop(0), defect[self.p :]

    def circle_bound(self, count: int) -> None:
        largest, rates = arb(0), arb(0)
        for t, f in self.circle(self.record["map"]["formula"], count=count):
            v = f / t**self.root
            require(v.real > 0, "the map over t^root is not seen to have no zero in the disc")
            w = v.log() / self.root
            d = sum((c * t**k * ((w * k).exp() - 1) for k, c in self.alpha.items()), self.rho * w - 1)
            largest, rates = largest.max(d.abs_upper()), rates.max(((w * -self.m).exp() - 1).abs_upper())
        require(largest.is_finite() and rates.is_finite(), "the defect is bounded on the circle")
        self.defect, self.rates = largest / self.radius**self.p, rates / self.radius**self.m

    def tail(self, bound: arb, t: arb, n: int) -> arb:
        return bound * (t / self.radius) ** n / (1 - t / self.radius)

    def defect_over(self, t: arb) -> arb:
        """sup |d(s)|/|s|^p over |s| <= t."""
        rest = self.tail(self.defect, t, len(self.known))
        return sum((abs(c) * t**j for j, c in enumerate(self.known)), rest).upper()

    def rate(self, t: arb) -> arb:
        known = [self.rows[-self.m][self.m + j] for j in range(MORE)]
        falls = sum((c.lower().min(0) * t**j for j, c in enumerate(known) if j), known[0])
        found = (falls - self.tail(self.rates, t, MORE)).lower()
        require(found > 0 and t < self.radius, "the orbit falls at a definite rate")
        return found

    def factor(self, t: arb) -> arb:
        """|A - A_N| <= factor s^(p-m) for 0 < s <= t."""
        return (self.defect_over(t) * (t**self.m + 1 / (self.rate(t) * (arb(self.p) / self.m - 1)))).upper()

    def error(self, t: arb) -> arb:
        return self.factor(t) * t ** (self.p - self.m)

    def abel(self, t: arb) -> arb:
        return sum((c * t**k for k, c in self.alpha.items()), self.rho * t.log())

    def law(self, layer: int) -> tuple:
        def of(term: dict) -> arb:
            return power(arb(layer), Fraction(term["order"]) * -1) * arb(layer).log() ** term["logs"]
        terms = self.record["terms"]
        return sum((self.number(t["coefficient"]) * of(t) for t in terms), arb(0)), of(self.record["remainder"])

    # ---- beyond l_1 -----------------------------------------------------------------------------------------

    def deep_layers(self) -> None:
        record, e = self.record, self.record["quantity"].get("exponent")
        flint.ctx.prec = FEWER
        self.log_l, self.unit = arb(self.layer).log(), power(self.alpha[-self.m], Fraction(1, self.m))
        lam, eps = (power(x, Fraction(1, self.m)) for x in (1 / self.log_l, self.log_l / self.layer))
        self.size = self.p + 1
        self.lam, self.eps = arb(0).union(lam), arb(0).union(eps)
        log_w = self.enclosed()
        shift = -e if record["linear"] is None else 0 if self.average else self.m
        weight, logs = self.place(record["remainder"], shift)
        empty = Model(log_w.box, [])
        printed = sum((self.shown(empty, t, shift) for t in record["terms"]), empty)
        if record["linear"] is None:
            moving = (log_w * e).exp() * (power(self.unit, e) * record["quantity"]["sign"])
            bound = self.claimed
            self.everywhere(moving + printed * -1, weight, logs, lambda found: abs(found) <= bound)
        else:
            self.barriers(log_w, weight, logs, shift)

    def place(self, term: dict, shift: int) -> tuple:
        weight = Fraction(term["order"]) * self.m + shift
        require(weight.denominator == 1 and weight >= self.m * term["logs"] >= 0, f"{term} is a term of such a law")
        return int(weight), term["logs"]

    def shown(self, empty: Model, term: dict, shift: int, number=None) -> Model:
        """A printed term as a model, without the offset of the orbit."""
        c = self.number(term["coefficient"]) if number is None else number
        if (term["order"], term["logs"]) == ("0", 0) and self.record["linear"] is None:
            require(abs(c - self.number(self.record["quantity"]["offset"])) < TINY, "the limit of the orbit")
            return empty
        weight, logs = self.place(term, shift)
        return empty.term(c, weight, weight - self.m * logs)

    def in_abel(self, log_w: Model) -> tuple:
        """X^m (A_N(t) - l - C), t = alpha^(1/m) X w: w^-m - 1, and the rest."""
        m, w = self.m, log_w.exp()
        up, found = w, log_w.term(-self.names["C"], m, m)
        for k in range(1, self.last + 1):
            found = found + up * log_w.term(self.alpha[k] * self.unit**k, m + k, m + k)
            up = up * w if m + k + 1 < log_w.box[0] else up.term(w.over() ** (k + 1), 0, 0)
        for k in range(1 - m, 0):
            found = found + (log_w * k).exp() * log_w.term(self.alpha[k] * self.unit**k, m + k, m + k)
        found = found + log_w * log_w.term(self.rho, m, m) + log_w.term(self.rho / m * self.alpha[-m].log(), m, m)
        return (log_w * -m).exp() + -1, found + log_w.term(self.rho / -m, m, 0)

    def enclosed(self) -> Model:
        """log w of the orbit for all l >= l_1: a formal solution, and two numbers between which the true one stays."""
        log_w = Model((1, arb(0), arb(0)), [])
        for size in range(2, self.size + 1):
            log_w = Model((size, arb(0), arb(0)), log_w.rows)
            log_w = (self.in_abel(log_w)[1] * -1).log1p() * (arb(-1) / self.m)
        log_w = Model((self.size, self.lam, self.eps), log_w.rows)
        k, top = self.size - 1, (log_w.over().upper() + arb("0.01")).exp()
        self.top = self.top.max((self.unit * power(arb(1) / self.layer, Fraction(1, self.m)) * top).upper())
        factor = self.factor(self.top)
        slope = sum((abs(j * c) * self.top ** (j + self.m) for j, c in self.alpha.items() if j > -self.m), arb(0))
        slope += abs(self.rho) * self.top**self.m + factor * (self.p - self.m) * self.top**self.p
        require(slope < self.m * self.alpha[-self.m], "the Abel function falls")
        error = factor * power(self.unit * top, self.p - self.m) * self.lam**self.p * self.eps ** (self.p - k)
        left = self.vanishing(sum(self.in_abel(log_w), Model(log_w.box, [])), k).over(k).abs_upper()
        width = ((left + error.abs_upper()) * 2 / self.m).upper()
        require(width * self.eps.upper() ** k < arb("0.01"), "l_1 is too early")
        for side in (1, -1):
            shifted = log_w + log_w.term(width * side, k, 0)
            found = self.vanishing(sum(self.in_abel(shifted), Model(log_w.box, [])), k).over(k) * side
            require(found + error.abs_upper() < 0, "the orbit is enclosed beyond l_1")
        return Model((k, self.lam, self.eps), log_w.rows[:k], arb(0, width))

    def vanishing(self, model: Model, weight: int) -> Model:
        """Without what is 0 below a weight."""
        for row in model.rows[:weight]:
            require(all(c.contains(0) for c in row.coeffs()), "a formal solution solves its equation")
        return Model(model.box, [[]] * weight + model.rows[weight:], model.rest)

    def everywhere(self, model: Model, weight: int, logs: int, test) -> None:
        """test(the model over X^weight log(l)^logs) for all l >= l_1."""
        m, size, terms = self.m, model.box[0], []
        for j, row in enumerate(model.rows):
            for i, c in enumerate(row.coeffs()):
                q = Fraction(j - i, m) - logs
                if j < weight or (j == weight and q > 0):
                    found = f"of X^{j} log(l)^{q + logs} there is {c.str(10)} beside what is printed"
                    require(c.contains(0) and c.rad() < arb("1e-12"), found)
                else:
                    terms.append((j - weight, q, c))
        terms.append((size - weight, Fraction(size, m) - logs, model.rest))
        pieces, end = [(self.log_l, arb(DEEP * m).max(self.log_l * 2), 0)], arb(DEEP * m).max(self.log_l * 2)
        last = arb(0)
        for j, q, c in terms:
            require(q * m <= j * DEEP * m, "the terms beyond fall")
            size_ = (-end * j / m).exp() * power(end, q)
            last += c * (1 if (j, q) == (0, 0) else arb(0).union(size_))
        require(test(last), "the bound holds as l goes to infinity")
        while pieces:
            low, high, depth = pieces.pop()
            both, x = low.union(high), ((high / -m).exp()).union((low / -m).exp())
            if not test(sum((c * x**j * power(both, q) for j, q, c in terms), arb(0))):
                require(depth < 12, f"the bound holds at log l = {both.mid().str(5, radius=False)}")
                middle = both.mid()
                pieces += [(low, middle, depth + 1), (middle, high, depth + 1)]

    def barriers(self, log_w: Model, weight: int, logs: int, shift: int) -> None:
        """U = law +- B monomial is above (below) the solution for ever: U(l + 1) - lambda U(l) - b has one sign."""
        record, m, empty = self.record, self.m, Model(log_w.box, [])
        h = record["linear"]["power"]
        if weight >= m + h:
            raise NotCovered("linear laws that reach the homogeneous solution")
        self.uncovered.append("the digits of D")
        t = log_w.exp() * empty.term(self.unit, 1, 1)
        values = list(zip(*self.circle(record["linear"]["multiplier"], record["linear"]["forcing"]), strict=True))[1:]
        n = log_w.box[0]
        known = self.coefficients(record["linear"]["multiplier"], m + 1)
        exact = [arb(1)] + [arb(0)] * (m - 1) + [self.rows[0][m] * h]
        fits = all(abs(a - b) < TINY for a, b in zip(known, exact, strict=True))
        require(fits, f"the homogeneous solution goes like t^{h}")
        along = []
        for key, arcs in zip(("multiplier", "forcing"), values, strict=True):
            largest = reduce(arb.max, [v.abs_upper() for v in arcs])
            require(largest.is_finite(), f"the {key} is bounded on the circle")
            rest = arb(0, (self.tail(largest, self.top, 0) / self.radius**n).upper())
            along.append(t.series(self.coefficients(record["linear"][key], n), rest))
        step = empty.term(arb(1), m, m)
        growth = step.log1p()
        for side in (1, -1):
            bound = {**record["remainder"], "coefficient": record["constant"]}
            here, after = empty, empty
            for term in (*record["terms"], bound):
                c = self.claimed * side if term is bound else self.number(term["coefficient"])
                a, b = self.place(term, shift)
                here = here + empty.term(c, a, a - m * b)
                for i in range(b + 1):
                    part = empty.term(c * comb(b, i), a, a - m * (b - i)) * (growth * (arb(-a) / m)).exp()
                    for _ in range(i):
                        part = part * growth
                    after = after + part
            left = after * (step + 1) + along[0] * here * -1 + along[1] * step * -1
            self.everywhere(left, weight + m, logs, lambda found, side=side: found * side > 0)


# ---- hyperbolic maps -------------------------------------------------------------------------------------------------


class Hyperbolic(Checked):
    """U_N(t) = t + s_2 t^2 + ... along the orbit, and with it t_l as a `Model` in |z|, z = mu^l c, for all l >= l_1."""

    def check(self) -> None:
        if self.record["linear"] is not None or any(t["logs"] for t in self.record["terms"]):
            raise NotCovered("linear recursions along a hyperbolic map")
        self.series()
        self.circle_bound(int(self.steps["radius"]["arcs"]))
        near(self.bend, self.steps["circle bound"]["M_2"], "M_2", "1e-2")
        self.circle_bound(ARCS)
        require(self.defect <= arb(self.steps["circle bound"]["M"]), f"M is {self.defect.str(8)} here")
        orbit = self.orbit()
        states = list(islice(orbit, self.layer - self.first + 1))
        t = states[-1][1]
        if t[0] is not t[1]:
            raise NotCovered("hyperbolic laws for an interval of starts")
        layer, (deeper, _), _ = next(islice(orbit, DEEP, None))
        self.c = (self.koenigs(deeper) + arb(0, self.error(abs(deeper).upper()).upper())) / self.mu**layer
        self.z = self.c * self.mu**self.layer
        for own, name in ((abs(t[0]), "t_(l_1)"), (abs(self.z), "z_(l_1)")):
            near(own, self.steps["inversion"][name], name, "1e-5")
        self.constants(self.c**self.root, "connection_constant", "C")
        near(self.largest(states, self.law), self.steps["first layers"]["largest"], "the largest deviation", "1e-4")
        for side in (1, -1) if self.mu < 0 else (1 if self.z > 0 else -1,):
            self.deep_layers(side)

    def series(self) -> None:
        n = self.last + 2
        flint.ctx.cap = n + self.root
        found = self.coefficients(self.record["map"]["formula"], n + self.root)
        require(all(c.contains(0) for c in found[: self.root]), "the fixed point")
        u = power(arb_series(found[self.root :], prec=n), Fraction(1, self.root))
        self.mu, powers = u[0], [u**j for j in range(self.last + 1)]
        require(0 < abs(self.mu) < 1, "the multiplier")
        low, high = self.steps["map"]["mu"].strip("[]").split(", ")
        require(self.mu.overlaps(arb(low).union(arb(high))), "mu")
        self.terms = [arb(0), arb(1)]
        for k in range(2, self.last + 1):
            source = sum((self.terms[j] * powers[j][k - j] for j in range(1, k)), arb(0))
            self.terms.append(source / (self.mu - self.mu**k))
        for name, given in self.record["parameters"].items():
            if given["zero"] is None and name in self.record["monomial"]:
                require((self.names[name] - self.mu**self.root).contains(0), name)

    def koenigs(self, t, side: int = 1):
        return sum((t**k * (c * side ** (k - 1)) for k, c in enumerate(self.terms) if k > 1), t)

    def circle_bound(self, count: int) -> None:
        found, e = self.circle(self.record["map"]["formula"], count=count), Fraction(1, self.root)
        rows = [(t, power(f / t**self.root, e)) for t, f in found]
        require(all(abs(u) < 1 for _, u in rows), "the disc is mapped into itself")
        self.bend = reduce(arb.max, [abs(u - self.mu).upper() for _, u in rows]) / self.radius
        defects = [abs(self.koenigs(t * u) - self.mu * self.koenigs(t)).upper() for t, u in rows]
        self.defect = reduce(arb.max, defects) / self.radius ** (self.last + 1)

    def error(self, t: arb) -> arb:
        """|U - U_N| at most, for |s| <= t."""
        room = abs(self.mu) - (abs(self.mu) + self.bend * t) ** (self.last + 1)
        inside = t < self.radius and (abs(self.mu) + self.bend * t) ** 2 < abs(self.mu)
        require(room > 0 and inside, "Koenigs' function is known there")
        return self.defect * t ** (self.last + 1) / room

    def law(self, layer: int) -> tuple:
        terms = [self.number(t["coefficient"]) * self.mu ** (t["power"] * layer) for t in self.record["terms"]]
        offset = self.number(self.record["quantity"]["offset"])
        return sum(terms, offset), self.mu ** (self.record["remainder"]["power"] * layer)

    def deep_layers(self, side: int) -> None:
        """side: the sign of z."""
        n, size = self.last, abs(self.z).upper()
        t = Model((n + 1, arb(0), arb(0)), [])
        z = t.term(arb(1), 1, 0)
        for _ in range(n):
            t = z + (self.of_model(t, side) + t * -1) * -1
        box = (n + 1, arb(0), arb(0).union(size))
        t, z = Model(box, t.rows), Model(box, z.rows)
        left = (self.of_model(t, side) + z * -1).over(n)
        top = (size * (t.over(1).abs_upper() + arb("0.01"))).upper()
        bends = (abs(k * c) * top ** (k - 1) for k, c in enumerate(self.terms) if k > 1)
        slope = sum(bends, self.error(top) * (n + 1) / top)
        require(slope < 1, "U_N rises")
        error = self.error(top) / top ** (n + 1) * (t.over(1).abs_upper() + arb("0.01")) ** (n + 1) * size
        width = ((left.abs_upper() + error) * 2 / (1 - slope)).upper()
        require(width * size ** (n - 1) < arb("0.01"), "l_1 is too early")
        for above in (1, -1):
            moved = (self.of_model(t + t.term(width * above, n, 0), side) + z * -1).over(n) * above
            require(moved - error > 0, "the orbit is enclosed beyond l_1")
        t = Model((n, *box[1:]), t.rows[:n], t.rows[n](arb(0)) + arb(0, width))
        quantity, beyond = t, self.record["remainder"]["power"]
        for _ in range(self.root - 1):
            quantity = quantity * t
        sign = self.record["quantity"]["sign"]
        for term in self.record["terms"]:
            k, c = term["power"], self.number(term["coefficient"]) / self.c ** term["power"]
            quantity = quantity + quantity.term(c * (-sign * side ** (k + self.root)), k, 0)
        for k, row in enumerate(quantity.rows[:beyond]):
            fits = all(c.contains(0) and c.rad() < arb("1e-12") for c in row.coeffs())
            require(fits, f"the coefficient of mu^({k} l)")
        over = Model(quantity.box, [[]] * beyond + quantity.rows[beyond:], quantity.rest).over(beyond)
        require(abs(over * self.c**beyond) <= self.claimed, "the bound holds beyond l_1")

    def of_model(self, t: Model, side: int) -> Model:
        found, up = t, t
        for k, c in enumerate(self.terms[2:], 2):
            up = up * t
            found = found + up * (c * side ** (k - 1))
        return found


def check(record: dict) -> list[str]:
    """Verifies a certificate and says what of it is not covered; `Refuted` or `NotCovered` where it cannot."""
    before = flint.ctx.prec, flint.ctx.cap
    flint.ctx.prec = BITS
    try:
        checked = {"parabolic": Parabolic, "hyperbolic": Hyperbolic}[record["kind"]](record)
        checked.check()
        return sorted(set(checked.uncovered))
    finally:
        flint.ctx.prec, flint.ctx.cap = before


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        record = json.load(file)
    try:
        left_out = check(record)
        print("verified" + (", but for: " + "; ".join(left_out) if left_out else ""))
    except NotCovered as reason:
        print(f"not covered: {reason}")
        sys.exit(2)
    except Refuted as reason:
        print(f"refused: {reason}")
        sys.exit(1)
