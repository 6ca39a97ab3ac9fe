"""How many small errors do the tests see?  ``python -m tests.mutants --count 200 --seed 0 [--seconds 120]``.

A mutant is one random edit of `asympt/`, in a copy: a constant one larger, a sign, an operation or an `and` turned, an
order moved to the next one (< and <=).  The golden table and the tests of the module's room run until one fails: the
mutant is killed.  One that passes them all survives, for a test that is missing or a line that is not needed; when the
seconds of CPU time are over before that, it is undecided, and counts as neither.
"""

import argparse
import ast
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HOUSE = Path(__file__).parents[1]
OTHERS = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.And: ("and", "or"),
    ast.Or: ("or", "and"), ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="),
}  # fmt: skip
LEFT_OUT = ("version.py", "show", "plots", "writing", "experiments")  # words and pictures


@dataclass(frozen=True)
class Edit:
    """`old`, at an offset of a file in bytes, becomes `new`."""

    path: str
    offset: int
    old: str
    new: str

    def made(self, source: bytes) -> bytes:
        end = self.offset + len(self.old)
        assert source[self.offset : end] == self.old.encode()
        return source[: self.offset] + self.new.encode() + source[end:]

    def told(self) -> str:
        source = (HOUSE / self.path).read_bytes()
        number = source[: self.offset].count(b"\n")
        return f"{self.path}:{number + 1}: {self.old} -> {self.new} in {source.decode().splitlines()[number].strip()}"


def edits_of(path: Path) -> Iterator[Edit]:
    """Every edit of a module, in the order of its syntax tree."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    name = str(path.relative_to(HOUSE))

    def begin(node) -> int:
        return starts[node.lineno - 1] + node.col_offset

    def end(node) -> int:
        return starts[node.end_lineno - 1] + node.end_col_offset

    def between(left, right, operator) -> Iterator[Edit]:
        old, new = OTHERS.get(type(operator), (None, None))
        gap = source[end(left) : begin(right)].decode()
        if old is not None and gap.strip(" ()\n") == old:
            yield Edit(name, end(left) + gap.index(old), old, new)

    for node in ast.walk(_without_annotations(ast.parse(source))):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            old = source[begin(node) : end(node)].decode()
            yield Edit(name, begin(node), old, str(node.value + 1))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield Edit(name, begin(node), "-", "+")
        elif isinstance(node, ast.BinOp):
            yield from between(node.left, node.right, node.op)
        elif isinstance(node, ast.BoolOp):
            yield from between(*node.values[:2], node.op)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from between(node.left, node.comparators[0], node.ops[0])


def _without_annotations(tree: ast.AST) -> ast.AST:
    """Types are read by nobody who runs the code."""
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            if hasattr(node, field):
                setattr(node, field, None)
    return tree


def drawn(count: int, seed: int, rooms: list[str]) -> list[Edit]:
    """Every edit of the rooms is as likely as any other."""
    paths = [path for room in rooms for path in sorted((HOUSE / "asympt" / room).rglob("*.py"))]
    kept = [path for path in paths if not any(part.startswith(LEFT_OUT) for part in path.parts)]
    return random.Random(seed).sample([edit for path in kept for edit in edits_of(path)], count)


def tests_for(path: str) -> list[str]:
    """First the files that import the module, then those of its room, last the golden table."""
    module, room = path.removesuffix(".py").replace("/", "."), Path("tests", *Path(path).parts[1:-1])
    while not (HOUSE / room).is_dir():
        room = room.parent
    files = sorted((HOUSE / "tests").rglob("test_*.py"))
    importing = [file for file in files if f"from {module} import" in file.read_text(encoding="utf-8")]
    in_room = [] if room == Path("tests") else [file for file in files if (HOUSE / room) in file.parents]
    found = dict.fromkeys(str(file.relative_to(HOUSE)) for file in (*importing, *in_room))
    return [*found, "tests/golden"]


def outcome(edit: Edit, copy: Path, seconds: int) -> str:
    """'killed', 'survived' or 'undecided'."""
    target = copy / edit.path
    source = target.read_bytes()
    command = [sys.executable, "-m", "pytest", "-n", "0", "-x", "-q", "-p", "no:cacheprovider", *tests_for(edit.path)]
    try:
        target.write_bytes(edit.made(source))
        done = subprocess.run(
            command, cwd=copy, capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(copy)},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
        )  # fmt: skip
    finally:
        target.write_bytes(source)
    return "survived" if done.returncode == 0 else "undecided" if done.returncode < 0 else "killed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("count", 200), ("seed", 0), ("seconds", 300)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--rooms", nargs="*", default=[""], help="folders of asympt/; all of them unless given")
    asked = parser.parse_args()
    told = Counter()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "house"
        shutil.copytree(HOUSE, copy, ignore=shutil.ignore_patterns(".git", "__pycache__", "derivations", "docs"))
        for edit in drawn(asked.count, asked.seed, asked.rooms):
            found = outcome(edit, copy, asked.seconds)
            told[found] += 1
            print(f"{found}: {edit.told()}", flush=True)
    print(", ".join(f"{number} {found}" for found, number in told.items()), f"of {told.total()}")


if __name__ == "__main__":
    main()
