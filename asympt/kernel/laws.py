"""The kind "parabolic": x_(n+1) = G(x_n^(1/root)), and a law of x_n^(exponent/root) in powers of n and log n.

Fields: map (G, a formula in t), root, m, range, abel ([[k, alpha_k], ..]), rho, K, k, J, degree: see `parabolic`;
start: the least and the largest x of layer `first`; exponent: e; terms: [[c, i, j], ..], c X^i L^j with X = n^(-1/m),
L = log n; remainder: [B, i, j]; from: the first layer of the statement; N: the layer from which one comparison holds
for all, J: order of the Taylor polynomials; bits.  A constant is a rational or a formula without t; in a term it may
have ["C"], the limit of A(t_n) - n, of one start.
"""

from flint import ctx, fmpq

from asympt.kernel.formulas import checked, constant, show
from asympt.kernel.numbers import BadFile, Names, ball, hull, need, rational, root, whole
from asympt.kernel.parabolic import AbelBound, Map, orbit
from asympt.kernel.tail import StatedLaw

KIND = "parabolic"
WHOLE = {"root": (1, 6), "m": (1, 6), "k": (1, 8), "J": (1, 16), "degree": (0, 16), "first": (0, 10), "N": (8, 20_000),
         "from": (2, 10_000), "exponent": (-6, 6), "bits": (64, 4_096)}  # fmt: skip
FIELDS = {"format", "kind", "map", "start", "range", "abel", "rho", "K", "terms", "remainder", *WHOLE}
WORK = 2 * 10**8  # nodes times layers times bits


def check(p: dict) -> str:
    """The theorem; `NotShown` where something is not shown."""
    s = p | {name: whole(p[name], *ends, name) for name, ends in WHOLE.items()}
    s |= {name: rational(p[name]) for name in ("range", "K")}
    need(checked(p["map"]) * s["N"] * s["bits"] <= WORK, "too much work for one proof")
    need(s["range"] > 0 and s["K"] >= 0 and s["exponent"] != 0 and s["first"] < s["from"] < s["N"], "sizes")
    with ctx.workprec(s["bits"]):
        names = Names()
        abel = _abel(s, names)
        layers = list(orbit(abel.map_, _ends(s), s["N"] - s["first"] + 1))
        names.connection = names.get("C", fmpq(0), _connection(s, abel, layers[-1]))
        law = _law(s, names)
        for n, ends in enumerate(layers, s["first"]):
            need(n < s["from"] or all(law.holds(t, n, s["m"]) for t in ends), f"the law at layer {n}")
        law.require_from(s["N"], abel, names.connection, s["J"], names)
        return _statement(s, names)


def _abel(s: dict, names: Names) -> AbelBound:
    m, k = s["m"], s["k"]
    given = {whole(at, -m, 12, "k"): constant(c, names) for at, c in _rows(s["abel"], 2)}
    need(-m in given and 0 not in given and len(given) == len(s["abel"]), "the powers of A")
    need(bool(ball(given[-m]) > 0), "alpha > 0")
    map_ = Map.near(s["map"], s["root"], m, s["range"], k + 2 * m, k + 2 * m + s["degree"], names)
    abel = AbelBound(map_, given, constant(s["rho"], names), s["K"], k)
    abel.require(s["J"])
    return abel


def _rows(value, width: int) -> list:
    if not (isinstance(value, list) and 0 < len(value) <= 12):
        raise BadFile("a list of 1 to 12 rows is expected")
    if not all(isinstance(row, list) and len(row) == width for row in value):
        raise BadFile(f"rows of {width} are expected")
    return value


def _ends(s: dict) -> list:
    """t in the first layer: of the one start, or of both ends."""
    (given,) = _rows([s["start"]], 2)
    ends = [ball(constant(end, Names())) for end in (given if given[0] != given[1] else given[:1])]
    need(all(bool(end > 0) for end in ends) and (len(ends) == 1 or bool(ends[0] < ends[1])), "the starts")
    return [root(end, s["root"], None) for end in ends]


def _connection(s: dict, abel: AbelBound, ends: list):
    """A ball for C; A decreases."""
    low, high = ends[0], ends[-1]
    return hull(abel.value(high) - abel.error(high), abel.value(low) + abel.error(low)) - s["N"]


def _law(s: dict, names: Names) -> StatedLaw:
    (last,) = _rows([s["remainder"]], 3)
    need("'C'" not in str(s["terms"]) or s["start"][0] == s["start"][1], "C in a term belongs to one start")
    terms = {(whole(i, -12, 40, "i"), whole(j, 0, 12, "j")): constant(c, names) for c, i, j in _rows(s["terms"], 3)}
    need(len(terms) == len(s["terms"]), "a term stands twice")
    place = whole(last[1], -12, 40, "i"), whole(last[2], 0, 12, "j")
    return StatedLaw(s["exponent"], terms, rational(last[0]), place)


def _statement(s: dict, names: Names) -> str:
    low, high = (show(end) for end in s["start"])
    starts = f"= {low}" if low == high else f"in [{low}, {high}]"
    power = fmpq(s["exponent"], s["root"])
    law = " + ".join(f"({show(c)}){_monomial(i, j, s['m'])}" for c, i, j in s["terms"])
    bound, i, j = s["remainder"]
    with_c = f", C = {ball(names.connection)}" if "'C'" in str(s["terms"]) else ""
    state, of = ("x_n", "") if s["root"] == 1 else (f"x_n^(1/{s['root']})", f"^({power})")
    of = "" if power == 1 else of or f"^({power})"
    return (
        f"x_{s['first']} {starts}, x_(n+1) = G({state}), G(t) = {show(s['map'])}: for all n >= {s['from']}, "
        f"|x_n{of} - ({law})| <= ({bound}){_monomial(i, j, s['m'])}{with_c}"
    )


def _monomial(i: int, j: int, m: int) -> str:
    """n^(-i/m) log(n)^j."""
    return ("" if i == 0 else f" n^({fmpq(-i, m)})") + ("" if j == 0 else " log(n)" if j == 1 else f" log(n)^{j}")
