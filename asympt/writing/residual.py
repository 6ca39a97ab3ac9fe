"""The document about a law of a residual network: its sections in their order."""

from asympt.writing import figure as figures
from asympt.writing.evidence import evidence
from asympt.writing.paper import Document, Progress, Reporter, paper
from asympt.writing.references import references
from asympt.writing.residual_claim import claim, generality
from asympt.writing.residual_material import ResidualMaterial
from asympt.writing.residual_statement import statement, title
from asympt.writing.residual_steps import derivation
from asympt.writing.verdicts import claim_table, collect, parts


def residual_document(net, law: str = "ntk", terms: int = 4, digits: int = 30, figure_name: str = "figure.pdf",
                      progress: Progress | None = None) -> Document:  # fmt: skip
    """The derivation of a law of a `ResNet` with a ReLU-like activation and no bias; arguments as in `document`."""
    m = ResidualMaterial(net, law, terms, digits)
    report = Reporter(progress, total=3 + parts(m))
    report("derive the law")
    _ = m.law, m.correlation
    verdicts = collect(m, report)
    report("draw the figure")
    figure = figures.draw(m)
    report("write")
    sections = [
        statement(m, verdicts),
        derivation(m),
        claim(m) + claim_table(verdicts),
        generality(m),
        evidence(m, verdicts, figures.inclusion(m, figure_name)),
        references(),
    ]
    return Document(paper(title(m), sections), figure, figure_name)
