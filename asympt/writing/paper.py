"""What all documents share: preamble, references, the object that holds tex and figure, and writing it to a file."""

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from asympt import paths
from asympt.plots.files import save_in
from asympt.writing.compile import compile_pdf, require_tex
from asympt.writing.escape import fill
from asympt.writing.origin import stamped

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
\renewcommand{\labelitemi}{$\bullet$}
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
        save_in(self.figure, buffer, format="pdf")
        return buffer.getvalue()

    def attachments(self) -> dict[str, bytes]:
        """The files that must stand beside the tex."""
        return {} if self.figure is None else {self.figure_name: self.figure_bytes()}


def paper(title: str, sections: Sequence[str]) -> str:
    """The tex of a document from its title and its sections."""
    head = fill(_PREAMBLE, title=title)
    return head + "\n\\begin{document}\n\\maketitle\n\n" + "\n".join(sections) + "\n\\end{document}\n"


def write_paper(path, make: Callable[..., Document], command: str) -> Path:
    """Write NAME.tex with NAME-figure.pdf beside it, or NAME.pdf alone; `make(figure_name=...)` gives the document.

    `command` is what makes it again.

    Raises `InputError` for a path that cannot be written, `UnsupportedError` when a PDF is asked for and there is no
    TeX; both before anything is computed.
    """
    path = check_path(path)
    if path.suffix.lower() == ".pdf":
        made = make(figure_name="figure.pdf")
        compile_pdf(stamped(made.tex, command), made.attachments(), path)
        return path
    made = make(figure_name=re.sub(r"[^\w.-]", "-", path.stem) + "-figure.pdf")
    path.write_text(stamped(made.tex, command), encoding="utf-8")
    for attached, content in made.attachments().items():
        (path.parent / attached).write_bytes(content)
    return path


def check_path(path) -> Path:
    """An error, before any work is done, when a document cannot be written there."""
    path = paths.check_path(path, (".tex", ".pdf"))
    if path.suffix.lower() == ".pdf":
        require_tex()
    return path


class PartCounter:
    """Counts the parts for a progress callback."""

    def __init__(self, progress: Progress | None, total: int):
        self.progress, self.total, self.done = progress, total, 0

    def __call__(self, name: str) -> None:
        if self.progress is not None:
            self.progress(name, min(self.done, self.total), self.total)
        self.done += 1


# ---- the papers and books that the derivations rest on ---------------------------------------------------

_ENTRIES = (
    (
        "HDR",
        "S. Hayou, A. Doucet, J. Rousseau. Mean-field behaviour of neural tangent kernel for deep neural networks. "
        r"\emph{arXiv:1905.13654}, 2020.",
    ),
    (
        "JGH",
        "A. Jacot, F. Gabriel, C. Hongler. Neural tangent kernel: convergence and generalization in neural networks. "
        r"\emph{Advances in Neural Information Processing Systems} 31, 2018.",
    ),
    (
        "PDLT",
        r"D. A. Roberts, S. Yaida, B. Hanin. \emph{The Principles of Deep Learning Theory}. Cambridge University "
        "Press, 2022.",
    ),
    (
        "ChoSaul",
        "Y. Cho, L. K. Saul. Kernel methods for deep learning. "
        r"\emph{Advances in Neural Information Processing Systems} 22, 2009.",
    ),
    ("deBruijn", r"N. G. de Bruijn. \emph{Asymptotic Methods in Analysis}. North-Holland, 1958."),
    (
        "Milnor",
        r"J. Milnor. \emph{Dynamics in One Complex Variable}, third edition. Annals of Mathematics Studies 160, "
        r"Princeton University Press, 2006; Sections~10 and~12, after \'Ecalle.",
    ),
    (
        "Koenigs",
        r"G. Koenigs. Recherches sur les int\'egrales de certaines \'equations fonctionnelles. "
        r"\emph{Annales scientifiques de l'\'Ecole Normale Sup\'erieure} (3) 1, 1884, suppl\'ement, 3--41.",
    ),
    (
        "MilnorKoenigs",
        r"J. Milnor. \emph{Dynamics in One Complex Variable}, third edition. Annals of Mathematics Studies 160, "
        r"Princeton University Press, 2006; Section~8.",
    ),
)
NETWORK = ("HDR", "JGH", "ChoSaul", "deBruijn", "Milnor")


def references(cited: Sequence[str] = NETWORK) -> str:
    """The bibliography of the works cited."""
    if not cited:
        return ""
    entries = "\n".join(rf"\bibitem{{{key}}} {text}" for key, text in _ENTRIES if key in cited)
    return f"\\begin{{thebibliography}}{{9}}\n\\small\n{entries}\n\\end{{thebibliography}}\n"
