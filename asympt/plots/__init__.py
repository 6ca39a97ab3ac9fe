"""Figures of depth laws: data in `data`, drawing in `drawing`, looks and files in `style`."""

from asympt.plots.drawing import compare_figure, correlation_figure, law_figure, ntk_figure, scaled_data, scaled_figure
from asympt.plots.learning import (
    around_the_edge,
    condition_data,
    condition_figure,
    interpolant_data,
    interpolant_figure,
)
from asympt.plots.phase import phase_data, phase_figure
from asympt.plots.recursion import recursion_data, recursion_figure
from asympt.plots.style import COLOURS, STYLE, captioned, save
from asympt.plots.width import fluctuation_figure, width_figure
from asympt.spelling import publish

__all__ = [
    "COLOURS", "STYLE", "around_the_edge", "captioned", "compare_figure", "condition_data", "condition_figure",
    "correlation_figure", "fluctuation_figure", "interpolant_data", "interpolant_figure", "law_figure",
    "ntk_figure", "phase_data", "phase_figure", "recursion_data", "recursion_figure", "save", "scaled_data",
    "scaled_figure", "width_figure",
]  # fmt: skip

publish(globals())
