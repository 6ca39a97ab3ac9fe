"""The evidence for laws of PDLT's MLP: components in the class K* = 0, and psi, cos zeta and what is made of them.

Symbolically a law is put back into its recursions, for all learning rates.  In numbers `precise.dense` follows PDLT's
recursions 10.44, 10.67 and 10.70 with quadratures: at the layers n, 2n and 4n every constant is solved for in the
stated series of its component in u = K_00; the values differ from each other, and from the law's own number, by what
the series leave out, and in units of it that must not grow.  The float64 iteration is a loop of NumPy by Gauss-Hermite
quadrature, or the engine of `asympt.depth`.

Tiny cases.  tanh: A(u) - l = C + O(u^7), A = 1/(2u) - (5/12) log u + ...  A linear network: cos zeta = 1 - gamma
lambda_W/(lambda_b + lambda_W) in every layer.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise

import numpy as np
from mpmath import mp, mpf
from sympy import Expr, Integer, Rational, ceiling, factorial, factorial2, ilcm

from asympt import depth as engine
from asympt.architectures.mlp import Angle, Combination, ExactRates
from asympt.architectures.mlp_components import NAMES, ComponentFlow, Components
from asympt.compiling import as_function
from asympt.evidence.check import Check, Effort, Work, growth_check
from asympt.evidence.exact import identity_check
from asympt.evidence.law_terms import evaluation_check, kept, printed_at, rest_check, rest_of, terms_of, value
from asympt.evidence.orbits.constancy import constancy_checks
from asympt.evidence.symbolic.defect import linear_checks
from asympt.evidence.symbolic.inverse import in_powers, observable_check
from asympt.evidence.symbolic.zero import DepthRing, Left, is_zero, left_check, sample
from asympt.meanfield.layer import LAYER, Statement
from asympt.numbers import to_mpf
from asympt.precise.dense import ComponentStep, derivatives

STARTS = (("K_00^1 = 1", Rational(1)), ("K_00^1 = 1/3", Rational(1, 3)))
GAP = Rational(9, 10)
GAPS = (("c^1 = 1/10", GAP), ("c^1 = -1/2", Rational(3, 2)))
POWERS = (200, 400, 800)  # of ten, the depths of a recombination: a wrong term grows by a factor of 2
FLOAT_DEPTH, FLOAT_DIGITS, FLOAT_BOUND = 20_000, 12, 1e-9
LAYERS, DIGITS = (100, 200, 400), 30  # where constants are read, and to how many digits
NODES = 120
FUNCTIONS = "robustness", "prediction variance"  # laws that are not one component themselves
FAINT = mpf(10) ** -2  # of what the series leave out, which counts as none: where a first coefficient nearly vanishes
SOLVED = {"delta^2": ("delta", "K2"), "epsilon": ("epsilon", "K1"), "D": ("D", "Theta00"), "E": ("E", "Theta2"),
          "F": ("F", "Theta1")}  # the symbol and the component for which a constant is solved  # fmt: skip

def symbolic_checks(law) -> list[Check]:
    """What can be shown for all starts and all learning rates at once."""
    coordinate = law.coordinate
    if isinstance(coordinate, ComponentFlow):
        names = coordinate.parts
        found = [left_check(f"{name}: {NOTHING_LEFT}", PUT_BACK, partial(_left, law, name)) for name in names]
        if law.name not in FUNCTIONS:
            return found
        longer = len(law.expansion.terms) + 3
        parts = [law.renamed(coordinate.components.expansion(name, longer)) for name in names]
        return [*found, recombined(law, parts)]
    if isinstance(coordinate, Combination):
        own = [part for part in coordinate.parts if isinstance(part.coordinate, Angle | ExactRates)]
        shown = recombined(law, [part.in_symbols_of(law) for part in coordinate.parts])
        return [*(check for part in own for check in symbolic_checks(part)), shown]
    if isinstance(coordinate, ExactRates):
        return _identity(law)
    return linear_checks(law) if law.linear is not None else [observable_check(law)]


def numeric_checks(law, effort: Effort) -> Iterator[Work]:
    """The law against the original recursions; a part with another law's coordinate is an angle's along orbits."""
    if isinstance(law.coordinate, ComponentFlow):
        yield "constants along the recursion", lambda: component_constants(law, effort.report)
        yield "float64 at depth", lambda: component_floats(law, effort.depth)
        return
    for part in _parts(law):
        if isinstance(part.coordinate, ExactRates):
            yield "the recursion layer by layer", partial(exact_numbers, part)
        else:
            yield "constancy of C and D", partial(_constancy, part, effort)
    yield "float64 at depth", lambda: angle_floats(law, effort.depth)


def _parts(law) -> tuple:
    return law.coordinate.parts if isinstance(law.coordinate, Combination) else (law,)


def recombined(law, parts: list) -> Check:
    """The printed law against the combination of its printed parts: the difference in units of the remainder."""
    symbols = set().union(*(c.free_symbols for part in (*parts, law.expansion) for _, c in part.terms))
    values = sample(symbols - {law.depth_variable})
    with mp.workdps(int(POWERS[-1] * (max(rest_of(law.expansion).order, 0) + 2)) + 200):
        known, seen = {str(symbol): to_mpf(value) for symbol, value in values.items()}, {}
        for far in (mpf(10) ** power for power in POWERS):
            combined = law.coordinate.combine(*(printed_at(part, far, known)[0] for part in parts))
            seen[far] = combined.subs(values) if hasattr(combined, "subs") else combined
        where = f"L = 10^{', 10^'.join(map(str, POWERS))}"
        return rest_check("the parts combined once more", law.expansion, seen, known, where)


def close_to_floats(law, found, depth: int, start: str, **given) -> list[Check]:
    name, detail = f"${law.plain}$ against float64 iteration: relative deviation", f"{start}, depth {depth}"
    return [evaluation_check(name, law, {depth: float(found)}, FLOAT_DIGITS, FLOAT_BOUND, detail, **given)]


def component_constants(law, progress=None) -> list[Check]:
    """Every constant of the components, from two starts: along the original recursion, and then the law's number."""
    checks, step = [], ComponentStep(law.coordinate.components.statement)
    for index, (label, start) in enumerate(STARTS):
        with mp.workdps(2 * DIGITS):
            measurements = [_constants(law, state) for state in kept(step, step.first(to_mpf(start)), LAYERS).values()]
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


def float_components(components: Components, depth: int) -> dict[str, float]:
    """The components in the last layer of a network of depth `depth`, K_00 = 1 in layer 1, by NumPy alone."""
    statement = components.statement
    values = derivatives(statement.layer.activation.piecewise, "numpy")
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / np.sum(weights) * float(statement.layer.weight_variance)
    rates = as_function(LAYER, [statement.weight_rate / statement.layer.weight_variance, statement.bias_rate], "numpy")
    share, bias = rates(1.0)
    u, k1, k2, t0, t1, t2 = 1.0, 1.0, 1.0, bias + share, share, share
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
    depth = min(depth, FLOAT_DEPTH)
    found = float_components(law.coordinate.components, depth)
    combined = law.coordinate.combine(*(found[name] for name in law.coordinate.parts))
    return close_to_floats(law, combined, depth, "K_00^1 = 1", variance=1)


# ---- angles, and laws that are known at every depth --------------------------------------------------


def _constancy(law, effort: Effort) -> list[Check]:
    orbits = (constancy_checks(law, gap, label, effort.digits, effort.report) for label, gap in GAPS)
    return [check for checks in orbits for check in checks]


def angle_floats(law, depth: int) -> list[Check]:
    """psi, cos zeta, or a function of cos zeta and 1 - cos psi against float64; nothing where all parts are exact."""
    depth, parts = min(depth, FLOAT_DEPTH), _parts(law)
    if not any(isinstance(part.coordinate, Angle) for part in parts):
        return []
    zeta = next((part for part in parts if part.linear is not None), None)
    lost = zeta.coordinate.own_lost if zeta else Rational(0)
    angle, cosine = float_angles(law.layer, lost, depth)
    if isinstance(law.coordinate, Combination):
        found = law.coordinate.combine(*(cosine, 2 * np.sin(angle / 2) ** 2)[: len(parts)])
    else:
        found = angle if law.linear is None else cosine
    return close_to_floats(law, found, depth, "c^1 = 1/10", gap=GAP)


def float_angles(layer: Statement, lost: Expr, depth: int) -> tuple[float, float]:
    """(psi, cos zeta) at a layer by the float64 engine, the weights' share of what a layer adds being `lost`."""
    rates = {"weight_rate": lost * layer.layer.weight_variance, "bias_rate": 1 - lost}
    layer = replace(layer, **rates, first=replace(layer.first, **rates))
    (gap, _), (kernel, diagonal) = engine.pairs(layer, [float(GAP), 0.0], depth, variance=1.0)
    return float(2 * np.arcsin(np.sqrt(gap / 2))), float(kernel / diagonal)


def _identity(law) -> list[Check]:
    """The diagonal: Theta_d grows by the same in every layer; cos zeta of a linear network: the same in every layer."""
    depth, formula = law.depth_variable, law.to_sympy()
    if law.name != "ntk diagonal":
        return [identity_check(formula, depth)]
    total = formula if formula.has(depth) else formula * depth  # the rates' factor 1/L taken off
    return [identity_check(total, depth, law.layer.layer.chi, total.subs(depth, 1))]


def exact_numbers(law, layers: int = 200) -> list[Check]:
    """cos zeta of a linear network layer by layer, by its statement: Theta' = lambda_b + lambda_W <s s> + Theta."""
    if law.name != "zeta":
        return []
    with mp.workdps(40):
        gap, unit = to_mpf(GAP), law.layer.layer.weight_variance
        weights, biases = to_mpf(law.layer.weight_rate * law.coordinate.variance / unit), to_mpf(law.layer.bias_rate)
        step, diagonal, worst = biases + weights * (1 - gap), biases + weights, mpf(0)
        same = kernel = mpf(0)
        for layer in range(1, layers + 1):
            kernel, same = kernel + step, same + diagonal
            worst = max(worst, abs(kernel / same - law.evaluate(depth=layer, gap=GAP, digits=35)))
        return [Check.measured(f"$cos zeta$ against the recursion in each of {layers} layers", worst, mpf(10) ** -30)]


NOTHING_LEFT = "the law solves PDLT's recursion up to the stated remainder"
PUT_BACK = "symbolic: exact zero coefficients, for all learning rates at once; cannot detect a relabelled free constant"
TERMS = (3, 6, 10, 15, 20)  # of what drives: a power has a term for every log
BEYOND = 3  # powers beyond the last printed term that are examined, where a sum ends and its remainder is far away
FACTORS = 3  # in a product of a rate or Theta_00, a kernel and a mean
DRIVERS = {"Theta1": ("Theta00", "K1"), "Theta2": ("Theta00", "K2")}


Terms = tuple[tuple[Rational, int, Expr], ...]  # c L^(-order) log(L)^j: (order, j, c)


def _terms(expansion, power=0) -> Terms:
    """Those of L^(-power) times an expansion."""
    return tuple((m.order + power, m.logs, c) for m, c in expansion.terms)


def _lead(terms: Terms) -> Rational:
    return min(order for order, _, _ in terms)


def _left(law, name: str) -> Left:
    """Terms of y(L + 1) - forcing - multiplier y that exceed the remainder."""
    components = law.coordinate.components
    alone = len(law.coordinate.parts) == 1 and law.name != "prediction variance"
    expansion = law.expansion if alone else law.renamed(components.expansion(name, len(law.expansion.terms)))
    power, rest = _power_of_depth(components, name), rest_of(expansion)
    printed = _terms(expansion, power)
    cut = min(rest.order, expansion.terms[-1][0].order + BEYOND) + power + 1
    far = cut + 4 + 2 * ceiling(max(Integer(0), -components.exponent))  # what factors that grow with L ask for
    flow = printed if name == "K00" else _companion(law, "K00", cut - min(_lead(printed), 0) + 1)
    companions = [_companion(law, driver, far) for driver in DRIVERS.get(name, ())]
    layer = ComponentLayer(components, printed, flow, companions, cut)
    logs = rest.logs - is_zero(layer.fading(name) - cut + 1)
    return layer.ring.left(layer.change(name), int(cut * layer.ring.q), logs, layer.ring.bias)


def _power_of_depth(components, name: str) -> Expr:
    """p - 1 where the NTK of the whole network has a factor L^(1-p)."""
    return components.exponent - 1 if components.is_scheduled and name.startswith("Theta") else Integer(0)


def _companion(law, name: str, order: Expr) -> Terms:
    """Another component's expansion, known beyond L^(-order), without the factor of the whole network."""
    power = _power_of_depth(law.coordinate.components, name)
    for terms in TERMS:
        found = law.renamed(law.coordinate.components.expansion(name, terms))
        if rest_of(found).order > order + 1 - power or len(found.terms) < terms:
            break
    return _terms(found, power)


class ComponentLayer:
    """One layer in the ring: rates and drivers times u^share, a product of FACTORS of them times u^bias."""

    def __init__(self, components, printed: Terms, flow: Terms, drivers: list[Terms], cut: Expr):
        statement = components.statement
        rates = (statement.weight_rate / statement.layer.weight_variance, statement.bias_rate)
        self.decays, parts = zip(*map(_rate, rates), strict=True)
        held = [printed, *parts, *drivers]
        q = int(ilcm(cut.q, *(order.q for part in (flow, *held) for order, _, _ in part)))
        self.share = max(0, *(int(-_lead(part) * q) for part in held))
        bias, valuation = FACTORS * self.share, int(_lead(flow) * q)
        precision = int(cut * q) + bias + 1
        means = _means(statement.layer, precision // valuation + 1)
        known = [in_powers(printed, q, bias), in_powers(flow, q), *(in_powers(p, q, self.share) for p in held[1:])]
        self.ring = DepthRing([*known, *chain(*means.values())], precision, q, bias)
        self.value, self.flow, *found = self.ring.elements[: len(known)]
        times, later = self.ring.times, 1 + self.ring.u**self.ring.q  # rates at the layer l = L + 1
        self.rates = [times(rate, self.ring.root(later, -s)) for rate, s in zip(found, self.decays, strict=False)]
        self.drivers = found[2:]
        size, rows = precision // valuation + 1, self.ring.elements[len(known) :]
        self.means = {name: rows[k * size : (k + 1) * size] for k, name in enumerate(means)}

    def mean(self, name: str):
        """A Gaussian mean along the flow."""
        return self.ring.horner(self.means[name], self.flow)

    def multiplier(self, name: str):
        """By what a layer multiplies a small change of the component."""
        return self.mean("parallel" if name in ("K00", "K1") else "perpendicular")

    def fading(self, name: str) -> Expr:
        """s, where such a change falls like L^-s: the multiplier is 1 - s/L + ..."""
        return -dict(self.ring.coefficients(self.multiplier(name))).get((self.ring.q, 0), Integer(0))

    def change(self, name: str):
        """u^bias (y(L + 1) - forcing - multiplier y)."""
        moved, times, unit = self.ring.moved(self.value), self.ring.times, self.ring.u**self.share
        if name == "K00":
            return moved - times(self.mean("image"), unit**FACTORS)
        moved = moved - times(self.multiplier(name), self.value)
        if not name.startswith("Theta"):
            return moved
        weight, bias = self.rates
        if name == "Theta00":
            return moved - times(bias + times(weight, self.mean("image")), unit**2)
        slope, coupling = ("perpendicular", "curved") if name == "Theta2" else ("parallel", "mixed")
        ntk, kernel = self.drivers
        return moved - times(times(times(weight, self.mean(slope)) + times(ntk, self.mean(coupling)), kernel), unit)


def _rate(rate: Expr) -> tuple[Rational, Terms]:
    """(s, the terms) of a learning rate c l^(-s)."""
    coefficient, power = rate.as_independent(LAYER)
    decay = -power.as_base_exp()[1] if power != 1 else Integer(0)
    return decay, ((decay, 0, coefficient),)


def _means(layer, count: int) -> dict[str, list[Expr]]:
    """C_W <f g> as coefficients of K_00^k, for the means that the recursions ask for."""
    phi, weight = layer.activation.piecewise, layer.weight_variance
    series = phi.pieces[0].series(phi.symbol, 0, 2 * count + 5).removeO()
    taylor = [series.coeff(phi.symbol, k) for k in range(2 * count + 5)]
    first, second, third = ([c * factorial(k + n) / factorial(k) for k, c in enumerate(taylor[n:])] for n in (1, 2, 3))

    def mean(one: list, two: list) -> list[Expr]:
        totals = (sum(one[i] * two[2 * k - i] for i in range(2 * k + 1)) for k in range(count))
        return [(weight * total * (factorial2(2 * k - 1) if k else 1)).expand() for k, total in enumerate(totals)]

    slope, curved = mean(first, first), mean(second, second)
    parallel = [a + b for a, b in zip(slope, mean(taylor, second), strict=True)]
    mixed = [a + b for a, b in zip(curved, mean(first, third), strict=True)]
    return {"image": mean(taylor, taylor), "perpendicular": slope, "parallel": parallel, "curved": curved,
            "mixed": mixed}  # fmt: skip
