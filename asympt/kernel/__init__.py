"""The proof kernel: checks the proof object of a depth law and prints the theorem from what it has checked.

>>> from asympt.kernel import check
>>> proof = {"format": "depth-law proof 4", "kind": "parabolic", "map": ["sin", "t"], "root": 1, "m": 2, "exponent": 1,
...          "start": ["1", "1"], "first": 0, "range": "1", "k": 2,
...          "terms": [[["sqrt", ["q", "3"]], 1, 0]], "remainder": ["2", 3, 1], "N": 200, "from": 2, "bits": 128}
>>> check(proof).partition(": for all ")[2]
'n >= 2, |x_n - ((sqrt(3)) n^(-1/2))| <= (2) n^(-3/2) log(n)'

A proof object is plain data (JSON).  It has no statement: the statement is made from numbers that were checked.  No
text of it is run, and what is undecided, unknown or too large is refused.  Trusted: python-flint (Arb with its
integrator, fmpq_mpoly), Taylor's formula with Lagrange's remainder, the walk over a formula (`formulas`), and for what
holds in all layers the arguments in the docstrings of `clock`, `tail`, `activation` and `linear`.
"""

import json

from asympt.kernel import laws
from asympt.kernel.numbers import BadFile, NotShown, need

__all__ = ["FORMAT", "BadFile", "NotShown", "check", "loads", "need"]

FORMAT = "depth-law proof 4"
LONGEST = 200_000  # characters of a file


def loads(text: str) -> dict:
    """The proof object in a JSON text."""
    if len(text) > LONGEST:
        raise BadFile(f"the file is longer than {LONGEST} characters")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise BadFile("the file is not JSON text") from None
    return found


def check(proof: dict) -> str:
    """The theorem that the proof object proves, in one line.

    Raises
    ------
    BadFile : it is not of a known form.
    NotShown : something that the theorem needs is not shown; what.
    """
    try:
        proof = loads(json.dumps(proof))
    except (TypeError, ValueError, RecursionError):
        raise BadFile("the proof object is not JSON data") from None
    if not isinstance(proof, dict) or proof.get("format") != FORMAT:
        raise BadFile(f"this is not a proof object of the format {FORMAT!r}")
    kind = proof.get("kind")
    if not (isinstance(kind, str) and kind in laws.FIELDS):
        raise BadFile(f"kind = {str(kind)[:40]!r} is not one of {sorted(laws.FIELDS)}")
    if others := set(proof) ^ {"format", "kind", *laws.FIELDS[kind]}:
        raise BadFile(f"other fields than those of {kind!r}: {sorted(others)}"[:300])
    return laws.check(proof)
