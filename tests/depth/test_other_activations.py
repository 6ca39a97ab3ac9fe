"""Layers of activations that nobody tuned the tables for, typed by hand or from the catalogue, with different norms.

Reference: E[phi(sqrt(q) U) phi(sqrt(q') V)] in ball arithmetic with 200 bits (python-flint), by the trapezoidal rule
over the plane for smooth phi, else by Gauss rules with 40 nodes on panels that end at the breakpoints of phi(sqrt(q) U)
and, inside, of phi(sqrt(q') V); 1 - c' and k' (k = 1 - gap) for sigma_w = 3/2, sigma_b = 1/5 from their definition.
"""

import numpy as np
import pytest
from sympy import Max, Min, Piecewise, Rational, Symbol, atan, sin

import asympt as asy
from asympt.depth import pairs

X = Symbol("x", real=True)
TYPED = {
    "atan": atan(X) + X / 3,
    "cap": Max(Min(X, 1), -X / 5),
    "pw": Piecewise((X / 4 - Rational(1, 2), X < -1), (X**3 - X / 4, 2 * X < 1),
                    (sin(X - Rational(1, 2)), True)),
    "hardsw": Piecewise((0, X < -3), (X * (X + 3) / 6, X < 3), (X, True)),
}  # fmt: skip
LAYERS = [  # phi, q, q', gap, 1 - c', k'
    ("mish", 1.0, 1.3, 0.4, 0.37741631161515226, 1.1416002956118336),
    ("mish", 1.0, 1.0000001, 1e-10, 1.0190684432123958e-10, 2.0190670249766333),
    ("mish", 0.9, 1.7, 1.999, 1.3210263505994956, -0.62141164235841821),
    ("softplus", 1.0, 1.3, 0.4, 0.13183006008649946, 1.0574991468920410),
    ("softplus", 1.0, 1.0000001, 1e-10, 3.1243168947586174e-11, 1.3124298663787923),
    ("softplus", 0.9, 1.7, 1.999, 0.58971195385153627, 0.17714158496367309),
    ("sigmoid", 1.0, 1.3, 0.4, 0.061930294692651554, 1.0285244862089422),
    ("sigmoid", 1.0, 1.0000001, 1e-10, 1.4409615379763019e-11, 1.1440953270656095),
    ("sigmoid", 0.9, 1.7, 1.999, 0.31584794684997405, 0.52116997647776736),
    ("silu", 1.0, 1.3, 0.4, 0.37865420287691188, 1.1424484832679009),
    ("silu", 1.0, 1.0000001, 1e-10, 1.0158737722019337e-10, 2.0158720461564482),
    ("silu", 0.9, 1.7, 1.999, 1.3073376563867719, -0.58898587741940566),
    ("atan", 1.0, 1.3, 0.4, 0.40241937486254302, 1.1875152538334998),
    ("atan", 1.0, 1.0000001, 1e-10, 1.0320185447200786e-10, 2.0320183164712552),
    ("atan", 0.9, 1.7, 1.999, 1.9677342829598658, -2.0075053523188082),
    ("cap", 1.0, 1.3, 0.4, 0.24381781001707783, 0.98094520524424177),
    ("cap", 1.0, 1.0000001, 1e-10, 1.2215481879999747e-10, 2.2215399883861004),
    ("cap", 0.9, 1.7, 1.999, 0.45403632863356138, 0.99643583724893342),
    ("pw", 1.0, 1.3, 0.4, 0.43294216227765692, 1.0830019817261436),
    ("pw", 1.0, 1.0000001, 1e-10, 2.2199905898044121e-10, 3.2199643997970430),
    ("pw", 0.9, 1.7, 1.999, 1.8168196586473958, -2.4001707175757829),
    ("hardsw", 1.0, 1.3, 0.4, 0.38915942446543436, 1.1508921672919588),
    ("hardsw", 1.0, 1.0000001, 1e-10, 1.0262989024833668e-10, 2.0262959242386756),
    ("hardsw", 0.9, 1.7, 1.999, 1.3831191048785752, -0.72600338972209814),
]


DEEP = [  # phi on its edge, sigma_b, c^1, variances, depth, 1 - c^L, K^L/sqrt(q_L q'_L): iterated in another program
    ("tanh", "1/5", "1/10", (1, 1 / 4), 1000, 0.007175541648068, 328.6493525823),
    ("tanh", "1/5", "-1/2", (3, 1 / 10), 1000, 0.007212866546909, 326.9462463943),
    ("tanh", "1/5", "1", (1, 1 / 4), 1000, 0.005429641101546, 428.5816574665),
    ("elu", "1/5", "1/10", (1, 1 / 4), 1000, 0.0081863785416474, 325.30059674623),
    ("elu", "1/5", "1", (1, 1 / 4), 1000, 0.0070524876887485, 375.02065967662),
    ("selu", "1/5", "1/10", (2, 1 / 2), 1000, 0.00086784478456177, 256.81040109894),
    ("hard_tanh", "1/5", "1/10", (1, 1 / 4), 1000, 0.00034518166401497, 255.59740083391),
    ("erf", "1/2", "1/10", (4, 1 / 2), 1000, 0.0020660130682805, 330.91281185217),
    ("gelu", "1/5", "1/10", (3 / 10, 1 / 2), 100, 3.2796551357766e-9, 4.4547913380578),
]


@pytest.mark.parametrize(("phi", "bias", "c", "variances", "depth", "gap", "kernel"), DEEP)
def test_pairs_of_any_norms_at_depth(phi, bias, c, variances, depth, gap, kernel):
    net = asy.FeedForward.on_edge_of_chaos(phi, sigma_b=bias)
    found = pairs(net, [1 - float(Rational(c))], depth, variance=variances)
    assert (found[0][0], found[1][0]) == pytest.approx((gap, kernel), rel=1e-12)


def network(name):
    phi = asy.Activation(TYPED[name], X, name=name) if name in TYPED else name
    return asy.FeedForward(phi, sigma_w="3/2", sigma_b="1/5")


@pytest.mark.parametrize("name", sorted({row[0] for row in LAYERS}))
def test_few_pairs(name):
    """One by one: the gap to 1e-11 of itself, also where norms agree to 1e-7 and directions to 1e-5; k to 1e-13."""
    for _, q, other, start, gap, kernel in (row for row in LAYERS if row[0] == name):
        found = pairs(network(name), [start], 2, variance=([q], [other]))
        assert found[0][0] == pytest.approx(gap, rel=1e-11) and found[1][0] == pytest.approx(kernel, abs=1e-13)


@pytest.mark.parametrize("name", sorted({row[0] for row in LAYERS})[::3])
def test_many_pairs(name):
    """The same pairs among thousands: by tables."""
    random = np.random.default_rng(1)
    for _, q, other, start, gap, kernel in (row for row in LAYERS if row[0] == name):
        one, two = (v * np.exp(random.uniform(-0.3, 0.3, 6000)) for v in (q, other))
        gaps = random.uniform(0, 2, 6000)
        one[0], two[0], gaps[0] = q, other, start
        found = pairs(network(name), gaps, 2, variance=(one, two), progress=False)
        assert found[0][0] == pytest.approx(gap, rel=2e-12) and found[1][0] == pytest.approx(kernel, abs=2e-13)
