"""From the flow time to the law of a driven recursion.

kappa = 1, p > 1:  T(x_l) = a log l + C + O(1/l): invert T on the scale of log l.  Otherwise, with v = l + beta,

    y(v) = T(x) = C + S[sum_(n>=1) delta(v+1)^n D_n(x(v))/n!],     S[e](v+1) - S[e](v) = e(v),

S by Euler and Maclaurin, no constant.  Start from y = clock + C and repeat: x = T^(-1)(y), then y from x; each round
gains a factor 1/v.  For p = 1 T^(-1) is an exponential; with kappa < 1 it decays like exp(-c l^(1 - kappa)): refused.
"""

from collections.abc import Iterator
from itertools import count
from math import ceil

from sympy import Expr, Integer, Rational, Symbol, bernoulli, factorial, ff, log

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.expansion import exponential
from asympt.recursions.coordinates.abel import AT_FIXED_POINT
from asympt.recursions.coordinates.abel_inversion import CONNECTION, SECOND
from asympt.recursions.coordinates.abel_linear import LinearSolution
from asympt.recursions.coordinates.flow_time.drift import Drift
from asympt.recursions.coordinates.flow_time.series import flow_time, layer_terms
from asympt.recursions.coordinates.flow_time.step_sizes import Steps
from asympt.symbols import Reserved

_V = Reserved("v", positive=True)
_Y = Reserved("Y", positive=True)
AT_DEPTH = Scale.at_infinity(_V)
MOST_ROUNDS = 60


def driven_expansion(drift: Drift, steps: Steps, depth: Symbol, terms: int) -> Expansion:
    """x_l with exactly `terms` terms and the next one as its remainder."""
    for law in _refined(drift, steps, depth):
        if len(law.terms) > terms:
            return law.truncate(terms)
    raise UnsupportedError(f"{terms} terms of the law were not reached; ask for fewer")


def _refined(drift: Drift, steps: Steps, depth: Symbol) -> Iterator[Expansion]:
    """The law with more and more terms."""
    if steps.harmonic and drift.excess:
        yield from (logarithmic(drift, steps, depth, order) for order in range(1, MOST_ROUNDS))
        return
    _require_powers(drift, steps)
    shift = Expansion.variable(Scale.at_infinity(depth)) + steps.shift
    for k in range(1, MOST_ROUNDS):
        x = uniformiser(drift, steps, time_at_depth(drift, steps, k * _unit(drift, steps))).power(drift.root)
        yield x.compose(shift)


def logarithmic(drift: Drift, steps: Steps, depth: Symbol, order: int) -> Expansion:
    """kappa = 1, p > 1: x_l on the scale of log l, from T up to t^(order - 1)."""
    time = Expansion.variable(Scale.at_infinity(log(depth))) * steps.weight + CONNECTION
    return flow_time(drift, order).revert(Scale.at_infinity(_Y)).compose(time).power(drift.root)


def kernel_at_depth(drift: Drift, solution: LinearSolution, clock: Expansion, order: int) -> Expansion:
    """P + D h of the solution at large depth, from T, P and h up to t^order; clock: that of the steps, in the depth."""
    t = flow_time(drift, order).revert(Scale.at_infinity(_Y)).compose(clock + CONNECTION)
    return solution.particular.compose(t) + solution.homogeneous.compose(t) * SECOND


def over_norm(kernel: Expansion, norm: Expansion) -> Expansion:
    """A kernel over what it is measured in, which grows like the clock."""
    return kernel * norm.power(-1, Monomial(kernel.remainder.monomial.order - 2 * norm.leading[0].order))


def time_at_depth(drift: Drift, steps: Steps, precision: Rational) -> Expansion:
    """y(v) = T(x), up to O(v^(-precision))."""
    cut = Monomial(precision)
    known = Monomial(min(precision, steps.exponent))
    time = clock_at_depth(steps, known.order) + CONNECTION + Expansion.build(AT_DEPTH, {}, Formal(known))
    if precision <= steps.exponent:
        return time
    gains = _layer_gains(drift, steps, precision)
    while True:
        t = uniformiser(drift, steps, time)
        growth = sum((step * gain.compose(t) for step, gain in gains), Expansion.build(AT_DEPTH, {}))
        following = (antidifference(growth) + CONNECTION).up_to(cut)
        if following == time:
            return time
        time = following


def uniformiser(drift: Drift, steps: Steps, time: Expansion) -> Expansion:
    """t(v) from y(v), with as many orders of T as the remainder of y is worth."""
    order = max(1, ceil(time.remainder.monomial.order / decay(drift, steps)))
    if drift.excess:
        return flow_time(drift, order).revert(Scale.at_infinity(_Y)).compose(time)
    rate = -drift.lead / drift.root  # p = 1: exp(rate T) is t(1 + ...), and a power of v at the depth
    return exponential(flow_time(drift, order) * rate).revert(Scale.at_zero(_Y)).compose(exponential(time * rate))


def _layer_gains(drift: Drift, steps: Steps, precision) -> list[tuple[Expansion, Expansion]]:
    """Pairs delta(v+1)^n, D_n/n!, that count in y at v^(-precision); D_n is of the size v^(-m decay (n-1))."""
    kappa, fall, last = steps.exponent, decay(drift, steps), precision + 1
    most = next(n for n in count(1) if kappa * n + drift.excess * fall * (n - 1) >= last)
    orders = [max(1, ceil((last - kappa * n) / fall)) for n in range(1, most)]
    following, pairs = Expansion.variable(AT_DEPTH) + 1, []
    for n, gain in enumerate(layer_terms(drift, orders), start=1):
        step = _size(steps, following, n, last)
        pairs.append((step, gain if n > 1 else Expansion.constant(AT_FIXED_POINT, 1)))
    return pairs


def _size(steps: Steps, following: Expansion, n: int, last) -> Expansion:
    """delta(v + 1)^n up to O(v^(-last))."""
    (lead, weight), *later = steps.powers(last)
    if not later:
        return following.power(-lead * n, Monomial(last)) * weight**n
    whole = sum((following.power(-p, Monomial(last)) * c for p, c in later),
                following.power(-lead, Monomial(last)) * weight)
    return whole.power(n).up_to(Monomial(last))


def decay(drift: Drift, steps: Steps) -> Expr:
    """t falls like v^(-decay), where it falls like a power."""
    if drift.excess:
        return (1 - steps.exponent) / drift.excess
    return drift.lead * steps.weight / drift.root


def _unit(drift: Drift, steps: Steps) -> Expr:
    return min(decay(drift, steps), Integer(1))


def clock_at_depth(steps: Steps, precision=0) -> Expansion:
    """The clock of the step sizes, with which y starts, up to O(v^(-precision))."""
    known = Expansion.build(AT_DEPTH, {(p, 0): c for p, c in steps.powers(precision + 1)})
    return integral(known.without_remainder())


def clock_to_constant(steps: Steps, depth: Symbol) -> Expansion:
    """The clock in the depth, up to what tends to 0."""
    if steps.harmonic:
        return Expansion.variable(Scale.at_infinity(log(depth))) * steps.weight
    kappa = steps.exponent
    known = clock_at_depth(steps, kappa) + Expansion.build(AT_DEPTH, {}, Formal(Monomial(kappa)))
    return known.compose(Expansion.variable(Scale.at_infinity(depth)))


def _require_powers(drift: Drift, steps: Steps) -> None:
    if drift.excess:
        return
    if not steps.harmonic:
        raise UnsupportedError(
            f"h starts with a multiple of x and the steps are of the size l^(-{steps.exponent}), so x decays faster "
            "than every power of l; such a law is not derived, evaluate gives its numbers"
        )
    if not decay(drift, steps).is_Rational:
        raise UnsupportedError(
            f"x_l decays like l^(-{decay(drift, steps) * drift.root}); the terms of the law can be ordered only when "
            "this power is a fraction"
        )


def antidifference(growth: Expansion) -> Expansion:
    """S with S(v+1) - S(v) = growth(v) and no constant term of its own.

    >>> print(antidifference(Expansion.build(AT_DEPTH, {(1, 0): 1}, Formal(Monomial(4)))))
    log(v) - 1/(2*v) - 1/(12*v^2) + O(1/v^3)
    """
    total, derivative = integral(growth) - growth * Rational(1, 2), differentiated(growth)
    for k in count(2, 2):
        if not derivative.up_to(total.remainder.monomial).terms:
            return total
        total = total + derivative * (bernoulli(k) / factorial(k))
        derivative = differentiated(differentiated(derivative))


def differentiated(expansion: Expansion) -> Expansion:
    """d/dv, term by term."""
    terms: dict = {}
    for monomial, c in expansion.terms:
        p, j = monomial.order, monomial.logs
        for key, weight in (((p + 1, j), -p), ((p + 1, j - 1), j)):
            if weight:
                terms[key] = terms.get(key, 0) + weight * c
    rest = expansion.remainder.monomial
    return Expansion.build(AT_DEPTH, terms, Formal(Monomial(rest.order + 1, rest.logs)))


def integral(expansion: Expansion) -> Expansion:
    """The integral over v, term by term, without a constant."""
    terms: dict = {}
    for monomial, c in expansion.terms:
        for key, weight in _integral(monomial.order, monomial.logs):
            terms[key] = terms.get(key, 0) + weight * c
    rest = expansion.remainder
    left = rest and Formal(Monomial(rest.monomial.order - 1, rest.monomial.logs))
    return Expansion.build(AT_DEPTH, terms, left)


def _integral(p: Expr, j: int) -> list:
    """Integral of v^(-p) log(v)^j as pairs (key, weight)."""
    if p == 1:
        return [((Integer(0), j + 1), Rational(1, j + 1))]
    return [((p - 1, j - i), (-1) ** i * ff(j, i) / (1 - p) ** (i + 1)) for i in range(j + 1)]
