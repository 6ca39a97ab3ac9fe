"""The constants of one computation: reading them into the field, and proving what they are.

Problem.  Constants appear while one computes (sqrt(2) from sqrt(2 + y)), must be real and finite, and decisions depend
on whether they are zero, positive or free of logarithms.

Rule.  A constant that is not in the field raises `Missing`, and the computation starts again in a larger one; one
that is not real, or a question that cannot be answered, is a `Refusal`, the end of a sentence that the caller starts.

Tiny case.  In QQ, 1/2 is a number and sqrt(2) is `Missing`; in the ring QQ[a], 1/a is.

Known limits.  Those of `decisions`.
"""

from collections.abc import Sequence
from functools import lru_cache

from sympy import Add, Expr, Pow, nan, oo, trigsimp, zoo
from sympy.functions.elementary.trigonometric import TrigonometricFunction
from sympy.polys.polyerrors import CoercionFailed

from asympt.expansions.fields.decisions import is_zero, sign
from asympt.expansions.fields.field import Field, inverse
from asympt.expansions.formulas.laurent import LOG, Missing, Refusal


def _is_real(constant: Expr) -> bool:
    """Whether a number is real, by its assumptions or else by its digits: SymPy does not know it of Ci(-1)."""
    known = constant.is_extended_real
    if known is not None:
        return bool(known)
    value = constant.evalf(20, chop=True)
    return not (value.is_finite and value.is_extended_real is False)


class Coefficients:
    """A field and what is known about its constants; `vanishing` are constants known to be zero.

    >>> from sympy import Rational
    >>> print(Coefficients(Field.of([])).number(Rational(1, 2)))
    1/2
    """

    def __init__(self, field: Field, vanishing: Sequence[Expr] = ()):
        self.field, self.vanishing = field, vanishing
        self.zero, self.one = field.domain.zero, field.domain.one
        self._logarithmic = any(symbol.has(LOG) for symbol in getattr(field.domain, "symbols", ()))

    def number(self, constant: Expr):
        """A constant as an element of the field; `Missing` when it is not in there, `Refusal` when it is not real."""
        if constant.has(oo, -oo, zoo, nan) or (constant.is_number and not _is_real(constant)):
            raise Refusal(f"the constant {constant} is not a finite real number")
        element = self.numbers([constant])[0]
        for power in constant.atoms(Pow):
            if power.exp.is_negative and power.exp.is_Integer and self.is_zero(self.numbers([power.base])[0]):
                raise Refusal("it divides by zero")
        return element

    def numbers(self, constants: Sequence[Expr]) -> list:
        """Finite real constants as elements; all of them are `Missing` together."""
        try:
            return self.field.enter(constants)
        except CoercionFailed:
            raise Missing(*constants) from None
        except ZeroDivisionError:  # of SymPy's fields, where a constant divides by what is 0 there
            raise Refusal("it divides by zero") from None

    def is_zero(self, element) -> bool:
        """Whether an element is zero, proved."""
        return is_zero(self.field, element, self.vanishing)

    def inverse(self, element):
        """1/element; the field is enlarged if it is only a ring."""
        self._refuse_log(element, "divided by")
        try:
            return inverse(self.field.domain, element)
        except CoercionFailed:
            raise Missing(1 / self.field.leave(element)) from None

    def positive(self, element, what: str) -> Expr:
        """An element as an expression, refused when it is known to be negative; `what` is done with it."""
        self._refuse_log(element, f"put under {what}")
        if sign(self.field, element) == -1:
            raise Refusal(f"it is {what} of something negative, which is not real")
        return _in_short(self.field.leave(element))

    def sign_of(self, element) -> int:
        """+1 or -1."""
        self._refuse_log(element, "asked for its sign")
        found = sign(self.field, element)
        if found is None:
            raise Refusal(f"the sign of {self.field.leave(element)} is not known; declare its symbols positive")
        return found

    def _refuse_log(self, element, what: str) -> None:
        if self._logarithmic and self.field.leave(element).has(LOG):
            raise Refusal(f"something that grows like a logarithm is {what}")


@lru_cache(maxsize=1024)
def _in_short(constant: Expr) -> Expr:
    """1 - sin(1)^2 as cos(1)^2, whose root is no new constant."""
    return trigsimp(constant) if isinstance(constant, Add) and constant.has(TrigonometricFunction) else constant
