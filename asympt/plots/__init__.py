"""Figures of depth laws: data in `data`, drawing in `drawing`, files in `files`."""

from asympt.plots.compare import compare_figure
from asympt.plots.drawing import correlation_figure, ntk_figure
from asympt.plots.files import save
from asympt.plots.phase import phase_data
from asympt.plots.phase_drawing import phase_figure
from asympt.plots.recursion import recursion_data, recursion_figure

__all__ = [
    "compare_figure",
    "correlation_figure",
    "ntk_figure",
    "phase_data",
    "phase_figure",
    "recursion_data",
    "recursion_figure",
    "save",
]
