"""What a law says, against plain iteration: states at chosen layers, what the printed law leaves there, its values."""

from collections.abc import Callable, Collection, Mapping

from mpmath import mp, mpf

from asympt.evidence.check import GROWTH, Check, growth_check
from asympt.evidence.law_terms import function_of, number, rest_of
from asympt.numbers import to_mpf


def kept(step: Callable, state, layers: Collection[int], layer: int = 1) -> dict:
    """{layer: state} at these layers, from the state at `layer`, one step after the other.

    >>> kept(lambda x: 2 * x, 1, (3, 5))
    {3: 4, 5: 16}
    """
    found, last = {}, max(layers)
    for here in range(layer, last + 1):
        state = state if here == layer else step(state)
        if here in layers:
            found[here] = state
    return found


def evaluation_check(name: str, law, seen: Mapping, digits: int, bound, detail: str = "", **given) -> Check:
    """What the law evaluates to at these depths against what was `seen` there: the largest relative deviation."""
    pairs = ((law.evaluate(depth=depth, digits=digits, **given), value) for depth, value in seen.items())
    return Check.measured(name, max(abs(found / value - 1) for found, value in pairs), bound, detail)


def rest_check(name: str, expansion, seen: Mapping, constants: dict, where: str, bound=GROWTH) -> Check:
    """What is seen at these depths, minus the printed law, must not grow in units of the printed remainder."""
    printed = {depth: printed_at(expansion, depth, constants) for depth in seen}
    left = [value - printed[depth][0] for depth, value in seen.items()]
    return growth_check(name, left, [size for _, size in printed.values()], where, bound)


def printed_at(expansion, layer, constants: dict):
    """(the printed sum at one layer, the size of its remainder's monomial)."""
    known = {**constants, str(expansion.scale.depth): layer}
    total = sum((number(c, known) * monomial_at(expansion.scale, m, layer) for m, c in expansion.terms), mpf(0))
    return total, abs(monomial_at(expansion.scale, rest_of(expansion), layer))


def monomial_at(scale, monomial, layer):
    """l^(-p) log(l)^j with its front, or base^(p l) l^j, times second^(k l) when p has k times its order."""
    if scale.base is None:
        size = mpf(layer) ** to_mpf(scale.sign * monomial.order) * mp.log(layer) ** monomial.logs
        return size if scale.front == 1 else size * function_of(scale.front, scale.depth)(layer)
    order, times = monomial.order, 0
    if scale.second is not None:
        times = order.coeff(scale.weight)
        order = order - times * scale.weight
    size = _power(to_mpf(scale.base), order * layer) * mpf(layer) ** monomial.logs
    return size * _power(to_mpf(scale.second), times * layer) if times else size


def _power(base, exponent):
    return base ** int(exponent) if exponent == int(exponent) else base ** to_mpf(exponent)
