"""The pages of a report in HTML: formulas as MathML, so that a browser sets them without a network, light or dark.

Rule.  A report of one source is one page.  A report of several is an index, with the table of verdicts and links, and
one page beside it for every source; every claim has its id as an anchor.

Known limits.  LaTeX that the converter does not know is shown as its source, in a box of code.
"""

import html
import re
from collections.abc import Sequence
from functools import lru_cache

from asympt.writing.escape import formula

_ROW = r"\\"
_SIZED = re.compile(r"\\[bB]igg?[lrm]?\s*(\\[{}|])")  # the converter prints the source of what follows a size
_STYLE = """<style>
:root { color-scheme: light dark; --line: #ccc; --soft: #f4f2ee; --good: #006040; --bad: #a03000; --open: #775c00; }
@media (prefers-color-scheme: dark) {
  :root { --line: #444; --soft: #24262b; --good: #6fd3a8; --bad: #ff9d76; --open: #e2c25c; }
  body { background: #17181c; color: #e4e2dd; } a { color: #9db9ff; }
}
body { font-family: Georgia, serif; line-height: 1.5; margin: 2em auto; max-width: 54em; padding: 0 1em; }
math { font-size: 1.08em; } code { font-size: .85em; overflow-wrap: anywhere; }
table { border-collapse: collapse; } td, th { border-top: 1px solid var(--line); padding: .25em .8em .25em 0; }
th { text-align: left; } td.n, th.n { text-align: right; }
section { border-top: 1px solid var(--line); padding: .4em 0 1em; } h3 { margin: .6em 0 .2em; }
.formula { background: var(--soft); padding: .6em .8em; overflow-x: auto; }
.formula math { display: block; margin: .3em 0; }
.proved, .checked { color: var(--good); } .refuted { color: var(--bad); } .unknown { color: var(--open); }
.place, .detail, nav { font-size: .9em; } .detail { opacity: .8; }
dt { font-weight: bold; float: left; margin-right: .6em; }
dd { margin: .2em 0 .4em 0; } dd > ul { clear: left; margin: .2em 0; padding-left: 1.4em; }
nav a { margin-right: .7em; white-space: nowrap; }
</style>"""


def page(title: str, body: str) -> str:
    """A page from its title and its body."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n{_STYLE}\n</head>\n<body>\n<h1>{html.escape(title)}</h1>\n{body}\n"
        "</body>\n</html>\n"
    )


@lru_cache(maxsize=4096)
def mathml(latex: str, display: bool = False) -> str:
    """A formula; its source where the converter does not know it."""
    from latex2mathml.converter import convert

    if not latex:
        return ""
    sized = _SIZED.sub(r"\1", latex)
    rows = _rows(sized) if display else [sized]
    try:
        return "".join(_clean(convert(row, display="block" if display else "inline")) for row in rows)
    except Exception:  # the converter raises exceptions of many kinds
        return f"<code>{html.escape(latex)}</code>"


def _rows(latex: str) -> list[str]:
    """The lines of an aligned formula, each as a formula of its own."""
    inner = re.fullmatch(r"\\begin\{aligned\}(.*)\\end\{aligned\}", latex, re.DOTALL)
    return [latex] if inner is None else [row.replace("&", "") for row in inner[1].split(_ROW)]


def _clean(text: str) -> str:
    """No attribute that browsers have given up."""
    return text.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")


def prose(text: str) -> str:
    """A text with LaTeX between dollar signs."""
    parts = text.split("$")
    return "".join(mathml(part) if k % 2 else html.escape(part) for k, part in enumerate(parts))


def plain_prose(text: str) -> str:
    """A text whose formulas between dollar signs are written as one types them."""
    parts = text.split("$")
    return "".join(mathml(formula(part)) if k % 2 else html.escape(part) for k, part in enumerate(parts))


def counts(head: Sequence[str], rows: Sequence[Sequence]) -> str:
    """A table whose first column is text and the others are numbers; 0 is left empty."""
    top = "".join(f'<th{" class=n" if k else ""}>{html.escape(name)}</th>' for k, name in enumerate(head))
    lines = ["".join(_cell(value, k) for k, value in enumerate(row)) for row in rows]
    return f"<table>\n<tr>{top}</tr>\n" + "\n".join(f"<tr>{line}</tr>" for line in lines) + "\n</table>"


def _cell(value, place: int) -> str:
    return f"<td class=n>{value or ''}</td>" if place else f"<td>{value}</td>"


def details(pairs: Sequence[tuple[str, str]]) -> str:
    """Names and what they are, the latter as HTML."""
    inner = "\n".join(f"<dt>{html.escape(name)}</dt><dd>{value}</dd>" for name, value in pairs if value)
    return f"<dl>\n{inner}\n</dl>" if inner else ""
