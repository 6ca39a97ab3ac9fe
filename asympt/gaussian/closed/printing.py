"""A long sum of products, put as papers print it: collected by transcendental factors and roots, and factored.

Powers of one long denominator share a coefficient, 1 - c^2 is kept together, and two exponentials whose exponents
differ by the sign of c are a cosh or a sinh.
"""

from sympy import Add, Expr, I, Integer, Mul, Rational, Symbol, asin, cosh, erf, exp, expand, factor, re, sinh, sqrt

from asympt.gaussian.closed.arccosine import C
from asympt.gaussian.closed.bivariate import BivariateNormal

_FUNCTIONS = (BivariateNormal, erf, asin)
_LOW, _HIGH, _ROOT = C - 1, C + 1, 1 - C**2


def tidy(expression: Expr, names: dict[Symbol, Expr] | None = None) -> Expr:
    """The sum collected; `names` are symbols that stand for long denominators, put back at the end.

    The result is real.  An erf of a complex argument (a sine together with a kink) stays beside its conjugate: its
    imaginary parts cancel, in digits up to rounding.
    """
    names = names or {}
    groups: dict = {}
    for summand in Add.make_args(expand(expression, power_exp=False)):
        key, coefficient = _split(summand, names)
        groups[key] = groups.get(key, Integer(0)) + coefficient
    groups = {key: factor(value) for key, value in _merged(groups, names).items()}
    result = Add(*(joined(value * key) for key, value in _hyperbolic(groups).items())).xreplace(names)
    hidden = any(node.has(I) for node in result.atoms(erf))
    return re(result) if result.has(I) and not hidden else result


def joined(product: Expr) -> Expr:
    """(C - 1)(C + 1) as -(1 - C^2), also under a power or a root; (1 - C)/sqrt(1 - C^2) as a quotient of roots."""
    product = product.replace(_root_in_c, lambda power: expand(power.base) ** power.exp)
    powers = product.as_powers_dict()
    low, high = powers.get(_LOW, 0), powers.get(_HIGH, 0)
    shared = min(low, high) if low > 0 and high > 0 else max(low, high) if low < 0 and high < 0 else 0
    if shared:
        product = product / (_LOW * _HIGH) ** shared * (-1) ** shared * _ROOT**shared
    elif powers.get(_ROOT) == -Rational(1, 2) and 1 in (low, high):
        ratio = -sqrt(1 - C) / sqrt(1 + C) if low == 1 else sqrt(1 + C) / sqrt(1 - C)
        product = product / (_LOW if low == 1 else _HIGH) * sqrt(_ROOT) * ratio
    return product


def _root_in_c(node: Expr) -> bool:
    return node.is_Pow and node.exp.is_Rational and not node.exp.is_Integer and node.base.free_symbols == {C}


def _split(summand: Expr, names: dict) -> tuple[Expr, Expr]:
    """One product as (transcendental factors, roots and named denominators) times the rest."""
    exponent, special, rest = Integer(0), [], []
    for f in Mul.make_args(_refactored(summand)):
        base, power = f.as_base_exp()
        if isinstance(f, exp):
            exponent += f.exp
        elif isinstance(base, _FUNCTIONS):
            special.append(base.func(*map(_argument, base.args)) ** power)
        elif base in names:
            special.append(f)
        elif not power.is_Integer and not base.is_Atom:
            special.append(expand(base) ** power)
        else:
            rest.append(f)
    sign, key = Mul(*special, exp(_argument(exponent))).as_coeff_Mul()
    return key, sign * Mul(*rest)


def _refactored(summand: Expr) -> Expr:
    """With the denominators, which `expand` multiplies out, as products again."""
    return Mul(*(factor(f) if f.is_Pow and f.exp.is_Integer and f.exp < 0 else f for f in Mul.make_args(summand)))


def _argument(argument: Expr) -> Expr:
    """Factored if it is a quotient, expanded if it is a polynomial."""
    if argument.is_number:
        return argument
    product = joined(factor(argument))
    return expand(argument) if product.as_numer_denom()[1].is_number else product


def _merged(groups: dict, names: dict) -> dict:
    """Powers of a named denominator that differ by a whole number brought to the lowest of them."""
    for name, long in names.items():
        lowest: dict = {}
        for key in groups:
            power = key.as_powers_dict().get(name, Integer(0))
            others = key / name**power, power % 1
            lowest[others] = min(power, lowest.get(others, power))
        merged: dict = {}
        for key, value in groups.items():
            power = key.as_powers_dict().get(name, Integer(0))
            others = key / name**power
            floor = lowest[others, power % 1]
            base = others * name**floor
            merged[base] = merged.get(base, Integer(0)) + value * long ** (power - floor)
        groups = merged
    return groups


def _hyperbolic(groups: dict) -> dict:
    """Pairs k exp(A + B) +- k exp(A - B), B odd in c, as 2 k exp(A) cosh(B) or 2 k exp(A) sinh(B)."""
    found, left = {}, dict(groups)
    for key in groups:
        mirror = key.subs(C, -C)
        if not isinstance(key, exp) or mirror == key or not key.exp.coeff(C) or not {key, mirror} <= set(left):
            continue
        if left[key] not in (left[mirror], -left[mirror]):
            continue
        rising, falling = sorted((key, mirror), key=lambda e: e.exp.coeff(C).could_extract_minus_sign())
        odd = expand((rising.exp - falling.exp) / 2)
        up, down = left.pop(rising), left.pop(falling)
        found[exp(expand(rising.exp - odd)) * (cosh(odd) if up == down else sinh(odd))] = 2 * up
    return {**left, **found}
