"""Two terms of the correlations of a network with a smooth activation, under named hypotheses (`smooth.template`).

The map f has no closed form, and Coq no moments of a Gaussian.  So these are hypotheses of the theorem: f(1) = f'(1)
= 1 (the Edge of Chaos), f''(1) and f'''(1) lie in intervals that the library proves, 0 <= f'''' <= D on [1 - r, 1] (f
has no negative coefficients, so f'''' increases on [0, 1] and D is f''''(1)), and so does 1 - c in one layer.
"""

from fractions import Fraction
from math import ceil, floor
from pathlib import Path

from flint import arb
from mpmath import mp, mpf, workdps
from sympy import Poly, Symbol, cancel, expand

from asympt.compiling import as_function
from asympt.errors import UnsupportedError
from asympt.recursions.proofs.coq.formulas import rational
from asympt.recursions.proofs.coq.theorems import DIGITS, GRID, PH, TH, CoqTemplate, T, number, polynomial, rounded

F2, F3 = (Symbol(name) for name in ("f2", "f3"))
PLACES, ROOM, BITS = 10**10, mpf("1.08"), 128
ALPHA, RHO = 2 / F2, 1 - 2 * F3 / (3 * F2**2)


def smooth_text(certificate, layer: int, network: str) -> str:
    """The theorem for all later layers; `certificate`: of two terms of 1 - c from one start.

    Raises `UnsupportedError` for laws of another form.
    """
    law, (name, start, _) = certificate.law, certificate.start
    balls = {str(key): ball for key, ball in certificate.asked.map_.known(BITS).items()}
    own = {atom: Symbol(str(atom)) for atom in law.abel.residue.atoms() if str(atom) in ("f2", "f3")}
    if not {"f2", "f3", "f4"} <= set(balls) or cancel(law.abel.residue.subs(own) - RHO) != 0:
        raise UnsupportedError("no Coq theorem of this law; only of correlations with a smooth activation")
    template = CoqTemplate((Path(__file__).parent / "smooth.template").read_text(encoding="utf-8"))
    with workdps(DIGITS):
        x = law.enclose(depth=layer, digits=20, **{name: start})
        return template.substitute(_fields(balls, x, layer), network=network)


def _fields(balls: dict, x: tuple, layer: int) -> dict:
    f2, f3, f4 = (mpf(str(arb(balls[key].mid()).str(30, radius=False))) for key in ("f2", "f3", "f4"))
    p = {"layer": layer, "f2": f2, "f3": f3, "x": x[1], "f4hi": rounded(f4, ceil, 10**4)}
    p["range"] = rounded(x[1] * mpf("1.22"), ceil, 1000)
    p["y0"] = rounded(number(p["range"]) * f2 / 2 + mpf("5e-4"), ceil, 10**4)
    p |= {"th": p["f4hi"] / 24, "phi": 1 / (3 * (1 - p["y0"]))}
    P = remainder()
    p["K"] = _least_k(P, p)
    p |= _compared(p)
    found = {name: rational(p[name]) for name in ("range", "f4hi", "th", "phi", "y0", "K", "b", "W", "clo", "chi", "B")}
    for name, low, high in (("f2", f2, f2), ("f3", f3, f3), ("x", *x)):
        found[f"{name}lo"] = rational(rounded(low, floor, PLACES))
        found[f"{name}hi"] = rational(rounded(high, ceil, PLACES))
    return found | {"layer": layer, "steps": layer - 1, "P": polynomial(expand(P))}


def remainder():
    """P: (1 - y) (A(g) - A - 1) over t^2, y = t v, v = f2/2 - f3 t/6 + theta t^2."""
    v = F2 / 2 - F3 / 6 * T + TH * T**2
    y = T * v
    top = Poly(expand(ALPHA * v + (RHO * (-(y + y**2 / 2) - PH * y**3) - 1) * (1 - y)), T)
    parts = {power: cancel(c) for (power,), c in top.terms()}
    return sum(c * T ** (power - 2) for power, c in parts.items() if c != 0)


def _least_k(P, p: dict) -> Fraction:
    v = F2 / 2 - F3 / 6 * T + TH * T**2
    value = as_function((T, TH, PH), (P / (v * (1 - T * v))).subs({F2: p["f2"], F3: p["f3"]}))
    corners = [(float(th), float(ph)) for th in (0, p["th"]) for ph in (0, p["phi"])]
    most = max(abs(value(float(p["range"]) * i / GRID, *corner)) for i in range(GRID + 1) for corner in corners)
    return rounded(most * ROOM, ceil, 1000)


def _compared(p: dict) -> dict:
    """The least b of whole tenths with which the comparison holds."""
    alpha, rho, n, x, K = 2 / p["f2"], 1 - 2 * p["f3"] / (3 * p["f2"] ** 2), p["layer"], p["x"], number(p["K"])
    middle, error, room = alpha / x + rho * mp.log(x) - n, K * x + mpf("1e-4"), mpf("1e-3")
    for tenths in range(1, 10**4):
        b = mpf(tenths) / 10
        wide = abs(rho) * mp.log(n) + b
        W = wide / n * (1 + mpf("1e-4"))
        if W >= 1 or alpha * (1 + W) >= n * number(p["range"]):
            break
        loss = abs(rho) * W / (1 - W)
        if middle + error + room < b + rho * mp.log(alpha) - loss and (
            -b + rho * mp.log(alpha) + wide**2 / n / (1 - W) + loss < middle - error - room
        ):
            return {"b": Fraction(tenths, 10), "W": rounded(W, ceil, 10**5),
                    "B": rounded(b * alpha + room, ceil, 100), "clo": rounded(middle - error, floor, 10**4),
                    "chi": rounded(middle + error, ceil, 10**4)}  # fmt: skip
    raise UnsupportedError(f"no Coq theorem from layer {n} on; take a later one")
