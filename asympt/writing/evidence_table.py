"""Numbers beside the law: the recursion iterated, the certified evaluation, and the partial sums.

Two kinds of rows, and the table says which is which.  *Iterated*: the original layer recursion in mpmath, layer by
layer; it knows no law.  *Evaluated*: `law.evaluate`, certified by two routes, at depths nobody can iterate to.
All numbers come from mpmath, so they are the same on every machine.
"""

from dataclasses import dataclass
from functools import cached_property

import mpmath
from mpmath import mp
from sympy import Expr, Integer, Rational

from asympt.evidence.reading import ParabolicReading, number, terms_of, value
from asympt.expansions import Monomial
from asympt.numbers import to_mpf
from asympt.writing.formulas import constant
from asympt.writing.material import START, Material

ITERATED = (10**2, 10**3, 10**4)
EVALUATED = (10**5, 10**6, 10**12)
GUARD = 15


@dataclass(frozen=True)
class TableRow:
    """One depth: the value, the law's partial sum, and whether the value was iterated."""

    depth: int
    iterated: bool
    value: object
    partial_sum: object


@dataclass(frozen=True)
class Numbers:
    """Everything numerical about one start."""

    material: Material
    start: Rational = START

    @property
    def _precision(self) -> int:
        return self.material.digits + GUARD

    @cached_property
    def orbit(self) -> dict[int, tuple]:
        """{depth: (gap, K/q)} at the depths that are iterated."""
        step, kept = self.material.step, {}
        with mp.workdps(self._precision):
            state = (1 - to_mpf(self.start), to_mpf(self.start))
            for depth in range(1, ITERATED[-1] + 1):
                if depth in ITERATED:
                    kept[depth] = state
                state = step(state)
        return kept

    @cached_property
    def first_constant(self):
        """C."""
        return self.material.law.connection_constant(self.material.digits + 5, correlation=self.start)

    @cached_property
    def second_constant(self):
        """D, for the kernel's law."""
        return self.material.law.second_constant(self.material.digits + 5, correlation=self.start)

    @cached_property
    def values(self) -> dict:
        """The constants by name."""
        known = {"C": self.first_constant}
        return {**known, "D": self.second_constant} if self.material.is_ntk else known

    @cached_property
    def rows(self) -> list[TableRow]:
        """The table, from 10^2 to 10^12."""
        with mp.workdps(self._precision):
            iterated = [TableRow(d, True, self._observed(d), self._sum(d)) for d in ITERATED]
            return iterated + [TableRow(d, False, self._evaluated(d), self._sum(d)) for d in EVALUATED]

    def _observed(self, depth: int):
        gap, kernel = self.orbit[depth]
        return kernel / depth if self.material.is_ntk else gap

    def _evaluated(self, depth: int):
        return self.material.law.evaluate(depth, digits=self.material.digits, correlation=self.start)

    def _sum(self, depth: int):
        return value(terms_of(self.material.law.expansion, self.values), mp.mpf(depth))

    def constancy(self, depth: int) -> tuple:
        """(|A_N(t_l) - l - C|, |D_l - D|) at an iterated depth; D_l from the truncated P and H."""
        m = self.material
        gap, kernel = self.orbit[depth]
        with mp.workdps(self._precision):
            coordinate, t = ParabolicReading.of(m.law), mp.sqrt(gap)
            first, second = coordinate.constants(t, depth, (gap, kernel))
            distance = abs(first - self.first_constant)
            return distance, None if second is None else abs(second - self.second_constant)


# ---- how numbers look -----------------------------------------------------------------------------


def shown(value, digits: int) -> str:
    r"""`digits` significant digits in LaTeX: 0.25335 or 4.3194 \cdot 10^{-5}."""
    text = mpmath.nstr(value, digits, strip_zeros=False, min_fixed=-3, max_fixed=12)
    mantissa, _, exponent = text.partition("e")
    return mantissa if not exponent else rf"{mantissa}\cdot10^{{{int(exponent)}}}"


def grouped(value, digits: int) -> str:
    """Decimals in groups of five, for long constants."""
    text = mpmath.nstr(value, digits, strip_zeros=False)
    whole, _, decimals = text.partition(".")
    groups = [decimals[i : i + 5] for i in range(0, len(decimals), 5)]
    return rf"{whole}." + r"\,".join(groups)


def power_of_ten(depth: int) -> str:
    """10^k for a power of ten."""
    return f"10^{{{len(str(depth)) - 1}}}"


def bound(value) -> str:
    """A number so small that only its size counts: < 10^-17, rounded up."""
    if value == 0:
        return "0"
    return f"<10^{{{int(mp.ceil(mp.log10(value)))}}}"


# ---- the tables -----------------------------------------------------------------------------------


def value_table(n: Numbers) -> str:
    """Depth, how, value, partial sum, and the two figures that show the log."""
    m = n.material
    depth, quantity = m.law.depth_variable, m.average if m.is_ntk else "1-c^l"
    rest = rf"{depth}\,r_{depth}"
    heads = [f"${depth}$", "how", f"${quantity}$", "law", f"${rest}$", rf"${rest}/\log {depth}$"]
    heads.append(f"${rest} {_minus(ratio_limit(m))}\\log {depth}$")
    with mp.workdps(m.digits + GUARD):
        body = " \\\\\n".join(_value_row(m, row) for row in n.rows)
    top = "\\begin{tabular}{@{}rlllrrr@{}}\n\\toprule\n" + " & ".join(heads) + " \\\\\n\\midrule\n"
    return top + body + " \\\\\n\\bottomrule\n\\end{tabular}"


def _minus(coefficient: Expr) -> str:
    """The coefficient with its sign turned, for running text: - 3/8 or + 3."""
    sign = "-" if coefficient > 0 else "+"
    return sign + constant(abs(coefficient)).replace(r"\frac", r"\tfrac")


def rest_definition(m: Material) -> str:
    """r, the relative or absolute distance from the leading term, as a displayed definition."""
    if m.is_ntk:
        return rf"\[ r_L = {m.law.quantity}-{constant(m.law.limit)} \]"
    return r"\[ r_l = \frac{l^2\,(1-c^l)}{\alpha^2}-1 \]"


def level_sentence(n: Numbers) -> str:
    """What the last column tends to, if the law shown has that term."""
    m = n.material
    order = Monomial(1) if m.is_ntk else Monomial(3)
    coefficient = m.law.expansion.coefficients.get(order)
    if coefficient is None:
        return " is bounded"
    with mp.workdps(m.digits + GUARD):
        level = number(coefficient, n.values) / (1 if m.is_ntk else to_mpf(m.alpha) ** 2)
        return f" tends to a constant, ${shown(level, 10)}$"


def _value_row(m: Material, row: TableRow) -> str:
    depth = mp.mpf(row.depth)
    if m.is_ntk:
        scaled = depth * (row.value - to_mpf(m.law.limit))
    else:
        scaled = depth * (depth**2 * row.value / to_mpf(m.alpha) ** 2 - 1)
    level = scaled - to_mpf(ratio_limit(m)) * mp.log(depth)
    how = "iterated" if row.iterated else "evaluated"
    cells = [power_of_ten(row.depth), how, shown(row.value, 15), shown(row.partial_sum, 15)]
    cells += [shown(scaled, 8), shown(scaled / mp.log(depth), 6), shown(level, 6)]
    return " & ".join(c if c == how else f"${c}$" for c in cells)


def ratio_limit(m: Material) -> Expr:
    """What the last column tends to, from the law's own coefficients."""
    if m.is_ntk:
        return m.law.expansion.coefficients.get(Monomial(1, 1), Integer(0))
    (order, leading), coefficients = m.law.expansion.leading, m.law.expansion.coefficients
    return (coefficients.get(Monomial(order.order + 1, 1), Integer(0)) / leading).simplify()


def constancy_table(n: Numbers) -> str:
    """How constant C and D are along the iterated orbit."""
    m = n.material
    second = r" & $|D_l-D|$" if m.is_ntk else ""
    lines = []
    for depth in ITERATED:
        first, other = n.constancy(depth)
        lines.append(f"${power_of_ten(depth)}$ & ${bound(first)}$" + (f" & ${bound(other)}$" if m.is_ntk else ""))
    columns = "rll" if m.is_ntk else "rl"
    head = rf"$l$ & $|A_N(t_l)-l-C|${second} \\"
    return (
        f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n\\toprule\n{head}\n\\midrule\n"
        + " \\\\\n".join(lines)
        + " \\\\\n\\bottomrule\n\\end{tabular}"
    )


def shifted_constant(n: Numbers):
    """B = C - beta log(alpha)."""
    m = n.material
    with mp.workdps(m.digits + GUARD):
        return n.first_constant - to_mpf(m.beta) * mp.log(to_mpf(m.alpha))


