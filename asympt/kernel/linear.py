"""The kinds "linear" and "ntk": a_(n+1) = lambda(t_n) a_n + b(t_n) along a parabolic recursion, a law of a_n or a_n/n.

P(t) = p t^-m + .. solves the recursion up to eta = lambda P + b - P(g).  With w, the power of X in the remainder of
a_n, it is shown on (0, r] that

    0 <= lambda, lambda t^w < g^w and |eta| <= kappa (g^w - lambda t^w),

so that |a_n - P(t_n)|/t_n^w stays below kappa once it is (and above, it does not grow).

Fields: those of `laws` (without exponent), and multiplier, forcing, initial (lambda, b, a_first, formulas in t),
average (1 for a law of a_n/n).
The kind "ntk" is about a layer (`activation`); its multiplier and forcing, f'(1 - t^2) and f(1 - t^2), are no fields.
"""

from collections.abc import Iterator
from functools import partial, reduce

from flint import arb

from asympt.kernel.activation import NetworkLayer
from asympt.kernel.clock import ApproximateSolution, Clock
from asympt.kernel.formulas import FormulaSource, StartSegment, show
from asympt.kernel.numbers import Names, hull, need
from asympt.kernel.series import never_negative

KIND, NTK = "linear", "ntk"
OF_LAYER = "multiplier", "forcing"  # what a layer has itself
CORRELATION = ["sub", ["q", "1"], ["pow", "t", 2]]


class OrbitSolution:
    """a_n, as P(t_n) and at most `error` t_n^w."""

    def __init__(self, s: dict, clock: Clock, names: Names):
        """Shows 0 <= lambda and lambda t^w < g^w on (0, r]."""
        map_, m = clock.map_, s["m"]
        need(s["kind"] == KIND or isinstance(map_.source, NetworkLayer), "the map is no layer")
        self.s, self.map_, self.averaged = s, map_, s["average"]
        self.name, self.w = "a_n/n" if self.averaged else "a_n", s["remainder"][1] - m * self.averaged
        need(0 <= self.w <= s["k"], "a remainder of a_n from 1 to t^k")
        self.sources = [FormulaSource(s[name]) for name in (*OF_LAYER, "initial") if name in s]
        if s["kind"] == KIND:
            self.multiplier, self.forcing = (f.at for f in self.sources[:2])
            rate, own = (f.model(s["k"] + 2 * m, map_.degree + m, s["range"], names) for f in self.sources[:2])
        else:
            self.multiplier, self.forcing = (partial(map_.source.derivative, d) for d in (1, 0))
            rate, own = map_.rate, 1 - (1 - map_.u.z).raised(2)
        rate.require_positive("lambda > 0")
        powers = range(-m, min(m + self.w + 1, map_.degree - m))
        self.P = ApproximateSolution(map_, rate, own, powers, self.w, -1, {})
        self.error = self.P.K

    def along(self, orbit: list, *starts) -> Iterator[list]:
        """a_n of both ends in each layer; `error` becomes what it stays below for all n >= N.

        Of an interval of starts, on which the map increases: lambda >= 0, b and the initial value fall as t grows, so
        that a_n is between two numbers, `ends`.  Of a layer they do where c >= 0, f and f' having Hermite coefficients
        >= 0; where c may be negative, b does, and 0 <= lambda = f' <= 1.  The first layer may be one ball for all.
        """
        s, single, error = self.s, len(orbit[0]) == 1, arb("inf")
        at_once = single or not self._falls(orbit[:1])
        need(single or self._falls(orbit[at_once:]), "an interval: lambda, b and the initial value fall")
        begin = StartSegment(*starts)
        ends = [self.sources[-1].at(begin if at_once else t) for t in orbit[0]]
        for n, at in enumerate(orbit, s["first"]):
            yield ends
            t = hull(at[0], at[-1])
            error = error.min((abs(hull(ends[0], ends[-1]) - self.P.at(t)) / t**self.w).upper())
            if n == s["N"]:
                break
            error = self.P.next_error(t, error) if not single and bool(t <= arb(s["range"])) else arb("inf")
            if at_once:
                ends, at_once = [self.multiplier(begin) * a + self.forcing(begin) for a in ends], False
                continue
            known = single or s["kind"] == KIND or bool(at[-1] <= 1)
            rates = [self.multiplier(t) for t in at] if known else [arb(1), arb(0)]
            need(single or bool(rates[-1] >= 0), "an interval: lambda >= 0")
            sides = zip((arb.max, arb.min), ends, at, strict=False)
            ends = [best(rates[0] * a, rates[-1] * a) + self.forcing(t) for best, a, t in sides]
        self.error = self.error.max(error)
        self.sums = [*self.P.coefficients.items(), (self.w, hull(-1, 1) * self.error)]

    def _falls(self, orbit: list) -> bool:
        """Whether lambda, b and the initial value are shown to fall on these layers; b of a layer where f increases."""
        if self.s["kind"] == NTK:
            return self.s["initial"] == CORRELATION and self.map_.increases(*orbit[0])
        span = reduce(arb.union, (t for at in orbit for t in at))
        ends = arb(span.lower()), arb(span.upper())
        return all(never_negative(lambda t, f=f: -f.slope(t), *ends) for f in self.sources)

    @property
    def told(self) -> str:
        """The recursion in words."""
        s = self.s
        step = "f'(1 - x_n) a_n + f(1 - x_n), the NTK over q" if s["kind"] == NTK else (
            f"({show(s['multiplier'])}) a_n + ({show(s['forcing'])})")  # fmt: skip
        return f", a_{s['first']} = {show(s['initial'])}, a_(n+1) = {step}, where t = x_n^(1/{s['root']})"
