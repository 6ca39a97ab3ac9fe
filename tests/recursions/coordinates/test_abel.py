"""The Abel coordinate in numbers: two routes that can disagree."""

from dataclasses import replace

import mpmath
import pytest

from asympt import FeedForward
from asympt.errors import PrecisionError
from asympt.recursions.coordinates.abel_numeric import Abel
from asympt.recursions.orbits import matching_layer


@pytest.fixture
def no_memory():
    """Matching layers are forgotten before and after."""
    matching_layer.cache_clear()
    yield
    matching_layer.cache_clear()


@pytest.mark.parametrize("which", ["a coefficient", "the residue", "the leading coefficient"])
def test_a_wrong_series_makes_the_routes_disagree(monkeypatch, no_memory, which):
    # the same error in both series, so that only the matching layer can tell
    law = FeedForward("relu").correlation_law()
    slip = 1 + mpmath.mpf(10) ** -15

    honest = Abel.numeric

    def wrong(*arguments):
        numeric, m = honest(*arguments), 1
        if which == "the residue":
            return replace(numeric, residue=numeric.residue * slip)
        index = 0 if which == "the leading coefficient" else m + 1
        return replace(numeric, abel=(*numeric.abel[:index], numeric.abel[index] * slip, *numeric.abel[index + 1 :]))

    right = law.connection_constant(correlation="1/10", digits=20)
    matching_layer.cache_clear()
    monkeypatch.setattr(Abel, "numeric", wrong)
    with pytest.raises(PrecisionError, match="do not agree to 20 digits"):
        law._constants(law._start({"correlation": "1/10"}), 20, False)
    found = law.evaluated_constants(20, correlation="1/10")  # the theorem has its constant from balls alone
    assert found.trust == "library" and found.value[0] == right
