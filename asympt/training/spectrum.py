"""Spectra and condition numbers of the NNGP kernel and the NTK, and the laws by which they move with depth.

n inputs with equal variances and equal correlations have kernels d I + o (11^T - I), with the eigenvalues lambda_0 = d
+ (n-1) o on the vector of ones and lambda_bulk = d - o on everything orthogonal to it: kappa = n/gamma - (n-1) for the
NNGP kernel, 1 + n o/(d - o) for the NTK.  What float64 loses is followed in layers of `precise.dense`, the digits
doubled until the smallest eigenvalue stands above them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from mpmath import mp, mpf
from sympy import Expr, cancel

from asympt import depth as engine
from asympt.arrays import finite_array, real, whole
from asympt.deadline import check_time, limited
from asympt.depth.gaps import angular_gaps
from asympt.depth.parsing import depth_of, require_walkable
from asympt.depth.stack import statement_of
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions import Expansion
from asympt.meanfield.edge import is_odd, phase_of
from asympt.meanfield.layer import Statement, is_plain_network
from asympt.numbers import check_depth, check_digits, exact, is_whole, to_mpf
from asympt.parsing import as_sympy
from asympt.precise.dense import DenseStep, first_state
from asympt.recursions.law import Law
from asympt.training.kernels import EPS, ROUNDING, exact_or_array, training_kernel

# ---- kernels in mpmath, with as many digits as their smallest eigenvalue needs -----------------------------------


LEAST, MOST, SHOWN = 40, 320, 14
BUDGET = 120.0  # seconds of processor time for one call


def machine(value) -> float:
    """An mpmath number as a float64: 0 below its range, infinity above it.

    >>> machine(mpf(10) ** -400), machine(mpf(10) ** 400)
    (0.0, inf)
    """
    if abs(value) < mpf("1e-307"):
        return 0.0
    return float("inf") if value > mpf("1.79e308") else float(value)


def condition_of(build: Callable[[], mp.matrix]) -> float:
    """lambda_1/lambda_N of a symmetric matrix that `build` gives at mpmath's precision; infinite where it is singular.

    >>> condition_of(lambda: mp.matrix([[1, 1 - mpf(10) ** -30], [1 - mpf(10) ** -30, 1]]))
    2e+30
    """
    for digits in (LEAST, 2 * LEAST, 4 * LEAST, MOST):
        with mp.workdps(digits + SHOWN):
            matrix = build()
            modes = mp.eigsy(matrix, eigvals_only=True) if matrix.rows > 1 else [matrix[0]]
            low, high = min(modes), max(modes)
            if low > len(modes) * high * mpf(10) ** (SHOWN - digits):
                return machine(high / low)
    return float("inf")


# ---- two inputs of one variance ---------------------------------------------------------------------------


def equal_kernels(statement: Statement, start: float, variance, layers: Sequence[int]) -> dict[int, tuple]:
    """{L: (gamma_L, o_L/q, (d_L - o_L)/q)} of a pair at gap `start` whose inputs have the variance q^1, as float64.

    `variance` is a float64, or None for the fixed point, which is kept even where it is not stable.

    >>> from asympt import ResNet
    >>> equal_kernels(ResNet("relu", sigma_b=1).statement, 2.0**-60, 2.0, [1])[1][2] * 2**60
    1.0
    """
    fall = -np.log10(float(to_mpf(statement.layer.chi))) if variance is None else 0.0  # digits lost in a layer
    digits = LEAST + int(min(max(layers) * max(fall, 0.0), 2 * MOST) - 2 * np.log10(start))
    while True:
        with limited(f"following two inputs through {max(layers)} layers in mpmath", BUDGET), mp.workdps(digits):
            found = _equal_at(statement, mpf(start), variance, set(layers))
            seen = all(bulk > off * mpf(10) ** (SHOWN - digits) for _, off, bulk in found.values())
            if seen or digits > 2 * MOST:  # a difference that is not seen then is below float64
                return {layer: tuple(map(machine, parts)) for layer, parts in found.items()}
        digits *= 2


def _equal_at(statement: Statement, gap, variance, layers: set[int]) -> dict[int, tuple]:
    """The same as mpmath numbers, at the current precision."""
    step, found, settled = DenseStep(statement), {}, variance is None
    q = to_mpf(statement.layer.fixed_variance) if settled else mpf(variance)
    states = [step.first(at, q, q) for at in (mp.zero, gap)]
    while True:
        (layer, _, _, _, same), (_, _, _, gamma, other) = states
        if layer in layers:
            found[layer] = (gamma, other, same - other)
        if layer >= max(layers):
            return found
        check_time()
        moved = [step(state) for state in states]
        states = [(layer, q, q, *rest) for layer, _, _, *rest in moved] if settled else moved


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
    made = lru_cache(lambda digits: _kernels(statement, inputs, depth))
    what = f"following {len(inputs)} inputs through {depth} layers in mpmath (float64 cannot tell an eigenvalue from 0)"
    with limited(what, BUDGET):
        return condition_of(lambda: made(mp.dps)[0]), condition_of(lambda: made(mp.dps)[1])


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
    return statement.is_scale_free and bool((angular_gaps(inputs)[np.triu_indices(size, 1)] == 0).any())


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
    with mp.workdps(2 * mp.dps + 2 * LEAST):
        x, y = ([mpf(float(value)) for value in row] for row in (one, two))
        products = [mp.fdot(a, b) / len(x) for a, b in ((x, x), (x, y), (y, y))]
        return first_state(statement, tuple(products))


CLOSE, HOPELESS = 1e-3, 1e-9  # (d - o)/d below which float64 is not good enough, and below which it is no good at all
TRUSTED = 1e3  # times rounding: smallest eigenvalues of which float64 has three digits


def equal_spectrum(diagonal: Any, off: Any, inputs: Any) -> tuple:
    """(lambda_0, lambda_bulk) of d I + o (11^T - I): numbers, arrays or SymPy expressions.

    Source: XPS, "Spectrum NNGP": q((n-1) c + 1) and q(1 - c) for d = q, o = q c.

    >>> from sympy import symbols
    >>> q, c, n = symbols("q c n")
    >>> equal_spectrum(q, q * c, n)
    (c*q*(n - 1) + q, -c*q + q)
    """
    diagonal, off, inputs = exact_or_array(diagonal=diagonal, off=off, inputs=inputs)
    return diagonal + (inputs - 1) * off, diagonal - off


def spectrum(kernel) -> np.ndarray:
    """The eigenvalues of a kernel, largest first.

    Raises `InputError` for a matrix that is not symmetric positive semi-definite.

    >>> spectrum([[1.0, 0.5], [0.5, 1.0]])
    array([1.5, 0.5])
    """
    return np.maximum(np.linalg.eigvalsh(training_kernel(kernel))[::-1], 0.0)


def condition_number(kernel) -> float:
    """lambda_1/lambda_N, with a relative error of about 1e-16 times itself.

    Infinity where the rounding of float64 entries does not tell lambda_N from 0.  Entries that are fractions, SymPy or
    mpmath numbers are taken as they are, and lambda_N with as many digits as it needs; infinity then means singular.

    >>> print(condition_number([[1.0, 0.5], [0.5, 1.0]]))
    3.0
    >>> from fractions import Fraction
    >>> print(f"{condition_number([[Fraction(1, i + j + 1) for i in range(12)] for j in range(12)]):.6e}")
    1.713229e+16
    """
    modes = spectrum(kernel)
    if _is_resolved(modes, 1.0):
        return float(modes[0] / modes[-1])
    entries = np.asarray(kernel)
    if entries.dtype != object or not modes[0] > 0:
        return float("inf")

    def symmetric() -> mp.matrix:
        """Entries at mpmath's precision, their asymmetry averaged away."""
        matrix = mp.matrix([[to_mpf(exact(entry, "kernel")) for entry in row] for row in entries])
        return (matrix + matrix.T) / 2

    return condition_of(symmetric)


def _is_resolved(modes: np.ndarray, margin: float) -> bool:
    return bool(modes[-1] > margin * ROUNDING * len(modes) * EPS * modes[0])


def condition_numbers(
    net, depths, *, gap=None, inputs: int | None = None, X=None, variance=None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Condition numbers of the NNGP kernel and of the NTK at several depths.

    Parameters
    ----------
    net : a network that `asympt.depth.pairs` accepts.
    depths : layers L >= 1, shape (D,).
    gap, inputs : 1 - c^1 in (0, n/(n-1)] and n >= 2, for n inputs with equal correlations and the variance at its
        fixed point, if it matters; `gap` is an array of any shape.
    X : or inputs of shape (N, d), of any norms.
    variance : q^1, with `gap`, for networks whose variance has no fixed point and matters (see `asympt.depth.pairs`).
    progress : called as ``progress(done, total)`` after every depth (in the ordered phase after every gap).

    Returns (kappa of Sigma^L, kappa of K^L): float64 arrays of shape ``(D, *gap.shape)``, or (D,) for X, however large
    kappa is (infinity above 1e308).  With `gap` and a `FeedForward` network, or any architecture with a ReLU-like
    phi and no biases, to 1e-9 or better; other networks lose as many of 16 digits as kappa has up to 1e9 and none
    beyond.  With X, to 1e-3 or better; infinity where the kernel is singular: equal inputs, more of them than layer 1
    has dimensions, or an eigenvalue that 320 digits do not tell from 0.
    Raises `InputError` for neither or both of `gap` and `X`, a gap that n inputs cannot share, a depth below 1;
    `UnsupportedError` where the digits that kappa needs take more than two minutes (see `asympt.time_limit`).

    Source: XPS = slides on Xiao, Pennington and Schoenholz, "Experiments (I)".

    >>> from asympt import FeedForward
    >>> nngp, ntk = condition_numbers(FeedForward("relu"), [1, 10, 100], gap=0.5, inputs=2)
    >>> print(nngp.round(3), ntk.round(3))
    [  3.     16.549 568.849] [3.    2.222 1.77 ]
    """
    layers = _depths(depths)
    if (gap is None) == (X is None):
        raise InputError("give either gap and inputs, for equal correlations, or X, for inputs of your own")
    if X is not None:
        return _of_inputs(net, X, layers, progress)
    starts, count = _starts(gap, inputs)
    q = None if variance is None else real(variance, "variance")
    triples = _followed(net, starts.ravel(), layers, q, progress)
    gaps, off, bulk = (part.reshape(len(layers), *starts.shape) for part in triples)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        nngp = count / gaps - (count - 1)
        ntk = 1 + count * np.where(np.isinf(bulk), 0.0, off / bulk)
    return nngp, ntk


# ---- equal correlations -------------------------------------------------------------------------------


def _followed(net, starts: np.ndarray, layers: np.ndarray, variance, progress) -> tuple[np.ndarray, ...]:
    """gamma_L, o_L/q and (d_L - o_L)/q, arrays of shape (D, starts): in float64 unless too much cancels."""
    shape, plain = (len(layers), starts.size), is_plain_network(net) and variance is None
    statement = getattr(net, "statement", None)
    layer = statement.layer if plain else None
    scaleless = statement is not None and statement.is_dense and statement.is_scale_free and statement.bias_rate == 0
    if plain and not layer.is_scale_free and layer.fixed_variance == 0:
        raise UnsupportedError(
            f"the variance of {net.activation.name!r} with sigma_w = {net.sigma_w} tends to 0 and the correlation "
            "moves with it; take sigma_b > 0 or a larger sigma_w, or give variance = q^1"
        )
    shrinking = plain and not layer.is_scale_free and phase_of(layer) == "ordered"
    gaps, off, bulk = (np.full(shape, np.nan) for _ in range(3))
    for index, depth in enumerate(() if shrinking else layers):
        ends, kernels = engine.pairs(net, np.append(starts, 0.0), int(depth), variance=variance)
        with np.errstate(over="ignore", invalid="ignore"):
            difference = kernels[-1] - kernels[:-1]
            least = CLOSE if plain or scaleless else HOPELESS
            kept = np.isinf(difference) | (difference > least * kernels[-1])
        gaps[index], off[index], bulk[index] = ends[:-1], kernels[:-1], np.where(kept, difference, np.nan)
        if progress is not None:
            progress(index + 1, len(layers))
    own = 1.0 if variance is None and scaleless else variance  # without a scale any q will do
    for column, start in enumerate(starts):
        if np.isnan(bulk[:, column]).any():
            _follow(net, float(start), own, layers, (gaps[:, column], off[:, column], bulk[:, column]))
        if progress is not None and shrinking:
            progress(column + 1, starts.size)
    return gaps, off, bulk


def _follow(net, start: float, variance, layers: np.ndarray, found: tuple[np.ndarray, ...]) -> None:
    """Fill in the depths that float64 has left open, for any architecture; rates may depend on the depth."""
    rows = np.flatnonzero(np.isnan(found[2]))
    statements = {int(row): statement_of(net, int(layers[row])) for row in rows}
    for statement in set(statements.values()):
        own = [row for row in statements if statements[row] == statement]
        numbers = equal_kernels(statement, start, variance, [int(layers[row]) for row in own])
        for row in own:
            for part, value in zip(found, numbers[int(layers[row])], strict=True):
                part[row] = value


def _of_inputs(net, X, layers: np.ndarray, progress) -> tuple[np.ndarray, np.ndarray]:
    numbers = []
    for index, depth in enumerate(layers):
        numbers.append(_of_kernels(net, X, int(depth), engine.gram(net, X, depth=int(depth))))
        if progress is not None:
            progress(index + 1, len(layers))
    nngp, ntk = np.array(numbers).T
    return nngp, ntk


def _of_kernels(net, X, depth: int, kernels: tuple[np.ndarray, np.ndarray]) -> tuple[float, float]:
    """In float64 where it has the smallest eigenvalues of both, else from the inputs once more."""
    modes = [np.linalg.eigvalsh(kernel / kernel.max())[::-1] if kernel.any() else np.zeros(1) for kernel in kernels]
    if all(_is_resolved(values, TRUSTED) for values in modes):
        return tuple(float(values[0] / values[-1]) for values in modes)
    inputs, statement = finite_array(X, "X"), statement_of(net, depth)
    silent = any((np.diag(kernel) == 0).any() for kernel in kernels)
    if silent or certainly_singular(statement, inputs, depth):
        return float("inf"), float("inf")
    return condition_of_inputs(statement, inputs, depth)


def _depths(values) -> np.ndarray:
    array = finite_array(values, "depths")
    if array.ndim != 1 or array.size == 0 or (array != np.round(array)).any() or (array < 1).any():
        raise InputError("depths are not whole numbers of at least 1; give an array of layers, shape (D,)")
    for depth in array:
        require_walkable(depth_of(int(depth)), "a condition number is to keep its digits")
    return array.astype(int)


def _starts(gap, inputs) -> tuple[np.ndarray, int]:
    inputs = whole(inputs, "inputs", "the number n of inputs, 2 or more", least=2)
    array, most = finite_array(gap, "gap"), inputs / (inputs - 1)
    wrong = (array <= 0) | (array > most)
    if wrong.any():
        raise InputError(
            f"gap holds {array[wrong].flat[0]}; {inputs} different inputs with equal correlations have a gap 1 - c in "
            f"(0, {most:.6g}], give one of those"
        )
    return array, inputs


# ---- laws of condition numbers ---------------------------------------------------------------------------------------

MOST_DIGITS = 200
GUARD = 10
KERNELS = ("nngp", "ntk")


@dataclass(frozen=True)
class ConditionLaw:
    """kappa of n inputs with equal correlations at layer L.

    `leading`, what kappa tends to or grows like (in the chaotic phase with the first term that depends on L), SymPy
    with the constants of `law`; `expansion`, more of it where there is more; `law`, of the off-diagonal entry;
    `diagonal`, of the diagonal one, where it is needed; `inputs`, n; `unit`, what `law` describes: the 'gap' 1 - c^L,
    the NTK in units of 'variance', its 'average' over layers in these units, or its 'ratio' to the diagonal.
    """

    leading: Expr
    expansion: Expansion | None
    law: Law
    diagonal: Law | None
    inputs: Expr
    unit: str = "variance"

    def __str__(self) -> str:
        return str(self.expansion) if self.expansion is not None else f"{self.leading} + ..."

    @property
    def stability(self) -> Any:
        """What becomes of inputs whose variance is not the fixed point q: the law is that of inputs with q^1 = q.

        >>> from asympt import FeedForward
        >>> net = FeedForward.on_edge_of_chaos("gelu", sigma_b="1/5")
        >>> str(condition_law(net, 2).stability).partition(";")[0]
        "unstable: V'(q) = 1.0950406 > 1, so q^1 = q alone has these laws"
        """
        return self.law.stability

    def evaluate(self, depth: int, digits: int = 20, **start):
        """kappa at layer `depth`, an mpmath number; the start is `correlation` = c^1 or `gap` = 1 - c^1.

        Raises `InputError` for bad input, `PrecisionError` when d - o loses more than 200 digits.

        >>> from asympt import FeedForward
        >>> law = condition_law(FeedForward("relu"), 2)
        >>> print(law.evaluate(10**6, digits=15, gap="1/2"))
        1.66668947536093
        """
        depth, digits = check_depth(depth), check_digits(digits)
        size = self.inputs
        if not size.is_number:
            raise InputError(f"inputs = {size} is a symbol; give the number of inputs to evaluate")
        working = digits + GUARD
        while True:
            value, lost = self._value(depth, min(working, MOST_DIGITS), start)
            if working - lost >= digits:
                return value
            if working >= MOST_DIGITS:
                raise PrecisionError(
                    f"at depth {depth} the NTKs of one and of two inputs agree to more than {MOST_DIGITS} digits; ask "
                    "for a smaller depth, or take `leading`"
                )
            working = max(digits + int(lost) + GUARD, 2 * working)

    def _value(self, depth: int, digits: int, start: dict) -> tuple:
        """(kappa, digits lost in the difference)."""
        off = self.law.evaluate(depth=depth, digits=digits, **start)
        with mp.workdps(digits):
            size = mpf(int(self.inputs))
            if self.unit == "gap":
                return size / off - (size - 1), 0
            diagonal = mpf(1) if self.diagonal is None else self.diagonal.evaluate(depth=depth, digits=digits)
            diagonal = diagonal / depth if self.unit == "average" else diagonal
            bulk = diagonal - off
            if bulk <= 0:
                return mp.inf, digits
            return 1 + size * off / bulk, max(0, int(mp.log10(diagonal / bulk)) + 1)


def condition_law(net, inputs, kernel: str = "ntk", terms: int = 3) -> ConditionLaw:
    """The law of the condition number of n inputs with equal correlations.

    With gamma = 1 - c^L, o = K^L(x, x'), d = K^L(x, x),

        phase            NNGP, n/gamma - (n-1)        NTK, 1 + n o/(d - o)
        edge of chaos    n/gamma, a power of L        1 + n o/(1 - o), o = 1/4 or 1/3 in units of L d
        ordered          n chi^(-L)/C                 n/(1-chi) over (d - o)/q: L chi^L, or chi^(L/2) for a kink in phi
        chaotic          n/(1 - c*) - (n-1)           1 + n (chi - 1) chi^(-L) c*/(1 - chi*)

    Where d - o begins with L chi^L its inverse is no series: then only the leading term is given.

    Parameters
    ----------
    net : a network with these laws.
    inputs : n, a whole number of at least 2 or a symbol.
    kernel : 'ntk' or 'nngp'.
    terms : how many terms of the network's law to start from.

    Raises `InputError` for n < 2, an unknown kernel; `UnsupportedError` where the network has no law (with the
    reason), or c* = 0 in the chaotic phase, where kappa - 1 of the NTK is smaller than any constant says.

    Source: XPS slides, "Spectrum NNGP", "Spectrum NTK" and "Experiments (I)".

    >>> from sympy import Symbol
    >>> from asympt import FeedForward
    >>> print(condition_law(FeedForward("relu"), Symbol("n", positive=True), terms=2))
    n/3 + 1 + 2*n*log(L)/(3*L) + O(1/L)
    """
    if not is_whole(inputs, 2) and not (isinstance(inputs, Expr) and not inputs.is_number):
        raise InputError(f"inputs = {inputs!r} is not a whole number of at least 2; give that, or a SymPy symbol")
    size = as_sympy(inputs)
    if not hasattr(net, "ntk_law") or hasattr(net, "positions"):
        raise UnsupportedError(f"net = {net!r} is not a dense network with depth laws; give a FeedForward or the like")
    if not isinstance(kernel, str) or kernel not in KERNELS:
        raise InputError(f"kernel = {kernel!r} is unknown; give 'ntk' or 'nngp'")
    if kernel == "nngp":
        law = net.correlation_law(terms)
        return _with(size / law.expansion - (size - 1), law, None, size)
    law = net.ntk_law(terms)
    if law.norm is not None or law.kind == "rates":  # K^L(x, x')/sqrt(K^L(x, x) K^L(x', x'))
        return _with((law.expansion * (size - 1) + 1) / (1 - law.expansion), law, None, size, "ratio")
    diagonal = net.ntk_diagonal_law()
    if law.average:
        same = diagonal.expansion / Expansion.variable(diagonal.expansion.scale)
        return _with((law.expansion * (size - 1) + same) / (same - law.expansion), law, diagonal, size, "average")
    if net.phase == "chaotic":
        return ConditionLaw(_chaotic(law, diagonal, size), None, law, diagonal, size)
    return _ordered(law, diagonal, size)


def _with(expansion: Expansion, law: Law, diagonal: Law | None, size: Expr, unit: str = "gap") -> ConditionLaw:
    """A law whose expansion is known."""
    leading = expansion.scale.to_sympy(expansion.leading[0]) * expansion.leading[1]
    return ConditionLaw(leading, expansion, law, diagonal, size, unit)


def _chaotic(law: Law, diagonal: Law, size: Expr) -> Expr:
    """1 + n (c*/(1 - chi*))/(leading term of d/q)."""
    if law.limit == 0:
        raise UnsupportedError(
            "c* = 0: the NTK of two inputs tends to 0 in units of q and kappa - 1 has no leading constant; use "
            "asympt.training.condition_numbers, or take sigma_b > 0"
        )
    monomial, coefficient = diagonal.expansion.leading
    return 1 + size * law.limit / (coefficient * diagonal.expansion.scale.to_sympy(monomial))


def _ordered(law: Law, diagonal: Law, size: Expr) -> ConditionLaw:
    """d - o has no constant term: what is left decides."""
    bulk = (diagonal.expansion - law.expansion).map_coefficients(cancel)  # those that vanish identically are left out
    (monomial, coefficient), scale = bulk.leading, bulk.scale
    leading = cancel(size * law.limit / coefficient) / scale.to_sympy(monomial)
    expansion = None if monomial.logs else (diagonal.expansion + law.expansion * (size - 1)) / bulk
    return ConditionLaw(leading, expansion, law, diagonal, size)
