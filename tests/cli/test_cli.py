"""The command line: what each command prints, in which format, and with which exit code."""

import json
import os
import subprocess
import sys
import time

import mpmath
import numpy as np
import pytest

import asympt
import asympt.claims
import asympt.writing
from asympt import showing
from asympt.claims.claim import Claim
from asympt.cli.display import round_number
from asympt.cli.reading import whole
from asympt.evidence import Check, Verification
from tests.cli.command import printed, run

# The numbers of the project's first issue, computed there by iterating HDR Lemma 2 in mpmath at 60 digits.
GAP_1000 = "4.31941192376899524122866682164788741430e-5"
NTK_1000 = "0.253354646152356008856535945061467398368"


# ---- starting -----------------------------------------------------------------------------------------


def test_the_command_line_imports_nothing_heavy():
    code = (
        "import sys, asympt.cli.app; "
        "print([m for m in ('sympy', 'numpy', 'mpmath', 'matplotlib', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("module", ["asympt", "asympt.cli"])
def test_the_module_runs_and_help_names_every_command(module):
    done = subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, text=True, check=True)
    for command in ("derive", "verify", "plot", "recursion", "eoc", "claims"):
        assert f"\n  {command}" in done.stdout


@pytest.mark.parametrize("group", [(), ("claims",)])
def test_a_narrow_terminal_shows_whole_lines_of_help(group, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert "..." not in printed(*group, "--help").replace("[ARGS]...", "")


def test_version():
    assert printed("--version").strip() == f"asympt {asympt.__version__}"


# ---- derive -------------------------------------------------------------------------------------------


def test_derive_prints_every_step_of_the_relu_law():
    text = printed("derive", "relu", "--law", "ntk")
    assert "f(c) = c + (-c*acos(c) + sqrt(1 - c^2))/pi" in text
    assert "residue         3/2" in text and "**" not in text
    assert "K^L(x,x')/(q L) = 1/4 + 3*log(L)/(8*L)" in text
    assert "log(L)/L" in text and "O(1/L^2), formal" in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_options_may_come_in_any_order():
    first = printed("derive", "--terms", 3, "relu", "--law", "ntk")
    assert first == printed("derive", "relu", "--law", "ntk", "--terms", 3)


def test_derive_evaluates_when_given_a_start_and_a_depth():
    text = printed("derive", "relu", "--law", "ntk", "--correlation", "1/10", "--depth", 1000, "--digits", 39)
    assert NTK_1000 in text
    text = printed("derive", "relu", "--law", "correlation", "-c", "0.1", "--depth", "1e3", "--digits", 39)
    assert GAP_1000 in text


def test_a_slope_may_be_a_letter():
    text = printed("derive", "leaky_relu", "--slope", "a", "--law", "ntk", "--terms", 2)
    assert "slopes 1, a" in text and "1/4 + 3*log(L)/(8*L) + O(1/L)" in text
    result = run("derive", "leaky_relu", "--slope", "a", "--terms", 2, "-c", "0", "--depth", 10)
    assert result.exit_code == 2 and "symbols a" in result.stderr


def test_the_edge_of_chaos_of_a_slope_that_is_a_letter():
    assert "1/sqrt(a^2/2 + 1/2)" in printed("eoc", "leaky_relu", "--slope", "a")


def test_derive_json_is_one_valid_document_with_numbers_as_text():
    arguments = ("--format", "json", "-c", "1/10", "--depth", "1000", "--digits", "39")
    record = json.loads(printed("derive", "relu", *arguments))
    assert record["network"]["phase"] == "edge of chaos"
    assert record["law"]["limit"] == "1/4" and record["law"]["residue"] == "3/2"
    assert record["law"]["expansion"]["terms"][1] == {
        "order": "1", "logs": 1, "monomial": "log(L)/L", "coefficient": "3/8", "number": "0.37500000000000000000"
    }  # fmt: skip
    # -3 log(3 sqrt(2) pi/2)/8 - 1/8 by mpmath
    assert record["law"]["expansion"]["terms"][2]["number"] == "0.25*C - 0.83628821908907645406"
    assert record["value"]["value"] == NTK_1000 and record["value"]["depth"] == "1000"


def test_derive_latex_is_the_law_alone():
    text = printed("derive", "relu", "--format", "latex").strip()
    assert text == asympt.FeedForward("relu").ntk_law(4).latex()


# ---- recursion and eoc ----------------------------------------------------------------------------------


def test_recursion_of_the_sine():
    # 3/x^2 = n + (3/5) log n + C + o(1), C = 2.43045534652867724470 for x_0 = 1; with alpha_0 = 0 the constant
    # is C + (3/5) log 3: 2.43045534652867724470 + 0.65916737320086581... = 3.08962271972954...
    text = printed("recursion", "sin(x)", "--start", "1", "--depth", "1e6")
    assert ["residue", "6/5"] in [line.split() for line in text.splitlines()]
    assert "3.0896227197295430" in text
    assert "0.00173204152405220190511360290173" in text  # x_(10^6): asympt, two precisions and two matching layers


def test_recursion_json_and_fixed_point():
    record = json.loads(printed("recursion", "1 + sin(x - 1)", "--fixed-point", "1", "--format", "json", "--terms", 2))
    assert record["fixed_point"] == "1" and record["kind"] == "parabolic"
    assert "x_{n} = 1 + " in printed("recursion", "1 + sin(x - 1)", "--fixed-point", "1", "--format", "latex")


def test_recursion_of_every_kind():
    assert "x_n = xi + C*(-sin(xi))^n" in printed("recursion", "cos(x)", "--terms", 2)
    assert "0.73908513321516064165531208767" in printed("recursion", "cos(x)", "--terms", 1)  # OEIS A003957
    assert "x_n^2 = 2*n + log(n)/2 + 2*C" in printed("recursion", "x + 1/x", "--of", "x^2", "--terms", 4)
    assert "flip" in printed("recursion", "--terms", 1, "--", "-sin(x)")
    assert "x_n = -2/n" in printed("recursion", "exp(x) - 1", "--side", "below", "--terms", 1)
    assert "t = sqrt(x_n)" in printed("recursion", "x - x^(3/2)/2", "--terms", 1)


def test_recursion_whose_orbit_changes_sides():
    # 1/2 -> 3/4 -> 9/16: even steps come in below 2/3
    logistic = ("recursion", "3*x*(1-x)", "--fixed-point", "2/3", "--terms", 2)
    text = " ".join(printed(*logistic, "--start", "1/2").split())
    even = "law, even n x_n = 2/3 - sqrt(2)/(6*sqrt(n)) + O(1/n)"
    odd = "law, odd n x_n = 2/3 + sqrt(2)/(6*sqrt(n)) + O(1/n)"
    assert 0 < text.index(even) < text.index("0.666667 - 0.235702/sqrt(n)") < text.index(odd)
    assert "sides from x_0 = 1/2" in text and "t = 2/3 - x_n" in text and "log|t|" in text
    words = " ".join(printed(*logistic).split())
    assert even.replace("even", "odd") in words and "if x_n > 2/3 for all large even n" in words
    record = json.loads(printed(*logistic, "--start", "1/2", "--format", "json"))
    assert record["side"] == "below" and record["law"]["sides"] == "from x_0 = 1/2"
    branches = record["law"]["branches"]
    assert branches["0"] == record["law"]["expansion"] and branches["0"]["terms"][1]["coefficient"] == "-sqrt(2)/6"
    assert branches["1"]["terms"][1]["coefficient"] == "sqrt(2)/6"
    tex = printed(*logistic, "--format", "latex")
    assert tex.count(r"\text{for even } n") == tex.count(r"\text{for odd } n") == 1


def test_recursion_with_its_checks():
    record = json.loads(printed("recursion", "x - x^2", "--verify", "--digits", 15, "--format", "json"))
    assert record["verification"]["verdict"] == "proved" and len(record["verification"]["checks"]) > 2


def test_edge_of_chaos():
    assert "sqrt(2) = 1.41421356237309504880168872421" in printed("eoc", "relu", "--sigma-b", 0)  # sigma_w^2 = 2 (HDR)
    record = json.loads(printed("eoc", "leaky_relu", "--slope", "1/10", "--digits", "20", "--format", "json"))
    assert record["sigma_w"] == mpmath.nstr(mpmath.sqrt(mpmath.mpf(200) / 101), 15)[:13] + record["sigma_w"][13:]
    assert record["q"] is None


# ---- verify and claims ------------------------------------------------------------------------------------


QUICK = ("--digits", 12, "--depth", 1000)


def test_verify_shows_the_law_and_the_claim_as_printed():
    result = run("verify", "relu", "--law", "ntk", *QUICK)
    assert result.exit_code == 0, result.output
    assert "K^L(x,x')/(q L) = 1/4 + 3*log(L)/(8*L)" in result.stdout and "O(1/L^2): proved" in result.stdout
    assert "for all L >= 2 and c^1 = 1/10" in " ".join(result.stdout.split())
    printed_claim = result.stdout.partition("claim HDR.T1.1-rate ")[2].partition("\nclaim")[0]
    assert printed_claim.splitlines()[0].endswith("refuted")
    assert r"\Theta(L^{-1})" in printed_claim
    assert "3*log(L)/(8*L); expected Theta(1/L)" in " ".join(printed_claim.split())
    corrected = " ".join(printed_claim.partition("corrected")[2].partition("shown by")[0].split())
    assert corrected.startswith("|K^L(x,x')/(q L) - 1/4| = Theta(log(L)/L)") and corrected.endswith(": checked")


def test_verify_json():
    record = json.loads(printed("verify", "leaky_relu", "--slope", "1/10", "--format", "json", *QUICK))
    assert record["verdict"] == "proved" and record["undone"] == 0 and record["law"]["name"] == "ntk"
    assert all(check["passed"] for check in record["checks"])
    claims = {claim["id"]: claim for claim in record["claims"]}
    assert claims["HDR.T1.1-rate"]["verdict"] == "refuted"
    assert claims["HDR.T1.1-rate"]["corrected"]["verdict"] == "checked"


PLANTED = {
    "refuted": tuple(Check("planted", 1.0, 0.0, False, route=name) for name in ("one", "two")),
    "unknown": (Check("undone", None, 1, None), Check.compare("done", mpmath.mpf("1e-33"), 1)),
    "checked": (Check.compare("done", mpmath.mpf("1e-33"), mpmath.mpf("1e-30")),),
    "proved": (Check.compare("identity", 0, 0, strength="proved"),),
}


@pytest.mark.parametrize("verdict", PLANTED)
def test_the_exit_code_of_verify_is_its_verdict(monkeypatch, verdict):
    seen = {}

    def stand_in(law, **options):
        seen.update(options, law=law.name)
        options["progress"]("step", 1, 2)
        return Verification("the law", PLANTED[verdict])

    monkeypatch.setitem(vars(asympt), "verify", stand_in)
    monkeypatch.setattr(asympt.claims, "for_law", lambda law: ())
    result = run("verify", "relu", "--format", "json", "--digits", 20, "--depth", "1e5", "--workers", 2)
    record = json.loads(result.stdout)
    assert record["verdict"] == verdict and result.exit_code == (0 if verdict in ("checked", "proved") else 1)
    assert record["undone"] == (verdict == "unknown")
    del seen["progress"]
    assert seen == {"law": "ntk", "digits": 20, "depth": 10**5, "workers": 2, "theorem": True}
    assert f": {verdict}" in run("verify", "relu").stdout


def test_claims_are_listed():
    text = printed("claims", "list")
    listed = json.loads(printed("claims", "list", "--format", "json"))
    assert len(listed) == len(asympt.claims.all_claims()) and all(claim["id"] in text for claim in listed)
    theorem = json.loads(printed("claims", "list", "--source", "hdr theorem 1", "--format", "json"))
    assert theorem and all(claim["id"].startswith("HDR.T1") for claim in theorem)
    assert json.loads(printed("claims", "list", "--source", "nobody", "--format", "json")) == []


def test_claims_are_checked():
    assert "1 claim: 1 proved, 0 checked, 0 unknown, 0 refuted" in printed("claims", "check", "HDR.B1.relu-exp", *QUICK)
    result = run("claims", "check", "HDR.T1.gain", "HDR.AL5.prod", "--format", "json", *QUICK)
    assert result.exit_code == 1
    assert [claim["id"] for claim in json.loads(result.stdout)] == ["HDR.T1.gain", "HDR.AL5.prod"]
    assert all(claim["verdict"] == "refuted" for claim in json.loads(result.stdout))


def _planted(name: str, decide) -> Claim:
    return Claim(name, "Planted 2026", "a=b", f"claim {name}", decide)


def _true():
    return Verification("true", (Check("zero", np.float64(0), 0, np.bool_(True), "proved"),))


def _broken():
    raise ZeroDivisionError("a fault\nof two lines")


def _interrupted():
    raise KeyboardInterrupt


@pytest.fixture
def planted(monkeypatch):
    """The catalogue, of claims with these decisions."""

    def plant(*decisions):
        found = tuple(_planted(f"P.{index}", decide) for index, decide in enumerate(decisions))
        monkeypatch.setattr(asympt.claims, "all_claims", lambda: found)

    return plant


def test_a_claim_that_raises_does_not_lose_the_others(planted, tmp_path):
    planted(_true, _broken, _true)
    result = run("claims", "check", "--format", "json", "--report", tmp_path / "report.md")
    found = json.loads(result.stdout)
    assert result.exit_code == 1 and [claim["verdict"] for claim in found] == ["proved", "unknown", "proved"]
    assert found[1]["error"] == "ZeroDivisionError: a fault of two lines" and found[0]["checks"][0]["passed"] is True
    assert "ZeroDivisionError" in (tmp_path / "report.md").read_text()
    text = run("claims", "check").stdout
    assert "ZeroDivisionError: a fault" in text and "3 claims: 2 proved, 0 checked, 1 unknown, 0 refuted" in text


def test_what_was_decided_before_an_interrupt_is_one_json_document(planted):
    planted(_true, _interrupted, _true)
    result = run("claims", "check", "--format", "json")
    assert result.exit_code == 130 and [claim["id"] for claim in json.loads(result.stdout)] == ["P.0"]


def test_results_are_written_as_they_come(planted, monkeypatch):
    written, seen = [], []
    planted(_true, lambda: seen.append(len(written)) or _true())
    monkeypatch.setattr("asympt.cli.claims.typer.echo", lambda text, nl=True: written.append(text))
    run("claims", "check", "--format", "json")
    assert seen == [1] and len(json.loads("".join(written))) == 2


def test_claims_in_several_processes_come_in_the_order_asked_for():
    asked = ["HDR.Tab2", "JGH.fig", "HDR.Tab1"]
    one, two = (json.loads(run("claims", "check", *asked, "--format", "json", "-j", n).stdout) for n in (1, 2))
    assert all(record.pop("seconds") >= 0 for record in (*one, *two))
    assert one == two and [claim["id"] for claim in two] == asked


def test_an_id_may_be_the_beginning_of_several():
    found = json.loads(run("claims", "check", "HDR.Tab", "HDR.Tab1", "--format", "json").stdout)
    assert [claim["id"] for claim in found] == ["HDR.Tab1", "HDR.Tab2"]


# ---- documents ----------------------------------------------------------------------------------------------


def test_derive_writes_the_derivation(tmp_path):
    path = tmp_path / "law.tex"
    assert run("derive", "relu", "-o", path).exit_code == 0
    assert r"\begin{document}" in path.read_text() and (tmp_path / "law-figure.pdf").stat().st_size > 5000


# ---- plot -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_plot_writes_a_figure(tmp_path, ending):
    path = tmp_path / f"figure.{ending}"
    result = run("plot", "relu", "--law", "ntk", "-o", path, "--depth", 1000, "-c", "0", "-c", "1/2", "--width", "3.4")
    assert result.exit_code == 0 and path.stat().st_size > 5000
    assert result.stdout == "" and "wrote" in result.stderr


# ---- pieces -------------------------------------------------------------------------------------------------


WHOLE = {"12": 12, "1_000": 1000, "1e6": 10**6, "2**10": 1024, "6/2": 3, "-3": -3}


@pytest.mark.parametrize("text, value", WHOLE.items())
def test_whole_numbers(text, value):
    assert whole(text, "depth") == value


def test_powers_of_ten_are_short():
    short = {1: "1", 10**6: "1000000", 10**7: "10^7", 10**100: "10^100", 25 * 10**9: "25*10^9"}
    assert {number: round_number(str(number)) for number in short} == short


def test_progress_leaves_nothing_on_stderr_without_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr("asympt.showing.PATIENCE", 0.01)
    with showing.Reporter() as report, showing.Waiting("evaluating the law"):
        time.sleep(0.1)
        report("step", 1, 4)
    assert capsys.readouterr().err == ""


def test_progress_on_a_terminal_is_a_bar(monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("asympt.showing.PATIENCE", 0)
    with showing.Reporter() as report:
        report("step", 1, 4)
        report("step", 4, 4)
        assert [task.percentage for task in report._bar.tasks] == [100]


def test_a_reader_that_stops_early_sees_no_traceback():
    command = f"{sys.executable} -m asympt derive relu --format json | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=os.environ)
    assert done.stdout == "{\n" and "Traceback" not in done.stderr


def test_powers_are_printed_as_elsewhere():
    """The residue of GELU's map is a formula in its derivatives f2 and f3."""
    text = printed("derive", "gelu", "--sigma-b", "0.2", "--terms", "1")
    assert "residue         -2*f3/(3*f2^2)" in text and "**" not in text


def test_claims_of_a_file_are_checked(tmp_path):
    path = tmp_path / "my_paper.toml"
    path.write_text(
        'title = "My paper"\n[[claim]]\nid = "MP.1"\nwhere = "Theorem 1"\nform = "rate"\n'
        'network = {activation = "relu"}\nlaw = "ntk"\nsize = "1/L"\nwhy = "There is a logarithm."\nseverity="false"\n',
        encoding="utf-8",
    )  # fmt: skip
    result = run("claims", "check", path)
    assert result.exit_code == 1 and "claim MP.1 (My paper, Theorem 1): refuted" in result.stdout
    assert "Theta(log(L)/L)" in result.stdout and "There is a logarithm." in result.stdout
    path.write_text('title = "My paper"\n[[claim]]\nid = "MP.1"\nform = "guess"\n', encoding="utf-8")
    result = run("claims", "check", path)
    assert result.exit_code == 2 and "line 4: claim MP.1: form = 'guess'" in result.output
