"""Names as people type them: "ScaledResNet" is scaled-resnet, and "gellu" is refused with gelu as the remedy.

Whatever a public function is called by, its numbers print the digits that were asked for (`printing`).
"""

import sys
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import cache, wraps
from inspect import Parameter, signature
from math import inf
from types import FunctionType
from typing import Any, NamedTuple

from asympt.errors import InputError

NEAR = 3  # names that are suggested


def meant(given: object, known: Iterable[str]) -> str | None:
    """The known name that is meant, None when there is none or more than one.

    >>> meant("ResNet", ["resnet", "scaled-resnet"]), meant("net", ["resnet"])
    ('resnet', None)
    """
    names = list(known)
    if not isinstance(given, str):
        return None
    if given in names:
        return str(given)
    found = [name for name in names if _bare(name) == _bare(given)]
    return found[0] if len(found) == 1 else None


def near(given: object, known: Iterable[str]) -> str:
    """' (did you mean ...?)' with the known names that are written alike; nothing where there are none.

    >>> near("gellu", ["gelu", "tanh"]), near("x", ["gelu"])
    (' (did you mean gelu?)', '')
    """
    bare = {_bare(name): name for name in known}
    found = get_close_matches(_bare(given), bare, n=NEAR) if isinstance(given, str) else []
    *first, last = [bare[name] for name in found] or [""]
    return f" (did you mean {', '.join(first)}{' or ' if first else ''}{last}?)" if found else ""


def named(given: object, known: Iterable[str], what: str, else_give: str = "give one of") -> str:
    """The known name that is meant; `InputError` when there is none.

    >>> named("tnah", ["tanh", "relu"], "activation")
    Traceback (most recent call last):
        ...
    asympt.errors.InputError: activation = 'tnah' is unknown (did you mean tanh?); give one of tanh, relu
    """
    names = list(known)
    found = meant(given, names)
    if found is None:
        listed = f"{else_give} {', '.join(names)}"
        raise InputError(f"{what} = {given!r} is unknown{near(given, names)}; {listed}")
    return found


def suggesting(function: Callable) -> Callable:
    """A public function that answers arguments which do not fit by naming its own; what it gives away is `public`.

    >>> suggesting(lambda sigma_w: None)(sigmaw=1)
    Traceback (most recent call last):
        ...
    asympt.errors.InputError: <lambda> has no argument 'sigmaw' (did you mean sigma_w?); its argument is sigma_w
    """

    @wraps(function)
    def called(*given, **keywords):
        takes = _arguments(function)
        fits = not keywords and takes.least <= len(given) <= takes.most
        found = function(*given) if fits else _answered(function, given, keywords)
        if type(found) not in _SEEN:
            public(type(found))
        if takes.digits is None:
            return found
        place = takes.places.index("digits") if "digits" in takes.places else inf
        return printing(found, given[place] if place < len(given) else keywords.get("digits", takes.digits))

    called.suggests = True  # type: ignore[attr-defined]
    return called


def _answered(function: Callable, given: tuple, keywords: dict[str, Any]) -> Any:
    takes = _arguments(function)
    places, known = takes.places, takes.known
    placed, others = places[: len(given)], [name for name in keywords if name not in known]
    *_, home, name = ("", *function.__qualname__.split("."))
    own = {"__init__": home, "__call__": f"a call of {home}"}.get(name, name)
    listed = f"its argument{'s are' if len(known) > 1 else ' is'} {', '.join(known) or 'nothing'}"
    missing = [name for name in takes.needed if name not in (*placed, *keywords)]
    twice = [name for name in placed if name in keywords]
    remedy = next(filter(None, (near(name, known) for name in others)), "")
    if others and (missing or not takes.has_more):
        raise InputError(f"{own} has no argument {others[0]!r}{remedy}; {listed}")
    if len(given) > takes.most:
        room, count = (len(part) - len({*places} - {*known}) for part in (places, given))
        raise InputError(f"{own} takes {room or 'no'} positional argument{'s' * (room != 1)}, not {count}; {listed}")
    if twice:
        raise InputError(f"{own} is given {twice[0]} twice, by position and by name; give it once")
    if missing:
        wanted = ", ".join(name if name in places else f"{name} (by name)" for name in missing)
        raise InputError(f"{own} needs {wanted}; {listed}")
    try:
        return function(*given, **keywords)
    except InputError as error:
        if not remedy or "(did you mean" in str(error):
            raise
        raise type(error)(f"{error}{remedy}") from None


class Arguments(NamedTuple):
    """How many a function takes by position, at least (oo: some by name only) and at most, and the names of these; its
    own names but for self and cls, those of them without a default, whether it takes any others, and the default of its
    `digits`, if that has one."""

    least: float
    most: float
    places: list[str]
    known: list[str]
    needed: list[str]
    has_more: bool
    digits: int | None


@cache
def _arguments(function: Callable) -> Arguments:
    found = list(signature(function).parameters.values())
    named = [p for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    needed, kinds = [p for p in named if p.default is p.empty], {p.kind for p in found}
    places = [p.name for p in named if p.kind is not p.KEYWORD_ONLY]
    least = len(needed) if all(p.name in places for p in needed) else inf
    most = inf if Parameter.VAR_POSITIONAL in kinds else len(places)
    own, without = ([p.name for p in part if p.name not in ("self", "cls")] for part in (named, needed))
    digits = next((p.default for p in named if p.name == "digits" and p.default is not p.empty), None)
    return Arguments(least, most, places, own, without, Parameter.VAR_KEYWORD in kinds, digits)


@cache
def _shown_number() -> type:
    """The class of the numbers that are given away; made when first needed, so that --help does without mpmath."""
    import mpmath

    class ShownNumber(mpmath.mpf):
        digits = 15

        def __str__(self) -> str:
            return mpmath.nstr(self, self.digits)

        def __repr__(self) -> str:
            return f"mpf('{self}')"

        def __reduce__(self) -> tuple:
            return printing, (mpmath.mp.make_mpf(self._mpf_), self.digits)

    return ShownNumber


def printing(found: Any, digits: int | None) -> Any:
    """A result whose mpmath numbers, alone or in a tuple, print `digits` and calculate like any other.

    >>> from mpmath import mpf
    >>> print(printing(mpf(1) / 3, 5), printing(mpf(1) / 3, 5) == mpf(1) / 3)
    0.33333 True
    """
    if isinstance(found, _shown_number().__base__) and isinstance(digits, int):
        shown = _shown_number()()
        shown._mpf_, shown.digits = found._mpf_, digits
        return shown
    if isinstance(found, tuple):
        parts = [printing(part, digits) for part in found]
        return found._make(parts) if hasattr(found, "_make") else tuple(parts)
    return found


_SEEN: set[type] = set()  # classes whose methods suggest, and those of others


def public(value: Any) -> Any:
    """What a package gives away: a function, or a class with its methods, `suggesting`; anything else as it is.

    It stands at its home from then on, where pickle looks for it.
    """
    if isinstance(value, type):
        for home in () if value in _SEEN else value.__mro__:
            if home not in _SEEN and home.__module__.partition(".")[0] == "asympt":
                _with_suggestions(home)
            _SEEN.add(home)
        return value
    home, name = sys.modules.get(getattr(value, "__module__", "")), getattr(value, "__name__", "")
    if isinstance(value, FunctionType) and not hasattr(value, "suggests"):
        setattr(home, name, suggesting(value))
        return getattr(home, name)
    return value


def _with_suggestions(home: type) -> None:
    """`__init__`, `__call__` and the public methods that a class defines itself."""
    for name, member in list(vars(home).items()):
        kind = type(member) if isinstance(member, classmethod | staticmethod) else None
        function = member.__func__ if kind else member
        named = name in ("__init__", "__call__") or not name.startswith("_")
        if named and isinstance(function, FunctionType) and not hasattr(function, "suggests"):
            setattr(home, name, kind(suggesting(function)) if kind else suggesting(function))


def publish(module: dict[str, Any]) -> None:
    """The names in a module's __all__ become what it gives away and lists; called at the end of an `__init__`."""
    module["__dir__"] = lambda: sorted(module["__all__"])
    for name in module["__all__"]:
        if name in module:  # else it is loaded when asked for
            module[name] = public(module[name])


def _bare(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter not in "-_ ")
