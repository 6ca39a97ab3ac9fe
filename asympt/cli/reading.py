"""From the text of options to the library's objects, to networks, their laws and what they start from."""

import re
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from pathlib import Path

from asympt.architectures import registry
from asympt.architectures.registry import COUNT, Architecture, StandardDeviation
from asympt.cli import options as opt
from asympt.deadline import NETWORK, limited
from asympt.errors import InputError
from asympt.showing import Waiting
from asympt.spelling import meant, near

_WHOLE = re.compile(r"(\d+)(?:(\^|\*\*|[eE]\+?)(\d+))?")
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon phi chi psi omega"
)
_LETTER = re.compile(rf"(?:[A-Za-z]|{_GREEK.replace(' ', '|')})\d?")
_MOST_DIGITS = 4000
EXAMPLES = {"depth": "1000 or 1e6", "digits": "30", "widths": "128", "seed": "7", "workers": "2", "positions": "8"}


def whole(text: str, name: str) -> int:
    """A whole number: 1000, 1_000, 1e6 or 10^100.

    >>> whole("1e6", "depth"), whole("10^3", "depth")
    (1000000, 1000)
    """
    found = _WHOLE.fullmatch(text.strip().replace("_", ""))
    if found is None:
        return _from_exact(text, name)
    mantissa, operator, exponent = found.groups("0")
    size, is_power = len(mantissa), operator in ("^", "**")
    if len(exponent) > 4 or (size * int(exponent) if is_power else size + int(exponent)) > _MOST_DIGITS:
        raise InputError(f"{name} = {text[:40]} has more than {_MOST_DIGITS} digits; give a smaller number")
    return int(mantissa) ** int(exponent) if is_power else int(mantissa) * 10 ** int(exponent)


def _from_exact(text: str, name: str) -> int:
    """A whole number written as a formula, such as 8/2; anything else is refused with an example that fits."""
    from asympt.numbers import exact

    example = EXAMPLES.get(name, "4")
    try:
        value = exact(text, name)
    except InputError:
        raise InputError(f"{name} = {text[:40]!r} cannot be read as a whole number; give, say, {example}") from None
    if not value.is_Integer:
        raise InputError(f"{name} = {text[:40]} is not a whole number; give one such as {example}")
    return int(value)


def activation_of(text: str, options: dict | None = None):
    """An activation by its name in the catalogue, with options, or as a formula in x.

    >>> activation_of("leaky_relu", {"slope": "1/10"}).name, activation_of("x*tanh(x)").expression
    ('leaky_relu', x*tanh(x))
    """
    from asympt import activation

    return activation(text, **(options or {}))


def options_of(pairs: list[str] | None, slope=None, right=None, left=None) -> dict:
    """Options of an activation from "name=value" texts and from flags; a letter becomes a real symbol."""
    from sympy import Symbol

    flags = {"slope": slope, "right": right, "left": left}
    given = {name: text for name, text in flags.items() if text is not None}
    given |= pairs_of(pairs, "option", "alpha=1/2")
    return {name: Symbol(text, real=True) if _LETTER.fullmatch(text) else text for name, text in given.items()}


def pairs_of(pairs: list[str] | None, what: str, example: str) -> dict[str, str]:
    """Names and values from "name=value" texts.

    >>> pairs_of(["kappa = 1/2"], "parameter", "kappa=1")
    {'kappa': '1/2'}
    """
    given = {}
    for pair in pairs or []:
        name, equals, text = (part.strip() for part in pair.partition("="))
        if not (equals and name and text):
            raise InputError(f"{what} {pair!r} is not of the form name=value; write it like {example}")
        given[name] = text
    return given


def counts(terms: str, digits: str = "30", depth: str | None = None) -> tuple[int, int, int | None]:
    """How many terms and digits, and at which depth: each in its range, before anything is computed.

    >>> counts("4", "30", "1e3")
    (4, 30, 1000)
    """
    from asympt.numbers import check_depth, check_digits, check_terms

    layer = None if depth is None else check_depth(whole(depth, "depth"))
    return check_terms(whole(terms, "terms")), check_digits(whole(digits, "digits")), layer


def check_output(path: Path | None, endings: tuple[str, ...]) -> None:
    """Before any work is done: an error where no file of this ending can be written (a PDF of LaTeX needs TeX)."""
    from asympt import saving

    if path is not None and saving.check_path(path, endings).suffix.lower() == ".pdf" and ".tex" in endings:
        from asympt.writing.paper import require_tex

        require_tex()


@dataclass(frozen=True)
class Chosen:
    """The options that say which network, but for the activation."""

    architecture: opt.Network = opt.FEEDFORWARD
    parameter: opt.Parameters = None
    option: opt.ActivationOptions = None
    slope: opt.Slope = None
    right: opt.Right = None
    left: opt.Left = None
    sigma_w: opt.SigmaW = None
    sigma_b: opt.SigmaB = "0"

    @property
    def options(self) -> dict:
        return options_of(self.option, self.slope, self.right, self.left)

    def network(self, activation: str):
        """The network with an activation, or of a block."""
        return network(self.architecture, activation, self.sigma_w, self.sigma_b, self.options, self.parameter)


USUAL = Chosen()


def with_network(command):
    """A command that has these options in the place of its argument `chosen`."""
    shared, own = signature(Chosen).parameters, signature(command)

    @wraps(command)
    def run(**given):
        return command(chosen=Chosen(**{name: given.pop(name) for name in shared}), **given)

    flags = []
    for name, flag in own.parameters.items():
        flags += shared.values() if name == "chosen" else [flag]
    run.__signature__ = own.replace(parameters=flags)
    run.__annotations__ = {flag.name: flag.annotation for flag in flags}
    return run


def network(kind: str, activation: str, sigma_w, sigma_b, options: dict, parameters: list[str] | None = None):
    """The network of an architecture; a sigma_w that is left out is the Edge of Chaos, or 1 for residual networks."""
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

    if kind != opt.FEEDFORWARD or sigma_w is not None or sigma_b != "0" or options or parameters:
        raise InputError(
            f"{text}: a block has its own standard deviations, options and architecture; leave out all other options "
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


def law_of(net, name: str, terms: int, correlation: str | None = None):
    """The law of a network, by name; an error that lists its laws when it has none of this name.

    >>> from asympt.architectures import FeedForward
    >>> print(law_of(FeedForward("relu"), "correlation", 1))
    9*pi^2/(2*l^2) + O(log(l)/l^3)
    """
    laws = registry.record_of(net).laws
    if name not in laws:
        said = f"law = {name} is not a law of {type(net).__name__}{near(name, laws)}"
        raise InputError(f"{said}; it has {', '.join(laws)}")
    with Waiting("deriving the law"), limited(f"deriving the law of the {name} with {terms} terms", NETWORK):
        return laws[name].of(net, terms, correlation)


def start_of(law, name: str, given: dict[str, str | None], depth: str | None) -> dict | None:
    """What the law starts from, by the names of its own arguments; None when nothing is to be evaluated.

    A comma separates the positions of a convolutional network.
    """
    known = list(signature(law.reader).parameters)
    for option, text in given.items():
        if text is not None and option not in known:
            raise InputError(f"{option} = {text} does not belong to the law of the {name}; leave out --{option}")
    start = {name: tuple(part.strip() for part in text.split(",")) if "," in text else text
             for name, text in given.items() if text is not None}  # fmt: skip
    if (place := given.get("position")) is not None:
        start["position"] = 0 if place.strip() == "0" else whole(place, "position")
    main = next((option for option in ("correlation", "variance") if option in known), None)
    if main is None:
        return None if depth is None else {}
    if main in start:
        return start
    if depth is not None or start:
        example = "1/10" if main == "correlation" else "1"
        shown = f"depth = {depth}" if depth is not None else f"{(first := next(iter(start)))} = {given[first]}"
        raise InputError(f"{shown} needs a start; add --{main}, for example --{main} {example}")
    return None
