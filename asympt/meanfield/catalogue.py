"""The formulas of the catalogue, their options and the options' rules.  Adding an activation means adding one entry.

    linear x                   relu max(x, 0)             abs |x|                 leaky_relu(slope) x, slope x
    relu_like(right, left)     step 1 for x > 0, else 0   erf erf(x)              gelu x Phi(x), exactly
    tanh tanh(x)               sigmoid 1/(1 + e^-x)       softplus log(1 + e^x)   silu(beta) x/(1 + e^(-beta x)) = swish
    elu(alpha) alpha(e^x - 1)  selu lambda elu(alpha)     mish x tanh softplus x  arctan atan(x)
    softsign x/(1 + |x|)       sin, cos, exp              hard_tanh, relu6        gaussian(width) e^(-x^2/(2 width^2))
    monomial(degree) x^degree  hermite(degree) He_n(x)/sqrt(n!), so that E[phi(Z)^2] = 1

`Phi` is the normal distribution function, He_n the probabilists' Hermite polynomial.  Sources: Hendrycks and Gimpel
2016 (GELU), Ramachandran et al. 2017 (Swish), Clevert et al. 2016 (ELU), Klambauer et al. 2017 (SELU: its two
constants to the 31 digits printed there, read as exact decimals), Misra 2019 (Mish).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import sympy
from sympy import Abs, Expr, Integer, Max, Min, Piecewise, Rational, atan, cos, erf, exp, log, sin, sqrt, tanh

from asympt.errors import InputError
from asympt.numbers import exact
from asympt.spelling import meant, near
from asympt.symbols import Reserved

X = Reserved("x", real=True)
SELU_ALPHA = Rational("1.6732632423543772848170429916717")
SELU_LAMBDA = Rational("1.0507009873554804934193349852946")
LARGEST_DEGREE = 50
ALIASES = {"swish": "silu"}


def _relu_like(right, left) -> Expr:
    return Piecewise((right * X, X > 0), (left * X, True))


def _degree(value: Expr) -> str | None:
    good = value.is_Integer and 1 <= value <= LARGEST_DEGREE
    return None if good else f"a whole number from 1 to {LARGEST_DEGREE}"


def _positive(value: Expr) -> str | None:
    return None if not value.is_number or value > 0 else "a positive number"


def _nonzero(value: Expr) -> str | None:
    return "a number other than 0" if value.is_zero else None


@dataclass(frozen=True)
class Entry:
    """One activation: its formula, the options with their defaults, and what an option must be."""

    build: Callable[..., Expr]
    defaults: dict = field(default_factory=dict)
    rules: dict[str, Callable] = field(default_factory=dict)


_ENTRIES = {
    "relu": Entry(lambda: Max(X, 0)),
    "leaky_relu": Entry(lambda slope: _relu_like(Integer(1), slope), {"slope": "1/100"}),
    "abs": Entry(lambda: Abs(X)),
    "relu_like": Entry(_relu_like, {"right": 1, "left": 0}),
    "linear": Entry(lambda: X),
    "step": Entry(lambda: sympy.Heaviside(X)),
    "erf": Entry(lambda: erf(X)),
    "gelu": Entry(lambda: X * (1 + erf(X / sqrt(2))) / 2),
    "tanh": Entry(lambda: tanh(X)),
    "sigmoid": Entry(lambda: 1 / (1 + exp(-X))),
    "softplus": Entry(lambda: log(1 + exp(X))),
    "silu": Entry(lambda beta: X / (1 + exp(-beta * X)), {"beta": 1}, {"beta": _positive}),
    "elu": Entry(lambda alpha: Piecewise((X, X > 0), (alpha * (exp(X) - 1), True)), {"alpha": 1}, {"alpha": _nonzero}),
    "selu": Entry(lambda: Piecewise((SELU_LAMBDA * X, X > 0), (SELU_LAMBDA * SELU_ALPHA * (exp(X) - 1), True))),
    "mish": Entry(lambda: X * tanh(log(1 + exp(X)))),
    "arctan": Entry(lambda: atan(X)),
    "softsign": Entry(lambda: X / (1 + Abs(X))),
    "sin": Entry(lambda: sin(X)),
    "cos": Entry(lambda: cos(X)),
    "exp": Entry(lambda: exp(X)),
    "gaussian": Entry(lambda width: exp(-((X / width) ** 2) / 2), {"width": 1}, {"width": _positive}),
    "monomial": Entry(lambda degree: X**degree, {"degree": 2}, {"degree": _degree}),
    "hermite": Entry(
        lambda degree: sympy.hermite_prob(degree, X) / sqrt(sympy.factorial(degree)), {"degree": 2}, {"degree": _degree}
    ),
    "hard_tanh": Entry(lambda: Max(-1, Min(1, X))),
    "relu6": Entry(lambda: Min(Max(X, 0), 6)),
}


def register(name: str, entry: Entry) -> None:
    """Add an activation to the catalogue, from a file of one's own; `InputError` for a name that is taken.

    >>> register("relu", Entry(lambda: Max(X, 0)))
    Traceback (most recent call last):
    ...
    asympt.errors.InputError: the catalogue has an activation 'relu' already; give another name
    """
    if name in _ENTRIES or name in ALIASES:
        raise InputError(f"the catalogue has an activation {name!r} already; give another name")
    _ENTRIES[name] = entry


def catalogue() -> tuple[str, ...]:
    """The names that `activation` knows (and `swish`, another name of `silu`).

    >>> "tanh" in catalogue()
    True
    """
    return tuple(_ENTRIES)


def formula(name: str, options: dict) -> Expr:
    """The expression in X of a name with its options; raises `InputError` for an unknown name, option or value.

    >>> formula("elu", {"alpha": 2})
    Piecewise((x, x > 0), (2*exp(x) - 2, True))
    """
    entry = _entry(name)
    for option in options:
        if option not in entry.defaults:
            allowed = ", ".join(entry.defaults) or "none"
            raise InputError(f"activation {name!r} has no option {option!r}; its options are: {allowed}")
    values = {key: exact(value, key) for key, value in {**entry.defaults, **options}.items()}
    for option, rule in entry.rules.items():
        needed = rule(values[option])
        if needed:
            raise InputError(f"{option} = {values[option]} is not allowed for activation {name!r}; give {needed}")
    return entry.build(**values)


def is_named(phi) -> bool:
    """Whether an activation is given by its name, or by a text that can be nothing else.

    >>> is_named("Leaky ReLU"), is_named("tahn"), is_named("x*erf(x)"), is_named(X)
    (True, True, False, False)
    """
    return isinstance(phi, str) and bool(meant(phi, [*_ENTRIES, *ALIASES]) or (phi.isidentifier() and phi != X.name))


def _entry(name) -> Entry:
    key = spelled(name)
    return _ENTRIES[ALIASES.get(key, key)]


def spelled(name) -> str:
    """The name as the catalogue writes it; `InputError` for one that it does not know.

    >>> spelled("Leaky ReLU"), spelled("Swish")
    ('leaky_relu', 'swish')
    """
    known = [*_ENTRIES, *ALIASES]
    key = meant(name, known)
    if key is None:
        listed = f"known are {', '.join(_ENTRIES)}, and formulas in x"
        if callable(name):
            listed = f"a function is not a formula: give its name or a text such as 'x*tanh(x)'; {listed}"
        raise InputError(f"unknown activation {name!r}{near(name, known)}; {listed}")
    return key
