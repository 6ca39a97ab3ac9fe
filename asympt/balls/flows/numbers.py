"""The quantity of a law of falling steps at any depth, and the constants, in balls.

Rule.  The recursion itself in balls to a layer of `ENTRIES` where its t is well inside the disc of h, and from there on
a curve of which it is proved how near it is to the orbit (`balls.flows.curve`).  A kernel is divided by its norm

    s_l = b psi(l + 1 + beta) + s'                  where the steps are a/(l + beta),
    s_l = s' + b sum_(first < j <= l) delta_j       where they are a/(l^kappa + beta), kappa < 1.

C of kappa = 1 and D are read off the curve at l = 10^digits, where single layers add no more than the last digit.
For kappa < 1 what they add is enclosed up to O(l^-p), p = kappa + min(kappa, 1 - kappa), so C is read off at
l = 10^(digits/p); there T is like l^(1-kappa) beside C, so many more digits does the curve keep, `MOST` at most.  D of
kappa < 1 is not told from what single layers add.
"""

from functools import lru_cache

from flint import arb

from asympt.balls.arithmetic import Refused, bits_for, working
from asympt.balls.flows.curve import OrbitCurve
from asympt.balls.flows.theorem import FlowTheorem
from asympt.balls.printed import PrintedLaw, one_orbit
from asympt.errors import PrecisionError

ENTRIES = (1000, 4000, 16000)
INSIDE = 0.6  # of the disc, where the curve may begin
TERMS = 4.6  # of h at t = 0, for each digit: 0.6^4.6 < 1/10
LONGEST = 40  # coefficients of a power series, where the steps are summed
SPARE, ATTEMPTS = 64, 5  # bits of the orbit, and how often they are doubled
MOST = 160  # digits that the curve keeps for the sake of C
BEYOND = 3  # digits, of the layer where C is read, beyond those asked


class FlowNumbers:
    """Values and constants of a law of falling steps."""

    def __init__(self, asked: PrintedLaw):
        self.asked = asked

    def edge(self, digits: int) -> arb:
        """The radius of the disc in which h, and the flow time, are known."""
        return _theorem(self.asked, digits).radius

    def at(self, start, depth: int, bits: int) -> arb:
        """The quantity in a layer that is iterated to."""
        orbit = one_orbit(self.asked, start, bits)
        with working(bits, LONGEST):
            x = orbit.x(depth).low
            return self._quantity(x, None if self.asked.norm is None else orbit.a(depth).low, depth, bits)

    def value(self, start, depth: int, digits: int) -> arb:
        """The quantity at any depth."""
        if depth <= ENTRIES[0]:
            return self.at(start, depth, bits_for(digits))
        curve = _curve(self.asked, start, digits)
        if depth <= curve.layer:
            return self.at(start, depth, bits_for(digits))
        piece, bits = curve.piece(depth), curve.bits(depth)
        with working(bits, LONGEST):
            return self._quantity(*piece.at(depth, self.asked.map_.root), depth, bits)

    def constants(self, start, digits: int) -> tuple:
        """C, and D of a kernel where kappa = 1."""
        kappa = self.asked.map_.exponent
        sharp = 1 if kappa == 1 else kappa + min(kappa, 1 - kappa)
        far = int((digits + BEYOND) // sharp) + 1  # digits of the layer
        keeps = digits + int((1 - kappa) * far) + 1
        if keeps > MOST:
            raise Refused(f"C would be read off at layer 10^{far}, beyond what the curve keeps")
        curve, layer = _curve(self.asked, start, keeps), 10**far
        theorem = curve.theorem
        with working(curve.bits(layer)):
            x, k = curve.piece(layer).at(layer, theorem.root)
            t = x if theorem.root == 1 else x.root(theorem.root)
            if kappa < 1:
                return theorem.connection(layer, [t, t], x), None
            c = theorem.constant(layer, t)
            return c, None if k is None else theorem.weight(layer, t, x, k)[0]

    def _quantity(self, x: arb, k: arb | None, depth: int, bits: int) -> arb:
        law = self.asked
        return x if law.norm is None else k / law.norm_in_layer(depth, law.map_.known(bits))


@lru_cache(maxsize=64)
def _theorem(asked: PrintedLaw, digits: int) -> FlowTheorem:
    return asked.theorem(int(TERMS * digits) + 20, 2 * bits_for(digits))


@lru_cache(maxsize=64)
def _curve(asked: PrintedLaw, start, digits: int) -> OrbitCurve:
    """From the first layer on that is well inside."""
    theorem, reason = _theorem(asked, digits), Refused("the layers do not come near enough to the limit")
    for layer in ENTRIES:
        if layer < max(asked.map_.sizes, default=0):
            continue
        t, k = _state(asked, start, layer, digits)
        if not t < theorem.radius * INSIDE:
            continue
        try:
            curve = OrbitCurve(theorem, asked.map_.exponent, layer, (t, k), digits)
            curve.piece(layer + 1)
            return curve
        except (Refused, PrecisionError) as refused:
            reason = refused
    raise reason


def _state(asked: PrintedLaw, start, layer: int, digits: int) -> tuple[arb, arb | None]:
    """(t, k) in a layer that is iterated to, to more digits than those asked."""
    bits, reason = bits_for(digits) + SPARE, PrecisionError("too many digits are lost on the way")
    for _ in range(ATTEMPTS):
        orbit = one_orbit(asked, start, bits)
        try:
            with working(bits):
                found = orbit.t(layer).low, None if asked.norm is None else orbit.a(layer).low
            if all(ball is None or ball.rel_accuracy_bits() > bits_for(digits) for ball in found):
                return found
        except (Refused, PrecisionError) as refused:  # a wide ball is not seen to fall either
            reason = refused
        bits *= 2
    raise reason
