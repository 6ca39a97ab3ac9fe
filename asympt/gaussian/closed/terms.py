"""An activation as a sum of gated terms  P(x) exp(b x - d x^2) 1{gate}.

Rule.  Expand every piece into k x^a exp(b x - d x^2) [erf(e x + g)], sines and hyperbolic sines being exponentials.
A gate is an event {e x + W > threshold}, W normal and independent of x:

* a breakpoint x_j: {x > x_j} or {-x > -x_j}, no noise: the polynomial P jumps there by P_right - P_left;
* erf(e x + g) = 2 1{sqrt(2) (e x + g) + W > 0} - 1 with Var W = 1.

Terms with one exponential are anchored at the end of the line where that exponential is small: exp(x) for x < 0 is
exp(x) 1{-x > 0}, not exp(x) - exp(x) 1{x > 0}, which would cancel.

Known limits.  One gate per term: no erf that changes at a breakpoint, no power of erf; an exponential with a complex
exponent must not change at a breakpoint either.  `read` says so by returning None.
"""

from collections import defaultdict
from dataclasses import dataclass

from sympy import Add, Expr, Integer, Mul, Poly, Symbol, cos, cosh, erf, erfc, exp, expand, log, sin, sinh, sqrt

from asympt.gaussian.piecewise import PiecewiseSmooth


@dataclass(frozen=True)
class Gate:
    """The event {slope x + W > threshold}, Var W = noise; `pinned`: the event's density {slope x + W = threshold}."""

    slope: Expr
    noise: Expr
    threshold: Expr
    pinned: bool = False


@dataclass(frozen=True)
class Term:
    """P(x) exp(rate x - curvature x^2) 1{gate}; `polynomial` lists P's coefficients from x^0 up."""

    polynomial: tuple[Expr, ...]
    rate: Expr
    curvature: Expr
    gate: Gate | None


class NoTerms(Exception):
    """A formula that is not a sum of such terms (internal: `read` turns it into None)."""


def read(phi: PiecewiseSmooth) -> tuple[Term, ...] | None:
    """The terms of phi, or None when it is not a sum of them.

    >>> from sympy import Max
    >>> x = Symbol("x", real=True)
    >>> [(t.polynomial, t.gate.threshold) for t in read(PiecewiseSmooth.of(Max(x - 1, 0), x))]
    [((-1, 1), 1)]
    >>> read(PiecewiseSmooth.of(1 / (1 + exp(-x)), x)) is None
    True
    """
    try:
        pieces = [_collected(piece, phi.symbol) for piece in phi.pieces]
        keys = dict.fromkeys(key for piece in pieces for key in piece)
        return tuple(term for key in keys for term in _gated(key, [_dense(piece.get(key)) for piece in pieces], phi))
    except NoTerms:
        return None


def pins(phi: PiecewiseSmooth) -> tuple[Term, ...]:
    """The delta parts of phi': the jumps of phi at its breakpoints."""
    zero, one = Integer(0), Integer(1)
    return tuple(
        Term((jump,), zero, zero, Gate(one, zero, point, pinned=True))
        for point, jump in zip(phi.breaks, phi.jumps(0), strict=True)
        if jump != 0
    )


def _collected(piece: Expr, x: Symbol) -> dict[tuple, dict[int, Expr]]:
    """{(rate, curvature, argument of erf or None): {power: coefficient}} of one piece."""
    waves = piece.replace(lambda node: isinstance(node, sin | cos | sinh | cosh), lambda node: node.rewrite(exp))
    found: dict = defaultdict(lambda: defaultdict(lambda: Integer(0)))
    for summand in Add.make_args(expand(waves.replace(erfc, lambda z: 1 - erf(z)))):
        if summand == 0:
            continue
        coefficient, power, rate, curvature, argument = _factors(summand, x)
        if argument is not None:
            found[rate, curvature, argument][power] += 2 * coefficient
            coefficient = -coefficient
        found[rate, curvature, None][power] += coefficient
    return found


def _factors(summand: Expr, x: Symbol) -> tuple:
    """coefficient, power, rate, curvature and the (e, g) of erf(e x + g) of one product."""
    coefficient, rest = summand.as_independent(x, as_Add=False)
    power, exponent, argument = 0, Integer(0), None
    for factor in Mul.make_args(rest):
        base, index = factor.as_base_exp()
        if base == x and index.is_Integer and index > 0:
            power += int(index)
        elif isinstance(factor, exp):
            exponent += factor.exp
        elif factor.is_Pow and not base.has(x) and base.is_positive:
            exponent += index * log(base)
        elif isinstance(factor, erf) and argument is None:
            argument = tuple(_polynomial(factor.args[0], x, 1))
        elif factor != 1:
            raise NoTerms
    constant, rate, minus_curvature = _polynomial(exponent, x, 2)
    return coefficient * exp(constant), power, rate, -minus_curvature, argument


def _polynomial(expression: Expr, x: Symbol, degree: int) -> list[Expr]:
    """Coefficients from x^0 to x^degree."""
    expression = expand(expression)
    if not expression.is_polynomial(x) or Poly(expression, x).degree() > degree:
        raise NoTerms
    return [expression.coeff(x, n) for n in range(degree + 1)]


def _dense(powers: dict[int, Expr] | None) -> tuple[Expr, ...]:
    return tuple(expand(powers.get(n, Integer(0))) for n in range(max(powers) + 1)) if powers else ()


def _gated(key: tuple, polynomials: list[tuple], phi: PiecewiseSmooth):
    """The terms of one exponential, given its polynomial on every piece."""
    rate, curvature, argument = key
    if argument is not None or rate.is_real is False:
        if any(_difference(polynomials[0], other) for other in polynomials):
            raise NoTerms
        gate = None if argument is None else Gate(sqrt(2) * argument[1], Integer(1), -sqrt(2) * argument[0])
        candidates = [(polynomials[0], gate)]
    else:
        candidates = list(_steps(polynomials, phi.breaks, rightwards=not rate.is_positive))
    return [Term(p, rate, curvature, gate) for p, gate in candidates if any(c != 0 for c in p)]


def _steps(polynomials: list[tuple], breaks: tuple, rightwards: bool):
    """The polynomial of the anchoring end, then a gated change at every breakpoint."""
    zero, one = Integer(0), Integer(1)
    yield polynomials[0 if rightwards else -1], None
    for point, left, right in zip(breaks, polynomials[:-1], polynomials[1:], strict=True):
        if rightwards:
            yield _difference(right, left), Gate(one, zero, point)
        else:
            yield _difference(left, right), Gate(-one, zero, -point)


def _difference(a: tuple, b: tuple) -> tuple[Expr, ...]:
    """Coefficients of a - b; empty when they are equal."""
    size = max(len(a), len(b))
    pad = [(*p, *[Integer(0)] * (size - len(p))) for p in (a, b)]
    changes = tuple(expand(u - v) for u, v in zip(*pad, strict=True))
    return changes if any(c != 0 for c in changes) else ()
