"""The evidence for laws of PDLT's MLP with learning rates of its own.

    law                              symbolic                                          in numbers
    component of the class K* = 0    put back into PDLT's recursions, for all rates    six constants, float64
    angle, zeta                      zeta: substitution, P + D H; psi: inverted once   C and D constant, float64
    function of other laws           its parts', and the combination once more         its parts', float64
    exact                            the recursion, identically                        layer by layer

Problem.  Are C, delta^2, epsilon, D, E and F, as the law gives them, those of the network?

Rule.  `precise.mlp` follows PDLT's recursions with quadratures, without any series of the means.  At the layers n, 2n
and 4n every constant is solved for in the stated series of its component in u = K_00, read term by term (they are
linear in it; C comes from A).  The readings differ from each other, and from the number that the law gives, by what the
series leave out; in units of it, that must not grow.  So the series are those of the network, and the law's number,
which comes from other code with longer series, is the constant of the formula.  The float64 iteration is a loop of
NumPy with Gauss-Hermite quadrature and closed forms of the angle's recursion, to `FLOAT_DEPTH` layers at most.

Tiny case.  tanh: A(u) - l = C + O(u^7), A = 1/(2u) - (5/12) log u + ...

Known limits.  Constants to about 15 digits, at two starts.  A ratio or a product of laws is recombined in numbers, at
L = 10^200, 10^400 and 10^800: a wrong term shows there as growth beyond the stated remainder, by a factor of 2.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from mpmath import mp, mpf
from sympy import Rational, log

from asympt.architectures.perceptron.angles import Angle, Combination, ExactRates
from asympt.architectures.perceptron.components import NAMES, Components
from asympt.architectures.perceptron.coordinate import ComponentFlow
from asympt.compiling import as_function
from asympt.errors import PrecisionError
from asympt.evidence.check import Check
from asympt.evidence.exact import identity_check
from asympt.evidence.law_terms import rest_of, terms_of, value
from asympt.evidence.orbits.constancy import constancy_checks
from asympt.evidence.order import growth_check
from asympt.evidence.symbolic.components import component_checks
from asympt.evidence.symbolic.defect import linear_checks
from asympt.evidence.symbolic.inverse import observable_check
from asympt.evidence.symbolic.zero import sample
from asympt.meanfield.statement import LAYER
from asympt.numbers import to_mpf
from asympt.precise.mlp import ComponentStep, derivatives

Attempt = Callable[[str, Callable[[], list[Check]]], list[Check]]
POWERS = (200, 400, 800)  # of ten, the depths of a recombination
STARTS = (("K_00^1 = 1", Rational(1)), ("K_00^1 = 1/3", Rational(1, 3)))
GAPS = (("c^1 = 1/10", Rational(9, 10)), ("c^1 = -1/2", Rational(3, 2)))
LAYERS, DIGITS = (100, 200, 400), 30  # where constants are read, and to how many digits
FLOAT_DEPTH, FLOAT_DIGITS, FLOAT_BOUND = 20_000, 12, 1e-9
NODES = 120
FAINT = mpf(10) ** -2  # of what the series leave out, which counts as none: where a first coefficient nearly vanishes
SOLVED = {"delta^2": ("delta", "K2"), "epsilon": ("epsilon", "K1"), "D": ("D", "Theta00"), "E": ("E", "Theta2"),
          "F": ("F", "Theta1")}  # the symbol and the component for which a constant is solved  # fmt: skip


def symbolic_checks(law) -> list[Check]:
    """What can be shown for all starts and all learning rates at once."""
    if isinstance(law.coordinate, ComponentFlow):
        checks = component_checks(law)
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
        checks = attempt("constants along the recursion", lambda: component_constants(law, progress))
        return checks + attempt("float64 at depth", lambda: component_floats(law, depth))
    checks, parts = [], law.coordinate.parts if isinstance(law.coordinate, Combination) else (law,)
    for part in parts:
        if isinstance(part.coordinate, ExactRates):
            checks += attempt("the recursion layer by layer", lambda p=part: exact_numbers(p))
        else:
            checks += attempt("constancy of C and D", lambda p=part: [
                check for label, gap in GAPS for check in constancy_checks(p, gap, label, digits, progress)])
    if any(isinstance(part.coordinate, Angle) for part in parts):
        checks += attempt("float64 at depth", lambda: angle_floats(law, depth))
    return checks


def _has_rates(part) -> bool:
    """Whether a part of a combined law is checked here, and not by its coordinate alone."""
    return isinstance(part.coordinate, ComponentFlow | Angle | ExactRates)


# ---- functions of laws, exact laws --------------------------------------------------------------------


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
        left, sizes = [], []
        for far in (mpf(10) ** power for power in POWERS):
            *found, printed = (function(far) for function in functions)
            combined = law.coordinate.combine(*found)
            left.append((combined.subs(values) if hasattr(combined, "subs") else combined) - printed)
            sizes.append(size(far))
        return growth_check("the parts combined once more", left, sizes, f"L = 10^{', 10^'.join(map(str, POWERS))}")


def _exact(law) -> Check:
    """The diagonal: Theta_d grows by the same in every layer; cos zeta of a linear network: the same in every layer."""
    depth, formula = law.depth_variable, law.to_sympy()
    if law.name != "ntk diagonal":
        return identity_check(formula, depth)
    total = formula if formula.has(depth) else formula * depth  # the rates' factor 1/L taken off
    return identity_check(total, depth, law.layer.layer.chi, total.subs(depth, 1))


def exact_numbers(law, layers: int = 200) -> list[Check]:
    """cos zeta of a linear network layer by layer, by its statement: Theta' = lambda_b + lambda_W <s s> + Theta."""
    if law.name != "zeta":
        return []
    with mp.workdps(40):
        gap, unit = mpf(9) / 10, law.layer.layer.weight_variance
        weights, biases = to_mpf(law.layer.weight_rate * law.coordinate.variance / unit), to_mpf(law.layer.bias_rate)
        step, diagonal, worst = biases + weights * (1 - gap), biases + weights, mpf(0)
        same = kernel = mpf(0)
        for layer in range(1, layers + 1):
            kernel, same = kernel + step, same + diagonal
            worst = max(worst, abs(kernel / same - law.evaluate(depth=layer, gap=Rational(9, 10), digits=35)))
        return [Check.measured(f"$cos zeta$ against the recursion in each of {layers} layers", worst, mpf(10) ** -30)]


# ---- the class K* = 0 ---------------------------------------------------------------------------------


def component_constants(law, progress=None) -> list[Check]:
    """Every constant of the components, from two starts: along the original recursion, and then the law's number."""
    checks = []
    for index, (label, start) in enumerate(STARTS):
        with mp.workdps(2 * DIGITS):
            measurements = [_constants(law, state) for state in _states(law, start)]
            try:
                stated, undone = law.constants(DIGITS, variance=start), None
            except PrecisionError as error:  # constants that drift have no number
                stated, undone = {}, error
            checks += [
                _settled(name, label, [found[name] for found in measurements], stated) for name in measurements[0]
            ]
        if undone is not None and all(check.passed for check in checks):
            raise undone
        if progress:
            progress("the components in mpmath", index + 1, len(STARTS))
    return checks


def _settled(name: str, label: str, measurements: list[tuple], stated: dict) -> Check:
    """How one reading differs from the next, and the last one from the law's number."""
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
    return [_close(law, combined, expected, f"K_00^1 = 1, depth {depth}")]


# ---- the scale-invariant class ------------------------------------------------------------------------


def float_angles(kink: float, lost: float, gap: float, depth: int) -> tuple[float, float]:
    """(psi, cos zeta) at a layer by PDLT 10.88-10.89, sin psi - psi cos psi summed where it cancels."""
    rho, kernel = 2 * kink / np.pi, 1 - lost * gap
    for _ in range(depth - 1):
        psi = 2 * np.arcsin(np.sqrt(gap / 2))
        gap = gap - rho * _bend(psi)
        kernel = (1 - rho * psi) * kernel + 1 - lost * gap
    return float(2 * np.arcsin(np.sqrt(gap / 2))), float(kernel / depth)


def _bend(psi: float) -> float:
    """sin psi - psi cos psi."""
    if psi > 0.5:
        return np.sin(psi) - psi * np.cos(psi)
    term, total = psi**3 / 3, 0.0
    for k in range(1, 12):
        total += term
        term *= -psi * psi * (k + 1) / (k * (2 * k + 2) * (2 * k + 3))
    return total


def angle_floats(law, depth: int) -> list[Check]:
    """An angle or a function of zeta against float64."""
    depth = min(depth, FLOAT_DEPTH)
    zeta = next((part for part in getattr(law.coordinate, "parts", (law,)) if part.linear is not None), None)
    lost = zeta.dynamics.step.form.own_lost if zeta else Rational(0)
    psi, cosine = float_angles(float(law.layer.layer.kink_weight), float(lost), 0.9, depth)
    found = psi if zeta is None else cosine
    if hasattr(law.coordinate, "parts"):
        values = [cosine, 2 * np.sin(psi / 2) ** 2][: len(law.coordinate.parts)]
        found = law.coordinate.combine(*values)
    expected = law.evaluate(depth=depth, gap=Rational(9, 10), digits=FLOAT_DIGITS)
    return [_close(law, found, expected, f"c^1 = 1/10, depth {depth}")]


def _close(law, found, expected, detail: str) -> Check:
    figure = abs(float(found) / float(expected) - 1)
    return Check.measured(f"${law.plain}$ against float64 iteration: relative deviation", figure, FLOAT_BOUND, detail)
