r"""The steps of a derivation as data: what each of them found, read off a law that has been derived.

One function a kind of step; the names of its objects, the first of which tells the form of the step:

    map          ratio       x'/x in t, `multiplier` its value at 0, `formula` x' as a closed form in t where known;
                             `image` = x' and `slope` = dx'/dx in t
                 drift       h of x' = x - delta h(x) in t, `slope` h' in t, `step` = delta_l
                 affine      b of x' = lambda x + b, `multiplier` = lambda, `start` = x_first where it is the same
                 leaving     c* < 1 to which a drift leads, `exponent` of the `clock` and `factor` of its logarithm
                 fixed       where dc = drift(c) dlog(clock) leads, `drift`, `exponent` with which it is reached
                 averaging   the second eigenvalue of an average over positions
    uniformiser  growth      e of t' = t (1 + e(t)), `root` r of x = t^r, `formula` t' as a closed form where r = 1
    coordinate   abel        A(t') = A(t) + 1;  A grows by `advance` where two steps at a time are meant; `system`:
                             the equations for its coefficients in symbols
                 koenigs     S(t') = chi S(t), `multiplier` = chi, `system` likewise
                 time        T(x') = T(x) + delta + ..., `clock` the sum of the delta up to layer l
    inversion    t           t_l at large depth, `s` = alpha t_l^(-m), alpha t^(-m) the leading term of A; where orbits
                             change sides these are of even depths, and `t odd`, `s odd` of odd ones;  `balance`: the
                             next terms in s = l + C - (beta/m) log(alpha) + balance(s)
                 inverse     t = U^(-1)(z), U = S^(1/r), z = C^(1/r) chi^(l/r)
                 reversed    x in powers of 1/T
    linear       particular  P of a' = lambda a + b, a = P + D H: `homogeneous` = H, `multiplier` = lambda, `forcing` =
                             b, `base` = lambda(0) where it is the factor of H in every step, `along` = lambda(t_l),
                             `weight` = omega of P = omega H log t + ...
    quantity     law         the law's expansion, `odd` that of odd depths; `seen`: the quantity as a function of t
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer, Rational, Symbol, simplify, solve

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.parsing import as_sympy
from asympt.recursions.coordinates.abel import (
    AT_FIXED_POINT,
    AbelFunction,
    LinearSolution,
    abel_and_linear,
    multiplicity,
    stride,
)
from asympt.recursions.coordinates.abel_inversion import TooFewOrders, at_depth, depth_law, power_of, uniformiser
from asympt.recursions.coordinates.flow_time.coordinate import clock_at_depth
from asympt.recursions.coordinates.koenigs import in_t, written
from asympt.recursions.protocol import Dynamics, Step, T
from asympt.symbols import Reserved

SHOWN = 5  # terms of an inverse series
FEW = 4  # terms of t_l and s_l, at least
_LOOKED_AT = 12  # coefficients in which the leading exponent is sought
Z = Reserved("z", positive=True)
TIME = Reserved("Y", positive=True)
SIZE = Reserved("s", positive=True)


def parabolic(law) -> tuple[Step, ...]:
    """From the map to the law, by Abel's function."""
    abel, linear = law.coordinate.formulas or law.abel, law.linear
    if linear is not None and abel is not law.abel:
        linear = abel_and_linear(law.dynamics, 4 * abel.multiplicity + law.dynamics.root + 1)[1]  # to the resonance
    if law.family is None or not law.parameters:
        found = (growth_of(law.dynamics), depth_of(law, abel))
    else:  # derived for a symbol, as the law itself was
        family = law.family.law
        shared = (growth_of(family.dynamics), depth_of(law, family.abel))
        found = tuple(_put(step, family.abel, abel) for step in shared)
    growth, depth = found
    solved = linear_step(law.dynamics, linear, depth)
    return (map_of(law.dynamics), growth, abel_step(abel, growth["growth"]), depth, *solved, quantity(law))


def flip(law) -> tuple[Step, ...]:
    """The same for the second iterate of a map: A grows by 2 in two steps."""
    here, there = depth_of(law, law.abel), depth_of(law, law.abel.rescale(Integer(-1)))
    sides, growth = here.objects | {"t odd": there["t"] * -1, "s odd": there["s"]}, growth_of(law.double)
    coordinate = abel_step(law.abel, growth["growth"], 2)
    return (map_of(law.dynamics), growth, coordinate, Step("inversion", sides), quantity(law))


def hyperbolic(law) -> tuple[Step, ...]:
    """From the map to the law, by Koenigs' function."""
    koenigs = law.koenigs
    found = {"koenigs": koenigs.expansion, "multiplier": koenigs.multiplier, "system": KoenigsSystem()}
    inverse = koenigs.expansion.truncate(SHOWN).power(Rational(1, koenigs.root)).revert(Scale.at_zero(Z))
    return (
        map_of(law.dynamics), growth_of(law.dynamics), Step("coordinate", found),
        Step("inversion", {"inverse": inverse}), *linear_step(law.dynamics, law.linear), quantity(law),
    )  # fmt: skip


def flowing(law) -> tuple[Step, ...]:
    """From the drift to the law, by the flow time; `linear` only gives P and H."""
    drift, steps = law.dynamics.drift, law.dynamics.steps
    linear = () if law.linear is None else (solution(law.linear),)
    clock = Step("coordinate", {"time": law.time, "clock": clock_of(steps, law.depth_variable)})
    inverse = ()
    if drift.excess:
        inverse = (Step("inversion", {"reversed": law.time.revert(Scale.at_infinity(TIME)).power(drift.root)}),)
    return (drift_step(drift, steps.formula(law.depth_variable)), clock, *inverse, *linear, quantity(law))


def exact(law) -> tuple[Step, ...]:
    """An affine recursion whose solution is a sum of two terms, but for the quantity; nothing for another identity."""
    found = affine(law.expansion, law.depth_variable)
    return () if found is None else (found,)


def _put(step: Step, family: AbelFunction, own: AbelFunction) -> Step:
    """A step of a family of laws for the member whose A starts with another coefficient."""
    value = {family.expansion.leading[1]: own.expansion.leading[1]}

    def changed(found):
        if not isinstance(found, Expansion):
            return found
        return Expansion(found.scale, tuple((m, c.xreplace(value)) for m, c in found.terms), found.remainder)

    return Step(step.kind, {name: changed(found) for name, found in step.objects.items()})


def map_of(dynamics: Dynamics) -> Step:
    """x'/x at the fixed point."""
    ratio = in_t(dynamics, dynamics.ratio(length(dynamics)))
    return map_step(ratio, dynamics.root, dynamics.formula)


def map_step(ratio: Sequence[Expr], root: int = 1, formula: Expr | None = None) -> Step:
    """The coefficients of x'/x in t, x' = t^root (x'/x) and its derivative by x."""
    slope = [c * (1 + Rational(k, root)) for k, c in enumerate(ratio)]
    found = {"ratio": series(ratio), "multiplier": ratio[0], "image": series(ratio, root), "slope": series(slope)}
    return Step("map", found if formula is None else found | {"formula": formula})


def growth_of(dynamics: Dynamics) -> Step:
    """e of t' = t (1 + e(t)); for a multiplier that is not 1, of t' = mu t (1 + e(t)), which starts with t as well."""
    ratio = dynamics.ratio(length(dynamics))
    if ratio[0] == 1:
        growth = series(in_t(dynamics, dynamics.growth(len(ratio))))
    else:
        growth = (series(in_t(dynamics, ratio)) * (1 / ratio[0])).power(Rational(1, dynamics.root)) - 1
    found = {"growth": growth, "root": Integer(dynamics.root)}
    if dynamics.root == 1 and dynamics.formula is not None:
        found["formula"] = dynamics.formula
    return Step("uniformiser", found)


def length(dynamics: Dynamics) -> int:
    """As many coefficients as the first terms of A are made of."""
    first = dynamics.ratio(_LOOKED_AT)
    if first[0] != 1:
        return _LOOKED_AT // 2
    m = multiplicity([0, *first[1:]])
    return max(2 * m + 4 * max(2, stride([0, *first[1:]])) + 1, 4 * m + 2)


def series(coefficients, first: int = 0) -> Expansion:
    """Coefficients of t^first, t^(first + 1), ... as an expansion at 0."""
    terms = {Monomial(first + k): as_sympy(c) for k, c in enumerate(coefficients)}
    return written(AT_FIXED_POINT, terms, Formal(Monomial(first + len(coefficients))))


def drift_step(drift, step: Expr) -> Step:
    """h in t and the step size."""
    known = series([drift.lead * c for c in drift.ratio(_LOOKED_AT)], drift.order)
    slope = {Monomial(m.order - drift.root): c * m.order / drift.root for m, c in known.terms}
    rest = Formal(Monomial(known.remainder.monomial.order - drift.root))
    return Step("map", {"drift": known, "slope": written(AT_FIXED_POINT, slope, rest), "step": step,
                        "root": Integer(drift.root)})  # fmt: skip


def affine(expansion: Expansion, depth: Symbol) -> Step | None:
    """x' = lambda x + b from its solution a + c lambda^l or a + b l; None when it is none of these."""
    formula = expansion.to_sympy()
    now, then, later = (formula.subs(depth, depth + k) for k in range(3))
    first, second = (then - now).simplify(), (later - then).simplify()
    multiplier = Integer(1) if first == 0 else (second / first).simplify()
    forcing = (then - multiplier * now).simplify()
    if multiplier.has(depth) or forcing.has(depth):
        return None
    return Step("map", {"affine": forcing, "multiplier": multiplier})


def abel_step(abel: AbelFunction, growth: Expansion, advance: int = 1) -> Step:
    """A, for the e of t' = t (1 + e)."""
    found = {"abel": abel.expansion, "advance": Integer(advance), "system": AbelSystem.of(growth, advance)}
    return Step("coordinate", found)


def clock_of(steps, depth: Symbol) -> Expansion:
    """The sum of the step sizes in powers of l, without its constant."""
    shifted = Expansion.variable(Scale.at_infinity(depth)) + steps.shift
    return clock_at_depth(steps, Rational(1)).compose(shifted, Monomial(Rational(1)))


def depth_of(law, abel: AbelFunction) -> Step:
    """t_l and s_l = alpha t_l^(-m), in the law's own symbols."""
    found = _at_depth(abel, law.depth_variable, max(FEW, len(law.expansion.terms))) | {"balance": _balance(abel)}
    return Step("inversion", {name: law.renamed(expansion) for name, expansion in found.items()})


def _balance(abel: AbelFunction) -> Expansion:
    """What A = l + C implies for s = alpha t^(-m): its first terms beyond l, C and s itself."""
    m, (lead, *later) = abel.multiplicity, abel.expansion.terms[:FEW]
    alpha, terms = lead[1], {}
    for monomial, c in later:
        order = Rational(monomial.order) / m
        terms[Monomial(order, monomial.logs)] = c / m if monomial.logs else -c * alpha**order
    return Expansion.build(Scale.at_infinity(SIZE), terms)


def _at_depth(abel: AbelFunction, depth: Symbol, terms: int) -> dict[str, Expansion]:
    m, lead = abel.multiplicity, abel.expansion.leading[1]

    def law_of(count: int, observe) -> Expansion:
        try:
            return depth_law(abel, depth, count, observe)
        except TooFewOrders:
            return at_depth(abel, observe(uniformiser(abel, order), order), depth)

    order = int(abel.expansion.remainder.monomial.order)
    return {"t": law_of(terms, power_of(1)), "s": law_of(max(terms, m + 2), lambda t, order: t.power(-m) * lead)}


def linear_step(dynamics: Dynamics, linear, depth: Step | None = None) -> tuple[Step, ...]:
    """P and H with the recursion they solve; nothing for a law without one.  `depth`: the orbit at large depth."""
    if linear is None:
        return ()
    count, along = length(dynamics), dynamics.linear
    known = {name: series(in_t(dynamics, part(count)))
             for name, part in (("multiplier", along.multiplier), ("forcing", along.forcing))}  # fmt: skip
    if depth is not None and not dynamics.costly:
        known["along"] = known["multiplier"].truncate(FEW).compose(depth["t"])
    return (Step("linear", solution(linear).objects | known),)


def solution(linear: LinearSolution) -> Step:
    """P and H alone."""
    found = {"particular": linear.particular}
    if linear.homogeneous is not None:
        found["homogeneous"], (free, first) = linear.homogeneous, linear.homogeneous.leading
        found["weight"] = linear.particular.coefficients.get(Monomial(free.order, 1), Integer(0)) / first
    if not linear.runs_alone:
        found["base"] = linear.multiplier
    return Step("linear", found)


def quantity(law) -> Step:
    """The law, and how its quantity is seen in t."""
    found = {"law": law.expansion}
    if len(law.branches) > 1:
        found["odd"] = law.branches[1]
    seen = _seen(law)
    return Step("quantity", found if seen is None else found | {"seen": seen})


def _seen(law) -> Expansion | None:
    """The quantity as a series in t; None where it is a solution of a linear recursion, or no function of t."""
    try:
        dynamics = law.dynamics
    except UnsupportedError:
        return None
    if law.linear is not None or not isinstance(dynamics, Dynamics):
        return None
    distance = Expansion.variable(AT_FIXED_POINT).power(dynamics.root)
    observable = law.observable or law.coordinate.seen
    if observable is None:
        return distance
    seen = observable.expansion(distance)
    return seen.without_remainder() if law.observable is not None and _ends(seen, law) else seen


def _ends(seen: Expansion, law) -> bool:
    """Whether the quantity is the whole sum and not its beginning only."""
    if seen.remainder is None or len(seen.terms) > FEW:
        return False
    function = law.observable.expression.subs(law.observable.symbol, law.fixed.outer(T**law.dynamics.root))
    return simplify(function - seen.to_sympy()) == 0


BETA, MULTIPLIER = Symbol("beta"), Symbol("chi")
KOENIGS_ROWS = 3


@dataclass(frozen=True)
class Equation:
    """The coefficient of t^power in the equation, which determines the newest of its `unknowns`, and these in order."""

    power: int
    unknowns: tuple[Symbol, ...]
    expression: Expr


def alpha_symbol(k: int) -> Symbol:
    """alpha_k, as LaTeX has it."""
    return Symbol(rf"\alpha_{{{k}}}")


def growth_symbol(k: int, letter: str = "e") -> Symbol:
    return Symbol(f"{letter}_{{{k}}}")


@dataclass(frozen=True)
class AbelSystem:
    """The equations for alpha_(-m), ..., beta, alpha_stride, e a series in t^stride from e_m t^m on.

    >>> [str(row.expression) for row in AbelSystem(1, 1).rows][:2]
    ['-\\\\alpha_{-1}*e_{1} - 1', '\\\\alpha_{-1}*e_{1}**2 - \\\\alpha_{-1}*e_{2} + beta*e_{1}']
    """

    multiplicity: int
    stride: int
    advance: int = 1

    @classmethod
    def of(cls, growth: Expansion, advance: int = 1) -> "AbelSystem":
        """The system of a map, from its e."""
        known, m = growth.coefficients, int(growth.leading[0].order)
        every = stride([known.get(Monomial(k), 0) for k in range(1 + int(growth.terms[-1][0].order))])
        return cls(m, every, advance)

    @cached_property
    def rows(self) -> tuple[Equation, ...]:
        m, g = self.multiplicity, self.stride
        last = 2 * m + g
        growth = {(k, 0): growth_symbol(k) for k in range(m, last + 1, g)}
        factor = Expansion.build(AT_FIXED_POINT, {(0, 0): 1, **growth}, Formal(Monomial(last + 1)))
        defect = factor.log() * BETA - self.advance
        unknowns = {k: alpha_symbol(k) if k else BETA for k in range(-m, g + 1, g)}
        for k in unknowns:
            if k:
                defect = defect + (factor.power(k) - 1) * Expansion.build(AT_FIXED_POINT, {(k, 0): unknowns[k]})
        return tuple(self._row(k, unknowns, defect.coefficient(k + m)) for k in unknowns)

    def _row(self, k: int, unknowns: dict[int, Symbol], expression: Expr) -> Equation:
        seen = [unknowns[j] for j in sorted(unknowns, reverse=True) if j <= k and expression.has(unknowns[j])]
        return Equation(k + self.multiplicity, tuple(seen), expression.expand())

    @cached_property
    def residue(self) -> Expr | None:
        """beta in terms of the e_k, when alpha_(-m) alone comes before it.

        >>> AbelSystem(1, 1).residue
        1 - e_{2}/e_{1}**2
        """
        first, second = self.rows[:2]
        if second.unknowns[0] != BETA:
            return None
        leading = solve(first.expression, first.unknowns[0])[0]
        return solve(second.expression.subs(first.unknowns[0], leading), BETA)[0].expand()


@dataclass(frozen=True)
class KoenigsSystem:
    """The coefficients of y^2, y^3, ... in S(y') - chi S(y), for symbolic chi, g_k and s_k.

    >>> KoenigsSystem().rows[0].expression
    chi**2*s_2 - chi*s_2 + g_2
    """

    @cached_property
    def rows(self) -> tuple[Equation, ...]:
        last = KOENIGS_ROWS + 1
        step = {(1, 0): MULTIPLIER, **{(k, 0): Symbol(f"g_{k}") for k in range(2, last + 1)}}
        image = Expansion.build(AT_FIXED_POINT, step, Formal(Monomial(last + 1)))
        unknowns = {1: 1, **{k: Symbol(f"s_{k}") for k in range(2, last + 1)}}
        total = sum(
            (image.power(k) * s for k, s in unknowns.items()), Expansion.build(AT_FIXED_POINT, {}, image.remainder)
        )
        return tuple(
            Equation(k, tuple(unknowns[j] for j in range(k, 1, -1)),
                (total.coefficient(k) - MULTIPLIER * unknowns[k]).expand())
            for k in range(2, last + 1)
        )  # fmt: skip
