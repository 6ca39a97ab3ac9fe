"""Names as people type them: "ScaledResNet" is scaled-resnet, and "gellu" is refused with gelu as the remedy."""

from collections.abc import Iterable
from difflib import get_close_matches

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
    return f" (did you mean {' or '.join(bare[name] for name in found)}?)" if found else ""


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


def _bare(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter not in "-_ ")
