"""The quantity that a law describes, and what is printed about it, as numbers.

Problem.  The original recursion moves the distance y (and a); the law speaks of x, of a function of x, of a or of a/l,
as a sum of monomials on one of several scales.

Rule.  x = x* + s y, or s/y at infinity.  The monomial (p, j) is l^(-p) log(l)^j, or base^(p l) l^j for exponentials,
times second^(k l) when p contains k times the order of a second base.

Tiny case.  y = 1/4 at infinity: x = 4, and f = x^2 is 16.
"""

from mpmath import mp, mpf

from asympt.evidence.reading import function_of, number, rest_of
from asympt.numbers import to_mpf


def quantity_at(law, state: tuple, layer: int):
    """What the law describes, from the distance y (and a) that the original recursion has reached."""
    if law.linear is not None:
        return state[1] / layer if getattr(law, "average", False) else state[1]
    view, y = law.view, state[0]
    if view is None:
        return y
    place = getattr(view, "place", view)
    x = place.sign / y if place.at_infinity else to_mpf(place.point) + place.sign * y
    return x if view is place else function_of(view.expression, view.symbol)(x)


def printed_at(expansion, layer, constants: dict):
    """(the printed sum at one layer, the size of its remainder's monomial)."""
    known = {**constants, str(expansion.scale.depth): layer}
    total = sum((number(c, known) * _monomial(expansion.scale, m, layer) for m, c in expansion.terms), mpf(0))
    return total, abs(_monomial(expansion.scale, rest_of(expansion), layer))


def _monomial(scale, monomial, layer):
    base = getattr(scale, "base", None)
    if base is None:
        return mpf(layer) ** to_mpf(scale.sign * monomial.order) * mp.log(layer) ** monomial.logs
    order, times = monomial.order, 0
    if scale.second is not None:
        times = order.coeff(scale.weight)
        order = order - times * scale.weight
    size = _power(to_mpf(base), order * layer) * mpf(layer) ** monomial.logs
    return size * _power(to_mpf(scale.second), times * layer) if times else size


def _power(base, exponent):
    return base ** int(exponent) if exponent == int(exponent) else base ** to_mpf(exponent)
