"""A linear recursion along the orbit and how the law follows; the NTK's own; how C and D are computed."""

from mpmath import mp
from sympy import Expr, Rational, log

from asympt.architectures.composed.depthwise import HarmonicSteps
from asympt.errors import AsymptError
from asympt.expansions import Expansion
from asympt.expansions.typesetting import Piece, break_lines, display, displays, slashed_monomial, tex
from asympt.numbers import to_mpf
from asympt.recursions import D
from asympt.recursions.protocol import Step
from asympt.writing.account import Account, is_t, laws, plain
from asympt.writing.escape import fill
from asympt.writing.notation import digits_of, running, shown
from asympt.writing.texts.maps import arc_cosine

LONGEST = 4  # lines of a formula that is written out

_LINEAR = r"""
\section{The linear recursion along it}\label{sec:linear}
@quantity is a solution $a$ of
\begin{equation}
  a'=\lambda\,a+b
  \label{eq:linear}
\end{equation}
along the orbit@coefficients
Its general solution is the sum of a particular one and of a multiple of the homogeneous one,
\begin{equation}
  a_{@depth}=P(t_{@depth})+D\,@factor H(t_{@depth}),
  \label{eq:second}
\end{equation}
with a second connection constant $D$. Order by order in~$t$ the unknown coefficients are determined by a triangular
system@resonance The solutions are
@solutions
"""

_RESONANCE = r"""
, but for one: at the power with which $H$ starts the factor of the unknown vanishes (a resonance). That coefficient is
the freedom to add a multiple of $H$ and is set to $0$, and the equation is met by @omega
"""


def linear(a: Account, step: Step) -> str:
    given = [(name, a.pieces(step[key], 3, 4)) for name, key in ((r"\lambda", "multiplier"), ("b", "forcing"))
             if key in step and isinstance(step[key], Expansion)]  # fmt: skip
    coefficients = ", with\n" + displays(given, end=".") if given and a.form != "time" else "."
    logs = any(monomial.logs for monomial, _ in step["particular"].terms)
    omega = "a logarithm times~$H$." if a.omega == 0 else rf"a term $\omega H\log t${weight(a)}"
    shown = [("P(t)", a.pieces(step["particular"], 5, 6))]
    if "homogeneous" in step:
        shown.append(("H(t)", a.pieces(step["homogeneous"], 4, 4)))
    told = "The kernel of two inputs, in units of the variance," if a.law.name == "ntk" else "The quantity"
    return fill(
        _LINEAR, quantity=told, depth=a.at_depth, coefficients=coefficients,
        factor=rf"\lambda_0^{{{a.at_depth}}}\," if "base" in step else "",
        resonance=fill(_RESONANCE, omega=omega).rstrip() if logs else ".", solutions=displays(shown, "eq:P"),
    )  # fmt: skip


_COMPONENTS = r"""
\section{The component along it}\label{sec:linear}
The component of \cite[Chapter~10]{PDLT} obeys a linear recursion whose coefficients are Gaussian moments, power series
in $u=K_{00}$. It is solved by the series
@series
in which the constants other than $C$ are those of the start.
"""


def components(a: Account, step: Step) -> str:
    rows = [(rf"\text{{{name}}}(t)", a.pieces(series, 5, 5)) for name, series in step.objects.items()]
    return fill(_COMPONENTS, series=displays(rows, "eq:P", end=","))


_QUANTITY = r"""
\section{The law}\label{sec:law}
@seen@inserted gives~@law.@decimals
"""


def quantity(a: Account, step: Step) -> str:
    if a.law.kind == "depthwise":
        return _along_depth(a)
    if not a.form:
        return ""
    if is_t(step) and a.find("inversion", "t"):
        return ""
    return fill(_QUANTITY, seen=_seen(a, step), inserted=_inserted(a), law=laws(a), decimals=_decimals(a))


_ALONG_DEPTH = r"""
\section{The law}\label{sec:law}
Let $x=1-c$ and $F(x)=(1-g(1-x))-x$@map. One layer is $x\mapsto x+h\,F(x)$ with $h=@step$. In the time
\[ T_h=T_0+h\,T_1+O(h^2), \qquad T_0'=\frac1F, \qquad T_1'=\frac{F'}{2F}, \]
this is a step of length $h$, $T_h(x+hF(x))=T_h(x)+h$, to every order in $h$. So at the last of the $L$ layers
\[ @solved \]
which is solved for $x_L$ in powers of $1/L$ and, where the time grows, of its logarithm.@kernel
"""
_SAME_STEPS = r"T_h(x_L)=T_h(x_1)+(L-1)\,h,"
_HARMONIC_STEPS = r"T_0(x_L)=T_0(x_1)+\sum_{l=2}^{L}w_l \qquad\text{up to terms smaller by a power of $L$,}"
_MOVING = r"""
\section{The law}\label{sec:law}
The variance depends on the depth of the network, so the layers are not the steps of one flow. The terms of the law come
from networks of growing depth: by formulas where there is one ReLU-like layer, otherwise extrapolated from layers that
were followed one by one.
"""


def _along_depth(a: Account) -> str:
    """How a law in the depth comes from the flow whose steps the layers are."""
    steps = a.law.coordinate.steps_of_depth
    if not steps.flows:
        return _MOVING
    harmonic = isinstance(steps, HarmonicSteps)
    return fill(
        _ALONG_DEPTH, map=" with the map $g$ of ReLU" if steps.shaped else "",
        step="w_l" if harmonic else tex(steps.step), solved=_HARMONIC_STEPS if harmonic else _SAME_STEPS,
        kernel=" The linear recursion of the kernel is solved along this orbit." if a.law.name == "ntk" else "",
    )  # fmt: skip


def _seen(a: Account, step: Step) -> str:
    if "seen" not in step or is_t(step):
        return ""
    pieces = a.pieces(step["seen"], 2, 4)
    shown = [plain(a, piece) for piece in pieces] if a.form == "koenigs" else pieces
    return f"The quantity is\n{display(a.law.quantity, shown)}\n"


def _inserted(a: Account) -> str:
    if a.find("linear"):
        where = "Inserting the orbit of Section~\\ref{sec:inversion}" if a.find("inversion") else "Inserting the orbit"
        divided = f" and dividing by ${a.at_depth}$" if a.law.average else ""
        return f"{where} into the solution of Section~\\ref{{sec:linear}}{divided}"
    if a.form == "time":
        return "Inserting the clock"
    variable = "y" if a.form == "koenigs" and a.root == 1 else "t"
    return rf"Inserting ${variable}={variable}_{{{a.at_depth}}}$"


def _decimals(a: Account) -> str:
    """The law once more with decimals, where constants without a closed form are in one that decays geometrically."""
    if a.form != "koenigs" or not a.constants or a.law.parameters or a.has(D):
        return ""
    pieces, own = [], a.law.constant_symbols["C"]
    for monomial, coefficient in a.law.expansion.terms:
        with mp.workdps(30):
            number = to_mpf(coefficient.subs(own, 1))
        power = a.notation.constant(own**monomial.order) if monomial.order else ""
        base = tex(a.notation.base ** (monomial.order * a.depth)) if monomial.order else ""
        size = mp.nstr(abs(number), 10)
        pieces.append(Piece("+" if number > 0 else "-", r"\,".join(p for p in (size, power, base) if p and p != "1.0")))
    return " In decimals,\n" + display(a.law.quantity, [*pieces, Piece("+", r"\cdots")])


# ---- the linear recursion of a neural tangent kernel along the correlation, and the law of its average -----------


_PLAIN = r"""
The kernel obeys
\[
  K^{l+1}(x,x')=\dot\Sigma^{l+1}(x,x')\,K^{l}(x,x')+\Sigma^{l+1}(x,x'), \qquad
  \dot\Sigma^{l+1}=\sigma_w^2\,\mathbb E[\phi'(\sqrt q\,U)\,\phi'(\sqrt q\,V)]
\]
(\cite[Theorem~1]{JGH}, \cite[Lemma~2]{HDR}). In units of $q$, $k_l=K^l(x,x')/q$,
\begin{equation}
  k_{l+1}=f'(c^l)\,k_l+f(c^l), \qquad k_1=c^1 .
  \label{eq:kernel}
\end{equation}
For $x=x'$ this is $k_{l+1}=k_l+1$, $k_1=1$, so $k_l=l$: the diagonal is exactly $q\,L$.
"""
_RESIDUAL = r"""
A gradient reaches layer $l-1$ through the residual connection and through the branch, and the branch's own weights
learn: $K^{l}=(1+\dot\Sigma^{l})\,K^{l-1}+\sigma_w^2\,\mathbb E[\phi\phi]$ with
$\dot\Sigma^{l}=\sigma_w^2\,\mathbb E[\phi'\phi']$ (\cite[Lemma~3]{HDR}, where $\Sigma^l$ in the recursion is the
covariance of the branch). In units of $q_l$, $k_l=K^l(x,x')/q_l$, where
$\sigma_w^2\,\mathbb E[\phi\phi]=g\,q_{l-1}f$ and $q_l=(1+g)\,q_{l-1}$,
\begin{equation}
  k_{l}=f_\delta'(c^{l-1})\,k_{l-1}+\delta\,f(c^{l-1}), \qquad k_1=c^1 .
  \label{eq:kernel}
\end{equation}
For $x=x'$ this is $k_{l}=k_{l-1}+\delta$, $k_1=1$, so $k_l=1+\delta\,(l-1)$ exactly.
"""
_SOLVED = r"""
\section{The linear recursion of the kernel}\label{sec:linear}
@recursion

\paragraph{Homogeneous solution.} With $\gamma=1-c=@gap$, let $\gamma'=G(\gamma)$ be one layer, so that
$G'(\gamma)=@f'(c)$. Differentiating $A(G)=A+1$ shows that $H=d\gamma/dA$ satisfies $H(G)=@f'(c)\,H$. Thus
@homogeneous
If a truncation of this series leaves $H(t')=@f'(c)\,H(t)\,(1+O(t^n))$ with $n>@m$, then the product of the factors
$1+O(t_l^n)$ along an orbit converges, since $t_l^{@m}$ is of the order $1/l$; its tail is $1+O(t^{n-@m})$, and so far
the truncation is from an exact solution.

\paragraph{Particular solution.} Insert $P=\sum_{k\ge-@m}p_kt^k$ into $P(t')=@f'(c)\,P(t)+@b$@forcing
As $@f'(c)=1+@multiple\,@{e}_{@m}@power+\cdots$, the unknown $p_k$ first appears at $t^{k+@m}$, with the factor
$(k-@multiple)\,@{e}_{@m}$. At $k=-@m$ this gives $p_{-@m}=@start$. At $k=@multiple$, where $H$ starts, the factor
vanishes: a resonance. The coefficient $p_{@multiple}$ stays free, which is the freedom to add a multiple of $H$, and
is set to $0$; the equation is met by a term $\omega H\log t$@omega
Altogether
@particular

\paragraph{Second constant.} The difference of two solutions of~(\ref{eq:kernel}) is a multiple of $H$. Hence
\begin{equation}
  k_l=P(t_l)+D\,H(t_l)
  \label{eq:second}
\end{equation}
with a second connection constant $D$, the same for all~$l$. The series are asymptotic, not convergent; in numbers $C$
and $D$ are read off at a later layer, where $t_l$ is small.
"""


def kernel(a: Account, step: Step) -> str:
    skip = a.net.statement.skip
    forcing = "."
    if skip:
        forcing = ", where\n" + display(r"\delta f(c)", a.pieces(step["forcing"], 2, 3), end=".").rstrip()
    return fill(
        _SOLVED, recursion=(_RESIDUAL if skip else _PLAIN).strip(), gap="t" if a.root == 1 else f"t^{a.root}",
        f=r"f_\delta" if skip else "f", b=r"\delta f(c)" if skip else "f(c)", forcing=forcing, m=a.m,
        homogeneous=display("H(t)", a.pieces(step["homogeneous"], 3, 4), "eq:H"), multiple=resonant_power(a),
        e=a.growth_letter, power="t" if a.m == 1 else f"t^{{{a.m}}}", omega=weight(a).rstrip(),
        start=running(a.notation.constant(step["particular"].coefficient(-a.m))),
        particular=display("P(t)", a.pieces(step["particular"], 5, 6), "eq:P"),
    )  # fmt: skip


def resonant_power(a: Account) -> int:
    """The power of t at which H starts and the resonance sits."""
    return int(a.find("linear", "particular")["homogeneous"].leading[0].order)


def weight(a: Account) -> str:
    """' with omega = ...', by its digits where the formula fills half a page."""
    pieces = a.notation.pieces(Expansion.build(a.told.expansion.scale, {(0, 0): a.omega}))
    if a.told.parameters or len(break_lines(pieces, taken=4)) <= LONGEST:
        seen = [] if a.told.parameters or not a.constants else [Piece("", rf"\approx {digits_of(a.omega)}")]
        return " with\n" + display(r"\omega", [*pieces, *seen])
    return rf" with a weight $\omega\approx{digits_of(a.omega)}$, whose formula fills half a page."


_AVERAGE = r"""
\section{The law of the average kernel}\label{sec:law}
Inserting $t_@depth$ into $P(t_@depth)+D\,H(t_@depth)$ and dividing by $@depth$ gives~(\ref{eq:law}). To leading order
$P$ is $p_{-@m}/\alpha=@limit$ times $A$, and $A(t_@depth)=@depth+C$: this is the limit, @same. @why
@leading
so that the distance from the limit is of the order $@rate$@instead.
"""
_LOG = r"But $A$ contains $\beta\log t_@depth$ and $P$ no such term, so a logarithm survives the division by $@depth$:"
_NO_LOG = "The first term beyond it is"
_SAME = {
    "relu": "the same for every ReLU-like activation",
    "skip": r"a quarter of that on the diagonal, $\delta$, for every ReLU-like activation and every $\sigma_w$",
    "edge": "the same for every activation whose map starts like this one",
}


def average(a: Account, step: Step) -> str:
    """The limit and the first decaying term of the law in the `step`."""
    limit = a.told.limit
    rest = step["law"] - limit
    pure_log = len(rest.terms) > 2 and rest.terms[0][0].logs
    shown = rest if len(rest.terms) <= 1 else rest.truncate(2 if pure_log else 1)
    has_log = a.told.rate.has(log)
    where = "edge" if not a.net.statement.layer.is_scale_free else "skip" if a.net.statement.skip else "relu"
    return fill(
        _AVERAGE, depth=a.at_depth, m=a.m, limit=running(a.notation.constant(limit)), same=_SAME[where],
        why=fill(_LOG if has_log else _NO_LOG, depth=a.at_depth).strip(),
        leading=display(rf"{a.law.quantity}-{a.notation.constant(limit)}", a.notation.pieces(shown), end=","),
        rate=slashed_monomial(a.told.rate), instead=f" and not $1/{a.at_depth}$" if a.told.rate != 1 / a.depth else "",
    )  # fmt: skip


def second_order(a: Account) -> str:
    """From which order on D counts, for a law that does not show it."""
    step = a.find("linear", "particular")
    if step is None or "homogeneous" not in step:
        return ""
    if a.form == "time":  # that of H in the clock, and one more for the division by it
        flow = a.find("inversion")["reversed"]
        variable, order = rf"\log({a.at_depth})", resonant_power(a) * flow.leading[0].order / a.root + 1
    else:
        variable, order = a.at_depth, Rational(resonant_power(a), a.m) + int(a.law.average)
    return (
        rf"A second constant $D$ enters the law of the kernel at the order ${variable}^{{-{order}}}$ "
        r"(Section~\ref{sec:linear})."
    )


# ---- a network whose branches are scaled down with depth ---------------------------------------------------------


_DRIFT = r"""
\section{The drift}\label{sec:map}
Let $U,V$ be standard normal with correlation $c$. In units of the variance of its input a branch takes $c$ to
$f(c)=\mathbb E[\phi(U)\phi(V)]/\mathbb E[\phi(U)^2]$, and by Price's theorem
@branch
the arc-cosine kernel of Cho and Saul \cite{ChoSaul}. The weights of a branch are new and have mean zero, so branch and
input are uncorrelated and their covariances add,
$\Sigma^{l}=\Sigma^{l-1}+\frac{\sigma_w^2}l\,\mathbb E[\phi\phi]$. Divided by $q_l=(1+g/l)\,q_{l-1}$ this is
$c^l=(1-\delta_l)\,c^{l-1}+\delta_lf(c^{l-1})$, or, in $y=1-c$,
\begin{equation}
  y_l=y_{l-1}-\delta_l\,h(y_{l-1}), \qquad h(y)=f(1-y)-1+y .
  \label{eq:step}
\end{equation}
In $t=\sqrt y$
@drift
an odd series that converges for $|t|<\sqrt2$, since $h$ is the integral of $h'=\rho\arccos(1-t^2)$.
"""


def flow_drift(a: Account, step: Step) -> str:
    shown = display("h", a.pieces(step["drift"], 2, 4), "eq:drift", end=",")
    return fill(_DRIFT, branch=arc_cosine("eq:map"), drift=shown)


_KERNEL = r"""
\section{The kernel along the flow}\label{sec:linear}
A gradient reaches layer $l-1$ through the residual connection and through the branch, and the branch's own weights,
which carry the same factor $1/\sqrt l$, learn:
\[
  K^{l}=\Bigl(1+\frac{\sigma_w^2}l\,\mathbb E[\phi'\phi']\Bigr)K^{l-1}+\frac{\sigma_w^2}l\,\mathbb E[\phi\phi] .
\]
In units of $q_l$, $k_l=K^l(x,x')/q_l$,
\begin{equation}
  k_l=\bigl(1-\delta_l\,h'(y_{l-1})\bigr)\,k_{l-1}+\delta_l\,f(c^{l-1}), \qquad k_1=c^1 .
  \label{eq:kernel}
\end{equation}
For $x=x'$ this is $k_l=k_{l-1}+\delta_l$, so that exactly, for every $L\ge1$,
\begin{equation}
  \frac{K^L(x,x)}{q_L} = 1+\sum_{k=2}^L\delta_k = 1+g\,\bigl(\psi(L+1+g)-\psi(2+g)\bigr) \sim g\log L,
  \label{eq:diagonal}
\end{equation}
$\psi=\Gamma'/\Gamma$, $\psi(1)=-\gamma_E$, and the kernel grows like $q_1\,g\,L^{g}\log L/\Gamma(2+g)$. For two inputs
it is, up to $O(\delta_l^2)$, the linear differential equation $dk/dT=-h'k+f$ along the flow, with $f=1-y+h$. Its
homogeneous solution is $h$, and $k/h$ solves $d(k/h)/dy=-(1-y+h)/h^2$. Integrated term by term and without the power
$t^3$ with which $h$ starts,
@particular
(the residue of $2t(1-t^2)/h^2$ puts $h\log t$ into it), and
\begin{equation}
  k_l=P(t_l)+D\,h(t_l)+O(1/l)
  \label{eq:second}
\end{equation}
with a second constant $D$.
"""


def flow_kernel(a: Account, step: Step) -> str:
    return fill(_KERNEL, particular=display("P", a.pieces(step["particular"], 3, 5), "eq:P", end=""))


_RATIO = r"""
\section{The ratio}\label{sec:law}
To leading order $P=@start\,t^{-1}=\frac14T$: a quarter of the flow time, and so of~(\ref{eq:diagonal}). Dividing
$P(t_L)+D\,h(t_L)$ by $g\log L+s_0$, $s_0=@shift$, the constant of~(\ref{eq:diagonal}), gives~(\ref{eq:law}):
@leading
The limit $\frac14$ is the same for every ReLU-like activation and every $\sigma_w$; it is approached like $1/\log L$,
with the coefficient $(C-s_0)/(4g)$.
"""


def flow_ratio(a: Account, step: Step) -> str:
    rest = step["law"] - a.law.limit
    return fill(
        _RATIO, start=_small(a, a.find("linear")["particular"].leading[1]),
        shift=_small(a, a.diagonal.expansion.coefficient(0)),
        leading=display(rf"{a.law.quantity}-\frac14", a.notation.pieces(rest, 1)),
    )  # fmt: skip


def _small(a: Account, value: Expr) -> str:
    return a.notation.constant(value).replace(r"\frac", r"\tfrac")


# ---- how the constants of a start are computed, and by which two routes they were --------------------------------


_CONSTANT = r"""
\section{The @constants}\label{sec:constant}
@how
@routes
"""
_ABEL = r"""
The series of $A$ is asymptotic: truncated after $t^N$ it gives $A$ to any number of digits where $t$ is small enough.
So @itself is iterated from @start, in multiple precision and without any expansion, up to a matching @step~$h$, and
there $C=A_N(t_h)-h$ is read off@second; at any depth $@depth>h$ the equation $A_N(t_@depth)=@depth+C$ is then solved by
Newton's method, at a cost that does not depend on~$@depth$.
"""
_KOENIGS = r"""
The series of $S$ converges near the fixed point. @Itself is iterated from @start, in multiple precision and without any
expansion, up to a matching @step~$h$ that lies well inside, and there $C=@base^{-h}S_N(y_h)$ is read off from $S$
truncated after the power~$N$@second; at any depth $@depth>h$ the equation $S_N(y_@depth)=C\,@base^@depth$ is then
solved by Newton's method, at a cost that does not depend on~$@depth$.
"""
_TWICE = r"""
Everything is done twice, at two precisions, with two truncations and two choices of $h$, and only digits on which both
agree are given:
\[
\mbox{\begin{tabular}{@@{}rrrr@@{}}
\toprule
digits carried & $N$ & $h$ & @variable \\
\midrule
@rows
\bottomrule
\end{tabular}}
\]
"""
_MAP, _LAYERS = ("the map itself", "$x_0$"), ("the layer recursion itself", "the first layer")


def constant_section(a: Account) -> str:
    """How C (and D) is computed and, for a start, by which two routes it was."""
    texts = {"abel": _ABEL, "koenigs": _KOENIGS}
    if a.form not in texts:
        return ""
    itself, start = _MAP if a.subject.step == "step" else _LAYERS
    second = ", and with it $D$ from the linear recursion iterated as far" if a.find("linear") else ""
    how = fill(
        texts[a.form], itself=itself, Itself=itself[0].upper() + itself[1:], start=start, step=a.subject.step,
        depth=a.at_depth, second=second, base=tex(a.notation.base),
    )  # fmt: skip
    return fill(_CONSTANT, constants="constants" if second else "constant", how=how.strip(), routes=_routes(a))


def _routes(a: Account) -> str:
    rows = [] if a.start is None or a.law.parameters else _crossings(a)
    if not rows:
        return ""
    lines = " \\\\\n".join(f"{digits} & {last} & {step} & ${shown(size, 3)}$" for digits, last, step, size in rows)
    return fill(_TWICE, rows=lines + r" \\", variable="$|y_h|$" if a.form == "koenigs" else "$|t_h|$")


def _crossings(a: Account) -> list[tuple]:
    """(digits carried, N, h, |t_h| or |y_h|) of the two routes; none when the orbit does not need them."""
    try:
        found = a.law.crossings(a.carried, **a.start)
    except AsymptError:
        return []
    if not all(hasattr(crossing, "distance") for _, crossing in found):  # at rest, or followed in another way
        return []
    steps = 1 if a.form == "koenigs" else int(a.coordinate["advance"])
    powers = 1 if a.form == "koenigs" else a.m
    return [(r.digits, powers * r.last, steps * c.layer, _size(a, c)) for r, c in found]


def _size(a: Account, crossing):
    with mp.workdps(crossing.digits):
        return crossing.distance if a.form == "koenigs" else mp.root(crossing.distance, a.root)
