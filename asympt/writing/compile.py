"""From LaTeX to PDF, with the TeX installation of the machine."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from asympt.errors import AsymptError, UnsupportedError

_ENVIRONMENT = {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1", "max_print_line": "1000"}
_OPTIONS = ["-interaction=nonstopmode", "-halt-on-error", "-file-line-error"]


def require_tex() -> None:
    """An error with the remedy unless pdflatex is installed."""
    if shutil.which("pdflatex") is None:
        raise UnsupportedError(
            "no TeX installation was found (pdflatex is not on the PATH); install texlive-latex-recommended and "
            "latexmk (as Debian calls them), or write a .tex file instead"
        )


def compile_pdf(tex: str, attachments: dict[str, bytes], target: Path) -> str:
    """Typeset `tex`, with the attached files beside it, copy the PDF to `target` and return TeX's log.

    Raises `UnsupportedError` without TeX, `AsymptError` with the first error of the log when TeX fails.
    """
    require_tex()
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        (base / "document.tex").write_text(tex, encoding="utf-8")
        for name, content in attachments.items():
            (base / name).write_bytes(content)
        succeeded = all(_run(command, base) for command in _commands())
        log = _read(base / "document.log")
        if not succeeded or not (base / "document.pdf").is_file():
            raise AsymptError(f"TeX could not typeset the document: {first_error(log)}")
        shutil.copyfile(base / "document.pdf", target)
    return log


def _commands() -> list[list[str]]:
    """latexmk when there is one, otherwise pdflatex until the references stand."""
    if shutil.which("latexmk"):
        return [["latexmk", "-norc", "-pdf", *_OPTIONS, "document.tex"]]
    return [["pdflatex", *_OPTIONS, "document.tex"]] * 3


def _run(command: list[str], folder: Path) -> bool:
    environment = {**os.environ, **_ENVIRONMENT}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL)
    return done.returncode == 0


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def first_error(log: str) -> str:
    """The line of the log that says what went wrong."""
    for line in log.splitlines():
        if re.match(r"(\S+:\d+: |! )", line):
            return line.strip()
    return "the log names no error"
