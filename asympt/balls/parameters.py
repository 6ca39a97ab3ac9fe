"""Numbers that are solutions of equations, as balls: q and sigma_w on the Edge of Chaos, the variance's fixed point.

Rule.  Interval Newton: for a ball Q about the known digits, N(Q) = mid Q - F(mid Q)/F'(Q).  N(Q) inside Q proves that Q
holds exactly one zero of F, and Q is replaced by its cut with N(Q) until it shrinks no more.  F' comes from
dE[g(sqrt(q) Z)]/dq = E[g''(sqrt(q) Z)]/2: with M_n = E[phi^(n)(sqrt(q) Z)^2],

    M_n' = E[phi^(n+1)^2 + phi^(n) phi^(n+2)];
    Edge of Chaos, sigma_b given:   F = sigma_b^2 + M_0/M_1 - q,   sigma_w = M_1(q)^(-1/2);
    sigma_w and sigma_b given:      F = sigma_b^2 + sigma_w^2 M_0 - q.

Known limits.  The zero must be simple; which of several is meant, the digits say, about 10 of which must be known.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from flint import arb
from sympy import Expr, Symbol

from asympt.balls.arithmetic import Refused, working
from asympt.balls.expression import program_of
from asympt.balls.moments import BallMoments
from asympt.errors import PrecisionError

Q, SIGMA_W, SIGMA_B = Symbol("q", positive=True), Symbol("sigma_w", positive=True), Symbol("sigma_b", nonnegative=True)
FIRST_RADIUS = 1e-9  # of the first ball, relative to the number
FIRST_BITS = 64
SPARE = 32
STEPS = 40

Residual = Callable[[arb, int], tuple[arb, arb]]


def zero_near(residual: Residual, near: str, bits: int) -> arb:
    """The zero of a function near a decimal number, the only one within a relative distance of 10^-9.

    residual: (ball, bits) -> (F, F') there.

    >>> bool(zero_near(lambda x, bits: (x * x - 2, 2 * x), "1.414213562373", 100).overlaps(arb(2).sqrt()))
    True
    """
    with working(bits + SPARE):
        ball, proved, precision = arb(str(near)).mid() * arb(1, FIRST_RADIUS), False, FIRST_BITS
        for _ in range(STEPS):
            with working(precision + SPARE):
                image = _newton(residual, ball, precision)
            proved = proved or ball.contains_interior(image)
            if not proved and not image.overlaps(ball):
                raise Refused(f"the equation has no solution near {near}")
            if not proved and precision >= bits:
                raise Refused(f"the solution near {near} is not seen to be one: its first digits may be wrong")
            smaller = image.intersection(ball)
            done, ball = precision >= bits and not smaller.rad() < ball.rad() / 2, smaller
            if done:
                return ball
            precision = min(bits, 2 * precision)
    raise PrecisionError(f"the solution near {near} cannot be enclosed to {bits} bits")


def _newton(residual: Residual, ball: arb, bits: int) -> arb:
    middle = ball.mid()
    slope = residual(ball, bits)[1]
    if not (slope > 0 or slope < 0):
        raise Refused(f"the equation is not seen to have a simple zero near {middle.str(12, radius=False)}")
    return middle - residual(middle, bits)[0] / slope


# ---- the parameters of a layer ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Parameters:
    """Balls for the variance and the weights of a layer, as a function of the precision.

    phi, symbol: the activation;  sigma_b: exact;  near: q to some 12 digits;
    sigma_w: exact, or None on the Edge of Chaos, where it belongs to q;
    moments: (q, bits, order) -> M_0, M_1, ... (`square`) and their derivatives in q (`rate`), where phi has
    breakpoints.

    >>> from sympy import Rational, exp
    >>> x = Symbol("x")
    >>> at_edge = Parameters(exp(x), x, Rational(1, 2), "1.25")
    >>> at_edge(64)[Q].contains(1.25), at_edge(64)[SIGMA_W].overlaps(arb(-1.25).exp())
    (True, True)
    """

    phi: Expr
    symbol: Symbol
    sigma_b: Expr
    near: str
    sigma_w: Expr | None = None
    moments: Callable | None = None
    _known: dict = field(default_factory=dict, repr=False)

    def __call__(self, bits: int) -> Mapping[Symbol, arb]:
        """{q, sigma_w, sigma_b}: the exact solution lies in the balls."""
        if bits not in self._known:
            q = zero_near(self._residual, self.near, bits)
            with working(bits):
                weight = 1 / self._moments(q, bits, 1).square(1, 1).sqrt() if self.sigma_w is None else self._weight
                self._known[bits] = {Q: q, SIGMA_W: +weight, SIGMA_B: self._number(self.sigma_b)}
        return self._known[bits]

    def _moments(self, q: arb, bits: int, order: int):
        return (self.moments or partial(BallMoments, self.phi, self.symbol))(q, bits, order)

    def _number(self, exact: Expr) -> arb:
        return program_of(exact, self.symbol).value(arb(0))

    @property
    def _weight(self) -> arb:
        return self._number(self.sigma_w)

    def _residual(self, q: arb, bits: int) -> tuple[arb, arb]:
        """(F, F') at q."""
        edge = self.sigma_w is None
        found = self._moments(q, bits, 3 if edge else 2)
        bias, m0 = self._number(self.sigma_b) ** 2, found.square(0, 0)
        slope0 = found.rate(0)
        if not edge:
            return bias + self._weight**2 * m0 - q, self._weight**2 * slope0 - 1
        m1, slope1 = found.square(1, 1), found.rate(1)
        return bias + m0 / m1 - q, slope0 / m1 - m0 * slope1 / m1**2 - 1


@dataclass(frozen=True, eq=False)
class Solved:
    """The same where the equations are formulas: F(q) = 0, and others numbers as formulas in q.

    >>> from sympy import exp
    >>> at_edge = Solved(Q - 1 - Symbol("v"), Q, "1.25", {SIGMA_W: exp(-Q), Symbol("v"): arb(0.25)})
    >>> bool(at_edge(64)[SIGMA_W].overlaps(arb(-1.25).exp()))
    True
    """

    equation: Expr
    symbol: Symbol
    near: str
    others: Mapping[Symbol, Expr | arb]
    _known: dict = field(default_factory=dict, repr=False)

    def __call__(self, bits: int) -> Mapping[Symbol, arb]:
        """{symbol: ball} with the exact solution in the balls."""
        if bits not in self._known:
            given = {name: value for name, value in self.others.items() if isinstance(value, arb)}
            program = program_of(self.equation, self.symbol)
            root = zero_near(lambda x, _: (program.value(x, given), program.slope(x, given)), self.near, bits)
            with working(bits):
                formulas = {name: program_of(f, self.symbol) for name, f in self.others.items() if name not in given}
                values = {name: formula.value(root, given) for name, formula in formulas.items()}
            self._known[bits] = {self.symbol: root, **given, **values}
        return self._known[bits]
