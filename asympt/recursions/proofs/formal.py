"""A law as the engine of `asympt.balls` wants it, and the exact half of the proof.

The engine proves a bound for coefficients that it has as balls.  What a law prints must *be* those: the law is derived
once more, from the exact coefficients of its recursion, and must agree term by term, as algebra.
"""

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace
from functools import cache, lru_cache, partial
from inspect import signature

from flint import arb
from sympy import Add, Expr, Integer, Rational, log

from asympt.balls.arithmetic import Disproved, Refused, bits_for, ends, first_proved, nearest, working
from asympt.balls.disc import LocalBallMap, ParabolicMap
from asympt.balls.expression import number, program_of
from asympt.balls.flows.theorem import DriftMap
from asympt.balls.kernel import C_STAR, KernelMap
from asympt.balls.kinks import KinkedMap
from asympt.balls.koenigs import HyperbolicMap
from asympt.balls.laws import FlowLaw, FormalLaw, GeometricLaw
from asympt.balls.moments import zero_near
from asympt.balls.numbers import digit_class
from asympt.balls.orbit import LinearAlong
from asympt.balls.printed import PrintedLaw, PrintedTerm
from asympt.deadline import in_budget
from asympt.errors import PrecisionError
from asympt.expansions import Expansion
from asympt.expansions.fields.decisions import vanishes
from asympt.expansions.opaque import RealConstant
from asympt.expansions.scale import Exponential
from asympt.numbers import check_depth, check_digits
from asympt.recursions.agreement import GUARD
from asympt.recursions.coordinates.abel import AbelFunction, abel_and_linear
from asympt.recursions.coordinates.abel_inversion import TooFewOrders, at_depth, linear_value, uniformiser
from asympt.recursions.coordinates.flow_time.coordinate import (
    clock_to_constant,
    driven_expansion,
    kernel_at_depth,
    over_norm,
)
from asympt.recursions.coordinates.koenigs import depth_expansion, is_negative, ratio_in_t
from asympt.recursions.coordinates.koenigs_linear import linear_expansion, resonant_power
from asympt.recursions.fixed_point import FixedPoint
from asympt.recursions.protocol import Dynamics, T
from asympt.recursions.unsettled import Unsettled
from asympt.symbols import Reserved

_X = Reserved("x", real=True)
NEAR = 25  # digits from which an equation is solved


def constants_in(*formulas: Expr) -> set[RealConstant]:
    """The numbers known by a name only."""
    return set().union(*(formula.atoms(RealConstant) for formula in formulas))


def enclosures(
    constants: Iterable[RealConstant], given: Callable[[int], Mapping] | None = None
) -> Callable[[int], Mapping] | None:
    """A function of the precision that encloses them all, `given` knowing some; None where there are none."""
    wanted = sorted(constants, key=str)
    if not wanted:
        return None

    @cache
    def balls(bits: int) -> Mapping:
        found = dict(given(bits)) if given is not None else {}
        for constant in wanted:
            _enclose(constant, bits, found)
        return found

    return balls


def _enclose(constant: RealConstant, bits: int, found: dict) -> None:
    """Adds the constant, and those in its formula, to what is found."""
    if constant in found:
        return
    if constant.exact is not None:
        for other in constants_in(constant.exact):
            _enclose(other, bits, found)
        with working(bits):
            found[constant] = program_of(constant.exact, _X).value(arb(0), found)
    elif constant.equation is not None:
        (symbol,) = constant.equation.variables
        for other in constants_in(constant.equation.expr) - {constant}:
            _enclose(other, bits, found)
        program, near = program_of(constant.equation.expr, symbol), str(constant.evalf(NEAR))
        found[constant] = zero_near(lambda x, _: (program.value(x, found), program.slope(x, found)), near, bits)
    else:
        raise Refused(f"the number {constant} is known by its digits only, so nothing is proved about it")


# ---- the law for the engine ----------------------------------------------------------------------


BITS = 256
MORE_ORDERS = 40  # of t, tried for a law in log l
NAMED = 12  # coefficients of the map that a law may have by a name


def formal(law, exactly: bool = True) -> PrintedLaw:
    """What is to be proved of a law, its terms shown to be the series' (`exactly`); raises `Refused`."""
    if not hasattr(law.expansion.remainder, "monomial"):
        raise Refused("the law is exact: it has no remainder to bound")
    if law.time is not None:
        return _flowing(law, exactly)
    if law.coordinate.kind not in ("parabolic", "hyperbolic") or not isinstance(law.dynamics, Dynamics):
        return law.coordinate.asked(*_printed(law))
    if law.observable is not None and not law.observable.reads_x:
        raise Refused("the law of an observable has no certificate; take that of the orbit itself")
    if law.norm is not None or len(law.branches) > 1:
        raise Refused("a law with a norm of its own, or of two branches, has no certificate yet")
    if exactly:
        require_exact(law)
    return _hyperbolic(law) if law.abel is None else _parabolic(law)


# ---- falling steps ----------------------------------------------------------------------------------


def _flowing(law, exactly: bool) -> FlowLaw:
    """A law in log l."""
    dynamics = law.dynamics
    steps, drift = dynamics.steps, dynamics.drift
    if not (steps.harmonic and drift.excess and law.expansion.scale.variable == log(law.depth_variable)):
        raise Refused(
            "theorems about falling steps are for steps a/(l + b) and an h that falls faster than x, and these steps "
            f"fall like l^(-{steps.exponent}) and h like x^({drift.power}): verify checks the law, and evaluate gives "
            "its numbers by two routes"
        )
    formulas = law.coordinate.formulas
    if formulas is None:
        raise Refused("the recursion of its layers has no closed form here (one activation of a block without one, "
                      "several branches in turn, or layers that only tend to it), so the law has no certificate yet")
    if (law.linear is None) != (formulas.norm is None) or (law.norm is None) != (formulas.norm is None):
        raise Refused("this kernel is not normalised by that of one input, so its law has no certificate yet")
    if exactly:
        require_exact(law)
    inside = (*formulas.plain, formulas.drift, formulas.source, *(formulas.norm or ()), steps.weight, steps.shift)
    known = _constants(law, None, *inside)
    map_ = DriftMap(
        formulas.drift, formulas.source, formulas.plain, formulas.variable, T, drift.root, drift.order, steps.weight,
        steps.shift, formulas.sizes, parameters=known, within=_stays_inside(law),
    )  # fmt: skip
    return FlowLaw(map_, dynamics.first, *_printed(law), formulas.norm, along=formulas.start)


def _printed(law, unit: int = 1) -> tuple[list[PrintedTerm], PrintedTerm, tuple]:
    """The terms and the remainder, with orders in this unit, and the symbols of C and D."""
    rest = law.expansion.remainder.monomial
    terms = [PrintedTerm(c, m.order * unit, m.logs) for m, c in law.expansion.terms]
    names = tuple(law.constant_symbols[name] for name in ("C", "D"))
    return terms, PrintedTerm(Integer(1), rest.order * unit, rest.logs), names


def _inverted_flow(law) -> Expansion:
    """The law derived from its recursion once more, with as many terms, and one to spare."""
    dynamics, depth, known = law.dynamics, law.depth_variable, len(law.expansion.terms)
    drift, steps = dynamics.drift, dynamics.steps
    if law.linear is None:
        return driven_expansion(drift, steps, depth, known + 1)
    clock, rate = clock_to_constant(steps, depth), law.coordinate.formulas.norm[0]
    below = clock * (rate / steps.weight) + law.coordinate.diagonal
    last = law.expansion.remainder.monomial
    for order in range(known + 2, known + MORE_ORDERS):
        kernel = kernel_at_depth(drift, law.coordinate.solution(order), clock, order)
        found = over_norm(kernel, below)
        if len(found.terms) > known or found.remainder.monomial <= last:
            return found
    raise Refused("the law cannot be derived again to as many terms as are printed")


# ---- the map ----------------------------------------------------------------------------------------


def formulas(dynamics: Dynamics) -> tuple | KernelMap | KinkedMap:
    """F, lambda, b as formulas in t; balls for what they know by a name, or None; of a layer: what makes its map."""
    if dynamics.closed is not None:
        return dynamics.closed()
    if dynamics.formula is None:
        raise Refused("the map has no closed form, so it cannot be evaluated on a circle")
    multiplier, forcing = dynamics.linear.formulas if dynamics.linear and dynamics.linear.formulas else (None, None)
    return dynamics.formula, multiplier, forcing, None


def _constants(law, given, *formulas: Expr | None, apart: Set = frozenset()):
    """Balls for the numbers known by a name only, in the map and in what is printed, except those `apart`.

    `given`: balls for some of them.
    """
    printed = [c for _, c in law.expansion.terms]
    point = [law.fixed.point] if law.fixed is not None and not law.fixed.at_infinity else []
    unit = [law.linear.homogeneous.leading[1]] if law.linear is not None and law.linear.homogeneous is not None else []
    found = constants_in(*(f for f in formulas if f is not None), *printed, *point, *unit)
    return enclosures(found - apart, given)


def _parabolic(law) -> FormalLaw:
    dynamics = law.dynamics
    map_, along = _map(law)
    shape = _linear(law, along) if law.linear is not None else _orbit(law)
    return FormalLaw(map_, dynamics.first, *_printed(law), **shape)


def _map(law) -> tuple:
    """The map for the engine, and the linear recursion along it."""
    dynamics = law.dynamics
    found = formulas(dynamics)
    if isinstance(found, LocalBallMap):
        return with_names(found, dynamics), _tangents(found, dynamics)
    formula, multiplier, forcing, given, *_ = found
    known = _constants(law, given, formula, multiplier, forcing)
    make, within = _map_without_constants if known is None else ParabolicMap, _stays_inside(law)
    map_ = make(formula, T, dynamics.root, law.abel.multiplicity, parameters=known, within=within)
    start = dynamics.linear.exact_start if dynamics.linear is not None else None
    return map_, None if multiplier is None or start is None else LinearAlong(multiplier, forcing, start, T, within)


def _tangents(map_: LocalBallMap, dynamics: Dynamics) -> LinearAlong:
    """K along the map of a kernel, from the K that this law starts with; c* has the name it has in the balls."""
    begun, own = dynamics.linear and dynamics.linear.exact_start, map_.tangents

    def start(y: Expr) -> Expr:
        found = begun(y)
        return found.xreplace(dict.fromkeys(found.atoms(RealConstant), C_STAR))

    return own if begun is None or start(T) == own.start(T) else replace(own, start=start)


def _stays_inside(law) -> bool:
    """Whether it is known that orbits stay where the map is real: correlations do, in [-1, 1]."""
    return "correlation" in signature(law.reader).parameters


# one object for one formula, so that its laws share what is proved of it
_map_without_constants = lru_cache(maxsize=32)(ParabolicMap)


def with_names(map_: KernelMap | KinkedMap, dynamics: Dynamics) -> KernelMap | KinkedMap:
    """The map with what its coefficients are called in a law."""
    called = map_.called(dynamics.ratio(NAMED)).items()
    return _renamed(map_, tuple(pair for pair in called if isinstance(pair[0], RealConstant)))


@lru_cache(maxsize=32)  # so that laws of one layer that name the same share what is proved of its map
def _renamed(map_: KernelMap | KinkedMap, names: tuple) -> KernelMap | KinkedMap:
    return replace(map_, names={**map_.names, **dict(names)})


def _orbit(law) -> dict:
    """How the quantity is read off t: offset + sign t^exponent."""
    root, place = law.dynamics.root, law.observable or law.fixed
    if place is None:
        return {"exponent": root}
    if place.at_infinity:
        return {"exponent": -root, "sign": place.sign}
    return {"exponent": root, "sign": place.sign, "offset": place.point}


def _linear(law, along: LinearAlong | None) -> dict:
    homogeneous = law.linear.homogeneous
    if along is None:
        raise Refused("the linear recursion has no closed form, so it cannot be evaluated on a circle")
    if homogeneous is None:
        raise Refused("a linear recursion that forgets its start has no certificate yet")
    monomial, unit = homogeneous.leading
    if not monomial.order.is_Integer:
        raise Refused(f"the homogeneous solution behaves like t^({monomial.order}): only whole powers are certified")
    exponents = {"exponent": law.dynamics.root, "power": int(monomial.order)}
    return {**exponents, "along": along, "average": law.average, "unit": unit}


def _hyperbolic(law) -> GeometricLaw:
    dynamics, expansion, place = law.dynamics, law.expansion, law.observable or law.fixed
    if not isinstance(expansion.scale, Exponential) or law.average:
        raise Refused("a law on a scale other than exponentials has no certificate here")
    if place is not None and place.at_infinity:
        raise Refused("a law of an orbit that goes to infinity exponentially has no certificate yet")
    map_, along, named = _hyperbolic_map(law)
    terms, rest, names = _printed(law, dynamics.root)
    if law.linear is not None:
        shape = {"along": along, **_geometric_linear(law)}
    else:
        shape, terms = _moving(terms, place), [term for term in terms if (term.order, term.logs) != (0, 0)]
    return GeometricLaw(map_, dynamics.first, terms, rest, names, multiplier=named, **shape)


def _hyperbolic_map(law) -> tuple:
    """The map for the engine, the linear recursion along it, and what chi is called if it has a name."""
    dynamics, linear = law.dynamics, law.dynamics.linear
    found = formulas(dynamics)
    if isinstance(found, LocalBallMap):
        return with_names(found, dynamics), _tangents(found, dynamics), None
    formula, multiplier, forcing, given, *_ = found
    first = dynamics.ratio(1)[0]
    named = first if isinstance(first, RealConstant) else None
    running = law.linear is not None and linear.exact_start is not None and multiplier is not None
    if law.linear is not None and not running:
        raise Refused("the linear recursion has no closed form, so it cannot be evaluated on a circle")
    inside = (formula, multiplier, forcing, linear.exact_start(T)) if running else (formula,)
    if dynamics.is_one_sided and is_negative(first):
        raise Refused("a formula of the recursion holds on one side of the fixed point, and its orbits change sides")
    known = _constants(law, given, *inside, apart={named})
    within = _stays_inside(law)
    map_ = HyperbolicMap(formula, T, dynamics.root, parameters=known, within=within, one_sided=dynamics.is_one_sided)
    return map_, LinearAlong(multiplier, forcing, linear.exact_start, T, within) if running else None, named


def _moving(terms: list[PrintedTerm], place: FixedPoint | None) -> dict:
    """The fixed point is what the orbit moves about, not a term."""
    if any(term.logs or not term.order.is_Integer for term in terms):
        raise Refused("the law has other powers than those of its multiplier")
    limit = next((term.coefficient for term in terms if term.order == 0), Integer(0))
    point = Integer(0) if place is None else place.point
    if not vanishes(limit - point):
        raise Refused(f"the limit that is printed, {limit}, is not the fixed point {point}")
    return {"sign": 1 if place is None else place.sign, "offset": point}


def _geometric_linear(law) -> dict:
    """The exact fact about lambda(0): which power of mu it is."""
    dynamics, scale = law.dynamics, law.expansion.scale
    slope, chi = dynamics.linear.multiplier(1)[0], ratio_in_t(dynamics, 1)[0]
    found = resonant_power(dynamics)
    if found is None:  # where it is one and is not seen, the engine divides by a ball that contains 0, and refuses
        return {"weight": dynamics.root * scale.weight}
    power, sign = found
    if not vanishes(slope - sign * chi ** Rational(power, dynamics.root)):
        raise Refused(f"{slope}, the multiplier at the fixed point, cannot be shown to be a power of the map's, {chi}")
    if sign < 0:
        raise Refused("a linear recursion whose multiplier is minus a power of the map's has no certificate yet")
    return {"power": power} if power >= 0 else {"weight": Integer(power)}


# ---- exact algebra ------------------------------------------------------------------------------------


def require_exact(law) -> None:
    """The printed terms are those of the formal solution, as algebra; `Refused` names one that cannot be shown to be.

    `Disproved` names one that balls tell from the exact one.
    """
    again = _again(law)
    printed, exact = law.expansion.coefficients, law.renamed(again).coefficients
    rest = law.expansion.remainder.monomial
    if getattr(again.remainder, "monomial", rest) > rest:
        raise Refused(f"the law was derived again only to {again.remainder}, not as far as it is printed")
    for monomial in {*printed, *exact}:
        if not monomial > rest:
            continue
        difference = printed.get(monomial, Integer(0)) - exact.get(monomial, Integer(0))
        if difference != 0 and not vanishes(difference):
            kind, said = (Disproved, "is not") if _differs(law, difference) else (Refused, "cannot be shown to equal")
            raise kind(
                f"the coefficient of {law.expansion.scale.to_sympy(monomial)} that is printed, "
                f"{printed.get(monomial, 0)}, {said} the exact {exact.get(monomial, 0)}"
            )


def _again(law) -> Expansion:
    """The law derived from its recursion once more."""
    if law.time is not None:
        return _inverted_flow(law)
    return _inverted_abel(law) if law.abel is not None else _inverted_koenigs(law)


def _differs(law, difference: Expr) -> bool:
    """Whether balls show that it is not 0 whatever C and D are: what stands beside one of their products is not."""
    own, beside = set(law.constant_symbols.values()), {}
    for term in Add.make_args(difference.expand()):
        factor, of_start = term.as_independent(*own, as_Add=False)
        beside[of_start] = beside.get(of_start, Integer(0)) + factor
    known = enclosures(constants_in(*beside.values()), _names(law))
    with working(BITS):
        return any(not number(factor, known(BITS) if known else None).contains(0) for factor in beside.values())


def _names(law):
    """Balls for the numbers that the map knows by a name."""
    if law.time is not None:
        return None
    found = formulas(law.dynamics)
    return with_names(found, law.dynamics).known if isinstance(found, LocalBallMap) else found[3]


def _inverted_koenigs(law) -> Expansion:
    """The law derived from its recursion once more, with as many terms, and one to spare where these end too early."""
    depth, rest = next(symbol for symbol in law.symbols), law.expansion.remainder.monomial
    along = (depth_expansion, law.observable or law.fixed) if law.linear is None else (linear_expansion,)
    for count in (len(law.expansion.terms), len(law.expansion.terms) + 1):
        found = along[0](law.dynamics, *along[1:], count, depth)[1]
        if getattr(found.remainder, "monomial", rest) <= rest:
            break
    return found


def _inverted_abel(law) -> Expansion:
    """The law derived from its recursion once more, to its own remainder, from as few orders as reach that."""
    m, rest, most = law.abel.multiplicity, law.expansion.remainder.monomial, _orders(law)
    for size in [*range(3 * m + 1, most, m), most]:
        try:
            found = _from_orders(law, size)
        except TooFewOrders:
            if size == most:
                raise
            continue
        if getattr(found.remainder, "monomial", rest) <= rest:
            break
    return found


def _from_orders(law, size: int) -> Expansion:
    """The law from so many coefficients, to its own remainder if they reach it."""
    dynamics, m = law.dynamics, law.abel.multiplicity
    depth = next(symbol for symbol in law.symbols)
    abel, linear = abel_and_linear(dynamics, size)
    in_t = AbelFunction(abel.expansion, dynamics.root) if dynamics.scale == 1 else abel.rescale(dynamics.scale)
    order = int(in_t.expansion.remainder.monomial.order)
    if linear is None:
        place = law.observable or law.fixed
        t = uniformiser(in_t, order)
        seen = t.power(dynamics.root) if place is None else place.expansion(t.power(dynamics.root))
    else:
        linear = linear if dynamics.scale == 1 else linear.rescale(dynamics.scale)
        seen = linear_value(linear.particular, linear.homogeneous, m)(uniformiser(in_t, order), order)
    known, rest = len(law.expansion.terms), law.expansion.remainder.monomial
    for count in (known, known + 1, None):  # all terms can be very many
        found = at_depth(in_t, seen, depth, count)
        found = found / Expansion.variable(found.scale) if law.average else found
        if getattr(found.remainder, "monomial", rest) <= rest:
            break
    return found


def _orders(law) -> int:
    """So many coefficients of the growth reach the remainder."""
    m, expansion = law.abel.multiplicity, law.expansion
    width = expansion.remainder.monomial.order - min(expansion.leading[0].order, 0)
    return int(m * width) + 4 * m + 2 + (0 if law.linear is None else law.dynamics.root + m)


# ---- numbers of one start --------------------------------------------------------------------------


ROOM = 8  # digits beyond those requested
PLAIN = 2_000  # layers that are iterated without a theorem
OUTRIGHT = 16  # layers that are iterated before a theorem is looked for
ATTEMPTS = 4
PLAIN_ATTEMPTS = 6  # each with twice as many bits: an orbit may be chaotic before it falls


@in_budget("enclosing the law's quantity")
def enclosed_value(law, depth: int, digits: int, given: Mapping) -> tuple:
    """(lower, upper) of the quantity at the depth, to about so many digits."""
    depth, digits = check_depth(depth), check_digits(digits)
    start = law._start(given)
    distance = start.distance if isinstance(start, Unsettled) else start
    return ends(value_ball(entered(law, start, law.asked), distance, depth, digits), digits + 3)


def entered(law, start, asked: PrintedLaw) -> PrintedLaw:
    """What is asked, for the orbits of a start that may have to settle first."""
    return start.entering(law, asked) if isinstance(start, Unsettled) else asked


def proved_value(asked: PrintedLaw, start, depth: int, digits: int):
    """The quantity at the depth as an mpmath number, correct to the digits; `Refused` or `PrecisionError` otherwise."""
    return nearest(value_ball(asked, start, depth, digits), digits + GUARD)


def proved_constants(asked: PrintedLaw, start, digits: int, second: bool = False) -> tuple:
    """(C, D) likewise; D is None for a law without one, and may be None unless requested as the `second`."""
    balls = constant_balls(asked, start, digits)
    if second and balls[1] is None:
        raise Refused("D of this law is not proved to given digits")
    return tuple(None if ball is None else nearest(ball, digits + GUARD) for ball in balls)


def constant_balls(asked: PrintedLaw, start, digits: int) -> tuple:
    """Balls for (C, D) of relative radii below 10^-digits; D may be None."""
    return _accurate(lambda more: _numbers(asked).constants(start, more), digits)


def require_theorem(asked: PrintedLaw, digits: int) -> None:
    """An error, with the reason, unless the coordinate is proved near the fixed point."""
    _numbers(asked).edge(digit_class(digits + ROOM))


def value_ball(asked: PrintedLaw, start, depth: int, digits: int) -> arb:
    """A ball for the quantity whose relative radius is below 10^-digits."""
    if start == 0 and not asked.settles_first:  # what has to settle does not stay there
        raise Refused("the start is the fixed point itself")
    if depth - asked.first <= OUTRIGHT:
        return _iterated(asked, start, depth, digits)
    try:
        return _accurate(lambda more: (_numbers(asked).value(start, depth, more),), digits)[0]
    except (Refused, PrecisionError):
        if depth - asked.first > PLAIN:
            raise
        return _iterated(asked, start, depth, digits)


def _accurate(balls: Callable[[int], tuple], digits: int) -> tuple:
    """The first of a few attempts whose balls fix the digits; each has so many more as the one before had lost."""
    asked = digit_class(digits + ROOM)
    for _ in range(ATTEMPTS):
        found = balls(asked)
        if all(ball is None or _fixes(ball, digits) for ball in found):
            return found
        asked = digit_class(asked + max(2, min(digits + ROOM, digits + 2 - _seen(found))))
    raise PrecisionError(f"{digits} digits are not enclosed; ask for fewer digits")


def _seen(found: tuple) -> int:
    """Digits that all of these balls show; negative where one shows none."""
    return min(int(ball.rel_accuracy_bits() / 3.33) for ball in found if ball is not None)


def _fixes(ball: arb, digits: int) -> bool:
    return ball.is_finite() and ball.rel_accuracy_bits() > bits_for(digits, 2)


def _iterated(asked: PrintedLaw, start, depth: int, digits: int) -> arb:
    """The recursion itself in balls, with so many bits that the digits are left."""

    def attempt(bits: int) -> arb:  # a wide ball may be refused too: it cannot be shown to fall
        if _fixes(found := _numbers(asked).at(start, depth, bits), digits):
            return found
        raise PrecisionError(f"{digits} digits at depth {depth} are lost on the way; ask for fewer digits")

    bits = bits_for(digit_class(digits + ROOM))
    return first_proved((partial(attempt, bits * 2**k) for k in range(PLAIN_ATTEMPTS)), 1)[0]


@lru_cache(maxsize=256)
def _numbers(asked: PrintedLaw):
    """Made once for a law."""
    return asked.numbers
