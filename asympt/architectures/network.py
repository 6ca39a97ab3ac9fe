"""What every preset architecture has: a composition of primitives, and the phase, the map and the laws that follow."""

from dataclasses import dataclass, field
from functools import cached_property

from sympy import Expr, latex, sqrt

from asympt.architectures.composition import Network
from asympt.architectures.laws import HasLaws, Laws
from asympt.architectures.registry import record_of
from asympt.blocks.nodes import DenseNode, Node, require_fixed
from asympt.depth.finite import Composition
from asympt.errors import AsymptError, UnsupportedError
from asympt.expansions.opaque import in_digits
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.catalogue import catalogue
from asympt.meanfield.stability import Stability
from asympt.meanfield.statement import Statement
from asympt.saving import Saved
from asympt.showing import LETTERS, formula, html_table, one_line


class Stated(Saved):
    """A network with a `statement`, and what that says of it."""

    def __repr__(self) -> str:
        return one_line(type(self).__name__, ", ".join(self._given()))

    def _repr_html_(self) -> str:
        rows = [(formula(LETTERS.get(name, name)), _shown(value)) for name, value in self._numbers().items()]
        title = f"{type(self).__name__}, {self.activation.name}"
        rows += [(name, _asked(self, part)) for name, part in (("phase", "phase"), ("variance", "stability"))]
        rows = [row for row in rows if row[1] is not None]
        return html_table([("activation", formula(latex(self.activation.expression))), *rows], title=title)

    def _given(self) -> list[str]:
        phi = self.activation
        is_known = phi.name in catalogue() and activation(phi.name).expression == phi.expression
        numbers = [f"{name}={_shown(value)}" for name, value in self._numbers().items()]
        return [repr(phi.name if is_known else phi), *numbers]

    def _numbers(self) -> dict:
        record, first = record_of(self), self.statement.first
        taken = [(record.sigma_w, self.sigma_w), (record.sigma_b, sqrt(first.bias))] if record else []
        found = {how.keyword: value**how.power for how, value in taken if how is not None}
        return found | {own.name: getattr(self, own.name) for own in (record.parameters if record else ())}

    def finite(self) -> Composition:
        """Its random network of finite width, for `asympt.depth.finite.empirical_kernels` and `asympt.referee`."""
        return self.composition.finite()

    @property
    def activation(self) -> Activation:
        """phi."""
        return self.statement.activation

    @property
    def sigma_w(self) -> Expr:
        """The standard deviation of the weights, exact or known to any number of digits."""
        return sqrt(self.statement.first.weight)

    @property
    def stability(self) -> Stability | None:
        """What becomes of an input whose variance is not q; None with a skip connection, where no variance settles."""
        return self.statement.stability


@dataclass(frozen=True, init=False, repr=False)
class Preset(HasLaws, Stated):
    """A dense network; `statement` is its layer, compiled from its `composition`."""

    statement: Statement
    composition: Network = field(compare=False)

    def _compose(self, block: Node, first: DenseNode, readout: DenseNode | None = None) -> None:
        """The fields, from the primitives; layer 1 is `first` itself, whatever the branch has."""
        require_fixed([block])
        composition = Network(block, first=first, readout=readout)
        object.__setattr__(self, "composition", composition)
        object.__setattr__(self, "statement", composition.statement_from_first)

    @cached_property
    def _laws(self) -> Laws:
        return Laws(self.statement, self.composition)

    def _require_ntk(self) -> None:
        if not self.activation.has_ntk:
            raise UnsupportedError(f"{self.activation.ntk_obstacle}; take a continuous activation")


def _asked(net: Stated, part: str) -> object:
    try:
        return getattr(net, part)
    except AsymptError as reason:
        return f"none: {reason}"


def _shown(value) -> str:
    """A parameter as one gives it: an exact value, or the digits of one that was solved for."""
    return in_digits(value) if isinstance(value, Expr) else repr(value)
