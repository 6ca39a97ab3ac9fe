"""Certified Gaussian moments: E[g(sqrt(q) Z)], and M_n(q) = E[phi^(n)(sqrt(q) Z)^2] for many n at once.

Trapezoidal rules between the breakpoints (`trapezoid`), the derivatives from Taylor coefficients at the nodes: one
walk over the nodes gives M_0, ..., M_n together, of the regular derivatives.  A moment below 10^-2digits of E|g| is
taken for 0.  E[g] is infinite for g = exp(x^2) and q >= 1/2: D(z) = log|g(sqrt(q) z)| - z^2/2 must fall at least like
-z at three points R, 2R, 4R far out.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import factorial

from flint import arb, ctx
from mpmath import mp
from sympy import Expr, Integer, Symbol

from asympt.balls.arithmetic import Refused, midpoint, of_mpf, working
from asympt.balls.expression import CONSTANTS, Outside, program_of
from asympt.compiling import valued
from asympt.errors import InputError, NoValueError
from asympt.gaussian.piecewise import STEEP, PiecewiseSmooth, bends
from asympt.gaussian.quadrature.trapezoid import GUARD, MIRRORED, cut, integrals, reach_of
from asympt.gaussian.stable import by_mpmath, in_mpmath
from asympt.numbers import to_mpf

# ---- Taylor coefficients of a formula at a number: without differentiating symbolically -------------------------
#
# The formula's program (`balls.expression`) is run on truncated power series about the number, whose radii nobody
# reads.  What Arb lacks is differentiated numerically by mpmath.  Close to a removable singularity digits are lost.


JET_GUARD, JETS_KEPT = 20, 4  # bits; precisions


def jet(expression: Expr, symbol: Symbol) -> Callable:
    """(x_0, count) -> Taylor coefficients of the expression at the mpmath number x_0, at the current precision.

    Raises `NoValueError` where the formula reads 0/0 or branches.
    """
    in_arb = _in_arb(expression, symbol)
    if in_arb is None:
        return _by_differences(expression, symbol)

    def coefficients(point, count: int) -> list:
        with working(mp.prec + JET_GUARD, max(count, 2)):
            found = in_arb(of_mpf(mp.convert(point)), count)
        if not all(c.is_finite() for c in found):
            raise NoValueError(f"{expression} has no Taylor series at {mp.nstr(point, 8)}")
        return [midpoint(c) for c in found]

    return coefficients


def ball_jet(expression: Expr, symbol: Symbol) -> Callable:
    """The same in Arb, at its precision: (x_0, count) -> coefficients; by mpmath what Arb has no rule or no value for.

    >>> from sympy import exp
    >>> x = Symbol("x")
    >>> [c.str(3) for c in ball_jet(exp(x) ** 2, x)(arb(0), 3)]
    ['1.00', '2.00', '2.00']
    """
    slowly, in_arb = _by_differences(expression, symbol), _in_arb(expression, symbol)

    def coefficients(point: arb, count: int) -> list[arb]:
        found = [arb.nan()] if in_arb is None else in_arb(point, count)
        return found if all(c.is_finite() for c in found) else by_mpmath(lambda x: slowly(x, count))(point)

    return coefficients


def _by_differences(expression: Expr, symbol: Symbol) -> Callable:
    function = in_mpmath(expression, symbol, {})
    return valued(lambda point, count: mp.taylor(function, point, count - 1))


@lru_cache(maxsize=1024)
def _in_arb(expression: Expr, symbol: Symbol) -> Callable | None:
    """In Arb, NaN where a part cannot be shown to be real; None where Arb has no rule for a part."""
    try:
        program = program_of(expression, symbol)
    except Refused:
        return None
    named = [a for a in program.formula.atoms() if a.is_number and a.is_real and not a.is_Rational and not a.is_Float]
    named = [constant for constant in named if constant not in CONSTANTS]

    @lru_cache(maxsize=JETS_KEPT)
    def numbers(bits: int) -> dict[Expr, arb]:
        with mp.workprec(bits):
            return {constant: of_mpf(to_mpf(constant)) for constant in (*named, *program.parameters)}

    def coefficients(point: arb, count: int) -> list[arb]:
        try:
            return program.taylor(point, count, numbers(ctx.prec))
        except Outside:
            return [arb.nan()]

    return coefficients


# ---- whether a Gaussian expectation exists: how fast a function grows on both sides ------------------------------


LOW_PRECISION = 53
FIRST, SHIFTS = 20, (0, 0.31, 0.73)  # R/(1 + sqrt q), and neighbours, because g may vanish at one point
FALL = 1.5


def check_growth(g, q) -> None:
    """Raise `InputError` when E[g(sqrt(q) Z)] does not exist; `g` is a PiecewiseSmooth, `q` an mpmath number."""
    with mp.workprec(LOW_PRECISION):
        functions = g.piece_functions
        for direction, function, piece in ((-1, functions[0], g.pieces[0]), (1, functions[-1], g.pieces[-1])):
            if not _decays(function, direction, mp.sqrt(q)):
                side = "oo" if direction > 0 else "-oo"
                raise InputError(
                    f"the Gaussian mean of {piece} at variance {mp.nstr(q, 8)} diverges for {g.symbol} -> {side}; "
                    "give a smaller variance or a function that grows less"
                )


def _decays(function: Callable, direction: int, root) -> bool:
    """Whether |function| times the normal density falls fast enough."""
    points = [FIRST * (1 + root) * 2**k for k in range(3)]
    near, middle, far = (max(_logarithm(function, direction, root, z + shift) for shift in SHIFTS) for z in points)
    return bool(far == mp.ninf or (far < middle and middle - far > FALL * (near - middle)))


def _logarithm(function: Callable, direction: int, root, z):
    size = abs(mp.convert(function(direction * root * z)))
    return (mp.log(size) if size else mp.ninf) - z * z / 2


FEW = 2  # moments that are computed without others: M_0 needs no derivative
BLOCK, STEP = 5, 15  # moments computed together, and digits rounded up to: what comes next may be there already
SPARE = 2  # digits that cancellation may take at no price


def moment(g: PiecewiseSmooth, q, digits: int = 30):
    """E[g(sqrt(q) Z)], Z standard normal, to `digits` significant digits, as an mpmath number.

    Parameters: `q` > 0, the variance, an mpmath number or an exact one.  Raises `InputError` when the mean diverges,
    `PrecisionError` when the digits cannot be certified.

    >>> from sympy import Max, Symbol
    >>> x = Symbol("x", real=True)
    >>> mp.nstr(moment(PiecewiseSmooth.of(Max(x, 0), x), 1, 20), 15)  # 1/sqrt(2 pi)
    '0.398942280401433'
    """
    check_growth(g, variance_of(q, digits))

    def computed(precision: int):
        (value,), (size,) = integrals(_ways(g, q, precision, _values(g), (1,)), 1, precision)
        return value, size

    value, size = computed(digits + SPARE)
    with mp.workdps(digits):
        lost = int(mp.ceil(mp.log10(size / abs(value)))) if value else (digits if size else 0)
    if lost <= SPARE:
        return value
    value, size = computed(digits + min(lost, digits) + 1)  # positive and negative parts cancel
    return value if abs(value) > size * mp.mpf(10) ** -(2 * digits) else mp.zero


def square_moment(phi: PiecewiseSmooth, n: int, q, digits: int = 30):
    """M_n(q) = E[(phi^(n)(sqrt(q) Z))^2], regular part of the n-th derivative, to `digits` digits."""
    return square_moments(phi, n + 1, q, digits)[n]


def square_moments(phi: PiecewiseSmooth, count: int, q, digits: int = 30) -> list:
    """[M_0(q), ..., M_(count-1)(q)], each to `digits` digits; see `square_moment`."""
    together = count if count <= FEW else -(-count // BLOCK) * BLOCK
    return list(_square_moments(phi, together, q, -(-digits // STEP) * STEP)[:count])


@lru_cache(maxsize=512)
def _square_moments(phi: PiecewiseSmooth, count: int, q, digits: int) -> tuple:
    check_growth(phi.square(), variance_of(q, digits))
    return tuple(integrals(_ways(phi, q, digits, _squares(phi, count), (1, -1)), count, digits)[0])


def derivative_means(phi: PiecewiseSmooth, q, order: int, combine: Callable, count: int, digits: int) -> list:
    """E of the `count` functions combine(phi, ..., phi^(order-1)) of the derivatives at sqrt(q) Z, in one walk."""
    jets = [ball_jet(piece, phi.symbol) for piece in phi.pieces]
    values = _per_piece(jets, lambda f, x: combine(*(factorial(n) * c for n, c in enumerate(f(x, order)))))
    return integrals(_ways(phi, q, digits, values), count, digits)[0]


def variance_of(q, digits: int):
    """q as an mpmath number good to `digits` digits; raises `InputError` when it is not a positive number."""
    if isinstance(q, Expr) and q.free_symbols:
        raise InputError(f"the variance q = {q} is not a number; give a number, or ask for the exact moment")
    with mp.workdps(digits + GUARD):
        value = to_mpf(q) if isinstance(q, Expr) else mp.convert(q)
    if not value > 0:
        raise InputError(f"q = {q} is not positive; a variance must be")
    return value


def _ways(g: PiecewiseSmooth, q, digits: int, values: Callable, signs: tuple = ()) -> list[Callable]:
    """The intervals of z, as functions that compute them; without breakpoints a second way, for a second try.

    `signs`: `values` are even functions where g(-x) = s g(x) for one of these s.
    """
    variance = variance_of(q, digits)  # the rules may need more digits than the answer; the variance does not

    def way(other: bool) -> list[tuple]:
        functions = values(mp.sqrt(variance))
        found = parts(g, variance, digits, other)
        if mirrored and found[0][:2] == (None, None):
            found = [(MIRRORED, *found[0][1:])]
        return [(*ends, functions[i], scale) for *ends, i, scale in found]

    mirrored = not g.breaks and _is_mirrored(g.pieces[0], g.symbol, signs)
    return [lambda other=other: way(other) for other in ([False] if g.breaks else [False, True])]


def _is_mirrored(piece: Expr, symbol: Symbol, signs: tuple) -> bool:
    """Whether piece(-x) = s piece(x) for one of the signs s, and 0, a node then, is no removable singularity."""
    try:
        return piece.subs(symbol, -symbol) in [sign * piece for sign in signs] and bool(jet(piece, symbol)(mp.zero, 2))
    except NoValueError:
        return False


def parts(g: PiecewiseSmooth, variance, digits: int, other: bool = False) -> list[tuple]:
    """(low, high, number of the piece, scale) of the intervals of z on which rules converge; pieces of 0 are left out.

    Where g is steep its centres are ends, and half-lines begin on its scale: tanh(10^8 z) has poles next to 0.
    `other`: with the centre 0 where none is needed, and with none where one is.
    """
    root, found = mp.sqrt(variance), [bends(piece, g.symbol) for piece in g.pieces]
    slopes = [max(slope for _, slope in places) * float(root) for places in found]
    steep = [[place for place, slope in places if slope * float(root) > STEEP] for places in found]
    steep = [[] if steep[0] else [Integer(0)]] if other else steep
    breaks, centres = ([to_mpf(p) / root for p in g.breaks], [[to_mpf(p) / root for p in part] for part in steep])
    scales = [1 / mp.mpf(slope) if slope > STEEP else mp.one for slope in slopes]
    cuts = cut(breaks, reach_of(digits), centres)
    return [(low, high, i, scales[i]) for low, high, i in cuts if g.pieces[i] != 0]


def _values(g: PiecewiseSmooth) -> Callable:
    return _per_piece(g.ball_functions, lambda f, x: [f(x)])


def _squares(phi: PiecewiseSmooth, count: int) -> Callable:
    """Per piece: z -> the squares of the first derivatives at root z."""
    if count == 1:
        return _per_piece(phi.ball_functions, lambda f, x: [f(x) ** 2])
    weights, jets = [factorial(n) ** 2 for n in range(count)], [ball_jet(piece, phi.symbol) for piece in phi.pieces]
    return _per_piece(jets, lambda f, x: [weight * c * c for weight, c in zip(weights, f(x, count), strict=True)])


def _per_piece(functions: Sequence[Callable], values: Callable) -> Callable:
    """root -> for each of the functions f, z -> values(f, root z), in Arb."""

    def of(root) -> list[Callable]:
        scale = of_mpf(root)
        return [lambda z, f=f: values(f, scale * z) for f in functions]

    return of
