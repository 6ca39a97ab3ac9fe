r"""Decisions on the convolution matrix U of HDR Appendix Lemmas 2 and 7: (U C)_(alpha, alpha') = sum_b C_(alpha+b,
alpha'+b).

Problem.  HDR write the layer as C_l = U f(C_(l-1))/(2k+1) with C_l in R^(N^2) and use the spectrum of U there.

Rule.  alpha' - alpha is kept by U, so ordered by offsets U consists of N equal circulant blocks, one for each offset:

    eigenvalues   (2k+1) lambda_j = 1 + 2 sum_(b=1..k) cos(2 pi j b/N), each N times as often as in one block
    powers        (2k+1)^(-l) U^l -> P, the mean over each offset, which has rank N
    inverse       exists if and only if N and 2k+1 have no common factor

Tiny case.  N = 3, k = 1: every block is the matrix of ones, so U has rank 3 of 9.

Known limits.  Small N; integer matrices, exactly.
"""

from functools import lru_cache
from math import gcd

import numpy as np
from sympy import Integer, Matrix, Symbol, cos, exp, expand_trig, eye, factor, simplify, sin

from asympt.architectures.convolution.spectrum import spectrum
from asympt.claims.forms import at_most, identity, same
from asympt.evidence.check import Check, Verification

SIZE, REACH = 4, 1


@lru_cache(maxsize=64)
def pair_matrix(size: int, reach: int) -> np.ndarray:
    """U on R^(N^2), pairs (alpha, alpha') in the order alpha N + alpha'."""
    matrix = np.zeros((size * size, size * size), dtype=int)
    for alpha in range(size):
        for other in range(size):
            for b in range(-reach, reach + 1):
                matrix[alpha * size + other, (alpha + b) % size * size + (other + b) % size] += 1
    return matrix


@lru_cache(maxsize=64)
def circle_matrix(size: int, reach: int) -> np.ndarray:
    """U on R^N: what acts along one offset."""
    return sum(np.roll(np.eye(size, dtype=int), b, axis=1) for b in range(-reach, reach + 1))


def offset_order(size: int) -> list[int]:
    """The pairs (alpha, alpha + d), offset after offset, as places alpha N + alpha'."""
    return [alpha * size + (alpha + d) % size for d in range(size) for alpha in range(size)]


def offset_means(size: int) -> np.ndarray:
    """P: the mean over the pairs of one offset, on R^(N^2)."""
    place = np.arange(size * size)
    offset = (place % size - place // size) % size
    return (offset[:, None] == offset[None, :]) / size


# ---- HDR.AL2.U --------------------------------------------------------------------------------------------


def simple_eigenvalue() -> Verification:
    """HDR.AL2.U: the largest eigenvalue is not simple; by offsets U is N circulant blocks."""
    matrix, reach = pair_matrix(SIZE, REACH), REACH
    order, blocks = offset_order(SIZE), np.kron(np.eye(SIZE, dtype=int), circle_matrix(SIZE, reach))
    apart = int(np.abs(matrix[np.ix_(order, order)] - blocks).max())
    where = f"N = {SIZE}, k = {reach}"
    printed = (
        identity(f"$|U - U^T|$, {where}", int(np.abs(matrix - matrix.T).max())),
    )
    corrected = (
        identity(f"|U, ordered by offsets, minus $N$ circulant blocks|, {where}", apart),
        *_multiplicities(),
    )
    return Verification(
        "U on R^(N^2) has the simple eigenvalue 2k+1, eigenvector (1, ..., 1)/N",
        printed,
        Verification("U is N equal circulant blocks; eigenvalue (2k+1) lambda_j has N times its multiplicity",
        corrected),
    )


def _multiplicities() -> list[Check]:
    """The characteristic polynomial of U against the product of (z - (2k+1) lambda_j)^multiplicity."""
    z, checks = Symbol("z"), []
    for size, reach in ((3, 1), (4, 1), (6, 1), (6, 2)):
        block = Matrix(circle_matrix(size, reach).tolist())
        found, stated = block.charpoly(z).as_expr(), Integer(1)
        for mode in spectrum(size, reach).modes:
            stated *= (z - (2 * reach + 1) * mode.eigenvalue) ** mode.multiplicity
        rest = factor((found - stated).expand())
        name = f"characteristic polynomial of a block minus that of the $lambda_j$, $N = {size}$, $k = {reach}$"
        checks.append(identity(name, rest))
    return checks


# ---- HDR.AL2.power ------------------------------------------------------------------------------------------


def powers() -> Verification:
    """HDR.AL2.power: the limit keeps the mean of every offset, not only the mean of all pairs."""
    return Verification(
        "(2k+1)^(-l) U^l = e_1 e_1^T + O(e^(-beta l))",
        (),
        Verification(
            "(2k+1)^(-l) U^l = P + O(|lambda_2|^l), P the mean over each offset, of rank N",
            (_rank(SIZE), *(_geometric(n, k) for n, k in ((4, 1), (5, 1), (7, 2)))),
        ),
    )


def _rank(size: int) -> Check:
    found = int(np.linalg.matrix_rank(offset_means(size)))
    return same(f"rank of $P$, $N = {size}$", found, size, strength="checked")


def _geometric(size: int, reach: int) -> Check:
    """|(2k+1)^(-l) U^l - P| <= |lambda_2|^l in the spectral norm, with equality."""
    layers, slowest = 12, abs(spectrum(size, reach).slowest.size)
    scaled = np.linalg.matrix_power(pair_matrix(size, reach) / (2 * reach + 1), layers)
    norm = np.linalg.norm(scaled - offset_means(size), 2)
    name = f"$| |(2k+1)^(-l) U^l - P| / |lambda_2|^l - 1 |$, $N = {size}$, $k = {reach}$, $l = {layers}$"
    return at_most(name, abs(norm / slowest**layers - 1), 1e-7, f"|lambda_2| = {slowest:.6g}")


# ---- HDR.AL2.inv --------------------------------------------------------------------------------------------


def invertible() -> Verification:
    """HDR.AL2.inv: determinants of the blocks, exactly; the eigenvalues of every N and k by Dirichlet's kernel."""
    return Verification(
        "U is invertible, so that A_l = ((2k+1)^(-1) U)^(-l) exists", (),
        Verification("U is invertible if and only if N and 2k+1 have no common factor", (*_dirichlet(), _by_factors())),
    )  # fmt: skip


def _dirichlet() -> tuple[Check, ...]:
    """1 + 2 sum_(b=1..k) cos(b x) = sin((2k+1) x/2)/sin(x/2), by induction over k, and its zeros x = 2 pi j/N."""
    x, k = Symbol("x", real=True), Symbol("k", integer=True, nonnegative=True)
    step = sin((2 * k + 3) * x / 2) - sin((2 * k + 1) * x / 2) - 2 * cos((k + 1) * x) * sin(x / 2)
    detail = "sin((2k+1) pi j/N) = 0 with 0 < j < N exactly when N divides (2k+1) j: some j exists if and only if "
    detail += "gcd(N, 2k+1) > 1, and then j = N/gcd(N, 2k+1) is one; at j = 0 the eigenvalue is 2k+1"
    at_zero = sin((2 * k + 1) * x / 2).subs(k, 0) / sin(x / 2)
    return (
        identity("$sin((2k+1) x/2)/sin(x/2)$ at $k = 0$ minus 1", at_zero - 1),
        identity("what $2 cos((k+1) x)$ adds, times $sin(x/2)$, minus the next numerator's growth",
                 simplify(expand_trig(step.rewrite(exp).expand())), detail),
    )  # fmt: skip


def _by_factors() -> Check:
    pairs = [(n, k) for k in (1, 2, 3, 4) for n in range(2 * k + 1, 13)]
    wrong = [(n, k) for n, k in pairs if _is_regular(n, k) != (gcd(n, 2 * k + 1) == 1)]
    wrong += [(n, k) for n, k in pairs if spectrum(n, k).is_invertible != (gcd(n, 2 * k + 1) == 1)]
    name = f"exceptions among {len(pairs)} pairs $(N, k)$, $N$ up to 12"
    return identity(name, len(wrong), "exact determinants and eigenvalues")


def _is_regular(size: int, reach: int) -> bool:
    return Matrix(circle_matrix(size, reach).tolist()).det() != 0


# ---- HDR.AL7.cnnvar -----------------------------------------------------------------------------------------


def residual_variances() -> Verification:
    """HDR.AL7.cnnvar: the variances of a convolutional ResNet, on R^N, where the largest eigenvalue is simple."""
    alpha, z = Symbol("alpha", positive=True), Symbol("z")
    block = Matrix(circle_matrix(SIZE, REACH).tolist())
    layer = eye(SIZE) + alpha / (2 * REACH + 1) * block
    stated = Integer(1)
    for mode in spectrum(SIZE, REACH).modes:
        stated *= (z - 1 - alpha * mode.eigenvalue) ** mode.multiplicity
    left = (layer.charpoly(z).as_expr() - stated).expand()
    where = f"N = {SIZE}, k = {REACH}, alpha = sigma_w^2/2"
    return Verification(
        "q^l_alpha = (1 + sigma_w^2/2)^l q_(0,x) + O((1 + sigma_w^2/2)^l e^(-beta l)) for k >= 1",
        (
            identity(f"its eigenvalues against $1 + alpha lambda_j$, {where}", left),
            *(_variance_rate(n, k) for n, k in ((4, 1), (5, 1), (8, 2))),
        ),
    )


def _variance_rate(size: int, reach: int) -> Check:
    """|q^l/(1+alpha)^l - mean| falls like ((1 + alpha lambda_2)/(1 + alpha))^l < 1, sigma_w^2 = 2."""
    alpha, layers = 1.0, 30
    rates = np.sort(np.abs((1 + alpha * spectrum(size, reach).numbers[1:]) / (1 + alpha)))[::-1]
    start = 1.0 + np.arange(size) ** 2 % 5
    matrix = (np.eye(size) + alpha / (2 * reach + 1) * circle_matrix(size, reach)) / (1 + alpha)
    left = np.linalg.norm(np.linalg.matrix_power(matrix, layers) @ start - start.mean())
    figure = left / (np.linalg.norm(start - start.mean()) * rates[0] ** layers)
    name = (
        f"|q^l/(1+alpha)^l - mean| over |q^0 - mean| $mu_2^l$, $alpha = 1$, $N = {size}$, $k = {reach}$, $l = {layers}$"
    )
    return at_most(name, figure, 1 + 1e-9, f"mu_2 = {rates[0]:.6g} = e^(-beta)", digits=4)
