"""E[phi(U) phi(V)] by brute force: the independent check of every closed form.

Problem.  U and V are standard normal with correlation c; phi is any Python function on mpmath numbers
that is smooth between its breakpoints and grows at most like a power.

Rule.  Write (U, V) = (R cos a, R cos(a - theta)), c = cos theta, with R of density R exp(-R^2/2) and a uniform.
Kinks at 0 are rays in the (R, a) plane, a = +-pi/2 and a = theta +- pi/2, so cutting the circle there leaves
smooth integrands, for which the Gauss-Legendre rule converges geometrically.  With breakpoints elsewhere the plane is
cut along U = x_j and V = x_j instead: V given U is c U + s Z, s = sin theta, and Z is cut at (x_j - c U)/s.

Tiny case.  phi(x) = x gives c.

Known limits.  The integral is cut where exp(-R^2/2) is below the precision.  With breakpoints away from 0, c within
about 0.01 of +-1 loses digits: `kernel` is the tool for that."""

from collections.abc import Callable, Sequence

import mpmath
from mpmath import mp

STEP = 2  # standard deviations between two cuts of the range


def gaussian_expectation(phi: Callable, c, digits: int = 30, breaks: Sequence = (0,)):
    """E[phi(U) phi(V)] at correlation c by a two-dimensional quadrature, to about `digits` digits.

    `breaks` are the points where phi is not smooth.

    >>> mpmath.nstr(gaussian_expectation(lambda x: x, mpmath.mpf(1) / 4, digits=15), 12)
    '0.25'
    """
    with mp.workdps(digits + 10):
        reach = mp.sqrt(2 * mp.log(10) * (digits + 10)) + 2
        if all(point == 0 for point in breaks):
            return _by_angle(phi, mpmath.mpf(c), reach)
        return _by_conditioning(phi, mpmath.mpf(c), reach, [mp.convert(point) for point in breaks])


def _by_angle(phi: Callable, c, reach):
    theta = mp.acos(c)
    kinks = {-mp.pi / 2, mp.pi / 2, _wrapped(theta - mp.pi / 2), _wrapped(theta + mp.pi / 2)}
    angles = sorted({-mp.pi, mp.pi, *kinks})
    radii = mp.linspace(0, reach, 4)

    def density(radius, angle):
        weight = radius * mp.exp(-(radius**2) / 2) / (2 * mp.pi)
        return weight * phi(radius * mp.cos(angle)) * phi(radius * mp.cos(angle - theta))

    return mp.quad(density, radii, angles, method="gauss-legendre")


def _by_conditioning(phi: Callable, c, reach, breaks: list):
    """Outer integral over U, cut at the breakpoints and in steps of a layer s around them; inner over Z."""
    spread = mp.sqrt(1 - c**2)

    def conditional(u):
        cuts = [(point - c * u) / spread for point in breaks] if spread else []
        return mp.quad(lambda z: mp.npdf(z) * phi(c * u + spread * z), _cuts(cuts, reach), method="gauss-legendre")

    layers = [point / c + k * STEP * spread / abs(c) for point in breaks for k in range(-3, 4)] if c and spread else []
    mirrored = [point / c for point in breaks] if abs(c) == 1 else []
    edges = _cuts([*breaks, *layers, *mirrored], reach)
    inner = conditional if spread else lambda u: phi(c * u)
    return mp.quad(lambda u: mp.npdf(u) * phi(u) * inner(u), edges, method="gauss-legendre")


def _cuts(points: Sequence, reach) -> list:
    """The range in even steps, and the points inside it."""
    even = mp.linspace(-reach, reach, int(2 * reach / STEP) + 2)
    return sorted({*even, *(point for point in points if abs(point) < reach)})


def _wrapped(angle):
    """The angle brought into [-pi, pi]."""
    return angle - 2 * mp.pi if angle > mp.pi else angle
