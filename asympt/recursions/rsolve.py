"""`rsolve_asymptotic`: the law of a recursion as SymPy's users write it, a(n + 1) = f(a(n), n).

    f free of n             `Recursion`, at the fixed point to which the orbit of the start goes; of e^a or a^(1-k)
                            where f - a is c e^(k a), or c a^k with a symbol k; of log a where f is a^k Phi(log a)
    mu a + g(log a)         D mu^n and a polynomial in n
    lambda(n) a + b(n)      `layered_solution`
    c(n) a^k, c a^(3/2)     the same for log a;  a/(c(n) + d(n) a) for 1/a
    a - s(n) h(a)           `DrivenRecursion`
    anything else           `formal_solution`, where an orbit follows a series in n: sqrt(a + n), a - a^2 + 1/n^2
"""

import re
from dataclasses import dataclass, replace

from mpmath import mp
from sympy import Dummy, Eq, Expr, Integer, Symbol, exp, expand_log, latex, log, oo, separatevars, simplify, solve
from sympy.core.function import AppliedUndef, UndefinedFunction

from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial
from asympt.expansions.printing import plain
from asympt.numbers import check_terms, exact, symbol_names, to_mpf
from asympt.parsing import as_sympy, read_formula
from asympt.recursions import fixed_points
from asympt.recursions.coordinates.abel_inversion import SECOND
from asympt.recursions.fixed_point import real_numeric
from asympt.recursions.law import Law
from asympt.recursions.linear_recurrence import ORDERS, LayeredSolution, layered_solution
from asympt.recursions.non_autonomous import DrivenRecursion, FormalSolution, formal_solution
from asympt.recursions.recursion import SIDE_NAMES, Recursion
from asympt.symbols import named

STEPS, DIGITS = 512, 30  # of the orbit that finds its fixed point
LARGE = mp.mpf(10) ** 1000
CLOSE = mp.mpf(10) ** -20
FEW = 5  # digits of C, to see that the start is in the basin
NEAR, FAR = Integer(10) ** -6, Integer(10) ** 6  # where the signs of h and of the step are looked at
AGAIN, LONG = 12, 4096  # exact steps, and bits, in which an orbit to infinity may pass through 0, which has no 1/0


def rsolve_asymptotic(equation, function, start=None, terms: int = 4) -> Law | LayeredSolution:
    """The law of a(n) for large n, where a(n + 1) = f(a(n), n).

    Parameters
    ----------
    equation : Eq(a(n + 1), f), or an expression that is 0, of a(n) and a(n + 1) (or a(n - 1) and a(n)); or a text such
        as "a(n + 1) = a(n) - c*a(n)^2", whose other letters are positive parameters.
    function : a(n), `a` a SymPy function and n a symbol, or "a(n)".
    start : {a(k): v} or "a(k) = v", which the law then takes for its start: law.evaluate(1000) is a(1000).  It also
        decides to which fixed point a map without n goes; without it the map needs one attracting fixed point.
    terms : how many terms the law has.

    Returns a `Law` where f is free of n or a - s(n) h(a), a `LayeredSolution` (P + D H) where f is affine in a with
    coefficients in n, and that of log a(n) where f is c(n) a^k, of 1/a(n) where it is a/(c(n) + d(n) a); so too, D to
    first order, where the orbit of the start follows a series in n, as of f = a - a^2 + 1/n^2.  Of f = a +
    e^(-a) it is the `Law` of e^a, of f = a + c a^(-q), q a symbol, that of a^(q + 1), of f = a log a that of log a.

    Raises `InputError` for what is not such an equation, `UnsupportedError` with the reason where there is no law.

    >>> from mpmath import nstr
    >>> from sympy import Function, sin
    >>> a, n = Function("a"), Symbol("n")
    >>> law = rsolve_asymptotic(Eq(a(n + 1), sin(a(n))), a(n), {a(0): 1}, terms=2)
    >>> print(law, nstr(law.evaluate(10**8), 12), sep="; ")
    sqrt(3)/sqrt(n) - 3*sqrt(3)*log(n)/(10*n^(3/2)) + O(1/n^(3/2)); 0.00017320506908
    >>> print(rsolve_asymptotic("a(n + 1) = a(n)^2 + 1", "a(n)", "a(0) = 0", terms=2))
    C^(2^n) - 1/(2*C^(2^n)) + O(1/C^(3*2^n))
    >>> print(rsolve_asymptotic(Eq(a(n + 1), a(n) + 1 / n), a(n), terms=2))
    log(n) - 1/(2*n) + O(1/n^2) + D
    """
    terms, asked = check_terms(terms), Posed.read(equation, function, start)
    x, n, image = asked.value, asked.depth, asked.image
    affine, (factor, exponent) = image.expand().as_poly(x), _monomial(image, x)
    if (found := _growing(asked, terms)) is not None:
        return found
    if not image.has(n) and not (exponent and exponent.is_Rational and exponent > 1 and not exponent.is_Integer):
        return _autonomous(asked, terms)
    if affine is not None and affine.degree() <= 1:
        slope, forcing = affine.coeff_monomial(x), affine.coeff_monomial(1)
        try:
            return asked.layered(slope, forcing, terms)
        except UnsupportedError:
            if forcing != 0:
                raise
            factor, exponent = slope, Integer(1)  # its logarithm may have what lambda must not
    if exponent is not None and not exponent.has(n):
        return asked.seen_as(log(x)).layered(exponent, expand_log(log(factor), force=True), terms, log(x))
    turned = (1 / image.subs(x, 1 / x)).cancel().expand().as_poly(x)
    if turned is not None and turned.degree() == 1:
        known = turned.coeff_monomial(x), turned.coeff_monomial(1)
        return asked.seen_as(1 / x).layered(*known, terms, 1 / x)
    return _driven(asked, terms)


@dataclass(frozen=True)
class Posed:
    """a(n + 1) = `image` in `value` = a(n) and `depth` = n, and the start (k, v) or None; `name` is that of a."""

    image: Expr
    value: Symbol
    depth: Symbol
    name: str
    start: tuple[int, Expr] | None

    @classmethod
    def read(cls, equation, function, start) -> "Posed":
        if isinstance(function, str) and (named := re.fullmatch(r"\s*(\w+)\s*\(\s*([^\W\d]\w*)\s*\)\s*", function)):
            function = UndefinedFunction(named[1])(Symbol(named[2], positive=True))
        if not isinstance(function, AppliedUndef) or len(function.args) != 1 or not function.args[0].is_Symbol:
            raise InputError(f"function = {function!r} is not a(n); give 'a(n)', or SymPy's with a = Function('a')")
        n, a = function.args[0], function.func
        given = _equation(equation, n, a) if isinstance(equation, str) else as_sympy(equation)
        if given in (True, False) or not isinstance(given, Eq | Expr):
            raise InputError(f"equation = {equation} is not an equation for {function}; give Eq({a}({n} + 1), ...)")
        left = given.lhs - given.rhs if isinstance(given, Eq) else given
        shifts = {call: call.args[0] - n for call in left.atoms(AppliedUndef) if call.func == a}
        if not shifts or any(not shift.is_Integer for shift in shifts.values()):
            raise InputError(f"{equation} is not a recursion for {function}; write it in {a}({n}) and {a}({n} + 1)")
        last = max(shifts.values())
        if set(shifts.values()) != {last, last - 1}:
            raise UnsupportedError(
                f"{equation} is not of first order in {function}: only {a}({n} + 1) = f({a}({n}), {n}) is solved; "
                f"{_other_order(left, shifts, n)}"
            )
        depth, x, after = Symbol(n.name, positive=True), Symbol("x", real=True), Symbol("x'")
        names = {call: x if shift < last else after for call, shift in shifts.items()}
        image = _solved(left.xreplace(names).subs(n, depth + 1 - last), after, equation)
        return cls(image, x, depth, str(a), _start(start, a, function))

    def layered(self, multiplier: Expr, forcing: Expr, terms: int, phi: Expr | None = None) -> LayeredSolution:
        """y_l = multiplier(l - 1) y_(l-1) + forcing(l - 1), y = a or phi(a)."""
        before = {self.depth: self.depth - 1}
        found = layered_solution(simplify(multiplier.subs(before)), forcing.subs(before), terms, self.depth)
        return replace(found, start=self.start, of=phi and phi.subs(self.value, Symbol(f"{self.name}_{self.depth}")))

    def seen_as(self, phi: Expr) -> "Posed":
        """The start of log a(n) or 1/a(n)."""
        if self.start is None:
            return self
        layer, value = self.start
        if not (value > 0 or (value and phi != log(self.value))):
            shown = phi.subs(self.value, Symbol(self.name))
            raise UnsupportedError(f"{self.name}({layer}) = {value} has no real {shown}, in which this one is solved")
        return replace(self, start=(layer, phi.subs(self.value, value)))

    def named(self, law: Law) -> Law:
        """The law with the names of the function and of n, and its start."""
        constants = named([own for own, name in law.symbols.items() if name != law.depth_variable],
                          law.parameters | {self.depth})  # fmt: skip
        symbols = {own: constants.get(own, self.depth) for own in law.symbols}
        new = {old: symbols[own] for own, old in law.symbols.items()} | {law.depth_variable: self.depth}
        parts = {part: getattr(law, part).renamed(new) for part in ("expansion", "odd") if hasattr(law, part)}
        shown = {"quantity": f"{self.name}_{{{latex(self.depth)}}}", "text": f"{self.name}_{self.depth}"}
        law = replace(law, symbols=symbols, **parts, **shown)
        return law if self.start is None else replace(law, reader=From(law.reader, self.start[1], self.name))


@dataclass(frozen=True)
class From:
    """The reader of a law whose start is known, of an orbit with a name of its own; another start may be given."""

    reader: object
    value: Expr
    name: str

    @property
    def known(self) -> dict:
        return {"start": self.value}

    def __call__(self, start=None, x0=None) -> Expr:
        given = x0 if start is None else start
        return self.reader(start=self.value if given is None else given)


def _equation(text: str, n: Symbol, a: UndefinedFunction) -> Expr:
    """What is 0 by an equation of text, or a formula alone."""
    left, *right = (read_formula(side.strip(), n, parameters=True, sequence=a) for side in re.split("==?", text))
    if len(right) > 1:
        raise InputError(f"equation = {text!r} has more than two sides; write it as '{a}({n} + 1) = ...'")
    return left - sum(right, Integer(0))


def _other_order(left: Expr, shifts: dict, n: Symbol) -> str:
    """What is to be done about an equation of another order."""
    names = {call: Dummy() for call in shifts}
    slopes = [left.xreplace(names).diff(name) for name in names.values()]
    if not any(slope.has(*names.values()) for slope in slopes):
        return "sympy.rsolve solves linear ones with constant or polynomial coefficients"
    return f"asympt.System may have the law of two sequences, a({n}) and b({n}) = a({n} - 1)"


def _solved(left: Expr, after: Symbol, equation) -> Expr:
    """f, from an expression in a(n + 1) that is 0."""
    found = [-left.coeff(after, 0) / left.coeff(after, 1)] if left.is_polynomial(after) and left.diff(after, 2) == 0 \
        else solve(left, after)  # fmt: skip
    if len(found) != 1:
        raise UnsupportedError(f"{equation} has {len(found)} solutions for the next value; solve it for one of them")
    return found[0]


def _start(start, a, function) -> tuple[int, Expr] | None:
    if not start:
        return None
    pairs = start.items() if isinstance(start, dict) else [re.split("==?", start)] if isinstance(start, str) else []
    known = [(read_formula(at, sequence=a) if isinstance(at, str) else at, *value) for at, *value in pairs]
    if [len(pair) for pair in known] != [2] or not isinstance(known[0][0], AppliedUndef) or known[0][0].func != a:
        raise InputError(f"start = {start} is not a start of {function}; give one value, such as {{{a}(0): 1}}")
    layer, value = known[0][0].args[0], exact(known[0][1], "start")
    if not layer.is_Integer or layer < 0 or not value.is_number or not value.is_real:
        raise InputError(f"start = {start}: give a real number at a whole layer from 0 on, such as {{{a}(0): 1}}")
    return int(layer), value


def _monomial(image: Expr, x: Symbol) -> tuple[Expr, Expr | None]:
    """(c, k) of c x^k, c free of x and positive; k is None for anything else."""
    factor, rest = image.as_independent(x, as_Add=False)
    base, exponent = rest.as_base_exp()
    return factor, exponent if base == x and not exponent.has(x) and factor.is_negative is not True else None


# ---- the same in every step ---------------------------------------------------------------------


def _substitution(asked: Posed) -> tuple[Expr, Expr, Expr | None] | None:
    """phi(x), the map of phi and its fixed point.

    e^a for a + c e^(k a), a^(1-k) for a + c a^k, k a symbol, and log a for a^k Phi(log a) on its way to 0 or infinity.
    """
    image, x = asked.image, asked.value
    y, step = Symbol(x.name, positive=True), (image - x).expand()
    moved = step.subs(x, log(y))
    if step.has(exp) and _monomial(moved, y)[1] is not None:
        return exp(x), (y * exp(moved)).subs(y, x), None
    factor, k = _monomial(step, x)
    if k is not None and k.free_symbols:
        return x ** (1 - k), x * (1 + factor / x) ** (1 - k), oo
    size = Dummy(real=True)
    factor, k = _monomial(expand_log(image, force=True).subs(log(x), size).factor(), x)
    if k is not None and factor.has(size) and _leaves(asked):
        if k != 1:
            raise UnsupportedError(
                f"{asked.name}({asked.depth} + 1) is {asked.name}^{k} times logarithms of it, whose log "
                f"grows like {k}^{asked.depth} with further terms in {asked.depth}, and such a law is not derived"
            )
        return log(x), (k * size + log(factor)).subs(size, x), None
    return None


def _growing(asked: Posed, terms: int) -> FormalSolution | None:
    """Of mu a + g(log a), g a polynomial, mu > 1: a = D mu^n + P + O(n^k mu^(-n)), P' = mu P + g(log(D mu^n))."""
    x, n, size = Symbol(asked.value.name, positive=True), asked.depth, Dummy(real=True)
    image = expand_log(asked.image.subs(asked.value, x)).expand()
    slope, rest = image.coeff(x), (image - image.coeff(x) * x).subs(log(x), size)
    if not (slope.is_number and slope > 1 and rest.has(size) and rest.is_polynomial(size)) or rest.has(x, n):
        return None
    if asked.start is not None and destination(asked)[0] != oo:
        return None
    found = layered_solution(slope, rest.subs(size, log(SECOND) + (n - 1) * log(slope)), terms + 1, n)
    left = Expansion.build(found.forcing.scale, {}, Formal(Monomial(ORDERS)))  # as of what is below every power
    solved = FormalSolution(found.multiplier, found.forcing, (found.particular + left).truncate(terms), found.h,
                            start=asked.start, image=asked.image, before=asked.value)  # fmt: skip
    return replace(solved, particular=solved.particular.renamed({SECOND: solved.constant_symbol}))


def _leaves(asked: Posed) -> bool:
    """Whether the orbit goes to 0 or to infinity; without a start, whether no other point attracts."""
    if asked.start is not None:
        return destination(asked)[0] in (0, oo, -oo)
    known = asked.image, asked.value
    points = (point for point in fixed_points.finite_fixed_points(*known) if point != 0)
    return not any(fixed_points.behaviour(*known, point, 1) == fixed_points.ATTRACTS for point in points)


def _autonomous(asked: Posed, terms: int, point: Expr | None = None) -> Law:
    found = _substitution(asked) if point is None else None
    if found is not None:
        phi, image, point = found
        there = asked.seen_as(phi) if phi == log(asked.value) else asked
        start = there.start and (there.start[0], phi.subs(asked.value, asked.start[1]))
        law = _autonomous(replace(asked, image=image, start=start), terms, point)
        shown, told = (phi.subs(asked.value, Symbol(name)) for name in (law.quantity, law.text))
        return replace(law, quantity=latex(shown), text=str(told).replace("**", "^"))
    if asked.start is None or asked.image.free_symbols != {asked.value}:
        if asked.start is not None:
            names = symbol_names(asked.image.free_symbols - {asked.value})
            raise UnsupportedError(f"the orbit of a start cannot be followed with the symbols {names}; leave it out")
        return asked.named(Recursion(asked.image, asked.value, point).law(terms))
    layer, value = asked.start
    if simplify(asked.image.subs(asked.value, value) - value) == 0:
        raise InputError(f"{asked.name}({layer}) = {value} is a fixed point: the sequence is constant; start elsewhere")
    point, sign = destination(asked)
    law = Recursion(asked.image, asked.value, point, SIDE_NAMES[sign]).law(terms)
    asked = _off_the_pole(asked, law)
    layer, value = asked.start
    law = law.for_start(start=value)
    law.connection_constant(start=value, digits=FEW)  # an error where the orbit does not come in
    return asked.named(shifted(law, layer))


def _off_the_pole(asked: Posed, law: Law) -> Posed:
    """With a start behind the last 0 of a rational orbit to infinity: 0 has no 1/0."""
    later = asked
    for _ in range(AGAIN if law.fixed.at_infinity else 0):
        layer, value = later.start
        if not value.is_Rational or int(value.p).bit_length() > LONG:
            break
        later = replace(later, start=(layer + 1, asked.image.subs(asked.value, value)))
        asked = later if value == 0 else asked
    return asked


def shifted(law: Law, layer: int) -> Law:
    """The law of an orbit that starts at a later layer than 0."""
    if layer == 0:
        return law
    if len(law.branches) > 1:
        raise UnsupportedError(f"orbits that change sides are counted from 0, not from {layer}; count from the start")
    return law.changed(dynamics=replace(law.dynamics, first=layer))


def destination(asked: Posed) -> tuple[Expr, int]:
    """The fixed point to which the orbit of the start goes, and from which side (1 above), by `STEPS` steps of it."""
    step, x = real_numeric(asked.image, "the map", asked.value), asked.value
    with mp.workdps(DIGITS):
        orbit = [to_mpf(asked.start[1])]
        while len(orbit) <= STEPS and (orbit[-1] == 0 or 1 / LARGE < abs(orbit[-1]) < LARGE):
            orbit.append(step(orbit[-1]))
        evens, found = orbit[::2], []
        end, middle = orbit[-1], evens[(len(evens) - 1) // 2]
        points = fixed_points.finite_fixed_points(asked.image, x)
        if fixed_points.tends_to_zero(asked.image, x, 1 if end > 0 else -1):
            points.append(Integer(0))
        for point in points:
            distances = [y - to_mpf(point) for y in evens]
            now, before = abs(distances[-1]), abs(distances[len(distances) // 2])
            if now < CLOSE or now < before:
                sides = [d for d in distances if abs(d) > CLOSE]
                found.append((now, point, -1 if sides and sides[-1] < 0 else 1))
        if found and abs(end) < LARGE:
            return min(found, key=lambda known: known[0])[1:]
        if abs(end) > abs(middle):
            return (oo, 1) if evens[-1] > 0 else (-oo, -1)
    layer, value = asked.start
    raise UnsupportedError(
        f"the orbit of {asked.name}({layer}) = {value} neither converges nor grows: after {len(orbit) - 1} steps it is "
        f"at {mp.nstr(end, 8)}"
    )


# ---- a - s(n) h(a), and what n carries along ------------------------------------------------------


def _driven(asked: Posed, terms: int) -> Law:
    x, n = Symbol(asked.value.name, positive=True), asked.depth
    parts = separatevars(simplify(x - asked.image.subs(asked.value, x)), symbols=(x, n), dict=True)
    if not parts:
        return _carried(asked, terms)
    h, step = parts[x], _before(parts["coeff"] * parts[n], n)
    if h.subs(x, NEAR).is_negative:
        h, step = -h, -step
    if step.subs(n, FAR).is_negative:
        return _carried(asked, terms)
    layer, value = asked.start or (next((k for k in range(AGAIN) if step.subs(n, k + 1).is_positive), 0), None)
    law = DrivenRecursion(h, x, step, n, layer).law(terms)
    if value is not None:
        law.reader(start=value)
    return asked.named(law)


def _carried(asked: Posed, terms: int) -> FormalSolution:
    """P + D H to which the orbit goes."""
    x, n, a = asked.value, asked.depth, asked.name
    layer, value = asked.start or (1, Integer(1))
    if not asked.image.free_symbols - {x, n}:
        try:
            found = formal_solution(_before(asked.image, n), x, n, (layer, value), terms)
            return replace(found, start=asked.start)
        except (UnsupportedError, InputError) as error:
            reason = f"the orbit of {a}({layer}) = {value} shows none: {error}"
    else:
        reason = f"with {symbol_names(asked.image.free_symbols - {x, n})} for numbers it may have one"
    raise UnsupportedError(
        f"{a}({n} + 1) = {plain(asked.image.subs(x, Symbol(f'{a}({n})')))} is neither free of {n} nor affine in {a}, "
        f"log({a}) or 1/{a}, nor {a} - s({n}) h({a}), falling to 0; and of a series in {n}, {reason}"
    )


def _before(formula: Expr, n: Symbol) -> Expr:
    """A function of n where the next layer is counted."""
    return simplify(formula.subs(n, n - 1))
