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

from functools import partial
from math import ceil

from mpmath import mp
from sympy import Expr, log

from asympt.architectures.named_constants import Coefficient, is_simple
from asympt.architectures.relu_like import DEPTH, LAYER
from asympt.architectures.scaled.coordinate import GapFlow, KernelFlow, diagonal_at, dynamics_of
from asympt.architectures.scaled.flow import ntk_solution
from asympt.architectures.scaled.sums import LayerSum
from asympt.architectures.starts import read_start
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.meanfield.statement import Statement
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND
from asympt.recursions.coordinates.flow_time.inversion import AT_DEPTH, clock_at_depth, driven_expansion
from asympt.recursions.coordinates.flow_time.orbit import DrivenDynamics
from asympt.recursions.coordinates.flow_time.series import flow_time
from asympt.recursions.coordinates.flow_time.step_sizes import Steps
from asympt.recursions.law import Law

CARRIED = 60  # powers of t in the P and h that an NTK law carries: what a check on its orbits can use
SPARE, APART = 5, 7
_Y = AT_DEPTH.variable


def correlation_law(statement: Statement, terms: int) -> Law:
    """The law of 1 - c^l."""
    dynamics = dynamics_of(statement)
    expansion = driven_expansion(dynamics.drift, dynamics.steps, LAYER, terms)
    time = flow_time(dynamics.drift, terms + 1)
    coordinate = GapFlow(dynamics, time=time)
    return Law(r"1-c^{l}", expansion, read_start, "correlation", coordinate=coordinate, layer=statement)


def ntk_law(statement: Statement, terms: int) -> Law:
    """The law of K^L(x, x')/K^L(x, x), for kappa < 1 with fewer terms where O(1/L) comes first."""
    dynamics = dynamics_of(statement)
    shift = diagonal_constant(statement.layer.chi, statement.decay)
    full = _full_order(statement.decay)
    order = terms + 2 if full is None else min(full, terms + 2)
    expansion = _ratio(dynamics, shift, order)
    while len(expansion.terms) <= terms and order != full:
        order = order + 1 if full is None else min(full, order + 1)
        expansion = _ratio(dynamics, shift, order)
    coordinate = KernelFlow(dynamics, statement, time=flow_time(dynamics.drift, order), diagonal=shift)
    return Law(
        r"\frac{K^{L}(x,x')}{K^{L}(x,x)}", expansion.truncate(terms), read_start, "ntk", coordinate=coordinate,
        layer=statement, linear=ntk_solution(dynamics.drift.lead, max(order, CARRIED)),
        norm=partial(diagonal_at, statement),
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
    return Coefficient("s_0", lambda: 1 + total.certified_constant(mp.dps), key, "s_0", exact)


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

