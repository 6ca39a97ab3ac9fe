"""The map on the Edge of Chaos: the ladder, the coefficients by moments and jumps, and their numbers."""

from mpmath import mp
from sympy import Add, Expr, Symbol, expand, factorial

from asympt.expansions import Expansion
from asympt.expansions.opaque import RealConstant
from asympt.gaussian.closed.moments import exact_square_moment
from asympt.gaussian.moments import square_moment
from asympt.gaussian.price.expansion import ladder
from asympt.numbers import to_mpf
from asympt.writing.digits import digit_lines
from asympt.writing.edge_material import EdgeMaterial, letter
from asympt.writing.formulas import Piece, break_lines, columns, displays, inline, sum_pieces, tex
from asympt.writing.template import fill
from asympt.writing.width import width

Q = Symbol("q", positive=True)
WEIGHT = Symbol("sigma_w", positive=True)

_MAP = r"""
\section{The correlation map}\label{sec:map}
One layer takes the correlation $c$ to
\[
  f(c)=\frac{\sigma_b^2+\sigma_w^2\,\mathbb E[\phi(\sqrt q\,U)\,\phi(\sqrt q\,V)]}{q}, \qquad
  U,V\sim\mathcal N(0,1) \text{ with correlation } c .
\]
Price's theorem differentiates under the integral,
$\frac{d}{dc}\mathbb E[g(U)h(V)]=\mathbb E[g'(U)h'(V)]$, so that the derivatives of $f$ at $c=1$ form a ladder whose
rungs are the moments
\[
  M_n=\mathbb E\bigl[\phi^{(n)}(\sqrt q\,Z)^2\bigr]@regular ,
\]
and (\ref{eq:edge}) says $f(1)=1$ and $f'(1)=\sigma_w^2M_1=1$. @kind
"""

_SMOOTH = r"""
As $\phi$ is smooth, this is all: with $t=1-c$ and
\[ f_n=f^{(n)}(1)=\sigma_w^2\,q^{n-1}M_n>0 , \]
@expansion
Since $f^{(n)}(c)>0$ for $0\le c\le1$ (in Hermite's polynomials it is a power series with positive coefficients),
consecutive partial sums of the first line enclose $f$; the series itself is in general only asymptotic. Here
@table
"""

_KINKED = r"""
But @jumps: there $@following$ contains a delta function, and Price's theorem once more gives, beside the regular
part, for every such point $b$ with jump $J_b$ of $@derivative$,
\[
  \frac{d}{dc}\,\mathbb E\bigl[@derivative(\sqrt q\,U)\,@derivative(\sqrt q\,V)\bigr]
  =\cdots+\sum_b J_b^2\,\frac{e^{-b^2/(q(1+c))}}{2\pi\sqrt{1-c^2}} .
\]
The square root of $1-c$ stands in the denominator; climbing down the ladder integrates it @count times, and it arrives
as $(1-c)^{@half}$: the first odd power of the uniformiser $t=\sqrt{1-c}$ is $t^{@odd}$. So, with $e_k$ the coefficient
of~$t^k$,
@expansion
where, by all products of jumps and one-sided derivatives,
@formulas
@hdr In numbers,
@table
"""
_HDR = r"""
The proof of Theorem~1, part~2, of \cite{HDR} expands $f$ for its class $\mathcal S$, to which this $\phi$ is counted,
in powers of $1-c$ alone, that is in even powers of~$t$: the term $e_@odd t^@odd$ is missing there, and everything that
it causes below.
"""
_COUNTS = {1: "two", 2: "three", 3: "four"}


def shown_pieces(m: EdgeMaterial, expansion: Expansion, lines: int = 4, count: int = 6) -> list[Piece]:
    """As many terms (at most `count`, at least two) as fit on so many lines."""
    for terms in range(min(count, len(expansion.terms)), 2, -1):
        pieces = m.notation.pieces(expansion, terms)
        if len(break_lines(pieces, taken=6)) <= lines:
            return pieces
    return m.notation.pieces(expansion, 2)


def correlation_map(m: EdgeMaterial) -> str:
    """The ladder and the expansion of f and f'."""
    rows = [("f(c)", shown_pieces(m, m.map_expansion, 3, 7)), ("f'(c)", shown_pieces(m, m.slope_expansion, 3, 5))]
    expansion = displays(rows, "eq:expansion")
    kind = _smooth(m, expansion) if m.root == 1 else _kinked(m, expansion)
    regular = r" \quad\text{(without delta functions)}" if m.phi.piecewise.breaks else ""
    return fill(_MAP, kind=kind, regular=regular)


def _smooth(m: EdgeMaterial, expansion: str) -> str:
    return fill(_SMOOTH, expansion=expansion, table=tables(m)).strip()


def _kinked(m: EdgeMaterial, expansion: str) -> str:
    order = m.phi.singular_order
    return fill(
        _KINKED,
        jumps=_jumps(m, order),
        derivative=derivative(order),
        following=derivative(order + 1),
        count=_COUNTS.get(order, str(order + 1)),
        half=f"{2 * order + 1}/2",
        odd=2 * order + 1,
        expansion=expansion,
        formulas=formulas(m),
        hdr=fill(_HDR, odd=2 * order + 1).strip() if order == 2 and m.phi.in_class_s else "",
        table=tables(m),
    ).strip()


def derivative(order: int) -> str:
    """phi'' or phi^(4)."""
    return r"\phi" + ("'" * order if order <= 3 else f"^{{({order})}}")


def _jumps(m: EdgeMaterial, order: int) -> str:
    said = [rf"${derivative(order)}$ jumps by ${tex(jump)}$ at $x={tex(point)}$"
            for point, jump in m.phi.jumps(order).items()]  # fmt: skip
    return " and ".join(said)


# ---- coefficients by moments ------------------------------------------------------------------------


def moment(n: int) -> Symbol:
    """M_n."""
    return Symbol(f"M_{n}", positive=True)


def by_moments(m: EdgeMaterial) -> dict[RealConstant, Expr]:
    """Each constant by q, sigma_w and the moments M_n."""
    order = max(map(power_of, m.constants), default=2)
    f = ladder(m.phi.piecewise, Q, order, moment)
    found = {}
    for c in m.constants:
        value = WEIGHT**2 / Q * f.coefficient(power_of(c))
        n = power_of(c) // 2
        found[c] = expand(value * (-1) ** n * factorial(n) if c.name.startswith("f") else value)
    return found


def power_of(c: RealConstant) -> int:
    """The power of sqrt(1-c) of which the constant is a coefficient."""
    number = int("".join(ch for ch in c.name if ch.isdigit()))
    return 2 * number if c.name.startswith("f") else number


def formulas(m: EdgeMaterial) -> str:
    """e_4 = ..., each as a sum of what the moment and what the jumps give."""
    rows = [(tex(letter(c)), sum_pieces(formula)) for c, formula in by_moments(m).items()]
    return displays(rows, end=".")


# ---- numbers --------------------------------------------------------------------------------------


def tables(m: EdgeMaterial) -> str:
    """The moments with their formulas where there are any, and the coefficients."""
    exact = _exact_moments(m)
    parts = []
    if exact:
        shown = columns([rf"M_{{{n}}} = {inline(sum_pieces(value))}" for n, value in exact.items()])
        parts.append("where the moments have the closed forms\n" + shown + "\nThe numbers are")
    return "\n".join([*parts, _number_table(m)])


def moment_numbers(m: EdgeMaterial) -> list[int]:
    """The n of the moments that are shown."""
    return list(range(max(map(power_of, m.constants), default=2) // 2 + 1))


def _exact_moments(m: EdgeMaterial) -> dict[int, Expr]:
    """M_n(q) where it has a formula that fits on a line."""
    found = {n: exact_square_moment(m.phi.piecewise, n, Q) for n in moment_numbers(m)}
    if any(value is None for value in found.values()):
        return {}
    spread = {n: Add(*expand(value).args) if value.is_Add else value for n, value in found.items()}
    return {n: value for n, value in spread.items() if width(inline(sum_pieces(value))) < 30}


def _number_table(m: EdgeMaterial) -> str:
    moments, constants = moment_numbers(m), m.constants
    left = [(rf"M_{{{n}}}", _moment_number(m, n)) for n in moments]
    right = [(tex(letter(c)), _constant_number(m, c)) for c in constants]
    lines = []
    for index in range(max(len(left), len(right))):
        cells = [_cell(side, index, m.digits) for side in (left, right)]
        lines.append(" & ".join(cells))
    body = " \\\\\n".join(lines)
    return (
        "\\[\n\\mbox{\\small\\begin{tabular}{@{}llcll@{}}\n\\toprule\n"
        + body.replace(" &|& ", " & \\quad & ")
        + " \\\\\n\\bottomrule\n\\end{tabular}}\n\\]"
    )


def _cell(side: list, index: int, digits: int) -> str:
    if index >= len(side):
        return " & "
    name, value = side[index]
    return f"${name}$ & ${digit_lines(value, min(digits, 30))[0]}$"


def _moment_number(m: EdgeMaterial, n: int):
    with mp.workdps(m.digits + 10):
        return square_moment(m.phi.piecewise, n, to_mpf(m.q), m.digits + 5)


def _constant_number(m: EdgeMaterial, c: RealConstant):
    with mp.workdps(m.digits + 10):
        return to_mpf(c)


def number_of(expression: Expr) -> str:
    """A number with ten digits, in LaTeX."""
    with mp.workdps(25):
        return digit_lines(to_mpf(expression), 10)[0]
