r"""Gaussian moments of an activation seen from far away: its straight lines in closed form, the rest by quadrature.

Problem.  In a residual network q grows like (1+alpha)^l, to 10^80 and beyond.  There phi(sqrt(q) Z) has all its
structure within 1/sqrt(q) of Z = 0, where no general rule for E[phi phi] looks closely enough.

Rule.  phi = h + r with h(x) = a+ x + b+ (x > 0), a- x + b- (x < 0) and r falling fast.  At correlation c = 1 - gamma,
with n_q the density of sqrt(q) Z and G(x) = E[h(sqrt(q) V) | sqrt(q) U = x],

    E[phi phi] = E[hh] + 2 int r n_q G + E[rr],

the first by the arc-cosine, linear and arcsine kernels (`far.lines`), the others by `far.integrals`, over
nodes or, where they suffice, moments of r (`far.near_zero`).  At c = 1, G = h and E[rr] = int r^2 n_q; what phi loses
at the gap is the difference, and the slope (1/q) d/dc of the three.

Tiny case.  ReLU: r = 0, and what is left is the arc-cosine kernel.

Known limits.  r must fall faster than any power.  Two inputs which phi still sees as one, q (1 - c^2) < 1/4, are left
to the general kernel while q is moderate, and refused beyond.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import methodcaller

from mpmath import mp, mpf

from asympt.errors import PrecisionError
from asympt.gaussian.kernel import kernel_of
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.precise.far.integrals import FarIntegrals, NearIntegrals
from asympt.precise.far.lines import Lines
from asympt.precise.far.near_zero import Rest, RestNodes, TooNear, moments_of, nodes_of
from asympt.precise.moving import Branch

NEAREST = mpf(1) / 4  # v below which the part of phi near 0 is left to the general kernel
LARGEST = 100  # and q up to which that is asked
WHOLE, AT_ONE = methodcaller("all"), methodcaller("at_one")  # what is read off the integrals
LOST = 6  # digits by which two ways to E[phi^2] may differ
STEP = 10  # digits are rounded up to a multiple of this, so that layers share their nodes


@dataclass(frozen=True)
class Split:
    """The moments of phi = h + r at mpmath's precision; `rest` is r, which knows phi and h."""

    rest: Rest

    @property
    def phi(self) -> PiecewiseSmooth:
        """phi itself."""
        return self.rest.phi

    @property
    def lines(self) -> Lines:
        """h."""
        return self.rest.lines

    def at(self, q, gap) -> Branch:
        """E[phi^2], what it loses at the gap, and E[phi' phi']; the gap is above 0."""
        lines = self.lines
        if not self._nodes():
            return Branch(lines.square(q), lines.lost(q, gap), lines.slope(q, gap))
        if q * gap * (2 - gap) < NEAREST or self._has_formula(q):
            return self._by_kernel(q, gap)
        try:
            diagonal, square, mixed, mixed_slope, product, slope = self._integrals(q, gap, WHOLE)
        except PrecisionError:  # r falls slowly
            if q > LARGEST:
                raise
            return self._by_kernel(q, gap)
        return Branch(
            lines.square(q) + diagonal + square,
            lines.lost(q, gap) + diagonal + square - mixed - product,
            lines.slope(q, gap) + (mixed_slope + slope) / q,
        )

    def square(self, q):
        """E[phi(sqrt(q) Z)^2] alone."""
        if not self._nodes():
            return self.lines.square(q)
        return self.lines.square(q) + sum(self._integrals(q, mp.one, AT_ONE))

    @cached_property
    def _known(self) -> dict:
        return {}

    def _kept(self, what: Callable):
        """`what` of r to the digits at hand; looking it up by r itself takes longer than a layer does."""
        digits = STEP * -(-mp.dps // STEP)
        if (what, digits) not in self._known:
            self._known[what, digits] = what(self.rest, digits)
        return self._known[what, digits]

    def _nodes(self) -> RestNodes:
        return self._kept(nodes_of)

    def _integrals(self, q, gap, read) -> tuple:
        """`read` of the integrals over r: by moments where they suffice, else by nodes."""
        try:
            return read(FarIntegrals(self._kept(moments_of), q, gap, self.lines))
        except TooNear:
            return read(NearIntegrals(self._nodes(), q, gap, self.lines))

    def _has_formula(self, q) -> bool:
        return q <= LARGEST and kernel_of(self.phi).source == "closed form" and self._agrees(q)

    def _agrees(self, q) -> bool:
        """Whether the general kernel has E[phi^2] right: closed forms in exp(q) lose all their digits at some q."""
        return abs(kernel_of(self.phi).value(q, q, 1) / self.square(q) - 1) < mpf(10) ** (LOST - mp.dps)

    def _by_kernel(self, q, gap) -> Branch:
        """The general kernel, near q = 1."""
        if q > LARGEST or not self._agrees(q):
            raise PrecisionError(
                f"at the gap {mp.nstr(gap, 5)} and variance {mp.nstr(q, 5)} the inputs are so nearly parallel that phi "
                "still sees one of them only; start further apart, or with a smaller variance"
            )
        kernel = kernel_of(self.phi)
        return Branch(kernel.value(q, q, 1), kernel.gap(q, gap), kernel.slope(q, gap))
