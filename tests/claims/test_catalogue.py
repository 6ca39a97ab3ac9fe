"""The catalogue: every id once, claims of several routes as one, what is unknown says why, formulas are typeset."""

import re
from collections import Counter

import pytest

from asympt import claims
from asympt.claims.catalogue import DECISIONS, FORMULAS
from asympt.errors import InputError


def test_every_id_is_there_once():
    counted = Counter(c.id for c in claims.all_claims())
    assert max(counted.values()) == 1 and len(counted) > 210


def test_what_decides_belongs_to_a_claim():
    """No decision and no formula is left beside the records, and nothing is recorded that nobody decides."""
    known = {c.id for c in claims.all_claims()}
    assert known == set(FORMULAS) | set(DECISIONS)


def test_an_unknown_id():
    with pytest.raises(InputError, match=r"no claim has the id 'HDR\.T9'"):
        claims.find("HDR.T9")


GREEK = "alpha beta gamma delta Delta epsilon eta theta Theta kappa lambda mu nu xi rho sigma Sigma phi chi omega le ge"
NAMES = [name for name in FORMULAS if name.split(".")[0] in ("PDLT", "TBG", "XPS", "JGH")]
LONGER = ("left", "leq", "geq", "ldots", "leftarrow", "Leftrightarrow", "ell", "text")


@pytest.mark.parametrize("name", NAMES)
def test_every_greek_letter_ends_before_the_next_letter(name):
    """No letter of LaTeX runs into the next one, as in a delta before a K without a space."""
    words = {word for formula in FORMULAS[name]() for word in re.findall(r"\\([A-Za-z]+)", formula.latex)} - set(LONGER)
    assert [word for word in words for letter in GREEK.split() if word.startswith(letter) and word != letter] == []
