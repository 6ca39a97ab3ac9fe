"""Printed formulas of PDLT, chapter 10, as objects, by the id of their claim.

Rule.  As for `stated.ledger`; matrices are of any size, and letters have definitions (`stated.identities`).
"""

from collections.abc import Callable

from asympt.claims.stated.pdlt import depth, nearby, networks, steps, training
from asympt.claims.stated.statement import StatedFormula

PDLT: dict[str, Callable[[], tuple[StatedFormula, ...]]] = {
    "PDLT.10.7": training.softmax_gradient,
    "PDLT.10.10": networks.by_parts,
    "PDLT.10.20": training.second_order_update,
    "PDLT.10.23": training.generalised_loss,
    "PDLT.10.28": training.giant_leap,
    "PDLT.10.31": training.newton_step,
    "PDLT.10.35": training.algorithm_independence,
    "PDLT.10.2.3-shift": training.shift,
    "PDLT.10.40": training.mean_prediction,
    "PDLT.10.41": training.covariance,
    "PDLT.10.43": networks.regulariser,
    "PDLT.10.45": networks.recursions,
    "PDLT.10.49": networks.bayesian,
    "PDLT.10.52": training.bias_variance,
    "PDLT.10.55": training.delta_method,
    "PDLT.10.62": nearby.robustness,
    "PDLT.10.63": nearby.covariance,
    "PDLT.10.65": nearby.robustness_unequal,
    "PDLT.10.66": nearby.covariance_unequal,
    "PDLT.10.67": networks.parallel,
    "PDLT.10.70": networks.perpendicular,
    "PDLT.10.71": depth.universality,
    "PDLT.10.75": depth.midpoint,
    "PDLT.10.77": depth.second_component,
    "PDLT.10.78": depth.robustness_scheduled,
    "PDLT.10.79": depth.midpoint_constant,
    "PDLT.10.80": depth.second_constant,
    "PDLT.10.81": depth.robustness_constant,
    "PDLT.10.81-remark": depth.robustness_not_odd,
    "PDLT.10.85": depth.expectations,
    "PDLT.10.90": depth.angle,
    "PDLT.10.91": depth.diagonal,
    "PDLT.10.92": depth.zeta,
    "PDLT.10.94": depth.robustness,
    "PDLT.10.97": depth.linear,
    "PDLT.fn33": networks.exponent_bound,
    "PDLT.fn37": depth.bayesian,
    "PDLT.10.104": nearby.linear_output,
    "PDLT.10.110": nearby.pair,
    "PDLT.10.111": nearby.row,
    "PDLT.10.113": nearby.general_output,
    "PDLT.10.114": nearby.equal_norm_output,
    "PDLT.10.115": nearby.mean_output,
    "PDLT.10.116": nearby.bias,
    "PDLT.10.117": nearby.variance,
    "PDLT.fn40": nearby.linear_curvature,
    "PDLT.10.123": training.least_squares,
    "PDLT.10.127": training.ridge,
    "PDLT.10.131": training.dual_form,
    "PDLT.10.133": training.gaussian_features,
    "PDLT.10.138": networks.feature_gradients,
    **steps.STEPS,
}
