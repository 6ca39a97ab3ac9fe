"""The law of a recursion: an expansion in the depth, and everything needed to evaluate and to check it.

There is one class; what differs between the kinds of recursions is data (`Coordinate`).
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib import import_module
from typing import Any, ClassVar

from mpmath import mp
from sympy import Expr, Integer, Symbol, expand, simplify
from sympy import latex as sympy_latex

from asympt.deadline import READING, attempted, in_budget
from asympt.errors import AsymptError, InputError, OverrunError, UnsupportedError
from asympt.expansions import Expansion, Heuristic, Remainder, typesetting
from asympt.expansions.printing import not_called, plain_quantity
from asympt.numbers import check_depth, check_digits, exact, positive, symbol_names, to_mpf
from asympt.recursions import evaluation, steps
from asympt.recursions.agreement import GUARD
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND
from asympt.recursions.evaluation import Evaluated
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.protocol import Coordinate, Step, Unknown, moving_monomial
from asympt.recursions.summary import DIGITS, Summary, coefficient_of, summarised
from asympt.recursions.unsettled import Unsettled
from asympt.saving import Saved, same
from asympt.showing import formula, one_line
from asympt.spelling import named as known_by
from asympt.spelling import near
from asympt.symbols import Reserved, named, reserved_in

NORMED = 2  # digits more of a quotient's parts
FEW = 5  # digits, to see where an orbit goes
NOT_A_NUMBER = not_called("compute with law.to_sympy() or law.expansion", "a number or a formula")
STANDARD = 30  # digits, unless more or fewer are requested
PATIENCE = 20.0  # seconds for a proof of a number, before two routes are taken
PROVING = "a proof of the number"
STEPS = Reserved("n", positive=True)
START_NAMES = {"correlation": ("c^1", "c^{1}"), "gap": ("1 - c^1", "1-c^{1}")}
PUBLIC = (
    *("quantity", "expansion", "to_sympy", "latex", "summary", "coefficient", "subs", "plot"),
    *("limit", "rate", "remainder", "branches", "abel", "parameters", "steps"),
    *("evaluate", "connection_constant", "second_constant", "effective_correlation", "depth_for", "to_numpy"),
    *("trust", "enclose", "certificate"),
)


@dataclass(frozen=True, eq=False)
class Law(Saved):
    """The depth law of a quantity: its asymptotic expansion at large depth.

    >>> from asympt import FeedForward
    >>> law = FeedForward("relu").ntk_law(terms=2)
    >>> print(law, law.limit, law.evaluate(depth=10**6, correlation="1/10", digits=15), sep="; ")
    1/4 + 3*log(L)/(8*L) + O(1/L); 1/4; 0.250005964390648

    `dir(law)` lists the public names:

    * the formula: `quantity`, `expansion`, `to_sympy`, `latex`, `summary`, `coefficient`, `subs`, `plot`;
    * its properties: `limit`, `rate`, `remainder`, `branches`, `abel`, `parameters`, `steps`;
    * numbers: `evaluate`, `connection_constant`, `second_constant`, `effective_correlation`, `depth_for`, `to_numpy`;
    * proofs: `trust`, `enclose`, `certificate`.

    The fields record how the law was derived, for the package itself:

    quantity, text, name: what the law describes in LaTeX, as text where that is written differently, and in file names;
    expansion: its expansion in the depth variable, with the connection constants symbolic;
    reader:    turns the keyword arguments of `evaluate` into the exact starting value;
    coordinate: in which every layer is a step of known length, exactly and in numbers;
    linear:    the solution P + D H of the linear recursion along the orbit, for a law of that recursion;
    fixed, observable: the fixed point with its side, None: 0; the quantity in the distance y from it, None: y (or a);
    average, norm: whether a_l is divided by l, and by what else, a function of the depth and the digits;
    family:    None, or the family: its `law` with free parameters such as alpha = alpha_(-m), and their `values` here;
    layer, network: the network's layer or statement, for iterating it; the network of blocks that has the law;
    symbols:   the symbols printed here for the derivation's own: those of the depth and of the constants C and D.
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
    family: Any = field(default=None, kw_only=True, repr=False, compare=False)
    layer: object = field(default=None, kw_only=True)
    network: object = field(default=None, kw_only=True, repr=False, compare=False)
    text: str = field(default="", kw_only=True)
    symbols: Mapping | None = field(default=None, kw_only=True, repr=False, compare=False)
    is_one_orbit: ClassVar[bool] = True
    may_be_bounded: ClassVar[bool] = False  # whether O(1), without a term, says something
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
        indices = {Symbol(user.name.rpartition("_")[2].strip("{}")) for user in users}  # such as the n of x_n
        return named(dict.fromkeys(own), users | indices)

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

    def __eq__(self, other: object) -> bool:
        """Whether both say the same of the same: quantity, expansion, and how it is derived and evaluated."""
        alike = isinstance(other, Law) and (self.quantity, self.expansion) == (other.quantity, other.expansion)
        return alike and same(self, other)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name.startswith("_") or name in PUBLIC]

    def __hash__(self) -> int:
        return hash((self.quantity, self.expansion))

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

    def changed(self, **parts) -> "Law":
        """The law with another coordinate: the same one with other `parts` (its `dynamics`, its exact function)."""
        return replace(self, coordinate=replace(self.coordinate, **parts))

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

        >>> from asympt import Recursion
        >>> law = Recursion("x/(1 + x) + x^4/7").law(terms=3)
        >>> law.coefficient("1/n^2"), law.coefficient("log(n)/n^3"), law.coefficient("1/n^3", digits=5)
        (-C, 0, C**2 - 0.14286)
        """
        return coefficient_of(self, monomial, digits)

    def summary(self, verification=None, digits: int = DIGITS) -> Summary:
        """The law on one page: every term as a formula and a number, limit, rate, constants, remainder, stability.

        `verification`: the result of `asympt.verify(law)`, whose verdict is then shown.

        >>> from asympt import Recursion
        >>> print(Recursion("x - 3*x^2").law(terms=2).summary())
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
        """The symbol of the depth or step: L, l or n, or another name where a parameter has that."""
        return self.expansion.scale.depth

    @property
    def constant_symbols(self) -> dict[str, Symbol]:
        """The symbols of C and D in this law: C_0, say, where a parameter is called C.

        >>> from asympt import Recursion
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

    def is_member(self) -> bool:
        """Whether the family's coefficients become this law's own, as written or after SymPy's simplification."""
        known, own = self.family.law.in_symbols_of(self).coefficients, self.expansion.coefficients
        return set(known) == set(own) and all(
            expand(rest, log=False) == 0 or simplify(rest) == 0
            for rest in (known[monomial].subs(self.family.values) - c for monomial, c in own.items())
        )

    @cached_property
    def flow(self) -> Expansion | None:
        """For a linear law, the expansion of the distance y_l that it runs along; derived when first needed."""
        if self.linear is None:
            return None
        found = self.coordinate.flow(self.depth_variable, self.expansion)
        return None if found is None else self.renamed(found)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the derivation and what each found, in order, to as many terms as the law.

        >>> from asympt import Recursion
        >>> for step in Recursion("x/(1 + x)").law(terms=2).steps:
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

    def subs(self, values=None, value=None, /, **named) -> Expr:
        """`to_sympy` with values for its symbols: the parameters, the depth, the constants C and D, by name or symbol.

        >>> from asympt import Recursion
        >>> law = Recursion("x/(1 + x)").law(terms=2)
        >>> law.subs(C="1/2", n=100), law.subs("C", "1/2")
        (199/20000, 1/n - 1/(2*n**2))
        """
        values = values if value is None else {values: value}
        symbols = {s.name: s for s in (self.depth_variable, *self.constant_symbols.values(), *self.parameters)}
        found = {}
        if not isinstance(values, Mapping | None):
            raise InputError(f"values = {values!r} are not values by name; give a dictionary such as {{'C': 1}}")
        for key, value in {**{str(key): value for key, value in (values or {}).items()}, **named}.items():
            symbol = symbols[known_by(key, symbols, "symbol")]
            found[symbol] = exact(value, key) if not symbol.is_positive else positive(value, key, "a positive number")
        condition = self.coordinate.condition
        if condition.subs(found) == False:  # noqa: E712  SymPy's false
            raise InputError(f"the law does not hold for these values; it needs {condition}")
        return self.to_sympy().subs(found)

    def latex(self, split: bool = False) -> str:
        r"""quantity = expansion, in LaTeX.

        `split`: as an align* environment in lines no wider than the text of an article, with the meaning of its letters
        in a sentence below.

        >>> from asympt import Recursion
        >>> print(Recursion("x/(1 + x)").law(terms=2).latex(split=True))
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

    __add__ = __sub__ = __mul__ = __truediv__ = __pow__ = __neg__ = NOT_A_NUMBER
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rpow__ = __float__ = NOT_A_NUMBER

    @property
    def text_of_expansion(self) -> str:
        """What is printed behind the quantity."""
        return str(self.expansion)

    def __str__(self) -> str:
        """With its left side where an orbit's law is one of a function of it, such as exp(a_n)."""
        named = "(" in self.text and self.layer is None and self.fixed is not None
        return f"{self.text} = {self.text_of_expansion}" if named else self.text_of_expansion

    def __repr__(self) -> str:
        return one_line(type(self).__name__, f"{self.plain} = {self.text_of_expansion}")

    def _latex(self, printer) -> str:
        """What `sympy.latex(law)` prints."""
        return self.latex()

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def _repr_html_(self) -> str:
        return f'<div class="asympt">{formula(self.latex())}</div>'

    # ---- numbers --------------------------------------------------------------------------------

    @cached_property
    def _patience(self) -> float:
        return PATIENCE

    def evaluate(self, depth: int, correlation=None, digits: int = 30, **start):
        """The quantity at depth `depth`, an mpmath number correct to `digits` significant digits.

        The cost does not depend on the depth, except where the layers have to be followed one by one (laws of leading
        order, at most 20,000 or 100,000 layers).  The number is rounded from a ball in which it is proved to lie where
        that can be done (`trust`, `enclose`); elsewhere two evaluations, at two precisions and from two layers, agree
        to these digits; `evaluated` says which it was.

        Parameters
        ----------
        depth : the layer, from 1 on (of a recursion: how many steps from the start).  Arrays of depths and starts are
            broadcast as NumPy does, and give an array of mpmath numbers.
        correlation : c^1, for the law of a network; close to 1 give gap=1-c^1 instead.
        digits : how many significant digits the number has; None: float64.
        start : the starts of other laws by name: start=x_0 of a recursion, variance=q^1, position=...; for two inputs
            of a fully connected network that have not settled also variances=(q^1, q'^1).

        Raises
        ------
        InputError : bad input, or a start that does not converge to the fixed point.
        PrecisionError : the two evaluations do not agree to so many digits.

        Examples
        --------
        >>> from asympt import Recursion
        >>> print(Recursion("x/(1 + x)").law().evaluate(depth=10**20, start=1, digits=25))
        9.9999999999999999999e-21
        """
        given = {"depth": depth, **start} | ({} if correlation is None else {"correlation": correlation})
        return self._broadcast(lambda digits, **at: self.evaluated(digits=digits, **at).value, digits, **given)

    def __call__(self, depth, *given, **start) -> Any:
        """`evaluate`: law(1000, correlation="1/10") is the quantity at depth 1000."""
        return self.evaluate(depth, *given, **start)

    def _broadcast(self, function: Callable, digits: int | None, **given):
        """`function` for every entry of the arrays given, unless a start has an entry at every position anyway."""
        from asympt.arrays import broadcast  # it loads NumPy

        every = hasattr(self.layer, "positions")
        one = {name for name in given if name == "variances" or (every and name not in ("depth", "position"))}
        whole = {name: given[name] for name in one}
        return broadcast(partial(function, **whole), digits, **{name: given[name] for name in given if name not in one})

    @in_budget("evaluating the law")
    def evaluated(self, depth: int, correlation=None, digits: int = 30, **start) -> Evaluated:
        """`evaluate`, with how far to trust the number: its `value`, `trust` and, where it is not proved, the `reason`.

        >>> from asympt import Recursion
        >>> Recursion("x - x^2").law().evaluated(depth=10**9, start="1/2").trust
        'library'
        """
        if correlation is not None:
            start["correlation"] = correlation
        return self.evaluated_from(self._start(start), check_depth(depth), check_digits(digits))

    def evaluated_from(self, given, depth: int, digits: int) -> Evaluated:
        """The same from a start as the reader gives it."""

        def prove(proofs, asked):
            if self.layer is None and self.fixed is not None and depth <= asked.first + proofs.PLAIN:
                self.coordinate.require_basin(given, FEW)  # a deeper one is reached through the theorem, which shows it
            return proofs.proved_value(asked, given, depth, digits)

        return self._trusted(given, prove, lambda: self._value(given, depth, digits))

    @cached_property
    def trust(self) -> str:
        """Who has checked the theorem near the fixed point on which certificates, numbers and constants rest.

        * 'kernel': `asympt.kernel`, for the law as it is printed, and the library;
        * 'library': the library alone, so numbers are rounded from balls in which they are proved to lie;
        * 'two routes': there is none (`untrusted` says why), and two evaluations of a number must agree.

        A certificate's `trust` is about its own start, that of `evaluated` about one number: an orbit that cannot be
        followed in balls is left to two routes.

        >>> from asympt import Recursion
        >>> Recursion("x - x^2").law().trust, Recursion("x + log(x)").law().trust
        ('kernel', 'two routes')
        """
        from asympt.recursions.proofs.proof_object import is_checked_nearby

        if self.untrusted:
            return evaluation.AGREED
        return "kernel" if is_checked_nearby(self) else evaluation.LIBRARY

    @cached_property
    @in_budget("proving the law", READING)
    def untrusted(self) -> str:
        """Why no theorem stands for this law; empty where one does."""
        from asympt.recursions.proofs.formal import require_theorem

        try:
            require_theorem(self.asked, STANDARD)
        except AsymptError as reason:
            return str(reason)
        return ""

    def _trusted(self, start, prove: Callable, otherwise: Callable) -> Evaluated:
        """What is proved, or else what two routes agree upon; prove(the module of proofs, the law as asked there)."""
        from asympt.recursions.proofs import formal

        if isinstance(start, Unsettled):
            return Evaluated(otherwise(), evaluation.AGREED, start.why)
        try:
            with attempted(PROVING, self._patience):
                return Evaluated(prove(formal, self.asked), evaluation.LIBRARY)
        except AsymptError as error:
            reason = str(error)
            if isinstance(error, OverrunError):
                object.__setattr__(self, "_patience", 0.01)  # not again
        return Evaluated(otherwise(), evaluation.AGREED, reason)

    @in_budget("computing the connection constant")
    def connection_constant(self, digits: int = 30, **start):
        """The connection constant C(x_0) as the law's formula has it, to `digits` digits; arguments as in `evaluate`.

        Parabolic: C = A(x_l) - l with alpha_0 = 0.  Hyperbolic: C = S(x_0) with S = (x - x*) + ....  Driven: C is
        the constant term of T(x_l) - (sum of the step sizes).
        """
        return self._broadcast(lambda digits, **at: self.evaluated_constants(digits, **at).value[0], digits, **start)

    @in_budget("computing the connection constants")
    def evaluated_constants(self, digits: int = 30, second: bool = False, **start) -> Evaluated:
        """(C, D), and how far to trust them, as `evaluated` says; D may be None unless requested (`second`)."""
        return self.constants_from(self._start(start), check_digits(digits), second)

    def constants_from(self, given, digits: int, second: bool = False) -> Evaluated:
        """The same from a start as the reader gives it."""
        return self._trusted(
            given,
            lambda proofs, asked: proofs.proved_constants(asked, given, digits, second),
            lambda: self._constants(given, digits, second),
        )

    @in_budget("computing the second constant")
    def second_constant(self, digits: int = 30, **start):
        """D(x_0), the factor of H in P + D H; it is unique, since P has no pure multiple of the leading power of H."""
        self.coordinate.require_second(self.linear)
        return self._broadcast(
            lambda digits, **at: self.evaluated_constants(digits, True, **at).value[1], digits, **start
        )

    @in_budget("solving for the effective correlation")
    def effective_correlation(self, correlation=None, digits: int = 30, **start):
        """The c^1 of two inputs with q^1 = q whose orbit has the same C as the one of this start (`variances`).

        Raises `UnsupportedError` where no correlation in [-1, 1) has this C, and for a law that takes no `variances`.
        """
        if self.reader is None or "variances" not in inspect.signature(self.reader).parameters:
            raise UnsupportedError(f"the law of {self.plain} does not cover inputs with variances of their own")
        if correlation is not None:
            start["correlation"] = correlation
        given, digits = self._start(start), check_digits(digits)
        with mp.workdps(digits + GUARD):
            if isinstance(given, Unsettled):
                return 1 - given.effective(self, digits)
            return 1 - to_mpf(given if self.fixed is None else given + self.fixed.point)

    def constants(self, digits: int = 30, **start) -> dict:
        """The constants of the formula that one reading of the orbit gives, by their names; arguments as in `evaluate`.

        >>> from asympt import Recursion
        >>> Recursion("x/(1 + x)").law(terms=2).constants(start=2)
        {'C': mpf('0.5')}
        """
        found = self.evaluated_constants(digits, **start).value
        return {name: value for name, value in zip(self.coordinate.names, found, strict=False) if value is not None}

    def crossings(self, digits: int = 30, **start) -> list[tuple]:
        """(route, crossing) for the two computations of the constants; nothing where they take more than one orbit.

        >>> from asympt import Recursion
        >>> [(route.digits, crossing.layer) for route, crossing in Recursion("x - x^2").law().crossings(start="1/2")]
        [(40, 81), (50, 181)]
        """
        return self._crossings(self._start(start), digits)

    def certificate(self, valid_from: int = 2, **start):
        """The law as a theorem: a constant B with |quantity - law| <= B monomial for all depths from `valid_from` on.

        The start is one number, as in `evaluate`, or an interval: correlation=("-1", "9/10") is uniform in the start.
        See `proofs.certificate.Certificate` for what it holds.  Raises `UnsupportedError` with the reason where a
        step cannot be proved, and `InputError` for an interval in the wrong order or touching the fixed point.

        >>> from asympt import Recursion
        >>> print(Recursion("x/(1 + x)").law(terms=1).certificate(start=1))
        for all n >= 2 and x_0 = 1: |x_n - (1/n)| <= 1.00402/n^2
        """
        from asympt.recursions.proofs.certificate import certified

        return certified(self, valid_from, start or self._known_start)

    @property
    def asked(self) -> Any:
        """The law as the engine of `asympt.balls` has it (`proofs.formal`), without a look at its printed terms.

        Made when first needed; raises `UnsupportedError` with the reason where the engine cannot have it.
        """
        found = self._asked
        if isinstance(found, UnsupportedError):
            raise type(found)(*found.args)
        return found

    @cached_property
    def _asked(self):
        from asympt.recursions.proofs.formal import formal

        if not self.is_one_orbit:
            return UnsupportedError("the quantity is made of several orbits, which have no theorem in common yet")
        try:
            return formal(self, exactly=False)
        except UnsupportedError as reason:
            return reason

    def enclose(self, depth: int, correlation=None, digits: int = 30, **start) -> tuple:
        """(lower, upper): two mpmath numbers between which the quantity at this depth is proved to lie.

        Arguments as in `evaluate`, and the cost does not depend on the depth either; the ends are rounded outward and
        agree to about `digits` digits.  Raises `UnsupportedError` with the reason where nothing can be proved.

        >>> from mpmath import nstr
        >>> from asympt import Recursion
        >>> low, high = Recursion("x/(1 + x)").law().enclose(depth=10**20, start=1, digits=20)
        >>> print(nstr(low, 20), nstr(high, 20))
        9.9999999999999999999e-21 9.9999999999999999999e-21
        """
        from asympt.recursions.proofs.formal import enclosed_value

        if correlation is not None:
            start["correlation"] = correlation
        return enclosed_value(self, depth, digits, start)

    def depth_for(self, value=None, *, gap=None, correlation=None, **start) -> Any:
        """The first depth at which the quantity has reached `value`; for a gap 1 - c^l write depth_for(gap="1/1000").

        Starts are given as in `evaluate`.  The quantity must be monotone from the start on.  Raises
        `InputError` for a value that is never reached, `UnsupportedError` for a quantity that turns.

        >>> from asympt import Recursion
        >>> Recursion("x/(1 + x)").law().depth_for("1e-6", start=1)
        999999
        """
        value, gap = (gap, None) if value is None else (value, gap)
        if value is None:
            raise InputError("no value was given; give the value to reach, or gap, as in depth_for(gap='1/1000')")
        given = {"gap": gap, "correlation": correlation}
        start |= {name: told for name, told in given.items() if told is not None} | {"value": value}
        return self._broadcast(lambda digits, value, **at: evaluation.first_depth(self, value, at), 1, **start)

    def to_numpy(self) -> Callable:
        """The formula as a function f(depth, **start) of arrays in float64, without the remainder: fast, not certified.

        The start is needed where C stands in the formula; its constants are computed once for each start.

        >>> from asympt import Recursion
        >>> Recursion("x/(1 + x)").law(terms=2).to_numpy()([100, 1000], start=1).tolist()
        [0.0099, 0.000999]
        """
        return evaluation.in_floats(self)

    def plot(self, depth: int | None = None, width: float = 5.0, **start):
        """A Matplotlib figure over the depth: the quantity's distance from a finite limit, and that of the formula.

        `depth`: the last one, 10^4 or 12 correlation lengths if left out; `width` in inches; the start as in
        `evaluate`, c^1 = 1/10 for the law of a pair of inputs.
        """
        return import_module("asympt.plots").law_figure(self, depth, width, **start)  # a floor above this one

    def estimate_remainder(self, depths=None, **start) -> Heuristic:
        """The size of the remainder in units of its monomial, measured at `depths` for one start; not a bound.

        >>> from asympt import Recursion
        >>> Recursion("x/(1 + x)").law(terms=2).estimate_remainder(start=1)
        Heuristic(monomial=Monomial(order=3, logs=0), constant=1.00000000000000, valid_from=1000)
        """
        return evaluation.estimated(self, depths, start)

    def deviation(self, depth: int, digits: int = 30, **start):
        """The distance |y_l| from the fixed point (1/|x_l| at infinity) to `digits` significant digits of its own."""
        given, depth, digits = self._start(start), check_depth(depth), check_digits(digits)
        if isinstance(given, Unsettled):
            raise UnsupportedError(given.unproved)
        with mp.workdps(digits + GUARD):
            return abs(self._moved(given, depth, digits))

    def _moved(self, start: Expr, depth: int, digits: int):
        return evaluation.certified(self.coordinate, start, depth, digits, evaluation.first)

    def _value(self, start, depth: int, digits: int):
        if isinstance(start, Unsettled):
            return start.value(self, depth, digits)
        if self.fixed is not None:
            self.coordinate.require_basin(start, digits)

        def read(digits: int):
            return evaluation.certified(self.coordinate, start, depth, digits)

        if self.observable is not None:
            return self.observable.value(read, digits)
        more = 0 if self.norm is None else NORMED
        value = read(digits + more)
        with mp.workdps(digits + more + GUARD):
            return value / (depth if self.average else 1) / (self.norm(depth, digits + more) if self.norm else 1)

    def _crossings(self, start, digits: int) -> list[tuple]:
        if isinstance(start, Unsettled):
            return []  # C and D are those of the orbit that it enters
        routes = self.coordinate.routes(digits + self.coordinate.spare[1])
        return [(route, self.coordinate.crossing(start, route)) for route in routes]

    def _constants(self, start, digits: int, second: bool = False) -> tuple:
        if isinstance(start, Unsettled):
            return start.constants(self, digits, second)
        return evaluation.constants(self.coordinate, start, digits, second)

    @property
    def _known_start(self) -> dict:
        """{'start': x_0} or {'gap': 1 - c^1} where the law was derived for one, else {}."""
        return getattr(self.reader, "known", {})

    def _start_name(self, name: str = "start") -> tuple[str, str]:
        """What a start given as `name` is called, as text and in LaTeX: x_0, or a_3 of an orbit from a(3) on."""
        if name not in ("start", "x0"):
            return START_NAMES.get(name, (name, rf"\text{{{name}}}"))
        letter, first = getattr(self.reader, "name", "x"), getattr(self.dynamics, "first", 0)
        return f"{letter}_{first}", f"{letter}_{{{first}}}"

    def _start(self, given: dict) -> Expr | Unsettled:
        if self.parameters:
            raise UnsupportedError(
                f"the law contains the symbols {symbol_names(self.parameters)}; give numbers for them (a map or an "
                "activation with numeric coefficients) to evaluate"
            )
        known = inspect.signature(self.reader).parameters
        told = f"the start of this law is given by {' or '.join(known)}" if known else "this law takes no start"
        for name in given:
            if name not in known:
                raise InputError(f"unknown argument {name!r}{near(name, known)}; {told}")
        return self.reader(**given)


def no_start() -> Expr:
    """The reader of a law that holds whatever the start is, or knows it."""
    return Integer(0)


def _has_reserved(expansion: Expansion) -> bool:
    """Whether it is in the symbols of a derivation."""
    return bool(reserved_in(expansion.scale.variable, *(c for _, c in expansion.terms)))
