"""From the coordinate back to t at large depth."""

from asympt.expansions.typesetting import Piece, display
from asympt.recursions.protocol import Step
from asympt.writing.account import Account
from asympt.writing.escape import fill
from asympt.writing.notation import marked
from asympt.writing.texts.words import alpha, in_base, is_t, laws

_DEPTH = r"""
\section{Inversion}\label{sec:inversion}
Put $s=\alpha\,t^{-@m}$@alpha. @reads
@balance
Inserting this into itself again and again, starting from $s\approx @depth$, gives@s
and with it @t@square
"""
_HALVES = " The odd powers of $t$ in $A$, which come from the jump, give half-integer powers of~$@depth$."


def depth(a: Account, step: Step) -> str:
    """s and t at large depth, as far as the theorem does not have them."""
    root = rf"\alpha/s_{{{a.at_depth}}}" if a.m == 1 else rf"(\alpha/s_{{{a.at_depth}}})^{{1/{a.m}}}"
    side = rf"\varepsilon_{{{a.at_depth}}}\," if a.turns else ""
    t = rf"t_{{{a.at_depth}}}={side}{root}"
    s = "\n" + display(f"s_{{{a.at_depth}}}", a.sided(step, "s", 4, 6), end=",")
    known = is_t(a.find("quantity"))
    return fill(
        _DEPTH, m=a.m, alpha=rf" with $\alpha={alpha(a)}$" if alpha(a) else "", depth=a.at_depth, reads=_reads(a),
        balance=_balance(a, step), s=r"~(\ref{eq:s})," if a.tells_s else s,
        t=f"${t}$, which is {laws(a)}." if known
        else f"${t}$, that is\n" + display(f"t_{{{a.at_depth}}}", a.sided(step, "t", 4, 5), "eq:t"), square=_square(a),
    )  # fmt: skip


def _square(a: Account) -> str:
    """What the orbit is in the correlation."""
    if not a.is_ntk:
        return ""
    what = "This" if a.root == 1 else "Its square"
    halves = fill(_HALVES, depth=a.at_depth) if a.root == 2 and a.m % 2 == 0 else ""
    return rf"""
{what} is the law~(\ref{{eq:correlation}}) of the correlation. {halves}""".rstrip()


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


def _balance(a: Account, step: Step) -> str:
    """s = l + B + (beta/m) log s - ..."""
    balance = step["balance"]
    pieces = a.notation.pieces(balance)
    if a.turns:
        odd = [monomial.order * a.m % 2 for monomial, _ in balance.terms]
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
    return in_base(a, text)


_REVERSED = r"""
\section{Inversion}\label{sec:inversion}
Reverting the series of $T$, with $Y$ for its value,
@reversed
where $Y$ is the clock plus $C$, plus what is small.@law
"""
_NO_LOGS = r"""
No logarithm of the clock occurs, because $T$ has none@contrast.
"""
_CONTRAST = r"""
: in contrast to the network whose branches are not scaled, where the discreteness of the layers puts one into the Abel
function
"""


def reversed_(a: Account, step: Step) -> str:
    """y in T."""
    law = " Expanded in the depth it is the law~(\\ref{eq:correlation}) of the correlation." if a.is_ntk else ""
    if not any(monomial.logs for monomial, _ in a.coordinate["time"].terms):
        law += " " + fill(_NO_LOGS, contrast=_CONTRAST.strip() if a.net else "").strip()
    return fill(_REVERSED, law=law, reversed=display("y", a.pieces(step["reversed"], 3, 5), "eq:inverse", end=","))
