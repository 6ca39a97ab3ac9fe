"""Two terms of a parabolic recursion as a Coq file (`law.v`)."""

import re
from fractions import Fraction
from math import ceil, prod

from sympy import Expr, Function, Integer, Mul, Pow, Rational, Symbol, collect, expand, sqrt

from asympt.errors import UnsupportedError
from asympt.recursions.proofs.coq.formulas import Formula, constant, rational, text
from asympt.recursions.proofs.coq.numbers import (
    TaylorData,
    about_map,
    defect,
    filled,
    last_layer,
    least_k,
    parts,
    polynomial,
    rises_to,
)
from asympt.recursions.proofs.nodes import expression, node

BITS, PIECES = (64, 128), 64  # of layers where the map increases, of others; of (0, r] for the domains
ROOTS = {1: "{}", 2: "sqrt {}"}
OF_ROOT = {
    1: {"defect": "defect_top v al rho m J t th ph", "room": "room v K m k t th",
        "rises": "unfold T in h; unfold d1. interval with (i_prec 60, i_bisect x, i_depth 20).",
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
    p |= last_layer(formula, p) | {"top": rises_to(formula, p["range"], float(max(p["start"])) ** (1 / p["q"]))}
    if p["start"][0] != p["start"][1] and p["top"] ** p["q"] <= max(p["start"]):
        raise UnsupportedError("no Coq proof for this interval of starts: the map does not increase beyond its end")
    fields = _data(p) | _printed(formula, p) | OF_ROOT[p["q"]]
    fields |= {"P": polynomial(P), "phi": rational(phi), "psi": rational(psi), "v": text(v), "y0": rational(y0)}
    fields |= {"pieces": PIECES, "mape": formula.ex, "prec": BITS[p["top"] ** p["q"] < max(p["start"])]}
    return filled("law.v", fields | about_map(taylor, fields["rises"]))


def of_two_terms(proof: dict) -> tuple[dict, Formula]:
    """The numbers of the theorem and its map, in x over `scale` where that takes a root out of alpha."""
    q, m, ((_, alpha), *_) = proof["root"], proof["m"], proof["abel"]
    (bound, *place), alpha = proof["remainder"], expression(alpha)
    if place != [q + m, 0] or len(proof["terms"]) != 2 or proof["exponent"] != q or (q != 1 and (q, m) != (2, 1)):
        raise UnsupportedError("no Coq proof of this theorem; only two terms of x_n with a remainder n^(-1-q/m), and "
                               "q = 1, or q = 2 and m = 1, have one")  # fmt: skip
    if not all(isinstance(x, str) for x in (proof["rho"], *proof["start"])):
        raise UnsupportedError("no Coq proof of this theorem: rho and the starts have to be rational numbers")
    n = prod(f.base for f in Mul.make_args(alpha) if f.is_Pow and f.exp == Rational(1, 2)) if q == 2 else Integer(1)
    scale = Fraction(int(n))
    found = {"q": q, "alpha": alpha / sqrt(n), "scale": scale, "B": Fraction(bound) / scale,
             "start": [Fraction(x) / scale for x in proof["start"]], "rho": proof["rho"]}  # fmt: skip
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
