"""The document about a law of a network: which one is written; and writing it to a file."""

from collections.abc import Callable
from pathlib import Path

from asympt.architectures import FeedForward
from asympt.architectures.resnet import ResNet
from asympt.architectures.scaled_resnet import ScaledResNet
from asympt.errors import UnsupportedError
from asympt.writing.assembly import Sections, assembled
from asympt.writing.claim import claim
from asympt.writing.edge import edge_document
from asympt.writing.edge_material import EdgeMaterial
from asympt.writing.generality import generality
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
    return _writer(net)(net, law, terms, digits, figure_name, progress)


def _writer(net) -> Callable[..., Document]:
    """Which document is written about a network."""
    for kind, writer in ((ResNet, residual_document), (ScaledResNet, scaled_document)):
        if isinstance(net, kind):
            return writer
    if not isinstance(net, FeedForward):
        raise UnsupportedError(
            f"no document is written about {type(net).__name__}; take FeedForward, ResNet or ScaledResNet, or print "
            "the law with latex()"
        )
    return relu_like_document if net.layer.is_scale_free else edge_document


def require_document(net, law: str = "ntk") -> None:
    """An error, before anything is derived, when no document is written about this law of this network.

    >>> require_document(FeedForward("relu", sigma_w=1))
    >>> require_document(FeedForward("relu"), law="variance")
    Traceback (most recent call last):
        ...
    asympt.errors.InputError: law = 'variance' is not a law of this network; known are ntk, correlation
    """
    _writer(net)  # an architecture that has documents
    if isinstance(net, FeedForward):
        (Material if net.layer.is_scale_free else EdgeMaterial)(net, law)
        return
    if not net.statement.layer.is_scale_free:
        raise UnsupportedError(
            f"documents about a {type(net).__name__} are written for ReLU-like activations without biases; print the "
            "law with latex()"
        )
    (ScaledMaterial if isinstance(net, ScaledResNet) else ResidualMaterial)(net, law)


def relu_like_document(
    net, law: str, terms: int, digits: int, figure_name: str, progress: Progress | None
) -> Document:
    """The document about a ReLU-like network without bias."""
    own = Sections(title, statement, derivation, claim, generality)
    return assembled(Material(net, law, terms, digits), own, figure_name, progress)


def write(net, law: str = "ntk", terms: int = 4, path="law.tex", digits: int = 30,
          progress: Progress | None = None) -> Path:  # fmt: skip
    """Write the document to `path`: NAME.tex with NAME-figure.pdf beside it, or NAME.pdf alone.

    `progress(name, done, total)` is called before every part.  Raises `InputError` for a path that cannot be written,
    `UnsupportedError` when a PDF is asked for and there is no TeX.
    """
    check_path(path)
    require_document(net, law)
    return write_paper(path, lambda **named: document(net, law, terms, digits, progress=progress, **named))
