"""The symbolic checks of a law that is read off one coordinate: its recursion, its coordinate, P + D H.

Constants known by their digits are independent symbols first: what vanishes then is proved for all their values.  A
network with symbolic slopes is specialised from its family: checked for a free alpha, then coefficient by coefficient.
"""

from sympy import Expr, Integer, Rational

from asympt.evidence.check import Check
from asympt.evidence.law_terms import is_network, rest_of
from asympt.evidence.symbolic.defect import (
    flow_time_check,
    inverse_check,
    linear_checks,
    recursion_checks,
    substitution_check,
)
from asympt.evidence.symbolic.generators import generic
from asympt.evidence.symbolic.inverse import observable_check, quotient_check
from asympt.evidence.symbolic.series import FlowTimeShift, has_formula, taylor
from asympt.evidence.symbolic.zero import Bare, is_zero


def coordinate_checks(law) -> list[Check]:
    """The expansion solves the recursion and inverts its coordinate; a law that is only a limit, less."""
    if is_network(law) and not has_formula(law):
        found = in_digits(generic(law))
        if all(check.verdict == "proved" for check in found):
            return found
    return in_digits(law)


def in_digits(law) -> list[Check]:
    """The same, constants being the numbers that they are."""
    try:
        return _checks(law)
    except Bare:
        return [_size_of_remainder(law)]


def _checks(law) -> list[Check]:
    """With symbolic slopes of a network, for free alpha and then specialised."""
    if law.universal_source is not None and law.parameters:
        family = law.universal()
        return [specialisation_check(law, family), *_put_back(family)]
    if law.linear is None and law.observable is not None and not law.observable.reads_x:
        return [observable_check(law)]
    return flow_time_checks(law) if law.time is not None else _put_back(law)


def _put_back(law) -> list[Check]:
    return recursion_checks(law) if law.linear is None else linear_checks(law)


def flow_time_checks(law) -> list[Check]:
    """The law has the right flow time, and on the scale of powers of l it solves the recursion; or a quotient does."""
    time = flow_time_check(law)
    if law.linear is not None:
        return [time, quotient_check(law)]
    solves = [] if FlowTimeShift.of(law).logarithmic else [substitution_check(law)]
    return [*solves, time, inverse_check(law)]


def _size_of_remainder(law) -> Check:
    """x* + O(l^(-P)): y itself, which goes like l^(-root/m) or like chi^l, must not be larger than that."""
    order = Integer(1) if law.koenigs is not None else Rational(law.dynamics.root, law.abel.multiplicity)
    name = "the remainder is not smaller than the distance from the fixed point"
    return Check.compare(name, rest_of(law.expansion).order, order, "orders of decay", strength="proved")


# ---- a member of a family -----------------------------------------------------------------------------


def specialisation_check(law, family) -> Check:
    """Every coefficient of the law, of its A and of its map against the family's at the law's alpha (and delta)."""
    values = {symbol: value for symbol, value in family.stands_for.items() if symbol in family.parameters}
    pairs = _pairs(law.expansion, family.expansion) + _pairs(law.abel.expansion, family.abel.expansion)
    if law.linear is not None:
        pairs += _pairs(law.linear.particular, family.linear.particular)
    root = law.dynamics.root
    pairs += zip(taylor(law.dynamics.formula, 3, root), taylor(family.dynamics.formula, 3, root), strict=True)
    different = [one for one, other in pairs if not is_zero(one - other.subs(values))]
    name = f"coefficients are those of the family at the law's {' and '.join(f'${value}$' for value in values)}"
    figure = str(different[0]).replace("**", "^") if different else "0"
    detail = f"{len(pairs)} coefficients compared at {', '.join(map(str, values.values()))}".replace("**", "^")
    return Check(name, figure, 0, not different, "proved", detail)


def _pairs(expansion, family) -> list[tuple[Expr, Expr]]:
    """Coefficients side by side; a term that only one of them has is compared with 0."""
    monomials = {m for m, _ in expansion.terms} | {m for m, _ in family.terms}
    mine, theirs = expansion.coefficients, family.coefficients
    zero = 0 * expansion.leading[1]
    return [(mine.get(m, zero), theirs.get(m, zero)) for m in sorted(monomials, reverse=True)]
