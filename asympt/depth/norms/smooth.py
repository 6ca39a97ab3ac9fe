"""One layer of a smooth activation for pairs of inputs with variances of their own: closed forms, or tensors.

Rule.  Tiles whose gaps are all away from 0 and 2 (`closed.PLAIN`) take E as it stands where it has a closed form; else
the fall from c = 1 (`closed`, `tensor`) and what different variances alone take (`spread`) are added, all of them
positive.

Tiny case.  erf, q = q', no bias: 1 - c' = (asin P - asin y)/asin P, P = 2q/(1 + 2q), y = P c.

Known limits.  phi without breakpoints and not too steep (`is_tabled`).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from asympt.depth.cells import MOST, SMALLEST, cells
from asympt.depth.norms.closed import PLAIN, closed_form
from asympt.depth.norms.pairing import Paired, Tile
from asympt.depth.norms.spread import WIDEST, factors, sampled, spread_table
from asympt.depth.norms.tensor import Tensor
from asympt.depth.norms.tiles import Sides, apart
from asympt.gaussian.piecewise import PiecewiseSmooth


def is_tabled(phi: PiecewiseSmooth, q: np.ndarray) -> bool:
    """Whether layers of inputs with these variances have such tables."""
    if phi.breaks or q.min() < SMALLEST or np.log2(q.max() / q.min()) > WIDEST:
        return False
    return closed_form(phi) is not None or cells(phi).count(int(np.floor(np.log2(q.max())))) <= MOST


@dataclass(frozen=True)
class SmoothSides(Sides):
    """The inputs, rows and columns alike; `most` is the largest |c| of their pairs."""

    most: float = 1.0

    @cached_property
    def apart(self) -> tuple[np.ndarray, np.ndarray]:
        """What different variances take from 1 - c', over (q - q')^2/(q + q')^2."""
        table = spread_table(self.layer.phi)
        found = factors(*sampled(lambda points: apart(self.layer, points, points, table(points)), self.q, 1e-13))
        return found.rows(self.q), found.columns(self.q)

    @cached_property
    def tensor(self) -> Tensor:
        """The fall where there is no closed form."""
        return Tensor.of(self.layer.phi, self.q, self.most)

    @cached_property
    def roots(self) -> tuple[np.ndarray, np.ndarray]:
        """s/sqrt(W) of a closed form, sigma_w^2 in the first."""
        one = closed_form(self.layer.phi).root(self.q) * self.norms[0]
        return self.layer.weight * one, one

    def image(self, where: Tile | Paired, gap: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(1 - c', what the branch multiplies k by) at pairs of inputs."""
        form, q, other = closed_form(self.layer.phi), where.first(self.q), where.second(self.q)
        if form is None:
            unit = self.tilted(where, self.layer.weight)
            return self.fallen(where, self.apart, *self.tensor.fall(where, gap, rest), unit, gap)
        unit = where.first(self.roots[0]) * where.second(self.roots[1])
        if gap.min() > PLAIN and rest.min() > PLAIN:
            return self.plain(where, *form.value(q, other, gap), unit, gap)
        return self.fallen(where, self.apart, *form.fall(q, other, gap, rest), unit, gap)
