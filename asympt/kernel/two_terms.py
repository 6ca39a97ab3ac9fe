"""The kind "parabolic, two terms": x_(n+1) = g(x_n) from one start, and the first two terms of x_n.

A(t) = alpha/t^m + rho log t.  With y = (alpha/n)^(1/m): A at y (1 - w), w = ((rho/m^2) log n -+ b)/n, is beyond
n + C -+ E for all n >= N, by Bernoulli's inequality and since log(n)^j/n decreases; A decreases, so x_n lies between.

Fields: map (a formula, see `formulas`), m, start, range (r), alpha, rho, K and k (E = K t^k), J (order of the Taylor
polynomials in z), degree (of the models, beyond k + 2 m), N (layer from which the comparison holds), W (a bound of
|w|), b (B over alpha^(1/m), at most), B, from (the first layer of the statement), bits.
"""

from flint import arb, ctx

from asympt.kernel.formulas import require_work, show
from asympt.kernel.numbers import Names, need, rational, root, whole
from asympt.kernel.parabolic import AbelBound, Map, orbit

KIND = "parabolic, two terms"
RATIONALS = ("start", "range", "alpha", "rho", "K", "W", "b", "B")
WHOLE = {"m": (1, 6), "k": (1, 8), "J": (1, 16), "degree": (0, 16), "N": (8, 20_000), "from": (2, 10_000),
         "bits": (64, 4_096)}  # fmt: skip
FIELDS = {"format", "kind", "map", *RATIONALS, *WHOLE}


def check(p: dict) -> str:
    """The theorem; `NotShown` where something is not shown."""
    s = {name: rational(p[name]) for name in RATIONALS} | {n: whole(p[n], *ends, n) for n, ends in WHOLE.items()}
    require_work([p["map"]], s["N"], s["bits"])
    need(all(s[name] > 0 for name in ("start", "range", "alpha", "b")) and s["K"] >= 0 and 0 < s["W"] < 1, "signs")
    with ctx.workprec(s["bits"]):
        m, k = s["m"], s["k"]
        map_ = Map.near(p["map"], 1, m, s["range"], k + 2 * m, k + 2 * m + s["degree"], Names())
        abel = AbelBound(map_, {-m: s["alpha"]}, s["rho"], s["K"], k)
        abel.require(s["J"])
        _require_later(s, *_first_layers(s, abel))
    return _statement(p["map"], s)


def _first_layers(s: dict, abel: AbelBound) -> tuple[arb, arb]:
    """The law in the layers up to N; bounds of A(x_n) - n for all n >= N."""
    m, scale = s["m"], root(arb(s["alpha"]), s["m"], None)
    for n, (t,) in enumerate(orbit(abel.map_, [arb(s["start"])], s["N"] + 1)):
        if n >= s["from"]:
            unit = root(arb(n), m, None)
            law = scale / unit * (1 - arb(s["rho"]) / m**2 * arb(n).log() / n)
            need(bool(abs(t - law) * n * unit <= arb(s["B"])), f"the law at layer {n}")
    middle, error = abel.value(t) - s["N"], abel.error(t)
    return middle - error, middle + error


def _require_later(s: dict, low: arb, high: arb) -> None:
    """The law in all layers from N on."""
    m, N = s["m"], s["N"]
    b, W, rho, alpha = (arb(s[name]) for name in ("b", "W", "rho", "alpha"))
    wide = abs(rho) / m**2 * arb(N).log() + b
    logs, middle = abs(rho) * W / (1 - W), rho / m * alpha.log()
    need(bool(wide <= W * N), "W is no bound of |w|")
    need(bool(alpha * (1 + W) ** m <= N * arb(s["range"]) ** m), "a comparison point leaves the range")
    need(bool(high < m * b + middle - logs), "the lower comparison point")
    bent = arb(m * (m + 1)) / 2 * wide**2 / N / (1 - W) ** m
    need(bool(-m * b + middle + bent + logs < low), "the upper comparison point")
    need(bool(b * root(alpha, m, None) <= arb(s["B"])), "B is smaller than b alpha^(1/m)")


def _statement(formula, s: dict) -> str:
    power = f"1/{s['m']}" if s["m"] > 1 else "1"
    return (
        f"x_0 = {s['start']}, x_(n+1) = g(x_n), g(t) = {show(formula)}: for all n >= {s['from']}, "
        f"|x_n - ({s['alpha']}/n)^({power}) (1 - ({s['rho'] / s['m'] ** 2}) log(n)/n)| <= {s['B']} n^(-1-{power})"
    )
