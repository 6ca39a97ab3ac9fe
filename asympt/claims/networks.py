"""The network that a law belongs to, found again from the statement of its layer."""

from asympt.architectures.registry import Architecture, records
from asympt.errors import AsymptError
from asympt.meanfield.statement import ConvStatement, Statement


def network_of(stated: Statement | ConvStatement):
    """A network with this layer; None when no architecture of the registry gives it back.

    >>> from asympt.architectures.resnet import ResNet
    >>> network_of(ResNet("relu", sigma_w=3).statement).sigma_w
    3
    """
    candidates = (_candidate(record, stated) for record in records())
    return next((net for net in candidates if net is not None and _has(net, stated)), None)


def _has(net, stated: Statement | ConvStatement) -> bool:
    """Whether this is the network's statement; of a plain one the law may know more, such as the variance."""
    return net.statement == stated or (stated.is_dense and stated.is_plain)


def _candidate(record: Architecture, stated: Statement | ConvStatement):
    """The network that an architecture makes of a statement, if its statements tell all its parameters."""
    made = getattr(record.load(), "of_statement", None)
    try:
        return None if made is None else made(stated)
    except AsymptError:  # a layer that no constructor takes, such as one with symbols for its standard deviations
        return None
