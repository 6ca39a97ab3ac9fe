"""The random networks that decide claims about layer recursions, and a printed matrix of a layer beside them.

Three inputs of different norms, no two parallel, one pair at an obtuse angle; sigma_w is not 1 where a source has one;
fixed seed.  T = E[phi phi] and D = E[phi' phi'] over N(0, Sigma); the figure is the largest deviation of the means over
networks in standard errors over all entries, the bound the quantile of Student's t that any of them exceeds with a
probability of 1e-4 at most: a few per mille at depth 4.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from mpmath import mp
from scipy.special import stdtrit

from asympt.architectures import BlockResNet, FeedForward, ResNet, ScaledResNet
from asympt.depth import gram
from asympt.depth.finite import Composition, EmpiricalKernels, Estimate, empirical_kernels
from asympt.depth.finite.descent import first_update, trained_drift
from asympt.depth.finite.kernels import Sums, limit
from asympt.evidence.check import EXACT, MEASURED, Check, Verification
from asympt.gaussian.kernel import kernel_of
from asympt.meanfield.activations import activation

Array = np.ndarray
X = np.array([[1.0, 0.2, -0.5], [0.3, 1.6, 0.8], [-0.9, 0.4, 0.6]])
DEPTH, WIDTHS, NETWORKS, SEED = 4, (128, 512), 400, 2020
SIGMA_W, SIGMA_B, ALPHA, SIGMA_V = 1.5, 0.4, 0.7, 0.8
WIDE = np.array([[2.0, 0.4, -1.0], [0.6, 3.2, 1.6], [-1.8, 0.8, 1.2]])  # 2 X: variances that fall from layer to layer


def _network(kind: str, phi: str) -> Composition:
    scales = {"sigma_w": SIGMA_W, "sigma_b": SIGMA_B}
    return {
        "plain": lambda: FeedForward(phi, **scales),
        "no bias": lambda: FeedForward(phi, sigma_w=SIGMA_W),
        "unit weights": lambda: FeedForward(phi, sigma_w=1, sigma_b=SIGMA_B),
        "unit weights, no bias": lambda: FeedForward(phi, sigma_w=1),
        "residual": lambda: ResNet(phi, **scales),
        "scaled": lambda: ScaledResNet(phi, sigma_w=SIGMA_W),
        "block": lambda: BlockResNet(phi, alpha=ALPHA, sigma_v=SIGMA_V, sigma_w=SIGMA_W),
    }[kind]().finite()


@lru_cache(maxsize=32)
def run(kind: str, phi: str, wide: bool = False) -> EmpiricalKernels:
    """Means over the networks of a kind; with `wide` the inputs are twice as long.

    Of one with blocks the shares of U, V, W and the readout have names, and the gradients after each block.
    """
    asked = {"widths": WIDTHS, "most_seeds": NETWORKS, "outputs": 2, "seed": SEED}
    found = empirical_kernels(_network(kind, phi), X=WIDE if wide else X, depth=DEPTH, **asked)
    if kind != "block":
        return found
    places = {"U": [0], "W": slice(1, -1, 2), "V": slice(2, -1, 2), "readout": [-1]}
    shares = {name: found.quantities["weights"].part(place) for name, place in places.items()}
    return replace(found, quantities={**found.quantities, **shares, "delta": found.quantities["gradients"]})


DOUBT, DIGITS = 1e-4, 18


@lru_cache(maxsize=8)
def _kernels(name: str) -> tuple:
    phi = activation(name).piecewise
    return kernel_of(phi), kernel_of(phi.derivative())


def values(name: str, covariance: Array) -> Array:
    """T: E[phi(z) phi(z')] over N(0, covariance) of every pair.

    >>> values("relu", np.eye(2)).round(6).tolist()
    [[0.5, 0.159155], [0.159155, 0.5]]
    """
    return _expected(_kernels(name)[0], covariance)


def slopes(name: str, covariance: Array) -> Array:
    """D: E[phi'(z) phi'(z')] over N(0, covariance) of every pair.

    >>> slopes("relu", np.eye(2)).round(6).tolist()
    [[0.5, 0.25], [0.25, 0.5]]
    """
    return _expected(_kernels(name)[1], covariance)


def _expected(kernel, covariance: Array) -> Array:
    found, q = np.empty_like(covariance), np.diag(covariance)
    with mp.workdps(DIGITS):
        for i in range(len(q)):
            for j in range(i + 1):
                c = min(1.0, max(-1.0, covariance[i, j] / np.sqrt(q[i] * q[j]))) if i != j else 1
                found[i, j] = found[j, i] = float(kernel.value(q[i], q[j], c))
    return found


def agreement(name: str, found: Estimate, expected: Array, detail: str = "", scale: Array | None = None) -> Check:
    """The largest deviation of the networks from `expected` in standard errors, against Student's t.

    `scale`, the kernel to whose diagonal the errors named in the detail are relative: the mean itself when left out.
    """
    expected = np.asarray(expected, dtype=float)
    figure = float(found.deviation(expected).max())
    bound = float(stdtrit(found.networks - 1, 1 - DOUBT / (2 * expected.size)))
    how = "extrapolated from two widths" if found.extrapolated else "no bias seen in two widths"
    said = f"standard errors up to {_relative(found.error, found.mean if scale is None else scale):.2%}, {how}"
    return Check.measured(
        f"{name}: largest deviation in standard errors", figure, float(f"{bound:.3g}"),
        f"{detail}; {said}" if detail else said
    )


def _relative(error: Array, scale: Array) -> float:
    """The largest error relative to the root of the product of the two diagonal entries (to the entry, of a vector)."""
    if scale.ndim == 1:
        return float(np.max(error / np.abs(scale)))
    root = np.sqrt(np.abs(np.einsum("...ii->...i", scale)))
    return float(np.max(error / (root[..., :, None] * root[..., None, :])))


def diagonal(found: Estimate) -> Estimate:
    """The diagonal of an estimated matrix."""
    return Estimate(np.diag(found.mean), np.diag(found.error), found.networks, found.extrapolated)

# ---- what training does to them: hidden layers and the NTK move, at what rate in 1/n ---------------------------------
#
# PDLT section 10.1.2, first step dz of the penultimate layer, loss 1/2 sum (z - y)^2, eps = z^(L) - y, leading terms:
#
#     mean         -eta C_W n_L/n sum_a Theta^(L-1)_(d a) <sigma'_a sigma_a>
#     variance     eta^2 C_W/n <<eps eps>> <sigma' sigma'> (Theta^(L-1)^2 + n E[Theta^(L-1)_jk^2]),     one input
#
# (10.12) has the first term only, which is all there is for (10.8), the step with a diagonal NTK.  The NTK between
# different neurons j, k vanishes like 1/sqrt(n), but n of them add up: C_W^2 <sigma'^4>_(K^1) Theta^(1)^2/n at L = 3.
# JGH, Theorem 4: largest relative change of the NTK in a descent to small loss.

WEIGHT, BIAS, LAYERS = SIGMA_W**2, SIGMA_B**2, 3
SCALES = f"sigma_w = {SIGMA_W}, sigma_b = {SIGMA_B}, L = {LAYERS}"
NAMES = ("relu", "erf")
BATCHES, BATCH = 16, 50
THREE = (X, np.array([[1.0, -1.0, 0.5], [0.5, 0.0, -0.5]]), (64, 256))  # inputs, targets of the outputs, widths
ONE = (X[:1], np.linspace(-1, 1, 8)[:, None], (128, 512))
ERRORS = 5.0  # standard errors allowed to a slope


@lru_cache(maxsize=8)
def _updates(phi: str, inputs: int, frozen: bool = False) -> tuple[dict[str, Estimate], ...]:
    """At each width: n E[dz], n E[dz_j dz_j] and n E[dz_j dz_k], j != k, of dz^(2)/eta; `frozen`: of (10.8)."""
    points, targets, widths = ONE if inputs == 1 else THREE
    network, found = FeedForward(phi, sigma_w=SIGMA_W, sigma_b=SIGMA_B).finite(), []
    for width in widths:
        sums = Sums()
        for at in range(BATCHES):
            random = np.random.default_rng([SEED, width, at])
            if frozen:
                moved = _frozen_update(phi, width, random)
            else:
                moved = first_update(network, points, targets, LAYERS, width, BATCH, random)
            same = np.einsum("cja,cjb->cab", moved, moved)
            total = moved.sum(axis=1)
            different = (np.einsum("ca,cb->cab", total, total) - same) / (width - 1)
            sums.add({"mean": total, "same": same, "different": different})
        found.append(sums.estimates())
    return tuple(found)


def _frozen_update(phi: str, width: int, random) -> Array:
    """(10.8)/eta at one input: -Theta^(2) sum_i eps_i W_ij sigma'_j, Theta^(2) that of infinite width."""
    kernels, tangents = _limits(phi, 1)
    value = activation(phi).piecewise
    normal, outputs = random.standard_normal, len(ONE[1])
    first = np.sqrt(kernels[0][0, 0]) * normal((BATCH, width))
    spread = BIAS + WEIGHT * np.mean(value.vectorised(first) ** 2, axis=1, keepdims=True)
    hidden = np.sqrt(spread) * normal((BATCH, width))
    weights = np.sqrt(WEIGHT / width) * normal((BATCH, outputs, width))
    last = SIGMA_B * normal((BATCH, outputs, 1)) + weights @ value.vectorised(hidden)[..., None]
    pulled = np.swapaxes(weights, 1, 2) @ (last - ONE[1]) * value.derivative().vectorised(hidden)[..., None]
    return -tangents[1][0, 0] * pulled


def _limits(phi: str, inputs: int) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """K and Theta of the layers 1, 2, 3."""
    network = FeedForward(phi, sigma_w=SIGMA_W, sigma_b=SIGMA_B)
    kernels, tangents = zip(*(gram(network, X[:inputs], depth=layer) for layer in (1, 2, LAYERS)), strict=True)
    return kernels, tangents


def mean_update() -> Verification:
    """PDLT.10.11: n E[dz]/eta for three inputs; <sigma' sigma> = sqrt(K/(2 pi)) for ReLU, 0 for odd sigma."""
    checks = []
    for phi in NAMES:
        kernels, tangents = _limits(phi, len(X))
        outputs = len(THREE[1])
        product = np.sqrt(np.diag(kernels[1]) / (2 * np.pi)) if phi == "relu" else np.zeros(len(X))
        expected = -WEIGHT * outputs * tangents[1] @ product
        found = limit(list(THREE[2]), [e["mean"] for e in _updates(phi, len(X))])
        scale = np.full(len(X), WEIGHT * outputs * np.trace(tangents[1]))
        checks.append(agreement(f"$n E[dz^(L-1)]/eta$, {phi}, {SCALES}", found, expected, scale=scale))
    return Verification(
        "E[dz^(L-1)] = -eta C_W/n sum Theta^(L-1) sum_i <<d^2 L>> <sigma' sigma> + O(1/n^2)", tuple(checks)
    )


def covariance_of_updates() -> Verification:
    """PDLT.10.13: n times the covariance stays, for one neuron; for two it even falls."""
    checks, (first, last) = [], THREE[2]
    for phi in NAMES:
        narrow, wide = _updates(phi, len(X))
        ratio = np.trace(wide["same"].mean) / np.trace(narrow["same"].mean)
        name = f"$n Var[dz_j]$ at $n = {last}$ over $n = {first}$, {phi}, {SCALES}"
        detail = "bounded in n; a variance that did not fall would give 4"
        checks.append(Check.measured(name, ratio, 1.2, detail))
        between = wide["different"]
        largest = np.max(np.abs(between.mean) + ERRORS * between.error) / np.trace(wide["same"].mean)
        name = f"$n |E[dz_j dz_k]|$, $j != k$, over $n E[dz_j dz_j]$ at $n = {last}$, {phi}, five standard errors added"
        checks.append(Check.measured(name, largest, 0.05))
    return Verification("Cov[dz_(j1), dz_(j2)] = O(1/n)", tuple(checks))


def variance_of_updates() -> Verification:
    """PDLT.10.12: of the first step, and of (10.8), which is the first step without the NTK of different neurons."""
    printed, right = [], []
    for phi in NAMES:
        without, fluctuation = coefficients_of_variance(phi)
        first, frozen = (limit(list(ONE[2]), [e["same"] for e in _updates(phi, 1, f)]) for f in (False, True))
        name = f"$n E[dz^(L-1)^2]/eta^2$, one input, {phi}, {SCALES}"
        lacks = f"{name}: what the NTK between neurons adds, over what is printed"
        printed.append(replace(agreement(name, first, without), route=MEASURED))
        printed.append(replace(Check.measured(lacks, float(np.max(fluctuation / without)), 1e-9), route=EXACT))
        right.append(agreement(f"{name}, $dz$ of (10.8)", frozen, without))
        right.append(agreement(name, first, without + fluctuation))
    return Verification(
        "E[dz_j dz_j] = eta^2 C_W/n Theta^(L-1)^2 <<eps eps>> <sigma' sigma'> + O(1/n^2), dz the first step",
        tuple(printed),
        Verification(
            "as printed for dz of (10.8); the first step has E[dz_j^2] = "
            "eta^2 C_W/n (Theta^(2)^2 + C_W^2 <sigma'^4> Theta^(1)^2) <<eps eps>> <sigma' sigma'>, L = 3",
            tuple(right),
        ),
    )


def coefficients_of_variance(phi: str) -> tuple[Array, Array]:
    """n E[dz_j^2]/eta^2 at one input: what (10.12) has, and what the NTK between different neurons adds."""
    kernels, tangents = _limits(phi, 1)
    factor = WEIGHT * np.sum(kernels[2][0, 0] + ONE[1] ** 2) * slopes(phi, kernels[1])
    with mp.workdps(DIGITS):  # E[phi'^4]
        fourth = float(kernel_of(activation(phi).piecewise.derivative().square()).value(*[kernels[0][0, 0]] * 2, 1))
    return factor * tangents[1] ** 2, factor * WEIGHT**2 * fourth * tangents[0] ** 2


@lru_cache(maxsize=1)
def _drifts() -> tuple[Array, Array, Array]:
    """log n, log of the largest relative change of the NTK, and the share of the loss left, of every network."""
    network, found = FeedForward("erf", sigma_w=SIGMA_W, sigma_b=SIGMA_B).finite(), []
    for width, networks in ((32, 128), (64, 64), (128, 48), (256, 24)):
        random = np.random.default_rng([SEED, width])
        drift, loss = trained_drift(network, X, THREE[1][:1], LAYERS, width, networks, 20, random)
        found.append((np.full(networks, np.log(width)), np.log(drift), loss))
    return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))


def kernel_stays() -> Verification:
    """JGH.T4, JGH.T4.rate: the loss is brought down to a few per cent and less while the change is measured."""
    _, _, losses = _drifts()
    trained = Check.measured("largest loss at the end over loss at the start", losses.max(), 0.1)
    return Verification("Theta_t -> Theta_inf for all t in [0, T], d Theta/dt = O(d_l^(-1/2))", (trained,))


def falls() -> tuple[str, dict, float]:
    """The slope of log max_t |Theta_t - Theta_0|/|Theta_0| in log n and five standard errors, with what it is."""
    from scipy.stats import linregress  # slow to import, and hardly anybody asks

    widths, drifts, _ = _drifts()
    line = linregress(widths, drifts)
    name = "power of $n$ in $max_t |Theta_t - Theta_0|/|Theta_0|$, $n = 32$ to 256, erf, "
    name += f"{SCALES}, plus five standard errors (power {line.slope:.2f}, standard error {line.stderr:.2f})"
    return name, {}, float(line.slope + ERRORS * line.stderr)
