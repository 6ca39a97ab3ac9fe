"""Networks of infinite width in scikit-learn: kernels at any depth, and a regressor.

scikit-learn is an optional dependency: ``pip install "asympt[learn]"``.
"""

try:
    import sklearn  # noqa: F401
except ImportError as missing:
    raise ImportError('asympt.learn needs scikit-learn; install it with: pip install "asympt[learn]"') from missing

from asympt.learn.kernels import NNGP, NTK
from asympt.learn.regressor import DeepKernelRegressor

__all__ = ["NNGP", "NTK", "DeepKernelRegressor"]
