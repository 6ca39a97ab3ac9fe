"""Kernels of arrays of JAX, PyTorch, CuPy or dask: what is of the size of the answer is computed where the inputs lie.

Where the layers are a function of the gap alone:

    N entries     norms, unit vectors, variances, diagonals; the tables          NumPy, on the host, sent to the device
    N^2 entries   angles (a matrix product), look-up, scale                      the library, on the device
    few pairs     gaps below 1e-3 of the widest or 1e-4, or near 2;              NumPy, on the host, sent to the device
                  gaps that a table leaves out (0, near 2)

With u the unit vectors less their mean, a gap is (|u|^2 + |v|^2)/2 - u.v, whose error is 1e-16 of the largest |u|^2.
Everything else goes through NumPy.  The device needs float64; gradients do not pass through.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from asympt.arrays import Library, real_array
from asympt.depth.gaps import NEAR as CLOSE
from asympt.depth.gaps import Directions, Inputs, compared_pairs
from asympt.depth.parsing import inputs_of, require_rows, rounded
from asympt.depth.squaring import WholeMap
from asympt.depth.squaring.whole import VANISHED, GapFunction
from asympt.errors import InputError, UnsupportedError

BLOCK = 2**21  # pairs at once
NEAR = 1e-3  # of the widest gap, from which a product of matrices has its digits


def moved(home: Library, function: GapFunction, gap):
    """(1 - c^L, K^L/q_L) of a flat float64 array of gaps in [0, 2] on the device; g < 0 stands for the gap 2 + g."""
    opposite = gap < 0
    if gap.shape[0] == 0:
        return gap, gap
    if not bool(home.xp.any(opposite)):
        return _moved(home, function, gap)
    rest = -real_array(gap[opposite], "gap")
    found = _moved(home, function, home.xp.where(opposite, 2.0 + gap, gap))
    exact = function(2.0 - rest, lambda layers: None, rest)
    return tuple(_filled(home, array, opposite, values) for array, values in zip(found, exact, strict=True))


def _moved(home: Library, function: GapFunction, gap):
    xp = home.xp
    inside, rest = function.is_tabulated(gap), 2.0 - gap
    ones = xp.ones_like(gap)
    least = float(xp.min(xp.where(inside & (gap > 0), gap, ones)))
    closest = float(xp.min(xp.where(rest > 0, rest, ones)))
    after, kernel = looked_up(home, function.table(min(least, closest), closest), gap)
    if bool(xp.all(inside)):
        return after, kernel
    values, places = np.unique(real_array(gap[~inside], "gap"), return_inverse=True)
    exact = function(values, lambda layers: None)
    return tuple(
        _filled(home, array, ~inside, found[places]) for array, found in zip((after, kernel), exact, strict=True)
    )


def looked_up(home: Library, whole: WholeMap, gap):
    """`WholeMap` in another library, k_1 by rule."""
    xp = home.xp
    mirrored = gap > 1.0
    if whole.is_odd:
        gap = xp.where(mirrored, 2.0 - gap, gap)
    panel, place = _places(home, whole, gap)
    after = _horner(home, whole.shrink, panel, place) * gap * whole.unit
    after = xp.where((gap == 0.0) | (after < VANISHED), xp.zeros_like(after), after)
    kernel = _horner(home, whole.source, panel, place)
    if whole.is_odd:
        after, kernel = xp.where(mirrored, 2.0 - after, after), xp.where(mirrored, -kernel, kernel)
    return after, kernel


def _places(home: Library, whole: WholeMap, gap):
    """(panel, place in it) of every gap; the place does not matter in the panels of the limits."""
    xp, grid = home.xp, whole.grid
    far, panels = gap > 1.0, 2**grid.cuts
    w = xp.where(far, 2.0 - gap, gap)
    lowest = min(grid.low, grid.high) - 1
    octave = xp.floor(xp.log2(xp.clip(w, min=2.0**lowest)))
    octave = xp.astype(xp.clip(octave, min=lowest, max=0), xp.int64)
    powers = home.send(2.0 ** -np.arange(lowest, 1.0))
    mantissa = w * xp.take(powers, octave - lowest, axis=0) - 1.0
    within = xp.clip(xp.floor(mantissa * panels), min=0, max=panels - 1)
    place = (mantissa * panels - within) * 2.0 - 1.0
    shift = xp.astype(far, xp.int64)
    low = shift * grid.high + (1 - shift) * grid.low
    panel = xp.clip((octave - low) * panels + xp.astype(within, xp.int64) + 1, min=0) + shift * grid.first_far
    return panel, place


def _horner(home: Library, table: np.ndarray, panel, place):
    rows, found = home.send(table), 0.0
    for power in range(len(table)):
        found = found * place + home.xp.take(rows[power, :], panel, axis=0)
    return found


def _filled(home: Library, array, marked, values: np.ndarray):
    xp = home.xp
    order = xp.cumulative_sum(xp.astype(marked, xp.int64)) - 1
    return xp.where(marked, xp.take(home.send(values), xp.clip(order, min=0), axis=0), array)


@dataclass(frozen=True)
class DeviceSide:
    """One set of inputs on the device: unit vectors less a mean, half their squares, what turns angles into gaps."""

    inputs: Inputs
    units: object
    halves: object
    weights: object
    roots: list

    @classmethod
    def of(cls, home: Library, inputs: Inputs, centre: np.ndarray, variances: list[np.ndarray]) -> "DeviceSide":
        """From the host; `variances` at every depth."""
        units = inputs.directions.units - centre
        halves = np.einsum("nd,nd->n", units, units) / 2
        weights = np.sqrt(inputs.share * inputs.squares / np.where(inputs.variance == 0, 1.0, inputs.variance))
        roots = [home.send(np.sqrt(q)) for q in variances]
        weighted = None if inputs.bias == 0 else home.send(weights)
        return cls(inputs, home.send(units), home.send(halves), weighted, roots)

    @property
    def directions(self) -> Directions:
        return self.inputs.directions


def kernels_on(home: Library, work, kind: np.dtype) -> list:
    """[Sigma, K] of `gram`'s work, shape (depths, N, M), on the device."""
    xp = home.xp
    centre = np.concatenate([side.directions.units for side in (work.one, work.two)]).mean(axis=0)
    one, two = (
        DeviceSide.of(home, inputs, centre, [pair[at][0] for pair in work.diagonals])
        for at, inputs in enumerate((work.one, work.two))
    )
    blocks = [[[], []] for _ in work.stacks]
    size = max(1, BLOCK // len(work.two))  # whole rows, of one shape but the last: JAX compiles anew for every shape
    for rows in (slice(start, min(len(work.one), start + size)) for start in range(0, len(work.one), size)):
        gap = first_gaps(home, one, two, rows, work.is_square)
        for at, function in enumerate(work.functions):
            after, kernel = moved(home, function, xp.reshape(gap, (-1,)))
            scale = one.roots[at][rows][:, None] * two.roots[at][None, :]
            for index, values in enumerate((1.0 - after, kernel)):
                blocks[at][index].append(scale * xp.reshape(values, scale.shape))
    return [
        xp.stack([_whole(home, work, at, index, blocks[at][index], kind) for at in range(len(blocks))])
        for index in range(2)
    ]


def _whole(home: Library, work, at: int, index: int, blocks: list, kind: np.dtype):
    """One kernel of one depth; of a symmetric one the part below the diagonal is that above it."""
    xp, found = home.xp, home.xp.concat(blocks, axis=0)
    if work.is_square:
        above = xp.triu(found, k=1)
        own = home.send(work.diagonals[at][0][index])
        found = above + xp.matrix_transpose(above) + xp.eye(len(work.one), dtype=xp.float64, device=home.device) * own
    return rounded(found, kind, work.stacks[at].depth, home)


def first_gaps(home: Library, one: DeviceSide, two: DeviceSide, rows: slice, is_square: bool):
    """1 - c of layer 1 for some rows of one side and all of the other; of a square 1 on the diagonal and below it."""
    xp = home.xp
    product = one.units[rows, :] @ xp.matrix_transpose(two.units)
    gap = xp.clip(one.halves[rows][:, None] + two.halves[None, :] - product, min=0.0, max=2.0)
    if is_square:
        place = xp.arange(len(two.inputs), device=home.device)
        gap = xp.where(place[None, :] <= place[rows][:, None], xp.ones_like(gap), gap)
    for silent, axis in ((one.directions.silent[rows], 1), (two.directions.silent, 0)):
        if silent.any():
            gap = xp.where(xp.expand_dims(home.send(silent), axis=axis), xp.ones_like(gap), gap)
    gap = _compared(home, one, two, rows.start, gap)
    return gap if one.weights is None else gap * (one.weights[rows][:, None] * two.weights[None, :])


def _compared(home: Library, one: DeviceSide, two: DeviceSide, start: int, gap):
    xp, flat = home.xp, home.xp.reshape(gap, (-1,))
    widest = 2.0 * float(xp.max(one.halves) + xp.max(two.halves))
    near = (flat < max(CLOSE, NEAR * widest)) | (flat > 2.0 - NEAR)
    if not bool(xp.any(near)):
        return gap
    i, j = np.divmod(np.flatnonzero(real_array(xp.astype(near, xp.uint8), "gap")), gap.shape[1])
    opposite = real_array(flat[near], "gap") > 1
    small = compared_pairs(one.directions.rows, two.directions.rows, start + i, j)
    if one.weights is None:  # -(2 - gap) keeps its digits
        exact = np.where(opposite & (small > 0), -small, np.where(opposite, 2.0, small))
    else:
        exact = np.where(opposite, 2.0 - small, small)
    return xp.reshape(_filled(home, flat, near, exact), gap.shape)


def is_lazy(*arrays) -> bool:
    """Whether one of them is a dask array; dask is not imported for the answer."""
    return any(type(array).__module__.partition(".")[0] == "dask" for array in arrays)


def lazy_gram(block: Callable, X, Y, count: int | None, dtype) -> tuple:
    """(Sigma, K) as lazy arrays: `block(x, y)` computes both for chunks; `count` depths, None for a single one."""
    from dask import delayed

    one = rows_of(X, "X")
    two = one if Y is None else rows_of(Y, "Y")
    if one.shape[1] != two.shape[1]:
        raise InputError(f"Y has {two.shape[1]} columns and X {one.shape[1]}; give inputs of the same dimension")
    lefts = one.to_delayed()[:, 0]
    rights = lefts if Y is None else two.to_delayed()[:, 0]
    tasks = {}
    for i, left in enumerate(lefts):
        for j, right in enumerate(rights):
            if Y is None and j < i:
                tasks[i, j] = [delayed(np.swapaxes, pure=True)(task, -1, -2) for task in tasks[j, i]]
            else:  # a chunk against itself is a square
                tasks[i, j] = delayed(block, nout=2, pure=True)(left, None if Y is None and i == j else right)
    return tuple(_assembled(tasks, one.chunks[0], two.chunks[0], index, count, dtype) for index in range(2))


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


def _assembled(tasks: dict, rows: tuple, columns: tuple, index: int, count: int | None, dtype):
    import dask.array as da

    front = () if count is None else (count,)
    return da.block([
        [da.from_delayed(tasks[i, j][index], (*front, n, m), dtype=dtype) for j, m in enumerate(columns)]
        for i, n in enumerate(rows)
    ])  # fmt: skip
