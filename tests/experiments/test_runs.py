"""Small runs: training lowers the loss, results are written, and the command says what is wrong in one sentence."""

import pytest

pytest.importorskip("optax")

from asympt.errors import InputError
from asympt.experiments import trials
from asympt.experiments.__main__ import main

SMALL = {"depths": [3], "width": 16, "epochs": [1, 3], "search_epochs": 1, "activations": ["tanh"]}


def test_training_learns_digits_and_every_seed_is_a_run():
    named, run = next(row for row in trials.table_1(SMALL) if row[0]["phase"] == "edge")
    runs = trials.runs_of(named, run())
    assert [run["seed"] for run in runs] == [0, 1, 2, 3, 4] and len({run["key"] for run in runs}) == 5
    measured = [run["measured"] for run in runs]
    assert all(last["loss"] < first["loss"] and last["test"] > 0.3 for first, last in measured)


def test_the_circle_is_fitted_and_two_images_too():
    small = {"width": 64, "depths": [3], "optimisers": {"adam": 1e-2}, "alphas": [None]}
    [(_, run)] = trials.circle({**trials.CIRCLE, **small})
    assert all(found["off"] < 0.1 and 0 < found["mu"] <= 1 for found in run())
    moved = trials.moved("tanh", 32, {**trials.DRIFT, "depth": 2, "steps": 100})
    assert max(run["loss"] for run in moved) < 0.01 and all(len(run["kernels"]) == 11 for run in moved)


def test_phases_are_those_of_the_network():
    """sigma_w of the edge: sqrt(2), and HDR's points for ELU and tanh as the toolkit has them."""
    at = {name: trials.deviations(name)["edge"][0] for name in ("relu", "leaky_relu")}
    assert at == {"relu": 1.414214, "leaky_relu": 1.414143}
    assert trials.deviations("sigmoid") == {"none": (1.414214, 0.0)}


@pytest.mark.parametrize("arguments", [[], ["table-3"], ["drift", "a", "b"]])
def test_the_command_names_what_there_is(arguments):
    with pytest.raises(InputError, match="is not an experiment; give one of table-1, table-2, accuracy, circle, drift"):
        main(arguments)
