"""The registry against the classes that it names, and an architecture that is added to it by one file and one line."""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sympy import Rational

import asympt as asy
from asympt.architectures import registry
from asympt.architectures.registry import (
    CHOICE,
    COUNT,
    NUMBER,
    Architecture,
    find,
    is_a,
    random_network,
    record_of,
    records,
    register,
)
from asympt.errors import InputError

EXAMPLES = Path(__file__).parents[1] / "contributing"
RECORDS = {record.name: record for record in records()}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_a_record_says_what_its_class_is(record):
    cls = record.load()
    assert getattr(asy, record.class_name) is cls and record.class_name in asy.__all__
    taken = inspect.signature(cls).parameters
    assert record.sigma_w.keyword in taken
    assert (record.sigma_b is None) == ("sigma_b" not in taken and "bias_variance" not in taken)
    for parameter in record.parameters:
        assert parameter.kind in (NUMBER, COUNT, CHOICE)
        default = taken[parameter.name].default
        assert (default is inspect.Parameter.empty) if parameter.is_needed else (str(default) == parameter.default)
    own = {"phi", "options", record.sigma_w.keyword, *(parameter.name for parameter in record.parameters)}
    assert set(taken) == own | ({record.sigma_b.keyword} if record.sigma_b else set())


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_a_record_names_every_law_of_its_class(record):
    of_width = {"fluctuation_law", "width_correction_law"}  # which `asympt width` prints
    methods = {name for name in dir(record.load()) if name.endswith("_law") and name[0] != "_"} - of_width
    assert methods == {asked.method for asked in record.laws.values()}
    for asked in record.laws.values():
        taken = list(inspect.signature(getattr(record.load(), asked.method)).parameters)
        assert ("terms" in taken) == asked.has_terms and len(taken) > len(asked.arguments)


def test_networks_find_their_record():
    assert is_a(asy.FeedForward("relu"), "feedforward") and not is_a(asy.ResNet("relu"), "feedforward")
    assert record_of(asy.ConvResNet("relu", 3, 1)) is find("conv-resnet")
    assert record_of(3) is None and record_of(asy.Recursion) is None
    with pytest.raises(InputError, match=r"net = 3 is not a network of this package; give one of FeedForward, ResNet"):
        random_network(3)
    with pytest.raises(InputError, match="architecture = 'transformer' is unknown; give one of feedforward, resnet"):
        find("transformer")


def test_a_name_or_a_class_is_registered_once(monkeypatch):
    monkeypatch.setattr(registry, "_RECORDS", dict(registry._RECORDS))
    for taken in (Architecture("mlp", "elsewhere:MLP2"), Architecture("other", find("mlp").home)):
        with pytest.raises(InputError, match="is registered already"):
            register(taken)


@pytest.fixture
def damped(monkeypatch):
    """The class of the worked example, registered for one test."""
    monkeypatch.syspath_prepend(EXAMPLES)
    import damped_resnet

    monkeypatch.setattr(registry, "_RECORDS", dict(registry._RECORDS))
    register(damped_resnet.RECORD)
    return damped_resnet.DampedResNet


def test_a_new_architecture_is_verified_refereed_and_drawn(damped):
    net = damped("relu", sigma_w=2, beta="1/2")
    # beta sigma_w = 1: the branch of ResNet with sigma_w = 1, whose NTK tends to delta/4 = 1/12
    assert net.ntk_law().limit == Rational(1, 12)
    assert asy.verify(net.correlation_law(2), digits=15, depth=1000).verdict == "proved"
    # layer 1 has sigma_w = 2 and no beta: with the branch's variance there, random networks refute the recursion
    assert asy.referee(net, depth=3, widths=(64, 128), standard_error=0.03).verdict == "checked"
    figure = asy.plots.ntk_figure(net, ["1/10"], depth=1000)
    assert "K^L/(q_L" in figure.axes[0].get_ylabel()


PROGRAM = """
import json, sys
NET = json.loads(sys.argv[1])
from asympt.architectures.registry import register
from damped_resnet import RECORD
register(RECORD)
from typer.testing import CliRunner
from asympt.cli.app import app
for arguments in (
    ["derive", "relu", *NET, "--law", "correlation", "--terms", "1", "-c", "1/10", "--depth", "1000", "--digits", "25"],
    ["simulate", "relu", *NET, "--depth", "2", "--widths", "32,64", "--standard-error", "0.05"],
    ["derive", "relu", *NET, "--law", "angle"],
    ["derive", "relu", *NET[:2], "-p", "kappa=1"],
    ["derive", "relu", *NET, "--law", "correlation", "-o", "law.tex"],
    ["derive", "--help"],
):
    result = CliRunner().invoke(app, arguments)
    print(result.exit_code, " ".join(result.output.split()))
"""


def test_a_new_architecture_on_the_command_line(tmp_path):
    net = ["--network", "damped-resnet", "--sigma-w", "2", "-p", "beta=1/2"]
    paths = os.pathsep.join([str(EXAMPLES), str(Path(asy.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(net)],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths}, check=True, cwd=tmp_path,
    )  # fmt: skip
    derived, simulated, angle, kappa, document, shown = done.stdout.splitlines()
    # the layer recursion of a residual network with sigma_w = 1, iterated by another program
    assert derived.startswith("0 damped-resnet network, relu") and "3.79017451042611687" in derived
    assert "sigma_w = 2, sigma_b = 0, beta = 1/2: edge of chaos" in derived
    assert simulated.startswith("0 ") and "checked" in simulated
    assert angle.startswith("2 ") and "law = angle is not a law of DampedResNet; it has ntk, correlation" in angle
    assert "parameter 'kappa' does not belong to the architecture damped-resnet; it has beta" in kappa
    assert document.startswith("0 ") and "wrote" in document
    assert "beta=1/2 (damped" in shown
