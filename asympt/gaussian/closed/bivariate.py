"""The distribution function of two correlated normal variables, to any precision: Owen (1956).

Phi_2(h, k; r) by Owen's T at h and k, a series whose terms die faster than geometrically for 0 <= a <= 1 and reflected
for a > 1 (docs/bounds.md).  Only h, k and (k - r h)/sqrt(1 - r^2) enter, so r = +-1 is not singular.  Where Phi_2 is
tiny the bits that cancel are added; below about 2^-(4 p + 500), p the precision in bits, 0 is returned.
"""

import mpmath
from flint import acb, arb, ctx
from mpmath import mp
from sympy import Expr, Float, Function, Integer, Rational, asin, erf, exp, oo, pi, sqrt
from sympy.core.function import ArgumentIndexError

from asympt.balls.arithmetic import midpoint, of_mpf, working
from asympt.errors import InputError

GUARD = 20
LOG2_E = 1.4426950408889634


def upper_tail(z: arb | acb) -> arb | acb:
    """P(Z > z) of a standard normal Z, in Arb's numbers, relative accuracy.

    >>> print(upper_tail(arb(0)))
    0.500000000000000
    """
    return (z / arb(2).sqrt()).erfc() / 2


def _owen(h: arb, slope: arb) -> arb:
    """Owen's T(h, a) for a finite a (Ann. Math. Statist. 27 (1956) 1075)."""
    sign, h, slope = slope.mid().sgn(), abs(h), abs(slope)
    if slope <= 1:
        return sign * _owen_series(h, slope)
    near, far = upper_tail(h), upper_tail(slope * h)
    return sign * ((near + far) / 2 - near * far - _owen_series(slope * h, 1 / slope))


def _owen_series(h: arb, slope: arb) -> arb:
    """T(h, a) for h >= 0, 0 <= a <= 1, summed in fixed point."""
    x = h * h / 2
    if x * LOG2_E > ctx.prec + GUARD or slope == 0:
        return arb(0)
    growth = int(LOG2_E * float(x.mid())) + 1  # e^{-x} is rounded, then multiplied by up to e^x
    bits = ctx.prec + GUARD + growth
    with working(bits):
        start, angle = _fixed((-x).exp(), bits), _fixed(slope.atan(), bits)
    total = angle - _alternating_sum(_fixed(x, bits), start, _fixed(slope, bits), bits, growth)
    return arb((total, -bits)) / (2 * arb.pi())


def _fixed(value: arb, bits: int) -> int:
    """The midpoint in units of 2^-bits, rounded down."""
    mantissa, exponent = (int(part) for part in value.mid().man_exp())
    return mantissa << exponent + bits if exponent + bits >= 0 else mantissa >> -exponent - bits


def _alternating_sum(x: int, weight: int, power: int, bits: int, growth: int) -> int:
    """sum_j (-1)^j a^(2j+1)/(2j+1) P_j in fixed point; `weight` is e^{-x}, `power` is a, `growth` log2(e^x)."""
    square, rest, total, j = (power * power) >> bits, (1 << bits) - weight, 0, 0
    while rest >> growth > j and power:  # a P_j below its rounding errors, j e^x units, is done
        term = ((power * rest) >> bits) // (2 * j + 1)
        total += -term if j & 1 else term
        j += 1
        weight = ((weight * x) >> bits) // j
        rest -= weight
        power = (power * square) >> bits
    return total


def bivariate_normal(h, k, correlation):
    """P(U <= h, V <= k) at mpmath's current precision, relative accuracy (the module says where it is 0).

    h and k may be infinite; |correlation| <= 1, the ends included.  Raises `InputError` beyond them.

    >>> mpmath.nstr(bivariate_normal(0, 0, 0.5), 15)
    '0.333333333333333'
    """
    h, k, r = mp.convert(h), mp.convert(k), mp.convert(correlation)
    if not abs(r) <= 1:
        raise InputError(f"the correlation {mpmath.nstr(r, 10)} is not in [-1, 1]; give one that is")
    if -mp.inf in (h, k):
        return mpmath.mpf(0)
    with working(mp.prec + GUARD):
        if mp.inf in (h, k):
            low = min(h, k)
            return mpmath.mpf(1) if low == mp.inf else midpoint(upper_tail(of_mpf(-low)))
        return midpoint(ball_normal(of_mpf(h), of_mpf(k), of_mpf(r)))


def ball_normal(h: arb, k: arb, r: arb) -> arb:
    """The same in Arb's numbers, all finite."""
    return _comonotone(h, k, r) if abs(r) == 1 else _by_owen(h, k, r)


def _comonotone(h: arb, k: arb, r: arb) -> arb:
    """r = 1: U = V.  r = -1: U = -V, the interval from -k to h."""
    if r > 0:
        return upper_tail(-min(h, k))
    if h + k <= 0:
        return arb(0)
    return upper_tail(-k) - upper_tail(h) if h < 0 else upper_tail(-h) - upper_tail(k)


def _by_owen(h: arb, k: arb, r: arb) -> arb:
    rest = (1 - r) * (1 + r)
    lost = _lost_bits(h, k, r, rest)
    if lost > 4 * ctx.prec + 500:
        return arb(0)
    with working(ctx.prec + GUARD + lost + max(0, -_magnitude(rest))):
        w = ((1 - r) * (1 + r)).sqrt()
        if h == 0 and k == 0:
            return arb(1) / 4 + arb.atan2(r, w) / (2 * arb.pi())
        halves = (upper_tail(-h) + upper_tail(-k)) / 2
        across = arb(1) / 2 if h * k < 0 or (h * k == 0 and h + k < 0) else 0
        return halves - _owen_part(h, k - r * h, w) - _owen_part(k, h - r * k, w) - across


def _owen_part(h: arb, excess: arb, w: arb) -> arb:
    """T(h, a) for a = excess/(h w)."""
    if h != 0:
        return _owen(h, excess / (h * w))
    return excess.mid().sgn() / 4


def _lost_bits(h: arb, k: arb, r: arb, rest: arb) -> int:
    """Minus log2 of Phi_2, nearly: half the squared distance of the quadrant from the origin (in its own metric)."""
    low, high = (h, k) if h < k else (k, h)
    if low >= 0:
        return 0
    squared = low * low if r * low <= high else (low * low - 2 * r * low * high + high * high) / rest
    return int(min(LOG2_E * float(squared.abs_upper()) / 2, 1e9)) + 10


def _magnitude(x: arb) -> int:
    """The binary exponent of a number that is not 0."""
    mantissa, exponent = (int(part) for part in x.mid().man_exp())
    return mantissa.bit_length() + exponent


class BivariateNormal(Function):
    r"""Phi_2(h, k; r) as a SymPy function: exact special values, derivatives, digits, LaTeX.

    >>> from sympy import Symbol
    >>> BivariateNormal(0, 0, Rational(1, 2)), BivariateNormal(1, -1, Rational(1, 3)).evalf(20)
    (1/3, 0.14963257612284226167)
    """

    nargs = 3

    @classmethod
    def eval(cls, h, k, r):
        """Exact values: an argument at infinity, r in {-1, 0, 1}, the origin; h and k are put in order."""
        if -oo in (h, k):
            return Integer(0)
        if oo in (h, k):
            return normal_cdf(k if h == oo else h)
        if r.is_zero:
            return normal_cdf(h) * normal_cdf(k)
        if h.is_zero and k.is_zero:
            return Rational(1, 4) + asin(r) / (2 * pi)
        if h.sort_key() > k.sort_key():
            return cls(k, h, r)

    def fdiff(self, argindex=1) -> Expr:
        """Derivatives in h, k (a conditional probability) and r (the joint density: Plackett 1954)."""
        h, k, r = self.args
        w = sqrt(1 - r**2)
        if argindex == 1:
            return normal_density(h) * normal_cdf((k - r * h) / w)
        if argindex == 2:
            return normal_density(k) * normal_cdf((h - r * k) / w)
        if argindex == 3:
            return exp(-(h**2 - 2 * r * h * k + k**2) / (2 * (1 - r**2))) / (2 * pi * w)
        raise ArgumentIndexError(self, argindex)

    def _eval_is_real(self):
        return True if all(a.is_extended_real for a in self.args) else None

    def _eval_evalf(self, prec):
        with mp.workprec(prec + 10):
            arguments = [mp.convert(a._to_mpmath(mp.prec)) for a in self.args]
            if not all(isinstance(a, mpmath.mpf) for a in arguments):
                return None
            value = bivariate_normal(*arguments)
        return Float._new(value._mpf_, prec)

    def _latex(self, printer) -> str:
        h, k, r = map(printer._print, self.args)
        return rf"\Phi_2\left({h}, {k}; {r}\right)"

    _imp_ = staticmethod(bivariate_normal)  # read by SymPy's lambdify


def normal_cdf(z: Expr) -> Expr:
    """Phi(z) = (1 + erf(z/sqrt 2))/2.

    >>> normal_cdf(Integer(0))
    1/2
    """
    return (1 + erf(z / sqrt(2))) / 2


def normal_density(z: Expr) -> Expr:
    """exp(-z^2/2)/sqrt(2 pi)."""
    return exp(-(z**2) / 2) / sqrt(2 * pi)
