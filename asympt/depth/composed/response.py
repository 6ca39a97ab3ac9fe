"""One block at c = 1, in mpmath: the variance it leaves, and how a small gap is multiplied.

Problem.  A layer that is repeated 10^12 times must know chi - 1 to 28 digits, and exactly 0 where it is 0; and the
fixed point of the variance, where there is one, to as many.

Rule.  q and d = ds'/ds at s = q go through the primitives as they stand:

    dense  b + w q, w d         phi  E phi^2, d E phi'^2       norm  1, d/q (phi with mean m before it: d/(q - m^2))
    a x + b F(x)  sums          product  q_A q_B, d_A q_B + q_A d_B       concatenation  groups

and chi = d q/q'.

Tiny case.  relu, dense(sqrt(2)): q' = q, d = 1, chi = 1.

Known limits.  Blocks whose factors do not depend on the layer; no dropout, which leaves no gap 0.
"""

from dataclasses import dataclass, replace

from mpmath import mp, mpf

from asympt.blocks import nodes
from asympt.blocks.nodes import DEPTH, Node, parts_of
from asympt.errors import UnsupportedError
from asympt.gaussian.closed.moment_numbers import moments_at
from asympt.gaussian.moments import moment
from asympt.numbers import to_mpf

DIGITS = 40
ZERO = mpf(10) ** -30
SPREAD = 1e-6  # of the two points between which the fixed point is looked for
ROUNDS = 8


@dataclass(frozen=True)
class Response:
    """NeuronGroup: their number, q, d; (phi, q) where they come straight from phi."""

    width: object
    q: object
    d: object
    came_from: tuple | None = None


def excess_of(blocks: tuple[Node, ...], depth: int, q: mpf) -> float:
    """chi - 1 of the blocks in turn, at their variance q."""
    with mp.workdps(DIGITS):
        found = _turn(blocks, depth, mpf(q))
        excess = found.d * mpf(q) / found.q - 1
        return 0.0 if abs(excess) < ZERO else float(excess)


def growth_of(blocks: tuple[Node, ...], depth: int, q: float) -> mpf:
    """q'/q of the blocks in turn."""
    with mp.workdps(DIGITS):
        return _turn(blocks, depth, mpf(q)).q / mpf(q)


def polished(blocks: tuple[Node, ...], depth: int, q: float) -> mpf:
    """The fixed point of the variance near q, by the secant method."""
    with mp.workdps(DIGITS):
        one, two = mpf(q), mpf(q) * (1 + SPREAD)
        before, here = (_turn(blocks, depth, v).q - v for v in (one, two))
        for _ in range(ROUNDS):
            if here == before or abs(here) < ZERO * two:
                break
            one, two, before = two, two - here * (two - one) / (here - before), here
            here = _turn(blocks, depth, two).q - two
        return two


def _turn(blocks: tuple[Node, ...], depth: int, q) -> Response:
    groups = (Response(mpf(1), q, mpf(1)),)
    for block in blocks:
        groups = _through(block, groups, depth)
    return groups[-1]


def _through(node: Node, groups: tuple, depth: int) -> tuple:
    for part in parts_of(node):
        groups = _part(part, groups, depth)
    return groups


def _part(node: Node, groups: tuple, depth: int) -> tuple:
    match node:
        case nodes.DenseNode():
            weight, found = to_mpf(node.sigma_w) ** 2, _whole(groups)
            return (Response(mpf(1), to_mpf(node.sigma_b) ** 2 + weight * found.q, weight * found.d),)
        case nodes.ActivationNode(phi=phi):
            return tuple(_activated(phi.piecewise, group) for group in groups)
        case nodes.LayerNormNode() | nodes.RMSNormNode():
            found, centres = _whole(groups), node.takes_mean
            lost = moment(*found.came_from, mp.dps) ** 2 if centres and found.came_from is not None else 0
            size = found.q - lost
            return tuple(Response(g.width, (g.q - lost) / size, g.d / size) for g in groups)
        case nodes.ScaleNode(factor=factor):
            return tuple(Response(g.width, g.q * _square(factor, depth), g.d * _square(factor, depth)) for g in groups)
        case nodes.ResidualNode():
            branch, a, b = _whole(_through(node.branch, groups, depth)), *(_square(v, depth) for v in
                                                                           (node.skip, node.scale))  # fmt: skip
            return tuple(Response(g.width, a * g.q + b * branch.q, a * g.d + b * branch.d) for g in groups)
        case nodes.GatedNode():
            one, two = (_whole(_through(branch, groups, depth)) for branch in node.parts)
            return (Response(mpf(1), one.q * two.q, one.d * two.q + one.q * two.d),)
        case nodes.DenseConnectionNode(growth=growth, branch=branch):
            return groups + tuple(replace(g, width=to_mpf(growth)) for g in _through(branch, groups, depth))
    raise UnsupportedError(f"{node!r} does not leave equal inputs equal")


def _activated(phi, group: Response) -> Response:
    second, slope = moments_at(phi, 2, group.q, mp.dps)
    return Response(group.width, second, group.d * slope, (phi, group.q))


def _whole(groups: tuple) -> Response:
    if len(groups) == 1:
        return groups[0]
    total = mp.fsum(g.width for g in groups)
    return Response(total, *(mp.fsum(g.width * getattr(g, name) for g in groups) / total for name in ("q", "d")))


def _square(factor, depth: int):
    return to_mpf(factor.subs(DEPTH, depth)) ** 2
