"""The polynomial ring in which an Abel function is inverted, and the way there and back.

Problem.  The recurrences of `inversion_series` want elements with fast +, * and tests for zero: polynomials.  Their
constants are rational functions of parameters, algebraic numbers, pi, ...

Rule.  X, log s and whatever the constants contain generate one ring (`Field`).  Where that takes fractions, use that
the recurrences commute with s -> d s:

    d^j b_j,  d^m r,  d^m X,  d^o f_o    in place of    b_j,  r,  X,  f_o t^o    multiply s^q in the result by d^q;

choose d such that all these are polynomials, up to a common denominator of the f in front, and divide at the end.

Tiny case.  t - t^2/a has A = a/t + log t + ...: r = 1/a asks for d = a.

Known limits.  A constant that no exact field holds becomes a generator of its own; that such constants cancel is seen
only when SymPy expands them.
"""

from collections.abc import Iterable, Mapping

from sympy import EX, Dummy, Expr
from sympy.polys.fields import FracElement
from sympy.polys.rings import PolyElement

from asympt.expansions.expansion import expanded
from asympt.expansions.fields.field import Field
from asympt.reading import as_sympy

X, LOG_UNIT = Dummy("X"), Dummy("log_unit")


class InversionRing:
    """Polynomials in `x`, `log_unit` and whatever the given constants need.

    `moving`, `observed`: given as pairs (k, constant), where d^k times the constant is to be a polynomial (k > 0; for
    `observed`, k = 0 or more, with a common denominator in front); kept as these polynomials.

    >>> from sympy import Symbol
    >>> a = Symbol("a")
    >>> ring = InversionRing(moving=[(1, 1 / a), (2, 1 / a**3)], observed=[(0, 1 / a)])
    >>> ring.moving, ring.observed, ring.leave(ring.moving[1] * ring.observed[0], ring.one, 2, {})
    ([a, a], [1], a**(-4))
    """

    def __init__(self, moving: Iterable[tuple[int, Expr]], observed: Iterable[tuple[int, Expr]]):
        moving, observed = ([(k, as_sympy(c)) for k, c in pairs] for pairs in (moving, observed))
        self._named, field = _field_of([c for _, c in moving + observed])
        self.x, self.log_unit = (_parts(generator)[0] for generator in field.enter([X, LOG_UNIT]))
        moving, observed = (
            [(k, *_parts(*field.enter([c.xreplace(self._named)]))) for k, c in pairs] for pairs in (moving, observed)
        )
        self.one = self.x.ring.one
        self._front = _multiple(self.one, [below for k, _, below in observed if not k])
        self._scale = _scale(self.one, moving, self._front, observed)
        self.moving = [above * (self._scale**k).exquo(below) for k, above, below in moving]
        self.observed = [above * (self._front * self._scale**k).exquo(below) for k, above, below in observed]

    def leave(self, above: PolyElement, below: PolyElement, power: int, values: Mapping[Expr, Expr]) -> Expr:
        """above/below/d^power, without the denominator in front, expanded, with `values` put in for generators."""
        above, below = above * self._scale ** max(0, -power), self._front * below * self._scale ** max(0, power)
        if len(below) > 1:
            above, below = above.cancel(below)
        known = {dummy: constant for constant, dummy in self._named.items()} | values
        symbols = [known.get(symbol, symbol) for symbol in self.one.ring.symbols]
        return expanded(above.quo_ground(below.LC).as_expr(*symbols) / below.monic().as_expr(*symbols))


def _field_of(constants: list[Expr]) -> tuple[dict[Expr, Dummy], Field]:
    """The field of the constants, X and LOG_UNIT; names for the constants where there is none but for names."""
    field = Field.of([X, LOG_UNIT, *constants])
    if field.domain is not EX:
        return {}, field
    named = {c: Dummy("constant") for c in constants if not c.is_Rational}
    return named, Field.of([X, LOG_UNIT, *named.values()])


def _parts(element) -> tuple[PolyElement, PolyElement]:
    """Numerator and denominator."""
    if isinstance(element, FracElement):
        return element.numer, element.denom
    return element, element.ring.one


def _multiple(multiple: PolyElement, parts: Iterable[PolyElement]) -> PolyElement:
    """The smallest common multiple."""
    for part in parts:
        multiple = multiple * part.exquo(part.gcd(multiple))
    return multiple


def _scale(one: PolyElement, moving: Iterable, front: PolyElement, observed: Iterable) -> PolyElement:
    """d: some polynomial of which high enough powers are multiples of all the denominators."""
    scale = one
    for head, pairs in ((one, moving), (front, observed)):
        for k, _, below in pairs:
            while (multiple := head * scale**k) % below:
                scale = scale * below.exquo(below.gcd(multiple))
    return scale
