"""Printed formulas of Hayou, Doucet and Rousseau (2020) as objects, by subject, and the claims that have none."""

from collections.abc import Callable

from asympt.claims.stated.hdr.laws import LAWS
from asympt.claims.stated.hdr.maps import MAPS, Stated
from asympt.claims.stated.hdr.networks import NETWORKS
from asympt.claims.stated.hdr.steps import STEPS
from asympt.claims.stated.hdr.training import TRAINING

HDR: dict[str, Callable[[], Stated]] = {**MAPS, **LAWS, **NETWORKS, **TRAINING, **STEPS}

WITHOUT_FORMULA = {
    "HDR.F1a": "a figure: slopes of curves, whose inputs and tolerance are not printed, are measured",
    "HDR.F1c": "a figure: slopes of curves, whose inputs are not printed, are measured",
    "HDR.F1b": "a figure: 'exponential' is read off curves without inputs or rates, on networks that are iterated",
    "HDR.S3.const": "a sentence on what a formula does not depend on; no formula is printed for it",
    "HDR.Tab1": "a table of accuracies: training on data",
    "HDR.Tab2": "a table of accuracies: training on data",
}
