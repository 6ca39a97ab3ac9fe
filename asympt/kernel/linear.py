"""The kind "linear": a_(n+1) = lambda(t_n) a_n + b(t_n) along a parabolic recursion, and a law of a_n or a_n/n.

P(t) = p t^-m + p_0 + .. solves the recursion up to eta = lambda P + b - P(g).  On (0, r] it is shown that

    0 <= lambda <= 1 and |eta| <= kappa (1 - lambda),

so that |a_n - P(t_n)| stays below kappa once it is (and above, it does not grow).  With a law of t_n^-m, `inverse`, up
to a number, p times it is one of a_n: its terms must be those printed, except for the constant.

Fields: those of `laws` (without exponent; C stands in no term), and multiplier, forcing, initial (lambda, b, a_first,
formulas in t), particular ([[k, p_k], ..]), kappa, inverse ([[c, i, j], ..]), within (how near t_n^-m is to it),
average (1 for a law of a_n/n).
"""

from flint import arb, ctx, fmpq

from asympt.kernel import laws
from asympt.kernel.formulas import evaluate, folded, show
from asympt.kernel.models import TaylorModel, taylor
from asympt.kernel.numbers import Names, ball, hull, is_zero, need, product, rational
from asympt.kernel.parabolic import AbelBound
from asympt.kernel.tail import StatedLaw

KIND = "linear"
FORMULAS = ("multiplier", "forcing", "initial")
TABLES = (*laws.TABLES, ("particular", 2, 1), ("inverse", 3, 0))
WHOLE = {name: ends for name, ends in laws.WHOLE.items() if name != "exponent"} | {"average": (0, 1)}
FIELDS = (laws.FIELDS - {"exponent"}) | {"average", *FORMULAS, "particular", "kappa", "inverse", "within"}


def check(p: dict) -> str:
    """The theorem; `NotShown` where something is not shown."""
    s = laws.read(p, WHOLE, FORMULAS, TABLES)
    with ctx.workprec(s["bits"]):
        names, m = Names(), s["m"]
        abel = laws.abel_of(s, names)
        law = StatedLaw(0, *laws.printed(s["terms"], s["remainder"], names))
        particular = laws.powers(s["particular"], -m, 12, names)
        need({k for k in particular if k <= 0} == {-m, 0}, "P needs p t^-m and a number")
        inverse, within, place = laws.printed(s["inverse"], [s["within"], 0, 0], names)
        number = _printed_constant(s, law, particular, inverse)
        require_contraction(s, abel, particular, names)
        layers = laws.orbits(s, abel, names)
        need(all(len(ends) == 1 for ends in layers), "the kind is about one start")
        near = hull(-1, 1) * ball(particular[-m]) * arb(within)
        far = _first_layers(s, law, layers, abel, particular)
        StatedLaw(-m, inverse, within, place).require_from(s["N"], abel, names, s["J"])
        need(bool(abs(number + near + far) <= arb(law.bound)), "the law beyond N")
        return _statement(s, names)


def require_contraction(s: dict, abel: AbelBound, particular: dict, names: Names) -> None:
    """0 <= lambda <= 1 and |eta| <= kappa (1 - lambda) on [0, r]."""
    lost, eta = sides(s, abel, particular, names)
    lost.require_positive("lambda < 1")
    lost.times(rational(s["kappa"])).require_above(eta, "|eta| <= kappa (1 - lambda)")


def sides(s: dict, abel: AbelBound, particular: dict, names: Names) -> tuple[TaylorModel, TaylorModel]:
    """1 - lambda and eta, both over t^m; lambda > 0."""
    map_, m = abel.map_, s["m"]
    degree = len(map_.z.c) - 1
    slope, own = (taylor(s[name], s["k"] + 2 * m, degree, s["range"], names) for name in ("multiplier", "forcing"))
    slope.require_positive("lambda > 0")
    lost, eta = slope.one() - slope, own.cut(degree - m)
    for k, c in particular.items():
        part = (lost + map_.power(fmpq(k, map_.root), s["J"]) - lost.one()).times(-c)  # of lambda P - P(g)
        eta = eta + (part.shifted(-k, "P") if k < 0 else part.raised(k)).cut(degree - m)
    return lost.shifted(m, "1 - lambda").cut(degree - 2 * m), eta.shifted(m, "what P leaves")


def _first_layers(s: dict, law: StatedLaw, layers: list, abel: AbelBound, particular: dict) -> arb:
    """The law in the layers up to N; what a_n - p t_n^-m - p_0 is between for all n >= N."""
    multiplier, forcing = folded(s["multiplier"]), folded(s["forcing"])
    a = evaluate(s["initial"], layers[0][0], None)
    for n, (t,) in enumerate(layers, s["first"]):
        need(n < s["from"] or law.holds(a / n if s["average"] else a, n, s["m"]), f"the law at layer {n}")
        if n < s["N"]:
            a = evaluate(multiplier, t, None) * a + evaluate(forcing, t, None)
    abel.value(t)  # t_N is in the range
    error = abs(a - sum((ball(c) * t**k for k, c in particular.items()), arb(0))).upper()
    rest = sum((ball(c) * hull(0, t**k) for k, c in particular.items() if k > 0), arb(0))
    return hull(-1, 1) * error.max(arb(rational(s["kappa"]))) + rest


def _printed_constant(s: dict, law: StatedLaw, particular: dict, inverse: dict) -> arb:
    """p `inverse` + p_0 is what is printed, up to this number."""
    shift, p = s["m"] * s["average"], particular[-s["m"]]
    terms = {(i - shift, j): c for (i, j), c in law.terms.items()}
    need((law.place[0] - shift, law.place[1]) == (0, 0), "the remainder is not of the order of a constant")
    for place in (set(terms) | set(inverse)) - {(0, 0)}:
        left = terms.get(place, fmpq(0)) - product(p, inverse.get(place, fmpq(0)))
        need(is_zero(left), f"the term at {place} is not that of p t^-m")
    return ball(product(p, inverse.get((0, 0), fmpq(0))) + particular[0] - terms.get((0, 0), fmpq(0)))


def _statement(s: dict, names: Names) -> str:
    return (
        f"{laws.recursion(s)}, a_{s['first']} = {show(s['initial'])}, a_(n+1) = ({show(s['multiplier'])}) a_n + "
        f"({show(s['forcing'])}), where t = x_n^(1/{s['root']}): "
        f"{laws.inequality(s, 'a_n/n' if s['average'] else 'a_n', names)}"
    )
