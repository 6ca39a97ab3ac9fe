"""The document about a recursion without a network; and writing it to a file."""

from dataclasses import replace
from pathlib import Path

from asympt.errors import InputError, PrecisionError
from asympt.expansions.typesetting import tex
from asympt.numbers import check_depth, check_digits, exact
from asympt.plots.recursion import RecursionData, recursion_data, recursion_figure
from asympt.recursions import Law, Recursion
from asympt.recursions.fixed_point import FixedPoint
from asympt.recursions.non_autonomous import DrivenRecursion
from asympt.writing.account import Account, Plot
from asympt.writing.document import law_document
from asympt.writing.letters import Names, own_names, settled, stand_ins, stood_in
from asympt.writing.notation import running
from asympt.writing.paper import Document, PartCounter, Progress, write_paper
from asympt.writing.subjects import driven_subject, map_subject

DEPTHS = (100, 1000, 10**4, 10**5, 10**6, 10**7, 10**8)  # of the table of values, where the approach is slow
ROWS = 8  # of the same, where it is fast


def recursion_document(recursion: Recursion, law: Law, start=None, depth=None, digits: int = 30,
                       figure_name: str = "figure.pdf", progress: Progress | None = None) -> Document:  # fmt: skip
    """The derivation of the law of a plain recursion, with its constants, evidence and a figure.

    `recursion` and a `law` of it (`recursion.law(...)`, also of an observable, or `recursion.linear_law(...)`; a
    `Recursion` or one whose steps depend on the layer); `start`: x_0 for the numbers, left out
    there are none; `depth`: a number of steps after which the quantity is given; `digits` of every constant;
    `figure_name`: the file that the tex includes.  Raises `InputError` for a start that does not come to the fixed
    point.
    """
    if not isinstance(recursion, Recursion | DrivenRecursion) or not isinstance(law, Law):
        raise InputError(f"recursion = {recursion!r}, law = {law!r}: give a Recursion and a law of it")
    report = PartCounter(progress, total=4)
    begin = None if start is None or law.parameters else {"start": exact(start, "start")}
    depth = None if depth is None or begin is None else check_depth(depth)
    asked = {"digits": check_digits(digits), "figure_name": figure_name, "report": report, "depth": depth}
    if isinstance(recursion, DrivenRecursion):
        return law_document(law, driven_subject(recursion, law), begin, **asked)
    if law.linear is not None:
        return law_document(law, map_subject(recursion, law), begin, **asked)
    names = stand_ins(law.parameters)
    recursion, told = _with(names, recursion, law)
    if begin is not None:
        told = told.for_start(**begin)
        recursion = _from_side_of(recursion, told.fixed)
    report("follow the orbit")
    asked["plot"] = None if begin is None else _plot(recursion, told, begin["start"])
    made = law_document(told, map_subject(recursion, told), begin, **asked)
    return replace(made, tex=settled(made.tex, names, own_names(law)))


def _with(names: Names, recursion: Recursion, law: Law) -> tuple[Recursion, Law]:
    """The recursion and the same law of it with stand-ins for the parameters."""
    if not names:
        return recursion, law
    recursion = stood_in(recursion, names)
    observable = None if law.observable.reads_x else stood_in(law.observable.expression, names)
    other = recursion.law(len(law.expansion.terms), observable)
    own = {law.symbols[s]: symbol for s, symbol in other.symbols.items() if s in law.symbols}
    return recursion, replace(other, expansion=law.expansion.renamed(names | own))


def _from_side_of(recursion: Recursion, fixed: FixedPoint) -> Recursion:
    """The recursion approached from the side of a place."""
    if fixed.at_infinity:
        return replace(recursion, fixed_point=fixed.point)
    return replace(recursion, side="above" if fixed.sign > 0 else "below")


# ---- the figure -------------------------------------------------------------------------------------


def _plot(recursion: Recursion, law: Law, start) -> Plot | None:
    """The orbit in its coordinate and the errors of the law; None when the digits are out of reach."""
    try:
        data = recursion_data(recursion, law, start)
    except PrecisionError:
        return None
    fast, base = law.koenigs is not None, tex(Account(law, map_subject(recursion, law)).notation.base)
    points = tuple((p.steps, p.iterated, p.value) for p in (_few(data) if fast else _at(data, law)))
    figure = recursion_figure(data, _labels(law, base))
    return Plot(figure, _caption(data, law, base), points, data.digits, data.constant, r"\textwidth")


def _at(data: RecursionData, law: Law) -> list:
    """The points at round depths, the first and the last of them at both parities where orbits change sides."""
    both = (DEPTHS[0], DEPTHS[-1]) if law.kind == "flip" else ()
    return [p for p in data.points if p.steps in {*DEPTHS, *(n + 1 for n in both)}]


def _few(data: RecursionData) -> list:
    every = max(1, len(data.points) // ROWS)
    return [p for index, p in enumerate(data.points) if index % every == 0 and p.steps > 1]


def _caption(data: RecursionData, law: Law, base: str) -> str:
    """What the two panels show."""
    if law.koenigs is not None:
        left = rf"Left: ${base}^{{-n}}y_n$ tends to $C$ (dashed)."
    else:
        left = rf"Left: $s_n=\alpha t_n^{{-{law.abel.multiplicity}}}$ without the growing terms of its expansion tends "
        left += "to a constant (dashed)" + ("; $s_n-n$ climbs with the logarithm." if data.rises else ".")
    return left + (
        r" Right: relative error of the first terms of~(\ref{eq:law}); the lines are the size of the first term "
        "left out. Filled marks: the map iterated; open marks: certified evaluation at depths nobody iterates to."
    )


def _labels(law: Law, base: str) -> dict[str, str]:
    """What the figure calls its curves."""
    error = rf"relative error of ${running(law.quantity)}$".replace(r"\tfrac", r"\frac")
    if law.koenigs is not None:
        return {"drift": rf"${base}^{{-n}}\,y_n$", "error": error}
    return {"climb": r"$s_n-n$", "drift": r"$s_n-n-\cdots$", "error": error}


def write_recursion(recursion: Recursion, law: Law, path="law.tex", start=None, depth=None, digits: int = 30,
                    progress: Progress | None = None, command: str | None = None) -> Path:  # fmt: skip
    """Write the document to `path`: NAME.tex with NAME-figure.pdf beside it, or NAME.pdf alone.

    Arguments as in `recursion_document`; `progress(name, done, total)` is called before every part; `command`, what the
    document says that made it, is the call of this function where it is left out.  Raises `InputError` for a path that
    cannot be written, `UnsupportedError` when a PDF is asked for and there is no TeX.
    """
    command = command or f"asympt.writing.write_recursion({recursion!r}, ...)"
    return write_paper(
        path,
        lambda **named: recursion_document(recursion, law, start, depth, digits, progress=progress, **named),
        command,
    )
