"""Riemann's zeta function and its derivatives by Arb, where it has a number; SymPy would ask mpmath for digits."""

from functools import lru_cache

import mpmath
import sympy
from flint import arb_series
from mpmath import mp
from mpmath.libmp import prec_to_dps

from asympt.balls.arithmetic import coefficients, midpoint, of_mpf, working

BLOCK = 8  # derivatives that are found together
SPARE = 40  # bits


def zeta(s, *more):
    """zeta(s), at mpmath's precision.

    >>> zeta(mpmath.mpf(2)) * 6 / mp.pi**2
    mpf('1.0')
    """
    if more or not isinstance(s := mp.convert(s), mpmath.mpf):
        return mpmath.zeta(s, *more)
    with working(mp.prec + SPARE):
        value = of_mpf(s).zeta() if mpmath.isfinite(s) else None
    return mpmath.zeta(s) if value is None or value.rel_accuracy_bits() < mp.prec else midpoint(value)


class Zeta(sympy.Function):
    """`sympy.zeta` whose digits are Arb's."""

    def _eval_evalf(self, prec: int) -> sympy.Expr | None:
        values = [argument.evalf(prec_to_dps(prec) + 2) for argument in self.args]
        if not all(value.is_Float or value.is_Integer for value in values):
            return None
        with mp.workprec(prec):
            value = zeta(*(mpmath.mpf(value) for value in values))
        return sympy.Float(value, precision=prec) if isinstance(value, mpmath.mpf) else None


def taylor_coefficient(s, k: int):
    """The k-th derivative of zeta over k!, at mpmath's precision.

    >>> mpmath.nstr(taylor_coefficient(mpmath.mpf(0), 1) / mpmath.log(2 * mp.pi), 15)
    '-0.5'
    """
    value = _block(s, k // BLOCK + 1, mp.prec)[k]
    return midpoint(value) if value.rel_accuracy_bits() >= mp.prec else mpmath.zeta(s, derivative=k) / mp.factorial(k)


@lru_cache(maxsize=64)
def _block(s, count: int, precision: int) -> list:
    """The first `count` blocks of Taylor coefficients."""
    with working(precision + SPARE + 8 * BLOCK * count, BLOCK * count):
        return coefficients(arb_series([of_mpf(s), 1], prec=BLOCK * count).zeta(), BLOCK * count)
