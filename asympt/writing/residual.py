"""The document about a law of a residual network: its sections in their order."""

from asympt.writing.assembly import Sections, assembled
from asympt.writing.paper import Document, Progress
from asympt.writing.residual_claim import claim, generality
from asympt.writing.residual_material import ResidualMaterial
from asympt.writing.residual_statement import statement, title
from asympt.writing.residual_steps import derivation


def residual_document(net, law: str = "ntk", terms: int = 4, digits: int = 30, figure_name: str = "figure.pdf",
                      progress: Progress | None = None) -> Document:  # fmt: skip
    """The derivation of a law of a `ResNet` with a ReLU-like activation and no bias; arguments as in `document`."""
    own = Sections(title, statement, derivation, claim, generality)
    return assembled(ResidualMaterial(net, law, terms, digits), own, figure_name, progress)
