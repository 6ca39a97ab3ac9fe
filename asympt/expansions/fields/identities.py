"""Relations between the constants that generate a ring: sin(a)^2 + cos(a)^2 = 1, and what follows from xi = G(xi).

Problem.  The coefficients of cos(x) at its fixed point xi contain sin(xi) and xi, which look independent and are not:
xi = cos(xi), so sin(xi)^2 = 1 - xi^2.

Rule.  For every sine, cosine, hyperbolic sine or cosine among the generators its partner is another generator, or the
`equation` of an opaque constant, linear in the partner, says what it is.  A root of a sum that is written in the other
generators is a relation as it stands.

Tiny case.  xi = cos(xi)/2 + xi^2: cos(xi) = 2 xi - 2 xi^2, so sin(xi)^2 + (2 xi - 2 xi^2)^2 = 1.

Known limits.  Relations between different arguments (sin(2 a) and sin(a)) are not looked for.
"""

from collections.abc import Iterator, Sequence

from sympy import Expr, Function, cos, cosh, sin, sinh

from asympt.expansions.opaque import RealConstant

PARTNERS = {sin: cos, cos: sin, sinh: cosh, cosh: sinh}


def identities(generators: Sequence[Expr]) -> Iterator[Expr]:
    """Expressions that vanish.

    >>> from sympy import Symbol
    >>> a = Symbol("a")
    >>> list(identities([sin(a), cos(a), a]))
    [sin(a)**2 + cos(a)**2 - 1]
    """
    bases = [generator.as_base_exp()[0] for generator in generators]
    known, seen = {**_solved(generators), **{base: base for base in bases}}, set()
    for base in bases:
        partner = _partner(base)
        if partner in known and base not in seen:
            seen |= {base, partner}
            yield _pythagorean(base, known[partner])


def roots(generators: Sequence[Expr]) -> Iterator[tuple[int, int, Expr]]:
    """(index, q, base) of the generators that are the root base^(1/q) of a sum.

    >>> from sympy import Symbol, sqrt
    >>> a = Symbol("a")
    >>> list(roots([a, sqrt(1 + a)]))
    [(1, 2, a + 1)]
    """
    for index, generator in enumerate(generators):
        base, exponent = generator.as_base_exp()
        if base.is_Add and exponent.is_Rational and exponent.p == 1 and exponent.q > 1:
            yield index, int(exponent.q), base


def _partner(base: Expr) -> Expr | None:
    return PARTNERS[base.func](base.args[0]) if base.func in PARTNERS else None


def _pythagorean(base: Expr, partner: Expr) -> Expr:
    if base.func in (sin, cos):
        return base**2 + partner**2 - 1
    return (base**2 - partner**2) * (1 if base.func is cosh else -1) - 1


def _solved(generators: Sequence[Expr]) -> dict[Expr, Expr]:
    """{function of an opaque constant: what the equation of the constant makes of it}."""
    found = {}
    for constant in sorted(set().union(*(g.atoms(RealConstant) for g in generators)), key=str):
        if constant.equation is None:
            continue
        excess = constant.equation(constant).expand()
        for function in excess.atoms(Function):
            weight = excess.coeff(function)
            rest = (excess - weight * function).expand()
            if weight.is_Rational and not rest.has(function):
                found[function] = -rest / weight
    return found
