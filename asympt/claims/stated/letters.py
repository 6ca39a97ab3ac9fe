r"""What the formula of a claim about a network may name, and what the decimals in it mean.

Rule.  Beside its own numbers (chi, q, sigma_w, sigma_b) a plain network has, x being N(0, q) and N(0, 1) without a q,

    E[...]         a mean of a formula in x, phi, phi', phi'', ...          E[phi''^2], E[x*phi*phi']
    f2, f3, ...    f^(k)(1) of its correlation map:                         sigma_w^2 q^(k-1) E[phi^(k)^2]

and a law has C, D and whatever its coefficients are called (e_5).  A number of the law is taken as the law's own, so
that algebra sees it; where it does not, the claim's is computed here, by other formulas than the law's.

A decimal is rounded: 7.0837 is every number within 0.00005 of it.  The slack of a formula with decimals is by how much
its value changes when they do so; a single decimal states its interval, a formula a value that may be meant exactly.

Known limits.  A derivative of phi behind the first that jumps is no function, so it has no mean here.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from mpmath import mp
from sympy import Expr, Integer, Rational, S, Symbol, symbols

from asympt.architectures.law_parts import key_of
from asympt.errors import InputError, UnsupportedError
from asympt.expansions.opaque import RealConstant
from asympt.gaussian.moments import moment
from asympt.gaussian.piecewise import PiecewiseSmooth
from asympt.numbers import to_mpf
from asympt.parsing import read_formula

MOST = 8  # derivatives that a formula may name
MEAN, DERIVATIVE = re.compile(r"\bE\[([^\[\]]*)\]"), re.compile(r"\bphi('*)")
DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?:[eE][+-]?\d+)?")
ARGUMENTS = Symbol("x", real=True), Symbol("z", real=True)
PHI = symbols(f"phi_0:{MOST + 1}", real=True)


@dataclass(frozen=True)
class StatedValue:
    """A value, by how much the rounding of its decimals changes it, and the decimal itself where it is only one."""

    value: Expr
    slack: Expr = S.Zero
    printed: str = ""


def read_value(text: str, known: dict[Symbol, Expr], layer=None, own: tuple[Symbol, ...] = ()) -> StatedValue:
    """A formula in these numbers, in means over the activation of a layer, and in the constants `own` of a law."""
    text, known = text.strip(), dict(known)
    for number, inside in enumerate(dict.fromkeys(MEAN.findall(text))):
        letter = Symbol(f"mean_{number}")
        known[letter] = mean(inside, layer)
        text = text.replace(f"E[{inside}]", f"({letter})")
    decimals = [Symbol(f"decimal_{k}") for k, _ in enumerate(DECIMAL.findall(text))]
    written = iter(decimals)
    formula = read_formula(DECIMAL.sub(lambda _: f"({next(written)})", text), *known, *own, *decimals)
    alone = formula in decimals or -formula in decimals
    numbers = DECIMAL.findall(text)
    given = {letter: Rational(number) for letter, number in zip(decimals, numbers, strict=True)}
    formula, value = formula.subs(known), formula.subs(known).subs(given)
    units = zip(decimals, map(unit_of, numbers), strict=True)
    slack = sum((_moved(formula, value, given, letter, unit) for letter, unit in units), S.Zero)
    return StatedValue(value, slack, text if alone else "")


def unit_of(decimal: str) -> Rational:
    """The unit of its last digit."""
    digits, _, exponent = decimal.lower().partition("e")
    return Rational(10) ** (int(exponent or 0) - len(digits.partition(".")[2]))


def _moved(formula: Expr, value: Expr, given: dict, letter: Symbol, unit: Rational) -> Expr:
    """By how much at most the value changes when one decimal moves by half a unit of its last digit."""
    others = formula.subs({other: number for other, number in given.items() if other != letter})
    ends = [others.subs(letter, given[letter] + sign * unit / 2) - value for sign in (1, -1)]
    return max((abs(end) for end in ends), key=lambda size: size.subs(dict.fromkeys(size.free_symbols, 1)).evalf(15))


def mean(inside: str, layer) -> Expr:
    """E[formula in x, phi, phi', ...] at the variance of the layer, by a quadrature between the breakpoints."""
    if layer is None:
        raise InputError(f"E[{inside}] is a mean over the activation of a plain network, and this is none")
    orders = [len(primes) for primes in DERIVATIVE.findall(inside)]
    singular = layer.activation.singular_order
    if orders and max(orders) > (MOST if singular is None else singular):
        raise InputError(f"E[{inside}] names a derivative that is no function: phi{chr(39) * max(orders)}")
    formula = read_formula(DERIVATIVE.sub(lambda found: f"phi_{len(found[1])}", inside), *ARGUMENTS, *PHI)
    phi, q = layer.activation.piecewise, Integer(1) if layer.is_scale_free else layer.fixed_variance
    pieces = tuple(formula.subs({letter: piece.diff(phi.symbol, k) for k, letter in enumerate(PHI)})
                   .subs(dict.fromkeys(ARGUMENTS, phi.symbol)) for piece in phi.pieces)  # fmt: skip
    g = PiecewiseSmooth(phi.symbol, phi.breaks, pieces)
    return RealConstant(f"E[{inside}]", lambda: moment(g, to_mpf(q), mp.dps), ("mean", formula, phi, q))


def derivatives_at_one(layer) -> dict[Symbol, Expr]:
    """f2, f3, ...: f^(k)(1), as far as they are finite."""
    singular, q = layer.activation.singular_order, layer.fixed_variance

    def size(k: int, square: PiecewiseSmooth):
        return to_mpf(layer.weight_variance * q ** (k - 1)) * moment(square, to_mpf(q), mp.dps)

    found = {}
    for k in range(2, 1 + (MOST if singular is None else singular)):
        square = layer.activation.piecewise.derivative(k).square()
        name, key = f"f{k}", ("stated derivative of f", k, key_of(layer))
        found[Symbol(name, positive=True)] = RealConstant(name, partial(size, k, square), key)
    return found


def numbers_of_layer(layer) -> dict[Symbol, Expr]:
    """chi, q and the derivatives of the correlation map at 1 of a plain layer."""
    found = {Symbol("chi", positive=True): layer.chi}
    with suppress(UnsupportedError):  # a scale-invariant activation has no variance of its own
        if not layer.is_scale_free:
            found |= {Symbol("q", positive=True): layer.fixed_variance, **derivatives_at_one(layer)}
    return found


def numbers_of_law(law) -> dict[Symbol, Expr]:
    """What a law's own coefficients are called."""
    named = set().union(*(c.atoms(RealConstant) for c in law.expansion.coefficients.values()))
    return {Symbol(constant.name, real=True): constant for constant in named if constant.name.isidentifier()}
