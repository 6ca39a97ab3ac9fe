"""The document about a law of a scaled residual network: its sections in their order."""

from asympt.writing.paper import Document, PartCounter, Progress, paper
from asympt.writing.references import references
from asympt.writing.scaled_claim import claim
from asympt.writing.scaled_derivation import derivation
from asympt.writing.scaled_evidence import evidence, plotted
from asympt.writing.scaled_material import ScaledMaterial
from asympt.writing.scaled_statement import statement, title
from asympt.writing.verdicts import claim_table, collect, parts

CITED = ("HDR", "JGH", "ChoSaul")
VERIFIED = 15  # digits of the checks


def scaled_document(net, law: str = "ntk", terms: int = 4, digits: int = 30, figure_name: str = "figure.pdf",
                    progress: Progress | None = None) -> Document:  # fmt: skip
    """The derivation of a law of a `ScaledResNet` with a ReLU-like activation; arguments as in `document`."""
    m = ScaledMaterial(net, law, terms, digits)
    report = PartCounter(progress, total=3 + parts(m))
    report("derive the law")
    _ = m.law, m.correlation
    verdicts = collect(m, report, min(digits, VERIFIED))
    report("draw the figure")
    figure = plotted(m)
    report("compute the values")
    sections = [
        statement(m, verdicts),
        derivation(m),
        claim(m) + claim_table(verdicts),
        evidence(m, verdicts, figure_name),
        references(CITED),
    ]
    return Document(paper(title(m), sections), figure, figure_name)
