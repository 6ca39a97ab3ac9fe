"""From the options of the command line to a network of any architecture, to its laws and to what they start from."""

import inspect

from asympt.architectures import registry
from asympt.architectures.registry import COUNT, Architecture, StandardDeviation
from asympt.cli.parsing import activation_of, pairs_of, whole
from asympt.deadline import NETWORK, limited
from asympt.errors import InputError
from asympt.spelling import meant, near

USUAL = "feedforward"

def network(kind: str, activation: str, sigma_w, sigma_b, options: dict, parameters: list[str] | None = None):
    """The network of an architecture; a sigma_w that is left out is the Edge of Chaos, or 1 for residual networks."""
    from asympt.cli.progress import Waiting

    if _is_block(activation):
        return _composed(kind, activation, sigma_w, sigma_b, options, parameters)
    record = registry.find(kind)
    own = _parameters(record, pairs_of(parameters, "parameter", "kappa=1/2"))
    given = {**_deviations(record, sigma_w, sigma_b), **own}
    with Waiting("solving for the variance"), limited("solving for the variance", NETWORK):
        return record.load()(activation_of(activation, options), **given)


def _is_block(text: str) -> bool:
    """Whether a text begins with a primitive, or with what is spelt nearly so, and not with a function of a formula."""
    from asympt.blocks.parsing import BRANCHES, PRIMITIVES

    head, bracket, _ = text.partition("(")
    return bool(bracket) and (meant(head.strip(), PRIMITIVES) or near(head.strip(), BRANCHES)) not in (None, "")


def _composed(kind: str, text: str, sigma_w, sigma_b, options: dict, parameters: list[str] | None):
    """The network of a block that was typed in the place of an activation; it says everything itself."""
    from asympt.architectures.composition import Network

    if kind != USUAL or sigma_w is not None or sigma_b != "0" or options or parameters:
        raise InputError(
            f"{text}: a block says its own standard deviations, options and architecture; leave out all other options "
            "of the network"
        )
    return Network(text)


def parameters_of(kind: str, net) -> dict[str, str]:
    """The parameters of the architecture itself, by name."""
    return {parameter.name: str(getattr(net, parameter.name)) for parameter in registry.find(kind).parameters}


def _deviations(record: Architecture, sigma_w, sigma_b) -> dict:
    """The standard deviations that were given, as the class takes them."""
    from asympt.numbers import exact

    given = {} if sigma_w is None else _as_taken(record.sigma_w, sigma_w, "sigma_w")
    if record.sigma_b is not None:
        return {**given, **_as_taken(record.sigma_b, sigma_b, "sigma_b")}
    if exact(sigma_b, "sigma_b") != 0:
        raise InputError(f"sigma_b = {sigma_b}: a {record.name} has no biases; leave out --sigma-b")
    return given


def _as_taken(taken: StandardDeviation, value, name: str) -> dict:
    from asympt.numbers import exact

    return {taken.keyword: value if taken.power == 1 else exact(value, name) ** taken.power}


def _parameters(record: Architecture, given: dict[str, str]) -> dict:
    """The parameters of an architecture, whole numbers read as such; a name that it does not have is an error."""
    known = {parameter.name: parameter for parameter in record.parameters}
    for name in given:
        if name not in known:
            have = f"it has {', '.join(known)}" if known else "it has none"
            raise InputError(f"parameter {name!r} does not belong to the architecture {record.name}; {have}")
    needed = [parameter for parameter in record.parameters if parameter.is_needed]
    missing = [parameter.name for parameter in needed if parameter.name not in given]
    if missing:
        example = " ".join(f"-p {parameter.shown}" for parameter in needed)
        raise InputError(f"a {record.name} needs {' and '.join(missing)}; add {example}")
    return {name: whole(text, name) if known[name].kind == COUNT else text for name, text in given.items()}


# ---- laws --------------------------------------------------------------------------------------------


def law_of(net, name: str, terms: int):
    """The law of a network, by name; an error that lists its laws when it has none of this name.

    >>> from asympt.architectures import FeedForward
    >>> print(law_of(FeedForward("relu"), "correlation", 1))
    9*pi^2/(2*l^2) + O(log(l)/l^3)
    """
    from asympt.cli.progress import Waiting

    laws = registry.record_of(net).laws
    if name not in laws:
        said = f"law = {name} is not a law of {type(net).__name__}{near(name, laws)}"
        raise InputError(f"{said}; it has {', '.join(laws)}")
    with Waiting("deriving the law"), limited(f"deriving the law of the {name} with {terms} terms", NETWORK):
        return laws[name].of(net, terms)


def start_of(law, name: str, given: dict[str, str | None], depth: str | None) -> dict | None:
    """What the law starts from, by the names of its own arguments; None when nothing is to be evaluated.

    A comma separates the positions of a convolutional network.
    """
    known = list(inspect.signature(law.reader).parameters)
    for option, text in given.items():
        if text is not None and option not in known:
            raise InputError(f"{option} = {text} is not where the law of the {name} starts; leave out --{option}")
    start = {option: _value(option, text) for option, text in given.items() if text is not None}
    main = next((option for option in ("correlation", "variance") if option in known), None)
    if main is None:
        return None if depth is None else {}
    if main in start:
        return start
    if depth is not None or start:
        example = "1/10" if main == "correlation" else "1"
        shown = f"depth = {depth}" if depth is not None else f"{next(iter(start))} = {next(iter(start.values()))}"
        raise InputError(f"{shown} needs a start; add --{main}, for example --{main} {example}")
    return None


def _value(option: str, text: str):
    if option == "position":
        return 0 if text.strip() == "0" else whole(text, option)
    return tuple(part.strip() for part in text.split(",")) if "," in text else text
