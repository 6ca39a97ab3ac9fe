"""A law on one page: every term with its coefficient as a formula and as a number, and what is left out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer, Symbol, expand, factor_terms, log, simplify

from asympt.errors import InputError, UnsupportedError, with_remedy
from asympt.expansions import Expansion, Monomial
from asympt.expansions.opaque import RealConstant
from asympt.expansions.printing import constants_in, numbered, numeric, plain
from asympt.expansions.typesetting import constant, tex
from asympt.parsing import as_sympy, read_formula
from asympt.showing import formula, html_table, one_line

DIGITS, SHORT = 10, 60  # of a number, and characters of a formula beside one
_SIDES = ("for even", "for odd")


@dataclass(frozen=True)
class SummaryTerm:
    """One term: its monomial, its coefficient, and that with numbers (None where a parameter has none)."""

    monomial: Expr
    coefficient: Expr
    number: Expr | None

    @property
    def cells(self) -> tuple[str, str, str]:
        """The row of a table."""
        exact = plain(factor_terms(self.coefficient))
        return plain(self.monomial), exact, "" if self.number is None else plain(self.number)


@dataclass(frozen=True)
class Summary:
    """What `law.summary()` returns: `print` it, or read `terms`, `constants` and `notes`.

    `quantity`: what the law describes, in LaTeX, and `plain` as text; `branches`: {"" or which depths: terms there};
    `constants`: (constant, number, formula or None) of every one that is known by its digits; `notes`: (what, sentence)
    on limit, rate, remainder, the constants of a start, stability, verdict.
    """

    quantity: str
    plain: str
    branches: dict[str, tuple[SummaryTerm, ...]]
    constants: tuple[tuple[RealConstant, str, Expr | None], ...]
    notes: tuple[tuple[str, str], ...]

    @cached_property
    def terms(self) -> tuple[SummaryTerm, ...]:
        """The terms of the law, of all its branches."""
        return tuple(term for terms in self.branches.values() for term in terms)

    def __repr__(self) -> str:
        return one_line("Summary", f"{self.plain}: {len(self.terms)} terms")

    def _repr_html_(self) -> str:
        terms = [
            (side, formula(tex(t.monomial)), formula(constant(t.coefficient)), t.cells[2])
            for side, terms in self.branches.items()
            for t in terms
        ]
        known = [(formula(tex(c)), digits, _formula(exact)) for c, digits, exact in self.constants]
        table = html_table(terms, ("", "term", "coefficient", "number"), formula(self.quantity))
        return table + (html_table(known) if known else "") + html_table(self.notes)

    def __str__(self) -> str:
        lines = [self.plain]
        for side, terms in self.branches.items():
            heading = ("term", f"coefficient {side}".strip(), "number")
            lines += ["", *_aligned([heading, *(term.cells for term in terms)])]
        if self.constants:
            lines += ["", *_aligned([(str(c.name), digits, _formula(exact)) for c, digits, exact in self.constants])]
        return "\n".join([*lines, "", *_aligned(self.notes)])



def summarised(law, digits: int = DIGITS, verified=None) -> Summary:
    """The summary of a law, with the verdict of a verification of it, if there is one."""
    if verified is not None and not hasattr(verified, "verdict"):
        raise InputError(f"verification = {verified!r} does not come from asympt.verify(law); give one, or digits=10")
    known = set(law.constant_symbols.values())
    sides = [f"{side} {law.depth_variable}" for side in _SIDES] if len(law.branches) > 1 else [""]
    branches = {
        side: tuple(SummaryTerm(e.scale.to_sympy(m), c, numeric(c, known, digits)) for m, c in e.terms)
        for side, e in zip(sides, law.branches.values(), strict=True)
    }
    constants = tuple((c, str(c.evalf(2 * digits)), c.exact) for c in constants_in(*law.branches.values()))
    return Summary(law.quantity, law.plain, branches, constants, tuple(_notes(law, digits, verified)))


def _notes(law, digits: int, verified):
    """(what, sentence) for what is not a row of a table."""
    yield "limit", limit_or_reason(law, lambda limit: _with_number(limit, digits))
    yield "rate", _with_number(law.rate, digits)
    rest = law.remainder
    yield "remainder", "none: the law is exact" if rest is None else (
        f"O({plain(law.expansion.scale.to_sympy(rest.monomial))}), {type(rest).__name__.lower()}"
    )
    for name, ask in (("C", "connection_constant"), ("D", "second_constant")):
        symbol = law.constant_symbols[name]
        if any(c.has(symbol) for e in law.branches.values() for _, c in e.terms):
            found = f": law.{ask}(...)" if law.coordinate.has_constants else ", and has no formula"
            yield str(symbol), f"depends on the start{found}"
    if law.stability is not None:
        yield "variance", str(law.stability)
    if verified is not None:
        yield "verdict", verified.verdict
    if verified is not None and verified.theorem is not None:
        yield "theorem", verified.theorem.statement


def limit_or_reason(law, write: Callable[[Expr], str]) -> str:
    try:
        return write(law.limit)
    except UnsupportedError as reason:
        return f"none: {reason}"


def _with_number(value: Expr, digits: int) -> str:
    """A formula and, where that is not a plain fraction, what it is in numbers."""
    shown, by_digits = plain(value), numbered(value, digits)
    if value.is_number and not value.is_Rational and not value.is_infinite:
        by_digits = value.evalf(digits)
    return shown if by_digits == value else f"{shown} = {plain(by_digits)}"


def _formula(exact: Expr | None) -> str:
    """A formula that fits on the line; a longer one is left to `Summary.constants`."""
    shown = "" if exact is None else plain(exact)
    return shown if len(shown) <= SHORT else ""


def _aligned(rows) -> list[str]:
    """Rows of texts in columns, each as wide as it needs; the last one is not filled up."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return [line.rstrip() for line in lines]


def coefficient_of(law, monomial, digits: int | None = None):
    """The coefficient of a monomial, exact, or with `digits` in numbers; see `Law.coefficient`."""
    found = _coefficient(law.expansion, monomial)
    if digits is None:
        return found
    number = numeric(found, law.constant_symbols.values(), digits)
    if number is None:
        raise UnsupportedError(f"the coefficient {found} has free parameters; give numbers for them, or no digits")
    return number


def _coefficient(expansion: Expansion, monomial) -> Expr:
    if isinstance(monomial, tuple) and len(monomial) == 2:
        return expansion.coefficient(*monomial)
    place = monomial if isinstance(monomial, Monomial) else monomial_of(expansion, monomial)
    return expansion.coefficient(place.order, place.logs)


def monomial_of(expansion: Expansion, monomial) -> Monomial:
    """The monomial that a text or an expression in the depth variable is; `InputError` where it is none."""
    asked = _read(expansion, monomial)
    for known, _ in expansion.terms:
        if _is_one(expansion.scale.to_sympy(known) / asked, expansion):
            return known
    order_logs = _powers(expansion, asked)
    if order_logs is None:
        listed = ", ".join(plain(expansion.scale.to_sympy(known)) for known, _ in expansion.terms)
        raise InputError(f"{plain(asked)} is not a monomial of the law; its terms are {listed}")
    return Monomial(*order_logs)


def _is_one(ratio: Expr, expansion: Expansion) -> bool:
    """Whether two monomials are the same; exponentials are, where they are at 1 and 2."""
    depth, exponential = expansion.scale.depth, expansion.scale.log_unit != 1
    return all(simplify(ratio.subs(depth, n)) == 1 for n in ((1, 2) if exponential else (depth,)))


def _read(expansion: Expansion, monomial) -> Expr:
    """A monomial as given: a text in the depth variable, an expression in it, or 1."""
    depth = expansion.scale.depth
    if not isinstance(monomial, str):
        given = as_sympy(monomial)
        if not isinstance(given, Expr):
            raise InputError(f"monomial = {monomial!r} is not a monomial; give a text such as 'log({depth})/{depth}'")
        same_name = {s: depth for s in given.free_symbols if s.name == depth.name}
        return given.xreplace(same_name)
    known = [getattr(expansion.scale, "constant", None)]  # C, where the monomials are powers of it
    constants = {Symbol(c.name): c for c in (*constants_in(expansion), *known) if c is not None}
    try:
        return read_formula(monomial, depth, *constants).xreplace(constants)
    except InputError as error:
        raise with_remedy(error, f"give a monomial such as '1/{depth}' or 'log({depth})/{depth}^2'") from None


def _powers(expansion: Expansion, asked: Expr) -> tuple | None:
    """(order, logs) of a product of powers of the scale's variable and its logarithm; None for anything else."""
    variable = expansion.scale.variable
    if expansion.scale.log_unit != 1:  # an exponential scale
        return None
    powers = dict(expand(asked).as_powers_dict())
    order, logs = powers.pop(variable, Integer(0)), powers.pop(log(variable), Integer(0))
    if any(base != 1 for base in powers) or not (order.is_Rational and logs.is_Integer):
        return None
    return expansion.scale.sign * order, int(logs)
