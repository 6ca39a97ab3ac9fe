"""The law put back into the recursion: what is left must be the stated remainder, symbolically.

Problem.  A law is a truncated expansion E(l) of x_l, a sum of c l^(-p) log(l)^j.  Does it solve x' = G(x) formally?

Rule.  Put u = l^(-1/q), w = log l.  With E = c_0 l^(-p_0) g(u, w), g(0) = 1, both E(l+1) and G(E(l)) are power
series in u with polynomial coefficients in w and in the constants, so their difference is computed exactly.  If the
rest of the law is O(l^(-P) log^J) and the recursion contracts like 1 - kappa/l, the difference is
O(l^(-P-1) log^J): every larger coefficient must vanish.  For a linear law a' = lambda a + b the same is done with
a = l E and the flow x_l.

This module shares no code with the derivation: G's series comes from SymPy's `series` on the closed form (and is
accepted only after a numeric residual), the arithmetic from ring_series.

Known limits.  It cannot see a wrong coefficient in front of a free constant's own term (l^-3 here): shifting it
only re-labels C.  `inverse` looks at those.
"""

from mpmath import mp
from sympy import Expr, Integer, Rational, Symbol, lambdify, series

from asympt.evidence.check import Check
from asympt.evidence.ring import DepthRing, Profile, U, W, above, scaled

T = Symbol("t", positive=True)


def substitution_check(law) -> Check:
    """The residual of the law in its own recursion: no term larger than the stated remainder may survive."""
    name = "substituted into the recursion, no term above the stated remainder is left"
    survivors = _linear_survivors(law) if law.linear is not None else _survivors(law)
    figure = survivors[0] if survivors else Integer(0)
    detail = "symbolic: exact zero coefficients; blind only to a relabelled connection constant"
    return Check(name, str(figure), 0, not survivors, "proved", detail)


# ---- series of the original map -----------------------------------------------------------------


def taylor(expression: Expr, count: int, shift: int = 0) -> list[Expr]:
    """Coefficients of expression / t^shift in t, by SymPy's `series`, accepted only after a numeric residual."""
    expanded = series(expression, T, 0, count + shift).removeO()
    coefficients = [expanded.coeff(T, k + shift) for k in range(count)]
    _accept(expression, expanded, count + shift)
    return coefficients


def _accept(expression: Expr, expanded: Expr, order: int) -> None:
    point = {s: Rational(2 + 3 * k, 7) for k, s in enumerate(sorted(expression.free_symbols - {T}, key=str))}
    expression, expanded = expression.subs(point), expanded.subs(point)
    with mp.workdps(60):
        exact, approximate = lambdify(T, expression, "mpmath"), lambdify(T, expanded, "mpmath")
        for point in (mp.mpf(1) / 50, mp.mpf(1) / 100):
            if abs(exact(point) - approximate(point)) > 1000 * point**order:
                raise ArithmeticError(f"SymPy's series of {expression} has a numeric residual above O(t^{order})")


# ---- one recursion ------------------------------------------------------------------------------


def _survivors(law) -> list[Expr]:
    """Residual terms of x' = G(x) that exceed the remainder, largest first."""
    profile, rest = Profile.of(law.expansion), law.expansion.remainder.monomial
    allowed = int((rest.order - profile.order) * profile.q) + profile.q
    ring, wave, (step, shape) = _along_flow(law, profile, allowed + 1, [])
    moved = ring.times(ring.next_layer(shape, profile.q), ring.shift_factor(profile.q, -profile.order))
    return above(ring.terms(moved - ring.times(shape, ring.horner(step, wave))), allowed, rest.logs)


def _along_flow(law, profile: Profile, precision: int, extra: list[Expr]) -> tuple:
    """The ring, t/a along the flow, and (series of x'/x, shape, *extra) as ring elements."""
    root = law.dynamics.root
    count = precision // profile.speed(root) + 1
    ratio = scaled(taylor(law.dynamics.formula, count, shift=root), profile.size(root))
    ring = DepthRing([profile.shape(), *ratio, *extra], precision)
    shape, step, rest = ring.elements[0], ring.elements[1 : count + 1], ring.elements[count + 1 :]
    wave = ring.times(ring.u ** profile.speed(root), ring.root(shape, Rational(1, root)))
    return ring, wave, (step, shape, *rest)


def _linear_survivors(law) -> list[Expr]:
    """Residual terms of a' = lambda(x) a + b(x), a = l E(l), that exceed the remainder."""
    profile, rest = Profile.of(law.flow), law.expansion.remainder.monomial
    q, root = profile.q, law.dynamics.root
    allowed = int(rest.order * q)
    precision = allowed + q + 1
    count = precision // profile.speed(root) + 1
    series_pair = [scaled(taylor(f, count), profile.size(root)) for f in law.dynamics.linear.formulas]
    average = sum((c * U ** (m.order * q) * W**m.logs for m, c in law.expansion.terms), Integer(0))
    ring, wave, (_, _, *extra) = _along_flow(law, profile, precision, [*series_pair[0], *series_pair[1], average])
    slope, source = ring.horner(extra[:count], wave), ring.horner(extra[count : 2 * count], wave)
    return above(_linear_residual(ring, q, slope, source, extra[-1]), allowed, rest.logs)


def _linear_residual(ring: DepthRing, q: int, slope, source, average) -> list:
    """l [(1 + 1/l) E(l+1) - lambda E(l)] - b, term by term."""
    moved = ring.times(ring.next_layer(average, q), 1 + ring.u**q)
    kept = moved - ring.times(slope, average) - ring.times(source, ring.u**q)
    return [(i - q, j, c) for i, j, c in ring.terms(kept)]
