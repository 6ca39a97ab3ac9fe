"""Random recursions through law and evaluation, against plain iteration.

values    x_n from `evaluate` at a moderate depth, to the requested digits
printed   the formula itself: (x_n - formula)/remainder must settle as n = 10^12, 10^24, 10^48
numbers   the constants C and D enter through the formula only
"""

import random
from collections.abc import Callable
from functools import partial

import mpmath
from mpmath import mp
from sympy import Expr, Float, Integer, Rational, Symbol, cos, exp, log, oo, simplify, sin, sqrt, symbols, tanh

import asympt as asy
from asympt.errors import UnsupportedError
from asympt.expansions.opaque import RealConstant
from tests.fuzz import maps, oracle
from tests.fuzz.maps import POSITIVE, Map, X, fraction, signed

SETTLED, SLOWEST = 0.1, 0.8
DEPTHS = (1, 2, 3, 7, 31, 33, 40, 64, 150, 400)
MOST_DIGITS = 180


def depth_of(rng: random.Random) -> int:
    """A depth that plain iteration reaches: before the matching layer, about it, beyond it."""
    return rng.choice(DEPTHS) + rng.choice((0, 0, 1, 5))


def law_of(case: Map, terms: int, observable: Expr | None = None):
    """The law as a user asks for it."""
    found = asy.Recursion(case.expression, case.symbol, case.point, case.side)
    return found.law(terms, observable)


def follow(make: Callable[[random.Random], Map], rng: random.Random, printed: float = 0.3) -> str:
    """One map: its value at a depth, and at times its printed law."""
    case = make(rng)
    depth, terms, digits = depth_of(rng), rng.randint(1, 4), rng.choice((8, 15, 15, 30))
    check = rng.random() < printed
    try:
        law = law_of(case, terms)
        require_orbit(case, law, depth, digits)
        if check:
            require_printed(law, start=case.start)
    except AssertionError as error:
        raise AssertionError(f"{case}, depth={depth}, digits={digits}, terms={terms}: {error}") from None
    return "value"


def require_orbit(case: Map, law, depth: int, digits: int) -> None:
    """x_depth, and where the approach is exponential its distance from the fixed point."""
    value = law.evaluate(depth=depth, start=case.start, digits=digits)
    xs = oracle.orbit(case.expression, case.symbol, case.start, depth, digits + oracle.SPARE)
    oracle.require_equal(value, xs[-1], digits, "x_n")
    if law.kind == "hyperbolic" and not law.limit.has(oo):
        reach = min(depth, 60)
        deviation = law.deviation(reach, digits=digits, start=case.start)
        with mp.workdps(15):
            lost = max(0, -int(mp.log10(deviation))) if deviation else 0
        far = oracle.orbit(case.expression, case.symbol, case.start, reach, 200 + lost)
        with mp.workdps(200 + lost):
            distance = abs(far[-1] - oracle.number(law.limit))
        oracle.require_equal(deviation, distance, digits, "|x_n - x*|")


def deep(law) -> tuple[int, ...]:
    """Depths, each farther on the law's own scale than the one before."""
    if law.koenigs is None:
        return 10**12, 10**24, 10**48
    with mp.workdps(15):
        step = 2 * max(1, int(8 / abs(mp.log(abs(oracle.number(law.koenigs.multiplier))))))
    return step, 3 * step // 2, 2 * step, 4 * step


def require_printed(law, **start) -> None:
    """(quantity - formula)/remainder settles on every branch; an exact formula is the quantity."""
    law = law.for_start(**start)
    for rest in law.branches:
        _require_branch(law, rest, start)


def _require_branch(law, parity: int, start: dict) -> None:
    expansion = law.branches[parity]
    scale, rest = expansion.scale, expansion.remainder
    ratios = []
    for depth in (even + parity for even in deep(law)):
        sizes = [expansion.leading[0]] + ([rest.monomial] if rest else [])
        sizes = [at(scale.to_sympy(m), {scale.depth: Integer(depth)}, 15) for m in sizes]
        with mp.workdps(15):
            lost = max(0, int(mp.log10(abs(sizes[0] / sizes[-1])))) if all(sizes) else MOST_DIGITS
        if lost + 20 > MOST_DIGITS:
            break
        digits = lost + 20
        known = constants(law, digits, start) | {scale.depth: Integer(depth)}
        formula = at(expansion.to_sympy(), known, digits)
        value = law.evaluate(depth=depth, digits=digits, **start)
        with mp.workdps(digits + 20):
            if rest is None:
                oracle.require_equal(formula, value, 20, f"the exact formula {law} at depth {depth}")
                continue
            ratios.append((value - formula) / at(scale.to_sympy(rest.monomial), known, digits))
    shown = ", ".join(mpmath.nstr(r, 6) for r in ratios)
    assert settles(ratios), f"the remainder of {law} does not settle: {shown}"


def settles(ratios: list) -> bool:
    """Nearly constant; or, where the next term has a log less, on its way like 1/log n (a log too many doubles)."""
    if len(ratios) < 2:
        return True
    before, last = ratios[-2:]
    drift = abs(last - before)
    coming = drift <= SLOWEST * abs(before - ratios[0]) if len(ratios) > 2 else abs(last) < abs(before)
    return bool(coming or drift <= SETTLED * (1 + abs(before)))


def constants(law, digits: int, start: dict) -> dict:
    """{C: ..., D: ...} for the symbols in the formula."""
    names = {"C": law.connection_constant, "D": law.second_constant}
    found = [s for s in law.to_sympy().free_symbols if s.name in names]
    return {s: exact(names[s.name](digits=digits, **start)) for s in found}


def exact(value) -> Expr:
    """An mpmath number as the fraction that it is."""
    sign, mantissa, exponent, _ = value._mpf_
    return Rational((-1) ** sign * int(mantissa)) * Rational(2) ** exponent


def at(expression: Expr, values: dict, digits: int):
    """The formula with numbers for its symbols."""
    with mp.workdps(digits + 60):
        opaque = {c: exact(oracle.number(c)) for c in expression.atoms(RealConstant)}
        values = {s: Float(v, digits + 60) if v.is_Integer else v for s, v in values.items()}  # chi^(10^12) is long
        return oracle.number(expression.xreplace(opaque | values))


def observed(rng: random.Random) -> str:
    """The law of a function of x_n."""
    case = rng.choice((maps.parabolic, maps.hyperbolic, maps.infinite, maps.fractional))(rng)
    x, a = case.symbol, fraction(rng)
    regular = (x**2, a * x + 1, exp(x / 9), sin(x), x**3 - x, cos(x) - x, x / (1 + x**2))
    singular = (1 / (x - case.point), 1 / (x - case.point) ** 2) if case.point != oo else (1 / x, x**2, log(x), sqrt(x))
    shown = rng.choice((*regular, *singular))
    depth, terms = depth_of(rng), rng.randint(1, 3)
    try:
        law = law_of(case, terms, shown)
        value = law.evaluate(depth=depth, start=case.start, digits=15)
        last = oracle.orbit(case.expression, x, case.start, depth, 150)[-1]
        with mp.workdps(150):
            reference = oracle.function(shown, x)(last)
        oracle.require_equal(value, reference, 15, "h(x_n)")
        if rng.random() < 0.3:
            require_printed(law, start=case.start)
    except AssertionError as error:
        raise AssertionError(f"{case}, observable={shown}, depth={depth}, terms={terms}: {error}") from None
    return "value"


def summed(rng: random.Random) -> str:
    """A linear recursion along the orbit."""
    case = rng.choice((maps.parabolic, maps.hyperbolic, maps.fractional))(rng)
    x, y = case.symbol, (case.symbol - case.point) * (1 if case.side == "above" else -1)
    multiplier = rng.choice(
        (Integer(1), Integer(1), 1 - y, 1 - fraction(rng) * y, exp(-y), Rational(1, 2), case.expression.diff(x))
    )
    forcing = rng.choice((Integer(0), Integer(1), y, y**2, fraction(rng) * y + y**3, x, sin(y)))
    initial = rng.choice((Integer(0), Integer(1), x, y))
    depth, terms = depth_of(rng), rng.randint(1, 3)
    words = f"{case}, linear_law({multiplier}, {forcing}, {initial}), depth={depth}, terms={terms}"
    try:
        law = asy.Recursion(case.expression, x, case.point, case.side).linear_law(multiplier, forcing, initial, terms)
        value = law.evaluate(depth=depth, start=case.start, digits=15)
        reference = oracle.sums(case.expression, x, case.start, depth, (multiplier, forcing, initial), 150)
        oracle.require_equal(value, reference, 15, "a_n")
        if rng.random() < 0.3:
            require_printed(law, start=case.start)
    except AssertionError as error:
        raise AssertionError(f"{words}: {error}") from None
    return "value"


NAMES = ("a", "b", "n", "C", "D", "t", "y", "l", "L", "x_n", "k", "xi", "s", "u", "A", "alpha", "lambda", "q", "Y", "h")


def parametrised(rng: random.Random) -> str:
    """A law with parameters, however they are called, is the law of the map with numbers put in."""
    name, other = rng.sample(NAMES, 2)
    a, b = symbols([name, other], positive=True)
    x = Symbol(rng.choice([n for n in ("x", "z", "n", "t", "y", "w") if n not in (name, other)]), positive=True)
    forms = (
        x - a * x**2,
        x - a * x**2 + b * x**3,
        x / (1 + a * x),
        x - a * x**3 + b * x**4,
        x * exp(-a * x),
        sin(x) - a * x**2,
        x * (1 - a * x) / 2 + b * x**3,
        x / 2 + b * x**2,
        x - b * x**2 * exp(-a * x),
        tanh(x) - a * x**4,
        2 * a * x / 9 + b * x**2,
        x / (1 + a) + x**2,
        x / (3 + b * x) - x**3 / 7,
    )
    form = rng.choice(forms)
    numbers = {a: fraction(rng), b: fraction(rng)}
    terms, constant = rng.randint(1, 4), fraction(rng)
    general = asy.Recursion(form, x, 0).law(terms)
    left = [c for _, c in general.expansion.terms if simplify(c.subs(numbers)) != 0]  # some may vanish at these numbers
    special = asy.Recursion(form.subs(numbers), x, 0).law(len(left))
    values = []
    for law, inserted in ((general, numbers), (special, {})):
        formula = law.to_sympy()
        known = {s: v for s, v in inserted.items() if s in formula.free_symbols}
        left = sorted(formula.free_symbols - set(known) - {law.depth_variable}, key=str)
        assert len(left) <= 1, f"{form}, {terms} terms: the formula {law} contains {left}"
        known |= dict.fromkeys(left, constant) | {law.depth_variable: Integer(1000)}
        values.append(at(formula, known, 30))
    words = f"x -> {form} with {numbers}, terms={terms}: {general} against {special}"
    oracle.require_equal(*values, 25, words)
    return "value"


def driven(rng: random.Random) -> str:
    """x_l = x_(l-1) - step(l) h(x_(l-1))."""
    x, layer = POSITIVE, Symbol(rng.choice(("l", "n", "k")), positive=True)
    a = fraction(rng, bottom=4)
    h = rng.choice(
        (
            x**2,
            a * x**2,
            x**2 + signed(rng) * x**3,
            x**3,
            x,
            a * x / 3 + x**2,
            sin(x) * x,
            x ** Rational(3, 2),
            x - sin(x),
            tanh(x) ** 2,
            x**2 / (1 + x),
        )
    )
    step = rng.choice(
        (
            1 / (layer + 1),
            a / (layer + a),
            1 / (2 * layer + 3),
            layer ** Rational(-1, 2),
            a * layer ** Rational(-2, 3),
            1 / layer,
        )
    )
    first, start, depth = rng.choice((0, 1, 2, 5)), maps.near(rng), depth_of(rng)
    if first == 0 and step.subs(layer, 1).is_finite is False:
        first = 1
    depth += first
    words = f"DrivenRecursion({h}, x, {step}, {layer}, first={first}), start={start}, depth={depth}"
    try:
        recursion = asy.DrivenRecursion(h, x, step, layer, first)
        value = recursion.evaluate(depth=depth, start=start, digits=15)
        drift, sizes = oracle.function(h, x), oracle.function(step, layer)
        with mp.workdps(75):
            at_layer = oracle.number(start)
            for k in range(first + 1, depth + 1):
                at_layer -= sizes(mpmath.mpf(k)) * drift(at_layer)
        oracle.require_equal(value, at_layer, 15, "x_l")
        recursion.law(rng.randint(1, 3))
    except UnsupportedError:
        raise
    except AssertionError as error:
        raise AssertionError(f"{words}: {error}") from None
    return "value"


def layered(rng: random.Random) -> str:
    """a_l = lambda_l a_(l-1) + b_l."""
    layer = Symbol("l", positive=True)
    a, b = fraction(rng, bottom=4), signed(rng)
    multiplier = rng.choice(
        (
            1 - a / layer,
            1 - a / layer + b / layer**2,
            1 - a / sqrt(layer) / 9,
            Rational(1, 2) + b / (9 * layer),
            1 + b / layer**2,
            1 - 2 / layer + log(layer) / layer**2,
            1 - 1 / layer,
            -1 + a / layer,
        )
    )
    forcing = rng.choice(
        (Integer(0), Integer(1), a, 1 / layer, b / layer**2 + 1, log(layer) / layer, layer, sqrt(layer), 1 / layer**3)
    )
    first, value, depth, terms = rng.randint(1, 12), signed(rng) + 1, depth_of(rng), rng.randint(1, 4)
    depth += first
    words = f"layered_solution({multiplier}, {forcing}, {terms}).evaluate({depth}, {first}, {value})"
    found = asy.layered_solution(multiplier, forcing, terms)
    given = found.evaluate(depth=depth, start_layer=first, start_value=value, digits=15)
    lam, add = oracle.function(multiplier, layer), oracle.function(forcing, layer)
    with mp.workdps(90):
        here = oracle.number(value)
        for k in range(first + 1, depth + 1):
            here = lam(mpmath.mpf(k)) * here + add(mpmath.mpf(k))
    oracle.require_equal(given, here, 15, words)
    return "value"


def wild(rng: random.Random) -> str:
    """Any expression: a law or a refusal, and a value that agrees."""
    x = rng.choice((X, X, POSITIVE, Symbol("x")))
    formula = maps.tree(rng, x)
    point = rng.choice((None, None, None, Integer(0), Integer(1), oo))
    start, side, depth = fraction(rng), rng.choice(("above", "above", "below")), depth_of(rng)
    case = Map(formula, x, point, side, start)
    try:
        law = law_of(case, rng.randint(1, 2))
        value = law.evaluate(depth=depth, start=start, digits=12)
        oracle.require_equal(value, oracle.orbit(formula, x, start, depth)[-1], 12, "x_n")
    except AssertionError as error:
        raise AssertionError(f"{case}, depth={depth}: {error}") from None
    return "value"


FAMILIES = {
    "parabolic": (partial(follow, maps.parabolic), 12, 0.9),
    "fractional": (partial(follow, maps.fractional), 6, 0.7),
    "infinite": (partial(follow, maps.infinite), 6, 0.8),
    "hyperbolic": (partial(follow, maps.hyperbolic), 9, 0.9),
    "hidden": (partial(follow, maps.hidden), 4, 0.7),
    "flip": (partial(follow, maps.flip), 6, 0.6),
    "pieces": (partial(follow, maps.pieces), 8, 0.1),
    "observed": (observed, 6, 0.6),
    "summed": (summed, 3, 0.7),
    "parametrised": (parametrised, 30, 0.8),
    "driven": (driven, 30, 0.6),
    "layered": (layered, 40, 0.9),
    "wild": (wild, 4, 0.0),
}
