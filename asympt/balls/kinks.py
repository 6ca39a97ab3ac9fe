"""The correlation map of an activation with breakpoints: Taylor models in t = sqrt(1 - c), and values at any gap.

With g_j the j-th derivative of phi between its breakpoints, G_j(c) = E[g_j(U) g_j(V)] and M_j = G_j(1), Price's theorem
with the deltas of g_j' (S_(j+1), by `breaks`) is, for gamma = t^2,

    G_j(1 - gamma) = M_j - q int_0^gamma (G_(j+1) + S_(j+1)),    |G_j| <= M_j  (Cauchy and Schwarz):

beginning with |G_n| <= M_n and integrating n times, every step brings two powers of t.  For larger gaps the Hermite sum
(`kernel.Numbers`), with E[phi He_k] by parts (docs/bounds.md).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import flint
from flint import arb, arb_poly
from sympy import Expr, Symbol

from asympt.balls.arithmetic import Refused, working
from asympt.balls.breaks import Deltas, FormulaPiece, PolePiece, breaks_of, jumps_of
from asympt.balls.expression import number
from asympt.balls.kernel import CorrelationBallMap, MapFunction, Numbers, f_
from asympt.balls.models import Model, span_of
from asympt.balls.moments import SIGMA_W, Q
from asympt.balls.orbit import LinearAlong

ROOT_GAP = Symbol("t", positive=True)
HERMITE, MORE, TERMS = 320, 4, 12
SPANS = (0.125, 0.25, 0.5, 1.0)  # intervals of t, for values
LENGTH = 28  # powers of t for values
KEPT = 64  # values
MOST_DIGITS, MOST_BITS, MOST_WITH_FACTORIALS = 12, 140, 600  # where derivatives grow like factorials


@dataclass(frozen=True)
class Level:
    """sum_(k >= -1) c_k t^k + J t^power for 0 < t <= T: `terms` are c_-1, c_0, ..., c_(power-1)."""

    terms: Sequence[arb]
    rest: arb

    @property
    def power(self) -> int:
        """The power of t of the rest."""
        return len(self.terms) - 1

    def integrated(self) -> "Level":
        terms = [2 * c / (k + 1) for k, c in enumerate(self.terms)]
        return Level([arb(0), arb(0), *terms], 2 * self.rest / (self.power + 2))

    def scaled(self, factor: arb, constant: arb | int = 0) -> "Level":
        """constant + factor times it."""
        terms = [factor * c for c in self.terms]
        return Level([terms[0], terms[1] + constant, *terms[2:]], factor * self.rest)

    def plus(self, other: Model) -> "Level":
        """With a model that is known as far at the least."""
        more = other.coefficients(-1, len(self.terms))
        return Level([a + b for a, b in zip(self.terms, more, strict=True)], self.rest + other.beyond(self.power))

    def at(self, t: arb) -> arb:
        return arb_poly(self.terms)(t) / t + self.rest * t**self.power if t > 0 else arb.nan()


@dataclass(frozen=True, eq=False)
class KinkedFunction(MapFunction):
    """Of t, c = 1 - t^2; times t where it is a derivative of such a function."""

    times_t: bool = False

    def value(self, t: arb, parameters: Mapping[Symbol, arb] | None = None) -> arb:
        """The function of every t in the ball."""
        found = self.offset + self.sign * self.map.derivative(self.derivative_order, t, flint.ctx.prec)
        return found * t if self.times_t else found

    @property
    def derivative(self) -> "KinkedFunction":
        return KinkedFunction(self.map, self.derivative_order + 1, -2 * self.sign, 0, True)

    def level(self, bits: int, length: int, span: arb) -> Level:
        """By its powers of t, and what is left on [0, T]."""
        return self.map.level(self.derivative_order, bits, length, span).scaled(arb(self.sign), self.offset)

    def model(self, bits: int, length: int, span: arb) -> Model:
        level = self.level(bits, length, span)
        cut = arb_poly(level.terms[length + 1 :])(span) + level.rest * span ** (level.power - length)
        return Model.of(level.terms[1 : length + 1], cut, span)


@dataclass(frozen=True, eq=False)
class KinkedMap(CorrelationBallMap):
    """t^2 -> 1 - f(1 - t^2) of an activation with breakpoints.

    pieces: phi from the lowest to the highest;  moments: (j, q) -> M_j;  parameters: balls for q, sigma_w and sigma_b;
    order: m;  critical: f'(1) = 1;  names: {what a law calls them: Q, SIGMA_W, `f_`(1)}.
    """

    phi: Expr
    pieces: Sequence[FormulaPiece | PolePiece]
    moments: Callable[[int, arb], arb]
    parameters: Callable[[int], Mapping[Symbol, arb]]
    order: int
    critical: bool = True
    names: Mapping = field(default_factory=dict)
    hermite: int = HERMITE
    root: int = 2
    symbol: Symbol = ROOT_GAP
    more: int = MORE
    terms: int = TERMS
    _found: dict = field(default_factory=dict, repr=False)
    _last: dict = field(default_factory=dict, repr=False)

    def known(self, bits: int) -> Mapping[Symbol, arb]:
        """q, sigma_w, sigma_b, chi, and e_k = [t^k] f."""
        given = dict(self.parameters(bits))
        with working(bits):
            found = given | {f_(1): self._first(given)}
            row = self.level(0, bits, TERMS, span_of(arb(SPANS[0]))).terms[1:]
            found |= {e_(k): c for k, c in enumerate(row)}
        return found | {name: found[symbol] for name, symbol in self.names.items()}

    def _first(self, given: Mapping[Symbol, arb]) -> arb:
        found = given[SIGMA_W] ** 2 * self.moments(1, given[Q])
        if self.critical and not found.contains(1):
            raise Refused(f"{self} has f'(1) = {found.str(10)} and not 1: it is not on the Edge of Chaos")
        return arb(1) if self.critical else found

    def sharp(self, bits: int) -> "KinkedMap":
        """With more of the Hermite sum."""
        most = MOST_WITH_FACTORIALS if self.has_factorials else 3 * bits
        return replace(self, hermite=max(self.hermite, min(3 * bits, most)), _found={}, _last={})

    @property
    def has_factorials(self) -> bool:
        """Whether derivatives of phi grow like factorials."""
        return any(piece.has_factorials for piece in self.pieces)

    def require_reach(self, bits: int) -> None:
        """With poles the Hermite sum converges slowly where the powers of t are of no use yet."""
        if bits > MOST_BITS and self.has_factorials:
            raise Refused(f"deep values of {self} are enclosed to about {MOST_DIGITS} digits; ask for fewer digits")

    def level(self, d: int, bits: int, length: int, span: arb) -> Level:
        """f^(d)(1 - t^2) to t^length at the least, on [0, T]."""
        key = bits, length, span.mid().man_exp(), span.rad().man_exp()
        if key not in self._found:
            with working(bits, length + 8):
                self._found[key] = self._levels(dict(self.parameters(bits)), length + 4, span)
        return self._found[key][d]

    def _levels(self, given: Mapping[Symbol, arb], length: int, span: arb) -> list[Level]:
        """f, f', f''."""
        q, weight, last = given[Q], given[SIGMA_W] ** 2, 3 + -(-length // 2)
        here = Level([arb(0)], arb(0, self.moments(last, q).upper()))
        deltas = Deltas.of(self.pieces, q, 2 * last + 2, span)
        for j in range(last - 1, 0, -1):
            inner = here.plus(deltas.between(j))
            here = inner.integrated().scaled(-q, self.moments(j, q) if j > 1 else self._first(given) / weight)
        slope = here.scaled(weight)
        slope = Level([slope.terms[0], self._first(given), *slope.terms[2:]], slope.rest)
        return [slope.integrated().scaled(arb(-1), 1), slope, inner.scaled(weight * q)]

    def series(self, program: KinkedFunction, bits: int, count: int) -> list[arb]:
        """Its coefficients of 1, t, t^2, ..."""
        with working(bits, count):
            return list(program.level(bits, count, span_of(arb(SPANS[0]))).terms[1 : count + 1])

    def numbers(self, bits: int) -> Numbers:
        """The Hermite sum, and f^(d)(1) as far as it is finite."""
        if bits not in self._found:
            given = dict(self.parameters(bits))
            f = [arb(1), self._first(given)]
            with working(bits):
                if not jumps_of(self.pieces, 1):
                    f.append(given[SIGMA_W] ** 2 * given[Q] * self.moments(2, given[Q]))
                self._found[bits] = Numbers(f, self._weights(given, self.hermite_means(given[Q], self.hermite)))
        return self._found[bits]

    def hermite_means(self, q: arb, count: int) -> list[arb]:
        """E[phi He_k]/sqrt(k!), k < count, by parts.

        Where the terms are much larger than their sum, the middle of q's ball is taken and the rest of it covered by
        |d/dq E[phi(sqrt(q) Z) He_k(Z)]| = |E[phi' Z He_k]|/(2 sqrt(q)) <= sup |phi'| sqrt(k!)/(2 sqrt(q)).
        """
        spare, middle, slack = 0, q, arb(0)
        if self.has_factorials:
            spare, middle = max(piece.spare(count, q) for piece in self.pieces), q.mid()
            steepest = arb(max(float(piece.largest(1)) for piece in self.pieces)) * (1 + arb(2) ** -40)  # above |phi'|
            slack = steepest * q.rad() / (2 * q.sqrt())
        with working(flint.ctx.prec + 2 * count + spare):
            sums = self._sums_by_parts(middle, count)
            return [value / arb(k + 1).gamma().sqrt() + arb(0, slack.upper()) for k, value in enumerate(sums)]

    def _sums_by_parts(self, q: arb, count: int) -> list[arb]:
        """E[phi(sqrt(q) Z) He_k(Z)], k < count."""
        root = q.sqrt()
        values = [_hermite_times_density(number(b) / root, count) for b in breaks_of(self.pieces)]
        jumps = [(j, jump * root**j, values[place])
                 for j in range(count) for place, (_, jump) in jumps_of(self.pieces, j).items()]  # fmt: skip
        means = [sum(row, arb(0)) for row in zip(*(piece.means(count, q) for piece in self.pieces), strict=True)]
        return [sum((jump * row[k - 1 - j] for j, jump, row in jumps if j < k), mean * root**k)
                for k, mean in enumerate(means)]  # fmt: skip

    def derivative(self, d: int, t: arb, bits: int) -> arb:
        """f^(d)(1 - t^2); the last ones are kept, because a map and what runs along it ask for the same."""
        key = d, bits, t.mid().man_exp(), t.rad().man_exp()
        if key not in self._last:
            if len(self._last) > KEPT:
                self._last.clear()
            self._last[key] = self._derivative(d, t, bits)
        return self._last[key]

    def _derivative(self, d: int, t: arb, bits: int) -> arb:
        near = self._near(d, t, bits)
        try:
            numbers = self.numbers(bits)
            if near is not None and float(near.rad()) < numbers.least(d, t * t):
                return near
            far = numbers.derivative(d, t * t)
        except Refused:
            return arb.nan() if near is None else near
        if near is None:
            return far
        if not near.overlaps(far):
            raise Refused("the Taylor polynomial of the correlation map contradicts its Hermite sum")
        return near.intersection(far)

    def _near(self, d: int, t: arb, bits: int) -> arb | None:
        """f^(d)(1 - t^2) by its powers of t; None where they do not reach."""
        reach = next((reach for reach in SPANS if t > 0 and t <= reach), None)
        if reach is None:
            return None
        try:
            return self.level(d, bits, LENGTH, span_of(arb(reach))).at(t)
        except Refused:  # breakpoints too near to each other for the interval
            return None

    @property
    def program(self) -> KinkedFunction:
        """1 - f."""
        return KinkedFunction(self, 0, -1, 1)

    @cached_property
    def tangents(self) -> LinearAlong:
        """The NTK over q: K' = f'(c) K + f(c), K^1 = c^1."""
        return LinearAlong(KinkedFunction(self, 1, 1), KinkedFunction(self, 0, 1), lambda x: 1 - x, ROOT_GAP)

    def called(self, ratio: Sequence[Expr]) -> dict:
        """What its coefficients are called: x'/x = f'(1) - sum_(k > 0) e_(k+2) t^k."""
        return {ratio[0]: f_(1)} | {-c: e_(k) for k, c in enumerate(ratio, 2)}

    def exact_image(self, x: Expr, parameters: Mapping[Symbol, arb]) -> arb:
        """The next gap of an exact one."""
        return self.program.value(number(x, parameters).sqrt())


def e_(k: int) -> Symbol:
    """The symbol of [t^k] f in printed coefficients."""
    return Symbol(f"e_{k}", real=True)


def _hermite_times_density(z: arb, count: int) -> list[arb]:
    """He_k(z) n(z) for k < count."""
    found = [(-z * z / 2).exp() / (2 * arb.pi()).sqrt()]
    for k in range(1, count):
        found.append(z * found[k - 1] - ((k - 1) * found[k - 2] if k > 1 else 0))
    return found
