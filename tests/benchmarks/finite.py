"""What a random network of finite width costs, and what its kernels are worth.

Run as a script: ``python tests/benchmarks/finite.py [--seconds 1] [--depth 4]``.

For every architecture and width, with all weights drawn and with weights revealed only in the directions asked for:
milliseconds a network (both passes, Sigma and K of three inputs), the standard error of K of one network relative to
the diagonal, and the networks and seconds that a standard error of 1% takes.
"""

import argparse
import time

import numpy as np

import asympt as asy
from asympt.depth.finite import empirical_kernels

INPUTS = np.array([[1.0, 0.2, -0.5], [0.3, 1.6, 0.8], [-0.9, 0.4, 0.6]])
SIGNALS = np.random.default_rng(0).normal(size=(2, 3, 4))
NETWORKS = {
    "FeedForward relu": (asy.FeedForward("relu").finite(), INPUTS),
    "FeedForward tanh": (asy.FeedForward("tanh", sigma_w=1.5, sigma_b=0.2).finite(), INPUTS),
    "ResNet relu": (asy.ResNet("relu").finite(), INPUTS),
    "BlockResNet relu": (asy.BlockResNet("relu").finite(), INPUTS),
    "ConvNet relu": (asy.ConvNet("relu", 4, 1).finite(), SIGNALS),
}
FEW = 4


def measured(network, inputs, depth: int, width: int, explicit: bool, seconds: float) -> tuple[float, float]:
    """(seconds a network, standard error of one network)."""
    asked = {"width": width, "explicit": explicit, "outputs": 2}
    start = time.perf_counter()
    empirical_kernels(network, inputs, depth, most_seeds=FEW, **asked)
    count = max(FEW, min(500, int(FEW * seconds / (time.perf_counter() - start))))
    start = time.perf_counter()
    found = empirical_kernels(network, inputs, depth, most_seeds=count, **asked)
    cost = (time.perf_counter() - start) / count
    root = np.sqrt(np.diag(found.ntk))
    return cost, float((found.ntk_error / np.outer(root, root)).max() * np.sqrt(count))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=float, default=1.0, help="time for one line")
    options.add_argument("--depth", type=int, default=4)
    chosen = options.parse_args()
    print(f"{'network':<18} {'width':>5} {'weights':>9} {'ms':>8} {'error':>7} {'networks for 1%':>16} {'s':>7}")
    for name, (network, inputs) in NETWORKS.items():
        for width in (256, 1024, 4096):
            for explicit in (True, False):
                if explicit and width == 4096 and name != "FeedForward relu":
                    continue  # one line shows what 64 MB a matrix cost
                cost, error = measured(network, inputs, chosen.depth, width, explicit, chosen.seconds)
                needed = int(np.ceil((error / 0.01) ** 2))
                kind = "drawn" if explicit else "revealed"
                line = f"{name:<18} {width:5d} {kind:>9} {1e3 * cost:8.2f} {error:7.3f} {needed:16d}"
                print(f"{line} {needed * cost:7.2f}", flush=True)


if __name__ == "__main__":
    main()
