"""Shaped activations: leaky ReLU of which the correlation, and smooth ones of which C'(1), after a depth is given.

On the Edge of Chaos without bias c' = c + h f(c), f(c) = sqrt(1 - c^2) - c arccos(c), and pi h = (1 - alpha)^2/(1 +
alpha^2) for slopes 1 and alpha (J. Martens et al., arXiv:2110.01765; G. Zhang et al., arXiv:2203.08120, "tailored
activation transformations").  For 0 <= alpha <= 1 a step is monotone in c and in h, so the slope is unique; h is found
by bisection with secants in the recursion itself.  At large depths L h = T_0 + h T_1 + h^2 T_2 + ..., T_j what the flow
times of one step (`flow_time.small_steps`) grow by from the start to the target: T_0 = int dc/f, T_1 = log(f)/2.

Deep kernel shaping (arXiv:2110.01765, section 5) takes gamma (phi(alpha z + beta) + delta) with Q(1) = Q'(1) = 1 and
C(0) = 0 in every layer, and C'(1) = zeta of the network.  With m and v the mean and variance of phi(alpha Z + beta),
delta = -m, gamma^2 = 1/v; alpha and beta follow, by Newton's method, from

    alpha E[Z (phi - m) phi'] = v,      alpha^2 E[phi'^2] = s v,      s the slope C'(1) of one layer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import mpmath
from mpmath import mp, mpf
from sympy import Expr, Rational, log, pi

from asympt.balls.arithmetic import midpoint, of_mpf, working
from asympt.deadline import check_time, in_budget, limited
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.opaque import RealConstant
from asympt.expansions.series import power
from asympt.gaussian.closed.arccosine import C, angle_integral, half_angle, lune
from asympt.gaussian.quadrature.profile import ball_rule, ball_side, density, mapped, panels
from asympt.gaussian.quadrature.trapezoid import reach_of
from asympt.meanfield.activations import Activation
from asympt.meanfield.activations import activation as read_activation
from asympt.numbers import check_depth, check_digits, check_terms, exact, to_mpf
from asympt.recursions.agreement import GUARD, Route, agreed
from asympt.recursions.coordinates.flow_time import small_steps
from asympt.recursions.law import Law, no_start
from asympt.recursions.protocol import FollowedLayers
from asympt.spelling import printing
from asympt.symbols import Reserved

Layers = list[tuple[int, dict[int, object]]]
LONGEST = 10**5  # layers
DEPTH = Reserved("L", positive=True)
STARTS = ((0.3, 0.5), (0.3, -0.5), (1, 1), (1, -1))  # (alpha, beta) from which Newton's method begins
COARSE, NEWTONS, FARTHEST = 10, 40, 0.5  # digits of the first solution; steps of the method, and how long they may be
BEYOND, PER_UNIT, SPARE = 4, 1, 32  # how far the integrals go behind the density; panels a unit; bits


class KernelShape(NamedTuple):
    """gamma (phi(alpha z + beta) + delta) of deep kernel shaping: its scales and shifts, and C'(1) of one layer."""

    input_scale: mpf
    input_shift: mpf
    output_scale: mpf
    output_shift: mpf
    slope: mpf


def shape(activation, depth, start=None, target=None, digits: int | None = None, terms: int | None = None, slope=None):
    """The slope alpha of leaky ReLU in [0, 1) for which the correlation `start` becomes `target` after `depth` layers.

    Parameters
    ----------
    activation : "leaky_relu", or, with `slope`, any activation that is not ReLU-like.
    depth : a number of layers, or, for residual networks, pairs (how many, {k: weight}) of blocks c' = sum of weight
        times k layers of c, the weights adding up to 1: (29, {0: "9/25", 3: "16/25"}) for 29 blocks of three layers
        with a shortcut of weight 3/5.  `asympt.blocks.DEPTH` gives the law of the slope at large depths L instead.
    start, target : correlations, -1 <= start < target < 1; 0 and 9/10 where they are left out.
    digits : significant digits (20) of the slope, on which two precisions agree.
    terms : how many (4) the law at large depths has.
    slope : C'(1) > 1 of the whole network.  The answer is then a `KernelShape` (alpha, beta, gamma, delta, C'(1) of a
        layer): with gamma (phi(alpha z + beta) + delta) in every layer q = 1 stays, Q'(1) = 1 and C(0) = 0.

    Raises `InputError` with the range of targets that can be reached, `UnsupportedError` where there is no shape.

    >>> print(shape("leaky_relu", depth=50, start=0, target="9/10"))
    0.43052294850240268634
    >>> law = shape("leaky_relu", depth=DEPTH, start=0, target="9/10", terms=3)
    >>> print(law)
    1 - sqrt(2)*sqrt(pi)*sqrt(T_0)/sqrt(L) + pi*T_0/L + O(1/L^(3/2))
    >>> print(law.evaluate(depth=50, digits=15), law.coefficient("1/sqrt(L)", digits=20))
    0.430522948502403 -5.3232299432475538486
    >>> print(*shape("tanh", depth=50, slope="3/2", digits=8))
    0.12844048 0.57077955 10.604448 -0.50980724 1.0081423
    """
    is_law = isinstance(depth, Expr) and depth == DEPTH
    if not is_law or slope is not None:
        _require_left_out("the law at depth = DEPTH", terms=terms)
    figures = check_digits(20 if digits is None else digits)
    if slope is not None:
        _require_left_out("the slope of leaky ReLU, fitted where slope is left out", start=start, target=target)
        found = _shaped(read_activation(activation), _layers(depth), exact(slope, "slope"), figures)
        return printing(found, figures)
    if activation not in ("leaky_relu", read_activation("leaky_relu")):
        raise UnsupportedError(
            f"activation = {activation!r}: a correlation is fitted by the slope of leaky ReLU alone; give 'leaky_relu' "
            "or slope=, the C'(1) of the network to which scales and shifts are fitted"
        )
    start, target = exact(0 if start is None else start, "start"), exact("9/10" if target is None else target, "target")
    if not (start.is_number and target.is_number and -1 <= start < target < 1):
        raise InputError(f"start = {start}, target = {target}: give correlations with -1 <= start < target < 1")
    if is_law:
        _require_left_out("the slope at a number of layers", digits=digits)
        with limited("deriving the law of the slope"):
            return _law(start, target, check_terms(4 if terms is None else terms))
    layers = _layers(depth)
    with limited("fitting the slope"):
        found = agreed(lambda more: [_slope(layers, start, target, figures + more + also) for also in (0, GUARD)],
                       figures, "two precisions")  # fmt: skip
    return printing(found, figures)


def _require_left_out(of: str, **given) -> None:
    """What belongs to another question is no part of this one."""
    for name, value in given.items():
        if value is not None:
            raise InputError(f"{name} = {value} is of {of}; leave it out")


def _layers(depth) -> Layers:
    """Blocks as they are given, of their number alone: plain layers."""
    if isinstance(depth, str) or not isinstance(depth, Sequence):
        blocks = [(check_depth(depth), {1: exact(1)})]
    elif any(not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[1], dict) for pair in depth):
        raise InputError(f"depth = {depth}: give a number of layers, or pairs such as (29, {{0: '9/25', 3: '16/25'}})")
    else:
        blocks = [(check_depth(n), {k: exact(w, "a weight") for k, w in weights.items()}) for n, weights in depth]
    for _, weights in blocks:
        layers = all(isinstance(k, int) and k >= 0 for k in weights)
        if not layers or sum(weights.values()) != 1 or not all(w.is_nonnegative for w in weights.values()):
            raise InputError(f"weights = {weights}: give weights of 0 or more that add up to 1, by numbers of layers")
    if sum(count * max(weights) for count, weights in blocks) > LONGEST:
        raise InputError(f"depth = {depth} has more than {LONGEST} layers; give fewer")
    return blocks


def _slope(layers: Layers, start: Expr, target: Expr, digits: int):
    """alpha to so many digits, by as many more as 1 - target needs."""
    with mp.workdps(digits + GUARD - int(mp.log10(to_mpf(1 - target)))):
        return _root(layers, to_mpf(start), to_mpf(target))


def _root(layers: Layers, start, target):
    """alpha at mpmath's precision."""

    def missing(h):  # nearly linear in h, as the flow time near 1 is
        return 1 / mp.acos(after(layers, start, h)) - 1 / mp.acos(target)

    most = 1 / mp.pi
    if missing(most) < 0:
        figures = max(8, 2 - int(mp.log10(1 - target)))
        wanted, begun, reached = (mpmath.nstr(c, figures) for c in (target, start, after(layers, start, most)))
        raise InputError(
            f"target = {wanted} cannot be reached from start = {begun}: slopes from 1 to 0 give {begun} to {reached}; "
            "give a target between, or more layers"
        )
    h = mp.findroot(missing, (mp.zero, most), solver="anderson", tol=8 * mp.eps, maxsteps=500, verify=False)
    lost = 1 - mp.pi * h  # 2 alpha/(1 + alpha^2)
    return lost / (1 + mp.sqrt((1 - lost) * (1 + lost)))


def after(layers: Layers, c, h):
    """The correlation behind all layers; h is 1/pi for ReLU, 0 for the identity."""
    for count, weights in layers:
        known = {k: to_mpf(w) for k, w in weights.items() if w}
        for _ in range(count):
            check_time()
            moved, mixed = c, known.get(0, mp.zero) * c
            for k in range(1, max(known) + 1):
                moved = moved + h * (mp.sqrt((1 - moved) * (1 + moved)) - moved * mp.acos(moved))
                mixed += known.get(k, 0) * moved
            c = mixed
    return c


@dataclass(frozen=True)
class FittedSlopes(FollowedLayers):
    """The slope for every depth, by the layers."""

    start: Expr
    target: Expr

    kind, evidence = "fitted", "depthwise"
    most_layers = LONGEST
    unproved = "there is no theorem yet about slopes fitted to a correlation"
    undrawn = "no slope reaches the target in a shallow network; ask for numbers (evaluate)"
    network, flows = None, False

    @property
    def steps_of_depth(self) -> "FittedSlopes":
        """What follows the layers."""
        return self

    def followed(self, depth: int) -> tuple:
        """(slope,) at mpmath's precision."""
        return (_slope(_layers(depth), self.start, self.target, mp.dps),)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        """The slope of the network with so many layers."""
        with mp.workdps(route.digits):
            return self.followed(depth)


def _law(start: Expr, target: Expr, terms: int) -> Law:
    """1 - sqrt(2 pi T_0/L) + ..., from h = (T_0 + h T_1 + h^2 T_2 + ...)/L."""
    if start == -1:
        raise UnsupportedError("start = -1: the map is not smooth there, so there is no law; give -1 < start < target")
    count, scale = max(1, terms // 2), Scale.at_infinity(DEPTH)
    step = Expansion.build(scale, {}, Formal(Monomial(1)))
    for _ in range(count):  # every round knows another power of 1/L
        total = Expansion.build(scale, {}, Formal(Monomial(0)))
        for k in reversed(range(count)):
            total = total * step + _passed(start, target, k)
        step = total / Expansion.variable(scale)
    moved = pi * step
    slope = (1 - moved) / (1 + (moved * (2 - moved)) ** Rational(1, 2))
    return Law(r"\alpha_{L}", slope.truncate(terms), no_start, "slope", coordinate=FittedSlopes(start, target))


def _passed(start: Expr, target: Expr, index: int) -> RealConstant:
    """T_k at the target less T_k at the start."""
    slopes = lambda x: [small_steps.slopes_of_time(_jet(x, index + 1), index + 1)[index][0]]  # noqa: E731
    first, last = (angle_integral().subs(C, c) for c in (start, target))
    return RealConstant(
        f"T_{index}", lambda: small_steps.integrals(slopes, to_mpf(1 - start), to_mpf(1 - target))[0],
        ("shape", start, target, index), f"T_{{{index}}}", exact=log(last / first) / 2 if index == 1 else None,
    )  # fmt: skip


def _jet(x, count: int) -> list:
    """Taylor coefficients of -f in x = 1 - c: f' = -arccos(c), f'' = 1/sqrt(1 - c^2)."""
    angle, square = half_angle(x), x * (2 - x)
    bends = power([mpf(1), 2 * (1 - x) / square, -1 / square], mpf(-1) / 2, count)
    return [-lune(angle), -angle, *(-c / mp.sqrt(square) / (k * (k - 1)) for k, c in enumerate(bends, start=2))][:count]


# ---- deep kernel shaping ---------------------------------------------------------------------------


@in_budget("shaping {0}")
def _shaped(phi: Activation, layers: Layers, slope: Expr, digits: int) -> KernelShape:
    if not (slope.is_number and slope > 1):
        raise InputError(f"slope = {slope} is not above 1; give C'(1) of the network, such as 3/2")
    if phi.jumps(0):
        raise UnsupportedError(f"activation {phi.name!r} jumps, so C'(1) is infinite; take a continuous activation")
    if phi.is_relu_like or phi.is_linear:
        raise UnsupportedError(
            f"activation {phi.name!r} has the same shape at every input scale, so Q'(1) = 1 and C'(1) cannot both be "
            "fitted; leave slope out for leaky_relu, or take a smooth activation"
        )
    depth = 1 + sum(count * max(weights) for count, weights in layers)
    lost = 2 * int(mp.log10(depth / min(1, to_mpf(slope - 1))))  # digits, as the equations compare s with 1
    with mp.workdps(COARSE + lost):
        local = _local_slope(layers, slope)
        first = next(filter(None, (_scales(phi, local, map(mpf, start), PER_UNIT) for start in STARTS)), None)
    if first is None:
        raise UnsupportedError(
            f"no scales and shifts of {phi.name!r} were found for C'(1) = {mpmath.nstr(local, 8)} in every layer; give "
            "a smaller slope or more layers"
        )

    def on(more: int, finer: int) -> KernelShape:
        with mp.workdps(digits + GUARD + lost + more):
            exactly = _local_slope(layers, slope)
            found = _scales(phi, exactly, first, PER_UNIT + finer)
            if found is None:
                raise PrecisionError(f"Newton's method for the scales of {phi.name!r} does not end; ask for fewer")
            mean, variance, *_ = _moments(phi, *found, PER_UNIT + finer)
            return KernelShape(*found, 1 / mp.sqrt(variance), -mean, exactly)

    return agreed(lambda more: [on(more, 0), on(more + GUARD, 1)], digits, "two precisions")


def _local_slope(layers: Layers, slope: Expr):
    """s, the C'(1) of one layer: the product of sum_k w_k s^k over all blocks is the slope of the network."""
    per_layer = sum(count * sum(k * to_mpf(w) for k, w in weights.items()) for count, weights in layers)
    if not per_layer:
        raise InputError("no block has layers beside its shortcut, and C'(1) is 1 for every activation; give one")

    def missing(s):
        return sum(n * mp.log(sum(to_mpf(w) * s**k for k, w in weights.items())) for n, weights in layers) - total

    total, most = mp.log(to_mpf(slope)), 1 + to_mpf(slope - 1) / per_layer  # as the product is convex
    return mp.findroot(missing, (mpf(1), most), solver="anderson", tol=8 * mp.eps, maxsteps=500, verify=False)


def _scales(phi: Activation, slope, start, fineness: int) -> tuple | None:
    """(alpha, beta) by Newton's method in steps of at most 1/2; None where it does not end."""

    def missed(alpha, beta) -> mp.matrix:
        _, variance, mixed, steep = _moments(phi, alpha, beta, fineness)
        return mp.matrix([mixed / variance - 1, steep / variance - slope] if variance else [mp.inf] * 2) / (slope - 1)

    (alpha, beta), small = start, mp.sqrt(mp.eps)
    for _ in range(NEWTONS):
        here = missed(alpha, beta)
        a, b = ((there - here) / small for there in (missed(alpha + small, beta), missed(alpha, beta + small)))
        size = a[0] * b[1] - a[1] * b[0]
        if not size or not mp.isfinite(size):  # phi is constant where Z goes, or a straight line
            return None
        step = (here[0] * b[1] - here[1] * b[0]) / size, (a[0] * here[1] - a[1] * here[0]) / size
        longest = max(map(abs, step))
        share = FARTHEST / max(FARTHEST, longest)
        alpha, beta = max(alpha - share * step[0], alpha / 4), beta - share * step[1]
        if longest < small:  # the next step is below the precision
            return alpha, beta
    return None


def _moments(phi: Activation, alpha, beta, fineness: int) -> tuple:
    """m, v, v Q'(1) = alpha E[Z (phi - m) phi'] and v C'(1) = alpha^2 E[phi'^2]."""
    check_time()
    reach, rule, known = reach_of(mp.dps) + BEYOND, ball_rule(mp.dps), []
    breaks = [(to_mpf(point) - beta) / alpha for point in phi.piecewise.breaks]
    with working(mp.prec + SPARE):
        value, slope = (ball_side(phi.piecewise, mpf(1), order) for order in (0, 1))
        a, b = of_mpf(alpha), of_mpf(beta)
        for ends in pairwise([-reach, *(z for z in breaks if abs(z) < reach), reach]):
            f, d = (side.at(beta + alpha * sum(ends) / 2) for side in (value, slope))
            for panel in panels(*ends, lambda _: 1 / fineness):
                points = mapped(*map(of_mpf, panel), rule)
                known += [(z, w * density(z), f(b + a * z), d(b + a * z)) for z, w in points]
        mean = sum(w * y for _, w, y, _ in known)
        variance = sum(w * (y - mean) ** 2 for _, w, y, _ in known)
        mixed = a * sum(w * z * (y - mean) * d for z, w, y, d in known)
        return tuple(map(midpoint, (mean, variance, mixed, a * a * sum(w * d * d for _, w, _, d in known))))
