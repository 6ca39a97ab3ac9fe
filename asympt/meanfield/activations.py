"""Activations: a name from the catalogue, or any piecewise smooth function given as a SymPy expression.

An activation is *ReLU-like* (HDR Definition 1) when phi(x) = a+ x for x > 0 and a- x for x <= 0.  Everything asympt
derives about such a network depends on the two slopes alone, and, up to the variance scale, only on the asymmetry

    rho = (a+ - a-)^2 / (pi (a+^2 + a-^2)):   ReLU 1/pi, absolute value 2/pi, linear 0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import mpmath
from mpmath import mp
from sympy import Expr, Rational, Symbol, latex, limit, pi, simplify

from asympt.arrays import real_array
from asympt.deadline import READING, limited
from asympt.errors import InputError, NoValueError, UnsupportedError
from asympt.gaussian.piecewise import PiecewiseSmooth, derivatives, holes, plain, same
from asympt.gaussian.stable import in_mpmath
from asympt.meanfield.catalogue import X as ARGUMENT
from asympt.meanfield.catalogue import catalogue, formula, is_named, spelled
from asympt.numbers import formula_in, refuse_symbols, to_mpf
from asympt.parsing import as_sympy
from asympt.saving import Saved
from asympt.showing import one_line
from asympt.symbols import named

# ---- the classes an activation belongs to ------------------------------------------------------------
#
# Class S (HDR Definition 1): phi(0) = 0, phi twice differentiable, phi'' = sum of 1_{A_i} g_i with smooth g_i.  Read
# literally it excludes ELU with any alpha: phi'' does not exist at 0, where it jumps from alpha to 0 (and phi' from
# alpha to 1 unless alpha = 1), although HDR lists ELU.  Decided here is: phi(0) = 0, phi in C^1, and phi'' piecewise
# smooth; `jumps(phi, 2)` says where phi'' fails to exist.
#
# K* = 0 (PDLT 5.3.3, eqs. 5.86 and 5.90): phi(0) = 0, s_n = phi^(n)(0) up to n = 3, s_1 != 0.  With sigma_b = 0 and
# sigma_w^2 = 1/s_1^2 the moments E[x^2] = q, E[x^4] = 3 q^2 of x ~ N(0, q) give
#
#     q' = sigma_w^2 E[(s_1 x + s_2 x^2/2 + s_3 x^3/6 + ...)^2] = q + a_1 q^2 + ...,   a_1 = s_3/s_1 + (3/4)(s_2/s_1)^2,
#
# so the critical fixed point q = 0 attracts if and only if a_1 < 0 (a_1 = 0, where higher orders decide: no class).


HIGHEST = 25
SCALE_INVARIANT, ZERO_VARIANCE = "scale-invariant", "K*=0"


def jumps(phi: PiecewiseSmooth, order: int) -> dict[Expr, Expr]:
    """The breakpoints at which phi^(order) jumps, with the jumps (right minus left).

    >>> jumps(activation("abs(x - 1)").piecewise, 1)
    {1: 2}
    """
    found = zip(phi.breaks, phi.jumps(order), strict=True)
    return {point: jump for point, jump in found if jump != 0}


def slopes(phi: PiecewiseSmooth) -> tuple[Expr, Expr] | None:
    """(a+, a-) when phi is ReLU-like, else None.

    >>> slopes(activation("max(x, x/10)").piecewise), slopes(activation("x + 1").piecewise)
    ((1, 1/10), None)
    """
    if phi.breaks not in {(), (0,)}:
        return None
    lines = [_as_line(piece, phi) for piece in phi.pieces]
    return (lines[-1][0], lines[0][0]) if all(line is not None and line[1] == 0 for line in lines) else None


def _as_line(piece: Expr, phi: PiecewiseSmooth) -> tuple[Expr, Expr] | None:
    """(slope, value at 0) of a piece that is a straight line."""
    slope = piece.diff(phi.symbol)
    if slope.has(phi.symbol) and _vanishes(slope.diff(phi.symbol), phi):
        slope = slope.simplify()
    if slope.has(phi.symbol):
        return None
    return slope, plain(piece.subs(phi.symbol, 2) - 2 * slope)


def _vanishes(formula: Expr, phi: PiecewiseSmooth) -> bool:
    """Whether a formula is 0 at three points; simplification then shows whether it is 0 everywhere."""
    points = [Rational(3, 7), Rational(5, 3), Rational(11, 4)]
    numbers = {symbol: Rational(4, 9) for symbol in formula.free_symbols - {phi.symbol}}
    return all(abs(formula.subs(numbers | {phi.symbol: p}).evalf(30)) < Rational(1, 10**20) for p in points)


def at_zero(phi: PiecewiseSmooth, count: int) -> tuple[Expr, ...] | None:
    """phi(0), phi'(0), ..., phi^(count-1)(0), or None when one of them does not exist."""
    left, right = (phi.at_zero(side, count) for side in (-1, 1))
    return right if left == right or same(left, right) else None


# ---- what may be an activation -------------------------------------------------------------------------
#
# The pieces are evaluated at points of their intervals; at breakpoints and where a piece divides by zero, phi and
# phi' are found exactly.  E[phi(sqrt(q) Z)^2] is finite for every q if log|phi(x)| = o(x^2): refused is what has
# log|phi|/x^2 not falling between two of the points 10, 30, 100, ..., 10^9 although |phi| is large there.


DIGITS, LARGE, FALLING = 30, 20, 0.95  # exp(20): large enough for its growth to be judged
NEAR = [Rational(n, 8) for n in (1, 3, 4, 7, 8, 11, 16, 24, 35, 40, 57, 80, 111, 160, 400)]
OUTWARDS = [10, 30, 100, 300, 10**3, 3 * 10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 10**9]
_REMEDY = "give a function that is real and finite on the whole real line"


@lru_cache(maxsize=512)
def admit(phi: PiecewiseSmooth, name: str) -> None:
    """Raises `InputError` when phi is not real, not finite, zero everywhere, or grows too fast.

    Raises `UnsupportedError` when phi' is infinite somewhere.

    >>> from sympy import exp
    >>> x = Symbol("x", real=True)
    >>> admit(PiecewiseSmooth.of(exp(x), x), "mine")
    >>> admit(PiecewiseSmooth.of(1 / x, x), "mine")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    asympt.errors.InputError: activation 'mine' is not finite at x = 0; give a function that is ...
    """
    phi = _with_numbers(phi)
    values = [value for index in range(len(phi.pieces)) for value in _values(phi, index, name)]
    if all(abs(value) < mpmath.mpf(10) ** -25 for value in values):
        raise InputError(f"activation {name!r} is zero everywhere; give it a non-zero slope")
    for point, side, piece in _ends(phi):
        _check_slope(piece, phi.symbol, point, side, name)
    for sign, piece in ((-1, phi.pieces[0]), (1, phi.pieces[-1])):
        _check_growth(piece, phi, sign, name)


def _with_numbers(phi: PiecewiseSmooth) -> PiecewiseSmooth:
    free = set().union(*(piece.free_symbols for piece in phi.pieces)) - {phi.symbol}
    numbers = {symbol: Rational(4 * n + 5, 9) for n, symbol in enumerate(sorted(free, key=str))}
    return PiecewiseSmooth(phi.symbol, phi.breaks, tuple(piece.subs(numbers) for piece in phi.pieces)) if free else phi


def _values(phi: PiecewiseSmooth, index: int, name: str) -> list:
    piece, found = phi.pieces[index], []
    compiled = in_mpmath(piece, phi.symbol, {})
    with mp.workdps(DIGITS):
        for point in _points(phi, index):
            try:
                value = compiled(to_mpf(point))
            except NoValueError:
                value = mp.inf
            if not mpmath.isfinite(value):
                raise InputError(f"activation {name!r} is not finite at {phi.symbol} = {point}; {_REMEDY}")
            if abs(mpmath.im(value)) > mp.eps * abs(value):
                shown = mpmath.nstr(value, 4)
                raise InputError(f"activation {name!r} is not real: at {phi.symbol} = {point} it is {shown}; {_REMEDY}")
            found.append(mpmath.re(value))
    return found


def _points(phi: PiecewiseSmooth, index: int) -> list[Expr]:
    left = phi.breaks[index - 1] if index > 0 else None
    right = phi.breaks[index] if index < len(phi.breaks) else None
    if left is not None and right is not None:
        inside = [left + (right - left) * share / 50 for share in NEAR]
    elif left is not None or right is not None:
        inside = [left + step for step in NEAR] if right is None else [right - step for step in NEAR]
    else:
        inside = [0, *NEAR, *(-step for step in NEAR)]
    skipped = set(holes(phi.pieces[index], phi.symbol))
    return [point for point in map(as_sympy, inside) if point not in skipped]


def _ends(phi: PiecewiseSmooth) -> list[tuple[Expr, int, Expr]]:
    """(point, side, piece) at every breakpoint and wherever a piece divides by zero."""
    found = []
    for index, point in enumerate(phi.breaks):
        found += [(point, -1, phi.pieces[index]), (point, 1, phi.pieces[index + 1])]
    limits = [None, *phi.breaks, None]
    for piece, (left, right) in zip(phi.pieces, pairwise(limits), strict=True):
        inner = [p for p in holes(piece, phi.symbol) if (left is None or p > left) and (right is None or p < right)]
        found += [(point, side, piece) for point in inner for side in (-1, 1)]
    return found


def _check_slope(piece: Expr, symbol: Symbol, point: Expr, side: int, name: str) -> None:
    if not _finite(piece, symbol, point, side):
        raise InputError(f"activation {name!r} is not finite at {symbol} = {point}; {_REMEDY}")
    if not _finite(piece.diff(symbol), symbol, point, side):
        raise UnsupportedError(
            f"activation {name!r} has an infinite slope at {symbol} = {point}; use one whose derivatives are finite on "
            "both sides of every breakpoint"
        )


def _finite(formula: Expr, symbol: Symbol, point: Expr, side: int) -> bool:
    """Whether a formula has a finite limit; SymPy is asked where there is no power series, as for x log x."""
    try:
        derivatives(formula, symbol, point, side, 1)
    except UnsupportedError:
        return bool(limit(formula, symbol, point, "+" if side > 0 else "-").is_finite)
    return True


def _check_growth(piece: Expr, phi: PiecewiseSmooth, sign: int, name: str) -> None:
    if piece.is_polynomial(phi.symbol):
        return
    compiled, before = in_mpmath(piece, phi.symbol, {}), mp.inf
    beyond = max((abs(int(point)) + 1 for point in phi.breaks), default=0)
    with mp.workdps(DIGITS):
        for distance in OUTWARDS:
            x = sign * mp.mpf(distance + beyond)
            size = abs(compiled(x))
            rate = mp.log(size) / x**2 if size > 0 else -mp.inf
            if rate * x**2 > LARGE and rate > FALLING * before > 0:
                raise InputError(
                    f"activation {name!r} grows so fast, like exp({mpmath.nstr(rate, 3)} x^2) at {phi.symbol} = "
                    f"{sign * distance}, that E[phi(sqrt(q) Z)^2] diverges for large variances q; give one with "
                    "log|phi| = o(x^2)"
                )
            before = rate


__all__ = ["Activation", "activation", "catalogue"]

X = ARGUMENT.public()


@dataclass(frozen=True)
class Activation(Saved):
    """An activation phi, from its expression and symbol.

    Parameters: `expression`, any piecewise smooth real SymPy expression (Piecewise, Abs, Max, Min, sign, Heaviside
    included; floats are read as the decimals that print them), or a text such as "x*tanh(x)"; `symbol`, its variable,
    which may be left out where the expression has one symbol or x; `name`, used in messages and documents.  Other
    symbols are parameters, other letters of a text positive ones.
    Raises `InputError` when phi is not real and finite, is zero everywhere or has diverging moments, and
    `UnsupportedError` when its breakpoints cannot be found or its slope is infinite.

    >>> from sympy import Max, Symbol
    >>> x = Symbol("x", real=True)
    >>> Activation(Max(x, x/10), x, name="mine").slopes
    (1, 1/10)
    >>> Activation(Max(x - 1, 0) ** 2, x).jumps(2)
    {1: 2}
    """

    expression: Expr
    symbol: Symbol = None  # type: ignore[assignment]  # the only one
    name: str = "activation"

    def __post_init__(self):
        given, symbol = self.expression, self.symbol
        a_name = isinstance(given, str) and given.isidentifier() and given not in (str(symbol), X.name)
        if a_name or not isinstance(given, Expr | str) or not isinstance(symbol, Symbol | str | None):
            raise InputError(
                f"activation {given!r} is not a SymPy expression in a symbol; "
                "give one such as Max(x, 0), or a name to asympt.activation"
            )
        if not isinstance(self.name, str):
            raise InputError(f"name = {self.name!r} is not a text; give the activation a name such as 'mine'")
        expression, symbol = formula_in(given, symbol, f"activation {self.name!r}", X)
        object.__setattr__(self, "expression", expression)
        object.__setattr__(self, "symbol", symbol)
        with limited(f"reading the activation {self.name!r}", READING):
            admit(self.piecewise, self.name)

    def __repr__(self) -> str:
        return one_line("Activation", f"{self.expression}, name={self.name!r}")

    def __call__(self, x) -> Any:
        """phi(x) in float64, by `vectorised`: activation("relu")([-1, 2]) is [0, 2]."""
        refuse_symbols(self.expression.free_symbols - {self.symbol}, f"activation {self.name!r} contains")
        return self.vectorised(real_array(x, "x"))[()]

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle \phi({latex(self.symbol)}) = {latex(self.expression)}$"

    # ---- the function ---------------------------------------------------------------------------

    @cached_property
    def piecewise(self) -> PiecewiseSmooth:
        """Breakpoints, and a formula between each two of them."""
        return PiecewiseSmooth.of(self.expression, self.symbol)

    @property
    def numeric(self) -> Callable:
        """phi as a function of an mpmath number, at mpmath's precision."""
        return self.piecewise.numeric

    @property
    def vectorised(self) -> Callable:
        """phi as a function of a float64 array, right to 1e-14 and free of overflow for |x| <= 1000.

        >>> activation("softplus").vectorised([-1000.0, 0.0, 1000.0]).tolist()
        [0.0, 0.6931471805599453, 1000.0]
        """
        return self.piecewise.vectorised

    # ---- where it is not smooth -----------------------------------------------------------------

    @property
    def breakpoints(self) -> tuple[Expr, ...]:
        """The points at which phi or a derivative jumps, exact and increasing."""
        return self.piecewise.breaks

    def jumps(self, order: int) -> dict[Expr, Expr]:
        """{x_j: jump of phi^(order) at x_j}, right minus left, the zero ones left out.

        >>> activation("elu").jumps(2), activation("relu6").jumps(1)
        ({0: -1}, {0: 1, 6: -1})
        """
        return jumps(self.piecewise, order)

    @cached_property
    def singular_order(self) -> int | None:
        """The order of the first derivative that jumps: ReLU 1, ELU (alpha = 1) 2, tanh None.

        The first odd power of t = sqrt(1-c) in the correlation map is t^(2 order + 1).
        """
        if not self.breakpoints:
            return None
        return next((order for order in range(HIGHEST + 1) if self.jumps(order)), None)

    # ---- classes --------------------------------------------------------------------------------

    @property
    def is_smooth(self) -> bool:
        """Whether no derivative jumps anywhere."""
        return self.singular_order is None

    @cached_property
    def is_linear(self) -> bool:
        """Whether phi is one straight line a x + b; the correlation map then has no depth law."""
        return self._line is not None

    @cached_property
    def is_constant(self) -> bool:
        """Whether phi is a constant."""
        return self._line is not None and self._line[0] == 0

    @cached_property
    def _line(self) -> tuple[Expr, Expr] | None:
        """(a, b) of a phi that is one straight line a x + b."""
        return None if self.breakpoints else _as_line(self.piecewise.pieces[0], self.piecewise)

    @property
    def is_relu_like(self) -> bool:
        """Whether phi is a straight line through 0 on each side of 0 (HDR Definition 1, item 1)."""
        return self._slopes is not None

    @cached_property
    def in_class_s(self) -> bool:
        """HDR's class S (Definition 1, item 2), as computed: phi(0) = 0, phi in C^1, phi'' piecewise smooth.

        `is_twice_differentiable` is the word of the definition that ELU does not meet although HDR lists it.

        >>> elu = activation("elu")
        >>> elu.in_class_s, elu.is_twice_differentiable, activation("elu", alpha=2).in_class_s
        (True, False, False)
        """
        value = at_zero(self.piecewise, 1)
        if value is None or value[0] != 0 or self.jumps(0) or self.jumps(1):
            return False
        self.jumps(2)  # an error where phi'' has no finite one-sided limits
        return True

    @cached_property
    def is_twice_differentiable(self) -> bool:
        """Whether phi'' exists everywhere; `jumps(2)` says where it does not."""
        return not any(self.jumps(order) for order in (0, 1, 2))

    @cached_property
    def universality(self) -> str | None:
        """'scale-invariant', 'K*=0' or None: the universality class of PDLT chapter 5, computed.

        Raises `UnsupportedError` when it depends on the value of a parameter.
        """
        if self.is_relu_like:
            return SCALE_INVARIANT
        if self.small_variance is None:
            return None
        attracting = self.small_variance[0].is_negative
        if attracting is None:
            raise UnsupportedError(
                f"the universality class depends on the sign of a_1 = {self.small_variance[0]}; give numbers for the "
                "parameters"
            )
        return ZERO_VARIANCE if attracting else None

    @cached_property
    def small_variance(self) -> tuple[Expr, Expr] | None:
        """(a_1, b_1) of PDLT (5.86), (5.88) at sigma_b = 0, sigma_w^2 = 1/phi'(0)^2; None unless phi(0) = 0 != phi'(0).

        q' = q + a_1 q^2 + ... is the variance map and chi = 1 + b_1 q + ..., b_1 = s_3/s_1 + (s_2/s_1)^2, the slope of
        the correlation map at 1.  None, too, when one of the first three derivatives does not exist at 0.

        >>> activation("tanh").small_variance
        (-2, -2)
        """
        taylor = at_zero(self.piecewise, 4)
        if taylor is None or taylor[0] != 0 or taylor[1] == 0:
            return None
        second, third = taylor[2] / taylor[1], taylor[3] / taylor[1]
        return plain(third + Rational(3, 4) * second**2), plain(third + second**2)

    @cached_property
    def klass(self) -> str:
        """The class in words.

        >>> activation("elu").klass
        "piecewise smooth (phi'' jumps at 0), in class S of HDR"
        """
        if self.is_constant:
            return "constant"
        if self.is_linear:
            return "linear" if self.is_relu_like else "affine"
        if self.is_relu_like:
            return "ReLU-like: positively homogeneous, scale-invariant universality class of PDLT"
        parts = [self._smoothness(), "in class S of HDR" if self.in_class_s else "not in class S of HDR"]
        if self.small_variance is not None and self.universality is not None:
            parts.append("K*=0 universality class of PDLT")
        return ", ".join(parts)

    def _smoothness(self) -> str:
        order = self.singular_order
        if order is None:
            return "smooth"
        where = ", ".join(map(str, self.jumps(order)))
        name = "phi" + "'" * order if order < 4 else f"phi^({order})"
        return f"piecewise smooth ({name} jumps at {where})"

    @property
    def has_ntk(self) -> bool:
        """Whether the NTK exists: phi must not jump."""
        return self.ntk_obstacle is None

    def require_ntk(self) -> None:
        """`UnsupportedError` where there is none."""
        if not self.has_ntk:
            raise UnsupportedError(f"{self.ntk_obstacle}; take a continuous activation")

    @cached_property
    def ntk_obstacle(self) -> str | None:
        """Why there is no NTK, in one sentence, or None.

        >>> activation("step").ntk_obstacle
        "activation 'step' jumps at x = 0, so E[phi'(U) phi'(V)] diverges as c -> 1 and there is no NTK"
        """
        jumping = ", ".join(f"{self.piecewise.symbol} = {point}" for point in self.jumps(0))
        if not jumping:
            return None
        return (
            f"activation {self.name!r} jumps at {jumping}, so E[phi'(U) phi'(V)] diverges as c -> 1 and there is no NTK"
        )

    # ---- ReLU-like activations ------------------------------------------------------------------

    @cached_property
    def _slopes(self) -> tuple[Expr, Expr] | None:
        return slopes(self.piecewise)

    @property
    def slopes(self) -> tuple[Expr, Expr]:
        """(a+, a-): the slopes to the right and to the left of 0; `UnsupportedError` unless ReLU-like."""
        if self._slopes is None:
            raise UnsupportedError(
                f"activation {self.name!r} is not ReLU-like ({self.expression} is not a straight line through 0 on "
                "each side of 0), so it has no slopes; use what holds for every activation, or a ReLU-like one"
            )
        return self._slopes

    @cached_property
    def second_moment(self) -> Expr:
        """E[phi(Z)^2] = E[phi'(Z)^2] = (a+^2 + a-^2)/2 for a standard normal Z (ReLU-like only)."""
        right, left = self.slopes
        return simplify((right**2 + left**2) / 2)

    @cached_property
    def kink_weight(self) -> Expr:
        """kappa = (a+ - a-)^2 / (2 (a+^2 + a-^2)), the weight of |x| in phi (ReLU-like only)."""
        right, left = self.slopes
        return simplify((right - left) ** 2 / (4 * self.second_moment))

    @cached_property
    def linear_weight(self) -> Expr:
        """1 - kappa = (a+ + a-)^2 / (2 (a+^2 + a-^2)), the weight of x in phi (ReLU-like only)."""
        right, left = self.slopes
        return simplify((right + left) ** 2 / (4 * self.second_moment))

    @cached_property
    def asymmetry(self) -> Expr:
        """rho = 2 kappa / pi, the only parameter of a ReLU-like correlation map (ReLU: 1/pi)."""
        return 2 * self.kink_weight / pi


def activation(name: str | Expr | Activation, **options) -> Activation:
    """An activation: a name of the catalogue with its options, a formula in one symbol (a text or SymPy's), or itself.

    Options are exact numbers or SymPy symbols: ``leaky_relu`` ``slope`` (1/100); ``relu_like`` ``right`` (1), ``left``
    (0); ``silu`` ``beta`` (1); ``elu`` ``alpha`` (1); ``gaussian`` ``width`` (1); ``monomial``, ``hermite`` ``degree``
    (2).  The formulas are in `meanfield.catalogue`.  Raises `InputError` for an unknown name or option, or a value that
    an option cannot have.

    >>> activation("leaky_relu", slope="1/10").slopes
    (1, 1/10)
    >>> activation("relu").asymmetry
    1/pi
    >>> activation("x*tanh(x)")
    Activation(x*tanh(x), name='x*tanh(x)')
    """
    if is_named(name) or not isinstance(name, str | Expr | Activation):
        expression = formula(name, options)
        names = named([ARGUMENT], expression.free_symbols - {ARGUMENT})  # a slope may be called x
        return Activation(expression.xreplace(names), names[ARGUMENT], name=spelled(name))
    if options:
        shown = getattr(name, "name", name)
        raise InputError(f"activation {shown!r} is already complete; options {', '.join(options)} go with a name")
    return name if isinstance(name, Activation) else Activation(name, name=str(name))
