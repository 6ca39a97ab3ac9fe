"""Every architecture by its name: what the command line, claims, figures and documents need to know of it as data.

A record names its class as text, so this module imports none of them and costs nothing at the start of the command
line.  The class says the rest: statement, activation, sigma_w, phase, correlation_map, finite(), and the laws that
`laws` names.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from asympt.errors import AsymptError, InputError
from asympt.spelling import named

NUMBER, COUNT, CHOICE = "number", "count", "choice"
LAYERS, FLOW_TIME = "layers", "flow time"
PLAIN, RESIDUAL, SCALED = "plain", "residual", "scaled"
SIMILARITY = "similarity"


@dataclass(frozen=True)
class Parameter:
    """A parameter of the architecture itself: `kind` NUMBER, COUNT (a whole number) or CHOICE (a word).

    `default` None: it has to be given; `example`: a value for the help.
    """

    name: str
    kind: str
    default: str | None
    example: str

    @property
    def is_needed(self) -> bool:
        """Whether there is no network without it."""
        return self.default is None

    @property
    def shown(self) -> str:
        """How it is given, for example kappa=1/2."""
        return f"{self.name}={self.example}"


@dataclass(frozen=True)
class StandardDeviation:
    """How a standard deviation reaches the class: as `keyword`, raised to `power` (2 for a class that takes variances).
    """

    keyword: str
    power: int = 1


@dataclass(frozen=True)
class Asked:
    """How a law is asked for: net.method(*arguments, terms=...), without terms where it is exact at every depth; with
    the correlation where it belongs to one (`from_start`)."""

    method: str
    arguments: tuple[str, ...] = ()
    has_terms: bool = True
    from_start: bool = False

    def of(self, net, terms: int, correlation=None):
        """The law of a network."""
        given = {"terms": terms} if self.has_terms else {}
        given |= {"correlation": correlation} if self.from_start else {}
        return getattr(net, self.method)(*self.arguments, **given)


LAWS = {
    "ntk": Asked("ntk_law"),
    "correlation": Asked("correlation_law"),
    "diagonal": Asked("ntk_diagonal_law", has_terms=False),
    "variance": Asked("variance_law"),
}
COMPONENTS = {
    f"{kernel}-{component}": Asked(method, (component,))
    for kernel, method in (("kernel", "kernel_law"), ("ntk", "ntk_component_law"))
    for component in ("00", "1", "2")
}


@dataclass(frozen=True)
class Architecture:
    """One architecture.

    `name`, on the command line; `home`, "module:Class"; `parameters` of its own; `laws` by name; `sigma_w` and
    `sigma_b`, how they reach the class (None: it has none); `figures`, over which time its laws are drawn, LAYERS or
    FLOW_TIME (None: no figure); `documents`, as which kind of network documents derive its map, PLAIN, RESIDUAL or
    SCALED (None: they are printed from the steps of the law alone).
    """

    name: str
    home: str
    parameters: tuple[Parameter, ...] = ()
    laws: Mapping[str, Asked] = field(default_factory=lambda: LAWS)
    sigma_w: StandardDeviation | None = StandardDeviation("sigma_w")
    sigma_b: StandardDeviation | None = StandardDeviation("sigma_b")
    figures: str | None = None
    documents: str | None = None

    @property
    def module(self) -> str:
        """Where the class is."""
        return self.home.partition(":")[0]

    @property
    def class_name(self) -> str:
        """What the class is called."""
        return self.home.partition(":")[2]

    def load(self) -> type:
        """The class, imported when it is needed."""
        return getattr(importlib.import_module(self.module), self.class_name)


_RECORDS: dict[str, Architecture] = {}


def register(record: Architecture) -> Architecture:
    """Add an architecture; `InputError` for a name or a class that is there already."""
    for known in _RECORDS.values():
        if record.name == known.name or record.home == known.home:
            raise InputError(f"the architecture {record.name} ({record.home}) is registered already; give another name")
    _RECORDS[record.name] = record
    return record


def records() -> tuple[Architecture, ...]:
    """Every architecture, in the order of registration."""
    return tuple(_RECORDS.values())


def find(name: str) -> Architecture:
    """The architecture of this name.

    >>> find("mlp").class_name, find("convnet").parameters[0].shown
    ('MLP', 'positions=8')
    """
    return _RECORDS[named(name, _RECORDS, "architecture")]


def record_of(net) -> Architecture | None:
    """The architecture of a network; None for anything else."""
    homes = {f"{cls.__module__}:{cls.__qualname__}" for cls in type(net).__mro__}
    return next((record for record in (*records(), COMPOSED) if record.home in homes), None)


def is_a(net, name: str) -> bool:
    """Whether a network is of the architecture of this name."""
    record = record_of(net)
    return record is not None and record.name == name


def random_network(net: Any) -> Any:
    """The random network of finite width of a network, for `asympt.depth.finite.empirical_kernels`.

    `depth.finite` knows the primitives of `asympt.blocks` and nothing of the statements of layers, so that it can
    referee them.  `net` is any network of this package with numbers in it.  An `MLP` with the equivalence principle's
    schedule has the rates of its `statement`, without the factor that depends on the final depth.  Raises `InputError`
    for anything else.

    >>> from asympt.architectures import ResNet
    >>> random_network(ResNet("relu", sigma_w=1)).blocks
    (residual(relu, dense(1)),)
    """
    if record_of(net) is None:
        raise InputError(f"net = {net!r} is not a network of this package; give one of {', '.join(homes())}")
    return net.finite()


def network_of(stated):
    """A network whose layers are those of a `Statement` or a `ConvStatement`; None when no architecture gives it back.

    >>> from asympt.architectures.resnet import ResNet
    >>> network_of(ResNet("relu", sigma_w=3).statement).sigma_w
    3
    """
    try:
        found = _preset_of(stated)
    except AsymptError:  # a layer that no constructor takes, such as one with symbols for its standard deviations
        return None
    known_by_law = stated.is_dense and stated.is_plain  # of a plain one the law may know more, such as the variance
    return found if found is None or known_by_law or found.statement == stated else None


def _preset_of(stated):
    if stated.is_dense and not stated.skip:
        return find("feedforward").load().of_layer(stated.layer)
    phi, *given = stated.layer.deviations
    if not stated.is_dense:
        return find("conv-resnet" if stated.skip else "convnet").load()(phi, stated.positions, stated.reach, *given)
    if stated.decay == 0:
        return find("resnet").load()(phi, *given)
    return find("scaled-resnet").load()(phi, *given, stated.decay)


def homes() -> dict[str, str]:
    """The module of every class, by its name."""
    return {record.class_name: record.module for record in records()}


def law_names() -> tuple[str, ...]:
    """The names of all laws of all architectures."""
    return tuple(dict.fromkeys(name for record in (*records(), COMPOSED) for name in record.laws))


_HERE = "asympt.architectures"
_CIRCLE = (Parameter("positions", COUNT, None, "8"), Parameter("reach", COUNT, None, "1"))

register(Architecture("feedforward", f"{_HERE}.feedforward:FeedForward", figures=LAYERS, documents=PLAIN))
register(Architecture("resnet", f"{_HERE}.resnet:ResNet", figures=LAYERS, documents=RESIDUAL))
register(
    Architecture(
        "scaled-resnet", f"{_HERE}.resnet:ScaledResNet", (Parameter("kappa", NUMBER, "1", "1/2"),),
        figures=FLOW_TIME, documents=SCALED,
    )
)  # fmt: skip
register(
    Architecture(
        "block-resnet", f"{_HERE}.resnet:BlockResNet",
        (Parameter("alpha", NUMBER, "1", "1/10"), Parameter("sigma_v", NUMBER, "1", "1")),
        sigma_b=None, figures=LAYERS,
    )
)  # fmt: skip
register(Architecture("convnet", f"{_HERE}.convolution:ConvNet", _CIRCLE))
register(Architecture("conv-resnet", f"{_HERE}.convolution:ConvResNet", _CIRCLE))
register(
    Architecture(
        "mlp", f"{_HERE}.mlp:MLP",
        (
            Parameter("weight_rate", NUMBER, "1", "1"),
            Parameter("bias_rate", NUMBER, "1", "0"),
            Parameter("schedule", CHOICE, "constant", "equivalence"),
        ),
        {
            **LAWS,
            "angle": Asked("angle_law"),
            "zeta": Asked("zeta_law"),
            "robustness": Asked("robustness_law"),
            "prediction-variance": Asked("prediction_variance_law"),
            **COMPONENTS,
        },
        StandardDeviation("weight_variance", 2), StandardDeviation("bias_variance", 2),
    )
)  # fmt: skip

# Typed as blocks instead of chosen by its name, so it is in no list; its blocks say all its parameters.
COMPOSED = Architecture(
    "composed", f"{_HERE}.composition:Network", laws={
        **LAWS, SIMILARITY: Asked("similarity_law"), "depth": Asked("depth_law", ("correlation",), from_start=True),
        "depth-ntk": Asked("depth_law", ("ntk",), from_start=True),
    }, sigma_w=None, sigma_b=None, figures=LAYERS,
)  # fmt: skip


def usual_law(net) -> str:
    """The law that is meant where none is named: of the NTK, or of how alike the tokens of one input become."""
    return SIMILARITY if getattr(net, "mixes_tokens", False) else "ntk"
