"""How far a law in log l is from its quantity between layer n and the tail: a search on boxes of (Lambda, C, D).

There the deviation is a function of Lambda = log l, C and D, all real, x = T^-1(a Lambda + C + e) or (P + D h + K)/(b
Lambda + s_0 + small) minus the printed terms.  dx/dT = -h and dk/dT = o - h' k give its mean value form on a box, off
by O(w^2) where the box is w wide; the box with the largest bound is halved until that is what a point of it shows
(`Deviation.largest`).  After `BOXES` halvings the bounds found so far are taken: true, but larger than need be.
"""

import heapq
import itertools
from collections.abc import Iterator, Sequence
from itertools import pairwise

from flint import arb

from asympt.balls.arithmetic import Refused, between, magnitude
from asympt.balls.printed import PrintedTerm
from asympt.deadline import check_time

BOXES = 2000
SPREAD = 0.02  # by how much of what a point shows a box's bound may exceed it
SPARE = 40  # bits that T = y may lose
WIDE = 1e-6  # the relative radius of y from which T = y is solved at both ends


class PrintedTerms:
    """The printed terms of a prover's law as functions of Lambda at one C and D (balls), with their derivatives."""

    def __init__(self, prover, c: arb, d: arb | None):
        law = self.law = prover.law
        self.terms = [(prover.number(term.coefficient, c, d), term.order, term.logs) for term in law.terms]
        self.rest = law.remainder

    def at(self, depth: arb) -> arb:
        """Their sum."""
        return sum((value * self.law.monomial(depth, order, logs) for value, order, logs in self.terms), arb(0))

    def slope(self, depth: arb) -> arb:
        """The derivative with respect to Lambda."""
        return sum((value * self.law.monomial_slope(depth, order, logs) for value, order, logs in self.terms), arb(0))

    def unit(self, depth: arb) -> arb:
        """The remainder's monomial."""
        return self.law.monomial(depth, self.rest.order, self.rest.logs)


Box = tuple[arb, arb, arb]  # Lambda, C, D


class Deviation:
    """quantity - law over the monomial on boxes of (Lambda, C, D), beyond layer n.

    `prover`: a `FlowProver` with the law, its constants' numbers and the theorem; `errors`: what single layers add.
    """

    def __init__(self, prover, errors):
        self.prover, self.errors, self.theorem = prover, errors, prover.theorem
        self.kernel = prover.law.norm is not None
        self._slopes = {
            name: [PrintedTerm(term.coefficient.diff(name), term.order, term.logs) for term in prover.law.terms]
            for name in prover.law.constants
        }

    def largest(self, depths: tuple[arb, arb], c: arb, d: arb | None, goal: arb) -> arb:
        """The largest value for depths[0] <= Lambda <= depths[1]; one below the goal is not made exact."""
        low, high = depths
        if not high > low:
            return arb(0)
        d = arb(0) if d is None else d
        ends = [low * ((high / low) ** (arb(k) / 16)) for k in range(17)]
        queue, found, shown, tie = [], arb(0), goal, itertools.count()
        boxes = [(between(a, b), c, d) for a, b in pairwise(ends)]
        while boxes or queue:
            if not boxes:
                *_, box, sizes = heapq.heappop(queue)
                boxes = list(_halves(box, sizes))
            box = boxes.pop()
            bound, point, sizes = self._bounds(box)
            shown = shown.max(point)
            if sum(sizes) > float(shown) * SPREAD and bound > shown * (1 + SPREAD) and next(tie) < BOXES:
                heapq.heappush(queue, (-float(bound), next(tie), box, sizes))
            else:
                found = found.max(bound)
        return found

    def _bounds(self, box: Box) -> tuple[arb, arb, list[float]]:
        """A bound on the box, what its middle shows, and how much each side of the box adds to the bound."""
        check_time()
        depth, c, d = box
        middle = tuple(side.mid() for side in box)
        errors = self.errors
        y = self.theorem.clock(depth) + c + errors.centre_at(depth) + arb(0, errors.time_at(depth))
        t = self.solved(y)
        printed, at_middle = PrintedTerms(self.prover, c, d), PrintedTerms(self.prover, middle[1], middle[2])
        centre = self.theorem.clock(middle[0]) + middle[1] + errors.centre_at(middle[0])
        here = self._quantity(self.solved(centre), middle[0], middle[2])
        slopes, rest = self._slopes_of(t, depth, d)
        slopes[0] -= printed.slope(depth)
        for k, name in enumerate(self.prover.law.constants, 1):
            slopes[k] -= self._sum(self._slopes[name], c, d, depth)
        deviation = here - at_middle.at(middle[0])
        moves = [slope * (side - mid) for slope, side, mid in zip(slopes, box, middle, strict=True)]
        unit = printed.unit(depth).abs_lower()
        value = (magnitude(deviation + sum(moves, arb(0))) + rest) / unit
        point = deviation.abs_lower() / printed.unit(middle[0]).abs_upper()
        return value.upper(), point.lower(), [float(magnitude(move) / unit) for move in moves]

    def _sum(self, terms: Sequence[PrintedTerm], c: arb, d: arb, depth: arb) -> arb:
        law = self.prover.law
        return sum((self.prover.number(term.coefficient, c, d) * law.monomial(depth, term.order, term.logs)
                    for term in terms if term.coefficient != 0), arb(0))  # fmt: skip

    def _quantity(self, t: arb, depth: arb, d: arb) -> arb:
        """x, or (P + D h)/(b Lambda + s_0)."""
        if not self.kernel:
            return t**self.theorem.root
        return (self.theorem.particular_at(t) + d * self.theorem.drift(t)) / self.prover.norm_at(depth)

    def _slopes_of(self, t: arb, depth: arb, d: arb) -> tuple[list[arb], arb]:
        """The derivatives of the quantity to (Lambda, C, D), and what its own errors are at most."""
        theorem, errors = self.theorem, self.errors
        drift, clock = theorem.drift(t), theorem.pace(depth)
        pace = clock + errors.centre_slope(depth)
        if not self.kernel:
            return [-pace * drift, -drift, arb(0)], magnitude(drift) * errors.time_at(depth)
        norm = self.prover.norm_at(depth)
        least = (norm - errors.norm_at(depth)).lower()
        if not least > 0:
            raise Refused("the norm is not seen to be positive; begin at a deeper layer")
        kernel = theorem.particular_at(t) + d * drift
        moved = (theorem.own.at(t) - theorem.slope(t) * kernel) / norm
        own = (errors.kernel_at(depth) + magnitude(kernel / norm) * errors.norm_at(depth)) / least
        slopes = [pace * moved - clock * self.prover.norm_rate * kernel / norm**2, moved, drift / norm]
        return slopes, magnitude(moved) * errors.time_at(depth) + own

    def solved(self, y: arb) -> arb:
        """A ball that holds every t with T(t) in the ball y: T falls."""
        theorem = self.theorem
        if y.rad() > abs(y) * WIDE:
            return between(self.solved(y.upper()), self.solved(y.lower()))
        t = self._approximate(y.mid())
        slope = theorem.root * t ** (theorem.root - 1) / theorem.drift(t)
        known = y.rad() + 2 * theorem.time(t).rad()  # T itself is known so well: its series ends somewhere
        width = (known / slope * arb(1.01) + t * self._fine).upper()
        for _ in range(30):
            low, high = (t - width).lower(), (t + width).upper()
            if low > 0 and high < theorem.radius and theorem.time(low) > y and theorem.time(high) < y:
                return between(low, high)
            width = width * arb(1.3) if high < theorem.radius else width
            if not low > 0:
                break
        raise Refused("the flow time is not seen to be inverted there: the orbit has not come near enough to 0")

    @property
    def _fine(self) -> arb:
        """How near to a root T = y is solved, over t."""
        return arb(2) ** (SPARE - self.theorem.bits)

    def _approximate(self, y: arb) -> arb:
        """A midpoint near the root of T = y, by Newton's method in a bracket; nothing is proved of it."""
        theorem = self.theorem
        high = (theorem.radius * arb(0.999)).mid()
        low = (high / 2).mid()
        while not theorem.time(low) > y and low > theorem.radius * self._fine:
            low, high = (low / 4).mid(), low
        t = ((theorem.time_terms.known[0] / y.max(arb(1))).root(theorem.m)).mid()  # T's first term alone
        t = t if low < t and t < high else low
        for _ in range(80):
            gap = theorem.time(t) - y
            low, high = (t, high) if gap > 0 else (low, t)
            following = (t + gap * theorem.drift(t) / (theorem.root * t ** (theorem.root - 1))).mid()
            if not (low < following and following < high):
                following = ((low + high) / 2).mid()
            done, t = abs(following - t) < t * self._fine, following
            if done:
                break
        return t


def _halves(box: Box, sizes: Sequence[float]) -> Iterator[Box]:
    """The box cut across the side that matters most."""
    k = max(range(3), key=lambda j: sizes[j])
    middle = box[k].mid()
    for side in (between(box[k].lower(), middle), between(middle, box[k].upper())):
        yield tuple(side if j == k else other for j, other in enumerate(box))
