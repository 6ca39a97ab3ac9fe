"""Claims that are measurements with data and training which the sources do not give in full: on record, and unknown."""

from asympt.claims.claim import Claim
from asympt.claims.forms import undecided
from asympt.evidence.check import Verification


def _claim(identifier: str, source: str, statement: str, summary: str, missing: str) -> Claim:
    """A claim whose decision says what would be needed."""
    found = Verification(summary, (undecided("the measurement repeated", missing),))
    return Claim(identifier, source, statement, summary, lambda: found)


CLAIMS = (
    _claim(
        "HDR.Tab1", "HDR Sec. 6, Table 1",
        r"\text{ReLU-EOC }44.53/83.75,\ 18.15/36.62;\ \text{ELU-EOC }75.11/97.13,\ 31.78/48.10;\ \dots",
        "test accuracies of networks of width and depth 300 on MNIST and CIFAR10",
        "needs MNIST, CIFAR10 and days of training",
    ),
    _claim(
        "HDR.Tab2", "HDR Sec. 6.3, Table 2",
        r"\text{ResNet32 }54.18/72.49\ \text{and scaled }53.89/74.07;\ \dots",
        "test accuracies of standard and scaled residual networks on CIFAR100",
        "needs CIFAR100 and days of training",
    ),
    _claim(
        "JGH.fig", "JGH slides, NTK Animation",
        r"\text{the }2\times2\text{ NTK of two images moves less during training as the width grows}",
        "the NTK of two MNIST images as an ellipse during training, for several widths",
        "needs the two images and the training of the animation; JGH.T4.rate measures the same with data of its own",
    ),
)  # fmt: skip
