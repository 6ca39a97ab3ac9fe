"""What a kernel implies for training: gradient flow, prediction, spectra, smoothness."""

from asympt.spelling import publish
from asympt.training.flow import (
    Update,
    descend,
    descent,
    fastest_rate,
    flow,
    flow_at,
    flow_of_loss,
    largest_rate,
    newton,
)
from asympt.training.kernels import Dependence, dependence, invertible_kernel, training_kernel
from asympt.training.prediction import (
    collapsed_prediction,
    dual_prediction,
    equal_prediction,
    fit,
    mean_prediction,
    ordered_prediction,
    prediction,
    primal_prediction,
    random_features,
    rank_one_inverse,
)
from asympt.training.sgd import StochasticFlow, sgd_covariance_at, sgd_mean_at
from asympt.training.smoothness import (
    circle_norm,
    equally_spaced,
    gaussian_fit,
    interpolant_norm,
    largest_alpha,
    mlp_bound,
    ntk_fit,
    product_targets,
    residual_bound,
    smallest_depth,
    smoothness,
)
from asympt.training.spectrum import (
    ConditionLaw,
    condition_law,
    condition_number,
    condition_numbers,
    equal_spectrum,
    spectrum,
)
from asympt.training.two_point import (
    KernelJet,
    one_point_covariance,
    polation,
    polation_variance,
    robustness,
    trained_output,
)

__all__ = [
    "ConditionLaw", "Dependence", "KernelJet", "StochasticFlow", "Update", "circle_norm", "collapsed_prediction",
    "condition_law", "condition_number", "condition_numbers", "dependence", "descend", "descent", "dual_prediction",
    "equal_prediction", "equal_spectrum", "equally_spaced", "fastest_rate", "fit", "flow", "flow_at", "flow_of_loss",
    "gaussian_fit", "interpolant_norm", "invertible_kernel", "largest_alpha", "largest_rate", "mean_prediction",
    "mlp_bound", "newton", "ntk_fit", "one_point_covariance", "ordered_prediction", "polation", "polation_variance",
    "prediction", "primal_prediction", "product_targets", "random_features", "rank_one_inverse", "residual_bound",
    "robustness", "sgd_covariance_at", "sgd_mean_at", "smallest_depth", "smoothness", "spectrum", "trained_output",
    "training_kernel",
]  # fmt: skip

publish(globals())
