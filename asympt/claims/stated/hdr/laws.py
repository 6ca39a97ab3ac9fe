"""Printed formulas of HDR about depth: laws of plain, residual and convolutional networks, and lines between them.

Where sigma_w stays a letter the law is derived with it; of smooth activations it stands in f''(1) and f'''(1).  A
circle of positions couples the pairs (alpha, alpha') of one offset by the mean over the filter.  A print that holds
only because it says less than it should is decided as it is read, and counts as a slip.
"""

from collections.abc import Iterator
from functools import lru_cache, partial

import numpy as np
import sympy
from mpmath import mp
from sympy import Expr, Integer, Matrix, Rational, Symbol, diff, exp, limit, log, oo, pi, simplify, sqrt, symbols

from asympt.architectures.composition import Network
from asympt.architectures.convolution import ConvNet, ConvResNet
from asympt.architectures.feedforward import FeedForward
from asympt.architectures.resnet import ResNet, ScaledResNet
from asympt.claims.scopes import attractor, named, number, several_chaotic
from asympt.claims.stated.algebra import averaged_map
from asympt.claims.stated.comparisons import Datum, Inequality, Limit, Measured, Size
from asympt.claims.stated.equalities import Equality, Sequence
from asympt.claims.stated.hdr import maps
from asympt.claims.stated.hdr.maps import BEFORE, BIAS, LAYER, ONE, RELU_MAP, SIGMA, Z_1, ZERO, Q, S, T, X
from asympt.claims.stated.hdr.networks import scaled
from asympt.claims.stated.hdr.training import DECAY, PLACE, SOURCE, contraction, lemma6
from asympt.claims.stated.laws import LawCoefficient, LawLimit, Rate, StatedNetwork, law_of
from asympt.claims.stated.matrices import MatrixEquality
from asympt.claims.stated.statement import NUMBERS, Ledger, Mistaken, Stated, StatedFormula
from asympt.depth.convolution import conv_pairs
from asympt.evidence.convolution import generic_start
from asympt.expansions import Expansion, Monomial
from asympt.meanfield.variance import VarianceMap
from asympt.numbers import to_mpf
from asympt.parsing import read_formula

EDGE = (("sigma_b", "1/5"),)
CIRCLE = (("positions", "4"), ("reach", "1"))
RELU, TANH, ELU = (StatedNetwork("feedforward", name, given)
                   for name, given in (("relu", ()), ("tanh", EDGE), ("elu", EDGE)))  # fmt: skip
RESIDUAL = StatedNetwork("resnet", "relu", (("sigma_w", "1"),))
SCALED = StatedNetwork("scaled-resnet", "relu", (("sigma_w", "sqrt(2)"),))
CONV_RELU = StatedNetwork("convnet", "relu", CIRCLE)
CONV_TANH = StatedNetwork("convnet", "tanh", (*CIRCLE, *EDGE))
ALPHA, BETA = Symbol("alpha", positive=True), Symbol("beta", real=True)
DEPTH, SECOND, THIRD = symbols("L f_2 f_3", positive=True)
ADDED = SIGMA**2 / 2
SHARE = ADDED / (1 + ADDED)  # of the branch


def _variable(network: StatedNetwork, law: str) -> Symbol:
    return law_of(network, law).depth_variable


def rate(network: StatedNetwork, law: str, size: str, theorem: bool = False) -> Rate:
    """Theta(size), a formula in the depth."""
    return Rate(network, law, read_formula(size, _variable(network, law)), theorem=theorem)


def _term(expansion: Expansion, order, logs: int = 0) -> Expr:
    """A coefficient, 0 where there is no such term; f''(1) and f'''(1) as letters."""
    found = expansion.coefficients.get(Monomial(order, logs), ZERO)
    letters = {"f2": SECOND, "f3": THIRD}
    return simplify(found.xreplace({a: letters[str(a)] for a in found.atoms() if str(a) in letters}))


@lru_cache(maxsize=8)
def slope(network: StatedNetwork) -> Expansion:
    """f'(c^l), from the steps of the law of the correlation alone: the kernel's would solve for P and H."""
    steps = {step.kind: step for step in law_of(network, "correlation").steps}
    return steps["map"]["slope"].compose(steps["inversion"]["t"])


def _of_slope(network: StatedNetwork, monomial: str, order, logs: int, printed: Expr) -> Equality:
    """A coefficient of f'(c^l)."""
    found = _term(slope(network), order, logs)
    return Equality(found, printed, name=rf"\bigl[{monomial}\bigr]\,f'(c^l)")


def _diagonal() -> Stated:
    """K grows by q a layer at x = x', so that the difference is 0."""
    deviation = Size(DEPTH * Q / DEPTH - Q, DEPTH, 1 / DEPTH, name=r"AK^L(x,x)-AK^\infty(x,x)")
    return (Mistaken(deviation, Sequence("K^l(x,x)", Q * LAYER, LAYER, BEFORE + Q, BEFORE, Q)),)


def _settling_diagonal() -> Stated:
    """From q^1 other than q the difference from q L tends to a constant that is not 0: |V'(q)| < 1."""

    def rows() -> Iterator[Datum]:
        net = FeedForward.on_edge_of_chaos("erf", sigma_b=Rational(1, 5))
        for q in (Rational(1, 10), ONE, Integer(2)):
            value = net.ntk_law(1).evaluate(10**4, correlation=1, variances=(q, q), digits=12)
            with mp.workdps(12):
                apart = abs(value - 1) * 10**4 * to_mpf(net.variance)
            yield Datum(f"erf, sigma_b = 1/5, q^1 = {q}, L = 10^4", {}, apart)

    return (*_diagonal(), Measured("|K^L(x,x)-qL|", Rational(1, 5), rows, sign=">", text="|K^L(x,x) - q L|"))


def _supremum() -> Stated:
    """AK^2 = (f'(c) c + f(c)) q/2 tends to q with c -> 1, and so at every L: the supremum stays at q - q/4."""
    second = ((X * diff(RELU_MAP, X) + RELU_MAP) / 2).subs(X, 1 - T)
    stays = limit(second, T, 0) - Rational(1, 4)
    sup = Size(stays, DEPTH, 1 / DEPTH, name=r"\sup_{x\neq x'}|AK^L-AK^\infty|/q")
    return Limit(second, T, ZERO, ONE, "AK^2/q"), Mistaken(sup, rate(RELU, "ntk", "log(L)/L"))


def _parallel(network: StatedNetwork = RELU) -> Stated:
    """x' = 2x has c = 1 in every layer: K grows by f(1) a layer, with the slope f'(1)."""
    value, slope = (limit(form, X, 1, "-") for form in (RELU_MAP, diff(RELU_MAP, X)))
    grown = Sequence(r"\tfrac12K^l(x,2x)", value * Q * LAYER, LAYER, slope * BEFORE + value * Q, BEFORE, Q)
    ratio = grown.value / (Q * LAYER)
    printed = Limit(ratio, DEPTH, oo, Rational(1, 4), r"\frac{K^L(x,2x)}{2qL}")
    return Mistaken(printed, LawLimit(network, "ntk", Rational(1, 4), theorem=True)), grown


def _of_correlation(network: StatedNetwork, leading: Expr) -> Stated:
    """1 - c^l = leading/l^2 + Theta(l^-3)."""
    return (LawCoefficient(network, "correlation", "1/l^2", leading),
            LawCoefficient(network, "correlation", "log(l)/l^3", ZERO))  # fmt: skip


def _invertible() -> Stated:
    """J/q for x and 2x; for n inputs of norm 1 the inverse of mu I + lambda u u^T, u any vector, mu = 1 - lambda."""
    lam, rest, size = *symbols("lambda mu", positive=True), Symbol("n", integer=True, positive=True)
    place = (lam, Rational(1, 100), Rational(99, 100))
    multiples = Inequality(Matrix([[1, 2], [2, 4]]).det(), ">", ZERO, *place, r"\det(J/q)")
    u, one = sympy.MatrixSymbol("u", size, 1), sympy.Identity(size)
    inverse = one - lam * u * (rest * sympy.Identity(1) + lam * u.T * u).I * u.T
    regular = MatrixEquality((rest * one + lam * u * u.T) * inverse, rest * one)
    return (Mistaken(multiples, regular),)


def _attracted(network: StatedNetwork, stated: StatedFormula) -> Stated:
    """What needs q^l -> q: on a network that is given, V'(q) < 1 beside it.

    Without one z + z^3 stands beside it, whose Edge of Chaos has V'(q) > 1 at every q.
    """
    if network.net is not None:
        own = Inequality(sympy.Float(variance_slope(network.net)), "<", ONE, name="V'(q)")
        return (stated,) if own.verify().verdict in ("proved", "checked") else (Mistaken(own, stated),)
    second, square = (maps.mean(maps.phi(sqrt(Q) * Z_1, k) ** 2, Z_1) for k in (1, 0))
    slope = simplify(diff(square, Q) / second)
    leaves = Inequality(slope, "<", ONE, Q, Rational(1, 10), Integer(3), r"V'(q)\ (\phi(z)=z+z^3)")
    return (Mistaken(leaves, stated),)


@lru_cache(maxsize=64)
def variance_slope(net) -> float:
    """V'(q): above 1 the fixed point of the variance repels, and only inputs with q^1 = q stay there."""
    image = VarianceMap(net.activation, number(net.layer.weight_variance), number(net.layer.bias_variance))
    return float(image.slope(number(net.variance), 12))


def _limit_of_class_s(network: StatedNetwork = TANH) -> Stated:
    """A third; unbound, for ELU as well."""
    others = (ELU,) if network is TANH else ()
    third = (LawLimit(net, "ntk", Rational(1, 3)) for net in (network, *others))
    return (*_attracted(network, next(third)), *third)


def inverse_of_gap(order, logs: int = 0) -> Expr:
    """A coefficient of 1/(1 - c^l) of tanh in alpha = f''(1)/2 and beta = -f^(3)(1)/6."""
    inverse = law_of(TANH, "correlation").expansion ** Rational(-1)
    return _term(inverse, order, logs).subs({SECOND: 2 * ALPHA, THIRD: -6 * BETA})


def _inverse_along() -> Stated:
    """alpha = f''(1)/2 and beta = -f'''(1)/6 in the law of tanh."""
    rows = (("l", inverse_of_gap(-1), ALPHA), (r"\log l", inverse_of_gap(0, 1), BETA / ALPHA))
    return tuple(Equality(simplify(value), printed, name=rf"\bigl[{name}\bigr]\,\lambda_l^{{-1}}")
                 for name, value, printed in rows)  # fmt: skip


NORMALISED = r"\frac{K^L(x,x)}{q_1\alpha_L}"


def _residual_diagonal() -> Stated:
    law = ResNet("relu", sigma_w=SIGMA).ntk_diagonal_law()
    form = law.to_sympy() / law.depth_variable
    found = simplify(limit(form, law.depth_variable, oo))
    rest = simplify(form - found)
    name = rf"{NORMALISED}-\lim"
    return (
        Equality(found, ONE, name=rf"\lim {NORMALISED}"),
        Size(rest, law.depth_variable, 1 / law.depth_variable, name=name),
    )


def _residual_limit() -> Stated:
    """lambda of the print is sigma_w^2 times the limit over q_1, which is a share of q_1."""
    found = ResNet("relu", sigma_w=SIGMA).ntk_law(1).limit
    between = (SIGMA, Rational(1, 10), Integer(4))
    printed = Inequality(simplify(SIGMA**2 * found), "<", ONE, *between, r"\lambda")
    return (Mistaken(printed, Equality(found, SHARE / 4, name=r"\lim\frac{K^L(x,x')}{q_1\alpha_L}")),)


def _residual_slope() -> Stated:
    """sigma_w = 1: the multiplier (1 + Sigma-dot)/(1 + alpha) is 1 - share (1 - f'); delta as in Appendix Lemma 7."""
    share, delta = SHARE.subs(SIGMA, 1), (9 * pi**2 * (1 + ADDED) ** 2 / (2 * ADDED**2)).subs(SIGMA, 1)
    whole, log_term = (_term(slope(RESIDUAL), *at) for at in ((1, 0), (2, 1)))
    return (
        Equality(whole / share, -sqrt(2) / pi * sqrt(delta), name=r"\bigl[l^{-1}\bigr]\,f'(c^l)"),
        Equality(log_term / share, ZERO, name=r"\bigl[\log(l)l^{-2}\bigr]\,f'(c^l)"),
        Equality(whole, Integer(-3), name=r"\bigl[l^{-1}\bigr]\,(1+\dot\Sigma^l)/(1+\alpha)"),
    )


def _scaled_lemma() -> Stated:
    """kappa for every sigma_w; zeta = 72 pi^2 C/sigma_w^6 at sigma_w^2 = 40 and c^1 = 1/10, C the start's constant."""
    law = ScaledResNet("relu", sigma_w=SIGMA).correlation_law(terms=2)
    name = r"\bigl[\log(l)^{-2}\bigr]\,(1-c^l)"
    kappa = Equality(law.expansion.coefficient(2), 16 / (S**2 * SIGMA**4), name=name)
    wide = ScaledResNet("relu", sigma_w=sqrt(Integer(40))).correlation_law()
    with mp.workdps(15):
        constant = wide.connection_constant(correlation=Rational(1, 10), digits=10)
        zeta = sympy.Float(str(72 * mp.pi**2 * constant / 40**3))
    place = (SIGMA, sqrt(Integer(40)), sqrt(Integer(40)))
    signs = [Inequality(zeta, sign, ZERO, *place, r"\zeta") for sign in (">", "<")]
    return kappa, Mistaken(*signs)


def _product() -> Stated:
    """sigma_w^2 = 2: the product from k = 1 is l + 1, its first factor 2 where layer 1 has 1; and from k = 2."""
    step = BEFORE * (1 + 1 / (LAYER + 1))
    stated = Sequence(r"\Sigma^l(x,x)", (LAYER + 1) * Q, LAYER, step, BEFORE, Q, (LAYER + 1) * Q / 2)
    growth = sympy.gamma(DEPTH + 2) / sympy.gamma(DEPTH + 1)
    return stated, Size(growth, DEPTH, DEPTH, name=r"\prod_{k=1}^L\Bigl(1+\frac{\sigma_w^2}{2k}\Bigr)")


def _added_layer() -> Stated:
    """What the weights of layer l add: sigma_w^2/(l n) sum_j phi_j^2, and the mean of phi_j^2 is q/2."""
    weights, features = symbols("w_1:4"), symbols("phi_1:4")
    branch = SIGMA / sqrt(3 * LAYER) * sum(w * f for w, f in zip(weights, features, strict=True))
    squares = sum(diff(branch, w) ** 2 for w in weights)
    found = simplify(squares / sum(f**2 for f in features) * 3 * Q / 2)
    true = SIGMA**2 / (2 * LAYER) * Q
    name = r"K^l_{res}-K^{l-1}_{res}\bigl(1+\tfrac{\sigma_w^2}{2l}\bigr)"
    return (Equality(found, (1 + SIGMA**2 / (2 * LAYER)) * Q, true=true, name=name),)


def _scaled_slope_term() -> Expr:
    """The coefficient of 1/log(l) in 1 - f'(c^l), for every sigma_w."""
    law = ScaledResNet("relu", sigma_w=SIGMA).correlation_law(terms=2)
    return simplify(sqrt(2) / pi * sqrt(law.expansion.coefficient(2)))


def _multiplier() -> Stated:
    """lambda_l = (1 + alpha_l f')/(1 + alpha_l), alpha_l = 1/l (sigma_w^2 = 2); a_l, a quarter of the diagonal."""
    l = Symbol("l", positive=True)  # noqa: E741 - the layer
    lost = (ADDED / l / (1 + ADDED / l) * _scaled_slope_term() / log(l)).subs(SIGMA, sqrt(2))
    kernel = (1 + sympy.digamma(l + 2) - sympy.digamma(3)) / 4
    grows = (Size(kernel, l, size, name="a_l/q") for size in (l, log(l)))
    return Limit(l * lost, l, oo, ONE, r"l\,(1-\lambda_l)"), Mistaken(*grows)


def _conv_smooth() -> Stated:
    """kappa, and beta with f''(1) = q tanh(q) and f'''(1) = q^2 of the sine on its Edge of Chaos at small q."""
    expansion = law_of(CONV_TANH, "correlation").expansion
    kappa = Equality(_term(expansion, 1), 2 / SECOND, name=r"\kappa")
    beta = simplify(-_term(expansion, 2, 1).subs({SECOND: Q * sympy.tanh(Q), THIRD: Q**2}))
    signs = [Inequality(beta, sign, ZERO, Q, Rational(1, 2), ONE, r"\beta") for sign in (">", "<")]
    root = _term(law_of(ELU, "correlation").expansion, Rational(3, 2))
    return kappa, Mistaken(*signs), Equality(root, ZERO, name=r"\bigl[l^{-3/2}\bigr]\,(1-c^l)\ (\text{ELU})")


def _conv_relu() -> Stated:
    """s, and the remainder, whose first term is log(l)/l^3."""
    l = _variable(CONV_RELU, "correlation")  # noqa: E741 - the layer
    rest = -_term(law_of(CONV_RELU, "correlation").expansion, 3, 1) * log(l) / l**3
    name = r"c^l_{\alpha,\alpha'}-1+\frac s{l^2}"
    return (
        LawCoefficient(CONV_RELU, "correlation", "1/l^2", 9 * pi**2 / 2),
        Mistaken(Size(rest, l, l**-2, name=name), Size(rest, l, log(l) / l**3, name=name)),
    )


def _block(size: int) -> Matrix:
    """U along one offset of a circle, k = 1."""
    return Matrix(size, size, lambda i, j: Integer((i - j) % size in (0, 1, size - 1)))


def _residual_variances() -> Stated:
    """N = 4, k = 1: the constant vector grows by 1 + alpha, and every other mode by less."""
    layer = sympy.eye(4) + ALPHA / 3 * _block(4)
    vector = Matrix([1] * 4)
    others = [abs(value) for value in layer.subs(ALPHA, 1).eigenvals() if value != 2]
    grown = Equality(layer * vector, (1 + ALPHA) * vector, name=r"\Bigl(I+\frac{\alpha U}{2k+1}\Bigr)q_{0,x}")
    return grown, Inequality(max(others), "<", Integer(2), ALPHA, ONE, ONE, r"(1+\alpha)e^{-\beta}")


LAWS: Ledger = {
    "HDR.T1.1-diag": _diagonal,
    "HDR.T1.1-limit": _parallel,
    "HDR.T1.1-rate": lambda network=RELU: (rate(network, "ntk", "1/L", theorem=True),),
    "HDR.T1.sup": _supremum,
    "HDR.T1.1-c": lambda: _of_correlation(RELU, 9 * pi**2 / 2),
    "HDR.T1.1-fp": lambda network=RELU: (
        _of_slope(network, "l^{-1}", 1, 0, Integer(-3)),
        _of_slope(network, r"\log(l)l^{-2}", 2, 1, ZERO),
    ),
    "HDR.T1.gain": lambda: (rate(RELU, "ntk", "1/L"), rate(TANH, "ntk", "log(L)/L")),
    "HDR.T1.inv": _invertible,
    "HDR.S4.corrrates": lambda: (rate(RELU, "correlation", "1/l^2"),),
    "HDR.T1.2-diag": _settling_diagonal,
    "HDR.T1.2-limit": _limit_of_class_s,
    "HDR.T1.2-rate": lambda: (rate(TANH, "ntk", "log(L)/L"), rate(ELU, "ntk", "log(L)/L")),
    "HDR.T1.2-rate-smooth": lambda network=TANH: _attracted(network, rate(network, "ntk", "log(L)/L")),
    "HDR.T1.2-rate-elu": lambda network=ELU: (rate(network, "ntk", "log(L)/L"),),
    "HDR.T1.2-lambda": _inverse_along,
    "HDR.T1.2-fp": lambda network=None: (
        _of_slope(network or TANH, "l^{-1}", 1, 0, Integer(-2)),
        _of_slope(network or ELU, "l^{-3/2}", Rational(3, 2), 0, ZERO),
    ),
    # The coefficient of (1-c)^(3/2) in the map of a ReLU ResNet, for every sigma_w.
    "HDR.AL7.s": lambda: (Equality(SHARE * S, S / (1 + ADDED), name="s"),),
    "HDR.AL7": lambda: _of_correlation(RESIDUAL, 81 * pi**2 / 2),
    # K^L(x,x)/(q_1 (1 + sigma_w^2/2)^(L-1)), which every layer lets grow by the share of the branch.
    "HDR.T2.explode": lambda: (
        Sequence("L" + NORMALISED, SHARE * LAYER + 1 - SHARE, LAYER, BEFORE + SHARE, BEFORE, ONE),
        Inequality(simplify(SHARE), ">", ZERO, SIGMA, Rational(1, 10), Integer(10), rf"\lim {NORMALISED}"),
    ),
    "HDR.T2.diag": _residual_diagonal,
    "HDR.T2.offdiag": _residual_limit,
    "HDR.T2.rate": lambda: (rate(RESIDUAL, "ntk", "1/L", theorem=True),),
    "HDR.T2.fp": _residual_slope,
    "HDR.AL8": _scaled_lemma,
    "HDR.P3.prod": _product,
    "HDR.P3.rec": lambda: (*_added_layer(), scaled()),
    # sigma_w^2 = 2: q_L = q_1 (L + 1)/2 times 1 + psi(L + 2) - psi(3).
    "HDR.P3.alpha": lambda: (Mistaken(*(Size(
        (DEPTH + 1) / 2 * (1 + sympy.digamma(DEPTH + 2) - sympy.digamma(3)), DEPTH, DEPTH * grown, name=r"K^L(x,x)/q_1")
        for grown in (DEPTH, log(DEPTH)))),),
    "HDR.P3.rate": lambda: (rate(SCALED, "ntk", "1/log(L)"),),
    "HDR.P3.lambda": _multiplier,
    "HDR.P3.fp": lambda: (Equality(-_scaled_slope_term(), -6 / SIGMA**2, name=r"\bigl[\log(l)^{-1}\bigr]\,f'(c^l)"),),
    "HDR.P3.limit": lambda: (LawLimit(SCALED, "ntk", ONE),),
    # sin without bias: the attracting fixed point in the chaotic phase, f(c) = c with f'(c) < 1, is c = 0.
    "HDR.AL2.1": lambda: (Mistaken(
        Inequality(maps.SINE_CHAOTIC.subs(X, 0), ">", ZERO, Q, Rational(1, 2), Integer(3), "c"),
        Inequality(diff(maps.SINE_CHAOTIC, X).subs(X, 0), "<", ONE, Q, Rational(1, 2), Integer(3), "f'(0)")),),
    "HDR.AL2.2": _conv_smooth,
    # N = 4: U is four blocks, and the eigenvalue 3 is simple in each.
    "HDR.AL2.U": lambda: (
        Equality(Integer(4 * len((_block(4) - 3 * sympy.eye(4)).nullspace())), ONE, name=r"\dim\ker(U-(2k+1))"),
    ),
    # N = 3, k = 1: a block is the matrix of ones, so 3^(-l) U^l is the same for all l; the pairs of one offset.
    "HDR.AL2.power": lambda: (Equality((_block(3) / 3) ** 5, sympy.ones(3, 3) / 9, name="(2k+1)^{-l}U^l"),),
    "HDR.AL2.inv": lambda: (Mistaken(*(
        Inequality(abs(_block(n).det()), ">", ZERO, Q, ONE, ONE, r"|\det U|^{1/N}") for n in (3, 4))),),
    # Without bias, sigma_w^2 = 1 and 3: no exponential.
    "HDR.AL3.1": lambda: tuple(
        rate(StatedNetwork("convnet", "relu", (*CIRCLE, ("sigma_w", value))), "correlation", "exp(-l)")
        for value in ("1", "sqrt(3)")
    ),
    "HDR.AL3.2": _conv_relu,
    "HDR.T1.cnn-relu": lambda: (Equality(_term(slope(RELU), 1), Integer(-1), name=r"\bigl[l^{-1}\bigr]\,\lambda_l"),),
    # The multiplier and the limit of tanh; ELU has L^(-1/2).
    "HDR.T1.cnn-smooth": lambda: (
        Equality(_term(slope(TANH), 1), Integer(-2), name=r"\bigl[l^{-1}\bigr]\,\lambda_l"),
        LawLimit(CONV_TANH, "ntk", Rational(1, 3)),
        Equality(_term(law_of(ELU, "ntk").expansion, Rational(1, 2)), ZERO,
                 name=r"\bigl[L^{-1/2}\bigr]\,\frac{K^L}{qL}\ (\text{ELU})"),
    ),
    "HDR.T1.cnn-diag": lambda: (LawLimit(CONV_RELU, "ntk", ONE),),
    "HDR.AL7.cnnvar": _residual_variances,
}  # fmt: skip


# ---- recalled bullets, convolutions of App. B.3, single lines, slips ----

C_STAR, (K, FALL, EPOCHS) = Symbol("{c^*}", real=True), symbols("k beta n_e", positive=True)
CIRCLES = tuple(
    StatedNetwork("conv-resnet", "relu", (("positions", size), ("reach", "1"), ("sigma_w", weight)))
    for size, weight in (("4", "1"), ("5", "2"))
)
GAPS = (0.95, 0.45, 0.9, 0.1)  # 1 - c^1 at four positions


def _positive() -> Stated:
    """z + z^3, j = 4: the printed mean, and the derivative of the map."""
    name = "f^{(4)}(1)"
    printed = SIGMA**2 * Q**3 * maps.mean(maps.phi(Z_1, 4) ** 2, Z_1)
    steep = (diff(maps.covariance() / Q, X, 4).subs(X, 1), printed)
    return tuple(Mistaken(*(Inequality(side, sign, ZERO, name=name) for sign in (">", ">="))) for side in steep)


def _positions() -> Stated:
    """Two positions of one input in the chaotic phase, three networks after 200 layers."""

    def rows() -> Iterator[Datum]:
        for dense in several_chaotic():
            net = ConvNet(dense.activation.name, 4, 1, dense.sigma_w, sqrt(dense.layer.bias_variance))
            gaps = np.array([1 - float(c) for c in generic_start(4)])
            title = f"{named(dense)}: $q^200_(alpha, alpha')(x, x)/q$, positions $alpha$ and $alpha + 1$"
            least = 1 - float(conv_pairs(net, gaps, 200)[0].max())
            yield Datum(title, {C_STAR: 1 - attractor(dense)[0]}, least)

    name = r"\lim_lq^l_{\alpha,\alpha'}(x,x)/q"
    return (Measured(name, ONE, rows, text="lim q^l_(alpha, alpha')(x, x)/q", true=C_STAR),)


def _of_signals(one: Matrix, two: Matrix) -> Equality:
    """The products of gradients of y^1 at position 0 of x and 1 of x', rows channels, beside the print."""
    channels, size = one.shape
    offset, scale = Symbol("b"), SIGMA / sqrt(3 * channels)
    weights = Matrix(channels, 3, symbols(f"w_:{3 * channels}"))

    def around(signal: Matrix, position: int) -> Matrix:
        return Matrix(channels, 3, lambda j, s: signal[j, (position + s - 1) % size])

    outputs = [scale * sum(weights.multiply_elementwise(around(signal, at))) + BIAS * offset
               for signal, at in ((one, 0), (two, 1))]  # fmt: skip
    found = sum(diff(outputs[0], w) * diff(outputs[1], w) for w in (*weights, offset))
    printed, true = (scale**2 * sum(around(one, 0).multiply_elementwise(around(other, 1))) + BIAS**2
                     for other in (one, two))  # fmt: skip
    return Equality(found, printed, true=true, name=r"K^{1,res}_{\alpha,\alpha'}(x,x')")


def _of_circles() -> Stated:
    """1 - c^l of the mean: the coefficients of l^(-2) and of log(l)/l^3, for sigma_w = 1 and 2."""
    found = []
    for net, weight in zip(CIRCLES, (1, 2), strict=True):
        alpha = ADDED.subs(SIGMA, weight)
        found += _of_correlation(net, 9 * pi**2 * (1 + alpha) ** 2 / (2 * alpha**2))
    return tuple(found)


def _multiplier_along() -> Stated:
    """(1 + alpha f'(c^(l-1)))/(1 + alpha) of the mean, and the multiplier of four positions, sigma_w = 4."""
    name, text = r"\frac{l^2(\lambda_l-1+3/l)\big|_{4000}^{16000}}{\log4}", "growth of l^2 (lambda_l - 1 + 3/l)"
    found: list = [Measured(name, ZERO, _multipliers, tolerance=0.05, text=text, true=Rational(9, 2))]
    for net in CIRCLES:
        along = next(step["along"] for step in law_of(net, "ntk").steps if "along" in step)
        for place, at, printed in (("l^{-1}", (1, 0), Integer(-3)), (r"\log(l)l^{-2}", (2, 1), ZERO)):
            name = rf"\bigl[{place}\bigr]\frac{{1+\alpha f'(C_{{l-1}})}}{{1+\alpha}}"
            found.append(Equality(simplify(along.coefficients.get(Monomial(*at), ZERO)), printed, name=name))
    return tuple(found)


@lru_cache(maxsize=1)
def _multipliers() -> tuple[Datum, ...]:
    """By the layers themselves."""
    found, alpha = [], 8
    for layer in (4000, 16_000):
        gap, _ = conv_pairs(ConvResNet("relu", 4, 1, 4), np.array(GAPS), layer - 1)
        slope = 1 - 2 * np.arcsin(np.sqrt(gap / 2)).mean() / np.pi
        found.append(layer**2 * ((1 + alpha * slope) / (1 + alpha) - 1 + 3 / layer))
    return (Datum("four positions, $sigma_w = 4$, $l = 4000$ to 16000", {}, float((found[1] - found[0]) / np.log(4))),)


def _averaging(size: int, reach: int) -> Equality:
    """K at one position after a layer by Lemma 4, without its source, beside the product entry by entry."""
    slopes, kernel = symbols(f"s_1:{size + 1}", positive=True), symbols(f"K_1:{size + 1}", positive=True)
    mean_of = sum(slopes[at] * kernel[at] for at in range(-reach, reach + 1)) / (2 * reach + 1)
    name = r"\bigl(K^{res,l}-(1+\alpha)^{l-1}q\,e_1\bigr)_1"
    true = kernel[0] + ALPHA * mean_of
    return Equality(true, (1 + ALPHA * slopes[0]) * kernel[0], true=true, name=name)


def scaled_orbit(square: int, gaps: tuple = GAPS, depth: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """1 - c^L and K^L/q_L of a scaled convolutional ReLU ResNet at four positions, sigma_w^2 = `square`.

    >>> [round(float(value[0]), 9) for value in scaled_orbit(2, (0.0,) * 4, 3)]
    [0.0, 1.583333333]
    """
    net = Network(f"residual(relu, conv(1, 4, sqrt({square})), scale=1/sqrt(LAYER))")
    return conv_pairs(net, np.array(gaps), depth)


def _scaled_signs() -> Stated:
    """zeta has the sign of C: what 3 pi/sqrt(2 gamma) - alpha log(l) is near, for a narrow and a wide branch.

    And C itself, of four positions that are alike from the first layer on, as those of a dense network are.
    """

    def rows(square: int) -> Iterator[Datum]:
        law = ScaledResNet("relu", sigma_w=sqrt(Integer(square))).correlation_law(1)
        constant = float(law.connection_constant(10, correlation="1/20"))
        yield Datum(rf"$C$ of the law, $sigma_w^2 = {square}$, $c^1 = 1/20$", {}, constant, NUMBERS)
        title = f"$3 pi/sqrt(2 (1 - c^l)) - (sigma_w^2/2) log l$ at $l = 1000$, $sigma_w^2 = {square}$, position "
        for at, root in enumerate(3 * np.pi / np.sqrt(2 * scaled_orbit(square)[0])):
            yield Datum(f"{title}{at}", {}, float(root - square / 2 * np.log(1000)))

    narrow, wide, right = (Measured(r"\zeta", ZERO, partial(rows, square), sign, text="zeta, up to a factor")
                           for square, sign in ((2, ">"), (40, ">"), (40, "<")))  # fmt: skip
    return narrow, Mistaken(wide, right)


def _scaled_kernel() -> Stated:
    """Equal positions of one input: how K^L/q^L grows from L = 100 to 1000, sigma_w^2 = 2 and 1."""
    found = []
    for square in (2, 1):
        alpha = Integer(square) / 2
        kernel = 1 + alpha * (sympy.digamma(DEPTH + 1 + alpha) - sympy.digamma(2 + alpha))

        def rows(square: int = square) -> Iterator[Datum]:
            near, far = (scaled_orbit(square, (0.0,) * 4, depth)[1].mean() for depth in (100, 1000))
            yield Datum(f"$sigma_w^2 = {square}$, four positions, $L = 100$", {DEPTH: 100}, float(far / near))

        name = r"\frac{K^{10L}_{\alpha,\alpha}(x,x)/q^{10L}}{K^L_{\alpha,\alpha}(x,x)/q^L}"
        found.append(Measured(name, Integer(10), rows, text="growth of K^L(x, x)/q^L from L to 10 L",
                              true=kernel.subs(DEPTH, 10 * DEPTH) / kernel))  # fmt: skip
    return (*LAWS["HDR.P3.alpha"](), *found, *LAWS["HDR.P3.rate"]())


def _sum_of_steps() -> Stated:
    """One step as l -> oo, and what a constant f(c) - c adds up to from layer 1 on; sigma_w^2 = 6 and 3."""
    depth, found = Symbol("l", positive=True), []
    for square in (6, 3):
        share = Rational(square, 2)
        total = share * (sympy.digamma(depth + 1 + share) - sympy.digamma(2 + share))
        name = rf"l\,\frac{{c^l-c^{{l-1}}}}{{f(c)-c}}\ (\sigma_w^2={square})"
        found.append(Limit(share / (1 + share / depth), depth, oo, ONE, name))
        found.append(Limit(total / log(depth), depth, oo, ONE, r"\frac{c^l-c^1}{(f(c)-c)\log(l)}"))
    return tuple(found)


def _shape_of_the_error() -> Stated:
    """Q v is a vector, which Q^T does not multiply from the right; |Q v| = |v| for the vector itself."""
    angle, one, two = symbols("t v_1 v_2", real=True)
    turn = Matrix([[sympy.cos(angle), -sympy.sin(angle)], [sympy.sin(angle), sympy.cos(angle)]])
    moved = turn * Matrix([one, two])
    columns = Equality(Integer(moved.shape[1]), Integer(turn.T.shape[0]), name=r"\text{columns of }Q(f_t-\mathcal Y)")
    return (Mistaken(columns, Equality(moved.dot(moved), one**2 + two**2, name=r"\|Z_t\|^2")),)


STEPS: Ledger = {
    "HDR.B1.positive": _positive,
    "HDR.CNN.varconv": _positions,
    # One channel of letters on four positions, two channels of numbers on five.
    "HDR.L4.first": lambda: (
        _of_signals(*(Matrix(1, 4, symbols(f"{name}_1:5", real=True)) for name in ("x", "x'"))),
        _of_signals(*(Matrix([[1, 2, 0, 1, 3], [2, 1, 1, 0, 1]]), Matrix([[4, 1, 0, 0, 3], [1, 3, 0, 1, 2]]))),
    ),
    "HDR.AL7.cnn": _of_circles,
    # weight P(y > 0), y normal, beside f(1) as printed and f'(1), which the next lines use at every c.
    "HDR.T2.sigdot": lambda: tuple(
        Equality(weight * sympy.integrate(exp(-(T**2) / 2), (T, 0, oo)) / sqrt(2 * pi), weight / 2 * side.subs(X, 1),
                 name=rf"\dot\Sigma^l(x,x)=\tfrac12{sympy.latex(weight)}{name}")
        for weight in (SIGMA**2, SIGMA**2 / LAYER)
        for side, name in ((RELU_MAP, "f(1)"), (diff(RELU_MAP, X), "f'(1)"))),
    "HDR.T2.cnn-product": lambda: (_averaging(4, 1), _averaging(6, 2)),
    "HDR.T2.cnn-slope": _multiplier_along,
    "HDR.T2.cnn": lambda: tuple(rate(net, "ntk", "1/L") for net in CIRCLES),
    "HDR.AL8.map": lambda: (*averaged_map(ADDED / LAYER), Equality(
        1 / sqrt(ScaledResNet("relu", sigma_w=SIGMA).correlation_law(terms=1).expansion.coefficient(2)),
        S * SIGMA**2 / 4, name=r"\lim\gamma_l^{-1/2}/\log(l)")),
    "HDR.AL8.sum": _sum_of_steps,
    "HDR.AL8.cnn": lambda: (LAWS["HDR.AL8"]()[0], *_scaled_signs()),
    "HDR.P3.cnn": _scaled_kernel,
    # kappa log(l)/l^2 is not Theta(l^-2), as Lemma 5 asks; the limit is that of Lemma 6's own expansion.
    "HDR.AL6.lemma5": lambda: (Mistaken(
        Size(log(PLACE) / PLACE**2, PLACE, PLACE**-2, name=r"\lambda_l-1+\frac\alpha l"),
        Equality(lemma6().particular.coefficient(-1), SOURCE / (1 + DECAY), name=r"\lim\frac{a_l}l")),),
    "HDR.T1.1-lemma5": lambda: (LawCoefficient(RELU, "ntk", "log(L)/L", ZERO),),
    # l = 1, where the hypothesis allows a_1 = alpha a_0 + k; all terms with the index l - 1 - j.
    "HDR.AL4.bound": lambda: (Mistaken(Inequality(K, "<=", K * exp(-FALL), name=r"a_1-\alpha a_0"), contraction()),),
    # sigma_w^2 = 2: gamma_(l+1) less the three terms that are printed.
    "HDR.AL7.order": lambda: (
        Size(1 - (1 - T + RELU_MAP.subs(X, 1 - T)) / 2 - T
             + (S * T ** Rational(3, 2) + maps.KAPPA * T ** Rational(5, 2)) / 2,
             T, T ** Rational(7, 2), ZERO, r"\gamma_{l+1}-\gamma_l+s\gamma_l^{3/2}+\kappa'\gamma_l^{5/2}"),
    ),
    "HDR.L1.Z": _shape_of_the_error,
    "HDR.T1.2-betaq": lambda: (Equality(inverse_of_gap(-1), ALPHA, name=r"\lim\frac1{l\lambda_l}"),),
    "HDR.S6.3-epochs": lambda: (
        Mistaken(*(Inequality(EPOCHS / 2, "<", share * EPOCHS) for share in (Rational(1, 4), Rational(3, 4)))),
    ),
}  # fmt: skip
