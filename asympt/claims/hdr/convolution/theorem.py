"""Decisions on Case 2 of the proof of HDR Theorem 1: the NTK of convolutional networks on the Edge of Chaos.

Rule.  Along an offset whose correlations are not all 1 the mean of K obeys the law of the fully connected network:
lambda_l = f'(c^(l-1)) is 1 - 3/l + O(log(l)/l^2) for ReLU and 1 - 2/l + O(log(l)/l^2) for a smooth phi, so K/(qL) tends
to 1/4 or 1/3.  For one input that is true at every offset but 0.
"""

import numpy as np
from mpmath import mp, nstr

from asympt.architectures.convolution.law import ConvLaw
from asympt.architectures.convolution.network import ConvNet
from asympt.claims.figures import number
from asympt.claims.forms import agreement, inequality
from asympt.claims.hdr.convolution.nets import DEEP, POSITIONS, SHALLOW, on_the_edge, state, term
from asympt.depth.convolution import conv_gram
from asympt.evidence.check import Check, Verification
from asympt.evidence.convolution import constancy_checks
from asympt.evidence.convolution import symbolic_checks as proofs

DIGITS = 25


def relu_multiplier() -> Verification:
    """HDR.T1.cnn-relu: lambda_l = f'(c^(l-1)) = 1 - 3/l, hence q/4."""
    net, law = on_the_edge("relu"), on_the_edge("relu").ntk_law(4)
    found = _multiplier_slope(net)
    return Verification(
        "ReLU: lambda_l = 1 - 1/l + Theta(l^-2), b_l = q + O(l^-2), limit q/(1 + 1)",
        (),
        Verification(
            f"lambda_l = 1 - 3/l + O(log(l)/l^2), b_l = q + O(l^-2), {law.plain} = {law}",
            (
                agreement(f"$l (1 - lambda_l)$ at $l = {DEEP}$ against 3", found, 3, 0.01, "the rest is log(l)/l"),
                *proofs(law),
                *constancy_checks(law, DIGITS),
            ),
        ),
    )


def _multiplier_slope(net: ConvNet) -> float:
    """l (1 - f'(c^(l-1))) of the mean."""
    with mp.workdps(20):
        gap = mp.mpf(float(state(net, DEEP - 1)[0].mean()))
        return float(DEEP * (1 - net.correlation_map.gap_slope(gap)))


def smooth_multiplier() -> Verification:
    """HDR.T1.cnn-smooth: holds for smooth phi; where phi'' jumps the rate is L^(-1/2)."""
    tanh, law = on_the_edge("tanh"), on_the_edge("tanh").ntk_law(3)
    slope = agreement(f"tanh: $l (1 - lambda_l)$ at $l = {DEEP}$ against 2", _multiplier_slope(tanh), 2, 0.02)
    log = term(law, 1, 1)
    name = "tanh: coefficient of $log(L)/L$ in $K^L/(qL)$"
    rate = inequality(name, log, "!= 0", str(log), shown=nstr(number(log), 10), strength="checked")
    return Verification(
        "class S: lambda_l = 1 - 2/l + kappa log(l)/l^2 + O(l^-2), K^L/L - q/3 = Theta(log(L)/L)",
        (slope, rate),
        Verification(
            "smooth phi: as printed; phi'' jumps: K^L/(qL) = 1/3 + e_5/(5 e_4^(3/2)) L^(-1/2) + O(log(L)/L)",
            (slope, rate, *proofs(law), _log_growth(law), *proofs(on_the_edge("elu").ntk_law(2))),
        ),
    )


def _log_growth(law: ConvLaw) -> Check:
    """Growth of L (K^L/(qL) - 1/3) per unit of log L."""
    net, first = on_the_edge("tanh"), DEEP // 2
    values = [state(net, layer)[1].mean() - layer / 3 for layer in (first, DEEP)]
    expected = number(term(law, 1, 1))
    name = f"tanh: growth of $L (K^L/(qL) - 1/3)$ per unit of $log L$, $L = {first}$ to {DEEP}, against it"
    return agreement(name, (values[1] - values[0]) / np.log(2), expected, 0.02)


def diagonal() -> Verification:
    """HDR.T1.cnn-diag: one input, different positions."""
    corrected = []
    for name, limit in (("relu", 0.25), ("tanh", 1 / 3)):
        same, other = _one_input(name)
        where = f"{name}: $K^L_(alpha, alpha')(x, x)/(L sqrt(q q'))$ at $L = {SHALLOW}$"
        corrected += [
            agreement(f"{where}, $alpha' = alpha$, against 1", same, 1, 0.05 if name == "tanh" else 1e-10),
            agreement(f"{where}, $alpha' = alpha + 1$, against the limit for two inputs", other, limit, 0.05),
        ]
    return Verification(
        "x = x': K^L_(alpha, alpha')/L -> q for any alpha, alpha'", (),
        Verification(
            "x = x': K^L_(alpha, alpha)/L -> q; for alpha' != alpha, unless x is unchanged by the translation by "
            "alpha' - alpha, K^L_(alpha, alpha')/L -> q/4 (ReLU-like) or q/3 (class S)",
            tuple(corrected),
        ),
    )  # fmt: skip


def _one_input(name: str) -> tuple[float, float]:
    """K/(L sqrt(q q')) at the pairs (0, 0) and (0, 1) of a random input."""
    x = np.random.default_rng(11).normal(size=(1, 3, POSITIONS))
    sigma, kernel = conv_gram(on_the_edge(name), x, SHALLOW)
    q = np.sqrt(np.diag(sigma[0, 0]))
    scaled = kernel[0, 0] / (SHALLOW * q[:, None] * q[None, :])
    return float(scaled[0, 0]), float(scaled[0, 1])
