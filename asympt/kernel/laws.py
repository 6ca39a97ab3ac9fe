"""The kinds "parabolic" and "hyperbolic": x_(n+1) = G(x_n^(1/root)), and a law of x_n for all n >= `from`.

Fields of both: map (G, a formula in t, or a layer); first; start: the least and the largest x of layer `first`, and
numbers between them where every piece is treated by itself; range (r); k: see `clock`; from: the first layer of the
statement; N: the layer from which one comparison holds for all; bits.  A constant is a rational or a formula without t.

parabolic   a law of x_n^(exponent/root) in X = n^(-1/m), L = log n.  root, m, exponent; terms: [[c, i, j], ..],
            c X^i L^j, where c may have ["C"], the limit of F(t_n) - n; remainder: [B, i, j]
hyperbolic  a law of x_n > 0 in powers of chi^n, root 1.  chi; terms: [[c, j], ..], c C^j chi^(j n); remainder: [B, M]
"""

from itertools import pairwise
from json import dumps

from flint import ctx, fmpq

from asympt.kernel.activation import NetworkLayer, formulas_of, layer
from asympt.kernel.clock import Clock, Map
from asympt.kernel.formulas import FormulaSource, as_formula, checked, constant, show
from asympt.kernel.numbers import BadFile, Names, ball, between, need, rational, root, whole
from asympt.kernel.tail import LayerPowers, StatedLaw, TailTerms

KIND, HYPERBOLIC = "parabolic", "hyperbolic"
WHOLE = {"root": (1, 6), "m": (1, 6), "k": (1, 16), "first": (0, 10), "N": (3, 20_000),
         "from": (2, 10_000), "bits": (64, 4_096), "exponent": (-6, 6), "average": (0, 1)}  # fmt: skip
ALL = {"map", "start", "first", "range", "k", "terms", "remainder", "from", "N", "bits"}
PARABOLIC = ALL | {"root", "m"}
FIELDS, FIELDS_HYPERBOLIC = PARABOLIC | {"exponent"}, ALL | {"chi"}
MOST_STARTS = 260
WORK = 2 * 10**8  # nodes times layers times bits
LARGEST = 16  # power of t in S, and order of the polynomials in z, which are exact then
MORE = 4  # degrees of the models beyond what must be exact


def check(p: dict) -> str:
    """The theorem; `NotShown` where something is not shown."""
    s = read(p)
    with ctx.workprec(s["bits"]):
        names = Names()
        clock, pieces = followed(s, names)
        stated_now, told = (_hyperbolic, _told_hyperbolic) if s["kind"] == HYPERBOLIC else (_parabolic, _told_parabolic)
        C_of_all = ball(names.known["C",])

        def show(C) -> None:
            law, layers = stated_now(s, names)
            law.require_from(layers, clock, C, names)

        names.for_all("C", C_of_all, show)
        for orbit, C in pieces:
            names.enclosed("C", C)
            law, layers = stated_now(s, names)
            is_near = law.nearby(layers)
            for n, ends in enumerate(orbit[:-1], s["first"]):  # what lies between two ends is no farther from the law
                need(n < s["from"] or all(is_near(t**law.e, n) for t in ends), f"the law at layer {n}")
        names.enclosed("C", C_of_all)
        return told(s, names)


def _parabolic(s: dict, names: Names) -> tuple[StatedLaw, LayerPowers]:
    """The law, X and L."""
    need(s["exponent"] != 0, "the exponent is 0")
    return stated(s, s["exponent"], names), LayerPowers(s["m"], s["N"])


def _told_parabolic(s: dict, names: Names) -> str:
    of = fmpq(s["exponent"], s["root"])
    return f"{recursion(s)}: {inequality(s, f'x_n^({of})' if of != 1 else 'x_n', names)}"


def _hyperbolic(s: dict, names: Names) -> tuple[StatedLaw, LayerPowers]:
    """The same, for the C of the moment."""
    C, ((bound, M),) = ball(names.known["C",]), rows([s["remainder"]], 2)
    need(bool(C > 0), "C is not shown to be > 0")
    terms = {(whole(j, 1, LARGEST, "a power"), 0): constant(c, names) for c, j in s["terms"]}
    need(len(terms) == len(s["terms"]), "a term stands twice")
    law = StatedLaw(1, TailTerms(terms), rational(bound) / C ** whole(M, 2, LARGEST, "M"), (M, 0))
    return law, LayerPowers(0, s["N"], C, ball(constant(s["chi"], names)))


def _told_hyperbolic(s: dict, names: Names) -> str:
    (bound, M), C = s["remainder"], between(ball(names.known["C",]))
    shown = " + ".join(f"({show(c)}) C^{j} mu^({j} n)" for c, j in s["terms"])
    theorem = f"for all n >= {s['from']}, |x_n - ({shown})| <= ({bound}) mu^({M} n), C {C}"
    return f"{recursion(s)}, mu = {show(s['chi'])}: {theorem}"


def read(p: dict, formulas: tuple = ()) -> dict:
    """The object with its numbers read, its sizes, formulas and tables checked."""
    for c, *_ in rows(p["terms"], 2 + (p["kind"] != HYPERBOLIC)):
        as_formula(c)
    s = p | {name: whole(p[name], *ends, name) for name, ends in WHOLE.items() if name in p}
    s |= {"range": rational(p["range"])} | ({"root": 1} if p["kind"] == HYPERBOLIC else {})
    if not (isinstance(s["start"], list) and 2 <= len(s["start"]) <= MOST_STARTS):
        raise BadFile(f"{str(s['start'])[:40]} is not a list of 2 to {MOST_STARTS} starts")
    nodes = sum(map(checked, [*formulas_of(p["map"]), *(p[name] for name in formulas)]))
    need(nodes * s["N"] * s["bits"] * len(s["start"]) <= 2 * WORK, "too much work for one proof")
    need(s["range"] > 0 and s["first"] < s["from"] <= s["N"], "sizes")
    return s


def source_of(s: dict) -> FormulaSource | NetworkLayer:
    """The map by its formula, or by the layer whose correlation map it is."""
    if not isinstance(s["map"], dict):
        return FormulaSource(s["map"])
    need(s.get("root") == NetworkLayer.root, "the root of a layer's map is 2")
    return layer(dumps(s["map"]), ctx.prec)


def clock_of(s: dict, names: Names) -> Clock:
    """The clock of a map of which the range is shown."""
    chi, root_, m = constant(s.get("chi", "1"), names), s.get("root", 1), s.get("m", 0)
    need(m > 0 or bool(0 < ball(chi) < 1), "chi is not shown to be between 0 and 1")
    exact = s["k"] + 2 * m
    map_ = Map.near(source_of(s), root_, m, chi, s["range"], exact, exact + MORE, names)
    return Clock(map_, s["k"], (s["k"] - 1) // m + 4 if m else LARGEST)


def followed(s: dict, names: Names) -> tuple[Clock, list]:
    """The clock, with C of all starts known; of every piece of them, t (of both ends) in the layers first..N, and C."""
    clock = clock_of(s, names)
    clock.require()
    orbits = clock.map_.orbit(starts(s), s["N"] - s["first"] + 1)
    pieces = [[ends[at : at + 2] for ends in orbits] for at in range(max(1, len(orbits[0]) - 1))]
    names.enclosed("C", clock.constant(orbits[-1], s["N"]))
    return clock, [(piece, clock.constant(piece[-1], s["N"])) for piece in pieces]


def rows(given, width: int) -> list:
    """A list of rows of so many entries."""
    listed = isinstance(given, list) and 0 < len(given) <= 12
    if not (listed and all(isinstance(row, list) and len(row) == width for row in given)):
        raise BadFile(f"{str(given)[:40]} is not a list of 1 to 12 rows of {width}")
    return given


def starts(s: dict) -> list:
    """t in the first layer: of the one start, or of an interval's ends and what is between them."""
    given = s["start"][:1] if s["start"][1:] == s["start"][:1] else s["start"]
    starts = [ball(constant(x, Names())) for x in given]
    need(bool(starts[0] > 0) and all(bool(a < b) for a, b in pairwise(starts)), "the starts")
    need(not isinstance(s["map"], dict) or bool(starts[-1] <= 2), "a correlation, which is >= -1")
    return [root(x, s["root"], None) for x in starts]


def stated(s: dict, e: int, names: Names) -> StatedLaw:
    """The law of t_n^e that the object has."""
    found = {_place(i, j): constant(c, names) for c, i, j in s["terms"]}
    need(len(found) == len(s["terms"]), "a term stands twice")
    ((bound, i, j),) = rows([s["remainder"]], 3)
    return StatedLaw(e, TailTerms(found), rational(bound), _place(i, j))


def _place(i, j) -> tuple[int, int]:
    return whole(i, -12, 40, "i"), whole(j, 0, 12, "j")


def recursion(s: dict) -> str:
    """The recursion and its starts in words."""
    ends = s["start"][:: len(s["start"]) - 1]
    low, high = map(show, ends)
    starts = f"= {low}" if low == high else f"in [{low}, {high}]"
    state = "x_n" if s["root"] == 1 else f"x_n^(1/{s['root']})"
    return f"x_{s['first']} {starts}, x_(n+1) = G({state}), {source_of(s).show(ends, s['first'])}"


def inequality(s: dict, quantity: str, names: Names) -> str:
    """The law in words."""
    law = " + ".join(f"({show(c)}){_monomial(i, j, s['m'])}" for c, i, j in s["terms"])
    bound, i, j = s["remainder"]
    printed = ((node, c) for node, c in names.known.items() if str([*node]) in str(s["terms"]))
    known = "".join(f", {show(node)} {between(ball(c))}" for node, c in printed)
    return f"for all n >= {s['from']}, |{quantity} - ({law})| <= ({bound}){_monomial(i, j, s['m'])}{known}"


def _monomial(i: int, j: int, m: int) -> str:
    """n^(-i/m) log(n)^j."""
    return ("" if i == 0 else f" n^({fmpq(-i, m)})") + ("" if j == 0 else " log(n)" if j == 1 else f" log(n)^{j}")
