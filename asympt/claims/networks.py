"""The network that a law belongs to, found again from the statement of its layer."""

from asympt.architectures import FeedForward
from asympt.architectures.registry import Architecture, records
from asympt.errors import AsymptError
from asympt.meanfield.layer import Layer
from asympt.meanfield.statement import ConvStatement, Statement


def network_of(stated: Layer | Statement | ConvStatement):
    """A network with this layer; None when no architecture of the registry gives it back.

    >>> from asympt.architectures.resnet import ResNet
    >>> network_of(ResNet("relu", sigma_w=3).statement).sigma_w
    3
    """
    if isinstance(stated, Layer):
        return FeedForward.of_layer(stated)
    candidates = (_candidate(record, stated) for record in records())
    return next((net for net in candidates if net is not None and net.statement == stated), None)


def _candidate(record: Architecture, stated: Statement | ConvStatement):
    """The network that an architecture makes of a statement, if its statements tell all its parameters."""
    made = getattr(record.load(), "of_statement", None)
    try:
        return None if made is None else made(stated)
    except AsymptError:  # a layer that no constructor takes, such as one with symbols for its standard deviations
        return None
