"""What code of its own decides, by the id of the claim: networks of finite width, figures, tables of experiments."""

from collections.abc import Callable

from asympt.claims.deciders import experiments, hdr_depth, tbg
from asympt.claims.finite_width import updates
from asympt.claims.stated import compositions
from asympt.evidence.check import Verification

DECISIONS: dict[str, Callable[[], Verification]] = {
    "HDR.T1.sup": hdr_depth.uniform,
    "HDR.F1a": hdr_depth.figure_edge,
    "HDR.F1b": hdr_depth.figure_ordered,
    "HDR.F1c": hdr_depth.figure_residual,
    "PDLT.10.11": updates.mean_update,
    "PDLT.10.12": updates.variance_of_updates,
    "PDLT.10.13": updates.covariance_of_updates,
    "JGH.T4": updates.kernel_stays,
    "JGH.T4.rate": updates.kernel_stays,
    "TBG.fig1": tbg.finite_against_infinite,
    "TBG.fig2": tbg.fits,
    "TBG.fig3": experiments.outside_the_kernel_regime,
    "HDR.Tab1": experiments.table_one,
    "HDR.Tab2": experiments.table_two,
    "JGH.fig": experiments.animation,
    "XPS.fig-accuracy": experiments.accuracy,
    "SUN.variance": compositions.trained_variance,
    "HAYOU21.stable": compositions.stable,
}
