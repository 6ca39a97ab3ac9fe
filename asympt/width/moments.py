"""The Gaussian moments of one layer that the recursions of order 1/n are made of, for one input or two.

The covariance has the coordinates j = (q,) of one input, and (p, d, Delta) of two (`rules`); an NTK has the entries
k = (11,), or (11), (22), (12).  Derivatives in the covariance are means with the scores of the normal density,

    d_i E f = E[f s_i],   d_i d_j E f = E[f s_ij],    s_i = (z.N_i z - tr N_i)/2,
    s_ij = s_i s_j - z.(N_i N_j + N_j N_i) z/2 + tr(N_i N_j)/2,      N_i = L^-1 (d_i Sigma) L^-T,

so phi need not be smooth: kinks cost nothing.  What tends to 0 with Delta is a mean of (phi_U - phi_V)^2/2 or of
(phi'_U - phi'_V)^2/2, and nothing cancels; what depends on one input alone is a mean over one variable.
"""

from typing import Any, NamedTuple

import numpy as np

from asympt.width.rules import Plane, Rules


class LayerMoments(NamedTuple):
    """One layer; i, j run over coordinates of the covariance, k over entries of the NTK, a over inputs.

    image:   F(G), coordinates, without the bias;   jacobian [i, j], hessian [i, j, j'];  noise = Cov of its summand
    slopes:  g_k = sigma_w^2 E[phi'_a phi'_b];   slopes_in [k, j], slopes_twice [k, j, j']
    mixed:   sigma_w^4 Cov(summand of F_j, phi'_a phi'_b) [j, k];   fourth: sigma_w^4 E[phi'_a^2 phi'_b^2] [k]
    squares: the value of F_k, an entry of the kernel, without the bias [k]
    transfer: X^a [a, c, e];   products: sigma_w^4 E[phi_c phi_e phi'_a phi'_b] [k, c, e]; c, e: (half sum, half
    difference) of two inputs
    """

    image: Any
    jacobian: Any
    hessian: Any
    noise: Any
    squares: Any
    slopes: Any
    slopes_in: Any
    slopes_twice: Any
    mixed: Any
    fourth: Any
    transfer: Any
    products: Any


def one_input(rules: Rules, weight, q) -> LayerMoments:
    """Of one input of variance q; `weight` is sigma_w^2.

    >>> from asympt.width.rules import FloatNumbers
    >>> from asympt import activation
    >>> found = one_input(Rules(activation("relu").piecewise, FloatNumbers()), 2.0, 1.0)
    >>> round(float(found.noise[0, 0]), 12), round(float(found.fourth[0]), 12)
    (5.0, 2.0)
    """
    found = _marginal(rules, weight, q)
    (square, first, second), (slope, slope_first, slope_second), gram = found
    noise, mixed = gram[0, 0] - square * square, gram[0, 1] - square * slope
    return LayerMoments(
        *(_array(rules, part) for part in ([square], [[first]], [[[second]]], [[noise]], [square])),
        *(_array(rules, part) for part in ([slope], [[slope_first]], [[[slope_second]]])),
        *(_array(rules, part) for part in ([[mixed]], [gram[1, 1]], [[[first]]], [[[gram[0, 1]]]])),
    )


def _marginal(rules: Rules, weight, q) -> tuple:
    """sigma_w^2 E of phi^2 and phi'^2 with two derivatives in q, and sigma_w^4 E of their products."""
    return rules.remembered(("marginal", weight, q), lambda: _new_marginal(rules, weight, q))


def _new_marginal(rules: Rules, weight, q) -> tuple:
    z, weights = rules.line(q)
    x = rules.arithmetic.sqrt(q) * z
    rows = weight * np.stack([rules.phi(x) ** 2, rules.slope(x) ** 2])
    square = z * z
    scores = np.stack([1 + 0 * z, (square - 1) / (2 * q), (square * square - 6 * square + 3) / (4 * q * q)])
    return *(rows @ (scores * weights).T), (rows * weights) @ rows.T


def two_inputs(rules: Rules, weight, p, d, gap) -> LayerMoments:
    """Of two inputs with the coordinates p, d and Delta = `gap` of their covariance."""
    one = _marginal(rules, weight, p + d)
    other = one if d == 0 else _marginal(rules, weight, p - d)
    plane = rules.plane(p, d, gap)
    means = _Means(rules, weight, plane)
    image, slope = means.scored()
    gram, dtype = means.gram(), rules.arithmetic.dtype
    (square, curve), (difference, skew) = _halves(one, other)
    mean = np.array([square[0], difference[0], image[0]], dtype=dtype)
    slopes = np.array([one[1][0], other[1][0], curve[0] - slope[0]], dtype=dtype)
    parts = [_lifted(square, difference), _lifted(difference, square)]
    entries = [_lifted(one[1], one[1]), _lifted(other[1], -other[1]), _lifted(curve, skew)]
    return LayerMoments(
        mean,
        np.stack([*(first for first, _ in parts), image[1:4]]),
        np.stack([*(second for _, second in parts), _symmetric(image[4:])]),
        gram[:3, :3] - np.outer(mean, mean),
        np.array([one[0][0], other[0][0], square[0] - image[0]], dtype=dtype),
        slopes,
        np.stack([first for first, _ in entries]) - _last(slope[1:4]),
        np.stack([second for _, second in entries]) - _last(_symmetric(slope[4:])),
        gram[:3, 3:] - np.outer(mean, slopes),
        np.array([gram[k, k] for k in (3, 4, 5)], dtype=dtype),
        means.transfer((one[0][1], other[0][1])),
        np.stack([_halves_of(*gram[:3, k]) for k in (3, 4, 5)]),
    )


def _array(rules: Rules, values):
    return np.array(values, dtype=rules.arithmetic.dtype)


def _halves(one: tuple, other: tuple) -> tuple:
    """Half the sums and half the differences of (f, f', f'') of phi^2 and of phi'^2 at G11 and at G22."""
    return tuple((a + b) / 2 for a, b in _pairs(one, other)), tuple((a - b) / 2 for a, b in _pairs(one, other))


def _pairs(one: tuple, other: tuple):
    return zip(one[:2], other[:2], strict=True)


def _lifted(along, across) -> tuple:
    """Gradient and Hessian in (p, d, Delta) of a sum or difference of f(p + d) and f(p - d).

    `along`: (f, f', f'') combined as the function is, `across`: with the sign of f(p - d) turned.
    """
    none = 0 * along[0]
    (_, a, aa), (_, b, bb) = along, across
    return np.array([a, b, none]), np.array([[aa, bb, none], [bb, aa, none], [none, none, none]])


def _last(part):
    """The part subtracted from the entry (12) alone."""
    return np.stack([0 * part, 0 * part, part])


def _symmetric(six):
    return six[np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])]


def _halves_of(p, d, gap):
    """E[phi_c phi_e ...] for the half sum and the half difference of phi, from those of the coordinates."""
    return np.array([[p - gap / 2, d / 2], [d / 2, gap / 2]])


class _Means:
    """The means over the plane."""

    def __init__(self, rules: Rules, weight, plane: Plane):
        self.weight, self.plane = weight, plane
        self.phi, self.slopes = ([f(x) for x in plane[3:5]] for f in (rules.phi, rules.slope))
        self.apart = rules.apart(*self.phi, rules.slope, plane)
        self.turned = rules.apart(*self.slopes, rules.bend, plane)

    def gram(self):
        """sigma_w^4 E of the products of (p, d, Delta) and (phi'_a phi'_b) as they are before the mean."""
        (u, v), (a, b) = self.phi, self.slopes
        rows = np.stack([(u * u + v * v) / 2, (u + v) * self.apart / 2, self.apart**2 / 2, a * a, b * b, a * b])
        rows = self.weight * rows
        return (rows * self.plane.weights) @ rows.T

    def scored(self):
        """sigma_w^2 E of (phi_U - phi_V)^2/2 and of (phi'_U - phi'_V)^2/2, with all derivatives."""
        rows = self.weight * np.stack([self.apart**2 / 2, self.turned**2 / 2])
        return rows @ (_scores(self.plane) * self.plane.weights).T

    def transfer(self, own: tuple):
        """X^a = sigma_w^2 E[d/dy_e (phi'_a phi_c)] on the half sum and the half difference, by Stein's identity.

        `own`: dE[phi^2]/dG of each input, which is X^a where phi_c is phi_a.
        """
        middle, width, lean = self.plane.scales
        along = self.plane.one / middle
        scores = along, (self.plane.two - lean * along) / width
        found = []
        for slope, same, sign in zip(self.slopes, own, (1, -1), strict=True):
            whole, half = (self.weight * (slope * self.apart / 2 * score @ self.plane.weights) for score in scores)
            found.append([[same - sign * whole, sign * (same - half)], [whole, half]])
        return np.array(found)


def _scores(plane: Plane):
    """1, s_i and s_ij, i <= j, at the nodes."""
    (middle, width, lean), one, two = plane.scales, plane.one, plane.two
    inverse = np.array([[1 / middle, -lean / (middle * width)], [0 / middle, 1 / width]])
    half = 1 / (2 + 0 * middle)
    none = 0 * half
    changes = [[[2 * half, none], [none, none]], [[none, half], [half, none]], [[-half, none], [none, half]]]
    forms = [inverse @ np.array(change) @ inverse.T for change in changes]
    first = [(_form(n, one, two) - n[0, 0] - n[1, 1]) / 2 for n in forms]
    second = [
        first[i] * first[j] - _form(n @ k, one, two) + (n * k).sum() / 2
        for i, n in enumerate(forms)
        for j, k in enumerate(forms)
        if i <= j
    ]
    return np.stack([1 + 0 * one, *first, *second])


def _form(matrix, one, two):
    return matrix[0, 0] * one * one + (matrix[0, 1] + matrix[1, 0]) * one * two + matrix[1, 1] * two * two
