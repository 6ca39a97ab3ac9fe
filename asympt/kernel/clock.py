"""A recursion near its fixed point, and its clock: a function that turns a layer into one and the same step.

The map is x' = G(t), t = x^(1/root), on t it is g(t) = t (1 - z)^(1/root), z = 1 - G/t^root.  The clock is
F(t) = sum c_k t^k + rho log t with F(g) = chi F + step up to an error, E(t) = K t^k; p: the least power in F, c_p > 0:

    parabolic    z = a t^m + .., a > 0:       F = c_(-m) t^-m + .. falls,  chi = 1, step = 1
    hyperbolic   z = 1 - chi + .., root = 1:  F = t + c_2 t^2 + .. rises,  0 < chi < 1, step = 0; m is taken for 0

The c_k, k < that of E, and rho in the place of c_0 are found one after the other: c_k (t^k)(g) begins at t^(k + m).

What is shown on (0, r], once for all layers:

    range    0 < z < 1, so that 0 < g(t) < t;  g' >= 0, so that orbits keep their order
    defect   |F(g t) - chi F(t) - step| <= chi E(t) - E(g t)

Hence |F(t_n) - step n - C chi^n| <= E(t_n) for one number C and every layer n with t_n <= r: divided by chi^n, the
differences telescope.  As orbits keep their order and F is monotone near 0, C is between those of two ends.
"""

from functools import cached_property
from itertools import accumulate, pairwise

from flint import arb, fmpq

from asympt.kernel.formulas import StartSegment
from asympt.kernel.numbers import Names, ball, hull, inverse, is_zero, need, or_nan, product
from asympt.kernel.series import OneLess, PowerSeries, never_negative, rounded


class Map:
    """G on [0, r]; u = 1 - z = G/t^root; degree: of z/t^m; `source`: a `FormulaSource` or a `NetworkLayer`, for orbits.
    """

    def __init__(self, source, root: int, m: int, chi, r: fmpq, exact: int, more: int, order: int, names: Names):
        """u with so many exact coefficients and some more, polynomials in z of this order; shows `range`."""
        u = source.model(root + exact, root + exact + more, r, names).shifted(root, "the map over t^root")
        self.source, self.root, self.m, self.chi, self.degree = source, root, m, chi, len(u.c) - 1 - m
        need(is_zero(u.c[0] - chi), "the multiplier is not exactly that of the map")
        z = 1 - u
        z.shifted(m, "the map").require_positive("the map falls (z/t^m > 0)")
        most = z.largest()
        need(bool(most < 1), "the map stays positive (z < 1)")
        self.u = OneLess(z, (arb(0), most), order)
        self.rate = PowerSeries((c * fmpq(root + i, root) for i, c in enumerate(u.c)), r)  # G'/(root t^(root - 1))
        self.rate.require_positive("the map increases (G' > 0)")

    def power(self, k: int) -> PowerSeries:
        """(g/t)^k."""
        return self.u.power(fmpq(k, self.root))

    def step(self, t: arb) -> arb:
        """A ball for the next layer's t."""
        need(bool(t > 0), "the orbit is not shown to stay on its side")
        middle, within = arb(t.mid()), bool(t <= arb(self.u.z.r))
        slope = self.rate.over(t) * self.root * t ** (self.root - 1) if within else self.source.slope(t)
        return self._rooted(self.source.at(middle) + slope * (t - middle))

    def _rooted(self, x: arb) -> arb:
        need(bool(x > 0), "the orbit left the side of the fixed point on which it started")
        return x if self.root == 1 else x.root(self.root)

    def pieces(self, starts: list, count: int) -> list:
        """(ends, orbit) of every two neighbours: [t, larger t], between which all others are, in each layer.

        Of a single start, [t] in each layer.  A first layer in which the map is not shown to increase is one ball.
        """

        def followed(start, t: arb) -> list:
            return [ball(start), *accumulate(range(count - 2), lambda t, _: self.step(t), initial=t)]

        alone = [followed(t, self._image(t, t)) for t in starts]
        if len(starts) == 1:
            return [(starts * 2, [*zip(*alone, strict=True)])]
        found = []
        for (low, high), orbits in zip(pairwise(starts), pairwise(alone), strict=True):
            if not self.increases(orbits[0][0], orbits[1][0]):
                image = self._image(low, high)
                orbits = followed(low, arb(image.lower())), followed(high, arb(image.upper()))
            found.append(((low, high), [*zip(*orbits, strict=True)]))
            need(all(self.increases(*pair) for pair in found[-1][1][1:]), "the map increases on the starts")
        return found

    def increases(self, low: arb, high: arb) -> bool:
        """Whether the map is shown to increase between two t."""
        return bool(high <= arb(self.u.z.r)) or never_negative(self.source.slope, low, high)

    def _image(self, low, high) -> arb:
        """The next layer's t of all between these exact ones."""
        segment = StartSegment(low, high)
        found = or_nan(self.step, segment.span)
        return found if found.is_finite() else self._rooted(self.source.at(segment))


class ApproximateSolution:
    """F(t) = sum of coefficients[k] t^k along orbits: F(g) = lambda F + b up to the error E = K t^w.

    Shown on (0, r]: |lambda F + b - F(g)| <= K |lambda t^w - g^w|, with lambda t^w > g^w for the sign 1 (of a clock,
    whose errors telescope) and lambda t^w < g^w for the sign -1 (of P in `linear`, to which others come closer).
    """

    def __init__(self, map_: Map, rate, own, powers: range, w: int, sign: int, known: dict):
        """lambda and b are scalars or models; a coefficient that is not known takes the next term from the error."""
        self.map_, self.rate, self.w, m = map_, rate, w, map_.m
        lost, self.coefficients = {k: self._lost(k) for k in (*known, *powers)}, dict(known)
        left = sum((lost[k] * c for k, c in known.items()), (map_.u.z * fmpq(0) + own).cut(map_.degree))
        for k in powers:
            if not is_zero(first := lost[k].c[k + m]):  # else the part begins later, and is left out
                c = -product(left.c[k + m], inverse(first))
                self.coefficients[k] = c if k < max(w, 1) else rounded(c)
                left += lost[k] * self.coefficients[k]
        self.coefficients = {k: c for k, c in self.coefficients.items() if not is_zero(c)}
        left = left.shifted(w + m, "what F leaves")
        falls = (sign * (rate - map_.power(w))).shifted(m, "lambda - (g/t)^w").cut(len(left.c) - 1)
        falls.require_positive("lambda t^w - g^w, or its opposite")
        self.K = left.largest(falls)

    def _lost(self, k: int) -> PowerSeries:
        """lambda t^k - g^k; log t - log g for k = 0 where lambda is a number."""
        of_clock = k == 0 and not isinstance(self.rate, PowerSeries)
        part = self.map_.u.log() * fmpq(-1, self.map_.root) if of_clock else self.rate - self.map_.power(k)
        return part.raised(k, self.map_.degree)

    @cached_property
    def _balls(self) -> list:
        return [(k, ball(c)) for k, c in self.coefficients.items()]

    def at(self, t: arb) -> arb:
        """F."""
        return sum((c * t**k for k, c in self._balls), arb(0))

    def next_error(self, t: arb, error: arb) -> arb:
        """At most |a - F|/t^w in the next layer, lambda t^w < g^w: of it and K, the mean of weights lambda (t/g)^w."""
        weight = self.rate.over(t) * (1 - self.map_.u.z.over(t)) ** arb(fmpq(-self.w, self.map_.root))
        return self.K + (error - self.K).max(0) * weight.upper()


class Clock(ApproximateSolution):
    """F(t) + rho log t, of which lambda and b are numbers, chi and `step`; p: the least power."""

    def __init__(self, map_: Map, k: int):
        self.p, self.k, self.step = -map_.m or 1, k, int(map_.m > 0)
        super().__init__(map_, map_.chi, self.step, range(self.p, k), k, 1, {} if self.step else {1: fmpq(1)})
        self.rho = self.coefficients.pop(0, fmpq(0))
        need(bool(ball(self.coefficients[self.p]) > 0), "alpha is not shown to be > 0")

    def constant(self, t: arb, n: int) -> arb:
        """C of the orbit that is at t in layer n."""
        need(bool(t > 0) and bool(t <= arb(self.map_.u.z.r)), "the orbit is not in the range")
        found = self.at(t) + ball(self.rho) * t.log() + hull(-1, 1) * self.K * t**self.k
        return (found - self.step * n) / ball(self.map_.chi) ** n
