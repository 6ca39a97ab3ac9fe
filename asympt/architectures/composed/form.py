"""What a composition is to the solvers: its map, its series at c = 1 and at c* < 1, and one step of it.

Problem.  Abel's and Koenigs' functions and the flow time ask for coefficients, exact as far as they are to be printed
and as numbers beyond, and for the map itself.

Rule.  All of them are one walk through the stages (`stages`) in four number systems (`arithmetics`).  A coefficient is
exact where the field of all constants is one of algebraic numbers, pi and parameters; every other one has a name and
computes its digits.  Whether such a number vanishes is decided by `DIGITS` digits.

Tiny case.  ReLU, no skip connection: 1 - t^2 + (2 sqrt(2)/(3 pi)) t^3 + ...

Known limits.  Those of the stages: no dropout in front of an activation where c = 1 is the place.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from mpmath import mp, mpf
from sympy import Expr, Function, Integer, Rational, simplify, sqrt
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
)
from asympt.architectures.composed.nonlinearity import Nonlinearity
from asympt.architectures.composed.stages import Averaged, Bent, Mixed, Multiplied, PairFlow, through
from asympt.architectures.map_series import DIGITS, WORKING
from asympt.architectures.named_constants import Coefficient, PositiveCoefficient, is_plain, named
from asympt.errors import UnsupportedError
from asympt.expansions.fields.field import Field
from asympt.expansions.opaque import RealConstant
from asympt.numbers import to_mpf

BLOCK, STEP = 8, 10  # coefficients and digits, rounded up so that requests share a list
MOST_ATOMS = 4  # functions of numbers, such as asin(2/3), in an exact field


@dataclass(frozen=True)
class Form:
    """The stages of a composition that is the same in every layer; `key`: everything that determines it."""

    stages: tuple
    key: tuple

    # ---- what is exact ----------------------------------------------------------------------------

    @cached_property
    def first_order(self) -> tuple[FirstOrder, PairFlow]:
        """lost, slope and own at c = 1, and what the activations met there."""
        system = FirstOrder()
        return system, through(self.stages, system, system.start())

    @cached_property
    def keeps_one(self) -> bool:
        """Whether two equal inputs stay equal: without dropout."""
        with mp.workdps(15):
            return not self.numbers(mpf(0)).lost

    @cached_property
    def chi(self) -> Expr:
        """The derivative at c = 1."""
        return _tidy(self.first_order[1].lost.lead)

    @cached_property
    def own(self) -> Expr:
        """The own NTK at c = 1."""
        return _tidy(self.first_order[1].own.value)

    @cached_property
    def same(self) -> tuple[Expr, Expr]:
        """(chi, own) of one input with itself, for which dropout draws one mask."""
        system = FirstOrder()
        flow = through(self.stages, system, system.start(), same=True)
        return _tidy(flow.slope.value), _tidy(flow.own.value)

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
            return through(self.stages, system, system.start(gap))
        except NoFormula:
            return None

    @property
    def root(self) -> int:
        """1 when everything is a power series in 1 - c, 2 when there are odd powers of its root."""
        return 2 if any(bent.phi.has_odd_powers for bent in activated(self.stages)) else 1

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
            self._last.update(place=place, flow=through(self.stages, MpNumbers, MpNumbers.start(gap)))
        return self._last["flow"]

    @cached_property
    def _last(self) -> dict:
        return {}

    def step(self, state: tuple) -> tuple:
        """(gap,) or (gap, R) one layer further; exact at gap 0."""
        flow = self.numbers(state[0])
        return (flow.lost, flow.slope * state[1] + flow.own) if len(state) > 1 else (flow.lost,)


@dataclass
class _NotedConstants(FirstOrder):
    """Notes every constant."""

    def __init__(self):
        super().__init__()
        self.met = []

    def number(self, value: Expr) -> Expr:
        """A constant."""
        self.met.append(value)
        return Integer(0)

    def kernel(self, phi: Nonlinearity, lost) -> tuple:
        """The constants of an activation."""
        expression = phi.phi.expression
        self.met += [phi.q] if not phi.is_scale_free else []
        self.met += expression.free_symbols - {phi.phi.symbol}
        return self.one - self.one, self.one - self.one


def activated(stages: tuple) -> list[Bent]:
    """Every activation in some stages, those of their branches among them."""
    found = []
    for stage in stages:
        match stage:
            case Bent():
                found.append(stage)
            case Mixed(branch=branch):
                found += activated(branch)
            case Multiplied(one=one, two=two):
                found += activated(one) + activated(two)
            case Averaged(branches=branches):
                found += [bent for branch in branches for bent in activated(branch)]
    return found


def _tidy(value: Expr) -> Expr:
    if value.has(RealConstant):
        return value
    return simplify(value)


# ---- series -----------------------------------------------------------------------------------------


class FormSeries:
    """lost, its derivative and own in the uniformiser u of the distance x = u^root from the fixed point."""

    fixed_gap: Expr = Integer(0)

    def __init__(self, form: Form, root: int, may_vanish: bool):
        self.form, self.root, self.may_vanish, self._found, self._known = form, root, may_vanish, {}, {}

    def ratio(self, count: int) -> list[Expr]:
        """The first `count` coefficients of x'/x in u."""
        return [self._lost(k) for k in range(self.root, count + self.root)]

    def slope(self, count: int) -> list[Expr]:
        """The first `count` coefficients of the derivative in u."""
        return [Rational(k, self.root) * self._lost(k) for k in range(self.root, count + self.root)]

    def own(self, count: int) -> list[Expr]:
        """The first `count` coefficients of own in u."""
        return [self._coefficient("o", k) for k in range(count)]

    def _lost(self, k: int) -> Expr:
        return self._coefficient("e", k)

    def _coefficient(self, name: str, k: int) -> Expr:
        if (name, k) not in self._found:
            self._found[name, k] = self._fresh(name, k)
        return self._found[name, k]

    def _fresh(self, name: str, k: int) -> Expr:
        raise NotImplementedError

    def _named(self, name: str, k: int, value: Expr | None, kind: type = Coefficient) -> Expr:
        """A coefficient under its name, unless it is simple; 0 where its digits vanish."""
        key = (name, k, self.form.key, self.fixed_gap)
        if value is not None and is_plain(value):
            return value
        if value is None and self.may_vanish and self._vanishes(name, k):
            return Integer(0)
        digits = lambda: self._number(name, k)  # noqa: E731
        latex = f"{name}_{{{k}}}"
        if value is None:
            return kind(f"{name}_{k}", digits, key, latex)
        return named(f"{name}_{k}", latex, key, value, digits, kind, is_plain)

    def _vanishes(self, name: str, k: int) -> bool:
        with mp.workdps(WORKING):
            return abs(self._number(name, k)) < mpf(10) ** -DIGITS

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

    @cached_property
    def _exact(self) -> dict | None:
        """The coefficients in u as expressions; None where they are known by their digits alone."""
        return exact_lists(self.form, 2 // self.root * self.known + 1)

    def _fresh(self, name: str, k: int) -> Expr:
        stride = 2 // self.root
        if name == "e" and k * stride < 2:
            return Integer(0)
        if name == "e" and k * stride == 2:
            return Integer(1) if self.form.is_critical else _chi(self.form)
        if name == "o" and k == 0:
            return named("o_0", "o_{0}", ("o(1)", self.form.key), self.form.own, simple=is_plain)
        exact = self._exact[name][k * stride] if self._exact and k <= self.known else None
        return self._named(name, k, None if exact is None else _tidy(exact))

    def _lists(self, count: int, digits: int) -> dict:
        return _thinned(_at_one(self.form, count * (2 // self.root), digits), 2 // self.root)


class FormInside(FormSeries):
    """At c* < 1, in the distance y = (1 - c) - (1 - c*)."""

    def __init__(self, form: Form):
        super().__init__(form, 1, True)

    @cached_property
    def fixed_gap(self) -> Expr:
        """1 - c*."""
        with mp.workdps(WORKING):
            if abs(self.form.numbers(mpf(1)).lost - 1) < mpf(10) ** -DIGITS:
                return Integer(1)
        return 1 - RealConstant("c_star", lambda: 1 - fixed_gap(self.form), ("c*", self.form.key), "c_{*}")

    def _fresh(self, name: str, k: int) -> Expr:
        if name == "e" and k == 0:
            return self.fixed_gap
        if name == "e" and k == 1 and not self._vanishes(name, 1):
            return Coefficient("chi_star", lambda: self._number("e", 1), ("chi*", self.form.key), r"\chi_{*}")
        return self._named(name, k, None)

    def _lists(self, count: int, digits: int) -> dict:
        return _inside(self.form, self.fixed_gap, count, digits)


def _chi(form: Form) -> Expr:
    key = "derivative at 1", form.key
    return named("chi", r"\chi", key, form.chi, kind=PositiveCoefficient, simple=is_plain)


def _thinned(lists: dict, stride: int) -> dict:
    return {name: found[::stride] for name, found in lists.items()}


@lru_cache(maxsize=64)
def _at_one(form: Form, count: int, digits: int) -> dict:
    with mp.workdps(digits):
        system = AtOne(count)
        flow = through(form.stages, system, system.start())
        return {"e": flow.lost.coefficients, "o": flow.own.coefficients}


@lru_cache(maxsize=64)
def _inside(form: Form, centre: Expr, count: int, digits: int) -> dict:
    with mp.workdps(digits):
        system = About(count)
        flow = through(form.stages, system, system.start(to_mpf(centre)))
        return {"e": flow.lost.coefficients, "o": flow.own.coefficients}


# ---- exact series at c = 1 ------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def exact_lists(form: Form, count: int) -> dict | None:
    """The coefficients of lost ("e") and of own ("o") in t; None where no small exact field holds all constants."""
    met = form.first_order[0].met
    leads = {lead for phi, lead in met if phi.has_odd_powers}
    constants = _NotedConstants()
    through(form.stages, constants, constants.start())
    values = list(constants.met)
    for phi, lead in met:
        values += [*phi.exact_series(count - 1), lead, 1 / lead]
    for bent in activated(form.stages):
        values += bent.phi.exact_radial(count - 1) if bent.after_gain else []
    roots = [(lead, sqrt(lead)) for lead in leads]
    values += [root for _, root in roots] + [1 - value for value in constants.met]
    if not _small(values):
        return None
    try:
        system = ExactAtOne(count, Field.of(values), roots)
        flow = through(form.stages, system, system.start())
    except (CoercionFailed, NoFormula):
        return None
    return {"e": system.leave(flow.lost), "o": system.leave(flow.own)}


def _small(values: list[Expr]) -> bool:
    """Whether they are made of algebraic numbers, pi, parameters and a few functions of numbers."""
    atoms = set().union(*(value.atoms(Function) for value in values))
    return len(atoms) <= MOST_ATOMS and not any(value.has(RealConstant) for value in values)


# ---- the fixed point inside -----------------------------------------------------------------------------


def fixed_gap(form: Form):
    """1 - c* at mpmath's precision: the gap in (0, 2) that the map keeps and attracts."""
    low, high = _bracket(form)
    return mp.findroot(lambda gap: form.numbers(gap).lost / gap - 1, (mpf(low), mpf(high)), solver="secant",
                       tol=mp.eps**2, verify=False)


@lru_cache(maxsize=64)
def _bracket(form: Form) -> tuple[float, float]:
    """Two neighbouring numbers around the gap at which lost/gap falls through 1."""
    with mp.workdps(20):
        grid = [mpf(float(gap)) for gap in (*np.geomspace(1e-12, 1e-2, 21), *np.linspace(0.02, 1.98, 50))]
        values = [form.numbers(gap).lost / gap - 1 for gap in grid]
        for low, high, before, after in zip(grid, grid[1:], values, values[1:], strict=False):
            if before > 0 >= after:
                root = mp.findroot(lambda gap: form.numbers(gap).lost / gap - 1, (low, high), solver="anderson")
                return float(root), float(root) * (1 + 1e-10)
    raise UnsupportedError("no correlation c* < 1 is found that the map keeps and attracts")
