"""Statements about the orbit of a map: the printed law of x_n, or of a function of it, and its constant.

`Recursion` derives the law; the printed terms are put in the place of its own, and `verify` decides what then stands
there: by algebra, along the original map, and by a certificate.  C of the print is what makes the first term with a
constant agree with the law's; its digits are compared with C of the start, and with a ball for it or, where orbits come
so fast that there is no theorem, with plain iteration.  'Proved', for one start: the certificate is one of the printed
terms, and the ball lies within the printed digits.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from mpmath import mp
from sympy import Add, Expr, Rational, S, Symbol, expand, expand_log, latex, solve

from asympt.claims.stated.comparisons import Agreement
from asympt.claims.stated.letters import StatedValue, compared, enclosed_apart, unit_of
from asympt.claims.stated.statement import StatedFormula, in_balls
from asympt.errors import AsymptError, InputError, UnsupportedError
from asympt.evidence.check import THEOREM, Check
from asympt.evidence.verify import verify
from asympt.expansions import Expansion, Monomial
from asympt.expansions.opaque import RealConstant
from asympt.numbers import to_mpf
from asympt.recursions.fixed_point import numeric
from asympt.recursions.proofs.formal import constant_balls
from asympt.recursions.recursion import SIDE_NAMES, Recursion
from asympt.recursions.rsolve import Posed, destination, shifted
from asympt.recursions.summary import monomial_of

X, N, C = Symbol("x", real=True), Symbol("n", positive=True), Symbol("C_printed", real=True)
MOST, DIGITS, DEPTH = 16, 15, 1000  # terms that are derived; of the verification
TOWER, ROUTE, STEPS, PRECISE = "superattracting", "plain iteration", 9, 2000  # laws in C^(k^n), and their orbits


@dataclass(frozen=True)
class IteratedMap:
    """x_(n+1) = `map`(x_n) from x_first = `start` on, and the `observable` of it that is printed; None is left open."""

    map: Expr
    observable: Expr = X
    start: Expr | None = None
    first: int = 0
    fixed_point: Expr | None = None

    def constant(self) -> RealConstant:
        """C of the law, by its digits."""
        law, key = derived(replace(self, observable=X), 1), ("C", self.map, self.start, self.first, self.fixed_point)
        return RealConstant("C", lambda: law.connection_constant(mp.dps, start=self.start), key)


@lru_cache(maxsize=256)
def derived(orbit: IteratedMap, terms: int):
    """The law, at the fixed point that is given or to which the orbit goes."""
    point, side = orbit.fixed_point, {}
    if orbit.start is not None and point is None:
        point, sign = destination(Posed(orbit.map, X, N, "x", (orbit.first, orbit.start)))
        side = {"side": SIDE_NAMES[sign]}
    law = Recursion(orbit.map, X, point, **side).law(terms, None if orbit.observable == X else orbit.observable)
    if len(law.branches) > 1:
        raise UnsupportedError(f"x -> {orbit.map} changes sides for ever; state the law of its second iterate")
    return shifted(law, orbit.first)


@dataclass(frozen=True)
class OrbitLaw(StatedFormula):
    """observable(x_n) = `law` + what is smaller than its last term, in n and C; `constant`: C as printed.

    C is that of the print; where the law is one of powers C^(k^n), that of the law.

    >>> orbit = IteratedMap(X / (1 + X), start=S(1))
    >>> OrbitLaw(orbit, 1 / N - C / N**2).verify().verdict, OrbitLaw(orbit, 2 / N).verify().verdict
    ('proved', 'refuted')
    """

    printed_side = "law"
    orbit: IteratedMap
    law: Expr
    constant: StatedValue | None = None

    @property
    def latex(self) -> str:
        return self._written(latex, r"+\cdots\quad", r"x\mapsto ", r",\ ")

    @property
    def plain(self) -> str:
        return self._written(str, " + ... ", "x -> ", ", ").replace("**", "^")

    def _written(self, write: Callable[[Expr], str], dots: str, maps: str, comma: str) -> str:
        orbit, known = self.orbit, self.constant
        about = [maps + write(orbit.map)]
        about += [] if orbit.start is None else [f"x_{orbit.first} = {write(orbit.start)}"]
        about += [] if known is None else [f"C = {known.printed or write(known.value)}"]
        seen, law = orbit.observable.subs(X, Symbol("x_n")), self.law.subs(C, Symbol("C"))
        return f"{write(seen)} = {write(law)}{dots}({comma.join(about)})"

    def printed(self, law) -> dict[Monomial, Expr]:
        """The printed terms as those of a law, coefficients in C."""
        names = {N: law.depth_variable} | ({C: law.constant_symbols["C"]} if law.kind == TOWER else {})
        found: dict[Monomial, Expr] = {}
        for term in Add.make_args(expand_log(self.law, force=True).expand().xreplace(names)):
            coefficient, monomial = term.as_independent(law.depth_variable, as_Add=False)
            place = monomial_of(law.expansion, monomial)
            found[place] = found.get(place, S.Zero) + coefficient
        return found

    @cached_property
    def found(self):
        """The law to just beyond the last printed term."""
        for count in range(1, MOST + 1):
            law = derived(self.orbit, count)
            with suppress(InputError):  # it has not come to one of them
                if law.remainder is None or min(self.printed(law)) > law.remainder.monomial:
                    return law
        raise UnsupportedError(f"{self.plain}: the law to {MOST} terms does not come to these; it is {law}")

    @cached_property
    def relation(self) -> tuple[Expr, Expr]:
        """(C of the print by that of the law, the other way round), by the first term with both."""
        law, printed = self.found, self.printed(self.found)
        own, known = law.constant_symbols["C"], law.expansion.coefficients
        for place in sorted({*printed, *known}, reverse=True):
            one, two = printed.get(place, S.Zero), known.get(place, S.Zero)
            if one.has(C) or two.has(own):
                solved = [solve(one - two, letter) for letter in (C, own)]
                return (solved[0][0], solved[1][0]) if all(len(roots) == 1 for roots in solved) else (own, C)
        return own, C

    @cached_property
    def number(self) -> Expr | None:
        """C of the law and of the start, where the print has its value: 1 in 1/n - 1/n^2, of x_n = 1/(n + 1)."""
        law, printed = self.found, self.printed(self.found)
        own, known = law.constant_symbols["C"], law.expansion.coefficients
        place = next((place for place, c in law.expansion.terms if c.has(own)), None)
        if None not in (self.orbit.start, place) and not self.law.has(C) and law.kind != TOWER:
            with suppress(AsymptError), mp.workdps(2 * DIGITS):  # a C that is 0 has no digits
                true, near = to_mpf(self.orbit.constant()), mp.mpf(10) ** -DIGITS
                values = (c for c in solve(printed.get(place, S.Zero) - known[place], own) if c.is_number)
                return next((value for value in values if abs(to_mpf(value) - true) < near), None)
        return None

    @property
    def stated(self):
        """The law with the printed terms in the place of its own, but for those with the right number for C."""
        law, printed, own = self.found, self.printed(self.found), self.found.constant_symbols["C"]
        if self.number is not None:
            known = {place: c for place, c in law.expansion.terms if place >= min(printed)}
            printed |= {place: c for place, c in known.items()
                        if expand(c.subs(own, self.number) - printed.get(place, S.Zero)) == 0}  # fmt: skip
        further = {place: c for place, c in law.expansion.terms if place < min(printed)}
        terms = {place: c.subs(C, self.relation[0]) for place, c in printed.items()} | further
        return replace(law, expansion=Expansion.build(law.expansion.scale, terms, law.remainder))

    @property
    def true_constant(self) -> Expr:
        """C of the print, from the start."""
        return self.relation[0].subs(self.found.constant_symbols["C"], self.orbit.constant())

    def checks(self) -> tuple[Check, ...]:
        constant = self.constant if self.number is None else StatedValue(self.number)
        known = [] if constant is None else replace(self, constant=constant)._digits()
        made = verify(self.stated, digits=DIGITS, depth=DEPTH, start=self.orbit.start)
        if self.found.parameters:  # algebra for all their values, but of a formal series
            return (*known, *(replace(check, strength="checked") for check in made.checks if check.passed is not None))
        exact = self.orbit.start is not None and all(check.verdict == "proved" for check in known)
        proved = exact and made.verdict == "proved"
        return (*known, *(replace(check, decides=proved and check.route == THEOREM) for check in made.checks))

    def _digits(self) -> list[Check]:
        """C beside its printed digits; in balls where C has one."""
        law, start, known = derived(replace(self.orbit, observable=X), 1), self.orbit.start, self.constant

        def ball(bits: int) -> dict:
            return {self.orbit.constant(): constant_balls(law.asked, law.reader(start=start), int(bits * 0.3))[0]}

        check = compared("$C$", self.true_constant, known)
        if law.kind == TOWER:
            return [check, self._iterated()]
        if not check.passed:
            return [check, *enclosed_apart(self.true_constant, known, ball)]
        inside = in_balls("", [known.slack - abs(self.true_constant - known.value)], "", lambda ball: ball > 0, ball)
        detail = f"{check.detail}; a ball that is proved to hold C lies within them"
        return [replace(check, strength="proved", detail=detail) if inside else check]

    def _iterated(self) -> Check:
        """C of C^(k^n) from the first term of the print and x_n, some steps on."""
        n, step, known = self.orbit.first + STEPS, numeric(self.orbit.map, X), self.constant
        with mp.workdps(PRECISE):
            printed = self.printed(self.found)
            x, lead = to_mpf(self.orbit.start), to_mpf(printed[max(printed)])
            for _ in range(STEPS):
                x = step(x)
            off = abs(mp.root(abs(x / lead), self.found.coordinate.power**n) - to_mpf(known.value))
        slack = to_mpf(known.slack) or mp.mpf(10) ** -DIGITS
        return replace(Check.measured(f"{ROUTE}: the error of $C$", off, slack, f"n = {n}"), route=ROUTE)

    def corrected(self) -> "OrbitLaw":
        """The law's terms down to the last printed one, and C to as many decimals; 15 where a formula is printed."""
        law, last, constant = self.found, min(self.printed(self.found)), self.constant
        terms = tuple(term for term in law.expansion.terms if term[0] >= last) or law.expansion.terms[:1]
        own, by_printed = law.constant_symbols["C"], self.relation[1]
        terms = tuple((place, expand(c.subs(own, by_printed))) for place, c in terms)
        right = replace(law.expansion, terms=terms).to_sympy().subs(own, by_printed)
        if constant is not None:
            decimals = constant.printed.rstrip(".") or f"0.{'0' * DIGITS}"
            text = Agreement(self.true_constant, decimals).corrected().printed
            constant = StatedValue(Rational(text), unit_of(text) / 2, text)
        return OrbitLaw(self.orbit, right.subs(law.depth_variable, N), constant)
