"""The printed expansion put into the Abel function: A must give back l + C, symbolically.

Problem.  `substitution` shows that an expansion solves the recursion, but shifting the free constant's own
coefficient only re-labels C.  Is the expansion the inverse of this A, with this C (and, for a linear law, with
this P, H and D)?

Rule.  Along t = a u^speed (1 + ...), read off the printed expansion of x_l, compute in the ring of `ring`

    A(t) - l - C = O(l^(1 - (P - p_0)) log^J)          x_l = c_0 l^(-p_0) (1 + ...) + O(l^(-P) log^J)
    P(t) + D H(t) - l E(l) = O(l^(1 - P) log^J)        a_l / l = E(l) + O(l^(-P) log^J)

Every larger coefficient must vanish exactly.

Known limits.  A, P and H themselves are taken as printed; `constancy` measures them on the original recursion.
"""

from itertools import chain

from sympy import Expr, Integer, Rational, Symbol, expand

from asympt.evidence.check import Check
from asympt.evidence.ring import DepthRing, Profile, U, W, above

DETAIL = "symbolic: exact zero coefficients, the constants' own terms included"


def inverse_checks(law) -> list[Check]:
    """A(expansion) = l + C; for a linear law also P + D H along the flow = l times the expansion."""
    flow = law.expansion if law.linear is None else law.flow
    name = "put into the Abel function, the expansion of the flow gives l + C"
    checks = [_check(name, _position_survivors(law, flow))]
    if law.linear is not None:
        checks.append(_check("P + D H along the flow is the printed expansion", _value_survivors(law)))
    return checks


def _check(name: str, survivors: list[Expr]) -> Check:
    return Check(name, str(survivors[0]) if survivors else "0", 0, not survivors, "proved", DETAIL)


def _chart(law, flow, precision: int, expansions: list, extra: list[Expr]) -> tuple:
    """The ring, u^(-bias) times each expansion in t along the flow, and the extra expressions as elements."""
    profile, root = Profile.of(flow), law.dynamics.root
    size, speed = profile.size(root), profile.speed(root)
    bias = law.abel.multiplicity
    precision += bias * speed
    flat = [_coefficients(e.coefficients, range(-bias, precision // speed + 1), size) for e in expansions]
    ring = DepthRing([profile.shape(), profile.log_of_uniformiser(root), *chain(*flat), *extra], precision)
    shape, logarithm, *rest = ring.elements
    wave = ring.times(ring.u**speed, ring.root(shape, Rational(1, root)))
    logarithm = logarithm + ring.log(shape) * Rational(1, root)
    inverse = ring.root(shape, Rational(-bias, root))
    values = []
    for coefficients in flat:
        mine, rest = rest[: len(coefficients)], rest[len(coefficients) :]
        values.append(ring.times(_evaluate(ring, mine, wave, logarithm), inverse))
    return ring, bias * speed, values, rest


def _coefficients(known: dict, powers: range, size: Expr) -> list[Expr]:
    """Coefficients of the given powers of t, without log t then with it, each times the power of `size`."""
    result = []
    for logs in (0, 1):
        row = {int(m.order): c for m, c in known.items() if m.logs == logs}
        result += [expand(row.get(k, Integer(0)) * size**k, log=False) for k in powers]
    return result


def _evaluate(ring: DepthRing, coefficients: list, wave, logarithm):
    """t^m (sum c_k t^k + log t sum d_k t^k) along the flow, in units of a."""
    half = len(coefficients) // 2
    plain, with_log = ring.horner(coefficients[:half], wave), ring.horner(coefficients[half:], wave)
    return plain + ring.times(with_log, logarithm)


def _position_survivors(law, flow) -> list[Expr]:
    """Terms of A(t) - l - C above the remainder."""
    profile, rest = Profile.of(flow), flow.remainder.monomial
    allowed = int((rest.order - profile.order - 1) * profile.q)
    constant = Symbol("C", real=True)
    ring, bias, (position,), (constant,) = _chart(law, flow, allowed + 1, [law.abel.expansion], [constant])
    target = ring.u ** (bias - profile.q) + ring.times(ring.u**bias, constant)
    return above([(i - bias, j, c) for i, j, c in ring.terms(position - target)], allowed, rest.logs)


def _value_survivors(law) -> list[Expr]:
    """Terms of P(t) + D H(t) - l E(l) above the remainder."""
    profile, rest = Profile.of(law.flow), law.expansion.remainder.monomial
    allowed = int((rest.order - 1) * profile.q)
    average = sum((c * U ** (m.order * profile.q) * W**m.logs for m, c in law.expansion.terms), Integer(0))
    expansions = [law.linear.particular, law.linear.homogeneous]
    ring, bias, (particular, wave), (second, printed) = _chart(
        law, law.flow, allowed + 1, expansions, [Symbol("D", real=True), average]
    )
    total = particular + ring.times(second, wave) - ring.times(printed, ring.u ** (bias - profile.q))
    return above([(i - bias, j, c) for i, j, c in ring.terms(total)], allowed, rest.logs)
