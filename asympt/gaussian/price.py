"""The Price expansion of any piecewise smooth activation: E[phi(sqrt q U) phi(sqrt q V)] in t = sqrt(1 - c), exactly.

Price's theorem integrated, with rational numbers W (`weights`; why: docs/bounds.md): a power series in t^2 of the
regular moments M_n and, beside every breakpoint b, exp(-b^2/(2q)) times powers of t, odd ones from pairs of jumps J_n
J_N, even ones from jumps and sums J_n S_N of the one-sided derivatives.  The slope is (1/q) dF/dc, d/dc = -(1/2t) d/dt;
where phi jumps it starts with 1/t.  Products of two different breakpoints are beyond all powers.
"""
from collections import defaultdict
from collections.abc import Callable
from functools import cache, lru_cache
from math import factorial

from flint import fmpq
from mpmath import mp
from sympy import Add, Expr, Integer, Rational, binomial, exp, pi, sqrt

from asympt.errors import InputError, NoValueError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.expansion import expanded
from asympt.gaussian.closed.moments import exact_square_moment, moments_at, named_moment
from asympt.gaussian.moments import GUARD, check_growth, jet, variance_of
from asympt.gaussian.piecewise import PiecewiseSmooth, plain
from asympt.numbers import to_mpf
from asympt.symbols import Reserved

Entry = tuple  # n, N, i, W


@lru_cache(maxsize=256)
def weights(order: int, level: int, centred: bool) -> dict[int, tuple[Entry, ...]]:
    """{P: entries (n, N, i, W)} of the level n = `level` for all powers P <= order; `centred` leaves only i = 0.

    >>> weights(3, 1, True)
    {3: ((1, 1, 0, 2/3),)}
    """
    table = defaultdict(list)
    _two_deltas(table, order, level, centred)
    _one_delta(table, order, level, centred)
    return {power: tuple(entries) for power, entries in table.items()}


def _two_deltas(table: dict, order: int, n: int, centred: bool) -> None:
    for s in range((order - 2 * n + 1) // 2):
        power = 2 * s + 1 + 2 * n
        front = fmpq(1, 2 ** (s + 1)) * _descent(2 * s - 1, n)
        for i in range(1 if centred else s + 1):
            laguerre = _one_over_factorial(i) * _binomial(2 * s - 1, s - i)
            table[power].append((n, n, 2 * i, front * laguerre / 2**i))


def _one_delta(table: dict, order: int, n: int, centred: bool) -> None:
    room = order - 2 * n - 2  # the largest k + i + 2r
    for k in range(room + 1):
        for i in range(1 if centred else room - k + 1):
            front = _one_over_factorial(i) * _one_over_gamma(k - i)
            if not front:
                continue
            for r in range((room - k - i) // 2 + 1):
                power = k + i + 2 * r
                series = _binomial(k - i, r) / (-2) ** r
                if series:
                    table[power + 2 * n + 2].append((n, n + 1 + k, i, front * series * _descent(power, n)))


@cache
def _descent(m: int, n: int) -> fmpq:
    """From t^m on level n to t^(m+2n+2) of F."""
    return fmpq(-2, m + 2 * n + 2) * (_descent(m, n - 1) if n else 1)


@cache
def _one_over_factorial(i: int) -> fmpq:
    """(-1)^i/i!."""
    return fmpq((-1) ** i, factorial(i))


@cache
def _one_over_gamma(j: int) -> fmpq:
    """1/Gamma(j/2 + 1), for odd j times sqrt(pi).

    >>> [str(_one_over_gamma(j)) for j in (-3, -2, -1, 0, 1, 2)]
    ['-1/2', '0', '1', '1', '2', '1']
    """
    if j in (-1, 0):
        return fmpq(1)
    return _one_over_gamma(j - 2) / fmpq(j, 2) if j > 0 else _one_over_gamma(j + 2) * fmpq(j + 2, 2)


@cache
def _binomial(twice: int, k: int) -> fmpq:
    """(twice/2 over k)."""
    return _binomial(twice, k - 1) * fmpq(twice - 2 * k + 2, 2 * k) if k else fmpq(1)


FEW = 15  # digits of q that decide whether the moments exist
Coefficients = dict[int, Expr]  # power of t -> coefficient


def price_expansion(phi: PiecewiseSmooth, q: Expr, order: int, moment: Callable | None = None) -> Expansion:
    """F(c) = E[phi(sqrt q U) phi(sqrt q V)] in powers of t = sqrt(1 - c) up to t^order (HDR Appendix B, generalised).

    Parameters: `q` > 0, a number or a positive symbol; `moment`: n -> M_n(q), by default its formula where there is
    one and the constant M_n elsewhere.  Raises `InputError` for a q or an order out of range and when the moments
    diverge, `UnsupportedError` when phi is not smooth up to its breakpoints or M_n has no formula in a symbol q.

    >>> from sympy import Max, Symbol
    >>> x, q = Symbol("x", real=True), Symbol("q", positive=True)
    >>> print(price_expansion(PiecewiseSmooth.of(Max(x, 0), x), q, 5))
    q/2 - q*t^2/2 + sqrt(2)*q*t^3/(3*pi) + sqrt(2)*q*t^5/(60*pi) + O(t^6)
    """
    _check(phi, q, order)
    moment = moment or (lambda n: default_moment(phi, n, q))
    found = _smooth_part(q, order, moment)
    for index, point in enumerate(phi.breaks):
        for power, value in _breakpoint_part(phi, index, point, q, order).items():
            found[power] += value
    following = order + 1 if phi.breaks else order + 2 - order % 2  # smooth functions have even powers only
    terms = {(power, 0): value for power, value in found.items()}
    return Expansion.build(SCALE, terms, Formal(Monomial(Integer(following))))


def default_moment(phi: PiecewiseSmooth, n: int, q: Expr) -> Expr:
    """M_n(q) by its formula, or as the constant M_n."""
    known = exact_square_moment(phi, n, q)
    return named_moment(phi, n, q) if known is None else known


def _check(phi: PiecewiseSmooth, q: Expr, order: int) -> None:
    if not q.is_positive:
        raise InputError(f"q = {q} is not known to be positive; give a positive number or a symbol declared positive")
    if order < 0:
        raise InputError(f"order = {order} is negative; ask for the expansion up to t^0 or higher")
    if not q.free_symbols and not any(piece.free_symbols - {phi.symbol} for piece in phi.pieces):
        check_growth(phi.square(), variance_of(q, FEW))


def _smooth_part(q: Expr, order: int, moment: Callable) -> defaultdict:
    """sum_n (-q t^2)^n M_n/n!."""
    found: defaultdict = defaultdict(lambda: Integer(0))
    for n in range(order // 2 + 1):
        found[2 * n] = Rational((-1) ** n, factorial(n)) * q**n * moment(n)
    return found


def _breakpoint_part(phi: PiecewiseSmooth, index: int, point: Expr, q: Expr, order: int) -> Coefficients:
    """What one breakpoint adds to each power of t."""
    jumps, sums = jumps_and_sums(phi, index, order + 1)
    bell = exp(-(point**2) / (2 * q))
    fronts = {1: bell / (pi * sqrt(2)), 0: bell * sqrt(q) / sqrt(2 * pi)}
    found: defaultdict = defaultdict(list)
    for level, jump in enumerate(jumps):
        if jump == 0 or 2 * level + 1 > order:
            continue
        for power, entries in weights(order, level, point == 0).items():
            partners = jumps if power % 2 else sums
            found[power] += [
                Rational(int(w.p), int(w.q)) * jump * partners[other] * point**i * q ** ((n + other - i) // 2)
                for n, other, i, w in entries
                if partners[other] != 0
            ]
    return {power: fronts[power % 2] * Add(*values) for power, values in found.items() if values}


def jumps_and_sums(phi: PiecewiseSmooth, index: int, count: int) -> tuple[list[Expr], list[Expr]]:
    """(J_0, J_1, ...), (S_0, S_1, ...) at breaks[index]: right minus left, and right plus left derivatives.

    Raises `UnsupportedError` when a derivative is infinite on its side.

    >>> from sympy import Abs, Symbol
    >>> jumps_and_sums(PiecewiseSmooth.of(Abs(Symbol("x")), Symbol("x")), 0, 2)
    ([0, 2], [0, 0])
    """
    pairs = list(zip(phi.taylor(index, -1, count), phi.taylor(index, 1, count), strict=True))
    return [plain(right - left) for left, right in pairs], [expanded(right + left) for left, right in pairs]


def price_numbers(phi: PiecewiseSmooth, q, order: int, digits: int = 30) -> list:
    """[F_0, ..., F_order]: E[phi(sqrt q U) phi(sqrt q V)] = sum F_k t^k, t = sqrt(1 - c), to `digits` digits each.

    `q` > 0 is an mpmath number or an exact one.  Raises what `moments.square_moment` raises.
    """
    moments = moments_at(phi, order // 2 + 1, q, digits)
    with mp.workdps(digits + GUARD):
        variance = variance_of(q, digits)
        found = [mp.zero] * (order + 1)
        for n, value in enumerate(moments):
            found[2 * n] = (-variance) ** n * value / factorial(n)
        for index in range(len(phi.breaks)):
            for power, value in _breakpoint_number(phi, index, mp.sqrt(variance), order).items():
                found[power] += value
    return found


def _breakpoint_number(phi: PiecewiseSmooth, index: int, root, order: int) -> dict:
    """What one breakpoint adds to each power of t."""
    point = to_mpf(phi.breaks[index]) / root
    left, right = (_side(phi, index, direction, root, order + 1) for direction in (-1, 1))
    jumps = [_difference(b, a) for a, b in zip(left, right, strict=True)]
    partners = ([a + b for a, b in zip(left, right, strict=True)], jumps)
    bell = mp.exp(-(point**2) / 2)
    fronts = (bell / mp.sqrt(2 * mp.pi), bell / (mp.pi * mp.sqrt(2)))
    powers = [point**i for i in range(order + 2)]
    found: dict = {}
    for level, jump in enumerate(jumps):
        if not jump or 2 * level + 1 > order:
            continue
        for power, entries in weights(order, level, not point).items():
            values = [mp.mpf(int(w.p)) / int(w.q) * powers[i] for _, _, i, w in entries]
            total = mp.fdot(values, [partners[power % 2][other] for _, other, _, _ in entries])
            found[power] = found.get(power, mp.zero) + fronts[power % 2] * jump * total
    return found


def _side(phi: PiecewiseSmooth, index: int, direction: int, root, count: int) -> list:
    """Derivatives of psi at a breakpoint from one side; exactly where the formula itself is undefined there."""
    piece, point = phi.pieces[index + (direction > 0)], phi.breaks[index]
    try:
        taylor = jet(piece, phi.symbol)(to_mpf(point), count)
        derivatives = [factorial(n) * c for n, c in enumerate(taylor)]
    except NoValueError:
        derivatives = [to_mpf(value) for value in phi.taylor(index, direction, count)]
    return [value * root**n for n, value in enumerate(derivatives)]


def _difference(one, two):
    """one - two, 0 when only rounding is left."""
    rest = one - two
    return rest if abs(rest) > mp.mpf(10) ** (-mp.dps + GUARD // 2) * (abs(one) + abs(two)) else mp.zero


# ---- slopes a+ and a- with one kink at 0, exact to any order -------------------------------------
#
# G_2 = 0, B_0 = 0, B_1 = (a+ - a-)^2/(2 pi sqrt(1 - c^2)), G_1(1) = G_0(1) = (a+^2 + a-^2)/2; c = 1 - t^2.

UNIFORMISER = Reserved("t", positive=True)
SCALE = Scale.at_zero(UNIFORMISER)


def inverse_root(count: int) -> list[Rational]:
    """Coefficients of t^0, t^2, t^4, ... in (1 - t^2/2)^(-1/2): binomial(2k, k)/8^k.

    >>> inverse_root(3)
    [1, 1/4, 3/32]
    """
    return [Rational(binomial(2 * k, k), 8**k) for k in range(count)]


def kink_term(order: int) -> Expansion:
    """-int B_1 dc / (J^2/(2 pi)) = sqrt(2) int_0^t (1 - s^2/2)^(-1/2) ds, up to t^order: the angle arccos(c).

    >>> print(kink_term(4))
    sqrt(2)*t + sqrt(2)*t^3/12 + O(t^5)
    """
    odd = [(2 * k + 1, c) for k, c in enumerate(inverse_root(order // 2 + 2))]
    terms = {(power, 0): sqrt(2) * c / power for power, c in odd if power <= order}
    following = next(power for power, _ in odd if power > order)
    return Expansion.build(SCALE, terms, Formal(Monomial(following)))


def integrate_down(level: Expansion) -> Expansion:
    """-int_1^c level dc = int_0^t level 2s ds for an expansion in powers of t."""
    terms = {(m.order + 2, 0): 2 * c / (m.order + 2) for m, c in level.terms}
    rest = level.remainder and Formal(Monomial(level.remainder.monomial.order + 2))
    return Expansion.build(SCALE, terms, rest)


def along_correlation(level: Expansion) -> Expansion:
    """d level/dc = -(1/(2t)) d level/dt for an expansion in powers of t: what `integrate_down` undoes."""
    terms = {(m.order - 2, 0): -m.order * c / 2 for m, c in level.terms if m.order}
    return Expansion.build(SCALE, terms, Formal(Monomial(level.remainder.monomial.order - 2)))


def slope_level(asymmetry: Expr, order: int) -> Expansion:
    """G_1/G_1(1) = f'(c) at criticality: 1 - rho * (the kink's term), up to t^order.

    `asymmetry` is rho = J^2/(2 pi G_1(1)) = (a+ - a-)^2/(pi (a+^2 + a-^2)).
    """
    return 1 - kink_term(order) * asymmetry


def value_level(asymmetry: Expr, order: int) -> Expansion:
    """G_0/G_0(1) = f(c), up to t^order.

    >>> from sympy import pi
    >>> print(value_level(1/pi, 5))
    1 - t^2 + 2*sqrt(2)*t^3/(3*pi) + sqrt(2)*t^5/(30*pi) + O(t^7)
    """
    return 1 - integrate_down(slope_level(asymmetry, max(order - 2, 0)))
