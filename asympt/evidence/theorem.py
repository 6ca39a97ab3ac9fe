"""The law as a theorem, as the last stage of a verification: a constant for its remainder, and from which depth on.

The start is c^1 = 1/10, that of the law, or one that is followed; a law that is refuted already is not tried.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from mpmath import mp, mpf, nstr
from sympy import Expr, true

from asympt.balls.arithmetic import Disproved
from asympt.deadline import limited
from asympt.errors import AsymptError, UnsupportedError
from asympt.evidence.check import Check
from asympt.evidence.law_terms import function_of, is_slow, printed_at, rest_of
from asympt.evidence.orbits.constancy import outer, starts
from asympt.evidence.symbolic.series import T
from asympt.evidence.symbolic.zero import sample
from asympt.numbers import to_mpf

CORRELATION = "1/10"
MOST = 24  # printed terms, times numbers known by a name in them: ELU's NTK to six terms has 24 and takes half a minute
SECONDS = 60.0  # in case something else is long


@dataclass(frozen=True)
class Outcome:
    """What became of the stage: the certificate, or why there is none, and the row among the checks."""

    certificate: object = None
    reason: str = ""
    checks: tuple[Check, ...] = ()


def theorem_of(law, start, report: Callable, inputs: Mapping | None = None) -> Outcome:
    """The certificate of a law, or why there is none; a printed coefficient that is proved wrong is a failed check.

    `inputs`: what it starts from; {} or None: `start_of`.
    """
    report("the theorem", 0, 1)
    try:
        with limited("the theorem", SECONDS):
            _ = law.asked  # what has no certificate at all says so
            terms, named = law.expansion.terms, law.summary().constants
            if len(terms) * len(named) > MOST:  # would take minutes to derive once more
                raise UnsupportedError(
                    f"{len(terms)} terms in {len(named)} numbers known by a name take minutes to prove; derive fewer "
                    "terms, or call law.certificate(correlation='1/10')"
                )
            found = law.certificate(**(inputs or start_of(law, start)))
        report("the theorem", 1, 1)
        return Outcome(found, checks=(_row(found),))
    except Disproved as error:
        failed = Check("theorem: the coefficients of the law are those of the series", str(error), 0, False, "proved")
        return Outcome(reason=str(error), checks=(failed,))
    except AsymptError as error:
        return Outcome(reason=str(error))


def _row(certificate) -> Check:
    """The theorem among the checks: B, proved to bound the deviation over the monomial for all depths."""
    detail = f"proved in ball arithmetic, printed coefficients by exact algebra or in balls: {certificate.statement}"
    first = f"{certificate.law.depth_variable} >= {certificate.valid_from}"
    over = str(certificate.monomial).replace("**", "^")
    name = f"theorem for all ${first}$: $|quantity - law|$ over ${over}$"
    return Check(name, str(certificate.constant), str(certificate.constant), True, "proved", detail)


def start_of(law, start) -> dict:
    """The start as the law's own reader takes it: the one that was given, or one that the law is followed from."""
    known = inspect.signature(law.reader).parameters if law.reader is not None else {}
    if "correlation" in known:
        return law._known_start or {"correlation": CORRELATION}
    if "start" not in known:
        raise UnsupportedError("the law is neither one of correlations nor one of a recursion with a start")
    if start is not None:
        return {"start": start}
    first = next(starts(law), None)
    if first is None:
        raise UnsupportedError("no start is known from which orbits approach the fixed point; give start=...")
    return {"start": outer(law, first.value)}


DOUBLINGS, FAR, NEARER = 3, 80, 32  # of u; the largest decimal power of l, and where a value takes seconds
DIGITS, SPARE = 140, 20  # of a value at most, and of d
ROUNDED, NOISE = mpf(10) ** -12, mpf(10) ** (2 - SPARE)  # of d, which counts as none: a share of it, and anyway
BOUND = mpf(5) / 4
ROUTE = "second witness"


def witness_check(law, start=None) -> Check:
    """Whether the deviation from the printed law, in units of its remainder, goes on growing."""
    values = sample(law.parameters)
    law = at_values(law, values)
    given = start_of(law, start)
    law = law.for_start(**given)
    found = [_reading(law, depth, given) for depth in _depths(law)]
    factor = _factor([d for d, _ in found])
    name = "second witness, iteration at depth: growth of the deviation over the remainder"
    figure = f"{nstr(factor, 3)}; {found[-1][1]}"
    detail = f"the deviation is {', '.join(nstr(d, 5) for d, _ in found)} remainders; {given | values}"
    return Check(name, figure, nstr(BOUND, 3), factor <= BOUND, "checked", detail, route=ROUTE)


def _factor(deviations: list):
    """By what the moves, freed of 1/u, grow at last.

    >>> nstr(_factor([3 + 50 / mpf(u) for u in (1, 2, 4, 8)]), 3)
    '0.0'
    >>> nstr(_factor([3 + 50 / mpf(u) + u / mpf(100) for u in (1, 2, 4, 8)]), 3)
    '2.0'
    """
    moves = [after - before for before, after in pairwise(deviations)]
    one, two = (abs(after - before / 2) for before, after in pairwise(moves))
    unseen, rounded = (max(ROUNDED * max(some), NOISE) for some in (deviations[:-1], deviations))
    return two / max(one, unseen) if two > rounded else mpf(0)


def at_values(law, values: dict):
    """The law for these values of its symbols.

    >>> from sympy import Symbol
    >>> from asympt.recursions.recursion import Recursion
    >>> x, a = Symbol("x", positive=True), Symbol("a", positive=True)
    >>> print(nstr(at_values(Recursion(x / (1 + a * x), x).law(1), {a: 2}).evaluate(depth=10, start=1), 10))
    0.04761904762
    """
    if not values:
        return law
    dynamics, exact = law.dynamics, {"abel": law.abel, "koenigs": law.koenigs}
    whole = law.fixed is None or not law.fixed.point.free_symbols
    if dynamics.formula is None or dynamics.is_one_sided or not whole or law.coordinate.condition.subs(values) != true:
        raise UnsupportedError(f"the recursion has no closed form at {values}; give numbers")
    put = lambda e: e.subs(values)  # noqa: E731
    linear = dynamics.linear and _linear_at(dynamics.linear, put)
    step = _step([put(f) for f in (dynamics.formula, *(linear.formulas if linear else ()))], dynamics.root)
    dynamics = replace(dynamics, ratio=_each(put, dynamics.ratio), step=step, scale=put(dynamics.scale),
                       formula=put(dynamics.formula), linear=linear)  # fmt: skip
    parts = {name: part.subs(values) for name, part in exact.items() if part is not None}
    found = law.changed(dynamics=dynamics, **parts)
    return replace(found, expansion=law.expansion.subs(values), linear=law.linear and law.linear.subs(values))


def _linear_at(linear, put):
    return replace(
        linear, multiplier=_each(put, linear.multiplier), forcing=_each(put, linear.forcing),
        formulas=tuple(map(put, linear.formulas)), start=lambda x: function_of(put(linear.exact_start(T)), T)(x),
    )  # fmt: skip


def _each(put, coefficients):
    return lambda count: [put(c) for c in coefficients(count)]


def _step(formulas: list[Expr], root: int):
    """x' = f(t) and a' = lambda(t) a + b(t) at t = x^(1/root)."""
    image, *along = (function_of(f, T) for f in formulas)

    def step(state: tuple) -> tuple:
        t = state[0] ** (1 / mpf(root))
        return (image(t), *(along[0](t) * a + along[1](t) for a in state[1:]))

    return step


def _depths(law) -> list[int]:
    """Even depths 10^p, p doubling; where the law is one of powers of chi^l, those where it has come down as far."""
    base, leading, rest = law.expansion.scale.base, law.expansion.leading[0].order, rest_of(law.expansion).order
    with mp.workdps(15):
        span = max(1, abs(to_mpf(rest - leading)))
        power = min(NEARER if is_slow(law) else FAR, (DIGITS - SPARE) / span)
        if law.expansion.scale.variable != law.depth_variable or law.expansion.scale.front != 1:  # few digits
            power = NEARER
        powers = [power / 2**k for k in range(DOUBLINGS, -1, -1)]
        if base is None:
            return [2 * int(mpf(10) ** p / 2) for p in powers]
        steps = max(1, int(powers[0] / abs(mp.log10(abs(to_mpf(base)))) / 2))
        return [2 * steps * 2**k for k in range(DOUBLINGS + 1)]


def _reading(law, depth: int, given: dict) -> tuple:
    """d at one depth, and the two numbers to the digits that tell them apart."""
    expansion = law.branch(depth)
    own = {kind: symbol for kind, symbol in law.constant_symbols.items() if symbol in expansion.to_sympy().free_symbols}
    with mp.workdps(SPARE):
        total, unit = printed_at(expansion, depth, dict.fromkeys(map(str, own.values()), mpf(1)))
        digits = SPARE + max(0, int(mp.log10((abs(total) + unit) / unit)))
    read = {"C": law.connection_constant, "D": law.second_constant}
    with mp.workdps(digits + SPARE):
        constants = {str(symbol): +read[kind](digits, **given) for kind, symbol in own.items()}
        value = +law.evaluate(depth=depth, digits=digits, **given)
        total, unit = printed_at(expansion, depth, constants)
        off = abs(value - total)
        apart = 3 + max(0, int(mp.log10(abs(value) / off))) if off and value else digits
        where = f"{law.depth_variable} = {nstr(mpf(depth), 3)}"
        told = f"{nstr(value, apart)} against {nstr(total, apart)} printed, at {where}"
    return off / unit, told
