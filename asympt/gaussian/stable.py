"""Formulas rewritten so that they keep their digits, and compiled for mpmath, for NumPy and for Arb.

From the leaves to the top, with s(u) = 1/(1 + exp(-u)):

    log(1 + exp u) -> softplus u        (1 + exp u)^-n -> s(-u)^n      exp(u) s(-u) -> s(u)     log(1 + v) -> log1p v
    s(u) - 1       -> -s(-u)            s(u) - 1/2 -> tanh(u/2)/2
    exp u - 1      -> expm1 u           1 +- erf u     -> erfc(-+ u)   tanh(u)^2 -> 1 - sech(u)^2

In NumPy what is compiled is compared once with 60 digits on a logarithmic grid; where it fails, values are computed by
mpmath.  In Arb the text that is compiled for mpmath runs on Arb's numbers, whose radii nobody reads.
"""

from collections.abc import Callable
from functools import lru_cache
from operator import methodcaller

import flint
import mpmath
import numpy as np
import scipy  # its parts are loaded when first used: they take longer than a law
import sympy
from flint import arb
from mpmath import mp
from sympy import Add, Dummy, Expr, Mul, Pow, Symbol, bottom_up, cosh, default_sort_key, erf, erfc, exp, log, rem, tanh

from asympt.balls.arithmetic import midpoint, of_mpf
from asympt.compiling import as_function
from asympt.errors import InputError, NoValueError
from asympt.numbers import to_mpf

_NAMES = ("softplus", "sigmoid", "expm1", "erfc", "sech", "log1p")
softplus, sigmoid, expm1, erfc_of, sech, log1p = (sympy.Function(f"stable_{name}") for name in _NAMES)


def _softplus_mp(u):
    return u + mpmath.log1p(mpmath.exp(-u)) if mpmath.re(u) > 0 else mpmath.log1p(mpmath.exp(u))


def _sech_numpy(u):
    decay = np.exp(-np.abs(u))
    return 2 * decay / (1 + decay * decay)


IN_MPMATH = {
    "stable_softplus": _softplus_mp, "stable_sigmoid": lambda u: 1 / (1 + mpmath.exp(-u)), "stable_expm1": mpmath.expm1,
    "stable_erfc": mpmath.erfc, "stable_sech": mpmath.sech, "stable_log1p": mpmath.log1p,
}  # fmt: skip
IN_NUMPY = {
    "stable_softplus": lambda u: np.logaddexp(0, u), "stable_sigmoid": lambda u: scipy.special.expit(u),
    "stable_expm1": np.expm1, "stable_erfc": lambda u: scipy.special.erfc(u), "stable_sech": _sech_numpy,
    "stable_log1p": np.log1p,
}  # fmt: skip


def stable(formula: Expr) -> Expr:
    """The same function of real arguments, written with the functions named above.

    >>> from sympy import Symbol
    >>> x = Symbol("x", real=True)
    >>> stable(x * exp(x) / (1 + exp(x))), stable(exp(x) - 1)
    (x*stable_sigmoid(x), stable_expm1(x))
    """
    return bottom_up(formula, _rewritten)


def _rewritten(node: Expr) -> Expr:
    if isinstance(node, log):
        return _logarithm(node)
    if isinstance(node, Pow):
        return _power(node)
    if isinstance(node, Mul):
        return _product(node)
    return _sum(node) if isinstance(node, Add) else node


def _one_plus_exponential(node: Expr) -> tuple[Expr, Expr] | None:
    """(c, w) when the node is c (1 + exp(w)) with a number c > 0."""
    if not isinstance(node, Add) or len(node.args) != 2 or not node.args[0].is_positive or not node.args[0].is_number:
        return None
    constant, rest = node.args
    factor, exponential = rest.as_independent(exp, as_Add=False)
    if not isinstance(exponential, exp) or not factor.is_positive or not factor.is_number:
        return None
    return constant, exponential.args[0] + log(factor / constant)


def _logarithm(node: Expr) -> Expr:
    found = _one_plus_exponential(node.args[0])
    if found is not None:
        return log(found[0]) + softplus(found[1])
    one, rest = node.args[0].as_coeff_Add()
    return log1p(rest) if one == 1 else node


def _power(node: Expr) -> Expr:
    found = _one_plus_exponential(node.base) if node.exp.is_negative else None
    return node if found is None else found[0] ** node.exp * sigmoid(-found[1]) ** (-node.exp)


def _product(node: Expr) -> Expr:
    """exp(k u) s(-u)^n with the smaller of k and n factors exp(u) s(-u) = s(u)."""
    exponent = Add(*(f.args[0] for f in node.args if isinstance(f, exp)))
    sigmoids = [f for f in node.args if isinstance(f.as_base_exp()[0], sigmoid)]
    if exponent == 0 or not sigmoids:
        return node
    base, count = sigmoids[0].as_base_exp()
    argument = -base.args[0]
    multiple = _multiple(exponent, argument)
    if not multiple.is_positive or not multiple.is_number or not count.is_number:
        return node
    moved = min(multiple, count)
    others = [f for f in node.args if not isinstance(f, exp) and f is not sigmoids[0]]
    kept = exp((exponent - moved * argument).expand()) * base ** (count - moved)
    return Mul(*others, kept, sigmoid(argument) ** moved)


def _multiple(exponent: Expr, argument: Expr) -> Expr:
    """k such that exponent - k argument is a number, 0 when there is none."""
    moving = argument.expand().as_independent(*argument.free_symbols, as_Add=True)[1]
    factor, term = Add.make_args(moving)[0].as_coeff_Mul()
    multiple = exponent.expand().coeff(term) / factor
    return multiple if (exponent - multiple * argument).expand().is_number else sympy.Integer(0)


def _sum(node: Expr) -> Expr:
    constant, rest = node.as_independent(exp, erf, erfc, tanh, sigmoid, as_Add=True)
    for term in Add.make_args(rest):
        factor, function = term.as_independent(exp, erf, erfc, sigmoid, as_Add=False)
        paired = _paired(function, -constant / factor) if constant.is_number and constant != 0 else None
        if paired is not None:
            return factor * paired + Add(*(t for t in Add.make_args(rest) if t != term))
    return _without_squares_of_tanh(node)


def _paired(function: Expr, ratio: Expr) -> Expr | None:
    """function - ratio, where that is small somewhere."""
    if isinstance(function, exp) and ratio == 1:
        return expm1(function.args[0])
    if isinstance(function, erf) and abs(ratio) == 1:
        return erfc_of(-function.args[0]) if ratio == -1 else -erfc_of(function.args[0])
    if isinstance(function, erfc) and ratio == 2:
        return -erfc_of(-function.args[0])
    if isinstance(function, sigmoid) and ratio == 1:
        return -sigmoid(-function.args[0])
    if isinstance(function, sigmoid) and 2 * ratio == 1:
        return tanh(function.args[0] / 2) / 2
    return None


def _without_squares_of_tanh(node: Expr) -> Expr:
    squares = [p for p in node.atoms(Pow) if isinstance(p.base, tanh) and p.exp.is_Integer and p.exp >= 2]
    arguments = {p.base.args[0] for p in squares}
    if len(arguments) != 1:
        return node
    argument, t, s = arguments.pop(), Dummy("t"), Dummy("s")
    inside = node.subs(tanh(argument), t)
    if not inside.is_polynomial(t) or inside.has(cosh):
        return node
    return rem(inside, t**2 - 1 + s**2, t).expand().subs({t: tanh(argument), s: sech(argument)})


# ---- a formula as a function of NumPy arrays that is right to 1e-14, or goes to mpmath where it would not be -----


WORKING, TOLERANCE, STEP = 60, 1e-14, 1e-15
_POSITIVE = np.concatenate([[0.0], np.logspace(-10, 3, 53)])
GRID = np.concatenate([-_POSITIVE[:0:-1], _POSITIVE])
SMALLEST = 1e-300  # below it float64 has fewer digits


def in_mpmath(formula: Expr, symbol: Symbol, holes: dict[Expr, Expr]) -> Callable:
    """The formula as a function of an mpmath number; `holes` gives the values where it reads 0/0."""
    compiled = as_function(symbol, stable(formula), [IN_MPMATH, "mpmath"])

    def value(x):
        for point, limit in holes.items():
            if x == to_mpf(point):
                return to_mpf(limit)
        try:
            return mp.convert(compiled(x))
        except NoValueError as error:
            raise NoValueError(
                f"{sympy.sstr(formula).replace('**', '^')} has no value at {symbol} = {mp.nstr(mp.convert(x), 5)} when "
                f"computed with {mp.dps} digits ({error}); rewrite it so that nothing cancels or overflows there"
            ) from None

    return value


def in_numpy(formula: Expr, symbol: Symbol, holes: dict[Expr, Expr], low: float, high: float) -> Callable:
    """The formula as a function of a float64 array with entries in [low, high]."""
    compiled = as_function(symbol, stable(formula), [IN_NUMPY, "scipy", "numpy"])
    exactly = in_mpmath(formula, symbol, holes)
    special = np.array([float(point) for point in holes])

    def fast(x):
        with np.errstate(all="ignore"):
            return np.broadcast_to(compiled(x), x.shape).astype(float)

    doubtful = _doubtful(fast, exactly, low, high)

    def value(x):
        result = fast(x)
        slow = ~np.isfinite(result)
        if special.size:
            slow |= np.isin(x, special)
        if doubtful.any():
            slow |= doubtful[np.searchsorted(GRID, x)]
        if slow.any():
            result[slow] = [_rounded(exactly, u) for u in x[slow]]
        return result

    return value


def _rounded(exactly: Callable, x: float) -> float:
    if np.isnan(x):
        return x
    with mp.workdps(WORKING):
        return float(exactly(mp.mpf(float(x))))


def _doubtful(fast: Callable, exactly: Callable, low: float, high: float) -> np.ndarray:
    """For each interval of the grid (and the two outside), whether the compiled formula has failed in it."""
    failed = np.zeros(len(GRID) + 1, dtype=bool)
    lines = np.concatenate([[2 * GRID[0]], GRID, [2 * GRID[-1]]])
    first, last = np.maximum(lines[:-1], low), np.minimum(lines[1:], high)
    meets = first < last  # a narrow piece lies within one interval
    for share in (0.29, 0.83):
        x = (first + share * (last - first))[meets]
        got = fast(x)
        failed[meets] |= np.array([not _close(g, u, exactly) for g, u in zip(got, x, strict=True)], dtype=bool)
    return failed


def _close(got: float, x: float, exactly: Callable) -> bool:
    with mp.workdps(WORKING):
        x = mp.mpf(float(x))
        want, beside = exactly(x), exactly(x * (1 + mp.mpf(STEP)))
        allowed = TOLERANCE * abs(want) + abs(want - beside) + SMALLEST
        return bool(np.isfinite(got)) and abs(mp.mpf(float(got)) - want) <= allowed


_IN_ARB = (
    "exp", "log", "log1p", "sqrt", "sin", "cos", "tan", "cot", "sinh", "cosh", "tanh", "coth", "asin", "acos", "atan",
    "asinh", "acosh", "atanh", "erf", "erfc", "gamma",
)  # fmt: skip
_RULES = {name: methodcaller(name) for name in _IN_ARB} | {
    "sec": lambda x: 1 / x.cos(), "csc": lambda x: 1 / x.sin(), "sech": lambda x: 1 / x.cosh(),
    "csch": lambda x: 1 / x.sinh(), "stable_sech": lambda x: 1 / x.cosh(), "stable_erfc": methodcaller("erfc"),
    "stable_sigmoid": lambda x: 1 / (1 + (-x).exp()), "stable_expm1": methodcaller("expm1"),
    "stable_softplus": lambda x: (-abs(x)).exp().log1p() + x.max(arb(0)), "stable_log1p": methodcaller("log1p"),
}  # fmt: skip


_METHODS = {  # for an integer in the formula as well: expm1(-1)
    name: lambda x, rule=rule: rule(arb(x) if isinstance(x, int) else x) for name, rule in _RULES.items()
} | {"mpf": arb}
KEPT = 4  # precisions


def in_arb(formula: Expr, symbol: Symbol, exactly: Callable | None = None) -> Callable:
    """The formula as a function of one of Arb's numbers; `exactly`, the same in mpmath, where Arb has no value."""
    shown = stable(formula)
    constants = sorted(shown.find(lambda part: part.is_number and not part.is_Rational), key=default_sort_key)
    names = [Dummy() for _ in constants]
    known = dict(zip(constants, names, strict=True))
    compiled = as_function([symbol, *names], shown.xreplace(known), [_METHODS, "mpmath"])

    @lru_cache(maxsize=KEPT)
    def numbers(bits: int) -> list[arb]:
        with mp.workprec(bits):
            return [of_mpf(to_mpf(constant)) for constant in constants]

    def value(x: arb) -> arb:
        try:
            found = arb(compiled(x, *numbers(flint.ctx.prec)))
        except NoValueError:  # 0/0
            found = arb.nan()
        except TypeError as error:  # of mpmath, for one of Arb's numbers: a function that Arb lacks
            if "cannot create mpf" not in str(error):
                raise
            found = arb.nan()
        return found if found.is_finite() or exactly is None else by_mpmath(lambda z: [exactly(z)])(x)[0]

    return value


def by_mpmath(function: Callable) -> Callable:
    """A function of one of Arb's numbers from one of an mpmath number, which gives a list; an error unless real."""

    def values(z: arb) -> list[arb]:
        with mp.workprec(flint.ctx.prec):
            x = midpoint(z)
            found = [mp.convert(value) for value in function(x)]
        if any(isinstance(value, mp.mpc) for value in found):
            raise InputError(f"the function is not real at x = {mp.nstr(x, 5)}; give a real one")
        return [of_mpf(value) if mp.isfinite(value) else arb.nan() for value in found]

    return values
