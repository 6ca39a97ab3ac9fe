"""`asympt prove`: a law as a theorem, with a constant that is proved."""

from typing import Annotated

import typer

from asympt.cli import options as opt
from asympt.cli.architectures import law_of, network, start_of
from asympt.cli.boundary import called, say
from asympt.cli.parsing import check_output, counts, options_of, whole
from asympt.errors import InputError

Interval = Annotated[
    str | None,
    typer.Option("--correlation", "-c", metavar="NUMBER|LOW..HIGH",
                 help="c^1, or an interval of them in which the theorem is uniform: -1..9/10."),
]  # fmt: skip
VarianceInterval = Annotated[
    str | None,
    typer.Option("--variance", metavar="NUMBER|LOW..HIGH",
                 help="q^1, the variance in layer 1, for laws that start from it; or an interval of them."),
]  # fmt: skip
ValidFrom = Annotated[str, typer.Option("--valid-from", metavar="DEPTH", help="The depth from which it has to hold.")]


def prove(
    activation: opt.ActivationName,
    law: opt.WhichLaw = opt.NTK,
    architecture: opt.Network = opt.FEEDFORWARD,
    parameter: opt.Parameters = None,
    option: opt.ActivationOptions = None,
    slope: opt.Slope = None,
    right: opt.Right = None,
    left: opt.Left = None,
    sigma_w: opt.SigmaW = None,
    sigma_b: opt.SigmaB = "0",
    terms: opt.Terms = "2",
    correlation: Interval = None,
    variance: VarianceInterval = None,
    position: opt.Position = None,
    valid_from: ValidFrom = "2",
    printed: opt.Printed = None,
    output: opt.Output = None,
    budget: opt.Budget = None,
) -> None:
    """Prove a law: a constant B with |quantity - law| <= B monomial, for every depth.

    The proof is in ball arithmetic, uniform in an interval of starts where one is given; with -o as a document.
    """
    count, *_ = counts(terms, "30", None)
    given = {"correlation": correlation, "variance": variance, "position": position}
    if all(value is None for value in given.values()):
        raise InputError("a theorem is about a start; add --correlation, for example --correlation -1..9/10")
    if output is not None:
        check_output(output, (".tex", ".pdf"))
    net = network(architecture, activation, sigma_w, sigma_b, options_of(option, slope, right, left), parameter)
    found = law_of(net, law, count)
    certificate = certified(found, valid_from, **start_of(found, law, given, None))
    from asympt.cli import display, records

    about = {"network": records.network_record(architecture, net)}
    deliver(display.network_line(about["network"]), about, certificate, printed, output)


def interval_of(text: str):
    """One number, or the two ends of LOW..HIGH.

    >>> interval_of("-1..9/10"), interval_of("1/10")
    (('-1', '9/10'), '1/10')
    """
    ends = tuple(part.strip() for part in text.split(".."))
    return ends[0] if len(ends) == 1 else ends


def certified(law, valid_from: str, **start):
    """The theorem of a law for a start, or an interval LOW..HIGH of them."""
    from asympt.cli.progress import Waiting

    starts = {name: interval_of(value) if isinstance(value, str) else value for name, value in start.items()}
    with Waiting("proving the law"):
        return law.certificate(whole(valid_from, "valid_from"), **starts)


def deliver(title: str, about: dict, certificate, printed: opt.Format | None, output) -> None:
    """Prints a theorem about what `title` and the record `about` say, or writes its proof, or both."""
    if output is None or printed is not None:
        _print(title, about, certificate, printed or opt.Format.TEXT)
    if output is not None:
        _write(certificate, output)


def _print(title: str, about: dict, certificate, how: opt.Format) -> None:
    from asympt.cli import display, records

    if how == opt.Format.JSON:
        typer.echo(records.to_json({**about, "certificate": certificate.to_json()}))
        return
    if how == opt.Format.LATEX:
        typer.echo(certificate.latex())
        return
    rows = [(s.name, s.shows, s.listed) for s in certificate.steps]
    display.show(
        title, "", display.heading("Theorem", ", ", "proved"), certificate.statement, "",
        display.table(("step", "shows", "figures"), rows),
    )  # fmt: skip


def _write(certificate, path) -> None:
    from asympt.cli.progress import Waiting
    from asympt.writing.proof import write_proof

    with Waiting("writing the proof"):
        write_proof(certificate, path, called())
    say(f"wrote {path}")
