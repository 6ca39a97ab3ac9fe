"""The forms of decisions: what is shown, what passes, and as what it counts."""

import math

import mpmath
import numpy as np
import pytest
from sympy import Float, Matrix, Rational, Symbol, cos, pi, sin, sqrt

from asympt.claims import forms

X = Symbol("x", positive=True)


def test_identities_prove_or_show_what_is_left():
    zero = sin(X) ** 2 + cos(X) ** 2 - 1
    assert forms.identity("trigonometry", [zero, Matrix([[zero, 0]])]).verdict == "proved"
    left = forms.identity("off by x", [zero, zero + X])
    assert (left.verdict, left.figure) == ("refuted", "x")


@pytest.mark.parametrize(
    ("value", "bound", "verdict"),
    [
        (sqrt(2) - Rational(7, 5), "> 0", "proved"), (X + 1, ">= 1", "proved"), (-X, "> 0", "refuted"),
        (X - 1, "> 0", "refuted"), (Rational(0), "!= 0", "refuted"), (Float("0.1"), "> 0", "checked"),
        (0.4999999, ">= 0.5", "refuted"), (mpmath.mpf(3), "> 2", "checked"), (math.nan, "> 0", "refuted"),
        (np.float64(2), "<= 2", "checked"), (7, "< 7", "refuted"),
    ],
)  # fmt: skip
def test_an_exact_inequality_proves_and_one_of_numbers_checks(value, bound, verdict):
    assert forms.inequality("named", value, bound).verdict == verdict


def test_a_figure_is_compared_as_it_is_shown():
    assert forms.at_most("rounded", 0.10004, 0.1).verdict == "checked"
    assert forms.at_most("rounded", 0.10004, 0.1, digits=4).passed is True
    assert forms.at_most("rounded", 0.10004, 0.1, digits=5).verdict == "refuted"
    assert forms.at_most("nothing", math.nan, 1).verdict == "refuted"


def test_agreement_is_relative_unless_zero_is_expected():
    assert forms.agreement("pi", 3.14159, pi.evalf(), 1e-6).verdict == "checked"
    assert forms.agreement("pi", 3.1415, pi.evalf(), 1e-6).verdict == "refuted"
    assert forms.agreement("zero", 1e-7, 0, 1e-6, "an orbit").detail == "1.0e-7 against 0.0; an orbit"


def test_the_others():
    assert forms.undecided("depth", "needs more").verdict == "unknown"
