"""The options that commands share, as types.  Numbers stay text here: the library reads them, exactly."""

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from asympt.architectures import registry
from asympt.spelling import meant

CORRELATION, FEEDFORWARD = "correlation", "feedforward"


def _law(given: str | None) -> str | None:
    """The law that is meant; which of them a network has, it says itself."""
    return given and (meant(given, registry.law_names()) or given)


def _architectures() -> list[str]:
    return [record.name for record in registry.records()]


def _activations() -> Iterable[str]:
    from asympt.meanfield.catalogue import catalogue

    return catalogue()


def _terms() -> Iterable[str]:
    from asympt.cli.glossary import names

    return names()


def _laws_of_all() -> str:
    """The laws, those of most architectures first, the rest with the architectures that have them."""
    more = {record.name: [law for law in record.laws if law not in registry.LAWS] for record in registry.records()}
    rest = "; ".join(f"{name} also {', '.join(laws)}" for name, laws in more.items() if laws)
    return f"{', '.join(registry.LAWS)} of every network; {rest}"


class Format(StrEnum):
    """How a result is printed."""

    TEXT = "text"
    LATEX = "latex"
    JSON = "json"


class ReportFormat(StrEnum):
    """How a report is printed."""

    TEXT = "text"
    JSON = "json"


def _limit(context: typer.Context, given: str | None) -> str | None:
    """Put the whole command under the time limit that the user has chosen."""
    if given is not None and not context.resilient_parsing:
        from asympt.deadline import time_limit

        context.with_resource(time_limit(given))
    return given


def number(help_text: str, *names: str):
    return typer.Option(*names, metavar="NUMBER", help=help_text)


def _examples() -> str:
    """The parameters of all architectures, those of several together."""
    owners: dict[str, list[str]] = {}
    for record in registry.records():
        if record.parameters:
            owners.setdefault(", ".join(parameter.shown for parameter in record.parameters), []).append(record.name)
    return "; ".join(f"{shown} ({', '.join(names)})" for shown, names in owners.items())


ActivationName = Annotated[
    str,
    typer.Argument(
        metavar="ACTIVATION", autocompletion=_activations,
        help="A name such as tanh (`asympt activations` lists them), or a formula in x such as "
        "'x*tanh(x)'; or a block such as 'residual(layer_norm, relu, dense(sqrt(2)))' (`asympt blocks`).",
    ),
]
ActivationOptions = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="An option of the activation: alpha=1/2.")
]
Network = Annotated[
    str,
    typer.Option(
        "--network", metavar="NAME", callback=lambda given: registry.find(given).name, autocompletion=_architectures,
        help=f"The architecture: {', '.join(_architectures())}.",
    ),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--parameter", "-p", metavar="NAME=VALUE", help=f"A parameter of the architecture: {_examples()}."),
]
Term = Annotated[list[str] | None, typer.Argument(metavar="[NAME]", autocompletion=_terms)]
WhichLaw = Annotated[
    str | None,
    typer.Option(
        "--law", metavar="NAME", callback=_law, autocompletion=registry.law_names,
        help="Which law: ntk K(x,x'), correlation 1 - c, diagonal K(x,x), variance; similarity 1 - c of two tokens. "
        + f"{_laws_of_all()} [default: ntk; similarity of a block that mixes tokens].",
    ),
]
Slope = Annotated[str | None, number("leaky_relu: the slope for x < 0, a number or a letter.", "--slope")]
Right = Annotated[str | None, number("relu_like: the slope for x > 0, likewise.", "--right")]
Left = Annotated[str | None, number("relu_like: the slope for x < 0, likewise.", "--left")]
SigmaW = Annotated[
    str | None,
    number("Standard deviation of the weights [default: on the Edge of Chaos; 1 with skip connections].", "--sigma-w"),
]
SigmaB = Annotated[str, number("Standard deviation of the biases.", "--sigma-b")]
Terms = Annotated[str, number("Number of terms of the law.", "--terms")]
Digits = Annotated[str, number("Number of significant digits.", "--digits")]
Depth = Annotated[str, number("The layer, for example 1000, 1e6 or 10^100.", "--depth")]
OptionalDepth = Annotated[str | None, number("Evaluate at this layer, for example 1000 or 10^100.", "--depth")]
Correlation = Annotated[
    str | None,
    number("c^1, the correlation of the inputs in layer 1; for a convnet, one per position: 1/10,1/2,0.",
            "--correlation", "-c"),
]  # fmt: skip
Variance = Annotated[str | None, number("q^1, the variance in layer 1, for laws that start from it.", "--variance")]
Variances = Annotated[
    str | None,
    number("q^1 of the two inputs of a fully connected network, such as 1,1/4 [default: both are q].", "--variances"),
]
Position = Annotated[str | None, number("Position in a convnet, counted from 0.", "--position")]
Correlations = Annotated[list[str] | None, number("c^1; may be given several times.", "--correlation", "-c")]
Workers = Annotated[str, number("Number of processes.", "--workers")]
Theorem = Annotated[
    bool, typer.Option("--theorem/--no-theorem", help="Prove a constant for the law's remainder as well.")
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget", metavar="SECONDS", envvar="ASYMPT_BUDGET", callback=_limit,
        help="Processor time for reading a formula [default: 60] and for a derivation [default: 300; a network: 1800].",
    ),
]  # fmt: skip
Printed = Annotated[Format | None, typer.Option("--format", help="How to print the result [default: text].")]
Reported = Annotated[ReportFormat, typer.Option("--format", help="How to print the report.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write a document: .tex or .pdf.")]
CoqFolder = Annotated[
    Path | None,
    typer.Option("--coq", metavar="FOLDER", file_okay=False, help="Write the proof for Coq 8.16, with all it needs."),
]
Checks = Annotated[bool, typer.Option("--checks/--no-checks", help="Verify the law in the document of -o.")]
FigureFile = Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The figure: .png, .pdf or .svg.")]
