"""Names as people type them, lists of what there is, output that explains itself at any width, the JSON schema."""

import inspect
import json
import re
import shutil
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

import asympt
from asympt import activation, catalogue, claims
from asympt.architectures import registry
from asympt.cli import glossary
from asympt.cli.app import activation_record, app
from asympt.errors import InputError
from asympt.meanfield.variance import jumps
from tests.cli.command import record, run

SCHEMA = json.loads(files("asympt.cli").joinpath("schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("given", "known"), [("ReLU", "relu"), ("Leaky ReLU", "leaky_relu"), ("hard-tanh", "hard_tanh"), ("TANH", "tanh")]
)
def test_an_activation_is_known_in_capitals(given, known):
    assert activation(given) == activation(known)


def test_architectures_laws_and_claims_are_known_in_capitals():
    assert registry.find("ScaledResNet").name == "scaled-resnet"
    assert claims.find("hdr.b1.RELU-exp").id == "HDR.B1.relu-exp"
    shown = record("derive", "ReLU", "--network", "ResNet", "--sigma-w", 1, "--law", "NTK", "--terms", 1)
    assert shown["network"]["architecture"] == "resnet" and shown["law"]["name"] == "ntk"


def test_no_name_is_near_to_nothing():
    with pytest.raises(InputError, match=r"unknown activation 'zzzz'; known are relu"):
        activation("zzzz")


def test_a_formula_that_begins_with_a_minus_is_told_where_to_go():
    result = run("recursion", "-sin(x)")
    assert result.exit_code == 2 and "goes last, after --: asympt recursion --start 1 -- '-sin(x)'" in result.stderr
    assert "--," not in run("derive", "relu", "--colour", "red").stderr


def test_every_activation_and_network_is_listed():
    listed = record("activations", "--no-edge")["activations"]
    assert [row["name"] for row in listed] == list(catalogue())
    networks = {row["name"]: row for row in record("networks")["networks"]}
    assert set(networks) == {known.name for known in registry.records()}
    assert "kernel-00" in networks["mlp"]["laws"] and "kernel-00" not in networks["resnet"]["laws"]


def test_listed_defaults_are_those_of_the_classes():
    for row in record("networks")["networks"]:
        taken = inspect.signature(registry.find(row["name"]).load()).parameters
        for name, value in (pair.split("=") for pair in row["parameters"]):
            default = taken[name].default
            assert default is inspect.Parameter.empty or str(default) == value


def test_the_table_of_the_package_is_what_is_computed():
    """Names, formulas and classes of all; the Edge of Chaos of those without a search, and of one with."""
    for row in record("activations")["activations"]:
        phi = activation(row["name"])
        assert (row["formula"], row["class"]) == (str(phi.expression), phi.klass)
        if phi.is_relu_like or jumps(phi.piecewise) or phi.name == "hard_tanh":
            assert row == activation_record(phi.name)


def test_the_edge_of_chaos_is_listed():
    edges = {row["name"]: row["edge"] for row in record("activations")["activations"]}
    assert edges["relu"] == "sigma_w = sqrt(2), sigma_b = 0" and edges["step"] == edges["softplus"] == "none"
    # sigmoid: sigma_b^2 = q - M_0/M_1 is 0 at q = 45.62 and grows from there, sigma_w from M_1(q)^(-1/2) = 10.149 on
    assert edges["sigmoid"] == "sigma_b 0 to oo, sigma_w 10.1 to oo"


def test_help_lists_the_laws_of_every_architecture_and_true_defaults():
    text = " ".join(run("derive", "--help").stdout.split())
    assert all(name in text for record in registry.records() for name in record.laws)
    assert "mlp also angle" in text and "1 with skip connections" in text
    for known in ("resnet", "scaled-resnet", "block-resnet"):
        assert inspect.signature(registry.find(known).load()).parameters["sigma_w"].default == 1


@pytest.mark.parametrize(("columns", "most"), [(None, 80), ("60", 60)])
def test_what_goes_to_a_file_has_the_width_asked_for(columns, most, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    assert shutil.get_terminal_size().columns == most
    assert max(map(len, run("networks").stdout.splitlines())) <= most


PRINTED = {
    "derivation": "derive relu --terms 2 --correlation 1/10 --depth 1000",
    "recursion": "recursion sin(x) --terms 2 --start 1 --depth 100",
    "edge": "eoc relu",
    "proof": "prove relu --correlation 1/10",
    "proof of a map": "recursion x/(1+x) --start 1 --prove",
    "networks": "networks",
    "activations": "activations --no-edge",
    "blocks": "blocks",
    "simulation": "simulate relu --depth 2 --widths 16,32 --standard-error 0.3",
    "width": "width relu --depth 3 --check 20",
}


@pytest.mark.parametrize("kind", PRINTED)
def test_json_follows_its_schema(kind):
    found = record(*PRINTED[kind].split())
    assert found["schema"] == "asympt/1"
    jsonschema.validate(found, {**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{kind.split()[0]}"}]})


def test_lists_of_claims_follow_the_schema():
    listed = json.loads(run("claims", "list", "--source", "HDR App. B.1", "--format", "json").stdout)
    assert listed
    jsonschema.validate(listed, SCHEMA)
    checked = json.loads(run("claims", "check", "HDR.B1.relu-exp", "--format", "json").stdout)
    jsonschema.validate(checked, {**SCHEMA, "anyOf": [{"type": "array", "items": {"$ref": "#/$defs/checked"}}]})


def test_reports_follow_the_schema():
    found = record("verify", "relu", "--law", "correlation", "--terms", 2, "--depth", 1000, "--digits", 12)
    jsonschema.validate(found, {**SCHEMA, "anyOf": [{"$ref": "#/$defs/report"}]})


def test_the_schema_is_printed_and_is_one():
    assert json.loads(run("schema").stdout) == SCHEMA
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    broken = record("eoc", "relu") | {"schema": "asympt/0"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, SCHEMA)


@pytest.mark.parametrize(("typed", "found"), [
    ("help Ab", ["Abel function"]), ("derive so", ["softplus", "softsign"]),
    ("derive relu --law dep", ["depth", "depth-ntk"]), ("derive relu --network sca", ["scaled-resnet"]),
])  # fmt: skip
def test_the_shell_completes_names(typed, found):
    asked = {"_ASYMPT_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": f"asympt {typed}"}
    told = CliRunner().invoke(app, [], prog_name="asympt", env=asked).stdout
    assert "--install-completion" in run("--help").stdout and [name for name in found if f'"{name}"' not in told] == []


def test_help_explains_a_name_or_suggests_one():
    assert "f'''(1)" in run("help", "f7").stdout
    assert "--correlation" in run("help", "derive").stdout
    assert "up to a factor" in " ".join(run("help", "C").stdout.split())  # the second line of an entry
    assert run("help", "Koenigs").stdout.strip().startswith("S, Koenigs function")
    unknown = run("help", "abell")
    assert unknown.exit_code == 2 and "did you mean Abel?" in unknown.stderr


def test_every_name_in_a_law_has_a_value_or_a_meaning():
    printed, _, meanings = run("derive", "tanh", "--sigma-b", "0.2").stdout.partition("where\n")
    explained = set(re.findall(r"\w+", " ".join(line[:14] for line in meanings.splitlines())))
    explained |= set(re.findall(r"^    (\w+) ", printed, re.MULTILINE))
    names = set(re.findall(r"\b(?:[A-Z]|alpha_\d|f\d|M_\d|q|c|t|f|sigma_w)\b(?!\()", printed))
    assert names and names <= explained | {"L", "K", "A", "O", "sigma_w"}


def test_nothing_is_cut_at_forty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    for command in ("claims check HDR.T1.fprime", "networks", "derive relu"):
        lines = run(*command.split()).stdout.splitlines()
        assert max(map(len, lines)) <= 40 and not any(line.endswith(("...", "…")) for line in lines)
    assert "..." not in run("--help").stdout.partition("Commands")[2].replace("[ARGS]...", "")


def test_every_constant_that_a_law_prints_by_a_letter_is_in_the_glossary():
    text = "".join(path.read_text(encoding="utf-8") for path in Path(asympt.__path__[0]).rglob("*.py"))
    letters = re.findall(r"^ .*[^.>](?:Coefficient|RealConstant)\(f?\"([^\"\[]+)\"", text, re.MULTILINE)
    names = {letter.replace("{name}", "o").replace("{letter}", "r") for letter in letters}
    assert len(names) > 12 and not [name for name in names if not glossary.found(re.sub("{.*}", "2", name))]
    assert all(map(glossary.found, ("e_4", "f3_star", "phi", "rho", "x_n", "Theta_12")))
