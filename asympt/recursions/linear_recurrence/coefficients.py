"""Functions of the layer in the scale l^(-p) log(l)^j: 1/(l - 1), log(l - 1), sqrt(l + 1), Gamma(l)/Gamma(l + 1/2).

Every function is built from l by the arithmetic of expansions, and the O(...) of what is cut off is carried along; a
finite sum stays exact.  Gamma functions come by Stirling's series,

    log Gamma(l + a) = (l + a - 1/2) log l - l + log(2 pi)/2 + sum_(k>=1) (-1)^(k+1) B_(k+1)(a)/(k (k+1) l^k).
"""

from math import prod

from sympy import Expr, Integer, Mul, RisingFactorial, Symbol, bernoulli, binomial, exp, factorial, gamma, log

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.expansions.expansion import exponential
from asympt.expansions.formulas.puiseux import Y, puiseux

GAMMAS = (factorial, binomial, RisingFactorial)


def expansion_in(expression: Expr, variable: Symbol, orders: int) -> Expansion:
    """A function of the layer at infinity: exact if it is a finite sum, else to so many orders below its leading one.

    >>> l = Symbol("l", positive=True)
    >>> print(expansion_in(1 - 1 / (l - 1), l, 3), expansion_in(gamma(l) / gamma(l + 1), l, 2), sep="; ")
    1 - 1/l - 1/l^2 - 1/l^3 + O(1/l^4); 1/l + O(1/l^3)
    """
    expression = expression.rewrite(gamma) if expression.has(*GAMMAS) else expression
    return _CoefficientReader(variable, orders).read(expression)


class _CoefficientReader:
    def __init__(self, variable: Symbol, orders: int):
        self.variable, self.orders, self.scale = variable, orders, Scale.at_infinity(variable)

    def read(self, part: Expr) -> Expansion:
        if not part.has(self.variable):
            return Expansion.constant(self.scale, part)
        if part == self.variable:
            return Expansion.variable(self.scale)
        if part.is_Add:
            return sum(map(self.read, part.args), self.read(Integer(0)))
        if part.has(gamma) and (part.is_Mul or part.is_Pow or isinstance(part, gamma)):
            return self._with_gammas(part)
        if part.is_Mul:
            return prod(map(self.read, part.args))
        if isinstance(part, exp) or (part.is_Pow and part.exp.has(self.variable)):
            return exponential(self.read(part.exp * log(part.base)), self._cut(0))
        if part.is_Pow:
            return self._power(part)
        if isinstance(part, log):
            return self.read(part.args[0]).log(self._cut(0))
        return self._analytic(part)

    def _cut(self, order) -> Monomial:
        return Monomial(order + self.orders)

    def _power(self, part: Expr) -> Expansion:
        base, exponent = self.read(part.base), part.exp
        if not exponent.is_Rational or not base.terms:
            raise UnsupportedError(f"{part} is no power of {self.variable} with a rational exponent")
        if exponent.is_Integer and exponent > 0:
            return base.power(exponent)
        return base.power(exponent, self._cut(base.leading[0].order * exponent))

    def _with_gammas(self, product: Expr) -> Expansion:
        """exp of the sum of e log Gamma(l + a), in which l log l and l cancel."""
        powers = {factor: factor.as_base_exp() for factor in Mul.make_args(product)}
        gammas = {factor: (base.args[0] - self.variable, e) for factor, (base, e) in powers.items()
                  if isinstance(base, gamma) and base.has(self.variable)}  # fmt: skip
        if sum(e for _, e in gammas.values()) != 0 or any(a.has(self.variable) for a, _ in gammas.values()):
            raise UnsupportedError(f"{product} is no quotient of as many Gamma({self.variable} + a) above as below")
        terms = {(0, 1): sum(e * a for a, e in gammas.values())}
        for k in range(1, self.orders):
            share = Integer(-1) ** (k + 1) / Integer(k * (k + 1))
            terms[k, 0] = share * sum(e * bernoulli(k + 1, a) for a, e in gammas.values())
        logarithm = Expansion.build(self.scale, terms, Formal(self._cut(0)))
        return prod((self.read(f) for f in powers if f not in gammas), start=exponential(logarithm))

    def _analytic(self, part: Expr) -> Expansion:
        found = puiseux(part, self.variable, self.orders, inner=1 / Y)
        orders = [Monomial((found.valuation + k) / Integer(found.root)) for k in range(len(found.coefficients) + 1)]
        return Expansion.build(self.scale, dict(zip(orders, found.coefficients, strict=False)), Formal(orders[-1]))
