"""A checker without asympt verifies certificates that the kernel does not cover, and refuses planted errors."""

import ast
import copy
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from sympy import Rational, Symbol, cos, exp, sin

import asympt as asy
from asympt.recursions import Recursion
from tests import independent_checker as checker
from tests.shared import shared

X, L = Symbol("x", positive=True), Symbol("l", positive=True)
HALF, THIRD = Rational(1, 2), Rational(1, 3)
FALLING = X / 2 - X**2 / 3
SCALED = asy.ScaledResNet("relu", sigma_w=3 * HALF)
ORDERED = asy.FeedForward("relu", sigma_w=1, sigma_b=1)
LAWS = {
    "relu, all starts": lambda: asy.FeedForward("relu").correlation_law(2).certificate(correlation=("-1", "9/10")),
    "relu ntk, all starts": lambda: asy.FeedForward("relu").ntk_law(terms=2).certificate(correlation=("-1", "9/10")),
    "harmonic": lambda: Recursion(X / (1 + X), X).linear_law(1, X, 0, terms=4).certificate(start=1),
    "cos": lambda: Recursion(cos(X), X, None).law(terms=2).certificate(start=1),
    "x/2 - x^2/3": lambda: Recursion(FALLING, X).law(terms=3).certificate(start=1),
    "x/2 - x^2/3, all starts": lambda: Recursion(FALLING, X).law(terms=2).certificate(start=(HALF, 1)),
    "sum": lambda: Recursion(FALLING, X).linear_law(1, X, 0, terms=2).certificate(start=HALF),
    "resonant": lambda: Recursion(FALLING, X).linear_law(HALF + X, X, 1, terms=2).certificate(start=HALF),
    "a factor 1/3": lambda: Recursion(FALLING, X).linear_law(THIRD + X, X, 1, terms=3).certificate(start=HALF),
    "ordered": lambda: ORDERED.correlation_law(terms=2).certificate(correlation="1/10"),
    "ordered ntk": lambda: ORDERED.ntk_law(terms=2).certificate(correlation="1/10"),
    "falling steps": lambda: asy.DrivenRecursion(X**2, X, 1 / (L + 1), L).law(2).certificate(start=HALF),
    "falling steps, logs": lambda: asy.DrivenRecursion(X**2 * (1 + X), X, 2 / (L + 1), L).law(2)
    .certificate(start=HALF),
    "falling steps, x^3": lambda: asy.DrivenRecursion(X**3 * exp(X), X, 2 / (L + 3), L).law(2).certificate(start="2/5"),
    "layer norm": lambda: asy.Network("residual(layer_norm, relu, dense(sqrt(2)))").correlation_law(2)
    .certificate(correlation="1/10"),
    "scaled": lambda: SCALED.correlation_law(terms=2).certificate(correlation="1/3"),
}  # fmt: skip


@cache
def text(name: str) -> str:
    return shared(f"certificate of {name}", lambda: json.dumps(LAWS[name]().to_json()))


def record(name: str) -> dict:
    return json.loads(text(name))


@pytest.mark.parametrize("name", LAWS)
def test_genuine_certificates_are_verified(name):
    left_out = checker.check(record(name))
    assert all(part.startswith(("the digits of", "the last digits of")) for part in left_out)


NOT_COVERED = {
    "no formula": lambda: asy.FeedForward.on_edge_of_chaos("tanh", sigma_b=Rational(1, 5)).correlation_law(terms=2)
    .certificate(correlation="1/10"),
    "a hyperbolic linear recursion, all starts": lambda: Recursion(FALLING, X).linear_law(1, X, 0, terms=2)
    .certificate(start=(HALF, 1)),
    "a linear recursion along falling steps": lambda: SCALED.ntk_law(terms=2).certificate(correlation="1/3"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_COVERED)
def test_what_is_not_covered_is_said(name):
    with pytest.raises(checker.NotCovered):
        checker.check(json.loads(json.dumps(NOT_COVERED[name]().to_json())))


def test_it_needs_nothing_of_asympt(tmp_path):
    path = Path(checker.__file__)
    imported = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {name for node in imported for name in (getattr(node, "module", None), *(a.name for a in node.names))}
    assert not any(name and name.startswith("asympt") for name in names)
    genuine, planted_ = tmp_path / "genuine.json", tmp_path / "planted.json"
    genuine.write_text(text("x/2 - x^2/3"))
    planted_.write_text(json.dumps(changed(record("x/2 - x^2/3"), ("valid_from",), 1)))
    other = tmp_path / "other.json"
    other.write_text("[]")
    printed = tmp_path / "printed.json"  # by the command line
    printed.write_text(json.dumps({"schema": 1, "certificate": record("x/2 - x^2/3")}))
    cases = (genuine, 0, "verified"), (printed, 0, "verified"), (planted_, 1, "refused"), (other, 2, "not covered")
    for file, code, said in cases:
        done = subprocess.run([sys.executable, path, file], capture_output=True, text=True)
        assert (done.returncode, done.stdout.split(":")[0].strip()) == (code, said)


# ---- planted errors ---------------------------------------------------------------------------------------


def changed(given: dict, place: tuple, value) -> dict:
    """Another value at a place; a function of the old one, or the value itself."""
    found = copy.deepcopy(given)
    inner = found
    for key in place[:-1]:
        inner = figures(found, key) if key in STEPS else inner[key]
    inner[place[-1]] = value(inner[place[-1]]) if callable(value) else value
    return found


STEPS = ("map step", "radius", "circle bound", "rate", "orbit", "inversion", "tail", "first layers")


def figures(given: dict, name: str) -> dict:
    (found,) = (step["figures"] for step in given["steps"] if step["name"] == name.removesuffix(" step"))
    return found


def times(factor):
    return lambda old: str(float(old) * factor)


def exactly(factor: str):
    return lambda old: f"({old})*({factor})"


def enclosure(factor: float):
    return lambda old: [str(float(end) * factor) for end in old]


def smaller_bound(given: dict) -> dict:
    """B 1% smaller wherever it stands, and what it is the larger of."""
    bound = str(float(given["constant"]) * 0.99)
    found = changed(given, ("statement",), lambda old: old.replace(given["constant"], bound))
    for name, values in (("tail", figures(given, "tail")), ("first layers", {"largest": None})):
        for key in values:
            found = changed(found, (name, key), times(0.99))
    return changed(found, ("constant",), bound)


def twice(given: dict, name: str) -> dict:
    """A constant in the printed terms is twice itself."""
    found = copy.deepcopy(given)
    for term in found["terms"]:
        term["coefficient"] = term["coefficient"].replace(name, f"(2*{name})")
    return found


def smaller_remainder(given: dict, key: str, value, monomial: str) -> dict:
    return changed(changed(given, ("remainder", key), value), ("monomial",), monomial)


def more_starts(given: dict) -> dict:
    """A wider interval of starts wherever it stands."""
    low, high = given["start"]["from"], given["start"]["to"]
    found = changed(given, ("statement",), lambda old: old.replace(f"[{low}, {high}]", "[1/10, 7/4]"))
    start = {**found["start"], "from": "1/10", "to": "7/4", "distances": ["1/10", "7/4"]}
    return changed(found, ("start",), start)


def shifted_layer(given: dict) -> dict:
    """l_0 = 1 wherever it stands."""
    found = changed(given, ("statement",), lambda old: old.replace(">= 2", ">= 1"))
    return changed(changed(found, ("first layers", "l_0"), "1"), ("valid_from",), 1)


PLANTED = {
    "B 1% too small": lambda r: changed(r, ("constant",), times(0.99)),
    "B 1% too small everywhere": smaller_bound,
    "a coefficient 1% off": lambda r: changed(r, ("terms", -1, "coefficient"), exactly("101/100")),
    "a coefficient 1e-30 off": lambda r: changed(r, ("terms", 0, "coefficient"), exactly("1 + 1/10**30")),
    "a coefficient of the wrong sign": lambda r: changed(r, ("terms", -1, "coefficient"), exactly("-1")),
    "a term dropped": lambda r: changed(r, ("terms",), lambda old: old[:-1]),
    "C 1% off": lambda r: changed(r, ("connection_constant",), enclosure(1.01)),
    "C 1e-12 off": lambda r: changed(r, ("connection_constant",), enclosure(1 + 1e-12)),
    "R twice as large": lambda r: changed(r, ("radius", "R"), times(2)),
    "M too small": lambda r: changed(r, ("circle bound", "M"), times(1e-5)),
    "l_0 in one place": lambda r: changed(r, ("valid_from",), 3),
    "l_0 = 1 everywhere": shifted_layer,
    "the start": lambda r: changed(r, ("start", "distances"), ["91/100", "91/100"]),
    "the start everywhere": lambda r: changed(
        changed(changed(r, ("start", "distances"), ["11/13"] * 2), ("start", "from"), "2/13"), ("start", "to"), "2/13"
    ),
    "the first layer": lambda r: changed(r, ("start", "layer"), lambda old: old + 1),
    "the largest deviation": lambda r: changed(r, ("first layers", "largest"), times(0.98)),
    "the map 1e-40 off": lambda r: changed(r, ("map", "formula"), exactly("1 - 1/10**40")),
    "the sign of the map": lambda r: changed(r, ("map", "formula"), exactly("-1")),
    "the root": lambda r: changed(r, ("map", "root"), lambda old: 3 - old),
}
OF_HYPERBOLIC = {
    "M_2 too small": lambda r: changed(r, ("circle bound", "M_2"), times(0.9)),
    "z in layer l_1": lambda r: changed(r, ("inversion", "z_(l_1)"), times(1.01)),
    "t in layer l_1": lambda r: changed(r, ("inversion", "t_(l_1)"), times(1.01)),
    "mu": lambda r: changed(r, ("map step", "mu"), "[0.51, 0.52]"),
    "a power less": lambda r: changed(r, ("remainder", "power"), lambda old: old + 1),
    "the offset": lambda r: changed(r, ("quantity", "offset"), exactly("99/100") if r["parameters"] else "1/100"),
}
OF_SECOND = {  # where D stands in the law
    "D 1% off": lambda r: changed(r, ("second_constant",), enclosure(1.01)),
    "D 1e-12 off": lambda r: changed(r, ("second_constant",), enclosure(1 + 1e-12)),
    "D twice": lambda r: twice(r, "D"),
    "the first term dropped": lambda r: changed(r, ("terms",), lambda old: old[1:]),
    "the last coefficient 1% off": lambda r: changed(r, ("terms", -1, "coefficient"), exactly("101/100")),
    "b 1% off": lambda r: changed(r, ("linear", "forcing"), exactly("101/100")),
    "lambda 1e-40 off": lambda r: changed(r, ("linear", "multiplier"), exactly("1 - 1/10**40")),
    "a of the start": lambda r: changed(r, ("linear", "start"), "3"),
    "h": lambda r: changed(r, ("linear", "power"), lambda old: 1 if old is None else old + 1),
    "B 10% too small": lambda r: changed(r, ("constant",), times(0.9)),
}
OF_LINEAR = {name: OF_SECOND[name] for name in ("h", "lambda 1e-40 off", "b 1% off")} | {
    "not over the depth": lambda r: changed(r, ("quantity", "average"), False),
    "the limit": lambda r: changed(r, ("terms", 0, "coefficient"), "1/3"),
}
OF_HARMONIC = {
    "the logarithm dropped": lambda r: changed(r, ("terms", 0, "logs"), 0),
    "residue 0": lambda r: changed(r, ("terms", 0, "coefficient"), "0"),
    "the unit of D": lambda r: changed(r, ("linear", "unit"), "101/100"),
    "a remainder one step too small": lambda r: smaller_remainder(r, "order", "4", "n**(-4)"),
}
OF_RESONANCE = {
    "l dropped": lambda r: changed(r, ("terms", 1, "logs"), 0),
    "resonance 0": lambda r: changed(r, ("terms", 1, "coefficient"), "0"),
    "a remainder one step too small": lambda r: smaller_remainder(r, "power", 3, "n*8**(-n)"),
    "a remainder without l": lambda r: smaller_remainder(r, "logs", 0, "4**(-n)"),
}
OF_FACTOR = {
    "the factor's power": lambda r: changed(r, ("terms", 1, "power"), "1 + w"),
    "a remainder one step too small": lambda r: smaller_remainder(r, "power", "2 + w", "12**(-n)"),
}
OF_FALLING = {name: PLANTED[name] for name in (
    "a coefficient 1% off", "a coefficient 1e-30 off", "a coefficient of the wrong sign", "a term dropped", "C 1% off",
    "l_0 in one place", "the start",
)} | {  # B is up to 2% above what boxes show
    "B 5% too small": lambda r: changed(r, ("constant",), times(0.95)),
    "C of fewer starts": lambda r: changed(r, ("connection_constant",), lambda old: [old[1], old[1]]),
    "h 1e-40 off": PLANTED["the map 1e-40 off"],
    "the sign of h": PLANTED["the sign of the map"],
    "the step sizes": lambda r: changed(r, ("map", "steps", "weight"), exactly("101/100")),
    "the layers of the steps": lambda r: changed(r, ("map", "steps", "shift"), exactly("101/100")),
    "another first step": lambda r: changed(r, ("map", "steps", "others"), {"2": "1/4"}),
    "the order": lambda r: changed(r, ("map", "order"), lambda old: old + 1),
    "a remainder one step too small": lambda r: smaller_remainder(r, "order", "4", "log(l)**(-4)"),
    "t in layer n": lambda r: changed(r, ("orbit", "t_n"), "[0.01, 0.0100001]"),
}
OF_INTERVALS = {
    "more starts": lambda r: more_starts(r),
    "C of fewer starts": lambda r: changed(
        r, ("connection_constant",), lambda old: [str(float(old[0]) * 1.001), str(float(old[1]) * 0.999)]
    ),
    "a coefficient 1e-30 off": PLANTED["a coefficient 1e-30 off"],
    "B 10% too small": lambda r: changed(r, ("constant",), times(0.9)),
}
ALL = [
    *(("harmonic", name, plant) for name, plant in (OF_SECOND | OF_HARMONIC).items()),
    *(("resonant", name, plant) for name, plant in (OF_SECOND | OF_RESONANCE).items()),
    *(("a factor 1/3", name, plant) for name, plant in (OF_SECOND | OF_FACTOR).items()),
    *(("x/2 - x^2/3, all starts", name, plant) for name, plant in OF_INTERVALS.items()),
    *(("relu ntk, all starts", name, plant) for name, plant in OF_LINEAR.items()),
    *(("x/2 - x^2/3", name, plant) for name, plant in (PLANTED | OF_HYPERBOLIC).items()),
    *(("cos", name, plant) for name, plant in OF_HYPERBOLIC.items()),
    *(("falling steps", name, plant) for name, plant in OF_FALLING.items()),
]


@pytest.mark.parametrize(("law", "name", "plant"), ALL, ids=[f"{law}: {name}" for law, name, _ in ALL])
def test_planted_errors_are_refused(law, name, plant):
    planted = plant(record(law))
    assert planted != record(law)
    with pytest.raises((checker.Refuted, checker.NotCovered)) as refusal:
        checker.check(planted)
    assert isinstance(refusal.value, checker.Refuted)


# ---- texts that are code ---------------------------------------------------------------------------------------

MARK = "open('mark', 'w')"
HOSTILE = (
    "__import__('pathlib').Path('mark').touch()", MARK, f"2 if {MARK} else 2", f"[{MARK} for _ in (1,)]",
    f"(lambda: {MARK})()", "sin.__globals__['__builtins__']['open']('mark', 'w')",
    "().__class__.__base__.__subclasses__()", f"sin({MARK})", f"sin(1, evaluate={MARK})", f"f'{{{MARK}}}'",
    f"(y := {MARK})", f"x.subs(x, {MARK})", "fmpq.__init__", "9**9**9**9", "'2'", "True", "2j", "x @ x", "~2", "sin",
    "", "(" * 400 + "2" + ")" * 400,
)  # fmt: skip
# this text makes the checker believe everything, where it is run
BELIEVES = "(__import__('sys').modules['tests.independent_checker'].__dict__.update(require=print), {})[1]"
PLACES = {  # where a file has formulas and figures
    "x/2 - x^2/3": [
        ("map", "formula"), ("terms", 1, "coefficient"), ("terms", 1, "power"), ("start", "distances", 0),
        ("start", "from"), ("start", "to"), ("quantity", "offset"), ("constant",), ("connection_constant", 0),
        ("radius", "R"), ("first layers", "largest"), ("map step", "mu"), ("monomial",),
    ],
    "cos": [("parameters", "xi", "zero"), ("parameters", "xi", "between", 0)],
    "harmonic": [
        ("linear", "multiplier"), ("linear", "forcing"), ("linear", "start"), ("linear", "unit"),
        ("terms", -1, "order"), ("remainder", "order"),
    ],
    "falling steps": [("map", "formula"), ("map", "steps", "weight"), ("map", "steps", "shift")],
}  # fmt: skip


def outcome(given: dict, path: Path) -> int:
    """The exit code, 0 where the file is verified; whatever is in it, no exception comes out."""
    path.write_text(json.dumps(given))
    return checker.main(str(path))


@pytest.fixture
def nothing_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    assert {path.name for path in tmp_path.iterdir()} <= {"file.json"}


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_no_formula_is_not_run(text):
    readers = (
        lambda: checker.formula(text, {"y": checker.arb(1)}, "x")(checker.arb(1)),
        lambda: checker.formula(f"x + ({text})", {}, "x").derivative(),
        lambda: checker.symbolic(text, {"x": X}),
        lambda: checker.decimal(text),
        lambda: checker.formula("1e5", {}),
    )
    for reader in readers:
        with pytest.raises(checker.NotCovered):
            reader()


@pytest.mark.parametrize("text", ["nan", "inf", "0 +/- 9", "[1, 2]", "1/2", "1e9999999", "0x10", "1_0", " 1", "1j"])
def test_what_is_no_decimal_is_no_figure(text):
    with pytest.raises(checker.NotCovered):
        checker.decimal(text)


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize(("law", "place"), [(law, at) for law, places in PLACES.items() for at in places], ids=str)
def test_no_text_of_a_file_is_run(law, place, tmp_path):
    assert outcome(changed(record(law), place, HOSTILE[0]), tmp_path / "file.json") in (1, 2)


@pytest.mark.parametrize("place", [("map", "formula"), ("terms", 1, "coefficient"), ("start", "distances", 0)])
def test_no_text_makes_a_false_bound_true(place, tmp_path, monkeypatch):
    monkeypatch.setattr(checker, "require", checker.require)
    given = smaller_bound(record("x/2 - x^2/3"))
    true = given[place[0]][place[1]] if len(place) == 2 else given[place[0]][place[1]][place[2]]
    assert outcome(given, tmp_path / "file.json") == 1
    assert outcome(changed(given, place, BELIEVES.format(true)), tmp_path / "file.json") != 0
    assert checker.require.__name__ == "require"


@pytest.mark.parametrize("name", ["pi", "E", "sin", "sqrt", "C", "D", "n", "step", "x", "a b", "__import__('os')", "1"])
def test_a_parameter_takes_no_name_that_means_something(name, tmp_path):
    """pi = 3 would make another map of the one that is written."""
    given = copy.deepcopy(record("harmonic"))
    given["parameters"][name] = {"between": ["3", "3.00001"], "zero": None}
    assert outcome(given, tmp_path / "file.json") == 2
    given = copy.deepcopy(record("harmonic"))
    given["map"]["variable"] = name
    assert name in ("n", "C", "D", "step", "x") or outcome(given, tmp_path / "file.json") == 2


def test_formulas_are_read_as_they_are_written():
    # the same numbers by hand
    same = {"2**-3": 1 / 8, "-2**2": -4, "(1/2)**(1/2)*sqrt(2)": 1, "2*pi - pi - pi": 0, "7 - -2": 9}
    for text, value in same.items():
        assert abs(float(checker.formula(text, {})(0).mid()) - value) < 1e-15
        assert abs(float(checker.symbolic(text, {})) - value) < 1e-15
    assert checker.symbolic("x**2*sin(x) - E/cos(x)", {"x": X}) == X**2 * sin(X) - exp(1) / cos(X)


@pytest.mark.parametrize("text", ["asin(2)", "acos(-3)", "asin(1 + 1/10**99)", "sqrt(-2)", "(1 - 2)**(1/2)",
                                  "(-8)**(1/3)", "log(-1)", "(5 - 7)**(3/2)"])  # fmt: skip
def test_a_function_has_no_value_outside_its_domain(text):
    """Not that of the nearest point inside."""
    flint_bits = checker.flint.ctx.prec
    try:
        checker.flint.ctx.prec = checker.BITS
        assert not checker.formula(text, {})(0).is_finite()
    finally:
        checker.flint.ctx.prec = flint_bits


def test_the_checker_runs_nothing():
    """Nothing in it is compiled or evaluated, and SymPy, which would run a text, is handed none."""
    running = {"eval", "exec", "compile", "sympify", "parse_expr", "S", "lambdify", "__import__", "loads", "Poly", "N"}
    tree = ast.parse(Path(checker.__file__).read_text())
    called = {getattr(node.func, "id", getattr(node.func, "attr", "")) for node in ast.walk(tree)
              if isinstance(node, ast.Call)}  # fmt: skip
    assert called & running == set() and "parse" in called


# ---- every number of a file -----------------------------------------------------------------------------------

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")
SENTENCES = ("statement", "latex", "shows", "versions", "name", "format")
WEAKER = {"R", "M", "M_2", "e", "E"}  # larger ones may be true as well; R and M are compared at some places only
OTHERS = {"bits", "arcs", "r", "r_W", "R_X", "R_Y", "N", "J", "Lambda_1"}  # choices of the proof; others do as well
SMALL = {"B1", "B2", "B3", "B5", "rest"}  # less than what the sum of the tail is compared to


def numbers(node, place=()):
    """(place, where in the text) of every number, sentences left out."""
    if isinstance(node, dict | list):
        for key, inner in node.items() if isinstance(node, dict) else enumerate(node):
            if key not in SENTENCES:
                yield from numbers(inner, (*place, key))
    elif isinstance(node, int):
        yield place, None
    elif isinstance(node, str):
        yield from ((place, found.span()) for found in NUMBER.finditer(node))


def another(old, span):
    """A whole number plus 1, another one 10% larger."""
    if span is None:
        return not old if isinstance(old, bool) else old + 1
    digits = old[slice(*span)]
    return old[: span[0]] + (str(int(digits) + 1) if digits.isdigit() else repr(float(digits) * 1.1)) + old[span[1] :]


def accepted(given: dict) -> list[tuple]:
    """The numbers that may be changed without being refused."""
    found = []
    for place, span in numbers(given):
        planted, inner = copy.deepcopy(given), given
        for key in place:
            inner = inner[key]
        node = planted
        for key in place[:-1]:
            node = node[key]
        node[place[-1]] = another(inner, span)
        try:
            checker.check(planted)
            found.append(place)
        except (checker.Refuted, checker.NotCovered, KeyError, TypeError, ValueError):
            continue
    return found


@pytest.mark.parametrize("law", ["x/2 - x^2/3", "falling steps"])
def test_every_changed_number_is_refused(law):
    """All that the theorem states but a wider enclosure of C; of the figures all but those named above."""
    given = record(law)
    left = accepted(given)
    assert {place[0] for place in left} <= {"steps", "connection_constant"}
    assert {place[-1] for place in left if place[0] == "steps"} <= WEAKER | OTHERS | SMALL | {"t_(l_1)", "mu"}
    assert len(left) < 0.35 * len(list(numbers(given)))
