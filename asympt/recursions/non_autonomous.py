"""Recursions that depend on the layer: x_l = x_(l-1) - delta_l h(x_(l-1)), and orbits that follow a series in l.

In the flow time T, T' = -1/h, a layer is a step of about delta_l, so T(x_l) is the sum of the step sizes plus C:

    delta_l = alpha/(l + beta), h ~ x^p, p > 1          x_l is a series in 1/log l and log log l
    delta_l = alpha/(l + beta), h ~ x                   x_l is a series in l^(-alpha h'(0)) and 1/l
    delta_l = a (l + beta)^(-kappa), kappa < 1, p > 1   x_l is a series in powers of l^(-(1 - kappa)/m) and log l

h ~ x with kappa < 1 decays like exp(-l^(1 - kappa)): numbers, but no law.  Any other recursion x_l = f(x_(l-1), l) has
a law where an orbit follows a series in l (`formal_solution`).
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from mpmath import mp
from sympy import Dummy, Expr, Rational, S, Symbol, latex, log, simplify, solve

from asympt import numbers
from asympt.compiling import as_function
from asympt.deadline import READING, limited
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.printing import plain
from asympt.numbers import check_depth, check_digits, check_terms, exact, formula_in, is_whole, refuse_symbols, to_mpf
from asympt.recursions import evaluation
from asympt.recursions.coordinates.abel_inversion import SECOND
from asympt.recursions.coordinates.flow_time.coordinate import FlowTime, driven_expansion
from asympt.recursions.coordinates.flow_time.drift import Drift, flow_time
from asympt.recursions.coordinates.flow_time.step_sizes import DrivenDynamics, Steps
from asympt.recursions.fixed_point import real_numeric
from asympt.recursions.law import Law
from asympt.recursions.linear_recurrence import LayeredSolution, expansion_in, layered_solution, leading_defect
from asympt.symbols import named, require_distinct


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


# ---- what n carries along: a = P + D H, P a series in n, H to first order in D ----------------------------
#
# The power of the first term of P is seen along an orbit, its coefficient solves an equation; then Newton's method:
# with the residual r of P the correction solves d' = f_a(P, n) d + r, and H the same without r.  What is of second
# order in D is f_aa(P, n) H/(1 - f_a) times H, or smaller than every power where H is.

FEW, DIGITS = 3, 30  # terms of a residual; digits of an orbit
BEFORE = Symbol("x", positive=True)
STEEP, NEAR_SLOW, NEAR_SIZE = 20, 0.2, 0.3  # a power that is none; one that may be a log; how far a coefficient is off
ORBIT, NEAR_LAW = 2**12, 0.05  # steps after which the power is seen; how close the law is then
MOST_ROUNDS, ROOTS = 8, (1, 2, 3, 4)  # of Newton's method; denominators of the power
ALWAYS = 10  # times the remainder, which an orbit may be off P + D H


@dataclass(frozen=True)
class FormalSolution(LayeredSolution):
    """a_l = P(l) + D H(l) + O(D^2) where a_l = `image` in a_(l-1) = `before` and l; lambda_l is its slope at P."""

    image: Expr = S.Zero
    before: Symbol = BEFORE

    steps = ()

    @property
    def constant_symbol(self) -> Symbol:
        """That of D, which P may have too."""
        return named([SECOND], self.image.free_symbols)[SECOND]

    def moves(self) -> Callable:
        return real_numeric(self.image, plain(self.image), self.before, self.multiplier.scale.variable)


def formal_solution(image: Expr, x: Symbol, n: Symbol, start: tuple[int, Expr], terms: int) -> FormalSolution:
    """That to which the orbit of the start (layer, value) goes, a_n = `image` in a_(n-1) = x and n."""
    none = Expansion.constant(Scale.at_infinity(n), 0)
    found = FormalSolution(none, none, none, None, image=image, before=x)
    orbit = found.orbit(*start, [start[0] + ORBIT, start[0] + 4 * ORBIT], DIGITS)
    lead = known = _leading_term(image, x, n, orbit)
    for _ in range(MOST_ROUNDS):
        before, last = known.subs(n, n - 1), known
        slope, rest = (expansion_in(part, n, 2 * terms + 2) for part in
                       (image.diff(x).subs(x, before), image.subs(x, before) - known))  # fmt: skip
        linear = layered_solution(slope, rest, terms + 1, n)
        if linear.integrals != 0:
            raise UnsupportedError(f"its series in {n} has the term {plain(linear.integrals)}")
        whole = expansion_in(known, n, 1) + linear.particular
        known = whole.truncate(terms + 1).to_sympy()
        if (known - last).expand() == 0:
            break
    if not rest.terms and simplify(image.subs(x, known.subs(n, n - 1)) - known) == 0:
        whole = expansion_in(known, n, 1)
    h = linear.h and replace(linear.h, relative=_first_order(image.diff(x, 2).subs(x, lead), n, linear))
    found = replace(found, multiplier=slope, particular=whole.truncate(terms), h=h)
    _require_near(found, orbit, n)
    return found


def _leading_term(image: Expr, x: Symbol, n: Symbol, orbit: dict) -> Expr:
    """c n^p or c log n."""
    (near, one), (far, two) = orbit.items()
    if one * two <= 0:
        raise UnsupportedError("its sign changes, or it is 0")
    seen, sign = mp.log(two / one) / mp.log(mp.mpf(far) / near), int(mp.sign(two))
    if abs(seen) > STEEP:
        raise UnsupportedError(f"it is faster than {n}^{STEEP}")
    powers = [Rational(round(seen * q), q) for q in ROOTS]
    power = min(powers, key=lambda p: (abs(seen - p), p.q))
    c = Dummy("c", positive=True)
    for unit in [n**power, *([log(n)] if power == 0 or abs(seen) < NEAR_SLOW else [])]:
        with suppress(UnsupportedError, InputError):
            rest = expansion_in(image.subs(x, sign * c * unit.subs(n, n - 1)) - sign * c * unit, n, FEW)
            equation = rest.leading[1].together().as_numer_denom()[0]
            size = abs(two) / to_mpf(unit.subs(n, far))
            roots = solve(equation, c) if equation.has(c) and equation.is_algebraic_expr(c) else []
            close = [root for root in roots if abs(to_mpf(root) / size - 1) < NEAR_SIZE]
            if len(close) == 1:
                return sign * close[0] * unit
    raise UnsupportedError(f"it moves about like {n}^{mp.nstr(seen, 4)}, with which no series starts")


def _first_order(curvature: Expr, n: Symbol, linear: LayeredSolution) -> Expansion:
    """H without what is of the second order in D."""
    h, bend = linear.h, expansion_in(curvature, n, 1)
    if h.exponent is None or not bend.terms:
        return h.relative
    lead, order = bend.leading[0], leading_defect(linear.multiplier)[0]
    return h.relative.up_to(Monomial(lead.order - h.exponent - order, lead.logs + 1))


def _require_near(found: FormalSolution, orbit: dict, n: Symbol) -> None:
    """An error unless the orbit is P + D H as far as can be seen."""
    p, rest = found.particular, found.particular.remainder
    h = S.Zero if found.h is None else found.h.prefactor() * found.h.relative.to_sympy()
    size = p.scale.to_sympy(rest.monomial) if rest else S.Zero
    shown = [as_function(n, e, "mpmath") for e in (p.to_sympy(), h, size)]
    with mp.workdps(DIGITS):
        (near, one), (far, two) = orbit.items()
        (p1, h1, _), (p2, h2, size) = ([f(mp.mpf(m)) for f in shown] for m in (near, far))
        left = (two - p2) - ((one - p1) * h2 / h1 if h1 else 0)
        if abs(left) > ALWAYS * abs(size) + NEAR_LAW * abs(two - p2) or abs(h2 / p2) > abs(h1 / p1):
            raise UnsupportedError(f"its orbit does not follow {p}")
