"""Kernels in mpmath, with as many digits as their smallest eigenvalue needs.

Problem.  The NTK of n nearby inputs has eigenvalues 10^-20 times the largest: float64 cannot tell them from 0.

Rule.  The layers of `precise.dense`, any architecture, any phi, for every pair of inputs; eigenvalues by mpmath.  The
digits are doubled until the smallest eigenvalue, or the difference that is one, stands above them by `SHOWN` digits.
Inputs are floats, so their products are taken exactly as they are.

Tiny case.  Two inputs at gap 10^-30: kappa = 2 10^30 - 1 in layer 1.

Known limits.  N(N+1)/2 pairs by the layer, milliseconds each where E[phi phi] has a formula and seconds where not: a
budget of time ends it with an error.  What is singular to `MOST` digits counts as singular: kappa = infinity.
"""

from collections.abc import Callable, Sequence

import numpy as np
from mpmath import mp, mpf

from asympt.deadline import check_time, limited
from asympt.depth.gaps import angular_gaps
from asympt.errors import PrecisionError
from asympt.meanfield.phases import is_odd
from asympt.meanfield.statement import Statement
from asympt.numbers import to_mpf
from asympt.precise.dense import DenseStep, first_state

DIGITS, MOST, SHOWN = 40, 320, 14
BUDGET = 120.0  # seconds of processor time for one call


def machine(value) -> float:
    """An mpmath number as a float64: 0 below its range, infinity above it.

    >>> machine(mpf(10) ** -400), machine(mpf(10) ** 400)
    (0.0, inf)
    """
    if abs(value) < mpf("1e-307"):
        return 0.0
    return float("inf") if value > mpf("1.79e308") else float(value)


# ---- a matrix -------------------------------------------------------------------------------------------


def condition_of(build: Callable[[], mp.matrix]) -> float:
    """lambda_1/lambda_N of a symmetric matrix that `build` gives at mpmath's precision; infinite where it is singular.

    >>> condition_of(lambda: mp.matrix([[1, 1 - mpf(10) ** -30], [1 - mpf(10) ** -30, 1]]))
    2e+30
    """
    digits = DIGITS
    while digits <= MOST:
        with mp.workdps(digits + SHOWN):
            matrix = build()
            modes = mp.eigsy(matrix, eigvals_only=True) if matrix.rows > 1 else [matrix[0]]
            low, high = min(modes), max(modes)
            if low > len(modes) * high * mpf(10) ** (SHOWN - digits):
                return machine(high / low)
        digits *= 2
    return float("inf")


# ---- two inputs of one variance ---------------------------------------------------------------------------


def equal_kernels(statement: Statement, start: float, variance, layers: Sequence[int]) -> dict[int, tuple]:
    """{L: (gamma_L, o_L/q, (d_L - o_L)/q)} of a pair at gap `start` whose inputs have the variance q^1, as float64.

    `variance` is a float64, or None for the fixed point.

    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> from asympt.meanfield.layer import Layer
    >>> biased = Statement.residual(Layer(activation("relu"), Integer(1), Integer(1)))
    >>> equal_kernels(biased, 2.0**-60, 2.0, [1])[1][2] * 2**60
    1.0
    """
    digits = DIGITS + int(-2 * np.log10(start))
    while digits <= MOST + int(-2 * np.log10(start)):
        with limited(f"following two inputs through {max(layers)} layers in mpmath", BUDGET), mp.workdps(digits):
            q = to_mpf(statement.layer.fixed_variance) if variance is None else mpf(variance)
            found = _equal_at(statement, mpf(start), q, set(layers))
            if all(bulk > off * mpf(10) ** (SHOWN - digits) for _, off, bulk in found.values()):
                return {layer: tuple(map(machine, parts)) for layer, parts in found.items()}
        digits *= 2
    raise PrecisionError(
        f"at the gap {start:.5g} the NTK of layer {max(layers)} differs from its diagonal by less than {MOST} digits "
        "show; give a smaller depth or a larger gap"
    )


def _equal_at(statement: Statement, gap, q, layers: set[int]) -> dict[int, tuple]:
    """The same as mpmath numbers, at the current precision."""
    step, states, found = DenseStep(statement), [_at_gap(statement, g, q) for g in (mp.zero, gap)], {}
    while True:
        (layer, _, _, _, same), (_, _, _, gamma, other) = states
        if layer in layers:
            found[layer] = (gamma, other, same - other)
        if layer >= max(layers):
            return found
        check_time()
        states = [step(state) for state in states]


def _at_gap(statement: Statement, gap, q) -> tuple:
    """The state of layer 1: K^1 = r_b + r_w x.x'/d with x.x'/d = (s - b)/w."""
    first = statement.first
    ratio = to_mpf(first.weight_rate) / to_mpf(first.weight)
    kernel = to_mpf(first.bias_rate) + ratio * (q * (1 - gap) - to_mpf(first.bias))
    return 1, q, q, gap, kernel / q


# ---- inputs of any norms ----------------------------------------------------------------------------------


def condition_of_inputs(statement: Statement, inputs: np.ndarray, depth: int) -> tuple[float, float]:
    """(kappa of Sigma^L, kappa of K^L) of the rows of `inputs`; none of them is 0 unless there is a bias.

    >>> from sympy import Integer
    >>> from asympt.meanfield.activations import activation
    >>> from asympt.meanfield.layer import Layer
    >>> plain = Statement.plain(Layer(activation("relu"), Integer(2), Integer(0)))
    >>> nngp, ntk = condition_of_inputs(plain, np.array([[1.0, 0.0], [1.0, 1e-12]]), 1)
    >>> print(f"{nngp:.6e} {ntk:.6e}")
    4.000000e+24 4.000000e+24
    """
    known = {}

    def kernel(index: int) -> Callable[[], mp.matrix]:
        def build() -> mp.matrix:
            if mp.dps not in known:
                known[mp.dps] = _kernels(statement, inputs, depth)
            return known[mp.dps][index]

        return build

    what = f"following {len(inputs)} inputs through {depth} layers in mpmath (float64 cannot tell an eigenvalue from 0)"
    with limited(what, BUDGET):
        return condition_of(kernel(0)), condition_of(kernel(1))


def certainly_singular(statement: Statement, inputs: np.ndarray, depth: int) -> bool:
    """Whether Sigma and K are singular for a reason seen at once: equal inputs, parallel ones, or too many for layer 1.

    Parallel inputs count without a scale, where phi(a x) = a phi(x) for a > 0, and opposite ones (x and -x)
    for an odd phi without biases.
    """
    size, width = inputs.shape
    if len(np.unique(inputs, axis=0)) < size:
        return True
    if depth == 1 and size > width + (statement.first.bias != 0):
        return True
    if any((statement.first.bias, statement.first.bias_rate, statement.layer.bias_variance, statement.bias_rate)):
        return False
    if is_odd(statement.activation) and len(np.unique(np.vstack([inputs, -inputs]), axis=0)) < 2 * size:
        return True
    return statement.is_scale_free and bool((angular_gaps(inputs) == 0).any())


def _kernels(statement: Statement, inputs: np.ndarray, depth: int) -> tuple[mp.matrix, mp.matrix]:
    size, step = len(inputs), DenseStep(statement)
    found = mp.matrix(size, size), mp.matrix(size, size)
    for i in range(size):
        for j in range(i, size):
            state = _first(statement, inputs[i], inputs[j])
            while state[0] < depth:
                check_time()
                state = step(state)
            _, q, other, gap, kernel = state
            root = mp.sqrt(q * other)
            for matrix, value in zip(found, (root * (1 - gap), root * kernel), strict=True):
                matrix[i, j] = matrix[j, i] = value
    return found


def _first(statement: Statement, one: np.ndarray, two: np.ndarray) -> tuple:
    """The state of layer 1; a gap takes twice its digits from the products."""
    with mp.workdps(2 * mp.dps + 2 * DIGITS):
        x, y = ([mpf(float(value)) for value in row] for row in (one, two))
        products = [mp.fdot(a, b) / len(x) for a, b in ((x, x), (x, y), (y, y))]
        return first_state(statement, tuple(products))
