"""Examples of the class K* = 0 for the decisions on PDLT's laws of depth, and how a printed term is held against a law.

Rule.  The printed term is held against the leading term of the law that the toolkit derives for symbolic learning
rates, that law is put back into the recursions (10.44, 10.67, 10.70), and NumPy iterates them to a depth of 20,000.
Examples: tanh, sin, erf, and sin x + (1 - cos x)/2, which is not odd: sigma = (0, 1, 1/2, -1), p_perp = 12/13.
"""

from functools import lru_cache

from sympy import Integer, Rational, Symbol, asin, cos, exp, sin, sqrt, symbols

from asympt.architectures.mlp import MLP
from asympt.architectures.perceptron.universality import derivatives_at_zero
from asympt.claims.forms import agreement, vanishes
from asympt.claims.theorems import along, by_theorem
from asympt.evidence.check import Check
from asympt.evidence.components import float_components
from asympt.evidence.symbolic.components import component_checks
from asympt.meanfield.activations import Activation
from asympt.recursions import Recursion

BIAS, WEIGHT = symbols("lambda_b lambda_W", positive=True)
NUMBERS = {BIAS: Integer(2), WEIGHT: Integer(3)}
X = Symbol("x", real=True)
DEPTH = 20_000


def mixed() -> Activation:
    """sin x + (1 - cos x)/2."""
    return Activation(sin(X) + (1 - cos(X)) / 2, X, name="sin x + (1 - cos x)/2")


@lru_cache(maxsize=32)
def net(name: str, schedule: str, numbers: bool = False) -> MLP:
    """An example with symbolic learning rates, or with lambda_b = 2, lambda_W = 3."""
    bias, weight = (NUMBERS[BIAS], NUMBERS[WEIGHT]) if numbers else (BIAS, WEIGHT)
    return MLP(mixed() if name == "mixed" else name, weight_rate=weight, bias_rate=bias, schedule=schedule)


@lru_cache(maxsize=32)
def floats(name: str, schedule: str) -> dict:
    """The components at DEPTH from K_00 = 1, by NumPy."""
    return float_components(net(name, schedule, True).components, 1.0, DEPTH)


def constants(name: str) -> dict:
    """sigma_1^2, sigma_2^2/sigma_1^2, -a_1 and p of an example."""
    mlp = net(name, "constant")
    _, first, second, _ = derivatives_at_zero(mlp.activation, 4)
    return {"s1": first**2, "s2": (second / first) ** 2, "a": -mlp.universality.a1, "p": mlp.universality.exponent}


KERNEL = Symbol("K", positive=True)
IN_CLOSED_FORM = {  # C_W <phi phi> and C_W <phi' phi'> at K, C_W = 1/sigma_1^2, by hand
    "sin": ((1 - exp(-2 * KERNEL)) / 2, (1 + exp(-2 * KERNEL)) / 2),
    "erf": (asin(2 * KERNEL / (1 + 2 * KERNEL)) / 2, 1 / sqrt(1 + 4 * KERNEL)),
}
STARTS = (Rational(1, 2), Integer(1))  # of K_00


def by_theorem_at(name: str, part: str, stated: str) -> tuple[Check, ...]:
    """'K 00', or 'Theta 00' for constant rates lambda_b = 2, lambda_W = 3, against its leading term in n = l."""
    kernel, slope = IN_CLOSED_FORM[name]
    orbit = Recursion(kernel, KERNEL, 0)
    if part == "K 00":
        law = orbit.law(terms=2)
    else:
        bias, weight = NUMBERS[BIAS], NUMBERS[WEIGHT] * constants(name)["s1"]
        law = orbit.linear_law(slope, bias + weight * kernel, bias + weight * KERNEL, terms=2)
    return by_theorem(f"{part}, {name}, all $K_00$ in [1/2, 1]", along(law, start=STARTS), "~", stated)


def leading(name: str, schedule: str, part: str, printed) -> list[Check]:
    """The leading term of a law against the printed one, `printed(constants)` = (power of L, coefficient)."""
    law = law_of(net(name, schedule), part)
    monomial, coefficient = law.expansion.leading
    power, expected = printed(constants(name))
    where = f"{part}, {name}, {schedule} rates"
    return [
        vanishes(f"{where}: power of $L$ minus the printed one", -monomial.order - power),
        vanishes(f"{where}: coefficient minus the printed one", coefficient - expected, f"{law.plain} = {law}"),
        *component_checks(law),
    ]


def law_of(mlp: MLP, part: str, terms: int = 2):
    """A law by the name of its quantity."""
    if part == "robustness":
        return mlp.robustness_law(terms)
    kind, component = part.split()
    return (mlp.kernel_law if kind == "K" else mlp.ntk_component_law)(component, terms)


def by_numpy(name: str, schedule: str, part: str) -> Check:
    """The law with numbers against NumPy at DEPTH."""
    law = law_of(net(name, schedule, True), part)
    found = law.coordinate.combine(*(floats(name, schedule)[key] for key in law.coordinate.parts))
    expected = law.evaluate(depth=DEPTH, variance=1, digits=10)
    return agreement(f"{part}, {name}: the law against NumPy at depth {DEPTH}", found, expected, 1e-9)
