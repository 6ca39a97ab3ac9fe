"""The document about a law, printed from the law's own steps, for every phase, architecture and kind; writing it down.

    document, write     about a law of a network
    law_document        statement, steps and evidence of any law

Rule.  What was published stands beside what is derived where HDR states a theorem about it.
"""

import inspect
from dataclasses import replace
from pathlib import Path

from sympy import Integer

from asympt.architectures.registry import COMPOSED, record_of
from asympt.deadline import NETWORK, limited
from asympt.errors import InputError
from asympt.evidence.verify import verify
from asympt.recursions import Law
from asympt.writing import evidence as numbers
from asympt.writing.account import Account, Plot, Subject
from asympt.writing.claim import members, published
from asympt.writing.evidence import environment
from asympt.writing.letters import own_names, settled, stand_ins, stood_in
from asympt.writing.network_numbers import network_plot
from asympt.writing.networks import tells_map, tells_moments
from asympt.writing.paper import Document, PartCounter, Progress, check_path, paper, references, write_paper
from asympt.writing.statement import statement
from asympt.writing.subjects import network_subject
from asympt.writing.texts import derivation
from asympt.writing.texts.constants import constant_section
from asympt.writing.verdicts import Verdicts, claim_table, collect, parts

DEPTH, VERIFIED = 10**4, 10  # of the checks, and their digits
FLOWING = 15  # digits of those of a law along a flow
START = Integer(1) / 10
CITED = {"abel": ("deBruijn", "Milnor"), "koenigs": ("Koenigs", "MilnorKoenigs"), "time": (), "": ()}


def document(net, law: str = "ntk", terms: int = 4, digits: int = 30, figure_name: str = "figure.pdf",
             progress: Progress | None = None) -> Document:  # fmt: skip
    """The derivation of a depth law of a network, with evidence and verdicts.

    `net`: a network of any architecture in any phase; `law`: the name of one of its laws (`registry`), such as 'ntk',
    'correlation', 'diagonal' or 'variance'; `terms` of the law, `digits` of its constants; `figure_name`: the file that
    the tex includes.
    Raises `InputError` for bad input, `UnsupportedError` for a law that the network does not have.
    """
    require_document(net, law)
    names = stand_ins(_parameters(net))
    if not names:
        return network_document(net, law, terms, digits, figure_name, progress)
    made = network_document(stood_in(net, names), law, terms, digits, figure_name, progress)
    told = {law, "correlation"} if law == "ntk" else {law}
    laws = [known.of(net, 1) for name, known in record_of(net).laws.items() if name in told]
    return replace(made, tex=settled(made.tex, names, own_names(*laws)))


def _parameters(net) -> set:
    """The symbols in a network, learning rates included."""
    rates = (getattr(net, name, None) for name in ("weight_rate", "bias_rate"))
    own = net.parameters if record_of(net) is COMPOSED else net.statement.parameters
    return set(own).union(*(rate.free_symbols for rate in rates if rate is not None))


def require_document(net, law: str = "ntk") -> None:
    """An error, before anything is derived, when there is no such law of this network.

    >>> from asympt.architectures import FeedForward
    >>> require_document(FeedForward("relu", sigma_w=1), law="variance")
    >>> require_document(FeedForward("relu"), law="angle")
    Traceback (most recent call last):
        ...
    asympt.errors.InputError: law = 'angle' is not a law of this network; known are ntk, correlation, diagonal, variance
    """
    record = record_of(net)
    if record is None:
        raise InputError(f"net = {net!r} is not a network of a known architecture, and documents are written about one")
    if law not in record.laws:
        raise InputError(f"law = {law!r} is not a law of this network; known are {', '.join(record.laws)}")


def write(net, law: str = "ntk", terms: int = 4, path="law.tex", digits: int = 30,
          progress: Progress | None = None, command: str | None = None) -> Path:  # fmt: skip
    """Write the document to `path`: NAME.tex with NAME-figure.pdf beside it, or NAME.pdf alone.

    `progress(name, done, total)` is called before every part; `command`, what the document says that made it, is the
    call of this function where it is left out.  Raises `InputError` for a path that cannot be written,
    `UnsupportedError` when a PDF is asked for and there is no TeX.
    """
    check_path(path)
    require_document(net, law)
    command = command or f"asympt.writing.write({net!r}, {law!r}, terms={terms}, digits={digits})"
    return write_paper(path, lambda **named: document(net, law, terms, digits, progress=progress, **named), command)


# ---- its sections ------------------------------------------------------------------------------------


def network_document(net, name: str, terms: int, digits: int, figure_name: str, progress: Progress | None) -> Document:
    """The document about a law of a network, by the name that the registry has for it."""
    report = PartCounter(progress, total=4)
    report("derive the law")
    with limited(f"deriving the law of the {name} with {terms} terms", NETWORK):
        a = account_of(net, name, terms, digits)
    report.total = 3 + (parts(a) if a.net else 1)
    verdicts = _verdicts(a, report)
    report("draw the figure")
    a = replace(a, plot=network_plot(a, net))
    report("write")
    return _written(a, verdicts, figure_name)


def account_of(net, name: str, terms: int = 4, digits: int = 30) -> Account:
    """A law of a network, to be told: with that of the correlation beside that of the kernel where its map is told."""
    law, told = record_of(net).laws[name].of(net, terms), tells_map(net, name)
    beside = net.correlation_law(terms) if told and name == "ntk" else None
    subject = network_subject(net, law, digits)
    ordered = net if tells_moments(net, name) else None
    return Account(
        law, subject, _start(law, net), digits, net=net if told else None, correlation=beside, ordered=ordered
    )


def _verdicts(a: Account, report: PartCounter) -> Verdicts:
    """What checks say of the law, and of what was printed about it."""
    if a.net is None:
        report("verify the law")
        return Verdicts({a.law.name: verify(a.law, digits=min(a.digits, VERIFIED), depth=DEPTH)}, {})
    if a.is_costly:
        return collect(a, report, min(a.digits, VERIFIED), 2 * DEPTH)
    return collect(a, report, min(a.digits, FLOWING) if a.form == "time" else None)


def law_document(law: Law, subject: Subject, start: dict | None = None, digits: int = 30,
                 figure_name: str = "figure.pdf", report: PartCounter | None = None, depth: int | None = None,
                 plot: Plot | None = None) -> Document:  # fmt: skip
    """Statement, steps and evidence of any law; `start` by the names of the law's reader, left out no numbers.

    `depth`: where the quantity is given to all digits; `plot`: the figure and the values in it.
    """
    report = report or PartCounter(None, 2)
    report("verify the law")
    plain = {} if start is None or "start" not in start else dict(start)
    plain |= {} if plot else {"depth": DEPTH}
    found = verify(law, digits=digits if plot else min(digits, VERIFIED), **plain)
    report("write")
    return _written(Account(law, subject, start, digits, depth, plot), Verdicts({law.name: found}, {}), figure_name)


def _written(a: Account, verdicts: Verdicts, figure_name: str) -> Document:
    """The sections."""
    found, beside = verdicts.laws[a.law.name], verdicts.laws.get("correlation") if a.is_ntk else None
    figure = "" if a.plot is None else environment(figure_name, a.plot.caption, a.plot.width)
    told = [published(a) + claim_table(verdicts), members(a)] if a.net is not None else []
    sections = [
        statement(a, found, beside), derivation(a), constant_section(a), *told,
        numbers.evidence(a, found, figure, beside),
    ]  # fmt: skip
    cited = dict.fromkeys((*a.subject.cited, *CITED[a.form]))
    made = paper(a.subject.title, [*sections, references(tuple(cited))])
    return Document(made, None if a.plot is None else a.plot.figure, figure_name)


def _start(law: Law, net) -> dict | None:
    """c^1 = 1/10, or q^1 = 1, as far as the law asks for it."""
    known = inspect.signature(law.reader).parameters if law.reader else {}
    start = {}
    if "correlation" in known:
        start["correlation"] = START
    if "variance" in known:
        start["variance"] = Integer(1)
    if "position" in known:
        start = {"correlation": tuple([START, *[Integer(0)] * (net.positions - 1)]), "position": 0}
    return start
