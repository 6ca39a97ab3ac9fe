"""The laws of order 1/n by class of network: coefficients of L in n Var/limit^2 and in n (E/limit - 1).

    class                   Var gap    gap                Var NTK_11  NTK_11   Var NTK_12                 NTK_12
    ReLU-like, m4/m2^2 = mu 4 mu/3     0                  (7 mu-3)/3  0        (52 mu-15)/15              3 mu/5
    edge, phi' continuous   kappa/3    beta/2 - kappa/6   kappa/3     beta/2   11 (kappa+4E)/105          kappa/20
    edge, phi' jumps        kappa/3    beta/2 - kappa/8   kappa/3     beta/2   (kappa+4E)/12              -
    edge, q -> 0 (K* = 0)   (1+c)^2    c (1+c)/2          2/3         -1/4     2/3 + (1-c^2)^2/(3 c^2)    (c^2-2)/4
    linear; q -> 0 below    (1+c)^2    c (1+c)/2          4/3         0        -                          -
    ordered                 kappa      beta (V'^2 < chi)  O(1)        O(1)     O(1)                       O(1)
    chaotic                 O(1)       O(1)               kappa       beta     like chi^(2L)              O(1)

kappa, beta, E: `constants`; c is the limit of the correlation, which depends on the start.  The noise of one layer is
multiplicative with variance kappa/n; along g' = g - k g^p it is remembered like (m/L), so that Var g = kappa L int u^2
du, kappa/3 for every p, and E g shifts by beta/2 - p kappa/12.  ReLU-like: kappa = 4 mu, beta = mu, p = 3/2.
"""

from dataclasses import dataclass
from functools import cached_property
from math import log

from sympy import Expr, Integer, Rational, Symbol

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.scale import Exponential
from asympt.meanfield.activations import is_constant, singular_order, small_variance
from asympt.meanfield.edge import is_odd, phase_of
from asympt.meanfield.layer import Layer
from asympt.meanfield.variance import slope_at_zero
from asympt.numbers import to_mpf
from asympt.symbols import Reserved
from asympt.width.constants import Noise, NoiseConstants

L = Reserved("L", positive=True)
LIMIT = Symbol("c_infty", real=True)  # of the correlation, where it depends on the start
CLOSE = 1e-9  # relative distance at which two rates are one


def in_depth(coefficients: dict, remainder: tuple | None) -> Expansion:
    """In powers of L and log L: {(order, logs): coefficient}."""
    return Expansion.build(Scale.at_infinity(L), coefficients, remainder and Formal(Monomial(*remainder)))


def linear(slope: Expr) -> Expansion:
    """slope L + O(log L)."""
    return in_depth({(-1, 0): slope}, (0, 1))


def bounded(value: Expr | None, rest: tuple = (0, 0)) -> Expansion:
    """value + O(rest), or O(1)."""
    return in_depth({} if value is None else {(0, 0): value}, rest)


def approached(value: Expr, rate: Expr, power: int) -> Expansion:
    """value + O(rate^L L^power)."""
    return Expansion.build(Exponential(L, base=rate), {(0, 0): value}, Formal(Monomial(1, power)))


@dataclass(frozen=True)
class NetworkClass:
    """A class of networks; a subclass has the expansions `quantity_what`, `constants` where it needs them."""

    layer: Layer

    title = ""
    constants = None

    @staticmethod
    def of(layer: Layer) -> "NetworkClass":
        """That of a layer; `UnsupportedError` where no variance settles."""
        if is_constant(layer.activation.piecewise):
            raise UnsupportedError(f"activation {layer.activation.name!r} is constant: nothing reaches the next layer")
        if layer.is_scale_free:
            return Linear(layer) if layer.activation.is_linear else ReluLike(layer)
        if layer.fixed_variance == 0:
            return _vanishing(layer)
        found = {"ordered": OrderedPhase, "chaotic": ChaoticPhase, "edge of chaos": Edge}[phase_of(layer)](layer)
        slope = to_mpf(found.constants.moments["x1"])
        if not abs(slope) < 1:
            raise UnsupportedError(
                f"V'(q) = {float(slope):.6g}: fluctuations of the variance grow there, so no law of order 1/n holds; "
                "take a network with a stable q"
            )
        return found

    def expansion(self, of: str, what: str) -> Expansion:
        """The law of a quantity."""
        if of == "correlation":
            raise UnsupportedError("the correlation has the law of its gap; ask for of='gap'")
        found = getattr(self, f"{of.replace('-', '_')}_{what}", None)
        if found is None:
            raise UnsupportedError(
                f"no law of the {what} of the {of} is derived {self.title}; net.fluctuation and net.width_correction "
                "have its numbers at any depth"
            )
        return found


class ReluLike(NetworkClass):
    """No scale; on the edge whatever sigma_w is, in units of q_l."""

    title = "for a ReLU-like phi"

    @property
    def constants(self) -> "Noise":
        """The noise of the gap, in units of the variance of the layer."""
        return Noise(4 * self.mu, self.mu, self.mu)

    @cached_property
    def mu(self) -> Expr:
        """m_4/m_2^2 of the slopes."""
        right, left = self.layer.activation.slopes
        return 2 * (right**4 + left**4) / (right**2 + left**2) ** 2

    @property
    def gap_variance(self):
        return linear(4 * self.mu / 3)

    gap_mean = property(lambda self: bounded(None))

    @property
    def kernel_diagonal_variance(self):
        """A product of independent factors (Hanin and Nica 2020; PDLT (4.31))."""
        return in_depth({(-1, 0): 3 * self.mu - 1, (0, 0): 1 - 3 * self.mu}, None)

    @property
    def kernel_variance(self):
        return in_depth({(-1, 0): 3 * self.mu - 1}, (0, 0))

    @property
    def ntk_diagonal_variance(self):
        """(1/L^2) sum over layers i, j of (3 mu - 1)(L - 1 - |i - j|) + (mu - 1)|i - j|."""
        mu = self.mu
        return in_depth({(-1, 0): (7 * mu - 3) / 3, (0, 0): 1 - 3 * mu, (1, 0): 2 * mu / 3}, None)

    @property
    def ntk_variance(self):
        return linear((52 * self.mu - 15) / 15)

    kernel_diagonal_mean = ntk_diagonal_mean = property(lambda self: in_depth({}, None))
    kernel_mean = property(lambda self: bounded(None))
    ntk_mean = property(lambda self: linear(3 * self.mu / 5))


class Linear(NetworkClass):
    """The correlation stays where it starts."""

    title = "for a linear phi, or one whose variance falls geometrically"
    gap_variance = property(lambda self: linear((1 + LIMIT) ** 2))
    gap_mean = property(lambda self: linear(LIMIT * (1 + LIMIT) / 2))
    kernel_variance = property(lambda self: linear(1 + 1 / LIMIT**2))
    kernel_diagonal_variance = property(lambda self: linear(Integer(2)))
    ntk_diagonal_variance = property(lambda self: linear(Rational(4, 3)))
    kernel_mean = kernel_diagonal_mean = ntk_diagonal_mean = property(lambda self: bounded(None))


class Fading(NetworkClass):
    """K* = 0 of PDLT: q ~ 1/(a L), whatever a is."""

    title = "where the variance falls to 0 like 1/L"
    kernel_diagonal_variance = property(lambda self: linear(Rational(2, 3)))
    kernel_diagonal_mean = property(lambda self: linear(-Rational(1, 3)))


class OddFading(Fading):
    """phi''(0) = 0: chi and V' have the same slope at q = 0, and the correlation stops at c_infty."""

    gap_variance = property(lambda self: linear((1 + LIMIT) ** 2))
    gap_mean = property(lambda self: linear(LIMIT * (1 + LIMIT) / 2))
    ntk_diagonal_variance = property(lambda self: linear(Rational(2, 3)))
    ntk_diagonal_mean = property(lambda self: linear(-Rational(1, 4)))
    ntk_variance = property(lambda self: linear(Rational(2, 3) + (1 - LIMIT**2) ** 2 / (3 * LIMIT**2)))
    ntk_mean = property(lambda self: linear((LIMIT**2 - 2) / 4))


def _vanishing(layer: Layer) -> NetworkClass:
    slopes = small_variance(layer.activation.piecewise)
    if slopes is None:
        raise UnsupportedError(
            "the variance falls to 0, where phi is not smooth or has no slope; its laws of order 1/n are not derived"
        )
    if to_mpf(layer.weight_variance * slope_at_zero(layer.activation.piecewise)) < 1:
        return Linear(layer)
    return (OddFading if slopes[0] == slopes[1] else Fading)(layer)


class SettledVariance(NetworkClass):
    """The variance settles at q > 0."""

    @cached_property
    def constants(self) -> NoiseConstants:
        return NoiseConstants(self.layer)

    @property
    def slope(self) -> Expr:
        return abs(self.constants.moments["x1"])

    @property
    def kernel_diagonal_variance(self):
        return approached(self.constants.settled("V"), self.slope, 1)

    @property
    def kernel_diagonal_mean(self):
        return approached(self.constants.settled("M"), self.slope, 1)


class Edge(SettledVariance):
    """chi = 1, q > 0: g' = g - k g^p, p = 2, or 3/2 where phi' jumps."""

    title = "where phi' jumps"

    @cached_property
    def is_kinked(self) -> bool:
        return singular_order(self.layer.activation.piecewise) == 1

    @cached_property
    def power(self) -> Expr:
        return Rational(3, 2) if self.is_kinked else Integer(2)

    gap_variance = ntk_diagonal_variance = property(lambda self: linear(self.constants.kappa / 3))
    ntk_diagonal_mean = property(lambda self: linear(self.constants.beta / 2))
    kernel_variance = property(lambda self: bounded(self.constants.settled("V"), (1, 1)))

    @property
    def gap_mean(self):
        return linear(self.constants.beta / 2 - self.power * self.constants.kappa / 12)

    @property
    def ntk_variance(self):
        noise = self.constants.kappa + 4 * self.constants.flatness
        return linear(noise / 12 if self.is_kinked else 11 * noise / 105)

    @property
    def kernel_mean(self):
        """The gap is 1/(k L), and its shift grows like L: for p = 2 the product counts."""
        shift = self.constants.settled("M")
        if not self.is_kinked:
            shift = shift - 2 * self.gap_mean.leading[1] / self.constants.curvature
        return bounded(shift, (1, 1) if self.is_kinked else (1, 2))

    @property
    def ntk_mean(self):
        return None if self.is_kinked else linear(self.constants.kappa / 20)


class OrderedPhase(SettledVariance):
    """chi < 1: the gap is a product of independent factors, NTK and kernel settle."""

    title = "in the ordered phase"

    gap_variance = property(lambda self: in_depth({(-1, 0): self.constants.kappa}, (0, 0)))

    @property
    def gap_mean(self):
        found = self.constants.moments
        square, chi = to_mpf(found["x1"]) ** 2, to_mpf(found["x"])
        if abs(square / chi - 1) < CLOSE:
            raise UnsupportedError(
                f"V'(q)^2 = chi = {float(chi):.6g} is a resonance, at which the mean gap shifts like L^2 and not like L"
            )
        if square > chi:
            raise UnsupportedError(
                f"V'(q)^2 = {float(square):.6g} > chi = {float(chi):.6g}: fluctuations of the norms feed the mean gap, "
                f"which shifts like {float(square / chi):.6g}^L and not like L; net.width_correction has its numbers"
            )
        return in_depth({(-1, 0): self.constants.beta}, (0, 0))

    @property
    def rate(self) -> Expr:
        chi = self.constants.moments["x"]
        return chi if to_mpf(chi) >= to_mpf(self.slope) else self.slope

    @property
    def kernel_variance(self):
        return approached(self.constants.settled("V"), self.rate, 2)

    @property
    def kernel_mean(self):
        return approached(self.constants.settled("M"), self.rate, 2)

    @property
    def ntk_diagonal_variance(self):
        return approached(self.constants.settled("A"), self.rate, 2)

    @property
    def ntk_diagonal_mean(self):
        return approached(self.constants.settled("m"), self.rate, 2)

    ntk_variance = property(lambda self: self.ntk_diagonal_variance)
    ntk_mean = property(lambda self: self.ntk_diagonal_mean)


class ChaoticPhase(SettledVariance):
    """chi > 1: NTK_11 is a product; NTK_12 settles in the mean alone."""

    title = "in the chaotic phase"
    gap_variance = gap_mean = property(lambda self: bounded(None))
    kernel_variance = kernel_mean = ntk_mean = property(lambda self: self._beside_zero())
    ntk_diagonal_variance = property(lambda self: in_depth({(-1, 0): self.constants.kappa}, (0, 0)))
    ntk_diagonal_mean = property(lambda self: in_depth({(-1, 0): self.constants.beta}, (0, 0)))

    def _beside_zero(self) -> Expansion:
        if self.layer.bias_variance == 0 and is_odd(self.layer.activation):
            raise UnsupportedError(
                "the correlation tends to c* = 0, and with it the mean over which this is a share; ask net.fluctuation"
            )
        return bounded(None)

    @property
    def ntk_variance(self) -> Expansion:
        """B1 is multiplied by g_11 g_22 = chi^2 in every layer, whatever the mean does."""
        chi = float(to_mpf(self.constants.moments["x"]))
        raise UnsupportedError(
            f"chi = {chi:.6g} > 1: Theta_12 settles in the mean alone, its deviation grows like chi^L/sqrt(n), so one "
            f"network leaves the law after about log(n)/(2 log(chi)) = {1 / (2 * log(chi)):.4g} log(n) layers"
        )
