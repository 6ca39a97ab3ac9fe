"""The numbers of a Coq file: nothing here is trusted, `coqc` checks each of them.

G(t) = t^q (1 - t^m v(t, theta)) with the exact Taylor coefficients of G up to t^(degree - 1) and theta in [tlo, thi]
for the derivative of order `degree`; the defect of A over t^(k+m) is a polynomial P in t, theta, phi and psi: phi is
that of the remainder of log(1 - y), y = t^m v, psi that of sqrt(1 - y), which q = 2 needs.
"""

from fractions import Fraction
from importlib.resources import files
from math import ceil, factorial, floor
from string import Template

from mpmath import mp, mpf, workdps
from sympy import Expr, Poly, Rational, Symbol, expand, horner, pi

from asympt.compiling import as_function
from asympt.errors import UnsupportedError
from asympt.recursions.proofs.coq.formulas import AT, COQ, PI, Formula, X, at_0, rational, text
from asympt.recursions.proofs.nodes import BY_NAME

T, TH, PH, PS = (Symbol(name) for name in ("t", "th", "ph", "ps"))
GRID, DIGITS = 64, 40
SLACK, ROOM = mpf(10) ** -6, Fraction(21, 20)  # of the ends of C; of K over what samples need
LAST = (50, 100, 150, 200, 300, 400, 650, 1000, 1250, 1600, 2400)  # layers, of which the first that does is taken


class TaylorData:
    """The map with its derivatives to an order, and what follows from them on (0, r]."""

    def __init__(self, formula: Formula, r: Fraction, degree: int):
        self.formula, self.degree, self.r = formula, degree, r
        self.derivatives = formula.derivatives(degree)
        self.at_zero = [formula.at_zero(value) for value in self.derivatives[:-1]]
        self.theta = self._range()
        unknown = TH * T**degree / factorial(degree) if any(self.theta) else 0
        self.series = sum(c / factorial(j) * T**j for j, c in enumerate(self.at_zero)) + unknown

    def _range(self) -> tuple[Fraction, Fraction]:
        top = function(self.formula, self.derivatives[-1])
        values = [top(float(self.r) * i / GRID) for i in range(GRID + 1)]
        pad = (max(values) - min(values)) / 50
        return rounded(min(values) - pad, floor), rounded(max(values) + pad, ceil)

    def largest(self, values: Expr) -> float:
        """The most of an expression in t and theta, at samples."""
        function_of = as_function((T, TH), values.subs(PI, pi))
        places = ((float(self.r) * (i + 0.5) / GRID, float(th)) for i in range(GRID) for th in self.theta)
        return max(float(function_of(*place)) for place in places)


def parts(taylor: TaylorData, q: int, m: int) -> tuple[Expr, Fraction]:
    """v, and a bound of y = t^m v below 1."""
    v = expand((T**q - taylor.series) / T ** (q + m))
    most = taylor.largest(T**m * v)
    if most >= 0.99:
        raise UnsupportedError(f"no Coq proof on (0, {taylor.r}]: G(t)/t^q falls to {1 - most:.3g} there")
    return v, rounded(most + 2e-3, ceil, 1000)


def function(formula: Formula, value: Expr):
    """A rational function of x and the atoms as a function of x."""
    for atom in reversed(formula.atoms.values()):
        value = value.subs(atom.symbol, BY_NAME[atom.function](atom.argument))
    return as_function(X, value.subs(PI, pi))


def rounded(x, direction, parts: int | None = None) -> Fraction:
    """x rounded by `floor` or `ceil` to a multiple of 1/parts; without it, to four digits.

    >>> rounded(mpf(2) / 3, ceil, 100), rounded(mpf(2) / 3, floor)
    (Fraction(67, 100), Fraction(3333, 5000))
    """
    x = number(x) if isinstance(x, Fraction) else mpf(x)
    if parts is None:
        parts = 10 ** max(0, 4 - int(mp.ceil(mp.log10(abs(x))))) if x else 1
    whole = mp.ceil(x * parts) if direction is ceil else mp.floor(x * parts)  # math's would go by way of a float
    return Fraction(int(whole), parts)


def defect(v: Expr, p: dict, J: int) -> Expr:
    """P: the numerator of the defect over t^(k+m), a polynomial in t, theta, phi, psi (Coq's `defect_is`)."""
    m, k, alpha, rho = p["m"], p["k"], p["alpha"].subs(pi, PI), Rational(p["rho"])
    y = T**m * v
    logs = -sum(y**j / Rational(j) for j in range(1, J + 1)) - PH * y ** (J + 1)
    if p["q"] == 1:
        top = alpha * v * sum((1 - y) ** i for i in range(m)) + (rho * logs - 1) * (1 - y) ** m
    else:
        top = alpha * v * (Rational(1, 2) - y / 8 - PS * y**2) + (rho / 2 * logs - 1) * (1 - y)
    found = Poly(expand(top), T)
    if any(power < k + m for (power,) in found.monoms()):
        raise UnsupportedError("no Coq proof of this theorem: A has other powers than t^-m")
    return sum(expand(c) * T ** (power - k - m) for (power,), c in found.terms())


def least_k(P: Expr, v: Expr, taylor: TaylorData, p: dict, phi: Fraction, psi: Fraction) -> Fraction:
    """K with which |P| stays below the room that it leaves, at samples."""
    y = T ** p["m"] * v
    room = v / 2 * (1 - y) if p["q"] == 2 else v * sum((1 - y) ** i for i in range(p["k"])) * (1 - y) ** p["m"]
    both = as_function((T, TH, PH, PS), (P.subs(PI, pi), room.subs(PI, pi)))
    corners = [(float(th), ph, ps) for th in taylor.theta for ph in (0.0, float(phi)) for ps in {0.0, float(psi)}]
    pairs = (both(float(taylor.r) * i / GRID, *corner) for i in range(GRID + 1) for corner in corners)
    return rounded(max(abs(value) / most for value, most in pairs) * float(ROOM), ceil)


def rises_to(formula: Formula, r: Fraction, end: float) -> Fraction:
    """Up to where the map increases at samples: a little beyond the starts, their end, or r."""
    slope = function(formula, formula.derivatives(1)[1])
    for most in (rounded(end + 1e-3, ceil, 1000), rounded(end, ceil, 10**6)):
        if most > r and all(slope(float(r + (most - r) * i / GRID)) >= 0 for i in range(GRID + 1)):
            return most
    return r


def orbits(formula: Formula, p: dict):
    """t of both ends in the layers from the first one on."""
    step = function(formula, formula.value)
    ends = [mp.root(number(x), p["q"]) for x in p["start"]]
    while True:
        yield ends
        ends = [mp.root(step(t), p["q"]) for t in ends]


def number(x) -> mpf:
    x = Fraction(str(x))
    return mpf(x.numerator) / x.denominator


def last_layer(formula: Formula, p: dict) -> dict:
    """The layer from which one comparison holds for all, with what it needs: b, W and the ends of C (`Law.v`)."""
    with workdps(DIGITS):
        for n, ends in enumerate(orbits(formula, p), p["first"]):
            if n in LAST and max(ends) <= number(p["range"]) and (found := _compared(n, ends, p)):
                return found
            if n > LAST[-1]:
                raise UnsupportedError(f"no Coq proof with B = {p['B']}: no layer up to {LAST[-1]} is late enough")


def _compared(n: int, ends: list, p: dict) -> dict | None:
    """What layer n needs; nothing where its inequalities do not hold."""
    m, q, alpha, rho, B = p["m"], p["q"], mpf(p["alpha"].evalf(DIGITS)), number(p["rho"]), number(p["B"])
    b, low, high = B / alpha ** (mpf(q) / m) / q, min(ends), max(ends)
    for _ in range(4):
        wide = abs(rho) / m**2 * mp.log(n) + b
        W = wide / n * (1 + mpf("1e-5"))
        b = (B / alpha ** (mpf(q) / m) - mpf(q * (q - 1)) / 2 * wide**2 / n * (1 + W) ** q) / q * (1 - mpf("1e-6"))
    wide = abs(rho) / m**2 * mp.log(n) + b
    logs = sorted(rho * mp.log(t) for t in (low, high))
    C = (alpha / high**m + logs[0] - n - number(p["K"]) * high ** p["k"] - SLACK,
         alpha / low**m + logs[1] - n + number(p["K"]) * high ** p["k"] + SLACK)  # fmt: skip
    if not (b > 0 and 0 < W < 1 and alpha * (1 + W) ** m < n * number(p["range"]) ** m):
        return None
    loss, middle = abs(rho) * W / (1 - W), rho / m * mp.log(alpha)
    bent = mpf(m * (m + 1)) / 2 * wide**2 / n / (1 - W) ** m
    if not (C[1] + SLACK < m * b + middle - loss and -m * b + middle + bent + loss < C[0] - SLACK):
        return None
    return {"last": n, "b": rounded(b, floor, 10**9), "W": rounded(W, ceil, 10**7),
            "clo": rounded(C[0], floor, 10**6), "chi": rounded(C[1], ceil, 10**6)}  # fmt: skip


# ---- templates of Coq files, and the lemmas about a map that all begin with (`map.v`) ------------


DEEPEST = 30


class CoqTemplate(Template):
    """A text of Coq with fields such as @name."""

    delimiter = "@"


def filled(name: str, fields: dict) -> str:
    """A template of this folder with its fields filled in."""
    return CoqTemplate((files(__package__) / name).read_text()).substitute(fields)


def polynomial(value: Expr, variable=T) -> str:
    """For Coq, as few multiplications as Horner's rule needs; a sum where that would be nested too deeply."""
    if not value.has(variable) or Poly(value, variable).degree() > DEEPEST:
        return text(value)
    return text(horner(Poly(value, variable)))


def about_map(taylor: TaylorData, rises: str) -> dict:
    """The lemmas about the map; `rises` proves that its derivative is >= 0."""
    fields = _derivatives(taylor) | _values(taylor) | {"rises": rises, "series": text(taylor.series)}
    return {"lemmas": filled("map.v", fields)} | dict(zip(("tlo", "thi"), map(rational, taylor.theta), strict=True))


def _derivatives(taylor: TaylorData) -> dict:
    """d0 = g, d1 = g', .."""
    names = [f"d{j}" for j in range(taylor.degree + 1)]
    named = zip(names, map(text, taylor.derivatives), strict=True)
    lines = [f"Definition {name} (x : R) : R := {value}." for name, value in named]
    cases = [f"{j} => {name}" for j, name in enumerate(names[:-1])]
    return {"degree": taylor.degree, "derivatives": "\n".join(lines), "unfolded": ", ".join(names),
            "cases": " | ".join([*cases, f"_ => {names[-1]}"])}  # fmt: skip


def _values(taylor: TaylorData) -> dict:
    """The lemmas about the values at 0: first of the atoms, inner ones first, then of the derivatives."""
    atoms, lemmas, known = taylor.formula.atoms.values(), [], ""
    for i, atom in enumerate(atoms):
        argument, value = AT[atom.function]
        fact = f"{COQ[atom.function]}_{argument}"
        proof = f"match goal with |- _ ?a = _ => replace a with {argument} end; [exact {fact} | {known}field]"
        lemmas.append(f"Lemma atom{i} : {at_0(atom.symbol.name)} = {value}. Proof. {proof}. Qed.")
        known = f"rewrite ?atom{i}; {known}"
    for j, value in enumerate(taylor.at_zero):
        proof = f"unfold d{j}; {known}field; repeat split; first [lra | exact PI_neq0]"
        lemmas.append(f"Lemma at{j} : d{j} 0 = {text(value)}. Proof. {proof}. Qed.")
    return {"values": "\n".join(lemmas), "rewritten": ", ".join(f"at{j}" for j in range(taylor.degree))}
