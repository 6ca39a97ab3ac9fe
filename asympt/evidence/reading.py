"""Reading a law as plain numbers: its expansions become functions, and nothing of the derivation is called.

Every check that compares a law with numbers goes through these functions, in mpmath or in NumPy: a sum of
c x^p log(x)^j, evaluated term by term from the law's printed coefficients.
"""

from dataclasses import dataclass

from mpmath import mp, mpf
from sympy import Expr

from asympt.numbers import to_mpf


def terms_of(expansion, constants: dict | None = None) -> list[tuple]:
    """[(power of the variable, logs, coefficient as mpf)] with the symbols C, D replaced by numbers."""
    sign = expansion.scale.sign
    return [(sign * m.order, m.logs, number(c, constants)) for m, c in expansion.terms]


def number(coefficient: Expr, constants: dict | None = None):
    """A coefficient as an mpmath number, symbols replaced by the numbers given for them by name."""
    if not coefficient.free_symbols:
        return to_mpf(coefficient)
    total = mpf(0)
    for powers, factor in _polynomial(coefficient):
        product = to_mpf(factor)
        for name, power in powers:
            product *= constants[name] ** power
        total += product
    return total


def _polynomial(coefficient: Expr) -> list:
    """[(((name, power), ...), constant factor)] of a polynomial in its free symbols."""
    symbols = sorted(coefficient.free_symbols, key=str)
    polynomial = coefficient.as_poly(*symbols)
    names = [str(symbol) for symbol in symbols]
    return [(tuple(zip(names, powers, strict=True)), factor) for powers, factor in polynomial.terms()]


def value(terms: list[tuple], x):
    """sum c x^p log(x)^j at one mpmath number."""
    logarithm = mp.log(x)
    return sum((c * x ** to_mpf(p) * logarithm**j for p, j, c in terms), mpf(0))


@dataclass(frozen=True)
class Coordinate:
    """A, and for a linear law P and H, of a law as functions of t at mpmath's current precision."""

    abel: list
    particular: list
    homogeneous: list

    @classmethod
    def of(cls, law) -> "Coordinate":
        """Read A, P and H."""
        linear = law.linear
        return cls(
            terms_of(law.abel.expansion),
            terms_of(linear.particular) if linear else [],
            terms_of(linear.homogeneous) if linear else [],
        )

    def constants(self, t, layer: int, state: tuple) -> tuple:
        """(C, D) as seen at one layer: A(t) - l and (a - P)/H (None without a linear part)."""
        constant = value(self.abel, t) - layer
        if not self.particular:
            return constant, None
        return constant, (state[1] - value(self.particular, t)) / value(self.homogeneous, t)


def uniformiser(law, state: tuple):
    """t = x^(1/root)."""
    return state[0] ** (mpf(1) / law.dynamics.root)


def accurate_below(law, digits: int):
    """A t below which the first term that A, P and H leave out is smaller than 10^-digits (as D sees it).

    Estimated from the size of the last coefficients; the check that uses it measures the truth.
    """
    bound = mpf(10) ** -digits
    expansions = [(law.abel.expansion, 0)]
    if law.linear:
        start = int(law.linear.homogeneous.leading[0].order)
        lead = abs(number(law.linear.homogeneous.leading[1]))
        bound = bound * min(1, lead)
        expansions += [(law.linear.particular, start)]
    return min(_edge(expansion, loss, bound) for expansion, loss in expansions)


def _edge(expansion, loss: int, bound):
    order = int(expansion.remainder.monomial.order)
    last = [(int(m.order), abs(number(c))) for m, c in expansion.terms if not m.logs and m.order > 0][-3:]
    growth = max((c ** (mpf(1) / k) for k, c in last if c), default=mpf(1))
    return (bound / (10 * growth**order)) ** (mpf(1) / (order - loss))
