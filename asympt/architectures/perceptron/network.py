"""The network of PDLT chapter 10 without its laws: variances, learning rates, universality class, statement.

Rule.  The layer recursion is stated in `mlp`.  Schedules: "constant", the given rates in every layer; "equivalence",
PDLT's equivalence principle, whose factor of the whole network, 1/L or L^(p-1), is kept apart (`rate_scale`).

Tiny case.  tanh with the equivalence principle: lambda_b^(l) = lambda_b/l, lambda_W^(l) = lambda_W.

Known limits.  The equivalence principle is stated at criticality only.
"""

from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer

from asympt.architectures.network import Stated
from asympt.architectures.perceptron.universality import SCALE_INVARIANT, VANISHING, Universality, universality_of
from asympt.architectures.relu_like import DEPTH
from asympt.compiling import as_function
from asympt.depth.finite import Dense
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import LAYER, Statement
from asympt.numbers import exact
from asympt.parsing import as_sympy
from asympt.symbols import named, require_distinct

SCHEDULES = ("constant", "equivalence")


@dataclass(frozen=True, init=False)
class MLPNetwork(Stated):
    """Variances C_W and C_b, learning rates and their schedule; the parameters are those of `MLP`."""

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
        rates = [_rate(value, name) for value, name in ((weight_rate, "weight_rate"), (bias_rate, "bias_rate"))]
        if rates == [0, 0]:
            raise InputError("weight_rate = 0 and bias_rate = 0 train nothing; give at least one positive rate")
        if not isinstance(schedule, str) or schedule not in SCHEDULES:
            raise InputError(f"schedule = {schedule!r} is unknown; give 'constant' or 'equivalence'")
        values = (Layer(phi, weight, bias), *rates, schedule)
        require_distinct(*values[0].parameters, *rates)
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
    def statement(self) -> Statement:
        """The layer recursion; for the equivalence principle without the factor `rate_scale`, which is Theta's too."""
        weight, bias = self.weight_rate, self.bias_rate
        if self.schedule == "equivalence" and self.universality.name == VANISHING:
            p = self.universality.exponent
            weight, bias = weight * LAYER ** (1 - p), bias * LAYER**-p
        return Statement.with_rates(self.layer_data, weight, bias)

    def finite(self) -> Dense:
        """Its random network of finite width, with the rates of `statement`."""
        rates = (as_function(LAYER, rate, "math") for rate in (self.statement.weight_rate, self.statement.bias_rate))
        return Dense(*self.statement.layer.deviations, *rates)

    @property
    def rate_scale(self) -> Expr:
        """What every learning rate of `statement`, and so Theta, is multiplied by in a network of depth L."""
        if self.schedule == "constant":
            return Integer(1)
        depth = named([DEPTH], self.weight_rate.free_symbols | self.bias_rate.free_symbols)[DEPTH]
        return 1 / depth if self.universality.name == SCALE_INVARIANT else depth ** (self.universality.exponent - 1)

    @property
    def correlation_map(self) -> CorrelationMap:
        """f (scale-invariant class: the same in every layer)."""
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


def _variances(phi: Activation, weight, bias) -> tuple[Expr, Expr]:
    bias = exact(bias, "bias_variance")
    if bias.is_number and not bias >= 0:
        raise InputError(f"bias_variance = {bias} is negative; give the variance C_b >= 0 of the biases")
    if weight is None:
        return universality_of(phi).weight_variance, bias
    weight = exact(weight, "weight_variance")
    if weight.is_number and not weight > 0:
        raise InputError(f"weight_variance = {weight} is not positive; give C_W > 0")
    return weight, bias


def _rate(value, name: str) -> Expr:
    rate = exact(value, name)
    if rate.is_number and not rate >= 0:
        raise InputError(f"{name} = {rate} is negative; give a learning rate >= 0")
    return rate
