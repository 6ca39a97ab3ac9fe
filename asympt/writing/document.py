"""Documents about laws of networks and of recursions, printed from the law's own steps; writing them down."""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import fields, is_dataclass, replace
from functools import partial
from pathlib import Path

from sympy import Basic, Integer, Symbol, latex
from sympy.core.alphabets import greeks

from asympt.architectures.registry import COMPOSED, record_of
from asympt.deadline import NETWORK, limited
from asympt.errors import InputError, PrecisionError, UnsupportedError
from asympt.evidence.verify import verify
from asympt.expansions.typesetting import tex
from asympt.numbers import check_depth, check_digits, exact, exact_point
from asympt.plots.recursion import RecursionData, recursion_data, recursion_figure
from asympt.recursions import Law, Recursion
from asympt.recursions.non_autonomous import DrivenRecursion
from asympt.recursions.system import System
from asympt.writing import evidence as numbers
from asympt.writing.account import Account, Plot, Subject
from asympt.writing.evidence import environment, network_plot
from asympt.writing.networks import tells_map, tells_moments
from asympt.writing.notation import running
from asympt.writing.paper import Document, PartCounter, Progress, check_path, paper, references, write_paper
from asympt.writing.statement import statement
from asympt.writing.subjects import driven_subject, map_subject, network_subject, system_subject
from asympt.writing.texts import derivation
from asympt.writing.texts.quantities import constant_section
from asympt.writing.verdicts import Verdicts, collect, members, parts, published, unchecked

STAND_INS = ("beth", "daleth", "digamma", "gimel", "varpi", "varrho", "varsigma", "vartheta")  # in no document
GREEK = {*greeks, "varepsilon", "varphi"}
FREE = {"a", "b", "mu"}  # nor these

Names = dict[Symbol, Symbol]


def stand_ins(parameters: Iterable[Symbol]) -> Names:
    """{parameter: its stand-in}, where a document might have that letter itself."""
    parameters = sorted(parameters, key=str)
    taken = {symbol.name for symbol in parameters}
    free = (name for name in STAND_INS if name not in taken)
    called = [symbol for symbol in parameters if symbol.name not in FREE]
    return {symbol: Symbol(name, **symbol._assumptions_orig) for symbol, name in zip(called, free, strict=False)}


def stood_in(thing, names: Names):
    """The same formula, recursion or network with the stand-ins.

    >>> a, c = Symbol("a"), Symbol("C")
    >>> stood_in(a * c, stand_ins({a, c}))
    a*beth
    """
    if isinstance(thing, Basic):
        return thing.xreplace(names)
    if type(thing) is tuple:
        return tuple(stood_in(part, names) for part in thing)
    if not (is_dataclass(thing) and names):
        return thing
    made = copy(thing)
    made.__dict__.clear()  # what has been computed for the other names
    for field in fields(thing):
        object.__setattr__(made, field.name, stood_in(getattr(thing, field.name), names))
    return made


def settled(tex: str, names: Names, own: Mapping[str, Symbol] | None = None) -> str:
    r"""The finished LaTeX with the user's symbols in place of the stand-ins; `own`: what the law calls n, C and D.

    >>> user = Symbol("t")
    >>> settled(r"$t_n = \beth t$ and \emph{t}, for all~$n$", {user: Symbol("beth")})
    '$\\tilde{t}_n = t \\tilde{t}$ and \\emph{t}, for all~$n$'
    """
    if not names:
        return tex
    pieces = list(_pieces(tex))
    own_letters = {(letter, index) for _, letter, index in pieces if letter}
    met = {letter for letter, _ in own_letters & {_split(latex(user)) for user in names}}  # the same, index and all
    new = {letter: latex(symbol) for letter, symbol in (own or {}).items() if latex(symbol) != letter}
    whole = ""
    for text, letter, index in pieces:
        shown = _renamed(letter, index, new, met) if letter else text
        whole += f"{{{shown}}}" if shown != text and whole[-1:] in ("_", "^") else shown
    for user, stand_in in names.items():  # in formulas and in sentences
        shown, said = (text.replace("\\", r"\\") for text in (latex(user), user.name.replace("_", r"\_")))
        whole = re.sub(rf"\\{stand_in.name}(?![A-Za-z])", shown, whole)
        whole = re.sub(rf"(?<![A-Za-z\\]){stand_in.name}(?![A-Za-z])", said, whole)
    return whole


def own_names(*laws) -> dict[str, Symbol]:
    """What laws call their depth and their constants, by the usual names of these."""
    return {own.name: symbol for law in laws for own, symbol in law.symbols.items()}


def _split(shown: str) -> tuple[str, str]:
    r"""A letter and its index: ('\\alpha', '1') of '\\alpha_{1}'."""
    letter, _, index = shown.partition("_")
    return letter.strip("{}"), index.strip("{}")


def _renamed(letter: str, index: str, new: Mapping[str, str], met: set[str]) -> str:
    if letter in new and not index:
        return new[letter]
    return rf"\tilde{{{letter}}}" if letter in met else letter


_TOKEN = re.compile(
    r"(?P<whole>\\(?:label|ref|cite|operatorname|texorpdfstring|includegraphics)\*?(?:\[[^]]*\])?\{[^{}]*\}"
    r"|\\math(?:bb|cal|bf|rm|sf)\s*(?:\{[^{}]*\}|[A-Za-z])|\\\\(?:\[[^]]*\])?)"
    r"|\\begin\{(?P<begin>[a-z]+\*?)\}|\\end\{(?P<end>[a-z]+\*?)\}|(?P<text>\\(?:text|mbox|emph)\{)"
    r"|(?P<display>\\[\[\]])|(?P<sign>[$\{}])|(?P<letter>\\[A-Za-z]+|[A-Za-z])|(?P<other>\\.|.)", re.DOTALL,
)  # fmt: skip
_INDEX = re.compile(r"\s*_\s*(?:\{([^{}]*)\}|(\\[A-Za-z]+|\S))")
_FORMULAS = {"equation", "align", "align*", "aligned", "gather*", "cases"}


def _pieces(tex: str) -> Iterator[tuple[str, str, str]]:
    """(text, letter, index): the document in pieces, `letter` the same as `text` where that is a letter in a formula.

    >>> [piece for piece in _pieces(r"as $x_n$, n") if piece[1]]
    [('x', 'x', 'n'), ('n', 'n', '')]
    """
    modes = [False]  # whether mathematics is being set, for every open bracket and environment
    for found in _TOKEN.finditer(tex):
        kind, text = found.lastgroup, found[0]
        if kind == "letter" and modes[-1] and not (text.startswith("\\") and text[1:].lower() not in GREEK):
            index = _INDEX.match(tex, found.end())
            yield text, text, (index[1] or index[2] or "") if index else ""
            continue
        _change(modes, kind, text, found)
        yield text, "", ""


def _change(modes: list[bool], kind: str, text: str, found: re.Match) -> None:
    if kind == "begin":
        modes.append(found["begin"] in _FORMULAS)
    elif kind == "text":
        modes.append(False)
    elif text == "{":
        modes.append(modes[-1])
    elif kind == "end" or text == "}":
        modes.pop()
    elif text == "$":
        modes[-1] = not modes[-1]
    elif kind == "display":
        modes[-1] = text == r"\["


DEPTH, VERIFIED = 10**4, 10  # of the checks, and their digits
FLOWING = 15  # digits of those of a law along a flow
START = Integer(1) / 10


def document(net, law: str = "ntk", terms: int = 4, digits: int = 30, figure_name: str = "figure.pdf",
             progress: Progress | None = None, checks: bool = True, correlation=None) -> Document:  # fmt: skip
    """The derivation of a depth law of a network, with evidence and verdicts.

    `net`: a network of any architecture in any phase; `law`: the name of one of its laws (`registry`), such as 'ntk',
    'correlation', 'diagonal' or 'variance'; `terms` of the law, `digits` of its constants; `figure_name`: the file that
    the tex includes; `checks` False: nothing is verified, and the document says so; `correlation`: c^1 of a law in
    DEPTH, 'depth' or 'depth-ntk', which belongs to a start.
    Raises `InputError` for bad input, `UnsupportedError` for a law that the network does not have.
    """
    require_document(net, law)
    names = stand_ins(_parameters(net))
    if not names:
        return network_document(net, law, terms, digits, figure_name, progress, checks, correlation)
    made = network_document(stood_in(net, names), law, terms, digits, figure_name, progress, checks)
    told = {law, "correlation"} if law == "ntk" else {law}
    laws = [known.of(net, 1) for name, known in record_of(net).laws.items() if name in told]
    return replace(made, tex=settled(made.tex, names, own_names(*laws)))


def _parameters(net) -> set:
    """The symbols in a network, learning rates included."""
    rates = (getattr(net, name, None) for name in ("weight_rate", "bias_rate"))
    own = net.parameters if record_of(net) is COMPOSED else net.statement.parameters
    return set(own).union(*(rate.free_symbols for rate in rates if rate is not None))


def require_document(net, law: str = "ntk") -> None:
    """An error, before anything is derived, when there is no such law of this network."""
    record = record_of(net)
    if record is None:
        raise InputError(f"net = {net!r} is no network of a known architecture; give one, such as FeedForward('relu')")
    if law not in record.laws:
        raise InputError(f"law = {law!r} is not a law of this network; known are {', '.join(record.laws)}")
    if getattr(net, "mixes_tokens", False):
        raise UnsupportedError("laws of tokens have no document yet; print the formula with law.latex()")


def write(net, law: str = "ntk", terms: int = 4, path="law.tex", digits: int = 30,
          progress: Progress | None = None, command: str | None = None, checks: bool = True,
          correlation=None) -> Path:  # fmt: skip
    """Write the document to `path`: NAME.tex with NAME-figure.pdf beside it, or NAME.pdf alone.

    `progress(name, done, total)` is called before every part; `command`, what the document says that made it, is the
    call of this function where it is left out.  Raises `InputError` for a path that cannot be written,
    `UnsupportedError` for a PDF without TeX.
    """
    check_path(path)
    require_document(net, law)
    start = "" if correlation is None else f", correlation={str(correlation)!r}"
    command = command or f"asympt.writing.write({net!r}, {law!r}, terms={terms}, digits={digits}{start})"
    make = partial(document, net, law, terms, digits, progress=progress, checks=checks, correlation=correlation)
    return write_paper(path, make, command)


def network_document(
    net, name: str, terms: int, digits: int, figure_name: str, progress: Progress | None, checks: bool = True,
    correlation=None,
) -> Document:  # fmt: skip
    """The document about a law of a network, by the name that the registry has for it."""
    report = PartCounter(progress, total=4)
    report("derive the law")
    with limited(f"deriving the law of the {name} with {terms} terms", NETWORK):
        a = account_of(net, name, terms, digits, correlation)
    report.total = 3 + (parts(a) if a.net else 1)
    verdicts = _verdicts(a, report) if checks else unchecked(a)
    report("draw the figure")
    a = replace(a, plot=network_plot(a, net))
    report("write")
    return _written(a, verdicts, figure_name)


def account_of(net, name: str, terms: int = 4, digits: int = 30, correlation=None) -> Account:
    """A law of a network, to be told: with that of the correlation beside that of the kernel where its map is told."""
    law, told = record_of(net).laws[name].of(net, terms, correlation), tells_map(net, name)
    beside = net.correlation_law(terms) if told and name == "ntk" else None
    subject = network_subject(net, law, digits)
    ordered = net if tells_moments(net, name) else None
    return Account(
        law, subject, _start(law, net), digits, net=net if told else None, correlation=beside, ordered=ordered
    )


def _verdicts(a: Account, report: PartCounter) -> Verdicts:
    if a.net is None:
        report("verify the law")
        return Verdicts({a.law.name: verify(a.law, digits=min(a.digits, VERIFIED), depth=DEPTH)}, {})
    if a.is_costly:
        return collect(a, report, min(a.digits, VERIFIED), 2 * DEPTH)
    return collect(a, report, min(a.digits, FLOWING) if a.form == "time" else None)


def law_document(law: Law, subject: Subject, start: dict | None = None, digits: int = 30,
                 figure_name: str = "figure.pdf", report: PartCounter | None = None, depth: int | None = None,
                 plot: Plot | None = None, checks: bool = True) -> Document:  # fmt: skip
    """Statement, steps and evidence of any law; `start` by the names of the law's reader, left out no numbers.

    `depth`: where the quantity is given to all digits; `plot`: the figure and the values in it.
    """
    report = report or PartCounter(None, 2)
    a = Account(law, subject, start, digits, depth, plot)
    if not checks:
        return _written(a, unchecked(a), figure_name)
    report("verify the law")
    plain = {} if start is None or "start" not in start else dict(start)
    plain |= {} if plot else {"depth": DEPTH}
    found = verify(law, digits=digits if plot else min(digits, VERIFIED), **plain)
    report("write")
    return _written(a, Verdicts({law.name: found}, {}), figure_name)


def _written(a: Account, verdicts: Verdicts, figure_name: str) -> Document:
    found, beside = verdicts.laws[a.law.name], verdicts.laws.get("correlation") if a.is_ntk else None
    figure = "" if a.plot is None else environment(figure_name, a.plot.caption, a.plot.width)
    told = [published(verdicts), members(a)] if a.net is not None else []
    sections = [
        statement(a, found, beside), derivation(a), constant_section(a), *told,
        numbers.evidence(a, found, figure, beside),
    ]  # fmt: skip
    made = paper(a.subject.title, [*sections, references(sections)])
    return Document(made, None if a.plot is None else a.plot.figure, figure_name)


def _start(law: Law, net) -> dict | None:
    """c^1 = 1/10 or the law's own, or q^1 = 1, as far as the law asks for it."""
    known = inspect.signature(law.reader).parameters if law.reader else {}
    start = {}
    if "correlation" in known:
        start["correlation"] = 1 - law.reader.gap if law.kind == "depthwise" else START
    if "variance" in known:
        start["variance"] = Integer(1)
    if "position" in known:
        start = {"correlation": tuple([START, *[Integer(0)] * (net.positions - 1)]), "position": 0}
    return start


# ---- the document about a recursion without a network; and writing it to a file ----------------------------------


DEPTHS = (100, 1000, 10**4, 10**5, 10**6, 10**7, 10**8)  # of the table of values, where the approach is slow
ROWS = 8  # of the same, where it is fast


def recursion_document(recursion: Recursion, law: Law, start=None, depth=None, digits: int = 30,
                       figure_name: str = "figure.pdf", progress: Progress | None = None,
                       checks: bool = True) -> Document:  # fmt: skip
    """The derivation of the law of a plain recursion, with its constants, evidence and a figure.

    `recursion` and a `law` of it (`recursion.law(...)`, also of an observable, or `recursion.linear_law(...)`; a
    `Recursion`, a `System` or one whose steps depend on the layer); `start`: x_0 for the numbers, left out
    there are none; `depth`: a number of steps after which the quantity is given; `digits` of every constant;
    `figure_name`: the file that the tex includes.  Raises `InputError` for a start that does not converge to the fixed
    point.
    """
    if not isinstance(recursion, Recursion | DrivenRecursion | System) or not isinstance(law, Law):
        raise InputError(f"recursion = {recursion!r}, law = {law!r}: give a Recursion or a System and a law of it")
    law.coordinate.require_drawn("document")
    report, read = PartCounter(progress, total=4), exact if law.coordinate.starts_from_one else exact_point
    begin = None if start is None or law.parameters else {"start": read(start, "start")}
    depth = None if depth is None or begin is None else check_depth(depth)
    asked = {"digits": check_digits(digits), "figure_name": figure_name, "report": report, "depth": depth}
    asked["checks"] = checks
    for kind, subject in ((DrivenRecursion, driven_subject), (System, system_subject)):
        if isinstance(recursion, kind):
            return law_document(law, subject(recursion, law), begin, **asked)
    if law.linear is not None:
        return law_document(law, map_subject(recursion, law), begin, **asked)
    names = stand_ins(law.parameters)
    recursion, told = _with(names, recursion, law)
    if begin is not None:
        told = told.for_start(**begin)
        side = {"fixed_point": told.fixed.point} if told.fixed.at_infinity else {
            "side": "above" if told.fixed.sign > 0 else "below"}  # fmt: skip
        recursion = replace(recursion, **side)
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


def _plot(recursion: Recursion, law: Law, start) -> Plot | None:
    """The orbit in its coordinate and the errors of the law; None when the digits are out of reach."""
    try:
        data = recursion_data(recursion, law, start)
    except PrecisionError:
        return None
    fast, base = law.koenigs is not None, tex(Account(law, map_subject(recursion, law)).notation.base)
    shown = data.points[:: max(1, len(data.points) // ROWS)] if fast else _at(data, law)
    points = tuple((p.steps, p.iterated, p.value) for p in shown if p.steps > 1)
    error = rf"relative error of ${running(law.quantity)}$".replace(r"\tfrac", r"\frac")
    drift = {"drift": rf"${base}^{{-n}}\,y_n$"} if fast else {"climb": r"$s_n-n$", "drift": r"$s_n-n-\cdots$"}
    figure = recursion_figure(data, {**drift, "error": error})
    return Plot(figure, _caption(data, law, base), points, data.digits, data.constant, r"\textwidth")


def _at(data: RecursionData, law: Law) -> list:
    """The points at round depths, the first and the last of them at both parities where orbits change sides."""
    both = (DEPTHS[0], DEPTHS[-1]) if law.kind == "flip" else ()
    return [p for p in data.points if p.steps in {*DEPTHS, *(n + 1 for n in both)}]


def _caption(data: RecursionData, law: Law, base: str) -> str:
    if law.koenigs is not None:
        left = rf"Left: ${base}^{{-n}}y_n$ tends to $C$ (dashed)."
    else:
        left = rf"Left: $s_n=\alpha t_n^{{-{law.abel.multiplicity}}}$ without the growing terms of its expansion tends "
        left += "to a constant (dashed)" + ("; $s_n-n$ grows like the logarithm." if data.rises else ".")
    return left + (
        r" Right: relative error of the first terms of~(\ref{eq:law}); the lines are the size of the first term "
        "left out. Filled marks: the map iterated; open marks: evaluation at greater depths."
    )


def write_recursion(recursion: Recursion, law: Law, path="law.tex", start=None, depth=None, digits: int = 30,
                    progress: Progress | None = None, command: str | None = None,
                    checks: bool = True) -> Path:  # fmt: skip
    """Write the document to `path`: NAME.tex with NAME-figure.pdf beside it, or NAME.pdf alone.

    Arguments as in `recursion_document`; `progress(name, done, total)` is called before every part; `command`, what the
    document says that made it, is the call of this function where it is left out.  Raises `InputError` for a path that
    cannot be written, `UnsupportedError` for a PDF without TeX.
    """
    command = command or f"asympt.writing.write_recursion({recursion!r}, ...)"
    make = partial(recursion_document, recursion, law, start, depth, digits, progress=progress, checks=checks)
    return write_paper(path, make, command)
