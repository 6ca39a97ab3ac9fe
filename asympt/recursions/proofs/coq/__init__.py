"""Theorems as Coq files that `coqc` checks: a folder with the lemmas of `asympt/kernel/coq`, the law, and a README."""

from importlib.resources import files
from pathlib import Path

from asympt.errors import InputError, UnsupportedError
from asympt.kernel.laws import HYPERBOLIC
from asympt.kernel.laws import KIND as PARABOLIC
from asympt.recursions.proofs.coq.theorems import hyperbolic_text, parabolic_text
from asympt.saving import write

README = """The theorems at the end of TheLaw.v, made by asympt from a proof object, for Coq 8.16 with the libraries
Interval, Coquelicot and Flocq (Debian: apt-get install coq libcoq-interval libcoq-coquelicot libcoq-flocq).
Compile with

    make

The last lines that it prints name what the theorems rest on: four axioms of Coq's real numbers and classical logic.
"""
KINDS = {PARABOLIC: parabolic_text, HYPERBOLIC: hyperbolic_text}


def require_coq(law) -> None:
    """An error, before anything is proved, for a law of which there is no Coq proof yet: of an NTK, or driven by l."""
    if law.linear is not None or law.kind not in KINDS:
        what = f"a law of kind {law.kind!r}" if law.linear is None else f"the law of the {law.name}"
        known = " and ".join(KINDS)
        raise UnsupportedError(f"no Coq proof of {what} yet, only of {known} laws of an orbit; leave out --coq")


def write_coq(proof: dict, folder) -> Path:
    """Writes a proof object as a folder that `make` compiles on its own; the file with the theorems.

    Raises
    ------
    UnsupportedError : a kind of theorem, or a map, for which there is no Coq proof yet.
    InputError : the folder is a file.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; give a folder for the Coq files")
    own = {"TheLaw.v": law_text(proof), "README": README}
    folder.mkdir(parents=True, exist_ok=True)
    lemmas = {each.name: each.read_text() for each in (files("asympt.kernel") / "coq").iterdir() if each.is_file()}
    write({folder / file: content.encode() for file, content in (lemmas | own).items()})
    return folder / "TheLaw.v"


def law_text(proof: dict) -> str:
    """The theorem of a proof object as a Coq file that uses the lemmas.

    Raises `UnsupportedError` as `write_coq` does.
    """
    if isinstance(proof["map"], dict):
        raise UnsupportedError("no Coq proof of a law of an activation that has no closed form")
    if proof["kind"] not in KINDS:
        raise UnsupportedError(f"no Coq proof of a theorem of kind {proof['kind']!r}; take {' or '.join(KINDS)} laws")
    return KINDS[proof["kind"]](proof | {"start": [proof["start"][0], proof["start"][-1]]})
