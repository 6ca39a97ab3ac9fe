"""The verdicts of the document: asked of `asympt.verify` and of the claims, never written by hand."""

from collections.abc import Callable
from dataclasses import dataclass

import mpmath

from asympt import claims as known
from asympt.evidence import Check, Verification
from asympt.evidence.verify import verify
from asympt.expansions.typesetting import constant, display
from asympt.writing import ledger
from asympt.writing.account import Account
from asympt.writing.escape import escape, fill, formula, typeset
from asympt.writing.ledger_latex import FITTED, told_claim
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
    for claim in known.for_law(m.law):
        report(f"check {claim.id}")
        claims[claim.id] = (claim, claim.check(digits=digits, depth=depth, evidence=laws.get("ntk")))
    return Verdicts(laws, claims)


def unchecked(m) -> Verdicts:
    """For a document without checks, which has no table of them: each law has none."""
    return Verdicts({law.name: Verification(f"{law.plain} = {law}", ()) for law in _laws(m)}, {})


def parts(m) -> int:
    """How many things `collect` will report."""
    return len(_laws(m)) + len(known.for_law(m.law))


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
    """Figure and bound; of a theorem the bound, which is rounded up already."""
    if check.passed is None:
        return "not done"
    if not check.passed:
        return f"{_number(check.figure)}, above {_number(check.bound)}"
    if check.bound == 0:
        return "exact"
    if check.strength == "proved" and check.figure == check.bound:
        return f"at most ${formula(str(check.bound))}$"
    return rf"{_number(check.figure)} (at most {_number(check.bound)})"


def _number(value) -> str:
    """A number as a power of ten with two digits, anything else as text."""
    if isinstance(value, int) or value in ("oo", "-oo"):
        return f"${formula(str(value))}$"
    try:
        text = mpmath.nstr(mpmath.mpf(value), 2, min_fixed=-2, max_fixed=4)
    except (TypeError, ValueError):
        return escape(str(value))
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        return f"${mantissa}$"
    power = f"10^{{{int(exponent)}}}"
    return f"${power}$" if mantissa in ("1.0", "1") else rf"${mantissa}\cdot{power}$"


# ---- what was published about the law -----------------------------------------------------------------

_PUBLISHED = r"""
\section{The published statements}\label{sec:claim}
\begingroup
@fitted
What \cite{HDR} states about this law and in the proof of it, as printed, with the verdict on each statement and one
check that shows it; \texttt{asympt claims check} followed by the name of a statement prints all. Here $g=\Theta(h)$
means $Ah\le g\le Bh$ with constants $A,B>0$.

@claims
\endgroup
"""


def published(verdicts: Verdicts) -> str:
    """What is printed about the law: each statement, its verdict, why, what shows it, and what is true instead."""
    told = "\n".join(_told(claim, found) for claim, found in verdicts.claims.values())
    return fill(_PUBLISHED, fitted=FITTED, claims=told) if told else ""


def _told(claim, found: Verification) -> str:
    """As in a report, with one check, an exact one before others, and none of the corrected statement."""
    record = claim.record(found, formula=False)
    shown = sorted(ledger.shown_by(record), key=lambda check: check["strength"] != "proved")
    record["checks"] = shown[:1]
    if "corrected" in record:
        record["corrected"]["checks"] = []
    return told_claim(record)


# ---- the whole family -------------------------------------------------------------------------------

_PLAIN_MEMBERS = r"""
\section{Other slopes}
The derivation uses the activation only through $\rho$. For every ReLU-like activation, with
$\alpha=3/(\sqrt2\,\rho)$ and $B=C-@beta\log\alpha$,
@laws
The coefficients displayed above are these at $\alpha=@alpha$.
"""
_RESIDUAL_MEMBERS = r"""
\section{Other slopes and other \texorpdfstring{$\sigma_w$}{sigma w}}
The derivation uses activation and weights only through $\alpha=3/(\sqrt2\,\rho\,\delta)$ and $\delta$. For every
ReLU-like activation and every $\sigma_w$, with $B=C-@beta\log\alpha$,
@laws
The coefficients displayed above are these at $\alpha=@alpha$ and $\delta=@share$.
"""


def members(a: Account) -> str:
    """Both laws in alpha (and delta); nothing when the document is written so anyway, or there is no family."""
    if a.law.family is None or a.told is not a.law:
        return ""
    laws = [law.family.law for law in ([a.correlation] if a.is_ntk else []) + [a.law]]
    whole = Account(laws[-1], a.subject)
    shown = [display(law.quantity, whole.notation.pieces(law.expansion), end="") for law in laws]
    alpha, *share = (running(constant(value)) for value in a.law.family.values.values())
    text = _RESIDUAL_MEMBERS if a.net.statement.skip else _PLAIN_MEMBERS
    return fill(text, beta=running(constant(a.beta)), laws="\nand\n".join(shown), alpha=alpha, share="".join(share))
