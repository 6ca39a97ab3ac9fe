"""The correlation map of a composition: formulas, expansions and numbers, as of any correlation map."""

from dataclasses import dataclass

from sympy import Expr, Integer, simplify

from asympt.architectures.composed.form import Form, FormAtOne
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial
from asympt.expansions.opaque import RealConstant
from asympt.expansions.typesetting import tex
from asympt.gaussian.price.relu_like import SCALE
from asympt.meanfield.correlation import CorrelationMap, check_order
from asympt.numbers import symbol_names


@dataclass(frozen=True, repr=False)
class ComposedMap(CorrelationMap):
    """g of a composition: formulas, expansions and numbers, as of any correlation map.

    >>> from sympy import Integer
    >>> from asympt.architectures.composed.stages import compiled
    >>> from asympt.blocks import read_block
    >>> g = ComposedMap(Form(compiled(read_block("serial(relu, dense(sqrt(2)))"), Integer(1)).stages, ("relu",)))
    >>> g.closed_form
    (-c*acos(c) + pi*c + sqrt(1 - c**2))/pi
    """

    form: Form

    def _source(self) -> str:
        return "; ".join(map(str, self.form.key))

    @property
    def multiplier(self) -> Expr:
        """g'(1)."""
        return self.form.chi

    @property
    def own_form(self) -> Expr | None:
        """o(c) as an expression in c."""
        return None if self.form.formulas is None else _readable(self.form.formulas.own)

    @property
    def closed_form(self) -> Expr | None:
        """g(c) as an expression in c."""
        return None if self.form.formulas is None else _readable(1 - self.form.formulas.lost)

    @property
    def closed_slope(self) -> Expr | None:
        """g'(c) as an expression in c."""
        return None if self.form.formulas is None else _readable(self.form.formulas.slope)

    def expansion(self, order: int = 9) -> Expansion:
        """g in t = sqrt(1 - c), up to t^order."""
        series = FormAtOne(self.form, check_order(order) * self.form.root // 2)
        known = {(2 * k // series.root, 0): _spelled(-series.lost(k)) for k in range(order * series.root // 2 + 1)}
        following = order + 1 if self.form.root == 2 else order + 2 - order % 2
        return Expansion.build(SCALE, known | {(0, 0): Integer(1)}, Formal(Monomial(Integer(following))))

    def gap(self, gamma):
        """1 - g(1 - gamma)."""
        return self.form.numbers(gamma).lost

    def gap_slope(self, gamma):
        """g'(1 - gamma)."""
        return self.form.numbers(gamma).slope

    def require_numbers(self) -> None:
        """An error when it contains symbols."""
        symbols = self.form.parameters
        if symbols:
            raise UnsupportedError(f"the network contains {symbol_names(symbols)}; give numbers to evaluate")

    def __str__(self) -> str:
        return str(self.closed_form if self.closed_form is not None else self.expansion(5))

    def latex(self) -> str:
        """The formula, or the expansion, in LaTeX."""
        return tex(self.closed_form) if self.closed_form is not None else self.expansion(5).latex()


def _spelled(coefficient: Expr) -> Expr:
    """With the formulas of the constants that have one."""
    return coefficient.xreplace({c: c.exact for c in coefficient.atoms(RealConstant) if c.exact is not None})


def _readable(expression: Expr) -> Expr:
    return simplify(expression) if expression.count_ops() < 60 else expression
