"""What training runs found beside what was printed: shown, never counted; the circle decided where seeds tell."""

import json

import numpy as np
import pytest

from asympt import claims
from asympt.claims.deciders import figures
from asympt.errors import InputError
from asympt.experiments.results import NAMES, Record, Results, mean_and_error, path_of, read, read_file

PRINTED = ("HDR.Tab1", "HDR.Tab2", "JGH.fig", "XPS.fig-accuracy")


@pytest.mark.parametrize("name", PRINTED)
def test_what_was_printed_is_not_reproduced_and_has_its_finding_beside_it(name):
    found = claims.find(name).check()
    assert found.verdict == "unknown" and found.corrected is None
    assert "not reproduced here" in found.checks[0].figure
    assert len(found.checks) > 1 and all(check.passed is None for check in found.checks)
    assert all(check.name.startswith("finding: ") and any(map(str.isdigit, check.figure)) for check in found.checks[1:])


@pytest.mark.parametrize("name", NAMES)
def test_results_say_how_they_were_made_and_have_every_seed(name):
    found = read(name)
    assert found.made["command"] == f"python -m asympt.experiments {name}"
    assert {"jax", "optax", "numpy", "scikit-learn"} <= set(found.made["versions"])
    keys = [run["key"] for run in found.runs]
    assert len(set(keys)) == len(keys)
    seeds: dict[str, set] = {}
    for run in found.runs:
        seeds.setdefault(run["key"].rsplit(" seed=", 1)[0], set()).add(run["seed"])
    assert seeds and set(map(frozenset, seeds.values())) == {frozenset(found.made["seeds"])}
    assert path_of(name).stat().st_size < 300_000


def _planted(monkeypatch, smooth: float, rough: float) -> str:
    """The verdict of TBG.fig3 when mu is `smooth` for alpha = 1/5 and `rough` for the others, within 10%.

    Beside it, whether a check fails.
    """
    mu = {None: rough, 1.0: rough, 0.2: smooth}
    runs = [
        {"depth": depth, "optimiser": "adam", "alpha": alpha, "mu": mu[alpha] * (1 + seed / 50)}
        for depth in (3, 6) for alpha in mu for seed in range(5)
    ]  # fmt: skip
    results = Results({"settings": {"depths": [3, 6], "optimisers": ["adam"]}}, tuple(runs))
    monkeypatch.setattr(figures, "read", lambda name: results)
    figures.logarithms.cache_clear()
    try:
        found = figures.outside_the_kernel_regime()
        return found.verdict, any(check.passed is False for check in found.checks)
    finally:
        figures.logarithms.cache_clear()


def test_the_circle_is_decided_by_its_data(monkeypatch):
    """One experiment against it is one route, which refutes nothing."""
    verdicts = [_planted(monkeypatch, *mu) for mu in ((0.2, 0.1), (0.1, 0.2), (0.1, 0.1))]
    assert verdicts == [("checked", False), ("unknown", True), ("unknown", False)]


def test_a_record_goes_on_where_it_stopped_and_refuses_other_settings(tmp_path):
    path, made = tmp_path / "r.jsonl", {"settings": {"depths": (1, 2)}}
    record = Record(path, made)
    record.add([{"key": "a", "value": 1.5}])
    again = Record(path, made)
    assert "a" in again and "b" not in again and read_file(path).runs == ({"key": "a", "value": 1.5},)
    with pytest.raises(InputError, match="made with other settings"):
        Record(path, {"settings": {"depths": (1, 3)}})
    assert json.loads(path.read_text().splitlines()[0]) == {"settings": {"depths": [1, 2]}}


def test_an_unknown_experiment_is_named():
    with pytest.raises(InputError, match="name = 'table-3' is not an experiment; there are table-1"):
        read("table-3")


def test_the_mean_and_its_error():
    values = [1.0, 2.0, 4.0]
    assert np.allclose(mean_and_error(values), (7 / 3, np.sqrt(7 / 9)))  # variance 7/3 over 3
