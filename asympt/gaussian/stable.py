"""Formulas rewritten so that they keep their digits: softplus, sigmoid, exp(u) - 1, erfc, sech.

Problem.  log(1 + exp(x)) overflows at x = 710 in float64, exp(x)/(1 + exp(x)) becomes inf/inf, and exp(x) - 1,
1 + erf(x) and 1 - tanh(x)^2 lose all digits where they are small, although the functions are harmless.

Rule.  From the leaves to the top, with s(u) = 1/(1 + exp(-u)):

    log(1 + exp u) -> softplus u        (1 + exp u)^-n -> s(-u)^n      exp(u) s(-u) -> s(u)     log(1 + v) -> log1p v
    s(u) - 1       -> -s(-u)            s(u) - 1/2 -> tanh(u/2)/2
    exp u - 1      -> expm1 u           1 +- erf u     -> erfc(-+ u)   tanh(u)^2 -> 1 - sech(u)^2

Tiny case.  x exp(x)/(1 + exp(x)) becomes x s(x).

Known limits.  Other cancellations stay; `gaussian.vectorised` measures what they cost.
"""

import mpmath
import numpy as np
from scipy import special
from sympy import Add, Dummy, Expr, Function, Integer, Mul, Pow, bottom_up, cosh, erf, erfc, exp, log, rem, tanh

_NAMES = ("softplus", "sigmoid", "expm1", "erfc", "sech", "log1p")
softplus, sigmoid, expm1, erfc_of, sech, log1p = (Function(f"stable_{name}") for name in _NAMES)


def _softplus_mp(u):
    return u + mpmath.log1p(mpmath.exp(-u)) if mpmath.re(u) > 0 else mpmath.log1p(mpmath.exp(u))


def _sech_numpy(u):
    decay = np.exp(-np.abs(u))
    return 2 * decay / (1 + decay * decay)


IN_MPMATH = {
    "stable_softplus": _softplus_mp,
    "stable_sigmoid": lambda u: 1 / (1 + mpmath.exp(-u)),
    "stable_expm1": mpmath.expm1,
    "stable_erfc": mpmath.erfc,
    "stable_sech": mpmath.sech,
    "stable_log1p": mpmath.log1p,
}
IN_NUMPY = {
    "stable_softplus": lambda u: np.logaddexp(0, u),
    "stable_sigmoid": special.expit,
    "stable_expm1": np.expm1,
    "stable_erfc": special.erfc,
    "stable_sech": _sech_numpy,
    "stable_log1p": np.log1p,
}


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
    return multiple if (exponent - multiple * argument).expand().is_number else Integer(0)


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
