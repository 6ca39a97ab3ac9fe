"""The laws on the Edge of Chaos for any activation: 1 - c^l and K^L(x, x')/(q L).

Problem.  HDR Theorem 1, parts 1 and 2: how fast do the correlation and the NTK reach their limits when chi = 1?

Rule.  In u = gamma^(1/root) (`map_series`) the correlation is a parabolic recursion, and the NTK a linear one along it
with lambda = f'(c), b = f(c), k^1 = c^1.  The first power of gamma'/gamma - 1 decides:

    smooth phi            gamma' = gamma - (f''(1)/2) gamma^2 + ...      1 - c^l ~ 2/(f''(1) l),   K/(qL) -> 1/3
    phi'' jumps (ELU)     the same, and e_5 t^5                          the same, with a correction in 1/sqrt(l)
    phi' jumps            gamma' = gamma - e_3 gamma^(3/2) + ...         1 - c^l ~ 4/(e_3 l)^2,    K/(qL) -> 1/4

Law and A are derived with as many named coefficients as the terms need.  What a check to 30 digits needs beyond
that are the later coefficients of A as numbers: they are constants alpha_k, known by their digits.

Tiny case.  gamma' = gamma - gamma^2/2:  1 - c^l = 2/l - 2 log(l)/l^2 + ...

Known limits.  phi continuous and not linear, the variance at its fixed point in every layer.
"""

from collections.abc import Callable
from functools import lru_cache
from math import ceil, sqrt

from mpmath import mp
from sympy import Expr

from asympt.architectures.map_series import EdgeSeries, root_of
from asympt.architectures.named_constants import Coefficient, key_of
from asympt.architectures.relu_like import DEPTH, LAYER
from asympt.architectures.starts import read_start
from asympt.expansions import Expansion, Scale
from asympt.expansions.remainder import Formal
from asympt.expansions.scale import Monomial
from asympt.gaussian.kernel import kernel_of
from asympt.meanfield.layer import Layer
from asympt.precise import MapKernelStep, MapStep
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, AbelFunction
from asympt.recursions.coordinates.abel_inversion import TooFewOrders, depth_law, linear_value, power_of
from asympt.recursions.coordinates.abel_linear import LinearSolution
from asympt.recursions.coordinates.abel_numeric import Abel, order_of
from asympt.recursions.parabolic_law import ParabolicLaw
from asympt.recursions.protocol import Dynamics, LinearPart

NUMBERED = 20  # of A, in units of its leading power: what a check of the law to 30 digits can use
KNOWN = 5  # powers of gamma read off exactly, and more for more terms


def correlation_law(layer: Layer, terms: int) -> ParabolicLaw:
    """The law of 1 - c^l on the Edge of Chaos."""
    dynamics = _dynamics(layer, False, _known(layer, terms))
    abel, expansion = _derived(dynamics, terms, _abel, lambda abel: depth_law(abel, LAYER, terms, power_of(abel.root)))
    return ParabolicLaw(
        r"1-c^{l}", expansion, read_start, "correlation", abel=numbered(abel, dynamics, layer), dynamics=dynamics,
        layer=layer,
    )


def ntk_law(layer: Layer, terms: int) -> ParabolicLaw:
    """The law of K^L(x, x')/(q L) on the Edge of Chaos."""
    dynamics = _dynamics(layer, True, _known(layer, terms))

    def law_of(pair: tuple) -> Expansion:
        abel, linear = pair
        value = linear_value(linear.particular, linear.homogeneous, abel.multiplicity)
        return depth_law(abel, DEPTH, terms, value) / Expansion.variable(Scale.at_infinity(DEPTH))

    (abel, linear), expansion = _derived(dynamics, terms, _abel_and_linear, law_of)
    longer = numbered(abel, dynamics, layer)
    return ParabolicLaw(
        r"\frac{K^{L}(x,x')}{q\,L}", expansion, read_start, "ntk", abel=longer, dynamics=dynamics, layer=layer,
        linear=numbered_linear(linear, dynamics, layer), average=True, flow_source=lambda: _flow(layer, terms),
    )


def _flow(layer: Layer, terms: int) -> Expansion:
    """1 - c^L in the depth variable of the NTK law."""
    return depth_law(_long_abel(layer, terms + 2), DEPTH, terms + 2, power_of(_long_abel(layer, terms + 2).root))


def _long_abel(layer: Layer, terms: int) -> AbelFunction:
    dynamics = _dynamics(layer, False, _known(layer, terms))
    return _derived(dynamics, terms, _abel, lambda abel: depth_law(abel, LAYER, terms, power_of(abel.root)))[0]


def _known(layer: Layer, terms: int) -> int:
    """n terms go as far as about sqrt(2 n) powers, since the k-th carries log(l)^j for j <= k."""
    return root_of(layer) * (KNOWN + ceil(sqrt(2 * terms)))


@lru_cache(maxsize=256)
def _dynamics(layer: Layer, with_ntk: bool, known: int) -> Dynamics:
    """gamma -> 1 - f(1 - gamma), with the NTK's linear recursion along it."""
    series = EdgeSeries(layer, known)
    linear = LinearPart(series.slope, series.value, start=lambda gap: 1 - gap) if with_ntk else None
    step = (MapKernelStep if with_ntk else MapStep)(series.map)
    return Dynamics(series.ratio, step, root=series.root, first=1, linear=linear, costly=_is_costly(layer))


def _is_costly(layer: Layer) -> bool:
    """Whether a coefficient takes long: with breakpoints and without formulas every one is a quadrature."""
    return kernel_of(layer.activation.piecewise).source == "quadrature"


# ---- as many orders as the terms need -----------------------------------------------------------------


def _derived(dynamics: Dynamics, terms: int, solve: Callable, law_of: Callable) -> tuple:
    """What `solve` finds from the fewest coefficients that give the terms, and the law."""
    m = order_of(dynamics)
    size = 3 * m + 1
    while True:
        found = solve(dynamics, size)
        try:
            return found, law_of(found)
        except TooFewOrders:
            size += m


def _abel(dynamics: Dynamics, size: int) -> AbelFunction:
    return AbelFunction.solve(dynamics.growth(size), dynamics.root)


def _abel_and_linear(dynamics: Dynamics, size: int) -> tuple[AbelFunction, LinearSolution]:
    growth, linear = dynamics.growth(size), dynamics.linear
    solution = LinearSolution.solve(growth, linear.multiplier(size), linear.forcing(size), dynamics.root)
    return AbelFunction.solve(growth, dynamics.root), solution


# ---- A as far as a check needs it ---------------------------------------------------------------------


def numbered(abel: AbelFunction, dynamics: Dynamics, layer: Layer) -> AbelFunction:
    """A with the coefficients alpha_k that were not derived, up to t^(NUMBERED m - 1), as constants known by digits."""
    known, last = int(abel.expansion.remainder.monomial.order), abel.multiplicity * NUMBERED - 1
    terms, rest = abel.expansion.coefficients, Formal(Monomial(max(known, last + 1)))
    later = {Monomial(k): _alpha(dynamics, k, key_of(layer)) for k in range(known, last + 1)}
    return AbelFunction(Expansion.build(AT_FIXED_POINT, {**terms, **later}, rest), abel.root)


def _alpha(dynamics: Dynamics, k: int, key: str) -> Expr:
    """alpha_k, by the same triangular system in numbers."""
    def digits():
        numeric = Abel(_plain(dynamics)).numeric(NUMBERED, mp.dps)
        return numeric.abel[k + numeric.multiplicity]

    return Coefficient(f"alpha_{k}", digits, f"alpha_{k} of {key}", rf"\alpha_{{{k}}}")


def numbered_linear(linear: LinearSolution, dynamics: Dynamics, layer: Layer) -> LinearSolution:
    """P and H with the coefficients p_k and h_k that were not derived, as far as those of A."""
    m, key = order_of(dynamics), key_of(layer)
    last, start = m * NUMBERED - 1, int(linear.homogeneous.leading[0].order)

    def constant(name: str, k: int, read: Callable, log: str = "") -> Expr:
        label = f"{name}_{k}{log}"
        text = rf"{name}_{{{k}}}{log}"
        return Coefficient(label, lambda: read(Abel(dynamics).numeric(NUMBERED, mp.dps)), f"{label} of {key}", text)

    def longer(expansion: Expansion, later: dict, logs: int) -> Expansion:
        known = expansion.remainder.monomial.order
        terms = {monomial: c for monomial, c in later.items() if monomial.order >= known}
        return Expansion.build(AT_FIXED_POINT, {**expansion.coefficients, **terms}, Formal(Monomial(last + 1, logs)))

    waves, particular = {}, {}
    for k in range(1 - m, last + 1):
        particular[Monomial(k)] = constant("p", k, lambda numeric, k=k: numeric.particular_series[k + m])
        if k >= start:
            waves[Monomial(k)] = constant("h", k, lambda numeric, k=k: numeric.homogeneous_series[1][k - start])
            particular[Monomial(k, 1)] = constant(
                "p", k, lambda numeric, k=k: numeric.resonance * numeric.homogeneous_series[1][k - start], "'"
            )
    del particular[Monomial(start)]  # P has no pure power where H starts: that normalises D
    return LinearSolution(longer(linear.particular, particular, 1), longer(linear.homogeneous, waves, 0), linear.root)


@lru_cache(maxsize=256)
def _plain(dynamics: Dynamics) -> Dynamics:
    """The recursion without a linear part."""
    return Dynamics(dynamics.ratio, dynamics.step, root=dynamics.root, first=dynamics.first, costly=dynamics.costly)
