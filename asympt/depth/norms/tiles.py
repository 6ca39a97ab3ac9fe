"""One layer of a smooth activation for a tile of pairs: rows and columns are inputs with variances of their own.

Problem.  As in `moving`: every pair has its own correlation map.  But what a map needs of an input is a property of the
input, and a tile of n x m pairs has n + m inputs only.

Rule.  With W = skip q + beta_l (sigma_b^2 + sigma_w^2 E) and v = (sqrt(skip q), sqrt(beta_l) sigma_b,
sqrt(beta_l E) sigma_w), so that W = v.v, and spread and drop as in `spread` and `closed` or `tensor`,

    sqrt(W W') (1 - c') = sum_(i<j) (v_i v_j' - v_j v_i')^2/(sqrt(W W') + v.v') + beta_l sigma_w^2 spread
                          + skip r g + beta_l sigma_w^2 drop,                        r = sqrt(q q'),

all terms positive: Lagrange's identity says what different variances alone take, whatever is added.  The first line
over sqrt(W W') (q - q')^2/(q + q')^2 is a smooth function of q and q', a sum of a few products.

Tiny case.  No bias, no skip, q = q': 1 - c' = sigma_w^2 drop/W.

Known limits.  phi without breakpoints and not too steep (`moves_in_tiles`); others go pair by pair (`moving`).
"""

from dataclasses import dataclass

import numpy as np

from asympt.depth.cells import MOST, SMALLEST, cells
from asympt.depth.moving import Moving
from asympt.depth.norms.closed import PLAIN, closed_form
from asympt.depth.norms.spread import WIDEST, factors, sampled, spread_table
from asympt.depth.norms.tensor import Tensor
from asympt.gaussian.piecewise import PiecewiseSmooth


def moves_in_tiles(phi: PiecewiseSmooth, q: np.ndarray) -> bool:
    """Whether layers of inputs with these variances can be moved in tiles."""
    if phi.breaks or q.min() < SMALLEST or np.log2(q.max() / q.min()) > WIDEST:
        return False
    return closed_form(phi) is not None or cells(phi).count(int(np.floor(np.log2(q.max())))) <= MOST


@dataclass(frozen=True)
class TileSide:
    """All inputs before a layer: variances q, W after it, and what a tile needs of them.

    `apart`: factors of what different variances take from 1 - c', over (q - q')^2/(q + q')^2.
    """

    layer: Moving
    q: np.ndarray
    moment: np.ndarray
    after: np.ndarray
    apart: tuple[np.ndarray, np.ndarray]
    tensor: Tensor | None

    @classmethod
    def of(cls, layer: Moving, q: np.ndarray) -> "TileSide":
        """The inputs at a layer."""
        moment = cells(layer.phi).moments(q)[:, 0]
        found = factors(*sampled(lambda points: _apart(layer, points), q, 1e-13))
        tensor = None if closed_form(layer.phi) else Tensor.of(layer.phi, q)
        return cls(layer, q, moment, _after(layer, q, moment), (found.rows(q), found.columns(q)), tensor)


def _after(layer: Moving, q: np.ndarray, moment: np.ndarray) -> np.ndarray:
    skip = 0.0 if layer.added is None else layer.added.skip
    return skip * q + layer.bias + layer.weight * moment


def _apart(layer: Moving, q: np.ndarray) -> np.ndarray:
    """What different variances take from 1 - c', over (q - q')^2/(q + q')^2: spread and Lagrange's sum."""
    spread, ratio = spread_table(layer.phi)(q)
    moment = cells(layer.phi).moments(q)[:, 0]
    roots, skip = np.sqrt(q), 0.0 if layer.added is None else layer.added.skip
    r = roots[:, None] * roots
    norm = np.sqrt(_after(layer, q, moment))
    norm = norm[:, None] * norm
    moments = np.sqrt(moment)
    crossed = (layer.bias * layer.weight) * ratio**2
    if skip:
        means = (q[:, None] + q) / (roots[:, None] + roots)
        tilted = moments[:, None] * means - roots[:, None] * ratio
        crossed = crossed + skip * layer.bias * means**2 + skip * layer.weight * tilted**2
    products = skip * r + layer.bias + layer.weight * moments[:, None] * moments
    return (layer.weight * spread + crossed / (norm + products)) / norm


def tile_layer(side: TileSide, rows, columns, gap: np.ndarray, kernel: np.ndarray) -> None:
    """Moves the tile `gap`, `kernel` of the pairs rows x columns (indices of inputs) through the layer, in place."""
    layer, added = side.layer, side.layer.added
    q, other, form = side.q[rows, None], side.q[columns], closed_form(layer.phi)
    norm = 1 / np.sqrt(side.after)
    scale = (layer.weight * norm)[rows, None] * norm[columns]
    skip = None
    if added is not None and added.skip:
        skip = (added.skip * norm * np.sqrt(side.q))[rows, None] * (norm * np.sqrt(side.q))[columns]
    if form and gap.min() > PLAIN:
        value, slope = form.value(q, other, gap)
        after = 1.0 - (layer.bias * norm)[rows, None] * norm[columns]
        after -= scale * value
        if skip is not None:
            after -= skip * (1.0 - gap)
    else:
        drop, slope = form.fall(q, other, gap) if form else side.tensor.fall(rows, columns, gap)
        after = side.apart[0][rows] @ side.apart[1][:, columns]
        np.maximum(after, 0.0, out=after)
        difference = q - other
        difference /= q + other
        after *= difference
        after *= difference
        drop *= scale
        after += drop
        if skip is not None:
            after += skip * gap
    slope *= scale
    if skip is not None:
        slope += skip
        skip *= 1.0 - gap
    kernel *= slope
    np.clip(after, 0.0, 2.0, out=gap)
    if added is None:
        kernel += 1.0
        kernel -= gap
    else:
        kernel += _source(side, (norm[rows, None] * norm[columns]), gap, skip)


def _source(side: TileSide, norm: np.ndarray, gap: np.ndarray, skipped: np.ndarray | None) -> np.ndarray:
    """(lambda_b + lambda_W E)/sqrt(W W'), from c' = skipped + (beta_l sigma_b^2 + beta_l sigma_w^2 E)/sqrt(W W')."""
    layer, added = side.layer, side.layer.added
    share = added.weight_rate / layer.weight
    image = 1.0 - gap if skipped is None else 1.0 - gap - skipped
    return share * image + (added.bias_rate - share * layer.bias) * norm
