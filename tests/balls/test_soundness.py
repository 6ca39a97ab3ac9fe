"""Randomised soundness: a bound that is proved must hold along orbits that are iterated plainly.

Maps, networks, starts and intervals of them, terms, discs and early layers are drawn, so that each part of the bound is
the largest one at times.  The orbit: the map's formula in mpmath, or a layer of a network in float64.  A refusal is
allowed, a violation is not.  `python -m tests.balls.test_soundness recursions FIRST LAST` (or `networks`) runs more.
"""

import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import count, islice, product
from unittest.mock import patch

import mpmath
import numpy as np
import pytest
from flint import arb
from mpmath import mp
from scipy.special import erf, ndtr
from sympy import Expr, Rational, Symbol, asin, exp, lambdify, log, pi, sin, sqrt, tanh

import asympt as asy
from asympt.balls import theorem
from asympt.balls.arithmetic import ends, working
from asympt.balls.theorem import GeometricProver
from asympt.deadline import limited
from asympt.recursions import Recursion
from asympt.recursions.proofs.formal import formal

X = Symbol("x", positive=True)
DRAWS, LIMIT = 30, 5  # theorems of a law; seconds for each of them, and for the law
REACH, DEEP = 300, 250  # layers that are compared; the layer in which C and D of one start are read off
RELU = X - (sqrt(X * (2 - X)) - (1 - X) * (pi / 2 - asin(1 - X))) / pi


def small(rng: random.Random, low: int = 1, high: int = 8) -> Rational:
    """A random positive rational number."""
    return Rational(rng.randint(low, high), rng.randint(2, 6))


FAMILIES = {
    "polynomial": lambda r: X - small(r) * X**2 + small(r) * X**3,
    "polynomial, m = 2": lambda r: X - small(r) * X**3 + small(r, -4, 4) * X**4,
    "polynomial, m = 3": lambda r: X - small(r) * X**4 + small(r, -4, 4) * X**5,
    "rational": lambda r: X / (1 + small(r) * X + small(r, 0) * X**2),
    "rational, m = 2": lambda r: (X + small(r, 0) * X**3) / (1 + small(r, 9, 20) * X**2),
    "sine": lambda r: sin(X) - small(r, 0) * X**3,
    "exponential": lambda r: X * exp(-small(r) * X),
    "one minus exponential": lambda r: (1 - exp(-X)) * (1 - small(r, 0) * X**2 / 9),
    "logarithm": lambda r: log(1 + X) - small(r, 0) * X**3,
    "tanh": lambda r: tanh(X) * (1 - small(r, 0, 3) * X**2 / 4),
    "composed": lambda r: sin(tanh(X)) / (1 + small(r, 0) * X**2),
    "roots": lambda r: X - small(r) * X ** Rational(3, 2) + small(r, 0) * X**2,
    "relu": lambda r: RELU,
    "residual": lambda r: X + small(r, 1, 2) * (RELU - X),
    "hyperbolic polynomial": lambda r: X * Rational(r.randint(1, 5), 6) - small(r, -4, 4) * X**2,
    "flipping": lambda r: -X * Rational(r.randint(1, 5), 6) + small(r, -4, 4) * X**2,
    "hyperbolic sine": lambda r: sin(X) * Rational(r.randint(1, 4), 5),
    "hyperbolic rational": lambda r: X / (Rational(r.randint(5, 12), 4) + small(r) * X),
    "hyperbolic roots": lambda r: X * Rational(r.randint(1, 5), 6) - small(r, 1, 3) * X ** Rational(3, 2) / 4,
}
COCYCLES = (  # lambda, b, a of the start
    lambda r: (1, X, 0), lambda r: (1 - small(r) * X, X**2, 1), lambda r: (1 - X, 1, X),
    lambda r: (1 / (1 + r.randint(1, 3) * X), 1 + small(r) * X, X), lambda r: (Rational(1, 3) + X, X, 1),
)  # fmt: skip


@dataclass
class Subject:
    """A law as the engine wants it, and how its quantity is computed plainly from a start in layer `first`."""

    law: object
    plainly: Callable[[Expr], Iterator]  # the quantity in the layers after the first one
    rounding: mpmath.mpf  # what plain iteration may be wrong by
    name: str
    starts: Callable[[random.Random], Rational]
    argument: str = "start"
    asked: object = field(init=False)

    def __post_init__(self) -> None:
        self.asked = formal(self.law, exactly=False)

    @cached_property
    def radius(self) -> float:
        """Of the disc that the engine finds best for a moderate start."""
        low = self.distance(self.starts(random.Random(1)))
        return float(self.asked.prover(low, low).theorem.radius)

    def distance(self, start: Rational) -> Expr:
        return self.law._start({self.argument: start})

    def distances(self, low: Rational, high: Rational) -> tuple[Expr, Expr]:
        return tuple(sorted((self.distance(low), self.distance(high)), key=float))

    def value(self, of) -> Callable:
        """An expression in the depth, C and D as a function of numbers."""
        names = [self.law.depth_variable, *(self.law.constant_symbols[name] for name in "CD")]
        known = {s: mpmath.mpf(ball.mid().str(50, radius=False)) for s, ball in self.asked.map_.known(256).items()}
        return lambdify(names, of.subs(known), "mpmath")

    @cached_property
    def printed(self) -> Callable:
        return self.value(self.law.to_sympy())

    @cached_property
    def monomial(self) -> Callable:
        return self.value(self.law.expansion.scale.to_sympy(self.law.remainder.monomial))


@lru_cache(maxsize=256)
def of_recursion(formula: Expr, cocycle: tuple | None, terms: int) -> Subject:
    recursion = Recursion(formula, X, 0)
    law = recursion.law(terms=terms) if cocycle is None else recursion.linear_law(*cocycle, terms=terms)
    step = lambdify(X, formula, "mpmath")
    linear = None if cocycle is None else [lambdify(X, f, "mpmath") for f in cocycle]

    def plainly(start: Rational) -> Iterator:
        x = mpmath.mpf(start.p) / start.q
        a = None if linear is None else mpmath.mpf(linear[2](x))
        while True:
            if a is not None:
                a = linear[0](x) * a + linear[1](x)
            x = mp.re(step(x))
            yield x if a is None else a

    return Subject(law, plainly, mpmath.mpf(10) ** -30, f"x -> {formula}, {cocycle}", any_distance)


def any_distance(rng: random.Random) -> Rational:
    """Moderate as a rule; at times near the fixed point or large."""
    if rng.random() < 0.7:
        return Rational(rng.randint(1, 60), 100)
    return rng.choice([Rational(n, 1000) for n in (1, 5, 10, 700, 950, 999, 1001, 1400, 1990, 3000)])


def any_correlation(rng: random.Random) -> Rational:
    """Correlations of all signs, at times near 1 or -1."""
    if rng.random() < 0.8:
        return Rational(rng.randint(-95, 95), 100)
    return rng.choice([Rational(n, 1000) for n in (-1000, -999, -990, 970, 980, 990)])


NODES, STEP = np.arange(-36, 37) / 4, 1 / 4  # a trapezoidal rule for the normal weight
PHI = {  # phi and phi'
    "erf": (erf, lambda z: 2 / math.sqrt(math.pi) * np.exp(-z * z)),
    "gelu": (lambda z: z * ndtr(z), lambda z: ndtr(z) + z * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)),
    "tanh": (np.tanh, lambda z: 1 / np.cosh(z) ** 2),
    "silu": (lambda z: z / (1 + np.exp(-z)), lambda z: (1 + np.exp(-z) * (1 + z)) / (1 + np.exp(-z)) ** 2),
}
EDGE = {"erf 1/5": "erf", "erf 1": "erf", "gelu 1/5": "gelu", "tanh 1/5": "tanh", "silu 3/10": "silu"}
OFF_EDGE = {"erf ordered": (1, 1), "erf chaotic": (2, Rational(1, 2))}  # sigma_w, sigma_b
SLOPES = ("0", "1/10", "1/3", "-1/2", "3/4")


def smooth(name: str) -> tuple:
    """A network of an activation above, and c -> (f(c), f'(c)) of its correlation map f by quadrature."""
    phi, _, bias = name.partition(" ")
    if name in OFF_EDGE:
        weight, bias = OFF_EDGE[name]
        net, q = asy.FeedForward(phi, sigma_w=weight, sigma_b=bias), 1.0
    else:
        point = asy.edge_of_chaos(phi, sigma_b=bias)
        net, weight, q = asy.FeedForward.on_edge_of_chaos(phi, sigma_b=bias), point.sigma_w, float(point.q)
    weight, bias = float(weight) ** 2, float(Rational(bias)) ** 2
    density = np.exp(-(NODES**2) / 2) * STEP / math.sqrt(2 * math.pi)
    for _ in range(300 if name in OFF_EDGE else 0):
        q = bias + weight * (density * PHI[phi][0](math.sqrt(q) * NODES) ** 2).sum()
    both, u = np.outer(density, density), math.sqrt(q) * NODES

    def step(c: float) -> tuple:
        v = c * u[:, None] + math.sqrt(1 - c * c) * u[None, :]
        value, slope = ((both * f(u)[:, None] * f(v)).sum() for f in PHI[phi])
        return (bias + weight * value) / q, weight * slope

    return net, step


def leaky(slope: str, identity: float = 0.0) -> Callable:
    """The same for a leaky ReLU, by arc cosines; `identity`: the share of c that a residual layer keeps."""
    a = float(Rational(slope))
    bend = (1 - identity) * (1 - a) ** 2 / (1 + a**2)

    def step(c: float) -> tuple:
        angle = math.acos(c)
        return c + bend * (math.sin(angle) - angle * c) / math.pi, 1 - bend * angle / math.pi

    return step


def network(name: str) -> tuple:
    """The network of a name, and a layer of it."""
    if name == "residual":
        return asy.ResNet("relu", sigma_w=1), leaky("0", 2 / 3)  # (c + f(c)/2)/(1 + 1/2)
    return (asy.FeedForward("leaky_relu", slope=name), leaky(name)) if name in SLOPES else smooth(name)


@lru_cache(maxsize=64)
def of_network(name: str, kind: str, terms: int) -> Subject:
    net, step = network(name)
    law = getattr(net, f"{kind}_law")(terms)

    def plainly(start: Rational) -> Iterator:
        c = kernel = float(start)
        for depth in count(2):
            c, slope = step(c)
            kernel = c + slope * kernel
            yield 1 - c if kind == "correlation" else kernel / (depth if law.average else 1)

    return Subject(law, plainly, mpmath.mpf(10) ** -11, f"{name}, {kind}", any_correlation, "correlation")


@dataclass
class Experiment:
    """What came of one seed."""

    seed: int
    networks: bool = False
    proved: int = 0
    refused: Counter = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    tightest: float = 0.0  # the largest deviation over the bound

    def run(self) -> "Experiment":
        rng = random.Random(self.seed)
        try:
            with limited("the law", LIMIT):
                subject = self._subject(rng)
                radius = subject.radius
        except ValueError as reason:
            self.refused[str(reason)[:60]] += DRAWS
            return self
        for _ in range(DRAWS):
            self._draw(rng, subject, radius)
        return self

    def _subject(self, rng: random.Random) -> Subject:
        terms = rng.randint(1, 3)
        if self.networks:
            name = rng.choice((*SLOPES, "residual", *EDGE, *OFF_EDGE))
            kind = "correlation" if name == "residual" else rng.choice(("correlation", "ntk"))
            return of_network(name, kind, 1 if name in OFF_EDGE else terms)  # off the edge more terms take a minute
        formula = FAMILIES[rng.choice(sorted(FAMILIES))](rng)
        return of_recursion(formula, rng.choice(COCYCLES)(rng) if rng.random() < 0.4 else None, terms)

    def _draw(self, rng: random.Random, subject: Subject, radius: float) -> None:
        low = subject.starts(rng)
        high = low if rng.random() < 0.7 else low + Rational(rng.choice((1, 10, 40, 100)), 100) * (1 - low) / 2
        layer = rng.choice((6, 10, 15, 30, 60, 120) if low == high else (6, 10, 15, 25)) * (3 if self.networks else 1)
        first = rng.choice((2, 2, 3, 10, layer))
        choices = {"terms": rng.choice((None, 1, 2, 3, 4, 6, 9)), "radius": radius * rng.choice((1, 0.85, 0.5, 0.2))}
        parts = rng.choice((1, 3, 8)), rng.choice((0, 1, 3, 8))
        try:
            with limited("a draw", LIMIT):
                proof = self._proof(subject, low, high, first, layer, parts, choices)
                starts = [low, high, low + (high - low) * Rational(rng.randint(1, 99), 100)][: 1 if low == high else 3]
                known = [self._constants(subject, start, proof, radius) for start in starts]
        except ValueError as reason:
            self.refused[str(reason)[:60]] += 1
            return
        self.proved += 1
        for start, constants in zip(starts, known, strict=True):
            for n, excess in self._beyond(subject, start, constants, proof):
                case = f"{subject.name}, [{low}, {high}], l_1 = {layer}, {choices}"
                self.violations.append(f"seed {self.seed}: {case}: |{subject.law.expansion}|, {n}, {start}: {excess}")

    def _proof(self, subject: Subject, low, high, first: int, layer: int, parts: tuple, choices: dict):
        with patch.multiple(theorem, PIECES=parts[0], WEIGHTS=parts[1]):
            prover = subject.asked.prover(*subject.distances(low, high), terms=choices["terms"],
                                   radius=arb(choices["radius"]))  # fmt: skip
            return prover.prove(max(first, subject.asked.first + 1), (layer,))

    def _constants(self, subject: Subject, start: Rational, proof, radius: float) -> tuple:
        """C and D of one start, which must lie in the enclosures of the interval."""
        own = self._own(subject, start, radius)
        if not own[0].overlaps(proof.connection):
            self.violations.append(f"seed {self.seed}: C of {start} is not in the enclosure")
        return tuple(ends(arb(0) if value is None else value, 60) for value in own)

    def _own(self, subject: Subject, start: Rational, radius: float) -> tuple:
        with patch.object(theorem, "WEIGHTS", 0):
            prover = subject.asked.prover(*subject.distances(start, start), radius=arb(radius))
        if isinstance(prover, GeometricProver):
            proof = prover.prove(subject.asked.first + 1)
            return proof.connection, proof.second
        with working(prover.bits):
            c, d = prover.constants(prover.orbit, DEEP)
        return c, None if d is None else d / prover._unit

    def _beyond(self, subject: Subject, start: Rational, constants: tuple, proof) -> Iterator[tuple]:
        """The depths at which the bound is broken, and by how much."""
        with mp.workdps(40):
            bound, first = mpmath.mpf(str(proof.constant)), subject.asked.first + 1
            for n, quantity in enumerate(islice(subject.plainly(start), REACH), first):
                if n < proof.valid_from or (n > 40 and n % 23):
                    continue
                depth = mpmath.mpf(n)  # of whole numbers Python's powers are floats
                size = bound * abs(subject.monomial(depth, 0, 0))
                laws = [subject.printed(depth, *pair) for pair in product(*constants)]
                off = min(abs(quantity - law) for law in laws) - (max(laws) - min(laws)) - subject.rounding
                if size:  # an orbit that lands on the fixed point has the bound 0
                    self.tightest = max(self.tightest, float(off / size))
                if off > size * (1 + mpmath.mpf(10) ** -9):
                    yield n, mp.nstr(off / size, 5) if size else mp.nstr(off, 5)


def run(seeds, networks: bool = False) -> int:
    """How many theorems were tried; every violation is an error."""
    found = [Experiment(seed, networks).run() for seed in seeds]
    violations = [line for experiment in found for line in experiment.violations]
    assert not violations, "\n".join(violations[:5])
    return sum(experiment.proved for experiment in found)


def test_bounds_hold():
    assert run((2, 7)) > 10


@pytest.mark.parametrize("part", range(2))
def test_more_bounds_hold(part):
    assert run(range(100 + 5 * part, 105 + 5 * part)) > 20


def test_bounds_hold_for_networks():
    assert run((2, 15), networks=True) > 10


def main(kind: str, first: int, last: int) -> None:
    """One line a seed, so that a run that was broken off goes on from there."""
    for seed in range(first, last):
        found = Experiment(seed, kind == "networks").run()
        print(seed, found.proved, found.refused.total(), f"{found.tightest:.9f}", *found.violations, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:4]))
