"""The proof of a law as a document: theorem, method with its hypotheses, and the figures of every step.

Problem.  A referee wants to follow what was computed: which lemma is used where, what its hypotheses are, and the
numbers that fulfil them.

Rule.  The method is the same for every law of a kind and stands in `_PARABOLIC`, `_LINEAR` and `_HYPERBOLIC`; the
figures are those of the certificate's steps, each rounded to the safe side.

Known limits.  The document states the proof's figures and does not contain its balls: `Certificate.recheck` and the
JSON form are for a machine.
"""

from collections.abc import Iterable
from pathlib import Path

from sympy import latex

from asympt.errors import InputError
from asympt.recursions.proofs.certificate import Certificate
from asympt.recursions.proofs.record import decimals, versions
from asympt.writing.escape import escape, fill, formula
from asympt.writing.paper import Document, paper, write_paper

_THEOREM = r"""
\begin{theorem}
@statement
\end{theorem}
@connection
Every constant is rounded outward: the inequality is proved for the whole scope as stated, not sampled. What is trusted:
that the recursion below is that of the network or map in question, the ball arithmetic of Arb, and the program.
"""

_MAP = r"""
\section*{The recursion}
In the distance $x$ from the fixed point, $x = @t^{@root}$, one layer is
\[ x \mapsto @formula . \]
@more
"""

_PARABOLIC = r"""
\section*{Method}
Write $t' = t\,u(t)$, $u = 1 - a t^m + \dots$, $a > 0$, and let
$A_N = \sum_{k=-m}^{N} \alpha_k t^k + \rho \log t$, $\alpha_0 = 0$, solve $A(t u) - A(t) = 1$ to the order of
$p = N + m + 1$. The $\alpha_k$ are balls that contain the exact solution of the triangular system, so the defect
$d(t) = A_N(t u) - A_N(t) - 1$ has exactly a zero of order $p$ at $0$.
\begin{enumerate}
\item \emph{Analyticity.} In the disc $|t| \le R$ every node of the formula is analytic: logarithms, roots and
quotients because the real part of their argument is positive on the circle, hence inside (it is harmonic). So
$|d(t)| \le M |t|^p$ in the disc, with $M$ read off arcs of the circle.
\item \emph{Rate.} $h(t) = t^{-m}(u^{-m} - 1) \ge a' > 0$ on $(0, t_0]$, from Taylor coefficients and Cauchy's estimate.
Then $t_{j+1}^{-m} \ge t_j^{-m} + a'$ and $\sum_j t_j^p \le t_0^p + t_0^{p-m}/(a'(p/m-1))$.
\item \emph{Limit.} So $\mathcal A(t) = \lim A_N(t_n) - n$ exists, $|\mathcal A - A_N| \le E(t)$, and
$\mathcal A(t_l) = l + C$ exactly; $\mathcal A$ does not depend on $N$.
\item \emph{Orbit.} The recursion is iterated in balls in the mean value form to layer $l_1$; for an interval of starts
its ends are, where the map is proved to be monotone, and pieces are enclosed elsewhere.
\item \emph{Inversion.} With $X = l^{-1/m}$, $Y = X^m(C + (\rho/m)(\log l - \log \alpha_{-m}))$ the equation
$A_N(t_l) = l + C + \varepsilon$ is $w = W(X, Y + \varepsilon X^m)$, $t_l = \alpha_{-m}^{1/m} X w$, and by the theorem
of Earle and Hamilton $W$ is analytic with $|W - 1| \le r$ on the bidisc $|X| \le R_X$, $|Y| \le R_Y$.
\item \emph{Tail.} The printed law is the beginning of the Taylor series of a function of $W$. What is not printed is
bounded for all $l \ge l_1$: $B_0$ its own weight, $B_1$ known terms, $B_2$ Cauchy's estimate for the rest, $B_3$ what
$\varepsilon$ moves.
\item \emph{First layers.} Each layer from $l_0$ to $l_1$ is enclosed itself.
\end{enumerate}
"""

_LINEAR = r"""
The linear recursion $a' = \lambda a + b$ has the formal solutions $P_N = \sum p_k t^k + r H_N \log t$ and
$H_N = t^h \exp \sum \beta_k t^k$. Their defects are bounded on the same circle; then $(a_l - P_N)/H^*$, $H^*$ the exact
homogeneous solution, tends to $D$, and $a_l = P_N + D H_N$ up to an explicit power of $t_l$ ($B_4$ in the tail).
"""

_HYPERBOLIC = r"""
\section*{Method}
Write $t' = t\,u(t)$, $\mu = u(0)$, $0 < |\mu| < 1$.
\begin{enumerate}
\item \emph{Disc.} The map is analytic in $|t| \le R$ and maps the disc into itself, since $|u| < 1$ on the circle; and
$|u - \mu| \le M_2 |t|$.
\item \emph{Koenigs' function.} $U(t) = \lim \mu^{-n} t_n = t + \dots$ differs from $t$ by at most
$M_2 r^2/(|\mu| - k^2)$ on $|t| \le r$, $k = |\mu| + M_2 r$, $k^2 < |\mu|$. By Rouch\'e's theorem it takes every value
$|z| < z_0$ once in $|t| < r$.
\item \emph{Constant.} $U(t_l) = \mu^l C$ exactly, $U$ being its partial sum up to $M |t|^{N+1}/(|\mu| - k^{N+1})$.
\item \emph{Tail.} The law is the beginning of the Taylor series of the inverse of $U$ in $z = \mu^l C$: known
coefficients up to $N$, and Cauchy's estimate beyond.
\item \emph{First layers.} Each layer from $l_0$ to $l_1$ is enclosed itself.
\end{enumerate}
"""

_FIGURES = r"""
\section*{Figures}
\begin{center}\small
\begin{tabular}{@{}p{0.2\textwidth}p{0.36\textwidth}p{0.38\textwidth}@{}}
\toprule
step & shows & figures \\
\midrule
@rows
\bottomrule
\end{tabular}
\end{center}
Computed with @versions, balls of @bits bits.
"""


def proof_document(certificate: Certificate, figure_name: str = "figure.pdf") -> Document:
    """The theorem of a certificate, its method and its figures; there is no figure to draw.

    >>> from sympy import Symbol
    >>> from asympt.recursions import Recursion
    >>> x = Symbol("x", positive=True)
    >>> document = proof_document(Recursion(x / (1 + x), x).law(terms=2).certificate(start=1))
    >>> document.tex.count("begin{theorem}")
    1
    """
    title = rf"A bound for the law of \texorpdfstring{{${certificate.law.quantity}$}}{{the recursion}}"
    sections = [_theorem(certificate), _map(certificate), _method(certificate), _figures(certificate)]
    return Document(paper(title, sections), None, figure_name)


def write_proof(certificate: Certificate, path, command: str | None = None) -> Path:
    """Write the proof as NAME.tex or NAME.pdf; `command` and errors as in `asympt.writing.write`."""
    if not isinstance(certificate, Certificate):
        raise InputError(f"certificate = {certificate!r} is no certificate; take law.certificate(...)")
    name, low, high = certificate.start
    start = str(low) if low == high else f"({low}, {high})"
    command = command or f"{certificate.law!r}.certificate({name}={start})"
    return write_paper(path, lambda figure_name: proof_document(certificate, figure_name), command)


def _theorem(certificate: Certificate) -> str:
    low, high = decimals(certificate.proof.connection)
    named = certificate.law.constant_symbols
    found = [rf"The connection constant is ${latex(named['C'])} \in [{low}, {high}]$."]
    if certificate.second_constant is not None:
        low, high = decimals(certificate.proof.second)
        found.append(rf"The second constant is ${latex(named['D'])} \in [{low}, {high}]$.")
    return fill(_THEOREM, statement=rf"\[ {certificate.latex(broken=True)} \]", connection=" ".join(found))


def _map(certificate: Certificate) -> str:
    asked = certificate.asked
    more = ""
    along = getattr(asked, "along", None)
    if along is not None and hasattr(asked.map_, "formula"):
        more = rf"The linear recursion along it is $a' = \lambda a + b$ with \[ \lambda = {latex(along.multiplier)}, "
        more += rf"\qquad b = {latex(along.forcing)} . \]"
    t, map_ = latex(asked.map_.symbol), asked.map_
    shown = latex(map_.formula) if hasattr(map_, "formula") else rf"\text{{{escape(str(map_))}}}"
    return fill(_MAP, t=t, root=map_.root, formula=shown, more=more)


def _method(certificate: Certificate) -> str:
    if certificate.law.kind == "hyperbolic":
        return fill(_HYPERBOLIC)
    return fill(_PARABOLIC) + (fill(_LINEAR) if getattr(certificate.asked, "along", None) is not None else "")


def _figures(certificate: Certificate) -> str:
    rows = "\n".join(_rows(certificate))
    used = ", ".join(f"{name} {version}" for name, version in versions().items())
    return fill(_FIGURES.replace("@{}", "@@{}"), rows=rows, versions=used, bits=certificate.proof.theorem.bits)


def _rows(certificate: Certificate) -> Iterable[str]:
    for step in certificate.steps:
        figures = "; ".join(f"${formula(name)}$ = {escape(value)}" for name, value in step.figures.items())
        yield rf"{escape(step.name)} & {escape(step.shows)} & {figures} \\"
