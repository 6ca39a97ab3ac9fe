"""LaTeX documents: a law with its derivation, its evidence and its verdicts."""

from asympt.writing.document import document, write
from asympt.writing.paper import Document
from asympt.writing.recursion import recursion_document, write_recursion

__all__ = ["Document", "document", "recursion_document", "write", "write_recursion"]


def __dir__() -> list[str]:
    return sorted(__all__)
