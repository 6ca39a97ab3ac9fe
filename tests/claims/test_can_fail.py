"""Checks that prove for a whole scope, each refuted when what it proves is changed a little."""

from sympy import Integer, eye

from asympt.claims.hdr.convolution import matrix
from asympt.claims.hdr.off_edge import general_map
from asympt.claims.hdr.relu import rates
from asympt.claims.hdr.training import flow, sgd
from asympt.claims.scopes import on_edge
from asympt.claims.tbg import claims as tbg
from asympt.claims.xps import training_ordered


def verdicts(checks) -> list[str]:
    return [check.verdict for check in checks]


def test_the_limit_of_relu_is_not_a_third():
    f, limit = on_edge("relu").correlation_map, on_edge("relu").ntk_law(1).limit
    assert set(verdicts(rates._limit_of_relu(f, limit))) == {"proved"}
    assert verdicts(rates._limit_of_relu(f, Integer(1) / 3))[-1] == "refuted"


def test_a_wrong_root_of_the_covariance(monkeypatch):
    monkeypatch.setattr(sgd, "eye", lambda size: 2 * eye(size))
    assert verdicts(sgd.euler_step().checks) == ["refuted"]


def test_the_schur_complement_needs_its_inverse(monkeypatch):
    monkeypatch.setattr(tbg, "_reduced", lambda form, matrix, inverse: form.expand())
    assert verdicts(tbg.measure().checks) == ["refuted", "refuted", "proved"]


def test_two_test_points_differ_without_the_hypothesis(monkeypatch):
    monkeypatch.setattr(flow, "is_zero", lambda matrix: True)
    assert verdicts(flow.constant_kernel().checks)[-1] == "refuted"


def test_what_is_proved_about_hermite_and_dirichlet():
    assert set(verdicts(general_map._by_hermite())) == set(verdicts(matrix._dirichlet())) == {"proved"}
    assert set(verdicts(general_map._pair())) == {"proved"}


def test_proofs_for_any_number_of_points():
    assert training_ordered._any_size().verdict == "proved"
