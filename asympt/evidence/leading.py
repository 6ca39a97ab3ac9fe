"""The evidence for residual networks with a bounded phi, whose laws say limit and power.

Problem.  1 - c^l = 1 - c* - D l^(-p) + ..., K^L/q_L = r c*/p + ... (or (b D) log(L)/L^p for c* = 0): are limit and
power those of the network's layer?

Rule.  With v = V(q) - q, one layer at a huge variance moves c and k = K/q by v/q times a field; in s = log l that is
dc/ds = G(c), dk/ds = J(c, k).  The statement's layer at q = 10^40 gives G and J to 10^-20, and the law says

    G(c*) = 0,     G'(c*) = -p,     J(c*, r c*/p) = 0,     or for c* = 0:  J = -p k + b c + ...,

the last of which resonates with c = D e^(-ps) to k = b D s e^(-ps).  An orbit in float64 is to come to D: of three
readings of (c^l - c*) l^p at l = n, 2n, 4n the last two are closer than the first two.  Where p is close to 1/2, the
power of the remainder, they need not be, and nothing is decided.

Tiny case.  tanh without bias: G(c) = (2/pi) arcsin(c) - c, G'(0) = -(1 - 2/pi).

Known limits.  The size of the remainder is not tested, nor D to more than two digits.
"""

from collections.abc import Callable

import numpy as np
from mpmath import mp, mpf, nstr

from asympt import depth as engine
from asympt.architectures.residual.tails import step_of
from asympt.evidence.check import Check
from asympt.evidence.floats.random_check import random_checks
from asympt.evidence.growing import step_check
from asympt.evidence.reading import number
from asympt.numbers import to_mpf
from asympt.precise.moving import MovingState

Attempt = Callable[[str, Callable[[], list[Check]]], list[Check]]
FAR, STEP, BOUND = 40, mpf(10) ** -6, mpf(10) ** -10  # decimal power of the variance; of a difference quotient
LAYERS, START = (50, 100, 200), 0.6


def symbolic_checks(law) -> list[Check]:
    """None: the law has no coordinate to be put into."""
    return []


def numeric_checks(law, digits: int, depth: int, workers: int, progress, attempt: Attempt) -> list[Check]:
    """The layer, its field at a huge variance, an orbit, and random networks; the other arguments are not used."""
    checks = attempt("one layer of the statement", lambda: [step_check(law)])
    field = _kernel_field if law.name == "ntk" else _correlation_field
    checks += attempt("the limit's field", lambda: field(law))
    if law.name != "ntk":
        checks += attempt("an orbit in float64", lambda: [orbit_check(law)])
    return checks + attempt("random networks", lambda: random_checks(law, progress))


class LeadingField:
    """G (of the gap) and J at q = 10^FAR, from one layer of the statement."""

    def __init__(self, law):
        self._step, self._q = step_of(law.layer), mpf(10) ** FAR

    def __call__(self, gap, kernel) -> tuple:
        """(d gap/ds, d k/ds)."""
        after = self._step(MovingState(2, self._q, gap, kernel))
        unit = self._q / (after.variance - self._q)
        return (after.gap - gap) * unit, (after.kernel - kernel) * unit

    def slope(self, gap):
        """d(d gap/ds)/d gap."""
        high, low = (self(gap + sign * STEP, mpf(0))[0] for sign in (1, -1))
        return (high - low) / (2 * STEP)


def _correlation_field(law) -> list[Check]:
    with mp.workdps(FAR + 30):
        limit, power = _limit_and_power(law)
        field = LeadingField(law)
        rest, slope = abs(field(limit, mpf(0))[0]), abs(field.slope(limit) + power)
    return [_small("the field of the layer vanishes at the limit of 1 - c^l", rest),
            _small("the slope of the field there is minus the power of l", slope)]  # fmt: skip


def _kernel_field(law) -> list[Check]:
    with mp.workdps(FAR + 30):
        (monomial, coefficient), field = law.expansion.leading, LeadingField(law)
        stated = number(coefficient, {"D": mpf(1)})
        if not monomial.logs:
            fixed = _fixed_gap(field)
            return [_small("the field of the layer vanishes at the limit of K^L/q_L", abs(field(fixed, stated)[1]))]
        decay = field(mpf(1), mpf(1))[1] - field(mpf(1), mpf(0))[1] + to_mpf(monomial.order)
        source = (field(1 - STEP, mpf(0))[1] - field(1 + STEP, mpf(0))[1]) / (2 * STEP) - stated
    return [_small("K^L/q_L decays with the power of L that is stated", abs(decay)),
            _small("c drives K^L/q_L with the coefficient that is stated", abs(source))]  # fmt: skip


def _fixed_gap(field: LeadingField):
    """1 - c*, where the field vanishes."""
    between = (mpf("0.05"), mpf("0.9"))
    return mp.findroot(lambda gap: field(gap, mpf(0))[0], between, solver="anderson", tol=mpf(10) ** -25)


def _limit_and_power(law) -> tuple:
    """(1 - c*, p) as printed."""
    constant, decaying = law.expansion.terms[:2]
    return number(constant[1]), to_mpf(decaying[0].order)


def _small(name: str, figure) -> Check:
    detail = f"the statement's layer in mpmath at q = 10^{FAR}"
    return Check(name, nstr(figure, 3), nstr(BOUND, 3), bool(figure <= BOUND), "checked", detail)


def orbit_check(law) -> Check:
    """Readings of D along an orbit of the float64 engine from 1 - c^1 = START, q^1 = 1."""
    with mp.workdps(20):
        limit, power = map(float, _limit_and_power(law))
    found = [float(engine.pairs(law.layer, np.array([START]), layer, variance=1.0)[0][0]) for layer in LAYERS]
    one, two, three = ((limit - gap) * layer**power for gap, layer in zip(found, LAYERS, strict=True))
    name = "readings of D along an orbit come together: the second difference in units of the first"
    figure = abs(three - two) / abs(two - one)
    detail = f"D = {one:.5g}, {two:.5g}, {three:.5g} at layers {', '.join(map(str, LAYERS))}"
    return Check(name, float(f"{figure:.3g}"), 1.0, True if figure < 1 else None, "checked", detail)
