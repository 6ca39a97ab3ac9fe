"""An activation as a sum of gated terms  P(x) exp(b x - d x^2) 1{gate}.

Expand every piece into k x^a exp(b x - d x^2) [erf(e x + g)], sines and hyperbolic sines being exponentials.  A gate is
an event {e x + W > threshold}, W normal and independent of x: at a breakpoint x_j {x > x_j} or {-x > -x_j}, no noise;
erf(e x + g) = 2 1{sqrt(2) (e x + g) + W > 0} - 1 with Var W = 1.  Terms with one exponential are anchored at the end of
the line where it is small, or they would cancel.  At most one gate a term, else `read` returns None.
"""

from collections import defaultdict
from dataclasses import dataclass

from sympy import Expr, Integer, Symbol, expand, sqrt

from asympt.gaussian.closed import moments
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


def read(phi: PiecewiseSmooth) -> tuple[Term, ...] | None:
    """The terms of phi, or None when it is not a sum of them.

    >>> from sympy import Max, exp
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
    except moments.NoRule:
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
    found: dict = defaultdict(lambda: defaultdict(lambda: Integer(0)))
    for (power, rate, minus_curvature, errors), coefficient in moments.read(piece, x).items():
        if len(errors) > 1:
            raise moments.NoRule
        for slope, shift in errors:
            found[rate, -minus_curvature, (shift, slope)][power] += 2 * coefficient
            coefficient = -coefficient
        found[rate, -minus_curvature, None][power] += coefficient
    return found


def _dense(powers: dict[int, Expr] | None) -> tuple[Expr, ...]:
    return tuple(expand(powers.get(n, Integer(0))) for n in range(max(powers) + 1)) if powers else ()


def _gated(key: tuple, polynomials: list[tuple], phi: PiecewiseSmooth):
    """The terms of one exponential, given its polynomial on every piece."""
    rate, curvature, argument = key
    if argument is not None or rate.is_real is False:
        if any(_difference(polynomials[0], other) for other in polynomials):
            raise moments.NoRule
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
