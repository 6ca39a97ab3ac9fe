"""Reading what a finite network is given: numbers to float64, an activation to phi and phi' on arrays."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from asympt.depth.constants import precise
from asympt.errors import InputError, UnsupportedError
from asympt.meanfield.activations import Activation, activation
from asympt.numbers import exact


@dataclass(frozen=True)
class Nonlinear:
    """phi and phi' as functions of float64 arrays; at a breakpoint the right-hand value."""

    value: Callable
    slope: Callable


def nonlinear(phi: Activation | str) -> Nonlinear:
    """phi and phi'; `UnsupportedError` when phi jumps, because phi' is then not a function.

    >>> import numpy as np
    >>> relu = nonlinear("relu")
    >>> relu.value(np.array([-1.0, 0.0, 2.0])).tolist(), relu.slope(np.array([-1.0, 0.0, 2.0])).tolist()
    ([0.0, 0.0, 2.0], [0.0, 1.0, 1.0])
    """
    return _compiled(activation(phi))


@lru_cache(maxsize=64)
def _compiled(phi: Activation) -> Nonlinear:
    symbols = phi.expression.free_symbols - {phi.symbol}
    if symbols:
        raise InputError(f"activation {phi.name!r} holds {min(map(str, symbols))}; give numbers in its place")
    if phi.ntk_obstacle is not None:
        raise UnsupportedError(phi.ntk_obstacle)
    return Nonlinear(phi.piecewise.vectorised, phi.piecewise.derivative().vectorised)


def scale(value, name: str, zero: bool = False) -> float:
    """`value` as a float64 greater than 0 (or, with `zero`, at least 0).

    >>> scale("sqrt(2)", "sigma_w")
    1.4142135623730951
    """
    number = exact(value, name)
    if number.free_symbols:
        raise InputError(f"{name} = {value} holds a symbol; give a number, a network draws floats")
    if number < 0 or (number == 0 and not zero):
        raise InputError(f"{name} = {value} is out of range; give a number {'>= 0' if zero else '> 0'}")
    return float(precise(number))


def rate(value, name: str) -> Callable[[int], float]:
    """A learning rate as a function of the layer: a number >= 0, or such a function, whose values must be >= 0.

    >>> rate(lambda layer: 1 / layer, "weight_rate")(4)
    0.25
    """
    if not callable(value):
        number = scale(value, name, zero=True)
        return lambda layer: number
    return lambda layer: scale(value(layer), f"{name}({layer})", zero=True)
