"""What every preset architecture has: a composition of primitives, and the phase, the map and the laws that follow."""

from dataclasses import dataclass, field
from functools import cached_property

from sympy import Expr, latex, sqrt

from asympt.architectures.composed.form import Form
from asympt.architectures.composition import Network
from asympt.architectures.laws import Laws
from asympt.architectures.registry import record_of
from asympt.blocks import primitives
from asympt.blocks.nodes import ActivationNode, DenseNode, Node
from asympt.deadline import in_budget
from asympt.errors import AsymptError, UnsupportedError
from asympt.expansions.opaque import in_digits
from asympt.meanfield.activations import Activation, activation
from asympt.meanfield.catalogue import catalogue
from asympt.meanfield.correlation import CorrelationMap
from asympt.meanfield.stability import Stability
from asympt.meanfield.statement import Statement
from asympt.numbers import check_terms
from asympt.recursions.law import Law
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
        """What the network is made of, as one gives it."""
        phi = self.activation
        is_known = phi.name in catalogue() and activation(phi.name).expression == phi.expression
        numbers = [f"{name}={_shown(value)}" for name, value in self._numbers().items()]
        return [repr(phi.name if is_known else phi), *numbers]

    def _numbers(self) -> dict:
        """The standard deviations or variances and the parameters of the architecture itself, by name."""
        record, first = record_of(self), self.statement.first
        taken = [(record.sigma_w, self.sigma_w), (record.sigma_b, sqrt(first.bias))] if record else []
        found = {how.keyword: value**how.power for how, value in taken if how is not None}
        return found | {own.name: getattr(self, own.name) for own in (record.parameters if record else ())}

    @property
    def activation(self) -> Activation:
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
class Preset(Stated):
    """A dense network; `statement` is its layer, compiled from its `composition`."""

    statement: Statement
    composition: Network = field(compare=False)

    def _compose(self, block: Node, first: DenseNode, readout: DenseNode | None = None) -> None:
        """The fields, from the primitives; layer 1 is `first` itself, whatever the branch has."""
        composition = Network(block, first=first, readout=readout)
        object.__setattr__(self, "composition", composition)
        object.__setattr__(self, "statement", composition.statement_from_first)

    @cached_property
    def _laws(self) -> Laws:
        return Laws(self.statement, self.composition)

    @property
    def composed_form(self) -> Form:
        """What its blocks make of (1 - c, K/q) in every layer."""
        return self._laws.composed.form

    @property
    def phase(self) -> str:
        """'ordered', 'edge of chaos' or 'chaotic': chi = f'(1) below, at or above 1.

        A residual network is on the Edge of Chaos whatever sigma_w is; `UnsupportedError` where there is no law.
        """
        return self._laws.phase

    @property
    def correlation_map(self) -> CorrelationMap:
        """f of one layer, f(1) = 1 (of the branch where its weight depends on the layer).

        Raises `UnsupportedError` where every layer has a map of its own.
        """
        return self._laws.correlation_map

    # ---- the laws -------------------------------------------------------------------------------

    @in_budget("deriving the law of the correlation of a {0}")
    def correlation_law(self, terms: int = 4) -> Law:
        """The law of 1 - c^l, with the connection constant C(c^1).

        Parameters
        ----------
        terms : how many terms the law has, from 1 on.

        Raises
        ------
        InputError : a number of terms that is none.
        UnsupportedError : no law, with the reason: a variance that tends to 0 or grows, an activation without limits.

        Examples
        --------
        >>> from asympt.architectures import FeedForward, ScaledResNet
        >>> print(FeedForward("relu").correlation_law(terms=2))
        9*pi^2/(2*l^2) - 27*pi^2*log(l)/(2*l^3) + O(1/l^3)
        >>> print(ScaledResNet("relu", kappa="2/3").correlation_law(terms=2))
        2*pi^2/l^(2/3) - 8*pi^2*C/(3*l) + O(1/l^(4/3))
        """
        return self._laws.correlation_law(check_terms(terms))

    @in_budget("deriving the law of the NTK of a {0}")
    def ntk_law(self, terms: int = 4) -> Law:
        """The law of K^L(x, x') for two inputs of the same variance q_L in layer L; `quantity` says in which units.

        K^L/(q_L L) on the Edge of Chaos, K^L/q elsewhere; K^L/q_L for a bounded phi with a skip connection, and
        K^L(x, x')/K^L(x, x) where the branches fall.  For inputs of different length q_L is the geometric mean of their
        variances (a ReLU-like phi without bias).

        Parameters
        ----------
        terms : how many terms the law has, from 1 on.

        Returns
        -------
        A `Law`: `print` it, `law.summary()`, `law.evaluate(depth=..., correlation=...)`, `asympt.verify(law)`.

        Raises
        ------
        InputError : a number of terms that is none.
        UnsupportedError : no law, with the reason: phi that jumps has no NTK, a variance that tends to 0 or grows.

        Examples
        --------
        >>> from asympt.architectures import FeedForward
        >>> law = FeedForward("relu").ntk_law(terms=2)
        >>> print(law.quantity, "=", law)
        \\frac{K^{L}(x,x')}{q\\,L} = 1/4 + 3*log(L)/(8*L) + O(1/L)
        """
        terms = check_terms(terms)
        self._require_ntk()
        return self._laws.ntk_law(terms)

    @in_budget("deriving the law of the diagonal of the NTK of a {0}")
    def ntk_diagonal_law(self) -> Law:
        """The law of K^L(x, x)/q_L for one input, exact at every depth (a sum over layers where the branches fall).

        Raises
        ------
        UnsupportedError : phi that jumps, which has no NTK.

        Examples
        --------
        >>> from asympt.architectures import FeedForward, ScaledResNet
        >>> print(FeedForward("relu", sigma_w=1, sigma_b=1).ntk_diagonal_law())
        2 - 2/2^L
        >>> print(ScaledResNet("relu", sigma_w=sqrt(2)).ntk_diagonal_law())
        log(L) - 1/2 + EulerGamma + 3/(2*L) - 13/(12*L^2) + O(1/L^3)
        """
        self._require_ntk()
        return self._laws.ntk_diagonal_law()

    @in_budget("deriving the law of the variance of a {0}")
    def variance_law(self, terms: int = 4) -> Law:
        """The law of the variance q^l of one input; the start is variance=q^1.

        Where the branches fall with kappa other than 1 it is the law of log(q^l/q^1).

        Parameters
        ----------
        terms : how many terms the law has, from 1 on.

        Raises
        ------
        InputError : a number of terms that is none.
        UnsupportedError : no law, with the reason.

        Examples
        --------
        >>> from sympy import Symbol, tanh
        >>> from asympt.architectures import FeedForward, ScaledResNet
        >>> x = Symbol("x", real=True)
        >>> print(FeedForward(Activation(tanh(x), x), sigma_w=1).variance_law(terms=1))
        1/(2*l) + O(log(l)/l^2)
        >>> print(ScaledResNet("relu", sigma_w=2).variance_law(terms=2))
        C*l^2 + 3*C*l + O(1)
        """
        return self._laws.variance_law(check_terms(terms))

    def _require_ntk(self) -> None:
        if not self.activation.has_ntk:
            raise UnsupportedError(f"{self.activation.ntk_obstacle}; take a continuous activation")


def activation_node(phi: str | Activation, options: dict) -> ActivationNode:
    """phi as a part of a composition."""
    found = activation(phi, **options)
    return primitives.activation(found.name, **options) if isinstance(phi, str) else primitives.activation(found)


def _asked(net: Stated, part: str) -> object:
    """A property of a network, or why it has none."""
    try:
        return getattr(net, part)
    except AsymptError as reason:
        return f"none: {reason}"


def _shown(value) -> str:
    """A parameter as one gives it: an exact value, or the digits of one that was solved for."""
    return in_digits(value) if isinstance(value, Expr) else repr(value)
