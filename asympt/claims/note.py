"""What a reader is told beside a verdict: quote, reading, reason, how serious it is, and the statement put right.

The rule of literalness.  A statement is read as printed, with the definitions of its own source and over all that its
quantifiers name: "for all l" has l = 1 in it, "sup over x" has every norm.  Nothing is repaired in silence: words,
figures and prints without a meaning are read as `reading` says, and a print that had to be repaired is a slip, whatever
the verdict.  Which severity it is, is a judgement, written here and not computed; one below 'false' is a promise that
the repaired statement holds, and counts only where the checks of the corrected statement pass (`severity_of`).
"""

import re
from dataclasses import dataclass, fields, replace

from asympt.errors import InputError
from asympt.evidence.check import Verification

SEVERITIES = {
    "convention": "true in a convention that the source uses elsewhere",
    "slip": "a letter, an index, a sign or a factor that neighbouring lines have right",
    "imprecise": "true once a hypothesis or a constant is added",
    "false": "wrong under every reading",
}
PASSING = ("proved", "checked")


@dataclass(frozen=True)
class Note:
    """Texts with formulas between dollar signs, `correction` one LaTeX formula; all may be empty.

    `severity`; `on`, on how much a statement of wider scope was decided: identities then count as checked (`within`);
    `reading`, what is checked where words or figures leave it open; `why`, the reason of the verdict in one
    or two sentences; `hypotheses` of the corrected statement; `correction`; `where`, its symbols; `coq`, what
    Coq has checked of it, and the file (`python derivations/coq/check.py` has it do so again).
    """

    severity: str = ""
    on: str = ""
    reading: str = ""
    why: str = ""
    hypotheses: str = ""
    correction: str = ""
    where: str = ""
    coq: str = ""

    def __post_init__(self) -> None:
        if self.severity and self.severity not in SEVERITIES:
            raise InputError(f"severity = {self.severity!r} is not one of {', '.join(SEVERITIES)}")


NOTHING = Note()
KEYS = tuple(field.name for field in fields(Note))


def note_from(texts: dict) -> Note:
    """The note in a table of a TOML file, whose other keys are left alone; a severity may be the key of its reason.

    >>> note_from({"slip": "a sign"}) == note_from({"severity": "slip", "why": "a sign"})
    True
    """
    told = {"severity": key, "why": texts[key]} if (key := next(filter(SEVERITIES.get, texts), "")) else {}
    return Note(**{key: text.strip() for key, text in (texts | told).items() if key in KEYS})


def within(note: Note, found: Verification) -> Verification:
    """'Proved' is for the whole scope as stated: what was done on less counts as checked, and says on how much.

    >>> from asympt.evidence.check import Check
    >>> within(Note(on="3 x 3"), Verification("any size", (Check("rest", 0, 0, True, "proved"),))).verdict
    'checked'
    """
    if not note.on:
        return found
    checks = tuple(replace(check, strength="checked") for check in found.checks)
    corrected = None if found.corrected is None else within(note, found.corrected)
    return replace(found, checks=checks, corrected=corrected, theorem=None)


def severity_of(note: Note, found: Verification) -> str:
    """How serious a refutation is, '' where nobody has said; of a claim that passed, where it was repaired.

    >>> severity_of(Note("slip"), Verification("a print that had to be repaired, not decided", ()))
    'slip'
    """
    if found.verdict != "refuted" or not note.severity:
        return note.severity
    holds = found.corrected is not None and found.corrected.verdict in PASSING
    return note.severity if holds else "false"


# ---- a quote as one formula, whose words are \text{...}, and as text with formulas between dollar signs -------------

_MARK = re.compile(r"\\(?:text\{|[A-Za-z]+|.)|[{}]")
_SPACE = re.compile(r"^(?:\\[ ,;:!]|\s)+|(?:\\[ ,;:!]|\s)+$")  # at the ends of a formula
_SPECIAL = {"\\": r"\backslash ", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}"}


def as_formula(text: str) -> str:
    r"""A quote that is typed as text, its formulas between dollar signs, as one formula.

    >>> as_formula("for all $l$ it is 5% of $q$")
    '\\text{for all }l\\text{ it is 5\\% of }q'
    """
    parts = text.split("$")
    words = (re.sub(r"[\\&%#_{}]", lambda found: _SPECIAL[found[0]], part) for part in parts[::2])
    shown = [rf"\text{{{word}}}" if word else "" for word in words]
    return "".join(a + b for a, b in zip(shown, [*parts[1::2], ""], strict=False))


def as_text(formula: str) -> str:
    r"""The same with its words outside of the formulas, which stand between dollar signs.

    >>> as_text(r"\text{for all }l,\quad q_l=\frac{q}{2}\text{ is kept}")
    'for all $l$, $q_l=\\frac{q}{2}$ is kept'
    >>> as_text(as_formula("5% of kappa_1 & {$x$}"))
    '5% of kappa_1 & {$x$}'
    """
    pieces, start, depth, words = [], 0, 0, None
    for found in _MARK.finditer(formula):
        mark = found[0]
        if mark == r"\text{" and depth == 0 and words is None:
            pieces.append((False, formula[start : found.start()]))
            words = start = found.end()
        depth += (mark in ("{", r"\text{")) - (mark == "}")
        if mark == "}" and depth == 0 and words is not None:
            pieces.append((True, formula[start : found.start()]))
            words, start = None, found.end()
    pieces.append((False, formula[start:]))
    typed = lambda words: re.sub(r"\\(?:(backslash) |([&%#_{}]))", lambda f: f[2] or "\\", words)  # noqa: E731
    return "".join(typed(piece) if words else _between_dollars(piece) for words, piece in pieces).strip()


def _between_dollars(formula: str) -> str:
    """A formula; where space parts it, several."""
    parts = re.split(r"([,;]?\\q?quad(?![a-z]) ?)", formula)
    bare = (_SPACE.sub("", part) for part in parts[::2])
    shown = [f"${part}$" if part else "" for part in bare]
    between = [part[0] + " " if part[0] in ",;" else " " for part in parts[1::2]]
    return "".join(a + b for a, b in zip(shown, [*between, ""], strict=True))
