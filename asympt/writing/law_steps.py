"""One text for every kind of step: what a derivation found, in words and formulas; nothing is derived here."""

import re
from collections.abc import Callable

from mpmath import mp
from sympy import Add, Expr, Integer, Rational, Symbol, degree, expand

from asympt.expansions import Expansion, Monomial, Scale
from asympt.numbers import to_mpf
from asympt.recursions.coordinates.abel import AT_FIXED_POINT, stride
from asympt.recursions.coordinates.abel_inversion import D
from asympt.recursions.protocol import Step, T
from asympt.writing.account import Account, with_letters
from asympt.writing.formulas import (
    LINE,
    Piece,
    break_lines,
    columns,
    constant,
    display,
    displays,
    inline,
    slashes,
    sum_pieces,
    tex,
)
from asympt.writing.recursion_formulas import map_pieces, marked, running, tidy
from asympt.writing.systems import (
    KOENIGS_ROWS,
    abel_rows,
    ansatz,
    equation_rows,
    koenigs_lines,
    power_of_t,
    residue_pieces,
    solved_residue,
)
from asympt.writing.template import fill
from asympt.writing.width import width

SHORT = 50  # characters of a weight in the text
LONGEST = 4  # lines of a formula that is written out

# ---- the map ------------------------------------------------------------------------------------------

_RATIO = r"""
\section{The map at its fixed point}\label{sec:map}
@where One @step takes~$y$ to
@image
@pace
"""
_ROOT = r"where $t=y^{1/@root}$ is the uniformiser in which the map is a power series"
_PACES = {
    "abel": r"The factor of $y$ is $1$: the fixed point is approached like a power of~$@depth$.",
    "koenigs": r"The factor of $y$ is $\chi@chi$, and orbits approach the fixed point geometrically.",
}
_TURNS = r"""
The factor of $y$ is $-1$: orbits jump from one side of the fixed point to the other. So two steps at a time are
considered: $y''$ is $y$ after two steps.
"""


def ratio(a: Account, step: Step) -> str:
    """y' as a closed form where there is a short one, and in t."""
    image = step["ratio"] * Expansion.variable(AT_FIXED_POINT).power(a.root)
    closed, ends = _closed(a, step)
    shown = [] if ends else [_plain(a, piece) for piece in a.pieces(image, 3, 5)]
    uniform = " " + fill(_ROOT, root=a.root).strip() if a.root > 1 and not ends else ""
    base = tex(a.notation.base)
    chi = "" if a.notation.base.is_Symbol and base != r"\chi" else "=" + running(_value(a, step["multiplier"]))
    text = _TURNS if a.turns else fill(_PACES[a.form if a.form == "abel" else "koenigs"], chi=chi, depth=a.at_depth)
    left = rf"y'={inline(closed)}" if closed and not ends else "y'"
    found = fill(
        _RATIO, where=a.subject.variable, step=a.subject.step,
        image=display(left, shown or closed, "eq:map", end="," if uniform else "."),
        pace=uniform.strip() + (". " if uniform else "") + text.strip(),
    )  # fmt: skip
    return _in_base(a, found)


def _value(a: Account, multiplier: Expr) -> str:
    r"""chi in numbers and letters."""
    return a.base_value.partition("=")[2] or a.notation.constant(multiplier)


def _closed(a: Account, step: Step) -> tuple[list[Piece], bool]:
    """y' as a closed form in y where that is short, and whether it is a finite sum of powers, which needs no series."""
    if "formula" not in step:
        return [], False
    y = Symbol("y", positive=True)
    image = a.notation(step["formula"].subs(T, y ** Rational(1, a.root)))
    image = image.expand() if a.root > 1 else _spread(image, y)
    pieces = map_pieces(image, y, ascending=True)
    ends = all(not term.as_coeff_exponent(y)[0].has(y) for term in Add.make_args(image))
    return (pieces, ends) if ends or width(inline(pieces)) <= LINE / 2 else ([], False)


def _spread(image: Expr, variable: Symbol) -> Expr:
    """A polynomial as a sum, a rational function with its signs in order."""
    return image.expand() if image.is_polynomial(variable) else tidy(image)


def _plain(a: Account, piece: Piece) -> Piece:
    """y for t, where both are the same."""
    if a.root > 1:
        return piece
    return Piece(piece.sign, _in_y(piece.body), tuple(Piece(p.sign, _in_y(p.body)) for p in piece.more))


def _in_y(body: str) -> str:
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
\section{@steps in the uniformiser}\label{sec:uniformiser}
With $y=@power$ @one $@image=@closed@lead t\,\bigl(1+@e(t)\bigr)$,
@growth
@meaning
"""
_MEANING = r"""
Here $m=@m$ is the leading exponent@stride: $@e(t)=@{e}_{@m}@first+\cdots$ with $@{e}_{@m}=@value<0$. Then
$(@image)^{-@m}=t^{-@m}+@gain+\cdots$, so that $t^{-@m}$ grows by about $@plain$ @often, and $@size\sim@leading$ with
$\alpha@alpha$. The next terms follow from the coordinate in which @exact.
"""


def growth(a: Account, step: Step) -> str:
    """e(t), and what its leading term means; nothing where t is y and no more than the series of y' is needed."""
    if a.form == "koenigs" and a.root == 1:
        return ""
    power = "t" if a.root == 1 else f"t^{{{a.root}}}"
    lead = "" if a.form == "abel" else r"\mu\," if a.root > 1 else r"\chi\,"
    one = "two steps are" if a.turns else f"one {a.subject.step} is"
    text = fill(
        _GROWTH, steps="Two steps" if a.turns else f"One {a.subject.step}", power=power, one=one,
        image="t''" if a.turns else "t'", closed=_twice(a, step) if a.turns else "", lead=lead,
        e=a.growth_letter, growth=display(f"{a.growth_letter}(t)", a.pieces(_growth(step), 3, 4), "eq:growth"),
        meaning=_meaning(a, step["growth"]) if a.form == "abel" else "",
    )  # fmt: skip
    text += rf"where $\mu=\chi^{{1/{a.root}}}$." + "\n" if lead.startswith(r"\mu") else ""
    return _in_base(a, text)


def _twice(a: Account, step: Step) -> str:
    """t'' as a closed form, where that is short."""
    shown = inline(map_pieces(_spread(a.notation(step["formula"]), T), T, ascending=True))
    return f"{shown}=" if width(shown) <= LINE / 2 else ""


def _growth(step: Step) -> Expansion:
    """e(t), without a remainder where the map is a polynomial."""
    known = step["growth"]
    ends = "formula" in step and step["formula"].is_polynomial(T)
    return known.without_remainder() if ends and degree(step["formula"], T) <= known.remainder.monomial.order else known


def _meaning(a: Account, known: Expansion) -> str:
    """How fast t^(-m) grows."""
    _, first = known.leading
    value, gain = (running(a.notation.constant(c)) for c in (first, -a.m * first))
    every = known_stride(known)
    return fill(
        _MEANING, m=a.m, stride=rf", and only powers of $t^{{{every}}}$ occur" if every > 1 else "",
        first=power_of_t(a.m), value=value, image="t''" if a.turns else "t'", plain=gain,
        gain=f"({gain})" if gain.startswith("-") else gain, alpha=_alpha(a) and f"={_alpha(a)}", e=a.growth_letter,
        often="in two steps" if a.turns else f"a {a.subject.step}",
        size=f"|t_{a.at_depth}|" if a.turns else f"t_{a.at_depth}",
        leading=rf"\alpha/{a.at_depth}" if a.m == 1 else rf"(\alpha/{a.at_depth})^{{1/{a.m}}}",
        exact="two steps are exactly two" if a.turns else f"every {a.subject.step} is exactly one",
    ).strip()  # fmt: skip


def known_stride(known: Expansion) -> int:
    """g: e is a series in t^g."""
    return stride([known.coefficients.get(Monomial(k), 0) for k in range(1 + int(known.terms[-1][0].order))])


# ---- the coordinate ---------------------------------------------------------------------------------------

_ABEL = r"""
\section{The Abel function}\label{sec:coordinate}
We look for the coordinate in which @one,
\begin{equation}
  A(@image)=A(t)+@advance, \qquad A(t)=@ansatz , \qquad \alpha_0=0,
  \label{eq:abel}
\end{equation}
where $\alpha_0=0$ is a normalisation. With $@e(t)=@series$ the coefficients of $@powers$ in
$A(t(1+@e))-A(t)-@advance$ are
@rows
and so on. The coefficient of $t^{k+@m}$ is $k\,@{e}_{@m}\,\alpha_k$ plus terms in the unknowns before: the system is
triangular. At $k=0$ the factor $k\,@{e}_{@m}$ vanishes, and without a logarithm the equation would be a condition on
the map; the logarithm, whose share is $@{e}_{@m}\beta$, takes the place of $\alpha_0$ and meets it. Its weight
$\beta@residue$ is the \emph{iterative residue} of the map \cite{Milnor}.@none Here
@numbers
and with them
@abel
@consequence, so
\begin{equation}
  A(t_{@depth})=@depth+C@parities ,
  \label{eq:constant}
\end{equation}
where the connection constant $C$ of the start is $\lim(A_N(t_{@depth})-@depth)$ for any truncation $A_N$ after $t^N$,
$N\ge0$: the series is asymptotic, not convergent.
"""
_NO_LOG = " For this map it happens to be zero: no logarithm is needed."
_ALONG = r"By construction $A(t_{@depth+1})=A(t_{@depth})+1$ along an orbit"
_ALONG_BOTH = r"""
The same series serves on both sides of the fixed point, $t<0$ included. The map commutes with its second iterate, so
that $A(t')-A(t)$ is a constant, the same on both sides; twice that constant is $2$. Hence $A(t')=A(t)+1$ along an orbit
"""


def abel(a: Account, step: Step) -> str:
    """The system, its solution and C."""
    known, advance = a.find("uniformiser")["growth"], int(step["advance"])
    g = known_stride(known)
    e = a.growth_letter
    rows = abel_rows(a.m, g, advance, e)
    solved = solved_residue(rows)
    along = (_ALONG_BOTH if a.turns else fill(_ALONG, depth=a.at_depth)).strip()
    return fill(
        _ABEL, image="t''" if a.turns else "t'", advance=advance, ansatz=ansatz(a.m, g, a.turns),
        one="two steps are exactly two" if a.turns else f"one {a.subject.step} is a step of length one",
        e=e, series="+".join(rf"{e}_{{{k}}}{power_of_t(k)}" for k in (a.m, a.m + g)) + r"+\cdots",
        powers=",".join(power_of_t(row.power) if row.power else "1" for row in rows[:3]) + r",\dots",
        rows=equation_rows(rows), m=a.m, residue="" if solved is None else "=" + slashes(residue_pieces(solved)),
        none=_NO_LOG if a.beta == 0 else "", numbers=_solved_values(a, rows, known, g),
        abel=display("A(t)", [_signed_log(a, p) for p in a.pieces(step["abel"], 4, 6)], "eq:A"), depth=a.at_depth,
        consequence=along, parities=rf"\qquad\text{{for even and odd }} {a.at_depth}" if a.turns else "",
    )  # fmt: skip


def _signed_log(a: Account, piece: Piece) -> Piece:
    """log|t| for log t where t may be negative."""
    return Piece(piece.sign, piece.body.replace(r"\log t", r"\log|t|"), piece.more) if a.turns else piece


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
We look for the coordinate in which one @step is a multiplication,
\begin{equation}
  @name(@variable')=@pace\,@name(@variable), \qquad @name(@variable)=@variable+\sum_{k\ge2}s_k@variable^k ,
  \label{eq:koenigs}
\end{equation}
where the coefficient $1$ of $@variable$ is a normalisation. With
$@variable'=@pace\,@variable+g_2@variable^2+g_3@variable^3+\cdots$ the coefficients of
$@variable^2,@variable^3,\dots$ in $@name(@variable')-@pace\,@name(@variable)$ are
@rows
and so on. The new unknown $s_k$ comes with the factor $@pace^k-@pace$, which is not zero for $k\ge2$: the system is
triangular and there is no resonance, hence no logarithm. Here
@numbers
and with them
@solution@power
Along an orbit $S(y_{@depth+1})=\chi\,S(y_{@depth})$, so
\begin{equation}
  S(y_{@depth})=C\,\chi^{@depth}, \qquad C=\lim_{@depth\to\infty}\chi^{-@depth}y_{@depth} .
  \label{eq:constant}
\end{equation}
By Koenigs' theorem \cite{Koenigs,MilnorKoenigs} the limit exists for every start whose orbit tends to the fixed point,
and $S$ is analytic where the map is; the limit defines $S$ where the series does not converge.
"""


def koenigs(a: Account, step: Step) -> str:
    """The system, its solution and C."""
    simple = a.root == 1
    variable, pace, name = ("y", r"\chi", "S") if simple else ("t", r"\mu", "U")
    pieces = [_plain(a, piece) for piece in a.pieces(step["koenigs"], 4, 5)]
    text = fill(
        _KOENIGS, step=a.subject.step, variable=variable, name=name, pace=pace, depth=a.at_depth,
        rows=koenigs_lines(variable).replace(r"\chi", pace), numbers=_image_values(a),
        solution=display(f"S({variable})" if simple else "S", pieces, "eq:S"),
        power="" if simple else "\n" + rf"where $S=U^{{{a.root}}}$.",
    )  # fmt: skip
    return _in_base(a, text)


def _image_values(a: Account) -> str:
    """g_2, g_3 of y' = chi y + g_2 y^2 + ..., or of t'."""
    growth, chi = a.find("uniformiser")["growth"], a.find("map")["multiplier"] ** Rational(1, a.root)
    values = [growth.coefficients.get(Monomial(k - 1), Integer(0)) * chi for k in range(2, KOENIGS_ROWS + 1)]
    return columns([rf"g_{k} = {a.notation.constant(expand(g))}" for k, g in enumerate(values, start=2)], end=" ,")


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
Put $s=\alpha\,t^{-@m}$@alpha. @reads
@balance
Inserting this into itself again and again, starting from $s\approx @depth$, gives@s
and with it @t
"""


def depth(a: Account, step: Step) -> str:
    """s and t at large depth, as far as the theorem does not have them."""
    root = rf"\alpha/s_{{{a.at_depth}}}" if a.m == 1 else rf"(\alpha/s_{{{a.at_depth}}})^{{1/{a.m}}}"
    side = rf"\varepsilon_{{{a.at_depth}}}\," if a.turns else ""
    t = rf"t_{{{a.at_depth}}}={side}{root}"
    s = "\n" + display(f"s_{{{a.at_depth}}}", a.sided(step, "s", 4, 6), end=",")
    known = _is_t(a.find("quantity"))
    return fill(
        _DEPTH, m=a.m, alpha=rf" with $\alpha={_alpha(a)}$" if _alpha(a) else "", depth=a.at_depth, reads=_reads(a),
        balance=_balance(a), s=r"~(\ref{eq:s})," if a.tells_s else s,
        t=f"${t}$, which is {_laws(a)}." if known
        else f"${t}$, that is\n" + display(f"t_{{{a.at_depth}}}", a.sided(step, "t", 4, 5), "eq:t"),
    )  # fmt: skip


def _alpha(a: Account) -> str:
    """alpha; nothing where it is the letter of a family."""
    shown = running(a.notation.constant(a.alpha))
    return "" if shown == r"\alpha" else shown


def _is_t(step: Step) -> bool:
    """Whether the quantity is t itself."""
    return "seen" in step and step["seen"].to_sympy() == T


def _reads(a: Account) -> str:
    """The equation of the constant in s."""
    if a.notation.shift == 0:
        return r"Then~(\ref{eq:constant}) reads"
    log, share = (r"\log|t|" if a.turns else r"\log t"), "" if a.m == 1 else rf"\tfrac1{{{a.m}}}"
    weight = r"\beta" if a.m == 1 else rf"\tfrac{{\beta}}{{{a.m}}}"
    return (
        rf"As ${log}={share}(\log\alpha-\log s)$, equation~(\ref{{eq:constant}}) reads, with "
        rf"$B=C-{weight}\log\alpha$,"
    )


def _balance(a: Account) -> str:
    """s = l + B + (beta/m) log s - ..."""
    s, terms = Scale.at_infinity(Symbol("s", positive=True)), {}
    for monomial, c in a.abel.terms[1:4]:
        order = Rational(monomial.order) / a.m
        terms[Monomial(order, monomial.logs)] = a.beta / a.m if monomial.logs else -c * a.alpha**order
    expansion = Expansion.build(s, terms)
    pieces = a.notation.pieces(expansion)
    if a.turns:
        odd = [monomial.order * a.m % 2 for monomial, _ in expansion.terms]
        mark = rf"\varepsilon_{{{a.at_depth}}}"
        pieces = [marked([p], mark)[0] if turned else p for p, turned in zip(pieces, odd, strict=False)]
    first = Piece("+", "C" if a.notation.shift == 0 else "B")
    return display("s", [Piece("+", a.at_depth), first, *pieces, Piece("+", r"\cdots")])


_INVERSE = r"""
\section{Inversion}\label{sec:inversion}
By~(\ref{eq:constant}) $@{variable}_{@depth}=@name^{-1}(z)$ with $z=@argument$, and reverting the series
@inverse
"""


def inverse(a: Account, step: Step) -> str:
    """U^(-1)."""
    simple = a.root == 1
    text = fill(
        _INVERSE, depth=a.at_depth, argument=rf"C\chi^{{{a.at_depth}}}" if simple
        else rf"(C\chi^{{{a.at_depth}}})^{{1/{a.root}}}", variable="y" if simple else "t", name="S" if simple else "U",
        inverse=display("S^{-1}(z)" if simple else "U^{-1}(z)", a.pieces(step["inverse"], 4, 5), "eq:inverse"),
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
@seen@inserted gives~@law.@decimals
"""


def quantity(a: Account, step: Step) -> str:
    """How the law follows."""
    if not a.form:
        return ""
    if _is_t(step) and a.find("inversion", "t"):
        return ""
    return fill(_QUANTITY, seen=_seen(a, step), inserted=_inserted(a), law=_laws(a), decimals=_decimals(a))


def _laws(a: Account) -> str:
    """References to the law, to both of its branches where there are two."""
    branches = list(a.law.branches.values())
    two = len(branches) > 1 and branches[0] != branches[1]
    return r"(\ref{eq:law}) and~(\ref{eq:odd})" if two else r"(\ref{eq:law})"


def _seen(a: Account, step: Step) -> str:
    """The quantity as a function of t, where it is not t itself."""
    if "seen" not in step or _is_t(step):
        return ""
    pieces = a.pieces(step["seen"], 2, 4)
    shown = [_plain(a, piece) for piece in pieces] if a.form == "koenigs" else pieces
    return f"The quantity is\n{display(a.law.quantity, shown)}\n"


def _inserted(a: Account) -> str:
    if a.find("linear"):
        where = "Inserting the orbit of Section~\\ref{sec:inversion}" if a.find("inversion") else "Inserting the orbit"
        divided = f" and dividing by ${a.at_depth}$" if getattr(a.law, "average", False) else ""
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


TEXTS: dict[str, Callable[[Account, Step], str]] = {
    "ratio": ratio, "drift": drift, "affine": affine, "averaging": averaging, "fixed": leading, "grown": grown,
    "growth": growth, "abel": abel, "koenigs": koenigs, "time": time, "t": depth, "inverse": inverse,
    "reversed": reversed_, "particular": linear, "law": quantity,
}  # fmt: skip


def derivation(a: Account) -> str:
    """Every step of the law."""
    return "\n".join(TEXTS.get(step.form, components)(a, step) for step in a.told.steps)
