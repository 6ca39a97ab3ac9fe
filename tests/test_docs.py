"""The pages of docs/: their commands and examples run, their figures are those of a script that exists."""

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DASK = (ROOT / "docs" / "dask.md").read_text(encoding="utf-8")


def started(command: str, port: int) -> subprocess.Popen:
    """A command of the page on this machine."""
    words = command.replace("HOST:8786", f"127.0.0.1:{port}").replace("8786", str(port)).split()
    assert words[0] == "dask"
    return subprocess.Popen([sys.executable, "-m", "dask", *words[1:], "--no-dashboard"], cwd=ROOT,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # dask and distributed warn of ports, versions and sizes
def test_the_cluster_of_the_page(capsys):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    commands = [line for line in DASK.splitlines() if line.startswith("dask ")]
    example = re.search(r"```python\n(.*?)```", DASK, re.DOTALL).group(1)
    processes = [started(command, port) for command in commands]
    try:
        exec(compile(example.replace("HOST:8786", f"127.0.0.1:{port}"), "docs/dask.md", "exec"), {})
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(30)
    printed = capsys.readouterr().out
    assert "(2000, 2000)" in printed and "(2, 3, 2000) (2, 3)" in printed


def test_figures_come_from_a_script_that_exists():
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert all((ROOT / "tests" / "benchmarks" / name).exists() for name in re.findall(r"`(\w+\.py)`", page))
    assert "Measured on" in page and page.count("| asympt |") >= 9
    for link in re.findall(r"\]\((docs/\w+\.md)\)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert (ROOT / link).exists()


def test_every_page_is_linked_in_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"(docs/{page.name})" in text for page in (ROOT / "docs").glob("*.md"))
