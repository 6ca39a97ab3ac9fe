"""Examples of the class K* = 0 for the decisions on PDLT's laws of depth, and how a printed term is held against a law.

Rule.  The printed term is held against the leading term of the law that the toolkit derives for symbolic learning
rates, that law is put back into the recursions (`stated.pdlt.depth`), and NumPy iterates them to a depth of 20,000.
Examples: tanh, sin, erf, and sin x + (1 - cos x)/2, which is not odd: sigma = (0, 1, 1/2, -1), p_perp = 12/13.

By theorem, for sin and erf (p_perp = 1, so lambda_b/l and lambda_W are the rates of the equivalence principle) and all
K_00 in [1/2, 1] in layer 1, from certificates of K = K_00 ~ k/l and of Theta = Theta_00 (`implied`):

    Theta   lambda_b/(l + 1) is replaced by (lambda_b/k) V(K), K' = V(K), which has a certificate.  The two differ by
            O(log(l)/l^2), which is summable; the multipliers chi(K) are in (0, 1) and their product is 0, since chi
            falls from chi(0) = 1 with chi'(0) < 0; so the difference of the solutions tends to 0.
    r_l     ddTheta_[2]/ddK_[2] moves by w + M(K) Theta/chi(K), w = lambda_W/C_W, M = C_W <phi'' phi''> = M_1 K + ...,
            by (10.70) over chi; where that tends to a number, r_l/l tends to the same (Cesaro).

Not by theorem: p_perp != 1, where H goes like K^p, and activations without closed form.
"""

from functools import lru_cache

from sympy import Expr, Integer, Rational, Symbol, asin, cos, diff, exp, limit, oo, simplify, sin, sqrt

from asympt.architectures.mlp import MLP
from asympt.architectures.perceptron.components import DELTA, derivatives_at_zero
from asympt.claims.forms import agreement
from asympt.claims.stated.pdlt import depth as of
from asympt.claims.stated.pdlt.depth import BIAS, WEIGHT
from asympt.claims.theorems import along, by_limit, by_theorem, leading_term
from asympt.evidence.check import Check
from asympt.evidence.components import float_components
from asympt.meanfield.activations import Activation
from asympt.recursions import Recursion

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


def at(term: Expr, name: str) -> tuple:
    """(power of L, coefficient) of a printed term for an example."""
    k = constants(name)
    letters = {of.SIGMA_1: sqrt(k["s1"]), of.SIGMA_2: sqrt(k["s1"] * k["s2"]), of.A_1: -k["a"], of.P: k["p"]}
    value = term.subs(letters)
    power = simplify(of.L * diff(value, of.L) / value)
    return int(power) if power.is_Integer else power, simplify(value / of.L**power)


KERNEL = Symbol("K", positive=True)
IN_CLOSED_FORM = {  # C_W <phi phi> and C_W <phi' phi'> at K, C_W = 1/sigma_1^2, by hand
    "sin": ((1 - exp(-2 * KERNEL)) / 2, (1 + exp(-2 * KERNEL)) / 2),
    "erf": (asin(2 * KERNEL / (1 + 2 * KERNEL)) / 2, 1 / sqrt(1 + 4 * KERNEL)),
}
CURVED = {  # C_W <phi'' phi''>
    "sin": (1 - exp(-2 * KERNEL)) / 2, "erf": 4 * KERNEL / (1 + 4 * KERNEL) ** Rational(3, 2),
}  # fmt: skip
STARTS = (Rational(1, 2), Integer(1))  # of K_00
BECAUSE = (
    "and so by (10.44) and (10.70): ddTheta_[2]/ddK_[2] moves by lambda_W/C_W + M Theta_00/chi in a layer, "
    "M = C_W <phi'' phi''>, and means tend to what their terms tend to; 1/(l + 1) differs from K_00/k by what can be "
    "summed, and the multipliers chi are in (0, 1) with product 0"
)


def by_theorem_at(name: str, part: str, stated: str) -> tuple[Check, ...]:
    """'K 00', or 'Theta 00' for constant rates lambda_b = 2, lambda_W = 3, against its leading term in n = l."""
    return by_theorem(f"{part}, {name}, all $K_00$ in [1/2, 1]", _certificate(name, part), "~", stated)


@lru_cache(maxsize=8)
def _certificate(name: str, part: str, schedule: str = "constant"):
    """Of K_00, or of Theta_00; where the equivalence principle has 1/(l + 1) this has V(K) over the limit of l K."""
    kernel, slope = IN_CLOSED_FORM[name]
    orbit, known = Recursion(kernel, KERNEL, 0), constants(name)
    bias, weight = NUMBERS[BIAS], NUMBERS[WEIGHT] * known["s1"]
    rate = bias if schedule == "constant" else bias * known["a"] * kernel
    law = orbit.law(terms=2) if part == "K 00" else orbit.linear_law(
        slope, rate + weight * kernel, bias + weight * KERNEL, terms=2)  # fmt: skip
    return along(law, start=STARTS)


def implied(name: str, schedule: str, part: str, printed: Expr) -> tuple[Check, ...]:
    """'Theta 00', 'Theta 2' or 'robustness' by theorem (see the module) against a printed term."""
    certificates = _certificate(name, "K 00"), _certificate(name, "Theta 00", schedule)
    terms = [None if certificate is None else leading_term(certificate) for certificate in certificates]
    if None in terms or not _contracts(name):
        return ()
    (size, k), (growth, theta) = terms
    depth, constant = certificates[0].law.depth_variable, schedule == "constant"
    if (size, growth) != (1 / depth, depth if constant else 1) or simplify(k * constants(name)["a"]) != 1:
        return ()
    coupling = diff(CURVED[name], KERNEL).subs(KERNEL, 0) * k * theta if constant else 0  # the limit of M(K) Theta
    second = NUMBERS[WEIGHT] * constants(name)["s1"] + coupling
    true = {"Theta 00": (constant, theta), "Theta 2": (0, second), "robustness": (-constant, -2 * second / theta)}[part]
    power, stated = at(printed, name)
    if power != true[0]:
        return ()
    size = "" if part == "Theta 00" else " over $delta^2$"
    title = f"{part}{size}, {name}, {schedule} rates 2 and 3, all $K_00$ in [1/2, 1]: coefficient of $L^({power})$"
    return by_limit(title, certificates, true[1], stated.subs(NUMBERS | {DELTA: 1}), BECAUSE)


def _contracts(name: str) -> bool:
    """chi(0) = 1, and chi falls, with chi'(0) < 0, and stays positive."""
    slope = IN_CLOSED_FORM[name][1]
    falls = diff(slope, KERNEL)
    at_zero = slope.subs(KERNEL, 0) == 1 and falls.subs(KERNEL, 0).is_negative
    return bool(at_zero and falls.is_negative and limit(slope, KERNEL, oo).is_nonnegative)


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
