"""Printed formulas of the slides on Jacot, Gabriel and Hongler as objects: gradients, counts, training."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from sympy import Integer, Matrix, Rational, exp, eye, sqrt, symbols, tanh

from asympt.claims.finite_width.updates import falls
from asympt.claims.stated.equalities import Equality, Evolution
from asympt.claims.stated.measured import Datum, Measured
from asympt.claims.stated.statement import StatedFormula

Stated = tuple[StatedFormula, ...]


def _function_space() -> Stated:
    """f = v tanh(w x), two training points, the loss (f - y)^2/2: df/dt by the chain rule over the parameters."""
    v, w, x = symbols("v w x", real=True)
    points, targets = symbols("x_1 x_2", real=True), symbols("y_1 y_2", real=True)

    def gradient(at) -> Matrix:
        return Matrix([v * tanh(w * at)]).jacobian([v, w])

    errors = [v * tanh(w * at) - y for at, y in zip(points, targets, strict=True)]
    loss = sum(error**2 for error in errors) / 2
    moving = -(gradient(x) * Matrix([loss]).jacobian([v, w]).T)[0]
    printed = -sum((gradient(x) * gradient(at).T)[0] * error for at, error in zip(points, errors, strict=True))
    return (Equality(moving, printed, name=r"\partial_tf_\theta(x)"),)


def _parameters() -> Stated:
    """Two networks of three layers, their arrays counted."""
    sizes = symbols("d_0 d_1 d_2 d_3", positive=True)

    def rows() -> tuple[Datum, ...]:
        found = []
        for widths in ((3, 5, 2, 1), (4, 8, 8, 1)):
            arrays = [part for one, two in pairwise(widths) for part in (np.empty((two, one)), np.empty(two))]
            entries = sum(array.size for array in arrays)
            letters = dict(zip(sizes, widths, strict=True))
            found.append(Datum(f"entries of all $W$ and $b$, widths {widths}", letters, entries))
        return tuple(found)

    weights = sum(one * two for one, two in pairwise(sizes))
    return (Measured("P", weights, rows, text="P, three layers", true=weights + sum(sizes[1:])),)


def _base_case() -> Stated:
    """Two outputs of a linear layer on three inputs: the products of their gradients."""
    w, x, other = Matrix(2, 3, symbols("w:6")), Matrix(symbols("x:3")), Matrix(symbols("y:3"))

    def gradients(at: Matrix) -> Matrix:
        return (w * at / sqrt(3)).jacobian(list(w))

    product = (x.T * other)[0] / 3
    found = gradients(x) * gradients(other).T
    return (Equality(found, product * eye(2), name=r"\Theta^{(1)}\big|_{d_0=3}"),)


def _misprinted_exponent() -> Stated:
    """One training point: with Theta(x, X) = k in the exponent, as printed, and with Theta(X, X) = K."""
    kernel, cross, first, start, target, time = symbols("K k f_0 g_0 y t", positive=True)
    f, g = symbols("f g", real=True)
    fades, names = exp(-kernel * time), {f: r"f_t(\mathcal X)", g: "f_t(x)"}

    def values(exponent) -> dict:
        """f_t(x) = f_0(x) - int_0^t k e^(-exponent s) (f_0 - y) ds."""
        moved = cross / exponent * (1 - exp(-exponent * time)) * (first - target)
        return {f: fades * first + (1 - fades) * target, g: start - moved}

    slopes, starts = {f: -kernel * (f - target), g: -cross * (f - target)}, {f: first, g: start}
    return (Evolution(values(cross), slopes, starts, time, names, true=values(kernel)),)


def _rate(power: Rational) -> Stated:
    """The fitted power of the width, five standard errors included."""
    return (Measured(r"\text{power of }n\text{ in }\max_t|\Theta_t-\Theta_0|", power, lambda: (Datum(*falls()),), "<=",
                     text="power of n in max |Theta_t - Theta_0|"),)  # fmt: skip


JGH: dict[str, Callable[[], Stated]] = {
    "JGH.flow": _function_space,
    "JGH.P": _parameters,
    "JGH.base": _base_case,
    "JGH.test-III": _misprinted_exponent,
    "JGH.T4": lambda: _rate(Integer(0)),
    "JGH.T4.rate": lambda: _rate(Rational(-1, 2)),
}
