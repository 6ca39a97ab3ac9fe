"""asympt beside neural-tangents, scikit-ntk and a plain NumPy loop: seconds, memory and digits on the same inputs.

    python tests/benchmarks/peers.py [--peers PYTHON] [--inputs 1000] [--rounds 3] [--write docs/benchmarks.md]

`--peers` is the Python of an environment that holds `PEERS`; without it one is made in a temporary folder.

Rule.  Every program computes Sigma and K (scikit-ntk: K) of N inputs with d = 100, float64, in a process of its own
that is bound to one core.  Seconds are processor time: `first` a call that builds tables or compiles, `again` the least
of the rounds after it.  Memory is the peak of a process less what it took after its imports.  Errors are the largest
relative ones of K and of 1 - c of the pairs (0, 1), ..., (0, 5), against mpmath with 50 digits (tanh: against a
trapezoidal rule over the plane, good to 1e-14).  Of Sigma float64 has only the digits of 1 - c above 1e-16, so nearly
equal inputs go through `asympt.depth.pairs` in asympt, which takes and gives 1 - c itself.

A program that goes layer by layer is timed at L = 10 and 40 and its cost per layer multiplied: such figures have a ~,
and no errors.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import venv
from functools import cache
from pathlib import Path

PEERS = ("jax==0.4.30", "jaxlib==0.4.30", "numpy<2.1", "tf2jax==0.3.6", "neural-tangents==0.6.5", "scikit-ntk==1.2.1")
MARKS = ("<!-- figures -->", "<!-- end of figures -->")
CHECKED = 5
SHALLOW, TIMED = 10, 40
# name: activation, sigma_w, sigma_b, depths, whether norms differ, whether inputs 1, 2, ... are nearly input 0
CASES = {
    "ReLU": ("relu", 2**0.5, 0.0, (10, 10**3, 10**6, 10**12), True, False),
    "erf, different norms": ("erf", 1.5, 0.2, (10,), True, False),
    "GELU, different norms": ("gelu", 1.5, 0.2, (10,), True, False),
    "tanh, different norms": ("tanh", 1.5, 0.2, (10,), True, False),
    "ReLU, nearly equal inputs": ("relu", 2**0.5, 0.0, (10, 10**3), False, True),
}
TOOLS = ("asympt", "neural-tangents", "scikit-ntk", "NumPy loop")


# ---- one program on one case, in a process of its own; imports only what this program needs -----------------


def inputs(name: str, count: int):
    """The inputs of a case, the same for every program."""
    import numpy as np

    _, _, _, _, spread, close = CASES[name]
    random = np.random.default_rng(0)
    found = random.normal(size=(count, 100))
    if spread:
        found *= np.exp(random.uniform(-0.25, 0.25, count))[:, None]
    if close:
        found[1 : CHECKED + 1] = found[0] + 10.0 ** -np.arange(2, 2 + CHECKED)[:, None] * found[1 : CHECKED + 1]
    return found


def by_asympt(activation: str, weight: float, bias: float):
    import asympt as asy

    net = asy.FeedForward(activation, sigma_w=repr(weight) if activation != "relu" else "sqrt(2)", sigma_b=repr(bias))
    return lambda X, depth: asy.depth.gram(net, X, depth=depth)


def by_neural_tangents(activation: str, weight: float, bias: float):
    import jax

    jax.config.update("jax_enable_x64", True)
    from neural_tangents import stax

    phi = {
        "relu": stax.Relu, "erf": stax.Erf, "gelu": stax.Gelu,
        "tanh": lambda: stax.ElementwiseNumerical(jax.numpy.tanh, deg=25),
    }[activation]  # fmt: skip

    compiled = {}

    def kernels(X, depth):
        if depth not in compiled:
            def dense():
                return stax.Dense(X.shape[1], W_std=weight, b_std=bias)

            _, _, kernel = stax.serial(stax.repeat(stax.serial(dense(), phi()), depth - 1), dense())
            compiled[depth] = jax.jit(lambda points: kernel(points, None, ("nngp", "ntk")))
        found = compiled[depth](X)
        return found.nngp.block_until_ready(), found.ntk.block_until_ready()

    return kernels


def by_scikit_ntk(activation: str, weight: float, bias: float):
    from skntk import NeuralTangentKernel

    # its K is divided by the depth, and its first layer by nothing
    return lambda X, depth: (None, depth * NeuralTangentKernel(depth - 1, bias=0.0)(X * (2 / X.shape[1]) ** 0.5))


def by_a_loop(activation: str, weight: float, bias: float):
    """The closed forms of textbooks, on whole matrices."""
    import numpy as np

    def layer(sigma, kernel):
        q = np.diag(sigma)
        if activation == "relu":
            norms = np.sqrt(np.outer(q, q))
            angle = np.arccos(np.clip(sigma / norms, -1, 1))
            mean = norms * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / (2 * np.pi)
            slope = (np.pi - angle) / (2 * np.pi)
        else:
            norms = np.outer(1 + 2 * q, 1 + 2 * q)
            mean = 2 / np.pi * np.arcsin(2 * sigma / np.sqrt(norms))
            slope = 4 / np.pi / np.sqrt(norms - 4 * sigma**2)
        sigma = bias**2 + weight**2 * mean
        return sigma, weight**2 * slope * kernel + sigma

    def kernels(X, depth):
        sigma = kernel = bias**2 + weight**2 * X @ X.T / X.shape[1]
        for _ in range(depth - 1):
            sigma, kernel = layer(sigma, kernel)
        return sigma, kernel

    return kernels


PROGRAMS = dict(zip(TOOLS, (by_asympt, by_neural_tangents, by_scikit_ntk, by_a_loop), strict=True))
KNOWN = {"scikit-ntk": ("relu",), "NumPy loop": ("relu", "erf")}


def measured(tool: str, name: str, count: int, depth: int, rounds: int) -> dict:
    """Seconds, megabytes, and both kernels of the pairs that are checked."""
    import numpy as np

    activation, weight, bias, *_ = CASES[name]
    kernels, X = PROGRAMS[tool](activation, weight, bias), inputs(name, count)
    kernels(X[: CHECKED + 1], 2)  # what is imported late
    before, seconds = peak(), []
    for _ in range(rounds + 1):
        start = time.process_time()
        sigma, kernel = kernels(X, depth)
        seconds.append(time.process_time() - start)
    used, own = peak() - before, list(range(CHECKED + 1))
    sigma, kernel = (None if array is None else np.asarray(array)[[0] * CHECKED + own, own[1:] + own].tolist()
                     for array in (sigma, kernel))  # fmt: skip
    found = {"first": seconds[0], "again": min(seconds[1:]), "memory": used, "sigma": sigma, "kernel": kernel}
    return {**found, "gaps": exact_gaps(X, depth)} if tool == "asympt" and CASES[name][5] else found


def exact_gaps(X, depth: int) -> list[float]:
    """1 - c of ReLU from the inputs, never from c."""
    import asympt as asy
    from asympt.depth.gaps import angular_gaps

    first = angular_gaps(X[: CHECKED + 1])[0, 1:]
    return asy.depth.pairs(asy.FeedForward("relu"), first, depth)[0].tolist()


def peak() -> float:
    """The largest resident memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def reference(name: str, count: int, depth: int) -> list:
    """(1 - c, K) of the pairs (0, j), in mpmath."""
    import mpmath

    activation, weight, bias, *_ = CASES[name]
    X = inputs(name, count)[: CHECKED + 1]
    with mpmath.workdps(50):
        w2 = mpmath.mpf(2) if activation == "relu" else mpmath.mpf(repr(weight)) ** 2
        b2 = mpmath.mpf(repr(bias)) ** 2
        rows = [[mpmath.mpf(float(v)) for v in row] for row in X]
        return [pair(activation, w2, b2, rows[0], other, depth) for other in rows[1:]]


def pair(activation: str, w2, b2, x, y, depth: int) -> tuple:
    import mpmath

    d = len(x)
    q, p, s = (b2 + w2 * mpmath.fdot(one, two) / d for one, two in ((x, x), (y, y), (x, y)))
    kernel = s
    mean = {"relu": relu_mean, "erf": erf_mean, "gelu": gelu_mean, "tanh": tanh_mean}[activation]
    for _ in range(depth - 1):
        value, slope = mean(q, p, s)
        q, p = (b2 + w2 * mean(v, v, v)[0] for v in (q, p))
        s = b2 + w2 * value
        kernel = w2 * slope * kernel + s
    return 1 - s / mpmath.sqrt(q * p), kernel


def relu_mean(q, p, s):
    """(E[phi phi], E[phi' phi']) of ReLU (Cho and Saul 2009)."""
    import mpmath

    root = mpmath.sqrt(q * p)
    angle = mpmath.acos(min(s / root, mpmath.mpf(1)))
    return ((root * (mpmath.sin(angle) + (mpmath.pi - angle) * mpmath.cos(angle))) / (2 * mpmath.pi),
            (mpmath.pi - angle) / (2 * mpmath.pi))  # fmt: skip


def erf_mean(q, p, s):
    """Of erf (Williams 1997)."""
    import mpmath

    norms = (1 + 2 * q) * (1 + 2 * p)
    return (2 / mpmath.pi * mpmath.asin(2 * s / mpmath.sqrt(norms)),
            4 / mpmath.pi / mpmath.sqrt(norms - 4 * s**2))  # fmt: skip


def gelu_mean(q, p, s):
    """Of GELU; the slope is the derivative in s (Price's theorem)."""
    import mpmath

    def mean(t):
        m, root = 1 / ((1 + q) * (1 + p)), mpmath.sqrt(q * p)
        y = t * mpmath.sqrt(m)
        flat = mpmath.sqrt(1 - y**2)
        return (t * (mpmath.pi / 2 + mpmath.asin(y) + m * y / flat) + root**2 * mpmath.sqrt(m) * flat) / (2 * mpmath.pi)

    return mean(s), mpmath.diff(mean, s)


def tanh_mean(q, p, s):
    """Of tanh by the trapezoidal rule over the plane, in float64."""
    import mpmath
    import numpy as np

    q, p, s = float(q), float(p), float(s)
    z = np.arange(-9, 9.01, 0.04)
    weight = np.exp(-(z**2) / 2)
    weight /= weight.sum()
    rest = max(p - s * s / q, 0.0) ** 0.5
    x, y = np.sqrt(q) * z, s / np.sqrt(q) * z[:, None] + rest * z[None, :]
    other, steep = (np.tanh(y) @ weight, (1 - np.tanh(y) ** 2) @ weight)
    return mpmath.mpf(weight @ (np.tanh(x) * other)), mpmath.mpf(weight @ ((1 - np.tanh(x) ** 2) * steep))


@cache
def run(python: str, tool: str, name: str, count: int, rounds: int, depth: int) -> dict | None:
    """`measured` in a process of its own on one core; None where the program has no such kernel."""
    if CASES[name][0] not in KNOWN.get(tool, (CASES[name][0],)):
        return None
    one_core = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
                "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"}  # fmt: skip
    command = [python, __file__, "--run", tool, name, str(depth)]
    command += ["--inputs", str(count), "--rounds", str(rounds)]
    done = subprocess.run(command, env={**os.environ, **one_core}, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{tool} failed on {name} at depth {depth}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def rows(python: str, name: str, options) -> list[dict]:
    """One row for every depth and program."""
    found = []
    for depth in CASES[name][3]:
        known = reference(name, options.inputs, depth) if depth <= 1000 else None
        for tool in TOOLS:
            mine = sys.executable if tool in ("asympt", "NumPy loop") else python
            row = measured_or_forecast(mine, tool, name, options, depth)
            if row is not None:
                errors = errors_of(row, known) if known and "sigma" in row else {}
                found.append({"tool": tool, "depth": depth, **row, **errors})
                print(line(found[-1], found), flush=True)
    return found


def measured_or_forecast(python: str, tool: str, name: str, options, depth: int) -> dict | None:
    """A run; of a program that goes layer by layer, at great depth, its cost per layer times their number."""
    if tool == "asympt" or depth <= SHALLOW or (depth <= 1000 and CASES[name][5]):
        return run(python, tool, name, options.inputs, options.rounds, depth)
    short, long = (run(python, tool, name, options.inputs, options.rounds, each) for each in (SHALLOW, TIMED))
    if short is None:
        return None
    layer = (long["again"] - short["again"]) / (TIMED - SHALLOW)
    seconds = short["again"] + (depth - SHALLOW) * layer
    return {"first": None, "again": seconds, "memory": long["memory"], "forecast": True}


def errors_of(row: dict, known: list) -> dict:
    """The largest relative errors of K and of the gaps."""
    import mpmath

    kernel = [abs(mpmath.mpf(value) / k - 1) for value, (_, k) in zip(row["kernel"], known, strict=False)]
    found = {"kernel_error": float(max(kernel))}
    if row["sigma"] is not None:
        values = [mpmath.mpf(value) for value in row["sigma"]]
        pairs, (own, *others) = values[:CHECKED], values[CHECKED:]
        gaps = [1 - value / mpmath.sqrt(own * q) for value, q in zip(pairs, others, strict=True)]
        gaps = row.get("gaps", gaps)
        found["gap_error"] = float(max(abs(one / gap - 1) for one, (gap, _) in zip(gaps, known, strict=True)))
    return found


HEAD = "| program | L | first | again | times asympt | MB | error of K | error of 1 - c |\n" + 8 * "|---" + "|"


def line(row: dict, others: list[dict]) -> str:
    """A row of a Markdown table."""
    base = next(other["again"] for other in others if other["tool"] == "asympt" and other["depth"] == row["depth"])
    about = "~" if row.get("forecast") else ""
    first = "" if row["first"] is None else f"{row['first']:.3g}"
    errors = (f"{row[key]:.0e}" if key in row else "" for key in ("kernel_error", "gap_error"))
    return (f"| {row['tool']} | {row['depth']:.0e} | {first} | {about}{row['again']:.3g} | "
            f"{about}{row['again'] / base:.3g} | {row['memory']:.0f} | {' | '.join(errors)} |")  # fmt: skip


def machine() -> str:
    """What it was measured on, and how busy that was."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {load}"


def with_peers(folder: Path) -> str:
    """The Python of a new environment with the peers in this folder."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
    return python


def written(path: Path, text: str) -> None:
    """Put the text between the marks of the page."""
    page = path.read_text(encoding="utf-8")
    before, after = page.split(MARKS[0])[0], page.split(MARKS[1])[1]
    path.write_text(f"{before}{MARKS[0]}\n{text}{MARKS[1]}{after}", encoding="utf-8")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--peers", metavar="PYTHON", help="of an environment with the peers")
    options.add_argument("--inputs", type=int, default=1000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--case", choices=CASES, action="append", help="only this one (repeatable)")
    options.add_argument("--write", type=Path, metavar="PAGE", help="a page with marks, where the tables go")
    options.add_argument("--run", nargs=3, metavar=("PROGRAM", "CASE", "L"), help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.run:
        tool, name, depth = chosen.run
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        print(json.dumps(measured(tool, name, chosen.inputs, int(depth), chosen.rounds)))
        return
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        compare(chosen.peers or with_peers(Path(folder)), chosen)


def compare(python: str, chosen) -> None:
    """The tables of all cases, printed and, if asked for, written."""
    text = f"Measured on {machine()}; N = {chosen.inputs}.\n"
    print(text)
    for name in chosen.case or CASES:
        print(f"\n### {name}\n\n{HEAD}")
        found = rows(python, name, chosen)
        text += f"\n### {name}\n\n{HEAD}\n" + "".join(f"{line(row, found)}\n" for row in found)
    if chosen.write:
        written(chosen.write, text)


if __name__ == "__main__":
    main()
