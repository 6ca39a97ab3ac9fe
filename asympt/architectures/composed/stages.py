"""The rules of the primitives for two inputs of one variance, in any number system: what a block does to (c, K).

A signal is followed in units of its own variance v: lost = 1 - c as a function of the block's own 1 - c, its derivative
`slope`, and `own`, what the weights passed so far add to the NTK: s = v (1 - lost), K = v (slope R + own), R = K/v
where the block begins.  Stages take (lost, slope, own) to their own; constants are exact:

    dense            lost <- m lost, m = sigma_w^2 v/v_new;     slope <- m slope;      own <- m own + 1 - lost_new
      own rates      own <- m own + (lambda_b + lambda_W v (1 - lost))/v_new
    phi              lost <- kernel(lost);                      slope, own <- times kernel'(lost)
    layer_norm       straight after phi: times M/(M - m^2);     elsewhere nothing changes, in these units
    affine           own <- own + c + 1;  a phi next:  own <- kernel' (own - c) + E[x phi' x' phi']/M
    dropout          lost <- 1 - p (1 - lost), slope <- p slope, own <- p own, for two different inputs
    a x + b F        means with weights 1 - w and w = b^2 v_F/(a^2 v + b^2 v_F)
    A B              lost <- A + B - A B,  slope <- slope_A (1 - B) + slope_B (1 - A),  own likewise

Tokens of one input that are mixed have a variance that depends on their 1 - c: it is v (1 - missing), lost = (q - p)/v.

    mix              missing <- missing + k (1 - lambda^2) lost, k = (T - 1)/T;     lost <- lambda^2 lost
    phi, homogeneous lost <- size kernel(lost/size), size = 1 - missing
    norms            lost <- lost/size, missing <- 0:  in all a Moebius map, 1/lost' - k = lambda^-2 (1/lost - k)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce
from itertools import zip_longest
from math import factorial
from operator import add

from mpmath import mp
from sympy import Expr, Integer, Rational, cancel, oo

from asympt.blocks import nodes
from asympt.blocks.nodes import DEPTH, LAYER, Node, parts_of
from asympt.errors import UnsupportedError
from asympt.expansions.opaque import RealConstant
from asympt.expansions.series import power
from asympt.gaussian.closed.moments import exact_moment
from asympt.gaussian.kernel import kernel_of
from asympt.gaussian.moments import moment
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.price import default_moment, price_expansion, price_numbers
from asympt.meanfield.activations import Activation
from asympt.meanfield.correlation import ReluLikeMap
from asympt.numbers import to_mpf

# ---- one activation at one variance, as every number system wants it ---------------------------------
#
# M = E[phi(sqrt(q) Z)^2].  `radial` is x phi'(x), whose kernel a norm with trained gain asks for.


STEP, SPARE = 10, 3  # digits of numeric series, rounded up so that requests share them


class VarianceMoves(Exception):
    """The map of an activation depends on a variance that is not known yet."""


@dataclass(frozen=True)
class Nonlinearity:
    """phi at the variance q."""

    phi: Activation
    q: Expr

    def __post_init__(self):
        if not self.is_scale_free and self.q.free_symbols:
            raise VarianceMoves

    @property
    def is_scale_free(self) -> bool:
        """Whether the map is the same at every q."""
        return self.phi.is_relu_like

    @cached_property
    def square(self) -> Expr:
        """M."""
        if self.is_scale_free:
            return self.phi.second_moment * self.q
        return default_moment(self.phi.piecewise, 0, self.q)

    @cached_property
    def mean(self) -> Expr:
        """m = E[phi(sqrt(q) Z)]."""
        found = exact_moment(self.phi.piecewise, self.q)
        if found is not None:
            return found
        phi, q = self.phi.piecewise, self.q
        if q.free_symbols:
            raise VarianceMoves
        return RealConstant("m", lambda: moment(phi, to_mpf(q), mp.dps), ("mean", phi, q), "m")

    @property
    def slope_at_one(self) -> Expr:
        """d(1 - kernel)/d(lost) at c = 1: q E[phi'^2]/M."""
        if self.is_scale_free:
            return Integer(1)
        if self.phi.ntk_obstacle:
            return oo
        return self.q * default_moment(self.phi.piecewise, 1, self.q) / self.square

    @property
    def has_odd_powers(self) -> bool:
        """Whether odd powers of sqrt(1 - c) occur in the kernel."""
        return not self.phi.is_smooth

    def gap(self, lost):
        """1 - kernel at 1 - c = lost, an mpmath number."""
        if not lost:
            return lost
        if self.is_scale_free:
            return self._map.gap(lost)
        return kernel_of(self.phi.piecewise).gap(to_mpf(self.q), lost) / to_mpf(self.square)

    def slope(self, lost):
        """The derivative of `gap`."""
        if not lost:
            return to_mpf(self.slope_at_one)
        if self.is_scale_free:
            return self._map.gap_slope(lost)
        q = to_mpf(self.q)
        return q * kernel_of(self.phi.piecewise).slope(q, lost) / to_mpf(self.square)

    def radial_value(self, lost):
        """E[x phi' x' phi']/M."""
        q, square = self._units
        return kernel_of(self.phi.piecewise.radial).value(q, q, 1 - lost) / square

    @property
    def _units(self) -> tuple:
        """q and M as numbers; q = 1 will do for a phi without a scale."""
        if self.is_scale_free:
            return mp.one, to_mpf(self.phi.second_moment)
        return to_mpf(self.q), to_mpf(self.square)

    @cached_property
    def _map(self) -> ReluLikeMap:
        return ReluLikeMap(self.phi.kink_weight, self.phi.linear_weight)

    def exact_series(self, order: int) -> list[Expr]:
        """The coefficients of 1 - kernel in sqrt(lost), up to that order."""
        if self.is_scale_free:
            return _coefficients(1 - self._map.expansion(order + 1), order)
        expansion = price_expansion(self.phi.piecewise, self.q, order + 1)
        found = [-c / self.square for c in _coefficients(expansion, order)]
        return [Integer(0), *found[1:]]

    def exact_radial(self, order: int) -> list[Expr]:
        """The coefficients of E[x phi' x' phi']/M in sqrt(lost)."""
        expansion = price_expansion(self.phi.piecewise.radial, self.q, order + 1)
        return [c / self.square for c in _coefficients(expansion, order)]

    def series(self, order: int) -> list:
        """The same as numbers, at mpmath's precision."""
        if self.is_scale_free:
            return [to_mpf(c) for c in _relu_like_series(self._map, order)]
        found = _numbers(self.phi.piecewise, self.q, order, STEP * -(-(mp.dps + SPARE) // STEP))
        return [mp.zero, *(-c / found[0] for c in found[1:])]

    def radial_series(self, order: int) -> list:
        """The coefficients of E[x phi' x' phi']/M as numbers."""
        digits, square = STEP * -(-(mp.dps + SPARE) // STEP), to_mpf(self.square)
        return [c / square for c in _numbers(self.phi.piecewise.radial, self.q, order, digits)]

    def taylor(self, lost, count: int, radial: bool = False) -> list:
        """Coefficients about a place with |c| < 1, as numbers: of 1 - kernel in lost, or of E[x phi' x' phi']/M."""
        if self.is_scale_free and not radial:
            return self._relu_like_taylor(lost, count)
        q, square = self._units
        kernel = kernel_of(self.phi.piecewise.radial if radial else self.phi.piecewise)
        found = [(-1) ** n * kernel.derivative(q, lost, n) / factorial(n) / square for n in range(1, count)]
        if radial:
            return [self.radial_value(lost), *found]
        return [self.gap(lost), *(-c for c in found)]

    def _relu_like_taylor(self, lost, count: int) -> list:
        """From f''(c) = rho/sqrt(1 - c^2), integrated twice."""
        c, rho = 1 - lost, to_mpf(self._map.asymmetry)
        rest = 1 - c * c
        inside = [mp.one, 2 * c / rest, -1 / rest] + [mp.zero] * count
        second = [-rho / mp.sqrt(rest) * a for a in power(inside[:count], mp.mpf(-1) / 2, count)]
        slopes = [self.slope(lost), *(a / (k + 1) for k, a in enumerate(second))]
        return [self.gap(lost), *(a / (k + 1) for k, a in enumerate(slopes))][:count]

def _coefficients(expansion, order: int) -> list[Expr]:
    known = {int(m.order): c for m, c in expansion.terms}
    return [known.get(k, Integer(0)) for k in range(order + 1)]


@lru_cache(maxsize=64)
def _relu_like_series(f: ReluLikeMap, order: int) -> list[Expr]:
    return _coefficients(1 - f.expansion(order + 1), order)


@lru_cache(maxsize=64)
def _numbers(phi: PiecewiseSmooth, q: Expr, order: int, digits: int) -> list:
    return price_numbers(phi, q, order, digits)


ONE = Integer(1)


@dataclass(frozen=True)
class PairFlow:
    """(lost, slope, own) in one number system; of tokens `missing` and its derivative, () where that is 0."""

    lost: object
    slope: object
    own: object
    missing: tuple = ()

    @classmethod
    def begun(cls, system, lost) -> "PairFlow":
        """Where a block begins."""
        return cls(lost, system.one, system.one - system.one)

    def sizes(self, system) -> tuple:
        """The variance in units of v, and its derivative."""
        missing, change = self.missing or (system.one - system.one,) * 2
        return system.one - missing, change * -1

    def normed(self, system) -> "PairFlow":
        """Every token divided by its own variance."""
        if not self.missing:
            return self
        size, change = self.sizes(system)
        lost = system.quotient(self.lost, size)
        return PairFlow(lost, system.quotient(self.slope - lost * change, size), self.own)

    def scaled(self, factor) -> tuple:
        """`missing` times a number."""
        return tuple(part * factor for part in self.missing)


@dataclass(frozen=True)
class Kept:
    """A dense: the share m of the variance comes through, and the new s is learnt.

    `learnt`: with learning rates of its own, the constant and the multiple of the old c that are learnt instead.
    """

    share: Expr
    learnt: tuple[Expr, Expr] | None = None

    def __call__(self, system, flow: PairFlow, same: bool) -> PairFlow:
        share = system.number(self.share)
        lost = flow.lost * share
        added = system.one - lost
        if self.learnt is not None:
            constant, rate = map(system.number, self.learnt)
            added = system.one * constant + (system.one - flow.lost) * rate
        return PairFlow(lost, flow.slope * share, flow.own * share + added, flow.scaled(share))


@dataclass(frozen=True)
class Bent:
    """phi; `after_gain`: straight after a norm with gain and bias."""

    phi: Nonlinearity
    after_gain: bool = False

    def __call__(self, system, flow: PairFlow, same: bool) -> PairFlow:
        if flow.missing:  # homogeneous, or it would not have been compiled
            size, change = flow.sizes(system)
            image = self(system, flow.normed(system), same)
            return PairFlow(image.lost * size, image.slope * size + image.lost * change, image.own, flow.missing)
        image, slope = system.kernel(self.phi, flow.lost)
        if not self.after_gain:
            return PairFlow(image, slope * flow.slope, slope * flow.own)
        plain = flow.own + flow.lost - system.one
        return PairFlow(image, slope * flow.slope, slope * plain + system.radial(self.phi, flow.lost))


@dataclass(frozen=True)
class Stretched:
    """A norm: everything is larger in the new units where it subtracts a mean; tokens get the variance v."""

    factor: Expr

    def __call__(self, system, flow: PairFlow, same: bool) -> PairFlow:
        factor = system.number(self.factor)
        return PairFlow(flow.lost * factor, flow.slope * factor, flow.own * factor, flow.missing).normed(system)


def gained(system, flow: PairFlow, same: bool) -> PairFlow:
    """Trained gain and bias of a norm."""
    return PairFlow(flow.lost, flow.slope, flow.own + (system.one + system.one - flow.lost), flow.missing)


@dataclass(frozen=True)
class Mingled:
    """`tokens` tokens, mixed by a matrix with this eigenvalue beside 1."""

    tokens: int
    eigenvalue: Expr

    def __call__(self, system, flow: PairFlow, same: bool) -> PairFlow:
        kept = system.number(self.eigenvalue**2)
        gone = system.number(Rational(self.tokens - 1, self.tokens) * (1 - self.eigenvalue**2))
        missing = _sums(system, flow.missing, (flow.lost * gone, flow.slope * gone))
        return PairFlow(flow.lost * kept, flow.slope * kept, flow.own, missing)


@dataclass(frozen=True)
class Masked:
    """Dropout."""

    keep: Expr

    def __call__(self, system, flow: PairFlow, same: bool) -> PairFlow:
        if same:
            return flow
        keep = system.number(self.keep)
        return PairFlow(system.one - (system.one - flow.lost) * keep, flow.slope * keep, flow.own * keep)


@dataclass(frozen=True)
class Mixed:
    """skip x + scale F(x), the branch having the share `weight` of the variance."""

    branch: tuple
    weight: Expr

    def __call__(self, system, flow: PairFlow, same: bool) -> PairFlow:
        other = through(self.branch, system, flow, same)
        return _mean(system, (flow, other), (1 - self.weight, self.weight))


@dataclass(frozen=True)
class Averaged:
    """The mean of several branches, by their shares: what branches in turn do together at small weights."""

    branches: tuple
    shares: tuple

    def __call__(self, system, flow: PairFlow, same: bool) -> PairFlow:
        return _mean(system, [through(branch, system, flow, same) for branch in self.branches], self.shares)


@dataclass(frozen=True)
class Multiplied:
    """The product of two branches."""

    one: tuple
    two: tuple

    def __call__(self, system, flow: PairFlow, same: bool) -> PairFlow:
        a, b = (through(branch, system, flow, same) for branch in (self.one, self.two))
        (left, falling), (right, sinking) = (flow.sizes(system) for flow in (a, b))
        one, two = left - a.lost, right - b.lost  # the correlations, in units of v
        lost = a.lost * right + b.lost * left - a.lost * b.lost
        slope = a.slope * two + b.slope * one + a.lost * sinking + b.lost * falling
        tokens = a.missing + b.missing
        missing = (system.one - left * right, (falling * right + left * sinking) * -1) if tokens else ()
        return PairFlow(lost, slope, a.own * two + b.own * one, missing)


def _sums(system, *parts: tuple) -> tuple:
    """One by one; what is left out is 0."""
    columns = zip_longest(*parts, fillvalue=system.one - system.one)
    return tuple(reduce(add, column) for column in columns)


def _mean(system, flows: Sequence[PairFlow], shares: Sequence[Expr]) -> PairFlow:
    """By shares that add up to 1."""
    parts = ((flow.lost, flow.slope, flow.own, *flow.missing) for flow in flows)
    weights = map(system.number, shares)
    weighted = ([part * weight for part in found] for found, weight in zip(parts, weights, strict=True))
    lost, slope, own, *missing = _sums(system, *weighted)
    return PairFlow(lost, slope, own, tuple(missing))


def through(stages: tuple, system, flow: PairFlow, same: bool = False) -> PairFlow:
    """The flow behind all stages."""
    for stage in stages:
        flow = stage(system, flow, same)
    return flow


@dataclass(frozen=True)
class Compiled:
    """The stages of a part of a block, and the variance behind it.

    `straight_after`: the activation straight behind which it ends, for a norm; `gain`: it ends in trained gain;
    `spread`: its variance depends on c, that of tokens which were mixed since the last norm.
    """

    stages: tuple
    variance: Expr
    straight_after: Nonlinearity | None = None
    gain: bool = False
    spread: bool = False

    def then(self, *stages, variance: Expr | None = None, **flags) -> "Compiled":
        """With more stages."""
        found = self.stages + stages, self.variance if variance is None else variance
        return Compiled(*found, **{"spread": self.spread, **flags})

    @property
    def closing(self) -> tuple:
        """What reads a correlation off it."""
        return (Stretched(ONE),) if self.spread else ()

    def begun(self) -> "Compiled":
        """Where a branch begins that reads it."""
        return replace(self, stages=())


def compiled(
    node: Node, variance: Expr, factor: Callable[[Expr], Expr] = lambda value: value, after: Expr | None = None
) -> Compiled:
    """The stages of a node that reads a Gaussian signal of this variance; `factor` says what a factor stands for.

    `after`: the variance behind a dense at its end, where that is known by a name.
    """
    *parts, last = parts_of(node)
    if after is None or not last.is_dense:
        return _compiled(node, Compiled((), variance), factor)
    before = reduce(lambda found, part: _behind(part, found, factor), parts, Compiled((), variance))
    return _dense(last, before, after)


def _dense(node: nodes.DenseNode, before: Compiled, following: Expr) -> Compiled:
    v = before.variance
    kept = Kept(_ratio(node.sigma_w**2 * v, following), _learnt(node, v, following))
    return before.then(kept, variance=following)


def _compiled(node: Node, before: Compiled, factor: Callable) -> Compiled:
    for part in parts_of(node):
        before = _behind(part, before, factor)
    return before


def _behind(node: Node, before: Compiled, factor: Callable) -> Compiled:
    v = before.variance
    match node:
        case nodes.DenseNode(sigma_w=sigma_w, sigma_b=sigma_b):
            return _dense(node, before, sigma_b**2 + sigma_w**2 * v)
        case nodes.ActivationNode(phi=phi):
            bent = Nonlinearity(phi, v)
            if before.spread and not bent.is_scale_free:
                raise UnsupportedError(
                    f"{node!r} reads tokens that were mixed, whose variance depends on how alike they are; put a norm "
                    "in front of it, or take a ReLU-like activation"
                )
            return before.then(Bent(bent, before.gain), variance=bent.square, straight_after=bent)
        case nodes.LayerNormNode(affine=affine) | nodes.RMSNormNode(affine=affine):
            return _normed(node, before, affine)
        case nodes.MixNode(tokens=tokens, eigenvalue=eigenvalue):
            return before.then(Mingled(tokens, eigenvalue), spread=True)
        case nodes.AttentionNode():  # random weights count up to (1 - c)^2 only, where they are 1/T
            if node.logit_variance is not None and v.free_symbols:
                raise VarianceMoves
            return _compiled(nodes.SerialNode(node.parts), before, factor)
        case nodes.DropoutNode(keep=keep):
            return before.then(Masked(keep), variance=v / keep)
        case nodes.ScaleNode(factor=value):
            return before.then(variance=factor(value) ** 2 * v)
        case nodes.ResidualNode():
            return _mixed(node, before, factor)
        case nodes.GatedNode(one=one, two=two):
            a, b = (_compiled(branch, before.begun(), factor) for branch in (one, two))
            spread = a.spread or b.spread
            return before.then(Multiplied(a.stages, b.stages), variance=a.variance * b.variance, spread=spread)
    raise UnsupportedError(refusal(node))


def _learnt(node: nodes.DenseNode, before: Expr, after: Expr) -> tuple[Expr, Expr] | None:
    """What a dense with learning rates of its own adds, in units of the new variance; None: as drawn."""
    if node.is_trained_as_drawn:
        return None
    rate, constant = node.rates
    if (rate.free_symbols | constant.free_symbols) & {LAYER, DEPTH}:
        raise UnsupportedError(
            f"{node!r}: learning rates that depend on the layer have laws for asympt.MLP alone; give the same in every "
            "layer, or ask for numbers"
        )
    return _ratio(constant, after), _ratio(rate * before, after)


def _normed(node: Node, before: Compiled, affine: bool) -> Compiled:
    stages, v = before.closing, before.variance
    if node.takes_mean and before.straight_after is not None:
        stages = (Stretched(_ratio(v, v - before.straight_after.mean**2)),)
    return before.then(*stages, *((gained,) if affine else ()), variance=ONE, gain=affine, spread=False)


def _mixed(node: nodes.ResidualNode, before: Compiled, factor: Callable) -> Compiled:
    branch = _compiled(node.branch, replace(before.begun(), straight_after=None), factor)
    skipped, added = factor(node.skip) ** 2 * before.variance, factor(node.scale) ** 2 * branch.variance
    total = skipped + added
    spread = before.spread or branch.spread
    return before.then(Mixed(branch.stages, _ratio(added, total)), variance=total, spread=spread)


def _ratio(one: Expr, other: Expr) -> Expr:
    found = one / other
    return cancel(found) if found.free_symbols else found


def refusal(node: Node) -> str:
    """Why a node has no stages."""
    if node.is_convolution:
        return (
            f"{node!r}: a composition with convolutions has a law where every layer is an activation and one circular "
            "convolution on a line of positions, layer 1 the same, with or without a skip connection; ask for kernels "
            "of inputs otherwise (asympt.depth.convolution.conv_gram) or for random networks"
        )
    if node.is_dense_connection:
        return f"{node!r}: a dense connection has a law only as the whole block of a network; take it out of its place"
    return f"{node!r} has no rule here; compose the block of the primitives of asympt.blocks"
