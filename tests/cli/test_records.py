"""The constants of a start beside a value: given where they come soon, and missed aloud where they do not."""

import pytest
from sympy import Rational

import asympt as asy
from asympt.cli import records


@pytest.fixture
def law():
    return asy.FeedForward("relu").correlation_law(terms=2)


def test_a_value_has_its_constant_beside_it(law, capsys):
    record = records.value_at(law, 10, 12, {"correlation": Rational(1, 10)})
    assert record["C"] and record["value"] and capsys.readouterr().err == ""


def test_a_constant_that_takes_too_long_is_left_out_and_said_to_be(law, capsys, monkeypatch):
    monkeypatch.setattr(records, "BESIDE", 1e-6)
    record = records.value_at(law, 2, 40, {"correlation": Rational(1, 7)})
    assert "C" not in record and record["value"]
    assert "ask for it without --depth" in capsys.readouterr().err


def test_a_constant_behind_hundreds_of_quadratures_is_not_waited_for(law, capsys, monkeypatch):
    monkeypatch.setattr(records, "is_slow", lambda law: True)
    monkeypatch.setattr(records, "KNOWN", 1e-6)
    record = records.value_at(law, 2, 40, {"correlation": Rational(1, 11)})
    assert "C" not in record and record["value"]
    assert "C takes more than 1e-06 s here; ask for it without --depth" in capsys.readouterr().err
    assert "C" in records.value_at(law, None, 12, {"correlation": Rational(1, 11)})
