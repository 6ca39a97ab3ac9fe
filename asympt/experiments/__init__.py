"""Training runs of finite networks on real data, and what came out, as files.

The runs need the extra ``pip install "asympt[train]"`` (JAX with Optax: a compiled loop over layers and over seeds on a
CPU, from a library that the tests use already; scikit-learn for its digits).  Reading results needs nothing of it.
"""

from asympt.experiments.results import Results, mean_and_error, read, shown

__all__ = ["Results", "mean_and_error", "read", "shown"]


def __dir__() -> list[str]:
    return sorted(__all__)
