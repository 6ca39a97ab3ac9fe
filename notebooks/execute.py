"""Execute the notebooks, the same bytes for the same results.

    python notebooks/execute.py            all of them, in place
    python notebooks/execute.py 01*.ipynb  these

No times, no versions and no identifiers are recorded, so a notebook changes only when its content does.
"""

import os
import sys
import tempfile
from pathlib import Path

import matplotlib.font_manager  # noqa: F401  builds the font cache here, so that no kernel reports that it does
import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
INLINE = "module://matplotlib_inline.backend_inline"


def execute(path: Path, timeout: int = 900) -> nbformat.NotebookNode:
    """The notebook with new outputs; raises `nbclient.exceptions.CellExecutionError` when a cell does."""
    notebook = nbformat.read(path, as_version=4)
    for number, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{number:02d}", {}
    client = NotebookClient(
        notebook, timeout=timeout, kernel_name="python3", record_timing=False, coalesce_streams=True
    )
    with tempfile.TemporaryDirectory() as settings:  # the reader's own IPython settings must not show
        client.execute(env={**os.environ, "IPYTHONDIR": settings, "MPLBACKEND": INLINE}, cwd=settings)
    notebook.metadata = METADATA
    return notebook


def main(names: list[str]) -> int:
    """Executes what is named, once all of it is found to be there."""
    paths = [Path(name) for name in names] or sorted(FOLDER.glob("*.ipynb"))
    for path in paths:
        if path.suffix != ".ipynb" or not path.is_file():
            known = ", ".join(sorted(p.name for p in FOLDER.glob("*.ipynb")))
            print(f"{path} is not a notebook; give the path of one, such as notebooks/NAME of {known}", file=sys.stderr)
            return 2
    for path in paths:
        executed = execute(path)
        nbformat.validate(executed)
        nbformat.write(executed, path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
