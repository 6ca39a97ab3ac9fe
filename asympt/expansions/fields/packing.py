"""Products and exact quotients of long polynomials, as products and quotients of whole numbers.

Problem.  A polynomial of some hundred terms times another is some ten thousand products of coefficients in a
dictionary, each of which costs more than its arithmetic.

Rule.  Kronecker's substitution: with whole coefficients and every variable a power of one number B = 2^(8 w), so large
that no coefficient of the result reaches B/2, the digits of the product of two values in base B are the coefficients of
the product.  A quotient is guessed in the same way from values and proved by multiplying back; before that, one prime
and random values of all variables but one tell nearly always that there is none.

Tiny case.  (x + 2)(x - 3) at B = 100:  102 * 97 = 9894 = 1 * 100^2 - 1 * 100 - 6, the digits 1, -1, -6.

Known limits.  Rational coefficients only; short and sparse polynomials are left to SymPy's own arithmetic.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from itertools import product as all_of
from math import lcm
from operator import mul
from random import Random

WORTH = 600  # products of coefficients, from which on packing is faster
DIVIDED = 100  # the same for quotients
SPARSE = 6  # places in the packed result for one product of coefficients, above which it is not
PRIME = 2**61 - 1
TRIES = 3


def product(one, two):
    """one * two.

    >>> from sympy import QQ, ring
    >>> R, x, y = ring("x,y", QQ)
    >>> p, q = (x + y / 3 + 1) ** 12, (x - 2 * y) ** 9
    >>> product(p, q) == p * q
    True
    """
    pairs = len(one) * len(two)
    if pairs < WORTH or not one.ring.domain.is_QQ:
        return one * two
    sizes = [a + b + 1 for a, b in zip(_degrees(one), _degrees(two), strict=True)]
    places = _places(sizes)
    if places[-1] > SPARSE * pairs:
        return one * two
    (below, p), (beneath, q) = _whole(one), _whole(two)
    bits = _bits(p) + _bits(q) + min(len(one), len(two)).bit_length() + 2
    width = bits // 8 + 1
    packed = _packed(p, places, width) * _packed(q, places, width)
    return _unpacked(one.ring, packed, places, width, below * beneath)


def quotient(numerator, divisor):
    """numerator/divisor when that is a polynomial, else None.

    >>> from sympy import QQ, ring
    >>> R, x, y = ring("x,y", QQ)
    >>> quotient(x**2 - y**2, x + y), quotient(x**2 + y**2, x + y)
    (x - y, None)
    """
    if not numerator.ring.domain.is_QQ:
        found, rest = divmod(numerator, divisor)
        return None if rest else found
    if not numerator:
        return numerator
    if any(a < b for a, b in zip(_degrees(numerator), _degrees(divisor), strict=True)):
        return None
    if _surely_not(numerator, divisor):
        return None
    guess = _guessed(numerator, divisor) if len(numerator) * len(divisor) >= DIVIDED else None
    if guess is not None and product(guess, divisor) == numerator:
        return guess
    found, rest = divmod(numerator, divisor)
    return None if rest else found


def cancelled(numerator, divisor, most: int) -> tuple:
    """(numerator/divisor^times, times) with the largest times <= most for which it is a polynomial.

    >>> from sympy import QQ, ring
    >>> R, x, y = ring("x,y", QQ)
    >>> cancelled(x**3 + x**5, x, 9), cancelled(x**2 - 1, x + 1, 9)
    ((x**2 + 1, 3), (x - 1, 1))
    """
    if len(divisor) == 1:
        return _shifted(numerator, divisor, most)
    times = 0
    while times < most and (found := quotient(numerator, divisor)) is not None:
        numerator, times = found, times + 1
    return numerator, times


def _shifted(numerator, divisor, most: int) -> tuple:
    [(exponents, constant)] = divisor.terms()
    if not numerator or not any(exponents):
        return numerator.quo_ground(constant**most), most
    common = [min(column) for column in zip(*numerator.itermonoms(), strict=True)]
    times = min(most, *(have // e for have, e in zip(common, exponents, strict=True) if e))
    less = {tuple(a - times * e for a, e in zip(m, exponents, strict=True)): c for m, c in numerator.iterterms()}
    return numerator.ring.from_dict(less).quo_ground(constant**times), times


def _guessed(numerator, divisor):
    """The quotient if it is whole, up to the common denominators, and its coefficients are not too large."""
    (below, p), (beneath, q) = _whole(numerator), _whole(divisor)
    places = _places([d + 1 for d in _degrees(numerator)])
    if places[-1] > SPARSE * len(p) * len(q):
        return None
    width = (_bits(p) + _bits(q) + places[-1].bit_length()) // 8 + 9
    found, rest = divmod(_packed(p, places, width), _packed(q, places, width))
    if rest:
        return None
    guess = _unpacked(numerator.ring, found, places, width, 1)
    return guess.mul_ground(numerator.ring.domain(beneath, below))


# ---- one prime ------------------------------------------------------------------------------------


def _surely_not(numerator, divisor) -> bool:
    """Whether the division leaves a rest modulo a prime, for some values of all variables but one."""
    main = max(range(divisor.ring.ngens), key=lambda i: _degrees(divisor)[i])
    for attempt in range(TRIES):
        below, above = (_image(polynomial, main, attempt) for polynomial in (divisor, numerator))
        if below and len(below) == _degrees(divisor)[main] + 1:
            return bool(above) and _leaves_rest(above, below)
    return False


def _image(polynomial, main: int, attempt: int) -> list[int]:
    """The coefficients modulo the prime in one variable, the others numbers; none where a denominator vanishes."""
    values = _values(polynomial.ring.ngens, attempt)
    found = [0] * (_degrees(polynomial)[main] + 1)
    powers = [_powers(value, degree) for value, degree in zip(values, _degrees(polynomial), strict=True)]
    for exponents, coefficient in polynomial.iterterms():
        below = int(coefficient.denominator) % PRIME
        if not below:
            return []
        value = int(coefficient.numerator) % PRIME
        if below != 1:
            value = value * pow(below, -1, PRIME) % PRIME
        for i, e in enumerate(exponents):
            if e and i != main:
                value = value * powers[i][e] % PRIME
        found[exponents[main]] = (found[exponents[main]] + value) % PRIME
    while found and not found[-1]:
        found.pop()
    return found


@lru_cache(maxsize=64)
def _values(count: int, attempt: int) -> tuple[int, ...]:
    source = Random(attempt)
    return tuple(source.randrange(2, PRIME) for _ in range(count))


def _powers(value: int, last: int) -> list[int]:
    return list(accumulate([value] * last, lambda power, factor: power * factor % PRIME, initial=1))


def _leaves_rest(above: list[int], below: list[int]) -> bool:
    start, size = pow(below[-1], -1, PRIME), len(below)
    rest, tail = list(above), [(j, c) for j, c in enumerate(below[:-1]) if c]
    while len(rest) >= size:
        weight = rest.pop() * start % PRIME
        shift = len(rest) - size + 1
        if weight:
            for j, c in tail:
                rest[shift + j] = (rest[shift + j] - weight * c) % PRIME
    return any(rest)


# ---- packing --------------------------------------------------------------------------------------


def _degrees(polynomial) -> tuple[int, ...]:
    return tuple(map(max, zip(*polynomial.itermonoms(), strict=True)))


def _places(sizes: Sequence[int]) -> list[int]:
    """The place of each variable's first power, and at last how many places there are."""
    return list(accumulate(sizes, mul, initial=1))


def _whole(polynomial) -> tuple[int, dict]:
    """(d, the whole coefficients of d times the polynomial)."""
    below = lcm(*(int(c.denominator) for c in polynomial.itercoeffs()))
    return below, {m: int(c.numerator) * (below // int(c.denominator)) for m, c in polynomial.iterterms()}


def _bits(coefficients: Mapping) -> int:
    return max(abs(c).bit_length() for c in coefficients.values())


def _packed(coefficients: Mapping, places: Sequence[int], width: int) -> int:
    """The value at B = 256^width."""
    size = width * places[-1]
    above, below = bytearray(size), bytearray(size)
    for exponents, c in coefficients.items():
        at = width * sum(map(mul, exponents, places))
        (above if c > 0 else below)[at : at + width] = abs(c).to_bytes(width, "little")
    return int.from_bytes(above, "little") - int.from_bytes(below, "little")


def _unpacked(ring, value: int, places: Sequence[int], width: int, below: int):
    """The polynomial whose value at B = 256^width is this, over `below`."""
    middle, domain = bytes(width - 1) + b"\x80", ring.domain
    half, found = int.from_bytes(middle, "little"), {}
    shifted = value + int.from_bytes(middle * places[-1], "little")
    digits = shifted.to_bytes(width * places[-1], "little")
    ranges = [range(after // before) for before, after in pairwise(places)]
    for place, exponents in enumerate(all_of(*reversed(ranges))):
        chunk = digits[width * place : width * (place + 1)]
        if chunk != middle:
            found[exponents[::-1]] = domain(int.from_bytes(chunk, "little") - half, below)
    return ring.zero.new(found)
