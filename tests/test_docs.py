"""The pages of docs/: their commands and examples run, their figures are those of a script that exists."""

import ast
import contextlib
import io
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from docs import check_site

ROOT = Path(__file__).parent.parent
DASK = (ROOT / "docs" / "dask.md").read_text(encoding="utf-8")


def started(command: str, port: int) -> subprocess.Popen:
    """A command of the page on this machine."""
    words = command.replace("HOST:8786", f"127.0.0.1:{port}").replace("8786", str(port)).split()
    assert words[0] == "dask"
    return subprocess.Popen([sys.executable, "-m", "dask", *words[1:], "--no-dashboard"], cwd=ROOT,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip


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
    for link in re.findall(r"\]\((docs/[\w/]+\.md)\)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert (ROOT / link).exists()


PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "guides").glob("*.md")])
GALLERY = sorted((ROOT / "docs" / "gallery").glob("plot_*.py"))


@pytest.mark.parametrize("page", [page for page in PAGES if page != ROOT / "docs" / "dask.md"], ids=lambda p: p.stem)
def test_examples_of_the_pages_print_what_their_comments_say(page):
    """A comment after a statement that prints is what it prints, with dots for what is left out."""
    for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        lines, names = code.splitlines(), {}
        for statement in ast.parse(code).body:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(ast.Module([statement], []), str(page), "exec"), names)
            comment = lines[statement.end_lineno - 1][statement.end_col_offset :].strip().removeprefix("# ")
            assert not (comment and printed.getvalue()) or agrees(comment, printed.getvalue()), printed.getvalue()


def agrees(comment: str, printed: str) -> bool:
    """Whether the words come in this order, "..." standing for any others."""
    parts = (re.escape(part) for part in " ".join(comment.split()).split("..."))
    return re.fullmatch(".*?".join(parts), " ".join(printed.split())) is not None


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_the_gallery_draws(path):
    """In a process of its own: figures are left open."""
    code = path.read_text(encoding="utf-8")
    assert len(code.split('"""')[2].strip().splitlines()) <= 18
    done = subprocess.run(
        [sys.executable, "-c", f"import matplotlib; matplotlib.use('Agg')\n{code}\nassert figure.axes"], cwd=ROOT,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def test_every_page_can_be_found():
    """By the README or by a list of the site, whose pages are those of the folder."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    guides = (ROOT / "docs" / "guides" / "index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        listed = f"\n{page.stem}\n" in index or f"\n../{page.stem}\n" in guides
        assert page.stem == "index" or listed or f"(docs/{page.name})" in text
    assert all(f"\n{page.stem}\n" in guides for page in (ROOT / "docs" / "guides").glob("*.md") if page.stem != "index")
    assert "python -m sphinx" in text


def site(folder: Path, **changes: str) -> subprocess.CompletedProcess:
    """The site without gallery and atlas, which take long; a warning is an error."""
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-D", "plot_gallery=0", "-d", str(folder / "trees")]
    return subprocess.run(
        [*command, str(ROOT / "docs"), str(folder / "html")], cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "ASYMPT_ATLAS": "0", **changes},
    )  # fmt: skip


def test_the_site_builds_without_a_warning(tmp_path):
    pytest.importorskip("pydata_sphinx_theme")
    built = site(tmp_path)
    assert built.returncode == 0, built.stderr[-3000:]
    html = (tmp_path / "html" / "mathematics.html").read_text(encoding="utf-8")
    assert html.count("<math") > 30 and not re.search(r'(src|<link[^>]*href)="https?:', html)  # no network
    law = (tmp_path / "html" / "api" / "generated" / "asympt.Law.html").read_text(encoding="utf-8")
    assert "connection_constant" in law


FAULTY = [
    "<p>:raises InputError : bad.:</p>",
    "<p>| method | value |\n|---|---|\n| a | 1 |</p>",
    "<p>**A `Law`**</p>", "<p>The list:\n* one;\n* another.</p>", "<dd>Type:\n the limit of</dd>",
    "<p>first: one thing;\nsecond: another,\nthird: the last.</p>",
    '<em class="sig-param">law: ~asympt.Law</em>',
]


@pytest.mark.parametrize("body", FAULTY)
def test_faults_of_a_page_are_seen(body):
    assert len(check_site.faults(f"<article>{body}</article>")) == 1


def test_code_signatures_and_tables_are_no_faults():
    kept = "<dt class='sig'>f(**options)</dt><pre>| a |\n:raises x:</pre><table><tr><td>a|b</td></tr></table>"
    assert check_site.faults(f"<p>:raises x:</p><article>{kept}</article>") == []
