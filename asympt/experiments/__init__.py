"""Training runs of finite networks on real data (extra "asympt[train]": JAX, Optax), and what came out, as files."""

from asympt.experiments.results import Results, mean_and_error, read, shown

__all__ = ["Results", "mean_and_error", "read", "shown"]
__dir__ = __all__.copy
