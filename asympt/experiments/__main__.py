"""python -m asympt.experiments NAME [FOLDER]: make the runs of an experiment that its file does not have yet.

One thread, so that CPU time is what is measured; FOLDER is where the file goes, that of the package if left out.
"""

import os
import sys
import time
from importlib.metadata import version
from pathlib import Path

from asympt.errors import InputError
from asympt.experiments.results import NAMES, Record, path_of

LIBRARIES = ("numpy", "jax", "optax", "scikit-learn")
USE = f"give one of {', '.join(NAMES)}, and perhaps a folder: python -m asympt.experiments table-1"


def main(arguments: list[str]) -> None:
    """Run one experiment, and say every setting as it is done."""
    if not 1 <= len(arguments) <= 2 or arguments[0] not in NAMES:
        raise InputError(f"{' '.join(arguments) or 'nothing'} is not an experiment; {USE}")
    if len(arguments) == 2 and not Path(arguments[1]).is_dir():
        raise InputError(f"{arguments[1]} is not a folder; make it first, or leave it out for that of the package")
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    name, path = arguments[0], path_of(arguments[0])
    try:
        from asympt.experiments.trials import EXPERIMENTS, key_of, runs_of
    except ImportError as missing:
        raise InputError(f'the runs need {missing.name}; install it with: pip install "asympt[train]"') from None
    settings, rows = EXPERIMENTS[name]
    path = Path(arguments[1]) / path.name if len(arguments) == 2 else path
    command = f"python -m asympt.experiments {name}"
    made = {"command": command, "data": settings["data"], "versions": {lib: version(lib) for lib in LIBRARIES},
            "seeds": [0, 1, 2, 3, 4], "settings": settings}  # fmt: skip
    record = Record(path, made)
    for named, run in rows(settings):
        if f"{(key := key_of(named))} seed=4" not in record:
            began = time.process_time()
            found = runs_of(named, run())
            seconds = round((time.process_time() - began) / len(found), 2)
            record.add({**one, "cpu_seconds": seconds} for one in found)
            print(f"{key}: {seconds} s of CPU a run", flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except InputError as error:
        sys.exit(f"error: {error}")
