"""The verdicts of the document: asked of `asympt.verify` and of the claims, never written by hand.

A passed check is shown with its bound, which is the same on every machine; a failed one with the figure that
refutes it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import mpmath
from sympy import Symbol
from sympy.printing.latex import greek_letters_set

from asympt import claims as published
from asympt.claims.quotes import as_text
from asympt.errors import InputError
from asympt.evidence import Check, Verification
from asympt.evidence.verify import verify
from asympt.expansions.typesetting import constant
from asympt.parsing import read_formula
from asympt.writing.escape import escape, fill, formula, mixed, typeset
from asympt.writing.notation import running

DEPTH = 10**5


@dataclass(frozen=True)
class Verdicts:
    """What was verified: the laws by name, the published claims by id."""

    laws: dict[str, Verification]
    claims: dict[str, tuple[object, Verification]]


def collect(
    m, report: Callable[[str], None] = lambda name: None, digits: int | None = None, depth: int = DEPTH
) -> Verdicts:
    """Verify the document's laws and check the claims about them; `report` hears what is being done.

    `digits` (by default those of the document) and `depth`: how far the checks go.
    """
    digits = m.digits if digits is None else digits
    laws = {}
    for law in _laws(m):
        report(f"verify the {law.name} law")
        laws[law.name] = verify(law, digits=digits, depth=depth)
    claims = {}
    for claim in published.for_law(m.law):
        report(f"check {claim.id}")
        claims[claim.id] = (claim, claim.check(digits=digits, depth=depth, evidence=laws.get("ntk")))
    return Verdicts(laws, claims)


def parts(m) -> int:
    """How many things `collect` will report."""
    return len(_laws(m)) + len(published.for_law(m.law))


def _laws(m) -> list:
    return [m.correlation, m.law] if m.is_ntk else [m.law]


# ---- verdicts in words -------------------------------------------------------------------------------


def said(found: Verification) -> str:
    """The verdict, with the depths and the start of its theorem where it rests on one."""
    return rf"\emph{{{found.verdict}}}{where(found)}"


def where(found: Verification) -> str:
    """' (for all l >= 2 and c^1 = 1/10)' of a verdict that rests on a theorem."""
    return rf" \(({running(found.theorem.scope_latex)})\)" if found.scope else ""


# ---- tables ---------------------------------------------------------------------------------------


def check_table(verifications: dict[str, Verification], said: Callable[[str], str] = lambda name: name) -> str:
    """The checks of verifications by their headings, the figures of what passed beside their bounds.

    `said` rewords the name of a check.
    """
    groups = []
    for heading, verification in verifications.items():
        head = rf"\multicolumn{{3}}{{@{{}}l}}{{\emph{{{heading}: {verification.verdict}}}{where(verification)}}} \\"
        groups.append("\n".join([head, *(_check_row(check, said) for check in verification.checks)]))
    body = "\n\\addlinespace\n".join(groups)
    return (
        f"\\begin{{tabular}}{{@{{}}p{{0.5\\textwidth}}ll@{{}}}}\n"
        "\\toprule\ncheck & figure & verdict \\\\\n\\midrule\n"
        f"{body}\n\\bottomrule\n\\end{{tabular}}"
    )


def _check_row(check: Check, said: Callable[[str], str]) -> str:
    name = typeset(said(check.name.marked))
    if check.passed is None:
        name += f": {escape(str(check.figure))}"
    return rf"\raggedright {name} & {_measured(check)} & {check.verdict} \\"


def _measured(check: Check) -> str:
    """Figure and bound of what passed; of a theorem the bound, which is rounded up already."""
    if not check.passed or check.bound == 0:
        return _figure(check)
    if check.strength == "proved" and check.figure == check.bound:
        return f"at most ${formula(str(check.bound))}$"
    return rf"{_number(check.figure)} (at most {_number(check.bound)})"


def _figure(check: Check) -> str:
    """The bound of what passed, the figure of what failed."""
    if check.passed is None:
        return "not done"
    if not check.passed:
        return f"{_number(check.figure)}, above {_number(check.bound)}"
    return "exact" if check.bound == 0 else rf"at most {_number(check.bound)}"


def _number(value) -> str:
    """A number as a power of ten with two digits, anything else as text."""
    if isinstance(value, int):
        return f"${value}$"
    try:
        text = mpmath.nstr(mpmath.mpf(value), 2, min_fixed=-2, max_fixed=4)
    except (TypeError, ValueError):
        return escape(str(value))
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        return f"${mantissa}$"
    power = f"10^{{{int(exponent)}}}"
    return f"${power}$" if mantissa in ("1.0", "1") else rf"${mantissa}\cdot{power}$"


def claim_table(verdicts: Verdicts) -> str:
    """The published claims, their verdicts with what shows them, and the verdict of what corrects them."""
    if not verdicts.claims:
        return ""
    rows = "\n".join(_claim_rows(claim, found) for claim, found in verdicts.claims.values())
    longest = max(map(len, verdicts.claims))
    return fill(_CLAIMS, rows=rows, share="0.58" if longest <= _SHORT_NAME else "0.5")


_SHORT_NAME = 14  # letters

_CLAIMS = r"""
\paragraph{Verdicts.}
The single statements of \cite{HDR}, as printed, and what checking them gave:
\[
\mbox{\small\begin{tabular}{@@{}lp{@share\textwidth}ll@@{}}
\toprule
claim & as printed & verdict & corrected \\
\midrule
@rows
\bottomrule
\end{tabular}}
\]
The last column is the verdict of the corrected statement, where there is one.
"""


def _claim_rows(claim, found: Verification) -> str:
    corrected = "" if found.corrected is None else found.corrected.verdict
    first = rf"{escape(claim.id)} & {mixed(as_text(claim.statement))} & {found.verdict} & {corrected} \\[2pt]"
    failed = next((check for check in found.checks if check.passed is False), None)
    if failed is None:
        return first
    shown = f"{typeset(failed.name.marked)}: {_exact(failed.figure)}"
    return first + "\n" + rf" & \footnotesize\raggedright {shown} & & \\[3pt]"


_DECIMAL = re.compile(r"-?\d+\.\d+(e-?\d+)?")
_FORMULA = re.compile(r"([-\w*/()+^ ]+(=|:) )?-?\d+\.\d+(e-?\d+)?(, [-\w*/()+^ ]+: -?\d+\.\d+(e-?\d+)?)*")
_SHOWN = 6  # digits of a decimal, so that it is the same on every machine


def _formula(text: str) -> str:
    r"""A formula as SymPy prints it with its value, or values with their names, in LaTeX.

    >>> _formula("e_5/(5*e_4**(3/2)) = -0.403421746619")
    'e_{5}/(5\\,e_{4}^{3/2}) = -0.403422'
    """
    text = _DECIMAL.sub(lambda found: decimal(found[0]), text)
    for pattern, latex in ((r"\*\*\(([^()]*)\)", r"^{\1}"), (r"\*\*(\d+)", r"^{\1}"), (r"\*", r"\\,")):
        text = re.sub(pattern, latex, text)
    text = re.sub(r"\b([ef])_?(\d+)", r"\1_{\2}", text)
    return text.replace(", ", r",\ ").replace(": ", r"\!:\ ")


def decimal(text: str) -> str:
    """A decimal to a few digits, with a power of ten in LaTeX where it has one."""
    shown = mpmath.nstr(mpmath.mpf(text), _SHOWN, min_fixed=-4, max_fixed=6)
    mantissa, _, exponent = shown.partition("e")
    return rf"{mantissa}\cdot10^{{{int(exponent)}}}" if exponent else mantissa.removesuffix(".0")


def _exact(figure) -> str:
    """A figure that is an exact constant as a formula, a decimal with a few digits, otherwise as `_number` has it."""
    text = str(figure)
    if _FORMULA.fullmatch(text):
        return f"${_formula(text)}$"
    try:
        return f"${constant(read_formula(text, *_parameters(text)))}$".replace(r"\frac", r"\tfrac")
    except InputError:
        return _number(figure)


def _parameters(text: str) -> list[Symbol]:
    """The parameters in an exact figure: names with an index, such as sigma_w, and Greek letters.

    >>> _parameters("9/2 + 9/sigma_w**2 + log(alpha)")
    [alpha, sigma_w]
    """
    names = set(re.findall(r"(?<!\w)[A-Za-z]\w*(?!\w|\()", text))
    return [Symbol(name) for name in sorted(names) if "_" in name or name in greek_letters_set]
