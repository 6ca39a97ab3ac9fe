"""Names for the numbers in a law: a coefficient that is long, or known by its digits only, becomes one symbol.

What is algebraic, or short in pi, stays as it is; every other one becomes a `RealConstant` (f''(1), e_5) that knows its
digits, and its formula where there is one.  Its key says which layer it belongs to.
"""

from collections.abc import Callable

from sympy import Add, E, Expr, Function, count_ops, fraction, together

from asympt.expansions.opaque import RealConstant
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf

SHORT = 12  # operations of a coefficient that is left as it is


class Coefficient(RealConstant):
    """A coefficient that is known not to vanish, because the expansion kept it; no digits are computed to see that."""

    is_zero = False

    def _eval_is_positive(self):
        return None

    def _eval_is_negative(self):
        return None


class PositiveCoefficient(RealConstant):
    """A coefficient known to be positive: a moment E[phi^(n)(x)^2], or the square of a jump times a positive number."""

    is_positive = True


def named(
    name: str, latex: str, key: tuple, coefficient: Expr, digits: Callable | None = None, kind: type = Coefficient,
    simple: Callable[[Expr], bool] | None = None,
) -> Expr:
    """The coefficient itself when it is simple, else a constant with this name.

    `digits`: how to compute it at mpmath's precision, when that is faster than by the formula; `kind`: what is known
    of its sign; `simple`: another rule than `is_simple`.
    """
    if (simple or is_simple)(coefficient):
        return coefficient
    formula = coefficient if _in_layer_numbers(coefficient) else None
    return kind(name, digits or (lambda: to_mpf(coefficient)), key=key, latex=latex, exact=formula)


def is_simple(coefficient: Expr) -> bool:
    """Whether a reader wants to see it: a short expression of algebraic numbers and pi."""
    return not coefficient.has(Function, RealConstant, E) and count_ops(coefficient) <= SHORT


def is_plain(coefficient: Expr) -> bool:
    """Whether it is simple and its powers and products with others stay so: a number without a sum in its denominator.
    """
    below = fraction(together(coefficient))[1]
    return is_simple(coefficient) and (bool(coefficient.free_symbols) or not below.has(Add))


def _in_layer_numbers(coefficient: Expr) -> bool:
    """Whether the only numbers without a formula are those of the layer, sigma_w and q."""
    return all(c.name in LAYER_NUMBERS for c in coefficient.atoms(RealConstant))


def derivative_latex(n: int, at: str = "1", of: str = "f") -> str:
    """f''(1), f'''(1), f^{(4)}(1), ..."""
    return f"{of}{chr(39) * n}({at})" if n <= 3 else f"{of}^{{({n})}}({at})"


LAYER_NUMBERS = ("q", "sigma_w", "sigma_b")


def key_of(layer: Layer) -> tuple:
    """What determines the maps of a layer."""
    return layer.activation.piecewise, layer.weight_variance, layer.bias_variance, layer.fixed_variance
