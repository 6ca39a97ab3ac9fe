"""Theorems as the text of Coq files: two terms of a parabolic recursion (`law.v`), any number of a hyperbolic one
(`hyper.v`)."""

import re
from fractions import Fraction
from functools import reduce
from importlib.resources import files
from math import ceil, factorial, floor, prod
from string import Template

from mpmath import mp, mpf, workdps
from sympy import Expr, Function, Integer, Mul, Poly, Pow, Rational, Symbol, collect, expand, horner, pi, sqrt

from asympt.compiling import as_function
from asympt.errors import NoValueError, UnsupportedError
from asympt.recursions.proofs.coq.formulas import AT, COQ, PI, Formula, X, at_0, constant, rational, text
from asympt.recursions.proofs.nodes import BY_NAME, exactly, expression, node
from asympt.recursions.proofs.proof_object import Nearby

# ---- the numbers of a Coq file: nothing here is trusted, `coqc` checks each of them ------------------
#
# G(t) = t^q (1 - t^m v(t, theta)) with the exact Taylor coefficients of G up to t^(degree - 1) and theta in [tlo, thi]
# for the derivative of order `degree`; the defect of A over t^(k+m) is a polynomial P in t, theta, phi and psi: phi is
# that of the remainder of log(1 - y), y = t^m v, psi that of sqrt(1 - y), which q = 2 needs.


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
            if n in LAST and max(ends) <= number(p["range"]) and (found := _in_layer(n, ends, p)):
                return found
            if n > LAST[-1]:
                raise UnsupportedError(f"no Coq proof with B = {p['B']}: no layer up to {LAST[-1]} is late enough")


def _in_layer(n: int, ends: list, p: dict) -> dict | None:
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


# ---- two terms of a parabolic law --------------------------------------------------------------------


BITS, PIECES = (64, 128), 64  # of layers where the map increases, of others; of (0, r] for the domains
ROOTS = {1: "{}", 2: "sqrt {}"}
RISES = "unfold T in h; unfold d1. interval with (i_prec 60, i_bisect x, i_depth 20)."
OF_ROOT = {
    1: {"defect": "defect_top v al rho m J t th ph", "room": "room v K m k t th",
        "rises": RISES,
        "g_in": "intros h. pose proof (map_in G v r y0 tlo thi m y0_lt g_taylor v_in t h). "
                "unfold g, q; cbn [root]; lra.",
        "g_defect": "exact (defect G v r al rho K y0 tlo thi m k J y0_lt g_taylor v_in "
                    "(fun t th ph a b c => defect_le t th ph 0 a b c zero_ps) t)."},
    2: {"defect": "root_top v al rho J t th ph ps", "room": "root_room v K t th",
        "rises": """destruct (Rle_lt_dec x r) as [p|p].
- rewrite <- at1. apply (from_zero d1 d2 x); [lra | intros u hu; exact (rungs 1%nat u ltac:(lia) ltac:(lra))|].
  intros u hu. assert (w : 0 <= u <= r) by lra. clear - w. unfold r in w; unfold d2.
  interval with (i_prec 60, i_bisect u, i_depth 20).
- assert (w : r <= x <= T) by lra. clear - w. unfold r, T in w; unfold d1.
  interval with (i_prec 60, i_bisect x, i_depth 20).""",
        "g_in": "exact (root_in G v r y0 tlo thi y0_lt g_taylor v_in t).",
        "g_defect": "exact (root_defect G v r al rho K y0 tlo thi k J K_pos ltac:(unfold k; lia) y0_lt g_taylor v_in "
                    "defect_le t)."},
}  # fmt: skip  the lemmas about a map in t, and about one in t = sqrt(x)


def parabolic_text(proof: dict) -> str:
    """Two terms of a parabolic recursion."""
    p, formula = of_two_terms(proof)
    taylor = TaylorData(formula, p["range"], p["k"] + 2 * p["m"] + p["q"])
    v, y0 = parts(taylor, p["q"], p["m"])
    P, phi, psi = defect(v, p, p["J"]), 1 / ((p["J"] + 1) * (1 - y0)), 1 / (2 * (2 - y0) ** 3)
    p["K"] = least_k(P, v, taylor, p, phi, psi)
    try:
        p |= last_layer(formula, p)
    except NoValueError:
        raise UnsupportedError("no Coq proof from a start at which the map's domain ends, such as c^1 = -1") from None
    p |= {"top": rises_to(formula, p["range"], float(max(p["start"])) ** (1 / p["q"]))}
    if p["start"][0] != p["start"][1] and p["top"] ** p["q"] <= max(p["start"]):
        raise UnsupportedError("no Coq proof for this interval of starts: the map does not increase beyond its end")
    fields = _data(p) | _printed(formula, p) | OF_ROOT[p["q"]]
    fields |= {"P": polynomial(P), "phi": rational(phi), "psi": rational(psi), "v": text(v), "y0": rational(y0)}
    fields |= {"pieces": PIECES, "mape": formula.ex, "prec": BITS[p["top"] ** p["q"] < max(p["start"])]}
    return filled("law.v", fields | about_map(taylor, fields["rises"]))


def of_two_terms(proof: dict) -> tuple[dict, Formula]:
    """The numbers of the theorem and its map, in x over `scale` where that takes a root out of alpha."""
    q, m, (bound, *place) = proof["root"], proof["m"], proof["remainder"]
    if place != [q + m, 0] or len(proof["terms"]) != 2 or proof["exponent"] != q or (q != 1 and (q, m) != (2, 1)):
        raise UnsupportedError("no Coq proof of this theorem; only two terms of x_n with a remainder n^(-1-q/m), and "
                               "q = 1, or q = 2 and m = 1, have one")  # fmt: skip
    clock = Nearby({"bits": BITS[1]} | proof).clock
    alpha, rho = exactly(clock.coefficients[clock.p]), exactly(clock.rho)
    if not (rho.is_Rational and all(isinstance(x, str) for x in proof["start"])):
        raise UnsupportedError("no Coq proof of this theorem: rho and the starts have to be rational numbers")
    n = prod(f.base for f in Mul.make_args(alpha) if f.is_Pow and f.exp == Rational(1, 2)) if q == 2 else Integer(1)
    scale = Fraction(int(n))
    found = {"q": q, "alpha": alpha / sqrt(n), "scale": scale, "B": Fraction(bound) / scale,
             "start": [Fraction(x) / scale for x in proof["start"]], "rho": str(rho)}  # fmt: skip
    found |= {"range": Fraction(int(float(Fraction(proof["range"])) / float(scale) ** 0.5 * 10**4), 10**4)}
    found |= {name: proof[name] for name in ("m", "k", "first", "from")}
    return found | {"J": ceil((found["k"] + m) / m)}, Formula(rescaled(proof["map"], n))


def rescaled(tree, n: Integer):
    """G(sqrt(n) t)/n for a map G in t."""
    if n == 1:
        return tree
    t = Symbol("t", positive=True)
    found = expand(expression(tree, t).subs(t, sqrt(n) * t) / n)
    roots = {part: sqrt_of(part.base, t) for part in found.atoms(Pow) if part.exp == Rational(1, 2) and part.has(t)}
    found = expand(found.subs(roots))
    return node(collect(found, sorted(found.atoms(Function), key=str)), {t: "t"})  # each function once


def sqrt_of(base: Expr, t: Symbol) -> Expr:
    """The root of a polynomial, its content apart."""
    content, rest = base.as_content_primitive() if base.subs(t, 0) == 0 else (base.subs(t, 0), base / base.subs(t, 0))
    return sqrt(content) * sqrt(expand(rest))


def _data(p: dict) -> dict:
    """The numbers, as Coq's and as an `ex`."""
    m, rho = p["m"], Fraction(p["rho"])
    real = {name: p[name] for name in ("rho", "K", "B", "b", "W", "range", "top", "clo", "chi")}
    real |= {"l1": rho * p["q"] / m**2, "lo": min(p["start"]), "hi": max(p["start"])}
    found = {name: rational(value) for name, value in real.items()}
    found |= {f"{name}e": constant(value) for name, value in real.items()}
    alpha = Formula(node(p["alpha"], {}))
    found |= {"alpha": alpha.coq, "alphae": alpha.ex, "absrho": rational(abs(rho))}
    found |= {name: p[name] for name in ("m", "k", "q", "J", "last")}
    return found | {"first": p["from"], "off": p["first"], "steps": p["last"] - p["first"]}


def _printed(formula: Formula, p: dict) -> dict:
    """The theorems' own texts."""
    (low, high), q, alpha = map(rational, sorted(p["start"])), p["q"], Formula(node(p["alpha"], {})).coq
    root, index = ROOTS.get(p["m"], f"Rpower {{}} (/ INR {p['m']})"), f"(n - {p['first']})" if p["first"] else "n"
    power = "{}" if q == 1 else f"({{}}) ^ {q}"
    found = {"index": index, "leading": power.format(root.format(f"({alpha} / INR n)")), "map": formula.coq,
             "root_n": power.format(root.format("(INR n)")),
             "printed": re.sub(r"\bx\b", f"({ROOTS[q].format('x')})", formula.coq)}  # fmt: skip
    found |= _starts(low, high)
    return found | {"root_x": ROOTS[q].format(f"(orbit f {found['x0']} {index})"), "more": _scaled(found, p)}


def _starts(low: str, high: str, name: str = "x0") -> dict:
    """One start, or all in an interval."""
    if low == high:
        return {"starts": f"= {low}", "start": " :", "intro": "", "x0": low}
    return {"starts": f"in [{low}, {high}]", "start": f" {name} : {low} <= {name} <= {high} ->", "intro": "intros h0.",
            "x0": name}  # fmt: skip


def _scaled(found: dict, p: dict) -> str:
    """The theorem in the proof object's own x, `scale` times that of the others."""
    theorems, scale = "g_domain, domain, constant, law", rational(p["scale"])
    if p["scale"] == 1:
        return f"Definition theorems := ({theorems})."
    starts = _starts(*(rational(x * p["scale"]) for x in sorted(p["start"])), "x1")
    inside = re.sub(r"\bx\b", f"(x / {scale})", found["printed"])
    own = {"own": f"{scale} * ({inside})", "x1": starts["x0"], "start1": starts["start"], "scale": scale,
           "whole": rational(p["B"] * p["scale"]), "first": p["from"], "part": rational(p["B"]),
           "same": found["x0"] if p["start"][0] == p["start"][1] else f"(x1 / {scale})",
           "l1": rational(Fraction(p["rho"]) * p["q"] / p["m"] ** 2)}  # fmt: skip
    return filled("scaled.v", found | own | {"theorems": theorems})


# ---- hyperbolic ------------------------------------------------------------------------------------


Z = Symbol("z")
FINE, PLACES = 60, 10**24  # PLACES: of what is known of C
MOST = 6  # the order of E, beyond which the polynomials that Coq has to compare have hundreds of terms
MORE = 12  # layers beyond those of the proof object


def hyperbolic_text(proof: dict) -> str:
    """One start, coefficients in Q; `UnsupportedError` for others."""
    p, formula = of_orbit(proof), Formula(proof["map"])
    taylor = TaylorData(formula, p["range"], p["k"] + 1)
    u = expand(taylor.series / T)
    Q, room = left(p, u), Rational(p["chi"]) - u ** p["k"]
    p["K"] = rounded(max(taylor.largest(Q / room), taylor.largest(-Q / room)) * 1.1 + 1e-9, ceil)
    p |= {"top": rises_to(formula, p["range"], float(p["x0"]))} | _last_layer(formula, p)
    names = ("k", "M", "first", "steps", "off", "last")
    real = ("x0", "range", "top", "chi", "K", "B", "b", "reach", "clo", "cup", "mid", "half", "slack")
    fields = {name: p[name] for name in names} | {name: rational(p[name]) for name in real}
    fields |= {f"{name}e": constant(p[name]) for name in real} | _sums(p)
    fields |= {name: polynomial(value, Z) for name, value in beside(p).items()}
    fields |= {"map": formula.coq, "mape": formula.ex, "u": text(u), "Q": polynomial(Q), "prec": BITS[1],
               "pieces": PIECES}  # fmt: skip
    fields["index"] = f"(n - {p['off']})" if p["off"] else "n"
    return filled("hyper.v", fields | about_map(taylor, RISES))


def of_orbit(proof: dict) -> dict:
    """The numbers of the theorem."""
    if proof["k"] > MOST:
        raise UnsupportedError("no Coq proof of a hyperbolic law with more than four terms")
    (bound, M), law = proof["remainder"], {j: c for c, j in proof["terms"]}
    S = {k: str(exactly(c)) for k, c in Nearby({"bits": BITS[1]} | proof).clock.coefficients.items()}
    if not all(isinstance(x, str) for x in (*proof["start"], proof["chi"], *law.values())):
        raise UnsupportedError("no Coq proof of this theorem: chi, the start and all coefficients have to be rational")
    found = {name: {j: Fraction(c) for j, c in part.items()} for name, part in (("law", law), ("S", S))}
    found |= {"x0": Fraction(proof["start"][0]), "B": Fraction(bound), "M": M}
    found |= {name: Fraction(proof[name]) for name in ("range", "chi")}
    return found | {"k": proof["k"], "first": proof["from"], "off": proof["first"], "last": proof["N"]}


def _sum(terms: dict, x) -> Expr:
    return sum(Rational(c) * x**j for j, c in terms.items())


def left(p: dict, u: Expr) -> Expr:
    """(S(G) - chi S)/t^k, a polynomial in t and theta."""
    found = _sum(p["S"], Poly(T * u, T, TH)) - Rational(p["chi"]) * _sum(p["S"], Poly(T, T, TH))
    return sum(c * T ** (power - p["k"]) * TH**j for (power, j), c in found.terms())


def beside(p: dict) -> dict:
    """What is positive at z beside the law: (z - (S + E)(y))/z^M below, (S - E)(y)/z^M above; and y/z."""
    law, size, k = _sum(p["law"], Z), Rational(p["b"]) * Z ** p["M"], p["k"]
    found = {}
    for name, sign in (("low", -1), ("upp", 1)):
        y = law + sign * size
        at = Poly(y, Z)
        side = sign * (_sum(p["S"], at) - sign * Rational(p["K"]) * at**k - Poly(Z, Z))
        if any(power < p["M"] for (power,) in side.monoms()):
            raise UnsupportedError("the proof object's terms are not those of the inverse of S")
        found[name] = sum(c * Z ** (power - p["M"]) for (power,), c in side.terms())
        found[f"y{name}"] = expand(y / Z)
    return found


def _sums(p: dict) -> dict:
    """S, its slopes with those of E, the law, as texts and as `ex`."""
    x, S, slope = Symbol("t"), p["S"], {j - 1: j * c for j, c in p["S"].items()}
    error = Rational(p["K"]) * p["k"] * x ** (p["k"] - 1)
    listed = [p["law"].get(j, Fraction(0)) for j in range(1, max(p["law"]) + 1)]
    nested = "(Cst 0)"
    for c in reversed(listed):
        nested = f"(Mul z (Add {constant(c)} {nested}))"
    terms = " + ".join(f"{rational(c)} * (C * {rational(p['chi'])} ^ n) ^ {j}" for j, c in p["law"].items())
    powers = (["mul", ["q", str(c)], ["pow", "t", j]] for j, c in S.items())
    written = Formula(reduce(lambda a, b: ["add", a, b], powers))
    return {"S": written.coq, "Se": written.ex, "plus": text(_sum(slope, x) + error),
            "minus": text(_sum(slope, x) - error), "pole": nested, "law": terms,
            "c": f"({' :: '.join([*map(rational, listed), 'nil'])})"}  # fmt: skip


def _last_layer(formula: Formula, p: dict) -> dict:
    """The layer beyond which the comparison holds, C there, and what the layers before need (`Hyper.v`)."""
    step = function(formula, formula.value)
    with workdps(FINE):
        states = [number(p["x0"])]
        for last in range(p["off"] + 1, p["last"] + MORE + 1):
            states.append(step(states[-1]))
            if last >= p["last"] and (found := _compared(last, states, p)):
                return found | {"last": last, "steps": last - p["off"]}
    raise UnsupportedError(f"no Coq proof with B = {p['B']}: no layer up to {last} is late enough")


def _compared(last: int, states: list, p: dict) -> dict | None:
    x, chi, B = states[-1], number(p["chi"]), number(p["B"])
    S, error = sum(number(c) * x**j for j, c in p["S"].items()), number(p["K"]) * x ** p["k"]
    mid = rounded(S / chi**last, floor, PLACES)
    half = rounded(error / chi**last * (1 + mpf(10) ** -6) + mpf(10) ** -22, ceil, PLACES)
    clo, cup = mid - half, mid + half
    slope = sum(j * abs(number(c)) * number(cup) ** (j - 1) for j, c in p["law"].items())
    found = {"mid": mid, "half": half, "clo": clo, "cup": cup, "slack": rounded(slope * number(half) * 1.001, ceil)}
    found |= {"reach": rounded(number(cup) * chi**last * (1 + mpf(10) ** -6), ceil),
              "b": rounded(B / number(cup) ** p["M"] * (1 - mpf(10) ** -6), floor)}  # fmt: skip
    for n, x in enumerate(states, p["off"]):
        law = sum(number(c) * (number(mid) * chi**n) ** j for j, c in p["law"].items())
        if n >= p["first"] and B * chi ** (n * p["M"]) - abs(x - law) <= number(found["slack"]) * chi**n:
            return None
    sides = beside(p | found)
    values = [as_function(Z, sides[name]) for name in ("low", "upp")]
    reach = float(found["reach"])
    return found if all(value(reach * i / 20) > 0 for value in values for i in range(21)) else None
