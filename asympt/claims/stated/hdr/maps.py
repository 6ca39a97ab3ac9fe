"""Printed formulas of HDR about one layer: variances, the correlation map, its slope and its series at 1.

A statement about every phi is read on activations whose Gaussian means are exact:

    phi(z) = z + z^3    by Mehler: E[phi phi] = sum_k k! a_k^2 c^k, a_k the Hermite coefficients
    phi = sin           on its Edge of Chaos f(c) = 1 + (sinh(q c)/cosh(q) - tanh(q))/q for every q > 0 (smooth);
                        without bias f(c) = sinh(q c)/sinh(q) (chaotic)
    phi(z) = z |z|      phi'' jumps: f(c) = (2/(3 pi)) ((1 + 2 c^2) arcsin(c) + 3 c sqrt(1 - c^2))
"""

import sympy
from sympy import Expr, Integer, Rational, Symbol, asin, diff, exp, limit, oo, pi, simplify, sinh, sqrt, symbols
from sympy.functions.special.polynomials import hermite_prob

from asympt.claims.stated.comparisons import Agreement, Inequality, Limit, Size
from asympt.claims.stated.equalities import Equality, Expectation, Sequence
from asympt.claims.stated.laws import StatedNetwork, numbers_of
from asympt.claims.stated.statement import Ledger, Mistaken, Stated
from asympt.expansions import Monomial
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.meanfield.edge import edge_exists

T, Q, SIGMA, BIAS, CHI, K, GAMMA = symbols("t q sigma_w sigma_b chi K gamma", positive=True)
X = Symbol("x", real=True)
LAYER, BEFORE = Symbol("l", integer=True, positive=True), Symbol("x_l", positive=True)
Z_1, Z_2 = symbols("Z_1 Z_2", real=True)
S, KAPPA = 2 * sqrt(2) / (3 * pi), sqrt(2) / (30 * pi)  # of ReLU's correlation map
ZERO, ONE = Integer(0), Integer(1)
INSIDE = {"x": (-ONE, ONE)}

RELU_MAP = (X * asin(X) + sqrt(1 - X**2)) / pi + X / 2
LEFT = RELU_MAP.subs(X, 1 - T) - 1 + T
SINE_ON_EDGE = 1 + (sinh(Q * X) / sympy.cosh(Q) - sympy.tanh(Q)) / Q
SINE_CHAOTIC = sinh(Q * X) / sinh(Q)
WITH_JUMP = 2 * ((1 + 2 * X**2) * asin(X) + 3 * X * sqrt(1 - X**2)) / (3 * pi)


def mean(expression: Expr, *normals: Symbol) -> Expr:
    """E of a polynomial in independent standard normal letters.

    >>> mean((1 + Z_1) ** 4, Z_1)
    10
    """
    return Expectation(ZERO + expression, normals, sympy.eye(len(normals)).tolist()).doit()


def phi(z: Expr, order: int = 0) -> Expr:
    """The activation z + z^3, or a derivative of it."""
    letter = Symbol("z")
    return diff(letter + letter**3, letter, order).subs(letter, z)


def _along() -> Expr:
    """x Z_1 + sqrt(1 - x^2) Z_2."""
    return X * Z_1 + sqrt(1 - X**2) * Z_2


def covariance() -> Expr:
    """sigma_b^2 + sigma_w^2 E[phi(U) phi(V)] at variance q and correlation x, by Mehler's formula."""
    total = ZERO
    for k in range(4):
        part = mean(hermite_prob(k, Z_1) * phi(sqrt(Q) * Z_1), Z_1) / sympy.factorial(k)
        total += sympy.factorial(k) * part**2 * X**k
    return BIAS**2 + SIGMA**2 * total


def printed_map() -> Expr:
    return (BIAS**2 + SIGMA**2 * mean(phi(sqrt(Q) * Z_1) * phi(sqrt(Q) * _along()), Z_1, Z_2)) / Q


def _definition() -> Stated:
    """The map as printed; and f(1) = 1 where sigma_b^2 = q - sigma_w^2 E[phi(sqrt(q) Z)^2]."""
    free = Q - SIGMA**2 * mean(phi(sqrt(Q) * Z_1) ** 2, Z_1)
    fixed = simplify((covariance() / Q).subs({BIAS: sqrt(free), X: 1}))
    return Equality(covariance() / Q, printed_map(), ranges=INSIDE, name="f(x)"), Equality(fixed, ONE, name="f(1)")


def _derivatives() -> Stated:
    """j = 1, 2: the arguments of phi^(j) lack sqrt(q)."""

    def printed(order: int, scale: Expr) -> Expr:
        inside = mean(phi(scale * Z_1, order) * phi(scale * _along(), order), Z_1, Z_2)
        return SIGMA**2 * Q ** (order - 1) * inside

    return tuple(
        Equality(diff(covariance() / Q, X, order), printed(order, ONE), ranges=INSIDE, true=printed(order, sqrt(Q)),
                 name=f"f^{{({order})}}(x)")
        for order in (1, 2)
    )  # fmt: skip


def _derivative_kernel() -> Stated:
    """d Sigma^(l+1)/d Sigma^l, which multiplies K^l, beside E[phi' phi']."""
    printed = mean(phi(sqrt(Q) * Z_1, 1) * phi(sqrt(Q) * _along(), 1), Z_1, Z_2)
    found = diff(covariance(), X) / Q
    name = r"\frac{\partial\Sigma^{l+1}}{\partial\Sigma^l}"
    return (Equality(found, printed, ranges=INSIDE, true=SIGMA**2 * printed, name=name),)


def _slope_near_one() -> Stated:
    rest = asin(1 - T) / pi + Rational(1, 2) - 1
    left = Size(rest + sqrt(2) / pi * sqrt(T), T, T ** Rational(3, 2), ZERO, r"f'(1-t)-1+\frac{\sqrt2}\pi t^{1/2}")
    closed = Equality(diff(RELU_MAP, X), asin(X) / pi + Rational(1, 2), ranges=INSIDE, name="f'(x)")
    return closed, Limit(rest / sqrt(T), T, ZERO, -sqrt(2) / pi), left


def _coefficients() -> Stated:
    """f'' = (2 g - g^2)^(-1/2)/pi in g = 1 - x: alpha_(k+1) = alpha_k (2k-1)^2/(4k (2k+3)), alpha_1 = s."""
    k = Symbol("k", integer=True, positive=True)
    value = 2 * sqrt(2) / pi * sympy.binomial(2 * k - 2, k - 1) / (Integer(8) ** (k - 1) * (2 * k - 1) * (2 * k + 1))
    step = BEFORE * (2 * k - 1) ** 2 / (4 * k * (2 * k + 3))
    place = Symbol("k", real=True)
    positive = Inequality(value.subs(k, place), ">", ZERO, place, Integer(2), Integer(40))
    return Sequence(r"\alpha_k", value, k, step, BEFORE, S), positive


def _inverse_root(network: StatedNetwork | None = None) -> Stated:
    """gamma_(l+1)^(-1/2) with gamma = t^2: the coefficient of t, 0 as printed; of ReLU, or of a ReLU-like network."""
    s, kappa = S, KAPPA
    if network is not None:
        s, kappa = (network.load().correlation_map.expansion(7).coefficients[Monomial(k)] for k in (3, 5))
    after = T**2 - s * T**3 - kappa * T**5
    return (Limit((1 / sqrt(after) - 1 / T - s / 2) / T, T, ZERO, ZERO),)


def _class_s() -> Stated:
    """ELU at 0: the second derivatives from the left, of e^x - 1, and from the right, of x; in C^1 the first ones."""
    left = [limit(diff(exp(X) - 1, X, k), X, 0, "-") for k in (1, 2)]
    first, second = (Equality(one, diff(X, X, k), name=rf"\phi^{{({k})}}(0^-)") for k, one in enumerate(left, 1))
    return (Mistaken(second, first),)


def _series() -> Stated:
    """t^6 for the sine on its Edge of Chaos, whose f'''(1) is q^2, and t^5 for z|z|."""
    along = SINE_ON_EDGE.subs(X, 1 - T**2)
    sixth = simplify(diff(along, T, 6).subs(T, 0) / 720)
    third = simplify(diff(SINE_ON_EDGE, X, 3).subs(X, 1))
    name = r"[t^{}]\,f(1-t^2)"
    return (
        Equality(sixth, third / 6, name=name.format(6)),
        Equality(puiseux(WITH_JUMP, X, 6, inner=1 - Y).coefficients[5], ZERO, name=name.format(5)),
    )


def _signs() -> Stated:
    """alpha = f''(1)/2 and beta = -f'''(1)/6 of the sine on its Edge of Chaos."""
    alpha, beta = (simplify(diff(SINE_ON_EDGE, X, k).subs(X, 1)) * share
                   for k, share in ((2, Rational(1, 2)), (3, -Rational(1, 6))))  # fmt: skip
    between = (Q, Rational(1, 2), Integer(3))
    return (
        Inequality(alpha, ">", ZERO, *between, r"\alpha"),
        Mistaken(Inequality(beta, ">", ZERO, *between, r"\beta"), Inequality(beta, "<", ZERO, *between, r"\beta")),
    )


def _fourth_derivative() -> Stated:
    """k = 4, z|z|: (1 - x^2)^(-1) g_4 as printed, with a g_4 that has a limit at 1."""
    fourth = simplify(diff(WITH_JUMP, X, 4).subs(X, 1 - T))
    name = "f^{(4)}(1-t)"
    return (Mistaken(Size(fourth, T, 1 / T, ZERO, name), Size(fourth, T, T ** -Rational(3, 2), ZERO, name)),)


def _convex() -> Stated:
    """The sine on its Edge of Chaos at q = 1: f is odd up to a constant."""
    curvature = simplify(diff(SINE_ON_EDGE, X, 2)).subs(Q, 1)
    whole, right = (Inequality(curvature, ">", ZERO, X, low, ONE, "f''(x)") for low in (-ONE, Rational(1, 100)))
    return (Mistaken(whole, right),)


def _variance() -> Stated:
    """ReLU on its Edge of Chaos keeps variances 1 and 4: both within e^(-lambda) of one q.  With bias and chi < 1."""
    apart = Inequality(Integer(3), "<=", 2 * exp(-GAMMA), GAMMA, Rational(1, 100), Integer(5), "|4-1|")
    fixed = BIAS**2 / (1 - CHI)
    value, step = fixed + (K - fixed) * CHI ** (LAYER - 1), BIAS**2 + CHI * BEFORE
    return (Mistaken(apart, Sequence(r"\Sigma^l(x,x)", value, LAYER, step, BEFORE, K)),)


def _slope_bound() -> Inequality:
    return Inequality(simplify(diff(SINE_ON_EDGE, X)).subs(Q, 1), "<=", ONE, X, -ONE, ONE, r"f'(x)/\chi")


def _chaotic() -> Stated:
    """sin without bias, q = 2, c* = 0: c^3 tends to 1 with c^1; a fixed c^1 is drawn to 0 by the factor f'(0)."""
    once = SINE_CHAOTIC.subs(Q, 2)
    twice = once.subs(X, once)
    sup = Inequality(limit(twice.subs(X, 1 - T), T, 0), "<=", exp(-GAMMA), GAMMA, Rational(1, 100), Integer(5),
                     r"\sup_{x\neq x'}|c^3-c|")  # fmt: skip
    return (Mistaken(sup, Limit(once.subs(X, T) / T, T, ZERO, 2 / sinh(2))),)


def _proposition() -> Stated:
    """x = x' and chi = 2: K^L = q (2^L - 1).  ReLU without bias, chi = 1/e: Sigma^l = e^(1-l) q, K^L = L e^(1-L) q."""
    depth = Symbol("L", positive=True)
    fades = depth * exp(1 - depth)
    vanishing = Limit(fades, depth, oo, ZERO, r"K^L(x,x)/\Sigma^1(x,x)")
    positive = Inequality(limit(fades, depth, oo), ">", ZERO, Q, ONE, ONE, r"\lambda")
    value = Q * (CHI**LAYER - 1) / (CHI - 1)
    grows = Size(2**depth - 1, depth, ONE, name=r"K^L(x,x)/q")
    right = Sequence("K^l(x,x)", value, LAYER, CHI * BEFORE + Q, BEFORE, Q)
    return Mistaken(grows, right), Mistaken(positive, vanishing)


def _contraction() -> Stated:
    """sin without bias is chaotic: at x = x' the derivative kernel is q coth(q); covariances tend to q or to 0."""
    steep = simplify(diff(SINE_CHAOTIC, X).subs(X, 1)).rewrite(sympy.coth)
    at_one = Inequality(steep, "<", ONE, Q, Rational(1, 2), Integer(3), r"\dot\Sigma^l(x,x)")
    layer, apart = Symbol("l", positive=True), ONE - SINE_CHAOTIC.subs(X, 0)
    one_limit = Limit(apart, layer, oo, ZERO, r"|\Sigma^l(x,x)-\Sigma^l(x,x')|/q")
    return Mistaken(at_one, _slope_bound()), one_limit


def _curve(activation: str, printed: str) -> Stated:
    """sigma_w of the Edge of Chaos at sigma_b = 1/5, and chi where it is printed to be."""
    edge, there = (numbers_of(StatedNetwork("feedforward", activation, (("sigma_b", "1/5"), *given)))
                   for given in ((), (("sigma_w", printed),)))  # fmt: skip
    return Agreement(edge[SIGMA], printed, r"\sigma_w"), Agreement(there[CHI], "1.000", r"\chi")


def _without_edge() -> Stated:
    """sigma_b^2/q = 1 - E[phi^2]/(q E[phi'^2]) on the curve: negative for softplus, positive somewhere for sigmoid."""
    stated = []
    for name in ("softplus", "sigmoid"):
        found = edge_exists(name)
        figure = sympy.Float(found.figure if found.certified is None else found.certified)
        label = rf"\sigma_b^2/q\ (\text{{{name}}})"
        signs = {sign: Inequality(figure, sign, ZERO, Q, ONE, ONE, label) for sign in ("<", ">")}
        stated.append(signs["<"] if name == "softplus" else Mistaken(signs["<"], signs[">"]))
    return tuple(stated)


MAPS: Ledger = {
    "HDR.B1.fgen": _definition,
    # The derivative of the map at 1 beside the printed moment.
    "HDR.B1.slope": lambda: (
        Equality(diff(covariance() / Q, X).subs(X, 1), SIGMA**2 * mean(phi(sqrt(Q) * Z_1, 1) ** 2, Z_1), name="f'(1)"),
    ),
    "HDR.B1.deriv": _derivatives,
    "HDR.P2.sigdot": _derivative_kernel,
    # By Price's theorem f'' = 1/(pi sqrt(1 - x^2)), with f(0) = 2 E[Z_+]^2 = 1/pi and f'(0) = 2 P(Z > 0)^2 = 1/2.
    "HDR.AL7.f": lambda: (
        Equality(1 / pi + X / 2 + sympy.integrate((X - T) / sqrt(1 - T**2), (T, 0, X)) / pi, RELU_MAP, ranges=INSIDE,
                 name="f(x)"),
    ),
    "HDR.B1.relu-exp": lambda: (
        Limit(LEFT / T ** Rational(3, 2), T, ZERO, S),
        Size(LEFT - S * T ** Rational(3, 2), T, T ** Rational(5, 2), ZERO, r"f(1-t)-1+t-\frac{2\sqrt2}{3\pi}t^{3/2}"),
    ),
    "HDR.B1.relu-series": _coefficients,
    "HDR.T1.fprime": _slope_near_one,
    "HDR.T1.1-inv": _inverse_root,
    "HDR.D1.classS": _class_s,
    "HDR.T1.2-taylor": _series,
    "HDR.T1.2-sign": _signs,
    "HDR.T1.2-fk": _fourth_derivative,
    # 1/lambda_(l+1) for alpha = 1, beta = -1/3: the coefficient of lambda, beta as printed.
    "HDR.T1.2-inv": lambda: (Limit((1 / (T - T**2 + T**3 / 3) - 1 / T - 1) / T, T, ZERO, Rational(-1, 3)),),
    "HDR.B1.convex": _convex,
    "HDR.B1.varconv": _variance,
    # l = 1 and x' = -x: |c^1 - 1| = 2.  The slope of the map is largest at 1: f'(c)/chi = cosh(c)/cosh(1) for sin.
    "HDR.B1.ordered": lambda: (Mistaken(
        Inequality(Integer(2), "<=", exp(-GAMMA), GAMMA, Rational(1, 100), Integer(5), "|c^1(x,-x)-1|"),
        _slope_bound()),),
    "HDR.B1.chaotic": _chaotic,
    "HDR.P2": _proposition,
    "HDR.P2.proof": _contraction,
    # The fixed point of K = f'(1) K + q.
    "HDR.P2.const": lambda: (Equality(sympy.solve(CHI * K + Q - K, K)[0], Q / (1 - CHI), name=r"K^\infty"),),
    "HDR.S6.2-eoc-relu": lambda: (
        Equality(numbers_of(StatedNetwork("feedforward", "relu"))[SIGMA], sqrt(2), name=r"\sigma_w"),
    ),
    "HDR.S6.2-eoc-tanh": lambda: _curve("tanh", "1.298"),
    "HDR.S6.2-eoc-elu": lambda: _curve("elu", "1.225"),
    "HDR.S6.2-noeoc": _without_edge,
}  # fmt: skip
