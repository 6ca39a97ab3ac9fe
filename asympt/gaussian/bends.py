"""Where a formula bends: the centres and scales of its functions, which rules of quadrature must not step over.

Problem.  tanh(10^6 x) is a step to every rule whose nodes are further apart than 10^-6: two of them agree, and both are
wrong.

Rule.  A function of a x + b happens around -b/a on the scale 1/|a|; there intervals and panels begin.

Tiny case.  tanh(100 x - 50): at 1/2, on the scale 1/100.

Known limits.  Arguments of the first or second degree; others are left to the rules.
"""

from functools import lru_cache

from sympy import Expr, Function, Integer, Poly, Rational, Symbol

STEEP = 4  # sqrt(q) times the slope inside a function of phi from which on its centre is an end of intervals


@lru_cache(maxsize=512)
def bends(piece: Expr, x: Symbol) -> tuple[tuple[Expr, float], ...]:
    """(place, scale) where a function in the formula has its centre: -b/a and |a| for tanh(a x + b).

    >>> from sympy import tanh
    >>> bends(tanh(100 * Symbol("x") - 50), Symbol("x"))
    ((1/2, 100.0),)
    """
    found = {}
    for inner in {argument for function in piece.atoms(Function) for argument in function.args}:
        inside = Poly(inner, x) if inner.is_polynomial(x) and inner.has(x) else None
        if inside is not None and inside.degree() <= 2:
            lead, middle = inside.coeff_monomial(x**2), inside.coeff_monomial(x)
            place = -middle / (2 * lead) if lead else -inside.coeff_monomial(1) / middle
            found[place] = max(found.get(place, 0.0), float(abs(lead) ** Rational(1, 2) if lead else abs(middle)))
    return tuple(found.items()) or ((Integer(0), 1.0),)
