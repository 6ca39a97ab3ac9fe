"""From the options of the command line to a law of a network and to what it starts from."""

import inspect

from asympt.architectures import registry
from asympt.cli.parsing import whole
from asympt.deadline import NETWORK, limited
from asympt.errors import InputError
from asympt.spelling import near


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
