"""Step sizes delta_l = a v^(-kappa), v = l + beta, 0 < kappa <= 1, and the clock that adds them up: a log v, or

    a v^(1 - kappa)/(1 - kappa)   for kappa < 1, up to terms that the recursions account for.
"""

from dataclasses import dataclass
from functools import cached_property

from mpmath import mp
from sympy import Expr, Integer, S, Symbol, cancel, simplify

from asympt.errors import InputError, UnsupportedError
from asympt.numbers import exact_coefficients, to_mpf
from asympt.parsing import as_sympy


@dataclass(frozen=True)
class Steps:
    """delta_l = weight (l + shift)^(-exponent).

    >>> l = Symbol("l", positive=True)
    >>> Steps.read(1 / (2 * l) / (1 + 1 / (2 * l)), l)
    Steps(weight=1/2, exponent=1, shift=1/2)
    >>> Steps.read((9 / l) ** S.Half, l)
    Steps(weight=3, exponent=1/2, shift=0)
    """

    weight: Expr
    exponent: Expr
    shift: Expr = S.Zero

    @classmethod
    def read(cls, step: Expr, layer: Symbol) -> "Steps":
        """From an expression in `layer`; the sizes that are not treated are refused."""
        step = exact_coefficients(as_sympy(step))
        if step == 0 or not step.has(layer):
            raise UnsupportedError(
                f"the step size {step} does not depend on {layer}, so the recursion is not driven; use Recursion"
            )
        steps = _power(step, layer) or _shifted(step, layer)
        if steps is None:
            raise UnsupportedError(
                f"the step size {step} is neither alpha/({layer} + beta) nor a*{layer}**(-kappa); only these are "
                "treated"
            )
        steps._require_treated(step, layer)
        return steps

    def _require_treated(self, step: Expr, layer: Symbol) -> None:
        if not self.exponent.is_Rational:
            raise UnsupportedError(f"the step size {step} has the power {self.exponent} of 1/{layer}; give a fraction")
        if self.exponent > 1:
            raise UnsupportedError(
                f"the step sizes {step} have a finite sum, so x does not reach 0; the power of 1/{layer} must not "
                "exceed 1"
            )
        if self.exponent <= 0:
            raise UnsupportedError(f"the step size {step} does not tend to 0 with depth; no law of this form exists")
        if self.weight.is_positive is not True:
            raise InputError(
                f"the step size {step} is not known to be positive; give numbers, or symbols declared positive"
            )

    @property
    def parameters(self) -> set:
        """The symbols in the step size other than the layer."""
        return self.weight.free_symbols | self.shift.free_symbols

    @cached_property
    def harmonic(self) -> bool:
        """Whether delta_l = a/(l + beta): the steps add up like a logarithm."""
        return self.exponent == 1

    def powers(self, last) -> list[tuple[Expr, Expr]]:
        """delta as a sum of c v^(-p): pairs (p, c), the first one and all others with p <= last."""
        return [(self.exponent, self.weight)]

    def formula(self, layer: Symbol) -> Expr:
        """delta_l."""
        return self.weight * (layer + self.shift) ** -self.exponent

    def at_layer(self, layer: int):
        """delta_l."""
        return self.size(layer + to_mpf(self.shift))

    def size(self, v):
        """delta_l at v = l + shift, l real."""
        return to_mpf(self.weight) / (v if self.harmonic else v ** to_mpf(self.exponent))

    def clock(self, v):
        """The integral of the step size, without constant."""
        if self.harmonic:
            return to_mpf(self.weight) * mp.log(v)
        rest = to_mpf(1 - self.exponent)
        return to_mpf(self.weight) * v**rest / rest

    def at(self, time):
        """v at which the clock shows `time`."""
        if self.harmonic:
            return mp.exp(time / to_mpf(self.weight))
        rest = to_mpf(1 - self.exponent)
        return (time * rest / to_mpf(self.weight)) ** (1 / rest)


def _power(step: Expr, layer: Symbol) -> Steps | None:
    """a l^(-kappa)."""
    exponent = simplify(-layer * step.diff(layer) / step)
    if exponent.has(layer):
        return None
    return Steps(simplify(step * layer**exponent), exponent)


def _shifted(step: Expr, layer: Symbol) -> Steps | None:
    """a/(l + beta)."""
    inverse = cancel(1 / step)
    if not inverse.is_polynomial(layer) or inverse.as_poly(layer).degree() != 1:
        return None
    slope, rest = inverse.as_poly(layer).all_coeffs()
    return Steps(simplify(1 / slope), Integer(1), simplify(rest / slope))
