"""The document: preamble, sections in their order, the figure; and writing it to a file."""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from asympt.errors import InputError
from asympt.writing import figure as figures
from asympt.writing.claim import claim
from asympt.writing.compile import compile_pdf, require_tex
from asympt.writing.evidence import evidence
from asympt.writing.generality import generality
from asympt.writing.material import Material
from asympt.writing.names import title
from asympt.writing.references import references
from asympt.writing.statement import statement
from asympt.writing.steps import derivation
from asympt.writing.template import fill
from asympt.writing.verdicts import Verdicts, claim_table, collect, parts

Progress = Callable[[str, int, int], None]

_PREAMBLE = r"""
\documentclass[11pt]{article}
\usepackage[a4paper,textwidth=6.2in,textheight=9.3in]{geometry}
\usepackage{amsmath,amsthm,amssymb}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{microtype}
\usepackage[hidelinks]{hyperref}
\newtheorem{theorem}{Theorem}
\allowdisplaybreaks
\title{@title}
\author{derived, verified and written by \textsf{asympt}}
\date{}
"""


@dataclass(frozen=True)
class Document:
    """A LaTeX document and its figure: a Matplotlib figure, or None when there are no numbers to draw."""

    tex: str
    figure: object
    figure_name: str = "figure.pdf"

    def figure_bytes(self) -> bytes:
        """The figure as a PDF, the same bytes every time."""
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None})
        return buffer.getvalue()

    def attachments(self) -> dict[str, bytes]:
        """The files that must stand beside the tex."""
        return {} if self.figure is None else {self.figure_name: self.figure_bytes()}


def document(net, law: str = "ntk", terms: int = 4, digits: int = 30, figure_name: str = "figure.pdf",
             progress: Progress | None = None) -> Document:  # fmt: skip
    """The derivation of a depth law of a ReLU-like network, with evidence and verdicts.

    `net`: a `FeedForward` network; `law`: 'ntk' or 'correlation'; `terms` of the law, `digits` of its constants;
    `figure_name`: the file that the tex includes.  Raises `InputError` for bad input.
    """
    m = Material(net, law, terms, digits)
    report = _Reporter(progress, total=3 + parts(m))
    report("derive the law")
    _ = m.law, m.correlation
    verdicts = collect(m, report)
    report("draw the figure")
    figure = figures.draw(m)
    report("write")
    return Document(_tex(m, verdicts, figure_name), figure, figure_name)


def _tex(m: Material, verdicts: Verdicts, figure_name: str) -> str:
    body = [
        statement(m, verdicts),
        derivation(m),
        claim(m) + claim_table(verdicts),
        generality(m),
        evidence(m, verdicts, figures.inclusion(m, figure_name)),
        references(),
    ]
    head = fill(_PREAMBLE, title=title(m))
    return head + "\n\\begin{document}\n\\maketitle\n\n" + "\n".join(body) + "\n\\end{document}\n"


def write(net, law: str = "ntk", terms: int = 4, path="law.tex", digits: int = 30,
          progress: Progress | None = None) -> Path:  # fmt: skip
    """Write the document to `path`: NAME.tex with NAME-figure.pdf beside it, or NAME.pdf alone.

    `progress(name, done, total)` is called before every part.  Raises `InputError` for a path that cannot be written,
    `UnsupportedError` when a PDF is asked for and there is no TeX.
    """
    path = _checked(path)
    if path.suffix.lower() == ".pdf":
        require_tex()
        made = document(net, law, terms, digits, progress=progress)
        compile_pdf(made.tex, made.attachments(), path)
        return path
    name = re.sub(r"[^\w.-]", "-", path.stem) + "-figure.pdf"
    made = document(net, law, terms, digits, figure_name=name, progress=progress)
    path.write_text(made.tex, encoding="utf-8")
    for attached, content in made.attachments().items():
        (path.parent / attached).write_bytes(content)
    return path


def _checked(path) -> Path:
    path = Path(path)
    if path.suffix.lower() not in (".tex", ".pdf"):
        raise InputError(f"{str(path)!r} does not end in .tex or .pdf; choose one of them")
    if not path.parent.is_dir():
        raise InputError(f"the folder of {str(path)!r} does not exist; create it or choose another path")
    return path


class _Reporter:
    """Counts the parts for a progress callback."""

    def __init__(self, progress: Progress | None, total: int):
        self.progress, self.total, self.done = progress, total, 0

    def __call__(self, name: str) -> None:
        if self.progress is not None:
            self.progress(name, min(self.done, self.total), self.total)
        self.done += 1
