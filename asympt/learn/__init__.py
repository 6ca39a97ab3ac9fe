"""Networks of infinite width in scikit-learn, an optional dependency: kernels at any depth, and a regressor."""

try:
    import sklearn  # noqa: F401
except ImportError as missing:
    raise ImportError('asympt.learn needs scikit-learn; install it with: pip install "asympt[learn]"') from missing

from asympt.learn.regressor import NNGP, NTK, DeepKernelRegressor, KernelOperator, expected_steps, solve
from asympt.spelling import publish

__all__ = ["NNGP", "NTK", "DeepKernelRegressor", "KernelOperator", "expected_steps", "solve"]

publish(globals())
