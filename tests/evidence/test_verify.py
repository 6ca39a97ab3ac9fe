"""A right law is checked; a law with one planted error is refuted.  Depths are kept small here; the claim at
depth 10^6 is a slow test."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import I, Rational, Symbol, sin

import asympt as asy
from asympt.evidence.check import Check, Verification, verdict_of
from asympt.evidence.network import depth_checks, digit_gaps, first_accurate
from asympt.numbers import _to_mpf
from asympt.recursions.protocol import Unknown
from tests.evidence.planting import changed

DEPTH = 3000


@pytest.fixture(scope="module")
def ntk():
    return asy.FeedForward("relu").ntk_law(terms=4)


@pytest.fixture(scope="module")
def correlation():
    return asy.FeedForward("relu").correlation_law(terms=4)


def test_a_dropped_resonance_is_refuted(ntk):
    """Without r H log t the second constant D drifts with depth."""
    terms = tuple(term for term in ntk.linear.particular.terms if not term[0].logs)
    assert len(terms) < len(ntk.linear.particular.terms)
    particular = replace(ntk.linear.particular, terms=terms)
    planted = replace(ntk, linear=replace(ntk.linear, particular=particular))
    result = asy.verify(planted, digits=15, depth=DEPTH)
    assert result.verdict == "refuted"
    assert any(check.name.startswith("D =") and check.verdict == "refuted" for check in result.checks)


def test_a_law_of_another_network_is_refuted(ntk):
    """The leaky network's dynamics do not obey ReLU's law."""
    other = asy.FeedForward("leaky_relu", slope="1/10").ntk_law()
    planted = replace(ntk.changed(dynamics=other.dynamics), layer=other.layer)
    assert asy.verify(planted, digits=15, depth=DEPTH).verdict == "refuted"


def test_the_verdict_names_what_was_not_done():
    """A symbol leaves nothing to be compared in numbers: unknown, never passed."""
    result = asy.verify(asy.FeedForward("leaky_relu", slope=Symbol("a", positive=True)).correlation_law(), digits=15)
    assert result.verdict == "unknown"
    assert "could not be done" in result.report()


@pytest.mark.parametrize("depth", [1, 5])
def test_a_depth_before_the_series_is_accurate_is_replaced(ntk, depth):
    """The float64 check is made all the same, where it can be made, and says at which depth."""
    first = first_accurate(ntk)
    found = depth_checks(ntk, depth)
    assert [check.verdict for check in found] == ["checked", "checked"]
    assert all(f"depth {2 * first}" in check.name for check in found)


def test_symbolic_slopes_are_proved_formally_and_unknown_in_numbers():
    a = Symbol("a", positive=True)
    law = asy.FeedForward("leaky_relu", slope=a).ntk_law()
    result = asy.verify(law)
    assert [check.verdict for check in result.checks] == ["proved"] * 4 + ["unknown"]
    assert result.verdict == "unknown"
    planted = replace(law, expansion=changed(law.expansion, 2, Rational(101, 100)))
    assert asy.verify(planted).verdict == "refuted"


@pytest.mark.parametrize("bad", [{"depth": 0}, {"depth": 2.5}, {"digits": 0}, {"digits": 1000}])
def test_bad_input(ntk, bad):
    with pytest.raises(asy.InputError) as error:
        asy.verify(ntk, **bad)
    assert str(next(iter(bad.values()))) in str(error.value)


def test_the_shipped_images_are_scikit_learns_digits():
    """The shipped images are the first 46 of load_digits; the gaps are 1 - cosine."""
    from sklearn.datasets import load_digits
    from sklearn.metrics.pairwise import cosine_similarity

    images = load_digits().data[:46]
    cosines = cosine_similarity(images)[np.triu_indices(46, 1)]
    gaps = digit_gaps()
    assert gaps.size == 46 * 45 // 2
    np.testing.assert_allclose(1 - gaps, cosines, atol=1e-14)


def test_verdicts_add_up():
    good, proof = Check.compare("a", 1, 2), Check.compare("b", 0, 0, strength="proved")
    bad, undone = Check.compare("c", 3, 2), Check("d", "-", "-", None)
    assert verdict_of([proof]) == "proved"
    assert verdict_of([proof, good]) == "checked"
    assert verdict_of([proof, good, undone]) == "unknown"
    other = replace(bad, route="other")
    assert verdict_of([undone, bad]) == verdict_of([bad, other]) == "unknown"
    assert verdict_of([undone, replace(bad, route="one"), other]) == "refuted"
    assert verdict_of([]) == "unknown"
    assert Check.compare("nan", float("nan"), 1).verdict == "refuted"
    assert "only one route" in Verification("s", (bad,)).report()


class OwnCoordinate(Unknown):
    """A coordinate that nobody knows."""

    kind = "home-made"


def test_a_law_of_a_kind_that_is_not_known_is_told_so_in_one_sentence():
    known = asy.Recursion(sin(Symbol("x", positive=True)), Symbol("x", positive=True)).law(2)
    for coordinate in (OwnCoordinate(), Unknown()):
        found = asy.verify(replace(known, coordinate=coordinate), start=1)
        (check,) = found.checks
        assert found.verdict == "unknown" and f"kind {coordinate.kind!r}" in check.figure
        assert not any(word in found.report() for word in ("Error", "attribute", "NoneType", "object"))


def test_parts_that_do_not_fit_are_told_without_python():
    known = asy.Recursion(sin(Symbol("x", positive=True)), Symbol("x", positive=True)).law(2)
    for dynamics in (None, replace(known.dynamics, step=None), replace(known.dynamics, ratio=None)):
        with pytest.raises(asy.InputError, match="a part that a law of the kind 'parabolic' needs is missing"):
            asy.verify(known.changed(dynamics=dynamics))
    complex_one = replace(known, expansion=changed(known.expansion, 0, I))  # algebra alone can tell that apart
    found = asy.verify(complex_one)
    assert found.verdict == "unknown" and any(check.verdict == "refuted" for check in found.checks)
    assert not any(word in found.report() for word in ("Error", "attribute", "NoneType", "object"))


@pytest.mark.parametrize("fault", [TypeError, AttributeError, KeyError, AssertionError, ZeroDivisionError, ValueError])
def test_a_fault_of_the_package_is_no_verdict(fault):
    """Neither the checks, nor the theorem, nor the numbers of a law take a fault for something that is not known."""
    x = Symbol("x", positive=True)
    law = asy.Recursion(sin(x), x).law(2)

    def faulty(*_):
        raise fault("planted")

    planted = law.changed(dynamics=replace(law.dynamics, step=faulty))
    with pytest.raises(fault, match="planted"):
        asy.verify(planted, start=1)
    proofs = replace(law)
    object.__setattr__(proofs, "_asked", None)  # the prover is handed no law
    for ask in (lambda: proofs.evaluate(depth=10, start=1), lambda: proofs.untrusted):
        with pytest.raises(AttributeError):
            ask()


def test_a_scale_free_network_is_followed_from_its_own_start():
    _to_mpf.cache_clear()  # 1 and Integer(1) are one key
    found = asy.verify(asy.FeedForward("relu").correlation_law(terms=1), depth=10, correlation="1/3", theorem=False)
    assert any("plain iteration of the layers, correlation = 1/3" in check.name for check in found.checks)
