"""Bad input to the fully connected network: one sentence that names the value, the rule and what to do."""

import mpmath
import numpy as np
import pytest
from sympy import Rational, Symbol, oo

from asympt import FeedForward
from asympt.errors import InputError, PrecisionError, UnsupportedError
from tests.on_demand import OnDemand

A, B = Symbol("a", real=True), Symbol("b", real=True)
NET = FeedForward("relu")
LAWS = OnDemand({"correlation": NET.correlation_law, "ntk": NET.ntk_law})
NAN = float("nan")

STARTS = {
    "depth zero": ({"depth": 0, "correlation": 0}, "depth = 0 is less than 1; depth L means layer L"),
    "depth negative": ({"depth": -3, "correlation": 0}, "depth = -3 is less than 1"),
    "depth broken": ({"depth": 1.5, "correlation": 0}, "depth = 1.5 is not a whole number"),
    "depth nan": ({"depth": NAN, "correlation": 0}, "depth = nan is not a finite number"),
    "depth infinite": ({"depth": oo, "correlation": 0}, "depth = oo is not a finite number"),
    "depth text": ({"depth": "deep", "correlation": 0}, "depth = 'deep' is not a number"),
    "depth none": ({"depth": None, "correlation": 0}, "depth = None is not a number"),
    "depth symbol": ({"depth": A, "correlation": 0}, "depth = a is not a whole number"),
    "above one": ({"depth": 9, "correlation": 1.0000001}, "correlation = 10000001/10000000 is outside [-1, 1]"),
    "below minus one": ({"depth": 9, "correlation": "-101/100"}, "correlation = -101/100 is outside [-1, 1]"),
    "gap above two": ({"depth": 9, "gap": 3}, "gap = 3 is outside [0, 2]; give 1 - c^1"),
    "gap negative": ({"depth": 9, "gap": "-1e-30"}, "outside [0, 2]"),
    "correlation nan": ({"depth": 9, "correlation": NAN}, "correlation = nan is not a finite number"),
    "mpmath nan": ({"depth": 9, "correlation": mpmath.nan}, "is not a finite number"),
    "gap nan": ({"depth": 9, "gap": np.float64("nan")}, "gap = nan is not a finite number"),
    "complex": ({"depth": 9, "correlation": 0.5j}, "correlation = 0.5j is not a number"),
    "array": ({"depth": 9, "correlation": (0, 1)}, "is not a number"),
    "symbolic": ({"depth": 9, "correlation": A}, "correlation = a is not a number"),
    "both": ({"depth": 9, "correlation": 0, "gap": 1}, "give either correlation = c^1 or gap = 1 - c^1"),
    "neither": ({"depth": 9}, "give either correlation = c^1 or gap = 1 - c^1"),
    "start": ({"depth": 9, "start": 1}, "unknown argument 'start'; the start of this law is given by correlation or"),
    "digits zero": ({"depth": 9, "correlation": 0, "digits": 0}, "digits = 0 is not a whole number from 1 to 200"),
    "digits many": ({"depth": 9, "correlation": 0, "digits": 1000}, "digits = 1000 is not a whole number from 1 to"),
    "digits broken": ({"depth": 9, "correlation": 0, "digits": 1.5}, "digits = 1.5 is not a whole number"),
    "digits text": ({"depth": 9, "correlation": 0, "digits": "x"}, "digits = x is not a whole number"),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", STARTS)
def test_bad_starts_depths_and_digits(law, name, refused):
    arguments, message = STARTS[name]
    refused(lambda: LAWS[law].evaluate(**arguments), message, InputError)


NETWORKS = {
    "sigma_w zero": (lambda: FeedForward("relu", sigma_w=0), "sigma_w = 0 is not positive"),
    "sigma_w negative": (lambda: FeedForward("relu", sigma_w=-1), "sigma_w = -1 is not positive"),
    "sigma_w nan": (lambda: FeedForward("relu", sigma_w=NAN), "sigma_w = nan is not a finite number"),
    "sigma_w infinite": (lambda: FeedForward("relu", sigma_w=float("inf")), "sigma_w = inf is not a finite number"),
    "sigma_w text": (lambda: FeedForward("relu", sigma_w="wide"), "sigma_w = 'wide' is not a number"),
    "sigma_w complex": (lambda: FeedForward("relu", sigma_w=1j), "sigma_w = 1j is not a number"),
    "sigma_b negative": (lambda: FeedForward("relu", sigma_b=-1), "sigma_b = -1 is negative"),
    "sigma_b nan": (lambda: FeedForward("relu", sigma_b=NAN), "sigma_b = nan is not a finite number"),
    "unknown": (lambda: FeedForward("rleu"), "unknown activation 'rleu' (did you mean relu or relu6?); known are relu"),
    "option": (lambda: FeedForward("relu", slope=1), "activation 'relu' has no option 'slope'"),
    "bias": (lambda: FeedForward("relu", sigma_w=2, sigma_b=1).ntk_law(), "the laws need sigma_b = 0"),
    "bias too": (lambda: FeedForward("relu", sigma_b="1/2").correlation_law(), "the laws need sigma_b = 0"),
    "linear": (lambda: FeedForward("leaky_relu", slope=1).ntk_law(), "is linear (both slopes are 1), so the correl"),
    "no terms": (lambda: NET.ntk_law(terms=0), "terms = 0 is not a whole number from 1 to 20"),
    "too many terms": (lambda: NET.correlation_law(terms=21), "terms = 21 is not a whole number from 1 to 20"),
    "broken terms": (lambda: NET.ntk_law(terms=2.5), "terms = 2.5 is not a whole number"),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_bad_networks_and_laws(name, refused):
    refused(*NETWORKS[name])


@pytest.mark.parametrize("kind", ["correlation_law", "ntk_law"])
def test_symbolic_slopes_have_a_law_but_no_numbers(kind, refused):
    law = getattr(FeedForward("relu_like", right=A, left=B), kind)(terms=1)
    said = "the law contains the symbols a, b; give numbers for them"
    refused(lambda: law.evaluate(depth=9, correlation=0), said, UnsupportedError)
    refused(lambda: law.connection_constant(correlation=0), said, UnsupportedError)


def test_digits_that_cannot_be_had_are_refused_and_not_invented():
    nearly_linear = FeedForward("leaky_relu", slope="999/1000").correlation_law()
    with pytest.raises(PrecisionError, match="layers would have to be iterated before the expansion is accurate"):
        nearly_linear.evaluate(depth=10**9, correlation=-1, digits=5)


def test_equal_inputs_have_no_connection_constant():
    with pytest.raises(PrecisionError, match="reaches the fixed point exactly, so it has no connection constant"):
        LAWS["ntk"].connection_constant(correlation=1)


def test_legal_ends_are_legal():
    for end in (-1, 1, "-1", 1.0, Rational(-1)):
        assert LAWS["correlation"].evaluate(depth=1, correlation=end) == 1 - float(end)
