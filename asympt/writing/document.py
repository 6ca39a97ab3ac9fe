"""The document about a law of a network: which one is written; and writing it to a file."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from asympt.architectures.registry import PLAIN, RESIDUAL, SCALED, record_of, records
from asympt.errors import UnsupportedError
from asympt.writing.assembly import Sections, assembled
from asympt.writing.claim import claim
from asympt.writing.edge import edge_document
from asympt.writing.edge_material import EdgeMaterial
from asympt.writing.generality import generality
from asympt.writing.law_material import LawMaterial
from asympt.writing.letters import own_names, settled, stand_ins, stood_in
from asympt.writing.material import Material
from asympt.writing.names import title
from asympt.writing.paper import Document, Progress, check_path, write_paper
from asympt.writing.residual import residual_document
from asympt.writing.residual_material import ResidualMaterial
from asympt.writing.scaled import scaled_document
from asympt.writing.scaled_material import ScaledMaterial
from asympt.writing.statement import statement
from asympt.writing.steps import derivation


def document(net, law: str = "ntk", terms: int = 4, digits: int = 30, figure_name: str = "figure.pdf",
             progress: Progress | None = None) -> Document:  # fmt: skip
    """The derivation of a depth law of a network, with evidence and verdicts.

    `net`: a `FeedForward` network, ReLU-like without bias or of any activation on the Edge of Chaos, or a `ResNet` or
    `ScaledResNet` with a ReLU-like activation and no bias; `law`: 'ntk' or 'correlation'; `terms` of the law, `digits`
    of its constants; `figure_name`: the file that the tex includes.
    Raises `InputError` for bad input and `UnsupportedError` for a network that no document is written about.
    """
    make, names = _written(net)[1], stand_ins(net.statement.parameters)
    if not names:
        return make(net, law, terms, digits, figure_name, progress)
    require_document(net, law)
    made = make(stood_in(net, names), law, terms, digits, figure_name, progress)
    laws = [net.correlation_law(terms=1), *([net.ntk_law(terms=1)] if law == "ntk" else [])]
    return replace(made, tex=settled(made.tex, names, own_names(*laws)))


def _written(net) -> tuple[type[LawMaterial], Callable[..., Document]]:
    """What the document about a network is made of, and who writes it."""
    record = record_of(net)
    if record is None or record.documents is None:
        written = " or ".join(known.class_name for known in records() if known.documents is not None)
        raise UnsupportedError(
            f"no document is written about {type(net).__name__}; take {written}, or print the law with latex()"
        )
    if net.statement.layer.is_scale_free:
        return _SCALE_FREE[record.documents]
    if record.documents == PLAIN:
        return EdgeMaterial, edge_document
    raise UnsupportedError(
        f"documents about a {type(net).__name__} are written for ReLU-like activations without biases; print the law "
        "with latex()"
    )


def require_document(net, law: str = "ntk") -> None:
    """An error, before anything is derived, when no document is written about this law of this network.

    >>> from asympt.architectures import FeedForward
    >>> require_document(FeedForward("relu", sigma_w=1))
    >>> require_document(FeedForward("relu"), law="variance")
    Traceback (most recent call last):
        ...
    asympt.errors.InputError: law = 'variance' is not a law of this network; known are ntk, correlation
    """
    _written(net)[0](net, law)


def relu_like_document(
    net, law: str, terms: int, digits: int, figure_name: str, progress: Progress | None
) -> Document:
    """The document about a ReLU-like network without bias."""
    own = Sections(title, statement, derivation, claim, generality)
    return assembled(Material(net, law, terms, digits), own, figure_name, progress)


_SCALE_FREE = {
    PLAIN: (Material, relu_like_document),
    RESIDUAL: (ResidualMaterial, residual_document),
    SCALED: (ScaledMaterial, scaled_document),
}


def write(net, law: str = "ntk", terms: int = 4, path="law.tex", digits: int = 30,
          progress: Progress | None = None) -> Path:  # fmt: skip
    """Write the document to `path`: NAME.tex with NAME-figure.pdf beside it, or NAME.pdf alone.

    `progress(name, done, total)` is called before every part.  Raises `InputError` for a path that cannot be written,
    `UnsupportedError` when a PDF is asked for and there is no TeX.
    """
    check_path(path)
    require_document(net, law)
    return write_paper(path, lambda **named: document(net, law, terms, digits, progress=progress, **named))
