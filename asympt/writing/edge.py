"""The document about a law on the Edge of Chaos, for any activation: its sections in their order."""

from collections.abc import Callable

from asympt.evidence.verify import verify
from asympt.writing import edge_evidence as numbers
from asympt.writing.edge_material import EdgeMaterial
from asympt.writing.edge_statement import statement, title
from asympt.writing.edge_steps import derivation
from asympt.writing.paper import Document, Progress, Reporter, paper
from asympt.writing.references import references
from asympt.writing.verdicts import Verdicts

DEPTH = 10**4  # of the float64 comparison
VERIFIED = 12  # digits to which the constants must stand still along an orbit: every layer is a Gaussian integral
CITED = ("HDR", "JGH", "deBruijn", "Milnor")


def edge_document(net, law: str = "ntk", terms: int = 4, digits: int = 30, figure_name: str = "figure.pdf",
                  progress: Progress | None = None) -> Document:  # fmt: skip
    """The derivation of a depth law of a network on the Edge of Chaos; arguments as in `document`."""
    m = EdgeMaterial(net, law, terms, digits)
    report = Reporter(progress, total=5 if m.is_ntk else 4)
    report("derive the law")
    _ = m.law, m.correlation
    verdicts = collect(m, report)
    report("compute the constants and draw the figure")
    figure = numbers.plotted(m)
    report("write")
    sections = [statement(m, verdicts), derivation(m), numbers.evidence(m, verdicts, figure_name), references(CITED)]
    return Document(paper(title(m), sections), figure, figure_name)


def collect(m: EdgeMaterial, report: Callable[[str], None]) -> Verdicts:
    """Verify the document's laws."""
    found = {}
    for law in [m.correlation, m.law] if m.is_ntk else [m.law]:
        report(f"verify the {law.name} law")
        found[law.name] = verify(law, digits=min(m.digits, VERIFIED), depth=DEPTH)
    return Verdicts(found, {})
