"""Random activations through the laws of a plain network, against Gaussian quadrature of the layer recursion.

The oracle shares nothing with asympt but the formula of phi: Gauss and Legendre between the breakpoints, in float64.

values   1 - c^l from `evaluate` at a shallow depth, where it is mostly proved
bounds   the inequality of `law.certificate` at the same depths
"""

import random
from collections.abc import Callable
from functools import partial

import numpy as np
from sympy import Expr, Integer, Piecewise, Rational, exp, expand, lambdify, log, pi, sqrt

import asympt as asy
from asympt.errors import AsymptError
from tests.fuzz.maps import X, fraction

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
FAR = 9.5  # standard deviations
CLOSE = 1e-9
IRRATIONAL = (1 + sqrt(2), exp(-1), pi - 2, log(3) / 2, 2 - sqrt(3), Integer(1), Integer(1))


class LayerOracle:
    """The recursion of the correlation at a variance q, by quadrature."""

    def __init__(self, phi: Expr, breaks: list[float], q: float, weight: float, bias: float):
        self.phi, self.breaks = lambdify(X, phi, ["scipy", "numpy"]), breaks
        self.q, self.weight, self.bias = q, weight, bias

    def next(self, gap: float) -> float:
        """1 - c of the next layer: E[(phi(U) - phi(V))^2] sigma_w^2/(2 q), which loses no digits near c = 1."""
        c, s = 1 - gap, np.sqrt(gap * (2 - gap))
        u, weights = self._nodes(np.zeros(1), 1.0)
        inner, inner_weights = self._nodes(c * u[0], s)
        difference = self._values(u[0])[:, None] - self._values(c * u[0][:, None] + s * inner)
        squares = np.sum(inner_weights * difference**2, axis=1)
        return float(self.weight**2 / (2 * self.q) * np.sum(weights[0] * squares))

    def variance(self) -> float:
        """The variance after one layer."""
        u, weights = self._nodes(np.zeros(1), 1.0)
        return float(self.bias**2 + self.weight**2 * np.sum(weights[0] * self._values(u[0]) ** 2))

    def _values(self, z):
        return np.broadcast_to(self.phi(np.sqrt(self.q) * z), np.shape(z))

    def _nodes(self, centres, spread: float) -> tuple:
        """Nodes z and weights of the normal density, split where centre + spread z is at a breakpoint or at a unit."""
        cuts = [(b / np.sqrt(self.q) - centres) / spread for b in self.breaks]
        grid = [np.full_like(centres, z) for z in np.arange(-FAR, FAR + 0.5)]
        ends = np.sort(np.clip(np.stack([*cuts, *grid], axis=1), -FAR, FAR), axis=1)
        half = np.diff(ends, axis=1)[:, :, None] / 2
        z = (ends[:, :-1, None] + half) + half * NODES
        density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
        return z.reshape(len(centres), -1), (half * WEIGHTS * density).reshape(len(centres), -1)


def flat(rng: random.Random) -> Expr:
    """What an activation may be at infinity."""
    size = Rational(rng.randint(-4, 4), 4)
    return rng.choice((size, size * X, size * X + rng.choice(IRRATIONAL)))


def curved(rng: random.Random) -> Expr:
    """A piece between two breakpoints."""
    powers = sum(Rational(rng.randint(-6, 6), 6) * X**k for k in range(1, rng.choice((1, 2, 3)) + 1))
    return powers + rng.choice((0, 0, 1)) * fraction(rng) * exp(X * rng.choice((-1, Rational(1, 2), 1)))


def pieces(rng: random.Random) -> tuple[Expr, list]:
    """A continuous activation of pieces, and its breakpoints."""
    breaks = sorted(rng.sample([Rational(k, 2) for k in range(-5, 6)], rng.choice((1, 2, 2, 3))))
    if rng.random() < 0.3:
        breaks = sorted({*breaks[1:], rng.choice(IRRATIONAL)}, key=float)
    formulas = [flat(rng), *(curved(rng) for _ in breaks[1:]), flat(rng)]
    for k, b in enumerate(breaks):
        formulas[k + 1] = expand(formulas[k + 1] + (formulas[k] - formulas[k + 1]).subs(X, b))
    return Piecewise(*((f, b > X) for f, b in zip(formulas, breaks, strict=False)), (formulas[-1], True)), breaks


def smooth(rng: random.Random) -> tuple[Expr, list]:
    """A smooth activation with random numbers."""
    a, b = fraction(rng, high=4, bottom=3), rng.choice(IRRATIONAL)
    name = rng.choice(("tanh", "sigmoid", "softplus", "silu", "gelu", "erf", "arctan"))
    phi = asy.activation(name)
    return phi.expression.subs(phi.symbol, X) * a + rng.choice((0, 0, Rational(1, 3))) * b * X, []


def follow(make: Callable[[random.Random], tuple], rng: random.Random, bounds: float = 0.3) -> str:
    """Values of its correlation law, and at times its theorem, at the first layers."""
    phi, breaks = make(rng)
    weight, bias = Rational(rng.choice((1, 2, 3)), 2), Rational(rng.choice((1, 2, 4)), 4)
    start, proved, edge = Rational(rng.randint(-8, 8), 10), rng.random() < bounds, rng.random() < 0.4
    activation = asy.Activation(phi, X, name="random")
    net = asy.FeedForward.on_edge_of_chaos(activation, sigma_b=bias) if edge else asy.FeedForward(
        activation, sigma_w=weight, sigma_b=bias)  # fmt: skip
    law = net.correlation_law(terms=1)
    try:
        q = float(net.variance)
        oracle = LayerOracle(phi, [float(b) for b in breaks], q, float(net.sigma_w), float(bias))
        assert abs(oracle.variance() / q - 1) < CLOSE, f"q = {q} and not {oracle.variance()}"
        gap = 1 - float(start)
        gaps = [gap := oracle.next(gap) for _ in range(4)]
        require_values(law, start, gaps[: rng.choice((1, 2, 3))])
        if proved:
            require_bound(law, start, gaps)
    except AssertionError as error:
        raise AssertionError(f"{net}, correlation={start}: {error}") from None
    return "value"


def require_values(law, start: Expr, gaps: list[float]) -> None:
    """1 - c^2, 1 - c^3, ..."""
    for depth, gap in enumerate(gaps, start=2):
        found = law.evaluated(depth, correlation=start, digits=10)
        assert abs(float(found.value) - gap) < CLOSE * (gap + 1), f"depth {depth}: {found} and not {gap}"


def require_bound(law, start: Expr, gaps: list[float]) -> None:
    """|quantity - printed| <= B monomial, C being somewhere in its interval."""
    try:
        theorem = law.certificate(correlation=start)
    except AsymptError:
        return
    printed, symbol = law.expansion.without_remainder().to_sympy(), law.constant_symbols["C"]
    for depth, gap in enumerate(gaps, start=2):
        if depth < theorem.valid_from:
            continue
        ends = [printed.subs({symbol: c, law.depth_variable: depth}) for c in theorem.connection_constant]
        low, high = sorted(float(value.evalf(20)) for value in ends)
        most = float(theorem.constant) * float(abs(theorem.monomial.subs(law.depth_variable, depth).evalf(20))) + CLOSE
        assert low - most <= gap <= high + most, f"depth {depth}: {theorem} and 1 - c = {gap}"


FAMILIES = {"kinked": (partial(follow, pieces), 2, 0.4), "smooth": (partial(follow, smooth), 2, 0.5)}
