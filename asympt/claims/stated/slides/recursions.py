"""Printed formulas of the slides (TBG, XPS, JGH) as objects that random networks decide."""

from collections.abc import Callable
from dataclasses import replace

from sympy import sqrt

from asympt.claims.stated.measured import (
    ALPHA,
    BETA,
    BLOCKS,
    D_1,
    DEPTH,
    NORM,
    P_0,
    P_1,
    S_1,
    S_END,
    S_FIRST,
    S_L,
    SIGMA_B,
    SIGMA_V,
    SIGMA_W,
    SIZE,
    T_1,
    WIDTH,
    ZERO,
    D,
    G,
    K,
    P,
    S,
    StatedKernel,
    T,
    X,
)
from asympt.claims.stated.statement import StatedFormula

Stated = tuple[StatedFormula, ...]
BRANCH = ALPHA**2 * SIGMA_V**2 * SIGMA_W**2
INPUT = SIGMA_W**2 * X / SIZE
PLAIN = (INPUT, SIGMA_W**2 * T)
STREAM = (INPUT, S + BRANCH * T)
UNIT = (X / SIZE + BETA**2, T + BETA**2)
BACK = P_1 * (1 + BRANCH * D_1)
TAKEN = ("covariance", "kernel", "product")
EVERY_BLOCK = tuple(range(1, BLOCKS + 1))


def _instead(printed: StatedKernel, **right) -> tuple[StatedKernel]:
    """A print with what it says when it is put right."""
    return (replace(printed, true=replace(printed, **right)),)


def _gradient(letter: str, layers: str) -> str:
    """The NTK's share of some parameters."""
    return rf"\langle\partial_{{{letter}{layers}}}f,\partial_{{{letter}{layers}}}\tilde f\rangle"


# ---- Jacot, Gabriel and Hongler -----------------------------------------------------------------------


def _first_covariance() -> Stated:
    printed = StatedKernel("unit weights", "nngp", UNIT, told=X / sqrt(SIZE) + BETA**2, at=1, part=0, given=TAKEN,
                            name=r"\Sigma^{(1)}")  # fmt: skip
    return _instead(printed, told=X / SIZE + BETA**2)


def _jgh_tangent() -> Stated:
    printed = StatedKernel("unit weights", "ntk", UNIT, (UNIT[0], K * D_1 + S_1), told=K, at=DEPTH, wide=True,
                            given=("covariance", "told"))  # fmt: skip
    return _instead(printed, kernel=(UNIT[0], K * D + S_1))


def _inherited() -> Stated:
    """The share of all layers but the last, of one output, and of two different ones."""
    share = StatedKernel("unit weights", "below", UNIT, (UNIT[0], K * D + S_1), told=K * D, at=DEPTH - 1, given=TAKEN,
                          name="A_{kk}")  # fmt: skip
    return share, replace(share, quantity="between", told=ZERO, name="A_{kk'}")


def _own() -> Stated:
    cov = (X / SIZE, T)
    return (StatedKernel("unit weights, no bias", "weights", cov, told=S_END, at=DEPTH, part=-1, given=TAKEN,
                          name="B"),)  # fmt: skip


# ---- Xiao, Pennington and Schoenholz --------------------------------------------------------------------

STEP = SIGMA_W**2 * T + SIGMA_B**2


def _xps_covariance() -> Stated:
    return _instead(StatedKernel("plain", "nngp", (X, STEP)), covariance=(INPUT + SIGMA_B**2, STEP))


def _xps_tangent() -> Stated:
    printed = StatedKernel("plain", "ntk", (X, STEP), (X, K * D + S_1), told=K, at=DEPTH, given=("told",))
    first = INPUT + SIGMA_B**2
    return _instead(printed, covariance=(first, STEP), kernel=(first, SIGMA_W**2 * K * D + S_1))


def _off_diagonal() -> Stated:
    """The recursion of p_ab, for variances that still move."""
    first = INPUT + SIGMA_B**2
    return (StatedKernel("plain", "ntk", (first, STEP), (first, S_1 + SIGMA_W**2 * D * K), told=K, at=DEPTH,
                          given=("covariance", "told")),)  # fmt: skip


# ---- Tirer, Bruna and Giryes ------------------------------------------------------------------------------


def _last_layer() -> Stated:
    """The share of the last weights, of a plain network and of one with blocks."""
    plain = StatedKernel("no bias", "weights", PLAIN, told=S_END, at=DEPTH, part=-1, given=TAKEN,
                          name=_gradient("W", "^{(L+1)}"))  # fmt: skip
    return plain, replace(plain, network="block", quantity="readout", covariance=STREAM, part=0,
                          name=_gradient("w", ""))  # fmt: skip


def _first_layer() -> Stated:
    """The variance as printed; the covariance in the same line is right."""
    both = StatedKernel("block", "nngp", STREAM, told=INPUT, at=1, part=0, given=TAKEN, name=r"\Sigma^{(1)}")
    variance = replace(both, told=SIGMA_W * NORM, on_diagonal=True, name=r"\mathrm{Var}")
    return (*_instead(variance, told=SIGMA_W**2 * NORM / SIZE), both)


def _plain_tangent() -> Stated:
    printed = StatedKernel("no bias", "ntk", PLAIN, (INPUT, K * D_1 + T_1), told=K, at=DEPTH,
                            given=("covariance", "told"))  # fmt: skip
    return _instead(printed, kernel=(INPUT, SIGMA_W**2 * (K * D + T)))


def _block_tangent() -> Stated:
    printed = StatedKernel("block", "ntk", STREAM, product=BACK, told=S_L + P_0 * S_FIRST,
                            term=ALPHA**2 * P * (SIGMA_V**2 * SIGMA_W**2 * T + S * D), at=DEPTH, given=("covariance",),
                            name=r"\Theta_{res}")  # fmt: skip
    return _instead(printed, told=S_END + P_0 * S_FIRST, term=BRANCH * P * (T + S * D))


def _share(letter: str, told, at, **more) -> StatedKernel:
    """The NTK's share of the weights of the blocks, or of U; G, the mean product of gradients, is taken as right."""
    return StatedKernel("block", letter, STREAM, product=BACK, told=told, at=at, given=TAKEN,
                         name=_gradient(letter, "" if letter == "U" else "^{(l)}"), **more)  # fmt: skip


def _outer() -> Stated:
    right = ALPHA**2 * SIGMA_V**2 * T * G
    return _instead(_share("V", right / WIDTH, EVERY_BLOCK), told=right)


def _gradients() -> Stated:
    printed = StatedKernel("block", "delta", STREAM, product=BACK, told=P, at=tuple(range(BLOCKS + 1)),
                            given=("covariance",), name=r"E[\delta^{(l)T}\tilde\delta^{(l)}]")  # fmt: skip
    return _instead(printed, told=SIGMA_W**2 * P)


RECURSIONS: dict[str, Callable[[], Stated]] = {
    "JGH.T2.sigma1": _first_covariance,
    "JGH.T2.rec": lambda: (StatedKernel("unit weights", "nngp", UNIT),),
    "JGH.T3": _jgh_tangent,
    "JGH.T3.A": _inherited,
    "JGH.T3.B": _own,
    "XPS.nngp": _xps_covariance,
    "XPS.ntk": _xps_tangent,
    "XPS.2b": _off_diagonal,
    "TBG.nngp.mlp": lambda: (StatedKernel("no bias", "nngp", PLAIN),),
    "TBG.nngp.lastlayer": _last_layer,
    "TBG.nngp.res": lambda: (StatedKernel("block", "nngp", STREAM),),
    "TBG.nngp.base": _first_layer,
    "TBG.ntk.mlp": _plain_tangent,
    "TBG.ntk.res": _block_tangent,
    "TBG.ntk.U": lambda: (_share("U", S_FIRST / SIGMA_W**2 * G, 0, part=0),),
    "TBG.ntk.V": _outer,
    "TBG.ntk.W": lambda: (_share("W", ALPHA**2 * SIGMA_V**2 * S * D * G, EVERY_BLOCK),),
    "TBG.ntk.Pi": _gradients,
}
