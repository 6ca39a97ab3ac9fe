"""From the options of the command line to a law of a network and to what it starts from."""

import inspect

from asympt.cli.options import LawName
from asympt.cli.reading import whole
from asympt.deadline import NETWORK, limited
from asympt.errors import InputError

COMPONENTS = {
    LawName.KERNEL_00: ("kernel_law", "00"),
    LawName.KERNEL_1: ("kernel_law", "1"),
    LawName.KERNEL_2: ("kernel_law", "2"),
    LawName.NTK_00: ("ntk_component_law", "00"),
    LawName.NTK_1: ("ntk_component_law", "1"),
    LawName.NTK_2: ("ntk_component_law", "2"),
}
METHODS = {
    LawName.NTK: "ntk_law",
    LawName.CORRELATION: "correlation_law",
    LawName.VARIANCE: "variance_law",
    LawName.ANGLE: "angle_law",
    LawName.ZETA: "zeta_law",
    LawName.ROBUSTNESS: "robustness_law",
    LawName.PREDICTION: "prediction_variance_law",
}
DIAGONAL = "ntk_diagonal_law"


def law_of(net, name: str, terms: int):
    """The law of a network, by name; an error that lists its laws when it has none of this name.

    >>> from asympt.architectures import FeedForward
    >>> print(law_of(FeedForward("relu"), "correlation", 1))
    9*pi^2/(2*l^2) + O(log(l)/l^3)
    """
    from asympt.cli.progress import Waiting

    name = LawName(name)
    method, *component = COMPONENTS.get(name, (METHODS.get(name, DIAGONAL),))
    if not hasattr(net, method):
        known = ", ".join(law for law in LawName if hasattr(net, COMPONENTS.get(law, (METHODS.get(law, DIAGONAL),))[0]))
        raise InputError(f"law = {name} is not a law of {type(net).__name__}; it has {known}")
    with Waiting("deriving the law"), limited(f"deriving the law of the {name} with {terms} terms", NETWORK):
        if name == LawName.DIAGONAL:
            return net.ntk_diagonal_law()
        return getattr(net, method)(*component, terms=terms)


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
