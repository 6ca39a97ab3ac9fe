"""The document about a law on the Edge of Chaos, for any activation: its sections in their order."""

from asympt.writing import edge_evidence as numbers
from asympt.writing.edge_material import EdgeMaterial
from asympt.writing.edge_statement import statement, title
from asympt.writing.edge_steps import derivation, published
from asympt.writing.paper import Document, PartCounter, Progress, paper
from asympt.writing.references import references
from asympt.writing.verdicts import claim_table, collect, parts

DEPTH = 2 * 10**4  # of the float64 comparisons
VERIFIED = 10  # digits to which the constants must stand still along an orbit: every layer is a Gaussian integral
CITED = ("HDR", "JGH", "deBruijn", "Milnor")


def edge_document(net, law: str = "ntk", terms: int = 4, digits: int = 30, figure_name: str = "figure.pdf",
                  progress: Progress | None = None) -> Document:  # fmt: skip
    """The derivation of a depth law of a network on the Edge of Chaos; arguments as in `document`."""
    m = EdgeMaterial(net, law, terms, digits)
    report = PartCounter(progress, total=3 + parts(m))
    report("derive the law")
    _ = m.law, m.correlation
    verdicts = collect(m, report, min(m.digits, VERIFIED), DEPTH)
    report("compute the constants and draw the figure")
    figure = numbers.plotted(m)
    report("write")
    sections = [
        statement(m, verdicts),
        derivation(m),
        published(m) + claim_table(verdicts),
        numbers.evidence(m, verdicts, figure_name),
        references(CITED),
    ]
    return Document(paper(title(m), sections), figure, figure_name)

