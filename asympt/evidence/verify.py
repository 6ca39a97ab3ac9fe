"""`asympt.verify`: every check that a law allows, and the verdict they add up to.

First symbolic, then mpmath, then float64 at depth, at last a theorem about the remainder.  A check that cannot be done
is reported as unknown.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from math import ceil, log10
from types import ModuleType
from typing import Any

from mpmath import mp, mpf
from sympy import Integer, sqrt

from asympt.blocks.nodes import SerialNode
from asympt.blocks.primitives import activation, dense
from asympt.deadline import CHECKING, NETWORK, limited
from asympt.depth.parsing import workers_of
from asympt.errors import AsymptError, InputError
from asympt.evidence import flow_time, network
from asympt.evidence.check import ALGEBRA, THEOREM, Check, Effort, Verification, Work, undecided, verdict_of
from asympt.evidence.law_terms import changes_sides, evaluation_check, is_network, require_layer
from asympt.evidence.orbits.constancy import read_start
from asympt.evidence.orbits.printed import orbit_checks
from asympt.evidence.symbolic.checks import coordinate_checks
from asympt.evidence.symbolic.zero import Contradiction
from asympt.evidence.theorem import ROUTE, Outcome, theorem_of, witness_check
from asympt.numbers import check_depth, check_digits, symbol_names, to_mpf
from asympt.numbers import exact as exact_number
from asympt.precise.blocks import pairs_along

PARTS = ("kind", "quantity", "expansion", "abel", "koenigs", "linear", "evaluate")  # what every law has


def verify(law, digits: int = 30, depth: int = 10**6, *, start=None, correlation=None, variances=None,
           workers: int = 1, theorem: bool = True,
           progress: Callable[[str, int, int], None] | None = None) -> Verification:
    """Check a law by routes that its derivation does not use.

    Parameters
    ----------
    law : a `Law`.
    digits : how many digits of C and D must stay constant along the orbit.
    depth : the depth of the float64 comparison of a network.
    start : the x_0 from which the law of a recursion is followed (its own, or a value that the map brings closer).
    correlation, variances : c^1, and q^1 and q'^1 of two inputs of a network: its original layers are iterated from
        them by a route of its own, and the theorem is about them.
    workers : number of processes for the float64 comparison.
    theorem : prove the law as well, with a constant for its remainder, from c^1 = 1/10 or the start that is followed;
        False leaves that out.
    progress : called as progress(what, done, total).

    The verdict is 'proved' when all pass and there is a theorem: `theorem` is its certificate, `law` the law with the
    bounded remainder.  It is 'checked' when all pass and there is none, for the reason in `unproved` (the remainder is
    then formal), 'refuted' when two fail that use different routes; where only one fails, the recursion is iterated at
    depth for a second witness (`witness`).  It is 'unknown' when nothing else contradicts the law, or when a check
    could not be done: with symbols in the map the symbolic checks hold for all their values at once, but nothing is
    checked in numbers.  A check that takes too long (`asympt.time_limit`) is 'unknown'.  A law with inconsistent parts
    (one with another law's coordinate) is refuted, unknown or an `InputError`.

    Raises
    ------
    InputError : not a law, a depth below 1, digits outside 1..200, or a start for a law that takes none.

    Examples
    --------
    >>> from asympt.architectures import FeedForward
    >>> found = verify(FeedForward("relu").correlation_law(terms=2), depth=2000)
    >>> print(found.verdict, found.theorem)
    proved for all l >= 2 and c^1 = 1/10: |1 - c^l - (9*pi^2/(2*l^2) - 27*pi^2*log(l)/(2*l^3))| <= 332.098/l^3
    """
    require_law(law)
    depth, digits, workers = check_depth(depth), check_digits(digits), workers_of(workers)
    if progress is not None and not callable(progress):
        raise InputError(f"progress = {progress} cannot be called; give a function of (what, done, total)")
    of_network = is_network(law)
    if of_network and start is not None:
        raise InputError(f"start = {start}: a network's law is followed from correlations and images of its own")
    if _route(law) is None and law.abel is None and law.koenigs is None and law.time is None:
        reason = (
            f"no check is known for a law of the kind {law.kind!r}: it has no Abel or Koenigs function and no flow "
            "time; compare its values (law.evaluate) with an orbit of the recursion"
        )
        checks = (undecided("checks for this kind of law", reason),)
        return Verification(_subject(law), checks, stability=law.stability)
    if start is not None:
        try:
            read_start(law, start)
        except InputError:
            raise
        except AsymptError:
            pass  # the checks along the orbit will say what is wrong with it
    inputs = read_inputs(law, correlation, variances)
    law, start = _settled(law, law._known_start.get("start") if start is None else start)
    effort = Effort(digits, depth, start, inputs, workers, **({"report": progress} if progress else {}))
    seconds, report = NETWORK if of_network else CHECKING, effort.report
    checks = _attempt(ALGEBRA, lambda: symbolic_checks(law), report, seconds)
    proof = Outcome()
    if law.parameters:
        checks.append(_no_numbers(law))
    else:
        checks += _attempt("the law in numbers", lambda: _in_numbers(law, effort), report, None)
        if inputs and law.coordinate.starts_from_one and law.layer is not None and law.layer.is_dense:
            checks += _attempt("the inputs", lambda: [inputs_check(law, inputs)], report, NETWORK)
        proof = theorem_of(law, start, report, inputs) if theorem and not _failing(checks) else proof
    checks += _by_route(THEOREM, proof.checks)
    if inputs and proof.certificate is not None:
        checks += _attempt("the inputs", lambda: [constant_check(proof.certificate, inputs)], report, NETWORK)
    if _failing(checks) and verdict_of(checks) != "refuted":
        witness = getattr(_route(law), "witness_check", witness_check)
        checks += _attempt(ROUTE, lambda: [witness(law, start)], report, NETWORK)
    return Verification(
        _subject(law), tuple(checks), stability=law.stability, theorem=proof.certificate, unproved=proof.reason
    )


def _failing(checks: list[Check]) -> bool:
    return any(check.passed is False for check in checks)


def _by_route(name: str, checks: Iterable[Check]) -> list[Check]:
    return [check if check.route else replace(check, route=name) for check in checks]


def _settled(law, start) -> tuple:
    """The law with its sides decided for the start, and the start, the law's own one when none is given."""
    if not changes_sides(law) or law.parameters:
        return law, start
    if start is None:
        return law, law.start
    try:
        return (law if law.start is not None and law.start == exact_number(start) else law.for_start(start)), start
    except AsymptError:
        return law, start  # the checks along the orbit will say what is wrong with it


def _in_numbers(law, effort: Effort) -> list[Check]:
    seconds = NETWORK if is_network(law) or _route(law) is not None else CHECKING
    found = (_attempt(name, work, effort.report, seconds) for name, work in numeric_checks(law, effort))
    return [check for checks in found for check in checks]


def _route(law) -> ModuleType | None:
    """The module with the checks of a law that has its own: its coordinate names it, or its composition has one."""
    name = getattr(law, "evidence", "") or getattr(law.coordinate, "evidence", "")
    if law.network is not None and name in ("", "exact"):
        name = "composed"
    elif law.time is not None and law.layer is not None:
        name = name or "flow_time"
    return import_module(f"asympt.evidence.{name}") if name else None


def _subject(law) -> str:
    return f"{law.plain} = {law}"


def symbolic_checks(law) -> list[Check]:
    """What can be shown for all starts at once: by the module of the law, or by its coordinate."""
    route = _route(law)
    if route is None:
        return coordinate_checks(law)
    return route.symbolic_checks(law) if hasattr(route, "symbolic_checks") else []


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """The checks against the original recursion: of the law's module, or of networks, or along an orbit."""
    route = _route(law)
    if route is not None:
        yield from route.numeric_checks(law, effort)
    elif is_network(law):
        require_layer(law)
        yield from network.numeric_checks(law, effort)
    elif law.time is not None:
        yield "flow time along an orbit", lambda: flow_time.drift_checks(law, effort.start)
    else:
        yield from orbit_checks(law, effort)


def _no_numbers(law) -> Check:
    name = "constancy in mpmath and float64 at depth" if is_network(law) else "the original recursion in numbers"
    return undecided(name, f"needs numbers for {symbol_names(law.parameters)}")


def _attempt(name: str, work: Callable[[], list[Check]], report: Callable, seconds: float | None) -> list[Check]:
    """The checks, or one undone check with the reason; each within its own time."""
    report(name, 0, 1)
    try:
        with nullcontext() if seconds is None else limited("this check", seconds):
            return _by_route(name, work())
    except Contradiction as error:
        return [undecided(name, f"parts of the law are inconsistent ({error}); verify it as it was derived")]
    except AsymptError as error:
        return [undecided(name, str(error))]


def require_law(law) -> None:
    if isinstance(law, type) or not all(hasattr(law, part) for part in PARTS):
        shown = str(law) if len(str(law)) <= 60 else type(law).__name__
        raise InputError(
            f"law = {shown} is not a law; give one, such as Recursion(...).law() or FeedForward(...).ntk_law()"
        )
    expansion = law.expansion
    if not all(hasattr(expansion, part) for part in ("terms", "scale", "remainder")):
        raise InputError(f"law.expansion = {expansion} is not an Expansion; give the expansion that the law prints")
    if not (expansion.terms or getattr(law, "may_be_bounded", False)):
        raise InputError("law.expansion has no terms, so the law is empty; give at least one term")
    if not isinstance(law.quantity, str):
        raise InputError(f"law.quantity = {law.quantity} is not a text; give the LaTeX of what the law describes")
    if _lacks_a_part(law):
        raise InputError(f"a part that a law of the kind {law.kind!r} needs is missing; give it complete")
    if law.koenigs is not None and law.linear is not None and law.linear.multiplier is None:
        raise InputError("law.linear is a sum of powers of the depth, and the law of this map one of powers of chi^n")
    exponential = expansion.scale.base is not None
    if law.koenigs is not None and not exponential:
        raise InputError(f"law.expansion = {expansion} is not a sum of powers of chi^n, as the law of this map is")
    if law.abel is not None and exponential:
        raise InputError(f"law.expansion = {expansion} is not a sum of powers of the depth, as the law of this map is")


def _lacks_a_part(law) -> bool:
    """Whether the law, its coordinate or its recursion holds None where its class knows no None."""
    dynamics = getattr(law.coordinate, "__dict__", {}).get("dynamics")  # given: some refuse one
    along = getattr(dynamics, "linear", None)
    if along is not None and law.linear is None:  # the recursion carries an a of which the law knows no P and H
        return True
    parts = [law, law.coordinate, dynamics, along]
    named = [(part, field) for part in parts if is_dataclass(part) for field in fields(part)]
    lacking = (field.type for part, field in named if getattr(part, field.name) is None)
    return any(kind not in (object, Any) and "None" not in str(kind) for kind in lacking)


# ---- two inputs of any norms, against the original layers by the rules of their primitives -------

DIGITS, SETTLED, SPARE = 12, 16, 25
CORRELATION = "1/10"


def read_inputs(law, correlation, variances) -> dict:
    """c^1 and the variances as the law's reader takes them; {} where none are given."""
    if correlation is None and variances is None:
        return {}
    given = {"correlation": CORRELATION if correlation is None else correlation}
    given |= {} if variances is None else {"variances": variances}
    known = () if law.reader is None else inspect.signature(law.reader).parameters
    for name in given:
        if name not in known:
            raise InputError(f"{name} = {given[name]}: the start of this law is not given as `{name}`; leave it out")
    law.reader(**given)
    return given


def inputs_check(law, given: dict) -> Check:
    """Largest relative deviation of the law from plain iteration, at two layers where the variances have settled."""
    start, layer = law.reader(**given), law.layer.layer
    q = Integer(1) if layer.is_scale_free else layer.fixed_variance
    slope = 0.0 if layer.is_scale_free else abs(float(layer.variance_map.slope(q, SETTLED)))
    settled = 10 + (ceil(SETTLED / -log10(slope)) if 0 < slope < 1 else 0)
    centre = 0 if law.fixed is None else law.fixed.point
    depths, gap = [settled, 2 * settled], start.gap if hasattr(start, "gap") else start + centre
    variances = getattr(start, "rest", (q, q))
    node = SerialNode((activation(layer.activation), dense(sqrt(layer.weight_variance), sqrt(layer.bias_variance))))
    with mp.workdps(SPARE):
        found = pairs_along([node], to_mpf(gap), to_mpf(variances[0]), depths, to_mpf(variances[1]))
        seen = {depth: gap if law.linear is None else kernel / (depth if law.average else 1)
                for depth, (gap, kernel, _) in zip(depths, found, strict=True)}  # fmt: skip
        where = ", ".join(f"{name} = {value}" for name, value in given.items())
        name = f"the law against plain iteration of the layers, {where}: largest relative deviation"
        detail = f"at the layers {depths[0]} and {depths[1]}"
        return evaluation_check(name, law, seen, DIGITS, mpf(10) ** (2 - DIGITS), detail, **given)


def constant_check(certificate, given: dict) -> Check:
    """C of the theorem, from layers in balls, against that of the orbit in mpmath: how far it lies outside."""
    low, high = certificate.connection(SETTLED)
    found = certificate.law.connection_constant(digits=DIGITS, **given)
    off = max(low - found, found - high, mpf(0)) / max(abs(found), 1)
    return Check.measured("the theorem's C against the orbit's: relative distance", off, mpf(10) ** (2 - DIGITS))
