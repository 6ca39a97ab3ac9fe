"""The kind "parabolic": x_(n+1) = G(x_n^(1/root)), and a law of x_n^(exponent/root) in powers of n and log n.

Fields: map (G, a formula in t), root, m, range, abel ([[k, alpha_k], ..]), rho, K, k, degree, J (order of the Taylor
polynomials): see `parabolic`; start: the least and the largest x of layer `first`; exponent: e; terms: [[c, i, j], ..],
c X^i L^j with X = n^(-1/m), L = log n; remainder: [B, i, j]; from: the first layer of the statement; N: the layer from
which one comparison holds for all; bits.  A constant is a rational or a formula without t; in a term it may have
["C"], the limit of A(t_n) - n, of one start.
"""

from json import dumps

from flint import ctx, fmpq

from asympt.kernel.activation import NetworkLayer, formulas_of, layer
from asympt.kernel.formulas import check_constant, constant, require_work, show
from asympt.kernel.models import FormulaSource
from asympt.kernel.numbers import BadFile, Names, ball, hull, need, rational, root, whole
from asympt.kernel.parabolic import AbelBound, Map, orbit
from asympt.kernel.tail import StatedLaw

KIND = "parabolic"
WHOLE = {"root": (1, 6), "m": (1, 6), "k": (1, 8), "J": (1, 16), "degree": (0, 16), "first": (0, 10), "N": (8, 20_000),
         "from": (2, 10_000), "bits": (64, 4_096), "exponent": (-6, 6)}  # fmt: skip
FIELDS = {"format", "kind", "map", "start", "range", "abel", "rho", "K", "terms", "remainder", *WHOLE}
TABLES = ("abel", 2, 1), ("terms", 3, 0)


def check(p: dict) -> str:
    """The theorem; `NotShown` where something is not shown."""
    s = read(p, WHOLE)
    need(s["exponent"] != 0, "the exponent is 0")
    with ctx.workprec(s["bits"]):
        names = Names()
        abel = abel_of(s, names)
        layers = orbits(s, abel, names)
        law = StatedLaw(s["exponent"], *printed(s["terms"], s["remainder"], names))
        for n, ends in enumerate(layers, s["first"]):
            need(n < s["from"] or all(law.holds(t**law.e, n, s["m"]) for t in ends), f"the law at layer {n}")
        law.require_from(s["N"], abel, names, s["J"])
        of = fmpq(s["exponent"], s["root"])
        return f"{recursion(s)}: {inequality(s, f'x_n^({of})' if of != 1 else 'x_n', names)}"


def read(p: dict, numbers: dict, formulas: tuple = (), tables: tuple = TABLES) -> dict:
    """The object with its numbers read, its sizes, formulas and tables (name, width, where a constant is) checked."""
    for name, width, at in tables:
        for row in rows(p[name], width):
            check_constant(row[at])
    s = p | {name: whole(p[name], *ends, name) for name, ends in numbers.items()}
    s |= {name: rational(p[name]) for name in ("range", "K", "kappa", "center") if name in p}
    require_work([*formulas_of(p["map"]), *(p[name] for name in formulas)], s["N"], s["bits"])
    need(s["range"] > 0 and s["K"] >= 0 and s["first"] < s["from"] < s["N"], "sizes")
    return s


def source_of(s: dict) -> FormulaSource | NetworkLayer:
    """The map by its formula, or by the layer whose correlation map it is."""
    if not isinstance(s["map"], dict):
        return FormulaSource(s["map"])
    need(s.get("root") == NetworkLayer.root, "the root of a layer's map is 2")
    return layer(dumps(s["map"]), ctx.prec)


def abel_of(s: dict, names: Names) -> AbelBound:
    """What is shown near the fixed point."""
    m, k = s["m"], s["k"]
    map_ = Map.near(source_of(s), s["root"], m, s["range"], k + 2 * m, k + 2 * m + s["degree"], names)
    given = powers(s["abel"], -m, 12, names)
    need(-m in given and 0 not in given, "the powers of A")
    need(bool(ball(given[-m]) > 0), "alpha is not shown to be > 0")
    abel = AbelBound(map_, given, constant(s["rho"], names), s["K"], k)
    abel.require(s["J"])
    return abel


def orbits(s: dict, abel: AbelBound, names: Names) -> list:
    """t (of both ends) in the layers first..N; C gets its ball."""
    layers = list(orbit(abel.map_, _ends(s), s["N"] - s["first"] + 1))
    low, high = layers[-1][0], layers[-1][-1]  # A + E and A - E decrease
    between = hull(abel.value(high) - abel.error(high), abel.value(low) + abel.error(low)) - s["N"]
    names.known["C",] = names.get("C", fmpq(0), between)
    return layers


def rows(given, width: int) -> list:
    """A list of rows of so many entries."""
    listed = isinstance(given, list) and 0 < len(given) <= 12
    if not (listed and all(isinstance(row, list) and len(row) == width for row in given)):
        raise BadFile(f"{str(given)[:40]} is not a list of 1 to 12 rows of {width}")
    return given


def powers(given: list, low: int, high: int, names: Names) -> dict:
    """{k: scalar} of the rows [k, c]."""
    found = {whole(k, low, high, "a power"): constant(c, names) for k, c in given}
    need(len(found) == len(given), "a power stands twice")
    return found


def _ends(s: dict) -> list:
    """t in the first layer: of the one start, or of both ends."""
    (given,) = rows([s["start"]], 2)
    ends = [ball(constant(end, Names())) for end in (given if given[0] != given[1] else given[:1])]
    need(all(bool(end > 0) for end in ends) and bool(len(ends) == 1 or ends[0] < ends[-1]), "the starts")
    need("'C'" not in str(s["terms"]) or len(ends) == 1, "C in a term belongs to one start")
    return [root(end, s["root"], None) for end in ends]


def printed(terms: list, remainder: list, names: Names) -> tuple[dict, fmpq, tuple[int, int]]:
    """({(i, j): c}, B, (i, j))."""
    found = {_place(i, j): constant(c, names) for c, i, j in rows(terms, 3)}
    need(len(found) == len(terms), "a term stands twice")
    return found, *remainder_of(remainder)


def remainder_of(row) -> tuple[fmpq, tuple[int, int]]:
    """B, (i, j) of B X^i L^j."""
    ((given, i, j),) = rows([row], 3)
    return rational(given), _place(i, j)


def _place(i, j) -> tuple[int, int]:
    return whole(i, -12, 40, "i"), whole(j, 0, 12, "j")


def recursion(s: dict) -> str:
    """The recursion and its starts in words."""
    low, high = (show(end) for end in s["start"])
    starts = f"= {low}" if low == high else f"in [{low}, {high}]"
    state = "x_n" if s["root"] == 1 else f"x_n^(1/{s['root']})"
    return f"x_{s['first']} {starts}, x_(n+1) = G({state}), {source_of(s).show(s['start'], s['first'])}"


def inequality(s: dict, quantity: str, names: Names) -> str:
    """The law in words."""
    law = " + ".join(f"({show(c)}){_monomial(i, j, s['m'])}" for c, i, j in s["terms"])
    bound, i, j = s["remainder"]
    known = "".join(f", {show(node)} = {ball(c)}" for node, c in names.known.items() if str([*node]) in str(s["terms"]))
    return f"for all n >= {s['from']}, |{quantity} - ({law})| <= ({bound}){_monomial(i, j, s['m'])}{known}"


def _monomial(i: int, j: int, m: int) -> str:
    """n^(-i/m) log(n)^j."""
    return ("" if i == 0 else f" n^({fmpq(-i, m)})") + ("" if j == 0 else " log(n)" if j == 1 else f" log(n)^{j}")
