"""Symbols of asympt's own, and names for what a law shows, so that no symbol of a user is ever mistaken for one.

A derivation works with `Reserved` symbols, which equal none that `Symbol` can make.  What a reader gets back becomes an
ordinary symbol when the law is made (`named`): where a parameter is called C, the constant is C_0.
"""

from collections.abc import Iterable, Mapping

from sympy import Expr, Symbol, srepr

from asympt.errors import InputError


class Reserved(Symbol):
    """A symbol of asympt's own: equal to every other of its name and assumptions, and to no symbol of a user.

    >>> Reserved("t") == Reserved("t"), Reserved("t") == Symbol("t"), Reserved("t") + Symbol("s")
    (True, False, s + t)
    """

    __slots__ = ()

    @classmethod
    def class_key(cls) -> tuple:
        """Where printers and sorting put it: among the symbols."""
        return Symbol.class_key()

    def sort_key(self, order=None) -> tuple:
        """As a symbol's, behind the user's symbol of the same name."""
        key, (count, name), *rest = super().sort_key(order)
        return key, (count, (*name, "")), *rest

    def public(self, taken: Iterable[str] = ()) -> Symbol:
        """An ordinary symbol with its assumptions, under its name or, if that is taken, under name_0, name_1, ..."""
        taken, name, k = set(taken), self.name, 0
        while name in taken:
            name, k = f"{self.name}_{k}", k + 1
        return Symbol(name, **self._assumptions_orig)


def named(reserved: Iterable[Reserved], users: Iterable[Symbol]) -> dict[Reserved, Symbol]:
    """Ordinary symbols for reserved ones, by names that differ from the users' and from each other.

    >>> named([Reserved("C", real=True), Reserved("n")], {Symbol("C")})
    {C: C_0, n: n}
    """
    taken, found = {symbol.name for symbol in users}, {}
    for symbol in reserved:
        found[symbol] = symbol.public(taken)
        taken.add(found[symbol].name)
    return found


def reserved_in(*expressions: Expr) -> list[Reserved]:
    """The reserved symbols in some expressions, by name."""
    found = set().union(*(expression.free_symbols for expression in expressions))
    return sorted((symbol for symbol in found if isinstance(symbol, Reserved)), key=lambda symbol: symbol.name)


def shown(*expressions: Expr) -> Mapping[Reserved, Symbol]:
    """How to write the reserved symbols where they meet symbols of a user in one formula.

    >>> t, a = Reserved("t"), Symbol("t")
    >>> (a * t).xreplace(shown(a * t))
    t*t_0
    """
    own = reserved_in(*expressions)
    if not own:
        return {}
    return named(own, set().union(*(expression.free_symbols for expression in expressions)) - set(own))


def require_distinct(*expressions: Expr) -> None:
    """An error when two different symbols have one name.

    >>> require_distinct(Symbol("a"), Symbol("b"))
    """
    found: dict[str, Symbol] = {}
    for symbol in set().union(*(expression.free_symbols for expression in expressions)):
        if isinstance(symbol, Reserved):
            continue
        other = found.setdefault(symbol.name, symbol)
        if other != symbol:
            first, second = sorted(map(srepr, (symbol, other)))
            raise InputError(
                f"two different symbols are called {symbol}: {first} and {second}; use one of them throughout, or give "
                "them two names"
            )


DEPTHS = ("l", "L", "n")


def require_no_depth(symbols: Iterable[Symbol]) -> None:
    """An error when a parameter of a network has the name of the depth.

    >>> require_no_depth({Symbol("a"), Reserved("L")})
    """
    for symbol in sorted(symbols, key=str):
        if symbol.name in DEPTHS and not isinstance(symbol, Reserved):
            raise InputError(
                f"the parameter {symbol} has the name of the depth: a law holds for parameters that stay fixed while "
                f"the depth grows; give a fixed number another name, and take asympt.blocks.LAYER or "
                "DEPTH for what changes with it"
            )
