"""The correlation map f: from the correlation c of two preactivations to that of the next layer.

Problem.  Three kinds of users need f: the derivations its expansion at c = 1, the precise and the NumPy engines
numbers, a reader a formula.  All must get the same function, whatever the activation is.

Rule.  f(c) = (sigma_b^2 + sigma_w^2 E[phi(sqrt(q) U) phi(sqrt(q) V)])/q at a fixed point q of the variance, so
f(1) = 1.  Everything is computed in the gap gamma = 1 - c, where no digits are lost near c = 1, and expanded in
t = sqrt(gamma).

    ReluLikeMap   ReLU-like activations without bias: every q is fixed, f is known in closed form (`relu_like_map`)
    LayerMap      any activation at a fixed point q (`layer_map`)

Tiny case.  ReLU: f(0) = 1/pi.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import mpmath
from mpmath import mp
from sympy import Expr, Symbol, latex

from asympt.errors import InputError, PrecisionError
from asympt.expansions import Expansion
from asympt.gaussian.price.relu_like import along_correlation
from asympt.meanfield.activations import Activation
from asympt.numbers import check_digits, exact, is_truth, to_mpf
from asympt.showing import one_line

GUARD = 10
SCALE_FREE, ANY = "scale-free layers", "any layer"


class CorrelationMap(ABC):
    """f of one layer.

    >>> from asympt.meanfield.activations import activation
    >>> f = CorrelationMap.of(activation("relu"))
    >>> f.closed_form
    c + (-c*acos(c) + sqrt(1 - c**2))/pi
    >>> print(f.expansion(order=5))
    1 - t^2 + 2*sqrt(2)*t^3/(3*pi) + sqrt(2)*t^5/(30*pi) + O(t^7)
    >>> print(mpmath.nstr(f("1/10", digits=20), 20))
    0.36990276590263576927
    """

    _serving: ClassVar[dict[str, type]] = {}

    def __init_subclass__(cls, serves: str) -> None:
        """The two ways to compute f say whom they serve, SCALE_FREE or ANY; `asympt.meanfield` imports both."""
        CorrelationMap._serving[serves] = cls

    @staticmethod
    def of(source) -> "CorrelationMap":
        """The map of a layer, or of a ReLU-like activation on the Edge of Chaos without bias."""
        scale_free = isinstance(source, Activation) or source.is_scale_free
        return CorrelationMap._serving[SCALE_FREE if scale_free else ANY].of_source(source)

    @staticmethod
    def with_asymmetry(rho: Expr) -> "CorrelationMap":
        """The map of a ReLU-like activation with a given (possibly symbolic) rho."""
        return CorrelationMap._serving[SCALE_FREE].with_asymmetry(rho)

    def __repr__(self) -> str:
        return one_line("CorrelationMap", self._source())

    def _repr_latex_(self) -> str:
        closed = self.closed_form
        if closed is not None:
            return rf"$\displaystyle f({self.variable}) = {latex(closed)}$"
        return rf"$\displaystyle f = {self.expansion(6).latex()}, \quad t = \sqrt{{1 - {self.variable}}}$"

    # ---- what every map says of itself --------------------------------------------------------------

    @abstractmethod
    def _source(self) -> str:
        """What it is the map of, in a line and without a computation."""

    @property
    @abstractmethod
    def multiplier(self) -> Expr:
        """f'(1): 1 on the Edge of Chaos, chi elsewhere."""

    @property
    def variable(self) -> Symbol:
        """c, the variable of the closed forms."""
        return Symbol("c", real=True)

    @property
    @abstractmethod
    def closed_form(self) -> Expr | None:
        """f(c) as a SymPy expression in c, None when there is none."""

    @property
    @abstractmethod
    def closed_slope(self) -> Expr | None:
        """f'(c) as a SymPy expression in c, None when there is none."""

    @abstractmethod
    def expansion(self, order: int = 9) -> Expansion:
        """f as an expansion in t = sqrt(1 - c), up to t^order."""

    def slope_expansion(self, order: int = 9) -> Expansion:
        """f' = -(1/(2t)) df/dt as an expansion in t = sqrt(1 - c), up to t^order."""
        return along_correlation(self.expansion(check_order(order) + 2))

    @abstractmethod
    def gap(self, gamma: Any) -> Any:
        """1 - f(1 - gamma) for an mpmath number, to full relative accuracy at mpmath's precision."""

    @abstractmethod
    def gap_slope(self, gamma: Any) -> Any:
        """f'(1 - gamma) for an mpmath number, at mpmath's precision."""

    @abstractmethod
    def require_numbers(self) -> None:
        """An error when the map contains symbols and a number is asked for."""

    # ---- numbers --------------------------------------------------------------------------------

    def __call__(self, c, digits: int = 30):
        """f(c) to `digits` significant digits, -1 <= c <= 1; computed at two precisions that must agree."""
        return self._certified(c, digits, lambda gamma: 1 - self.gap(gamma))

    def slope(self, c, digits: int = 30):
        """f'(c) to `digits` significant digits."""
        return self._certified(c, digits, self.gap_slope)

    def gap_image(self, gap, digits: int = 30):
        """1 - f(1 - gap) to `digits` significant digits of its own, however small the gap is.

        >>> from asympt.meanfield.activations import activation
        >>> print(mpmath.nstr(CorrelationMap.of(activation("relu")).gap_image("1e-30", 20), 20))
        9.9999999999999969989e-31
        """
        return self._certified(1 - exact(gap, "gap"), digits, self.gap)

    def _certified(self, c, digits: int, function):
        """`function` of the gap at two precisions; more when it nearly vanishes, 0 when it does at every one."""
        value, digits = exact(c, "correlation"), check_digits(digits)
        check_correlation(value)
        self.require_numbers()
        for guard in (GUARD, 2 * digits + 20, 20 * digits + 20):  # digits that cancel near a zero
            one, two = (self._at(value, function, digits + guard + more) for more in (0, GUARD))
            with mp.workdps(digits + guard):
                if abs(one - two) <= abs(two) * mpmath.mpf(10) ** -digits:
                    return two
                if max(abs(one), abs(two)) < mpmath.mpf(10) ** -(digits + guard - 5):
                    two = mpmath.mpf(0)
        if two == 0:
            return two
        raise PrecisionError(f"two evaluations at c = {c} do not agree to {digits} digits; ask for fewer digits")

    @staticmethod
    def _at(value: Expr, function, digits: int):
        with mp.workdps(digits):
            return function(to_mpf(1 - value))


def check_correlation(value: Expr, name: str = "correlation") -> None:
    """An error unless -1 <= value <= 1."""
    if not value.is_number:
        raise InputError(f"{name} = {value} is not a number; give a number in [-1, 1]")
    if not bool(abs(value) <= 1):
        raise InputError(f"{name} = {value} is outside [-1, 1]; give the correlation of two inputs")


def check_order(order: int) -> int:
    """A power of t, at least 2."""
    if is_truth(order) or not isinstance(order, int) or order < 2:
        raise InputError(f"order = {order} is not a whole number of at least 2; ask for a power of t to stop at")
    return order
