"""`asympt recursion` and `asympt eoc`: what needs no law of a network."""

from typing import Annotated

import typer

from asympt.cli import options as opt
from asympt.cli.reading import slopes_of, value_at, whole
from asympt.errors import InputError


def recursion(
    expression: Annotated[str, typer.Argument(metavar="EXPRESSION", help="G(x), for example 'sin(x)'.")],
    fixed_point: Annotated[str, typer.Option("--fixed-point", metavar="NUMBER", help="G maps it to itself.")] = "0",
    terms: opt.Terms = "4",
    start: Annotated[str | None, typer.Option("--start", metavar="NUMBER", help="x_0, above the fixed point.")] = None,
    depth: Annotated[str | None, typer.Option("--depth", metavar="NUMBER", help="How many steps from x_0.")] = None,
    digits: opt.Digits = "30",
    printed: opt.Printed = None,
) -> None:
    """The law of x -> G(x) near a fixed point, no network needed.

    With --start also its constant, and with --depth the number x_n after n = depth steps.
    """
    from asympt.cli import records

    if depth is not None and start is None:
        raise InputError(f"depth = {depth} needs a start; add --start, for example --start 1")
    count, figures = whole(terms, "terms"), whole(digits, "digits")
    map_, found = _recursion_law(expression, fixed_point, count)
    record = {"map": str(map_.expression), "fixed_point": str(map_.fixed_point), "kind": map_.kind}
    record["law"] = records.law_record(found, count)
    if start is not None:
        record["value"] = value_at(found, depth, figures, {"start": start})
    _print_recursion(record, found, printed or opt.Format.TEXT)


def _recursion_law(text: str, fixed_point: str, terms: int):
    """The recursion and its law; whatever SymPy cannot do with the map is said in one sentence."""
    from asympt.cli.expressions import X, read_expression
    from asympt.errors import UnsupportedError
    from asympt.numbers import check_terms
    from asympt.recursions import Recursion

    check_terms(terms)
    expression = read_expression(text)
    try:
        found = Recursion(expression, X, fixed_point)
        return found, found.law(terms)
    except ValueError:
        raise
    except Exception as error:
        raise UnsupportedError(
            f"no law of x -> {expression} was derived at x = {fixed_point}: SymPy cannot expand it there "
            f"({type(error).__name__}); take a map with a Taylor series at its fixed point"
        ) from error


def _print_recursion(record: dict, law, how: opt.Format) -> None:
    from asympt.cli import display

    shown = record["map"].replace("**", "^")
    title = f"x -> {shown}, fixed point {record['fixed_point']}: {record['kind']}"
    display.show_law(record, law.latex(), how, title, display.law_fields(record["law"], "x_n", "n"))


def eoc(
    activation: opt.ActivationName,
    sigma_b: opt.SigmaB = "0",
    slope: opt.Slope = None,
    right: opt.Right = None,
    left: opt.Left = None,
    digits: opt.Digits = "30",
    printed: opt.Reported = opt.ReportFormat.TEXT,
) -> None:
    """The Edge of Chaos: sigma_w for a given sigma_b."""
    from asympt import activation as lookup
    from asympt import edge_of_chaos
    from asympt.cli import display, records
    from asympt.numbers import check_digits

    figures = check_digits(whole(digits, "digits"))
    phi = lookup(activation, **slopes_of(slope, right, left))
    record = {"activation": phi.name, **records.point_record(edge_of_chaos(phi, sigma_b, digits=figures), figures)}
    if printed == opt.ReportFormat.JSON:
        typer.echo(records.to_json(record))
        return
    exact, value = (record[name].replace("**", "^") for name in ("sigma_w_exact", "sigma_w"))
    lines = [("sigma_b", record["sigma_b"]), ("sigma_w", exact if exact == value else f"{exact} = {value}")]
    lines.append(("q", record["q"] or "any: every variance is a fixed point"))
    display.show(f"{phi.name}, Edge of Chaos", display.fields(lines))
