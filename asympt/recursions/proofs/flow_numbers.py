"""The quantity of a law of falling steps at one depth, in balls.

Problem.  x_l, or k_l/s_l, of one start: the theorem about the law bounds it from layer 1 on, but to a few digits only.

Rule.  The recursion itself in balls, layer by layer (`balls.flows.orbit`).  A kernel is divided by its norm

    s_l = b psi(l + 1 + beta) + s'                  where the steps are a/(l + beta),
    s_l = s' + b sum_(first < j <= l) delta_j       where they are a/(l^kappa + beta), kappa < 1.

What is proved: the number for the recursion whose formulas the certificate names.  What is trusted: that SymPy turned
the network into these formulas, Arb, and this code.

Tiny case.  h = x^2, delta_l = 1/(l + 1), x_0 = 1/2: x_1 = 3/8.

Known limits.  Depths that can be iterated to: what single layers add to the flow time is bounded by a multiple of 1/l
(l^-kappa), of which a deep layer leaves too few digits.
"""

from functools import lru_cache

from flint import arb

from asympt.balls.arithmetic import Refused, working
from asympt.balls.flows.law import FlowLaw
from asympt.balls.flows.orbit import FlowOrbit

LONGEST = 40  # coefficients of a power series, where the steps are summed
TOO_DEEP = (
    "a law of falling steps has a certificate, but its numbers are proved only as deep as its layers can be iterated to"
)


class FlowNumbers:
    """Values of a law of falling steps."""

    def __init__(self, asked: FlowLaw):
        self.asked = asked

    def edge(self, _digits: int) -> arb:
        """None: no flow time is known to given digits."""
        raise Refused(TOO_DEEP)

    def at(self, start, depth: int, bits: int) -> arb:
        """The quantity in a layer that is iterated to."""
        orbit, law = _orbit(self.asked, start, bits), self.asked
        with working(bits, LONGEST):
            if law.norm is None:
                return orbit.x(depth).low
            return orbit.k(depth).low / law.norm_in_layer(depth, law.map_.known(bits))

    def value(self, _start, _depth: int, _digits: int) -> arb:
        """Nothing is proved beyond the layers that are iterated to."""
        raise Refused(TOO_DEEP)

    def constants(self, _start, _digits: int) -> tuple:
        """Nothing is proved of them but what the certificate says."""
        raise Refused(TOO_DEEP)


@lru_cache(maxsize=16)
def _orbit(asked: FlowLaw, start, bits: int) -> FlowOrbit:
    return FlowOrbit(asked.map_, start, start, asked.first, bits, asked.start)
