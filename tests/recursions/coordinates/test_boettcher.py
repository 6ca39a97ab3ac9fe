"""Superattracting points: the constants of the literature, the verdicts, and laws that are wrong.

The constants come from interval iteration with the bound of `evidence.boettcher`; those of the OEIS are in the ledger.
"""

from dataclasses import replace

import pytest
from mpmath import mp, mpf
from sympy import Symbol, cos, oo, sin, sqrt

import asympt
from asympt import Recursion
from asympt.errors import UnsupportedError
from asympt.writing.document import recursion_document

X = Symbol("x")
CONSTANTS = {
    "sine squared": (sin(X) ** 2, 1, {}, "0.799950212446194678680365928066738635032"),
    "1 - cos": (1 - cos(X), 1, {}, "0.477262115744378259900034109793534118672"),
    "Newton": (X - (X - cos(X)) / (1 + sin(X)), 1, {}, "0.04975614147759395052868079966418071917343427"),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants(name):
    map_, start, where, expected = CONSTANTS[name]
    found = Recursion(map_, X, **where).law(terms=1).connection_constant(start=start, digits=38)
    with mp.workdps(50):
        assert abs(found / mpf(expected) - 1) < mpf(10) ** -37


def test_how_it_reads():
    law = Recursion(X**2 + 1, X).law(terms=2)
    assert (law.kind, str(law)) == ("superattracting", "C^(2^n) - 1/(2*C^(2^n)) + O(1/C^(3*2^n))")
    assert str(Recursion(X**2 - 2, X, fixed_point=oo).law()) == "C^(2^n) + 1/C^(2^n)"
    assert law.limit == oo and Recursion(X**2 + 1, X).law(1, 1 / X).limit == 0


@pytest.mark.parametrize("map_", [sin(X) ** 2, X**3 - X, -2 * X**2 + X**3, X**2 + X**2 * sqrt(X)])
def test_verdicts(map_):
    law = Recursion(map_, X, **({"fixed_point": oo} if map_ == X**3 - X else {"fixed_point": 0})).law(terms=3)
    assert asympt.verify(law, digits=20).verdict == "checked"
    terms = tuple((m, c if k != 1 else 2 * c) for k, (m, c) in enumerate(law.expansion.terms))
    wrong = replace(law, expansion=replace(law.expansion, terms=terms))
    assert asympt.verify(wrong, digits=20).verdict == "refuted"


def test_a_point_without_a_formula_costs_seconds():
    with asympt.time_limit(10):
        law = Recursion(CONSTANTS["Newton"][0], X).law(terms=3)
    assert len(str(law)) < 400


def test_what_needs_a_scale_is_refused():
    map_ = Recursion(X**2 + 1, X)
    law = map_.law(terms=2)
    for asked in (law.plot, law.estimate_remainder, lambda: recursion_document(map_, law)):
        with pytest.raises(UnsupportedError, match="leaves every scale after a few steps"):
            asked()
