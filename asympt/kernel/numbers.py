"""Numbers of the kernel.  A *scalar* is a `fmpq`, an `ExactNumber` or a ball (`arb`); with a ball, all becomes one.

An integrator's box (`acb`) is taken for a ball.
"""

import operator
import re
from collections.abc import Callable
from decimal import Decimal
from functools import reduce
from math import prod

from flint import Ordering, acb, arb, fmpq, fmpq_mpoly, fmpq_mpoly_ctx, fmpz

MOST_NAMES, MOST_TERMS, MOST_BITS, LARGEST_FACTORED = 12, 1_000, 20_000, 10**12
HALVINGS, THIN = 6, arb(1) / 1000  # of an enclosure
TOLD = 6  # digits after the point
_RATIONAL = re.compile(r"(-?[0-9]{1,300})(?:/([0-9]{1,300})|\.([0-9]{1,300}))?")
_RING = fmpq_mpoly_ctx.get([f"g{i}" for i in range(MOST_NAMES)], Ordering.lex)
_LETTERS, _ONE = _RING.gens()[::-1], _RING.constant(1)  # a later letter is the larger one


class NotShown(Exception):
    """Something that the theorem needs is not shown."""


class BadFile(Exception):
    """The file is no proof object."""


def need(condition, what: str) -> None:
    """Refuse unless the condition is `True` itself: an undecided comparison of balls is not."""
    if condition is not True:
        raise NotShown(what)


def or_nan(function, *given):
    """Not a number where the function is not shown to be one."""
    try:
        return function(*given)
    except NotShown:
        return arb("nan")


def everywhere(show: Callable, low: arb, high: arb, halvings: int) -> None:
    """`show` of an interval, which is halved where it is refused, at most so often."""
    try:
        return show(hull(low, high))
    except NotShown:
        if halvings == 0:
            raise
    middle = arb(((low + high) / 2).mid())
    everywhere(show, middle, high, halvings - 1)
    everywhere(show, low, middle, halvings - 1)


def rational(text) -> fmpq:
    """
    >>> rational("-3/10"), rational("-2.5")
    (-3/10, -5/2)
    """
    found = _RATIONAL.fullmatch(text) if isinstance(text, str) else None
    if found is None or (found[2] and int(found[2]) == 0):
        raise BadFile(f'{str(text)[:40]!r} is not a rational number such as "-3/10" or "2.5"')
    digits = found[3] or ""
    return fmpq(int(found[1] + digits), int(found[2] or 1) * 10 ** len(digits))


def whole(value, low: int, high: int, name: str) -> int:
    """A whole number (no bool, no float) between two others."""
    if type(value) is not int or not low <= value <= high:
        raise BadFile(f"{name} = {str(value)[:40]} is not a whole number from {low} to {high}")
    return value


class Names:
    """The constants of one proof, such as sqrt(2), pi, log(3): each is a letter with a ball.

    A root is known by its equation, letter^degree = argument, and by nothing else; letters without one are taken as
    independent.  So what is found to be 0 is 0; an identity between letters may go unseen, and is refused then.
    """

    def __init__(self):
        self.letters: list[tuple] = []  # (function, argument, ball, degree or 0)
        self.relations: list[fmpq_mpoly] = []  # letter^degree - argument of the roots, the latest first
        self.known: dict[tuple, ExactNumber] = {}  # ("C",) and ("e", k), once they are known

    def get(self, function: str, argument, enclosure: arb, degree: int = 0) -> "ExactNumber":
        """The letter of this function's value; the same one for an equal argument, with the last enclosure given."""
        need(bool(enclosure.is_finite()), "a constant is not finite")
        for place, (known, at, _, n) in enumerate(self.letters):
            if (known, n) == (function, degree) and is_zero(at - argument):
                self.letters[place] = (function, at, enclosure, degree)
                return ExactNumber(self, _LETTERS[place])
        need(len(self.letters) < MOST_NAMES, "too many constants")
        letter = _LETTERS[len(self.letters)]
        self.letters.append((function, argument, enclosure, degree))
        if degree:
            self.relations.insert(0, letter**degree - (argument.p if isinstance(argument, ExactNumber) else argument))
        return ExactNumber(self, letter)

    def enclosed(self, function: str, enclosure: arb) -> "ExactNumber":
        """The letter of a number of which only an enclosure is known."""
        self.known[function,] = self.get(function, fmpq(0), enclosure)
        return self.known[function,]

    def for_all(self, function: str, enclosure: arb, show: Callable) -> None:
        """`show` of every number in the enclosure, by parts where it is refused for all at once."""
        halvings = 0 if bool(enclosure.rad() < abs(enclosure) * THIN) else HALVINGS
        ends = enclosure.lower(), enclosure.upper()
        everywhere(lambda part: show(self.enclosed(function, part)), *ends, halvings)

    def root(self, x, n: int) -> "ExactNumber":
        """x^(1/n), by the roots of x that have a letter."""
        if n == 1:
            return x
        for place, (known, at, _, degree) in enumerate(self.letters):
            letter = ExactNumber(self, _LETTERS[place])
            if known == "root" and is_zero(at - x) and (degree % n == 0 or n % degree == 0):
                return power(letter, degree // n) if degree % n == 0 else self.root(letter, n // degree)
        return self.get("root", x, ball(x).root(n), n)


class ScalarRing:
    """What follows from + and *, on whose right side a scalar may stand."""

    def __neg__(self):
        return self * fmpq(-1)

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __pow__(self, n: int):
        return power(self, n)


class ExactNumber(ScalarRing):
    """p/q, polynomials over Q in the letters of a table, roots to powers below their degrees; q is not 0 there."""

    def __init__(self, names: Names, p: fmpq_mpoly, q: fmpq_mpoly = _ONE):
        p, q = (x if x.is_constant() else reduce(operator.mod, names.relations, x) for x in (p, q))
        common = q if q.is_constant() else p.gcd(q)
        self.names, self.p, self.q = names, p / common, q / common
        need(len(self.p) + len(self.q) <= MOST_TERMS, "an exact number has too many terms")
        longest = max((c.height_bits() for x in (self.p, self.q) for c in x.coeffs()), default=0)
        need(longest <= MOST_BITS, "an exact number is too long")

    def _with(self, other, exactly, roughly):
        if isinstance(other, arb | acb):
            return roughly(ball(self), other)
        if isinstance(other, int | fmpq | fmpz):
            other = ExactNumber(self.names, _RING.constant(other))
        return exactly(self, other) if isinstance(other, ExactNumber) else NotImplemented

    def __add__(self, other):
        return self._with(other, lambda a, b: ExactNumber(a.names, a.p * b.q + b.p * a.q, a.q * b.q), operator.add)

    def __mul__(self, other):
        return self._with(other, lambda a, b: ExactNumber(a.names, a.p * b.p, a.q * b.q), operator.mul)

    def __truediv__(self, other):
        return self._with(other, lambda a, b: a * inverse(b), operator.truediv)

    def __rtruediv__(self, other):
        return self._with(other, lambda a, b: b * inverse(a), lambda a, b: b / a)


def limited(x):
    """The scalar, a rational one not too long; exact numbers see to it themselves."""
    need(not isinstance(x, fmpq) or x.height_bits() <= MOST_BITS, "a number is too long")
    return x


def power(x, n: int):
    """x^n by products."""
    found = fmpq(1)
    for bit in bin(abs(n))[2:]:
        found = limited(found * found * x if bit == "1" else found * found)
    return found if n >= 0 else 1 / found


def ball(x) -> arb:
    """An enclosure of a scalar."""
    if not isinstance(x, ExactNumber):
        return x if isinstance(x, acb) else arb(x)
    values = [letter[2] for letter in x.names.letters]

    def at_values(p: fmpq_mpoly) -> arb:
        parts = ((c, zip(values, powers[::-1], strict=False)) for powers, c in p.terms())
        return sum((prod((value**n for value, n in part if n), start=arb(c)) for c, part in parts), arb(0))

    return at_values(x.p) / at_values(x.q)


def is_zero(x) -> bool:
    """Whether an exact scalar is seen to be 0; a ball never is."""
    return bool(x.p.is_zero()) if isinstance(x, ExactNumber) else isinstance(x, fmpq) and bool(x == 0)


def inverse(x):
    need(bool(ball(x) != 0), "a denominator may vanish")  # balls differ where they are disjoint
    return ExactNumber(x.names, x.q, x.p) if isinstance(x, ExactNumber) else 1 / x


def product(a, b):
    """a b, where an exact 0 stays one."""
    return fmpq(0) if is_zero(a) or is_zero(b) else a * b


def root(x, n: int, names: Names | None):
    """The n-th root of a scalar >= 0, positive."""
    need(is_zero(x) or bool(ball(x) > 0), "a root outside its real domain (its argument must be >= 0)")
    if n == 1 or is_zero(x) or isinstance(x, arb | acb):
        return x.root(n) if isinstance(x, arb | acb) and n > 1 else x
    found = fmpq(1)
    for factor, k in factors(x):
        below = (k / n).floor()
        rest = k / n - below
        found = power(names.root(factor, int(rest.q)), int(rest.p)) * found * power(factor, int(below))
    return found


def factors(x) -> list[tuple]:
    """[(scalar, its power, a fmpq)]: primes, where they are found at once, and letters, of an exact scalar > 0."""
    if isinstance(x, fmpq):
        if max(x.p, x.q) > LARGEST_FACTORED:
            return [(x, fmpq(1))]
        return [(fmpq(p), fmpq(sign * n)) for part, sign in ((x.p, 1), (x.q, -1)) for p, n in part.factor()]
    if not x.q.is_one():
        above, below = ExactNumber(x.names, x.p), ExactNumber(x.names, x.q)
        above, below = (above, below) if bool(ball(below) > 0) else (-above, -below)
        return factors(above) + [(factor, -k) for factor, k in factors(below)]
    (powers, c), *others = x.p.terms()
    letters = [(n, place) for place, n in enumerate(powers[::-1]) if n]
    if others or not all(bool(x.names.letters[place][2] > 0) for _, place in letters):
        return [(x, fmpq(1))]
    found = factors(c)
    for n, place in letters:
        _, argument, _, degree = x.names.letters[place]
        own = factors(argument) if degree else [(ExactNumber(x.names, _LETTERS[place]), fmpq(1))]
        found += [(factor, k * n / (degree or 1)) for factor, k in own]
    return found


def value(name: str, x, names: Names | None, n: int = 2):
    """A function at a scalar inside its real domain; pi is one that is constant."""
    at = ball(x)
    x = x if names else at
    if name == "root":
        return root(x, n, names)
    if name == "log":
        need(bool(at > 0), "log outside its real domain (its argument must be > 0)")
    if name == "asin":
        need(bool(abs(at) <= 1), "asin outside its real domain (|its argument| must be <= 1)")
    found = getattr(at, name)()
    need(bool(found.is_finite()), f"{name} is not finite")
    if isinstance(x, arb | acb):
        return found
    if is_zero(x) and bool(found.rad() == 0):
        return fmpq(found.unique_fmpz())
    if name == "log":
        return sum((k * names.get("log", factor, ball(factor).log()) for factor, k in factors(x)), fmpq(0))
    return names.get(name, x, found)


def between(x: arb) -> str:
    """Where a number is, in words, rounded outward."""
    if bool(x.rad() < arb(10) ** (1 - TOLD)):
        return f"= {x}"
    low, high = (end * 10**TOLD for end in (x.lower(), x.upper()))
    ends = (Decimal(int(end.unique_fmpz())).scaleb(-TOLD) for end in (low.floor(), high.ceil()))
    return f"in [{', '.join(map(str, ends))}]"


def hull(a, b) -> arb:
    return ball(a).union(ball(b))
