"""The law of a recursion: an expansion in the depth, and everything needed to evaluate and to check it.

There is one class; what differs between the kinds of recursions is data (`Coordinate`).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from sympy import Expr, Symbol, expand, simplify
from sympy import latex as sympy_latex

from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Remainder, typesetting
from asympt.expansions.printing import plain_quantity
from asympt.recursions import steps
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.law_numbers import NumbersOfLaw
from asympt.recursions.protocol import Coordinate, Step, Unknown, moving_monomial
from asympt.recursions.summary import DIGITS, Summary, coefficient_of, summarised
from asympt.saving import Saved
from asympt.showing import one_line
from asympt.symbols import Reserved, named, reserved_in

STEPS = Reserved("n", positive=True)


@dataclass(frozen=True)
class Law(NumbersOfLaw, Saved):
    """What happens at large depth.

    quantity:  LaTeX of what the law describes;
    expansion: it, in the depth variable, with the connection constants symbolic;
    reader:    turns the keyword arguments of `evaluate` into the exact starting value;
    name:      which law this is, for tables and file names;
    coordinate: in which the recursion makes steps of known length: exact, and in numbers;
    linear:    the solution P + D H of the linear recursion along it, for a law of that;
    fixed, observable: the fixed point and the side, and how the quantity is read off the distance y from there; None
               for the recursion in y from the start, and where the quantity is y itself (or a);
    average:   the quantity is a_l / l instead of a_l;
    norm:      a function of the depth and of digits that gives what else a_l is divided by;
    flow_source: for a linear law, a function that derives `flow`;
    universal_source: a function that gives the law of the family, for free parameters such as alpha = alpha_(-m);
    stands_for: for the law of a family, what its free parameters are in the member that it was asked of;
    formulas_source: a function that gives A, and P and H, as far as their coefficients are formulas, where the law's
               own go on with constants known by their digits;
    layer:     the network's layer or statement, for whoever iterates it;
    text:      the quantity for a terminal, where that does not follow from the LaTeX;
    symbols:   what the depth and the constants C and D are called here, by the derivation's own symbols for them.
    """

    quantity: str
    expansion: Expansion
    reader: Callable[..., Expr] | None = None
    name: str = "law"
    coordinate: Coordinate = field(default=Unknown(), kw_only=True)
    linear: object = field(default=None, kw_only=True)
    fixed: FixedPoint | None = field(default=None, kw_only=True)
    observable: FixedPoint | Observable | None = field(default=None, kw_only=True)
    average: bool = field(default=False, kw_only=True)
    norm: Callable | None = field(default=None, kw_only=True)
    flow_source: Callable[[], Expansion] | None = field(default=None, kw_only=True)
    universal_source: "Callable[[], Law] | None" = field(default=None, kw_only=True)
    stands_for: Mapping = field(default_factory=dict, kw_only=True, repr=False, compare=False)
    formulas_source: Callable[[], tuple] | None = field(default=None, kw_only=True)
    layer: object = field(default=None, kw_only=True)
    text: str = field(default="", kw_only=True)
    symbols: Mapping | None = field(default=None, kw_only=True, repr=False, compare=False)
    start: ClassVar[Expr | None] = None  # for which the sides of an orbit that changes them are decided

    def __post_init__(self):
        """What a derivation calls n, C and D gets a name that no parameter has."""
        parts = {part: getattr(self, part) for part in ("expansion", "odd") if hasattr(self, part)}
        for part, found in parts.items():
            if not isinstance(found, Expansion):
                raise InputError(f"{part} = {found!r} is not an expansion; a law needs one, with its scale")
            found.require_whole()
        if self.symbols is None:
            object.__setattr__(self, "symbols", self._named())
        for part, found in parts.items():
            object.__setattr__(self, part, self.renamed(found))
        object.__setattr__(self, "quantity", self._quantity())

    def _named(self) -> dict:
        depth = self.expansion.scale.variable
        seen, users = [depth, *(c for _, c in self.expansion.terms)], self.parameters | depth.free_symbols
        if _has_reserved(self.expansion):  # then what is not reserved is a user's
            users = users.union(*(part.free_symbols for part in seen))
        users -= set(reserved_in(*users))
        own = [*reserved_in(depth), CONNECTION, SECOND, *reserved_in(*seen)]
        return named(dict.fromkeys(own), users | set(map(_index, users)))

    def _quantity(self) -> str:
        """The quantity with the name of the depth, which comes first among the symbols."""
        own, symbol = next(iter(self.symbols.items()))
        if own.name == symbol.name or own == CONNECTION:
            return self.quantity
        if self.observable is not None and self.quantity == self.observable.quantity:
            return self.observable.quantity_at(sympy_latex(symbol))
        return re.sub(rf"(?<![A-Za-z\\]){own.name}(?![A-Za-z])", lambda _: sympy_latex(symbol), self.quantity)

    def renamed(self, expansion: Expansion) -> Expansion:
        """An expansion of the derivation in this law's symbols."""
        return expansion.renamed(self.symbols) if _has_reserved(expansion) else expansion

    @property
    def plain(self) -> str:
        """The quantity as text, for a terminal."""
        if self.text:
            return self.text
        seen = self.observable
        return plain_quantity(self.quantity) if seen is None else seen.plain_at(self.depth_variable)

    @property
    def of_variance(self) -> bool:
        """Whether it is about the variance of one input, which knows no correlation."""
        return self.name == "variance"

    # ---- the coordinate -------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """The kind of the recursion: 'parabolic', 'hyperbolic', 'driven', ..."""
        return self.coordinate.kind

    @property
    def dynamics(self) -> Any:
        """The original recursion in the distance y from the fixed point; None for a law that has no such."""
        return getattr(self.coordinate, "dynamics", None)

    @property
    def abel(self) -> Any:
        """The Abel function A of a parabolic law, with alpha_0 = 0: A(t_l) = l + C; None for another law."""
        return self.coordinate.abel

    @property
    def koenigs(self) -> Any:
        """The Koenigs function S = y + ... of a hyperbolic law: S(y_l) = chi^l C; None for another law."""
        return self.coordinate.koenigs

    @property
    def time(self) -> Expansion | None:
        """The flow time T of a law whose step sizes depend on the layer, T(x_l) = (sum of the steps) + C + small."""
        return self.coordinate.time

    @property
    def condition(self) -> Expr:
        """What the parameters must fulfil for the law to hold; true when there is nothing to assume."""
        return self.coordinate.condition

    def changed(self, **parts) -> "Law":
        """The law with another coordinate: the same one with other `parts` (its `dynamics`, its exact function)."""
        return replace(self, coordinate=replace(self.coordinate, **parts))

    @property
    def formulas(self) -> tuple:
        """A, and P and H, as far as their coefficients are formulas."""
        return self.formulas_source() if self.formulas_source else (self.abel, self.linear)

    def universal(self) -> "Law | None":
        """The law of the family that it comes from, if there is one: with alpha = alpha_(-m), say, as a free symbol."""
        return self.universal_source() if self.universal_source else None

    # ---- reading --------------------------------------------------------------------------------

    @property
    def branches(self) -> dict[int, Expansion]:
        """{r: the expansion at depths that leave the remainder r when divided by the number of branches}.

        There is one, {0: expansion}, unless the orbit changes sides for ever (`FlipLaw`): then 0 is for even depths
        and 1 for odd ones.
        """
        return {0: self.expansion}

    def branch(self, depth: int) -> Expansion:
        """The expansion that holds at one depth."""
        return self.branches[depth % len(self.branches)]

    def for_start(self, start=None, **given) -> "Law":
        """The law with all that depends on the start decided for this one: which side comes at even depths."""
        return self

    def branches_for(self, start=None, **given) -> dict[int, Expansion]:
        """`branches` for the orbit of one start, given as in `evaluate`."""
        return self.for_start(start, **given).branches

    @property
    def limit(self) -> Expr:
        """The limit at infinite depth; infinite when the leading term grows.

        Raises `UnsupportedError` when the leading term changes sign for ever.
        """
        return self.coordinate.limit(self.expansion, self.plain)

    @property
    def rate(self) -> Expr:
        """The size of (quantity - limit), or of a quantity that grows: a monomial without its coefficient."""
        return self.expansion.scale.to_sympy(moving_monomial(self.expansion))

    @property
    def remainder(self) -> Remainder | None:
        """The typed remainder of the expansion."""
        return self.expansion.remainder

    def coefficient(self, monomial, digits: int | None = None) -> Expr:
        """The coefficient of one monomial of `expansion`: exact, or with so many `digits` in numbers.

        `monomial`: a text or an expression in the depth variable such as "log(L)/L", or (order, logs).  One that the
        law could have and has not gives 0; `InputError` for one that the remainder hides or that is of another kind.

        >>> from asympt.recursions.recursion import Recursion
        >>> x = Symbol("x", positive=True)
        >>> law = Recursion(x / (1 + x) + x**4 / 7, x).law(terms=3)
        >>> law.coefficient("1/n^2"), law.coefficient("log(n)/n^3"), law.coefficient("1/n^3", digits=5)
        (-C, 0, C**2 - 0.14286)
        """
        return coefficient_of(self, monomial, digits)

    def summary(self, verification=None, digits: int = DIGITS) -> Summary:
        """The law on one page: every term as formula and number, limit, rate, constants, remainder, stability.

        `verification`: what `asympt.verify` said of the law, for its verdict.

        >>> from asympt.recursions.recursion import Recursion
        >>> x = Symbol("x", positive=True)
        >>> print(Recursion(x - 3 * x**2, x).law(terms=2).summary())
        x_n
        <BLANKLINE>
          term        coefficient  number
          1/n         1/3          0.3333333333
          log(n)/n^2  -1/3         -0.3333333333
        <BLANKLINE>
          limit      0
          rate       1/n
          remainder  O(1/n^2), formal
        """
        return summarised(self, digits, verification)

    @property
    def parameters(self) -> set:
        """The free symbols of the law other than its constants C and D: the parameters of the map."""
        found = self.coordinate.parameters(self.linear)
        return found if self.fixed is None else found | self.fixed.point.free_symbols

    @property
    def stability(self) -> Any:
        """How the variance q at which a network's law is derived treats its neighbours; None where there is no such q.

        A law at an unstable q holds for inputs with q^1 = q alone: `print(law.stability)` says what others do.
        """
        try:
            return getattr(self.layer, "stability", None)
        except UnsupportedError:  # symbols, or a variance that settles nowhere
            return None

    @property
    def depth_variable(self) -> Symbol:
        """The symbol of the depth."""
        return self.expansion.scale.depth

    @property
    def constant_symbols(self) -> dict[str, Symbol]:
        """The symbols of C and D in this law: C_0, say, where a parameter is called C.

        >>> from asympt.recursions.recursion import Recursion
        >>> x, c = Symbol("x"), Symbol("C", positive=True)
        >>> law = Recursion(x - c * x**2, x).law(terms=1)
        >>> law.constant_symbols["C"], law.parameters
        (C_0, {C})
        """
        return {own.name: self.symbols[own] for own in (CONNECTION, SECOND)}

    def in_symbols_of(self, other: "Law") -> Expansion:
        """The expansion with the depth and the constants called as in another law."""
        names = {self.constant_symbols[name]: symbol for name, symbol in other.constant_symbols.items()}
        return self.expansion.renamed(names | {self.depth_variable: other.depth_variable})

    def belongs_to(self, family: "Law") -> bool:
        """Whether the family's coefficients become this law's own, as written or after SymPy's simplification."""
        known, own = family.in_symbols_of(self).coefficients, self.expansion.coefficients
        return set(known) == set(own) and all(
            expand(rest, log=False) == 0 or simplify(rest) == 0
            for rest in (known[monomial].subs(family.stands_for) - c for monomial, c in own.items())
        )

    @cached_property
    def flow(self) -> Expansion | None:
        """For a linear law, the expansion of the distance y_l that it runs along; derived when first asked for."""
        return self.renamed(self.flow_source()) if self.flow_source else None

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What the derivation did and found, in its order; derived no further than the law itself.

        >>> from asympt.recursions.recursion import Recursion
        >>> x = Symbol("x", positive=True)
        >>> for step in Recursion(x / (1 + x), x).law(terms=2).steps:
        ...     print(step.kind, *step.objects)
        map ratio multiplier image slope formula
        uniformiser growth root formula
        coordinate abel advance system
        inversion t s balance
        quantity law seen
        """
        return self._steps()

    def _steps(self) -> tuple[Step, ...]:
        if self.abel is not None:
            return steps.parabolic(self)
        if self.koenigs is not None:
            return steps.hyperbolic(self)
        if self.time is not None:
            return steps.flowing(self)
        return (*self.coordinate.steps(self), steps.quantity(self))

    def to_sympy(self) -> Expr:
        """The expansion as a SymPy expression, without the remainder."""
        return self.expansion.to_sympy()

    def latex(self, split: bool = False) -> str:
        r"""quantity = expansion, in LaTeX.

        `split`: as an align* environment in lines no wider than the text of an article, with the meaning of its letters
        in a sentence below.

        >>> from asympt.recursions.recursion import Recursion
        >>> x = Symbol("x", positive=True)
        >>> print(Recursion(x / (1 + x), x).law(terms=2).latex(split=True))
        \begin{align*}
        x_{n} &= \frac{1}{n} - \frac{C}{n^{2}} + O\!\left(\frac{1}{n^{3}}\right),
        \end{align*}
        where $C$ depends on the start.
        """
        if split:
            return typesetting.split(self._rows(), tuple(self.constant_symbols.values()))
        return f"{self.quantity} = {self.expansion.latex()}"

    def _rows(self) -> list[tuple[str, Expansion, str]]:
        """The equations of the law: quantity, expansion, what stands behind."""
        return [(self.quantity, self.expansion, "")]

    def __str__(self) -> str:
        return str(self.expansion)

    def __repr__(self) -> str:
        return one_line(type(self).__name__, f"{self.plain} = {self}")

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"


def _has_reserved(expansion: Expansion) -> bool:
    """Whether it is in the symbols of a derivation."""
    return bool(reserved_in(expansion.scale.variable, *(c for _, c in expansion.terms)))


def _index(symbol: Symbol) -> Symbol:
    """The index in a name such as x_n, which the depth must not be called either."""
    return Symbol(symbol.name.rpartition("_")[2].strip("{}"))
