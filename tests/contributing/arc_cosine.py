"""A claim in one file: the arc-cosine kernel of order 1 of Cho and Saul (2009) is the correlation map of ReLU."""

from sympy import Symbol, acos, cos, pi, sin

from asympt.architectures.feedforward import FeedForward
from asympt.claims.claim import Claim
from asympt.claims.stated.equalities import Equality
from asympt.claims.stated.statement import Stated

C = Symbol("c", real=True)


def first_order() -> Stated:
    """J_1(theta)/pi at theta = arccos c, against the closed form that the toolkit derives from max(x, 0)."""
    printed = (sin(acos(C)) + (pi - acos(C)) * cos(acos(C))) / pi
    derived = FeedForward("relu").correlation_map.closed_form
    (symbol,) = derived.free_symbols
    return (Equality(derived.subs(symbol, C), printed, ranges={"c": (-1, 1)}, name="f(c)"),)


CLAIM = Claim(
    "CS.J1", "Cho and Saul (2009), equation (6)", r"J_1(\theta)=\sin\theta+(\pi-\theta)\cos\theta",
    "the arc-cosine kernel of order 1", formulas=first_order,
)  # fmt: skip
