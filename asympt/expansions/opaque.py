"""Real numbers without a closed form: known by a name and, to any precision, by their digits.

Two constants with the same `key` are equal: it holds everything that determines the number, as objects, never as text.
"""

import time
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import ClassVar

import mpmath
from mpmath import mp
from mpmath.libmp import from_man_exp, prec_to_dps
from sympy import Expr, Lambda, srepr, sstr
from sympy.core.numbers import NumberSymbol

from asympt import kept
from asympt.saving import Saved

GUARD = 10
RUNG = 96  # bits: twenty digits and what their evaluation adds
WORTH = 0.005  # seconds from which on digits are kept for other processes
ALONE = 15  # digits of an answer that stands alone


def in_digits(value: Expr, digits: int = ALONE) -> str:
    """An exact value as it is, one with constants in it by its digits."""
    return str(value.evalf(digits)) if value.has(RealConstant) else sstr(value)


def identity(thing) -> str:
    """A text that is equal only for equal things: expressions with the constants in them, texts, numbers, dataclasses.

    >>> from sympy import Rational
    >>> identity(("alpha", 2, Rational(1, 3)))
    "('alpha', 2, Rational(1, 3))"
    """
    if isinstance(thing, Expr):
        hidden = sorted(atom.key for atom in thing.atoms(RealConstant))
        return "; ".join([srepr(thing), *hidden])
    if isinstance(thing, tuple | list):
        return f"({', '.join(map(identity, thing))})"
    if is_dataclass(thing):
        kept = (identity(getattr(thing, field.name)) for field in fields(thing) if field.compare)
        return f"{type(thing).__qualname__}({', '.join(kept)})"
    if thing is None or isinstance(thing, str | int):
        return repr(thing)
    raise TypeError(f"{thing!r} does not say what determines a constant; give expressions, texts or whole numbers")


def _is_determined(thing) -> bool:
    """Whether the constants in what a key is made of are known by more than a name."""
    if isinstance(thing, Expr):
        return all(atom.determined for atom in thing.atoms(RealConstant))
    if isinstance(thing, tuple | list):
        return all(map(_is_determined, thing))
    return not is_dataclass(thing) or all(_is_determined(getattr(thing, f.name)) for f in fields(thing) if f.compare)


class RealConstant(Saved, NumberSymbol):
    """A real number: how it is called, `evaluator` (no arguments, at mpmath's precision), `key`, LaTeX.

    `key`: a tuple of everything that determines the number (`identity`), a text only where that is a whole sentence.

    `exact` is a formula for the same number, kept beside it because it is too long to carry through a derivation, or
    None when there is none; `equation` a function that vanishes at the number, or None; `solved`: an answer that users
    ask for by itself (sigma_w, q), which prints with its digits when it stands alone and as its name in a formula.

    >>> root = RealConstant("xi", lambda: mpmath.findroot(lambda x: mpmath.cos(x) - x, 0.7), key="fixed point of cos")
    >>> (2 * root).evalf(20), root > 0
    (1.4781702664303212833, True)
    >>> weight = RealConstant("w", lambda: mpmath.sqrt(2), key="an answer", solved=True)
    >>> print(weight, 3 * weight, f"{weight:.3f}", sep="; ")
    w = 1.41421356237310; 3*w; 1.414
    """

    is_real = True
    is_number = True
    is_finite = True
    is_irrational = None
    _known: ClassVar[dict] = {}

    __slots__ = ("_digits", "_latex_text", "determined", "equation", "evaluator", "exact", "key", "name", "solved")

    def __new__(
        cls, name: str, evaluator: Callable, key: str | tuple | None = None, latex: str | None = None,
        exact: Expr | None = None, equation: Lambda | None = None, solved: bool = False,
    ):
        determined = isinstance(key, tuple) and _is_determined(key)
        key = identity(key) if isinstance(key, tuple) else key or name
        if key in cls._known:
            return cls._known[key]
        self = super().__new__(cls)
        self.name, self.evaluator, self.key, self._latex_text = name, evaluator, key, latex or name
        self._digits, self.exact, self.equation, self.solved = {}, exact, equation, solved
        self.determined = determined  # by its key, for other processes as well
        cls._known[key] = self
        return self

    def _as_mpf_val(self, prec: int):
        """The digits at a binary precision; computed ahead to a whole rung: they will be needed again."""
        known = max(self._digits, default=0)
        if known < prec:
            known = RUNG * -(-prec // RUNG)
            self._digits = {known: self._kept(known)}
        with mp.workprec(prec):
            return (+mp.make_mpf(self._digits[known]))._mpf_

    def _kept(self, bits: int) -> tuple:
        """What it comes to, from the cache folder (`asympt.kept`) if another process computed it."""
        if not self.determined:
            return self._computed(bits)
        key, begun = f"{bits} bits of {self.key}", time.thread_time()
        found = kept.get("constants", key)
        if found is not None:
            return from_man_exp(int(found[0], 16), found[1])
        value = self._computed(bits)
        if time.thread_time() - begun > WORTH:
            sign, mantissa, exponent, _ = value
            kept.put("constants", key, [hex((-1) ** sign * int(mantissa)), exponent])
        return value

    def _computed(self, bits: int) -> tuple:
        with mp.workprec(bits + GUARD):
            value = self.evaluator()
            if isinstance(value, Expr):
                value = mpmath.mpf(value.evalf(prec_to_dps(bits) + GUARD)._mpf_)
        with mp.workprec(bits):
            return (+value)._mpf_

    def __int__(self) -> int:
        return int(mpmath.mpf(self._as_mpf_val(80)))

    def _hashable_content(self):
        return (self.key,)

    def __getnewargs__(self):
        return (self.name, self.evaluator, self.key, self._latex_text, self.exact, self.equation, self.solved)

    def __str__(self) -> str:
        """The name comes first: SymPy puts factors into order by this text."""
        return f"{self.name} = {self.evalf(ALONE)}" if self.solved else self.name

    __repr__ = __str__

    def __format__(self, how: str) -> str:
        return super().__format__(how) if how or not self.solved else str(self.evalf(ALONE))

    def _sympystr(self, printer) -> str:
        return self.name

    def _sympyrepr(self, printer) -> str:
        return self.name

    def _latex(self, printer) -> str:
        return self._latex_text

    def _eval_is_positive(self):
        return mpmath.mpf(self._as_mpf_val(80)) > 0

    def _eval_is_negative(self):
        return mpmath.mpf(self._as_mpf_val(80)) < 0

    def _eval_is_zero(self):
        return None if mpmath.mpf(self._as_mpf_val(80)) == 0 else False
