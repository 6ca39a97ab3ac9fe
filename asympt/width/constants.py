"""The constants of laws of order 1/n: moments of one layer at the variance q where it has settled.

    x1 = V'(q),  F2 = V''(q),  x = sigma_w^2 E phi'^2 with derivatives h and h2 in q,  S = sigma_w^4 Var phi^2,
    P = sigma_w^4 Cov(phi^2, phi'^2),  R = sigma_w^4 E[phi^2 phi'^2],  E4 = sigma_w^4 E phi'^4,

kappa is the variance of the noise that multiplies a small gap, beta its mean (1/n per layer); V* = S/(1 - x1^2) and
M* = F2 V*/(2 (1 - x1)) are where n Var q and n (E q - q) settle.  ReLU-like: rational numbers in the slopes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from mpmath import mp
from sympy import Expr, Integer

from asympt.expansions.opaque import RealConstant
from asympt.gaussian.moments import square_moment
from asympt.meanfield.layer import Layer
from asympt.numbers import to_mpf
from asympt.width.moments import one_input
from asympt.width.rules import MpmathNumbers, Rules

NAMES = "x1", "F2", "S", "x", "h", "h2", "P", "E4", "R"
PARTS = ("jacobian", "hessian", "noise", "slopes", "slopes_in", "slopes_twice", "mixed", "fourth", "products")
CALLED = {"x1": "V'(q)", "F2": "V''(q)", "x": "chi", "h": "chi'(q)", "h2": "chi''(q)"}
GUARD = 10


def kappa_of(c: Mapping) -> Expr:
    """Var of sigma_w^2 phi'(u)^2 w^2/x + h/(x (1 - x1)) sigma_w^2 phi(u)^2, u ~ N(0, q) and w ~ N(0, 1) independent."""
    share = c["h"] / (c["x"] * (1 - c["x1"]))
    return 3 * c["E4"] / c["x"] ** 2 - 1 + 2 * share * c["P"] / c["x"] + share**2 * c["S"]


def beta_of(c: Mapping) -> Expr:
    """[h (M* + D/T + 2 F/T) + h2 V*/2]/x, the ratios those to which D and F settle beside a growing T."""
    v, shift = _of_variance(c)
    joint = (c["x1"] * c["h"] * v + c["P"]) / (c["x"] * (1 - c["x1"]))
    return (c["h"] * (shift + joint + 2 * c["R"] / (c["x"] - c["x1"] ** 2)) + c["h2"] * v / 2) / c["x"]


class Noise(NamedTuple):
    """kappa, beta and E = E phi'^4/(E phi'^2)^2 that are exact numbers."""

    kappa: Expr
    beta: Expr
    flatness: Expr


@dataclass(frozen=True)
class NoiseConstants:
    """Those of a settled layer, exact or as named numbers that know their digits.

    >>> from asympt import FeedForward
    >>> found = NoiseConstants(FeedForward("relu", sigma_w=1, sigma_b=1).layer)
    >>> found.kappa, found.beta, found.settled("V"), found.settled("A")
    (5, 0, 5/3, 82/27)
    """

    layer: Layer

    @cached_property
    def moments(self) -> dict[str, Expr]:
        """By the letters above."""
        if self.layer.activation.is_relu_like:
            return self._relu_like()
        found = {name: self._named(CALLED.get(name, name), lambda at=name: self._digits()[at]) for name in NAMES}
        return found | ({"x": Integer(1)} if self.layer.is_critical else {})

    def _relu_like(self) -> dict[str, Expr]:
        slopes, weight = self.layer.activation.slopes, self.layer.weight_variance
        second, fourth = (weight ** (power // 2) * sum(a**power for a in slopes) / 2 for power in (2, 4))
        q, none = self.layer.fixed_variance, Integer(0)
        noise, mixed = q**2 * (3 * fourth - second**2), q * (fourth - second**2)
        values = (second, none, noise, second, none, none, mixed, fourth, q * fourth)
        return dict(zip(NAMES, values, strict=True))

    def _named(self, name: str, digits: Callable, latex: str | None = None, exact: Expr | None = None) -> Expr:
        layer, latex = self.layer, latex or name.replace("chi", r"\chi").replace("E4", "E_4")
        key = layer.activation.piecewise, layer.weight_variance, layer.bias_variance, layer.fixed_variance
        return RealConstant(name, digits, key=("order 1/n", name, *key), latex=latex, exact=exact)

    def _digits(self) -> dict:
        """All moments at mpmath's precision."""
        layer = self.layer
        rules = Rules(layer.activation.piecewise, MpmathNumbers())
        found = one_input(rules, to_mpf(layer.weight_variance), to_mpf(layer.fixed_variance))
        numbers = {name: getattr(found, part).ravel()[0] for name, part in zip(NAMES, PARTS, strict=True)}
        return numbers | ({"x": mp.one} if self.layer.is_critical else {})

    def _of(self, name: str, formula: Callable[[Mapping], Expr], latex: str) -> Expr:
        """A formula in the moments: itself where they are exact, else a named number that knows it."""
        exact = formula(self.moments)
        if not exact.has(RealConstant):
            return exact.simplify()

        def digits():
            with mp.workdps(mp.dps + GUARD):
                return formula(self._digits())

        return self._named(name, digits, latex, exact)

    @cached_property
    def kappa(self) -> Expr:
        return self._of("kappa", kappa_of, r"\kappa")

    @cached_property
    def beta(self) -> Expr:
        return self._of("beta", beta_of, r"\beta")

    @cached_property
    def flatness(self) -> Expr:
        """E = E phi'^4/(E phi'^2)^2."""
        return self._of("E", lambda c: c["E4"] / c["x"] ** 2, "E")

    @cached_property
    def curvature(self) -> Expr:
        """f''(1) = sigma_w^2 q E phi''^2 of the correlation map, for a continuous phi'."""
        layer = self.layer

        def digits():
            q = to_mpf(layer.fixed_variance)
            return to_mpf(layer.weight_variance) * q * square_moment(layer.activation.piecewise, 2, q, mp.dps)

        return self._named("f''(1)", digits)

    def settled(self, letter: str) -> Expr:
        """Where V/q^2, M/q, (A + 2 B)/T^2 ("A") and m/T of one input settle; the last two where chi < 1."""
        power = 1 if letter in "Mm" else 2
        name = f"{letter}_q" if letter in "VM" else f"{letter}_T"
        q = self.layer.fixed_variance

        def formula(c: Mapping):
            tensors = _settled(c, q if isinstance(c["x1"], Expr) else to_mpf(q))
            return tensors[letter] / tensors["q" if letter in "VM" else "T"] ** power

        return self._of(name, formula, name)


def _of_variance(c: Mapping) -> tuple:
    """V* and M*."""
    v = c["S"] / (1 - c["x1"] ** 2)
    return v, c["F2"] * v / (2 * (1 - c["x1"]))


def _settled(c: Mapping, q) -> dict:
    """The fixed point of the recursions of one input; T and what follows are none where chi >= 1."""
    (V, M), x1, x, h = _of_variance(c), c["x1"], c["x"], c["h"]
    found = {"q": q, "V": V, "M": M}
    if not x < 1:
        return found
    T = q / (1 - x)
    F = c["R"] * T / (1 - x1**2)
    D = (V + x1 * h * T * V + c["P"] * T) / (1 - x1 * x)
    m = (M + h * (T * M + D + 2 * F) + c["h2"] * T * V / 2) / (1 - x)
    A = (2 * D - V + (c["E4"] - x**2) * T**2 + h**2 * T**2 * V + 2 * h * x * T * D) / (1 - x**2)
    return found | {"T": T, "m": m, "A": A + 2 * c["E4"] * T**2 / (1 - x**2)}
