"""A function of x on a strip about the real line: that it is analytic there, and how large it is.

Problem.  A rigorous E[phi(sqrt(q) Z)] needs, beyond numbers at nodes, that phi is analytic for |Im x| <= A and a bound
|phi(x)| <= S exp(kappa |Re x|) there, for a phi that is given as a formula.

Rule.  The program of the formula (`expression`) is run twice more.  For |Re x| <= X on boxes that cover the rectangle:
a node whose operand's box meets a pole or a cut is refused, and the box is cut in four.  For Re x >= X (and, with -x
for x, for Re x <= -X) with every node kept as

    exp(s x) x^d b,   s rational and exact, d whole, b in a box that holds for all these x at once.

A sum keeps the largest s, then the largest d; the rest is a small box, since (|x| + A)^j exp(-delta x) falls from X on.

Tiny case.  1/(1 + exp(-x)): exp(-x) is (-1, 0, 1), the sum (0, 0, 1 +- exp(-X)), so the sigmoid is (0, 0, about 1).

Known limits.  At infinity exp, erf, atan, sin and cos are known of a linear argument (exp also of -x^2 times a number),
and roots of what tends to a positive number; other nodes are refused by name.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import sympy
from flint import acb, arb
from sympy import Expr, Rational, Symbol

from asympt.balls.arithmetic import Refused, exact_rational, largest, magnitude, working
from asympt.balls.expression import Program, program_of
from asympt.balls.programs.domains import Domain
from asympt.balls.programs.instructions import Instruction
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
    reason = None
    with working(BITS):
        for height in map(arb, HEIGHTS):
            try:
                return _proved(program, height)
            except (Refused, PrecisionError) as refused:
                reason = refused
    raise Refused(f"{formula} is not seen to be analytic in any strip about the real line: {reason}")


def _proved(program: Program, height: arb) -> Strip:
    mirror = program_of(program.formula.subs(program.symbol, -program.symbol), program.symbol)
    ends = [_at_infinity(side, height) for side in (program, mirror)]
    fastest = max(end.speed for end in ends)
    growth = GROWTH if fastest < GROWTH else fastest + 1
    kappa = exact_rational(growth)
    far = [magnitude(end.box) * _most(growth - end.speed, end.degree, height) for end in ends]
    sizes = [size * (-kappa * _nearest(box)).exp() for box, size in _sizes(program, _boxes(height), CUTS)]
    return Strip(height, largest([*far, *sizes], "the function on its strip"), kappa)


# ---- the rectangle ----------------------------------------------------------------------------------


def _boxes(height: arb) -> Iterator[acb]:
    """Boxes that cover the upper half of the rectangle; below, phi has the conjugate values."""
    for column, row in product(range(-COLUMNS // 2, COLUMNS // 2), range(ROWS)):
        real, imaginary = (arb(k).union(arb(k + 1)) for k in (column, row))
        yield acb(real * (2 * FAR) / COLUMNS, imaginary * height / ROWS)


def _nearest(box: acb) -> arb:
    """min |Re x| over a box."""
    return box.real.abs_lower()


def _sizes(program: Program, boxes, cuts: int) -> Iterator[tuple[acb, arb]]:
    """(box, bound of |phi| on it), cutting where the box is too large for a proof."""
    for box in boxes:
        try:
            yield box, magnitude(acb(program.run(_Box(box), {})[-1]))
        except (Refused, PrecisionError):
            if not cuts:
                raise
            yield from _sizes(program, _quarters(box), cuts - 1)


def _quarters(box: acb) -> list[acb]:
    halves = [[part.lower().union(part.mid()), part.mid().union(part.upper())] for part in (box.real, box.imag)]
    return [acb(real, imaginary) for real, imaginary in product(*halves)]


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
            raise Refused(f"{instruction.node} is not seen to be analytic in the strip")
        return getattr(argument, rule.name)()


def _require_no_cut(instruction: Instruction, value: acb) -> None:
    """The box lies off (-oo, 0], where the principal branch is analytic."""
    if not (value.real > 0 or value.imag > 0 or value.imag < 0):
        raise Refused(f"{instruction.node} may have a cut in the strip")


# ---- beyond the rectangle ---------------------------------------------------------------------------


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
        raise Refused("a function is not seen to fall at infinity from the edge of the rectangle on")
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
            raise Refused(f"{instruction.node} grows at a rate that is no rational number")
        return _End(c, 0, acb(self._ball(start).exp()))

    def _log(self, instruction: Instruction, argument: _End) -> _End:
        """s x + d log x + log b, as long as the sum of the three arguments is the principal one."""
        s, d, b = argument.speed, argument.degree, argument.box
        if not b.real > 0:
            raise Refused(f"{instruction.node} is not seen to be analytic far out in the strip")
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
