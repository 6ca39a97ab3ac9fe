"""What a composition is to the solvers: its map, its series at c = 1 and at c* < 1, and one step of it.

All of them are one walk through the stages in four number systems (`arithmetics`).  A coefficient is exact where the
field of all constants is one of algebraic numbers, pi and parameters; every other one has a name and computes its
digits.  Whether such a number vanishes is decided by its digits (`is_rounding`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from mpmath import mp, mpf
from sympy import Dummy, Expr, Function, Integer, Rational, factorial, simplify, sqrt
from sympy.polys.polyerrors import CoercionFailed

from asympt.architectures.composed.arithmetics import (
    About,
    AtOne,
    C,
    ExactAtOne,
    FirstOrder,
    Formulas,
    MpNumbers,
    NoFormula,
    Nonlinearity,
)
from asympt.architectures.composed.stages import Averaged, Bent, Kept, Masked, Mixed, Multiplied, PairFlow, through
from asympt.architectures.law_parts import Coefficient, PositiveCoefficient, derivative_latex, is_plain, named
from asympt.expansions import Expansion, Formal, Monomial
from asympt.expansions.fields.field import Field
from asympt.expansions.opaque import RealConstant
from asympt.expansions.typesetting import tex
from asympt.gaussian.kernel import kernel_of
from asympt.gaussian.price import SCALE
from asympt.meanfield.correlation import FLOAT, CorrelationMap, ReluLikeMap, attracted_gap, check_order
from asympt.numbers import refuse_symbols, to_mpf

DIGITS, MORE, FEW = 40, 20, 5  # by which a number that vanishes is told, or one that is small and has digits
WORKING = 60  # digits at which all constants are computed first: whoever decides signs asks for as many
CHECKED = 12  # derivatives at c* for which that is looked at
BLOCK, STEP = 8, 10  # coefficients and digits, rounded up so that requests share a list
MOST_ATOMS = 4  # functions of numbers, such as asin(2/3), in an exact field


@dataclass(frozen=True)
class Form:
    """The stages of a composition that is the same in every layer; `key`: everything that determines it.

    `critical`: its numbers were solved from chi = 1, which is then exact; `layer`: for certificates, phi, sigma_w,
    sigma_b and q of a block that is an activation and one dense.
    """

    stages: tuple
    key: tuple
    critical: bool = False
    layer: object = field(default=None, compare=False)

    # ---- what is exact ----------------------------------------------------------------------------

    @cached_property
    def first_order(self) -> tuple[FirstOrder, PairFlow]:
        """lost, slope and own at c = 1, and what the activations met there."""
        system = FirstOrder()
        return system, through(self.stages, system, system.start())

    @cached_property
    def keeps_one(self) -> bool:
        """Whether two equal inputs stay equal: without dropout."""
        return not any(isinstance(stage, Masked) and stage.keep != 1 for stage in every_stage(self.stages))

    @cached_property
    def chi(self) -> Expr:
        """The derivative at c = 1."""
        return Integer(1) if self.critical else _tidy(self.first_order[1].lost.coefficients[1])

    @cached_property
    def own(self) -> Expr:
        """The own NTK at c = 1."""
        return _tidy(self.first_order[1].own.coefficients[0])

    @cached_property
    def same(self) -> tuple[Expr, Expr]:
        """(chi, own) of one input with itself, for which dropout draws one mask."""
        system = FirstOrder()
        flow = through(self.stages, system, system.start(), same=True)
        return Integer(1) if self.critical else _tidy(flow.slope.coefficients[0]), _tidy(flow.own.coefficients[0])

    @property
    def own_by_lost(self) -> tuple[Expr, Expr, Expr] | None:
        """(A, B, D) of own = A + B lost + D (1 - c), where it is that."""
        if self.single is not None:
            return Integer(1), Integer(-1), Integer(0)
        return None if self.linked is None else self.linked.own

    @cached_property
    def linked(self) -> "OneKernel | None":
        """Where one activation reads 1 - c itself and both lost and own are linear in what it makes of it."""
        system = Linked()
        try:
            flow = through(self.stages, system, PairFlow.begun(system, system.variable))
        except NoFormula:
            return None
        lost, own = (part.expand() for part in (flow.lost, flow.own))
        if len(system.met) != 1 or own.has(*system.slopes) or lost.has(*system.slopes):
            return None
        kernel, x = system.met[0], system.variable
        moving = lost.coeff(kernel)
        if moving == 0 or moving.has(x) or own.coeff(kernel).has(x):
            return None
        factor = own.coeff(kernel) / moving
        rest = (own - factor * lost).expand()
        if rest.has(kernel) or rest.diff(x, 2) != 0:
            return None
        weight, *found = (_tidy(part.xreplace(system.constants)) for part in (
            moving, rest.subs(x, 0), factor, rest.coeff(x)))
        return OneKernel(activated(self.stages)[0].phi, weight, tuple(found))

    @property
    def single(self) -> tuple[Nonlinearity, Expr] | None:
        """phi and the share of the variance that comes through, of an activation and one dense."""
        match self.stages:
            case (Bent(phi=phi, after_gain=False), Kept(share=share, learnt=None)):
                return phi, share
        return None

    @cached_property
    def angle(self) -> ReluLikeMap | None:
        """Of one ReLU-like phi alone its map, c + rho (sin theta - theta cos theta)."""
        if self.single is None or not self.single[0].is_scale_free or self.single[1] != 1:
            return None
        phi = self.single[0].phi
        return ReluLikeMap(phi.kink_weight, phi.linear_weight)

    @cached_property
    def is_critical(self) -> bool:
        """Whether chi is 1."""
        chi = self.chi
        return chi == 1 or (not chi.has(RealConstant) and simplify(chi - 1) == 0)

    @cached_property
    def formulas(self) -> PairFlow | None:
        """lost, slope and own as expressions in c; None where an activation has no closed form."""
        return self.formulas_from(1 - C)

    def formulas_from(self, gap: Expr, seen: Callable[[Expr], Expr] = lambda lost: lost) -> PairFlow | None:
        """The same at 1 - c = `gap`, where an activation is shown `seen`(1 - its c)."""
        system = Formulas(seen)
        try:
            return through(self.stages, system, PairFlow.begun(system, gap))
        except NoFormula:
            return None

    @property
    def root(self) -> int:
        """1 when everything is a power series in 1 - c, 2 when there are odd powers of its root."""
        return 2 if any(bent.phi.has_odd_powers for bent in activated(self.stages)) else 1

    @cached_property
    def is_exact(self) -> bool:
        """Whether every coefficient at c = 1 is an expression, and digits may be asked of none: symbols in it."""
        return all(bent.phi.is_scale_free for bent in activated(self.stages)) and bool(self.parameters)

    @property
    def is_costly(self) -> bool:
        """Whether a coefficient takes long: with breakpoints and without formulas every one is a quadrature."""
        found = (bent.phi for bent in activated(self.stages) if not bent.phi.is_scale_free)
        return any(kernel_of(phi.phi.piecewise).source == "quadrature" for phi in found)

    @property
    def parameters(self) -> set:
        """The symbols in it."""
        system = _NotedConstants()
        through(self.stages, system, system.start())
        return set().union(*(value.free_symbols for value in system.met))

    # ---- numbers --------------------------------------------------------------------------------

    def numbers(self, gap) -> PairFlow:
        """lost, slope and own at 1 - c = gap, mpmath numbers at mpmath's precision; the last place is remembered."""
        place = gap, mp.prec
        if self._last.get("place") != place:
            self._last.update(place=place, flow=through(self.stages, MpNumbers, PairFlow.begun(MpNumbers, gap)))
        return self._last["flow"]

    @cached_property
    def _last(self) -> dict:
        return {}

    def step(self, state: tuple) -> tuple:
        """(gap,) or (gap, R) one layer further; exact at gap 0."""
        flow = self.numbers(state[0])
        return (flow.lost, flow.slope * state[1] + flow.own) if len(state) > 1 else (flow.lost,)


@dataclass(frozen=True)
class OneKernel:
    """lost = ... + `weight` kernel(1 - c), own = A + B lost + D (1 - c), `own` = (A, B, D)."""

    phi: Nonlinearity
    weight: Expr
    own: tuple[Expr, Expr, Expr]


class Linked:
    """Every kernel a symbol of its own: how own depends on them."""

    one = Integer(1)

    def __init__(self):
        self.variable, self.met, self.slopes, self.constants = Dummy("x"), [], [], {}

    def number(self, value: Expr) -> Expr:
        """A constant; it hides where it is not a fraction, so that nobody asks for its digits or expands it."""
        if value.is_Rational:
            return value
        hidden = Dummy("m", positive=True)
        self.constants[hidden] = value
        return hidden

    def kernel(self, phi: Nonlinearity, lost: Expr) -> tuple:
        """Two new symbols; `NoFormula` unless it reads 1 - c itself."""
        if lost != self.variable:
            raise NoFormula
        self.met.append(Dummy("k"))
        self.slopes.append(Dummy("s"))
        return self.met[-1], self.slopes[-1]

    @staticmethod
    def radial(*_) -> Expr:
        """Another function of c."""
        raise NoFormula

    quotient = radial


@dataclass
class _NotedConstants(FirstOrder):
    """Notes every constant."""

    def __init__(self):
        super().__init__()
        self.met = []

    def number(self, value: Expr) -> Expr:
        self.met.append(value)
        return Integer(0)

    def kernel(self, phi: Nonlinearity, lost) -> tuple:
        """The constants of an activation."""
        expression = phi.phi.expression
        self.met += [phi.q] if not phi.is_scale_free else []
        self.met += expression.free_symbols - {phi.phi.symbol}
        return self.one - self.one, self.one - self.one


def every_stage(stages: tuple) -> list:
    """Every stage, those of branches among them."""
    found = []
    for stage in stages:
        match stage:
            case Mixed(branch=branch):
                found += every_stage(branch)
            case Multiplied(one=one, two=two):
                found += every_stage(one) + every_stage(two)
            case Averaged(branches=branches):
                found += [inner for branch in branches for inner in every_stage(branch)]
            case _:
                found.append(stage)
    return found


def activated(stages: tuple) -> list[Bent]:
    """Every activation in some stages, those of their branches among them."""
    return [stage for stage in every_stage(stages) if isinstance(stage, Bent)]


def _tidy(value: Expr) -> Expr:
    if value.is_Rational or value.has(RealConstant):
        return value
    return simplify(value)


def is_rounding(value: Callable) -> bool:
    """Whether a number is 0: what is small and not the same with more digits."""
    with mp.workdps(WORKING):
        first = value()
    with mp.workdps(WORKING + MORE):
        return abs(first) < mpf(10) ** -DIGITS and not (first and abs(value() / first - 1) < mpf(10) ** -FEW)


# ---- series -----------------------------------------------------------------------------------------


class FormSeries:
    """lost, its derivative and own in the uniformiser u of the distance x = u^root from the fixed point."""

    fixed_gap: Expr = Integer(0)

    def __init__(self, form: Form, root: int, may_vanish: bool):
        self.form, self.root, self.may_vanish, self._found, self._known = form, root, may_vanish, {}, {}

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of x'/x in u."""
        return [self.lost(k) for k in range(self.root, count + self.root)]

    def slope(self, count: int) -> list[Expr]:
        """The first `count` coefficients of the derivative in u."""
        return [Rational(k, self.root) * self.lost(k) for k in range(self.root, count + self.root)]

    def own(self, count: int) -> list[Expr]:
        """The first `count` coefficients of own in u."""
        linked = self.form.own_by_lost
        if linked is None:
            return [self._coefficient("o", k) for k in range(count)]
        constant, factor, direct = linked
        plain = {0: constant + direct * self.fixed_gap}
        plain[self.root] = plain.get(self.root, 0) + direct
        return [factor * self.lost(k) + plain.get(k, 0) for k in range(count)]

    def lost(self, k: int) -> Expr:
        """The coefficient of u^k in lost."""
        return self._coefficient("e", k)

    def _coefficient(self, name: str, k: int) -> Expr:
        if (name, k) not in self._found:
            self._found[name, k] = self._fresh(name, k)
        return self._found[name, k]

    def _fresh(self, name: str, k: int) -> Expr:
        raise NotImplementedError

    def _named(self, name: str, k: int, value: Expr | None, kind: type = Coefficient) -> Expr:
        """A coefficient under its name, unless it is simple; 0 where its digits vanish."""
        if value is not None and (value == 0 or is_plain(value) or value.free_symbols):
            return value
        if value is None and self.may_vanish and self._vanishes(name, k):
            return Integer(0)
        label, latex, unit = self._label(name, k)
        key = (label, k, self.form.key, self.fixed_gap)

        def digits():
            return self._number(name, k) * int(1 / unit)

        if value is None:
            return unit * kind(label, digits, key, latex)
        return unit * named(label, latex, key, value / unit, digits, kind)

    def _label(self, name: str, k: int) -> tuple[str, str, Expr]:
        """What a coefficient is called, in LaTeX, and what its name is multiplied by: g^(k) where g is smooth."""
        if name == "o":
            return f"{name}_{k}", f"{name}_{{{k}}}", Integer(1)
        if self.root == 2:
            return f"e_{k}", f"e_{{{k}}}", Integer(-1)
        return f"f{k}", derivative_latex(k), -((-1) ** k) / factorial(k)

    def _vanishes(self, name: str, k: int) -> bool:
        return is_rounding(lambda: self._number(name, k))

    def _number(self, name: str, k: int):
        """Coefficient k of lost ("e") or of own ("o"), at mpmath's precision."""
        digits = STEP * -(-(mp.dps + 3) // STEP)
        known = self._known.get(digits)
        if known is None or len(known[name]) <= k:  # twice as long every time, and no longer than anyone asked for
            count = BLOCK << ((k // BLOCK).bit_length())
            known = self._known[digits] = self._lists(count, digits)
        return +known[name][k]

    def _lists(self, count: int, digits: int) -> dict:
        raise NotImplementedError


class FormAtOne(FormSeries):
    """At c = 1; `known`: how many powers of u are read off exactly."""

    def __init__(self, form: Form, known: int):
        super().__init__(form, form.root, form.root == 2)
        self.known = known

    def _fresh(self, name: str, k: int) -> Expr:
        stride = 2 // self.root
        if name == "e" and k * stride < 2:
            return Integer(0)
        if name == "e" and k * stride == 2:
            return Integer(1) if self.form.is_critical else named_chi(self.form)
        if name == "o" and k == 0:
            return named("o_0", "o_{0}", ("o(1)", self.form.key), self.form.own, simple=is_plain)
        kind = PositiveCoefficient if name == "e" and (self.root == 1 or k == self._leading) else Coefficient
        if k > self.known and not self.form.is_exact:  # fetched ahead, seldom evaluated
            return Coefficient(f"{name}_{k}", lambda: self._number(name, k), (name, k, self.form.key))
        known = self.known if k <= self.known else BLOCK << (k // BLOCK).bit_length()
        exact = exact_lists(self.form, stride * known + 1)
        return self._named(name, k, None if exact is None else _tidy(exact[name][k * stride]), kind)

    @property
    def _leading(self) -> int:
        """The first power beyond t^2: e_3 > 0 is a sum of squares of jumps of phi', e_4 > 0 the moment of phi''."""
        return 3 if any(bent.phi.phi.singular_order == 1 for bent in activated(self.form.stages)) else 4

    def _lists(self, count: int, digits: int) -> dict:
        stride = 2 // self.root
        return {name: c[::stride] for name, c in _numeric_lists(self.form, None, count * stride, digits).items()}


class FormInside(FormSeries):
    """At c* < 1, in the distance y = (1 - c) - (1 - c*)."""

    def __init__(self, form: Form):
        super().__init__(form, 1, True)

    @cached_property
    def fixed_gap(self) -> Expr:
        """1 - c*."""
        if is_rounding(lambda: self.form.numbers(mpf(1)).lost - 1):
            return Integer(1)
        return 1 - RealConstant("c_star", lambda: 1 - fixed_gap(self.form), ("c*", self.form.key), "c_{*}")

    def _fresh(self, name: str, k: int) -> Expr:
        if name == "e" and k == 0:
            return self.fixed_gap
        if k > CHECKED:
            label, latex, unit = self._label(name, k)
            key = name, k, self.form.key
            return unit * Coefficient(label, lambda: self._number(name, k) * int(1 / unit), key, latex)
        return self._named(name, k, None)

    def _label(self, name: str, k: int) -> tuple[str, str, Expr]:
        """g^(k)(c*)."""
        if name == "e" and k == 1:
            return "chi_star", r"\chi_{*}", Integer(1)
        if name == "e":
            return f"f{k}_star", derivative_latex(k, "c_{*}"), -((-1) ** k) / factorial(k)
        return super()._label(name, k)

    def _lists(self, count: int, digits: int) -> dict:
        return _numeric_lists(self.form, self.fixed_gap, count, digits)


def named_chi(form: Form) -> Expr:
    key = "derivative at 1", form.key
    return named("chi", r"\chi", key, form.chi, kind=PositiveCoefficient, simple=is_plain)


@lru_cache(maxsize=64)
def _numeric_lists(form: Form, centre: Expr | None, count: int, digits: int) -> dict:
    """The coefficients of lost ("e") and of own ("o") in numbers: in t at c = 1, in y about a gap `centre`."""
    with mp.workdps(digits):
        system, at = (AtOne(count), ()) if centre is None else (About(count), (to_mpf(centre),))
        flow = through(form.stages, system, system.start(*at))
        return {"e": flow.lost.coefficients, "o": flow.own.coefficients}


# ---- exact series at c = 1 ------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def exact_lists(form: Form, count: int) -> dict | None:
    """The coefficients of lost ("e") and of own ("o") in t; None where no small exact field holds all constants."""
    if form.single is not None and form.own_by_lost is not None:
        phi, share = form.single
        lost = [share * c for c in phi.exact_series(count - 1)]
        a, b, d = form.own_by_lost
        return {"e": lost, "o": [b * c + (a if k == 0 else d if k == 2 else 0) for k, c in enumerate(lost)]}
    values, roots = _constants_of(form, count)
    if not _small(values):
        return None
    try:
        system = ExactAtOne(count, Field.of(values), roots)
        flow = through(form.stages, system, system.start())
    except (CoercionFailed, NoFormula):
        return None
    return {"e": system.leave(flow.lost), "o": system.leave(flow.own)}


def _constants_of(form: Form, count: int) -> tuple[list[Expr], list[tuple[Expr, Expr]]]:
    """All constants that a field has to hold, and the square roots among them: (a number, its root)."""
    met, noted = form.first_order[0].met, _NotedConstants()
    through(form.stages, noted, noted.start())
    values = list(noted.met)
    for phi, lead in met:
        values += [*phi.exact_series(count - 1), lead, 1 / lead]
    for bent in activated(form.stages):
        values += bent.phi.exact_radial(count - 1) if bent.after_gain else []
    roots = [(lead, sqrt(lead)) for lead in {lead for phi, lead in met if phi.has_odd_powers}]
    return values + [root for _, root in roots] + [1 - value for value in noted.met], roots


def _small(values: list[Expr]) -> bool:
    """Whether they are made of algebraic numbers, pi, parameters and a few functions of numbers."""
    atoms = set().union(*(value.atoms(Function) for value in values))
    return len(atoms) <= MOST_ATOMS and not any(value.has(RealConstant) for value in values)


# ---- the fixed point inside -----------------------------------------------------------------------------


def fixed_gap(form: Form):
    """1 - c* at mpmath's precision: the gap in (0, 1] that the map keeps and attracts."""
    return attracted_gap(form, lambda gap: form.numbers(gap).lost, lambda gap: _float_gap(form, gap))


def _float_gap(form: Form, gap: float) -> float:
    with mp.workdps(FLOAT):
        return float(form.numbers(mpf(gap)).lost)


# ---- the correlation map -----------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class ComposedMap(CorrelationMap):
    """g of a composition: formulas, expansions and numbers, as of any correlation map.

    >>> from sympy import Integer
    >>> from asympt.architectures.composed.stages import compiled
    >>> from asympt.blocks import read_block
    >>> g = ComposedMap(Form(compiled(read_block("serial(relu, dense(sqrt(2)))"), Integer(1)).stages, ("relu",)))
    >>> g.closed_form
    (-c*acos(c) + pi*c + sqrt(1 - c**2))/pi
    """

    form: Form

    def _source(self) -> str:
        return "; ".join(map(str, self.form.key))

    @property
    def multiplier(self) -> Expr:
        return self.form.chi

    @property
    def own_form(self) -> Expr | None:
        """o(c) as an expression in c."""
        return None if self.form.formulas is None else _readable(self.form.formulas.own)

    @property
    def closed_form(self) -> Expr | None:
        return None if self.form.formulas is None else _readable(1 - self.form.formulas.lost)

    @property
    def closed_slope(self) -> Expr | None:
        return None if self.form.formulas is None else _readable(self.form.formulas.slope)

    def expansion(self, order: int = 9) -> Expansion:
        series = FormAtOne(self.form, check_order(order) * self.form.root // 2)
        known = {(2 * k // series.root, 0): -series.lost(k) for k in range(order * series.root // 2 + 1)}
        exact = {c: c.exact for value in known.values() for c in value.atoms(RealConstant) if c.exact is not None}
        following = order + 1 if self.form.root == 2 else order + 2 - order % 2
        known = {place: value.xreplace(exact) for place, value in known.items()} | {(0, 0): Integer(1)}
        return Expansion.build(SCALE, known, Formal(Monomial(Integer(following))))

    def gap(self, gamma):
        return self.form.numbers(gamma).lost

    def gap_slope(self, gamma):
        return self.form.numbers(gamma).slope

    def require_numbers(self) -> None:
        refuse_symbols(self.form.parameters, "the network contains")

    def __str__(self) -> str:
        return str(self.closed_form if self.closed_form is not None else self.expansion(5))

    def latex(self) -> str:
        """The formula, or the expansion, in LaTeX."""
        return tex(self.closed_form) if self.closed_form is not None else self.expansion(5).latex()


def _readable(expression: Expr) -> Expr:
    return simplify(expression) if expression.count_ops() < 60 else expression
