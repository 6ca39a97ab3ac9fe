"""Branches that push c away from 1 (g'(1) > 1, or a dropout), with weights w_l = a/(l + s) or 1/(l log l) that fall.

dc/dT = g(c) - c has the zero c* < 1, where its slope is -(1 - chi*), chi* = g'(c*), and T = a log x + constant,
x = l (log l for 1/(l log l)).  So

    c^l = c* + D x^(-p) + O(x^(-2p)),   p = a (1 - chi*),       K^L/q_L = o(c*)/(1 - chi*) + O(x^(-p) log x),

and where o(c*) = 0 (c* = 0 and no biases): K^L/q_L = a o'(c*) D x^(-p) log x + O(x^(-p)), as dK/dT = o - (1 - g') K.
Where single layers matter more, O(x^(-p-1)), that is the remainder.  D has no formula; numbers come from the layers.
"""

from dataclasses import dataclass

from mpmath import mp
from sympy import Expr

from asympt.architectures.composed.flow import GROWN, by_layers
from asympt.architectures.composed.form import Form, FormInside
from asympt.architectures.composed.layer_steps import LayerSteps
from asympt.architectures.law_parts import read_start
from asympt.architectures.relu_like import DEPTH, LAYER
from asympt.expansions import Expansion, Formal, Monomial
from asympt.numbers import to_mpf
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.abel_inversion import SECOND
from asympt.recursions.law import Law
from asympt.recursions.protocol import FollowedLayers, Step

MOST_LAYERS = 20_000


@dataclass(frozen=True)
class Leaving(FollowedLayers):
    """The layers of a composed network, one by one; a start is the gap.

    `series`: g and o about c*; `weights`: w_l.
    """

    form: Form
    weights: LayerSteps
    with_ntk: bool

    most_layers = MOST_LAYERS
    says_limit_and_power = True
    unproved = "there is no theorem yet about steps that fall while c leaves 1 for a limit c* < 1"

    @property
    def series(self) -> FormInside:
        """g and o about c*."""
        return FormInside(self.form)

    @property
    def power(self) -> Expr:
        """p."""
        return self.weights.weight * (1 - self.series.slope(1)[0])

    def steps(self, law) -> tuple[Step, ...]:
        """The drift g - c and its zero, with the slope there and the clock."""
        clock = self.weights.variable(law.depth_variable)
        found = {"leaving": 1 - self.series.fixed_gap, "exponent": self.power, "clock": clock}
        return (Step("map", {**found, "factor": self.weights.weight}),)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        with mp.workdps(route.digits + 5):
            return by_layers(self.form, self.weights, start, depth)[: 1 + self.with_ntk]


def correlation_law(form: Form, steps: LayerSteps, terms: int) -> Law:
    """The law of 1 - c^l: the limit, the power and its remainder, however many terms are asked."""
    coordinate = Leaving(form, steps, False)
    p = coordinate.power
    known = {(0, 0): coordinate.series.fixed_gap, (p, 0): -SECOND}
    later = min(2 * p, p + steps.settles, key=lambda value: float(to_mpf(value)))
    rest = Monomial(later) if terms > 1 else Monomial(p)
    expansion = Expansion.build(steps.scale(LAYER), dict(list(known.items())[:terms]), Formal(rest))
    return Law("1-c^{l}", expansion, read_start, "correlation", coordinate=coordinate)


def ntk_law(form: Form, steps: LayerSteps, terms: int) -> Law:
    """The law of K^L(x, x')/q_L to leading order."""
    coordinate = Leaving(form, steps, True)
    p, (own, slope) = coordinate.power, coordinate.series.own(2)
    if own == 0:
        known, rest = {(p, 1): -steps.weight * slope * SECOND}, Monomial(p)
    else:
        single = steps.single and float(to_mpf(p)) > 1
        known = {(0, 0): own / (1 - coordinate.series.slope(1)[0])}
        rest = Monomial(1) if single else Monomial(p, 1)
    expansion = Expansion.build(steps.scale(DEPTH), known, Formal(rest))
    return Law(GROWN, expansion, read_start, "ntk", coordinate=coordinate)
