"""The look of the figures: colours that colour-blind readers can tell apart, fonts that sit well in a paper."""

from functools import wraps
from inspect import signature
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import get_args

from asympt import saving
from asympt.arrays import real
from asympt.errors import InputError

# Okabe and Ito (2008): distinct for every common kind of colour blindness, and in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ((0, (1, 1.2)), (0, (4, 1.5)), (0, (4, 1.2, 1, 1.2)), "solid", (0, (6, 2)), (0, (2, 2)))
GREY = "#666666"
MATH = "stix"
LETTERS_AN_INCH = 20  # of a caption

STYLE = {
    "font.family": "STIXGeneral", "font.size": 9, "axes.labelsize": 9.5, "axes.linewidth": 0.6,
    "axes.spines.top": False, "axes.spines.right": False, "legend.fontsize": 8.5, "legend.frameon": False,
    "xtick.labelsize": 8.5, "ytick.labelsize": 8.5, "xtick.major.width": 0.6, "ytick.major.width": 0.6,
    "lines.linewidth": 1.1, "lines.markersize": 3.6, "mathtext.fontset": MATH, "pdf.fonttype": 42,
    "svg.fonttype": "path", "svg.hashsalt": "asympt",
}  # fmt: skip


LIMIT = {"color": GREY, "linestyle": (0, (4, 2.5)), "linewidth": 0.9}  # a line for what is approached


def colour(index: int) -> str:
    return COLOURS[index % len(COLOURS)]


def marker(index: int) -> str:
    return MARKERS[index % len(MARKERS)]


def check_width(width: float) -> None:
    if not 2 <= real(width, "width") <= 20:
        raise InputError(f"width = {width} inches is not a width for a figure; take one from 2 to 20, a column is 3.4")


def check_figure(figure) -> None:
    if not hasattr(figure, "savefig"):
        raise InputError(f"figure = {figure!r} is not a figure; give one of Matplotlib's")


def canvas(width: float, height: float, rows: int = 1, columns: int = 1, **shared):
    """An empty figure of its own, outside pyplot, so that drawing one changes nothing global, and its panels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    check_width(width)
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False, **shared).ravel()


def entry(label: str, **look):
    from matplotlib.lines import Line2D

    return Line2D([], [], label=label, **look)


def in_one_font(figure):
    """One font for all formulas, whatever the reader's settings."""
    from matplotlib.text import Text

    figure.draw_without_rendering()
    for text in figure.findobj(Text):
        text.set_fontfamily(STYLE["font.family"])
        text.set_math_fontfamily(MATH)
    return figure


def captioned(figure, text: str):
    """The figure with a caption above it, wrapped to its width."""
    check_figure(figure)
    letters = int(figure.get_figwidth() * LETTERS_AN_INCH)
    figure.suptitle(fill(text, letters), x=0.01, ha="left", fontsize=7.5, color=GREY)
    return in_one_font(figure)


def styled(draw):
    """Run a drawing function with STYLE in force, and only there; `width` and asympt's objects are checked first."""

    @wraps(draw)
    def inside(*args, **kwargs):
        from matplotlib import rc_context

        bound = signature(draw).bind(*args, **kwargs)
        if "width" in bound.arguments:
            check_width(bound.arguments["width"])
        for name, value in bound.arguments.items():
            kind = bound.signature.parameters[name].annotation
            own = [one for one in get_args(kind) or (kind,) if one.__module__.startswith("asympt.")]
            if own and not isinstance(value, kind):
                raise InputError(f"{name} = {value!r} is not a {own[0].__name__}; give one")
        with rc_context(STYLE):
            return draw(*args, **kwargs)

    return inside


_METADATA = {
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".svg": {"Date": None, "Creator": None},
}


def check_path(path) -> Path:
    """The path, if a figure can be written there: a known ending, an existing folder, and permission."""
    return saving.check_path(path, tuple(_METADATA))


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
    check_figure(figure)
    buffer, ending = BytesIO(), path.suffix.lower()
    figure.savefig(buffer, format=ending[1:], dpi=dpi, metadata=_METADATA[ending])
    saving.write({path: buffer.getvalue()})
    return path
