"""The primitives of a network with weights drawn: each has its forward pass, and its backward pass by hand.

Problem.  Whatever the rules of infinite width say of a primitive, a network of finite width says it without them.

Rule.  `forward` takes a signal (networks, n, N, P) and keeps what `backward` needs; `backward` takes d, the derivatives
of the outputs with respect to what the part returned (`Tally`), counts the part's own parameters, and returns those
with respect to what it read.  With x the signal read, y the one returned, means over the n neurons:

    dense              y = sigma_w/sqrt(m) W x + sigma_b b          d -> sigma_w/sqrt(m) W^T d
    conv               the same of the m C entries of a filter      and summed over the filter
    phi                y = phi(x)                                   d -> phi'(x) d
    a x + b F(x)                                                    d -> a d + b F^T d
    A(x) B(x)                                                       d -> A^T(B d) + B^T(A d)
    (x, F(x))                                                       d -> d_1 + F^T d_2
    layer_norm         y = (x - mean)/deviation                     d -> (d - mean d - y mean(d y))/deviation
    rms_norm           y = x/root mean square                       d -> (d - y mean(d y))/root mean square
    gain and bias      y = gain x + bias, 1 and 0 when drawn        d -> gain d
    dropout            y = mask x/p, drawn for every input          d -> mask d/p

Tiny case.  dense: its own parameters add sigma_w^2 x.x'/m + sigma_b^2 where d is a unit vector.

Known limits.  Norms divide by what they find: no small number is added, so inputs of zeros without bias have none.

What the parameters of a network add to its NTK, summed up as the backward pass meets them.

Signals are arrays (networks, n, N, P), n neurons of N inputs at P positions (P = 1 without convolutions), their
derivatives d of output i at output position p arrays (networks, n, outputs, N, Q, P).  A matrix W with z = W h at every
position has d f/d W = sum_P d h^T, whose products need Gram matrices only,

    sum_(P, P') (d_a,P . d_b,P')(h_a,P . h_b,P'),

while gains and biases, few enough, are written out.  The sum is that of the mean over outputs.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from asympt.depth.finite.matrices import Array
from asympt.depth.finite.parsing import Nonlinear


class Tally:
    """The NTK so far, shape (networks, N Q, N Q)."""

    def __init__(self):
        self.total: Array | float = 0.0

    def matrix(self, d: Array, h: Array, factor: float) -> None:
        """The weights of z = W h, `factor` their learning rate; h has shape (networks, m, N, P)."""
        inner = np.einsum("cmax,cmby->caxby", h, h, optimize=True)
        self._add(factor * np.einsum("cnoaqx,cnobry,caxby->caqbr", d, d, inner, optimize=True), d)

    def vector(self, gradient: Array, factor: float = 1.0) -> None:
        """One parameter a neuron; `gradient` has shape (networks, n, outputs, N, Q)."""
        self._add(factor * np.einsum("cnoaq,cnobr->caqbr", gradient, gradient, optimize=True), gradient)

    def _add(self, share: Array, d: Array) -> None:
        pixels = d.shape[3] * d.shape[4]
        self.total = self.total + share.reshape(len(share), pixels, pixels) / d.shape[2]


class DrawnPart(Protocol):
    """A part of a network with numbers in it."""

    def forward(self, x: Array) -> Array:
        """What it returns."""

    def backward(self, d: Array, tally: Tally) -> Array:
        """The derivatives with respect to what it read; its own parameters go to the tally."""


def _beside(x: Array) -> Array:
    """A signal beside derivatives: (networks, n, 1, N, 1, P)."""
    return x[:, :, None, :, None, :]


@dataclass
class DrawnDense:
    """sigma_w/sqrt(m) W x + sigma_b b, over the entries of a filter where there is one.

    `rates`: lambda_W and lambda_b, None for those of W and b as drawn; `taps`: for every entry of the filter the
    position it reads at each position, -1 beside the edge; None: the same.
    """

    matrix: object
    bias: Array
    sigma_w: float
    sigma_b: float
    rates: tuple[float, float] | None = None
    taps: Array | None = None
    read: Array = field(init=False, repr=False)

    def forward(self, x: Array) -> Array:
        """Kept: what the matrix was applied to."""
        self.read = x if self.taps is None else self._gathered(x)
        y = self.matrix.times(self.read.reshape(*self.read.shape[:2], -1))
        y = self._root * y.reshape(*y.shape[:2], *x.shape[2:3], -1)
        return y + self.sigma_b * self.bias[:, :, None, None]

    def backward(self, d: Array, tally: Tally) -> Array:
        """The transposed map."""
        weight, bias = (self.sigma_w**2, self.sigma_b**2) if self.rates is None else self.rates
        tally.matrix(d, self.read, weight / self.read.shape[1])
        if bias:
            tally.vector(d.sum(axis=-1), bias)
        pulled = self.matrix.transposed(d.reshape(*d.shape[:2], -1))
        pulled = self._root * pulled.reshape(*pulled.shape[:2], *d.shape[2:])
        return pulled if self.taps is None else self._scattered(pulled)

    @property
    def _root(self) -> float:
        return self.sigma_w / np.sqrt(self.read.shape[1])

    def _gathered(self, x: Array) -> Array:
        """(networks, m C, N, P): entry (j, beta) at position alpha is x_(j, alpha + beta)."""
        parts = [np.where(places >= 0, x[..., places], 0.0) for places in self.taps]
        return np.stack(parts, axis=2).reshape(len(x), -1, *x.shape[2:3], self.taps.shape[1])

    def _scattered(self, pulled: Array) -> Array:
        """The transposed map of `_gathered`."""
        parts = pulled.reshape(len(pulled), -1, len(self.taps), *pulled.shape[2:])
        found = np.zeros((*parts.shape[:2], *parts.shape[3:]))
        for at, places in enumerate(self.taps):
            inside = places >= 0
            found[..., places[inside]] += parts[:, :, at][..., inside]
        return found


@dataclass
class Pointwise:
    """phi, neuron by neuron."""

    phi: Nonlinear
    read: Array = field(init=False, repr=False)

    def forward(self, x: Array) -> Array:
        """Kept: the preactivations."""
        self.read = x
        return self.phi.value(x)

    def backward(self, d: Array, tally: Tally) -> Array:
        """Times phi'."""
        return d * _beside(self.phi.slope(self.read))


@dataclass
class Times:
    """A number, or a mask for every neuron of every input."""

    factor: Array | float

    def forward(self, x: Array) -> Array:
        """The product."""
        return x * self.factor

    def backward(self, d: Array, tally: Tally) -> Array:
        """The same product."""
        return d * (self.factor if np.ndim(self.factor) == 0 else _beside(self.factor))


@dataclass
class Norm:
    """Division by the deviation (`centres`) or by the root mean square over the neurons."""

    centres: bool
    image: Array = field(init=False, repr=False)
    size: Array = field(init=False, repr=False)

    def forward(self, x: Array) -> Array:
        """Kept: what is returned, and what was divided by."""
        centred = x - x.mean(axis=1, keepdims=True) if self.centres else x
        self.size = np.sqrt(np.mean(centred**2, axis=1, keepdims=True))
        self.image = centred / self.size
        return self.image

    def backward(self, d: Array, tally: Tally) -> Array:
        """The derivative through what was divided by, and through the mean."""
        y = _beside(self.image)
        moved = d - y * np.mean(d * y, axis=1, keepdims=True)
        if self.centres:
            moved -= d.mean(axis=1, keepdims=True)
        return moved / _beside(self.size)


@dataclass
class Affine:
    """gain x + bias, one of each a neuron, trained."""

    gain: Array
    bias: Array
    read: Array = field(init=False, repr=False)

    def forward(self, x: Array) -> Array:
        """Kept: x."""
        self.read = x
        return self.gain[:, :, None, None] * x + self.bias[:, :, None, None]

    def backward(self, d: Array, tally: Tally) -> Array:
        """d f/d gain = d x and d f/d bias = d, summed over positions."""
        tally.vector((d * _beside(self.read)).sum(axis=-1))
        tally.vector(d.sum(axis=-1))
        return d * self.gain[:, :, None, None, None, None]


@dataclass
class Serial:
    """One part after the other."""

    parts: list[DrawnPart]

    def forward(self, x: Array) -> Array:
        """In order."""
        for part in self.parts:
            x = part.forward(x)
        return x

    def backward(self, d: Array, tally: Tally) -> Array:
        """In reverse order."""
        for part in reversed(self.parts):
            d = part.backward(d, tally)
        return d


@dataclass
class Sum:
    """skip x + scale F(x)."""

    branch: DrawnPart
    skip: float
    scale: float

    def forward(self, x: Array) -> Array:
        """The sum."""
        return self.skip * x + self.scale * self.branch.forward(x)

    def backward(self, d: Array, tally: Tally) -> Array:
        """Both ways."""
        return self.skip * d + self.branch.backward(self.scale * d, tally)


@dataclass
class Product:
    """A(x) B(x), neuron by neuron."""

    one: DrawnPart
    two: DrawnPart
    images: tuple[Array, Array] = field(init=False, repr=False)

    def forward(self, x: Array) -> Array:
        """Kept: both factors."""
        self.images = self.one.forward(x), self.two.forward(x)
        return self.images[0] * self.images[1]

    def backward(self, d: Array, tally: Tally) -> Array:
        """Each factor with the other one held."""
        one, two = map(_beside, self.images)
        return self.one.backward(d * two, tally) + self.two.backward(d * one, tally)


@dataclass
class Beside:
    """x and F(x) side by side."""

    branch: DrawnPart
    width: int

    def forward(self, x: Array) -> Array:
        """The neurons of x first."""
        return np.concatenate([x, self.branch.forward(x)], axis=1)

    def backward(self, d: Array, tally: Tally) -> Array:
        """What came through each."""
        return d[:, : self.width] + self.branch.backward(d[:, self.width :], tally)


def taps(reach: tuple[int, ...], positions: tuple[int, ...], padding: str) -> Array:
    """For every entry of a filter the position it reads at each position; -1 beside the edge with zero padding.

    >>> taps((1,), (3,), "zero").tolist(), taps((1,), (3,), "circular").tolist()
    ([[-1, 0, 1], [0, 1, 2], [1, 2, -1]], [[2, 0, 1], [0, 1, 2], [1, 2, 0]])
    """
    places = np.stack(np.meshgrid(*map(np.arange, positions), indexing="ij")).reshape(len(positions), -1)
    shape, found = np.array(positions)[:, None], []
    for offset in np.ndindex(*(2 * k + 1 for k in reach)):
        moved = places + (np.array(offset) - np.array(reach))[:, None]
        outside = ((moved < 0) | (moved >= shape)).any(axis=0)
        flat = np.ravel_multi_index(tuple(moved % shape), positions)
        found.append(np.where(outside & (padding == "zero"), -1, flat))
    return np.array(found)
