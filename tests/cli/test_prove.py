"""`asympt prove`: text, JSON, a document, and what it refuses."""

import json
from decimal import Decimal

from tests.cli.command import run

NTK = ["prove", "relu", "--law", "ntk", "--correlation", "-1..9/10"]


def test_text_has_the_theorem_and_its_steps():
    result = run(*NTK)
    assert result.exit_code == 0
    assert "for all L >= 2 and all c^1 in [-1, 9/10]" in result.output
    assert all(step in result.output for step in ("radius", "circle bound", "inversion", "tail"))


def test_json_has_the_figures():
    record = json.loads(run(*NTK, "--format", "json").stdout)["certificate"]
    assert Decimal("3.79") < Decimal(record["constant"]) < Decimal("3.84") and record["valid_from"] == 2


def test_document(tmp_path):
    path = tmp_path / "proof.tex"
    assert run(*NTK, "-o", str(path)).exit_code == 0
    text = path.read_text()
    assert r"\begin{theorem}" in text and "Rouch" in text and "on the circle" in text


def test_falling_branches_have_a_document(tmp_path):
    """The flow time's own lemmas, and the recursion with its step sizes."""
    path = tmp_path / "proof.tex"
    found = run("prove", "relu", "--network", "scaled-resnet", "--terms", "1", "-c", "1/10", "-o", str(path))
    text = path.read_text()
    assert found.exit_code == 0 and "Single layers" in text and r"\delta_l = \frac{1}{2 \left(l + \frac{1}{2}" in text


def test_a_map_has_its_theorem_uniform_in_the_start():
    """x/(1 + x) from x_0 is x_0/(1 + n x_0): the bound must hold, and C = 1/x_0 lies between the ends named."""
    found = run("recursion", "x/(1+x)", "--start", "1/2..1", "--terms", "2", "--prove")
    assert found.exit_code == 0 and "for all n >= 2 and all x_0 in [1/2, 1]" in found.output
    proved = run("recursion", "x/(1+x)", "--start", "1", "--terms", "2", "--prove", "--format", "json")
    record = json.loads(proved.stdout)
    theorem = record["certificate"]["statement"]
    bound, letters = theorem.split(" <= ")[1].split(", with C in ")
    low, high = (Decimal(end) for end in letters.strip("[]").split(", "))
    assert bound.endswith("/n^3") and low <= 1 <= high
    size = Decimal(bound.removesuffix("/n^3"))
    for n in (2, 3, 10, 1000):
        assert abs(1 / Decimal(n + 1) - 1 / Decimal(n) + 1 / Decimal(n) ** 2) <= size / Decimal(n) ** 3


def test_the_proof_of_a_map_is_written(tmp_path):
    path = tmp_path / "proof.tex"
    assert run("recursion", "sin(x)", "--start", "1/2..1", "--prove", "-o", str(path)).exit_code == 0
    assert r"\begin{theorem}" in path.read_text()


def test_the_letters_of_a_theorem_are_said():
    """erf at sigma_b = 1/10: f''(1) = 0.12741236034060425236 as `law.summary()` has it, cut and not rounded."""
    said = run("prove", "erf", "--sigma-b", "1/10", "-c", "1/10").output
    assert "f2 = 0.127412360340604..., f3 = 0.176114089043296..." in " ".join(said.split())
