"""Random maps with a known fixed point: most of them attract, a few do not.

Every map is built in the distance y > 0 from its fixed point and then carried to x = point + sign y, or to x = sign/y,
so that a law exists by construction and the orbit from `start` comes in.
"""

import random
from dataclasses import dataclass

from sympy import (
    Abs,
    Expr,
    Integer,
    Max,
    Min,
    Piecewise,
    Rational,
    Symbol,
    asinh,
    atan,
    cos,
    erf,
    exp,
    log,
    oo,
    pi,
    sin,
    sqrt,
    tan,
    tanh,
)

X = Symbol("x", real=True)
POSITIVE = Symbol("x", positive=True)


@dataclass(frozen=True)
class Map:
    """G in `symbol`, where it is looked at, and a start whose orbit should come in."""

    expression: Expr
    symbol: Symbol
    point: Expr
    side: str
    start: Expr

    def __str__(self) -> str:
        return f"Recursion({self.expression}, x, fixed_point={self.point}, side={self.side!r}), start={self.start}"


def fraction(rng: random.Random, low: int = 1, high: int = 9, bottom: int = 9) -> Rational:
    """A positive fraction of small height."""
    return Rational(rng.randint(low, high), rng.randint(1, bottom))


def signed(rng: random.Random) -> Rational:
    """A fraction of either sign, or 0."""
    return rng.choice((-1, 0, 1)) * fraction(rng, bottom=6)


def near(rng: random.Random) -> Rational:
    """A distance in which most local maps behave."""
    return Rational(rng.randint(1, 9), rng.choice((20, 30, 50, 100)))


def carried(rng: random.Random, local: Expr, y: Symbol, start: Expr, plain: bool = False) -> Map:
    """The map y -> local(y) moved to a random point and side; with `plain` it stays at 0 from above."""
    if plain:
        return Map(local.subs(y, X), X, Integer(0), "above", start)
    point = rng.choice((Integer(0), Integer(0), Integer(1), Rational(-2, 3), sqrt(2), Integer(-5)))
    sign = rng.choice((1, -1))
    image = point + sign * local.subs(y, sign * (X - point))
    shape = image.expand() if rng.random() < 0.3 and image.is_polynomial(X) else image
    return Map(shape, X, point, "above" if sign > 0 else "below", point + sign * start)


def parabolic_local(rng: random.Random, y: Symbol) -> Expr:
    """y - a y^p + ..., a > 0, in many forms."""
    p, a = rng.choice((2, 2, 2, 3, 3, 4, 5)), fraction(rng, bottom=4)
    tail = signed(rng) * y ** (p + 1) + signed(rng) * y ** (p + rng.randint(2, 4))
    forms = (
        lambda: y - a * y**p + tail, lambda: y / (1 + a * y ** (p - 1)), lambda: y / (1 + a * y ** (p - 1) + tail),
        lambda: y * exp(-a * y ** (p - 1)), lambda: y * (1 + a * y ** (p - 1)) ** -fraction(rng, 1, 3, 3),
        lambda: rng.choice((sin, tanh, atan, asinh))(y), lambda: log(1 + y), lambda: 1 - exp(-y), lambda: y * cos(y),
        lambda: y * sqrt(1 - a * y / 9), lambda: y - a * (y - sin(y)), lambda: y - a * y * tanh(y) / 9,
        lambda: sin(y) - a * y**p / 9, lambda: y - log(1 + y**2) / 3, lambda: tan(y) - a * y**2,
        lambda: (tanh(y) + sin(y)) / 2, lambda: y - y**2 * exp(-a * y), lambda: erf(y * sqrt(pi) / 2),
    )  # fmt: skip
    return rng.choice(forms)()


def parabolic(rng: random.Random) -> Map:
    """G' = 1."""
    y = Symbol("y", real=True)
    return carried(rng, parabolic_local(rng, y), y, near(rng))


def fractional(rng: random.Random) -> Map:
    """A power series in a root of x at 0, x > 0."""
    x, a = POSITIVE, fraction(rng, bottom=4)
    power = 1 + Rational(rng.randint(1, 5), rng.choice((2, 2, 3, 4)))
    forms = (
        lambda: x - a * x**power, lambda: x - a * x**power + signed(rng) * x ** (power + Rational(1, 2)),
        lambda: x / (1 + a * x ** (power - 1)), lambda: x - a * x**power + signed(rng) * x**3,
        lambda: x * exp(-a * x ** (power - 1)), lambda: x * cos(x ** Rational(1, 2)), lambda: x / 3 + a * x**power / 9,
        lambda: sin(sqrt(x)) ** 2, lambda: x / (1 + sqrt(x)) ** 2,
        lambda: x * fraction(rng, 1, 4, 1) / 5 / (1 + x ** (power - 1)),
    )  # fmt: skip
    return Map(rng.choice(forms)(), x, Integer(0), "above", near(rng))


def infinite(rng: random.Random) -> Map:
    """Growing to infinity like a power or exponentially."""
    x, a = POSITIVE, fraction(rng, bottom=4)
    forms = (
        lambda: x + a / x ** rng.choice((1, 2, 3)), lambda: x + a + signed(rng) / (9 * x),
        lambda: x + a + fraction(rng) / x, lambda: x + a * sqrt(x), lambda: x + a / sqrt(x),
        lambda: x + a * x ** Rational(1, 3) + 1, lambda: sqrt(x**2 + a * x + 1), lambda: (x**3 + a) ** Rational(1, 3),
        lambda: (1 + a) * x + fraction(rng), lambda: 2 * x + a + 1 / x, lambda: x**2 / (x - a) if a < 1 else x + a,
        lambda: x + atan(x), lambda: x + tanh(1 / x),
    )  # fmt: skip
    return Map(rng.choice(forms)(), x, oo, "above", fraction(rng, 2, 30, 2))


def hyperbolic(rng: random.Random) -> Map:
    """0 < |G'| < 1."""
    y = Symbol("y", real=True)
    chi = rng.choice((1, -1)) * rng.choice(
        (Rational(1, 2), Rational(1, 3), Rational(2, 3), Rational(9, 10), Rational(1, 7))
    )
    tail = signed(rng) * y**2 + signed(rng) * y**3
    forms = (
        lambda: chi * y + tail / 3,
        lambda: chi * y / (1 + tail / 9),
        lambda: chi * sin(y) + tail / 9,
        lambda: chi * tanh(y),
        lambda: chi * y * exp(-tail / 9),
        lambda: chi * log(1 + y),
        lambda: chi * (exp(y) - 1),
        lambda: chi * y,
        lambda: chi * y * cos(y),
    )
    return carried(rng, rng.choice(forms)(), y, near(rng))


def hidden(rng: random.Random) -> Map:
    """A fixed point that is not told and has no closed form, or a radical one."""
    a, b = fraction(rng, 1, 9, 9) + Rational(1, 20), fraction(rng)
    small = Rational(rng.randint(1, 9), 10)
    forms = (
        lambda: (cos(X), Rational(1, 2)),
        lambda: (small * cos(X) + b, b),
        lambda: (exp(-small * X), Rational(1, 2)),
        lambda: (sqrt(a + POSITIVE), 1 + a),
        lambda: ((POSITIVE + a / POSITIVE) / 3, sqrt(a)),
        lambda: (b + small * sin(X) / 2, b),
        lambda: (1 / (1 + a * POSITIVE), Integer(1)),
        lambda: (log(2 + POSITIVE), Integer(1)),
        lambda: (small * (1 - X**2) / 2, Rational(1, 3)),
        lambda: (b + small * tanh(X), b),
    )
    formula, start = rng.choice(forms)()
    return Map(formula, POSITIVE if POSITIVE in formula.free_symbols else X, None, "above", start)


def flip(rng: random.Random) -> Map:
    """G' = -1, with the second iterate attracting (a^2 + b > 0) in most cases."""
    y = Symbol("y", real=True)
    a, b = signed(rng) / 2, fraction(rng, bottom=4)
    forms = (
        lambda: -y + a * y**2 + b * y**3,
        lambda: -y / (1 + b * y**2),
        lambda: -sin(y) + a * y**2,
        lambda: -tanh(y) + a * y**2,
        lambda: -y + a * y**2 + b * y**3 + signed(rng) * y**4,
        lambda: -log(1 + y),
        lambda: -y * exp(-b * y),
        lambda: -y + b * y**5,
    )
    return carried(rng, rng.choice(forms)(), y, near(rng))


def pieces(rng: random.Random) -> Map:
    """Maps that are not one analytic piece, or that leave their own series on the way: bumps, kinks, windows."""
    a, width = fraction(rng, bottom=4), 10 ** rng.randint(1, 12)
    centre = rng.choice((Rational(1, 500), Rational(1, 30), Rational(3, 10), Rational(1, 10**5), Integer(2)))
    base = rng.choice((X - a * X**2, X / 2, sin(X), X / (1 + X), X - X**3, -X / 2))
    size = rng.choice((X**2, X / 10, centre / 20, X**3))
    forms = (
        lambda: base - size * exp(-width * (X - centre) ** 2) / 10,
        lambda: base - size * Max(0, 1 - width * (X - centre) ** 2) / 10,
        lambda: base + size * Max(0, X - centre) / 7,
        lambda: Piecewise((base, centre > X), (base - size / 10, True)),
        lambda: Piecewise((base, Abs(X - centre) > Rational(1, width)), (base / 2, True)),
        lambda: Min(base, centre),
        lambda: Max(base, X / 3 - X**2),
        lambda: base - size * Abs(X - centre) / 10,
        lambda: base - size / (10 * (1 + width * (X - centre) ** 2)),
        lambda: base - size * tanh(width * (X - centre)) / 20,
        lambda: Abs(base),
        lambda: base - size * sin(width * X) / 100,
    )
    return Map(
        rng.choice(forms)(), X, Integer(0), rng.choice(("above", "above", "below")), near(rng) * rng.choice((1, 5))
    )


def tree(rng: random.Random, x: Symbol, depth: int = 3) -> Expr:
    """Any expression at all."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice((x, x, x, Integer(rng.randint(-3, 3)), fraction(rng)))
    left = tree(rng, x, depth - 1)
    unary = (sin, cos, tanh, exp, log, sqrt, atan, Abs, erf)
    pick = rng.random()
    if pick < 0.35:
        return rng.choice(unary)(left)
    right = tree(rng, x, depth - 1)
    if pick < 0.85:
        return rng.choice((lambda: left + right, lambda: left - right, lambda: left * right))()
    return left / right if right != 0 else left
