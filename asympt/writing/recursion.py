"""The document about a plain recursion: its sections in their order; and writing it to a file."""

from dataclasses import replace
from pathlib import Path

from sympy import Symbol

from asympt.errors import PrecisionError
from asympt.evidence import Verification
from asympt.evidence.verify import verify
from asympt.numbers import exact
from asympt.plots.recursion import RecursionData, recursion_data, recursion_figure
from asympt.recursions import Law, Recursion
from asympt.recursions.non_autonomous import DrivenRecursion
from asympt.recursions.place import Observable
from asympt.writing import recursion_evidence as numbers
from asympt.writing import recursion_inversion as abel
from asympt.writing import recursion_koenigs as koenigs
from asympt.writing.formulas import inline
from asympt.writing.law_document import law_document, plain_subject
from asympt.writing.letters import Names, own_names, settled, stand_ins, stood_in
from asympt.writing.paper import Document, PartCounter, Progress, paper, write_paper
from asympt.writing.recursion_formulas import map_pieces
from asympt.writing.recursion_material import RecursionMaterial
from asympt.writing.recursion_statement import statement
from asympt.writing.references import references
from asympt.writing.width import width

SHORT = 16.0  # em of a formula that may stand in a title


def recursion_document(recursion: Recursion, law: Law, start=None, depth=None, digits: int = 30,
                       figure_name: str = "figure.pdf", progress: Progress | None = None) -> Document:  # fmt: skip
    """The derivation of the law of a plain recursion, with its constants, evidence and a figure.

    `recursion` and a `law` of it (`recursion.law(...)`, also of an observable, or `recursion.linear_law(...)`; a
    `Recursion` or one whose steps depend on the layer); `start`: x_0 for the numbers, left out
    there are none; `depth`: a number of steps after which the quantity is given; `digits` of every constant;
    `figure_name`: the file that the tex includes.  Raises `InputError` for a start that does not come to the fixed
    point.
    """
    if isinstance(recursion, DrivenRecursion) or getattr(law, "linear", None) is not None:
        begin = None if start is None or law.parameters else {"start": exact(start, "start")}
        return law_document(law, plain_subject(recursion, law), begin, digits, figure_name, PartCounter(progress, 2))
    names = {} if not isinstance(law, Law) else stand_ins(law.parameters)
    m = RecursionMaterial.of(*_with(names, recursion, law), start, depth, digits)
    report = PartCounter(progress, total=4)
    report("compute the constant")
    m, data, trouble = _numbers(m)
    report("verify the law")
    found = verify(m.law, digits=m.digits, start=m.start)
    report("draw the figure")
    figure = None if data is None else recursion_figure(data, numbers.labels(m))
    report("write")
    inclusion = "" if data is None else numbers.inclusion(m, data, figure_name)
    evidence = numbers.evidence(m, found, data, inclusion, trouble)
    tex = settled(_tex(m, found, evidence), names, own_names(law)) if names else _tex(m, found, evidence)
    return Document(tex, figure, figure_name)


def _with(names: Names, recursion: Recursion, law: Law) -> tuple[Recursion, Law]:
    """The recursion and the same law of it with stand-ins for the parameters."""
    if not names:
        return recursion, law
    recursion = stood_in(recursion, names)
    observable = stood_in(law.view.expression, names) if isinstance(law.view, Observable) else None
    other = recursion.law(len(law.expansion.terms), observable)
    own = {law.symbols[s]: symbol for s, symbol in other.symbols.items() if s in law.symbols}
    return recursion, replace(other, expansion=law.expansion.renamed(names | own))


def _numbers(m: RecursionMaterial) -> tuple[RecursionMaterial, RecursionData | None, str]:
    """The orbit of the start; when the digits are out of reach, the document without a start, and the reason."""
    if m.start is None:
        return m, None, ""
    try:
        _ = m.constant
        return m, recursion_data(m.recursion, m.law, m.longer, m.in_s, m.start), ""
    except PrecisionError as problem:
        return replace(m, start=None, depth=None), None, str(problem)


def _tex(m: RecursionMaterial, found: Verification, evidence: str) -> str:
    steps = koenigs.derivation(m) if m.hyperbolic else abel.derivation(m)
    sections = [
        statement(m, found),
        steps,
        numbers.constant_section(m),
        evidence,
        references(("Koenigs", "MilnorKoenigs") if m.hyperbolic else ("deBruijn", "Milnor")),
    ]
    return paper(title(m), sections)


def title(m: RecursionMaterial) -> str:
    """The title of the document."""
    x_n = Symbol("x_n")
    image = inline(map_pieces(m.recursion.expression.subs(m.x, x_n), x_n, m.ascending))
    return f"The law of $x_{{n+1}}={image}$" if width(image) <= SHORT else "The law of a plain recursion"


def write_recursion(recursion: Recursion, law: Law, path="law.tex", start=None, depth=None, digits: int = 30,
                    progress: Progress | None = None) -> Path:  # fmt: skip
    """Write the document to `path`: NAME.tex with NAME-figure.pdf beside it, or NAME.pdf alone.

    Arguments as in `recursion_document`; `progress(name, done, total)` is called before every part.  Raises
    `InputError` for a path that cannot be written, `UnsupportedError` when a PDF is asked for and there is no TeX.
    """
    return write_paper(
        path, lambda **named: recursion_document(recursion, law, start, depth, digits, progress=progress, **named)
    )
