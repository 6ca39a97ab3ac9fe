"""Two numbers never share a constant, whatever laws were derived before in the same process.

Each pair below once had, or could have had, constants that print alike and are different numbers: the coefficients of
A for two weights of a branch, of P for two own NTKs, of maps whose sigma_w is called sigma_w in both.  Whoever came
second got the numbers of the first.  Every evaluator that is offered for a key is held against the first one.
"""

from collections import defaultdict

import pytest
from mpmath import mp
from sympy import Rational, Symbol, exp, sqrt, tanh

import asympt as asy
from asympt import blocks as b
from asympt.expansions.opaque import RealConstant, identity

FIFTH, THIRD = Rational(1, 5), Rational(1, 3)
DIGITS = 12


@pytest.fixture
def offered(monkeypatch):
    """key -> the first evaluators that were offered for it."""
    found, plain = defaultdict(list), RealConstant.__new__

    def noted(cls, name, evaluator, key=None, *rest, **options):
        text = identity(key) if isinstance(key, tuple) else key or name
        if len(found[text]) < 4:
            found[text].append(evaluator)
        return plain(cls, name, evaluator, key, *rest, **options)

    monkeypatch.setattr(RealConstant, "__new__", noted)
    return found


def require_one_number(offered) -> None:
    """Every evaluator of a key gives one number."""
    shared = {key: evaluators for key, evaluators in offered.items() if len(evaluators) > 1}
    assert shared, "no constant was made twice, so nothing was compared"
    with mp.workdps(DIGITS + 10):
        for key, evaluators in shared.items():
            first, *others = (mp.mpf(evaluate()) for evaluate in evaluators)
            for other in others:
                assert abs(other - first) <= mp.mpf(10) ** -DIGITS * max(abs(first), 1), key


def derived(block) -> None:
    """Both laws of a network of this block."""
    net = asy.Network(block, first=b.dense(sigma_w=1))
    net.correlation_law(terms=2)
    net.ntk_law(terms=2)


def weights_of_one_branch(bias=FIFTH):
    """The weight of a branch and its own NTK do not change what it makes of c."""
    phi, weight = b.activation("erf"), asy.FeedForward("erf", sigma_b=bias).sigma_w
    for rate in (None, 1, 2):
        derived(b.serial(phi, b.dense(weight, bias, weight_rate=rate)))
    for scale in (1, THIRD):
        derived(b.serial(b.residual(phi, b.dense(weight, bias), scale=scale), b.layer_norm()))


def activations_of_one_name():
    """Nor does a name say what phi is."""
    x = Symbol("x", real=True)
    for formula in (tanh(x), tanh(x) + x**3 * exp(-(x**2)) / 100):
        phi = asy.Activation(formula, x, name="mine")
        asy.Network(b.serial(b.activation(phi), b.dense(1, FIFTH)), first=b.dense(sigma_w=1)).correlation_law(terms=2)
        asy.FeedForward(phi, sigma_w=1, sigma_b=FIFTH).correlation_law(terms=2)


@pytest.mark.parametrize("derive", [weights_of_one_branch, activations_of_one_name])
def test_a_key_has_one_number(offered, derive):
    derive()
    derive()
    require_one_number(offered)


def test_identity_sees_constants_that_print_alike():
    one, other = (RealConstant("w", lambda: mp.sqrt(2), key=("test", k)) for k in (1, 2))
    assert str(2 * one) == str(2 * other)
    assert identity((2 * one,)) != identity((2 * other,))
    assert identity(b.dense(one)) != identity(b.dense(other))
    assert identity(b.dense(sqrt(2))) == identity(b.dense(sqrt(2)))


def test_identity_refuses_what_says_nothing():
    with pytest.raises(TypeError, match="does not say what determines"):
        identity((lambda: 1,))
