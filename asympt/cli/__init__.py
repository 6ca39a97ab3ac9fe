"""The command line: `app` says the commands, `boundary` what happens when one fails."""

import os
import signal
import sys

IMPORTING = "<frozen importlib._bootstrap>"


def main() -> None:
    """The entry point: everything is imported inside, so that Ctrl-C while starting is quiet too."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
    try:
        from asympt.cli.app import app

        app(prog_name="asympt")
    except KeyboardInterrupt:
        sys.stderr.write("asympt: interrupted\n")
        sys.exit(130)


def _interrupted(number, frame) -> None:
    """Ctrl-C: at once in the midst of an import, where some libraries swallow it; else as Python has it."""
    while frame is not None:
        if frame.f_code.co_filename == IMPORTING:
            os.write(2, b"asympt: interrupted\n")
            os._exit(130)
        frame = frame.f_back
    raise KeyboardInterrupt
