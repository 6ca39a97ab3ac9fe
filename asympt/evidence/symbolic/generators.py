"""A law with a symbol in the place of every constant that is known by its digits only.

The identities behind a law hold whatever the numbers are: y' = y - f y^2/2 has 1 - c^l = 2/(f l) + ... for every f.
"""

from dataclasses import replace

from sympy import Expr

from asympt.evidence.law_terms import number, opaque_in, rest_of
from asympt.evidence.symbolic.zero import Generator


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

    # ---- the parts of a law ---------------------------------------------------------------------

    def expansion(self, expansion):
        """Coefficients, and the base of an exponential scale."""
        scale = expansion.scale
        if scale.base is not None:
            second = None if scale.second is None else self(scale.second)
            scale = replace(scale, base=self(scale.base), second=second)
        terms = tuple((m, self(c)) for m, c in expansion.terms)
        return replace(expansion, scale=scale, terms=terms)

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
        """The fixed point."""
        return replace(fixed, point=self(fixed.point)) if fixed.reads_x else fixed

    def linear(self, solution):
        """P, H, and lambda_0 of a hyperbolic law."""
        if solution is None:
            return None
        waves = None if solution.homogeneous is None else self.expansion(solution.homogeneous)
        changed = replace(solution, particular=self.expansion(solution.particular), homogeneous=waves)
        return replace(changed, multiplier=self(solution.multiplier)) if hasattr(solution, "multiplier") else changed


def generic(law):
    """The law with symbols for all its constants."""
    found = Generators(_positive_in(law), law.dynamics.root)
    changes = {
        "expansion": found.expansion(law.expansion), "linear": found.linear(law.linear), "flow_source": None,
    }  # fmt: skip
    parts = {"dynamics": found.dynamics(law.dynamics)}
    if law.flow_source is not None:
        changes["flow_source"] = lambda: found.expansion(_as_far_as_needed(law))
    for which in ("abel", "koenigs"):
        coordinate = getattr(law, which)
        if coordinate is not None:
            parts[which] = replace(coordinate, expansion=found.expansion(coordinate.expansion))
    if law.koenigs is not None:
        parts["koenigs"] = replace(parts["koenigs"], multiplier=found(law.koenigs.multiplier))
    if law.fixed is not None:
        changes["fixed"] = found.fixed(law.fixed)
    if law.observable is not None:
        changes["observable"] = found.fixed(law.observable)
    return replace(law.changed(**parts), **changes)


def _as_far_as_needed(law):
    """The flow of an exponential law without the terms that are smaller than chi^n times the law's remainder.

    lambda and P are series in t = y^(1/root), known to the relative precision of y.
    """
    flow = law.flow
    if law.koenigs is None:
        return flow
    kept = tuple(term for term in flow.terms if term[0].order <= rest_of(law.expansion).order + 1)
    if len(kept) == len(flow.terms):
        return flow
    rest = replace(flow.remainder, monomial=flow.terms[len(kept)][0])
    return replace(flow, terms=kept, remainder=rest)


def _positive_in(law) -> set:
    """The constants of the multiplier that are positive: their logarithms occur."""
    constants = set() if law.koenigs is None else opaque_in(law.koenigs.multiplier)
    return {c for c in constants if number(c) > 0}
