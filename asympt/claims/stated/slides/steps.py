"""Printed formulas of the slides on Jacot, Gabriel and Hongler, and those of XPS and TBG between their theorems."""

from collections.abc import Callable
from itertools import pairwise

from sympy import Integer, Matrix, Rational, Symbol, diff, eye, sqrt, symbols

from asympt.claims.finite_width.tbg import jacobian_around
from asympt.claims.finite_width.updates import falls
from asympt.claims.scopes import attractor, named, number, several_chaotic, state
from asympt.claims.stated.comparisons import Datum, Inequality, Measured
from asympt.claims.stated.equalities import Equality, Expectation
from asympt.claims.stated.hdr.maps import mean
from asympt.claims.stated.hdr.training import chain_rule
from asympt.claims.stated.kernels import SIGMA_W, WIDTH
from asympt.claims.stated.statement import ALGEBRA, Ledger, Mistaken, Stated

SIZES = symbols("d_0 d_1 d_2 d_3", positive=True)
WEIGHTS = sum(one * two for one, two in pairwise(SIZES))
BEFORE, INPUTS = Symbol("c^{(l)}", real=True), Symbol("d", positive=True)


def _dissimilar() -> Stated:
    """c^(l+1) against c^(l) in three chaotic networks, from c^(l) = 0, below c*, and from halfway between c* and 1."""

    def rows(*starts: str) -> Callable[[], tuple[Datum, ...]]:
        def made() -> tuple[Datum, ...]:
            found = []
            for net in several_chaotic():
                gaps = {"0": 1.0, "above": attractor(net)[0] / 2}
                found += [Datum(f"{named(net)}, $c^((l)) = {1 - gaps[k]:.4g}$", {BEFORE: 1 - gaps[k]},
                                1 - state(net, 2, gaps[k])[0]) for k in starts]  # fmt: skip
                orthogonal = number(net.layer.bias_variance) / number(net.variance)
                found += [Datum(f"{named(net)}, $c^((l)) = 0$: $sigma_b^2/q$, as phi is odd", {BEFORE: 0}, orthogonal,
                                ALGEBRA) for k in starts if k == "0"]  # fmt: skip
            return tuple(found)

        return made

    printed, above, below = (
        Measured("c^{(l+1)}", BEFORE, rows(*starts), sign, text="c^(l+1)")
        for starts, sign in ((("above", "0"), "<"), (("above",), "<"), (("0",), ">"))
    )
    return Mistaken(printed, above), below


def _first_kernel(inputs: int, outputs: int) -> Equality:
    """Of a linear layer: the double sum as printed, without weights that do not exist; the sum over all weights."""
    x, other = (Matrix(symbols(f"{name}_1:{inputs + 1}")) for name in ("x", "x'"))
    weights = Matrix(outputs, inputs, symbols(f"W_:{outputs * inputs}"))

    def gradients(at: Matrix, row: int, column: int) -> Matrix:
        return diff(weights * at / sqrt(inputs), weights[row, column])

    def total(rows: int, columns: int) -> Matrix:
        places = [(i, j) for i in range(min(rows, outputs)) for j in range(min(columns, inputs))]
        pairs = (gradients(x, *at) * gradients(other, *at).T for at in places)
        return sum(pairs, Matrix.zeros(outputs, outputs))

    name = rf"\Theta^{{(1)}}\big|_{{d_0={inputs},d_1={outputs}}}"
    kernel = (x.T * other)[0] / inputs * eye(outputs)
    return Equality(kernel, total(inputs, outputs), true=total(outputs, inputs), name=name)


def _readout() -> Stated:
    """g^(L+1) by its definition beside the output; the covariance of the output at L = 0, widths two and three."""
    found = []
    for width in (2, 3):
        stream, weights = symbols(f"x_1:{width + 1}", real=True), symbols(f"w_1:{width + 1}", real=True)
        output = sum(w * at for w, at in zip(weights, stream, strict=True))
        scaled = SIGMA_W / sqrt(width) * output
        found.append(Equality(scaled, output, true=scaled, name="g^{(L+1)}(x)"))
        square, second = (mean(value**2, *weights, *stream) for value in (output, scaled))
        told = Equality(second, square, name=rf"E[f(x)^2]\big|_{{n={width},\ \|x\|^2=d}}")
        found.append(told)
    return tuple(found)


def _stream() -> Stated:
    """E x_i^(0)(x) x_i^(0)(x'), with the definition on the left, for two and for three inputs."""
    found = []
    for size in (2, 3):
        x, other, weights = (symbols(f"{name}_1:{size + 1}", real=True) for name in ("x", "y", "U"))
        one, two = (sum(u * a for u, a in zip(weights, at, strict=True)) / sqrt(size) for at in (x, other))
        inner = sum(a * b for a, b in zip(x, other, strict=True)) / size
        name = rf"E[x_i^{{(0)}}(x)x_i^{{(0)}}(\tilde x)]\big|_{{d={size}}}"
        told = mean(one * two, *weights)
        found.append(Equality(told, SIGMA_W**2 * inner, true=inner, name=name))
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

    def rows(kind: str) -> Callable[[], tuple[Datum, ...]]:
        return lambda: tuple(Datum(f"$n = {width}$, $d = 3$, four points", {WIDTH: width, INPUTS: 3},
                                   jacobian_around(width)[kind]) for width in (64, 256))  # fmt: skip

    count = (INPUTS + 1) * WIDTH
    columns = Measured(r"\text{columns of }J(\theta)", WIDTH, rows("columns"), text="columns of J", true=count)
    bound = Integer(4)
    far, near = (Measured(r"\|J(\theta)\|_F", bound, rows(kind), "<=", text="|J(theta)|") for kind in ("far", "near"))
    name, text = r"\frac{\|J(\theta)-J(\tilde\theta)\|_F}{\|\theta-\tilde\theta\|_2}", "|J - J'| over |theta - theta'|"
    moved = Measured(name, bound, rows("quotient"), "<=", text=text)
    return columns, Mistaken(far, near), moved


def _rate(power: Rational) -> Stated:
    """The fitted power of the width, five standard errors included."""
    return (Measured(r"\text{power of }n\text{ in }\max_t|\Theta_t-\Theta_0|", power, lambda: (Datum(*falls()),), "<=",
                     text="power of n in max |Theta_t - Theta_0|"),)  # fmt: skip


STEPS: Ledger = {
    "XPS.dissimilar": _dissimilar,
    "JGH.base.sum": lambda: (_first_kernel(3, 2), _first_kernel(4, 1)),
    "TBG.output": _readout,
    "TBG.x0": _stream,
    "TBG.T.domain": _domain,
    "TBG.jacobian": _jacobian,
    "JGH.flow": lambda: chain_rule(Integer(1), r"\partial_tf_\theta(x)"),
    # The entries of all W and b of three layers.
    "JGH.P": lambda: (Equality(WEIGHTS + sum(SIZES[1:]), WEIGHTS, name="P"),),
    "JGH.base": lambda: (_first_kernel(3, 2).corrected(),),
    "JGH.T4": lambda: _rate(Integer(0)),
    "JGH.T4.rate": lambda: _rate(Rational(-1, 2)),
}
