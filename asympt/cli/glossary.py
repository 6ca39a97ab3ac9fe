"""The glossary: `glossary.md`, which is a page of the site, as `asympt help NAME` and below what commands print."""

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from unicodedata import name as name_of

from asympt.spelling import meant

_ENTRY = re.compile(r"^(\S.*)\n: (.+(?:\n  .+)*)$", re.MULTILINE)
_LETTERS = re.compile(r"[A-Za-z]\w*'*(?:\^[1Ll]\b)?|c\*(?!\w)")  # a name in a formula: c^1, f2, c*


@cache
def entries() -> dict[str, str]:
    """The meaning of every line of names, such as '`q^1`, `q_l`', in the order of the page."""
    found = _ENTRY.findall(files("asympt.cli").joinpath("glossary.md").read_text(encoding="utf-8"))
    return {name: " ".join(meaning.split()) for name, meaning in found}


def names() -> dict[str, str]:
    """The line in which each name stands.

    >>> names()["connection constant"], names()["f2"]
    ('`C`, connection constant', '`f2`')
    """
    return {name.strip("` "): line for line in entries() for name in line.split(",")}


def found(name: str) -> list[tuple[str, str]]:
    """Names and meanings: of the name, with any number for its 2, or of what begins so (of all for ""); [] for none.

    >>> found("f7_star")[0][0], found("Abel") == found("A(t_l)"), found("\u03b3") == found("gap")
    ('f7_star', True, True)
    """
    known, name = names(), re.sub("[\u0391-\u03c9]", lambda greek: name_of(greek[0]).split()[-1].lower(), name)
    whole = _known(name) or meant(name, known)
    begun = [whole] if whole else [one for one in known if len(name) != 1 and one.lower().startswith(name.lower())]
    own = name if whole not in (None, name) and re.search(r"\d", name) else ""
    return [(own or line.replace("`", ""), entries()[line]) for line in dict.fromkeys(known[one] for one in begun)]


def legend(formulas: Iterable[str], own: Iterable[str] = ()) -> list[tuple[str, str]]:
    """What the symbols of some formulas mean, those between backticks on the page; `own` are the user's letters.

    >>> [name for name, meaning in legend(["A(t_l) - l", "c^1 = 1/10"])]
    ['c^1', 't', 'A']
    """
    letters = {word for formula in formulas for word in _LETTERS.findall(formula)} - set(own)
    met = {}
    for word in sorted(letters):
        if (known := _known(word)) and f"`{known}`" in names()[known]:
            met.setdefault(names()[known], []).append(word if "2" in known else known)
    return [(", ".join(dict.fromkeys(met[line])), meaning) for line, meaning in entries().items() if line in met]


def _known(word: str) -> str | None:
    meant_by = (word, re.sub(r"\d+(?=(_star)?$)", "2", word), word.removesuffix("_l"), re.split(r"['^(]", word)[0])
    return next((one for one in meant_by if one in names()), None)
