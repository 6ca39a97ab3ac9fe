r"""Where a document comes from: its date, the version and the command that makes it again, in the text and in the PDF.

Problem.  A derivation that is found on a disk after a year has to say what wrote it, and how to have it anew.

Rule.  A document is made without a date, so that it is the same text every time.  When it is written to a file,
`stamped` puts the date below the title, title, author, date, version and command into the PDF's properties, and the
command to the end.  SOURCE_DATE_EPOCH, if it is set, is the date.

Tiny case.  `asympt derive relu -o relu.pdf` ends with: Written by asympt 0.1.0 with `asympt derive relu -o relu.pdf`.
"""

import os
import re
from datetime import UTC, date, datetime

from asympt.expansions.printing import plain_quantity
from asympt.version import __version__
from asympt.writing.escape import escape

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
