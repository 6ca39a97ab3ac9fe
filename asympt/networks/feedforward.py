"""The fully connected network: its layer, and the laws of its correlation and of its NTK.

Problem.  HDR Theorem 1, part 1: how fast do the correlation c^L and the NTK K^L(x, x') of a ReLU-like network
reach their limits on the Edge of Chaos?

Rule.  With sigma_b = 0 the variance is q_L = chi^(L-1) q_1 and, in units of q_L, whatever sigma_w is,

    c -> f(c),     k -> f'(c) k + f(c),     k = K/q,  k^1 = c^1,

a parabolic recursion and a linear one along it.  Only rho enters f, so both laws are derived once, exactly,
for a symbolic parameter alpha = alpha_(-1) = 3/(sqrt(2) rho), the leading Abel coefficient, in the unit
tau = t/alpha in which every coefficient is a polynomial in alpha; a network substitutes its own alpha.

Tiny case (ReLU).  alpha = 3 pi/sqrt(2), iterative residue 3/2:
1 - c^l = (9 pi^2/2)(l + (3/2) log l + ...)^(-2),   K^L/(q L) = 1/4 + (3/8) log(L)/L + ...

Known limits.  Laws need sigma_b = 0: with sigma_b > 0 the variance has no fixed point on the Edge of Chaos.
"""

from dataclasses import dataclass
from functools import lru_cache

from sympy import Expr, Integer, Symbol, ceiling, pi, sqrt

from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.correlation import CorrelationMap, check_correlation
from asympt.meanfield.layer import Layer
from asympt.meanfield.phases import edge_of_chaos, phase_of
from asympt.numbers import exact
from asympt.precise import GapStep, KernelStep
from asympt.recursions.dynamics import Dynamics, LinearPart
from asympt.recursions.inversion import depth_law, linear_average, power_of
from asympt.recursions.law import Law, check_terms
from asympt.recursions.linear import LinearSolution
from asympt.recursions.parabolic import AbelFunction, T

ALPHA = Symbol("alpha", positive=True)
LAYER = Symbol("l", positive=True)
DEPTH = Symbol("L", positive=True)
DERIVED_ORDERS = 20


@dataclass(frozen=True, init=False)
class FeedForward:
    """A fully connected network in the NTK parametrisation, at infinite width (HDR eq. 10).

    y^1 = sigma_w/sqrt(d) w x + sigma_b b,  y^l = sigma_w/sqrt(n) w phi(y^(l-1)) + sigma_b b, all w, b ~ N(0, 1).

    Parameters: `phi`, a catalogue name or an `Activation` (ReLU-like); `sigma_w` > 0 and `sigma_b` >= 0, standard
    deviations (default: the Edge of Chaos).  Raises `InputError` for bad values.

    >>> net = FeedForward("relu", sigma_w=sqrt(2), sigma_b=0)
    >>> net.phase
    'edge of chaos'
    >>> print(net.ntk_law(terms=2))
    1/4 + 3*log(L)/(8*L) + O(1/L)
    """

    layer: Layer

    def __init__(self, phi: str | Activation, sigma_w=None, sigma_b=0, **options):
        phi = activation(phi, **options)
        critical = sqrt(1 / phi.second_moment)
        sigma_w = critical if sigma_w is None else _snapped(sigma_w, critical)
        sigma_b = exact(sigma_b, "sigma_b")
        if sigma_w.is_number and not sigma_w > 0:
            raise InputError(f"sigma_w = {sigma_w} is not positive; give the standard deviation of the weights")
        if sigma_b.is_number and not sigma_b >= 0:
            raise InputError(f"sigma_b = {sigma_b} is negative; give the standard deviation of the biases")
        object.__setattr__(self, "layer", Layer(phi, sigma_w**2, sigma_b**2))

    @classmethod
    def on_edge_of_chaos(cls, phi: str | Activation, sigma_b=0, **options) -> "FeedForward":
        """The network on the Edge of Chaos for the given sigma_b."""
        phi = activation(phi, **options)
        point = edge_of_chaos(phi, sigma_b=sigma_b)
        return cls(phi, sigma_w=point.exact_sigma_w, sigma_b=sigma_b)

    @property
    def activation(self) -> Activation:
        """phi."""
        return self.layer.activation

    @property
    def phase(self) -> str:
        """'ordered', 'edge of chaos' or 'chaotic': chi = sigma_w^2 E[phi'^2] below, at or above 1."""
        return phase_of(self.layer)

    @property
    def correlation_map(self) -> CorrelationMap:
        """f, normalised to f(1) = f'(1) = 1."""
        return CorrelationMap.of(self.activation)

    def correlation_law(self, terms: int = 4) -> Law:
        """The law of 1 - c^l, a log-power series in l with the connection constant C(c^1).

        >>> print(FeedForward("relu").correlation_law(terms=2))
        9*pi^2/(2*l^2) - 27*pi^2*log(l)/(2*l^3) + O(1/l^3)
        """
        self._require_law()
        expansion = universal_expansion(False, check_terms(terms)).subs({ALPHA: self._alpha})
        return Law(
            r"1-c^{l}", expansion, abel_for(self._alpha),
            correlation_dynamics(self.layer.fold, self.layer.unfolded), reader=read_start, name="correlation",
            layer=self.layer,
        )

    def ntk_law(self, terms: int = 4) -> Law:
        """The law of K^L(x, x')/(q_L L), q_L the variance at layer L (q, constant, on the Edge of Chaos)."""
        self._require_law()
        expansion = universal_expansion(True, check_terms(terms)).subs({ALPHA: self._alpha})
        return Law(
            r"\frac{K^{L}(x,x')}{q\,L}", expansion, abel_for(self._alpha),
            ntk_dynamics(self.layer.fold, self.layer.unfolded), linear=ntk_solution_for(self._alpha),
            average=True, reader=read_start, name="ntk",
            flow_source=lambda: self._flow(expansion),
            layer=self.layer,
        )

    def _flow(self, expansion):
        """1 - c^L in the depth variable of the NTK law, to as many orders as a check of that law needs."""
        order = int(ceiling(expansion.remainder.monomial.order)) + 1
        return universal_flow(order * (order + 1) // 2).subs({ALPHA: self._alpha})

    @property
    def _alpha(self) -> Expr:
        return leading_abel(self.layer.fold)

    def _require_law(self) -> None:
        if self.layer.bias_variance != 0:
            raise UnsupportedError(
                f"sigma_b = {sqrt(self.layer.bias_variance)}: with biases the variance of a ReLU-like network has no "
                "fixed point on the Edge of Chaos; the laws need sigma_b = 0"
            )
        if self.activation.is_linear:
            raise UnsupportedError(
                f"activation {self.activation.name!r} is linear (both slopes are {self.activation.slopes[0]}), so the "
                "correlation never moves; take two different slopes"
            )


def leading_abel(fold: Expr) -> Expr:
    """alpha_(-1) = 3/(sqrt(2) rho), rho = 2 kappa/pi."""
    return 3 * pi / (2 * sqrt(2) * fold)


def _snapped(sigma_w, critical: Expr) -> Expr:
    """sigma_w, exact; a float within rounding of the Edge of Chaos is taken to lie on it."""
    value = exact(sigma_w, "sigma_w")
    if isinstance(sigma_w, float) and critical.is_number and abs(sigma_w - float(critical)) <= 4e-16 * sigma_w:
        return critical
    return value


def read_start(correlation=None, gap=None) -> Expr:
    """The exact gap 1 - c^1 from exactly one of `correlation` and `gap`."""
    if (correlation is None) == (gap is None):
        raise InputError("give either correlation = c^1 or gap = 1 - c^1, for example correlation=Rational(1, 10)")
    value = exact(correlation, "correlation") if gap is None else 1 - exact(gap, "gap")
    if not value.is_number:
        raise InputError(f"correlation = {value} is not a number; give a number in [-1, 1]")
    check_correlation(value)
    return 1 - value


# ---- the derivation, once for every slope ---------------------------------------------------------


def _universal_map() -> CorrelationMap:
    return CorrelationMap.with_asymmetry(3 / (sqrt(2) * ALPHA))


def scaled(expansion, count: int, scale: Expr, shift: int = 0) -> list[Expr]:
    """The first `count` coefficients of expansion / t^shift in tau = t/scale."""
    known = {int(m.order) - shift: c for m, c in expansion.terms}
    return [(known.get(k, Integer(0)) * scale**k).expand() for k in range(count)]


def ratio_of(f: CorrelationMap, scale: Expr):
    """count -> coefficients of gamma'/gamma = (1 - f)/t^2 in tau."""
    return lambda count: scaled(1 - f.expansion(count + 3), count, scale, shift=2)


def linear_part(f: CorrelationMap, scale: Expr) -> LinearPart:
    """lambda = f'(c), b = f(c), k^1 = c^1 (HDR Lemma 2 in units of q)."""
    return LinearPart(
        multiplier=lambda count: scaled(f.slope_expansion(count + 3), count, scale),
        forcing=lambda count: scaled(f.expansion(count + 3), count, scale),
        start=lambda gap: 1 - gap,
        formulas=(f.slope_in_uniformiser(T), 1 - f.gap_in_uniformiser(T)),
    )


@lru_cache(maxsize=256)
def correlation_dynamics(fold: Expr, unfolded: Expr) -> Dynamics:
    """gamma -> 1 - f(1 - gamma) for the network's own slopes."""
    f, scale = CorrelationMap(fold, unfolded), leading_abel(fold)
    return Dynamics(
        ratio_of(f, scale), GapStep(fold, unfolded), root=2, scale=scale, first=1, formula=f.gap_in_uniformiser(T)
    )


@lru_cache(maxsize=256)
def ntk_dynamics(fold: Expr, unfolded: Expr) -> Dynamics:
    """The same flow with the NTK's linear recursion along it."""
    f, scale = CorrelationMap(fold, unfolded), leading_abel(fold)
    return Dynamics(
        ratio_of(f, scale), KernelStep(fold, unfolded), root=2, scale=scale, first=1,
        linear=linear_part(f, scale), formula=f.gap_in_uniformiser(T),
    )


@lru_cache(maxsize=1)
def _universal() -> tuple[AbelFunction, LinearSolution]:
    """A and P, H for symbolic alpha, solved in tau and written in t."""
    f, size = _universal_map(), DERIVED_ORDERS + 3
    growth = Dynamics(ratio_of(f, ALPHA), None, root=2).growth(size)
    linear = linear_part(f, ALPHA)
    solution = LinearSolution.solve(growth, linear.multiplier(size), linear.forcing(size), root=2)
    return AbelFunction.solve(growth, root=2).rescale(ALPHA), solution.rescale(ALPHA)


@lru_cache(maxsize=64)
def abel_for(alpha: Expr) -> AbelFunction:
    """A(t) for one value of alpha."""
    return _universal()[0].subs({ALPHA: alpha})


@lru_cache(maxsize=64)
def ntk_solution_for(alpha: Expr) -> LinearSolution:
    """P(t) and H(t) for one value of alpha."""
    return _universal()[1].subs({ALPHA: alpha})


@lru_cache(maxsize=64)
def universal_expansion(ntk: bool, terms: int):
    """The law for symbolic alpha, C (and D), with `terms` terms."""
    abel, linear = _universal()
    if not ntk:
        return depth_law(abel, LAYER, terms, power_of(2))
    return depth_law(abel, DEPTH, terms, linear_average(linear.particular, linear.homogeneous, abel.multiplicity))


@lru_cache(maxsize=16)
def universal_flow(terms: int):
    """1 - c^L for symbolic alpha, in L."""
    return depth_law(_universal()[0], DEPTH, terms, power_of(2))
