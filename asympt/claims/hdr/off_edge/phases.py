"""Decisions on HDR Proposition 2 and Appendix Lemma 4: the NTK off the Edge of Chaos.

At the fixed point of the variance, in units of q, k' = f'(c) k + f(c), so

    ordered   k -> 1/(1 - chi) for every pair, and the distance from it is (A l + B) chi^l, or A chi^(l/2) where phi'
              jumps (f' = chi - const sqrt(1 - c) there)
    chaotic   k -> c*/(1 - f'(c*)) for two inputs with |c^1| < 1; for one input k = (chi^L - 1)/(chi - 1) grows without
              bound, and with c^1 close to 1 a pair follows it for as long as one likes.
"""

import numpy as np
from sympy import Expr, Symbol, exp, simplify

from asympt.architectures import FeedForward
from asympt.claims.figures import number, state
from asympt.claims.forms import agreement, at_most, identity
from asympt.claims.hdr.off_edge.mean_field import attractor, chaotic, named, ordered
from asympt.evidence.check import Check, Verification

ALPHA, BETA, SIZE, START = (Symbol(name, positive=True) for name in ("alpha", "beta", "k", "a_0"))
STEP = Symbol("l", integer=True, positive=True)


# ---- Proposition 2 ------------------------------------------------------------------------------


def proposition() -> Verification:
    """HDR.P2: the limits of fixed pairs in the two phases."""
    return Verification("ordered or chaotic: sup over x, x' of |K^L - lambda| <= e^(-gamma L)", (), _limits())


def _limits() -> Verification:
    return Verification(
        "ordered: K^L -> q/(1 - chi), distance of the order L chi^L (phi in C^1); "
        "chaotic, |c^1| < 1 fixed: K^L -> q c*/(1 - f'(c*))",
        (_ordered_limit(ordered(), 400), _resonance(ordered()), chaotic_limit()),
    )


def _ordered_limit(net: FeedForward, layers: int) -> Check:
    expected = 1 / (1 - float(number(net.layer.chi)))
    found = max((state(net, layers, gap)[1] for gap in (0.0, 0.9, 2.0)), key=lambda k: abs(k - expected))
    name = f"{net.activation.name}, ordered: $K^{layers}/q$ against $1/(1 - chi)$, worst of $c^1 = 1$, 1/10, -1"
    return agreement(name, found, expected, 1e-9)


def _resonance(net: FeedForward) -> Check:
    """The distance of two inputs from the limit, divided by chi^L, grows by a constant a layer: the term L chi^L."""
    chi = float(number(net.layer.chi))
    gaps = [(1 / (1 - chi) - state(net, layer)[1]) / chi**layer for layer in (20, 40, 60)]
    return agreement(
        "ordered: second half of the growth of $(K^inf - K^L)/chi^L$ from $L = 20$ to 60 against the first",
        gaps[2] - gaps[1], gaps[1] - gaps[0], 0.05, "linear in L"
    )


def chaotic_limit(net: FeedForward | None = None) -> Check:
    """K^L/q of two inputs in the chaotic phase, the worst of three starts."""
    net = chaotic() if net is None else net
    gap, slope = attractor(net)
    expected = (1 - gap) / (1 - slope)
    found = max((state(net, 300, start)[1] for start in (1.5, 0.9, 0.3)), key=lambda k: abs(k - expected))
    name = f"{named(net)}, worst of $c^1 = -1/2$, 1/10, 7/10: $K^300/q$ against $c*/(1 - f'(c*))$"
    return agreement(name, found, expected, 1e-9)


def proof() -> Verification:
    """HDR.P2.proof: what holds in the ordered phase."""
    return Verification(
        "ordered or chaotic: |Sigma^l - k| <= e^(-gamma l), derivative kernel <= alpha < 1", (), _proof_in_order()
    )


def _proof_in_order() -> Verification:
    chi = float(number(ordered().layer.chi))
    slopes = [float(ordered().correlation_map.gap_slope(gap)) for gap in (1e-12, 0.5, 1.0, 1.5, 2.0)]
    check = at_most(
        "ordered: largest $|f'(c)|/chi$ at five $c$ from -1 to 1", max(map(abs, slopes)) / chi, 1 + 1e-12,
        f"alpha = chi = {chi:.6g} < 1; tanh, sigma_w = 1, sigma_b = 1/5", digits=10
    )
    return Verification("it holds in the ordered phase, with alpha = chi", (check,))


def constant() -> Verification:
    """HDR.P2.const: q/(1 - f'(1)) against iteration, smooth, with a kink in phi'' and with one in phi'."""
    nets = (ordered(), FeedForward("elu", sigma_w=1, sigma_b=1), FeedForward("relu", sigma_w=1, sigma_b=1))
    return Verification("ordered: K^inf = q/(1 - f'(1))", tuple(_ordered_limit(net, 400) for net in nets))


def derivative_kernel() -> Verification:
    """HDR.P2.sigdot: two layers of a finite network, whose NTK is a sum of squared gradients."""
    net = FeedForward("tanh", sigma_w=2, sigma_b=0)
    kernel, error = empirical_ntk(net, 1.0, width=4096, seeds=64)
    following, slope = _two_layers(net)
    right = at_most(
        "standard errors between $K^2(x,x)$ of 64 networks of width 4096 and $K^1 sigma_w^2 E[phi'^2] + Sigma^2$",
        abs(kernel - following - slope) / error, 4, "tanh, sigma_w = 2, q^1 = 1"
    )
    return Verification(
        "the derivative kernel is E[phi'(f(x)) phi'(f(x'))], without sigma_w^2",
        (),
        Verification("it is sigma_w^2 E[phi'(f(x)) phi'(f(x'))], as HDR Lemma 2 has it", (right,)),
    )


def _two_layers(net: FeedForward) -> tuple[float, float]:
    """Sigma^2 and sigma_w^2 E[phi'^2] at q^1 = 1."""
    from asympt.meanfield.variance import VarianceMap

    image = VarianceMap(net.activation, net.layer.weight_variance, net.layer.bias_variance)
    return float(image(1, 15)), float(image.chi(1, 15))


def empirical_ntk(net: FeedForward, variance: float, width: int, seeds: int) -> tuple[float, float]:
    """K^2(x, x) of y^2 = sigma_w/sqrt(n) w^2 phi(y^1), y^1_i ~ N(0, q^1), with its standard error over networks.

    d y^2/d w^2_i = sigma_w phi(y_i)/sqrt(n); d y^2/d w^1_ij = sigma_w w^2_i phi'(y_i)/sqrt(n) * d y_i/d w^1_ij, and the
    squares of d y_i/d w^1_ij add up to q^1 (no bias).
    """
    random, phi = np.random.default_rng(0), net.activation.piecewise
    slope, weight = phi.derivative().vectorised, float(net.layer.weight_variance)
    found = []
    for _ in range(seeds):
        y, w = np.sqrt(variance) * random.standard_normal(width), random.standard_normal(width)
        found.append(weight * np.mean(phi.vectorised(y) ** 2 + variance * (w * slope(y)) ** 2))
    return float(np.mean(found)), float(np.std(found, ddof=1) / np.sqrt(seeds))


# ---- Appendix Lemma 4 -----------------------------------------------------------------------------


def lemma() -> Verification:
    """HDR.AL4: the largest solution."""
    return Verification(
        "a_(l+1) <= alpha a_l + k e^(-beta l) implies a_l <= e^(-gamma l) for all l >= 0", (), _corrected_lemma()
    )


def _corrected_lemma() -> Verification:
    """a_l = a_0 alpha^l + k (alpha^l - e^(-beta l))/(alpha - e^(-beta)) solves the recursion with equality."""
    solution = solution_of_lemma()
    rest = simplify(solution.subs(STEP, STEP + 1) - ALPHA * solution - SIZE * exp(-BETA * STEP))
    start = simplify(solution.subs(STEP, 0) - START)
    plain, worst = 2.0, 0.0
    for layer in range(1, 60):
        plain = 0.5 * plain + 3 * np.exp(-0.3 * (layer - 1))
        exact = float(solution.subs({START: 2, ALPHA: 0.5, SIZE: 3, BETA: 0.3, STEP: layer}))
        worst = max(worst, abs(plain / exact - 1))
    checks = (
        identity("residual of the solution in the recursion, and at $l = 0$", [rest, start]),
        at_most("largest relative difference from iteration, $l < 60$", worst, 1e-12),
    )
    return Verification(
        "a_l <= a_0 alpha^l + k (alpha^l - e^(-beta l))/(alpha - e^(-beta)): <= A e^(-gamma l) with a constant", checks
    )


def solution_of_lemma() -> Expr:
    """The largest a_l that the hypotheses allow (alpha != e^(-beta))."""
    return START * ALPHA**STEP + SIZE * (ALPHA**STEP - exp(-BETA * STEP)) / (ALPHA - exp(-BETA))
