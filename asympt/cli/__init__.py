"""The command line: `app` says the commands, `boundary` what happens when one fails."""

import sys


def main() -> None:
    """The entry point: everything is imported inside, so that Ctrl-C while starting is quiet too."""
    try:
        from asympt.cli.app import app

        app(prog_name="asympt")
    except KeyboardInterrupt:
        sys.stderr.write("asympt: interrupted\n")
        sys.exit(130)
