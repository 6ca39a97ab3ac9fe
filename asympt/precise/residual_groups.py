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
from asympt.gaussian.closed.arccosine import gap_map, gap_slope
from asympt.gaussian.kernel import kernel_of
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import Statement, at_layer
from asympt.numbers import to_mpf


@dataclass(frozen=True)
class Branch:
    """E[phi phi] at equal inputs (`square`), what it loses at the gap (`lost`), and E[phi' phi'] (`slope`)."""

    square: object
    lost: object
    slope: object

    @property
    def value(self):
        """E[phi phi] at the gap."""
        return self.square - self.lost


def branch_at(layer: Layer, q, gap) -> Branch:
    """The moments of phi at variance q and correlation 1 - gap, at mpmath's precision."""
    if layer.activation.is_relu_like:
        unit, weights = to_mpf(layer.activation.second_moment), (to_mpf(layer.fold), to_mpf(layer.unfolded))
        return Branch(unit * q, unit * q * gap_map(gap, *weights), unit * gap_slope(gap, *weights))
    kernel = kernel_of(layer.activation.piecewise)
    return Branch(kernel.value(q, q, 1), kernel.gap(q, gap), kernel.slope(q, gap))


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


def orbit(statement: Statement, depth: int, gap, variance) -> list[tuple]:
    """[(q, gap, Branch)] of the layers 1, ..., depth of a residual network, at mpmath's precision.

    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> s = Statement.block_residual(Layer(activation("relu"), Integer(1), Integer(0)), Integer(1))
    >>> [mp.nstr(q, 5) for q, _, _ in orbit(s, 3, mp.one, mp.one)]
    ['1.0', '1.5', '2.25']
    """
    found, q = [], variance
    for layer in range(1, depth + 1):
        branch = branch_at(statement.layer, q, gap)
        found.append((q, gap, branch))
        skip, weight, bias = layer_weights(statement, layer + 1)
        following = skip * q + bias + weight * branch.square
        q, gap = following, (skip * q * gap + weight * branch.lost) / following
    return found


def layer_weights(statement: Statement, layer: int) -> tuple:
    """(skip, beta_l sigma_w^2, beta_l sigma_b^2) of layer l, at mpmath's precision.

    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> s = Statement.scaled_residual(Layer(activation("relu"), Integer(2), Integer(1)), Integer(1))
    >>> layer_weights(s, 4)
    (1, mpf('0.5'), mpf('0.25'))
    """
    branch, own = at_layer(statement.branch, layer), statement.layer
    return int(statement.skip), branch * to_mpf(own.weight_variance), branch * to_mpf(own.bias_variance)


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
