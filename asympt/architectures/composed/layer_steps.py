"""The weights w_l of the layers of a composed network as step sizes, and what its laws ask of them.

Problem.  A law along the flow time asks for the weights in one layer, the clock that adds them up, and the sum R_d of
one input.  Weights a/(l + s) in every layer, with another one in layer 2, of several branches in turn, or those of
blocks whose factors depend on the layer (`adding`) answer differently.

Rule.  One class of steps each.  Where g'(1) = 1, R_d <- R_d + w_l o(1) adds up to

    R_d = before + sum of b (psi(L + s + d) - psi(first - 1 + s + d)),

from the step `first` on, the pairs (b, d) being (o(1) a, 1), or one pair for each of several branches.

Tiny case.  w_l = 1/(l + 1), o(1) = 1: R_d = 1 + psi(L + 2) - psi(3).

Known limits.  Harmonic weights, and those of `adding`, for which R_d has no formula.
"""

from dataclasses import dataclass
from types import MappingProxyType

from mpmath import mpf
from sympy import Expr, Integer, Symbol

from asympt.architectures.composed.form import Form
from asympt.expansions import Scale
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.flow_time.step_sizes import Steps

ONE = Integer(1)


@dataclass(frozen=True)
class LayerSteps(Steps):
    """w_l = a/(l + s) in every layer."""

    has_own_weights = False  # the layers' are what the steps say only up to terms that the clock accounts for
    settles = ONE  # the power of 1/`variable` with which the clock comes to a log(variable)
    single = True  # a layer's own O(1/l) may come before the square of what falls slowly
    others = MappingProxyType({})  # {layer: w} where it is another one; None where no formula holds
    is_summed = True  # R_d has a formula

    def variable(self, depth: Symbol) -> Expr:
        """Of what the clock is the logarithm, to leading order."""
        return depth

    def scale(self, depth: Symbol) -> Scale:
        """Powers of `variable`."""
        return Scale.at_infinity(self.variable(depth))

    def weights(self, form: Form, v) -> list[tuple]:
        """(form, w) of each branch in the block that produces v = l + s."""
        return [(form, self.size(v))]

    def of_layer(self, form: Form, layer: int) -> list[tuple]:
        """(form, w) of each branch in the block that produces a layer."""
        return [(form, self.at_layer(layer))]

    # ---- one input ----------------------------------------------------------------------------------

    def begun(self, form: Form) -> tuple[Expr, int]:
        """R_d in the layer before the first step that is like all later ones, and the number of that step."""
        return ONE, 2

    def sums(self, form: Form) -> list[tuple[Expr, Expr]]:
        """(b, d) (see the module)."""
        return [(form.same[1] * self.weight, ONE)]

    def affine(self, form: Form, layer: Symbol) -> tuple[Expr, Expr]:
        """(forcing, multiplier) of R_d from layer l - 1 to l."""
        (chi, own), weight = form.same, self.formula(layer)
        return weight * own, 1 + weight * (chi - 1)


@dataclass(frozen=True)
class FirstWhole(LayerSteps):
    """Step sizes of which the first one, at layer 2, is 1."""

    others = MappingProxyType({2: ONE})

    def at_layer(self, layer: int):
        """w_l."""
        return mpf(1) if layer == 2 else super().at_layer(layer)

    def begun(self, form: Form) -> tuple[Expr, int]:
        """R_d = chi + o(1) in layer 2."""
        chi, own = form.same
        return (ONE if form.is_critical else chi) + own, 3


@dataclass(frozen=True)
class OwnSteps(LayerSteps):
    """Those whose layers have weights of their own."""

    has_own_weights = True
    others = None

    def of_layer(self, form: Form, layer: int) -> list[tuple]:
        """(form, w) of each branch in the block that produces a layer."""
        return self.weights(form, layer + to_mpf(self.shift))


@dataclass(frozen=True)
class InTurn(OwnSteps):
    """The weights of several branches in turn: w_i = share_i a/(v - 1 + share_1 + ... + share_i), v = l + s.

    `parts`: (form, share, sum of the shares up to it) of each; `weight`, `shift`: of all of them together.
    """

    parts: tuple[tuple[Form, Expr, Expr], ...] = ()

    @classmethod
    def of(cls, steps: Steps, sequence: tuple) -> "InTurn":
        """From the normal form's branches and shares."""
        found, total = [], Integer(0)
        for form, share in sequence:
            total += share
            found.append((form, share, total))
        return cls(steps.weight, steps.exponent, steps.shift, tuple(found))

    def weights(self, form: Form, v) -> list[tuple]:
        """(form, w) of each branch in the block that produces v."""
        return [(part, to_mpf(share) / (v - 1 + to_mpf(so_far))) for part, share, so_far in self.parts]

    def sums(self, form: Form) -> list[tuple[Expr, Expr]]:
        """(b, d) of each branch."""
        return [(part.same[1] * share, so_far) for part, share, so_far in self.parts]

    def affine(self, form: Form, layer: Symbol) -> tuple[Expr, Expr]:
        """(forcing, multiplier) of R_d; g'(1) = 1 of every branch."""
        return sum(b / (layer - 1 + self.shift + d) for b, d in self.sums(form)), ONE
