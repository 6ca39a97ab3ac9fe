"""`asympt plot`: a law beside the recursion's own values, as a picture."""

from typing import Annotated

import typer

from asympt.cli import options as opt
from asympt.cli.boundary import say
from asympt.cli.reading import check_output, network, whole
from asympt.errors import InputError


def plot(
    activation: opt.ActivationName,
    output: opt.FigureFile,
    law: opt.WhichLaw = opt.LawName.NTK,
    architecture: opt.Network = opt.Architecture.FEEDFORWARD,
    slope: opt.Slope = None,
    right: opt.Right = None,
    left: opt.Left = None,
    sigma_w: opt.SigmaW = None,
    sigma_b: opt.SigmaB = "0",
    terms: opt.Terms = "4",
    correlation: opt.Correlations = None,
    depth: opt.OptionalDepth = None,
    width: Annotated[float, typer.Option(metavar="INCHES", help="Width; a column is 3.4.")] = 5.0,
) -> None:
    """Plot a law against the recursion.

    NTK: L times the distance to the limit against log L.  Correlation: the partial sums of the law.
    """
    check_output(output, (".png", ".pdf", ".svg"))
    count = whole(terms, "terms")
    deepest = None if depth is None else whole(depth, "depth")
    net = network(architecture, activation, sigma_w, sigma_b, slope, right, left)
    _draw(net, law, correlation, deepest, count, width, output)
    say(f"wrote {output}")


def _draw(net, law: str, correlations, depth: int | None, terms: int, width: float, path) -> None:
    from asympt import plots
    from asympt.cli.progress import Reporter

    draw, starts = plots.ntk_figure, {"correlations": correlations} if correlations else {}
    if law == opt.LawName.CORRELATION:
        if correlations and len(correlations) > 1:
            raise InputError(f"{len(correlations)} correlations were given; the plot of this law shows one")
        draw, starts = plots.correlation_figure, {"correlation": correlations[0]} if correlations else {}
    given = starts if depth is None else {**starts, "depth": depth}
    with Reporter() as progress:
        plots.save(draw(net, terms=terms, width=width, progress=progress, **given), path)
