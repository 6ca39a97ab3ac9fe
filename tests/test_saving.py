"""What pickle saves is what was derived: law by law, and in a process that has derived nothing.

The independent side is the object before it was saved; in another process, the number that this one printed.
"""

import copy
import errno
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from flint import acb, arb, arb_poly, arb_series
from mpmath import nstr
from sympy import QQ, Rational, Symbol, cos, log, sin, sqrt

import asympt as asy
from asympt import saving
from asympt.architectures.registry import record_of
from asympt.errors import InputError

X = Symbol("x", positive=True)
Y = Symbol("y", real=True)
NETWORKS = {
    "relu": lambda: asy.FeedForward("relu"),
    "slope": lambda: asy.FeedForward(asy.activation("leaky_relu", slope=Symbol("s", positive=True))),
    "tanh": lambda: asy.FeedForward.on_edge_of_chaos("tanh", sigma_b=Rational(1, 5)),
    "elu": lambda: asy.FeedForward.on_edge_of_chaos("elu", sigma_b=Rational(1, 5)),
    "chaotic": lambda: asy.FeedForward("erf", sigma_w=2, sigma_b=Rational(1, 5)),
    "ordered": lambda: asy.FeedForward("gelu", sigma_w=1, sigma_b=Rational(1, 5)),
    "vanishing": lambda: asy.FeedForward("tanh", sigma_w=1),
    "own": lambda: asy.FeedForward(asy.Activation(sin(Y) + cos(Y) / 2, Y, name="mine"), sigma_w=1, sigma_b=1),
    "resnet": lambda: asy.ResNet("relu", sigma_w=1),
    "growing": lambda: asy.ResNet("gelu", sigma_w=1),
    "bounded": lambda: asy.ResNet("tanh", sigma_w=1),
    "scaled": lambda: asy.ScaledResNet("relu", sigma_w=sqrt(2)),
    "kappa": lambda: asy.ScaledResNet("tanh", kappa="1/2"),
    "block": lambda: asy.BlockResNet("relu", alpha=Rational(1, 10)),
    "conv": lambda: asy.ConvNet("relu", positions=3, reach=1),
    "conv resnet": lambda: asy.ConvResNet("relu", sigma_w=1, positions=4, reach=1),
    "mlp": lambda: asy.MLP("tanh", weight_rate=1, bias_rate=2, schedule="equivalence"),
    "mlp relu": lambda: asy.MLP("relu"),
    "pre-norm": lambda: asy.Network("residual(layer_norm, relu, dense(sqrt(2)))"),
    "post-norm": lambda: asy.Network("serial(residual(relu, dense(sqrt(2))), layer_norm)"),
}
MAPS = {
    "parabolic": X - X**2, "sine": sin(X), "infinity": X + 1 / X, "hyperbolic": X / 2 + X**2, "by digits": cos(X),
    "superattracting": X**2 / (1 + X), "logarithm": log(1 + X), "flip": -sin(Y),
}  # fmt: skip


def through(thing):
    """What comes back, twice saved; a deep copy on the way."""
    return pickle.loads(pickle.dumps(copy.deepcopy(pickle.loads(pickle.dumps(thing)))))


def laws_of(net) -> dict:
    """The laws that a network has, with one term."""
    found = {}
    for name, asked in record_of(net).laws.items():
        try:
            found[name] = asked.of(net, 1, 0)
        except asy.UnsupportedError:
            continue
    return found


def require_same(again, law):
    """Repr, expansion and its digits, remainder, quantity and steps."""
    assert repr(again) == repr(law) and again.quantity == law.quantity and again.name == law.name
    assert again.expansion == law.expansion and again.expansion.remainder == law.expansion.remainder
    assert [c.evalf(20) for _, c in again.expansion.terms] == [c.evalf(20) for _, c in law.expansion.terms]
    assert [step.kind for step in again.steps] == [step.kind for step in law.steps]
    assert again.kind == law.kind and again.parameters == law.parameters


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_and_their_laws(name):
    net = NETWORKS[name]()
    laws = laws_of(net)
    assert laws and repr(through(net)) == repr(net) and through(net) == net
    for law in laws.values():
        require_same(through(law), law)


@pytest.mark.parametrize("name", MAPS)
def test_recursions_and_their_laws(name):
    recursion = asy.Recursion(MAPS[name], *MAPS[name].free_symbols)
    try:
        law = recursion.law(terms=2)
    except asy.UnsupportedError:
        law = None
    again = through(recursion)
    assert again == recursion and repr(again) == repr(recursion)
    if law is not None:
        require_same(through(law), law)
        require_same(again.law(terms=2), law)


@pytest.mark.parametrize("name", ["relu", "ordered", "scaled", "pre-norm"])
def test_numbers_of_a_saved_law(name):
    law = NETWORKS[name]().correlation_law(terms=1)
    given = {"depth": 50, "correlation": "1/10", "digits": 12}
    assert nstr(through(law).evaluate(**given), 12) == nstr(law.evaluate(**given), 12)


def test_theorems_verifications_and_claims():
    law = asy.Recursion(X / (1 + X), X).law(terms=1)
    certificate = law.certificate(start=1)
    assert through(certificate).statement == certificate.statement and repr(through(certificate)) == repr(certificate)
    verification = asy.verify(law, digits=10, depth=100)
    again = through(verification)
    assert again.report() == verification.report() and again.verdict == verification.verdict
    assert again.law.remainder == verification.law.remainder
    for claim in asy.claims.all_claims():
        assert repr(through(claim)) == repr(claim), claim.id


def test_what_was_asked_for_once_is_left_out():
    net = asy.FeedForward("relu")
    size = len(pickle.dumps(net))
    law = net.ntk_law(terms=1)
    small = len(pickle.dumps(law))
    law.evaluate(depth=100, correlation="1/10")
    assert len(pickle.dumps(net)) == size and len(pickle.dumps(law)) < 1.1 * small
    assert pickle.loads(pickle.dumps(net)).phase == "edge of chaos"


SCRIPT = """
import pickle, sys
law = pickle.load(sys.stdin.buffer)
print(law.expansion, law.evaluate(depth=100, correlation="1/10", digits=15))
"""


def test_in_a_process_that_derived_nothing():
    law = asy.ResNet("relu", sigma_w=1).correlation_law(terms=1)
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, input=pickle.dumps(law), capture_output=True, check=True)
    assert done.stdout.decode().strip() == f"{law.expansion} {law.evaluate(depth=100, correlation='1/10', digits=15)}"


def test_two_workers():
    joblib = pytest.importorskip("joblib")
    law = asy.Recursion(sin(X), X).law(terms=1)
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(law.evaluate)(depth=n, start=1) for n in (10, 20))
    assert found == [law.evaluate(depth=n, start=1) for n in (10, 20)]


def test_balls_hold_what_they_held():
    for ball in (arb(2).sqrt(), arb(1) / 3, arb(7), arb(0, 1), arb(3) ** 2000 / 7):
        again = pickle.loads(pickle.dumps(ball))
        assert again.mid() == ball.mid() and again.rad() == ball.rad()
    assert not pickle.loads(pickle.dumps(arb("nan"))).is_finite()
    value, poly, series = acb(1, arb(1) / 3), arb_poly([1, 2]), arb_series([1] * 20, prec=20)
    again = pickle.loads(pickle.dumps([value, poly, series]))
    assert again[0].contains(value) and again[1].coeffs() == poly.coeffs() and again[2].coeffs() == series.coeffs()


def test_a_function_that_is_another_one_now():
    """A place whose function has other names says so, in one sentence."""
    reader = asy.ConvNet("relu", positions=3, reach=1).correlation_law(terms=1).reader
    make, place = saving._of_function(reader)
    assert make(*place)(correlation="1/10").gaps == reader(correlation="1/10").gaps
    with pytest.raises(LookupError, match="is another function now"):
        make(*place[:3], (("another",), (), ()), *place[4:])
    planted = pickle.dumps(SimpleNamespace(call=1)).replace(b"SimpleNamespace", b"SimpleNamespacf")
    with pytest.raises(InputError, match=r"saved by asympt 0\.0\.1 and does not fit asympt .*; derive it again"):
        saving.loaded(planted, "0.0.1")


def test_files_are_written_whole_or_not_at_all(tmp_path, monkeypatch):
    old, new = tmp_path / "old.tex", tmp_path / "new.pdf"
    old.write_text("old")

    def full(path, content):
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        with pytest.raises(OSError, match="No space left") as caught:
            saving.write({new: b"%PDF", old: b"new"})
    assert caught.value.filename == str(new)
    assert [path.name for path in tmp_path.iterdir()] == ["old.tex"] and old.read_text() == "old"
    saving.write({new: b"%PDF", old: b"new"})
    assert old.read_text() == "new" and sorted(path.name for path in tmp_path.iterdir()) == ["new.pdf", "old.tex"]


def test_a_target_is_probed_before_the_work(tmp_path, monkeypatch):
    def full(dir):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(saving, "TemporaryFile", full)
    with pytest.raises(InputError, match=r"x.tex' cannot be written \(No space left on device\); correct that"):
        saving.check_path(tmp_path / "x.tex", (".tex", ".pdf"))


WRITES = "import pickle, sys; field, e = pickle.load(sys.stdin.buffer); print(field.to_sympy(e) - field.ext.as_expr())"


def test_a_number_field_reads_its_elements_the_same_in_a_process_with_other_hashes():
    """SymPy remembers how to write elements as rows beside a set, whose order is another one there."""
    field = QQ.algebraic_field(sqrt(2), sqrt(3))
    assert field.to_sympy(field.unit) == field.ext.as_expr()  # and it remembers
    saved = saving._dumped((field, field.unit))
    for seed in ("1", "2", "3"):
        found = subprocess.run(
            [sys.executable, "-c", WRITES], input=saved, capture_output=True, env={"PYTHONHASHSEED": seed}, check=True
        )
        assert found.stdout.strip() == b"0"
