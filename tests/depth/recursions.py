"""The recursion of every dense architecture in mpmath, written from its forward pass for covariances, not for gaps.

s^l = skip s + beta_l (sigma_b^2 + sigma_w^2 E[phi phi]),  K^l = (skip + beta_l sigma_w^2 E[phi' phi']) K + lambda_b +
lambda_W E[phi phi], from the three products x.x/d, x.x'/d, x'.x'/d of two inputs.
"""

import mpmath
from mpmath import mpf
from sympy import Rational

from asympt.meanfield.layer import LAYER, Statement
from asympt.numbers import to_mpf
from tests.depth.layers import CLOSED


def relu_like(right, left):
    """(E[phi phi], E[phi' phi']) of slopes `right` and `left` (Cho and Saul 2009)."""
    right, left = Rational(right), Rational(left)
    square, kink = (right**2 + left**2) / 2, (right - left) ** 2 / (right**2 + left**2)

    def angle(c):
        return mpmath.acos(max(mpf(-1), min(mpf(1), c)))

    def value(q1, q2, c):
        t = angle(c)
        kinked = to_mpf(kink) / mpmath.pi * (mpmath.sin(t) - t * mpmath.cos(t))
        return to_mpf(square) * mpmath.sqrt(q1 * q2) * (c + kinked)

    def slope(q1, q2, c):
        return to_mpf(square) * (1 - to_mpf(kink) / mpmath.pi * angle(c))

    return value, slope


MAPS = {"relu": relu_like(1, 0), **CLOSED}


def iterate(statement: Statement, products, depth: int, maps, digits: int = 60):
    """[(q, q', s, K, K(x, x)), ...] in layers 1, ..., depth."""
    with mpmath.workdps(digits):
        value, slope = maps
        first, layer = statement.first, statement.layer
        b1, w1, rb, rw = (to_mpf(e) for e in (first.bias, first.weight, first.bias_rate, first.weight_rate))
        xx, xy, yy = map(mpf, products)
        q, other, s = (b1 + w1 * v for v in (xx, yy, xy))
        kernel, diagonal = rb + rw * xy, rb + rw * xx
        found, skip = [(q, other, s, kernel, diagonal)], int(statement.skip)
        weight, bias = to_mpf(layer.weight_variance), to_mpf(layer.bias_variance)
        for at in range(2, depth + 1):
            beta, rate, bias_rate = (
                to_mpf(e.subs(LAYER, at)) for e in (statement.branch, statement.weight_rate, statement.bias_rate)
            )
            c = s / mpmath.sqrt(q * other)
            together, alone = value(q, other, c), value(q, q, mpf(1))
            kernel = (skip + beta * weight * slope(q, other, c)) * kernel + bias_rate + rate * together
            diagonal = (skip + beta * weight * slope(q, q, mpf(1))) * diagonal + bias_rate + rate * alone
            s = skip * s + beta * (bias + weight * together)
            q = skip * q + beta * (bias + weight * alone)
            other = skip * other + beta * (bias + weight * value(other, other, mpf(1)))
            if mpmath.almosteq(q, other, mpf(10) ** (5 - digits)):
                other = q
            found.append((q, other, s, kernel, diagonal))
        return found


def normalised(state, digits: int = 60):
    """(1 - c, K/sqrt(q q')) of one entry of `iterate`."""
    with mpmath.workdps(digits):
        q, other, s, kernel, _ = state
        root = mpmath.sqrt(q * other)
        return 1 - s / root, kernel / root


def by_layers(layer, maps, gap, depth: int, variances=(1, 1), digits: int = 60):
    """(1 - c^L, K^L/sqrt(q q')) of a plain network from the gap and the variances of layer 1."""
    with mpmath.workdps(digits):
        weight, bias = to_mpf(layer.weight_variance), to_mpf(layer.bias_variance)
        q, other = map(mpf, variances)
        products = [(v - bias) / weight for v in (q, (1 - mpf(gap)) * mpmath.sqrt(q * other), other)]
    return normalised(iterate(Statement.plain(layer), products, depth, maps, digits)[-1], digits)


def direct_gram(layer, maps, inputs, depth: int, digits: int = 50):
    """Sigma and K of a plain network as HDR Lemma 2 has them, entry by entry (nested lists)."""
    value, slope = maps
    with mpmath.workdps(digits):
        weight, bias = to_mpf(layer.weight_variance), to_mpf(layer.bias_variance)
        rows = [[mpf(float(v)) for v in row] for row in inputs]
        sigma = [[bias + weight * mpmath.fdot(x, y) / len(x) for y in rows] for x in rows]
        ntk, size = [list(row) for row in sigma], range(len(rows))
        for _ in range(depth - 1):
            after, turned = [list(row) for row in sigma], [list(row) for row in ntk]
            for i in size:
                for j in range(i + 1):
                    q, other = sigma[i][i], sigma[j][j]
                    root = mpmath.sqrt(q * other)
                    c = mpf(1) if i == j else max(-1, min(1, sigma[i][j] / root)) if root else mpf(0)
                    after[i][j] = after[j][i] = bias + weight * value(q, other, c)
                    turned[i][j] = turned[j][i] = weight * slope(q, other, c) * ntk[i][j] + after[i][j]
            sigma, ntk = after, turned
        return sigma, ntk


def assert_close(computed, true, tolerance):
    """Entrywise, relative to sqrt(q_i q_j)."""
    for i in range(len(true)):
        for j in range(len(true)):
            scale = mpmath.sqrt(true[i][i] * true[j][j])
            assert abs(float(computed[i, j]) - true[i][j]) <= tolerance * scale
