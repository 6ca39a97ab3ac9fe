"""Laws that are functions of other laws: the printed parts combined once more, and NumPy's iteration."""

from mpmath import mp, mpf
from sympy import log

from asympt.compiling import as_function
from asympt.evidence.check import Check
from asympt.evidence.law_terms import rest_of
from asympt.evidence.order import growth_check
from asympt.evidence.symbolic.zero import sample

POWERS = (200, 400, 800)  # of ten, the depths of a recombination
FLOAT_DEPTH, FLOAT_DIGITS, FLOAT_BOUND = 20_000, 12, 1e-9


def recombined(law, parts: list) -> Check:
    """The printed law against the combination of its printed parts: the difference in units of the remainder."""
    depth, rest = law.depth_variable, rest_of(law.expansion)
    symbols = set().union(law.to_sympy().free_symbols, *(e.free_symbols for e in parts)) - {depth}
    values = sample(symbols)
    functions = [as_function(depth, e.subs(values), "mpmath") for e in (*parts, law.to_sympy())]
    size = as_function(depth, depth**-rest.order * log(depth) ** rest.logs, "mpmath")
    with mp.workdps(int(POWERS[-1] * (max(rest.order, 0) + 2)) + 200):
        left, sizes = [], []
        for far in (mpf(10) ** power for power in POWERS):
            *found, printed = (function(far) for function in functions)
            combined = law.coordinate.combine(*found)
            left.append((combined.subs(values) if hasattr(combined, "subs") else combined) - printed)
            sizes.append(size(far))
        return growth_check("the parts combined once more", left, sizes, f"L = 10^{', 10^'.join(map(str, POWERS))}")


def close_to_floats(law, found, expected, detail: str) -> Check:
    """The law's value against that of NumPy."""
    figure = abs(float(found) / float(expected) - 1)
    return Check.measured(f"${law.plain}$ against float64 iteration: relative deviation", figure, FLOAT_BOUND, detail)
