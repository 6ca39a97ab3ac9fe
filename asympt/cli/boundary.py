"""What goes to stderr: errors, one sentence and exit code 2 (130 for Ctrl-C)."""

import re
import shlex
import sys

import typer
from typer.core import TyperGroup

from asympt.errors import AsymptError

UsageError = typer.BadParameter.__base__  # Typer's own, whichever click it brings

_LIMIT = re.compile(r"asympt\.time_limit\((budget=[^)]*)\)")
_VALUE = r"\.{3}|'[^']*'|[^\s,;'\"]+"
_LAW = re.compile(r"(?<!\w)(?:net\.)?(correlation|depth|ntk|similarity|variance)_law\((correlation=\.\.\.)?\)")
_KEYWORD = re.compile(rf"(?<![=\w])'[^']*'|\w\([^()]*\)|(?<![\w'\"])(?P<name>\w+)=(?P<value>{_VALUE})")
_LONG = re.compile(r"\d{201,}")
_QUOTED_OR_POWER = re.compile(r"'[^']*'|\*\*")
MINUS = "; a formula that begins with a minus goes last, after --: asympt recursion --start 1 -- '-sin(x)'"
PASSING = ("proved", "checked")  # the verdicts with exit code 0; the others exit with 1


class Boundary(TyperGroup):
    """The top group: runs a command and turns what it raises into a message on stderr."""

    def invoke(self, ctx):
        """The command's result, or exit code 2 or 130 after one sentence."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            left_out = getattr(getattr(error, "param", None), "help", None) or ""  # what it is for
            error.message = error.message.replace("Value error, ", "") or left_out
            if re.fullmatch("-.", getattr(error, "option_name", "")):  # the beginning of a formula or a number
                error.message += MINUS
            raise
        except KeyboardInterrupt:
            say("interrupted")
            raise typer.Exit(130) from None
        except AsymptError as error:
            say(in_options(one_sentence(error), _options(self, ctx)))
        raise typer.Exit(2)

    def main(self, *given, **options):
        """All of it, help texts included; a file or a terminal that cannot be written is one sentence as well."""
        try:
            return super().main(*given, **options)
        except OSError as error:
            place = "standard output" if error.filename is None else repr(str(error.filename))
            say(f"cannot use {place}: {error.strerror}")
        sys.exit(2)


def _options(group: TyperGroup, ctx) -> dict[str, str]:
    """The options of the command that was called, by the name of the keyword argument in Python."""
    command = group.commands.get(ctx.invoked_subcommand)
    found = {option.name: max(option.opts, key=len) for option in getattr(command, "params", ()) if option.opts}
    return {name: flag for name, flag in found.items() if flag.startswith("--")}


def in_options(message: str, options: dict[str, str]) -> str:
    """The library speaks of keyword arguments, the command line of options; and its powers are written ^.

    >>> in_options("x**2 has none; try side='below' or give fixed_point=...", {"side": "--side"})
    'x^2 has none; try --side below or give fixed_point=...'
    >>> in_options("start = 0 is one; pass start=..., for example start=1", {"start": "--start"})
    'start = 0 is one; pass --start, for example --start 1'
    >>> in_options("ask for depth_law(correlation=...) or limit(correlation=...)", {"law": "--law"})
    'ask for --law depth with --correlation or limit(correlation=...)'
    """
    message = _LIMIT.sub(r"\1", message)
    if "law" in options:
        with_start = {None: "", "correlation=...": " with --correlation"}
        message = _LAW.sub(lambda found: f"--law {found[1]}{with_start[found[2]]}", message)
        message = message.replace("law.latex()", "--format latex")
    message = _KEYWORD.sub(lambda found: _as_option(found, options), message)
    return _QUOTED_OR_POWER.sub(lambda found: "^" if found[0] == "**" else found[0], message)


def _as_option(found: re.Match, options: dict[str, str]) -> str:
    name, value = found["name"], found["value"]
    if name not in options:
        return found[0]
    return options[name] if value == "..." else options[name] + " " + value.strip("'")


def one_sentence(error: Exception | str) -> str:
    sentence = _LONG.sub(lambda digits: f"{digits[0][:6]}... ({len(digits[0])} digits)", " ".join(str(error).split()))
    return sentence or type(error).__name__


def called() -> str:
    """The command as it was typed, with its options."""
    return shlex.join(["asympt", *sys.argv[1:]])


SAID: list[str] = []  # all that was said so far


def say(message: str) -> None:
    """A line on stderr that begins with the program's name."""
    SAID.append(message)
    typer.echo(f"asympt: {message}", err=True)
