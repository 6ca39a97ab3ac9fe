"""Decisions on HDR Proposition 3: the NTK of the scaled ReLU ResNet.

The weights of the branch are multiplied by 1/sqrt(l), so what they contribute to the NTK is multiplied by 1/l, as is
what the branch contributes to the variance.  The proof leaves that factor out.  With it, alpha = sigma_w^2/2,

    K^l = K^(l-1) (1 + alpha_l f') + alpha_l Sigma^(l-1) f,      alpha_l = alpha/l,
    K^L(x, x)/q_L = 1 + alpha (psi(L+1+alpha) - psi(2+alpha)) ~ alpha log L,

so the normaliser is L^alpha log L, not L^(1+alpha).  Off the diagonal K^L/K^L(x, x) tends to 1/4, from above, at the
rate 1/log L: the coefficient (C - s_0)/(4 alpha) is positive, because T(gamma_l) grows by more than delta_l a layer,
so that C - s_0 > T(gamma_1) - 1 >= T(2) - 1 > 0.
"""

from mpmath import mp, mpf, nstr
from sympy import Rational, gamma, gammasimp, sqrt, symbols

from asympt.architectures.resnet import ScaledResNet
from asympt.claims.forms import agreement, identity, inequality, vanishes
from asympt.claims.hdr.scaled.orbits import DIGITS, FAR, NEAR, SECOND, SIGMA, START, network
from asympt.evidence.check import Check, Verification
from asympt.evidence.flow_time import ScaledFlow
from asympt.evidence.sums import symbolic_checks
from asympt.meanfield.statement import LAYER, at_layer
from asympt.numbers import to_mpf

ALPHA = SIGMA**2 / 2
WIDTH = 4  # of the layer whose gradient is written out
DEEP = 10**12


def _diagonal(depth: int, weight_variance=2):
    """K^L(x, x)/q_L."""
    return network(weight_variance).ntk_diagonal_law().evaluate(depth=depth, digits=DIGITS)


def _ratio(depth: int, start=START):
    """K^L(x, x')/K^L(x, x)."""
    return network().ntk_law().evaluate(depth=depth, correlation=start, digits=DIGITS)


# ---- the variance ---------------------------------------------------------------------------------


def product() -> Verification:
    """HDR.P3.prod: the variance has the product from k = 2."""
    return Verification("the product is ~ l^(sigma_w^2/2), and the variance is this product times that of layer 1",
                        (), _corrected_product())


def _corrected_product() -> Verification:
    growth = gamma(LAYER + 1 + ALPHA) / (gamma(LAYER + 1) * gamma(2 + ALPHA))
    law = network(1).variance_law()
    alpha = mpf(1) / 2
    with mp.workdps(20):
        found = law.evaluate(depth=DEEP, variance=1, digits=15) / mpf(DEEP) ** alpha
    checks = (
        vanishes(
            "$q_l/q_(l-1)$ of the $Gamma$ functions minus $1 + sigma_w^2/(2 l)$",
            gammasimp(growth / growth.subs(LAYER, LAYER - 1)) - 1 - ALPHA / LAYER,
        ),
        vanishes("the $Gamma$ functions in layer 1, minus 1", growth.subs(LAYER, 1) - 1),
        *symbolic_checks(law),
        agreement(
            "$q_l l^(-sigma_w^2/2)/q_1$ at $l = 10^12$, $sigma_w^2 = 1$, against $1/Gamma(2 + sigma_w^2/2)$",
            found,
            mp.rgamma(2 + alpha),
            1e-11,
        ),
    )
    return Verification("Sigma^l = Sigma^1 prod_(k=2)^l (1 + sigma_w^2/(2k)) ~ Sigma^1 l^(sigma_w^2/2)/"
                        "Gamma(2 + sigma_w^2/2)", checks)


# ---- the recursion --------------------------------------------------------------------------------


def recursion() -> Verification:
    """HDR.P3.rec: the weights of layer l add Sigma^l - Sigma^(l-1) to the NTK, not Sigma^l."""
    return Verification("K^l(x,x) = K^(l-1)(x,x) (1 + sigma_w^2/(2l)) + Sigma^l(x,x)", (), _corrected_recursion())


def _gradient_share():
    """The sum over weights of (dy/dw)^2 for y = l^(-1/2) sigma_w/sqrt(n) sum w_j phi_j, with sum phi_j^2 = n/2."""
    features, weights = symbols(f"phi_1:{WIDTH + 1}"), symbols(f"w_1:{WIDTH + 1}")
    branch = SIGMA / sqrt(LAYER * WIDTH) * sum(w * phi for w, phi in zip(weights, features, strict=True))
    total = sum(branch.diff(w) ** 2 for w in weights).expand()
    squares = sum(phi**2 for phi in features)
    share = (total / squares).simplify()  # sigma_w^2/(l n): the squares enter with one weight each
    return share * WIDTH / 2


def _corrected_recursion() -> Verification:
    statement = ScaledResNet("relu", sigma_w=SIGMA).statement
    alpha_l = ALPHA / LAYER
    checks = (
        vanishes("what the weights of layer $l$ add, in units of $Sigma^(l-1)$, minus $sigma_w^2/(2l)$",
                 _gradient_share() - alpha_l),
        vanishes("$lambda_W$ of the recursion used here minus $sigma_w^2/l$", statement.weight_rate - SIGMA**2 / LAYER),
        *symbolic_checks(network().ntk_diagonal_law()),
    )
    return Verification("K^l(x,x) = K^(l-1)(x,x) (1 + sigma_w^2/(2l)) + (sigma_w^2/(2l)) Sigma^(l-1)(x,x)", checks)


# ---- the normaliser and the limit -----------------------------------------------------------------


def normaliser() -> Verification:
    """HDR.P3.alpha: the normaliser has log L in the place of L."""
    return Verification("alpha_L = L^(1+sigma_w^2/2)", (), _corrected_normaliser())


def _corrected_normaliser() -> Verification:
    checks = list(symbolic_checks(network().ntk_diagonal_law()))
    for weight_variance in (2, 1):
        alpha = mpf(weight_variance) / 2
        found = _diagonal(FAR, weight_variance) - _diagonal(NEAR, weight_variance)
        name = "growth of $K^L(x,x)/q_L$ from $L = 10^50$ to $10^100$ over $log 10^50$, "
        name += f"$sigma_w^2 = {weight_variance}$, against $sigma_w^2/2$"
        checks.append(agreement(name, found / mp.log(10**50), alpha, 1e-9))
    return Verification("K^L(x,x)/(q_1 L^(sigma_w^2/2) log L) tends to (sigma_w^2/2)/Gamma(2 + sigma_w^2/2)",
                        tuple(checks))


def rate() -> Verification:
    """HDR.P3.rate: log L (K^L/K^L(x,x) - 1/4) tends to a positive constant, for the normaliser with a limit."""
    law = network().ntk_law(terms=2)
    checks = [_least_time()]
    for start in (START, SECOND):
        limit = (law.connection_constant(correlation=start, digits=DIGITS) - to_mpf(law.coordinate.diagonal)) / 4
        found = [(_ratio(d, start) - mpf(1) / 4) * mp.log(d) for d in (NEAR, FAR)]
        extrapolated = 2 * found[1] - found[0]  # what is left falls like 1/log L
        name = (
            f"$log L (K^L(x,x')/K^L(x,x) - 1/4)$ from $L = 10^50$ and $10^100$ against $(C - s_0)/4$, $c^1 = {start}$"
        )
        checks.append(agreement(name, extrapolated, limit, 0.02, f"at L = 10^100 {nstr(found[1], 6)}"))
    subject = "with the normaliser K^L(x,x) ~ L^(sigma_w^2/2) log L the NTK converges at the exact rate 1/log L"
    return Verification(subject, tuple(checks))


def _least_time() -> Check:
    """T(2) - 1 > 0: the coefficient of 1/log L is positive for every start."""
    with mp.workdps(20):
        least = ScaledFlow(network().statement).time(mpf(2)) - 1
    return inequality(
        "$T(2) - 1$, a lower bound of $C - s_0$ for every $c^1$", least, "> 0",
        "T is convex in gamma, so a layer adds at least delta_l to it", digits=8
    )


def limit() -> Verification:
    """HDR.P3.limit: off the diagonal the limit is 1/4 of the diagonal's, not equal to it."""
    return Verification("the normalised NTK tends to q U, U all ones", (), _corrected_limit())


def _corrected_limit() -> Verification:
    leads = [ScaledResNet(phi, sigma_w=SIGMA).ntk_law(terms=1).expansion.leading[1] for phi in ("relu", "abs")]
    checks = [identity(f"limit of $K^L(x,x')/K^L(x,x)$ minus 1/4, {phi}", lead - Rational(1, 4))
              for phi, lead in zip(("ReLU", "|x|"), leads, strict=True)]
    for start in (START, SECOND):
        numbers = [(_ratio(d, start), mp.log(d)) for d in (NEAR, FAR)]
        extrapolated = 2 * numbers[1][0] - numbers[0][0]
        checks.append(agreement(
            f"$K^L(x,x')/K^L(x,x)$, $L = 10^50$ and $10^100$ extrapolated in $1/log L$, $c^1 = {start}$, against 1/4",
            extrapolated, mpf(1) / 4, 6e-3, "the next term is of the size 1/log(L)^2"
        ))
    return Verification("the normalised NTK tends to q (3/4 I + 1/4 U)", tuple(checks))


# ---- the recursion of the proof -------------------------------------------------------------------


def multiplier() -> Verification:
    """HDR.P3.lambda: lambda_l has no -1/l, b_l is q sigma_w^2/(2l), and a_l/l tends to 0."""
    return Verification("lambda_l = 1 - 1/l - 3/(l log l) + O(1/(l log(l)^2)), b_l = q + O(log(l)^(-2)), a_l/l -> q",
                        (), _corrected_multiplier())


def _shares(depth: int):
    """l (1 - lambda_l), lambda_l = (1 + alpha_l f'(c^(l-1)))/(1 + alpha_l), sigma_w^2 = 2."""
    with mp.workdps(30):
        gap = network().correlation_law().evaluate(depth=depth - 1, correlation=START, digits=15)
        share = at_layer(network().statement.branch_share, depth)
        return depth * share * (1 - network().correlation_map.gap_slope(gap))


def _corrected_multiplier() -> Verification:
    with mp.workdps(30):
        logs = [mp.log(depth) for depth in (NEAR, FAR)]
        rest = [(_shares(d) - 3 / log) * log**2 for d, log in zip((NEAR, FAR), logs, strict=True)]
        stated = -3 * network().correlation_law().connection_constant(correlation=START, digits=DIGITS)
        found = 2 * rest[1] - rest[0]
    checks = (
        agreement(
            "$log(l)^2 (l (1 - lambda_l) - 3/log l)$, $l = 10^50$ and $10^100$ extrapolated, against $-3 C$",
            found,
            stated,
            0.03,
            "sigma_w^2 = 2, c^1 = 1/10",
        ),
        vanishes(
            "what the weights of layer $l$ add in units of $Sigma^(l-1)$, minus $sigma_w^2/(2l)$",
            _gradient_share() - ALPHA / LAYER,
        ),
        *rate().checks,
    )
    subject = ("lambda_l = 1 - 3/(l log l) + O(1/(l log(l)^2)), b_l = q (sigma_w^2/(2l)) (1 + O(log(l)^(-2))), "
               "a_l ~ q (sigma_w^2/8) log l")
    return Verification(subject, checks)
