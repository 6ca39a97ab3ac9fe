"""Printed formulas of HDR about recursions of numbers (its Appendix Lemmas 1, 4, 5 and 6) and about training.

Linear recursions are solved with their coefficients as letters.  Kernels are numbers, one mode of the flow; forcings in
time are exponentials, which stand for all smooth ones as the equations are linear.
"""

from collections.abc import Callable

import sympy
from sympy import Expr, Integer, Matrix, MatrixSymbol, Rational, Symbol, diag, diff, exp, limit, log, oo, sqrt, symbols

from asympt.claims.stated.algebra import CROSS, F0, TIME, F, G, Y, at_test_point, trained
from asympt.claims.stated.comparisons import Inequality, Limit, Size
from asympt.claims.stated.equalities import Equality, Evolution, Sequence
from asympt.claims.stated.hdr.maps import BEFORE, LAYER, ONE, ZERO, mean
from asympt.claims.stated.matrices import MatrixEquality
from asympt.claims.stated.statement import Ledger, Mistaken, Stated
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.recursions.linear_recurrence import LAYER as ANY_LAYER
from asympt.recursions.linear_recurrence import LayeredSolution, layered_solution

ALPHA, BETA, Q, K, A = symbols("alpha beta q k a", positive=True)
ETA, S, RATE = symbols("eta S kappa", positive=True)
GAMMA, GAMMA_X, NOISE, NOISE_X = symbols("Gamma Gamma_x w w_x", positive=True)
P, R = symbols("p r", positive=True)
PLACE = Symbol("l", positive=True)
DECAY, SOURCE = symbols("alpha q", positive=True)  # of the linear recursions, any real alpha > 0
CURVATURE, LOGS = symbols("c kappa", real=True)


def _lemma(second: dict, rest: Rational, source_rest: Rational) -> LayeredSolution:
    """The general solution for 1 - alpha/l + `second`, with remainders of these powers."""
    scale = Scale.at_infinity(ANY_LAYER)
    return layered_solution(
        Expansion.build(scale, {(0, 0): 1, (1, 0): -DECAY, **second}, Formal(Monomial(rest))),
        Expansion.build(scale, {(0, 0): SOURCE}, Formal(Monomial(source_rest))),
    )


def lemma5() -> LayeredSolution:
    """With remainders in place of what is left open in lambda_l and b_l."""
    return _lemma({(2, 0): CURVATURE}, Rational(5, 2), Rational(3, 2))


def lemma6() -> LayeredSolution:
    """With the printed remainders at their largest, beta = 1."""
    return _lemma({(2, 1): LOGS}, Rational(2), Rational(1))


def _lemma5() -> Stated:
    """lambda_l = 1 - alpha/l + c/l^2 with c > 0: Theta asks for a positive coefficient of 1/l, at q = 0 too."""
    found = lemma5().particular.coefficient(0)
    alpha, c, q = DECAY, Symbol("c", positive=True), SOURCE
    found, name = found.subs(CURVATURE, c), r"\bigl[l^{-1}\bigr]\,\frac{a_l}l"
    at_zero = Inequality(found.subs({alpha: 1, c: 1}), ">", ZERO, q, ZERO, ONE, name)
    value = Equality(found, q * (alpha + c) / (alpha * (1 + alpha)), name=name)
    return Mistaken(at_zero, Inequality(value.right, ">", ZERO, name=name)), value


def _lemma6() -> Stated:
    """lambda_l = 1 - alpha/l + kappa log(l)/l^2: A > 0 asks for a positive coefficient of log(l)/l, for q = 0 too."""
    found = lemma6().particular.coefficient(0, 1)
    alpha, kappa, q = DECAY, LOGS, SOURCE
    name = r"\bigl[\log(l)l^{-1}\bigr]\,\frac{a_l}l"
    right = Equality(found, kappa * q / (alpha * (1 + alpha)), name=name)
    places = (({alpha: 1, q: 1}, kappa, -ONE, ONE), ({alpha: 1, kappa: 1}, q, ZERO, ONE))
    return tuple(Mistaken(Inequality(found.subs(at), ">", ZERO, *where, name), right) for at, *where in places)


def _product() -> Stated:
    """alpha = 1: the product from k = 1 has the factor 0 at k = 2; the next line of the proof starts above alpha."""
    k, l = Symbol("k", integer=True), Symbol("l", integer=True, positive=True)  # noqa: E741 - the layer
    factors = {first: sympy.Product(1 - 2 / k, (k, first, last)).doit() for first, last in ((1, 5), (3, l))}
    factor = r"\Bigl(1-\frac{1+\alpha}k\Bigr)"
    printed = Size(factors[1], PLACE, PLACE**-2, name=rf"\prod_{{k=1}}^l{factor}")
    right = Size(factors[3].gammasimp().subs(l, PLACE), PLACE, PLACE**-2, name=rf"\prod_{{k=2+\alpha}}^l{factor}")
    return (Mistaken(printed, right),)


def _leading(source: Expr, term: str) -> tuple[Expr, Expr, str]:
    """Of S_l = (1 - (1+alpha)/l) S_(l-1) + source: size and constant of the first term, and the sum that it is."""
    monomial, value = layered_solution(1 - (1 + DECAY) / ANY_LAYER, source, 1).particular.leading
    name = rf"\sum_k\prod_{{j=k+1}}^l\Bigl(1-\frac{{1+\alpha}}j\Bigr)\frac{{{term}}}{{k^2}}"
    return PLACE**-monomial.order * log(PLACE) ** monomial.logs, value, name


def _sum() -> Stated:
    size, value, name = _leading(1 / ANY_LAYER**2, "1")
    return Size(size, PLACE, 1 / PLACE, name=name), Equality(value, 1 / DECAY, name=rf"\lim l{name}")


def _sum_with_log() -> Stated:
    """kappa_1 = 1 and alpha = 1, 2, ...: the sum over k of (kappa_1 log k - M)/k^2."""
    size, value, name = _leading((LOGS * log(ANY_LAYER) - A) / ANY_LAYER**2, r"\kappa_1\log k-M")
    positive = Inequality(value.subs(LOGS, 1), ">", ZERO, DECAY, Rational(1, 10), Integer(10), "C_1")
    return Size(size, PLACE, log(PLACE) / PLACE, name=name), positive


def contraction() -> Sequence:
    """The largest solution from a_1 = a."""
    past = LAYER - 1
    value = A * ALPHA**past + K * exp(-BETA) * (ALPHA**past - exp(-BETA * past)) / (ALPHA - exp(-BETA))
    return Sequence("a_l", value, LAYER, ALPHA * BEFORE + K * exp(-BETA * LAYER), BEFORE, A)


def _distance() -> Stated:
    """L = theta^2/2, C = 1, T = 2, eta = 1/10: (e^(-2) - (9/10)^20) theta_0 against eta C', C' = (C T/2) e^(CT)."""
    start, step = Symbol("theta_0", positive=True), Rational(1, 10)
    distance = (exp(-2) - Rational(9, 10) ** 20) * start
    name = r"|\theta_{k\eta}-\hat\theta_k|"
    same, with_start = (Inequality(distance, "<=", step * exp(2) * size, start, ONE, Integer(10) ** 6, name)
                        for size in (ONE, start))  # fmt: skip
    return (Mistaken(same, with_start),)


def _step() -> Stated:
    """L = theta, C = 0: |theta_k - theta_0| = k eta.  L = theta^2/2, eta = 1/10, theta_0 = 1: 1 - (9/10)^k."""
    steps = Symbol("k", positive=True)
    name = r"|\hat\theta_k-\theta_0|"
    linear = Inequality(steps / 10, "<=", (steps - 1) / 10, steps, ONE, Integer(20), name)
    x = Rational(1, 10)
    right = Inequality(1 - (1 - x) ** steps, "<", (1 + x) ** steps - 1, steps, Integer(2), Integer(20), name)
    return (Mistaken(linear, right),)


def chain_rule(share: Expr, name: str) -> Stated:
    """Outputs theta_1^2 theta_2 and theta_1 + theta_2^3, theta_1 theta_2 at x, `share` of the losses (z - y)^4/4."""
    theta = symbols("theta_1 theta_2", real=True)
    one, two = theta
    trained, at_x, targets = (one**2 * two, one + two**3), one * two, symbols("y_1 y_2", real=True)
    total = share * sum((f - y) ** 4 / 4 for f, y in zip(trained, targets, strict=True))
    moved = sum(-diff(total, p) * diff(at_x, p) for p in theta)
    printed = -share * sum(sum(diff(at_x, p) * diff(f, p) for p in theta) * (f - y) ** 3
                                    for f, y in zip(trained, targets, strict=True))  # fmt: skip
    return (Equality(moved.expand(), printed, name=name),)


def error_norm(second: Expr, along: Expr) -> Expr:
    """|f_t - Y| for K = diag(1, second), N = 2, f_0 - Y = (1, along)."""
    decay = diag(exp(-TIME / 2), exp(-second * TIME / 2))
    error = decay * Matrix([1, along])
    return sqrt(error.dot(error))


def _trainable() -> Stated:
    """K = I; and K = diag(1, 0) from f_0 - Y = (1, 0), which has no part in the null space, and from (1, 1/10)."""
    name = r"\lim\|f_t(\mathcal X)-\mathcal Y\|"
    none, some = (Inequality(limit(error_norm(ZERO, part), TIME, oo), ">", ZERO, TIME, ONE, ONE, name)
                  for part in (ZERO, Rational(1, 10)))  # fmt: skip
    regular = Limit(error_norm(ONE, ONE), TIME, oo, ZERO, r"\|f_t(\mathcal X)-\mathcal Y\|")
    return regular, Mistaken(none, some)


def _lower_bound() -> Stated:
    """The same starts, against C = 1/100."""
    place, name = (TIME, ZERO, Integer(40)), r"\|f_t(\mathcal X)-\mathcal Y\|"
    none, some = (Inequality(error_norm(ZERO, part), ">", Rational(1, 100), *place, name)
                  for part in (ZERO, Rational(1, 10)))  # fmt: skip
    return (Mistaken(none, some),)


def _constant_kernel() -> Stated:
    """K(x, X) = delta 1 at two test points: what is learnt, any N x N matrix in the place of e^(-Kt/N)."""
    size, delta = Symbol("N", integer=True, positive=True), Symbol("delta", positive=True)
    kernel, decayed = MatrixSymbol("K", size, size), MatrixSymbol("E", size, size)
    error, ones = MatrixSymbol("e", size, 1), MatrixSymbol("u", size, 1)
    rows = [MatrixSymbol(name, 1, size) for name in ("k_x", "k_y")]
    learnt = (row * kernel.I * (sympy.Identity(size) - decayed) * error for row in rows)
    return (MatrixEquality(*learnt, where=tuple((row, delta * ones.T) for row in rows)),)


def _euler_step() -> Stated:
    """An Euler step of length eta of the diffusion, with a symmetric root of Sigma."""
    theta, slope, normal = (Matrix(symbols(f"{name}_1:3", real=True)) for name in ("theta", "g", "z"))
    a, b, c = symbols("s_11 s_12 s_22", real=True)
    root = Matrix([[a, b], [b, c]])
    step = theta - ETA * slope + sqrt(ETA / S) * root * (sqrt(ETA) * normal)
    update = theta - ETA * slope + ETA / sqrt(S) * root * normal
    return (Equality(step, update, name=r"\theta_{t+\eta}"),)


def _ito() -> Stated:
    """The mean growth of f = theta_1^2 theta_2 in a step of length h, to first order; a training output, N = 1."""
    theta, h = symbols("theta_1 theta_2", real=True), Symbol("h", positive=True)
    normal, slope = symbols("z_1 z_2", real=True), Symbol("p", real=True)
    a, b, c = symbols("s_11 s_12 s_22", real=True)
    root, output = Matrix([[a, b], [b, c]]), theta[0] ** 2 * theta[1]
    trained = theta[0] + theta[1] ** 2
    noise = sqrt(ETA / S) * root * Matrix(normal)
    moved = {p: p - h * slope * diff(trained, p) + sqrt(h) * n for p, n in zip(theta, noise, strict=True)}
    growth = diff(mean(output.subs(moved, simultaneous=True), *normal).expand(), h).subs(h, 0)
    kernel = sum(diff(output, p) * diff(trained, p) for p in theta)
    hessian = Matrix(2, 2, lambda i, j: diff(output, theta[i], theta[j]))
    printed = -kernel * slope + ETA / S / 2 * (root * hessian * root).trace()
    return (Equality(growth, printed, name=r"E[df_t(x)]/dt"),)


def _memory(rate: Expr) -> Expr:
    """The integral of e^(-kappa (t - s)) e^(rate s) over s."""
    return (exp(rate * TIME) - exp(-RATE * TIME)) / (RATE + rate)


def _solution() -> Stated:
    """Gamma_s = Gamma e^(ps), dW_s = w e^(rs) ds: the sign of Gamma."""
    pull, swing = ETA / (2 * S) * GAMMA, sqrt(ETA / S) * NOISE
    quiet = trained(RATE).values[F]
    printed, true = ({F: quiet + sign * pull * _memory(P) + swing * _memory(R)} for sign in (-1, 1))
    slope = -RATE * (F - Y) + pull * exp(P * TIME) + swing * exp(R * TIME)
    return (Evolution(printed, {F: slope}, {F: F0}, TIME, {F: "f_t"}, true),)


def _solution_at_test_point() -> Stated:
    """Its three terms, each for its own part of the equation: an s that nothing binds, a sign, t for t - s."""
    pull, swing, past = ETA / (2 * S), sqrt(ETA / S), TIME - Symbol("s", positive=True)
    return (
        at_test_point(RATE, CROSS, CROSS / RATE * (1 - exp(-RATE * past))),
        _forced(pull, (GAMMA, GAMMA_X), P, lambda plain, past: past - plain, "Z_t(x)"),
        _forced(swing, (NOISE, NOISE_X), R, lambda plain, past: plain - plain * exp(-RATE * TIME), "R_t(x)"),
    )


def _forced(unit: Expr, forces: tuple, rate: Expr, printed: Callable, name: str) -> Evolution:
    """What forces e^(rate s) at the training point and at x add; `printed`, what stands beside -K(x, X)/K."""
    trained, at_x = forces
    plain, past = (exp(rate * TIME) - 1) / rate, _memory(rate)
    paths = [unit * (at_x * plain - CROSS / RATE * trained * part) for part in (printed(plain, past), plain - past)]
    wrong, true = ({F: unit * trained * past, G: path} for path in paths)
    slopes = {F: -RATE * F + unit * trained * exp(rate * TIME), G: -CROSS * F + unit * at_x * exp(rate * TIME)}
    return Evolution(wrong, slopes, {F: ZERO, G: ZERO}, TIME, {F: "f_t", G: name}, true)


TRAINING: Ledger = {
    "HDR.AL5": _lemma5,
    "HDR.AL5.prod": _product,
    "HDR.AL5.sum": _sum,
    "HDR.AL6": _lemma6,
    "HDR.AL6.sum": _sum_with_log,
    # a_l = 2 (1/2)^l: at l = 0 it says 2 <= 1.
    "HDR.AL4": lambda: (Mistaken(
        Inequality(2 * exp(-PLACE * log(2)), "<=", exp(-PLACE / 100), PLACE, ZERO, Integer(10), "2^{1-l}"),
        contraction()),),
    "HDR.AL1": _distance,
    "HDR.AL1.step": _step,
    "HDR.eq3": lambda: chain_rule(Rational(1, 2), r"\frac{df_t(x)}{dt}"),
    "HDR.L1.iff": _trainable,
    "HDR.L1.lower": _lower_bound,
    "HDR.S3.const": _constant_kernel,
    "HDR.S5.sde": _euler_step,
    "HDR.S5.ito": _ito,
    "HDR.S5.34": _solution,
    "HDR.S5.35": _solution_at_test_point,
}  # fmt: skip
