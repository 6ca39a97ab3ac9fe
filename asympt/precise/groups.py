r"""The NTK of a network of two-matrix blocks as the sum of what its four kinds of parameters contribute (TBG, [D11]).

Problem.  x' = x + alpha (sigma_v/sqrt(n)) V phi((sigma_w/sqrt(n)) W x) with U, V, W and the readout w trained: which
part of the NTK comes from which matrices?

Rule.  With a = alpha^2 sigma_v^2 sigma_w^2, T = E[phi phi], T' = E[phi' phi'] at Sigma^m and B blocks, the squared
gradient of the output in x^(m) is sigma_w^2 Pi^(m),

    Pi^(B) = 1,        Pi^(m) = Pi^(m+1) (1 + a T'(Sigma^(m+1))),

and the squared gradients in the parameters are

    w   Sigma^(B+1)                  V   a sum_(m=1)^B Pi^(m) T(Sigma^m)
    U   Pi^(0) Sigma^1               W   a sum_(m=1)^B Pi^(m) Sigma^m T'(Sigma^m)

What follows.  M = U + V + W obeys M' = (1 + a T') M + a T + a Sigma T'; with Sigma' = Sigma + a T the sum K = M + Sigma
obeys K' = (1 + a T') K + 2 a T, because a Sigma T' cancels.

Tiny case.  B = 0: K = Sigma^1 (readout) + Sigma^1 (U).

Known limits.  Both inputs have the same variance q_1.
"""

from dataclasses import dataclass

from mpmath import mp

from asympt.errors import UnsupportedError
from asympt.meanfield.statement import Statement
from asympt.numbers import to_mpf
from asympt.precise.moving import orbit


@dataclass(frozen=True)
class Groups:
    """The four contributions to K, as mpmath numbers."""

    readout: object
    input: object
    outer: object
    inner: object

    @property
    def total(self):
        """K."""
        return self.readout + self.input + self.outer + self.inner


def products(slopes: list, weight) -> list:
    """[Pi^(0), ..., Pi^(B)] from T'(Sigma^1), ..., T'(Sigma^B)."""
    found = [mp.one]
    for slope in reversed(slopes):
        found.append(found[-1] * (1 + weight * slope))
    return found[::-1]


def groups_at(statement: Statement, depth: int, gap, variance) -> Groups:
    """The contributions to K^L at L = depth, that is after L - 1 blocks, at mpmath's precision."""
    if statement != Statement.block_residual(statement.layer, statement.first.weight):
        raise UnsupportedError(
            "the sum over U, V, W and the readout is that of two-matrix blocks, x + alpha V phi(W x); give the "
            "statement of a BlockResNet"
        )
    layers = orbit(statement, depth, gap, variance)
    *blocks, (last_q, last_gap, _) = layers
    weight = to_mpf(statement.layer.weight_variance)
    later = products([branch.slope for _, _, branch in blocks], weight)
    outer = weight * sum((p * branch.value for p, (_, _, branch) in zip(later[1:], blocks, strict=True)), mp.zero)
    inner = sum((p * q * (1 - c) * branch.slope for p, (q, c, branch) in zip(later[1:], blocks, strict=True)), mp.zero)
    return Groups(last_q * (1 - last_gap), later[0] * variance * (1 - gap), outer, weight * inner)
