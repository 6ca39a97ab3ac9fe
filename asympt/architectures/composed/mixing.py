"""The slowest mode of a matrix that mixes tokens: what is left of their differences after many layers.

Near c = 1 tokens are points x_i with 1 - c_ij = |x_i - x_j|^2/2, and A moves them: x <- A x.  With the eigenvalues
1 > |lambda| > |lambda'| >= ... and A v = lambda v, 1 - c_ij -> D (v_i - v_j)^2 lambda^(2 l).
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from mpmath import mp
from sympy import Expr, Integer, Rational

from asympt.blocks.nodes import MixNode
from asympt.errors import UnsupportedError
from asympt.expansions.opaque import RealConstant
from asympt.numbers import to_mpf

MOST_MODES = 300
EQUAL = 1e-9  # what two floats are that differ by less


@dataclass(frozen=True)
class Slowest:
    """lambda, |lambda'| (None where tokens are all alike: lambda is the only one beside 1) and v, exact where A is
    triangular."""

    eigenvalue: Expr
    following: Expr | None = None
    vector: tuple = ()


@lru_cache(maxsize=64)
def slowest(node: MixNode) -> Slowest:
    """Of the matrix of a node; `UnsupportedError` where no single mode is the slowest.

    >>> from asympt.blocks import attention, mix
    >>> slowest(mix(tokens=4, eigenvalue="1/3")).eigenvalue, slowest(attention(4, mask="causal").parts[0])
    (1/3, Slowest(eigenvalue=1/2, following=1/3, vector=(0, 1, 2, 3)))
    """
    if node.eigenvalue is not None:
        return Slowest(node.eigenvalue)
    if node.tokens > MOST_MODES:
        raise UnsupportedError(
            f"{node.tokens} tokens that are not alike: the modes of at most {MOST_MODES} are computed; take fewer"
        )
    rows = node.matrix
    if any(value.free_symbols for row in rows for value in row):
        raise UnsupportedError(f"{node!r}: the modes of a matrix follow from numbers; give numbers for its entries")
    if len(rows) == 2:  # all that differs is one number
        return Slowest(rows[0][0] - rows[1][0], Integer(0), (Integer(0), Integer(1)))
    triangular = not any(value for i, row in enumerate(rows) for value in row[i + 1 :])
    return (_triangular if triangular else _numeric)(node)


def _require_single(moduli: list, node: MixNode) -> None:
    if moduli[1] > 1 - EQUAL:
        raise UnsupportedError(f"{node!r}: groups of its tokens never mix, so they have no common law; connect them")
    if moduli[1] - moduli[2] < EQUAL:
        raise UnsupportedError(
            f"{node!r}: two modes of the matrix decay alike (eigenvalues of modulus {moduli[1]:.6g}), and which of "
            "them a pair of tokens sees depends on the start; ask for numbers (similarity)"
        )


def _triangular(node: MixNode) -> Slowest:
    rows, count = node.matrix, node.tokens
    order = sorted(range(count), key=lambda i: -abs(rows[i][i]))
    _require_single([float(rows[i][i]) for i in order[:3]], node)
    place = order[1]
    eigenvalue, vector = rows[place][place], [Integer(0)] * count
    vector[place] = Integer(1)
    for i in range(place + 1, count):
        vector[i] = sum(rows[i][k] * vector[k] for k in range(place, i)) / (eigenvalue - rows[i][i])
    return Slowest(eigenvalue, rows[order[2]][order[2]], tuple(vector))


def _numeric(node: MixNode) -> Slowest:
    values, vectors = np.linalg.eig(np.array([[float(value) for value in row] for row in node.matrix]))
    order = np.argsort(-abs(values))
    _require_single(abs(values[order[:3]]).tolist(), node)

    def value():
        found = mp.eig(mp.matrix([[to_mpf(entry) for entry in row] for row in node.matrix]), right=False)
        return mp.re(sorted(found, key=lambda z: -abs(z))[1])

    vector = vectors[:, order[1]].real
    return Slowest(
        RealConstant("lambda", value, ("eigenvalue", node), r"\lambda"), Rational(str(abs(values[order[2]]))),
        tuple(vector.tolist()),
    )  # fmt: skip
