r"""What all documents share: preamble, references, the object that holds tex and figure, writing it, typesetting it.

A document is made without a date, so that it is the same text every time; `stamped` adds date and command to a file.
"""

import io
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from asympt import saving
from asympt.errors import AsymptError, UnsupportedError
from asympt.expansions.printing import plain_quantity
from asympt.plots.style import save_in
from asympt.version import __version__
from asympt.writing.escape import escape, fill

_ENVIRONMENT = {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1", "max_print_line": "1000"}
_OPTIONS = ["-interaction=nonstopmode", "-halt-on-error", "-file-line-error"]


def require_tex() -> None:
    """An error with the remedy unless pdflatex is installed."""
    if shutil.which("pdflatex") is None:
        raise UnsupportedError(
            "no TeX installation was found (pdflatex is not on the PATH); install texlive-latex-recommended and "
            "latexmk (as Debian calls them), or write a .tex file instead"
        )


def compile_pdf(tex: str, attachments: dict[str, bytes], target: Path) -> str:
    """Typeset `tex`, with the attached files beside it, copy the PDF to `target` and return TeX's log.

    Raises `UnsupportedError` without TeX, `AsymptError` with the first error of the log when TeX fails.
    """
    require_tex()
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        (base / "document.tex").write_text(tex, encoding="utf-8")
        for name, content in attachments.items():
            (base / name).write_bytes(content)
        succeeded = all(_run(command, base) for command in _commands())
        log = _read(base / "document.log")
        if not succeeded or not (base / "document.pdf").is_file():
            raise AsymptError(f"TeX could not typeset the document: {first_error(log)}")
        saving.write({target: (base / "document.pdf").read_bytes()})
    return log


def _commands() -> list[list[str]]:
    """latexmk when there is one, otherwise pdflatex until the references stand."""
    if shutil.which("latexmk"):
        return [["latexmk", "-norc", "-pdf", *_OPTIONS, "document.tex"]]
    return [["pdflatex", *_OPTIONS, "document.tex"]] * 3


def _run(command: list[str], folder: Path) -> bool:
    environment = {**os.environ, **_ENVIRONMENT}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL)
    return done.returncode == 0


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def first_error(log: str) -> str:
    for line in log.splitlines():
        if re.match(r"(\S+:\d+: |! )", line):
            return line.strip()
    return "the log names no error"


Progress = Callable[[str, int, int], None]

_PREAMBLE = r"""
\documentclass[11pt]{article}
\usepackage[a4paper,textwidth=6.2in,textheight=9.3in]{geometry}
\usepackage{amsmath,amsthm,amssymb}
\usepackage{booktabs}
\usepackage{float}
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

AUTHOR = f"asympt {__version__}"
_NO_DATE, _END = "\\date{}", "\\end{document}"
_SETUP = r"""\hypersetup{pdftitle={%s},pdfauthor={%s},pdfsubject={%s},pdfcreator={%s},
  pdfcreationdate={D:%s000000Z},pdfmoddate={D:%s000000Z}}
"""
_COLOPHON = r"""
\begin{center}
\begin{minipage}{0.9\textwidth}\footnotesize\raggedright
Written by \textsf{asympt} %s on %s with \texttt{%s}
\end{minipage}
\end{center}
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
        return {} if self.figure is None else {self.figure_name: self.figure_bytes()}


def paper(title: str, sections: Sequence[str]) -> str:
    """The tex of a document from its title and its sections."""
    head = fill(_PREAMBLE, title=title)
    return head + "\n\\begin{document}\n\\maketitle\n\n" + "\n".join(sections) + "\n\\end{document}\n"


def write_paper(path, make: Callable[..., Document], command: str) -> Path:
    """Write NAME.tex with NAME-figure.pdf beside it, or NAME.pdf alone; `make(figure_name=...)` gives the document.

    `command` is what makes it again.

    Raises `InputError` for a path that cannot be written, `UnsupportedError` for a PDF without
    TeX; both before anything is computed.
    """
    path = check_path(path)
    if path.suffix.lower() == ".pdf":
        made = make(figure_name="figure.pdf")
        compile_pdf(stamped(made.tex, command), made.attachments(), path)
        return path
    made = make(figure_name=re.sub(r"[^\w.-]", "-", path.stem) + "-figure.pdf")
    beside = {path.parent / attached: content for attached, content in made.attachments().items()}
    saving.write(beside | {path: stamped(made.tex, command).encode()})
    return path


def check_path(path, endings: tuple[str, ...] = (".tex", ".pdf")) -> Path:
    """An error, before any work is done, when a document cannot be written there."""
    path = saving.check_path(path, endings)
    if path.suffix.lower() == ".pdf":
        require_tex()
    return path


class PartCounter:
    def __init__(self, progress: Progress | None, total: int):
        self.progress, self.total, self.done = progress, total, 0

    def __call__(self, name: str) -> None:
        if self.progress is not None:
            self.progress(name, min(self.done, self.total), self.total)
        self.done += 1


def today() -> date:
    """The date of documents: SOURCE_DATE_EPOCH's, or today's."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC).date() if epoch.isdigit() else date.today()


def stamped(tex: str, command: str, when: date | None = None) -> str:
    """The tex of a document with its date, its properties and the command that makes it."""
    when = when or today()
    shown = f"{when.day} {when:%B %Y}"
    found = re.search(r"\\title\{(.*)\}\n", tex)
    title = "" if found is None else plain_title(found[1])
    title = title.replace("_", r"\_").replace("^", r"\textasciicircum{}")
    setup = _SETUP % (title, AUTHOR, _property(command), AUTHOR, *[f"{when:%Y%m%d}"] * 2)
    tex = tex.replace(_NO_DATE, f"\\date{{{shown}}}\n{setup}".rstrip("\n"), 1)
    head, end, tail = tex.rpartition(_END)
    return head + _COLOPHON % (escape(__version__), shown, _breaking(command)) + end + tail


def date_of(tex: str) -> date | None:
    """The date that a document was stamped with."""
    found = re.search(r"\\date\{(\d+ \w+ \d{4})\}", tex)
    return None if found is None else datetime.strptime(found[1], "%d %B %Y").date()


def plain_title(title: str) -> str:
    r"""A title with formulas as text, for a PDF's properties.

    >>> plain_title(r"The law of $x_{n+1}=\sin x_{n}$"), plain_title(r"The NTK of \emph{relu} networks")
    ('The law of x_(n+1)=sin x_n', 'The NTK of relu networks')
    """
    title = re.sub(r"\\texorpdfstring\{.*\}\{([^{}]*)\}", r"\1", title)
    title = re.sub(r"\\(?:emph|text\w*)\{([^{}]*)\}", r"\1", title).replace("$", "")
    title = re.sub(r"([_^])\{([^{}]{2,})\}", r"\1(\2)", title)
    return re.sub(r"[\\{}#%&~]", "", plain_quantity(title))


def _property(text: str) -> str:
    """A text that hyperref takes as it is, without the ligature that makes one dash of two."""
    return re.sub(r"[\\{}#%&~]", "", text).replace("--", "-{}-")


def _breaking(command: str) -> str:
    """A command that may be broken at its spaces, behind commas and at brackets."""
    return re.sub(r"(?<=[,(/])", r"\\allowbreak{}", escape(command))


_ENTRIES = (
    ("HDR", "S. Hayou, A. Doucet, J. Rousseau. Mean-field behaviour of neural tangent kernel for deep neural networks. "
     r"\emph{arXiv:1905.13654}, 2020."),
    ("JGH", "A. Jacot, F. Gabriel, C. Hongler. Neural tangent kernel: convergence and generalization in neural "
     r"networks. \emph{Advances in Neural Information Processing Systems} 31, 2018."),
    ("PDLT", r"D. A. Roberts, S. Yaida, B. Hanin. \emph{The Principles of Deep Learning Theory}. Cambridge University "
     "Press, 2022."),
    ("ChoSaul", r"Y. Cho, L. K. Saul. Kernel methods for deep learning. \emph{Advances in Neural Information "
     "Processing Systems} 22, 2009."),
    ("deBruijn", r"N. G. de Bruijn. \emph{Asymptotic Methods in Analysis}. North-Holland, 1958."),
    ("Milnor", r"J. Milnor. \emph{Dynamics in One Complex Variable}, third edition. Annals of Mathematics Studies 160, "
     r"Princeton University Press, 2006; Sections~10 and~12, after \'Ecalle."),
    ("Koenigs", r"G. Koenigs. Recherches sur les int\'egrales de certaines \'equations fonctionnelles. "
     r"\emph{Annales scientifiques de l'\'Ecole Normale Sup\'erieure} (3) 1, 1884, suppl\'ement, 3--41."),
    ("Price", r"R. Price. A useful theorem for nonlinear devices having Gaussian inputs. \emph{IRE Transactions on "
     "Information Theory} 4, 1958, 69--72."),
    ("Arb", r"F. Johansson. Arb: efficient arbitrary-precision midpoint-radius interval arithmetic. \emph{IEEE "
     "Transactions on Computers} 66, 2017, 1281--1292."),
    ("MilnorKoenigs", r"J. Milnor. \emph{Dynamics in One Complex Variable}, third edition. Annals of Mathematics "
     r"Studies 160, Princeton University Press, 2006; Section~8."),
)  # fmt: skip

def references(sections: Sequence[str]) -> str:
    """The bibliography of the works that the sections cite."""
    named = re.findall(r"\\cite(?:\[[^]]*\])?\{([^}]*)\}", "\n".join(sections))
    cited = {key for keys in named for key in keys.split(",")}
    if not cited:
        return ""
    entries = "\n".join(rf"\bibitem{{{key}}} {text}" for key, text in _ENTRIES if key in cited)
    return f"\\begin{{thebibliography}}{{9}}\n\\small\n{entries}\n\\end{{thebibliography}}\n"
