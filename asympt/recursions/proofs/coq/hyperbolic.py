"""A hyperbolic law with any number of terms as a Coq file (`hyper.v`)."""

from fractions import Fraction
from functools import reduce
from math import ceil, floor

from mpmath import mpf, workdps
from sympy import Expr, Poly, Rational, Symbol, expand

from asympt.compiling import as_function
from asympt.errors import UnsupportedError
from asympt.recursions.proofs.coq.formulas import Formula, constant, rational, text
from asympt.recursions.proofs.coq.numbers import (
    TH,
    T,
    TaylorData,
    about_map,
    filled,
    function,
    number,
    polynomial,
    rises_to,
    rounded,
)

Z = Symbol("z")
BITS, PIECES, DIGITS, PLACES = 128, 64, 60, 10**24  # PLACES: of what is known of C
MOST = 6  # the order of E, beyond which the polynomials that Coq has to compare have hundreds of terms
MORE = 12  # layers beyond those of the proof object
RISES = "unfold T in h; unfold d1. interval with (i_prec 60, i_bisect x, i_depth 20)."


def hyperbolic_text(proof: dict) -> str:
    """One start, coefficients in Q; `UnsupportedError` for others."""
    p, formula = of_orbit(proof), Formula(proof["map"])
    taylor = TaylorData(formula, p["range"], p["k"] + 1)
    u = expand(taylor.series / T)
    Q, room = left(p, u), Rational(p["chi"]) - u ** p["k"]
    p["K"] = rounded(max(taylor.largest(Q / room), taylor.largest(-Q / room)) * 1.1 + 1e-9, ceil)
    p |= {"top": rises_to(formula, p["range"], float(p["x0"]))} | last_layer(formula, p)
    names = ("k", "M", "first", "steps", "off", "last")
    real = ("x0", "range", "top", "chi", "K", "B", "b", "reach", "clo", "cup", "mid", "half", "slack")
    fields = {name: p[name] for name in names} | {name: rational(p[name]) for name in real}
    fields |= {f"{name}e": constant(p[name]) for name in real} | _sums(p)
    fields |= {name: polynomial(value, Z) for name, value in beside(p).items()}
    fields |= {"map": formula.coq, "mape": formula.ex, "u": text(u), "Q": polynomial(Q), "prec": BITS, "pieces": PIECES}
    fields["index"] = f"(n - {p['off']})" if p["off"] else "n"
    return filled("hyper.v", fields | about_map(taylor, RISES))


def of_orbit(proof: dict) -> dict:
    """The numbers of the theorem."""
    if proof["k"] > MOST:
        raise UnsupportedError("no Coq proof of a hyperbolic law with more than four terms")
    (bound, M), law, S = proof["remainder"], {j: c for c, j in proof["terms"]}, {1: "1"} | dict(proof["koenigs"])
    if not all(isinstance(x, str) for x in (proof["start"], proof["chi"], *law.values(), *S.values())):
        raise UnsupportedError("no Coq proof of this theorem: chi, the start and all coefficients have to be rational")
    found = {name: {j: Fraction(c) for j, c in part.items()} for name, part in (("law", law), ("S", S))}
    found |= {"x0": Fraction(proof["start"]), "B": Fraction(bound), "M": M}
    found |= {name: Fraction(proof[name]) for name in ("range", "chi")}
    return found | {"k": proof["k"], "first": proof["from"], "off": proof["first"], "last": proof["N"]}


def _sum(terms: dict, x) -> Expr:
    return sum(Rational(c) * x**j for j, c in terms.items())


def left(p: dict, u: Expr) -> Expr:
    """(S(G) - chi S)/t^k, a polynomial in t and theta."""
    found = _sum(p["S"], Poly(T * u, T, TH)) - Rational(p["chi"]) * _sum(p["S"], Poly(T, T, TH))
    if any(power < p["k"] for power, _ in found.monoms()):
        raise UnsupportedError("the proof object's coefficients of S are not those of its map")
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


def last_layer(formula: Formula, p: dict) -> dict:
    """The layer beyond which the comparison holds, C there, and what the layers before need (`Hyper.v`)."""
    step = function(formula, formula.value)
    with workdps(DIGITS):
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
