"""The laws of an MLP against PDLT's recursions in numbers.

    component of the class K* = 0    C, delta^2, epsilon, D, E, F constant along the recursion; float64 at depth
    angle, zeta                      C and D constant along the recursion; float64 at depth
    function of other laws           the checks of its parts; float64 at depth
    exact                            the recursion, layer by layer

Rule.  The component recursion is iterated with quadrature (no series of the means in it); the constants that the law's
series read off it at layers n, 2n, 4n must agree.  The float64 iteration is a loop of NumPy of its own, with
Gauss-Hermite quadrature and closed forms of the angle's recursion, to `FLOAT_DEPTH` layers at most.

Known limits.  As the constancy of C: the law at these starts, to these digits, on these layers.
"""

import numpy as np
from mpmath import mp, mpf, nstr
from sympy import Rational

from asympt.architectures.perceptron.components import NAMES, Components
from asympt.architectures.perceptron.coordinate import ComponentFlow, constants_at, hand_over
from asympt.compiling import as_function
from asympt.evidence.check import Check
from asympt.evidence.orbits.constancy import constancy_checks
from asympt.meanfield.statement import LAYER
from asympt.numbers import to_mpf
from asympt.precise.mlp import ComponentStep, derivatives

STARTS = (("K_00^1 = 1", Rational(1)), ("K_00^1 = 1/3", Rational(1, 3)))
GAPS = (("c^1 = 1/10", Rational(9, 10)), ("c^1 = -1/2", Rational(3, 2)))
TIMES = (1, 2, 4)
FLOAT_DEPTH, FLOAT_DIGITS, FLOAT_BOUND = 20_000, 12, 1e-9
NODES = 120
CONSTANTS = ("C", "second", "first", "D", "E", "F")
TITLES = ("C", "delta^2", "epsilon", "D", "E", "F")


# ---- the class K* = 0 ---------------------------------------------------------------------------------


def component_constancy(law, digits: int, progress=None) -> list[Check]:
    """Every constant of the components, from two starts."""
    checks = []
    for index, (label, start) in enumerate(STARTS):
        layers, readings = readings_along(law.coordinate.components, start, digits)
        for name, title in zip(CONSTANTS, TITLES, strict=True):
            checks.append(_constancy(title, [getattr(found, name) for found in readings], layers, label, digits))
        if progress:
            progress("the components in mpmath", index + 1, len(STARTS))
    return checks


def readings_along(components: Components, start, digits: int) -> tuple[list[int], list]:
    """The constants as layers n, 2n and 4n show them."""
    route = ComponentFlow(components).routes(digits + 5)[0]
    layer = hand_over(components, start, route)[1]
    layers, readings = [layer * times for times in TIMES], []
    with mp.workdps(route.digits + 12):
        step = ComponentStep(components.statement)
        state = step.first(to_mpf(start))
        for target in layers:
            while state[0] < target:
                state = step(state)
            readings.append(constants_at(components, state, route))
    return layers, readings


def _constancy(title: str, values: list, layers: list[int], label: str, digits: int) -> Check:
    with mp.workdps(digits + 15):
        figure = max(abs(value - values[-1]) for value in values) / max(1, abs(values[-1]))
        bound = mpf(10) ** -digits
        passed = bool(figure <= bound)
        detail = f"layers {', '.join(map(str, layers))}; {title} = {nstr(values[-1], 15)}"
        return Check(f"{title} is constant from {label}", nstr(figure, 3), nstr(bound, 3), passed, "checked", detail)


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


def angle_constancy(law, digits: int, progress=None) -> list[Check]:
    """C and D from two correlations."""
    return [check for label, gap in GAPS for check in constancy_checks(law, gap, label, digits, progress)]


def float_angles(fold: float, share: float, gap: float, depth: int) -> tuple[float, float]:
    """(psi, cos zeta) at a layer by PDLT 10.88-10.89, sin psi - psi cos psi summed where it cancels."""
    rho, kernel = 2 * fold / np.pi, 1 - share * gap
    for _ in range(depth - 1):
        psi = 2 * np.arcsin(np.sqrt(gap / 2))
        gap = gap - rho * _bend(psi)
        kernel = (1 - rho * psi) * kernel + 1 - share * gap
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
    share = zeta.dynamics.step.form.own_lost if zeta else Rational(0)
    psi, cosine = float_angles(float(law.layer.layer.fold), float(share), 0.9, depth)
    found = psi if zeta is None else cosine
    if hasattr(law.coordinate, "parts"):
        values = [cosine, 2 * np.sin(psi / 2) ** 2][: len(law.coordinate.parts)]
        found = law.coordinate.combine(*values)
    expected = law.evaluate(depth=depth, gap=Rational(9, 10), digits=FLOAT_DIGITS)
    return [_close(law, found, expected, f"c^1 = 1/10, depth {depth}")]


def _close(law, found, expected, detail: str) -> Check:
    figure = abs(float(found) / float(expected) - 1)
    name = f"{law.plain} against float64 iteration: relative deviation"
    return Check.compare(name, float(f"{figure:.3g}"), FLOAT_BOUND, detail)


# ---- exact laws ---------------------------------------------------------------------------------------


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
    name = f"cos zeta against the recursion in each of {layers} layers"
    return [Check(name, nstr(worst, 3), "1e-30", bool(worst <= mpf(10) ** -30))]
