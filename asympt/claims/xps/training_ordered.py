"""Decisions on the slides about Xiao, Pennington and Schoenholz: the ordered phase at finite depth.

Theta^(l) = p* 11^T + l f'(1)^l A^(l) defines A^(l); the slides let it converge.  It does when f has a second derivative
at c = 1 (smooth phi): with 1 - c^l = C f'(1)^l + ...,

    A^(l) -> -q* (f''(1) + f'(1)(1 - f'(1)))/(f'(1)(1 - f'(1))) C(x, x') off the diagonal, 0 on it, like 1/l.

When phi has a kink, f' falls like the square root of 1 - c and Theta tends to p* 11^T like f'(1)^(l/2), so A^(l) grows
without bound.
"""

from functools import lru_cache

import mpmath
import numpy as np
from mpmath import mp
from sympy import Matrix, Symbol, cancel, eye, limit, ones, simplify, symbols

from asympt.architectures import FeedForward
from asympt.claims.figures import CHECK_DIGITS
from asympt.claims.forms import agreement, at_most, identity
from asympt.claims.hdr.off_edge.mean_field import ordered
from asympt.claims.hdr.training.flow import vanishes
from asympt.evidence.check import Check, Verification
from asympt.numbers import to_mpf
from asympt.training.exact import vector
from asympt.training.prediction import ordered_prediction, rank_one_inverse
from asympt.training.spectrum import kernel_path

START, DEPTHS = 0.9, (100, 200)
LEVEL, SHARE = symbols("p lambda", positive=True)


@lru_cache(maxsize=1)
def kinked() -> FeedForward:
    """ReLU with sigma_w = sigma_b = 1: f'(1) = 1/2."""
    return FeedForward("relu", sigma_w=1, sigma_b=1)


@lru_cache(maxsize=4)
def _path(net: FeedForward) -> tuple[float, np.ndarray, np.ndarray]:
    """(f'(1), 1 - c^l, (Theta(x, x) - Theta(x, x'))/q*) at the depths."""
    gap, _, bulk = kernel_path(net, START, DEPTHS)
    return float(net.layer.chi.evalf(CHECK_DIGITS)), gap, bulk


def departures(net: FeedForward) -> tuple[float, np.ndarray]:
    """f'(1), and (Theta(x, x') - p*)/q* at the depths: Theta(x, x)/q* = (1 - chi^l)/(1 - chi), Theta(x, x') less."""
    chi, _, bulk = _path(net)
    return chi, -(chi ** np.array(DEPTHS) / (1 - chi) + bulk)


# ---- Theta = p* 11^T + l chi^l A ------------------------------------------------------------------------


def finite_depth() -> Verification:
    """XPS.ord.form: what A^(l) tends to for tanh, where it converges, and what does for ReLU, where it does not."""
    return Verification(
        "Theta^(l) = p* 11^T + l f'(1)^l A^(l) with A^(l) convergent", (),
        Verification(
            "phi smooth: A^(l) -> -q*(f'' + f'(1 - f'))/(f'(1 - f')) C(x, x') off the diagonal, 0 on it; "
            "phi with a kink: Theta^(l) = p* 11^T + f'(1)^(l/2) B^(l) with B^(l) convergent",
            (*_smooth_limit(), _kinked_limit()),
        ),
    )  # fmt: skip


def _smooth_limit() -> tuple[Check, Check]:
    """A^(l) against the law's constant: relative deviations 1/l, so l times them must not grow."""
    net = ordered()
    chi, gap, _ = _path(net)
    second = _second_derivative(net)
    constant = gap[-1] / chi ** DEPTHS[-1]
    expected = -(second + chi * (1 - chi)) / (chi * (1 - chi)) * constant
    settled = [left / (depth * chi**depth) for left, depth in zip(departures(net)[1], DEPTHS, strict=True)]
    off = [abs(value / expected - 1) * depth for value, depth in zip(settled, DEPTHS, strict=True)]
    diagonal = 1 / (1 - chi) / DEPTHS[-1] / abs(expected)
    return (
        agreement(
            "l |A^(l)/limit - 1| at $l = 200$ against $l = 100$, tanh", off[1], off[0], 0.1, "deviation of order 1/l"
        ),
        at_most("$|A^(200)(x, x)|$ over the limit of $|A(x, x')|$", diagonal, 0.05, "falls like 1/l"),
    )


def _second_derivative(net: FeedForward) -> float:
    """f''(1) as a one-sided difference quotient of f' in the gap."""
    with mp.workdps(2 * CHECK_DIGITS):
        step = mpmath.mpf(10) ** -CHECK_DIGITS
        return float((to_mpf(net.layer.chi) - net.correlation_map.gap_slope(step)) / step)


def _kinked_limit() -> Check:
    """B(x, x')/q* against -2 sqrt(C) (2 + sqrt 2)/pi, from f' = (1/2)(1 - theta/pi)."""
    chi, gap, bulk = _path(kinked())
    depth = DEPTHS[-1]
    constant = gap[-1] / chi**depth
    found = -(chi**depth / (1 - chi) + bulk[-1]) / chi ** (depth / 2)
    return agreement(
        "$B^(200)(x, x')/q*$ against $-2 sqrt(C)(2 + sqrt 2)/pi$, ReLU", found,
        -2 * np.sqrt(constant) * (2 + np.sqrt(2)) / np.pi, 1e-9,
    )


# ---- Sherman and Morrison -------------------------------------------------------------------------------


def sherman_morrison() -> Verification:
    """XPS.ord.sm: the printed inverse times the matrix, for every symmetric 2 x 2 and one family of 3 x 3 A."""
    checks = []
    for name, matrix in _matrices():
        size = matrix.rows
        total = LEVEL * ones(size, size) + SHARE * matrix
        rest = (total * rank_one_inverse(LEVEL, SHARE, matrix) - eye(size)).applyfunc(cancel)
        checks.append(vanishes(f"$(p* 11^T + lambda A)$ times the printed inverse $- I$, A {name}", rest))
    return Verification("(p* 11^T + lambda A)^-1 = (A^-1 - p^ a a^T)/lambda", (*checks, _any_size()))


def _any_size() -> Check:
    """The same in letters that do not commute: u = 1, u' = 1^T, Ai = A^-1, s = 1^T A^-1 1 a number."""
    a, inverse, one, row = symbols("A Ai u u'", commutative=False)
    level, share, total = symbols("p lambda s", positive=True)
    hat = 1 / (share * (1 / level + total / share))
    product = ((level * one * row + share * a) * (inverse - hat * inverse * one * row * inverse) / share).expand()
    reduced = product.subs(a * inverse, 1).expand().subs(row * inverse * one, total).expand()
    rest = simplify(reduced.subs(one * row * inverse, Symbol("W")) - 1)  # the one word that is left
    return identity("the same $- I$ in letters that do not commute, any size and any invertible A", rest)


def _matrices() -> tuple[tuple[str, Matrix], ...]:
    """Symmetric matrices in symbols."""
    a, b, c = symbols("a b c", real=True)
    three = Matrix([[0, a, b], [a, 0, c], [b, c, 0]])
    return (("symmetric 2 x 2", Matrix([[a, b], [b, c]])), ("symmetric 3 x 3 with zero diagonal", three))


def prediction() -> Verification:
    """XPS.ord.pred: the identities, the limit lambda -> 0, and a network's own limit at finite depth."""
    cases = (_matrices()[0], ("[[0, 1, 2], [1, 0, 4], [2, 4, 0]]", Matrix([[0, 1, 2], [1, 0, 4], [2, 4, 0]])))
    checks = [check for name, matrix in cases for check in _prediction_checks(name, matrix)]
    return Verification(
        "P = A_z A^-1 - p^ A_z a a^T + p^ a^T, with a finite limit that depends on the data as lambda -> 0",
        (*checks, *_network_predictions()),
    )


def _prediction_checks(name: str, matrix: Matrix) -> tuple[Check, ...]:
    size = matrix.rows
    row, inverse, one = vector("z", size).T, matrix.inv(), ones(size, 1)
    weights = inverse * one
    share = 1 / (SHARE / LEVEL + (one.T * weights)[0])
    printed = row * inverse - share * row * weights * weights.T + share * weights.T
    whole = (LEVEL * one.T + SHARE * row) * rank_one_inverse(LEVEL, SHARE, matrix)
    inner = LEVEL / SHARE * (weights.T - share * (one.T * weights)[0] * weights.T) - share * weights.T
    ends = row * inverse + (1 - (row * weights)[0]) * weights.T / (one.T * weights)[0]
    at_zero = printed.applyfunc(lambda entry: limit(cancel(entry), SHARE, 0))
    return (
        vanishes(f"$P$ minus the printed form, A {name}", (whole - printed).applyfunc(cancel)),
        vanishes(f"$p*/lambda (a^T - p^ 1^T a a^T) - p^ a^T$, A {name}", inner.applyfunc(cancel)),
        vanishes(f"$lim P - [A_z A^-1 + (1 - A_z a) a^T/(1^T a)]$, A {name}", (at_zero - ends).applyfunc(cancel)),
    )


def _network_predictions() -> tuple[Check, Check]:
    """P(Sigma^l) y and P(Theta^l) y of three training points and a test point against the limit, in mpmath."""
    net, targets = FeedForward("erf", sigma_w=1, sigma_b=ordered().layer.bias_variance ** 0.5), [1.0, -2.0, 0.5]
    gaps = _four_points()
    expected = ordered_prediction(net, gaps[:3, :3], gaps[3:, :3], targets)[0]
    found = {depth: _mpmath_predictions(net, gaps, targets, depth) for depth in DEPTHS}
    nngp = found[DEPTHS[1]][0]
    errors = [depth * (found[depth][1] - expected) for depth in DEPTHS]
    return (
        agreement("$P(Sigma^(200)) y$ against the limit with $A = C(x, x')$, erf, 3 + 1 points", nngp, expected, 1e-9),
        agreement(
            "l (P(Theta^(l)) y - limit), $l = 200$ against 100", errors[1], errors[0], 0.1, "deviation of order 1/l"
        ),
    )


def _four_points() -> np.ndarray:
    """1 - c of four unit vectors."""
    vectors = np.random.default_rng(0).normal(size=(4, 3))
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    gaps = 1 - vectors @ vectors.T
    np.fill_diagonal(gaps, 0.0)
    return (gaps + gaps.T) / 2


def _mpmath_predictions(net: FeedForward, gaps: np.ndarray, targets: list, depth: int) -> tuple[float, float]:
    """Kernel regression of the last point on the others at one depth, with the digits that the kernels lose."""
    with mp.workdps(4 * CHECK_DIGITS):
        kernels = mpmath.eye(len(gaps)), mpmath.eye(len(gaps))
        chi = to_mpf(net.layer.chi)
        for i in range(len(gaps)):
            kernels[1][i, i] = (1 - chi**depth) / (1 - chi)
            for j in range(i):
                for kernel, value in zip(kernels, _pair(net, mpmath.mpf(float(gaps[i, j])), depth), strict=True):
                    kernel[i, j] = kernel[j, i] = value
        last = len(gaps) - 1
        found = []
        for kernel in kernels:
            weights = mpmath.lu_solve(kernel[:last, :last], mpmath.matrix(targets))
            found.append(float(sum(kernel[last, k] * weights[k] for k in range(last))))
    return tuple(found)


def _pair(net: FeedForward, gap, depth: int) -> tuple:
    """(c^l, Theta^l/q*) of one pair by HDR Lemma 2."""
    kernel, f = 1 - gap, net.correlation_map
    for _ in range(depth - 1):
        slope, gap = f.gap_slope(gap), f.gap(gap)
        kernel = 1 - gap + slope * kernel
    return 1 - gap, kernel
