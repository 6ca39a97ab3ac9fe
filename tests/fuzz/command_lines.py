"""Random command lines, run in this process: right ones, whose numbers are checked, and hostile ones.

Whatever is typed, the exit code is 0 (done), 1 (a verdict that is not favourable) or 2 (a refusal: one sentence, or the
usage message), no exception comes out and nothing of the text is run as Python.
"""

import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import mpmath
from mpmath import mp
from sympy import Max, Rational
from typer.testing import CliRunner

from asympt.cli.app import app
from tests.fuzz import maps, oracle
from tests.fuzz.maps import X

SECONDS = 120  # of a process of its own, on a loaded machine
LONGEST = 1200
NEVER = 1e5  # seconds until a command says that its work goes on: the load of the machine is not what is tested

CODE = (
    "__import__('os').system('touch MARK')",
    "open('MARK','w')",
    "().__class__.__base__.__subclasses__()",
    'exec(\'open("MARK","w")\')',
    'x.func(\'open("MARK","w")\')',
    'eval(\'open("MARK","w").close()\')',
    "[open('MARK','w') for i in (1,)]",
    "(lambda: open('MARK','w'))()",
    "x if open('MARK','w') else x",
    'f\'{open("MARK","w")}\'',
    "sin.__globals__['os'].system('touch MARK')",
    "Lambda(x, open('MARK','w'))",
    "x := open('MARK','w')",
    "sin(x, evaluate=open('MARK','w'))",
    "x;import os;os.system('touch MARK')",
    "$(touch MARK)",
    "`touch MARK`",
    'Function(\'__import__("os").system("touch MARK")\')(x)',
)
FORMULAS = (
    "", " ", "x", "1", "0", "1/x", "nan", "inf", "oo", "x y", "2x", "sin x", "sin()", "sin(x", "sin(x,x)", "x^", "^x",
    "x**x", "x^x", "(x^2-1)/(x-1)", "exp(-1/x)", "x*log(x)", "1e-999999999*x", "exp(exp(exp(exp(100))))*x",
    "x^(1/2)+x^(1/3)+x^(1/5)", "sqrt(x+sqrt(x+sqrt(x)))", "gamma(x)", "I*x", "sqrt(-1)", "1/0", "0/0", "x/0",
    "log(0)", "x^100", "x^101", "x^-100", "((((((((x))))))))", "(" * 120 + "x" + ")" * 120, "-" * 250 + "x",
    "x+" * 149 + "x", "9" * 70, "x^0.5", "x^pi", "pi^pi^pi", "x^(1/7)", "max(x)", "max(x,0)", "min(x,1,2)",
    "abs(x)-x", "sign(x)", "x\u00b2", "\u03c0x", "x\u2212x^2", "\u221ax", "x'", '"x"', "xi", "y", "a*x", "n", "C",
    "lambda", "None", "True", "x==x", "x<1", "x and x", "x@x", "x//2", "x%2", "~x", "x[0]", "x.y", "{x}", "x,x", "*x",
    "x!", "tanh(tanh(tanh(tanh(x))))", "sin(1/x)", "tan(pi/2)*x", "atanh(2)*x", "asin(2)+x", "floor(x)",
    "x-x^2*(1+exp(-10^8*(x-1/500)^2)/10)", "x*0", "x-x", "0*x+5", "cos(x)", "2*x", "x+1", "-x", "-x+x^3", "x/2+1e30",
    "x^2",
)  # fmt: skip
NUMBERS = (
    "", " ", "0", "-1", "1", "2", "1/2", "-1/2", "1.5", "1e400", "1e-400", "1e999999999", "10^6.5", "10^100",
    "10^10^10", "2^3^4", "many", "nan", "inf", "-inf", "oo", "-oo", "None", "True", "1/0", "0/0", "sqrt(2)",
    "sqrt(-1)", "pi", "1e", "1_000", "0x10", "1,2", "1;2", "\u0661", "\u00bd", "1 2", "+3", "--3", "1e5", "999", "21",
    "201", "9" * 50, "1e-30", "I", "x", "a", "3/7", "0.1", "1/10,1/2,0", "[1]", "1+1", "9/10", "1-1e-40", "-1",
    "1.0000001", "0.9999999999999999999999",
)  # fmt: skip
TEXTS = (
    *NUMBERS, "relu", "a=1", "slope=1/10", "alpha=", "=1", "alpha=nan", "positions=3", "reach=1", "kappa=1/2", "json",
    "latex",
)  # fmt: skip


def invoke(arguments: list[str]):
    """The result of a command line; anything but an exit is raised here."""
    with mock.patch.multiple("asympt.showing", PATIENCE=NEVER):
        result = CliRunner().invoke(app, arguments, prog_name="asympt")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(f"{shown(arguments)}: {type(result.exception).__name__}: {result.exception}")
    assert result.exit_code in (0, 1, 2), f"{shown(arguments)}: exit code {result.exit_code}"
    return result


def shown(arguments: list[str]) -> str:
    """The command line as one would type it."""
    return "asympt " + " ".join(repr(a) if set(a) & set(" '\"()*$`;|<>&^") or not a else a for a in arguments)


def outcome(result, arguments: list[str]) -> str:
    """'value' for exit code 0 or 1; otherwise the refusal must be a sentence."""
    if result.exit_code < 2:
        assert "nan" not in result.stdout.lower().split(), f"{shown(arguments)}: nan in the answer"
        return "value"
    text = result.stderr
    assert "Traceback" not in text, f"{shown(arguments)}: traceback"
    lines = [line for line in text.splitlines() if line.strip()]
    usage = any(line.startswith("Usage") for line in lines)
    ours = [line for line in lines if line.startswith("asympt: ")]
    assert usage or len(ours) == len(lines) == 1, f"{shown(arguments)}: not one sentence: {text[:300]!r}"
    assert usage or 20 < len(text) < LONGEST, f"{shown(arguments)}: {len(text)} characters: {text[:200]!r}"
    return "refused"


@contextlib.contextmanager
def elsewhere():
    """An empty working folder; what is written stays in it, and a mark in it shows that code was run."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield Path(folder)
            assert not Path(folder, "MARK").exists(), "text of the command line was run as code"
        finally:
            os.chdir(before)


# ---- right command lines ------------------------------------------------------------------------------


def recursion(rng: random.Random) -> str:
    """`asympt recursion` of a meaningful map: the number printed is that of plain iteration."""
    kind = rng.choice((maps.parabolic, maps.fractional, maps.infinite, maps.hyperbolic, maps.hidden, maps.flip))
    case, depth, digits = kind(rng), rng.choice((1, 5, 40, 200)), rng.choice((10, 15, 25))
    text = str(case.expression).replace("**", rng.choice(("^", "**")))
    arguments = ["recursion", "--terms", str(rng.randint(1, 3)), "--start", str(case.start), "--depth", str(depth)]
    arguments += ["--digits", str(digits), "--format", "json", "--side", case.side]
    arguments += [] if case.point is None else [f"--fixed-point={case.point}"]
    arguments += ["--", text]
    result = invoke(arguments)
    if result.exit_code != 0:
        return outcome(result, arguments)
    value = json.loads(result.stdout)["value"]["value"]
    reference = oracle.orbit(case.expression, case.symbol, case.start, depth, digits + oracle.SPARE)[-1]
    with mp.workdps(digits + 20):
        oracle.require_equal(mpmath.mpf(value), reference, digits, shown(arguments))
    return "value"


def relu_layer(c, slope):
    """f(c) and f'(c) of the activation with slopes 1 and `slope`, by the arc-cosine formula."""
    even, odd, size = (1 + slope) ** 2 / 4, (1 - slope) ** 2 / 4, (1 + slope**2) / 2
    kink = 2 / mp.pi * (mp.sqrt(1 - c**2) + c * mp.asin(c))
    return (even * c + odd * kink) / size, (even + odd * 2 / mp.pi * mp.asin(c)) / size


def plain_network(law: str, slope: Rational, network: str, correlation: Rational, depth: int):
    """1 - c^L or K^L/(q L), layer by layer."""
    with mp.workdps(60):
        s, c = oracle.number(slope), oracle.number(correlation)
        gain = (1 + s**2) / 2
        kernel = c
        for _ in range(depth - 1):
            image, derivative = relu_layer(c, s)
            if network == "resnet":
                image = (c + gain * image) / (1 + gain)
            kernel = image + derivative * kernel
            c = image
        return 1 - c if law == "correlation" else kernel / depth


def network(rng: random.Random) -> str:
    """`asympt derive` of a network without bias: the number is that of the plain layer recursion."""
    slope = rng.choice((Rational(0), Rational(1, 10), Rational(1, 5), Rational(-1, 2), Rational(1, 3), Rational(-1)))
    kind = rng.choice(("feedforward", "feedforward", "resnet"))
    law = "correlation" if kind == "resnet" else rng.choice(("ntk", "correlation"))
    correlation = rng.choice(
        (Rational(1, 10), Rational(-1, 2), Rational(9, 10), Rational(0), Rational(-1), Rational(99, 100))
    )
    depth = rng.choice((1, 2, 10, 50, 300))
    name = ["relu"] if slope == 0 else ["leaky_relu", f"--slope={slope}"]
    arguments = [
        "derive",
        *name,
        "--law",
        law,
        "--terms",
        str(rng.randint(1, 3)),
        f"--correlation={correlation}",
        "--depth",
        str(depth),
    ]
    arguments += ["--digits", "20", "--format", "json", "--network", kind] + (
        ["--sigma-w", "1"] if kind == "resnet" else []
    )
    result = invoke(arguments)
    if result.exit_code != 0:
        return outcome(result, arguments)
    value = json.loads(result.stdout)["value"]["value"]
    with mp.workdps(40):
        oracle.require_equal(
            mpmath.mpf(value), plain_network(law, slope, kind, correlation, depth), 20, shown(arguments)
        )
    return "value"


# ---- hostile command lines ------------------------------------------------------------------------------


CHEAP = (
    "recursion sin(x) --terms 1 --start 1 --depth 9 --digits 9 --of x^2 --fixed-point 0 --side above --format text",
    "recursion x/2-x^2/5 --terms 2 --start 1/9 --depth 9 --format latex",
    "derive relu --law correlation --terms 1 --correlation 1/2 --depth 9 --digits 9 --sigma-w 1 --sigma-b 0 "
    "--network feedforward --format json",
    "derive leaky_relu --slope 1/5 --law ntk --terms 1 --correlation 1/2 --depth 9 --digits 9 --format text",
    "eoc relu --sigma-b 0 --digits 9",
    "derive relu --network scaled-resnet -p kappa=1 --law correlation --terms 1",
    "simulate relu --depth 2 --widths 8,16 --seed 0 --workers 1",
    "claims list --source HDR",
    "plot phase --width 5 -o figure.png",
)


def taken_apart(line: str) -> dict[str, str]:
    """The words of a command line: the command at "", what it is about at "arg" ("sub"), every option by its name.

    >>> taken_apart("eoc relu --sigma-b 0")
    {'': 'eoc', 'arg': 'relu', '--sigma-b': '0'}
    """
    command, about, *options = line.split()
    named = dict(zip(options[::2], options[1::2], strict=True))
    return {"": command, "sub" if command == "claims" else "arg": about, **named}


def hostile(rng: random.Random) -> str:
    """A cheap right command line with one to three of its values exchanged for something else."""
    base = taken_apart(rng.choice(CHEAP))
    words = {key: value for key, value in base.items() if key in ("", "sub", "arg") or rng.random() < 0.7}
    for key in rng.sample(list(words)[1:], min(len(words) - 1, rng.choice((1, 1, 2, 3)))):
        words[key] = rng.choice(CODE + FORMULAS * 2) if key in ("arg", "--of") else rng.choice(TEXTS)
    if rng.random() < 0.1:
        words[rng.choice(("--nonsense", "--law", "--variance", "--position", "--option", "--network", "-o"))] = (
            rng.choice(TEXTS)
        )
    arguments = [words.pop(""), *([words.pop("sub")] if "sub" in words else [])]
    formula = [words.pop("arg")] if "arg" in words else []
    arguments += [f"{k}={v}" if k.startswith("--") else f"{k}{v}" for k, v in words.items()]
    arguments += ["--", *formula] if formula and rng.random() < 0.8 else formula
    with elsewhere():
        return outcome(invoke(arguments), arguments)


def code(rng: random.Random) -> str:
    """Text that would run as Python if it were let."""
    text, command = rng.choice(CODE), rng.choice(("recursion", "recursion", "derive", "of", "start", "option", "sigma"))
    arguments = {
        "recursion": ["recursion", "--", text],
        "derive": ["derive", "--law", "correlation", "--", text],
        "of": ["recursion", f"--of={text}", "sin(x)"],
        "start": ["recursion", f"--start={text}", "sin(x)"],
        "option": ["derive", "--option", f"slope={text}", "leaky_relu"],
        "sigma": ["eoc", f"--sigma-b={text}", "tanh"],
    }[command]
    with elsewhere():
        kind = outcome(invoke(arguments), arguments)
    assert kind == "refused", f"{shown(arguments)} is accepted"
    return kind


def process(rng: random.Random) -> str:
    """The same in a process of its own, as a user runs it."""
    formula, start = rng.choice(FORMULAS + CODE), rng.choice(NUMBERS)
    arguments = rng.choice((["recursion", "--", formula], ["recursion", f"--start={start}", "--terms=1", "sin(x)"]))
    with elsewhere() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "asympt", *arguments],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
            check=False,
        )
    assert done.returncode in (0, 1, 2), f"{shown(arguments)}: exit code {done.returncode}: {done.stderr[-300:]}"
    assert "Traceback" not in done.stderr, f"{shown(arguments)}: {done.stderr[-300:]}"
    return "value" if done.returncode < 2 else "refused"


def of_max(rng: random.Random) -> str:
    """A kink far from the orbit does no harm."""
    centre = Rational(rng.randint(1, 9), 2)
    case = maps.Map(X - X**2 + Max(0, X - centre), X, Rational(0), "above", Rational(1, rng.randint(3, 9)))
    arguments = ["recursion", "--terms=1", f"--start={case.start}", "--depth=50", "--digits=10", "--format=json"]
    arguments += [str(case.expression).replace("Max", "max")]
    result = invoke(arguments)
    if result.exit_code != 0:
        return outcome(result, arguments)
    with mp.workdps(40):
        value = mpmath.mpf(json.loads(result.stdout)["value"]["value"])
        oracle.require_equal(value, oracle.orbit(case.expression, X, case.start, 50)[-1], 10, shown(arguments))
    return "value"


FAMILIES = {
    "recursion": (recursion, 14, 0.7),
    "network": (network, 7, 0.8),
    "hostile": (hostile, 120, 0.01),
    "code": (code, 20, 0.0),
    "process": (process, 2, 0.0),
    "of_max": (of_max, 5, 0.0),
}
