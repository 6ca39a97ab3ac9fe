"""What the log of a LaTeX run says about the page."""

import re


def overfull_boxes(log: str) -> list[float]:
    r"""By how many points each overfull \hbox is too wide.

    >>> overfull_boxes("Overfull \\hbox (12.5pt too wide) in paragraph")
    [12.5]
    """
    return [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log)]


def undefined_references(log: str) -> list[str]:
    """The warnings about references and citations that lead nowhere."""
    return re.findall(r"LaTeX Warning: (?:Reference|Citation) .* undefined.*", log)
