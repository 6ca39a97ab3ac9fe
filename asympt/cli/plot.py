"""`asympt plot`: a law beside the recursion's own values, a phase diagram, condition numbers, interpolants."""

from collections.abc import Callable
from typing import Annotated

import typer

from asympt.architectures.registry import usual_law
from asympt.cli import options as opt
from asympt.cli.boundary import say
from asympt.cli.reading import USUAL, Chosen, activation_of, check_output, counts, with_network
from asympt.errors import InputError
from asympt.showing import Reporter, Waiting

PLOTTED = ("ntk", opt.CORRELATION)
PHASE, CONDITION, INTERPOLANTS = "phase", "condition", "interpolants"
START, BETWEEN = "1/10", "1/2"  # c^1 where none is given: of a law, and between the inputs of condition numbers
INTERPOLANT = (
    "f: fits of $y=x_1x_2$ at ten points of the circle by the NTK of an MLP and of residual networks of depth L; "
    r"$\alpha$: the weight of a residual branch; $\mu$: smoothness, 1 for the Gaussian kernel's own fit"
)
Subject = Annotated[
    list[str],
    typer.Argument(
        metavar="[phase|condition] ACTIVATION | interpolants",
        help="An activation or a block, whose law is drawn; 'phase tanh', its phase diagram; 'condition tanh', "
        "its condition numbers over depth; or 'interpolants', fits on a circle.",
    ),
]


@with_network
def plot(
    subject: Subject, output: opt.FigureFile, law: opt.WhichLaw = None, chosen: Chosen = USUAL, terms: opt.Terms = "4",
    correlation: opt.Correlations = None, depth: opt.OptionalDepth = None,
    width: Annotated[float, typer.Option(metavar="INCHES", help="Width; a column is 3.4.")] = 5.0,
    budget: opt.Budget = None,
) -> None:
    """Plot a law against the recursion; or "phase tanh", "condition tanh", "interpolants".

    NTK: L times the distance to the limit against log L.  Correlation: the partial sums of the law.  Phase: the Edge of
    Chaos in the plane of sigma_b and sigma_w, with the depth scale of the correlation.  Condition: the condition
    numbers of NNGP kernel and NTK over depth, in the ordered phase, on the Edge of Chaos and in the chaotic phase.
    Interpolants: fits of points on a circle by the NTKs of plain and residual networks.
    """
    from asympt.plots.style import check_width

    check_output(output, (".png", ".pdf", ".svg"))
    count, _, deepest = counts(terms, depth=depth)
    check_width(width)
    *kind, activation = subject
    if kind == [PHASE]:
        _refuse("a phase diagram shows every sigma_w", sigma_w=chosen.sigma_w, correlation=correlation, depth=depth)
        phi = activation_of(activation, chosen.options)
        said = f"{phi.name}: both phases; the numbers are the depth scale $\\xi$ of the correlation, in layers"
        _save("computing the phase diagram", lambda plots: plots.phase_figure(phi, width=width), said, output)
    elif kind == [CONDITION]:
        _refuse("condition numbers are shown around the Edge of Chaos from one c^1", sigma_w=chosen.sigma_w)
        phi = activation_of(activation, chosen.options)
        _draw_condition(phi, chosen.sigma_b, correlation, deepest, width, output)
    elif subject == [INTERPOLANTS]:
        _refuse("interpolants have networks of their own", sigma_w=chosen.sigma_w, correlation=correlation, depth=depth)
        _save("fitting", lambda plots: plots.interpolant_figure(width=width), INTERPOLANT, output)
    elif kind:
        raise InputError(
            f"{' '.join(subject)!r} is neither an activation nor a figure; write 'tanh', 'phase tanh', "
            "'condition tanh' or 'interpolants'"
        )
    else:
        net = chosen.network(activation)
        _draw(net, law or usual_law(net), correlation, deepest, count, width, output)
    say(f"wrote {output}")


def _refuse(reason: str, **given) -> None:
    """An error for options that a picture has no use for."""
    wrong = [f"--{name.replace('_', '-')}" for name, value in given.items() if value]
    if wrong:
        raise InputError(f"{reason}; leave out {', '.join(wrong)}")


def _draw_condition(phi, sigma_b: str, correlations, depth: int | None, width: float, path) -> None:
    from asympt import plots
    from asympt.numbers import exact

    given = _one(correlations, "condition numbers are shown for one") | ({} if depth is None else {"depth": depth})
    with Reporter() as progress:
        nets = plots.around_the_edge(phi, exact(sigma_b, "sigma_b"))
        drawn = plots.condition_figure(plots.condition_data(nets, progress=progress, **given), width=width)
        said = f"{phi.name}, $\\sigma_b = {sigma_b}$: condition numbers of the NNGP kernel and the NTK of 10 inputs"
        start = correlations[0] if correlations else BETWEEN
        plots.save(plots.captioned(drawn, f"{said} with the correlation $c^1 = {start}$ in layer 1"), path)


def _save(work: str, draw: Callable, said: str, path) -> None:
    from asympt import plots

    with Waiting(work):
        plots.save(plots.captioned(draw(plots), said), path)


def _one(correlations, shown: str) -> dict:
    """The start of a figure that shows one, if it is given."""
    if correlations and len(correlations) > 1:
        raise InputError(f"{len(correlations)} correlations were given; {shown}")
    return {"correlation": correlations[0]} if correlations else {}


def _draw(net, law: str, correlations, depth: int | None, terms: int, width: float, path) -> None:
    from asympt import plots

    draw, given = plots.ntk_figure, {"correlations": correlations} if correlations else {}
    if law not in PLOTTED:
        raise InputError(f"law = {law} has no figure; give one of {', '.join(PLOTTED)}")
    if law == opt.CORRELATION:
        draw, given = plots.correlation_figure, _one(correlations, "the plot of this law shows one")
    given |= {} if depth is None else {"depth": depth}
    with Reporter() as progress:
        drawn = draw(net, terms=terms, width=width, progress=progress, **given)
        plots.save(plots.captioned(drawn, _caption(net, law, correlations)), path)


def _caption(net, law: str, correlations) -> str:
    from asympt.writing.subjects import figure_title

    if law == opt.CORRELATION:
        start = correlations[0] if correlations else START
        said = f"$c^l$, the correlation of two inputs in layer $l$, from $c^1 = {start}$"
    else:
        said = "$K^L$, the NTK of two inputs at depth $L$; $q$, their variance; $c^1$, their correlation in layer 1"
    return f"{figure_title(net)}: {said}"
