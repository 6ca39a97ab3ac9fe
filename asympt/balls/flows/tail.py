"""What single layers add to a flow time and to a kernel, O(l^-kappa) from layer n on, and the tail beyond one depth."""

from dataclasses import dataclass, field

from flint import arb
from sympy import Rational, S

from asympt.balls.arithmetic import Refused, exact_rational
from asympt.balls.flows.theorem import FlowTheorem
from asympt.balls.inversion import Beyond, Bidisc, Tail


@dataclass(frozen=True)
class Errors:
    """What single layers add, from layer n on.

    |T - clock - C - e l^-kappa| <= E l^-kappa,  |k - P - D h| <= K l^-mu log(l)^b,
    |s - s_0 - rate clock| <= S l^-kappa.  exponent: kappa;  fall, logs: mu and b;  centre: e.
    """

    time: arb
    kernel: arb
    norm: arb
    exponent: Rational = S.One
    fall: Rational = S.One
    logs: int = 0
    centre: arb = field(default_factory=arb)

    def _at(self, size: arb, exponent: Rational, depth: arb) -> arb:
        return (size * (-exact_rational(exponent) * depth.lower()).exp()).upper()

    def time_at(self, depth: arb) -> arb:
        """The first at log l = depth, and deeper."""
        return self._at(self.time, self.exponent, depth)

    def centre_at(self, depth: arb) -> arb:
        """e l^-kappa, about which the flow time is."""
        return self.centre * (-exact_rational(self.exponent) * depth).exp()

    def centre_slope(self, depth: arb) -> arb:
        """Its derivative to log l."""
        return self.centre_at(depth) * -exact_rational(self.exponent)

    def kernel_at(self, depth: arb) -> arb:
        """The second; a logarithm makes it fall from log l = b/mu on."""
        if not depth.lower() * exact_rational(self.fall) >= self.logs:
            raise Refused("the error of the kernel is not seen to fall; begin at a deeper layer")
        return (self._at(self.kernel, self.fall, depth) * depth.lower() ** self.logs).upper()

    def norm_at(self, depth: arb) -> arb:
        """The third."""
        return self._at(self.norm, self.exponent, depth)


@dataclass(frozen=True)
class _Seen:
    """A `FlowTheorem` as `Tail` wants it: with all errors in T/a."""

    theorem: FlowTheorem
    small: arb

    def __getattr__(self, name: str):
        return getattr(self.theorem, name)

    def error(self, t: arb) -> arb:
        """Of A_N(t) = Lambda + C/a."""
        return self.theorem.truncation(t) + self.small


class FlowTail(Tail):
    """The tail from Lambda on; moved: E/a;  own: G, where the quantity itself has an error G/l."""

    def __init__(self, theorem: FlowTheorem, root, parts, printed: Beyond, constant: arb, moved: arb, own: arb,
                 depth: arb):
        super().__init__(_Seen(theorem, moved * (-depth).exp()), root, parts, printed, constant)
        self.moved, self.own = moved, own

    def bound(self, layer: arb, t: arb, bidisc: Bidisc, own: tuple[arb, int] | None = None) -> dict[str, arb]:
        """With B5, what single layers add, for all Lambda >= `layer`."""
        found = super().bound(layer, t, bidisc, own)
        return found | {"B5": self._single_layers(layer, t, bidisc)}

    def _single_layers(self, depth: arb, t: arb, bidisc: Bidisc) -> arb:
        """Multiples of e^-Lambda over X^a0 log(Lambda)^b0."""
        m, a0, logs = self.m, self.printed.weight, depth.log()
        x, most = (1 / depth).root(m) if m > 1 else 1 / depth, max([part.logs for part in self.parts])
        if not depth >= arb(a0) / m + arb(max(0, most - self.printed.logs)) / logs:
            raise Refused("what single layers add is not seen to fall against the remainder; begin deeper")
        room = bidisc.y - (self.env(logs) + self.theorem.error(t)) * x**m
        sup = sum((part.sup(bidisc) * self._over(logs, part.logs) for part in self.parts), arb(0))
        size = sup / room * self.moved * x**m + self.own * self._over(logs, 0)
        return (size * (-depth).exp() / x**a0).upper()
