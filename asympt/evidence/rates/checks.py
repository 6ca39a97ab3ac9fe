"""The evidence for laws of PDLT's MLP with learning rates of its own.

    law              symbolic                                              in numbers (`numbers`)
    ComponentFlow    put back into PDLT's recursions, for all rates         constancy of six constants, float64
    Angle            zeta: substitution, P + D H; psi: inverted once more   constancy of C and D, float64
    Combination      its parts', and the combination once more              its parts', float64
    ExactRates       the recursion identically                              layer by layer

Known limits.  A ratio or a product of laws is recombined in numbers, at L = 10^200, 10^400 and 10^800: a wrong term
shows there as growth beyond the stated remainder, by a factor of 2 at least.
"""

from collections.abc import Callable
from itertools import pairwise

from mpmath import mp, mpf, nstr
from sympy import Integer, log, simplify

from asympt.architectures.perceptron.coordinate import ComponentFlow
from asympt.architectures.perceptron.law import Angle, Combination, ExactRates
from asympt.compiling import as_function
from asympt.evidence.check import Check
from asympt.evidence.rates import numbers as numbers
from asympt.evidence.rates.substitution import substitution_checks
from asympt.evidence.reading import rest_of
from asympt.evidence.symbolic.defect import linear_checks
from asympt.evidence.symbolic.observable import observable_check
from asympt.evidence.symbolic.zero import sample, zero_by

Attempt = Callable[[str, Callable[[], list[Check]]], list[Check]]
POWERS = (200, 400, 800)  # of ten, the depths of a recombination
GROWTH = 1.5
NOTHING = mpf(10) ** -100  # of a remainder, which counts as none


def symbolic_checks(law) -> list[Check]:
    """What can be shown for all starts and all learning rates at once."""
    if isinstance(law.coordinate, ComponentFlow):
        checks = substitution_checks(law)
        return checks + ([_recombined(law, _component_parts(law))] if _is_function(law) else [])
    if isinstance(law.coordinate, Angle):
        return linear_checks(law) if law.linear is not None else [observable_check(law)]
    if isinstance(law.coordinate, Combination):
        rates = [check for part in law.coordinate.parts if _has_rates(part) for check in symbolic_checks(part)]
        return [*rates, _recombined(law, [part.in_symbols_of(law).to_sympy() for part in law.coordinate.parts])]
    return [_exact(law)]


def numeric_checks(law, digits: int, depth: int, workers: int, progress, attempt: Attempt) -> list[Check]:
    """The law against the original recursions."""
    if isinstance(law.coordinate, ComponentFlow):
        checks = attempt("constancy", lambda: numbers.component_constancy(law, digits, progress))
        return checks + attempt("float64 at depth", lambda: numbers.component_floats(law, depth))
    checks, parts = [], law.coordinate.parts if isinstance(law.coordinate, Combination) else (law,)
    for part in parts:
        if isinstance(part.coordinate, ExactRates):
            checks += attempt("the recursion layer by layer", lambda p=part: numbers.exact_numbers(p))
        else:
            checks += attempt("constancy of C and D", lambda p=part: numbers.angle_constancy(p, digits, progress))
    if any(isinstance(part.coordinate, Angle) for part in parts):
        checks += attempt("float64 at depth", lambda: numbers.angle_floats(law, depth))
    return checks


def _has_rates(part) -> bool:
    """Whether a part of a combined law is checked here, and not by its coordinate alone."""
    return isinstance(part.coordinate, ComponentFlow | Angle | ExactRates)


# ---- functions of laws --------------------------------------------------------------------------------


def _is_function(law) -> bool:
    """Whether the law is not one component itself."""
    return law.name in ("robustness", "prediction variance")


def _component_parts(law) -> list:
    longer = len(law.expansion.terms) + 3
    return [law.renamed(law.coordinate.components.expansion(name, longer)).to_sympy() for name in law.coordinate.parts]


def _recombined(law, parts: list) -> Check:
    """The printed law against the combination of its printed parts: the difference in units of the remainder."""
    depth, rest = law.depth_variable, rest_of(law.expansion)
    symbols = set().union(law.to_sympy().free_symbols, *(e.free_symbols for e in parts)) - {depth}
    values = sample(symbols)
    functions = [as_function(depth, e.subs(values), "mpmath") for e in (*parts, law.to_sympy())]
    size = as_function(depth, depth**-rest.order * log(depth) ** rest.logs, "mpmath")
    with mp.workdps(int(POWERS[-1] * (max(rest.order, 0) + 2)) + 200):
        units = []
        for power in POWERS:
            *found, printed = (function(mpf(10) ** power) for function in functions)
            units.append(abs(_combined(law, found, values) - printed) / size(mpf(10) ** power))
    growth = max((b / max(a, NOTHING) for a, b in pairwise(units) if b > NOTHING), default=mpf(0))
    name = "the parts combined once more: growth of the difference in units of the stated remainder"
    detail = f"{', '.join(nstr(u, 4) for u in units)} remainders at L = 10^{', 10^'.join(map(str, POWERS))}"
    return Check(name, nstr(growth, 4), GROWTH, bool(growth <= GROWTH), "checked", detail)


def _combined(law, found: list, values: dict):
    value = law.coordinate.combine(*found)
    return value.subs(values) if hasattr(value, "subs") else value


# ---- exact laws ---------------------------------------------------------------------------------------


def _exact(law) -> Check:
    """The diagonal: Theta_d grows by the same in every layer; cos zeta of a linear network: the same in every layer."""
    depth, formula = law.depth_variable, law.to_sympy()
    name, rest = "the same in every layer", formula.diff(depth)
    if law.name == "ntk diagonal":
        total = formula if formula.has(depth) else formula * depth  # the rates' factor 1/L taken off
        chi, first = law.layer.layer.chi, total.subs(depth, 1)
        name, rest = "Theta_d(l + 1) - chi Theta_d(l) - Theta_d(1)", total.subs(depth, depth + 1) - chi * total - first
    rest = simplify(rest)
    return Check(name, str(rest), Integer(0), zero_by(rest) is not None, "proved")
