"""E[phi(U) phi(V)] by brute force: the independent check of every closed form.

Problem.  U and V are standard normal with correlation c; phi is any Python function on mpmath numbers
that is smooth on both sides of 0 and grows at most like a power.

Rule.  Write (U, V) = (R cos a, R cos(a - theta)), c = cos theta, with R of density R exp(-R^2/2) and a uniform.
Both kinks are rays in the (R, a) plane, a = +-pi/2 and a = theta +- pi/2, so cutting the circle there leaves
smooth integrands, for which the Gauss-Legendre rule converges geometrically.

Tiny case.  phi(x) = x gives c.

Known limits.  Only kinks at 0; the radial integral is cut where exp(-R^2/2) is below the precision.
"""

from collections.abc import Callable

import mpmath
from mpmath import mp


def gaussian_expectation(phi: Callable, c, digits: int = 30):
    """E[phi(U) phi(V)] at correlation c by a two-dimensional quadrature, to about `digits` digits.

    >>> mpmath.nstr(gaussian_expectation(lambda x: x, mpmath.mpf(1) / 4, digits=15), 12)
    '0.25'
    """
    with mp.workdps(digits + 10):
        theta = mp.acos(mpmath.mpf(c))
        kinks = {-mp.pi / 2, mp.pi / 2, _wrapped(theta - mp.pi / 2), _wrapped(theta + mp.pi / 2)}
        angles = sorted({-mp.pi, mp.pi, *kinks})
        reach = mp.sqrt(2 * mp.log(10) * (digits + 10)) + 2
        radii = mp.linspace(0, reach, 4)

        def density(radius, angle):
            weight = radius * mp.exp(-(radius**2) / 2) / (2 * mp.pi)
            return weight * phi(radius * mp.cos(angle)) * phi(radius * mp.cos(angle - theta))

        value = mp.quad(density, radii, angles, method="gauss-legendre")
    return value


def _wrapped(angle):
    """The angle brought into [-pi, pi]."""
    return angle - 2 * mp.pi if angle > mp.pi else angle
