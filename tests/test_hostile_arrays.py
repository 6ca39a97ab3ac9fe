"""Every public function of arrays against every kind of hostile one: one sentence, or the right finite value."""

import warnings

import numpy as np
import pytest
import scipy.sparse

import asympt as asy
from asympt import training
from asympt.depth import finite
from asympt.depth.convolution import conv_gram, conv_pairs

NET, CONV = asy.FeedForward("relu"), asy.ConvNet("relu", positions=3, reach=1)
X = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]])
K = np.array([[2.0, 0.5, 0.25], [0.5, 1.5, 0.5], [0.25, 0.5, 1.0]])
CROSS, Y, GAPS, TIMES = np.array([[0.5, 0.25, 1.0]]), np.array([1.0, -1.0, 0.5]), np.array([0.5, 0.25, 1.0]), [0.0, 1.0]
IMAGES, OFFSETS = np.arange(1.0, 13.0).reshape(2, 2, 3), np.array([0.5, 0.25, 0.125])
NOISE = 0.1 * np.eye(3)
FLOW = training.StochasticFlow(K, Y, NOISE, 0.1, 4.0)

# name: (the function of one array, the array with which it works)
CALLS = {
    "gram X": (lambda a: asy.depth.gram(NET, a, depth=3), X),
    "pairs gap": (lambda a: asy.depth.pairs(NET, a, 3), GAPS),
    "pairs variance": (lambda a: asy.depth.pairs(asy.FeedForward("relu", sigma_b=1), GAPS, 3, variance=a), GAPS),
    "conv_gram X": (lambda a: conv_gram(CONV, a, 3), IMAGES),
    "conv_pairs gaps": (lambda a: conv_pairs(CONV, a, 3), OFFSETS),
    "condition_number": (training.condition_number, K),
    "condition_numbers X": (lambda a: training.condition_numbers(NET, [2], X=a), X),
    "condition_numbers gap": (lambda a: training.condition_numbers(NET, [2], gap=a, inputs=2), GAPS),
    "condition_numbers depths": (lambda a: training.condition_numbers(NET, a, gap=0.5, inputs=2), np.array([1.0, 3.0])),
    "dependence": (lambda a: 0.0 if training.dependence(a) is None else 1.0, K),
    "descent kernel": (lambda a: training.descent(a, Y, [3], 0.1), K),
    "descent targets": (lambda a: training.descent(K, a, [3], 0.1), Y),
    "descent steps": (lambda a: training.descent(K, Y, a, 0.1), np.array([1, 3])),
    "newton kernel": (lambda a: training.newton(a, Y), K),
    "newton targets": (lambda a: training.newton(K, a), Y),
    "descend cross": (lambda a: training.descend(K, Y, [training.Update(0.1)], cross=a), CROSS),
    "fastest_rate": (training.fastest_rate, K),
    "largest_rate": (training.largest_rate, K),
    "dual_prediction": (lambda a: training.dual_prediction(X, a, Y, 0.1), X),
    "primal_prediction": (lambda a: training.primal_prediction(X, a, Y, 0.1), X),
    "fit": (lambda a: training.fit(X, a, 0.1), Y),
    "flow kernel": (lambda a: training.flow(a, Y, TIMES), K),
    "flow times": (lambda a: training.flow(K, Y, a), np.array(TIMES)),
    "flow start": (lambda a: training.flow(K, Y, TIMES, start=a), Y),
    "flow_at cross": (lambda a: training.flow_at(a, K, Y, TIMES), CROSS),
    "interpolant_norm": (lambda a: training.interpolant_norm(K, a), Y),
    "invertible_kernel": (training.invertible_kernel, K),
    "mean_prediction": (lambda a: training.mean_prediction(a, K, Y), CROSS),
    "collapsed_prediction": (lambda a: training.collapsed_prediction(a, CROSS, Y), K),
    "spectrum": (training.spectrum, K),
    "training_kernel": (training.training_kernel, K),
    "ordered_prediction": (lambda a: training.ordered_prediction(
        asy.FeedForward("erf", sigma_w=1, sigma_b=1), a, CROSS, Y), 1 - np.eye(3)),
    "circle_norm": (lambda a: training.circle_norm(a, 0.5), np.sin(np.arange(40.0))),
    "random_features": (lambda a: training.random_features(a, np.tanh, 5), X),
    "StochasticFlow noise": (lambda a: training.StochasticFlow(K, Y, a, 0.1, 4.0).mean([1.0]), NOISE),
    "sgd_mean_at": (lambda a: training.sgd_mean_at(FLOW, a, [1.0]), CROSS),
    "sgd_mean_at times": (lambda a: training.sgd_mean_at(FLOW, CROSS, a), np.array([1.0, 2.0])),
    "sgd_covariance_at cross": (lambda a: training.sgd_covariance_at(FLOW, a, CROSS, [1.0]), CROSS),
    "sgd_covariance_at noise": (lambda a: training.sgd_covariance_at(FLOW, CROSS, a, [1.0]), CROSS),
    "prediction nngp": (lambda a: training.prediction(a, K, Y[:2]), K),
    "prediction ntk": (lambda a: training.prediction(K, a, Y[:2]), K),
    "prediction targets": (lambda a: training.prediction(K, K, a), Y[:2]),
    "smoothness values": (lambda a: training.smoothness(a, [0, 4, 8], 1.0), np.sin(np.arange(12.0))),
    "smoothness training": (lambda a: training.smoothness(np.sin(np.arange(12.0)), a, 1.0), np.array([0, 4, 8])),
    "gaussian_fit training": (lambda a: training.gaussian_fit(a, [1.0, 0.5], size=12).values, np.array([0, 3])),
    "gaussian_fit targets": (lambda a: training.gaussian_fit([0, 3], a, size=12).values, Y[:2]),
    "ntk_fit training": (lambda a: training.ntk_fit(NET, a, [1.0, 0.5], 3, size=4).values, np.array([0, 1])),
    "ntk_fit targets": (lambda a: training.ntk_fit(NET, [0, 1], a, 3, size=4).values, Y[:2]),
    "product_targets": (lambda a: training.product_targets(a, 8), np.array([0, 1])),
    "flow_of_loss kernel": (lambda a: training.flow_of_loss(a, lambda f: f - Y, 0 * Y, [0.0, 1.0]), K),
    "flow_of_loss start": (lambda a: training.flow_of_loss(K, lambda f: f - Y, a, [0.0, 1.0]), Y),
    "flow_of_loss times": (lambda a: training.flow_of_loss(K, lambda f: f - Y, 0 * Y, a), np.array([0.0, 1.0])),
    "empirical_kernels": (lambda a: finite.empirical_kernels(
        asy.FeedForward("relu").finite(), a, 2, width=4, most_seeds=2).ntk, X),
}  # fmt: skip

READINGS = {
    "float16": lambda a: a.astype(np.float16), "float32": lambda a: a.astype(np.float32), "longdouble": np.longdouble,
    "object": lambda a: a.astype(object), "strings": lambda a: a.astype(str), "lists": lambda a: a.tolist(),
    "fortran": np.asfortranarray, "strided": lambda a: np.repeat(a, 2, axis=-1)[..., ::2], "unmasked": np.ma.asarray,
}  # fmt: skip


def frozen(array):
    array = array.copy()
    array.setflags(write=False)
    return array


def spoilt(value, dtype=None):
    def change(array):
        array = array.astype(dtype or array.dtype if value is None else dtype or float)
        array.flat[0] = value
        return array

    return change


REFUSED = {
    "nan": spoilt(np.nan), "none": spoilt(None, object), "complex": lambda a: a + 1j,
    "masked": lambda a: np.ma.masked_array(a, mask=np.arange(a.size).reshape(a.shape) == 0),
    "bool": lambda a: a > 0, "true": spoilt(True, object), "text": spoilt("abc", object), "absent": lambda a: None,
    "dates": lambda a: a.astype(int).astype("M8[D]"), "ragged": lambda a: [[1.0, 2.0], [3.0]],
    "sparse": lambda a: scipy.sparse.csr_matrix(np.atleast_2d(a.reshape(len(a), -1))),
    "4-D": lambda a: a.reshape(1, 1, 1, 1, *a.shape),
}  # fmt: skip
TAKEN = {("absent", "flow start"), ("4-D", "pairs gap"), ("4-D", "condition_numbers gap"), ("4-D", "flow times"),
         ("4-D", "conv_pairs gaps"), ("4-D", "descent steps"), ("absent", "descend cross"),
         ("4-D", "sgd_mean_at times")}  # fmt: skip
EITHER = {
    "inf": spoilt(np.inf), "-inf": spoilt(-np.inf), "negative": lambda a: -a, "zeros": lambda a: 0 * a,
    "empty": lambda a: a[:0], "0-d": lambda a: a.flat[0], "1-D": np.ravel,
    "integers": lambda a: np.ceil(a).astype(int),
    "zero row": lambda a: a * (np.arange(len(a)) > 0).reshape(-1, *[1] * (a.ndim - 1)),
    "duplicates": lambda a: np.concatenate([a, a]), "opposite": lambda a: np.concatenate([a, -a]),
    "tiny": lambda a: 1e-200 * a, "huge": lambda a: 1e200 * a, "short": lambda a: a[:-1], "wide": lambda a: a[..., :-1],
}  # fmt: skip


def numbers(value) -> np.ndarray:
    parts = value if isinstance(value, tuple) else (value,)
    return np.concatenate([np.ravel(np.asarray(getattr(part, "mean", part) if hasattr(part, "error") else part, float))
                           for part in parts])  # fmt: skip


def outcome(call, values):
    """Numbers, or the sentence that refuses them: anything else raised fails the test."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            return numbers(call(values))
    except (asy.errors.InputError, asy.errors.UnsupportedError, asy.errors.PrecisionError) as refusal:
        sentence = str(refusal)
        assert "\n" not in sentence and len(sentence) > 20 and not sentence.endswith("."), sentence
        return sentence


@pytest.mark.parametrize("name", CALLS)
def test_the_same_numbers_in_any_container(name):
    call, array = CALLS[name]
    expected = outcome(call, array)
    assert not isinstance(expected, str), expected
    for kind, change in {**READINGS, "read-only": frozen}.items():
        found = outcome(call, change(array))
        tolerance = 2e-2 if kind == "float16" else 1e-5 if kind == "float32" else 1e-13
        assert not isinstance(found, str), (kind, found)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, err_msg=kind)


@pytest.mark.parametrize("name", CALLS)
def test_what_is_no_array_of_real_numbers_is_refused(name):
    call, array = CALLS[name]
    for kind, change in REFUSED.items():
        if (kind, name) not in TAKEN:
            assert isinstance(outcome(call, change(array)), str), kind


@pytest.mark.parametrize("name", CALLS)
def test_extreme_numbers_and_shapes_give_a_sentence_or_numbers(name):
    call, array = CALLS[name]
    for kind, change in EITHER.items():
        found = outcome(call, change(array))
        assert isinstance(found, str) or not np.isnan(found).any(), (kind, found)


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_norms_scale_with_their_values(size):
    """Homogeneous of degree 1: the same quotient at values whose squares float64 does not hold."""
    values = np.sin(np.arange(40.0))
    assert training.circle_norm(size * values, 0.5) / size == pytest.approx(training.circle_norm(values, 0.5), rel=1e-9)
    assert training.interpolant_norm(K, size * Y) / size == pytest.approx(training.interpolant_norm(K, Y), rel=1e-12)
