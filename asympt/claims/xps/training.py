"""Decisions on the slides about Xiao, Pennington and Schoenholz: training dynamics and the chaotic phase's prediction.

The prediction P(Theta) y = Theta(x, X) Theta(X, X)^-1 y is where gradient flow ends from f_0 = 0; the mode of
eigenvalue lambda_i gets there like e^(-eta lambda_i t).  A learning rate eta is nu = eta in `training.exact`.
"""

from functools import lru_cache

import mpmath
import numpy as np
from sympy import Interval, Matrix, Symbol, exp, eye, limit, oo, simplify, solveset, symbols

from asympt import depth as engine
from asympt.claims.figures import state
from asympt.claims.forms import agreement, at_most, identity, inequality, monotone, same
from asympt.claims.hdr.off_edge.mean_field import chaotic, ordered
from asympt.claims.hdr.training.flow import exact_path, vanishes
from asympt.evidence.check import Check, Verification
from asympt.training.descent import descent, largest_rate
from asympt.training.exact import SCALE, TIME, ExactKernel, at_start, flow_residual, vector
from asympt.training.prediction import mean_prediction
from asympt.training.spectrum import condition_numbers

GAP, INPUTS, DEPTHS = 0.9, 3, (1, 10, 30, 60, 100, 200)


# ---- dynamics -------------------------------------------------------------------------------------------


def final_prediction() -> Verification:
    """XPS.finf: the limit of the closed form, which itself is put into the differential equation."""
    kernel = ExactKernel.three()
    path, targets, row = _from_zero(kernel)
    ends = kernel.function(lambda value: limit(1 - exp(-SCALE * value * TIME), TIME, oo))
    at_test = row * kernel.inverse * (eye(3) - kernel.decay()) * targets
    return Verification(
        "f_inf(x) = Theta(x, X) Theta(X, X)^-1 y from f_0 = 0",
        (
            vanishes("$f_t(x)$ in its differential equation", at_test.diff(TIME) + SCALE * row * (path - targets)),
            vanishes(
                "$lim f_t(x) - P(Theta) y$", row * kernel.inverse * ends * targets - row * kernel.inverse * targets
            ),
        ),
    )


def _from_zero(kernel: ExactKernel) -> tuple[Matrix, Matrix, Matrix]:
    """(f_t(X) from f_0 = 0, y, Theta(x, X))."""
    path, start, targets = exact_path(kernel)
    return path.subs({symbol: 0 for symbol in start}), targets, vector("k", kernel.size).T


def dynamics() -> Verification:
    """XPS.dyn: on the training set, at a test point, and in the eigenbasis."""
    kernel = ExactKernel.three()
    path, targets, row = _from_zero(kernel)
    learnt = (eye(3) - kernel.decay()) * targets
    at_test = row * kernel.inverse * learnt
    modes = kernel.basis.T * targets
    shares = Matrix([(1 - exp(-SCALE * value * TIME)) * mode for value, mode in zip(kernel.values, modes, strict=True)])
    return Verification(
        "f_t(x) = Theta(x, X) Theta^-1 (1 - e^(-t eta Theta)) y; mode i is (1 - e^(-t eta lambda_i)) y_i",
        (
            vanishes("$df/dt + eta Theta (f - y)$ on the training set", flow_residual(learnt, kernel.matrix, targets)),
            vanishes("$df(x)/dt + eta Theta(x, X)(f_t(X) - y)$", at_test.diff(TIME) + SCALE * row * (path - targets)),
            vanishes("$f_0(x)$", at_start(at_test)),
            vanishes("$Q^T f_t$ minus the printed modes", kernel.basis.T * learnt - shares),
        ),
    )


def learning_rate() -> Verification:
    """XPS.kappa: the hardest mode, its limit, the stable rates, and descent on either side of 2/lambda_1."""
    first, last, kappa = symbols("lambda_1 lambda_m kappa", positive=True)
    mode = 1 - exp(-TIME * (2 / first) * last)
    rest = simplify(mode.subs(last, first / kappa) - (1 - exp(-2 * TIME / kappa)))
    far = limit(1 - exp(-2 * TIME / kappa), kappa, oo)
    rate = Symbol("eta", real=True)
    stable = solveset(abs(1 - rate) < 1, rate, Interval(-10, 10))  # lambda_1 = 1 by the choice of units
    return Verification(
        "eta = 2/lambda_1: f_m = (1 - e^(-2t/kappa)) y_m -> 0 as kappa -> oo; gradient descent needs eta < 2/lambda_1",
        (
            identity("$f_m$ at $eta = 2/lambda_1$ minus the printed form", rest),
            identity("lim of $f_m/y_m$ as $kappa ->$ oo, $t$ fixed", far),
            same("rates with $|1 - eta lambda_1| < 1$, in units of $1/lambda_1$", stable, Interval.open(0, 2)),
            *_descents(),
        ),
    )


def _descents() -> tuple[Check, Check]:
    """Ten thousand steps at 0.999 and 1.001 of the largest rate, for the NTK of three inputs at layer 10."""
    kernel = engine.gram(ordered(), np.eye(3), depth=10)[1]
    targets = np.array([1.0, -2.0, 0.5])
    figures = []
    for share in (0.999, 1.001):
        rate = share * largest_rate(kernel, normalisation="sum")
        ends = descent(kernel, targets, 20000, rate, normalisation="sum", unstable=share > 1)
        figures.append(float(f"{np.abs(ends - targets).max():.3g}"))
    return (
        at_most("largest error after 20000 steps at 0.999 of $2/lambda_1$, NTK of three inputs", figures[0], 1e-6),
        inequality("the same at 1.001 of it", figures[1], "> 1e6", digits=3),
    )


# ---- the chaotic phase ------------------------------------------------------------------------------------


def chaotic_prediction() -> Verification:
    """XPS.chaos.pred: real inputs at depth."""
    return Verification("chaotic: P(Theta^(l)) y -> 0 for x not in X", _real_predictions())


def _real_predictions() -> tuple[Check, ...]:
    """P(Theta^L) y of six training and two test points of the same norm, tanh, sigma_w = 2, sigma_b = 1/5."""
    rng = np.random.default_rng(6)
    vectors, targets = rng.normal(size=(8, 10)), rng.normal(size=6)
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    gaps = np.maximum(1 - vectors @ vectors.T, 0.0)
    np.fill_diagonal(gaps, 0.0)
    figures = {}
    for depth in (20, 60, 120):
        kernel = engine.pairs(chaotic(), gaps, depth)[1]
        figures[depth] = np.abs(mean_prediction(kernel[6:, :6], kernel[:6, :6], targets)).max()
    chi = float(mpmath.mpf(chaotic().layer.chi.evalf(20)))
    shown = ", ".join(f"{value:.3g} at l = {depth}" for depth, value in figures.items())
    name = "largest $|P(Theta^(120)) y|$, 6 training and 2 test points"
    return (
        at_most(name, figures[120], 1e-7, shown),
        agreement("decay from $l = 60$ to 120 against $f'(1)^-60$", figures[120] / figures[60], chi**-60, 0.05),
    )


# ---- the ordered phase's spectrum, and the figure ---------------------------------------------------------


def ordered_spectrum() -> Verification:
    """XPS.ord.spec: three inputs at depth 200."""
    gap, kernel = state(ordered(), DEPTHS[-1])
    nngp, ntk = (float(part[-1]) for part in conditions("ordered"))
    slope = float(mpmath.mpf(ordered().layer.chi.evalf(20)))
    return Verification(
        "ordered: Sigma -> q* 11^T, Theta -> p* 11^T: lambda_1 = n q*, n p*, lambda_bulk = 0, kappa = oo",
        (
            at_most("$1 - c^200$, tanh, $sigma_w = 1$, $sigma_b = 1/5$, $c^1 = 1/10$", gap, 1e-20),
            agreement("$Theta^200(x, x')/q*$ against $p*/q* = 1/(1 - f'(1))$", kernel, 1 / (1 - slope), 1e-9),
            inequality(
                "the smaller of $kappa$ of $Sigma^200$ and of $Theta^200$, three inputs",
                min(nngp, ntk),
                "> 1e18",
                digits=4,
            ),
        ),
    )


@lru_cache(maxsize=2)
def conditions(phase: str) -> tuple[np.ndarray, np.ndarray]:
    """kappa of Sigma^L and Theta^L, three inputs with c^1 = 1/10."""
    net = ordered() if phase == "ordered" else chaotic()
    return condition_numbers(net, DEPTHS, gap=GAP, inputs=INPUTS)


def figure() -> Verification:
    """XPS.fig: the condition number of the NTK against depth in both phases."""
    falling, rising = (conditions(phase)[1] for phase in ("chaotic", "ordered"))
    return Verification(
        "with depth, the condition number of the NTK falls to 1 in the chaotic phase and grows for ever in the ordered",
        (
            monotone("chaotic: $kappa$ falls from each of these depths to the next", falling, "decreasing",
                     f"l = {DEPTHS}"),
            monotone("ordered: $kappa$ grows from each of these depths to the next", rising, "increasing",
                     f"l = {DEPTHS}"),
        ),
    )
