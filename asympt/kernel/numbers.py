"""Numbers of the kernel: exact ones (rationals, and rational functions of named constants) and balls.

A *scalar* is a `fmpq`, an `ExactNumber` or an `arb`.  Sums and products of exact scalars are exact, others are balls.
"""

import operator
from fractions import Fraction

from flint import Ordering, arb, fmpq, fmpq_mpoly_ctx

MOST_NAMES, MOST_TERMS, LONGEST = 12, 400, 400


class NotShown(Exception):
    """Something that the theorem needs is not shown."""


class BadFile(Exception):
    """The file is no proof object."""


def need(condition, what: str) -> None:
    """Refuse unless the condition is `True` itself: an undecided comparison of balls is not."""
    if condition is not True:
        raise NotShown(what)


def rational(text) -> fmpq:
    """
    >>> rational("-3/10"), rational("2.5")
    (-3/10, 5/2)
    """
    readable = isinstance(text, str) and len(text) <= LONGEST and "e" not in text.lower() and "_" not in text
    try:
        x = Fraction(text) if readable and text.isascii() else None
    except (ValueError, ZeroDivisionError):
        x = None
    if x is None:
        raise BadFile(f"{str(text)[:40]!r} is not a rational number such as \"-3/10\" or \"2.5\"")
    return fmpq(x.numerator, x.denominator)


def whole(value, low: int, high: int, name: str) -> int:
    """A whole number (no bool, no float) between two others."""
    if type(value) is not int or not low <= value <= high:
        raise BadFile(f"{name} = {str(value)[:40]} is not a whole number from {low} to {high}")
    return value


_RING = fmpq_mpoly_ctx.get([f"g{i}" for i in range(MOST_NAMES)], Ordering.lex)
_GENERATORS, _ONE = _RING.gens(), _RING.constant(1)


class Names:
    """The constants of one proof, such as sqrt(2), pi, log(3): each is a letter with a ball.

    A root is known by its equation, letter^n = argument, and by nothing else; letters without an equation are taken as
    independent.  So what is found to be 0 is 0, and a true identity between letters may go unseen (and is refused).
    """

    def __init__(self):
        self.letters: list[tuple] = []  # (function, argument, ball, degree or 0)
        self.connection: ExactNumber | None = None  # C, once it is known

    def get(self, function: str, argument, ball: arb, degree: int = 0) -> "ExactNumber":
        """The letter of this function's value; the same one for an equal argument."""
        for place, (known, at, _, n) in enumerate(self.letters):
            if known == function and n == degree and is_zero(at - argument):
                return ExactNumber(self, _GENERATORS[place])
        need(len(self.letters) < MOST_NAMES, "too many constants")
        need(bool(ball.is_finite()), f"{function} is not finite")
        self.letters.append((function, argument, ball, degree))
        return ExactNumber(self, _GENERATORS[len(self.letters) - 1])


class ExactNumber:
    """p/q, polynomials over Q in the letters of a table."""

    def __init__(self, names: Names, p, q=_ONE):
        common = p.gcd(q) if not q.is_one() else _ONE
        self.names, self.p, self.q = names, *((p, q) if common.is_one() else (p / common, q / common))
        need(len(self.p) + len(self.q) <= MOST_TERMS, "an exact coefficient has too many terms")

    def _with(self, other, exactly, roughly):
        """An operation with another scalar."""
        if isinstance(other, arb):
            return roughly(ball(self), other)
        if isinstance(other, int | fmpq):
            other = ExactNumber(self.names, _RING.constant(other))
        return exactly(self, other) if isinstance(other, ExactNumber) else NotImplemented

    def __add__(self, other):
        return self._with(other, lambda a, b: ExactNumber(a.names, a.p * b.q + b.p * a.q, a.q * b.q), operator.add)

    def __mul__(self, other):
        return self._with(other, lambda a, b: ExactNumber(a.names, a.p * b.p, a.q * b.q), operator.mul)

    def __truediv__(self, other):
        return self._with(other, _quotient, operator.truediv)

    def __rtruediv__(self, other):
        return self._with(other, lambda a, b: _quotient(b, a), lambda a, b: b / a)

    def __neg__(self):
        return ExactNumber(self.names, -self.p, self.q)

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return -self + other

    def __pow__(self, n: int):
        return ExactNumber(self.names, self.p**n, self.q**n)

    __radd__, __rmul__ = __add__, __mul__

    def reduced(self) -> "ExactNumber":
        """With every root to a power below its degree."""
        x = self
        for place in reversed(range(len(self.names.letters))):
            _, at, _, degree = self.names.letters[place]
            if degree and any(powers[place] >= degree for powers in x.p.monoms()):
                x = sum((_without(self.names, m, c, place, degree, at) for m, c in x.p.terms()), fmpq(0)) / ExactNumber(
                    self.names, x.q
                )
        return x


def _quotient(a: ExactNumber, b: ExactNumber) -> ExactNumber:
    require_nonzero(b)
    return ExactNumber(a.names, a.p * b.q, a.q * b.p)


def _without(names: Names, powers, c, place: int, degree: int, at):
    """c times the letters to these powers, letter^degree = at used at one place."""
    powers = list(powers)
    times, powers[place] = divmod(powers[place], degree)
    return ExactNumber(names, _RING.from_dict({tuple(powers): c})) * at**times


def ball(x) -> arb:
    """An enclosure of a scalar."""
    if not isinstance(x, ExactNumber):
        return arb(x)
    values = [letter[2] for letter in x.names.letters]

    def polynomial(p):
        total = arb(0)
        for powers, c in p.terms():
            term = arb(c)
            for value, power in zip(values, powers, strict=False):
                term = term * value**power if power else term
            total += term
        return total

    return polynomial(x.p) / polynomial(x.q)


def is_exact(x) -> bool:
    return not isinstance(x, arb)


def is_zero(x) -> bool:
    """Whether an exact scalar is seen to be 0; a ball never is."""
    if isinstance(x, ExactNumber) and not x.p.is_zero():
        x = x.reduced()
    return x.p.is_zero() if isinstance(x, ExactNumber) else is_exact(x) and x == 0


def require_nonzero(x, what: str = "a denominator may vanish") -> None:
    value = ball(x)
    need(bool(value > 0 or value < 0), what)


def product(a, b):
    """a b, where an exact 0 stays one."""
    for x in (a, b):
        if (isinstance(x, fmpq) and x == 0) or (isinstance(x, ExactNumber) and x.p.is_zero()):
            return fmpq(0)
    return a * b


def hull(a, b) -> arb:
    return ball(a).union(ball(b))
