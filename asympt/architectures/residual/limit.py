"""A residual network whose phi has two straight lines far out, and the ReLU-like network that its layers approach.

Rule.  phi(x) = a+- x + b+- + r(x) with r falling fast (`tails`).  The variance grows, so of phi only the
slopes count in the end: `limit_statement` keeps them and drops the biases.  `step_of` is the network's own layer in
mpmath.

Tiny case.  ELU with biases approaches ReLU without.
"""

from dataclasses import replace
from functools import lru_cache

from sympy import Expr, Tuple

from asympt.architectures.residual.tails import tails
from asympt.architectures.starts import read_start, read_variance
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import activation
from asympt.meanfield.statement import First, Statement
from asympt.precise.far.split import Split
from asympt.precise.moving import MovingStep


@lru_cache(maxsize=64)
def limit_statement(statement: Statement) -> Statement:
    """The ReLU-like network without bias that the layers approach.

    >>> from sympy import Integer
    >>> from asympt.meanfield.layer import Layer
    >>> s = limit_statement(Statement.residual(Layer(activation("elu"), Integer(1), Integer(1))))
    >>> s.layer.activation.slopes, s.branch_share
    ((1, 0), 1/3)
    """
    right, left = tails(statement.layer.activation).slopes
    phi = activation("relu_like", right=right, left=left)
    first = statement.first
    layer = replace(statement.layer, activation=phi, bias_variance=first.bias * 0)
    return replace(
        statement, layer=layer, bias_rate=first.bias * 0,
        first=First(first.weight, first.bias * 0, first.weight_rate, first.bias * 0),
    )


def require_fast(statement: Statement) -> None:
    """`UnsupportedError` where phi comes to its lines like a power."""
    if not tails(statement.layer.activation).is_fast:
        raise UnsupportedError(
            f"activation {statement.layer.activation.name!r} approaches its straight lines only like a power of x, so "
            "numbers at a depth would need more of its behaviour at infinity; the law's formula holds"
        )


@lru_cache(maxsize=64)
def step_of(statement: Statement) -> MovingStep:
    """One layer of the network itself."""
    found = tails(statement.layer.activation)
    return MovingStep(statement, Split(statement.layer.activation.piecewise, found.slopes, found.offsets))


def read_pair(correlation=None, gap=None, variance=None) -> Expr:
    """(1 - c^1, q^1), exact; both inputs have the variance q^1."""
    start = read_start(correlation, gap)
    if start == 0:
        raise InputError("correlation = 1 is one input twice, which has no law here; give c^1 < 1")
    return Tuple(start, read_variance(variance))
