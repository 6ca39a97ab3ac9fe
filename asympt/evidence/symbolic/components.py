"""The component laws of the class K* = 0 put back into PDLT's recursions, symbolically.

In u = L^(-1/q) one layer is a substitution and the Gaussian means are power series in K_00, <z^2k> = (2k - 1)!! K^k.
What is left of y(L + 1) - (forcing + multiplier y)(L) must have no term larger than the remainder of y divided by L.
"""

from dataclasses import dataclass
from functools import partial
from itertools import chain

from sympy import Expr, Integer, Rational, ceiling, factorial, factorial2, ilcm

from asympt.evidence.check import Check
from asympt.evidence.law_terms import rest_of
from asympt.evidence.symbolic.ring import DepthRing, U, W
from asympt.evidence.symbolic.zero import Left, left_check
from asympt.meanfield.statement import LAYER

NAME = "substituted into PDLT's recursion, no term above the stated remainder is left"
DETAIL = "symbolic: exact zero coefficients, for all learning rates at once; blind only to a relabelled free constant"
TERMS = (3, 6, 10, 15, 20)  # of what drives: a power has a term for every log
BEYOND = 3  # powers beyond the last printed term that are looked at, where a sum ends and its remainder is far away
FACTORS = 3  # in a product of a rate or Theta_00, a kernel and a mean
DRIVERS = {"Theta1": ("Theta00", "K1"), "Theta2": ("Theta00", "K2")}


def component_checks(law) -> list[Check]:
    """One check for every component in the law."""
    return [left_check(f"{name}: {NAME}", DETAIL, partial(_left, law, name)) for name in law.coordinate.parts]


@dataclass(frozen=True)
class Terms:
    """c L^(-order) log(L)^j: entries (order, j, c)."""

    entries: tuple

    @classmethod
    def of(cls, expansion, power=0) -> "Terms":
        """Those of L^(-power) times an expansion."""
        return cls(tuple((m.order + power, m.logs, c) for m, c in expansion.terms))

    @property
    def lead(self) -> Rational:
        """The smallest order."""
        return min(order for order, _, _ in self.entries)

    def expression(self, q: int, bias: int) -> Expr:
        """u^bias times the sum, in u and w."""
        return sum((c * U ** (order * q + bias) * W**j for order, j, c in self.entries), Integer(0))


def _left(law, name: str) -> Left:
    """Terms of y(L + 1) - forcing - multiplier y that exceed the remainder."""
    components = law.coordinate.components
    alone = len(law.coordinate.parts) == 1 and law.name != "prediction variance"
    expansion = law.expansion if alone else law.renamed(components.expansion(name, len(law.expansion.terms)))
    power, rest = _power_of_depth(components, name), rest_of(expansion)
    printed = Terms.of(expansion, power)
    cut = min(rest.order, expansion.terms[-1][0].order + BEYOND) + power + 1
    far = cut + 4 + 2 * ceiling(max(Integer(0), -components.exponent))  # what factors that grow with L ask for
    flow = printed if name == "K00" else _companion(law, "K00", cut - min(printed.lead, 0) + 1)
    companions = [_companion(law, driver, far) for driver in DRIVERS.get(name, ())]
    layer = ComponentLayer(components, printed, flow, companions, cut)
    return layer.ring.left(layer.change(name), int(cut * layer.ring.q), rest.logs, layer.ring.bias)


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
    return Terms.of(found, power)


class ComponentLayer:
    """One layer in the ring: rates and drivers times u^share, a product of FACTORS of them times u^bias."""

    def __init__(self, components, printed: Terms, flow: Terms, drivers: list[Terms], cut: Expr):
        statement = components.statement
        rates = (statement.weight_rate / statement.layer.weight_variance, statement.bias_rate)
        self.decays, parts = zip(*map(_rate, rates), strict=True)
        held = [printed, *parts, *drivers]
        q = int(ilcm(cut.q, *(order.q for part in (flow, *held) for order, _, _ in part.entries)))
        self.share = max(0, *(int(-part.lead * q) for part in held))
        bias, valuation = FACTORS * self.share, int(flow.lead * q)
        precision = int(cut * q) + bias + 1
        means = _means(statement.layer, precision // valuation + 1)
        known = [printed.expression(q, bias), flow.expression(q, 0), *(p.expression(q, self.share) for p in held[1:])]
        self.ring = DepthRing([*known, *chain(*means.values())], precision, q, bias)
        self.value, self.flow, *found = self.ring.elements[: len(known)]
        self.rates, self.drivers = [self._late(*pair) for pair in zip(found, self.decays, strict=False)], found[2:]
        size, rows = precision // valuation + 1, self.ring.elements[len(known) :]
        self.means = {name: rows[k * size : (k + 1) * size] for k, name in enumerate(means)}

    def _late(self, rate, decay):
        """A rate c l^(-decay), at the layer l = L + 1."""
        return self.ring.times(rate, self.ring.root(1 + self.ring.u**self.ring.q, -decay))

    def mean(self, name: str):
        """A Gaussian mean along the flow."""
        return self.ring.horner(self.means[name], self.flow)

    def change(self, name: str):
        """u^bias (y(L + 1) - forcing - multiplier y)."""
        moved, times, unit = self.ring.moved(self.value), self.ring.times, self.ring.u**self.share
        if name == "K00":
            return moved - times(self.mean("image"), unit**FACTORS)
        moved = moved - times(self.mean("parallel" if name == "K1" else "perpendicular"), self.value)
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
    return decay, Terms(((decay, 0, coefficient),))


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
