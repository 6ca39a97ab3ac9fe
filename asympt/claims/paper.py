"""A file with the claims of a paper: TOML in, claims out, with one sentence and a line for what cannot be used.

A file has a `title`, perhaps a `reference`, and one table `[[claim]]` for every claim, with id, form, perhaps where,
quote (formulas between dollar signs), the keys of its note and those of its form (`FORMS`, docs/claims/README.md).
Where a network {architecture, activation, sigma_w, ...} is given, formulas may name its numbers (`stated.letters`).

>>> (claim,) = claims_in('''
... title = "Trigonometry"
... [[claim]]
... id = "T.1"
... form = "identity"
... symbols = {x = "real"}
... left = "cos(x)^2 + sin(x)^2"
... right = "1"
... ''', "t.toml")
>>> claim.statement, claim.check().verdict
('\\\\sin^{2}{\\\\left(x \\\\right)} + \\\\cos^{2}{\\\\left(x \\\\right)}=1', 'proved')
"""

import os
import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

from sympy import Expr, Symbol, oo

from asympt.claims.claim import Claim
from asympt.claims.note import KEYS, as_formula, note_from
from asympt.claims.stated.comparisons import Agreement, Inequality, Limit
from asympt.claims.stated.equalities import Equality
from asympt.claims.stated.laws import LawCoefficient, LawLimit, Rate, StatedNetwork, law_of, numbers_of, value_of
from asympt.claims.stated.letters import DECIMAL, StatedValue, read_digits
from asympt.claims.stated.orbits import C, IteratedMap, N, OrbitLaw, X, derived
from asympt.claims.stated.statement import SIGNS, StatedFormula
from asympt.errors import AsymptError, InputError
from asympt.numbers import exact
from asympt.parsing import read_formula

KINDS = {"real": {"real": True}, "positive": {"positive": True}, "integer": {"integer": True}}
ABOUT = ("id", "form", "where", "quote", *KEYS)
LAW = ("network", "law")


def read_paper(path) -> tuple[Claim, ...]:
    """The claims in a file; `InputError` with the line for what is wrong."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"path = {path!r} is not the name of a file; give that of a TOML file with claims")
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r} ({error.strerror}); give a TOML file with claims") from None
    except UnicodeDecodeError:
        raise InputError(f"cannot read {str(path)!r}, which is not a text file; give a TOML file with claims") from None
    return claims_in(text, str(path))


def claims_in(text: str, name: str) -> tuple[Claim, ...]:
    """The claims in a text; `name` is the file's in errors."""
    try:
        paper = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name} is not a TOML file: {error}") from None
    title, tables = paper.get("title"), paper.get("claim")
    if not isinstance(title, str) or not isinstance(tables, list) or not tables:
        raise InputError(f'{name} needs a title = "..." and at least one table [[claim]]')
    places, found = _KeyLines(name, text), {}
    for number, table in enumerate(tables):
        identifier = table.get("id")
        if not isinstance(identifier, str) or not identifier or identifier in found:
            why = "is there twice" if identifier in found else "is not a name"
            raise InputError(f"{places.of(number, 'id')}: id = {identifier!r} {why}; give every claim an id of its own")
        found[identifier] = _claim(identifier, table, title, number, places)
    return tuple(found.values())


class _KeyLines:
    """Where the keys of the claims are: the lines of a file."""

    def __init__(self, name: str, text: str):
        self.name, self.lines = name, text.splitlines()
        self.heads = [i for i, line in enumerate(self.lines) if re.match(r"\s*\[\[\s*claim\s*\]\]", line)]

    def of(self, number: int, key: str = "") -> str:
        """The file and the line of a key of the claim of this number, or of its head."""
        first = self.heads[number]
        last = self.heads[number + 1] if number + 1 < len(self.heads) else len(self.lines)
        there = (i for i in range(first, last) if key and re.match(rf"\s*\"?{re.escape(key)}\"?\s*[=.]", self.lines[i]))
        return f"{self.name}, line {next(there, first) + 1}"


class _Wrong(Exception):
    """What is wrong with one key."""

    def __init__(self, key: str, why: str):
        super().__init__(why)
        self.key = key


def _claim(identifier: str, table: dict, title: str, number: int, places: _KeyLines) -> Claim:
    try:
        form = table.get("form")
        if form not in FORMS:
            raise _Wrong("form", f"form = {form!r} is none of {', '.join(FORMS)}")
        make, keys, needed = FORMS[form]
        for key in table:
            if key not in (*keys, *ABOUT):
                raise _Wrong(key, f"{key!r} has no meaning for the form {form}, which has {', '.join(keys)}")
        if missing := [key for key in needed if key not in table]:
            raise _Wrong("form", f"the form {form} needs {' and '.join(missing)}")
        statement = make(_Table(table))
        note = _of_key("severity", lambda: note_from(table))
        formula = _of_key("law" if "law" in table else "form", lambda: statement.latex)
    except _Wrong as wrong:
        raise InputError(f"{places.of(number, wrong.key)}: claim {identifier}: {wrong}") from None
    source = ", ".join(part for part in (title, table.get("where", "")) if part)
    shown = as_formula(table["quote"]) if "quote" in table else formula
    return Claim(identifier, source, shown, statement.plain, note=note, formulas=lambda: (statement,))


def _of_key(key: str, work: Callable):
    """The result, or what the package says about this key."""
    try:
        return work()
    except AsymptError as error:
        raise _Wrong(key, str(error)) from None


class _Table:
    """The entries of one claim, read as what they are meant to be."""

    def __init__(self, table: dict):
        self.table = table

    def text(self, key: str) -> str:
        return str(self.table[key])

    def formula(self, key: str, symbols: Iterable[Symbol] = ()) -> Expr:
        known = tuple(symbols)
        unknown = sorted({name for name in re.findall(r"[A-Za-z_]\w*(?!\w*\s*\()", self.text(key))
                          if name not in {s.name for s in known} | {"pi", "E", "oo"}})  # fmt: skip
        if unknown:
            have = f"known are {', '.join(s.name for s in known)}" if known else "no symbol is declared"
            raise _Wrong(key, f"the symbol {unknown[0]!r} in {key} has no meaning: {have}")
        return _of_key(key, lambda: read_formula(self.text(key), *known))

    def value(self, key: str, network: StatedNetwork, law: str = "") -> StatedValue:
        """An entry as a number in what a network, and a law of it, have names for."""
        return _of_key(key, lambda: value_of(self.text(key), network, law_of(network, law) if law else None))

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        declared = self.table.get("symbols", {})
        if not isinstance(declared, dict) or not declared:
            raise _Wrong("symbols", 'symbols declares what the letters are, such as symbols = {x = "real"}')
        for name, kind in declared.items():
            if kind not in KINDS:
                raise _Wrong("symbols", f"{name} = {kind!r} is none of {', '.join(KINDS)}")
        return tuple(Symbol(name, **KINDS[kind]) for name, kind in declared.items())

    def between(self, key: str, value) -> tuple[Expr, Expr]:
        """Two numbers, the first smaller."""
        if not isinstance(value, list) or len(value) != 2:
            raise _Wrong(key, f'{key} = {value!r} is not a range; write two numbers, such as ["0", "1"]')
        low, high = (_of_key(key, lambda end=end: exact(end, key)) for end in value)
        if not low < high:
            raise _Wrong(key, f"the range from {low} to {high} excludes everything; write the smaller number first")
        return low, high

    @property
    def ranges(self) -> dict[str, tuple[Expr, Expr]]:
        given, names = self.table.get("ranges", {}), {symbol.name for symbol in self.symbols}
        for name in given:
            if name not in names:
                raise _Wrong("ranges", f"ranges names {name!r}, which is not a declared symbol")
        return {name: self._range(name, value) for name, value in given.items()}

    def _range(self, name: str, value) -> tuple[Expr, Expr]:
        """A range in which a symbol is what it is declared to be: elsewhere algebra would say false things of it."""
        (low, high), kind = self.between("ranges", value), self.table["symbols"][name]
        if (kind == "positive" and low < 0) or (kind == "integer" and not (low.is_integer and high.is_integer)):
            raise _Wrong("ranges", f"{name} is {kind}, which the ends {low} and {high} are not; write real or others")
        return low, high

    @property
    def network(self) -> StatedNetwork:
        given = self.table["network"]
        if not isinstance(given, dict):
            raise _Wrong("network", f'network = {given!r} is not a table, such as {{activation = "tanh"}}')
        network = StatedNetwork.of(given)
        _of_key("network", network.load)
        return network

    def law(self, network: StatedNetwork):
        """(name of the law, its depth)."""
        name = self.text("law")
        return name, _of_key("law", lambda: law_of(network, name)).depth_variable


def _identity(table: _Table) -> StatedFormula:
    symbols = table.symbols
    return Equality(table.formula("left", symbols), table.formula("right", symbols), ranges=table.ranges)


def _inequality(table: _Table) -> StatedFormula:
    sign = table.text("sign")
    if sign not in SIGNS:
        raise _Wrong("sign", f"sign = {sign!r} is none of {', '.join(SIGNS)}")
    symbol = Symbol(table.text("symbol"), real=True)
    low, high = table.between("range", table.table["range"])
    return Inequality(table.formula("left", [symbol]), sign, table.formula("right", [symbol]), symbol, low, high)


def _limit(table: _Table) -> StatedFormula:
    if "network" in table.table:
        if "law" not in table.table:
            raise _Wrong("network", "a limit about a network needs its law, such as law = \"ntk\"")
        network = table.network
        name, _ = table.law(network)
        stated = table.value("value", network, name)
        return LawLimit(network, name, stated.value, slack=stated.slack, printed=stated.printed)
    for key in ("expression", "variable", "to"):
        if key not in table.table:
            raise _Wrong("form", f"the form limit needs {key}, or network and law")
    end = oo if table.text("to") == "oo" else table.formula("to")
    sign = {"positive" if end.is_extended_nonnegative else "real": True}  # as the variable is next to `to`
    variable = Symbol(table.text("variable"), **sign)
    return Limit(table.formula("expression", [variable]), variable, end, table.formula("value"))


def _coefficient(table: _Table) -> StatedFormula:
    network = table.network
    name, depth = table.law(network)
    table.formula("of", [depth])
    stated, of = table.value("value", network, name), table.text("of")
    statement = LawCoefficient(network, name, of, stated.value, slack=stated.slack, printed=stated.printed)
    _of_key("of", lambda: statement.true)
    return statement


def _rate(table: _Table) -> StatedFormula:
    network = table.network
    name, depth = table.law(network)
    return Rate(network, name, table.formula("size", [depth, *numbers_of(network)]))


def _agreement(table: _Table) -> StatedFormula:
    network = table.network if "network" in table.table else None
    expression = table.formula("expression") if network is None else table.value("expression", network).value
    printed = table.text("printed")
    if not re.fullmatch(r"-?\d+(\.\d+)?", printed):
        raise _Wrong("printed", f"printed = {printed!r} is not a decimal number such as \"1.304\"")
    return Agreement(expression, printed, str(table.table.get("name", "")))


def _orbit(table: _Table) -> StatedFormula:
    given, own = table.table, {name: Symbol(name, real=True) for name in ("C", "xi")}
    letters = table.symbols if "symbols" in given else ()
    if taken := {"x", "n", *own} & {letter.name for letter in letters}:
        raise _Wrong("symbols", f"{min(taken)} has a meaning of its own in an orbit; call the symbol otherwise")
    if DECIMAL.search(table.text("law")):
        raise _Wrong("law", "the law has a decimal; write fractions, and the digits of C as constant")
    seen, image = (table.formula(key, [X, *letters]) if key in given else X for key in ("observable", "map"))
    start, point = (None if key not in given else oo if given[key] == "oo" else table.formula(key)
                    for key in ("start", "fixed_point"))  # fmt: skip
    if not isinstance(first := given.get("first", 0), int) or first < 0:
        raise _Wrong("first", f"first = {first!r} is not the number of the start, such as 1 for x_1")
    orbit = IteratedMap(image, seen, start, first, point)
    point = _of_key("map", lambda: derived(orbit, 1)).fixed.point
    law = table.formula("law", [N, *own.values(), *letters]).xreplace({own["C"]: C, own["xi"]: point})
    if "constant" in given and (start is None or not law.has(C)):
        raise _Wrong("constant", "a constant needs a law with C in it, and the start that it belongs to")
    constant = _of_key("constant", lambda: read_digits(table.text("constant"))) if "constant" in given else None
    return OrbitLaw(orbit, law, constant)


FORMS = {
    "identity": (_identity, ("left", "right", "symbols", "ranges"), ("left", "right", "symbols")),
    "inequality": (_inequality, ("left", "sign", "right", "symbol", "range"),
                   ("left", "sign", "right", "symbol", "range")),
    "limit": (_limit, ("expression", "variable", "to", "value", *LAW), ("value",)),
    "coefficient": (_coefficient, ("of", "value", *LAW), ("of", "value", *LAW)),
    "rate": (_rate, ("size", *LAW), ("size", *LAW)),
    "agreement": (_agreement, ("expression", "printed", "name", "network"), ("expression", "printed")),
    "orbit": (_orbit, ("map", "law", "observable", "start", "first", "fixed_point", "constant", "symbols"),
              ("map", "law")),
}  # fmt: skip


def orbits_in(tables: Iterable[dict]) -> tuple[StatedFormula, ...]:
    """The formulas of a claim of the ledger about orbits."""
    return tuple(_orbit(_Table(table)) for table in tables)
