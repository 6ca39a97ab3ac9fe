"""What cannot be written, and numbers out of range, are refused before anything is derived."""

import os

import pytest
from sympy import Symbol, sin
from typer.testing import CliRunner

import asympt as asy
from asympt import plots, saving, writing
from asympt.cli import laws, reading
from asympt.cli.app import app
from asympt.recursions import Law
from asympt.writing.document import require_document

COMMANDS = {
    "derive": ("derive", "relu", "-o"),
    "recursion": ("recursion", "sin(x)", "-o"),
    "plot": ("plot", "relu", "-o"),
    "claims": ("claims", "check", "HDR.def3.relu", "--report"),
}


@pytest.fixture
def nothing_is_derived(monkeypatch, tmp_path):
    def derive(*_given, **_named):
        raise AssertionError("the work has begun")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reading, "activation_of", derive)
    monkeypatch.setattr(asy.Recursion, "law", derive)
    monkeypatch.setattr("asympt.cli.claims.checked_claims", derive)


def refused(*arguments) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2 and result.stdout == "", (result.output, result.exception)
    assert result.stderr.startswith("asympt: ") and result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.usefixtures("nothing_is_derived")
class TestPaths:
    @pytest.mark.parametrize("command", COMMANDS)
    def test_unknown_endings(self, command):
        chosen = COMMANDS[command] if command != "claims" else (*COMMANDS[command][:2], COMMANDS[command][-1])
        assert "unknown ending" in refused(*chosen, "result.docx")
        assert "unknown ending" in refused(*chosen, "result")

    @pytest.mark.parametrize("command", ["derive", "recursion", "plot"])
    def test_folders(self, command, tmp_path):
        (tmp_path / "folder.pdf").mkdir()
        assert "is a folder" in refused(*COMMANDS[command], "folder.pdf")
        assert "does not exist" in refused(*COMMANDS[command], "no/such/result.pdf")

    @pytest.mark.parametrize("command", ["derive", "recursion", "plot"])
    def test_permissions(self, command, monkeypatch):
        monkeypatch.setattr(os, "access", lambda *_given: False)
        assert "cannot be written" in refused(*COMMANDS[command], "result.pdf")

    def test_a_missing_tex_installation(self, monkeypatch):
        monkeypatch.setattr("shutil.which", lambda _name: None)
        assert "no TeX" in refused("derive", "relu", "-o", "law.pdf")
        assert "no TeX" in refused("recursion", "sin(x)", "-o", "law.pdf")

    def test_in_python(self, monkeypatch):
        x = Symbol("x")
        monkeypatch.setattr(os, "access", lambda *_given: False)
        for write in (lambda: writing.write(None, path="law.tex"), lambda: plots.save(None, "law.png"),
                      lambda: writing.write_recursion(asy.Recursion(sin(x), x), None, "law.tex")):  # fmt: skip
            with pytest.raises(asy.InputError, match="cannot be written"):
                write()
        with pytest.raises(asy.InputError, match="not the name of a file"):
            saving.check_path(None, (".tex",))


INTEGERS = [
    ("derive", "relu", "--terms"), ("derive", "relu", "--digits"), ("derive", "relu", "--depth"),
    ("verify", "relu", "--terms"), ("verify", "relu", "--digits"), ("verify", "relu", "--depth"),
    ("verify", "relu", "--workers"), ("recursion", "sin(x)", "--terms"), ("recursion", "sin(x)", "--digits"),
    ("recursion", "sin(x)", "--start", "1", "--depth"), ("plot", "relu", "-o", "a.png", "--terms"),
    ("plot", "relu", "-o", "a.png", "--depth"), ("simulate", "relu", "--depth"), ("simulate", "relu", "--seed"),
    ("simulate", "relu", "--widths"), ("simulate", "relu", "--workers"), ("eoc", "relu", "--digits"),
    ("width", "relu", "--width"), ("width", "relu", "--depth"), ("width", "relu", "--check"),
    ("claims", "check", "--digits"), ("claims", "check", "--depth"),
]  # fmt: skip


@pytest.mark.usefixtures("nothing_is_derived")
@pytest.mark.parametrize("option", INTEGERS, ids=" ".join)
@pytest.mark.parametrize("value", ["many", "10^6.5", "1/3", "sqrt(2)", "", "nan"])
def test_whole_numbers_get_advice_that_fits(option, value):
    said = refused(*option, value)
    assert "sqrt(2)" not in said.replace(f"= {value}", "") and "1/10" not in said
    assert "whole number" in said or "finite" in said


@pytest.mark.usefixtures("nothing_is_derived")
@pytest.mark.parametrize("option", [o for o in INTEGERS if o[-1] in ("--terms", "--digits", "--depth")], ids=" ".join)
def test_whole_numbers_are_in_range_before_the_work(option):
    if option[0] != "simulate":
        assert f"{option[-1][2:]} = 0" in refused(*option, "0")


@pytest.mark.usefixtures("nothing_is_derived")
def test_an_option_is_named_as_it_was_typed():
    assert "check = 5 is not an integer of at least 10" in refused("width", "relu", "--check", "5")


NO_DOCUMENT = {
    "law": (("relu", "--law", "angle"), "known are ntk, correlation"),
    "law of another architecture": (("relu", "--network", "resnet", "--law", "zeta"), "known are ntk, correlation"),
}


@pytest.mark.parametrize("case", NO_DOCUMENT)
def test_whether_a_document_exists_is_known_before_the_derivation(case, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(laws, "law_of", None)
    arguments, named = NO_DOCUMENT[case]
    assert named in refused("derive", *arguments, "-o", "law.tex")


@pytest.mark.parametrize(("more", "said"), [
    ((), "no Coq proof of the law of the ntk"), (("--network", "scaled-resnet", "--law", "correlation"), "'driven'"),
])  # fmt: skip
def test_whether_there_is_a_coq_proof_is_known_before_the_theorem_is_proved(more, said, monkeypatch, tmp_path):
    monkeypatch.setattr(Law, "certificate", None)
    assert said in refused("prove", "relu", *more, "-c", "1/10", "--coq", str(tmp_path))


def test_documents_that_exist_are_not_refused():
    for net in (asy.FeedForward("relu"), asy.ResNet("relu", sigma_w=1), asy.ScaledResNet("relu", kappa="1/2"),
                asy.FeedForward("tanh"), asy.FeedForward("tanh", sigma_w="3/2", sigma_b=1), asy.ResNet("gelu"),
                asy.ConvNet("relu", positions=4, reach=1), asy.MLP("relu"), asy.BlockResNet("relu")):  # fmt: skip
        require_document(net)
        require_document(net, "correlation")
