"""What a kernel says about training: gradient flow, prediction, spectra, smoothness."""

from asympt.training.condition_law import ConditionLaw, condition_law
from asympt.training.descent import Update, descend, descent, fastest_rate, largest_rate, newton
from asympt.training.flow import flow, flow_at, flow_of_loss
from asympt.training.kernels import Dependence, dependence, invertible_kernel, training_kernel
from asympt.training.linear_model import dual_prediction, fit, primal_prediction, random_features
from asympt.training.prediction import (
    collapsed_prediction,
    equal_prediction,
    mean_prediction,
    ordered_prediction,
    prediction,
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
from asympt.training.spectrum import condition_number, condition_numbers, equal_spectrum, spectrum
from asympt.training.two_point import (
    KernelJet,
    one_point_covariance,
    polation,
    polation_variance,
    robustness,
    trained_output,
)

__all__ = [
    "ConditionLaw",
    "Dependence",
    "KernelJet",
    "StochasticFlow",
    "Update",
    "circle_norm",
    "collapsed_prediction",
    "condition_law",
    "condition_number",
    "condition_numbers",
    "dependence",
    "descend",
    "descent",
    "dual_prediction",
    "equal_prediction",
    "equal_spectrum",
    "equally_spaced",
    "fastest_rate",
    "fit",
    "flow",
    "flow_at",
    "flow_of_loss",
    "gaussian_fit",
    "interpolant_norm",
    "invertible_kernel",
    "largest_alpha",
    "largest_rate",
    "mean_prediction",
    "mlp_bound",
    "newton",
    "ntk_fit",
    "one_point_covariance",
    "ordered_prediction",
    "polation",
    "polation_variance",
    "prediction",
    "primal_prediction",
    "product_targets",
    "random_features",
    "rank_one_inverse",
    "residual_bound",
    "robustness",
    "sgd_covariance_at",
    "sgd_mean_at",
    "smallest_depth",
    "smoothness",
    "spectrum",
    "trained_output",
    "training_kernel",
]


def __dir__() -> list[str]:
    return sorted(__all__)
