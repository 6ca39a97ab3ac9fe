"""The catalogue: every id once, claims of several routes as one, and what is left unknown says why."""

from collections import Counter

import pytest

from asympt import claims
from asympt.architectures.feedforward import FeedForward
from asympt.claims.catalogue import DECISIONS, FORMULAS
from asympt.claims.claim import Claim, ClaimInSetting
from asympt.errors import InputError
from asympt.evidence.check import Check, Verification


def test_every_id_is_there_once():
    counted = Counter(c.id for c in claims.all_claims())
    assert max(counted.values()) == 1 and len(counted) > 210


def test_claims_of_every_source_document():
    starts = Counter(c.id.split(".")[0] for c in claims.all_claims())
    # the inventory of the five documents has 99, 53, 22, 15 and 26 rows
    assert starts["HDR"] >= 99 and starts["PDLT"] >= 53 and starts["XPS"] >= 22
    assert starts["JGH"] >= 15 and starts["TBG"] >= 26


def test_what_decides_belongs_to_a_claim():
    """No decision and no formula is left beside the records, and nothing is recorded that nobody decides."""
    known = {c.id for c in claims.all_claims()}
    assert known == set(FORMULAS) | set(DECISIONS)


@pytest.mark.parametrize("name", ["HDR.Tab1", "HDR.Tab2", "JGH.fig"])
def test_experiments_without_data_stay_unknown(name):
    found = claims.find(name).check()
    assert found.verdict == "unknown" and "needs" in str(found.checks[0].figure)


def test_an_unknown_id():
    with pytest.raises(InputError, match=r"no claim has the id 'HDR\.T9'"):
        claims.find("HDR.T9")


def test_only_claims_in_a_setting_see_the_network():
    seen = []
    record = ("X", "source", "a=b", "named", lambda setting: seen.append(setting) or Verification("named", ()))
    ClaimInSetting(*record).bind(FeedForward("tanh")).check(digits=7, depth=11)
    assert [(s.net.activation.name, s.digits, s.depth) for s in seen] == [("tanh", 7, 11)]
    plain = Claim("X", "source", "a=b", "plain", lambda: Verification("plain", (Check("plain", "0", "0", True),)))
    assert plain.bind(FeedForward("tanh")).check().verdict == plain.check().verdict == "checked"
