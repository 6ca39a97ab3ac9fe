"""Right laws of networks are checked in every phase, and what each check compares is what it says."""

import pytest

from asympt.evidence import exact
from asympt.evidence.law_terms import opaque_in
from asympt.evidence.network import transient_checks
from asympt.evidence.referee import random_checks
from asympt.evidence.symbolic.checks import generic
from tests.evidence.laws_of_networks import law_of


def verdicts(checks) -> set:
    assert checks, "no check was made"
    assert all(check.figure is not None and check.bound is not None for check in checks)
    return {check.verdict for check in checks}


def test_no_digits_are_left_in_the_law_with_symbols():
    law = generic(law_of("elu", "ntk"))
    parts = [law.expansion, law.abel.expansion, law.linear.particular, law.linear.homogeneous, law.flow]
    assert not any(opaque_in(c) for part in parts for _, c in part.terms)
    assert not any(opaque_in(c) for c in law.dynamics.ratio(8))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("relu, ordered", "ntk"), ("erf, chaotic", "ntk"), ("erf", "variance"), ("hard_tanh, ordered", "ntk")],
)  # fmt: skip
def test_while_the_transient_can_be_seen(name, kind):
    checks = transient_checks(law_of(name, kind), 10**6)
    assert verdicts(checks) == {"checked"}
    assert verdicts(transient_checks(law_of(name, kind), 1)) == {"checked"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("erf, chaotic", "ntk_diagonal"), ("relu, ordered", "ntk_diagonal"), ("relu", "ntk_diagonal"),
     ("relu, ordered", "variance")],
)  # fmt: skip
def test_laws_that_are_identities(name, kind):
    law = law_of(name, kind)
    assert verdicts(exact.symbolic_checks(law)) == {"proved"}
    assert verdicts(exact.original_layer(law, 10**6)) == {"checked"}


@pytest.mark.parametrize(("name", "kind"), [("relu", "ntk"), ("relu, ordered", "variance")])
def test_random_networks(name, kind):
    (check,) = random_checks(law_of(name, kind))
    assert check.verdict == "checked", check
    (again,) = random_checks(law_of(name, kind))
    assert again.figure == check.figure, "the seed is fixed"
