r"""What one layer or step does, and the uniformiser; the correlation map of a network is told from Price's theorem."""

import re
from dataclasses import replace
from itertools import zip_longest

from mpmath import mp
from sympy import Add, Expr, Integer, Rational, Symbol, degree, expand

from asympt.evidence.law_terms import opaque_in
from asympt.expansions import Expansion, Monomial
from asympt.expansions.opaque import RealConstant
from asympt.expansions.printing import width
from asympt.expansions.typesetting import (
    LINE,
    Piece,
    columns,
    constant,
    display,
    displays,
    expansion_pieces,
    inline,
    merged,
    sum_pieces,
    tex,
)
from asympt.meanfield.correlation import CorrelationMap
from asympt.numbers import to_mpf
from asympt.recursions.protocol import Step, T
from asympt.writing.account import Account, alpha, in_base, letter, plain, power_of_t, spread, with_letters
from asympt.writing.escape import fill
from asympt.writing.notation import digit_lines, map_pieces, running

_RATIO = r"""
\section{The map at its fixed point}\label{sec:map}
@where One @step takes~$y$ to
@image
@approach
"""

_ROOT = r"where $t=y^{1/@root}$ is the uniformiser in which the map is a power series"

_APPROACHES = {
    "abel": r"The factor of $y$ is $1$: the fixed point is approached like a power of~$@depth$.",
    "koenigs": r"The factor of $y$ is $\chi@chi$, and orbits approach the fixed point geometrically.",
}

_TURNS = r"""
The factor of $y$ is $-1$: orbits alternate between the sides of the fixed point. So two steps at a time are
considered: $y''$ is $y$ after two steps.
"""


def ratio(a: Account, step: Step) -> str:
    """y' as a closed form where there is a short one, and in t."""
    closed, ends = _closed(a, step)
    shown = [] if ends else [plain(a, piece) for piece in a.pieces(step["image"], 3, 5)]
    uniform = " " + fill(_ROOT, root=a.root).strip() if a.root > 1 and not ends else ""
    base = tex(a.notation.base)
    value = running(a.base_value.partition("=")[2] or a.notation.constant(step["multiplier"]))  # chi
    chi = "" if value == base or (a.notation.base.is_Symbol and base != r"\chi") else f"={value}"
    approach = _APPROACHES["abel" if a.form == "abel" else "koenigs"]
    text = _TURNS if a.turns else fill(approach, chi=chi, depth=a.at_depth)
    left = rf"y'={inline(closed)}" if closed and not ends else "y'"
    found = fill(
        _RATIO, where=a.subject.variable, step=a.subject.step,
        image=display(left, shown or closed, "eq:map", end="," if uniform else "."),
        approach=uniform.strip() + (". " if uniform else "") + text.strip(),
    )  # fmt: skip
    return in_base(a, found)


def _closed(a: Account, step: Step) -> tuple[list[Piece], bool]:
    """y' as a closed form in y where that is short, and whether it is a finite sum of powers, which needs no series."""
    if "formula" not in step:
        return [], False
    y = Symbol("y", positive=True)
    image = a.notation(step["formula"].subs(T, y ** Rational(1, a.root)))
    image = image.expand() if a.root > 1 else spread(image, y)
    pieces = map_pieces(image, y, ascending=True)
    ends = all(not term.as_coeff_exponent(y)[0].has(y) for term in Add.make_args(image))
    return (pieces, ends) if ends or width(inline(pieces)) <= LINE / 2 else ([], False)


_GROWTH = r"""
\section{@steps in the uniformiser}\label{sec:uniformiser}
With $y=@power$ @one $@image=@closed@lead t\,\bigl(1+@e(t)\bigr)$,
@growth
@meaning
"""

_MEANING = r"""
Here $m=@m$ is the leading exponent@stride: $@e(t)=@{e}_{@m}@first+\cdots$ with $@{e}_{@m}=@value<0$. Then
$(@image)^{-@m}=t^{-@m}+@added+\cdots$, so that $t^{-@m}$ grows by about $@plain$ @often, and $@size\sim@leading$ with
$\alpha@alpha$. The next terms follow from the coordinate in which @exact.
"""


def growth(a: Account, step: Step) -> str:
    """e(t), and what its leading term means; nothing where t is y and no more than the series of y' is needed."""
    if a.form == "koenigs" and a.root == 1:
        return ""
    power = "t" if a.root == 1 else f"t^{{{a.root}}}"
    lead = "" if a.form == "abel" else r"\mu\," if a.root > 1 else r"\chi\,"
    one = "two steps are" if a.turns else f"one {a.subject.step} is"
    twice = inline(map_pieces(spread(a.notation(step["formula"]), T), T, ascending=True)) if a.turns else ""
    text = fill(
        _GROWTH, steps="Two steps" if a.turns else f"One {a.subject.step}", power=power, one=one,
        image="t''" if a.turns else "t'", closed=f"{twice}=" if twice and width(twice) <= LINE / 2 else "", lead=lead,
        e=a.growth_letter, growth=display(f"{a.growth_letter}(t)", a.pieces(_growth(step), 3, 4), "eq:growth"),
        meaning=_meaning(a, step["growth"]) if a.form == "abel" else "",
    )  # fmt: skip
    text += rf"where $\mu=\chi^{{1/{a.root}}}$." + "\n" if lead.startswith(r"\mu") else ""
    return in_base(a, text)


def _growth(step: Step) -> Expansion:
    """e(t), without a remainder where the map is a polynomial."""
    known = step["growth"]
    ends = "formula" in step and step["formula"].is_polynomial(T)
    return known.without_remainder() if ends and degree(step["formula"], T) <= known.remainder.monomial.order else known


def _meaning(a: Account, known: Expansion) -> str:
    """How fast t^(-m) grows."""
    _, first = known.leading
    value, added = (running(a.notation.constant(c)) for c in (first, -a.m * first))
    every = a.coordinate["system"].stride
    return fill(
        _MEANING, m=a.m, stride=rf", and only powers of $t^{{{every}}}$ occur" if every > 1 else "",
        first=power_of_t(a.m), value=value, image="t''" if a.turns else "t'", plain=added,
        added=f"({added})" if added.startswith("-") else added, alpha=alpha(a) and f"={alpha(a)}", e=a.growth_letter,
        often="in two steps" if a.turns else f"a {a.subject.step}",
        size=f"|t_{a.at_depth}|" if a.turns else f"t_{a.at_depth}",
        leading=rf"\alpha/{a.at_depth}" if a.m == 1 else rf"(\alpha/{a.at_depth})^{{1/{a.m}}}",
        exact="two steps are exactly two" if a.turns else f"every {a.subject.step} is exactly one",
    ).strip()  # fmt: skip


# ---- maps that are not multiple of y at their fixed point: of large or solved quantities, drifts, averages -----

_DRIFTS = r"""
\section{The drift}\label{sec:map}
@where Layer~$@depth$ takes $y$ to $y-\delta_{@depth}\,h(y)$ with the step size $\delta_{@depth}=@step$ and@uniform
@drift
"""


def drift(a: Account, step: Step) -> str:
    root = int(step["root"])
    uniform = rf", in $t=y^{{1/{root}}}$," if root > 1 else r", with $t=y$,"
    shown = display("h", a.pieces(step["drift"], 2, 4), "eq:drift")
    return fill(
        _DRIFTS, where=a.subject.variable, depth=a.at_depth, step=running(tex(step["step"])), uniform=uniform,
        drift=shown,
    )  # fmt: skip


_AFFINE = r"""
\section{Derivation}\label{sec:map}
In every layer the quantity $X$ of the law obeys
\[ X'=@right . \]
@solution
"""

_SOLVED = r"""
This is solved for every layer: the law is an identity and has no remainder.
"""

_SUMMED = r"""
Here $@depth$ is the layer that is entered. The sum (or the product) over the layers is known as a function of the
depth, whose expansion is the law.
"""


def affine(a: Account, step: Step) -> str:
    factor, added = step["multiplier"], step["affine"]
    shown, times = tex(with_letters(added)), tex(with_letters(factor))
    times = rf"\Bigl({times}\Bigr)" if factor.is_Add else times
    first = "X" if factor == 1 else rf"{times}\,X"
    right = first if added == 0 else f"{first}{shown if shown.startswith('-') else '+' + shown}"
    text = _SUMMED if a.law.expansion.remainder is not None or factor.has(a.depth) or added.has(a.depth) else _SOLVED
    return fill(_AFFINE, right=right, solution=fill(text, depth=a.at_depth).strip())


_AVERAGING = r"""
\section{Convergence of the positions}\label{sec:positions}
Along one offset $\alpha'-\alpha$ the correlations at the $M$ positions are first mapped like those of a fully
connected network and then averaged over the filter \cite[Appendix Lemma~2]{HDR}. The average keeps the mean over the
positions; the Fourier modes in which positions differ are multiplied by eigenvalues, the largest of which in size is
$\lambda_2=@second$@number. So the differences decay like $\lambda_2^l$, faster than any power of the depth, and to
all orders of the law the mean moves as in the fully connected (or residual) network of the same activation, from an
effective start that the constants contain.
"""


def averaging(a: Account, step: Step) -> str:
    second = step["averaging"]
    number = "" if second.is_Rational else rf"\approx{second.evalf(6)}"
    return fill(_AVERAGING, second=running(tex(second)), number=f"${number}$" if number else "")


_LEADING = r"""
\section{Derivation}\label{sec:map}
As the variance grows like $\tau=@clock$, the activation acts more and more like the step of its two
limits, and while $\log\tau$ grows by $\varepsilon$ the correlation moves by $\varepsilon\,(g(c)-c)$ to leading order,
with
@drift
Here $g'(1)=\infty$, so that $c=1$ repels, and $c$ tends to the zero $c_*=@fixed$ of this drift, where its slope
is $-p$, $p=@exponent$: the distance from~$c_*$ falls like $\tau^{-p}$. Only leading orders are derived.
"""


def leading(a: Account, step: Step) -> str:
    c = next(iter(step["drift"].free_symbols))
    shown = display("g(c)-c", sum_pieces(step["drift"].subs(c, Symbol("c"))))
    fixed, power = (_with_digits(step[name]) for name in ("fixed", "exponent"))
    return fill(_LEADING, drift=shown, fixed=fixed, exponent=power, clock=running(tex(step["clock"])))


_LEAVING = r"""
\section{Derivation}\label{sec:map}
The branch pushes the correlation away from $c=1$, and its weights fall: their sum grows like $@factor\log\tau$,
$\tau=@clock$. So $c$ follows $\mathrm dc/\mathrm dT=g(c)-c$, $T=@factor\log\tau$, to the zero $c_*=@fixed$ of this
drift, where its slope is $g'(c_*)-1$: the distance from~$c_*$ falls like $\tau^{-p}$, $p=@factor(1-g'(c_*))=@exponent$.
With $\mathrm dK/\mathrm dT=o-(1-g')K$ the kernel follows. Only leading orders are derived.
"""


def leaving(a: Account, step: Step) -> str:
    """Where the correlation goes from c = 1, and how fast."""
    shown = {name: _with_digits(step[name]) for name in ("leaving", "exponent", "factor")}
    factor = "" if step["factor"] == 1 else shown["factor"] + r"\,"
    clock = running(tex(step["clock"]))
    return fill(_LEAVING, fixed=shown["leaving"], exponent=shown["exponent"], factor=factor, clock=clock)


def _with_digits(value: Expr) -> str:
    return running(constant(value)) if not opaque_in(value) else rf"{value.evalf(15)}\ldots"


# ---- the correlation map in a document: from Price's theorem to its expansion at c = 1, for every activation -----


RHO = Symbol("rho")
SMOOTH_TERMS, KINKED_TERMS = 5, 9  # powers of t up to which f is shown
P_TERMS, H_TERMS, E_TERMS = 4, 3, 4  # of P, H and e whose constants get numbers

# ---- closed forms -----------------------------------------------------------------------------------

_CLOSED = r"""
\section{The correlation map}\label{sec:map}
Let $U,V$ be standard normal with correlation $c$. In units of @unit takes $c$ to
$f(c)=\mathbb E[\phi(U)\phi(V)]/\mathbb E[\phi(U)^2]$. Price's theorem differentiates Gaussian expectations under the
integral, $\frac{d}{dc}\mathbb E[g(U)h(V)]=\mathbb E[g'(U)h'(V)]$, and $\phi''=(a_+-a_-)\,\delta_0$ with the Dirac
measure $\delta_0$ at~$0$. Hence
\begin{align*}
  \frac{d}{dc}\,\mathbb E[\phi(U)\phi(V)] &= \mathbb E[\phi'(U)\phi'(V)], \\
  \frac{d}{dc}\,\mathbb E[\phi'(U)\phi'(V)] &= (a_+-a_-)^2\,\mathbb E[\delta_0(U)\delta_0(V)]
  = \frac{(a_+-a_-)^2}{2\pi\sqrt{1-c^2}} .
\end{align*}
At $c=1$ both $\mathbb E[\phi(U)^2]$ and $\mathbb E[\phi'(U)^2]$ equal $(a_+^2+a_-^2)/2$. Integrating down from $c=1$,
twice,
@closed
the arc-cosine kernel of Cho and Saul \cite{ChoSaul}. @layer

At $c=1$ the map is not analytic in $c$, but in the \emph{uniformiser} $t=\sqrt{1-c}$ it is, for $|t|<\sqrt2$, since
\[
  \arccos(1-t^2)=\sqrt2\int_0^t\frac{ds}{\sqrt{1-s^2/2}} = @angle .
\]
@expansion
@basin
"""
_BASIN = r"""
\paragraph{Every start.} @slope So $@{f}(c)-c$ decreases strictly to its value $0$ at $c=1$, and $@{f}(c)>c$ for
$@start$: the correlations $c^l$ increase. Their limit is a fixed point, and there is no other than $1$: $c^l\to1$ from
every start $@start$.
"""
_BY_FORMULA = r"The derivative of $@f$ increases strictly on $[-1,1]$, by the formula for $f'$, up to $1$ at $c=1$."
_BY_HERMITE = r"""In Hermite's polynomials $f(c)=\sum a_kc^k$ with $a_k\ge0$, and $\phi$ is not linear, so some
$a_k$ with $k\ge2$ is positive: $|f'(c)|\le f'(|c|)<f'(1)\le1$ for $|c|<1$."""
_PLAIN_LAYER = r"In particular $f(1)=f'(1)=1$."
_RESIDUAL_LAYER = r"""
The weights of a branch are new and have mean zero, so branch and input are uncorrelated and their covariances add,
$\Sigma^{l}=\Sigma^{l-1}+\sigma_w^2\,\mathbb E[\phi\phi]$. At $x=x'$ this is $q_l=(1+g)\,q_{l-1}$, and divided by $q_l$
\begin{equation}
  c^{l}=f_\delta(c^{l-1}), \qquad f_\delta(c)=(1-\delta)\,c+\delta\,f(c)
  = c+\rho\,\delta\,\bigl(\sqrt{1-c^2}-c\arccos c\bigr) .
  \label{eq:mixed}
\end{equation}
This is the map of a fully connected ReLU-like network whose asymmetry is $\rho\,\delta$ instead of $\rho$: the residual
connection only slows the flow down. In particular $f_\delta(1)=f_\delta'(1)=1$ for every $\sigma_w$: there is no other
phase.
"""


def correlation_map(a: Account, step: Step) -> str:
    """The section, in place of the bare series of the `step`."""
    told = _arc_cosines(a) if a.net.statement.layer.is_scale_free else _in_moments(a)
    return f"{told}\n{a.subject.variable}\n"


def _arc_cosines(a: Account) -> str:
    angle = 1 - CorrelationMap.with_asymmetry(Integer(1)).slope_expansion(5)
    unit = "the variance of its input a branch" if a.net.statement.skip else "$q$ one layer"
    return fill(
        _CLOSED, unit=unit, closed=arc_cosine("eq:closed"),
        layer=(_RESIDUAL_LAYER if a.net.statement.skip else _PLAIN_LAYER).strip(),
        angle=inline(expansion_pieces(angle)), expansion=_expansions(a, 5, 4), basin=_basin(a),
    )  # fmt: skip


def _basin(a: Account) -> str:
    """That every orbit tends to c = 1."""
    f = r"f_\delta" if a.net.statement.skip else "f"
    closed = a.net.statement.layer.is_scale_free
    slope = fill(_BY_FORMULA, f=f) if closed else _BY_HERMITE
    return fill(_BASIN, slope=slope, f=f, start=r"-1\le c<1" if closed else "-1<c<1")


def arc_cosine(label: str) -> str:
    """f' and f of a ReLU-like branch."""
    f = CorrelationMap.with_asymmetry(RHO)
    integral = inline(sum_pieces((f.closed_form - f.variable) / RHO))
    value = [Piece("+", tex(f.variable)), Piece("+", rf"\rho\,\bigl({integral}\bigr)")]
    return displays([("f'(c)", sum_pieces(f.closed_slope)[::-1]), ("f(c)", value)], label, end=",")


def map_expansion(a: Account) -> Expansion:
    count = SMOOTH_TERMS if a.root == 1 else KINKED_TERMS
    return 1 - a.find("map", "ratio")["image"].up_to(Monomial(count))


def slope_expansion(a: Account) -> Expansion:
    """f' in t, as far as f."""
    count = SMOOTH_TERMS if a.root == 1 else KINKED_TERMS
    return a.find("map", "ratio")["slope"].up_to(Monomial(count - a.root))


def _expansions(a: Account, value_terms: int, slope_terms: int) -> str:
    f = r"f_\delta" if a.net.statement.skip else "f"
    rows = [(f"{f}(c)", a.pieces(map_expansion(a), 3, value_terms)), (f"{f}'(c)", a.pieces(slope_expansion(a), 3,
                                                                                           slope_terms))]  # fmt: skip
    return displays(rows, "eq:expansion")


# ---- moments ----------------------------------------------------------------------------------------

_MOMENTS = r"""
\section{The correlation map}\label{sec:@label}
One layer takes the correlation $c$ to
\[
  f(c)=\frac{\sigma_b^2+\sigma_w^2\,\mathbb E[\phi(\sqrt q\,U)\,\phi(\sqrt q\,V)]}{q}, \qquad
  U,V\sim\mathcal N(0,1) \text{ with correlation } c .
\]
Price's theorem differentiates under the integral,
$\frac{d}{dc}\mathbb E[g(U)h(V)]=\mathbb E[g'(U)h'(V)]$, so that the derivatives of $f$ at $c=1$ form a sequence whose
members are the moments
\[
  M_n=\mathbb E\bigl[\phi^{(n)}(\sqrt q\,Z)^2\bigr]@regular ,
\]
and @first. @kind
@basin
"""
_EDGE = r"(\ref{eq:edge}) means $f(1)=1$ and $f'(1)=\sigma_w^2M_1=1$"
_ORDERED = r"$f(1)=1$, as $q$ is a fixed point, and $f'(1)=\sigma_w^2M_1=\chi$"

_SMOOTH = r"""
As $\phi$ is smooth, these are all the terms: with $t=1-c$ and
\[ f_n=f^{(n)}(1)=\sigma_w^2\,q^{n-1}M_n>0 , \]
@expansion
Since $f^{(n)}(c)>0$ for $0\le c\le1$ (in Hermite's polynomials it is a power series with positive coefficients),
consecutive partial sums of the first line enclose $f$. For all $-1\le c\le1$ what it leaves out after $t^n$ is at most
$f_{n+1}t^{n+1}/(n+1)!$, by Taylor's formula and $|f^{(n+1)}(c)|\le f_{n+1}$, which is the Cauchy--Schwarz inequality
for $f^{(n+1)}(c)=\sigma_w^2q^n\,\mathbb E[\phi^{(n+1)}(\sqrt q\,U)\phi^{(n+1)}(\sqrt q\,V)]$; the series itself is in
general only asymptotic.
@table
"""

_KINKED = r"""
But @jumps: there $@following$ contains a delta function, and Price's theorem gives, in addition to the regular
part, for every such point $b$ with jump $J_b$ of $@derivative$,
\[
  \frac{d}{dc}\,\mathbb E\bigl[@derivative(\sqrt q\,U)\,@derivative(\sqrt q\,V)\bigr]
  =\cdots+\sum_b J_b^2\,\frac{e^{-b^2/(q(1+c))}}{2\pi\sqrt{1-c^2}} .
\]
The square root of $1-c$ is in the denominator; returning to $f$ integrates it @count times, which gives
$(1-c)^{@half}$: the first odd power of the uniformiser $t=\sqrt{1-c}$ is $t^{@odd}$. In integrated form, let $g_j$
be the $j$-th derivative of $\phi$ between its breakpoints~$b$, $J_j(b)$ its jump there, $G_j(c)=\mathbb E[g_j(\sqrt
q\,U) g_j(\sqrt q\,V)]$, and $p$, $p_s$ the densities of $\sqrt q\,U$ and of $\sqrt q\,(U,V)$ at correlation~$s$; then
\begin{align*}
  G_j(c)=G_j(1)-q\int_c^1\Bigl(&G_{j+1}(s)+2\sum_bJ_j(b)\,p(b)\,\mathbb E\bigl[g_{j+1}\bigl(sb+\sqrt{q(1-s^2)}\,Z\bigr)
  \bigr] \\
  &+\sum_{b,b'}J_j(b)J_j(b')\,p_s(b,b')\Bigr)\,ds , \qquad |G_j(s)|\le G_j(1) .
\end{align*}
Used $n$ times it leaves an integral of the bounded $G_n$, which is $O(t^{2n})$; the expectation and the densities
expand in powers of~$t$, apart from what is smaller than all of them. So, with $e_k$ the coefficient of~$t^k$,
@expansion
where, by all products of jumps and one-sided derivatives,
@formulas
@table
"""
_COUNTS = {1: "two", 2: "three", 3: "four"}


def _in_moments(a: Account) -> str:
    phi, edge = a.net.activation, a.form == "abel"
    expansion = _expansions(a, 7, 5)
    kind = fill(_SMOOTH, expansion=expansion, table=tables(a)) if a.root == 1 else _kinked(a, phi, expansion)
    regular = r" \quad\text{(without delta functions)}" if phi.piecewise.breaks else ""
    first, label = (_EDGE, "map") if edge else (_ORDERED, "moments")
    return fill(_MOMENTS, kind=kind.strip(), regular=regular, first=first, label=label, basin=_basin(a))


def moments(a: Account, net) -> str:
    """The section in front of the steps of a law at c = 1 off the Edge of Chaos, whose coefficients have letters."""
    a = replace(a, net=net)
    return f"{_in_moments(a)}\n" if shown_constants(a) else ""


def _kinked(a: Account, phi, expansion: str) -> str:
    order = phi.singular_order
    odd = 2 * order + 1
    jumps = [rf"${derivative(order)}$ jumps by ${tex(jump)}$ at $x={tex(point)}$"
             for point, jump in phi.jumps(order).items()]  # fmt: skip
    return fill(
        _KINKED, jumps=" and ".join(jumps), derivative=derivative(order), following=derivative(order + 1),
        count=_COUNTS.get(order, str(order + 1)), half=f"{odd}/2", odd=odd, expansion=expansion, formulas=formulas(a),
        table=tables(a),
    )  # fmt: skip


def derivative(order: int) -> str:
    return r"\phi" + ("'" * order if order <= 3 else f"^{{({order})}}")


# ---- coefficients by moments ------------------------------------------------------------------------


def shown_constants(a: Account) -> list[RealConstant]:
    """The constants in what is shown: map, laws, A, P and H; in the order of their numbers."""
    linear = a.find("linear", "particular")
    expansions = [map_expansion(a), a.told.expansion, a.find("uniformiser")["growth"].truncate(E_TERMS)]
    expansions += [a.abel if a.form == "abel" else a.coordinate[a.form].truncate(E_TERMS)]
    expansions += [a.correlation.expansion] if a.correlation else []
    expansions += [linear["particular"].truncate(P_TERMS), linear["homogeneous"].truncate(H_TERMS)] if linear else []
    coefficients = [c for expansion in expansions for _, c in expansion.terms]
    coefficients += [a.omega] if a.root == 1 else []
    found = set().union(*(c.atoms(RealConstant) for c in coefficients))
    numbered = (c for c in found if re.fullmatch(r"f\d+|e_\d+", c.name))
    return sorted(numbered, key=lambda c: int(re.sub(r"\D", "", c.name)))


def _order(a: Account) -> int:
    return max(map(power_of, shown_constants(a)), default=2)


def power_of(c: RealConstant) -> int:
    """The power of sqrt(1-c) of which the constant is a coefficient."""
    number = int("".join(ch for ch in c.name if ch.isdigit()))
    return 2 * number if c.name.startswith("f") else number


def formulas(a: Account) -> str:
    """e_4 = ..., each as a sum of what the moment and what the jumps give."""
    f = a.net.correlation_map
    rows = [(tex(letter(c)), sum_pieces(f.by_moments(power_of(c)))) for c in shown_constants(a)]
    return displays(rows, end=".")


# ---- numbers ----------------------------------------------------------------------------------------


def tables(a: Account) -> str:
    """The moments with their formulas where there are any, and the coefficients."""
    exact = _exact_moments(a)
    parts = []
    if exact:
        shown = columns([rf"M_{{{n}}} = {inline(sum_pieces(value))}" for n, value in exact.items()])
        parts.append("The moments have the closed forms\n" + shown)
    return "\n".join([*parts, "In numbers,", _number_table(a)])


def _exact_moments(a: Account) -> dict[int, Expr]:
    """M_n(q) where it has a formula that fits on a line."""
    found = {n: a.net.correlation_map.closed_moment(n) for n in range(_order(a) // 2 + 1)}
    if any(value is None for value in found.values()):
        return {}
    spread = {n: merged(Add(*expand(value).args) if value.is_Add else value) for n, value in found.items()}
    return {n: value for n, value in spread.items() if width(inline(sum_pieces(value))) < 30}


def _number_table(a: Account) -> str:
    left = [(rf"M_{{{n}}}", a.net.correlation_map.moment(n, a.digits + 5)) for n in range(_order(a) // 2 + 1)]
    with mp.workdps(a.digits + 10):
        right = [(tex(letter(c)), to_mpf(c)) for c in shown_constants(a)]
    cells = [[f"${name}$ & ${digit_lines(value, min(a.digits, 30))[0]}$" for name, value in side]
             for side in (left, right)]  # fmt: skip
    lines = map(" & ".join, zip_longest(*cells, fillvalue=" & "))
    return (
        "\\[\n\\mbox{\\small\\begin{tabular}{@{}llcll@{}}\n\\toprule\n"
        + " \\\\\n".join(lines)
        + " \\\\\n\\bottomrule\n\\end{tabular}}\n\\]"
    )
