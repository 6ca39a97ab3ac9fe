"""Decisions on TBG's bounds on the slope of residual networks and of MLPs: the chain of norms, with every factor.

Symbols decide the algebra; random networks with an explicit backward pass show where a printed bound is exceeded.
"""

import numpy as np
from sympy import Rational, diff, log, simplify, sqrt, symbols

from asympt.claims.forms import at_most, inequality, same, vanishes
from asympt.evidence.check import Check, Verification
from asympt.training.bounds import largest_alpha, mlp_bound, residual_bound, smallest_depth, width_needed

ALPHA, DEPTH, WIDTH, INPUTS = symbols("alpha L n d", positive=True)
SIGMA_W, SIGMA_V, SLOPE = symbols("sigma_w sigma_v C_phi", positive=True)
TAIL, MOVED, MORE = symbols("t C p", positive=True)
NEURONS, BLOCKS, NETWORKS, LARGE = 64, 4, 20, 10
ENDS = 2 * (1 + 2 * sqrt(WIDTH / INPUTS))
PRINTED_RES = ENDS * (1 + 9 * ALPHA * SLOPE) ** DEPTH
PRINTED_MLP = ENDS * SLOPE * (3 * SLOPE) ** (DEPTH - 1)


# ---- random matrices ------------------------------------------------------------------------------------


def singular_values() -> Verification:
    """TBG.rmt: how often both bounds hold, against the probability stated."""
    random, (rows, columns), draws = np.random.default_rng(0), (48, 24), 2000
    found = np.linalg.svd(random.standard_normal((draws, rows, columns)), compute_uv=False)
    checks = []
    for tail in (1.25, 1.5, 2.0, 3.0):
        low, high = np.sqrt(rows) - np.sqrt(columns) - tail, np.sqrt(rows) + np.sqrt(columns) + tail
        outside = float(((found[:, -1] < low) | (found[:, 0] > high)).mean())
        bound = float(2 * np.exp(-(tail**2) / 2))
        checks.append(inequality(f"share of {draws} matrices outside, 48 x 24, $t = {tail}$", outside, f"<= {bound}"))
    return Verification(
        "sqrt(m) - sqrt(n) - t <= sigma <= sqrt(m) + sqrt(n) + t w.p. >= 1 - 2 e^(-t^2/2)", tuple(checks)
    )


def operator_norms() -> Verification:
    """TBG.opnorms: what each bound has to spare from the width on that the toolkit asks for, training within C."""
    root = simplify(sqrt(width_needed(TAIL, MOVED))) + MORE
    spare = {
        "W and V": 3 * root - (2 * root + TAIL + MOVED),
        "U": (sqrt(INPUTS) + 2 * root) - (sqrt(INPUTS) + root + TAIL + MOVED),
        "w": 2 * root - (root + TAIL + MOVED),
    }
    detail = "n >= (t + C)^2 is enough; n > C^2, as the theorem on the slides has it, is not"
    checks = []
    for name, value in spare.items():
        left = value.expand()
        title = f"what the bound on {name} has to spare at $sqrt(n) = t + C + p$"
        checks.append(inequality(title, left, ">= 0", detail))
    return Verification(
        "|W|, |V| <= 2 sqrt(n) + t + C <= 3 sqrt(n), |U| <= sqrt(d) + 2 sqrt(n) for n large", tuple(checks)
    )


# ---- the two bounds ---------------------------------------------------------------------------------------


def steepest(blocks: bool, sigma_w: float, sigma_v: float = 1.0, alpha: float = 1.0) -> float:
    """The largest |df/dx| of random ReLU networks of width and input dimension 64 and four blocks (hidden layers)."""
    random, size = np.random.default_rng(1), NEURONS
    found = []
    for _ in range(NETWORKS):
        x = random.standard_normal(size)
        first, readout = random.standard_normal((size, size)), random.standard_normal(size)
        scale = sigma_w / np.sqrt(size)
        state, jacobian = (first @ x / np.sqrt(size), first / np.sqrt(size))
        if not blocks:
            state, jacobian = sigma_w * state, sigma_w * jacobian
        for layer in range(BLOCKS):
            inner, outer = random.standard_normal((2, size, size))
            if blocks:
                g = scale * inner @ state
                factor = alpha * sigma_v / np.sqrt(size)
                jacobian = jacobian + factor * outer @ ((g > 0)[:, None] * (scale * inner @ jacobian))
                state = state + factor * outer @ np.maximum(g, 0)
            else:
                state, jacobian = np.maximum(state, 0), (state > 0)[:, None] * jacobian
                if layer < BLOCKS - 1:
                    state, jacobian = scale * inner @ state, scale * inner @ jacobian
        found.append(np.linalg.norm(scale * readout @ jacobian))
    return float(max(found))


def _against(name: str, found: float, bound) -> Check:
    return at_most(f"largest $|df/dx|$ of {NETWORKS} random ReLU networks, $n = d = 64$, $L = 4$, {name}", found,
                   round(float(bound), 4), digits=6)  # fmt: skip


def residual() -> Verification:
    """TBG.Bres: 3 sqrt(n) sqrt(n) in the middle, no sigma_v and no sigma_w at the end."""
    random = np.random.default_rng(2)
    norms = [np.linalg.norm(random.standard_normal((NEURONS, NEURONS)), 2) for _ in range(2)]
    at = {WIDTH: NEURONS, INPUTS: NEURONS, DEPTH: BLOCKS, SLOPE: 1, ALPHA: 1}
    steep, plain = steepest(True, LARGE, LARGE), steepest(True, 1.0)
    root = sqrt(WIDTH)
    product = SIGMA_W * (2 * root) * (sqrt(INPUTS) + 2 * root) / sqrt(WIDTH * INPUTS)
    product *= (1 + SLOPE * ALPHA * SIGMA_V * SIGMA_W / WIDTH * (3 * root) * (3 * root)) ** DEPTH
    right = residual_bound(DEPTH, ALPHA, WIDTH, INPUTS, SIGMA_W, SIGMA_V, SLOPE)
    large = right.subs({**at, SIGMA_W: LARGE, SIGMA_V: LARGE})
    return Verification(
        "|df_res/dx| <= ... prod (1 + C alpha sigma_v 3 sqrt(n) sqrt(n)/n) <= 2 (1 + 2 sqrt(n/d)) (1 + 9 alpha C)^L",
        (
            at_most("$|V| |W|/n$ of two Gaussian matrices, $n = 64$, which the middle takes to be at most 3",
                    norms[0] * norms[1] / NEURONS, 3, digits=5),
            _against(f"sigma_w = sigma_v = {LARGE}, alpha = 1", steep, PRINTED_RES.subs(at)),
        ),
        Verification(
            "|df_res/dx| <= 2 sigma_w (1 + 2 sqrt(n/d)) (1 + 9 alpha C sigma_v sigma_w)^L",
            (
                vanishes("product of the norms, $|V| |W| <= 9 n$, minus the bound", simplify(product / right) - 1),
                _against(f"sigma_w = sigma_v = {LARGE}, alpha = 1", steep, large),
                _against("sigma_w = sigma_v = alpha = 1", plain, PRINTED_RES.subs(at)),
            ),
        ),
    )  # fmt: skip


def multilayer() -> Verification:
    """TBG.Bmlp: right at sigma_w = 1."""
    at = {WIDTH: NEURONS, INPUTS: NEURONS, DEPTH: BLOCKS, SLOPE: 1}
    steep, plain = steepest(False, LARGE), steepest(False, 1.0)
    root = sqrt(WIDTH)
    product = SIGMA_W / root * (2 * root) * SLOPE * (SIGMA_W / root * 3 * root * SLOPE) ** (DEPTH - 1)
    product *= SIGMA_W / sqrt(INPUTS) * (sqrt(INPUTS) + 2 * root)
    right = mlp_bound(DEPTH, WIDTH, INPUTS, SIGMA_W, SLOPE)
    return Verification(
        "|df_MLP/dx| <= 2 C (1 + 2 sqrt(n/d)) (3 C)^(L-1)",
        (_against(f"sigma_w = {LARGE}", steep, PRINTED_MLP.subs(at)),),
        Verification(
            "|df_MLP/dx| <= sigma_w^(L+1) 2 C (1 + 2 sqrt(n/d)) (3 C)^(L-1)",
            (
                vanishes("product of the norms minus the bound", simplify(product / right) - 1),
                vanishes(
                    "the bound over $sigma_w^(L+1)$ and the printed one",
                    simplify(right / SIGMA_W ** (DEPTH + 1) / PRINTED_MLP) - 1,
                ),
                _against(f"sigma_w = {LARGE}", steep, right.subs({**at, SIGMA_W: LARGE})),
                _against("sigma_w = 1", plain, PRINTED_MLP.subs(at)),
            ),
        ),
    )


# ---- their comparison -----------------------------------------------------------------------------------------


def monotone() -> Verification:
    """TBG.Bres.mono: a decreasing function of alpha is what it is not; it gets smaller when alpha does."""
    rate = simplify(diff(log(residual_bound(DEPTH, ALPHA, WIDTH, INPUTS, SIGMA_W, SIGMA_V, SLOPE)), ALPHA))
    printed = simplify(diff(log(PRINTED_RES), ALPHA))
    return Verification(
        "B_res is a decreasing function of alpha",
        (inequality("$d log B_res/d alpha$ of the printed bound", printed, "< 0"),),
        Verification("B_res increases with alpha: a smaller alpha has a smaller bound", (
            inequality("$d log B_res/d alpha$ of the printed bound", printed, "> 0"),
            inequality("$d log B_res/d alpha$ with every factor", rate, "> 0"),
        )),
    )  # fmt: skip


def ratio() -> Verification:
    """TBG.ratio: C_phi does not cancel, so the printed form is that of C_phi = 1."""
    both, printed = simplify(PRINTED_RES / PRINTED_MLP), (1 + 9 * ALPHA) ** DEPTH / 3 ** (DEPTH - 1)
    general = (1 + 9 * ALPHA * SLOPE) ** DEPTH / (3 ** (DEPTH - 1) * SLOPE**DEPTH)
    threshold, one = (3 ** (1 - 1 / DEPTH) - 1 / SLOPE) / 9, {SLOPE: 1}
    right = (
        vanishes("$B_res/B_MLP$ of the printed bounds over the general form, minus 1", simplify(both / general) - 1),
        vanishes("log of the general form at its threshold",
                 simplify(log(general.subs(ALPHA, threshold)).expand(force=True))),
        inequality("d log of the general form/d alpha", simplify(diff(log(general), ALPHA)), "> 0",
                   "so <= 1 exactly below"),
        vanishes("the printed form minus the general one at $C_phi = 1$", simplify(general.subs(one) / printed) - 1),
        vanishes("the toolkit's largest $alpha$ minus the threshold at $C_phi = 1$",
                 simplify(largest_alpha(DEPTH) - threshold.subs(one))),
    )
    return Verification(
        "B_res/B_MLP = (1 + 9 alpha)^L/3^(L-1) <= 1 iff alpha <= (3^(1 - 1/L) - 1)/9",
        (vanishes("$B_res/B_MLP$ of the printed bounds over the printed ratio, minus 1, any $C_phi$",
                  simplify(both / printed) - 1),),
        Verification("B_res/B_MLP = (1 + 9 alpha C)^L/(3^(L-1) C^L) <= 1 iff alpha <= (3^(1 - 1/L) - 1/C)/9", right),
    )  # fmt: skip


def alpha_for_any_depth() -> Verification:
    """TBG.alpha-bound: false for L = 1 and L = 2, true from L = 3 on."""
    tenth = Rational(1, 10)
    quotient = {depth: (1 + 9 * tenth) ** depth / Rational(3) ** (depth - 1) for depth in (1, 2, 3)}
    rate = simplify(diff(1 - 1 / DEPTH, DEPTH))
    first = smallest_depth(tenth)
    return Verification(
        "alpha = 0.1 gives B_res <= B_MLP for any depth",
        tuple(
            inequality(f"$B_res/B_MLP$ at $alpha = 1/10$, $L = {depth}$", value, "<= 1")
            for depth, value in quotient.items()
        ),
        Verification(
            "alpha = 0.1 gives B_res <= B_MLP for every depth L >= 3",
            (
                inequality("$B_res/B_MLP$ at $alpha = 1/10$, $L = 3$", quotient[3], "<= 1"),
                inequality("$d(1 - 1/L)/dL$", rate, "> 0", "the largest alpha increases with L"),
                same("smallest depth by $log 3/log(30/19)$", first, 3),
            ),
        ),
    )  # fmt: skip
