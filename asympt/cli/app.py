"""The program and its commands.

Each command reads its options, calls the library and prints a record.  The library is imported when a command runs,
never before, so that ``asympt --help`` answers at once.
"""

from typing import Annotated

import typer

from asympt.cli import claims
from asympt.cli.boundary import Boundary
from asympt.cli.derive import derive
from asympt.cli.eoc import eoc
from asympt.cli.listing import activations, blocks, networks, schema
from asympt.cli.plot import plot
from asympt.cli.prove import prove
from asympt.cli.recursion import recursion
from asympt.cli.simulate import simulate
from asympt.cli.verify import verify

app = typer.Typer(
    name="asympt",
    cls=Boundary,
    help="Depth laws of infinitely wide neural networks: derived, verified, evaluated and written down.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (derive, verify, prove, plot, recursion, eoc, simulate, activations, networks, blocks, schema):
    app.command()(command)
app.add_typer(claims.app, name="claims")


def _version(wanted: bool) -> None:
    if wanted:
        from asympt import __version__

        typer.echo(f"asympt {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
