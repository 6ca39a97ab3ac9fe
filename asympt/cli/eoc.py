"""`asympt eoc`: the Edge of Chaos of an activation."""

import typer

from asympt.cli import options as opt
from asympt.cli.reading import slopes_of, whole


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
