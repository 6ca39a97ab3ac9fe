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
        settings, rows = _experiment(name)
    except ImportError as missing:
        raise InputError(f'the runs need {missing.name}; install it with: pip install "asympt[train]"') from None
    path = Path(arguments[1]) / path.name if len(arguments) == 2 else path
    command = f"python -m asympt.experiments {name}"
    made = {"command": command, "data": settings["data"], "versions": {lib: version(lib) for lib in LIBRARIES},
            "seeds": [0, 1, 2, 3, 4], "settings": settings}  # fmt: skip
    record = Record(path, made)
    for key, run in rows:
        if f"{key} seed=4" not in record:
            began = time.process_time()
            found = run()
            seconds = round((time.process_time() - began) / len(found), 2)
            record.add({**one, "cpu_seconds": seconds} for one in found)
            print(f"{key}: {seconds} s of CPU a run", flush=True)


def _experiment(name: str):
    """(settings, [(key, the function that makes its runs)])."""
    from asympt.experiments import accuracies, circle, drift

    if name in ("table-1", "table-2", "accuracy"):
        settings = {"table-1": accuracies.TABLE_1, "table-2": accuracies.TABLE_2, "accuracy": accuracies.ACCURACY}[name]
        made = {"table-1": accuracies.table_1, "table-2": accuracies.table_2, "accuracy": accuracies.accuracy}[name]
        rows = [(one.key, lambda one=one: accuracies.trained(one, settings, name == "table-2"))
                for one in made(settings)]  # fmt: skip
        return settings, rows
    module, settings = (circle, circle.CIRCLE) if name == "circle" else (drift, drift.DRIFT)
    rows = [(" ".join(f"{k}={v}" for k, v in named.items()), lambda named=named: module.trained(named, settings))
            for named in module.settings_of(settings)]  # fmt: skip
    return settings, rows


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except InputError as error:
        sys.exit(f"error: {error}")
