"""The kind "hyperbolic": x_(n+1) = G(x_n), x_n > 0, 0 < chi = G'(0) < 1, and a law of x_n in powers of chi^n.

With S(t) = t + s_2 t^2 + .. and E = K t^k it is shown on (0, r] that 0 < G(t) < t, 0 <= G' <= 1, S - E increases, and

    |S(G t) - chi S(t)| <= chi E(t) - E(G t);

so |S(x_n) - C chi^n| <= E(x_n) for one number C and every layer n with x_n <= r (the differences of S(x_n)/chi^n
telescope).  At y = z + c_2 z^2 + .. -+ b z^M, z = C chi^n, b C^M = B: (S -+ E)(y) is beyond z, for all 0 < z <= reach.

Fields: map, start (one x), first, range (r), chi, koenigs ([[k, s_k], ..]), K, k, degree (of the models beyond k),
terms ([[c, j], ..], c C^j chi^(j n)), remainder ([B, M]), from, N, reach (at least C chi^N), bits.
"""

from flint import arb, ctx, fmpq

from asympt.kernel import laws
from asympt.kernel.formulas import constant, show
from asympt.kernel.models import TaylorModel
from asympt.kernel.numbers import Names, ball, hull, is_zero, need, rational, whole
from asympt.kernel.parabolic import Map, orbit

KIND = "hyperbolic"
WHOLE = {"k": (2, 16), "degree": (1, 16), "first": (0, 10), "N": (3, 2_000), "from": (2, 1_000), "bits": (64, 4_096)}
FIELDS = {"format", "kind", "map", "start", "range", "chi", "koenigs", "K", "terms", "remainder", "reach", *WHOLE}


def check(p: dict) -> str:
    """The theorem; `NotShown` where something is not shown."""
    s = laws.read(p, WHOLE, tables=(("koenigs", 2, 1), ("terms", 2, 0)))
    with ctx.workprec(s["bits"]):
        names = Names()
        chi = constant(s["chi"], names)
        need(bool(0 < ball(chi) < 1), "chi is not shown to be between 0 and 1")
        terms = laws.powers([(k, c) for c, k in s["terms"]], 1, 16, names)
        powers = {1: fmpq(1)} | laws.powers(s["koenigs"], 2, 16, names)
        ((bound, last),) = laws.rows([s["remainder"]], 2)
        need(whole(last, 2, 16, "M") < s["k"] and all(j < last for j in terms), "the orders of the terms")
        map_, u = near(s, chi, names)
        require_koenigs(s, u, chi, powers)
        connection = _first_layers(s, map_, ball(chi), powers, terms, (arb(rational(bound)), last))
        _require_later(s, powers, terms, (arb(rational(bound)) / connection**last, last))
        return _statement(s, connection)


def near(s: dict, chi, names: Names) -> tuple[Map, TaylorModel]:
    """The map, and u = G/t, on [0, r], where it falls, increases and contracts."""
    source = laws.source_of(s)
    u = source.model(s["k"] + 1, s["k"] + 1 + s["degree"], s["range"], names).shifted(1, "the map")
    need(is_zero(u.c[0] - chi), "chi is not exactly the multiplier")
    slope = TaylorModel(((i + 1) * c for i, c in enumerate(u.c)), s["range"])
    for model, what in ((u, "G > 0"), (u.one() - u, "G < t"), (slope, "G' > 0"), (u.one() - slope, "G' < 1")):
        model.require_positive(what)
    return Map(source, 1, 0, u.one() - u, (arb(0), arb(1))), u


def sides(k: int, u: TaylorModel, chi, powers: dict) -> tuple[TaylorModel, TaylorModel]:
    """(chi E - E(G))/K and S(G) - chi S, both over t^k."""
    power, defect, at = u.one(), u.one().times(fmpq(0)), {}
    for j in range(1, max(k, *powers) + 1):
        power = power * u
        at[j] = power
    for j, c in powers.items():
        defect = defect + (at[j] - u.one().times(chi)).times(c).raised(j)
    defect = defect.shifted(k, "what S leaves")
    return (u.one().times(chi) - at[k]).cut(len(defect.c) - 1), defect


def require_koenigs(s: dict, u: TaylorModel, chi, powers: dict) -> None:
    falls, defect = sides(s["k"], u, chi, powers)
    falls.times(s["K"]).require_above(defect, "|S(G) - chi S| <= chi E - E(G)")
    slope = [(j - 1, j * c) for j, c in [*powers.items(), (s["k"], -s["K"])]]
    TaylorModel.of(slope, s["range"]).require_positive("S - E increases")


def _first_layers(s: dict, map_: Map, chi: arb, powers: dict, terms: dict, rest: tuple) -> arb:
    """The law in the layers up to N; a ball for C."""
    start = ball(constant(s["start"], Names()))
    need(bool(start > 0), "the start")
    states = [t for (t,) in orbit(map_, [start], s["N"] - s["first"] + 1)]
    t, K = states[-1], arb(s["K"])
    need(bool(0 < t <= arb(s["range"])), "the orbit is not in the range")
    error = K * t ** s["k"]
    value = sum((ball(c) * t**j for j, c in powers.items()), arb(0))
    connection = (value + hull(-error, error)) / chi ** s["N"]
    need(bool(connection > 0) and bool(connection * chi ** s["N"] <= arb(rational(s["reach"]))), "C chi^N and reach")
    for n, t in enumerate(states, s["first"]):
        law = sum((ball(c) * (connection * chi**n) ** j for j, c in terms.items()), arb(0))
        need(n < s["from"] or bool(abs(t - law) <= rest[0] * chi ** (n * rest[1])), f"the law at layer {n}")
    return connection


def _require_later(s: dict, powers: dict, terms: dict, rest: tuple) -> None:
    """The law in all layers from N on: both sides for all 0 < z <= reach."""
    b, last = rest
    for sign in (1, -1):
        y = TaylorModel.of([*terms.items(), (last, sign * b)], rational(s["reach"]), last + s["degree"])
        need(bool(y.largest() <= arb(s["range"])), "a comparison point leaves the range")
        y.shifted(1, "the law").require_positive("a comparison point is positive")
        power, beyond = y.one(), y.one().raised(1).times(fmpq(-1))
        both = powers | {s["k"]: powers.get(s["k"], fmpq(0)) - sign * s["K"]}
        for j in range(1, max(both) + 1):
            power = power * y
            beyond = beyond + power.times(both.get(j, fmpq(0)))
        side = beyond.shifted(last, "the law").times(fmpq(sign))
        side.require_positive(f"the law beyond N, sign {sign}")


def _statement(s: dict, connection: arb) -> str:
    law = " + ".join(f"({show(c)}) C^{j} mu^({j} n)" for c, j in s["terms"])
    bound, last = s["remainder"]
    return (
        f"x_{s['first']} = {show(s['start'])}, x_(n+1) = G(x_n), G(t) = {show(s['map'])}, mu = {show(s['chi'])}: "
        f"for all n >= {s['from']}, |x_n - ({law})| <= ({bound}) mu^({last} n), C = {connection}"
    )
