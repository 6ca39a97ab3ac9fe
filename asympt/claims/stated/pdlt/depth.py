"""Printed formulas of PDLT, section 10.3.1, on depth: the class K* = 0 and the scale-invariant class, at criticality.

The class K* = 0 has erf, which is odd, and 3 sin x + (3/2)(1 - cos x), which is not: sigma_1 = 3, sigma_2 = 3/2,
a_1 = -13/16, p_perp = 12/13.  A layer l of a network of depth L is l = L: the rates of the equivalence principle differ
from those of the layer by a factor of the network.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

from sympy import Expr, Integer, Integral, Rational, Symbol, cos, pi, sin, symbols

from asympt.architectures.mlp import MLP
from asympt.architectures.mlp_components import DELTA, taylor_at_zero
from asympt.claims.stated.comparisons import Datum, Measured
from asympt.claims.stated.equalities import Equality, Sequence, Truncation
from asympt.claims.stated.laws import LeadingTerm, StatedNetwork
from asympt.claims.stated.pdlt.networks import critical
from asympt.claims.stated.statement import Ledger, Mistaken, Stated
from asympt.evidence.perceptron import float_components
from asympt.meanfield.activations import Activation, activation

L, H = symbols("L h", positive=True)
LAYER = Symbol("l", integer=True, positive=True)
BIAS, WEIGHT = symbols("lambda_b lambda_W", positive=True)
SIGMA_1, SIGMA_2, P = symbols("sigma_1 sigma_2 p_perp", positive=True)
A_1 = Symbol("a_1", negative=True)
FAR = 20_000  # a depth in numbers
X = Symbol("x", real=True)
ODD = Activation(2 * sin(X), X, name="2 sin x")
NOT_ODD = Activation(3 * sin(X) + Rational(3, 2) * (1 - cos(X)), X, name="3 sin x + (3/2)(1 - cos x)")


MIDPOINT = BIAS + WEIGHT * SIGMA_1**2 / (-A_1)
DRIVEN = WEIGHT * SIGMA_1**2 + SIGMA_2**2 / SIGMA_1**2 * MIDPOINT
TERMS: dict[str, Expr] = {  # as printed, at l = L
    "K 00": 1 / (-A_1 * L),
    "K 2": DELTA**2 * L**-P,
    "10.75": MIDPOINT,
    "10.77": DELTA**2 / (2 - P) * DRIVEN * L ** (1 - P),
    "10.78": 2 * DELTA**2 / (P - 2) * (WEIGHT * SIGMA_1**2 / MIDPOINT + SIGMA_2**2 / SIGMA_1**2) * L ** (1 - P),
    "10.79": BIAS / 2 * L,
    "10.80": WEIGHT * SIGMA_1**2 * DELTA**2,
    "10.81": -4 * WEIGHT * SIGMA_1**2 * DELTA**2 / BIAS / L,
}
SECOND = WEIGHT * SIGMA_1**2 + (-A_1) * BIAS / 2
TRUE: dict[str, Expr] = {
    "10.80": SECOND * DELTA**2,
    "10.81": -4 * SECOND * DELTA**2 / BIAS / L,
    "10.81-remark": -(SIGMA_2**2) / SIGMA_1**2 * DELTA**2 * L ** (1 - P),
}


@lru_cache(maxsize=8)
def _letters(phi: str | Activation) -> tuple:
    """sigma_1, sigma_2, a_1 and p_perp of an activation."""
    net = MLP(phi)
    _, first, half = taylor_at_zero(net.activation, 3)
    found = net.universality
    return ((SIGMA_1, first), (SIGMA_2, 2 * half), (A_1, found.a1), (P, found.exponent))


def _begins(law: str, name: str, schedule: str, *activations, true: str = "") -> Stated:
    """The printed term of this name for each of the activations."""
    given = (("bias_rate", BIAS), ("schedule", schedule), ("weight_rate", WEIGHT))
    term, right = TERMS[name], TRUE.get(true or name)
    used = term.free_symbols | (right.free_symbols if right is not None else set())
    return tuple(
        LeadingTerm(StatedNetwork("mlp", phi, given), law, term,
                    tuple(pair for pair in _letters(phi) if pair[0] in used), right)
        for phi in activations
    )  # fmt: skip


def universality() -> Stated:
    """K_00 and ddK_[2], and what a_1 and b_1 are."""
    laws = (("kernel-00", "K 00"), ("kernel-2", "K 2"))
    found = (form for law, name in laws for form in _begins(law, name, "constant", "erf", NOT_ODD))
    return (*found, *critical())


def _power(power: Expr, source: Expr) -> Truncation:
    """l^power in x' = (1 - p/l) x + source l^(power - 1), h = 1/l."""
    return Truncation((1 + H) ** power, 1 - P * H + source * H, H, 2)


@lru_cache(maxsize=4)
def _floats(phi: str | Activation, depth: int) -> dict:
    """The components by NumPy, constant rates lambda_b = 2 and lambda_W = 3, K_00 = 1 in layer 1."""
    return float_components(MLP(phi, weight_rate=3, bias_rate=2, schedule="constant").components, depth)


def _in_numbers(name: str, term: str, read: Callable[[dict], float]) -> Measured:
    """A printed term over delta^2, which is l ddK_[2], at depth `FAR` of an odd activation whose sigma_1 is not 1."""

    def rows() -> Iterator[Datum]:
        letters = {BIAS: 2, WEIGHT: 3, L: FAR, **dict(_letters(ODD))}
        yield Datum(f"{name}, {ODD.name}, depth {FAR}", letters, read(_floats(ODD, FAR)))

    shown = rf"\text{{{name}}}\ (2\sin x,\ L={FAR})"
    return Measured(shown, TERMS[term].subs(DELTA, 1), rows, tolerance=5e-3, text=name, true=TRUE[term].subs(DELTA, 1))


def robustness_not_odd() -> Stated:
    """Constant rates: 10.81 for an activation that is not odd, and whether it decays from a tenth of a depth on."""

    def rows() -> Iterator[Datum]:
        floats = (_floats(NOT_ODD, depth) for depth in (FAR, FAR // 10))
        far, near = (abs(found["Theta2"] / found["Theta00"]) for found in floats)
        yield Datum(f"{NOT_ODD.name}: robustness at depth {FAR} over that at {FAR // 10}", {}, far / near)

    name = r"\text{robustness at }10L\text{ over that at }L"
    decays = Measured(name, Integer(1), rows, "<", text="robustness at 10 L over that at L")
    return (*_begins("robustness", "10.81", "constant", NOT_ODD, true="10.81-remark"),
            Mistaken(decays, replace(decays, sign=">")))  # fmt: skip


PSI, RHO = symbols("psi rho", positive=True)
SLOPES = ((1, 0), (1, Rational(1, 10)), (1, Rational(-1, 2)), (1, -1))


def _invariant(law: str, term: Expr, rates: tuple = (1, 1), count: int = 4) -> Stated:
    """A printed term for slopes a_+ and a_-, whose rho is put in; rates (lambda_W, lambda_b)."""
    given = (("bias_rate", str(rates[1])), ("schedule", "equivalence"), ("weight_rate", str(rates[0])))
    found = []
    for right, left in SLOPES[:count]:
        phi = activation("relu_like", right=right, left=left)
        value = (Integer(right) - left) ** 2 / (Integer(right) ** 2 + left**2) / pi
        where = ((RHO, value),) if RHO in term.free_symbols else ()
        found.append(LeadingTerm(StatedNetwork("mlp", phi, given), law, term, where))
    return tuple(found)


def expectations() -> Stated:
    """The means over the plane in polar coordinates, the radius done: sigma of cos(t) and of cos(t - psi)."""
    right, left, kernel, angle = symbols("a_+ a_- K_d t", real=True)
    a_2, rho = symbols("A_2 rho")
    where = ((rho, (right - left) ** 2 / (right**2 + left**2) / pi), (a_2, (right**2 + left**2) / 2))
    product = cos(angle) * cos(angle - PSI)
    squares, mixed = (PSI - pi / 2, pi / 2), (pi / 2, PSI + pi / 2)
    value = (right**2 + left**2) * Integral(product, (angle, *squares))
    value += 2 * right * left * Integral(product, (angle, *mixed))
    slope = (right**2 + left**2) * Integral(1, (angle, *squares)) + 2 * right * left * Integral(1, (angle, *mixed))
    ranges = {"psi": (Rational(1, 10), Integer(3))}
    printed = a_2 * kernel * (cos(PSI) + rho * (sin(PSI) - PSI * cos(PSI)))
    return (
        Equality(kernel / pi * value, printed, where, ranges),
        Equality(slope / (2 * pi), a_2 * (1 - rho * PSI), where, ranges),
        Equality((kernel / pi * value).subs(PSI, 0), a_2 * kernel, where),
    )


def diagonal() -> Stated:
    """Solves 10.88 with chi = 1, from layer 1 on; K: A_2 K_d."""
    before, kernel = symbols("Theta_d K", positive=True)
    unit = (BIAS + WEIGHT * kernel) / L
    return (Sequence(r"\Theta_d^{(\ell)}", unit * LAYER, LAYER, before + unit, before, unit),)


def zeta() -> Stated:
    """The coefficients of the recursion to 1/l, h = 1/l, psi = 3 h/rho and a gap of order h^2; and the limit."""
    share, gap = symbols("w g", positive=True)
    factor, source = (1 - RHO * 3 * H / RHO) / (1 + H), (1 - share * gap * H**2) * H / (1 + H)
    steps = Truncation(factor, 1 - 4 * H, H, 2), Truncation(source, H, H, 2)
    limits = (form for rates in ((0, 1), (1, 2), (1, 0)) for form in _invariant("zeta", Rational(1, 4), rates, 2))
    return (*steps, *limits)


def linear() -> Stated:
    """10.97 solves 10.96 from any first layer; what is left of 10.98 is a power of l, 0 for that of the network."""
    before, first, kernel, cosine = symbols("Z Z_1 K cos_psi", positive=True)
    step, unit = (BIAS + WEIGHT * kernel * cosine) / L, (BIAS + WEIGHT * kernel) / L
    printed = step * (LAYER - 1) + first
    ratio, limit = printed / (unit * LAYER), step / unit
    return (
        Sequence(r"\Theta_d\cos\zeta^{(\ell)}", printed, LAYER, before + step, before, first),
        Equality(ratio - limit, (first - step) / (unit * LAYER)),
    )


STATED: Ledger = {
    "PDLT.10.71": universality,
    # The equivalence principle, and its power.
    "PDLT.10.75": lambda: (*_begins("ntk-00", "10.75", "equivalence", "erf", NOT_ODD), _power(1 - P, Integer(1))),
    "PDLT.10.77": lambda: (*_begins("ntk-2", "10.77", "equivalence", NOT_ODD), _power(2 - 2 * P, 2 - P)),
    "PDLT.10.78": lambda: _begins("robustness", "10.78", "equivalence", NOT_ODD),
    # Constant rates, odd activations.
    "PDLT.10.79": lambda: _begins("ntk-00", "10.79", "constant", "erf", "tanh"),
    # <sigma'' sigma''> Theta_00 = O(1) counts.
    "PDLT.10.80": lambda: (*_begins("ntk-2", "10.80", "constant", "erf"), _in_numbers(
        "second part over delta squared", "10.80", lambda found: found["Theta2"] / found["K2"] / FAR)),
    "PDLT.10.81": lambda: (*_begins("robustness", "10.81", "constant", "erf"), _in_numbers(
        "robustness over delta squared", "10.81",
        lambda found: -2 * found["Theta2"] / found["Theta00"] / found["K2"] / FAR)),
    "PDLT.10.81-remark": robustness_not_odd,
    "PDLT.10.85": expectations,
    # The law, and the map of the angle that 10.85 gives at C_W A_2 = 1.
    "PDLT.10.90": lambda: (
        *_invariant("angle", 3 / (RHO * LAYER)),
        Truncation(cos(PSI) + RHO * (sin(PSI) - PSI * cos(PSI)), cos(PSI - RHO * PSI**2 / 3), PSI, 4),
    ),
    "PDLT.10.91": diagonal,
    "PDLT.10.92": zeta,
    "PDLT.10.94": lambda: (*_invariant("robustness", -Rational(3, 4), (1, 2), 3),
                           *_invariant("prediction-variance", Rational(9, 16), (1, 2), 3)),
    "PDLT.10.97": linear,
    # 1 - cos psi for Theta = K, half the square of 10.90.
    "PDLT.fn37": lambda: _invariant("correlation", 9 / (2 * RHO**2 * LAYER**2)),
}  # fmt: skip
