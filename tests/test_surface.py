"""What the package offers: `dir` lists public names alone, type checkers see them, notebooks use no others."""

import ast
import importlib
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import asympt as asy

ROOT = Path(__file__).parent.parent
PACKAGES = [
    "", "blocks", "claims", "depth", "depth.convolution", "depth.finite", "learn", "plots", "training", "writing",
]  # fmt: skip
USED = """
import numpy as np
from sympy import Rational, Symbol, sin, sqrt, tanh

import asympt as asy
from asympt import blocks as b
from asympt.learn import NTK, DeepKernelRegressor

net = asy.FeedForward.on_edge_of_chaos("tanh", sigma_b=Rational(1, 5))
law: asy.Law = net.ntk_law(terms=2)
page: str = law.latex(split=True) + str(law.summary()) + str(law.coefficient("log(L)/L", digits=10))
verdict: str = asy.verify(law, digits=10, depth=1000).verdict
x = Symbol("x", real=True)
sine: asy.Law = asy.Recursion(sin(x), x).law(terms=3)
point: asy.CriticalPoint = asy.edge_of_chaos("gelu", sigma_b="1/10")
gap, kernel = asy.depth.pairs(net, gap=np.array([0.5]), depth=10)
known: list[str] = [claim.id for claim in asy.claims.all_claims()]
statement: str = asy.Recursion(sin(x), x).law(terms=2).certificate(start=1).statement
leaky = asy.FeedForward("leaky_relu", slope="1/10")
res = asy.ResNet("relu", sigma_w=1)
scaled = asy.ScaledResNet("relu", sigma_w=sqrt(2), kappa="1/2")
conv = asy.ConvNet("relu", positions=8, reach=1)
cres = asy.ConvResNet("relu", sigma_w=1, positions=4, reach=1)
block = asy.BlockResNet("relu", alpha=Rational(1, 10))
mlp = asy.MLP("tanh", weight_rate=1, bias_rate=2, schedule="equivalence")
own = asy.Network(b.residual(b.layer_norm(), b.activation("relu"), b.dense(sqrt(2))), first=b.dense(1), variance=1)
typed = asy.Network("serial(residual(relu, dense(sqrt(2))), layer_norm)")
phi: asy.Activation = asy.Activation(x * tanh(x), x, name="mine")
names: list[str] = sorted(asy.catalogue())
points: list[asy.CriticalPoint] = asy.critical_points(phi, sigma_b="1/10")
exists: bool = asy.edge_exists(phi).exists
f: asy.CorrelationMap = leaky.correlation_map
print(f(0.3, digits=20), f.closed_form, str(f.expansion(order=5)))
res_law: asy.Law = res.ntk_law(terms=2)
expansion: asy.Expansion = res_law.expansion
value = res_law.evaluate(depth=10**12, correlation="1/4", digits=30)
low, high = res_law.enclose(depth=10**12, correlation="1/4")
c = res_law.connection_constant(correlation="1/4", digits=20)
trusted: str = res_law.evaluated(depth=10, correlation="1/4").trust
certificate = res_law.certificate(correlation=("-1", "9/10"))
print(certificate.constant, certificate.monomial, certificate.valid_from, certificate.latex())
verification = asy.verify(res_law, digits=10, depth=1000)
for check in verification.checks:
    print(check.name, check.passed, check.figure, check.bound)
report: str = verification.report()
claim = asy.claims.all_claims()[0]
diag: asy.Law = scaled.ntk_diagonal_law()
var: asy.Law = own.variance_law()
sigma, ntk = asy.depth.gram(net, np.random.default_rng(0).normal(size=(10, 3)), depth=50)
ntk_kernel = NTK(net, depth=3)
matrix = ntk_kernel(np.zeros((2, 3)))
model = DeepKernelRegressor(net, depth=3).fit(np.zeros((4, 3)), np.zeros(4))
driven = asy.DrivenRecursion(x**2, x, 1 / (Symbol("l") + 1), Symbol("l"))
r = asy.Recursion(sin(x), x)
kind: str = r.kind
branches: dict[int, asy.Expansion] = r.law().branches
try:
    asy.FeedForward("rleu")
except asy.InputError as error:
    print(error)
with asy.time_limit(10):
    pass
asy.show_versions()
"""


@pytest.mark.parametrize("name", PACKAGES)
def test_dir_lists_public_names_and_no_modules(name):
    package = importlib.import_module(f"asympt.{name}".rstrip("."))
    assert dir(package) == sorted(package.__all__)
    modules = {n for n in package.__all__ if inspect.ismodule(getattr(package, n))}
    assert modules <= {"blocks", "claims", "convolution", "depth", "finite", "kernel", "learn", "plots", "squaring",
                       "training", "width", "writing"}  # fmt: skip


def test_type_checkers_see_what_there_is():
    tree = ast.parse((ROOT / "asympt/__init__.py").read_text(encoding="utf-8"))
    (block,) = [n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    seen = {alias.asname: f"{n.module}.{alias.name}" for n in block.body for alias in n.names}
    assert set(seen) == set(asy.__all__) - {"__version__"}
    for name, home in seen.items():
        module, _, part = home.rpartition(".")
        found = getattr(importlib.import_module(module), part, None) or importlib.import_module(home)
        assert inspect.unwrap(found) is inspect.unwrap(getattr(asy, name))


SETTINGS = """
[mypy]
strict = True
follow_imports = silent
disable_error_code = import-untyped
[mypy-sympy.*]
ignore_missing_imports = True
"""


def checked_by_mypy(tmp_path, *files):
    """What mypy --strict says of files, where it says anything."""
    pytest.importorskip("mypy")
    assert (ROOT / "asympt/py.typed").is_file()
    (tmp_path / "mypy.ini").write_text(SETTINGS)
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    env = os.environ | {"MYPYPATH": str(ROOT), "PYTHONPATH": paths}
    command = [sys.executable, "-m", "mypy", *map(str, files)]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_a_user_s_code_passes_the_strict_checks_of_mypy(tmp_path):
    (tmp_path / "used.py").write_text(USED, encoding="utf-8")
    assert checked_by_mypy(tmp_path, "used.py") == ""


def test_mypy_knows_what_the_laws_methods_take_and_give(tmp_path):
    (tmp_path / "wrong.py").write_text("import asympt as asy\n\nasy.FeedForward('relu').ntk_law(term=2)\n")
    assert 'Unexpected keyword argument "term"' in checked_by_mypy(tmp_path, "wrong.py")


def test_the_public_packages_pass_the_strict_checks_of_mypy(tmp_path):
    homes = [ROOT.joinpath("asympt", *name.split("."), "__init__.py") for name in PACKAGES]
    kept = ["asympt/errors.py", "asympt/version.py", "asympt/deadline.py", "asympt/saving.py"]
    assert checked_by_mypy(tmp_path, *(ROOT / name for name in [*filter(Path.exists, homes), *kept])) == ""


def callables_of(package):
    """(name, function) for every function and every public method that a package offers."""
    for name in package.__all__:
        found = getattr(package, name)
        if not inspect.isclass(found):
            yield name, found
            continue
        for owner in found.__mro__:
            for part, value in vars(owner).items() if owner.__module__.startswith("asympt") else ():
                if not part.startswith("_") or part in ("__init__", "__call__"):
                    value = getattr(value, "fget", None) or getattr(value, "func", None) or value
                    yield f"{name}.{part}", getattr(value, "__func__", value)


@pytest.mark.parametrize("name", PACKAGES)
def test_every_public_function_is_annotated(name):
    """One without any annotation is refused by mypy --strict where a user calls it."""
    found = callables_of(importlib.import_module(f"asympt.{name}".rstrip(".")))
    functions = {part: inspect.unwrap(f) for part, f in found if callable(f)}
    bare = [part for part, f in functions.items() if inspect.isfunction(f) and not f.__annotations__]
    assert not [part for part in bare if functions[part].__module__.startswith("asympt")]


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_use_public_names_only(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    for module, names in re.findall(r"^from (asympt[\w.]*) import ([\w, ]+)$", code, re.MULTILINE):
        package = importlib.import_module(module)
        assert {name.strip().split(" ")[0] for name in names.split(",")} <= {*package.__all__, *asy.__all__}, module


SECTIONS = {
    "ntk_law": asy.FeedForward.ntk_law, "correlation_law": asy.FeedForward.correlation_law,
    "variance_law": asy.FeedForward.variance_law, "Recursion.law": asy.Recursion.law, "verify": asy.verify,
    "critical_points": asy.critical_points, "evaluate": asy.Law.evaluate, "pairs": asy.depth.pairs,
}  # fmt: skip


@pytest.mark.parametrize("name", SECTIONS)
def test_docstrings_have_their_sections(name):
    said = inspect.getdoc(SECTIONS[name])
    assert "Parameters\n----------" in said and "Raises\n------" in said and ">>> " in said
    for parameter in list(inspect.signature(SECTIONS[name]).parameters)[1:]:
        assert re.search(rf"^[\w, ]*\b{parameter}\b[\w, ]* : ", said, re.MULTILINE), parameter
