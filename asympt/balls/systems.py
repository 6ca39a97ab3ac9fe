"""Triangular systems: coordinates w that settle by themselves, then the scalar map with an error that shrinks.

s' = G(s, w), w' = V(w) with G_w(0, 0) = 0 and V(0) = 0.  In the box 0 <= s <= S, |w_j| <= Y of layer n_0,

    |w'| <= b |w|,  b = sup max_i sum_j |V_ij|,          |G(s, w) - G(s, 0)| <= L_1 s |w| + L_2 |w|^2,
    L_1 = sup sum_j |G_(s w_j)|,   L_2 = sup sum_ij |G_(w_i w_j)|/2,

so that the lemma of `balls.transient` holds for w in place of what is left of two variances.

Tiny case.  x' = x - x^2 + x y, y' = y/2: L_1 = 1, L_2 = 0, b = 1/2.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from flint import arb
from sympy import Expr, Symbol

from asympt.balls.abel import AbelTheorem
from asympt.balls.arithmetic import Refused, between, largest
from asympt.balls.expression import number, program_of
from asympt.balls.orbit import BallInterval, image
from asympt.balls.transient import SettledTheorem, SettlingLayer, SettlingOrbit


@dataclass(frozen=True, eq=False)
class TriangularMap(SettlingLayer):
    """G and V as expressions in the symbols of (s, w); `reach`: S."""

    state: tuple[Symbol, ...]
    images: tuple[Expr, ...]
    reach: Expr

    settling = "the faster coordinates"
    shows = "|w_l| <= Y b^(l - l_1), s' = g(s) up to L_1 s Y + L_2 Y^2 from n0 on"

    def centre(self, map_, bits: int) -> tuple[arb, arb]:
        """0, in the unit 1."""
        return arb(0), arb(1)

    def onward(self, map_, w: tuple[arb, ...], bits: int) -> tuple[arb, ...]:
        """V(w)."""
        known = dict(zip(self.state[1:], w, strict=True))
        return tuple(number(one, known) for one in self.images[1:])

    def bounds(self, map_, y: arb, bits: int) -> tuple[arb, arb, arb]:
        """b, L_1 and L_2 where no |w_j| is above y."""
        (s, *others), (image_, *rest) = self.state, self.images
        box = {s: between(arb(0), number(self.reach)), **dict.fromkeys(others, arb(0, y))}

        def size(formulas: Iterable[Expr]) -> arb:
            return sum((abs(number(f, box)) for f in formulas), arb(0)).upper()

        b = largest(size(f.diff(w) for w in others) for f in rest)
        if not b < 1:
            raise Refused(f"the faster coordinates are not shown to contract: b = {b.str(6, radius=False)}")
        return b, size(image_.diff(s, w) for w in others), size(image_.diff(v, w) for v in others for w in others) / 2


@dataclass
class SystemOrbit(SettlingOrbit):
    """s_n of one start of a triangular system: `layer` is the map, `variances` what w is at first."""

    layer: TriangularMap = field(kw_only=True)

    def theorem(self, theorem: AbelTheorem, layer: int) -> SettledTheorem:
        """That of the scalar map, for this orbit from a layer on, from which s never grows."""
        self._require_near(self.t(layer))
        return super().theorem(theorem, layer)

    def _following(self, t: BallInterval, a: BallInterval | None, known: Mapping[Symbol, arb]) -> tuple:
        self._require_near(t)
        return super()._following(t, a, known)

    def _require_near(self, t: BallInterval) -> None:
        if not t.upper <= number(self.layer.reach):
            raise Refused(f"s comes to {t.ball.str(6)}, beyond {self.layer.reach}, to which L_1 and L_2 are known")

    def _own(self, t: BallInterval, a: None, layer: int) -> tuple[BallInterval, None]:
        """s after the layer of the system."""
        s, *others = self.layer.state
        w = self.rest.variances[layer - self.first]
        return image(program_of(self.layer.images[0], s), t, dict(zip(others, w, strict=True))), None
