"""The document's figure: drawn by `asympt.plots`, for numeric slopes."""

from asympt.writing.material import START, Material
from asympt.writing.template import fill

_FIGURE = r"""
\begin{figure}[!ht]
\centering
\includegraphics[width=@width]{@name}
\caption{@caption}
\label{fig:law}
\end{figure}
"""


def draw(m: Material):
    """A Matplotlib figure of the law, or None when the slopes are symbols."""
    if m.symbolic:
        return None
    from asympt import plots

    if m.is_ntk:
        return plots.ntk_figure(m.net, terms=m.terms)
    return plots.correlation_figure(m.net, correlation=START, terms=m.terms)


def caption(m: Material) -> str:
    """What the figure shows."""
    if m.is_ntk:
        return (
            rf"$L$ times the distance of ${m.average}$ from its limit, for three starts~$c^1$: a rate $1/L$ would be "
            r"a horizontal line. Filled marks: the layer recursion in double precision; open marks: certified "
            r"evaluation; lines: the law~(\ref{eq:ntk})."
        )
    return (
        r"$l^2(1-c^l)$ and the partial sums of the law~(\ref{eq:correlation}) (above), and the relative error of these "
        r"sums (below)."
    )


def inclusion(m: Material, name: str) -> str:
    """The figure environment, nothing where there is no figure."""
    return "" if m.symbolic else environment(name, caption(m))


def environment(name: str, said: str, width: str = r"0.82\textwidth") -> str:
    """The figure environment of the document's law."""
    return fill(_FIGURE, name=name, caption=said, width=width)
