"""The NTK of one input of a composed network whose weights fall with the layer: R_d = K^L(x, x)/q_L.

    R_d <- R_d + w_l (o(1) - (1 - chi) R_d),      w_l = a/(l + s)

    chi = 1:    R_d = 1 + o(1) a (psi(L + 1 + s) - psi(2 + s)),
    otherwise   R_d = r + (1 - r) Gamma(L+1+s-p) Gamma(2+s)/(Gamma(L+1+s) Gamma(2+s-p)),
                r = o(1)/(1 - chi),  p = a (1 - chi).

Dense connections of growth other than 1 have a second layer of their own (w_2 = 1, `FirstWhole`): its R_d stands for
the 1 in these, and 3 for the 2.  Weights of `Adding` have no sum that is known: layer by layer, to leading order.
"""

from dataclasses import dataclass, field

from mpmath import mp, mpf
from sympy import Expr, bernoulli, exp, loggamma

from asympt.architectures.composed.form import Form
from asympt.architectures.composed.layer_steps import AddedSteps, LayerSteps
from asympt.architectures.law_parts import Identity, no_start
from asympt.architectures.relu_like import DEPTH
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.numbers import to_mpf
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.abel_inversion import SECOND
from asympt.recursions.law import Law
from asympt.recursions.protocol import FollowedLayers, Step

TERMS = 4


@dataclass(frozen=True)
class AddedDiagonal(FollowedLayers):
    """R_d of one input, layer by layer, where the weights have no sum that is known."""

    form: Form
    steps_of: AddedSteps

    most_layers = 200_000

    def steps(self, law) -> tuple[Step, ...]:
        """R_d in layer l from that of layer l - 1."""
        forcing, multiplier = self.steps_of.affine(self.form, law.depth_variable)
        return (Step("map", {"affine": forcing, "multiplier": multiplier}),)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        with mp.workdps(route.digits + 10):
            chi, own = map(to_mpf, self.form.same)
            total = mpf(1)
            for layer in range(2, depth + 1):
                total += self.steps_of.at_layer(layer) * (own + (chi - 1) * total)
            return (total,)


def _added_diagonal(form: Form, steps: AddedSteps) -> Law:
    """o(1) clock + O(1) where chi = 1; o(1)/(1 - chi), or a power of the clock's variable with a constant D."""
    (chi, own), scale = form.same, steps.scale(DEPTH)
    if form.is_critical or chi == 1:
        expansion = Expansion.build(scale, {(0, 1): own * steps.weight}, Formal(Monomial(0)))
    else:
        p, limit = steps.weight * (1 - chi), own / (1 - chi)
        leads = float(to_mpf(p)) > 0
        known, rest = ({(0, 0): limit}, Monomial(p)) if leads else ({(p, 0): SECOND}, Monomial(p + steps.settles))
        expansion = Expansion.build(scale, known, Formal(rest if leads else max(rest, Monomial(0))))
    coordinate = AddedDiagonal(form, steps)
    return Law(r"\frac{K^{L}(x,x)}{q_{L}}", expansion, no_start, "ntk diagonal", coordinate=coordinate)


def diagonal_law(form: Form, steps: LayerSteps) -> Law:
    """The law of K^L(x, x)/q_L."""
    if not steps.is_summed:
        return _added_diagonal(form, steps)
    (chi, own), a, s = form.same, steps.weight, steps.shift
    scale = Scale.at_infinity(DEPTH)
    if form.is_critical or chi == 1:
        terms = {(0, 1): own * a, (0, 0): steps.settled(form)}
        for n in range(1, TERMS):
            terms[(n, 0)] = sum(b * (-1) ** (n + 1) * bernoulli(n, s + d) / n for b, d in steps.sums(form))
        expansion = Expansion.build(scale, terms, Formal(Monomial(TERMS)))
    else:
        limit, p = own / (1 - chi), a * (1 - chi)
        before, first = steps.begun(form)
        moving = (before - limit) * exp(loggamma(first + s) - loggamma(first + s - p))
        terms = {k: c for k, c in {(0, 0): limit, (p, 0): moving}.items() if c != 0}
        expansion = Expansion.build(scale, terms, Formal(Monomial(p + 1)))
    coordinate = ComposedDiagonal(steps.diagonal(form, DEPTH), DEPTH, form=form, steps_of=steps)
    return Law(r"\frac{K^{L}(x,x)}{q_{L}}", expansion, no_start, "ntk diagonal", coordinate=coordinate)


@dataclass(frozen=True)
class ComposedDiagonal(Identity):
    """R_d of one input at every depth."""

    form: Form = field(kw_only=True)
    steps_of: LayerSteps = field(kw_only=True)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        return (mpf(1),) if depth == 1 else super().to_layer(start, depth, route, crossing)

    def steps(self, law) -> tuple[Step, ...]:
        """R_d in layer l from that of layer l - 1."""
        forcing, multiplier = self.steps_of.affine(self.form, law.depth_variable)
        return (Step("map", {"affine": forcing, "multiplier": multiplier}),)
