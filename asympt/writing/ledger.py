"""What a report says of a claim, for every format: verdicts, reasons and evidence in words with formulas."""

import re
from collections.abc import Sequence

from asympt.claims.catalogue import CLAIMS
from asympt.claims.note import SEVERITIES, as_text
from asympt.writing.escape import COMMANDS, formula

VERDICTS = ("proved", "checked", "unknown", "refuted")
COMMAND = "asympt claims check"
SOURCES = {
    "HDR": "Hayou, Doucet, Rousseau 2020", "PDLT": "Roberts, Yaida, Hanin 2022, chapter 10",
    "XPS": "Slides on Xiao, Pennington, Schoenholz", "JGH": "Slides on Jacot, Gabriel, Hongler",
    "TBG": "Slides on Tirer, Bruna, Giryes",
}  # fmt: skip
OTHERS = {"ASY": "laws that asympt itself derives"}
RULE = (
    "A statement is read as printed, with the definitions of its own source and over all that its quantifiers name; "
    "nothing is corrected silently. A refutation concerns a printed line, not its authors: most are slips or lack a "
    "hypothesis. 'Proved' means exactly, and for the whole scope of the statement; 'checked' means in numbers, or "
    "exactly on a stated part of the scope; 'unknown' means undecided."
)
LONGEST = 150  # characters of a formula among the evidence
IN_WORDS = {
    "proved": "true as printed, proved", "checked": "agrees with every check", "unknown": "not decided",
    "convention": "true in another convention of the source",
    "slip": "a slip of a letter, an index, a sign or a factor",
    "imprecise": "true once a hypothesis or a constant is added", "false": "false as printed",
}  # fmt: skip


def source_of(record: dict) -> str:
    """The short name of a claim's source: the beginning of its id, or of its source."""
    first = record["id"].partition(".")[0]
    return first if first in SOURCES or first in OTHERS else record["source"].partition(",")[0]


def name_of(source: str) -> str:
    return (SOURCES | OTHERS).get(source, source)


def by_source(records: Sequence[dict]) -> dict[str, list[dict]]:
    """The records of each source in the order of the source, the sources as they come, those of the ledger first."""
    found: dict[str, list[dict]] = {name: [] for name in SOURCES}
    for record in records:
        found.setdefault(source_of(record), []).append(record)
    place = {claim.id: index for index, claim in enumerate(CLAIMS)}
    return {name: sorted(group, key=lambda record: place.get(record["id"], len(place)))
            for name, group in found.items() if group}  # fmt: skip


def summary(records: Sequence[dict]) -> str:
    """How many claims have which verdict, how serious the refutations are; those of the sources and others apart.

    >>> summary([{"id": "A.1", "source": "A", "verdict": "proved"},
    ...          {"id": "A.2", "source": "A", "verdict": "refuted", "severity": "slip"}])
    '2 claims: 1 proved, 0 checked, 0 unknown, 1 refuted (1 slip)'
    """
    own = [record for record in records if source_of(record) in SOURCES]
    others = [record for record in records if source_of(record) not in SOURCES]
    if not own or not others:
        return _counted(records, "claim")
    named = ", ".join(f"{len(group)} {'' if name in OTHERS else 'of '}{name_of(name)}"
                      for name, group in by_source(others).items())  # fmt: skip
    return f"{_counted(own, 'claim', ' of the sources')}; {_counted(others, 'other', f' ({named})')}"


def _counted(records: Sequence[dict], noun: str, which: str = "") -> str:
    found = [record["verdict"] for record in records]
    counted = ", ".join(f"{found.count(name)} {name}" for name in VERDICTS)
    grave = [record.get("severity") for record in records if record["verdict"] == "refuted"]
    kinds = ", ".join(f"{grave.count(name)} {name}" for name in reversed(SEVERITIES) if name in grave)
    plural = "" if len(found) == 1 else "s"
    return f"{len(found)} {noun}{plural}{which}: {counted}{f' ({kinds})' if kinds else ''}"


HEAD = ("source", "claims", *VERDICTS[:3], *reversed(SEVERITIES))


def table(records: Sequence[dict]) -> list[list]:
    """A row for each source, one for all of them, then the others: name, claims, verdicts, the refuted by severity."""
    groups = by_source(records)
    rows = {name: [name_of(name), *numbers(group)] for name, group in groups.items()}
    own = [name for name in groups if name in SOURCES] or list(groups)
    total = ["all of the sources", *numbers([record for name in own for record in groups[name]])]
    others = [row for name, row in rows.items() if name not in own]
    return [*(rows[name] for name in own), *([total] if len(own) > 1 else []), *others]


def numbers(records: Sequence[dict]) -> list[int]:
    """How many there are, how many of each verdict, and of the refuted how many of each severity."""
    kinds = [kind(record) for record in records]
    return [len(kinds), *map(kinds.count, HEAD[2:])]


def kind(record: dict) -> str:
    """The verdict, or the severity of a refutation."""
    return (record.get("severity") or "false") if record["verdict"] == "refuted" else record["verdict"]


def findings(records: Sequence[dict]) -> list[dict]:
    """What is false as printed in the sources, in their order."""
    own = {source: group for source, group in by_source(records).items() if source in SOURCES} or by_source(records)
    return [record for group in own.values() for record in group if kind(record) == "false"]


def title(record: dict) -> str:
    said = record["summary"]
    return marked(said[:1].upper() + said[1:] if re.match(r"[a-z]{2,}(?![(*^_])|a ", said) else said)


def verdict_line(record: dict) -> str:
    severity = record.get("severity")
    return f"{record['verdict']} ({severity})" if severity else record["verdict"]


def in_words(record: dict) -> str:
    """The verdict as a reader would say it."""
    repaired = record["verdict"] != "refuted" and record.get("severity")
    return IN_WORDS[kind(record)] + (f" once the print is corrected ({record['severity']})" if repaired else "")


def shown_by(record: dict) -> list[dict]:
    """The checks that made the verdict what it is; all of them when everything passed."""
    return [check for check in record["checks"] if check["verdict"] == record["verdict"]] or record["checks"]


def parts(record: dict) -> list[tuple[str, str, object]]:
    """All that is told of a claim, in order: (kind, name, what), the kind 'formula', 'text' or 'checks'."""
    told = [("formula", "as printed", statement(record["statement"]))]
    if record.get("formula"):
        told.append(("formula", "as the checks read it", [f"${part}$" for part in record["formula"].split(r",\quad ")]))
    told += _texts(record, (("read as", "reading"), ("decided on", "on")))
    told += [("text", "why", record.get("why")), ("checks", "shown by", shown_by(record))]
    corrected = record.get("corrected")
    if corrected is not None:
        instead = statement(record["correction"]) if record.get("correction") else [marked(corrected["subject"])]
        told.append(("formula", f"true instead ({corrected['verdict']})", instead))
        told += _texts(record, (("holds if", "hypotheses"), ("letters", "where"), ("machine-checked (Coq)", "coq")))
        told.append(("checks", "shown by", corrected["checks"]))
    return [part for part in told if part[2]]


def _texts(record: dict, names: tuple) -> list[tuple[str, str, str]]:
    return [("text", name, record[key]) for name, key in names if record.get(key)]


def statement(text: str) -> list[str]:
    """What is printed: a formula, by its rows, or words with formulas between dollar signs."""
    if (rows := re.fullmatch(r"\\begin\{aligned\}(.*)\\end\{aligned\}", text, re.DOTALL)) is not None:
        return [f"${row.replace('&', '').strip()}$" for row in rows[1].split(r"\\")]
    return [as_text(text)] if text else []


def reproduce(record: dict) -> str:
    """The command for one claim, with the time it took."""
    seconds = record.get("seconds")
    return f"{COMMAND} {record['id']}" + (f"   ({seconds:.1f} s of processor time)" if seconds is not None else "")


def evidence(check: dict) -> tuple[str, str]:
    """A check as prose: what was looked at and what came out; in which setting."""
    return f"{typed(check.get('marked', check['name']))}: {marked(outcome(check))}", marked(check.get("detail") or "")


def outcome(check: dict) -> str:
    """What came out of a check, how surely, and what was expected where that is something else.

    >>> outcome({"figure": "0.84", "bound": "0.5", "passed": False, "strength": "checked"})
    '0.84; expected at most 0.5'
    >>> outcome({"figure": "9/2", "bound": "0", "passed": False, "strength": "proved"})
    '9/2; expected 0'
    """
    figure, bound = _tidy(check["figure"]), _tidy(check["bound"])
    if check.get("passed") is None and check.get("verdict", "unknown") == "unknown":
        return f"not done: {figure}"
    relation = re.match(r"(limit|~) ", bound)
    if relation is not None:
        bound = bound[relation.end() :]
        figure = f"limit {figure}" if relation[1] == "limit" else f"asymptotically {figure}"
    proved = check.get("strength") == "proved" and check.get("passed")
    below = figure.removeprefix("limit ") != bound and re.fullmatch(r"[\d.]+(e-?\d+)?", bound)  # another number
    sure = ", proved exactly" if proved and "." not in figure and not below else ""
    wanted = f"; expected {_wanted(figure, bound, check)}" if bound not in ("-", "None", "", figure) else ""
    return figure + sure + wanted


def _wanted(figure: str, bound: str, check: dict) -> str:
    """A bound for a number from above, unless the number was to be just this one."""
    try:
        found, most = float(figure), float(bound)
    except ValueError:
        return bound
    measured = check.get("strength") != "proved" or "." in bound or "e-" in bound
    from_above = found <= most if check.get("passed") else found > most and measured
    return f"at most {bound}" if from_above and most else bound


def _tidy(value) -> str:
    """A figure without empty decimals; a long number by its digits, a long formula by its beginning."""
    text = re.sub(r"(?<=\d)\.0(?=e|$|[^\d.])", "", str(value))
    if re.fullmatch(r"-?\d{25,}", text):
        return f"{text[:6]}..., {len(text.lstrip('-'))} digits"
    if len(text) <= LONGEST:
        return text
    end = max(text.rfind(sign, 0, LONGEST) for sign in (" + ", " - ", ", "))
    return f"{text[: end if end > 0 else LONGEST]}{'' if text[end] == ',' else ' +'} ... ({len(text)} characters)"


_LETTER = rf"(?:(?<![A-Za-z\\'])(?:{COMMANDS}|sqrt|oo|AK|(?!e\.g|i\.e)[A-Za-z])(?![A-Za-z])(?:_\w+|\d+)?'*)"
_NUMBER = r"(?:(?<![\w.])\d+(?:\.\d+)?(?:e[-+]?\d+)?(?:\.\.\.)?(?![A-Za-z_]|\d))"
_SIGN = r"(?:<=|>=|!=|->|[-+*/^=<>|()\[\]~])"
_ITEM = rf"(?:{_LETTER}|{_NUMBER}|{_SIGN})"
_RUN = re.compile(rf"{_ITEM}(?:(?: |,(?=\w))?{_ITEM})*")
_EDGE = re.compile(r"^(?P<before>(?:[)\]*/=~^]|[-+<>] |\s)*)(?P<inner>.*?)(?P<after>(?:[-+/=(\[~^<>]|\s)*)$")
_WORD = re.compile(r"[aAI]|\d+(\.\d+)?|log|exp|sup|inf|lim|max|min|det|cos|sin|int|sum|prod|\W*")


def marked(text: str) -> str:
    r"""Plain text with its formulas typeset between dollar signs; one that stands alone as 'a' is a word.

    >>> marked("at most 3*log(L)/(8*L) from 2 on, a larger c^1")
    'at most $3\\,\\log (L)/(8\\,L)$ from 2 on, a larger $c^{1}$'
    """
    return _RUN.sub(lambda found: _as_formula(found[0]), text.replace("$", ""))


def _as_formula(run: str) -> str:
    """A run of letters, numbers and signs, its loose signs left in the text."""
    edge = _EDGE.match(run)
    inner = edge["inner"]
    for one, two in ("()", "[]"):  # a bracket whose partner is a word is the text's
        if inner.count(two) > inner.count(one) and inner.endswith(two):
            return _as_formula(run[: len(edge["before"]) + len(inner) - 1]) + two + edge["after"]
        if inner.count(one) > inner.count(two) and inner.startswith(one):
            return edge["before"] + one + _as_formula(inner[1:] + edge["after"])
    if _WORD.fullmatch(inner):
        return run
    lead = re.match(r"a (?=[A-Za-z]\b)", inner)  # the article
    first = lead[0] if lead else ""
    return f"{edge['before']}{first}${formula(inner[len(first) :]).strip()}${edge['after']}"


def typed(text: str) -> str:
    """A text with its formulas in LaTeX, some between dollar signs, all written as one types them."""
    return "".join(f"${formula(part)}$" if k % 2 else marked(part) for k, part in enumerate(text.split("$")))
