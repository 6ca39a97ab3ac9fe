"""`asympt recursion`: the law of x -> G(x), no network needed."""

from enum import StrEnum
from typing import Annotated

import typer

from asympt.cli import options as opt
from asympt.cli.boundary import PASSING, Reporter, Waiting, called, say
from asympt.cli.reading import check_output, counts
from asympt.deadline import limited
from asympt.errors import InputError


class Approach(StrEnum):
    """From where the orbit approaches the fixed point."""

    ABOVE = "above"
    BELOW = "below"


Expression = Annotated[
    str,
    typer.Argument(metavar="EXPRESSION", help="G(x), for example 'sin(x)'; put -- before a leading minus."),
]
FixedPoint = Annotated[
    str | None,
    typer.Option("--fixed-point", metavar="NUMBER", help="G maps it to itself; oo is infinity [default: found]."),
]
WhichSide = Annotated[Approach, typer.Option("--side", help="From where the orbit approaches.")]
Observed = Annotated[
    str | None, typer.Option("--of", metavar="EXPRESSION", help="The law of this function of x_n, for example '1/x'.")
]
Start = Annotated[
    str | None, typer.Option("--start", metavar="NUMBER", help="x_0; with --prove also an interval LOW..HIGH of them.")
]
Steps = Annotated[str | None, typer.Option("--depth", metavar="NUMBER", help="How many steps from x_0.")]
Verify = Annotated[bool, typer.Option("--verify", help="Check the law by routes that its derivation does not use.")]
Prove = Annotated[
    bool,
    typer.Option("--prove", help="A theorem for --start: B with |x_n - law| <= B monomial for every n; -o: its proof."),
]


def recursion(
    expression: Expression,
    fixed_point: FixedPoint = None,
    side: WhichSide = Approach.ABOVE,
    of: Observed = None,
    terms: opt.Terms = "4",
    start: Start = None,
    depth: Steps = None,
    digits: opt.Digits = "30",
    verify: Verify = False,
    prove: Prove = False,
    printed: opt.Printed = None,
    output: opt.Output = None,
    budget: opt.Budget = None,
) -> None:
    """The law of x -> G(x) near a fixed point, no network needed.

    A law whose orbits change sides for ever (multiplier -1) has one branch for even and one for odd n; --start decides
    which is which.  With --start also its constant, and with --depth the number x_n after n = depth steps; with -o as a
    document.
    """
    for name, given in (("depth", depth), ("prove", prove or None)):
        if given is not None and start is None:
            raise InputError(f"{name} = {given} needs a start; add --start, for example --start 1")
    if prove and (depth is not None or verify):
        raise InputError("--prove prints one theorem; ask for --depth and --verify by themselves")
    count, figures, steps = counts(terms, digits, depth)
    if output is not None:
        check_output(output, (".tex", ".pdf"))
    map_, found = _law(expression, fixed_point, side, of, count)
    if prove:
        return _prove(expression, map_, found, start, printed, output)
    if start is not None and not found.parameters:
        found = found.for_start(start)
    with limited("writing out the law"):
        record = {"map": expression.strip(), **_record(map_, found, count)}
    if start is not None:
        from asympt.cli import records

        record["value"] = records.value_at(found, steps, figures, {"start": start})
    if verify:
        record["verification"] = _verified(found, figures, start)
    if output is None or printed is not None:
        _print(record, found, printed or opt.Format.TEXT)
    if output is not None:
        _write(map_, found, output, start, steps, figures)
    if verify and record["verification"]["verdict"] not in PASSING:
        raise typer.Exit(1)


def _prove(text: str, map_, law, start: str, printed: opt.Format | None, output) -> None:
    from asympt.cli.laws import certified, deliver

    with limited("proving the law"):
        certificate = certified(law, "2", start=start)
    about = {"map": text.strip(), **_map_record(map_, law)}
    deliver(_title(about), about, certificate, printed, output)


def _title(record: dict) -> str:
    return f"x -> {record['map'].replace('**', '^')}, fixed point {record['fixed_point']}: {record['kind']}"


def _law(text: str, fixed_point: str | None, side: str, of: str | None, terms: int):
    from asympt.numbers import check_terms
    from asympt.parsing import X, read_formula
    from asympt.recursions import Recursion

    check_terms(terms)
    expression = read_formula(text, X)
    observable = None if of is None else read_formula(of, X)
    with Waiting("deriving the law"):
        found = Recursion(expression, X, fixed_point, str(side))
        return found, found.law(terms, observable)


def _record(map_, law, terms: int) -> dict:
    from asympt.cli import records

    return {**_map_record(map_, law), "law": records.law_record(law, terms)}


def _map_record(map_, law) -> dict:
    return {
        "expression": str(map_.expression),
        "fixed_point": str(map_.fixed_point),
        "side": map_.side if law.kind != "flip" else "above" if law.fixed.sign > 0 else "below",
        "kind": map_.kind,
        "multiplier": str(map_.multiplier),
    }


def _verified(law, digits: int, start: str | None) -> dict:
    import asympt
    from asympt.cli import records

    with Reporter() as progress:
        return records.verification_record(asympt.verify(law, digits=digits, start=start, progress=progress))


def _print(record: dict, law, how: opt.Format) -> None:
    from asympt.cli import display

    title = _title(record)
    display.show_law(record, law.latex(), how, title, display.law_fields(record["law"], "x_n", "n"))
    if "verification" in record and how == opt.Format.TEXT:
        subject = f"{record['law']['plain']} = {record['law']['text']}"
        display.show("", *display.verification_parts(subject, record["verification"]))


def _write(map_, law, path, start: str | None, depth: int | None, digits: int) -> None:
    from asympt.writing import write_recursion

    with Reporter() as progress:
        write_recursion(map_, law, path, start=start, depth=depth, digits=digits, progress=progress, command=called())
    say(f"wrote {path}")
