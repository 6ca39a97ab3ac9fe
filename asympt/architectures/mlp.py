"""The multilayer perceptron of PDLT chapter 10: C_b, C_W and learning rates of its own, at criticality.

    K^(l+1)     = C_b + C_W <phi phi>,          K^(1) = C_b + C_W x.x'/d
    Theta^(l+1) = lambda_b^(l+1) + lambda_W^(l+1) <phi phi> + C_W <phi' phi'> Theta^(l),
    Theta^(1)   = lambda_b^(1) + lambda_W^(1) x.x'/d                                          (PDLT 10.44-10.45)

The universality class of phi decides: scale-invariant (ReLU) here, K* = 0 (tanh) in `mlp_components`.

Schedules.  "constant": the given rates in every layer.  "equivalence": the given numbers as PDLT's lambda tilde:
lambda tilde/L for the scale-invariant class (10.91), and lambda_b^(l) = lambda tilde_b l^(-p) L^(p-1),
lambda_W^(l) = lambda tilde_W (L/l)^(p-1) for the class K* = 0 (10.74); the factor 1/L or L^(p-1) is kept apart.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from mpmath import mp
from sympy import Expr, Integer, S, asin, sqrt

from asympt.architectures import relu_like
from asympt.architectures.composed.compiling import Settled, normal_form
from asympt.architectures.composition import Network, Stated
from asympt.architectures.law_parts import Identity, read_start, read_variance
from asympt.architectures.laws import variance_law
from asympt.architectures.mlp_components import (
    SCALE_INVARIANT,
    VANISHING,
    ComponentFlow,
    Components,
    Universality,
    universality_of,
)
from asympt.architectures.relu_like import DEPTH, ONE, OneKink
from asympt.blocks import primitives, serial
from asympt.blocks.nodes import DenseNode, require_fixed
from asympt.deadline import in_budget
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Scale
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import LAYER, Layer, Statement
from asympt.numbers import check_terms, exact, not_negative, positive, to_mpf
from asympt.parsing import as_sympy
from asympt.recursions.agreement import Route
from asympt.recursions.coordinates.abel_inversion import CONNECTION, depth_law
from asympt.recursions.coordinates.abel_numeric import Abel
from asympt.recursions.fixed_point import FixedPoint, Observable
from asympt.recursions.law import Law, no_start
from asympt.recursions.protocol import Coordinate, Step
from asympt.symbols import Reserved, require_distinct, require_no_depth

# ---- the scale-invariant class: the angles psi of the kernel and zeta of the NTK ---------------------
#
# gamma = 1 - cos psi moves as in every ReLU-like network (`relu_like`).  In units of what a layer adds to the diagonal,
# Theta_{+-} obeys k' = f'(c) k + 1 - w gamma' with k^1 = 1 - w gamma^1, w the weights' share of it, and Theta_{++} = L:
#
#     cos zeta = k_L/L     = 1/4 + (3/8) log(L)/L + O(1/L)           for every rho > 0, w and start
#     robustness           = cos zeta - 1
#     prediction variance  = K_d (1 - 2 cos zeta cos psi + cos^2 zeta)
#
# rho = 0 (linear): cos psi is kept and cos zeta = 1 - w (1 - cos psi) in every layer.  C_W A_2 = 1, C_b = 0.


PLAIN = {
    "kernel 00": "K_00^(L)", "kernel 1": "dK_[1]^(L)/dK_[1]^(1)", "kernel 2": "ddK_[2]^(L)/ddK_[2]^(1)",
    "ntk 00": "Theta_00^(L)", "ntk 1": "dTheta_[1]^(L)/dK_[1]^(1)", "ntk 2": "ddTheta_[2]^(L)/ddK_[2]^(1)",
    "robustness": "Theta_-+/Theta_++ - 1", "prediction variance": "Cov[z_-, z_-]", "zeta": "cos zeta^(L)",
    "angle": "psi^(l)", "ntk diagonal": "Theta_d^(L)",
}  # fmt: skip
GAP = Reserved("gamma", positive=True)
PSI, ZETA = r"\psi^{(l)}", r"\cos\zeta^{(L)}"
ROBUSTNESS = r"\frac{\Theta_{-+}^{(L)}}{\Theta_{++}^{(L)}}-1"
PREDICTED = r"\mathrm{Cov}[z^{(L)}_{-},z^{(L)}_{-}]"


# ---- coordinates ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Combination(Coordinate):
    """`combine` of the laws `parts`, all with the same start; arithmetic, for expansions and for numbers.

    `brought`: the symbols that `combine` brings in.
    """

    parts: tuple[Law, ...]
    combine: Callable
    brought: frozenset = frozenset()

    kind, evidence = "rates", "perceptron"

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

    kind, evidence = "rates", "perceptron"


@dataclass(frozen=True)
class ExactRates(Identity):
    """A quantity of an MLP that is known at every depth; `variance`: the diagonal kernel K_d."""

    variance: Expr = S.One

    kind, evidence = "rates", "perceptron"


class AngleOfGap(Observable):
    """psi = 2 asin(sqrt(gamma/2))."""

    quantity = PSI


# ---- the network -----------------------------------------------------------------------------------------


SCHEDULES = ("constant", "equivalence")
SECOND, FIRST = r"\delta\delta K_{[2]}^{(1)}", r"\delta K_{[1]}^{(1)}"
COMPONENTS = {
    ("kernel", "00"): ("K00", r"K_{00}^{(L)}"),
    ("kernel", "1"): ("K1", rf"\frac{{\delta K_{{[1]}}^{{(L)}}}}{{{FIRST}}}"),
    ("kernel", "2"): ("K2", rf"\frac{{\delta\delta K_{{[2]}}^{{(L)}}}}{{{SECOND}}}"),
    ("ntk", "00"): ("Theta00", r"\Theta_{00}^{(L)}"),
    ("ntk", "1"): ("Theta1", rf"\frac{{\delta\Theta_{{[1]}}^{{(L)}}}}{{{FIRST}}}"),
    ("ntk", "2"): ("Theta2", rf"\frac{{\delta\delta\Theta_{{[2]}}^{{(L)}}}}{{{SECOND}}}"),
}


@dataclass(frozen=True, init=False, repr=False)
class MLP(Stated):
    """PDLT's multilayer perceptron at infinite width.

    Parameters: `phi`, a catalogue name or an `Activation`; `weight_variance` C_W > 0 (left out: the critical one) and
    `bias_variance` C_b >= 0; `weight_rate` and `bias_rate`, lambda_W and lambda_b >= 0, not both 0, numbers or symbols;
    `schedule`, "constant" or "equivalence".  Raises `InputError` for bad values and `UnsupportedError` for an
    activation of neither class when C_W is left out.

    >>> from sympy import symbols
    >>> b, w = symbols("lambda_b lambda_W", positive=True)
    >>> net = MLP("tanh", weight_rate=w, bias_rate=b)
    >>> print(net.ntk_component_law("00", terms=1), "  ", net.ntk_component_law("2", terms=1))
    L*lambda_b/2 + O(log(L))    delta^2*(lambda_W + lambda_b) + O(log(L)/L)
    >>> print(MLP("relu").zeta_law(terms=2))
    1/4 + 3*log(L)/(8*L) + O(1/L)
    """

    layer_data: Layer
    weight_rate: Expr
    bias_rate: Expr
    schedule: str

    def __init__(
        self, phi: str | Activation, weight_variance=None, bias_variance=0, weight_rate=1, bias_rate=1,
        schedule: str = "constant", **options,
    ):  # fmt: skip
        phi = activation(phi, **options)
        weight, bias = _variances(phi, weight_variance, bias_variance)
        given = (weight_rate, "weight_rate"), (bias_rate, "bias_rate")
        rates = [not_negative(*rate, "a learning rate >= 0") for rate in given]
        if rates == [0, 0]:
            raise InputError("weight_rate = 0 and bias_rate = 0 train nothing; give at least one positive rate")
        if not isinstance(schedule, str) or schedule not in SCHEDULES:
            raise InputError(f"schedule = {schedule!r} is unknown; give 'constant' or 'equivalence'")
        require_fixed((primitives.activation(phi), DenseNode(weight, bias)))
        values = (Layer(phi, weight, bias), *rates, schedule)
        require_distinct(*values[0].parameters, *rates)
        require_no_depth(values[0].parameters.union(*(rate.free_symbols for rate in rates)))
        for name, value in zip(("layer_data", "weight_rate", "bias_rate", "schedule"), values, strict=True):
            object.__setattr__(self, name, value)
        if schedule == "equivalence":
            self.require_critical()

    # ---- the network ----------------------------------------------------------------------------

    @cached_property
    def universality(self) -> Universality:
        """The universality class of phi."""
        return universality_of(self.layer_data.activation)

    @property
    def is_critical(self) -> bool:
        """Whether C_b = 0 and C_W is the critical one of phi's class."""
        layer = self.layer_data
        return layer.bias_variance == 0 and as_sympy(layer.weight_variance - self.universality.weight_variance).is_zero

    @property
    def phase(self) -> str:
        """'edge of chaos' at PDLT's criticality."""
        self.require_critical()
        return "edge of chaos"

    @cached_property
    def composition(self) -> Network:
        """phi and a dense with the learning rates, layer 1 the same dense; the schedule without its power of L."""
        weight, bias = self.weight_rate, self.bias_rate
        if self.schedule == "equivalence" and self.universality.name == VANISHING:
            p = self.universality.exponent
            weight, bias = weight * LAYER ** (1 - p), bias * LAYER**-p
        layer = self.layer_data
        drawn = DenseNode(sqrt(layer.weight_variance), sqrt(layer.bias_variance), weight, bias)
        return Network(serial(primitives.activation(layer.activation), drawn), first=drawn)

    @cached_property
    def statement(self) -> Statement:
        """The layer recursion; for the equivalence principle without its power of L, which is a factor of Theta too."""
        return self.composition.statement

    @property
    def correlation_map(self) -> CorrelationMap:
        """f of one layer, the same in every layer (scale-invariant class alone)."""
        self.require(SCALE_INVARIANT, "the correlation map")
        return CorrelationMap.of(self.layer_data)

    # ---- requirements of laws -------------------------------------------------------------------

    def require(self, name: str, what: str) -> None:
        """`UnsupportedError` unless phi is in the class `name` and the network is critical; `what` belongs to it."""
        if self.universality.name != name:
            raise UnsupportedError(
                f"activation {self.activation.name!r} is in the class {self.universality.name!r}, and {what} belongs "
                f"to the class {name!r}; ask for a law of its own class"
            )
        self.require_critical()

    def require_critical(self) -> None:
        """`UnsupportedError` unless the network is critical."""
        if not self.is_critical:
            layer = self.layer_data
            raise UnsupportedError(
                f"C_W = {layer.weight_variance} and C_b = {layer.bias_variance} are not critical for "
                f"{self.activation.name!r}; the laws need C_W = {self.universality.weight_variance} and C_b = 0"
            )

    # ---- the class K* = 0 -----------------------------------------------------------------------

    @in_budget("deriving the law of the kernel of a {0}")
    def kernel_law(self, component: str = "00", terms: int = 4) -> Law:
        """The law of K_00, or delta K_[1] or delta delta K_[2] in units of layer 1 (PDLT 10.71).

        `component`: "00", "1" or "2"; the start is variance=K_00^(1).

        >>> print(MLP("tanh").kernel_law("2", terms=2))
        delta^2/L + 5*delta^2*log(L)/(12*L^2) + O(1/L^2)
        """
        return self._component("kernel", component, terms)

    @in_budget("deriving the law of a component of the NTK of a {0}")
    def ntk_component_law(self, component: str = "00", terms: int = 4) -> Law:
        """The law of Theta_00, or of delta Theta_[1] or delta delta Theta_[2], for dK_[1] = ddK_[2] = 1 in layer 1.

        `component`: "00", "1" or "2" (PDLT 10.75-10.80).

        >>> print(MLP("tanh", schedule="equivalence").ntk_component_law("00", terms=1))
        3/2 + O(log(L)^2/L)
        """
        return self._component("ntk", component, terms)

    @in_budget("deriving the law of the variance of a {0}")
    def variance_law(self, terms: int = 4) -> Law:
        """The law of K_00^(l) as that of a variance."""
        self.require(VANISHING, "the law of the variance")
        return variance_law(Statement.plain(self.layer_data), check_terms(terms))

    def _component(self, kind: str, component: str, terms: int) -> Law:
        if (kind, component) not in COMPONENTS:
            raise InputError(f"component = {component!r} is unknown; give '00', '1' or '2'")
        self.require(VANISHING, "a law of the components")
        name, quantity = COMPONENTS[kind, component]
        expansion = self.components.expansion(name, check_terms(terms))
        return self._along_variance(quantity, expansion, f"{kind} {component}", (name,), lambda value: value)

    def _along_variance(self, quantity: str, expansion, name: str, parts: tuple, combine) -> Law:
        return self._law(quantity, expansion, name, ComponentFlow(self.components, parts, combine), read_variance)

    @cached_property
    def components(self) -> Components:
        """The components of the class K* = 0."""
        return Components(self.statement, self.universality, self.weight_rate, self.bias_rate, self.schedule)

    # ---- the scale-invariant class --------------------------------------------------------------

    @in_budget("deriving the law of the correlation of a {0}")
    def correlation_law(self, terms: int = 4) -> Law:
        """The law of 1 - c^l = 1 - cos psi^(l)."""
        self._require_slopes("the law of the correlation")
        return relu_like.correlation_law(self._normal_form(), check_terms(terms), self.statement)

    @in_budget("deriving the law of the angle of a {0}")
    def angle_law(self, terms: int = 4) -> Law:
        """The law of psi^(l), the angle between two inputs of equal norm (PDLT 10.90).

        >>> print(MLP("relu").angle_law(terms=2))
        3*pi/l - 9*pi*log(l)/(2*l^2) + O(1/l^2)
        """
        self._require_slopes("the law of the angle")
        form, terms = self._normal_form(), check_terms(terms)
        observable = AngleOfGap(2 * asin(sqrt(GAP / 2)), GAP, FixedPoint(Integer(0)))
        abel = relu_like.abel_for(relu_like.alpha_of(form))
        expansion = depth_law(abel, relu_like.LAYER, terms, lambda t, order: observable.expansion(t.power(2)))
        coordinate = Angle(relu_like.dynamics_of(form, False), abel)
        return self._law(PSI, expansion, "angle", coordinate, observable=observable)

    @in_budget("deriving the law of the zeta of a {0}")
    def zeta_law(self, terms: int = 4, variance=1) -> Law:
        """cos zeta^(L) = Theta_{+-}/Theta_{++} for two inputs with K_d = `variance` (PDLT 10.92-10.93).

        Of a deep linear network it is 1 - w (1 - cos psi) in every layer (10.96-10.98).
        """
        share, name = self.weight_share(variance), "zeta"
        if self.activation.is_linear:
            expansion = Expansion.build(Scale.at_infinity(DEPTH), {(0, 0): 1 - share * CONNECTION})
            coordinate = ExactRates(expansion.to_sympy(), DEPTH, lambda gap: gap, exact(variance, "variance"))
            return self._law(ZETA, expansion, name, coordinate)
        self._require_slopes("the law of zeta")
        form = self._normal_form(share)
        law = relu_like.ntk_law(form, check_terms(terms), self.statement, ZETA, name)
        coordinate = Angle(law.dynamics, law.abel, own_lost=form.own_lost)
        return replace(law, coordinate=coordinate, text=PLAIN[name], family=None)

    @in_budget("deriving the law of the NTK of a {0}")
    def ntk_law(self, terms: int = 4, variance=1) -> Law:
        """The law of Theta_{+-} in units of L (lambda_b + lambda_W A_2 K_d), the diagonal of layer L: cos zeta."""
        return self.zeta_law(terms, variance)

    @in_budget("deriving the law of the diagonal of the NTK of a {0}")
    def ntk_diagonal_law(self, variance=1) -> Law:
        """The law of Theta_d^(L) for K_d = `variance`: (lambda_b + lambda_W A_2 K_d) L, exact at every depth.

        Without L for the equivalence principle (PDLT 10.91).
        """
        self.weight_share(variance)
        step = self.bias_rate + self.weight_rate / self.layer_data.weight_variance * exact(variance, "variance")
        power = 0 if self.schedule == "equivalence" else -1
        expansion = Expansion.build(Scale.at_infinity(DEPTH), {(power, 0): step})
        coordinate = ExactRates(expansion.to_sympy(), DEPTH)
        return self._law(r"\Theta_{d}^{(L)}", expansion, "ntk diagonal", coordinate, no_start)

    def weight_share(self, variance=1) -> Expr:
        """w = lambda_W A_2 K_d/(lambda_b + lambda_W A_2 K_d) for K_d = `variance`."""
        self.require(SCALE_INVARIANT, "the weights' share of the diagonal")
        kernel = positive(variance, "variance", "the diagonal kernel K_d > 0")
        weights = self.weight_rate * kernel / self.layer_data.weight_variance
        return weights / (weights + self.bias_rate)

    def _normal_form(self, weight_share: Expr = ONE) -> OneKink:
        """The layer in units of what it adds to the diagonal, of which `weight_share` depends on the angle."""
        layer = self.layer_data
        drawn = primitives.dense(sqrt(layer.weight_variance), weight_rate=weight_share * layer.weight_variance,
                                 bias_rate=1 - weight_share)  # fmt: skip
        block = serial(primitives.activation(self.activation), drawn)
        return OneKink.of(normal_form(block, None, Settled(ONE, True)).total)

    def _require_slopes(self, what: str) -> None:
        self.require(SCALE_INVARIANT, what)
        if self.activation.is_linear:
            raise UnsupportedError(
                f"activation {self.activation.name!r} is linear, so the angle is the same in every layer; take a "
                "nonlinear activation, or zeta_law"
            )

    # ---- both classes ---------------------------------------------------------------------------

    @in_budget("deriving the law of the robustness of a {0}")
    def robustness_law(self, terms: int = 4, variance=1) -> Law:
        """Theta_{-+}/Theta_{++} - 1; in the class K* = 0 its leading part -2 ddTheta_[2]/Theta_00 for ddK_[2]^(1) = 1.

        PDLT 10.94, and 10.78 and 10.81.

        >>> print(MLP("tanh").robustness_law(terms=1))
        -8*delta^2/L + O(log(L)/L^2)
        """
        terms = check_terms(terms)
        if self.universality.name == SCALE_INVARIANT:
            zeta = self.zeta_law(terms, variance)
            found = Combination((zeta,), lambda z: z - 1)
            return self._law(ROBUSTNESS, zeta.expansion - 1, "robustness", found, symbols=zeta.symbols)
        self.require(VANISHING, "the robustness")

        def combine(second, ntk):
            return -2 * second / ntk

        parts = [self.components.expansion(name, terms + 3) for name in ("Theta2", "Theta00")]
        expansion = (parts[0] * -2 / parts[1]).truncate(terms)
        quantity = rf"\frac{{-2\,\delta\delta\Theta_{{[2]}}^{{(L)}}}}{{\Theta_{{00}}^{{(L)}}\,{SECOND}}}"
        return self._along_variance(quantity, expansion, "robustness", ("Theta2", "Theta00"), combine)

    @in_budget("deriving the law of the prediction variance of a {0}")
    def prediction_variance_law(self, terms: int = 4, variance=1) -> Law:
        """The variance of the prediction on a test input after training on another one of the same norm.

        PDLT 10.95; in the class K* = 0 its leading part 4 ddK_[2] for ddK_[2]^(1) = 1 (10.63).
        """
        terms = check_terms(terms)
        if self.universality.name == VANISHING:
            self.require(VANISHING, "the prediction variance")
            quantity = rf"\frac{{4\,\delta\delta K_{{[2]}}^{{(L)}}}}{{{SECOND}}}"
            expansion = self.components.expansion("K2", terms) * 4
            return self._along_variance(quantity, expansion, "prediction variance", ("K2",), lambda value: 4 * value)
        zeta, gap = self.zeta_law(terms + 3, variance), self.correlation_law(terms + 3)
        kernel = exact(variance, "variance")

        def relative(z, gap):  # K_d (1 - 2 cos zeta cos psi + cos^2 zeta), one training input and one test input
            return (1 - z) ** 2 + 2 * z * gap

        expansion = (relative(zeta.expansion, gap.in_symbols_of(zeta)) * kernel).truncate(terms)
        found = Combination((zeta, gap), lambda z, gap: relative(z, gap) * to_mpf(kernel), kernel.free_symbols)
        return self._law(PREDICTED, expansion, "prediction variance", found, symbols=zeta.symbols)

    def _law(self, quantity: str, expansion, name: str, coordinate: Coordinate, reader=read_start, **parts) -> Law:
        layer, text = self.statement, PLAIN[name]
        return Law(quantity, expansion, reader, name, coordinate=coordinate, layer=layer, text=text, **parts)


def _variances(phi: Activation, weight, bias) -> tuple[Expr, Expr]:
    bias = not_negative(bias, "bias_variance", "the variance C_b >= 0 of the biases")
    if weight is None:
        return universality_of(phi).weight_variance, bias
    return positive(weight, "weight_variance", "C_W > 0"), bias
