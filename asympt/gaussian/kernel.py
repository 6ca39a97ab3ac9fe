"""The kernel E[phi(sqrt(q1) U) phi(sqrt(q2) V)] of any activation, its gap at correlation 1, slope and derivatives.

The gap M_0(q) - F(1 - gamma) has full relative accuracy from gamma = 1e-30 to 2.  The first route that applies:
  closed form       proved formula of `kernels`, not where it cancels thousands of bits (ELU at large variances);
  Hermite series    (`series`) smooth phi: every gamma; kinks and jumps: |c| below about 0.95 (at 40 digits);
  quadrature        of E[(psi(U) - psi(V))^2]/2 in the plane, cut where breakpoints meet (docs/bounds.md).
The slope is F'(c)/q = E[phi'(U) phi'(V)] plus what jumps of phi add.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from math import ceil, factorial, log10

from mpmath import mp
from sympy import expand

from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.gaussian.closed.kernels import ClosedForm, closed_form
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.quadrature.profile import (
    LONGEST,
    KernelSeries,
    Profile,
    Psi,
    cross_value,
    find_series,
    legendre_rule,
    mapped,
    panels,
    profile,
)
from asympt.numbers import to_mpf

LONGEST_STRIP = 7.0
FIRST_STEP = 1.0  # of the trapezoidal rule


def plane_expectation(first: Psi, second: Psi, gap, combine: Callable, digits: int):
    """E[combine(psi_1(U), psi_2(V))] at correlation 1 - gap, 0 <= gap <= 1, to about `digits` digits.

    Runs at mpmath's current precision, which must exceed `digits` by what `combine` cancels.  `combine` is symmetric
    when `first is second`: half of the plane is then enough.
    """
    rule, radius = legendre_rule(digits), mp.mpf(max(first.reach, second.reach))
    a, b = mp.sqrt(1 - gap / 2), mp.sqrt(gap / 2)
    if b == 0:
        return _across(first, second, a, b, mp.zero, radius, combine, rule) / mp.sqrt(2 * mp.pi)

    def row(y):
        across = _across(first, second, a, b, y, mp.sqrt(max(mp.zero, radius**2 - y**2)), combine, rule)
        return mp.exp(-(y**2) / 2) * across

    if first.breaks or second.breaks:
        strips = _strips(first, second, b, radius)
        total = mp.fsum(w * row(y) for low, high in strips for y, w in mapped(low, high, rule))
    else:
        total = _trapezoid(row, radius, digits, first is second)
    return total / (2 * mp.pi) * (2 if first is second else 1)


def line_expectation(side: Psi, mean, deviation, digits: int):
    """E[psi(mean + deviation Z)]."""
    reach, shift = side.reach + abs(float(mean)), float(mean)
    cuts = [(point - mean) / deviation for point in side.breaks]

    def spacing(x: float) -> float:
        return side.spacing(shift + float(deviation) * x) / max(float(deviation), 1e-300)

    total, rule = mp.zero, legendre_rule(digits)
    for low, high in pairwise(_inside(cuts, mp.mpf(reach))):
        piece = side.at(mean + deviation * (low + high) / 2)
        for panel in panels(low, high, lambda x: min(spacing(x), LONGEST)):
            total += mp.fsum(w * mp.npdf(x) * piece(mean + deviation * x) for x, w in mapped(*panel, rule))
    return total


def _trapezoid(row: Callable, radius, digits: int, half: bool):
    """Equal steps, halved until nothing changes: halving squares the error, so half of the digits have to agree.

    `half`: only y > 0, for a symmetric integrand.
    """
    step, before = mp.mpf(FIRST_STEP), None
    total, first = row(mp.zero) / (2 if half else 1), 1
    size = abs(total)
    while True:
        for index in range(1, int(radius / step) + 1, first):
            both = row(index * step) + (0 if half else row(-index * step))
            total, size = total + both, size + abs(both)
        found = total * step
        if before is not None and abs(found - before) <= size * step * mp.mpf(10) ** -(digits / 2 + 3):
            return found
        step, before, first = step / 2, found, 2


def _strips(first: Psi, second: Psi, b, radius) -> list[tuple]:
    """Panels in Y: cut where two breakpoints change places."""
    crossings = [(x - y) / (2 * b) for x in first.breaks for y in second.breaks]
    ends = _inside(crossings, radius)
    if first is second:
        ends = [mp.zero, *(y for y in ends if y > 0)]
    far = int(8 * radius) + 1
    finest = min(side.spacing(x / 8) for side in (first, second) for x in range(-far, far + 1))
    longest = min(LONGEST_STRIP, finest / float(b))
    return [panel for low, high in pairwise(ends) for panel in panels(low, high, lambda y: longest)]


def _across(first: Psi, second: Psi, a, b, y, half_width, combine: Callable, rule: Sequence):
    """The integral over X at fixed Y, without the factors of 2 pi."""
    shift, slant = b * y, float(a)
    offset = float(shift)
    cuts = [(x - shift) / a for x in first.breaks] + [(x + shift) / a for x in second.breaks]

    def spacing(x: float) -> float:
        return min(first.spacing(slant * x + offset), second.spacing(slant * x - offset)) / slant

    total = mp.zero
    for low, high in pairwise(_inside(cuts, half_width)):
        middle = a * (low + high) / 2
        left, right = first.at(middle + shift), second.at(middle - shift)
        for panel in panels(low, high, spacing):
            for x, weight in mapped(*panel, rule):
                along = a * x
                total += weight * mp.exp(-(x**2) / 2) * combine(left(along + shift), right(along - shift))
    return total


def _inside(cuts: Sequence, radius) -> list:
    """-radius, the cuts within the radius in order, radius."""
    return [-radius, *sorted({cut for cut in cuts if abs(cut) < radius}), radius]


GUARD = 6
BLOCK = 30  # digits: closed forms prepare themselves anew for every precision
MOST_ROUNDS = 3
KEPT = 16  # variances


@dataclass(frozen=True)
class Kernel:
    """Two-point expectations of one activation; every method works at mpmath's current precision.

    >>> from sympy import Max, Symbol
    >>> x = Symbol("x", real=True)
    >>> relu = kernel_of(PiecewiseSmooth.of(Max(x, 0), x))
    >>> mp.nstr(relu.value(2, 2, 0), 12), mp.nstr(relu.slope(2, 1), 12)
    ('0.318309886184', '0.25')
    """

    phi: PiecewiseSmooth
    use_closed_form: bool = True
    _variances: deque = field(default_factory=lambda: deque(maxlen=KEPT), repr=False, compare=False)

    @cached_property
    def closed(self):
        return closed_form(self.phi) if self.use_closed_form else None

    @property
    def source(self) -> str:
        """'closed form', 'Hermite series' or 'quadrature': the route at gaps that tend to 0."""
        if self.closed is not None:
            return "closed form"
        return "quadrature" if self.phi.breaks else "Hermite series"

    def value(self, q1, q2, c):
        """E[phi(sqrt(q1) U) phi(sqrt(q2) V)] at correlation c (dual activation, Daniely, Frostig and Singer 2016)."""
        q1, q2, c = self._variance(q1), self._variance(q2), mp.convert(c)
        if not abs(c) <= 1:
            raise InputError(f"the correlation c = {mp.nstr(c, 8)} is outside [-1, 1]; give a number in it")
        with mp.workdps(mp.dps + GUARD):
            result = self._value(q1, q2, c)
        return +result

    def gap(self, q, gamma):
        """M_0(q) - E[phi(sqrt(q) U) phi(sqrt(q) V)] at correlation 1 - gamma, to full relative accuracy."""
        q, gamma = self._variance(q), _gap(gamma)
        if gamma == 0:
            return mp.zero
        with mp.workdps(mp.dps + GUARD):
            result = self._gap(q, gamma)
        return +result

    def slope(self, q, gamma):
        """(1/q) dF/dc at c = 1 - gamma; infinite at gamma = 0 (and possibly 2) when phi jumps."""
        q, gamma = self._variance(q), _gap(gamma)
        with mp.workdps(mp.dps + GUARD):
            result = self._slope(q, gamma)
        return +result

    def derivative(self, q, gamma, n: int):
        """The n-th derivative in c of value(q, q, c) at c = 1 - gamma; `UnsupportedError` too close to |c| = 1."""
        if n == 0:
            return self.value(q, q, 1 - mp.convert(gamma))
        q, gamma = self._variance(q), _gap(gamma)
        if n == 1:
            return q * self.slope(q, gamma)
        with mp.workdps(mp.dps + GUARD):
            result = self._derivative(q, gamma, n)
        return +result

    def _variance(self, q):
        """q, or the number of more digits that was asked for before and is q at this precision: it has its tables."""
        q = mp.convert(q)
        if not (mp.isfinite(q) and q > 0):
            raise InputError(f"the variance q = {mp.nstr(q, 8)} is not a positive number; give q > 0")
        for known in tuple(self._variances):
            if abs(known - q) <= mp.eps * q:
                return known
        self._variances.appendleft(q)
        return q

    def _value(self, q1, q2, c):
        formula = self.by_formula(lambda: self.closed.evaluate(q1, q2, c))
        if formula is not None:
            return formula
        if c == 1 and q1 == q2:
            return +_profile(self.phi, q1).moments[0]
        found = [find_series(_profile(self.phi, q), c) for q in {q1, q2}]
        if None not in found:
            return found[0].value(c) if len(found) == 1 else cross_value(found[0], found[1], c)
        digits, profiles = mp.dps, [_profile(self.phi, q1), _profile(self.phi, q2)]
        with mp.workdps(digits + GUARD):
            return _pair(*profiles, 1 - c, 0, lambda u, v: u * v, digits)

    def _gap(self, q, gamma):
        formula = self.by_formula(lambda: self._closed_gap(q, gamma))
        if formula is not None:
            return formula
        found = find_series(_profile(self.phi, q), 1 - gamma)
        if found is not None:
            return found.gap(gamma)
        return quadrature_gap(self.phi, q, gamma)

    def by_formula(self, evaluate: Callable):
        """What the closed form gives; None without one, and where its terms cancel too many digits."""
        if self.closed is None:
            return None
        try:
            return evaluate()
        except PrecisionError:
            return None

    def _closed_gap(self, q, gamma):
        """M_0 - F(c): digits are added for a small gap, and for a small distance from c = -1 if phi is even."""
        digits, nearest = mp.dps, min(gamma, 2 - gamma) or mp.one
        with mp.workdps(digits + GUARD + ceil(2 * max(0, -mp.log10(nearest)))):
            square = _closed_square(self.closed, q, mp.prec)
            difference = square - self.closed.evaluate(q, q, 1 - gamma)
            return difference if abs(difference) > square * mp.mpf(10) ** (GUARD - mp.dps) else mp.zero

    @staticmethod
    def _closed_slope(form: ClosedForm, q, gamma):
        """By a closed form, in which 1 - gamma needs the digits of gamma: it goes like sqrt(gamma) where phi jumps
        or has a kink, and so the rounding of gamma is seen in whole blocks of digits."""
        nearest = min(gamma, 2 - gamma)
        digits = mp.dps + BLOCK * ceil(max(0, -mp.log10(nearest) - GUARD) / BLOCK)
        with mp.workdps(digits):
            return form.evaluate_slope(q, q, 1 - gamma)

    def _slope(self, q, gamma):
        formula = self.by_formula(lambda: self._closed_slope(self.closed, q, gamma)) if 0 < gamma < 2 else None
        if formula is not None:
            return formula
        found = find_series(_profile(self.phi, q), 1 - gamma, 1)
        if found is not None:
            return found.slope(1 - gamma) / q
        return quadrature_slope(self.phi, q, gamma)

    def _closed_derivative(self, q, gamma, n: int):
        """Price's theorem n times: F^(n)(c) = q^n E[phi^(n) phi^(n)], in closed form; None without one."""
        form = _closed_derivative(self.phi, n) if self.closed is not None and 0 < gamma < 2 else None
        if form is None:
            return None
        return self.by_formula(lambda: q**n * self._closed_slope(form, q, gamma))

    def _derivative(self, q, gamma, n: int):
        formula = self._closed_derivative(q, gamma, n)
        if formula is not None:
            return formula
        c, digits = 1 - gamma, mp.dps
        lost = int(n * max(0, -log10(min(gamma, 2 - gamma)))) + 2 if 0 < gamma < 2 else 0
        for _ in range(MOST_ROUNDS):
            with mp.workdps(digits + lost):
                found = find_series(_profile(self.phi, q), c, n)
                if found is None:
                    raise UnsupportedError(
                        f"derivative {n} at gamma = {mp.nstr(gamma, 5)} needs too many Hermite terms; take |c| < 0.95"
                    )
                result, scale = found.derivative(c, n), found.derivative(abs(c), n) + found.derivative(abs(c), n + 1)
            shortfall = lost_digits(found, c, n, scale) - lost
            if shortfall <= 0:
                break
            lost += shortfall + 2
        return result


kernel_of = lru_cache(maxsize=256)(Kernel)


@lru_cache(maxsize=256)
def _closed_square(form: ClosedForm, q, precision: int):
    """E[phi^2] by the closed form (at the current precision, which is the key): every gap at this variance asks it."""
    return form.evaluate(q, q, mp.one)


@lru_cache(maxsize=256)
def _closed_derivative(phi: PiecewiseSmooth, n: int) -> ClosedForm | None:
    """The closed form of phi^(n-1), whose slope is E[phi^(n) phi^(n)]; None where phi^(n-1) has deltas itself."""
    smooth = all(jump == 0 for order in range(n - 1) for jump in phi.jumps(order))
    return closed_form(_derivative_of(phi, n - 1)) if smooth else None


@lru_cache(maxsize=512)
def _derivative_of(phi: PiecewiseSmooth, n: int) -> PiecewiseSmooth:
    """phi^(n), multiplied out, from phi^(n-1): SymPy's n-th derivative of a product takes minutes for n = 60."""
    if n == 0:
        return phi
    before = _derivative_of(phi, n - 1)
    return PiecewiseSmooth(phi.symbol, phi.breaks, tuple(expand(piece.diff(phi.symbol)) for piece in before.pieces))


def quadrature_gap(phi: PiecewiseSmooth, q, gamma):
    """E[(psi(U) - psi(V))^2]/2 at correlation 1 - gamma, at mpmath's current precision."""
    digits, scaled = mp.dps, _profile(phi, q)
    with mp.workdps(digits + GUARD + ceil(max(0, -mp.log10(gamma) / 2))):
        return _pair(scaled, scaled, gamma, 0, lambda u, v: (u - v) ** 2, digits) / 2


def quadrature_slope(phi: PiecewiseSmooth, q, gamma):
    """F'(c)/q at c = 1 - gamma, the parts from jumps included; infinite where two jumps coincide (gamma = 0)."""
    digits, scaled = mp.dps, _profile(phi, q)
    with mp.workdps(digits + GUARD):
        jumps = [(to_mpf(x) / mp.sqrt(q), to_mpf(phi.jump(i, 0))) for i, x in enumerate(phi.breaks)]
        jumps = [(x, jump) for x, jump in jumps if jump]
        deltas = _jump_parts(jumps, scaled.side(1), gamma, digits)
        if deltas == mp.inf:
            return deltas
        total = _pair(scaled, scaled, gamma, 1, lambda u, v: u * v, digits)
        return (total + deltas) / q


def _pair(first: Profile, second: Profile, gap, order: int, combine, digits: int):
    """The plane quadrature of psi_1^(order)(U), psi_2^(order)(V); beyond gap 1 through the mirror image of psi_2."""
    left = first.side(order)
    if gap <= 1:
        return plane_expectation(left, left if first is second else second.side(order), gap, combine, digits)
    return plane_expectation(left, second.side(order).mirrored(), 2 - gap, combine, digits)


def _jump_parts(jumps: list[tuple], slope: Psi, gamma, digits: int):
    """2 sum_j J_j p(x_j) E[psi'(V) | U = x_j] + sum_jk J_j J_k p_2(x_j, x_k; 1 - gamma)."""
    c, spread = 1 - gamma, mp.sqrt(gamma * (2 - gamma))
    if spread == 0:
        if any(y == c * x for x, _ in jumps for y, _ in jumps):
            return mp.inf
        return sum((2 * jump * mp.npdf(x) * slope.at(c * x)(c * x) for x, jump in jumps), mp.zero)
    single = sum(2 * jump * mp.npdf(x) * line_expectation(slope, c * x, spread, digits) for x, jump in jumps)
    double = sum(a * b * mp.npdf(x) * mp.npdf((y - c * x) / spread) / spread for x, a in jumps for y, b in jumps)
    return single + double


def _profile(phi: PiecewiseSmooth, q) -> Profile:
    """The profile for the current precision, in steps of ten digits so that tables are shared."""
    return profile(phi, q, ceil((mp.dps + 2) / 10) * 10)


def lost_digits(found: KernelSeries, c, n: int, scale) -> int:
    """Digits that the coefficients' error times n!/(1 - |c|)^(n+1) costs; `scale`: the result's, all signs alike."""
    if scale == 0:
        return 0
    error = found.scaled.moments[0] * factorial(n) / max(1 - abs(c), mp.mpf(1) / len(found.squares)) ** (n + 1)
    return max(0, ceil(mp.log10(error / scale)))


def _gap(gamma):
    gamma = mp.convert(gamma)
    if not 0 <= gamma <= 2:
        raise InputError(f"the gap gamma = {mp.nstr(gamma, 8)} is outside [0, 2]; give 1 - c for a correlation c")
    return gamma
