"""What passes between two primitives: whether its neurons are Gaussian, and whose weights made it.

Problem.  The rules of infinite width hold under conditions: phi acts on Gaussian neurons of mean 0 whose NTK is the
same for every neuron, and a sum needs parts that are independent.  Outside them the formulas still give numbers, and
wrong ones: x + phi(x) by the rule for sums is 52 % off, a branch that ends in phi 120 % off after three blocks.

Rule.  A signal says which conditions hold, and every primitive asks for those it needs and says what it leaves:

    dense, conv        any input; Gaussian, of mean 0, uniform, with weights of its own
    phi                Gaussian and uniform, or fresh from a norm with gain; nothing of it may be summed, multiplied or
                       sent through another phi before a dense
    residual           a branch with a dense of its own at its end
    norms              mean 0 (layer_norm also straight after phi, where the mean is known)
    dropout            masks its neurons: not Gaussian afterwards, though it may still be summed
    gated              two branches with a dense of their own; a dense must follow
    dense_connection   any branch with a dense; its groups keep their own distributions

Tiny case.  relu after relu: refused, because what comes out of relu is not Gaussian; put a dense between them.

Known limits.  The conditions are sufficient.  Everything random about a network is drawn anew in every layer.
"""

from dataclasses import dataclass, replace

from asympt.errors import InputError


@dataclass(frozen=True)
class Signal:
    """What is known of a signal.

    `gaussian`: its neurons are Gaussian (of mean 0); `uniform`: their NTKs are alike; `centred`: they have mean 0;
    `drawn`: it came through weights of its own since its branch began; `last`: what made it other than the output of
    a dense, for messages; `after_phi`, `after_gain`: it comes straight from phi, or from a norm with gain and bias.
    """

    gaussian: bool = True
    uniform: bool = True
    centred: bool = True
    drawn: bool = False
    last: str = ""
    after_phi: bool = False
    after_gain: bool = False

    def begun(self) -> "Signal":
        """The same where a branch begins."""
        return replace(self, drawn=False, last="")

    def plain(self, **changes) -> "Signal":
        """The same, no longer straight after anything."""
        return replace(self, after_phi=False, after_gain=False, **changes)


INPUT = Signal()  # what a block reads, as long as nothing else is known: the output of a dense layer
OUTPUT = Signal(drawn=True)  # what a dense layer leaves


def through_activation(signal: Signal, phi: str) -> Signal:
    """phi on a signal."""
    if not signal.gaussian:
        raise InputError(
            f"activation {phi} after {signal.last or 'neurons that are not Gaussian'}: an activation acts on Gaussian "
            "preactivations, which come from a dense; put a dense between them"
        )
    if not (signal.uniform or signal.after_gain):
        raise InputError(
            f"activation {phi} reads neurons whose NTKs differ, because a norm with affine=True came before without a "
            "dense since; put a dense in front of the activation, or take affine=False"
        )
    return replace(
        signal, gaussian=False, uniform=False, centred=False, last=f"activation {phi}", after_phi=True, after_gain=False
    )


def through_norm(signal: Signal, name: str, centres: bool, affine: bool) -> Signal:
    """layer_norm (`centres`) or rms_norm on a signal."""
    if centres and not (signal.centred or signal.after_phi):
        raise InputError(
            f"{name} after {signal.last}: it subtracts a mean that is known only for neurons of mean 0 and straight "
            "after an activation; put a dense in front of it, or take rms_norm"
        )
    found = replace(signal, centred=signal.centred or centres, after_phi=False, after_gain=False)
    if not affine:
        return found
    return replace(found, uniform=False, after_gain=signal.gaussian and signal.uniform)


def through_dropout(signal: Signal) -> Signal:
    """A mask on a signal: it is not Gaussian any more."""
    return signal.plain(gaussian=False, uniform=False)


def added(skip: Signal, branch: Signal, text: str) -> Signal:
    """skip + branch, the branch having weights of its own at its end."""
    if not branch.drawn:
        raise InputError(
            f"{text}: the branch has no dense, so it is not independent of what it is added to; end it with a dense"
        )
    if branch.last:
        raise InputError(
            f"{text}: the branch ends in {branch.last}, and the rule for a sum needs weights of its own at its end; "
            "put a dense behind it"
        )
    return skip.plain(
        gaussian=skip.gaussian and branch.gaussian,
        uniform=skip.uniform and branch.uniform,
        centred=skip.centred and branch.centred,
    )


def multiplied(one: Signal, two: Signal, text: str) -> Signal:
    """The product of two branches, neuron by neuron."""
    for branch in (one, two):
        if not branch.drawn:
            raise InputError(
                f"{text}: a branch of the product has no dense, so the factors are not independent; give each a dense"
            )
    return Signal(False, False, one.centred or two.centred, drawn=True, last="a product")


def concatenated(whole: Signal, branch: Signal, text: str) -> Signal:
    """What there was, and the branch beside it."""
    if not branch.drawn:
        raise InputError(f"{text}: the branch has no dense, so it adds nothing of its own; give it a dense")
    return whole.plain(
        gaussian=whole.gaussian and branch.gaussian,
        uniform=whole.uniform and branch.uniform,
        centred=whole.centred and branch.centred,
        last=whole.last or branch.last,
    )
