"""PDLT's claims on depth: their verdicts, and what is true in place of the refuted ones."""

import pytest
from mpmath import cos, exp, mpf
from sympy import Rational

from asympt import claims
from asympt.claims.pdlt.depth.claims import CLAIMS
from asympt.claims.pdlt.depth.examples import BIAS, DELTA, implied
from asympt.claims.stated.identities import put
from asympt.claims.stated.pdlt.depth import L, expectations
from asympt.gaussian.kernel import Kernel
from asympt.meanfield.activations import activation

REFUTED = {"PDLT.10.80", "PDLT.10.81", "PDLT.10.81-remark"}
PROVED = {f"PDLT.{n}" for n in ("10.49", "10.62", "10.63", "10.65", "10.66", "10.85", "10.91", "fn33")}
LONG = {f"PDLT.10.{n}" for n in ("71", "75", "77", "78", "79", "81-remark", "85", "90", "92", "94")}


def cases():
    return [pytest.param(c, id=c.id, marks=[pytest.mark.slow] if c.id in LONG else []) for c in CLAIMS]


@pytest.mark.parametrize("claim", cases())
def test_verdict(claim):
    found = claims.find(claim.id).check()
    if claim.id in REFUTED:
        assert found.verdict == "refuted"
        assert found.corrected.verdict in ("proved", "checked")
    else:
        assert found.verdict == ("proved" if claim.id in PROVED else "checked"), found.report()


def test_components_by_theorem():
    """sin, rates 2 and 3: Theta_00 -> 5 and ddTheta_[2]/(l ddK_[2]) -> 3, or 4 for constant rates, where 10.80 has 3.

    Independent: (10.44) and (10.70) iterated from K_00 = 1 with <sin^2> = (1 - exp(-2K))/2, as PDLT has them.
    """
    for schedule, second in (("equivalence", 3), ("constant", 4)):
        kernel, ntk, ratio = mpf(1), mpf(5), mpf(3)
        for layer in range(2, 4001):
            image, slope = (1 - exp(-2 * kernel)) / 2, (1 + exp(-2 * kernel)) / 2
            ratio += 3 + image * ntk / slope
            ntk = (mpf(2) / layer if schedule == "equivalence" else 2) + 3 * image + slope * ntk
            kernel = image
        assert abs(ratio / 4000 - second) < 0.02 and abs(ntk / (5 if schedule == "equivalence" else 4000) - 1) < 0.01
        for value, verdict in ((second, "checked"), (second + Rational(1, 10**9), "refuted")):
            (row,) = implied("sin", schedule, "Theta 2", value * DELTA**2)
            assert row.verdict == verdict and "all x_0 in [1/2, 1]" in row.detail
    (row,) = implied("sin", "equivalence", "Theta 00", 2 * BIAS)
    assert row.verdict == "refuted" and row.figure == "5"
    assert implied("sin", "equivalence", "Theta 00", BIAS * L) == ()


@pytest.mark.parametrize("claim", ["PDLT.10.80", "PDLT.10.81"])
def test_refuted_by_theorem(claim):
    found = claims.find(claim).check()
    rows = [[c.verdict for c in v.checks if c.name.startswith("by theorem")] for v in (found, found.corrected)]
    assert rows == [["refuted"] * 2, ["checked"] * 2]


def test_polar_coordinates_are_the_mean_over_the_plane():
    """The left sides that decide 10.85 against quadrature over the plane: slopes 1 and -1/2, K = 17/10, psi = 13/10."""
    phi, psi = activation("relu_like", right=1, left=Rational(-1, 2)), mpf("1.3")
    plane = Kernel(phi.piecewise, use_closed_form=False)
    numbers = {"a_+": 1, "a_-": Rational(-1, 2), "K_d": 1.7, "psi": 1.3}
    value, slope = (
        put(form.left, form.where).subs({s: numbers[s.name] for s in put(form.left, form.where).free_symbols})
        for form in expectations()[:2]
    )
    assert abs(value - plane.value(mpf("1.7"), mpf("1.7"), cos(psi))) < 1e-12
    assert abs(slope - plane.slope(mpf("1.7"), 1 - cos(psi))) < 1e-12


def test_ids_are_unique_and_sources_named():
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS) == 25
    assert all("10." in claim.source and claim.source.startswith("PDLT") for claim in CLAIMS)
