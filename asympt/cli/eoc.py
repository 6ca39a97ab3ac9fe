"""`asympt eoc`: the Edge of Chaos of an activation."""

from typing import Annotated

import typer

from asympt.cli import options as opt
from asympt.cli.parsing import activation_of, options_of, whole
from asympt.deadline import NETWORK, limited

Bias = Annotated[
    str | None, typer.Option("--sigma-b", metavar="NUMBER", help="Standard deviation of the biases [default: 0].")
]
Weight = Annotated[
    str | None, typer.Option("--sigma-w", metavar="NUMBER", help="Standard deviation of the weights, given instead.")
]


def eoc(
    activation: opt.ActivationName,
    sigma_b: Bias = None,
    sigma_w: Weight = None,
    option: opt.ActivationOptions = None,
    slope: opt.Slope = None,
    right: opt.Right = None,
    left: opt.Left = None,
    digits: opt.Digits = "30",
    printed: opt.Reported = opt.ReportFormat.TEXT,
    budget: opt.Budget = None,
) -> None:
    """The Edge of Chaos: sigma_w for a given sigma_b, or sigma_b for a given sigma_w; all solutions."""
    from asympt.cli import display, records
    from asympt.cli.progress import Waiting
    from asympt.meanfield.edge import critical_points
    from asympt.numbers import check_digits

    figures = check_digits(whole(digits, "digits"))
    phi = activation_of(activation, options_of(option, slope, right, left))
    with Waiting("solving for the Edge of Chaos"), limited("solving for the Edge of Chaos", NETWORK):
        points = [records.point_record(point, figures) for point in critical_points(phi, sigma_b, sigma_w, figures)]
    if printed == opt.ReportFormat.JSON:
        others = {"others": points[1:]} if points[1:] else {}
        typer.echo(records.to_json({"activation": phi.name, **points[0], **others}))
        return
    for index, point in enumerate(points, start=1):
        count = f", solution {index} of {len(points)}" if len(points) > 1 else ""
        display.show(f"{phi.name}, Edge of Chaos{count}", display.fields(_lines(point)))


def _lines(point: dict) -> list[tuple[str, str]]:
    """The standard deviations, q, and whether the variance stays at q."""
    lines = [(name, _with_formula(point, name)) for name in ("sigma_b", "sigma_w")]
    if point["q"] is None:
        return [*lines, ("q", "any: every variance is a fixed point")]
    return [*lines, ("q", _with_formula(point, "q")), ("variance", point["stability"]["text"])]


def _with_formula(point: dict, name: str) -> str:
    """The number, behind its formula when it has one that says more."""
    exact, value = point[f"{name}_exact"], point[name]
    plain = exact is None or exact == value or exact.replace("/", "").isdigit()
    return value if plain else f"{exact} = {value}"
