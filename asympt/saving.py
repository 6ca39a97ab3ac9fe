"""Laws, networks and what is found out about them go through pickle, so that they can be saved and sent to workers.

A function made during a derivation is saved as its place in the source and the values it closes over, a compiled one as
its formula; `cached_property` values are left out.  Loading in a version whose place holds another function says so.
"""

import importlib
import io
import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from errno import EACCES
from functools import cached_property, lru_cache, partial
from pathlib import Path
from tempfile import TemporaryFile
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any, Self

from sympy.polys.domains import AlgebraicField
from sympy.polys.rings import PolyRing

from asympt.errors import InputError
from asympt.version import __version__

PROBE = 2**16  # bytes that a file may need
MADE_BY = "made_by"  # the attribute of a compiled function: what makes it again, and of what
Told = tuple[tuple[str, ...], ...]


class Saved:
    """What pickle saves although it holds functions made on the way; frozen, so that a deep copy is the thing itself.

    >>> from asympt import Recursion
    >>> law = Recursion("sin(x)").law(terms=1)
    >>> pickle.loads(pickle.dumps(law))
    Law(x_n = sqrt(3)/sqrt(n) + O(log(n)/n^(3/2)))
    """

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return loaded, (_dumped(self), __version__)

    def __deepcopy__(self, memo: object) -> Self:
        return self


def loaded(found: bytes, version: str) -> Any:
    """What was saved; `InputError` where another version of asympt saved it and its functions are not found here."""
    try:
        return pickle.loads(found)
    except (AttributeError, LookupError, ImportError, TypeError) as error:
        raise InputError(
            f"this was saved by asympt {version} and does not fit asympt {__version__} ({error}); derive it again"
        ) from error


def same(one: object, two: object, seen: dict[tuple[int, int], object] | None = None) -> bool:
    """Whether two things save the same: values that are equal, functions from one place that close over the same.

    >>> same((1, [2]), (1, [2])), same([1], (1,)), same(lambda: 1, lambda: 1)
    (True, False, False)
    """
    seen = {} if seen is None else seen
    if one is two or (id(one), id(two)) in seen:
        return True
    seen[id(one), id(two)] = one, two  # kept, so that no id is used twice
    if type(one) is not type(two):
        return False
    if isinstance(one, dict) and isinstance(two, dict):
        return same(tuple(one.items()), tuple(two.items()), seen)
    if isinstance(one, tuple | list) and isinstance(two, tuple | list):
        return len(one) == len(two) and all(same(a, b, seen) for a, b in zip(one, two, strict=True))
    if isinstance(one, partial | MethodType):
        return same(one.__reduce__(), two.__reduce__(), seen)
    reduced = _Pickler(io.BytesIO()).reducer_override  # the parts of a function, a cell or an object of this package
    held = NotImplemented if isinstance(one, PolyRing | AlgebraicField) else reduced(one)  # those SymPy compares
    return bool(one == two) if held is NotImplemented else same(held, reduced(two), seen)


def _dumped(thing: object) -> bytes:
    found = io.BytesIO()
    _Pickler(found, protocol=5).dump(thing)
    return found.getvalue()


class _Pickler(pickle.Pickler):
    """Pickle, with functions by their place and objects without what they only remember."""

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, FunctionType):
            return _of_function(thing)
        if isinstance(thing, CellType):
            return _cell, (), (_content(thing),), None, None, _fill
        if isinstance(thing, PolyRing):  # SymPy's own way fails: it changes the ring while it is read
            return PolyRing, (thing.symbols, thing.domain, thing.order)
        if isinstance(thing, AlgebraicField):  # it remembers rows beside a set, which has another order elsewhere
            return _without(("_converter",), thing.__reduce_ex__(5))
        if isinstance(thing, type) or not type(thing).__module__.startswith("asympt."):
            return NotImplemented
        as_usual = super(Saved, thing) if isinstance(thing, Saved) else thing
        reduced = as_usual.__reduce_ex__(5)
        memories = (name for name in _state(reduced) if isinstance(getattr(type(thing), name, None), cached_property))
        return _without(tuple(memories), reduced)


def _state(reduced: Any) -> dict[str, Any]:
    whole = isinstance(reduced, tuple) and len(reduced) > 2 and isinstance(reduced[2], dict)
    return reduced[2] if whole else {}


def _without(names: Sequence[str], reduced: Any) -> Any:
    """A reduction without these names in its state."""
    kept = {name: value for name, value in _state(reduced).items() if name not in names}
    return (*reduced[:2], kept, *reduced[3:]) if _state(reduced) else reduced


def _of_function(function: FunctionType) -> Any:
    if hasattr(function, MADE_BY):
        return getattr(function, MADE_BY)
    module, name, code = function.__module__, function.__qualname__, function.__code__
    if "<" not in name or code not in _codes_called(module, name):
        return NotImplemented
    place = module, name, _codes_called(module, name).index(code), _told(code)
    return _function, (*place, function.__closure__, function.__defaults__, function.__kwdefaults__)


def _function(
    module: str, name: str, index: int, told: Told, cells: Any, defaults: Any, named_defaults: Any
) -> FunctionType:
    code = _codes_called(module, name)[index]
    if _told(code) != told:
        raise LookupError(f"{module}.{name} is another function now")
    found = FunctionType(code, vars(importlib.import_module(module)), code.co_name, defaults, cells)
    found.__kwdefaults__, found.__qualname__ = named_defaults, name
    return found


def _told(code: CodeType) -> Told:
    """What tells a function from others: its arguments, and the names that it uses."""
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], code.co_freevars, code.co_names


@lru_cache(maxsize=1024)
def _codes_called(module: str, name: str) -> list[CodeType]:
    """The functions of this qualified name, in the order of the source; none where there is no source."""
    loader = getattr(importlib.import_module(module).__spec__, "loader", None)
    code = None if loader is None or not hasattr(loader, "get_code") else loader.get_code(module)
    return [found for found in _inside(code) if found.co_qualname == name]


def _inside(code: CodeType | None) -> Iterator[CodeType]:
    for constant in code.co_consts if code else ():
        if isinstance(constant, CodeType):
            yield constant
            yield from _inside(constant)


def _cell() -> CellType:
    """An empty cell: what is in it may lead back to it."""
    return CellType()


def _content(cell: CellType) -> tuple[Any, ...]:
    """What is in a cell, in a tuple; nothing where it has no value yet."""
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def _fill(cell: CellType, state: tuple[Any, ...]) -> None:
    for value in state[0]:
        cell.cell_contents = value


def check_path(path: str | os.PathLike[str], endings: Sequence[str]) -> Path:
    """The path, if a file of this name can be written; `InputError` with the remedy otherwise.

    >>> check_path("law.docx", (".tex", ".pdf"))
    Traceback (most recent call last):
        ...
    asympt.errors.InputError: 'law.docx' has an unknown ending; it must end in .tex or .pdf
    """
    try:
        path = Path(path)
    except TypeError:
        raise InputError(f"path = {path!r} is not the name of a file; give one such as 'name{endings[0]}'") from None
    if path.suffix.lower() not in endings:
        *first, last = endings
        raise InputError(f"{str(path)!r} has an unknown ending; it must end in {', '.join(first)} or {last}")
    if not path.parent.is_dir():
        raise InputError(f"the folder of {str(path)!r} does not exist; create it or choose another path")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give the name of a file")
    try:
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))
        with TemporaryFile(dir=path.parent) as probe:
            probe.write(bytes(PROBE))
    except OSError as error:
        raise InputError(
            f"{str(path)!r} cannot be written ({error.strerror}); correct that or choose another path"
        ) from None
    return path


def write(files: Mapping[Path, bytes]) -> None:
    """Write files, all of them whole or none: beside their places first, then renamed; an OSError names its file.

    What is there and is no file, a device, is written to as it is.
    """
    places = {path: path.resolve() for path in files}  # where links lead
    parts = {
        path: place.with_name(f".{place.name}.{os.getpid()}")
        for path, place in places.items()
        if place.is_file() or not place.exists()
    }
    path = Path()
    try:
        for path, content in files.items():
            parts.get(path, path).write_bytes(content)
        for path, part in parts.items():
            part.replace(places[path])
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
