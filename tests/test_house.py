"""The house itself: one name for one class, and no net that hides a fault."""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import asympt

PACKAGE = Path(asympt.__file__).parent


def test_no_two_classes_share_a_name():
    found = Counter(
        name for path in PACKAGE.rglob("*.py")
        for name in re.findall(r"^class _?(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    )  # fmt: skip
    assert len(found) > 500 and [name for name, times in found.items() if times > 1] == []


# Python's own errors: a fault of this package raises them as well, so that who catches them hides faults.
FAULTS = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
          and not issubclass(kind, OSError | ImportError | Warning | KeyboardInterrupt | SyntaxError | UnicodeError)}
# The borders to users and other libraries, where such an error means one thing, and what it is.
BORDERS = {
    "arrays.py._number": "float() of a user's object",
    "arrays.py._read": "NumPy reads a user's object",
    "arrays.py.Library.holds_float64": "a library of arrays says in its own way that it has no float64",
    "arrays.py.broadcast": "NumPy does not broadcast a user's shapes",
    "blocks/parsing.py._BlockReader._made": "the arguments of a text do not fit a signature",
    "blocks/parsing.py.read_block": "Python's parser refuses a user's text",
    "claims/stated/comparisons.py.Limit.by_algebra": "SymPy finds no limit",
    "claims/stated/statement.py._zeros": "SymPy does not solve an equation",
    "cli/claims.py.checked_claim": "a fault costs no other claim its verdict; it is told, and the record not kept",
    "cli/display.py._short": "a figure's text is not a number",
    "compiling.py.valued.value": "mpmath has no value at a point",
    "deadline.py._seconds": "float() of a user's object",
    "depth/parsing.py.spread_of": "NumPy does not broadcast a user's shapes",
    "depth/parsing.py.dtype_of": "NumPy knows no such type",
    "depth/workers.py._in_processes": "whatever comes ends the workers and is raised again",
    "evidence/referee.py._widths": "a user's object is not a list",
    "evidence/symbolic/series.py._sympy_series": "SymPy finds no series",
    "expansions/fields/field.py.Field.of": "SymPy does not construct a number field",
    "expansions/formulas/algebra.py.Coefficients.numbers": "a constant divides by 0 in one of SymPy's fields",
    "gaussian/piecewise.py._zeros_of_divisor": "SymPy does not know the roots of a polynomial",
    "gaussian/stable.py.in_arb.value": "mpmath is given a number of Arb's, which lacks a function",
    "kernel/__init__.py.check": "a user's object holds what JSON does not",
    "kernel/__init__.py.loads": "a user's file is no JSON text, or nested too deeply",
    "numbers.py._from_float": "float() of a user's object",
    "numbers.py._from_text": "SymPy reads no fraction in a user's text",
    "numbers.py._read": "a user's object is not an integer",
    "numbers.py.is_whole": "a user's object is not an integer",
    "parsing.py._Text._built": "SymPy refuses what a user's text says, or it is nested too deeply",
    "parsing.py._Text._parsed": "Python's parser refuses a user's text",
    "saving.py.check_path": "a user's object names no file, or one that cannot be written",
    "recursions/fixed_points.py.finite_fixed_points": "SymPy does not know the roots of a polynomial",
    "recursions/fixed_points.py.image_at": "SymPy does not compare what is not real",
    "recursions/fixed_points.py.tends_to_zero": "SymPy finds no limit",
    "saving.py._content": "Python's cell is empty",
    "saving.py.loaded": "pickle finds nothing of that name in this version",
    "training/kernels.py.exact_or_array": "NumPy does not broadcast a user's shapes",
    "writing/report.py.mathml": "the converter of formulas does not know one; its source is shown",
    "writing/ledger.py._wanted": "a figure's text is not a number",
    "writing/verdicts.py._number": "mpmath reads no number in a figure's text",
}  # fmt: skip


def _names(node: ast.AST, tuples: dict) -> set[str]:
    parts = {getattr(part, "id", getattr(part, "attr", None)) for part in ast.walk(node)} - {None}
    return set().union(*(tuples.get(name, {name}) for name in parts))


def _caught(node: ast.AST, place: str, tuples: dict) -> Iterator[tuple[str, set[str]]]:
    """(the function, what it catches) of every handler, and of every `suppress`; a bare one catches everything."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.ExceptHandler):
            yield place, {"BaseException"} if inner.type is None else _names(inner.type, tuples)
        elif isinstance(inner, ast.Call) and getattr(inner.func, "id", getattr(inner.func, "attr", "")) == "suppress":
            yield place, set().union(*(_names(given, tuples) for given in inner.args))
        named = isinstance(inner, ast.FunctionDef | ast.ClassDef)
        yield from _caught(inner, f"{place}.{inner.name}" if named else place, tuples)


def _catching(source: str, place: str) -> set[str]:
    """The places that catch what a fault raises."""
    tree = ast.parse(source)
    tuples = {node.targets[0].id: _names(node.value, {}) for node in tree.body
              if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}  # fmt: skip
    return {where for where, kinds in _caught(tree, place, tuples) if kinds & FAULTS}


def test_only_the_errors_of_the_package_are_caught():
    """Elsewhere a fault would become 'unknown', or 'two routes agree'; every border is still one, and no other is."""
    found = set().union(
        *(_catching(path.read_text(encoding="utf-8"), str(path.relative_to(PACKAGE))) for path in PACKAGE.rglob("*.py"))
    )
    assert found == BORDERS.keys()


HIDING = (
    "try: f()\nexcept Exception: pass",
    "try: f()\nexcept: pass",
    "try: f()\nexcept (AsymptError, TypeError): pass",
    "try: f()\nexcept builtins.ValueError: pass",
    "NETS = (AsymptError, LookupError)\ntry: f()\nexcept NETS: pass",
    "NETS = (AsymptError, LookupError)\ntry: f()\nexcept (KeyboardInterrupt, *NETS): pass",
    "with contextlib.suppress(AttributeError): f()",
    "try: f()\nexcept* ArithmeticError: pass",
)


def test_every_net_is_seen():
    assert all(_catching(source, "file") == {"file"} for source in HIDING)
    assert _catching("try: f()\nexcept (AsymptError, PoleError): pass\nexcept OSError: pass", "file") == set()


def test_no_error_of_the_package_is_one_of_pythons_faults():
    """All that is raised on purpose and caught again has a class of its own: an `AsymptError`, or an inner signal."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    below = re.findall(r"^class (\w+)\(([^)]*)\)", text, re.MULTILINE)
    kinds = FAULTS - {"Exception", "BaseException"}
    assert {name for name, parents in below if set(re.split(r"\W+", parents)) & kinds} == {"AsymptError"}
