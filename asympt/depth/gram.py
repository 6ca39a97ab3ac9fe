"""Kernels of inputs after L layers, square or rectangular, at one depth or several, and gaps and NTK of single pairs.

Tiles of some ten thousand pairs go through layer 1 (`inputs`) and all others, in little more memory than the answer:

    Sigma_ij = sqrt(q_i q_j) (1 - gap_ij),     K_ij = sqrt(q_i q_j) k_ij,     Sigma_ii = q_i.
"""
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from asympt.arrays import real_array, sender_of
from asympt.deadline import UNLIMITED, in_budget
from asympt.depth.composed.layers import blocks_of_statement
from asympt.depth.composed.run import ComposedStack, in_order, moved_together
from asympt.depth.gaps import Inputs, Variances, common_variance, exponent_of, gaps_and_rests, pair_variances
from asympt.depth.norms import Tiles
from asympt.depth.parsing import (
    depths_of,
    dtype_of,
    gaps_of,
    inputs_of,
    matching_inputs_of,
    progress_of,
    require_rows,
    rounded,
    spread_of,
    two_of,
    variances_of,
    workers_of,
)
from asympt.depth.squaring import Run
from asympt.depth.stack import statement_of
from asympt.depth.workers import Progress, ticking
from asympt.errors import InputError, UnsupportedError


def stack_of(net, depth: int) -> ComposedStack:
    """The layers of a network, a Statement or a Layer, with numbers in it; `InputError` for anything else."""
    composed = ComposedStack.of(net, depth)
    if composed is not None:
        return composed
    statement = statement_of(net, depth)
    return ComposedStack(blocks_of_statement(statement), depth, statement)


@in_budget("computing kernels", UNLIMITED)
def pairs(
    net, gap, depth: int | list[int], *, variance=None, dtype=np.float64, workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """1 - c^L and K^L/q_L of pairs of inputs, from their gap 1 - c^1 in layer 1; q_L is the variance of layer L.

    Parameters
    ----------
    net : a dense network of any architecture, or one of blocks (or a Statement, or a Layer), with numbers in it, phi
        continuous.
    gap : array of any shape, values in [0, 2].  1 - c, not c: near c = 1 only the gap has digits to keep.  With dropout
        gap 0 is one input twice, with one mask (two equal inputs have two: `gram`).
    depth : L, the requested layer, up to 10^30 where layers are alike (they are composed, not counted), up to 10^9
        where they differ; ``depth=1`` returns the gap itself and K^1/q_1 (c^1 = 1 - gap, unless layer 1
        has rates of its own).  A list of depths gives them all: arrays of shape (depths, ...).
    variance : q^1 (a number, or an array that broadcasts with `gap`), or the tuple (q^1, q'^1) of the two inputs;
        q_L then means sqrt(q_L q'_L).  It matters unless phi is ReLU-like and no bias is drawn or learns; without it
        the fixed point of the variance is taken (a skip connection leaves none).  For other activations pairs of
        variances of their own cost some 1 (erf, GELU) to 8 microseconds a pair and layer until these have settled, with
        a skip connection in every layer, a tenth of that where all have the same two; phi with breakpoints, and steep
        ones, cost up to half a second a layer for tables besides, but few pairs 2 milliseconds each.
    dtype : of the results, float64 or float32 (computed in float64, rounded once).
    workers : number of processes for layers that differ from pair to pair (a bias, variances of their own).  Pairs are
        cut into blocks of at least 2,048 (16,384 when there are many), so fewer pairs than that run in one process;
        results do not depend on `workers` in any bit.
    progress : called now and then, at most five times a second, as ``progress(done, total)``, both counted in
        pairs times layers; with several workers it is called from another thread.  Left out: a bar on a terminal, from
        two seconds on; False: none.

    Returns
    -------
    (gap_L, k_L), arrays of the shape of `gap` (numbers for a number).  Relative errors are some 1e-15 for gap_L and k_L
    at any depth and for gaps down to 1e-30 (1e-13 for a gap that has fallen to 1e-80); where k_L changes sign, 1e-16 of
    its largest values.  For activations that are not ReLU-like, whose maps are tabulated (`tables`), they are below
    1e-12, or 1e-11 after thousands of layers in which the variance moves.  For a `gap` of JAX, PyTorch or CuPy (extra
    `array`) they are such arrays on its device, computed by NumPy.

    Raises
    ------
    InputError : values outside their range, no `variance` where one is needed, symbolic slopes.

    Source: HDR = Hayou, Doucet and Rousseau (2020), Lemma 2 (the recursion) and Theorem 1 (its limit): K^L/(q L)
    -> 1/4 at the Edge of Chaos; Lemma 3 and Proposition 3 for skip connections.

    >>> from asympt import FeedForward
    >>> gap, k = pairs(FeedForward("relu"), gap=[0.9, 1e-15], depth=1000)
    >>> print(f"{gap[0]:.10e}  {k[0] / 1000:.10f}  {gap[1]:.4e}")
    4.3194119238e-05  0.2533546462  9.9999e-16
    """
    depths, workers, kind = depths_of(depth), workers_of(workers), dtype_of(dtype)
    send = sender_of(kind, gap=gap, **dict(zip(("variance", "the second variance"), two_of(variance), strict=False)))
    stacks, start = [stack_of(net, each) for each in depths], gaps_of(gap)
    report, flat = Progress(progress_of(progress), start.size * (sum(depths) - len(depths))), start.ravel()
    given = [variances_of(values) for values in two_of(variance)]
    shaped = [spread_of(values, start.shape) for values in given]  # what does not fit is an error in any case
    every = np.concatenate([values.ravel() for values in given]) if given else None
    found = np.empty((2, len(depths), *start.shape), dtype=kind)
    for at, stack in enumerate(stacks):
        function = stack.function(every)
        if function is not None:
            values = function(flat, ticking(report, flat.size))
        else:
            variances = Variances(shaped[0], shaped[-1], shaped[0] - shaped[-1])
            values = stack.of_every_pair(flat, variances, report, workers, twice=True)
        found[:, at] = [rounded(one.reshape(start.shape), kind, stack.depth) for one in values]
    report.finish()
    return tuple(send(one if np.ndim(depth) else one[0]) for one in found)


TILE = 2**15  # pairs


@in_budget("computing kernels", UNLIMITED)
def gram(
    net, X, Y=None, *, depth: int | list[int], dtype=np.float64, workers: int = 1,
    progress: Callable[[int, int], None] | bool | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """(Sigma, K): the covariance of the preactivations of layer L and the NTK, for all pairs of inputs.

    Parameters
    ----------
    net : a dense network of any architecture, or one of blocks (or a Statement, or a Layer), with numbers in it, phi
        continuous.
    X : inputs, shape (N, d), of any norms.  Layer 1 has Sigma^1 = sigma_b^2 + sigma_w^2 X X^T/d = K^1, unless the
        statement says otherwise of it.
    Y : other inputs, shape (M, d), for the N x M kernels of X against Y (test against training); left out: X itself.
    depth : L, the requested layer, by name; ``depth=1`` gives Sigma^1 and K^1.  A list of depths gives them all.
    dtype : of the results, float64 or float32 (computed in float64, rounded once).
    workers, progress : as in `pairs`.

    X or Y may be a `dask.array` in chunks of rows: Sigma and K are lazy then, one task for each block (`lazy`).
    They may be arrays of JAX, PyTorch or CuPy (extra `array`): Sigma and K are such arrays on the same device then,
    computed by NumPy.

    Returns
    -------
    (Sigma, K), two arrays of shape (N, N), symmetric, or (N, M); with a list of depths (depths, N, M).  Not
    normalised.  The diagonal is exact to rounding at any depth; elsewhere the error is a few 1e-16 of sqrt(Sigma_ii
    Sigma_jj), so take `pairs` for tiny gaps. An input of zeros has zero rows when sigma_b = 0. For activations that are
    not ReLU-like errors are below 1e-12; the layers in which the variances of different inputs move cost some 25 (erf),
    40 (GELU), 100 (other smooth phi) or 300 nanoseconds (phi with breakpoints) a pair, the latter after up to 0.3
    seconds for tables.  Everything else does not depend on the depth: 10^12 layers cost what 10 do.
    Raises `InputError` for X not of shape (N, d), Y of other columns, NaN or infinity, a depth below 1, symbolic
    slopes; `UnsupportedError` for variances beyond the float64 range, above it (chi > 1, or a skip connection, at great
    depth) or below (chi < 1, or tiny inputs, without bias); an input of zeros whose variance stays 0 while biases
    learn, where K depends on phi'(0).

    Nearly opposite inputs: layer 1 knows 1 + c by itself.  Later layers hold a gap near 2 as such; where they stay near
    it (an odd phi, no bias) x and y are taken as x and -y, whose kernels have the other sign.

    Source: HDR = Hayou, Doucet and Rousseau (2020), Lemma 2; K as defined in their Theorem 1, not divided by L.

    >>> from asympt import FeedForward
    >>> relu = FeedForward("relu")
    >>> Sigma, K = gram(relu, [[1.0, 0.0], [0.0, 2.0]], depth=2)
    >>> print(Sigma.round(6), K.round(6), sep=chr(10))
    [[1.      0.63662]
     [0.63662 4.     ]]
    [[2.      0.63662]
     [0.63662 8.     ]]
    >>> test, _ = gram(relu, [[1.0, 1.0]], [[1.0, 0.0], [0.0, 2.0]], depth=[2, 10**12])
    >>> print(test.round(6).tolist())
    [[[1.06831, 2.13662]], [[1.414214, 2.828427]]]
    """
    depths, workers, kind = depths_of(depth), workers_of(workers), dtype_of(dtype)
    if is_lazy(X, Y):
        block = partial(gram, net, depth=depth, dtype=kind, workers=workers, progress=False)
        return lazy_gram(block, X, Y, len(depths) if np.ndim(depth) else None, kind)
    send = sender_of(kind, X=X, Y=Y)
    one = inputs_of(X)
    two = None if Y is None else matching_inputs_of(Y, one)
    work = Work.of(net, one, two, depths, workers, progress_of(progress))
    found = [np.empty((len(depths), len(work.one), len(work.two)), dtype=kind) for _ in range(2)]
    work.fill(*found)
    return tuple(array if np.ndim(depth) else array[0, ...] for array in map(send, found))


def diagonal(net, X, *, depth: int | list[int], dtype=np.float64) -> tuple[np.ndarray, np.ndarray]:
    """(Sigma_ii, K_ii): what `gram` has on its diagonal, for N inputs in memory and time of order N.

    Parameters and errors are those of `gram`; two arrays of shape (N,), or (depths, N).

    >>> from asympt import FeedForward
    >>> Sigma, K = diagonal(FeedForward("relu"), [[1.0, 0.0], [0.0, 2.0]], depth=10**6)
    >>> print(Sigma.tolist(), K.tolist())
    [1.0, 4.0] [1000000.0, 4000000.0]
    """
    depths, kind = depths_of(depth), dtype_of(dtype)
    if is_lazy(X):
        block = partial(diagonal, net, depth=depth, dtype=kind)
        return lazy_diagonal(block, X, len(depths) if np.ndim(depth) else None, kind)
    send = sender_of(kind, X=X)
    work = Work.of(net, inputs_of(X), None, depths, 1, False)
    found = np.array([[rounded(values, kind, stack.depth) for values in pair]
                      for stack, (pair, _) in zip(work.stacks, work.diagonals, strict=True)])  # fmt: skip
    pair = (found[:, index] if np.ndim(depth) else found[0, index] for index in range(2))
    return tuple(map(send, pair))


@dataclass(frozen=True)
class Work:
    """What there is to do: a stack of layers for every depth, the two sets of inputs (each in units of its 2^shift)."""

    stacks: tuple[ComposedStack, ...]
    one: Inputs
    two: Inputs
    shifts: tuple[int, int]
    workers: int
    progress: Callable[[int, int], None] | bool | None

    @classmethod
    def of(cls, net, one: np.ndarray, two: np.ndarray | None, depths, workers, progress) -> "Work":
        stacks = tuple(stack_of(net, depth) for depth in depths)
        sides = one, one if two is None else two
        shifts = tuple(exponent_of(side) if stacks[0].is_scale_free else 0 for side in sides)
        first = stacks[0].inputs(np.ldexp(one, -shifts[0]))
        second = first if two is None else stacks[0].inputs(np.ldexp(two, -shifts[1]), "Y")
        return cls(stacks, first, second, shifts, workers, progress)

    @property
    def is_square(self) -> bool:
        """Whether the inputs are compared with themselves."""
        return self.two is self.one

    @cached_property
    def diagonals(self) -> list[tuple]:
        """For every depth (q_L, K^L(x, x)) of both sets, not in units."""
        sides = (self.one,) if self.is_square else (self.one, self.two)
        per_side = [[stack.diagonal(side, shift) for stack in self.stacks]
                    for side, shift in zip(sides, self.shifts, strict=False)]  # fmt: skip
        return list(zip(per_side[0], per_side[-1], strict=True))

    def fill(self, sigma: np.ndarray, kernel: np.ndarray) -> None:
        layers = sum(stack.depth - 1 for stack in self.stacks)
        count = len(self.one)
        pairs = count * (count - 1) // 2 if self.is_square else count * len(self.two)  # one triangle, or all
        report = Progress(self.progress, pairs * layers)
        roots = [[np.sqrt(side[0]) for side in pair] for pair in self.diagonals]
        for at, rows, columns, gap, k in self._moved(sigma, kernel, report):
            scale, depth = roots[at][0][rows, None] * roots[at][1][columns], self.stacks[at].depth
            self._write(sigma[at], rows, columns, scale * (1.0 - gap.reshape(scale.shape)), depth)
            self._write(kernel[at], rows, columns, scale * k.reshape(scale.shape), depth)
        if self.is_square:
            for at, ((q, ntk), _) in enumerate(self.diagonals):
                np.fill_diagonal(sigma[at], rounded(q, sigma.dtype, self.stacks[at].depth))
                np.fill_diagonal(kernel[at], rounded(ntk, sigma.dtype, self.stacks[at].depth))
        report.finish()

    def _write(self, target: np.ndarray, rows: slice, columns: slice, values: np.ndarray, depth: int) -> None:
        values = rounded(values, target.dtype, depth)
        if self.is_square:
            height = rows.stop - rows.start
            values[:, :height] = np.triu(values[:, :height], 1)
            values[:, :height] += values[:, :height].T.copy()
            target[columns, rows] = values.T
        target[rows, columns] = values

    def _tiles(self) -> Iterator[tuple[slice, slice]]:
        """(rows, columns): all of them, or those from the diagonal on; larger where processes may share a tile."""
        start, count = 0, len(self.one)
        size = TILE if self.stacks[0].together or self.functions else 4 * TILE
        while start < count:
            first = start if self.is_square else 0
            stop = min(count, start + max(1, size // max(1, len(self.two) - first)))
            yield slice(start, stop), slice(first, len(self.two))
            start = stop

    def _moved(self, sigma: np.ndarray, kernel: np.ndarray, report: Progress) -> Iterator[tuple]:
        """(which depth, rows, columns, gap_L, k_L) of every tile; the arrays to be written serve as memory."""
        functions = self.functions
        if functions is None and self.stacks[0].together:
            last = in_order(self.stacks)[-1]
            memory = [v[last] if v.dtype == np.float64 else np.empty(v.shape[1:]) for v in (sigma, kernel)]
            tiles = Tiles(self.one, self.two, list(self._tiles()), *memory)
            yield from moved_together(self.stacks, tiles, report)
            return
        for rows, columns in self._tiles():
            one, two = self.one[rows], self.two[columns]
            gap, rest = gaps_and_rests(one, two, 0 if self.is_square else None)
            gap, rest = gap.ravel(), rest.ravel()
            variances = None if functions else pair_variances(one, two)
            for at, stack in enumerate(self.stacks):
                if functions:
                    yield at, rows, columns, *functions[at](gap, ticking(report, gap.size), rest)
                else:
                    found = stack.of_every_pair(gap, variances, report, self.workers, rest=rest)
                    yield at, rows, columns, *found

    @cached_property
    def functions(self) -> list[Run] | None:
        """For every depth the layers as a function of the gap alone, if they are one."""
        common = common_variance(self.one, self.two)
        every = np.concatenate([self.one.variance, self.two.variance]) if common is None else np.array(common)
        found = [stack.function(every, twice=False) for stack in self.stacks]
        return None if found[0] is None else found


# ---- dask arrays: one task for each block of the answer, whose inputs are chunks of whole rows ---


def is_lazy(*arrays) -> bool:
    """Whether one of them is a dask array; dask is not imported for the answer."""
    return any(type(array).__module__.partition(".")[0] == "dask" for array in arrays)


def lazy_gram(block: Callable, X, Y, count: int | None, dtype) -> tuple:
    """(Sigma, K) as lazy arrays: `block(x, y)` computes both for chunks; `count` depths, None for a single one."""
    import dask.array as da
    from dask import delayed

    one = rows_of(X, "X")
    two = one if Y is None else rows_of(Y, "Y")
    if one.shape[1] != two.shape[1]:
        raise InputError(f"Y has {two.shape[1]} columns and X {one.shape[1]}; give inputs of the same dimension")
    lefts = one.to_delayed()[:, 0]
    rights = lefts if Y is None else two.to_delayed()[:, 0]
    solved, transposed, tasks = delayed(block, nout=2, pure=True), delayed(np.swapaxes, pure=True), {}
    for i, left in enumerate(lefts):
        for j, right in enumerate(rights):
            if Y is None and j < i:
                tasks[i, j] = tuple(transposed(task, -1, -2) for task in tasks[j, i])
            else:  # a chunk against itself is a square
                tasks[i, j] = solved(left, None if Y is None and i == j else right)
    front = () if count is None else (count,)
    return tuple(
        da.block([
            [da.from_delayed(tasks[i, j][index], (*front, n, m), dtype=dtype) for j, m in enumerate(two.chunks[0])]
            for i, n in enumerate(one.chunks[0])
        ])
        for index in range(2)
    )  # fmt: skip


def lazy_diagonal(block: Callable, X, count: int | None, dtype) -> tuple:
    """(Sigma_ii, K_ii) as lazy arrays."""
    import dask.array as da
    from dask import delayed

    rows, parts = rows_of(X, "X"), ([], [])
    for chunk, size in zip(rows.to_delayed()[:, 0], rows.chunks[0], strict=True):
        found = delayed(block, nout=2, pure=True)(chunk)
        shape = (size,) if count is None else (count, size)
        for index in range(2):
            parts[index].append(da.from_delayed(found[index], shape, dtype=dtype))
    return tuple(da.concatenate(part, axis=-1) for part in parts)


def rows_of(array, name: str):
    """A dask array of shape (N, d) in chunks of whole rows."""
    import dask.array as da

    if not is_lazy(array):
        return da.from_array(inputs_of(array, name), chunks=-1)
    if any(np.isnan(size) for size in array.shape):
        raise UnsupportedError(f"{name} has chunks of unknown sizes; call its compute_chunk_sizes() first")
    real_array(np.empty(0, dtype=array.dtype), name)  # a type that holds no numbers is refused at once
    require_rows(array.shape, name)
    return array.rechunk({1: -1})
