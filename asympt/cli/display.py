"""Results for people: aligned lines and tables, in colour on a terminal, without trailing spaces in a file."""

import shutil
import sys
from collections.abc import Callable, Iterable, Sequence

import typer

from asympt.cli.boundary import one_sentence

NARROW = 60  # columns, below which names stand above their texts
COLOURS = {"proved": "green", "checked": "green", "unknown": "yellow", "refuted": "red"}


def show(*parts) -> None:
    """Print Rich renderables (or text, taken literally) on stdout."""
    from rich.console import Console

    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else _width(), markup=False, highlight=False)
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    typer.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def answer(record: dict | list, how: str | None, parts: Callable, formula: Callable[[], str] | None = None) -> None:
    """A record as JSON, its `formula` as LaTeX, or what `parts` makes of it for people."""
    from asympt.cli.records import to_json

    if how == "json":
        typer.echo(to_json(record))
    elif how == "latex":
        typer.echo(formula())
    else:
        show(*parts(record))


def fields(pairs: Iterable[tuple[str, str]]):
    """Names on the left, texts on the right (below where the terminal is narrow), powers as elsewhere."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 3), pad_edge=False)
    narrow = _width() < NARROW
    for column in range(1 if narrow else 2):
        grid.add_column(no_wrap=column == 0 and not narrow, overflow="fold")
    for name, value in pairs:
        row = Text("  " + name, style="dim"), Text(value.replace("**", "^"))
        for cells in [(row[0],), (Padding(row[1], (0, 0, 0, 4)),)] if narrow else [row]:
            grid.add_row(*cells)
    return grid


def table(headings: Iterable[str], rows: Iterable[Sequence[str]], verdict: int | None = None):
    """A table of texts, or lists where a word would not fit; the column `verdict` in the colour of its verdict."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    headings, rows = tuple(headings), [tuple(map(str, row)) for row in rows]
    columns = (" ".join(column).split() for column in zip(headings, *rows, strict=True))
    if sum(max(map(len, words)) + 3 for words in columns) > _width():
        return Group(*(part for row in rows for part in _stacked(headings, row)))
    drawn = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        drawn.add_column(heading, overflow="fold")
    for row in rows:
        styles = [COLOURS.get(cell, "") if index == verdict else "" for index, cell in enumerate(row)]
        drawn.add_row(*(Text(cell, style=style) for cell, style in zip(row, styles, strict=True)))
    return drawn


def _stacked(headings: Sequence[str], row: Sequence[str]) -> list:
    """The first cell, and below it every other one behind its heading."""
    from rich.padding import Padding
    from rich.text import Text

    below = [f"{name}: {cell}" for name, cell in zip(headings[1:], row[1:], strict=True) if cell]
    return [Text(row[0], style=COLOURS.get(row[0], "")), *(Padding(Text(line), (0, 0, 0, 2)) for line in below)]


def _width() -> int:
    """Columns of the terminal; COLUMNS, or 80, in a file."""
    return shutil.get_terminal_size().columns


def heading(*pieces: str):
    """One line in which verdicts have their colour."""
    from rich.text import Text

    return Text("").join(Text(piece, style=COLOURS.get(piece, "bold")) for piece in pieces)


def network_line(record: dict) -> str:
    slopes = f" (slopes {', '.join(record['slopes'])})" if "slopes" in record else ""
    parts = [f"{record['architecture']} network, {record['activation']}{slopes}"]
    parts += [f"{name} = {record[name]}" for name in ("sigma_w", "sigma_b", "q", "chi") if name in record]
    parts += [f"{name} = {value}" for name, value in record["parameters"].items()]
    phase = "the phase is not known" if record["phase"] == "unknown" else record["phase"]
    stability = record.get("stability")
    warning = "" if stability is None or stability["attracts"] else f", {stability['kind']} variance"
    return one_sentence(f"{', '.join(parts)}: {phase}{warning}".replace("**", "^"))


def stability_fields(record: dict) -> list[tuple[str, str]]:
    """What becomes of other variances, where not every input converges to q."""
    stability = record.get("stability")
    if stability is None or stability["kind"] == "neutral" or stability["interval"] == ["0", "inf"]:
        return []
    return [("variance", stability["text"])]


def map_fields(record: dict) -> list[tuple[str, str]]:
    c, expansion = record["correlation"], record["expansion"]
    near = f"f = {expansion['text']},  {expansion['variable']} = sqrt(1 - {c})"
    closed = [] if record["closed_form"] is None else [("map", f"f({c}) = {record['closed_form']}")]
    return [*closed, (f"near {c} = 1", near), *_constant_fields(record)]


def _constant_fields(record: dict) -> list[tuple[str, str]]:
    return [(f"  {constant['name']}", " = ".join(filter(None, (constant["digits"], constant["formula"]))))
            for constant in record["constants"]]  # fmt: skip


def law_fields(record: dict, coordinate: str, step: str) -> list[tuple[str, str]]:
    """The law, and the Abel or Koenigs function behind it."""
    return [
        *_coordinate_fields(record, coordinate, step),
        *_expansion_fields(record, step),
        *_constant_fields(record),
        ("limit", record["limit"]),
        ("rate", record["rate"]),
        ("remainder", "; ".join(dict.fromkeys(_remainder(branch) for branch in _branches(record)))),
    ]


def _branches(record: dict) -> list[dict]:
    return list(record["branches"].values()) if record.get("sides") else [record["expansion"]]


def _expansion_fields(record: dict, step: str) -> list[tuple[str, str]]:
    """The law, one line for each branch and one that says which orbits have them so."""
    said, branches = record["plain"], _branches(record)
    if len(branches) == 1:
        return [("law", f"{said} = {record['text']}"), *_numbers(branches[0])]
    lines = []
    for parity, branch in zip(("even", "odd"), branches, strict=True):
        lines += [(f"law, {parity} {step}", f"{said} = {branch['text']}"), *_numbers(branch)]
    return [*lines, ("sides", record["sides"])]


def _numbers(expansion: dict) -> list[tuple[str, str]]:
    """The same with numbers for coefficients, where they are not plain fractions."""
    plain = all(set(term["coefficient"]) <= set("-/0123456789") for term in expansion["terms"])
    return [] if plain or expansion["numbers"] is None else [("in numbers", expansion["numbers"])]


def _coordinate_fields(record: dict, coordinate: str, step: str) -> list[tuple[str, str]]:
    lines, constant = [], record["constant_symbols"]["C"]
    t = record.get("abel", record.get("koenigs", {"variable": "t"}))["variable"]
    if record.get("fixed_point_digits"):
        lines.append(("fixed point", record["fixed_point_digits"]))
    if "uniformiser" in record:
        lines.append(("coordinate", f"{t} = {record['uniformiser']}"))
        coordinate = f"{t}_{step}"
    if "abel" in record:
        abel = record["abel"]["text"]
        if "branches" in record:  # t is negative on the other side
            abel = abel.replace(f"log({t})", f"log|{t}|")
        lines.append(("Abel function", f"A({t}) = {abel},  A({coordinate}) = {step} + {constant}"))
        lines.append(("residue", record["residue"]))
    if "koenigs" in record:
        factor, koenigs = record["multiplier"], record["koenigs"]["text"]
        lines.append(("Koenigs function", f"S({t}) = {koenigs},  S({coordinate}) = {constant}*({factor})^{step}"))
    return lines


def _remainder(expansion: dict) -> str:
    rest = expansion["remainder"]
    if rest is None:
        return "none: the law is exact"
    size = expansion["text"].rpartition("O(")[2]
    return f"O({size}, {rest['type']}"


def value_fields(record: dict, law: dict) -> list[tuple[str, str]]:
    """The constants of a start and the number at a depth."""
    start = ", ".join(f"{key} = {value}" for key, value in record["start"].items())
    lines = [("constant C", f"{record['C']}  for {start}")] if "C" in record else []
    if "D" in record:
        lines.append(("constant D", record["D"]))
    if "value" in record:
        lines.append(("value", f"{law['plain']} = {record['value']}  at depth {round_number(record['depth'])}"))
    if "trust" in record:
        why = f"not proved: {record['unproved']}" if "unproved" in record else "rounded from balls"
        lines.append(("trust", f"{record['trust']}; {why}"))
    return lines


def where(formulas: Iterable[str], own: Iterable = ()) -> list:
    """What the symbols of some formulas mean, below the word "where"; nothing without symbols."""
    from asympt.cli.glossary import legend

    found = legend(formulas, map(str, own))
    return ["where", fields(found)] if found else []


def show_law(record: dict, law, how, title: str, lines: list[tuple[str, str]]) -> None:
    """A law's record as JSON, its formula as LaTeX, or a title with aligned lines, the values of a start last."""
    values = value_fields(record["value"], record["law"]) if "value" in record else []
    symbols = [title, *(text for _, text in lines), *(name for name, _ in values)]

    def formula() -> str:
        held = law.stability  # a variance that does not attract is the only one: \qquad (q^1 = q only: ...)
        return law.latex() + ("" if held is None or held.attracts else rf" \qquad \text{{({held.latex()})}}")

    answer(record, how, lambda told: [title, fields(lines + values), *where(symbols, law.parameters)], formula)


def round_number(digits: str) -> str:
    """A long power of ten as one.

    >>> round_number("1000"), round_number("1000000000000"), round_number("25000000000")
    ('1000', '10^12', '25*10^9')
    """
    head = digits.rstrip("0")
    zeros = len(digits) - len(head)
    if zeros < 7:
        return digits
    return f"10^{zeros}" if head == "1" else f"{head}*10^{zeros}"


def verification_parts(subject: str, record: dict) -> list:
    """A statement, its verdict and the table of its checks."""
    rows = [
        (check["verdict"], check["name"], _short(check["figure"]), _short(check["bound"])) for check in record["checks"]
    ]
    scope = f" for {record['scope']}" if "scope" in record else ""
    parts = [heading(subject + ": ", record["verdict"], scope)]
    if "theorem" in record:
        from asympt.recursions.proofs.certificate import proved_by

        theorem = record["theorem"]
        parts.append(fields([("theorem", f"{theorem['statement']} ({proved_by(theorem['trust'])})")]))
    if "unproved" in record:
        parts.append(fields([("no theorem", record["unproved"])]))
    if rows:
        parts.append(table(("verdict", "check", "figure", "bound"), rows, verdict=0))
    if record["undone"]:
        parts.append(f"{record['undone']} of {len(rows)} checks could not be done")
    return parts


def _short(text: str | None) -> str:
    """A long number to three digits; anything else as it is."""
    if not text or len(text) <= 10:
        return text or ""
    try:
        return f"{float(text):.3g}"
    except ValueError:  # a figure that is not a number
        return text


def claim_parts(record: dict) -> list:
    """A claim as printed, its verdict with the number that shows it, what is true instead, and how serious that is."""
    from asympt.claims.note import SEVERITIES, as_text

    lines = [("as printed", as_text(record["statement"]))]
    shown = [_evidence(check) for check in record["checks"] if check["verdict"] == record["verdict"]]
    lines += [("shown by", shown[0])] if shown else []
    lines += [("and by", shown[-1])] if len(shown) > 1 and record["verdict"] == "refuted" else []
    corrected = record.get("corrected")
    if corrected is not None:
        lines.append(("corrected", f"{corrected['subject']}: {corrected['verdict']}"))
        lines += [("  shown by", _evidence(check)) for check in corrected["checks"]][:1]
    told = {"decided on": "on", "read as": "reading", "because": "why", "if": "hypotheses", "checked by Coq": "coq"}
    lines += [(name, record[key]) for name, key in told.items() if key in record]
    if record.get("severity"):
        lines.append(("severity", f"{record['severity']}: {SEVERITIES[record['severity']]}"))
    return [heading(f"claim {record['id']} ({record['source']}): ", record["verdict"]), fields(lines)]


def _evidence(check: dict) -> str:
    from asympt.writing.ledger import outcome

    return f"{check['name']}: {outcome(check | {key: _short(check[key]) for key in ('figure', 'bound')})}"
