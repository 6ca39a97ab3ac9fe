r"""Activations with a pole beside each half of the line (softsign), in balls: values, Gaussian means, remainders.

Rule.  On a side write x = +-X, X > 0.  A function with one pole, at x = -+s, is a sum of c_m u^m, m an integer, in
u = X + s, and so are its derivatives and their products.  With n_q the density of sqrt(q) Z, by parts,

    I_m = int_0^oo (X + s)^m n_q(X) dX:      m I_(m-1) = (I_(m+1) - s I_m)/q - s^m n_q(0),

I_0 = 1/2 and, with Dawson's integral and the exponential integral (DLMF 7.5.13),

    I_(-1) = exp(-z^2) (pi erfi(z) - Ei(z^2))/(2 sqrt(2 pi q)),      z = s/sqrt(2 q).

The recursion loses digits where q is small: it is done for the middle of the ball of q, with more bits until enough are
left, and |dI_(-n)/dq| = n E[X u^(-n-1)]/(2q) <= n s^(-n-1) n_q(0)/2 covers the ball.

>>> x = Symbol("x")
>>> with working(64):
...     softsign = PolePiece.of(x / (1 + x), x, Integer(0), None)
...     [softsign.square(j, j, arb(1)).str(10, radius=False) for j in (0, 1)]  # E[phi^2; x > 0] and E[phi'^2; x > 0]
['0.09150701063', '0.1138356702']
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import factorial
from typing import ClassVar

import flint
import sympy
from flint import arb
from sympy import Expr, Integer, Symbol

from asympt.balls.arithmetic import Refused, require_finite, working
from asympt.balls.breaks.pieces import half_moment
from asympt.balls.expression import number

MOST_BITS = 60_000


@dataclass(frozen=True)
class PolePiece:
    """sum c_m u^m for u = |x| + s, on the side `sign` x > 0; `terms` is {m: c_m}, `shift` is s."""

    terms: Mapping[int, Expr]
    shift: Expr
    sign: int
    has_factorials: ClassVar[bool] = True

    @classmethod
    def of(cls, formula: Expr, x: Symbol, low: Expr | None, high: Expr | None) -> "PolePiece":
        """Read from a formula, which may have no pole at all; `Refused` for another kind of function."""
        sign, distance = (1 if low == 0 else -1), Symbol("X", positive=True)
        above, below = sympy.fraction(sympy.together(formula.subs(x, sign * distance)))
        if {low, high} != {None, Integer(0)} or not (above.is_polynomial(distance) and below.is_polynomial(distance)):
            raise Refused(f"{formula} is not one side of 0 of a function that is rational on both")
        poles = sympy.roots(sympy.Poly(below, distance)) if below.has(distance) else {Integer(-1): 0}
        [(root, power)] = poles.items() if len(poles) == 1 else [(Integer(0), 0)]
        if not (root.is_Rational and root < 0):
            raise Refused(f"{formula} has more than one pole, or one that is no rational number beyond 0")
        row = sympy.Poly(above.subs(distance, distance + root), distance).all_coeffs()[::-1]
        leading = sympy.Poly(below, distance).LC()
        terms = {m - power: c / leading for m, c in enumerate(row) if c != 0}
        if max(terms) > 1:
            raise Refused(f"{formula} grows faster than a straight line")
        return cls(terms, -root, sign)

    @property
    def low(self) -> Expr | None:
        """Where it begins; None at infinity."""
        return Integer(0) if self.sign > 0 else None

    @property
    def high(self) -> Expr | None:
        """Where it ends."""
        return None if self.sign > 0 else Integer(0)

    def vanishes(self, j: int) -> bool:
        """Whether g_j = 0: with a pole, never."""
        return False

    def derived(self, j: int) -> dict[int, arb]:
        """g_j by powers of u."""
        return {m - j: self.sign**j * _falling(m, j) * number(c) for m, c in self.terms.items() if _falling(m, j)}

    def at(self, j: int, x: arb) -> arb:
        """g_j(x)."""
        if x.is_zero():  # exactly, so that what does not jump is seen not to
            return number(sum(self.sign**j * _falling(m, j) * c * self.shift ** (m - j) for m, c in self.terms.items()))
        u = self.sign * x + number(self.shift)
        return sum((c * u**m for m, c in self.derived(j).items()), arb(0))

    def means(self, count: int, q: arb) -> list[arb]:
        """E[g_j(sqrt(q) Z)] over the side for j < count."""
        moments = half_means(self.shift, q, min(self.terms) - count)
        return [sum((c * moments[m] for m, c in self.derived(j).items()), arb(0)) for j in range(count)]

    def square(self, j: int, k: int, q: arb) -> arb:
        """E[g_j g_k] over the side."""
        return self._product(self.derived(j), self.derived(k), q)

    def rate(self, j: int, q: arb) -> arb:
        """d/dq E[g_j^2] = E[x g_j g_(j+1)]/q over the side."""
        s, inner = number(self.shift), self.derived(j)
        outward = {m: self.sign * c for m, c in self.derived(j + 1).items()}  # x d/dx = X d/dX
        raised = {m + 1: c for m, c in outward.items()}
        return (self._product(inner, raised, q) - s * self._product(inner, outward, q)) / q

    def _product(self, one: Mapping[int, arb], two: Mapping[int, arb], q: arb) -> arb:
        if not (one and two):
            return arb(0)
        moments = half_means(self.shift, q, min(one) + min(two))
        return sum((a * b * moments[m + n] for m, a in one.items() for n, b in two.items()), arb(0))

    def rest(self, j: int, count: int, spread: arb) -> arb:
        """B with E|g_j(sZ) - its Taylor polynomial below s^count| <= B s^count over this side."""
        return (self.largest(j + count) * half_moment(count) / arb(count + 1).gamma()).upper()

    def largest(self, j: int) -> arb:
        """A bound of |g_j| on the side, j > 0: no power of u grows."""
        s = number(self.shift)
        return sum((abs(c) * s**m for m, c in self.derived(j).items()), arb(0)).upper()

    def spare(self, count: int, q: arb) -> int:
        """Bits that a sum over its derivatives to `count` loses: they are as large as j! (sqrt(q)/s)^j."""
        ratio = max(0, int(float((q.sqrt() / number(self.shift)).log()) * count))
        return factorial(count).bit_length() + 2 * ratio


def _falling(m: int, j: int) -> int:
    """m (m - 1) ... (m - j + 1), for any integer m."""
    result = 1
    for k in range(j):
        result *= m - k
    return result


# ---- means ----------------------------------------------------------------------------------------------


def half_means(shift: Expr, q: arb, lowest: int) -> Mapping[int, arb]:
    """I_m for `lowest` <= m <= 2, to about the precision of the block, for every q in the ball."""
    bits = flint.ctx.prec
    middle, radius = q.mid(), q.rad()
    known = _at_middle(shift, middle.man_exp(), min(lowest, -1) // 64 * 64, bits)
    s, density = number(shift), 1 / (2 * arb.pi() * q).sqrt()
    slack = radius * density / 2
    wide = {m: value + arb(0, (slack * -m * s ** (m - 1)).upper()) for m, value in known.items()}
    first = s / 2 + q * density
    return wide | {0: arb(0.5), 1: first, 2: q * (arb(0.5) + s * density) + s * first}


@lru_cache(maxsize=64)
def _at_middle(shift: Expr, q: tuple, lowest: int, bits: int) -> dict[int, arb]:
    """I_m for lowest <= m < 0 and an exact q, with `bits` bits each."""
    for precision in _precisions(bits):
        with working(precision):
            found = dict(zip(range(-1, lowest - 1, -1), _downward(number(shift), arb(q), -lowest), strict=True))
        if all(value.rel_accuracy_bits() >= bits for value in found.values()):
            with working(bits):
                return {m: +value for m, value in found.items()}
    raise Refused(f"the Gaussian means of 1/(|x| + {shift}) lose more than {MOST_BITS} bits at this variance")


def _precisions(bits: int) -> Iterator[int]:
    precision = 2 * bits
    while precision <= MOST_BITS + 2 * bits:
        yield precision
        precision *= 2


def _downward(s: arb, q: arb, count: int) -> Sequence[arb]:
    """I_(-1), ..., I_(-count)."""
    z, density = s / (2 * q).sqrt(), 1 / (2 * arb.pi() * q).sqrt()
    found = [arb(0.5), (-z * z).exp() * (arb.pi() * z.erfi() - (z * z).ei()) * density / 2]
    for n in range(1, count):  # I_(-n-1) from I_(-n+1) and I_(-n)
        found.append(((s * found[n] - found[n - 1]) / q + s**-n * density) / n)
    return [require_finite(value, "a Gaussian mean beside a pole") for value in found[1:]]


@dataclass(frozen=True)
class PoleMoments:
    """E[g_j^2] and its derivative in q of an activation whose sides are `PolePiece`s."""

    pieces: Sequence[PolePiece]
    q: arb

    def square(self, j: int, k: int) -> arb:
        """E[g_j g_k]."""
        return sum((piece.square(j, k, self.q) for piece in self.pieces), arb(0))

    def rate(self, j: int) -> arb:
        """d/dq E[g_j^2]."""
        return sum((piece.rate(j, self.q) for piece in self.pieces), arb(0))
