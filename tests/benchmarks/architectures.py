"""What a layer costs in other architectures than the plain one, and how many digits it keeps.

Run as a script: ``python tests/benchmarks/architectures.py [--pairs 1035] [--depth 20000] [--rounds 3]``.

The plain loop keeps c and K in float64, one architecture's formulas as the statement has them, without bias:

    theta = arccos(c);  f = c + rho (sqrt(1 - c^2) - theta c);
    c' = (1 - delta) c + delta f;  K = (1 - delta + delta (1 - rho theta)) K + r delta f.

Both run on one core, in turns; the table gives medians of the cost of a layer, their ratio, what the architecture costs
beside a plain network, and the relative errors of 1 - c and K/q against mpmath for the pair with 1 - c^1 = 1e-6.
"""

import argparse
import time
from dataclasses import replace
from statistics import median

import mpmath
import numpy as np
from sympy import Integer, sqrt

from asympt.architectures import ResNet, ScaledResNet
from asympt.depth import pairs
from asympt.depth.stack import DenseStack
from asympt.meanfield.activations import activation
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import LAYER, Statement
from asympt.precise.dense import DenseStep

RELU, ONE = Layer(activation("relu"), Integer(2), Integer(0)), Integer(1)
PLAIN, ROOT = Statement.plain(RELU), sqrt(2)
STATEMENTS = {
    "plain": PLAIN,
    "ResNet": ResNet("relu", ROOT).statement,
    "ScaledResNet": ScaledResNet("relu", ROOT).statement,
    "BlockResNet": Statement.block_residual(RELU, ONE),
    "MLP, rate 1/l": replace(PLAIN, weight_rate=ONE / LAYER, first=replace(PLAIN.first, weight_rate=ONE)),
    "ResNet, bias": ResNet("relu", ROOT, 1 / sqrt(10)).statement,
}


def naive_layers(statement: Statement, gaps: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """The plain loop, for the time it takes; where there is a bias, its values are those without."""
    stack, c, rho = DenseStack(statement, depth), 1.0 - gaps, 1 / np.pi
    k = stack.first_rates[0] * c
    for delta, source in zip(stack.branch_share.tolist(), stack.source.tolist(), strict=True):
        theta = np.arccos(np.clip(c, -1.0, 1.0))
        f = c + rho * (np.sqrt(np.maximum(1.0 - c * c, 0.0)) - theta * c)
        k = (1.0 - delta * rho * theta) * k + source * f
        c = (1.0 - delta) * c + delta * f
    return 1.0 - c, k


def timed(function, *arguments) -> float:
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def ours(statement: Statement, gaps: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray]:
    return pairs(statement, gaps, depth, variance=1.0)


def reference(statement: Statement, gap: float, depth: int, digits: int = 40) -> tuple:
    """(1 - c, K/q) in mpmath."""
    with mpmath.workdps(digits):
        step, state = DenseStep(statement), (1, mpmath.mpf(1), mpmath.mpf(1), mpmath.mpf(gap), None)
        state = (*state[:4], mpmath.mpf(DenseStack(statement, 2).first_rates[0]) * (1 - state[3]))
        for _ in range(depth - 1):
            state = step(state)
        return state[3:]


def errors(statement: Statement, depth: int, function) -> list[float]:
    gap = 1e-6
    found, true = function(statement, np.array([gap]), depth), reference(statement, gap, depth)
    return [float(abs(mpmath.mpf(float(a[0])) / b - 1)) for a, b in zip(found, true, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1035)
    parser.add_argument("--depth", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    gaps = np.random.default_rng(1).uniform(0.05, 1.2, given.pairs)
    print(f"{given.pairs} pairs, {given.depth} layers, one core, median of {given.rounds} rounds; errors at layer 300")
    heads = ("", "naive us", "asympt us", "ratio", "to plain", "naive 1-c", "asympt 1-c", "naive K", "asympt K")
    print("{:14s} {:>9s} {:>10s} {:>6s} {:>9s} {:>10s} {:>11s} {:>8s} {:>9s}".format(*heads))
    times: dict[str, list] = {name: [[], []] for name in STATEMENTS}
    for statement in STATEMENTS.values():
        ours(statement, gaps[:10], 100)
    few = max(2, given.depth // 20)
    for _ in range(given.rounds):
        for name, statement in STATEMENTS.items():
            times[name][0].append(timed(naive_layers, statement, gaps, few) / (few - 1))
            times[name][1].append(timed(ours, statement, gaps, given.depth) / (given.depth - 1))
    plain = median(times["plain"][1])
    for name, statement in STATEMENTS.items():
        naive, mine = (1e6 * median(found) for found in times[name])
        one, two = (np.nan, np.nan) if DenseStack(statement, 2).has_scale else errors(statement, 300, naive_layers)
        three, four = errors(statement, 300, ours)
        print(
            f"{name:14s} {naive:9.1f} {mine:10.1f} {mine / naive:6.2f} {mine / (1e6 * plain):9.2f} "
            f"{one:10.1e} {three:11.1e} {two:8.1e} {four:9.1e}"
        )


if __name__ == "__main__":
    main()
