"""The numbers of a document about any law: values beside the law, the checks."""

import re
from collections.abc import Sequence

from mpmath import mp
from sympy import Expr, Integer

from asympt.architectures.registry import FLOW_TIME, LAYERS, record_of
from asympt.errors import AsymptError
from asympt.evidence import Verification
from asympt.evidence.law_terms import monomial_at, number, printed_at
from asympt.evidence.orbits.panels import orbit_of, scaled_orbit
from asympt.expansions import Expansion, Monomial
from asympt.expansions.typesetting import constant, display, tex
from asympt.numbers import to_mpf
from asympt.plots.data import first_decaying
from asympt.recursions import C, D
from asympt.writing.account import CARRIED, Account, Plot
from asympt.writing.escape import escape, fill
from asympt.writing.notation import depth_tex, power_of_ten, running, shown
from asympt.writing.verdicts import check_table

ITERATED = (10**2, 10**3, 10**4)
EVALUATED = (10**5, 10**6, 10**12)
BEYOND = (10**6, 10**12, 10**100, 10**1000)  # where the law is one in the logarithm of the depth

# ---- the figure -------------------------------------------------------------------------------------

_KERNEL = r"""
$@power$ times the distance of $@quantity$ from its limit, for three starts~$c^1$: a rate $@rate$ would be a horizontal
line. Filled marks: the layer recursion in double precision; open marks: evaluation at great depth; lines: the
law~(\ref{eq:law}).
"""
_CORRELATION = r"""
$@power(1-c^l)$ and the partial sums of the law~(\ref{eq:law}) (above), and the relative error of these sums (below).
"""
_FAST = r"The distance of $@quantity$ from its limit: the layer recursion in double precision, and the law (lines)."
_FLOW = r"""
@what over the logarithm of the depth. Filled marks: the layer recursion in double precision; open marks: evaluation
at great depth; lines: the law~(\ref{eq:law}); dashed: its limit.
"""
_ALONE = " Both inputs start at the variance~$q$, which is {}; the curves for other variances differ."


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
    if a.form == "time":
        power = a.law.expansion.leading[0].order
        gap = rf"$(g\log l)^{power}\,(1-c^l)$" if a.net else rf"$\log^{power} l\,(1-c^l)$"
        what = rf"${a.law.quantity}$ for three starts~$c^1$" if a.law.name == "ntk" else gap
        return fill(_FLOW, what=what).strip()
    if a.form != "abel":
        return fill(_FAST, quantity=running(a.law.quantity)).strip()
    power = tex(a.depth ** first_decaying(a.law).order)
    if a.law.name == "correlation":
        said = fill(_CORRELATION, power=power)
    else:
        said = fill(_KERNEL, power=power, quantity=running(a.law.quantity), rate=f"1/{power}")
    stability = a.law.stability
    every = a.net is None or net.statement.layer.is_scale_free  # every variance has the same law
    alone = "" if stability is None or stability.attracts or every else _ALONE
    return said.strip() + alone.format(stability.kind if stability else "")


# ---- the orbit --------------------------------------------------------------------------------------


def points(a: Account) -> tuple:
    """(depth, whether iterated, value): the layer recursion to 10^4, then evaluation."""
    with mp.workdps(a.digits + GUARD):
        near = [(depth, True, _observed(a, state, depth)) for depth, state in orbit(a).items()]
    depths, digits = (BEYOND, min(a.digits, 20)) if a.form == "time" else (EVALUATED, a.digits)
    far = [(depth, False, a.law.evaluate(depth, digits=max(digits, 15), **a.start)) for depth in depths]
    return (*near, *far)


def orbit(a: Account) -> dict[int, tuple]:
    """{depth: (gap, K/q)} at the depths that are iterated; with K(x,x)/q where that is not a multiple of the depth."""
    given = a.start["correlation"], ITERATED, a.digits + GUARD
    return scaled_orbit(a.law.layer, *given) if a.form == "time" else orbit_of(a.law.dynamics.step, *given)


def _observed(a: Account, state: Sequence, depth: int):
    gap, kernel, *single = state
    if single and a.is_ntk:
        return kernel / single[0]
    return kernel / depth if a.is_ntk else gap


_TABLE = r"""
\begin{table}[H]
\centering
\small
\begin{tabular}{@@{}@columns@@{}}
\toprule
@head \\
\midrule
@rows \\
\bottomrule
\end{tabular}
\caption{@caption.}
\label{tab:@label}
\end{table}
"""


def _table(label: str, columns: str, rows: Sequence[Sequence[str]], caption: str) -> str:
    """A table; the first row is its head."""
    head, *lines = map(" & ".join, rows)
    return fill(_TABLE, label=label, columns=columns, head=head, rows=" \\\\\n".join(lines), caption=caption).strip()


# ---- what shows a logarithm ---------------------------------------------------------------------------

_LOGARITHM = r"""
With
@rest
Table~\ref{tab:logarithm} shows the logarithm: $@scaled/\log @depth$ tends to its coefficient $@limit$, though only as
fast as $1/\log @depth$, and the rest after subtracting it@level.

@table
"""


def logarithm(a: Account) -> str:
    """How the logarithm in the first terms shows in the values; nothing where there is none."""
    found = _first_log(a.law.expansion) if a.net and a.plot and a.plot.points else None
    if found is None:
        return ""
    before, monomial, weight = found
    level = a.law.expansion.coefficients.get(Monomial(monomial.order))
    scaled = rf"{tex(a.depth**monomial.order)}\,r_{a.at_depth}"
    with mp.workdps(a.digits + GUARD):
        rows = [_log_row(depth, value, found) for depth, _, value in a.plot.points]
        tends = " is bounded" if level is None else (
            f" tends to the constant ${shown(number(level, a.known), 10)}$")  # fmt: skip
    sign = "-" if weight > 0 else "+"
    minus = sign + constant(abs(weight)).replace(r"\frac", r"\tfrac")
    rest = display(rf"r_{a.at_depth}", a.notation.pieces(before), end="").replace("&= ", f"&= {a.law.quantity} - ", 1)
    at = a.at_depth
    head = [at, scaled, rf"{scaled}/\log {at}", rf"{scaled} {minus}\log {at}"]
    rows = [[f"${cell}$" for cell in row] for row in (head, *rows)]
    table = _table("logarithm", "rrrr", rows, f"The logarithm in the law, {a.start_shown}")
    return fill(
        _LOGARITHM, rest=rest.rstrip(), depth=at, scaled=scaled, limit=constant(weight), level=tends, table=table
    )


def _first_log(expansion: Expansion) -> tuple[Expansion, Monomial, Expr] | None:
    """(the terms before it, its monomial, its weight) for a single logarithm that is the second term of the law."""
    monomial, weight = expansion.terms[1] if len(expansion.terms) > 1 else (Monomial(0), None)
    if monomial.logs != 1 or weight.free_symbols:
        return None
    return Expansion(expansion.scale, expansion.terms[:1], None), monomial, weight


def _log_row(depth: int, value, found: tuple) -> list[str]:
    before, monomial, weight = found
    first, coefficient = before.leading
    rest = value - to_mpf(coefficient) * mp.mpf(depth) ** -to_mpf(first.order)
    rest *= mp.mpf(depth) ** to_mpf(monomial.order)
    level = rest - to_mpf(weight) * mp.log(depth)
    return [power_of_ten(depth), shown(rest, 8), shown(rest / mp.log(depth), 6), shown(level, 6)]


# ---- values and checks ----------------------------------------------------------------------------------------------

SLOW_DEPTHS = (10**2, 10**3, 10**4, 10**6, 10**12)
LOG_DEPTHS = (10**3, 10**6, 10**12, 10**100)  # of a law in the logarithm of the depth
FAST_DEPTHS = (5, 10, 20, 40, 80)
ITERATED_DEPTHS = (10, 100, 1000)  # of a law whose numbers are iterated layer by layer
DIGITS, GUARD = 15, 15
SPARE = 2  # digits of a difference that are not shown
FAR = 22  # digits of values where every layer is a Gaussian integral
DEEP = 10**6  # the depth from which on a law in powers of 1/log L is near what it describes
LEFT = 5  # digits of what is left out: blank where they are not certain
HOW = {True: "iterated", False: "evaluated"}

_CHECKS = r"""
Table~\ref{tab:checks} lists the checks, which do not use the derivation. A check is \emph{proved}
when it is an identity between exact expressions, so that the formula solves the recursion term by term, for
every start@also. It is \emph{checked} when numbers were compared: they agree for the start and the depths named, to
the digits given. It is \emph{unknown} when it could not be done, and \emph{refuted} when it failed.@remainder

\begin{table}[H]
\centering
\small
@checks
\caption{Checks of the law.}
\label{tab:checks}
\end{table}
"""
_ALSO = r"; or a theorem shown in ball arithmetic, for the start and all the depths that it names"
_BOUNDED = r" The theorem bounds the remainder@of, and a law that has one and passes the other checks is \emph{proved}."
_VALUES = r"""
Table~\ref{tab:values} gives values@beside@left. @how

@table
"""
_FIGURE = r"""
\begin{figure}[H]
\centering
\includegraphics[width=@width]{@name}
\caption{@caption}
\label{fig:law}
\end{figure}
"""
_LEFT = (
    "; the last column is the difference over the remainder, as far as the digits show it, which would grow without "
    "bound if a term were missing or wrong"
)
_HOW = " The iterated ones come from the layer recursion itself, with @digits digits."
_WHY = "; why there is no theorem: "
_MISSING = "Values are not tabulated: @reason.\n"


def evidence(a: Account, found: Verification, figure: str = "", beside: Verification | None = None) -> str:
    """Figure, values, checks; `beside`: those of the law of the correlation beside the law."""
    parts = ["\\appendix\n\\section{Evidence}\\label{sec:evidence}", figure, values(a)]
    if not found.checks:
        return "\n".join(parts)
    steps = a.subject.step == "step"
    both = {"The law": found}
    if beside is not None:
        both = {"The law of the correlation": beside, "The law of the kernel": found}
    checks = check_table(both, lambda name: in_steps(name).replace("chi", str(a.notation.base)) if steps else name)
    theorem = any(verified.theorem is not None for verified in both.values())
    return "\n".join([*parts, fill(_CHECKS, checks=checks, also=_ALSO if theorem else "", remainder=_bounded(a, both))])


def _bounded(a: Account, both: dict[str, Verification]) -> str:
    """Which theorem bounds the remainder, and why there is none where there is none."""
    if a.law.expansion.remainder is None:
        return ""
    of = {heading: "" if len(both) == 1 else f" of the law{heading.removeprefix('The law')}" for heading in both}
    proved = [heading for heading, verified in both.items() if verified.theorem is not None]
    if len(proved) == len(both):
        return _BOUNDED.replace("@of", "")
    parts = [
        _BOUNDED.replace("@of", of[heading]) if heading in proved
        else f" No check bounds the remainder{of[heading]}{verified.unproved and _WHY + escape(verified.unproved)}."
        for heading, verified in both.items()
    ]  # fmt: skip
    return "".join(parts)


def environment(name: str, said: str, width: str = r"0.82\textwidth") -> str:
    return fill(_FIGURE, name=name, caption=said, width=width)


def in_steps(name: str) -> str:
    """The name of a check with n for the index and steps for layers, as a recursion has them.

    >>> in_steps("C = A(t_l) - l is constant up to layer 10^4")
    'C = A(t_n) - n is constant up to step 10^4'
    """
    return re.sub(r"\blayer", "step", re.sub(r"(?<=[_^])l\b|\bl\b", "n", name))


def values(a: Account) -> str:
    if a.law.parameters:
        names = ", ".join(f"${tex(symbol)}$" for symbol in sorted(a.law.parameters, key=str))
        plural = "s" if len(a.law.parameters) > 1 else ""
        reason = f"the law contains the parameter{plural} {names}; give a number for each to see some"
        return fill(_MISSING, reason=reason)
    if a.start is None:
        return fill(_MISSING, reason="no start was given")
    try:
        return "\n".join(part for part in (_values(a), logarithm(a)) if part)
    except AsymptError as problem:
        return fill(_MISSING, reason=escape(str(problem)))


def _values(a: Account) -> str:
    points, known = _found(a)
    limit, rest, how = _limit(a), a.law.expansion.remainder, any(iterated for _, iterated, *_ in points)
    visible = a.law.expansion.scale.variable.is_Symbol or max(depth for depth, *_ in points) >= DEEP
    summed = visible and set(known) >= {name for name, symbol in (("C", C), ("D", D)) if a.has(symbol)} and _numeric(a)
    less = _less(a, limit)
    heads = [f"${a.at_depth}$", *(["how"] if how else []), f"${running(a.law.quantity)}{less}$"]
    heads += [f"law{less and f' ${less}$'}"] if summed else []
    heads += ["left out"] if summed and rest is not None else []
    with mp.workdps(max(digits for *_, digits in points) + GUARD):
        rows = [_row(a, point, known, limit, heads) for point in points]
    left = "left out" in heads
    columns = "r" + "l" * (len(heads) - 1 - left) + "r" * left
    table = _table("values", columns, [heads, *filter(None, rows)], f"Values{summed * ' and law'} for {a.start_shown}")
    said = fill(_HOW, digits=a.digits + GUARD) if how else ""
    beside = " beside the sum of the terms of the law" if summed else ""
    return fill(_VALUES, beside=beside, left=_LEFT if left else "", how=said, table=table)


def _found(a: Account) -> tuple[list[tuple], dict]:
    """(depth, whether iterated, value, its digits) as in the figure, or at a few depths; the constants."""
    if a.plot and a.plot.points:
        return [(*point, a.plot.digits) for point in a.plot.points], a.known if a.net else {"C": a.plot.constant}
    least, limit, points = max(a.carried, FAR) if a.is_costly else CARRIED, _limit(a), []
    for depth in _depths(a):
        digits = least
        value = a.law.evaluate(depth, digits=digits, **a.start)
        while not a.is_costly and (lost := _lost(value, limit, digits)) > digits - DIGITS - SPARE:
            digits = least + lost
            value = a.law.evaluate(depth, digits=digits, **a.start)
        points.append((depth, False, value, digits))
    return points, a.known


def _lost(value, limit: Expr, digits: int) -> int:
    """Leading digits that a value shares with its limit."""
    with mp.workdps(digits + GUARD):
        distance = abs(value - to_mpf(limit))
        return max(0, int(mp.ceil(mp.log10(abs(value) / distance)))) if distance and value else 0


def _limit(a: Account):
    """The limit of the quantity, from which the values are told where they come close to it; else 0."""
    near = a.law.expansion.scale.base is not None or a.subject.uniformiser is not None
    tends = near and a.law.expansion.terms and a.law.expansion.leading[0] == Monomial(0)
    return a.law.expansion.leading[1] if tends else Integer(0)


def _less(a: Account, limit: Expr) -> str:
    """The limit subtracted: -1, +1/2, -(a - b); nothing for 0."""
    written = a.notation(limit)
    if written == 0:
        return ""
    if written.is_Add:
        return f"-({running(tex(written))})"
    return f"+{running(tex(-written))}" if written.as_coeff_Mul()[0].is_negative else f"-{running(tex(written))}"


def _numeric(a: Account) -> bool:
    """Whether the law's coefficients are numbers but for C and D."""
    own = set(a.law.constant_symbols.values()) | {a.depth}
    return all(c.free_symbols <= own for branch in a.law.branches.values() for _, c in branch.terms)


def _depths(a: Account) -> tuple[int, ...]:
    if a.law.kind in ("leading", "depthwise"):
        return ITERATED_DEPTHS
    if a.form == "time" and not a.law.expansion.scale.variable.is_Symbol:
        return LOG_DEPTHS
    return FAST_DEPTHS if a.law.expansion.scale.base is not None else SLOW_DEPTHS


def _row(a: Account, point: tuple, known: dict, limit: Expr, heads: list[str]) -> list[str]:
    """The cells; none where the distance from the limit has no digits."""
    depth, iterated, exact, digits = point
    told, distance = min(DIGITS, digits - SPARE - _lost(exact, limit, digits)), exact - to_mpf(limit)
    if told < LEFT:
        return []
    cells = [f"${depth_tex(depth)}$", *([HOW[iterated]] if "how" in heads else []), f"${shown(distance, told)}$"]
    if len(cells) == len(heads):
        return cells
    branch = a.law.branch(depth)
    law = printed_at(branch, depth, known)[0] - to_mpf(limit)
    cells.append(f"${shown(law, told)}$")
    if "left out" in heads:
        rest, size = distance - law, monomial_at(branch.scale, branch.remainder.monomial, depth)
        certain = abs(rest) > abs(exact) * mp.mpf(10) ** (LEFT + 1 - digits)
        cells.append(f"${shown(rest / size, LEFT)}$" if certain else "")
    return cells
