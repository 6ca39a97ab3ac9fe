"""One text for every kind of step: what a derivation found, in words and formulas; nothing is derived here."""

import re
from collections.abc import Callable

from sympy import Expr, Rational, Symbol, expand_log, log

from asympt.expansions import Expansion, Monomial, Scale
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, stride
from asympt.recursions.coordinates.abel_inversion import C, D
from asympt.recursions.protocol import Step
from asympt.writing.account import Account, with_letters
from asympt.writing.formulas import Piece, break_lines, columns, constant, display, displays, slashes, sum_pieces, tex
from asympt.writing.recursion_formulas import running
from asympt.writing.recursion_koenigs import koenigs_rows
from asympt.writing.recursion_steps import (
    abel_rows,
    ansatz,
    equation_rows,
    power_of_t,
    residue_pieces,
    solved_residue,
)
from asympt.writing.template import fill

SHORT = 50  # characters of a weight in the text
LONGEST = 4  # lines of a formula that is written out

# ---- the map ------------------------------------------------------------------------------------------

_RATIO = r"""
\section{The map at its fixed point}\label{sec:map}
@where One layer takes~$y$ to
@image
@pace
"""
_ROOT = r"where $t=y^{1/@root}$ is the uniformiser in which the map is a power series"
_PARABOLIC = r"The factor of $y$ is $1$: the fixed point is approached like a power of~$@depth$."
_HYPERBOLIC = r"The factor of $y$ is $\chi=@chi$, and orbits approach the fixed point geometrically."


def ratio(a: Account, step: Step) -> str:
    """y' in t."""
    image = step["ratio"] * Expansion.variable(AT_FIXED_POINT).power(a.root)
    uniform = " " + fill(_ROOT, root=a.root).strip() if a.root > 1 else ""
    shown = [Piece(p.sign, p.body if a.root > 1 else _in_y(p.body), tuple(Piece(q.sign, _in_y(q.body) if a.root == 1
             else q.body) for q in p.more)) for p in a.pieces(image, 3, 5)]  # fmt: skip
    chi = running(a.notation.constant(step["multiplier"]))
    text = _PARABOLIC if a.form == "abel" else _HYPERBOLIC
    end = "," if uniform else "."
    found = fill(_RATIO, where=a.subject.variable, image=display("y'", shown, "eq:map", end=end),
                 pace=uniform.strip() + (". " if uniform else "") + fill(text, chi=chi, depth=a.at_depth).strip())
    return found


def _in_y(body: str) -> str:
    """y for t, where both are the same."""
    return re.sub(r"(?<![A-Za-z\\])t(?![A-Za-z])", "y", body)


_GROWN = r"""
\section{The map}\label{sec:map}
For large $q$ one layer takes the variance to
@image
so that it grows like $\chi^{-l}$; inserting the law into this determines its other terms.
"""


def grown(a: Account, step: Step) -> str:
    """q' in q."""
    return fill(_GROWN, image=display("q'", a.all_pieces(step["grown"]), "eq:map", end=","))


_DRIFT = r"""
\section{The drift}\label{sec:map}
Layer~$@depth$ takes $y$ to $y-\delta_{@depth}\,h(y)$ with the step size $\delta_{@depth}=@step$ and@uniform
@drift
"""


def drift(a: Account, step: Step) -> str:
    """h and the step size."""
    root = int(step["root"])
    uniform = rf", in $t=y^{{1/{root}}}$," if root > 1 else r", with $t=y$,"
    shown = display("h", a.pieces(step["drift"], 2, 4), "eq:drift")
    return fill(_DRIFT, depth=a.at_depth, step=running(tex(step["step"])), uniform=uniform, drift=shown)


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
    """X' = lambda X + b."""
    factor, added = step["multiplier"], step["affine"]
    first = "X" if factor == 1 else rf"{_bracketed(tex(with_letters(factor)), factor)}\,X"
    shown = tex(with_letters(added))
    right = first if added == 0 else f"{first}{shown if shown.startswith('-') else '+' + shown}"
    text = _SUMMED if a.law.expansion.remainder is not None or factor.has(a.depth) or added.has(a.depth) else _SOLVED
    return fill(_AFFINE, right=right, solution=fill(text, depth=a.at_depth).strip())


def _bracketed(shown: str, value: Expr) -> str:
    return rf"\Bigl({shown}\Bigr)" if value.is_Add else shown


_AVERAGING = r"""
\section{Positions become alike}\label{sec:positions}
Along one offset $\alpha'-\alpha$ the correlations at the $M$ positions are first mapped like those of a fully
connected network and then averaged over the filter \cite[Appendix Lemma~2]{HDR}. The average keeps the mean over the
positions; the Fourier modes in which positions differ are multiplied by eigenvalues, the largest of which in size is
$\lambda_2=@second$@number. So the differences fade like $\lambda_2^l$, faster than any power of the depth, and to
all orders of the law the mean moves as in the fully connected (or residual) network of the same activation, from an
effective start that the constants contain.
"""


def averaging(a: Account, step: Step) -> str:
    """The modes and the mean."""
    second = step["averaging"]
    number = "" if second.is_Rational else rf"\approx{second.evalf(6)}"
    return fill(_AVERAGING, second=running(tex(second)), number=f"${number}$" if number else "")


_LEADING = r"""
\section{Derivation}\label{sec:map}
As the variance grows, the activation acts more and more like the step of its two limits, and layer~$l$ moves the
correlation by $(g(c)-c)/l$ to leading order, with
@drift
Here $g'(1)=\infty$, so that $c=1$ repels, and $c$ tends to the zero $c_*=@fixed$ of this drift, where its slope
is $-p$, $p=@exponent$: the distance from~$c_*$ falls like $l^{-p}$. Only leading orders are derived.
"""


def leading(a: Account, step: Step) -> str:
    """The drift of the correlation and its zero."""
    c = next(iter(step["drift"].free_symbols))
    shown = display("g(c)-c", sum_pieces(step["drift"].subs(c, Symbol("c"))))
    fixed, power = (_with_digits(step[name]) for name in ("fixed", "exponent"))
    return fill(_LEADING, drift=shown, fixed=fixed, exponent=power)


def _with_digits(value: Expr) -> str:
    return running(constant(value)) if not hasattr(value, "evaluator") else rf"{value.evalf(15)}\ldots"


# ---- the uniformiser ------------------------------------------------------------------------------------

_GROWTH = r"""
\section{One layer in the uniformiser}\label{sec:uniformiser}
With $y=@power$ one layer is $t'=@lead t\,\bigl(1+@e(t)\bigr)$,
@growth
"""


def growth(a: Account, step: Step) -> str:
    """e(t)."""
    power = "t" if a.root == 1 else f"t^{{{a.root}}}"
    lead = "" if a.form == "abel" else r"\mu\," if a.root > 1 else r"\chi\,"
    e = a.growth_letter
    shown = display(f"{e}(t)", a.pieces(step["growth"], 3, 4), "eq:growth")
    text = fill(_GROWTH, power=power, lead=lead, e=e, growth=shown)
    return text + (rf"where $\mu=\chi^{{1/{a.root}}}$." + "\n" if lead.startswith(r"\mu") else "")


# ---- the coordinate ---------------------------------------------------------------------------------------

_ABEL = r"""
\section{The Abel function}\label{sec:coordinate}
We look for the coordinate in which one layer is a step of length one,
\begin{equation}
  A(@image)=A(t)+@advance, \qquad A(t)=@ansatz , \qquad \alpha_0=0,
  \label{eq:abel}
\end{equation}
where $\alpha_0=0$ is a normalisation. With $@e(t)=@series$ the coefficients of $@powers$ in
$A(t(1+@e))-A(t)-@advance$ are
@rows
and so on. The coefficient of $t^{k+@m}$ is $k\,@{e}_{@m}\,\alpha_k$ plus terms in the unknowns before: the system is
triangular. At $k=0$ the factor vanishes, and the logarithm, whose share is $@{e}_{@m}\beta$, takes the place of
$\alpha_0$: its weight $\beta@residue$ is the \emph{iterative residue} of the map \cite{Milnor}. Here
@numbers
and with them
@abel
By construction $A(t_{@depth+1})=A(t_{@depth})+1$ along an orbit, so
\begin{equation}
  A(t_{@depth})=@depth+C ,
  \label{eq:constant}
\end{equation}
where the connection constant $C$ of the start is $\lim(A_N(t_{@depth})-@depth)$ for any truncation $A_N$ after $t^N$,
$N\ge0$: the series is asymptotic.
"""


def abel(a: Account, step: Step) -> str:
    """The system, its solution and C."""
    advance = int(step["advance"])
    known = a.find("uniformiser")["growth"]
    g = stride([known.coefficients.get(Monomial(k), 0) for k in range(1 + int(known.terms[-1][0].order))])
    e = a.growth_letter
    rows = abel_rows(a.m, g, advance, e)
    solved = solved_residue(rows)
    return fill(
        _ABEL, image="t''" if advance == 2 else "t'", advance=advance, ansatz=ansatz(a.m, g, advance == 2),
        e=e, series="+".join(rf"{e}_{{{k}}}{power_of_t(k)}" for k in (a.m, a.m + g)) + r"+\cdots",
        powers=",".join(power_of_t(row.power) if row.power else "1" for row in rows[:3]) + r",\dots",
        rows=equation_rows(rows), m=a.m, residue="" if solved is None else "=" + slashes(residue_pieces(solved)),
        numbers=_solved_values(a, rows, known, g),
        abel=display("A(t)", a.pieces(step["abel"], 4, 6), "eq:A"), depth=a.at_depth,
    )  # fmt: skip


def _solved_values(a: Account, rows: list, known: Expansion, g: int) -> str:
    """The coefficients of e in the rows and the first unknowns, those that fit on a line."""
    names = {s.name for row in rows[:-1] for s in row.expression.free_symbols}
    used = sorted(int(name[3:-1]) for name in names if not name.startswith("\\alpha") and "_" in name)
    values = [(rf"{a.growth_letter}_{{{k}}}", known.coefficients.get(Monomial(k), 0 * a.alpha)) for k in used]
    values += [(rf"\alpha_{{{k}}}", a.abel.coefficients.get(Monomial(k), 0 * a.alpha)) for k in range(-a.m, 0, g)]
    said = [f"{name} = {a.notation.constant(value)}" for name, value in [*values, (r"\beta", a.beta)]]
    return columns(said, end=" ,")


_KOENIGS = r"""
\section{The Koenigs function}\label{sec:coordinate}
We look for the coordinate in which one layer is a multiplication,
\begin{equation}
  S(y')=\chi\,S(y), \qquad S(y)=y+\cdots ,
  \label{eq:koenigs}
\end{equation}
where the coefficient $1$ of $y$ is a normalisation. In powers of $@variable$ the new unknown $s_k$ of
$@name=@variable+\sum_{k\ge2}s_k@variable^k$@power comes with the factor $@pace^k-@pace$, which is not zero for
$k\ge2$: the system is triangular, there is no resonance, hence no logarithm. With
$@variable'=@pace\,@variable+g_2@variable^2+\cdots$ it begins with
@rows
The solution is
@solution
Along an orbit $S(y_{@depth+1})=\chi\,S(y_{@depth})$, so
\begin{equation}
  S(y_{@depth})=C\,\chi^{@depth}, \qquad C=\lim_{@depth\to\infty}\chi^{-@depth}y_{@depth} .
  \label{eq:constant}
\end{equation}
By Koenigs' theorem \cite{Koenigs,MilnorKoenigs} the limit exists and $S$ is analytic where the map is.
"""


def koenigs(a: Account, step: Step) -> str:
    """The system, its solution and C."""
    simple = a.root == 1
    variable, pace, name = ("$y$", r"\chi", "S") if simple else ("$t$", r"\mu", "U")
    rows = [(power, expression) for power, expression in koenigs_rows("s")[:2]]
    lines = [rf"{variable[1]}^{power}:\quad 0 = {tex(expression)}".replace(r"\chi", pace) for power, expression in rows]
    pieces = a.pieces(step["koenigs"], 4, 5)
    shown = [Piece(p.sign, _in_y(p.body), tuple(Piece(q.sign, _in_y(q.body)) for q in p.more)) for p in pieces]
    text = fill(
        _KOENIGS, variable=variable[1], name=name, pace=pace, depth=a.at_depth,
        power="" if simple else rf", $S=U^{{{a.root}}}$,", rows=columns(lines),
        solution=display("S", shown if simple else pieces, "eq:S"),
    )  # fmt: skip
    return _in_base(a, text)


def _in_base(a: Account, text: str) -> str:
    r"""\chi written as the letter or the parameter that it is."""
    base = tex(a.notation.base)
    return text if base == r"\chi" else re.sub(r"\\chi(?!_)", lambda _: base + " ", text)


_TIME = r"""
\section{The flow time}\label{sec:coordinate}
In the flow time $T$, $dT/dy=-1/h$, a layer is a step of length $\delta_{@depth}$, up to what is of second order in it.
Integrated term by term, without a constant,
@time
The step sizes add up to the clock
@clock
and so $T(y_{@depth})$ is the clock plus a connection constant~$C$ of the start, plus what is small.
"""


def time(a: Account, step: Step) -> str:
    """T and the clock."""
    clock = step["clock"]
    shown = display(rf"\sum^{{{a.at_depth}}}\delta", a.pieces(clock, 2, 4), "eq:clock", end=",")
    return fill(_TIME, depth=a.at_depth, time=display("T", a.pieces(step["time"], 3, 6), "eq:T"), clock=shown)


# ---- its inversion ------------------------------------------------------------------------------------------

_DEPTH = r"""
\section{Inversion}\label{sec:inversion}
Put $s=\alpha\,t^{-@m}$@alpha@shifted. Then~(\ref{eq:constant}) reads
@balance
Inserting this into itself again and again, starting from $s\approx @depth$, gives
@s
and with it
@t
"""


def depth(a: Account, step: Step) -> str:
    """s and t at large depth."""
    return fill(
        _DEPTH, m=a.m, alpha=_alpha(a), depth=a.at_depth, shifted=_shifted(a),
        balance=_balance(a), s=display(f"s_{{{a.at_depth}}}", a.pieces(step["s"], 4, 6), end=","),
        t=display(f"t_{{{a.at_depth}}}", a.pieces(step["t"], 4, 5), "eq:t"),
    )  # fmt: skip


def _alpha(a: Account) -> str:
    """' with alpha = ...', nothing where alpha is the letter of a family."""
    shown = running(a.notation.constant(a.alpha))
    return "" if shown == r"\alpha" else rf" with $\alpha={shown}$"


def _shifted(a: Account) -> str:
    share = r"\beta" if a.m == 1 else rf"\tfrac{{\beta}}{{{a.m}}}"
    return "" if a.notation.shift == 0 else rf"{' and' if _alpha(a) else ' with'} $B=C-{share}\log\alpha$"


def _balance(a: Account) -> str:
    """s = l + B + (beta/m) log s - ..."""
    s, terms = Scale.at_infinity(Symbol("s", positive=True)), {}
    for monomial, c in a.abel.terms[1:4]:
        order = Rational(monomial.order) / a.m
        terms[Monomial(order, monomial.logs)] = a.beta / a.m if monomial.logs else -c * a.alpha**order
    pieces = a.notation.pieces(Expansion.build(s, terms))
    first = Piece("+", "C" if a.notation.shift == 0 else "B")
    return display("s", [Piece("+", a.at_depth), first, *pieces, Piece("+", r"\cdots")])


_INVERSE = r"""
\section{Inversion}\label{sec:inversion}
By~(\ref{eq:constant}) $t_{@depth}=U^{-1}(z)$ with $z=@argument$@power, and reverting the series
@inverse
"""


def inverse(a: Account, step: Step) -> str:
    """U^(-1)."""
    simple = a.root == 1
    text = fill(
        _INVERSE, depth=a.at_depth, argument=rf"C\chi^{{{a.at_depth}}}" if simple
        else rf"(C\chi^{{{a.at_depth}}})^{{1/{a.root}}}", power=", $U=S$" if simple else "",
        inverse=display("U^{-1}(z)", a.pieces(step["inverse"], 4, 5), "eq:inverse"),
    )  # fmt: skip
    return _in_base(a, text)


_REVERSED = r"""
\section{Inversion}\label{sec:inversion}
Reverting the series of $T$, with $Y$ for its value,
@reversed
where $Y$ is the clock plus $C$, plus what is small.
"""


def reversed_(a: Account, step: Step) -> str:
    """y in T."""
    return fill(_REVERSED, reversed=display("y", a.pieces(step["reversed"], 3, 5), "eq:inverse", end=","))


# ---- a linear recursion along it ----------------------------------------------------------------------------

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
the freedom to add a multiple of $H$ and is set to $0$, and the equation is met by a logarithm times~$H$@omega
"""


def linear(a: Account, step: Step) -> str:
    """lambda, b, P, H and D."""
    given = [(name, a.pieces(step[key], 3, 4)) for name, key in ((r"\lambda", "multiplier"), ("b", "forcing"))
             if key in step and isinstance(step[key], Expansion)]  # fmt: skip
    coefficients = ", with\n" + displays(given, end=".") if given and a.form != "time" else "."
    logs = any(monomial.logs for monomial, _ in step["particular"].terms)
    shown = [("P(t)", a.pieces(step["particular"], 5, 6))]
    if "homogeneous" in step:
        shown.append(("H(t)", a.pieces(step["homogeneous"], 4, 4)))
    return fill(
        _LINEAR, quantity=_kernel(a), depth=a.at_depth, coefficients=coefficients,
        factor=rf"\lambda_0^{{{a.at_depth}}}\," if "base" in step else "",
        resonance=fill(_RESONANCE, omega=_weight(a)).rstrip() if logs else ".", solutions=displays(shown, "eq:P"),
    )  # fmt: skip


def _weight(a: Account) -> str:
    """', of weight omega = ....', by its digits where the formula is very long."""
    if a.omega == 0:
        return "."
    if len(shown := running(a.notation.constant(a.omega))) <= SHORT:
        return rf", of weight $\omega={shown}$."
    pieces = a.notation.pieces(Expansion.build(AT_FIXED_POINT, {(0, 0): a.omega}))
    if a.omega.free_symbols or len(break_lines(pieces, taken=4)) <= LONGEST:
        return ", of weight\n" + display(r"\omega", pieces).rstrip()
    return rf", of weight $\omega\approx{a.omega.evalf(10)}$, a formula that fills half a page."


def _kernel(a: Account) -> str:
    return "The kernel of two inputs, in units of the variance," if a.law.name == "ntk" else "The quantity"


_COMPONENTS = r"""
\section{The component along it}\label{sec:linear}
The component obeys a linear recursion whose coefficients are Gaussian moments, power series in $u=K_{00}$. It is solved
by the series
@series
in which the constants other than $C$ are those of the start.
"""


def components(a: Account, step: Step) -> str:
    """The components as series in u."""
    rows = [(rf"\text{{{name}}}(t)", a.pieces(series, 5, 5)) for name, series in step.objects.items()]
    return fill(_COMPONENTS, series=displays(rows, "eq:P", end=","))


# ---- the quantity ---------------------------------------------------------------------------------------------

_QUANTITY = r"""
\section{The law}\label{sec:law}
@seen@inserted gives~(\ref{eq:law}).
"""


def quantity(a: Account, step: Step) -> str:
    """How the law follows."""
    if not a.form:
        return ""
    seen = ""
    if "seen" in step and len(step["seen"].terms) > 1:
        seen = f"The quantity is\n{display(a.law.quantity, a.pieces(step['seen'], 2, 4))}\n"
    if a.find("linear"):
        where = "Inserting the orbit of Section~\\ref{sec:inversion}" if a.find("inversion") else "Inserting the orbit"
        divided = f" and dividing by ${a.at_depth}$" if getattr(a.law, "average", False) else ""
        return fill(_QUANTITY, seen=seen, inserted=f"{where} into the solution of Section~\\ref{{sec:linear}}{divided}")
    orbit = rf"$t=t_{{{a.at_depth}}}$" if a.form != "time" else "the clock"
    return fill(_QUANTITY, seen=seen, inserted=f"Inserting {orbit}")


TEXTS: dict[str, Callable[[Account, Step], str]] = {
    "ratio": ratio, "drift": drift, "affine": affine, "averaging": averaging, "fixed": leading, "grown": grown,
    "growth": growth, "abel": abel, "koenigs": koenigs, "time": time, "t": depth, "inverse": inverse,
    "reversed": reversed_, "particular": linear, "law": quantity,
}  # fmt: skip


def derivation(a: Account) -> str:
    """Every step of the law."""
    return "\n".join(TEXTS.get(step.form, components)(a, step) for step in a.told.steps)


def shift_words(a: Account) -> str:
    """', with B = C - (beta/m) log(alpha)'; nothing where B is C."""
    said = []
    if a.notation.shift != 0 and a.has(C):
        said.append(rf"$B=C{_minus(a, -a.beta / a.m, _share(a, 'beta'))}$")
    if a.notation.second != 0 and a.has(D):
        said.append(rf"$E=D{_minus(a, a.omega / a.m, _share(a, 'omega'))}$")
    return f", with {' and '.join(said)}" if said else ""


def shift_letters(a: Account) -> list[str]:
    """'beta = ...' where B is said with that letter."""
    if a.notation.shift == 0 or not a.has(C) or not _is_long(a, a.beta / a.m):
        return []
    shown = rf"\beta={running(a.notation.constant(a.beta))}"
    return [shown if len(break_lines([Piece("+", shown)])) == 1 else rf"\beta\approx{a.beta.evalf(10)}"]


def _share(a: Account, letter: str) -> str:
    return rf"\{letter}" if a.m == 1 else rf"\tfrac{{\{letter}}}{{{a.m}}}"


def _is_long(a: Account, weight: Expr) -> bool:
    """Whether a weight of log(alpha) is better called by its letter."""
    return len(a.notation.constant(weight)) > SHORT


def _minus(a: Account, weight: Expr, letter: str) -> str:
    """weight log(alpha) with its sign; `letter`: of a long weight, which is that of the weight of C or minus it."""
    logarithm = expand_log(log(with_letters(a.alpha)), force=True)
    number, rest = logarithm.as_coeff_Mul()
    turned = number == -1 and isinstance(rest, log)
    rest = rest if turned else log(with_letters(a.alpha))
    shown = tex(rest)
    if _is_long(a, weight):
        positive = (letter.find("beta") < 0) != turned
        return f"{'+' if positive else '-'}{letter}\\,{shown}"
    factor = running(a.notation.constant(-weight if turned else weight))
    sign, factor = ("-", factor[1:].strip()) if factor.startswith("-") else ("+", factor)
    return sign + (shown if factor == "1" else rf"{factor}\,{shown}")
