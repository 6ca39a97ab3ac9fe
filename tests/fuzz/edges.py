"""Maps with the edge of a domain on the way: roots, logarithms, inverse functions, odd roots, next to a start.

values      x_n and a_n from `enclose` and `evaluated`: those of the real orbit, or a refusal where it is not real
theorems    C of one start and of all starts of an interval: it holds lim x_n/chi^n of every start that is tried, and
            there is none where one of these orbits leaves the reals

The reference is plain iteration of SymPy's principal values in mpmath; an orbit is real if every layer of it is.
"""

import random

import mpmath
from mpmath import mp
from sympy import Abs, Expr, Integer, LambertW, Rational, acos, acosh, asin, atanh, cos, exp, log, sin, sqrt

import asympt as asy
from tests.fuzz import oracle
from tests.fuzz.maps import X, fraction

DIGITS, SPARE, DEEP = 15, 60, 120
REAL = 1e-30  # relative size of an imaginary part that is a rounding error


def edged(rng: random.Random) -> tuple[Expr, Rational]:
    """A function of X that is real on one side of a place (or between two) only, and that place."""
    place, power = fraction(rng, 1, 6, 4), Rational(rng.choice((1, 1, 3, 5, -1)), rng.choice((2, 2, 3, 3, 4)))
    other = place + rng.choice((0, 1, Rational(1, 3)))
    forms = (
        lambda: (place - X) ** power, lambda: (place - X) ** power * (other - X) ** power,
        lambda: log(1 + place - X), lambda: log(place - X) ** 2, lambda: asin(X / place), lambda: acos(X / place),
        lambda: atanh(X / place), lambda: acosh(2 - X / place), lambda: cos(3 * acos(X / place)),
        lambda: sin(asin(X / place)), lambda: sqrt(place**2 - X**2), lambda: exp(log(place - X) / 3),
        lambda: LambertW(place - 1 - X), lambda: sqrt(Abs(place - X)), lambda: (place - X) ** sqrt(2),
        lambda: 1 / sqrt(place - X), lambda: sqrt(place - X) ** 2 + sqrt(1 + X),
    )  # fmt: skip
    return rng.choice(forms)(), place


def mapped(rng: random.Random) -> tuple[Expr, Rational]:
    """A map that contracts towards 0 (one in five like 1/n) and has an edge, and a start near it."""
    (edge, place), slowly = edged(rng), rng.random() < 0.2
    base = X - X**2 / 9 if slowly else X * Rational(1, rng.choice((2, 3, 4)))
    size, powers = rng.choice((-1, 1)) * fraction(rng, 1, 5, 5), (3, 20) if slowly else (1, 2, 2, 3, 20)
    bump = size * X ** rng.choice(powers) * edge / rng.choice((4, 20, 400))
    return base + bump, place + rng.choice((-1, -1, 1)) * fraction(rng, 1, 9, 9) * rng.choice((1, Rational(1, 10)))


def followed(expression: Expr, start: Expr, steps: int) -> list | None:
    """The orbit, or None where it leaves the reals or has no value."""
    image, values = oracle.function(expression, X), []
    with mp.workdps(DIGITS + SPARE + steps):
        x = oracle.number(start)
        for _ in range(steps + 1):
            values.append(x)
            try:
                x = _real(image(x))
            except (ArithmeticError, ValueError, TypeError):  # no value there
                x = None
            if x is None:
                return values if len(values) == steps + 1 else None
        return values


def _real(value):
    value = mpmath.mpmathify(value)
    if abs(mp.im(value)) > abs(value) * REAL or not mp.isfinite(value):
        return None
    return mp.re(value)


def value(rng: random.Random) -> str:
    """x_n of one start."""
    expression, start = mapped(rng)
    depth = rng.choice((1, 2, 3, 9, 30))
    law, case = asy.Recursion(expression, X, 0).law(terms=rng.choice((1, 2))), f"{expression} from {start}, n = {depth}"
    found = law.enclose(depth, start=start, digits=DIGITS) if rng.random() < 0.6 else None
    both = found or (law.evaluated(depth, start=start, digits=DIGITS).value,) * 2
    xs = followed(expression, start, depth)
    assert xs is not None, f"{case}: {both} of an orbit that is not real"
    for end in both:
        oracle.require_equal(end, xs[-1], DIGITS - 1, case)
    return "value"


def linear(rng: random.Random) -> str:
    """a_n along one start, of which lambda, b or the first value has an edge."""
    (edge, place), (first, _) = edged(rng), edged(rng)
    chi, depth = Rational(1, 2), rng.choice((1, 2, 5))
    multiplier, forcing, initial = rng.choice((
        (Rational(3, 4), X * edge, Integer(0)), (X * edge, X, Integer(1)), (Rational(1, 3), X, first),
    ))  # fmt: skip
    start = place + rng.choice((-1, 1, 3)) * fraction(rng, 1, 9, 9)
    case = f"a' = ({multiplier}) a + {forcing}, a_0 = {initial}, x' = x/2 from {start}, n = {depth}"
    law = asy.Recursion(chi * X, X).linear_law(multiplier, forcing, initial, terms=1)
    found = law.evaluated(depth, start=start, digits=DIGITS).value
    value, wanted = [oracle.function(e, X) for e in (multiplier, forcing, initial)], None
    with mp.workdps(DIGITS + SPARE):
        x, wanted = oracle.number(start), _real(value[2](oracle.number(start)))
        for _ in range(depth):
            parts = None if wanted is None else (_real(value[0](x)), _real(value[1](x)))
            wanted = None if parts is None or None in parts else parts[0] * wanted + parts[1]
            x = x / 2
    assert wanted is not None, f"{case}: {found} of a recursion that is not real"
    oracle.require_equal(found, wanted, DIGITS - 1, case)
    return "value"


def theorem(rng: random.Random) -> str:
    """C of one start or of an interval."""
    expression, start = mapped(rng)
    end = start if rng.random() < 0.4 else start + rng.choice((1, Rational(1, 3), Rational(1, 50)))
    law = asy.Recursion(expression, X, 0).law(terms=1)
    certificate = law.certificate(start=start if end == start else (start, end))
    chi = oracle.number(expression.diff(X).subs(X, 0))
    for k in range(6):
        begun = start + (end - start) * Rational(k, 5)
        xs, case = followed(expression, begun, DEEP), f"{certificate} of {expression} from {begun}"
        assert xs is not None, f"{case}: the orbit is not real"
        if chi == 1:
            off = abs(xs[-1] - mpmath.mpf(9) / DEEP) * DEEP**2 / (mp.log(DEEP) if "log" in str(law) else 1)
            assert off <= mpmath.mpf(str(certificate.constant)), f"{case}: {off} at {DEEP}"
            continue
        with mp.workdps(DIGITS + SPARE):
            constant, (low, high) = xs[-1] / chi**DEEP, certificate.connection()
            error = abs(constant) * mpmath.mpf(10) ** -8
            assert low - error <= constant <= high + error, f"{case}: C = {constant}"
    return "value"


FAMILIES = {"value": (value, 12, 0.0), "linear": (linear, 8, 0.0), "theorem": (theorem, 6, 0.0)}
