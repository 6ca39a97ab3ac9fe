"""Recursions whose step size depends on the layer: x_l = x_(l-1) - delta_l h(x_(l-1)).

In the flow time T, T' = -1/h, a layer is a step of about delta_l, so T(x_l) is the sum of the step sizes plus C:

    delta_l = alpha/(l + beta), h ~ x^p, p > 1          x_l is a series in 1/log l and log log l
    delta_l = alpha/(l + beta), h ~ x                   x_l is a series in l^(-alpha h'(0)) and 1/l
    delta_l = a (l + beta)^(-kappa), kappa < 1, p > 1   x_l is a series in powers of l^(-(1 - kappa)/m) and log l

h ~ x with kappa < 1 decays like exp(-l^(1 - kappa)): numbers, but no law.
"""

from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Symbol, latex

from asympt import numbers
from asympt.deadline import READING, limited
from asympt.errors import InputError
from asympt.numbers import check_depth, check_digits, check_terms, exact, formula_in, is_whole, refuse_symbols
from asympt.recursions import evaluation
from asympt.recursions.coordinates.flow_time.coordinate import FlowTime, driven_expansion
from asympt.recursions.coordinates.flow_time.drift import Drift, flow_time
from asympt.recursions.coordinates.flow_time.step_sizes import DrivenDynamics, Steps
from asympt.recursions.law import Law
from asympt.symbols import require_distinct


@dataclass(frozen=True)
class DrivenRecursion:
    """x_l = x_(l-1) - step(l) h(x_(l-1)) for l = first + 1, first + 2, ..., x_first > 0, tending to 0.

    Parameters: `h`, a formula in `symbol`, positive for small positive x; `step`, a formula in `layer`, texts or
    SymPy's: a (layer + beta)^(-kappa) with 0 < kappa <= 1; `first`, the layer of the start.  Other symbols are
    parameters of the law and must be declared positive.

    >>> from sympy import symbols
    >>> x, l, alpha = symbols("x l alpha", positive=True)
    >>> print(DrivenRecursion(x**2, x, alpha / (l + alpha), l).law(terms=2))
    1/(alpha*log(l)) - C/(alpha^2*log(l)^2) + O(1/log(l)^3)
    >>> r = DrivenRecursion(x**2, x, 1 / (l + 1), l)
    >>> print(r.evaluate(depth=10**100, start="1/2", digits=15))
    0.00430796537561599
    """

    h: Expr
    symbol: Symbol
    step: Expr
    layer: Symbol
    first: int = 0

    def __post_init__(self):
        for name, variable in (("h", "symbol"), ("step", "layer")):
            assumed = Symbol("x" if name == "h" else "l", positive=True)
            found = formula_in(getattr(self, name), getattr(self, variable), name, assumed)
            object.__setattr__(self, name, found[0])
            object.__setattr__(self, variable, found[1])
        symbol, layer = self.symbol, self.layer
        require_distinct(self.h, self.step, symbol, layer)
        if not is_whole(self.first, 0):
            raise InputError(f"first = {self.first} is not a whole number of 0 or more; give the layer of the start")
        object.__setattr__(self, "first", int(self.first))
        if not self.h.has(self.symbol) or self.h.has(self.layer) or self.step.has(self.symbol):
            raise InputError(
                f"h = {self.h} must be a function of {self.symbol} alone, and the step size {self.step} one of "
                f"{self.layer}; separate them"
            )

    def _repr_latex_(self) -> str:
        x, layer = latex(self.symbol), latex(self.layer)
        before = f"{x}_{{{layer}-1}}"
        drift = latex(self.h.xreplace({self.symbol: Symbol(before)}))
        step = latex(self.step)
        return rf"$\displaystyle {x}_{{{layer}}} = {before} - \left({step}\right) \left({drift}\right)$"

    @cached_property
    def dynamics(self) -> DrivenDynamics:
        """The recursion as the solvers see it."""
        with limited(f"the first terms of h = {self.h} at 0", READING):
            return DrivenDynamics(Drift.read(self.h, self.symbol), Steps.read(self.step, self.layer), self.first)

    def law(self, terms: int = 4) -> Law:
        """The law of x_l for large l with `terms` terms; C is the constant term of T(x_l) - (sum of the steps)."""
        terms, dynamics = check_terms(terms), self.dynamics
        depth = Symbol(self.layer.name, positive=True)
        with limited(f"deriving the law for h = {self.h}"):
            expansion = driven_expansion(dynamics.drift, dynamics.steps, depth, terms)
            time = flow_time(dynamics.drift, terms + 1)
        coordinate = FlowTime(dynamics, time=time)
        return Law(f"x_{{{depth}}}", expansion, self.read_start, "driven", coordinate=coordinate)

    def evaluate(self, depth: int, start, digits: int = 30):
        """x_depth from x_first = start, to `digits` significant digits; also where there is no law."""
        refuse_symbols(self.dynamics.parameters, "the recursion contains")
        start, depth, digits = self.read_start(start), check_depth(depth), check_digits(digits)
        return evaluation.certified(FlowTime(self.dynamics), start, depth, digits)

    def connection_constant(self, start, digits: int = 30):
        """C of the law, for x_first = start."""
        refuse_symbols(self.dynamics.parameters, "the recursion contains")
        return evaluation.constants(FlowTime(self.dynamics), self.read_start(start), check_digits(digits))[0]

    def read_start(self, start=None) -> Expr:
        """The exact starting value, a positive number."""
        if start is None:
            raise InputError("no starting value was given; pass start=..., for example start=1")
        value = exact(start, "start")
        if not value.is_number:
            raise InputError(f"start = {start} contains {numbers.symbol_names(value.free_symbols)}; give a number")
        if value == 0:
            raise InputError("start = 0 is the fixed point itself, where nothing moves; start above it")
        if not value > 0:
            raise InputError(f"start = {start} is negative; the recursion is followed from above the fixed point 0")
        return value
