"""The symbolic checks of a law that is read off one coordinate: its recursion, its coordinate, P + D H.

Constants known by their digits are independent symbols first: what vanishes then is proved for all their values.  A
network with symbolic slopes is specialised from its family: checked for a free alpha, then coefficient by coefficient.
"""

from dataclasses import replace

from sympy import Expr, Integer, Rational

from asympt.evidence.check import Check
from asympt.evidence.law_terms import is_network, number, opaque_in, rest_of
from asympt.evidence.symbolic.defect import (
    flow_time_check,
    inverse_check,
    linear_checks,
    recursion_checks,
    substitution_check,
)
from asympt.evidence.symbolic.inverse import observable_check, quotient_check
from asympt.evidence.symbolic.series import FlowTimeShift, has_formula, taylor
from asympt.evidence.symbolic.zero import Bare, Generator, is_zero


def coordinate_checks(law) -> list[Check]:
    """The expansion solves the recursion and inverts its coordinate; a law that is only a limit, less."""
    if is_network(law) and not has_formula(law):
        found = in_digits(generic(law))
        if all(check.verdict == "proved" for check in found):
            return found
    return in_digits(law)


def in_digits(law) -> list[Check]:
    """The same, constants being the numbers that they are; symbolic slopes of a network for free alpha, then at it."""
    try:
        if law.family is not None and law.parameters:
            return [specialisation_check(law), *_put_back(law.family.law)]
        if law.linear is None and law.observable is not None and not law.observable.reads_x:
            return [observable_check(law)]
        return flow_time_checks(law) if law.time is not None else _put_back(law)
    except Bare:
        return [_size_of_remainder(law)]


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


def specialisation_check(law) -> Check:
    """Every coefficient of the law, of its A and of its map against the family's at the law's alpha (and delta)."""
    family, values = law.family.law, law.family.values
    values = {symbol: value for symbol, value in values.items() if symbol in family.parameters}
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


class Generators:
    """constant -> symbol, made when first met."""

    def __init__(self, positive: set, root: int):
        self.positive, self.root, self._known = positive, root, {}

    def __call__(self, expression: Expr) -> Expr:
        """The expression with symbols for its constants."""
        constants = opaque_in(expression)
        return expression.xreplace({c: self._symbol(c) for c in constants}) if constants else expression

    def _symbol(self, constant) -> Expr:
        """A new symbol; of the multiplier, its root, of which the multiplier is a power."""
        if constant not in self._known:
            same = sum(other.name == constant.name for other in self._known)
            name = constant.name + same * "'"
            if constant in self.positive:
                self._known[constant] = Generator(name if self.root == 1 else f"mu_{name}", positive=True) ** self.root
            else:
                positive = constant.default_assumptions.get("positive")  # asking further would compute digits
                self._known[constant] = Generator(name, real=True, positive=positive)
        return self._known[constant]

    def expansion(self, expansion):
        """Coefficients, and the base of an exponential scale."""
        bases = (part for part in (expansion.scale.base, expansion.scale.second) if part is not None)
        constants = set().union(*map(opaque_in, (*bases, *(c for _, c in expansion.terms))))
        return expansion.renamed({constant: self._symbol(constant) for constant in constants})

    def dynamics(self, dynamics):
        """The series at the fixed point; the step stays as it is, in numbers."""
        linear = dynamics.linear
        if linear is not None:
            linear = replace(
                linear, multiplier=lambda count: [self(c) for c in dynamics.linear.multiplier(count)],
                forcing=lambda count: [self(c) for c in dynamics.linear.forcing(count)],
            )
        return replace(dynamics, ratio=lambda count: [self(c) for c in dynamics.ratio(count)], linear=linear)

    def fixed(self, fixed):
        return replace(fixed, point=self(fixed.point)) if fixed.reads_x else fixed

    def linear(self, solution):
        """P, H, and lambda_0 of a hyperbolic law."""
        if solution is None:
            return None
        waves = None if solution.homogeneous is None else self.expansion(solution.homogeneous)
        multiplier = None if solution.multiplier is None else self(solution.multiplier)
        parts = {"particular": self.expansion(solution.particular), "homogeneous": waves, "multiplier": multiplier}
        return replace(solution, **parts)


def generic(law):
    """The law with symbols for all its constants."""
    constants = set() if law.koenigs is None else opaque_in(law.koenigs.multiplier)
    positive = {c for c in constants if number(c) > 0}  # their logarithms occur
    found = Generators(positive, law.dynamics.root)
    changes = {"expansion": found.expansion(law.expansion), "linear": found.linear(law.linear), "family": None}
    parts = {"dynamics": found.dynamics(law.dynamics)}
    for which in ("abel", "koenigs"):
        coordinate = getattr(law, which)
        if coordinate is not None:
            parts[which] = replace(coordinate, expansion=found.expansion(coordinate.expansion))
    if law.koenigs is not None:
        parts["koenigs"] = replace(parts["koenigs"], multiplier=found(law.koenigs.multiplier))
    changes |= {name: found.fixed(part) for name in ("fixed", "observable") if (part := getattr(law, name)) is not None}
    return replace(law.changed(**parts), **changes)
