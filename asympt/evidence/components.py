"""The evidence for component laws of PDLT's MLP in the class K* = 0, with learning rates of its own.

Symbolically a law is put back into PDLT's recursions 10.44, 10.67 and 10.70, for all rates (`symbolic.components`).  In
numbers `precise.mlp` follows them with quadratures: at the layers n, 2n and 4n every constant is solved for in the
stated series of its component in u = K_00; the values differ from each other, and from the law's own number, by what
the series leave out, and in units of it that must not grow.  tanh: A(u) - l = C + O(u^7), A = 1/(2u) - (5/12) log u +
...
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from mpmath import mp, mpf
from sympy import Rational

from asympt.architectures.perceptron.components import NAMES, Components
from asympt.compiling import as_function
from asympt.evidence.check import Check
from asympt.evidence.combined import FLOAT_DEPTH, FLOAT_DIGITS, close_to_floats, recombined
from asympt.evidence.law_terms import rest_of, terms_of, value
from asympt.evidence.order import growth_check
from asympt.evidence.symbolic.components import component_checks
from asympt.meanfield.statement import LAYER
from asympt.numbers import to_mpf
from asympt.precise.mlp import ComponentStep, derivatives

STARTS = (("K_00^1 = 1", Rational(1)), ("K_00^1 = 1/3", Rational(1, 3)))
LAYERS, DIGITS = (100, 200, 400), 30  # where constants are read, and to how many digits
NODES = 120
FAINT = mpf(10) ** -2  # of what the series leave out, which counts as none: where a first coefficient nearly vanishes
SOLVED = {"delta^2": ("delta", "K2"), "epsilon": ("epsilon", "K1"), "D": ("D", "Theta00"), "E": ("E", "Theta2"),
          "F": ("F", "Theta1")}  # the symbol and the component for which a constant is solved  # fmt: skip


def symbolic_checks(law) -> list[Check]:
    """What can be shown for all starts and all learning rates at once."""
    return component_checks(law) + ([recombined(law, _parts(law))] if _is_function(law) else [])


def numeric_checks(law, digits: int, depth: int, workers: int, progress, attempt: Callable) -> list[Check]:
    """The law against the original recursions."""
    checks = attempt("constants along the recursion", lambda: component_constants(law, progress))
    return checks + attempt("float64 at depth", lambda: component_floats(law, depth))


def _is_function(law) -> bool:
    """Whether the law is not one component itself."""
    return law.name in ("robustness", "prediction variance")


def _parts(law) -> list:
    longer = len(law.expansion.terms) + 3
    return [law.renamed(law.coordinate.components.expansion(name, longer)).to_sympy() for name in law.coordinate.parts]


# ---- constants ----------------------------------------------------------------------------------------


def component_constants(law, progress=None) -> list[Check]:
    """Every constant of the components, from two starts: along the original recursion, and then the law's number."""
    checks = []
    for index, (label, start) in enumerate(STARTS):
        with mp.workdps(2 * DIGITS):
            measurements = [_constants(law, state) for state in _states(law, start)]
            found = _all_settled(label, measurements, {})
            if all(check.passed for check in found):  # constants that drift have no number
                found = _all_settled(label, measurements, law.constants(DIGITS, variance=start))
            checks += found
        if progress:
            progress("the components in mpmath", index + 1, len(STARTS))
    return checks


def _all_settled(label: str, measurements: list[dict], stated: dict) -> list[Check]:
    return [_settled(name, label, [found[name] for found in measurements], stated) for name in measurements[0]]


def _settled(name: str, label: str, measurements: list[tuple], stated: dict) -> Check:
    """How one value differs from the next, and the last one from the law's number."""
    values, sizes = zip(*measurements, strict=True)
    left = [a - b for a, b in pairwise((*values, *([stated[name]] if stated else [])))]
    where = f"layers {', '.join(map(str, LAYERS))}; {name} = {mp.nstr(values[-1], 15)}"
    said = f"${name}$ is constant from ${label}$" + (", and the law's own" if stated else "")
    return growth_check(said, left, sizes[: len(left)], where, nothing=FAINT)


def _states(law, start) -> list[tuple]:
    """(layer, K_00, dK_1, ddK_2, Theta_00, dTheta_1, ddTheta_2) at the layers that are read."""
    step = ComponentStep(law.coordinate.components.statement)
    state, kept = step.first(to_mpf(start)), []
    while state[0] < LAYERS[-1]:
        state = step(state)
        if state[0] in LAYERS:
            kept.append(state)
    return kept


def _constants(law, state: tuple) -> dict:
    """{constant: (as one layer shows it, the size of what its series leaves out)}."""
    components, (layer, u) = law.coordinate.components, state[:2]
    abel = next(step for step in law.steps if step.kind == "coordinate")["abel"]
    found = {"C": (value(terms_of(abel), u) - layer, _size(abel, u))}
    known, seen = {"C": found["C"][0]}, dict(zip(NAMES, state[1:], strict=True))
    for name, (symbol, part) in SOLVED.items():
        series = components.in_variance(part)
        none, one = (value(terms_of(series, known | {symbol: mpf(k)}), u) for k in (0, 1))
        constant = (seen[part] - none) / (one - none)
        found[name] = constant, _size(series, u) / abs(one - none)
        known[symbol] = mp.sqrt(constant) if symbol != name else constant
    return found


def _size(series, u):
    """u^N |log u|^J of the stated remainder."""
    rest = rest_of(series)
    return u ** to_mpf(rest.order) * abs(mp.log(u)) ** rest.logs


# ---- in float64 ---------------------------------------------------------------------------------------


def float_components(components: Components, variance: float, depth: int) -> dict[str, float]:
    """The components in the last layer of a network of depth `depth`, by NumPy alone."""
    statement = components.statement
    values = derivatives(statement.layer.activation.piecewise, "numpy")
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / np.sum(weights) * float(statement.layer.weight_variance)
    rates = as_function(LAYER, [statement.weight_rate / statement.layer.weight_variance, statement.bias_rate], "numpy")
    share, bias = rates(1.0)
    u, k1, k2, t0, t1, t2 = variance, 1.0, 1.0, bias + share * variance, share, share
    for layer in range(2, depth + 1):
        s, first, second, third = (np.broadcast_to(v, nodes.shape) for v in values(np.sqrt(u) * nodes))
        share, bias = rates(float(layer))
        slope, parallel = weights @ first**2, weights @ (first**2 + s * second)
        curved, mixed = weights @ second**2, weights @ (second**2 + first * third)
        t1, t2 = slope * t1 + (share * parallel + mixed * t0) * k1, slope * t2 + (share * slope + curved * t0) * k2
        u, t0 = weights @ s**2, bias + share * (weights @ s**2) + slope * t0
        k1, k2 = parallel * k1, slope * k2
    power = float(components.exponent) - 1 if components.is_scheduled else 0.0
    found = (u, k1, k2, *(t * float(depth) ** power for t in (t0, t1, t2)))
    return dict(zip(NAMES, map(float, found), strict=True))


def component_floats(law, depth: int) -> list[Check]:
    """The law against NumPy."""
    depth = min(depth, FLOAT_DEPTH)
    found = float_components(law.coordinate.components, 1.0, depth)
    expected = law.evaluate(depth=depth, variance=1, digits=FLOAT_DIGITS)
    combined = law.coordinate.combine(*(found[name] for name in law.coordinate.parts))
    return [close_to_floats(law, combined, expected, f"K_00^1 = 1, depth {depth}")]
