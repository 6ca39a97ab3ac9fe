"""What the log of a LaTeX run says about the page."""

import re
from pathlib import Path

from asympt.writing.paper import compile_pdf


def overfull_boxes(log: str) -> list[float]:
    r"""By how many points each overfull \hbox is too wide.

    >>> overfull_boxes("Overfull \\hbox (12.5pt too wide) in paragraph")
    [12.5]
    """
    return [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log)]


def undefined_references(log: str) -> list[str]:
    """The warnings about references and citations that lead nowhere."""
    return re.findall(r"LaTeX Warning: (?:Reference|Citation) .* undefined.*", log)


def assert_sound(made, target: Path, most: float = 0) -> None:
    """The document compiles, no box is wider than its place by more than so many points, every reference is known."""
    log = compile_pdf(made.tex, made.attachments(), target)
    assert [box for box in overfull_boxes(log) if box > most] == []
    assert undefined_references(log) == []
    assert target.read_bytes().startswith(b"%PDF")
