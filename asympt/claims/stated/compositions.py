"""Claims about networks composed of primitives: laws of our own, and statements of the literature.

Derived by hand from g, o and the weights w_l of a block, T the sum of the w_l, and a = 2 sqrt(2)/(3 pi) of ReLU:

    1 - c ~ 4/(a T)^2 = (9 pi^2/2)/T^2         K(x, x)/q_L ~ o(1) T, and a quarter of it for two inputs

Papers are read at initialisation and infinite width; gradients are read off the NTK.
"""

from collections.abc import Callable, Iterator
from functools import partial

from mpmath import mp
from sympy import E, Expr, Float, Integer, Rational, Symbol, exp, log, pi

from asympt.architectures.composition import Network
from asympt.architectures.feedforward import FeedForward
from asympt.architectures.registry import COMPOSED
from asympt.claims.stated.comparisons import Datum, Inequality, Limit, Measured, Size
from asympt.claims.stated.equalities import Equality
from asympt.claims.stated.laws import LawCoefficient, LawLimit, Rate, StatedNetwork
from asympt.claims.stated.statement import Ledger, Mistaken, Stated
from asympt.evidence.check import Verification, undecided
from asympt.meanfield.activations import activation
from asympt.width.classes import flatness

L, LAYER = Symbol("L", positive=True), Symbol("l", integer=True, positive=True)
PRE = "residual(layer_norm, relu, dense(sqrt(2)))"
POST = "serial(residual(relu, dense(sqrt(2))), layer_norm)"
TWO = "serial(relu, dense(sqrt(2)), relu, dense(sqrt(2)))"
GATE = "serial(layer_norm, gated(dense(1), serial(dense(sqrt(2)), relu)), dense(sqrt(1/2), sqrt(1/2)))"
SIDE = "dense_connection(1, relu, dense(sqrt(2)))"
GAIN = "residual(layer_norm(affine=True), relu, dense(sqrt(2)))"
FEED = "residual({}dense(1), relu, dense(1))"  # a transformer's feed-forward branch; its norm in front, if there is one
STABLE, PLAIN = "residual(relu, dense(sqrt(2)), scale=1/sqrt(DEPTH))", "residual(relu, dense(sqrt(2)))"
START, SHARE, DEEP = Rational(1, 10), Rational(7, 8), 500
PURE = "attention(4, scaling=1/sqrt(d), logit_variance=4), rms_norm"
TOKENS = ("residual(attention(8)), rms_norm", "residual(rms_norm, attention(8))")
APART = "residual(attention(8), scale=1/sqrt(DEPTH))"


def stated(block: str) -> StatedNetwork:
    """A block as a statement names it."""
    return StatedNetwork(COMPOSED.name, block)


def _variance(block: str):
    """The variance after l branches, in `LAYER`."""
    q = Network(block).normal_form.variance
    return q.subs({letter: LAYER + 1 for letter in q.free_symbols})


def variance_at_initialisation() -> Stated:
    """SUN.variance at initialisation: each block adds v = 1 here."""
    q = _variance(PRE)
    return (Equality(q.subs(LAYER, LAYER + 1) - q, Integer(1), name="q_{l+1}-q_l"),)


def trained_variance() -> Verification:
    """SUN.variance: of networks that were trained."""
    left = undecided("growth of the variance with depth in trained language models", "needs trained models")
    return Verification("Pre-LN: the output variance grows exponentially with depth", (left,))


def hidden_states() -> Stated:
    """XIONG.L2: what a feed-forward branch of He's half leaves behind a norm, and on the way without one."""
    post = Network(f"serial(layer_norm, {FEED.format('')})").normal_form.variance
    pre, name = _variance(FEED.format("layer_norm, ")), r"\tfrac1d\mathbb E(\|x^{\mathrm{pre}}_{l,i}\|_2^2)"
    return (
        Equality(post, Rational(3, 2), name=r"\tfrac1d\mathbb E(\|x^{\mathrm{post},5}_{l,i}\|_2^2)"),
        Inequality(pre, ">=", 1 + LAYER / 2, name=name),
        Inequality(pre, "<=", 1 + 3 * LAYER / 2, name=name),
    )


def _extrapolated(title: str, of: Callable[[int], object]) -> Iterator[Datum]:
    """For L to infinity: the error of depth L is that of Euler's method, two depths take its leading term away."""
    with mp.workdps(20):
        near, far = map(of, (DEEP, 2 * DEEP))
        yield Datum(f"{title}, extrapolated from $L = {DEEP}$ and twice that", {}, 2 * far - near)


def stable() -> Stated:
    """The limits of a branch scaled by 1/sqrt(L), of its flow and of the layers; and without the scaling."""
    net, found = Network(STABLE), []
    limits = net.limit(correlation=START, digits=10)
    for k, (name, text) in enumerate(((r"\lim(1-c^L)", "$1 - c^L$"), (r"\lim K^L/q_L", "$K^L/q_L$"))):
        rows = partial(_extrapolated, text, lambda depth, k=k: net.pair(depth, correlation=START, digits=15)[k])
        found.append(Measured(name, Float(limits[k], 10), rows, tolerance=1e-5, text=f"limit of {text}"))
    return (*found, Inequality(found[0].right, ">", Integer(0), name=found[0].name),
            LawLimit(stated(PLAIN), "correlation", Rational(0)))  # fmt: skip


def cubic() -> Stated:
    """What a layer of softmax attention, T = 4 and s^2 = 4, leaves of 1 - c: s^2 (T - 1)/T^2 of its cube."""

    def rows(title: str, of: Callable) -> Iterator[Datum]:
        yield Datum(title, {}, of(*(Network(PURE).similarity(layer, correlation=START) for layer in (4, 5))))

    cube = partial(rows, "$(1 - c^5)/(1 - c^4)^3$", lambda one, two: two / one**3)
    power = partial(rows, "$log(1 - c^5)/log(1 - c^4)$", lambda one, two: mp.log(two) / mp.log(one))
    return (Measured(r"(1-c^5)/(1-c^4)^3", Rational(3, 4), cube, tolerance=2e-4, text="(1 - c^5)/(1 - c^4)^3"),
            Measured(r"\log(1-c^5)/\log(1-c^4)", Rational(29, 10), power, ">", text="the exponent"))  # fmt: skip


def apart() -> Stated:
    """The limit of 1 - c^L, e (1/(1 - c^1) - k) + k being its inverse, and that of the layers."""
    limit, name, net = 1 / (E * (1 / (1 - START) - SHARE) + SHARE), r"\lim(1-c^L)", Network(APART)
    rows = partial(_extrapolated, "$1 - c^L$", lambda depth: net.similarity(depth, correlation=START))
    return (Measured(name, limit, rows, tolerance=1e-5, text="limit of 1 - c^L"),
            Inequality(limit, ">", Integer(0), name=name))  # fmt: skip


# ---- order depth/width, by the layers themselves (`asympt.width`); beta is L/n ----


MU, BETA = Symbol("mu", positive=True), Symbol("beta", positive=True)
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
COMPOSITIONS: Ledger = {
    "ASY.post.gap": lambda: (LawCoefficient(stated(POST), "correlation", "1/l^2", 18 * pi**2),),
    "ASY.post.ntk": lambda: (LawLimit(stated(POST), "ntk", Rational(1, 8)),),
    "ASY.pre.gap": lambda: (LawCoefficient(stated(PRE), "correlation", "1/log(l)^2", 9 * pi**2 / 2),),
    "ASY.pre.ntk": lambda: (LawLimit(stated(PRE), "ntk", Rational(1, 4)),),
    "ASY.pre.diagonal": lambda: (Rate(stated(PRE), "diagonal", log(L)),),
    "ASY.two.gap": lambda: (LawCoefficient(stated(TWO), "correlation", "1/l^2", 9 * pi**2 / 8),),
    "ASY.gate.gap": lambda: (LawCoefficient(stated(GATE), "correlation", "1/l^2", 18 * pi**2),),
    "ASY.side.gap": lambda: (LawCoefficient(stated(SIDE), "correlation", "1/log(l)^2", 9 * pi**2 / 2),),
    "ASY.gain.diagonal": lambda: (LawCoefficient(stated(GAIN), "diagonal", "log(L)", Rational(3)),),
    "SUN.variance": variance_at_initialisation,
    "XIONG.L2": hidden_states,
    "NOCI22.collapse": lambda: tuple(LawLimit(stated(block), "similarity", Rational(0)) for block in TOKENS),
    "HAYOU21.stable": stable,
    "DONG21.cubic": cubic,
    "NOCI22.scaling": apart,
    "PDLT.V.lines": lambda: _layers(VERTEX, FLUCTUATION, "kernel-diagonal", (3 * MU - 1) * (L - 1), LINES),
    "PDLT.V.zero": lambda: _layers(VERTEX, FLUCTUATION, "kernel-diagonal", 2 * L / 3, ODD, 100, 0.03),
    "HN20.exp": second_moment,
    "GMG25.mean": lambda: _layers(r"n(E\Theta/\Theta-1)", "width_correction_law", "ntk-diagonal", Integer(0), LINES),
}
