"""The law against float64 iteration at great depth, for pairs of real images.

Problem.  Do law and network agree where people use them: depth 10^6, thousands of pairs, plain float64?

Rule.  The pairs are all pairs of the first 46 images of scikit-learn's digits (1,035 of them; the images ship
with the package).  The layer recursion of `asympt.depth` runs once to a shallow layer n, where the law's A, P and H
give C and D of every pair, and once to the full depth.  The law then predicts: A(t) = L + C is solved by Newton's
method in NumPy, and t gives 1 - c^L and K^L/(q L).  The figure is the largest relative deviation over all pairs.

What it shows: that nothing but C and D of layer n is needed to predict layer 10^6, to float64 accuracy.  It cannot
see terms of relative size below 1e-12 at these depths; `constancy` and the symbolic checks do.
"""

from dataclasses import replace
from importlib.resources import files

import numpy as np
from sympy import Expr

from asympt import depth as engine
from asympt.evidence.check import Check
from asympt.evidence.reading import terms_of
from asympt.meanfield.statement import Statement

BOUND = 1e-11
SHARP = 1e-14
SMALL = 1e-17


def digit_gaps() -> np.ndarray:
    """1 - cos(angle) of all 1,035 pairs of the shipped images, by differences of unit vectors."""
    text = files("asympt.evidence.floats").joinpath("digits.csv").read_text()
    images = np.array([row.split(",") for row in text.splitlines()[1:]], dtype=float)
    unit = images / np.linalg.norm(images, axis=1, keepdims=True)
    first, second = np.triu_indices(len(unit), 1)
    return ((unit[first] - unit[second]) ** 2).sum(axis=1) / 2


def depth_checks(law, depth: int, workers: int = 1, progress=None) -> list[Check]:
    """Law against iteration at layer `depth`, and the diagonal; an undone check if the depth is too small."""
    gaps, hand_over = digit_gaps(), first_accurate(law)
    if depth <= hand_over:
        reason = f"depth {depth} is not beyond layer {hand_over}, where the law's series becomes accurate in float64"
        return [Check("float64 iteration of real pairs", reason, BOUND, None)]
    layer = law.layer if law.linear is not None else gaps_alone(law.layer)
    early = engine.pairs(layer, gaps, hand_over, workers=workers)
    with_diagonal = np.append(gaps, 0.0)
    late = engine.pairs(layer, with_diagonal, depth, workers=workers, progress=named_progress(progress, depth))
    predicted = _predict(law, early, hand_over, depth)
    observed = late[0][:-1] if law.linear is None else late[1][:-1] / depth
    figure = float(np.max(np.abs(predicted / observed - 1)))
    detail = f"{gaps.size} pairs of images, C and D read at layer {hand_over}, compared at layer {depth}"
    name = f"law against float64 iteration of {gaps.size} real pairs at depth {depth}: largest relative deviation"
    checks = [Check.compare(name, float(f"{figure:.3g}"), BOUND, detail)]
    if law.linear is not None:
        checks.append(_diagonal(law.layer, late[0][-1], late[1][-1], depth))
    return checks


def _diagonal(layer: Statement, gap: float, kernel: float, depth: int) -> Check:
    """K^L(x, x) exactly: gap 0 stays 0, and k grows by the same amount in every layer, by 1 in a plain network."""
    if not layer.is_plain:
        total = diagonal_at(layer, depth)
        figure = float(abs(gap) + abs(kernel / float(total) - 1))
        name = f"the diagonal K^L(x,x)/q_L at depth {depth} against {layer_sum(layer)}: relative deviation"
        return Check.compare(name, float(f"{figure:.3g}"), SHARP, "float64 iteration from gap 0")
    figure = float(abs(gap) + abs(kernel - depth))
    return Check.compare(f"the diagonal K^L(x,x) - qL at depth {depth}", figure, 0.0, "float64 iteration from gap 0")


def gaps_alone(layer: Statement) -> Statement:
    """A network without a scale whose gaps are the same: weights and biases learn as they are drawn."""
    weight, first = layer.branch * layer.layer.weight_variance, layer.first
    drawn = replace(first, weight_rate=first.weight, bias_rate=first.bias)
    return replace(layer, weight_rate=weight, bias_rate=layer.branch * layer.layer.bias_variance, first=drawn)


def increments(statement: Statement) -> tuple[Expr, Expr]:
    """(k, what every layer adds to k) for equal inputs of a network without a scale, by its two recursions.

    q -> g q and K -> g K + lambda_W m_2 q with g = skip + beta sigma_w^2 m_2 and m_2 = E[phi(Z)^2] = E[phi'(Z)^2], so
    K/q grows by lambda_W m_2/g a layer.
    """
    square, branch = statement.activation.second_moment, statement.branch * statement.layer.weight_variance
    growth = int(statement.skip) + branch * square
    return statement.first.weight_rate / statement.first.weight, statement.weight_rate * square / growth


def diagonal_at(statement: Statement, depth: int) -> Expr:
    """K^L(x, x)/q_L, exact."""
    first, more = increments(statement)
    return first + (depth - 1) * more


def layer_sum(statement: Statement) -> str:
    """How K^L(x, x)/q_L grows, for a reader."""
    first, more = increments(statement)
    return f"{first} + ({more}) (L - 1)"


def named_progress(progress, depth: int):
    if progress is None:
        return None
    return lambda done, total: progress(f"float64 iteration to depth {depth}", done, total)


def first_accurate(law) -> int:
    """The layer at which the first term that A or P leaves out is below float64 noise."""
    terms = [(float(p), abs(float(c))) for p, j, c in terms_of(law.abel.expansion) if not j and p > 0][-3:]
    order = int(law.abel.expansion.remainder.monomial.order)
    growth = max(c ** (1 / p) for p, c in terms)
    edge = (SMALL / growth**order) ** (1 / order) / 3
    lead, power = float(terms_of(law.abel.expansion)[0][2]), law.abel.multiplicity
    return int(2 * lead / edge**power) + 50


def floats(expansion) -> list[tuple[float, int, float]]:
    """Terms (power, logs, coefficient) in float64."""
    return [(float(p), j, float(c)) for p, j, c in terms_of(expansion)]


def evaluated(terms: list, t: np.ndarray) -> np.ndarray:
    """sum c t^p log|t|^j in float64, negative t with whole powers only."""
    return sum(c * t**p * (np.log(np.abs(t)) ** j if j else 1.0) for p, j, c in reversed(terms))


def _predict(law, early: tuple, layer: int, depth: int) -> np.ndarray:
    """The quantity at `depth` from the state at `layer`, by the law alone."""
    abel, root = floats(law.abel.expansion), law.dynamics.root
    t = early[0] ** (1 / root)
    target = evaluated(abel, t) - layer + depth
    after = solve_abel(abel, target)
    if law.linear is None:
        return after**root
    particular, wave = floats(law.linear.particular), floats(law.linear.homogeneous)
    second = (early[1] - evaluated(particular, t)) / evaluated(wave, t)
    return (evaluated(particular, after) + second * evaluated(wave, after)) / depth


def solve_abel(abel: list, target: np.ndarray) -> np.ndarray:
    """Newton's method for A(t) = target from the leading term."""
    power, _, lead = abel[0]
    t = (lead / target) ** (-1 / power)
    slope = [(p - 1, 0, p * c) for p, j, c in abel if not j] + [(-1.0, 0, c) for p, j, c in abel if j]
    for _ in range(60):
        change = (evaluated(abel, t) - target) / evaluated(slope, t)
        t = t - change
        if np.all(np.abs(change) <= 1e-15 * np.abs(t)):
            break
    return t
