"""Rebuild the documents of this folder, or say which of them is stale.

    python derivations/regenerate.py [NAME ...]            writes NAME.tex, NAME-figure.pdf (if any) and NAME.pdf
    python derivations/regenerate.py --check [NAME ...]    writes nothing; exit code 1 when a NAME.tex is not fresh

Without names, all of them.  A name in coq/ is a file NAME.v for Coq; `coq/check.py` has Coq check those.
"""

import argparse
import re
import sys
from datetime import date, datetime
from pathlib import Path

from sympy import Rational, Symbol, sin, sqrt
from sympy import tanh as tanh_of

from asympt.architectures.feedforward import FeedForward
from asympt.architectures.resnet import ResNet, ScaledResNet
from asympt.recursions import Recursion
from asympt.recursions.proofs.coq import law_text
from asympt.writing import document, recursion_document
from asympt.writing.paper import compile_pdf, stamped
from asympt.writing.proof import proof_document

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE / "coq"))

from smooth import smooth_text  # noqa: E402, which stands in coq/


def relu(figure_name: str):
    """The neural tangent kernel of a ReLU network on the Edge of Chaos."""
    return document(FeedForward("relu"), "ntk", figure_name=figure_name)


def tanh(figure_name: str):
    """The neural tangent kernel of a tanh network on the Edge of Chaos, sigma_b = 1/5."""
    return document(FeedForward.on_edge_of_chaos("tanh", sigma_b=Rational(1, 5)), "ntk", figure_name=figure_name)


def elu(figure_name: str):
    """The same for ELU, whose second derivative jumps."""
    return document(FeedForward.on_edge_of_chaos("elu", sigma_b=Rational(1, 5)), "ntk", figure_name=figure_name)


def sine(figure_name: str):
    """x -> sin x from x_0 = 1, with 50 digits of its constants."""
    x = Symbol("x", real=True)
    iterated = Recursion(sin(x), x)
    law = iterated.law(terms=4)
    return recursion_document(iterated, law, start=1, depth=10**6, digits=50, figure_name=figure_name)


def resnet(figure_name: str):
    """The neural tangent kernel of a residual ReLU network, sigma_w = 1 (HDR Theorem 2)."""
    return document(ResNet("relu", sigma_w=1), "ntk", figure_name=figure_name)


def scaled_resnet(figure_name: str):
    """The same with branches scaled by 1/sqrt(l), sigma_w^2 = 2 (HDR Proposition 3)."""
    return document(ScaledResNet("relu", sigma_w=sqrt(2)), "ntk", figure_name=figure_name)


def relu_proof(figure_name: str):
    """The theorem for ReLU, for all depths and all c^1 in [-1, 9/10]."""
    return _proof(FeedForward("relu"), ("-1", "9/10"), figure_name)


def tanh_proof(figure_name: str):
    """The same for tanh, sigma_b = 1/5."""
    return _proof(FeedForward.on_edge_of_chaos("tanh", sigma_b=Rational(1, 5)), ("-1", "9/10"), figure_name)


def elu_proof(figure_name: str):
    """The same for ELU, sigma_b = 1/5, and all c^1 in [0, 9/10]."""
    return _proof(FeedForward.on_edge_of_chaos("elu", sigma_b=Rational(1, 5)), ("0", "9/10"), figure_name)


def _proof(net, starts, figure_name: str):
    return proof_document(net.ntk_law(terms=2).certificate(correlation=starts), figure_name, net)


def sine_proof(figure_name: str):
    """The theorem for x -> sin x, for all n and all x_0 in [1/2, 3/2]."""
    x = Symbol("x", real=True)
    iterated = Recursion(sin(x), x)
    certificate = iterated.law(terms=2).certificate(start=(Rational(1, 2), Rational(3, 2)))
    return proof_document(certificate, figure_name, iterated)


DERIVATIONS = {
    "hdr-theorem-1-relu-ntk": relu,
    "hdr-theorem-1-tanh-ntk": tanh,
    "hdr-theorem-1-elu-ntk": elu,
    "hdr-theorem-2-relu-ntk": resnet,
    "hdr-proposition-3-relu-ntk": scaled_resnet,
    "iterated-sine": sine,
    "hdr-theorem-1-relu-ntk-proof": relu_proof,
    "hdr-theorem-1-tanh-ntk-proof": tanh_proof,
    "hdr-theorem-1-elu-ntk-proof": elu_proof,
    "iterated-sine-proof": sine_proof,
}


def _of(map_, start, terms: int = 2) -> str:
    """The law of a recursion from a start, or from all in an interval, for Coq."""
    return law_text(Recursion(map_, _X).law(terms=terms).certificate(start=start).to_proof())


def relu_coq() -> str:
    """The correlations of a ReLU network, c^1 = 1/10."""
    return law_text(FeedForward("relu").correlation_law(terms=2).certificate(correlation="1/10").to_proof())


def tanh_coq() -> str:
    """Those of a tanh network, sigma_b = 1/5, c^1 = 1/10, from layer 200 on: under hypotheses about its moments."""
    law = FeedForward.on_edge_of_chaos("tanh", sigma_b=Rational(1, 5)).correlation_law(terms=2)
    return smooth_text(law.certificate(correlation="1/10"), 200, "tanh with sigma_b = 1/5")


_X = Symbol("x", real=True)
COQ = {
    "coq/IteratedSine": lambda: _of(sin(_X), 1),
    "coq/IteratedTanh": lambda: _of(tanh_of(_X), (Rational(1, 2), 1)),
    "coq/Quadratic": lambda: _of(_X - _X**2, Rational(1, 2)),
    "coq/Hyperbolic": lambda: _of(_X / 2 - _X**2 / 3, 1, terms=3),
    "coq/ReluLaw": relu_coq,
    "coq/TanhCorrelation": tanh_coq,
}


def make(name: str):
    """The document of one name, its figure named after it."""
    return DERIVATIONS[name](f"{name}-figure.pdf")


def written(made, name: str, when=None) -> str:
    """The tex with the date (today's, or that of the file that is there), the version and the command."""
    return stamped(made.tex, f"python derivations/regenerate.py {name}", when)


def rebuild(folder: Path, names) -> None:
    """Write the documents of these names."""
    for name in names:
        if name in COQ:
            (folder / f"{name}.v").write_text(COQ[name](), encoding="utf-8")
            print(f"written: {name}.v")
            continue
        made = make(name)
        tex = written(made, name)
        (folder / f"{name}.tex").write_text(tex, encoding="utf-8")
        for attached, content in made.attachments().items():
            (folder / attached).write_bytes(content)
        compile_pdf(tex, made.attachments(), folder / f"{name}.pdf")
        print(f"written: {', '.join((f'{name}.tex', *made.attachments(), f'{name}.pdf'))}")


def date_of(tex: str) -> date | None:
    """The date that a document was stamped with."""
    found = re.search(r"\\date\{(\d+ \w+ \d{4})\}", tex)
    return None if found is None else datetime.strptime(found[1], "%d %B %Y").date()


def _settled(tex: str) -> str:
    """The tex without what differs from machine to machine: figures of checks that passed (the last bits of float64),
    and the versions that a proof was computed with.
    """
    tex = re.sub(r"(?m)^Computed with .*\n", "", tex)
    return re.sub(r"\$[^$]*\$ \(at most", "(at most", tex)


def stale(folder: Path, names) -> list[str]:
    """The names of the files that differ from what asympt writes now, or are missing."""
    found = []
    for name in names:
        path = folder / f"{name}.{'v' if name in COQ else 'tex'}"
        there = path.read_text(encoding="utf-8") if path.is_file() else ""
        now = COQ[name]() if name in COQ else written(make(name), name, date_of(there))
        if _settled(there) != _settled(now):
            found.append(path.name)
    return found


def main(arguments: list[str] | None = None, folder: Path = HERE) -> int:
    """The command."""
    known = [*DERIVATIONS, *COQ]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    parser.add_argument("--check", action="store_true", help="compare the files, write nothing")
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.names) - set(known))
    if unknown:
        parser.error(f"{unknown[0]} is not one of {', '.join(known)}")
    names = given.names or known
    if not given.check:
        rebuild(folder, names)
        return 0
    old = stale(folder, names)
    for name in old:
        print(f"stale: {name}; run python derivations/regenerate.py")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
