"""The immutable asymptotic expansion: exact coefficients on an ordered scale, and a typed remainder.

    (a + O(A)) + (b + O(B)) = a + b + O(max(A, B))
    (a + O(A)) * (b + O(B)) = ab + O(max(A lead(b), B lead(a), AB))
    (c m (1 + d))^s         = c^s m^s (1 + s d + s(s-1)/2 d^2 + ...)          d -> 0
    y = c t^p (1 + d(t))    => t = (y/c)^(1/p) (1 + d(t))^(-1/p), iterated     (reversion)

The leading monomial of a power, logarithm or reversion carries no log itself.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, count, pairwise
from math import prod

from sympy import Add, Expr, Integer, Mul, Number, NumberSymbol, Rational, Symbol, exp, factorial, log, nan, oo, zoo

from asympt.errors import InputError, UnsupportedError
from asympt.expansions.printing import not_called
from asympt.expansions.scale import Bounded, Formal, Fronted, Monomial, Remainder, Scale, largest, widened
from asympt.parsing import as_sympy
from asympt.saving import Saved
from asympt.showing import one_line
from asympt.symbols import shown

ONE = Monomial(Integer(0), 0)


@dataclass(frozen=True)
class Expansion(Saved):
    """Terms in decreasing size, with what is left out.

    `scale`: the scale; `terms`: pairs (monomial, coefficient), largest first; `remainder`: a typed remainder,
    or None when the finite sum is exact.

    >>> from sympy import Symbol
    >>> l = Symbol("l", positive=True)
    >>> inverse = Expansion.build(Scale.at_infinity(l), {(1, 0): 1, (2, 1): 1}, Formal(Monomial(2)))
    >>> print(inverse ** 2)
    1/l^2 + 2*log(l)/l^3 + O(1/l^3)
    """

    scale: Scale
    terms: tuple[tuple[Monomial, Expr], ...]
    remainder: Remainder | None = None

    __call__ = not_called("expansion.to_sympy() is its formula, law.subs(L=100) that of a law with values in it")

    def require_whole(self, name: str = "expansion") -> None:
        """An error for an expansion put together from invalid parts, as a law that was put together by hand may have.

        >>> from sympy import Symbol
        >>> Expansion(Scale.at_infinity(Symbol("l", positive=True)), ((ONE, 0.5),)).require_whole("law")
        Traceback (most recent call last):
        asympt.errors.InputError: law: the coefficient 0.5 is no SymPy number or formula; give Rational(1, 10) for 0.1
        """
        if not isinstance(self.scale, Scale):
            raise InputError(f"{name}: {self.scale!r} is not a scale; give Scale.at_infinity(depth)")
        if not isinstance(self.remainder, Remainder | None):
            raise InputError(f"{name}: {self.remainder!r} is not a remainder; give Formal(Monomial(...)) or None")
        for term in self.terms:
            if not (isinstance(term, tuple) and len(term) == 2 and isinstance(term[0], Monomial)):
                raise InputError(f"{name}: the term {term!r} is not a pair; give (Monomial(order, logs), coefficient)")
            _require_coefficient(term[1], name)
        for (larger, _), (smaller, _) in pairwise(self.terms):
            if not larger > smaller:
                raise InputError(
                    f"{name}: {self.scale.to_sympy(smaller)} stands behind {self.scale.to_sympy(larger)}; give the "
                    "terms largest first, each power once"
                )

    @classmethod
    def build(cls, scale: Scale, coefficients: Mapping, remainder: Remainder | None = None) -> "Expansion":
        """From {monomial or (order, logs): coefficient}; zeros and absorbed terms are dropped.

        A bound that absorbs a term does not hold with its constant any more, so it becomes formal.
        """
        known = []
        for key, value in coefficients.items():
            coefficient = expanded(as_sympy(value))
            if coefficient != 0:
                known.append((key if isinstance(key, Monomial) else Monomial(*key), coefficient))
        kept = [term for term in known if remainder is None or term[0] > remainder.monomial]
        if len(kept) < len(known) and isinstance(remainder, Bounded):
            remainder = Formal(remainder.monomial)
        return cls(scale, tuple(sorted(kept, key=lambda term: term[0], reverse=True)), remainder)

    @classmethod
    def constant(cls, scale: Scale, value) -> "Expansion":
        """An exact constant."""
        return cls.build(scale, {ONE: value})

    @classmethod
    def variable(cls, scale: Scale) -> "Expansion":
        """The variable of the scale itself."""
        return cls.build(scale, {Monomial(scale.sign): 1})

    @property
    def leading(self) -> tuple[Monomial, Expr]:
        """The largest term; raises `UnsupportedError` when every term is absorbed."""
        if not self.terms:
            raise UnsupportedError(f"the expansion {self} has no term left before its remainder; ask for more terms")
        return self.terms[0]

    @property
    def coefficients(self) -> dict[Monomial, Expr]:
        """{monomial: coefficient}, largest first."""
        return dict(self.terms)

    def coefficient(self, order, logs: int = 0) -> Expr:
        """The coefficient of one monomial (0 when absent); raises `InputError` when the remainder hides it."""
        monomial = Monomial(order, logs)
        if self.remainder is not None and not monomial > self.remainder.monomial:
            from asympt.expansions.printing import plain

            shown = plain(self.scale.to_sympy(monomial))
            raise InputError(f"the term of order {shown} is hidden in the remainder; derive more terms")
        return self.coefficients.get(monomial, Integer(0))

    def to_sympy(self) -> Expr:
        """The sum of the terms, without the remainder."""
        return sum((c * self.scale.to_sympy(m) for m, c in self.terms), Integer(0))

    def truncate(self, count: int) -> "Expansion":
        """The first `count` terms; the next term becomes the (formal) remainder.

        Truncation is consistent: cutting m > n terms to n equals deriving n terms.
        """
        if count < 0:
            raise InputError(f"count = {count} terms is negative; ask for 0 or more")
        if len(self.terms) <= count:
            return self
        return Expansion(self.scale, self.terms[:count], widened(self.remainder, self.terms[count][0]))

    def up_to(self, monomial: Monomial) -> "Expansion":
        """Absorb every term that does not exceed `monomial`."""
        if self.remainder is not None and self.remainder.monomial >= monomial:
            return self
        return Expansion(self.scale, tuple(t for t in self.terms if t[0] > monomial), widened(self.remainder, monomial))

    def without_remainder(self) -> "Expansion":
        """The finite sum as an exact expansion."""
        return Expansion(self.scale, self.terms, None)

    def map_coefficients(self, change: Callable[[Expr], Expr]) -> "Expansion":
        """Apply `change` to every coefficient; a bound was for the old ones and becomes formal."""
        rest = self.remainder and widened(self.remainder, self.remainder.monomial)
        return Expansion.build(self.scale, {m: change(c) for m, c in self.terms}, rest)

    def subs(self, values: Mapping) -> "Expansion":
        """Substitute parameters (not the variable) in the coefficients."""
        if self.scale.variable in values:
            raise InputError(f"cannot substitute the variable {self.scale.variable} of the scale; use compose")
        values = {as_sympy(old): as_sympy(new) for old, new in values.items()}
        if not any(value.free_symbols for value in values.values()):
            return self.map_coefficients(lambda c: c.subs(values))
        kept = ((m, c.subs(values)) for m, c in self.terms)  # products of symbols stay factored
        return Expansion(self.scale, tuple((m, c) for m, c in kept if c != 0), self.remainder)

    def renamed(self, names: Mapping) -> "Expansion":
        """Other symbols, the variable's among them; every coefficient keeps its form.

        >>> from sympy import Symbol
        >>> l, n = Symbol("l", positive=True), Symbol("n", positive=True)
        >>> print(Expansion.variable(Scale.at_infinity(l)).renamed({l: n}))
        n
        """
        terms = tuple((m, c.xreplace(names)) for m, c in self.terms)
        return Expansion(self.scale.renamed(names), terms, self.remainder)

    def readable(self) -> "Expansion":
        """Ordinary symbols for asympt's own, under names that differ from those of the parameters."""
        names = shown(self.scale.variable, *(c for _, c in self.terms))
        return self.renamed(names) if names else self

    def __add__(self, other) -> "Expansion":
        other = self._coerce(other)
        merged = self.coefficients
        for monomial, coefficient in other.terms:
            merged[monomial] = merged.get(monomial, Integer(0)) + coefficient
        return Expansion.build(self.scale, merged, largest(self.remainder, other.remainder))

    def __mul__(self, other) -> "Expansion":
        other = self._coerce(other)
        remainder = self._product_remainder(other)
        merged: dict[Monomial, Expr] = {}
        for m1, c1 in self.terms:
            for m2, c2 in other.terms:
                monomial = m1 * m2
                if remainder is None or monomial > remainder.monomial:
                    merged[monomial] = merged.get(monomial, Integer(0)) + c1 * c2
        return Expansion.build(self.scale, merged, remainder)

    def _product_remainder(self, other: "Expansion") -> Remainder | None:
        sizes = []
        for one, two in ((self, other), (other, self)):
            if one.remainder is not None:
                if two.terms:
                    sizes.append(one.remainder.times(two.terms[0][0]))
                if two.remainder is not None:
                    sizes.append(one.remainder.times(two.remainder.monomial))
        return largest(*sizes)

    def __neg__(self) -> "Expansion":
        return self * -1

    def __sub__(self, other) -> "Expansion":
        return self + (-self._coerce(other))

    def __truediv__(self, other) -> "Expansion":
        return self * self._coerce(other) ** -1

    def __rsub__(self, other) -> "Expansion":
        return self._coerce(other) - self

    def __rtruediv__(self, other) -> "Expansion":
        return self._coerce(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def __pow__(self, exponent) -> "Expansion":
        return self.power(exponent)

    def _coerce(self, other) -> "Expansion":
        if not isinstance(other, Expansion):
            return Expansion.constant(self.scale, other)
        if other.scale != self.scale:
            raise InputError(f"expansions in {self.scale} and {other.scale} cannot be combined; compose them first")
        return other

    def power(self, exponent, cut: Monomial | None = None) -> "Expansion":
        """self^exponent for a rational exponent; `cut` bounds the terms of an exact, infinite result."""
        exponent = Rational(exponent)
        if exponent.is_Integer and exponent >= 0:
            result = prod([self] * int(exponent), start=Expansion.constant(self.scale, 1))
            return result if cut is None else result.up_to(cut)
        monomial, coefficient, rest = self._split("power")
        lead = Expansion.build(self.scale, {Monomial(monomial.order * exponent): coefficient**exponent})
        relative = None if cut is None else cut * Monomial(-lead.leading[0].order)
        return lead * _sum_powers(rest, _binomials(exponent), relative)

    def log(self, cut: Monomial | None = None) -> "Expansion":
        """log(self), with log of the variable kept as a monomial of the scale."""
        monomial, coefficient, rest = self._split("log")
        weight = self.scale.sign * monomial.order * self.scale.log_unit
        lead = {ONE: _log_of(coefficient), Monomial(Integer(0), 1): weight}
        weights = chain([Integer(0)], (Rational((-1) ** (k + 1), k) for k in count(1)))
        return Expansion.build(self.scale, lead) + _sum_powers(rest, weights, cut)

    def _split(self, name: str) -> tuple[Monomial, Expr, "Expansion"]:
        """self = coefficient * monomial * (1 + rest)."""
        monomial, coefficient = self.leading
        if monomial.logs:
            lead = coefficient * self.scale.to_sympy(monomial)
            raise UnsupportedError(f"{name} of an expansion that starts with a log ({lead} + ...) is outside the scale")
        inverse = Expansion.build(self.scale, {Monomial(-monomial.order): 1 / coefficient})
        return monomial, coefficient, self * inverse - 1

    def compose(self, inner: "Expansion", cut: Monomial | None = None) -> "Expansion":
        """self at variable = inner, where inner tends to the limit point of self's scale.

        `cut` bounds the terms when both are exact; otherwise the remainders do.

        >>> from sympy import symbols
        >>> l, Y = symbols("l Y", positive=True)
        >>> outer = Expansion.build(Scale.at_infinity(Y), {(1, 0): 1}, Formal(Monomial(3)))
        >>> print(outer.compose(Expansion.variable(Scale.at_infinity(l)) + 5))
        1/l - 5/l^2 + O(1/l^3)
        """
        monomial, _ = inner.leading
        if inner.scale.sign * monomial.order * self.scale.sign * (1 if inner.scale.limit == 0 else -1) <= 0:
            raise InputError(f"the inner expansion {inner} does not tend to {self.scale.limit}, as composition needs")
        remainder = self.remainder and widened(self.remainder, self._image(self.remainder.monomial, inner))
        if cut is None and remainder is not None:
            cut = remainder.monomial
        most_logs = max((m.logs for m, _ in self.terms), default=0)
        factor_cut = cut and Monomial(cut.order, cut.logs - most_logs)
        logarithm = inner.log(factor_cut) if most_logs else None
        total = Expansion.build(inner.scale, {}, remainder)
        for monomial, coefficient in self.terms:
            size = self._image(monomial, inner)
            if total._hides(size, cut):  # and so are the terms that follow, which are smaller
                rest = largest(total.remainder, widened(inner.remainder, size))
                total = Expansion(inner.scale, total.terms, rest)
                break
            term = inner.power(self.scale.sign * monomial.order, factor_cut)
            for _ in range(monomial.logs):
                term = term * logarithm
            total = total + term * coefficient
        return total if cut is None else total.up_to(cut)

    def _image(self, monomial: Monomial, inner: "Expansion") -> Monomial:
        """The size of one of self's monomials at variable = inner."""
        return Monomial(inner.leading[0].order * self.scale.sign * monomial.order, monomial.logs)

    def _hides(self, size: Monomial, cut: Monomial | None) -> bool:
        return (cut is not None and size <= cut) or (self.remainder is not None and size <= self.remainder.monomial)

    def revert(self, scale: Scale) -> "Expansion":
        """The inverse function: the variable of self as an expansion in y = self, y being `scale`'s variable.

        >>> from sympy import symbols
        >>> t, y = symbols("t y", positive=True)
        >>> u = Expansion.build(Scale.at_zero(t), {(1, 0): 1, (2, 0): 1}, Formal(Monomial(4)))
        >>> print(u.revert(Scale.at_zero(y)))
        y - y^2 + 2*y^3 + O(y^4)
        """
        if self.remainder is None:
            raise InputError("an exact expansion has an infinite inverse; truncate it first")
        monomial, coefficient, rest = self._split("revert")
        power = self.scale.sign / (self.scale.sign * monomial.order)
        scaled = Expansion.build(scale, {Monomial(scale.sign): 1 / coefficient})
        first = scaled.power(power * self.scale.sign)
        if (first.leading[0].order > 0) != (self.scale.limit == 0):
            raise InputError(f"{self} does not tend to {scale.limit} in the scale asked for; use the other limit")
        cut = first.leading[0] * rest._image(rest.remainder.monomial, first)
        inverse = _fixed_point(first, rest, -power * self.scale.sign, cut)
        return Expansion(inverse.scale, inverse.terms, widened(self.remainder, inverse.remainder.monomial))

    def __str__(self) -> str:
        from asympt.expansions.printing import text

        return text(self)

    def latex(self, split: bool = False) -> str:
        """The expansion as LaTeX, largest term first, with its remainder; `split`: in lines that fit on a page."""
        from asympt.expansions.typesetting import expansion_pieces, inline
        from asympt.expansions.typesetting import split as in_lines

        return in_lines([("", self, "")]) if split else inline(expansion_pieces(self.readable())) or "0"

    def __repr__(self) -> str:
        return one_line("Expansion", str(self))

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"


def expanded(constant: Expr) -> Expr:
    """The constant multiplied out: SymPy's `expand`, without its price where one look tells the result.

    >>> from sympy import Symbol
    >>> a = Symbol("a")
    >>> expanded(a * (1 + a)), expanded((1 + a) ** 2)
    (a**2 + a, a**2 + 2*a + 1)
    """
    terms = Add.make_args(constant)
    if constant.is_Mul:
        sums = [factor for factor in constant.args if factor.is_Add]
        rest = Mul(*(factor for factor in constant.args if not factor.is_Add))
        if len(sums) == 1:
            terms = [term * rest for term in sums[0].args]
    return Add(*terms) if all(_is_product(term) for term in terms) else constant.expand(log=False)


def _is_product(term: Expr) -> bool:
    """Whether it is a product of rational powers of symbols, numbers and functions of such products."""
    if not isinstance(term, Expr):
        return False
    bases, exponents = zip(*(factor.as_base_exp() for factor in Mul.make_args(term)), strict=True)
    return all(exponent.is_Rational for exponent in exponents) and all(
        all(map(_is_product, base.args)) if base.is_Function else isinstance(base, Symbol | Number | NumberSymbol)
        for base in bases
    )


def _log_of(coefficient: Expr) -> Expr:
    """log c, for a root of a rational as the logarithm of that: log(sqrt(2)/2) is -log(2)/2."""
    for k in (2, 3, 4, 6):
        if not coefficient.is_Rational and (coefficient**k).is_Rational:
            return log(coefficient**k) / k
    return log(coefficient)


def _binomials(exponent: Rational) -> Iterable[Expr]:
    """1, s, s(s-1)/2, ..."""
    weight, k = Integer(1), 0
    while True:
        yield weight
        weight = weight * (exponent - k) / (k + 1)
        k += 1


def _sum_powers(small: Expansion, weights: Iterable[Expr], cut: Monomial | None) -> Expansion:
    """sum_k weights_k small^k, until the powers fall below small's remainder and below `cut`."""
    if not small.terms:
        head = Expansion.constant(small.scale, next(iter(weights)))
        return head + Expansion.build(small.scale, {}, small.remainder)
    if not small.leading[0] < ONE or small.leading[0].order <= 0:
        raise UnsupportedError(f"{small} does not tend to 0 like a power, so its power series cannot be summed")
    bound = largest(small.remainder, Formal(cut) if cut is not None else None)
    if bound is None:
        raise InputError("an exact expansion has an infinite power or logarithm; give a remainder or a cut")
    limited = small.up_to(bound.monomial)
    total, power = Expansion.build(small.scale, {}, bound), Expansion.constant(small.scale, 1)
    for weight in weights:
        if not power.terms or power.leading[0] <= bound.monomial:
            return total
        total = total + power * weight
        power = (power * limited).up_to(bound.monomial)


def exponential(expansion: Expansion, cut: Monomial | None = None) -> Expansion:
    """exp of c + w log(variable) + (what tends to 0 like a power); `cut` bounds the terms where it is exact.

    >>> l = Symbol("l", positive=True)
    >>> print(exponential(Expansion.build(Scale.at_infinity(l), {(0, 1): -2, (1, 0): 1}), Monomial(2)))
    1/l^2 + 1/l^3 + O(1/l^4)
    """
    parts = expansion.coefficients
    constant, weight = parts.pop(ONE, Integer(0)), parts.pop(Monomial(Integer(0), 1), Integer(0))
    small = Expansion(expansion.scale, tuple(sorted(parts.items(), reverse=True)), expansion.remainder)
    weights = (1 / factorial(k) for k in count())
    lead = Expansion.build(expansion.scale, {Monomial(expansion.scale.sign * weight): exp(constant)})
    return lead * _sum_powers(small, weights, cut)


def fronted(logarithm: Expansion, small: Expansion | None = None) -> Expansion:
    """exp of an expansion, all of it that tends to infinity in front; `small` is exp of the rest, where it is known.

    >>> l = Symbol("l", positive=True)
    >>> print(fronted(Expansion.build(Scale.at_infinity(l), {(-1, 0): 1, (1, 0): 2}, Formal(Monomial(2)))))
    exp(l) + 2*exp(l)/l + O(exp(l)/l^2)
    """
    scale, outer = logarithm.scale, tuple(term for term in logarithm.terms if term[0] > ONE)
    found = small or exponential(Expansion(scale, logarithm.terms[len(outer) :], logarithm.remainder))
    front = exp(Expansion(scale, outer).to_sympy())
    return Expansion(Fronted(scale.variable, scale.limit, front=front), found.terms, found.remainder)


def _fixed_point(first: Expansion, rest: Expansion, exponent: Rational, cut: Monomial) -> Expansion:
    """Iterate t = first (1 + rest(t))^exponent; every round fixes at least one more order."""
    current, relative = first, cut * Monomial(-first.leading[0].order)
    while True:
        factor = (rest.without_remainder().compose(current, relative) + 1).up_to(relative).power(exponent)
        following = (first * factor).up_to(cut)
        if following == current:
            return current
        current = following


def _require_coefficient(coefficient, name: str) -> None:
    """An error for what is not a number or formula of numbers, and for one that is infinite."""
    if not isinstance(coefficient, Expr) or not coefficient.is_commutative:
        remedy = "no SymPy number or formula; give Rational(1, 10) for 0.1"
    elif coefficient.has(oo, -oo, zoo, nan):
        remedy = "not finite; give a number"
    else:
        return
    raise InputError(f"{name}: the coefficient {coefficient} is {remedy}")
