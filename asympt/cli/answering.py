"""A command asked before, with the same words on the same kind of terminal: its answer is read, not computed.

What it printed and the file that it wrote are kept (`asympt.kept`), and nothing of a command that ended otherwise than
well: an error, an unknown or a refuted law, and an answer of which a time limit has cut a part are looked at again.
"""

import base64
import os
import shutil
import sys
from collections.abc import Callable
from datetime import date
from functools import wraps
from pathlib import Path

import typer

from asympt import deadline, kept
from asympt.cli.boundary import called, say
from asympt.cli.reading import check_output

ENVIRONMENT = ("SOURCE_DATE_EPOCH", "NO_COLOR", "FORCE_COLOR", "TERM", "COLORTERM", "MATPLOTLIBRC", "MPLCONFIGDIR")


class _Recorded:
    """A stream that remembers what is written to it."""

    def __init__(self, stream):
        self.stream, self.texts = stream, []

    def write(self, text: str) -> int:
        length = self.stream.write(text)  # first: it refuses what is no text
        self.texts.append(text)
        return length

    def __getattr__(self, name: str):
        return getattr(self.stream, name)


def answered(command: Callable) -> Callable:
    """A command that finds its answer among those kept, or keeps it; what it prints goes to standard output."""

    @wraps(command)
    def run(**given) -> None:
        key, output = _key(command.__name__, given), given.get("output")
        several = given.get("coq") is not None or (output is not None and output.suffix.lower() == ".tex")
        found = None if several else kept.get("answers", key)
        if several or kept.folder() is None:
            command(**given)
        elif found is None:
            _keep(key, output, lambda: command(**given))
        else:
            _say_again(found, output)

    return run


def _key(command: str, given: dict) -> str:
    """All that an answer depends on, but for the code: documents print the command as it was typed, and the date."""
    written = None if given.get("output") is None else (called(), date.today())
    terminal = sys.stdout.isatty(), shutil.get_terminal_size().columns, sys.stdout.encoding
    return repr((command, given, written, terminal, [(name, os.environ.get(name)) for name in ENVIRONMENT]))


def _keep(key: str, output: Path | None, work: Callable) -> None:
    recorded, cut = _Recorded(sys.stdout), len(deadline.CUT)
    sys.stdout = recorded
    try:
        work()
        ended = None
    except typer.Exit as end:
        ended = end
    finally:
        sys.stdout = recorded.stream
    if (ended is None or ended.exit_code == 0) and len(deadline.CUT) == cut:
        written = None if output is None else base64.b64encode(output.read_bytes()).decode()
        kept.put("answers", key, ["".join(recorded.texts), written])
    if ended is not None:
        raise ended


def _say_again(found: list, output: Path | None) -> None:
    text, written = found
    typer.echo(text, nl=False)
    if output is not None:
        from asympt import saving

        check_output(output, (output.suffix.lower(),))
        saving.write({output: base64.b64decode(written)})
        say(f"wrote {output}")
