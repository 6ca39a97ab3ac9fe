"""The proof of a law as a document: theorem, recursion, lemmas with hypotheses, and the figures that meet them.

The balls themselves are for a machine: `Certificate.recheck` and the JSON form.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from sympy import Symbol, latex

from asympt.balls.breaks import breaks_of
from asympt.balls.laws import FlowLaw, FormalLaw, GeometricLaw
from asympt.errors import InputError
from asympt.recursions.proofs.accounts import (
    AbelAccount,
    FlowAccount,
    KoenigsAccount,
    decimal_latex,
    interval_of,
    told_between,
)
from asympt.recursions.proofs.certificate import Certificate, named_numbers, versions
from asympt.writing.escape import fill, formula
from asympt.writing.paper import Document, paper, write_paper

_TRUSTED = {
    "kernel": r"""It was checked again from its proof object, by the kernel \texttt{asympt.kernel} alone. What is
trusted: that the recursion below is that of the network or map in question, the ball arithmetic of Arb, and that
kernel.""",
    "library": """It is proved by the library, not re-checked by its kernel. What is trusted: that the recursion below
is that of the network or map in question, the ball arithmetic of Arb, and the program.""",
}
_THEOREM = r"""
\begin{theorem}
@statement
\end{theorem}
@connection
Every constant is rounded outward: the inequality is proved for the whole scope as stated, not sampled. @trusted
"""

_MAP = r"""
\section*{The recursion}
In the distance $x$ from the fixed point, $x = @t@power$, one layer is
\[ x \mapsto @formula . \]
@more
"""

_KERNEL = r"""
\section*{The recursion}
One layer takes the correlation $c$ of two inputs to
\[ f(c) = \frac{\sigma_b^2 + \sigma_w^2 \, \mathbb E[\phi(U) \phi(V)]}{q}, \qquad \phi(x) = @phi , \]
$U$ and $V$ Gaussian with mean $0$, variance $q$ and correlation $c$; $x = @t@power$ is the distance of $c$ from the
fixed point. Where a linear recursion runs along it, it is $a' = f'(c)\, a + f(c)$, $a = K/q$. Balls for $f$ and its
derivatives come from the Hermite series with the weight that it leaves out, and near $c = 1$ from @near
@more
"""

_SMOOTH = r"""Taylor's formula: $f^{(k)}(1) = \sigma_w^2 q^{k-1} \mathbb E[\phi^{(k)}(\sqrt q Z)^2] \ge |f^{(k)}(c)|$,
the moments by quadrature with a proved error."""
_KINKED = r"""Price's theorem: for the $j$-th derivative $g_j$ of $\phi$ between its breakpoints $b$, $J_j(b)$ its jump
there, and $G_j(c) = \mathbb E[g_j(U) g_j(V)]$, with $c = 1 - t^2$ and $s = \sqrt{q (1 - c^2)}$,
\[ G_j'(c) = q \Big(G_{j+1}(c) + 2 \sum_b J_j(b) \rho(b)\, \mathbb E[g_{j+1}(c b + s Z)]
+ \sum_{b, b'} J_j(b) J_j(b') \rho_c(b, b')\Big), \]
with $|G_j(c)| \le G_j(1)$, $\rho$ and $\rho_c$ the densities of $U$ and of $(U, V)$, integrated from $c = 1$. @mean
$\rho_c(b, b') \sqrt{2 - t^2}\, t$ is analytic at $t = 0$ for
$b = b'$ and smaller than every power of $t$ otherwise."""
_MEAN_AT_ZERO = r"""The
mean is expanded by Taylor's formula on either side of $b = 0$, and is $0$ where $g_{j+1}$ is;"""
_MEAN_BESIDE = r"""Next to
$b$ the function $g_{j+1}$ is a sum of powers and exponentials, whose means to either side of $b$ are formulas in the
density and the distribution function of $Z$ about $(b - c b)/s$, analytic at $t = 0$; where $g_{j+1}$ differs from it
by $h$, at a distance $d$ of $c b$ and more, $h$ adds at most $(\mathbb E[h^2]/2)^{1/2} \exp(-d^2/(8 q t^2))$;"""

_EXACT = r"""
\newtheorem{lemma}{Lemma}
\section*{Lemmas}
@setting Exact, by algebra and not by balls: @exact, and that each printed coefficient is the one of the formal series.
Everything else below is a ball that holds the exact number; bounds are rounded up, radii and rates down.
"""

_LEMMA = r"""
\begin{lemma}[@name]
@text
\end{lemma}
@figures
"""

_PARABOLIC_SETTING = r"""Write $t' = t\,u(t)$, $u = 1 - a t^m + \dots$, $a > 0$, and let $A_N = \sum_{k=-m}^{N}
\alpha_k t^k + \rho \log t$, $\alpha_0 = 0$, solve $A(t u) - A(t) = 1$ to the order of $p = N + m + 1$. The $\alpha_k$
are balls that contain the exact solution of the triangular system, so that $d(t) = A_N(t u) - A_N(t) - 1$ has exactly
a zero of order $p$ at $0$."""

_DISC = r"""A node of the formula is analytic near $|t| \le R$ if its operands are and, for the argument $g$ of a
root, of a logarithm or of a quotient, $\mathrm{Re}\,(g/g_0) > 0$ on $|t| = R$, $g_0$ its leading term at $0$: a
harmonic function has its minimum on the circle. If this holds for every node, and $\mathrm{Re}\,(t'/t)^{@root} > 0$
on the circle, then $u$ and $d$ are analytic in the disc, and $|d(t)| \le M |t|^p$ for $|t| \le R/2$, by the known
coefficients of $d$ and Cauchy's estimate from the circle, which is covered by arcs."""

_SEGMENT = r"""For $0 < t \le R$ the map is its Taylor polynomial with a proved remainder, and so are $u$, $\log u$
and $d$, by sums, products, exponentials and logarithms of such polynomials. Then $|d(t)| \le M t^p$ for $0 < t \le
R/2$."""

_PARABOLIC = (
    ("Region", ("map", "radius", "circle bound"), (_SEGMENT, _DISC)),
    ("Rate", ("rate",), r"""If $h(t) = t^{-m}(u^{-m} - 1) \ge a' > 0$ on $(0, t_{l_1}]$, then $0 < u <
1$ there, $t_{l+1}^{-m} \ge t_l^{-m} + a'$, and, as $p > m$, $\sum_{j \ge 0} t_{l+j}^p \le t_l^p +
t_l^{p-m}/(a'(p/m-1))$."""),
    ("Limit", (),
     r"""Under these hypotheses $\mathcal A(t) = \lim A_N(t_n) - n$ exists on $(0, t_{l_1}]$ and does not depend on $N$;
$|\mathcal A - A_N| \le E(t) = M(t) (t^p + t^{p-m}/(a'(p/m-1)))$, $M(t) = \sup_{s \le t} |d(s)|/s^p$;
and $\mathcal A(t_l) = l + C$ for every $l \ge
l_1$."""),
    ("Orbit", ("orbit", "connection constant"),
     r"""The recursion itself is iterated in balls by the mean value form. Where $(t')' > 0$ on the whole interval of a
layer, its ends go to ends; elsewhere it is cut. So $t_{l_1}$ lies in the interval below, and $C$ in
$A_N(t_{l_1}) - l_1 \pm E(t_{l_1})$; for an interval of starts between the values at both ends, since $\mathcal
A$ is monotone, a limit of monotone functions."""),
    ("Linear recursion", ("linear recursion",),
     r"""Let $\mathrm{Re}\,\lambda > 0$ in the region and $\lambda = 1 - h a t^m + \dots$ with a whole number $h \ge 0$.
The formal solutions $P_N = \sum p_k t^k + r H_N \log t$ and $H_N = t^h \exp \sum \beta_k t^k$ of $a' = \lambda
a + b$ leave defects of order $p$, bounded in the same region. Then $(a_l - P_N(t_l))/H^*(t_l)$, $H^*$ the exact
homogeneous solution, tends to a number $D$, and $a_l = P_N + D H_N$ up to an explicit power of $t_l$."""),
    ("Inversion", ("inversion",),
     r"""Let $X = l^{-1/m}$, $Y = X^m(C + (\rho/m)(\log l - \log \alpha_{-m}))$, $r < 1$, and $\delta = R_Y +
R_X^m(|\rho| \log\frac{1}{1-r} + \sum_{k \ne 0, -m} |\alpha_k| T^k (1 \pm r)^k)$, $T = \alpha_{-m}^{1/m} R_X$.
If $\delta < 1$ and $(1 - \delta)^{1/m}(1 + r) > 1$, then $A_N(t_l) = l + C + \varepsilon$ is $w = W(X, Y +
\varepsilon X^m)$, $t_l = \alpha_{-m}^{1/m} X w$, with $W$ analytic and $|W - 1| \le r$ on $|X| \le R_X$, $|Y|
\le R_Y$ (Earle and Hamilton); and $A_N' < 0$ up to $T(1 + r)$ makes $t_l$ this branch."""),
    ("Tail", ("tail",),
     r"""The law is the beginning of the Taylor series of a function of $W$. Over the monomial and for all $l \ge l_1$
what is not printed is at most $B_0 + B_1 + \dots$: $B_0$ the terms of the monomial's own weight, $B_1$ known
terms of larger weight, $B_2$ Cauchy's estimate for all others, $B_3$ what $\varepsilon$ moves, $B_4$ the error
of the linear recursion. Each falls from $l_1$ on, which is checked."""),
)  # fmt: skip

_FIRST = ("First layers", ("first layers",), r"""The deviation of each layer $l_0 \le l \le l_1$ from
the printed law, over the monomial, is enclosed itself. The constant of the theorem is the larger of this and of the
tail.""")

_HYPERBOLIC_SETTING = r"""Write $t' = t\,u(t)$, $\mu = u(0)$, $0 < |\mu| < 1$, and let $U_N = t + s_2 t^2 + \dots +
s_N t^N$ solve $U(t u) = \mu U(t)$ up to a defect of order $N + 1$."""

_HYPERBOLIC = (
    ("Region", ("radius", "circle bound"), r"""In the disc $|t| \le R$ (or for $0 < t \le R$, where
the map is known by its Taylor polynomials with remainders) the map is analytic, $|u - \mu| \le M_2 |t|$ and $|U_N(t
u) - \mu U_N(t)| \le M |t|^{N+1}$."""),
    ("Koenigs' function", ("map", "connection constant"),
     r"""If $k = |\mu| + M_2 |t| < 1$ and $k^{N+1} < |\mu|$, then $U(t) = \lim \mu^{-n} t_n$ exists, $|U - U_N| \le M
|t|^{N+1}/(|\mu| - k^{N+1})$, and $U(t_l) = \mu^l c$ for every $l$; $C$ is $c^{@root}$."""),
    ("Linear recursion", ("linear recursion",),
     r"""For $a' = \lambda a + b$ the solutions $h$ and $P$ of $h(t u) \lambda(0) = \lambda h(t)$, $h(0) = 1$, and
$P(t u) = \lambda P(t) + b$ (with a term $r l H$ in resonance) are known in the same way up to order $N$, and $a_l =
P(t_l) + D \lambda(0)^l h(t_l)$."""),
    ("Inversion", ("inversion",),
     r"""Let $Q$ be the reversion of $U_N$, cut at $z^N$, and $U_N' \ge s > 0$ up to the larger of $|t_l|$ and $|Q|$.
Then $|t_l - Q(z)| \le e |z|^{N+1}$ for $z = \mu^l c$ and all $l \ge l_1$."""),
    ("Tail", ("tail",),
     r"""So the quantity is a polynomial in $z$ with a known error: what is not printed, over the monomial, is at most
the sum below for all $l \ge l_1$."""),
)  # fmt: skip

_FLOW_MAP = r"""
\section*{The recursion}
In the distance $x$ from the fixed point, $x = t@power$, with step sizes $\delta_l = @step$@others,
\[ x_l = x_{l-1} - \delta_l\, h(x_{l-1}), \qquad h(x) = @formula . \]
@more
"""

_FLOW_LINEAR = r"""
Along it $k_l = (1 - \delta_l h'(x_{l-1}))\, k_{l-1} + \delta_l\, o(x_{l-1})$ with
\[ h'(x) = @slope, \qquad o(x) = @own , \]
from $k = @start$ in the first layer; the quantity is $k_l/s_l$, $s_l = @rate\, \psi(l + 1 + \beta) + s'$, $s' =
@rest$.
"""

_FLOW_SETTING = r"""Write $h = t^k s(t)$, $x = t^{@root}$, $m = k - @root$, $\delta_l = a/(l + \beta)$, and let the
flow time $T$ solve $T' = -1/h$: $T = t^{-m}\tau(t) + r \log t$, without a constant term. Where a linear recursion
runs along it, $P = -h \int o\,\mathrm dx/h^2$, without a term $t^k$."""

_FLOW = (
    ("Region", ("map", "radius", "flow time"),
     r"""A node of the formulas is analytic near $|t| \le R$ if its operands are and, for the argument $g$ of a root,
of a logarithm or of a quotient, $\mathrm{Re}\,(g/g_0) > 0$ on $|t| = R$, $g_0$ its leading term at $0$. If this holds
for every node and $\mathrm{Re}\, s > 0$ on the circle, then $s$, $1/s$ and with them $\tau$ are convergent power
series: $J + 1$ coefficients are balls, the others are bounded by Cauchy's estimate from the circle, which is covered
by arcs."""),
    ("Single layers", ("orbit", "single layers", "connection constant"),
     r"""Let $\eta = \sup |h'|$ over $(0, x]$ and $\delta\eta < 1$. Since $|h(\xi) - h(x)| \le \theta\delta\eta h(x)$
at $\xi = x - \theta \delta h(x)$,
\[ |T(x - \delta h(x)) - T(x) - \delta| \le \frac{\delta^2 \eta}{2 (1 - \delta \eta)}, \qquad
\sum_{j > l} \frac{1}{(j + \beta)^2} < \frac{1}{l + \beta + 1/2}, \qquad \sum_{j \le l} \delta_j = a\, \psi(l + 1 +
\beta) + \mathrm{const}, \]
so that $C = \lim T(x_l) - a \log l$ exists, is enclosed at layer $n$, to which the recursion is iterated in balls,
and $|T(x_l) - a \log l - C| \le E/l$ for all $l \ge n$."""),
    ("Linear recursion", ("linear recursion",),
     r"""$u_l = (k_l - P(x_l))/h(x_l)$ moves in a layer by at most $\frac{\delta^2}{2 (1 - \delta\eta)^2} (|u| \sup h
|h''| + \sup x |h'' P - o'| / x_l)$, by Taylor's formula and $P'' = (h'' P - o')/h$. With $z = \sup h/x$ one has
$1/x_j \le ((j + \beta)/(l + \beta))^q/x_l$, $q = a z/(1 - \delta z)$; for $q < 1$ the sum is $O(1/l)$: $u_l$ tends to
a number $D$, and $|k_l - P - D h| \le K/l$ for all $l \ge n$. By $\log x - 1/x < \psi(x) < \log x$ the norm $s_l$ is
within $S/l$ of $b \log l + s_0$."""),
    ("Inversion", ("inversion",),
     r"""With $\Lambda = \log l$, $X = \Lambda^{-1/m}$ and $Y = X^m (C + r (\log \Lambda - \log \alpha)/m)$, both $C$
and $r$ over $a$ and $\alpha = \tau(0)/a$, the beginning of $T/a = \Lambda + C/a + \varepsilon$ is solved by $t =
\alpha^{1/m} X w$, $w = W(X, Y + \varepsilon X^m)$, with $W$ analytic and $|W - 1| \le r_W$ on $|X| \le R_X$, $|Y| \le
R_Y$ (Earle and Hamilton); $r_W$ is the first figure."""),
    ("Tail", ("tail",),
     r"""The law is the beginning of the Taylor series of a function of $W$. Over the monomial and for all $\Lambda
\ge \Lambda_1$ what is not printed is at most $B_0 + B_1 + \dots$: $B_0$ the terms of the monomial's own weight, $B_1$
known terms of larger weight, $B_2$ Cauchy's estimate for all others, $B_3$ and $B_4$ the rests of $T$, $P$ and $h$,
$B_5$ what single layers add, a multiple of $e^{-\Lambda}$. Each falls from $\Lambda_1$ on, which is checked."""),
    ("Between", ("boxes",),
     r"""For $\log n \le \Lambda \le \Lambda_1$ the deviation is a function of the real numbers $\Lambda$, $C$ (and
$D$), up to multiples of $e^{-\Lambda}$: $x = T^{-1}(a \Lambda + C)$, or $(P + D h)/(b \Lambda + s_0)$. By $\mathrm
dx/\mathrm dT = -h$ and $\mathrm d(P + D h)/\mathrm dT = o - h' (P + D h)$ it has a mean value form on boxes, which
are halved until their bounds are near what a point of them shows."""),
)  # fmt: skip

_FLOW_FIRST = (_FIRST[0], _FIRST[1], _FIRST[2].replace("l_1", "n"))

_MADE = r"""
Computed with @versions, balls of @bits bits.
"""

_X, _LAYER = Symbol("x", positive=True), Symbol("l", positive=True)
_WORDS = {name: rf"\text{{{name}}}" for name in ("bits", "arcs", "largest", "known", "rest")}


def proof_document(certificate: Certificate, figure_name: str = "figure.pdf") -> Document:
    """The theorem of a certificate, its method and its figures; there is no figure to draw."""
    title = rf"A bound for the law of \texorpdfstring{{${certificate.law.quantity}$}}{{the recursion}}"
    map_ = _KINDS[type(certificate.account)].recursion(certificate.asked, _named(certificate))
    sections = [_theorem(certificate), map_, _lemmas(certificate), _made(certificate)]
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
    named, proof = certificate.law.constant_symbols, certificate.proof
    balls = {"connection": (named["C"], proof.connection), "second": (named["D"], proof.second)}
    said = {symbol for symbol, _, _ in certificate.letters}
    found = [
        f"The {word} constant is {_between(symbol, ball)}."
        for word, (symbol, ball) in balls.items() if ball is not None and symbol not in said
    ]  # fmt: skip
    return fill(
        _THEOREM, statement=rf"\[ {certificate.latex(broken=True)} \]", connection=" ".join(found),
        trusted=_TRUSTED[certificate.trust],
    )  # fmt: skip


def _between(symbol, value) -> str:
    return _interval(latex(symbol), *told_between(value))


def _interval(name: str, low: Decimal, high: Decimal) -> str:
    if low == high:
        return f"${name} = {low.normalize():f}$"
    return rf"${name} \in [{decimal_latex(low)},\allowbreak {decimal_latex(high)}]$"


def _along_map(asked: FormalLaw | GeometricLaw, more: str) -> str:
    map_, along = asked.map_, asked.along
    t, power = latex(map_.symbol), f"^{{{map_.root}}}" if map_.root > 1 else ""
    if not hasattr(map_, "formula"):
        return fill(_KERNEL, phi=latex(map_.phi), t=t, power=power, near=_near(map_), more=more)
    if along is not None:
        linear = rf"\lambda &= {latex(along.multiplier)}, \\ b &= {latex(along.forcing)} ."
        more = "\n".join((more, r"The linear recursion along it is $a' = \lambda a + b$ with",
                          rf"\begin{{align*}} {linear} \end{{align*}}"))  # fmt: skip
    return fill(_MAP, t=t, power=power, formula=latex(map_.formula), more=more)


def _near(map_) -> str:
    """How the kernel map is enclosed near c = 1."""
    if map_.root == 1:
        return _SMOOTH
    return fill(_KINKED, mean=_MEAN_AT_ZERO if breaks_of(map_.pieces) == (0,) else _MEAN_BESIDE)


def _along_steps(asked: FlowLaw, more: str) -> str:
    map_ = asked.map_
    h, slope, own = (f if f is None else f.subs(map_.variable, _X) for f in map_.plain)
    others = "".join(rf" ($\delta_{{{layer}}} = {latex(size)}$)" for layer, size in map_.sizes.items())
    step = latex(map_.weight / (_LAYER + map_.shift))
    power = f"^{{{map_.root}}}" if map_.root > 1 else ""
    if own is not None:
        rate, rest = asked.norm
        more += fill(_FLOW_LINEAR, slope=latex(slope), own=latex(own), start=latex(asked.along(_X)),
                     rate="" if rate == 1 else latex(rate), rest=latex(rest))  # fmt: skip
    return fill(_FLOW_MAP, power=power, step=step, others=others, formula=latex(h), more=more)


def _named(certificate: Certificate) -> str:
    """Between which numbers those lie that the formulas have by a name."""
    found = [_between(name, value) for name, value in named_numbers(certificate).items()]
    return rf"{{\raggedright Here {', '.join(found)}.\par}}" if found else ""


@dataclass(frozen=True)
class _Method:
    """How the laws of one kind are proved: the setting, its exact facts, the lemmas, the recursion."""

    setting: str
    exact: str
    lemmas: tuple
    recursion: Callable


_KINDS = {
    AbelAccount: _Method(
        _PARABOLIC_SETTING,
        r"$u(0) = 1$, the vanishing coefficients of $t, \dots, t^{m-1}$ in $u$, the whole number $h$ below",
        (*_PARABOLIC, _FIRST), _along_map,
    ),
    KoenigsAccount: _Method(_HYPERBOLIC_SETTING, "the fixed point", (*_HYPERBOLIC, _FIRST), _along_map),
    FlowAccount: _Method(
        _FLOW_SETTING, "the power $k$ with which $h$ begins, the step sizes", (*_FLOW, _FLOW_FIRST), _along_steps
    ),
}  # fmt: skip


def _lemmas(certificate: Certificate) -> str:
    method, region = _KINDS[type(certificate.account)], certificate.proof.theorem.region
    root, steps = str(certificate.asked.map_.root), {step.name: step for step in certificate.steps}
    parts = [fill(_EXACT, setting=method.setting.replace("@root", root), exact=method.exact)]
    for name, used, text in method.lemmas:
        known = [steps[step] for step in used if step in steps]
        if known or not used:
            said = text[region.analytic] if isinstance(text, tuple) else text
            parts.append(fill(_LEMMA, name=name, text=said.replace("@root", root), figures=_figures(known)))
    return "".join(parts)


def _figures(steps: Iterable) -> str:
    found = [_figure(name, value) for step in steps for name, value in step.figures.items()]
    return rf"{{\raggedright Here {', '.join(found)}.\par}}" if found else ""


def _figure(name: str, value: str) -> str:
    name, ends = _WORDS.get(name) or formula(re.sub(r"^B(\d)", r"B_\1", name)), interval_of(value)
    return f"${name} = {decimal_latex(value)}$" if ends is None else _interval(name, *ends)


def _made(certificate: Certificate) -> str:
    used = ", ".join(f"{name} {version}" for name, version in versions().items())
    return fill(_MADE, versions=used, bits=certificate.proof.theorem.bits)
