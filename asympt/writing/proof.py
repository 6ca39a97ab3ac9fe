"""The proof of a law as a document: objects, theorem, recursion, lemmas with proofs, the figures that meet them.

The balls themselves are for a machine: `Certificate.recheck` and the JSON form.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from flint import arb
from sympy import Integer, Rational, Symbol, latex

from asympt.balls.arithmetic import decimal_above
from asympt.balls.breaks import breaks_of
from asympt.balls.inversion import total
from asympt.balls.kinks import e_
from asympt.balls.laws import FlowLaw, FormalLaw, GeometricLaw
from asympt.balls.moments import SIGMA_B
from asympt.balls.printed import Proof
from asympt.errors import InputError, UnsupportedError
from asympt.expansions import Monomial, Scale
from asympt.expansions.typesetting import Piece, displays, term_piece
from asympt.recursions.proofs.accounts import (
    AbelAccount,
    FlowAccount,
    KoenigsAccount,
    decimal_latex,
    interval_of,
    told_between,
)
from asympt.recursions.proofs.certificate import Certificate, named_numbers, versions
from asympt.recursions.proofs.nodes import exactly, expression
from asympt.recursions.proofs.proof_object import Nearby
from asympt.writing.escape import fill, formula
from asympt.writing.paper import Document, paper, references, write_paper
from asympt.writing.subjects import definition
from asympt.writing.texts import proofs as texts
from asympt.writing.texts.proofs import LemmaText

SHOWN = 20  # digits of the coefficients of the formal series

_STATEMENT = r"""
\newtheorem{lemma}{Lemma}
@setting

\begin{theorem}\label{thm:bound}
@statement
\end{theorem}
@connection
Every constant is rounded outward: the inequality holds for the whole scope as stated, not for samples of it.
"""

_MAP = r"""
\section{The recursion}
In the distance $x$ from the fixed point, $x = @t@power$, one step is
\[ x \mapsto @formula . \]
@more
"""

_KERNEL = r"""
\section{The recursion}
One layer takes the correlation $c$ of two inputs to
\[ f(c) = \frac{\sigma_b^2 + \sigma_w^2 \, \mathbb E[\phi(U) \phi(V)]}{q}, \qquad \phi(x) = @phi , \]
$U$ and $V$ Gaussian with mean $0$, variance $q$ and correlation $c$; $x = @t@power$ is the distance of $c$ from the
fixed point. Where a linear recursion runs along it, it is $a_{l+1} = f'(c^l)\, a_l + f(c^l)$, $a_l = K^l/q$. Balls for
$f$ and its derivatives come from the Hermite series of $\phi$, whose coefficients of even and of odd order have known
sums of squares, so that what is left out is bounded; and near $c = 1$ from @near
@more
"""

_QUANTITY = r"""
The quantity of the theorem is @quantity; the starts are $x_{@first}@starts$.
"""

_EXACT = r"""
\section{Lemmas}
@setting Exact, by algebra and not by balls: @exact, and that each printed coefficient is the one of the formal series.
Everything else below is a ball that holds the exact number. Upper bounds are rounded up and lower bounds down.
"""

_LEMMA = r"""
\begin{lemma}[@name]
@text
\end{lemma}
\begin{proof}
@proof
\end{proof}
@figures
"""

_SERIES = r"""
\paragraph{The formal series.} The midpoints of the balls, to @digits digits; every radius is below $@radius$.
\begin{center}\small
\begin{tabular}{@@{}@columns@@{}}
\toprule
$k$ & @heads \\
\midrule
@rows
\bottomrule
\end{tabular}
\end{center}
\noindent Besides, @others.
"""

_CONCLUSION = r"""
\section{Conclusion}
\begin{proof}[Proof of Theorem~\ref{thm:bound}]
For @late, by @tail, the deviation over the monomial is at most $@beyond$. For @early it is at most
$@largest$, by the lemma on the first layers. @connecting The constant of the theorem is not smaller than either.
\end{proof}
"""

_TRUSTED = r"""
\paragraph{What is trusted.}
That the recursion above is that of the network or map, which is algebra (SymPy); the ball arithmetic of Arb \cite{Arb};
and @program. Computed with @versions, in balls of @bits bits.
"""
_PROGRAM = {
    "kernel": r"\texttt{asympt.kernel}, which checked the theorem again from its proof object, using no other program",
    "library": "the program that evaluates the hypotheses: the theorem is proved by the library, not re-checked by the "
    "kernel",
}

_FLOW_MAP = r"""
\section{The recursion}
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

_X, _LAYER, _T = Symbol("x", positive=True), Symbol("l", positive=True), Symbol("t", positive=True)
_WORDS = {name: rf"\text{{{name}}}" for name in ("bits", "arcs", "largest", "known", "rest")}


def proof_document(certificate: Certificate, figure_name: str = "figure.pdf", about=None) -> Document:
    """The theorem of a certificate, its lemmas with their proofs, and its figures; there is no figure to draw.

    `about`: the network or the recursion that has the law, which the document then defines; left out, the recursion in
    the distance from the fixed point is the definition.
    """
    if certificate.law.coordinate.seen is not None or type(certificate.account) not in _KINDS:
        raise UnsupportedError("the proof of a theorem about a system or a depth is no document yet; print its `steps`")
    title = rf"A bound for the law of \texorpdfstring{{${certificate.law.quantity}$}}{{the recursion}}"
    kind = _KINDS[type(certificate.account)]
    known = _named(certificate, () if about is None else (SIGMA_B,))  # of which the setting has the exact value
    map_ = kind.recursion(certificate.asked, known) + _quantity(certificate)
    sections = [_statement(certificate, about), map_, _lemmas(certificate), _conclusion(certificate)]
    sections.append(_exact(certificate))
    return Document(paper(title, [*sections, references(sections)]), None, figure_name)


def write_proof(certificate: Certificate, path, command: str | None = None, about=None) -> Path:
    """Write the proof as NAME.tex or NAME.pdf; `command` and errors as in `asympt.writing.write`.

    `about`: as in `proof_document`.
    """
    if not isinstance(certificate, Certificate):
        raise InputError(f"certificate = {certificate!r} is not a certificate; take law.certificate(...)")
    name, low, high = certificate.start
    start = str(low) if low == high else f"({low}, {high})"
    more = f", variances={certificate.given_variances}" if certificate.variances else ""
    command = command or f"{certificate.law!r}.certificate({name}={start}{more})"
    return write_paper(path, lambda figure_name: proof_document(certificate, figure_name, about), command)


def _statement(certificate: Certificate, about) -> str:
    named, proof = certificate.law.constant_symbols, certificate.proof
    balls = {"connection": (named["C"], proof.connection), "second": (named["D"], proof.second)}
    said = {symbol for symbol, _, _ in certificate.letters}
    found = [
        f"The {word} constant is {_between(symbol, ball)}."
        for word, (symbol, ball) in balls.items() if ball is not None and symbol not in said
    ]  # fmt: skip
    statement = rf"\[ {certificate.latex(broken=True)} \]"
    heading = r"\section{Statement}" if about is None else definition(about, certificate.law)
    return fill(_STATEMENT, setting=heading, statement=statement, connection=" ".join(found))


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
        more = "\n".join((more, r"The linear recursion along it is $a_{l+1} = \lambda a_l + b$ with",
                          rf"\begin{{align*}} {linear} \end{{align*}}"))  # fmt: skip
    return fill(_MAP, t=t, power=power, formula=latex(map_.formula), more=more)


def _near(map_) -> str:
    """How the kernel map is enclosed near c = 1."""
    if map_.root == 1:
        return texts.SMOOTH
    return fill(texts.KINKED, mean=texts.MEAN_AT_ZERO if breaks_of(map_.pieces) == (0,) else texts.MEAN_BESIDE)


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


def _named(certificate: Certificate, but: Iterable) -> str:
    """Between which numbers those lie that the formulas have by a name."""
    found = [_between(name, value) for name, value in named_numbers(certificate).items() if name not in but]
    return _here(found)


def _here(found: list[str]) -> str:
    return rf"{{\raggedright Here {', '.join(found)}.\par}}" if found else ""


def _quantity(certificate: Certificate) -> str:
    """What is said of the orbit: offset + sign t^exponent or a_l, and where orbits start."""
    asked, (low, high) = certificate.asked, certificate.distances
    starts = rf"={latex(low)}" if low == high else rf"\in[{latex(low)},{latex(high)}]"
    return fill(_QUANTITY, quantity=_seen(certificate), first=str(asked.first), starts=starts)


def _seen(certificate: Certificate) -> str:
    asked, depth = certificate.asked, latex(certificate.law.depth_variable)
    if isinstance(asked, FlowLaw) or (asked.along is None and not hasattr(asked, "exponent")):
        return f"${certificate.law.quantity}$"
    if asked.along is not None:
        whole = rf"\frac{{a_{{{depth}}}}}{{{depth}}}" if asked.average else f"a_{{{depth}}}"
        return rf"${whole}$, from $a_{{{asked.first}}} = {latex(asked.begun(_X))}$, $x = x_{{{asked.first}}}$"
    power = Rational(asked.exponent) / asked.map_.root
    return f"${latex(asked.offset + asked.sign * _X**power)}$, $x = x_{{{depth}}}$"


@dataclass(frozen=True)
class _Method:
    """How laws of one kind are proved; no `columns` of a flow, whose series have too many coefficients to print."""

    setting: str
    exact: str
    lemmas: tuple[LemmaText, ...]
    recursion: Callable
    columns: Callable | None = None


Series = tuple[dict[str, Mapping[int, arb]], dict[str, arb]]  # {heading: {k: coefficient}}, {name: number}


def _abel_series(proof: Proof) -> Series:
    """A_N and, along it, P_N and L_N."""
    columns, numbers = {r"\alpha_k": proof.theorem.series.alpha}, {r"\beta": proof.theorem.series.residue}
    if proof.linear is not None:
        solution = proof.linear.solution
        columns |= {"p_k": solution.particular, r"\ell_k": solution.beta}
        numbers["r"] = solution.resonance
    return columns, numbers


def _koenigs_series(proof: Proof) -> Series:
    """U_N and, along it, h and P."""
    theorem = proof.theorem
    columns, numbers = {"s_k": dict(enumerate(theorem.terms[1:], 1))}, {r"\mu": theorem.mu}
    if theorem.along is not None:
        columns |= {"h_k": dict(enumerate(theorem.h_terms)), "p_k": dict(enumerate(theorem.p_terms))}
        numbers["r"] = theorem.resonance
    return columns, numbers


_KINDS = {
    AbelAccount: _Method(
        texts.PARABOLIC_SETTING,
        r"$u(0) = 1$, the vanishing coefficients of $t, \dots, t^{m-1}$ in $u$, the whole number $h$ below",
        (*texts.PARABOLIC, texts.PARABOLIC_FIRST), _along_map, _abel_series,
    ),
    KoenigsAccount: _Method(
        texts.HYPERBOLIC_SETTING, "the fixed point", (*texts.HYPERBOLIC, texts.FIRST), _along_map, _koenigs_series
    ),
    FlowAccount: _Method(
        texts.FLOW_SETTING, "the power $k$ with which $h$ begins, the step sizes", (*texts.FLOW, texts.FLOW_FIRST),
        _along_steps,
    ),
}  # fmt: skip


def _lemmas(certificate: Certificate) -> str:
    method, region = _KINDS[type(certificate.account)], certificate.proof.theorem.region
    root, steps = certificate.asked.map_.root, {step.name: step for step in certificate.steps}
    parts = [fill(_EXACT, setting=_rooted(method.setting, root), exact=method.exact)]
    parts += [_table(*method.columns(certificate.proof))] if method.columns else []
    for lemma in method.lemmas:
        known = [steps[step] for step in lemma.used if step in steps]
        if known or not lemma.used:
            said, shown = (
                _rooted(part[region.analytic] if isinstance(part, tuple) else part, root)
                for part in (lemma.text, lemma.proof)
            )
            figures = [_figure(*figure) for step in known for figure in step.figures.items()]
            parts.append(fill(_LEMMA, name=lemma.name, text=said, proof=shown, figures=_here(figures)))
    return "".join(parts)


def _rooted(text: str, root: int) -> str:
    """With the root of t; a power of one is not written."""
    return (text.replace("^{@root}", "") if root == 1 else text).replace("@root", str(root))


def _table(series: Mapping[str, Mapping[int, arb]], numbers: Mapping[str, arb]) -> str:
    """The coefficients of the formal series, side by side, and the other numbers in them."""
    balls = [ball for column in (*series.values(), numbers) for ball in column.values()]
    radius = max((decimal_above(ball.rad(), 1) for ball in balls), default=Decimal(0))
    rows = [
        rf"${k}$ & " + " & ".join(f"${_number(c[k])}$" if k in c else "" for c in series.values()) + r" \\"
        for k in sorted(set().union(*series.values()))
    ]  # fmt: skip
    others = ", ".join(f"${name} = {_number(ball)}$" for name, ball in numbers.items())
    return fill(_SERIES, digits=str(SHOWN), radius=decimal_latex(radius), columns="r" + "l" * len(series),
                others=others, heads=" & ".join(f"${head}$" for head in series), rows="\n".join(rows))  # fmt: skip


def _number(ball: arb) -> str:
    return decimal_latex(Decimal(ball.mid().str(SHOWN, radius=False)))


def _figure(name: str, value: str) -> str:
    name, ends = _WORDS.get(name) or formula(re.sub(r"^B(\d)", r"B_\1", name)), interval_of(value)
    return f"${name} = {decimal_latex(value)}$" if ends is None else _interval(name, *ends)


def _conclusion(certificate: Certificate) -> str:
    """Which lemma bounds which layers, and what all of it rests on."""
    proof, depth = certificate.proof, latex(certificate.law.depth_variable)
    deep = rf"${depth} \ge {proof.layer}$" if proof.depth is None else rf"$\log {depth} \ge \Lambda_1$"
    between = "" if proof.between is None else (
        rf"Between the two it is at most ${decimal_latex(decimal_above(proof.between, 6))}$, by the lemma before. ")
    used = ", ".join(f"{name} {version}" for name, version in versions().items())
    beyond = decimal_latex(decimal_above(total(proof.bounds), 6))
    return fill(
        _CONCLUSION, late=deep, tail="the lemma on the tail", beyond=beyond,
        early=rf"${proof.valid_from} \le {depth} \le {proof.layer}$",
        largest=decimal_latex(decimal_above(proof.small, 6)), connecting=between,
    ) + fill(
        _TRUSTED, program=_PROGRAM[certificate.trust], versions=used, bits=proof.theorem.bits
    )  # fmt: skip


def _exact(certificate: Certificate) -> str:
    """The theorem once more from its proof object, with what the kernel shows of it; nothing where it has none."""
    if certificate.trust != "kernel":
        return ""
    p = certificate.to_proof()
    numbers, near = {"r": p["range"], "N": str(p["N"]), "B": p["remainder"][0]}, Nearby(p)
    more, clock, lemmas, told = (_of_koenigs if "chi" in p else _of_abel)(p, near)
    error = Piece("+", latex(Symbol("K") * _T ** p["k"]))
    used = set().union(*(exactly(c).free_symbols for c in (*near.clock.coefficients.values(), *near.P.values())))
    named = (_between(e_(k), ball) for (_, k), ball in near.known.items() if e_(k) in used or str(["e", k]) in str(p))
    told |= {"coefficients": ", ".join(named)}
    within, pieces = ", between which all others stay", len(p["start"]) - 1
    ends = "on one orbit" if p["start"][0] == p["start"][1] else f"on the orbits of both ends{within}"
    if pieces > 1:
        ends = f"on the orbits of both ends of each of {pieces} pieces of the interval{within}"
        ends += "; the first layer of a piece on which the map is not shown to increase is one ball"
    shown = {name: latex(Rational(value)) for name, value in numbers.items()} | more
    return fill(
        texts.EXACT, numbers=r", \quad ".join(f"{name} = {value}" for name, value in shown.items()),
        t=latex(_X ** Rational(1, p.get("root", 1))), functions=displays([clock, ("E(t)", [error])], end=","),
        K=decimal_latex(decimal_above(near.K, 6)), first=str(p["from"]),
        ends=ends,
        lemmas="".join(fill(_LEMMA, name=lemma.name, text=fill(lemma.text, **told), proof=lemma.proof, figures="")
                       for lemma in lemmas),
    )  # fmt: skip


def _of_abel(p: dict, near: Nearby) -> tuple[dict, tuple, list[LemmaText], dict]:
    """More numbers, the function A, the lemmas, and what they are filled with."""
    lemmas, told = [texts.NESTED, texts.HYPOTHESES, texts.INVERSION], {}
    if isinstance(p["map"], dict):
        low, high = p["map"]["q"]
        told = {"low": low, "high": high, "sigma_b": latex(Rational(p["map"]["sigma_b"]))}
        lemmas[1:2] = [texts.LAYER, texts.OF_A_LAYER]
    if near.kappa is not None:
        told |= {"particular": displays([("P(t)", _powers(near.P))], end=","), "weight": str(near.w)}
        told |= {"kappa": decimal_latex(decimal_above(near.kappa, 6))}
        lemmas.insert(-1, texts.CONTRACTION)
    return {"m": str(p["m"])}, ("A(t)", _powers(near.clock.coefficients, near.clock.rho)), lemmas, told


def _of_koenigs(p: dict, near: Nearby) -> tuple[dict, tuple, list[LemmaText], dict]:
    """The same of a hyperbolic law."""
    more = {r"\chi": latex(expression(p["chi"]))}
    lemmas = [texts.NESTED, texts.KOENIGS_HYPOTHESES, texts.KOENIGS_INVERSION]
    return more, ("S(t)", _powers(near.clock.coefficients)), lemmas, {}


def _powers(coefficients: dict, rho=None) -> list[Piece]:
    """The sum of c_k t^k, {k: c_k}, and rho log t."""
    found = [(Monomial(Integer(k)), exactly(c)) for k, c in coefficients.items()]
    found += [(Monomial(Integer(0), 1), exactly(rho))] if rho else []
    scale = Scale.at_zero(_T)
    return [term_piece(c, scale, at) for at, c in sorted(found, key=lambda row: row[0].order)]
