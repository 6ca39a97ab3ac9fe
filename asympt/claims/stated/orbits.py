"""Statements about the orbit of a map: the printed law of x_n, or of a function of it, and its constant.

`Recursion` derives the law and computes the constant.  The printed terms are compared with the law's by algebra; C is
what makes the first term with a constant agree.  A second route knows no law: plain iteration, along which what the
printed formula leaves out, in units of its last term or as an error of C, must fall, or come within the rounding of C.
That sees few digits where convergence is slow; there a ball for C refutes a wrong one.  'Proved', for one start: a
certificate bounds what the law leaves out for all n, the printed terms are the law's by exact algebra, and a ball for C
lies within the printed digits.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from mpmath import mp, mpf
from sympy import Add, Expr, Float, Rational, S, Symbol, diff, expand_log, latex, oo, solve

from asympt.balls.arithmetic import working
from asympt.balls.expression import number
from asympt.claims.note import PASSING
from asympt.claims.stated.comparisons import Agreement
from asympt.claims.stated.letters import EXACTLY, StatedValue, compared, enclosed_apart, unit_of
from asympt.claims.stated.statement import BITS, StatedFormula, point_of
from asympt.errors import AsymptError, UnsupportedError
from asympt.evidence.check import Check, Verification
from asympt.evidence.symbolic.zero import sample
from asympt.evidence.theorem import start_of
from asympt.evidence.verify import symbolic_checks, verify
from asympt.expansions.opaque import RealConstant
from asympt.numbers import to_mpf
from asympt.recursions.fixed_point import numeric
from asympt.recursions.proofs.formal import constant_balls
from asympt.recursions.recursion import SIDE_NAMES, Recursion
from asympt.recursions.rsolve import Posed, destination, shifted

X, N, C = Symbol("x", real=True), Symbol("n", positive=True), Symbol("C", real=True)
OWN = Symbol("C_0", real=True)  # the law's constant
MOST, DIGITS, DEPTH = 16, 15, 1000  # terms that are derived; of the law's own verification
CLOSE, GROWS = mpf(10) ** -20, mpf(5) / 4  # of a ratio from 1; by which a ratio that grows has grown
TOWER = "superattracting"  # a kind of law, in powers C^(k^n)
ROUTE = "plain iteration"


@dataclass(frozen=True)
class Orbit:
    """x_(n+1) = `map`(x_n) from x_first = `start` on, and the `observable` of it that is printed; None is left open."""

    map: Expr
    observable: Expr = X
    start: Expr | None = None
    first: int = 0
    fixed_point: Expr | None = None

    @property
    def bare(self) -> "Orbit":
        """The orbit itself: its law has the same C, and theorems."""
        return replace(self, observable=X)


@lru_cache(maxsize=256)
def derived(orbit: Orbit, terms: int):
    """The law, at the fixed point that is given or to which the orbit goes."""
    point, side = orbit.fixed_point, {}
    if orbit.start is not None and point is None:
        point, sign = destination(Posed(orbit.map, X, N, "x", (orbit.first, orbit.start)))
        side = {"side": SIDE_NAMES[sign]}
    law = Recursion(orbit.map, X, point, **side).law(terms, None if orbit.observable == X else orbit.observable)
    if len(law.branches) > 1:
        raise UnsupportedError(f"x -> {orbit.map} changes sides for ever; state the law of its second iterate")
    return shifted(law, orbit.first)


@lru_cache(maxsize=256)
def _verified(orbit: Orbit, terms: int) -> Verification:
    return verify(derived(orbit, terms), digits=DIGITS, depth=DEPTH, start=orbit.start)


@lru_cache(maxsize=256)
def constant_of(orbit: Orbit) -> RealConstant:
    """C of the law, by its digits."""
    law, key = derived(orbit.bare, 1), ("C", orbit.map, orbit.start, orbit.first, orbit.fixed_point)
    return RealConstant("C", lambda: law.connection_constant(mp.dps, start=orbit.start), key)


@lru_cache(maxsize=256)
def followed(orbit: Orbit, depths: tuple[int, int], digits: int) -> list:
    """The observable at these depths, by plain iteration."""
    step, seen, found = numeric(orbit.map, X), numeric(orbit.observable, X), []
    with mp.workdps(digits):
        x = to_mpf(orbit.start)
        for n in range(orbit.first, depths[-1] + 1):
            found += [seen(x)] if n in depths else []
            x = step(x)
    return found


def _depths(law, first: int) -> tuple[tuple[int, int], int]:
    """Two depths, and the digits of an orbit between them."""
    if law.kind == TOWER:
        return (first + 4, first + 8), 2000
    if law.expansion.scale.base is None:
        return (first + 400, first + 10_000), 40
    steps = 1 / abs(mp.log10(abs(to_mpf(law.expansion.scale.base))))
    return (first + int(12 * steps) + 2, first + int(30 * steps) + 2), 120


def terms_in(law: Expr) -> dict[Expr, Expr]:
    """{what depends on n: its coefficient} of a sum.

    >>> terms_in(3 * N - C / N)
    {n: 3, 1/n: -C}
    """
    found: dict[Expr, Expr] = {}
    for term in Add.make_args(expand_log(law, force=True).expand()):
        coefficient, monomial = term.as_independent(N, as_Add=False)
        found[monomial] = found.get(monomial, S.Zero) + coefficient
    return found


def terms_of(law) -> list[tuple[Expr, Expr]]:
    """The terms of a derived law likewise, in N and OWN, and the size of its remainder with coefficient 0."""
    names, rest = {law.depth_variable: N, law.constant_symbols["C"]: OWN}, law.remainder
    terms = [*law.expansion.terms, *([] if rest is None else [(rest.monomial, S.Zero)])]
    return [(law.expansion.scale.to_sympy(m).xreplace(names), c.xreplace(names)) for m, c in terms]


def _sizes(ratio: Expr, depths: tuple[int, int]) -> list:
    """|ratio| at two depths, its letters being numbers."""
    function = numeric(ratio.subs(point_of(ratio.free_symbols - {N})), N)
    with mp.workdps(2 * DIGITS):
        return [abs(function(mpf(n))) for n in depths]


def _grows(ratio: Expr, law) -> bool:
    near, far = _sizes(ratio, (4, 6) if law.kind == TOWER else (10**9, 10**14))
    return bool(far > GROWS * near)


@dataclass(frozen=True)
class OrbitLaw(StatedFormula):
    """observable(x_n) = `law` + what is smaller than its last term, in n and C; `constant`: C as printed.

    C is that of the print; where the law is one of powers C^(k^n), that of the law.

    >>> orbit = Orbit(X / (1 + X))
    >>> OrbitLaw(orbit, 1 / N - C / N**2).verify().verdict, OrbitLaw(orbit, 2 / N).verify().verdict
    ('checked', 'refuted')
    """

    printed_side = "law"
    orbit: Orbit
    law: Expr
    constant: StatedValue | None = None

    @property
    def latex(self) -> str:
        start = "" if self.orbit.start is None else rf",\ x_{{{self.orbit.first}}}={latex(self.orbit.start)}"
        known = "" if self.constant is None else rf",\quad C={self.constant.printed or latex(self.constant.value)}"
        seen = latex(self.orbit.observable.subs(X, Symbol("x_n")))
        return rf"{seen}={latex(self.law)}+\cdots{known}\quad(x\mapsto {latex(self.orbit.map)}{start})"

    @property
    def plain(self) -> str:
        start = "" if self.orbit.start is None else f", x_{self.orbit.first} = {self.orbit.start}"
        known = "" if self.constant is None else f", C = {self.constant.printed or self.constant.value}"
        seen = self.orbit.observable.subs(X, Symbol("x_n"))
        return f"{seen} = {self.law} + ...{known} (x -> {self.orbit.map}{start})".replace("**", "^")

    @cached_property
    def found(self):
        """The law, with as many terms as it takes to tell every printed coefficient."""
        printed = terms_in(self.law.subs(C, OWN))
        for count in range(min(len(printed), MOST), MOST + 1):
            law = derived(self.orbit, count)
            if law.remainder is None or all(_grows(one / terms_of(law)[-1][0], law) for one in printed):
                return law
        raise UnsupportedError(f"{self.plain}: its last term is beyond the law to {MOST} terms; state fewer terms")

    @cached_property
    def rows(self) -> tuple[tuple[Expr, Expr, Expr], ...]:
        """(monomial, printed coefficient, that of the law) down to the last printed one."""
        left, found, last = terms_in(self.law.subs(C, OWN) if self.found.kind == TOWER else self.law), [], 0
        for monomial, true in terms_of(self.found):
            near = (one for one in left if max(abs(size - 1) for size in _sizes(one / monomial, (3, 8))) < CLOSE)
            if (same := next(near, None)) is not None:
                last = len(found) + 1
            found.append((monomial, left.pop(same, S.Zero), true))
        return (*found[:last], *((monomial, printed, S.Zero) for monomial, printed in left.items()))

    @cached_property
    def relation(self) -> tuple[Expr, Expr]:
        """(C of the print by that of the law, the other way round), by the first term with both."""
        for _, printed, true in self.rows:
            if printed.has(C) or true.has(OWN):
                solved = [solve(printed - true, letter) for letter in (C, OWN)]
                return (solved[0][0], solved[1][0]) if all(len(one) == 1 for one in solved) else (OWN, OWN)
        return OWN, C if self.law.has(C) else OWN

    @property
    def true_constant(self) -> Expr:
        """C of the print, from the start."""
        return self.relation[0].subs(OWN, constant_of(self.orbit))

    def checks(self) -> tuple[Check, ...]:
        own = self.relation[1]
        own = constant_of(self.orbit) if own == OWN and self.orbit.start is not None else own
        known = []
        for monomial, printed, true in self.rows:
            name = f"coefficient of ${monomial.subs(OWN, C)}$".replace("**", "^")
            check = compared(name, true.subs(OWN, own), StatedValue(printed))
            known.append(replace(check, strength="proved") if check.detail == EXACTLY else check)
        known += [] if self.constant is None else self._digits()
        law = self._law_checks(all(check.verdict == "proved" for check in known))
        if any(check.passed is None for check in law):  # a law in doubt says nothing
            return (*(check if check.passed else replace(check, passed=None) for check in known), *law)
        return (*known, *self.iterated(), *law)

    def _digits(self) -> list[Check]:
        """C beside its printed digits; in balls where C has one."""
        law, start, bits = derived(self.orbit.bare, 1), self.orbit.start, BITS[1]

        def ball(bits: int) -> dict:
            return {constant_of(self.orbit): constant_balls(law.asked, law.reader(start=start), int(bits * 0.3))[0]}

        check = compared("$C$", self.true_constant, self.constant)
        if not check.passed:
            return [check, *enclosed_apart(self.true_constant, self.constant, ball)]
        try:
            with working(bits):
                room = number(self.constant.slack - abs(self.true_constant - self.constant.value), ball(bits))
        except AsymptError:
            return [check]
        detail = f"{check.detail}; a ball that is proved to hold C lies within them"
        return [replace(check, strength="proved", detail=detail) if room > 0 else check]

    def _law_checks(self, is_exact: bool) -> tuple[Check, ...]:
        """That the law is right, and proves the print where that is the law's by exact algebra."""
        law = self.found
        if law.parameters:
            return tuple(symbolic_checks(law))
        made = _verified(self.orbit, len(law.expansion.terms))
        holds = made.verdict in PASSING or None
        theorem = self._theorem() if is_exact and holds and self.orbit.start is not None else None
        detail = f"{len(made.checks)} checks; {law.plain} = {law}"
        check = Check("verification of the law itself", made.verdict, "checked", holds, "checked", detail)
        if theorem is None:
            return (check,)
        return (replace(check, strength="proved", detail=f"{detail}; {theorem.statement}", decides=True),)

    def _theorem(self):
        """The certificate of x_n itself to the last printed term, which is that of a power of it as well; or None."""
        seen, printed = self.orbit.observable, self.rows[-1][0] / self.rows[0][0]
        if seen != X and (self.found.fixed.point not in (0, oo) or not (X * diff(seen, X) / seen).simplify().is_number):
            return None
        for count in range(1, MOST + 1):
            law = derived(self.orbit.bare, count)
            known = terms_of(law)
            if law.kind == TOWER or law.remainder is None or _grows(printed * known[0][0] / known[-1][0], law):
                return _verified(self.orbit.bare, count).theorem
        return None

    def iterated(self) -> tuple[Check, ...]:
        """Whether what the print leaves out falls along the orbit: to less than half, or to the rounding of C."""
        values = sample(self.found.parameters)
        orbit = replace(self.orbit, map=self.orbit.map.subs(values), observable=self.orbit.observable.subs(values))
        try:
            orbit = orbit if orbit.start is not None else replace(orbit, **start_of(derived(orbit, 1), None))
            stated = replace(self, orbit=orbit, law=self.law.subs(values))
            depths, digits = _depths(stated.found, orbit.first)
            with mp.workdps(digits):
                seen = zip(followed(orbit, depths, digits), depths, strict=True)
                before, last = (abs(stated._left_out(x, n)) for x, n in seen)
                slack = mpf(10) ** -DIGITS if self.constant is None else to_mpf(self.constant.slack)
        except AsymptError:
            return ()
        what = "the error of $C$" if self.law.has(C) else "what the print leaves out, over its last term,"
        where = ", ".join([*(f"{name} = {value}" for name, value in values.items()), f"x_{orbit.first} = {orbit.start}"])
        name = f"{ROUTE}: {what} at $n = {depths[1]}$; half of it at ${depths[0]}$"
        return (replace(Check.measured(name, last, max(slack, before / 2), where), route=ROUTE),)

    def _left_out(self, seen, n: int):
        """log of the observable over the print, as an error of C or in units of the smallest printed term."""
        value = self.constant.value if self.constant else self.true_constant if self.law.has(C) else S.Zero
        value = Float(to_mpf(value), mp.dps)
        law = self.law.subs(C, value)
        units = [diff(self.law, C).subs(C, value)] if self.law.has(C) else [c * m for m, c in terms_in(law).items()]
        printed = numeric(law, N)(n)
        return mp.log(seen / printed) * printed / min(abs(numeric(unit, N)(n)) for unit in units)

    def corrected(self) -> "OrbitLaw":
        """The law's terms down to the last printed one, and C to as many decimals; 15 where a formula is printed."""
        own, terms, constant = self.relation[1], terms_of(self.found)[: max(len(self.rows), 1)], self.constant
        law = sum((coefficient * monomial for monomial, coefficient in terms), S.Zero)
        if constant is not None:
            decimals = constant.printed.rstrip(".") or f"0.{'0' * DIGITS}"
            text = Agreement(self.true_constant, decimals).corrected().printed
            constant = StatedValue(Rational(text), unit_of(text) / 2, text)
        return OrbitLaw(self.orbit, law.subs(OWN, C if own == OWN else own), constant)
