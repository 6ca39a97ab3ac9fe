"""What polynomials t(s) and k(s) of s = log l miss a recursion with falling steps by, as functions that are bounded.

Problem.  `curve` wants the largest of e^s |F| and e^s |K| for |s - c| <= q, to as many digits as the curve keeps.

Rule.  All that the steps bring, sigma = s + log(1 - e^-s) and e^s delta = a/(e^((kappa - 1) s) + b e^-s), are analytic
for |s - c| <= rho as long as e^(kappa (c - rho)) > |b| and c > rho.  The power series of e^s F and e^s K at c are
balls; beyond z^(M-1) Cauchy bounds them by S (q/rho)^M/(1 - q/rho), where |e^s F| <= S for |z| <= rho follows from
|t(s) - t(sigma)| <= |log(1 - e^-s)| sup |t'| and from majorants of the polynomials.

Tiny case.  t = 1, h = x^2: e^s F = e^s delta.

Known limits.  rho is one of a few multiples of q (`CIRCLES`).
"""

from collections.abc import Callable

from flint import arb, arb_poly, arb_series

from asympt.balls.arithmetic import Refused, coefficients, require_finite, smallest
from asympt.balls.flows.theorem import FlowTheorem, Taylor
from asympt.errors import PrecisionError

SPARE = 6  # digits
FEW = 10  # terms of Taylor's series, which are cheaper than a composition
CIRCLES = (2, 3, 4.5, 7, 11)  # rho over q


def magnitudes(polynomial: arb_poly) -> arb_poly:
    """Bounds of the moduli of its coefficients."""
    return arb_poly([abs(c).upper() for c in polynomial.coeffs()])


def middles(series: arb_series | arb_poly) -> arb_poly:
    """The polynomial of the midpoints."""
    return arb_poly([c.mid() for c in series.coeffs()])


def series_of(polynomial: arb_poly, length: int) -> arb_series:
    """The polynomial as a power series of so many coefficients."""
    return arb_series(polynomial.coeffs()[:length], prec=length)


def composed(outer: arb_poly, inner: arb_series, length: int) -> arb_series:
    """outer(inner), exactly as far as the series goes."""
    start, *rest = coefficients(inner, length)
    moved = arb_series([arb(0), *rest], prec=length)
    return series_of(outer(arb_poly([start, arb(1)])), length)(moved)


class Window:
    """The functions of s = centre + z that belong to the steps, as power series in z."""

    def __init__(self, theorem: FlowTheorem, exponent: arb, centre: arb, length: int):
        self.theorem, self.kappa, self.centre, self.length = theorem, exponent, centre, length
        z = arb_series([arb(0), arb(1)], prec=length)
        self.grown, fallen = (centre + z).exp(), (-(centre + z)).exp()
        self.back = (1 - fallen).log()  # sigma - s
        self.pace = theorem.a / (((centre + z) * (exponent - 1)).exp() + theorem.shift * fallen)  # e^s delta
        self.rate = -self.back * self.grown  # e^s (s - sigma)
        self.before = z + self.back

    def defect(self, t: arb_poly, inner: arb_series) -> arb_series:
        """e^s F; inner: t(sigma)."""
        root = self.theorem.root
        return self.grown * (series_of(t, self.length) ** root - inner**root) + self.pace * self.drift(inner)

    def kernel_defect(self, k: arb_poly, slope: arb_series, own: arb_series) -> arb_series:
        """e^s K; slope, own: h' and o of t(sigma)."""
        before = self.moved(k)
        return self.grown * (series_of(k, self.length) - before) + self.pace * (slope * before - own)

    def moved(self, polynomial: arb_poly) -> arb_series:
        """It in the layer before: polynomial(sigma)."""
        return composed(polynomial, self.before, self.length)

    def _of(self, function: Taylor, inner: arb_series) -> arb_series:
        return composed(arb_poly(list(function.known)), inner, self.length)

    def own(self, inner: arb_series) -> arb_series:
        """o."""
        return self._of(self.theorem.own, inner)

    def drift(self, inner: arb_series) -> arb_series:
        """h."""
        return inner**self.theorem.k * self._of(self.theorem.shape, inner)

    def slope(self, inner: arb_series) -> arb_series:
        """h'."""
        return inner**self.theorem.m * self._of(self.theorem.sloped, inner)

    # ---- on the circle ------------------------------------------------------------------------------------

    def _reached(self, radius: arb) -> tuple[arb, arb, arb]:
        """Bounds of |z + sigma - s|, e^s |s - sigma| and e^s delta for |z| <= radius."""
        least = (self.centre - radius).lower()
        near = (-least).exp()
        room = (self.kappa * least).exp() - abs(self.theorem.shift)
        if not (near < 1 and room > 0):
            raise Refused("the circle about a piece reaches layers before the first")
        back, most = -(1 - near).log(), (self.centre + radius).exp()
        return radius + back, most * back, self.theorem.a * most / room

    def sup(self, t: arb_poly, radius: arb) -> arb:
        """A bound of |e^s F| for |z| <= radius."""
        theorem, (reach, rate, pace) = self.theorem, self._reached(radius)
        majorant = magnitudes(t)
        size, slope = majorant(reach), majorant.derivative()(reach)
        drift = size**theorem.k * magnitudes(arb_poly(list(theorem.shape.known)))(size)
        return (rate * theorem.root * size ** (theorem.root - 1) * slope + pace * drift).upper()

    def kernel_sup(self, t: arb_poly, k: arb_poly, radius: arb) -> arb:
        """A bound of |e^s K| for |z| <= radius."""
        theorem, (reach, rate, pace) = self.theorem, self._reached(radius)
        size, kernel = magnitudes(t)(reach), magnitudes(k)
        slope, own = (magnitudes(arb_poly(list(f.known)))(size) for f in (theorem.sloped, theorem.own))
        return (rate * kernel.derivative()(reach) + pace * (size**theorem.m * slope * kernel(reach) + own)).upper()


class Sketch(Window):
    """The same to so many digits only, which is cheaper and proves nothing.

    Far out sigma - s is about e^-s and t small: a few terms of Taylor's series for t(s + (sigma - s)) and of h suffice.
    """

    def __init__(self, theorem: FlowTheorem, exponent: arb, centre: arb, length: int, digits: int):
        super().__init__(theorem, exponent, centre, length)
        self.small = arb(10) ** -(digits + SPARE)

    def moved(self, polynomial: arb_poly) -> arb_series:
        """polynomial(s) + polynomial'(s) (sigma - s) + ...."""
        terms = float(self.small.log() / abs(self.back[0]).log())
        if terms > FEW:
            return super().moved(polynomial)
        total, power, term = series_of(polynomial, self.length), arb_series([arb(1)], prec=self.length), polynomial
        for j in range(1, int(terms) + 2):
            term, power = term.derivative() * (arb(1) / j), power * self.back
            total += series_of(term, self.length) * power
        return total

    def _of(self, function: Taylor, inner: arb_series) -> arb_series:
        start, kept = abs(inner[0]).upper(), 1
        while kept < function.count and (start / function.radius) ** kept > self.small:
            kept += 1
        return composed(arb_poly(function.known[:kept]), inner, self.length)


def bounded(series: arb_series, length: int, half: arb, sup: Callable[[arb], arb]) -> arb:
    """A bound for |z| <= half of a function of which `length` coefficients are known, and sup(rho) for |z| <= rho."""
    known, rests, reason = magnitudes(arb_poly(coefficients(series, length)))(half), [], None
    for times in CIRCLES:
        share = arb(1) / times
        try:
            rests.append(require_finite(sup(half * times) * share**length / (1 - share), "a bound on a circle").upper())
        except (Refused, PrecisionError) as refused:
            reason = refused
    if not rests:
        raise reason
    return (known + smallest(rest.max(arb(0)) for rest in rests)).upper()
