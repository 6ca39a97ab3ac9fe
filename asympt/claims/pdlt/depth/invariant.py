"""Decisions on PDLT's laws of depth in the scale-invariant class (10.82-10.98).

Rule.  Printed limits and leading terms are held against the derived law by their formulas (`stated.pdlt.depth`); here
are next terms, theorems, and a loop in float64 that follows 10.88-10.89 to layer 20,000.  Examples: ReLU, slopes 1 and
1/10, slopes 1 and -1/2, the absolute value; the weights' share w of the diagonal 0, 1/3 and 1.
"""

from functools import lru_cache

from sympy import Integer, Rational, pi, symbols

from asympt.architectures import FeedForward
from asympt.architectures.mlp import MLP
from asympt.claims.forms import agreement, vanishes
from asympt.claims.theorems import of_network
from asympt.evidence.angles import angle_floats, combined_floats, exact_numbers
from asympt.evidence.check import Check, Verification

SLOPES = ((1, 0), (1, Rational(1, 10)), (1, Rational(-1, 2)), (1, -1))
RATES = ((0, 1), (1, 2), (1, 0))  # (lambda_W, lambda_b): w = 0, 1/3, 1 for A_2 K_d lambda_W = lambda_W
DEPTH = 20_000


@lru_cache(maxsize=64)
def net(slopes: tuple, rates: tuple = (1, 1), schedule: str = "equivalence") -> MLP:
    """An example."""
    right, left = slopes
    return MLP("relu_like", right=right, left=left, weight_rate=rates[0], bias_rate=rates[1], schedule=schedule)


def rho(slopes: tuple):
    """rho = (a_+ - a_-)^2/(pi (a_+^2 + a_-^2)), as printed."""
    right, left = map(Integer, slopes) if all(isinstance(s, int) for s in slopes) else slopes
    return Rational((right - left) ** 2) / (Rational(right**2 + left**2) * pi)


def _shown(slopes: tuple) -> str:
    return f"slopes {slopes[0]}, {slopes[1]}"


# ---- the angle of the kernel --------------------------------------------------------------------------


def angle() -> Verification:
    """PDLT.10.90: the next term, numbers, theorems."""
    checks = []
    for slopes in SLOPES:
        law = net(slopes).angle_law(terms=2)
        rest = law.expansion.coefficient(2, 1) + 9 / (2 * rho(slopes))
        checks.append(vanishes(f"next: coefficient of $log(l)/l^2 + 9/(2 rho)$, {_shown(slopes)}", rest))
        checks += angle_floats(law, DEPTH) if slopes != (1, -1) else []
    name = "$1 - cos psi^(l)$, which is $psi^2/2 + O(psi^4)$"
    checks += [row for slopes in SLOPES for row in _gap_by_theorem(slopes, name)]
    return Verification("K_d^(l) = K_d^*, psi^(l) = 3/(rho l) + ...", tuple(checks))


def _theorem(slopes: tuple, law: str, name: str, relation: str, stated) -> tuple[Check, ...]:
    """Of the network with rates C_b = lambda_b, C_W = lambda_W (w = 1), at every fixed psi > 0."""
    same = FeedForward("relu_like", right=slopes[0], left=slopes[1])
    return of_network(same, law, f"{name}, {_shown(slopes)}", relation, stated)


def _gap_by_theorem(slopes: tuple, name: str) -> tuple[Check, ...]:
    """9/(2 rho^2 l^2), which is half the square of 3/(rho l)."""
    return _theorem(slopes, "correlation", name, "~", f"9/(2*({rho(slopes)})^2*l^2)")


def bayesian() -> Verification:
    """PDLT.fn37, by theorem."""
    checks = [row for slopes in SLOPES for row in _gap_by_theorem(slopes, "$1 - cos psi^(L)$")]
    return Verification("Theta = K: cos psi^(L) - 1 = O(L^-2)", tuple(checks))


# ---- the angle of the NTK -----------------------------------------------------------------------------


def diagonal() -> Verification:
    """PDLT.10.91: the law of the toolkit, ReLU."""
    bias, weight = symbols("lambda_b lambda_W", positive=True)
    derived = MLP("relu", weight_rate=weight, bias_rate=bias, schedule="equivalence").ntk_diagonal_law(variance=1)
    rest = derived.to_sympy() - bias - weight / 2
    check = vanishes("ReLU, $K_d = 1$: the law minus the printed form at $l = L$", rest)
    return Verification("Theta_d^(l) = (lambda_b + lambda_W A_2 K_d) l/L", (check,))


def zeta() -> Verification:
    """PDLT.10.92: the next term, numbers, theorems."""
    checks = []
    for slopes in SLOPES:
        for rates in RATES:
            law = net(slopes, rates).zeta_law(terms=2)
            where = f"{_shown(slopes)}, w = {net(slopes, rates).weight_share()}"
            correction = law.expansion.coefficient(1, 1) - Rational(3, 8)
            checks.append(vanishes(f"coefficient of $log(L)/L - 3/8$, {where}", correction, f"{law}"))
        checks += _theorem(slopes, "ntk", "$cos zeta$, $w = 1$", "limit", Rational(1, 4))
    for rates in RATES:
        checks += angle_floats(net((1, 0), rates).zeta_law(terms=2), DEPTH)
    return Verification("cos zeta' = (1 - 4/l + ...) cos zeta + 1/l + ..., so cos zeta -> 1/4", tuple(checks))


def robustness() -> Verification:
    """PDLT.10.94: numbers, theorems."""
    mlp = net(SLOPES[0], RATES[1])
    robust, variance = mlp.robustness_law(terms=2), mlp.prediction_variance_law(terms=2)
    checks = [*combined_floats(robust, DEPTH), *combined_floats(variance, DEPTH)]
    value = robust.evaluate(depth=10**9, correlation=Rational(1, 10), digits=15)
    checks.append(
        agreement("ReLU: $Theta_-+/Theta_++ - 1$ at depth $10^9$ against -3/4", value, -0.75, 1e-7, f"{robust}")
    )
    for slopes in SLOPES[:3]:
        checks += _theorem(slopes, "ntk", "$Theta_-+/Theta_++$, $w = 1$", "limit", Rational(1, 4))
    return Verification("Theta_-+/Theta_++ - 1 -> -3/4, prediction variance -> 9 K_d/16", tuple(checks))


# ---- deep linear networks -----------------------------------------------------------------------------


def linear() -> Verification:
    """PDLT.10.97: 10.98 against the network layer by layer, where it holds in every layer."""
    law = MLP("linear", weight_rate=1, bias_rate=2).zeta_law()
    return Verification("deep linear network: 10.97, and cos zeta^(l) -> 10.98", tuple(exact_numbers(law)))
