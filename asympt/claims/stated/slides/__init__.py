"""Printed formulas of the slides (TBG, XPS, JGH) as objects, by the id of their claim.

Rule.  As for `stated.ledger`.
"""

from asympt.claims.stated.slides.jgh import JGH
from asympt.claims.stated.slides.recursions import RECURSIONS
from asympt.claims.stated.slides.steps import STEPS
from asympt.claims.stated.slides.tbg import TBG
from asympt.claims.stated.slides.xps import XPS

SLIDES = {**RECURSIONS, **TBG, **XPS, **JGH, **STEPS}

WITHOUT_FORMULA = {
    "JGH.fig": "a figure: the NTK of two images drawn as an ellipse during training on data",
    "TBG.fig1": "a figure: two families of curves are said to agree, without a measure",
    "TBG.fig2": "a figure: 'smoother' is read off curves without data; mu is measured on points of a circle",
    "TBG.fig3": "a figure: training with adaptive optimizers, whose settings are not printed",
    "XPS.fig-accuracy": "a figure: accuracies of training on data",
}
