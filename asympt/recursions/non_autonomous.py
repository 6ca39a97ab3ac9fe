"""Recursions whose step size depends on the layer: x_l = x_(l-1) - delta_l h(x_(l-1)).

In the flow time T, T' = -1/h, a layer is a step of about delta_l, so T(x_l) is the sum of the step sizes plus C:

    delta_l = alpha/(l + beta), h ~ x^p, p > 1          x_l is a series in 1/log l and log log l
    delta_l = alpha/(l + beta), h ~ x                   x_l is a series in l^(-alpha h'(0)) and 1/l
    delta_l = a (l + beta)^(-kappa), kappa < 1, p > 1   x_l is a series in powers of l^(-(1 - kappa)/m) and log l
    delta_l = a (log(l) + b)^j/l, p > 1                 x_l is a series in 1/log l, for j = -1 in 1/log log l

up to smaller powers of l, such as those of 1/l - 1/l^2 and of 1/(l log(l + 1)) (`ExpandedSteps`).
h ~ x with kappa < 1 decays like exp(-l^(1 - kappa)): numbers, but no law.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

from flint import arb
from mpmath import mp
from sympy import Dummy, Expr, Rational, S, Symbol, ceiling, exp, expand_log, latex, log, simplify, solve

from asympt import numbers
from asympt.compiling import as_function
from asympt.deadline import READING, limited
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Monomial, Scale
from asympt.expansions.formulas.puiseux import Y, puiseux
from asympt.expansions.printing import plain
from asympt.numbers import check_depth, check_digits, check_terms, exact, formula_in, is_whole, refuse_symbols, to_mpf
from asympt.recursions import evaluation
from asympt.recursions.agreement import inverted
from asympt.recursions.coordinates.abel_inversion import SECOND
from asympt.recursions.coordinates.flow_time.coordinate import FlowTime, clock_at_depth, driven_expansion
from asympt.recursions.coordinates.flow_time.drift import Drift, flow_time
from asympt.recursions.coordinates.flow_time.step_sizes import DrivenDynamics, Steps, power_of_layer
from asympt.recursions.coordinates.logarithmic import without_its_power
from asympt.recursions.fixed_point import real_numeric
from asympt.recursions.law import Law
from asympt.recursions.linear_recurrence import LayeredSolution, expansion_in, layered_solution, leading_defect
from asympt.recursions.summation import PowerBounds
from asympt.symbols import named, require_distinct

U = Dummy("log l", real=True)
FIRST, LAST = 4, 12  # the first layer at which steps are bounded; the last power of 1/log l in a clock
SPARE = 20  # bits
FEW, DIGITS = 3, 30  # terms of a residual; digits of an orbit
STEEP, NEAR_SLOW, NEAR_SIZE = 20, 0.2, 0.3  # a power that is none; one that may be a log; how far a coefficient is off
LAYER, BEFORE = Symbol("l", positive=True), Symbol("x", positive=True)


@dataclass(frozen=True)
class ExpandedSteps(Steps):
    """delta_l = `step` in `layer`, which starts with weight l^(-exponent), or with weight (log(l) + offset)^logs/l.

    The clock adds up the first terms of the series in l, as many as C is read by; the steps themselves are the formula.

    >>> l = Symbol("l", positive=True)
    >>> print(steps_of(1 / l - 1 / l**2, l).powers(3), steps_of(1 / (l * log(2 * l)), l).slow_clock(l))
    {(1, 0): 1, (2, 0): -1} log(log(l))
    """

    step: Expr = S.Zero
    layer: Symbol = LAYER
    logs: Expr = S.Zero
    offset: Expr = S.Zero

    is_power = False

    @property
    def parameters(self) -> set:
        return self.step.free_symbols - {self.layer}

    def powers(self, last) -> dict[tuple[Expr, int], Expr]:
        if self.logs:
            return {(self.exponent, self.logs): self.weight}
        found = expansion_in(self.step, self.layer, ceiling(last - self.exponent) + 1)
        return {(m.order, m.logs): c for m, c in found.terms if m.order <= last or m.order == self.exponent}

    def slow_clock(self, depth: Symbol) -> Expansion:
        if self.logs == -1:
            return Expansion.variable(Scale.at_infinity(log(log(depth)))) * self.weight
        slow = Expansion.variable(Scale.at_infinity(log(depth))) + self.offset
        return slow.power(self.logs + 1, Monomial(LAST)) * (self.weight / (self.logs + 1))

    def formula(self, layer: Symbol) -> Expr:
        return self.step.subs(self.layer, layer)

    @cached_property
    def size(self) -> Callable:
        return real_numeric(self.step, plain(self.step), self.layer)

    @cached_property
    def smooth_from(self) -> int:
        """By bounds in discs around all later layers (`PowerBounds`)."""
        layer = FIRST
        while (found := PowerBounds.of(self.step, self.layer, arb(layer))) is None or not found.low > 0:
            layer *= 2
            if layer > FlowTime.latest:
                raise UnsupportedError(f"the step size {plain(self.step)} is not seen to be smooth and positive")
        return layer

    @cached_property
    def _clock(self) -> tuple[Callable, Callable]:
        """The clock and its derivative in u = log v."""
        if self.logs:
            size = U + self.offset
            total = self.weight * (log(size) if self.logs == -1 else size ** (self.logs + 1) / (self.logs + 1))
        else:
            known = clock_at_depth(self, 4 - 3 * self.exponent).to_sympy()  # as far as `FlowTime` compares it with T
            total = expand_log(known.subs(known.free_symbols.pop(), exp(U)), force=True)
        return as_function(U, total, "mpmath"), as_function(U, total.diff(U), "mpmath")

    def clock(self, v):
        return self._clock[0](mp.log(v))

    def rate(self, v):
        return self._clock[1](mp.log(v)) / v

    def at(self, time):
        """v at which the clock shows `time`, by Newton's method in log v."""
        clock, slope = self._clock
        lead, j = to_mpf(self.weight), to_mpf(self.logs) + 1
        if self.exponent != 1:
            u = mp.log(super().at(time))
        else:
            u = (mp.exp(time / lead) if j == 0 else (time * j / lead) ** (1 / j)) - to_mpf(self.offset)
        return mp.exp(inverted(clock, slope, time, u, "the clock"))


def steps_of(step: Expr, layer: Symbol) -> Steps:
    """The step sizes as a (l + beta)^(-kappa) where they are that, or else by their series."""
    if power_of_layer(step, layer) is not None or not step.has(layer):
        return Steps.read(step, layer)
    try:
        size = expand_log(step.subs(layer, 1 / Y).replace(lambda e: isinstance(e, log) and e.has(Y), without_its_power))
        series = puiseux(size.subs(log(Y), -U), Y, 1)
        weight, power = series.coefficients[0].factor().as_independent(U, as_Add=False)
        base, logs = power.as_base_exp() if power.has(U) else (U, S.Zero)
        offset, lead = base.coeff(U, 0), base.coeff(U, 1)
        if base.diff(U) != lead or (logs and series.exponent != 1):
            raise UnsupportedError(f"it starts with {series.coefficients[0]}".replace(str(U), f"log({layer})"))
    except UnsupportedError as reason:
        raise UnsupportedError(
            f"the step size {plain(step)} is neither a ({layer} + beta)^(-kappa) nor such a power, or one of the "
            f"logarithm over {layer}, with smaller powers behind it: {reason}"
        ) from None
    known = {"step": step, "layer": layer, "logs": logs, "offset": offset / lead}
    found = ExpandedSteps(weight * lead**logs, series.exponent, **known)
    if logs < -1:
        raise UnsupportedError(f"the step size {plain(step)} has a finite sum, so x does not reach 0")
    found.require_treated(step, layer)
    return found


@dataclass(frozen=True, eq=False)
class NearlyDriven(DrivenDynamics):
    """x_l = `formula` in x_(l-1) = `before` and l = `layer`, which is x - delta h(x) but for O(delta^2) h."""

    formula: Expr = field(kw_only=True)
    before: Symbol = field(kw_only=True)
    layer: Symbol = field(kw_only=True)

    is_power = False

    def image(self, x: Expr, layer: Symbol) -> Expr:
        return self.formula.subs({self.before: x, self.layer: layer}, simultaneous=True)

    @cached_property
    def _numeric(self) -> Callable:
        return real_numeric(self.formula, plain(self.formula), self.before, self.layer)

    def following(self, x, layer: int):
        return self._numeric(x, mp.mpf(layer))

    def logarithm(self, x, v) -> tuple:
        small = max(0, -mp.mag(self.steps.size(v) * self.drift(x) / x))
        with mp.workprec(mp.prec + 2 * small + SPARE):  # log(1 + x/l) loses as many as log(x'/x) does
            after = self.following(x, v - to_mpf(self.steps.shift))
            return mp.log(after / x), after


@dataclass(frozen=True)
class DrivenRecursion:
    """x_l = x_(l-1) - step(l) h(x_(l-1)) for l = first + 1, first + 2, ..., x_first > 0, tending to 0.

    Parameters: `h`, a formula in `symbol`, positive for small positive x; `step`, a formula in `layer`, texts or
    SymPy's: a (layer + beta)^(-kappa) with 0 < kappa <= 1, or what starts like that (`steps_of`); `first`, the layer of
    the start.  Other symbols are parameters of the law and must be declared positive.
    For `rsolve_asymptotic`: `image`, x_l as a formula in `symbol` and `layer` where it is that to leading order, kappa
    = 1; `inverse`, whether the law is that of 1/x, and so are starts.

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
    image: Expr | None = None
    inverse: bool = False

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
            known = Drift.read(self.h, self.symbol), steps_of(self.step, self.layer), self.first
            if self.image is None:
                return DrivenDynamics(*known)
            return NearlyDriven(*known, formula=self.image, before=self.symbol, layer=self.layer)

    def law(self, terms: int = 4) -> Law:
        """The law of x_l for large l with `terms` terms; C is the constant term of T(x_l) - (sum of the steps)."""
        terms, dynamics = check_terms(terms), self.dynamics
        depth = Symbol(self.layer.name, positive=True)
        with limited(f"deriving the law for h = {self.h}"):
            expansion = driven_expansion(dynamics.drift, dynamics.steps, depth, terms)
            time = flow_time(dynamics.drift, terms + 1)
        expansion = expansion.power(-1) if self.inverse else expansion
        coordinate = FlowTime(dynamics, time=time, inverse=self.inverse)
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
        return 1 / value if self.inverse else value


# ---- what n carries along: a = P + D H, P a series in n, H to first order in D ----------------------------
#
# The power of the first term of P is seen along an orbit, its coefficient solves an equation; then Newton's method:
# with the residual r of P the correction solves d' = f_a(P, n) d + r, and H the same without r.  What is of second
# order in D is f_aa(P, n) H/(1 - f_a) times H, or smaller than every power where H is.

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
