"""Orbits and laws of HDR's ReLU ResNet that several claims need.

Rule.  The original recursion (a layer in numbers, many of them by `evidence.orbits.panels`) is iterated in mpmath from
c^1 = 1/10 to layers 100, 1000 and 10000; a law counts as verified by what its derivation did not use: it is substituted
into the recursion, and C and D are followed along an orbit.

Known limits.  Examples have sigma_w^2 = 1 unless they say otherwise; growth is looked at with sigma_w^2 = 8, where the
asymptotic regime, l >> alpha_(-1) = 3 pi/(sqrt(2) delta), begins before layer 100.
"""

from functools import lru_cache

import numpy as np
from mpmath import mp, mpf
from sympy import Integer, Rational, Symbol, sqrt

from asympt.architectures.resnet import ResNet
from asympt.claims.forms import at_most
from asympt.claims.hdr.relu.rates import DECAY
from asympt.evidence.check import Check
from asympt.evidence.orbits.constancy import constancy_checks
from asympt.evidence.orbits.panels import followed_by_panels
from asympt.evidence.verify import symbolic_checks
from asympt.recursions.law import Law

DEPTHS = (100, 1000, 10_000)
WORKING = 25
STRONG = 8  # sigma_w^2 where growth is looked at: delta = 4/5
START = Rational(9, 10)  # 1 - c^1
WEIGHT = Symbol("sigma_w", positive=True)


def example(square=1) -> ResNet:
    """The ReLU ResNet with sigma_w^2 = `square`."""
    return ResNet("relu", sigma_w=sqrt(Integer(square)))


def any_width() -> ResNet:
    """The ReLU ResNet with sigma_w as a symbol."""
    return ResNet("relu", sigma_w=WEIGHT)


@lru_cache(maxsize=32)
def states(net: ResNet, gap: Rational = START, depths: tuple = DEPTHS) -> dict:
    """{L: (1 - c^L, K^L/q_L)} by the original recursion."""
    with mp.workdps(WORKING):
        step, found = net.composed_form.step, {}
        onward = followed_by_panels(step)
        first = mpf(int(gap.p)) / int(gap.q)
        state, layer = (first, 1 - first), 1
        for depth in sorted(depths):
            state, layer = onward.advance(state, depth - layer), depth
            found[depth] = state
    return found


def growth(name: str, rescaled) -> Check:
    """Growth of rescaled(L, gap, k) per unit of log L, last decade over first: it must die out if it has a limit."""
    with mp.workdps(WORKING):
        values = {layer: rescaled(layer, *state) for layer, state in states(example(STRONG)).items()}
    first, middle, last = (values[layer] for layer in DEPTHS)
    figure = abs((last - middle) / (middle - first))
    unit = np.log(10)
    early, late = float((middle - first) / unit), float((last - middle) / unit)
    shown = f"{early:.6f} from L = 100, {late:.6f} up to L = 10000; sigma_w^2 = {STRONG}"
    title = f"growth of {name}, last decade / first decade"
    return at_most(title, figure, DECAY, f"per unit of log L: {shown}", digits=4)


def against_law(name: str, law: Law, net: ResNet, read) -> Check:
    """read(L, gap, k) of the orbit at L = 1000 against the law there."""
    with mp.workdps(WORKING):
        seen = read(1000, *states(net)[1000])
        figure = abs(seen / law.evaluate(depth=1000, gap=START, digits=20) - 1)
    return at_most(name, figure, 1e-18, "orbit in mpmath from c^1 = 1/10, sigma_w^2 = 1")


def law_checks(law: Law, digits: int = 20) -> tuple[Check, ...]:
    """Substitution, and C and D along the original recursion from c^1 = 1/10."""
    return (*symbolic_checks(law), *constancy_checks(law, START, "c^1 = 1/10", digits))
