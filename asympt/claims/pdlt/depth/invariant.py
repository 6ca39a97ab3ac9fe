"""Decisions on PDLT's laws of depth in the scale-invariant class (10.82-10.98).

Rule.  The printed limit or leading term is held against the derived law, which is put back into the recursion
symbolically; a loop in float64 follows 10.88-10.89 to layer 20,000.  Examples: ReLU, slopes 1 and 1/10, slopes 1 and
-1/2, the absolute value; the weights' share w of the diagonal 0, 1/3 and 1.
"""

from functools import lru_cache

from mpmath import mp, mpf
from sympy import Integer, Rational, Symbol, pi, series, symbols

from asympt.architectures import FeedForward
from asympt.architectures.mlp import MLP
from asympt.claims.forms import agreement, inequality, small, vanishes
from asympt.claims.theorems import beyond, by_theorem, certified
from asympt.evidence.angles import angle_floats, combined_floats, exact_numbers
from asympt.evidence.check import Check, Verification
from asympt.evidence.verify import symbolic_checks
from asympt.gaussian.kernel import Kernel
from asympt.numbers import to_mpf

SLOPES = ((1, 0), (1, Rational(1, 10)), (1, Rational(-1, 2)), (1, -1))
RATES = ((0, 1), (1, 2), (1, 0))  # (lambda_W, lambda_b): w = 0, 1/3, 1 for A_2 K_d lambda_W = lambda_W
DEPTH = 20_000
L, PSI, COS = symbols("l psi cos_psi", positive=True)


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


# ---- the maps -----------------------------------------------------------------------------------------


def expectations() -> Verification:
    """PDLT.10.85: by quadrature over the plane and on the line."""
    checks = []
    for slopes in SLOPES[:3]:
        phi = net(slopes).activation
        with mp.workdps(20):
            plain = Kernel(phi.piecewise, use_closed_form=False)
            a2 = to_mpf((Integer(1) * slopes[0] ** 2 + slopes[1] ** 2) / 2)
            kernel, asymmetry = mpf("1.7"), to_mpf(rho(slopes))
            for psi in (mpf("0.4"), mpf("1.3"), mpf("2.6")):
                c = mp.cos(psi)
                printed = a2 * kernel * (c + asymmetry * (mp.sin(psi) - psi * c))
                where = f"{_shown(slopes)}, psi = {mp.nstr(psi, 3)}"
                rest = abs(plain.value(kernel, kernel, c) - printed)
                checks.append(small(f"$<s_+ s_->$ by quadrature minus the printed form, {where}", rest, 15))
                rest = abs(plain.slope(kernel, 1 - c) - a2 * (1 - asymmetry * psi))
                checks.append(small(f"$<s'_+ s'_->$ by quadrature minus the printed form, {where}", rest, 15))
            rest = abs(plain.value(kernel, kernel, 1) - a2 * kernel)
            checks.append(small(f"$<s_+ s_+>$ by quadrature minus $A_2 K_d$, {_shown(slopes)}", rest, 15))
    return Verification("<s_+ s_+> = A_2 K_d, <s_+ s_-> and <s'_+ s'_-> of a scale-invariant phi", tuple(checks))


# ---- the angle of the kernel --------------------------------------------------------------------------


def angle() -> Verification:
    """PDLT.10.90."""
    checks = []
    for slopes in SLOPES:
        mlp = net(slopes)
        law = mlp.angle_law(terms=2)
        monomial, coefficient = law.expansion.leading
        checks += [
            vanishes(f"$C_W A_2 - 1$, so $K_d' = K_d$, {_shown(slopes)}", mlp.layer_data.chi - 1),
            vanishes(f"power of $l$ plus 1, {_shown(slopes)}", monomial.order - 1),
            vanishes(f"coefficient $- 3/rho$, {_shown(slopes)}", coefficient - 3 / rho(slopes), f"psi = {law}"),
            vanishes(
                f"next: coefficient of $log(l)/l^2 + 9/(2 rho)$, {_shown(slopes)}",
                law.expansion.coefficient(2, 1) + 9 / (2 * rho(slopes)),
            ),
            *symbolic_checks(law),
        ]
        checks += angle_floats(law, DEPTH) if slopes != (1, -1) else []
    name = "$1 - cos psi^(l)$, which is $psi^2/2 + O(psi^4)$"
    checks += [row for slopes in SLOPES for row in _gap_by_theorem(slopes, name)]
    return Verification("K_d^(l) = K_d^*, psi^(l) = 3/(rho l) + ...", tuple(checks))


def _theorem(slopes: tuple, law: str, name: str, relation: str, stated) -> tuple[Check, ...]:
    """Of the network with rates C_b = lambda_b, C_W = lambda_W (w = 1), at every fixed psi > 0."""
    same = FeedForward("relu_like", right=slopes[0], left=slopes[1])
    certificate = certified(same, law, 2)
    further = beyond(same, certificate)
    return by_theorem(f"{name}, {_shown(slopes)}", certificate, relation, stated, further=further)


def _gap_by_theorem(slopes: tuple, name: str) -> tuple[Check, ...]:
    """9/(2 rho^2 l^2), which is half the square of 3/(rho l)."""
    return _theorem(slopes, "correlation", name, "~", f"9/(2*({rho(slopes)})^2*l^2)")


def bayesian() -> Verification:
    """PDLT.fn37."""
    checks = []
    for slopes in SLOPES:
        law = net(slopes).correlation_law(terms=1)
        monomial, coefficient = law.expansion.leading
        checks += [
            vanishes(f"power of $L$ plus 2, {_shown(slopes)}", monomial.order - 2),
            vanishes(f"coefficient minus $9/(2 rho^2)$, {_shown(slopes)}", coefficient - 9 / (2 * rho(slopes) ** 2)),
            *_gap_by_theorem(slopes, "$1 - cos psi^(L)$"),
        ]
    return Verification("Theta = K: cos psi^(L) - 1 = O(L^-2)", tuple(checks))


# ---- the angle of the NTK -----------------------------------------------------------------------------


def diagonal() -> Verification:
    """PDLT.10.91: solves 10.88 with chi = 1, from layer 1 on."""
    bias, weight, depth = symbols("lambda_b lambda_W L", positive=True)
    unit = bias + weight * Symbol("A_2K_d", positive=True)
    printed = unit * L / depth
    rates = "unit = lambda_b + lambda_W A_2 K_d"
    derived = MLP("relu", weight_rate=weight, bias_rate=bias, schedule="equivalence").ntk_diagonal_law(variance=1)
    return Verification(
        "Theta_d^(l) = (lambda_b + lambda_W A_2 K_d) l/L",
        (
            vanishes("$Theta(l + 1) - Theta(l) - unit/L$", printed.subs(L, L + 1) - printed - unit / depth, rates),
            vanishes(
                "$Theta$ at $l = 1$ minus $lambda_b/L + (lambda_W/L) x.x/d$", printed.subs(L, 1) - unit / depth, rates
            ),
            vanishes(
                "ReLU, $K_d = 1$: the law minus the printed form at $l = L$", derived.to_sympy() - bias - weight / 2
            ),
        ),
    )


def zeta() -> Verification:
    """PDLT.10.92: the coefficients of 1/l in the recursion, and the limit 1/4 with its correction."""
    share, kink = Symbol("w", positive=True), Symbol("rho", positive=True)
    factor = (1 - kink * 3 / (kink * L)) * L / (L + 1)
    source = (1 - share * Symbol("g") / L**2) / (L + 1)
    checks = [
        vanishes("$(1 - rho psi) l/(l+1) - (1 - 4/l)$, $psi = 3/(rho l)$: order $1/l$", _order_one(factor - 1 + 4 / L)),
        vanishes("$(1 - w gamma)/(l+1) - 1/l$, $gamma = O(1/l^2)$: order $1/l$", _order_one(source - 1 / L)),
    ]
    for slopes in SLOPES:
        for rates in RATES:
            law = net(slopes, rates).zeta_law(terms=2)
            where = f"{_shown(slopes)}, w = {net(slopes, rates).weight_share()}"
            correction = law.expansion.coefficient(1, 1) - Rational(3, 8)
            checks.append(vanishes(f"limit of $cos zeta - 1/4$, {where}", law.limit - Rational(1, 4), f"{law}"))
            checks.append(vanishes(f"coefficient of $log(L)/L - 3/8$, {where}", correction))
        checks += symbolic_checks(net(slopes, RATES[1]).zeta_law(terms=2))
    for slopes in SLOPES:
        checks += _theorem(slopes, "ntk", "$cos zeta$, $w = 1$", "limit", Rational(1, 4))
    for rates in RATES:
        checks += angle_floats(net((1, 0), rates).zeta_law(terms=2), DEPTH)
    return Verification("cos zeta' = (1 - 4/l + ...) cos zeta + 1/l + ..., so cos zeta -> 1/4", tuple(checks))


def _order_one(value):
    """The coefficient of 1/l at large l."""
    x = Symbol("x", positive=True)
    return series(value.subs(L, 1 / x), x, 0, 2).removeO().coeff(x, 1)


def robustness() -> Verification:
    """PDLT.10.94."""
    checks = []
    for slopes in SLOPES[:3]:
        mlp = net(slopes, RATES[1])
        robust, variance = mlp.robustness_law(terms=2), mlp.prediction_variance_law(terms=2)
        checks += [
            vanishes(f"limit of $Theta_-+/Theta_++ - 1 + 3/4$, {_shown(slopes)}", robust.limit + Rational(3, 4)),
            vanishes(f"limit of the variance $- 9 K_d/16$, {_shown(slopes)}", variance.limit - Rational(9, 16)),
        ]
    mlp = net(SLOPES[0], RATES[1])
    robust, variance = mlp.robustness_law(terms=2), mlp.prediction_variance_law(terms=2)
    checks += [*symbolic_checks(robust), *combined_floats(robust, DEPTH), *combined_floats(variance, DEPTH)]
    value = robust.evaluate(depth=10**9, correlation=Rational(1, 10), digits=15)
    checks.append(
        agreement("ReLU: $Theta_-+/Theta_++ - 1$ at depth $10^9$ against -3/4", value, -0.75, 1e-7, f"{robust}")
    )
    for slopes in SLOPES[:3]:
        checks += _theorem(slopes, "ntk", "$Theta_-+/Theta_++$, $w = 1$", "limit", Rational(1, 4))
    return Verification("Theta_-+/Theta_++ - 1 -> -3/4, prediction variance -> 9 K_d/16", tuple(checks))


# ---- deep linear networks -----------------------------------------------------------------------------


def linear() -> Verification:
    """PDLT.10.97: the solution is right, and with the first layer put in nothing is left of the approach to 10.98."""
    bias, weight, depth, kernel = symbols("lambda_b lambda_W L K", positive=True)  # K: A_2 K_d
    unit, step = (bias + weight * kernel) / depth, (bias + weight * kernel * COS) / depth
    first = step  # Theta_{+-}^(1) = lambda_b + lambda_W x_+.x_-/d, and x_+.x_-/d = K_d cos psi/C_W
    printed = step * (L - 1) + first
    ratio, limit = printed / (unit * L), step / unit
    solves = (
        vanishes("10.97 in 10.96", printed.subs(L, L + 1) - printed - step),
        vanishes("10.97 at $l = 1$ minus $Theta_{+-}^(1)$", printed.subs(L, 1) - first),
    )
    left = (ratio - limit).simplify()
    approach = inequality(
        "$cos zeta^(l)$ minus its limit, with $lambda_b + lambda_W x_+.x_-/d$ in layer 1", left, "!= 0",
        "10.98 says that cos zeta^(l) approaches a constant polynomially",
    )  # fmt: skip
    law = MLP("linear", weight_rate=1, bias_rate=2).zeta_law()
    return Verification(
        "deep linear network: 10.97, and cos zeta^(l) asymptotes polynomially to a constant",
        (*solves, approach),
        Verification(
            "10.97, and in every layer cos zeta = (lambda_b + lambda_W A_2 K_d cos psi)/(lambda_b + lambda_W A_2 K_d)",
            (*solves, vanishes("$cos zeta^(l)$ minus this constant", ratio - limit), *exact_numbers(law)),
        ),
    )
