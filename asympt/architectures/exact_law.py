"""A law that is an identity: a quantity known for every depth, without a remainder.

Rule.  The expansion is finite and exact; evaluating it is evaluating its terms, at two precisions that must agree.

Tiny case.  K^L(x, x)/q = L on the Edge of Chaos.
"""

from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp
from sympy import Expr, Integer

from asympt.errors import UnsupportedError
from asympt.numbers import to_mpf
from asympt.recursions import steps
from asympt.recursions.agreement import agreed
from asympt.recursions.law import Law
from asympt.recursions.place import numeric
from asympt.recursions.protocol import Step
from asympt.symbols import Reserved

GUARD = 12


def no_start() -> Expr:
    """The reader of a law that holds whatever the start is."""
    return Integer(0)


@dataclass(frozen=True, kw_only=True)
class ExactLaw(Law):
    """quantity = expansion, for every depth; `constant`: what C is for a start, None when C does not occur.

    >>> from asympt.architectures import FeedForward
    >>> law = FeedForward("relu").ntk_diagonal_law()
    >>> print(law, law.evaluate(depth=7))
    L 7.0
    """

    constant: Callable[[Expr], Expr] | None = None
    layer: object = None

    kind = "exact"

    @property
    def parameters(self) -> set:
        """The free symbols other than C and the depth."""
        own = set() if self.symbols is None else set(self.symbols.values())
        return {symbol for symbol in self.to_sympy().free_symbols - own if not isinstance(symbol, Reserved)}

    def _steps(self) -> tuple[Step, ...]:
        return steps.exact(self)

    def _value(self, start: Expr, depth: int, digits: int):
        values = {self.constant_symbols["C"]: self.constant(start)} if self.constant else {}
        formula = numeric(self.to_sympy().subs(values), self.depth_variable)
        digits_of_power = len(str(depth))  # chi^depth loses as many digits as the depth has

        def at(more: int):
            with mp.workdps(digits + GUARD + digits_of_power + more):
                return formula(mp.mpf(depth))

        return agreed(lambda extra: [at(extra + more) for more in (0, 10)], digits)

    def _constants(self, start: Expr, digits: int) -> tuple:
        if self.constant is None:
            raise UnsupportedError("this law holds exactly for every start and has no connection constant")
        with mp.workdps(digits + GUARD):
            return to_mpf(self.constant(start)), None
