"""Constants taken apart into what can be calculated with exactly: rational numbers, sums, products and

    algebraic     a rational power of an algebraic number: 2^(1/2), a root of a polynomial
    atom          a rational power of anything else: a, pi, sin(1), exp(1/2) = E^(1/2)
    whole         a whole power of a sum or product

Constants of the same kind take one form: log(6) = log(2) + log(3), exp(1 + a) = exp(1) exp(a), sec = 1/cos.  Relations
between atoms (sin(1)^2 + cos(1)^2 = 1) are not seen.
"""

import sympy
from sympy import Add, AlgebraicNumber, Expr, Mul, Rational, expand_log, log
from sympy.polys.polyerrors import CoercionFailed
from sympy.polys.rootoftools import ComplexRootOf

_QUOTIENTS = {sympy.sec: sympy.cos, sympy.csc: sympy.sin, sympy.sech: sympy.cosh, sympy.csch: sympy.sinh}
_OF_INVERSES = {sympy.acot: sympy.atan, sympy.acoth: sympy.atanh, sympy.asech: sympy.acosh, sympy.acsch: sympy.asinh}


def fold(constant: Expr, visitor):
    """Walk through a constant: the visitor is told of `rational`, `sum`, `product`, `whole`, `algebraic`, `atom`."""
    if constant.is_Rational:
        return visitor.rational(constant)
    if isinstance(constant, Add | Mul):
        parts = [fold(part, visitor) for part in constant.args]
        return visitor.sum(parts) if constant.is_Add else visitor.product(parts)
    rewritten = _rewritten(constant)
    if rewritten != constant:
        return fold(rewritten, visitor)
    return visitor.product([_fold_power(base, exponent, visitor) for base, exponent in factors(constant)])


def factors(power: Expr) -> list[tuple[Expr, Rational]]:
    """A power as a product of rational powers of atoms.

    >>> a = sympy.Symbol("a")
    >>> factors(sympy.exp(1 + a / 2))
    [(E, 1), (exp(a), 1/2)]
    """
    base, exponent = power.as_base_exp()
    if exponent.is_Rational:
        return [(base, exponent)]
    split = [term.as_coeff_Mul() for term in Add.make_args(exponent)]
    return [(base**rest, weight) for weight, rest in split]


def is_algebraic(number: Expr) -> bool:
    """Whether SymPy knows it to be an algebraic number."""
    return number.is_number and (isinstance(number, AlgebraicNumber | ComplexRootOf) or number.is_algebraic is True)


def _fold_power(base: Expr, exponent: Rational, visitor):
    if exponent.is_Integer and isinstance(base, Add | Mul):
        return visitor.whole(base, fold(base, visitor), int(exponent))
    if is_algebraic(base):
        return visitor.algebraic(base, exponent)
    if base.is_Float or base.is_infinite or not base.is_commutative:
        raise CoercionFailed(f"{base} is not an exact finite number")
    return visitor.atom(base, exponent)


def _rewritten(constant: Expr) -> Expr:
    """The form in which constants of the same kind are equal: log of primes, cos for sec, atan for acot."""
    if isinstance(constant, log):
        return _log_of_primes(constant.args[0]) if constant.args[0].is_Rational else expand_log(constant)
    if constant.func in _QUOTIENTS:
        return 1 / _QUOTIENTS[constant.func](*constant.args)
    if constant.func in _OF_INVERSES:
        return _OF_INVERSES[constant.func](1 / constant.args[0])
    return constant


def _log_of_primes(number: Rational) -> Expr:
    """log(number) by its prime factors, where they are found at once."""
    if number < 0 or max(number.p, number.q) > 10**12:
        return log(number)
    return sum((times * log(prime) for prime, times in number.factors().items()), Rational(0))
