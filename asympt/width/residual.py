"""Residual networks, one input: n Var and n (E - limit) of Q^l, a neuron's variance given all others, and of |y^l|^2/n.

Neurons keep a memory, y^(l+1) = y^l + u^l, so the noise of all layers is that of the same neurons and Q^l is no Markov
chain.  With w_l and b_l the shares of weights and biases of the branch in Q^l, to first order in n^(-1/2),

    dQ/Q <- (1 - w - b + h w) dQ/Q + w eta,   eta = mean over neurons of phi(y)^2/F(Q) - 1,   F(Q) = E phi(y)^2,

and n Cov(eta_k, eta_l) is a mean over two normal variables of correlation c, c^2 = Q_k/Q_l; h = Q F'(Q)/F(Q).  A
neuron whose eta_k moves Q_l is itself one of those that make layer l + 1, and so n E dQ/Q = M has, with H = Q^2 F''/F,

    M <- (1 - w - b + h w) M + w (H V/2 + sum over k < l of (dlog Q_l/deta_k) n Cov(eta_k, Q_l (phi^2)''/(2 F) of y_l))

for V = n Var Q/Q^2.  A norm takes the mean and the square of y out of eta: those parts of phi(y)^2 that are linear
(where it subtracts the mean) and quadratic Hermite polynomials are left out; h is 0, H V/2 becomes -H, and in place of
g'' stands g'' - z g', z = y/sqrt(Q).  For a ReLU-like phi phi^2 is a y^2 + b y|y|, h is 1, H is 0, and

    n Cov(eta_k, eta_l) = 2 h c^2 + (mu - 1) (G(c) - 8 m c/pi),   mu = m_4/m_2^2 of the slopes,
    G(c) = (2/pi) (3 c sqrt(1 - c^2) + (1 + 2 c^2) asin c) = Cov(U|U|, V|V|),
    that with g'': (mu - 1) J(c), J = (2/pi) (c sqrt(1 - c^2) + asin c) = Cov(U|U|, sign V); behind a norm -c C'(c)/2

m being 1 where the norm subtracts the mean, else 0.  In the time log Q its noise is stationary, c = exp(-|t - t'|/2),
and n Var Q/Q^2, and below it M, is

    all branches alike, w = r/(1 + r)   kappa L,  kappa = w^2 sum over m in Z of C((1 + r)^(-|m|/2))
                                        w^2 (mu - 1) sum over m >= 1 of J((1 + r)^(-m/2)) L
    w = r l^(-p)/(1 + r l^(-p))         4 I log Q,  I = int_0^inf C(e^-u) du = 1 + (mu - 1)(2 + log 2); bounded, p > 1
                                        (mu - 1)(1 + 2 log 2) log Q
    behind a norm, branches alike       tends to (mu - 1)(15/8 - 16 m/(3 pi)); bounded for every phi
                                        tends to n Var Q/Q^2 - w^2 C(1) - w H, w being the share of the weights
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from math import isfinite, log1p
from typing import NamedTuple

import numpy as np
from mpmath import mp
from sympy import Expr, Integer, Rational, cancel, log, pi, simplify

from asympt.deadline import check_time
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions.opaque import RealConstant
from asympt.gaussian.moments import check_growth
from asympt.meanfield.layer import LAYER, Layer, at_layer
from asympt.numbers import check_depth, check_digits, symbol_names, to_mpf
from asympt.spelling import named
from asympt.width.classes import BOUNDED, NOTHING, L, NetworkClass, flatness, in_depth
from asympt.width.inputs import FLOAT, KEPT
from asympt.width.rules import FloatNumbers, MpmathNumbers, Rules

QUANTITIES = ("kernel-diagonal", "norm")
PANEL, GUARD = 8, 10  # steps to a panel, for a smooth phi; digits more
WITHOUT = "no law is derived for branches that weigh like this; net.fluctuation has the numbers at any depth"


class BranchNoise(NamedTuple):
    """One layer: the shares w and b, h, H, and what eta is of one neuron, as a function of y/sqrt(scale) ~ N(0, 1)."""

    share: float
    bias: float
    slope: float
    bend: float = 0.0
    eta: Callable | None = None
    scale: float = 1.0


@dataclass(frozen=True)
class ResidualBranch:
    """The branches of a network in LAYER and L; `start`: q_1;  `normed`, `centred`: behind a norm, that takes the mean;
    `block`: the primitives of which random networks are drawn.

    `noise(layer, q)`: the `BranchNoise` that makes `layer`;  `covariance(seen, c)`: n Cov of eta of the layers seen and
    of the last one, c being the correlations of their neurons, and for M with g'' in the place of the last eta;
    `is_alike`: whether all branches are, `settled()`: where n Var Q/Q^2 and M then settle behind a norm.
    """

    weight: Expr
    start: Expr
    normed: bool = False
    centred: bool = False
    block: object = field(default=None, kw_only=True, compare=False)

    @property
    def symbols(self) -> set:
        """Symbols for which numbers are missing."""
        return self.weight.free_symbols - {LAYER, L}

    def variance(self, of: str, depth: int, digits: int = FLOAT) -> float:
        """n Var of a quantity at a depth, to leading order."""
        return self._times(self.limit(of, depth), "variance", of, depth, digits)

    def shift(self, of: str, depth: int, digits: int = FLOAT) -> float:
        """n (E - limit) of a quantity at a depth, to leading order."""
        return self._times(1.0, "mean", of, depth, digits)

    def limit(self, of: str, depth: int) -> float:
        """Q at infinite width, which |y|^2/n has too."""
        with np.errstate(over="ignore"):
            return float(self.start) * float(np.exp(self._at(check_depth(depth, followed=True))[2]))

    def _times(self, unit: float, what: str, of: str, depth: int, digits: int) -> float:
        found = self.share(what, of, depth, digits) * self.limit(of, depth) * unit
        if not isfinite(found):
            raise PrecisionError(f"at depth {depth} the {of} is beyond float64; use fluctuation_law().evaluate(depth)")
        return found

    def share(self, what: str, of: str, depth: int, digits: int = FLOAT) -> float:
        """n Var/limit^2 ('variance') or n (E/limit - 1)."""
        of, depth = named(of, QUANTITIES, "of"), check_depth(depth, followed=True)
        if check_digits(digits) > FLOAT:
            raise InputError(f"digits = {digits}: residual networks are followed in float64; ask for {FLOAT} at most")
        own, crossed, _, shift = self._at(depth)
        if what != "variance":
            return shift
        return own if of == "kernel-diagonal" else own + crossed + 2

    def _at(self, depth: int) -> tuple:
        self.require_numbers()
        return _followed(replace(self, weight=self.weight.subs(L, depth))).at(depth)

    def require_numbers(self) -> None:
        """`UnsupportedError` for symbols."""
        if self.symbols:
            raise UnsupportedError(f"the network depends on {symbol_names(self.symbols)}; give numbers")


@dataclass(frozen=True)
class ReluLikeBranch(ResidualBranch):
    """`weight`: w_l;  `mu`.

    >>> round(ReluLikeBranch(Rational(1, 3), Integer(1), mu=Integer(2)).variance("norm", 8), 7)
    5808.3815328
    """

    mu: Expr = field(kw_only=True)

    def noise(self, layer: int, q: float) -> BranchNoise:
        return BranchNoise(float(at_layer(self.weight, layer)), 0.0, float(not self.normed))

    def covariance(self, seen: list, c: np.ndarray) -> tuple:
        (odd, turned), line, more = _odd_parts(c, FloatNumbers()), self.centred * 8 / np.pi * c, float(self.mu - 1)
        if self.normed:  # c G'(c) = 2 (G(c) - J(c))
            return more * (odd - line), more * (turned - odd + line / 2)
        return 2 * c * c + more * odd, more * turned

    @property
    def is_alike(self) -> bool:
        return cancel(1 / self.weight).diff(LAYER) == 1  # w = v/(q_1 + (l - 1) v)

    def settled(self) -> tuple[Expr, Expr]:
        lines = int(self.centred) / (3 * pi)
        return (self.mu - 1) * (Rational(15, 8) - 16 * lines), (self.mu - 1) * (8 * lines - Rational(9, 8))


def _odd_parts(c, numbers) -> tuple:
    """G(c) and J(c)."""
    root = numbers.sqrt(1 - c * c)
    line, angle = 2 / numbers.pi * c * root, 2 / numbers.pi * numbers.angle(c, root)
    return 3 * line + (1 + 2 * c * c) * angle, line + angle


@dataclass(frozen=True)
class AnyBranch(ResidualBranch):
    """`weight`: the square of the branch's factor;  `layer`: phi, sigma_w^2, sigma_b^2;  `arithmetic`: that of means.

    >>> from asympt import FeedForward
    >>> branch = AnyBranch(Integer(1), Integer(1), layer=FeedForward("tanh", sigma_w=1).layer)
    >>> round(branch.variance("kernel-diagonal", 8), 9)  # 3.98(3) in random networks
    3.974852593
    """

    layer: Layer = field(kw_only=True)
    arithmetic: type = field(default=FloatNumbers, kw_only=True)

    @property
    def symbols(self) -> set:
        return super().symbols | self.layer.parameters

    @cached_property
    def rules(self) -> Rules:
        return Rules(self.layer.activation.piecewise, self.arithmetic())

    def noise(self, layer: int, q) -> BranchNoise:
        number, phi = self.rules.arithmetic.number, self.rules.functions[0]
        weight, scale = number(at_layer(self.weight, layer)), number(1.0) if self.normed else q
        gain, bias = (weight * number(part) for part in (self.layer.weight_variance, self.layer.bias_variance))
        check_growth(self.rules.activation.square().square(), mp.mpf(scale))
        (z, weights), root = self.rules.line(scale), scale**0.5
        square = z * z
        hermite = np.stack([1 + 0 * z, z, (square - 1) / 2, (square * square - 6 * square + 3) / 4])
        mean, line, curve, bend = hermite @ (phi(root * z) ** 2 * weights)
        odd, even, after = self.centred * line / mean, self.normed * curve / mean, q + gain * mean + bias

        def eta(z):
            return phi(root * z) ** 2 / mean - 1 - odd * z - even * (z * z - 1)

        return BranchNoise(gain * mean / after, bias / after, (not self.normed) * curve / mean, bend / mean, eta, scale)

    def covariance(self, seen: list, c: np.ndarray) -> tuple:
        last, found = seen[-1], []
        for one, at in zip(seen[:-1], c[:-1], strict=True):
            check_time()
            z, w, weights = self.rules.pair(one.scale, last.scale, at)
            rest, seen_last = 1 - at * at, last.eta(w) * weights
            x = w - at * z[:, None]  # derivatives of phi^2 given z, by parts
            turned = (x * x / rest - 1) / rest - self.normed * (x * w / rest - 1)
            found.append([one.eta(z) @ part.sum(axis=1) for part in (seen_last, seen_last * turned / 2)])
        z, weights = self.rules.line(last.scale)
        return tuple(np.array([*found, [last.eta(z) ** 2 @ weights, 0.0]]).T)

    @property
    def is_alike(self) -> bool:
        return not self.weight.free_symbols & {LAYER, L}

    def settled(self) -> tuple[Expr, Expr]:
        """2 (w/(w + b))^2 E[eta u], (N + 2) u = eta, N He_k = k He_k: 2 int t Cov(eta(U), eta(V)) dt, correlations t.

        u(y) = h(y) E[h(-z) eta(z); z < y] + h(-y) E[h(z) eta(z); z > y], h(z) = 1 - z Phi(-z)/Phi'(z).
        """

        def digits(of_mean: bool = False):
            with mp.workdps(mp.dps + GUARD):
                precise = replace(self, arithmetic=MpmathNumbers)
                noise, rules = precise.noise(2, mp.one), precise.rules
                fine = rules._fine(mp.one)
                grid = np.arange(-fine.reach, fine.reach + 1, fine.length * (0.5 if len(fine.cuts) else PANEL))
                up_to = _up_to(rules.legendre[0])
                z, weights = (part.reshape(-1, len(up_to)) for part in rules._panels(rules.array(grid), fine.cuts))
                h = np.frompyfunc(lambda x: mp.npdf(x) - x * mp.ncdf(-x), 1, 1)
                below, above = (noise.eta(z) * weights * h(sign * z) for sign in (-1, 1))
                whole = below.sum(axis=1)
                found = (above * ((np.cumsum(whole) - whole)[:, None] + below @ up_to.T)).sum()
                share = noise.share / (noise.share + noise.bias)
                square = precise.covariance([noise], [mp.one])[0][0] * share + noise.bend
                return 4 * share**2 * found - of_mean * share * square

        key = "residual, order 1/n", self.layer.activation.piecewise, self.weight, self.layer, self.centred
        names = {"V_q": digits, "M_q": partial(digits, True)}
        return tuple(RealConstant(name, of, key=(name, *key), latex=name) for name, of in names.items())


def _up_to(nodes):
    """[i, j]: the share of node j that is in the integral from -1 to node i, of a polynomial through the nodes."""
    legendre = [1 + 0 * nodes, nodes]
    for k in range(1, len(nodes)):
        legendre.append(((2 * k + 1) * nodes * legendre[k] - k * legendre[k - 1]) / (k + 1))
    parts = (np.outer(legendre[k + 1] - legendre[k - 1], legendre[k]) for k in range(1, len(nodes)))
    return (sum(parts) + 1 + nodes[:, None]) / 2


class FollowedBranch:
    """The layers of one network, kept as far as they were asked for: O(L^2) for L of them."""

    def __init__(self, branch: ResidualBranch):
        self.branch, self.seen = branch, []
        self.noise = self.alike = np.zeros(0)  # how eta_k of every layer so far moves Q; Q_k/Q_l
        self.found = [(0.0, 0.0, 0.0, 0.0)]  # n Var Q/Q^2, 2 n Cov(Q, |y|^2/n)/Q^2, log Q/q, M

    def at(self, depth: int) -> tuple:
        """Layer `depth`."""
        for layer in range(len(self.found) + 1, depth + 1):
            check_time()
            self.found.append(self._next(layer))
        return self.found[depth - 1]

    def _next(self, layer: int) -> tuple:
        before, _, grown, shift = self.found[-1]
        now = self.branch.noise(layer, float(self.branch.start) * float(np.exp(grown)))
        self.seen.append(now)
        if not now.share + now.bias < 1:
            raise PrecisionError(f"layer {layer} has 10^15 times the variance of the layer below; take fewer layers")
        w, carried, alike = now.share, 1 - now.bias - now.share * (1 - now.slope), np.append(self.alike, 1.0)
        noise, turned = self.branch.covariance(self.seen, np.sqrt(alike))
        bent = -now.bend if self.branch.normed else now.bend * before / 2
        shift = carried * shift + w * (bent + self.noise @ turned[:-1])
        moved = carried * self.noise
        variance = carried**2 * before + 2 * w * (moved @ noise[:-1]) + w * w * noise[-1]
        self.noise, self.alike = np.append(moved, w), alike * (1 - w - now.bias)
        crossed = 4 * float(self.noise * [one.slope for one in self.seen] @ self.alike)
        return float(variance), crossed, float(grown - log1p(-w - now.bias)), float(shift)


_followed = lru_cache(maxsize=KEPT)(FollowedBranch)


# ---- laws ----------------------------------------------------------------------------------------


def class_of_branch(branch: ResidualBranch, slopes: tuple | None = None) -> NetworkClass:
    """That of a residual network; `slopes`: those of phi at +-oo, where it has some and y grows."""
    if isinstance(branch, AnyBranch):
        branch.require_numbers()
    without = partial(_of_lines, slopes=slopes) if slopes else _growing
    found = (_behind_norm if branch.normed else without)(branch)
    return NetworkClass("", {of: found.get(of, (WITHOUT, WITHOUT)) for of in QUANTITIES})


def _of_lines(branch: AnyBranch, slopes: tuple) -> dict:
    """y grows so far that phi is its lines at +-oo: the leading terms."""
    if not any(slopes):
        return {}
    ratio = branch.weight * branch.layer.weight_variance * sum(a**2 for a in slopes) / 2
    lines = ReluLikeBranch(ratio / (1 + ratio), branch.start, mu=flatness(slopes))
    laws = _growing(lines).items()
    return {of: tuple(law.truncate(1) if law.terms else BOUNDED for law in both) for of, both in laws}


def _behind_norm(branch: ResidualBranch) -> dict:
    """The limits of Q, branches being alike; a neuron's own variance is 2 beside that of Q."""
    if not branch.is_alike:
        return {}
    settled, mean = branch.settled()
    values, rest = (settled, settled + 2), (1, 0) if settled else None
    shift = in_depth({(0, 0): mean}, (1, 1)) if settled else NOTHING
    return {of: (in_depth({(0, 0): value}, rest), shift) for of, value in zip(QUANTITIES, values, strict=True)}


def _growing(branch: ReluLikeBranch) -> dict:
    mu, ratio = branch.mu, simplify(branch.weight / (1 - branch.weight))
    if not ratio.free_symbols & {LAYER, L}:
        branch.require_numbers()
        return _alike(ratio, mu)
    factor, rest = ratio.as_independent(LAYER)
    base, power = rest.as_base_exp()
    if not (base - LAYER).is_number or not power.is_number or L in factor.free_symbols or not power < 0:
        return {}
    rate, drift = 4 * factor * (1 + (mu - 1) * (2 + log(2))), factor * (mu - 1) * (1 + 2 * log(2))
    if power < -1:
        grown, rest = {}, (0, 0)
    elif power == -1:
        grown, rest = {(0, 1): 1}, (0, 0)
    else:  # log Q is r L^(1 - p)/(1 - p) up to the sum of r^2 l^(-2p)
        grown = {(-1 - power, 0): 1 / (1 + power)}
        rest = min(-1 - 2 * power, Integer(0)), int(power == -Rational(1, 2))
    laws = (in_depth({at: r * share for at, share in grown.items()}, rest if r else None) for r in (rate, drift))
    return dict.fromkeys(QUANTITIES, tuple(laws))


def _alike(r: Expr, mu: Expr) -> dict:
    """kappa L - kappa - kappa_1, the terms left out being sums from lag L on; |y|^2/n has 2 + 4/(1 + r) beside it."""
    w = r / (1 + r)
    known = w**2 * (3 * mu - 1 + 4 / r), 4 / (1 + r)
    (kappa, edge), (drift, start) = (
        [_over_lags(name + "_1" * power, r, known[power] * (1 - part), w**2 * (mu - 1) * (2 - part), power, part)
         for power in (0, 1)] for part, name in enumerate(("kappa", "delta"))
    )  # fmt: skip
    shift = in_depth({(-1, 0): drift, (0, 0): -drift - start}, (1, 0)) if drift else NOTHING
    beside = {"kernel-diagonal": 0, "norm": 2 + 4 / (1 + r)}
    return {of: (in_depth({(-1, 0): kappa, (0, 0): more - kappa - edge}, (1, 0)), shift) for of, more in beside.items()}


def _over_lags(name: str, r: Expr, known: Expr, factor: Expr, power: int, part: int) -> Expr:
    """known + factor sum over m >= 1 of m^power G((1 + r)^(-m/2)), or of J (`part` 1)."""
    if not factor:
        return known

    def digits():
        numbers, step, total, term, m = MpmathNumbers(), 1 / mp.sqrt(1 + to_mpf(r)), mp.zero, mp.one, 0
        while term > mp.eps * total:
            check_time()
            m += 1
            term = m**power * _odd_parts(step**m, numbers)[part]
            total += term
        return to_mpf(known) + to_mpf(factor) * total

    return RealConstant(name, digits, key=("residual, order 1/n", name, r, factor), latex="\\" + name)
