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
from typing import Any, ClassVar

from sympy import Expr, Rational, Symbol

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


def linear(slope, rest: tuple = (0, 1)) -> Expansion:
    """slope L + O(log L), or + O(1) for `rest` (0, 0)."""
    return in_depth({(-1, 0): slope}, rest)


def settling(value: Expr, rest: tuple) -> Expansion:
    """value + O(rest)."""
    return in_depth({(0, 0): value}, rest)


def approached(value: Expr, rate: Expr, power: int) -> Expansion:
    """value + O(rate^L L^power)."""
    return Expansion.build(Exponential(L, base=rate), {(0, 0): value}, Formal(Monomial(1, power)))


BOUNDED, NOTHING = in_depth({}, (0, 0)), in_depth({}, None)


@dataclass(frozen=True)
class NetworkClass:
    """A class of networks.

    `laws`: {quantity: (of the variance, of the mean)}, an expansion, None where none is derived, or why there is none;
    `constants`: those of the noise, None where coefficients are numbers;  `title`: which networks, after "derived".
    """

    layer: Layer

    title = ""
    constants = None
    laws: ClassVar[Any]

    @staticmethod
    def of(layer: Layer) -> "NetworkClass":
        """That of a layer; `UnsupportedError` where no variance settles."""
        if is_constant(layer.activation.piecewise):
            raise UnsupportedError(f"activation {layer.activation.name!r} is constant: nothing reaches the next layer")
        if layer.is_scale_free:
            return Linear(layer) if layer.activation.is_linear else ReluLike(layer)
        if layer.fixed_variance == 0:
            return _vanishing(layer)
        found = {"ordered": OrderedPhase, "chaotic": ChaoticPhase, "edge of chaos": OnEdge}[phase_of(layer)](layer)
        slope = to_mpf(found.constants.moments["x1"])
        if not abs(slope) < 1:
            raise UnsupportedError(
                f"V'(q) = {float(slope):.6g}: fluctuations of the variance grow there, so no law of order 1/n holds; "
                "take a network with a stable q"
            )
        return found

    def expansion(self, of: str, what: int) -> Expansion:
        """The law of a quantity, of its variance (0) or its mean (1)."""
        if of == "correlation":
            raise UnsupportedError("the correlation has the law of its gap; ask for of='gap'")
        found = self.laws.get(of, (None, None))[what]
        if isinstance(found, Expansion):
            return found
        name = ("variance", "mean")[what]
        raise UnsupportedError(
            found or f"no law of the {name} of the {of} is derived {self.title}; net.fluctuation and "
            "net.width_correction have its numbers at any depth"
        )


class ReluLike(NetworkClass):
    """No scale: on the edge whatever sigma_w is, in units of q_l; kernel and NTK of one input are exact."""

    title = "for a ReLU-like phi"

    @cached_property
    def mu(self) -> Expr:
        """m_4/m_2^2 of the slopes."""
        right, left = self.layer.activation.slopes
        return 2 * (right**4 + left**4) / (right**2 + left**2) ** 2

    @property
    def constants(self) -> Noise:
        """The noise of the gap, in units of the variance of the layer."""
        return Noise(4 * self.mu, self.mu, self.mu)

    @property
    def laws(self) -> dict:
        """Of one input: products of independent factors (Hanin and Nica 2020; PDLT (4.31)), and for the NTK

        (1/L^2) sum over layers i, j of (3 mu - 1)(L - 1 - |i - j|) + (mu - 1)|i - j|.
        """
        mu, square = self.mu, 3 * self.mu - 1
        return {
            "gap": (linear(4 * mu / 3), BOUNDED),
            "kernel": (linear(square, (0, 0)), BOUNDED),
            "kernel-diagonal": (in_depth({(-1, 0): square, (0, 0): -square}, None), NOTHING),
            "ntk": (linear((52 * mu - 15) / 15), linear(3 * mu / 5)),
            "ntk-diagonal": (in_depth({(-1, 0): (7 * mu - 3) / 3, (0, 0): -square, (1, 0): 2 * mu / 3}, None), NOTHING),
        }


STANDING = linear((1 + LIMIT) ** 2), linear(LIMIT * (1 + LIMIT) / 2)  # the gap of a correlation that stops


class Linear(NetworkClass):
    """The correlation stays where it starts."""

    title = "for a linear phi, or one whose variance falls geometrically"
    laws: ClassVar[Any] = {
        "gap": STANDING,
        "kernel": (linear(1 + 1 / LIMIT**2), BOUNDED),
        "kernel-diagonal": (linear(2), BOUNDED),
        "ntk-diagonal": (linear(Rational(4, 3)), BOUNDED),
    }


class Fading(NetworkClass):
    """K* = 0 of PDLT: q ~ 1/(a L), whatever a is."""

    title = "where the variance falls to 0 like 1/L"
    laws: ClassVar[Any] = {"kernel-diagonal": (linear(Rational(2, 3)), linear(-Rational(1, 3)))}


class OddFading(Fading):
    """phi''(0) = 0: chi and V' have the same slope at q = 0, and the correlation stops at c_infty."""

    laws: ClassVar[Any] = Fading.laws | {
        "gap": STANDING,
        "ntk": (linear(Rational(2, 3) + (1 - LIMIT**2) ** 2 / (3 * LIMIT**2)), linear((LIMIT**2 - 2) / 4)),
        "ntk-diagonal": (linear(Rational(2, 3)), linear(-Rational(1, 4))),
    }


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
    def laws(self) -> dict:
        limits = self.constants.settled("V"), self.constants.settled("M")
        return {"kernel-diagonal": tuple(approached(limit, self.slope, 1) for limit in limits), **self.own()}

    def own(self) -> dict:
        """The laws of the phase."""
        raise NotImplementedError


class OnEdge(SettledVariance):
    """chi = 1, q > 0: g' = g - k g^p, p = 2, or 3/2 where phi' jumps."""

    title = "where phi' jumps"

    def own(self) -> dict:
        kappa, beta = self.constants.kappa, self.constants.beta
        noise, shift = kappa + 4 * self.constants.flatness, self.constants.settled("M")
        spread, along = settling(self.constants.settled("V"), (1, 1)), (linear(kappa / 3), linear(beta / 2))
        if singular_order(self.layer.activation.piecewise) == 1:
            return {
                "gap": (along[0], linear(beta / 2 - kappa / 8)), "ntk": (linear(noise / 12), None),
                "ntk-diagonal": along, "kernel": (spread, settling(shift, (1, 1))),
            }  # fmt: skip
        moved = beta / 2 - kappa / 6  # of the gap, which is 2/(f''(1) L): in G_12 the product counts
        return {
            "gap": (along[0], linear(moved)), "ntk": (linear(11 * noise / 105), linear(kappa / 20)),
            "ntk-diagonal": along, "kernel": (spread, settling(shift - 2 * moved / self.constants.curvature, (1, 2))),
        }  # fmt: skip


class OrderedPhase(SettledVariance):
    """chi < 1: the gap is a product of independent factors, NTK and kernel settle."""

    def own(self) -> dict:
        found, chi = self.constants, self.constants.moments["x"]
        rate = chi if to_mpf(chi) >= to_mpf(self.slope) else self.slope
        kernel, ntk = (
            tuple(approached(found.settled(letter), rate, 2) for letter in letters) for letters in ("VM", "Am")
        )
        return {
            "gap": (linear(found.kappa, (0, 0)), self._fed() or linear(found.beta, (0, 0))),
            "kernel": kernel, "ntk": ntk, "ntk-diagonal": ntk,
        }  # fmt: skip

    def _fed(self) -> str:
        """Why the mean gap does not shift like L, if so."""
        square, chi = (float(to_mpf(value)) for value in (self.slope**2, self.constants.moments["x"]))
        if abs(square / chi - 1) < CLOSE:
            return f"V'(q)^2 = chi = {chi:.6g} is a resonance, at which the mean gap shifts like L^2 and not like L"
        return "" if square < chi else (
            f"V'(q)^2 = {square:.6g} > chi = {chi:.6g}: fluctuations of the norms feed the mean gap, which shifts like "
            f"{square / chi:.6g}^L and not like L; net.width_correction has its numbers"
        )  # fmt: skip


class ChaoticPhase(SettledVariance):
    """chi > 1: NTK_11 is a product; B1 of NTK_12 is multiplied by chi^2 in every layer, whatever its mean does."""

    def own(self) -> dict:
        chi = float(to_mpf(self.constants.moments["x"]))
        alone = self.layer.bias_variance == 0 and is_odd(self.layer.activation)
        beside = "the correlation tends to c* = 0, and the limit with it, of which this is a share; ask net.fluctuation"
        bounded = beside if alone else BOUNDED
        leaves = (
            f"chi = {chi:.6g} > 1: Theta_12 settles in the mean alone, its deviation grows like chi^L/sqrt(n), so one "
            f"network leaves the law after about log(n)/(2 log(chi)) = {1 / (2 * log(chi)):.4g} log(n) layers"
        )
        return {
            "gap": (BOUNDED, BOUNDED), "kernel": (bounded, bounded), "ntk": (leaves, bounded),
            "ntk-diagonal": (linear(self.constants.kappa, (0, 0)), linear(self.constants.beta, (0, 0))),
        }  # fmt: skip
