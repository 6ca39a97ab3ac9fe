"""Shaped activations: the slope of leaky ReLU for which the correlation after a given depth is a given one.

On the Edge of Chaos without bias c' = c + h f(c), f(c) = sqrt(1 - c^2) - c arccos(c), and pi h = (1 - alpha)^2/(1 +
alpha^2) for slopes 1 and alpha (J. Martens et al., arXiv:2110.01765; G. Zhang et al., arXiv:2203.08120, "tailored
activation transformations").  For 0 <= alpha <= 1 a step is monotone in c and in h, so the slope is unique; h is found
by bisection with secants in the recursion itself.  At large depths L h = T_0 + h T_1 + h^2 T_2 + ..., T_j what the flow
times of one step (`flow_time.small_steps`) grow by from the start to the target: T_0 = int dc/f, T_1 = log(f)/2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import mpmath
from mpmath import mp, mpf
from sympy import Expr, Rational, log, pi

from asympt.deadline import check_time, limited
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.opaque import RealConstant
from asympt.expansions.series import power
from asympt.gaussian.closed.arccosine import C, angle_integral, half_angle, lune
from asympt.meanfield.activations import Activation
from asympt.numbers import check_depth, check_digits, check_terms, exact, to_mpf
from asympt.recursions.agreement import GUARD, Route, agreed
from asympt.recursions.coordinates.flow_time import small_steps
from asympt.recursions.law import Law, no_start
from asympt.recursions.protocol import FollowedLayers
from asympt.symbols import Reserved

Layers = list[tuple[int, dict[int, object]]]
LONGEST = 10**5  # layers
DEPTH = Reserved("L", positive=True)


def shape(activation, depth, start=0, target="9/10", digits: int = 20, terms: int = 4):
    """The slope alpha of leaky ReLU in [0, 1) for which the correlation `start` becomes `target` after `depth` layers.

    Parameters
    ----------
    activation : "leaky_relu", the only activation with a family of shapes here.
    depth : a number of layers, or, for residual networks, pairs (how many, {k: weight}) of blocks c' = sum of weight
        times k layers of c, the weights adding up to 1: (29, {0: "9/25", 3: "16/25"}) for 29 blocks of three layers
        with a shortcut of weight 3/5.  `asympt.blocks.DEPTH` gives the law of the slope at large depths L instead.
    start, target : correlations, -1 <= start < target < 1.
    digits : significant digits of the slope, on which two precisions agree.
    terms : of the law at large depths.

    Raises `InputError` with the range that can be reached for a target outside it.  C'(1) is 1 for every slope of leaky
    ReLU, so that it cannot be fitted; smooth activations need four numbers, for which there is no fit here.

    >>> mpmath.nstr(shape("leaky_relu", depth=50, start=0, target="9/10"), 20)
    '0.43052294850240268634'
    >>> law = shape("leaky_relu", depth=DEPTH, start=0, target="9/10", terms=3)
    >>> print(law)
    1 - sqrt(2)*sqrt(pi)*sqrt(T_0)/sqrt(L) + pi*T_0/L + O(1/L^(3/2))
    >>> mpmath.nstr(law.evaluate(depth=50), 20), law.coefficient("1/sqrt(L)", digits=20)
    ('0.43052294850240268634', -5.3232299432475538486)
    """
    name = activation.name if isinstance(activation, Activation) else activation
    if name != "leaky_relu":
        raise UnsupportedError(f"activation = {name!r}: only slopes are fitted, no scales or shifts; give 'leaky_relu'")
    start, target = exact(start, "start"), exact(target, "target")
    if not (start.is_number and target.is_number and -1 <= start < target < 1):
        raise InputError(f"start = {start}, target = {target}: give correlations with -1 <= start < target < 1")
    if isinstance(depth, Expr) and depth == DEPTH:
        with limited("deriving the law of the slope"):
            return _law(start, target, check_terms(terms))
    layers, digits = _layers(depth), check_digits(digits)
    with limited("fitting the slope"):
        return agreed(lambda more: [_slope(layers, start, target, digits + more + also) for also in (0, GUARD)], digits,
                      "two precisions")  # fmt: skip


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
