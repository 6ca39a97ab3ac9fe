"""LaTeX documents: a law with its derivation, its evidence and its verdicts."""

from asympt.spelling import publish
from asympt.writing.document import document, recursion_document, write, write_recursion
from asympt.writing.paper import Document

__all__ = ["Document", "document", "recursion_document", "write", "write_recursion"]

publish(globals())
