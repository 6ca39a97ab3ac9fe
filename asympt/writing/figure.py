"""The figure environment of a document."""

from asympt.writing.template import fill

_FIGURE = r"""
\begin{figure}[!ht]
\centering
\includegraphics[width=@width]{@name}
\caption{@caption}
\label{fig:law}
\end{figure}
"""


def environment(name: str, said: str, width: str = r"0.82\textwidth") -> str:
    """The figure environment of the document's law."""
    return fill(_FIGURE, name=name, caption=said, width=width)
