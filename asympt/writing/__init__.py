"""LaTeX documents: a law with its derivation, its evidence and its verdicts."""

from asympt.writing.document import Document, document, write

__all__ = ["Document", "document", "write"]
