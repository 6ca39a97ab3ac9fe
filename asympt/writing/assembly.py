"""The sections of a document about a ReLU-like network, plain or residual, in their order."""

from collections.abc import Callable
from dataclasses import dataclass

from asympt.writing import figure as figures
from asympt.writing.evidence import evidence
from asympt.writing.material import Material
from asympt.writing.paper import Document, PartCounter, Progress, paper
from asympt.writing.references import references
from asympt.writing.verdicts import Verdicts, claim_table, collect, parts


@dataclass(frozen=True)
class Sections:
    """What an architecture writes for itself; each takes the material, `statement` the verdicts too."""

    title: Callable[[Material], str]
    statement: Callable[[Material, Verdicts], str]
    derivation: Callable[[Material], str]
    claim: Callable[[Material], str]
    generality: Callable[[Material], str]


def assembled(m: Material, own: Sections, figure_name: str, progress: Progress | None) -> Document:
    """The document: laws derived, verified and drawn, then written."""
    report = PartCounter(progress, total=3 + parts(m))
    report("derive the law")
    _ = m.law, m.correlation
    verdicts = collect(m, report)
    report("draw the figure")
    figure = figures.draw(m)
    report("write")
    sections = [
        own.statement(m, verdicts),
        own.derivation(m),
        own.claim(m) + claim_table(verdicts),
        own.generality(m),
        evidence(m, verdicts, figures.inclusion(m, figure_name)),
        references(),
    ]
    return Document(paper(own.title(m), sections), figure, figure_name)
