"""Right laws of networks are checked in every phase, and what each check compares is what it says."""

import pytest

import asympt as asy
from asympt.evidence import exact
from asympt.evidence.floats import depth_checks, transient_checks, variance_checks
from asympt.evidence.law_terms import opaque_in
from asympt.evidence.network import _equation
from asympt.evidence.orbits.equations import map_checks, solution_checks
from asympt.evidence.referee import random_checks
from asympt.evidence.symbolic.generators import generic
from asympt.evidence.verify import symbolic_checks
from tests.evidence.laws_of_networks import law_of


def slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


def long(*values):
    return pytest.param(*values, marks=pytest.mark.long)


def verdicts(checks) -> set:
    assert checks, "no check was made"
    assert all(check.figure is not None and check.bound is not None for check in checks)
    return {check.verdict for check in checks}


SYMBOLIC = [
    ("erf", "correlation"), ("erf", "ntk"), ("elu", "correlation"), ("elu", "ntk"), ("hard_tanh", "ntk"),
    ("relu, ordered", "correlation"), ("relu, ordered", "ntk"), ("elu, ordered", "ntk"), slow("tanh, ordered", "ntk"),
    ("erf, chaotic", "correlation"), ("erf, chaotic", "ntk"), slow("tanh, chaotic, no bias", "ntk"),
    slow("erf", "variance"), ("tanh, variance like 1/l", "variance"), ("tanh, variance to 0", "variance"),
    slow("softsign", "ntk"), slow("selu", "correlation"), slow("relu6", "ntk"), slow("tanh", "ntk"),
    slow("hard_tanh, chaotic", "ntk"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), SYMBOLIC)
def test_the_symbolic_checks_are_proofs_for_all_values_of_the_constants(name, kind):
    assert verdicts(symbolic_checks(law_of(name, kind))) == {"proved"}


def test_no_digits_are_left_in_the_law_with_symbols():
    law = generic(law_of("elu", "ntk"))
    parts = [law.expansion, law.abel.expansion, law.linear.particular, law.linear.homogeneous, law.flow]
    assert not any(opaque_in(c) for part in parts for _, c in part.terms)
    assert not any(opaque_in(c) for c in law.dynamics.ratio(8))


@pytest.mark.parametrize(
    "name", ["elu", "relu, ordered", slow("erf"), slow("erf, chaotic"), slow("tanh"), slow("hard_tanh, ordered")]
)
def test_the_coefficients_are_those_of_the_map(name):
    assert verdicts(map_checks(law_of(name, "ntk"))) == {"checked"}


@pytest.mark.parametrize("name", ["elu", slow("erf"), slow("hard_tanh"), slow("silu")])
def test_the_solution_of_the_linear_recursion_in_one_layer(name):
    assert verdicts(solution_checks(law_of(name, "ntk"))) == {"checked"}


@pytest.mark.slow
def test_a_map_that_takes_seconds_is_looked_at_in_single_layers():
    law = law_of("softsign", "correlation")
    assert _equation(law, 10).verdict == "checked"


@pytest.mark.parametrize(("name", "kind"), [slow("erf", "correlation"), slow("erf", "ntk"), slow("elu", "ntk")])
def test_any_activation_at_depth(name, kind):
    checks = depth_checks(law_of(name, kind), 20_000)
    assert verdicts(checks) == {"checked"}
    assert verdicts(depth_checks(law_of(name, kind), 3)) == {"checked"}  # at twice the first layer that will do


@pytest.mark.parametrize(
    ("name", "kind"),
    [("relu, ordered", "ntk"), slow("erf, chaotic", "correlation"), slow("erf, chaotic", "ntk"),
     slow("erf", "variance"), slow("hard_tanh, ordered", "ntk"), long("tanh, chaotic", "ntk")],
)  # fmt: skip
def test_while_the_transient_can_be_seen(name, kind):
    checks = transient_checks(law_of(name, kind), 10**6)
    assert verdicts(checks) == {"checked"}
    assert verdicts(transient_checks(law_of(name, kind), 1)) == {"checked"}


@pytest.mark.long
def test_the_variance_of_the_class_k_star_0_at_depth():
    assert verdicts(variance_checks(law_of("tanh, variance like 1/l", "variance"), 20_000)) == {"checked"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [long("erf", "ntk_diagonal"), long("erf, chaotic", "ntk_diagonal"), ("relu, ordered", "ntk_diagonal"),
     ("relu", "ntk_diagonal"), ("relu, ordered", "variance")],
)  # fmt: skip
def test_laws_that_are_identities(name, kind):
    law = law_of(name, kind)
    assert verdicts(exact.symbolic_checks(law)) == {"proved"}
    assert verdicts(exact.original_layer(law, 10**6)) == {"checked"}


@pytest.mark.parametrize(("name", "kind"), [("relu", "ntk"), ("relu, ordered", "variance"), long("tanh", "ntk")])
def test_random_networks(name, kind):
    (check,) = random_checks(law_of(name, kind))
    assert check.verdict == "checked", check
    (again,) = random_checks(law_of(name, kind))
    assert again.figure == check.figure, "the seed is fixed"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("relu, ordered", "correlation"), ("relu, ordered", "ntk_diagonal"), long("tanh, variance to 0", "variance")]
)
def test_a_whole_verification(name, kind):
    result = asy.verify(law_of(name, kind), digits=15, depth=3000, theorem=False)
    assert result.verdict == "checked", result.report()


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "kind"),
    [("tanh", "ntk"), ("elu", "ntk"), ("selu", "correlation"), ("tanh, ordered", "ntk"), ("elu, ordered", "ntk"),
     ("tanh, chaotic", "ntk"), ("hard_tanh, chaotic", "correlation"), ("tanh, variance like 1/l", "variance"),
     ("tanh", "variance"), ("tanh, chaotic", "ntk_diagonal")],
)  # fmt: skip
def test_every_phase_is_verified(name, kind):
    result = asy.verify(law_of(name, kind), digits=20, depth=100_000, theorem=False)
    assert result.verdict == "checked", result.report()
