"""Randomised soundness: a bound that is proved must hold along orbits that are iterated plainly.

Maps, starts (also intervals of them), few terms N and early layers l_1 are drawn at random, so that each part of the
bound is the largest one at times.  The orbit is iterated in mpmath, 40 digits, by the map's formula and nothing else; C
and D of one start are those of a proof of its own.  A refusal is allowed, a violation is not.

Run so far: about 700 theorems without a violation; the `long` tests draw 3,000, of which some 60% are proved.
"""

import random
from dataclasses import dataclass, field
from itertools import product

import mpmath
import pytest
from flint import arb
from mpmath import mp
from sympy import Rational, Symbol, asin, exp, lambdify, log, pi, sin, sqrt, tanh

from asympt.balls.arithmetic import ends
from asympt.balls.geometric import GeometricLaw, GeometricProver
from asympt.balls.theorem import Prover
from asympt.deadline import time_limit
from asympt.recursions import Recursion

X = Symbol("x", positive=True)
DRAWS, DEEPEST, LIMIT = 6, 400, 10
RELU = X - (sqrt(X * (2 - X)) - (1 - X) * (pi / 2 - asin(1 - X))) / pi


def small(rng: random.Random, low: int = 1, high: int = 8) -> Rational:
    """A random positive rational number."""
    return Rational(rng.randint(low, high), rng.randint(2, 6))


FAMILIES = {
    "polynomial": lambda r: X - small(r) * X**2 + small(r) * X**3,
    "polynomial, m = 2": lambda r: X - small(r) * X**3 + small(r, -4, 4) * X**4,
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
}
COCYCLES = (  # lambda, b, a of the start
    lambda r: (1, X, 0), lambda r: (1 - small(r) * X, X**2, 1), lambda r: (1 - X, 1, X),
    lambda r: (1 / (1 + r.randint(1, 3) * X), 1 + small(r) * X, X), lambda r: (Rational(1, 3) + X, X, 1),
)  # fmt: skip


@dataclass
class Experiment:
    """What came of one seed."""

    seed: int
    proved: int = 0
    refused: int = 0
    violations: list[str] = field(default_factory=list)

    def run(self) -> "Experiment":
        rng = random.Random(self.seed)
        name = rng.choice(sorted(FAMILIES))
        formula = FAMILIES[name](rng)
        cocycle = rng.choice(COCYCLES)(rng) if rng.random() < 0.4 else None
        try:
            with time_limit(LIMIT):
                law = self._law(rng, formula, cocycle)
                asked = law.asked
        except ValueError:
            self.refused += DRAWS
            return self
        for _ in range(DRAWS):
            self._draw(rng, formula, cocycle, law, asked)
        return self

    def _law(self, rng: random.Random, formula, cocycle):
        recursion, terms = Recursion(formula, X, 0), rng.randint(1, 3)
        return recursion.law(terms=terms) if cocycle is None else recursion.linear_law(*cocycle, terms=terms)

    def _draw(self, rng: random.Random, formula, cocycle, law, asked) -> None:
        low = Rational(rng.randint(1, 60), 100)
        high = low if rng.random() < 0.6 else low * Rational(rng.randint(101, 200), 100)
        terms, layer = rng.choice((None, 3, 4, 6, 9)), rng.choice((15, 30, 60, 120, 400))
        first = rng.choice((2, 2, 3, 10))
        try:
            proof = self._proof(asked, low, high, terms, first, (layer,))
            starts = [low, high, low + (high - low) * Rational(rng.randint(1, 99), 100)][: 1 if low == high else 3]
            known = [self._constants(asked, start, proof) for start in starts]
        except ValueError:
            self.refused += 1
            return
        self.proved += 1
        for start, constants in zip(starts, known, strict=True):
            for n, excess in self._beyond(formula, cocycle, law, start, constants, proof):
                case = f"x -> {formula}, {cocycle}, [{low}, {high}], N = {terms}, l_1 = {layer}"
                self.violations.append(f"seed {self.seed}: {case}: |{law.expansion}| at {n} from {start}: {excess}")

    def _proof(self, asked, low, high, terms, first, layers):
        if isinstance(asked, GeometricLaw):
            return GeometricProver(asked, low, high, terms=terms).prove(first)
        return Prover(asked, low, high, terms=terms).prove(first, layers)

    def _constants(self, asked, start, proof) -> tuple:
        """C and D of one start, which must lie in the enclosures of the interval."""
        own = self._proof(asked, start, start, None, 2, (1000,))
        if not own.connection.overlaps(proof.connection):
            self.violations.append(f"seed {self.seed}: C of {start} is not in the enclosure")
        return tuple(ends(arb(0) if value is None else value, 60) for value in (own.connection, own.second))

    def _beyond(self, formula, cocycle, law, start, constants, proof):
        """The depths at which the bound is broken, and by how much."""
        with mp.workdps(40):
            names = [law.depth_variable, law.constant_symbols["C"], law.constant_symbols["D"]]
            printed = lambdify(names, law.to_sympy(), "mpmath")
            monomial = lambdify(names[0], law.expansion.scale.to_sympy(law.remainder.monomial), "mpmath")
            bound, rounding = mpmath.mpf(str(proof.constant)), mpmath.mpf(10) ** -30
            for n, quantity in self._quantities(formula, cocycle, start):
                if n < proof.valid_from or (n > 40 and n % 23):
                    continue
                depth = mpmath.mpf(n)  # of whole numbers Python's powers are floats
                size, laws = bound * abs(monomial(depth)), [printed(depth, *pair) for pair in product(*constants)]
                excess = min(abs(quantity - law) for law in laws) - size - (max(laws) - min(laws))
                if excess > size * mpmath.mpf(10) ** -9 + rounding:
                    yield n, mp.nstr(excess / size, 5)

    def _quantities(self, formula, cocycle, start):
        """n and x_n, or a_n."""
        x, a = mpmath.mpf(start.p) / start.q, None
        step = lambdify(X, formula, "mpmath")
        if cocycle is not None:
            along, source, initial = (lambdify(X, f, "mpmath") for f in cocycle)
            a = mpmath.mpf(initial(x))
        for n in range(1, DEEPEST):
            if a is not None:
                a = along(x) * a + source(x)
            x = mp.re(step(x))
            yield n, x if a is None else a


def run(seeds) -> int:
    """How many theorems were tried; every violation is an error."""
    found = [Experiment(seed).run() for seed in seeds]
    violations = [line for experiment in found for line in experiment.violations]
    assert not violations, "\n".join(violations[:5])
    return sum(experiment.proved for experiment in found)


def test_bounds_hold():
    assert run((18, 37)) > 10


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_more_bounds_hold(part):
    assert run(range(100 + 10 * part, 110 + 10 * part)) > 20


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_thousands_of_bounds_hold(part):
    assert run(range(1000 + 25 * part, 1025 + 25 * part)) > 40  # of 150, so that the refusals do not hide the test
