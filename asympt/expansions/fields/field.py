"""The smallest exact ring that holds given constants, and their elements in it.

Algebraic numbers generate a number field K over QQ; every other atom (`fold`) is a generator, counted as independent
(`decisions` guards the tests for zero against sin(1)^2 + cos(1)^2 = 1).  The ring is K[generators], whose sums need no
gcd, or K(generators) when something is divided by a generator.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property, lru_cache
from math import lcm, prod

import sympy
from sympy import EX, QQ, Add, AlgebraicNumber, Expr, Mul, Rational, Symbol, degree, expand_log, log, minimal_polynomial
from sympy.polys.numberfields import primitive_element
from sympy.polys.polyerrors import BasePolynomialError, CoercionFailed
from sympy.polys.rootoftools import ComplexRootOf

from asympt.parsing import as_sympy

_QUOTIENTS = {sympy.sec: sympy.cos, sympy.csc: sympy.sin, sympy.sech: sympy.cosh, sympy.csch: sympy.sinh}
_OF_INVERSES = {sympy.acot: sympy.atan, sympy.acoth: sympy.atanh, sympy.asech: sympy.acosh, sympy.acsch: sympy.asinh}


def fold(constant: Expr, visitor):
    """Walk through a constant: the visitor is told of `rational`, `sum`, `product`, and of

    algebraic     a rational power of an algebraic number: 2^(1/2), a root of a polynomial
    atom          a rational power of anything else: a, pi, sin(1), exp(1/2) = E^(1/2)
    whole         a whole power of a sum or product

    Constants of the same kind take one form: log(6) = log(2) + log(3), exp(1 + a) = exp(1) exp(a), sec = 1/cos.
    """
    if constant.is_Rational:
        return visitor.rational(constant)
    if isinstance(constant, Add | Mul):
        parts = [fold(part, visitor) for part in constant.args]
        return visitor.sum(parts) if constant.is_Add else visitor.product(parts)
    rewritten = _rewritten(constant)
    if rewritten != constant:
        return fold(rewritten, visitor)
    return visitor.product([_fold_power(base, exponent, visitor) for base, exponent in factors(constant)])


def factors(power: Expr) -> list[tuple[Expr, Rational]]:
    """A power as a product of rational powers of atoms.

    >>> a = sympy.Symbol("a")
    >>> factors(sympy.exp(1 + a / 2))
    [(E, 1), (exp(a), 1/2)]
    """
    base, exponent = power.as_base_exp()
    if exponent.is_Rational:
        return [(base, exponent)]
    split = [term.as_coeff_Mul() for term in Add.make_args(exponent)]
    return [(base**rest, weight) for weight, rest in split]


def is_algebraic(number: Expr) -> bool:
    """Whether SymPy knows it to be an algebraic number."""
    return number.is_number and (isinstance(number, AlgebraicNumber | ComplexRootOf) or number.is_algebraic is True)


def _fold_power(base: Expr, exponent: Rational, visitor):
    if exponent.is_Integer and isinstance(base, Add | Mul):
        return visitor.whole(base, fold(base, visitor), int(exponent))
    if is_algebraic(base):
        return visitor.algebraic(base, exponent)
    if base.is_Float or base.is_infinite or not base.is_commutative:
        raise CoercionFailed(f"{base} is not an exact finite number")
    return visitor.atom(base, exponent)


def _rewritten(constant: Expr) -> Expr:
    """The form in which constants of the same kind are equal: log of primes, cos for sec, atan for acot."""
    if isinstance(constant, log):
        return _log_of_primes(constant.args[0]) if constant.args[0].is_Rational else expand_log(constant)
    if constant.func in _QUOTIENTS:
        return 1 / _QUOTIENTS[constant.func](*constant.args)
    if constant.func in _OF_INVERSES:
        return _OF_INVERSES[constant.func](1 / constant.args[0])
    return constant


def _log_of_primes(number: Rational) -> Expr:
    """log(number) by its prime factors, where they are found at once."""
    if number < 0 or max(number.p, number.q) > 10**12:
        return log(number)
    return sum((times * log(prime) for prime, times in number.factors().items()), Rational(0))


LARGEST_DEGREE = 64  # of a number field, as a product of degrees: beyond it, one product takes milliseconds


class Census:
    """A visitor that notes what occurs: the bases and exponents of powers, and divisions by sums."""

    def __init__(self):
        self.atoms: dict[Expr, set] = defaultdict(set)
        self.algebraics: dict[Expr, set] = defaultdict(set)
        self.divides = False

    def atom(self, base: Expr, exponent: Rational) -> None:
        self.atoms[base].add(exponent)

    def algebraic(self, base: Expr, exponent: Rational) -> None:
        self.algebraics[base].add(exponent)

    def whole(self, base: Expr, _, power: int) -> None:
        self.divides |= power < 0 and not is_algebraic(base)

    def rational(self, _) -> None:
        """Rational numbers are in every ring, and sums and products stay in theirs."""

    sum = product = rational


def ring_of(constants: Iterable[Expr], quick: bool = False, divides: bool = False):
    """The smallest domain that holds every constant; `CoercionFailed` when one has no exact place.

    `divides`: there will be divisions by more than the constants show.  `quick`: roots are generators too where
    fractions occur, because greatest common divisors over number fields take for ever; then sqrt(2)^2 is not shown to
    be 2.

    >>> from sympy import pi, sqrt
    >>> ring_of([sqrt(2) * pi, 1 / pi**2]), ring_of([1 / sqrt(pi)])
    (QQ<sqrt(2)>(pi), QQ[1/sqrt(pi)])
    >>> ring_of([sqrt(2) * pi, 1 / pi**2], quick=True)
    QQ(pi,sqrt(2))
    """
    census = Census()
    for constant in constants:
        fold(constant, census)
    divides = divides or census.divides or any(
        min(powers) < 0 and not _only_inverse(base, powers) for base, powers in census.atoms.items()
    )
    roots = {base: base ** Rational(1, _roots(exponents)) for base, exponents in census.algebraics.items()}
    generators = [_generator(base, powers) for base, powers in census.atoms.items()]
    if quick and divides and generators:
        return QQ.frac_field(*sorted([*generators, *roots.values()], key=str))
    ground = _number_field(tuple(sorted(roots.values(), key=str)))
    if not generators:
        return ground
    generators.sort(key=str)
    return ground.frac_field(*generators) if divides else ground[generators]


def _roots(exponents: set) -> int:
    return lcm(*(int(exponent.q) for exponent in exponents))


def _only_inverse(base: Expr, exponents: set) -> bool:
    return not isinstance(base, Symbol) and all(exponent < 0 for exponent in exponents)


def _generator(base: Expr, exponents: set) -> Expr:
    """The root of the atom of which all its powers are whole powers."""
    share = Rational(-1 if _only_inverse(base, exponents) else 1, _roots(exponents))
    inner, exponent = base.as_base_exp()
    return base**share if exponent.is_Rational else inner ** (exponent * share)


@lru_cache(maxsize=256)
def _number_field(roots: tuple):
    if not roots:
        return QQ
    if prod(degree(minimal_polynomial(root, polys=True)) for root in roots) > LARGEST_DEGREE:
        raise CoercionFailed(f"the algebraic numbers {roots} generate too large a field")
    return QQ.algebraic_field(*roots)


@lru_cache(maxsize=256)
def _root_elements(field, roots: tuple) -> tuple:
    """The generating roots of a number field as its elements.  SymPy's own reading factors polynomials, for minutes.

    The roots are an argument because equal fields may have been generated by different ones.
    """
    if len(roots) == 1:
        return (field.unit,)
    return tuple(map(field.new, primitive_element(roots, ex=True)[2]))


@lru_cache(maxsize=1024)
def _algebraic_element(field, number: Expr):
    """An algebraic number that is none of the generating roots."""
    if not field.is_Algebraic:
        raise CoercionFailed(f"{number} is not in {field}")
    return field.from_sympy(number)


class Reader:
    """A visitor that computes the element of a domain; `CoercionFailed` when the constant is not in it."""

    def __init__(self, domain):
        self.domain = domain
        self.ground = domain.domain if domain.is_Composite else domain
        self.known = {}
        if self.ground.is_Algebraic:
            self._learn(self.ground.orig_ext, map(self._lift, _root_elements(self.ground, self.ground.orig_ext)))
        if domain.is_Composite:
            self._learn(domain.symbols, domain.gens)

    def _learn(self, powers: Iterable[Expr], elements: Iterable) -> None:
        for power, element in zip(powers, elements, strict=True):
            [(base, share)] = factors(power)
            self.known[base] = (share, element)

    def rational(self, number: Rational):
        return self.domain.convert_from(QQ(int(number.p), int(number.q)), QQ)

    def sum(self, parts: list):
        return sum(parts[1:], parts[0])

    def product(self, parts: list):
        return prod(parts[1:], start=parts[0])

    def whole(self, _, element, power: int):
        return self._power(element, power)

    def algebraic(self, base: Expr, exponent: Rational):
        """A power of an algebraic number."""
        if base in self.known and (exponent / self.known[base][0]).is_Integer:
            return self.atom(base, exponent)
        return self._lift(_algebraic_element(self.ground, base ** Rational(1, exponent.q)) ** int(exponent.p))

    def atom(self, base: Expr, exponent: Rational):
        """A power of an atom, which must be a whole power of its generator."""
        share, element = self.known.get(base, (None, None))
        if share is None or not (exponent / share).is_Integer:
            raise CoercionFailed(f"{base}**{exponent} is not in {self.domain}")
        return self._power(element, int(exponent / share))

    def _lift(self, element):
        """An element of the number field; a conversion into itself would factor polynomials."""
        return element if self.domain == self.ground else self.domain.convert_from(element, self.ground)

    def _power(self, element, power: int):
        return element**power if power >= 0 else inverse(self.domain, element) ** -power


def inverse(domain, element):
    """1/element, where that is in the domain; otherwise `CoercionFailed`.

    >>> inverse(QQ[Symbol("a")], QQ[Symbol("a")].convert(2))
    1/2
    """
    if not domain.is_PolynomialRing:
        return domain.one / element
    if not element.is_ground:
        raise CoercionFailed(f"1/({element}) is not in {domain}")
    return domain.convert_from(inverse(domain.domain, element.coeff(1)), domain.domain)


class Field:
    """The exact coefficient ring of a computation, and the way there and back.

    Rational numbers give QQ; polynomials in symbols QQ[symbols], where every division of the solvers is by a
    rational number and no gcd is ever taken; rational functions QQ(symbols); algebraic numbers and numbers such as pi
    extend these.  What has no exact place there falls back to SymPy's expression domain EX.
    """

    def __init__(self, domain):
        self.domain = domain

    @classmethod
    def of(cls, coefficients: Iterable[Expr], quick: bool = False, divides: bool = False) -> "Field":
        """The smallest of these rings that holds every coefficient; `quick` ones may have several forms of a number.

        `divides` makes it a field whatever the coefficients are.

        >>> from sympy import Symbol, pi, sqrt
        >>> Field.of([Symbol("a") ** 2]).domain, Field.of([1 / Symbol("a")]).domain, Field.of([sqrt(2) / pi]).domain
        (QQ[a], QQ(a), QQ<sqrt(2)>[1/pi])
        """
        try:
            return cls(ring_of([as_sympy(c) for c in coefficients], quick, divides))
        except (BasePolynomialError, NotImplementedError):  # SymPy's: number fields that it does not construct
            return cls(EX)

    def enter(self, series: Iterable[Expr]) -> list:
        """SymPy expressions as elements of the ring; `CoercionFailed` when one is not in it."""
        if self.domain is EX:
            return [EX.from_sympy(as_sympy(c)) for c in series]
        return [fold(as_sympy(c), self._reader) for c in series]

    def leave(self, element) -> Expr:
        """An element of the ring as a SymPy expression."""
        return self.domain.to_sympy(self.domain.convert(element))

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self.domain)
