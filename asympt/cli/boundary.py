"""Where errors become one sentence and an exit code.

    2     bad input or an unmet request (any `ValueError` of the library), a file that cannot be read or written
    130   Ctrl-C

Typer's own usage messages (unknown option, missing argument) keep their form and their exit code 2.  Any other
exception is a fault of asympt and keeps its traceback.
"""

import errno

import typer
from typer.core import TyperGroup

PASSING = ("proved", "checked")  # the verdicts with exit code 0; the others exit with 1


class Boundary(TyperGroup):
    """The top group: runs a command and turns what it raises into a message on stderr."""

    def invoke(self, ctx):
        """The command's result, or exit code 2 or 130 after one sentence."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            say("interrupted")
            raise typer.Exit(130) from None
        except ValueError as error:
            say(one_sentence(error))
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            say(f"cannot use {str(error.filename)!r}: {error.strerror}")
        raise typer.Exit(2)


def one_sentence(error: Exception) -> str:
    """The message on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def say(message: str) -> None:
    """A line on stderr that begins with the program's name."""
    typer.echo(f"asympt: {message}", err=True)
