"""Functions on [-1, 1] in mpmath by their values at Chebyshev nodes tau_j = cos((2j + 1) pi/(2N)), f = sum_k c_k T_k:

    c_k = (2/N) sum_j f(tau_j) T_k(tau_j)  (half of it for k = 0),
    the primitive has the coefficients (c_(k-1) - c_(k+1))/(2k)  (c_0 counting twice), and is 0 at tau = -1.
"""

from collections.abc import Sequence
from functools import lru_cache

from mpmath import mp


class Grid:
    """N Chebyshev nodes at mpmath's present precision.

    >>> import mpmath
    >>> grid = grid_of(8)
    >>> series = grid.primitive(grid.series([mpmath.exp(tau) for tau in grid.nodes]))
    >>> mpmath.nstr(value(series, mpmath.mpf(1)), 6), mpmath.nstr(mpmath.e - 1 / mpmath.e, 6)
    ('2.3504', '2.3504')
    """

    def __init__(self, count: int):
        quarter = [mp.cos(mp.pi * i / (2 * count)) for i in range(4 * count)]
        self.count = count
        self.nodes = [quarter[2 * j + 1] for j in range(count)]
        self._rows = [[quarter[k * (2 * j + 1) % (4 * count)] for j in range(count)] for k in range(count)]
        self._columns = [list(column) for column in zip(*self._rows, strict=True)]

    def series(self, values: Sequence) -> list:
        """c_0, ..., c_(N-1) from the values at the nodes."""
        coefficients = [mp.fdot(row, values) * 2 / self.count for row in self._rows]
        coefficients[0] /= 2
        return coefficients

    def primitive(self, series: Sequence) -> list:
        """The integral from -1, to the same number of coefficients."""
        padded = [2 * series[0], *series[1:], series[0] * 0]
        result = [series[0] * 0] + [(padded[k - 1] - padded[k + 1]) / (2 * k) for k in range(1, self.count)]
        result[0] = -sum((-1) ** k * c for k, c in enumerate(result))
        return result

    def values(self, series: Sequence) -> list:
        """The sum of the series at every node."""
        return [mp.fdot(column, series) for column in self._columns]


@lru_cache(maxsize=32)
def _grid(count: int, precision: int) -> Grid:
    return Grid(count)


def grid_of(count: int) -> Grid:
    """The grid of `count` nodes at mpmath's present precision."""
    return _grid(count, mp.prec)


def value(series: Sequence, tau):
    """sum_k c_k T_k(tau), by Clenshaw's rule."""
    one, two = tau * 0, tau * 0
    for coefficient in reversed(series[1:]):
        one, two = 2 * tau * one - two + coefficient, one
    return tau * one - two + series[0]


def tail(series: Sequence):
    """The size of the last coefficients."""
    return max(abs(c) for c in series[-3:])
