"""What a person waits for at the command line: processor time of whole processes, and the limits that they should keep.

    python tests/benchmarks/commands.py [WORD ...]

Words choose the rows that have them.  User time is printed because other programs on a machine do not change it much;
on an idle core it is nearly what a person waits (less where two cores are used).  An exit code of 1 says that a limit
is exceeded.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROWS = (  # command, seconds
    ("verify elu --sigma-b 0.2", 10.0),
    ("derive relu --network resnet --sigma-w 1 --law ntk -o {folder}/residual.pdf", 10.0),
    ("plot condition tanh --sigma-b 0.2 -o {folder}/condition.png", 10.0),
    ("derive relu --network scaled-resnet --correlation 1/10 --depth 10^100", 10.0),
    ("eoc softsign --sigma-b 0.2", 5.0),
    ("derive softsign --sigma-b 0.2 --law correlation --correlation 1/10 --depth 2", 5.0),
    ("derive gelu --sigma-b 0.1 -o {folder}/gelu.pdf", 30.0),
    ("derive tanh --sigma-w 3/2 --sigma-b 1/5 --law correlation", 15.0),
    ("activations", 15.0),
)


def measured(command: str, folder: str) -> tuple[float, int]:
    """(user time of the process and its children, exit code)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    words = [sys.executable, "-m", "asympt.cli", *command.format(folder=folder).split()]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(words, capture_output=True, env=environment, cwd=folder)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, done.returncode


def main(words: list[str]) -> int:
    """The table."""
    late = 0
    with tempfile.TemporaryDirectory() as folder:
        for command, limit in ROWS:
            if words and not any(word in command for word in words):
                continue
            seconds, code = measured(command, folder)
            late += seconds > limit or code != 0
            told = f"exit code {code}" if code else "late" if seconds > limit else ""
            shown = command.replace("{folder}/", "")
            print(f"{seconds:7.1f} s (at most {limit:.0f})  asympt {shown}  {told}".rstrip(), flush=True)
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
