"""`asympt plot`: a law beside the recursion's own values, or the phase diagram of an activation, as a picture."""

from typing import Annotated

import typer

from asympt.cli import options as opt
from asympt.cli.architectures import network
from asympt.cli.boundary import say
from asympt.cli.reading import activation_of, check_output, options_of, whole
from asympt.errors import InputError

PHASE = "phase"
Subject = Annotated[
    list[str], typer.Argument(metavar="[phase] ACTIVATION", help="A law of this activation, or its phase diagram.")
]


def plot(
    subject: Subject,
    output: opt.FigureFile,
    law: opt.WhichLaw = opt.LawName.NTK,
    architecture: opt.Network = opt.Architecture.FEEDFORWARD,
    parameter: opt.Parameters = None,
    option: opt.ActivationOptions = None,
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
    """Plot a law against the recursion, or ("phase tanh") the phase diagram of an activation.

    NTK: L times the distance to the limit against log L.  Correlation: the partial sums of the law.  Phase: the Edge of
    Chaos in the plane of sigma_b and sigma_w, with the depth scale of the correlation.
    """
    check_output(output, (".png", ".pdf", ".svg"))
    count = whole(terms, "terms")
    deepest = None if depth is None else whole(depth, "depth")
    *kind, activation = subject
    if kind == [PHASE]:
        if sigma_w is not None or correlation or depth is not None:
            raise InputError("a phase diagram shows every sigma_w; leave out --sigma-w, --correlation and --depth")
        _draw_phase(activation_of(activation, options_of(option, slope, right, left)), width, output)
    elif kind:
        raise InputError(f"{' '.join(subject)!r} is neither an activation nor 'phase' and one; write 'phase tanh'")
    else:
        net = network(architecture, activation, sigma_w, sigma_b, options_of(option, slope, right, left), parameter)
        _draw(net, law, correlation, deepest, count, width, output)
    say(f"wrote {output}")


def _draw_phase(phi, width: float, path) -> None:
    from asympt import plots
    from asympt.cli.progress import Waiting

    with Waiting("computing the phase diagram"):
        plots.save(plots.phase_figure(phi, width=width), path)


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
