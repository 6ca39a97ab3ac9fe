"""One layer of PDLT's MLP of the class K* = 0 in mpmath: the kernel components and those of the neural tangent kernel.

Rule.  Two inputs x_0 +- delta x/2, expanded in delta x (PDLT 10.44-10.45, 10.67, 10.70), C_b = 0.  Their components
move by

    K_00'           = C_W <s s>                                  s = phi, <.> the mean over N(0, K_00)
    delta K_[1]'    = chi_par delta K_[1]                        chi_par  = C_W <s' s' + s s''>
    ddelta K_[2]'   = chi_perp ddelta K_[2]                      chi_perp = C_W <s' s'>
    Theta_00'       = lambda_b + lambda_W <s s> + chi_perp Theta_00
    delta Theta_[1]' = chi_perp delta Theta_[1] + (lambda_W/C_W chi_par + C_W <s'' s'' + s' s'''> Theta_00) delta K_[1]
    ddelta Theta_[2]' = chi_perp ddelta Theta_[2] + (lambda_W/C_W chi_perp + C_W <s'' s''> Theta_00) ddelta K_[2]

with lambda_b, lambda_W at layer l + 1.  (<z s' s''>/K_00 of 10.67 is <s'' s'' + s' s'''> by parts.)
"""

from dataclasses import dataclass
from functools import lru_cache

from mpmath import mp, mpf

from asympt.compiling import as_function
from asympt.gaussian.moments import derivative_means
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.meanfield.statement import Statement, at_layer
from asympt.numbers import to_mpf

DERIVATIVES = 4


def _products(s, d, c, t) -> list:
    return [s * s, d * d, s * c, c * c, d * t]


@dataclass(frozen=True)
class ComponentStep:
    """(l, K_00, dK_1, ddK_2, Theta_00, dTheta_1, ddTheta_2) at layer l -> the same at layer l + 1."""

    statement: Statement

    def __call__(self, state: tuple) -> tuple:
        layer, kernel, parallel, second, ntk, first_ntk, second_ntk = state
        weight, rates = to_mpf(self.statement.layer.weight_variance), self.rates(layer + 1)
        phi = self.statement.layer.activation.piecewise
        means = derivative_means(phi, kernel, DERIVATIVES, _products, 5, mp.dps)
        ss, dd, sc, cc, dt = (weight * mean for mean in means)
        share = rates[0] / weight
        return (
            layer + 1,
            ss,
            (dd + sc) * parallel,
            dd * second,
            rates[1] + share * ss + dd * ntk,
            dd * first_ntk + (share * (dd + sc) + (cc + dt) * ntk) * parallel,
            dd * second_ntk + (share * dd + cc * ntk) * second,
        )

    def rates(self, layer) -> tuple:
        """(lambda_W, lambda_b) at a layer."""
        return tuple(at_layer(e, layer) for e in (self.statement.weight_rate, self.statement.bias_rate))

    def first(self, variance) -> tuple:
        """Layer 1 for dK_1 = ddK_2 = 1: Theta = lambda_b + (lambda_W/C_W) K, component by component."""
        weight_rate, bias_rate = self.rates(1)
        share = weight_rate / to_mpf(self.statement.layer.weight_variance)
        return (1, mpf(variance), mpf(1), mpf(1), bias_rate + share * variance, share, share)


@lru_cache(maxsize=64)
def derivatives(phi: PiecewiseSmooth, module: str):
    """x -> phi, phi', phi'', phi''' as one function."""
    formula = phi.pieces[0]
    formulas = [formula.diff(phi.symbol, n) if n else formula for n in range(DERIVATIVES)]
    return as_function(phi.symbol, formulas, module, cse=True)
