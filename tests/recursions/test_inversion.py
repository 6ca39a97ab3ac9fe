"""Inverting the Abel function: against mpmath's Lambert W and against truncation."""

import mpmath
import pytest
from mpmath import mp
from sympy import Rational, Symbol

from asympt.errors import UnsupportedError
from asympt.expansions import Expansion, Formal, Monomial, Scale
from asympt.recursions import AbelFunction
from asympt.recursions.inversion import C, depth_law, power_of
from asympt.recursions.parabolic import AT_FIXED_POINT

LAYER = Symbol("l", positive=True)


def lambert(residue) -> AbelFunction:
    """A = 1/t + residue * log t, whose inverse is t = -1/(residue W(-exp(-Y/residue)/residue))."""
    terms = {(-1, 0): 1, (0, 1): residue}
    return AbelFunction(Expansion.build(AT_FIXED_POINT, terms, Formal(Monomial(9))))


@pytest.mark.parametrize(("residue", "branch"), [(Rational(-1, 2), 0), (Rational(3, 2), -1)])
@pytest.mark.parametrize("power", [1, 2])
def test_against_the_lambert_function(residue, branch, power):
    # 1/t + r log t = Y: with u = 1/(r t), u - log u = Y/r + log r for r > 0, so -u = W_branch(-exp(-Y/r)/r)
    law = depth_law(lambert(residue), LAYER, 7, power_of(power))
    constant = mpmath.mpf(2) / 3
    figures = []
    with mp.workdps(60):
        r = mpmath.mpf(int(residue.p)) / int(residue.q)
        for depth in (40, 160, 640):
            truth = (-1 / (r * mp.lambertw(-mp.exp(-(depth + constant) / r) / r, branch).real)) ** power
            assert abs(truth ** (mpmath.mpf(-1) / power) + r * mp.log(truth) / power - depth - constant) < 1e-50
            value = mpmath.mpf(law.to_sympy().evalf(50, subs={LAYER: depth, C: constant})._mpf_)
            rest = law.scale.to_sympy(law.remainder.monomial).evalf(30, subs={LAYER: depth})
            figures.append(abs(truth - value) / mpmath.mpf(rest._mpf_))
    assert all(0.01 < figure < 20 for figure in figures)


@pytest.mark.parametrize("terms", range(1, 12))
def test_terms_are_the_first_of_more(terms):
    full = depth_law(lambert(Rational(3, 2)), LAYER, 12, power_of(2))
    law = depth_law(lambert(Rational(3, 2)), LAYER, terms, power_of(2))
    assert law == full.truncate(terms) and len(law.terms) == terms


def test_more_terms_than_the_abel_function_supports_are_refused():
    short = AbelFunction(lambert(1).expansion.up_to(Monomial(2)))
    with pytest.raises(UnsupportedError, match="30 terms need more of the Abel function than its 2 orders"):
        depth_law(short, LAYER, 30, power_of(1))


def test_the_scale_is_that_of_the_layer():
    assert depth_law(lambert(1), LAYER, 2, power_of(1)).scale == Scale.at_infinity(LAYER)
