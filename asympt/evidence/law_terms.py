"""A law as terms and plain numbers: sums of c x^p log(x)^j from the printed coefficients, by no code of the
derivation; and what it says, against plain iteration."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from mpmath import mp, mpf
from sympy import Add, Dummy, Expr, Symbol, nan, zoo
from sympy.core.numbers import NumberSymbol
from sympy.polys.rootoftools import ComplexRootOf

from asympt.compiling import as_function, valued
from asympt.errors import NoValueError, UnsupportedError
from asympt.evidence.check import GROWTH, NOTHING, Check, growth_check
from asympt.gaussian.kernel import kernel_of
from asympt.numbers import to_mpf

CANCELLED = 80  # bits


def terms_of(expansion, constants: dict | None = None) -> list[tuple]:
    """[(power of the variable, logs, coefficient as mpf)] with the symbols C, D replaced by numbers."""
    sign = expansion.scale.sign
    return [(sign * m.order, m.logs, number(c, constants)) for m, c in expansion.terms]


def rest_of(expansion):
    """The monomial of the printed remainder; a sum that claims to be exact is held to two powers beyond its last."""
    if expansion.remainder is None:
        last = expansion.terms[-1][0]
        return replace(last, order=last.order + 2, logs=0)
    return expansion.remainder.monomial


def number(coefficient: Expr, constants: dict | None = None):
    """A coefficient as an mpmath number, symbols replaced by the numbers given for them by name."""
    if not coefficient.free_symbols:
        if not (coefficient.has(Add) and opaque_in(coefficient)):
            return to_mpf(coefficient)
        with mp.workprec(mp.prec + CANCELLED):  # a long formula: evaluated as a function, with digits for what cancels
            value = function_of(coefficient)()
        return +value
    symbols = sorted(coefficient.free_symbols, key=str)
    unknown = [str(symbol) for symbol in symbols if str(symbol) not in (constants or {})]
    if unknown:
        raise NoValueError(f"{coefficient} has {', '.join(unknown)}, for which the orbit gives no number")
    return function_of(coefficient, *symbols)(*(constants[str(symbol)] for symbol in symbols))


def opaque_in(expression: Expr) -> set:
    """The constants in an expression that are known by their digits only."""
    return {c for c in expression.atoms(NumberSymbol) if hasattr(c, "evaluator")}  # no pi, no e


@lru_cache(maxsize=512)
def function_of(expression: Expr, *symbols: Symbol) -> Callable:
    """The expression as a function of its symbols that follows mpmath's precision, also in constants unknown to mpmath.

    These are the constants known by their digits and the roots of polynomials that no radicals express.  Raises
    `NoValueError` for what is not a number: a comparison would not notice it.
    """
    if expression.has(nan, zoo):
        raise NoValueError(f"{expression} is not a number, so nothing can be compared with it")
    unnamed = sorted(opaque_in(expression) | expression.atoms(ComplexRootOf), key=str)
    names = [Dummy() for _ in unnamed]
    plain = expression.xreplace(dict(zip(unnamed, names, strict=True)))
    function = as_function([*symbols, *names], plain, "mpmath")
    return lambda *values: function(*values, *(to_mpf(constant) for constant in unnamed))


@valued
def value(terms: list[tuple], x):
    """sum c x^p log|x|^j at one mpmath number (negative x with whole powers only)."""
    logarithm = mp.log(abs(x))
    return sum((c * x ** to_mpf(p) * logarithm**j for p, j, c in terms), mpf(0))


@dataclass(frozen=True)
class CoordinateTerms:
    """N, and for a linear law P and H, as functions of t at mpmath's current precision.

    N is A, which a layer makes larger by 1, or S, which it multiplies by `chi` (None for A); a_l = P + D growth^l H.
    """

    position: list
    chi: object
    particular: list
    homogeneous: list
    growth: object

    @classmethod
    def of(cls, law) -> "CoordinateTerms":
        linear, koenigs = law.linear, law.koenigs
        alone = linear is None or linear.runs_alone
        return cls(
            terms_of((koenigs or law.abel).expansion),
            None if koenigs is None else to_mpf(koenigs.multiplier),
            terms_of(linear.particular) if linear else [],
            terms_of(linear.homogeneous) if has_homogeneous(law) else [],
            mpf(1) if alone else to_mpf(linear.multiplier),
        )

    @property
    def names(self) -> tuple[str, str]:
        weight = "" if self.growth == 1 else "lambda_0^l "
        second = f"({weight}H(t_l))" if weight or self.chi is not None else "H(t_l)"
        return "A(t_l) - l" if self.chi is None else "S(t_l)/chi^l", f"(a_l - P(t_l))/{second}"

    @valued
    def constants(self, t, layer: int, state: tuple) -> tuple:
        """(C, D) as seen at one layer, D None without an H."""
        reached = value(self.position, t)
        constant = reached - layer if self.chi is None else reached / self.chi**layer
        if not self.homogeneous:
            return constant, None
        free = value(self.homogeneous, t) * self.growth**layer
        return constant, (state[1] - value(self.particular, t)) / free

    @valued
    def age(self, t) -> int:
        """The layer at which an orbit with C between -1/2 and 1/2, or |C| about 1 (positive for chi < 0), is at t."""
        reached = value(self.position, t)
        if self.chi is None:
            return int(mp.nint(reached))
        layer = int(mp.nint(mp.log(abs(reached)) / mp.log(abs(self.chi))))
        return layer + 1 if reached * self.chi**layer < 0 and self.chi < 0 else layer


def has_homogeneous(law) -> bool:
    """Whether a linear recursion remembers its start, so that there is an H and a D."""
    return law.linear is not None and law.linear.homogeneous is not None


def require_layer(law) -> None:
    """`UnsupportedError` where a network's law has lost its layer."""
    if law.layer is None:
        raise UnsupportedError("the law has no layer that could be iterated; verify it as it was derived")


def is_network(law) -> bool:
    """Whether the law is that of a network, or of the family that a network's law belongs to."""
    return law.layer is not None or law.family is not None


def changes_sides(law) -> bool:
    """Whether orbits alternate between the two sides of the fixed point, so that there is a second expansion."""
    return len(law.branches) == 2


def is_slow(law) -> bool:
    """Whether an evaluation of a network's map takes seconds: at small gaps it is a quadrature over the plane."""
    layer = law.layer
    if layer is None or layer.is_scale_free or law.of_variance:
        return False
    return kernel_of(layer.activation.piecewise).source == "quadrature"


def uniformiser(law, state: tuple):
    """t = x^(1/root)."""
    return state[0] ** (mpf(1) / law.dynamics.root)


# ---- what a law says, against plain iteration: states at chosen layers, what the printed law leaves, its values ------


def kept(step: Callable, state, layers: Collection[int], layer: int = 1) -> dict:
    """{layer: state} at these layers, from the state at `layer`, one step after the other.

    >>> kept(lambda x: 2 * x, 1, (3, 5))
    {3: 4, 5: 16}
    """
    found, last = {}, max(layers)
    for here in range(layer, last + 1):
        state = state if here == layer else step(state)
        if here in layers:
            found[here] = state
    return found


def evaluation_check(name: str, law, seen: Mapping, digits: int, bound, detail: str = "", **given) -> Check:
    """What the law evaluates to at these depths against what was `seen` there: the largest relative deviation."""
    pairs = ((law.evaluate(depth=depth, digits=digits, **given), value) for depth, value in seen.items())
    return Check.measured(name, max(abs(found / value - 1) for found, value in pairs), bound, detail)


def rest_check(name, expansion, seen: Mapping, constants: dict, where: str, bound=GROWTH, nothing=NOTHING) -> Check:
    """What is seen at these depths, minus the printed law, must not grow in units of the printed remainder."""
    printed = {depth: printed_at(expansion, depth, constants) for depth in seen}
    left = [value - printed[depth][0] for depth, value in seen.items()]
    return growth_check(name, left, [size for _, size in printed.values()], where, bound, nothing)


def printed_at(expansion, layer, constants: dict):
    """(the printed sum at one layer, the size of its remainder's monomial)."""
    known = {**constants, str(expansion.scale.depth): layer}
    total = sum((number(c, known) * monomial_at(expansion.scale, m, layer) for m, c in expansion.terms), mpf(0))
    return total, abs(monomial_at(expansion.scale, rest_of(expansion), layer))


def monomial_at(scale, monomial, layer):
    """The monomial as it is printed, at one layer."""
    return number(scale.to_sympy(monomial), {str(scale.depth): mpf(layer)})
