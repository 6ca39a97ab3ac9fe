"""The component laws of the class K* = 0 put back into PDLT's recursions, symbolically.

Problem.  Do the printed expansions of K_00, dK_[1], ddK_[2], Theta_00, dTheta_[1], ddTheta_[2] solve 10.44, 10.67 and
10.70, logs, constants and learning rates included?

Rule.  Every quantity is a sum of c L^(-a) log(L)^j.  At L + 1 a term is L^(-a) (1 + x)^(-a) (log L + log(1 + x))^j with
x = 1/L.  The Gaussian means are series in K_00, summed from SymPy's Taylor series of phi with <z^2k> = (2k - 1)!! K^k.
What is left of

    y(L + 1) - (forcing + multiplier y)(L)

must have no term larger than the remainder of y divided by L.  For the equivalence principle the factor L^(p-1), which
is that of the whole network and not of the layer, is taken off first.

Tiny case.  K_00 = 1/(2L), tanh: K_00 - 2 K_00^2 = 1/(2L) - 1/(2L^2), and 1/(2(L + 1)) is that up to O(1/L^3).

Known limits.  The expansions of the quantities that drive y are taken from the same derivation; each is put into its
own recursion by its own law.
"""

from collections.abc import Mapping

from sympy import Expr, Integer, Rational, binomial, ceiling, factorial, factorial2

from asympt.evidence.check import Check
from asympt.evidence.reading import rest_of
from asympt.evidence.symbolic.zero import zero_by
from asympt.meanfield.statement import LAYER

NAME = "substituted into PDLT's recursion, no term above the stated remainder is left"
DETAIL = "symbolic, for all learning rates at once; blind only to a relabelled free constant"
TERMS = (3, 6, 10, 15, 20)  # of what drives: a power has a term for every log
BEYOND = 3  # powers beyond the last printed term that are looked at, where a sum ends and its remainder is far away
DRIVERS = {"K00": (), "K1": (), "K2": (), "Theta00": (), "Theta1": ("Theta00", "K1"), "Theta2": ("Theta00", "K2")}

Sum = dict  # {(power of 1/L, logs): coefficient}


def substitution_checks(law) -> list[Check]:
    """One check for every component in the law."""
    return [_check(law, name) for name in law.coordinate.parts]


def _check(law, name: str) -> Check:
    components = law.coordinate.components
    quantity = law.expansion if len(law.coordinate.parts) == 1 and law.name != "prediction variance" else None
    printed = quantity or law.renamed(components.expansion(name, len(law.expansion.terms)))
    power = components.exponent - 1 if components.is_scheduled and name.startswith("Theta") else Integer(0)
    value = {(m.order + power, m.logs): c for m, c in printed.terms}
    rest = rest_of(printed)
    order = min(rest.order, printed.terms[-1][0].order + BEYOND) + power
    left = _left(law, name, value, order + 1)
    worst = [key for key, c in left.items() if (key[0], -key[1]) < (order + 1, -rest.logs) and not zero_by(c)]
    proofs = {zero_by(c) for key, c in left.items() if (key[0], -key[1]) < (order + 1, -rest.logs)}
    figure = "nothing" if not worst else ", ".join(f"L^({-p}) log(L)^{j}" for p, j in sorted(worst)[:3])
    strength = "proved" if proofs <= {"proved"} else "checked"
    bound = f"L^({-(order + 1)}) log(L)^{rest.logs}"
    return Check(f"{name}: {NAME}", figure, bound, not worst, strength, DETAIL)


def _left(law, name: str, value: Sum, cut: Expr) -> Sum:
    """y(L + 1) - forcing - multiplier y, all terms with powers up to `cut`."""
    lead = min(power for power, _ in value)
    flow = _companion(law, "K00", cut - min(lead, 0) + 1) if name != "K00" else value
    means = Means(law, cut - lead + 1, flow)
    if name == "K00":
        return _minus(shifted(value, cut), means.along(means.image, cut))
    slope = means.along(means.parallel if name == "K1" else means.perpendicular, cut - lead + 1)
    moved = _minus(shifted(value, cut), times(slope, value, cut))
    return _minus(moved, _forcing(law, name, means, cut)) if name.startswith("Theta") else moved


def _forcing(law, name: str, means: "Means", cut: Expr) -> Sum:
    """What the learning rates and the driving components add."""
    rates, exponent = law.coordinate.components.statement, law.coordinate.components.exponent
    far = cut + 4 + 2 * ceiling(max(Integer(0), -exponent))  # what factors that grow with L ask for
    weight = _rate(rates.weight_rate / rates.layer.weight_variance, far)
    if name == "Theta00":
        return _plus(_rate(rates.bias_rate, cut), times(weight, means.along(means.image, far), cut))
    ntk, kernel = (_driver(law, driver, far) for driver in DRIVERS[name])
    slope, coupling = (
        (means.perpendicular, means.curved) if name == "Theta2" else (means.parallel, means.mixed)
    )
    own, through = times(weight, means.along(slope, far), far), times(means.along(coupling, far), ntk, far)
    return times(_plus(own, through), kernel, cut)


def _driver(law, name: str, cut: Expr) -> Sum:
    """A driving component without the factor of the whole network."""
    components = law.coordinate.components
    power = components.exponent - 1 if components.is_scheduled and name.startswith("Theta") else Integer(0)
    return {(p + power, j): c for (p, j), c in _companion(law, name, cut + 1 - power).items()}


def _companion(law, name: str, order: Expr) -> Sum:
    """Another component's expansion, known beyond L^(-order)."""
    for terms in TERMS:
        found = law.renamed(law.coordinate.components.expansion(name, terms))
        if rest_of(found).order > order or len(found.terms) < terms:
            break
    return {(m.order, m.logs): c for m, c in found.terms}


class Means:
    """The Gaussian means as coefficients in K_00, and along the flow."""

    def __init__(self, law, order: Expr, flow: Sum):
        phi, self.flow = law.coordinate.components.statement.layer.activation.piecewise, flow
        self.count, weight = int(order) + 3, law.coordinate.components.statement.layer.weight_variance
        series = phi.pieces[0].series(phi.symbol, 0, 2 * self.count + 5).removeO()
        taylor = [series.coeff(phi.symbol, k) for k in range(2 * self.count + 5)]
        first, second, third = (_differentiated(taylor, n) for n in (1, 2, 3))
        self.image = self._mean(taylor, taylor, weight)
        self.perpendicular = self._mean(first, first, weight)
        self.parallel = _added(self.perpendicular, self._mean(taylor, second, weight))
        self.curved = self._mean(second, second, weight)
        self.mixed = _added(self.curved, self._mean(first, third, weight))

    def _mean(self, one: list, two: list, weight: Expr) -> list[Expr]:
        """C_W <f g> as coefficients of K_00^k."""
        found = []
        for k in range(self.count):
            total = sum((one[i] * two[2 * k - i] for i in range(2 * k + 1)), Integer(0))
            found.append((weight * total * (factorial2(2 * k - 1) if k else 1)).expand())
        return found

    def along(self, coefficients: list[Expr], cut: Expr) -> Sum:
        """sum_k c_k K_00^k."""
        total, power = {}, {(Integer(0), 0): Integer(1)}
        for c in coefficients:
            total = _plus(total, {key: value * c for key, value in power.items()})
            power = times(power, self.flow, cut)
        return {key: c for key, c in total.items() if key[0] <= cut}


# ---- sums of powers and logs --------------------------------------------------------------------------


def shifted(value: Mapping, cut: Expr) -> Sum:
    """The sum at L + 1.

    >>> shifted({(Integer(1), 0): Integer(1)}, Integer(3))
    {(1, 0): 1, (2, 0): -1, (3, 0): 1}
    """
    total: Sum = {}
    for (power, logs), c in value.items():
        size = int(cut - power) + 1
        if size < 1:
            continue
        row = [binomial(-power, k) for k in range(size)]
        step = [Integer(0), *(Rational((-1) ** (k + 1), k) for k in range(1, size))]
        for i in range(logs + 1):
            for k, weight in enumerate(row):
                if weight:
                    key = (power + k, logs - i)
                    total[key] = total.get(key, Integer(0)) + c * weight * binomial(logs, i)
            row = [sum((row[j] * step[k - j] for j in range(k + 1)), Integer(0)) for k in range(size)]
    return {key: c for key, c in total.items() if key[0] <= cut}


def times(one: Mapping, two: Mapping, cut: Expr) -> Sum:
    """The product, up to the power `cut`."""
    total: Sum = {}
    for (p, i), a in one.items():
        for (q, j), b in two.items():
            if p + q <= cut:
                key = (p + q, i + j)
                total[key] = total.get(key, Integer(0)) + a * b
    return {key: c.expand() for key, c in total.items()}


def _rate(rate: Expr, cut: Expr) -> Sum:
    """A learning rate c l^(-s), at the layer l = L + 1."""
    coefficient, power = rate.as_independent(LAYER)
    return shifted({(-power.as_base_exp()[1] if power != 1 else Integer(0), 0): coefficient}, cut)


def _plus(one: Mapping, two: Mapping) -> Sum:
    total = dict(one)
    for key, c in two.items():
        total[key] = total.get(key, Integer(0)) + c
    return total


def _minus(one: Mapping, two: Mapping) -> Sum:
    return _plus(one, {key: -c for key, c in two.items()})


def _added(one: list, two: list) -> list:
    return [a + b for a, b in zip(one, two, strict=True)]


def _differentiated(taylor: list, times_: int) -> list:
    return [c * factorial(k + times_) / factorial(k) for k, c in enumerate(taylor[times_:])]
