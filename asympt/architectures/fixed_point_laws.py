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

What differs is which series at which point (`map_series`).  f' is chi as well, hence the resonance L chi^L.  One input,
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
from math import ceil, sqrt

from mpmath import mp
from sympy import Expr, S

from asympt.architectures.exact_law import exact_law, no_start
from asympt.architectures.map_series import SeriesAtOne, SeriesInside, root_of
from asympt.architectures.named_constants import Coefficient, key_of
from asympt.architectures.parsing import read_start, start_about
from asympt.architectures.relu_like import DEPTH, LAYER, PLAIN
from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Scale
from asympt.expansions.remainder import Formal
from asympt.expansions.scale import Exponential, Monomial
from asympt.gaussian.closed.bivariate import BivariateNormal
from asympt.gaussian.kernel import kernel_of
from asympt.meanfield.layer import Layer
from asympt.meanfield.normal_form import NormalForm
from asympt.meanfield.statement import Statement
from asympt.numbers import to_mpf
from asympt.precise.layer import LayerStep, StepAbout
from asympt.recursions.autonomous import derived, fewest, hyperbolic_law, hyperbolic_linear_law
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, AbelFunction
from asympt.recursions.coordinates.abel_inversion import depth_law, linear_value, power_of
from asympt.recursions.coordinates.abel_linear import LinearSolution, abel_and_linear
from asympt.recursions.coordinates.abel_numeric import Abel, order_of
from asympt.recursions.fixed_point import FixedPoint
from asympt.recursions.law import Law
from asympt.recursions.protocol import Dynamics, LinearPart, T

EDGE, CHAOTIC = "edge of chaos", "chaotic"
SETTLED, ONE_INPUT = r"\frac{K^{L}(x,x')}{q}", r"\frac{K^{L}(x,x)}{q}"
NUMBERED = 20  # of A, in units of its leading power: what a check of the law to 30 digits can use
KNOWN = {EDGE: 5, "ordered": 4}  # powers of gamma read off exactly, and more for more terms


class GapFixedPoint(FixedPoint):
    """The gap 1 - c* as the fixed point, read as 1 - c^l."""

    quantity, shapes = "1-c^{l}", ("1-c^{{{}}}", "1-c^{}")


def correlation_law(form: NormalForm, statement: Statement, phase: str, terms: int) -> Law:
    """The law of 1 - c^l; the layer of the statement is that of the branch at its fixed variance."""
    if phase == EDGE:
        return replace(critical_correlation(*_critical(form, statement.layer), terms), layer=statement)
    fixed, reader = _seen_from(form, statement.layer, phase)
    law = hyperbolic_law(_dynamics(form, statement.layer, phase, False, terms), fixed, terms, reader, LAYER)
    return replace(law, quantity=GapFixedPoint.quantity, name="correlation", layer=statement)


def ntk_law(form: NormalForm, statement: Statement, phase: str, terms: int) -> Law:
    """The law of K^L(x, x')/(q L) on the Edge of Chaos, of K^L(x, x')/q for two different inputs elsewhere."""
    if phase == EDGE:
        return replace(critical_ntk(*_critical(form, statement.layer), terms), layer=statement)
    fixed, reader = _seen_from(form, statement.layer, phase)
    dynamics = _dynamics(form, statement.layer, phase, True, terms)
    law = hyperbolic_linear_law(dynamics, terms, reader, DEPTH, SETTLED, "ntk", fixed=fixed)
    return replace(law, layer=statement)


def diagonal_law(form: NormalForm, statement, chi: Expr, quantity: str = ONE_INPUT) -> Law:
    """The law of K^L(x, x)/q: 1 + w (L - 1) for chi = g'(1) = 1, else a geometric sum, times what one layer adds."""
    return replace(geometric_diagonal(form.branch_share, form.own, chi, quantity), layer=statement)


def geometric_diagonal(branch_share: Expr, own: Expr, chi: Expr, quantity: str) -> Law:
    """The law of R' = (1 + w (chi - 1)) R + w own from R = own at layer 1."""
    base = 1 + branch_share * (chi - 1)
    if chi == 1:
        terms = {(-1, 0): own * branch_share, (0, 0): (own * (1 - branch_share)).factor()}
        expansion = Expansion.build(Scale.at_infinity(DEPTH), terms)
    else:
        apart, sign, order = (1 - chi, 1, 1) if chi < 1 else (chi - 1, -1, -1)
        limit, rest = sign * own / apart, -sign * own * chi / (apart * base)
        found = [(Monomial(0), limit), (Monomial(order), rest)]
        expansion = Expansion(Exponential(DEPTH, base=base**order), tuple(found[::order]))
    return exact_law(quantity, expansion, no_start, "ntk diagonal", layer=None)


# ---- the recursion at its fixed point -------------------------------------------------------------------


def _seen_from(form: NormalForm, layer: Layer, phase: str) -> tuple[GapFixedPoint | None, Callable]:
    """The fixed point and the reader of starts, off the Edge of Chaos."""
    if phase != CHAOTIC:
        return None, read_start
    fixed_gap = _inside(form, layer).fixed_gap
    return GapFixedPoint(fixed_gap), start_about(fixed_gap)


@lru_cache(maxsize=256)
def _inside(form: NormalForm, layer: Layer) -> SeriesInside:
    return SeriesInside(form, layer)


def _dynamics(form: NormalForm, layer: Layer, phase: str, with_ntk: bool, terms: int) -> Dynamics:
    """The recursion with as many named coefficients as the solver asks for first.

    On the Edge of Chaos n terms go as far as about sqrt(2 n) powers, since the k-th carries log(l)^j for j <= k.
    """
    if phase == CHAOTIC:
        return _about(form, layer, with_ntk)
    root = root_of(layer)
    known = root * (KNOWN[EDGE] + ceil(sqrt(2 * terms))) if phase == EDGE else terms + KNOWN[phase] + root
    return _at_one(form, layer, with_ntk, known, phase == EDGE and _is_costly(layer))


@lru_cache(maxsize=256)
def _at_one(form: NormalForm, layer: Layer, with_ntk: bool, known: int, costly: bool) -> Dynamics:
    """gamma -> 1 - f(1 - gamma), with the NTK's linear recursion along it."""
    series, step = SeriesAtOne(form, layer, known), LayerStep(form)
    linear = None
    if with_ntk:
        linear = LinearPart(series.slope, series.forcing, start=step.first, exact_start=form.first)
    closed = lambda: _closed(form, layer, series.root)  # noqa: E731
    return Dynamics(series.ratio, step, root=series.root, first=1, linear=linear, costly=costly, closed=closed)


def _closed(form: NormalForm, layer: Layer, root: int):
    """(1 - f, lambda, b) as closed forms in t, gamma = t^root, and balls for the numbers in them.

    Where the branch has none, the `KernelMap` by Taylor models; `UnsupportedError` where there is none either.
    """
    from asympt.meanfield.enclosed import parameter_balls  # ball arithmetic: only for certificates

    branch, share = form.branch, form.branch_share
    if branch.closed_form is None or branch.closed_form.has(BivariateNormal):
        return _by_hermite_sum(form, layer)
    value, slope = (f.subs(branch.variable, 1 - T**root) for f in (branch.closed_form, branch.closed_slope))
    lost = 1 - value
    own = share * (form.own - form.own_lost * lost)
    return (1 - share) * T**root + share * lost, 1 - share + share * slope, own, parameter_balls(layer)


def _by_hermite_sum(form: NormalForm, layer: Layer, fixed_gap: Expr = S.Zero):
    """The `KernelMap` of a plain layer about c = 1 or c* < 1."""
    from asympt.meanfield.enclosed import kernel_map  # ball arithmetic: only for certificates

    if form.branch_share != 1 or form.own != 1 or form.own_lost != 1:
        raise UnsupportedError("the correlation map of this activation has no closed form to be seen on a circle")
    return kernel_map(layer, fixed_gap)


@lru_cache(maxsize=256)
def _about(form: NormalForm, layer: Layer, with_ntk: bool) -> Dynamics:
    """y -> y' about c*, with the NTK's linear recursion along it."""
    series, linear, step = _inside(form, layer), None, LayerStep(form)
    fixed_gap = series.fixed_gap
    if with_ntk:
        start = lambda y: form.first(fixed_gap + y)  # noqa: E731
        linear = LinearPart(
            series.slope, series.forcing, start=lambda y: step.first(to_mpf(fixed_gap) + y), exact_start=start
        )
    closed = lambda: _by_hermite_sum(form, layer, fixed_gap)  # noqa: E731
    return Dynamics(series.ratio, StepAbout(step, fixed_gap), first=1, linear=linear, closed=closed)


def _is_costly(layer: Layer) -> bool:
    """Whether a coefficient takes long: with breakpoints and without formulas every one is a quadrature."""
    return kernel_of(layer.activation.piecewise).source == "quadrature"


# ---- on the Edge of Chaos: as many orders as the terms need -----------------------------------------------


def _critical(form: NormalForm, layer: Layer) -> tuple[Callable, str]:
    """The recursion with so many terms, and what determines it: the branch, its weight and its own NTK."""
    key = (key_of(layer), form.branch_share, form.own, form.own_lost)
    return lambda with_ntk, terms: _dynamics(form, layer, EDGE, with_ntk, terms), key


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
