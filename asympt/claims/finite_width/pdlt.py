"""Decisions on Roberts, Yaida and Hanin, chapter 10: the recursion with learning rates, random features.

C_W = sigma_w^2, C_b = sigma_b^2; weights learn at lambda_W/n, biases at lambda_b.
"""

from asympt.claims.finite_width.comparison import Array, agreement, iterated, slopes, values
from asympt.claims.finite_width.runs import DEPTH, PRODUCT, SIGMA_B, SIGMA_W, bias_rate, run, weight_rate
from asympt.evidence.check import Verification

WEIGHT, BIAS = SIGMA_W**2, SIGMA_B**2
SCALES = f"C_W = {WEIGHT}, C_b = {BIAS:.3g}"
RATES = "lambda_W = 1/2 + 1/l, lambda_b = 1/l"
NAMES = ("relu", "erf")


def _with_rates(phi: str):
    def step(layer: int, kernel: Array, tangent: Array):
        value = values(phi, kernel)
        inherited = WEIGHT * slopes(phi, kernel) * tangent
        return BIAS + WEIGHT * value, bias_rate(layer) + weight_rate(layer) * value + inherited

    return iterated(step, BIAS + WEIGHT * PRODUCT, bias_rate(1) + weight_rate(1) * PRODUCT, DEPTH)


def recursion() -> Verification:
    """PDLT.10.45, with rates that depend on the layer."""
    checks = []
    for phi in NAMES:
        found = run("rates", phi).quantities
        kernels, tangents = _with_rates(phi)
        checks.append(agreement(f"$K^(1)$ to $K^({DEPTH})$, {phi}, {SCALES}", found["nngp"], kernels))
        checks.append(agreement(f"$Theta^({DEPTH})$, {phi}, {SCALES}, {RATES}", found["ntk"], tangents[-1]))
    title = "K' = C_b + C_W <sigma sigma>, Theta' = lambda_b + lambda_W <sigma sigma> + C_W <sigma' sigma'> Theta"
    return Verification(title, tuple(checks))


def random_features() -> Verification:
    """PDLT.10.136: what the last layer learns at lambda_W = C_W, lambda_b = C_b is C_b + C_W/n sum sigma sigma."""
    checks = []
    for phi in NAMES:
        found = run("plain", phi).quantities
        kernels = _with_rates(phi)[0]
        share = found["weights"].part(-1)
        name = f"$C_W/n sum_j sigma_j sigma_j$ of layer {DEPTH - 1} against $K^({DEPTH}) - C_b$, {phi}, {SCALES}"
        checks.append(agreement(name, share, kernels[-1] - BIAS))
    return Verification("C_b + C_W/n sum_j sigma_j sigma_j -> C_b + C_W <sigma sigma> = K^(L)", tuple(checks))


def features() -> Verification:
    """PDLT.10.138: the sum over all parameters, in random networks."""
    return Verification("sum lambda phi phi = NTK", recursion().checks[1::2])
