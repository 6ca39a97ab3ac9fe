"""Several processes: the same bits, progress that arrives, errors that come back."""

import numpy as np
import pytest
from sympy import Integer, Rational

from asympt.depth import gram, pairs, workers
from asympt.depth.composed.run import Block
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from tests.statements import scaled_residual

RELU = Layer(activation("relu"), Integer(2), Integer(0))
BIASED = Layer(activation("relu"), Rational(3, 2), Rational(1, 10))
RANDOM = np.random.default_rng(3)


@pytest.fixture
def at_once(monkeypatch):
    """Other processes from the first block on."""
    monkeypatch.setattr(workers, "AHEAD", 0.0)


@pytest.mark.parametrize("net", [RELU, scaled_residual(RELU, Integer(1))], ids=["plain", "scaled"])
def test_pairs_do_not_depend_on_workers(net):
    gap = RANDOM.uniform(0, 2, 6000) ** 4 / 8
    for one, two in zip(pairs(net, gap, 60), pairs(net, gap, 60, workers=2), strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("size", [6, 300])
def test_gram_does_not_depend_on_workers(at_once, size):
    inputs = RANDOM.normal(size=(80, size))
    for one, three in zip(gram(BIASED, inputs, depth=30), gram(BIASED, inputs, depth=30, workers=3), strict=True):
        np.testing.assert_array_equal(one, three)


@pytest.mark.parametrize("count", [1, 2])
def test_progress_rises_to_the_total(count):
    seen = []
    pairs(RELU, np.full(4096, 0.5), 8000, workers=count, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert {total for _, total in seen} == {4096 * 7999}
    assert seen[-1] == (4096 * 7999, 4096 * 7999)
    assert len(seen) < 100


@pytest.mark.parametrize("count", [1, 2])
def test_an_error_in_progress_ends_the_run(count):
    def stop(done, total):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        pairs(RELU, np.full(6000, 0.5), 30_000, workers=count, progress=stop)


def test_short_work_starts_no_process(monkeypatch):
    """Starting one takes a second or two, which the 2,300 pairs and 29 layers here do not."""
    import joblib

    monkeypatch.setattr(joblib, "Parallel", lambda **options: pytest.fail("a process was started"))
    gram(BIASED, RANDOM.normal(size=(69, 6)), depth=30, workers=2)


def test_an_error_in_a_worker_is_reported(at_once):
    """A block that no release of `pairs` would send: it has no layers."""
    bad = Block(None, np.zeros(3), np.ones(1), None, False, None, None)
    with pytest.raises(AttributeError, match="NoneType"):
        workers.run(iter([(slice(0, 3), bad)] * 2), 2, workers.Progress(None, 0), lambda part, gap, kernel: None)
