"""A linear recursion along the orbit, and how the law follows."""

from mpmath import mp

from asympt.expansions import Expansion
from asympt.expansions.typesetting import Piece, break_lines, display, displays, tex
from asympt.numbers import to_mpf
from asympt.recursions import D
from asympt.recursions.protocol import Step
from asympt.writing.account import Account
from asympt.writing.escape import fill
from asympt.writing.notation import running
from asympt.writing.texts.words import is_t, laws, plain

SHORT = 50  # characters of a weight in the text

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
    pieces = a.constant_pieces(a.omega)
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


_QUANTITY = r"""
\section{The law}\label{sec:law}
@seen@inserted gives~@law.@decimals
"""


def quantity(a: Account, step: Step) -> str:
    """How the law follows."""
    if not a.form:
        return ""
    if is_t(step) and a.find("inversion", "t"):
        return ""
    return fill(_QUANTITY, seen=_seen(a, step), inserted=_inserted(a), law=laws(a), decimals=_decimals(a))


def _seen(a: Account, step: Step) -> str:
    """The quantity as a function of t, where it is not t itself."""
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
