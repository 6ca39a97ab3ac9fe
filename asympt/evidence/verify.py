"""`asympt.verify`: every check that a law allows, and the verdict they add up to.

Order: symbolic (the expansion solves the recursion and inverts its coordinate), mpmath (the coordinate's equation, C
and D constant along the original recursion, the printed law against the orbit), float64 (a network's real pairs at
great depth).  A check that cannot be done is reported as unknown.

    kind         symbolic                              in numbers
    network      as parabolic or hyperbolic             the map's series, constancy, float64 at depth, random
                                                       networks (`network`)
    exact        the recursion, identically            the original layer, float64
    parabolic    substitution, inverse (of an          functional, constancy, residual
                 observable: its own inversion)
    flip         the same, side by side                the same, on both sides; `evaluate` and the branches at
                                                       even and odd depths (`alternation`)
    hyperbolic   the same on the scale of chi^n        the same
    linear       the same, and P + D H                 the same, for P and H too
    driven       flow time, substitution               the flow time along an orbit
    scaled, convolution, rates, growing, leading       by the module of that name
"""

import importlib
from collections.abc import Callable
from contextlib import nullcontext

from sympy import Integer, Rational

from asympt.deadline import CHECKING, NETWORK, limited
from asympt.depth.reading import workers_of
from asympt.errors import AsymptError, InputError
from asympt.evidence.admission import require_law
from asympt.evidence.along import along_checks
from asympt.evidence.alternation import alternates, alternation_checks
from asympt.evidence.check import Check, Verification
from asympt.evidence.constancy import constancy_checks
from asympt.evidence.driven import drift_checks, driven_checks
from asympt.evidence.exact import exact_symbolic
from asympt.evidence.functional import functional_checks
from asympt.evidence.generators import generic
from asympt.evidence.geometric import geometric_checks
from asympt.evidence.geometric_along import geometric_along_checks
from asympt.evidence.inverse import alternating_inverse, inverse_check
from asympt.evidence.observable import observable_check
from asympt.evidence.profile import Bare, is_place
from asympt.evidence.reading import is_network, rest_of
from asympt.evidence.residual import residual_check
from asympt.evidence.specialisation import specialisation_check
from asympt.evidence.starts import from_first, read_start
from asympt.evidence.stated import has_formula
from asympt.evidence.substitution import alternating_check, substitution_check
from asympt.evidence.zero import Contradiction
from asympt.numbers import check_depth, check_digits, exact, symbol_names

# what Python raises when one part of a law is asked for what only another kind of law has
MISFIT = (TypeError, AttributeError, LookupError, ValueError, NotImplementedError, AssertionError, Bare, Contradiction)
OWN_MODULE = ("scaled", "convolution", "rates", "growing", "leading")  # kinds with a module of that name


def verify(law, digits: int = 30, depth: int = 10**6, *, start=None, workers: int = 1,
           progress: Callable[[str, int, int], None] | None = None) -> Verification:
    """Check a law by routes that its derivation did not use.

    `digits`: to which C and D must be constant; `depth`: of the float64 comparison of a network; `start`: the x_0 from
    which the law of a recursion is followed (a value that the map brings closer, unless given); `workers`: processes
    for the float64 comparison; `progress`: called as progress(what, done, total).  The verdict is 'checked' when all
    pass (the remainder of a law is formal, so it is never 'proved'), 'refuted' when one fails, 'unknown' when one could
    not be done: with symbols in the map the symbolic checks hold for all their values at once, but nothing is checked
    in numbers.  A check that takes too long (`asympt.time_limit`) is 'unknown'.
    Raises `InputError` for what is no law, a depth below 1, digits outside 1..200, or a start where there is none to
    give.  A law whose parts do not fit together (one with another law's coordinate) is refuted or unknown.

    >>> from asympt.architectures import FeedForward
    >>> verify(FeedForward("relu").correlation_law(), depth=2000).verdict
    'checked'
    """
    require_law(law)
    depth, digits, workers = check_depth(depth), check_digits(digits), workers_of(workers)
    if progress is not None and not callable(progress):
        raise InputError(f"progress = {progress} cannot be called; give a function of (what, done, total)")
    report = progress or (lambda what, done, total: None)
    network = is_network(law)
    if network and start is not None:
        raise InputError(f"start = {start}: a network's law is followed from correlations and images of its own")
    if start is not None:
        _require_start(law, start)
    law, start = _settled(law, start)
    seconds = NETWORK if network else CHECKING
    checks = list(_attempt("symbolic substitution", lambda: symbolic_checks(law), report, seconds))
    if law.parameters:
        return Verification(_subject(law), (*checks, _no_numbers(law)), stability=law.stability)
    checks += _attempt(
        "the law in numbers", lambda: _in_numbers(law, digits, depth, start, workers, report), seconds=None
    )
    return Verification(_subject(law), tuple(checks), stability=law.stability)


def _require_start(law, start) -> None:
    """An error for what the law's reader does not take as a start."""
    try:
        read_start(law, start)
    except InputError:
        raise
    except (AsymptError, ArithmeticError, *MISFIT):
        pass  # the checks along the orbit will say what is wrong with it


def _settled(law, start) -> tuple:
    """The law with its sides decided for the start, and the start, the law's own one when none is given."""
    if law.kind != "flip" or law.parameters:
        return law, start
    if start is None:
        return law, law.start
    try:
        return (law if law.start is not None and law.start == exact(start) else law.for_start(start)), start
    except (AsymptError, ArithmeticError):
        return law, start  # the checks along the orbit will say what is wrong with it


def _in_numbers(law, digits: int, depth: int, start, workers: int, report) -> list[Check]:
    if law.kind in OWN_MODULE:
        return _own_module(law).numeric_checks(law, digits, depth, workers, report, _reported(report))
    if is_network(law):
        return _network_numbers(law, digits, depth, workers, report)
    return _plain_numbers(law, digits, start, report)


def _own_module(law):
    return importlib.import_module(f"asympt.evidence.{law.kind}")


def _subject(law) -> str:
    return f"{law.plain} = {law}"


# ---- symbolic -----------------------------------------------------------------------------------


def symbolic_checks(law) -> list[Check]:
    """The expansion solves the recursion and inverts its coordinate; a law that is only a limit, less."""
    if law.kind in OWN_MODULE:
        return _own_module(law).symbolic_checks(law)
    if law.kind == "exact":
        return exact_symbolic(law)
    if is_network(law) and not has_formula(law):
        found = _with_generators(law)
        if all(check.verdict == "proved" for check in found):
            return found
    return _or_size(law)


def _with_generators(law) -> list[Check]:
    """The checks with an independent symbol for every constant that is known by its digits."""
    return _or_size(generic(law))


def _or_size(law) -> list[Check]:
    try:
        return _symbolic_checks(law)
    except Bare:
        return [_size_of_remainder(law)]


def _size_of_remainder(law) -> Check:
    """x* + O(l^(-P)): y itself, which goes like l^(-root/m) or like chi^l, must not be larger than that."""
    order = Integer(1) if law.koenigs is not None else Rational(law.dynamics.root, law.abel.multiplicity)
    name = "the remainder is not smaller than the distance from the fixed point"
    return Check.compare(name, rest_of(law.expansion).order, order, "orders of decay", strength="proved")


def _symbolic_checks(law) -> list[Check]:
    """With symbolic slopes of a network, for free alpha and then specialised."""
    if getattr(law, "universal_source", None) is not None and law.parameters:
        family = law.universal()
        return [specialisation_check(law, family), *_parabolic(family)]
    if law.linear is None and law.view is not None and not is_place(law.view):
        return [observable_check(law)]
    if law.kind == "driven":
        return driven_checks(law)
    if law.koenigs is not None:
        return geometric_checks(law) if law.linear is None else geometric_along_checks(law)
    if law.kind == "flip":
        return [alternating_check(law), alternating_inverse(law)]
    return _parabolic(law)


def _parabolic(law) -> list[Check]:
    return along_checks(law) if law.linear is not None else [substitution_check(law), inverse_check(law)]


# ---- numbers ------------------------------------------------------------------------------------


def _network_numbers(law, digits: int, depth: int, workers: int, report) -> list[Check]:
    from asympt.evidence.network import network_checks

    return network_checks(law, digits, depth, workers, report, _reported(report))


def _reported(report) -> Callable:
    """`_attempt` with progress."""
    return lambda name, work: _attempt(name, work, report, NETWORK)


def _plain_numbers(law, digits: int, start, report) -> list[Check]:
    """What the original map says about the coordinate and about the printed law."""
    if law.kind == "driven":
        return _attempt("flow time along an orbit", lambda: drift_checks(law, start), report)
    checks = _attempt("functional equation", lambda: functional_checks(law), report)
    checks += _attempt("constancy of C and D", lambda: from_first(
        law, start, lambda s: constancy_checks(law, s.value, s.label, digits, report, s.most)))
    checks += _attempt("printed law along an orbit", lambda: from_first(
        law, start, lambda s: [residual_check(law, s)]), report)
    if alternates(law):
        checks += _attempt("even and odd depths", lambda: from_first(
            law, start, lambda s: alternation_checks(law, s)), report)
    return checks


def _no_numbers(law) -> Check:
    reason = f"needs numbers for {symbol_names(law.parameters)}"
    name = "constancy in mpmath and float64 at depth" if is_network(law) else "the original recursion in numbers"
    return Check(name, reason, "-", None)


def _attempt(name: str, work: Callable[[], list[Check]], report=None, seconds: float | None = CHECKING) -> list[Check]:
    """The checks, or one undone check that says why; each within its own time."""
    if report:
        report(name, 0, 1)
    try:
        with nullcontext() if seconds is None else limited("this check", seconds):
            return work()
    except (AsymptError, ArithmeticError) as error:
        return [Check(name, str(error), "-", None)]
    except MISFIT as error:
        reason = f"parts of the law do not fit together: {type(error).__name__}: {error}"
        return [Check(name, reason, "-", None)]
