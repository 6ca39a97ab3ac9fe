"""The components of the neural tangent kernel of the class K* = 0, solved in u = K_00.

Problem.  Solve the five linear recursions of `precise.mlp` along u' = V(u), for learning rates that do not depend on
the layer and for those of the equivalence principle, over exact numbers (for formulas) and over mpmath ones (for
evaluation).

Rule.  With w = lambda_W/C_W, A(u_l) = l + C the Abel function of u, M = C_W <s'' s''>, N = M + C_W <s' s'''>,

    ddK_[2]     = D_2 H,                      H = u^p (1 + ...)          H' = chi_perp H
    dK_[1]      = D_1 G,                      G = u^2 (1 + ...)          G' = chi_par G
    Theta_00    = lambda_b T_b + w T_W + D H                             forcing tau_b, V tau_W
    ddTheta_[2] = D_2 (lambda_b S_b + w S_W + D S_D + E H)               forcing M T H, for W also chi_perp tau_W H
    dTheta_[1]  = D_1 (lambda_b R_b + w R_W + D R_D + F H)               forcing N T G, for W also chi_par tau_W G

where the learning rates are lambda tau(l): tau = 1, or, with l + 1 = A(u) + 1 - C,

    tau_b = l^(-p) L^(p-1),      tau_W = l^(1-p) L^(p-1)                 (PDLT 10.74)

Constant factors a^(-p), a = 1/(-a_1), and L^(p-1) are kept apart: T, S and R are series in u and log u.

Tiny case.  tanh, constant rates: T_b = 1/(4u) + ..., so Theta_00 = lambda_b l/2 + ... (PDLT 10.79).

Known limits.  p_perp rational; the series are asymptotic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from sympy import Expr, Rational

from asympt.architectures.perceptron.series import Flow, LogSeries

SOURCES = ("b", "W", "D")


@dataclass(frozen=True)
class MomentSeries:
    """V/u, chi_perp, chi_par, M and N as coefficients in u, elements of one field."""

    ratio: Sequence
    perpendicular: Sequence
    parallel: Sequence
    curved: Sequence
    mixed: Sequence


class Basis:
    """T, S, R, H and G for one flow; `layer`: l + 1 divided by a/u as a series in u and log u, None for constant rates.

    `number`: a fraction as an element of the field; `exponent`: p_perp; `scale`: a.
    """

    def __init__(self, moments: MomentSeries, exponent: Rational, scale, number, layer: LogSeries | None = None):
        zero = moments.ratio[0] * 0
        self.flow, self.moments, self.scale = Flow([zero, *moments.ratio[1:]], number), moments, scale
        self.exponent, self.layer = Fraction(int(exponent.p), int(exponent.q)), layer
        self.one = zero + number(Fraction(1))

    # ---- homogeneous solutions ------------------------------------------------------------------

    @cached_property
    def perpendicular(self) -> LogSeries:
        """H."""
        return self.flow.homogeneous(self.moments.perpendicular, self.exponent)

    @cached_property
    def parallel(self) -> LogSeries:
        """G."""
        return self.flow.homogeneous(self.moments.parallel, Fraction(2))

    # ---- learning rates -------------------------------------------------------------------------

    @cached_property
    def rates(self) -> dict:
        """tau_b and tau_W as series, without a^(-p) and L^(p-1)."""
        if self.layer is None:
            constant = LogSeries.plain([self.one, *[self.one * 0] * (self.flow.size - 1)])
            return {"b": constant, "W": constant}
        powers = [binomial_power(self.layer, s, self.flow.number) for s in (-self.exponent, 1 - self.exponent)]
        shifts = [LogSeries({(0, 0): self.one}, s, self.flow.size) for s in (self.exponent, self.exponent - 1)]
        bias, weight = (power * shift for power, shift in zip(powers, shifts, strict=True))
        return {"b": bias, "W": weight.scaled(self.scale)}

    # ---- components -----------------------------------------------------------------------------

    @cached_property
    def ntk(self) -> dict:
        """T_b, T_W and H (under D)."""
        image = LogSeries.plain(self.moments.ratio, 1)
        forcing = {"b": self.rates["b"], "W": image * self.rates["W"]}
        solved = {key: self._solved(source) for key, source in forcing.items()}
        return solved | {"D": self.perpendicular}

    @cached_property
    def second(self) -> dict:
        """S_b, S_W, S_D."""
        return self._driven(self.moments.curved, self.moments.perpendicular, self.perpendicular)

    @cached_property
    def first(self) -> dict:
        """R_b, R_W, R_D."""
        return self._driven(self.moments.mixed, self.moments.parallel, self.parallel)

    def _driven(self, coupling: Sequence, slope: Sequence, kernel: LogSeries) -> dict:
        """What Theta_00 (by `coupling`) and the weights (by `slope`) bring through a component of the kernel."""
        carried = LogSeries.plain(coupling) * kernel
        forcing = {key: carried * self.ntk[key] for key in SOURCES}
        forcing["W"] = forcing["W"] + LogSeries.plain(slope) * kernel * self.rates["W"]
        return {key: self._solved(source) for key, source in forcing.items()}

    def _solved(self, forcing: LogSeries) -> LogSeries:
        return self.flow.solve(self.moments.perpendicular, forcing, self.exponent)


def binomial_power(base: LogSeries, exponent: Fraction, number) -> LogSeries:
    """(1 + x)^exponent for a series 1 + x with x of the order u log u."""
    one = base.terms[0, 0]
    small = LogSeries({key: c for key, c in base.terms.items() if key[0] > 0}, base.start, base.size)
    total = power = LogSeries({(0, 0): one}, base.start, base.size)
    weight, k = Fraction(1), 0
    while small.terms and power.first + small.first < base.size:
        weight, k = weight * (exponent - k) / (k + 1), k + 1
        if not weight:
            break
        power = power * small
        power = LogSeries({key: c for key, c in power.terms.items() if key[0] < base.size}, base.start, base.size)
        total = total + power.scaled(number(weight))
    return total


def layer_series(abel: dict, residue, constant, one) -> LogSeries:
    """(A(u) + 1 - C) u/a = 1 + (u/a) (rho log u + 1 - C + alpha_1 u + ...), from alpha_k by k, rho and C."""
    lead, last = abel[-1], max(abel)
    terms = {(0, 0): one, (1, 0): (one - constant) / lead, (1, 1): residue / lead}
    terms |= {(k + 1, 0): c / lead for k, c in abel.items() if k > 0}
    return LogSeries({key: c for key, c in terms.items() if c}, Fraction(0), last + 2)


def expressions(series: LogSeries, leave) -> dict[tuple, Expr]:
    """{(power, logs): SymPy number}."""
    start = Rational(series.start.numerator, series.start.denominator)
    return {(start + k, j): leave(c) for (k, j), c in series.terms.items()}
