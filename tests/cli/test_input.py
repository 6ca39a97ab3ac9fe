"""Bad input on the command line: one sentence on stderr, exit code 2, nothing on stdout, never a traceback."""

import os
import shlex
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from asympt.cli import reading
from asympt.cli.app import app

LENGTHY = ("--terms", "20", "--budget", "0.3")
# a timer that goes off inside the callback of a weak reference is shown by Python, ignored there, and comes again
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

BAD = {
    "spent budget": (("recursion", "x^(1/2) + x^(1/3) + x^(1/5)", *LENGTHY), "allow more time by --budget 3"),
    "spent budget of roots": (("recursion", "sqrt(x + sqrt(x + sqrt(x)))", *LENGTHY), "took longer than"),
    "code": (("recursion", "__import__('os')"), "__import__"),
}
CONV, PROVE, MAP = "derive relu --network convnet -p positions=3 -p reach=1", "prove relu -c", "recursion x-x^2/2"
SAID = {  # a whole command, and what is said of it
    "derive rellu": "rellu", "derive relu --sigma-w 0": "sigma_w = 0", "derive relu --sigma-w -1": "sigma_w = -1",
    "derive relu --sigma-b -0.5": "sigma_b = -1/2", "derive relu -c 1.5 --depth 10": "correlation = 3/2",
    "derive relu -c nan --depth 10": "correlation = nan", "derive relu --sigma-w inf": "sigma_w = inf",
    "derive relu -c tenth": "'tenth'", "derive relu --slope 1/10": "slope", "derive leaky_relu --slope 1": "linear",
    "derive relu --sigma-b 1/5": "sigma_b = 1/5", "derive relu --depth 10": "--correlation",
    "derive relu -c 0 --depth 0": "depth = 0", "verify relu --digits 0": "digits = 0",
    "verify relu --workers 0": "workers = 0", "verify relu --depth -5": "depth = -5",
    "derive relu -c 0 --depth 1.5": "depth = 1.5", "derive relu -c 0 --depth '10^99999'": "10^99999",
    "derive relu --terms 0": "terms = 0", "derive relu -c 0 --digits 0": "digits = 0", "eoc relu --sigma-b 0.2": "0.2",
    "eoc relu --sigma-b -1": "-1", "recursion 'x + exp(x)'": "no fixed point",
    "recursion 'x/2 + 1/x'": "several attracting fixed points", "recursion '2*x + x^2'": "is repelling",
    "recursion 'x^(3/2)'": "like C^((3/2)^n)", "recursion 'x + 1/x' --start -3 --depth 9": "take --fixed-point -oo",
    "recursion 'x + x^3'": "from below as from above", "recursion -- '-x - x^3'": "on both sides",
    "recursion 5": "the map x -> 5 is constant", "recursion 1/x": "x = -1 is neutral, x = 1 is neutral",
    "recursion '1 - x'": "x = 1/2 is neutral", "recursion '2*cos(x)'": "x = 1.029866529... repels",
    "recursion 'x^2 - x + 1'": "attracts from below; try --side below",
    "recursion x/2+1/x": "choose one by --fixed-point -sqrt(2) or --fixed-point sqrt(2)",
    "recursion '1/sin(x)'": "--fixed-point 1.11415714087193",
    "recursion 'x + sqrt(x)' --fixed-point 0 --side below": "the map is not real",
    "recursion 'exp(-1/x)'": "fixes 0 as a limit, but there is no law of this kind there",
    "recursion '1e-999999999*x'": "a number that is too long", "recursion 'exp(exp(exp(exp(100))))*x'": "too large",
    "recursion 'sin(x)' --budget soon": "budget = soon", "recursion 'x + log(log(x))' --fixed-point oo": "log",
    "recursion 'x + x^2'": "try --side below", "recursion 'sin(x)' --of 'open(x)'": "open",
    "recursion 'sin(x)' --of 2": "not a function of x",
    "recursion 'x*(1-x)' --start 1 --depth 5": "lands on the fixed point",
    "recursion 'x*(1-x)' --start 2 --depth 5": "the orbit escapes", "recursion 'sin(x)' -o law.docx": ".docx",
    "recursion 'sin(x)' --fixed-point 1/2": "1/2", "recursion 'sin(x)' --fixed-point a": "'a'",
    "recursion 'sin(x)' --start -1": "take --side below", "recursion 'sin(x)' --start 1 --depth 0": "depth = 0",
    "recursion 'sin(x'": "sin(x", "claims check NO.SUCH": "NO.SUCH", "derive relu -o law.docx": ".docx",
    "derive relu -o /no/such/folder/law.tex": "folder", "plot relu -o figure.gif": ".gif",
    "plot relu -o /no/such/folder/figure.png": "folder", "plot relu -o figure.png --depth 5": "depth = 5",
    "plot relu -o figure.png --depth 100 --width 900": "900", "plot relu -o figure.png --depth 100 -c 1": "constant",
    "derive tanh --option alpha": "name=value", "derive tanh --option alpha=1": "no option 'alpha'",
    "derive x*tanh(x) --option alpha=1": "options alpha go with a name", "derive softplus": "no Edge of Chaos",
    "derive exp(x^2)": "diverges", "derive sqrt(x)": "sqrt(x)", "derive relu --variances 1,2": "variances = 1,2 needs",
    "plot relu --law variance -o f.png": "law = variance has no figure; give one of ntk, correlation",
    "derive step --sigma-b 1 --sigma-w 1": "step",
    "derive tanh --sigma-w 1 --law correlation --depth 5 --correlation 1/10": "variances",
    "derive tanh --sigma-w 1 --law variance --depth 5": "--variance",
    "derive tanh --sigma-b 0.2 --variance 1": "leave out --variance", "derive linear": "linear",
    "derive relu --network convnet -p positions=2 -p reach=1": "positions = 2 is less than 2 reach + 1",
    "derive relu --network convnet": "needs positions and reach",
    "derive relu --network convnet -p positions=x -p reach=1": "positions",
    "derive relu --network block-resnet -p alpha=0": "alpha = 0 is not positive",
    "derive relu --network block-resnet --sigma-b 1": "has no biases",
    "derive relu --network resnet -p kappa=1": "does not belong to the architecture resnet; it has none",
    "derive relu --network scaled-resnet -p kappa": "is not of the form name=value",
    "derive relu --network scaled-resnet -p kappa=-1": "kappa = -1 is not a positive number",
    "derive relu --network mlp -p schedule=none": "schedule = 'none' is unknown",
    "derive relu --network resnet --law angle": "law = angle is not a law of ResNet; it has ntk, correlation",
    "derive relu --network resnet --variance 1": "variance = 1 does not belong to the law of the ntk",
    f"{CONV} --position 1": "needs a start", f"{CONV} -c 1/10,1/2": "has 2 entries",
    "prove relu": "--correlation", f"{PROVE} -1..1": "touch", f"{PROVE} 1/2..1/4": "wrong order",
    f"{PROVE} 2": "outside", f"{PROVE} 0 --valid-from 1": "at least 2", f"{PROVE} 0 --valid-from 2.5": "whole number",
    f"{PROVE} 1": "touch", f"{PROVE} a": "not a number", f"{PROVE} 0..1/3..1/2": "LOW..HIGH",
    f"{PROVE} 0..": "not an interval", f"{PROVE} nan": "finite", f"{PROVE} 0 -o proof.docx": ".pdf",
    f"{PROVE} 0 --variance 1": "leave out --variance", f"{PROVE} 0 --position 1": "leave out --position",
    "prove gelu --network resnet --sigma-w 1 -c 0": "pass --variance",
    "prove gelu --network resnet --sigma-w 1 -c 0 --variance 1": "no theorem",
    f"{PROVE} 0 --network scaled-resnet -p kappa=1/2 --law correlation": "verify checks the law",
    f"{MAP} --prove": "needs a start", f"{MAP} --prove --start 1 --depth 3": "by themselves",
    f"{MAP} --prove --start 1..1/2": "wrong order", f"{MAP} --prove --start 0..1": "fixed point",
    f"{MAP} --start 1/2..1": "not a number",
    "claims check HDR.T1.gian": "did you mean HDR.T1.gain", "claims check ZZ": "asympt claims list",
    "claims check ''": "asympt claims list", "claims check --source Nobody": "Nobody",
    "claims check JGH.fig --source HDR": "HDR", "claims check JGH.fig -j 0": "jobs = 0",
    "claims check JGH.fig -j two": "two", "claims check JGH.fig --report x.doc": "unknown ending",
    "plot phase tanhh -o p.png": "tanhh", "plot shape tanh -o p.png": "shape tanh",
    "plot phase tanh --sigma-w 1 -o p.png": "leave out --sigma-w", "plot relu --option a=1 -o p.png": "no option 'a'",
    "eoc tanh --option alpha": "'alpha' is not of the form name=value", "eoc x*tanh(x --sigma-b 1": "x*tanh(x",
    "eoc tanh --sigma-b 1 --sigma-w 1": "both sigma_b and sigma_w",
    "eoc softplus": "has no Edge of Chaos: sigma_b^2 = q - M_0(q)/M_1(q) is negative for every q > 0",
    "derive gellu": "unknown activation 'gellu' (did you mean gelu",
    "derive relu --network resnett": "architecture = 'resnett' is unknown (did you mean resnet",
    "verify relu --law correlations": "law = correlations is not a law of FeedForward (did you mean correlation?)",
    "derive 'residual(relu, dense(1), scale=1/DEPTH)' --law depth": "give either correlation",
    "prove 'residual(relu, dense(1), scale=1/DEPTH)' --law depth -c 0": "this law has none yet",
    "derive relu --depth 10^10^10": "depth = '10^10^10' cannot be read as a whole number; give, say, 1000 or 1e6",
    "derive 'leaky_relu(slope=1/2), dense(1)'": "'leaky_relu(slope=1/2), dense(1)'",
    "verify tanh --sigma-w 1 --law variance -c 1/3": "leave out --correlation",
    "width relu --network resnet": "fluctuation_law()",
    "shape leaky_relu --depth 3": "slopes from 1 to 0 give 0.0 to 0.60482572",
    "derive leaky_relu --slope 3/17 --budget 0.02": "took longer than 0.02 s",
    "derive relu --law angle": "law = angle is not a law of FeedForward",
}  # fmt: skip
BAD |= {text: (shlex.split(text), said) for text, said in SAID.items()}


@pytest.mark.parametrize("case", BAD)
def test_one_sentence_and_exit_code_2(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments, named = BAD[case]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("asympt: ") and result.stderr.count("\n") == 1
    assert named in result.stderr
    assert list(tmp_path.iterdir()) == []


WRONG = ("derive relu --colour red", "derive", "recursion -sin(x)", "plot relu", "prove", "plot -o a --width x")


@pytest.mark.parametrize("arguments", [text.split() for text in WRONG], ids=WRONG)
def test_wrong_usage_keeps_typers_message(arguments):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2 and "Usage:" in result.stderr


def test_a_real_process_has_no_traceback():
    done = subprocess.run([sys.executable, "-m", "asympt", "derive", "rellu"], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("asympt: unknown activation 'rellu'") and done.stderr.count("\n") == 1


def test_an_unwritable_file_is_one_sentence(tmp_path):
    # /dev/full accepts a file and refuses its content: a disk without room.
    target = tmp_path / "figure.png"
    target.symlink_to("/dev/full")
    result = CliRunner().invoke(app, ["plot", "relu", "-o", str(target), "--depth", "100"])
    assert result.exit_code == 2 and result.stderr.startswith("asympt: ") and "No space" in result.stderr


@pytest.mark.parametrize("given", ["--help", "networks"])
def test_a_terminal_that_cannot_be_written_is_one_sentence(given):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "asympt", given]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2 and done.stderr == "asympt: cannot use standard output: No space left on device\n"


def test_control_c_ends_with_130(monkeypatch):
    def interrupt(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(reading, "network", interrupt)
    result = CliRunner().invoke(app, ["derive", "relu"])
    assert result.exit_code == 130 and result.stderr == "asympt: interrupted\n"


def test_nothing_is_imported_before_control_c_is_answered():
    """What is, ends in a traceback when it is interrupted: 70 ms of it, which no handler could reach."""
    code = "import sys, asympt.cli; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = {name for name in done.stdout.split() if name.partition(".")[0] in ("asympt", "typing")}
    assert found == {"asympt", "asympt.cli"}


def test_control_c_in_the_midst_of_an_import_ends_with_130(tmp_path):
    """Where a library swallows the interrupt, as this module does."""
    (tmp_path / "swallowing.py").write_text(
        "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\nexcept BaseException:\n    pass\n"
    )
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import asympt.cli\nsys.argv = ['asympt', '--version']\n"
        "sys.modules['asympt.cli.app'] = type('App', (), {'app': lambda prog_name: __import__('swallowing')})\n"
        "asympt.cli.main()"
    )
    command = [sys.executable, "-c", code]
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path}, check=False)
    assert done.returncode == 130 and done.stderr == "asympt: interrupted\n"


def test_a_document_without_checks_says_so(tmp_path):
    target = tmp_path / "law.tex"
    result = CliRunner().invoke(app, ["recursion", "x/(1 + x)", "--terms", "2", "-o", str(target), "--no-checks"])
    assert result.exit_code == 0
    text = target.read_text(encoding="utf-8")
    assert "The checks of the law were left out on request" in text and "tab:checks" not in text


def test_a_fault_of_the_program_keeps_its_traceback(monkeypatch):
    def fail(*_args, **_kwargs):
        raise TypeError("a bug")

    monkeypatch.setattr(reading, "network", fail)
    assert isinstance(CliRunner().invoke(app, ["derive", "relu"]).exception, TypeError)
