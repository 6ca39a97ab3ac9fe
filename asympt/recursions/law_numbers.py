"""The numbers of a law: its quantity at any depth, its constants, how far to trust them, what is proved of them."""

import inspect
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from mpmath import mp, mpf, nstr
from sympy import Expr, Float, Integer

from asympt.deadline import READING, attempted, in_budget
from asympt.errors import AsymptError, InputError, OverrunError, UnsupportedError
from asympt.expansions import Heuristic
from asympt.numbers import check_depth, check_digits, exact, symbol_names, to_mpf
from asympt.recursions import evaluation
from asympt.recursions.evaluation import Evaluated
from asympt.recursions.truncated import GUARD

# ---- the size of a remainder ----------------------------------------------------------------------


DEPTHS = (10**3, 10**4, 10**6, 10**9)
LENGTHS = (4, 8, 16)  # depths of a hyperbolic law, in units of 1/|log|chi||
SPARE = 12
FIGURES = 3


def estimated(law, depths, start: dict) -> Heuristic:
    """The measured remainder of a law for one start."""
    if law.remainder is None:
        raise UnsupportedError("the law is an exact finite sum, so it has no remainder to estimate")
    law = law.for_start(**start)
    depths = _depths(law) if depths is None else _read(depths)
    figures = [_figure(law, depth, start) for depth in depths]
    return Heuristic(law.remainder.monomial, Float(nstr(max(figures), FIGURES)), Integer(min(depths)))


def _read(depths) -> tuple:
    """Several depths, each a whole number."""
    given = None if isinstance(depths, str) or not isinstance(depths, Iterable) else tuple(depths)
    if not given:
        raise InputError(f"depths = {depths!r} is no list of depths; give several, such as (1000, 10**6), or None")
    return tuple(map(check_depth, given))


def _depths(law) -> tuple:
    """Where to look: powers of ten, or a few correlation lengths where the approach is exponential."""
    if law.koenigs is None:
        return tuple(depth + r for depth in DEPTHS for r in law.branches)
    length = 1 / abs(mp.log(abs(to_mpf(law.koenigs.multiplier))))
    return tuple(int(times * length) + 1 for times in LENGTHS)


def _figure(law, depth: int, start: dict):
    """|quantity - law| in units of the monomial at one depth."""
    expansion = law.branch(depth)
    scale = expansion.scale
    size = _number(scale.to_sympy(law.remainder.monomial), {scale.depth: Integer(depth)}, 15)
    lead = _number(scale.to_sympy(expansion.leading[0]), {scale.depth: Integer(depth)}, 15)
    digits = min(200, SPARE + max(0, int(mp.log10(abs(lead / size)))))
    values = {law.constant_symbols["C"]: exact(law.connection_constant(digits=digits, **start))}
    if law.linear is not None:
        values[law.constant_symbols["D"]] = exact(law.second_constant(digits=digits, **start))
    values[scale.depth] = Integer(depth)
    with mp.workdps(digits + SPARE):
        printed = _number(expansion.to_sympy(), values, digits + SPARE)
        return abs(law.evaluate(depth=depth, digits=digits, **start) - printed) / abs(size)


def _number(expression, values: dict, digits: int) -> mpf:
    with mp.workdps(digits + SPARE):
        return to_mpf(expression.subs(values))


NORMED = 2  # digits more of a quotient's parts
FEW = 5  # digits, to see where an orbit goes
STANDARD = 30  # digits, unless more or fewer are asked for
PATIENCE = 20.0  # seconds for a proof of a number, before two routes are taken
PROVING = "a proof of the number"


class NumbersOfLaw:
    """What a `Law` gives beside its formula."""

    _patience = PATIENCE

    def evaluate(self, depth: int, correlation=None, digits: int = 30, **start):
        """The quantity at depth `depth`, an mpmath number correct to `digits` significant digits.

        The cost does not depend on the depth.  The number is rounded from a ball in which it is proved to lie where
        that can be done (`trust`, `enclose`), and certified by two evaluations at two precisions and two matching
        layers elsewhere; `evaluated` says which it was.  Print it with `mpmath.nstr(value, digits)`: mpmath itself
        shows 15.

        Parameters
        ----------
        depth : the layer, from 1 on (of a recursion: how many steps from the start).
        correlation : c^1, for the law of a network; close to 1 give gap=1-c^1 instead.
        digits : how many significant digits the number has.
        start : the starts of other laws by name: start=x_0 of a recursion, variance=q^1, position=...

        Raises
        ------
        InputError : bad input, or a start that does not come to the fixed point.
        PrecisionError : the digits cannot be certified.

        Examples
        --------
        >>> from mpmath import nstr
        >>> from sympy import Symbol
        >>> from asympt.recursions.recursion import Recursion
        >>> x = Symbol("x", positive=True)
        >>> print(nstr(Recursion(x / (1 + x), x).law().evaluate(depth=10**20, start=1, digits=25), 25))
        9.9999999999999999999e-21
        """
        return self.evaluated(depth, correlation, digits, **start).value

    @in_budget("evaluating the law")
    def evaluated(self, depth: int, correlation=None, digits: int = 30, **start) -> Evaluated:
        """`evaluate`, with how far to trust the number: its `value`, `trust` and, where it is not proved, the `reason`.

        >>> from sympy import Symbol
        >>> from asympt.recursions.recursion import Recursion
        >>> x = Symbol("x", positive=True)
        >>> Recursion(x - x**2, x).law().evaluated(depth=10**9, start="1/2").trust
        'proved'
        """
        if correlation is not None:
            start["correlation"] = correlation
        depth, digits = check_depth(depth), check_digits(digits)
        given = self._start(start)

        def prove(proofs, asked):
            if self.layer is None and self.fixed is not None and depth <= asked.first + proofs.PLAIN:
                self.coordinate.require_basin(given, FEW)  # a deeper one is reached through the theorem, which shows it
            return proofs.proved_value(asked, given, depth, digits)

        return self._trusted(prove, lambda: self._value(given, depth, digits))

    @cached_property
    def trust(self) -> str:
        """How `evaluate` and the constants are certified: 'proved' or 'two routes agree'.

        'proved': a theorem stands near the fixed point, so numbers are rounded from balls in which they are proved to
        lie; an orbit that cannot be followed in balls, and D for steps like l^-kappa, kappa < 1, are exceptions
        (`evaluated` and `evaluated_constants` say so).  `untrusted` says why there is none.

        >>> from sympy import Max, Rational, Symbol
        >>> from asympt.recursions.recursion import Recursion
        >>> x = Symbol("x", positive=True)
        >>> Recursion(x - x**2, x).law().trust, Recursion(Max(x / 2, x / 3), x).law().trust
        ('proved', 'two routes agree')
        """
        return evaluation.AGREED if self.untrusted else evaluation.PROVED

    @cached_property
    @in_budget("proving the law", READING)
    def untrusted(self) -> str:
        """Why no theorem stands for this law; empty where one does."""
        from asympt.recursions.proofs.enclosure import require_theorem

        try:
            require_theorem(self.asked, STANDARD)
        except AsymptError as reason:
            return str(reason)
        return ""

    def _trusted(self, prove: Callable, otherwise: Callable) -> Evaluated:
        """What is proved, or else what two routes agree upon; prove(the module of proofs, the law as asked there)."""
        from asympt.recursions.proofs import enclosure

        try:
            with attempted(PROVING, self._patience):
                return Evaluated(prove(enclosure, self.asked), evaluation.PROVED)
        except AsymptError as error:
            reason = str(error)
            if isinstance(error, OverrunError):
                object.__setattr__(self, "_patience", 0.01)  # not again
        return Evaluated(otherwise(), evaluation.AGREED, reason)

    @in_budget("computing the connection constant")
    def connection_constant(self, digits: int = 30, **start):
        """The connection constant C(x_0) as the law's formula has it, to `digits` digits; arguments as in `evaluate`.

        Parabolic: C = A(x_l) - l with alpha_0 = 0.  Hyperbolic: C = S(x_0) with S = (x - x*) + ....  Driven: C is
        the constant term of T(x_l) - (sum of the step sizes).
        """
        return self.evaluated_constants(digits, **start).value[0]

    @in_budget("computing the connection constants")
    def evaluated_constants(self, digits: int = 30, second: bool = False, **start) -> Evaluated:
        """(C, D), and how far to trust them, as `evaluated` says; D may be None unless it is asked for (`second`)."""
        given, digits = self._start(start), check_digits(digits)
        return self._trusted(
            lambda proofs, asked: proofs.proved_constants(asked, given, digits, second),
            lambda: self._constants(given, digits, second),
        )

    @in_budget("computing the second constant")
    def second_constant(self, digits: int = 30, **start):
        """D(x_0), the weight of the homogeneous solution; P carries no pure power where H starts."""
        self.coordinate.require_second(self.linear)
        return self.evaluated_constants(digits, second=True, **start).value[1]

    def constants(self, digits: int = 30, **start) -> dict:
        """The constants of the formula that one reading of the orbit gives, by their names; arguments as in `evaluate`.

        >>> from sympy import Symbol
        >>> from asympt.recursions.recursion import Recursion
        >>> x = Symbol("x", positive=True)
        >>> Recursion(x / (1 + x), x).law(terms=2).constants(start=2)
        {'C': mpf('0.5')}
        """
        found = self.evaluated_constants(digits, **start).value
        return {name: value for name, value in zip(self.coordinate.names, found, strict=False) if value is not None}

    def crossings(self, digits: int = 30, **start) -> list[tuple]:
        """(route, crossing) for the two computations of the constants; nothing where they take more than one orbit.

        >>> from sympy import Symbol
        >>> from asympt.recursions.recursion import Recursion
        >>> x = Symbol("x", positive=True)
        >>> [(route.digits, crossing.layer) for route, crossing in Recursion(x - x**2, x).law().crossings(start="1/2")]
        [(40, 81), (50, 181)]
        """
        return self._crossings(self._start(start), digits)

    def certificate(self, valid_from: int = 2, **start):
        """The law as a theorem: a constant B with |quantity - law| <= B monomial for all depths from `valid_from` on.

        The start is one number, as in `evaluate`, or an interval: correlation=("-1", "9/10") is uniform in the start.
        See `proofs.certificate.Certificate` for what it holds.  Raises `UnsupportedError` with the reason where a
        step cannot be proved, and `InputError` for an interval that is upside down or touches the fixed point.

        >>> from sympy import Symbol
        >>> from asympt.recursions.recursion import Recursion
        >>> x = Symbol("x", positive=True)
        >>> print(Recursion(x / (1 + x), x).law(terms=1).certificate(start=1))
        for all n >= 2 and x_0 = 1: |x_n - (1/n)| <= 1.00402/n^2
        """
        from asympt.recursions.proofs.certificate import certified

        return certified(self, valid_from, start)

    @property
    def asked(self) -> Any:
        """The law as the engine of `asympt.balls` has it (`proofs.formal`), without a look at its printed terms.

        Made when first asked for; raises `UnsupportedError` with the reason where the engine cannot have it.
        """
        found = self._asked
        if isinstance(found, UnsupportedError):
            raise type(found)(*found.args)
        return found

    @cached_property
    def _asked(self):
        """`asked`, or the refusal."""
        from asympt.recursions.proofs.formal import formal

        if type(self)._value is not NumbersOfLaw._value:
            return UnsupportedError("the quantity is made of several orbits, which have no theorem in common yet")
        try:
            return formal(self, exactly=False)
        except UnsupportedError as reason:
            return reason

    def enclose(self, depth: int, correlation=None, digits: int = 30, **start) -> tuple:
        """(lower, upper): two mpmath numbers between which the quantity at this depth is proved to lie.

        Arguments as in `evaluate`, and the cost does not depend on the depth either; the ends are rounded outward and
        agree to about `digits` digits.  Raises `UnsupportedError` with the reason where nothing can be proved.

        >>> from mpmath import nstr
        >>> from sympy import Symbol
        >>> from asympt.recursions.recursion import Recursion
        >>> x = Symbol("x", positive=True)
        >>> low, high = Recursion(x / (1 + x), x).law().enclose(depth=10**20, start=1, digits=20)
        >>> print(nstr(low, 20), nstr(high, 20))
        9.9999999999999999999e-21 9.9999999999999999999e-21
        """
        from asympt.recursions.proofs.enclosure import enclosed_value

        if correlation is not None:
            start["correlation"] = correlation
        return enclosed_value(self, depth, digits, start)

    def estimate_remainder(self, depths=None, **start) -> Heuristic:
        """How large the remainder is in units of its monomial, seen at some `depths` for one start: no bound.

        >>> from sympy import Symbol
        >>> from asympt.recursions.recursion import Recursion
        >>> x = Symbol("x", positive=True)
        >>> Recursion(x / (1 + x), x).law(terms=2).estimate_remainder(start=1)
        Heuristic(monomial=Monomial(order=3, logs=0), constant=1.00000000000000, valid_from=1000)
        """
        return estimated(self, depths, start)

    def deviation(self, depth: int, digits: int = 30, **start):
        """The distance |y_l| from the fixed point (1/|x_l| at infinity) to `digits` significant digits of its own."""
        given, depth, digits = self._start(start), check_depth(depth), check_digits(digits)
        with mp.workdps(digits + GUARD):
            return abs(self._moved(given, depth, digits))

    def _moved(self, start: Expr, depth: int, digits: int):
        """y_l."""
        return evaluation.certified(self.coordinate, start, depth, digits, evaluation.first)

    def _value(self, start: Expr, depth: int, digits: int):
        if self.fixed is not None:
            self.coordinate.require_basin(start, digits)

        def read(digits: int):
            return evaluation.certified(self.coordinate, start, depth, digits)

        if self.observable is not None:
            return self.observable.value(read, digits)
        more = 0 if self.norm is None else NORMED
        value = read(digits + more)
        with mp.workdps(digits + more + GUARD):
            return value / (depth if self.average else 1) / (self.norm(depth, digits + more) if self.norm else 1)

    def _crossings(self, start: Expr, digits: int) -> list[tuple]:
        routes = self.coordinate.routes(digits + self.coordinate.spare[1])
        return [(route, self.coordinate.crossing(start, route)) for route in routes]

    def _constants(self, start: Expr, digits: int, second: bool = False) -> tuple:
        return evaluation.constants(self.coordinate, start, digits, second)

    def _start(self, given: dict) -> Expr:
        if self.parameters:
            raise UnsupportedError(
                f"the law contains the symbols {symbol_names(self.parameters)}; give numbers for them (a map or an "
                "activation with numeric coefficients) to evaluate"
            )
        known = inspect.signature(self.reader).parameters
        for name in given:
            if name not in known:
                raise InputError(f"unknown argument {name!r}; the start of this law is given by {' or '.join(known)}")
        return self.reader(**given)
