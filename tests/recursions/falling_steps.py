"""Recursions with falling steps, iterated in mpmath layer by layer as this file writes them down; wrong laws of them.

What the theorems about such laws are held against (`test_contract`, `test_flow_certificate`).
"""

from dataclasses import dataclass, replace
from functools import cached_property

from mpmath import mp, mpf
from sympy import Expr, Rational, lambdify, symbols

from asympt.expansions import Expansion
from asympt.recursions.non_autonomous import DrivenRecursion

X, L = symbols("x l", positive=True)


@dataclass(frozen=True)
class Falling:
    """x_l = x_(l-1) - step(l) drift(x_(l-1)), x_1 = start; so many terms of its law."""

    drift: Expr
    step: Expr
    start: str
    terms: int

    @cached_property
    def recursion(self) -> DrivenRecursion:
        return DrivenRecursion(self.drift, X, self.step, L, first=1)

    @cached_property
    def law(self):
        return self.recursion.law(terms=self.terms)

    @cached_property
    def certificate(self):
        return self.law.certificate(start=self.start)

    def value(self, depth: int, digits: int):
        return self.recursion.evaluate(depth=depth, start=self.start, digits=digits)

    def constant(self, digits: int):
        return self.recursion.connection_constant(start=self.start, digits=digits)

    @property
    def number(self):
        """The start."""
        return mpf(Rational(self.start).p) / Rational(self.start).q


def orbit(drift, size, start, layers: int, first: int = 1) -> dict:
    """{layer: x} of x_l = x_(l-1) - size(l) drift(x_(l-1)), x_first = start."""
    found = {first: mpf(start)}
    for layer in range(first + 1, layers):
        found[layer] = found[layer - 1] - size(mpf(layer)) * drift(found[layer - 1])
    return found


def deviations(found, values: dict, constants: dict):
    """{depth: |quantity - law| over the monomial}."""
    law = found.law
    known = {symbol: constants.get(name, 0) for name, symbol in law.constant_symbols.items()}
    printed = law.expansion.without_remainder().to_sympy().subs(known)
    f, size = (lambdify(law.depth_variable, e, "mpmath") for e in (printed, found.monomial))
    return {d: abs(v - f(mpf(d))) / size(mpf(d)) for d, v in values.items() if d >= found.valid_from}


def relu_pair(weight, steps, c, layers):
    """{L: (1 - c, K/K(x, x))} for a ReLU branch, f = (sin th + (pi - th) cos th)/pi, f' = 1 - th/pi."""
    gap, kernel, same, found = 1 - c, c, mpf(1), {}
    for layer in range(1, layers):
        if layer > 1:
            w, th = steps(layer), 2 * mp.asin(mp.sqrt(gap / 2))
            drift = (mp.sin(th) - th * mp.cos(th)) / mp.pi * weight
            kernel = (1 - w * th / mp.pi * weight) * kernel + w * (1 - gap + drift)
            gap, same = gap - w * drift, same + w
        found[layer] = gap, kernel / same
    return found


def planted(law, change):
    terms = {monomial: c for monomial, c in law.expansion.terms}
    for place, monomial in enumerate(list(terms)):
        yield replace(law, expansion=Expansion.build(
            law.expansion.scale, terms | {monomial: change(terms[monomial], place)}, law.remainder
        ))  # fmt: skip


CHANGES = {
    "1% more": lambda c, _: c * Rational(101, 100), "1e-30 more": lambda c, _: c * (1 + Rational(1, 10**30)),
    "the other sign": lambda c, _: -c, "missing": lambda c, _: c * 0,
}  # fmt: skip
