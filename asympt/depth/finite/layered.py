"""Networks of finite width whose layers are z' = skip z + b F(z): forward pass, and backward pass by hand.

With N(0, 1) weights w and biases v, C = 2 reach + 1 filter positions, m neurons (or channels) below,

    F_l(h)_i,alpha = sigma_w/sqrt(m C) sum_(j, beta) w^l_(i, j, beta) h_(j, alpha + beta) + sigma_b v^l_i
    z^1 = F_1(x),        z^l = skip z^(l-1) + b_l F_l(phi(z^(l-1))),
    D^L = e_i,           D^(l-1) = skip D^l + b_l phi'(z^(l-1)) * (transposed linear map of F_l applied to D^l):

the NTK needs Gram matrices of D and h only, weighed with lambda_W/(m C) and lambda_b, never the Jacobian.  Written from
the papers ([HDR] eqs. (10), (11), section 4.2; [PDLT] section 10.1), not from the layer recursions, which they referee.
Convolutions are on a circle of M positions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from asympt.arrays import whole
from asympt.depth.finite.composition import DrawnDense, Tally, taps
from asympt.depth.finite.matrices import Array, Drawn, Revealed, nonlinear, pairings, rate, scale
from asympt.errors import InputError
from asympt.meanfield.activations import Activation


@dataclass(frozen=True)
class Passed:
    """A forward pass: per layer its preactivations z, shape (networks, n, N, M), and F_l with what it read."""

    preactivations: list
    parts: list[DrawnDense]


class LayerShares(Tally):
    """One layer's share in the NTK, by weights and biases: (networks, outputs, outputs, N M, N M)."""

    def matrix(self, d: Array, h: Array, factor: float) -> None:
        pairs, inner = _paired(d), _paired(h)
        self.weights = factor * _square(np.einsum("coaqxpbry,caxby->copaqbr", pairs, inner, optimize=True))
        self.biases = np.zeros_like(self.weights)

    def vector(self, gradient: Array, factor: float = 1.0) -> None:
        self.biases = factor * _square(np.einsum("coaqpbr->copaqbr", _paired(gradient)))


@dataclass(frozen=True)
class Layered:
    """What the architectures share; `activation` by name or as an `Activation`, sigma_w > 0 and sigma_b >= 0."""

    activation: Activation | str
    sigma_w: float = 1.0
    sigma_b: float = 0.0
    has_skip: ClassVar[bool] = False
    reach: ClassVar[int] = 0
    spatial: ClassVar[int] = 0  # directions in which inputs have positions

    def __post_init__(self):
        object.__setattr__(self, "sigma_w", scale(self.sigma_w, "sigma_w"))
        object.__setattr__(self, "sigma_b", scale(self.sigma_b, "sigma_b", zero=True))
        nonlinear(self.activation)

    def branch(self, layer: int) -> float:
        """b_l, the factor of F in layer l >= 2."""
        return 1.0

    def weight_rate(self, layer: int) -> float:
        """lambda_W of layer l."""
        return self.sigma_w**2

    def bias_rate(self, layer: int) -> float:
        """lambda_b of layer l."""
        return self.sigma_b**2

    def arranged(self, X: Array) -> Array:
        """The inputs as (d, N, M): features, inputs, positions."""
        return X.T[:, :, None]

    def columns(self, X: Array, outputs: int) -> int:
        """How many columns a weight matrix is applied to in both passes."""
        pixels = self.arranged(X)[0].size
        return pixels * (1 + outputs * self.arranged(X).shape[2])

    def draw(self, random, X: Array, depth: int, width: int, networks: int, matrix) -> list:
        """[(weights, biases)] for layers 1, ..., depth; `matrix` is Drawn or Revealed."""
        filters, below = 2 * self.reach + 1, self.arranged(X).shape[0]
        found = []
        for _ in range(depth):
            weights = matrix.new(random, networks, width, below * filters)
            found.append((weights, self.sigma_b * random.standard_normal((networks, width))))
            below = width
        return found

    def forward(self, weights: list, X: Array) -> Passed:
        """Every layer's preactivations."""
        phi, arranged = nonlinear(self.activation), self.arranged(X)
        h = np.broadcast_to(arranged, (len(weights[0][1]), *arranged.shape))
        places = taps((self.reach,), arranged.shape[2:], "circular") if self.reach else None
        z, zs, parts = 0.0, [], []
        for layer, (matrix, biases) in enumerate(weights, 1):
            rates = self.weight_rate(layer), self.bias_rate(layer)
            parts.append(DrawnDense(matrix, biases, self.sigma_w, 1.0, rates, places))
            z = self._skip(layer) * z + self._branch(layer) * parts[-1].forward(h)
            h = phi.value(z)
            zs.append(z)
        return Passed(zs, parts)

    def backward(self, passed: Passed, outputs: int) -> Iterator[tuple[int, Array]]:
        """(l, D^l) for l = L, ..., 1, D of shape (networks, n, outputs, N, M, M): d z^L_(i, alpha)/d z^l_(., gamma)."""
        phi, z = nonlinear(self.activation), passed.preactivations
        d = _first_neurons(z[-1].shape, outputs)
        for layer in range(len(z), 0, -1):
            yield layer, d
            if layer > 1:
                slope = phi.slope(z[layer - 2])[:, :, None, :, None, :]
                d = self._skip(layer) * d + passed.parts[layer - 1].pulled(self._branch(layer) * d) * slope

    def sample(self, random, X: Array, depth: int, width: int, networks: int, outputs: int, matrix) -> dict:
        """One array (networks, ...) per quantity: see `kernels.empirical_kernels`."""
        passed = self.forward(self.draw(random, X, depth, width, networks, matrix), X)
        nngp = np.stack([pairings(_flat(z)) / z.shape[1] for z in passed.preactivations], axis=1)
        shares = self.shares(passed, outputs)
        ntk = shares["weights"].sum(axis=1) + shares["biases"].sum(axis=1)
        below = ntk - shares["weights"][:, -1] - shares["biases"][:, -1]
        found = {"ntk": _same(ntk), "between": _different(ntk), "below": _same(below)}
        return {"nngp": nngp, **found, **{name: _same(share) for name, share in shares.items()}}

    def shares(self, passed: Passed, outputs: int) -> dict[str, Array]:
        """Each layer's share in the NTK, by weights and biases: (networks, L, outputs, outputs, N M, N M)."""
        found = []
        for layer, d in self.backward(passed, outputs):
            found.append(LayerShares())
            passed.parts[layer - 1].count(self._branch(layer) * d, found[-1])
        names = "weights", "biases"
        return {name: np.stack([getattr(share, name) for share in found[::-1]], axis=1) for name in names}

    def _skip(self, layer: int) -> float:
        return float(self.has_skip and layer > 1)

    def _branch(self, layer: int) -> float:
        return self.branch(layer) if layer > 1 else 1.0


def _flat(array: Array) -> Array:
    """(networks, n, columns)."""
    return array.reshape(*array.shape[:2], -1)


def _paired(array: Array) -> Array:
    return pairings(_flat(array)).reshape(len(array), *array.shape[2:], *array.shape[2:])


def _first_neurons(shape: tuple, outputs: int) -> Array:
    """e_i at position alpha for the first `outputs` neurons, every input and every alpha."""
    networks, width, inputs, positions = shape
    d = np.zeros((networks, width, outputs, inputs, positions, positions))
    for i in range(outputs):
        d[:, i, i] = np.eye(positions)
    return d


def _square(share: Array) -> Array:
    """(networks, outputs, outputs, N, M, N, M) with pixels flattened."""
    pixels = share.shape[3] * share.shape[4]
    return share.reshape(*share.shape[:3], pixels, pixels)


def _same(share: Array) -> Array:
    return np.einsum("...iiab->...ab", share) / share.shape[-3]


def _different(share: Array) -> Array:
    """The mean over pairs of different output neurons; NaN when there is only one."""
    outputs = share.shape[-3]
    if outputs == 1:
        return np.full(share.shape[:1] + share.shape[-2:], np.nan)
    total = share.sum(axis=(-4, -3)) - np.einsum("...iiab->...ab", share)
    return total / (outputs * (outputs - 1))


# ---- the architectures -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dense(Layered):
    """A plain network; `weight_rates`, `bias_rates`: lambda_W and lambda_b, numbers or functions of the layer.

    >>> net = Dense("relu", sigma_w=2, weight_rates=lambda layer: 1 / layer)
    >>> net.weight_rate(2), net.bias_rate(2)
    (0.5, 0.0)
    """

    weight_rates: float | Callable[[int], float] | None = None
    bias_rates: float | Callable[[int], float] | None = None

    def weight_rate(self, layer: int) -> float:
        return self.sigma_w**2 if self.weight_rates is None else rate(self.weight_rates, "weight_rates")(layer)

    def bias_rate(self, layer: int) -> float:
        return self.sigma_b**2 if self.bias_rates is None else rate(self.bias_rates, "bias_rates")(layer)


@dataclass(frozen=True)
class Residual(Layered):
    """A residual network.

    >>> Residual("relu").branch(3)
    1.0
    """

    has_skip: ClassVar[bool] = True


@dataclass(frozen=True)
class ScaledResidual(Residual):
    """A residual network whose branch at layer l is scaled by l^(-kappa/2).

    >>> ScaledResidual("relu", kappa=1).branch(4)
    0.5
    """

    kappa: float = 1.0

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "kappa", scale(self.kappa, "kappa", zero=True))

    def branch(self, layer: int) -> float:
        return layer ** (-self.kappa / 2)


@dataclass(frozen=True)
class Convolution(Layered):
    """A convolutional network with a filter of 2 reach + 1 positions; inputs have shape (N, channels, M).

    >>> Convolution("relu", reach=2).filters
    5
    """

    reach: int = 1
    spatial: ClassVar[int] = 1

    def __post_init__(self):
        super().__post_init__()
        if self.reach != 0:
            whole(self.reach, "reach", "k of a filter of 2k + 1 positions, 0 or more")

    @property
    def filters(self) -> int:
        """2k + 1."""
        return 2 * self.reach + 1

    def arranged(self, X: Array) -> Array:
        if X.shape[2] < self.filters:
            raise InputError(f"X has {X.shape[2]} positions, fewer than the {self.filters} of the filter; give more")
        return np.transpose(X, (1, 0, 2))


@dataclass(frozen=True)
class ResidualConvolution(Convolution):
    """The convolutional residual network of HDR sec. 4.2: z^l = z^(l-1) + F(z^(l-1)), layer 1 without residual.

    >>> ResidualConvolution("relu").has_skip
    True
    """

    has_skip: ClassVar[bool] = True


# ---- two matrices a block --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """The residual network of Tirer, Bruna and Giryes, two trained matrices a block; layer l is g^(l), depth = L + 1.

        x^(0) = U x/sqrt(d),              g^(l) = sigma_w/sqrt(n) W^(l) x^(l-1),
        x^(l) = x^(l-1) + alpha sigma_v/sqrt(n) V^(l) phi(g^(l)).

    The output sigma_w/sqrt(n) w.x^(L) is one more g, w a row of W^(L+1).  With delta^(l) = d f/d x^(l)

        gamma^(l) = alpha sigma_v/sqrt(n) phi'(g^(l)) * V^(l)T delta^(l)      (d f/d g^(l)),
        delta^(l-1) = delta^(l) + sigma_w/sqrt(n) W^(l)T gamma^(l),        d f/d U = delta^(0) x^T/sqrt(d),
        d f/d V^(l) = alpha sigma_v/sqrt(n) delta^(l) phi(g^(l))^T,    d f/d W^(l) = sigma_w/sqrt(n) gamma^(l) x^(l-1)T.

    >>> Block("relu", alpha="1/2", sigma_v=2).step
    1.0
    """

    activation: Activation | str
    alpha: float = 1.0
    sigma_w: float = 1.0
    sigma_v: float = 1.0
    spatial: ClassVar[int] = 0

    def __post_init__(self):
        for name in ("alpha", "sigma_w", "sigma_v"):
            object.__setattr__(self, name, scale(getattr(self, name), name))
        nonlinear(self.activation)

    @property
    def step(self) -> float:
        """alpha sigma_v."""
        return self.alpha * self.sigma_v

    def columns(self, X: Array, outputs: int) -> int:
        return len(X) * (1 + outputs)

    def draw(self, random, X: Array, depth: int, width: int, networks: int, matrix) -> dict:
        """U, the W^(1), ..., W^(depth), whose last has the readouts as rows, and V^(1), ..., V^(depth - 1)."""
        square = (random, networks, width, width)
        return {
            "U": matrix.new(random, networks, width, X.shape[1]),
            "W": [matrix.new(*square) for _ in range(depth)],
            "V": [matrix.new(*square) for _ in range(depth - 1)],
        }

    def forward(self, weights: dict, X: Array, networks: int = 1) -> tuple[list, list]:
        """[x^(0), ..., x^(L)] and [g^(1), ..., g^(L+1)], each (networks, n, N)."""
        phi = nonlinear(self.activation)
        inputs = np.broadcast_to(X.T / np.sqrt(X.shape[1]), (networks, *X.T.shape))
        x, g = [weights["U"].times(inputs)], []
        for layer, inner in enumerate(weights["W"]):
            width = x[-1].shape[1]
            g.append(self.sigma_w / np.sqrt(width) * inner.times(x[-1]))
            if layer < len(weights["V"]):
                x.append(x[-1] + self.step / np.sqrt(width) * weights["V"][layer].times(phi.value(g[-1])))
        return x, g

    def sample(self, random, X: Array, depth: int, width: int, networks: int, outputs: int, matrix) -> dict:
        weights = self.draw(random, X, depth, width, networks, matrix)
        x, g = self.forward(weights, X, networks)
        shares = self.shares(weights, X, x, g, outputs)
        ntk = sum(shares[name].sum(axis=1) for name in ("U", "V", "W", "readout"))
        nngp = np.stack([np.swapaxes(z, 1, 2) @ z / width for z in g], axis=1)
        return {"nngp": nngp, "ntk": ntk, **shares}

    def shares(self, weights: dict, X: Array, x: list, g: list, outputs: int) -> dict[str, Array]:
        """Shares in the NTK by group, (networks, blocks, N, N), and "delta", delta^(l).delta^(l)' for l = 0, ..., L.

        Means over the first `outputs` readouts.
        """
        phi, (networks, width, inputs) = nonlinear(self.activation), x[0].shape
        unit = np.zeros((networks, width, outputs, inputs))
        for i in range(outputs):
            unit[:, i, i] = 1.0
        found = {"V": [], "W": [], "delta": []}
        delta = self._pulled(weights["W"][-1], self.sigma_w, unit)
        found["delta"].append(_products(delta))
        for layer in range(len(weights["V"]) - 1, -1, -1):
            values, slopes = phi.value(g[layer]), phi.slope(g[layer])[:, :, None]
            gamma = slopes * self._pulled(weights["V"][layer], self.step, delta)
            found["V"].append(self.step**2 / width * _products(delta) * pairings(values))
            found["W"].append(self.sigma_w**2 / width * _products(gamma) * pairings(x[layer]))
            delta = delta + self._pulled(weights["W"][layer], self.sigma_w, gamma)
            found["delta"].append(_products(delta))
        stacked = {name: _stack(parts[::-1], networks, inputs) for name, parts in found.items()}
        first = _products(delta) * (X @ X.T / X.shape[1])
        readout = self.sigma_w**2 / width * pairings(x[-1])
        return {**stacked, "U": first[:, None], "readout": readout[:, None]}

    def _pulled(self, matrix, factor: float, columns: Array) -> Array:
        """factor/sqrt(n) M^T applied to (networks, n, outputs, N)."""
        flat = columns.reshape(*columns.shape[:2], -1)
        return factor / np.sqrt(columns.shape[1]) * matrix.transposed(flat).reshape(columns.shape)


def _products(delta: Array) -> Array:
    return np.einsum("cnia,cnib->cab", delta, delta, optimize=True) / delta.shape[2]


def _stack(parts: list, networks: int, inputs: int) -> Array:
    return np.stack(parts, axis=1) if parts else np.zeros((networks, 0, inputs, inputs))


# ---- gradient descent ------------------------------------------------------------------------------------------------

def first_update(network: Dense, X: Array, y: Array, depth: int, width: int, networks: int, random) -> Array:
    """dz^(L-1)/eta of the first step of descent: shape (networks, n, N); `y` has shape (outputs, N).

    With loss 1/2 sum (z^L - y)^2, errors e, D^l = d z^L/d z^l and W with its scale, to first order in eta (PDLT 10.1)

        dW^l = -eta lambda_W/m sum_a (D^l e)_a h_a^T,        db^l = -eta lambda_b sum_a (D^l e)_a,
        dz^l = dW^l h + db^l + W^l (phi'(z^(l-1)) * dz^(l-1)).

    `InputError` for a depth below 2.

    >>> net = Dense("relu", sigma_w=1, sigma_b=1)
    >>> first_update(net, np.eye(2), np.zeros((1, 2)), 2, 8, 3, np.random.default_rng(0)).shape
    (3, 8, 2)
    """
    if depth < 2:
        raise InputError(f"depth = {depth} has no hidden layer; give the number of layers, at least 2")
    return hidden_update(network, network.forward(network.draw(random, X, depth, width, networks, Revealed), X), y)


def hidden_update(network: Dense, passed: Passed, y: Array) -> Array:
    """dz^(L-1)/eta after a forward pass, to first order in eta."""
    phi, moved = nonlinear(network.activation), None
    for layer, pulled in sorted(_pulled_errors(network, passed, y), key=lambda pair: pair[0])[:-1]:
        part = passed.parts[layer - 1]
        h, rates = part.read[..., 0], part.rates
        here = -pulled @ (rates[0] / h.shape[1] * np.swapaxes(h, 1, 2) @ h + rates[1])
        if moved is not None:
            below = phi.slope(passed.preactivations[layer - 2][..., 0]) * moved
            here += network.sigma_w / np.sqrt(h.shape[1]) * part.matrix.times(below)
        moved = here
    return moved


def trained_drift(
    network: Dense, X: Array, y: Array, depth: int, width: int, networks: int, steps: int, random
) -> tuple[Array, Array]:
    """(largest |K_t - K_0|/|K_0| over t in Frobenius norm, loss at the end over loss at the start) of every network.

    One output, y of shape (1, N); the NTK is compared at every tenth step; the step size is 1/tr K_0.
    """
    weights = [
        (Drawn(matrix.entries.astype(float)), biases)
        for matrix, biases in network.draw(random, X, depth, width, networks, Drawn)
    ]
    first, losses, drift = None, [], np.zeros(networks)
    for step in range(steps + 1):
        passed = network.forward(weights, X)
        losses.append(((_outputs(passed, y) - y) ** 2).sum(axis=(1, 2)))
        if step % 10 == 0:
            kernel = _kernel(network, passed)
            first = kernel if first is None else first
            moved = np.linalg.norm(kernel - first, axis=(1, 2)) / np.linalg.norm(first, axis=(1, 2))
            drift = np.maximum(drift, moved)
        if step < steps:
            descend(network, passed, y, 1 / np.trace(first, axis1=1, axis2=2))
    return drift, losses[-1] / losses[0]


def _outputs(passed: Passed, y: Array) -> Array:
    """(networks, outputs, N)."""
    return passed.preactivations[-1][:, : len(y), :, 0]


def _pulled_errors(network: Dense, passed: Passed, y: Array) -> list[tuple[int, Array]]:
    """(l, D^l e) of every layer, summed over outputs: (networks, n, N)."""
    errors = _outputs(passed, y) - y
    return [(layer, np.einsum("cnia,cia->cna", d[..., 0, 0], errors)) for layer, d in network.backward(passed, len(y))]


def _kernel(network: Dense, passed: Passed) -> Array:
    shares = network.shares(passed, 1)
    return (shares["weights"] + shares["biases"]).sum(axis=1)[:, 0, 0]


def descend(network: Dense, passed: Passed, y: Array, size: Array) -> None:
    """One step of size eta for every network, in place; weights are held without their scale sigma_w/sqrt(m)."""
    for layer, pulled in _pulled_errors(network, passed, y):
        part = passed.parts[layer - 1]
        h, rates = part.read[..., 0], part.rates
        factor = rates[0] / (network.sigma_w * np.sqrt(h.shape[1]))
        part.matrix.entries -= (factor * size[:, None, None]) * (pulled @ np.swapaxes(h, 1, 2))
        part.bias -= rates[1] * size[:, None] * pulled.sum(axis=2)
