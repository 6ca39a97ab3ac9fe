"""No law is refuted by one route: one that lies about a right law is alone, a planted error has a second witness."""

from dataclasses import replace

import pytest
from mpmath import mp, mpf
from sympy import Rational, Symbol, sin, sqrt

import asympt as asy
from asympt.balls.arithmetic import Disproved
from asympt.evidence import theorem, verify
from asympt.evidence.check import ALGEBRA, THEOREM, Check, Verification, verdict_of
from asympt.evidence.law_terms import printed_at
from tests.evidence.planting import ONE_PERCENT, changed

X, P, L = Symbol("x", positive=True), Symbol("p", positive=True), Symbol("l", positive=True)
ROUTES = {  # a law for each way that `verify` goes
    "parabolic": lambda: asy.Recursion(sin(X), X).law(2),
    "hyperbolic": lambda: asy.Recursion(X / 2 + X**2, X).law(2),
    "flip": lambda: asy.Recursion(-sin(X) + X**2, X).law(2),
    "linear": lambda: asy.Recursion(P / (1 + sqrt(P)), P).linear_law(1 - sqrt(P), P, 0, terms=2),
    "driven": lambda: asy.DrivenRecursion(X**2, X, 1 / (L + 1), L).law(1),
    "network": lambda: asy.FeedForward("relu").ntk_law(2),
    "ordered": lambda: asy.FeedForward("relu", sigma_w=1, sigma_b=1).ntk_law(3),
    "diagonal": lambda: asy.FeedForward("relu", sigma_w=1, sigma_b=1).ntk_diagonal_law(),
    "scaled": lambda: asy.ScaledResNet("relu", sigma_w=1).correlation_law(2),
    "convolutional": lambda: asy.ConvNet("relu", positions=3, reach=1).correlation_law(2),
    "composed": lambda: asy.Network("serial(residual(relu, dense(sqrt(2))), layer_norm)").correlation_law(2),
}
LIE = Check("a lie", 1, 0, False)


def stages_of(law, monkeypatch, liar=None) -> tuple[list[str], Verification]:
    """The stages of a verification and its outcome: `liar` fails, the others pass without work."""
    seen = []

    def attempt(name, work, report=None, seconds=None):
        if name == "the law in numbers":  # the stages are inside
            return work()
        seen.append(name)
        if name == theorem.ROUTE:
            return verify._by_route(name, work())
        return [replace(LIE, route=name) if name == liar else replace(LIE, passed=True, route=name)]

    monkeypatch.setattr(verify, "_attempt", attempt)
    monkeypatch.setattr(verify, "witness_check", lambda law, start: replace(LIE, passed=True))  # it holds for the law
    monkeypatch.setattr(verify, "theorem_of", lambda *given: theorem.Outcome(
        reason="-", checks=(LIE,) if liar == THEOREM else ()))  # fmt: skip
    return seen, asy.verify(law, digits=6, depth=50)


@pytest.mark.parametrize("name", ROUTES)
def test_one_stage_that_lies_refutes_nothing(name, monkeypatch):
    law = ROUTES[name]()
    stages, found = stages_of(law, monkeypatch)
    assert len(stages) > 1 and found.verdict == "checked"
    for stage in (*stages, THEOREM):
        found = stages_of(law, monkeypatch, liar=stage)[1]
        assert found.verdict == "unknown" and "only one route" in found.report(), stage


def test_which_routes_refute():
    """Two must fail, one of them in numbers; what has no route is no witness."""
    by = {name: replace(LIE, route=name) for name in (ALGEBRA, THEOREM, "orbit", "float64")}
    assert verdict_of([LIE]) == verdict_of([LIE, LIE]) == verdict_of([LIE, by["orbit"]]) == "unknown"
    assert {name for name in by if verdict_of([by[name], by[name]]) != "unknown"} == set()
    assert verdict_of([by[ALGEBRA], by[THEOREM]]) == "unknown"
    assert verdict_of([by[ALGEBRA], by["orbit"]]) == verdict_of([by["orbit"], by["float64"]]) == "refuted"


def test_a_wrong_second_derivation_refutes_nothing(monkeypatch):
    """The witness is computed, the lie is that of the exact half of the theorem."""

    def disproved(law):
        raise Disproved("the coefficient of log(n)/n^2 that is printed, -4, is not the exact 2")

    monkeypatch.setattr("asympt.recursions.proofs.formal.require_exact", disproved)
    found = asy.verify(ROUTES["linear"](), digits=12)
    assert found.verdict == "unknown" and found.checks[-1].route == theorem.ROUTE and found.checks[-1].passed


@pytest.mark.parametrize("name", ["parabolic", "hyperbolic", "flip", "linear", "network", "ordered", "convolutional"])
def test_the_witness_sees_one_percent_in_any_coefficient_and_nothing_else(name):
    law = ROUTES[name]()
    assert theorem.witness_check(law).passed
    for index in range(len(law.expansion.terms)):
        planted = replace(law, expansion=changed(law.expansion, index, ONE_PERCENT))
        assert theorem.witness_check(planted).passed is False, f"{planted} instead of {law}"


def test_a_refutation_prints_both_numbers():
    """Iterated in mpmath without a law: x_(10^6) = 0.001732..., and 1% in sqrt(3)/sqrt(n) is 1.01 times that."""
    law = ROUTES["parabolic"]()
    found = asy.verify(replace(law, expansion=changed(law.expansion, 1, Rational(1001, 1000))), theorem=False)
    (row,) = [check for check in found.checks if check.route == theorem.ROUTE]
    assert found.verdict == "refuted" and row.passed is False
    assert " against " in row.figure and "printed, at n = " in row.figure and row.figure in found.report()


MET = {  # 4/n - 4 log(n)/n^2, 8/n^2 - 24 log(n)/n^3, the first again, 1/3 + 1/n^2 - 3 log(n)/n^3
    "p/(1 + sqrt(p))": (P / (1 + sqrt(P)), 1 - sqrt(P), P, 2),
    "a larger power": (P / (1 + sqrt(P)), 1 - 3 * sqrt(P) / 2, P ** Rational(3, 2), 2),
    "p - p^(3/2)": (P - P ** Rational(3, 2), 1 - sqrt(P), P, 2),
    "x - x^2": (X - X**2, 1 - 3 * X, X**3 + X, 3),
}


@pytest.mark.parametrize("name", MET)
def test_a_law_that_meets_its_resonance_is_proved(name):
    step, multiplier, forcing, terms = MET[name]
    (symbol,) = step.free_symbols
    law = asy.Recursion(step, symbol).linear_law(multiplier, forcing, 0, terms=terms)
    found = asy.verify(law, digits=15)
    assert found.verdict == "proved", found.report()


def test_a_law_in_log_l_is_read_in_log_l():
    """18 pi^2/log(l)^2 - 72 pi^2 C/log(l)^3 + O(log(l)^-4), as printed: by plain mpmath at l = 10^6, C = 1."""
    total, size = printed_at(ROUTES["scaled"]().expansion, 10**6, {"C": mpf(1)})
    logarithm = mp.log(10**6)
    printed = 18 * mp.pi**2 / logarithm**2 - 72 * mp.pi**2 / logarithm**3
    assert abs(total - printed) < 1e-12 and abs(size * logarithm**4 - 1) < 1e-12
