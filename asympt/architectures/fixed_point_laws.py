"""The laws of correlation and NTK of any layer that is the same at every depth, from its normal form, in every phase.

Problem.  HDR Theorem 1 and Proposition 1 (after Schoenholz et al.): how fast do the correlation and the NTK reach their
limits, with which prefactors and corrections?

Rule.  c -> f(c), k -> f'(c) k + w o(c) (`meanfield.normal_form`), looked at from the fixed point that attracts.

    chi = f'(1)                                           1 - c^l                     K/q
    1     at c = 1, Abel's function    phi smooth         2/(f''(1) l)                L/3
                                       phi'' jumps (ELU)  the same, with e_5 t^5      with a correction in 1/sqrt(l)
                                       phi' jumps         4/(e_3 l)^2                 L/4
    < 1   at c = 1, Koenigs' function                     C chi^l                     1/(1 - chi) + (r C L + ...) chi^L
    > 1   at c* < 1, Koenigs' function                    1 - c* + C chi*^l           c*/(1 - chi*) + r C L chi*^L + ...

What differs is which series at which point.  f' is chi as well, hence the resonance L chi^L.  One input,
c = 1, is exact at every depth: k' = (1 + w (chi - 1)) k + w o(1).

On the Edge of Chaos law and A are derived with as many named coefficients as the terms need.  What a check to 30 digits
needs beyond that are the later coefficients of A as numbers: they are constants alpha_k, known by their digits.

Tiny case.  gamma' = gamma - gamma^2/2:  1 - c^l = 2/l - 2 log(l)/l^2 + ...

Known limits.  phi continuous and not linear, the variance at its fixed point in every layer.  In the chaotic phase the
orbits that converge to c*: all but the one that stays at c = 1 (and at c = -1 for odd f).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from mpmath import mp
from sympy import Expr

from asympt.architectures.named_constants import Coefficient
from asympt.architectures.parsing import read_start
from asympt.architectures.relu_like import DEPTH, LAYER, PLAIN
from asympt.expansions import Expansion, Scale
from asympt.expansions.remainder import Formal
from asympt.expansions.scale import Monomial
from asympt.recursions.autonomous import derived, fewest
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, AbelFunction
from asympt.recursions.coordinates.abel_inversion import depth_law, linear_value, power_of
from asympt.recursions.coordinates.abel_linear import LinearSolution, abel_and_linear
from asympt.recursions.coordinates.abel_numeric import Abel, order_of
from asympt.recursions.fixed_point import FixedPoint
from asympt.recursions.law import Law
from asympt.recursions.protocol import Dynamics

EDGE, CHAOTIC = "edge of chaos", "chaotic"
SETTLED, ONE_INPUT = r"\frac{K^{L}(x,x')}{q}", r"\frac{K^{L}(x,x)}{q}"
GROWN_INPUT = r"\frac{K^{L}(x,x)}{q_{L}}"  # where the variance grows with depth
NUMBERED = 20  # of A, in units of its leading power: what a check of the law to 30 digits can use
KNOWN = {EDGE: 5, "ordered": 4}  # powers of gamma read off exactly, and more for more terms


class GapFixedPoint(FixedPoint):
    """The gap 1 - c* as the fixed point, read as 1 - c^l."""

    quantity, shapes = "1-c^{l}", ("1-c^{{{}}}", "1-c^{}")


# ---- on the Edge of Chaos: as many orders as the terms need -----------------------------------------------


def critical_correlation(dynamics_of: Callable, key: tuple, terms: int) -> Law:
    """The law of 1 - c^l at a parabolic c = 1; `dynamics_of(with_ntk, terms)` is the recursion, `key` determines it."""
    dynamics = dynamics_of(False, terms)
    abel, expansion = _inverted(dynamics, LAYER, terms)
    return Law(
        GapFixedPoint.quantity, expansion, read_start, "correlation",
        coordinate=Abel(dynamics, numbered(abel, dynamics, key)), formulas_source=lambda: (abel, None),
    )  # fmt: skip


def critical_ntk(dynamics_of: Callable, key: tuple, terms: int) -> Law:
    """The law of K^L/(q L) at a parabolic c = 1."""
    dynamics = dynamics_of(True, terms)

    def law_of(abel: AbelFunction, linear: LinearSolution) -> Expansion:
        value = linear_value(linear.particular, linear.homogeneous, abel.multiplicity)
        return depth_law(abel, DEPTH, terms, value) / Expansion.variable(Scale.at_infinity(DEPTH))

    abel, linear, expansion = derived(dynamics, fewest(dynamics), law_of)
    return Law(
        PLAIN, expansion, read_start, "ntk", coordinate=Abel(dynamics, numbered(abel, dynamics, key)),
        linear=numbered_linear(linear, dynamics, key), average=True,
        flow_source=lambda: _inverted(dynamics_of(False, terms + 2), DEPTH, terms + 2)[1],
        formulas_source=lambda: (abel, _to_resonance(dynamics)),
    )  # fmt: skip


def _to_resonance(dynamics: Dynamics) -> LinearSolution:
    """P and H as formulas up to the power at which they resonate."""
    return abel_and_linear(dynamics, 4 * order_of(dynamics) + dynamics.root + 1)[1]


def _inverted(dynamics: Dynamics, variable: Expr, terms: int) -> tuple[AbelFunction, Expansion]:
    """A and gamma at depth."""
    abel, _, law = derived(
        dynamics, fewest(dynamics), lambda abel, _: depth_law(abel, variable, terms, power_of(abel.root))
    )
    return abel, law


# ---- A as far as a check needs it ---------------------------------------------------------------------


def numbered(abel: AbelFunction, dynamics: Dynamics, key: tuple) -> AbelFunction:
    """A with the coefficients alpha_k that were not derived, up to t^(NUMBERED m - 1), as constants known by digits."""
    known, last = int(abel.expansion.remainder.monomial.order), abel.multiplicity * NUMBERED - 1
    terms, rest = abel.expansion.coefficients, Formal(Monomial(max(known, last + 1)))
    later = {Monomial(k): _alpha(dynamics, k, key) for k in range(known, last + 1)}
    return AbelFunction(Expansion.build(AT_FIXED_POINT, {**terms, **later}, rest), abel.root)


def _alpha(dynamics: Dynamics, k: int, key: tuple) -> Expr:
    """alpha_k, by the same triangular system in numbers."""
    def digits():
        numeric = Abel(_plain(dynamics)).numeric(NUMBERED, mp.dps)
        return numeric.abel[k + numeric.multiplicity]

    return Coefficient(f"alpha_{k}", digits, ("alpha", k, key), rf"\alpha_{{{k}}}")


def numbered_linear(linear: LinearSolution, dynamics: Dynamics, key: tuple) -> LinearSolution:
    """P and H with the coefficients p_k and h_k that were not derived, as far as those of A."""
    m = order_of(dynamics)
    last, start = m * NUMBERED - 1, int(linear.homogeneous.leading[0].order)

    def constant(name: str, k: int, read: Callable, log: str = "") -> Expr:
        label, text = f"{name}_{k}{log}", rf"{name}_{{{k}}}{log}"
        return Coefficient(label, lambda: read(Abel(dynamics).numeric(NUMBERED, mp.dps)), (label, key), text)

    def longer(expansion: Expansion, later: dict, logs: int) -> Expansion:
        known = expansion.remainder.monomial.order
        terms = {monomial: c for monomial, c in later.items() if monomial.order >= known}
        return Expansion.build(AT_FIXED_POINT, {**expansion.coefficients, **terms}, Formal(Monomial(last + 1, logs)))

    homogeneous, particular = {}, {}
    for k in range(1 - m, last + 1):
        particular[Monomial(k)] = constant("p", k, lambda numeric, k=k: numeric.particular_series[k + m])
        if k >= start:
            homogeneous[Monomial(k)] = constant("h", k, lambda numeric, k=k: numeric.homogeneous_series[1][k - start])
            particular[Monomial(k, 1)] = constant(
                "p", k, lambda numeric, k=k: numeric.resonance * numeric.homogeneous_series[1][k - start], "'"
            )
    del particular[Monomial(start)]  # P has no pure power where H starts: that normalises D
    found = longer(linear.particular, particular, 1), longer(linear.homogeneous, homogeneous, 0)
    return LinearSolution(*found, linear.root)


@lru_cache(maxsize=256)
def _plain(dynamics: Dynamics) -> Dynamics:
    """The recursion without a linear part."""
    return replace(dynamics, linear=None)
