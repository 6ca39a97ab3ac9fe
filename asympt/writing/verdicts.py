"""The verdicts of the document: asked of `asympt.verify` and of the claims, never written by hand."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import mpmath
from sympy import Expr, Symbol, log
from sympy.printing.latex import greek_letters_set

from asympt import claims as known
from asympt.claims.hdr_proofs import Fault, Lemma, missing_term, printed_step, slope_along, true_step
from asympt.claims.quotes import as_text
from asympt.errors import InputError
from asympt.evidence import Check, Verification
from asympt.evidence.verify import verify
from asympt.expansions import Expansion, Monomial
from asympt.expansions.typesetting import Piece, constant, display, inline, slashed_monomial, sum_pieces
from asympt.parsing import read_formula
from asympt.writing.account import Account
from asympt.writing.escape import escape, fill, formula, mixed, typeset
from asympt.writing.networks import noun
from asympt.writing.notation import digits_of, running

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
    """For a document without checks: each law has one that was left out, so its verdict is 'unknown'."""
    left_out = Check("checks of the law", "left out on request", "-", None)
    return Verdicts({law.name: Verification(f"{law.plain} = {law}", (left_out,)) for law in _laws(m)}, {})


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
The statements of \cite{HDR}, as printed, with their verdicts:
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
    >>> _formula("-27*pi**2/2 = -133.239")
    '-27\\,\\pi^{2}/2 = -133.239'
    """
    text = _DECIMAL.sub(lambda found: decimal(found[0]), text)
    for pattern, latex in ((r"\*\*\(([^()]*)\)", r"^{\1}"), (r"\*\*(\d+)", r"^{\1}"), (r"\*", r"\\,")):
        text = re.sub(pattern, latex, text)
    text = re.sub(r"\bpi\b", r"\\pi", re.sub(r"\b([ef])_?(\d+)", r"\1_{\2}", text))
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


# ---- what HDR printed about a law beside what is derived here ----------------------------------------------------


_CLAIM = r"""
\section{The published statement}\label{sec:claim}
@what Side by side:
\[
\mbox{\renewcommand{\arraystretch}{2.1}\begin{tabular}{@@{}lll@@{}}
\toprule
& as printed in \cite{HDR} & derived here \\
\midrule
@rows
\bottomrule
\end{tabular}}
\]
Here $g=\Theta(h)$ means $Ah\le g\le Bh$ with constants $A,B>0$, as in \cite{HDR}. @pointwise
"""

_FAULT = r"""
\paragraph{Where the printed proof goes wrong.}
The proof writes $\gamma_l=1-c^l$ and
$\gamma_{l+1}=\gamma_l-s\gamma_l^{3/2}-\kappa\gamma_l^{5/2}+O(\gamma_l^{7/2})$, where~(\ref{eq:expansion}) gives
@values. It then states
\[
  \gamma_{l+1}^{-1/2}=@printed . \qquad\text{(as printed)}
\]
But $(1-x)^{-1/2}=1+\frac12x+\frac38x^2+\cdots$, and the square of $x=s\gamma_l^{1/2}+\cdots$ counts:
\[
  \gamma_{l+1}^{-1/2}=@true .
\]
The term $@missing$ is missing. As $\gamma_l^{1/2}\sim\alpha/l$, it is a harmonic series: summed over the layers
it gives $@summed\,\log l$, which is the iterative residue, since $@check$. So $c^l$ has a term of order
$\log(l)/l^3$, which @printed_rate does not allow.
"""

_CONSEQUENCE = r"""
It is inherited by
@slope
whereas the proof continues with $f'(c^l)=1-\frac3l+\Theta(l^{-2})$ and applies Appendix Lemma~5, whose hypothesis
$\lambda_l=1-\frac{\alpha}{l}+\Theta(l^{-2})$ does not hold. Its Appendix Lemma~6, for
$\lambda_l=1-\frac{\alpha}{l}+\kappa\frac{\log l}{l^2}+\cdots$, is the one that applies, with $\alpha=@decay$ and
$\kappa=@weight$, and gives the order $\log(L)/L$; the coefficient that this recursion implies,
$\kappa/(\alpha(1+\alpha))=@implied$, @agreement.
"""

_WHAT_NTK = r"""
Theorem~1, item~1, of \cite{HDR} is about ReLU-like activations on the Edge of Chaos: the average kernel $K^L/L$ reaches
its limit at the rate $\Theta(L^{-1})$. Its proof passes through a law of $c^l$ and one of $f'(c^l)$.
"""

_WHAT_CORRELATION = r"""
The proof of Theorem~1, item~1, of \cite{HDR} uses a law of the correlation.
"""

_POINTWISE = r"""
The supremum over all $x\ne x'$ is read for a fixed start: as $c^1\to1$ the kernel at any fixed depth tends to its
diagonal value, so that no rate holds uniformly. The right-hand column is for @network.
"""


_WHAT_RESIDUAL = r"""
\cite[Theorem~2]{HDR} is about this network with ReLU: with $\alpha_L=L\,(1+\frac{\sigma_w^2}2)^{L-1}$
as normaliser the kernel has a limit, which it reaches at the rate $\Theta(L^{-1})$. Its proof passes through
Appendix Lemma~7 on $c^l$. In the notation used here $\alpha_L=L\,q_L/q_1$.
"""
_WHAT_RESIDUAL_CORRELATION = r"""
\cite[Appendix Lemma~7]{HDR} is about the correlation in this network with ReLU.
"""
_FOR = "The right-hand column is for the {} network with $\\sigma_w^2={}$, $q_1=\\sigma_w^2\\|x\\|\\|x'\\|/d$."
_FORCING = r"""
\paragraph{The contribution of a branch.}
The proof of Theorem~2 divides the recursion of Lemma~3 by $(1+g)^{l-1}$ and takes $b_l=q_1+O(l^{-2})$ for the
contribution, as if $\Sigma^l$ were the covariance of $y^l$. But a layer adds the kernel of its branch, which has
only the share $\delta$ of the covariance: $b_l=\delta q_1+O(l^{-2})$. So the limit on the diagonal is $\delta q_1$, not
$q_1=\sigma_w^2\|x\|^2/d$, and off the diagonal it is $\delta q_1/4$. Only for $\sigma_w\to\infty$ is the printed
constant right.
"""
_WHAT_SCALED = r"""
\cite[Proposition~3]{HDR} is about this network with ReLU: the normaliser of the kernel becomes $L^{1+\sigma_w^2/2}$,
and the rate $\Theta(1/\log L)$. Its proof passes through Appendix Lemma~8 on $c^l$.
"""
_WHAT_SCALED_CORRELATION = r"""
\cite[Appendix Lemma~8]{HDR} is about the correlation in this network with ReLU.
"""
_FOR_SCALED = r"The right-hand column is for the {} network with $\sigma_w^2={}$."
_FAULT_SCALED = r"""
\paragraph{Where the printed proof goes wrong.}
The proof of Proposition~3 writes $K^l(x,x)=K^{l-1}(x,x)\,(1+\frac{\sigma_w^2}{2l})+\Sigma^l(x,x)$, without the factor
$\frac1l$ that the weights of branch $l$ carry, and with the covariance of $y^l$ where that of the branch belongs. Then
every layer adds its whole variance and $K^l/q_l$ grows like $l$. In the network it grows by the share $\delta_l\sim
g/l$ of a branch, so like $g\log l$. The same factor decides about two inputs: with the printed forcing
$a_l=\lambda_la_{l-1}+b_l$, $\lambda_l=1-\frac1l-\cdots$, has the same limit for one input and for two, and the matrix
of normalised kernels would tend to a singular one. With the network's own forcing it tends to
$\frac34I+\frac14\mathbf 1\mathbf 1^{\mathsf T}$ in units of the diagonal, as without scaling. Of the printed statements
the order $\log(l)^{-2}$ of $1-c^l$, its constant, and the rate $1/\log L$ remain true.
"""
_CLASS_S = r"""
\section{The published statements}\label{sec:claim}
Theorem~1, part~2, of \cite{HDR} states, for its class $\mathcal S$, to which this $\phi$ is said to belong, the rate
$\Theta(\log(L)/L)$. For a fixed start @agreement
"""
_AGREES = r"the order is that of the law derived here, with the coefficient $@number$ of $\log(L)/L$."
_DIFFERS = r"""
the law derived here has the rate $@rate$, with the coefficient $@number$, which is slower; the printed rate does not
hold.
"""


def published(a: Account) -> str:
    if not a.net.statement.layer.is_scale_free:
        return _class_s(a)
    if a.form == "time":
        return _scaled(a)
    return _residual(a) if a.net.statement.skip else _plain(a)


def _plain(a: Account) -> str:
    pointwise = _POINTWISE if a.is_ntk else "The right-hand column is for @network."
    what = (_WHAT_NTK if a.is_ntk else _WHAT_CORRELATION).strip()
    beside = comparison(what, _plain_rows(a), fill(pointwise, network=f"the {noun(a.net)} network").strip())
    return beside + _faulty_step(a, r"$\Theta(l^{-3})$") + (_consequence(a) if a.is_ntk else "")


def _residual(a: Account) -> str:
    pointwise = _FOR.format(noun(a.net), constant(a.net.statement.layer.weight_variance))
    what = (_WHAT_RESIDUAL if a.is_ntk else _WHAT_RESIDUAL_CORRELATION).strip()
    beside = comparison(what, _residual_rows(a), pointwise)
    return beside + (_FORCING.strip() + "\n\n" if a.is_ntk else "") + _faulty_step(a, r"$\zeta\,l^{-3}+o(l^{-3})$")


def _scaled(a: Account) -> str:
    pointwise = _FOR_SCALED.format(noun(a.net), constant(a.net.statement.layer.weight_variance))
    what = (_WHAT_SCALED if a.is_ntk else _WHAT_SCALED_CORRELATION).strip()
    return comparison(what, _scaled_rows(a), pointwise) + (_FAULT_SCALED.strip() + "\n" if a.is_ntk else "")


def _class_s(a: Account) -> str:
    if not (a.is_ntk and a.net.activation.in_class_s):
        return ""
    value = digits_of((a.law.expansion - a.law.limit).terms[0][1])
    if a.law.rate == log(a.depth) / a.depth:
        agreement = fill(_AGREES, number=value)
    else:
        agreement = fill(_DIFFERS, number=value, rate=slashed_monomial(a.law.rate))
    return fill(_CLASS_S, agreement=agreement.strip())


def comparison(what: str, rows: list[str], pointwise: str) -> str:
    return fill(_CLAIM, what=what, rows=" \\\\\n".join(rows) + r" \\", pointwise=pointwise) + "\n"


def _plain_rows(a: Account) -> list[str]:
    rows = [row("c^l", r"1-\frac{9\pi^2}{2l^2}+\Theta(l^{-3})", _derived(a, 1 - _correlation(a), 3), True)]
    if a.is_ntk:
        limit = a.told.limit
        rows.append(row("f'(c^l)", r"1-\frac3l+\Theta(l^{-2})", _derived(a, _slope(a), 3), True))
        average = _derived(a, a.told.expansion - limit, 1)
        rows.append(row(rf"\frac{{K^L(x,x')}}{{qL}}-{constant(limit)}", r"\Theta(L^{-1})", average))
        rows.append(row(r"\frac{K^L(x,x)}{qL}-1", r"\Theta(L^{-1})", "0"))
    return rows


def _residual_rows(a: Account) -> list[str]:
    printed = r"1-\frac{9\pi^2(1+\sigma_w^2/2)^2}{2(\sigma_w^2/2)^2\,l^2}+\frac{\zeta}{l^3}+o(l^{-3})"
    rows = [row("c^l", printed, _derived(a, 1 - _correlation(a), 3), True)]
    if a.is_ntk:
        slope, share = _derived(a, _slope(a), 3), a.net.statement.branch_share
        rows.append(row(r"\frac{1+\dot\Sigma^l}{1+g}", r"1-\frac3l+\frac\kappa{l^2}+O(l^{-3})", slope, True))
        printed = r"\frac{\sigma_w^2\|x\|^2}d+\Theta(L^{-1})"
        own = a.told is a.law
        first, rest = (constant(share), constant((1 - share) / a.depth)) if own else (r"\delta", r"\frac{1-\delta}L")
        diagonal = rf"\Bigl({first}+{rest}\Bigr)\,q_1"
        rows.append(row(r"\frac{K^L(x,x)}{\alpha_L}", printed, diagonal))
        average = _derived(a, a.told.expansion, 2)
        rows.append(row(r"\frac{K^L(x,x')}{\alpha_L}", r"\lim+\Theta(L^{-1})", rf"\Bigl({average}\Bigr)\,q_1"))
    return rows


def _scaled_rows(a: Account) -> list[str]:
    printed = r"1-\frac{18\pi^2}{\sigma_w^4\log(l)^2}+\frac{\zeta}{\log(l)^3}+o(\log(l)^{-3}),\ \zeta>0"
    law = a.correlation if a.is_ntk else a.law
    rows = [row("c^l", printed, _derived(a, 1 - law.expansion, 3))]
    if a.is_ntk:
        slope, chi = r"1-\frac{6}{\sigma_w^2\log l}+\frac{\zeta'}{\log(l)^2}+\cdots", a.net.statement.layer.chi
        rows.append(row("f'(c^l)", slope, _derived(a, _slope(a), 3)))
        power = "L" if chi == 1 else f"L^{{{constant(chi)}}}"
        diagonal = rf"\Theta\bigl({power}\log L\bigr)"
        rows.append(row("K^L(x,x)", r"\Theta\bigl(L^{1+\sigma_w^2/2}\bigr)", diagonal))
        rows.append(row(a.law.quantity, r"1+\Theta(1/\log L)", _derived(a, a.law.expansion, 2)))
    return rows


def _slope(a: Account) -> Expansion:
    return slope_along(a.told, a.correlation)


def _correlation(a: Account) -> Expansion:
    return (a.told_correlation if a.is_ntk else a.told).expansion


def _derived(a: Account, expansion: Expansion, count: int) -> str:
    return inline(a.notation.pieces(expansion, count))


def row(quantity: str, printed: str, derived: str, relu_only: bool = False) -> str:
    cells = [rf"$\displaystyle {cell}$" for cell in (quantity, printed, derived)]
    return " & ".join([cells[0], cells[1] + (" (ReLU)" if relu_only else ""), cells[2]])


def _faulty_step(a: Account, printed_rate: str) -> str:
    """The line of the printed proof that loses a term, and what the loss means for c^l."""
    monomial, coefficient = missing_term()
    ratio = a.find("map", "ratio")["ratio"]
    fault = Fault(-ratio.coefficient(1), -ratio.coefficient(3), a.alpha, a.beta)
    summed, share = constant(fault.summed), constant(fault.share)
    relation = "=" if fault.is_residue else r"\ne"
    return fill(
        _FAULT,
        values=rf"$s={constant(fault.s)}$ and $\kappa={constant(fault.kappa)}$",
        printed=_in_gamma(printed_step()),
        true=_in_gamma(true_step()),
        missing=inline([_gamma_term(coefficient, monomial)]),
        summed=summed,
        check=rf"{summed} = \frac{{s}}{{2}}\cdot{share} {relation} \frac{{s}}{{2}}\,\beta",
        printed_rate=printed_rate,
    )


def _in_gamma(expansion: Expansion) -> str:
    """An expansion in t = gamma^(1/2), written in gamma."""
    pieces = [_gamma_term(c, monomial) for monomial, c in expansion.terms]
    size = _gamma_power(expansion.remainder.monomial)
    return inline([*pieces, Piece("+", rf"O\bigl({size}\bigr)")])


def _gamma_term(coefficient: Expr, monomial: Monomial) -> Piece:
    power = _gamma_power(monomial)
    shown = inline(sum_pieces(coefficient))
    if len(coefficient.as_ordered_terms()) > 1:
        shown = rf"\bigl({shown}\bigr)"
    return Piece("+", power if coefficient == 1 else f"{shown}\\,{power}".removesuffix("\\,"))


def _gamma_power(monomial: Monomial) -> str:
    half = monomial.order / 2
    if half == 0:
        return ""
    exponent = f"{half.p}/{half.q}" if half.q != 1 else str(half.p)
    return r"\gamma_l" if half == 1 else rf"\gamma_l^{{{exponent}}}"


def _consequence(a: Account) -> str:
    along = _slope(a)
    lemma = Lemma.of(along)
    if lemma.weight == 0:
        return ""
    return fill(
        _CONSEQUENCE, slope=display("f'(c^l)", a.notation.pieces(along, 3), end=","), decay=constant(lemma.decay),
        weight=constant(lemma.weight), implied=constant(lemma.implied),
        agreement=r"is that of~(\ref{eq:law})" if lemma.agrees(a.law) else r"is not that of~(\ref{eq:law})",
    )  # fmt: skip


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
