"""Statements about the law of a network: its limit, one coefficient, the size of what moves.

The network is data (`StatedNetwork`), the law is derived when it is needed, and what it says is compared exactly.
That counts as checked: the law has a verification of its own (`evidence.verify`), which is done here and shown, unless
it was made before (`evidence`) or is no matter (`elsewhere`, as for a mutant, whose law was verified).  With `theorem`,
what a certificate says at every start stands beside it (`claims.theorems`).  A rate is that of a fixed start: the
coefficient of the first term may vanish at single starts where it holds the constant C of the start.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from inspect import signature

from mpmath import mp
from sympy import Expr, Integer, Rational, S, Symbol, expand_log, latex, log, oo, powsimp, simplify
from sympy.core.logic import fuzzy_and

from asympt.architectures import registry
from asympt.claims.stated import letters as names
from asympt.claims.stated.comparisons import Limit
from asympt.claims.stated.equalities import Where, put, with_definitions
from asympt.claims.stated.letters import StatedValue, compared, enclosed_apart, numbers_of_law, read_value
from asympt.claims.stated.statement import ALGEBRA, NUMBERS, StatedFormula, point_of
from asympt.claims.theorems import of_network
from asympt.deadline import limited
from asympt.errors import AsymptError, InputError, UnsupportedError
from asympt.evidence.check import Check, Verification
from asympt.evidence.law_terms import is_slow
from asympt.evidence.theorem import ROUTE, sample, start_of, witness_check
from asympt.evidence.verify import symbolic_checks, verify
from asympt.expansions.opaque import RealConstant
from asympt.numbers import exact, to_mpf
from asympt.parsing import read_formula
from asympt.recursions.fixed_point import numeric
from asympt.showing import latex_text

DIGITS, DEPTH, TERMS = 15, 1000, 3
SECONDS = 240.0  # of processor time, for a second witness: many times what one takes, as a verdict depends on it
FEW = 15  # digits of what is compared by its logarithm
DECIMALS = 30  # of numbers in a rate
VERIFIED = ("proved", "checked")


@dataclass(frozen=True)
class StatedNetwork:
    """A network as a table says it: `architecture`, `activation`, and what the class takes, each a text or number.

    In code an activation may be an `Activation`, and a learning rate a symbol.  A plain network without sigma_w is on
    the Edge of Chaos.
    """

    architecture: str = "feedforward"
    activation: str = "relu"
    given: tuple[tuple[str, str], ...] = ()
    net: object = None  # the network itself, where it is at hand

    @classmethod
    def around(cls, net) -> "StatedNetwork":
        """A plain network that is at hand."""
        return cls("feedforward", net.activation, net=net)

    @classmethod
    def of(cls, table: Mapping) -> "StatedNetwork":
        """From a table of a file; `block` names a composition of primitives by its text."""
        if "block" in table:
            return cls(registry.COMPOSED.name, str(table["block"]))
        rest = {key: table[key] for key in table if key not in ("architecture", "activation", "law")}
        names = {key: str(table.get(key, default)) for key, default in (("architecture", "feedforward"),
                                                                      ("activation", "relu"))}  # fmt: skip
        return cls(**names, given=tuple(sorted((key, str(value)) for key, value in rest.items())))

    def load(self):
        """The network itself; `InputError` for what the architecture does not have."""
        return _loaded(self) if self.net is None else self.net

    @property
    def _name(self) -> str:
        return getattr(self.activation, "name", self.activation)

    @property
    def plain(self) -> str:
        if self.architecture == registry.COMPOSED.name:
            return self.activation
        return ", ".join([f"{self._name} {self.architecture}", *(f"{key} = {value}" for key, value in self.given)])

    @property
    def latex(self) -> str:
        if self.architecture == registry.COMPOSED.name:
            return _words(self.activation)
        letters = {"sigma_w": r"\sigma_w", "sigma_b": r"\sigma_b", "kappa": r"\kappa", "alpha": r"\alpha",
                   "bias_rate": r"\lambda_b", "weight_rate": r"\lambda_W"}  # fmt: skip
        bound = [(key, value) for key, value in self.given if not isinstance(value, Symbol)]  # letters are free
        given = [f"{letters.get(key) or _words(key)}={_shown(value)}" for key, value in bound]
        return r",\ ".join([_words(f"{self._name} {self.architecture}"), *given])


def _words(text: str) -> str:
    return rf"\text{{{latex_text(text)}}}"


def _shown(value) -> str:
    """A value in a formula: a number, also one that is typed, or a word."""
    if isinstance(value, str):
        try:
            value = exact(value)
        except InputError:
            return _words(value)
    return latex(value, mode="plain")


def _record(network: StatedNetwork) -> registry.Architecture:
    """The architecture; that of a block, which is typed in the place of an activation, is in no list."""
    composed = network.architecture == registry.COMPOSED.name
    return registry.COMPOSED if composed else registry.find(network.architecture)


@lru_cache(maxsize=64)
def _loaded(network: StatedNetwork):
    record = _record(network)
    if record is registry.COMPOSED:
        return record.load()(network.activation)
    counts = {p.name for p in record.parameters if p.kind == registry.COUNT}
    known = {"sigma_w", "sigma_b", *(p.name for p in record.parameters)}
    given = dict(network.given)
    for name in given:
        if name not in known:
            have = ", ".join(sorted(known))
            raise InputError(f"{name!r} is not a parameter of the architecture {record.name}, which has {have}")
    taken = {}
    for name, value in given.items():
        deviation = {"sigma_w": record.sigma_w, "sigma_b": record.sigma_b}.get(name)
        if deviation is not None:
            taken[deviation.keyword] = exact(value, name) ** deviation.power
        else:
            taken[name] = int(value) if name in counts else value
    return record.load()(network.activation, **taken)


@lru_cache(maxsize=64)
def law_of(network: StatedNetwork, name: str, terms: int = TERMS):
    """The law of a network by its name in the registry."""
    record = _record(network)
    if name not in record.laws:
        raise InputError(f"law = {name!r}: the architecture {record.name} has {', '.join(record.laws)}")
    return record.laws[name].of(network.load(), terms)


@lru_cache(maxsize=64)
def _verified(network: StatedNetwork, name: str) -> Verification:
    return verify(law_of(network, name), digits=DIGITS, depth=DEPTH, theorem=False)


def numbers_of(network: StatedNetwork) -> dict[Symbol, Expr]:
    """What formulas may name of the network: its deviations, and of a plain one chi, q, f2, f3, ..."""
    net = network.load()
    found = {"sigma_w": getattr(net, "sigma_w", None)}
    layer = getattr(getattr(net, "statement", None), "layer", None)
    if layer is not None:
        found |= {"sigma_b": layer.bias_variance ** exact("1/2")}
    named = {Symbol(name, positive=True): value for name, value in found.items() if value is not None}
    plain = plain_layer(network)
    return named if plain is None else {**named, **names.numbers_of_layer(plain)}


def plain_layer(network: StatedNetwork):
    """The layer of a fully connected network; None for another."""
    return network.load().layer if network.architecture == "feedforward" else None


def value_of(text: str, network: StatedNetwork, law=None) -> StatedValue:
    """A formula in the numbers of a network, and in those of one of its laws."""
    known = numbers_of(network)
    if law is not None:
        own = numbers_of_law(law)
        names = {symbol.name for symbol in own}
        known = {symbol: number for symbol, number in known.items() if symbol.name not in names} | own
    return read_value(text, known, plain_layer(network), () if law is None else tuple(law.constant_symbols.values()))


@dataclass(frozen=True)
class AboutLaw(StatedFormula):
    """A statement about one law of one network; `by_theorem`: what a certificate of the law says at every start."""

    network: StatedNetwork
    law: str
    elsewhere: bool = field(default=False, kw_only=True)
    theorem: bool = field(default=False, kw_only=True)
    evidence: Verification | None = field(default=None, kw_only=True)

    def with_evidence(self, evidence: Verification | None) -> "AboutLaw":
        """With the verification of the law, where it is that of an NTK, which is all that is handed on."""
        known = evidence is not None and self.law == "ntk" and self.network.net is not None
        return replace(self, evidence=evidence) if known else self

    @property
    def found(self):
        return law_of(self.network, self.law)

    def with_law(self, check: Check, further: tuple[Check, ...] = ()) -> tuple[Check, ...]:
        """The check, and the law's own verification where nobody else makes it: without it nothing is refuted.

        `further`: what else contradicts the statement where the check does; else the law is iterated.
        """
        against = further or self.second_witness() if check.passed is False else ()
        rows = self.by_theorem() if self.theorem else ()
        if self.elsewhere:
            return (check, *against, *rows)
        law = self.holds()
        if against and law.passed:
            return (check, *against, *rows, law)
        return (check if law.passed or check.passed else replace(check, passed=None), *rows, law)

    def second_witness(self) -> tuple[Check, ...]:
        """The iteration at depth, where it tells the law and what is stated apart in time."""
        try:
            with limited("the second witness", SECONDS):
                row = self.iterated()
        except AsymptError:
            return ()
        return (row,) if row is not None and row.passed is False else ()

    def holds(self) -> Check:
        made = self.evidence or _verified(self.network, self.law)
        shown = ", ".join(sorted({check.verdict for check in made.checks}))
        detail = f"{len(made.checks)} checks: substituted into its recursion, compared with layers to {DEPTH}"
        verified = True if made.verdict in VERIFIED else None  # a law that is in doubt says nothing of the claim
        return Check("verification of the law itself", made.verdict, "checked", verified, "checked",
                     f"{detail} ({shown}); {self.found.plain} = {self.found}")  # fmt: skip


@dataclass(frozen=True)
class AboutNumber(AboutLaw):
    """One number of a law beside the stated value; `slack`: what the rounding of `printed` decimals leaves open."""

    slack: Expr = field(default=S.Zero, kw_only=True)
    printed: str = field(default="", kw_only=True)

    def decided(self, name: str) -> tuple[Check, ...]:
        """The two numbers compared; a refutation needs balls of both, or iteration at depth."""
        stated = StatedValue(self.value, self.slack, self.printed)
        check = compared(name, self.true, stated)
        return self.with_law(check, enclosed_apart(self.true, stated, self._balls()) if check.passed is False else ())

    def _balls(self):
        """Balls for the numbers that the law's map knows by a name; None where it is not asked in balls."""
        try:
            with limited("the law in balls", SECONDS):
                return self.found.asked.map_.known
        except AsymptError:
            return None

    def iterated(self) -> Check | None:
        """The law with the stated number in it against iteration at depth; None where that would take too long."""
        planted = with_coefficient(self.found, self.monomial_of(), self.value)
        return None if planted is None or is_slow(planted) else witness_check(planted)

    def corrected(self) -> "AboutNumber":
        return replace(self, value=self.true, slack=S.Zero, printed="")


@dataclass(frozen=True)
class LawLimit(AboutNumber):
    """lim of the quantity of a law = value."""

    value: Expr

    @property
    def true(self) -> Expr:
        return self.found.limit

    def monomial_of(self) -> Expr:
        return Integer(1)

    def by_theorem(self) -> tuple[Check, ...]:
        return of_network(self.network.load(), self.law, f"${self.found.plain}$", "limit", self.value, True)

    @property
    def latex(self) -> str:
        law = self.found
        arrow = rf"\lim_{{{latex(law.depth_variable)}\to\infty}}{law.quantity}"
        return rf"{arrow}={self.printed or latex(self.value)}\quad({self.network.latex})"

    @property
    def plain(self) -> str:
        return f"{self.found.plain} -> {self.printed or self.value} ({self.network.plain})"

    def checks(self) -> tuple[Check, ...]:
        if self.true.is_finite is not False:
            return self.decided("limit of the law")
        same = self.true == self.value
        return self.with_law(Check("limit of the law", str(self.true), str(self.value), same, "checked", route=ALGEBRA))

    def iterated(self) -> Check | None:
        """Where the law has no limit: whether the quantity, iterated, comes closer to the stated one."""
        if self.true.is_finite is not False:
            return super().iterated()
        with mp.workdps(FEW):
            near, far = (abs(value - to_mpf(self.value)) for value in followed(self.found, (10**6, 10**12))[0])
        name = "second witness, iteration: distance from the stated limit at l = 10^12 over that at 10^6"
        return replace(Check.measured(name, far / near, mp.one), route=ROUTE)


@dataclass(frozen=True)
class LawCoefficient(AboutNumber):
    """The coefficient of a monomial in the depth."""

    monomial: str
    value: Expr

    @property
    def latex(self) -> str:
        part = rf"\bigl[{latex(self.monomial_of())}\bigr]\ {self.found.quantity}"
        return rf"{part}={self.printed or latex(self.value)}\quad({self.network.latex})"

    @property
    def plain(self) -> str:
        value = self.printed or self.value
        return f"coefficient of {self.monomial} in {self.found.plain} = {value} ({self.network.plain})"

    @property
    def true(self) -> Expr:
        return self.found.coefficient(self.monomial)

    def monomial_of(self) -> Expr:
        return read_formula(self.monomial, self.found.depth_variable)

    def checks(self) -> tuple[Check, ...]:
        return self.decided(f"coefficient of ${self.monomial}$ in the law")


def with_coefficient(law, monomial: Expr, value: Expr):
    """The law with another coefficient of one of its terms; None where it has no such term, or letters in its map."""
    places = [known for known, _ in law.expansion.terms
              if simplify(law.expansion.scale.to_sympy(known) / monomial) == 1]  # fmt: skip
    if not places or law.parameters or value == 0:
        return None
    terms = tuple((known, value if known == places[0] else c) for known, c in law.expansion.terms)
    return replace(law, expansion=replace(law.expansion, terms=terms))


@dataclass(frozen=True)
class Rate(AboutLaw):
    """|quantity - limit| = Theta(size), `size` a formula in the depth variable, positive for large depths."""

    size: Expr

    def by_theorem(self) -> tuple[Check, ...]:
        title = f"the exact size of $|{self.found.plain} - limit|$"
        return of_network(self.network.load(), self.law, title, "Theta", str(self.size))

    @property
    def latex(self) -> str:
        law = self.found
        limit = law.limit
        less = "" if limit == 0 else f"-{latex(limit)}" if not limit.is_Add else rf"-\left({latex(limit)}\right)"
        moving = rf"\left|{law.quantity}{less}\right|" if limit.is_finite else law.quantity
        return rf"{moving}=\Theta\left({latex(self.size)}\right)\quad({self.network.latex})"

    @property
    def plain(self) -> str:
        less = "" if self.found.limit == 0 else f" - {self.found.limit}"
        return f"|{self.found.plain}{less}| = Theta({self.size}) ({self.network.plain})"

    def checks(self) -> tuple[Check, ...]:
        tends = self._compared()
        same = fuzzy_and((tends.is_finite, tends.is_extended_positive))  # open where it oscillates
        moves = str(self.found.rate).replace("**", "^")
        name = f"limit of the stated size over the first non-constant term, ${moves}$"
        return self.with_law(Check(name, str(tends), "finite and > 0", same, "checked", route=NUMBERS))

    def iterated(self) -> Check | None:
        """By what (quantity - limit)/size, iterated, changes from a depth to its square."""
        law = self.found
        if is_slow(law) or self.size == 0:
            return None
        depths = (200, 400) if law.expansion.scale.base is not None else (10**12, 10**24)
        less, known = law.limit if law.limit.is_finite else S.Zero, numbers_of(self.network)
        with mp.workdps(FEW):
            cancelled = mp.log10(1 + abs(to_mpf(less / law.rate.subs(law.depth_variable, depths[-1]).subs(known))))
        digits = FEW + int(cancelled)
        values, given = followed(law, depths, digits)
        stated = numeric(expand_log(log(self.size), force=True).subs(known), law.depth_variable)  # 2^-l is too small
        with mp.workdps(digits):
            sizes = [mp.log(abs(x - to_mpf(less))) - stated(mp.mpf(at)) for x, at in zip(values, depths, strict=True)]
        shown = f"l = {', '.join(mp.nstr(mp.mpf(depth), 2) for depth in depths)}"
        shown += "".join(f", {name} {value}" for name, value in given.items())
        name = "second witness, iteration: |log| of the change of the quantity less its limit over the stated size"
        return replace(Check.measured(name, abs(sizes[1] - sizes[0]), mp.log(2) / 2, shown), route=ROUTE)

    def _compared(self) -> Expr:
        """The limit of the stated size over that of the first non-constant term; letters of one name are one letter."""
        named = [part for side in (self.size, self.found.rate) for part in side.atoms(Symbol, RealConstant)]
        letters = {part: Symbol(str(part), positive=True) for part in named}
        ratio = simplify((self.size / self.found.rate).xreplace(letters))
        variable = Symbol(self.found.depth_variable.name, positive=True)
        if ratio.free_symbols - {variable}:  # by fractions: of a float near 1 SymPy says that its powers tend to 1
            known = {s: Rational(str(value.evalf(DECIMALS))) for s, value in numbers_of(self.network).items()}
            ratio = powsimp(ratio.subs(known)).replace(_is_one, lambda power: S.One)
        return Limit(ratio, variable, oo, S.One).by_algebra()

    def corrected(self) -> "Rate":
        return replace(self, size=self.found.rate)


def _is_one(power: Expr) -> bool:
    """Whether a power has a base that is 1 to the digits that its numbers have."""
    return power.is_Pow and power.base.is_Rational and abs(power.base - 1) < Rational(1, 10 ** (DECIMALS - 5))


def followed(law, depths: tuple[int, ...], digits: int = FEW) -> tuple[list, dict]:
    """(the quantity at these depths to so many digits, the start that it is followed from)."""
    try:
        given = start_of(law, None)
    except UnsupportedError:  # a law of one input alone has no start, or the variance is one
        known = signature(law.reader).parameters if law.reader is not None else {}
        given = {"variance": 1} if "variance" in known else {}
    with mp.workdps(digits):
        law = law.for_start(**given)
        return [+law.evaluate(depth=depth, digits=digits, **given) for depth in depths], given


@dataclass(frozen=True)
class LeadingTerm(AboutLaw):
    """'quantity = term + ...': the first term, constant and power, against that of the law in symbolic learning rates.

    `where`, what its letters are for the network; `true`, put right.  The law is put back into its recursion; a term
    that is not the law's is compared with its iteration too.

    >>> from sympy import pi
    >>> LeadingTerm(StatedNetwork("mlp", "relu"), "angle", 3 * pi / Symbol("l", positive=True)).verify().verdict
    'checked'
    """

    term: Expr
    where: Where = ()
    true: Expr | None = None

    @property
    def found(self):
        return law_of(self.network, self.law, 1)

    @property
    def first(self) -> Expr:
        """The first term of the law, its letters positive."""
        law = self.found
        monomial, coefficient = law.expansion.leading
        depth = law.depth_variable
        return _positive(coefficient * depth**-monomial.order * log(depth) ** monomial.logs)

    @property
    def latex(self) -> str:
        network = rf"{self.found.quantity}={latex(self.term)}+\cdots\quad({self.network.latex})"
        return with_definitions(network, self.where, self.term)

    @property
    def plain(self) -> str:
        return f"{self.found.plain} = {self.term} + ... ({self.network.plain})"

    def checks(self) -> tuple[Check, ...]:
        printed, found = _positive(put(self.term, self.where)), self.first
        ratio = printed / found
        off = abs(ratio.subs(point_of(ratio.free_symbols)).evalf(30) - 1)
        same = bool(off < Rational(1, 10**20)) and simplify(powsimp(ratio)) == 1  # at one point, then by algebra
        shown = "with " + ", ".join(f"{letter} = {value}" for letter, value in self.where) if self.where else ""
        check = Check("first term of the law", str(found), str(printed), same, "checked", shown, route=ALGEBRA)
        return (check, *_put_back(self.network, self.law), *(() if same else self.second_witness()))

    def iterated(self) -> Check | None:
        """|log| of the quantity over the printed term at a large depth; with a letter of the start, of its change."""
        given = sample(self.found.parameters)
        network = tuple((name, str(given.get(value, value))) for name, value in self.network.given)
        law, depths = law_of(replace(self.network, given=network), self.law, 1), (10**8, 10**16)
        term = put(self.term, self.where).subs(given)
        term = term.subs({letter: given[known] for letter in term.free_symbols for known in given
                          if known.name == letter.name})  # fmt: skip
        depth = next((s for s in term.free_symbols if s.name == law.depth_variable.name), law.depth_variable)
        others = dict.fromkeys(term.free_symbols - {depth}, 1)
        with mp.workdps(FEW):
            near, far = (mp.log(abs(value / to_mpf(term.subs(others | {depth: at}))))
                         for value, at in zip(followed(law, depths)[0], depths, strict=True))  # fmt: skip
        name = f"second witness, iteration: |log| of {'the change of ' if others else ''}the quantity over the term"
        return replace(Check.measured(name, abs(far - near if others else far), mp.log(1.05)), route=ROUTE)

    def corrected(self) -> "LeadingTerm":
        """With the true term where it is given, which is decided like the printed one; otherwise that of the law."""
        return replace(self, term=self.first, where=()) if self.true is None else replace(self, term=self.true)


@lru_cache(maxsize=64)
def _put_back(network: StatedNetwork, law: str) -> tuple[Check, ...]:
    """The law in its own recursion, in symbols."""
    return tuple(replace(check, route=ALGEBRA) for check in symbolic_checks(law_of(network, law, 1)))


def _positive(formula: Expr) -> Expr:
    """Letters of one name are one letter, and positive."""
    return formula.xreplace({letter: Symbol(letter.name, positive=True) for letter in formula.atoms(Symbol)})
