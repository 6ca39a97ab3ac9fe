"""The averaging over a filter on a circle of positions: eigenvalues, multiplicities, and which modes decay how fast.

The mean over positions alpha - k, ..., alpha + k on a circle of M has the Fourier modes as eigenvectors,

    lambda_j = (1 + 2 sum_(b=1..k) cos(2 pi j b/M))/(2k+1),      j = 0, ..., M - 1,

on the M^2 pairs M times each, once for every offset.  lambda_j = 0 exactly when M divides (2k+1) j and not j, so the
averaging is invertible if and only if M and 2k+1 have no common factor.

In nonlinear layers mode j shrinks by lambda_j to first order; products of modes i and n feed mode i + n, so what is
left of mode j is the larger of lambda_j^l and (rate_i rate_n)^l, i + n = j: the `rates`, closed under products.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sympy import Expr, Integer, Rational, S, cos, nsimplify, pi, simplify

from asympt.errors import InputError

CLOSE = 1e-12  # relative difference below which a rate counts as fed by a product
SIMPLE = 12  # denominators M up to which SymPy is asked to simplify the cosines


@dataclass(frozen=True)
class Mode:
    """The Fourier modes +-`index`: their eigenvalue, and how many they are on the circle."""

    index: int
    eigenvalue: Expr
    multiplicity: int

    @property
    def size(self) -> float:
        """The eigenvalue in float64."""
        return float(self.eigenvalue.evalf(20))


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of (keep + the mean over the filter)/(keep + 1); keep = 0 for a plain layer.

    >>> s = spectrum(4, 1)
    >>> [(mode.eigenvalue, mode.multiplicity) for mode in s.modes], s.gap, s.is_invertible
    ([(1, 1), (1/3, 2), (-1/3, 1)], 2/3, True)
    """

    positions: int
    reach: int
    keep: Expr = S.Zero

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """One entry for every |j|, from j = 0 on."""
        return tuple(Mode(j, self._eigenvalue(j), self._copies(j)) for j in range(self.positions // 2 + 1))

    @cached_property
    def numbers(self) -> np.ndarray:
        """lambda_0, ..., lambda_(M-1) in float64."""
        half = [mode.size for mode in self.modes]
        return np.array([half[min(j, self.positions - j)] for j in range(self.positions)])

    @property
    def slowest(self) -> Mode | None:
        """The mode other than the mean with the largest |eigenvalue|; None on a circle of one position."""
        return max(self.modes[1:], key=lambda mode: abs(mode.size), default=None)

    @property
    def gap(self) -> Expr:
        """1 - |lambda_2|, lambda_2 the eigenvalue of the slowest mode; 1 when there is none."""
        return Integer(1) if self.slowest is None else 1 - abs(self.slowest.eigenvalue)

    @property
    def mixes(self) -> bool:
        """Whether positions forget their differences: not with reach 0."""
        return self.positions == 1 or self.reach > 0

    @property
    def is_invertible(self) -> bool:
        """Whether no eigenvalue vanishes; for a plain layer: whether M and 2k+1 have no common factor."""
        return all(mode.eigenvalue != 0 for mode in self.modes)

    @cached_property
    def rates(self) -> np.ndarray:
        """How fast what is left of mode j really shrinks per layer, products of other modes included; entry 0 is 0."""
        size = self.positions
        rates = np.abs(self.numbers)
        rates[0] = 0.0
        for _ in range(size):
            better = np.maximum(rates, [0.0, *(self._fed(rates, j) for j in range(1, size))])
            if np.array_equal(better, rates):
                break
            rates = better
        return rates

    def is_own(self, index: int) -> bool:
        """Whether mode `index` is left at its own rate lambda_j^l, and not at that of a product of slower modes."""
        j = index % self.positions
        own = abs(self.numbers[j])
        return bool(own > 0 and self.fed(j) < own * (1 - CLOSE))

    def fed(self, index: int) -> float:
        """The rate of the slowest product of two other modes that feeds mode `index`."""
        return self._fed(self.rates, index % self.positions)

    def _fed(self, rates: np.ndarray, j: int) -> float:
        partners = rates * rates[(j - np.arange(self.positions)) % self.positions]
        partners[[0, j]] = 0.0
        return float(partners.max())

    def _copies(self, j: int) -> int:
        return 1 if j == 0 or 2 * j == self.positions else 2

    def _eigenvalue(self, j: int) -> Expr:
        return (self.keep + averaging_eigenvalue(self.positions, self.reach, j)) / (self.keep + 1)


def spectrum(positions: int, reach: int) -> Spectrum:
    """The spectrum of the mean over a filter of 2 reach + 1 positions on a circle of `positions`.

    Raises `InputError` unless reach >= 0 and positions >= 2 reach + 1.
    """
    return Spectrum(*check_circle(positions, reach))


def averaging_eigenvalue(positions: int, reach: int, j: int) -> Expr:
    """lambda_j, exact; 0 where it vanishes."""
    width = 2 * reach + 1
    if j % positions and (width * j) % positions == 0:
        return Integer(0)
    total = 1 + 2 * sum(cos(2 * pi * Rational(j * b, positions)) for b in range(1, reach + 1))
    if positions <= SIMPLE:
        total = simplify(total)
    return nsimplify(total) / width if total.is_Rational else total / width


def check_circle(positions: int, reach: int) -> tuple[int, int]:
    """(positions, reach) as whole numbers of which the filter fits on the circle."""
    positions, reach = _whole(positions, "positions", 1), _whole(reach, "reach", 0)
    if positions < 2 * reach + 1:
        raise InputError(
            f"positions = {positions} is less than 2 reach + 1 = {2 * reach + 1}, so the filter would meet a position "
            "twice; give more positions or a smaller reach"
        )
    return positions, reach


def _whole(value, name: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer | Integer) or value < least:
        raise InputError(f"{name} = {value!r} is not a whole number of at least {least}; give one")
    return int(value)
