"""Figure and tables of a law of a network: the layer recursion beside the law, and what shows a logarithm.

The original layer recursion is iterated in multiple precision to depth 10^4 where its map has a formula, and in double
precision in the figure; deeper values are the law's own certified evaluation.
"""

from collections.abc import Sequence

from mpmath import mp
from sympy import Expr

from asympt.architectures.registry import FLOW_TIME, LAYERS, record_of
from asympt.errors import AsymptError
from asympt.evidence.law_terms import CoordinateTerms, number, terms_of, value
from asympt.evidence.orbits.kept import orbit_of, scaled_orbit
from asympt.expansions import Expansion, Monomial
from asympt.expansions.typesetting import constant, display, tex
from asympt.numbers import to_mpf
from asympt.writing.account import Account, Plot
from asympt.writing.escape import fill
from asympt.writing.notation import power_of_ten, running, shown

ITERATED = (10**2, 10**3, 10**4)
EVALUATED = (10**5, 10**6, 10**12)
FAR = (10**6, 10**12, 10**100, 10**1000)  # where the law is one in the logarithm of the depth
GUARD = 15

# ---- the figure -------------------------------------------------------------------------------------

_KERNEL = r"""
$@power$ times the distance of $@quantity$ from its limit, for three starts~$c^1$: a rate $@rate$ would be a horizontal
line. Filled marks: the layer recursion in double precision; open marks: certified evaluation; lines: the
law~(\ref{eq:law}).
"""
_CORRELATION = r"""
$@power(1-c^l)$ and the partial sums of the law~(\ref{eq:law}) (above), and the relative error of these sums (below).
"""
_FAST = r"The distance of $@quantity$ from its limit: the layer recursion in double precision, and the law (lines)."
_FLOW = r"""
@what over the logarithm of the depth. Filled marks: the layer recursion in double precision; open marks: certified
evaluation; lines: the law~(\ref{eq:law}); dashed: its limit.
"""
_ALONE = " Both inputs start at the variance~$q$, which is {}: others have other curves."


def network_plot(a: Account, net) -> Plot | None:
    """The figure of a law of the NTK or of the correlation, and the orbit in it; None where there is none to draw."""
    known = FLOW_TIME if a.net is not None and a.form == "time" else LAYERS
    if a.law.name not in ("ntk", "correlation") or record_of(net).figures != known or a.law.parameters:
        return None
    try:
        return Plot(_drawn(a, net), _caption(a, net), points(a) if a.net and not a.is_costly else (), a.digits)
    except AsymptError:
        return None


def _drawn(a: Account, net):
    from asympt import plots

    starts, terms = [a.start["correlation"]], len(a.law.expansion.terms)
    if a.law.name == "correlation":
        return plots.correlation_figure(net, correlation=starts[0], terms=terms)
    return plots.ntk_figure(net, terms=terms, **{} if a.net or a.form == "time" else {"correlations": starts})


def _caption(a: Account, net) -> str:
    """What the figure shows."""
    if a.form == "time":
        power = a.law.expansion.leading[0].order
        gap = rf"$(g\log l)^{power}\,(1-c^l)$" if a.net else rf"$\log^{power} l\,(1-c^l)$"
        what = rf"${a.law.quantity}$ for three starts~$c^1$" if a.law.name == "ntk" else gap
        return fill(_FLOW, what=what).strip()
    if a.form != "abel":
        return fill(_FAST, quantity=running(a.law.quantity)).strip()
    order = decaying(a.law.expansion).order
    power = tex_power(a, order)
    if a.law.name == "correlation":
        said = fill(_CORRELATION, power=power)
    else:
        said = fill(_KERNEL, power=power, quantity=running(a.law.quantity), rate=f"1/{power}")
    stability = a.law.stability
    alone = "" if stability is None or stability.attracts or a.net is None or _is_neutral(net) else _ALONE
    return said.strip() + alone.format(stability.kind if stability else "")


def _is_neutral(net) -> bool:
    """Whether every variance has the same law."""
    return net.statement.layer.is_scale_free


def tex_power(a: Account, order: Expr) -> str:
    r"""L, \sqrt{L} or l^{2}."""
    return tex(a.depth**order)


def decaying(expansion: Expansion) -> Monomial:
    """The first monomial that is not the limit's; that of the remainder where there is none before."""
    found = next((m for m, _ in expansion.terms if m != Monomial(0)), None)
    return found or expansion.remainder.monomial


# ---- the orbit --------------------------------------------------------------------------------------


def points(a: Account) -> tuple:
    """(depth, whether iterated, value): the layer recursion to 10^4, then certified evaluation."""
    with mp.workdps(a.digits + GUARD):
        near = [(depth, True, _observed(a, state, depth)) for depth, state in orbit(a).items()]
    depths, digits = (FAR, min(a.digits, 20)) if a.form == "time" else (EVALUATED, a.digits)
    far = [(depth, False, a.law.evaluate(depth, digits=max(digits, 15), **a.start)) for depth in depths]
    return (*near, *far)


def orbit(a: Account) -> dict[int, tuple]:
    """{depth: (gap, K/q)} at the depths that are iterated; with K(x,x)/q where that is no multiple of the depth."""
    kept = scaled_orbit if a.form == "time" else orbit_of
    return kept(a.law, a.start["correlation"], ITERATED, a.digits + GUARD)


def _observed(a: Account, state: Sequence, depth: int):
    gap, kernel, *single = state
    if single and a.is_ntk:
        return kernel / single[0]
    return kernel / depth if a.is_ntk else gap


# ---- what shows a logarithm ---------------------------------------------------------------------------

_LOGARITHM = r"""
With
@rest
Table~\ref{tab:logarithm} shows the logarithm: $@scaled/\log @depth$ tends to its coefficient $@limit$, though only as
fast as $1/\log @depth$, and what is left after subtracting it@level.

\begin{table}[!ht]
\centering
\small
\begin{tabular}{@@{}rrrr@@{}}
\toprule
$@depth$ & $@scaled$ & $@scaled/\log @depth$ & $@scaled @minus\log @depth$ \\
\midrule
@rows \\
\bottomrule
\end{tabular}
\caption{The logarithm in the law, @start.}
\label{tab:logarithm}
\end{table}
"""


def logarithm(a: Account) -> str:
    """How the logarithm in the first terms shows in the values; nothing where there is none."""
    found = _first_log(a.law.expansion) if a.net and a.plot and a.plot.points else None
    if found is None:
        return ""
    before, monomial, weight = found
    level = a.law.expansion.coefficients.get(Monomial(monomial.order))
    scaled = rf"{tex_power(a, monomial.order)}\,r_{a.at_depth}"
    with mp.workdps(a.digits + GUARD):
        rows = [_log_row(a, depth, value, found) for depth, _, value in a.plot.points]
        tends = " is bounded" if level is None else (
            f" tends to a constant, ${shown(number(level, a.known), 10)}$")  # fmt: skip
    sign = "-" if weight > 0 else "+"
    minus = sign + constant(abs(weight)).replace(r"\frac", r"\tfrac")
    rest = display(rf"r_{a.at_depth}", a.notation.pieces(before), end="").replace("&= ", f"&= {a.law.quantity} - ", 1)
    return fill(
        _LOGARITHM, rest=rest.rstrip(), depth=a.at_depth, scaled=scaled, limit=constant(weight), level=tends,
        minus=minus, rows=" \\\\\n".join(rows), start=a.start_shown,
    )  # fmt: skip


def _first_log(expansion: Expansion) -> tuple[Expansion, Monomial, Expr] | None:
    """(the terms before it, its monomial, its weight) for a single logarithm that is the second term of the law."""
    monomial, weight = expansion.terms[1] if len(expansion.terms) > 1 else (Monomial(0), None)
    if monomial.logs != 1 or weight.free_symbols:
        return None
    return Expansion(expansion.scale, expansion.terms[:1], None), monomial, weight


def _log_row(a: Account, depth: int, value, found: tuple) -> str:
    before, monomial, weight = found
    first, coefficient = before.leading
    rest = value - to_mpf(coefficient) * mp.mpf(depth) ** -to_mpf(first.order)
    rest *= mp.mpf(depth) ** to_mpf(monomial.order)
    level = rest - to_mpf(weight) * mp.log(depth)
    cells = [power_of_ten(depth), shown(rest, 8), shown(rest / mp.log(depth), 6), shown(level, 6)]
    return " & ".join(f"${cell}$" for cell in cells)


# ---- constants along the orbit --------------------------------------------------------------------------

_CONSTANCY = r"""
The iterated values come from the layer recursion itself, carried with @digits digits, the evaluated ones from $A^{-1}$.
Table~\ref{tab:constancy} shows that @names constant along the orbit: read off at layer $l$ from the Abel
function@solution truncated at $t^{@order}$, and compared with the @known above.

\begin{table}[!ht]
\centering
\small
\begin{tabular}{@@{}r@columns@@{}}
\toprule
$l$ & @heads \\
\midrule
@rows \\
\bottomrule
\end{tabular}
\caption{The connection constant@plural along the iterated orbit, @start.}
\label{tab:constancy}
\end{table}
"""


def constancy(a: Account) -> str:
    """How constant C and D are along the iterated orbit; nothing for a law too short to contain C."""
    if not (a.net and a.plot and a.plot.points and "C" in a.known):
        return ""
    if a.form == "time":
        return _flow_constancy(a)
    last = (a.law.linear.particular if a.is_ntk else a.law.abel.expansion).terms[-1][0].order
    rows = [" & ".join([f"${power_of_ten(depth)}$", *(f"${shown(d, 2)}$" for d in _distances(a, depth, state))])
            for depth, state in orbit(a).items()]  # fmt: skip
    heads = [r"$|A_N(t_l)-l-C|$", *([r"$|D_l-D|$"] if a.is_ntk else [])]
    return fill(
        _CONSTANCY, digits=a.digits + GUARD, names="$C$ and $D$ are" if a.is_ntk else "$C$ is", order=last,
        columns="l" * len(heads),
        solution=" and from $P$ and $H$" if a.is_ntk else "", known="values" if a.is_ntk else "value",
        heads=" & ".join(heads), rows=" \\\\\n".join(rows), plural="s" if a.is_ntk else "", start=a.start_shown,
    )  # fmt: skip


_FLOW_CONSTANCY = r"""
The iterated values come from the layer recursion itself, carried with @digits digits; the evaluated ones from following
the orbit along a smooth curve, certified by two computations at two precisions and two matching layers.
Table~\ref{tab:constancy} shows that $T(y_l)-g\log l$ tends to $C$ like $1/l$ along the iterated orbit.

\begin{table}[!ht]
\centering
\small
\begin{tabular}{@@{}rll@@{}}
\toprule
$l$ & $T(y_l)-g\log l-C$ & the same times $l$ \\
\midrule
@rows \\
\bottomrule
\end{tabular}
\caption{The connection constant along the iterated orbit, @start.}
\label{tab:constancy}
\end{table}
"""


def _flow_constancy(a: Account) -> str:
    """How C is approached along the iterated orbit."""
    rows = []
    for depth in ITERATED:
        rest = flow_rest(a, depth)
        rows.append(f"${power_of_ten(depth)}$ & ${shown(rest, 5)}$ & ${shown(rest * depth, 5)}$")
    return fill(_FLOW_CONSTANCY, digits=a.digits + GUARD, rows=" \\\\\n".join(rows), start=a.start_shown)


def flow_rest(a: Account, depth: int):
    """T(y_l) - g log l - C at an iterated layer, from the printed terms of T."""
    with mp.workdps(a.digits + GUARD):
        time = value(terms_of(a.coordinate["time"]), mp.sqrt(orbit(a)[depth][0]))
        return time - to_mpf(a.net.statement.layer.chi) * mp.log(depth) - a.known["C"]


def _distances(a: Account, depth: int, state: Sequence) -> list:
    """(|A_N(t_l) - l - C|, |D_l - D|), D_l from the truncated P and H."""
    with mp.workdps(a.digits + GUARD):
        first, second = CoordinateTerms.of(a.law).constants(mp.sqrt(state[0]), depth, state)
        found = [abs(first - a.known["C"])]
        return [*found, abs(second - a.known["D"])] if a.is_ntk else found
