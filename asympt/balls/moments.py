"""Gaussian expectations of an activation and of its derivatives, as balls.

Problem.  E[phi^(j)(sqrt(q) Z) phi^(k)(sqrt(q) Z)] and E[phi(sqrt(q) Z) He_k(Z)], to any number of bits, proved, for a
phi without closed form; q is a ball.

Rule.  The trapezoidal rule with step h on |z| <= h n.  Its nodes and the Taylor polynomials of phi there (power series
of balls) serve all moments.  With |phi(x)| <= S exp(kappa |Re x|) on |Im x| <= A (`strip`), Cauchy's estimate with
radius r gives |phi^(k)(x)| <= k! r^-k S exp(kappa (|Re x| + r)) on |Im x| <= A - r.  An integrand f(z), analytic and
at most M exp(g |Re z|) on |Im z| <= a, has

    |h sum f(jh) rho(jh) - E f| <= 4 M exp(a^2/2 + g^2/2)/(exp(2 pi a/h) - 1) + M exp(g^2/2) erfc((hn - g)/sqrt(2)),

rho the density: the first term is the rule on the whole line (residues between the two lines Im z = +-a, on which
|rho| = exp(a^2/2) rho(Re z), and E exp(g |Z|) <= 2 exp(g^2/2)), the second what is left out beyond hn >= g, where
exp(g z) rho(z) falls.  For the Hermite polynomials |He_k(z)| <= k! r^-k exp(r |z| + r^2/2) with r = sqrt(k).

Tiny case.  phi = x: E[phi^2] = q, E[phi'^2] = 1.

Known limits.  phi is one formula, analytic in a strip; no breakpoints.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, log, pi, sqrt

import flint
from flint import arb
from sympy import Expr, Symbol

from asympt.balls.arithmetic import Refused, require_finite, working
from asympt.balls.expression import program_of
from asympt.balls.strip import Strip, strip_of

GUARD = 24  # bits


@dataclass(frozen=True, eq=False)
class BallNodes:
    """z_j = jh for |j| <= n with h rho(z_j), and phi^(k)(sqrt(q) z_j), k = 0, 1, ..."""

    step: arb
    points: Sequence[arb]
    weights: Sequence[arb]
    jets: Sequence[Sequence[arb]]


@dataclass(frozen=True, eq=False)
class BallMoments:
    """The moments of phi at q, to about `bits` bits.

    >>> x = Symbol("x")
    >>> with working(100):
    ...     found = BallMoments(x, x, arb(2), 100)
    ...     bool(found.square(0, 0).contains(2)), bool(found.square(1, 1).contains(1))
    (True, True)
    """

    formula: Expr
    symbol: Symbol
    q: arb
    bits: int
    order: int = 2
    _found: dict = field(default_factory=dict, repr=False)

    @cached_property
    def strip(self) -> Strip:
        """Where phi is proved to be analytic."""
        return strip_of(self.formula, self.symbol)

    def square(self, j: int, k: int) -> arb:
        """E[phi^(j) phi^(k)], j and k at most `order`."""
        j, k = sorted((j, k))
        if k > self.order:
            raise ValueError(f"derivative {k} is beyond the order {self.order}")
        if (j, k) not in self._found:
            with working(self.bits + GUARD):
                nodes, (size, growth, height) = self._nodes, self._of_square(j + k, _factorials(j, k))
                total = sum((w * jet[j] * jet[k] for w, jet in zip(nodes.weights, nodes.jets, strict=True)), arb(0))
                ball = total + arb(0, self._error(size, growth, height, nodes))
                self._found[j, k] = require_finite(ball, f"E[phi^({j}) phi^({k})] of {self.formula}")
        return self._found[j, k]

    def rate(self, j: int) -> arb:
        """d/dq E[phi^(j)^2] = E[phi^(j+1)^2 + phi^(j) phi^(j+2)]."""
        return self.square(j + 1, j + 1) + self.square(j, j + 2)

    def hermite(self, count: int) -> list[arb]:
        """E[phi(sqrt(q) Z) He_k(Z)]/sqrt(k!) for k < count.

        The polynomials at exact nodes lose less than a bit at each step of their recursion, which is added to the
        precision; phi, a ball as q is one, is multiplied in at the end.  He_k(-z) = (-1)^k He_k(z).
        """
        with working(self.bits + GUARD + count):
            nodes = self._made(*self._of_hermite(count), 1)
            sums, steps = [arb(0)] * count, [(1 / arb(k + 1).sqrt(), (arb(k) / (k + 1)).sqrt()) for k in range(count)]
            middle = len(nodes.points) // 2
            for j in range(middle, len(nodes.points)):
                here, there = nodes.jets[j][0], nodes.jets[2 * middle - j][0] if j > middle else arb(0)
                both, z = (here + there, here - there), nodes.points[j]
                before, value = arb(0), nodes.weights[j]
                for k, (up, down) in enumerate(steps):
                    sums[k] += value * both[k % 2]
                    before, value = value, z * value * up - before * down
            balls = [value + arb(0, self._error(*self._of_hermite(k), nodes)) for k, value in enumerate(sums)]
            return [require_finite(ball, f"a Hermite coefficient of {self.formula}") for ball in balls]

    # ---- bounds -----------------------------------------------------------------------------------------

    def _of_square(self, order: int, factorials: arb) -> tuple[arb, arb, arb]:
        """(M, g, a) of phi^(j) phi^(k), j + k = order."""
        strip, radius = self.strip, self.strip.height / 2
        size = strip.size**2 * factorials / radius**order * (2 * strip.growth * radius).exp()
        return size, 2 * strip.growth * self.q.sqrt(), (strip.height - radius) / self.q.sqrt()

    def _of_hermite(self, k: int) -> tuple[arb, arb, arb]:
        """(M, g, a) of phi He_k/sqrt(k!)."""
        strip, root, height = self.strip, arb(k).sqrt(), self.strip.height / self.q.sqrt()
        own = (arb(k + 1).lgamma() / 2 - (arb(k).log() * k / 2 if k else 0) + root * height + arb(k) / 2).exp()
        return strip.size * own, strip.growth * self.q.sqrt() + root, height

    def _error(self, size: arb, growth: arb, height: arb, nodes: BallNodes) -> arb:
        """The bound of the module's header."""
        last = nodes.points[-1]
        if not last >= growth:
            raise Refused("the nodes do not reach to where the integrand falls")
        rule = 4 * (height**2 / 2 + growth**2 / 2).exp() / ((2 * arb.pi() * height / nodes.step).exp() - 1)
        beyond = (growth**2 / 2).exp() * ((last - growth) / arb(2).sqrt()).erfc()
        return (size * (rule + beyond)).upper()

    # ---- nodes ------------------------------------------------------------------------------------------

    @cached_property
    def _nodes(self) -> BallNodes:
        with working(self.bits + GUARD):
            return self._made(*self._of_square(2 * self.order, _factorials(self.order, self.order)), self.order + 1)

    def _made(self, size: arb, growth: arb, height: arb, length: int) -> BallNodes:
        """Enough nodes for an error of 2^-bits, by floating point: the bound is computed for what they are."""
        g, a = float(growth), float(height)
        target = (self.bits + GUARD) * log(2) + max(0.0, float(size.log())) + g * g / 2
        step = arb(2 * pi * a / (target + a * a / 2 + 2)).mid()
        count = ceil((g + sqrt(2 * target)) / float(step))
        with working(flint.ctx.prec, length):
            unit, scale, program = step / (2 * arb.pi()).sqrt(), self.q.sqrt(), program_of(self.formula, self.symbol)
            points = [step * j for j in range(-count, count + 1)]
            jets = [program.derivatives(scale * z, length) for z in points]
            return BallNodes(step, points, [unit * (-z * z / 2).exp() for z in points], jets)


def _factorials(j: int, k: int) -> arb:
    return arb(j + 1).gamma() * arb(k + 1).gamma()
