"""Printed formulas of the slides (TBG, XPS, JGH) as objects, by the id of their claim."""

from asympt.claims.stated.slides.jgh import JGH
from asympt.claims.stated.slides.recursions import RECURSIONS
from asympt.claims.stated.slides.steps import STEPS
from asympt.claims.stated.slides.tbg import TBG
from asympt.claims.stated.slides.xps import XPS

SLIDES = {**RECURSIONS, **TBG, **XPS, **JGH, **STEPS}
