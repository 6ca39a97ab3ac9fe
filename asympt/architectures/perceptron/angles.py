"""The scale-invariant class of PDLT's MLP: the angles psi of the kernel and zeta of the NTK (10.83-10.98).

gamma = 1 - cos psi moves as in every ReLU-like network (`relu_like`).  In units of what a layer adds to the diagonal,
Theta_{+-} obeys k' = f'(c) k + 1 - w gamma' with k^1 = 1 - w gamma^1, w the weights' share of it, and Theta_{++} = L:

    cos zeta = k_L/L     = 1/4 + (3/8) log(L)/L + O(1/L)           for every rho > 0, w and start
    robustness           = cos zeta - 1
    prediction variance  = K_d (1 - 2 cos zeta cos psi + cos^2 zeta)

rho = 0 (linear): cos psi is kept and cos zeta = 1 - w (1 - cos psi) in every layer.  C_W A_2 = 1, C_b = 0.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from mpmath import mp
from sympy import Expr, Integer, S, asin, sqrt

from asympt.architectures import relu_like
from asympt.architectures.law_parts import Identity, no_start, read_start
from asympt.architectures.relu_like import DEPTH, LAYER, OneKink
from asympt.expansions import Expansion, Scale
from asympt.numbers import to_mpf
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.abel_inversion import CONNECTION, depth_law
from asympt.recursions.coordinates.abel_numeric import Abel
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.law import Law
from asympt.recursions.protocol import Coordinate, Step
from asympt.symbols import Reserved

PLAIN = {
    "kernel 00": "K_00^(L)", "kernel 1": "dK_[1]^(L)/dK_[1]^(1)", "kernel 2": "ddK_[2]^(L)/ddK_[2]^(1)",
    "ntk 00": "Theta_00^(L)", "ntk 1": "dTheta_[1]^(L)/dK_[1]^(1)", "ntk 2": "ddTheta_[2]^(L)/ddK_[2]^(1)",
    "robustness": "Theta_-+/Theta_++ - 1", "prediction variance": "Cov[z_-, z_-]", "zeta": "cos zeta^(L)",
    "angle": "psi^(l)", "ntk diagonal": "Theta_d^(L)",
}  # fmt: skip
GAP = Reserved("gamma", positive=True)
PSI, ZETA = r"\psi^{(l)}", r"\cos\zeta^{(L)}"
ROBUSTNESS = r"\frac{\Theta_{-+}^{(L)}}{\Theta_{++}^{(L)}}-1"


# ---- coordinates ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Combination(Coordinate):
    """`combine` of the laws `parts`, all with the same start; arithmetic, for expansions and for numbers.

    `brought`: the symbols that `combine` brings in.
    """

    parts: tuple[Law, ...]
    combine: Callable
    brought: frozenset = frozenset()

    kind = "rates"

    def parameters(self, linear) -> set:
        return set(self.brought).union(*(part.parameters for part in self.parts))

    def steps(self, law: Law) -> tuple[Step, ...]:
        """Those of the first part."""
        return self.parts[0].steps[:-1]

    def require_second(self, linear) -> None:
        """D is that of the first part."""
        self.parts[0].coordinate.require_second(self.parts[0].linear)

    def to_layer(self, start: Expr, depth: int, route: Route, crossing: None) -> tuple:
        values = [part._value(start, depth, route.digits) for part in self.parts]
        with mp.workdps(route.digits):
            return (self.combine(*values),)

    def crossing(self, start: Expr, route: Route) -> "OfFirst":
        return OfFirst(self.parts[0], start, route.digits)


@dataclass(frozen=True)
class OfFirst:
    """The constants of a combination: those of its first part."""

    law: Law
    start: Expr
    digits: int

    lost = 0

    def constants(self, second: bool) -> tuple:
        """(C, D)."""
        return self.law._constants(self.start, self.digits, second)


@dataclass(frozen=True)
class Angle(Abel):
    """Abel's coordinate of the angle; `own_lost`: the weights' share w in what a layer adds to the NTK."""

    own_lost: Expr = S.Zero

    kind = "rates"


@dataclass(frozen=True)
class ExactRates(Identity):
    """A quantity of an MLP that is known at every depth; `variance`: the diagonal kernel K_d."""

    variance: Expr = S.One

    kind = "rates"


class AngleOfGap(Observable):
    """psi = 2 asin(sqrt(gamma/2))."""

    quantity = PSI


def angle_law(form: OneKink, terms: int, statement=None) -> Law:
    """psi^(l), the angle between the kernels of two inputs of equal norm (PDLT 10.90)."""
    observable = AngleOfGap(2 * asin(sqrt(GAP / 2)), GAP, FixedPoint(Integer(0)))
    abel = relu_like.abel_for(relu_like.alpha_of(form))
    expansion = depth_law(abel, LAYER, terms, lambda t, order: observable.expansion(t.power(2)))
    coordinate = Angle(relu_like.dynamics_of(form, False), abel)
    return Law(
        PSI, expansion, read_start, "angle", coordinate=coordinate, observable=observable, layer=statement,
        text=PLAIN["angle"],
    )


def zeta_law(form: OneKink, terms: int, statement=None, quantity: str = ZETA) -> Law:
    """cos zeta^(L) = Theta_{+-}/Theta_{++}, `own_lost` of the form the weights' share w (PDLT 10.92-10.93)."""
    law = relu_like.ntk_law(form, terms, statement, quantity, "zeta")
    coordinate = Angle(law.dynamics, law.abel, own_lost=form.own_lost)
    return replace(law, coordinate=coordinate, text=PLAIN["zeta"], universal_source=None)


def robustness_law(zeta: Law) -> Law:
    """Theta_{-+}/Theta_{++} - 1 (PDLT 10.94)."""
    return Law(
        ROBUSTNESS, zeta.expansion - 1, read_start, "robustness", symbols=zeta.symbols,
        coordinate=Combination((zeta,), lambda z: z - 1), layer=zeta.layer, text=PLAIN["robustness"],
    )  # fmt: skip


def prediction_variance_law(zeta: Law, gap_law, variance: Expr, terms: int) -> Law:
    """K_d (1 - 2 cos zeta cos psi + cos^2 zeta), one training input and one test input (PDLT 10.95)."""

    def relative(z, gap):
        return (1 - z) ** 2 + 2 * z * gap

    expansion = (relative(zeta.expansion, gap_law.in_symbols_of(zeta)) * variance).truncate(terms)
    found = Combination((zeta, gap_law), lambda z, gap: relative(z, gap) * to_mpf(variance), variance.free_symbols)
    return Law(
        r"\mathrm{Cov}[z^{(L)}_{-},z^{(L)}_{-}]", expansion, read_start, "prediction variance", symbols=zeta.symbols,
        coordinate=found, layer=zeta.layer, text=PLAIN["prediction variance"],
    )  # fmt: skip


def linear_zeta_law(weight_share: Expr, variance: Expr, statement=None) -> Law:
    """cos zeta of a deep linear network: 1 - w (1 - cos psi), in every layer (PDLT 10.96-10.98)."""
    expansion = Expansion.build(Scale.at_infinity(DEPTH), {(0, 0): 1 - weight_share * CONNECTION})
    coordinate = ExactRates(expansion.to_sympy(), DEPTH, lambda gap: gap, variance)
    return Law(ZETA, expansion, read_start, "zeta", coordinate=coordinate, layer=statement, text=PLAIN["zeta"])


def diagonal_law(step: Expr, scheduled: bool, statement=None) -> Law:
    """Theta_d^(L) = (lambda_b + lambda_W A_2 K_d) L, or without L for the equivalence principle (PDLT 10.91)."""
    expansion = Expansion.build(Scale.at_infinity(DEPTH), {(0 if scheduled else -1, 0): step})
    coordinate, name = ExactRates(expansion.to_sympy(), DEPTH), "ntk diagonal"
    return Law(
        r"\Theta_{d}^{(L)}", expansion, no_start, name, coordinate=coordinate, layer=statement, text=PLAIN[name]
    )
