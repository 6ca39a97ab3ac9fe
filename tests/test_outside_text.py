"""Texts and names from outside are never run: one reader for all texts, one compiler for all formulas.

Every hostile text and name below, were it evaluated as Python, would create the file named here.
"""

import ast
from pathlib import Path

import pytest
from sympy import (
    Function,
    I,
    IndexedBase,
    MatrixSymbol,
    Max,
    Sum,
    Symbol,
    exp,
    gamma,
    sin,
    sqrt,
    symbols,
    tanh,
    zeta,
    zoo,
)

import asympt as asy
from asympt.compiling import as_function
from asympt.errors import InputError, NoValueError
from asympt.numbers import to_mpf
from asympt.recursions import Recursion
from asympt.recursions.coordinates.flow_time.step_sizes import Steps
from asympt.recursions.linear_recurrence import layered_solution

PACKAGE = Path(asy.__file__).parent
CODE = "__import__('pathlib').Path('pwn').touch()"
x, y = symbols("x y", positive=True)
layer = Symbol("l", positive=True)

DOORS = {
    "the map": lambda text: Recursion(text, x),
    "fixed point": lambda text: Recursion(sin(x), x, text),
    "start": lambda text: Recursion(sin(x), x).law(1).evaluate(depth=3, start=text),
    "observable": lambda text: Recursion(sin(x), x).law(1, observable=text),
    "multiplier": lambda text: Recursion(sin(x), x).linear_law(text, x),
    "forcing": lambda text: Recursion(sin(x), x).linear_law(1, text),
    "initial": lambda text: Recursion(sin(x), x).linear_law(1, x, text),
    "h": lambda text: asy.DrivenRecursion(text, x, 1 / layer, layer),
    "step": lambda text: asy.DrivenRecursion(x**2, x, text, layer),
    "steps": lambda text: Steps.read(text, layer),
    "layered multiplier": lambda text: layered_solution(text, 1),
    "layered forcing": lambda text: layered_solution(1 - 1 / layer, text),
    "value in a law": lambda text: Recursion(sin(x), x).law(1).expansion.subs({Symbol("C"): text}),
    "symbol in a law": lambda text: Recursion(sin(x), x).law(1).expansion.subs({text: 1}),
    "activation": lambda text: asy.Activation(text, x),
    "name of an activation": lambda text: asy.activation(text),
    "option of an activation": lambda text: asy.activation("elu", alpha=text),
    "sigma_w": lambda text: asy.FeedForward("relu", sigma_w=text),
    "sigma_b": lambda text: asy.edge_of_chaos("tanh", sigma_b=text),
    "correlation": lambda text: asy.FeedForward("relu").correlation_law(1).evaluate(depth=5, correlation=text),
    "kappa": lambda text: asy.ScaledResNet("relu", kappa=text),
    "alpha": lambda text: asy.BlockResNet("relu", alpha=text),
    "weight_variance": lambda text: asy.MLP("tanh", weight_variance=text),
}


@pytest.fixture(autouse=True)
def nothing_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("text", [CODE, f"x + {CODE}", "x.__class__.__mro__", "().__class__", "lambda: 1", "open(1)"])
def test_no_text_is_run(door, text):
    with pytest.raises(InputError):
        DOORS[door](text)


class Disguised:
    """Not an expression, although it claims to print like one."""

    def __str__(self):
        return CODE

    __repr__ = __str__


@pytest.mark.parametrize("door", ["the map", "observable", "multiplier", "h", "step", "layered forcing", "activation"])
@pytest.mark.parametrize("given", [[x], {x: x}, (x, x), {x}, None, Disguised(), x > 0, b"x", object])
def test_what_is_no_formula_is_refused(door, given):
    if given is None and door == "observable":
        return  # none is asked for
    with pytest.raises(InputError):
        DOORS[door](given)


@pytest.mark.parametrize("symbol", [1, x + 1, Symbol("A", commutative=False)])
def test_the_variable_is_a_symbol(symbol):
    for make in (lambda: Recursion(sin(x), symbol), lambda: asy.DrivenRecursion(x**2, symbol, 1 / layer, layer),
                 lambda: asy.DrivenRecursion(x**2, x, 1 / layer, symbol)):  # fmt: skip
        with pytest.raises(InputError, match="is not a symbol"):
            make()


def test_texts_are_read_in_the_variable_of_the_call():
    # the same formula as a SymPy expression
    assert Recursion("y - y^2", y).expression == y - y**2
    assert Recursion("0.1*y", y).expression == y / 10
    assert asy.Activation("y*tanh(y)", y).expression == y * tanh(y)
    a = Symbol("a", positive=True)
    along = Recursion(x - a * x**2, x)
    assert str(along.linear_law("1", "a*x", terms=1)) == str(along.linear_law(1, a * x, terms=1))
    assert str(along.law(1, "1/x")) == str(along.law(1, 1 / x))


def test_other_letters_of_a_text_are_positive_parameters():
    a, b = symbols("a b_1", positive=True)
    assert Recursion("a*x - b_1*x^2", x).expression == a * x - b * x**2 and Recursion("u - u^2").symbol == Symbol("u")
    for name in ("n", "L", "I", "foo", "ab", "_"):
        with pytest.raises(InputError, match=f"'{name}' is unknown"):
            Recursion(f"x - {name}*x^2")


UNDEFINED = [Function("f")(x), x + Function("__import__")(x), sin(Function("exec")(x)), Function("eval")(Symbol(CODE))]


@pytest.mark.parametrize("formula", UNDEFINED, ids=str)
@pytest.mark.parametrize("door", ["the map", "observable", "forcing", "h", "layered forcing", "activation"])
def test_undefined_functions_are_refused(door, formula):
    with pytest.raises(InputError, match="undefined function"):
        DOORS[door](formula)


@pytest.mark.parametrize("given", [MatrixSymbol("A", 2, 2), Symbol("A", commutative=False) ** 2])
def test_matrices_are_refused(given):
    with pytest.raises(InputError, match="commuting"):
        Recursion(given, x)


NAMES = [CODE, f"x\n{CODE}", f"x); {CODE} #", f"x: {CODE}", "__builtins__", "lambda", "None", "a b", "f'{1}'"]


@pytest.mark.parametrize("name", NAMES)
def test_no_name_is_run(name):
    # x -> x/(1 + x) from 1 gives 1/(n + 1), whatever x is called
    z, a = Symbol(name, positive=True), Symbol(name + "2", positive=True)
    law = Recursion(z / (1 + z), z).law(1)
    assert abs(law.evaluate(depth=9, start=1, digits=10) - 0.1) < 1e-9
    assert asy.Activation(tanh(z), z).numeric(0) == 0 and asy.Activation(tanh(z), z).vectorised([0.0]) == [0.0]
    assert str(Recursion(z - a * z**2, z).law(1))
    with pytest.raises(ValueError):
        Recursion(x - a * x**2, x).law(1).evaluate(depth=9, start=1)
    assert as_function(z, Sum(a * z, (a, 1, 3)))(2) == 12
    with pytest.raises(InputError, match="has no values"):
        as_function(x, x + a)(1)


def test_indexed_names_are_not_run():
    with pytest.raises(ValueError):
        Recursion(x - x**2 * IndexedBase(CODE)[0], x).law(1).evaluate(depth=5, start="1/9")


def test_undefined_functions_are_not_compiled():
    with pytest.raises(InputError, match="'__import__' is undefined"):
        as_function(x, Function("__import__")(x))
    assert as_function(x, Function("f")(x), [{"f": lambda value: 2 * value}, "mpmath"])(3) == 6
    assert as_function((x, y), [x + y, exp(x - y)], "numpy")(1, 1) == [2, 1]


@pytest.mark.parametrize(("formula", "point"), [(1 / x, 0), (x ** -2, 0), (gamma(x), -1), (Max(x, 2), 1j),
                                                (zeta(x), 1), (Max(sqrt(x), 1), -4)])  # fmt: skip
def test_mpmath_has_no_value_there(formula, point):
    """A pole or a complex number that is compared is told in this package's own words, a fault is not."""
    function = as_function(x, formula)
    with pytest.raises(NoValueError):
        function(point)
    for wrong in ((), ("text",), (None,)):
        with pytest.raises(TypeError):
            function(*wrong)


def test_what_is_no_real_number_is_none_in_mpmath():
    for value in (I, sqrt(-2), zoo, x):
        with pytest.raises(NoValueError, match="is not a real number"):
            to_mpf(value)


def _calls(names: set):
    """(file, call) of every call in the package of a function with one of these names."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = getattr(node.func, "id", getattr(node.func, "attr", None))
                if called in names:
                    yield str(path.relative_to(PACKAGE)), node


def test_sympy_reads_no_text():
    for file, call in _calls({"sympify", "_sympify", "parse_expr", "parse_latex", "S", "eval", "exec"}):
        strict = any(word.arg == "strict" and word.value.value is True for word in call.keywords)
        assert file == "parsing.py" and strict, f"{file}:{call.lineno} reads text as Python"


def test_only_what_was_saved_is_unpickled():
    """Loading a pickle runs what it says; `saving.loaded` is behind the user's own `pickle.loads`."""
    running = {"pickle", "marshal", "shelve", "dill", "joblib", "yaml", "np", "numpy", "torch"}
    found = {(file, getattr(getattr(call.func, "value", None), "id", ""))
             for file, call in _calls({"load", "loads", "Unpickler", "read_pickle"})}  # fmt: skip
    assert {place for place in found if place[1] in running} == {("saving.py", "pickle")}


def test_tests_run_no_text_of_a_file():
    """Nothing but what this repository itself documents is evaluated in a test."""
    calls = (
        (path.name, node) for path in sorted(Path(__file__).parent.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)
    )  # fmt: skip
    found = {name for name, node in calls if getattr(node.func, "id", "") in ("eval", "exec")}
    assert found <= {"test_docs.py"}


def test_one_place_makes_functions():
    assert {file for file, _ in _calls({"lambdify", "autowrap", "ufuncify"})} == {"compiling.py"}
