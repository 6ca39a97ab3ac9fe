"""What laws are made of: identities, which hold at every depth, readers of starts, and names for their numbers."""

from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp
from sympy import Add, E, Expr, Function, Symbol, count_ops, fraction, together

from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion
from asympt.expansions.opaque import RealConstant
from asympt.meanfield.correlation import check_correlation
from asympt.meanfield.layer import Layer
from asympt.numbers import exact, positive, to_mpf
from asympt.recursions import steps
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.abel_inversion import CONNECTION
from asympt.recursions.fixed_point import numeric
from asympt.recursions.law import Law
from asympt.recursions.protocol import Coordinate, Known, Step
from asympt.symbols import Reserved

GUARD = 12


@dataclass(frozen=True)
class Identity(Coordinate):
    """A quantity known for every depth: `formula` in the depth and C; `constant`: what C is for a start, or None."""

    formula: Expr
    depth: Symbol
    constant: Callable[[Expr], Expr] | None = None

    kind = evidence = "exact"

    def parameters(self, linear) -> set:
        """The free symbols other than C and the depth."""
        return {s for s in self.formula.free_symbols - {self.depth, CONNECTION} if not isinstance(s, Reserved)}

    def steps(self, law) -> tuple[Step, ...]:
        """The affine recursion that this solves, if it is one."""
        return steps.exact(law)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        values = {CONNECTION: self.constant(start)} if self.constant else {}
        formula = numeric(self.formula.subs(values), self.depth)
        with mp.workdps(route.digits + GUARD + len(str(depth))):
            return (formula(mp.mpf(depth)),)

    def crossing(self, start: Expr, route: Route) -> Known:
        """C."""
        if self.constant is None:
            raise UnsupportedError("this law holds exactly for every start and has no connection constant")
        with mp.workdps(route.digits + GUARD):
            return Known(to_mpf(self.constant(start)))


def exact_law(quantity: str, expansion: Expansion, reader: Callable, name: str, layer, constant=None) -> Law:
    """quantity = expansion, for every depth; `constant`: what C is for a start, None when C does not occur.

    >>> from asympt.architectures import FeedForward
    >>> law = FeedForward("relu").ntk_diagonal_law()
    >>> print(law, law.evaluate(depth=7))
    L 7.0
    """
    coordinate = Identity(expansion.to_sympy(), expansion.scale.depth, constant)
    return Law(quantity, expansion, reader, name, coordinate=coordinate, layer=layer)


def read_start(correlation=None, gap=None) -> Expr:
    """The exact gap 1 - c^1 from exactly one of `correlation` and `gap`."""
    if (correlation is None) == (gap is None):
        raise InputError("give either correlation = c^1 or gap = 1 - c^1, for example correlation='1/10'")
    start = 1 - exact(correlation, "correlation") if gap is None else exact(gap, "gap")
    if gap is not None and start.is_number and not bool(abs(start - 1) <= 1):
        raise InputError(f"gap = {start} is outside [0, 2]; give 1 - c^1 of two inputs")
    check_correlation(1 - start)
    return start


def start_about(fixed_gap: Expr) -> Callable[..., Expr]:
    """A reader of the distance (1 - c^1) - (1 - c*) from the fixed point of the chaotic phase."""

    def read(correlation=None, gap=None) -> Expr:
        start = read_start(correlation, gap)
        if start == 0:
            raise InputError(
                "correlation = 1 stays at 1 in the chaotic phase, where 1 repels; give c^1 < 1, or take "
                "ntk_diagonal_law for the NTK of one input"
            )
        return start - fixed_gap

    return read


def read_variance(variance=None) -> Expr:
    """The exact variance q^1 of the first layer."""
    if variance is None:
        raise InputError("no starting variance was given; pass variance=q^1, for example variance=1")
    value = positive(variance, "variance", "the variance q^1 of the first layer")
    if not value.is_number:
        raise InputError(f"variance = {value} is not a number; give a positive number")
    return value


# What is algebraic, or short in pi, stays as it is; every other one becomes a `RealConstant` (f''(1), e_5) that knows
# its digits, and its formula where there is one.  Its key says which layer it belongs to.


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
    in_layer_numbers = all(c.name in LAYER_NUMBERS for c in coefficient.atoms(RealConstant))  # else no formula
    formula = coefficient if in_layer_numbers else None
    return kind(name, digits or (lambda: to_mpf(coefficient)), key=key, latex=latex, exact=formula)


def is_simple(coefficient: Expr) -> bool:
    """Whether a reader wants to see it: a short expression of algebraic numbers and pi."""
    return not coefficient.has(Function, RealConstant, E) and count_ops(coefficient) <= SHORT


def is_plain(coefficient: Expr) -> bool:
    """Whether it is simple and its powers and products with others stay so: a number without a sum in its denominator.
    """
    below = fraction(together(coefficient))[1]
    return is_simple(coefficient) and (bool(coefficient.free_symbols) or not below.has(Add))


def derivative_latex(n: int, at: str = "1", of: str = "f") -> str:
    """f''(1), f'''(1), f^{(4)}(1), ..."""
    return f"{of}{chr(39) * n}({at})" if n <= 3 else f"{of}^{{({n})}}({at})"


LAYER_NUMBERS = ("q", "sigma_w", "sigma_b")


def key_of(layer: Layer) -> tuple:
    """What determines the maps of a layer."""
    return layer.activation.piecewise, layer.weight_variance, layer.bias_variance, layer.fixed_variance
