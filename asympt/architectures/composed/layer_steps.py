"""The weights w_l of the layers of a composed network as step sizes, and what its laws ask of them.

One class of steps each for a/(l + s) in every layer, with another one in layer 2, of several branches in turn, and of
blocks whose factors depend on the layer (`Adding`).  Where g'(1) = 1, R_d <- R_d + w_l o(1) adds up to

    R_d = before + sum of b (psi(L + s + d) - psi(first - 1 + s + d)),

from the step `first` on, the pairs (b, d) being (o(1) a, 1), or one pair for each of several branches.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import MappingProxyType

import sympy
from mpmath import mp, mpf
from sympy import Dummy, Expr, Integer, Sum, Symbol, digamma, exp, factor, limit, log, loggamma, oo, simplify

from asympt.architectures.composed.form import Form
from asympt.architectures.relu_like import DEPTH
from asympt.blocks.nodes import LAYER
from asympt.errors import UnsupportedError
from asympt.expansions import Scale
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.flow_time.step_sizes import Steps, power_of_layer
from asympt.recursions.fixed_point import numeric

ONE = Integer(1)
WRITTEN_OUT = 4  # the largest denominator of a digamma that is written out


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

    def diagonal(self, form: Form, depth: Expr) -> Expr:
        """R_d in layer `depth`."""
        (chi, own), a, s, (before, first) = form.same, self.weight, self.shift, self.begun(form)
        if form.is_critical or chi == 1:
            sums = self.sums(form)
            return before + sum(b * (digamma(depth + s + d) - digamma(first - 1 + s + d)) for b, d in sums)
        limit, p = own / (1 - chi), a * (1 - chi)
        return limit + (before - limit) * exp(
            loggamma(depth + 1 + s - p) - loggamma(depth + 1 + s) + loggamma(first + s) - loggamma(first + s - p)
        )

    def diagonal_at(self, form: Form, depth: int, digits: int):
        """R_d as a number."""
        if depth == 1:
            return mpf(1)
        with mp.workdps(digits + 10 + len(str(depth))):
            return _diagonal_numbers(self, form)(mpf(depth))

    def settled(self, form: Form) -> Expr:
        """The constant in R_d = o(1) a log L + constant + O(1/L)."""
        before, first = self.begun(form)
        return before - sum((b * written_psi(first - 1 + self.shift + d)).expand() for b, d in self.sums(form))


@lru_cache(maxsize=64)
def _diagonal_numbers(steps: LayerSteps, form: Form) -> Callable:
    """R_d of a number: with a number in it SymPy would add up its 10^6 fractions exactly."""
    return numeric(steps.diagonal(form, DEPTH), DEPTH)


def written_psi(x: Expr) -> Expr:
    """The digamma function, written out where that is short: of p/q it has about q terms."""
    found = sympy.polygamma(0, x)
    return found.expand(func=True) if x.is_Rational and x.q <= WRITTEN_OUT else found


@dataclass(frozen=True)
class FirstWhole(LayerSteps):
    """Step sizes of which the first one, at layer 2, is 1."""

    others = MappingProxyType({2: ONE})

    def at_layer(self, layer: int):
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
        return [(part, to_mpf(share) / (v - 1 + to_mpf(so_far))) for part, share, so_far in self.parts]

    def sums(self, form: Form) -> list[tuple[Expr, Expr]]:
        return [(part.same[1] * share, so_far) for part, share, so_far in self.parts]

    def affine(self, form: Form, layer: Symbol) -> tuple[Expr, Expr]:
        """(forcing, multiplier) of R_d; g'(1) = 1 of every branch."""
        return sum(b / (layer - 1 + self.shift + d) for b, d in self.sums(form)), ONE


# ---- pre-norm blocks whose factors depend on the layer -------------------------------------------------
#
# With a_l^2 = ((l + s - 1)/(l + s))^alpha and b_l^2 v a power, divide q_l by what the skip connections alone leave
# of it: factors of the whole state do not move c.  Then
#
#     U_l = q_1 + b sum_(k=2)^l (k + s)^(-kappa),       w_l = b (l + s)^(-kappa)/U_l,        T_L = log(U_L/q_1) + O(1),
#
# and the kind of law follows from how U_l grows:
#
#     kappa      U_l                T_l              1 - c^l, g'(1) = 1    g'(1) < 1
#     < 1        l^(1 - kappa)      (1-kappa) log l  log(l)^(-2)           l^(-(1 - kappa)(1 - chi))
#     1          log l              log log l        log(log(l))^(-2)      log(l)^(-(1 - chi))
#     > 1        bounded            bounded          a limit that depends on c^1: no law
#
# The layers have their own w_l; the clock is one that can be inverted and comes to sum w_l + constant like 1/l:
#
#     clock(v) = log((v + 1/2)^(1-kappa) + K),          K = (1 - kappa) (q_1/b + zeta(kappa, 2 + s)),
#     kappa = 1: clock(v) = log(log(v + 1/2) + K),      K = q_1/b - psi(2 + s).


HALF = mpf(1) / 2


@dataclass(frozen=True)
class Adding:
    """U_l = first + rate sum_(k=2)^l (k + shift)^(-kappa), and q_l = U_l times `kept`, an expression in LAYER."""

    first: Expr
    rate: Expr
    kappa: Expr
    shift: Expr
    kept: Expr

    @property
    def variance(self) -> Expr:
        """q_l."""
        index = Symbol("k", integer=True, positive=True)
        if self.shift == 0 and not (self.kappa.is_Integer and self.kappa <= 0):
            total = sympy.harmonic(LAYER, self.kappa) - 1
        else:
            total = Sum((index + self.shift) ** -self.kappa, (index, 2, LAYER)).doit()
        return self.kept * (self.first + self.rate * total)

    @property
    def weight(self) -> Expr:
        """w_l."""
        return self.kept * self.rate * (LAYER + self.shift) ** -self.kappa / self.variance

    @property
    def steps(self) -> "AddedSteps":
        """The step sizes; `UnsupportedError` where they have a finite sum."""
        if self.kappa > 1:
            raise UnsupportedError(
                f"what the branches add to the variance, {self.rate}*(l + {self.shift})^(-{self.kappa}) in layer l, "
                "has a finite sum, so 1 - c^l tends to a number that depends on c^1: there is no law in the depth; let "
                "the branches fall more slowly, or ask for numbers at a depth (pair)"
            )
        weight = Integer(1) if self.kappa == 1 else 1 - self.kappa
        return AddedSteps(weight, Integer(1), self.shift, self)


def adding_of(block: object, growth: Expr, added: Expr, first: Expr) -> Adding:
    """From a_l^2, b_l^2 v and q_1; `UnsupportedError` where no law follows."""
    alpha, shift = _kept_power(block, growth)
    kept = Integer(1) if alpha == 0 else ((2 + shift - 1) / (LAYER + shift)) ** alpha
    own = simplify(added / kept)
    found = power_of_layer(own, LAYER)
    if found is None or not found[1].is_Rational or not found[2].is_number or not found[2] > -2:
        raise UnsupportedError(
            f"{block!r}: the branch adds {own} to the variance of layer l, in units of what skip connections leave "
            "of it; laws are derived for powers (l + s)^(-kappa), kappa a fraction; take such, or ask for numbers"
        )
    return Adding(first, *found, kept)


def _kept_power(block: object, growth: Expr) -> tuple[Expr, Expr]:
    """(alpha, s) of a_l^2 = ((l + s - 1)/(l + s))^alpha."""
    if growth == 1:
        return Integer(0), Integer(0)
    if LAYER in growth.free_symbols:
        alpha = limit(LAYER * (1 - growth), LAYER, oo)
        if alpha.is_number and alpha.is_finite and alpha != 0:
            after = Dummy(positive=True)  # l - 1
            base = factor(growth.subs(LAYER, 1 + after)) ** (1 / alpha)
            shift = simplify(1 / (1 - base) - 1 - after)
            if after not in shift.free_symbols:
                return alpha, shift
    raise UnsupportedError(
        f"{block!r}: the skip connections multiply the variance of layer l by {growth}; laws are derived where that is "
        "((l + s - 1)/(l + s))^alpha, or where q_l stays q_1; take skip = 1, or ask for numbers"
    )


@dataclass(frozen=True)
class AddedSteps(OwnSteps):
    """w_l, and a clock that comes to their sum, but for a constant, like 1/l.

    `weight` is the factor of log l, or of log log l, in the clock.
    """

    adding: Adding = field(default=None, kw_only=False)

    is_summed = False

    @property
    def parameters(self) -> set:
        return self.adding.first.free_symbols | self.adding.rate.free_symbols | self.adding.shift.free_symbols

    def variable(self, depth: Symbol) -> Expr:
        """Of what the clock is the logarithm, to leading order: the depth, or its logarithm."""
        return log(depth) if self.adding.kappa == 1 else depth

    @property
    def settles(self) -> Expr:
        """The power of 1/`variable` with which the clock comes to weight log(variable)."""
        return Integer(1) if self.adding.kappa == 1 else min(Integer(1), 1 - self.adding.kappa)

    @property
    def single(self) -> bool:
        """No power of log l falls as fast as 1/l."""
        return self.adding.kappa != 1

    def formula(self, layer: Symbol) -> Expr:
        return self.adding.weight.subs(LAYER, layer)

    def at_layer(self, layer: int):
        return self.share(layer + to_mpf(self.shift))

    def weights(self, form: Form, v) -> list[tuple]:
        return [(form, self.share(v))]

    def share(self, v):
        """w at real v, q being the smooth sum."""
        rate = to_mpf(self.adding.rate)
        added = rate * v ** -to_mpf(self.adding.kappa)
        place, total = self._last
        total = total + added if place == (v - 1, mp.prec) else to_mpf(self.adding.first) + rate * self._sum(v)
        self._last[:] = (v, mp.prec), total
        return added / total

    @cached_property
    def _last(self) -> list:
        return [None, None]

    def _sum(self, v):
        """sum_(k=2)^l (k + s)^(-kappa)."""
        kappa, first = self.adding.kappa, 2 + to_mpf(self.shift)
        if kappa == 1:
            return mp.digamma(v + 1) - mp.digamma(first)
        return mp.zeta(to_mpf(kappa), first) - mp.zeta(to_mpf(kappa), v + 1)

    @property
    def _constant(self):
        kappa, first = self.adding.kappa, 2 + to_mpf(self.shift)
        start = to_mpf(self.adding.first) / to_mpf(self.adding.rate)
        if kappa == 1:
            return start - mp.digamma(first)
        return to_mpf(1 - kappa) * (start + mp.zeta(to_mpf(kappa), first))

    def size(self, v):
        """The derivative of the clock."""
        kappa, middle = to_mpf(self.adding.kappa), v + HALF
        if self.adding.kappa == 1:
            return 1 / (middle * (mp.log(middle) + self._constant))
        return (1 - kappa) * middle**-kappa / (middle ** (1 - kappa) + self._constant)

    def clock(self, v):
        kappa, middle = to_mpf(self.adding.kappa), v + HALF
        grown = mp.log(middle) if self.adding.kappa == 1 else middle ** (1 - kappa)
        return mp.log(grown + self._constant)

    def at(self, time):
        grown = mp.exp(time) - self._constant
        return (mp.exp(grown) if self.adding.kappa == 1 else grown ** (1 / to_mpf(1 - self.adding.kappa))) - HALF
