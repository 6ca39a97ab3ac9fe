"""Gaussian expectations of an activation that is analytic in a strip, and of its derivatives, as balls.

The trapezoidal rule on |z| <= h n; its nodes and the Taylor polynomials of phi there serve all moments.  Of an
integrand that is analytic and at most M exp(g |Re z|) on |Im z| <= a, the error is at most (docs/bounds.md)

    4 M exp(a^2/2 + g^2/2)/(exp(2 pi a/h) - 1) + M exp(g^2/2) erfc((hn - g)/sqrt(2)).

The strip is proved by two more runs of the formula's program: on boxes that cover |Re x| <= X, and beyond X, where
every node is exp(s x) x^d b, b in a box.  Nodes not known at infinity are refused by name.  q and sigma_w are zeros of
F, by interval Newton.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import product
from math import ceil, log, pi, sqrt

import flint
import sympy
from flint import acb, arb, arb_poly
from sympy import Expr, Rational, Symbol

from asympt.balls.arithmetic import Refused, exact_rational, first_proved, largest, magnitude, require_finite, working
from asympt.balls.expression import Domain, Instruction, Program, program_of
from asympt.errors import PrecisionError

BITS = 64
FAR = 24  # X
COLUMNS, ROWS = 192, 4  # boxes of the rectangle -X <= Re x <= X, 0 <= Im x <= A
CUTS = 5  # how often a box is cut in four
HEIGHTS = tuple(4 * 0.85**k for k in range(30))  # A
GROWTH = Rational(1, 4)  # kappa, when phi grows less than exponentially
HYPERBOLIC = (sympy.tanh, sympy.sinh, sympy.cosh, sympy.coth, sympy.sech, sympy.csch)


@dataclass(frozen=True)
class Strip:
    """Proved: phi is analytic on a neighbourhood of |Im x| <= height, and |phi(x)| <= size exp(growth |Re x|) there.

    >>> x = Symbol("x")
    >>> strip = strip_of(sympy.tanh(x), x)
    >>> 1 < strip.height < 1.5708, strip.size > 1
    (True, True)
    """

    height: arb
    size: arb
    growth: arb


@lru_cache(maxsize=64)
def strip_of(formula: Expr, symbol: Symbol) -> Strip:
    """The widest strip of a few that can be proved; `Refused`, with the reason, where there is none."""
    program = program_of(formula.rewrite(HYPERBOLIC, sympy.exp), symbol)
    try:
        with working(BITS):
            return first_proved((partial(_proved, program, arb(height)) for height in HEIGHTS), 1)[0]
    except (Refused, PrecisionError) as reason:
        raise Refused(f"{formula} cannot be shown to be analytic in any strip about the real line: {reason}") from None


def _proved(program: Program, height: arb) -> Strip:
    mirror = program_of(program.formula.subs(program.symbol, -program.symbol), program.symbol)
    ends = [_at_infinity(side, height) for side in (program, mirror)]
    fastest = max(end.speed for end in ends)
    growth = GROWTH if fastest < GROWTH else fastest + 1
    kappa = exact_rational(growth)
    far = [magnitude(end.box) * _most(growth - end.speed, end.degree, height) for end in ends]
    sizes = [size * (-kappa * box.real.abs_lower()).exp() for box, size in _sizes(program, _boxes(height), CUTS)]
    return Strip(height, largest([*far, *sizes], "the function on its strip"), kappa)


def _boxes(height: arb) -> Iterator[acb]:
    """Boxes that cover the upper half of the rectangle; below, phi has the conjugate values."""
    for column, row in product(range(-COLUMNS // 2, COLUMNS // 2), range(ROWS)):
        real, imaginary = (arb(k).union(arb(k + 1)) for k in (column, row))
        yield acb(real * (2 * FAR) / COLUMNS, imaginary * height / ROWS)


def _sizes(program: Program, boxes, cuts: int) -> Iterator[tuple[acb, arb]]:
    """(box, bound of |phi| on it), cutting where the box is too large for a proof."""
    for box in boxes:
        try:
            yield box, magnitude(acb(program.run(_Box(box), {})[-1]))
        except (Refused, PrecisionError):
            if not cuts:
                raise
            halves = [[part.lower().union(part.mid()), part.mid().union(part.upper())] for part in (box.real, box.imag)]
            yield from _sizes(program, [acb(real, imaginary) for real, imaginary in product(*halves)], cuts - 1)


class _Box(Domain):
    """Values on a box of the complex plane, every node analytic there or refused."""

    def __init__(self, box: acb):
        self.box = box

    def leaf(self, instruction: Instruction, parameters: Mapping) -> acb:
        return self.box

    def power(self, instruction: Instruction, base: acb) -> acb:
        exponent = instruction.exponent
        if exponent.is_Integer:
            if exponent < 0 and base.contains(0):
                raise Refused(f"{instruction.node} may have a pole in the strip")
            return base ** int(exponent)
        _require_no_cut(instruction, base)
        return (base.log() * exact_rational(exponent)).exp()

    def function(self, instruction: Instruction, argument: acb) -> acb:
        rule = instruction.rule
        if rule.name == "log":
            _require_no_cut(instruction, argument)
        elif rule.positive is not None and not rule.positive(argument).real > 0:
            raise Refused(f"{instruction.node} cannot be shown to be analytic in the strip")
        return getattr(argument, rule.name)()


def _require_no_cut(instruction: Instruction, value: acb) -> None:
    """The box lies off (-oo, 0], where the principal branch is analytic."""
    if not (value.real > 0 or value.imag > 0 or value.imag < 0):
        raise Refused(f"{instruction.node} may have a cut in the strip")


@dataclass(frozen=True)
class _End:
    """exp(speed x) x^degree b, b in `box` for every x with Re x >= X, |Im x| <= A."""

    speed: Rational
    degree: int
    box: acb


def _at_infinity(program: Program, height: arb) -> _End:
    end = program.run(_FarEnd(program, height), {})[-1]
    return end if isinstance(end, _End) else _End(Rational(0), 0, acb(end))


def _most(delta: Rational, power: int, height: arb) -> arb:
    """A bound of |x^power exp(-delta x)| for Re x >= X, |Im x| <= A."""
    near, rate = arb(FAR), exact_rational(delta)
    if power <= 0:
        if delta < 0:
            raise Refused("a function grows faster at infinity than its bound")
        return near**power * (-rate * near).exp()
    if not rate * (near + height) >= power:
        raise Refused("a function cannot be shown to fall at infinity from the edge of the rectangle on")
    return (near + height) ** power * (-rate * near).exp()


def _about_zero(radius: arb) -> acb:
    return acb(arb(0, radius.upper()), arb(0, radius.upper()))


@dataclass
class _FarEnd(Domain):
    """Nodes as `_End`."""

    program: Program
    height: arb

    def leaf(self, instruction: Instruction, parameters: Mapping) -> _End:
        return _End(Rational(0), 1, acb(1))

    def _lifted(self, value) -> _End:
        return value if isinstance(value, _End) else _End(Rational(0), 0, acb(value))

    def total(self, parts: Sequence) -> _End:
        parts = [self._lifted(part) for part in parts]
        lead = max(parts, key=lambda part: (part.speed, part.degree))
        box = acb(0)
        for part in parts:
            delta, power = lead.speed - part.speed, part.degree - lead.degree
            same = delta == 0 and power == 0
            box += part.box if same else part.box * _about_zero(_most(delta, power, self.height))
        return _End(lead.speed, lead.degree, box)

    def product(self, parts: Sequence) -> _End:
        parts, box = [self._lifted(part) for part in parts], acb(1)
        for part in parts:
            box = box * part.box
        return _End(sum((p.speed for p in parts), Rational(0)), sum(p.degree for p in parts), box)

    def power(self, instruction: Instruction, base: _End) -> _End:
        exponent = instruction.exponent
        if exponent.is_Integer:
            if exponent < 0 and base.box.contains(0):
                raise Refused(f"{instruction.node} may have a pole far out in the strip")
            return _End(base.speed * exponent, base.degree * int(exponent), base.box ** int(exponent))
        if (base.speed, base.degree) != (0, 0) or not base.box.real > 0:
            raise Refused(f"{instruction.node} is not bounded far out in the strip")
        return _End(Rational(0), 0, (base.box.log() * exact_rational(exponent)).exp())

    def function(self, instruction: Instruction, argument: _End) -> _End:
        name = instruction.rule.name
        if argument.speed == 0 and argument.degree <= 0:
            falling = _about_zero(magnitude(argument.box) * arb(FAR) ** argument.degree)
            small = falling if argument.degree else argument.box
            return _End(Rational(0), 0, _Box(small).function(instruction, small))
        if name in ("exp", "log", "erf", "erfc", "atan", "sin", "cos"):
            return getattr(self, f"_{'wave' if name in ('sin', 'cos') else name}")(instruction, argument)
        raise Refused(f"{instruction.node} is not bounded at infinity by any rule here")

    def _slope(self, instruction: Instruction) -> tuple[Expr, Expr]:
        """(c, c_0) of an argument c x + c_0."""
        argument, x = instruction.node.args[0], self.program.symbol
        c = argument.diff(x)
        if c.free_symbols:
            raise Refused(f"the argument of {instruction.node} is not linear, so its size at infinity is not known")
        return c, argument.subs(x, 0)

    def _ball(self, number: Expr) -> arb:
        return program_of(number, self.program.symbol).value(arb(0))

    def _towards(self, instruction: Instruction, least: int) -> tuple[arb, int, arb]:
        """(c, its sign, the size of the real argument c x + c_0 at the edge, which must exceed `least`)."""
        c, start = map(self._ball, self._slope(instruction))
        sign = 1 if c > 0 else -1
        near = sign * (c * FAR + start)
        if not (c != 0 and near > least):  # balls differ where they are disjoint
            raise Refused(f"{instruction.node} has not come near its limit at the edge of the rectangle")
        return c, sign, near

    def _exp(self, instruction: Instruction, argument: _End) -> _End:
        x, inside = self.program.symbol, instruction.node.args[0]
        k = -inside.diff(x, 2) / 2
        if not k.free_symbols and inside.expand() == (-k * x**2).expand():  # |exp(-k x^2)| = exp(-k (Re^2 - Im^2))
            if not self._ball(k) > 0:
                raise Refused(f"{instruction.node} grows at infinity faster than any exponential")
            exponent = -self._ball(k) * (arb(FAR) ** 2 - self.height**2)
            return _End(Rational(0), 0, _about_zero(exponent.exp()))
        c, start = self._slope(instruction)
        if not c.is_Rational:
            raise Refused(f"{instruction.node} grows at a rate that is not a rational number")
        return _End(c, 0, acb(self._ball(start).exp()))

    def _log(self, instruction: Instruction, argument: _End) -> _End:
        """s x + d log x + log b, as long as the sum of the three arguments is the principal one."""
        s, d, b = argument.speed, argument.degree, argument.box
        if not b.real > 0:
            raise Refused(f"{instruction.node} cannot be shown to be analytic far out in the strip")
        turn = abs(exact_rational(s)) * self.height + abs(d) * self.height / FAR + abs(b.log().imag)
        if not turn < arb.pi():
            raise Refused(f"{instruction.node} may have a cut far out in the strip")
        log_x = (arb(FAR).log() + self.height / FAR) / FAR  # |log x|/|x| falls from e on
        rest = magnitude(b.log()) / FAR + abs(d) * log_x
        return _End(Rational(0), 1, acb(exact_rational(s)) + _about_zero(rest))

    def _erf(self, instruction: Instruction, argument: _End) -> _End:
        """|erfc(x + iy)| <= exp(y^2) erfc(x) for x > 0, and erf(-z) = -erf(z)."""
        c, sign, near = self._towards(instruction, 0)
        return _End(Rational(0), 0, acb(sign) + _about_zero(((c * self.height) ** 2).exp() * near.erfc()))

    def _erfc(self, instruction: Instruction, argument: _End) -> _End:
        limit = self._erf(instruction, argument)
        return _End(limit.speed, 0, 1 - limit.box)

    def _atan(self, instruction: Instruction, argument: _End) -> _End:
        """atan g = s pi/2 - atan(1/g) where Re(s g) > 0, s = +-1, and |atan w| <= |w|/(1 - |w|) for |w| < 1."""
        _, sign, near = self._towards(instruction, 1)
        return _End(Rational(0), 0, acb(sign * arb.pi() / 2) + _about_zero(1 / (near - 1)))

    def _wave(self, instruction: Instruction, argument: _End) -> _End:
        """|sin(x + iy)|, |cos(x + iy)| <= cosh(y)."""
        c, _ = self._slope(instruction)
        return _End(Rational(0), 0, _about_zero((self._ball(c) * self.height).cosh()))


GUARD = 24  # bits


@dataclass(frozen=True, eq=False)
class BallNodes:
    """z_j = jh for |j| <= n with h rho(z_j), and phi^(k)(sqrt(q) z_j), k = 0, 1, ..."""

    step: arb
    points: Sequence[arb]
    weights: Sequence[arb]
    jets: Sequence[Sequence[arb]]


@dataclass(frozen=True, eq=False)
class BallMoments:
    """The moments of phi at q, to about `bits` bits."""

    formula: Expr
    symbol: Symbol
    q: arb
    bits: int
    order: int = 2
    _found: dict = field(default_factory=dict, repr=False)

    @cached_property
    def strip(self) -> Strip:
        """Where phi is proved to be analytic."""
        return strip_of(self.formula, self.symbol)

    def square(self, j: int, k: int) -> arb:
        """E[phi^(j) phi^(k)], j and k at most `order`."""
        j, k = sorted((j, k))
        if k > self.order:
            raise ValueError(f"derivative {k} is beyond the order {self.order}")
        if (j, k) not in self._found:
            with working(self.bits + GUARD):
                nodes, (size, growth, height) = self._nodes, self._of_square(j + k, _factorials(j, k))
                total = sum((w * jet[j] * jet[k] for w, jet in zip(nodes.weights, nodes.jets, strict=True)), arb(0))
                ball = total + arb(0, self._error(size, growth, height, nodes))
                self._found[j, k] = require_finite(ball, f"E[phi^({j}) phi^({k})] of {self.formula}")
        return self._found[j, k]

    def rate(self, j: int) -> arb:
        """d/dq E[phi^(j)^2] = E[phi^(j+1)^2 + phi^(j) phi^(j+2)]."""
        return self.square(j + 1, j + 1) + self.square(j, j + 2)

    def hermite(self, count: int) -> list[arb]:
        """E[phi(sqrt(q) Z) He_k(Z)]/sqrt(k!) for k < count.

        The polynomials at exact nodes lose less than a bit at each step of their recursion, which is added to the
        precision; phi, a ball as q is one, is multiplied in at the end.  He_k(-z) = (-1)^k He_k(z).
        """
        with working(self.bits + GUARD + count):
            nodes = self._made(*self._of_hermite(count), 1)
            sums, steps = [arb(0)] * count, [(1 / arb(k + 1).sqrt(), (arb(k) / (k + 1)).sqrt()) for k in range(count)]
            middle = len(nodes.points) // 2
            for j in range(middle, len(nodes.points)):
                here, there = nodes.jets[j][0], nodes.jets[2 * middle - j][0] if j > middle else arb(0)
                both, z = (here + there, here - there), nodes.points[j]
                before, value = arb(0), nodes.weights[j]
                for k, (up, down) in enumerate(steps):
                    sums[k] += value * both[k % 2]
                    before, value = value, z * value * up - before * down
            balls = [value + arb(0, self._error(*self._of_hermite(k), nodes)) for k, value in enumerate(sums)]
            return [require_finite(ball, f"a Hermite coefficient of {self.formula}") for ball in balls]

    def _of_square(self, order: int, factorials: arb) -> tuple[arb, arb, arb]:
        """(M, g, a) of phi^(j) phi^(k), j + k = order."""
        strip, radius = self.strip, self.strip.height / 2
        size = strip.size**2 * factorials / radius**order * (2 * strip.growth * radius).exp()
        return size, 2 * strip.growth * self.q.sqrt(), (strip.height - radius) / self.q.sqrt()

    def _of_hermite(self, k: int) -> tuple[arb, arb, arb]:
        """(M, g, a) of phi He_k/sqrt(k!)."""
        strip, root, height = self.strip, arb(k).sqrt(), self.strip.height / self.q.sqrt()
        own = (arb(k + 1).lgamma() / 2 - (arb(k).log() * k / 2 if k else 0) + root * height + arb(k) / 2).exp()
        return strip.size * own, strip.growth * self.q.sqrt() + root, height

    def _error(self, size: arb, growth: arb, height: arb, nodes: BallNodes) -> arb:
        """The bound of the module's header."""
        last = nodes.points[-1]
        if not last >= growth:
            raise Refused("the nodes do not reach to where the integrand falls")
        rule = 4 * (height**2 / 2 + growth**2 / 2).exp() / ((2 * arb.pi() * height / nodes.step).exp() - 1)
        beyond = (growth**2 / 2).exp() * ((last - growth) / arb(2).sqrt()).erfc()
        return (size * (rule + beyond)).upper()

    @cached_property
    def _nodes(self) -> BallNodes:
        with working(self.bits + GUARD):
            return self._made(*self._of_square(2 * self.order, _factorials(self.order, self.order)), self.order + 1)

    def _made(self, size: arb, growth: arb, height: arb, length: int) -> BallNodes:
        """Enough nodes for an error of 2^-bits, by floating point: the bound is computed for what they are."""
        g, a = float(growth), float(height)
        target = (self.bits + GUARD) * log(2) + max(0.0, float(size.log())) + g * g / 2
        step = arb(2 * pi * a / (target + a * a / 2 + 2)).mid()
        count = ceil((g + sqrt(2 * target)) / float(step))
        with working(flint.ctx.prec, length):
            unit, scale, program = step / (2 * arb.pi()).sqrt(), self.q.sqrt(), program_of(self.formula, self.symbol)
            points = [step * j for j in range(-count, count + 1)]
            mirrored = self.formula.subs(self.symbol, -self.symbol)
            sign = next((s for s in (1, -1) if mirrored == s * self.formula), 0)  # phi(-x) = s phi(x)
            jets = [program.derivatives(scale * z, length) for z in points[count * abs(sign) :]]
            if sign:
                below = [[c if sign == (-1) ** k else -c for k, c in enumerate(jet)] for jet in jets[:0:-1]]
                jets = below + jets
            return BallNodes(step, points, [unit * (-z * z / 2).exp() for z in points], jets)


def _factorials(j: int, k: int) -> arb:
    return arb(j + 1).gamma() * arb(k + 1).gamma()


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
                raise Refused(f"the solution near {near} cannot be shown to be one: its first digits may be wrong")
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
        raise Refused(f"the equation cannot be shown to have a simple zero near {middle.str(12, radius=False)}")
    return middle - residual(middle, bits)[0] / slope


@dataclass(frozen=True, eq=False)
class Parameters:
    """Balls for the variance and the weights of a layer, as a function of the precision.

    phi, symbol: the activation;  sigma_b: exact;  near: q to some 12 digits;
    sigma_w: exact, or None on the Edge of Chaos, where it belongs to q;
    moments: (q, bits, order) -> M_0, M_1, ... (`square`) and their derivatives in q (`rate`), where phi has
    breakpoints.
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


def moved(means: Sequence[arb], before: arb, q: arb, count: int, size: arb) -> list[arb]:
    """E[psi(sqrt(q) Z) He_k(Z)]/sqrt(k!) for k < count, from those at the variance `before`.

    With B_k = E[psi^(k)], that is q^(k/2) B_k/sqrt(k!) = O(E[psi^2]^(1/2)), dB_k/dq = B_(k+2)/2: Taylor's formula for
    all k at once, a product of polynomials; `size` bounds E[psi^2]^(1/2) between the two variances.
    """
    x, least, roots = (q - before) / (2 * before), q.lower().min(before.lower()), _roots(len(means), flint.ctx.prec)
    tiny, most, powers, last = arb(2) ** -flint.ctx.prec, (len(means) - count) // 2, [arb(1)], arb(1)
    while len(powers) <= most and abs(last).upper() > tiny:
        powers.append(powers[-1] * x / len(powers))
        last = powers[-1] * roots[count + 2 * len(powers) - 3] / roots[count - 1]
    j, beyond = len(powers) - 1, powers.pop()
    terms, weights = [a * r for a, r in zip(means, roots, strict=True)], arb_poly(powers[::-1])
    halves = [arb_poly(terms[parity::2]) * weights for parity in (0, 1)]
    unit, wide, found = (q / before).sqrt(), (q / least).sqrt(), []
    scale, rest = arb(1), (before / least) ** j * abs(beyond) * size * arb(0, 1)
    for k in range(count):
        found.append((scale * halves[k % 2][k // 2 + j - 1] + rest * roots[k + 2 * j]) / roots[k])
        scale, rest = scale * unit, rest * wide
    return found


@lru_cache(maxsize=16)
def _roots(count: int, bits: int) -> list[arb]:
    """sqrt(k!) for k < count."""
    found = [arb(1)]
    for k in range(1, count):
        found.append(found[-1] * arb(k).sqrt())
    return found


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
