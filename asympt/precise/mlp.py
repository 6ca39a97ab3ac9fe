"""One layer of PDLT's MLP of the class K* = 0 in mpmath: the kernel components and those of the neural tangent kernel.

Rule.  Two inputs x_0 +- delta x/2, expanded in delta x (PDLT 10.44-10.45, 10.67, 10.70), C_b = 0.  Their components
move by

    K_00'           = C_W <s s>                                  s = phi, <.> the mean over N(0, K_00)
    delta K_[1]'    = chi_par delta K_[1]                        chi_par  = C_W <s' s' + s s''>
    ddelta K_[2]'   = chi_perp ddelta K_[2]                      chi_perp = C_W <s' s'>
    Theta_00'       = lambda_b + lambda_W <s s> + chi_perp Theta_00
    delta Theta_[1]' = chi_perp delta Theta_[1] + (lambda_W/C_W chi_par + C_W <s'' s'' + s' s'''> Theta_00) delta K_[1]
    ddelta Theta_[2]' = chi_perp ddelta Theta_[2] + (lambda_W/C_W chi_perp + C_W <s'' s''> Theta_00) ddelta K_[2]

with lambda_b, lambda_W at layer l + 1.  (<z s' s''>/K_00 of 10.67 is <s'' s'' + s' s'''> by parts.)  The trapezoidal
rule with step h is right to 10^-digits for h = pi sqrt(2/(digits log 10)) where phi is analytic far enough around the
line: h is halved, once for every octave of K_00, until two rules without a common node agree.
"""

from dataclasses import dataclass
from functools import lru_cache

from mpmath import mp, mpf

from asympt.compiling import as_function
from asympt.errors import PrecisionError
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.gaussian.quadrature.trapezoid import reach_of
from asympt.meanfield.statement import Statement, at_layer
from asympt.numbers import to_mpf

HALVINGS = 7
LARGEST = 10**4
GUARD = 6
DERIVATIVES = 4


@dataclass(frozen=True)
class MlpMoments:
    """<s s>, <s' s'>, <s s''>, <s'' s''> and <s' s'''> over N(0, K_00) at mpmath's precision."""

    phi: PiecewiseSmooth

    def __call__(self, variance) -> list:
        digits = mp.dps
        with mp.workdps(digits + GUARD):
            step = _step(self.phi, int(mp.floor(mp.log(variance, 2))), digits)
            found = _rule(self.phi, variance, step, step / 3)
        return [+value for value in found]


@dataclass(frozen=True)
class ComponentStep:
    """(l, K_00, dK_1, ddK_2, Theta_00, dTheta_1, ddTheta_2) at layer l -> the same at layer l + 1."""

    statement: Statement

    def __call__(self, state: tuple) -> tuple:
        layer, kernel, parallel, second, ntk, first_ntk, second_ntk = state
        weight, rates = to_mpf(self.statement.layer.weight_variance), self.rates(layer + 1)
        ss, dd, sc, cc, dt = (weight * m for m in MlpMoments(self.statement.layer.activation.piecewise)(kernel))
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


# ---- quadrature ---------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _step(phi: PiecewiseSmooth, octave: int, digits: int):
    """The step of the trapezoidal rule for variances below 2^(octave + 1)."""
    variance = mpf(2) ** (octave + 1)
    step = min(mp.pi * mp.sqrt(2 / (digits * mp.log(10))), 1 / mp.sqrt(variance))
    for _ in range(HALVINGS if variance <= LARGEST else 0):
        pairs = zip(_rule(phi, variance, step, step / 7), _rule(phi, variance, step, step * 9 / 14), strict=True)
        size = max(1, variance)
        if all(abs(one - two) <= max(abs(two), variance / size) * mpf(10) ** -digits for one, two in pairs):
            return step
        step /= 2
    raise PrecisionError(
        f"Gaussian means of phi at the variance {mp.nstr(variance, 3)} are not certified to {digits} digits; "
        "ask for fewer digits or a smaller variance"
    )


def _rule(phi: PiecewiseSmooth, variance, step, offset) -> list:
    values, root = derivatives(phi, "mpmath"), mp.sqrt(variance)
    reach, sums = reach_of(mp.dps), [[] for _ in range(5)]
    for k in range(-int(reach / step) - 1, int(reach / step) + 2):
        z = offset + k * step
        s, first, second, third = values(root * z)
        weight = mp.exp(-z * z / 2)
        for column, term in zip(sums, (s * s, first**2, s * second, second**2, first * third), strict=True):
            column.append(weight * term)
    scale = step / mp.sqrt(2 * mp.pi)
    return [scale * mp.fsum(column) for column in sums]


@lru_cache(maxsize=64)
def derivatives(phi: PiecewiseSmooth, module: str):
    """x -> phi, phi', phi'', phi''' as one function."""
    formula = phi.pieces[0]
    formulas = [formula.diff(phi.symbol, n) if n else formula for n in range(DERIVATIVES)]
    return as_function(phi.symbol, formulas, module, cse=True)
