"""Laws of composed networks are held against the rules of their primitives."""

from dataclasses import replace

import asympt as asy
from asympt.evidence.composed import primitives_check

TWO_LAYERS = "serial(relu, dense(sqrt(2)), relu, dense(sqrt(2)))"


def test_a_law_is_checked_and_that_of_another_network_refuted():
    law = asy.Network(TWO_LAYERS).correlation_law(terms=1)
    assert asy.verify(law).verdict == "checked"
    other = asy.Network("serial(relu, dense(sqrt(2)), abs, dense(1))")
    assert primitives_check(replace(law, network=other)).passed is False


def test_the_variance_of_a_composition_is_checked():
    assert asy.verify(asy.Network("residual(relu, dense(1), relu, dense(1))").variance_law()).verdict == "checked"
