"""The kinds "linear" and "ntk": a_(n+1) = lambda(t_n) a_n + b(t_n) along a parabolic recursion, a law of a_n or a_n/n.

P(t) = p t^-m + .. solves the recursion up to eta = lambda P + b - P(g).  With w, the power of X in the remainder of
a_n, it is shown on (0, r] that

    0 <= lambda, lambda t^w < g^w and |eta| <= kappa (g^w - lambda t^w),

so that |a_n - P(t_n)|/t_n^w stays below kappa once it is (and above, it does not grow).  A(t_n) = n + C up to E: then

    alpha t^-m = A(t) - rho log t - sum alpha_k t^k = n (1 + d),
    P(t) = (p/alpha) (A(t) - rho log t) + sum (p_k - (p/alpha) alpha_k) t^k

are known in powers of X = n^(-1/m) and L = log n, d from a rough ball on, which the first line makes better each time;
in P those larger than the remainder must be those printed.

Fields: those of `laws` (without exponent), and multiplier, forcing, initial (lambda, b, a_first, formulas in t),
average (1 for a law of a_n/n).
The kind "ntk" is about a layer (`activation`); its multiplier and forcing, f'(1 - t^2) and f(1 - t^2), are no fields.
"""

from collections.abc import Callable
from functools import partial, reduce

from flint import arb, ctx, fmpq

from asympt.kernel import laws
from asympt.kernel.activation import NetworkLayer
from asympt.kernel.clock import Clock
from asympt.kernel.formulas import FormulaSource, evaluate, show, taylor
from asympt.kernel.numbers import Names, ball, hull, need, power, product, root, value
from asympt.kernel.series import OneLess, PowerSeries, require_positive, solved
from asympt.kernel.tail import LayerPowers, TailTerms, cut, over

KIND, NTK = "linear", "ntk"
OF_LAYER = "multiplier", "forcing"  # what a layer has itself
CORRELATION = ["sub", ["q", "1"], ["pow", "t", 2]]
FIELDS = laws.PARABOLIC | {"average", *OF_LAYER, "initial"}
ROUNDS = 3  # in which d becomes better


def check(p: dict) -> str:
    """The theorem; `NotShown` where something is not shown."""
    s = laws.read(p, [name for name in (*OF_LAYER, "initial") if name in p])
    with ctx.workprec(s["bits"]):
        names, layers = Names(), LayerPowers(s["m"], s["N"])
        clock, pieces = laws.followed(s, names)
        need(s["kind"] == KIND or isinstance(clock.map_.source, NetworkLayer), "the map is no layer")
        law = laws.stated(s, 0, names)
        particular, kappa = contraction(s, clock, names)
        error, C_of_all = arb(0), ball(names.known["C",])
        for orbit, C in pieces:
            names.enclosed("C", C)
            error = error.max(_first_layers(s, law.nearby(layers), orbit, clock, particular, kappa))
        farthest = pieces[-1][0][-1][-1]

        def show(C) -> None:
            found = _later(clock, particular, farthest, C, names, layers, weight(s), error)
            left = found.raised(s["m"] * s["average"]) - law.terms
            need(bool(abs(over(left, law.place, layers)) <= arb(law.bound)), "the law beyond N")

        names.for_all("C", C_of_all, show)
        names.enclosed("C", C_of_all)
        return _statement(s, names)


def weight(s: dict) -> int:
    """w."""
    found = s["remainder"][1] - s["m"] * s["average"]
    need(0 <= found <= s["k"], "a remainder of a_n from 1 to t^k")
    return found


def contraction(s: dict, clock: Clock, names: Names) -> tuple[dict, arb]:
    """Shows 0 <= lambda and lambda t^w < g^w on (0, r]; P as {k: p_k}, and kappa."""
    map_, m, w = clock.map_, s["m"], weight(s)
    degree = len(map_.u.z.c) - 1
    slope, own = map_.rate, 1 - (1 - map_.u.z).raised(2)  # of a layer
    if s["kind"] == KIND:
        slope, own = (taylor(s[name], s["k"] + 2 * m, degree, s["range"], names) for name in OF_LAYER)
    slope.require_positive("lambda > 0")
    degree -= m

    def part(k: int) -> PowerSeries:
        """lambda t^k - g^k."""
        return (slope - map_.u.power(fmpq(k, map_.root), clock.J)).times_power(k, degree)

    particular, eta = solved(own.cut(degree), part, range(-m, min(m + w + 1, degree - m)), m, max(w, 1))
    lost = (map_.u.power(fmpq(w, map_.root), clock.J) - slope).shifted(m, "(g/t)^w - lambda").cut(degree - m - w)
    lost.require_positive("lambda t^w < g^w")
    return particular, eta.shifted(m + w, "what P leaves").largest(lost)


def _first_layers(s: dict, is_near: Callable, orbit: list, clock: Clock, particular: dict, kappa: arb) -> arb:
    """The law in the layers up to N; what |a_n - P(t_n)|/t_n^w stays below for all n >= N.

    Of an interval of starts, on which the map increases: lambda >= 0, b and the initial value fall as t grows, so
    that a_n is between two numbers, `ends`.  Of a layer they do where c >= 0, f and f' having Hermite coefficients
    >= 0; where c may be negative, b does, and 0 <= lambda = f' <= 1.
    """
    multiplier, forcing = (partial(clock.map_.source.derivative, d) for d in (1, 0)) if s["kind"] == NTK else (
        partial(evaluate, s[name], names=None) for name in OF_LAYER)  # fmt: skip
    ends = [ball(evaluate(s["initial"], t, None)) for t in orbit[0]]
    error, solution, w = arb("inf"), [(k, ball(c)) for k, c in particular.items()], weight(s)
    if len(ends) == 2:
        _require_order(s, reduce(arb.union, (t for at in orbit for t in at)))
    for n, at in enumerate(orbit, s["first"]):
        span = n if s["average"] else 1
        need(not s["from"] <= n < s["N"] or all(is_near(a / span, n) for a in ends), f"the law at layer {n}")
        t = hull(at[0], at[-1])
        away = hull(ends[0], ends[-1]) - sum((c * t**k for k, c in solution), arb(0))
        error = error.min((abs(away) / t**w).upper())
        if n < s["N"]:
            if len(ends) == 2 and bool(t <= arb(clock.map_.u.z.r)):  # where lambda and kappa tell how it goes on
                grown = abs(multiplier(t)) * (1 - clock.map_.u.z.over(t)) ** arb(fmpq(-w, s["root"]))
                error = kappa + (error - kappa).max(0) * grown.upper()
            else:
                error = arb("inf")
            known = len(at) == 1 or s["kind"] == KIND or bool(at[-1] <= 1)
            rates = [multiplier(t) for t in at] if known else [arb(1), arb(0)]
            need(len(at) == 1 or bool(rates[-1] >= 0), "an interval: lambda >= 0")
            sides = zip((arb.max, arb.min), ends, at, strict=False)
            ends = [best(rates[0] * a, rates[-1] * a) + forcing(t) for best, a, t in sides]
    return error.max(kappa)


def _require_order(s: dict, span: arb) -> None:
    """lambda, b and the initial value fall on the orbits."""
    need(s["kind"] == KIND or s["initial"] == CORRELATION, "an interval of starts with another initial value")
    for name in (*OF_LAYER, "initial") if s["kind"] == KIND else ():
        falls = FormulaSource(["neg", s[name]]).slope
        require_positive(falls, arb(span.lower()), arb(span.upper()), f"an interval: {name} falls", strict=False)


def _later(
    clock: Clock, particular: dict, t: arb, C, names: Names, layers: LayerPowers, w: int, error: arb
) -> TailTerms:
    """P(t_n) up to `error` t_n^w in powers of X and L for all n >= N, where t_n <= t."""
    m, alpha = layers.m, clock.coefficients[-layers.m]
    ratio, scale, log_alpha = particular.get(-m, fmpq(0)) / alpha, root(alpha, m, names), value("log", alpha, names)
    order = -(-w // m)  # of d, to which log(1 + d) and powers are needed

    def seen(factor, *sums) -> TailTerms:
        """factor (n + C - rho log t) and the sums of c t^k in (k, c)."""
        z = over(-d, (0, 0), layers).union(arb(0))
        need(bool(z < 1), "t^-m is not shown to grow like n")
        bent = OneLess(-d, (arb(z.lower()), arb(z.upper())))
        log_t = (TailTerms({(0, 1): fmpq(-1), (0, 0): log_alpha}) - bent.log(order)) * fmpq(1, m)
        found = (TailTerms({(-m, 0): fmpq(1), (0, 0): C}) - log_t * clock.rho) * factor
        for k, c in sums:
            found += TailTerms({(k, 0): product(c, power(scale, k))}) * bent.power(fmpq(-k, m), order)
        return found

    clocks = [(k, -c) for k, c in clock.coefficients.items() if k > -m] + [(clock.k, hull(-1, 1) * clock.K)]
    d = TailTerms({(0, 0): _roughly(clock, C, t, layers)})
    for _ in range(ROUNDS + order):
        d = cut((seen(fmpq(1), *clocks) - TailTerms({(-m, 0): fmpq(1)})).raised(m), m + w, layers)
    more = [(k, c) for k, c in particular.items() if k > -m] + [(w, hull(-1, 1) * error)]
    return seen(ratio, *((k, product(ratio, c)) for k, c in clocks), *more)


def _roughly(clock: Clock, C, t: arb, layers: LayerPowers) -> arb:
    """d in all layers n >= N, by t^-m alone: t^m |log t| grows up to t."""
    m, alpha = layers.m, clock.coefficients[-layers.m]
    need(bool(m * t.log() <= -1), "the orbit has not come below e^(-1/m)")
    more = sum((abs(ball(c)) * t ** (k + m) for k, c in clock.coefficients.items() if k > -m), arb(0))
    more = (more - abs(ball(clock.rho)) * t**m * t.log()) / ball(alpha)
    return (1 + hull(0, (ball(C) + hull(-1, 1) * clock.error(t)) / layers.N)) / (1 + hull(-1, 1) * more) - 1


def _statement(s: dict, names: Names) -> str:
    step = "f'(1 - x_n) a_n + f(1 - x_n), the NTK over q" if s["kind"] == NTK else (
        f"({show(s['multiplier'])}) a_n + ({show(s['forcing'])})")  # fmt: skip
    return (
        f"{laws.recursion(s)}, a_{s['first']} = {show(s['initial'])}, a_(n+1) = {step}, where t = x_n^(1/{s['root']}): "
        f"{laws.inequality(s, 'a_n/n' if s['average'] else 'a_n', names)}"
    )
