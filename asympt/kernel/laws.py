"""The kinds of theorem: x_(n+1) = G(x_n^(1/root)), and a law of x_n, or of a_n along it, for all n >= `from`.

Fields of all: map (G, a formula in t, or a layer); first; start: the least and the largest x of layer `first`, and
numbers between them where every piece is treated by itself; range (r); k: see `clock`; terms: [[c, i, j], ..] for
c X^i L^j; remainder: [B, i, j]; from: the first layer of the statement; N: the layer from which on `tail` shows it for
all; bits.  A constant is a rational or a formula without t.

parabolic   a law of x_n^(exponent/root) in X = n^(-1/m), L = log n.  root, m, exponent; c may have ["C"], the limit of
            F(t_n) - n
hyperbolic  a law of x_n > 0 in powers of X = C chi^n, root 1; B over C^i.  chi; no j in terms and remainder
linear, ntk see `linear`
"""

from collections.abc import Iterator
from functools import reduce
from itertools import pairwise
from json import dumps

from flint import arb, ctx, fmpq

from asympt.kernel.activation import NetworkLayer, formulas_of, layer
from asympt.kernel.clock import Clock, Map
from asympt.kernel.formulas import FormulaSource, as_formula, checked, constant, show
from asympt.kernel.linear import KIND as LINEAR
from asympt.kernel.linear import NTK, OF_LAYER, OrbitSolution
from asympt.kernel.numbers import BadFile, Names, ball, between, need, rational, root, whole
from asympt.kernel.tail import Place, StatedLaw, TailTerms

KIND, HYPERBOLIC = "parabolic", "hyperbolic"
WHOLE = {"root": (1, 6), "m": (1, 6), "k": (1, 16), "first": (0, 10), "N": (3, 20_000),
         "from": (2, 10_000), "bits": (64, 4_096), "exponent": (-6, 6), "average": (0, 1)}  # fmt: skip
_ALL = {"map", "start", "first", "range", "k", "terms", "remainder", "from", "N", "bits"}
_ALONG = _ALL | {"root", "m", "average", "initial"}
FIELDS = {KIND: _ALL | {"root", "m", "exponent"}, HYPERBOLIC: _ALL | {"chi"}, LINEAR: _ALONG | {*OF_LAYER}, NTK: _ALONG}
MOST_STARTS = 260
WORK = 2 * 10**8  # nodes times layers times bits
LARGEST = 16  # order of the polynomials in z of a clock that rises
MORE = 4  # degrees of the models beyond what must be exact


def check(p: dict) -> str:
    """The theorem; `NotShown` where something is not shown."""
    s = read(p)
    with ctx.workprec(s["bits"]):
        names, last = Names(), s["N"]
        clock = clock_of(s, names)
        pieces = clock.map_.pieces(starts(s), last - s["first"] + 1)
        C_of_pieces = [reduce(arb.union, (clock.constant(t, last) for t in orbit[-1])) for _, orbit in pieces]
        C_of_all, farthest = reduce(arb.union, C_of_pieces), max(orbit[-1][-1].upper() for _, orbit in pieces)
        quantity = (OrbitSolution if "average" in s else PowerOfOrbit)(s, clock, names)
        for (ends, orbit), C in zip(pieces, C_of_pieces, strict=True):
            names.enclosed("C", C)
            is_near = stated(s, names).nearby()
            for n, found in enumerate(quantity.along(orbit, *ends), s["first"]):
                near = (is_near(end / (n if quantity.averaged else 1), n) for end in found)  # and what is between
                need(not s["from"] <= n < last or all(near), f"the law at layer {n}")
        names.for_all("C", C_of_all, lambda C: stated(s, names).require_from(clock, farthest, C, quantity, names))
        names.enclosed("C", C_of_all)
        return f"{recursion(s)}{quantity.told}: {inequality(s, quantity.name, names)}"


class PowerOfOrbit:
    """x_n^(exponent/root)."""

    averaged, told = 0, ""

    def __init__(self, s: dict, _clock: Clock, _names: Names):
        self.s, self.e = s, s.get("exponent", 1)
        need(self.e != 0, "the exponent is 0")
        of = fmpq(self.e, s["root"])
        self.name, self.sums = f"x_n^({of})" if of != 1 else "x_n", [(self.e, fmpq(1))]

    def along(self, orbit: list, *_starts) -> Iterator[list]:
        return ([t**self.e for t in ends] for ends in orbit)


def read(p: dict) -> dict:
    """The object with its numbers read, its sizes, formulas and tables checked."""
    width = 2 + (p["kind"] != HYPERBOLIC)
    for c, *place in rows(p["terms"], width) + rows([p["remainder"]], width):
        as_formula(c)
        _place(*place)
    s = p | {name: whole(p[name], *ends, name) for name, ends in WHOLE.items() if name in p}
    s |= {"range": rational(p["range"])} | ({"root": 1} if p["kind"] == HYPERBOLIC else {})
    if not (isinstance(s["start"], list) and 2 <= len(s["start"]) <= MOST_STARTS):
        raise BadFile(f"{str(s['start'])[:40]} is not a list of 2 to {MOST_STARTS} starts")
    more = [p[name] for name in (*OF_LAYER, "initial") if name in p]
    nodes = sum(map(checked, [*formulas_of(p["map"]), *more]))
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
    order = (s["k"] - 1) // m + 4 if m else LARGEST
    return Clock(Map(source_of(s), root_, m, chi, s["range"], s["k"] + 2 * m, MORE, order, names), s["k"])


def rows(given, width: int) -> list:
    """A list of rows of so many entries."""
    listed = isinstance(given, list) and 0 < len(given) <= 12
    if not (listed and all(isinstance(row, list) and len(row) == width for row in given)):
        raise BadFile(f"{str(given)[:40]} is not a list of 1 to 12 rows of {width}")
    return given


def starts(s: dict) -> list:
    """t in the first layer, exactly: of the one start, or of an interval's ends and what is between them."""
    given = s["start"][:1] if s["start"][1:] == s["start"][:1] else s["start"]
    tables = [Names() for _ in given]
    exact = [constant(x, names) for x, names in zip(given, tables, strict=True)]
    starts = [*map(ball, exact)]
    need(bool(starts[0] > 0) and all(bool(a < b) for a, b in pairwise(starts)), "the starts")
    need(not isinstance(s["map"], dict) or bool(starts[-1] <= 2), "a correlation, which is >= -1")
    return [root(x, s["root"], names) for x, names in zip(exact, tables, strict=True)]


def stated(s: dict, names: Names) -> StatedLaw:
    """The law that the object has, for the C of the moment."""
    found = {_place(*at): constant(c, names) for c, *at in s["terms"]}
    need(len(found) == len(s["terms"]), "a term stands twice")
    bound, *at = s["remainder"]
    C, scale = ball(names.known["C",]), fmpq(1)
    if s["kind"] == HYPERBOLIC:
        need(bool(C > 0), "C is not shown to be > 0")
        scale = C ** whole(at[0], 2, LARGEST, "M")
    place = Place(s.get("m", 0), s["N"], C, ball(constant(s.get("chi", "1"), names)), *_place(*at))
    return StatedLaw(TailTerms(found), ball(rational(bound) / scale), place)


def _place(i, j=0) -> tuple[int, int]:
    return whole(i, -12, 40, "i"), whole(j, 0, 12, "j")


def recursion(s: dict) -> str:
    """The recursion and its starts in words."""
    ends = s["start"][:: len(s["start"]) - 1]
    low, high = map(show, ends)
    starts = f"= {low}" if low == high else f"in [{low}, {high}]"
    state = "x_n" if s["root"] == 1 else f"x_n^(1/{s['root']})"
    mu = f", mu = {show(s['chi'])}" if s["kind"] == HYPERBOLIC else ""
    return f"x_{s['first']} {starts}, x_(n+1) = G({state}), {source_of(s).show(ends, s['first'])}{mu}"


def inequality(s: dict, quantity: str, names: Names) -> str:
    """The law in words."""
    m = s.get("m")
    law = " + ".join(f"({show(c)}){' C^' + str(at[0]) if not m else ''}{_monomial(*at, m=m)}" for c, *at in s["terms"])
    bound, *at = s["remainder"]
    printed = ((node, c) for node, c in names.known.items() if not m or str([*node]) in str(s["terms"]))
    known = "".join(f", {show(node)} {between(ball(c))}" for node, c in printed)
    return f"for all n >= {s['from']}, |{quantity} - ({law})| <= ({bound}){_monomial(*at, m=m)}{known}"


def _monomial(i: int, j: int = 0, m: int | None = None) -> str:
    """n^(-i/m) log(n)^j, or mu^(i n)."""
    if m is None:
        return f" mu^({i} n)"
    return ("" if i == 0 else f" n^({fmpq(-i, m)})") + ("" if j == 0 else " log(n)" if j == 1 else f" log(n)^{j}")
