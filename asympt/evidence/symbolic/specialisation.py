"""A law with symbolic slopes is a member of its family: the same coefficients at its own alpha.

Problem.  The symbolic checks are run once for a free parameter alpha.  Do they speak about the law as printed, whose
coefficients are functions of the slopes?

Rule.  Put the law's alpha into the family's coefficients, and compare coefficient by coefficient: the difference must
be zero identically in the slopes.

Known limits.  Says nothing about alpha itself; the map's first coefficient, which fixes it, is compared too.
"""

from sympy import Expr

from asympt.evidence.check import Check
from asympt.evidence.symbolic.series import taylor
from asympt.evidence.symbolic.zero import is_zero


def specialisation_check(law, family) -> Check:
    """Every coefficient of the law, of its A and of its map against the family's at the law's alpha (and delta)."""
    values = {symbol: value for symbol, value in family.stands_for.items() if symbol in family.parameters}
    pairs = _pairs(law.expansion, family.expansion) + _pairs(law.abel.expansion, family.abel.expansion)
    if law.linear is not None:
        pairs += _pairs(law.linear.particular, family.linear.particular)
    root = law.dynamics.root
    pairs += zip(taylor(law.dynamics.formula, 3, root), taylor(family.dynamics.formula, 3, root), strict=True)
    different = [one for one, other in pairs if not is_zero(one - other.subs(values))]
    name = f"coefficients are those of the family at the law's {' and '.join(map(str, values))}"
    figure = str(different[0]).replace("**", "^") if different else "0"
    detail = f"{len(pairs)} coefficients compared at {', '.join(map(str, values.values()))}".replace("**", "^")
    return Check(name, figure, 0, not different, "proved", detail)


def _pairs(expansion, family) -> list[tuple[Expr, Expr]]:
    """Coefficients side by side; a term that only one of them has is compared with 0."""
    monomials = {m for m, _ in expansion.terms} | {m for m, _ in family.terms}
    mine, theirs = expansion.coefficients, family.coefficients
    zero = 0 * expansion.leading[1]
    return [(mine.get(m, zero), theirs.get(m, zero)) for m in sorted(monomials, reverse=True)]
