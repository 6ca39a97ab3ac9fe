"""One layer of a smooth activation for pairs of inputs with variances of their own: closed forms, or tensors.

Tiles whose gaps are all between `PLAIN` and 2 - `PLAIN` take E as it stands; else the fall from c = 1 and what
different variances alone take (`products`) are added, positive.  With g = 1 - c, P = p p', y = P c, r_0^2 = 1 - P^2,
r_1^2 = r_0^2 + P^2 g (2 - g),

    asin P - asin y = atan2(P^2 g (2 - g)/(P r_1 + y r_0), r_0 r_1 + P y)      (numerator P r_1 - y r_0 where c < 0)
    erf    p^2 = 2q/(1 + 2q), s^2 = 2/pi:   E/(s s') = asin y                                        (Williams 1997)
    GELU   p^2 = q/(1 + q), s^2 = q/(2 pi), m = 1/((1 + q)(1 + q')), d = P^2 g (2 - g)/(r_0 + r_1):
           E/(s s')         = c (pi/2 + asin y + m y/r_1) + P r_1
           (E_1 - E)/(s s') = P [d (m/(r_0 r_1) - 1) + g (2 - g) m/r_1] + g (pi/2 + asin y) + asin P - asin y
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from asympt.depth.cells import MOST, SMALLEST, cells
from asympt.depth.norms.products import WIDEST, Fall, Tensor, factors, sampled, spread_table
from asympt.depth.norms.tiles import Paired, Sides, Tile, apart
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.activations import activation

# ---- closed forms ----------------------------------------------------------------------------------------------------

PLAIN = 1e-2


class Closed(NamedTuple):
    """Functions of (q, q', gap), the variances broadcast against the gaps: `fall` (of 2 - gap as well), and `value`
    (E, dE/dc), both divided by s s', s = `root`(q).
    """

    fall: Callable[..., Fall]
    value: Callable[..., tuple[np.ndarray, np.ndarray]]
    root: Callable[[np.ndarray], np.ndarray]


@lru_cache(maxsize=64)
def closed_form(phi: PiecewiseSmooth) -> Closed | None:
    """The functions of phi, if it is one of those here."""
    known = {
        "erf": Closed(erf_fall, erf_value, lambda q: np.full_like(q, np.sqrt(2 / np.pi))),
        "gelu": Closed(gelu_fall, gelu_value, lambda q: np.sqrt(q / (2 * np.pi))),
    }
    return next((form for name, form in known.items() if activation(name).piecewise.pieces == phi.pieces), None)


class _Angles(NamedTuple):
    """P, y, g (2 - g), P^2 g (2 - g), r_0, r_1, asin P - asin y."""

    top: np.ndarray
    here: np.ndarray
    wide: np.ndarray
    apart: np.ndarray
    first: np.ndarray
    second: np.ndarray
    turned: np.ndarray


def _angles(p: np.ndarray, other: np.ndarray, first: np.ndarray, gap: np.ndarray, rest: np.ndarray) -> _Angles:
    """From the p of both inputs, r_0, g and 2 - g."""
    top = p * other
    here = 1.0 - gap
    here *= top
    wide = rest * gap
    apart = wide * top
    apart *= top
    second = first * first
    second += apart
    np.sqrt(second, out=second)
    total = np.abs(here)
    total *= first
    total += top * second
    sine = apart / total
    if gap.max() >= 1:
        np.copyto(sine, total, where=gap >= 1)
    cosine = first * second
    cosine += top * here
    return _Angles(top, here, wide, apart, first, second, np.arctan2(sine, cosine))


def _reciprocal_roots(q: np.ndarray, factor: float) -> np.ndarray:
    return 1 / np.sqrt(1 + factor * q)


# ---- erf ------------------------------------------------------------------------------------------------------


def erf_fall(q: np.ndarray, other: np.ndarray, gap: np.ndarray, rest: np.ndarray) -> Fall:
    """(E_1 - E)/(s s') = asin P - asin y."""
    p, p_other = (np.sqrt(2 * v / (1 + 2 * v)) for v in (q, other))
    first = (0.5 + 2 * q) + (0.5 + 2 * other)
    np.sqrt(first, out=first)
    first *= _reciprocal_roots(q, 2.0)
    first *= _reciprocal_roots(other, 2.0)
    found = _angles(p, p_other, first, gap, rest)
    return Fall(found.turned, found.top / found.second)


def erf_value(q: np.ndarray, other: np.ndarray, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(E, dE/dc)/(s s') as they are."""
    slope = np.sqrt(2 * q / (1 + 2 * q)) * np.sqrt(2 * other / (1 + 2 * other))
    here = 1.0 - gap
    here *= slope
    rest = here * here
    np.subtract(1.0, rest, out=rest)
    np.sqrt(rest, out=rest)
    slope /= rest
    return np.arcsin(here, out=here), slope


# ---- GELU -----------------------------------------------------------------------------------------------------


def gelu_fall(q: np.ndarray, other: np.ndarray, gap: np.ndarray, rest: np.ndarray) -> Fall:
    """(E_1 - E, dE/dc)/(s s'), term by term."""
    p, p_other = (np.sqrt(v / (1 + v)) for v in (q, other))
    root_m = _reciprocal_roots(q, 1.0) * _reciprocal_roots(other, 1.0)
    first = (0.5 + q) + (0.5 + other)
    np.sqrt(first, out=first)
    first *= root_m
    top, here, wide, apart, first, second, turned = _angles(p, p_other, first, gap, rest)
    m, angle = root_m * root_m, np.arcsin(here)
    angle += np.pi / 2
    drop = apart / (first + second)
    drop *= m / (first * second) - 1.0
    wide *= m
    wide /= second
    drop += wide
    drop *= top
    turned += gap * angle
    drop += turned
    here /= second
    return Fall(drop, _gelu_slope(q, other, here, here * m, angle))


def gelu_value(q: np.ndarray, other: np.ndarray, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(E, dE/dc)/(s s') as they are: c (pi/2 + asin y + m y/r_1) + P r_1."""
    top = np.sqrt(q / (1 + q)) * np.sqrt(other / (1 + other))
    c = 1.0 - gap
    angle = c * top
    second = angle * angle
    np.subtract(1.0, second, out=second)
    np.sqrt(second, out=second)
    ratio = angle / second
    np.arcsin(angle, out=angle)
    angle += np.pi / 2
    tilted = 1 / (1 + q) * (1 / (1 + other))
    tilted *= ratio
    slope = _gelu_slope(q, other, ratio, tilted, angle)
    angle += tilted
    angle *= c
    top *= second
    angle += top
    return angle, slope


def _gelu_slope(q, other, ratio: np.ndarray, tilted: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """dE/dc/(s s') = angle + m (y/r_1) (3 + q + q' + (y/r_1)^2); `angle` is pi/2 + asin y, `ratio` y/r_1, overwritten,
    `tilted` m y/r_1.
    """
    ratio *= ratio
    ratio += 3.0 + q
    ratio += other
    ratio *= tilted
    ratio += angle
    return ratio


# ---- one layer -------------------------------------------------------------------------------------------------------


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
