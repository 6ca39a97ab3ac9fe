"""The Gaussian moments of one layer that the recursions of order 1/n are made of, for one input or two.

The covariance has the coordinates j = (q,) of one input, and (p, d, Delta) of two (`rules`); an NTK has the entries
k = (11,), or (11), (22), (12).  Derivatives in the covariance are means with the scores of the normal density,

    d_i E f = E[f s_i],   d_i d_j E f = E[f s_ij],    s_i = (z.N_i z - tr N_i)/2,
    s_ij = s_i s_j - z.(N_i N_j + N_j N_i) z/2 + tr(N_i N_j)/2,      N_i = L^-1 (d_i Sigma) L^-T,

so phi need not be smooth: kinks cost nothing.  What tends to 0 with Delta is a mean of (phi_U - phi_V)^2/2 or of
(phi'_U - phi'_V)^2/2, and nothing cancels; what depends on one input alone is a mean over one variable.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from asympt.width.rules import REMEMBERED, Plane, Rules


class Coordinates(NamedTuple):
    """Of covariances: `inputs` (a, b) of the entries k, and these from the coordinates, entries [k, j].

    split [j, c, e]: the covariance of (half sum, half difference) of two inputs;  joined [j, c, e]: coordinates of it.
    """

    inputs: tuple
    entries: Any
    split: Any
    joined: Any


ONE = Coordinates(((0, 0),), *map(np.array, ([[1]], [[[1]]], [[[1]]])))
TWO = Coordinates(
    ((0, 0), (1, 1), (0, 1)),
    np.array([[1, 1, 0], [1, -1, 0], [1, 0, -1]]),
    np.array([[[2, 0], [0, 0]], [[0, 1], [1, 0]], [[-1, 0], [0, 1]]]) / 2,
    np.array([[[1, 0], [0, 1]], [[0, 1], [1, 0]], [[0, 0], [0, 2]]]),
)


class LayerMoments(NamedTuple):
    """One layer; i, j run over coordinates of the covariance, k over entries of the NTK, a over inputs.

    image:   F(G), coordinates, without the bias;   jacobian [i, j], hessian [i, j, j'];  noise = Cov of its summand
    slopes:  g_k = sigma_w^2 E[phi'_a phi'_b];   slopes_in [k, j], slopes_twice [k, j, j']
    mixed:   sigma_w^4 Cov(summand of F_j, phi'_a phi'_b) [j, k];   fourth: sigma_w^4 E[phi'_a^2 phi'_b^2] [k]
    transfer: X^a [a, c, e];   products: sigma_w^4 E[phi_c phi_e phi'_a phi'_b] [k, c, e]; c, e as in `split`
    """

    image: Any
    jacobian: Any
    hessian: Any
    slopes: Any
    slopes_in: Any
    slopes_twice: Any
    noise: Any
    mixed: Any
    fourth: Any
    products: Any
    transfer: Any


def _layer(of: Coordinates, image: list, slopes: list, rows, weights, transfer) -> LayerMoments:
    """From the coordinates of phi_a phi_b and phi'_a phi'_b with derivatives, and `rows` of both before the mean."""
    size, gram = len(of.inputs), (rows * weights) @ rows.T
    slopes = [np.tensordot(of.entries, part, 1) for part in slopes]
    across = gram[:size, size:]
    return LayerMoments(
        *image,
        *slopes,
        gram[:size, :size] - np.outer(image[0], image[0]),
        across - np.outer(image[0], slopes[0]),
        gram.diagonal()[size:],
        np.tensordot(across.T, of.split, 1),
        transfer,
    )


@lru_cache(maxsize=REMEMBERED)
def one_input(rules: Rules, weight, q) -> LayerMoments:
    """Of one input of variance q; `weight` is sigma_w^2."""
    z, weights = rules.line(q)
    x, square = rules.arithmetic.sqrt(q) * z, z * z
    rows = weight * np.stack([f(x) ** 2 for f in rules.functions[:2]])
    scores = np.stack([1 + 0 * z, (square - 1) / (2 * q), (square * square - 6 * square + 3) / (4 * q * q)])
    means = rows @ (scores * weights).T
    image, slopes = ([row[n : n + 1].reshape([1] * (n + 1)) for n in range(3)] for row in means)
    return _layer(ONE, image, slopes, rows, weights, image[1][None])


def two_inputs(rules: Rules, weight, p, d, gap) -> LayerMoments:
    """Of two inputs with the coordinates p, d and Delta = `gap` of their covariance."""
    one = one_input(rules, weight, p + d)
    other = one if d == 0 else one_input(rules, weight, p - d)
    plane, (phi, slope, bend) = rules.plane(p, d, gap), rules.functions
    (u, v), (a, b) = ((f(plane.first), f(plane.second)) for f in (phi, slope))
    apart, turned = rules.apart(u, v, slope, plane), rules.apart(a, b, bend, plane)
    scored = weight * np.stack([apart**2, turned**2]) / 2 @ (_scores(plane) * plane.weights).T
    rows = np.stack([(u * u + v * v) / 2, (u + v) * apart / 2, apart**2 / 2, a * a, b * b, a * b])
    image, slopes = (_lifted(one[at], other[at], row) for at, row in zip((slice(3), slice(3, 6)), scored, strict=True))
    transfer = [_transfer(weight * part * apart / 2 * plane.weights, plane, same, sign)
                for part, same, sign in ((a, one.jacobian[0, 0], 1), (b, other.jacobian[0, 0], -1))]  # fmt: skip
    return _layer(TWO, image, slopes, weight * rows, plane.weights, np.array(transfer))


def _lifted(one: tuple, other: tuple, apart) -> list:
    """(p, d, Delta) of means with gradient and Hessian, from f(p + d), f(p - d) and derivatives, and scored means."""
    along = [[part.ravel()[0] * power for part, power in zip(parts, (1, e, np.outer(e, e)), strict=True)]
             for parts, e in ((one, TWO.entries[0]), (other, TWO.entries[1]))]  # fmt: skip
    last = apart[0], apart[1:4], apart[4:][np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])]
    return [np.array([(f + g) / 2, (f - g) / 2, h]) for f, g, h in zip(*along, last, strict=True)]


def _transfer(shares, plane: Plane, same, sign: int) -> list:
    """X^a = sigma_w^2 E[d/dy_e (phi'_a phi_c)] on half sum and half difference, by Stein's identity.

    `shares`: phi'_a times half the difference of phi;  `same`: dE[phi^2]/dG, which is X^a where phi_c is phi_a.
    """
    middle, width, lean = plane.scales
    along = plane.one / middle
    whole, half = shares @ along, shares @ (plane.two - lean * along) / width
    return [[same - sign * whole, sign * (same - half)], [whole, half]]


def _scores(plane: Plane):
    """1, s_i and s_ij, i <= j, at the nodes."""
    (middle, width, lean), (one, two) = plane.scales, plane[:2]
    inverse = np.array([[1 / middle, -lean / (middle * width)], [0 / middle, 1 / width]])
    forms, squares = [inverse @ change @ inverse.T for change in TWO.split], np.stack([one * one, one * two, two * two])
    first = [(_form(n, squares) - n[0, 0] - n[1, 1]) / 2 for n in forms]
    second = [first[i] * first[j] - _form(forms[i] @ forms[j], squares) + (forms[i] * forms[j]).sum() / 2
              for i in range(3) for j in range(i, 3)]  # fmt: skip
    return np.stack([1 + 0 * one, *first, *second])


def _form(matrix, squares):
    return np.array([matrix[0, 0], matrix[0, 1] + matrix[1, 0], matrix[1, 1]]) @ squares
