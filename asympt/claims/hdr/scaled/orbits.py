"""Decisions on HDR Appendix Lemma 8 and on what the proof of Proposition 3 says of the correlation.

The map, the leading term and the slope f'(c^l) are right.  The second term of 1 - c^l is -72 pi^2 C/(sigma_w^6 log^3),
C the connection constant: T(1 - c^l) = (sigma_w^2/2) log l + C.  C is positive for small sigma_w, but wide branches
make c^l start fast, and C becomes negative: 'zeta > 0' fails.
"""

from mpmath import mp, mpf, nstr
from sympy import Rational, Symbol, pi, sqrt

from asympt.architectures import FeedForward
from asympt.architectures.resnet import ScaledResNet
from asympt.claims.forms import agreement, at_most, vanishes
from asympt.evidence.check import Check, Verification
from asympt.evidence.flow_time import symbolic_checks
from asympt.meanfield.statement import LAYER
from asympt.numbers import to_mpf

SIGMA = Symbol("sigma_w", positive=True)
START, SECOND = Rational(1, 10), Rational(-1, 2)  # c^1
WIDE = 40  # sigma_w^2 for which zeta is negative
DIGITS = 10
NEAR, FAR = 10**50, 10**100


def network(weight_variance=2) -> ScaledResNet:
    """ReLU, branches scaled by 1/sqrt(l)."""
    return ScaledResNet("relu", sigma_w=sqrt(weight_variance))


# ---- the map --------------------------------------------------------------------------------------


def correlation_map() -> Verification:
    """HDR.AL8.map: the weights of c and f(c), and gamma^(-1/2) ~ (s sigma_w^2/4) log l."""
    statement = ScaledResNet("relu", sigma_w=SIGMA).statement
    alpha = SIGMA**2 / (2 * LAYER)
    lead = ScaledResNet("relu", sigma_w=SIGMA).correlation_law(terms=1).expansion.leading[1]
    s = 2 * sqrt(2) / (3 * pi)
    checks = (
        vanishes("share of $f(c^(l-1))$ minus $alpha_l/(1 + alpha_l)$", statement.branch_share - alpha / (1 + alpha)),
        vanishes("share of $c^(l-1)$ minus $1/(1 + alpha_l)$", 1 / statement.growth - 1 / (1 + alpha)),
        _one_layer(),
        vanishes("coefficient of $log l$ in $gamma^(-1/2)$ minus $s sigma_w^2/4$", 1 / sqrt(lead) - s * SIGMA**2 / 4),
        agreement(
            "growth of $gamma^(-1/2)$ per unit of $log l$, $l = 10^50$ to $10^100$, against $s sigma_w^2/4$",
            _pace(),
            to_mpf(s) / 2,
            1e-3,
            "sigma_w^2 = 2, c^1 = 1/10",
        ),
    )
    return Verification("c^l mixes c^(l-1) and f(c^(l-1)) with the weights of the variances", checks)


def _one_layer() -> Check:
    """Covariances of layer 2 by their definition, s + sigma_w^2 E[phi phi]/2, with E by the plain network's layer."""
    with mp.workdps(20):
        plain = FeedForward("relu", sigma_w=sqrt(2)).correlation_map  # 2 E[phi phi]/q, at q = 1
        c = to_mpf(START)
        branch = to_mpf(network().statement.layer.chi) / 2
        found = (c + branch * (1 - plain.gap(1 - c))) / (1 + branch)
        stated = 1 - network().correlation_law().evaluate(depth=2, correlation=START, digits=15)
    return agreement("$c^2$ by the covariances of layer 2 against the law's", stated, found, 1e-14, "c^1 = 1/10")


def _pace():
    law = network().correlation_law()
    near, far = (1 / mp.sqrt(law.evaluate(depth=d, correlation=START, digits=DIGITS)) for d in (NEAR, FAR))
    return (far - near) / (mp.log(FAR) - mp.log(NEAR))


# ---- Appendix Lemma 8 -----------------------------------------------------------------------------


def lemma() -> Verification:
    """HDR.AL8: zeta has the sign of C, which the start and sigma_w decide."""
    return Verification("1 - c^l = kappa/log(l)^2 - zeta/log(l)^3 with kappa, zeta > 0", (), _corrected())


def _corrected() -> Verification:
    law = network().correlation_law(terms=4)
    symbolic = ScaledResNet("relu", sigma_w=SIGMA).correlation_law(terms=2)
    c = next(iter(symbolic.expansion.coefficient(3).free_symbols - {SIGMA}))
    checks = [
        vanishes("coefficient of $log(l)^(-3)$ plus $72 pi^2 C/sigma_w^6$",
                 symbolic.expansion.coefficient(3) + 72 * pi**2 * c / SIGMA**6),
        *symbolic_checks(law),
        _second_term(WIDE), _second_term(2),
    ]
    return Verification("1 - c^l = 18 pi^2/(sigma_w^4 log(l)^2) - 72 pi^2 C/(sigma_w^6 log(l)^3) + O(log(l)^(-4)), "
                        "C of either sign", tuple(checks))


def _second_term(weight_variance: int) -> Check:
    """(lead/gamma)^(1/2) - log l tends to C/alpha, whatever its sign."""
    law, alpha = network(weight_variance).correlation_law(), mpf(weight_variance) / 2
    constant = law.connection_constant(correlation=START, digits=DIGITS)
    with mp.workdps(20):
        gap = law.evaluate(depth=FAR, correlation=START, digits=DIGITS + 3)
        found = 3 * mp.pi / mp.sqrt(2 * gap) - alpha * mp.log(FAR)
        size = mpf(10) * mp.pi**2 / (alpha * mp.log(FAR))  # the next term, T_1 t with T_1 = 3 sqrt(2) pi/40
        figure = abs(found - constant) / size
    name = "what $3 pi/sqrt(2 gamma) - (sigma_w^2/2) log l$ differs from $C$ at $l = 10^100$, "
    name += f"$sigma_w^2 = {weight_variance}$"
    return at_most(
        f"{name}, in units of $10 pi^2/(alpha log l)$", figure, 1.0, f"{nstr(found, 8)} against C = {nstr(constant, 8)}"
    )


# ---- the slope ------------------------------------------------------------------------------------


def slope() -> Verification:
    """HDR.P3.fp: f'(c^l) = 1 - (6/sigma_w^2)/log l + zeta'/log(l)^2 + ..., and what follows for 1 + Sigma-dot."""
    law = network().correlation_law()
    root = ScaledResNet("relu", sigma_w=SIGMA).correlation_law(terms=2).expansion.power(Rational(1, 2))
    lead = root.leading[1] * sqrt(2) / pi  # 1 - f' = (sqrt(2)/pi) t + O(t^3)
    with mp.workdps(25):
        second = [_second_of_slope(law, depth) for depth in (NEAR, FAR)]
        limit = 3 * law.connection_constant(correlation=START, digits=DIGITS)
        left = [abs(one - limit) * mp.log(depth) for one, depth in zip(second, (NEAR, FAR), strict=True)]
    checks = (
        vanishes("$sigma_w^2/(2 l)$ times it minus $3/l$", SIGMA**2 / (2 * LAYER) * lead - 3 / LAYER),
        agreement("$log(l)^2 (f'(c^l) - 1 + 3/log l)$, $l = 10^50$ and $10^100$ extrapolated, against $zeta' = 3 C$",
              2 * second[1] - second[0], limit, 0.03, "sigma_w^2 = 2, c^1 = 1/10"),
        at_most(
            "what it differs from $zeta'$, times $log l$: growth from $l = 10^50$ to $10^100$", left[1] / left[0], 1.2,
            "bounded, as O(log(l)^(-3)) says", digits=4
        ),
    )
    return Verification("f'(c^l) = 1 - (6/sigma_w^2)/log l + zeta'/log(l)^2 + O(log(l)^(-3))", checks)


def _second_of_slope(law, depth: int):
    """log(l)^2 (f'(c^l) - 1 + 3/log l), sigma_w^2 = 2."""
    gap, log = law.evaluate(depth=depth, correlation=START, digits=20), mp.log(depth)
    return log**2 * (network().correlation_map.gap_slope(gap) - 1 + 3 / log)
