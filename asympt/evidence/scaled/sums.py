"""The laws of one input of a scaled residual network, held against the sums and products that they are.

Rule.  With delta_l = alpha/(l^kappa + alpha),

    K^l(x, x)/q_l - K^(l-1)(x, x)/q_(l-1) = delta_l, 1 in layer 1         q^l = (1 + alpha l^(-kappa)) q^(l-1).

For kappa = 1 the law carries a formula, which must obey this identically.  The printed expansion, minus the law's
numbers far out, must be at most of the size of its remainder; the numbers must be those of the sum, layer by layer.

Tiny case.  alpha = kappa = 1: q^l = (l + 1)/2 q^1, and (l + 1)/l = 1 + 1/l.
"""

from itertools import pairwise

from mpmath import mp, mpf, nstr
from sympy import Integer, expand_func, gammasimp, polygamma, simplify

from asympt.evidence.check import Check
from asympt.evidence.reading import rest_of, terms_of, value
from asympt.evidence.scaled.flow import ScaledFlow
from asympt.evidence.symbolic.zero import Left
from asympt.numbers import to_mpf

DETAIL = "symbolic: identically in the depth"
POWERS = (6, 12, 24)  # of ten: layers at which the printed law is looked at
GROWTH = 1.5
START = Integer(3)


def formula_of(law):
    """The quantity for every depth in the law's symbols; None when there is no formula."""
    formula = law.coordinate.formula
    return None if formula is None else formula.xreplace(law.symbols)


def sum_symbolic(law) -> list[Check]:
    """The formula solves the recursion and starts right."""
    formula = formula_of(law)
    if formula is None:
        return []
    depth, alpha = law.depth_variable, law.layer.layer.chi
    before = formula.subs(depth, depth - 1)
    if law.name == "variance":
        step = gammasimp(formula / before) - 1 - alpha / depth
        start = gammasimp(formula.subs(depth, 1) / formula.subs(depth, 2)) - 1 / (1 + alpha / 2)
    else:
        step = _shifted(formula - before, depth) - alpha / (depth + alpha)
        start = formula.subs(depth, 1) - 1
    return [
        Left.of([(Integer(1), simplify(step))]).check("the formula solves the recursion for every depth", DETAIL),
        Left.of([(Integer(1), simplify(start))]).check("the formula starts as the recursion does", DETAIL),
    ]


def _shifted(difference, depth):
    """psi(z + 1) written as psi(z) + 1/z, where z is the argument at the depth before."""
    for term in difference.atoms(polygamma):
        z = term.args[1] - 1
        if depth in z.free_symbols and difference.has(polygamma(0, z)):
            difference = difference.subs(term, polygamma(0, z) + 1 / z)
    return expand_func(difference)


def sum_numbers(law, digits: int, depth: int) -> list[Check]:
    """The law's numbers against the sum, and the printed law against its numbers."""
    return [_iterated(law, digits, min(depth, 3000)), _printed(law)]


def _iterated(law, digits: int, depth: int) -> Check:
    flow = ScaledFlow(law.layer)
    with mp.workdps(digits + 15):
        if law.name == "variance":
            found = mp.fprod(1 + flow.alpha / mpf(k) ** to_mpf(flow.kappa) for k in range(2, depth + 1))
            found = mp.log(found) if _is_logarithm(law) else found * to_mpf(START)
        else:
            found = 1 + mp.fsum(flow.branch_share(mpf(k)) for k in range(2, depth + 1))
        figure = abs(_evaluated(law, depth, digits) / found - 1) if found else mpf(0)
        bound = mpf(10) ** -digits
    name = f"the law evaluated at layer {depth} against the sum over the layers: relative deviation"
    return Check(name, nstr(figure, 3), nstr(bound, 3), bool(figure <= bound), "checked", "mpmath, layer by layer")


def _is_logarithm(law) -> bool:
    return law.name == "variance" and law.coordinate.formula is None


def _evaluated(law, depth: int, digits: int):
    start = {"variance": START} if law.name == "variance" and not _is_logarithm(law) else {}
    return law.evaluate(depth=depth, digits=digits, **start)


def _printed(law) -> Check:
    rest, found = rest_of(law.expansion), []
    for power in POWERS:
        digits = min(int(power * (float(rest.order) + 3)) + 20, 200)
        with mp.workdps(digits):
            depth = mpf(10) ** power
            constants = {"C": _constant(law, digits)}
            stated = value(terms_of(law.expansion, constants), depth)
            size = depth ** -to_mpf(rest.order) * mp.log(depth) ** rest.logs
            left = abs(_evaluated(law, 10**power, digits) - stated)
            found.append(+(left / size) if left > mpf(10) ** (8 - digits) * abs(stated) else mpf(0))
    growth = max((b / a if a else mpf(0)) for a, b in pairwise(found))
    detail = f"in units of the remainder at 10^6, 10^12, 10^24: {', '.join(nstr(one, 3) for one in found)}"
    return Check("printed law against its numbers: growth in units of the remainder", nstr(growth, 4), GROWTH,
                 bool(growth <= GROWTH), "checked", detail)


def _constant(law, digits: int):
    if law.name == "variance" and not _is_logarithm(law):
        return law.connection_constant(digits=digits, variance=START)
    return mpf(0)
