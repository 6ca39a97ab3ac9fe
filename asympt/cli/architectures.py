"""From the options of the command line to a network of any architecture."""

from asympt.cli.reading import activation_of, pairs_of, whole
from asympt.deadline import NETWORK, limited
from asympt.errors import InputError

CLASSES = {
    "feedforward": "FeedForward",
    "resnet": "ResNet",
    "scaled-resnet": "ScaledResNet",
    "block-resnet": "BlockResNet",
    "convnet": "ConvNet",
    "conv-resnet": "ConvResNet",
    "mlp": "MLP",
}
PARAMETERS = {
    "scaled-resnet": ("kappa",),
    "block-resnet": ("alpha", "sigma_v"),
    "convnet": ("positions", "reach"),
    "conv-resnet": ("positions", "reach"),
    "mlp": ("weight_rate", "bias_rate", "schedule"),
}
WITHOUT_BIAS = ("block-resnet",)
COUNTED = ("positions", "reach")


def network(kind: str, activation: str, sigma_w, sigma_b, options: dict, parameters: list[str] | None = None):
    """The network of an architecture; a sigma_w that is left out is the Edge of Chaos, or 1 for residual networks."""
    import asympt
    from asympt.cli.progress import Waiting

    given = {**_deviations(kind, sigma_w, sigma_b), **_parameters(kind, pairs_of(parameters, "parameter", "kappa=1/2"))}
    with Waiting("solving for the variance"), limited("solving for the variance", NETWORK):
        return getattr(asympt, CLASSES[kind])(activation_of(activation, options), **given)


def parameters_of(kind: str, net) -> dict[str, str]:
    """The parameters of the architecture itself, by name."""
    return {name: str(getattr(net, name)) for name in PARAMETERS.get(kind, ())}


def _deviations(kind: str, sigma_w, sigma_b) -> dict:
    """The standard deviations that were given; PDLT's network takes their squares."""
    from asympt.numbers import exact

    if kind in WITHOUT_BIAS:
        if exact(sigma_b, "sigma_b") != 0:
            raise InputError(f"sigma_b = {sigma_b}: a {kind} has no biases; leave out --sigma-b")
        return {} if sigma_w is None else {"sigma_w": sigma_w}
    if kind == "mlp":
        weight = {} if sigma_w is None else {"weight_variance": exact(sigma_w, "sigma_w") ** 2}
        return {**weight, "bias_variance": exact(sigma_b, "sigma_b") ** 2}
    return {"sigma_b": sigma_b} if sigma_w is None else {"sigma_w": sigma_w, "sigma_b": sigma_b}


def _parameters(kind: str, given: dict[str, str]) -> dict:
    """The parameters of an architecture, whole numbers read as such; a name that it does not have is an error."""
    known = PARAMETERS.get(kind, ())
    for name in given:
        if name not in known:
            have = f"it has {', '.join(known)}" if known else "it has none"
            raise InputError(f"parameter {name!r} does not belong to the architecture {kind}; {have}")
    missing = [name for name in COUNTED if name in known and name not in given]
    if missing:
        raise InputError(f"a {kind} needs {' and '.join(missing)}; add -p positions=8 -p reach=1")
    return {name: whole(text, name) if name in COUNTED else text for name, text in given.items()}
