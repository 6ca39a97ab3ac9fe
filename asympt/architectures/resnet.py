"""The residual networks of HDR, y^l = y^(l-1) + F(y^(l-1)), branches alike or falling, and TBG's two-matrix blocks."""

from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp
from sympy import Expr

from asympt.architectures.composition import Preset
from asympt.architectures.fluctuations import ResidualFluctuations
from asympt.architectures.law_parts import read_start, read_variance
from asympt.blocks import LAYER, dense, primitives, residual
from asympt.errors import InputError
from asympt.meanfield.activations import Activation
from asympt.numbers import check_depth, check_digits, exact, is_whole, positive, to_mpf
from asympt.precise.dense import orbit
from asympt.recursions.agreement import agreed


@dataclass(frozen=True, init=False, repr=False)
class ResNet(ResidualFluctuations, Preset):
    """A dense residual network in the NTK parametrisation, at infinite width (HDR eq. 12, Lemma 3).

    y^1 = sigma_w/sqrt(d) w x + sigma_b b,  y^l = y^(l-1) + sigma_w/sqrt(n) w phi(y^(l-1)) + sigma_b b,
    all w, b ~ N(0, 1) and trained.  Depth L means layer L, and K^1 = Sigma^1.

    Parameters: `phi`, a catalogue name or an `Activation`; `sigma_w` > 0 and `sigma_b` >= 0, standard deviations.
    Raises `InputError` for bad values; a law that does not exist raises `UnsupportedError` with the reason.

    >>> net = ResNet("relu", sigma_w=1)
    >>> print(net.ntk_law(terms=2))
    1/12 + log(L)/(8*L) + O(1/L)
    >>> print(net.ntk_diagonal_law())
    L/3 + 2/3
    """

    def __init__(self, phi: str | Activation, sigma_w=1, sigma_b=0, **options):
        drawn = dense(sigma_w, sigma_b)
        self._compose(residual(primitives.activation(phi, **options), drawn), drawn)

    def normalised_limits(self) -> tuple[Expr, Expr]:
        """lim K^L/(q_1 alpha_L), alpha_L = L (1 + sigma_w^2/2)^(L-1) (HDR Theorem 2), for x = x' and for x != x'.

        >>> ResNet("relu", sigma_w=1).normalised_limits()
        (1/3, 1/12)
        """
        self._laws.require_scale_free()
        own = self._laws.composed.form.own
        return own, own / 4


# ---- the scaled residual network of HDR Proposition 3 --------------------------------------------------


@dataclass(frozen=True, init=False, repr=False)
class ScaledResNet(ResidualFluctuations, Preset):
    """y^l = y^(l-1) + l^(-kappa/2) F(y^(l-1)) at infinite width, F a layer of HDR eq. 10 (HDR Proposition 3).

    Parameters: `phi`, a catalogue name or an `Activation`; `sigma_w` > 0 and `sigma_b` >= 0, standard deviations;
    `kappa` > 0 (1 is HDR's; 0 would be a ResNet).  Raises `InputError` for bad values.

    >>> net = ScaledResNet("relu", sigma_w="sqrt(2)")
    >>> print(net.correlation_law(terms=2))
    9*pi^2/(2*log(l)^2) - 9*pi^2*C/log(l)^3 + O(1/log(l)^4)
    >>> print(net.ntk_law(terms=2))
    1/4 + ((2*C - 2*EulerGamma + 1)/8)/log(L) + O(1/log(L)^2)
    >>> print(ScaledResNet("erf", sigma_b=1).correlation_law(terms=2))
    1 - c_* - D/log(l)^p + O(1/sqrt(log(l)))
    >>> print(ScaledResNet("gelu").ntk_law(terms=2))
    log(L)/8 + C/4 + O(1/log(L))
    """

    def __init__(self, phi: str | Activation, sigma_w=1, sigma_b=0, kappa=1, **options):
        node, drawn, power = primitives.activation(phi, **options), dense(sigma_w, sigma_b), exact(kappa, "kappa")
        if not (power.is_number and power > 0):
            raise InputError(f"kappa = {power} is not a positive number; for kappa = 0 take ResNet")
        self._compose(residual(node, drawn, scale=LAYER ** (-power / 2)), drawn)

    @property
    def kappa(self) -> Expr:
        """The variance of the branch of layer l is multiplied by l^(-kappa)."""
        return self.statement.decay


# ---- two-matrix blocks (Tirer, Bruna and Giryes: TBG, [D11]): x' = x + alpha V phi(W x) --------------
#
# TBG: x^(0) = U x/sqrt(d), g^(l+1) = (sigma_w/sqrt(n)) W x^(l),
# x^(l+1) = x^(l) + alpha (sigma_v/sqrt(n)) V phi(g^(l+1)), f = (sigma_w/sqrt(n)) w.x^(L); U, V, W and w are trained.
# With a = alpha^2 sigma_v^2 sigma_w^2
#
#     Sigma^1 = sigma_w^2 x.x'/d,      Sigma^(l+1) = Sigma^l + a T(Sigma^l),
#     K^1 = 2 Sigma^1,                 K^(l+1) = (1 + a T'(Sigma^l)) K^l + 2 a T(Sigma^l):
#
# exactly twice the NTK of `ResNet` with weight variance a, so every law is that one's with r = 2.  L means Sigma^L and
# K^L here, L - 1 blocks; TBG's network of L blocks has the output kernel Sigma^(L+1).


# ---- the NTK, parameter group by parameter group -------------------------------------------------------
#
# With a = alpha^2 sigma_v^2 sigma_w^2, T = E[phi phi], T' = E[phi' phi'] at Sigma^m and B blocks, the squared
# gradient of the output in x^(m) is sigma_w^2 Pi^(m),
#
#     Pi^(B) = 1,        Pi^(m) = Pi^(m+1) (1 + a T'(Sigma^(m+1))),
#
# and the squared gradients in the parameters are
#
#     w   Sigma^(B+1)                  V   a sum_(m=1)^B Pi^(m) T(Sigma^m)
#     U   Pi^(0) Sigma^1               W   a sum_(m=1)^B Pi^(m) Sigma^m T'(Sigma^m)
#
# What follows.  M = U + V + W obeys M' = (1 + a T') M + a T + a Sigma T'; with Sigma' = Sigma + a T the sum
# K = M + Sigma obeys K' = (1 + a T') K + 2 a T, because a Sigma T' cancels.


@dataclass(frozen=True)
class Groups:
    """The four contributions to K, as mpmath numbers."""

    readout: object
    input: object
    outer: object
    inner: object

    @property
    def total(self):
        """K."""
        return self.readout + self.input + self.outer + self.inner


def products(slopes: list, weight) -> list:
    """[Pi^(0), ..., Pi^(B)] from T'(Sigma^1), ..., T'(Sigma^B)."""
    found = [mp.one]
    for slope in reversed(slopes):
        found.append(found[-1] * (1 + weight * slope))
    return found[::-1]


GUARD = 12


@dataclass(frozen=True, init=False, repr=False)
class BlockResNet(Preset):
    """A residual network of two-matrix blocks at infinite width (TBG, [D11]).

    Parameters: `phi`, a catalogue name or an `Activation`; `alpha`, `sigma_w`, `sigma_v` > 0.  Raises `InputError` for
    bad values; a law that does not exist raises `UnsupportedError` with the reason.

    >>> net = BlockResNet("relu", alpha=1, sigma_w=1, sigma_v=1)
    >>> print(net.ntk_law(terms=2))
    1/6 + log(L)/(4*L) + O(1/L)
    """

    alpha: Expr
    sigma_v: Expr

    def __init__(self, phi: str | Activation, alpha=1, sigma_w=1, sigma_v=1, **options):
        scale = positive(alpha, "alpha", "the positive scale of the residual branch")
        weight = positive(sigma_w, "sigma_w", "the standard deviation of the inner weights")
        outer = positive(sigma_v, "sigma_v", "the standard deviation of the outer weights")
        read = dense(weight)
        self._compose(residual(read, primitives.activation(phi, **options), dense(outer), scale=scale), dense(), read)
        object.__setattr__(self, "alpha", scale)
        object.__setattr__(self, "sigma_v", outer)

    def pi(self, block: int, depth: int, correlation=None, gap=None, variance=1, digits: int = 30):
        """Pi^(block) of a network of depth - 1 blocks, 0 <= block < depth: Pi = 1 at the last one (TBG).

        The inputs have correlation c^1 (or gap 1 - c^1) and variance Sigma^1(x, x).  An mpmath number, computed at two
        precisions that must agree.

        >>> print(BlockResNet("relu").pi(0, depth=3, gap=0))
        2.25
        """
        depth = check_depth(depth, followed=True)
        if not is_whole(block, 0, depth - 1):
            raise InputError(f"block = {block} is not one of 0, ..., {depth - 1}; Pi^({depth - 1}) = 1 is the last one")

        def value(start, q):
            slopes = [branch.slope for _, _, branch in orbit(self.statement, depth - 1, start, q)]
            return products(slopes, to_mpf(self.statement.layer.weight_variance))[block]

        return self._certified(value, correlation, gap, variance, digits)

    def groups(self, depth: int, correlation=None, gap=None, variance=1, digits: int = 30) -> Groups:
        """What the readout, U, the V and the W contribute to K^L, L = depth (depth - 1 blocks).

        >>> found = BlockResNet("relu").groups(depth=2, gap=0)
        >>> print(found.readout, found.input, found.outer, found.inner, found.total)
        1.5 1.5 0.5 0.5 4.0
        """
        depth = check_depth(depth, followed=True)

        def value(start, variance) -> tuple:
            *blocks, (last_q, last_gap, _) = orbit(self.statement, depth, start, variance)
            weight = to_mpf(self.statement.layer.weight_variance)
            first, *later = products([branch.slope for _, _, branch in blocks], weight)
            both = list(zip(later, blocks, strict=True))
            outer = sum((p * branch.value for p, (_, _, branch) in both), mp.zero)
            inner = sum((p * q * (1 - gap) * branch.slope for p, (q, gap, branch) in both), mp.zero)
            return last_q * (1 - last_gap), first * variance * (1 - start), weight * outer, weight * inner

        return Groups(*self._certified(value, correlation, gap, variance, digits))

    def _certified(self, value: Callable, correlation, gap, variance, digits: int):
        start, q, digits = read_start(correlation, gap), read_variance(variance), check_digits(digits)

        def at(more: int):
            with mp.workdps(digits + GUARD + more):
                return value(to_mpf(start), to_mpf(q))

        return agreed(lambda extra: [at(extra), at(extra + GUARD)], digits)
