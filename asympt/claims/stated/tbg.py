"""Printed formulas of the slides on Tirer, Bruna and Giryes: closed forms, bounds on slopes, smoothness."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product

import sympy
from sympy import Expr, Integer, MatrixSymbol, Rational, Symbol, diff, exp, integrate, oo, pi, simplify, sqrt, symbols

from asympt.architectures.feedforward import FeedForward
from asympt.architectures.resnet import BlockResNet
from asympt.claims.deciders import tbg as bounds
from asympt.claims.deciders.tbg import RUNS, WIDTHS, jacobian_around, trained
from asympt.claims.stated.comparisons import Datum, Inequality, Measured
from asympt.claims.stated.equalities import Equality, Evolution, Expectation
from asympt.claims.stated.hdr import maps
from asympt.claims.stated.matrices import MatrixEquality
from asympt.claims.stated.statement import ALGEBRA, Ledger, Mistaken, Stated
from asympt.training.smoothness import largest_alpha, mlp_bound, residual_bound, width_needed

ALPHA, WIDTH, INPUTS = symbols("alpha n d", positive=True)
DEPTH = Symbol("L", integer=True, positive=True)  # powers of fractions with another exponent take SymPy a minute
SIGMA_W, SIGMA_V, C_PHI = symbols("sigma_w sigma_v C_phi", positive=True)
A, B, C, V = symbols("a b c v", positive=True)
X, W = symbols("x omega", real=True)
ONE, ZERO = Integer(1), Integer(0)


def _closed_forms() -> Stated:
    """T and T' as functions of c: what they are at c = 0, and dT/dc = T', dT'/dc by Price's theorem.

    For ReLU dT'/dc is the density of the two variables at 0; for erf T' itself is an integral that SymPy has.
    """
    value, slope = symbols("T D", real=True)
    names = {value: r"\mathcal T", slope: r"\dot{\mathcal T}"}
    theta = sympy.acos(C / sqrt(A * B))
    height = sqrt(A * B) / (2 * pi) * (sympy.sin(theta) + (pi - theta) * sympy.cos(theta))
    relu = {value: height, slope: (pi - theta) / (2 * pi)}
    ranges = {"c": (Rational(1, 100), Rational(1, 20))}  # below sqrt(a b)
    rise = {value: slope, slope: 1 / (2 * pi * sqrt(A * B - C**2))}
    mean = integrate(X * exp(-(X**2) / 2) / sqrt(2 * pi), (X, 0, oo))  # E relu(z) of a standard z
    first = Evolution(relu, rise, {value: mean**2 * sqrt(A * B), slope: Rational(1, 4)}, C, names, ranges=ranges)
    erf = 2 / pi * sympy.asin(2 * C / sqrt((1 + 2 * A) * (1 + 2 * B)))
    second = Evolution({value: erf}, {value: _mean_of_slopes()}, {value: ZERO}, C, names, ranges=ranges)
    return first, second


def _mean_of_slopes() -> Expr:
    """E[erf'(z_1) erf'(z_2)]: the integral of e^(-(p x^2 + 2 r x y + s y^2)), one variable after the other."""
    det, weight = A * B - C**2, Symbol("p", positive=True)
    line = integrate(exp(-weight * X**2), (X, -oo, oo))
    p, r, s = 1 + B / (2 * det), -C / (2 * det), 1 + A / (2 * det)
    square = (4 / pi * line.subs(weight, s) * line.subs(weight, p - r**2 / s)) ** 2 / (4 * pi**2 * det)
    return 4 / pi / sqrt(simplify(16 / pi**2 / square))


def _pulled_out() -> Stated:
    """E[phi^2(g)] of variance v for ReLU and for erf, in closed form."""
    relu = Equality(V / 2, SIGMA_W**2 * (V / SIGMA_W**2) / 2, name=r"E[\mathrm{relu}^2(g)]")

    def square(variance: Expr) -> Expr:
        return 2 / pi * sympy.asin(2 * variance / (1 + 2 * variance))

    erf = Equality(square(V), SIGMA_W**2 * square(V / SIGMA_W**2), name=r"E[\mathrm{erf}^2(g)]")
    return relu, Mistaken(erf, relu)


def _loss_decay() -> Stated:
    """One step of the fastest mode at the largest rate.

    The slowest mode has the factor 1 - eta_0 lambda_min = -(1 - eta_0 lambda_max).
    """
    low, high, rate = symbols("lambda_min lambda_max eta_0", positive=True)
    spread = Symbol("g", nonnegative=True)
    where, ranges = {rate: 2 / (low + high), high: low + spread}, {"g": (ZERO, Integer(4))}
    printed, right = (Inequality((1 - s * rate * high) ** 2, "<=", 1 - rate * low / 3, ranges=ranges, where=where)
                      for s in (2, 1))  # fmt: skip
    return (Mistaken(printed, right),)


K, R_0, LOWEST = symbols("K R_0 lambda_min", positive=True)


def _moved() -> Stated:
    """What random networks do, and, for the printed =, f = 2 theta, whose kernel never moves."""
    travel = Measured(r"\sum_j\|\theta_j-\theta_{j-1}\|_2", 3 * K * R_0 / LOWEST, lambda: _rows("travel"), "<=",
                      text="distance travelled", together="distance travelled by a network")  # fmt: skip
    linear = Datum("f = 2 theta, whose kernel is constant: change of the NTK", {K: 2, R_0: 1, LOWEST: 4, WIDTH: 1}, 0,
                   ALGEBRA)  # fmt: skip
    change = Measured(r"\sup_t\|\hat\Theta_t-\hat\Theta_0\|_F", 6 * K**3 * R_0 / LOWEST / sqrt(WIDTH),
                      lambda: (linear, next(_rows("kernel"))), text="change of the NTK")  # fmt: skip
    right = replace(change, rows=lambda: _rows("kernel"), sign="<=", together="change of the NTK of a network")
    return travel, Mistaken(change, right)


def _rows(measured: str) -> Iterator[Datum]:
    for width, seed in product(WIDTHS, range(RUNS)):
        run = {name: float(value[seed]) for name, value in trained(width).items()}
        letters = {K: run["K"], R_0: run["R_0"], LOWEST: run["lambda_min"], WIDTH: width}
        yield Datum(f"n = {width}, network {seed}", letters, run[measured])


ENDS = 2 * (1 + 2 * sqrt(WIDTH / INPUTS))
B_RES = ENDS * (1 + 9 * ALPHA * C_PHI) ** DEPTH
B_MLP = ENDS * C_PHI * (3 * C_PHI) ** (DEPTH - 1)
RIGHT_RES = residual_bound(DEPTH, ALPHA, WIDTH, INPUTS, SIGMA_W, SIGMA_V, C_PHI)
RIGHT_MLP = mlp_bound(DEPTH, WIDTH, INPUTS, SIGMA_W, C_PHI)
TAIL, MOVED, MORE = symbols("t C p", positive=True)


def _inside(name: str, text: str, size: int) -> Measured:
    """The share of 2000 matrices, `size` x 24, inside both bounds."""

    def rows() -> Iterator[Datum]:
        for tail, found in bounds.inside(size).items():
            yield Datum(f"share of {bounds.DRAWS} matrices inside, {size} x 24, $t = {tail}$", {TAIL: tail}, found)

    return Measured(name, 1 - 2 * exp(-(TAIL**2) / 2), rows, ">=", text=text)


def _operator_norms() -> Stated:
    """W_0 by the lemma; W_t and V, U, and w, with sqrt(n) = t + C + p: from the width on that the toolkit asks for."""
    root, wide = sqrt(WIDTH), sqrt(INPUTS)
    sides = ((2 * root + TAIL + MOVED, 3 * root), (wide + root + TAIL + MOVED, wide + 2 * root),
             (root + TAIL + MOVED, 2 * root))  # fmt: skip
    where = {WIDTH: (simplify(sqrt(width_needed(TAIL, MOVED))) + MORE) ** 2}
    drawn = _inside(r"P\bigl(\|W_0^{(l)}\|_2\le2\sqrt n+t\bigr)", "probability of the bound", 24)
    arithmetic = (Inequality(left, "<=", right, where=where) for left, right in sides)
    return drawn, *arithmetic


def _slope(name: str, bound: Expr, scales: str, network: Callable, true: Expr) -> Measured:
    """Random networks at a large scale and at 1."""
    at = {WIDTH: bounds.NEURONS, INPUTS: bounds.NEURONS, DEPTH: bounds.BLOCKS, C_PHI: 1, ALPHA: 1}

    def rows() -> Iterator[Datum]:
        for s in (bounds.LARGE, 1):
            letters = {**at, SIGMA_W: s, SIGMA_V: s}
            yield Datum(f"{bounds.TITLE}, {scales.format(s)}", letters, bounds.steepest(network(s)))

    shown = rf"\Bigl\|\frac{{\partial f_{{{name}}}}}{{\partial x}}\Bigr\|_2"
    return Measured(shown, bound, rows, "<=", text=f"|df_{name}/dx|", true=true)


def _residual_slope() -> Stated:
    """Random networks, the norms in the middle, and the product of all norms."""
    slope = _slope("res", B_RES, "$sigma_w = sigma_v = {}$, $alpha = 1$",
                   lambda s: BlockResNet("relu", sigma_v=s, sigma_w=s), RIGHT_RES)  # fmt: skip
    root = sqrt(WIDTH)

    def middle() -> Iterator[Datum]:
        at = {WIDTH: bounds.NEURONS}
        yield Datum("two Gaussian matrices, $n = 64$: $|V| |W|/n$", at, bounds.middle())
        yield Datum("its limit for wide matrices, 2 times 2 (Bai and Yin 1993)", at, 4, ALGEBRA)

    norms = Measured(r"\|V\|_2\|W\|_2/n", 3 * root * root / WIDTH, middle, "<=", text="|V| |W|/n", true=Integer(9))
    factor = 1 + C_PHI * ALPHA * SIGMA_V * SIGMA_W / WIDTH * (3 * root) * (3 * root)
    product = SIGMA_W * 2 * root * (sqrt(INPUTS) + 2 * root) / sqrt(WIDTH * INPUTS) * factor**DEPTH
    return slope, norms, Equality(product, B_RES, true=RIGHT_RES, name=r"\text{product of the norms}")


def _plain_slope() -> Stated:
    root = sqrt(WIDTH)
    layers = SIGMA_W / root * 2 * root * C_PHI * (SIGMA_W / root * 3 * root * C_PHI) ** (DEPTH - 1)
    product = layers * SIGMA_W / sqrt(INPUTS) * (sqrt(INPUTS) + 2 * root)
    slope = _slope("MLP", B_MLP, "$sigma_w = {}$", lambda s: FeedForward("relu", sigma_w=s), RIGHT_MLP)
    return slope, Equality(product, B_MLP, true=RIGHT_MLP, name=r"\text{product of the norms}")


def _ratio() -> Stated:
    """The ratio; the stated alpha; that the general ratio is 1 at the general one and increases: at most 1 below."""
    printed = (1 + 9 * ALPHA) ** DEPTH / 3 ** (DEPTH - 1)
    general = (1 + 9 * ALPHA * C_PHI) ** DEPTH / (3 ** (DEPTH - 1) * C_PHI**DEPTH)
    threshold = (3 ** (1 - 1 / DEPTH) - 1) / 9
    return (
        Equality(B_RES / B_MLP, printed, true=general, name=r"B_{res}/B_{MLP}"),
        Equality(largest_alpha(DEPTH), threshold, name=r"\alpha\text{ at }B_{res}=B_{MLP},\ C_\phi=1"),
        Equality(general.subs(ALPHA, largest_alpha(DEPTH, C_PHI)), ONE),
        Inequality(diff(general, ALPHA), ">", ZERO),
    )


def _alpha_at_any_depth() -> Stated:
    """In u = 1/L: from L = 3 on, and not at L = 1, 2."""
    u = Symbol("u", real=True)
    printed = Inequality(Rational(1, 10), "<=", (3 ** (1 - u) - 1) / 9, u, ZERO, ONE)
    return Mistaken(printed, replace(printed, high=Rational(1, 3))), replace(printed, sign=">", low=Rational(1, 2))


def _measure() -> Stated:
    """Any number of training points and of further centres, with coefficients c and e.

    Both squares of norms scale by s^2.  |f|^2 - |f_Gauss|^2 is the form of the Schur complement in e, which is the
    whole form at (-A^-1 B^T e, e), positive for e != 0; so mu <= 1.
    """
    s = Symbol("s", positive=True)
    n, m = (Symbol(name, integer=True, positive=True) for name in "nm")
    inner, outer, mixed = MatrixSymbol("A", n, n), MatrixSymbol("D", m, m), MatrixSymbol("B", m, n)
    first, rest = MatrixSymbol("c", n, 1), MatrixSymbol("e", m, 1)

    def whole(at: sympy.MatrixExpr, rest: sympy.MatrixExpr = rest) -> sympy.MatrixExpr:
        return at.T * inner * at + at.T * mixed.T * rest + rest.T * mixed * at + rest.T * outer * rest

    def least(at: sympy.MatrixExpr, rest: sympy.MatrixExpr = rest) -> sympy.MatrixExpr:
        values = inner * at + mixed.T * rest  # on the training points
        return values.T * inner.I * values

    schur = rest.T * outer * rest - rest.T * mixed * inner.I * mixed.T * rest
    return (
        *(MatrixEquality(form(s * first, s * rest), s**2 * form(first), (inner, outer)) for form in (least, whole)),
        MatrixEquality(whole(first) - least(first), schur, (inner, outer)),
        MatrixEquality(whole(-inner.I * mixed.T * rest), schur, (inner, outer)),
    )


def _fourier_norm() -> Stated:
    """Two centres at a distance u in one dimension; one centre in two, where f = K has the norm 1."""
    width, apart = symbols("h u", positive=True)
    one, two = symbols("a_1 a_2", real=True)
    spectrum = integrate(exp(-(X**2) / (2 * width**2) - sympy.I * W * X), (X, -oo, oo))  # F K
    transform = one + two * exp(-sympy.I * W * apart)  # F f/F K, centres 0 and u
    density = (transform * sympy.conjugate(transform) * spectrum).expand()  # |F f|^2/F K, F K being real
    integral = simplify(sum(integrate(term, (W, -oo, oo)) for term in density.args))
    norm = sqrt(one**2 + two**2 + 2 * one * two * exp(-(apart**2) / (2 * width**2)))
    plane = integrate(spectrum, (W, -oo, oo)) ** 2  # d = 2, f = K(., x_0): int F K dw, a product
    return (
        Equality(norm, integral / (2 * pi), true=sqrt(integral / (2 * pi))),
        Equality(ONE, plane / (2 * pi) ** Rational(1, 2), true=sqrt(plane / (2 * pi) ** 2)),
    )


def _shape_of_the_first_weights() -> Stated:
    """U x needs as many columns of U as x has entries."""
    n, d = (Symbol(name, integer=True, positive=True) for name in "nd")
    x = MatrixSymbol("x", d, 1)
    printed, true = (Equality(MatrixSymbol("U", *shape).shape[1], x.shape[0], name=r"\text{columns of }U")
                     for shape in ((d, n), (n, d)))  # fmt: skip
    return (Mistaken(printed, true),)


def _readout() -> Stated:
    """g^(L+1) by its definition beside the output; the covariance of the output at L = 0, widths two and three."""
    found = []
    for width in (2, 3):
        stream, weights = symbols(f"x_1:{width + 1}", real=True), symbols(f"w_1:{width + 1}", real=True)
        output = sum(w * at for w, at in zip(weights, stream, strict=True))
        scaled = SIGMA_W / sqrt(width) * output
        found.append(Equality(scaled, output, true=scaled, name="g^{(L+1)}(x)"))
        square, second = (maps.mean(value**2, *weights, *stream) for value in (output, scaled))
        found.append(Equality(second, square, name=rf"E[f(x)^2]\big|_{{n={width},\ \|x\|^2=d}}"))
    return tuple(found)


def _stream() -> Stated:
    """E x_i^(0)(x) x_i^(0)(x'), with the definition on the left, for two and for three inputs."""
    found = []
    for size in (2, 3):
        x, other, weights = (symbols(f"{name}_1:{size + 1}", real=True) for name in ("x", "y", "U"))
        one, two = (sum(u * a for u, a in zip(weights, at, strict=True)) / sqrt(size) for at in (x, other))
        inner = sum(a * b for a, b in zip(x, other, strict=True)) / size
        name = rf"E[x_i^{{(0)}}(x)x_i^{{(0)}}(\tilde x)]\big|_{{d={size}}}"
        found.append(Equality(maps.mean(one * two, *weights), SIGMA_W**2 * inner, true=inner, name=name))
    return tuple(found)


def _domain() -> Stated:
    """Variances for any Sigma, and for Sigma = B B^T, row one (a, b), row two (c, d); z + z^2 of three variables."""
    same, between, other = symbols("Sigma_11 Sigma_12 Sigma_22", real=True)
    a, b, c, d = symbols("a b c d", real=True)
    root, stated = {same: a**2 + b**2, between: a * c + b * d, other: c**2 + d**2}, []
    variances = (("z_1-z_2", same + other - 2 * between, (a - c) ** 2 + (b - d) ** 2), ("z_1", same, a**2 + b**2))
    for inside, variance, squares in variances:
        name = f"E[({inside})^2]"
        printed = Inequality(variance, ">=", Integer(0), name=name)
        right = Inequality(squares, ">=", Integer(0), name=rf"{name}\big|_{{\Sigma=BB^T}}")
        stated += [Mistaken(printed, right), Equality(variance.subs(root), squares)]
    z, (u, v, w) = symbols("z_1:4"), symbols("Sigma_13 Sigma_23 Sigma_33")
    rows, product = [[same, between, u], [between, other, v], [u, v, w]], (z[0] + z[0] ** 2) * (z[1] + z[1] ** 2)
    block = Expectation(product, z[:2], [row[:2] for row in rows[:2]])
    return (*stated, Equality(Expectation(product, z, rows), block.doit()))


def _jacobian() -> Stated:
    """The columns of J; |J| far from the start; and, within C = 1 of it, both inequalities with K = 4."""

    def rows(kind: str) -> Callable[[], Iterable[Datum]]:
        return lambda: (Datum(f"$n = {width}$, $d = 3$, four points", {WIDTH: width, INPUTS: 3},
                              jacobian_around(width)[kind]) for width in (64, 256))  # fmt: skip

    count = (INPUTS + 1) * WIDTH
    columns = Measured(r"\text{columns of }J(\theta)", WIDTH, rows("columns"), text="columns of J", true=count)
    bound = Integer(4)
    far, near = (Measured(r"\|J(\theta)\|_F", bound, rows(kind), "<=", text="|J(theta)|") for kind in ("far", "near"))
    name, text = r"\frac{\|J(\theta)-J(\tilde\theta)\|_F}{\|\theta-\tilde\theta\|_2}", "|J - J'| over |theta - theta'|"
    moved = Measured(name, bound, rows("quotient"), "<=", text=text)
    return columns, Mistaken(far, near), moved


TBG: Ledger = {
    "TBG.output": _readout,
    "TBG.x0": _stream,
    "TBG.T.domain": _domain,
    "TBG.jacobian": _jacobian,
    "TBG.U": _shape_of_the_first_weights,
    "TBG.T.relu": _closed_forms,
    "TBG.nngp.step": _pulled_out,
    "TBG.inv.loss": _loss_decay,
    "TBG.inv.weights": _moved,
    "TBG.rmt": lambda: (_inside(
        r"P\bigl(\sqrt m-\sqrt n-t\le\sigma_{\min}\le\sigma_{\max}\le\sqrt m+\sqrt n+t\bigr)",
        "probability of both bounds", 48),),
    "TBG.opnorms": _operator_norms,
    "TBG.Bres": _residual_slope,
    "TBG.Bres.mono": lambda: (Mistaken(*(Inequality(diff(B_RES, ALPHA), sign, ZERO) for sign in ("<", ">"))),),
    "TBG.Bmlp": _plain_slope,
    "TBG.ratio": _ratio,
    "TBG.alpha-bound": _alpha_at_any_depth,
    "TBG.mu": _measure,
    "TBG.rkhs": _fourier_norm,
}  # fmt: skip
