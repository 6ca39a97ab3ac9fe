"""Printed formulas typeset: no letter of LaTeX runs into the next one, as in a delta before a K without a space."""

import re

import pytest

from asympt.claims.catalogue import FORMULAS

GREEK = "alpha beta gamma delta Delta epsilon eta theta Theta kappa lambda mu nu xi rho sigma Sigma phi chi omega le ge"
NAMES = [name for name in FORMULAS if name.split(".")[0] in ("PDLT", "TBG", "XPS", "JGH")]
LONGER = ("left", "leq", "geq", "ldots", "leftarrow", "Leftrightarrow", "ell", "text")


@pytest.mark.parametrize("name", NAMES)
def test_every_greek_letter_ends_before_the_next_letter(name):
    words = {word for formula in FORMULAS[name]() for word in re.findall(r"\\([A-Za-z]+)", formula.latex)} - set(LONGER)
    assert [word for word in words for letter in GREEK.split() if word.startswith(letter) and word != letter] == []
