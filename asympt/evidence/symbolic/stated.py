"""The series of the original recursion that a symbolic check puts its expansion into.

Problem.  The symbolic checks need y'/y, lambda and b as power series in t.

Rule.  Where the map has a closed form in t, SymPy's series of it, accepted after a numeric test (`series`).  The
correlation map of a general activation has none: then the coefficients that the law itself states are used, and what
the symbolic checks show is that the law solves the recursion with these coefficients.  Whether they are those of the
map is a question to the map, in numbers: `map_series`.

Tiny case.  tanh on the Edge of Chaos: y'/y = 1 - f''(1)/2 y + ..., f''(1) a symbol.
"""

from sympy import Expr

from asympt.evidence.symbolic.series import ratio, taylor


def has_formula(law) -> bool:
    """Whether the recursion is known in closed form (its coefficients are then not taken from the law)."""
    linear = law.dynamics.linear
    return law.dynamics.formula is not None and (linear is None or linear.formulas is not None)


def map_ratio(law, count: int) -> tuple[list[Expr], bool]:
    """(the first `count` coefficients of y'/y in t, whether that the map fixes the point is exact)."""
    if has_formula(law):
        return ratio(law.dynamics.formula, count, law.dynamics.root)
    return list(law.dynamics.ratio(count)), True


def linear_series(law, count: int) -> tuple[list[Expr], list[Expr]]:
    """The first `count` coefficients of lambda and of b in t."""
    linear = law.dynamics.linear
    if has_formula(law):
        slope, source = (taylor(formula, count) for formula in linear.formulas)
        return slope, source
    return list(linear.multiplier(count)), list(linear.forcing(count))
