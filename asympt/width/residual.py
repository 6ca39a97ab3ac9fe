"""Residual networks of a ReLU-like phi, one input: n Var of Q^l, a neuron's variance given all others, and |y^l|^2/n.

Neurons keep a memory, y^(l+1) = y^l + u^l, so the noise of all layers is that of the same neurons and Q^l is no Markov
chain.  With w_l the share of the branch in Q^l, to first order in n^(-1/2),

    dQ/Q <- (1 - w + h w) dQ/Q + w eta,   n Cov(eta_k, eta_l) = 2 h c^2 + (mu - 1) (G(c) - 8 m c/pi),   c^2 = Q_k/Q_l,
    G(c) = (2/pi) (3 c sqrt(1 - c^2) + (1 + 2 c^2) asin c) = Cov(U|U|, V|V|),   mu = m_4/m_2^2 of the slopes,

because phi^2 is a y^2 + b y|y|; h is 1, but 0 behind a norm, which divides y^2 out, and m is 1 where the norm subtracts
the mean, else 0.  In the time log Q the noise is stationary, c = exp(-|t - t'|/2), and n Var Q/Q^2 is

    all branches alike, w = r/(1 + r)   kappa L,  kappa = w^2 sum over m in Z of C((1 + r)^(-|m|/2))
    w = r l^(-p)/(1 + r l^(-p))         4 I log Q,  I = int_0^inf C(e^-u) du = 1 + (mu - 1)(2 + log 2); bounded, p > 1
    behind a norm, branches alike       tends to (mu - 1)(15/8 - 16 m/(3 pi))
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite, log1p

import numpy as np
from mpmath import mp
from sympy import Expr, Integer, Rational, cancel, log, pi, simplify

from asympt.deadline import check_time
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.expansions.opaque import RealConstant
from asympt.meanfield.statement import LAYER, at_layer
from asympt.numbers import check_depth, check_digits, symbol_names, to_mpf
from asympt.spelling import named
from asympt.width.classes import BOUNDED, L, NetworkClass, in_depth
from asympt.width.inputs import FLOAT, KEPT

QUANTITIES = ("kernel-diagonal", "norm")
SHIFTS = "shifts of the mean of residual networks are not derived; ask fluctuation_law, of one network"
WITHOUT = "no law is derived for branches that weigh like this; net.fluctuation has the numbers at any depth"


@dataclass(frozen=True)
class ResidualBranch:
    """`weight`: w_l in LAYER and L;  `mu`;  `start`: q_1;  `normed`, `centred`: behind a norm, that takes the mean.

    >>> round(ResidualBranch(Rational(1, 3), Integer(2), Integer(1)).variance("norm", 8), 7)
    5808.3815328
    """

    weight: Expr
    mu: Expr
    start: Expr
    normed: bool = False
    centred: bool = False

    def variance(self, of: str, depth: int, digits: int = FLOAT) -> float:
        """n Var of a quantity at a depth, to leading order."""
        depth = check_depth(depth)
        with np.errstate(over="ignore"):
            q = float(self.start) * float(np.exp(self._at(depth)[2]))
        found = self.share("variance", of, depth, digits) * q * q
        if not isfinite(found):
            raise PrecisionError(f"at depth {depth} the {of} is beyond float64; ask fluctuation_law().evaluate(depth)")
        return found

    def share(self, what: str, of: str, depth: int, digits: int = FLOAT) -> float:
        """n Var/limit^2; `what` is 'variance'."""
        of, depth = named(of, QUANTITIES, "of"), check_depth(depth)
        if check_digits(digits) > FLOAT:
            raise InputError(f"digits = {digits}: residual networks are followed in float64; ask for {FLOAT} at most")
        own, crossed, _ = self._at(depth)
        return own if of == "kernel-diagonal" else own + crossed + 2

    def _at(self, depth: int) -> tuple:
        self.require_numbers()
        return _followed(replace(self, weight=self.weight.subs(L, depth), start=Integer(1))).at(depth)

    def require_numbers(self) -> None:
        """`UnsupportedError` for symbols."""
        if symbols := self.weight.free_symbols - {LAYER, L}:
            raise UnsupportedError(f"the network depends on {symbol_names(symbols)}; give numbers")

    def covariance(self, c: np.ndarray) -> np.ndarray:
        """n Cov(eta_k, eta_l) at the correlations of neurons."""
        root = np.sqrt(np.maximum(1 - c * c, 0))
        odd = (2 / np.pi) * (3 * c * root + (1 + 2 * c * c) * np.arcsin(c)) - self.centred * 8 / np.pi * c
        return 2 * (not self.normed) * c * c + float(self.mu - 1) * odd


class FollowedBranch:
    """The layers of one network, kept as far as they were asked for: O(L^2) for L of them."""

    def __init__(self, branch: ResidualBranch):
        self.branch = branch
        self.noise = self.alike = np.zeros(0)  # how eta_k of every layer so far moves Q; Q_k/Q_l
        self.found = [(0.0, 0.0, 0.0)]  # n Var Q/Q^2, 2 n Cov(Q, |y|^2/n)/Q^2, log Q/q

    def at(self, depth: int) -> tuple:
        """Layer `depth`."""
        for layer in range(len(self.found) + 1, depth + 1):
            check_time()
            self.found.append(self._next(float(at_layer(self.branch.weight, layer))))
        return self.found[depth - 1]

    def _next(self, w: float) -> tuple:
        carried = 1 - w if self.branch.normed else 1.0
        alike, before = np.append(self.alike, 1.0), carried * self.noise
        noise = self.branch.covariance(np.sqrt(alike))
        variance = carried**2 * self.found[-1][0] + float(2 * w * (before @ noise[:-1]) + w * w * noise[-1])
        self.noise, self.alike = np.append(before, w), alike * (1 - w)
        crossed = 0.0 if self.branch.normed else 4 * float(self.noise @ self.alike)
        return variance, crossed, self.found[-1][2] - log1p(-w)


_followed = lru_cache(maxsize=KEPT)(FollowedBranch)


# ---- laws ----------------------------------------------------------------------------------------


def class_of_branch(branch: ResidualBranch) -> NetworkClass:
    """That of a residual network."""
    found = _normed(branch) if branch.normed else _growing(branch)
    return NetworkClass("", {of: (found.get(of, WITHOUT), SHIFTS) for of in QUANTITIES})


def _normed(branch: ResidualBranch) -> dict:
    if cancel(1 / branch.weight).diff(LAYER) != 1:  # w = v/(q_1 + (l - 1) v)
        return {}
    settled = (branch.mu - 1) * (Rational(15, 8) - int(branch.centred) * 16 / (3 * pi))
    return {of: in_depth({(0, 0): settled + 2 * (of == "norm")}, (1, 0) if settled else None) for of in QUANTITIES}


def _growing(branch: ResidualBranch) -> dict:
    mu, ratio = branch.mu, simplify(branch.weight / (1 - branch.weight))
    if not ratio.free_symbols & {LAYER, L}:
        branch.require_numbers()
        return _alike(ratio, mu)
    factor, rest = ratio.as_independent(LAYER)
    base, power = rest.as_base_exp()
    if base != LAYER or not power.is_number or L in factor.free_symbols or not power < 0:
        return {}
    rate = 4 * factor * (1 + (mu - 1) * (2 + log(2)))
    if power < -1:
        found = BOUNDED
    elif power == -1:
        found = in_depth({(0, 1): rate}, (0, 0))
    else:  # log Q is r L^(1 - p)/(1 - p) up to the sum of r^2 l^(-2p)
        rest = min(-1 - 2 * power, Integer(0)), int(power == -Rational(1, 2))
        found = in_depth({(-1 - power, 0): rate / (1 + power)}, rest)
    return dict.fromkeys(QUANTITIES, found)


def _alike(r: Expr, mu: Expr) -> dict:
    """kappa L - kappa - kappa_1, the terms left out being sums from lag L on; |y|^2/n has 2 + 4/(1 + r) beside it."""
    w = r / (1 + r)
    kappa = _over_lags("kappa", r, mu, w**2 * (3 * mu - 1 + 4 / r), w, 0, r"\kappa")
    edge = _over_lags("kappa_1", r, mu, 4 / (1 + r), w, 1, r"\kappa_1")
    beside = {"kernel-diagonal": 0, "norm": 2 + 4 / (1 + r)}
    return {of: in_depth({(-1, 0): kappa, (0, 0): more - kappa - edge}, (1, 0)) for of, more in beside.items()}


def _over_lags(name: str, r: Expr, mu: Expr, known: Expr, w: Expr, power: int, latex: str) -> Expr:
    """known + 2 w^2 (mu - 1) sum over m >= 1 of m^power G((1 + r)^(-m/2))."""
    if mu == 1:
        return known

    def digits():
        step, total, term, m = 1 / mp.sqrt(1 + to_mpf(r)), mp.zero, mp.one, 0
        while term > mp.eps * total:
            check_time()
            m += 1
            c = step**m
            term = m**power * (3 * c * mp.sqrt(1 - c * c) + (1 + 2 * c * c) * mp.asin(c)) * 2 / mp.pi
            total += term
        return to_mpf(known) + 2 * to_mpf(w**2 * (mu - 1)) * total

    return RealConstant(name, digits, key=("residual, order 1/n", name, r, mu), latex=latex)
