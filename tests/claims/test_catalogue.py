"""The catalogue: every id once, claims of several routes as one, and what is left unknown says why."""

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
