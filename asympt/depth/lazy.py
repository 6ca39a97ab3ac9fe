"""Kernels of dask arrays: one task for each block of the answer, whose inputs are chunks of whole rows."""

from collections.abc import Callable

import numpy as np

from asympt.arrays import real_array
from asympt.depth.parsing import inputs_of, require_rows
from asympt.errors import InputError, UnsupportedError


def is_lazy(*arrays) -> bool:
    """Whether one of them is a dask array; dask is not imported for the answer."""
    return any(type(array).__module__.partition(".")[0] == "dask" for array in arrays)


def lazy_gram(block: Callable, X, Y, count: int | None, dtype) -> tuple:
    """(Sigma, K) as lazy arrays: `block(x, y)` computes both for chunks; `count` depths, None for a single one."""
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
                tasks[i, j] = tuple(map(_transposed, tasks[j, i]))
            else:  # a chunk against itself is a square
                tasks[i, j] = _task(block, left, None if Y is None and i == j else right)
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


def _task(block: Callable, left, right) -> tuple:
    from dask import delayed

    found = delayed(block, nout=2, pure=True)(left, right)
    return found[0], found[1]


def _transposed(task):
    from dask import delayed

    return delayed(np.swapaxes, pure=True)(task, -1, -2)


def _assembled(tasks: dict, rows: tuple, columns: tuple, index: int, count: int | None, dtype):
    import dask.array as da

    front = () if count is None else (count,)
    return da.block([
        [da.from_delayed(tasks[i, j][index], (*front, n, m), dtype=dtype) for j, m in enumerate(columns)]
        for i, n in enumerate(rows)
    ])  # fmt: skip
