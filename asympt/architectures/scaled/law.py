"""The laws of a scaled residual network's correlation and NTK: y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)).

Problem.  HDR Proposition 3 and Appendix Lemma 8: 1 - c^L and K^L(x, x') for a ReLU-like phi without bias.

Rule.  T(1 - c^l) = clock(l) + C + small (`recursions.driven_inversion`), k = K/q = P(t) + D h(t) (`flow`), and
K^L(x, x)/q_L = s_L = clock(L) + s_0 + small (`sums`).

    kappa = 1        clock = alpha log l; what is small is O(1/l), beyond all powers of 1/log l
    0 < kappa < 1    clock = alpha l^(1-kappa)/(1-kappa) - ...; what is small in T, k and s is O(l^(-kappa))
    kappa > 1        the branches add up to a finite clock, so 1 - c^l tends to a positive number that depends on c^1

Tiny case.  kappa = 1, ReLU: 1 - c^l = 18 pi^2/(sigma_w^4 log(l)^2) + ..., K^L(x, x')/K^L(x, x) = 1/4 + O(1/log L).

Known limits.  For kappa < 1 the law of the NTK ends with O(1/L): the discreteness of the layers is not derived.
"""

from dataclasses import dataclass
from math import ceil

from mpmath import mp, mpf
from sympy import Expr, log

from asympt.architectures.named_constants import Coefficient, is_simple
from asympt.architectures.relu_like import DEPTH, LAYER
from asympt.architectures.scaled.coordinate import KernelFlow, dynamics_of
from asympt.architectures.scaled.flow import ntk_solution
from asympt.architectures.scaled.sums import LayerSum
from asympt.architectures.starts import read_start
from asympt.errors import InputError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.meanfield.statement import Statement
from asympt.recursions import evaluation, steps
from asympt.recursions.agreement import DEEPER, agreed
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND
from asympt.recursions.coordinates.abel_linear import LinearSolution
from asympt.recursions.coordinates.flow_time.coordinate import FlowTime
from asympt.recursions.coordinates.flow_time.inversion import AT_DEPTH, clock_at_depth, driven_expansion
from asympt.recursions.coordinates.flow_time.orbit import DrivenDynamics
from asympt.recursions.coordinates.flow_time.series import flow_time
from asympt.recursions.coordinates.flow_time.step_sizes import Steps
from asympt.recursions.law import Law
from asympt.recursions.protocol import Step

CARRIED = 60  # powers of t in the P and h that an NTK law carries: what a check on its orbits can use
SPARE, APART = 5, 7
_Y = AT_DEPTH.variable


@dataclass(frozen=True, kw_only=True)
class ScaledLaw(Law):
    """A law along the flow of a scaled residual network; C and D as in the module header.

    time: T, an expansion in t = sqrt(1 - c) without a constant term;
    linear: P and H = h of the NTK, None for the correlation; diagonal: s_0 of the NTK's normaliser;
    layer: the statement.
    """

    time: Expansion
    layer: Statement
    linear: LinearSolution | None = None
    diagonal: Expr | None = None

    kind = "scaled"

    @property
    def dynamics(self) -> DrivenDynamics:
        """gamma_l = gamma_(l-1) - delta_l h(gamma_(l-1))."""
        return dynamics_of(self.layer)

    @property
    def coordinate(self) -> FlowTime:
        """The coordinate in numbers."""
        return KernelFlow.of(self.layer) if self.linear else FlowTime(self.dynamics)

    @property
    def parameters(self) -> set:
        """The symbols in the slopes and in sigma_w."""
        return self.dynamics.parameters

    @property
    def plain(self) -> str:
        """The quantity as text."""
        return "K^L(x,x')/K^L(x,x)" if self.linear else "1-c^l"

    def _steps(self) -> tuple[Step, ...]:
        return steps.flowing(self)

    def _value(self, start: Expr, depth: int, digits: int):
        if start == 0:
            return mpf(1) if self.linear else mpf(0)
        if not self.linear:
            return evaluation.certified(self.coordinate, start, depth, digits)
        total = sum_of_shares(self.layer)
        kernel = evaluation.certified(self.coordinate, start, depth, digits + 2)
        with mp.workdps(digits + 15):
            return kernel / (1 + certified_sum(total, depth, digits + 2))

    def _constants(self, start: Expr, digits: int, second: bool = False) -> tuple:
        if start == 0:
            which = "second" if second else "connection"
            raise InputError(f"correlation = 1 stays at 1 in every layer, so it has no {which} constant")
        return evaluation.constants(self.coordinate, start, digits, second)


def sum_of_shares(statement: Statement) -> LayerSum:
    """sum_(k=2)^L delta_k."""
    return LayerSum(statement.layer.gain, statement.decay, False)


def certified_sum(total: LayerSum, depth: int, digits: int):
    """The sum over the layers, agreed upon by two routes."""

    def pair(extra: int) -> list:
        more = digits + extra
        return [total.at(depth, more + SPARE), total.at(depth, more + SPARE + APART, DEEPER)] if depth > 1 else [0, 0]

    return agreed(pair, digits)


# ---- derivation ---------------------------------------------------------------------------------


def correlation_law(statement: Statement, terms: int) -> ScaledLaw:
    """The law of 1 - c^l."""
    dynamics = dynamics_of(statement)
    expansion = driven_expansion(dynamics.drift, dynamics.steps, LAYER, terms)
    time = flow_time(dynamics.drift, terms + 1)
    return ScaledLaw(r"1-c^{l}", expansion, read_start, "correlation", time=time, layer=statement)


def ntk_law(statement: Statement, terms: int) -> ScaledLaw:
    """The law of K^L(x, x')/K^L(x, x), for kappa < 1 with fewer terms where O(1/L) comes first."""
    dynamics = dynamics_of(statement)
    shift = diagonal_constant(statement.layer.gain, statement.decay)
    full = _full_order(statement.decay)
    order = terms + 2 if full is None else min(full, terms + 2)
    expansion = _ratio(dynamics, shift, order)
    while len(expansion.terms) <= terms and order != full:
        order = order + 1 if full is None else min(full, order + 1)
        expansion = _ratio(dynamics, shift, order)
    return ScaledLaw(
        r"\frac{K^{L}(x,x')}{K^{L}(x,x)}", expansion.truncate(terms), read_start, "ntk", layer=statement,
        time=flow_time(dynamics.drift, order), diagonal=shift,
        linear=ntk_solution(dynamics.drift.lead, max(order, CARRIED)),
    )  # fmt: skip


def diagonal_constant(alpha: Expr, kappa: Expr) -> Expr:
    """s_0 of K^L(x, x)/q_L = clock(L) + s_0 + small: 1 - alpha psi(2 + alpha) for kappa = 1.

    >>> from sympy import Integer
    >>> diagonal_constant(Integer(1), Integer(1))
    -1/2 + EulerGamma
    """
    total = LayerSum(alpha, kappa, False)
    formula = total.constant_formula()
    exact = None if formula is None else (1 + formula).expand(func=True)
    if exact is not None and (exact.free_symbols or is_simple(exact)):
        return exact
    key = f"s_0 of alpha = {alpha}, kappa = {kappa}"
    return Coefficient("s_0", lambda: 1 + certified_sum_constant(total, mp.dps), key, "s_0", exact)


def certified_sum_constant(total: LayerSum, digits: int):
    """The constant of a sum over the layers, agreed upon by two routes."""
    return agreed(lambda extra: [total.constant(digits + extra + SPARE), total.constant(digits + extra + SPARE + APART,
                                                                                        DEEPER)], digits)


def _full_order(kappa: Expr) -> int | None:
    """The order in t at which P is known to O(l^(-kappa)); None for kappa = 1, where every order counts."""
    return None if kappa == 1 else ceil(kappa / (1 - kappa)) + 2


def _ratio(dynamics: DrivenDynamics, shift: Expr, order: int) -> Expansion:
    """(P + D h)/s_L at large L, from T, P and h up to t^order."""
    clock = _clock(dynamics.steps)
    t = flow_time(dynamics.drift, order).revert(Scale.at_infinity(_Y)).compose(clock + CONNECTION)
    solution = ntk_solution(dynamics.drift.lead, order)
    kernel = solution.particular.compose(t) + solution.homogeneous.compose(t) * SECOND
    if not dynamics.steps.harmonic:
        kernel = kernel + Expansion.build(kernel.scale, {}, Formal(_left_out(dynamics.steps.exponent)))
    lead = clock.leading[0].order
    return kernel * (clock + shift).power(-1, Monomial(kernel.remainder.monomial.order - 2 * lead))


def _clock(steps: Steps) -> Expansion:
    """The clock in the depth L, to what is small."""
    if steps.harmonic:
        return Expansion.variable(Scale.at_infinity(log(DEPTH))) * steps.weight
    kappa = steps.exponent
    known = clock_at_depth(steps, kappa) + Expansion.build(AT_DEPTH, {}, Formal(Monomial(kappa)))
    return known.compose(Expansion.variable(Scale.at_infinity(DEPTH)))


def _left_out(kappa: Expr) -> Monomial:
    """What the discreteness of the layers adds to k: l^(-kappa), with a log where h falls like that too."""
    return Monomial(kappa, 1 if 4 * kappa == 3 else 0)

