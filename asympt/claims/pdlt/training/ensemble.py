"""Decisions on PDLT about the ensemble of trained networks: mean, covariance, bias and variance.

Means over networks are taken by replacing products of the outputs at initialisation, Gaussian of mean 0 and covariance
K, by their moments; everything else is a symbol of its own, as in `prediction`.
"""

from sympy import Expr, Matrix, Poly, Symbol, symbols

from asympt.claims.forms import vanishes
from asympt.claims.pdlt.training.prediction import TEST, TRAIN, blocks, general, symmetric, vector
from asympt.evidence.check import Verification


def mean_of(value: Expr, outputs: list[Expr], covariance: Matrix) -> Expr:
    """E of a polynomial of degree 2 in Gaussian outputs of mean 0."""
    poly, total = Poly(value, *outputs), 0
    for powers, coefficient in poly.terms():
        places = [k for k, power in enumerate(powers) for _ in range(power)]
        if len(places) == 0:
            total += coefficient
        elif len(places) == 2:
            total += coefficient * covariance[places[0], places[1]]
        elif len(places) > 2:
            raise ValueError(f"degree {len(places)} in the outputs; moments up to the second are known here")
    return total


def _ensemble() -> tuple[Matrix, list, Matrix]:
    """(predictions at the test points, the outputs at initialisation, their covariance K).

    A stands for Theta Theta^-1.
    """
    z, first, y = vector("z", TRAIN), vector("f", TEST), vector("y", TRAIN)
    return first - general("A", TEST, TRAIN) * (z - y), [*z, *first], symmetric("K", TRAIN + TEST)


def _with_weights(value: Expr) -> Expr:
    gram, cross, _ = blocks("Theta")
    return value.subs(dict(zip(general("A", TEST, TRAIN), cross * gram.inv(), strict=True)))


def mean_prediction() -> Verification:
    """PDLT.10.40."""
    gram, cross, _ = blocks("Theta")
    outputs, start, covariance = _ensemble()
    printed = cross * gram.inv() * vector("y", TRAIN)
    found = Matrix([_with_weights(mean_of(entry.expand(), start, covariance)) for entry in outputs])
    return Verification(
        "m = Theta Theta^-1 y", (vanishes("$E z(T) - Theta Theta^-1 y$, 2 test points", found - printed),)
    )


def covariance() -> Verification:
    """PDLT.10.41, index by index as printed, and with Theta -> K."""
    outputs, start, initial = _ensemble()
    found = Matrix(TEST, TEST, lambda i, j: _covariance_of(outputs[i], outputs[j], start, initial))
    square, cross, ends = blocks("K")
    weights = general("A", TEST, TRAIN)
    printed = ends - (weights * cross.T).T - weights * cross.T + weights * square * weights.T
    posterior = {a: b for a, b in zip(weights, cross * square.inv(), strict=True)}
    checks = (
        vanishes("covariance of $z(T)$ minus the printed four terms, 2 test points", (found - printed).expand()),
        vanishes(
            "the same at $Theta = K$ minus $K - K K^-1 K^T$",
            printed.subs(posterior) - (ends - cross * square.inv() * cross.T),
        ),
    )
    return Verification("Cov z(T) = K - A K^T - K A^T + A K A^T, A = Theta Theta^-1", (*checks, *_any_number()))


def _any_number() -> tuple:
    """The same for any numbers of points, in letters that do not commute; a letter with a prime is a transpose.

    The output is f - A (z - y), f and z of mean 0 with covariances F = E f f', C = E f z', K = E z z'.
    """
    a, at, f, ft, z, zt = symbols("A A' f f' z z'", commutative=False)
    ends, cross, crosst, inner, kit = symbols("F C C' K Ki", commutative=False)
    product = ((f - a * z) * (ft - zt * at)).expand()
    for pair, mean in ((f * ft, ends), (f * zt, cross), (z * ft, crosst), (z * zt, inner)):
        product = product.subs(pair, mean)
    printed = ends - cross * at - a * crosst + a * inner * at
    posterior = printed.subs({a: cross * kit, at: kit * crosst}, simultaneous=True).expand().subs(inner * kit, 1)
    left = posterior.expand() - (ends - cross * kit * crosst)
    return (
        vanishes("$E (f - A z)(f - A z)'$ minus the printed four terms, any number of points", product - printed),
        vanishes("the same with $A = C K^-1$ minus $F - C K^-1 C'$", left.expand()),
    )


def _covariance_of(first: Expr, second: Expr, start: list, initial: Matrix) -> Expr:
    product, *means = (mean_of(e.expand(), start, initial) for e in (first * second, first, second))
    return (product - means[0] * means[1]).expand()


def bias_variance() -> Verification:
    """PDLT.10.52: z = m + noise of mean 0, two outputs at one test point."""
    m, y, noise, spread = vector("m", 2), vector("y", 2), vector("g", 2), symmetric("C", 2)
    loss = sum((m[i] + noise[i] - y[i]) ** 2 for i in range(2)) / 2
    printed = sum((m[i] - y[i]) ** 2 + spread[i, i] for i in range(2)) / 2
    rest = mean_of(loss.expand(), list(noise), spread) - printed
    return Verification(
        "E (1/2) sum (z - y)^2 = (1/2) sum {(m - y)^2 + Cov[z, z]}",
        (vanishes("difference, two outputs", rest.expand()),),
    )


def delta_method() -> Verification:
    """PDLT.10.55: a Taylor polynomial of two outputs, then what derivatives to the fourth add in one."""
    noise, spread = vector("g", 2), symmetric("C", 2)
    gradient, curvature = vector("L1", 2), symmetric("L2", 2)
    value = Symbol("L0") + (gradient.T * noise)[0] + (noise.T * curvature * noise)[0] / 2
    printed = Symbol("L0") + (curvature * spread).trace() / 2
    size, third, fourth = symbols("tau L_3 L_4", real=True)
    moments = (0, 3 * size**2)  # E g^3 and E g^4 of N(0, tau)
    added = third * moments[0] / 6 + fourth * moments[1] / 24
    two = mean_of(value.expand(), list(noise), spread) - printed
    left = [added.coeff(size, k) for k in (0, 1)]
    checks = (
        vanishes("$E$ of the Taylor polynomial of degree 2 minus the printed terms, two outputs", two.expand()),
        vanishes("orders 1 and tau of what the third and fourth derivatives add, covariance tau", left),
    )
    return Verification("E L = L(m) + (1/2) sum L'' Cov + ...", checks)
