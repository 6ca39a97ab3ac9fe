"""E[phi phi] of erf and GELU for two variances: how far it falls from c = 1 to c, and its slope, without cancellation.

Problem.  The closed forms are arcsines of nearly equal numbers where c is near 1 or variances are large.

Rule.  Tiles whose gaps are all above `PLAIN` take the formulas as they are: their rounding, 1e-15, is 1e-13 of the gap.
Else, with g = 1 - c, P = p p' and y = P c, both 1 - P^2 = r_0^2 and 1 - y^2 = r_1^2 are known without cancellation,
r_1^2 = r_0^2 + P^2 g (2 - g), and so is

    asin P - asin y = atan2(P^2 g (2 - g)/(P r_1 + y r_0), r_0 r_1 + P y)      (numerator P r_1 - y r_0 where c < 0).

    erf    p^2 = 2q/(1 + 2q):   E = (2/pi) asin y                                                    (Williams 1997)
    GELU   p^2 = q/(1 + q), r = sqrt(q q'), m = 1/((1 + q)(1 + q')), d = P^2 g (2 - g)/(r_0 + r_1):
           2 pi E = r [c (pi/2 + asin y + m y/r_1) + P r_1]
           2 pi (E_1 - E) = P^2 d (m/(r_0 r_1) - 1)/sqrt(m) + P^2 g (2 - g) sqrt(m)/r_1 + r g asin y
                            + r (asin P - asin y) + r g pi/2

Tiny case.  erf, q = q' = 1/2, c = 0: P = 1/2, the fall is (2/pi) asin(1/2) = 1/3.

Known limits.  Activations c erf(b x) with other c, b, and GELU's tanh approximation, go through `tensor`.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.activations import activation

PLAIN = 1e-2


class Fall(NamedTuple):
    """E_1 - E, E_1 the value at c = 1, and dE/dc."""

    drop: np.ndarray
    slope: np.ndarray


class Closed(NamedTuple):
    """Functions of (q, q', gap), the variances broadcast against the gaps: `fall`, and `value` (E, dE/dc)."""

    fall: Callable[..., Fall]
    value: Callable[..., tuple[np.ndarray, np.ndarray]]


@lru_cache(maxsize=64)
def closed_form(phi: PiecewiseSmooth) -> Closed | None:
    """The functions of phi, if it is one of those here."""
    known = {"erf": Closed(erf_fall, erf_value), "gelu": Closed(gelu_fall, gelu_value)}
    return next((form for name, form in known.items() if activation(name).piecewise.pieces == phi.pieces), None)


class _Angles(NamedTuple):
    """P, y, P^2 g (2 - g), r_0, r_1, asin P - asin y."""

    top: np.ndarray
    here: np.ndarray
    apart: np.ndarray
    first: np.ndarray
    second: np.ndarray
    turned: np.ndarray


def _angles(p: np.ndarray, other: np.ndarray, first: np.ndarray, gap: np.ndarray) -> _Angles:
    """From the p of both inputs and r_0."""
    top = p * other
    here = 1.0 - gap
    here *= top
    apart = 2.0 - gap
    apart *= gap
    apart *= top
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
    return _Angles(top, here, apart, first, second, np.arctan2(sine, cosine))


def _reciprocal_roots(q: np.ndarray, factor: float) -> np.ndarray:
    return 1 / np.sqrt(1 + factor * q)


# ---- erf ------------------------------------------------------------------------------------------------------


def erf_fall(q: np.ndarray, other: np.ndarray, gap: np.ndarray) -> Fall:
    """E_1 - E = (2/pi) (asin P - asin y)."""
    p, p_other = (np.sqrt(2 * v / (1 + 2 * v)) for v in (q, other))
    first = (0.5 + 2 * q) + (0.5 + 2 * other)
    np.sqrt(first, out=first)
    first *= _reciprocal_roots(q, 2.0)
    first *= _reciprocal_roots(other, 2.0)
    found = _angles(p, p_other, first, gap)
    drop, slope = found.turned, found.top / found.second
    drop *= 2 / np.pi
    slope *= 2 / np.pi
    return Fall(drop, slope)


def erf_value(q: np.ndarray, other: np.ndarray, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(E, dE/dc) as they are."""
    slope = np.sqrt(2 * q / (1 + 2 * q)) * np.sqrt(2 * other / (1 + 2 * other))
    here = 1.0 - gap
    here *= slope
    rest = here * here
    np.subtract(1.0, rest, out=rest)
    np.sqrt(rest, out=rest)
    slope /= rest
    slope *= 2 / np.pi
    np.arcsin(here, out=here)
    here *= 2 / np.pi
    return here, slope


# ---- GELU -----------------------------------------------------------------------------------------------------


def gelu_fall(q: np.ndarray, other: np.ndarray, gap: np.ndarray) -> Fall:
    """E_1 - E, term by term."""
    p, p_other = (np.sqrt(v / (1 + v)) for v in (q, other))
    root_m = _reciprocal_roots(q, 1.0) * _reciprocal_roots(other, 1.0)
    first = (0.5 + q) + (0.5 + other)
    np.sqrt(first, out=first)
    first *= root_m
    found = _angles(p, p_other, first, gap)
    top, here, apart, first, second, turned = found
    r, m, angle = np.sqrt(q) * np.sqrt(other), root_m * root_m, np.arcsin(here)
    drop = apart / (first + second)
    drop *= top
    drop *= top
    drop *= (m / (first * second) - 1.0) / root_m
    apart *= root_m
    apart /= second
    drop += apart
    angle += np.pi / 2
    turned += gap * angle
    turned *= r
    drop += turned
    drop /= 2 * np.pi
    return Fall(drop, _gelu_slope(q, other, m, here / second, angle))


def gelu_value(q: np.ndarray, other: np.ndarray, gap: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(E, dE/dc) as they are: 2 pi E/r = c (pi/2 + asin y + m y/r_1) + P r_1."""
    top = np.sqrt(q / (1 + q)) * np.sqrt(other / (1 + other))
    m = 1 / (1 + q) * (1 / (1 + other))
    c = 1.0 - gap
    angle = c * top
    second = angle * angle
    np.subtract(1.0, second, out=second)
    np.sqrt(second, out=second)
    ratio = angle / second
    np.arcsin(angle, out=angle)
    angle += np.pi / 2
    slope = _gelu_slope(q, other, m, ratio, angle)
    ratio *= m
    angle += ratio
    angle *= c
    top *= second
    angle += top
    angle *= np.sqrt(q) / (2 * np.pi) * np.sqrt(other)
    return angle, slope


def _gelu_slope(q, other, m, ratio, angle) -> np.ndarray:
    """2 pi (dE/dc)/r = angle + (y/r_1) m (3 + q + q' + (y/r_1)^2); `angle` is pi/2 + asin y, `ratio` y/r_1."""
    slope = ratio * ratio
    slope += (3.0 + q) + other
    slope *= m
    slope *= ratio
    slope += angle
    slope *= np.sqrt(q) / (2 * np.pi) * np.sqrt(other)
    return slope
