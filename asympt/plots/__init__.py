"""Figures of depth laws: data in `data`, drawing in `drawing`, files in `files`."""

from asympt.plots.compare import compare_figure
from asympt.plots.condition import around_the_edge, condition_data, condition_figure
from asympt.plots.drawing import correlation_figure, ntk_figure
from asympt.plots.files import save
from asympt.plots.interpolants import interpolant_data, interpolant_figure
from asympt.plots.phase import phase_data
from asympt.plots.phase_drawing import phase_figure
from asympt.plots.recursion import recursion_data, recursion_figure
from asympt.plots.scaled import scaled_data, scaled_figure
from asympt.plots.style import COLOURS, STYLE, captioned

__all__ = [
    "COLOURS",
    "STYLE",
    "around_the_edge",
    "captioned",
    "compare_figure",
    "condition_data",
    "condition_figure",
    "correlation_figure",
    "interpolant_data",
    "interpolant_figure",
    "ntk_figure",
    "phase_data",
    "phase_figure",
    "recursion_data",
    "recursion_figure",
    "save",
    "scaled_data",
    "scaled_figure",
]


def __dir__() -> list[str]:
    return sorted(__all__)
