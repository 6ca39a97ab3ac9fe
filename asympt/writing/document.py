"""The document about a law of a network: which one is written; and writing it to a file.

Rule.  Every law of every network has one, printed from its steps (`law_document`), with what was published beside what
is derived where HDR states a theorem about it.
"""

from dataclasses import replace
from pathlib import Path

from asympt.architectures.registry import record_of
from asympt.errors import InputError
from asympt.writing.law_document import network_document
from asympt.writing.letters import own_names, settled, stand_ins, stood_in
from asympt.writing.paper import Document, Progress, check_path, write_paper


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
    return set(net.statement.parameters).union(*(rate.free_symbols for rate in rates if rate is not None))


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
          progress: Progress | None = None) -> Path:  # fmt: skip
    """Write the document to `path`: NAME.tex with NAME-figure.pdf beside it, or NAME.pdf alone.

    `progress(name, done, total)` is called before every part.  Raises `InputError` for a path that cannot be written,
    `UnsupportedError` when a PDF is asked for and there is no TeX.
    """
    check_path(path)
    require_document(net, law)
    return write_paper(path, lambda **named: document(net, law, terms, digits, progress=progress, **named))
