"""`asympt simulate`: the layer recursion of an architecture against random networks of finite width."""

from typing import Annotated

import typer

from asympt.cli import options as opt
from asympt.cli.architectures import network
from asympt.cli.boundary import PASSING
from asympt.cli.parsing import options_of, whole
from asympt.errors import InputError

Widths = Annotated[str, typer.Option(metavar="N,N", help="Neurons of every layer: several widths are extrapolated.")]
Error = Annotated[
    str | None,
    typer.Option(metavar="NUMBER", help="Standard error of the kernels, of the diagonal [default: 0.01; pixels 0.05]."),
]


def simulate(
    activation: opt.ActivationName,
    architecture: opt.Network = opt.FEEDFORWARD,
    parameter: opt.Parameters = None,
    option: opt.ActivationOptions = None,
    slope: opt.Slope = None,
    right: opt.Right = None,
    left: opt.Left = None,
    sigma_w: opt.SigmaW = None,
    sigma_b: opt.SigmaB = "0",
    depth: opt.Depth = "4",
    widths: Widths = "128,256",
    standard_error: Error = None,
    seed: Annotated[str, typer.Option(metavar="NUMBER", help="Of the random numbers.")] = "0",
    workers: opt.Workers = "1",
    printed: opt.Reported = opt.ReportFormat.TEXT,
    budget: opt.Budget = None,
) -> None:
    """Draw random networks, forward and backward, and compare their NNGP kernel and NTK with the layer recursion.

    Exit code 0 if the recursion is that of the networks, 1 if it is refuted.
    """
    given = {
        "depth": whole(depth, "depth"),
        "widths": tuple(whole(text, "widths") for text in widths.split(",")),
        "standard_error": None if standard_error is None else _positive(standard_error),
        "seed": 0 if seed.strip() == "0" else whole(seed, "seed"),
        "workers": whole(workers, "workers"),
    }
    net = network(architecture, activation, sigma_w, sigma_b, options_of(option, slope, right, left), parameter)
    record = _simulation(architecture, net, given)
    _print_simulation(record, printed)
    raise typer.Exit(0 if record["verdict"] in PASSING else 1)


def _positive(text: str) -> float:
    from asympt.numbers import exact

    value = exact(text, "standard_error")
    if not value > 0:
        raise InputError(f"standard_error = {text} is not positive; give a relative error such as 0.01")
    return float(value)


def _simulation(architecture: str, net, given: dict) -> dict:
    from asympt.cli import records
    from asympt.cli.progress import Reporter
    from asympt.evidence.referee import referee

    with Reporter() as progress:
        found = referee(net, progress=progress, **given)
    return {"network": records.network_record(architecture, net), **records.verification_record(found)}


def _print_simulation(record: dict, how: opt.ReportFormat) -> None:
    from asympt.cli import display, records

    if how == opt.ReportFormat.JSON:
        typer.echo(records.to_json(record))
        return
    detail = [f"{check['name']}: {check['detail']}" for check in record["checks"]]
    display.show(
        display.network_line(record["network"]), *display.verification_parts(record["subject"], record), *detail
    )
