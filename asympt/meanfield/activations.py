"""Activations: a small catalogue, and any ReLU-like function given as a SymPy expression.

An activation is *ReLU-like* (HDR Definition 1) when phi(x) = a+ x for x > 0 and a- x for x <= 0.
Everything asympt derives about such a network depends on the two slopes alone, and, up to the
variance scale, only on the asymmetry

    rho = (a+ - a-)^2 / (pi (a+^2 + a-^2)):   ReLU 1/pi, absolute value 2/pi, linear 0.
"""

from dataclasses import dataclass
from functools import cached_property

from sympy import Abs, Expr, Integer, Max, Piecewise, Symbol, pi, simplify

from asympt.errors import InputError, UnsupportedError
from asympt.numbers import exact, exact_coefficients

_X = Symbol("x", real=True)


@dataclass(frozen=True)
class Activation:
    """A ReLU-like activation phi, from its expression and symbol.

    Parameters: `expression`, any SymPy expression equal to a+ x for x > 0 and a- x for x < 0;
    `symbol`, its variable; `name`, used in messages and documents.  Raises `UnsupportedError`
    when the expression is not ReLU-like.

    >>> from sympy import Max, Symbol
    >>> x = Symbol("x", real=True)
    >>> Activation(Max(x, x/10), x, name="mine").slopes
    (1, 1/10)
    """

    expression: Expr
    symbol: Symbol = _X
    name: str = "activation"

    def __post_init__(self):
        if not isinstance(self.expression, Expr) or not isinstance(self.symbol, Symbol):
            raise InputError(
                f"activation {self.expression!r} in {self.symbol!r} is not a SymPy expression in a symbol; "
                "give one such as Max(x, 0), x, or a name to asympt.activation"
            )
        object.__setattr__(self, "expression", exact_coefficients(self.expression))
        right, left = self.slopes
        if right == 0 and left == 0:
            raise InputError(f"activation {self.name!r} is zero everywhere; give it a non-zero slope")

    @cached_property
    def slopes(self) -> tuple[Expr, Expr]:
        """(a+, a-): the slopes to the right and to the left of 0."""
        return _slope(self, +1), _slope(self, -1)

    @cached_property
    def second_moment(self) -> Expr:
        """E[phi(Z)^2] = E[phi'(Z)^2] = (a+^2 + a-^2)/2 for a standard normal Z."""
        right, left = self.slopes
        return simplify((right**2 + left**2) / 2)

    @cached_property
    def fold(self) -> Expr:
        """kappa = (a+ - a-)^2 / (2 (a+^2 + a-^2)), the weight of |x| in phi."""
        right, left = self.slopes
        return simplify((right - left) ** 2 / (4 * self.second_moment))

    @cached_property
    def unfolded(self) -> Expr:
        """1 - kappa = (a+ + a-)^2 / (2 (a+^2 + a-^2)), the weight of x in phi."""
        right, left = self.slopes
        return simplify((right + left) ** 2 / (4 * self.second_moment))

    @cached_property
    def asymmetry(self) -> Expr:
        """rho = 2 kappa / pi, the only parameter of the correlation map (ReLU: 1/pi)."""
        return 2 * self.fold / pi

    @property
    def is_linear(self) -> bool:
        """True when both slopes agree: the correlation map is the identity and there is no depth law."""
        return self.fold == 0


def _slope(activation: Activation, side: int) -> Expr:
    """The slope of the activation on one side of 0, if it is a straight line through 0 there."""
    magnitude = Symbol("x", positive=True)
    line = simplify(activation.expression.subs(activation.symbol, side * magnitude))
    slope = simplify(line / (side * magnitude))
    if slope.has(magnitude) or slope.is_real is False:
        raise UnsupportedError(
            f"activation {activation.name!r} is not ReLU-like ({activation.expression} is not a straight line "
            "through 0 on each side of 0); only ReLU-like activations are supported so far"
        )
    return slope


def _relu_like(right, left) -> Expr:
    """The expression of the ReLU-like function with the given slopes."""
    return Piecewise((right * _X, _X > 0), (left * _X, True))


def _catalogue() -> dict:
    return {
        "relu": (lambda: Max(_X, 0), {}),
        "leaky_relu": (lambda slope: _relu_like(Integer(1), slope), {"slope": "1/100"}),
        "abs": (lambda: Abs(_X), {}),
        "relu_like": (_relu_like, {"right": 1, "left": 0}),
    }


def catalogue() -> tuple[str, ...]:
    """The names that `activation` knows."""
    return tuple(_catalogue())


def activation(name: str | Activation, **options) -> Activation:
    """An activation from the catalogue; options by keyword, exact numbers or SymPy symbols.

    ``relu``; ``leaky_relu`` (``slope``, default 1/100); ``abs``; ``relu_like`` (``right``, ``left``).
    Raises `InputError` for an unknown name or option.

    >>> activation("leaky_relu", slope="1/10").slopes
    (1, 1/10)
    >>> activation("relu").asymmetry
    1/pi
    """
    if isinstance(name, Activation):
        if options:
            raise InputError(f"activation {name.name!r} is given complete; options {', '.join(options)} go with a name")
        return name
    known = _catalogue()
    if not isinstance(name, str) or name not in known:
        raise InputError(f"unknown activation {name!r}; known are {', '.join(known)}")
    build, defaults = known[name]
    for option in options:
        if option not in defaults:
            allowed = ", ".join(defaults) or "none"
            raise InputError(f"activation {name!r} has no option {option!r}; its options are: {allowed}")
    values = {key: exact(value, key) for key, value in {**defaults, **options}.items()}
    return Activation(build(**values), _X, name=name)
