"""Shaped activations: the slope of leaky ReLU for which the correlation after a given depth is a given one.

On the Edge of Chaos without bias c' = c + h f(c), f(c) = sqrt(1 - c^2) - c arccos(c), and pi h = (1 - alpha)^2/(1 +
alpha^2) for slopes 1 and alpha (J. Martens et al., arXiv:2110.01765; G. Zhang et al., arXiv:2203.08120, "tailored
activation transformations").  For 0 <= alpha <= 1 a step is monotone in c and in h, so the slope is unique; h is found
by bisection with secants in the recursion itself.
"""

from collections.abc import Sequence

import mpmath
from mpmath import mp

from asympt.deadline import check_time, limited
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import Activation
from asympt.numbers import check_depth, check_digits, exact, to_mpf
from asympt.recursions.agreement import GUARD, agreed

Layers = list[tuple[int, dict[int, object]]]
LONGEST = 10**5  # layers


def shape(activation, depth, start=0, target="9/10", digits: int = 20):
    """The slope alpha of leaky ReLU in [0, 1) for which the correlation `start` becomes `target` after `depth` layers.

    Parameters
    ----------
    activation : "leaky_relu", the only activation with a family of shapes here.
    depth : a number of layers, or, for residual networks, pairs (how many, {k: weight}) of blocks c' = sum of weight
        times k layers of c, the weights adding up to 1: (29, {0: "9/25", 3: "16/25"}) for 29 blocks of three layers
        with a shortcut of weight 3/5.
    start, target : correlations, -1 <= start < target < 1.
    digits : significant digits of the slope, on which two precisions agree.

    Raises `InputError` with the range that can be reached for a target outside it.

    >>> mpmath.nstr(shape("leaky_relu", depth=50, start=0, target="9/10"), 20)
    '0.43052294850240268634'
    """
    name = activation.name if isinstance(activation, Activation) else activation
    if name != "leaky_relu":
        raise UnsupportedError(f"activation = {name!r} has no slope to fit to a correlation; give 'leaky_relu'")
    layers, digits = _layers(depth), check_digits(digits)
    start, target = exact(start, "start"), exact(target, "target")
    if not (start.is_number and target.is_number and -1 <= start < target < 1):
        raise InputError(f"start = {start}, target = {target}: give correlations with -1 <= start < target < 1")

    def found(more: int):
        with mp.workdps(digits + GUARD + more):
            return _slope(layers, to_mpf(start), to_mpf(target))

    with limited("fitting the slope"):
        return agreed(lambda extra: [found(extra), found(extra + GUARD)], digits, "two precisions")


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


def _slope(layers: Layers, start, target):
    """alpha at mpmath's precision."""

    def missing(h):
        return after(layers, start, h) - target

    most = 1 / mp.pi
    if missing(most) < 0:
        reached = mpmath.nstr(after(layers, start, most), 8)
        raise InputError(
            f"target = {mpmath.nstr(target, 8)} cannot be reached from start = {mpmath.nstr(start, 8)}: slopes from 1 "
            f"to 0 give {mpmath.nstr(start, 8)} to {reached}; give a target between, or more layers"
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
