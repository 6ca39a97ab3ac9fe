"""What a person waits for at the command line: processor time of whole processes, and the limits that they should keep.

    python tests/benchmarks/commands.py [WORD ...]

Words choose the rows that have them.  Every row runs twice in new processes that share an empty cache folder: the first
answer derives, the second finds what the first one kept.  User and system time of a process and its children are
printed because other programs on a machine change them little; on an idle core it is nearly what a person waits.  An
exit code of 1 says that a limit is exceeded.

First runs that exceeded theirs at the last measurement (2026-11-29): tanh.pdf 18 s, verify elu 15 s, pre-norm.pdf
13 s, verify tanh 11 s.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
AGAIN = 1.0  # seconds for what was asked before
FIRST_LAW = "import asympt; print(asympt.FeedForward('relu').correlation_law(4))"
ROWS = (  # a command, or Python's -c and a program; seconds
    ("--help", 0.3),
    ("activations", 1.0),
    ("derive tanh --sigma-b 0.2 -o {folder}/tanh.pdf", 10.0),
    ("derive relu --network resnet --sigma-w 1 --law ntk -o {folder}/residual.pdf", 10.0),
    ("derive residual(layer_norm,relu,dense(sqrt(2))) --law correlation -o {folder}/pre-norm.pdf", 10.0),
    ("verify elu --sigma-b 0.2", 6.0),
    ("verify tanh --sigma-b 0.2", 6.0),
    ("derive tanh --sigma-b 0.2 --law ntk", 3.0),
    ("-c " + FIRST_LAW, 1.5),
    ("plot condition tanh --sigma-b 0.2 -o {folder}/condition.png", 10.0),
    ("derive relu --network scaled-resnet --correlation 1/10 --depth 10^100", 10.0),
    ("eoc softsign --sigma-b 0.2", 5.0),
    ("derive softsign --sigma-b 0.2 --law correlation --correlation 1/10 --depth 2", 5.0),
    ("derive gelu --sigma-b 0.1 -o {folder}/gelu.pdf", 30.0),
    ("derive tanh --sigma-w 3/2 --sigma-b 1/5 --law correlation", 15.0),
)


def measured(command: str, folder: str) -> tuple[float, int]:
    """(user and system time of the process and its children, exit code)."""
    program = command.removeprefix("-c ")
    words = ["-c", program] if program != command else ["-m", "asympt.cli", *command.format(folder=folder).split()]
    own = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "ASYMPT_CACHE": f"{folder}/cache"}
    environment = {**os.environ, **own, "PYTHONDONTWRITEBYTECODE": ""}  # installed packages are compiled
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, *words], capture_output=True, env=environment, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.returncode


def main(words: list[str]) -> int:
    """The table."""
    late = 0
    with tempfile.TemporaryDirectory() as folder:
        measured("plot relu -o {folder}/compiles.png", folder)
    print("  first (at most)   again  (at most)")
    for command, limit in ROWS:
        if words and not any(word in command for word in words):
            continue
        with tempfile.TemporaryDirectory() as folder:
            (first, code), (again, _) = measured(command, folder), measured(command, folder)
        told = f"exit code {code}" if code else "late" if first > limit or again > min(limit, AGAIN) else ""
        late += bool(told)
        shown = command.replace("{folder}/", "").replace("-c import", "python -c import")
        print(f"{first:7.1f} ({limit:g})  {again:10.1f} ({AGAIN:g})  {shown}  {told}".rstrip(), flush=True)
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
