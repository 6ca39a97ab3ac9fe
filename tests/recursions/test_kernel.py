"""The proof kernel: what it accepts is true of orbits iterated here in mpmath, and every planted error is refused."""

import copy
import json
import operator
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache, partial
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from mpmath import mp, mpf
from sympy import Rational, Symbol, exp, oo, sin, tanh

import asympt as asy
from asympt import kernel
from asympt.errors import UnsupportedError
from asympt.kernel import laws
from asympt.kernel.activation import bound
from asympt.kernel.formulas import StartSegment, evaluate
from asympt.kernel.numbers import Names, ball
from asympt.kernel.series import PowerSeries
from asympt.recursions import Recursion
from asympt.recursions.proofs import proof_object
from tests.cli.command import run

X = Symbol("x", positive=True)
RELU = asy.FeedForward("relu")
ELU, TANH = (asy.FeedForward.on_edge_of_chaos(phi, sigma_b="1/5") for phi in ("elu", "tanh"))
THEOREMS = {
    "two terms": lambda: Recursion(X - X**2, X).law(terms=2).certificate(start="1/2"),
    "C printed": lambda: Recursion(sin(X), X).law(terms=5).certificate(start=1),
    "an interval": lambda: Recursion(tanh(X), X).law(terms=2).certificate(start=("1/2", "1")),
    "an interval, C": lambda: Recursion(X - X**2, X).law(terms=3).certificate(start=("1/4", "2/5")),
    "at infinity": lambda: Recursion(X + 1 / X, X, oo).law(terms=2).certificate(start=2),
    "hyperbolic": lambda: Recursion(X / 2 - X**2 / 3, X).law(terms=3).certificate(start=1),
    "relu": lambda: RELU.correlation_law(terms=2).certificate(correlation="1/10"),
    "elu": lambda: ELU.correlation_law(terms=2).certificate(correlation="1/10"),
    "relu ntk": lambda: RELU.ntk_law(terms=2).certificate(correlation=("1/10", "1/2")),
    "tanh ntk": lambda: TANH.ntk_law(terms=2).certificate(correlation=("-1", "1/2")),
    "relu ntk from -1": lambda: RELU.ntk_law(terms=2).certificate(correlation=("-1", "0")),
    "relu ntk, C": lambda: RELU.ntk_law(terms=5).certificate(correlation="1/10"),
    "elu ntk": lambda: ELU.ntk_law(terms=2).certificate(correlation="1/10"),
    "tanh ntk, C": lambda: TANH.ntk_law(terms=3).certificate(correlation="1/10"),
}
LAYERS = "elu", "tanh ntk", "elu ntk", "tanh ntk, C"
SMOOTH = {"tanh": lambda: TANH.correlation_law(terms=2).certificate(correlation=("1/10", "1/2"))}


@cache
def proof_text(name: str) -> str:
    return json.dumps((THEOREMS | SMOOTH)[name]().to_proof())


def proof(name: str) -> dict:
    return json.loads(proof_text(name))


def refused(given) -> str:
    """Why; fails where it is accepted, or where it takes long."""
    begun = time.process_time()
    with pytest.raises((kernel.NotShown, kernel.BadFile)) as why:
        kernel.check(given)
    assert time.process_time() - begun < 20
    return str(why.value)


# ---- what is accepted is true ---------------------------------------------------------------------------------


def value(node, t):
    """A formula of a proof object in mpmath."""
    if isinstance(node, str):
        return t if node == "t" else mpf(Rational(node).p) / Rational(node).q
    name, *rest = node
    if name == "q":
        return value(rest[0], t)
    if name in ("pi", "C", "e"):
        return mp.pi if name == "pi" else t["".join(map(str, node))]
    if name in ("pow", "root"):
        return value(rest[0], t) ** (rest[1] if name == "pow" else mpf(1) / rest[1])
    a, *b = (value(part, t) for part in rest)
    if not b:
        return -a if name == "neg" else getattr(mp, name)(a)
    return getattr(operator, {"div": "truediv"}.get(name, name))(a, b[0])


def states(given: dict, start: str, depth: int) -> Iterator[tuple]:
    """(layer, x, a) by plain iteration; those of a network in float64, by tables."""
    if isinstance(given["map"], dict):
        net = TANH if "tanh" in str(given["map"]) else ELU
        for layer in (2, 3, 10, 100, depth):
            (x,), (a,) = asy.depth.pairs(net, gap=np.array([float(value(start, 0))]), depth=layer)
            yield layer, mpf(x), mpf(a) if "initial" in given else None
        return
    x, root = value(start, 0), given.get("root", 1)
    a = value(given["initial"], mp.root(x, root)) if "initial" in given else None
    for layer in range(given.get("first", 0), depth + 1):
        yield layer, x, a
        t = mp.root(x, root)
        x = value(given["map"], t)
        if a is not None:
            a = value(given["multiplier"], t) * a + value(given["forcing"], t)


def deviation(given: dict, theorem: str, layer: int, x, a, end: int = 0):
    """|quantity - law| over what it may be; end: 0 for the least start of an interval, whose C is the largest."""
    n, m = mpf(layer), given.get("m")
    near = re.search(r"C = \[(\S+) \+/- (\S+)\]", theorem)
    between = re.search(r"C in \[(\S+), (\S+)\]", theorem)
    c, radius = map(mpf, near.groups()) if near else (0, 0)
    if between:
        c, radius = mpf(between.groups()[1 - end]), mpf("1e-5")
    letters = {f"e{k}": mpf(e) for k, e in re.findall(r"e_(\d) = \[(\S+)", theorem)}
    if given["kind"] == "hyperbolic":
        z, (bound, last) = value(given["chi"], 0) ** n, given["remainder"]
        away = abs(x - sum(value(k, 0) * (c * z) ** j for k, j in given["terms"])) - 2 * radius * z
        return away / (value(bound, 0) * z**last)

    def law(c):
        return sum(value(k, letters | {"C": c}) * n ** (-mpf(i) / m) * mp.log(n) ** j for k, i, j in given["terms"])

    bound, i, j = given["remainder"]
    quantity = x ** (mpf(given["exponent"]) / given["root"]) if a is None else a / n**given["average"]
    away = abs(quantity - law(c)) - abs(law(c + radius) - law(c))
    return away / (value(bound, 0) * n ** (-mpf(i) / m) * mp.log(n) ** j)


@pytest.mark.parametrize("name", THEOREMS)
def test_a_theorem_is_true_of_its_orbit(name):
    given = proof(name)
    theorem = kernel.check(given)
    assert theorem == kernel.check(kernel.loads(proof_text(name)))
    with mp.workdps(40):
        for end, start in enumerate(given["start"][:: len(given["start"]) - 1]):
            orbit = states(given, start, min(2 * given["N"], 400))
            found = [deviation(given, theorem, *state, end) for state in orbit if state[0] >= 2]
            assert max(found) <= 1
    assert max(found) > mpf("0.1")  # a bound that says something


@pytest.mark.parametrize("name", [name for name in THEOREMS if name != "elu ntk"])
def test_certificates_say_who_checked_them(name):
    theorem = THEOREMS[name]()
    assert theorem.trust == "kernel" == theorem.to_json()["trust"] and theorem.recheck()
    assert theorem.proved == "proved, re-checked by the kernel"


def test_what_the_kernel_does_not_cover_is_said_to_be_unchecked():
    theorem = Recursion(X / (1 + X), X).linear_law(1, X, 0, terms=4).certificate(start=1)
    assert theorem.trust == "library" and "by the library, not re-checked" in theorem.proved
    with pytest.raises(UnsupportedError, match="none with D"):
        theorem.to_proof()


def test_a_search_in_vain_says_what_most_choices_lack():
    with pytest.raises(kernel.NotShown, match="often"):
        proof_object._first(partial(kernel.need, False), ["once", "often", "often", "last"], iter(range(9)))


def test_the_search_does_not_depend_on_how_fast_the_machine_is(monkeypatch):
    clock = count(step=1000)
    for name in ("process_time", "monotonic", "perf_counter", "time"):
        monkeypatch.setattr(time, name, lambda: next(clock))
    assert RELU.ntk_law(terms=1).certificate(correlation=("1/10", "1/2")).to_proof()["from"] == 2


@pytest.mark.parametrize("certificate", [
    lambda: RELU.correlation_law(terms=2).certificate(correlation=("0", "4/5")),  # increases, seen piece by piece
    lambda: Recursion(X * exp(-(X**4)), X).law(terms=2).certificate(start="1/2"),  # (1/4)^(1/4) is sqrt(2)/2
    lambda: Recursion(X / (1 + X**3), X).law(terms=3).certificate(start="1/2"),
    # their maps have a closed form with q and sigma_w in it
    lambda: asy.FeedForward.on_edge_of_chaos("gelu", sigma_b="1/5").ntk_law(terms=2).certificate(correlation="1/10"),
    lambda: asy.FeedForward.on_edge_of_chaos("erf", sigma_b="1/5").correlation_law(terms=2).certificate(
        correlation=("-1/5", "1/2")),
    # C of a layer whose Hermite coefficients fall slowly, quotients, and C of an interval along a linear recursion
    lambda: asy.FeedForward.on_edge_of_chaos("gelu", sigma_b="1/2").correlation_law(terms=3).certificate(
        correlation="1/10"),
    lambda: asy.FeedForward.on_edge_of_chaos("silu", sigma_b="1/2").ntk_law(terms=2).certificate(correlation="1/10"),
    lambda: asy.FeedForward.on_edge_of_chaos("softsign", sigma_b="1/5").correlation_law(terms=3).certificate(
        correlation="1/10"),
    lambda: RELU.ntk_law(terms=3).certificate(correlation=("1/10", "1/5")),
    lambda: RELU.correlation_law(terms=2).certificate(correlation="-1"),  # where the map's domain ends
    lambda: RELU.correlation_law(terms=2).certificate(correlation=("-1", "1/2")),
    lambda: RELU.ntk_law(terms=2).certificate(correlation=("-1", "9/10")),  # the README's theorem
    lambda: Recursion(X - X**2, X).law(terms=2).certificate(start=("1/4", "1/2")),  # up to a maximum of the map
    lambda: asy.FeedForward.on_edge_of_chaos("softsign", sigma_b="1/5").ntk_law(terms=2).certificate(correlation="0"),
])  # fmt: skip
def test_what_was_once_not_covered_is_checked(certificate):
    assert certificate().trust == "kernel"


# ---- planted errors -------------------------------------------------------------------------------------------

DEEP = ["sin"]
for _ in range(200):
    DEEP = ["sin", DEEP]
WRONG = (None, True, 1.5, float("nan"), float("inf"), "nan", "1e9", "1/0", "", "٣", "t", "x" * 10**6, -(10**9), 10**9,
         10**5000, [], {}, ["eval", "t"], ["sin"], ["sin", "t", "t"], ["q", "1e400000"], ["pow", "t", 10**9], ["C"],
         DEEP)  # fmt: skip
FORMULAS = "map", "multiplier", "forcing", "initial"
CANCELLING = ["sub", ["pow", ["sqrt", ["sub", "t", ["q", "9"]]], 0], ["q", "1"]]  # 0, but for its domain


def changed(given: dict, place: tuple, new) -> dict:
    found = copy.deepcopy(given)
    inner = found
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = new
    return found


def leaves(node, place: tuple = ()) -> Iterator[tuple]:
    """(place, value) of everything in a proof object that has no parts; of the starts, of the first three."""
    for key, inner in node.items() if isinstance(node, dict) else enumerate(node[:3] if place == ("start",) else node):
        if isinstance(inner, list | dict):
            yield from leaves(inner, (*place, key))
        else:
            yield (*place, key), inner


@pytest.mark.parametrize("name", [name for name in THEOREMS if name not in LAYERS])  # which have tests of their own
def test_no_field_takes_what_is_no_value_of_it(name):
    given = proof(name)
    for field in given:
        for new in WRONG:
            if not (field in FREE and new == "t"):
                refused(changed(given, (field,), new))
        refused({key: old for key, old in given.items() if key != field})
        if isinstance(old := given[field], list):
            shorter = [] if field == "start" and len(old) > 2 else [old[:-1]]  # an interval in the interval
            for new in [["add", old, CANCELLING]] if field in FORMULAS else [*shorter, [*old, old[0]]]:
                refused({**given, field: new})
    for place, _ in leaves(given):
        for new in (None, True, "nan"):
            refused(changed(given, place, new))
    refused({**given, "statement": "for all n >= 2: x_n = 0"})


# factors that make a number false, where not any other value does
SLACK = {"range": ("40",), "start": (0, -1), "q": ("3/2", -1), ("remainder", 0): ("19/20", 0, -1)}
FREE = {"forcing", "initial"}  # with another one it is another theorem
OUTSIDE = {"N": (2, 20_001), "from": (0, 1), "bits": (1, 10**5), "first": (-1, 11), "k": (0, 17)}


def false_numbers(given: dict) -> Iterator[dict]:
    """Every number of the object changed so that the object proves nothing."""
    for place, old in leaves(given):
        field = next(key for key in reversed(place) if isinstance(key, str))
        if field in FREE:
            continue
        if isinstance(old, str) and re.fullmatch(r"-?\d+(/\d+|\.\d+)?", old):
            factors = SLACK.get(field) or SLACK.get(place) or ("1000001/1000000", -1)
            yield from (changed(given, place, str(Rational(old) * Rational(factor))) for factor in factors)
        elif type(old) is int and field not in OUTSIDE:
            steps = (1,) if place == ("remainder", 1) else (-1,) if field == "remainder" else (-1, 1)
            yield from (changed(given, place, old + step) for step in steps)
        yield from (changed(given, place, new) for new in OUTSIDE.get(field, ()))


@pytest.mark.parametrize("name", THEOREMS)
def test_false_numbers_are_refused(name):
    given = proof(name)
    found = list(false_numbers(given))
    if name in ("elu ntk", "tanh ntk, C"):  # the others are those of "elu" and "tanh ntk"
        found = [other for other in found if any(other[field] != given[field] for field in ("terms", "remainder"))]
    assert len(found) > 20
    for planted in found:
        refused(planted)


DIGITS = '["q", "3.0896227197295430595378472764175097854"]'  # of C
SQUARE = ["pow", "t", 2]
ROOT = ["sqrt", ["mul", ["sub", "t", ["q", "1"]], ["sub", ["q", "2"], "t"]]]
ONCE_ACCEPTED = {  # by the checker that this kernel replaces, each of them
    "another statement": ("relu", "statement", lambda p: "for all l >= 2: |1 - c^l| <= 1/l^30", "other fields"),
    "a remainder 1/l^30": ("relu", "remainder", lambda p: [p["remainder"][0], 30, 0], "at layer 2"),
    "all starts": ("relu", "start", lambda p: ["0", "2"], "starts"),
    "C by its digits": ("C printed", "", lambda p: json.loads(json.dumps(p).replace('["C"]', DIGITS)), "not exactly"),
    "1/4 and 1e-160": ("relu ntk", "terms", lambda p: [[f"0.25{'0' * 157}1", 0, 0], p["terms"][1]], "not exactly"),
    "3/8 and 1e-160": ("relu ntk", "terms", lambda p: [p["terms"][0], [f"0.375{'0' * 156}1", 1, 1]], "not exactly"),
    "a pole": ("two terms", "map", lambda p: ["div", p["map"], ["sub", ["q", "1"], ["mul", ["q", "64"], "t"]]], ""),
    "a radius beyond the branch point": ("relu", "range", lambda p: "1.7", "real domain"),
}  # fmt: skip


@pytest.mark.parametrize("name", ONCE_ACCEPTED)
def test_what_was_once_accepted_is_refused(name):
    theorem, field, new, why = ONCE_ACCEPTED[name]
    given = proof(theorem)
    assert re.search(why, refused({**given, field: new(given)} if field else new(given)))


@pytest.mark.parametrize("map_", [
    ["log", ["sub", ["q", "1"], "t"]], ["sqrt", "t"], ["mul", "t", ["sqrt", ["sub", ["q", "1/10000"], SQUARE]]],
    ["asin", ["mul", ["q", "100"], "t"]], ["div", "t", ["sub", ["q", "1"], ["mul", ["q", "100"], "t"]]],
    ["add", "t", SQUARE], ["sub", "t", ["pow", "t", 3]], ["sin", ["mul", ["pi"], "t"]], ["mul", ["q", "99/100"], "t"],
    ["mul", "t", ["pow", ["pow", ["pow", ["q", "3/2"], 50], 50], 50]], ["exp", ["exp", ["exp", ["exp", ["q", "9"]]]]],
])  # fmt: skip
def test_maps_outside_their_domain_or_of_another_kind_are_refused(map_):
    refused({**proof("two terms"), "map": map_})


def test_a_formula_up_to_the_end_of_its_domain():
    """A start there is a number, all near it are a ball; beyond it, or with a maximum between, nothing is shown."""
    found = evaluate(["sqrt", ["sub", ["q", "2"], "t"]], StartSegment(fmpq(1), fmpq(2)), None)
    assert found.contains(0) and found.contains(1) and abs(found) < 1.01
    assert evaluate(ROOT, StartSegment(fmpq(2), fmpq(2)), None) == 0
    for ends in ((1, 2), (2, 3), (0, 1)):
        with pytest.raises(kernel.NotShown):
            evaluate(ROOT, StartSegment(*map(fmpq, ends)), None)
    for name in ("relu", "relu ntk from -1"):
        for starts in (["1/10", "2"], ["1/10", "1999/1000", f"2.{'0' * 50}1"], ["1/10", "199999/100000", "2"]):
            refused({**proof(name), "start": starts})


def test_constants_are_what_their_formula_says():
    node = ["root", ["div", ["neg", ["pow", ["pi"], 0]], ["sub", ["sqrt", ["q", "2"]], ["sqrt", ["q", "3"]]]], 3]
    for names in (Names(), None):
        assert float(ball(evaluate(node, None, names))) == pytest.approx(float(value(node, 0)))
    assert bound(["mul", ["pow", ["q", "2"], 0], "t"], arb(1), 1)[:2] == (1, 1)


@pytest.mark.parametrize("text", ["[" * 10**5, "", "\0", "1" * 300_000, "NaN", "[]", '{"format": "depth-law proof 4"}'])
def test_hostile_files_are_no_proofs(text):
    with pytest.raises(kernel.BadFile):
        kernel.check(kernel.loads(text))


def test_the_statement_of_a_layer():
    theorem = kernel.check(proof("tanh"))
    for said in ("x_1 in [1/2, 9/10]", "c^1 in [1/10, 1/2]", "phi(t) = tanh(t), sigma_b = 1/5",
                 "q = sigma_b^2 + sigma_w^2 E[phi(U)^2], 1 = sigma_w^2 E[phi'(U)^2], which has a solution",
                 "q = [0.512078504233", "sigma_w = [1.304145840056", "e_4 = [0.14116840920"):  # `asympt eoc`
        assert said in theorem
    assert "phi(t) = exp(t) - 1 for t < 0, t for t >= 0" in kernel.check(proof("elu"))
    with ctx.workprec(128):
        shown = laws.recursion(proof("elu") | {"first": 3})
    assert shown.startswith("x_3 = 9/10, ") and "c^3 = 1/10, is" in shown


HALF = ["div", "t", ["q", "2"]]


@pytest.mark.parametrize(("field", "new", "why"), [
    ("phi", [HALF, HALF], "between the given ends"), ("phi", [["sin", "t"]] * 2, "between the given ends"),
    ("phi", [["exp", ["mul", ["q", "20"], "t"]]] * 2, "beyond"), ("phi", ["t", ["neg", "t"]], "between the given ends"),
    ("phi", ["t", ["add", "t", ["q", "1"]]], "continuous"),
    ("phi", [["mul", ["exp", ["q", "1"]], ["cos", "t"]], ["mul", ["sin", ["q", "1"]], ["cos", "t"]]], "continuous"),
    ("phi", [["tanh", ["mul", ["q", "7"], "t"]]] * 2, "in the strip"), ("phi", [["tanh", SQUARE]] * 2, "linear"),
    ("phi", [["exp", SQUARE]] * 2, "linear"), ("phi", [["exp", ["exp", "t"]]] * 2, "linear"),
    ("phi", [["div", "t", ["add", ["q", "1"], SQUARE]]] * 2, "not linear"),
    ("phi", [["div", "t", ["add", ["q", "1"], "t"]]] * 2, "vanish"), ("phi", [["sqrt", "t"]] * 2, "vanish"),
    ("phi", [["log", "t"]] * 2, "log"), ("phi", [["atan", "t"]] * 2, "atan"), ("phi", [["e", 4]] * 2, "e_4"),
    ("sigma_b", "21/100", "between the given ends"), ("sigma_b", "-1/5", "sigma_b"),
    ("q", ["1/4", "1"], ""), ("q", ["51/100", "512/1000"], "between the given ends"), ("q", ["-1", "1"], "ends of q"),
])  # fmt: skip
def test_planted_errors_of_a_layer_are_refused(field, new, why):
    given = proof("tanh")
    assert why in refused(changed(given, ("map", field), new))
    assert all(refused(changed(given, ("map", field), wrong)) for wrong in WRONG)


def test_what_is_shown_of_a_layer():
    """A bound in the strip, which a small divisor makes large; and the model near c = 1 with its slope."""
    assert bound(["div", "t", ["sub", ["q", "1"], ["q", "999/1000"]]], arb(1), 1)[0] >= 999
    with ctx.workprec(128):
        layer, t = laws.source_of({"map": proof("elu")["map"], "root": 2}), arb("0.15")
        for degree in (11, 12):
            model = layer.model(8, degree, fmpq(1, 4), Names())
            slope = PowerSeries([k * c for k, c in enumerate(model.c)], model.r)  # times t
            assert layer.at(t).overlaps(model.over(t)) and model.over(t).rad() < 1e-8
            assert slope.over(t).overlaps(2 * t * t * layer.far[1][0](1 - t * t) + arb(0, 1e-4))


def test_starts_of_the_ntk_of_a_layer():
    """All of an interval in [-1, 1) at once: the NTK is between two numbers; of other recursions it is to be shown."""
    given, relu = proof("tanh ntk"), proof("relu ntk")
    assert "c^1 in [-1, 1/2]" in kernel.check(given)
    assert "the law at layer" in refused({**given, "start": ["1/100", "2"]})
    assert "a correlation" in refused({**given, "start": ["1/2", f"2.{'0' * 50}1"]})
    rising = ["add", relu["forcing"], ["pow", ["mul", ["q", "2"], "t"], 40]]  # on the orbits, too
    for planted in ({**given, "initial": "t"}, {**relu, "initial": "t"}, {**relu, "forcing": rising}):
        assert "an interval" in refused(planted)
    as_layer = {field: old for field, old in relu.items() if field not in ("multiplier", "forcing")}
    assert "no layer" in refused(as_layer | {"kind": "ntk"})


def test_a_layer_stands_only_where_its_kind_reads_it():
    given = proof("tanh")
    layer = given["map"]
    assert "root" in refused({**given, "root": 1}) and "root" in refused({**proof("hyperbolic"), "map": layer})
    for wrong in (layer | {"statement": ""}, {name: layer[name] for name in layer if name != "sigma_b"}):
        assert "fields" in refused({**given, "map": wrong})
    for field in ("multiplier", "forcing", "initial", "start"):
        refused({**proof("relu ntk"), field: layer})


def test_a_map_that_begins_with_a_constant_and_has_a_power_of_a_power():
    map_ = ["sub", ["pi"], ["sub", ["pi"], ["mul", ["sqrt", ["pow", "t", 0]], ["sub", "t", ["pow", SQUARE, 1]]]]]
    assert "pi - (pi - (sqrt(t^0)*(t - (t^2)^1))):" in kernel.check({**proof("two terms"), "map": map_})


# ---- exactness, and the command line --------------------------------------------------------------------------


def test_relu_is_checked_with_equal_coefficients():
    """The printed 9 pi^2/2 and -27 pi^2/2 are equal to those of the map, not only close to them."""
    given = proof("relu")
    assert "(9/2)*pi^2" in kernel.check(given)
    given["terms"][1][0] = ["mul", ["q", str(Rational(-27, 2) + Rational(1, 10**60))], ["pow", ["pi"], 2]]
    assert "not exactly" in refused(given)


def test_the_kernel_needs_no_more_than_flint(tmp_path):
    """It runs where nothing else of asympt can be imported, in a process of its own."""
    path, folder = tmp_path / "proof.json", tmp_path / "asympt"
    path.write_text(proof_text("two terms"))
    shutil.copytree(Path(kernel.__file__).parent, folder / "kernel", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "__init__.py").write_text("")
    script = "import sys; from asympt import kernel; print(kernel.check(kernel.loads(open(sys.argv[1]).read()))); "
    script += "assert not {'sympy', 'mpmath', 'numpy'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", script, path], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.startswith("x_0 = 1/2") and done.returncode == 0


def test_check_on_the_command_line(tmp_path):
    path = tmp_path / "proof.json"
    for text, code, said in (
        (proof_text("relu"), 0, "proved: x_1 = 9/10"),
        (proof_text("relu").replace('"m": 1', '"m": 2'), 1, "refused: the map"),
        ("[", 2, "not JSON"),
    ):
        path.write_text(text)
        found = run("check", str(path))
        assert found.exit_code == code and said in found.output
    written = run("recursion", "sin(x)", "--start", "1", "--terms", "2", "--prove", "-o", str(path))
    assert written.exit_code == 0 and run("check", str(path)).exit_code == 0
