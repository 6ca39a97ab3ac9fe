"""Theorems as Coq files: what is written and what is refused; Coq itself is asked where it is installed."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from sympy import exp, log, sin, sqrt, tanh

from asympt.errors import UnsupportedError
from asympt.recursions import Recursion
from asympt.recursions.proofs.coq import law_text, write_coq
from asympt.recursions.proofs.coq.formulas import Formula, X
from tests.cli.command import run

ROOT = Path(__file__).parents[2]
SINE = {
    "kind": "parabolic", "root": 1, "m": 2, "exponent": 1, "first": 0, "from": 2, "map": ["sin", "t"], "range": "1",
    "start": ["1", "1"], "k": 2, "terms": [[], []], "remainder": ["2.13674", 3, 0],
}  # fmt: skip
QUADRATIC = SINE | {
    "map": ["sub", "t", ["pow", "t", 2]], "m": 1, "start": ["3/10", "2/5"], "range": "1/10", "k": 1,
    "remainder": ["5/2", 2, 0],
}  # fmt: skip
RELU = SINE | {
    "map": ["sub", ["pow", "t", 2], ["div", ["sub", ["mul", ["sqrt", ["sub", ["q", "2"], ["pow", "t", 2]]], "t"],
            ["mul", ["mul", ["q", "2"], ["sub", ["q", "1"], ["pow", "t", 2]]],
            ["asin", ["mul", ["mul", ["q", "1/2"], ["sqrt", ["q", "2"]]], "t"]]]], ["pi"]]],
    "root": 2, "m": 1, "exponent": 2, "first": 1, "start": ["9/10", "9/10"], "range": "1/10", "k": 1,
    "remainder": ["340", 3, 0],
}  # fmt: skip


HYPERBOLIC = {
    "kind": "hyperbolic", "map": ["sub", ["mul", ["q", "1/2"], "t"], ["mul", ["q", "1/3"], ["pow", "t", 2]]],
    "chi": "1/2", "k": 5, "start": "1", "first": 0, "from": 2,
    "range": "1/4", "terms": [["1", 1], ["4/3", 2], ["64/27", 3]], "remainder": ["1/25", 4], "N": 6,
}  # fmt: skip


def module_of(name: str):
    """A module of derivations/coq."""
    spec = importlib.util.spec_from_file_location(f"coq_{name}", ROOT / "derivations" / "coq" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def coq_check():
    """The module behind `python derivations/coq/check.py`."""
    return module_of("check")


@pytest.mark.parametrize("proof", [SINE, QUADRATIC, RELU, HYPERBOLIC])
def test_a_law_has_its_domains_and_no_open_proof(proof, coq_check):
    text = law_text(proof)
    assert "Theorem g_domain x i : 0 < x <= r -> dom ge x i." in text
    assert re.search(r"^Theorem domain.*(INR \(n \+ off\))", text, re.MULTILINE)
    assert not coq_check.left_open(text) and "@" not in text


@pytest.mark.parametrize("word", ["admit", "Admitted", "Axiom", "Unset Guard Checking"])
def test_an_open_proof_is_found(word, coq_check):
    assert coq_check.left_open(f"Lemma a : 0 = 1. (* {word} *) Proof. {word}.") == [word]


@pytest.mark.parametrize(("change", "said"), [
    ({"kind": "linear"}, "kind 'linear'"), ({"terms": [[]]}, "two terms"),
    ({"map": QUADRATIC["map"], "m": 1, "k": 1, "range": "1/10",
      "start": ["2/5", "1/2"], "remainder": ["5/2", 2, 0]}, "beyond its end"),
    ({"map": ["sub", "t", ["mul", ["erf", "t"], ["pow", "t", 2]]], "range": "1/10"}, "rho"),
    ({"map": ["sub", "t", ["sub", ["pow", "t", 3], ["pow", "t", 4]]], "range": "1/10"}, "other powers than"),
    ({"remainder": ["1", 3, 0]}, "late enough"),
])  # fmt: skip
def test_what_has_no_coq_proof_is_refused(change, said):
    with pytest.raises(UnsupportedError, match=said):
        law_text(SINE | change)


@pytest.mark.parametrize(("change", "said"), [
    ({"terms": [["1", 1], ["4/3", 2], ["64/26", 3]]}, "late enough"), ({"remainder": ["1/50", 4]}, "late enough"),
    ({"start": ["sqrt", ["q", "2"]]}, "rational"),
])  # fmt: skip
def test_a_hyperbolic_law_that_has_no_coq_proof_is_refused(change, said):
    with pytest.raises(UnsupportedError, match=said):
        law_text(HYPERBOLIC | change)


def test_a_theorem_under_hypotheses_is_one_about_a_smooth_activation():
    with pytest.raises(UnsupportedError, match="smooth activation"):
        module_of("smooth").smooth_text(Recursion(X - X**2, X).law(terms=2).certificate(start="1/2"), 200, "none")


@pytest.mark.parametrize(("tree", "expected"), [
    (["mul", "t", ["exp", ["neg", "t"]]], X * exp(-X)), (["log", ["add", ["q", "1"], ["sin", "t"]]], log(1 + sin(X))),
    (["tanh", "t"], tanh(X)),
    (["sub", ["sqrt", ["add", ["q", "1"], ["mul", ["q", "2"], "t"]]], ["q", "1"]], sqrt(1 + 2 * X) - 1),
])  # fmt: skip
def test_derivatives_in_atoms_are_those_of_the_map(tree, expected):
    formula = Formula(tree)
    for value in formula.derivatives(5):
        assert formula.at_zero(value) == expected.subs(X, 0)
        expected = expected.diff(X)


def test_a_folder_from_the_command_line(tmp_path):
    arguments = ("recursion", "x/(1 + x) * cos(x)", "--start", "1/2", "--terms", "2", "--coq")
    (tmp_path / "file").write_text("")
    for given, code, said in (
        ((str(tmp_path / "new"), "--prove"), 0, "wrote"),
        ((str(tmp_path / "new"),), 2, "add --prove"),
        ((str(tmp_path / "file"), "--prove"), 2, "is a file"),
    ):
        found = run(*arguments, *given)
        assert found.exit_code == code and said in found.output
    assert {"Law.v", "TheLaw.v", "Makefile", "README"} <= {path.name for path in (tmp_path / "new").iterdir()}


@pytest.mark.skipif(shutil.which("coqc") is None, reason="Coq is not installed")
def test_coq_accepts_a_law_and_refuses_a_smaller_constant(tmp_path, coq_check):
    write_coq(QUADRATIC, tmp_path)
    made = subprocess.run(["make", "TheLaw.vo"], cwd=tmp_path, capture_output=True, text=True)
    assert made.returncode == 0 and coq_check.assumed(made.stdout) == [coq_check.AXIOMS]
    smaller = law_text(QUADRATIC)
    assert "B : R := (5/2)." in smaller
    (tmp_path / "TheLaw.v").write_text(smaller.replace("B : R := (5/2).", "B : R := (17/10)."))  # below C = 1.767
    refused = subprocess.run(["coqc", "TheLaw.v"], cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode and "Error" in refused.stderr
