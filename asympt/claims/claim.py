"""A claim: what a paper states, where, and how the toolkit decides it.

The statement is quoted; the verdict is computed each time.  A refuted claim carries, where the toolkit can derive
it, the corrected statement with its own checks.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from asympt.evidence.check import Check, Verification
from asympt.networks import FeedForward
from asympt.numbers import symbol_names


@dataclass(frozen=True)
class Setting:
    """What a check may use: the network, digits, depth, and an NTK law's verification if one exists already."""

    net: FeedForward
    digits: int = 30
    depth: int = 10**6
    evidence: Verification | None = None


@dataclass(frozen=True)
class Claim:
    """One record.

    `id`; `source`, paper and place; `statement`, LaTeX as printed; `summary`, one plain sentence; `decide`, the check;
    `relu_only`, whether it speaks of ReLU itself rather than of every ReLU-like activation; `net`, the network.
    """

    id: str
    source: str
    statement: str
    summary: str
    decide: Callable[[Setting], Verification]
    relu_only: bool = False
    net: FeedForward | None = None

    def bind(self, net: FeedForward) -> "Claim":
        """The same claim about a given network."""
        return replace(self, net=net)

    def check(self, digits: int = 30, depth: int = 10**6, evidence: Verification | None = None) -> Verification:
        """Decide the claim; `evidence` is a verification of the corresponding law that was already made.

        Numbers decide, so a network whose slopes are symbols leaves every claim unknown.
        """
        net = self.net or FeedForward("relu")
        symbols = net.layer.fold.free_symbols
        if symbols:
            reason = f"needs numbers for {symbol_names(symbols)}"
            return Verification(self.summary, (Check("the claim in numbers", reason, "-", None),))
        return self.decide(Setting(net, digits, depth, evidence))
