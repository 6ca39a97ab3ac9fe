"""Printed statements of order depth/width, decided by the layers themselves (`asympt.width`); beta is L/n."""

from sympy import Expr, Integer, Rational, Symbol, exp

from asympt.architectures.feedforward import FeedForward
from asympt.claims.stated.limits import Limit, Size
from asympt.claims.stated.measured import Datum, Measured
from asympt.claims.stated.statement import Ledger, Mistaken, Stated
from asympt.meanfield.activations import activation
from asympt.width.classes import flatness

L, MU, BETA = Symbol("L", positive=True), Symbol("mu", positive=True), Symbol("beta", positive=True)
LINES = [FeedForward(activation("relu_like", right=1, left=left)) for left in (0, Rational(1, 3), -1)]
ODD = [FeedForward(phi, sigma_w=1) for phi in ("sin", "tanh")]
SQUARE = exp(5 * BETA) * (4 * BETA - 1 + exp(-4 * BETA)) / (8 * BETA**2)  # mean of e^(5 beta - 4 beta |s - t|)


def _layers(name: str, law: str, of: str, right: Expr, nets: list, depth: int = 30, near: float = 1e-9) -> Stated:
    """A law of one input at a depth, by the layers; mu is that of the network."""

    def rows() -> tuple[Datum, ...]:
        letters = [{L: depth} | ({MU: flatness(net.activation.slopes)} if net in LINES else {}) for net in nets]
        values = [getattr(net, law)(of).evaluate(depth, variances=(1, 1)) for net in nets]
        return tuple(map(Datum, [f"{net!r}, layer {depth}" for net in nets], letters, values))

    return (Measured(name, right, rows, tolerance=near, text=f"{law} of the {of}"),)


def second_moment() -> Stated:
    """E[K^2]/E[K]^2 of ReLU at n = L/beta: the sum over two layers; it begins with the law, and has a power of beta."""
    slope = LINES[0].fluctuation_law("ntk-diagonal").per_layer
    printed = Size(SQUARE, BETA, exp(5 * BETA), name=r"\mathbb E[K^2]/\mathbb E[K]^2")
    true = Size(SQUARE, BETA, exp(5 * BETA) / BETA, name=printed.name)
    return Limit((SQUARE - 1) / BETA, BETA, Integer(0), slope), Mistaken(printed, true)


VERTEX, FLUCTUATION = r"V^{(L)}/K^2", "fluctuation_law"
STATED: Ledger = {
    "PDLT.V.lines": lambda: _layers(VERTEX, FLUCTUATION, "kernel-diagonal", (3 * MU - 1) * (L - 1), LINES),
    "PDLT.V.zero": lambda: _layers(VERTEX, FLUCTUATION, "kernel-diagonal", 2 * L / 3, ODD, 100, 0.03),
    "HN20.exp": second_moment,
    "GMG25.mean": lambda: _layers(r"n(E\Theta/\Theta-1)", "width_correction_law", "ntk-diagonal", Integer(0), LINES),
}
