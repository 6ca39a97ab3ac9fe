"""Figures as files: png, pdf and svg, the same bytes for the same figure.

Matplotlib writes the time and random identifiers into its files; here it does not, so that a figure in a repository
changes only when its content does.
"""

from pathlib import Path

from asympt import paths
from asympt.plots.style import styled

_METADATA = {
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".svg": {"Date": None, "Creator": None},
}


def check_path(path) -> Path:
    """The path, if a figure can be written there: a known ending, an existing folder, and permission."""
    return paths.check_path(path, tuple(_METADATA))


@styled
def save_in(figure, buffer, format: str) -> None:
    """Write a Matplotlib figure into a buffer, in the format "png", "pdf" or "svg": fonts of a PDF as TrueType."""
    figure.savefig(buffer, format=format, metadata=_METADATA[f".{format}"])


@styled
def save(figure, path, dpi: int = 200) -> Path:
    """Write a Matplotlib figure to `path`, whose ending says the format, and return the path.

    Raises `InputError` for an unknown ending or a missing folder, `OSError` when the file cannot be written.
    """
    path = check_path(path)
    figure.savefig(path, dpi=dpi, metadata=_METADATA[path.suffix.lower()])
    return path
