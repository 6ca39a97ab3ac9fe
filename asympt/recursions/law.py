"""The law of a recursion: an expansion in the depth, and everything needed to evaluate and to check it."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer

from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Monomial, Remainder
from asympt.numbers import check_depth, check_digits, symbol_names
from asympt.recursions import evaluation
from asympt.recursions.dynamics import Dynamics
from asympt.recursions.linear import LinearSolution
from asympt.recursions.parabolic import AbelFunction

_ONE = Monomial(0)


@dataclass(frozen=True)
class Law:
    """What happens at large depth.

    quantity:   LaTeX of what the law describes;
    expansion:  it, in the depth variable, with the constants C and (linear laws) D symbolic;
    abel:       the Abel function A, with A(t_l) = l + C and alpha_0 = 0;
    linear:     the solution P + D H of the linear recursion, or None;
    dynamics:   the original recursion;  average: the quantity is a_l / l instead of a_l;
    reader:     turns the keyword arguments of `evaluate` into the exact starting value of x;
    flow_source: for a linear law, a function that derives `flow`;
    universal_source: a function that gives the same law for a free parameter alpha = alpha_(-m);
    layer:      the network's layer, for whoever iterates it in float64.
    """

    quantity: str
    expansion: Expansion
    abel: AbelFunction
    dynamics: Dynamics
    linear: LinearSolution | None = None
    average: bool = False
    reader: Callable[..., Expr] | None = None
    name: str = "law"
    flow_source: Callable[[], Expansion] | None = None
    universal_source: "Callable[[], Law] | None" = None
    layer: object = None

    # ---- reading --------------------------------------------------------------------------------

    @property
    def limit(self) -> Expr:
        """The limit at infinite depth."""
        return self.expansion.coefficients.get(_ONE, Integer(0))

    @property
    def rate(self) -> Expr:
        """The size of (quantity - limit): the leading decaying monomial, without its coefficient."""
        for monomial, _ in self.expansion.terms:
            if monomial != _ONE:
                return self.expansion.scale.to_sympy(monomial)
        return self.expansion.scale.to_sympy(self.expansion.remainder.monomial)

    @property
    def remainder(self) -> Remainder | None:
        """The typed remainder of the expansion."""
        return self.expansion.remainder

    @cached_property
    def flow(self) -> Expansion | None:
        """For a linear law, the expansion of x_l that it runs along; derived when first asked for."""
        return self.flow_source() if self.flow_source else None

    @property
    def parameters(self) -> set:
        """The free symbols of the law other than its constants C and D: the symbols of its slopes."""
        return set(self.dynamics.scale.free_symbols)

    def universal(self) -> "Law | None":
        """The same law with alpha = alpha_(-m) as a free symbol, if it comes from such a family."""
        return self.universal_source() if self.universal_source else None

    @property
    def depth_variable(self):
        """The symbol of the depth."""
        return self.expansion.scale.variable

    def to_sympy(self) -> Expr:
        """The expansion as a SymPy expression, without the remainder."""
        return self.expansion.to_sympy()

    def latex(self) -> str:
        """quantity = expansion, in LaTeX."""
        return f"{self.quantity} = {self.expansion.latex()}"

    def __str__(self) -> str:
        return str(self.expansion)

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    # ---- numbers --------------------------------------------------------------------------------

    def evaluate(self, depth: int, correlation=None, digits: int = 30, **start):
        """The quantity at depth `depth`, an mpmath number correct to `digits` significant digits.

        The start is `correlation` = c^1 (or, close to 1, `gap` = 1 - c^1) for a network law, and `start` = x_0 for
        a recursion, whose depth counts steps from there.  The cost does not depend on the depth.  The number is
        certified by two evaluations at two precisions and two hand-over depths.  Print it with `mpmath.nstr(value,
        digits)`: mpmath itself shows 15.  Raises `InputError` for bad input and `PrecisionError` when the digits
        cannot be certified.

        >>> from mpmath import nstr
        >>> from sympy import Symbol
        >>> from asympt.recursions.recursion import Recursion
        >>> x = Symbol("x", positive=True)
        >>> print(nstr(Recursion(x / (1 + x), x).law().evaluate(depth=10**20, start=1, digits=25), 25))
        9.9999999999999999999e-21
        """
        if correlation is not None:
            start["correlation"] = correlation
        depth, digits = check_depth(depth), check_digits(digits)
        value = evaluation.certified(self.dynamics, self._start(start), depth, digits)
        if not self.average:
            return value
        with evaluation.mp.workdps(digits + evaluation.GUARD):
            return value / depth

    def connection_constant(self, digits: int = 30, **start):
        """C(x_0) = A(t_l) - l in the normalisation alpha_0 = 0, to `digits` digits; arguments as in `evaluate`."""
        return self._constants(check_digits(digits), start)[0]

    def second_constant(self, digits: int = 30, **start):
        """D(x_0), the weight of the homogeneous solution; P carries no pure power where H starts."""
        if self.linear is None:
            raise UnsupportedError("only the law of a linear recursion (an NTK law) has a second connection constant")
        return self._constants(check_digits(digits), start)[1]

    def _constants(self, digits: int, start: dict) -> tuple:
        return evaluation.constants(self.dynamics, self._start(start), digits)

    def _start(self, given: dict) -> Expr:
        if self.parameters:
            raise UnsupportedError(
                f"the law contains the symbols {symbol_names(self.parameters)}; give the activation numeric slopes "
                "to evaluate"
            )
        known = inspect.signature(self.reader).parameters
        for name in given:
            if name not in known:
                raise InputError(f"unknown argument {name!r}; the start of this law is given by {' or '.join(known)}")
        return self.reader(**given)
