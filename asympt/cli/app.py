"""The program and its commands; the library is imported when one runs, so that ``asympt --help`` answers at once."""

import base64
import json
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import date
from functools import wraps
from importlib.resources import files
from inspect import signature
from pathlib import Path
from typing import Annotated

import typer

from asympt import deadline, kept
from asympt.architectures import registry
from asympt.cli import claims
from asympt.cli import options as opt
from asympt.cli.boundary import SAID, Boundary, called, say
from asympt.cli.laws import check, derive, prove, recursion, simulate, system, verify
from asympt.cli.plot import plot
from asympt.cli.reading import activation_of, check_output, options_of, whole
from asympt.cli.width import width
from asympt.deadline import NETWORK, limited
from asympt.errors import AsymptError, InputError
from asympt.showing import Reporter, Waiting

EXAMPLES = (  # command, block, its options
    ("derive", "residual(layer_norm, relu, dense(sqrt(2)))", " --law correlation"),
    ("derive", "serial(residual(relu, dense(sqrt(2))), layer_norm)", " -o post.pdf"),
    ("verify", "serial(layer_norm, gated(dense(1), serial(dense(1), relu)), dense(1, 1))", ""),
    ("plot", "dense_connection(1, relu, dense(sqrt(2)))", " -o dense.png"),
)
NEARLY_ZERO = 1e-5  # a standard deviation below it is 0
TABLE = "activations.json"  # what `asympt activations --fresh --format json` prints, in the package
Short = Annotated[bool, typer.Option("--no-edge", help="Leave out the Edge of Chaos.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Compute every line instead of reading the package's table.")]


def activations(no_edge: Short = False, fresh: Fresh = False, printed: opt.Reported = opt.ReportFormat.TEXT) -> None:
    """The activations known by name: formula, class, and where their Edge of Chaos is."""
    found = _computed() if fresh else json.loads(files("asympt.cli").joinpath(TABLE).read_text("utf-8"))["activations"]
    found = [{key: text for key, text in row.items() if key != "edge"} for row in found] if no_edge else found
    from asympt.cli import display

    keys = ("name", "class") if no_edge else ("name", "class", "edge")
    headings = [key.replace("edge", "Edge of Chaos") for key in keys]
    rows = [[row[key] for key in keys] for row in found]
    display.answer({"activations": found}, printed, lambda record: [display.table(headings, rows)])


def _computed() -> list[dict]:
    import asympt

    found, names = [], asympt.catalogue()
    with Reporter() as progress:
        for done, name in enumerate(names):
            progress("Edge of Chaos", done, len(names))
            found.append(activation_record(name))
    return found


def activation_record(name: str) -> dict:
    """A line of the table, computed."""
    from asympt import activation

    phi = activation(name)
    return {"name": phi.name, "formula": str(phi.expression), "class": phi.klass, "edge": _edge(phi)}


def _edge(phi) -> str:
    """For which standard deviations phi is on the Edge of Chaos."""
    from asympt import edge_exists, edge_of_chaos

    try:
        answer = edge_exists(phi)
    except AsymptError as reason:
        return f"none: {reason}"
    if phi.is_relu_like:
        return f"sigma_w = {edge_of_chaos(phi).exact_sigma_w}, sigma_b = 0"
    if not answer.exists:
        return "none"
    low, high = (value**0.5 for value in answer.bias_range)
    return f"sigma_b {_range(low, high)}, sigma_w {_range(*answer.weight_range)}"


def _range(low: float, high: float) -> str:
    """
    >>> _range(1e-11, float("inf")), _range(1.39851, 2.0)
    ('0 to oo', '1.4 to 2')
    """
    return " to ".join("oo" if end == float("inf") else f"{end if end > NEARLY_ZERO else 0:.3g}" for end in (low, high))


def networks(printed: opt.Reported = opt.ReportFormat.TEXT) -> None:
    """The architectures: their parameters with defaults, and their laws."""
    from asympt.cli import display

    found = [{"name": record.name, "class": record.class_name,
              "parameters": [f"{p.name}={p.example if p.default is None else p.default}" for p in record.parameters],
              "laws": list(record.laws)} for record in registry.records()]  # fmt: skip
    rows = [(n["name"], n["class"], ", ".join(n["parameters"]), ", ".join(n["laws"])) for n in found]
    heads = ("name", "in Python", "parameters", "laws")
    display.answer({"networks": found}, printed, lambda record: [display.table(heads, rows)])


def blocks(printed: opt.Reported = opt.ReportFormat.TEXT) -> None:
    """The primitives of which a network is composed, and examples: a block is typed in the place of an activation."""
    from asympt.blocks import parsing, primitives
    from asympt.cli import display

    found = [_primitive(name, getattr(primitives, name)) for name in parsing.PRIMITIVES]
    rows = [(part["signature"], part["meaning"]) for part in found]
    display.answer({"blocks": found, "examples": list(EXAMPLES)}, printed, lambda record: [
        display.table(("in a text", "what it is"), rows),
        "Activations are written by their names, with options by name: relu, elu(alpha=2). Factors of residual and "
        "scale may contain LAYER, the layer that the block produces, and DEPTH. Examples:",
        *(f'  asympt {command} "{block}"{more}' for command, block, more in EXAMPLES),
    ])  # fmt: skip


def _primitive(name: str, make) -> dict:
    """How a primitive is written, and the first line of what it says of itself."""
    given = [str(p.replace(annotation=p.empty)) for p in signature(make).parameters.values()]
    given = ["formula or name"] if name == "activation" else given
    return {"name": name, "signature": f"{name}({', '.join(given)})", "meaning": make.__doc__.partition("\n")[0]}


def explain(context: typer.Context, name: opt.Term = None) -> None:
    """What a symbol or term means (C, f2, Abel function), or how a command is used; without NAME, all of them."""
    from asympt.cli import display, glossary
    from asympt.spelling import near

    wanted, group = " ".join(name or ()), context.parent.command
    if wanted in group.commands:
        command = group.commands[wanted]
        typer.echo(command.get_help(type(context)(command, info_name=wanted, parent=context.parent)))
        return
    found = glossary.found(wanted)
    if not found:
        known = {name: None for one in glossary.names() for name in (one, one.split()[0])} | group.commands
        raise InputError(f"{wanted!r} is not in the glossary{near(wanted, known)}; `asympt help` prints all of it")
    display.show(display.fields(found))


def schema() -> None:
    """The JSON Schema of what `--format json` prints."""
    typer.echo(files("asympt.cli").joinpath("schema.json").read_text(encoding="utf-8").rstrip())


Bias = Annotated[str | None, opt.number("Standard deviation of the biases [default: 0].", "--sigma-b")]
Weight = Annotated[str | None, opt.number("Standard deviation of the weights, instead.", "--sigma-w")]


def eoc(
    activation: opt.ActivationName, sigma_b: Bias = None, sigma_w: Weight = None, option: opt.ActivationOptions = None,
    slope: opt.Slope = None, right: opt.Right = None, left: opt.Left = None, digits: opt.Digits = "30",
    printed: opt.Reported = opt.ReportFormat.TEXT, budget: opt.Budget = None,
) -> None:
    """The Edge of Chaos: sigma_w for a given sigma_b, or sigma_b for a given sigma_w; all solutions."""
    from asympt.cli import display, records
    from asympt.meanfield.edge import critical_points
    from asympt.numbers import check_digits

    figures = check_digits(whole(digits, "digits"))
    phi = activation_of(activation, options_of(option, slope, right, left))
    with Waiting("solving for the Edge of Chaos"), limited("solving for the Edge of Chaos", NETWORK):
        points = [records.point_record(point, figures) for point in critical_points(phi, sigma_b, sigma_w, figures)]
    others = {"others": points[1:]} if points[1:] else {}
    counts = [f", solution {k} of {len(points)}" for k in range(1, len(points) + 1)] if others else [""]
    display.answer({"activation": phi.name, **points[0], **others}, printed, lambda record: [
        part for count, point in zip(counts, points, strict=True)
        for part in (f"{phi.name}, Edge of Chaos{count}", display.fields(_lines(point)))
    ])  # fmt: skip


Fitted = Annotated[str, typer.Argument(metavar="ACTIVATION", help="leaky_relu; with --slope any other one.")]
Correlated = Annotated[str | None, typer.Option("--start", metavar="NUMBER", help="Correlation of the inputs (0).")]
Target = Annotated[str | None, typer.Option("--target", metavar="NUMBER", help="Correlation at that depth (9/10).")]
Steepness = Annotated[str | None, typer.Option("--slope", metavar="NUMBER", help="C'(1) > 1 of the network.")]


def shape(
    activation: Fitted, depth: opt.Depth, start: Correlated = None, target: Target = None, digits: opt.Digits = "20",
    slope: Steepness = None,
) -> None:  # fmt: skip
    """The slope of leaky_relu for which the correlation --start becomes --target after --depth layers.

    With --slope, C'(1) of the network, the scales and shifts of deep kernel shaping for any other activation.
    """
    from mpmath import nstr

    from asympt.cli import display
    from asympt.meanfield.shape import shape as fitted

    ends = f"correlation {start or 0} to {target or '9/10'}"
    figures, goal = whole(digits, "digits"), ends if slope is None else f"C'(1) = {slope}"
    with Waiting("fitting the shape"):
        found = fitted(activation, whole(depth, "depth"), start, target, figures, slope=slope)
    values = {"slope": found} if slope is None else found._asdict()
    display.show(f"{activation}, {goal} in {depth} layers", display.fields(
        [(name.replace("_", " "), nstr(value, figures)) for name, value in values.items()]))  # fmt: skip


def _lines(point: dict) -> list[tuple[str, str]]:
    lines = [(name, _with_formula(point, name)) for name in ("sigma_b", "sigma_w")]
    if point["q"] is None:
        return [*lines, ("q", "any: every variance is a fixed point")]
    return [*lines, ("q", _with_formula(point, "q")), ("variance", point["stability"]["text"])]


def _with_formula(point: dict, name: str) -> str:
    """The number, behind its formula when it has one that says more."""
    exact, value = point[f"{name}_exact"], point[name]
    plain = exact is None or exact == value or exact.replace("/", "").isdigit()
    return value if plain else f"{exact} = {value}"


# ---- a command asked before, with the same words on the same kind of terminal: its answer is read, not computed -----
#
# What it printed and said and the file that it wrote are kept (`asympt.kept`), and nothing of a command that ended
# otherwise than well: an error, an unknown or a refuted law, and an answer cut by a time limit are looked at again.

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
    recorded, cut, said, ended = _Recorded(sys.stdout), len(deadline.CUT), len(SAID), None
    with redirect_stdout(recorded):
        try:
            work()
        except typer.Exit as end:
            ended = end
    if (ended is None or ended.exit_code == 0) and len(deadline.CUT) == cut:
        written = None if output is None else base64.b64encode(output.read_bytes()).decode()
        kept.put("answers", key, ["".join(recorded.texts), written, SAID[said:]])
    if ended is not None:
        raise ended


def _say_again(found: list, output: Path | None) -> None:
    text, written, said = found
    typer.echo(text, nl=False)
    if output is not None:
        from asympt import saving

        check_output(output, (output.suffix.lower(),))
        saving.write({output: base64.b64decode(written)})
    for message in said:
        say(message)


app = typer.Typer(
    name="asympt",
    cls=Boundary,
    help="Depth laws of infinitely wide neural networks: derived, verified, evaluated and written down.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
answers = map(answered, (derive, verify, prove, plot, recursion, system, eoc, shape, simulate, width))
for command in (*answers, check, activations, networks, blocks, schema):
    app.command()(command)
app.command("help", short_help=explain.__doc__.partition(";")[0] + ".")(explain)
app.add_typer(claims.app, name="claims", short_help=claims.app.info.help)
for known in (*app.registered_commands, *claims.app.registered_commands):
    known.short_help = known.short_help or known.callback.__doc__.partition("\n")[0]  # whole on narrow terminals


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
